use ruse_games::phantom_tic_tac_toe::{CellOrder, PhantomTicTacToe, PhantomTicTacToeState};

use crate::courses::Courses;
use crate::suite::{Case, Secrets, Suite, beginning_with};

pub(super) fn hand_over(suite: &mut impl Suite) {
    suite.check_numbered(Case {
        name: "phantom-tic-tac-toe",
        files: Some(crate::suite::Files::of()),
        game: PhantomTicTacToe,
        max_actions: 9,
        illegal: vec![[0; 9].into(), [0, 1, 2, 3, 4, 5, 6, 7, 9].into()],
        // There are 362,880 orders, too many to list.
        candidates: |_| Vec::new(),
        secrets: Secrets::Few(Box::new(courses_of_phantom_tic_tac_toe())),
    });
}

/// Lists one action for each free cell, since only the first free cell of an order matters.
fn free_cells(_: &PhantomTicTacToe, state: &PhantomTicTacToeState) -> Vec<CellOrder> {
    let stones = state.stones();
    let taken = stones.first.union(stones.second);
    let free = (0..9).filter(|&cell| !taken.contains(cell));
    free.map(|cell| CellOrder::from(beginning_with(cell))).collect()
}

pub(crate) fn courses_of_phantom_tic_tac_toe() -> Courses<PhantomTicTacToe> {
    Courses {
        game: PhantomTicTacToe,
        deals: vec![PhantomTicTacToe.start()],
        moves: free_cells,
        is_exact: true,
        num_games: 30,
        max_turns: 5,
    }
}
