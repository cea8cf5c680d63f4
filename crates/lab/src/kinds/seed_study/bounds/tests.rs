use rand_distr::{Binomial, Distribution, Normal};
use rayon::prelude::*;
use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_games::Payoff;
use ruse_play::score::{Scored, Tally};
use ruse_strategies::PairResult;

use super::*;

/// Draws a game between seeds. The score of the first seat is one half, plus the strength of its seed, minus the other
/// seed's strength, plus an interaction of the two.
fn game(num_seeds: usize, [strength, interaction]: [f64; 2], rng: &mut Stream) -> PayoffMatrix {
    let normal = |deviation: f64| Normal::new(0.0, deviation).expect("a deviation");
    let mut drawn = |deviation: f64| normal(deviation).sample(rng);
    let first: Vec<f64> = (0..num_seeds).map(|_| drawn(strength)).collect();
    let second: Vec<f64> = (0..num_seeds).map(|_| drawn(strength)).collect();
    PayoffMatrix::from_fn(num_seeds, num_seeds, |i, j| {
        (0.5 + first[i] - second[j] + drawn(interaction)).clamp(0.05, 0.95)
    })
    .expect("a game")
}

/// Returns sampled pairs of games, each won or lost. In half of the pairs, the player who wins in the first seat loses in
/// the second.
fn sampled(game: &PayoffMatrix, parts: [u64; 3], rng: &mut Stream) -> SplitPayoffs {
    let mut binomial =
        |n: u64, p: f64| Binomial::new(n, p.clamp(0.0, 1.0)).expect("a probability").sample(rng);
    let mut tally = |n: u64, first: f64, second: f64| {
        let both = 0.5 * (first + second - 1.0).max(0.0) + 0.5 * first * second;
        let wins = binomial(n, first);
        let won_both = binomial(wins, both / first);
        let won_second = binomial(n - wins, (second - both) / (1.0 - first));
        let mut tally = Tally::default();
        for (as_first, as_second, count) in [
            (Payoff::WIN, Payoff::WIN, won_both),
            (Payoff::WIN, Payoff::LOSS, wins - won_both),
            (Payoff::LOSS, Payoff::WIN, won_second),
            (Payoff::LOSS, Payoff::LOSS, n - wins - won_second),
        ] {
            tally.add_many(PairResult { as_first, as_second }, count);
        }
        tally
    };
    let size = game.num_rows();
    SplitPayoffs::new(parts.map(|n| {
        let cells = (0..size).flat_map(|i| (i..size).map(move |j| (i, j)));
        let meetings: Vec<_> = cells
            .map(|(i, j)| {
                let tally = tally(n, game.payoff(i, j), 1.0 - game.payoff(j, i));
                (i, j, Scored { tally, exact: None })
            })
            .collect();
        Payoffs::new(size, meetings).expect("all have met")
    }))
}

/// Returns the true figures of the chosen mixtures for each seat, in the order of [`SeatFigures`].
fn truth(game: &PayoffMatrix, chosen: &[Choices; 2]) -> [[f64; 5]; 2] {
    let value = game.solve().expect("solved").value();
    let second = swapped(game).expect("a game");
    let of_seat = |matrix: &PayoffMatrix, value: f64, chosen: &Choices| {
        let lost = |mixture: &[f64]| value - matrix.guaranteed(mixture);
        let scores = matrix.of_columns(&chosen.nash);
        let against_uniform = scores.iter().sum::<f64>() / scores.len() as f64;
        [value, against_uniform, lost(&chosen.nash), lost(&chosen.uniform), lost(&chosen.best_arm)]
    };
    [of_seat(game, value, &chosen[0]), of_seat(&second, 1.0 - value, &chosen[1])]
}

/// Returns for each figure, over all pools and seats: how many intervals contain the true value, how many lower bounds
/// are above zero, and the mean width of the intervals.
fn coverage(
    num_seeds: usize,
    parts: [u64; 3],
    effects: [f64; 2],
    num_pools: u64,
) -> [(usize, usize, f64); 5] {
    let pools: Vec<_> = (0..num_pools)
        .into_par_iter()
        .map(|pool| {
            let mut rng = StreamKey::root(7).child(Label::Request, pool).stream();
            let game = game(num_seeds, effects, &mut rng);
            let payoffs = sampled(&game, parts, &mut rng);
            let half = payoffs.first_half().matrix_by_seat().expect("all have met");
            let (chosen, ..) = choices(&half).expect("solved");
            let figures = seat_figures(&payoffs, num_seeds).expect("solved").expect("split");
            (truth(&game, &chosen), figures)
        })
        .collect();
    let mut found = [(0, 0, 0.0); 5];
    for (truth, figures) in pools.iter().flat_map(|(t, f)| t.iter().zip(f)) {
        for ((found, truth), known) in found.iter_mut().zip(truth).zip(figures) {
            let Bounded { figure, low, high } = *known;
            assert!(0.0 <= low && low <= figure && figure <= high && high <= 1.0, "{known:?}");
            // The true value has rounding errors.
            found.0 += usize::from(low <= truth + 1e-9 && truth - 1e-9 <= high);
            found.1 += usize::from(low > 0.0);
            found.2 += (high - low) / (2 * num_pools) as f64;
        }
    }
    found
}

