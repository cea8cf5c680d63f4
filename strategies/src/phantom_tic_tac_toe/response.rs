//! Best responses in phantom tic-tac-toe.
//!
//! A player sees only how many stones it has put, so its knowledge of the board follows from its own orders: a pure
//! strategy is a **list of orders**, one for each of its stones. The search for the best list against a mixture of
//! opponents goes through beliefs, that is, the possible games with their probabilities. An order splits these games by
//! its first cell that is free.
//!
//! The search ([`best_response`]) is depth-first branch and bound. The bound is the score of a player that sees the
//! board after the current stone. For it, the value of an order is a sum over cells. The term of a cell depends only on
//! the cell and on the set of cells tried before, so dynamic programming over the 512 sets finds the best order.
//! Against a single order nothing is hidden, so the bound is exact and no search is needed. It is also exact if at most
//! two cells are left after the stone.
//!
//! The strategies of the family use one order for all stones and try every cell once; [`best_order`] searches these 9!
//! orders in the same way.

use std::cell::RefCell;
use std::collections::HashMap;

use ruse_games::Seat;
use ruse_games::phantom_tic_tac_toe::{CellOrder, CellSet, NUM_CELLS};

use super::{CELL_NAMES, Mover};

/// The difference below which two scores count as equal, because sums in different orders round differently.
const TOLERANCE: f64 = 1e-12;

/// A best response: its score and, for each of its stones, the cells to try. Cells that do not matter are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The score (wins and half of the draws), in [0, 1].
    pub score: f64,
    /// For each stone, the cells in the order in which they are tried. If all these cells are taken, or if the list has
    /// no entry for the stone, the stone may go on any free cell.
    pub cells: Vec<Vec<u8>>,
}

impl Response {
    /// Describes the stones one after the other: "centre; left, or else right".
    pub(super) fn words(&self) -> String {
        let stones = self.cells.iter().map(|cells| {
            let names = cells.iter().map(|&cell| CELL_NAMES[usize::from(cell)]);
            names.collect::<Vec<_>>().join(", or else ")
        });
        stones.collect::<Vec<_>>().join("; ")
    }
}

/// A possible state of the game, with the responder to move.
#[derive(Debug, Clone, Copy)]
struct Possible {
    own: CellSet,
    theirs: CellSet,
    /// The index of the opponent in the mixture.
    mover: usize,
    probability: f64,
}

/// The opponents, and the values of games against them if the responder sees the board.
struct Search<'a> {
    movers: &'a [(Mover, f64)],
    seen: RefCell<HashMap<(CellSet, CellSet, usize), f64>>,
}

