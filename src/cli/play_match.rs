//! `ruse match`: plays two strategies against each other.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ruse_base::files::{Replaces, check_output, write_output};
use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_games::Payoff;
use ruse_ggp::{Peer, Replaced};
use ruse_lab::{Baseline, DecisionTable, DefaultPairs, parse_guest};
use ruse_play::arena::{Counted, Source};
use ruse_play::family::{AnyFamily, MatchError, Player};
use ruse_play::matches::{self, Match, MatchResult};
use ruse_play::score::{CONFIDENCE, Estimate};
use ruse_programs::{Conduct, PEER, conduct_of_programs, programs_are_steady};
use ruse_registry::Registry;
use ruse_report::figures::{MatchNames, MatchTrace};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::arguments::{MachineArgs, PlayedArgs, parse_pairs, parse_seed};
use super::failure::{Failure, Result};
use super::figure_file::FigureFile;
use super::format::{
    counted as counted_of, digits, grouped, interval, paragraph, score, table_of, text,
};
use super::output::{self, Answer};
use super::progress::WorkProgress;
use super::verbosity::say;

/// Play two strategies against each other, and score the first; exactly if possible
#[derive(Debug, Args)]
pub(super) struct MatchArgs {
    /// The game and the kind of parameters (see `ruse list`)
    family: String,
    /// A strategy file of this family or of another for the same game, `baseline`, a reference strategy, parameters as in
    /// [0,1.5,-2], a program, as in "program:python player.py", or a player of the GGP protocol, as in
    /// ggp:HOST:PORT@10/5, with the clocks for the start and for a move in seconds (for rule files)
    a: String,
    /// The opponent of the first strategy, named in the same way
    b: String,
    /// Pairs of games: the same deal twice, with the seats swapped [default: a number that suits the family, or 0 if
    /// the score is known exactly]
    #[arg(long, value_name = "N", value_parser = parse_pairs, allow_hyphen_values = true)]
    pairs: Option<u64>,
    /// The meaning of `baseline`: parameters redrawn for every pair, or drawn once and fixed
    #[arg(long, value_name = "KIND", default_value = "redrawn", value_parser = ["redrawn", "fixed"])]
    baseline: String,
    /// The seed of all random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,
    /// Draw how the interval of the score narrows with more games (FILE.svg, FILE.png or FILE.pdf)
    #[arg(long, value_name = "FILE")]
    plot: Option<FigureFile>,
    /// Write a line for each decision, with the number of legal actions, to a new CSV file
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    #[command(flatten)]
    pub(super) played: PlayedArgs,
}

impl MatchArgs {
    /// Returns the threads to play on: one if a player plays one match at a time.
    pub(super) fn machine(&self) -> MachineArgs {
        let has_peer = self.a.starts_with(PEER) || self.b.starts_with(PEER);
        MachineArgs { threads: if has_peer { Some(1) } else { self.played.machine.threads } }
    }
}

/// Returns the players of the GGP protocol among the two players.
fn peers(
    args: &MatchArgs,
    family: &dyn AnyFamily,
    stop: &StopSignal,
) -> Result<[Option<Arc<Peer>>; 2]> {
    let peer =
        |name: &str| name.starts_with(PEER).then(|| Peer::new(name, family, stop)).transpose();
    let peers = [peer(&args.a)?, peer(&args.b)?];
    if let [Some(a), Some(b)] = &peers
        && a.host() == b.host()
    {
        let message =
            format!("`{}` cannot play against itself: it plays one match at a time", args.a);
        return Err(Failure::with_advice(message, "start a second player, at another port"));
    }
    Ok(peers)
}

/// Returns the problem of a player of the GGP protocol that stopped the games.
fn problem(peers: &[Option<Arc<Peer>>; 2]) -> Option<Failure> {
    let mut peers = peers.iter().flatten();
    peers.find_map(|peer| peer.problem()).map(|problem| Failure::Failed(problem.into()))
}

