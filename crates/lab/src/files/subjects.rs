//! The strategies of an experiment whose exploitability can be measured.

use ruse_base::files::{DirectoryError, Result};
use ruse_play::score::Estimate;

use super::checkpoint::{Checkpoint, MIXTURE, STRATEGY};
use super::run_directory::RunDirectory;
use super::strategy::StrategyFile;
use crate::language::run::Experiment;
use crate::measurement::{Exploited, Measurement, MeasurementKind, Product, ResponseKind};
use crate::plan::Plan;

/// The subject of a certificate.
const BEST_RESPONSE: &str = "best-response";

/// A strategy of a finished run, whose exploitability can be measured.
pub struct Subject<'a> {
    /// The run.
    pub experiment: &'a Experiment,
    /// The kind of strategy: the champion, or the mixed strategy of the method.
    pub product: Product,
    /// The strategy.
    pub strategy: StrategyFile,
    /// The fingerprint of the strategy's file, if it has one.
    fingerprint: Option<String>,
}

impl Subject<'_> {
    /// Creates the measurement of a response to the strategy, and its `score`; `how` describes it and the search
    /// for it.
    pub(crate) fn response(&self, kind: ResponseKind, score: Estimate, how: &str) -> Measurement {
        let (run, product, print) = (self.experiment, self.product, self.fingerprint.as_deref());
        Measurement::of_response(run, product, kind, score, how, print.unwrap_or_default())
    }

    /// Creates the measurement of bounds on the score of the best response to the strategy. `how` describes the basis of
    /// the upper bound.
    pub(crate) fn certificate(&self, [low, high]: [f64; 2], how: &str) -> Measurement {
        let bounds = Estimate { interval: [low, high], ..Estimate::computed(high, 0) };
        Measurement {
            kind: MeasurementKind::Certificate,
            subject: BEST_RESPONSE.into(),
            ..self.response(ResponseKind::LowerBound, bounds, how)
        }
    }

    /// Returns the strategy as measurements name it.
    pub fn exploited(&self) -> Exploited<'_> {
        let [family, method] = &self.experiment.labels;
        let (product, seed) = (self.product, self.experiment.resolved.seed);
        Exploited { family, method, product, seed }
    }
}

/// Reads the champions of the finished runs, in the order of the plan. A run's mixed strategy follows its champion.
/// Published experiments have no mixed strategies.
///
/// # Errors
///
/// Returns an error if a strategy was changed after its run ended.
pub fn read_subjects<'a>(directory: &RunDirectory, plan: &'a Plan) -> Result<Vec<Subject<'a>>> {
    read_subjects_of(directory, &plan.runs)
}

/// Like [`read_subjects`], but only for some runs of the plan.
///
/// # Errors
///
/// Same as [`read_subjects`].
pub(crate) fn read_subjects_of<'a>(
    directory: &RunDirectory,
    runs: &'a [Experiment],
) -> Result<Vec<Subject<'a>>> {
    let mut subjects = Vec::new();
    for experiment in runs {
        if let Some(published) = directory.published() {
            let strategy = published.strategy(experiment).cloned();
            subjects.extend(strategy.map(|strategy| Subject {
                experiment,
                product: Product::Champion,
                strategy,
                fingerprint: None,
            }));
            continue;
        }
        let checkpoint = directory.checkpoint(experiment)?;
        let is_finished = |checkpoint: &Checkpoint| checkpoint.result.is_some();
        if !checkpoint.as_ref().is_none_or(is_finished) {
            continue;
        }
        for (product, name) in [(Product::Champion, STRATEGY), (Product::Mixture, MIXTURE)] {
            let found = directory.read_result(experiment, name, checkpoint.as_ref())?;
            let Some((strategy, fingerprint)) = found else { break };
            let path = directory.run_path(experiment).join(name);
            let checked = strategy.checked(&path, experiment.family.as_ref());
            let strategy = checked.map_err(|error| DirectoryError::unreadable(&path, error))?;
            let fingerprint = Some(fingerprint);
            subjects.push(Subject { experiment, product, strategy, fingerprint });
        }
    }
    Ok(subjects)
}
