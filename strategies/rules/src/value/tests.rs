//! Tests of values and of the families' player.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::rule_file::RoleMove;
use ruse_games::{AdjustableRules, Game, SampleAction, Seat, Turn};
use ruse_gdl::State;
use ruse_search::Strategy;
use ruse_search::uct::UctMemory;

use super::*;

fn file(name: &str, rules: &[(&str, u64)]) -> RuleFile {
    let changes: BTreeMap<String, u64> =
        rules.iter().map(|&(name, value)| (name.into(), value)).collect();
    crate::tests::file(name).with_rules(&changes).expect("rules")
}

fn state(num_fluents: usize, fluents: &[u32]) -> State {
    let mut state = State::empty(num_fluents);
    fluents.iter().for_each(|&fluent| state.set(fluent, true));
    state
}

/// The expected weights come from this Python program, which follows the equations in `lessons`; without a hidden layer
/// from the same program with `outer = [0, 0]` throughout:
///
/// ```python
/// from math import exp, tanh
/// w = [.5, -.25, 0, .1]; outer = [.3, -.2]; inner = [[.1, .2], [-.3, .1], [.2, -.1], [.05, 0]]
/// lam = .8; step = .1
/// def units(x): return [tanh(sum(inner[i][u] for i in x)) for u in range(2)]
/// def v(x): return 1 / (1 + exp(-sum(w[i] for i in x) - sum(o * a for o, a in zip(outer, units(x)))))
/// games = [[0, 1, 3], [1, 2, 3], [2, 3]]
/// g = [0, 0, 1.]
/// for t in (1, 0): g[t] = (1 - lam) * v(games[t + 1]) + lam * g[t + 1]
/// for x, target in zip(games, g):
///     error = target - v(x); a = units(x); change = step * error / len(x)
///     down = [change * outer[u] * (1 - a[u] ** 2) for u in range(2)]
///     for i in x: w[i] += change
///     for u in range(2):
///         outer[u] += step * error / 16 * a[u]
///         for i in x: inner[i][u] += down[u]
/// print(w, outer, inner)
/// ```
#[test]
fn a_game_moves_weights_as_in_an_independent_program() {
    let states = [state(3, &[0, 1]), state(3, &[1, 2]), state(3, &[2])];
    let values = |inner: Vec<[f32; 16]>, outer| FactValues {
        weights: vec![0.5, -0.25, 0.0, 0.1],
        stride: 4,
        inner,
        outer,
        outcomes: vec![(0, false)],
    };
    let learned = |mut values: FactValues, expected: [f64; 4], most: f64| {
        values.learn(0, &states, 1.0, 0.1);
        for (weight, expected) in values.weights.iter().zip(expected) {
            assert!((weight - expected).abs() < most, "{:?}", values.weights);
        }
        values
    };
    let expected =
        [0.5076631040670183, -0.22771644625134213, 0.0379118175047235, 0.14557492157174184];
    learned(values(vec![], vec![]), expected, 1e-15);

    let two = |first: f32, second: f32| {
        let mut units = [0.0; 16];
        units[..2].copy_from_slice(&[first, second]);
        units
    };
    let inner = vec![two(0.1, 0.2), two(-0.3, 0.1), two(0.2, -0.1), two(0.05, 0.0)];
    let expected =
        [0.5086008648821619, -0.22653295834294318, 0.03692614837928893, 0.1455270132614509];
    let values = learned(values(inner, vec![two(0.3, -0.2)]), expected, 1e-6);
    let expected = [
        two(0.300_339_55, -0.199_834_3),
        two(0.102_523_06, 0.198_425_81),
        two(-0.293_029_65, 0.095_459_58),
        two(0.210_625_32, -0.107_317_56),
        two(0.063_148_38, -0.008_891_755),
    ];
    for (units, expected) in values.outer.iter().chain(&values.inner).zip(expected) {
        let is_close =
            units.iter().zip(expected).all(|(unit, wanted)| (unit - wanted).abs() < 1e-6);
        assert!(is_close, "{units:?}, not {expected:?}");
    }
}

/// Returns the score of a player with these rules against random moves, in `num_games` games from both seats.
fn score(name: &str, rules: &[(&str, u64)], num_games: usize) -> f64 {
    let game = file(name, rules);
    let dimension = TunedUct::<FactValues>::space(&game).dimension();
    let player =
        TunedUct::<FactValues>::from_parameters(&game, &vec![0.0; dimension]).expect("finite");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut memory, mut action) = (UctMemory::default(), RoleMove::default());
    let mut sum = 0.0;
    for number in 0..num_games {
        let own = Seat::BOTH[number % 2];
        let mut state = game.deal(&mut rng);
        player.begin(&mut memory, own);
        let payoff = loop {
            match game.turn(&state) {
                Turn::Over(payoff) => break payoff.score(),
                Turn::Act(seat) => {
                    let view = game.view(&state, seat);
                    match seat == own {
                        true => player.act(&mut memory, view, &mut rng, &mut action),
                        false => game.sample_action(&view, &mut rng, &mut action),
                    }
                    assert_eq!(game.check(&state, &action), Ok(()));
                    game.apply(&mut state, seat, &action, &mut rng);
                }
            }
        };
        sum += if own == Seat::First { payoff } else { 1.0 - payoff };
    }
    sum / num_games as f64
}

