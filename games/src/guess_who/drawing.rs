//! Guess Who, drawn.

use super::{GuessWho, GuessWhoView};
use crate::board::counted;
use crate::drawing::{Bar, Drawing, Item, Mark, Part};

/// More characters than these are a number and a length.
const MOST_DRAWN: u32 = 48;

impl GuessWho {
    /// What a seat sees; a question can be asked about the characters up to one by choosing it if it `is_open`.
    pub(super) fn drawing(&self, view: &GuessWhoView, names: [&str; 2], is_open: bool) -> Drawing {
        let most = self.num_characters();
        let [own, opponent] = [view.own, view.opponent];
        if most > MOST_DRAWN {
            let bar = |(name, remaining): (&str, u32)| Bar {
                name: name.into(),
                value: remaining.into(),
                most: most.into(),
            };
            let bars = names.into_iter().zip([own, opponent]).map(bar).collect();
            let part = Part::Bars { title: "Characters that are left to find out".into(), bars };
            return Drawing { parts: vec![part], ..Drawing::default() };
        }
        let row = |name: &str, remaining: u32, is_open: bool| {
            let left = counted(remaining.into(), "character", "characters");
            let item = |index: u32| {
                let number = index + 1;
                if number > remaining {
                    return Item::new(Mark::Gone, format!("character {number}: crossed out"));
                }
                let can_ask = is_open && number < remaining;
                let words = match can_ask {
                    true => format!("ask about {}", counted(number.into(), "character", "characters")),
                    false => format!("character {number}: left"),
                };
                let typed = if can_ask { number.to_string() } else { String::new() };
                Item::new(Mark::Face, words).with_text(number.to_string()).typing(typed)
            };
            Part::Row {
                title: format!("{name}: {left} left to find out"),
                items: (0..most).map(item).collect(),
            }
        };
        let parts = vec![row(names[1], opponent, false), row(names[0], own, is_open)];
        Drawing { parts, ..Drawing::default() }
    }
}
