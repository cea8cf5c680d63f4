//! Tests of `ruse play` and `ruse replay`. The program is given scripts of inputs; its output and its exit codes are
//! compared.
//!
//! The scripts and outputs are in `tests/play/`; `TRYCMD=overwrite cargo test --test it play` writes the outputs again.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

use crate::support::{self, signal};

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

/// A game of Nim that the person wins.
const NIM: [&str; 8] =
    ["play", "nim", "--against", "random", "--seed", "4", "--save", "games.yaml"];

#[test]
fn games_are_saved_and_replayed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let played = ruse(directory.path(), &NIM, "all hint\nrandom\nall random\n\nall random\n");
    assert_eq!(played.status.code(), Some(0));
    let score = text(&played.stdout).lines().last().expect("a score").to_string();
    assert!(score.starts_with("Score after 2 games: you "), "{score}");

    // The same command gives the same result, but does not overwrite the file.
    let again = ruse(directory.path(), &NIM, "");
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("games.yaml is there already"), "{}", text(&again.stderr));
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
    // With `--step`, each line of input shows one more action, until the line is q.
    let step = ["replay", "games.yaml", "--step", "--from-seat", "second"];
    let shown = ruse(directory.path(), &step, "\n\nq\n");
    assert_eq!(shown.status.code(), Some(0));
    let shown = text(&shown.stdout);
    assert_eq!(shown.matches("Enter to continue").count(), 3, "{shown}");
    assert!(shown.contains("The opponent takes "), "{shown}");
}

#[test]
fn strategies_are_watched_and_replayed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let args = ["watch", "nim", "optimal", "random", "--seed", "3", "--games", "2"];
    let watched = ruse(directory.path(), &args, "");
    assert_eq!(watched.status.code(), Some(0), "{}", text(&watched.stderr));
    let saved = ruse(directory.path(), &[&args[..], &["--save", "w.yaml"]].concat(), "");
    assert_eq!(saved.stdout, watched.stdout);
    let shown = text(&watched.stdout);
    assert!(shown.contains("Game 1: optimal moves first.\n"), "{shown}");
    assert!(shown.contains("Game 2: random moves first.\n"), "{shown}");
    assert!(shown.contains("\noptimal: ") && shown.contains("\nrandom: "), "{shown}");
    assert!(shown.contains("Score after 2 games: optimal "), "{shown}");
    // Existing files are not overwritten, and the written file contains these games.
    let again = ruse(directory.path(), &[&args[..], &["--save", "w.yaml"]].concat(), "");
    assert_eq!(again.status.code(), Some(2));
    let replayed = ruse(directory.path(), &["replay", "w.yaml"], "");
    assert_eq!(replayed.status.code(), Some(0), "{}", text(&replayed.stderr));
    let replayed = text(&replayed.stdout);
    assert!(replayed.starts_with("nim: optimal against random, seed 3.\n"), "{replayed}");
    assert!(replayed.contains("Game 2: optimal is the second player.\n"), "{replayed}");
    assert_eq!(replayed.matches("heap 4 ").count(), shown.matches("heap 4 ").count());

    // These commands set a delay between actions, or a limit for games that do not end.
    let args = ["watch", "war", "descending", "random", "--seed", "1", "--speed", "0"];
    let shown = ruse(directory.path(), &[&args[..], &["--actions", "5"]].concat(), "");
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    assert!(text(&shown.stdout).contains("not over after 5 actions"), "{}", text(&shown.stdout));
    for (speed, code) in [("0.001", 0), ("-1", 2), ("x", 2)] {
        let args = ["watch", "nim", "optimal", "random", "--speed", speed];
        assert_eq!(ruse(directory.path(), &args, "").status.code(), Some(code), "{speed}");
    }
}

