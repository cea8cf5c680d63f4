//! Tests of the ground rules, and of the limits, errors and warnings of grounding.

use ruse_gdl::{
    AtomId, AtomKind, ErrorKind, LimitName, Limits, LongWork, Place, Problem, RoleId, Rules,
    rule_file,
};

fn rules(text: &str) -> Rules {
    Rules::from_text(text, &Limits::default()).expect("the text is right")
}

fn shown(rules: &Rules) -> Vec<String> {
    let text = |atom: &AtomId| rules.atom_text(*atom);
    let mut shown: Vec<String> = rules
        .ground()
        .rules()
        .map(|rule| {
            let positive = rule.positive.iter().map(text);
            let negated = rule.negated.iter().map(|atom| format!("-{}", text(atom)));
            let body: Vec<String> = positive.chain(negated).collect();
            format!("{} <- {}", rules.atom_text(rule.head), body.join(" "))
        })
        .collect();
    shown.sort();
    shown
}

#[test]
fn impossible_atoms_and_aliases_are_removed() {
    let rules = rules(
        "(role a) (num 1) (num 2) (num 3) (<= (small ?x) (num ?x) (distinct ?x 3))
         (init (p 1))
         (<= always (num 1))
         (<= (has ?x) (true (p ?x)))
         (<= (seen ?x) (has ?x) always (not (true never)))
         (<= idle (not (has 9)))
         (<= lost (has 1) (has 9))
         (<= unused (has 1) (not (has 2)))
         (<= (legal a (go ?x)) (small ?x) (seen ?y) idle)
         (<= (next (p ?x)) (does a (go ?x)) (not lost))
         (<= terminal (seen 2))
         (<= (goal a 50) idle)
         (<= (goal a 100) lost)",
    );
    // Worked out by hand: `always`, `idle` and `(not lost)` always hold; `has` and `seen` are aliases of fluents; only
    // the fluents (p 1) and (p 2) can become true.
    assert_eq!(
        shown(&rules),
        [
            "(goal a 50) <- ",
            "(legal a (go 1)) <- (true (p 1))",
            "(legal a (go 1)) <- (true (p 2))",
            "(legal a (go 2)) <- (true (p 1))",
            "(legal a (go 2)) <- (true (p 2))",
            "(next (p 1)) <- (does a (go 1))",
            "(next (p 2)) <- (does a (go 2))",
            "(terminal) <- (true (p 2))",
        ]
    );
    assert_eq!(rules.num_fluents(), 2);
    assert_eq!([rules.fluent(0), rules.fluent(1)], ["(p 1)", "(p 2)"]);
    assert_eq!(rules.num_moves(RoleId(0)), 2);
}

#[test]
fn atoms_come_after_those_they_depend_on() {
    for (name, rules) in crate::vectors::all_rules() {
        let ground = rules.ground();
        assert_eq!(ground.fluents().len(), rules.num_fluents(), "{name}");
        let components: Vec<_> = ground.components().collect();
        assert_eq!(components[0].start, ground.phase_a().start, "{name}");
        assert_eq!(components.last().map(|last| last.end), Some(ground.phase_b().end), "{name}");
        for component in components {
            for atom in component.clone() {
                let mut any = false;
                for rule in ground.rules_of(AtomId(atom)) {
                    any = true;
                    let positive = rule.positive.iter().all(|atom| atom.0 < component.end);
                    let negated = rule.negated.iter().all(|atom| atom.0 < component.start);
                    assert!(positive && negated, "{name}");
                    if ground.phase_a().contains(&atom) {
                        let mut body = rule.positive.iter().chain(rule.negated);
                        assert!(body.all(|atom| !ground.moves().contains(&atom.0)), "{name}");
                    }
                }
                assert!(any, "{name}: {}", rules.atom_text(AtomId(atom)));
            }
        }
        for atom in ground.moves() {
            let AtomKind::Does { role, action } = ground.kind(AtomId(atom)) else {
                panic!("{name}: a move is expected")
            };
            let text = format!(
                "(does {} {})",
                rules.role_name(RoleId(role)),
                rules.move_text(RoleId(role), ruse_gdl::MoveId(action))
            );
            assert_eq!(rules.atom_text(AtomId(atom)), text, "{name}");
        }
    }
}

#[test]
fn equations_build_terms_that_are_nowhere_else() {
    let rules = rules(
        "(role a) (n 1) (init p)
         (<= (legal a ?m) (n ?x) (not (distinct ?m (go (to ?x)))))
         (<= (next p) (true p)) (<= terminal (not (true p))) (goal a 50)",
    );
    assert_eq!(rules.move_text(RoleId(0), ruse_gdl::MoveId(0)), "(go (to 1))");
}

