//! Tests of the error rates and costs of the comparison operators, on observations whose winning rate is known.
//!
//! Upper bounds on error rates detect races that err too often. Bernstein's and Hoeffding's races err far less than
//! allowed, so upper bounds detect few faults in these races. Therefore, all races must also stop as early, and decide
//! correctly as often, as independent computations predict. Both checks together detect a wrong constant in either
//! direction.
//!
//! Tolerances: a count is too far from its expectation if Chernoff's bound gives it a probability below 1e-8. A mean is
//! too far from its expectation if it is off by 6 standard errors (a probability of 2e-9 on both sides for normal
//! errors, and of 1e-8 with the skewness of stopping times). These tests make fewer than 1600 comparisons, so fewer
//! than one of 30 000 sets of seeds fails by chance. No games are played.
//!
//! Two tests hold a fifth of their races, and all in their long form. Chernoff's bound holds for any number of races.
//! Bernstein's races stop after similar numbers of games, with a skewness below 1, so means of 400 races or more are off
//! by 6 standard errors with a probability below 2e-8. A fifth of the races finds errors 2.2 times as large.

mod acceptance;
mod samples;

use std::ops::ControlFlow;
use std::sync::Arc;

use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_games::Payoff;
use ruse_strategies::PairResult;

use self::samples::{
    CORRELATED, INDEPENDENT, KINDS, Kind, OPPOSITE, Sample, TWO_OPPOSITE_PAIRS, TWO_PAIRS,
};
use crate::arena::{League, SameDeals};
use crate::race::play::tests::{Fake, Separate};
use crate::race::{
    Acceptance, AnyRace, Inequality, IntervalRace, Limits, Operator, Race, RaceSettings, Reason,
    Schedule, Verdict, against_a_third, against_all, head_to_head,
};

#[macro_use]
#[path = "../../../../../tests/it/cases.rs"]
mod cases;

tests! {
    fn a_fifth_of_the_betting_races_keep_their_error_rates() =
        betting_races_keep_their_error_rates(5);
    fn a_fifth_of_the_bernstein_races_are_as_fast_as_they_should() =
        bernstein_races_are_as_fast_as_they_should(5);
    @long
    fn all_betting_races_keep_their_error_rates() = betting_races_keep_their_error_rates(1);
    fn all_bernstein_races_are_as_fast_as_they_should() =
        bernstein_races_are_as_fast_as_they_should(1);
}

#[test]
fn observations_have_the_distribution_they_should() {
    // This is 0.6 x (0, 0, 1, 0, 0) + 0.4 x (1/4, 0, 1/2, 0, 1/4). The variance is 0.05; for independent games it would
    // be 1/8, so the correlation is 0.05 / 0.125 - 1 = -0.6.
    let expected = [0.1, 0.0, 0.8, 0.0, 0.1];
    assert_close(&Sample::new(CORRELATED, 0.5, 0.0).probabilities, &expected);
    // A game is won with probability 0.35, drawn with 0.4 and lost with 0.25. The first game follows from u, and the
    // second from 1 - u. If u is below 0.25, the first game is lost and the second won. If u is above 0.65, the first
    // game is won; the second is lost if u is above 0.75, and drawn otherwise.
    let expected = [0.0, 0.0, 0.5 + 0.3, 0.2, 0.0];
    assert_close(&Sample::new(OPPOSITE, 0.55, 0.4).probabilities, &expected);
    let mut rng = StreamKey::root(1).stream();
    for kind in KINDS {
        for draw in [0.0, 0.4] {
            let sample = Sample::new(kind, 0.55, draw);
            let values = sample.probabilities.iter().zip(0..).map(|(p, v)| p * f64::from(v));
            let mean: f64 = values.sum::<f64>() / f64::from(sample.scale());
            assert!((mean - 0.55).abs() < 1e-12, "{sample:?} has a mean of {mean}");
            let mut counts = [0; 9];
            let n = 20_000;
            sample.observations(&mut rng).take(n).for_each(|value| counts[usize::from(value)] += 1);
            for (&count, &p) in counts.iter().zip(&sample.probabilities) {
                assert_share("a value", count, n, p);
            }
        }
    }
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let same = found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12);
    assert!(same, "{found:?}, not {expected:?}");
}

