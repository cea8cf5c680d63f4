use ruse_games::phantom_four::PhantomFourState;
use ruse_games::{AdjustableRules, Game, Payoff, Turn};
use ruse_search::Strategy;

use super::*;
use crate::testing::{PanicRng, play};
use crate::{Family, Prepared};

fn player(first: f64, second: f64) -> OrderLists {
    OrderLists::from_parameters(&PhantomFour::standard(), &[first, second]).expect("two numbers")
}

#[test]
fn lists_follow_the_hash() {
    // An independent prototype gave these values.
    let first_three = |seat, x| {
        let player = player(x, x);
        assert_eq!(player.orders(seat).len(), 14);
        [0, 1, 2].map(|index| player.orders(seat)[index].columns())
    };
    for (seat, x, expected) in [
        (Seat::First, 0.0, [[4, 2, 6, 0, 1, 3, 5], [0, 6, 2, 5, 1, 4, 3], [0, 4, 2, 1, 6, 3, 5]]),
        (Seat::Second, 0.0, [[6, 2, 3, 4, 0, 1, 5], [3, 2, 5, 0, 4, 1, 6], [2, 6, 3, 5, 4, 0, 1]]),
        (Seat::First, 1.0, [[4, 3, 1, 0, 5, 6, 2], [0, 4, 3, 6, 1, 5, 2], [6, 2, 3, 4, 1, 5, 0]]),
        (Seat::Second, 1.0, [[1, 4, 5, 3, 2, 6, 0], [1, 0, 6, 4, 5, 3, 2], [1, 3, 4, 6, 2, 0, 5]]),
        (Seat::First, -1.5, [[3, 5, 6, 1, 2, 0, 4], [4, 3, 5, 2, 0, 1, 6], [5, 4, 6, 1, 0, 3, 2]]),
        (Seat::Second, -1.5, [[2, 3, 1, 0, 5, 4, 6], [2, 0, 1, 3, 5, 4, 6], [4, 0, 3, 2, 1, 5, 6]]),
    ] {
        assert_eq!(first_three(seat, x), expected);
    }
    assert_eq!(player(-0.0, 0.0), player(0.0, -0.0));
}

/// Compares a whole game, stone by stone, with the game of an independent prototype.
#[test]
fn a_game_goes_as_it_should() {
    let expected = [4, 2, 0, 2, 6, 4, 1, 4, 4, 6, 0, 3, 6, 6, 0, 1, 0];
    let game = PhantomFour::standard();
    let (first, second) = (player(1.0, 0.0), player(0.0, -1.5));
    let mut memories = [SeatMemory::default(); 2];
    first.begin(&mut memories[0], Seat::First);
    second.begin(&mut memories[1], Seat::Second);
    let mut state = game.start();
    let mut action = ColumnOrder::default();
    let mut columns = Vec::new();
    while let Turn::Act(seat) = game.turn(&state) {
        let view = game.view(&state, seat);
        match seat {
            Seat::First => first.act(&mut memories[0], view, &mut PanicRng, &mut action),
            Seat::Second => second.act(&mut memories[1], view, &mut PanicRng, &mut action),
        }
        let before = state.board().occupied();
        game.apply(&mut state, seat, &action, &mut PanicRng);
        columns.push((state.board().occupied() ^ before).trailing_zeros() / 8);
    }
    assert_eq!(columns, expected);
    assert_eq!(game.turn(&state), Turn::Over(Payoff::WIN));
}

#[test]
fn lists_need_no_randomness() {
    let game = PhantomFour::standard();
    for reference in PhantomFourFamily::default().references() {
        if reference.name != "random" {
            let player = reference.strategy;
            let (outcome, _) = play(&game, game.start(), &player, &player, &mut PanicRng);
            // Checked by hand: the first player has four in the bottom row before the second has four above it.
            assert_eq!(outcome, Payoff::WIN, "{}", reference.name);
        }
    }
}

fn outcomes_against_random(game: &PhantomFour, player: &OrderLists) -> [OutcomeProbabilities; 2] {
    Seat::BOTH.map(|seat| player.outcome_against_random(game, seat).expect("at most four rows"))
}

