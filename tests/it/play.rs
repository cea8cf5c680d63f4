//! Tests of `ruse play` and `ruse replay`. The program is given scripts of inputs; its output and its exit codes are
//! compared.
//!
//! The scripts and outputs are in `tests/play/`; `TRYCMD=overwrite cargo test --test it play` writes the outputs again.

use std::fs;

use crate::support::{Home, object, printed, prints, refused, refuses, ruse, signal, typed};

#[test]
fn scripts_are_answered() {
    trycmd::TestCases::new().case("tests/play/*.toml").env("COLUMNS", "60").env("LC_ALL", "C");
}

/// A game of Nim that the person wins.
const NIM: &str = "play nim --against random --seed 4 --save games.yaml";

#[test]
fn games_are_saved_and_replayed() {
    let path = &*Home::new();
    let file = path.join("games.yaml");
    let play = || typed(NIM, path, "all hint\nrandom\nall random\n\nall random\n");
    let played = play();
    let score = played.lines().last().expect("a score");
    assert!(score.starts_with("Score after 2 games: you "), "{score}");

    // The same command gives the same result, but does not overwrite the file.
    refuses(NIM, path, "games.yaml is there already");
    let first = fs::read_to_string(&file).expect("written");
    fs::remove_file(&file).expect("there");
    assert_eq!(play(), played);
    assert_eq!(fs::read_to_string(&file).expect("written"), first);

    let shown = printed("replay games.yaml", path);
    assert!(shown.starts_with("nim against random, seed 4.\n\nGame 1: "), "{shown}");
    assert!(shown.contains("\nfirst: ") && shown.contains("\nsecond: "), "{shown}");
    // With `--step`, each line of input shows one more action, until the line is q.
    let shown = typed("replay games.yaml --step --from-seat second", path, "\n\nq\n");
    assert_eq!(shown.matches("Enter to continue").count(), 3, "{shown}");
    assert!(shown.contains("The opponent takes "), "{shown}");
}

#[test]
fn strategies_are_watched_and_replayed() {
    let path = &*Home::new();
    let shown = printed("watch nim optimal random --seed 3 --games 2", path);
    let saving = "watch nim optimal random --seed 3 --games 2 --save w.yaml";
    assert_eq!(printed(saving, path), shown);
    for part in [
        "Game 1: optimal moves first.\n",
        "Game 2: random moves first.\n",
        "\noptimal: ",
        "\nrandom: ",
        "Score after 2 games: optimal ",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    // Existing files are not overwritten, and the written file contains these games.
    refused(saving, path);
    let replayed = printed("replay w.yaml", path);
    assert!(replayed.starts_with("nim: optimal against random, seed 3.\n"), "{replayed}");
    assert!(replayed.contains("Game 2: optimal is the second player.\n"), "{replayed}");
    assert_eq!(replayed.matches("heap 4 ").count(), shown.matches("heap 4 ").count());

    // These commands set a delay between actions, or a limit for games that do not end.
    let limited = "watch war descending random --seed 1 --speed 0 --actions 5";
    prints(limited, path, "not over after 5 actions");
    printed("watch nim optimal random --speed 0.001", path);
    for speed in ["-1", "x"] {
        refused(&format!("watch nim optimal random --speed {speed}"), path);
    }
}

tests! {
    fn descriptions_may_be_typed_or_piped() = describe("ships=4");
    @long
    fn descriptions_with_more_ships_may_be_typed_or_piped() = describe("ships=5");
}

/// For advice, a description of what one side has seen is enough. The description is accepted as an option and on
/// standard input, and the advice is printed as text or as an object. With `ships` 5, each piece of advice
/// takes seconds.
fn describe(ships: &str) {
    let path = &*Home::new();
    let args = ["advise", "battleship", "--rule", ships, "--rule", "sunk=1"];
    let saw = "e5=miss d4=hit d5=hit d6=sunk3 h8=hit";
    let shown = typed(&[&args[..], &["--saw", saw]].concat(), path, "x");
    assert!(shown.starts_with("battleship: it is your turn.\n"), "{shown}");
    assert!(shown.contains("5 . . . # o"), "{shown}");
    let lines = saw.replace(' ', "\n");
    let json = typed(&[&args[..], &["--json"]].concat(), path, &lines);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["saw"], &json["values"]), (&lines.into(), &serde_json::Value::Null));
    // The next shot is beside the hit.
    let shot = json["chosen"][0]["action"].as_str().expect("a text");
    assert!(["g8", "i8", "h7", "h9"].contains(&shot), "{shot}");
    assert!(shown.contains(&format!("\n  {shot} (")), "{shown}");
    // The parts of the game that the player does not know have no effect.
    let other = [&args[..], &["--saw", saw, "--seed", "99", "--json"]].concat();
    assert_eq!(object(&other, path)["table"], json["table"]);

    // The advice for both seats has values, because the descriptions are complete.
    let json = object("advise cheat --saw 'hand=6s7h6d7c they:s h they:?' --json", path);
    assert_eq!((&json["seat"], &json["strategy"]), (&"second".into(), &"champion".into()));
    assert_eq!(json["values"]["num_compared"], 5);
    for (game, message) in [
        ("battleship --saw 'e5=miss e5=hit'", "item 2, `e5=hit`, cannot be: e5 was shot at before"),
        ("nim --saw '4 4'", "it is the turn of the opponent"),
        ("war --saw x", "a game of `war` cannot be described from one side"),
    ] {
        let error = refused(&format!("advise {game} --seat first"), path);
        assert!(error.contains(message) && error.contains("tip: "), "{error}");
    }
}

