//! The joint action as a choice for each idle unit.

use std::fmt;

use ruse_games::{Factored, NumActions, Seat, Slots};

use super::legal::Usage;
use super::orders::Orders;
use super::size::BoardSize;
use super::state::{Code, RtsState};
use super::{Rts, UnitAction};

/// An action of a unit, with its target place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UnitChoice {
    code: Code,
    target: u16,
}

/// Writes the text of a [`UnitAction`], except that the target of an attack is a number.
impl fmt::Debug for UnitChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = self.code.direction();
        match self.code.verb() {
            Code::MOVE => write!(f, "m{direction}"),
            Code::HARVEST => write!(f, "h{direction}"),
            Code::RETURN => write!(f, "r{direction}"),
            Code::PRODUCE => write!(f, "p{direction}{}", self.code.produced().letter()),
            Code::ATTACK => write!(f, "a{}", self.target),
            _ => write!(f, "n{}", self.target),
        }
    }
}

impl<S: BoardSize> Rts<S> {
    /// Returns the action of a choice.
    pub fn unit_action(&self, choice: UnitChoice) -> UnitAction {
        self.start.action_of(choice.code, choice.target)
    }
}

/// Slots are idle units, and values are a unit's actions, both in the order in which the game lists them. Some values
/// may not be [admitted](Factored::admits) even as the first choice.
impl<S: BoardSize> Factored for Rts<S> {
    type Value = UnitChoice;
    type Partial = Usage<S>;

    fn slots(&self, state: &RtsState<S>, seat: Seat, slots: &mut Slots<UnitChoice>) {
        slots.clear();
        for unit in state.idle_units(seat).iter() {
            state.generate(self.table(), unit, |code, target| {
                slots.push(UnitChoice { code, target })
            });
            slots.end_slot();
        }
    }

    #[inline]
    fn begin(&self, state: &RtsState<S>, seat: Seat, usage: &mut Usage<S>) {
        usage.begin(state, seat);
    }

    #[inline]
    fn admits(&self, usage: &Usage<S>, _slot: usize, value: UnitChoice) -> bool {
        usage.admits(self.table(), (value.code, value.target))
    }

    #[inline]
    fn fix(&self, usage: &mut Usage<S>, _slot: usize, value: UnitChoice) {
        usage.fix(self.table(), (value.code, value.target));
    }

    fn assemble(
        &self,
        state: &RtsState<S>,
        seat: Seat,
        slots: &Slots<UnitChoice>,
        chosen: &[u16],
        orders: &mut Orders,
    ) {
        orders.clear();
        for (slot, unit) in state.idle_units(seat).iter().enumerate() {
            let value = slots.values(slot)[usize::from(chosen[slot])];
            orders.push(state.units[unit].place(), state.action_of(value.code, value.target));
        }
    }

    fn both_decide(&self, state: &RtsState<S>) -> bool {
        let has_choice = state.idle.iter().all(|idle| !idle.is_empty());
        !state.first_chose && (self.asks_every_cycle || has_choice)
    }

    /// Merges choices that leave the same cells and resources to later units, because there may be more than 10^23
    /// actions.
    fn num_actions(&self, state: &RtsState<S>, seat: Seat) -> NumActions {
        self.num_orders(state, seat)
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::num_completions;

    use super::*;
    use crate::{Map, Rts};

    /// On three maps, enumeration finds as many joint actions at the start as the program of the paper reports.
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
    }
}
