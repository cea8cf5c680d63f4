//! What it takes to be a strategy.

use rand::Rng;
use ruse_games::{Game, Seat};

use crate::{Effort, ParameterError, ParameterSpace, StopWish};

/// A way to play a game from either seat, deterministic or not.
///
/// A strategy sees views only. It keeps what it wants to remember during one game in its
/// [`Memory`](Strategy::Memory), and all its randomness comes from the generator it is handed, which
/// belongs to the seat: two equal strategies that swap seats play the same two games.
pub trait Strategy<G: Game>: Send + Sync {
    /// What one seat remembers during one game; the buffer is reused from game to game. It may also keep
    /// what is a function of the strategy, to save time.
    type Memory: Default + Send;

    /// Forgets the last game and gets ready to play from `seat`.
    ///
    /// By default the memory is made anew, which costs nothing if it is `()`. A strategy that overrides it keeps the buffers
    /// of its memory from game to game.
    #[inline]
    fn begin(&self, memory: &mut Self::Memory, seat: Seat) {
        let _ = seat;
        *memory = Self::Memory::default();
    }

    /// Chooses an action, and writes it over whatever `action` holds.
    fn act<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: G::View<'_>,
        rng: &mut R,
        action: &mut G::Action,
    );

    /// Lets a player that thinks for long hear of a wish to stop while it thinks with this memory. By default it does not listen, which
    /// suits all that decide at once.
    fn heed(memory: &mut Self::Memory, wish: &StopWish) {
        let _ = (memory, wish);
    }

    /// How much was thought with this memory, in all games since it was made; nothing by default.
    fn effort(memory: &Self::Memory) -> Effort {
        let _ = memory;
        Effort::default()
    }
}

/// A strategy made from a vector of real numbers.
pub trait ParametricStrategy<G: Game>: Strategy<G> + Clone {
    /// The layout of the parameters.
    fn space(game: &G) -> ParameterSpace;

    /// The strategy of parameters `theta`: `[dimension]`, any finite values.
    ///
    /// # Errors
    ///
    /// When `theta` has another length than [`space`](ParametricStrategy::space) says, or a value that
    /// is not finite.
    fn from_parameters(game: &G, theta: &[f64]) -> Result<Self, ParameterError>;

    /// The same strategy, made for a few games: without what is computed in advance because it pays in many.
    ///
    /// # Errors
    ///
    /// As [`from_parameters`](ParametricStrategy::from_parameters).
    fn for_few_games(game: &G, theta: &[f64]) -> Result<Self, ParameterError> {
        Self::from_parameters(game, theta)
    }

    /// Becomes the strategy of parameters `theta`, without allocating where buffers can be reused: a
    /// baseline is drawn anew for every pair of games.
    ///
    /// # Errors
    ///
    /// As [`from_parameters`](ParametricStrategy::from_parameters).
    fn set_parameters(&mut self, game: &G, theta: &[f64]) -> Result<(), ParameterError> {
        *self = Self::from_parameters(game, theta)?;
        Ok(())
    }
}
