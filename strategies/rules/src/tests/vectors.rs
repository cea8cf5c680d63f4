//! Checks the game and the families against the reference data of the engine: `gdl_vectors.yaml`, or the file that
//! `GDL_VECTORS` names.

use std::collections::BTreeMap;

use ruse_games::Payoff;
use ruse_gdl::{Evaluator, History, seed_base, seed_choice};
use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
struct Vectors {
    games: BTreeMap<String, Played>,
    hashing: Hashing,
}

#[derive(Debug, Deserialize)]
struct Played {
    roles: Vec<String>,
    playthrough: Vec<Step>,
    playthrough_goals: BTreeMap<String, u8>,
    history_hashes_at_end: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Step {
    legal: Vec<usize>,
    moves: Vec<String>,
    #[serde(default)]
    sees: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct Hashing {
    history_of_x_at_start: String,
    after_x_marks_2_2_and_o_noop: String,
    first_choice_of_x_in_tic_tac_toe: serde_yaml::Mapping,
    linear_scores_of_x_at_the_start_of_tic_tac_toe: BTreeMap<String, f64>,
}

fn vectors() -> Vectors {
    let text = match std::env::var("GDL_VECTORS") {
        Ok(path) => std::fs::read_to_string(path).expect("GDL_VECTORS names a file"),
        Err(_) => include_str!("../../../../games/gdl/tests/data/gdl_vectors.yaml").into(),
    };
    serde_yaml::from_str(&text).expect("the vectors have the fields above")
}

/// The parameter of all roles in the playthroughs.
const PARAMETER: f64 = 0.5;

fn half<S: ParametricStrategy<RuleFile>>(game: &RuleFile) -> S {
    S::from_parameters(game, &vec![PARAMETER; game.roles().len()]).expect("one for each role")
}

/// Returns the percepts of a role in a step, in the order of their texts.
fn seen<'a>(view: &RoleView<'a>, step: u32) -> Vec<&'a str> {
    let (rules, role) = (view.rules(), view.role());
    view.step(step).percepts.iter().map(|&percept| rules.percept_text(role, percept)).collect()
}

/// Follows a playthrough in which all roles, including `random`, choose by their parameters. Compares each step.
fn check_playthrough(name: &str, played: &Played) {
    let game = file(name);
    let rules = game.language_rules();
    let names: Vec<&str> = rules.roles().map(|role| rules.role_name(role)).collect();
    assert_eq!(names, played.roles, "{name}");
    let strategy: Seeded<true> = half(&game);
    let mut walk = Walk::new(&game);
    // Only the history of `random` contains its moves.
    let mut chance = rules.random().map(|role| (role, History::new(rules, role)));
    let mut evaluator = Evaluator::new(rules);
    let mut position = walk.start();
    for (number, step) in played.playthrough.iter().enumerate() {
        assert_eq!(walk.enter(&position), Ok(false), "{name}: step {number}");
        let legal: Vec<usize> = rules.roles().map(|role| walk.legal(role).len()).collect();
        assert_eq!(legal, step.legal, "{name}: step {number}");
        let joint: Vec<MoveId> = rules
            .roles()
            .map(|role| match chance {
                Some((random, history)) if role == random => {
                    let legal = walk.legal(role).iter().copied();
                    let base = seed_base(PARAMETER, role);
                    seed_choice(rules, role, base, history.0, legal).expect("a move")
                }
                _ => choice_of(&strategy, &walk.view(&position, role)),
            })
            .collect();
        let texts: Vec<&str> = rules
            .roles()
            .zip(&joint)
            .map(|(role, &action)| rules.move_text(role, action))
            .collect();
        assert_eq!(texts, step.moves, "{name}: step {number}");
        evaluator.play(&joint);
        if let Some((role, history)) = &mut chance {
            history.observe(&evaluator, *role, &joint);
        }
        evaluator.advance();
        position = walk.after(&position, &joint);
        for &role in game.roles() {
            let expected = step.sees.get(rules.role_name(role)).cloned().unwrap_or_default();
            let view = walk.view(&position, role);
            assert_eq!(seen(&view, number as u32), expected, "{name}: step {number}");
        }
    }
    assert_eq!(walk.enter(&position), Ok(true), "{name}");
    for &role in game.roles() {
        let role_name = rules.role_name(role);
        assert_eq!(walk.goal(role), Ok(played.playthrough_goals[role_name]), "{name}");
        let history = format!("{:016x}", walk.view(&position, role).history());
        assert_eq!(history, played.history_hashes_at_end[role_name], "{name}: {role_name}");
    }
    if let Some((role, history)) = chance {
        let expected = &played.history_hashes_at_end[rules.role_name(role)];
        assert_eq!(&format!("{:016x}", history.0), expected, "{name}");
    }
}

#[test]
fn playthroughs_are_those_of_the_family() {
    let vectors = vectors();
    assert_eq!(vectors.games.len(), ruse_gdl::RULE_FILES.len());
    for (name, played) in &vectors.games {
        check_playthrough(name, played);
    }
}

