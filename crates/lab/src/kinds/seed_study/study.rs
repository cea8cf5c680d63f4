//! The complete random-seed experiment on one pool; see the module `lessons`.
//!
//! If results are estimates, the figures have bounds from games that were not used for the choices; see the module
//! `bounds`. If all results are certain, as in the paper, the bounds equal the figures.

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_games::BySeat;
use ruse_optimise::portfolio::{LearningSchedule, PayoffError, SplitPayoffs};
use ruse_search::bandit::BanditName;
use ruse_search::matrix::{PayoffMatrix, support};

use super::bounds::{Bounded, seat_figures};
use super::lessons::{Generalisation, SeedLesson, choices, generalise, learn, swapped};

/// The settings of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyPlan {
    /// The number of held-out seeds, the last seeds of the pool. If it is 0, choices are not scored against seeds that
    /// had no part in them.
    pub num_held_out: usize,
    /// The bandits that learn.
    pub bandits: Vec<BanditName>,
    /// The number of games from which a bandit learns.
    pub num_games: u64,
    /// The number of runs of each bandit, and of repetitions of each choice of seeds.
    pub num_runs: u64,
}

/// A figure of the game between seeds in each seat, with bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedFigure {
    /// The name, one of [`SeedFigure::NAMES`].
    pub name: String,
    /// The estimate in each seat; exact if its bounds are equal.
    pub figure: BySeat<f64>,
    /// The lower bound on the figure in each seat.
    pub low: BySeat<f64>,
    /// The upper bound on the figure in each seat.
    pub high: BySeat<f64>,
}

impl SeedFigure {
    /// The names of all figures, in order.
    pub const NAMES: [&'static str; 6] = [
        "value",
        "support",
        "nash-against-uniform",
        "nash-exploitability",
        "uniform-exploitability",
        "best-arm-exploitability",
    ];
}

/// The results of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedStudy {
    /// The figures of the game between the seeds to choose from, in the order of [`SeedFigure::NAMES`].
    pub figures: Vec<SeedFigure>,
    /// The scores of the choices against held-out seeds, for each number of seeds to choose from.
    pub generalisation: Vec<(usize, [Generalisation; 3])>,
    /// The learning curves of the bandits.
    pub lessons: Vec<SeedLesson>,
}

impl SeedStudy {
    /// Studies the members of a pool, each of which has met every member, including itself. Choices and lessons use all
    /// games. Bounds use games that were not used for the choices.
    ///
    /// # Errors
    ///
    /// Returns an error if fewer than two seeds are left to choose from, if payoffs are missing, or if the study was
    /// stopped from outside.
    ///
    /// # Panics
    ///
    /// Panics if `plan` has a bandit but 0 games or runs.
    pub fn new(
        split: &SplitPayoffs,
        plan: &StudyPlan,
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<SeedStudy, PayoffError> {
        let payoffs = split.whole();
        let num_seeds = payoffs.num_members().saturating_sub(plan.num_held_out);
        if num_seeds < 2 {
            return Err(PayoffError::NumMembers { found: num_seeds });
        }
        let all = payoffs.matrix_by_seat()?;
        let matrix =
            payoffs.matrix_by_seat_of(num_seeds, |meeting| meeting.tally.score_by_seat())?;
        let figures = figures(split, &matrix)?;
        let mut sizes: Vec<usize> = Vec::new();
        if plan.num_held_out > 0 {
            sizes.extend((1..).map(|k| 1 << k).take_while(|n| *n < num_seeds));
            sizes.push(num_seeds);
        }
        let mut generalisation = Vec::new();
        for size in sizes {
            let key = key.child(Label::Request, 1);
            generalisation.push((size, generalise(&all, size, plan.num_runs, key, stop)?));
        }
        let mut lessons = Vec::new();
        for &bandit in &plan.bandits {
            let one =
                LearningSchedule { bandit, num_rounds: plan.num_games, num_runs: plan.num_runs };
            lessons.extend(learn(&matrix, one, key.child(Label::Request, 2), stop)?);
        }
        Ok(SeedStudy { figures, generalisation, lessons })
    }
}

/// Returns the figures of a game with known scores, for both seats, in the order of [`SeedFigure::NAMES`].
fn measured(matrix: &PayoffMatrix) -> Result<[[f64; 2]; 6], PayoffError> {
    let swapped = swapped(matrix)?;
    let ([first, second], value, _) = choices(matrix)?;
    let taken =
        |x: &[f64], y: &[f64]| [value - matrix.guaranteed(x), 1.0 - value - swapped.guaranteed(y)];
    let mean = |scores: Vec<f64>| scores.iter().sum::<f64>() / scores.len() as f64;
    Ok([
        [value, 1.0 - value],
        [support(&first.nash).len() as f64, support(&second.nash).len() as f64],
        [mean(matrix.of_columns(&first.nash)), mean(swapped.of_columns(&second.nash))],
        // Differences from rounding are reported as zero.
        taken(&first.nash, &second.nash).map(|taken| if taken < 1e-11 { 0.0 } else { taken }),
        taken(&first.uniform, &second.uniform),
        taken(&first.best_arm, &second.best_arm),
    ])
}

/// Returns the figures of the game with their bounds. `matrix` has the first seat's scores over all games.
fn figures(split: &SplitPayoffs, matrix: &PayoffMatrix) -> Result<Vec<SeedFigure>, PayoffError> {
    let num_seeds = matrix.num_rows();
    let of_all_games = measured(matrix)?;
    let is_exact =
        (0..num_seeds).all(|i| (i..num_seeds).all(|j| split.whole().meeting(i, j).exact.is_some()));
    let certain = |figure: f64| Bounded { figure, low: figure, high: figure };
    // The support is a count, so it has no bounds.
    let is_count = |name: &str| name == "support";
    let known: [[Bounded; 2]; 6] = if is_exact {
        of_all_games.map(|by_seat| by_seat.map(certain))
    } else {
        let anything = |figure: f64| Bounded { figure, low: 0.0, high: 1.0 };
        let mut known = of_all_games.map(|by_seat| by_seat.map(anything));
        if let Some([first, second]) = seat_figures(split, num_seeds)? {
            let [value, against_uniform, nash, uniform, best_arm] =
                [0, 1, 2, 3, 4].map(|index| [first[index], second[index]]);
            known = [value, known[1], against_uniform, nash, uniform, best_arm];
        }
        known
    };
    let figure = |(name, by_seat): (&'static str, [Bounded; 2])| {
        let by_seat =
            by_seat.map(|known| if is_count(name) { certain(known.figure) } else { known });
        let both =
            |of: fn(&Bounded) -> f64| BySeat { first: of(&by_seat[0]), second: of(&by_seat[1]) };
        SeedFigure {
            name: name.into(),
            figure: both(|known| known.figure),
            low: both(|known| known.low),
            high: both(|known| known.high),
        }
    };
    Ok(SeedFigure::NAMES.into_iter().zip(known).map(figure).collect())
}

#[cfg(test)]
mod tests {
    use ruse_games::Payoff;
    use ruse_optimise::portfolio::Payoffs;
    use ruse_play::score::Scored;
    use ruse_strategies::PairResult;

