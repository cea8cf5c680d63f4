use super::*;
use crate::tests::rng;
use crate::{Payoff, Reconstruct};

fn play(first: [u8; NUM_CELLS], second: [u8; NUM_CELLS]) -> PhantomTicTacToeState {
    let game = PhantomTicTacToe;
    let orders = BySeat { first: CellOrder::from(first), second: CellOrder::from(second) };
    let mut state = game.start();
    while let Turn::Act(seat) = game.turn(&state) {
        game.apply(&mut state, seat, &orders[seat], &mut rng());
    }
    state
}

fn cells(set: CellSet) -> Vec<u8> {
    set.into()
}

#[test]
fn the_same_order_on_both_sides_alternates() {
    // Values from an independent prototype.
    let identity = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    let end = play(identity, identity);
    assert_eq!(cells(end.stones.first), [0, 2, 4, 6]);
    assert_eq!(cells(end.stones.second), [1, 3, 5]);
    assert_eq!(end.turn, Turn::Over(Payoff::WIN));
}

#[test]
fn a_stone_goes_to_the_first_free_cell() {
    // Worked out by hand. The first player puts stones on 4, 0 and 8, and wins. The second player finds 4 taken and
    // gets 1, and then finds 0 taken and gets 2.
    let end = play([4, 0, 8, 1, 2, 3, 5, 6, 7], [4, 1, 0, 2, 3, 5, 6, 7, 8]);
    assert_eq!(cells(end.stones.first), [0, 4, 8]);
    assert_eq!(cells(end.stones.second), [1, 2]);
    assert_eq!(end.turn, Turn::Over(Payoff::WIN));
    // The stones go to 0, 3, 1, 4 and 5; then 5 is taken, so the next goes to 8; then 6, 2 and 7 fill the board.
    let end = play([0, 1, 5, 6, 7, 2, 3, 4, 8], [3, 4, 5, 8, 2, 0, 1, 6, 7]);
    assert_eq!(cells(end.stones.first), [0, 1, 5, 6, 7]);
    assert_eq!(cells(end.stones.second), [2, 3, 4, 8]);
    assert_eq!(end.turn, Turn::Over(Payoff::DRAW));
    // The second player can win: 2, 4, 6 against 0, 1, 8.
    let end = play([0, 1, 8, 2, 3, 4, 5, 6, 7], [2, 4, 6, 0, 1, 3, 5, 7, 8]);
    assert_eq!(end.turn, Turn::Over(Payoff::LOSS));
}

#[test]
fn sets_with_a_line_are_counted() {
    // Each of the 8 lines is contained in 1 set of three cells, in 6 sets of four and in 15 sets of five; two lines
    // that meet form one set of five. There are 28 pairs of lines: 6 are parallel, and 22 meet.
    let count = |size: u32| {
        let sets = (0..=ALL_CELLS).filter(|set| set.count_ones() == size);
        sets.filter(|&set| CellSet(set).has_line()).count()
    };
    assert_eq!(count(2), 0);
    assert_eq!(count(3), 8);
    assert_eq!(count(4), 8 * 6);
    assert_eq!(count(5), 8 * 15 - 22);
    assert_eq!(count(9), 1);
}

