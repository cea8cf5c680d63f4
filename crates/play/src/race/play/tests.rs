use std::sync::Arc;

use rand::RngExt;
use ruse_base::rng::Stream;
use ruse_games::Payoff;

use super::*;
use crate::arena::{Duel, League, Opened, Opening, SameDeals};
use crate::race::Reason;

/// A duel whose results are given, so that no games are played.
#[derive(Clone)]
pub(in crate::race) enum Fake {
    /// Side A wins each game with this probability, independently of all other games.
    Coin(f64),
    /// All pairs end with this result.
    Certain(PairResult),
    /// The function draws a pair. Duels with different salts are independent.
    Drawn(u64, Arc<dyn Fn(&mut Stream) -> PairResult + Send + Sync>),
}

use Fake::{Certain, Coin, Drawn};

impl Source for Fake {
    type Item = PairResult;
    const NUM_GAMES: u64 = 2;

    fn play(
        &self,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        _: &StopSignal,
    ) -> Result<(), Stopped> {
        for (index, result) in (first_pair..).zip(results) {
            *result = match self {
                Certain(result) => *result,
                Drawn(salt, draw) => {
                    draw(&mut key.child(Label::Seat, *salt).child(Label::Pair, index).stream())
                }
                Coin(rate) => {
                    let mut stream = key.child(Label::Pair, index).stream();
                    let [as_first, as_second] = [(); 2].map(|()| {
                        if stream.random::<f64>() < *rate { Payoff::WIN } else { Payoff::LOSS }
                    });
                    PairResult { as_first, as_second }
                }
            };
        }
        Ok(())
    }

    fn open(&self, key: StreamKey, stop: &StopSignal) -> Opened {
        let mut result = [PairResult::default()];
        self.play(key, 0, &mut result, stop)?;
        let is_certain = matches!(self, Certain(_));
        Ok(Opening { seen: result[0], exact: is_certain.then(|| result[0].score()) })
    }
}

/// A league in which player i gets the results of duel i against every opponent, and payoffs have this number of steps.
pub(in crate::race) struct Separate(pub(in crate::race) [Fake; 2], pub(in crate::race) u16);

impl League for Separate {
    fn payoff_steps(&self) -> u16 {
        self.1
    }