fn assert_law(law: OutcomeProbabilities, [win, draw, loss]: [f64; 3]) {
    for (found, expected) in [(law.win, win), (law.draw, draw), (law.loss, loss)] {
        assert!((found - expected).abs() < 1e-12, "{law:?}, {expected} expected");
    }
}

#[test]
fn scores_against_random_columns_are_exact() {
    // An independent prototype that keeps all positions gave these values.
    let game = PhantomFour::standard();
    let [first, second] = outcomes_against_random(&game, &player(0.0, 0.0));
    assert_law(first, [0.533_334_465_161_3, 0.057_324_092_969_9, 0.409_341_441_868_8]);
    assert_law(second, [0.334_655_883_055_5, 0.066_300_229_559_6, 0.599_043_887_384_9]);
    let [first, second] = outcomes_against_random(&game, &player(-1.5, -1.5));
    assert_law(first, [0.744_776_147_913_6, 0.030_112_773_678_7, 0.225_111_078_407_7]);
    assert_law(second, [0.464_110_465_990_8, 0.047_590_273_931_6, 0.488_299_260_077_6]);
    let centre = OrderLists::always(&game, [3, 2, 4, 1, 5, 0, 6]);
    let [first, second] = outcomes_against_random(&game, &centre);
    assert_law(first, [0.935_828_250_912_4, 0.001_640_963_915_5, 0.062_530_785_172_1]);
    assert_law(second, [0.827_669_214_980_3, 0.001_829_322_693_6, 0.170_501_462_326_1]);
    let score = centre.score_against_random(&game).expect("four rows");
    assert!((score - 0.882_616_304_6).abs() < 1e-9, "{score}");
}

fn with_rows(rows: u64) -> PhantomFour {
    let rules = [("rows".to_string(), rows)].into();
    PhantomFour::standard().with_rules(&rules).expect("valid rules")
}

/// Returns the probabilities that the player in `seat` wins and loses from `state`, by enumerating all games.
fn play_all_out(
    game: &PhantomFour,
    state: &PhantomFourState,
    player: &OrderLists,
    seat: Seat,
) -> [f64; 2] {
    let mover = match game.turn(state) {
        Turn::Act(mover) => mover,
        Turn::Over(outcome) => {
            let outcome = if seat == Seat::First { outcome } else { outcome.reversed() };
            return [Payoff::WIN, Payoff::LOSS].map(|named| f64::from(u8::from(outcome == named)));
        }
    };
    let orders: Vec<ColumnOrder> = if mover == seat {
        vec![player.orders(seat)[game.view(state, seat).own_stones as usize]]
    } else {
        let full = game.columns().full_columns(state.board().occupied());
        let free = (0..NUM_COLUMNS).filter(|column| full >> column & 1 == 0);
        let preferring = |column| {
            let mut order = [0, 1, 2, 3, 4, 5, 6];
            order.swap(0, column);
            ColumnOrder::from(order)
        };
        free.map(preferring).collect()
    };
    let mut sum = [0.0; 2];
    for order in &orders {
        let mut next = state.clone();
        game.apply(&mut next, mover, order, &mut PanicRng);
        let outcome = play_all_out(game, &next, player, seat);
        sum = [0, 1].map(|index| sum[index] + outcome[index] / orders.len() as f64);
    }
    sum
}

#[test]
fn exact_scores_on_low_boards_are_those_of_all_games() {
    for rows in [1, 2] {
        let game = with_rows(rows);
        for theta in [[0.0, 0.0], [1.0, 0.3], [-1.5, 7.0]] {
            let player = OrderLists::from_parameters(&game, &theta).expect("finite");
            for (seat, law) in Seat::BOTH.into_iter().zip(outcomes_against_random(&game, &player)) {
                let [win, loss] = play_all_out(&game, &game.start(), &player, seat);
                assert_law(law, [win, 1.0 - win - loss, loss]);
            }
        }
    }
}

