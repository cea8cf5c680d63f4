//! Learning curves of bandits: their losses against an opponent, as a function of the number of games from which they
//! have learned.
//!
//! After Saint-Pierre & Teytaud (CIG 2014), figures 1 and 2, where a curve is the mean of 1000 runs.
//!
//! A point at 2^k rounds has two values. The first is the losing rate of the rounds since the previous point, which
//! measures the loss while learning. The second is the losing rate of the member that the bandit would recommend, which
//! measures the result of learning. A draw is half a loss.
//!
//! Time: one choice and one game for each round of each run; runs are independent and parallel. Space: the points of
//! all runs.

use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_play::arena::in_parallel;
use ruse_search::bandit::BanditName;

/// A point of a learning curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearningPoint {
    /// The number of rounds played.
    pub num_rounds: u64,
    /// The share of rounds lost since the previous point, over all runs.
    pub losing_rate: f64,
    /// The standard error of the losing rate, from the variation between runs; `None` for a single run.
    pub standard_error: Option<f64>,
    /// The losing rate of the member recommended after these rounds, over all runs.
    pub recommended: f64,
    /// The standard error of `recommended`; `None` for a single run.
    pub recommended_error: Option<f64>,
}

/// A bandit, the number of runs in which it learns, and the length of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearningSchedule {
    /// The rule of the bandit.
    pub bandit: BanditName,
    /// The number of rounds in a run.
    pub num_rounds: u64,
    /// The number of runs.
    pub num_runs: u64,
}

/// Computes the learning curve of a bandit with `expected.len()` arms, given their expected scores.
///
/// `play(arm, run, round, rng)` returns the score of an arm in [0, 1]; its randomness comes from the key of the run and
/// the round, or from the generator.
///
/// # Errors
///
/// Returns an error if the computation was stopped from outside.
///
/// # Panics
///
/// Panics if there are no arms, no runs or no rounds.
pub fn learning_curve(
    lessons: LearningSchedule,
    expected: &[f64],
    key: StreamKey,
    stop: &StopSignal,
    play: impl Fn(usize, StreamKey, u64, &mut Stream) -> Result<f64, Stopped> + Sync,
) -> Result<Vec<LearningPoint>, Stopped> {
    let LearningSchedule { bandit, num_rounds, num_runs } = lessons;
    assert!(num_rounds > 0 && num_runs > 0, "there is something to learn from");
    let mut points: Vec<u64> = (0..).map(|k| 1 << k).take_while(|n| *n < num_rounds).collect();
    points.push(num_rounds);
    // Two numbers for each run and point: the loss since the previous point, and the loss of the recommended arm.
    let numbers: Vec<u64> = (0..num_runs).collect();
    let runs: Vec<Vec<[f64; 2]>> = in_parallel(&numbers, stop, |&run| {
        let key = key.child(Label::Match, run);
        let mut rng = key.child(Label::Choice, 0).stream();
        let mut bandit = bandit.begin(expected.len());
        let mut seen = Vec::with_capacity(points.len());
        let mut round = 0;
        for &point in &points {
            stop.check()?;
            let (from, mut loss) = (round, 0.0);
            while round < point {
                let arm = bandit.choose(&mut rng);
                let score = play(arm, key, round, &mut rng)?;
                bandit.observe(arm, score);
                loss += 1.0 - score;
                round += 1;
            }
            seen.push([loss / (point - from) as f64, 1.0 - expected[bandit.recommend()]]);
        }
        Ok(seen)
    })?;
    let n = num_runs as f64;
    let point = |(index, &num_rounds): (usize, &u64)| {
        let mean = |which: usize| runs.iter().map(|run| run[index][which]).sum::<f64>() / n;
        let error = |which: usize, mean: f64| {
            let squares: f64 = runs.iter().map(|run| run[index][which] - mean).map(|d| d * d).sum();
            (num_runs > 1).then(|| (squares / (n - 1.0) / n).sqrt())
        };
        let (losing_rate, recommended) = (mean(0), mean(1));
        LearningPoint {
            num_rounds,
            losing_rate,
            standard_error: error(0, losing_rate),
            recommended,
            recommended_error: error(1, recommended),
        }
    };
    Ok(points.iter().enumerate().map(point).collect())
}

#[cfg(test)]
mod tests;
