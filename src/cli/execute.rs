//! Runs the runs of a plan, one after the other, and says what came of them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::failure::{Failure, print, print_json, say};
use super::format::grouped;
use super::optimise::OutputArgs;
use super::outcome::{self, Outcome};
use super::progress::RunProgress;
use crate::arena::{StopReason, StopSignal};
use crate::evaluate::{Estimate, score};
use crate::experiment::{
    ChampionshipSpec, Checkpoint, CurvePoint, Discovery, Experiment, Plan, Provenance,
    RunDirectory, RunFiles, StrategyFile, read_curve,
};
use crate::family::ContestantSpec;
use crate::optimise::{self, Budget, Resumption, RunResult, Task};
use crate::race::{Championship, Comparison, Rules};
use crate::rng::{Label, StreamKey};

/// Pairs for the scores of a result that somebody is waiting for.
const HURRIED_PAIRS: u64 = 1000;

/// Carries out a plan in a new directory, and says what came of it.
pub(super) fn execute(plan: &Plan, output: &OutputArgs, stop: &StopSignal) -> Result<(), Failure> {
    let directory = RunDirectory::create(output.out.as_deref(), plan)?;
    carry_out(plan, &directory, output.json, stop)
}

/// Goes on with the plan in a directory, and says what came of it.
pub(super) fn resume(
    directory: &RunDirectory,
    plan: &Plan,
    json: bool,
    stop: &StopSignal,
) -> Result<(), Failure> {
    directory.check_runs(plan)?;
    let begun = plan.runs.iter().filter(|run| directory.run_path(run).exists()).count();
    if begun == 0 {
        say("no run has begun: this is the beginning");
    }
    carry_out(plan, directory, json, stop)
}

fn carry_out(
    plan: &Plan,
    directory: &RunDirectory,
    as_json: bool,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let mut provenance = None;
    let started = Instant::now();
    let mut outcomes = Vec::new();
    for experiment in &plan.runs {
        let (files, checkpoint, resumption) = RunFiles::open(directory, experiment)?;
        if let Some(checkpoint) = &checkpoint
            && let Some(outcome) = finished(directory, experiment, checkpoint)
        {
            outcomes.push(outcome);
            continue;
        }
        if provenance.is_none() {
            let begun = Provenance::now();
            directory.write_provenance(&begun)?;
            provenance = Some(begun);
        }
        let elapsed_s = checkpoint.and_then(|checkpoint| checkpoint.elapsed_s).unwrap_or(0.0);
        let outcome = run(experiment, directory, files, resumption, elapsed_s, stop)?;
        let figure = learning_curve(experiment, &read_curve(directory, experiment)?, &outcome);
        let name = match plan.runs.len() {
            1 => "learning-curve.svg".into(),
            _ => format!("learning-curve-{}.svg", experiment.resolved.method),
        };
        directory.write_text(&name, &figure)?;
        outcomes.push(outcome);
        if stop.check().is_err() {
            break;
        }
    }
    let all_done = outcomes.len() == plan.runs.len() && stop.check().is_ok();
    let championship = match &plan.championship {
        Some(spec) if all_done => {
            let held = hold_championship(plan, *spec, &outcomes, stop);
            if let Some(championship) = &held {
                let champion = &outcomes[championship.ranking()[0]];
                directory.write_champion(&champion.strategy)?;
                directory.write_text(
                    "championship.csv",
                    &outcome::championship_csv(&outcomes, championship),
                )?;
            }
            held
        }
        _ => None,
    };
    match &mut provenance {
        Some(provenance) => {
            provenance.finish(started.elapsed().as_secs_f64());
            directory.write_provenance(provenance)?;
        }
        None => say("the run is finished"),
    }

    match (as_json, &plan.championship, outcomes.as_slice()) {
        (true, None, [outcome]) => print_json(&outcome::json(outcome, directory))?,
        (false, None, [outcome]) => print(&outcome::page(outcome, directory)?)?,
        (true, ..) => {
            print_json(&outcome::json_of_all(plan, &outcomes, championship.as_ref(), directory))?;
        }
        (false, ..) => {
            print(&outcome::page_of_all(plan, &outcomes, championship.as_ref(), directory))?;
        }
    }
    // The signal may also have come while the champion was scored.
    stop.check().map_err(|_| {
        say(&format!("`ruse resume {}` goes on from here", directory.path().display()));
        Failure::Interrupted
    })
}

