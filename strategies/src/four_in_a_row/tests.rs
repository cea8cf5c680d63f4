use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::column_board::Stones;
use ruse_games::{Game, Payoff, Seat, Turn};

use super::*;
use crate::Family;
use crate::testing::{PanicRng, play, rng};

/// Parses a board with own stones `x` and the opponent's stones `o`; each column is given from the bottom.
fn stones(columns: [&str; NUM_COLUMNS]) -> (u64, u64) {
    let board = Stones::try_from(columns.map(String::from)).expect("columns of stones");
    (board.stones(Seat::First), board.stones(Seat::Second))
}

#[test]
fn columns_are_drawn_by_weight() {
    // The weights are 1, 2, 3, 0+, 4, 5, 1. Column 4 is full, so the weights of the others sum to 12.
    let log_weights = [1.0, 2.0, 3.0, 1e-300, 4.0, 5.0, 1.0f64].map(libm::log);
    let law = ColumnLaw::from_log_weights(&log_weights);
    let mut counts = [0; NUM_COLUMNS];
    for draw in 0..=i16::MAX {
        counts[usize::from(law.column(0b001_0000, draw))] += 1;
    }
    // 2^15 / 12 = 2730.67, times the sums 1, 3, 6, 6, 6, 11, 12 rounded: 2731, 8192, 16384, ..., 30037.
    assert_eq!(counts, [2731, 5461, 8192, 0, 0, 13653, 2731]);
}

#[test]
fn only_open_columns_are_drawn() {
    for log_weights in [[0.0; NUM_COLUMNS], [1e3, -1e3, 0.0, 1e300, 3.0, -1e300, 0.5]] {
        let law = ColumnLaw::from_log_weights(&log_weights);
        for full in 0..127 {
            for draw in 0..=i16::MAX {
                let column = law.column(full, draw);
                assert!(column < 7 && full >> column & 1 == 0, "{column} of {full:#b}");
            }
        }
    }
}

#[test]
fn a_win_is_taken_without_thinking() {
    let player = FlatMonteCarlo::uniform(&FourInARow::standard());
    let (own, opponent) = stones(["o", "o", "o", "", "", "xxx", ""]);
    assert_eq!(player.choose(own, opponent, &mut PanicRng), 5);
    // If only one column is open, no evaluation is needed, either.
    let (own, opponent) = stones(["xoxoxo", "xoxoxo", "oxoxox", "oxoxox", "", "xoxoxo", "xoxoxo"]);
    assert_eq!(player.choose(own, opponent, &mut PanicRng), 4);
}

#[test]
fn a_careful_player_does_not_lose_at_once() {
    let player = FlatMonteCarlo::careful(&FourInARow::standard());
    let mut rng = rng(1);
    let (own, opponent) = stones(["o", "o", "o", "", "", "xx", ""]);
    for _ in 0..100 {
        assert_eq!(player.choose(own, opponent, &mut rng), 3);
    }
    // A stone into column 3 lets the opponent win above it.
    let (own, opponent) = stones(["xo", "xo", "oo", "", "x", "", ""]);
    for _ in 0..100 {
        assert_ne!(player.choose(own, opponent, &mut rng), 3);
    }
}

/// Simulates random games one by one, without lanes and tables. Returns the mean points of the player not to move.
fn mean_points_slowly(
    game: &FourInARow,
    state: &<FourInARow as Game>::State,
    weights: [[f64; NUM_COLUMNS]; 2],
    num_games: u32,
    rng: &mut Xoshiro256PlusPlus,
) -> f64 {
    let Turn::Act(opponent) = game.turn(state) else { panic!("the game is over") };
    let mut sum = 0.0;
    for _ in 0..num_games {
        let mut state = state.clone();
        let outcome = loop {
            let seat = match game.turn(&state) {
                Turn::Over(outcome) => break outcome,
                Turn::Act(seat) => seat,
            };
            let weights = &weights[usize::from(seat == opponent)];
            let open = |column: &u8| game.check(&state, column).is_ok();
            let columns: Vec<u8> = (0..7).filter(open).collect();
            let sum: f64 = columns.iter().map(|&column| weights[usize::from(column)]).sum();
            let mut draw = rng.random_range(0.0..sum);
            let mut columns = columns.into_iter();
            let column = loop {
                let column = columns.next().expect("open columns");
                draw -= weights[usize::from(column)];
                if draw < 0.0 || columns.len() == 0 {
                    break column;
                }
            };
            game.apply(&mut state, seat, &column, rng);
        };
        let points = if opponent == Seat::Second { outcome } else { outcome.reversed() };
        sum += points.score();
    }
    sum / f64::from(num_games)
}

