//! Compares what solver, tables, best responses and exported trees take a role to know, in mutations of rule files.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt as _;
use ruse_strategies::certificate::Work;

use super::*;
use crate::unfolding::certificate;

/// The files that are mutated: all with hidden information that are small enough, and two whose legal moves tell a role
/// something that its percepts do not.
const FILES: [&str; 6] = [
    include_str!("coin_moves.kif"),
    include_str!("hidden_nim.kif"),
    include_str!("../../../../games/gdl/rules/kuhn_poker.kif"),
    include_str!("../../../../experiments/rules/claim.kif"),
    include_str!("../../../../games/gdl/rules/leduc_poker.kif"),
    include_str!("../../../../games/gdl/rules/liars_dice_4.kif"),
];

/// Returns the items of a list or, without its parentheses, of a text.
fn items(text: &str) -> Vec<String> {
    let (mut all, mut depth) = (vec![String::new()], 0);
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        all.last_mut().expect("never empty").push(letter);
    }
    all
}

fn inner(list: &str) -> Vec<String> {
    items(list.strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or(list))
}

/// Returns the lists without one of their items, which is at `from` or later.
fn shorter(list: &[String], from: usize) -> impl Iterator<Item = String> {
    let drop = |index| [&list[..index], &list[index + 1..]].concat().join(" ");
    (from..list.len()).map(move |index| format!("({})", drop(index)))
}

/// Returns the texts in which one rule for `sees` is left out, or an argument of a percept, or a condition of a rule for
/// `sees` or `legal`; or in which a move is legal only if a certain fact is true.
fn mutations(text: &str) -> Vec<String> {
    let rules = items(text);
    let of = |head: &str| format!("(<= ({head} ");
    let is = |rule: &String, head: &str| rule.starts_with(&of(head));
    let facts =
        rules.iter().filter(|rule| is(rule, "next")).map(|rule| inner(&inner(rule)[1])[1].clone());
    let facts: Vec<String> = facts.collect();
    let mut all = Vec::new();
    for (index, rule) in
        rules.iter().enumerate().filter(|(_, rule)| is(rule, "sees") || is(rule, "legal"))
    {
        let parts = inner(rule);
        let mut changed: Vec<String> = shorter(&parts, 2).collect();
        if is(rule, "legal") {
            changed.extend(facts.iter().map(|fact| format!("({} (true {fact}))", parts.join(" "))));
        } else {
            changed.push(String::new());
            let percept = inner(&parts[1])[2].clone();
            let arguments = inner(&percept);
            // A percept without arguments is a word.
            let percepts = shorter(&arguments, 1)
                .map(|list| if list.contains(' ') { list } else { inner(&list).concat() });
            changed.extend(percepts.map(|shorter| rule.replacen(&percept, &shorter, 1)));
        }
        all.extend(changed.iter().map(|rule| {
            [&rules[..index], std::slice::from_ref(rule), &rules[index + 1..]].concat().join(" ")
        }));
    }
    all
}

/// Checks that the solver, the table and the exported tree agree with the best responses of the belief walk.
pub(super) fn agrees(game: &RuleFile, solver: &mut Solver) -> Result<(), String> {
    for _ in 0..20 {
        solver.iterate();
    }
    let [low, high] = solver.bounds();
    let table = Tabular::from_parameters(game, &solver.parameters()).expect("its layout");
    let found = certificate(game, &[(1.0, &table)], &Work::default()).expect("right");
    assert!(found.is_exact());
    let [first, second] = [found.seats.first.high, 1.0 - found.seats.second.high];
    if (first - high).abs() > 1e-9 || (second - low).abs() > 1e-9 {
        return Err(format!("responses {first} {second}, bounds {low} {high}"));
    }
    // Each information set has one list of moves.
    let tree = gambit_tree(game, &Work::default()).expect("a small game");
    let mut lists = HashMap::new();
    for node in tree.lines().filter(|line| line.starts_with('p')) {
        let (set, moves) = node.split_once(" { ").expect("a list of moves");
        if *lists.entry(set).or_insert(moves) != moves {
            return Err(format!("{set}: {moves}"));
        }
    }
    Ok(())
}

