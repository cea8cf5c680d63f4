//! Tests of files that are not valid games, and of games that fail.

use super::*;

use crate::support::{Home, printed, refused, refuses};

#[test]
fn invalid_rule_files_are_refused() {
    let path = &*Home::new();
    let missing = refused(&["show", "not there.kif"], path);
    assert!(missing.starts_with("error: not there.kif: there is no such file"), "{missing}");
    // The name of a bundled file, preceded by a directory, does not denote the bundled file.
    let missing = refused("show my/nim.kif", path);
    assert!(missing.starts_with("error: my/nim.kif: there is no such file"), "{missing}");
    refuses("show nim.kif:what", path, "there is no family or strategy file `nim.kif:what`");
    fs::create_dir(path.join("folder.kif")).expect("writable");
    for command in [&["show", "folder.kif"][..], &["optimise", "folder.kif"]] {
        let error = refused(command, path);
        assert!(error.starts_with("error: folder.kif: it is a directory"), "{error}");
    }
    // Each file contains bytes that are not text, contains rules that end in the middle, or is empty.
    for (bytes, says) in [
        (&[b'(', 0xff, 0x00, b')'][..], ":1:2: "),
        (b"\x7fELF\x02\x01\x01\x00", ":1:1: "),
        (b"", ":1:1: missing: no `role`"),
        (b"; nothing but a comment\n", "missing: no `role`"),
    ] {
        fs::write(path.join("odd.kif"), bytes).expect("writable");
        let error = refused("show odd.kif", path);
        assert!(error.starts_with("error: odd.kif:") && error.contains(says), "{error}");
        refuses("match odd.kif random random", path, says);
    }
}

#[test]
fn limits_can_be_set_and_are_checked() {
    let (path, family) = &directory_with("nim");
    let error = refused(&["show", family, "--limit", "text-bytes=100"], path);
    assert!(
        error.starts_with("error: my rules/nim.kif: it has more than 100 bytes (limit text-bytes)"),
        "{error}"
    );
    printed(&["show", family, "--limit", "text-bytes=2000"], path);
    let error = refused(&["show", family, "--limit", "memory=1000"], path);
    assert!(error.contains("my rules/nim.kif:") && error.contains("limit: "), "{error}");
    assert!(error.contains("memory"), "{error}");
    for (limit, says) in [
        ("text-bytes", "invalid limit `text-bytes`: expected NAME=N"),
        ("text=100", "no limit `text`: there are text-bytes, ground-rules"),
        ("text-bytes=many", "limit `text-bytes` cannot be `many`: expected 1 to 1,000,000,000"),
        ("roles=201", "limit `roles` cannot be `201`: expected 1 to 200"),
    ] {
        let error = refused(&["show", family, "--limit", limit], path);
        assert!(error.starts_with(&format!("error: {says}")), "{error}");
    }
}

/// A file with too many ground rules is played without them, and the games are the same.
#[test]
fn a_file_beyond_a_limit_of_grounding_is_played_without_grounding() {
    let (path, family) = &directory_with("nim");
    let limit = ["--limit", "ground-rules=10"];
    let shown = printed(&[&["show", family, "--full"][..], &limit].concat(), path);
    assert!(shown.contains("more than 10 ground rules (limit ground-rules)"), "{shown}");
    assert!(shown.contains("played without ground rules"), "{shown}");
    let duel = ["match", family, "uct@20", "random", "--pairs", "3", "--json"];
    let (with, without) = (printed(&duel, path), printed(&[&duel[..], &limit].concat(), path));
    assert_eq!(with, without);
    let thought = ["match", family, "mac-ucb@1ks", "random", "--pairs", "1"];
    printed(&[&thought[..], &limit].concat(), path);
}

/// Rule files may have any name: they begin with a list.
#[test]
fn rule_files_may_end_in_gdl_or_have_any_name() {
    let (path, family) = &directory_with("nim");
    let text = fs::read(path.join(family)).expect("there");
    let duel = |family: &str| {
        printed(&["match", family, "first-legal", "random", "--pairs", "3"], path)
            .replace(family, "FILE")
    };
    let expected = duel(family);
    for name in ["mine.gdl", "mine.txt", "mine"] {
        fs::write(path.join(name), &text).expect("writable");
        assert_eq!(
            duel(name).lines().skip(1).collect::<Vec<_>>(),
            expected.lines().skip(1).collect::<Vec<_>>()
        );
    }
    let missing = refused("show nim.gdl", path);
    assert!(missing.starts_with("error: nim.gdl: there is no such file"), "{missing}");
    fs::write(path.join("note.txt"), "a note (of no game)").expect("writable");
    assert!(refused("show note.txt", path).starts_with("error: "));
}

