//! Strategies for phantom four in a row: a list of column orders for each seat.
//!
//! Cauwet & Teytaud 2018, sections IV-B and V: a player that sees nothing can decide everything beforehand. A complete
//! pure strategy is an order of the seven columns for every stone of either seat. Each of the two parameters is the
//! index of such a list: the first parameter selects the list of the first seat, and the second parameter the list of
//! the second seat. Nearby numbers give unrelated lists, so tuning these parameters amounts to choosing the best of
//! many random lists. The redrawn baseline puts every stone into a random column that is not full; without information,
//! it cannot be distinguished from the reference `random`. Scores against it are known exactly
//! ([`OrderLists::score_against_random`]), but computing one takes as long as a million games, so races play games
//! instead.
//!
//! There are better players than random lists: filling one column after the other, from the middle outwards, scores
//! .882 against random columns; the best of 10 000 pairs of numbers scores .769 (independent prototype).
//!
//! A player that knows the opponent's list knows the board, so the best response is found by search
//! ([`best_response`]).
//!
//! The paper does not say how a number becomes a list. Here the permutations of the list are drawn one by one from a
//! [`HashStream`] with tag 1 for the first seat and 2 for the second.

mod exact;
mod family;
mod picture;
mod response;

use std::array;

use rand::Rng;
use ruse_base::hashing::HashStream;
use ruse_games::column_board::{MAX_ROWS, NUM_COLUMNS};
use ruse_games::phantom_four::{ColumnOrder, PhantomFour, PhantomFourView};
use ruse_games::{BySeat, Seat};
use ruse_search::{
    CopyMemory, Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy,
    clone_memory,
};

pub use self::family::PhantomFourFamily;
pub use self::response::{Response, best_response};
use crate::check_parameters;
use crate::phantom_tic_tac_toe::OutcomeProbabilities;

/// The largest number of stones of a seat, on the largest board.
const MAX_STONES: usize = (MAX_ROWS as usize * NUM_COLUMNS).div_ceil(2);

/// A column order for each stone of one seat. Entries beyond the longest game are unused.
type OrderList = [ColumnOrder; MAX_STONES];

/// A doubled player: a column order for each stone of each seat.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderLists {
    /// The number of orders that the game uses for each seat.
    num_orders: usize,
    lists: BySeat<OrderList>,
}

impl OrderLists {
    /// Creates the player that puts the `index`th stone (from 0) of a seat into the first column of `order(seat,
    /// index)` that is not full.
    pub fn from_fn(game: &PhantomFour, mut order: impl FnMut(Seat, usize) -> ColumnOrder) -> Self {
        let num_orders = game.max_own_stones() as usize;
        let mut list = |seat| {
            array::from_fn(|index| {
                if index < num_orders { order(seat, index) } else { ColumnOrder::default() }
            })
        };
        let first = list(Seat::First);
        OrderLists { num_orders, lists: BySeat { first, second: list(Seat::Second) } }
    }

    fn always(game: &PhantomFour, order: [u8; NUM_COLUMNS]) -> OrderLists {
        OrderLists::from_fn(game, |_, _| order.into())
    }

    /// Returns the orders of a seat, one for each stone.
    pub fn orders(&self, seat: Seat) -> &[ColumnOrder] {
        &self.lists[seat][..self.num_orders]
    }

    /// Returns the probabilities of the outcomes if this player plays in `seat` against a player that chooses columns
    /// at random. Returns `None` on boards of more than four rows, which have too many positions.
    ///
    /// # Panics
    ///
    /// Panics if `game` has more rows than the game of these lists.
    pub fn outcome_against_random(
        &self,
        game: &PhantomFour,
        seat: Seat,
    ) -> Option<OutcomeProbabilities> {
        let columns = game.columns();
        let is_low = columns.num_rows() <= exact::MAX_ROWS;
        is_low.then(|| exact::outcome_against_random(columns, self.orders(seat), seat))
    }

