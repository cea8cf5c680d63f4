//! All of the random-seed experiment on one pool: see the module above.
//!
//! Bounds of the figures of the game are those of [`NashPortfolio`](super::NashPortfolio), with both games of a
//! pair drawn together: the scores of every two seeds are drawn anew from the mean of a Dirichlet distribution
//! over the nine results of a pair, the game is solved again, and the mixtures of the estimated game are
//! exploited in it. Where all results are certain, as in the paper, bounds are the figures themselves.

use rand::Rng;
use rand_distr::Distribution;
use rayon::prelude::*;
use ruse_games::BySeat;

use super::lessons::{Choices, Generalisation, SeedLesson, choices, generalise, learn, swapped};
use crate::arena::StopSignal;
use crate::matrix::{PayoffMatrix, support};
use crate::portfolio::{BanditName, Lessons, NUM_SAMPLES, PayoffError, Payoffs, quantiles};
use crate::rng::{Gamma, Label, StreamKey};
use crate::score::Scored;

/// What is studied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyPlan {
    /// Seeds that are not chosen from: the last of the pool.
    pub num_held_out: usize,
    /// The bandits that learn.
    pub bandits: Vec<BanditName>,
    /// Games that a bandit learns from.
    pub num_games: u64,
    /// Runs of a bandit, and repetitions of the choice of seeds.
    pub num_runs: u64,
}

/// A figure of the game for a mixture in the first and in the second seat, with bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedFigure {
    /// One of [`SeedFigure::NAMES`].
    pub name: String,
    /// The figure.
    pub figure: BySeat<f64>,
    /// The lower bound.
    pub low: BySeat<f64>,
    /// The upper bound.
    pub high: BySeat<f64>,
}

impl SeedFigure {
    /// What there is to say of a game, in this order.
    pub const NAMES: [&'static str; 6] = [
        "value",
        "support",
        "nash-against-uniform",
        "nash-exploitability",
        "uniform-exploitability",
        "best-arm-exploitability",
    ];
}

/// What came of the experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedStudy {
    /// The figures of the game between the seeds to choose from, in the order of [`SeedFigure::NAMES`].
    pub figures: Vec<SeedFigure>,
    /// How choices do against seeds that are held out, by the number of seeds chosen from.
    pub generalisation: Vec<(usize, [Generalisation; 3])>,
    /// What the bandits learn.
    pub lessons: Vec<SeedLesson>,
}

