//! The family of Four in a Row.

use ruse_games::column_board::NUM_COLUMNS;
use ruse_games::four_in_a_row::FourInARow;
use ruse_picture::Picture;

use super::{FlatMonteCarlo, FourInARowReference, NUM_PLAYOUTS, picture};
use crate::{Capabilities, Family, FamilyInfo, Reference};

/// The family `four-in-a-row`.
#[derive(Debug, Clone)]
pub struct FourInARowFamily {
    pub(super) game: FourInARow,
}

impl Default for FourInARowFamily {
    fn default() -> Self {
        FourInARowFamily { game: FourInARow::standard() }
    }
}

impl Family for FourInARowFamily {
    type Game = FourInARow;
    type Strategy = FlatMonteCarlo;
    type Reference = FourInARowReference;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            about: "drop stones into columns; four in a row win",
            common_play: Some("uniform-monte-carlo"),
            // This is enough for one or two dozen comparisons, as a game takes a few hundred microseconds.
            default_budget: 200_000,
            ..FamilyInfo::new(
                "four-in-a-row",
                "which columns are frequent in the random games of flat Monte-Carlo",
            )
        }
    }

    fn game(&self) -> &FourInARow {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
            .adjustable(|_, game| FourInARowFamily { game })
            .portable(|_| true)
            .board("careful-monte-carlo")
            .numbered()
            .listed_and_open()
    }

    fn references(&self) -> Vec<Reference<FourInARowReference>> {
        let game = &self.game;
        vec![
            Reference::named("random", FourInARowReference::Random(game.columns()))
                .meaning("puts every stone into a random column that is not full"),
            Reference::named(
                "uniform-monte-carlo",
                FourInARowReference::MonteCarlo(FlatMonteCarlo::uniform(game)),
            )
            .meaning("takes the move that wins most of 20 games of random stones")
            // Equal weights make random games uniform.
            .with_parameters(vec![0.0; 2 * NUM_COLUMNS]),
            Reference::named(
                "careful-monte-carlo",
                FourInARowReference::MonteCarlo(FlatMonteCarlo::careful(game)),
            )
            .meaning("the same, among the moves that do not let the opponent win at once"),
        ]
    }

    fn words(&self, strategy: &FlatMonteCarlo) -> String {
        let [own, opponent] = strategy.column_probabilities().map(|probabilities| {
            let columns = ('a'..='g').zip(probabilities);
            let columns = columns.map(|(column, probability)| format!("{column} {probability:.2}"));
            columns.collect::<Vec<_>>().join(", ")
        });
        format!(
            "takes a move that wins at once, and otherwise the one that wins most of {NUM_PLAYOUTS} random \
             games, in which own stones go into the columns a to g with probabilities {own}; and those of \
             the opponent {opponent}"
        )
    }

    fn picture(&self, strategy: &FlatMonteCarlo) -> Option<Picture> {
        Some(picture::picture(strategy))
    }
}
