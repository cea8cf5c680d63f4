//! The text interface of War.

use std::cmp::Ordering;

use super::{Pile, War, WarState, WarView};
use crate::board::grouped;
use crate::{
    Board, BySeat, Choice, Drawing, Event, NotAnAction, Page, Payoff, Seat, Seen, Tint, Turn,
    counted, pattern_of,
};

/// The names of thirteen ranks, from the lowest to the highest.
const THIRTEEN: [&str; 13] = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];

impl War {
    /// Returns the name of a rank: the usual name in a game of thirteen ranks, otherwise a number from 1.
    pub(super) fn rank_name(&self, rank: u8) -> String {
        let name = THIRTEEN.get(usize::from(rank)).filter(|_| self.num_ranks == 13);
        name.map_or_else(|| (rank + 1).to_string(), |name| (*name).into())
    }

    fn rank_of(&self, name: &str) -> Option<u8> {
        (0..self.num_ranks as u8).find(|&rank| self.rank_name(rank).eq_ignore_ascii_case(name))
    }

    fn names<'a>(
        &'a self,
        cards: impl IntoIterator<Item = u8> + 'a,
    ) -> impl Iterator<Item = String> {
        cards.into_iter().map(|card| self.rank_name(card))
    }

    fn words(&self, cards: &[u8]) -> String {
        self.names(cards.iter().copied()).collect::<Vec<_>>().join(" ")
    }

    /// Describes the cards revealed in the turn, as seen in this view: "7 against 7, war; your 5 loses to K".
    fn turned_up(&self, view: &WarView<'_>) -> String {
        let mut text = String::new();
        for &rank in view.ties {
            let name = self.rank_name(rank);
            text += &format!("{name} against {name}, war; ");
        }
        if let Some((own, opponent)) = view.turned_up {
            let verb = if own > opponent { "beats" } else { "loses to" };
            text += &format!("your {} {verb} {}", self.rank_name(own), self.rank_name(opponent));
        }
        text
    }

    /// Explains to a player why the game has ended.
    fn ending(&self, view: &WarView<'_>, outcome: Payoff, seat: Seat) -> String {
        let payoff = match seat {
            Seat::First => outcome,
            Seat::Second => outcome.reversed(),
        };
        let loser = match payoff.cmp(&Payoff::DRAW) {
            Ordering::Less => Some("you have"),
            Ordering::Equal => None,
            Ordering::Greater => Some("the opponent has"),
        };
        let mut tied = view.ties.iter().map(|&rank| self.rank_name(rank));
        match (tied.next_back(), loser) {
            (Some(rank), Some(loser)) => {
                format!("{rank} against {rank}, war, and {loser} too few cards for it.")
            }
            (Some(rank), None) => {
                format!("{rank} against {rank}, war, and neither has the cards for it.")
            }
            (None, Some("you have")) => "You have no card left.".into(),
            (None, Some(_)) => "The opponent has no card left.".into(),
            (None, None) => format!("The game has lasted {} turns.", grouped(self.max_turns)),
        }
    }
}

impl Board<War> for War {
    fn rules(&self) -> String {
        format!(
            "Both players turn the top cards of their decks, which neither may look at; the higher card takes both. \
             When they are equal, each adds one card face down and one face up, and the new ones are compared. A \
             player who has no card left when one is needed loses; after {} turns the game is a draw.\n\
             Your only decision is the order in which you put the cards you win under your deck: the first of them \
             will be drawn first. Type best for the best card first, worst for the worst, or all cards in the order \
             you like, as in {}.\n\
             A game has hundreds of turns: all best goes on with the best card first.\n",
            grouped(self.max_turns),
            self.words(&[2, 4.min(self.num_ranks as u8 - 1)])
        )
    }

