//! A search in which most units choose among the orders of scripts.
//!
//! After Moraes, Marino, Lelis & Nascimento, *Action abstractions for combinatorial multi-armed bandit tree search* (AIIDE
//! 2018), algorithm A3N: the units nearest to an enemy choose among all of their actions, and every other unit among the
//! orders that the scripts of a portfolio give to it. Here, the portfolio is the four rushes, and every unit may also wait. A
//! script is asked as if the game began in the state of the node, so it remembers no tasks.

use std::cell::RefCell;

use ruse_games::{Factored, Game, Seat, Slots};
use ruse_rts::{BoardSize, Orders, Rts, RtsState, UnitAction, UnitKind, WAIT};

use super::rush::{Rush, RushMemory};

/// The scripts of the portfolio.
const PORTFOLIO: [Rush; 4] = [
    Rush::Workers,
    Rush::Soldiers(UnitKind::Light),
    Rush::Soldiers(UnitKind::Heavy),
    Rush::Soldiers(UnitKind::Ranged),
];

/// The buffers of a thread.
#[derive(Default)]
struct Buffers {
    memory: RushMemory,
    orders: Orders,
    /// The order of each script to each idle unit: `[script][unit]`.
    wishes: [Vec<Option<UnitAction>>; PORTFOLIO.len()],
    /// The squared distances of idle units to the nearest enemy, with the indices of the units.
    distances: Vec<(u32, usize)>,
    is_free: Vec<bool>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Removes from the slots of a state what no script orders, except for the `num_free` idle units nearest to an enemy.
pub(super) fn keep_orders_of_scripts<S: BoardSize>(
    game: &Rts<S>,
    state: &RtsState<S>,
    seat: Seat,
    num_free: u32,
    slots: &mut Slots<<Rts<S> as Factored>::Value>,
) {
    let num_free = num_free as usize;
    if slots.len() <= num_free {
        return;
    }
    BUFFERS.with_borrow_mut(|buffers| {
        let Buffers { memory, orders, wishes, distances, is_free } = buffers;
        let view = game.view(state, seat);
        is_free.clear();
        is_free.resize(slots.len(), false);
        distances.clear();
        for (index, unit) in view.idle_units().enumerate() {
            let enemies = view.units().filter(|other| other.owner == Some(seat.other()));
            let nearest = enemies.map(|enemy| enemy.cell.distance_squared(unit.cell)).min();
            distances.push((nearest.unwrap_or(u32::MAX), index));
        }
        distances.sort_unstable();
        for &(_, index) in distances.iter().take(num_free) {
            is_free[index] = true;
        }
        for (script, wishes) in PORTFOLIO.iter().zip(wishes.iter_mut()) {
            memory.clear();
            script.decide(memory, &game.view(state, seat), orders);
            wishes.clear();
            wishes.extend(view.idle_units().map(|unit| {
                let order = orders.orders.iter().find(|order| order.unit == unit.cell);
                order.map(|order| order.action)
            }));
        }
        slots.retain(|slot, &value| {
            let action = game.unit_action(value);
            is_free[slot]
                || action == UnitAction::Wait(WAIT)
                || wishes.iter().any(|wishes| wishes[slot] == Some(action))
        });
    });
}

#[cfg(test)]
mod tests {
    use ruse_games::Turn;
    use ruse_strategies::testing::rng;

    use super::*;
    use crate::tests::game_on;

    /// In 300 states of random games, no unit keeps anything but the orders of a rush and waiting, except for the free
    /// units, which are as near to an enemy as any other, and keep everything.
    #[test]
    fn units_that_are_not_free_do_as_a_rush() {
        let mut rng = rng(3);
        let (mut orders, mut num_states, mut num_removed) = (Orders::default(), 0, 0);
        for game in ["8x8-2", "12x12-4"].map(|map| game_on(map, &[])) {
            let mut state = game.deal(&mut rng);
            for _ in 0..150 {
                let Turn::Act(seat) = game.turn(&state) else { break };
                num_states += 1;
                let view = game.view(&state, seat);
                let (mut all, mut kept) = (Slots::default(), Slots::default());
                game.slots(&state, seat, &mut all);
                game.slots(&state, seat, &mut kept);
                keep_orders_of_scripts(&game, &state, seat, 1, &mut kept);
                assert_eq!(kept.len(), all.len());
                num_removed += all.num_values() - kept.num_values();
                let rushes = PORTFOLIO.map(|rush| {
                    rush.decide(&mut RushMemory::default(), &game.view(&state, seat), &mut orders);
                    orders.orders.clone()
                });
                let distance = |cell: ruse_rts::Cell| {
                    let enemies = view.units().filter(|unit| unit.owner == Some(seat.other()));
                    enemies.map(|enemy| enemy.cell.distance_squared(cell)).min()
                };
                let nearest = view.idle_units().map(|unit| distance(unit.cell)).min();
                for (slot, unit) in view.idle_units().enumerate() {
                    if kept.values(slot) == all.values(slot) {
                        continue;
                    }
                    assert!(all.len() == 1 || distance(unit.cell) >= nearest.expect("a unit"));
                    let is_ordered = |action: UnitAction| {
                        rushes
                            .iter()
                            .flatten()
                            .any(|order| order.unit == unit.cell && order.action == action)
                    };
                    for &value in kept.values(slot) {
                        let action = game.unit_action(value);
                        assert!(action == UnitAction::Wait(WAIT) || is_ordered(action), "{action}");
                    }
                }
                let all_free = all.len() as u32;
                let mut same = Slots::default();
                game.slots(&state, seat, &mut same);
                keep_orders_of_scripts(&game, &state, seat, all_free, &mut same);
                assert_eq!(same.num_values(), all.num_values());
                game.view(&state, seat).random_orders(&mut rng, &mut orders);
                game.apply(&mut state, seat, &orders, &mut rng);
            }
        }
        assert!(num_states > 200 && num_removed > 500, "{num_states}, {num_removed}");
    }
}
