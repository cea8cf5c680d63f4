//! The text interface of Cheat.

use super::{Cheat, CheatAction, CheatState, CheatView, Counts, NUM_COLOURS, num_cards};
use crate::{
    Board, BySeat, Choice, Drawing, Event, NotAnAction, Page, Reconstruct, Seat, Seen, Tint,
    counted,
};

/// The singular name, the plural name and the symbol of each colour.
pub(super) const COLOURS: [(&str, &str, &str); NUM_COLOURS] = [
    ("spade", "spades", "\u{2660}"),
    ("heart", "hearts", "\u{2665}"),
    ("diamond", "diamonds", "\u{2666}"),
    ("club", "clubs", "\u{2663}"),
];

pub(super) fn one(colour: u8) -> &'static str {
    COLOURS[usize::from(colour)].0
}

/// Returns the text to type for a card: the first letter of its colour.
pub(super) fn letter(colour: u8) -> &'static str {
    &one(colour)[..1]
}

/// Returns the cards of a set as text, by colour: "3 spades, 1 club".
fn words(counts: Counts) -> String {
    let held = COLOURS.iter().zip(counts).filter(|(_, count)| *count > 0);
    let held: Vec<_> =
        held.map(|((one, many, _), count)| counted(count.into(), one, many)).collect();
    if held.is_empty() { "nothing".into() } else { held.join(", ") }
}

fn cards(count: u8) -> String {
    counted(count.into(), "card", "cards")
}

impl Board<Cheat> for Cheat {
    fn rules(&self) -> String {
        format!(
            "Get rid of your cards. The leader puts a card on the table, face up: its colour is the current one. Then \
             you put cards in turn, face down, as if they were of the current colour, or say cheat: the last card is \
             turned over, and if it is of the current colour, the player who said cheat takes all cards on the table, \
             otherwise the player who put it. The player who took them leads. A player without cards wins; after {} actions the game is a draw.\n\
             Type the colour of the card to put, s, h, d or c, or cheat.\n",
            self.max_plies
        )
    }

    fn show(&self, seen: &Seen<'_, Cheat>, page: Page) -> String {
        let seen = &seen.view;
        let mut text = String::from("            you have  you put they began\n");
        let columns = seen.own.into_iter().zip(seen.own_put).zip(seen.opponent_at_start);
        for ((_, name, sign), ((own, put), began)) in COLOURS.into_iter().zip(columns) {
            let sign = if page.unicode { sign } else { " " };
            text += &format!(" {sign} {name:<9}{own:>8}{put:>9}{began:>11}\n");
        }
        let put = match seen.opponent_put {
            0 => String::new(),
            put => format!(", and put {put} this round"),
        };
        let opponent = format!("The opponent has {}{put}.", cards(seen.opponent_cards));
        text += &page.wrapped("", opponent.split(' '));
        match seen.current {
            Some(colour) => {
                let many = COLOURS[usize::from(colour)].1;
                text + &format!("On the table: {}, all as {many}.\n", cards(seen.table()))
            }
            None => text + "The table is empty.\n",
        }
    }

    fn choices(&self, seen: &Seen<'_, Cheat>) -> Vec<Choice<CheatAction>> {
        let CheatView { own, current, .. } = seen.view;
        let held = (0..).zip(own).filter(|&(_, count)| count > 0);
        let mut choices: Vec<_> = held
            .map(|(colour, _)| Choice {
                typed: letter(colour).into(),
                meaning: match current {
                    None => format!("lead a {}", one(colour)),
                    Some(current) if current == colour => format!("put a {}, truly", one(colour)),
                    Some(current) => format!("put a {} as a {}", one(colour), one(current)),
                },
                action: CheatAction::Put(colour),
            })
            .collect();
        if let Some(current) = current {
            let meaning = match seen.view.last_is_lead() {
                true => format!("take the lead, and the {}", one(current)),
                false => format!("claim that their last is not a {}", one(current)),
            };
            let (typed, action) = ("cheat".into(), CheatAction::Claim);
            choices.push(Choice { typed, meaning, action });
        }
        choices
    }

    fn prompt(&self, seen: &Seen<'_, Cheat>) -> String {
        if seen.view.current.is_some() { "card, or cheat".into() } else { "card to lead".into() }
    }