/// Returns the logarithm of Chernoff's bound on the probability that at least `found` of `num` events happen, or at
/// most `found` if `found` is less than expected: P <= exp(-num KL(found / num, p)).
fn log_chernoff(found: usize, num: usize, p: f64) -> f64 {
    let share = found as f64 / num as f64;
    // A simulation cannot distinguish a probability of 1e-5 from 0.
    let p = p.clamp(1e-5, 1.0 - 1e-5);
    let term = |x: f64, y: f64| if x == 0.0 { 0.0 } else { x * libm::log(x / y) };
    -(num as f64) * (term(share, p) + term(1.0 - share, 1.0 - p))
}

/// The logarithm of 1e-8. A deviation with a smaller probability does not count as chance.
const LOG_FALSE_ALARM: f64 = -18.42;

fn assert_share(what: &str, found: usize, num: usize, p: f64) {
    let log_chance = log_chernoff(found, num, p);
    assert!(log_chance > LOG_FALSE_ALARM, "{what}: {found} of {num}, probability {p} expected");
}

/// Asserts that `found` of `num` events are not too many if the probability of an event is at most `p`.
fn assert_at_most(what: &str, found: usize, num: usize, p: f64) {
    let share = found as f64 / num as f64;
    if share > p {
        let log_chance = log_chernoff(found, num, p);
        assert!(log_chance > LOG_FALSE_ALARM, "{what}: {found} of {num}, at most {p} allowed");
    }
}

fn run(mut race: AnyRace, observations: &mut impl Iterator<Item = u16>) -> Verdict {
    observations.find_map(|value| race.push(value).break_value()).expect("it does not end")
}

/// Returns the verdicts of `num` races over observations of `sample`. Each sample needs a different `seed`.
fn verdicts(
    num: usize,
    seed: u64,
    sample: &Sample,
    mut race: impl FnMut() -> AnyRace,
) -> Vec<Verdict> {
    let mut rng = StreamKey::root(20_261_120).child(Label::Race, seed).stream();
    let mut observations = sample.observations(&mut rng);
    (0..num).map(|_| run(race(), &mut observations)).collect()
}

fn count(verdicts: &[Verdict], holds: impl Fn(&Verdict) -> bool) -> usize {
    verdicts.iter().filter(|verdict| holds(verdict)).count()
}

/// Returns winning rates at 1/2, at the borders of the precision, beyond them, and far from them.
fn rates(eps: f64) -> [f64; 9] {
    [0.5, 0.5 - eps, 0.5 + eps, 0.5 - 1.2 * eps, 0.5 + 1.2 * eps, 0.5 + 2.0 * eps, 0.4, 0.45, 0.6]
}

/// Calls `check` for every combination of a kind of observation, a probability of a draw, and a winning rate. The
/// arguments of `check` are the number of the combination and its sample.
fn for_each_sample(rates: &[f64], mut check: impl FnMut(u64, Sample)) {
    let mut index = 0;
    for kind in KINDS {
        for draw in [0.0, 0.4] {
            for &mu in rates {
                index += 1;
                check(index, Sample::new(kind, mu, draw));
            }
        }
    }
}

/// The tolerance for rates: rounding may move a computed rate to the wrong side of a border.
const HAIR: f64 = 1e-12;

