//! The family of Phantom Four.

use std::ops::Range;

use ruse_games::column_board::NUM_COLUMNS;
use ruse_games::phantom_four::PhantomFour;
use ruse_games::{BySeat, Seat};
use ruse_picture::Picture;

use super::response::best_response;
use super::{ColumnReference, OrderLists, letters, picture, response};
use crate::{BestResponse, Capabilities, Family, FamilyInfo, Prepared, Reference};

/// Returns `true` if a strategy puts its stones into random columns, as the redrawn baseline does.
fn is_random(strategy: &Prepared<PhantomFourFamily>) -> bool {
    matches!(strategy, Prepared::Reference(ColumnReference::Random) | Prepared::Redrawn(_))
}

/// Returns the lists of a strategy that follows lists, or `None` for other strategies.
fn known_lists(strategy: &Prepared<PhantomFourFamily>) -> Option<&OrderLists> {
    match strategy {
        Prepared::Own(lists) | Prepared::Reference(ColumnReference::Lists(lists)) => Some(lists),
        _ => None,
    }
}

/// The family `phantom-four`.
#[derive(Debug, Clone)]
pub struct PhantomFourFamily {
    pub(super) game: PhantomFour,
}

impl Default for PhantomFourFamily {
    fn default() -> Self {
        PhantomFourFamily { game: PhantomFour::standard() }
    }
}

impl Family for PhantomFourFamily {
    type Game = PhantomFour;
    type Strategy = OrderLists;
    type Reference = ColumnReference;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            about: "four in a row on a board that is not shown",
            common_play: Some("random"),
            default_budget: 5_000_000,
            ..FamilyInfo::new(
                "phantom-four",
                "which pseudo-random list of column orders each seat goes by",
            )
        }
    }

    fn game(&self) -> &PhantomFour {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
            .adjustable(|_, game| PhantomFourFamily { game })
            .board("centre")
            .numbered()
            .drawn()
    }

    fn references(&self) -> Vec<Reference<ColumnReference>> {
        let game = &self.game;
        let bottom_row = OrderLists::from_fn(game, |_, index| {
            let mut columns = [3, 2, 4, 1, 5, 0, 6];
            columns.rotate_left(index % NUM_COLUMNS);
            columns.into()
        });
        vec![
            Reference::named("random", ColumnReference::Random)
                .meaning("puts every stone into a random column that is not full"),
            Reference::named(
                "one-column",
                ColumnReference::Lists(OrderLists::always(game, [0, 1, 2, 3, 4, 5, 6])),
            )
            .meaning("fills the columns one after the other, from the left"),
            Reference::named(
                "centre",
                ColumnReference::Lists(OrderLists::always(game, [3, 2, 4, 1, 5, 0, 6])),
            )
            .meaning("fills the columns one after the other, from the middle outwards"),
            Reference::named("each-column", ColumnReference::Lists(bottom_row)).meaning(
                "puts a stone into each column, from the middle outwards, and begins again",
            ),
        ]
    }

    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        Some(BySeat { first: 0..1, second: 1..2 })
    }

    fn words(&self, strategy: &OrderLists) -> String {
        let columns = |seat| {
            let orders = strategy.orders(seat).iter();
            letters(&orders.map(|order| order.columns()[0]).collect::<Vec<_>>())
        };
        let score = strategy.score_against_random(&self.game);
        let score = score.map(|score| format!("; against random columns this scores {score:.4}"));
        format!(
            "puts its stones, one after the other, into these of the columns a to g: as first player {}; \
             as second player {}; when one is full, into the next of an order that belongs to the stone{}",
            columns(Seat::First),
            columns(Seat::Second),
            score.unwrap_or_default()
        )
    }

    fn picture(&self, strategy: &OrderLists) -> Option<Picture> {
        Some(picture::picture(&self.game, strategy))
    }

    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        let (a, b) = match (known_lists(a), known_lists(b)) {
            (Some(a), Some(b)) => (a, b),
            (Some(a), None) if is_random(b) => return a.score_against_random(&self.game),
            (None, Some(b)) if is_random(a) => {
                return b.score_against_random(&self.game).map(|score| 1.0 - score);
            }
            _ => return None,
        };
        let as_first = response::play(&self.game, a, b);
        let as_second = response::play(&self.game, b, a).reversed();
        Some((as_first.score() + as_second.score()) / 2.0)
    }

    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let lists = known_lists(strategy)?;
        let first = best_response(&self.game, Seat::First, lists)?;
        let second = best_response(&self.game, Seat::Second, lists)?;
        let words = format!(
            "puts its stones into these of the columns a to g: as first player {}; as second player {}",
            letters(&first.columns),
            letters(&second.columns)
        );
        let scores = BySeat { first: first.score(), second: second.score() };
        Some(BestResponse { scores, words: Some(words) })
    }
}
