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

use ruse_base::stop::{StopReason, Stopped};
use ruse_play::family::{Player, Weighted};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::method::{
    Against, Answered, Iteration, Lesson, Method, Oracle, Question, Step, play_against,
};
use super::state_error::StateError;

/// The share of the games of the phase that puts the groups in order is 1 / `ORDER_PART`.
const ORDER_PART: u64 = 2;
/// The largest number of pairs that a variant plays before the groups are put in order.
const MAX_ORDER_PAIRS: u64 = 2000;

/// The state of the phase between two iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pruning {
    /// The champion so far: `[dimension]`.
    pub(super) champion: Vec<f64>,
    /// The indices of the groups that still have to race, the most promising last; `None` before they are in order.
    groups: Option<Vec<usize>>,
    /// The number of games after which the phase ends, counted from the start of the run.
    pub(super) last_game: u64,
    /// The number of strategies that had joined the population when the phase began, including the start.
    num_joined: usize,
    /// The reason why the search ended.
    pub(super) search_end: StopReason,
}

impl Pruning {
    /// Begins the phase with the champion of the search, after `games` games. `share` is the share of the phase in the
    /// games of the run, and `limit` is the number of these games, if it is limited.
    pub(super) fn new(
        champion: &[f64],
        share: f64,
        limit: Option<u64>,
        games: u64,
        num_joined: usize,
        search_end: StopReason,
    ) -> Pruning {
        let last_game = match limit {
            Some(limit) => limit.min(games + reserve(share, limit)),
            // The games of the search are the rest of the games of the run.
            None => games.saturating_add((share / (1.0 - share) * games as f64) as u64),
        };
        Pruning { champion: champion.to_vec(), groups: None, last_game, num_joined, search_end }
    }

    /// Returns the part of the population that belongs to the search.
    ///
    /// # Errors
    ///
    /// Returns an error if the state does not fit the population.
    pub(super) fn searched(
        &self,
        mut population: Vec<Vec<f64>>,
    ) -> Result<Vec<Vec<f64>>, StateError> {
        let dimension = population.first().map_or(0, Vec::len);
        let is_sound = (1..=population.len()).contains(&self.num_joined)
            && self.champion.len() == dimension
            && self.champion.iter().all(|parameter| parameter.is_finite());
        if !is_sound {
            return Err(StateError::new("the pruning does not fit the population"));
        }
        population.truncate(self.num_joined);
        Ok(population)
    }

    /// Carries out one iteration: the games that put the groups in order, or the races about one group.
    ///
    /// # Errors
    ///
    /// Returns an error if no group is left, if the games do not suffice, or if the run must end.
    fn iterate(
        &mut self,
        groups: &[Vec<usize>],
        oracle: &mut dyn Oracle,
    ) -> Result<Iteration, Stopped> {
        let Some(order) = &self.groups else { return self.put_in_order(groups, oracle) };
        let Some((&next, rest)) = order.split_last() else {
            return Err(Stopped(StopReason::Finished));
        };
        let Some(members) = groups.get(next) else { return Err(Stopped(StopReason::Finished)) };
        let variant = self.without(members);
        let decision = oracle.compare(&variant, Question::DoesBetterThan(&self.champion))?;
        self.groups = Some(rest.to_vec());
        if decision.accepted {
            self.champion.clone_from(&variant);
        }
        Ok(Iteration::compared(decision, variant, Against::Baseline))
    }

    /// Returns the champion with these parameters set to zero.
    fn without(&self, members: &[usize]) -> Vec<f64> {
        let mut variant = self.champion.clone();
        members.iter().for_each(|&member| variant[member] = 0.0);
        variant
    }

    fn put_in_order(
        &mut self,
        groups: &[Vec<usize>],
        oracle: &mut dyn Oracle,
    ) -> Result<Iteration, Stopped> {
        let changes =
            |members: &[usize]| members.iter().any(|&member| self.champion[member] != 0.0);
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
        let players = std::iter::once(self.champion.clone()).chain(variants);
        let tallies = play_against(oracle, baseline, players, num_pairs)?;
        let score = |index: usize| tallies[index].score().unwrap_or(0.0);
        let estimate = tallies[0].estimate().expect("pairs were played");
        let mut order: Vec<(f64, usize)> =
            (1..).zip(changing).map(|(index, group)| (score(index), group)).collect();
        order.retain(|(score, _)| *score > estimate.score);
        // Among equal scores, the first group of the family races first.
        order.sort_by(|x, y| x.0.total_cmp(&y.0).then(y.1.cmp(&x.1)));
        self.groups = Some(order.into_iter().map(|(_, group)| group).collect());
        Ok(Iteration { step: Step::Learned { lesson: Lesson::Ablation, estimate }, joined: None })
    }
}

/// A pruning as a method, after the method whose champion it prunes.
pub(super) struct Pruner {
    pub(super) pruning: Pruning,
    /// The groups of parameters, without repetition.
    pub(super) groups: Vec<Vec<usize>>,
    pub(super) searched: Box<dyn Method>,
}

impl Method for Pruner {
    fn incumbent(&self) -> &[f64] {
        &self.pruning.champion
    }

    fn sigma(&self) -> Option<f64> {
        self.searched.sigma()
    }

    fn mixture(&self) -> Option<Vec<Weighted<Player>>> {
        self.searched.mixture()
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        self.pruning.iterate(&self.groups, oracle)
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.pruning).expect("plain data")
    }

    fn take_answers(&mut self) -> Vec<Answered> {
        self.searched.take_answers()
    }
}

/// Returns the number of games of a budget that are reserved for the phase.
pub(super) fn reserve(share: f64, games: u64) -> u64 {
    (share * games as f64) as u64
}

#[cfg(test)]
mod tests;
