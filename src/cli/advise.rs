//! `ruse advise`: shows what a strategy does in a position, and what the alternatives are worth.

use std::io::{IsTerminal, Read};
use std::time::Duration;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_games::{Beliefs, Grammar, Page, ReconstructError, Seat, Turn};
use ruse_lab::{SeatName, Transcript, parse_sitter, usual_opponent};
use ruse_play::family::AnyFamily;
use ruse_play::session::{Decision, Limit, Session, Source, Values};
use ruse_registry::Registry;
use serde_json::json;

use super::arguments::{RuleArgs, parse_seed};
use super::failure::{Failure, Result, print, print_json};
use super::format::counted;
use super::play::console::{Console, Leaving};
use super::play::page::{self, choice_line, hanging, wrapped};
use super::play::{heat_map, paint, table_cannot_be_played};
use super::progress::Heartbeat;
use super::worth::{best, in_words, share, worth};

/// Show what a strategy does in a position, and what the alternatives are worth
#[derive(Debug, Args)]
#[command(after_help = "\
At a real table, give what you saw and did yourself as --saw, in a short notation of each game; hidden cards and cells \
are not needed. In a terminal, a command without --saw asks for it line by line, and explains the notation.

A position is the list of all moves since the start of a game, of both players in turn, each typed as in `ruse play`: an \
action, the number of a choice, or random for any legal move. Deals and dice come from --seed, so the same moves with the \
same seed are the same position. The advice is for the player to move, and uses only what this player knows.

Values are exact where perfect play is known (nim, pig, morra, guess-who). Elsewhere they are means of playouts: both \
sides play on with the strategies, from states that agree with what the player knows. Shots of Battleship have no \
values; instead, a map shows what the strategy believes: the probability that each cell is part of a ship.")]
pub(super) struct AdviseArgs {
    /// The game and the kind of parameters (see `ruse list`)
    family: String,
    /// The strategy: a strategy file, `baseline`, `champion`, a reference strategy, or parameters as in [0,1.5,-2]
    /// [default: the opponent of `ruse play`]
    strategy: Option<String>,
    /// Your observations and actions at a real table; without --saw and --position, this text is read from standard
    /// input, or line by line in a terminal
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "position")]
    saw: Option<String>,
    /// Your seat, if it does not follow from what you saw [default: first]
    #[arg(long, value_name = "SEAT", conflicts_with = "position")]
    seat: Option<SeatName>,
    /// The moves of both players so far, separated by semicolons
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    position: Option<String>,
    /// The strategy of the other side in the playouts that measure values [default: the strategy itself]
    #[arg(long, value_name = "STRATEGY")]
    against: Option<String>,
    /// The seed of deals, dice and playouts
    #[arg(long, value_name = "S", default_value = "1", value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

/// The time in which the strategy decides repeatedly, to measure how often it makes each choice.
const TIME_TO_ASK: Duration = Duration::from_millis(300);
/// The time for the playouts that measure the choices.
const TIME_TO_PLAY: Duration = Duration::from_secs(1);

/// The strategy that gives advice, and its opponent in playouts.
struct Adviser<'a> {
    args: &'a AdviseArgs,
    family: &'a dyn AnyFamily,
    strategy: &'a str,
    against: &'a str,
}

pub(super) fn advise(args: &AdviseArgs, registry: &Registry) -> Result {
    let preparing = Heartbeat::new("preparing the strategy");
    let named = args.strategy.as_deref().into_iter().chain(args.against.as_deref());
    let family = args.rules.family(&args.family, named, registry)?;
    let usual = usual_opponent(family.as_ref());
    let strategy = args.strategy.as_deref().or(usual.as_deref());
    let strategy = strategy.ok_or_else(|| table_cannot_be_played(family.name()))?;
    let against = args.against.as_deref().unwrap_or(strategy);
    let adviser = Adviser { args, family: family.as_ref(), strategy, against };
    let (player, opponent) =
        (parse_sitter(strategy, family.as_ref())?, parse_sitter(against, family.as_ref())?);
    let key = Transcript::key(args.seed);
    let session = family.sit_down_beside(&player, &opponent, key)?;
    let mut session = session.ok_or_else(|| table_cannot_be_played(family.name()))?;
    drop(preparing);
    // If all moves are visible to the two players, piped input is a position.
    let is_position = session.may_take_back() && !std::io::stdin().is_terminal();
    let is_told = args.position.is_none() && session.grammar().is_some() && !is_position;
    match args.saw.is_some() || args.seat.is_some() || is_told {
        true => advise_on_what_was_seen(&adviser, session.as_mut()),
        false => adviser.advise_on_position(session.as_mut()),
    }
}

