//! Settings that apply to a run, to a family or method, or to a whole comparison.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::parts::Part;
use super::quantity::{GAMES_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, count, count_schema};
use crate::race::{Accept, Operator, Ties};

/// How comparisons are held, of methods that compare.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
pub struct RaceOptions {
    /// The comparison operator, of methods that compare. Default: that of the method, which is bernstein for those of the
    /// paper and betting for the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "operators")]
    pub comparison: Option<String>,
    /// Probability that a comparison is wrong, of methods that compare. Default: 0.05.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub delta: Option<f64>,
    /// Half-width of the interval at which a comparison without winner stops, of methods that compare. Default: 0.01.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub precision: Option<f64>,
    /// Which candidates are accepted, of methods that compare: a leading one, or only one that is proven better. Default:
    /// leading if `comparison` is given, else that of the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "acceptances")]
    pub accept: Option<String>,
    /// What happens to a candidate that scores exactly one half where nothing is random. Default: refuse.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "ties")]
    pub ties: Option<String>,
}

impl Part for RaceOptions {
    fn or(self, other: RaceOptions) -> RaceOptions {
        RaceOptions {
            comparison: self.comparison.or(other.comparison),
            delta: self.delta.or(other.delta),
            precision: self.precision.or(other.precision),
            accept: self.accept.or(other.accept),
            ties: self.ties.or(other.ties),
        }
    }
}

fn operators(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Operator::ALL.map(Operator::name) })
}

fn acceptances(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Accept::ALL.map(Accept::name) })
}

fn ties(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Ties::ALL.map(Ties::name) })
}

/// How long runs are, except for their time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
pub struct Length {
    /// Games of a run in comparisons. Default: what suits the family, unless there is another limit.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "games")]
    pub budget: Option<u64>,
    /// Candidates that a run tries. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "iterations")]
    pub iterations: Option<u64>,
    /// Games without a new champion after which a run ends. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "games")]
    pub stop_when_stalled: Option<u64>,
}

impl Length {
    /// Creates a length of `budget` games in comparisons.
    pub fn games(budget: u64) -> Length {
        Length { budget: Some(budget), ..Length::default() }
    }
}

impl Part for Length {
    fn or(self, other: Length) -> Length {
        Length {
            budget: self.budget.or(other.budget),
            iterations: self.iterations.or(other.iterations),
            stop_when_stalled: self.stop_when_stalled.or(other.stop_when_stalled),
        }
    }
}

fn games(_: &mut SchemaGenerator) -> Schema {
    count_schema(GAMES_RANGE)
}

fn iterations(_: &mut SchemaGenerator) -> Schema {
    count_schema(ITERATIONS_RANGE)
}

/// How exactly results are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
pub struct Measurement {
    /// Pairs of games for each score of a result. Default: what suits the family.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "pairs")]
    pub evaluation_pairs: Option<u64>,
    /// Pairs of games for each point of the learning curve. Default: what suits the family.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    #[schemars(schema_with = "pairs")]
    pub monitor_pairs: Option<u64>,
}

impl Part for Measurement {
    fn or(self, other: Measurement) -> Measurement {
        Measurement {
            evaluation_pairs: self.evaluation_pairs.or(other.evaluation_pairs),
            monitor_pairs: self.monitor_pairs.or(other.monitor_pairs),
        }
    }
}

fn pairs(_: &mut SchemaGenerator) -> Schema {
    count_schema(PAIRS_RANGE)
}
