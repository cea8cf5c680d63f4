//! `ruse play`: lets a person play against a strategy.

pub(super) mod console;
pub(super) mod heat_map;
pub(super) mod page;
pub(super) mod paint;
mod replay;
mod review;
pub(super) mod saving;

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use ruse_games::{BySeat, Seat, Turn, Units};

pub(super) use self::replay::{ReplayArgs, replay};

use ruse_base::stop::StopSignal;
use ruse_lab::{
    Ending, SeatChoice, SeatName, SeriesScore, Transcript, parse_sitter, usual_opponent,
};
use ruse_play::session::{Limit, PlayError, Session, Step};
use ruse_registry::Registry;

use self::console::{Console, Leaving};
use self::page::{choice_line, hanging, wrapped};
use super::failure::{Failure, Result, print};
use super::format::{counted, grouped};
use super::verbosity::say;
use super::worth::{best, worth};
use crate::cli::arguments::RuleArgs;

/// Play a game against a strategy, in the terminal
#[derive(Debug, Args)]
pub(super) struct PlayArgs {
    /// The game and the kind of parameters (see `ruse list`)
    family: String,
    /// The opponent: a strategy file, `baseline`, `champion`, a reference strategy, or parameters as in [0,1.5,-2]
    /// [default: a strong reference strategy, or the champion in games without a reference strategy that plays to win]
    #[arg(long, value_name = "STRATEGY")]
    against: Option<String>,
    /// Your seat
    #[arg(long, value_name = "SEAT", default_value = "alternate")]
    seat: SeatChoice,
    /// The number of games; without it, you are asked after each game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: Option<u64>,
    /// Show hidden information, to teach or to learn, and allow any action to be undone; the results of chance then
    /// stay the same
    #[arg(long)]
    reveal: bool,
    /// Save the games to a new file; `ruse replay FILE` shows them again
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// The seed of all random numbers; the same seed and the same actions give the same games [default: the time]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    seed: Option<u64>,
    #[command(flatten)]
    rules: RuleArgs,
}

/// The commands that can always be typed, and their effects.
const COMMANDS: [(&str, &str); 10] = [
    ("?", "the rules, and these lines"),
    ("show", "the table again"),
    ("log", "what has happened in this game"),
    ("hint", "the best known choice, and the worth of your choices"),
    ("random", "any legal action"),
    ("all X", "X from now on, as long as it is legal; X may be random or hint"),
    ("undo", "takes your last action back, if nothing is hidden or left to chance"),
    ("score", "the score so far"),
    ("resign", "gives this game up"),
    ("q", "leaves"),
];

/// The maximum number of times that a standing answer (`all X`) is given before the person is asked again. Without it,
/// a game could last forever.
const MAX_STANDING: u32 = 1_000;

pub(super) fn play(args: &PlayArgs, registry: &Registry) -> Result {
    let family = args.rules.family(&args.family, args.against.as_deref(), registry)?;
    let Some(default_opponent) = usual_opponent(family.as_ref()) else {
        return Err(table_cannot_be_played(family.name()));
    };
    let against = args.against.as_deref().unwrap_or(&default_opponent);
    let opponent = parse_sitter(against, family.as_ref())?;
    let seed = args.seed.unwrap_or_else(seed_of_now);
    let session = family.sit_down(&opponent, Transcript::key(seed))?;
    let mut session = session.expect("there is a default opponent, so there is a table");
    let stop = StopSignal::default();
    session.heed(stop.request().clone());
    let transcript = Transcript::empty(family.as_ref(), None, against, &opponent, seed);
    if let Some(path) = args.save.as_deref() {
        saving::begin(path, &transcript)?;
    }
    let mut sitting = Sitting {
        args,
        session,
        console: Console::new(stop.clone())?,
        stop,
        transcript,
        score: SeriesScore::default(),
        units: family.info().units,
        sum_of_scores: 0.0,
        log: Vec::new(),
        standing: None,
        num_quiet: 0,
    };
    let left = match sitting.play(family.name(), against) {
        Ok(()) => Leaving::Quit,
        Err(Leaving::Failed(failure)) => return Err(failure),
        Err(left) => left,
    };
    sitting.show_score()?;
    if let Some(path) = &args.save {
        say(&format!("saved in {}", path.display()));
    }
    left.result()
}

pub(super) fn table_cannot_be_played(family: &str) -> Failure {
    let message = format!("family `{family}` cannot be played at the terminal");
    let advice = match family.contains(ruse_play::family::BETWEEN) {
        true => "name one of its games",
        false => "its `Family::capabilities` must include a board",
    };
    Failure::with_advice(message, advice)
}

