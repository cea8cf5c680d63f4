use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use super::*;

fn rng() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(1)
}

/// The game after stones into the given columns, full ones giving way to those on the right.
fn after(game: PhantomFour, columns: &[u8]) -> PhantomFourState {
    let mut state = game.start();
    for &column in columns {
        let Turn::Act(seat) = game.turn(&state) else { panic!("the game is over") };
        let order: [u8; NUM_COLUMNS] = std::array::from_fn(|place| (column + place as u8) % 7);
        game.apply(&mut state, seat, &order.into(), &mut rng());
    }
    state
}

#[test]
fn four_in_any_direction_win() {
    let game = PhantomFour::standard();
    for (columns, outcome) in [
        // Upwards; to the right.
        (&[3, 0, 3, 0, 3, 0, 3][..], Outcome::Win),
        (&[6, 0, 6, 1, 6, 2, 5, 3][..], Outcome::Loss),
        // Up to the right: column 0 x, 1 o x, 2 o x x, 3 o o o x with x on top.
        (&[0, 1, 1, 2, 2, 3, 2, 3, 6, 3, 3][..], Outcome::Win),
        // The same from the other side.
        (&[6, 5, 5, 4, 4, 3, 4, 3, 0, 3, 3][..], Outcome::Win),
    ] {
        let before = after(game, &columns[..columns.len() - 1]);
        assert!(matches!(before.turn, Turn::Act(_)), "{columns:?} wins too early");
        assert_eq!(after(game, columns).turn, Turn::Over(outcome), "{columns:?}");
    }
}

#[test]
fn a_full_column_gives_way_to_the_next() {
    let game = PhantomFour::standard();
    // 2 takes four stones; the fifth and sixth go on to 3.
    let state = after(game, &[2, 2, 2, 2, 2, 2]);
    let columns: [String; NUM_COLUMNS] = state.board.into();
    assert_eq!(columns, ["", "", "xoxo", "xo", "", "", ""]);
}

#[test]
fn a_full_board_is_a_draw() {
    let game = PhantomFour::standard();
    let changes = BTreeMap::from([("rows".to_string(), 1)]);
    let flat = game.with_rules(&changes).expect("valid rules");
    let state = after(flat, &[0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(state.turn, Turn::Over(Outcome::Draw));
    assert_eq!(flat.max_own_stones(), 4);
    assert_eq!(game.max_own_stones(), 14);
    let state = after(flat, &[0, 6, 1, 5, 2, 4, 3]);
    assert_eq!(state.turn, Turn::Over(Outcome::Win));
}

#[test]
fn what_is_not_an_order_is_refused() {
    let game = PhantomFour::standard();
    let check = |columns: [u8; NUM_COLUMNS]| game.check(&game.start(), &columns.into());
    assert_eq!(check([6, 5, 4, 3, 2, 1, 0]), Ok(()));
    let error = check([0, 1, 2, 3, 4, 5, 5]).expect_err("a column twice");
    assert_eq!(
        error.to_string(),
        "[0, 1, 2, 3, 4, 5, 5] is not an order of the columns 0 to 6, each of them once"
    );
    assert!(check([0, 1, 2, 3, 4, 5, 7]).is_err());
    assert!(check([0, 1, 2, 3, 4, 5, 200]).is_err());
}

#[test]
fn nothing_is_seen_but_the_number_of_own_stones() {
    let game = PhantomFour::standard();
    let state = after(game, &[3, 3, 3]);
    let seen = Seat::BOTH.map(|seat| game.view(&state, seat).own_stones);
    assert_eq!(seen, [2, 1]);
}

/// Random movers: .531, .058, .411 (independent prototype, three digits). 200 000 games at 4 standard
/// errors and half a digit; a new seed would fail once in 10^4 times.
#[test]
fn random_movers_meet_with_known_probabilities() {
    let game = PhantomFour::standard();
    let mut rng = rng();
    let num_games = 200_000;
    let mut counts = [0u32; 3];
    for _ in 0..num_games {
        let mut state = game.start();
        let outcome = loop {
            match game.turn(&state) {
                Turn::Over(outcome) => break outcome,
                Turn::Act(seat) => {
                    game.apply(&mut state, seat, &ColumnOrder::random(&mut rng), &mut rng);
                }
            }
        };
        counts[usize::from(outcome.half_points())] += 1;
    }
    for (count, p) in counts.into_iter().zip([0.411, 0.058, 0.531]) {
        let frequency = f64::from(count) / f64::from(num_games);
        let allowed = 0.0005 + 4.0 * (p * (1.0 - p) / f64::from(num_games)).sqrt();
        assert!((frequency - p).abs() < allowed, "{frequency}, {p} expected");
    }
}

#[test]
fn impossible_rules_are_refused() {
    let with = |rows| PhantomFour::standard().with_rules(&BTreeMap::from([("rows".into(), rows)]));
    assert_eq!(with(4), Ok(PhantomFour::standard()));
    assert_eq!(
        with(8).expect_err("too many").to_string(),
        "rule `rows` is 8, but must lie between 1 and 7"
    );
}

#[test]
fn the_table_has_every_order_once() {
    let mut orders: Vec<[u8; NUM_COLUMNS]> = ORDERS.iter().map(|order| order.columns()).collect();
    assert!(ORDERS.iter().all(|order| order.is_order_of_all_columns()));
    orders.sort_unstable();
    orders.dedup();
    assert_eq!(orders.len(), 5040);
    // By hand: 6 with 0, 5 with 5, 4 with 1, 3 with 0, 2 with 2, 1 with 0.
    let mut places = [0, 5, 1, 0, 2, 0].into_iter();
    let order = ColumnOrder::by_swaps(|_| places.next().expect("six swaps"));
    assert_eq!(order.columns(), [4, 3, 2, 6, 1, 5, 0]);
}
