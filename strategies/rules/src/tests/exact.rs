//! Compares exact scores with played games and with native games.

use ruse_games::guess_who::GuessWho;
use ruse_games::{AdjustableRules, BySeat};
use ruse_strategies::guess_who::{
    GuessWhoReference, exact_score as native_score, optimal_win_probability,
};
use ruse_strategies::{Family, Memories, Never, PlayerRef, Streams};

use super::*;
use crate::expected::{exact_results, expected_goals};
use crate::family::{RuleFileFamily, RuleFileStrategy};

/// Returns the mean score of `a` in pairs against `b`, and its standard error.
fn played<S: RuleFileStrategy>(
    family: &RuleFileFamily<S>,
    a: PlayerRef<'_, RuleFileFamily<S>>,
    b: PlayerRef<'_, RuleFileFamily<S>>,
    num_pairs: u32,
) -> (f64, f64) {
    let mut memories = [Memories::default(), Memories::default()];
    let [memories_a, memories_b] = &mut memories;
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut action = RoleMove::default();
    for number in 0..num_pairs {
        let stream = |of: u64| generator(3 * u64::from(number) + of);
        let seats = BySeat { first: stream(1), second: stream(2) };
        let streams = Streams { chance: stream(0), seats };
        let (a, b) = ((a, &mut *memories_a), (b, &mut *memories_b));
        let (pair, _) = family.play_pair(a, b, &mut action, streams, Never);
        sum += pair.score();
        squares += pair.score() * pair.score();
    }
    let n = f64::from(num_pairs);
    let mean = sum / n;
    (mean, ((squares / n - mean * mean).max(0.0) / (n - 1.0)).sqrt())
}

fn agrees<S: RuleFileStrategy>(name: &'static str, mixture: bool) {
    let game = file(name);
    let family = RuleFileFamily::<S>::new(name, game.clone());
    let random = RuleFileReference::Random;
    let mut some_error = 0.0_f64;
    for seed in 1..=3 {
        let own: S = strategy(&game, seed);
        let exact = family
            .exact_score(&Prepared::Own(strategy(&game, seed)), &Prepared::Reference(random))
            .unwrap_or_else(|| panic!("{name} is small"));
        let (mean, error) =
            played(&family, PlayerRef::Own(&own), PlayerRef::Reference(&random), 20_000);
        // Four standard errors are allowed, so each comparison raises a false alarm for one seed in 15,000.
        assert!(
            (mean - exact).abs() <= 4.0 * error + 1e-12,
            "{name} {seed}: {mean} {exact} {error}"
        );
        some_error = some_error.max(error);
        // The scores of the two players sum to 1.
        let other =
            family.exact_score(&Prepared::Reference(random), &Prepared::Own(strategy(&game, seed)));
        assert!((other.expect("as before") + exact - 1.0).abs() < 1e-12, "{name}");
    }
    assert!(some_error > 0.0, "{name}: scores vary");
    if mixture {
        // A mixture scores the weighted mean of its members.
        let own = |seed| Prepared::Own(strategy::<S>(&game, seed));
        let score = |player: &Prepared<_>| {
            family.exact_score(player, &Prepared::Reference(random)).expect("as before")
        };
        let mixed = Mixture::new([(1.0, own(1)), (3.0, own(2))]).expect("two members");
        let expected = (score(&own(1)) + 3.0 * score(&own(2))) / 4.0;
        assert!((score(&Prepared::Mixture(mixed)) - expected).abs() < 1e-12, "{name}");
    }
}

#[test]
fn exact_scores_are_those_of_games_that_are_played() {
    for name in ["monty_hall", "matching_pennies", "morra", "lowest_unique", "syntax_zoo"] {
        agrees::<Seeded<true>>(name, true);
        agrees::<Linear<true>>(name, true);
    }
}

