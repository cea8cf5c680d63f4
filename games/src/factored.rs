//! Actions that set each of several slots to a value.

use std::fmt::{self, Debug};

use crate::{Game, Seat};

/// A game in which an action assigns a value to each of several slots: an order to each unit, or a number of fingers
/// and a guess.
///
/// To choose an action, set the slots one after another, in any order, each to a value that is
/// [admitted](Factored::admits) after the earlier choices. Each remaining slot always has an admitted value, so there
/// are no dead ends. The order does not change which actions can be reached.
///
/// The methods take a state, not a view: a searching player calls them on states that it [imagines](crate::Imagine).
pub trait Factored: Game {
    /// A value of a slot. Different slots may have equal values.
    type Value: Copy + PartialEq + Debug + Send + Sync;
    /// The resources, such as cells or money, used up by the choices so far.
    type Partial: Clone + Default + Send;

    /// Replaces the contents of `slots` with the slots of `seat`, whose turn it must be, and their values. The order of
    /// the slots depends only on what the seat sees. Does not allocate once the buffers have grown. Without slots,
    /// there is exactly one action.
    fn slots(&self, state: &Self::State, seat: Seat, slots: &mut Slots<Self::Value>);

    /// Resets `partial`: no slot is set.
    fn begin(&self, state: &Self::State, seat: Seat, partial: &mut Self::Partial);

    /// Returns whether an unset slot may be set to `value`, which must be one of the slot's values.
    fn admits(&self, partial: &Self::Partial, slot: usize, value: Self::Value) -> bool;

    /// Sets an unset slot to an [admitted](Factored::admits) value.
    fn fix(&self, partial: &mut Self::Partial, slot: usize, value: Self::Value);

    /// Writes the action with the chosen values to `action`. `chosen` holds the index of the chosen value for each of
    /// the `slots` of `state`.
    ///
    /// # Panics
    ///
    /// May panic if `chosen` does not hold a valid index for each slot.
    fn assemble(
        &self,
        state: &Self::State,
        seat: Seat,
        slots: &Slots<Self::Value>,
        chosen: &[u16],
        action: &mut Self::Action,
    );

    /// Returns whether both seats decide at once: the seat to act chooses first, then the other seat, without seeing
    /// the first choice. The slots and partial choices can then be queried for both seats.
    fn both_decide(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// Returns the number of actions of `seat`, whose turn it must be. The default enumerates all of them; games with
    /// many actions should override it.
    fn num_actions(&self, state: &Self::State, seat: Seat) -> NumActions {
        let mut slots = Slots::default();
        self.slots(state, seat, &mut slots);
        let mut partial = Self::Partial::default();
        self.begin(state, seat, &mut partial);
        NumActions::Exactly(num_completions(self, &slots, &partial, 0))
    }
}

/// Counts the ways to choose values for the slots from `slot` on, by enumeration. `partial` contains the values of the
/// slots before.
pub fn num_completions<G: Factored>(
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
    /// Exactly this number.
    Exactly(u128),
    /// Approximately this number, which exceeds `u128::MAX`.
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

/// The values of several slots in one buffer, slot after slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots<V> {
    values: Vec<V>,
    /// The end offset of each slot's values.
    ends: Vec<usize>,
}

impl<V> Default for Slots<V> {
    fn default() -> Slots<V> {
        Slots { values: Vec::new(), ends: Vec::new() }
    }
}

impl<V> Slots<V> {
    /// Removes all slots, and keeps the memory for later slots.
    pub fn clear(&mut self) {
        self.values.clear();
        self.ends.clear();
    }

    /// Returns the heap memory of the buffers, in bytes, without memory that the values own.
    pub fn bytes(&self) -> usize {
        size_of::<V>() * self.values.capacity() + size_of::<usize>() * self.ends.capacity()
    }

    /// Adds a value to the current slot.
    #[inline]
    pub fn push(&mut self, value: V) {
        self.values.push(value);
    }

    /// Ends the current slot.
    #[inline]
    pub fn end_slot(&mut self) {
        debug_assert!(self.values.len() > self.start(self.ends.len()), "a slot without values");
        self.ends.push(self.values.len());
    }

    /// Removes all values for which `keep` is false, given the slot. If it is false for all values of a slot, the slot
    /// keeps them all.
    pub fn retain(&mut self, mut keep: impl FnMut(usize, &V) -> bool)
    where
        V: Copy,
    {
        let (mut first, mut num_kept) = (0, 0);
        for slot in 0..self.ends.len() {
            let (end, begin) = (self.ends[slot], num_kept);
            for index in first..end {
                let value = self.values[index];
                if keep(slot, &value) {
                    self.values[num_kept] = value;
                    num_kept += 1;
                }
            }
            if num_kept == begin {
                self.values.copy_within(first..end, begin);
                num_kept += end - first;
            }
            (first, self.ends[slot]) = (end, num_kept);
        }
        self.values.truncate(num_kept);
    }

    /// Returns the number of slots.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no slots.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the values of a slot; there is at least one.
    ///
    /// # Panics
    ///
    /// Panics if the slot does not exist.
    #[inline]
    pub fn values(&self, slot: usize) -> &[V] {
        &self.values[self.start(slot)..self.ends[slot]]
    }

    /// Returns the index of a slot's first value in the list of all values.
    #[inline]
    pub fn start(&self, slot: usize) -> usize {
        if slot == 0 { 0 } else { self.ends[slot - 1] }
    }

    /// Returns the total number of values of all slots.
    #[inline]
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// Returns an iterator over the values of each slot.
    pub fn iter(&self) -> impl Iterator<Item = &[V]> {
        (0..self.len()).map(|slot| self.values(slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morra::Morra;
    use crate::tests::rng;

    #[test]
    fn slots_lie_behind_each_other() {
        let mut slots = Slots::default();
        for slot in [&[3, 1][..], &[4]] {
            slot.iter().for_each(|&value| slots.push(value));
            slots.end_slot();
        }
        assert_eq!((slots.len(), slots.num_values(), slots.start(1)), (2, 3, 2));
        assert_eq!(slots.iter().collect::<Vec<_>>(), [&[3, 1][..], &[4]]);
        slots.retain(|slot, &value| slot != 0 || value == 1);
        assert_eq!(slots.iter().collect::<Vec<_>>(), [&[1][..], &[4]]);
        assert_eq!((slots.num_values(), slots.start(1)), (2, 1));
        slots.clear();
        assert!(slots.is_empty() && slots.num_values() == 0);
    }

    /// In Morra there are six numbers of fingers and eleven guesses.
    #[test]
    fn all_actions_are_gone_through() {
        let game = Morra::standard();
        let state = game.deal(&mut rng());
        assert_eq!(game.num_actions(&state, Seat::First), NumActions::Exactly(6 * 11));
    }
}
