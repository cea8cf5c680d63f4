//! Compares best responses with known values and with other strategies.

use ruse_games::BySeat;
use ruse_games::morra::{Announcement, NUM_ANNOUNCEMENTS};
use ruse_games::nim::Nim;
use ruse_strategies::certificate::{Basis, Work};
use ruse_strategies::guess_who::{GuessWhoReference, best_response_scores};
use ruse_strategies::morra::exploitability;
use ruse_strategies::nim::{KnownMoves, NimReference, Solution, best_response_wins};
use ruse_strategies::{BestResponse, Family};

use super::exact::Asks;
use super::*;
use crate::unfolding::certificate;

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
}

/// Creates a weighted mixture of pure strategies, given as (weight, number).
fn mixture(game: &RuleFile, members: &[(f64, f64)]) -> Prepared<SeedFamily> {
    let of_number = |&(weight, number): &(f64, f64)| {
        let theta = vec![number; game.roles().len()];
        (weight, Prepared::Own(Seeded::from_parameters(game, &theta).expect("right numbers")))
    };
    Prepared::Mixture(Mixture::new(members.iter().map(of_number)).expect("it has members"))
}

/// Returns the scores of the best response to a policy.
fn best_response(game: &RuleFile, policy: &dyn Policy) -> BySeat<f64> {
    let found = certificate(game, &[(1.0, policy)], &Work::default()).expect("a right file");
    assert!(found.is_exact(), "{found:?}");
    BySeat::from_fn(|seat| found.seats[seat].high)
}

fn family(name: &'static str) -> SeedFamily {
    SeedFamily::new(name, file(name))
}

fn response(family: &SeedFamily, player: &Prepared<SeedFamily>) -> BestResponse {
    family.best_response(player).unwrap_or_else(|| panic!("{} is small", family.info().name))
}

#[test]
fn morra_is_exploited_as_the_native_game_is() {
    let family = family("morra");
    // The best response to uniform play scores 53.787879 of 100 (reference data).
    let uniform = [1.0 / NUM_ANNOUNCEMENTS as f64; NUM_ANNOUNCEMENTS];
    let random = response(&family, &Prepared::Reference(RuleFileReference::Random)).scores;
    for score in [random.first, random.second] {
        close(score, (1.0 + exploitability(&uniform)) / 2.0);
        assert!((score - 0.537_878_79).abs() < 1e-8, "{score}");
    }
    // The members make the announcements that these numbers select, which differ by seat.
    let game = family.game().clone();
    let members: Vec<(f64, f64)> = (0..12).map(|k| (f64::from(1 + k % 5), f64::from(k))).collect();
    let total: f64 = members.iter().map(|member| member.0).sum();
    let found = response(&family, &mixture(&game, &members)).scores;
    let walk = Walk::new(&game);
    let start = walk.start();
    let mut walk = walk;
    walk.enter(&start).expect("a start");
    for (role, found) in [(game.roles()[1], found.first), (game.roles()[0], found.second)] {
        let mut announced = [0.0; NUM_ANNOUNCEMENTS];
        for &(weight, number) in &members {
            let pure = Seeded::<true>::from_parameters(&game, &[number; 2]).expect("two numbers");
            let text =
                game.language_rules().move_text(role, choice_of(&pure, &walk.view(&start, role)));
            let index = (0..NUM_ANNOUNCEMENTS).find(|&index| {
                let Announcement { fingers, guess } = Announcement::of_index(index);
                text == format!("(show {fingers} {guess})")
            });
            announced[index.expect("an announcement")] += weight / total;
        }
        close(found, (1.0 + exploitability(&announced)) / 2.0);
        assert!(found > 0.5);
    }
}

/// The best candidate switches, and wins the car in 2 of 3 games.
#[test]
fn the_best_candidate_has_two_thirds() {
    let family = family("monty_hall");
    // Random play wins the car in 1 of 2 games, so the response scores (1 + 2/3 - 1/2) / 2.
    let random = response(&family, &Prepared::Reference(RuleFileReference::Random));
    close(random.scores.first, 7.0 / 12.0);
    close(random.scores.second, 7.0 / 12.0);
    // `first-legal` always stays, because `stay` comes before `switch`, and wins the car in 1 of 3 games.
    let first = response(&family, &Prepared::Reference(RuleFileReference::FirstLegal));
    close(first.score(), 2.0 / 3.0);
}

