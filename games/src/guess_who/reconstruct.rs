//! Reconstructs games of Guess Who from what a player saw. Both players hear all questions and answers.

use rand::Rng;

use super::{GuessWho, GuessWhoState, IllegalQuestion};
use crate::reconstruct::{Item, Retold, with_answers, with_next};
use crate::{Course, Decided, Game, Grammar, Reconstruct, Seat, Turn};

impl GuessWho {
    /// Returns the state after a question of `seat` that leaves `left` characters.
    fn answered(&self, state: &GuessWhoState, seat: Seat, left: u32) -> GuessWhoState {
        let mut next = state.clone();
        next.remaining[seat] = left as u16;
        next.turn = Turn::after(seat, left == 1, false);
        next
    }
}

impl Reconstruct<GuessWho> for GuessWho {
    fn grammar(&self) -> Grammar {
        let some = (self.num_characters() / 3).max(1);
        Grammar {
            how: "Tell the questions and answers of both players in turn, from the first on: of how many of the characters that were \
                  left to its player a question was true, and the answer, as in 40=yes or half=no."
                .into(),
            example: format!("{some}=no half=yes"),
            prompt: format!("the question and its answer, such as {some}=yes"),
        }
    }

    fn reconstruct(&self, text: &str, _: Option<Seat>, mut rng: &mut dyn Rng) -> Retold<GuessWho> {
        let text = with_answers(text, |word| ["yes", "y", "no", "n"].contains(&word));
        let mut course = Course::<GuessWho>::new(Seat::First, self.deal(&mut rng));
        for item in Item::all(&text) {
            let Turn::Act(seat) = course.now.turn else {
                return Err(item.impossible(IllegalQuestion::GameOver));
            };
            let remaining = course.now.remaining(seat);
            let expected = "type of how many characters the question was true, and the answer, as in 40=yes or half=no";
            let (asked, answer) =
                item.text.split_once('=').ok_or_else(|| item.misread(expected))?;
            let asked = match asked {
                "half" => remaining / 2,
                asked => asked.parse().map_err(|_| item.misread(expected))?,
            };
            self.check(&course.now, &asked).map_err(|error| item.impossible(error))?;
            let left = match answer {
                "yes" | "y" => asked,
                "no" | "n" => remaining - asked,
                _ => return Err(item.misread(expected)),
            };
            let next = self.answered(&course.now, seat, left);
            course.push(seat, asked, next);
        }
        if let Turn::Act(seat) = course.now.turn {
            course.teller = seat;
        }
        Ok(course)
    }

    fn tell(&self, _seat: Seat, past: &[Decided<GuessWho>], now: &GuessWhoState) -> String {
        let told = with_next(past, now).map(|(decided, next)| {
            let is_yes = next.remaining(decided.seat) == decided.action;
            format!("{}={}", decided.action, if is_yes { "yes" } else { "no" })
        });
        told.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{rng, wrong_item};

    #[test]
    fn questions_leave_what_was_answered() {
        let game = GuessWho::standard();
        let told = |text| game.reconstruct(text, None, &mut rng());
        let course = told("40=no half=yes 28=yes").expect("it can be");
        assert_eq!(course.teller, Seat::Second);
        let view = game.view(&course.now, Seat::Second);
        assert_eq!((view.own, view.opponent), (64, 28));
        for (text, wrong) in
            [("40", 1), ("40=maybe", 1), ("128=yes", 1), ("1=yes 3=no", 2), ("40=no 0=yes", 2)]
        {
            assert_eq!(wrong_item(told(text)), wrong, "{text}");
        }
    }
}
