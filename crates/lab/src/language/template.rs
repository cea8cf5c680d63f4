//! Templates of experiment files: every key with its meaning, most of them commented out.
//!
//! The keys and their meanings come from the [schema], so they are complete and up to date. The values are the
//! defaults.

use std::fmt::Write;

use ruse_registry::Registry;
use serde_json::{Map, Value, json};

use super::error::SpecError;
use super::quantity::{DEFAULT_REPEATS, as_typed};
use super::run::{Experiment, ExperimentSpec};
use super::schema::schema;

/// The keys whose values are counts, such as 20k.
const COUNTS: [&str; 3] = ["budget", "evaluation-pairs", "monitor-pairs"];
/// The width of a comment in columns; 80 with the comment mark.
const WIDTH: usize = 78;

/// Example values for keys without a fixed default.
const EXAMPLES: &str = include_str!("examples.yaml");

/// Returns the text of an experiment file: for one family a single run, for several a comparison of all methods. It can
/// be run unchanged. Optional keys, except the most frequently changed ones, are comments of the form `#key: value`.
///
/// # Errors
///
/// Returns an error if a family does not exist, or no family is given.
pub fn template(families: &[String], registry: &Registry) -> Result<String, SpecError> {
    let first = families.first().ok_or(SpecError::Empty("families"))?;
    for family in families {
        registry.family(family)?;
    }
    let run = Experiment::new(ExperimentSpec::new(first), registry)?;
    let mut values = json!(run.resolved).as_object().cloned().expect("a map of keys");
    let rules: Map<String, Value> =
        run.family.rules().into_iter().map(|rule| (rule.name.into(), rule.value.into())).collect();
    if rules.is_empty() {
        values.remove("rules");
    } else {
        values.insert("rules".into(), Value::Object(rules));
    }
    let examples: Map<String, Value> = serde_yaml::from_str(EXAMPLES).expect("it is YAML");
    for (key, value) in examples {
        values.entry(key).or_insert(value);
    }
    for option in registry.methods().flat_map(|method| method.options()) {
        values.entry(option.name).or_insert(option.value);
    }

    let (what, kind, active): (_, _, &[&str]) = match families.len() {
        1 => {
            let what = "One run: one method on one family.";
            (what, "ExperimentSpec", &["family", "method", "budget", "seed"])
        }
        _ => {
            let methods: Vec<_> = registry.general_methods().map(|method| method.name()).collect();
            values.insert("families".into(), json!(families));
            values.insert("methods".into(), json!(methods));
            values.insert("repeats".into(), DEFAULT_REPEATS.into());
            let what = "A comparison: every method on every family, several times.";
            (what, "ComparisonSpec", &["families", "methods", "repeats"])
        }
    };
    let mut text = comment(&format!(
        "{what} `ruse run FILE --dry-run` says how much there is to do, `ruse run FILE` does it. A key \
         with # before it is a comment: its value is the default, or an example. Take the # away to change it."
    ));
    let schema = schema(registry);
    let properties = schema["$defs"][kind]["properties"].as_object();
    for (key, property) in properties.expect("it has keys") {
        let meaning = property["description"].as_str().unwrap_or_default();
        text.push('\n');
        text += &comment(meaning);
        let mark = if active.contains(&key.as_str()) { "" } else { "#" };
        let value = values.get(key).cloned().unwrap_or_else(|| json!({}));
        let count = value.as_u64().filter(|_| COUNTS.contains(&key.as_str()));
        let value = count.map_or_else(|| in_a_line(&value), as_typed);
        let _ = writeln!(text, "{mark}{key}: {value}");
    }
    Ok(text)
}

fn comment(text: &str) -> String {
    // Names such as cma-es are not broken at hyphens.
    let options = textwrap::Options::new(WIDTH)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .word_separator(textwrap::WordSeparator::AsciiSpace);
    textwrap::wrap(text, options).iter().map(|line| format!("# {line}\n")).collect()
}

/// Formats a value as one line of YAML.
fn in_a_line(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| format!("{key}: {}", in_a_line(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(in_a_line).collect::<Vec<_>>().join(", "))
        }
        Value::String(word) if is_plain(word) => word.clone(),
        value => value.to_string(),
    }
}

/// Returns `true` if YAML reads the word as a plain string.
fn is_plain(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
        && word.parse::<f64>().is_err()
        && !["true", "false", "null", "yes", "no", "on", "off"].contains(&word)
}

