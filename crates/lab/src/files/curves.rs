//! `curves.csv`: the learning curves of all runs of an experiment, derived from the histories of the runs.

use std::collections::BTreeMap;
use std::path::Path;

use ruse_base::files::Result;
use ruse_play::score::{CONFIDENCE, Estimate};
use serde::{Deserialize, Serialize};

use super::history::{CurvePoint, HistoryRow};
use super::tables::{by_run, csv_of, rows_of};
use crate::language::run::Experiment;
use crate::plan::Plan;

pub(super) const CURVES: &str = "curves.csv";
/// The maximum number of points of a curve, not counting the run's last row. A figure as wide as a page could not show
/// more.
const MAX_POINTS: usize = 30;
/// The number of significant digits in the file. The rounding error of a score is then smaller than its interval.
const DIGITS: usize = 5;

/// The state of a run after an iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveRow {
    /// The iteration, 0 for the start.
    pub iteration: u64,
    /// The number of games in comparisons so far.
    pub games: u64,
    /// The score of the incumbent against the baseline, if this iteration has a new incumbent.
    pub score: Option<Estimate>,
    /// The step size after the iteration, for methods that have one.
    pub sigma: Option<f64>,
    /// The number of candidates tested so far, and the number accepted; `None` if the history has gaps.
    pub decisions: Option<[u64; 2]>,
}

impl CurveRow {
    /// Returns the point of the learning curve, if there is a new incumbent.
    pub fn point(&self) -> Option<CurvePoint> {
        Some(CurvePoint { games: self.games, estimate: self.score? })
    }
}

