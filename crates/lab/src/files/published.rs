//! Published experiments: a few small files instead of a directory for each run.
//!
//! A directory is published if it has `runs.csv` and no run has its own directory. Tables, figures and pages can be
//! made from it as from any other directory, but its runs cannot be continued.

use std::collections::BTreeMap;
use std::path::Path;

use ruse_base::files::{GrowingTable, Result, reading};

use super::curves::{self, CurveRow};
use super::finished::MEASUREMENTS;
use super::runs::{self, RUNS};
use super::strategy::StrategyFile;
use crate::language::run::Experiment;
use crate::measurement::{Measurement, MeasurementKind};
use crate::plan::Plan;

#[derive(Debug)]
pub(super) struct PublishedRuns {
    strategies: BTreeMap<String, StrategyFile>,
    curves: BTreeMap<String, Vec<CurveRow>>,
}

impl PublishedRuns {
    /// Reads the runs of the experiment at `path` with the fingerprint `seal`. Returns `None` if the experiment is not
    /// published. `has_files` returns `true` if a run has its own directory.
    pub(super) fn read(
        path: &Path,
        seal: &str,
        plan: &Plan,
        has_files: impl Fn(&Experiment) -> Result<bool>,
    ) -> Result<Option<PublishedRuns>> {
        if !reading::is_there(&path.join(RUNS))? {
            return Ok(None);
        }
        for run in &plan.runs {
            if has_files(run)? {
                return Ok(None);
            }
        }
        let Some(mut strategies) = runs::read(path, plan)? else { return Ok(None) };
        let rows: Vec<Measurement> = GrowingTable::read(&path.join(MEASUREMENTS), seal)?;
        let runs = plan.runs_by_place();
        for row in rows {
            let is_reference = match row.kind {
                MeasurementKind::Reference => true,
                MeasurementKind::Training => false,
                _ => continue,
            };
            let seed = row.subject_seed.unwrap_or_default();
            let run = runs.get(&(&*row.family, &*row.subject, seed)).filter(|run| row.is_of(run));
            let strategy = run.and_then(|run| strategies.get_mut(&run.run_name()));
            let Some(strategy) = strategy else { continue };
            let score = row.estimate();
            if is_reference {
                strategy.score_against_references.insert(row.opponent, score);
            } else {
                strategy.score_against_baseline = Some(score);
            }
        }
        Ok(Some(PublishedRuns { strategies, curves: curves::read(path, plan)? }))
    }

    pub(super) fn strategy(&self, experiment: &Experiment) -> Option<&StrategyFile> {
        self.strategies.get(&experiment.run_name())
    }

    /// Returns the published learning curve of a run; empty if it was not published.
    pub(super) fn curve(&self, experiment: &Experiment) -> &[CurveRow] {
        self.curves.get(&experiment.run_name()).map_or(&[], Vec::as_slice)
    }
}
