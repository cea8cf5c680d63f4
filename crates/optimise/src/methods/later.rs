//! The phases of a run after its search.

use ruse_base::stop::Result;
use ruse_play::family::{Player, Weighted};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::finals::{Ended, Finals};
use super::method::{Answered, Iteration, Method, Oracle};
use super::prune::Pruning;
use super::state_error::StateError;

/// The state of a phase after the search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Later {
    Finals(Finals),
    Prune(Pruning),
}

impl Later {
    pub(super) fn ended(&self) -> &Ended {
        match self {
            Later::Finals(finals) => &finals.ended,
            Later::Prune(pruning) => &pruning.ended,
        }
    }

    /// Returns the part of the population that is older than the phase.
    ///
    /// # Errors
    ///
    /// Returns an error if the state does not fit the population.
    pub(super) fn before(&self, mut members: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>, StateError> {
        let dimension = members.first().map_or(0, Vec::len);
        let Ended { champion, num_joined, .. } = self.ended();
        let fits = match self {
            Later::Finals(finals) => finals.is_sound(dimension),
            Later::Prune(_) => true,
        };
        let is_sound = fits
            && (1..=members.len()).contains(num_joined)
            && champion.len() == dimension
            && champion.iter().all(|parameter| parameter.is_finite());
        if !is_sound {
            return Err(StateError::new("a phase after the search does not fit the population"));
        }
        members.truncate(*num_joined);
        Ok(members)
    }
}

/// A phase after the search as a method.
pub(super) struct After {
    pub(super) later: Later,
    pub(super) searched: Box<dyn Method>,
}

impl Method for After {
    fn incumbent(&self) -> &[f64] {
        &self.later.ended().champion
    }

    fn sigma(&self) -> Option<f64> {
        self.searched.sigma()
    }

    fn mixture(&self) -> Option<Vec<Weighted<Player>>> {
        self.searched.mixture()
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration> {
        match &mut self.later {
            Later::Finals(finals) => finals.iterate(oracle),
            Later::Prune(pruning) => pruning.iterate(oracle),
        }
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.later).expect("plain data")
    }

    fn take_answers(&mut self) -> Vec<Answered> {
        self.searched.take_answers()
    }
}
