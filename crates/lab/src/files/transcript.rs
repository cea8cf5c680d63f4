//! Transcripts: files of games that a user played or watched.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use ruse_base::files::Step as FileStep;
use ruse_base::rng::{Label, StreamKey};
use ruse_games::{Payoff, Seat, Turn};
use ruse_play::family::{AnyFamily, Player, PlayerError};
use ruse_play::session::{PlayError, Session};
use serde::{Deserialize, Deserializer, Serialize};

use super::strategy::{MixtureMember, mixture_spec};
use crate::language::rules::number_or_text;

/// Games of a user against a strategy, or between two strategies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "games that were played, with `family`, `opponent`, `seed` and `games`")]
pub struct Transcript {
    /// The family.
    pub family: String,
    /// The rules of the games.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, u64>,
    /// The name of the strategy that played in place of the user; `None` if the user played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// The name of the opponent, as the user gave it.
    pub opponent: String,
    /// The parameters of the opponent; empty if it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<f64>,
    /// The members of the opponent, if it is a mixture.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixture: Vec<MixtureMember>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The games, in order.
    pub games: Vec<GameTranscript>,
}

/// The transcript of one game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GameTranscript {
    /// The seat of the user.
    pub person: SeatName,
    /// The result for the user.
    pub result: Ending,
    /// The actions, in order.
    #[serde(with = "serde_yaml::with::singleton_map_recursive")]
    pub actions: Vec<ActionTranscript>,
}

/// The name of a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum SeatName {
    /// The seat that moves first.
    First,
    /// The other seat.
    Second,
}

impl From<Seat> for SeatName {
    fn from(seat: Seat) -> SeatName {
        match seat {
            Seat::First => SeatName::First,
            Seat::Second => SeatName::Second,
        }
    }
}

impl From<SeatName> for Seat {
    fn from(name: SeatName) -> Seat {
        match name {
            SeatName::First => Seat::First,
            SeatName::Second => Seat::Second,
        }
    }
}

impl fmt::Display for SeatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SeatName::First => "first",
            SeatName::Second => "second",
        })
    }
}

/// An action, with the seat that took it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[serde(expecting = "an action such as `first: 4 2`")]
pub enum ActionTranscript {
    /// An action of the first seat.
    First(#[serde(deserialize_with = "typed")] String),
    /// An action of the second seat.
    Second(#[serde(deserialize_with = "typed")] String),
}

/// Parses the text of an action. A text that is a number does not need quotation marks in the file.
fn typed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(number_or_text(deserializer, "an action as it is typed")?.to_string())
}

impl ActionTranscript {
    /// Creates an action as it was typed.
    pub fn new(seat: Seat, typed: String) -> ActionTranscript {
        match seat {
            Seat::First => ActionTranscript::First(typed),
            Seat::Second => ActionTranscript::Second(typed),
        }
    }

    /// Returns the seat that took the action, and the action as it was typed.
    pub fn parts(&self) -> (Seat, &str) {
        match self {
            ActionTranscript::First(typed) => (Seat::First, typed),
            ActionTranscript::Second(typed) => (Seat::Second, typed),
        }
    }
}

ruse_base::named! {
    /// The result of a game for the user.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Ending {
        /// The user won.
        Win = "win",
        /// Neither side won.
        Draw = "draw",
        /// The opponent won.
        Loss = "loss",
        /// The user gave up, and lost.
        GivenUp = "given-up",
        /// The user left before the end, so the game does not count.
        Unfinished = "unfinished",
    }
}

impl Ending {
    /// Returns the result of a completed game for the user in `seat`.
    pub fn of(outcome_of_first: Payoff, seat: Seat) -> Ending {
        let outcome = match seat {
            Seat::First => outcome_of_first,
            Seat::Second => outcome_of_first.reversed(),
        };
        match outcome.cmp(&Payoff::DRAW) {
            Ordering::Greater => Ending::Win,
            Ordering::Equal => Ending::Draw,
            Ordering::Less => Ending::Loss,
        }
    }
}

/// The reason why a transcript is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// The family cannot be played interactively.
    #[error("family `{0}` cannot be played at the terminal")]
    NoTable(String),
    /// The opponent does not belong to the family.
    #[error(transparent)]
    Opponent(#[from] PlayerError),
    /// An action is invalid or illegal.
    #[error("game {}, action {}: {source}", .game + 1, .action + 1)]
    Action {
        /// The index of the game, from 0.
        game: usize,
        /// The index of the action, from 0.
        action: usize,
        /// The problem with the action.
        source: PlayError,
    },
    /// An action of a seat that is not to move.
    #[error("game {}, action {}: it is the turn of the {expected} player", .game + 1, .action + 1)]
    Turn {
        /// The index of the game, from 0.
        game: usize,
        /// The index of the action, from 0.
        action: usize,
        /// The seat whose turn it is.
        expected: SeatName,
    },
    /// The recorded result is not the result of the actions.
    #[error("game {}: the result is `{found}`, but the actions make it {expected}", .game + 1)]
    Result {
        /// The index of the game, from 0.
        game: usize,
        /// The result in the transcript.
        found: &'static str,
        /// The actual result.
        expected: String,
    },
}