impl<'a> Search<'a> {
    fn new(movers: &'a [(Mover, f64)]) -> Search<'a> {
        Search { movers, seen: RefCell::default() }
    }

    /// Returns the possible games before the responder's first stone.
    fn start(&self, seat: Seat) -> Vec<Possible> {
        let none = CellSet::default();
        let games = (0..).zip(self.movers).filter(|(_, (_, probability))| *probability > 0.0);
        let games = games.map(|(mover, &(_, probability))| Possible {
            own: none,
            theirs: none,
            mover,
            probability,
        });
        match seat {
            Seat::First => games.collect(),
            Seat::Second => merged(games.flat_map(|game| self.stones_of_opponent(game)).collect()),
        }
    }

    /// Returns the games after the opponent's next stone, one for each cell that it may take.
    fn stones_of_opponent(&self, game: Possible) -> Vec<Possible> {
        let taken = game.own.union(game.theirs);
        match self.movers[game.mover].0 {
            Mover::Order(order) => {
                vec![Possible { theirs: game.theirs.with(order.first_free(taken)), ..game }]
            }
            Mover::Random => {
                let free = (0..NUM_CELLS as u8).filter(|&cell| !taken.contains(cell));
                let probability = game.probability / f64::from(NUM_CELLS as u32 - taken.len());
                let with = |cell| Possible { theirs: game.theirs.with(cell), probability, ..game };
                free.map(with).collect()
            }
        }
    }

    /// Puts a stone of the responder on a free cell. Returns the score of the games that end with this stone or with the
    /// opponent's reply, times their probabilities, and the other games after the reply.
    fn put(&self, game: Possible, cell: u8) -> (f64, Vec<Possible>) {
        let own = game.own.with(cell);
        if own.has_line() {
            return (game.probability, Vec::new());
        }
        if own.union(game.theirs).is_full() {
            return (game.probability / 2.0, Vec::new());
        }
        let mut over = 0.0;
        let mut replies = self.stones_of_opponent(Possible { own, ..game });
        replies.retain(|reply| {
            let lost = reply.theirs.has_line();
            let drawn = !lost && own.union(reply.theirs).is_full();
            over += if drawn { reply.probability / 2.0 } else { 0.0 };
            !lost && !drawn
        });
        (over, replies)
    }

    /// Returns the value of a stone on a free cell if the responder sees the board afterwards, times the probability of
    /// the game.
    fn put_value(&self, game: Possible, cell: u8) -> f64 {
        let (over, replies) = self.put(game, cell);
        over + replies.iter().map(|&reply| self.value(reply)).sum::<f64>()
    }

    /// Returns the value of a game if the responder sees the board, times the probability of the game.
    fn value(&self, game: Possible) -> f64 {
        let key = (game.own, game.theirs, game.mover);
        if let Some(value) = self.seen.borrow().get(&key) {
            return value * game.probability;
        }
        let taken = game.own.union(game.theirs);
        let certain = Possible { probability: 1.0, ..game };
        let free = (0..NUM_CELLS as u8).filter(|&cell| !taken.contains(cell));
        let value = free.map(|cell| self.put_value(certain, cell)).fold(0.0, f64::max);
        self.seen.borrow_mut().insert(key, value);
        value * game.probability
    }

    /// Returns the best list of orders in the possible games, with its score, or `None` if its score is at most `beat`.
    fn best_list(&self, games: &[Possible], beat: f64) -> Option<Response> {
        let bounds = Bounds::of(self, games);
        let bound = bounds.best[0];
        if bound <= beat + TOLERANCE {
            return None;
        }
        // If at most one cell is left after the next stone and its reply, there is nothing more to decide; against a
        // single order, nothing is hidden.
        let decided = |game: &Possible| game.own.union(game.theirs).len() + 3 >= NUM_CELLS as u32;
        let is_known = |game: &Possible| matches!(self.movers[game.mover].0, Mover::Order(_));
        if games.iter().all(decided) || (games.len() == 1 && is_known(&games[0])) {
            return Some(self.follow(games, &bounds));
        }
        let mut found = BestSoFar { score: beat, list: None };
        self.try_orders(games, &bounds, &mut Vec::new(), 0, 0.0, &mut found);
        Some(Response { score: found.score, cells: found.list? })
    }

    /// Returns the list of the orders with the highest bounds, for games in which the bounds are exact.
    fn follow(&self, games: &[Possible], bounds: &Bounds) -> Response {
        let mut cells = Vec::new();
        let mut tried = 0;
        while let Some(cell) = bounds.best_cell(tried) {
            cells.push(cell);
            tried |= 1 << cell;
        }
        let (_, next) = self.after(games, &cells);
        let mut list = vec![cells];
        if let [_, ..] = next[..] {
            let bounds = Bounds::of(self, &next);
            list.extend(self.follow(&next, &bounds).cells);
        }
        Response { score: bounds.best[0], cells: list }
    }

    /// Returns the score of the games that end when the responder follows an order and the opponent replies, and the
    /// other games.
    fn after(&self, games: &[Possible], cells: &[u8]) -> (f64, Vec<Possible>) {
        let mut over = 0.0;
        let mut next = Vec::new();
        for &game in games {
            let taken = game.own.union(game.theirs);
            let cell = cells.iter().find(|&&cell| !taken.contains(cell));
            let &cell = cell.expect("a cell of every possible game is tried");
            let (score, replies) = self.put(game, cell);
            over += score;
            next.extend(replies);
        }
        (over, merged(next))
    }

    /// Tries all orders that begin with `cells`. `tried` is the set of these cells, and `gained` is what they add to
    /// the bound.
    fn try_orders(
        &self,
        games: &[Possible],
        bounds: &Bounds,
        cells: &mut Vec<u8>,
        tried: usize,
        gained: f64,
        found: &mut BestSoFar,
    ) {
        let mut choices: Vec<(f64, u8)> = (0..NUM_CELLS as u8)
            .filter(|cell| bounds.reached[tried][usize::from(*cell)])
            .map(|cell| (bounds.through(tried, cell), cell))
            .collect();
        if choices.is_empty() {
            let (over, next) = self.after(games, cells);
            if next.is_empty() {
                if over > found.score + TOLERANCE {
                    *found = BestSoFar { score: over, list: Some(vec![cells.clone()]) };
                }
            } else if let Some(rest) = self.best_list(&next, found.score - over) {
                let mut list = vec![cells.clone()];
                list.extend(rest.cells);
                *found = BestSoFar { score: over + rest.score, list: Some(list) };
            }
            return;
        }
        // The most promising cells come first, so that the others are soon cut off.
        choices.sort_by(|x, y| y.0.total_cmp(&x.0));
        for (bound, cell) in choices {
            if gained + bound <= found.score + TOLERANCE {
                break;
            }
            let gain = bounds.gains[tried][usize::from(cell)];
            cells.push(cell);
            self.try_orders(games, bounds, cells, tried | 1 << cell, gained + gain, found);
            cells.pop();
        }
    }

    /// Tries all orders that begin with `cells`, each for all stones. `settled` is the score of the finished games.
    fn try_single_orders(
        &self,
        games: &[Possible],
        cells: &mut Vec<u8>,
        settled: f64,
        found: &mut (f64, Vec<u8>),
    ) {
        if games.is_empty() {
            if settled > found.0 + TOLERANCE {
                *found = (settled, cells.clone());
            }
            return;
        }
        let mut choices = Vec::new();
        for cell in (0..NUM_CELLS as u8).filter(|cell| !cells.contains(cell)) {
            let mut settled = settled;
            let mut next = Vec::new();
            for &game in games {
                if game.theirs.contains(cell) {
                    next.push(game);
                    continue;
                }
                let (score, replies) = self.put(game, cell);
                settled += score;
                next.extend(replies);
            }
            let bound = settled + next.iter().map(|&game| self.value(game)).sum::<f64>();
            choices.push((bound, cell, settled, next));
        }
        choices.sort_by(|x, y| y.0.total_cmp(&x.0));
        for (bound, cell, settled, next) in choices {
            if bound <= found.0 + TOLERANCE {
                break;
            }
            cells.push(cell);
            self.try_single_orders(&merged(next), cells, settled, found);
            cells.pop();
        }
    }
}

/// The best result of a search so far.
struct BestSoFar {
    score: f64,
    list: Option<Vec<Vec<u8>>>,
}

/// Merges games with the same board and opponent.
fn merged(mut games: Vec<Possible>) -> Vec<Possible> {
    if games.len() < 2 {
        return games;
    }
    games.sort_unstable_by_key(|game| (game.mover, game.own, game.theirs));
    games.dedup_by(|later, kept| {
        let same = (later.own, later.theirs, later.mover) == (kept.own, kept.theirs, kept.mover);
        if same {
            kept.probability += later.probability;
        }
        same
    });
    games
}

/// Upper bounds on the value of orders, indexed by the set of the cells tried so far.
struct Bounds {
    /// The value that a cell adds if it is tried after the cells of a set: `[set][cell]`.
    gains: Vec<[f64; NUM_CELLS]>,
    /// True if a cell tried after the cells of a set is free in some remaining game: `[set][cell]`.
    reached: Vec<[bool; NUM_CELLS]>,
    /// The value that the best continuation of an order adds after the cells of a set: `[set]`.
    best: Vec<f64>,
}

impl Bounds {
    fn of(search: &Search<'_>, games: &[Possible]) -> Bounds {
        const NUM_SETS: usize = 1 << NUM_CELLS;
        let mut gains = vec![[0.0; NUM_CELLS]; NUM_SETS];
        let mut reached = vec![[false; NUM_CELLS]; NUM_SETS];
        for &game in games {
            let set = game.own.union(game.theirs).iter().fold(0, |set, cell| set | 1usize << cell);
            for cell in (0..NUM_CELLS).filter(|cell| set >> cell & 1 == 0) {
                let value = search.put_value(game, cell as u8);
                // The loop visits all subsets of `set`, down to the empty set: trying these cells first leaves the game
                // open.
                let mut tried = set;
                loop {
                    gains[tried][cell] += value;
                    reached[tried][cell] = true;
                    if tried == 0 {
                        break;
                    }
                    tried = (tried - 1) & set;
                }
            }
        }
        let mut best = vec![0.0; NUM_SETS];
        for tried in (0..NUM_SETS).rev() {
            let open = (0..NUM_CELLS).filter(|&cell| reached[tried][cell]);
            let values = open.map(|cell| gains[tried][cell] + best[tried | 1 << cell]);
            best[tried] = values.fold(0.0, f64::max);
        }
        Bounds { gains, reached, best }
    }

