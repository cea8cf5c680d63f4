//! Measures and records the worth of groups of parameters for the champions of an experiment.

use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_play::score::Estimate;
use ruse_search::ParameterGroup;

use super::ablation::{AblationError, AblationPlan, NoSuchGroup, Worth, ablate, groups};
use super::files::checkpoint::STRATEGY;
use super::files::measurements::{GROUP, MeasurementsFile, ablations, print_of};
use super::files::run_directory::RunDirectory;
use super::language::run::Experiment;
use super::measurement::{Measurement, MeasurementKind};
use super::plan::Plan;
use crate::error::Result;

/// Measures the worth of groups of parameters for the champions of these finished runs of a plan, and writes it to
/// `measurements.csv`. `wanted` names the groups, as in [`groups`]; families without any of them are skipped. Known
/// worths are not measured again. [`ablate`] measures the others with the seed of the run, against the scoring
/// opponent.
///
/// A stop request is not an error: complete measurements are then already written.
///
/// # Errors
///
/// Returns an error if no family has one of the groups, or files cannot be read or written.
pub fn measure_ablation(
    plan: &Plan,
    directory: &RunDirectory,
    runs: &[&Experiment],
    wanted: &[String],
    stop: &StopSignal,
    mut on_group: impl FnMut(&Experiment, [usize; 2]),
) -> Result {
    let (mut file, rows) = MeasurementsFile::open(directory, plan)?;
    let known = ablations(plan, &rows);
    for (run, groups) in groups_of_runs(runs, wanted)? {
        let family = run.family.as_ref();
        let known = known.iter().filter(|row| row.is_of(run)).map(|row| row.condition.as_str());
        if known.eq(groups.iter().map(|group| &*group.name)) {
            continue;
        }
        let Some(strategy) = directory.learned(run)? else { continue };
        let key = StreamKey::root(run.resolved.seed);
        let num_groups = groups.len();
        let plan_of_run = AblationPlan {
            family,
            parameters: &strategy.parameters,
            groups,
            opponent: &run.scored_against().contestant(family, key),
            num_pairs: run.evaluation_pairs,
        };
        let worths = match ablate(plan_of_run, key, stop, |done| on_group(run, [done, num_groups]))
        {
            Ok(worths) => worths,
            Err(AblationError::Stopped(_)) => return Ok(()),
            Err(AblationError::Player(error)) => return Err(error.into()),
        };
        let print = print_of(directory, run, STRATEGY)?.unwrap_or_default();
        file.append(&rows_of(run, &worths, &print))?;
    }
    Ok(())
}

/// Returns the runs whose families have any of the wanted groups, each with these groups.
fn groups_of_runs<'r>(
    runs: &[&'r Experiment],
    wanted: &[String],
) -> Result<Vec<(&'r Experiment, Vec<ParameterGroup>)>, NoSuchGroup> {
    let named =
        |run: &Experiment, name: &String| groups(run.family.as_ref(), std::slice::from_ref(name));
    for name in wanted {
        let mut found = runs.iter().map(|run| named(run, name));
        // If no family has the group, the message lists the groups of the first.
        if let Some(Err(error)) = found.next()
            && found.all(|found| found.is_err())
        {
            return Err(error);
        }
    }
    let mut found = Vec::new();
    for &run in runs {
        let had: Vec<String> =
            wanted.iter().filter(|name| named(run, name).is_ok()).cloned().collect();
        // An empty list of names would mean all groups.
        if wanted.is_empty() || !had.is_empty() {
            found.push((run, groups(run.family.as_ref(), &had)?));
        }
    }
    Ok(found)
}

/// Returns a row for each group of parameters of the champion of a run.
fn rows_of(run: &Experiment, worths: &[Worth], print: &str) -> Vec<Measurement> {
    let opponent = run.scored_against().in_words();
    let row = |(number, worth): (usize, &Worth)| {
        let Worth { group, difference } = worth;
        let [with, without] = worth.scores();
        let estimate = Estimate {
            score: difference.mean,
            interval: difference.interval,
            confidence: difference.confidence,
            pairs: if difference.is_exact { 0 } else { difference.pairs },
        };
        Measurement {
            condition: group.name.to_string(),
            with,
            without,
            how: format!("{GROUP} {number} of {}", worths.len()),
            ..Measurement::of_champion(MeasurementKind::Ablation, run, &opponent, estimate, print)
        }
    };
    (1..).zip(worths).map(row).collect()
}