/// The games resemble the pool of 32 seeds of cheat-special: a score comes from 1736 games that are won or lost, and
/// has a standard error of .012. There are five kinds of pools: with seeds of equal strength, with strengths of
/// standard deviation .01 or .05, and with interactions of standard deviation .01 or .05.
///
/// With a coverage of 95% and independent seats, fewer than 359 of 400 intervals contain the true value with
/// probability 6e-6. The test checks 25 such figures.
#[test]
fn bounds_hold_the_truth() {
    for effects in [[0.0, 0.0], [0.01, 0.0], [0.05, 0.0], [0.0, 0.01], [0.0, 0.05]] {
        let found = coverage(32, [868, 434, 434], effects, 200);
        assert!(found.iter().all(|figure| figure.0 >= 359), "{effects:?}: {found:?}");
        // The bounds are useful. In most pools, the loss of the uniform mixture reveals stronger seeds, and the loss of
        // the best arm reveals interactions. If seeds only interact, the uniform mixture loses less than .02, because a
        // seed's effects average out over all seeds.
        let [.., (_, uniform, _), (_, best_arm, _)] = found;
        match effects {
            [0.05, _] => assert!(uniform > 300, "{effects:?}: {found:?}"),
            [_, 0.05] => assert!(best_arm > 300, "{effects:?}: {found:?}"),
            [0.0, 0.0] => assert!(uniform.max(best_arm) < 20, "{effects:?}: {found:?}"),
            _ => {}
        }
    }
}

/// The bounds also hold with few pairs and few seeds, where Student's quantiles matter.
#[test]
fn bounds_hold_the_truth_in_small_pools() {
    for effects in [[0.0, 0.0], [0.1, 0.1]] {
        let found = coverage(4, [10, 5, 5], effects, 200);
        assert!(found.iter().all(|figure| figure.0 >= 359), "{effects:?}: {found:?}");
    }
}

/// Computed by hand: two seeds play matching pennies, with 8, 4 and 4 pairs in each meeting. The first seat wins if
/// both seats choose the same seed. The mixtures are even, the value is one half, and no mixture loses.
#[test]
fn pennies() {
    let meeting = |i: usize, j: usize, n: u64| {
        let (win, loss) = (Payoff::WIN, Payoff::LOSS);
        let [as_first, as_second] = if i == j { [win, loss] } else { [loss, win] };
        let mut tally = Tally::default();
        tally.add_many(PairResult { as_first, as_second }, n);
        (i, j, Scored { tally, exact: None })
    };
    let part = |n| {
        let meetings = [meeting(0, 0, n), meeting(0, 1, n), meeting(1, 1, n)];
        Payoffs::new(2, meetings).expect("all have met")
    };
    let payoffs = SplitPayoffs::new([8, 4, 4].map(part));
    let [first, [second, ..]] = seat_figures(&payoffs, 2).expect("solved").expect("split");
    let [value, _, nash_exploitability, ..] = first;
    // In the second half, a meeting has 8 equal pairs; a pair of score 0 and a pair of score 1 are added. The variance
    // of half a score is then (1/4)(1/10)(9/10)(10/9) = 1/40, the variance of its mean is 1/320, and the variance for
    // two meetings is 1/160. Student's quantile with 14 degrees of freedom is 2.14479.
    let margin = 2.14479 / 160.0_f64.sqrt();
    assert!((value.figure - 0.5).abs() < 1e-12);
    assert!((value.high - 0.5 - margin).abs() < 1e-12, "{value:?} {margin}");
    assert!((value.low - (1.0 - second.high)).abs() < 1e-12);
    assert_eq!((nash_exploitability.low, nash_exploitability.figure), (0.0, 0.0));
}

#[test]
fn too_few_pairs_have_no_figures() {
    let mut rng = StreamKey::root(1).stream();
    let game = game(3, [0.1, 0.1], &mut rng);
    let payoffs = sampled(&game, [3, 2, 1], &mut rng);
    assert_eq!(seat_figures(&payoffs, 3).expect("solved"), None);
}
