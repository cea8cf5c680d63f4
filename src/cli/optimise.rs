//! `ruse optimise`: tune a family.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use super::failure::{Failure, print, print_json};
use super::format::{grouped, paragraph, rounded};
use super::progress::{RunProgress, reason_in_words};
use super::show::{parameter_table, score_table};
use super::{MachineArgs, RuleArgs};
use crate::arena::{StopReason, StopSignal};
use crate::evaluate::{Estimate, score};
use crate::experiment::{
    BaselineSpec, Checkpoint, CurvePoint, Discovery, Experiment, ExperimentSpec, GAMES_RANGE,
    ITERATIONS_RANGE, Provenance, QuantityError, RunDirectory, RunFiles, StrategyFile,
    check_fraction, parse_count, parse_duration, read_curve,
};
use crate::family::{ContestantSpec, Registry};
use crate::optimise::{self, Budget, MethodName, Resumption, RunResult, Task};
use crate::race::Comparison;
use crate::rng::{Label, StreamKey};

/// Tune the parameters of a family
#[derive(Debug, Args)]
pub(super) struct OptimiseArgs {
    /// The family to tune (see `ruse list`)
    family: String,
    /// The optimiser: naive, iterative, real-coevolution or approximate-coevolution
    /// [default: iterative]
    #[arg(long, value_name = "M", value_parser = names(MethodName::ALL.map(MethodName::name)),
          hide_possible_values = true)]
    method: Option<String>,
    /// The comparison operator: bernstein, betting, hoeffding or majority [default: bernstein]
    #[arg(long, value_name = "C", value_parser = names(Comparison::ALL.map(Comparison::name)),
          hide_possible_values = true)]
    comparison: Option<String>,
    /// Probability that a comparison is wrong [default: 0.05]
    #[arg(long, value_name = "D", value_parser = parse_fraction, allow_hyphen_values = true)]
    delta: Option<f64>,
    /// Half-width of the interval at which a comparison without winner stops [default: 0.01]
    #[arg(long, value_name = "E", value_parser = parse_fraction, allow_hyphen_values = true)]
    precision: Option<f64>,
    /// Whom the naive method plays, and the result is scored against: redrawn, fixed (the parameters that
    /// the run starts from), a strategy file, a reference strategy, or parameters [default: redrawn]
    #[arg(long, value_name = "B")]
    baseline: Option<String>,
    /// Games to play in comparisons, as in 500k or 2M [default: what suits the family]
    #[arg(long, value_name = "N", value_parser = parse_games, allow_hyphen_values = true)]
    budget: Option<u64>,
    /// Candidates to try
    #[arg(long, value_name = "N", value_parser = parse_iterations, allow_hyphen_values = true)]
    iterations: Option<u64>,
    /// Wall time, as in 60s; such a run cannot be repeated exactly
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true)]
    time: Option<String>,
    /// Where all randomness comes from [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    seed: Option<u64>,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// Where results go.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// A new directory for the results [default: a new one under runs/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// One of these names, known to the completions of shells.
fn names<const N: usize>(names: [&'static str; N]) -> PossibleValuesParser {
    PossibleValuesParser::new(names)
}

fn parse_fraction(text: &str) -> Result<f64, QuantityError> {
    // What is not a number is not between 0 and 1 either.
    let refused = || QuantityError::NotBetweenZeroAndOne(format!("`{text}`"));
    check_fraction(text.parse().map_err(|_| refused())?)
}

fn parse_games(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, GAMES_RANGE)
}

fn parse_iterations(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, ITERATIONS_RANGE)
}

fn parse_time(text: &str) -> Result<String, QuantityError> {
    parse_duration(text).map(|_| text.to_string())
}

impl OptimiseArgs {
    fn spec(&self) -> ExperimentSpec {
        let defaults = ExperimentSpec::new(&self.family);
        ExperimentSpec {
            rules: self.rules.rules.iter().cloned().collect(),
            method: self.method.clone().unwrap_or(defaults.method),
            comparison: self.comparison.clone().unwrap_or(defaults.comparison),
            delta: self.delta.unwrap_or(defaults.delta),
            precision: self.precision.unwrap_or(defaults.precision),
            baseline: self.baseline.clone().map_or(defaults.baseline, BaselineSpec::Name),
            budget: self.budget,
            iterations: self.iterations,
            time: self.time.clone(),
            seed: self.seed.unwrap_or(defaults.seed),
            ..defaults
        }
    }
}

