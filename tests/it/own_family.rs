//! Games, families and methods from outside the workspace have all commands: `examples/own_*.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// An example, which `cargo test` builds beside the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test has a file");
    let target = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    let path = target.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is not there: `cargo build --examples`", path.display());
    path
}

/// What the example prints.
fn run(name: &str, directory: &Path, args: &[&str]) -> String {
    let output = Command::new(example(name)).args(args).current_dir(directory).output();
    let output = output.expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn every_command_knows_a_family_of_ones_own() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = |args: &[&str]| run("own_family", directory.path(), args);
    assert!(run(&["list"]).contains("kuhn-poker"));
    assert!(run(&["show", "kuhn-poker"]).contains("Q facing a bet after a check"));
    assert!(run(&["schema"]).contains("kuhn-poker"));
    let optimise = ["optimise", "kuhn-poker", "--budget", "2k"];
    run(&[&optimise[..], &["--out", "one"]].concat());
    let strategy = "one/kuhn-poker-cma-es-seed1/strategy.yaml";
    assert!(run(&["show", strategy]).contains("opens by betting a Jack"));
    assert!(run(&["match", "kuhn-poker", strategy, "honest", "--pairs", "100"]).contains("score"));
    assert!(run(&["exploit", "kuhn-poker", "honest", "--budget", "2k"]).contains("lower bound"));
    assert!(run(&["plot", "one"]).contains("strategy.svg"));
    run(&["report", "one"]);
    let all =
        run(&[&optimise[..], &["--rule", "hands=2", "--method", "all", "--out", "all"]].concat());
    assert!(all.contains("double-oracle"), "{all}");
    run(&["portfolio", "all"]);
    let methods = ["--methods", "naive,cma-es", "--repeats", "2", "--half-width", "0.1"];
    run(&[&["compare", "kuhn-poker", "--budget", "500", "--out", "compared"], &methods[..]]
        .concat());
    assert!(run(&["table", "compared"]).contains("cma-es"));
    // Nobody types anything: the game is begun, and left.
    let played = run(&["play", "kuhn-poker", "--seed", "1", "--save", "games.yaml"]);
    assert!(played.contains("You have a ") && played.contains("check or bet>"), "{played}");
    assert!(run(&["replay", "games.yaml"]).contains("The person leaves."));
}

/// Who plays as Kuhn found does not lose chips on average, in both seats together. The honest player folds to bluffs, so
/// it loses some. That the score over 20,000 pairs, of deviation 1/2 at most, is .01 below one half is 2.8 standard
/// errors or more: a false alarm in 400 seeds at the worst, and the seed is fixed.
#[test]
fn kuhns_equilibrium_does_not_lose() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let args = ["match", "kuhn-poker", "equilibrium", "honest", "--pairs", "20k", "--json"];
    let found: serde_json::Value =
        serde_json::from_str(&run("own_family", directory.path(), &args)).expect("JSON");
    assert!(found["score"].as_f64().expect("a number") > 0.49, "{found}");
}

#[test]
fn a_game_of_ones_own_is_played() {
    let printed = run("own_game", Path::new("."), &[]);
    assert!(printed.starts_with("10 hands left, First opens"), "{printed}");
    assert!(printed.trim_end().ends_with("for First"), "{printed}");
}

/// The method is run next to those of the workspace, and goes on where it was stopped.
#[test]
fn a_method_of_ones_own_is_run_and_compared() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = |args: &[&str]| run("own_method", directory.path(), args);
    let optimise = ["optimise", "war", "--method", "one-at-a-time", "--comparison", "betting"];
    let budget = ["--budget", "30k", "--seed", "2", "--out"];
    run(&[&optimise[..], &budget[..], &["whole"]].concat());
    let history = |run: &str| {
        let path = format!("{run}/war-one-at-a-time-seed2/history.csv");
        std::fs::read_to_string(directory.path().join(path)).expect("a history")
    };
    assert!(history("whole").lines().count() > 4, "{}", history("whole"));
    // The file of the experiment gives the same again, and so does a run that was killed.
    run(&["run", "whole/experiment.yaml", "--out", "again"]);
    assert_eq!(history("whole"), history("again"));
    let args = [&optimise[..], &budget[..], &["killed"]].concat();
    let killed = Command::new(example("own_method")).args(args).current_dir(&directory).spawn();
    let mut killed = killed.expect("it starts");
    let checkpoint = "killed/war-one-at-a-time-seed2/checkpoint.yaml";
    while !directory.path().join(checkpoint).exists()
        && killed.try_wait().is_ok_and(|end| end.is_none())
    {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    killed.kill().expect("it can be killed");
    killed.wait().expect("it ends");
    run(&["resume", "killed"]);
    assert_eq!(history("whole"), history("killed"));
    let compare = ["compare", "batawaf", "--methods", "one-at-a-time,naive", "--budget", "500"];
    let rest = ["--repeats", "2", "--half-width", "0.1", "--out", "compared"];
    assert!(run(&[&compare[..], &rest[..]].concat()).contains("one-at-a-time"));
    let all = run(&["optimise", "pig", "--method", "all", "--budget", "2k", "--out", "all"]);
    assert!(all.contains("one-at-a-time"), "{all}");
    assert!(run(&["schema"]).contains("one-at-a-time"));
}

/// An option of the method is known on the command line, in files, and in what a run writes out.
#[test]
fn a_method_of_ones_own_has_options() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = |args: &[&str]| run("own_method", directory.path(), args);
    let read = |path: &str| std::fs::read_to_string(directory.path().join(path)).expect(path);
    let optimise = ["optimise", "war", "--method", "one-at-a-time", "--iterations", "2", "--out"];
    run(&[&optimise[..], &["bold", "--first-step", "2.5"]].concat());
    assert!(read("bold/experiment.yaml").contains("\nfirst-step: 2.5\n"));
    let sigma_at_start = |run: &str| {
        let history = read(&format!("{run}/war-one-at-a-time-seed1/history.csv"));
        history.lines().nth(1).and_then(|row| row.split(',').nth(1)).map(String::from)
    };
    assert_eq!(sigma_at_start("bold").as_deref(), Some("2.5"));
    run(&[&optimise[..], &["usual"]].concat());
    assert_eq!(sigma_at_start("usual").as_deref(), Some("1"));
    // A file of it is read again, and another may have it in a list.
    run(&["run", "bold/experiment.yaml", "--out", "again"]);
    assert_eq!(read("bold/experiment.yaml"), read("again/experiment.yaml"));
    assert_eq!(sigma_at_start("again").as_deref(), Some("2.5"));
    let text = "families: [pig]\nmethods: [naive, {method: one-at-a-time, first-step: 0.25}]\n\
                iterations: 2\nrepeats: 1\nhalf-width: 0.4\n";
    std::fs::write(directory.path().join("two.yaml"), text).expect("writable");
    run(&["run", "two.yaml", "--out", "two"]);
    assert!(read("two/experiment.yaml").contains("first-step: 0.25"));
    // Other methods have no such option, and the message says which have.
    let refused = Command::new(example("own_method"))
        .args(["optimise", "war", "--method", "naive", "--first-step", "2"])
        .current_dir(&directory)
        .output()
        .expect("it starts");
    let error = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{error}");
    assert!(error.contains("the naive method has no `first-step`"), "{error}");
    assert!(error.contains("belongs to one-at-a-time"), "{error}");
    assert!(run(&["optimise", "--help"]).contains("--first-step"));
}