    fn play(
        &self,
        a: usize,
        _: usize,
        key: StreamKey,
        first: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped> {
        self.0[a].play(key, first, results, stop)
    }

    fn open(&self, a: usize, _: usize, key: StreamKey, stop: &StopSignal) -> Opened {
        self.0[a].open(key, stop)
    }
}

fn same_deals(candidate: Fake, incumbent: Fake) -> SameDeals {
    let league = Arc::new(Separate([candidate, incumbent], 2));
    SameDeals { league, players: [0, 1], opponent: 0 }
}

fn rules(comparison: Operator) -> RaceSettings {
    let limits = Limits { delta: 0.05, precision: 0.05 };
    RaceSettings { comparison, limits, acceptance: Acceptance::default(), max_games: 10_000_000 }
}

fn coins(probabilities: &[f64]) -> Vec<Fake> {
    probabilities.iter().map(|&p| Coin(p)).collect()
}

/// Plays every race to its end, one after the other. This is algorithm 3 as published.
fn exhaustive(rules: RaceSettings, duels: &[Fake], key: StreamKey) -> bool {
    let verdicts: Vec<bool> = (0..)
        .zip(duels)
        .map(|(index, duel)| {
            let mut race = rules.comparison.race(rules.limits, 4);
            let mut result = [PairResult::default()];
            let key = key.child(Label::Opponent, index);
            let verdict = (0..).find_map(|pair| {
                duel.play(key, pair, &mut result, &StopSignal::default()).expect("not stopped");
                race.push(result[0].points(2)).break_value()
            });
            verdict.expect("races end").accepts()
        })
        .collect();
    verdicts.into_iter().all(|accepts| accepts)
}

#[test]
fn several_opponents_are_decided_as_by_the_exhaustive_order() {
    let stop = StopSignal::default();
    let mut accepted = 0;
    for comparison in Operator::ALL {
        for (seed, probabilities) in [
            [0.6, 0.62, 0.58].as_slice(),
            &[0.6, 0.5, 0.7, 0.55],
            &[0.52, 0.56],
            &[0.55; 6],
            &[0.4],
            &[0.9, 0.8, 0.53],
        ]
        .into_iter()
        .enumerate()
        {
            for repeat in 0..5 {
                let key = StreamKey::root(100 * seed as u64 + repeat);
                let duels = coins(probabilities);
                let decision = against_all(rules(comparison), &duels, key, &stop, |_| ())
                    .expect("no stop is requested");
                let expected = exhaustive(rules(comparison), &duels, key);
                assert_eq!(decision.accepted, expected, "{comparison:?}, {probabilities:?}");
                assert_eq!(decision.accepted, decision.verdict.accepts());
                accepted += u32::from(expected);
            }
        }
    }
    assert!((20..100).contains(&accepted), "{accepted} of 120 comparisons accepted");
}

/// Against ten opponents, a comparison finds the hardest opponent early, and takes less than a third of the games of
/// ten separate races.
#[test]
fn the_hardest_opponent_is_played_next() {
    let mut probabilities = [0.62; 10];
    probabilities[7] = 0.42;
    let betting = rules(Operator::Betting);
    let stop = StopSignal::default();
    let mut num_games = 0;
    let mut num_games_of_all = 0;
    for seed in 0..20 {
        let (key, duels) = (StreamKey::root(seed), coins(&probabilities));
        let decision = against_all(betting, &duels, key, &stop, |_| ()).expect("not stopped");
        assert!(!decision.accepted);
        num_games += decision.num_games;
        for duel in &duels {
            let alone = head_to_head(betting, duel, key, &stop, |_| ());
            num_games_of_all += alone.expect("not stopped").num_games;
        }
    }
    assert!(3 * num_games < num_games_of_all, "{num_games} of {num_games_of_all} games");
}

#[test]
fn a_budget_is_kept_to_the_game() {
    let stop = StopSignal::default();
    let key = StreamKey::root(1);
    for comparison in Operator::ALL {
        let limits = Limits::default();
        let rules = RaceSettings { limits, max_games: 61, ..rules(comparison) };
        let mut reported = 0;
        let on_games = |games| reported = games;
        let decision = head_to_head(rules, &Coin(0.5), key, &stop, on_games).expect("not stopped");
        assert_eq!((decision.verdict.reason, decision.num_games), (Reason::Budget, 60));
        assert_eq!(reported, 60);
        let duels = coins(&[0.5; 20]);
        let mut reported = 0;
        let on_games = |games| reported = games;
        let decision = against_all(rules, &duels, key, &stop, on_games).expect("not stopped");
        assert_eq!((decision.accepted, decision.num_games), (false, 60));
        assert_eq!(reported, 60);
        let deals = same_deals(Coin(0.5), Coin(0.5));
        let decision = against_a_third(rules, &deals, key, &stop, |_| ()).expect("not stopped");
        // On common deals, the coin tosses of both players are the same.
        assert_eq!((decision.verdict.score, decision.num_games), (0.5, 60));
    }
}

/// Winning rates of .7 and .6 against a third player differ by .1, which the race observes as Z = .55.
#[test]
fn differences_against_a_third_are_found() {
    let stop = StopSignal::default();
    for comparison in [Operator::Bernstein, Operator::Betting, Operator::Hoeffding] {
        for (candidate, incumbent, accepted) in [(0.7, 0.6, true), (0.6, 0.7, false)] {
            let deals = same_deals(Coin(candidate), Coin(incumbent));
            let key = StreamKey::root(2);
            let decision = against_a_third(rules(comparison), &deals, key, &stop, |_| ())
                .expect("no stop is requested");
            assert_eq!(decision.accepted, accepted, "{comparison:?}");
            let z = 0.5 + (candidate - incumbent) / 2.0;
            let [low, high] = decision.verdict.interval;
            assert!(low <= z && z <= high, "{comparison:?}: [{low}, {high}] without {z}");
        }
    }
}

/// If all payoffs are 0 or 1, races in twelve steps decide like races in two.
#[test]
fn payoffs_may_have_more_steps() {
    let decided = |steps| {
        let league: Arc<dyn League> = Arc::new(Separate([Coin(0.7), Coin(0.6)], steps));
        let (rules, stop) = (rules(Operator::Bernstein), StopSignal::default());
        let duels = [Duel::new(&league, 0, 1), Duel::new(&league, 1, 0)];
        let deals = SameDeals { league, players: [0, 1], opponent: 0 };
        let key = StreamKey::root(2);
        [
            head_to_head(rules, &duels[0], key, &stop, |_| ()),
            against_a_third(rules, &deals, key, &stop, |_| ()),
            against_all(rules, &duels, key, &stop, |_| ()),
        ]
        .map(|decision| decision.expect("no stop is requested"))
    };
    for (twelve, two) in decided(12).into_iter().zip(decided(2)) {
        assert!(twelve.accepted, "{twelve:?}");
        assert_eq!(twelve.num_games, two.num_games);
        assert_eq!(twelve.verdict.num_observations, two.verdict.num_observations);
        assert!((twelve.verdict.score - two.verdict.score).abs() < 1e-12, "{twelve:?}, {two:?}");
    }
}

#[test]
fn a_stopped_race_has_no_verdict() {
    let stop = StopSignal::new(std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true)));
    let key = StreamKey::root(1);
    let decision = head_to_head(rules(Operator::Bernstein), &Coin(0.5), key, &stop, |_| ());
    assert_eq!(decision, Err(Stopped(ruse_base::stop::StopReason::Interrupted)));
}

