//! The data of figures, from the files of runs and from games.
//!
//! For each figure, a function converts a list of [`Run`]s to plain data, which [`ruse_plots`] draws. The list may have
//! one run, several runs of one method, or several runs of several methods. The caption states what the figure averages
//! or omits.

mod ablation;
mod across;
mod breadth;
mod decisions;
mod head_to_head;
mod learning_curve;
mod match_trace;
mod population;
mod regret;
mod round_robin;
mod scores;
pub mod seeds;
mod strategy;
mod targets;

use std::collections::BTreeSet;

use ruse_base::names::by_key;
use ruse_lab::{Baseline, Experiment, RunDirectory, StrategyFile};

use crate::ReportError;
use crate::format::span;

pub use ablation::ablation;
pub use across::critical_difference;
pub use breadth::{breadth, tried};
pub use decisions::decision_costs;
pub use head_to_head::{head_to_head, head_to_head_of_table};
pub use learning_curve::learning_curves;
pub use match_trace::{MatchNames, MatchTrace};
pub use population::{MAX_MEMBERS, default_pairs, population};
pub use regret::regret;
pub use round_robin::{scores_by_budget, scores_by_player, scores_by_rule};
pub use scores::{PublishedScores, benchmark, safety, scores, scores_of_table};
pub use strategy::strategy;
pub use targets::targets;

/// A run of an experiment, with its directory.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The directory of the experiment.
    pub directory: &'a RunDirectory,
    /// The experiment of the run.
    pub experiment: &'a Experiment,
}

impl Run<'_> {
    fn family(&self) -> &str {
        &self.experiment.labels[0]
    }

    fn method(&self) -> &str {
        &self.experiment.labels[1]
    }

    fn seed(&self) -> u64 {
        self.experiment.resolved.seed
    }

    fn strategy(&self) -> Result<StrategyFile, ReportError> {
        let learned = self.directory.learned(self.experiment)?;
        learned
            .ok_or_else(|| ReportError::NotFinished(self.directory.strategy_path(self.experiment)))
    }
}

/// Returns the first run if all runs belong to its family.
fn first_of_one_family<'a>(runs: &[Run<'a>]) -> Result<Run<'a>, ReportError> {
    let first = *runs.first().ok_or(ReportError::NoRuns)?;
    match runs.iter().find(|run| run.family() != first.family()) {
        None => Ok(first),
        Some(other) => Err(ReportError::SeveralFamilies {
            first: first.family().into(),
            other: other.family().into(),
        }),
    }
}

/// Groups the runs by name, in the order in which the names first appear.
fn grouped_by<'r, 'a>(
    runs: &'r [Run<'a>],
    name: impl Fn(&'r Run<'a>) -> &'r str,
) -> Vec<(&'r str, Vec<Run<'a>>)> {
    by_key(runs.iter().map(|run| (name(run), *run)))
}

/// Describes the seeds of runs, for a caption: "seed 1", "seeds 1–3", "seeds 1, 4, 9", "20 seeds from 1 to 77".
pub fn seeds_of(runs: &[Run<'_>]) -> String {
    let seeds: BTreeSet<u64> = runs.iter().map(Run::seed).collect();
    let (Some(&first), Some(&last)) = (seeds.first(), seeds.last()) else { return String::new() };
    match seeds.len() as u64 {
        1 => format!("seed {first}"),
        n if n > 2 && last - first == n - 1 => format!("seeds {first}–{last}"),
        n if n <= 6 => {
            let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
            format!("seeds {}", seeds.join(", "))
        }
        n => format!("{n} seeds from {first} to {last}"),
    }
}

/// Names the scoring opponent of the runs, for a title.
fn opponent_of(runs: &[Run<'_>]) -> String {
    let others = runs.iter().map(|run| run.experiment.score_against.as_ref());
    let others: BTreeSet<Option<String>> = others.map(|of| of.map(Baseline::in_words)).collect();
    match others.iter().collect::<Vec<_>>().as_slice() {
        [] | [None] => "the baseline".into(),
        [Some(other)] => other.clone(),
        _ => "several opponents".into(),
    }
}

/// Names the comparison operators of the runs, for a caption; empty if no run compares candidates.
fn comparisons_of(runs: &[Run<'_>]) -> String {
    let names: BTreeSet<&str> =
        runs.iter().filter_map(|run| run.experiment.resolved.races.comparison.as_deref()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() { String::new() } else { format!(", {} races", names.join(" and ")) }
}

/// Returns the name of the method, or the number of methods, for a caption.
fn methods_of(runs: &[Run<'_>]) -> String {
    match grouped_by(runs, Run::method).as_slice() {
        [(only, _)] => (*only).to_string(),
        several => format!("{} methods", several.len()),
    }
}

/// Formats a range of numbers of pairs: "1,000 pairs", "200 to 20,000 pairs".
fn pairs_range(pairs: impl Iterator<Item = u64> + Clone) -> String {
    span(pairs).map_or("no pairs".into(), |pairs| format!("{pairs} pairs"))
}
