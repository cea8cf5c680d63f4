use std::collections::BTreeSet;

use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_games::BySeat;

use super::schedule::num_rounds;
use super::*;
use crate::methods::method::Method;
use crate::methods::method::tests::{Scripted, assert_restorable, coins, never};
use crate::methods::selection::PartResult;

fn options(allocation: Allocation, individuals: usize) -> SeedsKind {
    SeedsKind { allocation, individuals, selection: Selection::BySeat }
}

/// Any two individuals meet exactly once in a full circle (Kirkman 1847).
#[test]
fn the_circle_is_a_round_robin() {
    for n in 2..=17usize {
        let mut met = BTreeSet::new();
        let num_steps = n + n % 2 - 1;
        for step in 0..num_steps as u64 {
            let mut busy = BTreeSet::new();
            for (a, b) in circle(n, step) {
                assert!(busy.insert(a) && busy.insert(b), "{n}: twice in round {step}");
                assert!(met.insert((a.min(b), a.max(b))), "{n}: {a} and {b} meet again");
            }
        }
        assert_eq!(met.len() as u64, round_robin_pairs(n));
    }
}

#[test]
fn round_robins_fit_their_pairs() {
    for (pairs, n) in [(0, 1), (1, 2), (2, 2), (3, 3), (5, 3), (6, 4), (120, 16), (135, 16)] {
        assert_eq!(individuals_for(pairs), n, "{pairs}");
    }
    assert_eq!([2, 3, 4, 5, 16, 17].map(num_rounds), [1, 2, 2, 3, 4, 5]);
}

/// Without noise a round robin ends with its strongest individual. Halving, in which not all individuals meet, ends
/// with one of the best quarter. Both stay within their budget.
#[test]
fn the_strongest_individual_wins() {
    for allocation in [Allocation::Halving, Allocation::RoundRobin] {
        for budget in [2, 5, 30, 240, 241, 1000, 20_000] {
            let mut oracle = Scripted::new(Vec::new(), never);
            oracle.games_left = budget;
            let start = oracle.individual(0);
            let mut method = Running::new(start, options(allocation, 16));
            let stopped = loop {
                if let Err(stopped) = method.iterate(&mut oracle) {
                    break stopped;
                }
                assert_restorable(&method);
            };
            assert_eq!(stopped, Stopped(StopReason::Games));
            let n = method.memory.num_individuals();
            let best = method.memory.contests[0].best;
            let strength = |index: usize| oracle.individual(index as u64)[0];
            let stronger = (0..n).filter(|&k| strength(k) > strength(best)).count();
            let allowed = if allocation == Allocation::RoundRobin { 0 } else { n / 4 };
            assert!(stronger <= allowed, "{allocation:?}, {budget}: {stronger} are stronger");
            assert_eq!(method.last(), oracle.individual(best as u64));
            // Nearly the whole budget is spent: a round robin stops as soon as no newcomer fits, and halving leaves the
            // remainder of a division.
            assert!(oracle.games_left <= 2 * n as u64, "{allocation:?}: {budget}");
        }
    }
}

/// Returns the parts that a round robin of doubled players must choose, by definition: for each seat, the part with the
/// highest score against all parts of the other seat except the part of its own vector. Among parts with equal scores,
/// this is the first.
fn best_parts(firsts: &[f64], seconds: &[f64]) -> [usize; 2] {
    let best = |own: &[f64], others: &[f64]| {
        let wins = |k: usize| {
            let beaten = |&j: &usize| j != k && own[k] > others[j];
            (0..others.len()).filter(beaten).count()
        };
        let most = (0..own.len()).map(wins).max().expect("there are individuals");
        (0..own.len()).position(|k| wins(k) == most).expect("one has the most")
    };
    [best(firsts, seconds), best(seconds, firsts)]
}

