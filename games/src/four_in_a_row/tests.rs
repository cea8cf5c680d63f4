use std::collections::HashSet;

use super::*;
use crate::Payoff;
use crate::tests::rng;

fn after(game: FourInARow, columns: &[u8]) -> FourInARowState {
    let mut rng = rng();
    let mut state = game.start();
    for column in columns {
        let Turn::Act(seat) = game.turn(&state) else { panic!("the game is over") };
        game.apply(&mut state, seat, column, &mut rng);
    }
    state
}

#[test]
fn positions_are_counted() {
    // Numbers of positions on the 7 x 6 board after 0, 1, 2, ... stones; games that are over are not continued (Tromp,
    // A212693).
    let expected = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275];
    let game = FourInARow::standard();
    let mut rng = rng();
    let mut positions = vec![game.start()];
    let mut actions = Vec::new();
    for (num_stones, expected) in expected.into_iter().enumerate() {
        assert_eq!(positions.len(), expected, "after {num_stones} stones");
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for position in &positions {
            let Turn::Act(seat) = game.turn(position) else { continue };
            actions.clear();
            game.legal(&game.view(position, seat), &mut actions);
            for action in &actions {
                let mut position = position.clone();
                game.apply(&mut position, seat, action, &mut rng);
                if seen.insert(position.board) {
                    next.push(position);
                }
            }
        }
        positions = next;
    }
}

#[test]
fn four_in_any_direction_win() {
    let game = FourInARow::standard();
    for (columns, outcome) in [
        (&[3, 0, 3, 0, 3, 0, 3][..], Payoff::WIN),
        (&[6, 0, 6, 1, 6, 2, 5, 3][..], Payoff::LOSS),
        (&[0, 1, 1, 2, 2, 3, 2, 3, 6, 3, 3][..], Payoff::WIN),
        (&[6, 5, 5, 4, 4, 3, 4, 3, 0, 3, 3][..], Payoff::WIN),
    ] {
        let before = after(game, &columns[..columns.len() - 1]);
        assert!(matches!(before.turn, Turn::Act(_)), "{columns:?} wins too early");
        assert_eq!(after(game, columns).turn, Turn::Over(outcome), "{columns:?}");
    }
}

#[test]
fn columns_that_do_not_take_a_stone_are_refused() {
    let game = FourInARow::standard();
    let state = after(game, &[2; 6]);
    let message = |column| game.check(&state, &column).expect_err("refused").to_string();
    assert_eq!(message(7), "there is no column 7, columns are numbered from 0 to 6");
    assert_eq!(message(2), "column 2 is full");
    assert_eq!(game.check(&state, &3), Ok(()));
    let over = after(game, &[3, 0, 3, 0, 3, 0, 3]);
    assert_eq!(game.check(&over, &1), Err(IllegalColumn::GameOver));
    let mut actions = Vec::new();
    game.legal(&game.view(&state, Seat::First), &mut actions);
    assert_eq!(actions, [0, 1, 3, 4, 5, 6]);
}

#[test]
fn boards_of_other_heights_can_be_played() {
    let with = |rows| FourInARow::standard().with_rules(&[("rows".to_string(), rows)].into());
    assert_eq!(with(6), Ok(FourInARow::standard()));
    let flat = with(1).expect("valid rules");
    assert_eq!(after(flat, &[0, 1, 2, 3, 4, 5, 6]).turn, Turn::Over(Payoff::DRAW));
}
