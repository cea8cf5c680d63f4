//! Reconstructs games of Cheat from what one player saw.

use rand::Rng;

use super::board::{COLOURS, letter, one};
use super::{
    Cheat, CheatAction, CheatState, Counts, IllegalCheatAction, NUM_COLOURS, draw_card, num_cards,
    sum,
};
use crate::reconstruct::{Item, Result, Retold, with_next};
use crate::{Course, Decided, Grammar, Reconstruct, ReconstructError, Seat, Turn, shuffle};

const EXPECTED: &str = "type a card that you put, as in s; they:h for a card that they led, they:? for one face down; they:cheat, or \
                        cheat=h for a claim of yours that turned over a heart; took=2s1h for cards that you took";

/// A card on the table, with its colour if the player knows it.
#[derive(Clone, Copy)]
struct Put {
    seat: Seat,
    colour: Option<u8>,
}

/// The part of the game described so far.
struct DescribedCourse<'a, 'r> {
    game: &'a Cheat,
    /// The game up to the start of the current round.
    course: Course<Cheat>,
    /// The cards put on the table in the current round.
    round: Vec<Put>,
    rng: &'r mut dyn Rng,
}

/// Parses the name of a colour.
fn colour_of(text: &str) -> Option<u8> {
    let named =
        |(one, many, sign): &(&str, &str, &str)| [&one[..1], one, many, sign].contains(&text);
    COLOURS.iter().position(named).map(|colour| colour as u8)
}

/// Parses cards such as `8s6h7d5c`: numbers, each followed by a colour; a letter alone is one card.
fn cards_of(text: &str) -> Option<Counts> {
    let mut counts = [0u16; NUM_COLOURS];
    let mut number = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        let colour = usize::from(colour_of(c.encode_utf8(&mut [0; 4]))?);
        let count = if number.is_empty() { 1 } else { number.parse::<u16>().ok()? };
        counts[colour] = counts[colour].checked_add(count)?;
        number.clear();
    }
    let fits = number.is_empty() && counts.iter().sum::<u16>() <= u16::from(u8::MAX);
    fits.then(|| counts.map(|count| count as u8))
}

fn write_cards(counts: Counts) -> String {
    let held = (0..).zip(counts).filter(|&(_, count)| count > 0);
    held.map(|(colour, count)| format!("{count}{}", letter(colour))).collect()
}

/// Returns `all` without `some`, or `None` if `all` does not contain `some`.
fn without(all: Counts, some: Counts) -> Option<Counts> {
    let mut left = all;
    for (left, some) in left.iter_mut().zip(some) {
        *left = left.checked_sub(some)?;
    }
    Some(left)
}

fn set_of(cards: impl Iterator<Item = u8>) -> Counts {
    let mut counts = Counts::default();
    cards.for_each(|colour| counts[usize::from(colour)] += 1);
    counts
}

impl DescribedCourse<'_, '_> {
    fn teller(&self) -> Seat {
        self.course.teller
    }

    /// Returns the seat to act after the cards of the current round have been put.
    fn mover(&self) -> Result<Seat> {
        match (self.course.now.turn, self.round.last()) {
            (Turn::Over(_), _) => Err(ReconstructError::GameOver),
            (_, Some(last)) => Ok(last.seat.other()),
            (Turn::Act(leader), None) => Ok(leader),
        }
    }

    /// Returns the colour of the lead, or `None` if a card must be led.
    fn current(&self) -> Option<u8> {
        self.round.first().and_then(|lead| lead.colour)
    }

    /// Returns the cards of known colour that a seat put in this round.
    fn put_by(&self, seat: Seat) -> Counts {
        set_of(self.round.iter().filter(|put| put.seat == seat).filter_map(|put| put.colour))
    }

    /// Returns whether the round contains a card that the player has not seen.
    fn has_unseen(&self) -> bool {
        self.round.iter().any(|put| put.colour.is_none())
    }

    fn check_turn(&self, item: Item<'_>, seat: Seat) -> Result {
        match self.mover() {
            Err(_) => Err(item.impossible(IllegalCheatAction::GameOver)),
            Ok(mover) if mover == seat => Ok(()),
            Ok(_) if seat == self.teller() => {
                Err(item.impossible("it is the turn of the opponent"))
            }
            Ok(_) => Err(item.impossible("it is your turn")),
        }
    }

