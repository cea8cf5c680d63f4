//! Tests of every rule file: its initial state, the number of sequences of joint moves, a whole game, and its hashes.

use ruse_gdl::{
    Evaluator, History, Information, Limits, MoveId, PerceptId, REMEMBERED_STEPS, Rules, State,
    fnv, items_of_moves, items_of_percepts, items_of_state, key, linear_choice, linear_score,
    memoryless_history, mix, perft, seed_base, seed_choice,
};

use crate::vectors::{Game, all_games, all_rules, rules, vectors};

#[test]
fn every_rule_file_has_vectors() {
    let with: Vec<&str> = vectors().games.keys().map(String::as_str).collect();
    let names: Vec<&str> = all_rules().iter().map(|(name, _)| *name).collect();
    assert_eq!(names, with);
}

#[test]
fn games_start_as_others_say() {
    for (name, rules, game) in all_games() {
        let roles: Vec<&str> = rules.roles().map(|role| rules.role_name(role)).collect();
        assert_eq!(roles, game.roles, "{name}");
        let information = match rules.information() {
            Information::Complete => "complete",
            Information::Percepts => "percepts",
        };
        assert_eq!(information, game.information, "{name}");
        assert_eq!(rules.start().iter().count(), game.fluents_at_start, "{name}");
        let evaluator = Evaluator::new(rules);
        for role in rules.roles() {
            let expected = game.legal_at_start[rules.role_name(role)];
            assert_eq!(evaluator.num_legal(role), expected, "{name}");
        }
    }
}

/// Checks the counts of a game's sequences, up to the last depth with fewer than `most` sequences.
fn check_perft(name: &str, rules: &Rules, game: &Game, most: u128) {
    let expected = &game.perft;
    let depth = expected.iter().take_while(|&&count| count < most).count();
    let start = std::time::Instant::now();
    let counts = perft(rules, depth).expect("no role is stuck");
    println!("{name}: {depth} of {} depths, {:?}", expected.len(), start.elapsed());
    assert_eq!(counts, expected[..depth], "{name}");
}

/// Files whose last count takes long. An independent program, `tests/perft/perft.py`, plays these games by their rules.
const LONG_COUNTS: &[&str] = &[
    "amazons_6x6",
    "dots_and_boxes_3x3",
    "hex_5x5",
    "nine_mens_morris",
    "pentago",
    "racer",
    "reversi_6x6",
];

#[test]
fn perft_counts_agree() {
    for (name, rules, game) in all_games() {
        let most = match name {
            // All sequences lead to different states.
            "phantom_tic_tac_toe_orders" | "battleship_4x4" => 1_000_000,
            name if LONG_COUNTS.contains(&name) => 100_000,
            _ => u128::MAX,
        };
        check_perft(name, rules, game, most);
    }
}

#[test]
#[ignore = "long"]
fn perft_counts_agree_where_no_two_sequences_meet() {
    for (name, rules, game) in all_games() {
        match name {
            "phantom_tic_tac_toe_orders" | "battleship_4x4" => {
                check_perft(name, rules, game, 300_000_000);
            }
            name if LONG_COUNTS.contains(&name) => check_perft(name, rules, game, u128::MAX),
            _ => {}
        }
    }
}

#[test]
fn whole_games_of_the_policy_seed_agree() {
    for (name, rules, game) in all_games() {
        let mut evaluator = Evaluator::new(rules);
        let mut histories: Vec<History> =
            rules.roles().map(|role| History::new(rules, role)).collect();
        for (number, step) in game.playthrough.iter().enumerate() {
            let at = format!("{name}, step {number}");
            assert!(!evaluator.is_terminal(), "{at}");
            let mut joint = Vec::new();
            for role in rules.roles() {
                let index = role.0 as usize;
                assert_eq!(evaluator.num_legal(role), step.legal[index], "{at}");
                let base = seed_base(0.5, role);
                let legal = evaluator.legal(role);
                let action = seed_choice(rules, role, base, histories[index].0, legal)
                    .expect("as the vectors say");
                assert_eq!(rules.move_text(role, action), step.moves[index], "{at}");
                assert_eq!(rules.find_move(role, &step.moves[index]), Some(action), "{at}");
                joint.push(action);
            }
            evaluator.play(&joint);
            for role in rules.roles() {
                let percepts: Vec<&str> =
                    evaluator.percepts(role).map(|p| rules.percept_text(role, p)).collect();
                let expected = step.sees.get(rules.role_name(role)).map_or(&[][..], Vec::as_slice);
                assert_eq!(percepts, expected, "{at}");
                histories[role.0 as usize].observe(&evaluator, role, &joint);
            }
            evaluator.advance();
        }
        assert!(evaluator.is_terminal(), "{name}");
        for role in rules.roles() {
            let role_name = rules.role_name(role);
            if rules.random() != Some(role) && name != "two_goals" {
                assert_eq!(evaluator.goal(role), Ok(game.playthrough_goals[role_name]), "{name}");
            }
            let hash = format!("{:016x}", histories[role.0 as usize].0);
            assert_eq!(hash, game.history_hashes_at_end[role_name], "{name} {role_name}");
        }
    }
}

#[test]
fn hashes_agree() {
    let hashing = &vectors().hashing;
    // The hash of the empty text is the initial value of FNV.
    assert_eq!(fnv(""), 0xcbf2_9ce4_8422_2325);
    for (text, expected) in &hashing.key {
        assert_eq!(format!("{:016x}", key(text)), *expected, "{text}");
    }
    for (what, expected) in &hashing.seed_base {
        let (parameter, tag) = what.split_once(" tag ").expect("as the vectors say");
        let role = ruse_gdl::RoleId(tag.parse::<u8>().expect("as the vectors say") - 1);
        let base = seed_base(parameter.parse().expect("as the vectors say"), role);
        assert_eq!(format!("{base:016x}"), *expected, "{what}");
    }
}