/// Random play scores the mean goals in the reference data.
#[test]
fn random_play_is_worth_what_it_is_known_to_be() {
    for (name, expected) in [
        ("monty_hall", &[50.0][..]),
        ("matching_pennies", &[25.0, 25.0]),
        ("morra", &[50.0, 50.0]),
        // There are 27 joint moves: each role is the only winner in 8 of them, and 3 give 33 to each role.
        ("lowest_unique", &[899.0 / 27.0; 3]),
        ("syntax_zoo", &[17.129_630, 35.393_519]),
    ] {
        let game = file(name);
        let random = RuleFileReference::Random;
        let goals = expected_goals(&game, &|_| &random, 100_000).expect("it is small");
        for (&role, expected) in game.roles().iter().zip(expected) {
            let found = goals[usize::from(role.0)];
            assert!((found - expected).abs() < 1e-6, "{name}: {found} {expected}");
        }
        assert_eq!(expected_goals(&game, &|_| &random, 2), None, "{name}: more than 2 joint moves");
    }
}

/// A policy that asks about as many characters as a native strategy.
pub(super) struct Asks(pub(super) GuessWhoReference);

impl Policy for Asks {
    fn memory(&self, _: &RoleView<'_>) -> u64 {
        0
    }

    fn probabilities(&self, view: &RoleView<'_>, probabilities: &mut Vec<f64>) {
        let (rules, role) = (view.rules(), view.role());
        let name = rules.role_name(role);
        let [mut own, mut opponent] = [0; 2];
        for fluent in view.state().expect("all is seen").iter() {
            let text = rules.fluent(fluent);
            if let ["pool", of, size] =
                text.trim_matches(['(', ')']).split(' ').collect::<Vec<_>>()[..]
            {
                let size: u32 = size.parse().expect("a number");
                *(if of == name { &mut own } else { &mut opponent }) = size;
            }
        }
        probabilities.clear();
        // The waiting role has only one move.
        let asked = format!("(ask {})", self.0.question(own.max(2), opponent.max(2)));
        let texts = view.legal().iter().map(|&action| rules.move_text(role, action));
        probabilities
            .extend(texts.map(|text| f64::from(u8::from(text == asked || text == "noop"))));
    }
}

/// Strategies have the same exact scores in the files as in the native game, which allows any number of characters.
#[test]
fn guess_who_has_the_exact_values_of_the_native_game() {
    agrees_with_native("guess_who_8", 8, 68.75);
}

#[test]
#[ignore = "long"]
fn larger_guess_who_has_the_exact_values_of_the_native_game() {
    agrees_with_native("guess_who_16", 16, 67.1875);
}

/// Compares exact scores of two strategies with those of the native game, and the probability in percent that the first
/// player wins under perfect play with `first_wins`.
fn agrees_with_native(name: &str, characters: u64, first_wins: f64) {
    let (dichotomy, optimal) = (GuessWhoReference::Dichotomy, GuessWhoReference::Optimal);
    let game = file(name);
    let native = GuessWho::standard().with_rules(&[("characters".into(), characters)].into());
    let num_characters = native.expect("2 to 1024").num_characters();
    let players = [&dichotomy, &optimal].map(|reference| Asks(reference.clone()));
    let score = |a: &Asks, b: &Asks| {
        let results = exact_results(&game, &[(1.0, a)], &[(1.0, b)], 20_000_000);
        results.expect("few enough moves").score
    };
    let expected = native_score(num_characters, &dichotomy, &optimal);
    let found = score(&players[0], &players[1]);
    // The score is a sum of millions of numbers, so small rounding errors are allowed.
    assert!((found - expected).abs() < 1e-10, "{name}: {found} {expected}");
    assert!(found <= 0.5, "{name}: {found}");
    assert!((score(&players[1], &players[1]) - 0.5).abs() < 1e-10, "{name}");
    // The winning probability under perfect play: reference data and closed form.
    let goals = expected_goals(&game, &|_| &players[1], 20_000_000).expect("few enough moves");
    assert!((goals[0] - first_wins).abs() < 1e-8, "{name}: {goals:?}");
    let closed = optimal_win_probability(num_characters, num_characters);
    assert!((goals[0] - 100.0 * closed).abs() < 1e-8, "{name}: {goals:?} {closed}");
}
