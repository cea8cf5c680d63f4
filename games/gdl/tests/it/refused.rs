//! Tests of texts that the parser must reject.

use std::path::Path;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_gdl::{
    AtCap, DEFAULT_STEPS, Error, Limits, Oddity, Place, Playouts, Problem, RULE_FILES, Rules,
};

use crate::vectors::vectors;

#[test]
fn every_broken_text_is_refused_with_kind_and_place() {
    for case in &vectors().refused {
        let error =
            Rules::from_text(&case.text, &Limits::default()).expect_err("the vectors say so");
        assert_eq!(error.kind().name(), case.kind, "{}: {error}", case.name);
        let Place { line, column } = error.place();
        let row = case.text.lines().nth(line as usize - 1).expect("a line of the text");
        assert!((1..=row.len() + 1).contains(&(column as usize)), "{}: {error}", case.name);
        let shown = format!("{}: {}", error.place(), error.problem());
        assert!(shown.contains(&case.says), "{}: {shown}", case.name);
    }
}

#[test]
fn games_that_break_the_rules_are_refused_while_playing() {
    for case in &vectors().refused_while_playing {
        let rules = Rules::from_text(&case.text, &Limits::default()).expect("the text is right");
        let mut playouts = Playouts::new(&rules, DEFAULT_STEPS, AtCap::Error);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let error =
            playouts.play(rules.start(), &mut rng).expect_err("the vectors say so").to_string();
        assert_eq!(error, case.says, "{}", case.name);
    }
}

/// Parses a game of two roles, with a given line at the end.
fn with_line(line: &str) -> Result<Rules, Error> {
    let text = format!(
        "(role left) (role right) (init p) (<= (legal ?r m) (role ?r)) (<= (next p) (true p))
         (<= terminal (not (true p))) (<= terminal (true q)) (<= (goal ?r 50) (role ?r))\n{line}"
    );
    Rules::from_text(text, &Limits::default())
}

#[test]
fn misspelt_roles_and_keywords_are_refused() {
    for (line, what, found, nearest, column) in [
        ("(legal rihgt n)", "role", "rihgt", "right", 8),
        ("(<= (next q) (does rigt m))", "role", "rigt", "right", 20),
        ("(goal lefts 10)", "role", "lefts", "left", 7),
        ("(<= (sees Ritgh q) (true p))", "role", "ritgh", "right", 11),
        ("(<= (next q) (dose left m))", "relation", "dose", "does", 14),
        ("(<= (next q) (not (tru p)))", "relation", "tru", "true", 19),
        ("(<= (next q) (true ?x) (dsitinct ?x p))", "relation", "dsitinct", "distinct", 24),
        ("(<= (next q) (or (true p) terminl))", "relation", "terminl", "terminal", 27),
    ] {
        let error = with_line(line).expect_err("a misspelling");
        let (found, nearest) = (found.to_string(), nearest.to_string());
        assert_eq!(*error.problem(), Problem::Misspelt { what, found, nearest }, "{line}");
        assert_eq!(error.place(), Place { line: 3, column }, "{line}");
    }
    // Each occurrence of the keyword is misspelt.
    let error = Rules::from_text(
        "(role a) (init p) (leagl a m) (<= terminal (true p)) (goal a 1)",
        &Limits::default(),
    )
    .expect_err("no legal moves");
    assert_eq!(error.to_string(), "1:19: name: no keyword `leagl`; did you mean `legal`?");
}

/// Words of one or two letters are too short to recognise a misspelling.
#[test]
fn short_names_are_not_misspellings() {
    let short = "(role x) (role o1) (init p) (legal x m) (legal o1 m) (<= (next p) (true p)) terminal (goal x 1)
        (goal o1 1) (goal y 1) (goal o2 1)";
    let rules = Rules::from_text(short, &Limits::default()).expect("other roles, of no account");
    let found: Vec<&Oddity> = rules.warnings().iter().map(|warning| &warning.what).collect();
    let no_role = |name: &str| Oddity::NoRole { relation: "goal", name: name.into() };
    assert_eq!(found, [&no_role("y"), &no_role("o2")]);
}

