//! What sits on one side of a match.

use rand_distr::{Distribution, StandardNormal};
use ruse_games::Game;
use ruse_strategies::{ParametricStrategy, Strategy};

use crate::rng::{Label, StreamKey};

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
        theta.extend((0..self.dimension).map(|_| -> f64 { StandardNormal.sample(&mut stream) }));
        let strategy = strategy.get_or_insert_with(|| self.template.clone());
        strategy
            .set_parameters(game, theta)
            .expect("Gaussian numbers of the right dimension are in every parameter space");
        strategy
    }
}
