//! Rollouts: games of a strategy that are played again with another action at one decision.
//!
//! After Lagoudakis & Parr, *Reinforcement learning as classification: leveraging modern classifiers*, ICML 2003, and Fern,
//! Yoon & Givan, *Approximate policy iteration with a policy language bias*, NIPS 2003: a strategy improves if its actions
//! become those after which it scored more. Deviation: all rollouts of a decision belong to one deal with the same random
//! streams, so their payoffs differ by the action and by its consequences.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt};
use ruse_base::stop::StopRequest;
use ruse_games::{Game, Legal, Payoff, Seat};
use ruse_search::{AnyMemory, AnyStrategy, ParametricStrategy, Strategy};

use crate::{Streams, play_by_turns};

/// The largest number of actions that are tried at a decision.
pub const MAX_TRIED: usize = 16;

/// A decision in a game, and the payoffs after some actions in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The player's knowledge, in the code of its strategy.
    pub known: Vec<u64>,
    /// The actions that were tried, in the code of the strategy, each with the payoff to the player: from 2 to [`MAX_TRIED`].
    pub tried: Vec<(u64, f64)>,
    /// The number of decisions of the game for which this one stands.
    pub weight: f64,
}

/// A strategy that learns from [trials](Trial).
pub trait Teachable<G: Legal>: ParametricStrategy<G> {
    /// Returns codes of the player's knowledge at a decision, and of these legal actions.
    fn observe(
        &self,
        memory: &mut Self::Memory,
        view: &G::View<'_>,
        actions: &[G::Action],
    ) -> (Vec<u64>, Vec<u64>);

    /// Returns parameters with which the strategy would score more in the trials of the strategy with parameters `theta`.
    /// Returns `None` if it finds none.
    fn taught<R: Rng>(game: &G, theta: &[f64], trials: &[Trial], rng: &mut R) -> Option<Vec<f64>>;
}

/// The random streams of a game.
type StreamsOfGame = Streams<Xoshiro256PlusPlus>;

/// An opponent, with its buffers.
type Opponent<'a, G> = (&'a dyn AnyStrategy<G>, &'a mut AnyMemory);

/// The learning of a type of strategies from trials.
#[allow(
    clippy::type_complexity,
    reason = "each function has the types of its trait and is written once"
)]
pub struct Teaching<G: Game, S> {
    /// Plays a game of the strategy in a seat with these streams, and again with other actions at one of its decisions,
    /// which is drawn from the generator. Returns the trial, if the strategy had a choice, and the number of games. If the
    /// request is made, the results are meaningless.
    pub play: fn(
        &G,
        &S,
        Seat,
        Opponent<'_, G>,
        &StreamsOfGame,
        &mut Xoshiro256PlusPlus,
        &StopRequest,
    ) -> (Option<Trial>, u64),
    /// See [`Teachable::taught`].
    pub taught: fn(&G, &[f64], &[Trial], &mut Xoshiro256PlusPlus) -> Option<Vec<f64>>,
}

impl<G: Legal, S: Teachable<G>> Teaching<G, S> {
    /// Returns the functions of the strategies.
    pub fn new() -> Teaching<G, S> {
        Teaching { play, taught: S::taught }
    }
}

impl<G: Legal, S: Teachable<G>> Default for Teaching<G, S> {
    fn default() -> Teaching<G, S> {
        Teaching::new()
    }
}

/// A strategy that takes another action at one decision.
struct Deviant<'a, G, S> {
    game: &'a G,
    strategy: &'a S,
    /// The index of the decision, among those with a choice.
    decision: usize,
    /// The index of the action among the legal actions.
    action: usize,
}

/// The memory of a [`Deviant`].
struct DeviantMemory<G: Game, M> {
    own: M,
    legal: Vec<G::Action>,
    /// The number of legal actions at each decision with a choice, and the index of the action of the strategy.
    decisions: Vec<(usize, usize)>,
    /// The codes of the decision at which it deviated.
    observed: (Vec<u64>, Vec<u64>),
}

impl<G: Game, M: Default> Default for DeviantMemory<G, M> {
    fn default() -> DeviantMemory<G, M> {
        let (own, legal, decisions) = (M::default(), Vec::new(), Vec::new());
        DeviantMemory { own, legal, decisions, observed: Default::default() }
    }
}

