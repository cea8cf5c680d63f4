use ruse_games::battleship::{Battleship, BattleshipAction, Cell, Fleet, NUM_CELLS};

use crate::suite::{Case, Secrets, Suite};

pub(super) fn hand_over(suite: &mut impl Suite) {
    suite.check(Case {
        name: "battleship",
        game: Battleship::standard(),
        max_actions: 2 + 2 * 81,
        // The ships of the second one all start in the same corner.
        illegal: vec![BattleshipAction::default(), BattleshipAction::Place(Fleet::default())],
        // Before the fleet is placed there are 84,547,392.
        candidates: |_| {
            let cells = (0..NUM_CELLS).map(Cell::from_index);
            cells.map(BattleshipAction::Shoot).collect()
        },
        secrets: Secrets::Many,
    });
}
