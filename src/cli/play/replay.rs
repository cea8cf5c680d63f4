//! `ruse replay`: shows saved games again.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ruse_base::files::YamlSource;
use ruse_base::names::check_name;
use ruse_base::stop::StopSignal;
use ruse_games::{BySeat, Page, Seat, Turn};
use ruse_lab::{Ending, GameTranscript, SeatName, Transcript};
use ruse_play::session::{Session, Step};
use ruse_registry::Registry;

use super::super::failure::{Failure, Result, print};
use super::console::{Console, Leaving};
use super::page::{self, wrapped};
use super::{paint, review};

/// Show games that were saved with `ruse play --save`
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The file that contains the games
    file: PathBuf,
    /// The point of view: one of the players, or an onlooker who sees everything
    #[arg(long, value_name = "SEAT", default_value = "both")]
    from_seat: Viewer,
    /// Wait for Enter after each action
    #[arg(long)]
    step: bool,
    /// Show only the costliest decisions of the player, each with the table and the best choice
    #[arg(long, conflicts_with = "step")]
    review: bool,
}

/// The point of view from which games are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Viewer {
    /// The player who moves first
    First,
    /// The other player
    Second,
    /// An onlooker who sees everything
    Both,
}

pub(crate) fn replay(args: &ReplayArgs, registry: &Registry) -> Result {
    let source = YamlSource::read(&args.file).map_err(|error| {
        Failure::bad_input(format!("cannot read {}: {error}", args.file.display()))
    })?;
    let transcript: Transcript = source.parse().map_err(Failure::BadFile)?;
    let mistake = |key: &str, message: String| {
        Failure::BadFile(Box::new(source.error_at(&[key.into()], message)))
    };
    let player = transcript.player.as_deref().unwrap_or_default();
    for (key, name) in [("player", player), ("opponent", &transcript.opponent)] {
        check_name(name).map_err(|error| mistake(key, error.to_string()))?;
    }
    let family = registry.family(&transcript.family).map_err(|error| {
        let advice = error.advice().map(|advice| format!("; {advice}"));
        mistake("family", format!("{error}{}", advice.unwrap_or_default()))
    })?;
    let family = family
        .with_rules(&transcript.rules)
        .map_err(|error| mistake("rules", error.to_string()))?;
    let refused = |error: ruse_lab::TranscriptError| {
        Failure::BadFile(Box::new(source.error_at(&error.path(), error.to_string())))
    };
    let mut session = transcript.session(family.as_ref()).map_err(refused)?;
    // The whole transcript is checked before anything is shown.
    transcript.check(session.as_mut()).map_err(refused)?;

    let console = if args.step { Some(Console::new(StopSignal::default())?) } else { None };
    let Transcript { family, player, opponent, seed, .. } = &transcript;
    let player = player.as_deref();
    let viewer = match args.from_seat {
        Viewer::First => Some(Seat::First),
        Viewer::Second => Some(Seat::Second),
        Viewer::Both => None,
    };
    let mut show = Show { session, console, viewer, player, is_review: args.review };
    let of_player = player.map_or(String::new(), |player| format!(": {player}"));
    let title = format!("{family}{of_player} against {opponent}, seed {seed}.");
    print(&wrapped(&title, page::current()))?;
    let mut games = transcript.games.iter().enumerate();
    games.try_for_each(|(index, game)| show.game(index, game)).or_else(Leaving::result)
}

struct Show<'a> {
    session: Box<dyn Session + 'a>,
    /// The console for `--step`.
    console: Option<Console>,
    viewer: Option<Seat>,
    /// The strategy that played in place of a person, if any.
    player: Option<&'a str>,
    is_review: bool,
}

impl Show<'_> {
    fn game(&mut self, index: usize, game: &GameTranscript) -> Result<(), Leaving> {
        self.session.begin(index as u64, None);
        let page = page::current();
        let player = self.player.unwrap_or("the person");
        let title = format!("Game {}: {player} is the {} player.", index + 1, game.person);
        if self.is_review {
            print(&format!("\n{}", wrapped(&title, page)))?;
            for action in &game.actions {
                self.session.act(action.parts().1).expect("the transcript was checked");
            }
            return Ok(review::show(&*self.session, game.person.into(), &StopSignal::default())?);
        }
        let text = format!("\n{}{}", wrapped(&title, page), self.table(page));
        paint::print(&text, &*self.session)?;
        for action in &game.actions {
            let (_, typed) = action.parts();
            let step = self.session.act(typed).expect("the transcript was checked");
            self.wait()?;
            let page = page::current();
            let text = format!("\n{}{}", self.told(&step, page), self.table(page));
            paint::print(&text, &*self.session)?;
        }
        let by_person = match (game.result, self.viewer.map(|viewer| viewer == game.person.into()))
        {
            (Ending::Win, Some(true)) | (Ending::Loss, Some(false)) => "You win.".into(),
            (Ending::Loss, Some(true)) | (Ending::Win, Some(false)) => "The opponent wins.".into(),
            (Ending::Unfinished, _) if self.player.is_some() => {
                "The game was stopped there.".into()
            }
            (result, _) => told_of(self.player.unwrap_or("The person"), result),
        };
        Ok(print(&wrapped(&by_person, page))?)
    }

    fn wait(&mut self) -> Result<(), Leaving> {
        self.console.as_mut().map_or(Ok(()), Console::ask_to_continue)
    }

    /// Returns the game from the chosen point of view; empty during the other player's turn.
    fn table(&self, page: Page) -> String {
        match self.viewer {
            None => self.session.everything(BySeat { first: "first", second: "second" }, page),
            // A player sees the table only on the player's own turn and after the game.
            Some(seat) => match self.session.turn() {
                Turn::Act(other) if other != seat => String::new(),
                _ => self.session.view(seat, page),
            },
        }
    }

    fn told(&self, step: &Step, page: Page) -> String {
        match self.viewer {
            None => wrapped(&format!("{}: {}", SeatName::from(step.seat), step.typed), page),
            Some(seat) => {
                let mut text = String::new();
                if seat == step.seat {
                    text += &wrapped(&format!("You type: {}", step.typed), page);
                }
                text + &step.told[seat].as_ref().map_or(String::new(), |told| wrapped(told, page))
            }
        }
    }
}

/// Describes the end of a game for an onlooker. `result` is the result for `player`.
fn told_of(player: &str, result: Ending) -> String {
    match result {
        Ending::Win => format!("{player} wins."),
        Ending::Draw => "The game is a draw.".into(),
        Ending::Loss => "The opponent wins.".into(),
        Ending::GivenUp => format!("{player} gives up."),
        Ending::Unfinished => format!("{player} leaves."),
    }
}