pub(super) fn optimise(
    args: &OptimiseArgs,
    registry: &Registry,
    stop: &StopSignal,
) -> Result<(), Failure> {
    execute(&Experiment::new(args.spec(), registry)?, &args.output, stop)
}

/// Longer tables tell nothing to the eye.
const MAX_PARAMETERS_SHOWN: usize = 20;

/// Pairs for the scores of a result that somebody is waiting for.
const HURRIED_PAIRS: u64 = 1000;

/// Runs an experiment in a new directory, and says what came of it.
pub(super) fn execute(
    experiment: &Experiment,
    output: &OutputArgs,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let directory = RunDirectory::create(output.out.as_deref(), experiment)?;
    let files = RunFiles::create(&directory, experiment)?;
    run_to_the_end(experiment, &directory, files, None, 0.0, output.json, stop)
}

/// Goes on with the run in a directory, and says what came of it.
pub(super) fn resume(
    directory: &RunDirectory,
    experiment: &Experiment,
    json: bool,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let (files, checkpoint, resumption) = RunFiles::resume(directory, experiment)?;
    if let Some(checkpoint) = &checkpoint
        && let Some((result, strategy)) = finished(directory, checkpoint)
    {
        anstream::eprintln!("the run is finished");
        return if json {
            print_json(&self::json(experiment, &result, &strategy, directory))
        } else {
            print(&page(experiment, &result, &strategy, directory, None)?)
        };
    }
    let elapsed_s = checkpoint.and_then(|checkpoint| checkpoint.elapsed_s).unwrap_or(0.0);
    run_to_the_end(experiment, directory, files, resumption, elapsed_s, json, stop)
}

/// The result of a run that came to its end, if it did.
fn finished(
    directory: &RunDirectory,
    checkpoint: &Checkpoint,
) -> Option<(RunResult, StrategyFile)> {
    let strategy = StrategyFile::read(&directory.run_path().join("strategy.yaml")).ok()?;
    let found = strategy.found.as_ref()?;
    let result = RunResult {
        champion: strategy.parameters.clone(),
        sigma: checkpoint.state.sigma,
        iterations: found.iterations,
        games: found.games,
        stop_reason: found.stop_reason,
    };
    let is_finished = result.stop_reason != StopReason::Interrupted
        && result.iterations == checkpoint.state.iteration;
    is_finished.then_some((result, strategy))
}

