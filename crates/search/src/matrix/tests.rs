use proptest::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::*;

fn game(rows: &[&[f64]]) -> PayoffMatrix {
    let rows: Vec<_> = rows.iter().map(|row| row.to_vec()).collect();
    PayoffMatrix::from_rows(&rows).expect("a game")
}

/// Solves a game, and checks that both mixtures are valid and that the certificate follows from them.
fn solved(matrix: &PayoffMatrix) -> Equilibrium {
    let found = matrix.solve().expect("solved");
    for mixture in [&found.row_mixture, &found.column_mixture] {
        assert!(mixture.iter().all(|weight| *weight >= 0.0));
        assert!((mixture.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert_eq!(found.guaranteed, matrix.guaranteed(&found.row_mixture));
    assert_eq!(found.conceded, matrix.conceded(&found.column_mixture));
    // Weak duality holds up to rounding.
    assert!(found.gap() >= -1e-12, "{}", found.gap());
    assert!(found.gap() <= MAX_GAP, "{}", found.gap());
    found
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found}, {expected} expected");
    }
}

#[test]
fn games_with_known_equilibria() {
    // In rock, paper, scissors, each choice has probability 1/3 (von Neumann 1928).
    let rps = solved(&game(&[&[0.5, 0.0, 1.0], &[1.0, 0.5, 0.0], &[0.0, 1.0, 0.5]]));
    assert_close(&rps.row_mixture, &[1.0 / 3.0; 3]);
    assert_close(&rps.column_mixture, &[1.0 / 3.0; 3]);
    assert_close(&[rps.value()], &[0.5]);
    assert_eq!(rps.row_support(), [0, 1, 2]);

    // In two-finger Morra, the row player wins the sum of the fingers if it is even, and loses it otherwise. x = (7, 5)
    // / 12 and the value is -1/12 (Dresher, The mathematics of games of strategy, 1961).
    let odd_or_even = solved(&game(&[&[2.0, -3.0], &[-3.0, 4.0]]));
    assert_close(&odd_or_even.row_mixture, &[7.0 / 12.0, 5.0 / 12.0]);
    assert_close(&odd_or_even.column_mixture, &[7.0 / 12.0, 5.0 / 12.0]);
    assert_close(&[odd_or_even.value()], &[-1.0 / 12.0]);

    // The game has a saddle point: 3 is the smallest payoff in its row and the largest in its column.
    let saddle = solved(&game(&[&[4.0, 3.0, 8.0], &[9.0, 2.0, 1.0]]));
    assert_close(&saddle.row_mixture, &[1.0, 0.0]);
    assert_close(&saddle.column_mixture, &[0.0, 1.0, 0.0]);
    assert_eq!((saddle.value(), saddle.column_support()), (3.0, vec![1]));
}

#[test]
fn games_of_one_row_or_column() {
    let alone = solved(&game(&[&[-7.5]]));
    assert_eq!((alone.value(), alone.gap()), (-7.5, 0.0));
    let row = solved(&game(&[&[3.0, 1.0, 2.0]]));
    assert_eq!((row.value(), row.column_support()), (1.0, vec![1]));
    let column = solved(&game(&[&[3.0], &[1.0], &[7.0]]));
    assert_eq!((column.value(), column.row_support()), (7.0, vec![2]));
    let equal = solved(&game(&[&[0.25; 5][..]; 4]));
    assert_eq!((equal.value(), equal.gap()), (0.25, 0.0));
}

/// Solves Morra with 0 to 5 fingers and guesses from 0 to 10. A player wins by being the only one to guess the sum. The
/// game is symmetric, so its value is 0; many payoffs are equal, and the equilibria fill a polytope.
#[test]
fn morra_has_value_zero() {
    let guesses = |guesser: usize, other: usize| {
        let (fingers, guess) = (guesser / 11, guesser % 11);
        f64::from(u8::from(guess == fingers + other / 11))
    };
    let morra =
        PayoffMatrix::from_fn(66, 66, |i, j| guesses(i, j) - guesses(j, i)).expect("a game");
    let found = solved(&morra);
    assert!(found.value().abs() < 1e-13, "{}", found.value());
    // An equilibrium announces each number of fingers equally often; otherwise a guesser gains.
    for fingers in 0..6 {
        let weight: f64 = found.row_mixture[11 * fingers..][..11].iter().sum();
        assert!((weight - 1.0 / 6.0).abs() < 1e-12, "{weight}");
    }
}

#[test]
fn random_games_of_all_shapes() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for (m, n) in [(2, 3), (7, 4), (32, 32), (60, 20), (20, 60), (100, 100), (1, 50), (50, 1)] {
        for _ in 0..10 {
            let uniform = PayoffMatrix::from_fn(m, n, |_, _| rng.random()).expect("a game");
            solved(&uniform);
            let bits =
                PayoffMatrix::from_fn(m, n, |_, _| f64::from(u8::from(rng.random::<bool>())));
            solved(&bits.expect("a game"));
            // The rows are repeated, and contain few ones.
            let sparse: Vec<Vec<f64>> = (0..m.div_ceil(3))
                .map(|_| (0..n).map(|_| f64::from(u8::from(rng.random::<f64>() < 0.1))).collect())
                .collect();
            let rows: Vec<_> = sparse.iter().cycle().take(m).cloned().collect();
            solved(&PayoffMatrix::from_rows(&rows).expect("a game"));
        }
    }
}

