use proptest::prelude::*;
use ruse_search::Strategy;

use super::exact::{KnownQuestions, WinProbabilities, positions};
use super::*;
use crate::coins::TWO_TO_64;
use crate::testing::{PanicRng, rng};
use crate::{Family, Prepared};

const DICHOTOMY: GuessWhoReference = GuessWhoReference::Dichotomy;
const OPTIMAL: GuessWhoReference = GuessWhoReference::Optimal;

fn ol() -> GuessWhoReference {
    GuessWhoReference::Asking(Asking::optimal_linear())
}

fn onl() -> GuessWhoReference {
    GuessWhoReference::Asking(Asking::optimal_nonlinear())
}

fn best() -> GuessWhoReference {
    GuessWhoReference::Asking(Asking::best())
}

fn score(num_characters: u32, a: &GuessWhoReference, b: &GuessWhoReference) -> f64 {
    exact_score(num_characters, a, b)
}

#[test]
fn references_ask_what_the_formulas_say() {
    // An independent prototype gave these values for dichotomy, OL, ONL, best and optimal.
    let expected = [
        ((128, 64), [64, 32, 48, 55, 32]),
        ((128, 40), [64, 20, 29, 38, 32]),
        ((128, 10), [64, 5, 1, 6, 8]),
        ((100, 50), [50, 25, 37, 43, 32]),
    ];
    let references = GuessWhoFamily::deterministic().references();
    let names: Vec<&str> = references.iter().map(|reference| &*reference.name).collect();
    assert_eq!(names, ["dichotomy", "ol", "onl", "best", "optimal"]);
    for ((own, opponent), questions) in expected {
        for (reference, expected) in references.iter().zip(questions) {
            let mut question = 0;
            let view = GuessWhoView { own, opponent };
            reference.strategy.act(&mut (), view, &mut PanicRng, &mut question);
            assert_eq!(question, expected, "{} at ({own}, {opponent})", reference.name);
        }
    }
}

