//! Yardsticks: players that were not learned, scored against an experiment's baselines. Learning pays only if a learned
//! strategy beats them.
//!
//! Each family has these yardsticks: the player that takes every legal action with the same probability, the strategy
//! with all parameters 0, every reference strategy, and the best strategy, if it can be computed. They play the deals
//! on which the first run's champion was scored. Differences between scores are therefore more certain than their
//! intervals suggest.

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_play::arena::Source;
use ruse_play::family::{AnyFamily, Player};
use ruse_play::score::{Estimate, sample};
use ruse_strategies::RANDOM;

use super::files::checkpoint::STRATEGY;
use super::files::measurements::{MeasurementsFile, print_of};
use super::files::run_directory::RunDirectory;
use super::language::baseline::Baseline;
use super::language::run::Experiment;
use super::measurement::{Measurement, MeasurementKind, YardstickKind};
use super::outcome::against;
use super::plan::Plan;
use super::plan_size::PAIR;
use super::watch::{Event, Phase, Watch};
use crate::error::Result;

/// The name of the yardstick with all parameters 0.
const ZERO: &str = "all parameters 0";
/// The name of the yardstick that plays the best strategy.
const OPTIMUM: &str = "exact optimum";

/// A yardstick with its name.
type Yardstick = (YardstickKind, String, Player);

/// Returns the yardsticks of a family, except the optimum.
fn players(family: &dyn AnyFamily) -> Vec<Yardstick> {
    let mut players = Vec::new();
    if family.check_named(RANDOM).is_ok() {
        let random = Player::Named(RANDOM.into());
        players.push((YardstickKind::Random, RANDOM.to_string(), random));
    }
    let zeros = Player::Parameters(vec![0.0; family.space().dimension()]);
    players.push((YardstickKind::Zero, ZERO.into(), zeros));
    players.extend(family.references().into_iter().map(|reference| {
        let name = reference.name.to_string();
        (YardstickKind::Reference, name.clone(), Player::Named(name))
    }));
    players
}

/// Returns the yardsticks that play games. If the random player is a reference strategy, it is scored only once.
fn played(family: &dyn AnyFamily) -> Vec<Yardstick> {
    let players = players(family);
    let has_random = players.iter().any(|(kind, ..)| *kind == YardstickKind::Random);
    let is_again = |(kind, name, _): &Yardstick| {
        has_random && *kind == YardstickKind::Reference && name == RANDOM
    };
    players.into_iter().filter(|player| !is_again(player)).collect()
}

/// Returns an upper bound on the number of games of a family's yardsticks.
pub(crate) fn num_yardstick_games(plan: &Plan, family: &str) -> u64 {
    let runs = with_own_baseline(plan).into_iter().filter(|run| run.labels[0] == family);
    let games = runs.map(|run| {
        let num_players = played(run.family.as_ref()).len() as u64;
        PAIR.saturating_mul(run.evaluation_pairs).saturating_mul(num_players)
    });
    games.fold(0, u64::saturating_add)
}

/// Returns the first run of each family. If the scoring opponent is [`Baseline::Fixed`], which depends on the seed,
/// returns the first run with each seed.
fn with_own_baseline(plan: &Plan) -> Vec<&Experiment> {
    let mut found: Vec<&Experiment> = Vec::new();
    for run in &plan.runs {
        let is_same = |other: &&&Experiment| {
            let is_fixed = *run.scored_against() == Baseline::Fixed;
            other.labels[0] == run.labels[0]
                && (!is_fixed || other.resolved.seed == run.resolved.seed)
        };
        if found.iter().find(is_same).is_none() {
            found.push(run);
        }
    }
    found
}

/// Scores the missing yardsticks of the families of a plan, and adds them to the file of the experiment. A stop request
/// is not an error; an unfinished score is not recorded.
///
/// # Errors
///
/// Returns an error if the file cannot be written, or belongs to another plan.
pub fn measure_yardsticks(
    plan: &Plan,
    directory: &RunDirectory,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result {
    let (mut file, mut known) = MeasurementsFile::open(directory, plan)?;
    let runs = with_own_baseline(plan);
    let num_scores = runs.iter().map(|run| {
        let is_due = |(kind, name, _): &Yardstick| find(&known, run, *kind, name).is_none();
        played(run.family.as_ref()).into_iter().filter(is_due).count() as u64
    });
    watch.on_event(&Phase::Yardsticks.begins("", num_scores.sum()));
    let scored = score_all(&runs, &mut file, &mut known, watch, stop);
    watch.on_event(&Event::PhaseEnds);
    scored
}

/// Scores the missing yardsticks against the scoring opponents of these runs.
fn score_all(
    runs: &[&Experiment],
    file: &mut MeasurementsFile,
    known: &mut Vec<Measurement>,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result {
    let mut done = 0;
    for &run in runs {
        let (family, seed) = (run.family.as_ref(), run.resolved.seed);
        let key = StreamKey::root(seed);
        let baseline = run.scored_against().contestant(family, key);
        let opponent = run.scored_against().in_words();
        let row = |kind: YardstickKind, name: &str, score: Estimate| {
            let pairs = if score.is_exact() { 0 } else { score.pairs };
            let score = Estimate { pairs, ..score };
            Measurement {
                condition: kind.name().into(),
                subject: name.into(),
                opponent: opponent.clone(),
                opponent_seed: Some(seed),
                ..Measurement::new(MeasurementKind::Yardstick, &run.labels[0], score)
            }
        };
        for (kind, name, player) in players(family) {
            if find(known, run, kind, &name).is_some() {
                continue;
            }
            // The random player may be a reference strategy that was just scored.
            let same = find(known, run, YardstickKind::Random, &name).map(Measurement::estimate);
            let estimate = match same.filter(|_| kind == YardstickKind::Reference) {
                Some(score) => Some(score),
                None => {
                    let key = key.child(Label::Evaluation, 0);
                    let found = against(run, &player, &baseline, key, stop)?;
                    done += 1;
                    watch.on_event(&Event::goes_on(done, &run.labels[0]));
                    found
                }
            };
            let Some(estimate) = estimate else { return Ok(()) };
            let row = row(kind, &name, estimate);
            file.append(std::slice::from_ref(&row))?;
            known.push(row);
        }
        if find(known, run, YardstickKind::Optimum, OPTIMUM).is_none()
            && let Some(response) = family.best_response(&baseline)?
        {
            let score = Estimate::computed(response.score(), 0);
            file.append(&[row(YardstickKind::Optimum, OPTIMUM, score)])?;
        }
    }
    Ok(())
}

/// Returns the measurement of a yardstick against the baseline of a run, if the score is known.
fn find<'k>(
    known: &'k [Measurement],
    run: &Experiment,
    kind: YardstickKind,
    name: &str,
) -> Option<&'k Measurement> {
    known.iter().find(|row| {
        (&row.family, row.opponent_seed) == (&run.labels[0], Some(run.resolved.seed))
            && (row.yardstick(), row.subject.as_str()) == (Some(kind), name)
    })
}