#[cfg(test)]
mod tests {
    use ruse_play::family::AnyFamily;
    use ruse_play::race::Limits;

    use super::super::comparison::{DEFAULT_HALF_WIDTH, DEFAULT_OPPONENTS};
    use super::super::outputs::Output;
    use super::*;
    use crate::Plan;

    fn plan(text: &str) -> Plan {
        crate::fixtures::plan(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn all_keys<'a>(kind: &str, schema: &'a Value) -> Vec<&'a String> {
        schema["$defs"][kind]["properties"].as_object().expect("keys").keys().collect()
    }

    #[test]
    fn examples_are_the_defaults_where_there_are_any() {
        let examples: Value = serde_yaml::from_str(EXAMPLES).expect("YAML");
        let Limits { delta, precision, .. } = Limits::default();
        for (key, value) in [
            ("delta", json!(delta)),
            ("precision", json!(precision)),
            ("half-width", json!(DEFAULT_HALF_WIDTH)),
            ("opponents", json!(DEFAULT_OPPONENTS)),
            ("outputs", json!(Output::DEFAULT.map(Output::name))),
        ] {
            assert_eq!(examples[key], value, "{key}");
        }
    }

    /// Every family's template describes its default run, and has every key of the schema.
    #[test]
    fn the_file_of_every_family_is_its_default_run() {
        let registry = Registry::standard();
        let schema = schema(&registry);
        for family in registry.families().map(AnyFamily::name) {
            let text = template(&[family.into()], &registry).expect("a family");
            let expected = Experiment::new(ExperimentSpec::new(family), &registry).expect("a run");
            assert_eq!(plan(&text).runs[0].resolved, expected.resolved, "{text}");
            for key in all_keys("ExperimentSpec", &schema) {
                let lines = || text.lines().map(|line| line.trim_start_matches('#'));
                let num_lines =
                    lines().filter(|line| line.starts_with(&format!("{key}: "))).count();
                assert_eq!(num_lines, 1, "{key} in {text}");
            }
            let mut comments = text.lines().filter(|line| line.starts_with("# "));
            assert!(comments.all(|line| line.chars().count() <= 80), "{text}");
        }
    }

    #[test]
    fn several_families_make_a_comparison() {
        let registry = Registry::standard();
        let families = ["war".to_string(), "pig".to_string()];
        let text = template(&families, &registry).expect("two families");
        // Two families, nine methods and three repeats.
        assert_eq!(plan(&text).runs.len(), 54);
        for key in all_keys("ComparisonSpec", &schema(&registry)) {
            assert!(text.contains(&format!("\n{key}: ")) || text.contains(&format!("\n#{key}: ")));
        }
        let unknown = template(&["wra".into()], &registry).expect_err("no family");
        assert!(unknown.to_string().contains("wra"), "{unknown}");
        assert!(template(&[], &registry).is_err());
    }

    /// The file stays valid if any single key is uncommented. For the option of a method, the test also writes the
    /// method's name.
    #[test]
    fn every_key_can_be_uncommented() {
        let registry = Registry::standard();
        for families in [vec!["war".to_string()], vec!["war".into(), "pig".into()]] {
            let text = template(&families, &registry).expect("families");
            let optional: Vec<&str> = text
                .lines()
                .filter(|line| line.starts_with('#') && !line.starts_with("# "))
                .collect();
            assert!(optional.len() >= 8, "{text}");
            for line in optional {
                let (key, _) = line[1..].split_once(": ").expect("a key and a value");
                let mut changed =
                    text.replace(&format!("\n{line}\n"), &format!("\n{}\n", &line[1..]));
                assert_ne!(changed, text, "{line}");
                if key == "seeds" {
                    // `seeds` replaces `repeats`.
                    changed = changed.replace("\nrepeats: 3\n", "\n");
                }
                let owner = registry.methods().find(|method| match key {
                    "respond-with" => method.info().takes_visitors,
                    "comparison" | "delta" | "precision" | "accept" | "ties" => {
                        method.info().compares
                    }
                    key => method.options().iter().any(|option| option.name == key),
                });
                if let Some(method) = owner {
                    changed = changed
                        .replace("\nmethod: es\n", &format!("\nmethod: {}\n", method.name()));
                }
                plan(&changed);
            }
        }
    }
}
