//! Carries out experiments. This is the main entry point of the library.
//!
//! A [`Plan`] describes the work. [`carry_out`] does the unfinished work in a [`RunDirectory`], and reports its
//! progress to a [`Watch`]. [`carry_out`] neither prints nor draws: tables, figures and pages are made from the
//! results.
//!
//! ```
//! # mod ruse { pub use {::ruse_lab as lab, ruse_registry as registry, ruse_base::stop as arena}; }
//! use ruse::arena::StopSignal;
//! use ruse::lab::{self, ExperimentSpec, Length, Plan, RunDirectory};
//! use ruse::registry::Registry;
//!
//! # let parent = tempfile::tempdir()?;
//! # let path = parent.path().join("pig");
//! let registry = Registry::standard();
//! let spec = ExperimentSpec { length: Length::games(20_000), ..ExperimentSpec::new("pig") };
//! let plan = Plan::new(spec, &registry)?;
//! let directory = RunDirectory::create(Some(&path), &plan)?;
//! let outcome = lab::carry_out(&plan, &registry, &directory, &(), &StopSignal::default())?;
//! let champion = &outcome.runs[0].strategy;
//! println!("It {}.", champion.words.as_deref().unwrap_or_default());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(unnameable_types)]

mod ablation;
mod champions;
mod error;
mod files;
#[doc(hidden)]
pub mod fixtures;
mod jobs;
pub mod kinds;
mod language;
mod measure_ablation;
mod measurement;
mod meetings;
mod merge;
mod note;
mod outcome;
mod plan;
mod plan_size;
mod records;
pub mod requests;
mod responses;
mod run;
mod runs;
mod shards;
mod study;
mod watch;
mod yardsticks;

pub use ablation::{
    ALL_PARAMETERS, AblationError, AblationPlan, Finding, NoSuchGroup, Worth, ablate, groups,
};
pub use champions::{CHAMPION, CHAMPIONS, Champion, champion, champion_file, usual_opponent};
pub use error::LabError;
pub use files::checkpoint::{Checkpoint, MIXTURE, ResultPrints, STRATEGY};
pub use files::curves::{CurveRow, curve_of};
pub use files::decisions::{DecisionRow, DecisionTable, DecisionTableError, read_decisions};
pub use files::history::{CurvePoint, HistoryRow};
pub use files::learning::{read_accepted, read_curve, read_curve_rows, read_history, read_members};
pub use files::measurements::MeasurementsFile;
pub use files::population::PopulationMember;
pub use files::provenance::{Provenance, ShareProvenance};
pub use files::publish::{PublishError, publish};
pub use files::records::{read_curves, read_records};
pub use files::run_directory::RunDirectory;
pub use files::run_files::RunFiles;
pub use files::scores::{BenchmarkScores, ContestScores, MatrixScores};
pub use files::series::{SeatChoice, SeriesScore};
pub use files::strategy::{
    ContestantError, Discovery, MixtureMember, ScoreAgainst, StrategyFile, WorstCase,
};
pub use files::subjects::{Subject, read_subjects};
pub use files::summaries::write_summaries;
pub use files::transcript::{
    ActionTranscript, Ending, GameTranscript, SeatName, Transcript, TranscriptError,
};
pub use jobs::{Job, JobKind, Jobs, NoSuchJob, Shard, ShardError, Share};
pub use kinds::budgets::{BudgetsPlan, BudgetsSpec};
pub use kinds::championship::{CHAMPIONSHIP, ChampionshipSpec, PORTFOLIO, mixed};
pub use kinds::{PlanSpec, Study, round_robin, seed_study};
pub use language::baseline::Baseline;
pub use language::comparison::{
    ALL_FAMILIES, ComparisonSpec, DEFAULT_OPPONENTS, Families, FamilyItem, MeetingsSpec, MethodItem,
};
pub use language::contestant::{family_for, parse_contestant, parse_guest, parse_sitter};
pub use language::error::{SpecError, StartError};
pub use language::outputs::Output;
pub use language::pool::{Duplicate, Pool, PoolError, PoolMember, varied_parameter};
pub use language::quantity::{
    GAMES_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, QuantityError, REPEATS_RANGE, as_typed,
    check_fraction, check_share, parse_count, parse_duration, parse_fraction, parse_games,
    parse_iterations, parse_pairs, parse_share,
};
pub use language::rules::{RuleValue, RulesSpec};
pub use language::run::{DefaultPairs, Experiment, ExperimentSpec, WorstCaseSearch};
pub use language::schema::schema;
#[cfg(feature = "cli")]
pub use language::shared::names;
pub use language::shared::{Length, OpponentOptions, RaceOptions, Scoring};
pub use language::start::{Start, StartSpec};
pub use language::template::template;
pub use language::written::{PlayerItem, PlayerSpec};
pub use measure_ablation::measure_ablation;
pub use measurement::{
    Exploited, Measurement, MeasurementKind, Product, ResponseKind, YardstickKind, bracket,
};
pub use merge::{MergeError, Merged, merge, reuse};
pub use outcome::{Outcome, RunOutcome};
pub use plan::{ALL_METHODS, Plan, Program};
pub use plan_size::{PlanSize, Work, expected_length};
pub use records::{CurveRecord, Opponents, RecordError, Records, RunRecord};
pub use responses::{Responses, Training};
pub use shards::{ShareOutcome, carry_out_share, unfinished};
pub use study::NoStudy;
pub use watch::{Event, Phase, Watch};
pub use yardsticks::{measure_missing, measure_yardsticks};

