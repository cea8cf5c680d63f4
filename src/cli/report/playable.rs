//! The playable strategies on the page of an experiment.

use std::collections::BTreeSet;

use ruse_lab::{Plan, RunDirectory};
use ruse_registry::Registry;
use ruse_report::figures::Run;

use super::super::failure::Failure;
use super::super::page::{GamesArgs, Shelf};
use super::super::plot::best_run;

/// Returns a page for playing against the best strategy of each family or, with one family, of each method. Returns
/// `None` if no run is finished.
pub(super) fn page(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    games: &GamesArgs,
) -> Result<Option<String>, Failure> {
    let families: BTreeSet<&String> = plan.runs.iter().map(|run| &run.labels[0]).collect();
    let num_labels = if families.len() == 1 { 2 } else { 1 };
    let mut seen = BTreeSet::new();
    let mut shelf = Shelf::new(registry);
    for first in &plan.runs {
        let labels = &first.labels[..num_labels];
        if !seen.insert(labels) {
            continue;
        }
        let alike = plan.runs.iter().filter(|run| run.labels[..num_labels] == *labels);
        let runs: Vec<Run<'_>> = alike.map(|experiment| Run { directory, experiment }).collect();
        if let Some((best, file)) = best_run(&runs)? {
            shelf.put(&best.run_name(), &file)?;
        }
    }
    match shelf.files.is_empty() {
        true => Ok(None),
        false => Ok(Some(games.page(shelf.files)?.beginning_with_first(true).html())),
    }
}
