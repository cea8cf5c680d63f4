//! What a seat knows in War, and the hidden cards that agree with it.

use rand::{Rng, RngExt};

use super::decks::Decks;
use super::{MAX_CARDS, Pile, War, WarState, WarView};
use crate::imagine::key_of;
use crate::{BySeat, Imagine, Seat, Turn, shuffle};

/// The knowledge of a seat in [`War`]: the cards that it has put under its own deck, and that it has seen since the deal.
#[derive(Debug, Clone, PartialEq)]
pub struct WarKnowledge {
    /// The cards put under the deck, in drawing order. The first of them may have been drawn already.
    put_back: Pile,
    /// The cards of both first decks, the seat's own first, as far as the seat has seen them; otherwise [`UNKNOWN`].
    pub(super) dealt: [[u8; MAX_CARDS / 2]; 2],
    /// The number of cards drawn from each deck.
    num_drawn: usize,
    /// The number of cards in the seat's deck after its last pile, and the number of turns then; 0 before its first.
    last: (usize, u64),
    /// The seat's card in each two cards that the opponent has put back, as far as the seat knows it; otherwise
    /// [`UNKNOWN`]. Only if the game is not watched. A ring, since the opponent has at most all cards.
    pub(super) taken: [u8; MAX_CARDS / 2],
    /// The number of these twos so far.
    pub(super) num_taken: usize,
}

/// No card.
pub(super) const UNKNOWN: u8 = u8::MAX;

impl Default for WarKnowledge {
    fn default() -> WarKnowledge {
        let dealt = [[UNKNOWN; MAX_CARDS / 2]; 2];
        let taken = [UNKNOWN; MAX_CARDS / 2];
        WarKnowledge {
            put_back: Pile::default(),
            dealt,
            num_drawn: 0,
            last: (0, 0),
            taken,
            num_taken: 0,
        }
    }
}

impl WarKnowledge {
    /// Returns the known cards at the bottom of a deck of `num_cards` cards.
    fn bottom(&self, num_cards: usize) -> &[u8] {
        let cards = self.put_back.cards();
        &cards[cards.len().saturating_sub(num_cards)..]
    }

    /// Records the piles that the opponent has won since the seat's last one: the seat drew its cards in a known order.
    fn miss(&mut self, half: usize, view: &WarView<'_>) {
        let (num_before, turns) = match self.last {
            (0, _) => (half, 0),
            last => last,
        };
        let num_lost = num_before.saturating_sub(view.own_cards + view.pile.len() / 2);
        let num_unknown = num_before - self.bottom(num_before).len();
        // After a tie, the seat cannot tell which of its cards were together.
        let had_tie = num_lost as u64 != view.turns.saturating_sub(turns);
        for index in 0..num_lost {
            let card = match index.checked_sub(num_unknown) {
                Some(index) if !had_tie => self.bottom(num_before)[index],
                _ => UNKNOWN,
            };
            self.taken[self.num_taken % self.taken.len()] = card;
            self.num_taken += 1;
        }
    }
}

impl Imagine for War {
    type Knowledge = WarKnowledge;

    fn learn(&self, knowledge: &mut WarKnowledge, _seat: Seat, view: &WarView<'_>, action: &Pile) {
        self.notice(knowledge, view);
        if !self.is_watched {
            knowledge.miss(self.num_cards() / 2, view);
        }
        knowledge.last = (view.own_cards + view.pile.len(), view.turns + 1);
        let mut cards = [0; MAX_CARDS];
        let bottom = knowledge.bottom(view.own_cards);
        let num_cards = bottom.len() + action.cards().len();
        cards[..bottom.len()].copy_from_slice(bottom);
        cards[bottom.len()..num_cards].copy_from_slice(action.cards());
        knowledge.put_back.set(&cards[..num_cards]);
    }