/// Without lessons all weights are 0, and a move counts only if it ends the game. Payoffs have a standard deviation of at
/// most .5, so the difference of two scores of 2,000 games has a standard error of at most .016. The bound is three
/// times as much.
#[test]
fn lessons_improve_play() {
    let [before, after] =
        [0, 100].map(|lessons| score("tic_tac_toe", &[("lessons", lessons)], 2_000));
    assert!(after > before + 0.048, "{before} {after}");
}

/// One role, chance, hidden information, simultaneous moves, three roles: all are played, with and without playouts.
#[test]
fn all_kinds_of_files_are_played() {
    for name in ["orchard", "pig_20", "monty_hall", "goofspiel_4", "lowest_unique", "kuhn_poker"] {
        for (playouts, hidden) in [(0, 0), (20, 0), (20, 1)] {
            let rules = [("lessons", 5), ("playouts", playouts), ("hidden", hidden)];
            let score = score(name, &rules, 40);
            assert!((0.0..=1.0).contains(&score), "{name}");
        }
    }
}

/// In tic-tac-toe the middle is worth most: a stone of `x` instead of a stone of `o` adds more to the log-odds than in
/// any other cell.
#[test]
fn words_name_the_largest_weights() {
    let game = file("tic_tac_toe", &[("lessons", 1_000)]);
    let dimension = TunedUct::<FactValues>::space(&game).dimension();
    let player =
        TunedUct::<FactValues>::from_parameters(&game, &vec![0.0; dimension]).expect("finite");
    let values = player.player.leaves();
    let rules = game.language_rules();
    let weight = |fact: String| {
        let mut fluents = 0..rules.num_fluents() as u32;
        let fluent = fluents.find(|&fluent| rules.fluent(fluent) == fact).expect("a fact");
        values.weights[fluent as usize]
    };
    let worth =
        |x: u8, y: u8| weight(format!("(cell {x} {y} x)")) - weight(format!("(cell {x} {y} o)"));
    let others = (1..=3).flat_map(|x| (1..=3).map(move |y| (x, y))).filter(|&cell| cell != (2, 2));
    for (x, y) in others {
        assert!(worth(2, 2) > worth(x, y), "{x} {y}: {} {}", worth(2, 2), worth(x, y));
    }
    let (largest, _) = values.largest(0, 1)[0];
    let words = RuleFileStrategy::words(&player, &game);
    let start = format!(
        "takes the move after which the value is highest; log-odds for x: {} ",
        rules.fluent(largest)
    );
    assert!(words.starts_with(&start), "{words}");
}

/// Weights of a relation have names that begin with the relation, so each relation is a group.
#[test]
fn facts_of_a_relation_form_a_group() {
    assert_eq!(relation("(cell 1 2 x)"), "cell");
    assert_eq!(relation("(to_do answer)"), "to-do");
    assert_eq!(relation("turn"), "turn");
    assert_eq!(relation("(+ 1)"), "fact");
    let groups = TunedUct::<FactValues>::space(&file("tic_tac_toe", &[])).groups();
    let sizes: Vec<(&str, usize)> =
        groups.iter().map(|group| (&*group.name, group.members.len())).collect();
    // Nine cells with three contents each, and the two players to move.
    assert_eq!(sizes, [("share", 1), ("cell", 27), ("control", 2), ("always", 1)]);
}

#[test]
fn parameters_are_checked_and_zero_is_what_was_learned() {
    let game = file("tic_tac_toe", &[("lessons", 5), ("playouts", 10)]);
    let dimension = game.language_rules().num_fluents() + 2;
    assert_eq!(TunedUct::<FactValues>::space(&game).dimension(), dimension);
    let zero =
        TunedUct::<FactValues>::from_parameters(&game, &vec![0.0; dimension]).expect("finite");
    assert_eq!((zero.player.leaves(), zero.settings.share), (&*learned(&game), 0.5));
    let mut theta = vec![0.0; dimension];
    (theta[0], theta[1]) = (30.0, 2.0);
    let other = TunedUct::<FactValues>::from_parameters(&game, &theta).expect("finite");
    let change = other.player.leaves().weights[0] - zero.player.leaves().weights[0];
    assert!((change - 0.2).abs() < 1e-12 && other.settings.share == 1.0, "{change}");
    assert!(TunedUct::<FactValues>::from_parameters(&game, &theta[1..]).is_err());
    theta[1] = f64::NAN;
    assert!(TunedUct::<FactValues>::from_parameters(&game, &theta).is_err());
}