/// Returns the curve of a run with this history, one row for each row of the history.
pub fn curve_of(history: &[HistoryRow]) -> Vec<CurveRow> {
    let is_whole = history.iter().zip(0..).all(|(row, iteration)| row.iteration == iteration);
    let mut counts = [0; 2];
    let row = |row: &HistoryRow| {
        if let Some(accepted) = row.decision() {
            counts[0] += 1;
            counts[1] += u64::from(accepted);
        }
        CurveRow {
            iteration: row.iteration,
            games: row.games,
            score: row.curve_point().map(|point| point.estimate),
            sigma: row.sigma,
            decisions: is_whole.then_some(counts),
        }
    };
    history.iter().map(row).collect()
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct CurveFileRow {
    family: String,
    method: String,
    seed: u64,
    iteration: u64,
    games: u64,
    score: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    pairs: Option<u64>,
    sigma: Option<f64>,
    decisions: Option<u64>,
    accepted: Option<u64>,
}

impl CurveFileRow {
    fn new(experiment: &Experiment, row: &CurveRow) -> CurveFileRow {
        let [family, method] = experiment.labels.clone();
        let CurveRow { iteration, games, score, sigma, decisions } = *row;
        CurveFileRow {
            family,
            method,
            seed: experiment.resolved.seed,
            iteration,
            games,
            score: score.map(|estimate| short(estimate.score)),
            low: score.map(|estimate| short(estimate.interval[0])),
            high: score.map(|estimate| short(estimate.interval[1])),
            pairs: score.map(|estimate| estimate.pairs),
            sigma: sigma.map(short),
            decisions: decisions.map(|[all, _]| all),
            accepted: decisions.map(|[_, accepted]| accepted),
        }
    }

    fn curve_row(&self) -> CurveRow {
        let estimate = || {
            let interval = [self.low?, self.high?];
            let (score, pairs) = (self.score?, self.pairs?);
            Some(Estimate { score, interval, confidence: CONFIDENCE, pairs })
        };
        let decisions = || Some([self.decisions?, self.accepted?]);
        CurveRow {
            iteration: self.iteration,
            games: self.games,
            score: estimate(),
            sigma: self.sigma,
            decisions: decisions(),
        }
    }
}

/// Rounds a number to [`DIGITS`].
fn short(number: f64) -> f64 {
    format!("{number:.*e}", DIGITS - 1).parse().unwrap_or(number)
}

/// Returns the last row and the rows with a new incumbent; if there are more than [`MAX_POINTS`] of these, only
/// [`MAX_POINTS`] of them, evenly spaced.
fn thinned(rows: &[CurveRow]) -> Vec<CurveRow> {
    let scored: Vec<CurveRow> = rows.iter().filter(|row| row.score.is_some()).copied().collect();
    let mut kept = match scored.len() {
        num if num <= MAX_POINTS => scored,
        num => (0..MAX_POINTS).map(|k| scored[k * (num - 1) / (MAX_POINTS - 1)]).collect(),
    };
    if let Some(last) = rows.last()
        && kept.last() != Some(last)
    {
        kept.push(*last);
    }
    kept
}

/// Returns a run's rows as they are written to the file. Numbers are rounded even before publication, so that
/// publication does not change results.
pub(super) fn written(experiment: &Experiment, rows: &[CurveRow]) -> Vec<CurveRow> {
    thinned(rows).iter().map(|row| CurveFileRow::new(experiment, row).curve_row()).collect()
}

pub(super) fn text(finished: &[(&Experiment, Vec<CurveRow>)]) -> String {
    let rows = finished.iter().flat_map(|(experiment, rows)| {
        thinned(rows).into_iter().map(|row| CurveFileRow::new(experiment, &row))
    });
    csv_of(rows)
}

/// Reads the curves of a published experiment by the names of the runs. The result is empty if there is no file.
pub(super) fn read(path: &Path, plan: &Plan) -> Result<BTreeMap<String, Vec<CurveRow>>> {
    let path = path.join(CURVES);
    let rows: Vec<CurveFileRow> = rows_of(&path)?.unwrap_or_default();
    let rows = by_run(&path, plan, rows, |row| (&row.family, &row.method, row.seed))?;
    let mut curves: BTreeMap<String, Vec<CurveRow>> = BTreeMap::new();
    for (experiment, row) in rows {
        curves.entry(experiment.run_name()).or_default().push(row.curve_row());
    }
    Ok(curves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(iteration: u64, score: f64) -> CurveRow {
        let interval = [score - 0.01, score + 0.01];
        let estimate = Estimate { score, interval, confidence: CONFIDENCE, pairs: 1000 };
        CurveRow {
            iteration,
            games: 10 * iteration,
            score: Some(estimate),
            sigma: None,
            decisions: Some([iteration, iteration]),
        }
    }

    #[test]
    fn a_curve_keeps_its_ends_and_is_not_thinned_twice() {
        let silent = |iteration| CurveRow { score: None, ..scored(iteration, 0.5) };
        let few = [scored(0, 0.5), silent(1), scored(2, 0.6), silent(3), silent(4)];
        assert_eq!(thinned(&few), [scored(0, 0.5), scored(2, 0.6), silent(4)]);
        let many: Vec<CurveRow> = (0..1000).map(|k| scored(k, k as f64 / 1e3)).collect();
        let kept = thinned(&many);
        // Between the first and the last row, the kept rows are 999 / 29 = 34.4 iterations apart.
        let iterations: Vec<u64> = kept.iter().map(|row| row.iteration).collect();
        assert_eq!(
            (iterations.len(), &iterations[..3], iterations[29]),
            (30, &[0, 34, 68][..], 999)
        );
        assert_eq!(thinned(&kept), kept);
        assert_eq!(thinned(&[]), []);
    }

    #[test]
    fn numbers_are_cut_once() {
        assert_eq!(short(0.457_727_744_191_787_74), 0.457_73);
        assert_eq!(short(1e-9 / 3.0), 3.333_3e-10);
        for number in [0.0, 1.0, 0.5, -2.25e17, short(1.0 / 3.0)] {
            assert_eq!(short(number), number);
        }
    }

    #[test]
    fn decisions_are_counted_in_histories_without_gaps() {
        let text = "iteration,sigma,accepted,reason,games,baseline-score,baseline-low,baseline-high,\
                    baseline-pairs\n0,,,,0,0.5,0.4,0.6,10\n1,,1,better,8,0.6,0.5,0.7,10\n2,,0,worse,20,,,,\n";
        let history: Vec<HistoryRow> = csv::Reader::from_reader(text.as_bytes())
            .deserialize()
            .collect::<Result<_, _>>()
            .expect("a history");
        let decisions = |history: &[HistoryRow]| -> Vec<_> {
            curve_of(history).iter().map(|row| row.decisions).collect()
        };
        assert_eq!(decisions(&history), [Some([0, 0]), Some([1, 1]), Some([2, 1])]);
        assert_eq!(decisions(&[history[0], history[2]]), [None, None]);
    }
}
