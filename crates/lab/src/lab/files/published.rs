//! Published experiments: a few small files instead of a directory for each run.
//!
//! A directory is published if it has `runs.csv` and no run has its own directory. Tables, figures and pages can be
//! made from a published directory as from any other, but no work continues there.

use std::collections::BTreeMap;
use std::path::Path;

use super::curves::{self, CurveRow};
use super::references;
use super::runs::{self, RUNS};
use super::strategy::StrategyFile;
use super::training_scores;
use crate::files::DirectoryError;
use crate::lab::plan::Plan;
use crate::lab::spec::run::Experiment;

/// The runs of a published experiment.
#[derive(Debug)]
pub(super) struct PublishedRuns {
    strategies: BTreeMap<String, StrategyFile>,
    curves: BTreeMap<String, Vec<CurveRow>>,
}

impl PublishedRuns {
    /// Reads the runs of the experiment at `path`, or returns `None` if the experiment is not published. `has_files`
    /// returns whether a run has its own directory.
    pub(super) fn read(
        path: &Path,
        plan: &Plan,
        has_files: impl Fn(&Experiment) -> bool,
    ) -> Result<Option<PublishedRuns>, DirectoryError> {
        if !path.join(RUNS).exists() || plan.runs.iter().any(has_files) {
            return Ok(None);
        }
        let Some(mut strategies) = runs::read(path, plan)? else { return Ok(None) };
        for (run, scores) in references::read(path, plan)? {
            if let Some(strategy) = strategies.get_mut(&run) {
                strategy.score_against_references = scores;
            }
        }
        for (run, score) in training_scores::read(path, plan)? {
            if let Some(strategy) = strategies.get_mut(&run) {
                strategy.score_against_baseline = Some(score);
            }
        }
        Ok(Some(PublishedRuns { strategies, curves: curves::read(path, plan)? }))
    }

    /// Returns the champion of a run, if there is one.
    pub(super) fn strategy(&self, experiment: &Experiment) -> Option<&StrategyFile> {
        self.strategies.get(&experiment.run_name())
    }

    /// Returns the published points of the learning curve of a run; empty if there are none.
    pub(super) fn curve(&self, experiment: &Experiment) -> &[CurveRow] {
        self.curves.get(&experiment.run_name()).map_or(&[], Vec::as_slice)
    }
}