impl Adviser<'_> {
    fn advise_on_position(&self, session: &mut dyn Session) -> Result {
        let Adviser { args, family, .. } = *self;
        session.begin(0, None);
        let mut moves = Vec::new();
        if let Some(position) = &args.position {
            play(session, position, &mut moves)?;
        } else if !std::io::stdin().is_terminal() {
            play(session, &read_input()?, &mut moves)?;
        } else if !args.json
            && let Err(left) = ask(session, &mut moves)
        {
            return left.result();
        }
        let Turn::Act(seat) = session.turn() else {
            let message = format!("the game is over after {} moves", moves.len());
            return Err(Failure::with_advice(
                message,
                "there is nothing to decide: leave out the last move",
            ));
        };
        let _while_thinking = Heartbeat::new("thinking");
        // Only now is it known whose turn it is. Repeat the moves with the strategy in that seat.
        session.begin(0, Some(seat));
        for typed in &moves {
            step(session, typed).expect("it was played before");
        }
        if args.json {
            return print_json(&self.json(session, seat, None));
        }
        let place = SeatName::from(seat);
        let after = match moves.len() {
            0 => "at the start of the game".into(),
            number => format!("after {}", counted(number as u64, "move")),
        };
        let page = page::current();
        let title = format!("{}: the {place} player is to move, {after}.", family.name());
        self.print(&wrapped(&title, page), session, seat, page)
    }

    /// Prints a title, the game as the player sees it, the choices of the strategy, and the values of the choices or
    /// the beliefs of the strategy.
    fn print(&self, title: &str, session: &dyn Session, seat: Seat, page: Page) -> Result {
        let beliefs = session.beliefs();
        let mut text = title.to_string() + &self.text(session, seat, beliefs.is_some(), page);
        let Some(beliefs) = beliefs else { return paint::print(&text, session) };
        text.push('\n');
        paint::print(&text, session)?;
        heat_map::print(&beliefs, page, session)
    }

    /// Returns the game as the player sees it, the choices of the strategy, and their values, if known.
    fn text(&self, session: &dyn Session, seat: Seat, has_beliefs: bool, page: Page) -> String {
        let Adviser { strategy, against, .. } = *self;
        let decision = session.decision(TIME_TO_ASK.into()).expect("a seat is to move");
        let values = session.missing().is_none().then(|| session.values(TIME_TO_PLAY.into()));
        let values = values.flatten();
        let mut text = format!("\n{}", session.view(seat, page));
        if let Some(best) = best(session, values.as_ref(), strategy) {
            text += &format!("\n{}", wrapped(&best, page));
        }
        text += &format!("\n{}", wrapped(&format!("{strategy} types:"), page));
        text += &chosen_lines(&decision, page);
        if let Some(missing) = session.missing().filter(|_| !has_beliefs) {
            let sentence =
                format!("What the choices are worth depends on {missing}, which you did not give.");
            return text + &format!("\n{}", wrapped(&sentence, page));
        }
        let Some(values) = values else {
            return match has_beliefs {
                true => text,
                false => text + "\nWhat the choices are worth is not known for this game.\n",
            };
        };
        let both = match against == strategy {
            true => format!("both play on as {against} does"),
            false => format!("{strategy} plays on against {against}"),
        };
        text += &format!("\n{}", worth(&values, &both, page));
        if decision.chosen.len() > 1 && values.choices.iter().any(|choice| choice.is_advice) {
            let mark = format!("> is what {strategy} types with seed {}.", self.args.seed);
            text += &wrapped(&mark, page);
        }
        text
    }

    /// Returns the position, the choices of the strategy and their values as JSON. `saw` is the text of `--saw`; `None`
    /// for a position given by moves.
    fn json(&self, session: &dyn Session, seat: Seat, saw: Option<&str>) -> serde_json::Value {
        let decision = session.decision(TIME_TO_ASK.into()).expect("a seat is to move");
        let values = session.values(TIME_TO_PLAY.into());
        let rules = self.family.rules().into_iter();
        let rules: serde_json::Map<_, _> =
            rules.map(|rule| (rule.name.into(), rule.value.into())).collect();
        let position: Vec<_> = session.actions().iter().map(|(_, typed)| typed).collect();
        let (from, what) = saw.map_or(("position", json!(position)), |saw| ("saw", json!(saw)));
        json!({
            "family": self.family.name(),
            "rules": rules,
            "strategy": self.strategy,
            "against": self.against,
            "seed": self.args.seed,
            from: what,
            "seat": SeatName::from(seat).to_string(),
            "table": session.view(seat, page::current()),
            "asked": decision.num_asked,
            "chosen": decision.chosen,
            "values": values.as_ref().map(values_json),
            "beliefs": session.beliefs().as_ref().map(beliefs_json),
        })
    }
}

