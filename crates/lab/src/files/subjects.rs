//! The strategies of an experiment whose exploitability can be measured.

use ruse_play::files::DirectoryError;
use ruse_play::score::Estimate;

use super::checkpoint::{Checkpoint, MIXTURE, STRATEGY};
use super::measurements::Measurement;
use super::run_directory::RunDirectory;
use super::strategy::StrategyFile;
use crate::language::run::Experiment;
use crate::plan::Plan;
use crate::records::{CertificateRecord, ExploitRecord, Product, ResponseKind};

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
    /// Creates the record of a response to the strategy. `response` is its score; `how` describes it and the search for
    /// it.
    pub fn record(&self, kind: ResponseKind, response: Estimate, how: String) -> ExploitRecord {
        let [family, method] = self.experiment.labels.clone();
        let (product, seed) = (self.product, self.experiment.resolved.seed);
        ExploitRecord { family, method, product, seed, kind, response, how }
    }

    /// Creates the record of bounds on the score of the best response to the strategy. `how` describes the basis of the
    /// upper bound.
    pub fn certificate(&self, [low, high]: [f64; 2], how: String) -> CertificateRecord {
        let [family, method] = self.experiment.labels.clone();
        let (product, seed) = (self.product, self.experiment.resolved.seed);
        let bounds = Estimate { interval: [low, high], ..Estimate::computed(high, 0) };
        CertificateRecord { family, method, product, seed, bounds, how }
    }

    /// Returns `true` if one of these records belongs to the strategy.
    pub fn is_among(&self, records: &[ExploitRecord]) -> bool {
        records.iter().any(|record| self.is_of(record))
    }

    pub(crate) fn is_of(&self, record: &ExploitRecord) -> bool {
        let [family, method] = &self.experiment.labels;
        (family, method, self.experiment.resolved.seed, self.product)
            == (&record.family, &record.method, record.seed, record.product)
    }

    /// Returns `true` if the certificate belongs to the strategy.
    pub fn is_certified_by(&self, record: &CertificateRecord) -> bool {
        let [family, method] = &self.experiment.labels;
        (family, method, self.experiment.resolved.seed, self.product)
            == (&record.family, &record.method, record.seed, record.product)
    }

    /// Returns the row of `measurements.csv` for a certificate.
    pub(crate) fn certificate_row(&self, record: &CertificateRecord) -> Measurement {
        Measurement::of_certificate(record, self.fingerprint.as_deref().unwrap_or_default())
    }

    /// Returns the row of `measurements.csv` for a record.
    pub(crate) fn row(&self, record: &ExploitRecord) -> Measurement {
        Measurement::of_response(record, self.fingerprint.as_deref().unwrap_or_default())
    }
}

/// Reads the champions of the finished runs, in the order of the plan. A run's mixed strategy follows its champion.
/// Published experiments have no mixed strategies.
///
/// # Errors
///
/// Returns an error if a strategy was changed after its run ended.
pub fn read_subjects<'a>(
    directory: &RunDirectory,
    plan: &'a Plan,
) -> Result<Vec<Subject<'a>>, DirectoryError> {
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
) -> Result<Vec<Subject<'a>>, DirectoryError> {
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
        let result = checkpoint.as_ref().map(Checkpoint::strategy);
        let mixture = checkpoint.as_ref().map(Checkpoint::mixture);
        for (product, name, expected) in
            [(Product::Champion, STRATEGY, result), (Product::Mixture, MIXTURE, mixture)]
        {
            // Runs of older programs have no mixture, so an existing file does not belong to the run.
            if expected == Some(None) {
                continue;
            }
            let found = directory.read_result(experiment, name, expected)?;
            let Some((strategy, fingerprint)) = found else { break };
            let path = directory.run_path(experiment).join(name);
            let checked = strategy.checked(&path, experiment.family.as_ref());
            let strategy = checked.map_err(|error| {
                let problem = error.to_string();
                DirectoryError::Unreadable { path: path.clone(), problem }
            })?;
            let fingerprint = Some(fingerprint);
            subjects.push(Subject { experiment, product, strategy, fingerprint });
        }
    }
    Ok(subjects)
}
