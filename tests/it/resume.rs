//! Tests of resumed runs. Damaged files are repaired or refused, and only one program works on a run at a time. The
//! tests of kills are in `attack.rs`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{self, Home, printed, refused, wait_for_file};

fn ruse(arguments: &[&str], directory: &Path) -> Command {
    let mut command = support::ruse(arguments, directory);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

const METHOD: &str = "approximate-coevolution";
const RESULTS: [&str; 3] = ["history.csv", "population.csv", "strategy.yaml"];

fn run_name(method: &str) -> String {
    format!("pig-{method}-seed9")
}

fn begin<'a>(method: &'a str, out: &'a str) -> Vec<&'a str> {
    let what = ["optimise", "pig", "--method", method, "--seed", "9"];
    let how = ["--budget", "10k", "--threads", "2", "--out", out];
    let comparison: &[&str] = if method == "seeds" { &[] } else { &["--comparison", "betting"] };
    [&what[..], &how[..], comparison].concat()
}

fn results(method: &str, directory: &Path, out: &str) -> Vec<String> {
    let run = directory.join(out).join(run_name(method));
    let read = |name| fs::read_to_string(run.join(name));
    RESULTS.iter().map(|name| read(name).expect("a result")).collect()
}

#[test]
fn damage_is_repaired_or_refused() {
    let path = &*Home::new();
    printed(&begin(METHOD, "run"), path);
    let whole = results(METHOD, path, "run");
    let file = |name: &str| path.join("run").join(run_name(METHOD)).join(name);
    let resume = || ruse(&["resume", "run"], path).status().expect("it runs").code();

    // The tables end with half a row, as after a power failure.
    for name in ["history.csv", "population.csv"] {
        let mut rows = fs::File::options().append(true).open(file(name)).expect("there");
        rows.write_all(b"99999,0.84").expect("writable");
    }
    fs::remove_file(file("strategy.yaml")).expect("there");
    assert_eq!(resume(), Some(0));
    assert_eq!(results(METHOD, path, "run"), whole);

    // An edited result is refused.
    let strategy = fs::read_to_string(file("strategy.yaml")).expect("there");
    fs::write(file("strategy.yaml"), strategy.replace("score: 0.", "score: 0.9"))
        .expect("writable");
    assert_eq!(resume(), Some(2));
    fs::write(file("strategy.yaml"), &strategy).expect("writable");

    // A run that lacks a file, or a part of it, as after a power cut, begins again.
    let checkpoint = fs::read_to_string(file("checkpoint.yaml")).expect("there");
    for name in ["history.csv", "population.csv", "checkpoint.yaml"] {
        fs::write(file(name), "").expect("writable");
        assert_eq!(resume(), Some(0));
        assert_eq!(results(METHOD, path, "run"), whole);
    }

    for damaged in [
        "state: lost".into(),
        checkpoint.replace("\"version\":\"", "\"version\":\"9"),
        checkpoint.replace("\"sigma\":", "\"sigma\":x"),
    ] {
        fs::write(file("checkpoint.yaml"), &damaged).expect("writable");
        assert_eq!(resume(), Some(2), "{damaged}");
        assert_eq!(fs::read_to_string(file("history.csv")).expect("there"), whole[0]);
    }
    fs::write(file("checkpoint.yaml"), &checkpoint).expect("writable");

    // A checkpoint whose numbers contradict the history is refused; no file is cut, and no games are played.
    for (from, to) in [("\"games\":", "\"games\":7"), ("\"iteration\":", "\"iteration\":9")] {
        fs::write(file("checkpoint.yaml"), checkpoint.replace(from, to)).expect("writable");
        assert_eq!(resume(), Some(2), "{to}");
        assert_eq!(fs::read_to_string(file("history.csv")).expect("there"), whole[0]);
    }
    fs::write(file("checkpoint.yaml"), &checkpoint).expect("writable");
    // With one more byte in the middle of the file, the valid length ends within a row.
    fs::write(file("history.csv"), whole[0].replacen("\n1,", "\n77,", 1)).expect("writable");
    assert_eq!(resume(), Some(2));
    fs::write(file("history.csv"), &whole[0]).expect("writable");

    // A directory in place of the population is refused as invalid input, not as a full disk.
    let population = fs::read(file("population.csv")).expect("there");
    fs::remove_file(file("population.csv")).expect("there");
    fs::create_dir(file("population.csv")).expect("writable");
    assert_eq!(resume(), Some(2));
    fs::remove_dir(file("population.csv")).expect("there");
    fs::write(file("population.csv"), population).expect("writable");

    // The files of one experiment cannot be used to continue another experiment.
    let experiment = path.join("run/experiment.yaml");
    let original = fs::read_to_string(&experiment).expect("there");
    fs::write(&experiment, original.replace("delta: 0.05", "delta: 0.06")).expect("writable");
    assert_eq!(resume(), Some(2));
    fs::write(&experiment, original.replace("seed: 9", "seed: 10")).expect("writable");
    assert_eq!(resume(), Some(2));
    fs::write(&experiment, original).expect("writable");
    // Files that a killed program has left behind are removed.
    fs::write(file(".unfinished-x"), "half").expect("writable");
    assert_eq!(resume(), Some(0));
    assert!(!file(".unfinished-x").exists());
    assert_eq!(results(METHOD, path, "run"), whole);
    refused("resume nothing", path);
}

#[test]
fn a_run_that_is_going_on_is_left_alone() {
    let path = &*Home::new();
    let arguments = ["optimise", "war", "--budget", "100G", "--out", "run"];
    let mut child = ruse(&arguments, path).spawn().expect("it starts");
    let checkpoint = path.join("run/war-es-seed1/checkpoint.yaml");
    wait_for_file(&mut child, &checkpoint);
    // A program that needs to write reports the owner of the lock; a program that only reads is not refused.
    let holder = format!("run is in use by process {} on ", child.id());
    for arguments in [
        &["resume", "run"][..],
        &["optimise", "war", "--budget", "1k", "--out", "run"],
        &["optimise", "war", "--budget", "100G", "--out", "run"],
        &["compare", "war", "--out", "run"],
        &["plot", "run"],
        &["report", "run"],
        &["exploit", "run"],
    ] {
        let said = refused(arguments, path);
        assert!(said.contains(&holder) && said.contains(" since 20"), "{arguments:?}: {said}");
    }
    for arguments in [
        &["table", "run"][..],
        &["plot", "run", "--out", "elsewhere"],
        &["report", "run", "--out", "page.html"],
    ] {
        printed(arguments, path);
    }
    assert!(child.try_wait().expect("it is ours").is_none(), "the run was disturbed");
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    // The files that the killed program has left behind are recognised and removed.
    assert!(path.join("run/.lock").exists());
    printed(&["report", "run"], path);
    assert!(!path.join("run/.lock").exists());
}

#[test]
fn a_kill_before_the_beginning_blocks_no_later_run() {
    let path = &*Home::new();
    let run = path.join("run");
    fs::create_dir(&run).expect("writable");
    fs::write(run.join(".lock"), "process: 1\nsince: 2018-07-08T00:00:00Z\n").expect("writable");
    fs::write(run.join(".unfinished-x"), "family: w").expect("writable");
    let said = refused(&["resume", "run"], path);
    assert!(said.contains("run holds no experiment") && said.contains("repeat it"), "{said}");
    let begin = ["optimise", "pig", "--iterations", "2", "--out", "run"];
    printed(&begin, path);
    let hidden = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with('.');
    assert!(!fs::read_dir(&run).expect("there").flatten().any(|entry| hidden(&entry)));
}

#[test]
fn results_without_a_checkpoint_are_not_overwritten() {
    let path = &*Home::new();
    let begin = ["optimise", "pig", "--method", "naive", "--time", "100ms", "--out", "run"];
    printed(&begin, path);
    let run = path.join("run/pig-naive-seed1");
    fs::remove_file(run.join("checkpoint.yaml")).expect("there");
    let contents = || ["history.csv", "strategy.yaml"].map(|name| fs::read(run.join(name)).ok());
    let before = contents();
    assert!(before.iter().all(Option::is_some));
    let said = refused(&["resume", "run"], path);
    assert!(said.contains("pig-naive-seed1 has results, and no checkpoint.yaml"), "{said}");
    assert!(said.contains("put the checkpoint back") && !said.contains("published"), "{said}");
    assert_eq!(contents(), before);
    // A run whose only file is a strategy is refused, too.
    fs::remove_file(run.join("history.csv")).expect("there");
    refused("resume run", path);
    // The directory can be read.
    refused("report experiment", path);
    printed(&["table", "run"], path);
}

#[test]
fn results_that_were_changed_are_refused_by_whatever_reads_them() {
    let experiment = "family: batawaf4\nmethod: all\nbudget: 10k\ncomparison: majority\nworst-case: 0\n\
                      evaluation-pairs: 100\nmonitor-pairs: 10\n";
    let path = &*Home::with("e.yaml", experiment);
    printed(&["run", "e.yaml", "--out", "run"], path);
    let one = "run/batawaf4-double-oracle-seed1";
    let (strategy, mixture) = (format!("{one}/strategy.yaml"), format!("{one}/mixture.yaml"));
    let commands = |file: &str| {
        [
            format!("show {file}"),
            format!("match batawaf4 {file} random --pairs 2"),
            format!("exploit batawaf4 {file} --budget 1k"),
            format!("portfolio {file} random --pairs 2"),
        ]
    };
    for file in [&strategy, &mixture, "run/strategy.yaml", "run/portfolio.yaml"] {
        let original = fs::read_to_string(path.join(file)).expect("there");
        let changed = original.replacen("- -", "- ", 1).replacen("- 0.", "- 1.", 1);
        assert_ne!(changed, original, "{file}");
        fs::write(path.join(file), &changed).expect("writable");
        for command in commands(file) {
            let said = refused(&command, path);
            assert!(said.contains("was changed after it was written"), "{command:?}: {said}");
        }
        // In another directory, the changed file counts as a user's strategy.
        fs::write(path.join("own.yaml"), changed).expect("writable");
        printed(&["show", "own.yaml"], path);
        fs::write(path.join(file), original).expect("writable");
        printed(&["show", file], path);
    }
}