    /// Keeps the order of the cards that the seat has put under its own deck. Shuffles all other cards: the undrawn
    /// cards of its first deck, and the opponent's cards.
    ///
    /// Once the seat has drawn its first deck, the set of the opponent's cards is exact, and their order is uniform.
    /// The order ignores the piles that the opponent won meanwhile, so a card just lost may be drawn next. (The seat
    /// sees at most the number and sizes of these piles.)
    fn imagine<R: Rng>(
        &self,
        knowledge: &WarKnowledge,
        seat: Seat,
        view: &WarView<'_>,
        rng: &mut R,
    ) -> WarState {
        let bottom = knowledge.bottom(view.own_cards);
        // Room for the unknown cards, followed by the bottom of the seat's own deck.
        let mut cards = [0; 2 * MAX_CARDS];
        let num_hidden = self.shuffle_unknown(view.pile.iter().chain(bottom), &mut cards, rng);
        debug_assert_eq!(
            num_hidden + bottom.len(),
            view.own_cards + view.opponent_cards,
            "not this deck"
        );
        cards[num_hidden..num_hidden + bottom.len()].copy_from_slice(bottom);
        let (opponent, own) = cards[..num_hidden + bottom.len()].split_at(view.opponent_cards);
        let BySeat { first, second } = BySeat::seen_by(seat, own, opponent);
        // Both seats have drawn equally many cards, and the seat knows which of its own are from its first deck.
        let num_left = view.own_cards - bottom.len();
        let num_drawn = (self.num_cards() / 2).saturating_sub(num_left);
        let decks = Decks::new(first, second).after_draws(num_drawn);
        let mut war = Pile::from(view.ties);
        if let (Some((own, opponent)), false) = (view.turned_up, view.ties.is_empty()) {
            let BySeat { first, second } = BySeat::seen_by(seat, own, opponent);
            war.push(first);
            war.push(second);
        }
        WarState { decks, pile: view.pile.into(), war, turns: view.turns, turn: Turn::Act(seat) }
    }

    fn view_key(&self, view: &WarView<'_>) -> u64 {
        let cards =
            |cards: &[u8]| cards.iter().fold(1, |key, card| key_of([key, u64::from(*card)]));
        let (own, opponent) = view.turned_up.map_or((255, 255), |(own, other)| (own, other));
        let sizes = (view.own_cards * (MAX_CARDS + 1) + view.opponent_cards) as u64;
        let turned_up = u64::from(own) << 8 | u64::from(opponent);
        key_of([cards(view.pile), cards(view.ties), turned_up, sizes, view.turns])
    }

    fn watch(&self, knowledge: &mut WarKnowledge, _seat: Seat, view: &WarView<'_>) {
        self.notice(knowledge, view);
    }

    fn deal_again<R: Rng>(&self, knowledge: &WarKnowledge, seat: Seat, rng: &mut R) -> WarState {
        let half = self.num_cards() / 2;
        let known = knowledge.dealt.iter().flat_map(|cards| &cards[..half]);
        let mut others = [0; MAX_CARDS];
        self.shuffle_unknown(known.filter(|card| **card != UNKNOWN), &mut others, rng);
        let mut others = others.into_iter();
        let mut dealt = knowledge.dealt;
        let unknown = dealt.iter_mut().flat_map(|cards| &mut cards[..half]);
        for card in unknown.filter(|card| **card == UNKNOWN) {
            *card = others.next().unwrap_or_default();
        }
        let [own, opponent] = dealt.each_ref().map(|cards| &cards[..half]);
        let BySeat { first, second } = BySeat::seen_by(seat, own, opponent);
        let mut state = WarState::of_decks(first, second);
        self.reveal(&mut state);
        state
    }

