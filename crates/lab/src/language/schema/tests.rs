use std::path::Path;

use ruse_base::files::YamlSource;

use super::*;
use crate::plan::Plan;

/// Returns `true` if `schema` allows `value`. Supports only the keywords in our schema, because a full validator needs
/// as many crates as the other tests.
fn allows(root: &Value, schema: &Value, value: &Value) -> bool {
    schema.as_object().expect("a schema").iter().all(|(word, wanted)| match word.as_str() {
        "$schema" | "$defs" | "title" | "description" => true,
        "$ref" => {
            let pointer = wanted.as_str().and_then(|to| to.strip_prefix('#')).expect("local");
            allows(root, root.pointer(pointer).expect("it is there"), value)
        }
        "anyOf" => count(root, wanted, value) >= 1,
        "oneOf" => count(root, wanted, value) == 1,
        "const" => value == wanted,
        "enum" => wanted.as_array().expect("a list").contains(value),
        "type" => match wanted.as_str().expect("one type") {
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_u64() || value.is_i64(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("the type {other}"),
        },
        "minimum" => value.as_f64().is_none_or(|x| x >= wanted.as_f64().expect("a number")),
        "maximum" => value.as_f64().is_none_or(|x| x <= wanted.as_f64().expect("a number")),
        "exclusiveMinimum" => value.as_f64().is_none_or(|x| x > wanted.as_f64().expect("a number")),
        "exclusiveMaximum" => value.as_f64().is_none_or(|x| x < wanted.as_f64().expect("a number")),
        "multipleOf" => value.as_f64().is_none_or(|x| x.fract() == 0.0 && *wanted == json!(1)),
        "minItems" => {
            value.as_array().is_none_or(|a| a.len() as u64 >= wanted.as_u64().expect("a number"))
        }
        "uniqueItems" => {
            value.as_array().is_none_or(|a| (1..a.len()).all(|i| !a[..i].contains(&a[i])))
        }
        "items" => value.as_array().is_none_or(|a| a.iter().all(|item| allows(root, wanted, item))),
        "required" => value.as_object().is_none_or(|map| {
            let keys = wanted.as_array().expect("a list");
            keys.iter().all(|key| map.contains_key(key.as_str().expect("a key")))
        }),
        "properties" => value.as_object().is_none_or(|map| {
            map.iter().all(|(key, value)| {
                wanted.get(key).is_none_or(|schema| allows(root, schema, value))
            })
        }),
        "additionalProperties" => value.as_object().is_none_or(|map| {
            let known = schema["properties"].as_object();
            let mut others =
                map.iter().filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)));
            match wanted {
                Value::Bool(all) => *all || others.next().is_none(),
                of_others => others.all(|(_, value)| allows(root, of_others, value)),
            }
        }),
        "pattern" => value.as_str().is_none_or(|text| match wanted.as_str() {
            Some(LABEL) => is_label(text),
            Some(COUNT) => is_count(text),
            Some(FILE) => text.contains('.'),
            Some(COMMAND) => text.contains(|c: char| c.is_whitespace() || c == '/'),
            other => panic!("the pattern {other:?}"),
        }),
        other => panic!("the word {other}"),
    })
}

fn count(root: &Value, schemas: &Value, value: &Value) -> usize {
    let schemas = schemas.as_array().expect("a list");
    schemas.iter().filter(|schema| allows(root, schema, value)).count()
}

const LABEL: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";
const FILE: &str = "\\.";
const COMMAND: &str = "[\\s/]";
const COUNT: &str = "^[0-9]+(\\.[0-9]+)?[kKmMgG]?$";

fn is_label(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

fn is_count(text: &str) -> bool {
    let digits = text.strip_suffix(['k', 'K', 'm', 'M', 'g', 'G']).unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    are_digits(whole) && are_digits(part)
}

/// Returns `true` if the schema allows the text, and the result of parsing it as an experiment.
fn verdicts(text: &str) -> (bool, Result<(), String>) {
    let registry = Registry::standard();
    let schema = schema(&registry);
    let value: Value = serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let source = YamlSource { path: "x.yaml".into(), text: text.into() };
    let read = Plan::parse(&source, &registry).map(|_| ()).map_err(|error| error.to_string());
    (allows(&schema, &schema, &value), read)
}

#[test]
fn every_experiment_of_the_repository_is_allowed() {
    let mut num_files = 0;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entries = |directory: &str| std::fs::read_dir(root.join(directory)).expect("experiments");
    let directories = ["experiments", "experiments/search", "experiments/gdl-players"];
    for entry in directories.into_iter().flat_map(entries) {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "yaml") {
            let text = std::fs::read_to_string(&path).expect("a text");
            let (is_allowed, _) = verdicts(&text);
            assert!(is_allowed, "{}", path.display());
            num_files += 1;
        }
    }
    assert!(num_files > 3, "only {num_files} files");
}

