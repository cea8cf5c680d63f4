//! The random-seed experiment: does it pay to choose among random seeds for a player?
//!
//! Saint-Pierre & Teytaud, *Nash and the bandit approach for adversarial portfolios*, CIG 2014, section IV-B,
//! <https://doi.org/10.1109/CIG.2014.6932897>. The members of a pool differ only in their seeds; M_ij is the score of
//! seed i in the first seat against seed j in the second, so there is a mixture for each seat.
//!
//! - [`SeedFigure`](super::SeedFigure): value, support and exploitability (section IV-B2).
//! - [`generalise`]: chooses mixtures of N seeds, and scores them against other seeds (figures 3 and 4, with 1000 and
//!   100 repetitions). A repetition draws N of all seeds; the other seeds are held out.
//! - [`learn`]: learning curves of a bandit in each seat (figure 2).
//!
//! [`SeedStudy`](super::SeedStudy) contains all of these.
//!
//! Deviation: the "opponent that knows their strategy" of figure 4 could choose among the N seeds or among the held-out
//! seeds. The results for both are reported.
//!
//! Time: one equilibrium is computed for each size and repetition.

use rand::RngExt;
use rand::seq::index;
use rayon::prelude::*;
use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_optimise::portfolio::{
    LearningPoint, LearningSchedule, PayoffError, best_response, learning_curve, pure,
};
use ruse_search::matrix::{MatrixError, PayoffMatrix};

/// The choices of seeds for one seat, in the three ways of the paper. Each is a mixture: the probability of each seed.
pub(crate) struct Choices {
    pub(crate) nash: Vec<f64>,
    pub(crate) best_arm: Vec<f64>,
    pub(crate) uniform: Vec<f64>,
}

impl Choices {
    fn all(&self) -> [&[f64]; 3] {
        [&self.nash, &self.best_arm, &self.uniform]
    }
}

fn uniform(size: usize) -> Vec<f64> {
    vec![1.0 / size as f64; size]
}

/// Returns the game with the seats swapped. Scores are then scores of the second seat.
pub(crate) fn swapped(matrix: &PayoffMatrix) -> Result<PayoffMatrix, MatrixError> {
    let (rows, columns) = (matrix.num_rows(), matrix.num_columns());
    PayoffMatrix::from_fn(columns, rows, |j, i| 1.0 - matrix.payoff(i, j))
}

/// Returns the choices in both seats, the value of the game, and a bound on the value's error: the gap between the
/// guarantees of the two seats.
pub(crate) fn choices(matrix: &PayoffMatrix) -> Result<([Choices; 2], f64, f64), MatrixError> {
    let equilibrium = matrix.solve()?;
    let (rows, columns) = (matrix.num_rows(), matrix.num_columns());
    let second = swapped(matrix)?;
    let choice = |matrix: &PayoffMatrix, nash: &[f64]| {
        let best_arm = best_response(matrix, &uniform(matrix.num_columns()));
        Choices {
            nash: nash.to_vec(),
            best_arm: pure(nash.len(), best_arm),
            uniform: uniform(nash.len()),
        }
    };
    debug_assert_eq!((rows, columns), (second.num_columns(), second.num_rows()));
    let of_both =
        [choice(matrix, &equilibrium.row_mixture), choice(&second, &equilibrium.column_mixture)];
    Ok((of_both, equilibrium.value(), equilibrium.gap()))
}

/// A mean over repetitions, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean.
    pub standard_error: f64,
}

/// The results of one way of choosing seeds, averaged over both seats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generalisation {
    /// The way of choosing, one of [`CHOICES`].
    pub choice: &'static str,
    /// The score against all held-out seeds (figure 3).
    pub score: Mean,
    /// The losing rate against the best response among the seeds to choose from (figure 4).
    pub loss_inside: Mean,
    /// The losing rate against the best response among the held-out seeds.
    pub loss_held_out: Mean,
}

/// The ways of choosing: the equilibrium, the seed that is best on average, and all seeds with equal probability.
pub const CHOICES: [&str; 3] = ["nash", "best-arm", "uniform"];

fn part(of: &PayoffMatrix, rows: &[usize], columns: &[usize]) -> Result<PayoffMatrix, MatrixError> {
    PayoffMatrix::from_fn(rows.len(), columns.len(), |i, j| of.payoff(rows[i], columns[j]))
}

