//! Experiments as users write them, and the files of their runs.
//!
//! Data from outside is a `...Spec` until it was checked, once, here.

mod baseline;
mod checkpoint;
mod comparison;
mod contestant;
mod exploitability_file;
mod fingerprint;
mod finished;
mod growing_table;
mod history;
mod lock;
mod meetings_file;
mod parameters;
mod plan;
mod plan_size;
mod pool;
mod population;
mod portfolio_files;
mod portfolios;
mod provenance;
mod quantity;
pub mod reading;
mod records;
mod request;
mod run_directory;
mod run_files;
mod schema;
mod spec;
mod strategy_file;
mod vouched;
mod yaml;

pub use baseline::{Baseline, BaselineSpec};
pub use checkpoint::{Checkpoint, ResultPrints};
pub use comparison::{ALL_FAMILIES, ComparisonSpec, Families, FamilyItem, MethodItem, Output};
pub use contestant::{ContestantError, parse_contestant};
pub use exploitability_file::{ExploitabilityFile, Subject, read_subjects};
pub use history::{CurvePoint, HistoryRow, read_curve, read_history};
pub use lock::Holder;
pub use meetings_file::MeetingsFile;
pub use plan::{ALL_METHODS, ChampionshipSpec, Finale, MeetingsSpec, Plan, PlanSpec, ReadError};
pub use plan_size::{PlanSize, Work};
pub use pool::{Pool, PoolError, PoolMember};
pub use population::{PopulationMember, read_accepted, read_members};
pub use portfolio_files::StudyFiles;
pub use portfolios::{PoolPlan, PortfolioItem, PortfoliosPlan, PortfoliosSpec};
pub use provenance::Provenance;
pub use quantity::{
    GAMES_RANGE, INDIVIDUALS_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, QuantityError, REPEATS_RANGE,
    check_fraction, parse_count, parse_duration,
};
pub use records::read_records;
pub use request::{RequestError, RequestId, RequestSpec, id_of};
pub use run_directory::{DirectoryError, MIXTURE, RunDirectory, STRATEGY, write_atomically};
pub use run_files::RunFiles;
pub use schema::schema;
pub use spec::{DefaultPairs, Experiment, ExperimentSpec, SpecError};
pub use strategy_file::{Discovery, MixtureMember, StrategyFile};
pub use vouched::Vouched;
pub use yaml::{Step, YamlError, YamlSource};
