//! The course of a match: estimates after more and more pairs, and races on the same pairs in the same order.

use std::ops::ControlFlow;

use ruse_play::race::{AnyRace, Limits, Operator, Race, Reason, Verdict};
use ruse_play::score::Tally;
use ruse_plots::style::number;
use ruse_plots::{RaceEnd, RacePoint, RaceTrace};
use ruse_strategies::PairResult;

use crate::grouped;

/// The growth of the number of pairs from one estimate to the next.
const GROWTH: f64 = 1.06;
/// The number of pairs before the first estimate. With fewer pairs, the interval covers almost everything.
const FIRST_PAIRS: u64 = 4;
/// The operators of the races.
const OPERATORS: [Operator; 2] = [Operator::Bernstein, Operator::Betting];
const GAMES_PER_PAIR: f64 = 2.0;

/// The names of the players, for the title and the caption.
#[derive(Debug, Clone, Copy)]
pub struct MatchNames<'a> {
    /// The name of the family.
    pub family: &'a str,
    /// The first player, whose score is shown.
    pub a: &'a str,
    /// The second player.
    pub b: &'a str,
    /// The seed of the match.
    pub seed: u64,
}

#[derive(Debug)]
struct Running {
    comparison: Operator,
    race: AnyRace,
    verdict: Option<Verdict>,
}

/// The course of a match in progress: estimates after more and more pairs, and the points at which races with the
/// default limits would have stopped.
#[derive(Debug)]
pub struct MatchTrace {
    payoff_steps: u16,
    tally: Tally,
    next_note: u64,
    points: Vec<RacePoint>,
    bounds: Vec<(f64, [f64; 2])>,
    races: Vec<Running>,
}

impl MatchTrace {
    /// Creates the trace of a match whose payoffs are counted in `payoff_steps`
    /// [steps](ruse_games::Game::payoff_steps).
    pub fn new(payoff_steps: u16) -> MatchTrace {
        let scale = 2 * payoff_steps;
        let races = OPERATORS.map(|comparison| {
            let race = comparison.race(Limits::default(), scale);
            Running { comparison, race, verdict: None }
        });
        MatchTrace {
            payoff_steps,
            tally: Tally::default(),
            next_note: FIRST_PAIRS,
            points: Vec::new(),
            bounds: Vec::new(),
            races: races.into(),
        }
    }

    /// Counts the next pairs of the match.
    pub fn add(&mut self, results: &[PairResult]) {
        for &result in results {
            self.tally.add(result);
            for running in &mut self.races {
                if running.verdict.is_none()
                    && let ControlFlow::Break(verdict) =
                        running.race.push(result.points(self.payoff_steps))
                {
                    running.verdict = Some(verdict);
                    if running.comparison == OPERATORS[0] {
                        let games = GAMES_PER_PAIR * verdict.num_observations as f64;
                        self.bounds.push((games, verdict.interval));
                    }
                }
            }
            if self.tally.num_pairs() >= self.next_note {
                self.note();
            }
        }
    }

    fn note(&mut self) {
        let num_pairs = self.tally.num_pairs();
        let Some(estimate) = self.tally.estimate() else { return };
        let games = GAMES_PER_PAIR * num_pairs as f64;
        self.next_note = (num_pairs + 1).max((GROWTH * num_pairs as f64).ceil() as u64);
        let (score, interval) = (estimate.score, estimate.interval);
        if self.points.last().is_none_or(|last| last.games < games) {
            self.points.push(RacePoint { games, score, interval });
        }
        if self.races[0].verdict.is_none() {
            self.bounds.push((games, self.races[0].race.out_of_budget().interval));
        }
    }

    /// Returns the data of the figure.
    pub fn figure(mut self, names: MatchNames<'_>) -> RaceTrace {
        // The last estimate includes the last pair.
        self.note();
        let Limits { delta, precision } = Limits::default();
        let ends = self.races.iter().map(|Running { comparison, verdict, .. }| {
            let games = verdict.map(|verdict| 2 * verdict.num_observations);
            let found = verdict.zip(games).map(|(verdict, games)| {
                format!("{} after {} games", in_words(verdict.reason), grouped(games))
            });
            let found = found.unwrap_or("undecided".into());
            let verdict = format!("{} race: {found}", comparison.name());
            RaceEnd { verdict, games: games.map(|games| games as f64) }
        });
        let MatchNames { family, a, b, seed } = names;
        RaceTrace {
            title: format!("{family}: {a} against {b}"),
            caption: format!(
                "Seed {seed}, {} pairs of games; the band is the 95% interval if the match were planned to end there. \
                 Races over the same pairs: delta {}, precision {}; the bounds of a race hold at all \
                 times at once.",
                grouped(self.tally.num_pairs()),
                number(delta),
                number(precision),
            ),
            bounds_name: format!("bounds of the {} race, until it stops", OPERATORS[0].name()),
            ends: ends.collect(),
            points: self.points,
            bounds: self.bounds,
        }
    }
}

/// Describes the verdict of a race in a few words.
fn in_words(reason: Reason) -> String {
    match reason {
        Reason::Better => "the first is better".into(),
        Reason::Worse => "the first is worse".into(),
        Reason::NotBetter => "not better".into(),
        Reason::Precision => "equal up to the precision".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::Payoff;

    use super::*;

    const NAMES: MatchNames<'_> = MatchNames { family: "war", a: "x", b: "y", seed: 1 };

    #[test]
    fn a_player_that_always_wins_is_proven_better() {
        let won = PairResult { as_first: Payoff::WIN, as_second: Payoff::WIN };
        let mut trace = MatchTrace::new(2);
        trace.add(&[won; 40]);
        trace.add(&[won; 60]);
        let figure = trace.figure(NAMES);
        // The races end after 63 observations, as in the tests of the race.
        assert_eq!(figure.ends[0].games, Some(126.0));
        assert_eq!(figure.bounds.last().map(|bound| bound.0), Some(126.0));
        assert_eq!(figure.points.last().map(|point| point.games), Some(200.0));
        assert!(figure.points.windows(2).all(|two| two[0].games < two[1].games));
        assert!(figure.bounds.iter().all(|(_, [low, high])| low <= high));
    }

    #[test]
    fn it_does_not_matter_in_which_blocks_pairs_come() {
        let result = |index: u64| match index % 3 {
            0 => PairResult { as_first: Payoff::WIN, as_second: Payoff::LOSS },
            1 => PairResult { as_first: Payoff::WIN, as_second: Payoff::WIN },
            _ => PairResult { as_first: Payoff::DRAW, as_second: Payoff::LOSS },
        };
        let results: Vec<PairResult> = (0..500).map(result).collect();
        let mut at_once = MatchTrace::new(2);
        at_once.add(&results);
        let mut in_blocks = MatchTrace::new(2);
        results.chunks(7).for_each(|block| in_blocks.add(block));
        assert_eq!(at_once.figure(NAMES), in_blocks.figure(NAMES));
        assert!(MatchTrace::new(2).figure(NAMES).points.is_empty());
    }
}