#[test]
fn limits_name_themselves_and_the_rule_with_most_instances() {
    let text = rule_file("connect_four").expect("a file of the crate").text;
    let error = |set: &dyn Fn(&mut Limits)| {
        let mut limits = Limits::default();
        set(&mut limits);
        match Rules::from_text(text, &limits) {
            Ok(rules) => {
                assert!(!rules.is_grounded());
                rules.warnings()[0].to_string()
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Limit);
                error.to_string()
            }
        }
    };
    let rules = error(&|limits| limits.ground_rules = 100);
    assert!(rules.contains("more than 100 ground rules (limit ground-rules); "), "{rules}");
    assert!(rules.contains(" of 101 ground rules belong to the rule at "), "{rules}");
    let atoms = error(&|limits| limits.ground_atoms = 50);
    assert!(atoms.contains("more than 50 ground atoms (limit ground-atoms)"), "{atoms}");
    let bytes = error(&|limits| limits.text_bytes = 10);
    assert_eq!(bytes, "1:1: limit: more than 10 bytes of text (limit text-bytes)");
    let roles = error(&|limits| limits.roles = 1);
    assert_eq!(roles, "1:1: limit: more than 1 roles beside `random` (limit roles)");
}

/// A game with a rule that expands to four, a deep term, and a join long enough for the clock to be checked.
const LIMITED: &str = "(role a) (role b) (init (p (f (g 1)))) (legal a m) (legal b m) (next q)
    (n 1) (n 2) (n 3) (n 4) (n 5) (n 6) (n 7) (n 8)
    (<= r (n ?a) (n ?b) (n ?c) (n ?d) (n ?e))
    (<= terminal (or (true q) r) (or (true q) (true (p ?x)))) (goal a 50) (goal b 50)";

#[test]
fn every_limit_that_an_error_names_can_be_raised_by_that_name() {
    for (name, low) in LimitName::ALL.map(|name| match name {
        LimitName::Memory => (name, "5000"),
        LimitName::GroundSeconds => (name, "1e-9"),
        _ => (name, "1"),
    }) {
        let mut limits = Limits::default();
        Rules::from_text(LIMITED, &limits).expect("the usual limits allow it");
        limits.set(name.name(), low).expect("a value of the limit");
        if name == LimitName::GroundRules {
            let rules = Rules::from_text(LIMITED, &limits).expect("played without grounding");
            assert!(!rules.is_grounded());
            assert!(rules.warnings()[0].to_string().contains("(limit ground-rules)"));
            continue;
        }
        let error = Rules::from_text(LIMITED, &limits).expect_err("the limit is passed");
        let named = match *error.problem() {
            Problem::Limit { name, .. } => name,
            Problem::TermDepth { .. } => LimitName::TermDepth,
            ref other => panic!("{name}: {other}"),
        };
        assert_eq!(named, name);
        assert!(error.to_string().contains(&format!("(limit {name})")), "{error}");
        assert!(error.report("x.kif").contains("help: raise the limit"), "{error}");
        limits.set(name.name(), "200").expect("a value of every limit");
        if !matches!(name, LimitName::Memory | LimitName::TextBytes) {
            Rules::from_text(LIMITED, &limits).expect("within the limit");
        }
    }
}

#[test]
fn fixed_limits_have_no_advice() {
    let roles: String = (0..201).map(|n| format!("(role r{n})\n")).collect();
    let text =
        format!("{roles} (init p) (<= (legal ?r m) (role ?r)) (next p) terminal (goal r0 1)");
    let mut limits = Limits::default();
    limits.set("roles", "200").expect("the highest value");
    let error = Rules::from_text(&text, &limits).expect_err("one too many");
    assert!(!error.problem().help().contains("raise"), "{}", error.problem().help());
    assert!(limits.set("roles", "201").is_err());

    let digits = "(d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8)";
    let text = format!(
        "(role a) (init p) {digits} (next p) terminal (goal a 1)
         (<= (legal a (m ?a ?b ?c ?d ?e ?f)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f))"
    );
    // There are 531,441 moves, but only 262,144 numbers.
    let error = Rules::from_text(&text, &Limits::default()).expect_err("too many moves");
    let expected = Problem::Numbers { what: "moves", role: "a".into(), most: 1 << 18 };
    assert_eq!(*error.problem(), expected);
    assert!(!error.problem().help().contains("raise"), "{}", error.problem().help());
}

/// Returns literals that make the variables `?x0` to `?x29` differ. A rule with them cannot be split.
fn different() -> String {
    (0..30).flat_map(|n| (0..n).map(move |k| format!("(distinct ?x{k} ?x{n}) "))).collect()
}

