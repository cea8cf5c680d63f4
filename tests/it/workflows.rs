//! Tests of the workflows in `.github/workflows`. The workflows are valid YAML, and every action is pinned to a commit.
//! If Python is installed, `.ci/run` also checks the workflows against their schema.

use std::fs;
use std::path::{Path, PathBuf};

use serde_yaml::Value;

/// Returns the workflows, each with its text.
fn workflows() -> Vec<(PathBuf, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows");
    let entries = fs::read_dir(directory).expect("there are workflows");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let texts: Vec<_> = paths
        .map(|path| {
            let text = fs::read_to_string(&path).expect("text");
            (path, text)
        })
        .collect();
    assert!(!texts.is_empty());
    texts
}

/// Collects every value of the key `uses`, at any depth.
fn used(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Mapping(map) => {
            for (key, value) in map {
                if key.as_str() == Some("uses") {
                    found.push(value.as_str().expect("an action is a text").into());
                }
                used(value, found);
            }
        }
        Value::Sequence(items) => items.iter().for_each(|item| used(item, found)),
        _ => {}
    }
}

#[test]
fn workflows_are_yaml_with_jobs() {
    for (path, text) in workflows() {
        let workflow: Value = serde_yaml::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let jobs = workflow.get("jobs").and_then(Value::as_mapping);
        assert!(jobs.is_some_and(|jobs| !jobs.is_empty()), "{}: no jobs", path.display());
    }
}

/// Actions are pinned to commits because a tag can be moved to other code, but a commit cannot.
#[test]
fn actions_are_pinned_to_commits() {
    let mut num_actions = 0;
    for (path, text) in workflows() {
        let workflow: Value = serde_yaml::from_str(&text).expect("tested above");
        let mut actions = Vec::new();
        used(&workflow, &mut actions);
        num_actions += actions.len();
        for action in actions {
            // A workflow of this repository has the same commit.
            if let Some(own) = action.strip_prefix("./") {
                assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(own).is_file(), "{own}");
                continue;
            }
            let (_, commit) = action.split_once('@').unwrap_or_default();
            let is_commit = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_commit, "{}: {action} is not pinned to a commit", path.display());
            let noted = format!("{action} # v");
            assert!(text.contains(&noted), "{}: {action} lacks its version", path.display());
        }
    }
    assert!(num_actions > 5, "{num_actions} actions");
}
