//! Families: a game, a parametric strategy for it, and what to measure it against.

use ruse_games::AdjustableRules;

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

    /// The games after which a run on this family is worth reading, in under a minute on two cores.
    fn default_budget(&self) -> u64;
}