/// Repeats the playthroughs of games without chance as games of the family.
#[test]
fn games_of_the_family_are_the_playthroughs() {
    let mut checked = 0;
    for (name, played) in &vectors().games {
        let game = file(name);
        if game.language_rules().random().is_some() {
            continue;
        }
        let rules = game.language_rules();
        let strategy: Seeded<true> = half(&game);
        let mut action = RoleMove::default();
        // One of three roles, drawn at random, is alone against the other two.
        for seed in 0..10 {
            let mut state = game.deal(&mut generator(seed));
            while let Turn::Act(seat) = game.turn(&state) {
                let view = game.view(&state, seat);
                strategy.act(&mut (), view, &mut PanicRng, &mut action);
                game.apply(&mut state, seat, &action, &mut PanicRng);
            }
            let Turn::Over(payoff) = game.turn(&state) else { unreachable!("it is over") };
            let lone = game.view(&state, Seat::First).lone_role();
            let goals = rules.seats().map(|role| {
                (role == lone, f64::from(played.playthrough_goals[rules.role_name(role)]))
            });
            let (own, others): (Vec<_>, Vec<_>) = goals.partition(|&(is_lone, _)| is_lone);
            let others: Vec<f64> = others.into_iter().map(|(_, goal)| goal).collect();
            let mean = others.iter().sum::<f64>() / others.len() as f64;
            let parts = (own[0].1 - mean + 100.0) * 60.0;
            assert_eq!(Some(payoff), Payoff::from_parts(parts as u16), "{name}");
            let view = game.view(&state, Seat::First);
            let history = format!("{:016x}", view.history());
            assert_eq!(history, played.history_hashes_at_end[rules.role_name(view.role())]);
        }
        checked += 1;
    }
    // These are tic_tac_toe, connect_four, nim, morra, both phantom games, battleship_4x4, lowest_unique, syntax_zoo,
    // both files of dark hex, breakthrough_6x6, dots_and_boxes_3x3, hex_5x5, kriegspiel_tic_tac_toe, pentago and
    // reversi_6x6.
    assert_eq!(checked, 17);
}

#[test]
fn first_choices_and_histories_are_those_of_the_vectors() {
    let hashing = vectors().hashing;
    let game = file("tic_tac_toe");
    let rules = game.language_rules();
    let mut rng = generator(1);
    let mut state = game.deal(&mut rng);
    let view = game.view(&state, Seat::First);
    assert_eq!(format!("{:016x}", view.history()), hashing.history_of_x_at_start);
    let mut checked = 0;
    for (parameter, expected) in &hashing.first_choice_of_x_in_tic_tac_toe {
        let theta = [parameter.as_f64().expect("a number"), 9.0];
        let strategy = Seeded::<true>::from_parameters(&game, &theta).expect("two numbers");
        let chosen = rules.move_text(view.role(), choice_of(&strategy, &view));
        assert_eq!(Some(chosen), expected.as_str(), "{parameter:?}");
        checked += 1;
    }
    assert!(checked >= 5);
    let action = rules.find_move(view.role(), "(mark 2 2)").expect("a move");
    let action = RoleMove { role: view.role(), action };
    game.apply(&mut state, Seat::First, &action, &mut rng);
    let history = format!("{:016x}", game.view(&state, Seat::First).history());
    assert_eq!(history, hashing.after_x_marks_2_2_and_o_noop);
}

#[test]
fn linear_scores_are_those_of_the_vectors() {
    let scores = vectors().hashing.linear_scores_of_x_at_the_start_of_tic_tac_toe;
    assert_eq!(scores.len(), 9);
    let game = file("tic_tac_toe");
    let rules = game.language_rules();
    // These are the parameters of the vectors. The parameters of the role `o` have no effect on the role `x`.
    let of_x = (0..64).map(|k| f64::from(37 * k % 101 - 50) / 50.0);
    let theta: Vec<f64> = of_x.chain(std::iter::repeat_n(3.0, 64)).collect();
    let state = game.deal(&mut generator(1));
    let view = game.view(&state, Seat::First);
    let pure = Linear::<false>::from_parameters(&game, &theta).expect("128 numbers");
    // This move has the largest score, 1.1216.
    assert_eq!(rules.move_text(view.role(), choice_of(&pure, &view)), "(mark 3 2)");
    let softmax = Linear::<true>::from_parameters(&game, &theta).expect("128 numbers");
    let told = probabilities(&softmax, &view);
    let weights: f64 = scores.values().map(|&score| libm::exp(score)).sum();
    for (&action, probability) in view.legal().iter().zip(told) {
        let expected = libm::exp(scores[rules.move_text(view.role(), action)]) / weights;
        assert!((probability - expected).abs() < 1e-13, "{probability} {expected}");
    }
    // If all parameters are zero, all scores are equal: the move with the smallest text is made, or a move is drawn
    // uniformly.
    let zero = Linear::<false>::from_parameters(&game, &[0.0; 128]).expect("128 numbers");
    assert_eq!(rules.move_text(view.role(), choice_of(&zero, &view)), "(mark 1 1)");
    let zero = Linear::<true>::from_parameters(&game, &[0.0; 128]).expect("128 numbers");
    assert!(probabilities(&zero, &view).iter().all(|p| (p - 1.0 / 9.0).abs() < 1e-15));
}
