//! The traits of strategies.

use rand::Rng;
use ruse_base::stop::StopRequest;
use ruse_games::{Game, Payoff, Seat};

use crate::{Effort, ParameterError, ParameterSpace};

/// The type of [`Strategy::COPY`].
pub type CopyMemory<M> = fn(from: &M, to: &mut M) -> bool;

/// Copies a memory by cloning it.
pub fn clone_memory<M: Clone>(from: &M, to: &mut M) -> bool {
    to.clone_from(from);
    true
}

/// Copies nothing of a memory that consists of buffers.
pub fn keep_buffers<M>(_: &M, _: &mut M) -> bool {
    true
}

/// A deterministic or random way to play a game from either seat.
///
/// A strategy sees only views. It remembers the current game in its [`Memory`](Strategy::Memory). All its randomness
/// comes from the given generator, which belongs to the seat: two equal strategies that swap seats play the same two
/// games.
pub trait Strategy<G: Game>: Send + Sync {
    /// The memory of one seat during one game, reused from game to game. To save time, it may also cache values that
    /// are computed from the strategy.
    type Memory: Default + Send;

    /// Forgets the last game and prepares to play from `seat`.
    ///
    /// By default the memory is replaced, which costs nothing if it is `()`. An override can keep buffers from game to
    /// game.
    #[inline]
    fn begin(&self, memory: &mut Self::Memory, seat: Seat) {
        let _ = seat;
        *memory = Self::Memory::default();
    }

    /// Chooses an action and writes it to `action`, whose old value does not matter.
    fn act<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: G::View<'_>,
        rng: &mut R,
        action: &mut G::Action,
    );

    /// Whether the strategy remembers what it sees at the turns of the other seat.
    const WATCHES: bool = false;

    /// Tells the seat what it sees at a turn of the other seat, in a game that is [watched](Game::is_watched). By default
    /// does nothing; only called if the strategy [watches](Strategy::WATCHES).
    #[inline]
    fn watch<R: Rng>(&self, memory: &mut Self::Memory, view: G::View<'_>, rng: &mut R) {
        let _ = (memory, view, rng);
    }

    /// Copies the memory of a game, so that the game can go on from both copies. Returns `false` if that is not possible:
    /// by default, if there is a memory. See [`clone_memory`] and [`keep_buffers`].
    const COPY: CopyMemory<Self::Memory> = |_, _| size_of::<Self::Memory>() == 0;

    /// Tells the seat that the game is over: `view` is its view of the final state, and `payoff` its payoff. Returns
    /// `true` if the player has forfeited the game; by default, returns `false`. There is no such call if the game is
    /// abandoned, or if its family plays without views.
    #[inline]
    fn end(&self, memory: &mut Self::Memory, view: G::View<'_>, payoff: Payoff) -> bool {
        let _ = (memory, view, payoff);
        false
    }

    /// Sets the stop signal that a slow player polls while it thinks with this memory. By default it is ignored, which
    /// suits fast players.
    fn heed(memory: &mut Self::Memory, request: &StopRequest) {
        let _ = (memory, request);
    }

    /// Returns the work done with this memory since its creation, over all games. By default, the work is zero.
    fn effort(memory: &Self::Memory) -> Effort {
        let _ = memory;
        Effort::default()
    }
}

/// A strategy built from a vector of real numbers.
pub trait ParametricStrategy<G: Game>: Strategy<G> + Clone {
    /// Returns the layout of the parameters.
    fn space(game: &G) -> ParameterSpace;

    /// Creates the strategy with the parameters `theta`, one finite number for each dimension.
    ///
    /// # Errors
    ///
    /// Returns an error if the length of `theta` is not the dimension of [`space`](ParametricStrategy::space), or if a
    /// value is not finite.
    fn from_parameters(game: &G, theta: &[f64]) -> Result<Self, ParameterError>;

    /// Like [`from_parameters`](ParametricStrategy::from_parameters), but skips precomputation that only pays off over
    /// many games.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`from_parameters`](ParametricStrategy::from_parameters).
    fn for_few_games(game: &G, theta: &[f64]) -> Result<Self, ParameterError> {
        Self::from_parameters(game, theta)
    }

    /// Returns whether the strategies with the parameters `a` and `b` are known to play alike: by default, if the parameters
    /// are equal.
    fn plays_alike(game: &G, a: &[f64], b: &[f64]) -> bool {
        let _ = game;
        a == b
    }

    /// Replaces the parameters by `theta`, without allocating if buffers can be reused: a baseline is redrawn for every
    /// pair of games.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`from_parameters`](ParametricStrategy::from_parameters).
    fn set_parameters(&mut self, game: &G, theta: &[f64]) -> Result<(), ParameterError> {
        *self = Self::from_parameters(game, theta)?;
        Ok(())
    }
}
