//! Compares what solver, tables, best responses and exported trees take a role to know, in mutations of rule files.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt as _;

use super::*;
use crate::certificate::Work;
use crate::rule_file::unfolding::certificate;

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

/// An expression of a rule file.
#[derive(Clone)]
enum Form {
    Word(String),
    List(Vec<Form>),
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Word(word) => write!(f, "{word}"),
            Form::List(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                write!(f, "({})", items.join(" "))
            }
        }
    }
}

impl Form {
    fn list(&self) -> &[Form] {
        if let Form::List(items) = self { items } else { &[] }
    }

    /// Returns the relation of the head of a rule.
    fn relation(&self) -> String {
        let head = if let [_, head, _, ..] = self.list() { head.list() } else { &[] };
        head.first().map(ToString::to_string).unwrap_or_default()
    }

    /// Returns the lists without one item, which is at `from` or later.
    fn shorter(&self, from: usize) -> Vec<Form> {
        let drop = |index| [&self.list()[..index], &self.list()[index + 1..]].concat();
        (from..self.list().len()).map(|index| Form::List(drop(index))).collect()
    }

    fn with(&self, index: usize, item: Form) -> Form {
        let mut items = self.list().to_vec();
        items[index] = item;
        Form::List(items)
    }
}

/// Returns the expressions of a text.
fn forms(text: &str) -> Vec<Form> {
    let mut open = vec![Vec::new()];
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default());
    for token in lines
        .collect::<Vec<_>>()
        .join(" ")
        .replace('(', " ( ")
        .replace(')', " ) ")
        .split_whitespace()
    {
        match token {
            "(" => open.push(Vec::new()),
            ")" => {
                let list = Form::List(open.pop().expect("a list is open"));
                open.last_mut().expect("the text is open").push(list);
            }
            word => open.last_mut().expect("the text is open").push(Form::Word(word.into())),
        }
    }
    open.remove(0)
}

/// Returns the texts in which one rule for `sees` is left out, or an argument of a percept, or a condition of a rule for
/// `sees` or `legal`; or in which a move is legal only if a certain fact is true.
fn mutations(text: &str) -> Vec<String> {
    let rules = forms(text);
    let facts: Vec<Form> = rules
        .iter()
        .filter(|rule| rule.relation() == "next")
        .map(|rule| rule.list()[1].list()[1].clone())
        .collect();
    let mut all = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let relation = rule.relation();
        let mut changed = Vec::new();
        if relation == "sees" {
            changed.push(None);
            let head = &rule.list()[1];
            // A percept without arguments is a word.
            let plain = |percept: Form| match percept.list() {
                [name] => name.clone(),
                _ => percept,
            };
            let percepts = head.list()[2].shorter(1).into_iter().map(plain);
            changed.extend(percepts.map(|percept| Some(rule.with(1, head.with(2, percept)))));
        }
        if relation == "legal" {
            changed.extend(facts.iter().map(|fact| {
                let fact = Form::List(vec![Form::Word("true".into()), fact.clone()]);
                Some(Form::List([rule.list(), &[fact]].concat()))
            }));
        }
        if relation == "sees" || relation == "legal" {
            changed.extend(rule.shorter(2).into_iter().map(Some));
        }
        for rule in changed {
            let texts =
                rules.iter().enumerate().filter_map(|(other, unchanged)| match other == index {
                    true => rule.as_ref().map(ToString::to_string),
                    false => Some(unchanged.to_string()),
                });
            all.push(texts.collect::<Vec<_>>().join("\n"));
        }
    }
    all
}

/// A tree in Gambit's format: the first character and the numbers of each line, and its names or goals.
struct Tree<'a> {
    lines: Vec<(&'a str, Vec<&'a str>)>,
    /// The lines of the nodes after each move, for each line.
    children: Vec<Vec<usize>>,
}