/// The two ways to play random games agree within 5 standard errors in all 7 x 2 comparisons; a new seed would fail
/// with a probability of 10^-5.
#[test]
fn random_games_have_the_right_law() {
    let game = FourInARow::standard();
    let weights = [[1.0, 2.0, 4.0, 0.5, 1.0, 3.0, 1.0], [2.0, 1.0, 1.0, 5.0, 0.2, 1.0, 1.0]];
    let theta: Vec<f64> = weights.as_flattened().iter().copied().map(libm::log).collect();
    let player = FlatMonteCarlo::from_parameters(&game, &theta).expect("14 numbers");
    let mut rng = rng(1);
    // The empty board, and a board on which columns fill up.
    for opening in [&[][..], &[3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 4, 4, 4, 5][..]] {
        let mut state = game.start();
        for column in opening {
            let Turn::Act(seat) = game.turn(&state) else { panic!("the game is over") };
            game.apply(&mut state, seat, column, &mut rng);
        }
        let Turn::Act(seat) = game.turn(&state) else { panic!("the game is over") };
        let after: Vec<_> = (0..7)
            .map(|column| {
                let mut state = state.clone();
                game.apply(&mut state, seat, &column, &mut rng);
                state
            })
            .collect();
        let own: Vec<u64> = after.iter().map(|state| state.board().stones(seat)).collect();
        let opponent = state.board().stones(seat.other());
        let num_rounds = 1500;
        let mut points = [0; NUM_COLUMNS];
        for _ in 0..num_rounds {
            let round = player.playouts(&own, opponent, &mut rng);
            points.iter_mut().zip(round).for_each(|(sum, points)| *sum += points);
        }
        let num_games = num_rounds * NUM_PLAYOUTS;
        for (state, points) in after.iter().zip(points) {
            let mean = f64::from(points) / f64::from(num_games) / 2.0;
            let expected = mean_points_slowly(&game, state, weights, num_games, &mut rng);
            // The variance of a score is at most one quarter.
            let allowed = 5.0 * (2.0 * 0.25 / f64::from(num_games)).sqrt();
            assert!((mean - expected).abs() < allowed, "{mean}, {expected} expected");
        }
    }
}

#[test]
fn monte_carlo_beats_random_stones() {
    let game = FourInARow::standard();
    let references = FourInARowFamily::default().references();
    let mut rng = rng(1);
    let mut wins = 0;
    for _ in 0..200 {
        let [random, monte_carlo, _] = &references[..] else { panic!("three references") };
        let (outcome, _) =
            play(&game, game.start(), &random.strategy, &monte_carlo.strategy, &mut rng);
        wins += u32::from(outcome == Payoff::LOSS);
    }
    // The player loses fewer than 5 in 100 games.
    assert!(wins > 180, "{wins} of 200 games won");
}

#[test]
fn words_give_the_columns() {
    let family = FourInARowFamily::default();
    let mut theta = [0.0; 14];
    theta[3] = libm::log(4.0);
    let player = FlatMonteCarlo::from_parameters(family.game(), &theta).expect("14 numbers");
    assert_eq!(
        family.words(&player),
        "takes a move that wins at once, and otherwise the one that wins most of 20 random games, in which \
         own stones go into the columns a to g with probabilities a 0.10, b 0.10, c 0.10, d 0.40, e 0.10, \
         f 0.10, g 0.10; and those of the opponent a 0.14, b 0.14, c 0.14, d 0.14, e 0.14, f 0.14, g 0.14"
    );
}
