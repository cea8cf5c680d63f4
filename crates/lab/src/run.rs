//! Carries out one run, from its start or from its checkpoint, and scores its champion.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use ruse_base::files::{DirectoryError, Holder, Result};
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopReason, StopSignal};
use ruse_optimise::exploit::{Responder, ResponseSearch, USUAL_RESTARTS};
use ruse_optimise::methods::{
    self, Budget, IterationRecord, Observer, Progress, Resumption, RunResult, SearchState, Task,
};
use ruse_play::family::{Player, Weighted};
use ruse_play::race::Limits;
use ruse_play::score::{Estimate, Until, score};

use super::error::LabError;
use super::files::checkpoint::{MIXTURE, STRATEGY};
use super::files::run_directory::RunDirectory;
use super::files::run_files::RunFiles;
use super::files::strategy::{Discovery, MixtureMember, ScoreAgainst, StrategyFile, WorstCase};
use super::language::run::{Experiment, WorstCaseSearch};
use super::note::Note;
use super::outcome::RunOutcome;
use super::plan::Plan;
use super::watch::{Event, Watch};

pub(super) struct Runs<'p, 'a> {
    pub(super) plan: &'p Plan,
    pub(super) directory: &'a RunDirectory,
    pub(super) note: &'a Note<'a>,
    pub(super) watch: &'a dyn Watch,
    pub(super) stop: &'a StopSignal,
    /// True if other programs carry out runs in the same directory.
    pub(super) is_shared: bool,
    /// The indices of runs that other programs carry out, with the program if it is known.
    pub(super) in_use: Mutex<Vec<(usize, Option<Holder>)>>,
}

/// The maximum number of pairs for scoring an interrupted run. They take less than a second.
const HURRIED_PAIRS: u64 = 1000;

/// Carries out the run with index `run`, from its start or its checkpoint, on the threads of the current pool.
/// `elapsed_before_s` has the seconds used before the run was resumed, if its time is limited. At a stop from outside,
/// scores the result so far with few pairs, and writes it for the user. In a shared directory, writes only the
/// checkpoint, because a scheduler kills programs that take too long to stop.
///
/// # Errors
///
/// Returns an error if files of the run cannot be written. A stop from outside is not an error: it returns the result
/// so far, or `None` in a shared directory.
pub(super) fn carry_out<'p>(
    runs: &Runs<'p, '_>,
    run: usize,
    files: RunFiles,
    resumption: Option<Resumption>,
    elapsed_before_s: f64,
) -> Result<Option<RunOutcome<'p>>, LabError> {
    let Runs { plan, directory, watch, stop, is_shared, .. } = *runs;
    let leaves = || is_shared && stop.check().is_err();
    let experiment = &plan.runs[run];
    let family = experiment.family.as_ref();
    let spec = &experiment.resolved;
    let key = StreamKey::root(spec.seed);
    let baseline = experiment.baseline.contestant(family, key);
    let score_against =
        experiment.score_against.as_ref().map(|opponent| opponent.contestant(family, key));
    let started = Instant::now();

    let done = resumption.as_ref().map(|Resumption { state, .. }| [state.iteration, state.games]);
    let games_before = done.map_or(0, |[_, games]| games);
    watch.on_event(&Event::RunBegins { run, done });
    let time = experiment.budget.time;
    let elapsed_before = Duration::try_from_secs_f64(elapsed_before_s).unwrap_or_default();
    let task = Task {
        family,
        method: experiment.method.clone(),
        races: experiment.races,
        start: experiment.start.parameters(family),
        budget: Budget {
            time: time.map(|time| time.saturating_sub(elapsed_before)),
            ..experiment.budget
        },
        baseline: baseline.clone(),
        scored_against: score_against.clone(),
        monitor_pairs: experiment.monitor_pairs,
        wide_responses: experiment.wide_responses.as_ref().map(|source| source as _),
        key,
    };
    let mut recorder =
        Recorder { run, watch, files, budget: experiment.budget, started, elapsed_before_s };
    let mut result = methods::run(&task, resumption, stop, &mut recorder)?;
    let mut files = recorder.files;
    files.flush()?;
    if leaves() {
        return Ok(None);
    }
    let learning = Some((result.games - games_before, started.elapsed().as_secs_f64()));

    watch.on_event(&Event::ScoringBegins { run });
    let opponents = (&baseline, score_against.as_ref());
    let mut strategy = evaluate(experiment, opponents, &result, key, stop);
    if result.stop_reason != StopReason::Interrupted {
        strategy.worst_case = worst_case(experiment, &result, key, stop);
    }
    if leaves() {
        return Ok(None);
    }
    if stop.check().is_err() {
        // The signal may have come while the champion was scored. It is then scored again after resuming.
        result.stop_reason = StopReason::Interrupted;
        if let Some(found) = &mut strategy.found {
            found.stop_reason = StopReason::Interrupted;
        }
    }
    files.conclude(result.stop_reason == StopReason::Interrupted, || {
        let text = directory.write_result(experiment, STRATEGY, &strategy)?;
        let mixture = result.mixture.as_ref().map(|members| {
            directory.write_result(experiment, MIXTURE, &mixture_file(&strategy, members))
        });
        Ok((text, mixture.transpose()?))
    })?;
    Ok(Some(RunOutcome { experiment, result, strategy, against_start: None, learning }))
}

