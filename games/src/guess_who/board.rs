//! The text interface of Guess Who.

use super::{GuessWho, GuessWhoState, GuessWhoView};
use crate::board::all_legal;
use crate::{Board, BySeat, Drawing, Event, NotAnAction, Page, Reconstruct, Seat, Seen, counted};

/// Returns a bar for each player, in proportion to their remaining characters; `most` characters give a full bar.
fn rows(names: [&str; 2], remaining: [u32; 2], most: u32, page: Page) -> String {
    let width = names.map(str::len).into_iter().max().unwrap_or(0);
    let room = page.width.clamp(Page::MIN_WIDTH, 80) - width - 8;
    let row = |(name, remaining): (&str, u32)| {
        // Rounds up, so that at least one mark is shown.
        let length = (u64::from(remaining) * room as u64).div_ceil(u64::from(most.max(1)));
        let letter = if page.unicode { "\u{2588}" } else { "#" };
        format!("{name:width$}  {remaining:>4}  {}\n", letter.repeat((length as usize).min(room)))
    };
    names.into_iter().zip(remaining).map(row).collect()
}

impl Board<GuessWho> for GuessWho {
    fn rules(&self) -> String {
        let some = (self.num_characters() / 3).max(1);
        format!(
            "Each of you has drawn one of {} characters. In turn you ask a question about the other's, which is \
             answered truthfully, such as: is it one of these {some}? The first player with a single character left wins.\n\
             As all characters are alike, a question is the number of your remaining characters that it is true \
             for: type {some}, or half. It is answered with yes as often as that is a part of them.\n",
            self.num_characters()
        )
    }

    fn show(&self, seen: &Seen<'_, GuessWho>, page: Page) -> String {
        let GuessWhoView { own, opponent } = seen.view;
        let rows = rows(["you", "opponent"], [own, opponent], self.num_characters(), page);
        format!("Characters that are left to find out:\n{rows}")
    }

    fn all_actions(&self, seen: &Seen<'_, GuessWho>) -> Option<Vec<u32>> {
        all_legal(self, seen)
    }

    fn prompt(&self, seen: &Seen<'_, GuessWho>) -> String {
        format!("ask about 1 to {}", seen.view.own.saturating_sub(1))
    }

    fn parse(&self, seen: &Seen<'_, GuessWho>, text: &str) -> Result<u32, NotAnAction> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("half") {
            return Ok(seen.view.own / 2);
        }
        text.parse().map_err(|_| {
            NotAnAction::new(text, "type how many of your characters to ask about, or half")
        })
    }

    fn write(&self, asked: &u32) -> String {
        asked.to_string()
    }

    fn is_public(&self, _: &GuessWhoView, _: &u32) -> bool {
        true
    }

    fn told(&self, event: &Event<'_, GuessWho>) -> Option<String> {
        let &asked = event.action?;
        let (before, after) = match event.is_own() {
            true => (event.before.own, event.after.own),
            false => (event.before.opponent, event.after.opponent),
        };
        // If both answers leave the same number of characters, the answer does not matter.
        let answer = match () {
            () if asked * 2 == before => "half of them are left",
            () if after == asked => "yes",
            () => "no",
        };
        let asked = counted(asked.into(), "character", "characters");
        let left = format!("about {asked} of {before}: {answer}, {after} left");
        Some(event.sentence("ask", "asks", &left))
    }

    fn everything(&self, state: &GuessWhoState, names: BySeat<&str>, page: Page) -> String {
        let remaining = [state.remaining(Seat::First), state.remaining(Seat::Second)];
        rows([names.first, names.second], remaining, self.num_characters(), page)
    }

    fn drawing(&self, seen: &Seen<'_, GuessWho>) -> Option<Drawing> {
        Some(self.drawing(&seen.view, ["you", "opponent"], seen.is_to_act()))
    }

    fn whole_drawing(&self, state: &GuessWhoState, names: BySeat<&str>) -> Option<Drawing> {
        let view = GuessWhoView {
            own: state.remaining(Seat::First),
            opponent: state.remaining(Seat::Second),
        };
        Some(self.drawing(&view, [names.first, names.second], false))
    }

    fn reconstruction(&self) -> Option<&dyn Reconstruct<GuessWho>> {
        Some(self)
    }

    /// Answers are drawn when questions are asked, so the state hides nothing.
    fn hides(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::seen;

    #[test]
    fn questions_are_read() {
        let game = GuessWho::standard();
        let state = game.start(BySeat { first: 64, second: 128 }, Seat::First);
        for (text, asked) in
            [("40", Some(40)), (" Half ", Some(32)), ("0", Some(0)), ("x", None), ("-1", None)]
        {
            let seen = seen(&game, &state, Seat::First);
            assert_eq!(game.parse(&seen, text).ok(), asked, "{text}");
        }
    }
}