    /// Returns the exact score (wins and half of the draws) of seat-swapped pairs against a player that chooses columns
    /// at random, such as the redrawn baseline. The score is in [0, 1]; computing it takes 0.05 to 0.25 seconds.
    /// Returns `None` on boards of more than four rows, which have too many positions.
    ///
    /// # Panics
    ///
    /// Panics if `game` has more rows than the game of these lists.
    ///
    /// # Examples
    ///
    /// ```
    /// use ruse_games::phantom_four::PhantomFour;
    /// use ruse_strategies::phantom_four::OrderLists;
    ///
    /// // Filling one column after the other, from the middle outwards.
    /// let game = PhantomFour::standard();
    /// let centre = OrderLists::from_fn(&game, |_, _| [3, 2, 4, 1, 5, 0, 6].into());
    /// let score = centre.score_against_random(&game).expect("four rows");
    /// assert!((score - 0.882616).abs() < 1e-6);
    /// ```
    pub fn score_against_random(&self, game: &PhantomFour) -> Option<f64> {
        let as_first = self.outcome_against_random(game, Seat::First)?;
        let as_second = self.outcome_against_random(game, Seat::Second)?;
        Some((as_first.score() + as_second.score()) / 2.0)
    }
}

/// The seat of the player in the current game.
#[derive(Debug, Clone, Copy, Default)]
pub struct SeatMemory {
    seat: Seat,
}

impl Strategy<PhantomFour> for OrderLists {
    type Memory = SeatMemory;

    const COPY: CopyMemory<SeatMemory> = clone_memory;

    #[inline]
    fn begin(&self, memory: &mut SeatMemory, seat: Seat) {
        memory.seat = seat;
    }

    #[inline(always)]
    fn act<R: Rng>(
        &self,
        memory: &mut SeatMemory,
        view: PhantomFourView,
        _rng: &mut R,
        action: &mut ColumnOrder,
    ) {
        *action = self.lists[memory.seat][view.own_stones as usize];
    }
}

/// Draws the next permutation of the columns from `stream`.
#[inline]
fn next_order(stream: &mut HashStream) -> ColumnOrder {
    // This is equivalent to `HashStream::permute`, but uses a table.
    ColumnOrder::by_swaps(|n| stream.below(n))
}

impl ParametricStrategy<PhantomFour> for OrderLists {
    fn space(_game: &PhantomFour) -> ParameterSpace {
        ParameterSpace::new(vec![
            Parameter::new("first", "seed of the list of column orders of the first player"),
            Parameter::new("second", "seed of the list of column orders of the second player"),
        ])
    }

    fn from_parameters(game: &PhantomFour, theta: &[f64]) -> Result<Self, ParameterError> {
        check_parameters(theta, 2, || Self::space(game))?;
        let (first, second) = (HashStream::new(theta[0], 1), HashStream::new(theta[1], 2));
        let mut streams = BySeat { first, second };
        Ok(OrderLists::from_fn(game, |seat, _| next_order(&mut streams[seat])))
    }
}

/// The reference strategies.
#[derive(Debug, Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for a whole match, and a box would be one more look-up for each stone"
)]
pub enum ColumnReference {
    /// Puts each stone into a random column that is not full.
    Random,
    /// Follows given lists of column orders.
    Lists(OrderLists),
}

impl Strategy<PhantomFour> for ColumnReference {
    type Memory = SeatMemory;

    const COPY: CopyMemory<SeatMemory> = clone_memory;

    #[inline]
    fn begin(&self, memory: &mut SeatMemory, seat: Seat) {
        memory.seat = seat;
    }

    #[inline(always)]
    fn act<R: Rng>(
        &self,
        memory: &mut SeatMemory,
        view: PhantomFourView,
        rng: &mut R,
        action: &mut ColumnOrder,
    ) {
        match self {
            ColumnReference::Random => *action = ColumnOrder::random(rng),
            ColumnReference::Lists(lists) => lists.act(memory, view, rng, action),
        }
    }
}

fn letters(columns: &[u8]) -> String {
    let letters = columns.iter().map(|column| char::from(b'a' + column));
    letters.map(String::from).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
