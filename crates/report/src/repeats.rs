//! Means over repeated runs, with intervals that cover the noise of learning and of playing.
//!
//! Runs with different seeds find different champions (the noise of learning), and champions are scored on finitely
//! many games (the noise of playing). The intervals of [`crate::evaluate`] cover only the noise of playing. This module
//! computes intervals for the expected score of a *method*:
//!
//! - Against the baseline: the interval is Student's interval over the R runs, with s^2 / R as the variance of the
//!   mean. The sample variance s^2 of the measured scores includes both kinds of noise.
//! - Head to head: the score X_ij of run i of a method against run j of another, for all i and j, is a two-sample
//!   U-statistic, whose variance follows from its projections (W. Hoeffding, *A class of statistics with asymptotically
//!   normal distribution*, Annals of Mathematical Statistics 19, 1948, doi:10.1214/aoms/1177730196): s_a^2 / R_a +
//!   s_b^2 / R_b, where s_a^2 is the sample variance of the means of the runs of a over their opponents, and s_b^2 is
//!   the sample variance of the means of the runs of b. Both terms include a share of the component that depends on i
//!   and j together. This component is thus counted twice, so the interval is too wide rather than too narrow.
//!   Student's quantile has the degrees of freedom of the smaller number of runs.
//! - Head to head, if each of the R runs of either method meets only d runs of the other method, as with more than ten
//!   seeds: each run has its own opponents, whose luck is part of the run's mean. With X_ij = m + a_i + b_j + c_ij and
//!   d meetings for every run, the expectation of s_a^2 is var(a) + f var(b) + var(c) / d with f = (R - d) / (d (R -
//!   1)), and likewise for s_b^2. The b_j contribute R var(b) / d to the R means of the runs of a; of this, var(b) is
//!   in the mean of all runs, because the sum of all b_j does not depend on the pairing. So (s_a^2 + s_b^2) / (R (1 +
//!   f)) is the variance of the mean, with var(c) counted up to twice, as above. The factor f is 0 if all runs meet all
//!   opponents.
//!
//! The score of one further run is less certain than the mean: its variance is the variance of a run plus the variance
//! of the mean ([`Spread::prediction_error`]). Published figures come from one run, so they are compared by this
//! variance.
//!
//! A few runs may agree by luck, so the variance is at least the variance from playing. A single run says nothing about
//! learning: its interval covers only the noise of playing, and is marked so ([`Noise::Playing`]).
//!
//! These intervals are not guaranteed. Student's intervals hold if scores are approximately normal from run to run;
//! bimodal scores (for example, if a method fails for one seed in ten) are not. So for fewer than three runs, or runs
//! in two groups, reports show the runs instead of the interval ([`Withheld`]), and draw no conclusion from it. This
//! does not help against failures that no run shows: if one run in ten fails, four runs show no failure in 66% of all
//! cases, and the interval is then wrong ([`unseen_share`]). Runs with the same seed may start with the same
//! parameters; this dependence between the sides of a meeting is ignored. If all runs have the same exact score, the
//! interval has no width.

use std::collections::BTreeSet;

use ruse_lab::Measurement;
use ruse_play::score::{CONFIDENCE, Estimate, sample_variance, student_p_value, student_quantile};
use serde::Serialize;

ruse_base::named! {
    /// The noise that an interval covers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Noise {
        /// The noise of learning and playing: how much the mean changes with other seeds, which give other champions,
        /// and with other games.
        LearningAndPlaying = "learning-and-playing",
        /// The noise of playing: how much the mean changes if the same champions play other games.
        Playing = "playing",
    }
}

/// The spread of the scores of runs, from which intervals with the noise of learning are computed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// The standard error of the mean.
    pub standard_error: f64,
    /// The standard deviation of the score of one further run minus the mean. It includes the spread of the runs and
    /// the error of the mean.
    pub prediction_error: f64,
    /// The degrees of freedom of the two errors: one less than the smaller number of runs of a side, but at least 1.
    pub degrees: u64,
}

ruse_base::named! {
    /// The reason why reports do not show an interval, which would claim more than the runs support.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Withheld {
        /// There are fewer than [`MIN_RUNS`] runs.
        FewRuns = "few-runs",
        /// The runs are in two distant groups. The mean lies between them, where there are no runs.
        TwoGroups = "two-groups",
    }
}

