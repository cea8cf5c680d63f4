//! Path finding on the board.

use ruse_rts::{Array, BoardSize, Cell, Direction};

use super::surroundings::empty;

fn index<S: BoardSize>(cell: Cell) -> usize {
    (usize::from(cell.y) * S::MAX_SIDE + usize::from(cell.x)) % (S::MAX_SIDE * S::MAX_SIDE)
}

/// A set of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellSet<S: BoardSize>(S::CellBits);

impl<S: BoardSize> Default for CellSet<S> {
    fn default() -> CellSet<S> {
        CellSet(S::CellBits::filled(0))
    }
}

impl<S: BoardSize> CellSet<S> {
    pub(super) fn insert(&mut self, cell: Cell) {
        let index = index::<S>(cell);
        self.0[index / 64] |= 1 << (index % 64);
    }

    pub(super) fn contains(&self, cell: Cell) -> bool {
        let index = index::<S>(cell);
        self.0[index / 64] >> (index % 64) & 1 == 1
    }
}

/// A cell that the search has yet to expand.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// The number of steps so far plus a lower bound on the number of steps to go.
    estimate: u32,
    steps: u32,
    cell: Cell,
    /// The first step of the path from the start to this cell; `None` for the start itself.
    first: Option<Direction>,
}

/// The buffers of a search.
#[derive(Debug, Default)]
pub(super) struct PathFinder {
    /// The cells to expand, sorted so that the most promising cell is the last.
    open: Vec<Open>,
}

impl PathFinder {
    /// Reserves memory to search the whole of a small board. The first searches of larger boards may allocate.
    pub(super) fn reserve(&mut self) {
        empty(&mut self.open);
    }

    /// Returns the first step of a path over free cells to a cell whose distance from `goal` is at most `range`. Uses
    /// A* with the Manhattan distance. Returns `None` if the start is near enough already, or if there is no path.
    ///
    /// Ties are broken as in the program of the paper: among equally promising cells the newest comes first, and each
    /// cell is reached once, even if a shorter path to it turns up later.
    pub(super) fn first_step<S: BoardSize>(
        &mut self,
        from: Cell,
        goal: Cell,
        range: u32,
        is_free: impl Fn(Cell) -> bool,
    ) -> Option<Direction> {
        let mut entered = CellSet::<S>::default();
        entered.insert(from);
        self.open.clear();
        self.open.push(Open { estimate: from.steps_to(goal), steps: 0, cell: from, first: None });
        while let Some(here) = self.open.pop() {
            if here.cell.distance_squared(goal) <= range * range {
                return here.first;
            }
            for direction in Direction::ALL {
                let Some(cell) = here.cell.neighbour(direction) else { continue };
                if usize::from(cell.x.max(cell.y)) >= S::MAX_SIDE
                    || entered.contains(cell)
                    || !is_free(cell)
                {
                    continue;
                }
                entered.insert(cell);
                let steps = here.steps + 1;
                let estimate = steps + cell.steps_to(goal);
                let first = here.first.or(Some(direction));
                let better = self.open.iter().rposition(|open| open.estimate >= estimate);
                let place = better.map_or(0, |place| place + 1);
                self.open.insert(place, Open { estimate, steps, cell, first });
            }
        }
        None
    }
}
