//! The text interface of phantom tic-tac-toe.

use std::ops::ControlFlow;

use super::drawing::{blind, whole};
use super::{CellOrder, Courses, NUM_CELLS, PhantomTicTacToe, PhantomTicTacToeState};
use crate::board::preferences;
use crate::column_board::text::tint_of_stone;
use crate::{
    Belief, BeliefRow, Beliefs, Board, BySeat, Drawing, Event, NotAnAction, Page, Reconstruct,
    Seen, Tint, counted,
};

const EXPECTED: &str =
    "type cells from 1 to 9, the one you like best first, each once, as in 5 1 9";

/// Returns the cells of an order as text, with numbers from 1.
pub(super) fn digits(order: &CellOrder) -> String {
    order.cells().map(|cell| (cell + 1).to_string()).join(" ")
}

impl PhantomTicTacToe {
    /// Returns a seat's beliefs: for each cell, the share of the possible courses in which the opponent has a stone
    /// there.
    pub fn beliefs(&self, seen: &Seen<'_, PhantomTicTacToe>) -> Beliefs {
        let (mut num_courses, mut counts) = (0u32, [0u32; NUM_CELLS]);
        let courses = Courses { seat: seen.seat, orders: &seen.own_actions };
        let _ = courses.visit(&self.start(), &mut |state| {
            num_courses += 1;
            let stones = state.stones()[seen.seat.other()];
            for (cell, count) in (0..).zip(&mut counts) {
                *count += u32::from(stones.contains(cell));
            }
            ControlFlow::Continue(())
        });
        let belief = |cell: usize| Belief {
            cell: (cell + 1).to_string(),
            probability: f64::from(counts[cell]) / f64::from(num_courses.max(1)),
            known: "",
        };
        let row = |first: usize| BeliefRow {
            name: format!("{}-{}", first + 1, first + 3),
            cells: (first..first + 3).map(belief).collect(),
        };
        Beliefs {
            meaning: "Probability that a stone of the opponent lies on a cell, if they put them on any free cells (exact)"
                .into(),
            is_aim: false,
            columns: vec![String::new(); 3],
            rows: [0, 3, 6].map(row).into(),
        }
    }
}

impl Board<PhantomTicTacToe> for PhantomTicTacToe {
    fn rules(&self) -> String {
        "Three stones in a row, a column or a diagonal win, but neither player sees the board. Cells have these \
         numbers:\n\
         1 2 3\n\
         4 5 6\n\
         7 8 9\n\
         Tell the referee which cells you would like for your next stone, the best first. It goes on the first \
         of them that is free, and you are not told which that was. Cells that you leave out follow in the order of \
         their numbers: 5 1 9 stands for 5 1 9 2 3 4 6 7 8.\n"
            .into()
    }

    fn show(&self, seen: &Seen<'_, PhantomTicTacToe>, _page: Page) -> String {
        let own = seen.view.own_stones;
        let mut text = format!("You have put {}.\n", counted(own.into(), "stone", "stones"));
        for (index, order) in seen.own_actions.iter().enumerate() {
            text += &format!("stone {}, first free of {}\n", index + 1, digits(order));
        }
        text
    }

    fn alternatives(&self, seen: &Seen<'_, PhantomTicTacToe>) -> Vec<CellOrder> {
        // Lists one order for each first cell. Most of the 362,880 orders differ only in places that hardly matter.
        (1..=NUM_CELLS).filter_map(|cell| self.parse(seen, &cell.to_string()).ok()).collect()
    }

    fn grammar(&self, _: &Seen<'_, PhantomTicTacToe>) -> String {
        format!("[1-9](?: [1-9]){{0,{}}}", NUM_CELLS - 1)
    }

    fn prompt(&self, _view: &Seen<'_, PhantomTicTacToe>) -> String {
        "cells, best first".into()
    }