/// Checks the guarantee of interval races. With probability 1 - delta, the interval contains the rate. If the interval
/// contains the rate, a player that the race declares better is in fact better, and the leading player has a rate of at
/// least 1/2 - precision.
fn assert_interval_races_keep_their_error_rate(comparison: Operator, limits: Limits, num: usize) {
    for_each_sample(&rates(limits.precision), |index, sample| {
        let mu = sample.mu;
        let verdicts = verdicts(num, index, &sample, || comparison.race(limits, sample.scale()));
        let wrong = |verdict: &Verdict| {
            let [low, high] = verdict.interval;
            let rate_of_leader = if verdict.candidate_leads { mu } else { 1.0 - mu };
            let wrong_winner = match verdict.reason {
                Reason::Better => mu <= 0.5,
                Reason::Worse => mu >= 0.5,
                Reason::Precision => {
                    assert!(high - low <= 2.0 * limits.precision, "{verdict:?}");
                    assert_eq!(verdict.candidate_leads, low + high > 1.0, "{verdict:?}");
                    false
                }
                Reason::Inconsistent => true,
                _ => panic!("unexpected {verdict:?}"),
            };
            wrong_winner
                || mu < low - HAIR
                || mu > high + HAIR
                || rate_of_leader < 0.5 - limits.precision - HAIR
        };
        let what = format!("{comparison:?}, {limits:?}, {sample:?}");
        assert_at_most(&what, count(&verdicts, wrong), num, limits.delta);
    });
}

#[test]
fn a_few_interval_races_keep_their_error_rate() {
    let limits = Limits { delta: 0.2, precision: 0.05 };
    for comparison in [Operator::Bernstein, Operator::Hoeffding] {
        assert_interval_races_keep_their_error_rate(comparison, limits, 200);
    }
}

#[test]
#[ignore = "long"]
fn interval_races_keep_their_error_rate() {
    for comparison in [Operator::Bernstein, Operator::Hoeffding] {
        for delta in [0.05, 0.2] {
            let limits = Limits { delta, precision: 0.05 };
            assert_interval_races_keep_their_error_rate(comparison, limits, 2000);
        }
    }
}

/// Checks the guarantee of betting races. Each of these four errors has a probability of at most delta: a candidate of
/// rate 1/2 or less is accepted; a candidate that exceeds this rate by twice the precision is refused; the lower bound
/// of the interval is wrong; the upper bound is wrong.
fn betting_races_keep_their_error_rates(part: usize) {
    for (delta, at_border) in [(0.05, 2000), (0.2, 10_000)] {
        let limits = Limits { delta, precision: 0.05 };
        for_each_sample(&[0.5, 0.45, 0.55, 0.6], |index, sample| {
            let (mu, scale) = (sample.mu, sample.scale());
            // At other rates, errors are rarer.
            let num = if [0.5, 0.6].contains(&mu) { at_border / part } else { 1000 / part };
            let verdicts = verdicts(num, index, &sample, || Operator::Betting.race(limits, scale));
            let assert_rare = |what: &str, wrong: usize| {
                assert_at_most(&format!("{what}, delta {delta}, {sample:?}"), wrong, num, delta);
            };
            let accepted = count(&verdicts, Verdict::accepts);
            if mu <= 0.5 {
                assert_rare("accepted", accepted);
            }
            if mu >= 0.5 + 2.0 * limits.precision {
                assert_rare("refused", num - accepted);
            }
            assert_rare("lower bound", count(&verdicts, |v| v.interval[0] > mu + HAIR));
            assert_rare("upper bound", count(&verdicts, |v| v.interval[1] < mu - HAIR));
        });
    }
}

