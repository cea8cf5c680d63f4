//! Drawings of Flip.

use super::board::PILES;
use super::{Flip, FlipAction, FlipState, FlipView, RankCounts};
use crate::drawing::{Drawing, Item, Mark, Part};
use crate::{BySeat, Seat};

impl Flip {
    fn card(&self, rank: u8) -> Item {
        let name = self.rank_name(rank);
        Item::new(Mark::Card, name.clone()).with_text(name)
    }

    fn row(&self, title: String, cards: RankCounts) -> Part {
        Part::row(title, Vec::from(cards).into_iter().map(|rank| self.card(rank)))
    }

    fn drawn_piles(&self, tops: [u8; 2], table: RankCounts) -> [Part; 2] {
        let top = |(rank, name): (u8, &str)| {
            let card = self.card(rank);
            Item { words: format!("{}, the top card of the {name} pile", card.words), ..card }
        };
        let piles = Part::row("The piles, left and right", tops.into_iter().zip(PILES).map(top));
        [piles, self.row("All cards on the table".into(), table)]
    }

    /// Draws what a seat sees. If `is_open`, choosing a card that fits on exactly one pile puts it there.
    pub(super) fn drawing(&self, view: &FlipView, is_open: bool) -> Drawing {
        let mut actions: Vec<FlipAction> = Vec::new();
        if is_open {
            self.for_each_action(view.own, view.tops, |action| actions.push(action));
        }
        let own = Vec::from(view.own).into_iter().map(|rank| {
            let fitting: Vec<_> = actions.iter().filter(|action| action.card == rank).collect();
            let card = self.card(rank);
            match fitting.as_slice() {
                [action] => {
                    let pile = PILES[usize::from(action.pile)];
                    let words = format!("put {} on the {pile} pile", card.text);
                    let typed = format!("{} {pile}", card.text);
                    Item { words, ..card }.typing(typed)
                }
                [] => card,
                _ => Item { words: format!("{}, which fits on both piles", card.words), ..card },
            }
        });
        let [tops, table] = self.drawn_piles(view.tops, view.table);
        let theirs = format!("Their cards, and {} in reserve", view.opponent_reserve);
        let parts = vec![
            self.row(theirs, view.opponent),
            tops,
            Part::row(format!("Your cards, and {} in reserve", view.own_reserve), own),
            table,
        ];
        Drawing { parts, ..Drawing::default() }
    }

    /// Draws all cards.
    pub(super) fn whole_drawing(&self, state: &FlipState, names: BySeat<&str>) -> Drawing {
        let mut parts = Vec::from(self.drawn_piles(state.tops, state.table));
        for seat in Seat::BOTH {
            parts.push(self.row(format!("{} visible", names[seat]), state.visible[seat]));
            let reserve = state.reserves[seat].cards().iter().rev().map(|&rank| self.card(rank));
            parts.push(Part::row(format!("{} reserve, the next card first", names[seat]), reserve));
        }
        Drawing { parts, ..Drawing::default() }
    }
}
