//! A JSON Schema of experiment files, by which editors complete and check them.

use serde_json::{Map, Value, json};

use super::comparison::{ALL_FAMILIES, Output};
use super::quantity::{
    GAMES_RANGE, INDIVIDUALS_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, REPEATS_RANGE,
};
use crate::family::AnyFamily;
use crate::lab::plan::ALL_METHODS;
use crate::lab::seed_study::{BANDIT_RUNS_RANGE, SEEDS_RANGE};
use crate::optimise::{Allocation, MethodSpec};
use crate::portfolio::{BanditName, MAX_MEMBERS};
use crate::race::Comparison;
use crate::registry::Registry;

/// The version of JSON Schema that is written.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of an experiment file with these families: of one run, a comparison, or portfolios.
pub fn schema(registry: &Registry) -> Value {
    let families: Vec<&str> = registry.families().map(AnyFamily::name).collect();
    let mut methods: Vec<_> = registry.methods().map(MethodSpec::name).collect();
    let item = |name: Value, map: Map<String, Value>, key: &str| json!({ "anyOf": [name, object(map, &[key])] });

    let mut family_item = Map::from_iter([
        entry("family", "The family to tune.", json!({ "enum": families })),
        entry("name", "What to call it in tables and directories.", label()),
    ]);
    family_item.extend(of_families());
    family_item.extend([rules(), half_width()]);
    let mut method_item = Map::from_iter([
        entry("method", "The optimiser.", json!({ "enum": methods })),
        entry("name", "What to call it in tables and directories.", label()),
    ]);
    method_item.extend(of_methods());
    method_item.extend(of_seeds());

    let family_item = item(json!({ "enum": families }), family_item, "family");
    let method_item = item(json!({ "enum": methods }), method_item, "method");
    let mut comparison = Map::from_iter([
        entry(
            "families",
            "The families, by name or with what is different about them; or `all`.",
            json!({ "anyOf": [
                { "const": ALL_FAMILIES },
                { "type": "array", "minItems": 1, "items": family_item },
            ] }),
        ),
        entry(
            "methods",
            "The methods, by name or with options. Default: all.",
            json!({ "type": "array", "minItems": 1, "items": method_item }),
        ),
        entry(
            "repeats",
            "Runs of each method on each family. Default: 3.",
            json!({
                "type": "integer",
                "minimum": REPEATS_RANGE.start(),
                "maximum": REPEATS_RANGE.end(),
            }),
        ),
        entry(
            "seeds",
            "The seeds of the repeats, in place of `repeats` and `seed`.",
            json!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": seed_type() }),
        ),
        entry("seed", "The seed of the first repeat; the others follow. Default: 1.", seed_type()),
        time(),
        half_width(),
        outputs(),
    ]);
    comparison.extend(of_families());
    comparison.extend(of_methods());

    methods.push(ALL_METHODS);
    let mut run = Map::from_iter([
        entry("family", "The family to tune.", json!({ "enum": families })),
        entry(
            "method",
            "The optimiser, or all of them with equal shares of the budget. Default: cma-es.",
            json!({ "enum": methods }),
        ),
        entry("seed", "Where all randomness comes from. Default: 1.", seed_type()),
        rules(),
        time(),
    ]);
    run.extend(of_families());
    run.extend(of_methods());
    run.extend(of_seeds());

    json!({
        "$schema": DIALECT,
        "title": "An experiment of ruse",
        "description": "One run (`family`), a comparison of methods (`families`), or pools of random \
                        strategies in which the seed is studied (`portfolios`).",
        "oneOf": [
            object(run, &["family"]),
            object(comparison, &["families"]),
            object(portfolios(&families), &["portfolios"]),
        ],
    })
}