#[test]
fn a_join_without_an_end_is_stopped_by_the_clock() {
    // Thirty different numbers out of forty: 10^40 tries would never end.
    let facts: String = (0..40).map(|n| format!("(n {n}) ")).collect();
    let body: String = (0..30).map(|n| format!("(n ?x{n}) ")).collect();
    let different = different();
    let text = format!(
        "(role a) (init p) (legal a m) (next p) (<= terminal (true q)) (goal a 50) {facts}
         (<= (next r) {body} (true p) {different} (true none))
         (<= q2 {body} {different} (not (n ?x29))) (<= (next s) q2)"
    );
    let mut limits = Limits::default();
    limits.ground_seconds = 0.2;
    let error = Rules::from_text(&text, &limits).expect_err("the limit is passed");
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
}

/// Returns a game whose grounding takes too long: a rule joins four different numbers out of three hundred, so the same
/// ground rule has 8 billion derivations.
fn endless() -> String {
    let facts: String = (0..300).map(|n| format!("(n {n})\n")).collect();
    format!(
        "{facts}(role a) (init p) (legal a m) (next p) (<= terminal (true q)) (goal a 50)
         (<= (next q) (true p) (n ?a) (n ?b) (n ?c) (n ?d) (distinct ?a ?b) (distinct ?a ?c)
             (distinct ?a ?d) (distinct ?b ?c) (distinct ?b ?d) (distinct ?c ?d))"
    )
}

#[test]
fn an_observer_is_notified_once_of_long_grounding() {
    let mut limits = Limits::default();
    let mut told = Vec::new();
    let mut grounded = |limits: &Limits| {
        let rules = Rules::from_text_observed(endless(), limits, &mut |work| told.push(work))
            .expect("slow");
        (rules.is_grounded(), told.clone())
    };
    limits.ground_seconds = 0.1;
    assert_eq!(grounded(&limits), (false, Vec::new()), "two seconds are not over");
    limits.ground_seconds = 2.1;
    let (_, told) = grounded(&limits);
    let rule = Place { line: 302, column: 10 };
    let [LongWork::Grounding { rule: found, ground_rules }] = told[..] else { panic!("{told:?}") };
    assert_eq!(found, rule);
    assert!(ground_rules < 10, "{ground_rules}");
}

#[test]
fn rules_that_bind_too_many_variables_are_split() {
    // The rule that keeps the cells has seven variables with twelve values each; unsplit, it would have about 12 to the
    // seventh power instances.
    let numbers: String = (0..12).map(|n| format!("(n {n}) ")).collect();
    let text = format!(
        "(role a) {numbers} (init (at 1)) (init (cell 3))
         (<= (legal a (go ?a ?b ?c)) (n ?a) (n ?b) (n ?c))
         (<= (next (cell ?x)) (true (cell ?x)) (does a (go ?a ?b ?c)) (n ?d) (n ?e) (n ?f)
             (distinct ?x ?a) (distinct ?d ?e) (distinct ?e ?f) (distinct ?f ?c))
         (<= (next (cell ?a)) (does a (go ?a ?b ?c)))
         (<= (next (at ?a)) (true (at ?a)))
         (<= terminal (true (cell 11))) (goal a 50)"
    );
    let rules = rules(&text);
    assert!(rules.is_grounded());
    // Each of the 1,728 moves has instances in `legal`, in `next`, and in parts for the twelve cells.
    let before = rules.ground().num_rules_before_cleaning();
    assert!(before < 30_000, "{before}");
    let mut game = ruse_gdl::Evaluator::new(&rules);
    game.play(&[rules.find_move(RoleId(0), "(go 5 1 2)").expect("a move")]);
    game.advance();
    let fluents: Vec<String> = game.state().iter().map(|fluent| rules.fluent(fluent)).collect();
    assert_eq!(fluents.len(), 3, "{fluents:?}");
    for fluent in ["(at 1)", "(cell 3)", "(cell 5)"] {
        assert!(fluents.iter().any(|other| other == fluent), "{fluents:?}");
    }
}

#[test]
fn errors_are_shown_as_by_a_compiler() {
    let text = "(role a)\n(init p)\r\n\t(<= (legal a ?m) (not (true ?m)))\n(goal a 1) terminal";
    let error = Rules::from_text(text, &Limits::default()).expect_err("?m is free");
    assert_eq!(
        error.report("my.kif"),
        "my.kif:3:2: unsafe: variable `?m` of the head is bound by no positive literal\n 3 |  \
         (<= (legal a ?m) (not (true ?m)))\n   |  ^\n   = help: add an atom to the body, not \
         negated, that has the variable among its arguments"
    );
}