/// Bounds hold at all stopping times, even for an observer who stops as soon as a bound is wrong.
#[test]
fn bounds_hold_at_all_times_together() {
    let (num, delta) = (1000, 0.2);
    let limits = Limits { delta, precision: 0.01 };
    let mut seed = 1000;
    for comparison in [Operator::Bernstein, Operator::Hoeffding, Operator::Betting] {
        for (kind, mu, draw) in [
            (Kind::Game, 0.5, 0.2),
            // The player rarely loses, so the variance is easily underestimated.
            (Kind::Game, 0.97, 0.0),
            (CORRELATED, 0.5, 0.2),
            (INDEPENDENT, 0.3, 0.2),
            (TWO_PAIRS, 0.6, 0.2),
        ] {
            let sample = Sample::new(kind, mu, draw);
            seed += 1;
            let mut rng = StreamKey::root(20_261_120).child(Label::Race, seed).stream();
            let mut observations = sample.observations(&mut rng);
            let mut wrong = [0, 0];
            for _ in 0..num {
                let mut race = comparison.race(limits, sample.scale());
                let mut missed = [false, false];
                for time in 1..=256u32 {
                    let flow = observations.next().map(|value| race.push(value));
                    let verdict = flow.and_then(ControlFlow::break_value);
                    let stopped = verdict.is_some();
                    if stopped || time.is_power_of_two() {
                        let [low, high] = verdict.unwrap_or_else(|| race.out_of_budget()).interval;
                        missed = [missed[0] || low > mu + HAIR, missed[1] || high < mu - HAIR];
                    }
                    if stopped {
                        break;
                    }
                }
                wrong = [wrong[0] + usize::from(missed[0]), wrong[1] + usize::from(missed[1])];
            }
            for wrong in wrong {
                assert_at_most(&format!("{comparison:?}, {sample:?}"), wrong, num, delta);
            }
        }
    }
}

/// The results of an independent computation for races of one operator over one sample.
struct Expected {
    kind: Kind,
    draw: f64,
    mu: f64,
    /// The mean and standard deviation of the number of observations.
    observations: [f64; 2],
    accepts: f64,
}

fn expected(kind: Kind, draw: f64, mu: f64, observations: [f64; 2], accepts: f64) -> Expected {
    Expected { kind, draw, mu, observations, accepts }
}

fn assert_as_expected(what: &str, num: usize, race: impl Fn(u16) -> AnyRace, table: &[Expected]) {
    for (case, seed) in table.iter().zip(2000..) {
        let sample = Sample::new(case.kind, case.mu, case.draw);
        let verdicts = verdicts(num, seed, &sample, || race(sample.scale()));
        let total: u64 = verdicts.iter().map(|verdict| verdict.num_observations).sum();
        let mean = total as f64 / num as f64;
        let [expected, deviation] = case.observations;
        let allowed = 6.0 * deviation / (num as f64).sqrt() + 1e-9;
        let what = format!("{what}, {:?}, draws {}, rate {}", case.kind, case.draw, case.mu);
        assert!(
            (mean - expected).abs() <= allowed,
            "{what}: {mean} observations, {expected} +- {allowed} expected"
        );
        assert_share(&what, count(&verdicts, Verdict::accepts), num, case.accepts);
    }
}

/// Returns a function that creates the limited Bernstein race of the paper, which tests after every game.
fn every_observation(limits: Limits) -> impl Fn(u16) -> AnyRace {
    move |scale| {
        let (inequality, schedule) = (Inequality::EmpiricalBernstein, Schedule::EveryObservation);
        AnyRace::Interval(IntervalRace::new(inequality, limits, schedule, scale))
    }
}