#[test]
fn valid_experiments_are_allowed() {
    for text in [
        "family: war",
        "{family: war, method: all, allocation: round-robin, individuals: 2k, seed: 18446744073709551615}",
        "{family: pig, method: seeds, individuals: 4, budget: 1.5M, baseline: hold-20}",
        "{family: war, method: naive, rules: {suits: 6}, baseline: [0, 1.5, 2], comparison: betting, delta: 0.1}",
        "{family: war, baseline: {mixture: [{weight: 1, strategy: random}]}, time: 60s, iterations: 1e3}",
        "{families: all, repeats: 2, half-width: 0.1, outputs: [md, html], monitor-pairs: 3}",
        "{families: [war, {family: pig, name: a.b, budget: 2k, half-width: 0.2}], seeds: [3, 1]}",
        "{families: [war], methods: [naive, {method: seeds, individuals: 4, allocation: halving}]}",
        "{families: [war], methods: [{method: cma-es, selection: whole}, {method: seeds, selection: by-seat}]}",
        "{families: [war], methods: [{method: iterative, name: b, comparison: majority}], precision: 0.1}",
        "{family: war, method: ./search}",
        "{families: [war], methods: [naive, {method: python mine.py --pairs 5, name: mine}]}",
        "{family: nim, players: [uct@T, optimal, {player: random, name: any}], budgets: [10, 1k], rules: [{}, {heap-1: 2}]}",
        "{family: rts-script, players: [random, {player: zero}], rules: [{map: 8x8-1}], pairs: 2k}",
        "{family: pig, players: [optimal, [0.5], {player: [1], name: one}], seed: 3}",
        "{portfolios: [{family: pig, random: [2, 4], vary: c, held-out: 3, pairs: 1k}], bandits: [ucb1]}",
    ] {
        let (is_allowed, read) = verdicts(text);
        // The schema does not know the parameters and strategies.
        let unknown = ["there is no parameter", "there is no strategy"];
        let is_read = read.as_ref().err().is_none_or(|why| unknown.iter().any(|u| why.contains(u)));
        assert!(is_allowed && is_read, "{text}: {is_allowed}, {read:?}");
    }
}

/// Compares the messages about the experiments in `refused.txt`. After `=>` stands what refuses an experiment: the schema
/// and the program, or only the program. `REFUSED=overwrite cargo test -p ruse-lab refused` writes the messages again.
#[test]
fn refused_experiments_have_their_messages() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/language/schema/refused.txt");
    let listed = std::fs::read_to_string(&path).expect("the cases");
    let answer = |case: &str| {
        let (text, _) = case.rsplit_once("\n=> ").expect("a text and a message");
        let (is_allowed, read) = verdicts(text);
        let by = if is_allowed { "program" } else { "schema" };
        let message = read.err().unwrap_or_else(|| panic!("{text} is allowed"));
        format!("{text}\n=> {by}: {message}\n---\n")
    };
    let found: Vec<String> = listed.split_inclusive("---\n").map(answer).collect();
    if std::env::var("REFUSED").is_ok_and(|what| what == "overwrite") {
        std::fs::write(&path, found.concat()).expect("writable");
    } else {
        assert!(listed.split_inclusive("---\n").eq(&found), "{}", found.concat());
    }
}

/// Every key has a description, which editors show.
#[test]
fn every_key_is_described() {
    let schema = schema(&Registry::standard());
    let definitions = schema["$defs"].as_object().expect("definitions");
    let mut num_keys = 0;
    for (name, definition) in definitions {
        let Some(properties) = definition["properties"].as_object() else { continue };
        for (key, of_key) in properties {
            assert!(of_key["description"].is_string(), "{name}: {key}");
            num_keys += 1;
        }
    }
    assert!(num_keys > 40, "{num_keys} keys");
    let individuals = &schema["$defs"]["ExperimentSpec"]["properties"]["individuals"];
    let expected = "The initial number of individuals of the method of seeds. Default: 16.";
    assert_eq!(individuals["description"], expected);
}
