//! Files about all runs of an experiment, for other programs. Each file is written as a whole, from the files of the
//! runs. In a published experiment, they replace the files of the runs.

use ruse_base::files::Result;
use ruse_play::score::Estimate;

use super::checkpoint::STRATEGY;
use super::learning::read_curve_rows;
use super::measurements::{MeasurementsFile, print_of};
use super::records::finished;
use super::run_directory::RunDirectory;
use super::strategy::WorstCase;
use super::{curves, runs};
use crate::language::run::Experiment;
use crate::measurement::{Measurement, MeasurementKind, Product, ResponseKind};
use crate::plan::Plan;

/// Writes `runs.csv`, with one row for each finished run, and `curves.csv`, with their learning curves. Writes nothing
/// if no run is finished. The contents depend only on the files of the runs and the responses to their results.
///
/// # Errors
///
/// Returns an error if files of a run cannot be read or were changed, or the new files cannot be written.
pub fn write_summaries(directory: &RunDirectory, plan: &Plan) -> Result {
    for (name, text) in summaries(directory, plan)? {
        directory.write_text(name, &text)?;
    }
    Ok(())
}

/// Returns the files that [`write_summaries`] writes. Every published experiment has them.
pub(super) fn summaries(home: &RunDirectory, plan: &Plan) -> Result<Vec<(&'static str, String)>> {
    let finished = finished(home, plan)?;
    if finished.is_empty() {
        return Ok(Vec::new());
    }
    let rows = MeasurementsFile::read(home, plan)?;
    let mut learned = Vec::new();
    for (experiment, _) in &finished {
        learned.push((*experiment, read_curve_rows(home, experiment)?));
    }
    Ok(vec![(runs::RUNS, runs::text(&finished, &rows)), (curves::CURVES, curves::text(&learned))])
}

/// Returns the scores in the strategy files of finished runs that are not among the `known` measurements: scores
/// against the reference strategies, the training opponent if it is not the scoring opponent, and the strongest opponent
/// found if no other response is known.
pub(super) fn missing_scores(
    directory: &RunDirectory,
    plan: &Plan,
    known: &[Measurement],
) -> Result<Vec<Measurement>> {
    let mut missing = Vec::new();
    // In a published experiment, these scores exist only as measurements.
    if directory.is_published() {
        return Ok(missing);
    }
    for (run, file) in finished(directory, plan)? {
        let print = print_of(directory, run, STRATEGY)?.unwrap_or_default();
        let row = |kind, opponent: &str, score| {
            Measurement::of_champion(kind, run, opponent, score, &print)
        };
        let references = file.score_against_references.iter();
        let references =
            references.map(|(name, score)| row(MeasurementKind::Reference, name, *score));
        let training = file.score_against_baseline.filter(|_| file.score_against.is_some());
        let baseline = run.baseline.in_words();
        let training = training.map(|score| row(MeasurementKind::Training, &baseline, score));
        missing.extend(references.chain(training).filter(|row| !known.contains(row)));
        let response = file.worst_case.as_ref().map(|worst| strongest_response(run, worst, &print));
        let is_known = |found: &Measurement| {
            let of = found.exploited();
            of.is_some_and(|of| Measurement::find(known, found.kind, of).is_some())
        };
        missing.extend(response.filter(|found| !is_known(found)));
    }
    Ok(missing)
}

/// Returns the response to a champion that its run has found.
fn strongest_response(run: &Experiment, worst: &WorstCase, print: &str) -> Measurement {
    let kind = if worst.is_exact() { ResponseKind::Exact } else { ResponseKind::LowerBound };
    let score = worst.score.unwrap_or(Estimate::computed(0.5, 0)).reversed();
    let how = format!("{}; {} games of the run", worst.opponent, worst.games);
    Measurement::of_response(run, Product::Champion, kind, score, &how, print)
}

/// Adds the scores in the strategy files of finished runs to the measurements of an experiment.
///
/// # Errors
///
/// Returns an error if files of a run cannot be read or were changed, or the measurements cannot be written.
pub(crate) fn add_scores(directory: &RunDirectory, plan: &Plan) -> Result {
    let (mut file, known) = MeasurementsFile::open(directory, plan)?;
    file.append(&missing_scores(directory, plan, &known)?)
}
