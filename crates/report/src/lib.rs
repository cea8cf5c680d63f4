//! Tables of an experiment: scores against the baseline, scores of methods head to head, comparisons of methods across
//! families, and the exploitability of the results.
//!
//! All tables are pure functions of [`Records`]. They can be [written in six formats](Tables::render), and may show the
//! figures of Cauwet & Teytaud (CEC 2018) beside ours. Every figure has an interval at [`CONFIDENCE`], and states the
//! noise that it covers.
//!
//! ```
//! # mod ruse { pub use {::ruse_lab as lab, ruse_play::score, ::ruse_report as report}; }
//! use ruse::lab::{Records, RunRecord};
//! use ruse::report::{Format, Options, Published, Report};
//! use ruse::score::{CONFIDENCE, Estimate};
//!
//! let run = |(seed, score)| RunRecord {
//!     family: "war".into(),
//!     method: "naive".into(),
//!     seed,
//!     games: 2_000_000,
//!     iterations: 54,
//!     score: Estimate { score, interval: [0.66, 0.68], confidence: CONFIDENCE, pairs: 20_000 },
//!     opponents: None,
//!     is_random_start: false,
//!     is_start: false,
//!     budget: Some(2_000_000),
//!     stop_reason: None,
//! };
//! let records = Records {
//!     families: vec!["war".into()],
//!     methods: vec!["naive".into()],
//!     runs: [(1, 0.670), (2, 0.672), (3, 0.668)].map(run).into(),
//!     ..Records::default()
//! };
//! let report = Report::new(&records, Some(&Published::cauwet_teytaud_2018()))?;
//! let options = Options { side_by_side: true, ..Options::default() };
//! let table = report.tables(&options).only(&["scores"]).render(Format::Markdown, &options);
//! assert!(table.contains("| war | **.670 ± .014** |\n| Cauwet & Teytaud | .632 agrees |"), "{table}");
//! # Ok::<(), ruse::lab::RecordError>(())
//! ```

#![warn(unnameable_types)]

mod ablation;
mod across;
mod benchmark;
mod budgets;
#[cfg(test)]
mod claims_tests;
mod cycles;
pub mod discovery;
mod effort;
#[cfg(feature = "figures")]
mod error;
mod exploitability;
#[cfg(feature = "figures")]
mod figure_format;
#[cfg(feature = "figures")]
pub mod figures;
mod findings;
mod format;
mod head_to_head;
mod leader;
pub mod page;
pub mod paper;
mod portfolios;
mod power;
mod published;
mod ranking;
mod references;
mod repeats;
mod round_robin;
mod scores;
mod seats;
#[cfg(feature = "figures")]
pub mod shown;
mod single_runs;
mod targets;
pub mod terminal;
#[cfg(test)]
mod tests;
mod tournament;
mod words;
mod yardsticks;

pub use ablation::AblationTable;
pub use across::{Across, MethodPair, Nouns, RankedMethod};
pub use benchmark::Benchmark;
pub use budgets::{BudgetReport, BudgetScore};
#[cfg(feature = "figures")]
pub use error::ReportError;
pub use exploitability::{ExploitCell, ExploitColumn, ExploitTable};
pub use format::{
    Column, Entry, Format, Grid, Mark, Options, Place, Table, Tables, Text, ToEntry, Visibility,
    counted, digits, grouped, score, signed,
};
pub use head_to_head::{Best, Cycles, HeadToHeadTable, MeetingCell, PublishedBest};
pub use leader::{Leader, MIN_FAMILIES, Rival};
pub use portfolios::{OverPools, PortfolioReport, PublishedPool};
pub use power::{PairPower, PowerReport};
pub use published::{
    Agreement, Agreements, Cell, NoFigure, Published, PublishedMeetings, PublishedScore, TELLING,
};
pub use ranking::{MeanRank, PublishedCount, Ranking, Standing};
pub use references::{ReferenceCell, ReferenceTable};
pub use repeats::{MIN_RUNS, MeanScore, Noise, Spread, Withheld, unseen_share};
pub use round_robin::RoundRobinReport;
pub use scores::{ScoreCell, ScoreTable, Transfer};
pub use seats::{SeatCell, SeatTable};
pub use single_runs::SingleRuns;
pub use targets::{NUM_TARGETS, TargetCell, TargetCurve, TargetRow, TargetTable};
pub use tournament::{Entrant, Lead, TournamentTable};
pub use words::{ENOUGH_RUNS, few, listed};
pub use yardsticks::{NormalisedScore, Yardstick, YardstickRow, YardstickTable};

