//! The number of joint actions of a player.

use ruse_games::{NumActions, Seat};

use super::legal::Usage;
use super::size::{Array, BoardSize};
use super::state::{Code, RtsState};
use super::unit::UnitTable;

/// The number of choices for the units so far that leave the same places and usable stock to later units. It is
/// approximate and, if it fits into 128 bits, also exact.
#[derive(Debug, Clone, Copy)]
struct Ways {
    exact: Option<u128>,
    about: f64,
}

impl Ways {
    fn add(&mut self, other: Ways) {
        self.exact = self.exact.zip(other.exact).and_then(|(a, b)| a.checked_add(b));
        self.about += other.about;
    }

    fn times(self, number: u128) -> Ways {
        Ways {
            exact: self.exact.and_then(|ways| ways.checked_mul(number)),
            about: self.about * number as f64,
        }
    }
}

fn has(places: &impl Array<u64>, place: u16) -> bool {
    places[usize::from(place >> 6)] >> (place & 63) & 1 == 1
}

fn set(places: &mut impl Array<u64>, place: u16) {
    places[usize::from(place >> 6)] |= 1 << (place & 63);
}

/// The actions of a unit, counted: `num_free` take no place; `binding` has a count for each place and cost.
struct Wishes<P> {
    num_free: u128,
    binding: Vec<(u16, u32, u128)>,
    /// Places that no later unit can use.
    last: P,
    /// The maximum amount of resources that later units can use.
    later_cost: u32,
}

fn wishes<S: BoardSize>(
    state: &RtsState<S>,
    table: &UnitTable,
    seat: Seat,
    units: &[usize],
) -> (Vec<Wishes<S::PlaceBits>>, u32) {
    let mut usage = Usage::default();
    usage.begin(state, seat);
    let mut all: Vec<Wishes<S::PlaceBits>> = Vec::with_capacity(units.len());
    for &unit in units {
        let mut wishes = Wishes {
            num_free: 0,
            binding: Vec::new(),
            last: S::PlaceBits::filled(0),
            later_cost: 0,
        };
        state.generate(table, unit, |code, target| {
            let cost = match code.verb() {
                Code::PRODUCE => u32::from(table.facts(code.produced()).cost),
                _ => 0,
            };
            if !code.takes_cell() {
                wishes.num_free += 1;
            } else if usage.admits(table, (code, target)) {
                let same =
                    |request: &&mut (u16, u32, u128)| (request.0, request.1) == (target, cost);
                match wishes.binding.iter_mut().find(same) {
                    Some((_, _, number)) => *number += 1,
                    None => wishes.binding.push((target, cost, 1)),
                }
            }
        });
        all.push(wishes);
    }
    let (mut wanted, mut later_cost) = (S::PlaceBits::filled(0), 0);
    for wishes in all.iter_mut().rev() {
        wishes.later_cost = later_cost;
        for &(place, ..) in &wishes.binding {
            if !has(&wanted, place) {
                set(&mut wishes.last, place);
            }
        }
        wishes.binding.iter().for_each(|&(place, ..)| set(&mut wanted, place));
        later_cost += wishes.binding.iter().map(|&(_, cost, _)| cost).max().unwrap_or(0);
    }
    (all, usage.stock_left().min(later_cost))
}

/// Returns the number of legal joint actions of a seat; 1 if none of its units is idle.
///
/// Processes units row by row, or column by column on a board that is wider than high. Choices are merged if they leave
/// the same remainder: the same places and stock, ignoring what later units cannot use. Time and memory grow with the
/// number of different remainders.
pub(super) fn count<S: BoardSize>(
    state: &RtsState<S>,
    table: &UnitTable,
    seat: Seat,
) -> NumActions {
    let mut units: Vec<usize> = state.idle_units(seat).iter().collect();
    let across = state.width > state.height;
    units.sort_by_key(|&unit| {
        let cell = state.units[unit].place();
        // Units are ordered along the longer side, so that at each step few places are shared by earlier and later
        // units.
        if across { (cell.x, cell.y) } else { (cell.y, cell.x) }
    });
    let (wishes, stock_left) = wishes(state, table, seat, &units);
    let none = S::PlaceBits::filled(0);
    let mut ways = vec![((none, stock_left), Ways { exact: Some(1), about: 1.0 })];
    let mut next = Vec::new();
    for Wishes { num_free, binding, last, later_cost } in &wishes {
        next.clear();
        for &((taken, left), ways) in &ways {
            let mut reach = |place: Option<u16>, left: u32, number: u128| {
                let mut places = taken;
                if let Some(place) = place {
                    set(&mut places, place);
                }
                for (word, last) in places.as_mut().iter_mut().zip(last.as_ref()) {
                    *word &= !last;
                }
                // Resources that exceed what later units can use make no difference.
                next.push(((places, left.min(*later_cost)), ways.times(number)));
            };
            for &(place, cost, number) in binding {
                if cost <= left && !has(&taken, place) {
                    reach(Some(place), left - cost, number);
                }
            }
            reach(None, left, *num_free);
        }
        // The remainders are sorted, because sums of floating-point numbers depend on the order.
        next.sort_by_key(|&(used, _)| used);
        ways.clear();
        for &(used, more) in &next {
            match ways.last_mut() {
                Some((same, ways)) if *same == used => ways.add(more),
                _ => ways.push((used, more)),
            }
        }
    }
    let mut total = Ways { exact: Some(0), about: 0.0 };
    ways.into_iter().for_each(|(_, ways)| total.add(ways));
    total.exact.map_or(NumActions::About(total.about), NumActions::Exactly)
}