impl SeedStudy {
    /// Studies the members of a pool, of which every two have met, and each itself.
    ///
    /// # Errors
    ///
    /// When fewer than two seeds are left to choose from, payoffs are missing, or it was stopped from outside.
    ///
    /// # Panics
    ///
    /// When no seed is held out, or there is nothing to learn from.
    pub fn new(
        payoffs: &Payoffs,
        plan: &StudyPlan,
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<SeedStudy, PayoffError> {
        let num_seeds = payoffs.num_members().saturating_sub(plan.num_held_out);
        if num_seeds < 2 {
            return Err(PayoffError::NumMembers { found: num_seeds });
        }
        let all = payoffs.matrix_by_seat()?;
        let matrix =
            payoffs.matrix_by_seat_of(num_seeds, |meeting| meeting.tally.score_by_seat())?;
        let figures = figures(payoffs, &matrix, key.child(Label::Request, 0), stop)?;
        let mut sizes: Vec<usize> = (1..).map(|k| 1 << k).take_while(|n| *n < num_seeds).collect();
        sizes.push(num_seeds);
        let mut generalisation = Vec::new();
        for size in sizes {
            let key = key.child(Label::Request, 1);
            generalisation.push((size, generalise(&all, size, plan.num_runs, key, stop)?));
        }
        let mut lessons = Vec::new();
        for &bandit in &plan.bandits {
            let one = Lessons { bandit, num_rounds: plan.num_games, num_runs: plan.num_runs };
            lessons.extend(learn(&matrix, one, key.child(Label::Request, 2), stop)?);
        }
        Ok(SeedStudy { figures, generalisation, lessons })
    }
}

/// The figures of a game, by name and seat, of mixtures that were chosen in this or in another one.
fn measured(
    matrix: &PayoffMatrix,
    [first, second]: &[Choices; 2],
) -> Result<[[f64; 2]; 6], PayoffError> {
    let swapped = swapped(matrix)?;
    // Of the mixtures of this game.
    let ([own_first, own_second], value, _) = choices(matrix)?;
    let taken =
        |x: &[f64], y: &[f64]| [value - matrix.guaranteed(x), 1.0 - value - swapped.guaranteed(y)];
    let mean = |scores: Vec<f64>| scores.iter().sum::<f64>() / scores.len() as f64;
    Ok([
        [value, 1.0 - value],
        [support(&own_first.nash).len() as f64, support(&own_second.nash).len() as f64],
        [mean(matrix.of_columns(&first.nash)), mean(swapped.of_columns(&second.nash))],
        // Rounding is not worth reporting.
        taken(&first.nash, &second.nash).map(|taken| if taken < 1e-11 { 0.0 } else { taken }),
        taken(&first.uniform, &second.uniform),
        taken(&first.best_arm, &second.best_arm),
    ])
}

/// The figures of the game of these scores of the first seat, with bounds.
fn figures(
    payoffs: &Payoffs,
    matrix: &PayoffMatrix,
    key: StreamKey,
    stop: &StopSignal,
) -> Result<Vec<SeedFigure>, PayoffError> {
    let num_seeds = matrix.num_rows();
    let (of_seats, ..) = choices(matrix)?;
    let estimated = measured(matrix, &of_seats)?;
    let is_exact =
        (0..num_seeds).all(|i| (i..num_seeds).all(|j| payoffs.meeting(i, j).exact.is_some()));
    let num_samples = if is_exact { 0 } else { NUM_SAMPLES };
    let samples: Vec<[[f64; 2]; 6]> = (0..num_samples)
        .into_par_iter()
        .map(|index| {
            stop.check()?;
            let mut stream = key.child(Label::Choice, index).stream();
            let drawn = |meeting: &Scored| resampled(meeting, &mut stream);
            measured(&payoffs.matrix_by_seat_of(num_seeds, drawn)?, &of_seats)
        })
        .collect::<Result<_, PayoffError>>()?;
    let figure = |(index, name): (usize, &str)| {
        let bounds = [0, 1].map(|seat| {
            let drawn = samples.iter().map(|sample| sample[index][seat]);
            quantiles(drawn).unwrap_or([estimated[index][seat]; 2])
        });
        let by_seat = |of: [f64; 2]| BySeat { first: of[0], second: of[1] };
        SeedFigure {
            name: name.into(),
            figure: by_seat(estimated[index]),
            low: by_seat(bounds.map(|[low, _]| low)),
            high: by_seat(bounds.map(|[_, high]| high)),
        }
    };
    Ok(SeedFigure::NAMES.into_iter().enumerate().map(figure).collect())
}

/// A draw from the distribution of the true scores in the first and in the second seat given the pairs seen, of
/// which each of the nine results had been seen a ninth of a time before.
fn resampled(meeting: &Scored, rng: &mut impl Rng) -> Option<[f64; 2]> {
    const BEFORE: f64 = 1.0 / 9.0;
    if meeting.exact.is_some() {
        return meeting.tally.score_by_seat();
    }
    let (mut sum, mut points) = (0.0, [0.0; 2]);
    for (result, count) in meeting.tally.results() {
        let gamma = Gamma::new(count as f64 + BEFORE).expect("the shape is positive");
        let drawn = gamma.sample(rng);
        sum += drawn;
        points[0] += result.as_first.score() * drawn;
        points[1] += result.as_second.score() * drawn;
    }
    Some(points.map(|points| points / sum))
}

#[cfg(test)]
mod tests {
    use ruse_games::Payoff;