    fn parse(&self, _: &Seen<'_, PhantomTicTacToe>, text: &str) -> Result<CellOrder, NotAnAction> {
        let cell = |letter: char| letter.to_digit(10)?.checked_sub(1).map(|cell| cell as u8);
        let cells: Option<[u8; NUM_CELLS]> = preferences(text, cell);
        cells.map(CellOrder::from).ok_or_else(|| NotAnAction::new(text, EXPECTED))
    }

    fn write(&self, order: &CellOrder) -> String {
        digits(order)
    }

    fn told(&self, event: &Event<'_, PhantomTicTacToe>) -> Option<String> {
        (!event.is_own()).then(|| "The opponent has put a stone.".into())
    }

    fn everything(&self, state: &PhantomTicTacToeState, names: BySeat<&str>, _: Page) -> String {
        let stones = state.stones();
        let cell = |cell: u8| match () {
            () if stones.first.contains(cell) => 'x',
            () if stones.second.contains(cell) => 'o',
            () => '.',
        };
        let rows = [0, 3, 6]
            .map(|start| format!("{} {} {}\n", cell(start), cell(start + 1), cell(start + 2)));
        format!("x {}, o {}:\n{}", names.first, names.second, rows.concat())
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        tint_of_stone(word)
    }

    fn drawing(&self, seen: &Seen<'_, PhantomTicTacToe>) -> Option<Drawing> {
        Some(blind(seen.is_to_act()))
    }

    fn whole_drawing(&self, state: &PhantomTicTacToeState, names: BySeat<&str>) -> Option<Drawing> {
        Some(whole(state, names))
    }

    fn reconstruction(&self) -> Option<&dyn Reconstruct<PhantomTicTacToe>> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{rng, seen};
    use crate::{Game, Seat};

    /// The expected values are worked out by hand. The orders of the first seat begin with the centre and with the
    /// first corner. The opponent's first stone is on the corner with probability 1/8, and on the next cell with
    /// probability 1/8. With probability 6/8 it is on one of the 6 other cells; the opponent's second stone is then on
    /// the next cell with probability 1/6.
    #[test]
    fn beliefs_count_the_courses_of_the_game() {
        let game = PhantomTicTacToe;
        let orders =
            [[4, 0, 1, 2, 3, 5, 6, 7, 8], [0, 1, 2, 3, 4, 5, 6, 7, 8]].map(CellOrder::from);
        let mut rng = rng();
        let mut state = game.start();
        for order in orders {
            game.apply(&mut state, Seat::First, &order, &mut rng);
            game.apply(&mut state, Seat::Second, &order, &mut rng);
        }
        let own_actions = orders.as_slice().into();
        let seen = Seen { own_actions, ..seen(&game, &state, Seat::First) };
        let beliefs = game.beliefs(&seen);
        let cells: Vec<&str> = beliefs.cells().map(|belief| belief.cell.as_str()).collect();
        assert_eq!(cells, ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        let rows: Vec<&str> = beliefs.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(rows, ["1-3", "4-6", "7-9"]);
        let probabilities: Vec<f64> = beliefs.cells().map(|belief| belief.probability).collect();
        assert_eq!(probabilities[..2], [0.125, 0.25]);
        assert_eq!(probabilities[4], 0.0);
        assert!((probabilities.iter().sum::<f64>() - 2.0).abs() < 1e-12, "{probabilities:?}");
    }

    #[test]
    fn orders_are_read() {
        let game = PhantomTicTacToe;
        let state = game.start();
        let seen = seen(&game, &state, Seat::First);
        for (text, cells) in [
            ("5 1 9", Some([4, 0, 8, 1, 2, 3, 5, 6, 7])),
            ("519", Some([4, 0, 8, 1, 2, 3, 5, 6, 7])),
            ("9 8 7 6 5 4 3 2 1", Some([8, 7, 6, 5, 4, 3, 2, 1, 0])),
            ("0", None),
            ("5 5", None),
            ("", None),
            ("centre", None),
            ("1 2 3 4 5 6 7 8 9 1", None),
        ] {
            assert_eq!(game.parse(&seen, text).ok(), cells.map(CellOrder::from), "{text}");
        }
    }
}