#[test]
fn choices_at_the_start_of_tic_tac_toe_agree() {
    let hashing = &vectors().hashing;
    let rules = rules("tic_tac_toe");
    let x = rules.roles().next().expect("as the vectors say");
    let evaluator = Evaluator::new(rules);
    let mut history = History::new(rules, x);
    assert_eq!(format!("{:016x}", history.0), hashing.history_of_x_at_start);
    for (parameter, expected) in &hashing.first_choice_of_x_in_tic_tac_toe {
        let base = seed_base(parameter.as_f64().expect("as the vectors say"), x);
        let choice =
            seed_choice(rules, x, base, history.0, evaluator.legal(x)).expect("as the vectors say");
        assert_eq!(rules.move_text(x, choice), expected.as_str().expect("as the vectors say"));
    }
    let o = rules.roles().nth(1).expect("as the vectors say");
    let joint: Vec<MoveId> = [(x, "(mark 2 2)"), (o, "noop")]
        .map(|(role, text)| rules.find_move(role, text).expect("as the vectors say"))
        .into();
    let mut played = evaluator.clone();
    played.play(&joint);
    history.observe(&played, x, &joint);
    assert_eq!(format!("{:016x}", history.0), hashing.after_x_marks_2_2_and_o_noop);

    let theta: Vec<f64> = (0..64).map(|k| f64::from(37 * k % 101 - 50) / 50.0).collect();
    let mut items = Vec::new();
    let mut state = State::empty(rules.num_fluents());
    evaluator.copy_state(&mut state);
    items_of_state(rules, x, &state, &mut items);
    let scores = &hashing.linear_scores_of_x_at_the_start_of_tic_tac_toe;
    assert_eq!(evaluator.num_legal(x), scores.len());
    for action in evaluator.legal(x) {
        let score = linear_score(&items, rules.move_key(x, action), &theta);
        let expected = scores[rules.move_text(x, action)];
        assert!((score - expected).abs() < 1e-14, "{score} {expected}");
    }
}

/// The expected items are hashes of the texts that the specification defines for the role, its moves and its percepts.
#[test]
fn items_of_hidden_games_are_steps_with_their_ages() {
    let rules = rules("monty_hall");
    let candidate = rules.roles().next().expect("a role");
    let action = |text| rules.find_move(candidate, text).expect("a move of the file");
    let opened: Vec<PerceptId> = (0..rules.num_percepts(candidate) as u32)
        .map(PerceptId)
        .filter(|&percept| rules.percept_text(candidate, percept) == "(opened 2)")
        .collect();
    assert_eq!(opened.len(), 1);
    // The latest step comes first, and there are more steps than are remembered.
    let none: &[PerceptId] = &[];
    let mut recent = vec![(action("noop"), &opened[..]), (action("(choose 1)"), none)];
    recent.extend([(action("noop"), none); 9]);
    let mut items = vec![7];
    items_of_percepts(rules, candidate, recent.into_iter().take(REMEMBERED_STEPS), &mut items);
    let mut expected = vec![
        key("(role candidate)"),
        mix(key("(did noop)")),
        mix(key("(saw (opened 2))")),
        mix(key("(did (choose 1))").wrapping_add(1)),
    ];
    expected.extend((2..8).map(|age| mix(key("(did noop)").wrapping_add(age))));
    expected.sort_unstable();
    assert_eq!(items, expected);
}

/// The expected items are hashes of texts, as above.
#[test]
fn items_without_memory_are_the_legal_moves() {
    let rules = rules("monty_hall");
    let candidate = rules.roles().next().expect("a role");
    let legal = ["stay", "switch"].map(|text| rules.find_move(candidate, text).expect("a move"));
    let mut items = vec![7];
    items_of_moves(rules, candidate, &legal, &mut items);
    let texts = ["(legal stay)", "(legal switch)"];
    let mut expected = vec![key("(role candidate)"), mix(key(texts[0])), mix(key(texts[1]))];
    expected.sort_unstable();
    assert_eq!(items, expected);
}

#[test]
fn policies_without_preferences_take_the_smallest_text() {
    let rules = rules("nim");
    let first = rules.roles().next().expect("a role");
    let evaluator = Evaluator::new(rules);
    let choice = linear_choice(rules, first, &[1, 2, 3], &[0.0], evaluator.legal(first));
    let texts: Vec<&str> = evaluator.legal(first).map(|m| rules.move_text(first, m)).collect();
    assert!(texts.is_sorted(), "{texts:?}");
    assert_eq!(choice.map(|action| rules.move_text(first, action)), Some("(take 1 1)"));
    assert_eq!(linear_choice(rules, first, &[1], &[0.0], [].into_iter()), None);
    let memoryless = memoryless_history(rules, first, evaluator.legal(first));
    assert_eq!(memoryless, key(&texts.join(" ")));
}

#[test]
fn each_role_has_its_own_highest_goal() {
    let text = "(role a) (role b) (legal a wait) (legal b wait)
        (init (step 0)) (<= (next (step 1)) (true (step 0))) (<= terminal (true (step 1)))
        (<= (goal a 30) (true (step 0))) (<= (goal a 60) (true (step 1)))
        (<= (goal b 100) (true (step 0))) (<= (goal b 0) (true (step 1)))";
    let rules = Rules::from_text(text, &Limits::default()).expect("valid rules");
    let most: Vec<u8> = rules.roles().map(|role| rules.most_goal(role)).collect();
    assert_eq!((most, rules.goal_values()), (vec![60, 100], vec![0, 30, 60, 100]));
}
