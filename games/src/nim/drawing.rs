//! Nim, drawn.

use super::Nim;
use crate::board::counted;
use crate::drawing::{Bar, Drawing, Item, Mark, Part};

/// More matches than these are a number and a length.
const MOST_DRAWN: u16 = 40;

impl Nim {
    /// The heaps; the matches from one on can be taken by choosing it if it `is_open`.
    pub(super) fn drawing(&self, heaps: &[u16], is_open: bool) -> Drawing {
        let there = self.heaps().into_iter().zip(heaps).enumerate();
        let there = there.filter(|(_, (at_start, _))| *at_start > 0);
        let part = |(index, (at_start, &size)): (usize, (u16, &u16))| {
            let heap = index + 1;
            let title = format!("heap {heap}: {}", counted(size.into(), "match", "matches"));
            if at_start > MOST_DRAWN {
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
            Part::Row { title, items: (0..size).map(item).collect() }
        };
        Drawing { parts: there.map(part).collect(), ..Drawing::default() }
    }
}
