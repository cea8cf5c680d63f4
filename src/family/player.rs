//! Players, as they are written in files, requests and commands.

use ruse_strategies::ParameterError;
use ruse_strategies::search::{SearchName, SearchNameError};

use crate::arena::Stopped;
use crate::names::UnknownName;

/// The name of the baseline where a player is named.
pub const BASELINE: &str = "baseline";

/// Whatever can sit down at a game of a family.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Player {
    /// The parametric strategy of these parameters.
    Parameters(Vec<f64>),
    /// A reference strategy of the family, or a [searching player](SearchName).
    Named(String),
    /// The baseline, with parameters drawn anew for every pair.
    Redrawn,
    /// One of several, drawn anew for every pair by its weight.
    Mixture(Vec<Weighted<Player>>),
}

/// Something with a weight: a finite number, 0 or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighted<T> {
    /// How often it is drawn, in proportion to the others.
    pub weight: f64,
    /// What is drawn.
    pub of: T,
}

impl Player {
    /// The searching player that it is, or that it may be if it is a mixture: of several the first.
    pub fn search(&self) -> Option<SearchName> {
        match self {
            Player::Named(name) => SearchName::parse(name)?.ok(),
            Player::Mixture(members) => members.iter().find_map(|member| member.of.search()),
            Player::Parameters(_) | Player::Redrawn => None,
        }
    }

    /// Whether it searches, and so takes long.
    pub fn searches(&self) -> bool {
        self.search().is_some()
    }

    /// The parameters, if it has any.
    pub fn parameters(&self) -> Option<&[f64]> {
        match self {
            Player::Parameters(theta) => Some(theta),
            _ => None,
        }
    }

    /// The mixture of these, each with its weight.
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

/// Why a player is not of a family.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The family has no such reference strategy.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The numbers do not fit the family.
    #[error("parameters of family `{family}`: {source}")]
    Parameters {
        /// The family.
        family: String,
        /// What is wrong.
        source: ParameterError,
    },
    /// The name begins like that of a searching player, and is none.
    #[error(transparent)]
    Search(#[from] SearchNameError),
    /// The game cannot be searched in this way.
    #[error("family `{family}` cannot be searched in this way: {}", what_is_missing(*solves_stages, known))]
    NoSearch {
        /// The family.
        family: String,
        /// Whether the search solves the stages of a rule file, or proves its states.
        solves_stages: bool,
        /// The methods that can search it.
        known: Vec<&'static str>,
    },
    /// The budget of a search cannot be carried over in the game.
    #[error(
        "family `{family}` has no searches with `carry=1`: its game has no clock, or hides when the others chose; leave the \
         setting out"
    )]
    NoCarry {
        /// The family.
        family: String,
    },
    /// The weights of a mixture are no weights.
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
            "its game has chance or hidden information, and its actions are no choice in several slots (`Factored`, \
             `Simulate`); known are {}",
            known.join(", ")
        ),
    }
}

/// Why players have not played what they should.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// One is not of the family.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// They were stopped from outside.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Why numbers are not the weights of a mixture.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightError {
    /// A weight is negative, infinite or NaN.
    #[error("weight {index} of the mixture is {weight}, and must be a finite number, 0 or more")]
    NotAWeight {
        /// The member, from 0.
        index: usize,
        /// What was found.
        weight: f64,
    },
    /// All weights are zero, or there is none.
    #[error("the weights of the mixture are all zero: nobody can be drawn")]
    AllZero,
    /// The sum of the weights is too large for a number.
    #[error("the weights of the mixture are too large to be added")]
    TooLarge,
}

/// Checks that members can be drawn by these weights.
///
/// # Errors
///
/// When one is negative or no finite number, or all are zero.
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