    /// Records a card that was put on the table.
    fn put(&mut self, item: Item<'_>, seat: Seat, colour: Option<u8>) -> Result {
        self.check_turn(item, seat)?;
        if colour.is_none() && self.round.is_empty() {
            return Err(item.impossible("a card is led face up: say its colour, as in they:h"));
        }
        if colour.is_some() && seat != self.teller() && !self.round.is_empty() {
            return Err(
                item.impossible("only a lead lies face up; type they:? for a card face down")
            );
        }
        let num_put = self.round.iter().filter(|put| put.seat == seat).count();
        let hand = self.course.now.hands[seat];
        self.round.push(Put { seat, colour });
        if without(hand, self.put_by(seat)).is_none() {
            let colour = one(colour.unwrap_or_default());
            let who = if seat == self.teller() { "you have" } else { "the opponent has" };
            return Err(item.impossible(format!("{who} no {colour} left")));
        }
        if num_put + 1 >= usize::from(num_cards(hand)) {
            return Err(ReconstructError::GameOver);
        }
        Ok(())
    }

    /// Plays the cards of the round, and clears their list. Cards of unknown colour get the colours in `unseen`, in
    /// random order.
    fn play_round(&mut self, mut unseen: Vec<u8>) -> Result<(), IllegalCheatAction> {
        shuffle(&mut unseen, &mut self.rng);
        for put in std::mem::take(&mut self.round) {
            let colour = put.colour.or_else(|| unseen.pop()).unwrap_or_default();
            self.course.act(self.game, put.seat, CheatAction::Put(colour), &mut self.rng)?;
        }
        Ok(())
    }

    /// Draws a colour for each unseen card of this round from the opponent's possible cards. Returns `None` if the
    /// opponent has too few.
    fn draw_unseen(&mut self) -> Option<Vec<u8>> {
        let opponent = self.teller().other();
        let mut left = without(self.course.now.hands[opponent], self.put_by(opponent))?;
        let number = self.round.iter().filter(|put| put.colour.is_none()).count();
        (number <= usize::from(num_cards(left)))
            .then(|| (0..number).map(|_| draw_card(&mut left, &mut self.rng)).collect())
    }

