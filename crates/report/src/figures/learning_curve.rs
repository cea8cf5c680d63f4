//! Learning curves of the runs of one family, by method.

use std::collections::BTreeSet;
use std::ops::Range;

use ruse_lab::{CurvePoint as ScoredIncumbent, CurveRow, read_curve_rows};
use ruse_play::score::Estimate;
use ruse_plots::{Acceptance, CurvePoint, LearningCurves, MethodCurves, RunCurve};

use super::{
    Run, comparisons_of, first_of_one_family, grouped_by, methods_of, opponent_of, pairs_range,
    seeds_of,
};
use crate::{MeanScore, ReportError};

/// The number of steps of the line of a mean over runs, evenly spaced on a logarithmic axis. They are smaller than
/// print can show.
const GRID_STEPS: usize = 300;
/// The number of parts of the axis for which the share of accepted candidates is computed.
const ACCEPTANCE_BINS: usize = 14;
/// The minimum number of decisions for a share of accepted candidates.
const MIN_DECISIONS: u64 = 10;

/// The minimum number of runs whose band shows the interval of the mean. With fewer runs, this interval says little,
/// because Student's distribution has heavy tails; the band then reaches from the lowest run to the highest.
const MIN_RUNS_OF_INTERVAL: usize = 5;

/// Returns the learning curves of the runs of one family, with one line per method, in the order of their first runs.
///
/// The mean over runs averages their last known scores on a common grid. The band around the mean is its interval,
/// which includes the noise of learning and of playing. With fewer than five runs, the band reaches from the lowest run
/// to the highest. With only one run, the band includes only the noise of playing. The caption explains the bands.
///
/// # Errors
///
/// Returns an error if there are no runs, if they belong to several families, or if a history cannot be read.
pub fn learning_curves(runs: &[Run<'_>]) -> Result<LearningCurves, ReportError> {
    let first = first_of_one_family(runs)?;
    let mut methods = Vec::new();
    for (name, runs) in grouped_by(runs, Run::method) {
        let curves = runs.iter().map(|run| read_curve_rows(run.directory, run.experiment));
        methods.push(method_curves(name, &curves.collect::<Result<Vec<_>, _>>()?));
    }
    let pairs = pairs_range(runs.iter().map(|run| run.experiment.monitor_pairs));
    let what = what_is_shown(&methods);
    Ok(LearningCurves {
        title: format!("{}: score of the incumbent against {}", first.family(), opponent_of(runs)),
        caption: format!(
            "{}{}, {}; {pairs} a point; {what}.",
            methods_of(runs),
            comparisons_of(runs),
            seeds_of(runs)
        ),
        methods,
        has_all_panels: false,
    })
}

fn what_is_shown(methods: &[MethodCurves]) -> String {
    let sizes: BTreeSet<usize> = methods.iter().map(|method| method.runs.len()).collect();
    let bands = match methods.len() > ruse_plots::MAX_BANDS {
        true => "bars at the ends of the lines",
        false => "bands",
    };
    let has = |range: Range<usize>| sizes.range(range).next().is_some();
    let (few, many) = (has(2..MIN_RUNS_OF_INTERVAL), has(MIN_RUNS_OF_INTERVAL..usize::MAX));
    let of_mean = "95% intervals of the mean (Student)";
    let span = "reach from the lowest run to the highest";
    let of_playing = "95% intervals of playing, not of learning";
    let lines = if methods.len() == 1 {
        "the thick line is their mean"
    } else {
        "lines are means over runs"
    };
    match (has(0..2), few, many) {
        (_, false, false) => format!("{bands}: {of_playing}"),
        (false, true, false) => format!("{lines}; {bands} {span}"),
        (false, false, true) => format!("{lines}; {bands}: {of_mean}"),
        (_, true, false) => {
            format!("{lines}; {bands} {span}, or for a single run are {of_playing}")
        }
        (_, false, true) => format!("{lines}; {bands}: {of_mean}; for a single run {of_playing}"),
        (_, true, true) => {
            format!(
                "{lines}; {bands}: {of_mean}; of fewer than {MIN_RUNS_OF_INTERVAL} runs they {span}"
            )
        }
    }
}

fn method_curves(name: &str, curves: &[Vec<CurveRow>]) -> MethodCurves {
    let scores: Vec<Vec<ScoredIncumbent>> =
        curves.iter().map(|curve| curve.iter().filter_map(CurveRow::point).collect()).collect();
    let last = curves.iter().filter_map(|curve| curve.last()).map(|row| row.games).max();
    MethodCurves {
        name: name.into(),
        runs: curves.iter().map(|curve| run_curve(curve)).collect(),
        mean: mean_curve(&scores, last.unwrap_or(0) as f64),
        acceptance: acceptance(curves),
    }
}

fn run_curve(curve: &[CurveRow]) -> RunCurve {
    let points = curve.iter().filter_map(CurveRow::point).map(|point| CurvePoint {
        games: point.games as f64,
        score: point.estimate.score,
        interval: point.estimate.interval,
    });
    let sigma = curve.iter().filter_map(|row| Some((row.games as f64, row.sigma?)));
    RunCurve {
        points: points.collect(),
        games: curve.last().map_or(0.0, |row| row.games as f64),
        sigma: sigma.collect(),
    }
}

/// Returns the last known score after `games` games.
fn score_at(scores: &[ScoredIncumbent], games: f64) -> Option<Estimate> {
    let num_known = scores.partition_point(|scored| scored.games as f64 <= games);
    num_known.checked_sub(1).map(|last| scores[last].estimate)
}

/// Returns numbers of games from `first` to `last`, evenly spaced on a logarithmic axis.
fn grid(first: f64, last: f64, num: usize) -> Vec<f64> {
    let (first, last) = (first.max(1.0), last.max(1.0));
    let step = |k: usize| first * libm::pow(last / first, k as f64 / num as f64);
    (0..=num).map(step).collect()
}

/// Returns the mean over runs, at the numbers of games up to `last` at which every run has a score. The result is empty
/// for fewer than two runs.
fn mean_curve(runs: &[Vec<ScoredIncumbent>], last: f64) -> Vec<CurvePoint> {
    if runs.len() < 2 {
        return Vec::new();
    }
    let first = runs.iter().flatten().map(|scored| scored.games).filter(|&games| games > 0).min();
    let first = first.map_or(last, |first| first as f64);
    let mut mean: Vec<CurvePoint> = Vec::new();
    for games in [0.0].into_iter().chain(grid(first, last, GRID_STEPS)) {
        let scores: Option<Vec<Estimate>> =
            runs.iter().map(|scores| score_at(scores, games)).collect();
        let Some(scores) = scores else { continue };
        let Some(MeanScore { score, mut interval, .. }) = MeanScore::over_runs(&scores) else {
            continue;
        };
        if runs.len() < MIN_RUNS_OF_INTERVAL {
            let each = || scores.iter().map(|estimate| estimate.score);
            interval = [each().fold(1.0, f64::min), each().fold(0.0, f64::max)];
        }
        // A point is added only if the mean or its band has changed.
        if mean.last().is_none_or(|last| (last.score, last.interval) != (score, interval)) {
            mean.push(CurvePoint { games, score, interval });
        }
    }
    mean
}

/// Returns the numbers of games at rows with new candidates, each with the numbers of candidates rejected and accepted
/// since the previous row.
fn decisions(curve: &[CurveRow]) -> impl Iterator<Item = (f64, [u64; 2])> {
    let before = std::iter::once(Some([0, 0])).chain(curve.iter().map(|row| row.decisions));
    curve.iter().zip(before).filter_map(|(row, before)| {
        let ([all, accepted], [all_before, accepted_before]) = (row.decisions?, before?);
        let yes = accepted.checked_sub(accepted_before)?;
        let no = all.checked_sub(all_before)?.checked_sub(yes)?;
        (row.games > 0 && yes + no > 0).then_some((row.games as f64, [no, yes]))
    })
}

/// Returns the share of accepted candidates in equal parts of the logarithmic axis.
fn acceptance(curves: &[Vec<CurveRow>]) -> Vec<Acceptance> {
    let decisions = || curves.iter().flat_map(|curve| decisions(curve));
    let first = decisions().map(|(games, _)| games).fold(f64::INFINITY, f64::min);
    let last = decisions().map(|(games, _)| games).fold(0.0, f64::max);
    if last <= 0.0 {
        return Vec::new();
    }
    let edges = grid(first, last, ACCEPTANCE_BINS);
    let mut counts = [[0u64; 2]; ACCEPTANCE_BINS];
    for (games, [no, yes]) in decisions() {
        let bin = edges.partition_point(|&edge| edge <= games).clamp(1, ACCEPTANCE_BINS) - 1;
        counts[bin][0] += no;
        counts[bin][1] += yes;
    }
    // A few decisions say nothing, so parts are joined until they have enough.
    let mut bins: Vec<(f64, f64, [u64; 2])> = Vec::new();
    let is_small = |counts: [u64; 2]| counts[0] + counts[1] < MIN_DECISIONS;
    for (edges, [no, yes]) in edges.windows(2).zip(counts) {
        match bins.last_mut().filter(|(.., sums)| is_small(*sums)) {
            Some((_, to, sums)) => (*to, *sums) = (edges[1], [sums[0] + no, sums[1] + yes]),
            None => bins.push((edges[0], edges[1], [no, yes])),
        }
    }
    if let Some((_, to, sums)) = bins.pop_if(|(.., sums)| is_small(*sums)) {
        match bins.last_mut() {
            Some(last) => *last = (last.0, to, [last.2[0] + sums[0], last.2[1] + sums[1]]),
            None => bins.push((first, to, sums)),
        }
    }
    let share = |[no, yes]: [u64; 2]| yes as f64 / (no + yes) as f64;
    bins.into_iter().map(|(from, to, n)| Acceptance { from, to, share: share(n) }).collect()
}

#[cfg(test)]
mod tests {
    use ruse_play::score::CONFIDENCE;

    use super::*;

    fn run(points: &[(u64, f64)]) -> Vec<ScoredIncumbent> {
        let interval = |score: f64| [score - 0.01, score + 0.01];
        let scored = |&(games, score): &(u64, f64)| {
            let estimate =
                Estimate { score, interval: interval(score), confidence: CONFIDENCE, pairs: 1000 };
            ScoredIncumbent { games, estimate }
        };
        points.iter().map(scored).collect()
    }

    #[test]
    fn means_are_of_the_last_known_scores() {
        let runs = [run(&[(0, 0.4), (100, 0.6)]), run(&[(0, 0.5), (5000, 0.7)])];
        let mean = mean_curve(&runs, 1e4);
        let scores: Vec<f64> = mean.iter().map(|point| (point.score * 1e9).round() / 1e9).collect();
        // (.4 + .5) / 2, (.6 + .5) / 2, (.6 + .7) / 2.
        assert_eq!(scores, [0.45, 0.55, 0.65]);
        assert_eq!((mean[0].games, mean[1].games), (0.0, 100.0));
        // The band reaches from the lower run to the higher one.
        assert_eq!(mean[1].interval, [0.5, 0.6]);
        // Student's interval of five runs is .5 -+ 2.776 sqrt(.001 / 5); the noise of playing widens it.
        let five = [0.46, 0.48, 0.5, 0.52, 0.54].map(|score| run(&[(0, score)]));
        let [low, high] = mean_curve(&five, 0.0)[0].interval;
        assert!(low < 0.4609 && high > 0.5391 && low > 0.4, "{low} {high}");
        // This is the first point of the grid, 100 x 100^(k / 300), after 5000.
        assert!((5000.0..5080.0).contains(&mean[2].games), "{}", mean[2].games);
        assert!(mean_curve(&runs[..1], 1e4).is_empty());
        assert!(mean_curve(&[run(&[]), run(&[])], 0.0).is_empty());
        assert_eq!(mean_curve(&[run(&[(0, 0.5)]), run(&[(0, 0.5)])], 0.0).len(), 1);
    }

    #[test]
    fn shares_of_acceptance_are_of_ten_decisions_at_least() {
        let row = |games: u64, decisions: [u64; 2]| CurveRow {
            iteration: 1,
            games,
            score: None,
            sigma: None,
            decisions: Some(decisions),
        };
        // The first eight of 25 decisions are accepted.
        let curve: Vec<CurveRow> = (1..=25).map(|k| row(100 * k, [k, k.min(8)])).collect();
        let bins = acceptance(&[curve]);
        // The part of the axis up to 100 x 25^(10 / 14) = 996 has nine decisions. It is joined with the next part, up
        // to 1254, with the decisions 10 to 12. The other 13 candidates were refused.
        assert_eq!(bins.len(), 2, "{bins:?}");
        assert!((bins[0].share - 8.0 / 12.0).abs() < 1e-12, "{bins:?}");
        assert_eq!((bins[1].share, bins[0].to), (0.0, bins[1].from));
        assert!((bins[1].to - 2500.0).abs() < 1e-6);
        assert!(acceptance(&[Vec::new()]).is_empty());
        let few = acceptance(&[vec![row(5, [1, 1]), row(50, [2, 1])]]);
        assert_eq!((few.len(), few[0].share), (1, 0.5));
        assert_eq!(acceptance(&[vec![row(5, [1, 1])]])[0].share, 1.0);
    }
}