    fn show(&self, seen: &Seen<'_, War>, page: Page) -> String {
        let WarView { pile, own_cards, opponent_cards, turns, .. } = seen.view;
        let own = counted(own_cards as u64, "card", "cards");
        let decks =
            format!("Turn {}: you have {own}, the opponent has {opponent_cards}.", turns + 1);
        let mut text = page.wrapped("", decks.split(' '));
        let turned_up = self.turned_up(&seen.view);
        if !turned_up.is_empty() {
            let sentence = format!("On the table: {}.", turned_up.trim_end_matches("; "));
            text += &page.wrapped("", sentence.split(' '));
        }
        if !pile.is_empty() {
            let best_first = pile.iter().rev().copied();
            text += &page.wrapped("You have won: ", self.names(best_first));
        }
        text
    }

    fn choices(&self, seen: &Seen<'_, War>) -> Vec<Choice<Pile>> {
        let ascending = seen.view.pile;
        if ascending.is_empty() {
            return Vec::new();
        }
        let descending: Vec<u8> = ascending.iter().rev().copied().collect();
        let choice = |typed: &str, meaning: &str, cards: &[u8]| Choice {
            typed: typed.into(),
            meaning: meaning.into(),
            action: cards.into(),
        };
        vec![
            choice("best", "best card first", &descending),
            choice("worst", "worst card first", ascending),
        ]
    }

    /// Returns both orders of a pile of two cards, and `None` for a larger pile.
    fn all_actions(&self, seen: &Seen<'_, War>) -> Option<Vec<Pile>> {
        let choices = || self.choices(seen).into_iter().map(|choice| choice.action).collect();
        (seen.view.pile.len() == 2).then(choices)
    }

    fn grammar(&self, seen: &Seen<'_, War>) -> String {
        let pile = seen.view.pile;
        let mut ranks: Vec<String> = self.names(pile.iter().copied()).collect();
        ranks.dedup();
        let (rank, others) = (pattern_of(ranks), pile.len().saturating_sub(1));
        format!("best|worst|(?:{rank})(?: (?:{rank})){{{others}}}")
    }

    fn prompt(&self, _view: &Seen<'_, War>) -> String {
        "order of the cards".into()
    }

    fn parse(&self, seen: &Seen<'_, War>, text: &str) -> Result<Pile, NotAnAction> {
        let typed = text.trim().to_lowercase();
        let named = self.choices(seen).into_iter().find(|choice| choice.typed == typed);
        if let Some(choice) = named {
            return Ok(choice.action);
        }
        let words = typed.split(|c: char| c.is_whitespace() || c == ',').filter(|x| !x.is_empty());
        let cards: Option<Vec<u8>> = words.map(|word| self.rank_of(word)).collect();
        match cards.map(Pile::try_from) {
            Some(Ok(pile)) if !pile.cards().is_empty() => {
                let mut sorted = pile.clone();
                sorted.sort();
                if sorted.cards() == seen.view.pile {
                    return Ok(pile);
                }
                let won = self.words(seen.view.pile);
                Err(NotAnAction::new(text, format!("put back the cards that you have won, {won}")))
            }
            _ => Err(NotAnAction::new(text, "type best, worst, or the cards in an order")),
        }
    }

    fn write(&self, pile: &Pile) -> String {
        self.words(pile.cards())
    }

    fn told(&self, event: &Event<'_, War>) -> Option<String> {
        let Event { before, after, .. } = event;
        let does = match event.action {
            Some(order) => format!("you put back {}", self.write(order)),
            None => {
                // Each tie adds a card face down and a card face up from both players.
                let num_taken = 2 + 4 * before.ties.len();
                format!("the opponent takes {num_taken} cards")
            }
        };
        let mut text = format!("Turn {}: {}; {does}.", before.turns + 1, self.turned_up(before));
        if let Turn::Over(outcome) = event.turn {
            text.push(' ');
            text += &self.ending(after, outcome, event.seat);
        }
        Some(text)
    }