/// Compares the races with a simulation of 200 000 to 400 000 races (100 000 for races that test after every
/// observation). The simulation comes from another program, which shares only the definition of the races with this
/// program, and uses another random number generator. The standard errors of the simulation are at most a seventh of
/// the standard errors of this test, so they increase the errors of the comparison by 1%.
fn bernstein_races_are_as_fast_as_they_should(part: usize) {
    let table = [
        expected(Kind::Game, 0.0, 0.6, [1146.7, 274.5], 1.0),
        expected(Kind::Game, 0.0, 0.7, [381.5, 72.8], 1.0),
        expected(Kind::Game, 0.4, 0.6, [877.0, 173.5], 1.0),
        expected(INDEPENDENT, 0.0, 0.6, [819.8, 151.8], 1.0),
        expected(CORRELATED, 0.0, 0.6, [675.0, 98.5], 1.0),
        expected(TWO_PAIRS, 0.0, 0.6, [636.1, 88.3], 1.0),
        expected(TWO_PAIRS, 0.0, 0.7, [252.0, 26.0], 1.0),
        expected(Kind::Game, 0.0, 0.55, [3641.4, 1060.3], 1.0),
    ];
    let race = |scale| Operator::Bernstein.race(Limits::default(), scale);
    assert_as_expected("bernstein", 4000 / part, race, &table);
    let table = [
        expected(Kind::Game, 0.0, 0.5, [3033.5, 46.1], 0.5004),
        expected(Kind::Game, 0.0, 0.55, [2717.0, 458.9], 1.0),
        expected(Kind::Game, 0.0, 0.6, [999.2, 259.3], 1.0),
        expected(Kind::Game, 0.4, 0.5, [2270.4, 49.8], 0.4979),
        expected(Kind::Game, 0.4, 0.55, [2035.7, 315.4], 1.0),
        expected(CORRELATED, 0.0, 0.5, [1318.6, 55.6], 0.4875),
        expected(CORRELATED, 0.0, 0.55, [1347.1, 144.5], 1.0),
        expected(OPPOSITE, 0.0, 0.5, [599.0, 0.0], 0.0),
        expected(OPPOSITE, 0.0, 0.55, [975.1, 62.7], 1.0),
        expected(TWO_PAIRS, 0.0, 0.5, [1426.3, 37.0], 0.4956),
        expected(TWO_PAIRS, 0.0, 0.55, [1333.1, 139.6], 1.0),
    ];
    let limits = Limits { delta: 0.2, precision: 0.05 };
    let race = |scale| Operator::Bernstein.race(limits, scale);
    assert_as_expected("bernstein", 4000 / part, race, &table);
    let table = [
        expected(Kind::Game, 0.0, 0.6, [1421.9, 314.5], 1.0),
        expected(Kind::Game, 0.0, 0.7, [445.1, 80.8], 1.0),
        expected(Kind::Game, 0.4, 0.6, [1075.6, 196.2], 1.0),
    ];
    let race = every_observation(Limits::default());
    assert_as_expected("every observation", 2000 / part, race, &table);
    let table = [
        expected(Kind::Game, 0.0, 0.5, [4263.2, 89.2], 0.5016),
        expected(Kind::Game, 0.0, 0.55, [3813.6, 599.0], 1.0),
    ];
    assert_as_expected("every observation", 2000 / part, every_observation(limits), &table);
}

/// Compares the races with a simulation, as in the test of Bernstein races.
#[test]
fn hoeffding_races_are_as_fast_as_they_should() {
    let table = [
        expected(Kind::Game, 0.0, 0.6, [543.9, 243.0], 1.0),
        expected(Kind::Game, 0.0, 0.7, [129.7, 55.8], 1.0),
        expected(Kind::Game, 0.4, 0.6, [547.7, 185.1], 1.0),
        expected(OPPOSITE, 0.0, 0.6, [546.7, 99.6], 1.0),
        expected(TWO_PAIRS, 0.0, 0.7, [131.0, 27.9], 1.0),
    ];
    let race = |scale| Operator::Hoeffding.race(Limits::default(), scale);
    assert_as_expected("hoeffding", 4000, race, &table);
    let table = [
        expected(Kind::Game, 0.0, 0.5, [1807.5, 144.1], 0.499),
        expected(Kind::Game, 0.0, 0.55, [1510.9, 434.2], 0.9997),
        expected(OPPOSITE, 0.0, 0.5, [1886.0, 0.0], 0.0),
        expected(OPPOSITE, 0.0, 0.55, [1805.6, 138.6], 1.0),
        expected(TWO_PAIRS, 0.0, 0.55, [1736.9, 229.4], 1.0),
    ];
    let limits = Limits { delta: 0.2, precision: 0.05 };
    let race = |scale| Operator::Hoeffding.race(limits, scale);
    assert_as_expected("hoeffding", 4000, race, &table);
}