/// The equilibrium of a skew-symmetric matrix has value 0 for either player.
#[test]
fn symmetric_games_of_zeros_and_ones() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for size in [3, 16, 64, 150] {
        let bits: Vec<f64> =
            (0..size * size).map(|_| f64::from(rng.random_range(0..3u8))).collect();
        let score = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Less => bits[i * size + j] / 2.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 1.0 - bits[j * size + i] / 2.0,
        };
        let found = solved(&PayoffMatrix::from_fn(size, size, score).expect("a game"));
        assert!((found.value() - 0.5).abs() < 1e-12, "{}", found.value());
    }
}

#[test]
fn scales_do_not_matter() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for scale in [1e-9, 1e-3, 1e6] {
        let matrix = PayoffMatrix::from_fn(30, 25, |_, _| scale * rng.random::<f64>());
        let found = matrix.expect("a game").solve().expect("solved");
        assert!(found.gap() <= MAX_GAP * scale.max(1.0), "{}", found.gap());
    }
    // The rows differ in the tenth digit.
    for _ in 0..50 {
        let base: Vec<f64> = (0..30).map(|_| rng.random()).collect();
        let matrix = PayoffMatrix::from_fn(30, 30, |_, j| base[j] + 1e-10 * rng.random::<f64>());
        solved(&matrix.expect("a game"));
    }
}

#[test]
fn invalid_matrices_are_refused() {
    let message =
        |rows: &[Vec<f64>]| PayoffMatrix::from_rows(rows).expect_err("no game").to_string();
    assert_eq!(message(&[]), "a matrix game needs at least one row and one column, 0 x 0 found");
    assert_eq!(
        message(&[vec![], vec![]]),
        "a matrix game needs at least one row and one column, 2 x 0 found"
    );
    assert_eq!(
        message(&[vec![1.0, 2.0], vec![3.0]]),
        "row 1 of the payoff matrix has 1 entries, 2 expected"
    );
    for (payoff, text) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "-inf")] {
        let expected = format!(
            "the payoff of row 1 against column 0 is {text}, not a finite number; play it again"
        );
        assert_eq!(message(&[vec![1.0, 2.0], vec![payoff, 0.0]]), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Adding a constant to the payoffs adds this constant to the value. Swapping the players negates the value.
    /// Duplicated or dominated strategies do not change the value.
    #[test]
    fn the_value_is_invariant(
        (rows, twice) in (1usize..9, 1usize..9).prop_flat_map(|(m, n)| {
            // Few different payoffs are drawn, so that many are equal.
            let row = proptest::collection::vec((0u8..4).prop_map(|k| f64::from(k) / 3.0), n);
            (proptest::collection::vec(row, m), 0..m)
        }),
        shift in -3.0..3.0f64,
    ) {
        let matrix = PayoffMatrix::from_rows(&rows).expect("a game");
        let value = solved(&matrix).value();
        let (m, n) = (matrix.num_rows(), matrix.num_columns());

        let shifted = PayoffMatrix::from_fn(m, n, |i, j| rows[i][j] + shift).expect("a game");
        prop_assert!((solved(&shifted).value() - value - shift).abs() < 1e-11);

        let turned = PayoffMatrix::from_fn(n, m, |j, i| -rows[i][j]).expect("a game");
        prop_assert!((solved(&turned).value() + value).abs() < 1e-11);

        let mut more = rows.clone();
        more.push(rows[twice].clone());
        more.push(rows[twice].iter().map(|payoff| payoff - 0.1).collect());
        let more = PayoffMatrix::from_rows(&more).expect("a game");
        prop_assert!((solved(&more).value() - value).abs() < 1e-11);
    }
}

/// Rock, paper, scissors has one equilibrium; a game with two equal rows, or without differences, has several.
#[test]
fn uniqueness_is_claimed_only_with_proof() {
    let is_unique = |rows: &[&[f64]]| {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        let game = PayoffMatrix::from_rows(&rows).expect("a game");
        game.is_unique(&game.solve().expect("solved"))
    };
    assert!(is_unique(&[&[0.0, -1.0, 1.0], &[1.0, 0.0, -1.0], &[-1.0, 1.0, 0.0]]));
    assert!(is_unique(&[&[3.0]]));
    assert!(is_unique(&[&[0.0, 2.0], &[1.0, -1.0], &[-5.0, -5.0]]));
    assert!(!is_unique(&[&[1.0, -1.0], &[-1.0, 1.0], &[1.0, -1.0]]));
    assert!(!is_unique(&[&[0.0, 0.0], &[0.0, 0.0]]));
    // The second row is as good as the first against the best column.
    assert!(!is_unique(&[&[0.0, 1.0], &[0.0, 2.0]]));
}
