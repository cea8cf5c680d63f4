//! What sits on one side of a match.

use std::sync::Arc;

use rand::{Rng, RngExt};
use rand_distr::Distribution;
use ruse_games::{Answers, Game, Seat};
use ruse_strategies::{ParametricStrategy, Strategy};

use crate::rng::{Gaussian, Label, StreamKey};

/// One of the two sides of a match, whatever seat it takes in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The side whose score is reported.
    A,
    /// Its opponent.
    B,
}

/// A side of a match that says which strategy plays each pair.
pub trait Contestant<G: Game>: Send + Sync {
    /// The strategies it plays.
    type Strategy: Strategy<G>;
    /// Buffers that are reused from pair to pair.
    type Scratch: Default + Send;
    /// Whether the same strategy plays every pair.
    const IS_FIXED: bool;

    /// The strategy that plays both games of the pair of key `pair`.
    fn enter<'a>(
        &'a self,
        game: &G,
        pair: StreamKey,
        side: Side,
        scratch: &'a mut Self::Scratch,
    ) -> &'a Self::Strategy;
}

impl<G: Game, C: Contestant<G>> Contestant<G> for &C {
    type Strategy = C::Strategy;
    type Scratch = C::Scratch;
    const IS_FIXED: bool = C::IS_FIXED;

    #[inline]
    fn enter<'a>(
        &'a self,
        game: &G,
        pair: StreamKey,
        side: Side,
        scratch: &'a mut Self::Scratch,
    ) -> &'a Self::Strategy {
        (**self).enter(game, pair, side, scratch)
    }
}

/// The same strategy in every pair.
#[derive(Debug, Clone)]
pub struct Fixed<S>(pub S);

impl<G: Game, S: Strategy<G>> Contestant<G> for Fixed<S> {
    type Strategy = S;
    type Scratch = ();
    const IS_FIXED: bool = true;

    #[inline]
    fn enter<'a>(&'a self, _: &G, _: StreamKey, _: Side, _: &'a mut ()) -> &'a S {
        &self.0
    }
}

/// A parametric strategy whose parameters are standard Gaussian and drawn anew for every pair: the
/// naive opponent (Cauwet & Teytaud 2018, section II-B), as a mixed strategy.
#[derive(Debug, Clone)]
pub struct Redrawn<S> {
    template: S,
    dimension: usize,
}

impl<S> Redrawn<S> {
    /// The naive opponent of a family.
    pub fn new<G: Game>(game: &G) -> Redrawn<S>
    where
        S: ParametricStrategy<G>,
    {
        let dimension = S::space(game).dimension();
        let template = S::from_parameters(game, &vec![0.0; dimension])
            .expect("a vector of zeros is in every parameter space");
        Redrawn { template, dimension }
    }
}

impl<G: Game, S: ParametricStrategy<G>> Contestant<G> for Redrawn<S> {
    type Strategy = S;
    type Scratch = (Vec<f64>, Option<S>);
    const IS_FIXED: bool = false;

    fn enter<'a>(
        &'a self,
        game: &G,
        pair: StreamKey,
        side: Side,
        (theta, strategy): &'a mut Self::Scratch,
    ) -> &'a S {
        let mut stream = pair.child(Label::Baseline, side as u64).stream();
        theta.clear();
        theta.extend((0..self.dimension).map(|_| -> f64 { Gaussian.sample(&mut stream) }));
        let strategy = strategy.get_or_insert_with(|| self.template.clone());
        strategy
            .set_parameters(game, theta)
            .expect("Gaussian numbers of the right dimension are in every parameter space");
        strategy
    }
}

/// A strategy that plays every pair, parametric or not.
#[derive(Debug, Clone)]
pub enum Given<S, R> {
    /// A parametric strategy.
    Parametric(Fixed<S>),
    /// A reference strategy.
    Reference(Fixed<R>),
}

/// Calls the method of whichever strategy it is, with its own memory.
macro_rules! of_given {
    ($given:expr, $memory:expr, |$strategy:ident, $own:ident| $call:expr) => {
        match $given {
            Given::Parametric(Fixed($strategy)) => {
                let $own = $memory.0;
                $call
            }
            Given::Reference(Fixed($strategy)) => {
                let $own = $memory.1;
                $call
            }
        }
    };
}

impl<G: Game, S: Strategy<G>, R: Strategy<G>> Strategy<G> for Given<S, R> {
    type Memory = (S::Memory, R::Memory);

