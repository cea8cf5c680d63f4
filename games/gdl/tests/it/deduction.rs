//! Tests that games are the same with and without grounding.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_gdl::{
    AtCap, Evaluator, LimitName, Limits, MoveId, Oddity, PlayError, Playouts, Problem, RULE_FILES,
    RoleId, RuleFile, Rules, perft,
};

use crate::vectors::{MORE_FILES, all_games, random_joint};

/// Returns rules that are not grounded, because of a limit.
fn ungrounded(text: &str) -> Rules {
    let mut limits = Limits::default();
    limits.ground_rules = 1;
    let rules = Rules::from_text(text, &limits).expect("played without grounding");
    assert!(!rules.is_grounded());
    let is_told = |what: &Oddity| matches!(what, Oddity::NotGrounded { .. });
    assert_eq!(rules.warnings().iter().filter(|warning| is_told(&warning.what)).count(), 1);
    rules
}

fn files() -> impl Iterator<Item = (&'static RuleFile, &'static Rules)> {
    let files = RULE_FILES.iter().chain(MORE_FILES);
    files.zip(all_games()).map(|(file, (name, rules, _))| {
        assert_eq!(file.name, name);
        (file, rules)
    })
}

fn legal_texts(evaluator: &Evaluator, role: RoleId) -> Vec<&str> {
    let rules = evaluator.rules();
    evaluator.legal(role).map(|action| rules.move_text(role, action)).collect()
}

fn percept_texts(evaluator: &Evaluator, role: RoleId) -> Vec<&str> {
    let rules = evaluator.rules();
    evaluator.percepts(role).map(|percept| rules.percept_text(role, percept)).collect()
}

fn fluent_texts(evaluator: &Evaluator) -> BTreeSet<String> {
    evaluator.state().iter().map(|fluent| evaluator.rules().fluent(fluent)).collect()
}

/// Plays random games with both evaluators, comparing everything in each state.
fn compare(name: &str, grounded: &Rules, other: &Rules, num_states: usize) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(17);
    let (mut circuit, mut deduced) = (Evaluator::new(grounded), Evaluator::new(other));
    for _ in 0..num_states {
        assert_eq!(fluent_texts(&circuit), fluent_texts(&deduced), "{name}");
        assert_eq!(circuit.is_terminal(), deduced.is_terminal(), "{name}");
        for role in grounded.roles() {
            assert_eq!(legal_texts(&circuit, role), legal_texts(&deduced, role), "{name}");
            // Goals of `random` may be anything.
            if grounded.random() != Some(role) {
                assert_eq!(circuit.goal(role), deduced.goal(role), "{name}");
            }
        }
        if circuit.is_terminal() {
            circuit.set_state(grounded.start());
            deduced.set_state(other.start());
            continue;
        }
        let joint = random_joint(&circuit, &mut rng);
        let same = grounded.roles().zip(&joint).map(|(role, &action)| {
            let text = grounded.move_text(role, action);
            other.find_move(role, text).expect("the same moves")
        });
        let same: Vec<MoveId> = same.collect();
        circuit.play(&joint);
        deduced.play(&same);
        for role in grounded.roles() {
            assert_eq!(percept_texts(&circuit, role), percept_texts(&deduced, role), "{name}");
        }
        circuit.advance();
        deduced.advance();
    }
}

#[test]
fn states_are_the_same_without_grounding() {
    for (file, rules) in files() {
        let other = ungrounded(file.text);
        assert_eq!(other.num_rules(), rules.num_rules(), "{}", file.name);
        assert_eq!(other.text_key(), rules.text_key(), "{}", file.name);
        compare(file.name, rules, &other, 20);
    }
}

#[test]
#[ignore = "long"]
fn thousands_of_states_are_the_same_without_grounding() {
    for (file, rules) in files() {
        compare(file.name, rules, &ungrounded(file.text), 3_000);
    }
}

#[test]
fn perft_counts_agree_without_grounding() {
    check_perft(200);
}

#[test]
#[ignore = "long"]
fn larger_perft_counts_agree_without_grounding() {
    check_perft(1_000);
}

fn check_perft(most: u128) {
    for ((file, rules), (name, _, game)) in files().zip(all_games()) {
        let other = ungrounded(file.text);
        let depth = game.perft.iter().take_while(|&&count| count < most).count().max(1);
        let counts = perft(&other, depth).expect("no role is stuck");
        assert_eq!(counts, game.perft[..depth], "{name}");
        // The set of what may become true can be too large, but not too small.
        let values = other.goal_values();
        assert!(rules.goal_values().iter().all(|value| values.contains(value)), "{name}");
    }
}

