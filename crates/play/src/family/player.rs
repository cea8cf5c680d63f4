//! Players, as they appear in files, requests and commands.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ruse_base::names::UnknownName;
use ruse_base::stop::Stopped;
use ruse_games::{Game, Rule};
use ruse_programs::ProgramName;
use ruse_search::{AnyStrategy, ParameterError, SearchName, SearchNameError};
use ruse_strategies::{AnyPlayer, FamilyInfo, PlannerSettings};

/// The name of the baseline in commands and files.
pub const BASELINE: &str = "baseline";

/// A player of the games of a family.
#[derive(Debug, Clone, PartialEq)]
pub enum Player {
    /// The parametric strategy with these parameters.
    Parameters(Vec<f64>),
    /// A reference strategy of the family, or a [searching player](SearchName).
    Named(String),
    /// The baseline, with parameters drawn again for every pair.
    Redrawn,
    /// A mixture: for every pair, one member is drawn with a probability proportional to its weight.
    Mixture(Vec<Weighted<Player>>),
    /// A player of another family of the same game.
    Guest(Guest),
    /// The player that plans against a known opponent.
    Planner(Box<PlannerOf>),
}

/// A [planner](ruse_strategies::Planner), with the players that it knows.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannerOf {
    /// The name of the planner, as written.
    pub name: String,
    /// The opponent that it plans against; `None` if it knows each opponent that it meets.
    pub against: Option<Player>,
    /// The player that it improves on; `None` if this is the opponent.
    pub base: Option<Player>,
    /// Its effort.
    pub settings: PlannerSettings,
}

/// A player of another family of the same game, with its family.
#[derive(Clone)]
pub struct Guest {
    /// The family of the player.
    pub home: Home,
    /// The player.
    pub player: Box<Player>,
}

/// The result of something that is asked about players.
pub(super) type Result<T = (), E = PlayerError> = std::result::Result<T, E>;

/// A function that returns a player as a box that contains an [`AnyPlayer`] of the game, or an error if the player does
/// not belong to the family.
type Lend = dyn Fn(&Player) -> Result<Box<dyn Any>> + Send + Sync;

/// A family whose players can play in other families of the same game.
#[derive(Clone)]
pub struct Home {
    /// The name of the family.
    pub family: String,
    /// The name of the game.
    pub game: String,
    /// The rules in force.
    pub rules: Vec<Rule>,
    /// True if the players think by the clock, so that the same seed may give other games.
    pub thinks_by_the_clock: bool,
    /// Lends a player to another family.
    pub lend: Arc<Lend>,
}

impl Home {
    /// Returns the home of a single player, which thinks by the clock.
    pub fn of_one<G: Game>(
        info: FamilyInfo<'_>,
        rules: Vec<Rule>,
        player: Arc<dyn AnyStrategy<G>>,
    ) -> Home {
        Home {
            family: info.name.into(),
            game: info.game.into(),
            rules,
            thinks_by_the_clock: true,
            lend: Arc::new(move |_| Ok(Box::new(AnyPlayer::Fixed(Arc::clone(&player))))),
        }
    }
}

impl fmt::Debug for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guest")
            .field("home", &self.home.family)
            .field("player", &self.player)
            .finish()
    }
}

/// Two guests are equal if their players, their families and the rules are equal.
impl PartialEq for Guest {
    fn eq(&self, other: &Guest) -> bool {
        self.player == other.player
            && self.home.family == other.home.family
            && self.home.rules == other.home.rules
    }
}

/// An item with a weight, which is finite and not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighted<T> {
    /// The weight, relative to the other weights.
    pub weight: f64,
    /// The item.
    pub of: T,
}

impl Player {
    /// Returns the searching player, or the first searching member of a mixture.
    pub fn search(&self) -> Option<SearchName> {
        match self {
            Player::Named(name) => SearchName::parse(name)?.ok(),
            Player::Mixture(members) => members.iter().find_map(|member| member.of.search()),
            Player::Guest(guest) => guest.player.search(),
            Player::Parameters(_) | Player::Redrawn | Player::Planner(_) => None,
        }
    }

    /// Returns the names of the programs that play: the player itself, or members of a mixture.
    pub fn programs(&self) -> Vec<&str> {
        match self {
            Player::Named(name) if ProgramName::parse(name).is_some() => vec![name],
            Player::Mixture(members) => {
                members.iter().flat_map(|member| member.of.programs()).collect()
            }
            Player::Guest(guest) => guest.player.programs(),
            Player::Planner(planner) => {
                let players = [&planner.against, &planner.base].into_iter().flatten();
                players.flat_map(Player::programs).collect()
            }
            Player::Named(_) | Player::Parameters(_) | Player::Redrawn => Vec::new(),
        }
    }

    /// Returns `true` if the player is a planner that knows each opponent that it meets.
    pub fn is_open(&self) -> bool {
        matches!(self, Player::Planner(planner) if planner.against.is_none())
    }

    /// Returns the player that meets `opponent`: a planner that plans against it, if the player [is open](Player::is_open).
    pub fn meeting(&self, opponent: &Player) -> Player {
        let mut player = self.clone();
        if let Player::Planner(planner) = &mut player {
            planner.against.get_or_insert_with(|| opponent.clone());
        }
        player
    }

