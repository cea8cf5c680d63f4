//! Tests that the same seed leads to the same bytes, on any number of threads, and when an experiment is run again from
//! the files of its results.

use std::collections::BTreeMap;

use crate::support::{Home, files, printed, prints};

tests! {
    fn results_do_not_depend_on_threads() = assert_independent_of_threads("pig", "2k");
    fn methods_and_comparisons_are_reproducible() = assert_reproducible(
        &[("seeds", ["--allocation", "halving"]), ("es", ["--directions", "8"])],
        "ranks=3",
        "2k"
    );
    @long
    fn results_of_longer_games_do_not_depend_on_threads() =
        assert_independent_of_threads("batawaf", "10k");
    fn every_method_and_comparison_is_reproducible() = assert_reproducible(&METHODS, "ranks=6", "60k");
}

const METHODS: [(&str, [&str; 2]); 16] = [
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
];

fn assert_independent_of_threads(family: &str, budget: &str) {
    let directory = &*Home::new();
    let run = |threads: &str| {
        let arguments = ["optimise", family, "--budget", budget, "--seed", "7", "--json"];
        let options = ["--threads", threads, "--out", threads];
        let output = printed(&[&arguments[..], &options[..]].concat(), directory);
        let output: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(&output).expect("one JSON object and nothing else");
        assert_eq!(output["out"], threads);
        let files = files(&directory.join(threads));
        assert_eq!(files.len(), 8, "{:?}", files.keys());
        (output["parameters"].clone(), files)
    };
    let one = run("1");
    assert_eq!(run("5"), one);

    let play = |threads: &str| {
        let duel = "match war descending baseline --pairs 1000 --threads";
        printed(&format!("{duel} {threads}"), directory)
    };
    assert_eq!(play("1"), play("5"));
}

fn assert_reproducible(methods: &[(&str, [&str; 2])], rule: &str, budget: &str) {
    let directory = &*Home::new();
    for (method, options) in methods {
        let files = ["1", "3"].map(|threads| {
            let out = format!("{method}-{}-{threads}", options[1]);
            let what = ["optimise", "batawaf4", "--rule", rule, "--method", method];
            let how = ["--budget", budget, "--threads", threads, "--out", &out];
            printed(&[&what[..], &options[..], &how[..]].concat(), directory);
            files(&directory.join(out))
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
    let directory = &*Home::new();
    let options = ["--iterations=5", "--rule=ranks=4", "--baseline=fixed", "--worst-case=0"];
    let arguments = [&["optimise", "war4", "--out", "once"], &options[..]].concat();
    printed(&arguments, directory);
    printed("run once/experiment.yaml --out again", directory);
    let once = files(&directory.join("once"));
    assert_eq!(once, files(&directory.join("again")));

    // The champion can play, and gets the score that is in its file.
    let strategy = "once/war4-es-seed1/strategy.yaml";
    let shown = printed(&["show", strategy], directory);
    assert!(shown.starts_with("war4: puts the cards won back in "), "{shown}");
    let what = ["match", "war4", strategy, strategy, "--rule", "ranks=4", "--pairs", "50"];
    prints(&what, directory, "score .500");
}

#[test]
fn a_default_directory_is_never_used_twice() {
    let directory = &*Home::new();
    let run = || printed("optimise pig --iterations 1", directory);
    assert!(run().contains("Written to runs/pig/pig-es-seed1/"));
    assert!(run().contains("Written to runs/pig-2/pig-es-seed1/"));
}