#[test]
fn orders_are_packed_and_unpacked() {
    let order = [3, 6, 8, 2, 0, 5, 4, 1, 7];
    assert_eq!(CellOrder::from(order).cells(), order);
    // Cell 0 is at place 4, cell 1 is at place 7, ...
    assert_eq!(CellOrder::from_places([4, 7, 3, 0, 6, 5, 1, 8, 2]).cells(), order);
    assert_eq!(CellOrder::default().cells(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let mut cells = CellOrder::random(&mut rng()).cells();
    cells.sort_unstable();
    assert_eq!(cells, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn invalid_orders_are_refused() {
    let game = PhantomTicTacToe;
    let check = |cells: [u8; NUM_CELLS]| game.check(&game.start(), &CellOrder::from(cells));
    assert_eq!(check([8, 7, 6, 5, 4, 3, 2, 1, 0]), Ok(()));
    let twice = [0, 1, 2, 3, 4, 5, 6, 7, 7];
    let error = check(twice).expect_err("a cell twice");
    assert_eq!(error, IllegalCellOrder::NotAnOrder { found: twice });
    assert_eq!(
        error.to_string(),
        "[0, 1, 2, 3, 4, 5, 6, 7, 7] is not an order of the cells 0 to 8, each of them once"
    );
    assert!(check([0, 1, 2, 3, 4, 5, 6, 7, 9]).is_err());
    assert!(check([0, 1, 2, 3, 4, 5, 6, 7, 255]).is_err());
}

#[test]
fn a_file_with_a_cell_too_many_is_refused() {
    let text = r#"{"stones":{"first":[0,9],"second":[1]},"turn":{"Act":"Second"}}"#;
    let error = serde_json::from_str::<PhantomTicTacToeState>(text).expect_err("no cell 9");
    assert!(error.to_string().contains("there is no cell 9"), "{error}");
}

#[test]
fn only_the_number_of_own_stones_is_seen() {
    let game = PhantomTicTacToe;
    let mut state = game.start();
    let order = CellOrder::default();
    for (seat, counts) in [(Seat::First, [1, 0]), (Seat::Second, [1, 1]), (Seat::First, [2, 1])] {
        game.apply(&mut state, seat, &order, &mut rng());
        let seen = Seat::BOTH.map(|seat| game.view(&state, seat).own_stones);
        assert_eq!(seen, counts);
    }
}

/// In 1000 drawn orders, each cell occurs at each place at least once. The probability that a given cell never occurs
/// at a given place is (8/9)^1000, which is negligible.
#[test]
fn drawn_orders_have_every_cell_at_every_place() {
    let game = PhantomTicTacToe;
    let view = game.view(&game.start(), Seat::First);
    let (mut rng, mut order) = (rng(), CellOrder::default());
    let mut found = [CellSet::default(); NUM_CELLS];
    for _ in 0..1000 {
        game.sample_action(&view, &mut rng, &mut order);
        for (cells, cell) in found.iter_mut().zip(order.cells()) {
            *cells = cells.with(cell);
        }
    }
    assert!(found.iter().all(|cells| cells.is_full()), "{found:?}");
}

/// After orders that begin with cells 4 and 0, the first seat has cell 4 and, unless the second seat took it, cell 0.
/// The probabilities are worked out by hand.
#[test]
fn imagined_stones_are_where_the_orders_put_them() {
    let game = PhantomTicTacToe;
    let mut knowledge = PhantomTicTacToeKnowledge::default();
    let mut state = game.start();
    for (own, other) in [(4usize, 8), (0, 2)] {
        let [own, other] = [own, other].map(|first| {
            let mut cells: [u8; NUM_CELLS] = CellOrder::default().cells();
            cells.swap(0, first);
            CellOrder::from(cells)
        });
        game.learn(&mut knowledge, Seat::First, &game.view(&state, Seat::First), &own);
        game.apply(&mut state, Seat::First, &own, &mut rng());
        game.apply(&mut state, Seat::Second, &other, &mut rng());
    }
    let view = game.view(&state, Seat::First);
    let (mut rng, mut num_corners) = (rng(), 0);
    for _ in 0..8000 {
        let stones = game.imagine(&knowledge, Seat::First, &view, &mut rng).stones;
        assert!(stones.first.contains(4), "{stones:?}");
        if stones.first.contains(0) {
            num_corners += 1;
        } else {
            // The order continues with cell 1, so the first seat has this cell.
            assert!(stones.first.contains(1) && stones.second.contains(0), "{stones:?}");
        }
    }
    // The second seat took the corner first with probability 1/8. The limit of 5 standard errors is exceeded for one
    // seed in a million.
    assert!((f64::from(num_corners) - 7000.0).abs() < 5.0 * (8000.0f64 * 7.0 / 64.0).sqrt());
}

/// Cells without answers are orders, which the rules of the program tell the seat anyway.
#[test]
fn only_answers_rule_states_out() {
    let told = |text: &str| {
        let course = PhantomTicTacToe.reconstruct(text, Some(Seat::First), &mut rng());
        course.expect("a game that may be").agrees.is_some()
    };
    assert_eq!(["", "519", "5=mine", "5=mine 1=taken"].map(told), [false, false, true, true]);
}
