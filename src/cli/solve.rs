//! `ruse solve`: an equilibrium of a small game, with its exact gap.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use ruse_base::files::{Replaces, write_output};
use ruse_base::stop::StopSignal;
use ruse_games::Units;
use ruse_games::rule_file::RuleFile;
use ruse_gdl::Information;
use ruse_lab::StrategyFile;
use ruse_play::family::{AnyFamily, Player};
use ruse_registry::Registry;
use ruse_strategies::certificate::Work;
use ruse_strategies_rules::{
    MAX_JOINT_MOVES, SituationWords, SituationsError, SolveError, Solver, Tabular,
    value_by_induction,
};
use serde_json::{Value, json};

use super::arguments::{PlayedArgs, parse_fraction};
use super::failure::{Failure, Result};
use super::format::{counted, four, paragraph, table_of, terminal};
use super::matrix;
use super::output::{self, Answer};
use super::progress::WorkProgress;
use super::race::is_file;

/// Solve a small game: the value for each seat, and a strategy that loses at most the gap to any opponent
///
/// A rule file of two roles is solved by predictive CFR+. The strategy that is written plays, explains itself, and can be
/// an opponent, like every strategy file. For a game of the program, its exact reference strategy is named. A table of
/// payoffs is solved exactly. Game trees and normal forms of Gambit (FILE.efg, FILE.nfg) may have two players and payoffs of
/// a constant sum.
#[derive(Debug, Args)]
pub(super) struct SolveArgs {
    /// A rule file (FILE.kif), a game of the program, or a table of payoffs of the row player (FILE.csv)
    #[arg(value_name = "FILE|FAMILY")]
    game: String,
    /// The largest exploitability of the solution, as a share of the range of scores: what the best response scores
    /// beyond one half, where games score from 0 to 1
    #[arg(long, value_name = "G", value_parser = parse_fraction, default_value_t = GAP, allow_hyphen_values = true)]
    gap: f64,
    /// The largest number of iterations
    #[arg(long, value_name = "N", default_value_t = ITERATIONS, value_parser = clap::value_parser!(u64).range(1..))]
    iterations: u64,
    /// Write the strategy to this file, which must not exist
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) played: PlayedArgs,
}

/// The default of `--gap`.
const GAP: f64 = 0.001;
/// The default of `--iterations`.
const ITERATIONS: u64 = 10_000_000;

impl SolveArgs {
    /// Creates the arguments that solve a game and write the strategy to `out`.
    pub(super) fn new(game: &str, out: PathBuf, played: PlayedArgs) -> SolveArgs {
        let (gap, iterations) = (GAP, ITERATIONS);
        SolveArgs { game: game.into(), gap, iterations, out: Some(out), played }
    }
}

struct Solution<'a> {
    game: &'a str,
    /// The minimum and maximum score of the first seat under best play.
    value: [f64; 2],
    /// The unit of payoffs, if there is one.
    units: Option<&'a Units>,
    how: How<'a>,
}

/// The way in which a game was solved.
enum How<'a> {
    /// By iterations.
    Iterations {
        solver: &'a Solver,
        /// Whether there is certainly no other equilibrium, if this one is exact.
        is_only: Option<bool>,
        seconds: f64,
        wanted: f64,
        /// The file with the strategy and its family.
        out: Option<(&'a PathBuf, &'a str)>,
        situations: Vec<SituationWords>,
    },
    /// By backward induction.
    Induction,
    /// A reference strategy of the game is perfect.
    Reference(String),
}