/// Without its `role` fact, the other uses of a role are reported.
#[test]
fn a_role_that_is_nowhere_declared_is_found_in_every_file() {
    let roles = |text: &str| -> Vec<String> {
        let facts = text.lines().filter(|line| line.starts_with("(role "));
        facts
            .flat_map(|line| line.split("(role ").skip(1))
            .map(|rest| rest.split(')').next().unwrap_or_default().trim().to_string())
            .collect()
    };
    let mut num_found = 0;
    for file in RULE_FILES {
        for role in roles(file.text) {
            let says_so = file.text.contains(&format!("(does {role} "))
                || file.text.contains(&format!("(legal {role} "));
            let without = file.text.replacen(&format!("(role {role})"), "", 1);
            if !says_so || without.len() == file.text.len() {
                continue;
            }
            num_found += 1;
            let is_told = match Rules::from_text(&without, &Limits::default()) {
                Ok(rules) => rules.warnings().iter().any(
                    |warning| matches!(&warning.what, Oddity::NoRole { name, .. } if *name == role),
                ),
                Err(error) => matches!(
                    error.problem(),
                    Problem::Misspelt { .. } | Problem::Missing("role") | Problem::OnlyRandom
                ),
            };
            assert!(is_told, "{} without {role}", file.name);
        }
    }
    assert!(num_found > 8, "{num_found}");
}

/// No file of the project has text without effect.
#[test]
fn files_of_the_project_have_no_text_without_effect() {
    let mut texts: Vec<_> = RULE_FILES.iter().map(|file| file.text.to_string()).collect();
    for directory in ["tests/rules", "../../experiments/rules"] {
        let files = std::fs::read_dir(directory).expect("a directory of rule files");
        texts
            .extend(files.map(|file| {
                std::fs::read_to_string(file.expect("a file").path()).expect("a text")
            }));
    }
    assert!(texts.len() > 35, "{}", texts.len());
    for text in texts {
        let rules = Rules::from_text(&text, &Limits::default()).expect("a file of the project");
        let is_new = |what: &Oddity| {
            matches!(
                what,
                Oddity::Unused { .. }
                    | Oddity::Unread { .. }
                    | Oddity::NeverLegal { .. }
                    | Oddity::ForeignComment(_)
            )
        };
        let found: Vec<_> =
            rules.warnings().iter().filter(|warning| is_new(&warning.what)).collect();
        assert!(found.is_empty(), "{found:?} in {}", text.lines().next().unwrap_or_default());
    }
}

/// Compares the warnings about a last line, or its error, with `warnings.txt`. Names that resemble keywords by chance have
/// no warning. `WARNINGS=overwrite cargo test -p ruse-gdl warnings` writes the file again.
#[test]
fn lines_have_their_warnings() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/warnings.txt");
    let listed = std::fs::read_to_string(&path).expect("the cases");
    let answer = |case: &str| {
        let line = case.trim_end_matches("---\n").split("=> ").next().expect("a line").trim_end();
        let told = match with_line(line) {
            Ok(rules) => rules.warnings().iter().map(ToString::to_string).collect(),
            Err(error) => vec![format!("refused: {error}")],
        };
        let told = told.iter().map(|told| format!("=> {told}\n"));
        format!("{line}\n{}---\n", told.collect::<String>())
    };
    let found: Vec<String> = listed.split_inclusive("---\n").map(answer).collect();
    if std::env::var("WARNINGS").is_ok_and(|what| what == "overwrite") {
        std::fs::write(&path, found.concat()).expect("writable");
    } else {
        assert!(listed.split_inclusive("---\n").eq(&found), "{}", found.concat());
    }
}

#[test]
fn unbound_roles_stand_for_each_role() {
    let rules = with_line("(legal ?any extra)").expect("accepted");
    let game = ruse_gdl::Evaluator::new(&rules);
    for role in rules.roles() {
        let extra = rules.find_move(role, "extra").expect("a move");
        assert!(game.is_legal(role, extra));
    }
}
