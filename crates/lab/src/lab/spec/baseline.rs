//! The opponent against which the result of a run is scored.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::contestant::parse_contestant;
use crate::family::{AnyFamily, Player, Weighted};
use crate::lab::files::strategy::{ContestantError, MixtureMember, ZERO, mixture_spec};
use crate::optimise::start_parameters;
use crate::rng::StreamKey;

/// A baseline as written by a user.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum BaselineSpec {
    /// `redrawn`, `fixed`, `zero`, the name of a reference strategy, or the path of a strategy file.
    Name(String),
    /// The parametric strategy with these parameters.
    Parameters(Vec<f64>),
    /// A portfolio.
    Portfolio {
        /// The members of the portfolio.
        #[schemars(with = "Vec<std::collections::BTreeMap<String, serde_json::Value>>")]
        mixture: Vec<MixtureMember>,
    },
}

impl Default for BaselineSpec {
    fn default() -> BaselineSpec {
        BaselineSpec::Name(REDRAWN.into())
    }
}

impl BaselineSpec {
    /// Returns the opponent that the specification describes.
    ///
    /// # Errors
    ///
    /// Returns an error if the opponent is not a contestant of the family.
    pub fn resolve(&self, family: &dyn AnyFamily) -> Result<Baseline, ContestantError> {
        match self {
            BaselineSpec::Name(name) => Baseline::parse(name, family),
            BaselineSpec::Parameters(theta) => {
                family.check_parameters(theta)?;
                Ok(Baseline::Given(Player::Parameters(theta.clone())))
            }
            BaselineSpec::Portfolio { mixture } => {
                let given = mixture_spec(mixture);
                // Checks that the player is valid in the family.
                family.league(&[&given])?;
                Ok(Baseline::Given(given))
            }
        }
    }
}

const REDRAWN: &str = "redrawn";
const FIXED: &str = "fixed";

/// The description of an opponent that was given by its parameters; the origin of the parameters is not recorded.
const GIVEN: &str = "given parameters";

// Implemented by hand, because an untagged enum would lose the line and column of a mistake.
impl<'de> Deserialize<'de> for BaselineSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BaselineSpec, D::Error> {
        struct BaselineVisitor;

        impl<'de> Visitor<'de> for BaselineVisitor {
            type Value = BaselineSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "`redrawn`, `fixed`, the name of a strategy, a list of parameters, or a `mixture`",
                )
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<BaselineSpec, E> {
                Ok(BaselineSpec::Name(name.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<BaselineSpec, A::Error> {
                let mut theta = Vec::new();
                while let Some(value) = items.next_element()? {
                    theta.push(value);
                }
                Ok(BaselineSpec::Parameters(theta))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<BaselineSpec, A::Error> {
                const KEY: &str = "mixture";
                let mut mixture = None;
                while let Some(key) = items.next_key::<String>()? {
                    match mixture {
                        None if key == KEY => mixture = Some(items.next_value()?),
                        Some(_) if key == KEY => return Err(de::Error::duplicate_field(KEY)),
                        _ => return Err(de::Error::unknown_field(&key, &[KEY])),
                    }
                }
                let mixture = mixture.ok_or_else(|| de::Error::missing_field(KEY))?;
                Ok(BaselineSpec::Portfolio { mixture })
            }
        }

        deserializer.deserialize_any(BaselineVisitor)
    }
}

/// The training opponent or the scoring opponent of a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Baseline {
    /// Standard Gaussian parameters, drawn again for every pair.
    Redrawn,
    /// Standard Gaussian parameters, drawn once. They equal the start of a run with the same seed and a Gaussian start.
    Fixed,
    /// A given strategy.
    Given(Player),
}

impl Baseline {
    /// Parses an opponent as users write it.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a contestant of the family.
    pub fn parse(text: &str, family: &dyn AnyFamily) -> Result<Baseline, ContestantError> {
        match text {
            REDRAWN => Ok(Baseline::Redrawn),
            FIXED => Ok(Baseline::Fixed),
            ZERO if !family.references().iter().any(|reference| reference.name == ZERO) => {
                let zeros = vec![0.0; family.space().dimension()];
                Ok(Baseline::Given(Player::Parameters(zeros)))
            }
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

    /// Returns the opponent with its parameters written out, so that it does not change if a file changes or moves.
    /// Returns `None` if the name of the opponent suffices.
    pub(in crate::lab) fn written_out(&self) -> Option<BaselineSpec> {
        match self {
            Baseline::Given(Player::Parameters(theta)) => {
                Some(BaselineSpec::Parameters(theta.clone()))
            }
            Baseline::Given(Player::Mixture(members)) => {
                let member = |member: &Weighted<Player>| MixtureMember {
                    weight: member.weight,
                    name: None,
                    strategy: member.of.clone(),
                };
                let mixture = members.iter().map(member).collect();
                Some(BaselineSpec::Portfolio { mixture })
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
