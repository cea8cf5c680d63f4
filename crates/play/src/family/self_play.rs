//! Games of a strategy against itself, in a family with its types erased.

use std::sync::Arc;

use ruse_strategies::{Episode, Family, ParametricStrategy, SelfPlay};

use crate::arena::{StopReason, StopSignal, Stopped, in_parallel, streams_of_pair};
use crate::rng::{Label, StreamKey};

/// The number of games in a task of one thread.
const TASK_GAMES: u64 = 8;

/// The self-play of a family whose strategies are [log-linear](ruse_strategies::LogLinear).
pub trait AnySelfPlay: Send + Sync {
    /// Returns the coordinates of the strategy with parameters `theta`: `[dimension]`.
    fn coordinates(&self, theta: &[f64]) -> Vec<f64>;

    /// Returns the parameters of the strategy with these coordinates: `[dimension]`.
    fn parameters(&self, coordinates: &[f64]) -> Vec<f64>;

    /// Plays games of the strategy with parameters `theta` against itself, on the threads of the current pool. Each game
    /// depends only on `key` and on its index.
    ///
    /// # Errors
    ///
    /// Returns an error if the work was stopped.
    ///
    /// # Panics
    ///
    /// Panics if `theta` is not in the parameter space.
    fn play(
        &self,
        theta: &[f64],
        key: StreamKey,
        num_games: u64,
        stop: &StopSignal,
    ) -> Result<Vec<Episode>, Stopped>;
}

/// Returns the self-play of a family, if its strategies are log-linear.
pub(super) fn self_play<F: Family>(family: &Arc<F>) -> Option<Box<dyn AnySelfPlay>> {
    let capability = family.capabilities().self_play?;
    Some(Box::new(OfFamily { family: Arc::clone(family), capability }))
}

struct OfFamily<F: Family> {
    family: Arc<F>,
    capability: SelfPlay<F::Game, F::Strategy>,
}

impl<F: Family> AnySelfPlay for OfFamily<F> {
    fn coordinates(&self, theta: &[f64]) -> Vec<f64> {
        let mut coordinates = theta.to_vec();
        (self.capability.to_coordinates)(self.family.game(), &mut coordinates);
        coordinates
    }

    fn parameters(&self, coordinates: &[f64]) -> Vec<f64> {
        let mut theta = coordinates.to_vec();
        (self.capability.to_parameters)(self.family.game(), &mut theta);
        theta
    }

    fn play(
        &self,
        theta: &[f64],
        key: StreamKey,
        num_games: u64,
        stop: &StopSignal,
    ) -> Result<Vec<Episode>, Stopped> {
        let game = self.family.game();
        let strategy = F::Strategy::from_parameters(game, theta);
        let strategy = strategy.expect("the parameters were checked");
        let starts: Vec<u64> = (0..num_games).step_by(TASK_GAMES as usize).collect();
        let played = in_parallel(&starts, stop, |&start| {
            let games = start..num_games.min(start + TASK_GAMES);
            let mut streams = games.map(|game| streams_of_pair(key.child(Label::SelfPlay, game)));
            let episodes = (self.capability.play)(game, &strategy, &mut streams, stop.request());
            // Stop requests are sticky, so games that were abandoned because of a request are detected here.
            stop.check().map(|()| episodes)
        })?;
        let fault = self.family.capabilities().fault.and_then(|fault| fault(game));
        if fault.is_some() {
            stop.raise();
            return Err(Stopped(StopReason::Interrupted));
        }
        Ok(played.into_iter().flatten().collect())
    }
}
