//! The players of a round robin, as written in a file.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::lab::spec::baseline::BaselineSpec;

/// A player as written in a file: only the player, or a map with the player and the name that tables show.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum PlayerItem {
    /// The name of a player, or the path of a strategy file.
    Name(String),
    /// The parametric strategy with these parameters.
    Parameters(Vec<f64>),
    /// A player with a name for tables.
    Given {
        /// The player.
        player: BaselineSpec,
        /// The name in tables. Default: as in `player`.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

impl PlayerItem {
    /// Returns the player, and its label if one is given.
    pub(super) fn parts(&self) -> (BaselineSpec, Option<&str>) {
        match self {
            PlayerItem::Name(name) => (BaselineSpec::Name(name.clone()), None),
            PlayerItem::Parameters(theta) => (BaselineSpec::Parameters(theta.clone()), None),
            PlayerItem::Given { player, name } => (player.clone(), name.as_deref()),
        }
    }
}

// Implemented by hand, because an untagged enum would lose the line and column of a mistake.
impl<'de> Deserialize<'de> for PlayerItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PlayerItem, D::Error> {
        struct ItemVisitor;

        impl<'de> Visitor<'de> for ItemVisitor {
            type Value = PlayerItem;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a player, a list of parameters, or a map with `player` and `name`")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<PlayerItem, E> {
                Ok(PlayerItem::Name(name.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<PlayerItem, A::Error> {
                let mut theta = Vec::new();
                while let Some(value) = items.next_element()? {
                    theta.push(value);
                }
                Ok(PlayerItem::Parameters(theta))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<PlayerItem, A::Error> {
                const KEYS: [&str; 2] = ["player", "name"];
                let (mut player, mut name) = (None, None);
                while let Some(key) = items.next_key::<String>()? {
                    match key.as_str() {
                        "player" if player.is_none() => player = Some(items.next_value()?),
                        "name" if name.is_none() => name = Some(items.next_value()?),
                        "player" => return Err(de::Error::duplicate_field(KEYS[0])),
                        "name" => return Err(de::Error::duplicate_field(KEYS[1])),
                        _ => return Err(de::Error::unknown_field(&key, &KEYS)),
                    }
                }
                let player = player.ok_or_else(|| de::Error::missing_field(KEYS[0]))?;
                Ok(PlayerItem::Given { player, name })
            }
        }

        deserializer.deserialize_any(ItemVisitor)
    }
}
