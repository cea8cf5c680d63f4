//! Tests of the examples `examples/own_*.rs`: all commands work with games, families and methods from outside `ruse`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Home, prints, refuses};

/// Returns the path of an example, which `cargo test` builds next to the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test has a file");
    let target = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    let path = target.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is not there: `cargo build --examples`", path.display());
    path
}

pub(crate) fn run(name: &str, directory: &Path, args: &[&str]) -> String {
    let output = Command::new(example(name)).args(args).current_dir(directory).output();
    let output = output.expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn every_command_knows_a_custom_family() {
    let directory = &*Home::new();
    let run = |args: &[&str]| run("own_family", directory, args);
    assert!(run(&["list"]).contains("kuhn-poker"));
    assert!(run(&["show", "kuhn-poker", "--full"]).contains("Q facing a bet after a check"));
    assert!(run(&["schema"]).contains("kuhn-poker"));
    let optimise = ["optimise", "kuhn-poker", "--budget", "2k"];
    run(&[&optimise[..], &["--out", "one"]].concat());
    let strategy = "one/kuhn-poker-es-seed1/strategy.yaml";
    assert!(run(&["show", strategy]).contains("opens by betting a Jack"));
    assert!(run(&["match", "kuhn-poker", strategy, "honest", "--pairs", "100"]).contains("score"));
    assert!(run(&["exploit", "kuhn-poker", "honest", "--budget", "2k"]).contains("at least"));
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
    // The input is empty, so the game begins and is left at once.
    let played = run(&["play", "kuhn-poker", "--seed", "1", "--save", "games.yaml"]);
    assert!(played.contains("You have a ") && played.contains("check or bet>"), "{played}");
    assert!(run(&["replay", "games.yaml"]).contains("The person leaves."));
}

/// On average over both seats, Kuhn's equilibrium does not lose chips. The honest player folds to bluffs, so it loses
/// some chips. Over 5,000 pairs, with a standard deviation of at most 1/2, a score of .48 lies at least 2.8 standard
/// errors below one half: at most one seed in 400 fails by chance, and the seed is fixed.
#[test]
fn kuhns_equilibrium_does_not_lose() {
    let directory = &*Home::new();
    let args = ["match", "kuhn-poker", "equilibrium", "honest", "--pairs", "5k", "--json"];
    let found: serde_json::Value =
        serde_json::from_str(&run("own_family", directory, &args)).expect("JSON");
    assert!(found["score"].as_f64().expect("a number") > 0.48, "{found}");
}

#[test]
fn a_custom_game_is_played() {
    let printed = run("own_game", Path::new("."), &[]);
    assert!(printed.starts_with("10 hands left, First opens"), "{printed}");
    assert!(printed.trim_end().ends_with("for First"), "{printed}");
}

/// The method runs alongside the built-in methods, and its runs continue after an interruption.
#[test]
fn a_custom_method_is_run_and_compared() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = |args: &[&str]| run("own_method", directory.path(), args);
    let optimise = ["optimise", "pig", "--method", "one-at-a-time", "--comparison", "betting"];
    let budget = ["--budget", "10k", "--worst-case", "0", "--seed", "2", "--out"];
    run(&[&optimise[..], &budget[..], &["whole"]].concat());
    let history = |run: &str| {
        let path = format!("{run}/pig-one-at-a-time-seed2/history.csv");
        std::fs::read_to_string(directory.path().join(path)).expect("a history")
    };
    assert!(history("whole").lines().count() > 2, "{}", history("whole"));
    // The experiment file leads to the same results again, and so does a run that is killed and resumed.
    run(&["run", "whole/experiment.yaml", "--out", "again"]);
    assert_eq!(history("whole"), history("again"));
    let args = [&optimise[..], &budget[..], &["killed"]].concat();
    let killed = Command::new(example("own_method")).args(args).current_dir(&directory).spawn();
    let mut killed = killed.expect("it starts");
    let checkpoint = "killed/pig-one-at-a-time-seed2/checkpoint.yaml";
    while !directory.path().join(checkpoint).exists()
        && killed.try_wait().is_ok_and(|end| end.is_none())
    {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    killed.kill().expect("it can be killed");
    killed.wait().expect("it ends");
    run(&["resume", "killed"]);
    assert_eq!(history("whole"), history("killed"));
    let compare = ["compare", "morra", "--methods", "one-at-a-time,naive", "--budget", "500"];
    let rest = ["--repeats", "2", "--half-width", "0.1", "--out", "compared"];
    assert!(run(&[&compare[..], &rest[..]].concat()).contains("one-at-a-time"));
    let all = run(&["optimise", "pig", "--method", "all", "--budget", "2k", "--out", "all"]);
    assert!(all.contains("one-at-a-time"), "{all}");
    assert!(run(&["schema"]).contains("one-at-a-time"));
}

/// An option of the method can be given on the command line and in files, and a run records it.
#[test]
fn a_custom_method_has_options() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = |args: &[&str]| run("own_method", directory.path(), args);
    let read = |path: &str| std::fs::read_to_string(directory.path().join(path)).expect(path);
    let optimise = ["optimise", "morra", "--method", "one-at-a-time", "--iterations", "2", "--out"];
    let optimise = |name: &str, options: &[&str]| {
        run(&[&optimise[..], &[name, "--worst-case", "0"], options].concat());
    };
    optimise("bold", &["--first-step", "2.5"]);
    assert!(read("bold/experiment.yaml").contains("\nfirst-step: 2.5\n"));
    let sigma_at_start = |run: &str| {
        let history = read(&format!("{run}/morra-one-at-a-time-seed1/history.csv"));
        history.lines().nth(1).and_then(|row| row.split(',').nth(1)).map(String::from)
    };
    assert_eq!(sigma_at_start("bold").as_deref(), Some("2.5"));
    optimise("usual", &[]);
    assert_eq!(sigma_at_start("usual").as_deref(), Some("1"));
    // The experiment file can be read again, and an experiment file may contain a list of values.
    run(&["run", "bold/experiment.yaml", "--out", "again"]);
    assert_eq!(read("bold/experiment.yaml"), read("again/experiment.yaml"));
    assert_eq!(sigma_at_start("again").as_deref(), Some("2.5"));
    let text = "families: [morra]\nmethods: [naive, {method: one-at-a-time, first-step: 0.25}]\n\
                iterations: 2\nrepeats: 1\nhalf-width: 0.4\n";
    std::fs::write(directory.path().join("two.yaml"), text).expect("writable");
    run(&["run", "two.yaml", "--out", "two"]);
    assert!(read("two/experiment.yaml").contains("first-step: 0.25"));
    // Other methods do not have this option; the message names the method that has it.
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

/// The example is exactly the smallest game in the book, and the commands work with it.
#[test]
fn the_smallest_game_of_the_book_is_learned() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("a text file");
    let program = read("examples/smallest_game.rs");
    let program =
        program.strip_prefix("#![cfg_attr(rustfmt, rustfmt_skip)]\n").expect("it is not formatted");
    let page = read("docs/extending.md");
    assert!(page.contains(&format!("```rust\n{program}```\n")), "the book has another text");
    assert!(program.lines().filter(|line| !line.trim().is_empty()).count() <= 55);

    let directory = &*Home::new();
    let run = |args: &[&str]| run("smallest_game", directory, args);
    let found = run(&["optimise", "draw-again", "--budget", "50k", "--out", "one"]);
    // The description of every strategy begins with these words.
    assert!(found.starts_with("The champion keeps "), "{found}");
    assert!(run(&["show", "draw-again"]).contains("keep from"));
    assert!(
        run(&[
            "tournament",
            "draw-again",
            "one",
            "average",
            "baseline",
            "--pairs",
            "500",
            "--full"
        ])
        .contains("3. baseline")
    );
    // The message says that the game has no rules to change.
    let refused = Command::new(example("smallest_game"))
        .args(["match", "draw-again", "average", "baseline", "--rule", "numbers=6"])
        .output()
        .expect("it starts");
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert!(errors.contains("there is no rule `numbers`; this game has none"), "{errors}");
    assert_eq!(refused.status.code(), Some(2));
}

