use rand_distr::Distribution;
use ruse_base::gaussian::Gaussian;
use ruse_games::AdjustableRules;
use ruse_search::Strategy;

use super::*;
use crate::Family;
use crate::testing::{PanicRng, rng};

fn nim(changes: &[(&str, u64)]) -> Nim {
    let changes = changes.iter().map(|&(name, value)| (name.into(), value)).collect();
    Nim::standard().with_rules(&changes).expect("valid rules")
}

fn valuing(game: &Nim, value: impl Fn(usize) -> f64) -> ValueFunction {
    let theta: Vec<f64> = (1..game.num_positions()).map(value).collect();
    ValueFunction::from_parameters(game, &theta).expect("finite")
}

fn perfect(game: &Nim) -> ValueFunction {
    let solution = Solution::of(game);
    valuing(game, |position| f64::from(u8::from(solution.is_lost(position))))
}

/// Returns `true` if the player to move loses, by the theorem of Bouton 1901.
fn is_lost_by_theory(game: &Nim, position: usize) -> bool {
    let heaps = game.heaps_of(position);
    let nim_sum_is_zero = heaps.iter().fold(0, |sum, size| sum ^ size) == 0;
    let exception = game.is_misere() && heaps.iter().all(|&size| size <= 1);
    nim_sum_is_zero != exception
}

#[test]
fn lost_positions_are_those_of_the_theory() {
    for misere in [0, 1] {
        for changes in [
            vec![("misere", misere)],
            vec![("misere", misere), ("heap-1", 4), ("heap-5", 3), ("heap-6", 2)],
            vec![("misere", misere), ("heap-2", 0), ("heap-3", 1)],
        ] {
            let game = nim(&changes);
            let solution = Solution::of(&game);
            for position in 0..game.num_positions() {
                let expected = is_lost_by_theory(&game, position);
                assert_eq!(solution.is_lost(position), expected, "{:?}", game.heaps_of(position));
            }
        }
        // An independent prototype finds 48 lost positions in both variants, including the start. The end is lost only
        // in a normal game.
        let solution = Solution::of(&nim(&[("misere", misere)]));
        assert_eq!((0..384).filter(|&position| solution.is_lost(position)).count(), 48);
        assert!(solution.is_lost(383));
        assert_eq!(solution.is_lost(0), misere == 0);
    }
}

#[test]
fn perfect_play_against_random_moves() {
    // An independent prototype gave this value for the misère game.
    let game = Nim::standard();
    let optimal = NimReference::Optimal(Solution::of(&game));
    let wins = exact_wins(&game, &optimal, &NimReference::Random);
    assert!((wins.first - 0.990_495).abs() < 0.5e-6, "{wins:?}");
    assert!((wins.second - 1.0).abs() < 1e-12, "{wins:?}");
    // The second player wins.
    let wins = exact_wins(&game, &optimal, &optimal);
    assert!(wins.first == 0.0 && (wins.second - 1.0).abs() < 1e-12, "{wins:?}");
    let wins = exact_wins(&game, &perfect(&game), &optimal);
    assert!(wins.first == 0.0 && (wins.second - 1.0).abs() < 1e-12, "{wins:?}");
}

#[test]
fn gaussian_values_against_random_moves() {
    let game = Nim::standard();
    let mut rng = rng(1);
    let num_strategies = 1000;
    let scores: Vec<f64> = (0..num_strategies)
        .map(|_| {
            let theta: Vec<f64> = (0..383).map(|_| Gaussian.sample(&mut rng)).collect();
            let strategy = ValueFunction::from_parameters(&game, &theta).expect("finite");
            exact_wins(&game, &strategy, &NimReference::Random).mean()
        })
        .collect();
    let n = f64::from(num_strategies);
    let mean = scores.iter().sum::<f64>() / n;
    let deviation = (scores.iter().map(|x| x - mean).map(|d| d * d).sum::<f64>() / n).sqrt();
    // An independent prototype gave a mean of .5685 and a standard deviation of .093. The standard errors are .003 and
    // .0021; four standard errors and the rounding are allowed, so one seed in 10^4 fails.
    assert!((mean - 0.5685).abs() < 0.012, "{mean}");
    assert!((deviation - 0.093).abs() < 0.009, "{deviation}");
}