/// The minimum number of runs for which an interval is shown.
pub const MIN_RUNS: usize = 3;
/// Three runs are in two groups if the largest gap between neighbouring scores is more than this share of the range of
/// scores. For normal scores, this happens in 8% of samples of three.
const GROUPS_OF_THREE: f64 = 0.95;
/// Like [`GROUPS_OF_THREE`], for four runs or more. Normal scores seem to be in two groups in 9% of samples of four,
/// and in fewer than 2% of larger samples.
const GROUPS_OF_MORE: f64 = 0.8;
/// The minimum gap between two groups of scores.
const MIN_GAP: f64 = 0.02;

/// Returns the reason why reports do not show the interval of the mean of these scores, or `None` if they do.
/// `half_width` is half the width of one run's interval, which covers only the noise of playing.
fn withheld(scores: &[f64], half_width: f64) -> Option<Withheld> {
    if scores.len() < MIN_RUNS {
        return Some(Withheld::FewRuns);
    }
    let mut scores = scores.to_vec();
    scores.sort_by(f64::total_cmp);
    let gap = scores.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max);
    let range = scores[scores.len() - 1] - scores[0];
    let share = if scores.len() == 3 { GROUPS_OF_THREE } else { GROUPS_OF_MORE };
    // A gap between overlapping intervals may be noise.
    let is_seen = gap > MIN_GAP.max(2.0 * half_width);
    (is_seen && gap > share * range).then_some(Withheld::TwoGroups)
}

/// Returns the largest plausible share of runs that behave differently, after `num_runs` runs that behave alike. With
/// this share, the probability of such runs is 5%.
pub fn unseen_share(num_runs: usize) -> f64 {
    1.0 - libm::pow(1.0 - CONFIDENCE, 1.0 / num_runs as f64)
}

/// A mean of scores with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanScore {
    /// The mean, in [0, 1].
    pub score: f64,
    /// Bounds on the expected score at [`ruse_play::score::CONFIDENCE`], in [0, 1].
    pub interval: [f64; 2],
    /// The noise that the interval covers.
    pub covers: Noise,
    /// Half the width of an interval that covers only the noise of playing.
    pub playing_half_width: f64,
    /// The total number of pairs of games.
    pub num_pairs: u64,
    /// The spread of the runs; `None` for one run.
    pub spread: Option<Spread>,
    /// The reason why reports do not show the interval; `None` if they do. Formats for programs always contain it.
    pub withheld: Option<Withheld>,
}

impl MeanScore {
    /// Returns the p-value of Student's two-sided test, to four digits: the probability that a mean is at least this
    /// far from one half if the expected score is one half. Returns `None` if the noise of learning is unknown.
    pub(super) fn p_value(&self) -> Option<f64> {
        let spread = self.telling_spread()?;
        let t = (self.score - 0.5) / spread.standard_error;
        Some(student_p_value(t, spread.degrees))
    }

    /// Returns `true` if this is the exact score of one champion.
    pub(super) fn is_exact(&self) -> bool {
        self.interval[1] <= self.interval[0] && self.covers == Noise::Playing
    }

    /// Returns `true` if there are several runs with exactly the same score, so that the noise of learning is not
    /// visible.
    pub fn is_all_alike(&self) -> bool {
        let [low, high] = self.interval;
        self.covers == Noise::LearningAndPlaying && low == high
    }

    /// Returns the spread of the runs if it allows conclusions about methods: it is `None` for a single run, for too few
    /// runs, for runs with equal scores, and for runs in two groups.
    pub(super) fn telling_spread(&self) -> Option<Spread> {
        self.spread.filter(|_| !self.is_all_alike() && self.withheld.is_none())
    }

    /// Returns the interval for conclusions about methods. It is the whole range from 0 to 1 without a
    /// [telling spread](MeanScore::telling_spread).
    pub(super) fn conclusive_interval(&self) -> [f64; 2] {
        if self.telling_spread().is_none() { [0.0, 1.0] } else { self.interval }
    }