/// For advice, a description of what one side has seen is enough. The description is accepted as an option and on
/// standard input, and the advice is printed as text or as an object.
#[test]
fn descriptions_may_be_typed_or_piped() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let args = ["advise", "battleship", "--rule", "ships=5", "--rule", "sunk=1"];
    let saw = "e5=miss d4=hit d5=hit d6=sunk3 h8=hit";
    let typed = ruse(directory.path(), &[&args[..], &["--saw", saw]].concat(), "x");
    assert_eq!(typed.status.code(), Some(0), "{}", text(&typed.stderr));
    let shown = text(&typed.stdout);
    assert!(shown.starts_with("battleship: it is your turn.\n"), "{shown}");
    assert!(shown.contains(" 5 . . . # o"), "{shown}");
    let chosen = |args: &[&str], input: &str| {
        let json = ruse(directory.path(), &[args, &["--json"]].concat(), input);
        assert_eq!(json.status.code(), Some(0), "{}", text(&json.stderr));
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
        (json["chosen"][0]["action"].as_str().expect("a text").to_string(), json)
    };
    let (shot, json) = chosen(&args, &saw.replace(' ', "\n"));
    assert_eq!(json["saw"], saw.replace(' ', "\n"));
    assert_eq!(json["values"], serde_json::Value::Null);
    // The next shot is beside the hit.
    assert!(["g8", "i8", "h7", "h9"].contains(&shot.as_str()), "{shot}");
    assert!(shown.contains(&format!("\n  {shot} (")), "{shown}");
    // The parts of the game that the player does not know have no effect.
    let other = [&args[..], &["--saw", saw, "--seed", "99"]].concat();
    assert_eq!(chosen(&other, "").1["table"], json["table"]);

    // The advice for both seats has values, because the descriptions are complete.
    let args = ["advise", "cheat", "--saw", "hand=6s7h6d7c they:s h they:?"];
    let (_, json) = chosen(&args, "");
    assert_eq!((&json["seat"], &json["strategy"]), (&"second".into(), &"champion".into()));
    assert_eq!(json["values"]["num_compared"], 5);
    for (family, saw, seat, message) in [
        (
            "battleship",
            "e5=miss e5=hit",
            "first",
            "item 2, `e5=hit`, cannot be: e5 was shot at before",
        ),
        ("battleship", "e5=perhaps", "first", "item 1, `e5=perhaps`, is not understood"),
        ("cheat", "hand=14s4h4d4c", "first", "14 spades are more than the 13 that there are"),
        ("nim", "4 4; 3 9", "first", "item 2, `3 9`, cannot be"),
        ("nim", "4 4", "first", "it is the turn of the opponent"),
        ("guess-who", "40", "first", "item 1, `40`, is not understood"),
        ("war", "x", "first", "a game of `war` cannot be described from one side"),
    ] {
        let args = ["advise", family, "--saw", saw, "--seat", seat];
        let refused = ruse(directory.path(), &args, "");
        assert_eq!(refused.status.code(), Some(2), "{family}: {saw}");
        assert!(text(&refused.stderr).contains(message), "{}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains("tip: "), "{}", text(&refused.stderr));
    }
}

/// A position is accepted as an option and on standard input, and the advice is printed as text or as an object.
#[test]
fn a_position_may_be_typed_or_piped() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let args = ["advise", "nim", "optimal", "--seed", "2"];
    let typed = ruse(directory.path(), &[&args[..], &["--position", "4 4;3 2"]].concat(), "x");
    let piped = ruse(directory.path(), &args, "4 4\n 3 2 \n");
    assert_eq!(typed.status.code(), Some(0), "{}", text(&typed.stderr));
    assert_eq!(text(&typed.stdout), text(&piped.stdout));
    assert!(text(&typed.stdout).contains("(exact"), "{}", text(&typed.stdout));
    let json = ruse(directory.path(), &[&args[..], &["--json"]].concat(), "4 4\n3 2\n");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json["position"], serde_json::json!(["4 4", "3 2"]));
    assert_eq!(json["seat"], "first");
    // The heaps are 1, 3, 3, 3: taking two from a heap of three leaves 1, 1, 3, 3, Bouton's winning move.
    assert_eq!(json["values"]["source"], "perfect-play");
    assert_eq!(json["values"]["num_compared"], 10);
    let wins: Vec<_> = json["values"]["choices"].as_array().expect("a list").iter().collect();
    let wins = wins.iter().filter(|choice| choice["score"] == 1.0).map(|c| c["action"].clone());
    assert_eq!(wins.collect::<Vec<_>>(), ["2 2", "3 2", "4 2"]);
    for chosen in json["chosen"].as_array().expect("a list") {
        let action = chosen["action"].as_str().expect("a text");
        assert!(["2 2", "3 2", "4 2"].contains(&action), "{action}");
    }
    for (position, message) in [
        ("4 9", "move 1 of the position: 9 matches are taken from heap 4, which has 7"),
        ("4 4; x", "move 2 of the position: `x` is not understood"),
        ("1 1;2 3;3 5;4 7", "the game is over after 4 moves"),
    ] {
        let refused = ruse(directory.path(), &[&args[..], &["--position", position]].concat(), "");
        assert_eq!(refused.status.code(), Some(2), "{position}");
        assert!(text(&refused.stderr).contains(message), "{}", text(&refused.stderr));
    }
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
        ("t: 3 1\n", "t: 3 1\n  - second: 1 1\n", "games.yaml:13", "the game is over"),
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

/// For every input, output to a pipe contains no escape codes.
#[test]
fn output_has_no_escape_codes() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let typed = "\x1b[31m4 2\n\u{7}\n\u{2603}\n4 2\n";
    let played = ruse(directory.path(), &["play", "nim", "--seed", "1"], typed);
    assert_eq!(played.status.code(), Some(0));
    let shown = text(&played.stdout);
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
}

/// Ctrl-C leaves a game. The score is shown, the games are saved, and the exit code reports the interruption.
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
    // Wait until the second game has started, and an action was played in it.
    let mut line = String::new();
    while !line.starts_with("You take") {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).expect("readable"), 0, "it ended too early");
    }
    signal(&child, "-INT");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("readable");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(rest.ends_with("Score after 1 game: you 0, the opponent 1.\n"), "{rest}");
    let saved = fs::read_to_string(directory.path().join("games.yaml")).expect("saved");
    assert!(saved.contains("given-up") && saved.contains("unfinished"), "{saved}");
}