/// Measures the missing results of an experiment with runs, and adds them to its file: scores of reference players and,
/// in a published experiment, of champions against the reference strategies. If only one table is wanted, measures only
/// what this table needs, such as the champions' scores in each seat. A stop request is not an error.
///
/// # Errors
///
/// Returns an error if files cannot be read or written.
pub fn measure_missing(
    plan: &Plan,
    directory: &RunDirectory,
    table: Option<&str>,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result {
    if table == Some("seats") {
        return measure_seats(plan, directory, stop);
    }
    measure_yardsticks(plan, directory, watch, stop)?;
    measure_references(plan, directory, stop)
}

/// Scores the champions in each seat against their scoring opponents, unless these scores are known. The deals are as
/// for the champions' scores.
fn measure_seats(plan: &Plan, directory: &RunDirectory, stop: &StopSignal) -> Result {
    let (mut file, rows) = MeasurementsFile::open(directory, plan)?;
    for run in &plan.runs {
        let is_known = |seat: &str| {
            let is_seat =
                |row: &&Measurement| row.kind == MeasurementKind::Seat && row.condition == seat;
            rows.iter().filter(is_seat).any(|row| row.is_of(run))
        };
        if Measurement::SEATS.into_iter().all(is_known) {
            continue;
        }
        let Some(strategy) = directory.learned(run)? else { continue };
        let root = StreamKey::root(run.resolved.seed);
        let key = root.child(Label::Evaluation, 0);
        let opponent = run.scored_against().contestant(run.family.as_ref(), root);
        let duel = run.family.duel(&Player::Parameters(strategy.parameters), &opponent)?;
        let Ok(opening) = duel.open(key, stop) else { return Ok(()) };
        let scores = match opening.exact {
            Some(_) => [opening.seen.as_first, opening.seen.as_second]
                .map(|payoff| Estimate::exact(payoff.score())),
            None => {
                let (tally, played) = sample(&duel, key, run.evaluation_pairs, stop, |_| ());
                if played.is_err() {
                    return Ok(());
                }
                tally.estimates_by_seat().expect("pairs were played")
            }
        };
        let print = print_of(directory, run, STRATEGY)?.unwrap_or_default();
        let name = run.scored_against().in_words();
        let row = |(seat, score): (&str, Estimate)| Measurement {
            condition: seat.into(),
            ..Measurement::of_champion(MeasurementKind::Seat, run, &name, score, &print)
        };
        let rows: Vec<Measurement> = Measurement::SEATS
            .into_iter()
            .zip(scores)
            .filter(|(seat, _)| !is_known(seat))
            .map(row)
            .collect();
        file.append(&rows)?;
    }
    Ok(())
}

/// Scores the champions of a published experiment against the reference strategies, unless the scores were published,
/// and adds them to the file. The deals are as in the runs, so the scores are equal, too. Does nothing if the
/// experiment is not published, because its strategy files have these scores.
///
/// # Errors
///
/// Returns an error if files cannot be read or written.
fn measure_references(plan: &Plan, directory: &RunDirectory, stop: &StopSignal) -> Result {
    if !directory.is_published() {
        return Ok(());
    }
    let (mut file, _) = MeasurementsFile::open(directory, plan)?;
    for run in &plan.runs {
        let Some(strategy) = directory.published_strategy(run) else { continue };
        let champion = Player::Parameters(strategy.parameters.clone());
        let key = StreamKey::root(run.resolved.seed);
        for (index, reference) in (1..).zip(run.family.references()) {
            let name = &*reference.name;
            if strategy.score_against_references.contains_key(name) {
                continue;
            }
            let opponent = Player::Named(name.into());
            let key = key.child(Label::Evaluation, index);
            let Some(score) = against(run, &champion, &opponent, key, stop)? else {
                return Ok(());
            };
            let kind = MeasurementKind::Reference;
            file.append(&[Measurement::of_champion(kind, run, name, score, "")])?;
        }
    }
    Ok(())
}
