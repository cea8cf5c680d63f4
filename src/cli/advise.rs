//! `ruse advise`: what a strategy does in a position, and what the alternatives are worth.

use std::io::{IsTerminal, Read};
use std::time::Duration;

use clap::Args;
use ruse_games::{Beliefs, Turn};
use serde_json::json;

use super::arguments::{RuleArgs, parse_seed};
use super::failure::{Failure, print_json};
use super::format::grouped;
use super::play::console::{Console, Leaving};
use super::play::page::{self, choice_line, hanging, wrapped};
use super::play::table_cannot_be_played;
use super::play::{heat_map, paint};
use super::worth::{in_words, share, worth};
use crate::arena::StopSignal;
use crate::lab::{SeatName, Transcript, parse_sitter};
use crate::registry::Registry;
use crate::session::{Decision, Session, Source, Values};

/// Say what a strategy does in a position, and what the alternatives are worth
#[derive(Debug, Args)]
#[command(after_help = "\
A position is the list of all moves since the start of a game, of both players in turn, each typed as in `ruse play`: an \
action, the number of a choice, or random for any legal move. Deals and dice come from --seed, so the same moves with the \
same seed are the same position. The advice is for the player whose turn it is then, from what that player knows.

Values are exact where perfect play is known (nim, pig, morra, guess-who). Elsewhere they are means of playouts from states \
that agree with what the player knows, in which both sides play on with the strategies. For shots of Battleship they are \
left out: there is a map of what the strategy believes, the probability that each cell is part of a ship.")]
pub(super) struct AdviseArgs {
    /// The game and the kind of parameters (see `ruse list`)
    family: String,
    /// The strategy: a strategy file, `baseline`, a reference strategy, or parameters as in [0,1.5,-2]
    strategy: String,
    /// The moves so far, with a semicolon between them; without it they are read from standard input, one a line, or asked
    /// for in a terminal
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    position: Option<String>,
    /// The strategy that plays on for the other side where values are measured [default: the strategy itself]
    #[arg(long, value_name = "STRATEGY")]
    against: Option<String>,
    /// Where deals, dice and playouts come from
    #[arg(long, value_name = "S", default_value = "1", value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

/// How long a strategy is asked again and again.
const TIME_TO_ASK: Duration = Duration::from_millis(300);
/// How long choices are played out.
const TIME_TO_PLAY: Duration = Duration::from_secs(1);

pub(super) fn advise(args: &AdviseArgs, registry: &Registry) -> Result<(), Failure> {
    let family = args.rules.apply(registry.family(&args.family)?.as_ref())?;
    let strategy = parse_sitter(&args.strategy, family.as_ref())?;
    let against = args.against.as_deref().unwrap_or(&args.strategy);
    let opponent = parse_sitter(against, family.as_ref())?;
    let key = Transcript::key(args.seed);
    let session = family.sit_down_beside(&strategy, &opponent, key)?;
    let mut session = session.ok_or_else(|| table_cannot_be_played(family.name()))?;
    session.begin(0, None);
    let mut moves = Vec::new();
    if let Some(position) = &args.position {
        play(session.as_mut(), position, &mut moves)?;
    } else if !std::io::stdin().is_terminal() {
        play(session.as_mut(), &read_input()?, &mut moves)?;
    } else if !args.json {
        match ask(session.as_mut(), &mut moves) {
            Ok(()) => (),
            Err(Leaving::Quit) => return Ok(()),
            Err(Leaving::Interrupted) => return Err(Failure::Interrupted),
            Err(Leaving::Failed(failure)) => return Err(failure),
        }
    }
    let Turn::Act(seat) = session.turn() else {
        let message = format!("the game is over after {} moves", moves.len());
        return Err(Failure::with_advice(
            message,
            "there is nothing to decide: leave out the last",
        ));
    };
    // Once more, with the strategy on the seat that turned out to be the one to move.
    session.begin(0, Some(seat));
    for typed in &moves {
        step(session.as_mut(), typed).expect("it was played before");
    }
    let decision = session.decision(TIME_TO_ASK.into()).expect("somebody is to move");
    let values = session.values(TIME_TO_PLAY.into());
    let beliefs = session.beliefs();
    let page = page::current();
    if args.json {
        let rules = family.rules().into_iter();
        let rules: serde_json::Map<_, _> =
            rules.map(|rule| (rule.name.into(), rule.value.into())).collect();
        return print_json(&json!({
            "family": family.name(),
            "rules": rules,
            "strategy": args.strategy,
            "against": against,
            "seed": args.seed,
            "position": session.actions().iter().map(|(_, typed)| typed).collect::<Vec<_>>(),
            "seat": SeatName::from(seat).to_string(),
            "table": session.view(seat, page),
            "asked": decision.num_asked,
            "chosen": chosen_json(&decision),
            "values": values.as_ref().map(values_json),
            "beliefs": beliefs.as_ref().map(beliefs_json),
        }));
    }
    let place = SeatName::from(seat);
    let after = match moves.len() {
        0 => "at the start of the game".into(),
        1 => "after 1 move".into(),
        number => format!("after {} moves", grouped(number as u64)),
    };
    let title = format!("{}: the {place} player is to move, {after}.", family.name());
    let mut text = format!("{}\n{}", wrapped(&title, page), session.view(seat, page));
    text += &format!("\n{}", wrapped(&format!("{} types:", args.strategy), page));
    text += &chosen_lines(&decision, page);
    match &values {
        Some(values) => {
            let both = match against == args.strategy {
                true => format!("both play on as {against} does"),
                false => format!("{} plays on against {against}", args.strategy),
            };
            text += &format!("\n{}", worth(values, &both, page));
            if decision.chosen.len() > 1 && values.choices.iter().any(|choice| choice.is_advice) {
                let mark = format!("> is what {} types with seed {}.", args.strategy, args.seed);
                text += &wrapped(&mark, page);
            }
        }
        None if beliefs.is_some() => (),
        None => text += "\nWhat the choices are worth is not known for this game.\n",
    }
    let Some(beliefs) = beliefs else { return paint::print(&text, session.as_ref()) };
    paint::print(&(text + "\n"), session.as_ref())?;
    heat_map::print(&beliefs, page, session.as_ref())
}

/// All that comes in on standard input.
fn read_input() -> Result<String, Failure> {
    /// More moves than anybody types, and than a game has that is worth asking about.
    const MAX_BYTES: u64 = 1 << 20;
    let mut bytes = Vec::new();
    match std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut bytes) {
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(Failure::bad_input(format!("cannot read standard input: {error}"))),
    }
}

