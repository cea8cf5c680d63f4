//! The two seats of a game, and values by seat.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// One of the two sides of a game. The match, not the game, decides which player takes which seat.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub enum Seat {
    /// The seat that moves first, if the rules give one seat the first move.
    #[default]
    First,
    /// The other seat.
    Second,
}

impl Seat {
    /// Both seats, in order.
    pub const BOTH: [Seat; 2] = [Seat::First, Seat::Second];

    /// Returns the other seat.
    #[inline]
    pub fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }
}

/// One value for each seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct BySeat<T> {
    /// The value of [`Seat::First`].
    pub first: T,
    /// The value of [`Seat::Second`].
    pub second: T,
}

impl<T> BySeat<T> {
    /// Calls `value_of` for each seat, and stores the two values.
    #[inline(always)]
    pub fn from_fn(mut value_of: impl FnMut(Seat) -> T) -> BySeat<T> {
        BySeat { first: value_of(Seat::First), second: value_of(Seat::Second) }
    }

    /// Stores the value of a seat, and the value of the other seat.
    #[inline(always)]
    pub fn seen_by(seat: Seat, own: T, other: T) -> BySeat<T> {
        match seat {
            Seat::First => BySeat { first: own, second: other },
            Seat::Second => BySeat { first: other, second: own },
        }
    }
}

impl BySeat<f64> {
    /// Returns the mean of the values of both seats.
    pub fn mean(self) -> f64 {
        (self.first + self.second) / 2.0
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    #[inline]
    fn index(&self, seat: Seat) -> &T {
        match seat {
            Seat::First => &self.first,
            Seat::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        match seat {
            Seat::First => &mut self.first,
            Seat::Second => &mut self.second,
        }
    }
}