    use super::*;

    /// Returns the payoffs of matching pennies between two seeds, with a third held out. The number of pairs per
    /// meeting is proportional to `n`.
    fn pennies(n: u64, exact: bool) -> SplitPayoffs {
        SplitPayoffs::new([n.div_ceil(2), n.div_ceil(4), n.div_ceil(4)].map(|n| part(n, exact)))
    }

    fn part(n: u64, exact: bool) -> Payoffs {
        let meeting = |as_first: Payoff, as_second: Payoff| {
            let result = PairResult { as_first, as_second };
            let mut meeting = Scored::default();
            meeting.tally.add_many(result, n);
            meeting.exact = exact.then_some(result.score());
            meeting
        };
        // The first seat wins if both seats choose the same seed.
        let meetings = (0..3).flat_map(|i| (i..3).map(move |j| (i, j)));
        let meetings = meetings.map(|(i, j)| match i == j {
            true => (i, j, meeting(Payoff::WIN, Payoff::LOSS)),
            false => (i, j, meeting(Payoff::LOSS, Payoff::WIN)),
        });
        Payoffs::new(3, meetings).expect("all have met")
    }

    fn study(payoffs: &SplitPayoffs) -> SeedStudy {
        let plan = StudyPlan {
            num_held_out: 1,
            bandits: vec![BanditName::Ucbt, BanditName::Ucb1],
            num_games: 4,
            num_runs: 8,
        };
        SeedStudy::new(payoffs, &plan, StreamKey::root(1), &StopSignal::default()).expect("studied")
    }

    /// The first seat wins if both seats choose the same of three seeds, so the value is 1/3.
    #[test]
    fn matching_seeds() {
        let matrix = PayoffMatrix::from_fn(3, 3, |i, j| f64::from(u8::from(i == j)));
        let matrix = matrix.expect("a game");
        let found = measured(&matrix).expect("solved");
        // In either seat, a fixed seed never wins against a best response.
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
        // The value, the support, the score of Nash against uniform, and the exploitability of Nash, uniform and the
        // best arm.
        let expected = [[0.5; 2], [2.0; 2], [0.5; 2], [0.0; 2], [0.0; 2], [0.5; 2]];
        for (index, expected) in expected.into_iter().enumerate() {
            let found = figure(index);
            assert!((0..2).all(|i| (found[i] - expected[i]).abs() < 1e-12), "{index}: {found:?}");
        }
        assert_eq!(study.generalisation.len(), 1);
        // Two bandits, two seats and three opponents.
        assert_eq!(study.lessons.len(), 12);
    }

    #[test]
    fn without_held_out_seeds_nothing_is_generalised() {
        let plan = StudyPlan { num_held_out: 0, bandits: vec![], num_games: 4, num_runs: 8 };
        let (key, stop) = (StreamKey::root(1), StopSignal::default());
        let study = SeedStudy::new(&pennies(1, true), &plan, key, &stop).expect("studied");
        assert!(study.generalisation.is_empty());
        // The game is between all three seeds; the first seat wins if both choose the same.
        assert!((study.figures[0].figure.first - 1.0 / 3.0).abs() < 1e-12);
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
