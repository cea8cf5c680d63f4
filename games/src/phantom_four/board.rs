//! The text interface of phantom four in a row.

use super::{ColumnOrder, PhantomFour, PhantomFourState};
use crate::board::preferences;
use crate::column_board::NUM_COLUMNS;
use crate::column_board::drawing::{grid, order_of_columns};
use crate::column_board::text::{LETTERS, column_of, drawn, legend, tint_of_stone};
use crate::{Board, BySeat, Drawing, Event, NotAnAction, Page, Seen, Tint, counted};

const EXPECTED: &str =
    "type columns from a to g, the one you like best first, each once, as in d c";

fn letters(order: &ColumnOrder) -> String {
    order.columns().map(|column| String::from(LETTERS[usize::from(column)])).join(" ")
}

impl Board<PhantomFour> for PhantomFour {
    fn rules(&self) -> String {
        format!(
            "Stones fall to the lowest free cell of a column, of which there are seven, a to g, of {}. Four in a row \
             win, horizontally, vertically or diagonally, but neither player sees the board.\n\
             Tell the referee which columns you would like for your next stone, the best first. The stone goes into the \
             first of them that is not full, and you are not told which that was. Columns that you leave out follow \
             from the left: d c stands for d c a b e f g.\n",
            counted(self.columns().num_rows().into(), "cell", "cells")
        )
    }

    fn show(&self, seen: &Seen<'_, PhantomFour>, _page: Page) -> String {
        let own = seen.view.own_stones;
        let mut text = format!("You have put {}.\n", counted(own.into(), "stone", "stones"));
        for (index, order) in seen.own_actions.iter().enumerate() {
            text += &format!("stone {}, first free of {}\n", index + 1, letters(order));
        }
        text
    }

    fn alternatives(&self, seen: &Seen<'_, PhantomFour>) -> Vec<ColumnOrder> {
        // Lists one order for each first column. Most of the 5,040 orders differ only in places that hardly matter.
        let order = |column: &char| self.parse(seen, &column.to_string());
        LETTERS.iter().filter_map(|column| order(column).ok()).collect()
    }

    fn grammar(&self, _: &Seen<'_, PhantomFour>) -> String {
        format!("[a-g](?: [a-g]){{0,{}}}", NUM_COLUMNS - 1)
    }

    fn prompt(&self, _view: &Seen<'_, PhantomFour>) -> String {
        "columns, best first".into()
    }

    fn parse(&self, _view: &Seen<'_, PhantomFour>, text: &str) -> Result<ColumnOrder, NotAnAction> {
        let columns: Option<[u8; NUM_COLUMNS]> = preferences(text, column_of);
        columns.map(ColumnOrder::from).ok_or_else(|| NotAnAction::new(text, EXPECTED))
    }

    fn write(&self, order: &ColumnOrder) -> String {
        letters(order)
    }

    fn told(&self, event: &Event<'_, PhantomFour>) -> Option<String> {
        (!event.is_own()).then(|| "The opponent has put a stone.".into())
    }

    fn everything(&self, state: &PhantomFourState, names: BySeat<&str>, page: Page) -> String {
        drawn(&state.board(), self.columns(), page) + &legend(names, page)
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        tint_of_stone(word)
    }

    fn drawing(&self, seen: &Seen<'_, PhantomFour>) -> Option<Drawing> {
        Some(order_of_columns(seen.is_to_act()))
    }

    fn whole_drawing(&self, state: &PhantomFourState, names: BySeat<&str>) -> Option<Drawing> {
        let parts = vec![grid(&state.board(), self.columns(), names, false)];
        Some(Drawing { parts, ..Drawing::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seat;
    use crate::tests::seen;

    #[test]
    fn orders_are_read() {
        let game = PhantomFour::standard();
        let state = game.start();
        let seen = seen(&game, &state, Seat::First);
        for (text, columns) in [
            ("d c", Some([3, 2, 0, 1, 4, 5, 6])),
            ("GFEDCBA", Some([6, 5, 4, 3, 2, 1, 0])),
            ("4", Some([3, 0, 1, 2, 4, 5, 6])),
            ("d4", None),
            ("h", None),
            ("", None),
        ] {
            assert_eq!(game.parse(&seen, text).ok(), columns.map(ColumnOrder::from), "{text}");
        }
    }
}
