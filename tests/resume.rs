//! Runs that are killed and go on give the same bytes as runs that were not.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::CommandCargoExt;
use rand::{Rng, RngExt};
use ruse::rng::StreamKey;

fn ruse(arguments: &[&str], directory: &Path) -> Command {
    let mut command = Command::cargo_bin("ruse").expect("the program is built");
    command.args(arguments).current_dir(directory);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

const METHOD: &str = "approximate-coevolution";
const RESULTS: [&str; 3] = ["history.csv", "population.csv", "strategy.yaml"];

fn run_name(method: &str) -> String {
    format!("batawaf4-{method}-seed9")
}

fn begin<'a>(method: &'a str, out: &'a str) -> Vec<&'a str> {
    let what = ["optimise", "batawaf4", "--method", method, "--seed", "9"];
    let how = ["--budget", "1M", "--threads", "2", "--out", out];
    let comparison: &[&str] = if method == "seeds" { &[] } else { &["--comparison", "betting"] };
    [&what[..], &how[..], comparison].concat()
}

fn results(method: &str, directory: &Path, out: &str) -> Vec<String> {
    let run = directory.join(out).join(run_name(method));
    let read = |name| fs::read_to_string(run.join(name));
    RESULTS.iter().map(|name| read(name).expect("a result")).collect()
}

/// The run is killed at up to `max_kills` random moments.
fn kill_again_and_again(method: &str, max_kills: u32, min_kills: u32) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    assert!(ruse(&begin(method, "whole"), path).status().expect("it runs").success());

    let mut moments = StreamKey::root(4).stream();
    let mut num_kills = 0;
    let mut finished = false;
    for _ in 0..max_kills {
        let resume = ["resume", "killed", "--threads", if moments.random() { "1" } else { "2" }];
        // The experiment is the first thing that is written; without, there is nothing to resume.
        let has_begun = path.join("killed/experiment.yaml").exists();
        if !has_begun {
            fs::remove_dir_all(path.join("killed")).ok();
        }
        let arguments = if has_begun { resume.to_vec() } else { begin(method, "killed") };
        let mut child = ruse(&arguments, path).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(5 + moments.next_u64() % 120));
        if child.try_wait().expect("it is ours").is_none() {
            num_kills += 1;
        } else {
            finished = true;
        }
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        if finished {
            break;
        }
    }
    assert!(num_kills >= min_kills, "{method}: the run was killed only {num_kills} times");
    assert!(ruse(&["resume", "killed"], path).status().expect("it runs").success());
    assert_eq!(results(method, path, "killed"), results(method, path, "whole"), "{method}");

    // A finished run stays what it is.
    assert!(ruse(&["resume", "killed"], path).status().expect("it runs").success());
    assert_eq!(results(method, path, "killed"), results(method, path, "whole"), "{method}");
}

#[test]
fn a_run_that_is_killed_again_and_again_gives_the_same_bytes() {
    kill_again_and_again(METHOD, 20, 5);
}

#[test]
fn methods_that_remember_more_than_a_step_size_go_on_as_well() {
    for method in ["seeds", "cma-es", "hall-of-fame", "double-oracle"] {
        kill_again_and_again(method, 6, 2);
    }
}

#[test]
fn damage_is_repaired_or_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    assert!(ruse(&begin(METHOD, "run"), path).status().expect("it runs").success());
    let whole = results(METHOD, path, "run");
    let file = |name: &str| path.join("run").join(run_name(METHOD)).join(name);
    let resume = || ruse(&["resume", "run"], path).status().expect("it runs").code();

    // Half a row, as a loss of power would leave it.
    for name in ["history.csv", "population.csv"] {
        let mut rows = fs::File::options().append(true).open(file(name)).expect("there");
        rows.write_all(b"99999,0.84").expect("writable");
    }
    fs::remove_file(file("strategy.yaml")).expect("there");
    assert_eq!(resume(), Some(0));
    assert_eq!(results(METHOD, path, "run"), whole);

    // A result that somebody improved is not believed.
    let strategy = fs::read_to_string(file("strategy.yaml")).expect("there");
    fs::write(file("strategy.yaml"), strategy.replace("score: 0.", "score: 0.9"))
        .expect("writable");
    assert_eq!(resume(), Some(2));
    fs::write(file("strategy.yaml"), &strategy).expect("writable");

    // A history that was cut is not invented.
    let checkpoint = fs::read_to_string(file("checkpoint.yaml")).expect("there");
    fs::write(file("history.csv"), &whole[0][..whole[0].len() / 2]).expect("writable");
    assert_eq!(resume(), Some(2));
    fs::write(file("history.csv"), &whole[0]).expect("writable");

    for damaged in [
        String::new(),
        "state: lost".into(),
        checkpoint.replace("\"version\":\"", "\"version\":\"9"),
        checkpoint.replace("\"sigma\":", "\"sigma\":x"),
    ] {
        fs::write(file("checkpoint.yaml"), &damaged).expect("writable");
        assert_eq!(resume(), Some(2), "{damaged}");
        assert_eq!(fs::read_to_string(file("history.csv")).expect("there"), whole[0]);
    }
    fs::write(file("checkpoint.yaml"), &checkpoint).expect("writable");

    // Numbers that do not agree with the history are not believed, and nothing is cut or played.
    for (from, to) in [("\"games\":", "\"games\":7"), ("\"iteration\":", "\"iteration\":9")] {
        fs::write(file("checkpoint.yaml"), checkpoint.replace(from, to)).expect("writable");
        assert_eq!(resume(), Some(2), "{to}");
        assert_eq!(fs::read_to_string(file("history.csv")).expect("there"), whole[0]);
    }
    fs::write(file("checkpoint.yaml"), &checkpoint).expect("writable");
    // One byte more, before the end: what counts ends in the middle of a row.
    fs::write(file("history.csv"), whole[0].replacen("\n1,", "\n77,", 1)).expect("writable");
    assert_eq!(resume(), Some(2));
    fs::remove_file(file("history.csv")).expect("there");
    assert_eq!(resume(), Some(2));
    fs::write(file("history.csv"), &whole[0]).expect("writable");

    // Another experiment is not continued with the files of this one.
    let experiment = path.join("run/experiment.yaml");
    let original = fs::read_to_string(&experiment).expect("there");
    fs::write(&experiment, original.replace("delta: 0.05", "delta: 0.06")).expect("writable");
    assert_eq!(resume(), Some(2));
    fs::write(&experiment, original.replace("seed: 9", "seed: 10")).expect("writable");
    assert_eq!(resume(), Some(2));
    fs::write(&experiment, original).expect("writable");
    // What a kill leaves behind is swept away.
    fs::write(file(".unfinished-x"), "half").expect("writable");
    assert_eq!(resume(), Some(0));
    assert!(!file(".unfinished-x").exists());
    assert_eq!(results(METHOD, path, "run"), whole);
    assert_eq!(ruse(&["resume", "nothing"], path).status().expect("it runs").code(), Some(2));
}

#[test]
fn a_run_that_is_going_on_is_left_alone() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    let arguments = ["optimise", "war", "--budget", "100G", "--out", "run"];
    let mut child = ruse(&arguments, path).spawn().expect("it starts");
    let checkpoint = path.join("run/war-cma-es-seed1/checkpoint.yaml");
    while !checkpoint.exists() {
        assert!(child.try_wait().expect("it is ours").is_none(), "it ended before its checkpoint");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(ruse(&["resume", "run"], path).status().expect("it runs").code(), Some(2));
    assert!(child.try_wait().expect("it is ours").is_none(), "the run was disturbed");
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
}
