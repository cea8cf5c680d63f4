//! Players as users write them, in files and in requests: the only grammar of players.
//!
//! A player is a word (a name, a path, or parameters in brackets, which
//! [`parse_contestant`](super::contestant::parse_contestant) reads), a list of parameters, or a map. For each place of
//! a player in a file, there is a list of allowed keys, and a description of the expected value. An untagged enum would
//! lose the line and column of a mistake.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use ruse_base::names::check_name;
use ruse_play::family::{BASELINE, Player, Weighted};
use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The name of an opponent that is drawn again for every pair.
pub(crate) const REDRAWN: &str = "redrawn";

/// A player as written by a user.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum PlayerSpec {
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

impl Default for PlayerSpec {
    fn default() -> PlayerSpec {
        PlayerSpec::Name(REDRAWN.into())
    }
}

/// The entries of a player that is written as a map.
#[derive(Default, Serialize)]
pub(crate) struct Entries {
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Empty if they are not a list ([`listed`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Vec<f64>>,
    /// The name of a reference strategy or of the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<String>,
    /// The members of a mixture.
    #[serde(skip_serializing_if = "Option::is_none")]
    mixture: Option<Vec<MixtureMember>>,
    #[serde(skip)]
    player: Option<PlayerSpec>,
}

/// A place of a player in a file.
pub(crate) trait Written: Sized {
    /// A description of the expected value, for error messages.
    const EXPECTING: &'static str;
    /// The keys of a map; empty if a map is not allowed.
    const KEYS: &'static [&'static str] = &[];

    /// Returns the value for a player written as a word or a list; `None` if only a map is allowed.
    fn of_player(_: PlayerSpec) -> Option<Self> {
        None
    }

    /// Returns the value for a map, or a message about missing or conflicting keys.
    fn of_map(_: Entries) -> Result<Self, String>;
}

pub(crate) fn read<'de, T: Written, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(PlayerVisitor(PhantomData))
}

/// Returns the message about a missing key.
pub(crate) fn missing(key: &str) -> String {
    format!("missing field `{key}`")
}

struct PlayerVisitor<T>(PhantomData<T>);

impl<'de, T: Written> Visitor<'de> for PlayerVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTING)
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<T, E> {
        let player = T::of_player(PlayerSpec::Name(word.into()));
        player.ok_or_else(|| E::invalid_type(Unexpected::Str(word), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<T, A::Error> {
        let theta = Vec::deserialize(SeqAccessDeserializer::new(items))?;
        let player = T::of_player(PlayerSpec::Parameters(theta));
        player.ok_or_else(|| de::Error::invalid_type(Unexpected::Seq, &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<T, A::Error> {
        if T::KEYS.is_empty() {
            return Err(de::Error::invalid_type(Unexpected::Map, &self));
        }
        let mut entries = Entries::default();
        let mut seen = Vec::new();
        while let Some(key) = items.next_key::<String>()? {
            let Some(&known) = T::KEYS.iter().find(|known| **known == key) else {
                return Err(de::Error::unknown_field(&key, T::KEYS));
            };
            if seen.contains(&known) {
                return Err(de::Error::duplicate_field(known));
            }
            seen.push(known);
            match known {
                "weight" => entries.weight = Some(items.next_value::<Weight>()?.0),
                "name" => {
                    entries.name = items.next_value()?;
                    let name = entries.name.as_deref().unwrap_or_default();
                    check_name(name).map_err(de::Error::custom)?;
                }
                "player" => entries.player = Some(items.next_value()?),
                "strategy" => entries.strategy = items.next_value()?,
                "parameters" => entries.parameters = Some(items.next_value::<Listed>()?.0),
                "mixture" => entries.mixture = items.next_value()?,
                key => unreachable!("no player has the key {key}"),
            }
        }
        T::of_map(entries).map_err(de::Error::custom)
    }
}

/// Parameters as they are written: a list of numbers, a map to numbers, or a text.
pub(crate) enum ParametersSpec<K, V> {
    List(Vec<f64>),
    Map(Vec<(K, V)>),
    Text(String),
}

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for ParametersSpec<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParametersVisitor(PhantomData))
    }
}

struct ParametersVisitor<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for ParametersVisitor<K, V> {
    type Value = ParametersSpec<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of numbers, or a map from names of parameters to numbers")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(ParametersSpec::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(items)).map(ParametersSpec::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut map = Vec::new();
        while let Some(item) = items.next_entry()? {
            map.push(item);
        }
        Ok(ParametersSpec::Map(map))
    }
}

/// Reads a list of parameters. It is empty if they are a map or a text, whose parsing needs the family.
pub(crate) fn listed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    Ok(match ParametersSpec::<IgnoredAny, IgnoredAny>::deserialize(deserializer)? {
        ParametersSpec::List(theta) => theta,
        ParametersSpec::Map(_) | ParametersSpec::Text(_) => Vec::new(),
    })
}