/// In a family of doubled players, parameter 0 is the strength in the first seat and parameter 1 is the strength in the
/// second. For each seat, a round robin chooses the best part, and halving chooses a part from the best quarter if
/// there are enough games. If whole individuals are selected, both parts of the champion come from one individual.
#[test]
fn the_best_part_of_either_seat_is_chosen() {
    let cases = [
        (Allocation::RoundRobin, Selection::BySeat),
        (Allocation::Halving, Selection::BySeat),
        (Allocation::RoundRobin, Selection::Whole),
        (Allocation::Halving, Selection::Whole),
    ];
    for (allocation, selection) in cases {
        for budget in [2, 5, 30, 240, 241, 1000, 20_000] {
            let mut oracle = Scripted::new(Vec::new(), never);
            oracle.games_left = budget;
            oracle.dimension = 2;
            oracle.seats = Some(BySeat { first: 0..1, second: 1..2 });
            let options = SeedsKind { allocation, individuals: 16, selection };
            let mut method = Running::new(oracle.individual(0), options);
            while method.iterate(&mut oracle).is_ok() {
                assert_restorable(&method);
            }
            let n = method.memory.num_individuals();
            assert!(oracle.games_left <= 2 * n as u64, "{options:?}: {budget}");
            let strengths = [0, 1].map(|part| -> Vec<f64> {
                (0..n).map(|k| oracle.individual(k as u64)[part]).collect()
            });
            if selection == Selection::Whole {
                let is_whole = |k: usize| method.last() == oracle.individual(k as u64);
                assert!((0..n).any(is_whole), "{options:?}: {budget}");
                continue;
            }
            let best = [0, 1].map(|part: usize| method.memory.contests[part].best);
            let chosen = [0, 1].map(|part: usize| strengths[part][best[part]]);
            assert_eq!(method.last(), chosen);
            if allocation == Allocation::RoundRobin {
                assert_eq!(best, best_parts(&strengths[0], &strengths[1]), "{budget}");
                // Each part has played one game against the part of every other individual.
                for contest in &method.memory.contests {
                    assert!((0..n).all(|k| contest.num_observations(k) == n as u64 - 1));
                }
            } else {
                for (strengths, chosen) in strengths.iter().zip(chosen) {
                    let stronger = strengths.iter().filter(|&&other| other > chosen).count();
                    // A small budget does not suffice to distinguish similar individuals.
                    let allowed = if budget < 1000 { n / 2 } else { n / 4 };
                    assert!(stronger <= allowed, "{options:?}, {budget}: {stronger} are stronger");
                }
            }
        }
    }
}

/// Compares the bounds of a doubled player with a calculation by hand. There are two parts of 3 individuals with 2
/// games each, so the error of a part is .05 / (2 x 3 x 2 x 3) and the half-width is sqrt(ln(2 / error) / 4) =
/// sqrt(ln(1440) / 4) = 1.348: nothing is known yet.
#[test]
fn bounds_are_those_of_both_parts() {
    let mut contest = Contest::default();
    contest.resize(3);
    let result = |quarter_points, num| PartResult { quarter_points, num };
    contest.credit(0, result(8.0, 2));
    assert_eq!(contest.interval(0, 2), [0.0, 1.0]);
    assert_eq!((contest.score(0), contest.num_observations(0)), (1.0, 2));
    // For 1000 games won of 2000, the error is .05 / (2 x 3 x 2000 x 2001), ln(2 / error) = ln(960 480 000) =
    // 20.682944, and the half-width is sqrt(20.682944 / 4000) = .071908.
    contest.credit(1, result(4000.0, 2000));
    let [low, high] = contest.interval(1, 2);
    assert!((low - (0.5 - 0.071908)).abs() < 1e-6 && (high - (0.5 + 0.071908)).abs() < 1e-6);
    // With one contest there are half as many shares: ln(480 240 000) = 19.989797.
    let [low, _] = contest.interval(1, 1);
    assert!((low - (0.5 - 0.070693)).abs() < 1e-6);
}

/// Among 64 individuals, the probability that one beats another is the logistic function of the difference of their
/// strengths. Halving finds a better individual than a round robin with the same number of games. The measure is the
/// strength of the best individual minus the strength of the chosen individual, averaged over 60 tournaments. The
/// specification of the method gives means over thousands of tournaments; at this budget, the mean is about four times
/// larger for a round robin than for halving.
#[test]
fn halving_beats_the_round_robin() {
    let lost = |allocation| -> f64 {
        let tournament = |seed: u64| {
            let mut method = Running::new(vec![0.0], options(allocation, 64));
            let games = |players: &[Player], fixture: &Fixture, stream: &mut Stream| {
                let strength =
                    |index: usize| players[index].parameters().expect("an individual")[0];
                let wins = 1.0 / (1.0 + libm::exp(strength(fixture.b) - strength(fixture.a)));
                coins(wins, 1, stream)
            };
            let mut oracle = Scripted::new(Vec::new(), never).with_games(4032, Box::new(games));
            oracle.stream = StreamKey::root(seed).stream();
            oracle.individual = Some(Box::new(move |number| {
                let key = StreamKey::root(1000 + seed).child(Label::Start, number);
                crate::methods::start_parameters(1, key)
            }));
            while method.iterate(&mut oracle).is_ok() {}
            let strengths: Vec<f64> = (0..method.memory.num_individuals())
                .map(|k| oracle.individual(k as u64)[0])
                .collect();
            let best = strengths.iter().copied().fold(f64::MIN, f64::max);
            best - strengths[method.memory.contests[0].best]
        };
        (0..60).map(tournament).sum::<f64>() / 60.0
    };
    let (halving, round_robin) = (lost(Allocation::Halving), lost(Allocation::RoundRobin));
    assert!(halving < 0.7 * round_robin, "{halving} and {round_robin}");
}
