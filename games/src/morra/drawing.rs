//! Drawings of Morra.

use super::{Announcement, MAX_FINGERS, Morra, MorraView};
use crate::drawing::{Drawing, Item, Mark, Part};
use crate::{Board, Legal};

impl Morra {
    /// Draws the announcements to choose from.
    pub(super) fn drawing(&self, view: &MorraView, is_open: bool) -> Option<Drawing> {
        if !is_open {
            return None;
        }
        let mut legal: Vec<Announcement> = Vec::new();
        self.legal(view, &mut legal);
        let row = |fingers: u8| {
            let guesses = legal.iter().filter(|announcement| announcement.fingers == fingers);
            let item = |announcement: &Announcement| {
                let guess = announcement.guess;
                let words = format!("show {fingers}, guess {guess}");
                Item::new(Mark::Word, words)
                    .with_text(guess.to_string())
                    .typing(self.write(announcement))
            };
            Part::Row {
                title: format!("Show {fingers}, and guess"),
                items: guesses.map(item).collect(),
            }
        };
        let parts = (0..=MAX_FINGERS).map(row).collect();
        Some(Drawing { parts, ..Drawing::default() })
    }
}
