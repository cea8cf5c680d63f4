//! The options of runs. Each is declared once. The keys of files, their schema, and the arguments of the command line
//! are derived from this declaration.

use ruse_play::race::{Accept, Operator, Ties};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::parts::part;
use super::quantity::{
    GAMES_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, REPEATS_RANGE, count, count_schema,
};
#[cfg(feature = "cli")]
use super::quantity::{parse_fraction, parse_games, parse_iterations, parse_share};
use super::written::PlayerSpec;

/// The settings of comparisons, for methods that compare.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct RaceOptions {
    /// The comparison operator, for methods that compare. Default: bernstein for the methods of the paper, betting for
    /// the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "operators")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "C", value_parser = names(Operator::ALL.map(Operator::name)), hide_possible_values = true))]
    pub comparison: Option<String>,
    /// The probability that a comparison is wrong, for methods that compare. Default: 0.05.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    #[cfg_attr(feature = "cli", arg(long, value_name = "D", value_parser = parse_fraction, allow_hyphen_values = true))]
    pub delta: Option<f64>,
    /// The half-width of the interval at which a comparison stops without a winner, for methods that compare. Default:
    /// 0.01.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    #[cfg_attr(feature = "cli", arg(long, value_name = "E", value_parser = parse_fraction, allow_hyphen_values = true))]
    pub precision: Option<f64>,
    /// The rule for accepting a candidate, for methods that compare: leading (it must be ahead when the comparison
    /// stops) or proven (it must be proven better). Default: leading if `comparison` is given, otherwise the rule of
    /// the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "acceptances")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "A", value_parser = names(Accept::ALL.map(Accept::name)), hide_possible_values = true))]
    pub accept: Option<String>,
    /// The decision on a candidate that scores exactly one half where nothing is random: refuse or accept. Default:
    /// refuse.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "ties")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "T", value_parser = names(Ties::ALL.map(Ties::name)), hide_possible_values = true))]
    pub ties: Option<String>,
}

part! { RaceOptions: comparison, delta, precision, accept, ties }

fn operators(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Operator::ALL.map(Operator::name) })
}

fn acceptances(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Accept::ALL.map(Accept::name) })
}

fn ties(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Ties::ALL.map(Ties::name) })
}

/// The opponents of runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct OpponentOptions {
    /// The opponent that the naive method trains against and that, by default, results are scored against: redrawn,
    /// fixed (drawn once), a reference strategy, a strategy file, parameters, or a mixture. Default: redrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "B", value_parser = player))]
    pub baseline: Option<PlayerSpec>,
    /// The opponent that results are scored against: zero (all parameters 0), or any value of `baseline`. Default: the
    /// baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "B", value_parser = player))]
    pub score_against: Option<PlayerSpec>,
}

part! { OpponentOptions: baseline, score_against }

#[cfg(feature = "cli")]
fn player(name: &str) -> Result<PlayerSpec, std::convert::Infallible> {
    Ok(PlayerSpec::Name(name.into()))
}

/// Returns a parser that accepts only `names`, which shell completions offer.
#[cfg(feature = "cli")]
pub fn names(names: impl IntoIterator<Item = &'static str>) -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(names)
}

/// The limits of runs, except for their time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Length {
    /// The number of games that a run may play in comparisons, as in 500k. Default: a number that suits the family, if
    /// neither `iterations` nor `time` is given.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "games")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = parse_games, allow_hyphen_values = true))]
    pub budget: Option<u64>,
    /// The number of candidates that a run tries. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "iterations")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = parse_iterations, allow_hyphen_values = true))]
    pub iterations: Option<u64>,
    /// The number of games without a new champion after which a run ends. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "games")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = parse_games, allow_hyphen_values = true))]
    pub stop_when_stalled: Option<u64>,
}

impl Length {
    /// Creates limits with a budget of `budget` games in comparisons, and no other limit.
    pub fn games(budget: u64) -> Length {
        Length { budget: Some(budget), ..Length::default() }
    }
}

part! { Length: budget, iterations, stop_when_stalled }

pub(crate) fn games(_: &mut SchemaGenerator) -> Schema {
    count_schema(GAMES_RANGE)
}

pub(crate) fn repeats(_: &mut SchemaGenerator) -> Schema {
    count_schema(REPEATS_RANGE)
}

fn iterations(_: &mut SchemaGenerator) -> Schema {
    count_schema(ITERATIONS_RANGE)
}

/// The numbers of games for the scores of results.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Scoring {
    /// The number of pairs of games for each score of a result. Default: a number that suits the family.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "pairs")]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub evaluation_pairs: Option<u64>,
    /// The number of pairs of games for each point of the learning curve. Default: a number that suits the family.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "pairs")]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub monitor_pairs: Option<u64>,
    /// The number of games for finding the strongest opponent of a result after its run, as a share of the games of the
    /// run: 0 to 1. Default: 0, which means that no opponent is searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    #[cfg_attr(feature = "cli", arg(long, value_name = "SHARE", value_parser = parse_share, allow_hyphen_values = true))]
    pub worst_case: Option<f64>,
}

part! { Scoring: evaluation_pairs, monitor_pairs, worst_case }

pub(crate) fn pairs(_: &mut SchemaGenerator) -> Schema {
    count_schema(PAIRS_RANGE)
}
