//! Tests of texts that the parser must reject.

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
         (<= terminal (not (true p))) (<= (goal ?r 50) (role ?r))\n{line}"
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

#[test]
fn names_that_resemble_others_are_accepted() {
    let warnings = |line: &str| -> Vec<Oddity> {
        let rules = with_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        rules.warnings().iter().map(|warning| warning.what.clone()).collect()
    };
    for line in [
        // Relations with rules or facts are accepted, although their names resemble keywords.
        "(dose 1 2) (<= (next q) (dose 1 2))",
        "(tree p) (<= (next q) (tree ?x) (true ?x))",
        "(<= (rule ?x) (true ?x)) (<= (next q) (rule p))",
        // Only arguments of keywords are checked as roles; `legal1` is not a keyword.
        "(legal1 a) (seen) (<= (next q) seen (legal1 a))",
        "(<= (next q) (does left m))",
    ] {
        assert_eq!(warnings(line), [], "{line}");
    }
    let undefined = |name: &str| vec![Oddity::Undefined(name.into())];
    assert_eq!(warnings("(<= (next q) (tree 1 2))"), undefined("tree"));
    assert_eq!(warnings("(<= (next q) (base2 p) (true p))"), undefined("base2"));
    let no_role = |relation, name: &str| vec![Oddity::NoRole { relation, name: name.into() }];
    assert_eq!(
        warnings("(<= (next q) (does dealer m) (not (does dealer n)))"),
        no_role("does", "dealer")
    );
    assert_eq!(warnings("(<= (legal dealer m) (true p))"), no_role("legal", "dealer"));
    // Words of one or two letters are too short to recognise a misspelling.
    let short = "(role x) (role o1) (init p) (legal x m) (legal o1 m) (next p) terminal (goal x 1)
        (goal o1 1) (goal y 1) (goal o2 1)";
    let rules = Rules::from_text(short, &Limits::default()).expect("other roles, of no account");
    let found: Vec<&Oddity> = rules.warnings().iter().map(|warning| &warning.what).collect();
    assert_eq!(found, [&no_role("goal", "y")[0], &no_role("goal", "o2")[0]]);
    let unused = Oddity::Unused { name: "nxet".into(), nearest: Some("next") };
    assert_eq!(warnings("(<= (nxet q) (true p))"), [unused]);
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

/// Text without effect is reported where it stands, and in no file of the project.
#[test]
fn text_without_effect_is_reported() {
    let told = |line: &str| -> Vec<String> {
        let rules = with_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        rules.warnings().iter().map(ToString::to_string).collect()
    };
    for (line, says) in [
        ("(spare 1 2)", "3:1: relation `spare` is defined and never used"),
        (
            "(<= (legal left chek) (true p)) (<= (next q) (does left check))",
            "3:33: `check` is never a legal move of left; did you mean `chek`?",
        ),
        (
            "(<= (next (q ?n)) (does ?r (bid ?n)))",
            "3:1: `(bid ?n)` is never a legal move of any role",
        ),
        (
            "# the end (of it)",
            "3:1: `#` begins no comment, as `;` does: the rest of the line is read as facts",
        ),
        (
            "(next q) // so on",
            "3:10: `//` begins no comment, as `;` does: the rest of the line is read as facts",
        ),
        (
            "/* one\n two */",
            "3:1: `/*` begins no comment, as `;` does: the rest of the line is read as facts",
        ),
        (
            "-- one\n-- two",
            "3:1: `--` begins no comment, as `;` does: the rest of the line is read as facts",
        ),
    ] {
        assert_eq!(told(line), [says], "{line}");
    }
    for line in [
        "(<= (next q) (does ?r ?m))",
        "(<= (next q) (role ?r) (not (does ?r m)))",
        "(<= (next q) (not two))",
    ] {
        assert!(!told(line).iter().any(|told| told.contains("never a legal")), "{line}");
    }
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
                Oddity::Unused { .. } | Oddity::NeverLegal { .. } | Oddity::ForeignComment(_)
            )
        };
        let found: Vec<_> =
            rules.warnings().iter().filter(|warning| is_new(&warning.what)).collect();
        assert!(found.is_empty(), "{found:?} in {}", text.lines().next().unwrap_or_default());
    }
}

#[test]
fn habits_of_published_files_are_accepted_with_a_warning() {
    let told = |line: &str| -> Vec<String> {
        let rules = with_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        rules.warnings().iter().map(ToString::to_string).collect()
    };
    let refused = |line: &str| with_line(line).expect_err("refused").to_string();
    // `next` is accepted in the body of a rule for `sees`, and nowhere else.
    assert_eq!(
        told("(<= (sees left ?x) (next ?x))"),
        [
            "3:1: `next` in the body of a rule for `sees`: the role perceives the state after the step"
        ]
    );
    let error = refused("(<= (next q) (sees left p))");
    assert_eq!(error, "3:1: keyword: `sees` in the body of a rule");
    assert_eq!(refused("(<= r (next p))"), "3:1: keyword: `next` in the body of a rule");
    let error = refused("(<= (sees left ?x) (next ?x) (sees right ?x))");
    assert_eq!(error, "3:1: keyword: `sees` in the body of a rule");
    // An unbound variable is accepted in the place of the role, and nowhere else.
    assert_eq!(
        told("(<= (legal ?who n) (true p))"),
        [
            "3:1: variable `?who` of `legal` is bound by no positive literal: it stands for each role"
        ]
    );
    assert_eq!(told("(<= (sees ?r (at ?x)) (true ?x) (not (true (f ?r))))").len(), 1);
    assert_eq!(told("(<= (goal ?r 50) (or (true p) (true q)))").len(), 1);
    let error = refused("(<= (legal ?r (go ?x)) (role ?r))");
    assert_eq!(error, "3:1: unsafe: variable `?x` of the head is bound by no positive literal");
    let error = refused("(<= (next (f ?r)) (true p))");
    assert_eq!(error, "3:1: unsafe: variable `?r` of the head is bound by no positive literal");
    // Rules for `base` and `input` are skipped; the first one that is invalid is reported.
    assert_eq!(told("(base p) (<= (input ?r m) (role ?r))"), [] as [&str; 0]);
    assert_eq!(
        told("(base p)\n(base (f ?x))\n(base q r s)"),
        ["4:1: a rule for `base` with an unbound variable: skipped, like all rules for `base`"]
    );
    assert_eq!(
        told("(<= (input left m 1 2) (true (undefined ?x)) (next ?x))"),
        [
            "3:1: a rule for `input` with a wrong number of arguments: skipped, like all rules for `input`"
        ]
    );
    assert_eq!(refused("(<= (next q) (base q))"), "3:1: keyword: `base` in the body of a rule");
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