/// Checks `num` games that can be solved: mutations of these files, and mutations of mutations.
fn all_agree(files: &[&str], num: usize) {
    let mut rng = generator(7);
    let (mut texts, mut faults) = (BTreeSet::new(), Vec::new());
    // Leaves out games with more than some ten thousand sequences of moves.
    let num_looks = AtomicU64::new(0);
    let is_stopped = || num_looks.fetch_add(1, Ordering::Relaxed) >= 20;
    let work = Work::new(u64::MAX, &is_stopped, &|_| ());
    while texts.len() < num {
        let lines = files[texts.len() % files.len()].lines();
        let words = lines.filter(|line| !line.starts_with(';')).flat_map(str::split_whitespace);
        let mut text = words.collect::<Vec<_>>().join(" ");
        for _ in 0..rng.random_range(1..3) {
            let all = mutations(&text);
            if !all.is_empty() {
                text.clone_from(&all[rng.random_range(0..all.len())]);
            }
        }
        let game = RuleFile::from_text("mutant.kif", text.as_bytes(), &Limits::default());
        num_looks.store(0, Ordering::Relaxed);
        if let Ok(game) = game
            && let Ok(mut solver) = Solver::new(&game, &work)
            && texts.insert(text.clone())
            && let Err(fault) = agrees(&game, &mut solver)
        {
            faults.push(format!("{fault}\n{text}"));
        }
    }
    assert!(faults.is_empty(), "{} of {num}, such as {}", faults.len(), faults[0]);
}

#[test]
fn all_agree_about_what_a_role_knows() {
    all_agree(&FILES[..4], 12);
}

#[test]
#[ignore = "long"]
fn all_agree_about_what_a_role_knows_in_many_files() {
    all_agree(&FILES, 300);
}

/// The values are known: bob always wins, and an independent linear program solved the other game, whose best response to
/// uniform play another program computed.
#[test]
fn legal_moves_are_knowledge() {
    for (text, value, response) in [(FILES[0], 0.0, 0.75), (FILES[1], 0.5, 0.770_833_333)] {
        let game = inline(text);
        let mut solver = Solver::new(&game, &Work::default()).expect("a small game");
        assert_eq!(agrees(&game, &mut solver), Ok(()));
        (0..2_000).for_each(|_| solver.iterate());
        let [low, high] = solver.bounds();
        assert!(high - low < 1e-3 && low - 1e-6 <= value && value <= high + 1e-6, "{low} {high}");
        let random: [(f64, &dyn Policy); 1] = [(1.0, &RuleFileReference::Random)];
        let found = certificate(&game, &random, &Work::default()).expect("right").score()[1];
        assert!((found - response).abs() < 1e-6, "{found}");
    }
}

/// Returns a game of one joint move, in which both roles have `num` moves; the second tries to say something else.
fn flat(num: usize, more: &str) -> RuleFile {
    let moves: String = (0..num).map(|number| format!("(num {number})")).collect();
    inline(&format!(
        "(role a) (role b) (init start) {moves} (<= (legal ?r (say ?n)) (role ?r) (num ?n))
        (<= (next (said ?r ?n)) (does ?r (say ?n))) (<= terminal (true (said a ?n)))
        (<= same (true (said a ?n)) (true (said b ?n)))
        (<= (goal a 100) same) (<= (goal a 0) (not same)) (<= (goal b 0) same) (<= (goal b 100) (not same)) {more}"
    ))
}

/// Positions with millions of joint moves delay no stop request, and the work tells that it goes on.
#[test]
fn exact_work_stops_within_a_position() {
    let random: [(f64, &dyn Policy); 1] = [(1.0, &RuleFileReference::Random)];
    type Exact<'a> = (&'a str, &'a dyn Fn(&RuleFile, &Work<'_>));
    let all: [Exact<'_>; 5] = [
        ("exploit", &|game, work| _ = certificate(game, &random, work)),
        ("situations", &|game, work| _ = Situations::of(game, work).expect_err("stopped")),
        ("solve", &|game, work| _ = Solver::new(game, work).expect_err("stopped")),
        ("export", &|game, work| _ = gambit_tree(game, work).expect_err("stopped")),
        ("induction", &|game, work| _ = value_by_induction(game, work)),
    ];
    for more in ["", "(<= (sees ?r nothing) (role ?r))"] {
        let game = flat(1_900, more);
        for (name, run) in all {
            let (num_looks, told, stopped) =
                (AtomicU64::new(0), AtomicU64::new(0), OnceLock::new());
            let is_stopped = || {
                let is_late = num_looks.fetch_add(1, Ordering::Relaxed) >= 10;
                is_late.then(|| stopped.get_or_init(Instant::now)).is_some()
            };
            let on_visited = |_| _ = told.fetch_add(1, Ordering::Relaxed);
            run(&game, &Work::new(u64::MAX, &is_stopped, &on_visited));
            let hidden_induction = name == "induction" && !more.is_empty();
            assert_eq!(stopped.get().is_some(), !hidden_induction, "{name}: it looks");
            assert_eq!(told.into_inner() > 0, !hidden_induction, "{name}: it tells");
            let late = stopped.get().map(Instant::elapsed).unwrap_or_default();
            assert!(late < Duration::from_secs(5), "{name}: {late:?}");
        }
    }
}