/// Returns a seed from the clock that is short enough to type.
pub(super) fn seed_of_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64 % 1_000_000
}

/// Formats a number of points, given in halves.
pub(super) fn points(halves: u64) -> String {
    format!("{}{}", halves / 2, if halves.is_multiple_of(2) { "" } else { ".5" })
}

/// Describes the score of a series.
fn score_in_words(SeriesScore { wins, draws, losses }: SeriesScore) -> String {
    let points = |whole: u64| points(2 * whole + draws);
    let games = match wins + draws + losses {
        0 => return "No game was finished.".into(),
        1 => "1 game".into(),
        games => format!("{games} games"),
    };
    format!("Score after {games}: you {}, the opponent {}.", points(wins), points(losses))
}

/// A series of games between a person and a strategy.
struct Sitting<'a> {
    args: &'a PlayArgs,
    session: Box<dyn Session + 'a>,
    console: Console,
    stop: StopSignal,
    transcript: Transcript,
    score: SeriesScore,
    units: Option<&'a Units>,
    /// The scores of the games that count, in [0, 1].
    sum_of_scores: f64,
    /// The messages to the person in this game.
    log: Vec<String>,
    /// The standing answer (`all X`), which replaces the person until the end of the game, and how often it may still
    /// be given.
    standing: Option<(String, u32)>,
    /// The number of messages at the end of the log that a standing answer kept from being shown.
    num_quiet: usize,
}