#[test]
fn exact_payoffs_take_one_pair() {
    let stop = StopSignal::default();
    let key = StreamKey::root(1);
    let pair = |as_first, as_second| Certain(PairResult { as_first, as_second });
    let won = pair(Payoff::WIN, Payoff::WIN);
    let half = pair(Payoff::WIN, Payoff::DRAW);
    let even = pair(Payoff::WIN, Payoff::LOSS);
    for comparison in Operator::ALL {
        for (duel, score, accepted) in [(&won, 1.0, true), (&half, 0.75, true), (&even, 0.5, false)]
        {
            let decision = head_to_head(rules(comparison), duel, key, &stop, |_| ());
            let Decision { verdict, .. } = decision.expect("not stopped");
            assert_eq!(decision.map(|d| (d.accepted, d.num_games)), Ok((accepted, 2)));
            assert_eq!((verdict.reason, verdict.score), (Reason::Exact, score));
            assert_eq!(verdict.interval, [score; 2]);
        }
        // The verdict is exact only if the results of both players are certain; Z = (1 + 1 - 3/4) / 2.
        let deals = same_deals(won.clone(), half.clone());
        let decision = against_a_third(rules(comparison), &deals, key, &stop, |_| ());
        let found = decision.map(|d| (d.accepted, d.num_games, d.verdict.score));
        assert_eq!(found, Ok((true, 4, 0.625)));
        let deals = same_deals(won.clone(), Coin(0.5));
        let decision = against_a_third(rules(comparison), &deals, key, &stop, |_| ());
        assert!(decision.expect("not stopped").num_games > 4);

        let refused = [won.clone(), even.clone()];
        let decision = against_all(rules(comparison), &refused, key, &stop, |_| ());
        assert_eq!(decision.map(|d| (d.accepted, d.num_games)), Ok((false, 4)));
    }
}

/// A comparison with several opponents reports the race with the smallest score.
#[test]
fn the_closest_race_is_reported() {
    let [won, half] = [Payoff::WIN, Payoff::DRAW]
        .map(|as_second| Certain(PairResult { as_first: Payoff::WIN, as_second }));
    for duels in [[won.clone(), half.clone()], [half, won]] {
        let (rules, stop) = (rules(Operator::Betting), StopSignal::default());
        let decision = against_all(rules, &duels, StreamKey::root(1), &stop, |_| ());
        assert_eq!(decision.map(|d| (d.accepted, d.verdict.score)), Ok((true, 0.75)));
    }
}

/// The decision is the same even if there are more threads than the largest block can occupy.
#[test]
fn many_threads_decide_the_same() {
    let decide = |num_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build();
        pool.expect("threads").install(|| {
            let (key, stop) = (StreamKey::root(7), StopSignal::default());
            let decisions = Operator::ALL.map(|comparison| {
                let rules = rules(comparison);
                let alone = head_to_head(rules, &Coin(0.56), key, &stop, |_| ());
                let against = coins(&[0.6, 0.56]);
                [alone, against_all(rules, &against, key, &stop, |_| ())]
            });
            (least_block(&Coin(0.5)), decisions)
        })
    };
    let (block, alone) = decide(1);
    let (large_block, together) = decide(300);
    assert_eq!([block, large_block], [16, 4800]);
    assert_eq!(alone, together);
}

/// No race can reach a precision this small, so the budget ends the race.
#[test]
fn a_tiny_precision_ends_with_the_budget() {
    for comparison in Operator::ALL {
        let precision = comparison.smallest_precision().max(1e-300);
        let limits = Limits { delta: 0.05, precision };
        let rules = RaceSettings { limits, max_games: 20_000, ..rules(comparison) };
        let (key, stop) = (StreamKey::root(1), StopSignal::default());
        let decision = head_to_head(rules, &Coin(0.5), key, &stop, |_| ()).expect("not stopped");
        let (reason, num_games) = match comparison {
            Operator::Majority => (Reason::Majority, 102),
            _ => (Reason::Budget, 20_000),
        };
        assert_eq!((decision.verdict.reason, decision.num_games), (reason, num_games));
    }
}
