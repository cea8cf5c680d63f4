//! The board of Kuhn poker, for interactive play.

use rand::{Rng, RngExt};
use ruse::games::{
    Board, BySeat, Choice, Event, NotAnAction, Page, SampleAction, Seat, Seen, Turn,
};

use super::{Action, KuhnPoker, Situation, State, View};

const CARDS: [&str; 3] = ["Jack", "Queen", "King"];

/// Returns the words for passing and betting in a situation.
fn names(situation: Situation) -> [&'static str; 2] {
    match situation {
        Situation::Opening | Situation::AfterCheck => ["check", "bet"],
        Situation::FacingBet | Situation::FacingBetAfterCheck => ["fold", "call"],
    }
}

fn name(situation: Situation, action: Action) -> &'static str {
    names(situation)[action as usize]
}

impl Board<KuhnPoker> for KuhnPoker {
    fn rules(&self) -> String {
        format!(
            "A pack of three cards: Jack, Queen, King. In each of {} hands you both put in a chip and get a card. Check \
             or bet a chip; who faces a bet calls it with a chip or folds. Unless a player folded, the higher card \
             takes the chips. The player who has won chips in the end wins.\n",
            self.num_hands
        )
    }

    fn show(&self, seen: &Seen<'_, KuhnPoker>, _: Page) -> String {
        let View { card, lead, hands_left, .. } = seen.view;
        match seen.turn {
            Turn::Over(_) => format!("You have won {lead} chips.\n"),
            Turn::Act(_) => format!(
                "You have a {}; chips won {lead}, hands left {hands_left}.\n",
                CARDS[usize::from(card)]
            ),
        }
    }

    fn choices(&self, seen: &Seen<'_, KuhnPoker>) -> Vec<Choice<Action>> {
        let choice = |action| {
            let typed = name(seen.view.situation, action).to_string();
            Choice { meaning: format!("you {typed}"), typed, action }
        };
        [Action::Pass, Action::Bet].map(choice).into()
    }

    fn prompt(&self, seen: &Seen<'_, KuhnPoker>) -> String {
        names(seen.view.situation).join(" or ")
    }

    fn parse(&self, seen: &Seen<'_, KuhnPoker>, text: &str) -> Result<Action, NotAnAction> {
        let typed = text.to_lowercase();
        match (typed.as_str(), names(seen.view.situation)) {
            ("pass", _) => Ok(Action::Pass),
            ("bet", _) => Ok(Action::Bet),
            (typed, [pass, _]) if typed == pass => Ok(Action::Pass),
            (typed, [_, bet]) if typed == bet => Ok(Action::Bet),
            _ => Err(NotAnAction::new(text, format!("type {}", self.prompt(seen)))),
        }
    }

    fn write(&self, action: &Action) -> String {
        match action {
            Action::Pass => "pass".into(),
            Action::Bet => "bet".into(),
        }
    }

    fn is_public(&self, _: &View, _: &Action) -> bool {
        true
    }

    fn told(&self, event: &Event<'_, KuhnPoker>) -> Option<String> {
        let verb = name(event.before.situation, *event.action?);
        let who =
            if event.is_own() { format!("You {verb}") } else { format!("The opponent {verb}s") };
        let chips = event.after.lead - event.before.lead;
        Some(match chips {
            0 => format!("{who}."),
            chips if chips > 0 => format!("{who}: you win {chips}."),
            chips => format!("{who}: you lose {}.", -chips),
        })
    }

    fn everything(&self, state: &State, names: BySeat<&str>, _: Page) -> String {
        let line = |seat: Seat| {
            let seen = ruse::games::Game::view(self, state, seat);
            format!("{}: {}, chips won {}\n", names[seat], CARDS[usize::from(seen.card)], seen.lead)
        };
        Seat::BOTH.map(line).concat()
    }
}

impl SampleAction for KuhnPoker {
    fn sample_action<R: Rng>(&self, _: &View, rng: &mut R, action: &mut Action) {
        *action = if rng.random() { Action::Bet } else { Action::Pass };
    }
}
