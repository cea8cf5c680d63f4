//! The speed of learning: the number of games that runs need to reach targets.
//!
//! As in N. Hansen, A. Auger, R. Ros, O. Mersmann, T. Tušar and D. Brockhoff, *COCO: a platform for comparing
//! continuous optimizers in a black-box setting*, Optimization Methods and Software 36, 2021: a target is a score,
//! which a run reaches when its incumbent first scores at least as much. Each run is paired with each target. The share
//! of pairs in which the target is reached, by the number of games, is an empirical distribution. The expected number
//! of games for a target is the sum of the games of all runs until they reached it or ended, divided by the number of
//! runs that reached it.
//!
//! Deviations: COCO has targets below a known optimum. Here targets are spread evenly from the lowest score at the
//! start of a run to the highest score seen in the family, so they depend on the compared methods. Scores are measured
//! on some pairs, and the highest of several noisy points is biased upwards. Only the recorded points of a run are
//! used, at most thirty.

use ruse_lab::{CurveRecord, Records, YardstickKind};
use serde::Serialize;
use serde_json::json;

use super::format::{Grid, Mark, Table, Text, score, short};
use super::yardsticks::YardstickTable;

/// The tolerance for rounding: sums of the same numbers in different orders may differ.
const ROUNDING: f64 = 1e-9;
/// The number of targets of each family in the distribution.
pub const NUM_TARGETS: usize = 20;

/// The results of a method's runs for one target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TargetCell {
    /// The number of runs.
    pub num_runs: usize,
    /// The number of runs that reached the target.
    pub num_reached: usize,
    /// The sum of the games of all runs until they reached the target or ended, divided by the number of runs that
    /// reached it; `None` if none did.
    pub expected_games: Option<f64>,
}

/// A target of a family, with the results of the methods.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetRow {
    /// The family.
    pub family: String,
    /// The name of the target.
    pub name: String,
    /// The score to reach.
    pub target: f64,
    /// The results, by method; `None` for a method without learning curves.
    pub cells: Vec<Option<TargetCell>>,
}

/// The share of reached targets, by the number of games, over all families and all runs of one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetCurve {
    /// The method.
    pub method: String,
    /// The number of runs times the number of targets.
    pub num_all: usize,
    /// The steps of the distribution, by increasing number of games. Each is a number of games, and the share of pairs
    /// reached by then.
    pub steps: Vec<(u64, f64)>,
}

/// The targets of a comparison, and the numbers of games that runs need to reach them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetTable {
    /// The methods.
    pub methods: Vec<String>,
    /// The families with a known target: the best reference player's score, or a given score.
    pub rows: Vec<TargetRow>,
    /// The distribution of each method with learning curves, over the families with curves of all these methods.
    pub curves: Vec<TargetCurve>,
    /// The families that the distributions cover.
    pub families: Vec<String>,
}

/// Returns the number of games after which a run first scores at least `target`, up to rounding; `None` if it never
/// does.
fn games_to(curve: &CurveRecord, target: f64) -> Option<u64> {
    curve.points.iter().find(|(_, score)| *score >= target - ROUNDING).map(|&(games, _)| games)
}

impl TargetTable {
    /// Builds the table from checked records. The target of all families is `given`, in [0, 1], or else the score of
    /// each family's best yardstick.
    pub(super) fn new(
        records: &Records,
        yardsticks: &YardstickTable,
        given: Option<f64>,
    ) -> TargetTable {
        let rows = records.families.iter().filter_map(|family| {
            let (name, target) = match given {
                Some(target) => ("given".to_string(), target),
                None => best_yardstick(yardsticks, family)?,
            };
            let cell = |method: &String| target_cell(&curves_of(records, family, method), target);
            let cells = records.methods.iter().map(cell).collect();
            let row = TargetRow { family: family.clone(), name, target, cells };
            row.cells.iter().any(Option::is_some).then_some(row)
        });
        let rows = rows.collect();
        let has_curve = |method: &&String| records.curves.iter().any(|c| c.method == **method);
        let with_curves: Vec<&String> = records.methods.iter().filter(has_curve).collect();
        let has_all = |family: &&String| {
            let mut methods = with_curves.iter();
            !with_curves.is_empty()
                && methods.all(|method| !curves_of(records, family, method).is_empty())
        };
        let families: Vec<&String> = records.families.iter().filter(has_all).collect();
        let curves =
            with_curves.iter().filter_map(|method| distribution(records, &families, method));
        TargetTable {
            methods: records.methods.clone(),
            rows,
            curves: curves.collect(),
            families: families.into_iter().cloned().collect(),
        }
    }