/// The result of a run that came to its end, if it did.
fn finished<'a>(
    directory: &RunDirectory,
    experiment: &'a Experiment,
    checkpoint: &Checkpoint,
) -> Option<Outcome<'a>> {
    let strategy = StrategyFile::read(&directory.strategy_path(experiment)).ok()?;
    let found = strategy.found.as_ref()?;
    let sigma = checkpoint.state.method.get("sigma").and_then(serde_json::Value::as_f64);
    let result = RunResult {
        champion: strategy.parameters.clone(),
        sigma,
        iterations: found.iterations,
        games: found.games,
        stop_reason: found.stop_reason,
    };
    let is_finished = result.stop_reason != StopReason::Interrupted
        && result.iterations == checkpoint.state.iteration;
    is_finished.then_some(Outcome { experiment, result, strategy, learning: None })
}

/// Carries out one run, from its start or from where it was, and scores its champion.
fn run<'a>(
    experiment: &'a Experiment,
    directory: &RunDirectory,
    files: RunFiles,
    resumption: Option<Resumption>,
    elapsed_before_s: f64,
    stop: &StopSignal,
) -> Result<Outcome<'a>, Failure> {
    let family = experiment.family.as_ref();
    let spec = &experiment.resolved;
    let key = StreamKey::root(spec.seed);
    let baseline = experiment.baseline.contestant(family, key);
    let started = Instant::now();

    say(&format!("{}: {}, seed {}", spec.family, outcome::how(spec), spec.seed));
    let games_before = resumption.as_ref().map_or(0, |resumption| resumption.state.games);
    if let Some(Resumption { state, .. }) = &resumption {
        let (iteration, games) = (grouped(state.iteration), grouped(games_before));
        say(&format!("resumed after iteration {iteration} and {games} games"));
    }
    let time = experiment.budget.time;
    let task = Task {
        family,
        method: experiment.method,
        comparison: experiment.comparison,
        limits: experiment.limits,
        budget: Budget {
            time: time.map(|time| time.saturating_sub(Duration::from_secs_f64(elapsed_before_s))),
            ..experiment.budget
        },
        baseline: baseline.clone(),
        monitor_pairs: experiment.monitor_pairs,
        key,
    };
    let mut progress = RunProgress::new(experiment.budget, files, elapsed_before_s, games_before);
    let mut result = optimise::run(&task, resumption, stop, &mut progress)?;
    progress.finish()?;
    let learning = Some((result.games - games_before, started.elapsed().as_secs_f64()));

    let mut strategy = evaluate(experiment, &baseline, &result, key, stop);
    if stop.check().is_err() {
        // Perhaps only while the champion was scored: whoever resumes the run scores him again.
        result.stop_reason = StopReason::Interrupted;
        if let Some(found) = &mut strategy.found {
            found.stop_reason = StopReason::Interrupted;
        }
    }
    directory.write_strategy(experiment, &strategy)?;
    Ok(Outcome { experiment, result, strategy, learning })
}

/// Scores the champion on fresh pairs against the baseline and every reference strategy.
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
        score_against_references: references.collect::<BTreeMap<_, _>>(),
    }
}

/// Races the champions of all runs, unless it was stopped.
fn hold_championship(
    plan: &Plan,
    spec: ChampionshipSpec,
    outcomes: &[Outcome<'_>],
    stop: &StopSignal,
) -> Option<Championship> {
    let family = plan.runs[0].family.as_ref();
    let champions: Vec<_> = outcomes
        .iter()
        .map(|outcome| ContestantSpec::Parameters(outcome.result.champion.clone()))
        .collect();
    let members: Vec<_> = champions.iter().collect();
    let league = family.league(&members).expect("champions are of the family");
    let rules = Rules {
        comparison: Comparison::Bernstein,
        limits: spec.limits,
        max_games: spec.max_games.unwrap_or(u64::MAX),
    };
    let key = StreamKey::root(plan.resolved.seed);
    say(&format!("{}: the champions meet", plan.resolved.family));
    Championship::hold(rules, league.as_ref(), members.len(), key, stop, |_| ()).ok()
}

fn learning_curve(experiment: &Experiment, curve: &[CurvePoint], outcome: &Outcome<'_>) -> String {
    let spec = &experiment.resolved;
    let points = curve.iter().map(|&CurvePoint { games, estimate }| ruse_plots::CurvePoint {
        games: games as f64,
        score: estimate.score,
        interval: estimate.interval,
    });
    ruse_plots::learning_curve(&ruse_plots::LearningCurve {
        title: format!("{}: score of the incumbent against the baseline", spec.family),
        caption: format!(
            "{}, seed {}; {} pairs a point, 95 % intervals",
            outcome::briefly(spec),
            spec.seed,
            experiment.monitor_pairs
        ),
        points: points.collect(),
        games: outcome.result.games as f64,
    })
}