    /// Returns the mean over one or more estimates, with an interval for the noise of playing, and this noise's part of
    /// the variance of the mean.
    fn of_playing<'a>(
        mut estimates: impl ExactSizeIterator<Item = &'a Estimate> + Clone,
    ) -> (MeanScore, f64) {
        let count = estimates.len() as f64;
        let score = mean(estimates.clone().map(|estimate| estimate.score));
        let num_pairs = estimates.clone().map(|estimate| estimate.pairs).sum();
        let variance = estimates.clone().map(playing_variance).sum::<f64>() / (count * count);
        let degrees = estimates.clone().map(|estimate| estimate.pairs.saturating_sub(1)).sum();
        let playing_half_width = match variance {
            0.0 => 0.0,
            // The variance of one pair is unknown, but two scores differ by at most 1.
            _ => (student_quantile(degrees) * variance.sqrt()).min(1.0),
        };
        let interval = match (estimates.next(), estimates.next()) {
            (Some(only), None) => only.interval,
            _ => around(score, playing_half_width),
        };
        let (covers, spread, withheld) = (Noise::Playing, None, None);
        let mean =
            MeanScore { score, interval, covers, playing_half_width, num_pairs, spread, withheld };
        (mean, variance)
    }

    /// Returns the mean of a method's scores against the baseline, or `None` if there are no runs.
    pub fn over_runs(scores: &[Estimate]) -> Option<MeanScore> {
        let (mean, playing_variance) = match scores {
            [] => return None,
            scores => MeanScore::of_playing(scores.iter()),
        };
        if scores.len() == 1 {
            return Some(mean);
        }
        let values: Vec<f64> = scores.iter().map(|estimate| estimate.score).collect();
        let count = values.len() as f64;
        let of_run = sample_variance(&values).max(playing_variance * count);
        let withheld = withheld(&values, mean.playing_half_width * count.sqrt());
        let mean = mean.covering_learning(of_run / count, of_run, values.len());
        Some(MeanScore { withheld, ..mean })
    }

    /// Returns the mean of measurements of several runs and their scores by seed, or `None` if there are no measurements.
    pub(super) fn of_rows<'a>(
        rows: impl Iterator<Item = &'a Measurement>,
    ) -> Option<(MeanScore, Vec<f64>)> {
        let mut rows: Vec<&Measurement> = rows.collect();
        // Sums must not depend on the order of the records.
        rows.sort_by_key(|row| (row.subject_seed, row.opponent_seed));
        let scores: Vec<Estimate> = rows.iter().map(|row| row.estimate()).collect();
        Some((MeanScore::over_runs(&scores)?, scores.iter().map(|score| score.score).collect()))
    }

    /// Returns the mean over the meetings between the runs of two methods. Each meeting has the seeds of the two runs,
    /// and the score of the first method's run. Returns `None` if there are no meetings.
    pub fn over_meetings(meetings: &[([u64; 2], Estimate)]) -> Option<MeanScore> {
        if meetings.is_empty() {
            return None;
        }
        let (mean, playing_variance) =
            MeanScore::of_playing(meetings.iter().map(|(_, estimate)| estimate));
        let [a, b] = [0, 1].map(|side| means_of_runs(meetings, side));
        let num_runs = a.len().min(b.len());
        if num_runs == 1 {
            return Some(mean);
        }
        let counts = [a.len() as f64, b.len() as f64];
        let [of_a, of_b] = [&a, &b].map(|means| sample_variance(means));
        let of_projections = of_a / counts[0] + of_b / counts[1];
        let (of_mean, of_meeting) = match luck_of_opponents(meetings, [a.len(), b.len()]) {
            None => {
                // The means of rows and of columns each include a share of the component that depends on the two runs
                // together. The score of one meeting includes all of it.
                let of_both = interaction(meetings, [&a, &b]);
                let shares = 1.0 - 1.0 / counts[0] - 1.0 / counts[1];
                let of_meeting = of_a + of_b + of_both * shares;
                (of_projections.max(playing_variance), of_meeting)
            }
            Some(luck) => {
                let of_mean = (of_projections / (1.0 + luck)).max(playing_variance);
                // The expected squared distance between a meeting and the mean is the variance of a meeting, minus the
                // variance of the mean.
                let squares = meetings.iter().map(|(_, estimate)| estimate.score - mean.score);
                let squares: f64 = squares.map(|d| d * d).sum();
                (of_mean, squares / meetings.len() as f64 + of_mean)
            }
        };
        let of_meeting = of_meeting.max(playing_variance * meetings.len() as f64);
        let withheld = (num_runs < MIN_RUNS).then_some(Withheld::FewRuns);
        let mean = mean.covering_learning(of_mean, of_meeting, num_runs);
        Some(MeanScore { withheld, ..mean })
    }

    /// Returns this mean with an interval that covers the noise of learning. `of_mean` is the variance of the mean, and
    /// `of_run` the variance of a score, both from `num_runs` runs, at least two.
    fn covering_learning(self, of_mean: f64, of_run: f64, num_runs: usize) -> MeanScore {
        let degrees = num_runs as u64 - 1;
        let standard_error = of_mean.sqrt();
        let interval = around(self.score, student_quantile(degrees) * standard_error);
        let prediction_error = (of_run + of_mean).sqrt();
        let spread = Some(Spread { standard_error, prediction_error, degrees });
        MeanScore { interval, covers: Noise::LearningAndPlaying, spread, ..self }
    }

    /// Returns this mean from the opponent's point of view.
    pub(super) fn reversed(self) -> MeanScore {
        let [low, high] = self.interval;
        MeanScore { score: 1.0 - self.score, interval: [1.0 - high, 1.0 - low], ..self }
    }
}

