//! The board of draw again: the view, the inputs and the messages of an interactive player.

use ruse::games::{
    Board, BySeat, Choice, Event, NotAnAction, Page, SampleAction, Seat, Seen, Turn,
};
use ruse::rand::{Rng, RngExt};

use super::game::{Action, DrawAgain, HIGHEST, State, View};

impl Board<DrawAgain> for DrawAgain {
    fn rules(&self) -> String {
        format!(
            "Both of you get a number from 1 to {HIGHEST} that the other does not see. Keep it, or draw another one, once. \
             The higher number wins.\n"
        )
    }

    fn show(&self, seen: &Seen<'_, DrawAgain>, _: Page) -> String {
        match seen.turn {
            Turn::Act(_) => format!("Your number is {}.\n", seen.view.number),
            Turn::Over(_) => format!("Your number was {}.\n", seen.view.number),
        }
    }

    fn choices(&self, _: &Seen<'_, DrawAgain>) -> Vec<Choice<Action>> {
        let choice = |action, meaning: &str| Choice {
            typed: self.write(&action),
            meaning: meaning.into(),
            action,
        };
        vec![choice(Action::Keep, "you keep it"), choice(Action::Draw, "you draw another one")]
    }

    fn prompt(&self, _: &Seen<'_, DrawAgain>) -> String {
        "keep or draw".into()
    }

    fn parse(&self, seen: &Seen<'_, DrawAgain>, text: &str) -> Result<Action, NotAnAction> {
        match text.to_lowercase().as_str() {
            "keep" => Ok(Action::Keep),
            "draw" => Ok(Action::Draw),
            _ => Err(NotAnAction::new(text, format!("type {}", self.prompt(seen)))),
        }
    }

    fn write(&self, action: &Action) -> String {
        match action {
            Action::Keep => "keep".into(),
            Action::Draw => "draw".into(),
        }
    }

    fn is_public(&self, _: &View, _: &Action) -> bool {
        false
    }

    fn told(&self, event: &Event<'_, DrawAgain>) -> Option<String> {
        Some(match event.action {
            Some(Action::Keep) => format!("You keep {}.", event.after.number),
            Some(Action::Draw) => {
                format!("You draw {} in place of {}.", event.after.number, event.before.number)
            }
            None => "The opponent has decided.".into(),
        })
    }

    fn everything(&self, state: &State, names: BySeat<&str>, _: Page) -> String {
        let line = |seat: Seat| format!("{}: {}\n", names[seat], state.numbers[seat]);
        Seat::BOTH.map(line).concat()
    }
}

impl SampleAction for DrawAgain {
    fn sample_action<R: Rng>(&self, _: &View, rng: &mut R, action: &mut Action) {
        *action = if rng.random() { Action::Draw } else { Action::Keep };
    }
}