    pub(super) fn table(&self) -> Table {
        let games =
            |cell: &TargetCell| cell.expected_games.filter(|_| cell.num_reached == cell.num_runs);
        let text = |row: &TargetRow, cell: &TargetCell| {
            let cells = row.cells.iter().flatten();
            let fastest = cells.filter_map(games).fold(f64::INFINITY, f64::min);
            let of = match cell.num_reached == cell.num_runs {
                true => String::new(),
                false => format!(" ({} of {})", cell.num_reached, cell.num_runs),
            };
            let figure = match cell.expected_games {
                None => "not reached".into(),
                Some(games) => format!("{}{of}", short(games.round() as u64)),
            };
            let is_fastest = games(cell).is_some_and(|games| games <= fastest);
            Text::plain(figure).marked(Mark::of(is_fastest, false))
        };
        let rows = self.rows.iter().flat_map(|row| {
            self.methods.iter().zip(&row.cells).map(move |(method, cell)| (row, method, cell))
        });
        let rows: Vec<(&TargetRow, &String, &Option<TargetCell>)> = rows.collect();
        let grid = Grid::of(&rows)
            .key("family", |row| row.0.family.clone())
            .text("score to reach", |(row, ..)| format!("{} {}", score(row.target, 3), row.name))
            .data("target", |row| row.0.name.clone())
            .data("score", |row| row.0.target)
            .across(self.methods.len(), "method", |row| row.1)
            .figure(|(row, _, cell)| cell.as_ref().map(|cell| text(row, cell)))
            .data("runs", |row| Some(row.2.as_ref()?.num_runs))
            .data("runs-that-reach-it", |row| Some(row.2.as_ref()?.num_reached))
            .data("expected-games", |row| row.2.as_ref()?.expected_games)
            .data_if(|row| row.2.is_some());
        let absent = "There is no score to reach: `ruse table DIR --measure` scores the reference players, \
                      and --target gives a score.";
        Table {
            caption: "Expected games until a run is first seen to score as much against the baseline as the best \
                      reference player, or the score given: the games of all runs until they reached it or ended, divided by \
                      the number of runs that reached it (in brackets, if not all did)."
                .into(),
            short: "Expected games until a run reaches a score (runs that reach it); bold: fewest.".into(),
            legend: [Some("the fewest of the methods all of whose runs reach it".into()), None],
            notes: vec![
                "By the points of learning curves, which are measured on few games, so that a target may seem to be reached too \
                 early; a run may also fall below it again. Few runs tell methods apart only if they differ much."
                    .into(),
            ],
            absent: self.rows.is_empty().then_some(absent),
            results: Some(json!(self)),
            ..Table::new("targets", "Games to reach a score", grid)
        }
    }
}

/// Returns the learning curves of a method in a family, ordered by seed, without empty curves.
fn curves_of<'r>(records: &'r Records, family: &str, method: &str) -> Vec<&'r CurveRecord> {
    let is_of = |curve: &&CurveRecord| {
        curve.family == family && curve.method == method && !curve.points.is_empty()
    };
    let mut curves: Vec<&CurveRecord> = records.curves.iter().filter(is_of).collect();
    curves.sort_unstable_by_key(|curve| curve.seed);
    curves
}

fn best_yardstick(yardsticks: &YardstickTable, family: &str) -> Option<(String, f64)> {
    let row = yardsticks.rows.iter().find(|row| row.family == family)?;
    let not_learned =
        row.yardsticks.iter().filter(|yardstick| yardstick.kind != YardstickKind::Optimum);
    let best = not_learned.rev().max_by(|x, y| x.mean.score.total_cmp(&y.mean.score))?;
    Some((best.name.clone(), best.mean.score))
}

fn target_cell(curves: &[&CurveRecord], target: f64) -> Option<TargetCell> {
    if curves.is_empty() {
        return None;
    }
    let reached = |curve: &&&CurveRecord| games_to(curve, target).is_some();
    let num_reached = curves.iter().filter(reached).count();
    let all: u64 = curves.iter().map(|of| games_to(of, target).unwrap_or(of.games)).sum();
    let expected_games = (num_reached > 0).then(|| all as f64 / num_reached as f64);
    Some(TargetCell { num_runs: curves.len(), num_reached, expected_games })
}