    /// Plays a claim; `took` contains the cards that the player took, if the description lists them.
    fn claim(
        &mut self,
        item: Item<'_>,
        seat: Seat,
        shown: u8,
        took: Option<(Item<'_>, Counts)>,
    ) -> Result {
        let opponent = self.teller().other();
        let is_true = self.current() == Some(shown);
        let taker = if is_true { seat } else { seat.other() };
        if let Some((took_item, _)) = took.filter(|_| taker == opponent) {
            return Err(took_item.impossible("the opponent took the cards"));
        }
        if let Some(last) = self.round.last_mut() {
            last.colour = Some(shown);
        }
        let (own, theirs) = (self.put_by(self.teller()), self.put_by(opponent));
        if without(self.course.now.hands[opponent], theirs).is_none() {
            let problem = format!("the opponent has no {} left to put", one(shown));
            return Err(item.impossible(problem));
        }
        let unseen = match took {
            Some((took_item, took)) => {
                let number = self.round.len();
                if usize::from(num_cards(took)) != number {
                    return Err(took_item.impossible(format!("{number} cards lie on the table")));
                }
                let unseen = without(took, own).and_then(|left| without(left, theirs));
                let unseen = unseen.ok_or_else(|| {
                    took_item.impossible("the cards that you have seen are not all among them")
                })?;
                if without(self.course.now.hands[opponent], sum(theirs, unseen)).is_none() {
                    let problem = "the opponent had fewer of a colour when the round began";
                    return Err(took_item.impossible(problem));
                }
                let cards = (0..).zip(unseen);
                cards.flat_map(|(colour, n)| std::iter::repeat_n(colour, n.into())).collect()
            }
            None if taker == self.teller() && self.has_unseen() => {
                let missing =
                    format!("the cards that you took after `{}`, as in took=2s1h", item.text);
                return Err(ReconstructError::Incomplete { missing });
            }
            None => self
                .draw_unseen()
                .ok_or_else(|| item.impossible("the opponent has no such cards"))?,
        };
        self.play_round(unseen).map_err(|error| item.impossible(error))?;
        let claimed = self.course.act(self.game, seat, CheatAction::Claim, &mut self.rng);
        claimed.map_err(|error| item.impossible(error))
    }
}

impl Cheat {
    /// Parses and checks the hand that a player described.
    fn told_hand(&self, item: Item<'_>) -> Result<Counts> {
        let expected = "first your cards, as in hand=8s6h7d5c";
        let hand = item.text.strip_prefix("hand=").and_then(cards_of);
        let hand = hand.ok_or_else(|| item.misread(expected))?;
        let (most, half) = (self.cards_per_colour, 2 * self.cards_per_colour);
        if let Some(colour) = hand.iter().position(|&count| count > most) {
            let many = COLOURS[colour].1;
            let problem =
                format!("{} {many} are more than the {most} that there are", hand[colour]);
            return Err(item.impossible(problem));
        }
        match num_cards(hand) {
            number if number == half => Ok(hand),
            number => {
                Err(item.impossible(format!("{number} cards; each player begins with {half}")))
            }
        }
    }
}

impl Reconstruct<Cheat> for Cheat {
    fn grammar(&self) -> Grammar {
        let half = self.cards_per_colour / 2;
        let [a, b] = [half, self.cards_per_colour - half];
        let hand = write_cards([a, b, a, b]);
        Grammar {
            how: format!(
                "Tell your first cards, as in hand={hand}, and then what happened in turn. Your card is s, h, d or c. The opponent's is they:h \
                 for a heart that they led, and they:? for a card face down. A claim of theirs is they:cheat; one of yours is cheat=d, if \
                 a diamond was turned over. Where you took cards that you had not seen, all of them follow, as in took=2s1h."
            ),
            example: format!("hand={hand} they:s h they:?"),
            prompt:
                "your cards first, as in hand=...; then what happened, such as s, they:? or cheat=h"
                    .into(),
        }
    }

    fn reconstruct(&self, text: &str, seat: Option<Seat>, rng: &mut dyn Rng) -> Retold<Cheat> {
        let text = text.to_lowercase();
        let mut items = Item::all(&text).peekable();
        let Some(first) = items.next() else {
            return Err(ReconstructError::Incomplete {
                missing: "your cards, as in hand=8s6h7d5c".into(),
            });
        };
        let hand = self.told_hand(first)?;
        // The first player leads.
        let teller = match items.peek() {
            Some(item) if item.theirs().is_some() => seat.unwrap_or(Seat::Second),
            _ => seat.unwrap_or(Seat::First),
        };
        let other = hand.map(|count| self.cards_per_colour - count);
        let dealt = self.start(if teller == Seat::First { hand } else { other });
        let mut told = DescribedCourse {
            game: self,
            course: Course::new(teller, dealt),
            round: Vec::new(),
            rng,
        };
        while let Some(item) = items.next() {
            let claim = match (item.theirs(), item.text.split_once('=')) {
                (Some("cheat"), _) => {
                    told.check_turn(item, teller.other())?;
                    let last = told.round.last().and_then(|put| put.colour);
                    Some((teller.other(), last))
                }
                (None, Some(("cheat", card))) => {
                    told.check_turn(item, teller)?;
                    let shown = colour_of(card).ok_or_else(|| item.misread(EXPECTED))?;
                    let is_lead = told.round.len() == 1;
                    if is_lead && told.current() != Some(shown) {
                        return Err(item.impossible("a lead is of the current colour"));
                    }
                    Some((teller, (!told.round.is_empty()).then_some(shown)))
                }
                _ => None,
            };
            if let Some((claimant, shown)) = claim {
                let shown =
                    shown.ok_or_else(|| item.impossible(IllegalCheatAction::NothingToClaim))?;
                let next = items.next_if(|item| item.text.starts_with("took="));
                let took = match next {
                    None => None,
                    Some(item) => {
                        let cards = cards_of(&item.text["took=".len()..]);
                        Some((item, cards.ok_or_else(|| item.misread(EXPECTED))?))
                    }
                };
                told.claim(item, claimant, shown, took)?;
                continue;
            }
            match (item.theirs(), colour_of(item.theirs().unwrap_or(item.text))) {
                (Some("?"), _) => told.put(item, teller.other(), None)?,
                (Some(_), Some(colour)) => told.put(item, teller.other(), Some(colour))?,
                (None, Some(colour)) => told.put(item, teller, Some(colour))?,
                _ => return Err(item.misread(EXPECTED)),
            }
        }
        let unseen = told.draw_unseen().unwrap_or_default();
        // The cards were checked when they were parsed, so this fails only if there are too many actions.
        told.play_round(unseen).map_err(|_| ReconstructError::GameOver)?;
        Ok(told.course)
    }