/// What can be said of pools of random strategies.
fn portfolios(families: &[&str]) -> Map<String, Value> {
    let item = Map::from_iter([
        entry("family", "The family of the strategies.", json!({ "enum": families })),
        entry("name", "What to call it in tables and directories.", label()),
        entry(
            "random",
            "How many strategies with random parameters to choose from: a portfolio for each number.",
            json!({
                "type": "array",
                "minItems": 1,
                "uniqueItems": true,
                "items": {
                    "type": "integer",
                    "minimum": SEEDS_RANGE.start(),
                    "maximum": SEEDS_RANGE.end(),
                },
            }),
        ),
        entry(
            "vary",
            "The only parameter that is random; the others are zero. Default: all are random.",
            json!({ "type": "string" }),
        ),
        entry(
            "held-out",
            "Further strategies, which are held out. Default: as many as there are to choose from.",
            count(1, MAX_MEMBERS as u64 - SEEDS_RANGE.start()),
        ),
        entry(
            "pairs",
            "Pairs of games for every two strategies, one where nothing is random. Default: 200.",
            count(*PAIRS_RANGE.start(), *PAIRS_RANGE.end()),
        ),
        rules(),
    ]);
    Map::from_iter([
        entry(
            "portfolios",
            "The families, and how many of their strategies.",
            json!({ "type": "array", "minItems": 1, "items": object(item, &["family", "random"]) }),
        ),
        entry(
            "bandits",
            "Who learns which strategy to play. Default: all.",
            json!({
                "type": "array",
                "minItems": 1,
                "uniqueItems": true,
                "items": { "enum": BanditName::ALL.map(BanditName::name) },
            }),
        ),
        entry(
            "games",
            "Games that a bandit learns from. Default: 1024.",
            count(*GAMES_RANGE.start(), *GAMES_RANGE.end()),
        ),
        entry(
            "runs",
            "Runs of a bandit, and draws of the strategies chosen from. Default: 1000.",
            count(*BANDIT_RUNS_RANGE.start(), *BANDIT_RUNS_RANGE.end()),
        ),
        entry("seed", "Where all randomness comes from. Default: 1.", seed_type()),
        outputs(),
    ])
}

fn outputs() -> (String, Value) {
    entry(
        "outputs",
        "What is written beside the results, by the endings of files. Default: md, csv, tex, svg.",
        json!({
            "type": "array",
            "uniqueItems": true,
            "items": { "enum": Output::ALL.map(Output::name) },
        }),
    )
}

/// What can be said of a family, or of all.
fn of_families() -> [(String, Value); 5] {
    [
        entry(
            "baseline",
            "Whom the naive method plays, and results are scored against: redrawn, fixed, a reference \
             strategy, a strategy file, parameters, or a mixture. Default: redrawn.",
            json!({ "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "number" } },
                { "type": "object", "required": ["mixture"] },
            ] }),
        ),
        entry(
            "budget",
            "Games of a run in comparisons. Default: what suits the family.",
            count(*GAMES_RANGE.start(), *GAMES_RANGE.end()),
        ),
        entry(
            "iterations",
            "Candidates that a run tries. Default: no limit.",
            count(*ITERATIONS_RANGE.start(), *ITERATIONS_RANGE.end()),
        ),
        entry(
            "evaluation-pairs",
            "Pairs of games for each score of a result. Default: what suits the family.",
            count(*PAIRS_RANGE.start(), *PAIRS_RANGE.end()),
        ),
        entry(
            "monitor-pairs",
            "Pairs of games for each point of the learning curve. Default: what suits the family.",
            count(*PAIRS_RANGE.start(), *PAIRS_RANGE.end()),
        ),
    ]
}

/// What can be said of a method that compares, or of all.
fn of_methods() -> [(String, Value); 3] {
    [
        entry(
            "comparison",
            "The comparison operator, of methods that compare. Default: bernstein.",
            json!({ "enum": Comparison::ALL.map(Comparison::name) }),
        ),
        entry(
            "delta",
            "Probability that a comparison is wrong, of methods that compare. Default: 0.05.",
            fraction(),
        ),
        entry(
            "precision",
            "Half-width of the interval at which a comparison without winner stops, of methods that \
             compare. Default: 0.01.",
            fraction(),
        ),
    ]
}

