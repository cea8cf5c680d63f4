//! Tests with expected vectors that follow from the rules and the documentation of each implementation.

use crate::battleship::{BattleshipAction, Fleet, Ship};
use crate::nim::Take;
use crate::rule_file::RuleFile;
use crate::*;

use super::*;
use crate::tests::rng;

fn new_to(seat: Seat) -> Recall<'static> {
    Recall { seat, past: &[], parts: &[] }
}

fn observed<G: Game + Numbered<G>>(game: &G, state: &G::State, seat: Seat) -> Vec<f32> {
    let mut observation = vec![f32::NAN; game.features().len()];
    game.observe(&game.view(state, seat), new_to(seat), &mut observation);
    observation
}

fn numbers<G: Game + Numbered<G>>(game: &G, state: &G::State, seat: Seat) -> Vec<usize> {
    let mut numbers = Vec::new();
    game.each_numbered(&game.view(state, seat), new_to(seat), &mut |number, _| {
        numbers.push(number)
    });
    numbers
}

#[test]
fn nim_has_a_number_for_each_match() {
    let game = Nim::standard();
    let mut state = game.deal(&mut rng());
    assert_eq!(observed(&game, &state, Seat::First), [1.0, 3.0, 5.0, 7.0]);
    assert_eq!(numbers(&game, &state, Seat::First), (0..16).collect::<Vec<_>>());
    // The numbers 4 to 8 take 1 to 5 matches from the third heap.
    assert_eq!(game.action_texts()[4..9], ["3 1", "3 2", "3 3", "3 4", "3 5"]);
    game.apply(&mut state, Seat::First, &Take { heap: 2, matches: 4 }, &mut rng());
    assert_eq!(observed(&game, &state, Seat::Second), [1.0, 3.0, 1.0, 7.0]);
    let left = numbers(&game, &state, Seat::Second);
    assert_eq!(left, [0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15]);
}

/// The first player turns up an ace (rank 13) against a king, after a tie of two sevens (rank 6) and two cards face down
/// (ranks 1 and 2).
#[test]
fn war_counts_the_pile_and_has_four_orders() {
    let game = War::standard();
    let state = game.start(&[5, 0, 12, 9], &[5, 1, 11, 8]);
    let mut expected = vec![0.0; 31];
    for (rank, count) in [(1, 1.0), (2, 1.0), (6, 2.0), (12, 1.0), (13, 1.0), (13 + 6, 1.0)] {
        expected[rank - 1] = count;
    }
    expected[26..].copy_from_slice(&[13.0, 12.0, 1.0, 1.0, 0.0]);
    assert_eq!(observed(&game, &state, Seat::First), expected);
    let mut orders = Vec::new();
    game.each_numbered(&game.view(&state, Seat::First), new_to(Seat::First), &mut |_, pile| {
        orders.push(pile.expect("one part").cards().to_vec());
    });
    assert_eq!(
        orders,
        [[12, 11, 5, 5, 1, 0], [0, 1, 5, 5, 11, 12], [0, 12, 1, 11, 5, 5], [12, 0, 11, 1, 5, 5]]
    );
}

#[test]
fn phantom_games_try_one_place_first() {
    let game = PhantomTicTacToe;
    let mut state = game.deal(&mut rng());
    let mut tried = Vec::new();
    game.each_numbered(&game.view(&state, Seat::First), new_to(Seat::First), &mut |_, order| {
        tried.push(order.expect("one part"));
    });
    assert_eq!(tried[4].cells(), [4, 0, 1, 2, 3, 5, 6, 7, 8]);
    assert_eq!((tried.len(), tried[0].cells()), (9, [0, 1, 2, 3, 4, 5, 6, 7, 8]));
    for seat in Seat::BOTH {
        game.apply(&mut state, seat, &tried[4], &mut rng());
    }
    // The second player's stone is beside the centre, but only the first try is known.
    for (seat, began) in [(Seat::First, 1.0), (Seat::Second, 0.0)] {
        let recall = Recall { past: &[4], ..new_to(seat) };
        let mut observation = vec![f32::NAN; game.features().len()];
        game.observe(&game.view(&state, seat), recall, &mut observation);
        assert_eq!(observation[..2], [1.0, began]);
        let set: Vec<usize> = (2..47).filter(|&index| observation[index] == 1.0).collect();
        assert_eq!((observation.len(), set), (47, vec![2 + 4]));
        let mut left = Vec::new();
        game.each_numbered(&game.view(&state, seat), recall, &mut |number, _| left.push(number));
        assert_eq!(left, [0, 1, 2, 3, 5, 6, 7, 8]);
    }
}

/// A column of four cells is full after four tries: each of them put a stone there, or found it full.
#[test]
fn full_columns_of_phantom_four_have_no_number() {
    let game = PhantomFour::standard();
    let state = game.deal(&mut rng());
    let columns = |past: &[usize]| {
        let (recall, mut columns) = (Recall { past, ..new_to(Seat::First) }, Vec::new());
        game.each_numbered(&game.view(&state, Seat::First), recall, &mut |number, _| {
            columns.push(number)
        });
        columns
    };
    assert_eq!(columns(&[3, 3, 3, 0]), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(columns(&[3, 3, 3, 0, 3]), [0, 1, 2, 4, 5, 6]);
}

/// Fleets have no numbers. After both are placed and the first player has hit a ship at a1, 80 cells are left.
#[test]
fn battleship_numbers_shots() {
    let game = Battleship::standard();
    let mut state = game.deal(&mut rng());
    let fleet = Fleet::new(
        &[0, 1, 2, 3].map(|row| Ship { end: game.sea().cell(9 * row), vertical: false }),
    );
    for seat in Seat::BOTH {
        assert!(numbers(&game, &state, seat).is_empty());
        game.apply(&mut state, seat, &BattleshipAction::Place(fleet), &mut rng());
    }
    let shot = BattleshipAction::Shoot(game.sea().cell(0));
    game.apply(&mut state, Seat::First, &shot, &mut rng());
    let [ships, shots, hits, sunk, enemy] = <[Vec<f32>; 5]>::try_from(
        observed(&game, &state, Seat::First).chunks(81).map(Vec::from).collect::<Vec<_>>(),
    )
    .expect("five boards");
    let placed = |cells: &[f32]| cells.iter().sum::<f32>();
    assert_eq!(
        [ships, shots.clone(), hits, sunk, enemy].map(|cells| placed(&cells)),
        [14.0, 1.0, 1.0, 0.0, 0.0]
    );
    assert_eq!(shots[0], 1.0);
    assert_eq!(numbers(&game, &state, Seat::Second).len(), 81);
}

/// The file has 29 fluents, of which nine blank cells and the turn hold at the start. Each role has nine marks and
/// `noop`, in the order of their texts.
#[test]
fn rule_files_have_flags_and_moves_of_both_roles() {
    let file = ruse_gdl::rule_file("tic_tac_toe").expect("it is included");
    let game = RuleFile::from_text(file.name, file.text.as_bytes(), &ruse_gdl::Limits::default());
    let game = game.expect("valid");
    let state = game.deal(&mut rng());
    let observation = observed(&game, &state, Seat::First);
    assert_eq!(observation.len(), 2 + 29);
    assert_eq!(observation[..2], [1.0, 0.0]);
    assert_eq!(observation[2..].iter().sum::<f32>(), 10.0);
    let texts = game.action_texts();
    assert_eq!(texts.len(), 20);
    assert_eq!((&*texts[0], &*texts[10]), ("x (mark 1 1)", "o (mark 1 1)"));
}
