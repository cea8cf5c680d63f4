//! The text interface of Morra.

use super::{Announcement, MAX_FINGERS, MAX_SUM, Morra, MorraState, MorraView};
use crate::board::all_legal;
use crate::{Board, BySeat, Drawing, Event, NotAnAction, Page, Seat, Seen, counted};

fn words(announcement: Announcement) -> String {
    let fingers = counted(announcement.fingers.into(), "finger", "fingers");
    format!("{fingers}, guess {}", announcement.guess)
}

fn row(name: &str, announced: Option<Announcement>) -> String {
    format!("{name}: {}\n", announced.map_or("nothing yet".into(), words))
}

impl Board<Morra> for Morra {
    fn rules(&self) -> String {
        format!(
            "Both of you show 0 to {MAX_FINGERS} fingers at the same time, and guess how many you show together. \
             The player who guesses right wins, if the other does not.\n\
             Type the fingers and the guess: 3 7 shows three fingers and guesses a sum of seven. Neither sees the \
             other's before both are typed.\n"
        )
    }

    fn show(&self, seen: &Seen<'_, Morra>, _: Page) -> String {
        let MorraView { own, opponent } = seen.view;
        match (own, opponent) {
            (Some(own), Some(other)) => {
                let sum = own.fingers + other.fingers;
                let rows = row("you", Some(own)) + &row("opponent", Some(other));
                format!("{rows}Together you show {sum}.\n")
            }
            _ => "No fingers are shown yet.\n".into(),
        }
    }

    fn all_actions(&self, seen: &Seen<'_, Morra>) -> Option<Vec<Announcement>> {
        all_legal(self, seen)
    }

    fn prompt(&self, _view: &Seen<'_, Morra>) -> String {
        "fingers and guess".into()
    }

    fn parse(&self, _view: &Seen<'_, Morra>, text: &str) -> Result<Announcement, NotAnAction> {
        let mistake = || {
            let expected = format!(
                "type your fingers, 0 to {MAX_FINGERS}, and the sum you guess, 0 to {MAX_SUM}, as in 3 7"
            );
            NotAnAction::new(text, expected)
        };
        let numbers = text.split(|c: char| c.is_whitespace() || c == ',').filter(|x| !x.is_empty());
        let numbers: Option<Vec<u8>> = numbers.map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[fingers, guess]) => Ok(Announcement { fingers, guess }),
            _ => Err(mistake()),
        }
    }

    fn write(&self, announcement: &Announcement) -> String {
        format!("{} {}", announcement.fingers, announcement.guess)
    }

    fn told(&self, event: &Event<'_, Morra>) -> Option<String> {
        if event.is_own() {
            return None;
        }
        Some(match event.after.opponent {
            Some(announcement) => format!("The opponent announces {}.", words(announcement)),
            None => "The opponent has announced, and waits for you.".into(),
        })
    }

    fn everything(&self, state: &MorraState, names: BySeat<&str>, _: Page) -> String {
        Seat::BOTH.map(|seat| row(names[seat], state.announced[seat])).concat()
    }

    fn drawing(&self, seen: &Seen<'_, Morra>) -> Option<Drawing> {
        seen.is_to_act().then(|| self.drawing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Turn;

    #[test]
    fn announcements_are_read() {
        let game = Morra::standard();
        let view = MorraView { own: None, opponent: None };
        let turn = Turn::Act(Seat::First);
        let seen = Seen { seat: Seat::First, turn, view, own_actions: Default::default() };
        for (text, read) in [
            ("3 7", Some((3, 7))),
            ("0,0", Some((0, 0))),
            // Illegal announcements are parsed; only the rules refuse them.
            ("9 11", Some((9, 11))),
            ("3", None),
            ("3 7 1", None),
            ("three 7", None),
            ("256 1", None),
        ] {
            let read = read.map(|(fingers, guess)| Announcement { fingers, guess });
            assert_eq!(game.parse(&seen, text).ok(), read, "{text}");
        }
    }
}