    /// Returns the value that the best continuation of an order adds after `tried`, among the continuations that begin
    /// with `cell`.
    fn through(&self, tried: usize, cell: u8) -> f64 {
        self.gains[tried][usize::from(cell)] + self.best[tried | 1 << cell]
    }

    /// Returns the first cell of the best continuation of an order, or `None` if no game remains.
    fn best_cell(&self, tried: usize) -> Option<u8> {
        let open = (0..NUM_CELLS as u8).filter(|&cell| self.reached[tried][usize::from(cell)]);
        open.max_by(|&x, &y| self.through(tried, x).total_cmp(&self.through(tried, y)))
    }
}

/// Returns the best list of orders in `seat` against a mixture of opponents, given with their probabilities.
pub fn best_response(seat: Seat, opponents: &[(Mover, f64)]) -> Response {
    let search = Search::new(opponents);
    search.best_list(&search.start(seat), -1.0).expect("no score is below zero")
}

/// Returns the score of the best single order, and this order, in `seat` against a mixture of opponents, given with
/// their probabilities.
pub fn best_order(seat: Seat, opponents: &[(Mover, f64)]) -> (f64, CellOrder) {
    let search = Search::new(opponents);
    let mut found = (-1.0, Vec::new());
    search.try_single_orders(&search.start(seat), &mut Vec::new(), 0.0, &mut found);
    let (score, mut cells) = found;
    // Cells that are never reached come last.
    cells.extend((0..NUM_CELLS as u8).filter(|cell| !cells.contains(cell)).collect::<Vec<_>>());
    let order = std::array::from_fn(|place| cells[place]);
    (score, CellOrder::from(order))
}

/// Returns the images of an order under the eight symmetries of the board. Turning or reflecting the orders of both
/// players does not change any game.
pub fn symmetric_images(order: CellOrder) -> [CellOrder; 8] {
    std::array::from_fn(|symmetry| {
        let image = |cell: u8| {
            let (mut row, mut column) = (cell / 3, cell % 3);
            if symmetry & 1 != 0 {
                column = 2 - column;
            }
            if symmetry & 2 != 0 {
                row = 2 - row;
            }
            if symmetry & 4 != 0 { 3 * column + row } else { 3 * row + column }
        };
        CellOrder::from(order.cells().map(image))
    })
}
