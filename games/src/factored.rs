//! Actions that are a choice in each of several slots.

use std::fmt::{self, Debug};

use crate::{Game, Seat};

/// A game whose action is a choice of one value for each of several slots: an action for each unit, a number of fingers and
/// a guess.
///
/// The actions are the combinations that can be reached by choosing values slot by slot, in any order, each
/// [admitted](Factored::admits) given those chosen before. Whatever is chosen, some value of every slot that is left is
/// admitted, so that a choice never ends in a dead end; and which combinations can be reached does not depend on the order.
///
/// A state is asked here, not a view: a player who searches asks it of states that it [imagines](crate::Imagine).
pub trait Factored: Game {
    /// What a slot can be set to. Values of different slots may be equal.
    type Value: Copy + PartialEq + Debug + Send + Sync;
    /// What the values chosen so far use up: cells, money.
    type Partial: Clone + Default + Send;

    /// Writes to `slots` the values of every slot of `seat`, whose turn it must be, in an order that is a function of what
    /// the seat sees. Earlier contents are cleared; nothing is allocated once the buffers have grown. There may be no slot,
    /// and then there is one action.
    fn slots(&self, state: &Self::State, seat: Seat, slots: &mut Slots<Self::Value>);

    /// Sets `partial` to that of no choice. Earlier contents do not matter.
    fn begin(&self, state: &Self::State, seat: Seat, partial: &mut Self::Partial);

    /// Whether a slot that is not chosen yet may be set to `value`, which must be one of its values.
    fn admits(&self, partial: &Self::Partial, slot: usize, value: Self::Value) -> bool;

    /// Sets a slot, which is not chosen yet, to a value that is [admitted](Factored::admits).
    fn fix(&self, partial: &mut Self::Partial, slot: usize, value: Self::Value);

    /// Writes to `action` the action of these choices: for each slot the index of its value in `slots`, which are those of
    /// the state.
    ///
    /// # Panics
    ///
    /// May panic when `chosen` does not have a valid index for each slot.
    fn assemble(
        &self,
        state: &Self::State,
        seat: Seat,
        slots: &Slots<Self::Value>,
        chosen: &[u16],
        action: &mut Self::Action,
    );

    /// Whether the seat whose turn it is and the other decide at once: the next turn is that of the other seat, which does
    /// not see what this one has done. `slots` and what belongs to it can then be asked for both seats.
    fn both_decide(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// How many actions `seat`, whose turn it must be, has. The default goes through all of them: a game in which they are
    /// many counts them in a better way.
    fn num_actions(&self, state: &Self::State, seat: Seat) -> NumActions {
        let mut slots = Slots::default();
        self.slots(state, seat, &mut slots);
        let mut partial = Self::Partial::default();
        self.begin(state, seat, &mut partial);
        NumActions::Exactly(num_completions(self, &slots, &partial, 0))
    }
}

/// The ways to choose values for the slots from `slot` on.
fn num_completions<G: Factored>(
    game: &G,
    slots: &Slots<G::Value>,
    partial: &G::Partial,
    slot: usize,
) -> u128 {
    if slot == slots.len() {
        return 1;
    }
    let admitted = slots.values(slot).iter().filter(|&&value| game.admits(partial, slot, value));
    if slot + 1 == slots.len() {
        return admitted.count() as u128;
    }
    let completions = admitted.map(|&value| {
        let mut partial = partial.clone();
        game.fix(&mut partial, slot, value);
        num_completions(game, slots, &partial, slot + 1)
    });
    completions.sum()
}

/// A number of actions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NumActions {
    /// Exactly so many.
    Exactly(u128),
    /// More than a `u128` can hold; about so many.
    About(f64),
}

impl fmt::Display for NumActions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumActions::Exactly(number) => write!(f, "{number}"),
            NumActions::About(number) => write!(f, "about {number:e}"),
        }
    }
}

/// The values of several slots, one slot after the other in one buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots<V> {
    values: Vec<V>,
    /// Where the values of each slot end.
    ends: Vec<usize>,
}

impl<V> Default for Slots<V> {
    fn default() -> Slots<V> {
        Slots { values: Vec::new(), ends: Vec::new() }
    }
}

impl<V> Slots<V> {
    /// Removes all slots. The memory stays.
    pub fn clear(&mut self) {
        self.values.clear();
        self.ends.clear();
    }

    /// Bytes that it owns, without what its values own.
    pub fn bytes(&self) -> usize {
        size_of::<V>() * self.values.capacity() + size_of::<usize>() * self.ends.capacity()
    }

    /// Adds a value to the slot that is being filled.
    #[inline]
    pub fn push(&mut self, value: V) {
        self.values.push(value);
    }

    /// Ends the slot that is being filled.
    #[inline]
    pub fn end_slot(&mut self) {
        debug_assert!(self.values.len() > self.start(self.ends.len()), "a slot without values");
        self.ends.push(self.values.len());
    }

    /// The number of slots.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no slot.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The values of a slot, at least one.
    ///
    /// # Panics
    ///
    /// When there is no such slot.
    #[inline]
    pub fn values(&self, slot: usize) -> &[V] {
        &self.values[self.start(slot)..self.ends[slot]]
    }

    /// Where the values of a slot begin among those of all slots: the place of a table of all values where its part starts.
    #[inline]
    pub fn start(&self, slot: usize) -> usize {
        if slot == 0 { 0 } else { self.ends[slot - 1] }
    }

    /// The number of values of all slots together.
    #[inline]
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// The slots, each with its values.
    pub fn iter(&self) -> impl Iterator<Item = &[V]> {
        (0..self.len()).map(|slot| self.values(slot))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;

    use super::*;
    use crate::morra::Morra;
    use crate::rts::{Map, Rts, Usage};

    #[test]
    fn slots_lie_behind_each_other() {
        let mut slots = Slots::default();
        for slot in [&[3, 1][..], &[4]] {
            slot.iter().for_each(|&value| slots.push(value));
            slots.end_slot();
        }
        assert_eq!((slots.len(), slots.num_values(), slots.start(1)), (2, 3, 2));
        assert_eq!(slots.iter().collect::<Vec<_>>(), [&[3, 1][..], &[4]]);
        slots.clear();
        assert!(slots.is_empty() && slots.num_values() == 0);
    }

    /// At the start of maps of the real-time strategy game there are as many joint actions as the program of its paper says.
    #[test]
    fn all_actions_are_gone_through() {
        for (map, expected) in [("8x8-1", 10), ("8x8-3", 1_728), ("8x8-4", 23_649)] {
            let game = Rts::on(Map::named(map).expect("a map"));
            let state = game.start();
            let mut slots = Slots::default();
            game.slots(&state, Seat::First, &mut slots);
            let mut partial = Usage::default();
            game.begin(&state, Seat::First, &mut partial);
            assert_eq!(num_completions(&game, &slots, &partial, 0), expected, "{map}");
        }
        // Six numbers of fingers and eleven guesses.
        let game = Morra::standard();
        let state = game.deal(&mut Xoshiro256PlusPlus::seed_from_u64(1));
        assert_eq!(game.num_actions(&state, Seat::First), NumActions::Exactly(6 * 11));
    }
}