impl<'a> Tree<'a> {
    fn new(text: &'a str) -> Tree<'a> {
        let lines = text.lines().skip(1).map(|line| {
            let (node, rest) = line.split_once(" { ").expect("a list of names");
            let rest = rest.rsplit_once('}').expect("its end").0;
            let parts = if node.starts_with('t') {
                rest.split(", ").collect()
            } else {
                rest.split('"').skip(1).step_by(2).collect()
            };
            (node, parts)
        });
        let mut tree = Tree { lines: lines.collect(), children: Vec::new() };
        tree.children = vec![Vec::new(); tree.lines.len()];
        // The nodes that still lack children.
        let mut open: Vec<usize> = Vec::new();
        for index in 0..tree.lines.len() {
            if let Some(&parent) = open.last() {
                tree.children[parent].push(index);
            }
            open.push(index);
            while let Some(&last) = open.last()
                && (tree.lines[last].0.starts_with('t')
                    || tree.children[last].len() == tree.lines[last].1.len())
            {
                open.pop();
            }
        }
        assert!(open.is_empty(), "the tree ends");
        tree
    }

    /// Returns the score of the best response of a player, 1 or 2, to uniform play, at nodes with these weights.
    fn best(&self, player: &str, nodes: Vec<(usize, f64)>) -> f64 {
        let (mut open, mut sum) = (nodes, 0.0);
        let mut sets: std::collections::BTreeMap<&str, Vec<(usize, f64)>> = Default::default();
        while let Some((node, weight)) = open.pop() {
            let (line, parts) = &self.lines[node];
            if line.starts_with('t') {
                let goals: Vec<f64> =
                    parts.iter().map(|goal| goal.trim().parse().expect("a goal")).collect();
                let lead = if player == "1" { goals[0] - goals[1] } else { goals[1] - goals[0] };
                sum += weight * (lead + 100.0) / 200.0;
            } else if line.starts_with(&format!("p \"\" {player} ")) {
                sets.entry(line).or_default().push((node, weight));
            } else {
                let share = weight / parts.len() as f64;
                open.extend(self.children[node].iter().map(|&child| (child, share)));
            }
        }
        for nodes in sets.values() {
            let after = |place: usize| {
                nodes.iter().map(|&(node, weight)| (self.children[node][place], weight)).collect()
            };
            let values =
                (0..self.lines[nodes[0].0].1.len()).map(|place| self.best(player, after(place)));
            sum += values.fold(f64::NEG_INFINITY, f64::max);
        }
        sum
    }
}

/// Checks that the solver, the table and the exported tree agree with the best responses of the belief walk.
fn agrees(game: &RuleFile, solver: &mut Solver) -> Result<(), String> {
    for _ in 0..20 {
        solver.iterate();
    }
    let [low, high] = solver.bounds();
    let scores = |policy: &dyn Policy| {
        let found = certificate(game, &[(1.0, policy)], &Work::default()).expect("right");
        assert!(found.is_exact());
        [found.seats.first.high, found.seats.second.high]
    };
    let check = |what: &str, found: [f64; 2], expected: [f64; 2]| {
        let differs =
            found.iter().zip(expected).any(|(found, expected)| (found - expected).abs() > 1e-9);
        if differs { Err(format!("{what}: {found:?}, and not {expected:?}")) } else { Ok(()) }
    };
    let table = Tabular::from_parameters(game, &solver.parameters()).expect("its layout");
    check("bounds", [high, 1.0 - low], scores(&table))?;
    let text = gambit_tree(game, &Work::default()).expect("a small game");
    let tree = Tree::new(&text);
    let mut lists = std::collections::HashMap::new();
    for (line, moves) in tree.lines.iter().filter(|(line, _)| line.starts_with('p')) {
        if lists.entry(line).or_insert(moves) != &moves {
            return Err(format!("{line} has two lists of moves"));
        }
    }
    let start = || vec![(0, 1.0)];
    let of_tree = ["1", "2"].map(|player| tree.best(player, start()));
    check("tree", of_tree, scores(&RuleFileReference::Random))
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
        let mut text = files[texts.len() % files.len()].to_string();
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
        agrees(&game, &mut solver).unwrap();
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
    let all: [(&str, &dyn Fn(&RuleFile, &Work<'_>)); 5] = [
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
