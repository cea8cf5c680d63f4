//! The beliefs of roles about what they do not see.

use std::collections::BTreeMap;

use super::*;

/// Returns the state of a new game after these moves, given as texts in the order in which they are made.
fn after_moves(game: &RuleFile, rng: &mut impl Rng, moves: &[&str]) -> RuleFileState {
    let mut state = game.deal(rng);
    for text in moves {
        let Turn::Act(seat) = game.turn(&state) else { panic!("it is over before {text}") };
        let role = game.view(&state, seat).role();
        let action = game.language_rules().find_move(role, text).expect("a move");
        let action = RoleMove { role, action };
        assert_eq!(game.check(&state, &action), Ok(()), "{text}");
        game.apply(&mut state, seat, &action, rng);
    }
    state
}

/// The car is behind the chosen door with probability 1/3, and behind the other closed door with probability 2/3.
#[test]
fn the_car_is_behind_the_other_door_twice_as_often() {
    let game = file("monty_hall");
    let mut rng = generator(1);
    let state = after_moves(&game, &mut rng, &["(choose 2)"]);
    let view = game.view(&state, Seat::First);
    assert_eq!(view.num_steps(), 3, "a door was opened");
    let percepts: Vec<_> = view.steps().flat_map(|step| step.percepts).collect();
    let opened = game.language_rules().percept_text(view.role(), *percepts[0]);
    let (mut shares, num_beliefs, draws) = (Vec::new(), 100, 100);
    for _ in 0..num_beliefs {
        let beliefs = Beliefs::default();
        let mut others = 0;
        for _ in 0..draws {
            let thought = game.imagine(&beliefs, Seat::First, &view, &mut rng);
            let truths = truths(&game, &thought, Seat::First);
            let car = truths.iter().find(|text| text.starts_with("(car")).expect("a car");
            assert!(truths.contains("(chosen 2)") && truths.contains(opened), "{truths:?}");
            assert_ne!(car.replace("car", "opened"), opened);
            others += u32::from(car != "(car 2)");
        }
        shares.push(f64::from(others) / f64::from(draws));
        assert_eq!(beliefs.lost(), 0);
    }
    // Beliefs are independent of one another. The limit of 4 standard errors of their mean is exceeded for one seed in
    // 15,000.
    let mean = shares.iter().sum::<f64>() / f64::from(num_beliefs);
    let squares: f64 = shares.iter().map(|share| (share - mean) * (share - mean)).sum();
    let error = (squares / f64::from(num_beliefs * (num_beliefs - 1))).sqrt();
    assert!(error < 0.01, "{error}");
    assert!((mean - 2.0 / 3.0).abs() < 4.0 * error, "{mean} +- {error}");
}

/// Adds the probability of each set of marks of `o` to `found`. Only plays that agree with the moves and percepts of
/// `x` count, and `o` moves at random; `probability` is the probability of `position`.
fn enumerate(
    walk: &mut Walk,
    position: &Position,
    seen: &RoleView<'_>,
    probability: f64,
    found: &mut BTreeMap<Vec<String>, f64>,
) {
    let rules = seen.rules().clone();
    let is_over = walk.enter(position).expect("the file is right");
    let index = position.num_steps();
    if index == seen.num_steps() {
        // `x` is to act, so the play goes on, and `x` has a choice.
        if !is_over && walk.legal(seen.role()) == seen.legal() {
            let marks = position.state().iter().map(|fluent| rules.fluent(fluent));
            let marks = marks.filter(|text| text.starts_with("(mark") && text.ends_with("o)"));
            *found.entry(marks.collect()).or_default() += probability;
        }
        return;
    }
    let (own, other) = (seen.role(), RoleId(1 - seen.role().0));
    if is_over || !walk.legal(own).contains(&seen.step(index).own) {
        return;
    }
    let theirs = walk.legal(other).to_vec();
    let share = probability / theirs.len() as f64;
    for action in theirs {
        let mut joint = [action; 2];
        joint[usize::from(own.0)] = seen.step(index).own;
        walk.enter(position).expect("as before");
        let after = walk.after(position, &joint);
        walk.enter(&after).expect("the file is right");
        let view = walk.view(&after, own);
        if view.step(index).percepts == seen.step(index).percepts {
            enumerate(walk, &after, seen, share, found);
        }
    }
}

