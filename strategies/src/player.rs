//! Players of a family, mixtures of players, and players that belong to any family of a game.

use std::sync::Arc;

use rand::Rng;
use ruse_base::stop::StopRequest;
use ruse_games::{Game, Payoff, Seat};
use ruse_search::{AnyMemory, AnyStrategy, ParametricStrategy, Strategy};

use crate::family::{ActionOf, ViewOf};
use crate::{Family, Mixture};

/// A player of a family, ready to play.
pub enum Prepared<F: Family> {
    /// A parametric strategy.
    Own(F::Strategy),
    /// A reference strategy.
    Reference(F::Reference),
    /// A searching player, or a strategy of another family of the game.
    Searching(Arc<dyn AnyStrategy<F::Game>>),
    /// The baseline: a parametric strategy with standard Gaussian parameters, redrawn for every pair.
    Redrawn(Arc<Redrawn<F>>),
    /// The baseline of another family of the game, redrawn for every pair.
    RedrawnGuest(Arc<dyn AnyRedrawn<F::Game>>),
    /// A mixture of players. For each pair, one player is drawn by its probability.
    Mixture(Mixture<Prepared<F>>),
}

impl<F: Family> Prepared<F> {
    /// Creates the baseline of a family.
    pub fn redrawn(family: &F) -> Prepared<F> {
        Prepared::Redrawn(Arc::new(Redrawn::new(family)))
    }

    /// Returns the player for use in another family of the game.
    pub fn into_any(self) -> AnyPlayer<F::Game> {
        match self {
            Prepared::Own(strategy) => AnyPlayer::Fixed(Arc::new(strategy)),
            Prepared::Reference(strategy) => AnyPlayer::Fixed(Arc::new(strategy)),
            Prepared::Searching(strategy) => AnyPlayer::Fixed(strategy),
            Prepared::Redrawn(redrawn) => AnyPlayer::Redrawn(redrawn),
            Prepared::RedrawnGuest(redrawn) => AnyPlayer::Redrawn(redrawn),
            Prepared::Mixture(mixture) => AnyPlayer::Mixture(mixture.map(Prepared::into_any)),
        }
    }

    /// Returns a player of another family of the game as a player of this family.
    pub fn from_any(guest: AnyPlayer<F::Game>) -> Prepared<F> {
        match guest {
            AnyPlayer::Fixed(strategy) => Prepared::Searching(strategy),
            AnyPlayer::Redrawn(redrawn) => Prepared::RedrawnGuest(redrawn),
            AnyPlayer::Mixture(mixture) => Prepared::Mixture(mixture.map(Prepared::from_any)),
        }
    }
}

/// A player of any family of a game.
pub enum AnyPlayer<G: Game> {
    /// The same strategy in every pair.
    Fixed(Arc<dyn AnyStrategy<G>>),
    /// The baseline of a family.
    Redrawn(Arc<dyn AnyRedrawn<G>>),
    /// A mixture of players. For each pair, one player is drawn by its probability.
    Mixture(Mixture<AnyPlayer<G>>),
}

/// The template of a baseline, with the type of its strategies hidden.
pub trait AnyRedrawn<G: Game>: Send + Sync {
    /// Returns the number of parameters.
    fn num_parameters(&self) -> usize;

    /// Creates the strategy with the parameters `theta`: [`num_parameters`](AnyRedrawn::num_parameters) finite numbers.
    fn strategy(&self, game: &G, theta: &[f64]) -> Arc<dyn AnyStrategy<G>>;
}

impl<F: Family> AnyRedrawn<F::Game> for Redrawn<F> {
    fn num_parameters(&self) -> usize {
        self.dimension
    }

    fn strategy(&self, game: &F::Game, theta: &[f64]) -> Arc<dyn AnyStrategy<F::Game>> {
        let strategy = F::Strategy::for_few_games(game, theta);
        Arc::new(
            strategy.expect("finite numbers of the right dimension are in every parameter space"),
        )
    }
}

/// The template of a family's baseline: a strategy of the family, with all parameters 0.
#[derive(Debug)]
pub struct Redrawn<F: Family> {
    /// The strategy whose copies take the drawn parameters.
    pub template: F::Strategy,
    /// The number of parameters.
    pub dimension: usize,
}

impl<F: Family> Redrawn<F> {
    /// Creates the template for a family.
    pub fn new(family: &F) -> Redrawn<F> {
        let dimension = F::Strategy::space(family.game()).dimension();
        let template = F::Strategy::from_parameters(family.game(), &vec![0.0; dimension])
            .expect("a vector of zeros is in every parameter space");
        Redrawn { template, dimension }
    }
}

/// A borrowed player of a family, for one pair. Its strategy may be of any type.
pub enum PlayerRef<'a, F: Family> {
    /// A parametric strategy.
    Own(&'a F::Strategy),
    /// A reference strategy.
    Reference(&'a F::Reference),
    /// A searching player, or a strategy of another family of the game.
    Searching(&'a (dyn AnyStrategy<F::Game> + 'static)),
}

impl<F: Family> Clone for PlayerRef<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Family> Copy for PlayerRef<'_, F> {}

