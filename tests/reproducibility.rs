//! Same seed, same bytes: whatever the number of threads, and from the files that a run leaves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

fn ruse(arguments: &[&str], directory: &Path) -> String {
    let output = Command::cargo_bin("ruse")
        .expect("the program is built")
        .args(arguments)
        .current_dir(directory)
        .assert()
        .success();
    String::from_utf8(output.get_output().stdout.clone()).expect("text")
}

/// All files under a directory by their path, but for those that may differ.
fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(path).expect("a directory") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                open.push(path);
            } else if path.file_name().is_some_and(|name| name != "provenance.yaml") {
                let relative = path.strip_prefix(directory).expect("below").to_path_buf();
                files.insert(relative, std::fs::read(path).expect("readable"));
            }
        }
    }
    files
}

#[test]
fn results_do_not_depend_on_threads() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = |threads: &str| {
        let arguments = ["optimise", "batawaf", "--budget", "300k", "--seed", "7", "--json"];
        let options = ["--threads", threads, "--out", threads];
        let output = ruse(&[&arguments[..], &options[..]].concat(), directory.path());
        let output: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(&output).expect("one JSON object and nothing else");
        assert_eq!(output["out"], threads);
        let files = contents(&directory.path().join(threads));
        assert_eq!(files.len(), 6, "{:?}", files.keys());
        (output["parameters"].clone(), files)
    };
    let one = run("1");
    assert_eq!(run("2"), one);
    assert_eq!(run("5"), one);

    let play = |threads: &str| {
        ruse(
            &["match", "war", "descending", "baseline", "--pairs", "3000", "--threads", threads],
            directory.path(),
        )
    };
    assert_eq!(play("1"), play("2"));
    assert_eq!(play("1"), play("5"));
}

#[test]
fn every_method_and_comparison_is_reproducible() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (method, options) in [
        ("naive", ["--comparison", "bernstein"]),
        ("iterative", ["--comparison", "betting"]),
        ("real-coevolution", ["--comparison", "hoeffding"]),
        ("approximate-coevolution", ["--comparison", "majority"]),
        ("seeds", ["--allocation", "round-robin"]),
        ("seeds", ["--allocation", "halving"]),
        ("cma-es", ["--comparison", "betting"]),
        ("hall-of-fame", ["--comparison", "bernstein"]),
        ("double-oracle", ["--comparison", "betting"]),
        ("all", ["--comparison", "betting"]),
    ] {
        let files = ["1", "3"].map(|threads| {
            let out = format!("{method}-{}-{threads}", options[1]);
            let what = ["optimise", "batawaf4", "--method", method];
            let how = ["--budget", "60k", "--threads", threads, "--out", &out];
            ruse(&[&what[..], &options[..], &how[..]].concat(), directory.path());
            contents(&directory.path().join(out))
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
    let options = ["--iterations", "15", "--rule", "max-turns=3000", "--baseline", "fixed"];
    let arguments = [&["optimise", "war4", "--out", "once"], &options[..]].concat();
    ruse(&arguments, directory.path());
    ruse(&["run", "once/experiment.yaml", "--out", "again"], directory.path());
    let once = contents(&directory.path().join("once"));
    assert_eq!(once, contents(&directory.path().join("again")));

    // The champion can play, and scores what its file says.
    let strategy = "once/war4-cma-es-seed1/strategy.yaml";
    let shown = ruse(&["show", strategy], directory.path());
    assert!(shown.starts_with("war4: puts the cards won back in "), "{shown}");
    let what = ["match", "war4", strategy, strategy, "--rule", "max-turns=3000", "--pairs", "50"];
    let played = ruse(&what, directory.path());
    assert!(played.contains("score .500"), "{played}");
}

#[test]
fn a_default_directory_is_never_used_twice() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = || ruse(&["optimise", "batawaf", "--iterations", "1"], directory.path());
    assert!(run().contains("Written to runs/batawaf-cma-es-seed1/"));
    assert!(run().contains("Written to runs/batawaf-cma-es-seed1-2/"));
}