/// Some editors write a byte order mark and carriage returns, which are ignored.
#[test]
fn a_byte_order_mark_and_carriage_returns_change_nothing() {
    let (path, family) = &directory_with("nim");
    let shown = printed(&["show", family, "--json"], path);
    let text = fs::read_to_string(path.join(family)).expect("there");
    fs::write(path.join(family), format!("\u{feff}{}", text.replace('\n', "\r\n")))
        .expect("writable");
    assert_eq!(printed(&["show", family, "--json"], path), shown);
    fs::write(path.join("wrong.kif"), "\u{feff}(role a)\r\n(goal a 1))\r\n").expect("writable");
    let error = refused("show wrong.kif", path);
    assert!(error.starts_with("error: wrong.kif:2:11: parenthesis: `)` closes nothing"), "{error}");
}

/// A file that is too large is refused before much of it has been read into memory.
#[test]
fn texts_of_megabytes_are_refused_by_their_length_or_by_the_memory_they_take() {
    let path = &*Home::with("large.kif", "(q)".repeat(1_000_000));
    let error = refused("show large.kif", path);
    let says = "error: large.kif: it has more than 2097152 bytes (limit text-bytes)";
    assert!(error.starts_with(says) && error.contains("--limit text-bytes=N"), "{error}");
    let limits = ["--limit", "text-bytes=4000000", "--limit", "memory=1000000"];
    refuses(
        &[&["show", "large.kif"][..], &limits].concat(),
        path,
        "limit: more than 1000000 bytes of memory (limit memory)",
    );
}

#[test]
fn a_misspelt_role_is_shown_with_its_place() {
    let nim = ruse_gdl::rule_file("nim").expect("a file of the engine").text;
    let text = format!("{nim}\n(<= (next gone)\n    (does frist (take 1 1)))\n");
    let path = &*Home::with("nim.kif", &text);
    let lines = text.lines().count();
    let error = refused("show nim.kif", path);
    let says = format!("error: nim.kif:{lines}:11: name: no role `frist`; did you mean `first`?");
    assert!(error.starts_with(&says), "{error}");
    assert!(error.contains(&format!("{lines} | (does frist (take 1 1))) | ^ = help: ")), "{error}");
}

/// Returns a game in which one of 400 numbers leads to a state in which a role has no moves. The first 20 random games
/// do not reach this state, but among many games, some do.
fn rarely_stuck() -> String {
    let numbers: String = (1..=400).map(|number| format!("(n {number})\n")).collect();
    format!(
        "(role a) (role b) (init start)\n{numbers}
         (<= (legal a (pick ?n)) (true start) (n ?n))
         (<= (legal b noop) (true start))
         (<= (next (picked ?n)) (does a (pick ?n)))
         (<= terminal (true (picked ?n)) (distinct ?n 400))
         (<= (legal a noop) (true (picked 400)))
         (goal a 70) (goal b 30)"
    )
}

#[test]
fn a_game_that_fails_rarely_stops_what_meets_it() {
    let path = &*Home::with("rare.kif", rarely_stuck());
    let says = "rare.kif: in a game: `b` has no legal move, and the game is not over, after 1 step";
    printed("show rare.kif --games 20", path);
    // The probability that a given move of the 400 occurs in none of 40,000 games is below 1e-43.
    for threads in ["1", "2"] {
        let arguments =
            ["match", "rare.kif", "random", "random", "--pairs", "20000", "--threads", threads];
        let error = refused(&arguments, path);
        assert!(error.starts_with(&format!("error: {says}")), "{threads}: {error}");
    }
    let arguments =
        ["optimise", "rare.kif", "--budget", "20k", "--method", "seeds", "--out", "run"];
    refuses(&[&arguments[..], &["--quiet"]].concat(), path, says);
    printed("watch rare.kif random random --games 2 --seed 1", path);
    // The random games of `ruse show` reach this state as well.
    let error = refused("show rare.kif --games 20000", path);
    assert!(error.starts_with("error: rare.kif: in a random game (number "), "{error}");
    // A thousand games are played before all 20,000.
    let says = " of 1000): `b` has no legal move, and the game is not over, after 1 step";
    assert!(error.ends_with(says), "{error}");
}
