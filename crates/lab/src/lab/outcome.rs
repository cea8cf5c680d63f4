//! The outcomes of the runs of an experiment.

use super::error::LabError;
use super::files::checkpoint::Checkpoint;
use super::files::run_directory::RunDirectory;
use super::files::strategy::{MixtureMember, StrategyFile};
use super::spec::run::Experiment;
use crate::family::{Player, Weighted};
use crate::optimise::RunResult;
use crate::portfolio::RacedPortfolio;
use crate::race::Championship;

/// The outcome of a run.
#[derive(Clone)]
pub struct RunOutcome<'a> {
    /// The run.
    pub experiment: &'a Experiment,
    /// The result of the method.
    pub result: RunResult,
    /// The champion with its scores, as in its strategy file.
    pub strategy: StrategyFile,
    /// The games and seconds that the run took since it began or was resumed; `None` if it was already finished.
    pub learning: Option<(u64, f64)>,
}

impl RunOutcome<'_> {
    /// Returns the champion as a player.
    pub fn champion(&self) -> Player {
        Player::Parameters(self.result.champion.clone())
    }

    /// Returns the exploitability of the champion, if it is known exactly: the score of a best response minus one half.
    pub fn exploitability(&self) -> Option<f64> {
        // A run with a worst case has looked for a best response, which may have taken long.
        if let Some(worst) = &self.strategy.worst_case {
            return worst.is_exact().then_some(0.5 - worst.score.score);
        }
        let response = self.experiment.family.best_response(&self.champion()).ok()??;
        Some(response.score() - 0.5)
    }

    /// Reads the outcome of a run. Returns `None` if the run is not finished.
    ///
    /// # Errors
    ///
    /// Same as [`read`](RunOutcome::read).
    pub(super) fn of_finished<'a>(
        directory: &RunDirectory,
        experiment: &'a Experiment,
    ) -> Result<Option<RunOutcome<'a>>, LabError> {
        match directory.checkpoint(experiment)? {
            Some(checkpoint) => RunOutcome::read(directory, experiment, &checkpoint),
            None => Ok(None),
        }
    }

    /// Reads the outcome of a run. Returns `None` if the run is not finished.
    ///
    /// # Errors
    ///
    /// Returns an error if files of the run cannot be read, or were changed.
    pub fn read<'a>(
        directory: &RunDirectory,
        experiment: &'a Experiment,
        checkpoint: &Checkpoint,
    ) -> Result<Option<RunOutcome<'a>>, LabError> {
        if checkpoint.result.is_none() {
            return Ok(None);
        }
        let Some(strategy) = directory.read_strategy(experiment, Some(checkpoint))? else {
            return Ok(None);
        };
        let Some(found) = &strategy.found else { return Ok(None) };
        let sigma = checkpoint.state.method.get("sigma").and_then(serde_json::Value::as_f64);
        let mixture = directory.read_mixture(experiment, Some(checkpoint))?.map(|file| {
            let members = file.mixture.iter();
            let parameters = |member: &MixtureMember| {
                let of = member.strategy.parameters()?.into();
                Some(Weighted { weight: member.weight, of })
            };
            members.filter_map(parameters).collect()
        });
        let result = RunResult {
            champion: strategy.parameters.clone(),
            mixture,
            sigma,
            iterations: found.iterations,
            games: found.games,
            stop_reason: found.stop_reason,
        };
        Ok(Some(RunOutcome { experiment, result, strategy, learning: None }))
    }
}

/// The races between the champions of all methods, and the mixture of the champions.
pub(in crate::lab) type Conclusion = (Championship, RacedPortfolio);

/// The outcome of a plan.
pub struct Outcome<'a> {
    /// The outcomes of the runs that began, in the order of the plan.
    pub runs: Vec<RunOutcome<'a>>,
    /// The races between the champions of all methods, and the mixture of the champions; `None` if the champions do not
    /// race.
    pub championship: Option<Conclusion>,
    /// True if there was work left to do.
    pub was_unfinished: bool,
    /// True if the plan was stopped before its end.
    pub was_stopped: bool,
}
