//! Tests that the fast engine and the plain engine play the same games, and that the order of the rules does not
//! matter.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use ruse_gdl::{
    AtCap, DEFAULT_STEPS, Evaluator, History, Limits, MoveId, PlainEvaluator, Playouts, RULE_FILES,
    Rules, State, perft, seed_base, seed_choice,
};

use crate::vectors::{MORE_FILES, all_rules, more_games, random_joint};

/// Checks that both engines report the same about a state, and returns whether the state is terminal.
fn compare_state(name: &str, quick: &Evaluator, plain: &PlainEvaluator) -> bool {
    let rules = quick.rules();
    assert_eq!(quick.is_terminal(), plain.is_terminal(), "{name}");
    for role in rules.roles() {
        let legal = plain.legal(role);
        assert_eq!(quick.legal(role).collect::<Vec<_>>(), legal, "{name}");
        assert_eq!(quick.num_legal(role), legal.len(), "{name}");
        for (n, &action) in legal.iter().enumerate() {
            assert_eq!(quick.nth_legal(role, n), Some(action), "{name}");
            assert!(quick.is_legal(role, action), "{name}");
        }
        assert_eq!(quick.nth_legal(role, legal.len()), None, "{name}");
        assert_eq!(quick.goal(role), plain.goal(role), "{name}");
    }
    quick.is_terminal()
}

/// Checks that both engines report the same percepts and next state after a joint move.
fn compare_step(name: &str, quick: &Evaluator, plain: &PlainEvaluator, next: &mut State) {
    for role in quick.rules().roles() {
        let percepts = plain.percepts(role);
        assert_eq!(quick.percepts(role).collect::<Vec<_>>(), percepts, "{name}");
    }
    quick.copy_next(next);
    assert_eq!(*next, plain.next(), "{name}");
}

/// Plays random games until the engines have been compared in `num_states` states. Now and then the fast engine returns
/// to a much older state, as in searches.
fn compare(name: &str, rules: &Rules, num_states: usize) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
    let (mut quick, mut plain) = (Evaluator::new(rules), PlainEvaluator::new(rules));
    let mut seen: Vec<State> = Vec::new();
    let mut state = rules.start().clone();
    for number in 0..num_states {
        if number % 7 == 3 {
            state = seen[rng.next_u64() as usize % seen.len()].clone();
            quick.set_state(&state);
        }
        plain.set_state(&state);
        if compare_state(name, &quick, &plain) {
            state = rules.start().clone();
            quick.set_state(&state);
            plain.set_state(&state);
        }
        if number % 50 == 0 {
            seen.push(state.clone());
        }
        let joint = random_joint(&quick, &mut rng);
        quick.play(&joint);
        plain.play(&joint);
        compare_step(name, &quick, &plain, &mut state);
        quick.advance();
    }
}

#[test]
fn the_engine_agrees_with_plain_evaluation() {
    for (name, rules) in all_rules() {
        compare(name, rules, 1_000);
    }
    for (name, rules, _) in more_games().iter().filter(|(name, ..)| *name != "two_goals") {
        compare(name, rules, 100);
    }
}

#[test]
#[ignore = "long"]
fn the_engine_agrees_with_plain_evaluation_in_ten_thousand_states_of_each_file() {
    for (name, rules) in all_rules() {
        compare(name, rules, 10_000);
    }
}

#[test]
fn circles_are_evaluated_from_nothing() {
    // A token walks on a ring of twelve places with a moving gap, and may jump to any connected place. The two halves
    // of `near` support each other.
    let text = "
        (role a) (role random)
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
        (succ 8 9) (succ 9 10) (succ 10 11) (succ 11 0)
        (<= (node ?x) (succ ?x ?y))
        (init (at 0)) (init (cut 3)) (init (cut 8)) (init (left 0))
        (<= (link ?x ?y) (succ ?x ?y) (not (true (cut ?x))))
        (<= (near ?x) (true (at ?x)))
        (<= (near ?y) (near ?x) (link ?x ?y))
        (<= (near ?x) (near ?y) (link ?x ?y))
        (<= (far ?x) (node ?x) (not (near ?x)))
        (<= (lonely ?x) (far ?x) (not (linked_far ?x)))
        (<= (linked_far ?x) (far ?x) (far ?y) (link ?x ?y))
        (<= (legal a (jump ?x)) (near ?x))
        (<= (legal a (fly ?x)) (lonely ?x))
        (<= (legal random (cut ?x)) (node ?x))
        (<= (next (at ?x)) (does a (jump ?x)))
        (<= (next (at ?x)) (does a (fly ?x)))
        (<= (next (cut ?x)) (does random (cut ?x)))
        (<= (next (cut ?x)) (true (cut ?x)) (not (does random (cut ?x))) (not (does a (jump ?x))))
        (<= (next (left ?y)) (true (left ?x)) (succ ?x ?y))
        (<= terminal (true (left 11)))
        (<= (goal a 100) (near 5))
        (<= (goal a 0) (far 5))";
    let rules = Rules::from_text(text, &Limits::default()).expect("the text is right");
    let circular = rules.ground().components().filter(|atoms| atoms.len() > 1).count();
    assert_eq!(circular, 1);
    compare("ring", &rules, 5_000);
}