/// A position is accepted as an option and on standard input, and the advice is printed as text or as an object.
#[test]
fn a_position_may_be_typed_or_piped() {
    let path = &*Home::new();
    let shown = typed("advise nim optimal --seed 2 --position '4 4;3 2'", path, "x");
    assert_eq!(typed("advise nim optimal --seed 2", path, "4 4\n 3 2 \n"), shown);
    assert!(shown.contains("(exact"), "{shown}");
    let json = typed("advise nim optimal --seed 2 --json", path, "4 4\n3 2\n");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["position"], serde_json::json!(["4 4", "3 2"]));
    assert_eq!(json["seat"], "first");
    // The heaps are 1, 3, 3, 3: taking two from a heap of three leaves 1, 1, 3, 3, Bouton's winning move.
    assert_eq!(json["values"]["source"], "perfect-play");
    assert_eq!(json["values"]["num_compared"], 10);
    let wins = json["values"]["choices"].as_array().expect("a list").iter();
    let wins = wins.filter(|choice| choice["score"] == 1.0).map(|c| c["action"].clone());
    assert_eq!(wins.collect::<Vec<_>>(), ["2 2", "3 2", "4 2"]);
    for chosen in json["chosen"].as_array().expect("a list") {
        let action = chosen["action"].as_str().expect("a text");
        assert!(["2 2", "3 2", "4 2"].contains(&action), "{action}");
    }
}

#[test]
fn a_transcript_may_be_json() {
    let path = &*Home::new();
    typed("play pig --seed 1 --games 1 --save games.json", path, "all random\n");
    let file = fs::read(path.join("games.json")).expect("written");
    let games: serde_json::Value = serde_json::from_slice(&file).expect("JSON");
    assert_eq!(games["family"], "pig");
    assert_eq!(games["games"][0]["actions"][0]["first"], "roll");
    printed("replay games.json", path);
}

#[test]
fn damaged_transcripts_are_refused_with_the_place() {
    let home = &*Home::new();
    let path = home.join("games.yaml");
    let good = "family: nim\nopponent: optimal\nseed: 1\ngames:\n- person: first\n  result: loss\n  actions:\n  \
                - first: 4 7\n  - second: 3 4\n  - first: 2 3\n  - second: 1 1\n  - first: 3 1\n";
    fs::write(&path, good).expect("writable");
    printed("replay games.yaml", home);
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
        let error = refused("replay games.yaml", home);
        assert!(error.contains(place) && error.contains(message), "{damage}: {error}");
    }
    refused("replay none.yaml", home);
}

/// For every input, output to a pipe contains no escape codes.
#[test]
fn output_has_no_escape_codes() {
    let shown = typed("play nim --seed 1", &Home::new(), "\x1b[31m4 2\n\u{7}\n\u{2603}\n4 2\n");
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
}

/// Ctrl-C leaves a game. The score is shown, the games are saved, and the exit code reports the interruption.
#[cfg(unix)]
#[test]
fn interrupted_from_the_keyboard() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::Stdio;

    let path = &*Home::new();
    let mut command = ruse(NIM, path);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
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
    let saved = fs::read_to_string(path.join("games.yaml")).expect("saved");
    assert!(saved.contains("given-up") && saved.contains("unfinished"), "{saved}");
}
