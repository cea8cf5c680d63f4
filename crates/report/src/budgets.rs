//! The scores of one method by budget.

use ruse_lab::{BudgetsPlan, RecordError, Records};
use ruse_play::score::{CONFIDENCE, Estimate};
use serde::Serialize;
use serde_json::json;

use super::format::{Grid, Table, Tables, Text, grouped};
use super::repeats::MeanScore;
use super::scores::runs_of;
use super::words::{STUDENT, how_scored, intervals, note_on_unseen, note_on_withheld};

/// The scores of runs with one budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BudgetScore {
    /// The number of games in comparisons that each run may play.
    pub budget: u64,
    /// The mean number of games that the runs played.
    pub games: f64,
    /// The mean score over the runs.
    #[serde(flatten)]
    pub mean: MeanScore,
    /// The scores of the runs, by seed.
    #[serde(skip)]
    pub runs: Vec<f64>,
    /// The number of runs.
    pub num_runs: usize,
}

/// The results of a curve of budgets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BudgetReport {
    /// The family.
    pub family: String,
    /// The method.
    pub method: String,
    /// The scores of the budgets with finished runs, in ascending order.
    pub scores: Vec<BudgetScore>,
}

impl BudgetReport {
    /// The names of the tables.
    pub const TABLES: [&'static str; 1] = ["budgets"];

    /// Computes the mean score of each budget.
    ///
    /// # Errors
    ///
    /// Returns an error if the records are invalid: see [`Records::check`].
    pub fn new(plan: &BudgetsPlan, records: &Records) -> Result<BudgetReport, RecordError> {
        records.check()?;
        let score = |(budget, label): &(u64, String)| {
            let runs = runs_of(records, &plan.family, label);
            let scores: Vec<Estimate> = runs.iter().map(|run| run.score).collect();
            let games: u64 = runs.iter().map(|run| run.games).sum();
            Some(BudgetScore {
                budget: *budget,
                games: games as f64 / runs.len() as f64,
                mean: MeanScore::over_runs(&scores)?,
                runs: scores.iter().map(|score| score.score).collect(),
                num_runs: runs.len(),
            })
        };
        Ok(BudgetReport {
            family: plan.family.clone(),
            method: plan.method.clone(),
            scores: plan.budgets.iter().filter_map(score).collect(),
        })
    }

    /// Returns the table of scores by budget.
    pub fn tables(&self) -> Tables {
        let head =
            json!({ "family": self.family, "method": self.method, "confidence": CONFIDENCE });
        let means = || self.scores.iter().map(|score| &score.mean);
        let (intervals, _) = intervals(means(), STUDENT);
        let how = how_scored(self.scores.iter().map(|score| (&score.mean, score.num_runs)));
        let grid = Grid::of(&self.scores)
            .data("family", |_| &self.family)
            .data("method", |_| &self.method)
            .key("budget", |score| score.budget)
            .text("score", |score| Text::mean(&score.mean, ""))
            .mean("score", |score| Some(score.mean))
            .both("runs", |score| score.num_runs)
            .text("games of a run", |score| grouped(score.games.round() as u64))
            .data("games", |score| score.games);
        let named =
            self.scores.iter().map(|score| (grouped(score.budget), &score.mean, &score.runs[..]));
        let unseen = note_on_unseen(self.scores.iter().map(|score| score.num_runs));
        let table = Table {
            caption: format!(
                "Score of the champions of {} on {}, by the games that a run may play in comparisons: the mean over runs, \
                 each scored {how}, {intervals}. Runs of one seed may begin alike, so the budgets are not independent.",
                self.method, self.family,
            ),
            short: format!("{}: {} by budget, 95% intervals.", self.family, self.method),
            notes: note_on_withheld(named).into_iter().chain(unseen).collect(),
            absent: self.scores.is_empty().then_some("No run is finished."),
            ..Table::new("budgets", format!("{}: {} by budget", self.family, self.method), grid)
        };
        Tables::new(head, vec![table])
    }

    /// Returns the curve of the scores by budget; `None` for fewer than two scores.
    #[cfg(feature = "figures")]
    pub fn curve(&self) -> Option<ruse_plots::RateCurves> {
        use ruse_plots::{CurveKind, RateCurves, RateLine, RatePanel, RatePoint};
        let point = |score: &BudgetScore| RatePoint {
            x: score.budget as f64,
            rate: score.mean.score,
            interval: score.mean.interval,
        };
        let line = RateLine { points: self.scores.iter().map(point).collect(), level: None };
        let panel = RatePanel { title: self.family.clone(), lines: vec![line] };
        let runs = self.scores.iter().map(|score| score.num_runs).min()?;
        (self.scores.len() > 1).then(|| RateCurves {
            title: format!("{}: {} by budget", self.family, self.method),
            caption: format!(
                "Means over {} or more, with 95% intervals of learning and playing.",
                super::counted(runs as u64, "run")
            ),
            x_title: "games of a run in comparisons".into(),
            kind: CurveKind::Rates,
            names: vec![self.method.clone()],
            panels: vec![panel],
        })
    }
}

#[cfg(test)]
mod tests {
    use ruse_lab::fixtures::run;