impl Sitting<'_> {
    /// Plays until the person leaves, or all games are played.
    fn play(&mut self, family: &str, against: &str) -> Result<(), Leaving> {
        let seed = self.transcript.seed;
        print_wrapped(&format!(
            "{family} against {against}, seed {seed}. Type ? for help and q to leave."
        ))?;
        print_wrapped(&format!("\n{}", self.session.rules()))?;
        for game in 0.. {
            let person = self.args.seat.of_game(game);
            self.begin(game, person)?;
            let ended = self.play_game(person);
            let ending = *ended.as_ref().unwrap_or(&Ending::Unfinished);
            let save = self.args.save.as_deref();
            let written = saving::add(save, &mut self.transcript, &*self.session, person, ending);
            // An error in writing the transcript is more important than the reason for leaving.
            written?;
            ended?;
            self.score.add(ending);
            if self.args.games == Some(game + 1) {
                return Ok(());
            }
            self.show_score()?;
            if self.args.games.is_none() {
                self.ask_for_another(person)?;
            }
        }
        Ok(())
    }

    fn ask_for_another(&mut self, person: Seat) -> Result<(), Leaving> {
        loop {
            match self
                .console
                .ask("\nEnter for another game, review for your costliest decisions, q to leave")?
                .as_str()
            {
                "" | "y" | "yes" => return Ok(()),
                "q" | "quit" | "n" | "no" => return Err(Leaving::Quit),
                "log" => self.show_log()?,
                "review" => review::show(&*self.session, person, &self.stop)?,
                _ => print("Press Enter alone, or type q, review or log.\n")?,
            }
        }
    }

    fn begin(&mut self, game: u64, person: Seat) -> Result<(), Leaving> {
        self.session.begin(game, Some(person));
        self.log.clear();
        self.standing = None;
        self.num_quiet = 0;
        let place = SeatName::from(person);
        Ok(print(&format!("\nGame {}: you are the {place} player.\n", game + 1))?)
    }

    /// Plays a game to its end, or until the person gives up.
    fn play_game(&mut self, person: Seat) -> Result<Ending, Leaving> {
        loop {
            match self.session.turn() {
                Turn::Over(outcome) => {
                    self.catch_up()?;
                    let ending = Ending::of(outcome, person);
                    self.show_end(person, ending)?;
                    let own = if person == Seat::First { outcome } else { outcome.reversed() };
                    if let Some(units) = self.units {
                        print(&format!("Your payoff: {}\n", units.text(own.score(), 2)))?;
                    }
                    self.sum_of_scores += own.score();
                    return Ok(ending);
                }
                Turn::Act(seat) if seat != person => {
                    let step = match self.session.opponent_acts() {
                        Err(PlayError::Stopped) => return Err(console::interrupted()?),
                        step => step.expect("it is its turn"),
                    };
                    self.tell(person, &step)?;
                }
                Turn::Act(_) => {
                    if self.answer_as_before(person)? {
                        continue;
                    }
                    self.catch_up()?;
                    self.show_table(person)?;
                    if self.ask(person)? {
                        self.show_end(person, Ending::GivenUp)?;
                        return Ok(Ending::GivenUp);
                    }
                }
            }
        }
    }

    /// Adds the events of a step to the person's log. Shows them unless there is a standing answer.
    fn tell(&mut self, person: Seat, step: &Step) -> Result<(), Leaving> {
        if let Some(told) = &step.told[person] {
            if self.standing.is_none() {
                paint::print(&wrapped(told, page::current()), &*self.session)?;
            } else {
                self.num_quiet += 1;
            }
            self.log.push(told.clone());
        }
        Ok(())
    }

    /// Gives the standing answer, if there is one and it is legal. Returns `true` if it was given.
    fn answer_as_before(&mut self, person: Seat) -> Result<bool, Leaving> {
        let Some((answer, left)) = self.standing.take() else { return Ok(false) };
        if left == 0 {
            let text = format!("{answer} was played {} times.", grouped(MAX_STANDING.into()));
            print_wrapped(&text)?;
            return Ok(false);
        }
        match self.act(&answer) {
            Ok(step) => {
                self.standing = Some((answer, left - 1));
                self.tell(person, &step)?;
                Ok(true)
            }
            Err(problem) => self.refuse(&problem).map(|()| false),
        }
    }

    /// Says why an action was refused, unless Ctrl-C was pressed.
    fn refuse(&mut self, problem: &PlayError) -> Result<(), Leaving> {
        match problem {
            PlayError::Stopped => Err(console::interrupted()?),
            problem => Ok(print_wrapped(&problem.to_string())?),
        }
    }

    /// Plays the action for `answer`: a typed action, a random one, or the best known choice, and the opponent's choice
    /// in this position if none is clearly better.
    fn act(&mut self, answer: &str) -> Result<Step, PlayError> {
        match answer {
            "random" => self.session.act_at_random(),
            "hint" => match self.session.best(Limit::Times(review::PLAYOUTS)) {
                Some(judged) if judged.is_clear => self.session.act(&judged.best),
                _ => self.session.adviser_acts(),
            },
            answer => self.session.act(answer),
        }
    }

    fn show_score(&mut self) -> Result {
        let SeriesScore { wins, draws, losses } = self.score;
        let words = match (self.units, wins + draws + losses) {
            (Some(units), games @ 1..) => {
                let payoff = units.text(self.sum_of_scores / games as f64, 2);
                format!("Your mean payoff after {}: {payoff}.", counted(games, "game"))
            }
            _ => score_in_words(self.score),
        };
        print_wrapped(&words)
    }

    fn show_log(&mut self) -> Result<(), Leaving> {
        /// The maximum number of entries shown. A game of War may have thousands.
        const MAX_LINES: usize = 100;
        let omitted = match self.log.len() {
            0 => "Nothing yet.\n".into(),
            length if length > MAX_LINES => {
                format!("... ({} earlier entries)\n", length - MAX_LINES)
            }
            _ => String::new(),
        };
        self.show_last(omitted, MAX_LINES)
    }

    /// Shows `text` and at most `num` last entries of the log.
    fn show_last(&mut self, mut text: String, num: usize) -> Result<(), Leaving> {
        let page = page::current();
        let last = self.log.len().saturating_sub(num);
        text.extend(self.log[last..].iter().map(|told| wrapped(told, page)));
        Ok(paint::print(&text, &*self.session)?)
    }

    /// Shows the last entries of the log after a standing answer, to explain the current state.
    fn catch_up(&mut self) -> Result<(), Leaving> {
        /// The number of entries shown: one action of the person, and one of the opponent.
        const NUM_TOLD: usize = 2;
        let num_quiet = std::mem::take(&mut self.num_quiet);
        let omitted = match num_quiet > NUM_TOLD {
            true => format!("... (`log` shows {num_quiet} entries)\n"),
            false => String::new(),
        };
        self.show_last(omitted, num_quiet.min(NUM_TOLD))
    }

    fn show_table(&mut self, person: Seat) -> Result<(), Leaving> {
        let page = page::current();
        let mut text = format!("\n{}", self.session.view(person, page));
        if self.args.reveal && self.session.hides() {
            text += "Revealed:\n";
            text += &self.session.everything(names(person), page);
        }
        let choices = self.session.choices();
        let width = choices.iter().map(|(typed, _)| typed.chars().count()).max().unwrap_or(0);
        for (index, (typed, meaning)) in choices.iter().enumerate() {
            text += &choice_line(index + 1, &format!("{typed:width$}"), meaning, page);
        }
        Ok(paint::print(&text, &*self.session)?)
    }

    /// Asks the person until an action is played. Returns `true` if the person gives up.
    fn ask(&mut self, person: Seat) -> Result<bool, Leaving> {
        loop {
            let typed = self.console.ask(&self.session.prompt())?;
            let page = page::current();
            match typed.to_lowercase().as_str() {
                "" => (),
                "?" | "help" => {
                    let mut text = wrapped(&self.session.rules(), page);
                    text.push('\n');
                    for (typed, does) in COMMANDS {
                        text += &hanging(&format!("  {typed:6}  "), does, page);
                    }
                    if self.session.grammar().is_some() {
                        let family = &self.transcript.family;
                        let advice = format!(
                            "For a game at a real table, `ruse advise {family}` recommends actions."
                        );
                        text += &format!("\n{}", wrapped(&advice, page));
                    }
                    print(&text)?;
                }
                "q" | "quit" | "exit" => return Err(Leaving::Quit),
                "resign" => return Ok(true),
                "show" => self.show_table(person)?,
                "score" => self.show_score()?,
                "log" => self.show_log()?,
                "hint" => self.show_hint()?,
                "undo" if !self.args.reveal && !self.session.may_take_back() => {
                    let text = "You have learnt something since, so this action cannot be taken back; with \
                                --reveal it can.";
                    print_wrapped(text)?;
                }
                "undo" if self.session.take_back() => {
                    self.log.push("You take your last action back.".into());
                    self.show_table(person)?;
                }
                "undo" => print("There is nothing to take back.\n")?,
                answer => {
                    let standing = answer.strip_prefix("all ").map(str::trim);
                    match self.act(standing.unwrap_or(typed.trim())) {
                        Ok(step) => {
                            self.standing =
                                standing.map(|answer| (answer.to_string(), MAX_STANDING - 1));
                            self.tell(person, &step)?;
                            return Ok(false);
                        }
                        Err(problem) => self.refuse(&problem)?,
                    }
                }
            }
        }
    }

    /// Shows the best known choice, the opponent's choice in this position, and, if known, the worth of the choices and
    /// the opponent's beliefs about the board.
    fn show_hint(&mut self) -> Result<(), Leaving> {
        /// The time for playouts while a person waits.
        const TIME_TO_PLAY: Duration = Duration::from_secs(1);
        /// The time if the answers come from a file, so that results hardly depend on the speed of the machine.
        const TIME_FOR_SCRIPTS: Duration = Duration::from_secs(10);
        let page = page::current();
        let beliefs = self.session.beliefs();
        // A map for aiming shows the worth of the choices.
        let is_aim = beliefs.as_ref().is_some_and(|beliefs| beliefs.is_aim);
        let time = if self.console.is_script() { TIME_FOR_SCRIPTS } else { TIME_TO_PLAY };
        let values = if is_aim { None } else { self.session.values(time.into()) };
        let best = best(&*self.session, values.as_ref(), "Your opponent");
        let hint = best.unwrap_or_else(|| match self.session.advice() {
            Some(advice) => format!("Your opponent would play {advice}."),
            None => "Your opponent has no answer here either.".into(),
        });
        let mut text = wrapped(&hint, page);
        if let Some(values) = values {
            text += &worth(&values, "both play on like your opponent", page);
        }
        print(&text)?;
        let map = |beliefs| heat_map::print(&beliefs, page, &*self.session);
        Ok(beliefs.map_or(Ok(()), map)?)
    }

    fn show_end(&mut self, person: Seat, ending: Ending) -> Result<(), Leaving> {
        let page = page::current();
        let mut text = if self.session.hides() {
            format!("\nThe whole table:\n{}", self.session.everything(names(person), page))
        } else {
            format!("\n{}", self.session.view(person, page))
        };
        text += match ending {
            Ending::Win => "You win.\n",
            Ending::Draw => "The game is a draw.\n",
            Ending::Loss => "You lose.\n",
            Ending::GivenUp => "You give up, and lose.\n",
            Ending::Unfinished => "",
        };
        Ok(paint::print(&text, &*self.session)?)
    }
}

/// Prints a wrapped paragraph.
fn print_wrapped(text: &str) -> Result {
    print(&wrapped(text, page::current()))
}

/// Returns the names of the seats for the person.
fn names(person: Seat) -> BySeat<&'static str> {
    BySeat::from_fn(|seat| if seat == person { "you" } else { "opponent" })
}
