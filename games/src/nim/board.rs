//! The text interface of Nim.

use super::{Nim, NimState, NimView, Take};
use crate::board::all_legal;
use crate::{Board, BySeat, Drawing, Event, NotAnAction, Page, Seen, counted};

impl Nim {
    /// Draws the heaps that existed at the start, each with its number and its current matches.
    fn drawn_heaps(&self, heaps: &[u16], page: Page) -> String {
        let there = self.heaps().into_iter().zip(heaps).enumerate();
        let mut text = String::new();
        for (heap, (_, &size)) in there.filter(|(_, (at_start, _))| *at_start > 0) {
            let label = format!("heap {}  {size:>4}  ", heap + 1);
            let room = page.width.max(Page::MIN_WIDTH) - label.len();
            let matches = if usize::from(size) <= room {
                "|".repeat(usize::from(size))
            } else {
                "|".repeat(room - 3) + "..."
            };
            text += format!("{label}{matches}").trim_end();
            text.push('\n');
        }
        text
    }
}

/// A description of the valid inputs.
const EXPECTED: &str = "type the heap and how many matches to take, as in 4 2";

impl Board<Nim> for Nim {
    fn rules(&self) -> String {
        let end = if self.is_misere() { "loses" } else { "wins" };
        format!(
            "Take as many matches as you like, at least one, from one heap. The player who takes the last match {end}.\n\
             Type the heap and the number of matches: 4 2 takes two matches from heap 4.\n"
        )
    }

    fn show(&self, seen: &Seen<'_, Nim>, page: Page) -> String {
        self.drawn_heaps(seen.view.heaps, page)
    }

    fn all_actions(&self, seen: &Seen<'_, Nim>) -> Option<Vec<Take>> {
        all_legal(self, seen)
    }

    fn prompt(&self, _view: &Seen<'_, Nim>) -> String {
        "heap and matches".into()
    }

    fn parse(&self, _view: &Seen<'_, Nim>, text: &str) -> Result<Take, NotAnAction> {
        let mistake = || NotAnAction::new(text, EXPECTED);
        let numbers = text.split(|c: char| c.is_whitespace() || c == ',').filter(|x| !x.is_empty());
        let numbers: Option<Vec<u16>> = numbers.map(|number| number.parse().ok()).collect();
        let Some(&[heap, matches]) = numbers.as_deref() else { return Err(mistake()) };
        let heap = heap.checked_sub(1).and_then(|heap| u8::try_from(heap).ok());
        let heap = heap.filter(|&heap| self.heaps().get(usize::from(heap)).is_some_and(|&n| n > 0));
        Ok(Take { heap: heap.ok_or_else(mistake)?, matches })
    }

    fn write(&self, take: &Take) -> String {
        format!("{} {}", take.heap + 1, take.matches)
    }

    fn is_public(&self, _: &NimView<'_>, _: &Take) -> bool {
        true
    }

    fn told(&self, event: &Event<'_, Nim>) -> Option<String> {
        let Take { heap, matches } = event.action?;
        let matches = counted(u64::from(*matches), "match", "matches");
        Some(event.sentence("take", "takes", &format!("{matches} from heap {}", heap + 1)))
    }

    fn everything(&self, state: &NimState, _names: BySeat<&str>, page: Page) -> String {
        self.drawn_heaps(&state.heaps, page)
    }

    fn drawing(&self, seen: &Seen<'_, Nim>) -> Option<Drawing> {
        Some(self.drawing(seen.view.heaps, seen.is_to_act()))
    }

    fn whole_drawing(&self, state: &NimState, _names: BySeat<&str>) -> Option<Drawing> {
        Some(self.drawing(&state.heaps, false))
    }

    fn hides(&self) -> bool {
        false
    }

    fn may_take_back(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{rng, seen};
    use crate::{Game, Seat};

    #[test]
    fn moves_are_read() {
        let game = Nim::standard();
        let state = game.deal(&mut rng());
        let seen = seen(&game, &state, Seat::First);
        for (text, take) in [
            ("4 2", Some(Take { heap: 3, matches: 2 })),
            (" 1,1 ", Some(Take { heap: 0, matches: 1 })),
            // Illegal moves are parsed; only the rules refuse them.
            ("2 9", Some(Take { heap: 1, matches: 9 })),
            ("5 1", None),
            ("0 1", None),
            ("4", None),
            ("4 2 1", None),
            ("4 -2", None),
            ("300 1", None),
        ] {
            assert_eq!(game.parse(&seen, text).ok(), take, "{text}");
        }
    }
}
