//! Tests that the same seed leads to the same bytes, on any number of threads, and when an experiment is run again from
//! the files of its results.

use std::collections::BTreeMap;

use crate::support::{files, printed, prints};

#[test]
fn results_do_not_depend_on_threads() {
    assert_independent_of_threads("batawaf4", "2k");
}

#[test]
#[ignore = "long"]
fn results_of_longer_games_do_not_depend_on_threads() {
    assert_independent_of_threads("batawaf", "10k");
}

fn assert_independent_of_threads(family: &str, budget: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = |threads: &str| {
        let arguments = ["optimise", family, "--budget", budget, "--seed", "7", "--json"];
        let options = ["--threads", threads, "--out", threads];
        let output = printed(&[&arguments[..], &options[..]].concat(), directory.path());
        let output: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(&output).expect("one JSON object and nothing else");
        assert_eq!(output["out"], threads);
        let files = files(&directory.path().join(threads));
        assert_eq!(files.len(), 8, "{:?}", files.keys());
        (output["parameters"].clone(), files)
    };
    let one = run("1");
    assert_eq!(run("5"), one);

    let play = |threads: &str| {
        printed(
            &["match", "war", "descending", "baseline", "--pairs", "1000", "--threads", threads],
            directory.path(),
        )
    };
    assert_eq!(play("1"), play("5"));
}

#[test]
fn methods_and_comparisons_are_reproducible() {
    assert_reproducible(
        &[("seeds", ["--allocation", "halving"]), ("es", ["--directions", "8"])],
        "2k",
    );
}

#[test]
#[ignore = "long"]
fn every_method_and_comparison_is_reproducible() {
    assert_reproducible(
        &[
            ("naive", ["--comparison", "bernstein"]),
            ("iterative", ["--comparison", "betting"]),
            ("real-coevolution", ["--comparison", "hoeffding"]),
            ("approximate-coevolution", ["--comparison", "majority"]),
            ("seeds", ["--allocation", "round-robin"]),
            ("seeds", ["--allocation", "halving"]),
            ("cma-es", ["--comparison", "betting"]),
            ("es", ["--rate", "0.2"]),
            ("hall-of-fame", ["--comparison", "bernstein"]),
            ("double-oracle", ["--comparison", "betting"]),
            ("policy-gradient", ["--batch", "8"]),
            ("spsa", ["--gain", "5"]),
            ("quadratic-fit", ["--width", "1"]),
            ("ntbea", ["--exploration", "0.5"]),
            ("local-search", ["--comparison", "betting"]),
            ("all", ["--comparison", "betting"]),
        ],
        "60k",
    );
}

fn assert_reproducible(methods: &[(&str, [&str; 2])], budget: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (method, options) in methods {
        let files = ["1", "3"].map(|threads| {
            let out = format!("{method}-{}-{threads}", options[1]);
            let what = ["optimise", "batawaf4", "--method", method];
            let how = ["--budget", budget, "--threads", threads, "--out", &out];
            printed(&[&what[..], &options[..], &how[..]].concat(), directory.path());
            files(&directory.path().join(out))
        });
        assert_eq!(files[0], files[1], "{method}");
        let population = files[0].iter().find(|(path, _)| path.ends_with("population.csv"));
        let population = String::from_utf8_lossy(population.expect("a population").1);
        assert!(
            population.starts_with("iteration,games,against,reason,A,B,C,D\n0,0,,,"),
            "{population}"
        );
    }
}

#[test]
fn a_resolved_experiment_gives_the_same_results_again() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let options = ["--iterations=5", "--rule=max-turns=3000", "--baseline=fixed", "--worst-case=0"];
    let arguments = [&["optimise", "war4", "--out", "once"], &options[..]].concat();
    printed(&arguments, directory.path());
    printed("run once/experiment.yaml --out again", directory.path());
    let once = files(&directory.path().join("once"));
    assert_eq!(once, files(&directory.path().join("again")));

    // The champion can play, and gets the score that is in its file.
    let strategy = "once/war4-es-seed1/strategy.yaml";
    let shown = printed(&["show", strategy], directory.path());
    assert!(shown.starts_with("war4: puts the cards won back in "), "{shown}");
    let what = ["match", "war4", strategy, strategy, "--rule", "max-turns=3000", "--pairs", "50"];
    prints(&what, directory.path(), "score .500");
}

#[test]
fn a_default_directory_is_never_used_twice() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = || printed("optimise pig --iterations 1", directory.path());
    assert!(run().contains("Written to runs/pig/pig-es-seed1/"));
    assert!(run().contains("Written to runs/pig-2/pig-es-seed1/"));
}