/// Compares the races with exact values from another program, which uses dynamic programming over the counts of three
/// values, and computes wealths as sums of products. Single games, and pairs without draws, have at most three values.
#[test]
fn betting_races_are_as_fast_as_they_should() {
    // Four fifths of 0.0625 are 0.05 for each side. With these limits, and without a cap, a third program found means
    // of 3940, 6820, 3938 and 810 games, and probabilities of acceptance of 0.044, 0.500, 0.957 and 0.996.
    let table = [
        expected(Kind::Game, 0.0, 0.5, [3939.81, 2896.2], 0.0443),
        expected(Kind::Game, 0.0, 0.51, [6811.60, 4841.4], 0.5003),
        expected(Kind::Game, 0.0, 0.52, [3937.98, 2898.4], 0.9567),
        expected(Kind::Game, 0.0, 0.55, [809.93, 546.0], 0.9960),
    ];
    let race =
        |delta, precision| move |scale| Operator::Betting.race(Limits { delta, precision }, scale);
    assert_as_expected("betting, delta 0.0625", 1000, race(0.0625, 0.01), &table);
    let table = [
        expected(Kind::Game, 0.0, 0.5, [4279.02, 3044.7], 0.0365),
        expected(Kind::Game, 0.0, 0.52, [4275.91, 3048.0], 0.9648),
    ];
    assert_as_expected("betting, delta 0.05", 1000, race(0.05, 0.01), &table);
    let table = [
        expected(Kind::Game, 0.0, 0.5, [81.83, 75.2], 0.1244),
        expected(Kind::Game, 0.0, 0.55, [115.59, 106.2], 0.5014),
        expected(Kind::Game, 0.0, 0.6, [81.61, 75.8], 0.8840),
        expected(Kind::Game, 0.4, 0.5, [56.58, 45.2], 0.0996),
        expected(Kind::Game, 0.4, 0.55, [77.87, 58.6], 0.4990),
        expected(Kind::Game, 0.4, 0.6, [55.64, 43.9], 0.9021),
        expected(INDEPENDENT, 0.0, 0.5, [43.62, 35.4], 0.1028),
        expected(INDEPENDENT, 0.0, 0.55, [60.20, 48.5], 0.4921),
        expected(INDEPENDENT, 0.0, 0.6, [44.17, 35.3], 0.8907),
        expected(CORRELATED, 0.0, 0.5, [27.87, 17.3], 0.0487),
        expected(CORRELATED, 0.0, 0.55, [42.34, 25.0], 0.4852),
        expected(CORRELATED, 0.0, 0.6, [33.03, 20.8], 0.9126),
        expected(OPPOSITE, 0.0, 0.5, [15.00, 0.0], 0.0000),
        expected(OPPOSITE, 0.0, 0.55, [32.22, 12.2], 0.4960),
        expected(OPPOSITE, 0.0, 0.6, [23.88, 9.0], 0.9460),
        expected(TWO_OPPOSITE_PAIRS, 0.0, 0.5, [15.00, 0.0], 0.0000),
        expected(TWO_OPPOSITE_PAIRS, 0.0, 0.55, [27.10, 6.7], 0.4198),
        expected(TWO_OPPOSITE_PAIRS, 0.0, 0.6, [20.03, 5.9], 0.9763),
    ];
    assert_as_expected("betting, delta 0.2", 3000, race(0.2, 0.05), &table);
}

/// Alternating results keep the wealth of both bettors small, and end a race at ln(1 / 0.04) / (2 x 0.05^2) = 643.8
/// games. Then the mean is compared with 0.55, the midpoint between the hypotheses. In 644 games, the mean of 355 wins
/// is 0.5512, and the mean of 354 wins is 0.5497.
#[test]
fn the_mean_decides_capped_races() {
    for (rate, wins, accepts) in [(0.5513, 355, true), (0.5498, 354, false)] {
        let limits = Limits { delta: 0.2, precision: 0.05 };
        let wins_before = |game: u64| (game as f64 * rate).floor() as u64;
        let mut games = (0..).map(|game| 2 * (wins_before(game + 1) - wins_before(game)) as u16);
        let verdict = run(Operator::Betting.race(limits, 2), &mut games);
        assert_eq!((verdict.reason, verdict.num_observations), (Reason::Cap, 644));
        assert_eq!((verdict.score, verdict.accepts()), (f64::from(wins) / 644.0, accepts));
    }
}