#[test]
fn a_byte_order_mark_and_the_ends_of_lines_of_other_systems_are_read() {
    let text = "(role a) (init p)\n; a comment\n(legal a m) (next\np)\nterminal (goal a 50)\n";
    let marked = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(rules(&marked).text_key(), rules(text).text_key());
    let error = |text: &str| Rules::from_text(text, &Limits::default()).expect_err("refused");
    let expected = "x:1:10: parenthesis: `)` closes nothing\n 1 | (role a) )\n   |          ^\n";
    assert!(error("\u{feff}(role a) )").report("x").starts_with(expected));
    // A byte-order mark is accepted only at the start of the text.
    assert_eq!(error("(role a)\r\n\u{feff}(b)").place(), Place { line: 2, column: 1 });
}

#[test]
fn warnings_say_what_looks_like_a_mistake() {
    let rules = rules(
        "(role a) (<= (init p)) (legal a m) (legal stranger m)
         (<= terminal (true p) (gone ?x)) (<= terminal (true (f 1)) (not (true (f 1 2))))
         (goal a 50)",
    );
    let warnings: Vec<String> = rules.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "1:1: no `next` in any head: nothing is true after a step",
            "1:10: a rule with an empty body is a fact",
            "1:43: `legal` of `stranger`, which is not a role: ignored",
            "2:32: relation `gone` is used and never defined: it is false",
            "2:80: function `f` has 1 argument at 2:62, 2 here: they are two functions",
        ]
    );
}

#[test]
fn texts_have_a_key_that_comments_and_spaces_do_not_change() {
    let text = "(role a) (init p) (legal a m) (<= (next p) (true p)) terminal (goal a 50)";
    let other =
        "(ROLE a); a comment\n(init\tp)(legal a m)(<= (next p)(true p))terminal (goal a 50)";
    assert_eq!(rules(text).text_key(), rules(other).text_key());
    // This is the canonical text, written by hand.
    let canonical =
        "(role a)\n(init p)\n(legal a m)\n(<= (next p) (true p))\nterminal\n(goal a 50)\n";
    assert_eq!(rules(text).text_key(), ruse_gdl::key(canonical));
    assert_ne!(rules(&text.replace("50", "51")).text_key(), rules(text).text_key());
}

#[test]
fn large_bodies_and_deep_terms_need_no_stack() {
    // The first text has two rules that share 3,000 literals. In the second text, each rule has one literal more than
    // the rule before it.
    let literals: String = (0..3_000).map(|n| format!("(true (f {n})) ")).collect();
    let frame: String =
        (0..3_000).map(|n| format!("(init (f {n})) (<= (next (f {n})) (true (f {n}))) ")).collect();
    let mut chain = String::new();
    for n in 0..400 {
        let body: String = (0..n).map(|k| format!("(true (f {k})) ")).collect();
        chain += &format!("(<= (next c) {body} (not (true (f {}))))", n + 1);
    }
    let text = format!(
        "(role a) (legal a m) (<= terminal {literals} (not (true c))) (<= terminal {literals} (true d))
         (goal a 50) {frame} {chain} (<= (next d) (true c))"
    );
    let rules = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(move || rules(&text))
        .expect("a thread")
        .join()
        .expect("no overflow");
    assert!(ruse_gdl::Evaluator::new(&rules).is_terminal());
}

#[test]
fn names_may_depend_on_their_own_negation_where_atoms_do_not() {
    let rules = rules(
        "(role a) (role b) (init p) (<= (open) (true p)) (<= (legal ?r m) (role ?r) open)
         (<= (next q) (does a m)) (<= terminal (true q)) (<= (goal a 0) (not (true p)))
         (<= (goal b 0) (true p)) (<= (goal ?r 100) (role ?r) (not (goal ?r 0)))",
    );
    let mut game = ruse_gdl::Evaluator::new(&rules);
    game.play(&[ruse_gdl::MoveId(0); 2]);
    game.advance();
    assert!(game.is_terminal());
    assert_eq!([game.goal(RoleId(0)), game.goal(RoleId(1))], [Ok(0), Ok(100)]);
}

#[test]
fn words_and_functions_without_arguments_differ() {
    let rules = rules(
        "(role a) (init f) (init (f)) (<= (legal a m) (true f)) (<= (next (f)) (true (f)))
         (<= terminal (not (true f))) (goal a 50)",
    );
    assert_eq!([rules.fluent(0), rules.fluent(1)], ["f", "(f)"]);
    let mut game = ruse_gdl::Evaluator::new(&rules);
    game.play(&[ruse_gdl::MoveId(0)]);
    game.advance();
    let mut state = rules.start().clone();
    game.copy_state(&mut state);
    assert!(game.is_terminal() && !state.contains(0) && state.contains(1));
}