/// Plays a move as it was typed.
fn step(session: &mut dyn Session, typed: &str) -> Result<(), String> {
    let step = match typed {
        "random" => session.act_at_random(),
        typed => session.act(typed),
    };
    step.map(|_| ()).map_err(|error| error.to_string())
}

/// Plays the moves of a text.
fn play(session: &mut dyn Session, text: &str, moves: &mut Vec<String>) -> Result<(), Failure> {
    let typed = text.split([';', '\n']).map(str::trim).filter(|typed| !typed.is_empty());
    for typed in typed {
        if let Err(problem) = step(session, typed) {
            let message = format!("move {} of the position: {problem}", moves.len() + 1);
            let advice = "moves are typed as in `ruse play`, those of both players in turn, with ; between them";
            return Err(Failure::with_advice(message, advice));
        }
        moves.push(typed.into());
    }
    Ok(())
}

/// Asks a person for the moves, until an answer is empty.
fn ask(session: &mut dyn Session, moves: &mut Vec<String>) -> Result<(), Leaving> {
    let mut console = Console::new(StopSignal::default())?;
    let page = page::current();
    console.print(&wrapped("Type the moves so far; Enter alone asks for advice.", page))?;
    while let Turn::Act(seat) = session.turn() {
        let page = page::current();
        paint::print(&format!("\n{}", session.view(seat, page)), session)?;
        for (index, (typed, meaning)) in session.choices().iter().enumerate() {
            console.print(&choice_line(index + 1, typed, meaning, page))?;
        }
        let question = format!("{} player, {}", SeatName::from(seat), session.prompt());
        match console.ask(&question)?.as_str() {
            "" => break,
            "q" | "quit" => return Err(Leaving::Quit),
            typed => match step(session, typed) {
                Ok(()) => moves.push(typed.into()),
                Err(problem) => console.print(&wrapped(&problem, page))?,
            },
        }
    }
    Ok(())
}

fn chosen_lines(decision: &Decision, page: ruse_games::Page) -> String {
    /// Of more actions the most frequent.
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

fn chosen_json(decision: &Decision) -> serde_json::Value {
    let chosen = decision.chosen.iter();
    let chosen = chosen.map(|chosen| {
        json!({ "action": chosen.typed, "meaning": chosen.meaning, "share": chosen.share })
    });
    chosen.collect()
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
    let choices: Vec<_> = values
        .choices
        .iter()
        .map(|choice| {
            json!({
                "action": choice.typed,
                "meaning": choice.meaning,
                "score": choice.score,
                "interval": choice.interval,
                "is_advice": choice.is_advice,
            })
        })
        .collect();
    json!({
        "source": source,
        "playouts": playouts,
        "num_compared": values.num_compared,
        "choices": choices,
    })
}
