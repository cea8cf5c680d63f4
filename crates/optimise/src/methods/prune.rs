//! Pruning, the last phase of a run: sets groups of parameters of the champion to zero where this makes it better.
//!
//! A search with a limited budget leaves many parameters at values that its noise chose. Each such value is a small
//! error, and together these errors may cost more than the group of parameters gains. Zero is the neutral value of a
//! parameter, and the mean of random parameters.
//!
//! First, the champion and one variant for each group of the family
//! ([`ParameterSpace::groups`](ruse_search::ParameterSpace::groups)) play the baseline on the same deals. These
//! games take half of the games of the phase, and put the groups in order. Then a race decides about each group whose
//! variant did better than the champion, the most promising group first. A variant replaces the champion only if it is
//! proven better against the baseline, with the error probability of the run. The groups after it are then tested on
//! the new champion. The races are betting races on deals that the first games did not use, so the order of the groups
//! does not distort them.

use ruse_base::stop::{Result, StopReason, Stopped};
use serde::{Deserialize, Serialize};

use super::finals::{Ended, distinct};
use super::method::{Against, Iteration, Lesson, Oracle, Question, Step, play_against};

/// The share of the games of the phase that puts the groups in order is 1 / `ORDER_PART`.
const ORDER_PART: u64 = 2;
/// The largest number of pairs that a variant plays before the groups are put in order.
const MAX_ORDER_PAIRS: u64 = 2000;

/// The state of the phase between two iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pruning {
    pub(super) ended: Ended,
    /// The indices of the groups that still have to race, the most promising last; `None` before they are in order.
    order: Option<Vec<usize>>,
}

impl Pruning {
    pub(super) fn new(ended: Ended) -> Pruning {
        Pruning { ended, order: None }
    }

    /// Carries out one iteration: the games that put the groups in order, or the races about one group.
    ///
    /// # Errors
    ///
    /// Returns an error if no group is left, if the games do not suffice, or if the run must end.
    pub(super) fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let groups = distinct(oracle.groups());
        let Some(order) = &self.order else { return self.sort(&groups, oracle) };
        let Some((&next, rest)) = order.split_last() else {
            return Err(Stopped(StopReason::Finished));
        };
        let Some(members) = groups.get(next) else { return Err(Stopped(StopReason::Finished)) };
        let variant = self.without(members);
        let decision = oracle.compare(&variant, Question::DoesBetterThan(&self.ended.champion))?;
        self.order = Some(rest.to_vec());
        if decision.accepted {
            self.ended.champion.clone_from(&variant);
        }
        Ok(Iteration::compared(decision, variant, Against::Baseline))
    }

    /// Returns the champion with these parameters set to zero.
    fn without(&self, members: &[usize]) -> Vec<f64> {
        let mut variant = self.ended.champion.clone();
        members.iter().for_each(|&member| variant[member] = 0.0);
        variant
    }

    fn sort(&mut self, groups: &[Vec<usize>], oracle: &mut dyn Oracle) -> Result<Iteration> {
        let changes =
            |members: &[usize]| members.iter().any(|&member| self.ended.champion[member] != 0.0);
        let changing: Vec<usize> = (0..groups.len()).filter(|&i| changes(&groups[i])).collect();
        if changing.is_empty() {
            return Err(Stopped(StopReason::Finished));
        }
        let num_pairs = oracle.games_left() / ORDER_PART / 2 / (changing.len() as u64 + 1);
        let num_pairs = num_pairs.min(MAX_ORDER_PAIRS);
        if num_pairs == 0 {
            return Err(Stopped(StopReason::Games));
        }
        let baseline = oracle.baseline();
        let variants = changing.iter().map(|&group| self.without(&groups[group]));
        let players = std::iter::once(self.ended.champion.clone()).chain(variants);
        let tallies = play_against(oracle, baseline, players, num_pairs)?;
        let score = |index: usize| tallies[index].score().unwrap_or(0.0);
        let estimate = tallies[0].estimate().expect("pairs were played");
        let mut order: Vec<(f64, usize)> =
            (1..).zip(changing).map(|(index, group)| (score(index), group)).collect();
        order.retain(|(score, _)| *score > estimate.score);
        // Among equal scores, the first group of the family races first.
        order.sort_by(|x, y| x.0.total_cmp(&y.0).then(y.1.cmp(&x.1)));
        self.order = Some(order.into_iter().map(|(_, group)| group).collect());
        Ok(Iteration { step: Step::Learned { lesson: Lesson::Ablation, estimate }, joined: None })
    }
}

/// Returns the number of games of a budget that are reserved for the phase.
pub(super) fn reserve(share: f64, games: u64) -> u64 {
    (share * games as f64) as u64
}

#[cfg(test)]
mod tests;
