//! The strategies on the page of an experiment: their origin, their play and their scores.

use ruse_lab::{Experiment, Length, RunDirectory, StrategyFile};
use ruse_play::family::AnyFamily;

use crate::ReportError;
use crate::discovery::{by_what, nothing_found, stopped_because};
use crate::error::Result;
use crate::figures::Run;
use crate::format::{counted, grouped, score};
use crate::page::{Column, Learned, Table};
use crate::terminal::{digits, interval, score_cells, sentence};

/// The maximum number of parameters in a table that is not folded.
const MAX_PARAMETERS_SHOWN: usize = 10;

/// Returns the strategy of a run.
///
/// # Errors
///
/// Returns an error if the run is not finished.
pub(super) fn learned_in(directory: &RunDirectory, run: &Experiment) -> Result<StrategyFile> {
    let not_finished = || ReportError::Unfinished(run.run_name());
    directory.learned(run)?.ok_or_else(not_finished)
}

/// Describes the run that found a strategy, and says if it found nothing better than its start. Returns `None` if the
/// file does not name a run.
pub(super) fn found(file: &StrategyFile, family: &dyn AnyFamily) -> Option<String> {
    let run = run_in_words(file)?;
    Some(match nothing_found(file, family) {
        Some(nothing) => format!("{} The run: {run}.", typed(&nothing)),
        None => format!("Found by {run}."),
    })
}

/// Removes backticks, which a page does not render.
pub(super) fn typed(text: &str) -> String {
    text.replace('`', "")
}

/// Describes the run that found a strategy: its method, its length and why it stopped.
fn run_in_words(file: &StrategyFile) -> Option<String> {
    let found = file.found.as_ref()?;
    Some(format!(
        "{}, in {} and {}; it stopped because {}",
        by_what(found),
        counted(found.iterations, "iteration"),
        counted(found.games, "game"),
        stopped_because(found.stop_reason, found.games, Length::default(), false),
    ))
}

pub(super) fn score_in_words(file: &StrategyFile) -> Option<String> {
    let (estimate, opponent) = (file.score()?, file.scored_against());
    let points = score(estimate.score, digits(&estimate));
    if estimate.is_exact() {
        return Some(format!("It scores {points} against {opponent}, exactly."));
    }
    Some(format!(
        "It scores {points} against {opponent}, 95% interval {}, in {} of fresh games that did not select it.",
        interval(&estimate),
        counted(estimate.pairs, "pair"),
    ))
}

/// Describes the play of a strategy in a sentence.
fn words(file: &StrategyFile, family: &dyn AnyFamily) -> String {
    let computed = || family.words(&file.parameters).unwrap_or_default();
    sentence(&file.words.clone().unwrap_or_else(computed))
}

/// Returns a strategy for the page, with its scores and parameters.
pub(super) fn learned(file: &StrategyFile, family: &dyn AnyFamily, title: String) -> Learned {
    let references = family.references();
    // The references are in the order of the family.
    let scores = references.iter().filter_map(|reference| {
        Some((&*reference.name, file.score_against_references.get(&*reference.name)?))
    });
    let baseline = file.score_against_baseline.as_ref().map(|estimate| ("baseline", estimate));
    let score_against = file.score_against.as_ref().map(|of| (of.opponent.as_str(), &of.score));
    let scores =
        score_against.into_iter().chain(baseline).chain(scores).map(|(opponent, estimate)| {
            let [score, interval, pairs] = score_cells(estimate, "–");
            vec![opponent.into(), score, interval, pairs]
        });
    let scores = Table {
        title: "Scores".into(),
        columns: ["against", "score", "95% interval", "pairs"].map(Column::new).into(),
        rows: scores.collect(),
        is_folded: false,
    };
    let space = family.space();
    let parameters = space.parameters().iter().zip(&file.parameters).map(|(parameter, value)| {
        vec![parameter.name.to_string(), format!("{value:.4}"), parameter.meaning.to_string()]
    });
    let parameters = Table {
        title: counted(file.parameters.len() as u64, "parameter"),
        columns: vec![Column::new("parameter"), Column::new("value"), Column::text("meaning")],
        rows: parameters.collect(),
        is_folded: file.parameters.len() > MAX_PARAMETERS_SHOWN,
    };
    Learned {
        title,
        found: found(file, family).unwrap_or_default(),
        words: words(file, family),
        tables: vec![scores, parameters],
    }
}

/// Returns the table of the strategies of a family's runs, by decreasing score.
pub(super) fn all_runs(runs: &[Run<'_>]) -> Result<Table> {
    let mut rows = Vec::new();
    for run in runs {
        let file = learned_in(run.directory, run.experiment)?;
        let Some((found, estimate)) = file.found.as_ref().zip(file.score()) else {
            continue;
        };
        let [score, interval, _] = score_cells(&estimate, "");
        let row = vec![
            run.experiment.labels[1].clone(),
            found.seed.to_string(),
            score,
            interval,
            grouped(found.iterations),
            grouped(found.games),
            words(&file, run.experiment.family.as_ref()),
        ];
        rows.push((estimate.score, row));
    }
    rows.sort_by(|(x, _), (y, _)| y.total_cmp(x));
    let names = ["method", "seed", "score", "95% interval", "iterations", "games"];
    let columns = names.map(Column::new).into_iter().chain([Column::text("how it plays")]);
    Ok(Table {
        title: format!("All {}, the highest score first", counted(rows.len() as u64, "run")),
        columns: columns.collect(),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        is_folded: true,
    })
}