/// Both players show a side of a coin; `even` gets 100 if the sides are equal, otherwise `odd` does.
const PENNIES: &str = "
    (role even) (role odd) (side heads) (side tails) (init open)
    (<= (legal ?r (show ?s)) (role ?r) (side ?s))
    (<= (next (shown ?r ?s)) (does ?r (show ?s)))
    (<= same (true (shown even ?s)) (true (shown odd ?s)))
    (<= terminal (not (true open)))
    (<= (goal even 100) same) (<= (goal even 0) (not same))
    (<= (goal odd 0) same) (<= (goal odd 100) (not same))";

#[test]
fn pure_play_of_pennies_loses_all_and_random_play_nothing() {
    let game = inline(PENNIES);
    let family = SeedFamily::new("pennies", game.clone());
    let pure = response(&family, &mixture(&game, &[(1.0, 4.0)])).scores;
    close(pure.first, 1.0);
    close(pure.second, 1.0);
    let random = response(&family, &Prepared::Reference(RuleFileReference::Random)).scores;
    close(random.first, 0.5);
    close(random.second, 0.5);
    // For each role, some numbers show heads and the others show tails; the responder bets on the more frequent side.
    let (mut heads, mut members) = ([0.0; 2], Vec::new());
    let mut walk = Walk::new(&game);
    let start = walk.start();
    walk.enter(&start).expect("a start");
    for number in 0..10 {
        let pure = Seeded::<true>::from_parameters(&game, &[f64::from(number); 2]).expect("two");
        for (role, heads) in game.roles().iter().zip(&mut heads) {
            let chosen = choice_of(&pure, &walk.view(&start, *role));
            *heads += f64::from(u8::from(chosen == walk.legal(*role)[0])) / 10.0;
        }
        members.push((1.0, f64::from(number)));
    }
    let mixed = response(&family, &mixture(&game, &members)).scores;
    // The first seat responds to `odd`, and the second responds to `even`.
    close(mixed.first, heads[1].max(1.0 - heads[1]));
    close(mixed.second, heads[0].max(1.0 - heads[0]));
}

#[test]
fn sides_of_several_roles_respond_together_if_they_see_everything() {
    let random = || Prepared::Reference(RuleFileReference::Random);
    // Two equal coins match the third in 1 of 2 games, and random coins in 1 of 4.
    let family_of_coins = family("matching_pennies");
    let found = response(&family_of_coins, &random()).scores;
    close(found.first, (1.0 + 1.0 / 2.0 - 1.0 / 4.0) / 2.0);
    // A single role takes 1: it wins in 4 of 9 games, and another role wins in 4 of 9. Two roles take 1 and 2: one of
    // them always wins, and their mean goal is 50.
    let found = response(&family("lowest_unique"), &random()).scores;
    close(found.first, (100.0 + 400.0 / 9.0 - 200.0 / 9.0) / 200.0);
    close(found.second, (100.0 + 50.0) / 200.0);
    // In this file, each role sees only a part.
    let orchard = family("orchard");
    assert_eq!(orchard.best_response(&random()), None);
    let work = Work { information_sets: 100_000, edges: 100_000, ..Work::default() };
    let bounds = orchard.certificate(&random(), &work).expect("a distribution");
    assert!(bounds.basis() >= Basis::Together, "{bounds:?}");
    let [low, high] = bounds.score();
    assert!((0.5..=high).contains(&low) && high < 1.0, "{bounds:?}");
}

/// A policy that takes matches like a native strategy.
struct Takes(NimReference);

impl Policy for Takes {
    fn memory(&self, _: &RoleView<'_>) -> u64 {
        0
    }

