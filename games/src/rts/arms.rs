//! How many joint actions a player has.

use std::collections::BTreeMap;
use std::fmt;

use crate::Seat;

use super::legal::Usage;
use super::state::{Code, RtsState};
use super::unit::UnitTable;

/// A number of joint actions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arms {
    /// Exactly so many.
    Exactly(u128),
    /// More than a `u128` can hold; about so many.
    About(f64),
}

impl fmt::Display for Arms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arms::Exactly(number) => write!(f, "{number}"),
            Arms::About(number) => write!(f, "about {number:e}"),
        }
    }
}

/// The ways of choosing so far that have used the same.
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

/// The number of joint actions that are legal for a seat; 1 if none of its units is idle.
///
/// Units are taken column by column. What the choices so far have used is remembered only as far as a later unit could want
/// it: the cells, and the stock. The time and the memory grow with the number of different such remainders; a full board of
/// 16 x 16 takes some milliseconds.
pub(super) fn count(state: &RtsState, table: &UnitTable, seat: Seat) -> Arms {
    let mut units: Vec<usize> = state.idle_units(seat).iter().collect();
    let across = state.width > state.height;
    units.sort_by_key(|&unit| {
        let cell = state.units[unit].place();
        // Along the longer side, so that few cells lie between what is done and what is to come.
        if across { (cell.x, cell.y) } else { (cell.y, cell.x) }
    });
    let mut usage = Usage::default();
    usage.begin(state, seat);
    // The places that units want, each with the last unit that wants it.
    let mut last_wanted: BTreeMap<u16, usize> = BTreeMap::new();
    let mut wishes: Vec<(u128, BTreeMap<(u16, u32), u128>)> = Vec::new();
    for (index, &unit) in units.iter().enumerate() {
        let mut free = 0;
        let mut binding: BTreeMap<(u16, u32), u128> = BTreeMap::new();
        state.generate(table, unit, |code, target| {
            if !usage.admits(table, (code, target)) {
            } else if code.takes_cell() {
                let cost = match code.verb() {
                    Code::PRODUCE => u32::from(table.facts(code.produced()).cost),
                    _ => 0,
                };
                *binding.entry((target, cost)).or_default() += 1;
                last_wanted.insert(target, index);
            } else {
                free += 1;
            }
        });
        wishes.push((free, binding));
    }
    // In order, because sums of floating-point numbers depend on it.
    let mut ways: BTreeMap<(Vec<u16>, u32), Ways> = BTreeMap::new();
    ways.insert((Vec::new(), 0), Ways { exact: Some(1), about: 1.0 });
    for (index, (free, binding)) in wishes.iter().enumerate() {
        let mut next: BTreeMap<(Vec<u16>, u32), Ways> = BTreeMap::new();
        let mut reach = |places: Vec<u16>, cost: u32, ways: Ways| {
            next.entry((places, cost)).or_insert(Ways { exact: Some(0), about: 0.0 }).add(ways);
        };
        for ((taken, spent), ways) in ways {
            let is_wanted = |place: &&u16| last_wanted[place] > index;
            let kept: Vec<u16> = taken.iter().filter(is_wanted).copied().collect();
            for (&(place, cost), &number) in binding {
                if spent + cost > usage.stock_left() || taken.contains(&place) {
                    continue;
                }
                let mut places = kept.clone();
                if last_wanted[&place] > index {
                    places.push(place);
                    places.sort_unstable();
                }
                reach(places, spent + cost, ways.times(number));
            }
            reach(kept, spent, ways.times(*free));
        }
        ways = next;
    }
    let mut total = Ways { exact: Some(0), about: 0.0 };
    ways.into_values().for_each(|ways| total.add(ways));
    total.exact.map_or(Arms::About(total.about), Arms::Exactly)
}
