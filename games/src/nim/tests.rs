use super::*;
use crate::tests::{rng, with};

fn nim(changes: &[(&str, u64)]) -> Result<Nim, RulesError> {
    with(&Nim::standard(), changes)
}

#[test]
fn the_last_match_loses_or_wins() {
    let mut rng = rng();
    for (misere, outcome) in [(1, Payoff::LOSS), (0, Payoff::WIN)] {
        let game = nim(&[("heap-3", 0), ("heap-4", 0), ("misere", misere)]).expect("valid rules");
        let mut state = game.deal(&mut rng);
        for (seat, heap, matches) in
            [(Seat::First, 1, 1), (Seat::Second, 0, 1), (Seat::First, 1, 2)]
        {
            assert_eq!(game.turn(&state), Turn::Act(seat));
            game.apply(&mut state, seat, &Take { heap, matches }, &mut rng);
        }
        assert_eq!(game.turn(&state), Turn::Over(outcome));
    }
}

#[test]
fn positions_are_counted_through() {
    // There are 2 x 4 x 6 x 8 positions.
    let game = Nim::standard();
    assert_eq!(game.num_positions(), 384);
    assert_eq!(game.position([1, 3, 5, 7, 0, 0]), 383);
    assert_eq!(game.position([0, 0, 0, 1, 0, 0]), 1);
    // 1 x 192 + 2 x 48 + 0 x 8 + 3.
    assert_eq!(game.position([1, 2, 0, 3, 0, 0]), 291);
    for position in 0..384 {
        assert_eq!(game.position(game.heaps_of(position)), position);
    }
    let mut rng = rng();
    let mut state = game.deal(&mut rng);
    let mut action = Take::default();
    while let Turn::Act(seat) = game.turn(&state) {
        let seen = game.view(&state, seat);
        assert_eq!(seen.position as usize, game.position(*seen.heaps));
        game.sample_action(&seen, &mut rng, &mut action);
        game.apply(&mut state, seat, &action, &mut rng);
    }
}

#[test]
fn random_moves_are_all_moves_equally_often() {
    let game = Nim::standard();
    let mut rng = rng();
    let state = game.deal(&mut rng);
    let mut actions = Vec::new();
    game.legal(&game.view(&state, Seat::First), &mut actions);
    // 1 + 3 + 5 + 7.
    assert_eq!(actions.len(), 16);
    let mut counts = [0u32; 16];
    for _ in 0..160_000 {
        let take = game.view(&state, Seat::First).random_take(&mut rng);
        counts[actions.iter().position(|&action| action == take).expect("a legal move")] += 1;
    }
    // Chi-square with 15 degrees of freedom exceeds 50 for one seed in 80 000.
    let chi_square: f64 =
        counts.iter().map(|&count| f64::from(count) - 10_000.0).map(|d| d * d / 10_000.0).sum();
    assert!(chi_square < 50.0, "chi-square {chi_square} of 15");
}

#[test]
fn impossible_moves_are_refused() {
    let game = Nim::standard();
    let state = game.deal(&mut rng());
    let message = |heap, matches| {
        game.check(&state, &Take { heap, matches }).expect_err("refused").to_string()
    };
    assert_eq!(message(2, 0), "no match is taken; it must be at least one");
    assert_eq!(message(2, 6), "6 matches are taken from heap 3, which has 5");
    assert_eq!(message(9, 1), "1 matches are taken from heap 10, which has 0");
}

#[test]
fn impossible_rules_are_refused() {
    let message = |changes: &[(&str, u64)]| nim(changes).expect_err("refused").to_string();
    assert_eq!(
        message(&[("heap-1", 0), ("heap-2", 0), ("heap-3", 0), ("heap-4", 0)]),
        "these rules do not go together: there is no match to take"
    );
    // There are 384 x 10 x 10 positions.
    assert_eq!(
        message(&[("heap-5", 9), ("heap-6", 9)]),
        "these rules do not go together: these heaps have 38400 positions, and at most 20000 can be played"
    );
    assert_eq!(nim(&[("heap-5", 9)]).map(|game| game.num_positions()), Ok(3840));
}