    fn probabilities(&self, view: &RoleView<'_>, probabilities: &mut Vec<f64>) {
        let (rules, role, nim) = (view.rules(), view.role(), Nim::standard());
        let numbers = |text: &str| -> Vec<usize> {
            let words = text.trim_matches(['(', ')']).split(' ').skip(1);
            words.filter_map(|word| word.parse().ok()).collect()
        };
        let mut heaps = [0_u16; 6];
        for fluent in view.state().expect("all is seen").iter() {
            if let [heap, size] = numbers(&rules.fluent(fluent))[..] {
                heaps[heap - 1] = size as u16;
            }
        }
        let position = nim.position(heaps);
        let texts = view.legal().iter().map(|&action| rules.move_text(role, action));
        probabilities.clear();
        if view.legal().len() == 1 {
            probabilities.push(1.0);
            return;
        }
        let left = self.0.left(&nim, position);
        probabilities.extend(texts.map(|text| {
            let [heap, matches] = numbers(text)[..] else { panic!("{text}") };
            let after = position - matches * nim.weights()[heap - 1] as usize;
            let same = left.iter().filter(|(position, _)| *position == after);
            same.map(|(_, probability)| probability).sum::<f64>()
        }));
    }
}

#[test]
fn nim_is_answered_as_the_native_game_is() {
    let (game, nim) = (file("nim"), Nim::standard());
    let references = [NimReference::Random, NimReference::Optimal(Solution::of(&nim))];
    for reference in references {
        let expected = best_response_wins(&nim, &reference);
        let found = best_response(&game, &Takes(reference));
        close(found.first, expected.first);
        close(found.second, expected.second);
    }
    // `random` in the file equals the reference of the native game.
    let random = response(&family("nim"), &Prepared::Reference(RuleFileReference::Random)).scores;
    let expected = best_response_wins(&nim, &NimReference::Random);
    close(random.first, expected.first);
    close(random.second, expected.second);
}

#[test]
fn guess_who_is_answered_as_the_native_game_is() {
    for (name, num_characters) in [("guess_who_8", 8), ("guess_who_16", 16)] {
        let game = file(name);
        for reference in [GuessWhoReference::Dichotomy, GuessWhoReference::Optimal] {
            let expected = best_response_scores(num_characters, &reference);
            let found = best_response(&game, &Asks(reference));
            close(found.first, expected.first);
            close(found.second, expected.second);
        }
    }
}

#[test]
fn no_number_is_better_than_the_best_response() {
    for name in ["monty_hall", "morra", "syntax_zoo", "nim"] {
        let family = family(name);
        let game = family.game().clone();
        let targets = [
            Prepared::Reference(RuleFileReference::FirstLegal),
            mixture(&game, &[(1.0, 17.0)]),
            mixture(&game, &[(1.0, 3.0), (2.0, 5.0), (4.0, 9.0)]),
        ];
        let mut num_equal = 0;
        for target in &targets {
            let best = response(&family, target).score();
            for number in 0..200 {
                let responder = mixture(&game, &[(1.0, 1_000.5 + f64::from(number))]);
                let score = family.exact_score(&responder, target).expect("it is small");
                assert!(score <= best + 1e-12, "{name}: {score} of {number}, {best} is best");
                num_equal += u32::from((score - best).abs() < 1e-9);
            }
        }
        // In the smallest games, some of 600 numbers are as good as the best response, so the bound is tight.
        assert!(num_equal > 0 || ["morra", "nim"].contains(&name), "{name}");
    }
}

/// A strategy scores 1/2 against itself, averaged over both seats.
#[test]
fn the_best_response_to_a_mixture_has_half_at_least() {
    for name in ["monty_hall", "morra", "syntax_zoo", "nim"] {
        let family = family(name);
        for seed in 0..10 {
            let members: Vec<(f64, f64)> =
                (1..=4).map(|k| (f64::from(k), f64::from(10 * seed + k))).collect();
            let score = response(&family, &mixture(family.game(), &members)).score();
            assert!((0.5 - 1e-12..=1.0).contains(&score), "{name}: {score}");
        }
        // A mixture of the same strategy twice equals that strategy.
        let [once, twice] = [&[(1.0, 8.0)][..], &[(2.0, 8.0), (1.0, 8.0)]]
            .map(|members| response(&family, &mixture(family.game(), members)).scores);
        close(once.first, twice.first);
        close(once.second, twice.second);
    }
}