/// A majority gives no guarantee if the players are close, but its probability of acceptance is known: it is the
/// probability that the candidate gets more than half of the points in 101 games, or in 51 observations of pairs. The
/// expected probabilities are sums over the distribution of points. For games without draws, P(Bin(101, 0.58) >= 51) =
/// 0.9476.
#[test]
fn majorities_accept_as_often_as_they_should() {
    let games = |kind, draw, mu, accepts| {
        let num = if matches!(kind, Kind::Game) { 101.0 } else { 51.0 };
        expected(kind, draw, mu, [num, 0.0], accepts)
    };
    let table = [
        games(Kind::Game, 0.0, 0.5, 0.5),
        games(Kind::Game, 0.0, 0.55, 0.843755),
        games(Kind::Game, 0.0, 0.58, 0.947645),
        games(Kind::Game, 0.4, 0.45, 0.085225),
        games(Kind::Game, 0.4, 0.5, 0.474418),
        games(INDEPENDENT, 0.0, 0.5, 0.460596),
        games(INDEPENDENT, 0.4, 0.55, 0.894111),
        games(CORRELATED, 0.0, 0.45, 0.057685),
        games(CORRELATED, 0.0, 0.5, 0.437216),
        games(OPPOSITE, 0.0, 0.5, 0.0),
        // The first pair in which one player wins both games decides the majority. Such a pair occurs with probability
        // 1 - 0.98^51.
        games(OPPOSITE, 0.0, 0.51, 0.643114),
        games(TWO_PAIRS, 0.0, 0.5, 0.472103),
        games(TWO_PAIRS, 0.4, 0.51, 0.626997),
    ];
    let race = |scale| Operator::Majority.race(Limits::default(), scale);
    assert_as_expected("majority", 20_000, race, &table);
}

/// Compares the bounds of races with independent values. Another program computed the bounds of betting races from
/// their definition, by bisection and with plain products instead of logarithms. The bounds of a majority after 101
/// draws are 1/2 -+ sqrt(ln(2 / 0.05) / (2 x 101)).
#[test]
fn bounds_are_those_of_the_definition() {
    for (comparison, precision, delta, counts, expected) in [
        (Operator::Betting, 0.01, 0.05, &[20, 20, 20][..], [0.333025419552, 0.667117044044]),
        (Operator::Betting, 0.05, 0.2, &[1, 0, 7], [0.450474183867, 0.995078821359]),
        (Operator::Betting, 0.01, 0.05, &[1, 2, 3, 4, 5], [0.350713827810, 0.877736427153]),
        (
            Operator::Betting,
            0.01,
            0.05,
            &[0, 1, 2, 3, 4, 5, 2, 0, 0],
            [0.329808376370, 0.652740176021],
        ),
        (Operator::Majority, 0.01, 0.05, &[0, 101, 0], [0.364863848376, 0.635136151624]),
    ] {
        let mut race = comparison.race(Limits { delta, precision }, (counts.len() - 1) as u16);
        // The results alternate, so that no race stops earlier.
        for round in 0..101 {
            for (value, _) in (0..).zip(counts).filter(|&(_, &count)| round < count) {
                let flow = race.push(value);
                assert!(flow.is_continue() || comparison == Operator::Majority, "{counts:?}");
            }
        }
        let found = race.out_of_budget().interval;
        let near = (0..2).all(|side| (found[side] - expected[side]).abs() < 1e-10);
        assert!(near, "{comparison:?}, {counts:?}: {found:?}, not {expected:?}");
    }
}

/// In a majority, the number of observations is fixed, so the interval contains the rate with probability 1 - delta.
#[test]
fn intervals_of_majorities_cover_the_rate() {
    let num = 2000;
    for_each_sample(&[0.5, 0.55, 0.9], |index, sample| {
        // A winning rate of 0.9 is impossible with the sample's share of draws, so the share is divided by four.
        let sample = Sample::new(sample.kind, sample.mu, sample.draw / 4.0);
        let limits = Limits { delta: 0.2, precision: 0.01 };
        let race = || Operator::Majority.race(limits, sample.scale());
        let misses = |v: &Verdict| sample.mu < v.interval[0] || sample.mu > v.interval[1];
        let missed = count(&verdicts(num, 3000 + index, &sample, race), misses);
        assert_at_most(&format!("majority, {sample:?}"), missed, num, limits.delta);
    });
}

