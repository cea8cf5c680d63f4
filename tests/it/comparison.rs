//! Tests of comparisons. The bytes of the results depend neither on the number of threads nor on kills. Partial and
//! complete results have tables.

use std::fs;
use std::path::Path;

use std::time::Duration;

use crate::support::{Home, files, object, output, printed, refuses, results_in_all_ways, said};

const EXPERIMENT: &str = "\
families:
  - {family: batawaf, rules: {ranks: 3}, budget: 6k}
  - {family: nim, budget: 4k}
methods:
  - naive
  - {method: naive, name: naive-betting, comparison: betting}
  - {method: es, name: es-prune, prune: 0.2}
  - double-oracle
seeds: [3, 5]
evaluation-pairs: 200
monitor-pairs: 50
half-width: 0.05
outputs: [md, csv, tex, json, svg]
";

#[test]
fn results_do_not_depend_on_threads_or_kills() {
    let path = &*Home::new();
    let results = results_in_all_ways(EXPERIMENT, path, Duration::from_millis(120), files);
    for name in "experiment.yaml measurements.csv runs.csv curves.csv table-exploitability.md table-scores.md \
                 nim-double-oracle-seed3/mixture.yaml table-head-to-head.tex table-ranking.csv table-scores.json \
                 learning-curves-nim.svg best-strategy-batawaf.svg nim-naive-betting-seed5/strategy.yaml"
        .split(' ')
    {
        assert!(results.contains_key(Path::new(name)), "{name} in {:?}", results.keys());
    }
    // A table in another format is made, for which no games are played.
    let table = output("table killed --format md --only scores", path);
    assert_eq!(table.stdout, results[Path::new("table-scores.md")]);
}

#[test]
fn existing_results_are_kept_and_checked() {
    let path = &*Home::new();
    let compare = |seed: &'static str| {
        let mut arguments = vec!["compare", "nim", "--methods", "naive,seeds", "--repeats", "2"];
        arguments.extend(["--budget", "5k", "--iterations", "50", "--seed", seed, "--out", "x"]);
        arguments
    };
    printed(&compare("1"), path);
    let whole = files(&path.join("x"));
    refuses(&compare("1"), path, "`ruse resume x` goes on with it");
    refuses(&compare("2"), path, "it holds another experiment");
    assert_eq!(files(&path.join("x")), whole);

    // A finished comparison is not played again.
    let resumed = output("resume x", path);
    assert!(resumed.status.success() && said(&resumed).contains("the run is finished"));
    assert_eq!(files(&path.join("x")), whole);

    // One of these files has been edited by hand: the experiment, a result, or a meeting.
    for (name, from, to) in [
        ("x/experiment.yaml", "budget: 5000", "budget: 6000"),
        ("x/nim-naive-seed2/strategy.yaml", "score: 0.", "score: 0.9"),
        ("x/measurements.csv", "naive,2", "naive,7"),
        ("x/measurements.csv", "nim,", "nim,,"),
    ] {
        let file = path.join(name);
        let original = fs::read_to_string(&file).expect("there");
        assert!(original.contains(from), "{name}");
        fs::write(&file, original.replacen(from, to, 1)).expect("writable");
        refuses("resume x", path, name);
        fs::write(&file, original).expect("writable");
    }
    assert_eq!(files(&path.join("x")), whole);
}

#[test]
fn a_dry_run_writes_nothing() {
    let experiment = EXPERIMENT.replace("nim, budget: 4k", "nim, iterations: 20");
    let path = &*Home::with("e.yaml", experiment);
    let plan = object("run e.yaml --dry-run --json", path);
    // There are two families, four methods and two seeds.
    assert_eq!(plan["runs"], 16);
    assert_eq!(plan["families"][0]["comparison_games"], 8 * 6_000);
    // The plan does not state a number of games for Nim, because the iterations are limited there, not the games.
    assert_eq!(plan["families"][1]["comparison_games"], serde_json::Value::Null);
    assert!(plan["families"][0]["games_per_s"].as_f64().is_some_and(|speed| speed > 0.0));
    let names: Vec<_> = fs::read_dir(path).expect("readable").collect();
    assert_eq!(names.len(), 1);
}

/// If a strategy is trained against one opponent and scored against another, the files of the run, the tables and the
/// published results contain both scores. Training does not depend on the second opponent.
#[test]
fn scores_may_be_against_another_opponent_than_training() {
    let experiment = "families: [{family: nim, baseline: random, score-against: optimal}, {family: pig}]\n\
                      methods: [naive, cma-es]\nbudget: 2k\nrepeats: 1\nevaluation-pairs: 300\nhalf-width: 0.2\n";
    let path = &*Home::with("both.yaml", experiment);
    fs::write(path.join("one.yaml"), experiment.replace(", score-against: optimal", ""))
        .expect("writable");
    let run = |name: &str, more: &[&str]| {
        let file = format!("{name}.yaml");
        printed(&[&["run", &file, "--out", name][..], more].concat(), path)
    };
    let said = run("both", &["--full"]);
    assert!(said.contains("Trained against one opponent, scored against another"), "{said}");
    assert!(said.contains("nim, cma-es") && !said.contains("pig, cma-es"), "{said}");
    run("one", &[]);
    let read = |name: &str, file: &str| {
        fs::read_to_string(path.join(name).join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
    };
    // The champions are the same, with the same score against the baseline. The score against the other opponent is
    // labelled with the name of this opponent.
    let strategy = "nim-cma-es-seed1/strategy.yaml";
    let [both, one] = ["both", "one"].map(|name| {
        let text = read(name, strategy);
        serde_yaml::from_str::<serde_json::Value>(&text).expect("a strategy")
    });
    for key in ["parameters", "score-against-baseline", "score-against-references"] {
        assert_eq!(both[key], one[key], "{key}");
    }
    assert_eq!(both["score-against"]["opponent"], "optimal");
    assert!(one.get("score-against").is_none());
    // The reference strategy is also the scoring opponent, and the two scores against it agree.
    let reference = both["score-against-references"]["optimal"]["score"].as_f64().expect("scored");
    let score = both["score-against"]["score"]["score"].as_f64().expect("scored");
    assert!((reference - score).abs() < 0.05, "{reference} and {score}");

    let training = |name: &str| -> Vec<String> {
        let rows = read(name, "measurements.csv");
        rows.lines().filter(|row| row.starts_with("training,")).map(String::from).collect()
    };
    assert_eq!(training("both").len(), 2);
    assert!(training("both").iter().all(|row| row.contains(",random,,")), "{:?}", training("both"));
    assert!(training("one").is_empty());
    let row = |name: &str| {
        let runs = read(name, "runs.csv");
        runs.lines().find(|row| row.starts_with("nim,cma-es,1,")).expect("a row").to_string()
    };
    assert_ne!(row("both"), row("one"));

    printed("publish both --out public", path);
    let table = |name: &str| printed(&["table", name, "--only", "scores"], path);
    assert_eq!(table("both"), table("public"));
    assert_eq!(training("public"), training("both"));
}
