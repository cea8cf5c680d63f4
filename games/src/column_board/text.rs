//! Text for boards made of columns.

use super::{Columns, NUM_COLUMNS, Stones};
use crate::{BySeat, Page, Seat, Tint};

/// The names of the columns, from the left.
pub(crate) const LETTERS: [char; NUM_COLUMNS] = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/// Returns the index of the column with this letter, or with this number counted from 1.
pub(crate) fn column_of(letter: char) -> Option<u8> {
    let letter = letter.to_ascii_lowercase();
    let of_letter = LETTERS.iter().position(|&name| name == letter);
    let of_digit = || {
        let index = (letter.to_digit(10)? as usize).checked_sub(1)?;
        (index < NUM_COLUMNS).then_some(index)
    };
    of_letter.or_else(of_digit).map(|column| column as u8)
}

/// Returns the board as text: the names of the columns, then the rows from the top down.
pub(crate) fn drawn(board: &Stones, columns: Columns, page: Page) -> String {
    let [first, second] = if page.unicode { ["\u{25cf}", "\u{25cb}"] } else { ["x", "o"] };
    let cell = |cell: u32| match () {
        () if board.stones(Seat::First) >> cell & 1 == 1 => first,
        () if board.stones(Seat::Second) >> cell & 1 == 1 => second,
        () => ".",
    };
    let mut text = format!("{}\n", LETTERS.map(String::from).join(" "));
    for row in (0..columns.num_rows()).rev() {
        let cells: Vec<_> = (0..NUM_COLUMNS as u32).map(|column| cell(8 * column + row)).collect();
        text += &cells.join(" ");
        text.push('\n');
    }
    text
}

/// Returns the tint of a word that stands for a stone.
pub(crate) fn tint_of_stone(word: &str) -> Option<Tint> {
    match word {
        "x" | "\u{25cf}" => Some(Tint::First),
        "o" | "\u{25cb}" => Some(Tint::Second),
        _ => None,
    }
}

/// Returns a legend of the two kinds of stones.
pub(crate) fn legend(names: BySeat<&str>, page: Page) -> String {
    let [first, second] = if page.unicode { ["\u{25cf}", "\u{25cb}"] } else { ["x", "o"] };
    format!("{first} {}, {second} {}\n", names.first, names.second)
}