/// The commands at every prompt, and their effects.
const COMMANDS: [(&str, &str); 4] = [
    ("Enter", "shows the advice, and what the choices are worth"),
    ("undo", "takes the last line back"),
    ("?", "shows the notation, and these lines"),
    ("q", "leaves"),
];

fn advise_on_what_was_seen(adviser: &Adviser<'_>, session: &mut dyn Session) -> Result {
    let args = adviser.args;
    let Some(grammar) = session.grammar() else {
        let family = adviser.family.name();
        let message = format!("a game of `{family}` cannot be described from one side");
        let advice = "give the moves of both players, as in --position 'random; random'; deals come from --seed";
        return Err(Failure::with_advice(message, advice));
    };
    let seat = args.seat.map(Seat::from);
    let text = match &args.saw {
        Some(saw) => saw.clone(),
        None if !std::io::stdin().is_terminal() => read_input()?,
        None if args.json => String::new(),
        None => {
            let asked = ask_what_was_seen(adviser, session, &grammar, seat);
            return asked.or_else(Leaving::result);
        }
    };
    let _while_thinking = Heartbeat::new("thinking");
    let told = session.reconstruct(&text, seat);
    let seat = told.map_err(|error| Failure::with_advice(error, grammar.how.clone()))?;
    if args.json {
        return print_json(&adviser.json(session, seat, Some(text.trim())));
    }
    let page = page::current();
    adviser.print(&wrapped(&title(adviser, session, seat), page), session, seat, page)
}

/// Returns a title, which says that it is the user's turn. It names the user's seat unless information is missing.
fn title(adviser: &Adviser<'_>, session: &dyn Session, seat: Seat) -> String {
    let family = adviser.family.name();
    match session.missing() {
        Some(_) => format!("{family}: it is your turn."),
        None => format!("{family}: it is your turn, as the {} player.", SeatName::from(seat)),
    }
}

/// Reads line by line what the user saw. Gives advice after each line.
fn ask_what_was_seen(
    adviser: &Adviser<'_>,
    session: &mut dyn Session,
    grammar: &Grammar,
    seat: Option<Seat>,
) -> Result<(), Leaving> {
    let mut console = Console::new(StopSignal::default())?;
    print(&help(grammar))?;
    let mut lines: Vec<String> = Vec::new();
    loop {
        let typed = console.ask(&format!("\n{} (Enter for advice)", grammar.prompt))?;
        let _while_thinking = Heartbeat::new("thinking");
        let (mut is_asked, mut is_new) = (false, false);
        match typed.to_lowercase().as_str() {
            "q" | "quit" | "exit" => return Ok(()),
            "?" | "help" => {
                print(&help(grammar))?;
                continue;
            }
            "undo" if lines.pop().is_none() => {
                print("There is nothing to take back.\n")?;
                continue;
            }
            "undo" => (),
            "" => is_asked = true,
            _ => {
                lines.push(typed);
                is_new = true;
            }
        }
        let page = page::current();
        match session.reconstruct(&lines.join("\n"), seat) {
            Ok(seat) if is_asked => adviser.print("", session, seat, page)?,
            Ok(seat) => paint::print(&known(adviser, session, seat), session)?,
            Err(error) => {
                print(&wrapped(&error.to_string(), page))?;
                // The next line may complete an incomplete line.
                use ReconstructError::{Impossible, Misread};
                if is_new && matches!(error, Misread { .. } | Impossible { .. }) {
                    lines.pop();
                }
            }
        }
    }
}

