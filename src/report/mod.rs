//! Tables of an experiment: scores against the baseline, methods head to head, methods across families, and how
//! far what was found can be exploited.
//!
//! All are pure functions of [`Records`], and can be written in six formats, with the figures of Cauwet &
//! Teytaud (CEC 2018) beside ours. Every figure has an interval at [`CONFIDENCE`](crate::score::CONFIDENCE)
//! that says what noise it covers.
//!
//! ```
//! use ruse::lab::{Records, RunRecord};
//! use ruse::report::{Format, Options, Part, Published, Report};
//! use ruse::score::{CONFIDENCE, Estimate};
//!
//! let score = Estimate { score: 0.67, interval: [0.66, 0.68], confidence: CONFIDENCE, pairs: 20_000 };
//! let (family, method) = ("war".to_string(), "naive".to_string());
//! let records = Records {
//!     families: vec![family.clone()],
//!     methods: vec![method.clone()],
//!     runs: vec![RunRecord {
//!         family,
//!         method,
//!         seed: 1,
//!         games: 2_000_000,
//!         iterations: 54,
//!         score,
//!         is_random_start: false,
//!         is_start: false,
//!     }],
//!     ..Records::default()
//! };
//! let report = Report::new(&records, Some(&Published::cauwet_teytaud_2018()))?;
//! let options = Options { side_by_side: true, ..Options::default() };
//! let table = report.render(Part::Scores, Format::Markdown, &options);
//! assert!(table.contains("| war | **.670 ± .010** |\n| Cauwet & Teytaud | .632 lower |"), "{table}");
//! # Ok::<(), ruse::lab::RecordError>(())
//! ```

mod cycles;
mod exploitability;
mod format;
mod head_to_head;
pub mod page;
mod portfolios;
mod published;
mod ranking;
mod repeats;
mod scores;
mod tournament;

pub use exploitability::{ExploitCell, ExploitColumn, ExploitTable};
pub use format::{Format, Options, Part, TournamentPart};
pub(crate) use format::{counted, digits, grouped, score, signed};
pub use head_to_head::{Best, Cycles, HeadToHeadTable, MeetingCell};
pub use portfolios::{PortfolioPart, PortfolioReport, PublishedPool};
pub use published::{Agreement, Cell, NoFigure, Published, PublishedMeetings, PublishedScore};
pub use ranking::{MeanRank, Ranking, Standing};
pub use repeats::{MeanScore, Noise};
pub use scores::{ScoreCell, ScoreTable};
pub use tournament::{Entrant, Lead, TournamentTable};

use serde::Serialize;

use crate::lab::{RecordError, Records};

/// All tables of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Scores against the baseline.
    pub scores: ScoreTable,
    /// Methods against methods, for every family in which some met.
    pub head_to_head: Vec<HeadToHeadTable>,
    /// Methods across families.
    pub ranking: Ranking,
    /// What best responses take from champions and mixtures.
    pub exploitability: ExploitTable,
}

impl Report {
    /// Makes all tables, with the figures of `published` beside ours.
    ///
    /// # Errors
    ///
    /// When the records make no sense: see [`Records::check`].
    pub fn new(records: &Records, published: Option<&Published>) -> Result<Report, RecordError> {
        records.check()?;
        let scores = ScoreTable::new(records, published);
        let head_to_head = HeadToHeadTable::all(records, published);
        let ranking = Ranking::new(&scores, &head_to_head);
        let exploitability = ExploitTable::new(records);
        Ok(Report { scores, head_to_head, ranking, exploitability })
    }
}