impl<G: Legal, S: Teachable<G>> Strategy<G> for Deviant<'_, G, S> {
    type Memory = DeviantMemory<G, S::Memory>;

    fn begin(&self, memory: &mut Self::Memory, seat: Seat) {
        memory.decisions.clear();
        self.strategy.begin(&mut memory.own, seat);
    }

    fn act<R: Rng>(
        &self,
        memory: &mut Self::Memory,
        view: G::View<'_>,
        rng: &mut R,
        action: &mut G::Action,
    ) {
        let DeviantMemory { own, legal, decisions, observed } = memory;
        legal.clear();
        self.game.legal(&view, legal);
        let deviates = legal.len() > 1 && decisions.len() == self.decision;
        if deviates {
            *observed = self.strategy.observe(own, &view, legal);
        }
        self.strategy.act(own, view, rng, action);
        if legal.len() > 1 {
            let made = legal.iter().position(|legal| legal == action);
            decisions.push((legal.len(), made.expect("strategies act legally")));
        }
        if deviates {
            *action = legal[self.action].clone();
        }
    }

    fn end(&self, memory: &mut Self::Memory, view: G::View<'_>, payoff: Payoff) -> bool {
        self.strategy.end(&mut memory.own, view, payoff)
    }

    fn heed(memory: &mut Self::Memory, request: &StopRequest) {
        S::heed(&mut memory.own, request);
    }
}

/// A strategy whose type is hidden.
struct Hidden<'a, G: Game>(&'a dyn AnyStrategy<G>);

impl<G: Game> Strategy<G> for Hidden<'_, G> {
    type Memory = AnyMemory;

    fn begin(&self, memory: &mut AnyMemory, seat: Seat) {
        self.0.begin_any(memory, seat);
    }

    fn act<R: Rng>(
        &self,
        memory: &mut AnyMemory,
        view: G::View<'_>,
        rng: &mut R,
        action: &mut G::Action,
    ) {
        self.0.act_any(memory, view, rng, action);
    }

    fn end(&self, memory: &mut AnyMemory, view: G::View<'_>, payoff: Payoff) -> bool {
        self.0.end_any(memory, view, payoff)
    }
}

fn play<G: Legal, S: Teachable<G>>(
    game: &G,
    strategy: &S,
    seat: Seat,
    (opponent, opponent_memory): Opponent<'_, G>,
    streams: &StreamsOfGame,
    rng: &mut Xoshiro256PlusPlus,
    request: &StopRequest,
) -> (Option<Trial>, u64) {
    let opponent = Hidden(opponent);
    let mut memory = DeviantMemory::<G, S::Memory>::default();
    Deviant::<G, S>::heed(&mut memory, request);
    let mut made = G::Action::default();
    let mut payoff = |decision: usize, action: usize, memory: &mut DeviantMemory<G, S::Memory>| {
        let deviant = Deviant { game, strategy, decision, action };
        let mut streams = streams.clone();
        let state = game.deal(&mut streams.chance);
        let opponent = (&opponent, &mut *opponent_memory);
        match seat {
            Seat::First => {
                let sides = ((&deviant, memory), opponent);
                play_by_turns(game, state, sides.0, sides.1, &mut made, &mut streams, request)
            }
            Seat::Second => {
                let sides = (opponent, (&deviant, memory));
                play_by_turns(game, state, sides.0, sides.1, &mut made, &mut streams, request)
                    .reversed()
            }
        }
        .score()
    };
    let usual = payoff(usize::MAX, 0, &mut memory);
    if memory.decisions.is_empty() || request.is_set() {
        return (None, 1);
    }
    let weight = memory.decisions.len() as f64;
    let decision = rng.random_range(0..memory.decisions.len());
    let (num_legal, own) = memory.decisions[decision];
    // The actions in random order, after the strategy's own.
    let mut order: Vec<usize> = (0..num_legal).collect();
    order.swap(0, own);
    for index in 1..num_legal.min(MAX_TRIED) {
        order.swap(index, rng.random_range(index..num_legal));
    }
    order.truncate(MAX_TRIED);
    let payoffs: Vec<f64> = std::iter::once(usual)
        .chain(order[1..].iter().map(|&action| payoff(decision, action, &mut memory)))
        .collect();
    let (known, codes) = memory.observed;
    let tried = order.iter().zip(&payoffs).map(|(&action, &payoff)| (codes[action], payoff));
    (Some(Trial { known, tried: tried.collect(), weight }), payoffs.len() as u64)
}