/// `ruse new game` writes the program of the example, and does not overwrite files.
#[test]
fn a_new_game_is_written_once() {
    let path = &*Home::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ruse = root.to_str().expect("a path in UTF-8");
    let new = ["new", "game", "my-game", "--ruse", ruse];
    prints(&new, path, "cargo run -- play my-game");
    let manifest = std::fs::read_to_string(path.join("my-game/Cargo.toml"));
    assert!(manifest.expect("written").contains(&format!("ruse = {{ path = \"{ruse}\" }}")));
    refuses(&new, path, "my-game is there already");
    // Outside a checkout, the path of `ruse` is unknown.
    prints("new game other", path, "First set the path of `ruse` in Cargo.toml");
    refuses("new game third --ruse nowhere", path, "nowhere is not the directory of `ruse`");
}

/// The generated program compiles unchanged, and its game can be played. Its dependencies are local, so nothing is
/// downloaded.
#[test]
#[ignore = "long"]
fn a_new_game_compiles() {
    let directory = &*Home::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let done = |command: &mut Command| {
        let output = command.output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        assert!(!errors.contains("warning"), "{errors}");
    };
    let game = directory.join("my-game");
    let program = assert_cmd::cargo::cargo_bin!("ruse");
    done(Command::new(program).args(["new", "game"]).arg(&game).arg("--ruse").arg(root));
    // The lock file contains the tested versions.
    std::fs::copy(root.join("Cargo.lock"), game.join("Cargo.lock")).expect("a lock file");
    done(
        Command::new(env!("CARGO"))
            .args(["check", "--offline", "--quiet", "--all-targets", "--target-dir"])
            .arg(directory.join("target"))
            .current_dir(&game),
    );
}

#[test]
fn the_game_that_is_written_is_played() {
    let directory = &*Home::new();
    let run = |args: &[&str]| run("new_game", directory, args);
    let played = run(&["play", "draw-again", "--seed", "1"]);
    assert!(played.contains("Your number is ") && played.contains("keep or draw"), "{played}");
    // No strategy beats the strategy that keeps 63 or more.
    assert!(run(&["exploit", "draw-again", "optimal"]).contains(".5000"));
    run(&["optimise", "draw-again", "--budget", "20k", "--out", "one"]);
    let meeting = ["tournament", "draw-again", "one", "average", "optimal", "--full"];
    assert!(run(&meeting).contains("1. optimal"));
}