struct Listed(Vec<f64>);

impl<'de> Deserialize<'de> for Listed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Listed, D::Error> {
        listed(deserializer).map(Listed)
    }
}

/// A weight, checked while the file is read, so that an error has its place.
struct Weight(f64);

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Weight, D::Error> {
        deserializer.deserialize_f64(WeightVisitor)
    }
}

struct WeightVisitor;

impl Visitor<'_> for WeightVisitor {
    type Value = Weight;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a weight")
    }

    fn visit_f64<E: de::Error>(self, weight: f64) -> Result<Weight, E> {
        if weight.is_finite() && weight >= 0.0 {
            return Ok(Weight(weight));
        }
        Err(E::custom(format!("a weight is a finite number, 0 or more, and not {weight}")))
    }

    fn visit_i64<E: de::Error>(self, weight: i64) -> Result<Weight, E> {
        self.visit_f64(weight as f64)
    }

    fn visit_u64<E: de::Error>(self, weight: u64) -> Result<Weight, E> {
        self.visit_f64(weight as f64)
    }
}

impl Written for PlayerSpec {
    const EXPECTING: &'static str =
        "`redrawn`, `fixed`, the name of a strategy, a list of parameters, or a `mixture`";
    const KEYS: &'static [&'static str] = &["mixture"];

    fn of_player(player: PlayerSpec) -> Option<PlayerSpec> {
        Some(player)
    }

    fn of_map(entries: Entries) -> Result<PlayerSpec, String> {
        let mixture = entries.mixture.ok_or_else(|| missing("mixture"))?;
        portfolio(mixture)
    }
}

impl<'de> Deserialize<'de> for PlayerSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PlayerSpec, D::Error> {
        read(deserializer)
    }
}

/// A member of a mixture.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(into = "Entries")]
pub struct MixtureMember {
    /// The weight of the member, relative to the others: finite and not negative.
    pub weight: f64,
    /// The name of the member.
    pub name: Option<String>,
    /// The player.
    pub strategy: Player,
}

impl Written for MixtureMember {
    const EXPECTING: &'static str =
        "a member of a mixture, with `weight`, and `parameters` or `strategy`";
    const KEYS: &'static [&'static str] = &["weight", "name", "parameters", "strategy", "mixture"];

    fn of_map(entries: Entries) -> Result<MixtureMember, String> {
        let weight = entries.weight.ok_or_else(|| missing("weight"))?;
        let strategy = match (entries.parameters, entries.strategy, entries.mixture) {
            (Some(theta), None, None) => Player::Parameters(theta),
            (None, Some(name), None) if name == BASELINE => Player::Redrawn,
            (None, Some(name), None) => Player::Named(name),
            (None, None, Some(members)) => mixture_spec(&members),
            (None, None, None) => {
                let other = "or `strategy` with the name of a reference strategy";
                return Err(format!("{}, {other}", missing("parameters")));
            }
            _ => return Err("a member has `parameters` or a `strategy`, not both".into()),
        };
        Ok(MixtureMember { weight, name: entries.name, strategy })
    }
}

impl From<Weighted<Player>> for MixtureMember {
    fn from(Weighted { weight, of }: Weighted<Player>) -> MixtureMember {
        MixtureMember { weight, name: None, strategy: of }
    }
}

impl<'de> Deserialize<'de> for MixtureMember {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MixtureMember, D::Error> {
        read(deserializer)
    }
}

impl From<MixtureMember> for Entries {
    fn from(MixtureMember { weight, name, strategy }: MixtureMember) -> Entries {
        let mut entries = Entries { weight: Some(weight), name, ..Entries::default() };
        match strategy {
            Player::Parameters(theta) => entries.parameters = Some(theta),
            Player::Named(name) => entries.strategy = Some(name),
            Player::Redrawn => entries.strategy = Some(BASELINE.into()),
            Player::Mixture(members) => {
                entries.mixture = Some(members.into_iter().map(MixtureMember::from).collect());
            }
            Player::Planner(planner) => entries.strategy = Some(planner.name),
            Player::Guest(_) => unreachable!("a mixture in a file has members of one family"),
        }
        entries
    }
}