impl TranscriptError {
    /// Returns the place of the mistake in the file.
    pub fn path(&self) -> Vec<FileStep> {
        match *self {
            TranscriptError::NoTable(_) => vec!["family".into()],
            TranscriptError::Opponent(PlayerError::Parameters { .. }) => vec!["parameters".into()],
            TranscriptError::Opponent(PlayerError::Weights(_)) => vec!["mixture".into()],
            TranscriptError::Opponent(_) => vec!["opponent".into()],
            TranscriptError::Action { game, action, .. }
            | TranscriptError::Turn { game, action, .. } => {
                vec!["games".into(), game.into(), "actions".into(), action.into()]
            }
            TranscriptError::Result { game, .. } => {
                vec!["games".into(), game.into(), "result".into()]
            }
        }
    }
}

impl Transcript {
    /// Creates a transcript without games. `player` names the strategy that plays in place of the user, if any.
    pub fn empty(
        family: &dyn AnyFamily,
        player: Option<&str>,
        against: &str,
        opponent: &Player,
        seed: u64,
    ) -> Transcript {
        let mixture = match opponent {
            Player::Mixture(members) => members.iter().cloned().map(MixtureMember::from).collect(),
            _ => Vec::new(),
        };
        Transcript {
            family: family.name().into(),
            rules: family.rule_values(),
            player: player.map(String::from),
            opponent: against.into(),
            parameters: opponent.parameters().unwrap_or_default().to_vec(),
            mixture,
            seed,
            games: Vec::new(),
        }
    }

    /// Returns the text of the file.
    ///
    /// # Panics
    ///
    /// Never panics: a transcript is plain data.
    pub fn to_yaml(&self) -> String {
        serde_yaml::to_string(self).expect("plain data")
    }

    /// Returns the key of all random numbers for this seed.
    pub fn key(seed: u64) -> StreamKey {
        StreamKey::root(seed).child(Label::Play, 0)
    }

    /// Returns the opponent.
    pub fn contestant(&self) -> Player {
        match () {
            () if !self.parameters.is_empty() => Player::Parameters(self.parameters.clone()),
            () if !self.mixture.is_empty() => mixture_spec(&self.mixture),
            () if self.opponent == "baseline" => Player::Redrawn,
            () => Player::Named(self.opponent.clone()),
        }
    }

    /// Opens a session in which the games can be replayed.
    ///
    /// # Errors
    ///
    /// Returns an error if the family cannot be played interactively, or the opponent is invalid.
    pub fn session<'a>(
        &self,
        family: &'a dyn AnyFamily,
    ) -> Result<Box<dyn Session + 'a>, TranscriptError> {
        // A game that is over needs no opponent, and the file must not start a program.
        let opponent = self.contestant();
        let opponent = if opponent.programs().is_empty() { opponent } else { Player::Redrawn };
        let session = family.sit_down(&opponent, Transcript::key(self.seed))?;
        session.ok_or_else(|| TranscriptError::NoTable(family.name().into()))
    }

    /// Checks that all actions are legal, and that the results are correct.
    ///
    /// # Errors
    ///
    /// Returns an error for the first mistake.
    pub fn check(&self, session: &mut dyn Session) -> Result<(), TranscriptError> {
        for (game, transcript) in self.games.iter().enumerate() {
            session.begin(game as u64, None);
            for (action, transcript) in transcript.actions.iter().enumerate() {
                let (seat, typed) = transcript.parts();
                if let Turn::Act(expected) = session.turn()
                    && expected != seat
                {
                    let expected = expected.into();
                    return Err(TranscriptError::Turn { game, action, expected });
                }
                let played = session.act(typed);
                played.map_err(|source| TranscriptError::Action { game, action, source })?;
            }
            let (found, person) = (transcript.result, transcript.person.into());
            let expected = match session.turn() {
                Turn::Act(_) if matches!(found, Ending::GivenUp | Ending::Unfinished) => continue,
                Turn::Act(_) => "`given-up` or `unfinished`".into(),
                Turn::Over(outcome) if found == Ending::of(outcome, person) => continue,
                Turn::Over(outcome) => format!("`{}`", Ending::of(outcome, person).name()),
            };
            return Err(TranscriptError::Result { game, found: found.name(), expected });
        }
        Ok(())
    }
}
