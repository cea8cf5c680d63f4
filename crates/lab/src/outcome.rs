//! The outcomes of the runs of an experiment.

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopReason, StopSignal};
use ruse_optimise::methods::{RunResult, start_parameters};
use ruse_optimise::portfolio::RacedPortfolio;
use ruse_play::family::{Player, PlayerError, Weighted};
use ruse_play::race::Championship;
use ruse_play::score::{Estimate, Until, score};

use super::files::checkpoint::Checkpoint;
use super::files::run_directory::RunDirectory;
use super::files::strategy::{MixtureMember, StrategyFile};
use super::language::run::Experiment;
use crate::error::Result;

/// The outcome of a run.
#[derive(Clone)]
pub struct RunOutcome<'a> {
    /// The run.
    pub experiment: &'a Experiment,
    /// The result of the method.
    pub result: RunResult,
    /// The champion with its scores, as in its strategy file.
    pub strategy: StrategyFile,
    /// The score of the champion against the start of the run; `None` unless
    /// [`measure_against_start`](RunOutcome::measure_against_start) was called.
    pub against_start: Option<Estimate>,
    /// The games and seconds that the run took since it began or was resumed; `None` if it was already finished.
    pub learning: Option<(u64, f64)>,
}

impl RunOutcome<'_> {
    /// Returns the champion as a player.
    pub fn champion(&self) -> Player {
        Player::Parameters(self.result.champion.clone())
    }

    /// Returns `true` if the champion is proven to be better than the start of the run: the interval of its score
    /// against the start is above one half. Returns `None` if their games were not played, or were stopped.
    pub fn improved(&self) -> Option<bool> {
        match self.strategy.is_start() {
            true => Some(false),
            false => self.against_start.map(|score| score.interval[0] > 0.5),
        }
    }

    /// Sets the score of the champion against the start of its run: from its strategy file, if the start is a reference
    /// strategy, and otherwise from as many fresh games as the other scores. Does nothing if the champion is the start,
    /// or if the run was stopped.
    pub fn measure_against_start(&mut self, stop: &StopSignal) {
        if !self.strategy.is_start() && self.result.stop_reason != StopReason::Interrupted {
            self.against_start = self.score_against_start(stop);
        }
    }

    fn score_against_start(&self, stop: &StopSignal) -> Option<Estimate> {
        let RunOutcome { experiment, strategy, result, .. } = self;
        let family = experiment.family.as_ref();
        let key = StreamKey::root(experiment.resolved.seed);
        let drawn = || start_parameters(result.champion.len(), key);
        let start = experiment.start.parameters(family).unwrap_or_else(drawn);
        let references = family.references();
        let known = references.iter().find(|known| known.parameters.as_ref() == Some(&start));
        let known = known.and_then(|known| strategy.score_against_references.get(&*known.name));
        known.copied().or_else(|| {
            // The other scores have the indices from 0.
            let key = key.child(Label::Evaluation, (1 << 56) - 1);
            against(experiment, &self.champion(), &Player::Parameters(start), key, stop).ok()?
        })
    }

    /// Returns the exploitability of the champion, if it is known exactly: the score of a best response minus one half.
    pub fn exploitability(&self) -> Option<f64> {
        // A run with a worst case has looked for a best response, which may have taken long.
        if let Some(worst) = &self.strategy.worst_case {
            return worst.score.filter(|_| worst.is_exact()).map(|score| 0.5 - score.score);
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
    ) -> Result<Option<RunOutcome<'a>>> {
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
    ) -> Result<Option<RunOutcome<'a>>> {
        let Some(prints) = &checkpoint.result else { return Ok(None) };
        let Some(strategy) = directory.read_strategy(experiment, Some(checkpoint))? else {
            return Ok(None);
        };
        let Some(found) = &strategy.found else { return Ok(None) };
        let sigma = checkpoint.state.method.get("sigma").and_then(serde_json::Value::as_f64);
        let mixture = directory.read_mixture(experiment, Some(checkpoint))?;
        if mixture.is_none() && prints.mixture.is_some() {
            return Ok(None);
        }
        let mixture = mixture.map(|file| {
            let members = file.mixture.into_iter();
            let learned = members.filter(|member| member.strategy.parameters().is_some());
            let weighted = |MixtureMember { weight, strategy: of, .. }| Weighted { weight, of };
            learned.map(weighted).collect()
        });
        let result = RunResult {
            champion: strategy.parameters.clone(),
            mixture,
            sigma,
            iterations: found.iterations,
            games: found.games,
            stop_reason: found.stop_reason,
        };
        Ok(Some(RunOutcome { experiment, result, strategy, against_start: None, learning: None }))
    }
}

/// The races between the champions of all methods, and the mixture of the champions.
pub(crate) type Conclusion = (Championship, RacedPortfolio);

/// The races after the runs, if the work is done and has any.
pub(crate) type Concluded = Result<Option<Conclusion>>;

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

/// Returns the score of a player, measured like a champion of this run. Returns `None` if stopped.
pub(super) fn against(
    run: &Experiment,
    player: &Player,
    opponent: &Player,
    key: StreamKey,
    stop: &StopSignal,
) -> Result<Option<Estimate>, PlayerError> {
    let duel = run.family.duel(player, opponent)?;
    let (scored, played) = score(&duel, key, Until::Pairs(run.evaluation_pairs), stop, |_| ());
    Ok(played.ok().and_then(|()| scored.estimate()))
}