/// Enumerates phantom tic-tac-toe, in the variant in which a player is told that a cell is occupied and tries again.
/// Compares the beliefs of `x` after two stones of each player, when `x` has found one stone of `o`.
#[test]
fn beliefs_are_those_of_exhaustive_enumeration() {
    const DRAWS: usize = 600;
    let game = file("phantom_tic_tac_toe_try_again");
    let mut rng = generator(2);
    // `x` finds cell 1 occupied, and hears that `o` fails once at a cell that `x` has taken.
    let moves = ["(try 5)", "(try 1)", "(try 1)", "(try 2)", "(try 5)", "(try 8)"];
    let state = after_moves(&game, &mut rng, &moves);
    let view = game.view(&state, Seat::First);
    assert_eq!((view.num_steps(), view.legal().len()), (6, 6));
    let mut exact = BTreeMap::new();
    let mut walk = Walk::new(&game);
    let start = walk.start();
    enumerate(&mut walk, &start, &view, 1.0, &mut exact);
    let total: f64 = exact.values().sum();
    // `o` has a mark on 1, and its other mark is on one of six other cells.
    assert_eq!(exact.len(), 6);
    let mut drawn: BTreeMap<Vec<String>, u32> = BTreeMap::new();
    for _ in 0..DRAWS {
        // Beliefs are recomputed, so the draws are independent.
        let beliefs = Beliefs::default();
        let thought = game.imagine(&beliefs, Seat::First, &view, &mut rng);
        let marks = truths(&game, &thought, Seat::First).into_iter();
        let marks = marks.filter(|text| text.starts_with("(mark") && text.ends_with("o)"));
        let mut marks: Vec<String> = marks.collect();
        let order = |text: &String| {
            exact.keys().flatten().position(|known| known == text).expect("a mark that may be")
        };
        marks.sort_by_key(order);
        *drawn.entry(marks).or_default() += 1;
        assert_eq!(beliefs.lost(), 0);
    }
    let mut sum = 0.0;
    for (marks, probability) in &exact {
        let expected = DRAWS as f64 * probability / total;
        let found = f64::from(drawn.remove(marks).unwrap_or(0));
        sum += (found - expected) * (found - expected) / expected;
    }
    assert_eq!(drawn, BTreeMap::new(), "what cannot be is not believed");
    // A chi-square variable with 5 degrees of freedom exceeds 25.74 with probability 1e-4.
    assert!(sum < 25.74, "{sum}");
}

/// Beliefs follow plays step by step. If they are asked about another play, they start again.
#[test]
fn beliefs_agree_with_all_that_a_role_saw() {
    for name in ["battleship_4x4", "phantom_tic_tac_toe_try_again", "monty_hall"] {
        let game = file(name);
        let mut rng = generator(3);
        let beliefs = BySeat::from_fn(|_| Beliefs::default());
        let mut decisions = 0;
        for _ in 0..100 {
            let mut state = game.deal(&mut rng);
            let mut action = RoleMove::default();
            while let Turn::Act(seat) = game.turn(&state) {
                let view = game.view(&state, seat);
                let thought = game.imagine(&beliefs[seat], seat, &view, &mut rng);
                assert_eq!(game.view(&thought, seat), view, "{name}");
                decisions += 1;
                game.sample_action(&view, &mut rng, &mut action);
                game.apply(&mut state, seat, &action, &mut rng);
            }
        }
        let lost = Seat::BOTH.map(|seat| beliefs[seat].lost());
        assert_eq!(lost, [0, 0], "{name}: of {decisions} decisions");
    }
}

/// Chance picks one of 729 numbers, which the role hears a step later. Mostly none of the 256 tracked plays agrees, and
/// a search finds one.
#[test]
fn a_play_is_searched_if_no_tracked_one_agrees() {
    let digits: String = (0..9).map(|digit| format!("(digit {digit}) ")).collect();
    let text = format!(
        "(role x) (role random) {digits} (init (step 0))
         (<= (legal random (pick ?a ?b ?c)) (true (step 0)) (digit ?a) (digit ?b) (digit ?c))
         (<= (legal random wait) (not (true (step 0))))
         (<= (legal x wait) (not (true (step 2))))
         (<= (legal x left) (true (step 2)))
         (<= (legal x right) (true (step 2)))
         (<= (next (picked ?a ?b ?c)) (does random (pick ?a ?b ?c)))
         (<= (next (picked ?a ?b ?c)) (true (picked ?a ?b ?c)))
         (<= (sees x (number ?a ?b ?c)) (true (step 1)) (true (picked ?a ?b ?c)))
         (<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
         (<= terminal (true (step 3)))
         (goal x 50)"
    );
    let game = inline(&text);
    for seed in 0..10 {
        let mut rng = generator(seed);
        let state = game.deal(&mut rng);
        let view = game.view(&state, Seat::First);
        assert_eq!((view.num_steps(), view.legal().len()), (2, 2));
        let beliefs = Beliefs::default();
        let thought = game.imagine(&beliefs, Seat::First, &view, &mut rng);
        assert_eq!(truths(&game, &thought, Seat::First), truths(&game, &state, Seat::First));
        assert_eq!(beliefs.lost(), 0);
    }
}