#[test]
fn parameters_are_in_the_order_of_the_paper() {
    let game = GuessWho::standard();
    let asking = Asking::from_parameters(&game, &[-0.56, -1.58, -0.06, -0.022]);
    assert_eq!(asking, Ok(Asking::<false>::best()));
    let names = |space: ParameterSpace| {
        space.parameters().iter().map(|parameter| parameter.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(Asking::<false>::space(&game)), ["alpha", "gamma", "zeta", "iota"]);
    assert_eq!(names(Asking::<true>::space(&game)), ["alpha", "beta", "gamma", "zeta", "iota"]);
}

#[test]
fn each_term_moves_the_question_by_what_it_says() {
    let at = |theta: [f64; 4], own, opponent| {
        let asking = Asking::<false>::from_parameters(&GuessWho::standard(), &theta);
        asking.expect("finite").question(own, opponent)
    };
    // Computed by hand for (100, 40): D = 60, D^2 / n = 36, D^3 / n^2 = 21.6.
    assert_eq!(at([0.0; 4], 100, 40), 50);
    assert_eq!(at([0.5, 0.0, 0.0, 0.0], 100, 40), 35);
    assert_eq!(at([0.0, 0.5, 0.0, 0.0], 100, 40), 59);
    assert_eq!(at([0.0, 0.0, 0.5, 0.0], 100, 40), 55);
    assert_eq!(at([0.0, 0.0, 0.0, 0.5], 100, 40), 65);
    // If the player is ahead, only iota counts: (40 - 0.5 x 60) / 2.
    assert_eq!(at([0.0, 0.0, 0.0, 0.5], 40, 100), 5);
    assert_eq!(at([9.0, 9.0, 9.0, 0.0], 40, 100), 20);
    // Checks both ends of the range, and terms that cancel beyond the range of a double.
    assert_eq!(at([1e3, 0.0, 0.0, 0.0], 100, 40), 1);
    assert_eq!(at([-1e3, 0.0, 0.0, 0.0], 100, 40), 99);
    assert_eq!(at([1e308, 1e308, 0.0, 0.0], 100, 2), 1);
}

#[test]
fn exact_scores_are_those_of_an_independent_prototype() {
    type Pair = (GuessWhoReference, GuessWhoReference);
    let sizes = [16, 32, 64, 128, 256];
    let expected: [(Pair, [f64; 5]); 7] = [
        ((ol(), OPTIMAL), [0.5000, 0.5000, 0.5000, 0.5000, 0.5000]),
        ((onl(), OPTIMAL), [0.4688, 0.4805, 0.4785, 0.4785, 0.4785]),
        ((best(), OPTIMAL), [0.4531, 0.4453, 0.4414, 0.4395, 0.4376]),
        ((DICHOTOMY, OPTIMAL), [0.2812, 0.2656, 0.2578, 0.2539, 0.2520]),
        ((onl(), ol()), [0.5273, 0.5312, 0.5371, 0.5391, 0.5389]),
        ((best(), onl()), [0.5391, 0.5195, 0.5176, 0.5222, 0.5240]),
        ((ol(), DICHOTOMY), [0.7188, 0.7344, 0.7422, 0.7461, 0.7480]),
    ];
    for ((a, b), scores) in expected {
        for (num_characters, expected) in sizes.into_iter().zip(scores) {
            let score_a = score(num_characters, &a, &b);
            // The expected values have four digits, and a half may have been rounded up or down.
            assert!(
                (score_a - expected).abs() < 0.500_01e-4,
                "{a:?} against {b:?}, {num_characters} characters: {score_a}, {expected} expected"
            );
            let score_b = score(num_characters, &b, &a);
            assert!((score_a + score_b - 1.0).abs() < 1e-12, "scores {score_a} and {score_b}");
        }
    }
}

#[test]
fn best_responses_score_what_an_independent_prototype_says() {
    for (reference, expected) in
        [(ol(), 0.5536), (onl(), 0.5444), (DICHOTOMY, 0.7461), (OPTIMAL, 0.5)]
    {
        let score = best_response_scores(128, &reference).mean();
        assert!((score - expected).abs() < 0.500_01e-4, "{reference:?}: {score}");
    }
}

/// The computed distribution of a question agrees with counts over 2^12 equidistant values of r, whereas a strategy
/// draws one of 2^64 values. Each probability is off by less than 2 / 2^12.
#[test]
fn the_law_of_a_random_question_is_that_of_the_strategy() {
    let game = GuessWho::standard();
    for theta in [
        [0.0, 0.5, 0.0, 0.0, 0.0],
        [-0.56, 1.0, -1.58, -0.06, -0.022],
        [1.0, -0.7, 0.3, 0.0, 0.2],
        [0.2, 3.0, -1.0, 0.5, 0.0],
        [0.0, 1e6, 0.0, 0.0, 0.0],
    ] {
        let asking = Asking::<true>::from_parameters(&game, &theta).expect("finite");
        for (own, opponent) in [(128, 128), (128, 40), (31, 90), (7, 7), (3, 2), (2, 100)] {
            let num_draws = 1u64 << 12;
            let mut counts = vec![0u32; own as usize];
            for draw in 0..num_draws {
                counts[asking.question_at(own, opponent, draw << 52) as usize] += 1;
            }
            for (question, count) in counts.into_iter().enumerate().skip(1) {
                let indicator = |asked| f64::from(u8::from(asked == question as u32));
                let probability = asking.mean(own, opponent, &indicator);
                let frequency = f64::from(count) / num_draws as f64;
                assert!(
                    (probability - frequency).abs() < 2.0 / num_draws as f64,
                    "{theta:?} at ({own}, {opponent}): {question} with {probability}, {frequency} counted"
                );
            }
            assert!((asking.mean(own, opponent, &|_| 1.0) - 1.0).abs() < 1e-12);
        }
    }
}

/// Games with four characters, solved by hand. A player that halves asks about 2 of 4, then 1 of 2, and wins in its
/// second turn. If the best opponent goes first, it does the same and always wins. If it goes second, it has one turn;
/// it asks about 1 of 4, and wins with probability 1/4.
#[test]
fn best_responses_with_four_characters_are_those_found_by_hand() {
    let scores = best_response_scores(4, &DICHOTOMY);
    assert!((scores.first - 1.0).abs() < 1e-15, "{scores:?}");
    assert!((scores.second - 0.25).abs() < 1e-15, "{scores:?}");
}

#[test]
fn randomness_can_be_scored_and_exploited() {
    let game = GuessWho::standard();
    let family = GuessWhoFamily::stochastic();
    let asking =
        |beta| Asking::from_parameters(&game, &[1.0, beta, 0.0, 0.0, 0.0]).expect("finite");
    let exploited = |asking: Asking<true>| {
        let response = family.best_response(&Prepared::Own(asking));
        response.expect("it is solved").score()
    };
    // Without beta the strategy is OL, whose value is from an independent prototype; any beta makes it worse.
    assert!((exploited(asking(0.0)) - 0.5536).abs() < 0.500_01e-4);
    assert!(exploited(asking(0.1)) > exploited(asking(0.0)));
    let itself = Prepared::Own(asking(0.3));
    assert_eq!(family.exact_score(&itself, &itself), Some(0.5));
    assert_eq!(family.exact_score(&itself, &Prepared::redrawn(&family)), None);
}

/// Finds the best value at every position by dynamic programming, without a formula.
fn solve(num_characters: u32) -> WinProbabilities {
    let mut wins = WinProbabilities::new(num_characters);
    for (own, opponent) in positions(num_characters) {
        let value = (1..own).map(|asked| wins.after(own, opponent, asked)).fold(0.0, f64::max);
        wins.set(own, opponent, value);
    }
    wins
}

#[test]
fn the_closed_form_of_the_optimum_is_that_of_a_dynamic_programme() {
    let wins = solve(150);
    for (own, opponent) in positions(150) {
        let value = wins.get(own, opponent);
        let closed_form = optimal_win_probability(own, opponent);
        assert!((value - closed_form).abs() < 1e-12, "({own}, {opponent}): {value}, {closed_form}");
        let asked = wins.after(own, opponent, optimal_question(own, opponent));
        assert!((value - asked).abs() < 1e-12, "({own}, {opponent}): {value}, {asked}");
    }
    // An independent prototype gave this value.
    assert!((wins.get(128, 128) - 0.666_748).abs() < 0.5e-6);
}

#[test]
fn beta_mixes_in_a_random_question() {
    let game = GuessWho::standard();
    // The question is (1 - 1/2) x 50 + 1/2 r 99 / 2, which ranges from 25 to 49.75.
    let asking = Asking::<true>::from_parameters(&game, &[0.0, 0.5, 0.0, 0.0, 0.0]);
    let asking = asking.expect("finite");
    assert_eq!(asking.question_range(100, 100), (25, 49));
    let mut rng = rng(1);
    let num_questions = 100_000;
    let (mut sum, mut low, mut high) = (0.0, u32::MAX, 0);
    for _ in 0..num_questions {
        let mut question = 0;
        let view = GuessWhoView { own: 100, opponent: 100 };
        asking.act(&mut (), view, &mut rng, &mut question);
        sum += f64::from(question);
        (low, high) = (low.min(question), high.max(question));
    }
    assert_eq!((low, high), (25, 49));
    // The questions 25 to 48 have probability 4 / 99 each, 49 has 3 / 99: the mean is (4 x 876 + 3 x 49) / 99 =
    // 36.8788, and the variance is less than 52.1. One seed in a million exceeds 5 standard errors.
    let mean = sum / f64::from(num_questions);
    assert!((mean - 36.8788).abs() < 5.0 * (52.1 / f64::from(num_questions)).sqrt(), "{mean}");

    // Without beta both families ask the same questions.
    let asking = Asking::<true>::from_parameters(&game, &[-0.56, 0.0, -1.58, -0.06, -0.022]);
    let asking = asking.expect("finite");
    for (own, opponent) in positions(128) {
        let question = Asking::best().question(own, opponent);
        assert_eq!(asking.question_range(own, opponent), (question, question));
    }
}

#[test]
fn words_say_what_a_person_would_do() {
    let family = GuessWhoFamily::stochastic();
    let asking = Asking::from_parameters(family.game(), &[0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(
        family.words(&asking.expect("finite")),
        "asks about 1 to 63 of 128 characters when the opponent has 128 left, 1 to 63 when they have 64 left, 1 \
         to 63 when they have 32 left and 1 to 63 when they have 8 left; ahead, with 64 left, asks about 1 to 31 (each \
         time a new random number in the range)"
    );
    // In the smallest game there is only one question to mention.
    let family = GuessWhoFamily::deterministic()
        .capabilities()
        .with_rules(&[("characters".to_string(), 2)].into())
        .expect("valid rules");
    assert!(family.words(&Asking::best()).starts_with("asks about 1 of 2 characters when"));
}

proptest! {
    /// After many games, a strategy asks the same questions as before its first game.
    #[test]
    fn a_table_changes_no_question(
        theta in prop::array::uniform5(-3.0..3.0f64), exponent in 0..8i32, seed in any::<u64>(),
    ) {
        let theta = theta.map(|x| x * libm::pow(10.0, f64::from(exponent)));
        let game = GuessWho::standard();
        let strategy = Asking::<true>::from_parameters(&game, &theta).expect("finite");
        let played = strategy.clone();
        for _ in 0..1000 {
            played.begin(&mut (), Seat::First);
        }
        // Questions about 32 thousand or more characters do not fit into the table.
        if exponent == 0 {
            prop_assert!(played.lookup.get(2, 128).is_some());
        }
        prop_assert_eq!(played.lookup.get(2, 129), None);
        let mut rng = rng(seed);
        let mut same_rng = rng.clone();
        for (own, opponent) in positions(130) {
            let view = GuessWhoView { own, opponent };
            let (mut expected, mut question) = (0, 0);
            strategy.act(&mut (), view, &mut rng, &mut expected);
            played.act(&mut (), view, &mut same_rng, &mut question);
            prop_assert_eq!(question, expected, "at ({}, {})", own, opponent);
        }
    }

    /// Questions in fixed point agree with the formula in the module documentation.
    #[test]
    fn questions_are_those_of_the_formula(
        theta in prop::array::uniform5(-3.0..3.0f64), exponent in 0..7i32, r in 0.0..1.0f64,
    ) {
        let theta = theta.map(|x| x * libm::pow(10.0, f64::from(exponent)));
        let [alpha, beta, gamma, zeta, iota] = theta;
        let strategy = Asking::<true>::from_parameters(&GuessWho::standard(), &theta);
        let strategy = strategy.expect("finite");
        for (own, opponent) in positions(128) {
            let (n, m) = (f64::from(own), f64::from(opponent));
            let gap = n - m;
            let d = gap.max(0.0);
            let h = (n - alpha * d + gamma * d * d / n + zeta * d * d * d / (n * n) + iota * gap) / 2.0;
            let expected = beta * r * (n - 1.0) / 2.0 + (1.0 - beta) * h;
            let question = strategy.question_at(own, opponent, (r * TWO_TO_64) as u64);
            // This allows for the rounding errors of the fixed point and of the doubles.
            let tolerance = 1.0 / 16384.0 + expected.abs().max(h.abs() * beta.abs()) * 1e-9;
            let low = (expected - tolerance).max(1.0).min(n - 1.0) as u32;
            let high = (expected + tolerance).max(1.0).min(n - 1.0) as u32;
            prop_assert!(
                (low..=high).contains(&question),
                "at ({own}, {opponent}): {question}, {expected} expected"
            );
        }
    }
}

/// A player with five characters asks about one to four of them; 4000 questions are drawn. Each number should occur in
/// a quarter of the draws, with a standard error of .0068. Five standard errors are allowed, which raises a false alarm
/// for one seed in 400 000.
#[test]
fn the_random_player_asks_about_any_number() {
    let mut rng = rng(7);
    let mut counts = [0; 4];
    for _ in 0..4000 {
        let (mut question, view) = (0, GuessWhoView { own: 5, opponent: 9 });
        GuessWhoPlayer::Random.act(&mut (), view, &mut rng, &mut question);
        counts[question as usize - 1] += 1;
    }
    for count in counts {
        assert!((f64::from(count) / 4000.0 - 0.25).abs() < 0.035, "{counts:?}");
    }
    // This is the mean of the numbers 1 to 4.
    assert_eq!(GuessWhoPlayer::Random.mean(5, 9, &f64::from), 2.5);
}
