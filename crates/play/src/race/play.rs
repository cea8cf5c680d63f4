//! Plays races: pairs of games in parallel, tested in index order.
//!
//! Verdicts and numbers of observations depend neither on the number of pairs played at once nor on the number of
//! threads: pairs beyond the observation at which a race stops are discarded.

use std::ops::ControlFlow;

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_strategies::PairResult;

use super::{Acceptance, AnyRace, Limits, Operator, Race, Verdict};
use crate::arena::{Source, least_block, play_in_parallel};

/// The number of pairs to play at once if a race cannot stop earlier; the results of one block are kept in memory. With
/// more threads than this block can occupy, blocks are larger.
const MAX_BLOCK_PAIRS: u64 = 4096;
/// The number of pairs to play at once while any of several opponents may be the hardest.
const FOCUS_PAIRS: u64 = 16;
/// The number of pairs against each of several opponents before the hardest is chosen.
const WARM_UP_PAIRS: u64 = 4;

/// The outcome of a comparison, which may consist of several races.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// Whether the candidate replaces the incumbent.
    pub accepted: bool,
    /// The verdict that decided the comparison: the verdict of the race that refused, or of the closest race if all
    /// accepted.
    pub verdict: Verdict,
    /// The number of games counted, over all races.
    pub num_games: u64,
}

/// A race with its source of observations and its progress.
struct Running<'a, S: ?Sized> {
    race: AnyRace,
    source: &'a S,
    key: StreamKey,
    num_committed: u64,
}

impl<S: Source + ?Sized> Running<'_, S> {
    /// Makes at most `block` more observations, and passes them to the race until the race stops. If the expected score
    /// is known exactly, this score decides the race, at the cost of one observation.
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
        // `clamp` would panic if the minimum is above the maximum.
        self.race.observations_before_stop().min(MAX_BLOCK_PAIRS).max(least)
    }
}

/// The rules of the races of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaceSettings {
    /// The comparison operator.
    pub comparison: Operator,
    /// The error probability and precision of the comparison.
    pub limits: Limits,
    /// The rule for accepting candidates.
    pub acceptance: Acceptance,
    /// The maximum number of games of a comparison.
    pub max_games: u64,
}

/// Decides whether the candidate, which is side A of the duel, beats side B.
///
/// `on_games` is called from time to time with the number of games counted.
///
/// # Errors
///
/// Returns an error if the race was stopped from outside before it reached a verdict.
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

/// Decides whether the candidate does better than the incumbent against the same third contestant.
///
/// The observation is Z = (1 + X' - X) / 2, where X' and X are the scores of the candidate and the incumbent in a pair
/// with the same deal. A mean of 1/2 shows equal strength. For X' - X up to the precision, Z must be known up to half
/// of the precision.
///
/// # Errors
///
/// Same as [`head_to_head`].
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

/// Decides whether the candidate, side A of every duel, beats side B of every duel.
///
/// The candidate beats all opponents if every race accepts the candidate. Each race has the full error probability: the
/// probability of accepting a candidate that does not beat all opponents is the error probability of a single race (an
/// intersection-union test: Berger, *Multiparameter hypothesis testing and acceptance sampling*, Technometrics 24,
/// 1982). The first race that refuses ends the comparison, so after a few pairs against each opponent, the games go to
/// the opponent against which the candidate does worst. Each race has its own streams, so the decision is the same as
/// if all races were played to the end, in any order.
///
/// # Errors
///
/// Same as [`head_to_head`].
///
/// # Panics
///
/// Panics if there are no duels.
pub fn against_all<S: Source<Item = PairResult>>(
    rules: RaceSettings,
    duels: &[S],
    key: StreamKey,
    stop: &StopSignal,
    mut on_games: impl FnMut(u64),
) -> Result<Decision, Stopped> {
    assert!(!duels.is_empty(), "there is no opponent to beat");
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
            // Among opponents with equal doubt, the first is chosen.
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
pub(super) mod tests;
