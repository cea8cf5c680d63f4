//! Compares random games with exact means and distributions from other implementations.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_gdl::{
    AtCap, DEFAULT_STEPS, Evaluator, GoalRule, Limits, NoGoal, Playouts, RoleId, Rules, Survey,
    survey,
};

use crate::vectors::{Mean, all_games, all_rules, more_games, vectors};

const NUM_GAMES: u64 = 5_000;

fn surveyed(rules: &Rules, num_games: u64) -> Survey {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2_026);
    survey(Playouts::new(rules, DEFAULT_STEPS, AtCap::Error), num_games, &mut rng, &mut |_| {})
        .expect("all games end")
}

/// The mean goals agree with the reference data. With another seed, each of the 59 means fails by chance with
/// probability 6e-5.
#[test]
fn means_are_within_four_standard_errors() {
    check_means(1_000, 100);
}

#[test]
#[ignore = "long"]
fn means_of_more_games_are_within_four_standard_errors() {
    check_means(NUM_GAMES, 500);
}

/// Plays `few` games of the largest rule files, and `many` games of the others.
fn check_means(many: u64, few: u64) {
    // In this file a role may have two goals.
    for (name, rules, game) in all_games().filter(|&(name, ..)| name != "two_goals") {
        let is_large = ["amazons_6x6", "chess", "nine_mens_morris"].contains(&name);
        let survey = surveyed(rules, if is_large { few } else { many });
        for role in rules.seats() {
            let role_name = rules.role_name(role);
            let (mean, error) = survey.mean(role.0 as usize);
            let (expected, error) = match game.random_play[role_name] {
                Mean::Exact(expected) => (expected, error),
                Mean::Sampled([expected, other]) => (expected, hypot(error, other)),
            };
            assert!(
                (mean - expected).abs() <= 4.0 * error + 1e-6,
                "{name} {role_name}: {mean} +- {error}, expected {expected}"
            );
        }
    }
}

/// Returns the hypotenuse of the right triangle with these legs. `f64::hypot` gives different results on some platforms.
fn hypot(a: f64, b: f64) -> f64 {
    (a * a + b * b).sqrt()
}

/// Returns the value that a chi-square variable exceeds with probability 1e-4, by the approximation of Wilson &
/// Hilferty (1931), which is slightly too large for one or two degrees of freedom.
fn chi_square_limit(degrees: f64) -> f64 {
    // The normal quantile of 1 - 1e-4.
    const Z: f64 = 3.719_016;
    let a = 2.0 / (9.0 * degrees);
    let root = 1.0 - a + Z * a.sqrt();
    degrees * root * root * root
}

/// Chi-square tests compare the lengths of random games with the reference data. With another seed, each of the fifteen
/// tests fails by chance with probability 1e-4.
#[test]
fn lengths_are_distributed_as_others_say() {
    let mut tested = 0;
    for (name, rules) in all_rules() {
        let expected = &vectors().games[*name].length_under_random_play;
        if expected.is_empty() {
            continue;
        }
        let survey = surveyed(rules, NUM_GAMES);
        let total: f64 = expected.values().sum();
        // If the reference counts come from a sample, their own noise adds to the variance.
        let sampled = total > 1.5;
        let (mut statistic, mut cells, mut rest) = (0.0, 0, [0.0, NUM_GAMES as f64]);
        for (&length, &weight) in expected {
            let count = survey.lengths.get(length as usize).copied().unwrap_or(0) as f64;
            let mean = if sampled { weight / total } else { weight } * NUM_GAMES as f64;
            if mean < 10.0 {
                continue;
            }
            rest[0] += mean;
            rest[1] -= count;
            cells += 1;
            statistic += (count - mean) * (count - mean) / mean;
        }
        // All other lengths are one class; the tables omit some of them.
        let left = NUM_GAMES as f64 - rest[0];
        if left >= 10.0 {
            statistic += (rest[1] - left) * (rest[1] - left) / left;
            cells += 1;
        }
        if sampled {
            statistic /= 1.0 + NUM_GAMES as f64 / total;
        }
        if cells > 1 {
            let limit = chi_square_limit(f64::from(cells - 1));
            assert!(statistic < limit, "{name}: {statistic} of {limit}, {cells} cells");
        } else {
            assert_eq!(survey.shortest, survey.longest, "{name}");
        }
        tested += 1;
    }
    assert_eq!(tested, 15);
}

#[test]
fn the_kinds_of_games_are_recognised() {
    // The lists follow the comments at the top of the files.
    let constant_sum = "battleship_4x4 breakthrough_6x6 cant_stop_mini connect_four dark_hex_3 \
        dark_hex_3_abrupt dots_and_boxes_3x3 goofspiel_4 guess_who_16 guess_who_8 hex_5x5 \
        kriegspiel_tic_tac_toe kuhn_poker leduc_poker liars_dice_4 liars_dice_6 morra nim \
        pentago phantom_tic_tac_toe_orders phantom_tic_tac_toe_try_again pig_20 reversi_6x6 \
        tic_tac_toe";
    let constant_sum: Vec<&str> = constant_sum.split(' ').collect();
    let cooperative = ["matching_pennies", "monty_hall", "orchard"];
    let at_once = [
        "battleship_4x4",
        "goofspiel_4",
        "lowest_unique",
        "matching_pennies",
        "morra",
        "phantom_tic_tac_toe_orders",
        "syntax_zoo",
    ];
    for (name, rules) in all_rules() {
        let survey = surveyed(rules, NUM_GAMES);
        assert_eq!(survey.constant_sum, constant_sum.contains(name), "{name}");
        assert_eq!(survey.cooperative, cooperative.contains(name), "{name}");
        assert_eq!(survey.turns, !at_once.contains(name), "{name}");
    }
}

/// In `two_goals`, each role always has the goal 25, and the winner has 100, too. `perft.py` computed the means of the
/// highest goal.
#[test]
fn one_of_two_goals_counts_by_the_rule() {
    let (_, rules, game) =
        more_games().iter().find(|(name, ..)| *name == "two_goals").expect("a file");
    let survey_by = |rule| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2_026);
        let playouts = Playouts::new(rules, DEFAULT_STEPS, AtCap::Error).with_goals(rule);
        survey(playouts, NUM_GAMES, &mut rng, &mut |_| {})
    };
    assert_eq!(
        survey_by(GoalRule::Error).map_err(|error| error.fault.to_string()),
        Err("two goals of `bob` at the end: 25 and 100".into())
    );
    let lowest = survey_by(GoalRule::Lowest).expect("all games end");
    assert_eq!([lowest.mean(0), lowest.mean(1)], [(25.0, 0.0); 2]);
    let highest = survey_by(GoalRule::Highest).expect("all games end");
    for (at, name) in ["ann", "bob"].into_iter().enumerate() {
        let Mean::Sampled([expected, other]) = game.random_play[name] else { panic!("sampled") };
        let (mean, error) = highest.mean(at);
        assert!((mean - expected).abs() <= 4.0 * hypot(error, other), "{name}: {mean}");
    }
    // A missing goal counts as 0.
    let text = "(role a) (init p) (legal a m) (next p) terminal (<= (goal a 50) (true q))";
    let rules = Rules::from_text(text, &Limits::default()).expect("the text is right");
    let game = Evaluator::new(&rules);
    let rules = [GoalRule::Error, GoalRule::Highest, GoalRule::Lowest];
    let goals = rules.map(|rule| game.goal_by(RoleId(0), rule));
    assert_eq!(goals, [Err(NoGoal::None), Ok(0), Ok(0)]);
}
