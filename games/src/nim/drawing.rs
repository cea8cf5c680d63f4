//! Drawings of Nim.

use super::Nim;
use crate::counted;
use crate::drawing::{Bar, Drawing, Item, Mark, Part};

/// The largest heap whose matches are drawn one by one; larger heaps are shown as bars.
const MAX_DRAWN: u16 = 40;

impl Nim {
    /// Draws the heaps; if `is_open`, choosing a match takes it and all matches after it.
    pub(super) fn drawing(&self, heaps: &[u16], is_open: bool) -> Drawing {
        let there = self.heaps().into_iter().zip(heaps).enumerate();
        let there = there.filter(|(_, (at_start, _))| *at_start > 0);
        let part = |(index, (at_start, &size)): (usize, (u16, &u16))| {
            let heap = index + 1;
            let title = format!("heap {heap}: {}", counted(size.into(), "match", "matches"));
            if at_start > MAX_DRAWN {
                let bar = Bar { name: title, value: size.into(), most: at_start.into() };
                return Part::Bars { title: format!("heap {heap}"), bars: vec![bar] };
            }
            let item = |left: u16| {
                let taken = size - left;
                let words = counted(taken.into(), "match", "matches");
                let words = format!("take {words} from heap {heap}");
                let typed = if is_open { format!("{heap} {taken}") } else { String::new() };
                Item::new(Mark::Match, words).typing(typed)
            };
            Part::row(title, (0..size).map(item))
        };
        Drawing { parts: there.map(part).collect(), ..Drawing::default() }
    }
}
