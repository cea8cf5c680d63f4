//! `ruse watch`: shows a game between two strategies.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_games::{BySeat, Payoff, Seat, Turn};
use ruse_lab::{Ending, Transcript, parse_sitter};
use ruse_play::session::{PlayError, Session, Step};
use ruse_programs::ProgramName;
use ruse_registry::Registry;

use super::arguments::{RuleArgs, parse_seed};
use super::failure::{Result, print};
use super::format::{counted, grouped};
use super::play::console::{Console, Leaving};
use super::play::page::{self, wrapped};
use super::play::{paint, points, saving, seed_of_now, table_cannot_be_played};
use super::verbosity::say;

/// Watch two strategies play, step by step
#[derive(Debug, Args)]
#[command(after_help = "\
Everything is shown, including information that is hidden from the players. In a terminal, Enter continues and q leaves; \
with --speed the game continues by itself, and through a pipe it is shown at once.")]
pub(super) struct WatchArgs {
    /// The game and the kind of parameters (see `ruse list`)
    family: String,
    /// The strategy that moves first in the first game and second in the next: a strategy file, `baseline`, a reference
    /// strategy, or parameters as in [0,1.5,-2]
    a: String,
    /// The other strategy
    b: String,
    /// The number of games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Seconds between two actions, such as 0.5, without waiting for Enter
    #[arg(long, value_name = "SECONDS", value_parser = parse_speed, allow_hyphen_values = true)]
    speed: Option<Duration>,
    /// Stop a game after N actions, because some games never end
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    actions: u64,
    /// Save the games to a new file; `ruse replay FILE` shows them again
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// The seed of all random numbers; the same seed gives the same games [default: the time]
    #[arg(long, value_name = "S", value_parser = parse_seed, allow_hyphen_values = true)]
    seed: Option<u64>,
    #[command(flatten)]
    rules: RuleArgs,
}

fn parse_speed(text: &str) -> Result<Duration, String> {
    /// The maximum number of seconds. Longer is probably a mistake.
    const MAX_SECONDS: f64 = 3600.0;
    let seconds = text.parse().ok().filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds));
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "expected a number of seconds from 0 to 3600".into())
}

pub(super) fn watch(args: &WatchArgs, registry: &Registry) -> Result {
    let family = args.rules.family(&args.family, [&*args.a, &*args.b], registry)?;
    let [a, b] = [&args.a, &args.b].map(|text| parse_sitter(text, family.as_ref()));
    let (a, b) = (a?, b?);
    let seed = args.seed.unwrap_or_else(seed_of_now);
    let session = family.sit_down_beside(&a, &b, Transcript::key(seed))?;
    let mut session = session.ok_or_else(|| table_cannot_be_played(family.name()))?;
    let stop = StopSignal::default();
    session.heed(stop.request().clone());
    let transcript = Transcript::empty(family.as_ref(), Some(&args.a), &args.b, &b, seed);
    let save_to = args.save.as_deref();
    if let Some(path) = save_to {
        saving::begin(path, &transcript)?;
    }
    let pace = match args.speed {
        Some(speed) => Pace::Timed(speed, Console::new(stop)?),
        None if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() => {
            Pace::Asked(Console::new(stop)?)
        }
        None => Pace::AtOnce,
    };
    let names = names(&args.a, &args.b);
    let mut watching = Watching { args, session, names, transcript, pace, points: [0; 2] };
    let title = format!("{}: {} against {}, seed {seed}.", family.name(), args.a, args.b);
    print(&wrapped(&title, page::current()))?;
    let left = watching.games();
    if let Some(path) = save_to {
        say(&format!("saved in {}", path.display()));
    }
    left.or_else(Leaving::result)
}

/// Returns short, distinct names for the two players.
fn names(a: &str, b: &str) -> [String; 2] {
    /// The maximum length of a name, which leaves room for other columns.
    const MAX_LETTERS: usize = 20;
    let short = |text: &str| -> String {
        let is_file = !text.starts_with('[') && ProgramName::parse(text).is_none();
        let stem = Path::new(text).file_stem().filter(|_| is_file);
        let name = stem.map_or_else(|| text.into(), |stem| stem.to_string_lossy().into_owned());
        name.chars().take(MAX_LETTERS).collect()
    };
    let (a, b) = (short(a), short(b));
    if a == b { [format!("{a} A"), format!("{b} B")] } else { [a, b] }
}

/// The event that the next action waits for.
enum Pace {
    AtOnce,
    Timed(Duration, Console),
    Asked(Console),
}

