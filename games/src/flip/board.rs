//! The text interface of Flip.

use super::{Flip, FlipAction, FlipState, FlipView, RankCounts};
use crate::{Board, BySeat, Choice, Drawing, Event, NotAnAction, Page, Seat, Seen, Turn};

/// The names of thirteen ranks, from the ace to the king.
const THIRTEEN: [&str; 13] = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/// The names of the piles.
pub(super) const PILES: [&str; 2] = ["left", "right"];

impl Flip {
    /// Returns the name of a rank: the usual name in a game of thirteen ranks, otherwise a number from 1.
    pub(crate) fn rank_name(&self, rank: u8) -> String {
        let name = THIRTEEN.get(usize::from(rank)).filter(|_| self.num_ranks == 13);
        name.map_or_else(|| (rank + 1).to_string(), |name| (*name).into())
    }

    fn names(&self, cards: &[u8]) -> Vec<String> {
        cards.iter().map(|&card| self.rank_name(card)).collect()
    }

    fn names_of(&self, cards: RankCounts) -> Vec<String> {
        self.names(&Vec::from(cards))
    }

    fn piles(&self, tops: [u8; 2], table: RankCounts, page: Page) -> String {
        let [left, right] = tops.map(|top| self.rank_name(top));
        format!("Piles: left {left}, right {right}\n")
            + &page.wrapped("On the table: ", self.names_of(table))
    }
}

impl Board<Flip> for Flip {
    fn rules(&self) -> String {
        "Be the first without cards. In turn, put one of your visible cards on a pile whose top card is one rank \
         above or below it; the lowest rank is next to the highest. The top card of your reserve takes its place. \
         A player who can put a card must; a player who cannot waits. When neither can, both turn a card of their reserves onto the \
         piles, or two of the cards on the table become the top cards.\n\
         Type the card and the pile: 9 left, or 9 l.\n"
            .into()
    }

    fn show(&self, seen: &Seen<'_, Flip>, page: Page) -> String {
        let seen = &seen.view;
        let hand = |name: &str, cards, reserve| {
            let mut cards = self.names_of(cards);
            if cards.is_empty() {
                cards.push("none".into());
            }
            cards.push(format!("and {reserve} in reserve"));
            page.wrapped(&format!("{name}: "), cards)
        };
        hand("Their cards", seen.opponent, seen.opponent_reserve)
            + &self.piles(seen.tops, seen.table, page)
            + &hand("Your cards", seen.own, seen.own_reserve)
    }

    fn choices(&self, seen: &Seen<'_, Flip>) -> Vec<Choice<FlipAction>> {
        if seen.turn != Turn::Act(seen.seat) {
            return Vec::new();
        }
        let FlipView { own, tops, .. } = seen.view;
        let mut choices = Vec::new();
        self.for_each_action(own, tops, |action| {
            let [card, top] = [action.card, tops[usize::from(action.pile)]];
            let meaning = format!("{} on {}", self.rank_name(card), self.rank_name(top));
            choices.push(Choice { typed: self.write(&action), meaning, action });
        });
        choices
    }

    fn prompt(&self, _view: &Seen<'_, Flip>) -> String {
        "card and pile".into()
    }

    fn parse(&self, seen: &Seen<'_, Flip>, text: &str) -> Result<FlipAction, NotAnAction> {
        let mistake =
            || NotAnAction::new(text, "type a card and a pile, left or right, as in 9 left");
        let typed = text.to_lowercase();
        let mut words = typed.split_whitespace();
        let (Some(card), Some(pile), None) = (words.next(), words.next(), words.next()) else {
            return Err(mistake());
        };
        let mut ranks = 0..self.num_ranks;
        let card = ranks.find(|&rank| self.rank_name(rank).eq_ignore_ascii_case(card));
        let pile = (0..).zip(PILES).find(|(_, name)| *name == pile || name[..1] == *pile);
        let (Some(card), Some((pile, _))) = (card, pile) else { return Err(mistake()) };
        let FlipView { own, tops, .. } = seen.view;
        let (name, top) = (self.rank_name(card), tops[usize::from(pile)]);
        if own.count(card) == 0 {
            return Err(NotAnAction::new(text, format!("you have no {name} to put")));
        }
        if self.playable(own, top).count(card) == 0 {
            let expected = format!("{name} does not fit on {}", self.rank_name(top));
            return Err(NotAnAction::new(text, expected));
        }
        Ok(FlipAction { card, pile })
    }

    fn write(&self, action: &FlipAction) -> String {
        format!("{} {}", self.rank_name(action.card), PILES[usize::from(action.pile)])
    }

    fn is_public(&self, _: &FlipView, _: &FlipAction) -> bool {
        true
    }

    fn told(&self, event: &Event<'_, Flip>) -> Option<String> {
        let &FlipAction { card, pile } = event.action?;
        let (before, after) = (event.before, event.after);
        let rank = self.rank_name(card);
        let mut told = event.sentence(
            "put",
            "puts",
            &format!("{rank} on the {} pile", PILES[usize::from(pile)]),
        );
        let num_turned = after.table.len() - before.table.len() - 1;
        let [left, right] = after.tops.map(|top| self.rank_name(top));
        if after.redraws > before.redraws {
            told += &format!(" Neither player could go on: drawn are {left} and {right}.");
        } else if num_turned > 0 {
            told += &format!(" Neither player could go on: turned are {left} and {right}.");
        } else if event.turn == Turn::Act(event.actor) {
            told += if event.is_own() { " The opponent cannot." } else { " You cannot." };
        }
        Some(told)
    }

    fn everything(&self, state: &FlipState, names: BySeat<&str>, page: Page) -> String {
        let mut text = self.piles(state.tops, state.table, page);
        for seat in Seat::BOTH {
            let visible = self.names_of(state.visible[seat]);
            text += &page.wrapped(&format!("{} visible: ", names[seat]), visible);
            // The next card to be turned up comes first.
            let mut reserve = self.names(state.reserves[seat].cards());
            reserve.reverse();
            text += &page.wrapped(&format!("{} reserve: ", names[seat]), reserve);
        }
        text
    }

    fn drawing(&self, seen: &Seen<'_, Flip>) -> Option<Drawing> {
        Some(self.drawing(&seen.view, seen.is_to_act()))
    }

    fn whole_drawing(&self, state: &FlipState, names: BySeat<&str>) -> Option<Drawing> {
        Some(self.whole_drawing(state, names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{rng, seen};

    #[test]
    fn puts_are_read() {
        let game = Flip::standard();
        let (first, second) = (&[1, 8, 12][..], &[0, 9][..]);
        let visible = BySeat { first, second };
        let reserves = BySeat { first: &[3, 4][..], second: &[5][..] };
        let state = game.start([0, 9], visible, reserves, &mut rng());
        let seen = seen(&game, &state, Seat::First);
        let choices: Vec<_> = game.choices(&seen).into_iter().map(|choice| choice.typed).collect();
        assert_eq!(choices, ["2 left", "9 right", "K left"]);
        for (text, action) in [
            ("9 right", Some(FlipAction { card: 8, pile: 1 })),
            ("k L", Some(FlipAction { card: 12, pile: 0 })),
            ("k right", None),
            ("10 l", None),
            ("9", None),
            ("1 left", None),
            ("9 up", None),
        ] {
            assert_eq!(game.parse(&seen, text).ok(), action, "{text}");
        }
    }
}