/// Returns a rule file with its items in random order. The `role` facts, which order the roles, keep their order.
fn shuffled(text: &str, rng: &mut Xoshiro256PlusPlus) -> String {
    let mut items: Vec<String> = Vec::new();
    let (mut depth, mut item) = (0, String::new());
    for line in text.lines() {
        let code = line.split(';').next().unwrap_or_default();
        for char in code.chars().chain(['\n']) {
            depth += i32::from(char == '(') - i32::from(char == ')');
            item.push(char);
            if depth == 0 && !item.trim().is_empty() {
                items.push(std::mem::take(&mut item));
            }
        }
    }
    let is_role = |item: &String| item.trim().to_lowercase().starts_with("(role");
    let (roles, mut others): (Vec<_>, Vec<_>) = items.into_iter().partition(is_role);
    for last in (1..others.len()).rev() {
        others.swap(last, rng.next_u64() as usize % (last + 1));
    }
    others.extend(roles);
    others.join("\n")
}

/// Plays five games, in which all roles follow the policy `seed` with the parameters 0 to 4. Returns the moves, final
/// goals and histories as texts.
fn games_of_seeds(rules: &Rules) -> Vec<String> {
    let mut evaluator = Evaluator::new(rules);
    let mut told = Vec::new();
    for parameter in 0..5 {
        evaluator.set_state(rules.start());
        let mut histories: Vec<History> =
            rules.roles().map(|role| History::new(rules, role)).collect();
        while !evaluator.is_terminal() {
            let choice = |role: ruse_gdl::RoleId| {
                let base = seed_base(f64::from(parameter), role);
                let history = histories[role.0 as usize].0;
                seed_choice(rules, role, base, history, evaluator.legal(role))
            };
            let joint: Vec<MoveId> =
                rules.roles().map(|role| choice(role).expect("no role is stuck")).collect();
            evaluator.play(&joint);
            for role in rules.roles() {
                told.push(rules.move_text(role, joint[role.0 as usize]).into());
                histories[role.0 as usize].observe(&evaluator, role, &joint);
            }
            evaluator.advance();
        }
        for role in rules.roles() {
            let history = histories[role.0 as usize];
            told.push(format!("{:?} {:x}", evaluator.goal(role), history.0));
        }
    }
    told
}

#[test]
fn the_order_of_the_rules_does_not_matter() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for (file, (name, rules)) in RULE_FILES.iter().zip(all_rules()) {
        let (counts, games) = (perft(rules, 3), games_of_seeds(rules));
        for _ in 0..3 {
            let text = shuffled(file.text, &mut rng);
            let other = Rules::from_text(&text, &Limits::default()).expect("the same rules");
            assert_eq!(other.num_rules(), rules.num_rules(), "{name}");
            assert_eq!(other.ground().num_rules(), rules.ground().num_rules(), "{name}");
            assert_eq!(perft(&other, 3), counts, "{name}");
            assert_eq!(games_of_seeds(&other), games, "{name}");
        }
    }
}

/// The order decides which rules are split, and when, but not the games.
#[test]
fn the_order_of_split_rules_does_not_matter() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    for (file, (name, rules, _)) in MORE_FILES.iter().zip(more_games()) {
        let text = shuffled(file.text, &mut rng);
        let other = Rules::from_text(&text, &Limits::default()).expect("the same rules");
        assert_eq!(other.num_rules(), rules.num_rules(), "{name}");
        assert_eq!(perft(&other, 2), perft(rules, 2), "{name}");
        assert_eq!(games_of_seeds(&other), games_of_seeds(rules), "{name}");
    }
}

#[test]
fn games_that_reach_the_cap_are_worth_what_was_asked() {
    let text = "(role a) (role b) (init p) (<= (legal ?r m) (role ?r) (true p))
        (<= (next p) (true p)) (<= terminal (true z)) (goal a 100) (goal b 0)";
    let rules = Rules::from_text(text, &Limits::default()).expect("the text is right");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for (at_cap, worth) in [(AtCap::Draw, [50, 50]), (AtCap::Zero, [0, 0])] {
        let mut playouts = Playouts::new(&rules, 10, at_cap);
        assert_eq!(playouts.play(rules.start(), &mut rng), Ok(10));
        assert_eq!(playouts.goals(), worth);
    }
    let mut playouts = Playouts::new(&rules, DEFAULT_STEPS, AtCap::Error);
    assert!(playouts.play(rules.start(), &mut rng).is_err());
}