/// Draws `size` seeds, chooses among them in the three ways, and scores the choices against the other seeds. Returns
/// means over `num_repetitions` repetitions.
///
/// # Errors
///
/// Returns an error if the computation was stopped from outside, or a game cannot be solved.
///
/// # Panics
///
/// Panics if `size` leaves no seed to be held out.
pub fn generalise(
    matrix: &PayoffMatrix,
    size: usize,
    num_repetitions: u64,
    key: StreamKey,
    stop: &StopSignal,
) -> Result<[Generalisation; 3], PayoffError> {
    let num_seeds = matrix.num_rows();
    assert!(size > 0 && size < num_seeds, "some seeds are held out");
    let key = key.child(Label::Request, size as u64);
    // For each repetition and choice: the score, the loss against the drawn seeds, and the loss against the held-out
    // seeds.
    let repetitions: Vec<[[f64; 3]; 3]> = (0..num_repetitions)
        .into_par_iter()
        .map(|repetition| {
            stop.check()?;
            let mut rng = key.child(Label::Choice, repetition).stream();
            let mut order = index::sample(&mut rng, num_seeds, num_seeds).into_vec();
            let held_out = order.split_off(size);
            let (of_seats, ..) = choices(&part(matrix, &order, &order)?)?;
            let second = swapped(matrix)?;
            let mut seen = [[0.0; 3]; 3];
            for (of_seat, matrix) in of_seats.iter().zip([matrix, &second]) {
                let inside = part(matrix, &order, &order)?;
                let outside = part(matrix, &order, &held_out)?;
                for (seen, x) in seen.iter_mut().zip(of_seat.all()) {
                    let scores = outside.of_columns(x);
                    seen[0] += scores.iter().sum::<f64>() / scores.len() as f64 / 2.0;
                    seen[1] += (1.0 - inside.guaranteed(x)) / 2.0;
                    seen[2] += (1.0 - outside.guaranteed(x)) / 2.0;
                }
            }
            Ok(seen)
        })
        .collect::<Result<_, PayoffError>>()?;
    let mean = |choice: usize, which: usize| {
        let n = repetitions.len() as f64;
        let mean = repetitions.iter().map(|seen| seen[choice][which]).sum::<f64>() / n;
        let squares: f64 =
            repetitions.iter().map(|seen| seen[choice][which] - mean).map(|d| d * d).sum();
        Mean { mean, standard_error: (squares / (n - 1.0).max(1.0) / n).sqrt() }
    };
    Ok([0, 1, 2].map(|choice| Generalisation {
        choice: CHOICES[choice],
        score: mean(choice, 0),
        loss_inside: mean(choice, 1),
        loss_held_out: mean(choice, 2),
    }))
}

/// The names of the seats of a bandit.
pub const SEATS: [&str; 2] = ["first", "second"];
/// The opponents of a bandit: the Nash mixture, the uniform mixture, and a single seed, which differs between runs.
pub const OPPONENTS: [&str; 3] = ["nash", "uniform", "pure"];

/// A learning curve against one kind of opponent.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedLesson {
    /// The name of the bandit.
    pub bandit: &'static str,
    /// The seat of the bandit, one of [`SEATS`].
    pub seat: &'static str,
    /// The opponent, one of [`OPPONENTS`].
    pub opponent: &'static str,
    /// The curve.
    pub curve: Vec<LearningPoint>,
    /// The losing rate of the best seed against this opponent. On average, no bandit does better.
    pub best_possible: f64,
}

/// Lets a bandit learn, in each seat, against the Nash mixture, the uniform mixture, and each seed alone.
///
/// # Errors
///
/// Returns an error if the computation was stopped from outside, or the game cannot be solved.
pub fn learn(
    matrix: &PayoffMatrix,
    lessons: LearningSchedule,
    key: StreamKey,
    stop: &StopSignal,
) -> Result<Vec<SeedLesson>, PayoffError> {
    let (of_seats, ..) = choices(matrix)?;
    let second = swapped(matrix)?;
    let [of_first, of_second] = &of_seats;
    let mut all = Vec::new();
    for (seat, matrix, opponent) in [("first", matrix, of_second), ("second", &second, of_first)] {
        for (name, mixture) in [("nash", &opponent.nash), ("uniform", &opponent.uniform)] {
            let expected = matrix.of_rows(mixture);
            let sums: Vec<f64> = mixture
                .iter()
                .scan(0.0, |sum, weight| {
                    *sum += weight;
                    Some(*sum)
                })
                .collect();
            let play = |arm: usize, _: StreamKey, _: u64, rng: &mut Stream| {
                Ok(toss(matrix.payoff(arm, drawn(&sums, rng)), rng))
            };
            let best = expected.iter().copied().fold(0.0, f64::max);
            let curve = learning_curve(lessons, &expected, key, stop, play)?;
            let bandit = lessons.bandit.name();
            let best_possible = 1.0 - best;
            all.push(SeedLesson { bandit, seat, opponent: name, curve, best_possible });
        }
        all.push(against_each(seat, matrix, lessons, key, stop)?);
    }
    Ok(all)
}

