//! Reconstructs games of Pig from what a player saw. Both players see all rolls.

use rand::Rng;

use super::{IllegalPigAction, Pig, PigAction, PigState};
use crate::reconstruct::{Item, Retold, with_next};
use crate::{Course, Decided, Game, Grammar, Reconstruct, Seat, Turn};

/// The faces of a die.
const SIDES: std::ops::RangeInclusive<u32> = 1..=6;

impl Reconstruct<Pig> for Pig {
    fn grammar(&self) -> Grammar {
        Grammar {
            how: "Tell the rolls of both players from the start, as numbers from 1 to 6, and hold."
                .into(),
            example: "4 5 hold 6 1 3".into(),
            prompt: "a roll from 1 to 6, or hold".into(),
        }
    }

    fn reconstruct(&self, text: &str, _seat: Option<Seat>, mut rng: &mut dyn Rng) -> Retold<Pig> {
        let text = text.to_lowercase();
        let mut course = Course::<Pig>::new(Seat::First, self.deal(&mut rng));
        for item in Item::all(&text) {
            let Turn::Act(seat) = self.turn(&course.now) else {
                return Err(item.impossible(IllegalPigAction::GameOver));
            };
            if let "hold" | "h" = item.text {
                let held = course.act(self, seat, PigAction::Hold, &mut rng);
                held.map_err(|error| item.impossible(error))?;
                continue;
            }
            let pips = item.text.parse().ok().filter(|pips| SIDES.contains(pips));
            let pips = pips.ok_or_else(|| item.misread("type what was rolled, 1 to 6, or hold"))?;
            let mut next = course.now.clone();
            self.roll(&mut next, seat, pips);
            course.push(seat, PigAction::Roll, next);
        }
        if let Turn::Act(seat) = self.turn(&course.now) {
            course.teller = seat;
        }
        Ok(course)
    }

    fn tell(&self, _seat: Seat, past: &[Decided<Pig>], now: &PigState) -> String {
        let told = with_next(past, now).map(|(decided, next)| match decided.action {
            PigAction::Hold => "hold".into(),
            PigAction::Roll if next.turn_total == 0 => "1".into(),
            PigAction::Roll => (next.turn_total - decided.state.turn_total).to_string(),
        });
        told.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rng;

    #[test]
    fn rolls_are_added_up() {
        let game = Pig::standard();
        let told = |text| game.reconstruct(text, None, &mut rng());
        let course = told("4 5 hold 6 1 3").expect("it can be");
        assert_eq!(course.teller, Seat::First);
        let view = game.view(&course.now, Seat::First);
        assert_eq!((view.own, view.opponent, view.turn_total), (9, 0, 3));
        for text in ["7", "hold", "4 x"] {
            assert!(told(text).is_err(), "{text}");
        }
    }
}