/// Random games draw from legal moves in the order of their texts, so the same generator gives the same games.
#[test]
fn random_games_are_the_same_without_grounding() {
    for name in ["kriegspiel_tic_tac_toe", "transit", "pig_20", "racer"] {
        let (file, rules) = files().find(|(file, _)| file.name == name).expect("a file");
        let play = |rules: &Rules| {
            let mut playouts = Playouts::new(rules, 1_000, AtCap::Error);
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
            let mut play = || {
                let steps = playouts.play(rules.start(), &mut rng).expect("the game ends");
                (steps, playouts.goals().to_vec())
            };
            (0..50).map(|_| play()).collect::<Vec<_>>()
        };
        assert_eq!(play(rules), play(&ungrounded(file.text)), "{name}");
    }
}

#[test]
fn negations_within_a_component_are_evaluated_by_atoms() {
    // Pebbles on a chain: a position is won if a neighbour further on is lost, so `won` depends on its own negation,
    // while no atom does.
    let text = "(role a) (init (at 1)) (init (cut 3))
        (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
        (<= (won ?x) (succ ?x ?y) (not (true (cut ?x))) (not (won ?y)))
        (<= (legal a (go ?y)) (true (at ?x)) (succ ?x ?y))
        (<= (legal a stay) (true (at ?x)))
        (<= (next (at ?y)) (does a (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does a stay))
        (<= (next (cut ?x)) (true (at ?x)))
        (<= terminal (true (at 6)))
        (<= (goal a 100) (true (at ?x)) (won ?x)) (<= (goal a 0) (true (at ?x)) (not (won ?x)))";
    let rules = Rules::from_text(text, &Limits::default()).expect("the text is right");
    compare("pebbles", &rules, &ungrounded(text), 500);
}

#[test]
fn a_state_that_takes_too_long_is_an_error() {
    // Twelve different numbers out of sixty: this search would hardly ever end, and the negation leaves no match.
    let facts: String = (0..60).map(|n| format!("(init (n {n})) ")).collect();
    let body: String = (0..12).map(|n| format!("(true (n ?x{n})) ")).collect();
    let pairs = (0..12).flat_map(|n| (0..n).map(move |k| format!("(distinct ?x{k} ?x{n}) ")));
    let pairs: String = pairs.collect();
    let text = format!(
        "(role a) {facts} (legal a m) (<= (next q) {body} {pairs} (not (true (n ?x11))))
         (<= terminal (true q)) (goal a 50)"
    );
    let mut limits = Limits::default();
    limits.ground_seconds = 0.3;
    let rules = Rules::from_text(text, &limits).expect("played without grounding");
    assert!(!rules.is_grounded());
    let mut playouts = Playouts::new(&rules, 10, AtCap::Error);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let error = playouts.play(rules.start(), &mut rng).expect_err("too long");
    assert_eq!(error, PlayError::TooLong { steps: 1 });
    assert_eq!(error.to_string(), "the state after 1 step takes too long to evaluate");
}

#[test]
fn limits_that_both_evaluators_meet_are_errors() {
    // 90 * 90 * 90 moves are too many to be numbered.
    let facts: String = (0..90).map(|n| format!("(n {n}) ")).collect();
    let text = format!(
        "(role a) {facts} (init p) (<= (legal a (m ?x ?y ?z)) (n ?x) (n ?y) (n ?z))
         (<= (next p) (true p)) (<= terminal (not (true p))) (goal a 50)"
    );
    let mut limits = Limits::default();
    limits.ground_rules = 1_000;
    let error = Rules::from_text(text, &limits).expect_err("too many moves");
    let Problem::Limit { name, limit, .. } = *error.problem() else { panic!("{error}") };
    assert_eq!((name, limit), (LimitName::GroundRules, 1_000));
}

/// The next state depends on the joint move through two more relations, whose rules come in the opposite order.
#[test]
fn moves_matter_through_relations_in_any_order() {
    let text = "(role a) (legal a left) (legal a right) (init (at left)) (init (step 0))
        (<= (next (at ?place)) (reached ?place))
        (<= (reached ?place) (chosen ?place))
        (<= (chosen ?move) (does a ?move))
        (<= (next (step ?after)) (true (step ?before)) (successor ?before ?after))
        (successor 0 1) (successor 1 2) (successor 2 3) (<= terminal (true (step 3)))
        (<= (goal a 100) (true (at right))) (<= (goal a 0) (true (at left)))";
    let rules = Rules::from_text(text, &Limits::default()).expect("valid rules");
    compare("moves", &rules, &ungrounded(text), 50);
}