/// Returns the learning curve against each seed alone, averaged over the seeds. The runs are divided among the seeds,
/// at least two for each.
///
/// The seeds are the whole population, not a sample, so only the runs contribute to standard errors.
fn against_each(
    seat: &'static str,
    matrix: &PayoffMatrix,
    lessons: LearningSchedule,
    key: StreamKey,
    stop: &StopSignal,
) -> Result<SeedLesson, Stopped> {
    let n = matrix.num_columns();
    let bandit = lessons.bandit.name();
    let lessons =
        LearningSchedule { num_runs: lessons.num_runs.div_ceil(n as u64).max(2), ..lessons };
    let mut curves = Vec::new();
    let mut best_possible = 0.0;
    for column in 0..n {
        let expected = matrix.of_rows(&pure(n, column));
        best_possible += (1.0 - expected.iter().copied().fold(0.0, f64::max)) / n as f64;
        let play =
            |arm: usize, _: StreamKey, _: u64, rng: &mut Stream| Ok(toss(expected[arm], rng));
        let key = key.child(Label::Opponent, column as u64);
        curves.push(learning_curve(lessons, &expected, key, stop, play)?);
    }
    let point = |index: usize| {
        let points = || curves.iter().map(|curve| &curve[index]);
        let mean = |of: fn(&LearningPoint) -> f64| points().map(of).sum::<f64>() / n as f64;
        // The seeds are strata, so the variances of their means are added.
        let error = |of: fn(&LearningPoint) -> Option<f64>| {
            let errors: Option<Vec<f64>> = points().map(of).collect();
            errors.map(|all| all.iter().map(|e| e * e).sum::<f64>().sqrt() / n as f64)
        };
        LearningPoint {
            num_rounds: curves[0][index].num_rounds,
            losing_rate: mean(|point| point.losing_rate),
            standard_error: error(|point| point.standard_error),
            recommended: mean(|point| point.recommended),
            recommended_error: error(|point| point.recommended_error),
        }
    };
    let curve = (0..curves[0].len()).map(point).collect();
    Ok(SeedLesson { bandit, seat, opponent: "pure", curve, best_possible })
}

/// Draws the result of a game whose expected score is `score`. The scores 0, one half and 1 are returned unchanged;
/// others are the probability of a win.
fn toss(score: f64, rng: &mut Stream) -> f64 {
    if [0.0, 0.5, 1.0].contains(&score) {
        score
    } else {
        f64::from(u8::from(rng.random::<f64>() < score))
    }
}

/// Draws an index with probability proportional to its weight. `sums` has the running sums of the weights.
fn drawn(sums: &[f64], rng: &mut Stream) -> usize {
    let drawn = rng.random::<f64>() * sums[sums.len() - 1];
    sums.partition_point(|sum| *sum <= drawn).min(sums.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns matching pennies with `size` choices: the first seat wins if both seats choose the same. With three
    /// choices, the value is 1/3.
    fn matching(size: usize) -> PayoffMatrix {
        PayoffMatrix::from_fn(size, size, |i, j| f64::from(u8::from(i == j))).expect("a game")
    }

    /// Seed 0 wins in either seat, so every choice except the uniform mixture picks it if it was drawn.
    #[test]
    fn a_dominant_seed_is_chosen() {
        let better = |i: usize, j: usize| match (i, j) {
            (0, 0) => 0.5,
            (0, _) => 1.0,
            (_, 0) => 0.0,
            _ => 0.5,
        };
        let matrix = PayoffMatrix::from_fn(8, 8, better).expect("a game");
        let stop = StopSignal::default();
        let found = generalise(&matrix, 4, 400, StreamKey::root(1), &stop).expect("solved");
        // In half of the repetitions, the dominant seed is among the four drawn seeds, and the score is 1. Otherwise
        // the score is 1/2 against three of the four held-out seeds, and 0 against the dominant seed. The mean is .5 +
        // .5 * 3/8 = .6875, with a standard error of .0156.
        for choice in &found[..2] {
            assert!((choice.score.mean - 0.6875).abs() < 0.06, "{choice:?}");
            // Against the drawn seeds, the worst result is always 1/2: the dominant seed plays itself, or two other
            // seeds meet.
            assert!((choice.loss_inside.mean - 0.5).abs() < 1e-12, "{choice:?}");
        }
        // The uniform mixture scores (1 + 3 * .5) / 4 = .625 in half of the repetitions, and .375 in the others.
        assert!((found[2].score.mean - 0.5).abs() < 0.05, "{:?}", found[2]);
    }

    #[test]
    fn bandits_learn_what_can_be_learnt() {
        let lessons = LearningSchedule {
            bandit: ruse_search::bandit::BanditName::Ucbt,
            num_rounds: 256,
            num_runs: 60,
        };
        let stop = StopSignal::default();
        let learnt = learn(&matching(3), lessons, StreamKey::root(1), &stop).expect("solved");
        assert_eq!(learnt.len(), 6);
        for lesson in learnt {
            let last = lesson.curve.last().expect("points");
            let expected = match (lesson.seat, lesson.opponent) {
                // Against a mixture, all arms are equal; against a fixed seed, the right arm always wins.
                ("first", "pure") | ("second", "pure") => 0.0,
                ("first", _) => 2.0 / 3.0,
                _ => 1.0 / 3.0,
            };
            assert!((lesson.best_possible - expected).abs() < 1e-12);
            // The mean of 60 runs of 128 rounds has a standard error of .0054.
            assert!((last.losing_rate - expected).abs() < 0.03, "{last:?}");
        }
    }
}
