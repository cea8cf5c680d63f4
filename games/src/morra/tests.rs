use super::*;
use crate::tests::rng;

#[test]
fn all_payoffs_are_those_of_an_independent_prototype() {
    let game = Morra::standard();
    let mut rng = rng();
    let lines = include_str!("payoffs.txt").lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<&[u8]> = lines.map(str::as_bytes).collect();
    assert_eq!(rows.len(), 66);
    for (row, payoffs) in rows.into_iter().enumerate() {
        assert_eq!(payoffs.len(), 66, "row {row}");
        for (column, &payoff) in payoffs.iter().enumerate() {
            let expected = match payoff {
                b'+' => Payoff::WIN,
                b'-' => Payoff::LOSS,
                b'.' => Payoff::DRAW,
                other => panic!("row {row}, column {column}: {other}"),
            };
            let mut state = game.deal(&mut rng);
            game.apply(&mut state, Seat::First, &Announcement::of_index(row), &mut rng);
            game.apply(&mut state, Seat::Second, &Announcement::of_index(column), &mut rng);
            assert_eq!(game.turn(&state), Turn::Over(expected), "row {row}, column {column}");
        }
    }
}

#[test]
fn announcements_have_their_index() {
    assert_eq!(NUM_ANNOUNCEMENTS, 66);
    assert_eq!(Announcement::of_index(0), Announcement { fingers: 0, guess: 0 });
    // 11 x 3 + 4.
    assert_eq!(Announcement::of_index(37), Announcement { fingers: 3, guess: 4 });
    assert_eq!(Announcement::of_index(65), Announcement { fingers: 5, guess: 10 });
    assert!((0..66).all(|index| Announcement::of_index(index).index() == index));
}

#[test]
fn neither_player_hears_the_other_first() {
    let game = Morra::standard();
    let mut rng = rng();
    let announcement = Announcement { fingers: 3, guess: 4 };
    let mut state = game.deal(&mut rng);
    game.apply(&mut state, Seat::First, &announcement, &mut rng);
    let seen = |state: &MorraState, seat| {
        let MorraView { own, opponent } = game.view(state, seat);
        (own, opponent)
    };
    assert_eq!(seen(&state, Seat::First), (Some(announcement), None));
    assert_eq!(seen(&state, Seat::Second), (None, None));
    let view = game.view(&state, Seat::Second);
    let mut imagined = (0..10).map(|_| game.imagine(&(), Seat::Second, &view, &mut rng));
    assert!(imagined.any(|imagined| imagined != state));
    let other = Announcement { fingers: 1, guess: 9 };
    game.apply(&mut state, Seat::Second, &other, &mut rng);
    assert_eq!(seen(&state, Seat::Second), (Some(other), Some(announcement)));
    assert_eq!(game.turn(&state), Turn::Over(Payoff::WIN));
}

#[test]
fn impossible_announcements_are_refused() {
    let game = Morra::standard();
    let state = game.deal(&mut rng());
    let message = |fingers, guess| {
        game.check(&state, &Announcement { fingers, guess }).expect_err("refused").to_string()
    };
    assert_eq!(message(6, 7), "6 fingers are shown; a hand has at most 5");
    assert_eq!(message(5, 11), "the sum is guessed to be 11; two hands have at most 10 fingers");
}

/// Choosing slot by slot reaches all 6 x 11 announcements, each once.
#[test]
fn fingers_and_guess_are_chosen_apart() {
    let game = Morra::standard();
    let state = game.deal(&mut rng());
    let mut slots = Slots::default();
    game.slots(&state, Seat::First, &mut slots);
    assert_eq!(slots.iter().map(<[u8]>::len).collect::<Vec<_>>(), [6, 11]);
    let mut action = Announcement::default();
    let mut found = Vec::new();
    for (fingers, guess) in (0..6).flat_map(|fingers| (0..11).map(move |guess| (fingers, guess))) {
        game.assemble(&state, Seat::First, &slots, &[fingers, guess], &mut action);
        found.push(action);
    }
    assert_eq!(found, (0..66).map(Announcement::of_index).collect::<Vec<_>>());
}
