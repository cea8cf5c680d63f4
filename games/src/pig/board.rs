//! The text interface of Pig.

use super::{Pig, PigAction, PigState, PigView};
use crate::{
    Board, BySeat, Choice, Event, NotAnAction, Page, Reconstruct, Seen, Tint, Turn, counted,
};

impl Board<Pig> for Pig {
    fn rules(&self) -> String {
        format!(
            "Roll a die as often as you like: 2 to 6 are added up. Hold, and the sum is added to your score; roll a \
             1, and the sum is lost. Either way it is the other's turn. The first player with {} points, the sum of \
             the turn included, wins.\n\
             Type roll or hold; r and h do as well.\n",
            self.goal()
        )
    }

    fn show(&self, seen: &Seen<'_, Pig>, _: Page) -> String {
        let PigView { own, opponent, turn_total } = seen.view;
        format!("You have {own}, they have {opponent}; this turn {turn_total}.\n")
    }

    fn choices(&self, seen: &Seen<'_, Pig>) -> Vec<Choice<PigAction>> {
        let PigView { own, turn_total, .. } = seen.view;
        let mut choices = vec![Choice {
            typed: "roll".into(),
            meaning: "roll the die".into(),
            action: PigAction::Roll,
        }];
        if turn_total > 0 {
            choices.push(Choice {
                typed: "hold".into(),
                meaning: format!("keep {turn_total}, and have {}", own + turn_total),
                action: PigAction::Hold,
            });
        }
        choices
    }

    fn prompt(&self, _view: &Seen<'_, Pig>) -> String {
        "roll or hold".into()
    }

    fn parse(&self, _view: &Seen<'_, Pig>, text: &str) -> Result<PigAction, NotAnAction> {
        match text.trim().to_lowercase().as_str() {
            "roll" | "r" => Ok(PigAction::Roll),
            "hold" | "h" => Ok(PigAction::Hold),
            _ => Err(NotAnAction::new(text, "type roll or hold")),
        }
    }

    fn write(&self, action: &PigAction) -> String {
        match action {
            PigAction::Roll => "roll".into(),
            PigAction::Hold => "hold".into(),
        }
    }

    fn is_public(&self, _: &PigView, _: &PigAction) -> bool {
        true
    }

    fn told(&self, event: &Event<'_, Pig>) -> Option<String> {
        let (before, after) = (event.before, event.after);
        let score = if event.is_own() { after.own } else { after.opponent };
        Some(match event.action? {
            PigAction::Hold => {
                let kept = counted(before.turn_total.into(), "point", "points");
                let verb = if event.is_own() { "have" } else { "has" };
                event.sentence("hold", "holds", &format!("{kept} and {verb} {score}"))
            }
            PigAction::Roll if after.turn_total == 0 => {
                let lost = before.turn_total;
                event.sentence("roll", "rolls", &format!("a 1: {lost} lost"))
            }
            PigAction::Roll => {
                let pips = after.turn_total - before.turn_total;
                let sum = match event.turn {
                    Turn::Over(_) => format!("the goal, {}", score + after.turn_total),
                    Turn::Act(_) => format!("{} in this turn", after.turn_total),
                };
                event.sentence("roll", "rolls", &format!("a {pips}: {sum}"))
            }
        })
    }

    fn everything(&self, state: &PigState, names: BySeat<&str>, _: Page) -> String {
        let BySeat { first, second } = state.scores;
        format!(
            "{} {first}, {} {second}; this turn {}\n",
            names.first, names.second, state.turn_total
        )
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        match word {
            "lost" => Some(Tint::Bad),
            "goal" => Some(Tint::Good),
            _ => None,
        }
    }

    fn reconstruction(&self) -> Option<&dyn Reconstruct<Pig>> {
        Some(self)
    }

    fn hides(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Payoff, Seat};

    #[test]
    fn rolls_are_announced() {
        let game = Pig::standard();
        let seen = |own, opponent, turn_total| PigView { own, opponent, turn_total };
        let told = |action, before, after, turn| {
            let (seat, actor) = (Seat::First, Seat::Second);
            game.told(&Event { seat, actor, action: Some(&action), before, after, turn })
        };
        let on = Turn::Act(Seat::Second);
        for (action, before, after, turn, expected) in [
            (PigAction::Roll, seen(9, 20, 0), seen(9, 20, 6), on, "rolls a 6: 6 in this turn"),
            (PigAction::Roll, seen(9, 20, 8), seen(9, 20, 0), on, "rolls a 1: 8 lost"),
            (PigAction::Hold, seen(9, 20, 8), seen(9, 28, 0), on, "holds 8 points and has 28"),
            (
                PigAction::Roll,
                seen(9, 90, 8),
                seen(9, 90, 12),
                Turn::Over(Payoff::LOSS),
                "rolls a 4: the goal, 102",
            ),
        ] {
            let expected = format!("The opponent {expected}.");
            assert_eq!(told(action, before, after, turn), Some(expected));
        }
    }
}
