use ruse_games::battleship::{
    Battleship, BattleshipAction, BattleshipView, Cell, Fleet, MAX_SIDE, Sea, Ship,
};

use crate::suite::{Case, Secrets, Suite, with};

/// Returns shots at all cells of the larger board. There are at least 84,547,392 ways to place a fleet, too many to
/// list.
fn shots(_: &BattleshipView<'_>) -> Vec<BattleshipAction> {
    let rows = 0..MAX_SIDE;
    let cells = rows.flat_map(|row| (0..MAX_SIDE).map(move |column| Cell::new(row, column)));
    cells.map(BattleshipAction::Shoot).collect()
}

pub(super) fn hand_over(suite: &mut impl Suite) {
    suite.check_numbered(Case {
        name: "battleship",
        files: Some(crate::suite::Files::of()),
        game: Battleship::standard(),
        max_actions: 2 + 2 * 81,
        // The ships of the second fleet all start in the same corner.
        illegal: vec![BattleshipAction::default(), BattleshipAction::Place(Fleet::default())],
        candidates: shots,
        secrets: Secrets::Many,
    });
    let shop = Battleship::on(Sea::Shop);
    let corner = [Ship::default(); 5];
    for (name, game) in [
        ("battleship-shop-sunk", with(&shop, "sunk", 1)),
        ("battleship-shop", shop),
    ] {
        suite.check_numbered(Case {
            name,
            files: Some(crate::suite::Files::of()),
            game,
            max_actions: 2 + 2 * 100,
            // The second fleet lacks a ship.
            illegal: vec![
                BattleshipAction::default(),
                BattleshipAction::Place(Fleet::default()),
                BattleshipAction::Place(Fleet::new(&corner)),
            ],
            candidates: shots,
            secrets: Secrets::Many,
        });
    }
}