    #[inline]
    fn begin(&self, (own, of_reference): &mut Self::Memory, seat: Seat) {
        of_given!(self, (own, of_reference), |strategy, memory| strategy.begin(memory, seat));
    }

    #[inline]
    fn act<Rn: Rng>(
        &self,
        (own, of_reference): &mut Self::Memory,
        view: G::View<'_>,
        rng: &mut Rn,
        action: &mut G::Action,
    ) {
        of_given!(self, (own, of_reference), |strategy, memory| {
            strategy.act(memory, view, rng, action);
        });
    }

    #[inline]
    fn can_be_steady(&self) -> bool {
        match self {
            Given::Parametric(Fixed(strategy)) => strategy.can_be_steady(),
            Given::Reference(Fixed(strategy)) => strategy.can_be_steady(),
        }
    }

    #[inline]
    fn steady_actions(&self, (own, of_reference): &Self::Memory) -> u64 {
        of_given!(self, (own, of_reference), |strategy, memory| strategy.steady_actions(memory))
    }

    #[inline]
    fn answers<Rn: Rng>(
        &self,
        (own, of_reference): &mut Self::Memory,
        stretch: u64,
        rng: &mut Rn,
    ) -> Option<Answers> {
        of_given!(self, (own, of_reference), |strategy, memory| {
            strategy.answers(memory, stretch, rng)
        })
    }

    #[inline]
    fn skip_actions(&self, (own, of_reference): &mut Self::Memory, num_actions: u64) {
        of_given!(self, (own, of_reference), |strategy, memory| {
            strategy.skip_actions(memory, num_actions);
        });
    }
}

/// One of several strategies, drawn anew for every pair by their weights: a portfolio, as a mixed strategy.
#[derive(Debug, Clone)]
pub struct Mixed<S> {
    members: Vec<Fixed<S>>,
    /// The sum of the weights up to each member.
    sums: Vec<f64>,
}

/// Draws by weights of which `sums` are the running sums: an index, of a positive weight.
pub(super) fn draw_by_weight(sums: &[f64], key: StreamKey) -> usize {
    let total = sums.last().copied().unwrap_or_default();
    let drawn = key.stream().random::<f64>() * total;
    // Rounding may reach the total: then it is the last that has a weight.
    let index = sums.partition_point(|sum| *sum <= drawn);
    if index < sums.len() { index } else { sums.partition_point(|sum| *sum < total) }
}

impl<S> Mixed<S> {
    /// The choices of a pair below this are of [`AgainstMixture`](super::AgainstMixture).
    const FIRST_CHOICE: u64 = 2;

    /// The strategies with a positive weight, of which there is at least one.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub fn new(members: impl IntoIterator<Item = (f64, S)>) -> Mixed<S> {
        let (mut strategies, mut sums, mut sum) = (Vec::new(), Vec::new(), 0.0);
        for (weight, strategy) in members.into_iter().filter(|(weight, _)| *weight > 0.0) {
            sum += weight;
            strategies.push(Fixed(strategy));
            sums.push(sum);
        }
        assert!(!strategies.is_empty(), "a mixture has a member of positive weight");
        Mixed { members: strategies, sums }
    }

    /// The strategy that plays the pair of key `pair`.
    pub(crate) fn drawn(&self, pair: StreamKey, side: Side) -> &Fixed<S> {
        let choice = pair.child(Label::Choice, Self::FIRST_CHOICE + side as u64);
        &self.members[draw_by_weight(&self.sums, choice)]
    }

    /// The same, of strategies that several may hold.
    pub(crate) fn shared(self) -> Mixed<Arc<S>> {
        let members = self.members.into_iter().map(|Fixed(strategy)| Fixed(Arc::new(strategy)));
        Mixed { members: members.collect(), sums: self.sums }
    }

    /// The strategies, each with its probability.
    pub(crate) fn members(&self) -> impl Iterator<Item = (f64, &Fixed<S>)> {
        let total = self.sums.last().copied().unwrap_or_default();
        let before = std::iter::once(0.0).chain(self.sums.iter().copied());
        let weights = self.sums.iter().zip(before).map(move |(sum, before)| (sum - before) / total);
        weights.zip(&self.members)
    }
}

impl<G: Game, S: Strategy<G>> Contestant<G> for Mixed<S> {
    type Strategy = S;
    type Scratch = ();
    const IS_FIXED: bool = false;

    fn enter<'a>(&'a self, _: &G, pair: StreamKey, side: Side, _: &'a mut ()) -> &'a S {
        &self.drawn(pair, side).0
    }
}
