//! Drawings of Cheat.

use super::board::{COLOURS, letter, one};
use super::{Cheat, CheatState, CheatView, Counts};
use crate::drawing::{Drawing, Item, Mark, Part};
use crate::{BySeat, Seat, counted};

/// Draws one card for each colour, labelled with the number of cards; the cards can be chosen if `is_open`.
fn hand(title: &str, counts: Counts, is_open: bool) -> Part {
    let held = (0..).zip(COLOURS).zip(counts).filter(|(_, count)| *count > 0);
    let items = held.map(|((colour, (one, many, sign)), count)| {
        let mark = if matches!(one, "heart" | "diamond") { Mark::RedCard } else { Mark::Card };
        let typed = if is_open { letter(colour) } else { "" };
        let words = counted(count.into(), one, many);
        Item::new(mark, words).with_text(format!("{sign} {count}")).typing(typed)
    });
    Part::row(title, items)
}

/// Draws `count` face-down cards as one card, labelled with their number.
fn backs(title: String, count: u8) -> Part {
    let back = |count: u8| {
        let words = format!("{} face down", counted(count.into(), "card", "cards"));
        Item::new(Mark::Back, words).with_text(count.to_string())
    };
    Part::row(title, (count > 0).then(|| back(count)))
}

impl Cheat {
    /// Draws what a seat sees; if `is_open`, the seat can choose a card to put.
    pub(super) fn drawing(&self, view: &CheatView, is_open: bool) -> Drawing {
        let table = match view.current {
            Some(colour) => format!("On the table, all as {}", COLOURS[usize::from(colour)].1),
            None => "The table is empty".into(),
        };
        let opponent = match view.opponent_put {
            0 => "The opponent has".to_string(),
            put => format!("The opponent, who put {put} this round, has"),
        };
        let mut parts = vec![
            backs(opponent, view.opponent_cards),
            backs(table, view.table()),
            hand("You have", view.own, is_open),
        ];
        if view.current.is_some() {
            parts.push(hand("You put this round", view.own_put, false));
        }
        Drawing { parts, ..Drawing::default() }
    }

    /// Draws both hands, and the cards on the table.
    pub(super) fn whole_drawing(&self, state: &CheatState, names: BySeat<&str>) -> Drawing {
        let mut parts = Vec::new();
        for seat in Seat::BOTH {
            parts.push(hand(&format!("{} hand", names[seat]), state.hands[seat], false));
            if let Some(round) = state.round {
                let title = format!("{} put as {}", names[seat], one(round.current));
                parts.push(hand(&title, state.put[seat], false));
            }
        }
        Drawing { parts, ..Drawing::default() }
    }
}