pub(super) fn solve(args: &SolveArgs, registry: &Registry, stop: &StopSignal) -> Result {
    if is_file(&args.game) || args.game.ends_with(".nfg") {
        if args.out.is_some() {
            return Err(Failure::bad_input("--out writes strategies of a game; a table has none"));
        }
        return matrix::solve(&args.game, args.played.json, stop);
    }
    let family = args.played.rules.apply(registry.family(&args.game)?.as_ref())?;
    let Some(file) = family.rule_file() else {
        return by_reference(args, family.as_ref(), registry, stop);
    };
    let started = Instant::now();
    let is_stopped = || stop.check().is_err();
    let solver = on_joint_moves(&is_stopped, 2, |work| Solver::new(file, work));
    let mut solver = match solver {
        Ok(solver) => solver,
        Err(SolveError::Situations(SituationsError::Stopped)) => return Err(Failure::Interrupted),
        Err(SolveError::Situations(SituationsError::TooMany)) if args.out.is_none() => {
            return by_induction(args, file, stop);
        }
        Err(SolveError::Situations(error @ SituationsError::TooMany))
            if file.language_rules().information() == Information::Complete =>
        {
            let message = format!("no strategy file can hold a solution of {}: {error}", args.game);
            let advice = "without `--out`, `ruse solve` computes the value of best play";
            return Err(Failure::with_advice(message, advice));
        }
        Err(error) => return Err(refused(&args.game, &error)),
    };
    let wanted = args.gap * solver.score_range();
    let progress = WorkProgress::new("iterations", args.iterations);
    let mut next_look = 1;
    while solver.num_iterations() < args.iterations && stop.check().is_ok() {
        solver.iterate();
        if solver.num_iterations() >= next_look || solver.num_iterations() == args.iterations {
            // A look takes as long as an iteration.
            next_look += next_look.div_ceil(20);
            let gap = gap_of(solver.bounds());
            let note = format!("exploitability {gap:.2e}");
            progress.on_done(solver.num_iterations(), None, &note);
            if gap <= wanted {
                break;
            }
        }
    }
    progress.finish();
    let is_solved = gap_of(solver.bounds()) <= wanted;
    let is_only = if is_solved { solver.finish() } else { None };
    // Another family of the file is named by the file, a colon and its kind.
    let of_kind = args.game.rsplit_once(':').filter(|(path, _)| registry.family(path).is_ok());
    let name = format!("{}:table", of_kind.map_or(&*args.game, |(path, _)| path));
    let parameters = solver.parameters();
    let how = How::Iterations {
        solver: &solver,
        is_only,
        seconds: started.elapsed().as_secs_f64(),
        wanted,
        out: args.out.as_ref().map(|path| (path, &*name)),
        situations: Tabular::situations(file, &parameters),
    };
    if let Some(path) = &args.out {
        let table = args.played.rules.apply(registry.family(&name)?.as_ref())?;
        let words = table.words(&parameters).ok();
        let rules = table.rule_values();
        let file = StrategyFile { rules, parameters, words, ..StrategyFile::empty(&name) };
        write_output(path, Replaces::Nothing, serde_yaml::to_string(&file).expect("plain data"))?;
    }
    let units = family.info().units;
    let solution = Solution { game: &args.game, value: solver.bounds(), units, how };
    output::write(&solution, args.played.json)?;
    stop.check().map_err(|_| Failure::Interrupted)
}