use ruse_lab::{RecordError, Records};
use ruse_play::score::CONFIDENCE;
use serde::Serialize;
use serde_json::json;

/// All tables of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Scores against the baseline.
    pub scores: ScoreTable,
    /// The scores of methods against each other, one table per family with meetings.
    pub head_to_head: Vec<HeadToHeadTable>,
    /// The ranks, wins and losses of methods over all families.
    pub ranking: Ranking,
    /// The exploitability of champions and mixtures.
    pub exploitability: ExploitTable,
    /// The scores of reference players against the baselines of the runs.
    pub yardsticks: YardstickTable,
    /// The scores of champions against the reference strategies, one table per family with such scores.
    pub references: Vec<ReferenceTable>,
    /// The scores of champions as first and as second player, one table per family with such scores.
    pub seats: Vec<SeatTable>,
    /// Tests of methods over families; `None` for fewer than two methods or families.
    pub across: Option<Across>,
    /// Targets, and the numbers of games that runs with learning curves need to reach them.
    pub targets: TargetTable,
}

impl Report {
    /// Creates all tables. With `published` figures, the tables can show them beside ours.
    ///
    /// # Errors
    ///
    /// Returns an error if the records are invalid: see [`Records::check`].
    pub fn new(records: &Records, published: Option<&Published>) -> Result<Report, RecordError> {
        records.check()?;
        let scores = ScoreTable::new(records, published);
        let head_to_head = HeadToHeadTable::all(records, published);
        let yardsticks = YardstickTable::new(records, &scores);
        Ok(Report {
            ranking: Ranking::new(&scores, &head_to_head),
            exploitability: ExploitTable::new(records),
            references: ReferenceTable::all(records),
            seats: SeatTable::all(records),
            across: Across::new(&scores),
            targets: TargetTable::new(records, &yardsticks, None),
            scores,
            head_to_head,
            yardsticks,
        })
    }

    /// The names of the tables.
    pub const TABLES: [&'static str; 10] = [
        "scores",
        "yardsticks",
        "effort",
        "targets",
        "references",
        "seats",
        "head-to-head",
        "ranking",
        "across",
        "exploitability",
    ];

    /// Descriptions of the tables whose names do not describe them.
    pub const IN_WORDS: [(&'static str, &'static str); 5] = [
        ("yardsticks", "reference players"),
        ("effort", "iterations and games"),
        ("targets", "games to reach a score"),
        ("seats", "scores as first and as second player"),
        ("across", "tests of methods over families"),
    ];

    /// The names of the tables that answer the first questions of a comparison. Reference players are below the scores.
    pub const FIRST: [&'static str; 3] = ["scores", "head-to-head", "ranking"];

    /// Returns all tables, in the order of [`TABLES`](Report::TABLES).
    pub fn tables(&self, options: &Options) -> Tables {
        let mut scores = self.scores.tables(options);
        if self.yardsticks.rows.is_empty() && !self.scores.families.is_empty() {
            scores[0].notes.push(yardsticks::UNKNOWN.into());
        }
        // With one family, a comparison over families says little, and terminals are small.
        let shown = match self.scores.families.len() {
            0 | 1 => Visibility::NotInTerminal,
            _ => Visibility::Always,
        };
        let over_families = self.ranking.tables(options).into_iter();
        let over_families = over_families.chain(Across::tables(self.across.as_slice()));
        let tables = scores
            .into_iter()
            .chain(self.yardsticks.tables())
            .chain([effort::table(&self.scores), self.targets.table()])
            .chain(ReferenceTable::tables(&self.references))
            .chain(SeatTable::tables(&self.seats))
            .chain(HeadToHeadTable::tables(&self.head_to_head, options))
            .chain(over_families.map(|table| Table { shown, ..table }))
            .chain([self.exploitability.table(options)]);
        Tables::new(json!({ "confidence": CONFIDENCE }), tables.collect())
    }

    /// Returns this report with another target: `target`, in [0, 1], in all families, instead of the best reference
    /// player's score.
    #[must_use]
    pub fn with_target(self, records: &Records, target: f64) -> Report {
        Report { targets: TargetTable::new(records, &self.yardsticks, Some(target)), ..self }
    }
}