/// Returns a player of the GGP protocol that has made no move itself, though it was asked.
fn unheard(peers: &[Option<Arc<Peer>>; 2]) -> Option<&Peer> {
    peers.iter().flatten().map(Arc::as_ref).find(|peer| peer.replaced().is_all())
}

pub(super) fn play_match(args: &MatchArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let family = args.played.rules.family(&args.family, [&*args.a, &*args.b], registry)?;
    let key = StreamKey::root(args.seed);
    let peers = peers(args, family.as_ref(), stop)?;
    let has_peer = peers.iter().any(Option::is_some);
    let contestant = |text: &str, peer: &Option<Arc<Peer>>| -> Result<Player> {
        if let Some(peer) = peer {
            return Ok(peer.player());
        }
        match parse_guest(text, &family, registry)? {
            Player::Redrawn => {
                let baseline = Baseline::parse(&args.baseline, family.as_ref())?;
                Ok(baseline.contestant(family.as_ref(), key))
            }
            contestant => Ok(contestant),
        }
    };
    let (a, b) = (contestant(&args.a, &peers[0])?, contestant(&args.b, &peers[1])?);
    let duel = family.duel(&a, &b)?;
    if let Some(path) = &args.decisions {
        check_output(path, Replaces::Nothing)?;
    }
    let no_count = || {
        let message = format!(
            "cannot count the actions of `{}`: --decisions needs a game that lists its actions, or that splits an \
             action into choices in several slots",
            family.name()
        );
        Failure::with_advice(message, "leave --decisions out")
    };
    let counted = args.decisions.as_ref().map(|_| Counted::new(&duel).ok_or_else(no_count));
    let counted = counted.transpose()?;
    let has_program = [&a, &b].iter().any(|player| !player.programs().is_empty());
    let vary = "results may vary from run to run, and from machine to machine";
    if a.thinks_by_the_clock() || b.thinks_by_the_clock() {
        say(&format!("a player thinks by the clock: {vary}"));
    } else if has_program && !programs_are_steady() {
        say(&format!("a program plays that does not call itself deterministic: {vary}"));
    }
    let usual = DefaultPairs::of_players(family.as_ref(), &[&a, &b]).evaluation;
    let game = Match {
        family: family.as_ref(),
        players: [&a, &b],
        duel: &duel,
        counted: counted.as_ref(),
        pairs: args.pairs.unwrap_or(usual),
        // A decision file needs at least one pair.
        exact_pairs: args.pairs.unwrap_or(u64::from(counted.is_some())),
        is_elsewhere: has_peer,
        with_goals: true,
        seed: args.seed,
    };
    let mut progress = None;
    let mut trace = args.plot.as_ref().map(|_| MatchTrace::new(duel.payoff_steps()));
    let (mut num_played, mut decisions) = (0, DecisionTable::default());
    let mut is_graded = family.info().units.is_some();
    let played = matches::play_match(&game, stop, |num_pairs, results| {
        let first_pair = num_played;
        num_played += results.len() as u64;
        let is_win_or_draw = |payoff: Payoff| payoff.half_points().is_some();
        is_graded |=
            !results.iter().all(|of| is_win_or_draw(of.as_first) && is_win_or_draw(of.as_second));
        let progress = progress.get_or_insert_with(|| WorkProgress::new("pairs", num_pairs));
        progress.on_done(num_played, None, "");
        if let Some(counted) = &counted {
            for pair in first_pair..num_played {
                decisions.add(pair, &counted.take(pair).expect("it was played just now"));
            }
        }
        if let Some(trace) = &mut trace {
            trace.add(results);
        }
    });
    progress.iter().for_each(WorkProgress::finish);

    if let Some(failure) = problem(&peers) {
        return Err(failure);
    }
    if registry.fault().is_some() {
        // The number of games is not reported: it depends on when the fault was noticed, and the fault makes them
        // worthless.
        return Err(Failure::Interrupted);
    }
    let result = match played {
        Err(MatchError::Stopped(_)) => return Err(no_score(registry)),
        played => played?,
    };
    if let (None, Some(peer)) = (&result.stopped, unheard(&peers)) {
        let Replaced { moves, late, illegal, broken } = peer.replaced();
        return Err(Failure::Failed(format!(
            "{}: there is no score, because random moves replaced all {moves} of the player's moves ({late} late, {illegal} \
             not legal, {broken} lost); check that a player of the GGP protocol runs there, and its messages",
            peer.name(),
        )));
    }
    let estimate = result.scored.estimate().ok_or_else(|| no_score(registry))?;
    let conducts = has_program.then(conduct_of_programs);
    let replaced = peers.each_ref().map(|peer| peer.as_ref().map(|peer| peer.replaced()));
    let was_stopped = result.stopped.is_some();
    let units = family.info().units;
    let payoff = units.map(|units| UnitScore {
        mean: units.of(estimate.score),
        interval: estimate.interval.map(|end| units.of(end)),
        unit: &units.name,
    });
    let (family, a, b) = (family.name(), &*args.a, &*args.b);
    let scored = Scored { family, a, b, result, payoff, conducts, replaced, is_graded, estimate };
    output::write(&scored, args.played.json)?;
    if let Some(path) = &args.decisions {
        let num_decisions = decisions.num_decisions();
        write_output(path, Replaces::Nothing, decisions.into_bytes())?;
        say(&format!("{} in {}", counted_of(num_decisions, "decision"), path.display()));
    }
    if let (Some(file), Some(trace)) = (&args.plot, trace) {
        file.write(trace.figure(MatchNames { family, a, b, seed: args.seed }))?;
        say(&format!("drawn in {}", file.path().display()));
    }
    if was_stopped {
        return Err(Failure::Interrupted);
    }
    match scored.conducts.iter().flatten().find(|of| of.num_forfeits() >= 2 * num_played.max(1)) {
        None => Ok(()),
        Some(Conduct { command, .. }) => Err(Failure::Failed(format!(
            "`{command}` lost all games by mistakes: the score says nothing about how it plays"
        ))),
    }
}

