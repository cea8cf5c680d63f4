//! Tests the strategies of rule files against reference data, played games and known values.

mod certificates;
mod exact;
mod gradients;
mod knowledge;
mod responses;
mod solutions;
mod vectors;

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::rule_file::{RoleMove, RoleView, RuleFile, RuleFileState, Walk};
use ruse_games::{Game, SampleAction, Seat, Turn};
use ruse_gdl::{Limits, MoveId};
use ruse_search::{ParameterError, ParametricStrategy, Strategy};
use ruse_strategies::testing::PanicRng;
use ruse_strategies::{Mixture, Prepared};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::*;

pub(crate) fn file(name: &str) -> RuleFile {
    let text = ruse_gdl::rule_file(name).expect("a file of the engine").text;
    RuleFile::from_text(format!("{name}.kif"), text.as_bytes(), &Limits::default())
        .expect("the file is right")
}

fn inline(text: &str) -> RuleFile {
    RuleFile::from_text("inline.kif", text.as_bytes(), &Limits::default())
        .expect("the text is right")
}

fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Returns parameters for varied choices: sines of multiples of `seed`.
fn sines(num: usize, seed: u32) -> Vec<f64> {
    (1..=num).map(|index| 2.0 * libm::sin(index as f64 * f64::from(seed))).collect()
}

/// Creates a strategy for a rule file; its parameters are [`sines`].
fn strategy<S: ParametricStrategy<RuleFile>>(game: &RuleFile, seed: u32) -> S {
    let theta = sines(S::space(game).dimension(), seed);
    S::from_parameters(game, &theta).expect("a right vector")
}

/// Visits the decisions of random games.
fn random_decisions(game: &RuleFile, num_games: usize, mut look: impl FnMut(&RuleFileState, Seat)) {
    let mut rng = generator(11);
    let mut action = RoleMove::default();
    for _ in 0..num_games {
        let mut state = game.deal(&mut rng);
        while let Turn::Act(seat) = game.turn(&state) {
            look(&state, seat);
            game.sample_action(&game.view(&state, seat), &mut rng, &mut action);
            game.apply(&mut state, seat, &action, &mut rng);
        }
    }
}

fn probabilities(policy: &dyn Policy, view: &RoleView<'_>) -> Vec<f64> {
    let mut probabilities = vec![7.0; 3];
    policy.probabilities(view, &mut probabilities);
    probabilities
}

/// Checks by a chi-square test that moves are drawn with the reported probabilities. A new seed would fail with a
/// probability of 1e-4.
fn draws_as_told<S: Strategy<RuleFile> + Policy>(
    game: &RuleFile,
    strategy: &S,
    state: &RuleFileState,
) {
    const DRAWS: usize = 20_000;
    let Turn::Act(seat) = game.turn(state) else { panic!("it is over") };
    let view = game.view(state, seat);
    let told = probabilities(strategy, &view);
    let mut counts = vec![0.0; told.len()];
    let (mut rng, mut memory, mut action) =
        (generator(5), S::Memory::default(), RoleMove::default());
    strategy.begin(&mut memory, seat);
    for _ in 0..DRAWS {
        strategy.act(&mut memory, view, &mut rng, &mut action);
        assert_eq!(action.role, view.role());
        counts[view.legal().binary_search(&action.action).expect("legal")] += 1.0;
    }
    let (mut sum, mut classes) = (0.0, 0);
    for (count, probability) in counts.iter().zip(&told) {
        let expected = probability * DRAWS as f64;
        if expected == 0.0 {
            assert_eq!(*count, 0.0);
            continue;
        }
        sum += (count - expected) * (count - expected) / expected;
        classes += 1;
    }
    assert!(classes > 1, "{told:?}");
    let law = ChiSquared::new(f64::from(classes - 1)).expect("a degree of freedom or more");
    assert!(1.0 - law.cdf(sum) > 1e-4, "{sum} with {classes} classes: {told:?}");
}