struct Recorder<'a> {
    run: usize,
    watch: &'a dyn Watch,
    files: RunFiles,
    budget: Budget,
    started: Instant,
    elapsed_before_s: f64,
}

impl Recorder<'_> {
    fn elapsed_s(&self) -> f64 {
        self.elapsed_before_s + self.started.elapsed().as_secs_f64()
    }

    /// Returns the fraction of the budget that has been used, from 0 to 1. If several of games, iterations and time are
    /// limited, this is the largest of their fractions.
    fn fraction_done(&self, progress: &Progress) -> f64 {
        let share = |done: f64, limit: Option<f64>| limit.map_or(0.0, |limit| done / limit);
        let Budget { games, iterations, time, .. } = self.budget;
        let shares = [
            share(progress.games as f64, games.map(|limit| limit as f64)),
            share((progress.iteration - 1) as f64, iterations.map(|limit| limit as f64)),
            share(self.elapsed_s(), time.map(|limit| limit.as_secs_f64())),
        ];
        shares.into_iter().fold(0.0, f64::max).min(1.0)
    }
}

impl Observer for Recorder<'_> {
    type Error = DirectoryError;

    fn on_progress(&mut self, progress: Progress) {
        self.files.flush_if_due();
        let fraction = self.fraction_done(&progress);
        self.watch.on_event(&Event::RunGoesOn { run: self.run, fraction, progress });
    }

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        state: &dyn Fn() -> SearchState,
    ) -> Result {
        let elapsed_s = self.budget.time.map(|_| self.elapsed_s());
        // The state is passed even if no checkpoint is due. A run that is stopped while the next incumbent is scored
        // resumes from this state; the method itself has then advanced by one iteration.
        self.files.write(record, state(), elapsed_s)?;
        self.watch.on_event(&Event::IterationDone { run: self.run, record });
        Ok(())
    }

    fn on_remark(&mut self, remark: &str) {
        self.watch.on_event(&Event::RunRemark { run: self.run, remark });
    }
}

/// Returns the strategy file of the mixture of `members`, for the run that found `champion`.
fn mixture_file(champion: &StrategyFile, members: &[Weighted<Player>]) -> StrategyFile {
    let member = |Weighted { weight, of }: &Weighted<Player>| MixtureMember {
        weight: *weight,
        name: None,
        strategy: of.parameters().expect("methods mix parameters").to_vec().into(),
    };
    StrategyFile {
        rules: champion.rules.clone(),
        descriptions: champion.descriptions.clone(),
        mixture: members.iter().map(member).collect(),
        found: champion.found.clone(),
        ..StrategyFile::empty(&champion.family)
    }
}