use ruse_base::files::sync_directory;
use ruse_base::stop::StopSignal;
use ruse_registry::Registry;

use crate::error::Result;

/// Does the unfinished work of a plan in its directory, on the threads of the current pool.
///
/// The resulting files do not depend on the number of threads, or on earlier work by this or another program. There are
/// two exceptions: `provenance.yaml`, and `times.csv` with the times of a round robin.
///
/// # Errors
///
/// Returns an error if files cannot be written, or were changed. A stop requested through `stop` is not an error: the
/// outcome records it.
pub fn carry_out<'p>(
    plan: &'p Plan,
    registry: &Registry,
    directory: &RunDirectory,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result<Outcome<'p>> {
    directory.check_unpublished(plan)?;
    if !directory.is_exclusive() {
        watch.on_event(&Event::NotExclusive { directory: directory.path() });
    }
    let note = note::Note::new(directory, None);
    let outcome = carry_out_jobs(plan, registry, directory, &note, watch, stop)?;
    let was_shared = !outcome.was_stopped && end_sharing(directory, &note)?;
    let was_unfinished = note.end(Vec::new())? || was_shared;
    sync_directory(directory.path())?;
    Ok(Outcome { was_unfinished, ..outcome })
}

/// Carries out the runs of a plan and, once all are finished, the rest of its study.
fn carry_out_jobs<'p>(
    plan: &'p Plan,
    registry: &Registry,
    directory: &RunDirectory,
    note: &note::Note<'_>,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result<Outcome<'p>> {
    let runs = run::Runs::new(plan, directory, note, watch, stop);
    let which: Vec<usize> = (0..plan.runs.len()).collect();
    let outcomes = runs.carry_out(&which)?;
    let all_done = outcomes.iter().all(Option::is_some) && stop.check().is_ok();
    let outcomes: Vec<_> = outcomes.into_iter().flatten().collect();
    let mut championship = None;
    if all_done {
        let work = study::Work::new(plan, registry, directory, watch, stop);
        championship = match plan.study.kind().conclude(&work, note, &outcomes) {
            Err(LabError::Stopped) => None,
            concluded => concluded?,
        };
    }
    write_summaries(directory, plan)?;
    // The signal may also have come during the scoring of the last champion.
    let was_stopped = stop.check().is_err();
    Ok(Outcome { runs: outcomes, championship, was_unfinished: false, was_stopped })
}

/// Removes the files that programs wrote while they shared the directory; the results now contain their data. Records
/// the provenance. Returns `true` if programs shared the directory.
fn end_sharing(directory: &RunDirectory, note: &note::Note<'_>) -> Result<bool> {
    let shared = directory.shared();
    let shares = shared.provenances()?;
    if !shares.is_empty() {
        note.begin()?;
        note.end(shares)?;
    }
    let was_shared = shared.is_there();
    shared.remove()?;
    Ok(was_shared)
}
