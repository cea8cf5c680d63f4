//! Strategies for phantom tic-tac-toe: the order in which to try the cells.
//!
//! Cauwet & Teytaud 2018, sections IV-B and V: a player that sees nothing can decide beforehand. A complete pure
//! strategy is an order of the nine cells for each seat, given by 2 x 9 parameters. The cells are tried in order of
//! decreasing parameters; ties go to the lower number.
//!
//! A Gaussian vector gives each order with the same probability. Following an unknown random order is the same as
//! choosing free cells at random, so the redrawn baseline puts every stone on a random free cell. Scores against it are
//! exact ([`CellOrders::score_against_random`]).
//!
//! The best response to a player, or to a mixture of players, is a list of orders, one for each stone, found by search
//! ([`best_response`]).
//!
//! The paper does not say how 18 numbers become two orders; decreasing parameters are our choice.

mod family;
mod orbits;
mod picture;
mod response;

use rand::Rng;
use ruse_games::phantom_tic_tac_toe::{
    CellOrder, CellSet, NUM_CELLS, PhantomTicTacToe, PhantomTicTacToeView,
};
use ruse_games::{BySeat, Payoff, Seat};
use ruse_search::{
    CopyMemory, Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy,
    clone_memory,
};

pub use self::family::PhantomTicTacToeFamily;
pub use self::orbits::{Orbits, with_images};
pub use self::response::{Response, best_order, best_response, symmetric_images};
use crate::check_parameters;

/// The name of each cell for people, indexed by the number of the cell.
const CELL_NAMES: [&str; NUM_CELLS] = [
    "top left",
    "top",
    "top right",
    "left",
    "centre",
    "right",
    "bottom left",
    "bottom",
    "bottom right",
];

/// A doubled player: an order of the cells for each seat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellOrders {
    orders: BySeat<CellOrder>,
}

impl CellOrders {
    /// Creates the player with these two orders.
    ///
    /// # Panics
    ///
    /// Panics if an order is not a permutation of all cells.
    pub fn new(orders: BySeat<[u8; NUM_CELLS]>) -> CellOrders {
        for seat in Seat::BOTH {
            let mut cells = orders[seat];
            cells.sort_unstable();
            assert!(cells.into_iter().eq(0..NUM_CELLS as u8), "{cells:?} are not the nine cells");
        }
        CellOrders { orders: BySeat::from_fn(|seat| CellOrder::from(orders[seat])) }
    }

    /// Returns the best doubled player against random free cells. No order of the first seat scores more than .920573,
    /// no order of the second more than .646561, and no doubled player more than .783567 (a test enumerates all
    /// orders).
    pub fn best_against_random() -> CellOrders {
        CellOrders::new(BySeat {
            first: [4, 7, 1, 0, 8, 2, 5, 3, 6],
            second: [4, 0, 8, 2, 6, 1, 7, 3, 5],
        })
    }

    /// Returns the order of each seat.
    pub fn orders(&self) -> BySeat<CellOrder> {
        self.orders
    }

    /// Returns the exact score, in [0, 1], of seat-swapped pairs against a player that puts every stone on a random
    /// free cell, such as the redrawn baseline. A draw counts one half. Enumerates all 384 + 945 courses of a game,
    /// which takes a few microseconds.
    pub fn score_against_random(&self) -> f64 {
        let as_first = exact_outcome(Mover::Order(self.orders.first), Mover::Random);
        let as_second = exact_outcome(Mover::Random, Mover::Order(self.orders.second));
        // The second score is the score of the random mover.
        (as_first.score() + 1.0 - as_second.score()) / 2.0
    }
}

/// A player whose moves [`exact_outcome`] can enumerate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mover {
    /// Follows one order.
    Order(CellOrder),
    /// Puts each stone on a free cell, drawn uniformly.
    Random,
}

/// The probabilities of the outcomes of a game for one of its players. They sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OutcomeProbabilities {
    /// The probability that this player wins.
    pub win: f64,
    /// The probability of a draw.
    pub draw: f64,
    /// The probability that this player loses.
    pub loss: f64,
}

impl OutcomeProbabilities {
    /// Returns the score: wins and half of the draws.
    pub fn score(&self) -> f64 {
        self.win + self.draw / 2.0
    }
}

/// Returns the probabilities of the outcomes of one game for `first`, by enumerating all games.
pub fn exact_outcome(first: Mover, second: Mover) -> OutcomeProbabilities {
    let mut sum = OutcomeProbabilities::default();
    let stones = (CellSet::default(), CellSet::default());
    add_outcomes(Seat::First, [first, second], stones, 1.0, &mut sum);
    sum
}

