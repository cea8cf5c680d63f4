//! Drawings of Guess Who.

use super::{GuessWho, GuessWhoView};
use crate::counted;
use crate::drawing::{Bar, Drawing, Item, Mark, Part};

/// The maximum number of characters drawn one by one; more are shown as a bar.
const MAX_DRAWN: u32 = 150;

impl GuessWho {
    /// Draws what a seat sees; if `is_open`, choosing a character asks about all characters up to it.
    pub(super) fn drawing(&self, view: &GuessWhoView, names: [&str; 2], is_open: bool) -> Drawing {
        let most = self.num_characters();
        let bar = |name: &str, remaining: u32| Bar {
            name: name.into(),
            value: remaining.into(),
            most: most.into(),
        };
        let bars = vec![bar(names[0], view.own), bar(names[1], view.opponent)];
        let mut parts =
            vec![Part::Bars { title: "Characters that are left to find out".into(), bars }];
        if most <= MAX_DRAWN {
            let faces = (1..=most).map(|number| face(number, view.own, is_open));
            parts.push(Part::row(format!("{}: the characters", names[0]), faces));
        }
        Drawing { parts, ..Drawing::default() }
    }
}

/// Draws character `number`, counted from 1. Characters above `remain` are crossed out.
fn face(number: u32, remain: u32, is_open: bool) -> Item {
    if number > remain {
        return Item::new(Mark::Gone, format!("character {number}: crossed out"));
    }
    let item = match is_open && number < remain {
        true => {
            let words = format!("ask about {}", counted(number.into(), "character", "characters"));
            Item::new(Mark::Face, words).typing(number.to_string())
        }
        false => Item::new(Mark::Face, format!("character {number}: left")),
    };
    item.with_text(number.to_string())
}
