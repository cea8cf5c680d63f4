//! The best response to a list in phantom four in a row.
//!
//! Against a list nothing is hidden: the opponent's next stone follows from the stones on the board. The best response
//! is therefore a path through boards to a win, or otherwise to a draw. It is found by depth-first search; boards from
//! which the search failed are remembered, so that no board is searched twice. A win usually takes a few stones, and
//! finding it takes a few microseconds; proving that no win exists takes time proportional to the number of boards.

use std::collections::HashSet;

use ruse_games::column_board::{Columns, NUM_COLUMNS, has_four};
use ruse_games::phantom_four::{ColumnOrder, PhantomFour};
use ruse_games::{BySeat, Payoff, Seat};

use super::OrderLists;

/// The search is given up after this number of boards. On boards of 4 rows, no known search needs a thousandth of it.
const MAX_BOARDS: usize = 5_000_000;

/// The columns from the middle outwards, because the middle columns are part of more lines.
const CENTRE_FIRST: [u8; NUM_COLUMNS] = [3, 2, 4, 1, 5, 0, 6];

/// A best response to an opponent's list of column orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The outcome of the game for the responder.
    pub outcome: Payoff,
    /// The columns of the responder's stones, in order, until the game ends. No column is full when a stone is dropped
    /// into it. Empty if the responder loses.
    pub columns: Vec<u8>,
}

impl Response {
    /// Returns the score of the responder: 0, 1/2 or 1.
    pub fn score(&self) -> f64 {
        self.outcome.score()
    }
}

/// The stones of the searching player, and of the opponent that follows the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Stones {
    own: u64,
    list: u64,
}

/// Returns the cell of the next stone of a player that follows `order`, as a set of one cell.
fn landing(columns: Columns, occupied: u64, order: ColumnOrder) -> u64 {
    let cells = order.columns().into_iter().map(|column| columns.landing(occupied, column));
    cells.into_iter().find(|&cell| cell != 0).unwrap_or(0)
}

/// Plays one game between two lists, and returns its outcome for `first`.
pub(super) fn play(game: &PhantomFour, first: &OrderLists, second: &OrderLists) -> Payoff {
    let columns = game.columns();
    let mut stones: BySeat<u64> = BySeat::default();
    for number in 0..columns.num_cells() as usize {
        let (seat, lists) =
            if number % 2 == 0 { (Seat::First, first) } else { (Seat::Second, second) };
        let order = lists.orders(seat)[number / 2];
        stones[seat] |= landing(columns, stones.first | stones.second, order);
        if has_four(stones[seat]) {
            return Payoff::won_by(seat);
        }
    }
    Payoff::DRAW
}

struct Search<'a> {
    columns: Columns,
    /// The orders of the opponent, one for each of its stones.
    orders: &'a [ColumnOrder],
    /// True if a draw counts as success.
    draws_count: bool,
    /// Boards, with the searching player to move, from which the search has failed.
    in_vain: HashSet<Stones>,
    path: Vec<u8>,
}

/// The error of a search that was given up.
struct TooManyBoards;

impl Search<'_> {
    /// Returns the board after the next stone of the list.
    fn reply(&self, stones: Stones) -> Stones {
        let occupied = stones.own | stones.list;
        let order = self.orders[stones.list.count_ones() as usize];
        Stones { list: stones.list | landing(self.columns, occupied, order), ..stones }
    }

    /// Returns `true` if the searching player, who is to move, can succeed. If so, adds the player's moves to `path`.
    fn succeeds(&mut self, stones: Stones) -> Result<bool, TooManyBoards> {
        if self.in_vain.contains(&stones) {
            return Ok(false);
        }
        let occupied = stones.own | stones.list;
        let mut open = Vec::with_capacity(NUM_COLUMNS);
        for column in CENTRE_FIRST {
            let cell = self.columns.landing(occupied, column);
            if cell == 0 {
                continue;
            }
            let after = Stones { own: stones.own | cell, ..stones };
            if has_four(after.own) {
                self.path.push(column);
                return Ok(true);
            }
            open.push((column, after));
        }
        for (column, after) in open {
            self.path.push(column);
            let full = |stones: Stones| self.columns.is_full(stones.own | stones.list);
            if full(after) {
                if self.draws_count {
                    return Ok(true);
                }
            } else {
                let next = self.reply(after);
                if !has_four(next.list) {
                    let success = if full(next) { self.draws_count } else { self.succeeds(next)? };
                    if success {
                        return Ok(true);
                    }
                }
            }
            self.path.pop();
        }
        if self.in_vain.len() >= MAX_BOARDS {
            return Err(TooManyBoards);
        }
        self.in_vain.insert(stones);
        Ok(false)
    }
}

/// Returns the best response in `seat` to an opponent who plays the other seat by its list in `opponent`. Returns
/// `None` if the search would take too much memory.
pub fn best_response(game: &PhantomFour, seat: Seat, opponent: &OrderLists) -> Option<Response> {
    let mut search = Search {
        columns: game.columns(),
        orders: opponent.orders(seat.other()),
        draws_count: false,
        in_vain: HashSet::new(),
        path: Vec::new(),
    };
    let start = match seat {
        Seat::First => Stones::default(),
        Seat::Second => search.reply(Stones::default()),
    };
    for (outcome, draws_count) in [(Payoff::WIN, false), (Payoff::DRAW, true)] {
        search.draws_count = draws_count;
        search.in_vain.clear();
        match search.succeeds(start) {
            Ok(true) => return Some(Response { outcome, columns: search.path }),
            Ok(false) => {}
            Err(TooManyBoards) => return None,
        }
    }
    Some(Response { outcome: Payoff::LOSS, columns: Vec::new() })
}
