//! Drawings of phantom tic-tac-toe.

use super::{CellSet, LINES, PhantomTicTacToeState};
use crate::BySeat;
use crate::drawing::{Drawing, Entry, Item, Mark, Part};

fn grid(title: &str, item: impl Fn(u8) -> Item) -> Part {
    let item = |row: usize, column: usize| item((3 * row + column) as u8);
    Part::grid(title, ["left", "middle", "right"], 0..3, item)
}

/// Draws the numbered cells, without their contents.
pub(super) fn blind(is_open: bool) -> Drawing {
    let cell = |cell: u8| {
        let number = (cell + 1).to_string();
        let typed = if is_open { number.clone() } else { String::new() };
        Item::new(Mark::Dark, format!("cell {number}")).with_text(number).typing(typed)
    };
    Drawing { parts: vec![grid("The cells, the best first", cell)], entry: Entry::Words }
}

/// Draws the stones of both seats.
pub(super) fn whole(state: &PhantomTicTacToeState, names: BySeat<&str>) -> Drawing {
    let BySeat { first, second } = state.stones();
    let wins = |stones: CellSet, cell: u8| {
        LINES.iter().any(|&line| stones.0 & line == line && line >> cell & 1 == 1)
    };
    let cell = |cell: u8| {
        let number = cell + 1;
        match () {
            () if first.contains(cell) => {
                Item::new(Mark::FirstStone, format!("cell {number}: {}", names.first))
                    .strong(wins(first, cell))
            }
            () if second.contains(cell) => {
                Item::new(Mark::SecondStone, format!("cell {number}: {}", names.second))
                    .strong(wins(second, cell))
            }
            () => Item::new(Mark::Empty, format!("cell {number}: free")),
        }
    };
    Drawing { parts: vec![grid("The board", cell)], ..Drawing::default() }
}