    use super::*;
    use crate::arena::PairResult;

    /// Matching pennies between two seeds, and a third that is held out; each meeting `n` times as often.
    fn pennies(n: u64, exact: bool) -> Payoffs {
        let meeting = |as_first: Payoff, as_second: Payoff| {
            let result = PairResult { as_first, as_second };
            let mut meeting = Scored::default();
            meeting.tally.add_many(result, n);
            meeting.exact = exact.then_some(result.score());
            meeting
        };
        // The first seat wins if both are the same.
        let meetings = (0..3).flat_map(|i| (i..3).map(move |j| (i, j)));
        let meetings = meetings.map(|(i, j)| {
            (
                i,
                j,
                if i == j {
                    meeting(Payoff::WIN, Payoff::LOSS)
                } else {
                    meeting(Payoff::LOSS, Payoff::WIN)
                },
            )
        });
        Payoffs::new(3, meetings).expect("all have met")
    }

    fn study(payoffs: &Payoffs) -> SeedStudy {
        let plan = StudyPlan {
            num_held_out: 1,
            bandits: vec![BanditName::Ucbt, BanditName::Ucb1],
            num_games: 4,
            num_runs: 8,
        };
        SeedStudy::new(payoffs, &plan, StreamKey::root(1), &StopSignal::default()).expect("studied")
    }

    /// The first seat wins if both choose the same of three: value 1/3.
    #[test]
    fn matching_seeds() {
        let matrix = PayoffMatrix::from_fn(3, 3, |i, j| f64::from(u8::from(i == j)));
        let matrix = matrix.expect("a game");
        let (of_seats, ..) = choices(&matrix).expect("solved");
        let found = measured(&matrix, &of_seats).expect("solved");
        // A fixed seed in the first seat never wins again, and in the second loses always.
        let (third, two) = (1.0 / 3.0, 2.0 / 3.0);
        let expected = [[third, two], [3.0; 2], [third, two], [0.0; 2], [0.0; 2], [third, two]];
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn certain_results_have_no_bounds() {
        let study = study(&pennies(1, true));
        let figure = |index: usize| {
            let SeedFigure { figure, low, high, .. } = &study.figures[index];
            assert_eq!([figure, figure], [low, high]);
            [figure.first, figure.second]
        };
        // Value, support, Nash against uniform and against the best response, then the others.
        let expected = [[0.5; 2], [2.0; 2], [0.5; 2], [0.0; 2], [0.0; 2], [0.5; 2]];
        for (index, expected) in expected.into_iter().enumerate() {
            let found = figure(index);
            assert!((0..2).all(|i| (found[i] - expected[i]).abs() < 1e-12), "{index}: {found:?}");
        }
        assert_eq!(study.generalisation.len(), 1);
        // Two bandits, two seats, three opponents.
        assert_eq!(study.lessons.len(), 12);
    }

    #[test]
    fn bounds_shrink_with_the_pairs() {
        let width = |n: u64| {
            let study = study(&pennies(n, false));
            let value = &study.figures[0];
            let nash = &study.figures[3];
            assert!(value.low.first <= 0.5 && 0.5 <= value.high.first, "{value:?}");
            assert!(nash.high.first > nash.figure.first, "{nash:?}");
            value.high.first - value.low.first
        };
        assert!(width(400) < width(10) / 3.0);
    }

    #[test]
    fn too_few_seeds_are_refused() {
        let plan = StudyPlan { num_held_out: 2, bandits: vec![], num_games: 1, num_runs: 1 };
        let stop = StopSignal::default();
        let refused = SeedStudy::new(&pennies(1, true), &plan, StreamKey::root(1), &stop);
        assert_eq!(refused, Err(PayoffError::NumMembers { found: 1 }));
    }
}