struct Watching<'a> {
    args: &'a WatchArgs,
    session: Box<dyn Session + 'a>,
    /// The names of the players A and B.
    names: [String; 2],
    transcript: Transcript,
    pace: Pace,
    /// The points of A and B, in halves.
    points: [u64; 2],
}

impl Watching<'_> {
    fn games(&mut self) -> Result<(), Leaving> {
        for game in 0..self.args.games {
            let seat_of_a = if game.is_multiple_of(2) { Seat::First } else { Seat::Second };
            let played = self.game(game, seat_of_a);
            let ending = *played.as_ref().unwrap_or(&Ending::Unfinished);
            let save = self.args.save.as_deref();
            saving::add(save, &mut self.transcript, &*self.session, seat_of_a, ending)?;
            played?;
            if self.args.games > 1 {
                self.show_score(game + 1)?;
            }
        }
        Ok(())
    }

    fn name(&self, seat: Seat, seat_of_a: Seat) -> &str {
        &self.names[usize::from(seat != seat_of_a)]
    }

    /// Shows one game, and returns its ending for player A.
    fn game(&mut self, game: u64, seat_of_a: Seat) -> Result<Ending, Leaving> {
        self.session.begin(game, Some(seat_of_a));
        let title =
            format!("Game {}: {} moves first.", game + 1, self.name(Seat::First, seat_of_a));
        let text = format!("\n{}\n{}", wrapped(&title, page::current()), self.table(seat_of_a));
        paint::print(&text, &*self.session)?;
        let mut num_actions = 0;
        let outcome = loop {
            let seat = match self.session.turn() {
                Turn::Over(outcome) => break outcome,
                Turn::Act(_) if num_actions == self.args.actions => {
                    let left = format!(
                        "The game is not over after {} actions; --actions N shows more.",
                        grouped(num_actions)
                    );
                    print(&format!("\n{}", wrapped(&left, page::current())))?;
                    return Ok(Ending::Unfinished);
                }
                Turn::Act(seat) => seat,
            };
            self.wait()?;
            let step = match seat == seat_of_a {
                true => self.session.adviser_acts(),
                false => self.session.opponent_acts(),
            };
            let step = match step {
                Err(PlayError::Stopped) => return Err(Leaving::Interrupted),
                step => step.expect("strategies play by the rules"),
            };
            self.show_step(&step, seat_of_a)?;
            num_actions += 1;
        };
        let ending = Ending::of(outcome, seat_of_a);
        let of_a = if seat_of_a == Seat::First { outcome } else { outcome.reversed() };
        let half_points = |payoff: Payoff| u64::from(payoff.half_points().unwrap_or(1));
        self.points[0] += half_points(of_a);
        self.points[1] += half_points(of_a.reversed());
        let text = match ending {
            Ending::Win => format!("{} wins.", self.names[0]),
            Ending::Loss => format!("{} wins.", self.names[1]),
            _ => "The game is a draw.".into(),
        };
        print(&wrapped(&text, page::current()))?;
        Ok(ending)
    }

    fn show_step(&self, step: &Step, seat_of_a: Seat) -> Result {
        let text = format!("{}: {}", self.name(step.seat, seat_of_a), step.typed);
        let text = format!("\n{}{}", wrapped(&text, page::current()), self.table(seat_of_a));
        paint::print(&text, &*self.session)
    }

    fn table(&self, seat_of_a: Seat) -> String {
        let names = BySeat::from_fn(|seat| self.name(seat, seat_of_a));
        self.session.everything(names, page::current())
    }

    fn wait(&mut self) -> Result<(), Leaving> {
        match &mut self.pace {
            Pace::AtOnce => Ok(()),
            Pace::Timed(time, console) => console.wait(*time),
            Pace::Asked(console) => console.ask_to_continue(),
        }
    }

    fn show_score(&self, games: u64) -> Result {
        let ([a, b], [of_a, of_b]) = (&self.names, self.points.map(points));
        let text = format!("Score after {}: {a} {of_a}, {b} {of_b}.", counted(games, "game"));
        print(&wrapped(&text, page::current()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_have_short_names_that_differ() {
        for (a, b, expected) in [
            ("optimal", "random", ["optimal", "random"]),
            ("random", "random", ["random A", "random B"]),
            ("runs/x/strategy.yaml", "[1,2.5]", ["strategy", "[1,2.5]"]),
            ("runs/x/strategy.yaml", "runs/y/strategy.yaml", ["strategy A", "strategy B"]),
        ] {
            assert_eq!(names(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn speeds_are_seconds() {
        assert_eq!(parse_speed("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_speed("0"), Ok(Duration::ZERO));
        for text in ["-1", "nan", "inf", "3601", "x", ""] {
            assert!(parse_speed(text).is_err(), "{text}");
        }
    }
}