    fn apply_towards<R: Rng>(
        &self,
        knowledge: &WarKnowledge,
        state: &mut WarState,
        (mover, action): (Seat, &Pile),
        (seat, seen): (Seat, &WarView<'_>),
        rng: &mut R,
    ) {
        state.decks.put_under(mover, action.cards());
        state.turns += 1;
        let half = self.num_cards() / 2;
        let left = BySeat::from_fn(|seat| {
            half.saturating_sub(state.decks.num_drawn(seat)).min(state.decks.len(seat))
        });
        let num_drawn = state.decks.num_drawn(seat);
        let mut hidden =
            Hidden { state, seat, knowledge, left, half, num_drawn, is_watched: self.is_watched };
        if seen.turns > hidden.state.turns && !self.is_watched {
            hidden.lose(seen, rng);
        } else if let (Some(cards), true) = (seen.turned_up, seen.turns == hidden.state.turns) {
            hidden.turn_up(cards, seen, rng);
        }
        self.reveal(state);
    }

    /// Shuffles the cards that the seat does not remember, of both decks together, but keeps the order of each two that
    /// were put back together. The seat remembers a card from when it lies in its deck until it is drawn, each with the
    /// same probability.
    fn forget<R: Rng>(&self, state: &mut WarState, salt: u64, rng: &mut R) {
        let num_cards = self.num_cards() as u64;
        if self.memory >= num_cards {
            return;
        }
        let decks = &mut state.decks;
        let half = self.num_cards() / 2;
        // The places of forgotten cards, and the order of the first of two.
        let mut places = [(Seat::First, 0, None); MAX_CARDS];
        let mut cards = [0; MAX_CARDS];
        let mut num = 0;
        for seat in Seat::BOTH {
            let num_drawn = decks.num_drawn(seat);
            let is_known = |index| {
                key_of([salt, seat as u64, (num_drawn + index) as u64]) % num_cards < self.memory
            };
            for index in (0..decks.len(seat)).filter(|&index| !is_known(index)) {
                let card = *decks.card_mut(seat, index);
                let number = (num_drawn + index).checked_sub(half);
                let starts_two = number.is_some_and(|number| number.is_multiple_of(2));
                let has_next = index + 1 < decks.len(seat) && !is_known(index + 1);
                let order =
                    (starts_two && has_next).then(|| card.cmp(decks.card_mut(seat, index + 1)));
                (places[num], cards[num]) = ((seat, index, order), card);
                num += 1;
            }
        }
        shuffle(&mut cards[..num], rng);
        for at in 0..num {
            let (seat, index, order) = places[at];
            if order.is_some_and(|order| cards[at].cmp(&cards[at + 1]) == order.reverse()) {
                cards.swap(at, at + 1);
            }
            *decks.card_mut(seat, index) = cards[at];
        }
    }
}

impl War {
    /// Writes the cards of the deck that are not among the `known` ones to the start of `cards`, in random order. Returns
    /// their number.
    fn shuffle_unknown<'a, R: Rng>(
        &self,
        known: impl Iterator<Item = &'a u8>,
        cards: &mut [u8],
        rng: &mut R,
    ) -> usize {
        let mut left = [0; MAX_CARDS];
        left[..usize::from(self.num_ranks)].fill(self.num_suits);
        for &card in known {
            let count: &mut u16 = &mut left[usize::from(card)];
            *count = count.saturating_sub(1);
        }
        let mut num_unknown = 0;
        for (card, count) in (0..).zip(left) {
            let end = num_unknown + usize::from(count);
            cards[num_unknown..end].fill(card);
            num_unknown = end;
        }
        shuffle(&mut cards[..num_unknown], rng);
        num_unknown
    }

    /// Adds the cards that a seat sees to its knowledge of the deal.
    fn notice(&self, knowledge: &mut WarKnowledge, view: &WarView<'_>) {
        let Some((own, opponent)) = view.turned_up else { return };
        let half = self.num_cards() / 2;
        let num_ties = view.ties.len();
        // The seat knows which of its cards are from its first deck. Both seats have drawn equally many.
        let num_left = view.own_cards - knowledge.bottom(view.own_cards).len();
        let start = match num_left {
            0 => knowledge.num_drawn,
            _ => half.saturating_sub(num_left + 2 * num_ties + 1),
        };
        knowledge.num_drawn = start + 2 * num_ties + 1;
        let mut rest = Pile::from(view.pile);
        let mut see = |index: usize, cards: [Option<u8>; 2]| {
            for (dealt, card) in knowledge.dealt.iter_mut().zip(cards) {
                if let (Some(card), true) = (card, index < half) {
                    dealt[index] = card;
                }
            }
        };
        for (index, &tie) in view.ties.iter().enumerate() {
            see(start + 2 * index, [Some(tie); 2]);
            rest.remove(tie);
            rest.remove(tie);
        }
        see(start + 2 * num_ties, [Some(own), Some(opponent)]);
        rest.remove(own);
        rest.remove(opponent);
        // It does not matter who added which of the cards that the winner finds in the pile, if all are from the first
        // decks.
        let mut rest = rest.cards().iter().copied();
        for index in (0..num_ties).take_while(|_| start + 2 * num_ties < half) {
            see(start + 2 * index + 1, [rest.next(), rest.next()]);
        }
    }
}

