//! Playing races: pairs of games in parallel, tested in index order.
//!
//! Verdicts and numbers of observations do not depend on how many pairs are played at once, nor on how
//! many threads play them: what was played beyond the observation at which a race stops is forgotten.

use std::ops::ControlFlow;

use super::{Acceptance, AnyRace, Limits, Operator, Race, Verdict};
use crate::arena::{PairResult, Source, StopSignal, Stopped, least_block, play_in_parallel};
use crate::rng::{Label, StreamKey};

/// How many pairs to play at once when a race cannot stop before: the results of a block are kept. More threads than it has
/// work for get more.
const MAX_BLOCK_PAIRS: u64 = 4096;
/// How many while several opponents are left and another one may turn out to be the hardest.
const FOCUS_PAIRS: u64 = 16;
/// Pairs against each of several opponents before the hardest is known.
const WARM_UP_PAIRS: u64 = 4;

/// The outcome of a comparison, which may have been more than one race.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// Whether the candidate takes the place of the incumbent.
    pub accepted: bool,
    /// The race that decided: the one that refused, or the closest of those that accepted.
    pub verdict: Verdict,
    /// The games that were counted, of all races.
    pub num_games: u64,
}

/// A race, what it is played with, and how far it is.
struct Running<'a, S: ?Sized> {
    race: AnyRace,
    source: &'a S,
    key: StreamKey,
    num_committed: u64,
}

impl<S: Source + ?Sized> Running<'_, S> {
    /// Plays at most `block` observations more, and commits them until the race stops. If the expected
    /// score is known exactly, it decides, for the cost of one.
    fn advance(
        &mut self,
        block: u64,
        results: &mut Vec<S::Item>,
        observe: impl Fn(S::Item) -> u16,
        stop: &StopSignal,
    ) -> Result<ControlFlow<Verdict>, Stopped> {
        results.clear();
        results.resize(block as usize, S::Item::default());
        let mut rest = &mut results[..];
        if self.num_committed == 0 {
            stop.check()?;
            let first = self.source.open(self.key, stop)?;
            if let Some(score) = first.exact {
                self.num_committed = 1;
                return Ok(ControlFlow::Break(Verdict::exact(score)));
            }
            rest[0] = first.seen;
            rest = &mut rest[1..];
        }
        let num_known = block - rest.len() as u64;
        play_in_parallel(self.source, self.key, self.num_committed + num_known, rest, stop)?;
        for &result in results.iter() {
            self.num_committed += 1;
            let flow = self.race.push(observe(result));
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn next_block(&self, least: u64) -> u64 {
        // No `clamp`, which panics where the least is more than the most.
        self.race.observations_before_stop().min(MAX_BLOCK_PAIRS).max(least)
    }
}

/// How races are held, for a whole run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaceSettings {
    /// The comparison operator.
    pub comparison: Operator,
    /// Its error probability and precision.
    pub limits: Limits,
    /// Which candidates are accepted.
    pub acceptance: Acceptance,
    /// Games that the comparison may take.
    pub max_games: u64,
}

/// Whether A of a duel, the candidate, beats B.
///
/// `on_games` learns now and then how many games were counted.
///
/// # Errors
///
/// When the race was stopped from outside, before it had a verdict.
pub fn head_to_head<S: Source<Item = PairResult>>(
    rules: RaceSettings,
    duel: &S,
    key: StreamKey,
    stop: &StopSignal,
    on_games: impl FnMut(u64),
) -> Result<Decision, Stopped> {
    let steps = duel.payoff_steps();
    let observe = |pair: PairResult| pair.points(steps);
    single(rules, rules.limits, 2 * steps, duel, key, observe, stop, on_games)
}

/// Whether the candidate does better than the incumbent against the same third contestant.
///
/// The observation is Z = (1 + X' - X) / 2, X' and X being what the two scored in a pair of the same
/// deal, so that a mean of 1/2 means equally strong. Half the precision on Z is the precision on X' - X.
///
/// # Errors
///
/// As [`head_to_head`].
pub fn against_a_third(
    rules: RaceSettings,
    deals: &impl Source<Item = [PairResult; 2]>,
    key: StreamKey,
    stop: &StopSignal,
    on_games: impl FnMut(u64),
) -> Result<Decision, Stopped> {
    let limits = Limits { precision: rules.limits.precision / 2.0, ..rules.limits };
    let steps = deals.payoff_steps();
    let observe = |[candidate, incumbent]: [PairResult; 2]| {
        2 * steps + candidate.points(steps) - incumbent.points(steps)
    };
    single(rules, limits, 4 * steps, deals, key, observe, stop, on_games)
}