    fn parse(&self, seen: &Seen<'_, Cheat>, text: &str) -> Result<CheatAction, NotAnAction> {
        let typed = text.trim().trim_end_matches('!').to_lowercase();
        if typed == "cheat" {
            return Ok(CheatAction::Claim);
        }
        let named = COLOURS
            .iter()
            .position(|(one, many, sign)| [&one[..1], one, many, sign].contains(&typed.as_str()));
        match named {
            Some(colour) if seen.view.own[colour] == 0 => {
                Err(NotAnAction::new(text, format!("you have no {}", COLOURS[colour].0)))
            }
            Some(colour) => Ok(CheatAction::Put(colour as u8)),
            None => Err(NotAnAction::new(text, "type s, h, d or c for a card, or cheat")),
        }
    }

    fn write(&self, action: &CheatAction) -> String {
        match *action {
            CheatAction::Put(colour) => letter(colour).into(),
            CheatAction::Claim => "cheat".into(),
        }
    }

    /// Claims and leads are public; other cards are put face down.
    fn is_public(&self, seen: &CheatView, action: &CheatAction) -> bool {
        seen.current.is_none() || *action == CheatAction::Claim
    }

    fn told(&self, event: &Event<'_, Cheat>) -> Option<String> {
        let current = event.before.current;
        Some(match (event.action, current) {
            (Some(&CheatAction::Put(colour)), None) => {
                event.sentence("lead", "leads", &format!("a {}", one(colour)))
            }
            (Some(&CheatAction::Put(colour)), Some(current)) if colour == current => {
                event.sentence("put", "puts", &format!("a {}", one(colour)))
            }
            (Some(&CheatAction::Put(colour)), Some(current)) => {
                event.sentence("put", "puts", &format!("a {} as a {}", one(colour), one(current)))
            }
            (Some(CheatAction::Claim), _) => {
                // The player who has more cards than before has taken the cards on the table.
                let you_take = num_cards(event.after.own) > num_cards(event.before.own);
                let is_right = you_take != event.is_own();
                let taken = cards(event.before.table());
                let colour = one(current.unwrap_or_default());
                let what = match is_right {
                    true => format!("cheat, and the last card is not a {colour}"),
                    false => format!("cheat, but the last card is a {colour}"),
                };
                let taker = if you_take { "You take" } else { "The opponent takes" };
                event.sentence("say", "says", &what) + &format!(" {taker} {taken}.")
            }
            (None, current) => {
                let colour = one(current.unwrap_or_default());
                event.sentence("put", "puts", &format!("a card as a {colour}"))
            }
        })
    }

    fn everything(&self, state: &CheatState, names: BySeat<&str>, page: Page) -> String {
        let mut text = String::new();
        for seat in Seat::BOTH {
            let line = |what: &str, counts| {
                page.wrapped(&format!("{} {what} ", names[seat]), words(counts).split(' '))
            };
            text += &line("hand:", state.hands[seat]);
            if state.round.is_some() {
                text += &line("put:", state.put[seat]);
            }
        }
        match state.round {
            Some(round) => {
                let (current, last) = (one(round.current), one(round.last));
                text + &format!("Led: a {current}. Last card: a {last}.\n")
            }
            None => text,
        }
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        // Hearts and diamonds.
        let is_red = |(one, many, sign): &(&str, &str, &str)| [*one, many, sign].contains(&word);
        COLOURS[1..3].iter().any(is_red).then_some(Tint::RedSuit)
    }

    fn drawing(&self, seen: &Seen<'_, Cheat>) -> Option<Drawing> {
        Some(self.drawing(&seen.view, seen.is_to_act()))
    }

    fn whole_drawing(&self, state: &CheatState, names: BySeat<&str>) -> Option<Drawing> {
        Some(self.whole_drawing(state, names))
    }

    fn reconstruction(&self) -> Option<&dyn Reconstruct<Cheat>> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::seen;

    #[test]
    fn cards_have_names() {
        let game = Cheat::standard();
        let state = game.start([10, 2, 1, 0]);
        let seen = seen(&game, &state, Seat::First);
        for (text, action) in [
            ("s", Some(CheatAction::Put(0))),
            ("Hearts", Some(CheatAction::Put(1))),
            ("\u{2666}", Some(CheatAction::Put(2))),
            ("club", None),
            ("Cheat!", Some(CheatAction::Claim)),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(game.parse(&seen, text).ok(), action, "{text}");
        }
    }
}