    fn tell(&self, seat: Seat, past: &[Decided<Cheat>], now: &CheatState) -> String {
        let start = past.first().map_or(now, |decided| &decided.state);
        let mut text = format!("hand={}", write_cards(start.hands[seat]));
        for (decided, next) in with_next(past, now) {
            let is_own = decided.seat == seat;
            let item = match (decided.action, decided.state.round) {
                (CheatAction::Put(colour), _) if is_own => letter(colour).into(),
                (CheatAction::Put(colour), None) => format!("they:{}", letter(colour)),
                (CheatAction::Put(_), Some(_)) => "they:?".into(),
                (CheatAction::Claim, Some(round)) if is_own => {
                    format!("cheat={}", letter(round.last))
                }
                (CheatAction::Claim, _) => "they:cheat".into(),
            };
            text += &format!(" {item}");
            let is_taken = num_cards(next.hands[seat]) > num_cards(decided.state.hands[seat]);
            if decided.action == CheatAction::Claim && is_taken {
                let table = sum(decided.state.put.first, decided.state.put.second);
                text += &format!(" took={}", write_cards(table));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use crate::tests::{rng, wrong_item};

    fn told(text: &str, seat: Option<Seat>) -> Retold<Cheat> {
        Cheat::standard().reconstruct(text, seat, &mut rng())
    }

    #[test]
    fn a_wrong_item_is_named() {
        for (text, wrong) in [
            ("s", 1),
            ("hand=14s4h4d4c", 1),
            ("hand=6s7h6d6c", 1),
            ("hand=6s7h6d", 1),
            ("hand=6s7h6d7x", 1),
            ("hand=13s13h s they:? d", 4),
            ("hand=13s13h they:h", 2),
            ("hand=13s13h they:d they:?", 3),
            ("hand=13s13h they:?", 2),
            ("hand=13s13h s they:c", 3),
            ("hand=13s13h cheat=s", 2),
            ("hand=13s13h they:d cheat=c", 3),
            // A player who puts a heart as if it were a spade must have a heart.
            ("hand=13s13h s they:? cheat=h", 4),
            ("hand=6s7h6d7c s they:? cheat=h took=2s", 5),
            ("hand=6s7h6d7c s they:? cheat=s took=3s", 5),
            ("hand=6s7h6d7c s they:? cheat=s took=1s1h", 5),
        ] {
            assert_eq!(wrong_item(told(text, None)), wrong, "{text}");
        }
        for text in ["", "hand=6s7h6d7c s they:? s they:? cheat=s"] {
            let error = told(text, None).map(|_| ()).expect_err(text);
            assert!(matches!(error, ReconstructError::Incomplete { .. }), "{text}: {error}");
        }
    }

    #[test]
    fn hands_follow_from_the_description() {
        let game = Cheat::standard();
        // The opponent leads a spade, the player lies, the opponent puts a card, and the player claims: the card is a
        // diamond.
        let course = told("hand=6s7h6d7c they:s h they:? cheat=d they:c", None).expect("it can be");
        assert_eq!(course.teller, Seat::Second);
        let view = game.view(&course.now, Seat::Second);
        assert_eq!((view.own, view.opponent_at_start), ([6, 6, 6, 7], [7, 7, 7, 6]));
        assert_eq!((view.current, view.opponent_cards, view.table()), (Some(3), 26, 1));
        // The player claims, but the last card is a spade, so they take cards that they had not seen.
        let course = told("hand=6s7h6d7c s they:? h they:? cheat=s took=2s2h", None);
        let view = game.view(&course.expect("it can be").now, Seat::First);
        assert_eq!(view.own, [7, 8, 6, 7]);
    }
}