    use super::*;
    use crate::tests::records_of;
    use crate::{Format, Options};

    fn report() -> BudgetReport {
        let budgets = [500, 1000, 2000];
        let label = |budget: &u64| (*budget, format!("naive-{budget}"));
        let plan = BudgetsPlan {
            family: "pig".into(),
            method: "naive".into(),
            budgets: budgets.iter().map(label).collect(),
            num_repeats: 3,
            outputs: Vec::new(),
        };
        let of = |(label, scores): (&'static str, [f64; 3])| {
            (1..).zip(scores).map(move |(seed, score)| run("pig", label, seed, score))
        };
        let runs = [("naive-1000", [0.6, 0.7, 0.8]), ("naive-500", [0.5, 0.5, 0.53])];
        let runs = runs.into_iter().flat_map(of).collect();
        let methods = ["naive-500", "naive-1000", "naive-2000"];
        let records = Records { runs, ..records_of(&["pig"], &methods) };
        BudgetReport::new(&plan, &records).expect("valid")
    }

    /// By hand: the mean of .6, .7 and .8 is .7, with a standard error of .1 / sqrt(3) = .0577. Student's quantile with
    /// two degrees of freedom is 4.303, so the half-width is .248. The budget of 2000 has no runs yet.
    #[test]
    fn budgets_have_means() {
        let report = report();
        let budgets: Vec<u64> = report.scores.iter().map(|score| score.budget).collect();
        assert_eq!(budgets, [500, 1000]);
        let [low, high] = report.scores[1].mean.interval;
        assert!((low - 0.452).abs() < 0.002 && (high - 0.948).abs() < 0.002, "{low} {high}");
        let tables = report.tables();
        let options = Options::default();
        let text = tables.render(Format::Markdown, &options);
        assert!(text.contains("| 1,000 | .700 ± .248 | 3 | 1,000 |"), "{text}");
        let csv = tables.render(Format::Csv, &options);
        assert!(csv.starts_with("family,method,budget,score,low,high,"), "{csv}");
        assert!(csv.contains("\npig,naive,1000,0.6999"), "{csv}");
        assert_eq!(tables.all_ids(), BudgetReport::TABLES);
    }

    #[cfg(feature = "figures")]
    #[test]
    fn the_curve_has_a_point_for_each_budget() {
        let curve = report().curve().expect("two budgets");
        let points = &curve.panels[0].lines[0].points;
        let xs: Vec<f64> = points.iter().map(|point| point.x).collect();
        assert_eq!(xs, [500.0, 1000.0]);
        assert!((points[1].rate - 0.7).abs() < 1e-12);
    }
}