/// What can be said of the method of seeds.
fn of_seeds() -> [(String, Value); 2] {
    [
        entry(
            "allocation",
            "Who plays how often, in the method of seeds. Default: halving.",
            json!({ "enum": Allocation::ALL.map(Allocation::name) }),
        ),
        entry(
            "individuals",
            "Individuals that the method of seeds begins with. Default: 16.",
            count(*INDIVIDUALS_RANGE.start(), *INDIVIDUALS_RANGE.end()),
        ),
    ]
}

fn rules() -> (String, Value) {
    let values = json!({ "type": "integer", "minimum": 0 });
    entry(
        "rules",
        "Rules that differ from those of the game (see `ruse show FAMILY`).",
        json!({ "type": "object", "additionalProperties": values }),
    )
}

fn half_width() -> (String, Value) {
    entry(
        "half-width",
        "Half of the width of the interval of a score between two methods, as far as games decide it. \
         Default: 0.005.",
        fraction(),
    )
}

fn time() -> (String, Value) {
    entry(
        "time",
        "Wall time of a run, as in 60s or 2h 30m; such a run cannot be repeated exactly. Default: no limit.",
        json!({ "type": "string" }),
    )
}

fn seed_type() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX })
}

fn label() -> Value {
    json!({ "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" })
}

fn fraction() -> Value {
    json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 })
}

/// A count with or without suffix.
fn count(minimum: u64, maximum: u64) -> Value {
    json!({ "anyOf": [
        { "type": "integer", "minimum": minimum, "maximum": maximum },
        { "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?[kKmMgG]?$" },
        { "type": "number", "minimum": minimum, "maximum": maximum },
    ] })
}

fn entry(key: &str, description: &str, mut schema: Value) -> (String, Value) {
    schema["description"] = description.into();
    (key.into(), schema)
}

fn object(properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::YamlSource;
    use crate::lab::seed_study::PortfoliosSpec;
    use crate::lab::spec::comparison::ComparisonSpec;
    use crate::lab::spec::run::ExperimentSpec;

    /// The keys that a type of files knows, from its own list of them.
    fn keys_of<T: serde::de::DeserializeOwned + std::fmt::Debug>(text: &str) -> Vec<String> {
        let source = YamlSource { path: "x.yaml".into(), text: text.into() };
        let message = source.parse::<T>().expect_err("no such key").to_string();
        let (_, list) = message.split_once("expected one of ").expect("all keys are listed");
        let mut keys: Vec<_> = list.split(", ").map(|key| key.trim_matches('`').into()).collect();
        keys.sort();
        keys
    }

    fn keys(properties: &Value) -> Vec<String> {
        let properties = properties["properties"].as_object().expect("an object");
        let mut keys: Vec<_> = properties.keys().cloned().collect();
        keys.sort();
        keys
    }

    #[test]
    fn the_schema_has_the_keys_that_files_may_have() {
        let schema = schema(&Registry::standard());
        let [run, comparison, portfolios] = [0, 1, 2].map(|index| &schema["oneOf"][index]);
        assert_eq!(keys(run), keys_of::<ExperimentSpec>("{family: war, x: 1}"));
        assert_eq!(keys(comparison), keys_of::<ComparisonSpec>("{families: [], x: 1}"));
        let family = &comparison["properties"]["families"]["anyOf"][1]["items"]["anyOf"][1];
        let text = "families: [{family: war, x: 1}]";
        assert_eq!(keys(family), keys_of::<ComparisonSpec>(text));
        let method = &comparison["properties"]["methods"]["items"]["anyOf"][1];
        let text = "{families: [], methods: [{method: naive, x: 1}]}";
        assert_eq!(keys(method), keys_of::<ComparisonSpec>(text));
        assert_eq!(keys(portfolios), keys_of::<PortfoliosSpec>("{portfolios: [], x: 1}"));
        let pool = &portfolios["properties"]["portfolios"]["items"];
        let text = "portfolios: [{family: war, random: [2], x: 1}]";
        assert_eq!(keys(pool), keys_of::<PortfoliosSpec>(text));
        // Whoever hovers over a key learns what it is.
        for object in [run, comparison, portfolios, family, method, pool] {
            for (key, schema) in object["properties"].as_object().expect("an object") {
                assert!(schema["description"].is_string(), "{key}");
            }
        }
    }
}