/// Reports that the match was stopped before the end of its first pair.
fn no_score(registry: &Registry) -> Failure {
    // A fault of the rule file is reported elsewhere.
    if registry.fault().is_none() {
        say("stopped before the first pair of games was over: there is no score");
    }
    Failure::Interrupted
}

#[derive(Serialize)]
struct Scored<'a> {
    family: &'a str,
    a: &'a str,
    b: &'a str,
    #[serde(flatten)]
    result: MatchResult,
    /// The mean payoff of the first player; `None` if payoffs have no unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    payoff: Option<UnitScore<'a>>,
    /// The conduct of the programs that played; `None` if there are none.
    #[serde(
        rename = "mistakes",
        skip_serializing_if = "Option::is_none",
        serialize_with = "mistakes"
    )]
    conducts: Option<Vec<Conduct>>,
    /// For each player, the answers of the GGP protocol; `None` for other players.
    #[serde(skip_serializing_if = "is_local")]
    replaced: [Option<Replaced>; 2],
    /// Whether payoffs may be others than wins, draws and losses.
    #[serde(skip)]
    is_graded: bool,
    #[serde(skip)]
    estimate: Estimate,
}

/// A score in the unit of the payoffs.
#[derive(Serialize)]
struct UnitScore<'a> {
    mean: f64,
    interval: [f64; 2],
    unit: &'a str,
}

fn mistakes<S: Serializer>(all: &Option<Vec<Conduct>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().flatten().filter(|conduct| conduct.has_mistakes()))
}

/// Returns `true` if no player is elsewhere.
fn is_local(replaced: &[Option<Replaced>; 2]) -> bool {
    replaced.iter().all(Option::is_none)
}

