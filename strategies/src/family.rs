//! Families: a game, a parametric strategy for it, and what to measure it against.

use ruse_games::{AdjustableRules, Board, BySeat, Game};

use crate::{ParametricStrategy, Picture, Strategy};

/// A strategy that needs no parameters and has a name.
#[derive(Debug, Clone)]
pub struct Reference<S> {
    /// The name a user types, in kebab-case.
    pub name: &'static str,
    /// How it plays, in one line.
    pub meaning: &'static str,
    /// The strategy itself.
    pub strategy: S,
}

/// A strategy of a family, of any kind.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyStrategy<'a, F: Family> {
    /// A parametric strategy.
    Parametric(&'a F::Strategy),
    /// A reference strategy.
    Reference(&'a F::Reference),
    /// The baseline: a parametric strategy whose parameters are standard Gaussian, drawn anew for every pair.
    Redrawn,
    /// One of these parametric and reference strategies, drawn anew for every pair with its probability. The
    /// probabilities sum to 1.
    Mixture(Vec<(f64, AnyStrategy<'a, F>)>),
}

/// What an exact best response takes from a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct BestResponse {
    /// Its expected score by the seat that it takes, each in [0, 1].
    pub scores: BySeat<f64>,
    /// How it plays, in words, where few are enough.
    pub words: Option<String>,
}

impl BestResponse {
    /// Its expected score, both seats averaged, in [0, 1]. It is at least 1/2: a strategy against itself has
    /// that.
    pub fn score(&self) -> f64 {
        (self.scores.first + self.scores.second) / 2.0
    }
}

/// A game that a person can sit down to.
#[derive(Clone, Copy)]
pub struct OpenBoard<'a, G: Game> {
    /// What is shown and typed.
    pub board: &'a dyn Board<G>,
    /// The reference strategy to play against, unless the person names another opponent.
    pub opponent: &'static str,
}

/// A parametric strategy type of a game: what an optimiser is run on.
pub trait Family: Clone + Send + Sync + 'static {
    /// The game that is played.
    type Game: AdjustableRules;
    /// The strategies that are tuned.
    type Strategy: ParametricStrategy<Self::Game>;
    /// The strategies they are compared with.
    type Reference: Strategy<Self::Game>;

    /// The name a user types, in kebab-case.
    fn name(&self) -> &str;

    /// The name of the game, in kebab-case.
    fn game_name(&self) -> &str;

    /// What the parameters decide, in one line.
    fn summary(&self) -> &str;

    /// The game, with the rules in force.
    fn game(&self) -> &Self::Game;

    /// The same family of a game with other rules.
    #[must_use]
    fn with_game(&self, game: Self::Game) -> Self;

    /// The named strategies.
    fn references(&self) -> Vec<Reference<Self::Reference>>;

    /// The named strategy that plays as people usually do, or as they are advised to; none by default.
    fn common_play(&self) -> Option<&str> {
        None
    }

    /// How `strategy` plays, in words that a person can follow at the table.
    fn words(&self, strategy: &Self::Strategy) -> String;

    /// What there is to see of `strategy`. Without an answer its parameters are shown by name.
    fn picture(&self, strategy: &Self::Strategy) -> Option<Picture> {
        let _ = strategy;
        None
    }

    /// What `strategy` scores in pairs against the redrawn baseline, in [0, 1], if there is a quick way to know
    /// it exactly.
    fn exact_baseline_score(&self, strategy: &Self::Strategy) -> Option<f64> {
        let _ = strategy;
        None
    }

    /// What `a` scores in pairs against `b`, in [0, 1], where it can be computed exactly.
    ///
    /// It may take seconds; a race asks [`exact_baseline_score`](Family::exact_baseline_score) instead.
    fn exact_score(&self, a: &AnyStrategy<'_, Self>, b: &AnyStrategy<'_, Self>) -> Option<f64> {
        let _ = (a, b);
        None
    }

    /// What the best strategy there is takes from `strategy`, where it can be computed exactly: the best of all
    /// strategies that the rules of the game allow, not only of this family. It may take seconds.
    fn best_response(&self, strategy: &AnyStrategy<'_, Self>) -> Option<BestResponse> {
        let _ = strategy;
        None
    }

    /// How a person plays the game, if one can.
    fn board(&self) -> Option<OpenBoard<'_, Self::Game>> {
        None
    }

    /// The games after which a run on this family is worth reading, in under a minute on two cores.
    fn default_budget(&self) -> u64;
}
