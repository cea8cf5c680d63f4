use super::*;
use crate::tests::rng;

fn standing(own: u32, opponent: u32, turn_total: u32) -> PigState {
    Pig::standard().start(BySeat { first: own, second: opponent }, Seat::First, turn_total)
}

#[test]
fn a_one_loses_the_turn_and_holding_keeps_it() {
    let game = Pig::standard();
    let mut state = standing(50, 60, 20);
    game.roll(&mut state, Seat::First, 5);
    assert_eq!(state, standing(50, 60, 25));
    let mut rng = rng();
    let mut held = state.clone();
    game.apply(&mut held, Seat::First, &PigAction::Hold, &mut rng);
    assert_eq!(held, game.start(BySeat { first: 75, second: 60 }, Seat::Second, 0));
    assert_eq!(game.view(&held, Seat::Second), PigView { own: 60, opponent: 75, turn_total: 0 });
    game.roll(&mut state, Seat::First, 1);
    assert_eq!(state, game.start(BySeat { first: 50, second: 60 }, Seat::Second, 0));
}

#[test]
fn the_goal_wins_at_once() {
    let game = Pig::standard();
    let mut state = standing(50, 60, 44);
    game.roll(&mut state, Seat::First, 5);
    assert_eq!(game.turn(&state), Turn::Act(Seat::First));
    game.roll(&mut state, Seat::First, 2);
    assert_eq!(game.turn(&state), Turn::Over(Payoff::WIN));
    assert_eq!(game.check(&state, &PigAction::Roll), Err(IllegalPigAction::GameOver));
}

#[test]
fn dice_are_fair() {
    let game = Pig::standard();
    let mut rng = rng();
    let mut counts = [0u32; 7];
    for _ in 0..60_000 {
        let mut state = standing(0, 0, 0);
        game.apply(&mut state, Seat::First, &PigAction::Roll, &mut rng);
        let pips = state.turn_total.max(1);
        assert_eq!(
            game.turn(&state),
            Turn::Act(if pips == 1 { Seat::Second } else { Seat::First })
        );
        counts[pips as usize] += 1;
    }
    // Chi-square with 5 degrees of freedom exceeds 35 for one seed in 600 000.
    let chi_square: f64 = counts[1..]
        .iter()
        .map(|&count| f64::from(count) - 10_000.0)
        .map(|d| d * d / 10_000.0)
        .sum();
    assert!(counts[0] == 0 && chi_square < 35.0, "{counts:?}");
}

#[test]
fn a_turn_begins_with_a_roll() {
    let game = Pig::standard();
    let error = game.check(&standing(0, 0, 0), &PigAction::Hold).expect_err("refused");
    assert_eq!(error.to_string(), "a turn begins with a roll; nothing has been rolled to hold");
    let mut actions = Vec::new();
    game.legal(&game.view(&standing(0, 0, 0), Seat::First), &mut actions);
    assert_eq!(actions, [PigAction::Roll]);
    game.legal(&game.view(&standing(0, 0, 2), Seat::First), &mut actions);
    assert_eq!(actions[1..], [PigAction::Roll, PigAction::Hold]);
}