/// A deck and the index of a card in it; the top card has index 0.
type Place = (Seat, usize);

/// The hidden cards of a sampled state, which may be exchanged. Exchanges are drawn uniformly: an approximation, because
/// the states that fit a view do not all have the probability that they would have by conditioning.
struct Hidden<'a> {
    state: &'a mut WarState,
    seat: Seat,
    knowledge: &'a WarKnowledge,
    /// The numbers of cards in each deck that were not drawn since the deal.
    left: BySeat<usize>,
    /// The number of cards dealt to a seat.
    half: usize,
    /// The number of cards drawn from each deck.
    num_drawn: usize,
    is_watched: bool,
}

impl Hidden<'_> {
    fn card(&mut self, (seat, index): Place) -> u8 {
        *self.state.decks.card_mut(seat, index)
    }

    /// Returns the number of a card among those that its seat has put back, from 0, or `None` if it was dealt there.
    fn number(&self, (_, index): Place) -> Option<usize> {
        (index + self.num_drawn).checked_sub(self.half)
    }

    /// Returns whether the seat has not seen the card. It sees no pile of the opponent's, in a game that is not watched, but
    /// it knows its own card in it.
    fn is_hidden(&mut self, place: Place) -> bool {
        let (of, index) = place;
        if index < self.left[of] {
            return true;
        }
        let WarKnowledge { taken, .. } = self.knowledge;
        let number = self.number(place).unwrap_or_default();
        !self.is_watched && of != self.seat && taken[number / 2 % taken.len()] != self.card(place)
    }

    /// Returns whether the opponent would put the pile back in the same order with another card in this place: it exceeds
    /// the card beside it or not, as before.
    fn keeps_order(&mut self, place: Place, card: u8) -> bool {
        let (of, index) = place;
        let Some(number) = self.number(place).filter(|_| of != self.seat) else { return true };
        let beside = if number.is_multiple_of(2) { index + 1 } else { index.wrapping_sub(1) };
        if beside >= self.state.decks.len(of) {
            return true;
        }
        let beside = self.card((of, beside));
        card == beside || card.cmp(&beside) == self.card(place).cmp(&beside)
    }

    /// Returns the exchange with number `nth` of a card in one of the `places` with another hidden card that is `wanted`
    /// there and not `fixed`, or the number of exchanges if there are no more; if `is_strict`, only those that keep the
    /// opponent's orders.
    fn find(
        &mut self,
        places: &[Place],
        fixed: &[(Place, u8)],
        wanted: impl Fn(Place, u8) -> bool,
        (is_strict, nth): (bool, usize),
    ) -> Result<(Place, Place), usize> {
        let mut num = 0;
        for &place in places {
            if !self.is_hidden(place) {
                continue;
            }
            let found = self.card(place);
            for of in Seat::BOTH {
                let len = if self.is_watched { self.left[of] } else { self.state.decks.len(of) };
                for other in (0..len).map(|index| (of, index)) {
                    let card = self.card(other);
                    let fits = card != found
                        && wanted(place, card)
                        && fixed.iter().all(|(place, _)| *place != other)
                        && self.is_hidden(other);
                    let keeps = |hidden: &mut Self| {
                        hidden.keeps_order(place, card) && hidden.keeps_order(other, found)
                    };
                    if fits && (!is_strict || keeps(self)) {
                        if num == nth {
                            return Ok((place, other));
                        }
                        num += 1;
                    }
                }
            }
        }
        Err(num)
    }

    /// Makes a random one of the exchanges, which keeps the opponent's orders if possible. Returns whether there is one.
    fn exchange<R: Rng>(
        &mut self,
        places: &[Place],
        fixed: &[(Place, u8)],
        wanted: impl Fn(Place, u8) -> bool,
        rng: &mut R,
    ) -> bool {
        for is_strict in [true, false] {
            let all = self.find(places, fixed, &wanted, (is_strict, usize::MAX));
            let Err(num @ 1..) = all else { continue };
            let nth = rng.random_range(0..num);
            if let Ok((place, other)) = self.find(places, fixed, &wanted, (is_strict, nth)) {
                let (card, found) = (self.card(other), self.card(place));
                *self.state.decks.card_mut(place.0, place.1) = card;
                *self.state.decks.card_mut(other.0, other.1) = found;
                return true;
            }
        }
        false
    }

    /// Exchanges cards so that the opponent wins the next pile. The seat only sees how many cards it has lost in all piles
    /// before its next view, so the turns with ties are drawn at random.
    fn lose<R: Rng>(&mut self, seen: &WarView<'_>, rng: &mut R) {
        let (own, opponent) = ((self.seat, 0), (self.seat.other(), 0));
        let num_turns = (seen.turns - self.state.turns) as usize;
        let num_cards = self.state.decks.len(self.seat);
        let num_lost = num_cards.saturating_sub(seen.own_cards + seen.pile.len() / 2);
        let num_ties = num_lost.saturating_sub(num_turns) / 2;
        let mut fixed = Vec::new();
        let mut index = 0;
        if rng.random_range(0..num_turns) < num_ties
            && num_cards > 2
            && self.state.decks.len(self.seat.other()) > 2
        {
            let card = self.card(own);
            if self.card(opponent) != card
                && !self.exchange(&[opponent], &[], |_, other| other == card, rng)
            {
                return;
            }
            fixed.extend([(own, card), (opponent, card)]);
            index = 2;
        }
        let (own, opponent) = ((own.0, index), (opponent.0, index));
        let (card, other) = (self.card(own), self.card(opponent));
        if card >= other {
            self.exchange(
                &[own, opponent],
                &fixed,
                |place, new| if place == own { new < other } else { new > card },
                rng,
            );
        }
    }

    /// Exchanges cards so that the seat sees `seen` when these cards are turned up, its own first. If that is impossible,
    /// some or no cards are exchanged.
    fn turn_up<R: Rng>(&mut self, (own, opponent): (u8, u8), seen: &WarView<'_>, rng: &mut R) {
        let seat = self.seat;
        let num_ties = seen.ties.len();
        let num_drawn = 2 * num_ties + 1;
        if Seat::BOTH.iter().any(|&seat| self.state.decks.len(seat) < num_drawn) {
            return;
        }
        // The places with known cards, those turned up first, then those added face down to a pile that the seat won.
        let mut places: Vec<(Place, u8)> = Vec::with_capacity(2 * num_drawn);
        for (index, &tie) in seen.ties.iter().enumerate() {
            places.extend(Seat::BOTH.map(|seat| ((seat, 2 * index), tie)));
        }
        places.extend([((seat, 2 * num_ties), own), ((seat.other(), 2 * num_ties), opponent)]);
        let mut rest = Pile::from(seen.pile);
        places.iter().for_each(|&(_, card)| rest.remove(card));
        let hidden = (0..num_ties).flat_map(|tie| Seat::BOTH.map(|seat| (seat, 2 * tie + 1)));
        let (dealt, put_back): (Vec<_>, Vec<_>) =
            hidden.partition(|&(s, index)| index < self.left[s]);
        put_back.into_iter().for_each(|place| rest.remove(self.card(place)));
        let rest = rest.cards().iter().copied();
        places.extend(dealt.into_iter().zip(rest));
        for (number, &(place, card)) in places.iter().enumerate() {
            let is_there = self.card(place) == card;
            if !is_there && !self.exchange(&[place], &places[..number], |_, new| new == card, rng) {
                return;
            }
        }
    }
}
