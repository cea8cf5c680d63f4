use std::collections::BTreeMap;

use rand::rngs::Xoshiro256PlusPlus;

use super::*;
use crate::tests::{rng, with};
use crate::{BySeat, Payoff};

/// Returns the game after stones in the given columns. A stone for a full column falls into the next column to the
/// right that is not full, with column 0 after the last.
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
fn a_full_column_gives_way_to_the_next() {
    let game = PhantomFour::standard();
    // Column 2 takes four stones; the fifth and the sixth fall into column 3.
    let columns: [String; NUM_COLUMNS] = after(game, &[2, 2, 2, 2, 2, 2]).board.into();
    assert_eq!(columns, ["", "", "xoxo", "xo", "", "", ""]);
}

#[test]
fn a_full_board_is_a_draw() {
    let game = PhantomFour::standard();
    let flat = with(&game, &[("rows", 1)]).expect("valid rules");
    assert_eq!(after(flat, &[0, 1, 2, 3, 4, 5, 6]).turn, Turn::Over(Payoff::DRAW));
    assert_eq!(flat.max_own_stones(), 4);
    assert_eq!(game.max_own_stones(), 14);
    assert_eq!(after(flat, &[0, 6, 1, 5, 2, 4, 3]).turn, Turn::Over(Payoff::WIN));
}

#[test]
fn invalid_orders_are_refused() {
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
fn only_the_number_of_own_stones_is_seen() {
    let game = PhantomFour::standard();
    let state = after(game, &[3, 3, 3]);
    let seen = Seat::BOTH.map(|seat| game.view(&state, seat).own_stones);
    assert_eq!(seen, [2, 1]);
}

/// The first of two random movers wins, draws and loses with probabilities .531, .058 and .411 (independent prototype,
/// three digits). The test plays 200 000 games and allows 4 standard errors and half a unit of the third digit; another
/// seed would fail with probability 10^-4.
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
        counts[usize::from(outcome.half_points().expect("won, drawn or lost"))] += 1;
    }
    for (count, p) in counts.into_iter().zip([0.411, 0.058, 0.531]) {
        let frequency = f64::from(count) / f64::from(num_games);
        let allowed = 0.0005 + 4.0 * (p * (1.0 - p) / f64::from(num_games)).sqrt();
        assert!((frequency - p).abs() < allowed, "{frequency}, {p} expected");
    }
}

#[test]
fn the_table_has_every_order_once() {
    let mut orders: Vec<[u8; NUM_COLUMNS]> = ORDERS.iter().map(|order| order.columns()).collect();
    assert!(ORDERS.iter().all(|order| order.is_order_of_all_columns()));
    orders.sort_unstable();
    orders.dedup();
    assert_eq!(orders.len(), 5040);
    // Worked out by hand: the swaps are 6 with 0, 5 with 5, 4 with 1, 3 with 0, 2 with 2, and 1 with 0.
    let mut places = [0, 5, 1, 0, 2, 0].into_iter();
    let order = ColumnOrder::by_swaps(|_| places.next().expect("six swaps"));
    assert_eq!(order.columns(), [4, 3, 2, 6, 1, 5, 0]);
}

/// Plays a game with random orders. An order that would end the game is drawn again, until there have been twenty draws
/// in total. Calls `look` at each turn with the seat to act and the earlier orders of this seat.
fn play_long(
    game: &PhantomFour,
    rng: &mut Xoshiro256PlusPlus,
    mut look: impl FnMut(&PhantomFourState, Seat, &[ColumnOrder], &mut Xoshiro256PlusPlus),
) {
    let mut state = game.start();
    let mut orders: BySeat<Vec<ColumnOrder>> = BySeat::default();
    while let Turn::Act(seat) = state.turn {
        look(&state, seat, &orders[seat], rng);
        let mut after = state.clone();
        for _ in 0..20 {
            let order = ColumnOrder::random(rng);
            after = state.clone();
            game.apply(&mut after, seat, &order, rng);
            orders[seat].push(order);
            if let Turn::Act(_) = after.turn {
                break;
            }
            orders[seat].pop();
        }
        state = after;
    }
}

/// Two stones fill a column of two rows; six columns are left.
#[test]
fn replies_share_the_weight() {
    let game = PhantomFour { columns: Columns::new(2) };
    let (order, mut rng) = (ColumnOrder::by_swaps(|_| 0), rng());
    let mut state = game.start();
    for seat in [Seat::First, Seat::Second] {
        game.apply(&mut state, seat, &order, &mut rng);
    }
    let courses = Courses { game: &game, seat: Seat::Second, orders: &[] };
    let replies = courses.replies(&[(state, 3.0)], Seat::First);
    assert_eq!(replies.iter().map(|(_, weight)| *weight).collect::<Vec<_>>(), [0.5; 6]);
}

#[test]
fn following_all_courses_draws_the_same_states() {
    let game = PhantomFour { columns: Columns::new(2) };
    let mut rng = rng();
    let mut num_compared = 0;
    play_long(&game, &mut rng, |state, seat, orders, rng| {
        if !(4..=9).contains(&state.num_stones) {
            return;
        }
        let courses = Courses { game: &game, seat, orders };
        let mut counts: BTreeMap<[String; NUM_COLUMNS], [f64; 2]> = BTreeMap::new();
        for _ in 0..2_000 {
            let played = courses.at_random(rng).map(|state| state.board.into());
            counts.entry(played.unwrap_or_default()).or_default()[0] += 1.0;
        }
        counts.remove(&<[String; NUM_COLUMNS]>::default());
        let num_played: f64 = counts.values().map(|count| count[0]).sum();
        for _ in 0..num_played as u32 {
            let state = courses.at_once(usize::MAX, rng).expect("the game has come here");
            counts.entry(state.board.into()).or_default()[1] += 1.0;
        }
        // Compares two samples of equal size by chi-square. The limit of 6 standard deviations is exceeded for one seed
        // in 10^7.
        let terms = counts.values().map(|[a, b]| (a - b) * (a - b) / (a + b));
        let (chi_square, freedom) = (terms.sum::<f64>(), counts.len() as f64 - 1.0);
        let most = freedom + 6.0 * (2.0 * freedom).sqrt() + 20.0;
        assert!(chi_square < most, "{chi_square}, {freedom} degrees, {} stones", state.num_stones);
        num_compared += 1;
    });
    assert_eq!(num_compared, 6);
}

/// States can be imagined even at turns that random play hardly ever reaches, in at most about 10 ms.
#[test]
fn unlikely_games_are_imagined() {
    let game = PhantomFour { columns: Columns::new(MAX_ROWS) };
    let mut rng = rng();
    let mut num_unlikely = 0;
    for _ in 0..10 {
        play_long(&game, &mut rng, |state, seat, orders, rng| {
            if state.num_stones < 40 {
                return;
            }
            let mut knowledge = PhantomFourKnowledge::default();
            for order in orders {
                game.learn(&mut knowledge, seat, &game.view(state, seat), order);
            }
            let courses = Courses { game: &game, seat, orders };
            num_unlikely += u32::from((0..1000).all(|_| courses.at_random(rng).is_none()));
            let imagined = game.imagine(&knowledge, seat, &game.view(state, seat), rng);
            assert_eq!(imagined.num_stones, state.num_stones);
            assert_eq!(imagined.board.occupied().count_ones(), state.num_stones);
            assert_eq!(imagined.turn, state.turn);
        });
    }
    assert!(num_unlikely > 0, "no game was too unlikely to be played at random");
}
