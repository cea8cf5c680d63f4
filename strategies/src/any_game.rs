//! Games for code that does not depend on the types of a family's strategies.

use ruse_games::{Beliefs, Game, Rule, Seen};
use ruse_search::AnyStrategy;

use crate::{Family, FamilyInfo, GameCapabilities};

/// A game with its family, whose type is hidden: for code that is compiled once for all families of the game.
pub trait AnyGame<G: Game>: Send + Sync {
    /// See [`Family::info`].
    fn info(&self) -> FamilyInfo<'_>;

    /// Returns the game, with the rules in force.
    fn game(&self) -> &G;

    /// Returns the rules that can be changed, with their current values.
    fn rules(&self) -> Vec<Rule>;

    /// Returns the capabilities of the game.
    fn capabilities(&self) -> GameCapabilities<'_, G>;

    /// See [`Family::perfect_values`].
    fn perfect_values(&self, view: &G::View<'_>, actions: &[G::Action]) -> Option<Vec<f64>>;

    /// See [`Family::beliefs`].
    fn beliefs(&self, player: &dyn AnyStrategy<G>, seen: &Seen<'_, G>) -> Option<Beliefs>;
}

impl<F: Family> AnyGame<F::Game> for F {
    fn info(&self) -> FamilyInfo<'_> {
        Family::info(self)
    }

    fn game(&self) -> &F::Game {
        Family::game(self)
    }

    fn rules(&self) -> Vec<Rule> {
        Family::capabilities(self).rules()
    }

    fn capabilities(&self) -> GameCapabilities<'_, F::Game> {
        Family::capabilities(self).game
    }

    fn perfect_values(
        &self,
        view: &<F::Game as Game>::View<'_>,
        actions: &[<F::Game as Game>::Action],
    ) -> Option<Vec<f64>> {
        Family::perfect_values(self, view, actions)
    }

    fn beliefs(
        &self,
        player: &dyn AnyStrategy<F::Game>,
        seen: &Seen<'_, F::Game>,
    ) -> Option<Beliefs> {
        Family::beliefs(self, player, seen)
    }
}
