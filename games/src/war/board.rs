//! War, played by a person.

use rand::Rng;

use super::{Pile, War, WarState, WarView};
use crate::board::{counted, grouped};
use crate::{Board, BySeat, Choice, Event, NotAnAction, Page, SampleAction, Seat, Seen, Turn};

/// The names of the ranks of a deck of thirteen.
const THIRTEEN: [&str; 13] = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];

impl War {
    /// The name of a rank: that of cards, or a number from 1.
    fn rank_name(&self, rank: u8) -> String {
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
}

impl Board<War> for War {
    fn rules(&self) -> String {
        format!(
            "Both players turn the top cards of their decks, which nobody may look at; the higher card takes both. \
             When they are equal, each adds one card face down and one face up, and the new ones are compared. Who \
             has no card left when one is needed loses; after {} turns the game is a draw.\n\
             Your only decision is the order in which you put the cards you win under your deck: the first of them \
             will be drawn first. Type best for the best card first, worst for the worst, or all cards in the order \
             you like, as in {}.\n\
             A game has hundreds of turns: all best goes on with the best card first.\n",
            grouped(self.max_turns),
            self.words(&[2, 4.min(self.num_ranks as u8 - 1)])
        )
    }

    fn show(&self, seen: &Seen<'_, War>, page: Page) -> String {
        let WarView { pile, own_cards, opponent_cards, turns } = seen.view;
        let own = counted(own_cards as u64, "card", "cards");
        let mut text = format!("Turn {}: you have {own}, he has {opponent_cards}.\n", turns + 1);
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

    fn is_public(&self, _: &WarView<'_>, _: &Pile) -> bool {
        false
    }

    fn told(&self, event: &Event<'_, War>) -> Option<String> {
        if event.is_own() {
            return None;
        }
        let WarView { own_cards, opponent_cards, .. } = event.before;
        let won = self.num_cards().saturating_sub(own_cards + opponent_cards);
        Some(format!("The opponent wins {}.", counted(won as u64, "card", "cards")))
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

    fn any_action(&self, view: &WarView<'_>, mut rng: &mut dyn Rng) -> Pile {
        let mut pile = Pile::default();
        self.sample_action(view, &mut rng, &mut pile);
        pile
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;

    const PAGE: Page = Page { width: 40, unicode: false };

    #[test]
    fn piles_are_shown_and_orders_are_read() {
        let game = War::standard();
        // The second player wins with a king against a nine.
        let state = game.start(&[7, 0, 0], &[11, 1, 1]);
        let seen = |seat| Seen {
            seat,
            turn: game.turn(&state),
            view: game.view(&state, seat),
            own_actions: &[],
        };
        let winner = seen(Seat::Second);
        assert_eq!(
            game.show(&winner, PAGE),
            "Turn 1: you have 2 cards, he has 2.\nYou have won: K 9\n"
        );
        assert_eq!(game.show(&seen(Seat::First), PAGE), "Turn 1: you have 2 cards, he has 2.\n");
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
}