    fn everything(&self, state: &WarState, names: BySeat<&str>, page: Page) -> String {
        let mut text = String::new();
        for seat in Seat::BOTH {
            let num_cards = counted(state.decks.len(seat) as u64, "card", "cards");
            text += &format!("{}, {num_cards}, the top card first:\n", names[seat]);
            text += &page.wrapped("  ", self.names(state.decks.cards(seat)));
        }
        if let Turn::Act(seat) = state.turn {
            let won = self.words(state.pile.cards());
            text += &page.wrapped(&format!("{} won ", names[seat]), won.split(' '));
        }
        text
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        match word {
            "war" => Some(Tint::Hit),
            "beats" => Some(Tint::Good),
            "loses" => Some(Tint::Bad),
            _ => None,
        }
    }

    fn drawing(&self, seen: &Seen<'_, War>) -> Option<Drawing> {
        Some(self.drawing(&seen.view))
    }

    fn whole_drawing(&self, state: &WarState, names: BySeat<&str>) -> Option<Drawing> {
        Some(self.whole_drawing(state, names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use crate::tests::{rng, seen};

    const PAGE: Page = Page { width: 40, unicode: false };

    #[test]
    fn piles_are_shown_and_orders_are_read() {
        let game = War::standard();
        // The second player wins with a king against a nine.
        let state = game.start(&[7, 0, 0], &[11, 1, 1]);
        let [loser, winner] = Seat::BOTH.map(|seat| seen(&game, &state, seat));
        assert_eq!(
            game.show(&winner, PAGE),
            "Turn 1: you have 2 cards, the opponent\nhas 2.\nOn the table: your K beats 9.\nYou have won: K 9\n"
        );
        assert_eq!(
            game.show(&loser, PAGE),
            "Turn 1: you have 2 cards, the opponent\nhas 2.\nOn the table: your 9 loses to K.\n"
        );
        for (text, order) in [
            ("best", Some([11, 7])),
            ("Worst", Some([7, 11])),
            ("k 9", Some([11, 7])),
            ("9,K", Some([7, 11])),
            ("9 9", None),
            ("9", None),
            ("", None),
            ("1 2", None),
            ("K 9 x", None),
        ] {
            let read = game.parse(&winner, text).ok();
            assert_eq!(read, order.map(|cards| Pile::from(&cards[..])), "{text}");
        }
    }

    #[test]
    fn other_decks_have_numbers() {
        let game = War::batawaf();
        assert_eq!(game.words(&[0, 5]), "1 6");
        assert_eq!(game.rank_of("6"), Some(5));
        assert_eq!(game.rank_of("7"), None);
    }

    #[test]
    fn revealed_cards_are_announced() {
        let game = War { num_ranks: 13, num_suits: 1, max_turns: 100, ..War::standard() };
        let told = |game: &War, first: &[u8], second: &[u8]| {
            let mut state = game.start(first, second);
            let mut rng = rng();
            let mut told: BySeat<Vec<String>> = BySeat::default();
            while let Turn::Act(actor) = game.turn(&state) {
                let before = state.clone();
                let order = state.pile.clone();
                game.apply(&mut state, actor, &order, &mut rng);
                for seat in Seat::BOTH {
                    let event = Event {
                        seat,
                        actor,
                        action: Some(&order).filter(|_| seat == actor),
                        before: game.view(&before, seat),
                        after: game.view(&state, seat),
                        turn: game.turn(&state),
                    };
                    told[seat].push(game.told(&event).expect("every turn is told"));
                }
            }
            told
        };
        // The first player wins a war with an ace against a king, and then the last card.
        let BySeat { first, second } = told(&game, &[5, 0, 12, 9], &[5, 1, 11, 8]);
        assert_eq!(
            first,
            [
                "Turn 1: 7 against 7, war; your A beats K; you put back 2 3 7 7 K A.",
                "Turn 2: your J beats 10; you put back 10 J. The opponent has no card left.",
            ]
        );
        assert_eq!(
            second,
            [
                "Turn 1: 7 against 7, war; your K loses to A; the opponent takes 6 cards.",
                "Turn 2: your 10 loses to J; the opponent takes 2 cards. You have no card left.",
            ]
        );
    }
}
