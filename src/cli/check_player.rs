//! `ruse check-player`: the conduct of a program that plays.

use std::time::{Duration, Instant};

use clap::Args;
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_games::Seat;
use ruse_play::family::{AnyFamily, Player};
use ruse_play::score::sample;
use ruse_programs::{PROGRAM, ProgramName, conduct_of_programs};
use ruse_registry::Registry;
use ruse_strategies::RANDOM;

use super::arguments::{MachineArgs, RuleArgs, parse_pairs, parse_seed};
use super::failure::{Failure, Result, print};
use super::format::{counted, grouped};

/// Check a program that plays: games in both seats, pauses, and games that end early
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The command, as in "python my_player.py", or program@TIME:COMMAND with a time for each move
    #[arg(value_name = "COMMAND")]
    player: String,
    /// The game that the program should play, as a family (see `ruse list`)
    family: String,
    /// Pairs of games to play, each with the seats swapped
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = parse_pairs, allow_hyphen_values = true)]
    pairs: u64,
    /// The seed of all random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// The number of games that are left before their end.
const LEFT: u64 = 6;
/// The time between two of these games.
const PAUSE: Duration = Duration::from_millis(400);

pub(super) fn check_player(args: &CheckArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let family = args.rules.apply(registry.family(&args.family)?.as_ref())?;
    let name = match ProgramName::parse(&args.player) {
        Some(_) => args.player.clone(),
        None => format!("{PROGRAM}{}", args.player),
    };
    let program = Player::Named(name);
    let key = StreamKey::root(args.seed).child(Label::Match, 0);
    leave(family.as_ref(), &program, key, stop)?;
    let opponent = match family.check_named(RANDOM) {
        Ok(()) => Player::Named(RANDOM.into()),
        Err(_) => Player::Redrawn,
    };
    let conduct = || conduct_of_programs().into_iter().next().unwrap_or_default();
    let before = conduct().decisions;
    let duel = family.duel(&program, &opponent)?;
    let since = Instant::now();
    let (tally, played) = sample(&duel, key, args.pairs, stop, |_| ());
    if tally.num_pairs() == 0 && played.is_err() {
        return Err(Failure::nothing_yet());
    }
    let conduct = conduct();
    let num_moves = conduct.decisions - before;
    let speed = (num_moves as f64 / since.elapsed().as_secs_f64().max(1e-9)) as u64;
    print(&format!(
        "{} has played {} of {} and left {LEFT} others: {}, {} a second\n",
        conduct.name,
        counted(2 * tally.num_pairs(), "game"),
        family.name(),
        counted(num_moves, "move"),
        grouped(speed),
    ))?;
    let [is_steady, is_shared] = [conduct.deterministic, conduct.concurrent > 1];
    let shared =
        format!("a process plays up to {} at once", counted(conduct.concurrent as u64, "game"));
    print(&match (is_steady, is_shared) {
        (false, false) => {
            "it does not say that it is deterministic: results count as not reproducible\n".into()
        }
        (true, false) => "it says that it is deterministic\n".into(),
        (false, true) => format!("it says that {shared}, and not that it is deterministic\n"),
        (true, true) => format!("it says that it is deterministic, and that {shared}\n"),
    })?;
    match conduct.faults_in_words() {
        None if played.is_err() => Err(Failure::Interrupted),
        None => print("no faults\n"),
        // The faults are told when the program ends.
        Some(_) => Err(Failure::Failed(format!("{} made mistakes", conduct.command))),
    }
}

/// Begins games, with pauses, and leaves them after a few moves.
fn leave(family: &dyn AnyFamily, program: &Player, key: StreamKey, stop: &StopSignal) -> Result {
    let Some(mut session) = family.sit_down(program, key)? else {
        // The duel has the message.
        return Ok(());
    };
    for game in 0..LEFT {
        let seats = [Seat::First, Seat::Second];
        session.begin(game, Some(seats[game as usize % 2]));
        for _ in 0..=game {
            stop.check().map_err(|_| Failure::Interrupted)?;
            let done = session.opponent_acts().or_else(|_| session.act_at_random());
            if done.is_err() {
                break;
            }
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