/// Returns a duel whose pairs are drawn from a sample of pairs.
fn synthetic(kind: Kind, mu: f64, salt: u64) -> Fake {
    let sample = Sample::new(kind, mu, 0.0);
    let draw = move |stream: &mut Stream| {
        let points = sample.observations(stream).next();
        let [as_first, as_second] = match points.expect("they do not end") {
            0 => [Payoff::LOSS, Payoff::LOSS],
            1 => [Payoff::LOSS, Payoff::DRAW],
            2 => [Payoff::WIN, Payoff::LOSS],
            3 => [Payoff::DRAW, Payoff::WIN],
            _ => [Payoff::WIN, Payoff::WIN],
        };
        PairResult { as_first, as_second }
    };
    Fake::Drawn(salt, Arc::new(draw))
}

/// Tests duels that are decided by one race, and decisions that need several races. The expected shares of accepted
/// candidates follow from the shares in `betting_races_are_as_fast_as_they_should`.
#[test]
fn decisions_are_right_as_often_as_their_races() {
    let num = 3000;
    let limits = Limits { delta: 0.2, precision: 0.05 };
    let rules = RaceSettings {
        comparison: Operator::Betting,
        limits,
        acceptance: Acceptance::default(),
        max_games: u64::MAX,
    };
    let stop = StopSignal::default();
    let accepted = |seed, decide: &dyn Fn(StreamKey) -> bool| {
        let key = StreamKey::root(seed);
        (0..num).filter(|&index| decide(key.child(Label::Race, index as u64))).count()
    };

    let equal = synthetic(INDEPENDENT, 0.5, 0);
    let found = accepted(1, &|key| {
        head_to_head(rules, &equal, key, &stop, |_| ()).expect("not stopped").accepted
    });
    assert_share("head to head", found, num, 0.1028);

    // The candidate has to beat all opponents. If only one opponent is equally strong, the comparison is the same as a
    // race against this opponent alone. Against three equally strong opponents, the probability of acceptance is
    // 0.1028^3 = 0.0011; if the candidate leads each opponent by twice the precision, the probability is 0.8907^3 =
    // 0.7067.
    for (seed, rates, expected) in
        [(2, [1.0, 0.5, 1.0], 0.1028), (3, [0.5; 3], 0.0011), (4, [0.6; 3], 0.7067)]
    {
        let duels: Vec<Fake> =
            (0..).zip(rates).map(|(salt, mu)| synthetic(INDEPENDENT, mu, salt)).collect();
        let found = accepted(seed, &|key| {
            against_all(rules, &duels, key, &stop, |_| ()).expect("not stopped").accepted
        });
        assert_share(&format!("against {rates:?}"), found, num, expected);
    }

    // The precision of the rules refers to the difference between two winning rates. A race observes half of the
    // difference, with half of the precision.
    let twice = Limits { precision: 0.1, ..limits };
    for (seed, mu, expected) in [(5, 0.5, 0.0), (6, 0.55, 0.4198), (7, 0.6, 0.9763)] {
        let players = [synthetic(OPPOSITE, mu, 0), synthetic(OPPOSITE, 1.0 - mu, 1)];
        let league: Arc<dyn League> = Arc::new(Separate(players, 2));
        let found = accepted(seed, &|key| {
            let league = Arc::clone(&league);
            let deals = SameDeals { league, players: [0, 1], opponent: 0 };
            let rules = RaceSettings { limits: twice, ..rules };
            against_a_third(rules, &deals, key, &stop, |_| ()).expect("not stopped").accepted
        });
        assert_share(&format!("against a third, rate {mu}"), found, num, expected);
    }
}