fn help(grammar: &Grammar) -> String {
    let page = page::current();
    let mut text = wrapped(&grammar.how, page);
    for (typed, does) in COMMANDS {
        text += &hanging(&format!("  {typed:6}  "), does, page);
    }
    text
}

/// Returns the game as the player sees it, and one action of the strategy.
fn known(adviser: &Adviser<'_>, session: &dyn Session, seat: Seat) -> String {
    let page = page::current();
    let mut text = format!("\n{}", session.view(seat, page));
    if let Some(decision) = session.decision(Limit::Times(1)) {
        text += &wrapped(&format!("{} types:", adviser.strategy), page);
        text += &chosen_lines(&decision, page);
    }
    text
}

fn read_input() -> Result<String> {
    /// The maximum size of the input, in bytes. Useful positions are shorter.
    const MAX_BYTES: u64 = 1 << 20;
    let mut bytes = Vec::new();
    match std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut bytes) {
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(Failure::bad_input(format!("cannot read standard input: {error}"))),
    }
}

/// Plays a typed move; `random` is any legal move.
fn step(session: &mut dyn Session, typed: &str) -> Result<(), String> {
    let step = match typed {
        "random" => session.act_at_random(),
        typed => session.act(typed),
    };
    step.map(|_| ()).map_err(|error| error.to_string())
}

/// Plays the moves of a text, separated by semicolons or line breaks, and adds them to `moves`.
fn play(session: &mut dyn Session, text: &str, moves: &mut Vec<String>) -> Result {
    let typed = text.split([';', '\n']).map(str::trim).filter(|typed| !typed.is_empty());
    for typed in typed {
        if let Err(problem) = step(session, typed) {
            let message = format!("move {} of the position: {problem}", moves.len() + 1);
            let advice =
                "type the moves of both players in turn, as in `ruse play`, with ; between them";
            return Err(Failure::with_advice(message, advice));
        }
        moves.push(typed.into());
    }
    Ok(())
}

/// Reads moves from the user until an empty line or the end of the game.
fn ask(session: &mut dyn Session, moves: &mut Vec<String>) -> Result<(), Leaving> {
    let mut console = Console::new(StopSignal::default())?;
    let page = page::current();
    print(&wrapped("Type the moves so far; Enter alone asks for advice.", page))?;
    while let Turn::Act(seat) = session.turn() {
        let page = page::current();
        paint::print(&format!("\n{}", session.view(seat, page)), session)?;
        for (index, (typed, meaning)) in session.choices().iter().enumerate() {
            print(&choice_line(index + 1, typed, meaning, page))?;
        }
        let question = format!("{} player, {}", SeatName::from(seat), session.prompt());
        match console.ask(&question)?.as_str() {
            "" => break,
            "q" | "quit" => return Err(Leaving::Quit),
            typed => match step(session, typed) {
                Ok(()) => moves.push(typed.into()),
                Err(problem) => print(&wrapped(&problem, page))?,
            },
        }
    }
    Ok(())
}

fn chosen_lines(decision: &Decision, page: Page) -> String {
    /// The maximum number of actions shown. Rarer actions are only counted.
    const MAX_SHOWN: usize = 8;
    let Decision { chosen, num_asked } = decision;
    let mut text = String::new();
    for chosen in chosen.iter().take(MAX_SHOWN) {
        let words = in_words(&chosen.typed, chosen.meaning.as_deref());
        text += &hanging("  ", &format!("{words} ({})", share(chosen.share, *num_asked)), page);
    }
    match chosen.len().saturating_sub(MAX_SHOWN) {
        0 => text,
        1 => text + "  ... and 1 other\n",
        left => text + &format!("  ... and {left} others\n"),
    }
}

fn beliefs_json(beliefs: &Beliefs) -> serde_json::Value {
    let probabilities =
        beliefs.cells().map(|belief| (belief.cell.clone(), belief.probability.into()));
    let probabilities: serde_json::Map<_, _> = probabilities.collect();
    json!({ "meaning": beliefs.meaning, "probabilities": probabilities })
}

fn values_json(values: &Values) -> serde_json::Value {
    let (source, playouts) = match values.source {
        Source::PerfectPlay => ("perfect-play", None),
        Source::Playouts { number } => ("playouts", Some(number)),
    };
    json!({
        "source": source,
        "playouts": playouts,
        "num_compared": values.num_compared,
        "choices": values.choices,
    })
}
