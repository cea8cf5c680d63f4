//! Drawings of War.

use super::{War, WarState, WarView};
use crate::drawing::{Bar, Drawing, Entry, Item, Mark, Part};
use crate::{BySeat, Seat};

/// A drawing shows at most this many cards of a deck, from the top.
const MAX_CARDS: usize = 60;

impl War {
    fn card(&self, rank: u8) -> Item {
        let name = self.rank_name(rank);
        Item::new(Mark::Card, name.clone()).with_text(name)
    }

    fn bars(&self, names: [&str; 2], cards: [usize; 2]) -> Part {
        let most = (self.num_ranks * self.num_suits) as u64;
        let bars = names.into_iter().zip(cards).map(|(name, cards)| Bar {
            name: name.into(),
            value: cards as u64,
            most,
        });
        Part::Bars { title: "Cards in the decks".into(), bars: bars.collect() }
    }

    /// Draws what a seat sees. The seat can choose, in any order, the cards that it has won.
    pub(super) fn drawing(&self, view: &WarView<'_>) -> Drawing {
        // Each tie adds a card face down and a card face up.
        let turned = |decides: Option<u8>| {
            let back = Item::new(Mark::Back, "a card face down");
            let mut items = Vec::new();
            for &rank in view.ties {
                items.extend([self.card(rank).strong(true), back.clone()]);
            }
            if decides.is_none() {
                items.pop();
            }
            items.extend(decides.map(|rank| self.card(rank)));
            items
        };
        let mut parts = vec![
            Part::row("The opponent turns up", turned(view.turned_up.map(|(_, other)| other))),
            Part::row("You turn up", turned(view.turned_up.map(|(own, _)| own))),
        ];
        if !view.pile.is_empty() {
            let won = view.pile.iter().rev();
            let won = won.map(|&rank| self.card(rank).typing(self.rank_name(rank)));
            parts.push(Part::row("You have won", won));
        }
        parts.push(self.bars(["you", "the opponent"], [view.own_cards, view.opponent_cards]));
        Drawing { parts, entry: Entry::Words }
    }

    /// Draws both decks, the top cards first.
    pub(super) fn whole_drawing(&self, state: &WarState, names: BySeat<&str>) -> Drawing {
        let deck = |seat: Seat| {
            let cards = state.decks.cards(seat).take(MAX_CARDS).map(|rank| self.card(rank));
            Part::row(format!("{}, the top card first", names[seat]), cards)
        };
        let num_cards = Seat::BOTH.map(|seat| state.decks.len(seat));
        let parts = vec![
            deck(Seat::First),
            deck(Seat::Second),
            self.bars([names.first, names.second], num_cards),
        ];
        Drawing { parts, ..Drawing::default() }
    }
}