/// Returns the player that is written as this mixture outside of strategy files.
fn portfolio(mixture: Vec<MixtureMember>) -> Result<PlayerSpec, String> {
    match mixture.iter().any(|member| is_unread(&member.strategy)) {
        true => Err("here the parameters of a member are a list; a strategy file may name them, or have a text".into()),
        false => Ok(PlayerSpec::Portfolio { mixture }),
    }
}

/// Returns whether parameters of the player were not [`listed`].
fn is_unread(player: &Player) -> bool {
    match player {
        Player::Parameters(theta) => theta.is_empty(),
        Player::Mixture(members) => members.iter().any(|member| is_unread(&member.of)),
        _ => false,
    }
}

/// Returns the player that draws one of these members for every pair.
pub(crate) fn mixture_spec(mixture: &[MixtureMember]) -> Player {
    let member = |member: &MixtureMember| (member.weight, member.strategy.clone());
    Player::mixture(mixture.iter().map(member))
}

/// A player with a name for tables, or only the player.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum PlayerItem {
    /// Only the player.
    Bare(PlayerSpec),
    /// A player with a name for tables.
    Named {
        /// The player.
        player: PlayerSpec,
        /// The name in tables. Default: as in `player`.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

impl PlayerItem {
    /// Returns the path, if the player is a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        let PlayerSpec::Name(text) = self.parts().0 else { return None };
        Some(Path::new(text))
    }

    /// Returns the player, and its name for tables, if given.
    pub(crate) fn parts(&self) -> (&PlayerSpec, Option<&str>) {
        match self {
            PlayerItem::Bare(player) => (player, None),
            PlayerItem::Named { player, name } => (player, name.as_deref()),
        }
    }

    /// Returns the name of the player with this index in a list.
    pub(crate) fn label(&self, index: usize) -> String {
        match self.parts() {
            (_, Some(name)) => name.into(),
            (PlayerSpec::Name(name), None) => name.clone(),
            _ => format!("player {}", index + 1),
        }
    }
}

impl Written for PlayerItem {
    const EXPECTING: &'static str =
        "a player, a list of parameters, or a map with `player` and `name`";
    const KEYS: &'static [&'static str] = &["player", "name", "mixture"];

    fn of_player(player: PlayerSpec) -> Option<PlayerItem> {
        Some(PlayerItem::Bare(player))
    }

    fn of_map(Entries { player, name, mixture, .. }: Entries) -> Result<PlayerItem, String> {
        match (player, name, mixture) {
            (Some(player), name, None) => Ok(PlayerItem::Named { player, name }),
            (None, None, Some(mixture)) => portfolio(mixture).map(PlayerItem::Bare),
            (None, Some(_), Some(_)) => {
                Err("a mixture with a name is written `{player: {mixture: ...}, name: ...}`".into())
            }
            (Some(_), _, Some(_)) => Err("a map has a `player` or a `mixture`, not both".into()),
            (None, _, None) => Err(missing("player")),
        }
    }
}

impl<'de> Deserialize<'de> for PlayerItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PlayerItem, D::Error> {
        read(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_has_a_place_and_states_what_is_expected() {
        let read = |text: &str| serde_yaml::from_str::<Vec<PlayerItem>>(text);
        let names = |text: &str| -> Vec<Option<String>> {
            let found = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            found.iter().map(|item| item.parts().1.map(String::from)).collect()
        };
        let text = "- optimal\n- [1, 2]\n- {player: [3], name: b}\n\
                    - mixture: [{weight: 1, parameters: [1]}]\n";
        assert_eq!(names(text), [None, None, Some("b".into()), None]);
        for (text, message) in [
            ("- 5", "expected a player, a list of parameters, or a map with `player` and `name`"),
            ("- a\n- {name: b}", "missing field `player` at line 2 column 3"),
            ("- {plyer: b}", "unknown field `plyer`, expected one of `player`, `name`, `mixture`"),
            ("- {player: a, mixture: []}", "not both at line 1 column 3"),
            ("- {mixture: [], name: a}", "a mixture with a name is written `{player: "),
            ("- {mixture: [a]}", "expected a member of a mixture, with `weight`"),
            ("- {mixture: [{weight: 1, parameters: {a: 1}}]}", "a list; a strategy file may name"),
            ("- {mixture: [{weight: 1, parameters: play}]}", "of a member are a list; a strategy"),
            ("- {mixture: [{parameters: [1]}]}", "missing field `weight` at line 1 column 14"),
        ] {
            let found = read(text).expect_err("a mistake").to_string();
            assert!(found.contains(message), "{text}: {found}");
        }
    }
}
