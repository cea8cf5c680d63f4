//! Carries out the runs of a plan, several at the same time where that helps.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::failure::Failure;
use super::format::{duration, grouped};
use super::outcome::{self, Outcome};
use super::progress::{PlanProgress, RunProgress};
use crate::arena::{StopReason, StopSignal};
use crate::evaluate::{Estimate, score};
use crate::experiment::{
    Checkpoint, Discovery, Experiment, MixtureMember, Plan, Provenance, RunDirectory, RunFiles,
    StrategyFile,
};
use crate::family::ContestantSpec;
use crate::optimise::{self, Budget, MixedStrategy, Resumption, RunResult, Task};
use crate::rng::{Label, StreamKey};

/// Pairs for the scores of a result that somebody is waiting for.
const HURRIED_PAIRS: u64 = 1000;

/// The runs of a plan, and what is known while they go on.
pub(super) struct Jobs<'a> {
    plan: &'a Plan,
    directory: &'a RunDirectory,
    stop: &'a StopSignal,
    /// When the first run began that was not finished before.
    provenance: Mutex<Option<(Provenance, Instant)>>,
    progress: PlanProgress,
}

impl<'a> Jobs<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        directory: &'a RunDirectory,
        stop: &'a StopSignal,
    ) -> Jobs<'a> {
        let progress = PlanProgress::new(plan);
        Jobs { plan, directory, stop, provenance: Mutex::new(None), progress }
    }

    /// Carries out all runs that are not finished, and returns what came of each, in the order of the
    /// plan; nothing of those that did not begin before somebody stopped it.
    ///
    /// With several threads several runs go on at the same time, each on its own thread: nothing keeps
    /// threads busier. When fewer runs are left than threads, the last ones get several.
    pub(super) fn carry_out(&self) -> Result<Vec<Option<Outcome<'a>>>, Failure> {
        let num_threads = rayon::current_num_threads();
        let num_runs = self.plan.runs.len();
        // The longest first: a long run that begins last leaves threads idle.
        let mut order: Vec<usize> = (0..num_runs).collect();
        let lengths: Vec<f64> = self.plan.runs.iter().map(expected_length).collect();
        order.sort_by(|&x, &y| lengths[y].total_cmp(&lengths[x]).then(x.cmp(&y)));

        let next = AtomicUsize::new(0);
        let outcomes: Vec<Mutex<Option<Outcome<'a>>>> =
            (0..num_runs).map(|_| Mutex::new(None)).collect();
        let failure: Mutex<Option<Failure>> = Mutex::new(None);
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(&index) = order.get(place) else { return };
                if self.stop.check().is_err() {
                    return;
                }
                let share = (num_threads / (num_runs - place)).max(1);
                match self.on_pool(share, index) {
                    Ok(outcome) => *lock(&outcomes[index]) = Some(outcome),
                    Err(found) => {
                        // The others stop where they are; they can be resumed.
                        lock(&failure).get_or_insert(found);
                        self.stop.raise();
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            let num_workers = num_threads.min(num_runs);
            for _ in 1..num_workers {
                scope.spawn(work);
            }
            work();
        });
        self.progress.finish();
        if let Some(failure) = lock(&failure).take() {
            return Err(failure);
        }
        Ok(outcomes.into_iter().map(|outcome| lock(&outcome).take()).collect())
    }

    /// Carries out one run on so many threads.
    fn on_pool(&self, num_threads: usize, index: usize) -> Result<Outcome<'a>, Failure> {
        let is_on_pool = rayon::current_thread_index().is_some();
        if is_on_pool && num_threads == rayon::current_num_threads() {
            return self.carry_out_run(index);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build();
        let pool = pool.map_err(|e| Failure::Failed(format!("cannot start threads: {e}")))?;
        pool.install(|| self.carry_out_run(index))
    }

    fn carry_out_run(&self, index: usize) -> Result<Outcome<'a>, Failure> {
        let experiment = &self.plan.runs[index];
        let (files, checkpoint, resumption) = RunFiles::open(self.directory, experiment)?;
        if let Some(checkpoint) = &checkpoint
            && let Some(outcome) = finished(self.directory, experiment, checkpoint)?
        {
            self.progress.on_finished_before(index);
            return Ok(outcome);
        }
        self.note_start()?;
        let elapsed_s = checkpoint.and_then(|checkpoint| checkpoint.elapsed_s).unwrap_or(0.0);
        let outcome = self.run(index, files, resumption, elapsed_s)?;
        self.progress.on_run_done(index, &outcome);
        Ok(outcome)
    }

    /// Notes who makes the results, once.
    fn note_start(&self) -> Result<(), Failure> {
        let mut provenance = lock(&self.provenance);
        if provenance.is_none() {
            let num_threads = self.progress.num_threads();
            let begun = Provenance::now(num_threads);
            self.directory.write_provenance(&begun)?;
            *provenance = Some((begun, Instant::now()));
        }
        Ok(())
    }

    /// Notes that everything is done; tells whether there was anything to do.
    pub(super) fn note_end(&self) -> Result<bool, Failure> {
        let Some((mut provenance, started)) = lock(&self.provenance).take() else {
            return Ok(false);
        };
        provenance.finish(started.elapsed().as_secs_f64());
        self.directory.write_provenance(&provenance)?;
        Ok(true)
    }

    /// Carries out one run, from its start or from where it was, and scores its champion.
    fn run(
        &self,
        index: usize,
        files: RunFiles,
        resumption: Option<Resumption>,
        elapsed_before_s: f64,
    ) -> Result<Outcome<'a>, Failure> {
        let experiment = &self.plan.runs[index];
        let family = experiment.family.as_ref();
        let spec = &experiment.resolved;
        let key = StreamKey::root(spec.seed);
        let baseline = experiment.baseline.contestant(family, key);
        let started = Instant::now();

        let games_before = resumption.as_ref().map_or(0, |resumption| resumption.state.games);
        self.progress.on_run_begun(|| {
            format!("{}: {}, seed {}", spec.family, outcome::how(spec), spec.seed)
        });
        if let Some(Resumption { state, .. }) = &resumption {
            let (iteration, games) = (grouped(state.iteration), grouped(games_before));
            self.progress
                .on_run_begun(|| format!("resumed after iteration {iteration} and {games} games"));
        }
        let time = experiment.budget.time;
        let task = Task {
            family,
            method: experiment.method,
            comparison: experiment.comparison,
            limits: experiment.limits,
            budget: Budget {
                time: time.map(|time| time.saturating_sub(duration(elapsed_before_s))),
                ..experiment.budget
            },
            baseline: baseline.clone(),
            monitor_pairs: experiment.monitor_pairs,
            key,
        };
        let mut progress = RunProgress::new(
            &self.progress,
            index,
            experiment.run_name(),
            experiment.budget,
            files,
            (elapsed_before_s, games_before),
        );
        let mut result = optimise::run(&task, resumption, self.stop, &mut progress)?;
        let files = progress.finish()?;
        let learning = Some((result.games - games_before, started.elapsed().as_secs_f64()));

        let mut strategy = evaluate(experiment, &baseline, &result, key, self.stop);
        if self.stop.check().is_err() {
            // Perhaps only while the champion was scored: whoever resumes the run scores him again.
            result.stop_reason = StopReason::Interrupted;
            if let Some(found) = &mut strategy.found {
                found.stop_reason = StopReason::Interrupted;
            }
        }
        files.conclude(result.stop_reason == StopReason::Interrupted, || {
            let text = self.directory.write_strategy(experiment, &strategy)?;
            let mixture = result.mixture.as_ref().map(|members| {
                let file = mixture_file(&strategy, members);
                self.directory.write_mixture(experiment, &file)
            });
            Ok((text, mixture.transpose()?))
        })?;
        Ok(Outcome { experiment, result, strategy, learning })
    }
}

