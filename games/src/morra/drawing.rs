//! Drawings of Morra.

use super::{Announcement, MAX_FINGERS, MAX_SUM, Morra};
use crate::Board;
use crate::drawing::{Drawing, Item, Mark, Part};

impl Morra {
    /// Draws the announcements to choose from.
    pub(super) fn drawing(&self) -> Drawing {
        let row = |fingers: u8| {
            let item = |guess: u8| {
                let words = format!("show {fingers}, guess {guess}");
                Item::new(Mark::Word, words)
                    .with_text(guess.to_string())
                    .typing(self.write(&Announcement { fingers, guess }))
            };
            Part::row(format!("Show {fingers}, and guess"), (0..=MAX_SUM).map(item))
        };
        let parts = (0..=MAX_FINGERS).map(row).collect();
        Drawing { parts, ..Drawing::default() }
    }
}