    /// Returns `true` if the player searches and is therefore slow, thinks by the clock, or is a program.
    pub fn searches(&self) -> bool {
        matches!(self, Player::Planner(_))
            || self.search().is_some()
            || self.thinks_by_the_clock()
            || !self.programs().is_empty()
    }

    /// Returns `true` if the player thinks by the clock, so that the same seed may give other games. Programs tell
    /// whether they do only after they are started.
    pub fn thinks_by_the_clock(&self) -> bool {
        match self {
            Player::Guest(guest) if guest.home.thinks_by_the_clock => true,
            _ => self.search().is_some_and(|search| !search.is_reproducible()),
        }
    }

    /// Returns the parameters, if there are any.
    pub fn parameters(&self) -> Option<&[f64]> {
        if let Player::Parameters(theta) = self { Some(theta) } else { None }
    }

    /// Creates a mixture of members with weights.
    pub fn mixture<P: Into<Player>>(members: impl IntoIterator<Item = (f64, P)>) -> Player {
        let member = |(weight, player): (f64, P)| Weighted { weight, of: player.into() };
        Player::Mixture(members.into_iter().map(member).collect())
    }
}

impl From<Vec<f64>> for Player {
    fn from(theta: Vec<f64>) -> Player {
        Player::Parameters(theta)
    }
}

impl From<&[f64]> for Player {
    fn from(theta: &[f64]) -> Player {
        Player::Parameters(theta.to_vec())
    }
}

/// The error about a player that does not fit a family.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The family has no reference strategy with this name.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The parameters do not fit the family.
    #[error("parameters of family `{family}`: {source}")]
    Parameters {
        /// The name of the family.
        family: String,
        /// The mismatch.
        source: ParameterError,
    },
    /// The name looks like the name of a searching player, but is invalid.
    #[error(transparent)]
    Search(#[from] SearchNameError),
    /// The game does not support plans.
    #[error(
        "family `{family}` has no planner: its game does not say which states agree with what a seat knows (`Imagine`), \
         or the opponent is a program, which cannot be played ahead"
    )]
    NoPlanner {
        /// The name of the family.
        family: String,
    },
    /// A planner does not know whom it meets.
    #[error("a planner must know its opponent; here write planner@400:against=PLAYER")]
    NoOpponent,
    /// The game does not support this search.
    #[error("family `{family}` cannot be searched in this way: {}", what_is_missing(*solves_stages, known))]
    NoSearch {
        /// The name of the family.
        family: String,
        /// True if the search solves the stages of a game or proves its states. Such searches exist only for rule
        /// files.
        solves_stages: bool,
        /// The search methods that the family supports.
        known: Vec<&'static str>,
    },
    /// The game does not support a setting of a search.
    #[error(
        "family `{family}` has no searches with `{setting}`: its game {lack}; leave the setting out"
    )]
    NoSetting {
        /// The name of the family.
        family: String,
        /// The setting.
        setting: &'static str,
        /// The properties that the game lacks.
        lack: &'static str,
    },
    /// The player belongs to a family that plays another game, or the same game by other rules.
    #[error(
        "family `{guest}` does not play the game of family `{family}`, or plays it by other rules"
    )]
    OtherGame {
        /// The name of the family in which the player should play.
        family: String,
        /// The name of the family of the player.
        guest: String,
    },
    /// A program that should play cannot be started, or the game has no board.
    #[error("{0}")]
    Program(String),
    /// The weights of a mixture are invalid.
    #[error("{0}")]
    Weights(#[from] WeightError),
}

fn what_is_missing(solves_stages: bool, known: &[&str]) -> String {
    match known {
        known if solves_stages => {
            format!(
                "it goes by the rules of a rule file (FILE.kif), and the game has none; known are {}",
                known.join(", ")
            )
        }
        [] => "its game does not say which states agree with what a seat knows (`Imagine`), or draw legal actions \
               (`SampleAction`)"
            .into(),
        known => format!(
            "its game has chance or hidden information, and its actions are not choices in several slots (`Factored`, \
             `Simulate`); known are {}",
            known.join(", ")
        ),
    }
}

/// The reason why a match could not be played.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MatchError {
    /// A player does not belong to the family.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The games were stopped from outside.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The reason why numbers are not valid weights of a mixture.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightError {
    /// A weight is negative, infinite or NaN.
    #[error("weight {index} of the mixture is {weight}, and must be a finite number, 0 or more")]
    NotAWeight {
        /// The index of the member, from 0.
        index: usize,
        /// The invalid weight.
        weight: f64,
    },
    /// All weights are zero, or the mixture has no members.
    #[error("the weights of the mixture are all zero: no member can be drawn")]
    AllZero,
    /// The sum of the weights overflows.
    #[error("the weights of the mixture are too large to be added")]
    TooLarge,
}

/// Checks that numbers are valid weights of a mixture.
///
/// # Errors
///
/// Returns an error if a weight is negative, infinite or NaN, or if all weights are zero.
pub fn check_weights(weights: impl IntoIterator<Item = f64>) -> Result<(), WeightError> {
    let mut sum = 0.0;
    for (index, weight) in weights.into_iter().enumerate() {
        if !weight.is_finite() || weight < 0.0 {
            return Err(WeightError::NotAWeight { index, weight });
        }
        sum += weight;
    }
    match sum {
        0.0 => Err(WeightError::AllZero),
        f64::INFINITY => Err(WeightError::TooLarge),
        _ => Ok(()),
    }
}
