//! The text interface of four in a row.

use super::{FourInARow, FourInARowState, FourInARowView};
use crate::board::all_legal;
use crate::column_board::drawing::grid;
use crate::column_board::text::{LETTERS, column_of, drawn, legend, tint_of_stone};
use crate::{Board, BySeat, Drawing, Event, NotAnAction, Page, Seen, Tint};

impl Board<FourInARow> for FourInARow {
    fn rules(&self) -> String {
        "Stones fall to the lowest free cell of a column. Four in a row win, horizontally, vertically or \
         diagonally.\n\
         Type the column of your stone, a to g; 1 to 7 do as well.\n"
            .into()
    }

    fn show(&self, seen: &Seen<'_, FourInARow>, page: Page) -> String {
        let FourInARowView { board, seat } = seen.view;
        let names = BySeat::seen_by(seat, "you", "opponent");
        drawn(board, self.columns(), page) + &legend(names, page)
    }

    fn all_actions(&self, seen: &Seen<'_, FourInARow>) -> Option<Vec<u8>> {
        all_legal(self, seen)
    }

    fn prompt(&self, _view: &Seen<'_, FourInARow>) -> String {
        "column".into()
    }

    fn parse(&self, seen: &Seen<'_, FourInARow>, text: &str) -> Result<u8, NotAnAction> {
        let mut letters = text.trim().chars();
        let column = match (letters.next().and_then(column_of), letters.next()) {
            (Some(column), None) => column,
            _ => return Err(NotAnAction::new(text, "type a column, a to g")),
        };
        if self.columns().landing(seen.view.board.occupied(), column) == 0 {
            return Err(NotAnAction::new(text, "this column is full; type another"));
        }
        Ok(column)
    }

    fn write(&self, &column: &u8) -> String {
        LETTERS[usize::from(column)].into()
    }

    fn is_public(&self, _: &FourInARowView<'_>, _: &u8) -> bool {
        true
    }

    fn told(&self, event: &Event<'_, FourInARow>) -> Option<String> {
        let column = self.write(event.action?);
        Some(event.sentence("put", "puts", &format!("a stone into column {column}")))
    }

    fn everything(&self, state: &FourInARowState, names: BySeat<&str>, page: Page) -> String {
        drawn(&state.board(), self.columns(), page) + &legend(names, page)
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        tint_of_stone(word)
    }

    fn drawing(&self, seen: &Seen<'_, FourInARow>) -> Option<Drawing> {
        let FourInARowView { board, seat } = seen.view;
        let names = BySeat::seen_by(seat, "you", "opponent");
        let parts = vec![grid(board, self.columns(), names, seen.is_to_act())];
        Some(Drawing { parts, ..Drawing::default() })
    }

    fn whole_drawing(&self, state: &FourInARowState, names: BySeat<&str>) -> Option<Drawing> {
        let parts = vec![grid(&state.board(), self.columns(), names, false)];
        Some(Drawing { parts, ..Drawing::default() })
    }

    fn hides(&self) -> bool {
        false
    }

    fn may_take_back(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seat;
    use crate::tests::seen;

    #[test]
    fn columns_are_read() {
        let game = FourInARow::standard();
        let (state, seat) = (game.start(), Seat::First);
        for (text, column) in
            [("d", Some(3)), ("G", Some(6)), ("1", Some(0)), ("8", None), ("ab", None), ("", None)]
        {
            assert_eq!(game.parse(&seen(&game, &state, seat), text).ok(), column, "{text}");
        }
    }
}