/// Adds the probabilities of the outcomes from a position with `seat` to move, times `probability`. In `players` and
/// `stones`, the player to move comes first.
fn add_outcomes(
    seat: Seat,
    players @ [mover, other]: [Mover; 2],
    (own, theirs): (CellSet, CellSet),
    probability: f64,
    sum: &mut OutcomeProbabilities,
) {
    let taken = own.union(theirs);
    let mut put = |cell: u8, probability: f64| {
        let own = own.with(cell);
        if own.has_line() {
            match Payoff::won_by(seat) {
                Payoff::WIN => sum.win += probability,
                _ => sum.loss += probability,
            }
        } else if own.union(theirs).is_full() {
            sum.draw += probability;
        } else {
            add_outcomes(seat.other(), [other, mover], (theirs, own), probability, sum);
        }
    };
    match players[0] {
        Mover::Order(order) => put(order.first_free(taken), probability),
        Mover::Random => {
            let share = probability / f64::from(NUM_CELLS as u32 - taken.len());
            for cell in 0..NUM_CELLS as u8 {
                if !taken.contains(cell) {
                    put(cell, share);
                }
            }
        }
    }
}

impl Strategy<PhantomTicTacToe> for CellOrders {
    /// The order that the player follows in the current game.
    type Memory = CellOrder;

    const COPY: CopyMemory<CellOrder> = clone_memory;

    #[inline]
    fn begin(&self, memory: &mut CellOrder, seat: Seat) {
        *memory = self.orders[seat];
    }

    #[inline(always)]
    fn act<R: Rng>(
        &self,
        memory: &mut CellOrder,
        _view: PhantomTicTacToeView,
        _rng: &mut R,
        action: &mut CellOrder,
    ) {
        *action = *memory;
    }
}

/// Returns the order of the cells by decreasing value; ties go to the lower number.
#[inline]
fn by_decreasing_value(values: &[f64; NUM_CELLS]) -> CellOrder {
    // The place of a cell is the number of cells before it. This takes 36 comparisons, but no branch that can be
    // mispredicted.
    let mut places = [0u8; NUM_CELLS];
    for later in 1..NUM_CELLS {
        for earlier in 0..later {
            let swapped = u8::from(values[later] > values[earlier]);
            places[earlier] += swapped;
            places[later] += 1 - swapped;
        }
    }
    CellOrder::from_places(places)
}

impl ParametricStrategy<PhantomTicTacToe> for CellOrders {
    fn space(_game: &PhantomTicTacToe) -> ParameterSpace {
        let parameters = [("first", "first player"), ("second", "second player")];
        let parameters = parameters.into_iter().flat_map(|(prefix, player)| {
            CELL_NAMES.into_iter().map(move |cell| {
                let name = format!("{prefix} {cell}").replace(' ', "-");
                Parameter::new(name, format!("how early the {player} tries the {cell} cell"))
            })
        });
        ParameterSpace::new(parameters.collect())
    }

    fn from_parameters(game: &PhantomTicTacToe, theta: &[f64]) -> Result<Self, ParameterError> {
        check_parameters(theta, 2 * NUM_CELLS, || Self::space(game))?;
        let (seats, _) = theta.as_chunks();
        let [first, second] = [0, 1].map(|seat: usize| by_decreasing_value(&seats[seat]));
        Ok(CellOrders { orders: BySeat { first, second } })
    }
}

/// The reference strategies.
#[derive(Debug, Clone)]
pub enum CellReference {
    /// Puts each stone on a random free cell.
    Random,
    /// Follows the given order of each seat.
    Orders(CellOrders),
}

impl Strategy<PhantomTicTacToe> for CellReference {
    /// The order that the player follows in the current game.
    type Memory = CellOrder;

    const COPY: CopyMemory<CellOrder> = clone_memory;

    #[inline]
    fn begin(&self, memory: &mut CellOrder, seat: Seat) {
        if let CellReference::Orders(orders) = self {
            orders.begin(memory, seat);
        }
    }

    #[inline(always)]
    fn act<R: Rng>(
        &self,
        memory: &mut CellOrder,
        view: PhantomTicTacToeView,
        rng: &mut R,
        action: &mut CellOrder,
    ) {
        // One random order serves the whole game: the first free cell in the rest of the order is uniform over the free
        // cells.
        if matches!(self, CellReference::Random) && view.own_stones == 0 {
            *memory = CellOrder::random(rng);
        }
        *action = *memory;
    }
}

#[cfg(test)]
mod tests;
