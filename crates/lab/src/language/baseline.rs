//! The opponent in training or in scoring.

use ruse_base::rng::StreamKey;
use ruse_optimise::methods::start_parameters;
use ruse_play::family::{AnyFamily, Player};
use ruse_programs::ProgramName;

use super::contestant::parse_contestant;
use super::error::SpecError;
use super::written::{MixtureMember, PlayerItem, PlayerSpec, REDRAWN, mixture_spec};
use crate::files::contestant_error::Result;
use crate::files::strategy::ZERO;

const FIXED: &str = "fixed";

/// The description of an opponent given by its parameters, whose origin is unknown.
const GIVEN: &str = "given parameters";

/// The opponent of a run, in training or in scoring the result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Baseline {
    /// Standard Gaussian parameters, drawn again for every pair.
    Redrawn,
    /// Standard Gaussian parameters, drawn once. They equal a Gaussian start with the same seed.
    Fixed,
    /// A given strategy.
    Given(Player),
}

impl PlayerSpec {
    /// Returns the names of the programs that play: the player itself, or members of a mixture.
    pub(crate) fn programs(&self) -> Vec<&str> {
        match self {
            PlayerSpec::Name(name) if ProgramName::parse(name).is_some() => vec![name],
            PlayerSpec::Portfolio { mixture } => {
                mixture.iter().flat_map(|member| member.strategy.programs()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the opponent that the specification describes.
    ///
    /// # Errors
    ///
    /// Returns an error if the opponent is not a contestant of the family.
    pub fn resolve(&self, family: &dyn AnyFamily) -> Result<Baseline> {
        match self {
            PlayerSpec::Name(name) => Baseline::parse(name, family),
            PlayerSpec::Parameters(theta) => {
                family.check_parameters(theta)?;
                Ok(Baseline::Given(Player::Parameters(theta.clone())))
            }
            PlayerSpec::Portfolio { mixture } => {
                let given = mixture_spec(mixture);
                family.check(&given)?;
                Ok(Baseline::Given(given))
            }
        }
    }

    /// Returns the opponent that the specification describes, and the opponent as a player. A fixed opponent is drawn
    /// from the seed.
    pub(crate) fn player(
        &self,
        family: &dyn AnyFamily,
        seed: u64,
    ) -> Result<(Baseline, Player), SpecError> {
        let found = self.resolve(family).map_err(|error| SpecError::Player(Box::new(error)))?;
        let player = found.contestant(family, StreamKey::root(seed));
        Ok((found, player))
    }

    /// Same as [`player`](PlayerSpec::player); also checks that the player can play the family's game.
    pub(crate) fn checked_player(
        &self,
        family: &dyn AnyFamily,
        seed: u64,
    ) -> Result<(Baseline, Player), SpecError> {
        let (found, player) = self.player(family, seed)?;
        family.check(&player).map_err(|error| SpecError::Player(Box::new(error.into())))?;
        Ok((found, player))
    }
}

impl Baseline {
    /// Parses an opponent as users write it.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a contestant of the family.
    pub fn parse(text: &str, family: &dyn AnyFamily) -> Result<Baseline> {
        match text {
            REDRAWN => Ok(Baseline::Redrawn),
            FIXED => Ok(Baseline::Fixed),
            _ => parse_contestant(text, family).map(|contestant| match contestant {
                Player::Redrawn => Baseline::Redrawn,
                given => Baseline::Given(given),
            }),
        }
    }

    /// Returns the strategy if the opponent is a given strategy.
    pub fn given(&self) -> Option<&Player> {
        match self {
            Baseline::Given(player) => Some(player),
            Baseline::Redrawn | Baseline::Fixed => None,
        }
    }

    /// Returns the name of the opponent: `redrawn`, `fixed`, `zero`, the name of a reference strategy, or a
    /// description.
    pub fn in_words(&self) -> String {
        match self {
            Baseline::Redrawn => REDRAWN.into(),
            Baseline::Fixed => FIXED.into(),
            Baseline::Given(Player::Named(name)) => name.clone(),
            Baseline::Given(Player::Parameters(theta)) if theta.iter().all(|&x| x == 0.0) => {
                ZERO.into()
            }
            Baseline::Given(Player::Mixture(members)) => {
                format!("a mixture of {} strategies", members.len())
            }
            Baseline::Given(_) => GIVEN.into(),
        }
    }

    /// Returns the opponent with its parameters written out, in case a file changes or moves. Returns `None` if a name
    /// suffices.
    pub(crate) fn written_out(&self) -> Option<PlayerSpec> {
        match self {
            Baseline::Given(Player::Parameters(theta)) => {
                Some(PlayerSpec::Parameters(theta.clone()))
            }
            Baseline::Given(Player::Mixture(members)) => {
                let mixture = members.iter().cloned().map(MixtureMember::from).collect();
                Some(PlayerSpec::Portfolio { mixture })
            }
            _ => None,
        }
    }

    /// Returns the opponent as a player. A fixed opponent is drawn from `key`, the root key of the seed.
    pub fn contestant(&self, family: &dyn AnyFamily, key: StreamKey) -> Player {
        match self {
            Baseline::Redrawn => Player::Redrawn,
            Baseline::Fixed => {
                Player::Parameters(start_parameters(family.space().dimension(), key))
            }
            Baseline::Given(contestant) => contestant.clone(),
        }
    }
}

impl PlayerItem {
    /// Writes out the parameters of the player, because files may change or move. Returns the player as written, or
    /// `None` if a name suffices.
    pub(crate) fn write_out(&mut self, found: &Baseline, label: &str) -> Option<PlayerSpec> {
        let player = found.written_out()?;
        *self = PlayerItem::Named { player: player.clone(), name: Some(label.into()) };
        Some(player)
    }
}