/// Returns the evenly spaced targets of a family. The first is one step above the lowest score at the start of a curve;
/// the last is the highest score of all curves.
fn targets_of(records: &Records, family: &str) -> Vec<f64> {
    let curves = records.curves.iter().filter(|curve| curve.family == family);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for curve in curves {
        low = curve.points.first().map_or(low, |&(_, first)| low.min(first));
        high = curve.points.iter().fold(high, |high, &(_, score)| high.max(score));
    }
    let step = (high - low) / NUM_TARGETS as f64;
    (1..=NUM_TARGETS).map(|k| low + step * k as f64).map(|target| target.min(high)).collect()
}

fn distribution(records: &Records, families: &[&String], method: &str) -> Option<TargetCurve> {
    let mut reached: Vec<u64> = Vec::new();
    let mut num_all = 0;
    for family in families {
        let targets = targets_of(records, family);
        for curve in curves_of(records, family, method) {
            num_all += targets.len();
            reached.extend(targets.iter().filter_map(|&target| games_to(curve, target)));
        }
    }
    if num_all == 0 {
        return None;
    }
    reached.sort_unstable();
    let mut steps: Vec<(u64, f64)> = Vec::new();
    for (count, games) in (1..).zip(reached) {
        let share = count as f64 / num_all as f64;
        match steps.last_mut().filter(|(last, _)| *last == games) {
            Some((_, last)) => *last = share,
            None => steps.push((games, share)),
        }
    }
    Some(TargetCurve { method: method.into(), num_all, steps })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::records_of;

    fn curve(method: &str, seed: u64, points: &[(u64, f64)], games: u64) -> CurveRecord {
        let (family, method) = ("war".into(), method.into());
        CurveRecord { family, method, seed, points: points.to_vec(), games }
    }

    fn records() -> Records {
        let curves = vec![
            curve("naive", 1, &[(0, 0.4), (100, 0.6), (200, 0.5), (300, 0.8)], 1000),
            curve("naive", 2, &[(0, 0.5), (400, 0.6)], 1000),
            curve("seeds", 1, &[(50, 0.55)], 500),
        ];
        Records { curves, ..records_of(&["war", "pig"], &["naive", "seeds", "cma-es"]) }
    }

    fn table(records: &Records, given: Option<f64>) -> TargetTable {
        let unknown =
            YardstickTable { methods: Vec::new(), rows: Vec::new(), unknown_families: Vec::new() };
        TargetTable::new(records, &unknown, given)
    }

    #[test]
    fn expected_games_count_those_of_runs_that_failed() {
        let found = table(&records(), Some(0.6));
        let [row] = &found.rows[..] else { panic!("one family with curves") };
        let [naive, seeds, none] = row.cells[..] else { panic!("three methods") };
        // The two runs reach the target after 100 and 400 games, together 500 games.
        let expected = TargetCell { num_runs: 2, num_reached: 2, expected_games: Some(250.0) };
        assert_eq!(naive, Some(expected));
        let expected = TargetCell { num_runs: 1, num_reached: 0, expected_games: None };
        assert_eq!((seeds, none), (Some(expected), None));
        // One run reaches .8 after 300 games; the other does not, in 1000 games.
        let naive = table(&records(), Some(0.8)).rows[0].cells[0].expect("two runs");
        assert_eq!((naive.num_reached, naive.expected_games), (1, Some(1300.0)));
        // Without yardsticks or a given score, there is no target.
        assert_eq!(table(&records(), None).rows, []);
    }

    #[test]
    fn shares_are_over_runs_and_targets() {
        // The targets are .42, .44, ... .80. The first run reaches no target at the start, ten (up to .60) after 100
        // games, and all 20 after 300 games. The second reaches five (up to .50) at the start, and ten after 400 games.
        // Together, the runs reach 5, 15, 25 and 30 of 40 targets.
        let found = table(&records(), None);
        assert_eq!(found.families, ["war"]);
        let [naive, seeds] = &found.curves[..] else { panic!("two methods with curves") };
        let steps = naive.steps.iter();
        let steps = steps.map(|&(games, share)| (games, (share * 40.0).round() as i64));
        let steps: Vec<(u64, i64)> = steps.collect();
        assert_eq!((steps, naive.num_all), (vec![(0, 5), (100, 15), (300, 25), (400, 30)], 40));
        // .55 reaches seven of the 20 targets.
        assert_eq!(seeds.steps, [(50, 7.0 / 20.0)]);
        assert_eq!(table(&Records::default(), Some(0.5)).curves, []);
    }
}