impl<'a, F: Family> PlayerRef<'a, F> {
    /// Returns the strategy with its type hidden.
    pub fn into_any(self) -> &'a (dyn AnyStrategy<F::Game> + 'static) {
        match self {
            PlayerRef::Own(strategy) => strategy,
            PlayerRef::Reference(strategy) => strategy,
            PlayerRef::Searching(strategy) => strategy,
        }
    }
}

/// Selects the code for the type of the strategy at each turn, which is fast enough for long games.
impl<F: Family> Strategy<F::Game> for PlayerRef<'_, F> {
    type Memory = Memories<F>;

    fn begin(&self, memory: &mut Memories<F>, seat: Seat) {
        match self {
            PlayerRef::Own(strategy) => strategy.begin(&mut memory.own, seat),
            PlayerRef::Reference(strategy) => strategy.begin(&mut memory.reference, seat),
            PlayerRef::Searching(strategy) => strategy.begin_any(&mut memory.searching, seat),
        }
    }

    fn act<R: Rng>(
        &self,
        memory: &mut Memories<F>,
        view: ViewOf<'_, F>,
        rng: &mut R,
        action: &mut ActionOf<F>,
    ) {
        match self {
            PlayerRef::Own(strategy) => strategy.act(&mut memory.own, view, rng, action),
            PlayerRef::Reference(strategy) => {
                strategy.act(&mut memory.reference, view, rng, action)
            }
            PlayerRef::Searching(strategy) => {
                strategy.act_any(&mut memory.searching, view, rng, action);
            }
        }
    }

    const WATCHES: bool = true;

    #[inline]
    fn watch<R: Rng>(&self, memory: &mut Memories<F>, view: ViewOf<'_, F>, rng: &mut R) {
        match self {
            PlayerRef::Own(strategy) => strategy.watch(&mut memory.own, view, rng),
            PlayerRef::Reference(strategy) => strategy.watch(&mut memory.reference, view, rng),
            PlayerRef::Searching(strategy) => {
                strategy.watch_any(&mut memory.searching, view, rng);
            }
        }
    }

    fn end(&self, memory: &mut Memories<F>, view: ViewOf<'_, F>, payoff: Payoff) -> bool {
        match self {
            PlayerRef::Own(strategy) => strategy.end(&mut memory.own, view, payoff),
            PlayerRef::Reference(strategy) => strategy.end(&mut memory.reference, view, payoff),
            PlayerRef::Searching(strategy) => strategy.end_any(&mut memory.searching, view, payoff),
        }
    }

    fn heed(memory: &mut Memories<F>, request: &StopRequest) {
        F::Strategy::heed(&mut memory.own, request);
        F::Reference::heed(&mut memory.reference, request);
        memory.searching.heed(request);
    }
}

/// Evaluates `play` for two players, each passed as [`WithMemory`](crate::WithMemory): its strategy, with the concrete
/// type, and its buffers.
macro_rules! of_either {
    ($first:expr, $second:expr, |$a:ident, $b:ident| $play:expr) => {{
        use $crate::PlayerRef::{Own, Reference, Searching};
        let ((first, first_memories), (second, second_memories)) = ($first, $second);
        match (&first, &second) {
            (Own(first), Own(second)) => {
                let ($a, $b) = ((*first, &mut first_memories.own), (*second, &mut second_memories.own));
                $play
            }
            (Own(first), Reference(second)) => {
                let ($a, $b) =
                    ((*first, &mut first_memories.own), (*second, &mut second_memories.reference));
                $play
            }
            (Reference(first), Own(second)) => {
                let ($a, $b) =
                    ((*first, &mut first_memories.reference), (*second, &mut second_memories.own));
                $play
            }
            (Reference(first), Reference(second)) => {
                let ($a, $b) = (
                    (*first, &mut first_memories.reference),
                    (*second, &mut second_memories.reference),
                );
                $play
            }
            // Searches are too slow for the static type of the opponent to matter; a third type would add five copies
            // of the code of a game.
            (Searching(_), _) | (_, Searching(_)) => {
                let ($a, $b) = ((&first, first_memories), (&second, second_memories));
                $play
            }
        }
    }};
}
pub(crate) use of_either;

/// The buffers of one player: a memory for each type of strategy that the player may have.
pub struct Memories<F: Family> {
    /// The memory of a parametric strategy.
    pub own: <F::Strategy as Strategy<F::Game>>::Memory,
    /// The memory of a reference strategy.
    pub reference: <F::Reference as Strategy<F::Game>>::Memory,
    /// The memory of a searching player.
    pub searching: AnyMemory,
}

impl<F: Family> Memories<F> {
    /// Creates the buffers of a player that polls `request` while it thinks.
    pub fn heeding(request: &StopRequest) -> Memories<F> {
        let mut memories = Memories::default();
        PlayerRef::heed(&mut memories, request);
        memories
    }
}

impl<F: Family> Default for Memories<F> {
    fn default() -> Self {
        Memories {
            own: Default::default(),
            reference: Default::default(),
            searching: AnyMemory::default(),
        }
    }
}
