//! Scores of champions against the baseline, by family and method.

use ruse_plots::{
    CurveKind, FamilyScores, MethodScore, RateCurves, RateLine, RatePanel, RatePoint, ScoreDots,
};

use ruse_lab::{Product, YardstickKind};

use super::{Run, grouped_by, opponent_of, pairs_range, seeds_of};
use crate::error::Result;
use crate::{
    Benchmark, Cell, ExploitColumn, ExploitTable, MeanScore, ReportError, ScoreCell, ScoreTable,
    YardstickRow, YardstickTable,
};

/// Returns the published score of a method (second argument) in a family (first argument).
pub type PublishedScores<'a> = &'a dyn Fn(&str, &str) -> Option<f64>;

/// Returns the scores of champions against their baselines, with a row for each family. For several runs of a method,
/// the figure shows their mean with its interval. Families and methods are in the order of their first runs.
///
/// # Errors
///
/// Returns an error if there are no runs, or a strategy cannot be read.
pub fn scores(runs: &[Run<'_>], published: PublishedScores<'_>) -> Result<ScoreDots> {
    if runs.is_empty() {
        return Err(ReportError::NoRuns);
    }
    let methods: Vec<String> =
        grouped_by(runs, Run::method).into_iter().map(|(name, _)| name.to_string()).collect();
    let families = grouped_by(runs, Run::family);
    let mut pairs = Vec::new();
    let mut num_exact = 0;
    let mut panels = Vec::new();
    let mut has_repeats = false;
    for (family, runs) in &families {
        let mut scores = Vec::new();
        for method in &methods {
            let mut estimates = Vec::new();
            for run in runs.iter().filter(|run| run.method() == method) {
                estimates.extend(run.strategy()?.score());
            }
            let sampled = estimates.iter().filter(|estimate| !estimate.is_exact());
            pairs.extend(sampled.map(|estimate| estimate.pairs));
            num_exact += estimates.iter().filter(|estimate| estimate.is_exact()).count();
            has_repeats |= estimates.len() > 1;
            let score = MeanScore::over_runs(&estimates).as_ref().map(shown);
            let runs = estimates.iter().map(|estimate| estimate.score).collect();
            scores.push(MethodScore { score, runs, published: published(family, method) });
        }
        panels.push(FamilyScores { name: (*family).into(), scores, yardsticks: [None; 2] });
    }
    let title = match families.as_slice() {
        [(only, _)] => format!("{only}: score against {}", opponent_of(runs)),
        _ => format!("Score against {}", opponent_of(runs)),
    };
    let is_sampled = !pairs.is_empty();
    let sample = match (is_sampled, num_exact) {
        (true, 0) => format!("{} each", pairs_range(pairs.into_iter())),
        (true, _) => format!("{} each, or exact", pairs_range(pairs.into_iter())),
        (false, 0) => "none scored".into(),
        (false, _) => "exact scores".into(),
    };
    // An exact score has no interval. A mean of several exact scores has one, which covers the noise of learning.
    let intervals = match (has_repeats, is_sampled) {
        (true, _) => "; means and 95% intervals over runs (Student)",
        (false, true) => "; 95% intervals of playing, not of learning",
        (false, false) => "",
    };
    Ok(ScoreDots {
        title,
        caption: format!("Champions of {}, {sample}{intervals}.", seeds_of(runs)),
        middle: Some(0.5),
        methods,
        families: panels,
    })
}

/// Returns a mean with its interval. With too few runs, the interval has no width, and the figure shows the runs.
fn shown(mean: &MeanScore) -> (f64, [f64; 2]) {
    mean.withheld.map_or((mean.score, mean.interval), |_| (mean.score, [mean.score; 2]))
}

/// Returns the figure for a table of scores, with the published scores of its cells, and the best reference strategies and
/// optima that are known. `caption` names the runs.
pub fn scores_of_table(
    table: &ScoreTable,
    yardsticks: &YardstickTable,
    caption: &str,
) -> ScoreDots {
    let score = |cell: &Cell<ScoreCell>| MethodScore {
        score: cell.ours.as_ref().map(|ours| shown(&ours.mean)),
        runs: cell.ours.as_ref().map_or(Vec::new(), |ours| ours.runs.clone()),
        published: cell.published.as_ref().map(|published| published.score),
    };
    let known = |name: &str| {
        let row = yardsticks.rows.iter().find(|row| row.family == name);
        let optimum = row.and_then(|row| row.only(YardstickKind::Optimum));
        [row.and_then(YardstickRow::best_reference), optimum].map(|of| Some(of?.mean.score))
    };
    let row = |(name, cells): (&String, &Vec<Cell<ScoreCell>>)| FamilyScores {
        name: name.clone(),
        scores: cells.iter().map(score).collect(),
        yardsticks: known(name),
    };
    ScoreDots {
        title: match table.families.as_slice() {
            _ if !table.transfers.is_empty() => "Score".into(),
            [only] => format!("{only}: score against the baseline"),
            _ => "Score against the baseline".into(),
        },
        caption: caption.into(),
        middle: Some(0.5),
        methods: table.methods.clone(),
        families: table.families.iter().zip(&table.cells).map(row).collect(),
    }
}

/// Returns the figure of the scores of a benchmark, in their own units.
pub fn benchmark(of: &Benchmark) -> ScoreDots {
    let caption = format!("{}.", of.means());
    let mut figure = scores_of_table(&of.scores, &YardstickTable::default(), &caption);
    (figure.title, figure.middle) = ("Scores".into(), None);
    for score in figure.families.iter_mut().flat_map(|of| &mut of.scores) {
        let unscaled = |(mean, interval): (f64, [f64; 2])| {
            let [low, high] = interval.map(|bound| of.unscaled(bound));
            (of.unscaled(mean), [low.min(high), low.max(high)])
        };
        score.score = score.score.map(unscaled);
        score.runs.iter_mut().for_each(|run| *run = of.unscaled(*run));
    }
    figure
}

/// Returns the scores of champions over their exploitability, with a panel for each family and a point for each method, or
/// `None` if no exploitability is known. `caption` names the runs.
pub fn safety(table: &ScoreTable, found: &ExploitTable, caption: &str) -> Option<RateCurves> {
    let point = |cells: &[Cell<ScoreCell>], row: usize, method: usize| {
        let score = &cells[method].ours.as_ref()?.mean;
        let name = &table.methods[method];
        let is_method =
            |column: &ExploitColumn| column.method == *name && column.product == Product::Champion;
        let column = found.columns.iter().position(is_method)?;
        let x = found.cells[row][column].as_ref()?.mean.score;
        Some(RatePoint { x, rate: score.score, interval: score.interval })
    };
    let panel = |(row, family): (usize, &String)| {
        let cells = &table.cells[table.families.iter().position(|name| name == family)?];
        let points = (0..table.methods.len()).map(|method| point(cells, row, method));
        let line =
            |point: Option<RatePoint>| RateLine { points: Vec::from_iter(point), level: None };
        Some(RatePanel { title: family.clone(), lines: points.map(line).collect() })
    };
    let panels: Vec<_> = found.families.iter().enumerate().filter_map(panel).collect();
    (!panels.is_empty()).then(|| RateCurves {
        title: "Score and safety".into(),
        caption: caption.into(),
        x_title: "exploitability".into(),
        kind: CurveKind::LinearRates,
        names: table.methods.clone(),
        panels,
    })
}
