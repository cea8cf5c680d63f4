//! Drawings of boards made of columns.

use super::text::LETTERS;
use super::{Columns, Stones, cells_in_fours};
use crate::drawing::{Drawing, Entry, Item, Mark, Part};
use crate::{BySeat, Seat};

/// Returns a drawing of the columns without their contents. If `is_open`, the player can choose an order of the
/// columns.
pub(crate) fn order_of_columns(is_open: bool) -> Drawing {
    let item = |letter: char| {
        let typed = if is_open { letter.to_string() } else { String::new() };
        Item::new(Mark::Dark, format!("column {letter}")).with_text(letter).typing(typed)
    };
    let part = Part::row("The columns, the best first", LETTERS.map(item));
    Drawing { parts: vec![part], entry: Entry::Words }
}

/// Returns a drawing of the board. `names` are the names of the seats; if `is_open`, each column that is not full can
/// be chosen.
pub(crate) fn grid(board: &Stones, columns: Columns, names: BySeat<&str>, is_open: bool) -> Part {
    let stones = Seat::BOTH.map(|seat| board.stones(seat));
    let fours = stones.map(cells_in_fours);
    let full = columns.full_columns(board.occupied());
    let item = |row: usize, column: usize| {
        let bit = 1 << (8 * column + row);
        let letter = LETTERS[column];
        let place = format!("{letter}{}", row + 1);
        let item = match stones.map(|stones| stones & bit != 0) {
            [true, _] => Item::new(Mark::FirstStone, format!("{place}: {}", names.first)),
            [_, true] => Item::new(Mark::SecondStone, format!("{place}: {}", names.second)),
            _ => Item::new(Mark::Empty, format!("{place}: free")),
        };
        let is_strong = fours.iter().any(|fours| fours & bit != 0);
        let is_full = full >> column & 1 == 1;
        let typed = if is_open && !is_full { letter.to_string() } else { String::new() };
        item.strong(is_strong).typing(typed)
    };
    Part::grid("The board", LETTERS, (0..columns.num_rows() as usize).rev(), item)
}