#[test]
fn probabilities_are_those_that_are_drawn() {
    for name in ["tic_tac_toe", "phantom_tic_tac_toe_try_again", "monty_hall", "lowest_unique"] {
        let game = file(name);
        let softmax: Linear<true> = strategy(&game, 3);
        let (mut num_states, mut distinct) = (0, BTreeSet::new());
        random_decisions(&game, 20, |state, seat| {
            let view = game.view(state, seat);
            let told = probabilities(&softmax, &view);
            assert_eq!(told.len(), view.legal().len());
            assert!((told.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{name}: {told:?}");
            assert!(told.iter().all(|&p| p > 0.0), "{name}: {told:?}");
            distinct.insert(format!("{told:?}"));
            // Tests a few states of each file. Each strategy has 12 tests, which fail with a probability of 1e-4 each.
            if num_states % 29 == 0 && num_states < 80 {
                draws_as_told(&game, &softmax, state);
                draws_as_told(&game, &RuleFileReference::Random, state);
            }
            num_states += 1;
        });
        assert!(distinct.len() > 1, "{name}: it makes something of what it sees");
    }
}

/// Strategies without randomness are certain of their moves.
#[test]
fn pure_strategies_tell_what_they_do() {
    fn check<S: Strategy<RuleFile> + Policy>(game: &RuleFile, strategy: &S) {
        let (mut memory, mut action) = (S::Memory::default(), RoleMove::default());
        random_decisions(game, 10, |state, seat| {
            let view = game.view(state, seat);
            strategy.act(&mut memory, view, &mut PanicRng, &mut action);
            assert_eq!(game.check(state, &action), Ok(()), "{}", game.title());
            let place = view.legal().binary_search(&action.action).expect("legal");
            let told = probabilities(strategy, &view);
            let expected = (0..view.legal().len()).map(|index| f64::from(u8::from(index == place)));
            assert_eq!(told, expected.collect::<Vec<_>>(), "{}", game.title());
        });
    }
    for known in ruse_gdl::RULE_FILES {
        let game = file(known.name);
        check::<Seeded<true>>(&game, &strategy(&game, 1));
        check::<Seeded<false>>(&game, &strategy(&game, 2));
        check::<Linear<false>>(&game, &strategy(&game, 3));
        check(&game, &RuleFileReference::FirstLegal);
    }
}

/// Strategies without memory make the same choice if the legal moves are the same. In Monty Hall, they are the same
/// after each choice of a door and each opened door.
#[test]
fn without_memory_the_same_is_done_where_the_same_is_legal() {
    let game = file("monty_hall");
    // The choices by the strategies of 40 numbers, in each situation.
    let choices = |choice: &dyn Fn(f64, &RoleView<'_>) -> MoveId| {
        let mut seen: BTreeSet<(u64, Vec<MoveId>)> = BTreeSet::new();
        random_decisions(&game, 200, |state, seat| {
            let view = game.view(state, seat);
            if view.num_steps() == 3 {
                let all = (0..40).map(|number| choice(f64::from(number), &view)).collect();
                seen.insert((view.history(), all));
            }
        });
        assert_eq!(seen.len(), 6, "three doors, two that may be opened");
        seen.into_iter().map(|(_, all)| all).collect::<BTreeSet<_>>()
    };
    let with_memory = choices(&|number, view| {
        let strategy = Seeded::<true>::from_parameters(&game, &[number]).expect("one number");
        choice_of(&strategy, view)
    });
    assert_eq!(with_memory.len(), 6, "situations have nothing in common");
    let without = choices(&|number, view| {
        let strategy = Seeded::<false>::from_parameters(&game, &[number]).expect("one number");
        choice_of(&strategy, view)
    });
    assert_eq!(without.len(), 1);
    // The legal moves, joined to one text, replace the history.
    let all = without.first().expect("one");
    let (rules, role) = (game.language_rules(), game.roles()[0]);
    let both = ["stay", "switch"].map(|text| rules.find_move(role, text).expect("a move"));
    for (number, &made) in all.iter().enumerate() {
        let base = ruse_gdl::mix(ruse_gdl::parameter_bits(number as f64)) ^ ruse_gdl::mix(1);
        let hash = |action: MoveId| {
            let text = ruse_gdl::key(rules.move_text(role, action));
            ruse_gdl::mix(base ^ ruse_gdl::key("stay switch") ^ text)
        };
        let best = if hash(both[0]) >= hash(both[1]) { both[0] } else { both[1] };
        assert_eq!(made, best, "{number}");
    }
}

/// Linear strategies that remember no step know their legal moves only, which the walk may rely on.
#[test]
fn linear_strategies_remember_as_many_steps_as_the_rule_says() {
    let all = file("monty_hall");
    // The memories and the probabilities at the last choice, in each situation.
    let kinds = |num_steps: u64| {
        let game =
            ruse_games::AdjustableRules::with_rules(&all, &[("memory".into(), num_steps)].into());
        let game = game.expect("a right rule");
        let softmax: Linear<true> = strategy(&game, 3);
        let (mut memories, mut told) = (BTreeSet::new(), BTreeSet::new());
        random_decisions(&game, 200, |state, seat| {
            let view = game.view(state, seat);
            if view.num_steps() == 3 {
                memories.insert(softmax.memory(&view));
                told.insert(format!("{:?}", probabilities(&softmax, &view)));
            }
        });
        [memories.len(), told.len()]
    };
    // The last step opens one of three doors, and the step before it chose one.
    assert_eq!([0, 1, 2, 8].map(kinds), [[1, 1], [3, 3], [6, 6], [6, 6]]);
}

fn choice_of(policy: &dyn Policy, view: &RoleView<'_>) -> MoveId {
    let told = probabilities(policy, view);
    view.legal()[told.iter().position(|&p| p == 1.0).expect("it is certain")]
}

#[test]
fn parameters_have_the_names_of_roles_and_are_checked() {
    let game = file("lowest_unique");
    let names: Vec<_> =
        Seeded::<true>::space(&game).parameters().iter().map(|p| p.name.to_string()).collect();
    assert_eq!(names, ["ann", "ben", "cid"]);
    assert_eq!(Linear::<false>::space(&game).dimension(), 3 * 64);
    let few = ruse_games::AdjustableRules::with_rules(&game, &[("features".into(), 2)].into());
    let few = few.expect("a right rule");
    let space = Linear::<true>::space(&few);
    let names: Vec<_> = space.parameters().iter().map(|p| p.name.to_string()).collect();
    assert_eq!(names, ["ann-0", "ann-1", "ben-0", "ben-1", "cid-0", "cid-1"]);
    // These names differ only in characters that parameter names cannot contain.
    let alike = inline(
        "(role x_1) (role x-1) (role +) (init p) (<= (legal ?r m) (role ?r)) (<= (legal ?r n) (role ?r))
         (<= (next q) (true p)) (<= terminal (true q)) (<= (goal ?r 50) (role ?r))",
    );
    let names: BTreeSet<_> =
        Seeded::<true>::space(&alike).parameters().iter().map(|p| p.name.to_string()).collect();
    assert_eq!(names.len(), 3, "{names:?}");

    fn refuses<S: ParametricStrategy<RuleFile>>(game: &RuleFile) {
        let dimension = S::space(game).dimension();
        let mut theta = vec![0.0; dimension];
        let mut strategy = S::from_parameters(game, &theta).expect("zeros are right");
        let longer = vec![0.0; dimension + 1];
        for wrong in [&longer, &longer[..dimension - 1], &[]] {
            let refused = strategy.set_parameters(game, wrong);
            assert!(matches!(refused, Err(ParameterError::WrongNumber { .. })), "{refused:?}");
            assert!(S::from_parameters(game, wrong).is_err());
        }
        theta[dimension - 1] = f64::NAN;
        assert!(strategy.set_parameters(game, &theta).is_err());
        assert!(S::from_parameters(game, &theta).is_err());
    }
    refuses::<Seeded<true>>(&game);
    refuses::<Seeded<false>>(&game);
    refuses::<Linear<false>>(&game);
    refuses::<Linear<true>>(&game);
}

#[test]
fn parameters_that_are_set_replace_all_others() {
    fn check<S: ParametricStrategy<RuleFile> + Policy>(game: &RuleFile) {
        let mut set: S = strategy(game, 1);
        let fresh: S = strategy(game, 2);
        let theta = sines(S::space(game).dimension(), 2);
        set.set_parameters(game, &theta).expect("a right vector");
        random_decisions(game, 5, |state, seat| {
            let view = game.view(state, seat);
            assert_eq!(probabilities(&set, &view), probabilities(&fresh, &view));
        });
    }
    for name in ["battleship_4x4", "cant_stop_mini", "lowest_unique"] {
        let game = file(name);
        check::<Seeded<true>>(&game);
        check::<Seeded<false>>(&game);
        check::<Linear<false>>(&game);
        check::<Linear<true>>(&game);
    }
}
