//! Files about all runs of an experiment, for use by other programs. Each file is written as a whole, and is derived
//! from the files of the runs. A published experiment has no other files.

use super::exploitability::ExploitabilityFile;
use super::learning::read_curve_rows;
use super::records::read_finished;
use super::run_directory::RunDirectory;
use super::{curves, references, runs, training_scores};
use crate::files::DirectoryError;
use crate::lab::plan::{Finale, Plan};

/// Writes `runs.csv`, with one row for each finished run, and `curves.csv`, with the learning curves of these runs.
/// Writes neither if no run is finished. If runs are scored against an opponent other than the training opponent, also
/// writes `training-scores.csv`; for a comparison, also writes `references.csv`, with the scores of its champions
/// against the reference strategies. The files depend only on the files of the runs.
///
/// # Errors
///
/// Returns an error if files of a run cannot be read or were changed, or the new files cannot be written.
pub fn write_summaries(directory: &RunDirectory, plan: &Plan) -> Result<(), DirectoryError> {
    let is_comparison = matches!(plan.finale, Finale::Meetings(_));
    let summaries = summaries(directory, plan)?.into_iter();
    // `references.csv` is not needed without a comparison, since the strategy files contain the same scores.
    for (name, text) in
        summaries.filter(|(name, _)| is_comparison || *name != references::REFERENCES)
    {
        directory.write_text(name, &text)?;
    }
    Ok(())
}

/// Returns the files that [`write_summaries`] writes for a comparison, and that every published experiment has.
pub(super) fn summaries(
    directory: &RunDirectory,
    plan: &Plan,
) -> Result<Vec<(&'static str, String)>, DirectoryError> {
    let mut finished = Vec::new();
    for experiment in &plan.runs {
        if let Some(file) = read_finished(directory, experiment)? {
            finished.push((experiment, file));
        }
    }
    if finished.is_empty() {
        return Ok(Vec::new());
    }
    let exploitability = ExploitabilityFile::read(directory, plan)?;
    let mut learned = Vec::new();
    for (experiment, _) in &finished {
        learned.push((*experiment, read_curve_rows(directory, experiment)?));
    }
    let training = training_scores::text(&finished);
    let training = training.map(|text| (training_scores::TRAINING_SCORES, text));
    let mut summaries = vec![
        (runs::RUNS, runs::text(&finished, &exploitability)),
        (curves::CURVES, curves::text(&learned)),
        (references::REFERENCES, references::text(plan, &references::scores_of(&finished))),
    ];
    summaries.extend(training);
    Ok(summaries)
}