/// The maximum variance of a score in [0, 1], for a single pair, whose variance is unknown.
const MAX_VARIANCE: f64 = 0.25;

/// Returns the variance of an estimated score, computed from the longer side of its interval. If the interval has no
/// width, the score is exact.
pub(super) fn playing_variance(estimate: &Estimate) -> f64 {
    let [low, high] = estimate.interval;
    let half_width = (estimate.score - low).max(high - estimate.score);
    match estimate.pairs {
        _ if half_width <= 0.0 => 0.0,
        0 | 1 => MAX_VARIANCE,
        pairs => {
            let deviation = half_width / student_quantile(pairs - 1);
            deviation * deviation
        }
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

fn around(score: f64, half_width: f64) -> [f64; 2] {
    [(score - half_width).max(0.0), (score + half_width).min(1.0)]
}

/// Returns f (see the module comment): the share of the variance between one side's runs that the means of the other
/// side include. Returns `None` unless every run meets the same number of opponents, and not all of them.
fn luck_of_opponents(meetings: &[([u64; 2], Estimate)], [a, b]: [usize; 2]) -> Option<f64> {
    if a != b || meetings.len() >= a * b || !meetings.len().is_multiple_of(a) {
        return None;
    }
    let num_opponents = meetings.len() / a;
    let is_regular = |side: usize| {
        let mut runs: Vec<u64> = meetings.iter().map(|(seeds, _)| seeds[side]).collect();
        runs.sort_unstable();
        runs.chunk_by(|x, y| x == y).all(|of_run| of_run.len() == num_opponents)
    };
    let [runs, opponents] = [a as f64, num_opponents as f64];
    (is_regular(0) && is_regular(1)).then(|| (runs - opponents) / (opponents * (runs - 1.0)))
}

/// Returns the variance of the interaction: the part of a meeting's score that the means of its two runs do not
/// explain. `a` and `b` are the means of the two sides' runs, ordered by seed. Returns 0 for too few meetings.
fn interaction(meetings: &[([u64; 2], Estimate)], [a, b]: [&[f64]; 2]) -> f64 {
    let degrees = (a.len() - 1) * (b.len() - 1);
    if meetings.len() < a.len() * b.len() || degrees == 0 {
        return 0.0;
    }
    let [runs_of_a, runs_of_b] = [0, 1].map(|side| runs_of_side(meetings, side));
    let place = |runs: &[u64], seed: u64| runs.partition_point(|&other| other < seed);
    let all = mean(meetings.iter().map(|(_, estimate)| estimate.score));
    let residual = |([i, j], estimate): &([u64; 2], Estimate)| {
        estimate.score - a[place(&runs_of_a, *i)] - b[place(&runs_of_b, *j)] + all
    };
    meetings.iter().map(residual).map(|d| d * d).sum::<f64>() / degrees as f64
}

/// Returns the seeds of the runs of side `side` in some meetings, in ascending order.
pub(super) fn runs_of_side(meetings: &[([u64; 2], Estimate)], side: usize) -> Vec<u64> {
    let runs: BTreeSet<u64> = meetings.iter().map(|(seeds, _)| seeds[side]).collect();
    runs.into_iter().collect()
}

/// Returns the mean score of each run of side `side` over its meetings, from the first side's point of view.
fn means_of_runs(meetings: &[([u64; 2], Estimate)], side: usize) -> Vec<f64> {
    let mean_of = |run: u64| {
        let of_run = meetings.iter().filter(|(seeds, _)| seeds[side] == run);
        mean(of_run.map(|(_, estimate)| estimate.score).collect::<Vec<_>>().into_iter())
    };
    runs_of_side(meetings, side).into_iter().map(mean_of).collect()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use ruse_base::rng::StreamKey;
    use ruse_lab::fixtures::{estimate, exact};

    use super::*;

    fn assert_close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "{found}, {expected} expected");
    }

    #[test]
    fn one_run_has_the_interval_of_its_playing() {
        let mean = MeanScore::over_runs(&[estimate(0.6)]).expect("there is a run");
        assert_eq!((mean.score, mean.interval, mean.covers), (0.6, [0.59, 0.61], Noise::Playing));
        assert_close(mean.playing_half_width, 0.01, 1e-12);
        let skewed = Estimate { interval: [0.97, 1.0], ..estimate(0.99) };
        let mean = MeanScore::over_runs(&[skewed]).expect("there is a run");
        assert_eq!(mean.interval, [0.97, 1.0]);
        assert_close(mean.playing_half_width, 0.02, 1e-12);
        assert_eq!(MeanScore::over_runs(&[]), None);
    }

    #[test]
    fn three_runs_have_students_interval() {
        // .60, .62, .70: mean .64, deviations -.04, -.02, .06, s^2 = (.0016 + .0004 + .0036) / 2 = .0028, s^2 / 3 =
        // .000933333, its root .0305505, times t(.975; 2) = 4.302653: .131448. The noise of playing: three half-widths
        // of .01 give .01 / sqrt(3) = .0057735.
        let mean = MeanScore::over_runs(&[0.60, 0.62, 0.70].map(estimate)).expect("runs");
        assert_close(mean.score, 0.64, 1e-12);
        assert_close(mean.interval[0], 0.508_552, 1e-5);
        assert_close(mean.interval[1], 0.771_448, 1e-5);
        assert_close(mean.playing_half_width, 0.005_773_5, 1e-6);
        assert_eq!((mean.covers, mean.num_pairs), (Noise::LearningAndPlaying, 60_000));
    }

    #[test]
    fn runs_that_agree_by_luck_are_as_sure_as_their_playing_at_most() {
        // The variance of each score is (.01 / 1.960)^2, and the variance of the mean of three is a third of this. Its
        // root, .0057735 / 1.960 = .0029457, times 4.302653 is .012674.
        let mean = MeanScore::over_runs(&[0.6; 3].map(estimate)).expect("runs");
        assert_close(mean.interval[1], 0.612_674, 1e-5);
        // Exact scores do not have noise of playing.
        let mean = MeanScore::over_runs(&[0.75; 3].map(exact)).expect("runs");
        assert_eq!((mean.interval, mean.playing_half_width), ([0.75, 0.75], 0.0));
        // Intervals stay within [0, 1]: two runs score .9 and 1, and t(.975; 1) = 12.706.
        let mean = MeanScore::over_runs(&[0.9, 1.0].map(exact)).expect("runs");
        assert_close(mean.interval[0], 0.95 - 12.706_205 * 0.05, 1e-5);
        assert_eq!(mean.interval[1], 1.0);
        // One pair says nothing about the variance.
        let unknown = Estimate { interval: [0.0, 1.0], pairs: 1, ..estimate(0.5) };
        let mean = MeanScore::over_runs(&[unknown; 2]).expect("runs");
        assert_eq!((mean.interval, mean.playing_half_width), ([0.0, 1.0], 1.0));
    }

    #[test]
    fn two_groups_and_two_runs_have_no_interval() {
        let withheld = |scores: &[f64]| {
            let runs: Vec<Estimate> = scores.iter().copied().map(estimate).collect();
            MeanScore::over_runs(&runs).expect("runs").withheld
        };
        assert_eq!(withheld(&[0.5, 0.8]), Some(Withheld::FewRuns));
        // Runs of the benchmark: cheat by naive, war by approximate coevolution, and phantom four by cma-es.
        assert_eq!(withheld(&[0.715, 0.923, 0.927, 0.927]), Some(Withheld::TwoGroups));
        assert_eq!(withheld(&[0.515, 0.517, 0.672, 0.672]), Some(Withheld::TwoGroups));
        assert_eq!(withheld(&[0.718, 0.738, 0.745, 0.781]), None);
        // The larger of the two gaps is .94 of the range, and then .96.
        assert_eq!(withheld(&[0.5, 0.594, 0.6]), None);
        assert_eq!(withheld(&[0.5, 0.596, 0.6]), Some(Withheld::TwoGroups));
        // Groups must be at least .02 apart, and further apart than their intervals of ± .01 reach.
        assert_eq!(withheld(&[0.5, 0.5, 0.519, 0.519]), None);
        // No conclusion is drawn, although the interval does not contain one half.
        let runs = [0.715, 0.923, 0.927, 0.927].map(estimate);
        let mean = MeanScore::over_runs(&runs).expect("runs");
        assert!(mean.interval[0] > 0.5 && mean.conclusive_interval() == [0.0, 1.0]);
        assert_eq!(mean.p_value(), None);
    }

    /// Draws samples of four runs for each of four kinds of methods. Counts the samples whose interval is shown and
    /// does not contain the expected score. The share is near .05 for normal scores. For a method that fails in a share
    /// p of its runs, an interval is shown, and is wrong, if all four runs failed or none did. The probability of this,
    /// p^4 + (1 - p)^4, is .125 for p = 1/2, .320 for 1/4 and .656 for 1/10; no rule based on these runs does better.
    /// If Student's interval were always shown, it would be wrong equally often, because it contains the mean whenever
    /// runs of both kinds are drawn. With 10 000 samples the standard error is at most .005, and the tolerance is four
    /// standard errors. There are four cases, so one seed in 4000 fails by chance. For normal scores, wrong intervals
    /// are withheld slightly more often than right ones.
    #[test]
    fn intervals_that_are_shown_are_wrong_where_no_failure_was_seen() {
        let mut rng = StreamKey::root(13).stream();
        for (share, expected) in [(0.0, 0.045), (0.5, 0.125), (0.25, 0.320), (0.1, 0.656)] {
            let (mut num_wrong, mut num_mixed, mut num_mixed_shown) = (0, 0, 0);
            for _ in 0..10_000 {
                let failures: [bool; 4] = std::array::from_fn(|_| rng.random::<f64>() < share);
                let runs = failures.map(|failed| {
                    // The noise of playing is far smaller than the noise of learning.
                    let score = if failed { 0.5 } else { 0.8 } + 0.005 * normal(&mut rng);
                    Estimate { interval: [score - 0.001, score + 0.001], ..estimate(score) }
                });
                let mean = MeanScore::over_runs(&runs).expect("runs");
                let expected_score = 0.8 - 0.3 * share;
                let [low, high] = mean.interval;
                let is_shown = mean.withheld.is_none();
                let is_mixed = failures.contains(&true) && failures.contains(&false);
                num_wrong += usize::from(is_shown && !(low..=high).contains(&expected_score));
                num_mixed += usize::from(is_mixed);
                num_mixed_shown += usize::from(is_mixed && is_shown);
            }
            let wrong = num_wrong as f64 / 10_000.0;
            assert!((wrong - expected).abs() < 0.02, "{share}: {wrong}");
            assert!(num_mixed_shown * 100 <= num_mixed, "{share}: {num_mixed_shown}");
        }
        // Four runs give 1 - .05^(1/4) = .527; thirty runs give .095.
        assert_close(unseen_share(4), 0.527, 5e-4);
        assert_close(unseen_share(30), 0.095, 5e-4);
    }

    #[test]
    fn the_spread_of_meetings_is_that_of_one_of_them() {
        // Rows and columns of 2: means of rows .5 and .6, of columns .52 and .58; residuals .01: .51 = .5 - .03 + .04, so
        // that X = all + row + column +- .01. The variances: rows .005, columns .0018, both 4 x .0001 = .0004; of
        // one meeting .005 + .0018 + .0004 (1 - 1/2 - 1/2) = .0068; of the mean (.005 + .0018) / 2 = .0034.
        let scores = meetings(&[&[0.48, 0.52], &[0.56, 0.64]]);
        let spread = MeanScore::over_meetings(&scores).expect("meetings").spread.expect("runs");
        assert_close(spread.standard_error, 0.0034_f64.sqrt(), 1e-12);
        assert_close(spread.prediction_error, (0.0068_f64 + 0.0034).sqrt(), 1e-12);
        assert_eq!(spread.degrees, 1);
        // The Latin square of .02, 0, -.02 has equal means in all rows and columns: six residuals of .0004 over 4
        // degrees of freedom are .0006, times 1 - 1/3 - 1/3.
        let square = meetings(&[&[0.52, 0.5, 0.48], &[0.5, 0.48, 0.52], &[0.48, 0.52, 0.5]]);
        let precise: Vec<_> = square
            .into_iter()
            .map(|(seeds, of)| (seeds, Estimate { interval: [of.score; 2], ..of }))
            .collect();
        let spread = MeanScore::over_meetings(&precise).expect("meetings").spread.expect("runs");
        assert_close(spread.standard_error, 0.0, 1e-9);
        assert_close(spread.prediction_error, 0.0002_f64.sqrt(), 1e-9);
    }

    fn meetings(scores: &[&[f64]]) -> Vec<([u64; 2], Estimate)> {
        let rows = (1..).zip(scores);
        let cells =
            rows.flat_map(|(i, row)| (1..).zip(*row).map(move |(j, &score)| ([i, j], score)));
        cells.map(|(seeds, score)| (seeds, estimate(score))).collect()
    }

    #[test]
    fn meetings_have_the_interval_of_a_two_sample_statistic() {
        // X_ij = .5 + a_i + b_j, a = -.01, 0, .01 and b = .02, 0, -.02. The means of rows are .49, .50, .51, of
        // variance .0001; the means of columns .52, .50, .48, of variance .0004. (.0001 + .0004) / 3 = .000166667, its
        // root .0129099, times t(.975; 2) = 4.302653: .055547.
        let scores = meetings(&[&[0.51, 0.49, 0.47], &[0.52, 0.50, 0.48], &[0.53, 0.51, 0.49]]);
        let mean = MeanScore::over_meetings(&scores).expect("meetings");
        assert_close(mean.score, 0.5, 1e-12);
        assert_close(mean.interval[0], 0.444_453, 1e-5);
        assert_close(mean.interval[1], 0.555_547, 1e-5);
        // Nine meetings, each with a half-width of .01, give .01 / 3.
        assert_close(mean.playing_half_width, 0.003_333, 1e-5);
        assert_eq!(mean.covers, Noise::LearningAndPlaying);
    }

    #[test]
    fn meetings_of_few_runs() {
        let one_each = MeanScore::over_meetings(&meetings(&[&[0.4]])).expect("a meeting");
        assert_eq!((one_each.interval, one_each.covers), (estimate(0.4).interval, Noise::Playing));
        // One run against two runs gives .01 / sqrt(2) = .0070711.
        let one_side = MeanScore::over_meetings(&meetings(&[&[0.4, 0.6]])).expect("meetings");
        assert_eq!(one_side.covers, Noise::Playing);
        assert_close(one_side.interval[1], 0.507_071, 1e-5);
        assert_eq!(MeanScore::over_meetings(&[]), None);
        // Some meetings are missing: rows .6 and .7 (one meeting), columns .65 and .6; variances .005 and .00125; the
        // mean of three meetings is .633333. t(.975; 1) sqrt(.003125) = 12.706 x .0559 = .7103: all scores are
        // possible.
        let holes = [([1, 1], estimate(0.6)), ([1, 2], estimate(0.6)), ([2, 1], estimate(0.7))];
        let mean = MeanScore::over_meetings(&holes).expect("meetings");
        assert_close(mean.score, 0.633_333, 1e-6);
        assert_eq!(mean.interval, [0.0, 1.0]);
    }

    #[test]
    fn separate_opponents_add_variance() {
        // X_ij = .5 + a_i + b_j as above, but run i meets only the runs i and i + 1, cyclically. The means of rows are
        // .50, .49, .51, of variance .0001; the means of columns .52, .495, .485, of variance .000325. f = (3 - 2) / (2
        // * 2) = .25. (.0001 + .000325) / (3 * 1.25) = .000113333, its root .0106458, times t(.975; 2) = 4.302653:
        // .045805.
        let all = meetings(&[&[0.51, 0.49, 0.47], &[0.52, 0.50, 0.48], &[0.53, 0.51, 0.49]]);
        let meets = |[i, j]: [u64; 2]| (j + 3 - i) % 3 < 2;
        let some: Vec<_> = all.iter().copied().filter(|(seeds, _)| meets(*seeds)).collect();
        assert_eq!(some.len(), 6);
        let mean = MeanScore::over_meetings(&some).expect("meetings");
        assert_close(mean.score, 0.5, 1e-12);
        assert_close(mean.interval[0], 0.454_195, 1e-5);
        // The squares of .01, -.01, 0, -.02, -.01, .03 add up to .0016. A sixth of this, plus the variance of the mean,
        // is .00038.
        let spread = mean.spread.expect("runs");
        assert_close(spread.prediction_error, (0.00038_f64 + 0.000_113_333).sqrt(), 1e-6);
        // With different numbers of opponents, the wider interval is kept.
        assert_eq!(luck_of_opponents(&all, [3, 3]), None);
        assert_eq!(luck_of_opponents(&some[1..], [3, 3]), None);
        let uneven: Vec<_> = [0, 1, 2, 3, 4, 6].map(|index| all[index]).to_vec();
        assert_eq!(luck_of_opponents(&uneven, [3, 3]), None);
    }

    /// Even if each run meets only some runs of the other method, the intervals contain the true score as often as they
    /// should, and are not much too wide. With 4000 samples the standard error of a coverage of .95 is .0034. The lower
    /// bound on the coverage is four standard errors below .95. The upper bound is .975, or 1 if the two runs interact,
    /// because this variance may be counted twice.
    #[test]
    fn intervals_cover_the_luck_of_opponents() {
        const RUNS: usize = 12;
        let mut rng = StreamKey::root(7).stream();
        for ([of_a, of_b, of_both], num_opponents, most) in [
            ([0.03, 0.03, 0.0], 4, 0.975),
            ([0.03, 0.0, 0.0], 4, 0.975),
            ([0.0, 0.03, 0.0], 1, 0.975),
            ([0.03, 0.01, 0.02], 4, 1.0),
            ([0.0, 0.0, 0.03], 4, 1.0),
        ] {
            let covered = (0..4000).filter(|_| {
                let a: [f64; RUNS] = std::array::from_fn(|_| of_a * normal(&mut rng));
                let b: [f64; RUNS] = std::array::from_fn(|_| of_b * normal(&mut rng));
                let mut cells = Vec::new();
                for (i, &of_i) in a.iter().enumerate() {
                    for k in 0..num_opponents {
                        let j = (i + k) % RUNS;
                        let score = 0.5 + of_i + b[j] + (of_both + 0.001) * normal(&mut rng);
                        let interval = [score - 0.002, score + 0.002];
                        let estimate = Estimate { interval, ..estimate(score) };
                        cells.push(([i as u64, j as u64], estimate));
                    }
                }
                let mean = MeanScore::over_meetings(&cells).expect("meetings");
                mean.interval[0] <= 0.5 && 0.5 <= mean.interval[1]
            });
            let coverage = covered.count() as f64 / 4000.0;
            let case = format!("{of_a}, {of_b}, {of_both}, {num_opponents}: {coverage}");
            assert!(coverage > 0.936 && coverage <= most, "{case}");
        }
    }

    /// Returns a random number that is close enough to normal: a sum of 12 uniform numbers.
    fn normal(rng: &mut impl rand::Rng) -> f64 {
        (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
    }

    /// Intervals contain the true score at least as often as they should. With 4000 samples the standard error of a
    /// coverage of .95 is .0034; the tolerance is four standard errors. There are four cases, so one seed in 8000 fails
    /// by chance.
    #[test]
    fn intervals_cover_the_learning() {
        let mut rng = StreamKey::root(6).stream();
        for [of_a, of_b, of_both] in
            [[0.03, 0.03, 0.0], [0.03, 0.0, 0.0], [0.03, 0.01, 0.02], [0.0, 0.0, 0.03]]
        {
            let covered = (0..4000).filter(|_| {
                let a: [f64; 3] = std::array::from_fn(|_| of_a * normal(&mut rng));
                let b: [f64; 3] = std::array::from_fn(|_| of_b * normal(&mut rng));
                let mut score = |i: usize, j: usize| {
                    let noise = (of_both + 0.001) * normal(&mut rng);
                    let score = 0.5 + a[i] + b[j] + noise;
                    Estimate { interval: [score - 0.002, score + 0.002], ..estimate(score) }
                };
                let cells = (0..9).map(|k| ([k / 3, k % 3], score(k as usize / 3, k as usize % 3)));
                let cells: Vec<_> = cells.collect();
                let mean = MeanScore::over_meetings(&cells).expect("meetings");
                mean.interval[0] <= 0.5 && 0.5 <= mean.interval[1]
            });
            let coverage = covered.count() as f64 / 4000.0;
            assert!(coverage > 0.936, "{of_a}, {of_b}, {of_both}: {coverage}");
        }
    }
}