#[test]
fn the_largest_value_is_left() {
    let game = Nim::standard();
    let play = |strategy: &ValueFunction, heaps: [u16; MAX_HEAPS]| {
        let view = NimView { heaps: &heaps, position: game.position(heaps) as u32 };
        let mut takes = [Take::default(); 2];
        strategy.act(&mut (), view, &mut PanicRng, &mut takes[0]);
        // Without the precomputed plan, the move is the same.
        let mut redrawn = strategy.clone();
        let theta = strategy.values[1..].to_vec();
        redrawn.set_parameters(&game, &theta).expect("finite");
        redrawn.act(&mut (), view, &mut PanicRng, &mut takes[1]);
        assert_eq!(takes[0], takes[1]);
        (takes[0].heap, takes[0].matches)
    };
    let wanted = game.position([1, 3, 2, 7, 0, 0]);
    let strategy = valuing(&game, |position| if position == wanted { 1.0 } else { 0.0 });
    assert_eq!(play(&strategy, [1, 3, 5, 7, 0, 0]), (2, 3));
    // Among equal values, the player moves to the position with the lowest index; the first heap weighs most.
    assert_eq!(play(&strategy, [1, 3, 0, 7, 0, 0]), (0, 1));
    assert_eq!(play(&strategy, [0, 3, 0, 7, 0, 0]), (1, 3));
    // The end loses, so one of the last two matches is left, whatever its value.
    let pessimist = valuing(&game, |_| -1e300);
    assert_eq!(play(&pessimist, [0, 0, 0, 2, 0, 0]), (3, 1));
    assert_eq!(play(&pessimist, [0, 0, 0, 1, 0, 0]), (3, 1));
    // If the end wins, the player prefers it to any value.
    let game = nim(&[("misere", 0)]);
    let optimist = valuing(&game, |_| 1e300);
    let mut take = Take::default();
    let heaps = [0, 0, 4, 0, 0, 0];
    let view = NimView { heaps: &heaps, position: game.position(heaps) as u32 };
    optimist.act(&mut (), view, &mut PanicRng, &mut take);
    assert_eq!(take, Take { heap: 2, matches: 4 });
}

#[test]
fn parameters_are_named_after_heaps() {
    let space = ValueFunction::space(&Nim::standard());
    assert_eq!(space.dimension(), 383);
    assert_eq!(space.parameters()[0].name, "0-0-0-1");
    assert_eq!(space.parameters()[382].name, "1-3-5-7");
}

#[test]
fn words_say_what_a_person_would_do() {
    let family = NimFamily::standard();
    // 335 = 383 - 48 positions are won. Moves lead to all lost positions except the start.
    let words = family.words(&perfect(family.game()));
    assert!(
        words.starts_with(
            "opens 1-3-5-7 by taking 1 from the heap of 1 (no opening wins against perfect play); as second \
             player answers 16 of the 16 openings that can be beaten with a winning move; finds a winning \
             move in 335 of the 335 positions that have one, and knows 47 of the 47 positions that are good \
             to leave (from wherever it could leave one, it wins); scores 0.99"
        ),
        "{words}"
    );
    assert!(words.ends_with("and 0.5000 against perfect play (both exact)"), "{words}");
    for changes in [vec![("heap-1", 2)], vec![("heap-2", 0), ("heap-3", 0), ("heap-4", 0)]] {
        let family = NimFamily { game: nim(&changes) };
        let words = family.words(&valuing(family.game(), |position| position as f64));
        assert!(words.contains("against perfect play"), "{words}");
    }
}

#[test]
fn best_responses_win_what_can_be_won() {
    let game = Nim::standard();
    let solution = Solution::of(&game);
    let optimal = NimReference::Optimal(solution);
    // The first player loses the start, so no response to perfect play is better than perfect play.
    let equal = best_response_wins(&game, &optimal);
    assert!(equal.first < 1e-12 && equal.second > 1.0 - 1e-12, "{equal:?}");
    // An independent prototype gave .990495 for perfect play against random moves; perfect play does not set traps.
    let traps = best_response_wins(&game, &NimReference::Random);
    assert!(
        0.990_495 < traps.first && traps.first < 1.0 && traps.second > 1.0 - 1e-12,
        "{traps:?}"
    );
    // Between players without randomness, a win is either certain or impossible. The best response wins as second
    // player and, unless the opponent is perfect, also as first player.
    let by_index = valuing(&game, |position| position as f64);
    assert_eq!(best_response_wins(&game, &by_index), BySeat { first: 1.0, second: 1.0 });
    assert_eq!(best_response_wins(&game, &perfect(&game)), BySeat { first: 0.0, second: 1.0 });
}

/// Plays misère Nim with heaps of 1 and 2. The best response to random moves is found by trying all orders of the five
/// positions before the end.
#[test]
fn the_best_response_is_the_best_of_all_value_functions() {
    let game = nim(&[("heap-1", 1), ("heap-2", 2), ("heap-3", 0), ("heap-4", 0)]);
    let found = best_response_wins(&game, &NimReference::Random);
    let mut best = BySeat { first: 0.0, second: 0.0f64 };
    for code in 0..5u32.pow(5) {
        let player = valuing(&game, |position| f64::from(code / 5u32.pow(position as u32 - 1) % 5));
        let wins = exact_wins(&game, &player, &NimReference::Random);
        best = BySeat { first: wins.first.max(best.first), second: wins.second.max(best.second) };
    }
    assert!((found.first - best.first).abs() < 1e-12, "{found:?}, {best:?}");
    assert!((found.second - best.second).abs() < 1e-12, "{found:?}, {best:?}");
}