/// Says how many moves of a player were replaced.
fn replaced_in_words(name: &str, replaced: &Replaced) -> String {
    let Replaced { moves, late, illegal, broken } = *replaced;
    let moves = counted_of(moves, "move");
    match replaced.total() {
        0 => format!("{name}: {moves}, all of them legal and in time\n"),
        total => format!(
            "{name}: {moves}; random legal moves replaced {} of them ({late} late, {illegal} illegal, {broken} lost)\n",
            grouped(total)
        ),
    }
}

impl Answer for Scored<'_> {
    fn page(&self) -> String {
        let Scored { family, a, b, estimate, result, .. } = self;
        let (tally, is_exact) = (&result.scored.tally, result.scored.exact.is_some());
        let mut page = format!("{family}: {a} against {b}");
        if estimate.pairs > 0 {
            let pairs = counted_of(estimate.pairs, "pair");
            let _ = write!(page, ", {pairs} of games, seed {}", result.seed);
        }
        let value = score(estimate.score, digits(estimate));
        let _ = if is_exact {
            write!(page, "\nscore {value}, exact\n")
        } else {
            let bounds = interval(estimate);
            write!(page, "\nscore {value}, {:.0}% interval {bounds}\n", 100.0 * CONFIDENCE)
        };
        if let Some(UnitScore { mean, interval: [low, high], unit }) = &self.payoff {
            let within =
                if is_exact { String::new() } else { format!(", within [{low:.3}, {high:.3}]") };
            let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
            let _ = writeln!(page, "mean payoff of {a} {mean:.3}{unit}{within}");
        }
        if estimate.pairs > 0 && !self.is_graded {
            let percent = |count: u64| 100.0 * count as f64 / (2 * estimate.pairs) as f64;
            let [won, drawn, lost] = [tally.wins(), tally.draws(), tally.losses()].map(percent);
            let results = format!("won {won:.1}%, drawn {drawn:.1}%, lost {lost:.1}%");
            let _ = match is_exact {
                // The score is exact; wins, draws and losses are a sample.
                true => {
                    writeln!(page, "in {} of games: {results}", counted_of(estimate.pairs, "pair"))
                }
                false => writeln!(page, "{results} of the games"),
            };
        }
        if let Some(goals) = &result.goals {
            let said = goals.map(|goal| match goal.interval() {
                Some([low, high]) if low < high => {
                    format!("{:.2} [{low:.2}, {high:.2}]", goal.mean)
                }
                _ => format!("{:.2}", goal.mean),
            });
            let basis = match goals[0].count {
                0 => "exact".into(),
                count => format!("in {}", counted_of(count, "pair")),
            };
            let _ = writeln!(page, "mean goals: {a} {}, {b} {}, {basis}", said[0], said[1]);
        }
        if result.is_one_pair {
            let pairs = grouped(estimate.pairs);
            let _ = writeln!(
                page,
                "All {pairs} pairs gave the same results. If the players draw no lots, these are copies of one pair."
            );
        }
        for (name, replaced) in [a, b].into_iter().zip(&self.replaced) {
            page += &replaced.as_ref().map_or(String::new(), |it| replaced_in_words(name, it));
        }
        for line in self.conducts.iter().flatten().filter_map(Conduct::mistakes_in_words) {
            let _ = writeln!(page, "{line}");
        }
        if result.by_family.is_empty() {
            return paragraph(page.trim_end());
        }
        let rows = result.by_family.iter().map(|(family, tally)| {
            let estimate = tally.estimate().expect("there are pairs");
            let value = score(estimate.score, digits(&estimate));
            [family.to_string(), value, interval(&estimate), grouped(estimate.pairs)]
        });
        let rows = table_of(["in", "score", "95% interval", "pairs"], &[1, 3], rows);
        format!("{}\n{}", paragraph(page.trim_end()), text(&rows))
    }

    fn object(&self) -> Value {
        json!(self)
    }
}
