//! Strategies whose action probabilities can be differentiated, and records of their decisions.

use rand::Rng;
use ruse_base::stop::StopRequest;
use ruse_games::{Game, Payoff, Seat};

use crate::{ParametricStrategy, Strategy};

/// A parametric strategy that draws each action with a probability proportional to the exponential of a score. The score
/// is the sum of the features of the action, each multiplied by one of the strategy's *coordinates*.
///
/// If p(b) are the probabilities of the actions and f(b) their features, the gradient of ln p(a) with respect to the
/// coordinates is f(a) - sum_b p(b) f(b).
pub trait LogLinear<G: Game>: ParametricStrategy<G> {
    /// Replaces parameters by the coordinates of the same strategy. By default, the coordinates are the parameters.
    fn to_coordinates(game: &G, theta: &mut [f64]) {
        let _ = (game, theta);
    }

    /// Replaces coordinates by the parameters of the same strategy. By default, the coordinates are the parameters.
    fn to_parameters(game: &G, coordinates: &mut [f64]) {
        let _ = (game, coordinates);
    }

    /// Chooses an action with the same probabilities as [`act`](Strategy::act), and adds the decision to `decisions`. A
    /// decision with a single action is left out.
    fn act_recorded<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: G::View<'_>,
        rng: &mut R,
        action: &mut G::Action,
        decisions: &mut Decisions,
    );
}

/// The decisions of one seat in one game, in order: the features of all actions, and the action taken.
///
/// All lists are stored one after the other, since a game may have thousands of decisions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decisions {
    /// The features of all actions: indices of coordinates, and their factors. An index may occur repeatedly.
    features: Vec<(u32, f64)>,
    /// For each action of each decision, the index in `features` at which its features end.
    actions: Vec<u32>,
    /// For each decision, the index in `actions` at which its actions end, and the index of the action taken.
    decisions: Vec<(u32, u32)>,
}

impl Decisions {
    /// Adds a feature to the action that is being described: the index of a coordinate, and its factor.
    #[inline]
    pub fn add_feature(&mut self, index: usize, factor: f64) {
        self.features.push((index as u32, factor));
    }

    /// Ends the description of an action.
    #[inline]
    pub fn end_action(&mut self) {
        self.actions.push(self.features.len() as u32);
    }

    /// Ends the description of a decision; `taken` is the index of the action taken.
    #[inline]
    pub fn end_decision(&mut self, taken: usize) {
        self.decisions.push((self.actions.len() as u32, taken as u32));
    }

    /// Iterates over the decisions.
    pub fn iter(&self) -> impl Iterator<Item = Decision<'_>> {
        let mut start = 0_usize;
        self.decisions.iter().map(move |&(end, taken)| {
            let first_feature = start.checked_sub(1).map_or(0, |last| self.actions[last]);
            let ends = &self.actions[start..end as usize];
            start = end as usize;
            Decision { features: &self.features, first_feature, ends, taken: taken as usize }
        })
    }

    /// Returns the number of decisions.
    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    /// Returns `true` if there are no decisions.
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty()
    }
}

/// A recorded decision.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    features: &'a [(u32, f64)],
    first_feature: u32,
    /// For each action, the index at which its features end.
    ends: &'a [u32],
    /// The index of the action taken.
    pub taken: usize,
}

impl<'a> Decision<'a> {
    /// Iterates over the actions: the features of each, as indices of coordinates and their factors.
    pub fn actions(self) -> impl Iterator<Item = &'a [(u32, f64)]> {
        let mut start = self.first_feature as usize;
        self.ends.iter().map(move |&end| {
            let features = &self.features[start..end as usize];
            start = end as usize;
            features
        })
    }

    /// Sets `scores` to the score of each action, for these coordinates.
    pub fn scores(self, coordinates: &[f64], scores: &mut Vec<f64>) {
        scores.clear();
        scores.extend(self.actions().map(|features| dot(features, coordinates)));
    }
}

/// Returns the score of an action with these features.
#[inline]
pub fn dot(features: &[(u32, f64)], coordinates: &[f64]) -> f64 {
    features.iter().map(|&(index, factor)| factor * coordinates[index as usize]).sum()
}

/// A strategy that records its decisions.
#[derive(Debug, Clone, Copy)]
pub struct Recorded<'a, S>(pub &'a S);

/// The memory of a [`Recorded`] strategy: the memory of the strategy, and the decisions of the current game.
#[derive(Debug, Default)]
pub struct RecordedMemory<M> {
    memory: M,
    /// The decisions of the current game.
    pub decisions: Decisions,
}

impl<G: Game, S: LogLinear<G>> Strategy<G> for Recorded<'_, S> {
    type Memory = RecordedMemory<S::Memory>;

    fn begin(&self, memory: &mut Self::Memory, seat: Seat) {
        memory.decisions = Decisions::default();
        self.0.begin(&mut memory.memory, seat);
    }

    fn act<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: G::View<'_>,
        rng: &mut R,
        action: &mut G::Action,
    ) {
        let RecordedMemory { memory, decisions } = memory;
        self.0.act_recorded(memory, view, rng, action, decisions);
    }

    fn end(&self, memory: &mut Self::Memory, view: G::View<'_>, payoff: Payoff) -> bool {
        self.0.end(&mut memory.memory, view, payoff)
    }

    fn heed(memory: &mut Self::Memory, request: &StopRequest) {
        S::heed(&mut memory.memory, request);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_read_as_they_were_written() {
        let mut decisions = Decisions::default();
        for (taken, actions) in [
            (1, vec![vec![(0, 1.0)], vec![(2, -0.5), (0, 2.0)]]),
            (0, vec![vec![], vec![(1, 3.0)]]),
        ] {
            for action in actions {
                action.into_iter().for_each(|(index, factor)| decisions.add_feature(index, factor));
                decisions.end_action();
            }
            decisions.end_decision(taken);
        }
        assert_eq!(decisions.len(), 2);
        let mut found = Vec::new();
        for decision in decisions.iter() {
            let mut scores = Vec::new();
            decision.scores(&[1.0, 10.0, 100.0], &mut scores);
            found.push((decision.taken, scores));
        }
        assert_eq!(found, [(1, vec![1.0, -48.0]), (0, vec![0.0, 30.0])]);
    }
}
