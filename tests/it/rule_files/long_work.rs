//! Tests of files that take long to read or to play. The program reports its progress, and can be stopped.

use std::io::{BufRead, BufReader, Read};

use super::*;

use crate::support::{self, Home, refused};

/// Returns a file with a rule that matches any four different numbers of 300. All matches lead to the same fact. The
/// rule cannot be split, and the fact does not depend on the state.
fn joins() -> String {
    let facts: String = (0..300).map(|n| format!("(n {n})\n")).collect();
    format!(
        "{facts}(role a) (init p) (legal a m) (next p) (<= terminal (true q)) (goal a 50)
         (<= some (n ?a) (n ?b) (n ?c) (n ?d) (distinct ?a ?b) (distinct ?a ?c) (distinct ?a ?d)
             (distinct ?b ?c) (distinct ?b ?d) (distinct ?c ?d))
         (<= (next q) (true p) some)"
    )
}

#[test]
#[ignore = "long"]
fn grounding_that_takes_long_is_said_to_go_on() {
    let path = &*Home::with("join.kif", joins());
    let says = "join.kif: grounding continues, with the rule at 302:10; ";
    let limit = ["--limit", "ground-seconds=2.2"];
    for arguments in [&["show", "join.kif"][..], &["match", "join.kif", "random", "random"]] {
        let error = refused(&[arguments, &limit].concat(), path);
        assert!(error.starts_with(says), "{error}");
        assert!(
            error.contains("more than 3 seconds of grounding (limit ground-seconds)"),
            "{error}"
        );
        assert_eq!(error.matches("continues").count(), 1, "{error}");
    }
    let quiet = refused(&[&["show", "join.kif", "--quiet"][..], &limit].concat(), path);
    assert!(quiet.starts_with("error: "), "{quiet}");
}

/// Runs the program until it prints a line with this text, and then presses Ctrl-C until it ends.
fn is_told_and_ends_with_ctrl_c(arguments: &[&str], path: &Path, text: &str) {
    let mut child = support::ruse(arguments, path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut said = String::new();
    while !said.contains(text) {
        said.clear();
        assert!(stderr.read_line(&mut said).expect("readable") > 0, "it ended without {text}");
        assert!(!said.contains("error"), "{said}");
    }
    let id = child.id().to_string();
    while child.try_wait().expect("a child").is_none() {
        let kill = std::process::Command::new("kill").args(["-INT", &id]).status();
        kill.expect("kill is there");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(!child.wait().expect("it has ended").success());
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("readable");
    assert!(!rest.contains("panicked"), "{rest}");
}

/// The program reports the progress of random games that take many seconds (a thousand games of 200,000 steps each), and
/// Ctrl-C stops them.
#[test]
fn random_games_that_take_long_are_said_to_go_on_and_end_with_ctrl_c() {
    let text = "(role a) (init p) (legal a m) (legal a n) (<= (next p) (true p)) (<= (next (s ?x)) (does a ?x))
        (<= terminal (true q)) (next r) (goal a 50)";
    let path = &*Home::with("long.kif", text);
    let rules = ["--rule", "steps=200000", "--rule", "at-cap=draw"];
    let arguments = [&["show", "long.kif"][..], &rules].concat();
    is_told_and_ends_with_ctrl_c(&arguments, path, " of 1,000 so far, ");
}

/// The program reports own play of a thousand million steps, from which values are learned.
#[test]
fn lessons_that_take_long_are_said_to_go_on_and_end_with_ctrl_c() {
    let directory = &*Home::new();
    let arguments =
        ["optimise", "nim.kif:value", "--rule", "lessons=1000000", "--budget", "100", "--out", "x"];
    is_told_and_ends_with_ctrl_c(&arguments, directory, " of 1,000,000,000 steps of own play");
}