#[test]
fn high_boards_have_no_exact_score() {
    let game = with_rows(5);
    let player = OrderLists::from_parameters(&game, &[0.0, 0.0]).expect("finite");
    assert_eq!(player.score_against_random(&game), None);
    let words = PhantomFourFamily { game }.words(&player);
    assert!(words.ends_with("belongs to the stone"), "{words}");
}

/// Returns the best outcome for a player in `seat` against a list, by trying all columns.
fn best_by_trying(
    game: &PhantomFour,
    seat: Seat,
    list: &OrderLists,
    state: &PhantomFourState,
) -> Payoff {
    match game.turn(state) {
        Turn::Over(outcome) if seat == Seat::First => outcome,
        Turn::Over(outcome) => outcome.reversed(),
        Turn::Act(to_move) => {
            let own_stones = game.view(state, to_move).own_stones as usize;
            let after = |order: &ColumnOrder| {
                let mut next = state.clone();
                game.apply(&mut next, to_move, order, &mut PanicRng);
                best_by_trying(game, seat, list, &next)
            };
            if to_move != seat {
                return after(&list.orders(to_move)[own_stones]);
            }
            let mut order = [0, 1, 2, 3, 4, 5, 6];
            let outcomes = (0..NUM_COLUMNS).map(|_| {
                order.rotate_left(1);
                after(&ColumnOrder::from(order))
            });
            outcomes.max().expect("there are columns")
        }
    }
}

#[test]
fn best_responses_are_those_found_by_trying_all() {
    let mut seen = [0; 3];
    for rows in [1, 2] {
        let game = with_rows(rows);
        for number in 0..4 {
            let theta = f64::from(number);
            let list = OrderLists::from_parameters(&game, &[theta, theta]).expect("finite");
            for seat in Seat::BOTH {
                let expected = best_by_trying(&game, seat, &list, &game.start());
                let found = best_response(&game, seat, &list).expect("few boards");
                assert_eq!(found.outcome, expected, "{rows} rows, {number}, {seat:?}");
                seen[usize::from(expected.half_points().expect("won, drawn or lost"))] += 1;
            }
        }
    }
    // All kinds of outcomes occurred.
    assert!(seen[1] > 0 && seen[2] > 0, "{seen:?}");
}

/// A best response has the outcome that the search states, if it is played by the rules. It wins against each of 500
/// lists.
#[test]
fn a_known_list_loses() {
    let game = PhantomFour::standard();
    for number in 0..500 {
        let list = player(f64::from(number), f64::from(number));
        let responses =
            BySeat::from_fn(|seat| best_response(&game, seat, &list).expect("few boards").columns);
        let response = OrderLists::from_fn(&game, |seat, index| {
            let mut order = [0, 1, 2, 3, 4, 5, 6];
            order.rotate_left(usize::from(*responses[seat].get(index).unwrap_or(&0)));
            order.into()
        });
        for (first, second, expected) in
            [(&response, &list, Payoff::WIN), (&list, &response, Payoff::LOSS)]
        {
            assert_eq!(play(&game, game.start(), first, second, &mut PanicRng).0, expected);
            assert_eq!(response::play(&game, first, second), expected);
        }
    }
}

#[test]
fn the_family_scores_lists_exactly() {
    let family = PhantomFourFamily::default();
    let references = family.references();
    let [random, one_column, ..] = &references[..] else { panic!("there are four") };
    let one_column = Prepared::Reference(one_column.strategy.clone());
    let random = Prepared::Reference(random.strategy.clone());
    assert_eq!(family.exact_score(&one_column, &one_column), Some(0.5));
    assert_eq!(family.best_response(&one_column).expect("it is solved").score(), 1.0);
    // This is the mean, over both seats, of the score from `outcome_against_random`.
    let score = family.exact_score(&one_column, &random).expect("it is solved");
    let reversed = family.exact_score(&random, &one_column).expect("it is solved");
    assert!((0.5..1.0).contains(&score) && (score + reversed - 1.0).abs() < 1e-12, "{score}");
    assert_eq!(family.best_response(&random), None);
}