/// Scores the champion against the baseline, the scoring opponent if that is another player, and every reference
/// strategy. Scores are exact if the family supports it; otherwise new pairs are played.
fn evaluate(
    experiment: &Experiment,
    (baseline, score_against): (&Player, Option<&Player>),
    result: &RunResult,
    key: StreamKey,
    stop: &StopSignal,
) -> StrategyFile {
    let family = experiment.family.as_ref();
    let champion = Player::Parameters(result.champion.clone());
    // After an interruption, the result is still scored, but quickly: not against players that think for a long time. A
    // second signal ends the program immediately.
    let interrupted = result.stop_reason == StopReason::Interrupted;
    let (num_pairs, stop) = match interrupted {
        true => (HURRIED_PAIRS.min(experiment.evaluation_pairs), &StopSignal::in_a_hurry()),
        false => (experiment.evaluation_pairs, stop),
    };
    let estimate = |opponent: &Player, index: u64| -> Option<Estimate> {
        let duel = family.duel(&champion, opponent).expect("both were checked");
        let key = key.child(Label::Evaluation, index);
        score(&duel, key, Until::Pairs(num_pairs), stop, |_| ()).0.estimate()
    };
    let references = (1..).zip(family.references()).filter_map(|(index, reference)| {
        let opponent = Player::Named(reference.name.to_string());
        Some((reference.name.to_string(), estimate(&opponent, index)?))
    });
    StrategyFile {
        rules: experiment.rules(),
        descriptions: family.descriptions(),
        parameters: result.champion.clone(),
        words: Some(family.words(&result.champion).expect("a champion has valid parameters")),
        found: Some(Discovery::of_run(
            experiment,
            &result.champion,
            [result.iterations, result.games],
            result.stop_reason,
        )),
        score_against_baseline: estimate(baseline, 0),
        // The two scores are measured on the same deals.
        score_against: score_against.and_then(|opponent| {
            let score = estimate(opponent, 0)?;
            Some(ScoreAgainst { opponent: experiment.scored_against().in_words(), score })
        }),
        score_against_references: references.collect(),
        ..StrategyFile::empty(&experiment.resolved.family)
    }
}

/// Searches for the champion's strongest opponent, and returns the champion's score against it. Returns `None` if the
/// experiment has no such search, or if it was stopped.
fn worst_case(
    experiment: &Experiment,
    result: &RunResult,
    key: StreamKey,
    stop: &StopSignal,
) -> Option<WorstCase> {
    let WorstCaseSearch { share, responders } = experiment.worst_case.as_ref()?;
    let family = experiment.family.as_ref();
    let champion = Player::Parameters(result.champion.clone());
    if let Some(response) = family.best_response(&champion).expect("a champion is of the family") {
        return Some(WorstCase::exact(1.0 - response.score()));
    }
    let budget = (share * result.games as f64) as u64;
    let search = ResponseSearch {
        family,
        responders: responders.clone(),
        strategy: &champion,
        budget,
        restarts: USUAL_RESTARTS,
        limits: Limits::default(),
        selection_pairs: ResponseSearch::usual_selection(budget, experiment.evaluation_pairs),
        confirmation_pairs: experiment.evaluation_pairs,
        key: key.child(Label::BestResponse, 1),
    };
    let bound = search.run(stop, |_| ()).expect("all responders play the game");
    let opponent = bound.responder.to_string();
    let parameters = bound.responder.parameters().map(<[f64]>::to_vec);
    let is_found = bound.responder != Responder::Itself;
    let (score, games) = (is_found.then(|| bound.score.reversed()), bound.games);
    (!bound.was_stopped).then_some(WorstCase { opponent, parameters, score, games })
}
