//! What it takes to be a strategy.

use rand::Rng;
use ruse_games::{Answers, Game, Seat};

use crate::{ParameterError, ParameterSpace};

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
    fn begin(&self, memory: &mut Self::Memory, seat: Seat);

    /// Chooses an action, and writes it over whatever `action` holds.
    fn act<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: G::View<'_>,
        rng: &mut R,
        action: &mut G::Action,
    );

    /// Whether [`steady_actions`](Strategy::steady_actions) is ever other than zero.
    fn can_be_steady(&self) -> bool {
        false
    }

    /// The number of coming actions that will be functions of the view alone: no randomness, and
    /// no memory of what happened. `u64::MAX` stands for all of them.
    ///
    /// This lets the arena skip the repetitions of a game that goes round in circles. Zero is always
    /// true.
    fn steady_actions(&self, memory: &Self::Memory) -> u64 {
        let _ = memory;
        0
    }

    /// What this seat answers in stretch number `stretch` of a [game that has
    /// stretches](Game::HAS_STRETCHES), or `None` if it wants to be asked every time.
    ///
    /// Who asks for answers and who does not must get the same game: [`act`](Strategy::act) does what the
    /// answers say.
    #[inline]
    fn answers<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        stretch: u64,
        rng: &mut R,
    ) -> Option<Answers> {
        let _ = (memory, stretch, rng);
        None
    }

    /// Learns that the arena took `num_actions` actions without asking: by [`answers`](Strategy::answers),
    /// or because they are some of the [`steady_actions`](Strategy::steady_actions).
    fn skip_actions(&self, memory: &mut Self::Memory, num_actions: u64) {
        let _ = (memory, num_actions);
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
