//! `ruse play` and `ruse replay`: scripts of what a person types, what the program answers, and exit codes.
//!
//! The scripts and answers are in `tests/play/`; `TRYCMD=overwrite cargo test --test it play` writes the answers anew.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

use crate::support;

#[test]
fn scripts_are_answered() {
    trycmd::TestCases::new().case("tests/play/*.toml").env("COLUMNS", "60").env("LC_ALL", "C");
}

fn ruse(directory: &Path, args: &[&str], typed: &str) -> Output {
    let mut command = Command::from_std(support::ruse(args, directory));
    command.env("COLUMNS", "60").env("LC_ALL", "C");
    command.write_stdin(typed).output().expect("it runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// A game of nim that the person wins.
const NIM: [&str; 8] =
    ["play", "nim", "--against", "random", "--seed", "4", "--save", "games.yaml"];

#[test]
fn games_are_saved_and_replayed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let played = ruse(directory.path(), &NIM, "all hint\nrandom\nall random\n\nall random\n");
    assert_eq!(played.status.code(), Some(0));
    let score = text(&played.stdout).lines().last().expect("a score").to_string();
    assert!(score.starts_with("Score after 2 games: you "), "{score}");

    // The same again is the same, but not over what was written.
    let again = ruse(directory.path(), &NIM, "");
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("games.yaml exists"), "{}", text(&again.stderr));
    let first = fs::read(directory.path().join("games.yaml")).expect("written");
    fs::remove_file(directory.path().join("games.yaml")).expect("there");
    let again = ruse(directory.path(), &NIM, "all hint\nrandom\nall random\n\nall random\n");
    assert_eq!(again.stdout, played.stdout);
    let second = fs::read(directory.path().join("games.yaml")).expect("written");
    assert_eq!(text(&first), text(&second));

    let replay = ["replay", "games.yaml"];
    let shown = ruse(directory.path(), &replay, "");
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    let shown = text(&shown.stdout);
    assert!(shown.starts_with("nim against random, seed 4.\n\nGame 1: "), "{shown}");
    assert!(shown.contains("\nfirst: ") && shown.contains("\nsecond: "), "{shown}");
    // Step by step: one action for every line that is typed, until q.
    let step = ["replay", "games.yaml", "--step", "--from-seat", "second"];
    let shown = ruse(directory.path(), &step, "\n\nq\n");
    assert_eq!(shown.status.code(), Some(0));
    let shown = text(&shown.stdout);
    assert_eq!(shown.matches("Enter goes on").count(), 3, "{shown}");
    assert!(shown.contains("The opponent takes "), "{shown}");
}

#[test]
fn a_transcript_may_be_json() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let args = ["play", "pig", "--seed", "1", "--games", "1", "--save", "games.json"];
    assert_eq!(ruse(directory.path(), &args, "all random\n").status.code(), Some(0));
    let file = fs::read(directory.path().join("games.json")).expect("written");
    let games: serde_json::Value = serde_json::from_slice(&file).expect("JSON");
    assert_eq!(games["family"], "pig");
    assert_eq!(games["games"][0]["actions"][0]["first"], "roll");
    let shown = ruse(directory.path(), &["replay", "games.json"], "");
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
}

#[test]
fn damaged_transcripts_are_refused_with_the_place() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("games.yaml");
    let good = "family: nim\nopponent: optimal\nseed: 1\ngames:\n- person: first\n  result: loss\n  actions:\n  \
                - first: 4 7\n  - second: 3 4\n  - first: 2 3\n  - second: 1 1\n  - first: 3 1\n";
    fs::write(&path, good).expect("writable");
    let args = ["replay", "games.yaml"];
    let shown = ruse(directory.path(), &args, "");
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    for (found, damage, place, message) in [
        ("family: nim", "family: nin", "games.yaml:1:9", "did you mean `nim`?"),
        ("seed: 1", "seed: x", "games.yaml:3:7", "expected a whole number"),
        ("opponent: optimal", "opponent: best", "games.yaml:2:11", "no reference strategy `best`"),
        ("result: loss", "result: win", "games.yaml:6:11", "the actions make it `loss`"),
        ("- first: 2 3", "- first: 2 4", "games.yaml:10", "taken from heap 2, which has 3"),
        ("- first: 2 3", "- second: 2 3", "games.yaml:10", "it is the turn of the first player"),
        ("- first: 2 3", "- third: 2 3", "games.yaml:10", "unknown variant `third`"),
        ("- first: 2 3", "- first: x", "games.yaml:10", "`x` is not understood"),
        ("- first: 2 3", "- first: [2, 3]", "games.yaml:10", "an action as it is typed"),
        ("  - first: 3 1\n", "", "games.yaml:6:11", "`given-up` or `unfinished`"),
        ("games:\n", "game:\n", "games.yaml:4:1", "unknown field `game`"),
        ("seed: 1", "parameters: [1, 2]\nseed: 1", "games.yaml:3:13", "383 expected"),
        ("seed: 1", "rules: {heap-1: 5000}\nseed: 1", "games.yaml:3:8", "between 0 and 1000"),
    ] {
        let text_of_file = good.replacen(found, damage, 1);
        assert_ne!(text_of_file, good);
        fs::write(&path, &text_of_file).expect("writable");
        let shown = ruse(directory.path(), &args, "");
        let error = text(&shown.stderr);
        assert_eq!(shown.status.code(), Some(2), "{damage}: {error}");
        assert!(shown.stdout.is_empty(), "{damage}: {}", text(&shown.stdout));
        assert!(error.contains(place) && error.contains(message), "{damage}: {error}");
    }
    let missing = ruse(directory.path(), &["replay", "none.yaml"], "");
    assert_eq!(missing.status.code(), Some(2));
}

/// Over a pipe there is nothing that only a terminal understands, whatever is typed.
#[test]
fn there_are_no_escape_codes() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let typed = "\x1b[31m4 2\n\u{7}\n\u{2603}\n4 2\n";
    let played = ruse(directory.path(), &["play", "nim", "--seed", "1"], typed);
    assert_eq!(played.status.code(), Some(0));
    let shown = text(&played.stdout);
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
}

/// Ctrl-C is a way to leave: the score is shown, the games are saved, the exit code says it.
#[cfg(unix)]
#[test]
fn interrupted_from_the_keyboard() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::Stdio;

    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("ruse"))
        .args(NIM)
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdin.write_all(b"resign\n\nrandom\n").expect("it listens");
    // After the second game has begun and something was done in it.
    let mut line = String::new();
    while !line.starts_with("You take") {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).expect("readable"), 0, "it ended too early");
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("readable");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(rest.ends_with("Score after 1 game: you 0, the opponent 1.\n"), "{rest}");
    let saved = fs::read_to_string(directory.path().join("games.yaml")).expect("saved");
    assert!(saved.contains("given-up") && saved.contains("unfinished"), "{saved}");
}
