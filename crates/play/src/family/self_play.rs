//! Games of a strategy against itself, in a family with its types erased.

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_search::ParametricStrategy;
use ruse_strategies::{Episode, Family, SelfPlay};

use super::capabilities::AnySelfPlay;
use super::erased::ErasedFamily;
use crate::arena::{faultless, in_parallel, streams_of_pair};

/// The number of games in a task of one thread.
const TASK_GAMES: u64 = 8;

impl<F: Family> ErasedFamily<F> {
    fn self_play(&self) -> SelfPlay<F::Game, F::Strategy> {
        self.family.capabilities().self_play.expect("the strategies are log-linear")
    }
}

impl<F: Family> AnySelfPlay for ErasedFamily<F> {
    fn coordinates(&self, theta: &[f64]) -> Vec<f64> {
        let mut coordinates = theta.to_vec();
        (self.self_play().to_coordinates)(self.family.game(), &mut coordinates);
        coordinates
    }

    fn parameters(&self, coordinates: &[f64]) -> Vec<f64> {
        let mut theta = coordinates.to_vec();
        (self.self_play().to_parameters)(self.family.game(), &mut theta);
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
        let self_play = self.self_play();
        let starts: Vec<u64> = (0..num_games).step_by(TASK_GAMES as usize).collect();
        let played = in_parallel(&starts, stop, |&start| {
            let games = start..num_games.min(start + TASK_GAMES);
            let mut streams = games.map(|game| streams_of_pair(key.child(Label::SelfPlay, game)));
            let episodes = (self_play.play)(game, &strategy, &mut streams, stop.request());
            // Stop requests are sticky, so games that were abandoned because of a request are detected here.
            stop.check().map(|()| episodes)
        })?;
        faultless(&*self.family, stop)?;
        Ok(played.into_iter().flatten().collect())
    }
}