#[allow(clippy::too_many_arguments, reason = "private, and called twice")]
fn run_to_the_end(
    experiment: &Experiment,
    directory: &RunDirectory,
    files: RunFiles,
    resumption: Option<Resumption>,
    elapsed_before_s: f64,
    as_json: bool,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let family = experiment.family.as_ref();
    let spec = &experiment.resolved;
    let key = StreamKey::root(spec.seed);
    let baseline = experiment.baseline.contestant(family, key);
    let mut provenance = Provenance::now();
    directory.write_provenance(&provenance)?;
    let started = Instant::now();

    anstream::eprintln!(
        "{}: {} method, {} races (delta {}, precision {}), seed {}",
        spec.family,
        spec.method,
        spec.comparison,
        spec.delta,
        spec.precision,
        spec.seed
    );
    let games_before = resumption.as_ref().map_or(0, |resumption| resumption.state.games);
    if let Some(Resumption { state, .. }) = &resumption {
        let (iteration, games) = (grouped(state.iteration), grouped(games_before));
        anstream::eprintln!("resumed after iteration {iteration} and {games} games");
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
    let result = optimise::run(&task, resumption, stop, &mut progress)?;
    progress.finish();
    let learning_s = started.elapsed().as_secs_f64();

    let strategy = evaluate(experiment, &baseline, &result, key, stop);
    directory.write_strategy(&strategy)?;
    let figure = learning_curve(experiment, &read_curve(directory)?, result.games);
    directory.write_text("learning-curve.svg", &figure)?;
    provenance.finish(started.elapsed().as_secs_f64());
    directory.write_provenance(&provenance)?;

    if as_json {
        print_json(&json(experiment, &result, &strategy, directory))?;
    } else {
        let learning = Some((result.games - games_before, learning_s));
        print(&page(experiment, &result, &strategy, directory, learning)?)?;
    }
    // The signal may also have come while the champion was scored.
    stop.check().map_err(|_| {
        anstream::eprintln!("`ruse resume {}` goes on from here", directory.path().display());
        Failure::Interrupted
    })
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

fn learning_curve(experiment: &Experiment, curve: &[CurvePoint], games: u64) -> String {
    let spec = &experiment.resolved;
    let points = curve.iter().map(|&CurvePoint { games, estimate }| ruse_plots::CurvePoint {
        games: games as f64,
        score: estimate.score,
        interval: estimate.interval,
    });
    ruse_plots::learning_curve(&ruse_plots::LearningCurve {
        title: format!("{}: score of the incumbent against the baseline", spec.family),
        caption: format!(
            "{} method, {} races, seed {}; {} pairs a point, 95 % intervals",
            spec.method, spec.comparison, spec.seed, experiment.monitor_pairs
        ),
        points: points.collect(),
        games: games as f64,
    })
}

fn json(
    experiment: &Experiment,
    result: &RunResult,
    strategy: &StrategyFile,
    directory: &RunDirectory,
) -> Value {
    let spec = &experiment.resolved;
    json!({
        "family": spec.family,
        "method": spec.method,
        "comparison": spec.comparison,
        "delta": spec.delta,
        "precision": spec.precision,
        "seed": spec.seed,
        "iterations": result.iterations,
        "games": result.games,
        "stop_reason": result.stop_reason,
        "parameters": result.champion,
        "sigma": result.sigma,
        "words": strategy.words,
        "score_against_baseline": strategy.score_against_baseline,
        "score_against_references": strategy.score_against_references,
        "out": directory.path(),
    })
}

fn page(
    experiment: &Experiment,
    result: &RunResult,
    strategy: &StrategyFile,
    directory: &RunDirectory,
    learning: Option<(u64, f64)>,
) -> Result<String, Failure> {
    // In the order in which the family names them.
    let mut scores: Vec<(String, Estimate)> = Vec::new();
    scores.extend(strategy.score_against_baseline.map(|estimate| ("baseline".into(), estimate)));
    for reference in experiment.family.references() {
        let estimate = strategy.score_against_references.get(reference.name);
        scores.extend(estimate.map(|&estimate| (reference.name.into(), estimate)));
    }
    let words = strategy.words.as_deref().unwrap_or_default();
    let speed = learning.map_or(String::new(), |(games, learning_s)| {
        let since = if games < result.games {
            format!(", {} of them since it was resumed", grouped(games))
        } else {
            String::new()
        };
        let games_per_s = rounded(games as f64 / learning_s.max(1e-3));
        format!("{since} in {learning_s:.1} s ({games_per_s} games/s)")
    });
    let last_change = read_curve(directory)?.last().map_or(0, |point| point.games);
    let account = format!(
        "{} iterations, {} games{speed}; stopped because {}. The last change came after {} games.",
        grouped(result.iterations),
        grouped(result.games),
        reason_in_words(result.stop_reason),
        grouped(last_change),
    );
    let space = experiment.family.space();
    let parameters = if space.dimension() <= MAX_PARAMETERS_SHOWN {
        parameter_table(&space, &result.champion)
    } else {
        format!("{} parameters, in strategy.yaml\n", space.dimension())
    };
    Ok(format!(
        "{}\n{}\n{}\n{}Written to {}.\n",
        paragraph(&format!("The champion {words}.")),
        score_table(&scores),
        parameters,
        paragraph(&account),
        directory.run_path().join("strategy.yaml").display(),
    ))
}