#[allow(clippy::too_many_arguments, reason = "private, and called twice")]
fn single<S: Source + ?Sized>(
    rules: RaceSettings,
    limits: Limits,
    scale: u16,
    source: &S,
    key: StreamKey,
    observe: impl Fn(S::Item) -> u16,
    stop: &StopSignal,
    mut on_games: impl FnMut(u64),
) -> Result<Decision, Stopped> {
    let max_observations = rules.max_games / S::NUM_GAMES;
    let race = rules.comparison.race(limits, scale);
    let mut running = Running { race, source, key, num_committed: 0 };
    let mut results = Vec::new();
    let verdict = loop {
        let block =
            running.next_block(least_block(source)).min(max_observations - running.num_committed);
        if block == 0 {
            break running.race.out_of_budget();
        }
        if let ControlFlow::Break(verdict) = running.advance(block, &mut results, &observe, stop)? {
            break verdict;
        }
        on_games(S::NUM_GAMES * running.num_committed);
    };
    let num_games = S::NUM_GAMES * verdict.num_observations;
    Ok(Decision { accepted: rules.acceptance.admits(&verdict), verdict, num_games })
}

/// Whether the candidate, A of every duel, beats B of each of them.
///
/// It does if every race accepts it, each with the full error probability: the probability of accepting
/// somebody who does not beat all is that of a single race (an intersection-union test: Berger,
/// *Multiparameter hypothesis testing and acceptance sampling*, Technometrics 24, 1982). The first race
/// that refuses ends the comparison, so after a few pairs against each the opponent is played against
/// whom the candidate does worst. Each race has its own streams: the decision is that of playing all of
/// them to the end, in any order.
///
/// # Errors
///
/// As [`head_to_head`].
///
/// # Panics
///
/// Without duels there is nothing to decide.
pub fn against_all<S: Source<Item = PairResult>>(
    rules: RaceSettings,
    duels: &[S],
    key: StreamKey,
    stop: &StopSignal,
    mut on_games: impl FnMut(u64),
) -> Result<Decision, Stopped> {
    assert!(!duels.is_empty(), "there is nobody to beat");
    let max_pairs = rules.max_games / S::NUM_GAMES;
    let steps = duels[0].payoff_steps();
    let mut undecided: Vec<_> = (0..)
        .zip(duels)
        .map(|(index, duel)| Running {
            race: rules.comparison.race(rules.limits, 2 * steps),
            source: duel,
            key: key.child(Label::Opponent, index),
            num_committed: 0,
        })
        .collect();
    let mut results = Vec::new();
    let mut num_pairs = 0;
    let mut closest: Option<Verdict> = None;
    loop {
        let in_warm_up = undecided.iter().position(|running| running.num_committed == 0);
        let index = in_warm_up.unwrap_or_else(|| {
            // The first of the hardest.
            let doubts = undecided.iter().map(|running| running.race.doubt()).enumerate();
            doubts.fold((0, f64::NEG_INFINITY), |x, y| if y.1 > x.1 { y } else { x }).0
        });
        let least =
            if undecided.len() > 1 { FOCUS_PAIRS } else { least_block(undecided[index].source) };
        let running = &mut undecided[index];
        let decision = |accepted, verdict, num_pairs| {
            Ok(Decision { accepted, verdict, num_games: S::NUM_GAMES * num_pairs })
        };
        let block = if in_warm_up.is_some() { WARM_UP_PAIRS } else { running.next_block(least) };
        let block = block.min(max_pairs - num_pairs);
        if block == 0 {
            return decision(false, running.race.out_of_budget(), num_pairs);
        }
        let before = running.num_committed;
        let flow = running.advance(block, &mut results, |pair| pair.points(steps), stop)?;
        num_pairs += running.num_committed - before;
        on_games(S::NUM_GAMES * num_pairs);
        if let ControlFlow::Break(verdict) = flow {
            if !rules.acceptance.admits(&verdict) {
                return decision(false, verdict, num_pairs);
            }
            if closest.is_none_or(|closest| verdict.score < closest.score) {
                closest = Some(verdict);
            }
            undecided.swap_remove(index);
            if undecided.is_empty() {
                return decision(true, closest.unwrap_or(verdict), num_pairs);
            }
        }
    }
}

#[cfg(test)]
mod tests;
