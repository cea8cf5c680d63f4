//! Descriptions of a run and of its result, and of the reason why it stopped.

use std::fmt::Write;

use ruse_base::stop::StopReason;
use ruse_lab::{Discovery, ExperimentSpec, Length, StrategyFile, as_typed};
use ruse_play::family::{AnyFamily, BASELINE};
use ruse_play::score::Estimate;

use crate::format::{counted, grouped, score};
use crate::terminal::digits;

/// Describes why a run stopped after `games` games. `length` contains the known limits on the run, which make the
/// description more exact. `is_pruned` states whether the run had a phase that set parameters to zero.
pub fn stopped_because(reason: StopReason, games: u64, length: Length, is_pruned: bool) -> String {
    let no_new_champion = match length.stop_when_stalled {
        Some(limit) => format!("nothing better came in {}", counted(limit, "game")),
        None => "no new champion came within the limit `stop-when-stalled`".to_string(),
    };
    let left = length.budget.map_or(String::new(), |budget| {
        format!("{} of {}", counted(budget.saturating_sub(games), "game"), grouped(budget))
    });
    match (reason, length.budget) {
        (StopReason::Games, Some(budget)) if games == 0 => {
            format!("the budget of {} is too small for one iteration", counted(budget, "game"))
        }
        (StopReason::Games, Some(budget)) if games < budget && is_pruned => format!(
            "the search has played its share of the games, and no other group of parameters can be set to zero: {left} \
             are left"
        ),
        (StopReason::Games, Some(budget)) if games < budget => format!(
            "the next iteration does not fit into the {} left of {}",
            counted(budget - games, "game"),
            grouped(budget)
        ),
        (StopReason::Games, Some(_)) => "all games of the budget are played".into(),
        (StopReason::Games, None) => "another iteration did not fit into the budget".into(),
        (StopReason::Iterations, _) => "all iterations of the budget are done".into(),
        (StopReason::Stalled, Some(_)) => format!("{no_new_champion}, and {left} are left"),
        (StopReason::Stalled, None) => no_new_champion,
        (StopReason::Finished, Some(_)) => format!("the method has ended, and {left} are left"),
        (StopReason::Finished, None) => "the method has ended".into(),
        (StopReason::Time, _) => "the time is up".into(),
        (StopReason::Interrupted, _) => "it was interrupted".into(),
    }
}

/// Names the strongest opponent found for a strategy, if there was a search.
pub fn worst_case_in_words(file: &StrategyFile) -> Option<String> {
    let worst = file.worst()?;
    let Some(of_opponent) = worst.score.map(Estimate::reversed) else {
        let games = counted(worst.games, "game");
        return Some(format!("No opponent was found that beats it ({games} of training)."));
    };
    let scored = score(of_opponent.score, digits(&of_opponent));
    Some(match of_opponent.score {
        _ if worst.is_easily_exploited() => {
            format!("It is easily exploited: {} scores {scored} against it.", worst.opponent)
        }
        of_opponent if of_opponent > 0.5 => {
            format!("The strongest opponent found, {}, scores {scored} against it.", worst.opponent)
        }
        _ => "No strategy beats it: even a best response scores one half, exactly.".into(),
    })
}

/// Returns advice on how to find a better strategy, after a run that stopped for `reason` after `games` games.
fn what_to_do(family: &dyn AnyFamily, games: u64, reason: StopReason) -> String {
    let usual = family.info().default_budget;
    match games < usual {
        _ if reason == StopReason::Interrupted => {
            "The run was interrupted: `ruse resume` goes on with it.".into()
        }
        true => format!(
            "The budget that suits {} is {} games: `--budget {}`.",
            family.name(),
            grouped(usual),
            as_typed(usual)
        ),
        false => "A larger budget, another seed or another method may find something.".into(),
    }
}

/// Returns a remark with advice if a run found nothing better than its start.
pub fn nothing_found(file: &StrategyFile, family: &dyn AnyFamily) -> Option<String> {
    let (found, start) = file.found.as_ref().zip(file.start_in_words())?;
    let nothing = match found.games {
        0 => format!("No candidate was tried: this is {start}."),
        games => format!("Nothing better than {start} was found in {}.", counted(games, "game")),
    };
    Some(format!("{nothing} {}", what_to_do(family, found.games, found.stop_reason)))
}

/// Describes how a strategy was found: the method, the races and the seed.
pub fn by_what(found: &Discovery) -> String {
    let races =
        found.comparison.as_ref().map_or(String::new(), |name| format!(" with {name} races"));
    format!("{}{races}, seed {}", found.method, found.seed)
}

/// Describes the method and its comparisons of candidates.
pub fn how(spec: &ExperimentSpec) -> String {
    let mut how = briefly(spec);
    if let (Some(delta), Some(precision)) = (spec.races.delta, spec.races.precision) {
        let _ = write!(how, " (delta {delta}, precision {precision})");
    }
    how
}

/// Describes the method and its comparisons, without error rate and precision.
pub fn briefly(spec: &ExperimentSpec) -> String {
    let mut how = format!("{} method", spec.method);
    if let Some(comparison) = &spec.races.comparison {
        let _ = write!(how, ", {comparison} races");
    }
    if let Some(serde_json::Value::String(allocation)) = spec.options.get("allocation") {
        let _ = write!(how, ", {allocation} allocation");
    }
    // The default selection is not mentioned.
    if spec.options.get("selection").is_some_and(|selection| *selection == "whole") {
        how += ", selection of whole vectors";
    }
    how
}

/// Returns the scores in a file: against the opponent of `score_against`, the baseline, the strongest opponent found,
/// and the reference strategies in the family's order.
pub fn scores_of(file: &StrategyFile, family: &dyn AnyFamily) -> Vec<(String, Estimate)> {
    let baseline = file.score_against_baseline.map(|estimate| (BASELINE.into(), estimate));
    let worst = file.worst().and_then(|worst| worst.score);
    let worst = worst.map(|score| ("worst case found".into(), score));
    let references = family.references().into_iter().filter_map(|reference| {
        let estimate = *file.score_against_references.get(&*reference.name)?;
        Some((reference.name.into(), estimate))
    });
    let score_against = file.score_against.as_ref();
    let score_against =
        score_against.map(|of| (format!("scored against: {}", of.opponent), of.score));
    score_against.into_iter().chain(baseline).chain(worst).chain(references).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unused_budget_is_shown() {
        let said = |reason, games, budget| {
            stopped_because(reason, games, Length { budget, ..Length::default() }, false)
        };
        let games = StopReason::Games;
        assert_eq!(
            said(games, 989_640, Some(1_000_000)),
            "the next iteration does not fit into the 10,360 games left of 1,000,000"
        );
        assert_eq!(said(games, 60, Some(60)), "all games of the budget are played");
        assert_eq!(
            said(games, 0, Some(10)),
            "the budget of 10 games is too small for one iteration"
        );
        assert_eq!(said(StopReason::Interrupted, 5, None), "it was interrupted");
        let length = Length { stop_when_stalled: Some(500), ..Length::games(2_000) };
        assert_eq!(
            stopped_because(StopReason::Stalled, 700, length, false),
            "nothing better came in 500 games, and 1,300 games of 2,000 are left"
        );
    }
}