/// Does work that lists the joint moves of a game `times` times, and shows its progress.
pub(super) fn on_joint_moves<T>(
    is_stopped: &(dyn Fn() -> bool + Sync),
    times: u64,
    work: impl FnOnce(&Work<'_>) -> T,
) -> T {
    let progress = WorkProgress::new("joint moves at most", times * MAX_JOINT_MOVES);
    let on_visited = |number| progress.on_more(number, "listing all situations");
    let done = work(&Work::new(u64::MAX, is_stopped, &on_visited));
    progress.finish();
    done
}

/// Returns the gap: what the better of two best responses scores beyond one half, averaged over the seats.
fn gap_of([low, high]: [f64; 2]) -> f64 {
    ((high - low) / 2.0).max(0.0)
}

fn refused(game: &str, error: &SolveError) -> Failure {
    let advice = match error {
        SolveError::NotConstantSum { .. } => {
            "mend the goals, or compare strategies with `ruse match` and `ruse exploit`"
        }
        SolveError::Roles { .. } => "`ruse exploit` computes best responses in such files",
        _ => {
            "`ruse optimise` learns strategies for larger games, and `ruse exploit` bounds what they lose"
        }
    };
    Failure::with_advice(format!("{game} cannot be solved: {error}"), advice)
}

/// Computes the value of a game with complete information that has too many situations for a strategy file.
fn by_induction(args: &SolveArgs, file: &RuleFile, stop: &StopSignal) -> Result {
    let progress = WorkProgress::new("too large for a table", 1);
    let is_stopped = || stop.check().is_err();
    let on_visited = |_| progress.on_alive("computing the value of each position");
    let value = value_by_induction(file, &Work::new(u64::MAX, &is_stopped, &on_visited));
    progress.finish();
    match value.map_err(|error| refused(&args.game, &error))? {
        Some(value) => {
            let (game, value, how) = (&*args.game, [value; 2], How::Induction);
            let solution = Solution { game, value, units: file.units(), how };
            output::write(&solution, args.played.json)
        }
        None if stop.check().is_err() => Err(Failure::Interrupted),
        None => Err(refused(&args.game, &SituationsError::TooMany.into())),
    }
}

/// Finds a reference strategy that no response beats.
fn by_reference(
    args: &SolveArgs,
    family: &dyn AnyFamily,
    registry: &Registry,
    stop: &StopSignal,
) -> Result {
    let is_stopped = || stop.check().is_err();
    let work = Work::new(registry.information_sets(), &is_stopped, &|_| ());
    for reference in family.references() {
        let player = Player::Named(reference.name.to_string());
        let Some(found) = family.certificate(&player, &work)? else { continue };
        if found.is_exact() && found.score()[1] - 0.5 <= args.gap {
            let value = found.seats.first.high;
            let how = How::Reference(reference.name.to_string());
            let value = [1.0 - found.seats.second.high, value];
            let solution = Solution { game: &args.game, value, units: None, how };
            return output::write(&solution, args.played.json);
        }
    }
    Err(Failure::with_advice(
        format!("{} has no solution here: no reference strategy is known to be perfect", args.game),
        "`ruse optimise` learns strategies, and `ruse exploit` bounds what they lose; small rule files (FILE.kif) can \
         be solved",
    ))
}

impl Solution<'_> {
    /// Returns the text for people, with at most this number of lines for the strategy.
    fn text(&self, lines: usize) -> String {
        let Solution { game, value: [low, high], how, .. } = self;
        let gap = gap_of([*low, *high]);
        let values = format!(
            "the first seat scores {}{} under best play of both sides, the second {}",
            four((low + high) / 2.0),
            self.units.map_or(String::new(), |units| {
                format!(" (payoff {})", units.text((low + high) / 2.0, 4))
            }),
            four(1.0 - (low + high) / 2.0),
        );
        match how {
            How::Reference(name) => paragraph(&format!(
                "{game}: solved, exact; {values}\nThe reference strategy `{name}` loses to no opponent on average."
            )),
            How::Induction => paragraph(&format!(
                "{game}: solved, exact; {values}\nThe situations are too many for a strategy file."
            )),
            How::Iterations { solver, is_only, wanted, out, situations, .. } => {
                let written = match out {
                    Some((path, family)) => {
                        let path = path.display();
                        format!(
                            "The strategy, of the family `{family}`, is in {path}. `ruse play {game} --against {path}` is a game \
                             against it."
                        )
                    }
                    None => "`--out FILE.yaml` writes the strategy.".into(),
                };
                let state = if gap <= *wanted { "solved" } else { "not yet solved" };
                let range = match solver.score_range() {
                    0.0 => "; every play has the same scores".into(),
                    range if range < 1.0 => {
                        format!("; the scores of plays are within {}", four(range))
                    }
                    _ => String::new(),
                };
                let others = match is_only {
                    Some(true) => "; no other equilibrium where its moves lead",
                    Some(false) => "; other equilibria may exist",
                    None => "",
                };
                let [error, gap] = match (is_only, gap) {
                    (Some(_), _) | (_, 0.0) => ["exactly".into(), "0".into()],
                    _ => [format!("each ± {gap:.1e}"), format!("{gap:.2e}")],
                };
                let answer = paragraph(&format!(
                    "{game}: {state}; {values}, {error}\n\
                     exploitability {gap}, exact: what the best response takes from the strategy{range}{others}\n\
                     {} with {}. {written}",
                    counted(solver.num_iterations(), "iteration"),
                    counted(situations.len() as u64, "situation"),
                ));
                let row =
                    |of: &SituationWords| [of.role.clone(), of.known.clone(), of.moves.clone()];
                let rows = |num: usize| {
                    table_of(["role", "situation", "moves"], &[], situations[..num].iter().map(row))
                };
                match situations.is_empty() {
                    true => answer,
                    false => answer + "\n" + &terminal().first_rows(lines, situations.len(), rows),
                }
            }
        }
    }
}

impl Answer for Solution<'_> {
    fn page(&self) -> String {
        self.text(usize::MAX)
    }

    fn answer(&self) -> String {
        /// The lines of the strategy on a screen of 24 lines.
        const LINES: usize = 16;
        self.text(LINES)
    }

    fn object(&self) -> Value {
        let Solution { game, value, units, how } = self;
        let (solver, seconds, is_only, reference) = match how {
            How::Induction => (None, None, None, None),
            How::Reference(name) => (None, None, None, Some(name)),
            How::Iterations { solver, seconds, is_only, .. } => {
                (Some(solver), Some(*seconds), *is_only, None)
            }
        };
        json!({
            "game": game,
            "value": (value[0] + value[1]) / 2.0,
            "low": value[0],
            "high": value[1],
            "payoff": units.map(|units| units.of((value[0] + value[1]) / 2.0)),
            "exploitability": gap_of(*value),
            "unique": is_only,
            "iterations": solver.map(|solver| solver.num_iterations()),
            "seconds": seconds,
            "situations": solver.map(|solver| solver.size()[0]),
            "reference": reference,
        })
    }
}