/// What a mutex holds. Whoever panicked with it in his hands has ended the program.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// How long a run takes, in units of the time for the default budget of its family; these go by speed.
pub(super) fn expected_length(experiment: &Experiment) -> f64 {
    let default_budget = experiment.family.default_budget() as f64;
    experiment.budget.games.map_or(1.0, |games| games as f64 / default_budget)
}

/// The result of a run that came to its end, if it did.
///
/// # Errors
///
/// When somebody has changed the result since then.
pub(super) fn finished<'a>(
    directory: &RunDirectory,
    experiment: &'a Experiment,
    checkpoint: &Checkpoint,
) -> Result<Option<Outcome<'a>>, Failure> {
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
        let parameters =
            |member: &MixtureMember| Some((member.weight, member.strategy.parameters()?.to_vec()));
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
    Ok(Some(Outcome { experiment, result, strategy, learning: None }))
}

/// The mixed strategy of the run that found this champion.
fn mixture_file(champion: &StrategyFile, members: &MixedStrategy) -> StrategyFile {
    let member = |(weight, parameters): &(f64, Vec<f64>)| MixtureMember {
        weight: *weight,
        name: None,
        strategy: parameters.clone().into(),
    };
    StrategyFile {
        rules: champion.rules.clone(),
        mixture: members.iter().map(member).collect(),
        found: champion.found.clone(),
        ..StrategyFile::empty(&champion.family)
    }
}

/// Scores the champion against the baseline and every reference strategy: exactly where the family can, else on
/// fresh pairs.
fn evaluate(
    experiment: &Experiment,
    baseline: &ContestantSpec,
    result: &RunResult,
    key: StreamKey,
    stop: &StopSignal,
) -> StrategyFile {
    let family = experiment.family.as_ref();
    let champion = ContestantSpec::Parameters(result.champion.clone());
    // Whoever interrupted the run still wants to know what was found, but soon; and a second signal
    // ends the program at once.
    let interrupted = result.stop_reason == StopReason::Interrupted;
    let (num_pairs, stop) = match interrupted {
        true => (HURRIED_PAIRS.min(experiment.evaluation_pairs), &StopSignal::default()),
        false => (experiment.evaluation_pairs, stop),
    };
    let estimate = |opponent: &ContestantSpec, index: u64| -> Option<Estimate> {
        if let Some(score) = family.exact_score(&champion, opponent).expect("both were checked") {
            return Some(Estimate::computed(score, 0));
        }
        let matchup = family.matchup(&champion, opponent).expect("both were checked");
        let key = key.child(Label::Evaluation, index);
        score(matchup.as_ref(), key, num_pairs, stop, |_| ()).0.estimate()
    };
    let references = (1..).zip(family.references()).filter_map(|(index, reference)| {
        let opponent = ContestantSpec::Reference(reference.name.into());
        Some((reference.name.to_string(), estimate(&opponent, index)?))
    });
    let spec = &experiment.resolved;
    StrategyFile {
        family: spec.family.clone(),
        rules: spec.rules.clone(),
        parameters: result.champion.clone(),
        mixture: Vec::new(),
        words: Some(family.words(&result.champion).expect("a champion has valid parameters")),
        found: Some(Discovery {
            method: spec.method.clone(),
            comparison: spec.comparison.clone(),
            seed: spec.seed,
            iterations: result.iterations,
            games: result.games,
            stop_reason: result.stop_reason,
        }),
        score_against_baseline: estimate(baseline, 0),
        score_against_references: references.collect(),
    }
}
