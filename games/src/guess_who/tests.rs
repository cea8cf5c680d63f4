use super::*;
use crate::Payoff;
use crate::tests::rng;

fn standing(own: u32, opponent: u32) -> GuessWhoState {
    GuessWho::standard().start(BySeat { first: own, second: opponent }, Seat::First)
}

#[test]
fn an_answer_leaves_one_part_or_the_other() {
    let game = GuessWho::standard();
    let mut rng = rng();
    let num_questions = 100_000;
    let mut yes = 0;
    for _ in 0..num_questions {
        let mut state = standing(100, 50);
        game.apply(&mut state, Seat::First, &30, &mut rng);
        assert_eq!(state.turn, Turn::Act(Seat::Second));
        let seen = game.view(&state, Seat::Second);
        assert_eq!(seen.own, 50);
        assert!(seen.opponent == 30 || seen.opponent == 70, "{seen:?}");
        yes += u32::from(seen.opponent == 30);
    }
    // The question is about 30 of 100 characters. The limit of 5 standard errors is exceeded for one seed in a million.
    let frequency = f64::from(yes) / f64::from(num_questions);
    assert!((frequency - 0.3).abs() < 5.0 * (0.21 / f64::from(num_questions)).sqrt());
}

#[test]
fn the_last_character_wins_at_once() {
    let game = GuessWho::standard();
    let mut rng = rng();
    // Whatever the answer, one of two characters remains.
    for seat in Seat::BOTH {
        let mut state = game.start(BySeat { first: 2, second: 2 }, seat);
        game.apply(&mut state, seat, &1, &mut rng);
        assert_eq!(game.turn(&state), Turn::Over(Payoff::won_by(seat)));
        assert_eq!(game.check(&state, &1), Err(IllegalQuestion::GameOver));
    }
}

#[test]
fn pointless_questions_are_refused() {
    let game = GuessWho::standard();
    let message = |asked| game.check(&standing(40, 2), &asked).expect_err("refused").to_string();
    assert_eq!(message(0), "a question about 0 of 40 characters; it must be 1 to 39");
    assert_eq!(message(40), "a question about 40 of 40 characters; it must be 1 to 39");
    let mut actions = Vec::new();
    game.legal(&game.view(&standing(40, 2), Seat::First), &mut actions);
    assert_eq!(actions, (1..=39).collect::<Vec<u32>>());
}
