//! The ranking of methods by the scores of any benchmark.

use ruse_lab::BenchmarkScores;
use serde::Serialize;
use serde_json::json;

use super::across::{Across, Nouns};
use super::format::{Entry, Grid, Mark, Table, Tables, Text, counted, span};
use super::leader::{Leader, MIN_FAMILIES};
use super::ranking::Ranking;
use super::repeats::{MIN_RUNS, MeanScore};
use super::scores::{ScoreCell, ScoreTable};
use super::words::listed;

/// The words of benchmarks.
const TASKS: Nouns = Nouns {
    one: "task",
    many: "tasks",
    scores: "mean scores",
    results: "is better, as good and worse; the median of its lead",
};

/// Methods, ranked by their scores on tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Benchmark {
    /// The scores that are 0 and 1 in the table.
    pub scale: [f64; 2],
    /// The scores, scaled: rows are tasks, columns methods.
    pub scores: ScoreTable,
    /// Tests over tasks; `None` for fewer than two methods, or fewer than five tasks.
    pub across: Option<Across>,
    #[serde(skip)]
    leader: Leader,
}

impl Benchmark {
    /// Ranks the methods. Intervals stay within `range`, the least and the largest possible score, if it is known.
    pub fn new(
        scores: &BenchmarkScores,
        range: Option<[f64; 2]>,
        is_less_better: bool,
    ) -> Benchmark {
        let [low, high] = range.unwrap_or_else(|| {
            let [low, high] = scores.range();
            [2.0 * low - high, 2.0 * high - low]
        });
        let scale = if is_less_better { [high, low] } else { [low, high] };
        let scores = ScoreTable::new(&scores.records(scale), None);
        let across = Across::new(&scores).map(|mut across| {
            for pair in &mut across.pairs {
                pair.median_difference *= high - low;
            }
            Across { nouns: TASKS, ..across }
        });
        let leader = Ranking::new(&scores, &[]).leader();
        Benchmark { scale, scores, across, leader }
    }

    /// Returns what the scores prove about the best method.
    pub fn verdict(&self) -> String {
        let num_tasks = self.scores.families.len();
        let over = format!("over {}", counted(num_tasks as u64, "task"));
        match &self.leader {
            Leader::TooFew if self.scores.methods.len() < 2 => "One method has no rank.".into(),
            Leader::TooFew => format!(
                "Too few tasks to name a best method: all methods have a score on fewer than {MIN_FAMILIES}."
            ),
            Leader::Tied(best) => {
                format!("{} share the lowest mean rank {over}.", listed(best, "and"))
            }
            Leader::Proven(best) => format!("{best} is best, clearly, {over}."),
            Leader::NotSignificant(best, others) => format!(
                "{best} has the lowest mean rank {over}, but not clearly: {} may be as good.",
                listed(others, "and")
            ),
        }
    }

    /// Returns the tables: the scores, and the tests over tasks.
    pub fn tables(&self) -> Tables {
        let tables = [self.scores()].into_iter().chain(self.across.as_ref().map(Across::table));
        Tables::new(json!({"verdict": self.verdict(), "scale": self.scale}), tables.collect())
    }

    /// Says what the numbers in the table are.
    pub(super) fn means(&self) -> String {
        match span(self.scores.ours().map(|cell| cell.num_runs as u64)).as_deref() {
            None | Some("1") => "One score per cell, without an interval".into(),
            Some(runs) => format!("Means of {runs} scores, with Student's 95% intervals"),
        }
    }

    /// Returns a score in its own units.
    pub(super) fn unscaled(&self, share: f64) -> f64 {
        self.scale[0] + share * (self.scale[1] - self.scale[0])
    }

    /// Formats a mean with the half-width of its interval, if it has one, or with some decimals.
    fn mean(&self, mean: &MeanScore, decimals: usize) -> String {
        let [low, high] = mean.interval.map(|bound| self.unscaled(bound));
        let (value, half_width) = (self.unscaled(mean.score), (high - low).abs() / 2.0);
        if mean.telling_spread().is_none() {
            let alone = if mean.spread.is_some() { " ?" } else { "" };
            return format!("{value:.decimals$}{alone}");
        }
        let decimals = (1.0 - libm::log10(half_width).floor()).clamp(0.0, 6.0) as usize;
        format!("{value:.decimals$} ± {half_width:.decimals$}")
    }

    fn scores(&self) -> Table {
        let rows = self.scores.named();
        let is_whole = |number: f64| (number - number.round()).abs() < 1e-6;
        let suffices = |decimals: &usize| {
            let factor = libm::pow(10.0, *decimals as f64);
            self.scores.ours().all(|cell| is_whole(self.unscaled(cell.mean.score) * factor))
        };
        let decimals = (0..4).find(suffices).unwrap_or(4);
        let is_near = |cell: &ScoreCell| cell.is_not_clearly_worse && cell.num_runs >= MIN_RUNS;
        let ours = |cell: &ScoreCell| {
            let mark = Mark::of(cell.is_best, is_near(cell));
            Text::plain(self.mean(&cell.mean, decimals)).marked(mark)
        };
        let share = |share: f64| Entry::Number(self.unscaled(share));
        // If less is better, the worst end is the higher one.
        let is_less = usize::from(self.scale[0] > self.scale[1]);
        let end = |cell: &ScoreCell, end: usize| share(cell.mean.interval[end ^ is_less]);
        let grid = Grid::of(&rows)
            .key("task", |row| row.0)
            .across(self.scores.methods.len(), "method", |row| row.1)
            .figure(|row| row.2.ours.as_ref().map(ours))
            .data("runs", |row| Some(row.2.ours.as_ref()?.num_runs))
            .data("score", |row| Some(share(row.2.ours.as_ref()?.mean.score)))
            .data("low", |row| Some(end(row.2.ours.as_ref()?, 0)))
            .data("high", |row| Some(end(row.2.ours.as_ref()?, 1)))
            .data("best", |row| Some(row.2.ours.as_ref()?.is_best))
            .data_if(|row| row.2.ours.is_some());
        let has_near = self.scores.ours().any(is_near);
        let hides = |cell: &ScoreCell| cell.num_runs > 1 && cell.mean.telling_spread().is_none();
        let hidden = "?: too few scores for an interval, or scores all alike, or in two groups.";
        let means = self.means();
        Table {
            caption: format!("{means}."),
            short: format!("{means}; bold: the best mean of the task."),
            legend: [
                Some("the best mean of the task".into()),
                has_near.then(|| "not clearly worse".into()),
            ],
            notes: self.scores.ours().any(hides).then(|| hidden.into()).into_iter().collect(),
            ..Table::new("scores", "Scores", grid)
        }
    }
}
