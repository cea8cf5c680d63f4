//! Compares equilibria with known values, and their gaps with the belief walk.

use ruse_strategies::certificate::Work;

use super::knowledge::agrees;
use super::*;

/// Iterates until best responses gain at most `gap` against the averages.
fn solved(game: &RuleFile, gap: f64) -> Solver {
    let mut solver = Solver::new(game, &Work::default()).expect("a small game of two roles");
    while solver.num_iterations() < 100_000 {
        solver.iterate();
        let [low, high] = solver.bounds();
        if (high - low) / 2.0 <= gap {
            break;
        }
    }
    solver
}

/// Sources: Kuhn 1950 (-1/18 chip, a chip is 1/4 of the score); Southey et al. 2005 and OpenSpiel (-.085606 chips, a
/// chip is 3/100 of the score); matching bids have the value 1/2 by symmetry, and so has Morra.
#[test]
fn values_are_as_published() {
    for (name, value) in [
        ("kuhn_poker", 0.5 - 1.0 / 18.0 / 4.0),
        ("leduc_poker", 0.5 - 0.085_606 * 0.03),
        ("goofspiel_4", 0.5),
        ("morra", 0.5),
    ] {
        let mut solver = solved(&file(name), 1e-4);
        // Kuhn's equilibria have a free parameter, and Morra's mixtures too; the other games are too large.
        let is_small = ["kuhn_poker", "morra"].contains(&name);
        assert_eq!(solver.finish(), is_small.then_some(false), "{name}");
        let [low, high] = solver.bounds();
        assert!(high - low <= if is_small { 1e-11 } else { 2e-4 }, "{name}: {low} {high}");
        assert!(low - 1e-6 <= value && value <= high + 1e-6, "{name}: {low} {high}");
    }
}

/// A tree that is written and read again has the same information sets, so that the iterations are the same.
#[test]
fn exported_trees_are_the_same_games() {
    for name in ["kuhn_poker", "morra", "goofspiel_4", "liars_dice_4"] {
        let game = file(name);
        let tree = gambit_tree(&game, &Work::default()).expect("a small game");
        let rules = ruse_gdl::rules_of_gambit(tree.as_bytes()).expect("a tree");
        let rules = rules.unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = RuleFile::from_text(name, rules.as_bytes(), &Limits::default());
        let games = [game, again.expect("the rules are right")];
        let [first, second] = games.map(|game| {
            let mut solver = Solver::new(&game, &Work::default()).expect("a small game");
            (0..20).for_each(|_| solver.iterate());
            (solver.size()[0], solver.bounds())
        });
        assert_eq!(first.0, second.0, "{name}");
        for (a, b) in first.1.into_iter().zip(second.1) {
            assert!((a - b).abs() < 1e-9, "{name}: {first:?} {second:?}");
        }
    }
}

/// Sources: the reference data of the rule files, and symmetry.
#[test]
fn values_by_induction_are_known() {
    for (name, value, error) in [
        ("tic_tac_toe", 0.5, 1e-9),
        ("nim", 0.0, 1e-9),
        ("guess_who_8", 0.6875, 1e-9),
        ("goofspiel_4", 0.5, 1e-9),
        ("morra", 0.5, 1e-9),
        ("pig_20", 0.6155, 0.500_1e-4),
    ] {
        let found =
            value_by_induction(&file(name), &Work::default()).expect("right").expect("complete");
        assert!((found - value).abs() < error, "{name}: {found}");
    }
    let poker = file("kuhn_poker");
    assert_eq!(value_by_induction(&poker, &Work::default()), Ok(None));
}

/// Another program computed the same value.
#[test]
#[ignore = "long"]
fn the_value_of_a_larger_game_is_known() {
    let found = value_by_induction(&file("cant_stop_mini"), &Work::default()).expect("right");
    assert!((found.expect("complete") - 0.6814).abs() < 0.500_1e-4, "{found:?}");
}

/// The walk and the tables compute the same number by different programs.
#[test]
fn gaps_are_the_exploitabilities_that_the_walk_finds() {
    for name in ["kuhn_poker", "leduc_poker", "liars_dice_4", "morra"] {
        let game = file(name);
        let mut solver = Solver::new(&game, &Work::default()).expect("a small game of two roles");
        agrees(&game, &mut solver).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    }
}

/// Measures the speed: `cargo test --release -p ruse-strategies --lib speed_of -- --ignored --nocapture`.
#[test]
#[ignore = "long"]
fn speed_of_iterations() {
    for name in ["kuhn_poker", "leduc_poker", "goofspiel_4", "liars_dice_4", "liars_dice_6"] {
        let start = std::time::Instant::now();
        let mut solver =
            Solver::new(&file(name), &Work::default()).expect("a small game of two roles");
        let built = start.elapsed();
        let mut gaps = Vec::new();
        for number in 1..=100_000_u32 {
            solver.iterate();
            if [10, 100, 1000, 10_000].contains(&number) {
                let [low, high] = solver.bounds();
                gaps.push(format!("{number}: {:.1e}", (high - low) / 2.0));
            }
        }
        let [low, high] = solver.bounds();
        println!(
            "{name}: {:?}, built in {built:?}, 100,000 iterations in {:?}, {low:.9} {high:.9}, {gaps:?}",
            solver.size(),
            start.elapsed() - built
        );
    }
}

#[test]
fn games_that_cannot_be_solved_are_refused() {
    let error =
        |name: &str| Solver::new(&file(name), &Work::default()).expect_err("refused").to_string();
    assert!(error("monty_hall").contains("1 role besides"), "{}", error("monty_hall"));
    assert!(error("lowest_unique").contains("3 roles"), "{}", error("lowest_unique"));
    assert!(error("syntax_zoo").contains("the goals add up to"), "{}", error("syntax_zoo"));
}

/// Three cards are dealt in six ways, each with four nodes of players and five ends.
#[test]
fn the_tree_of_kuhn_poker_has_the_nodes_of_the_game() {
    let tree = gambit_tree(&file("kuhn_poker"), &Work::default()).expect("a small game");
    let lines: Vec<&str> = tree.lines().collect();
    assert_eq!(lines[0], "EFG 2 R \"kuhn_poker.kif\" { \"first\" \"second\" }");
    assert!(lines[1].starts_with("c \"\" 1 \"\" { \"(deal 1 2)\" 1/6 \"(deal 1 3)\" 1/6 "));
    let num = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!([num("c"), num("p \"\" 1"), num("p \"\" 2"), num("t")], [1, 12, 12, 30]);
    // Each player has six information sets: three cards, before and after the other player's move.
    for player in ["p \"\" 1", "p \"\" 2"] {
        let nodes = lines.iter().filter(|line| line.starts_with(player));
        let sets: std::collections::BTreeSet<_> =
            nodes.map(|line| line.split(' ').nth(3)).collect();
        assert_eq!(sets.len(), 6);
    }
    assert!(matches!(
        gambit_tree(&file("connect_four"), &Work::default()),
        Err(SituationsError::TooMany)
    ));
}
