use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use super::CheatAction::{Claim, Put};
use super::*;

fn with(changes: &[(&str, u64)]) -> Result<Cheat, RulesError> {
    crate::tests::with(&Cheat::standard(), changes)
}

/// Plays `actions` from the start. `first` is the hand of the first player.
fn after(game: &Cheat, first: Counts, actions: &[CheatAction]) -> CheatState {
    let mut state = game.start(first);
    // A game of Cheat draws nothing after the deal.
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    for action in actions {
        let Turn::Act(seat) = game.turn(&state) else { panic!("over before {action:?}") };
        game.check(&state, action).expect("a legal action");
        game.apply(&mut state, seat, action, &mut rng);
    }
    state
}

#[test]
fn each_player_gets_half_of_thirteen_cards_of_each_colour() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let num_deals = 10_000;
    let mut sums = [0u32; 2];
    for _ in 0..num_deals {
        let state = Cheat::standard().deal(&mut rng);
        assert_eq!(sum(state.hands.first, state.hands.second), [13; 4]);
        assert_eq!(num_cards(state.hands.first), 26);
        assert_eq!(state.turn, Turn::Act(Seat::First));
        let count = u32::from(state.hands.first[0]);
        sums[0] += count;
        sums[1] += count * count;
    }
    // The number of cards of a colour in a hand has a hypergeometric distribution, with mean 26 x 13/52 and variance 26
    // x 1/4 x 3/4 x 26/51 = 2.485. The standard error is .0158 for the mean, and about .035 for the variance. With
    // limits of 5 standard errors, one seed in a million fails.
    let mean = f64::from(sums[0]) / f64::from(num_deals);
    let variance = f64::from(sums[1]) / f64::from(num_deals) - mean * mean;
    assert!((mean - 6.5).abs() < 0.08, "mean {mean}");
    assert!((variance - 2.485).abs() < 0.18, "variance {variance}");
}

#[test]
fn a_claim_gives_the_table_to_the_liar_or_to_the_claimant() {
    let game = Cheat::standard();
    for (actions, next, first, second) in [
        // First leads colour 0, Second puts colour 3, First claims: Second had lied, takes both, and leads.
        (&[Put(0), Put(3), Claim][..], Seat::Second, [6, 7, 6, 6], [7, 6, 7, 7]),
        // Second put the colour that was led.
        (&[Put(0), Put(0), Claim], Seat::First, [8, 7, 6, 6], [5, 6, 7, 7]),
        // Only the last card counts, not the lie before it.
        (&[Put(0), Put(3), Put(0), Claim], Seat::Second, [5, 7, 6, 6], [8, 6, 7, 7]),
        // A lead is never a lie, but a claim is allowed.
        (&[Put(2), Claim], Seat::Second, [7, 7, 5, 6], [6, 6, 8, 7]),
    ] {
        let state = after(&game, [7, 7, 6, 6], actions);
        assert_eq!((state.turn, state.hands), (Turn::Act(next), BySeat { first, second }));
        assert_eq!(game.view(&state, next).current, None);
    }
}

#[test]
fn the_last_card_wins_even_if_it_is_a_lie() {
    let game = with(&[("cards-per-colour", 2)]).expect("valid rules");
    let state = after(&game, [1, 1, 0, 0], &[Put(0), Put(0), Put(1)]);
    assert_eq!(state.turn, Turn::Over(Payoff::WIN));
    assert_eq!(game.check(&state, &Claim), Err(IllegalCheatAction::GameOver));
    assert_eq!(after(&game, [2, 2, 2, 1], &[Put(0), Put(3)]).turn, Turn::Over(Payoff::LOSS));
}

#[test]
fn the_cap_ends_the_game_as_a_draw() {
    let game = with(&[("cards-per-colour", 2), ("max-plies", 3)]).expect("valid rules");
    assert_eq!(after(&game, [1, 1, 1, 1], &[Put(0), Put(0)]).turn, Turn::Act(Seat::First));
    assert_eq!(
        after(&game, [1, 1, 1, 1], &[Put(0), Put(0), Put(1)]).turn,
        Turn::Over(Payoff::DRAW)
    );
    // A win with the last allowed action is not a draw.
    assert_eq!(after(&game, [1, 1, 0, 0], &[Put(0), Put(0), Put(1)]).turn, Turn::Over(Payoff::WIN));
}

#[test]
fn seats_see_their_cards_and_how_many_the_other_put() {
    let game = Cheat::standard();
    let state = after(&game, [7, 7, 6, 6], &[Put(0), Put(3), Put(1)]);
    assert_eq!(state.plies(), 3);
    assert_eq!(
        game.view(&state, Seat::First),
        CheatView {
            own: [6, 6, 6, 6],
            own_put: [1, 1, 0, 0],
            opponent_cards: 25,
            opponent_put: 1,
            opponent_at_start: [6, 6, 7, 7],
            current: Some(0),
        }
    );
    let seen = game.view(&state, Seat::Second);
    assert_eq!(
        seen,
        CheatView {
            own: [6, 6, 7, 6],
            own_put: [0, 0, 0, 1],
            opponent_cards: 24,
            opponent_put: 2,
            opponent_at_start: [7, 7, 6, 6],
            current: Some(0),
        }
    );
    assert_eq!((seen.table(), seen.last_is_lead()), (3, false));
    // A claim reveals the cards: a new round begins with everything known.
    let state = after(&game, [7, 7, 6, 6], &[Put(0), Put(3), Put(1), Claim]);
    assert_eq!(game.view(&state, Seat::Second).opponent_at_start, state.hands.first);
    assert!(game.view(&after(&game, [7, 7, 6, 6], &[Put(1)]), Seat::Second).last_is_lead());
}

/// Returns the knowledge of a seat after these actions of both seats.
fn knowledge(game: &Cheat, first: Counts, actions: &[CheatAction], seat: Seat) -> CheatKnowledge {
    let mut knowledge = CheatKnowledge::default();
    for (index, action) in actions.iter().enumerate() {
        let state = after(game, first, &actions[..index]);
        if state.turn == Turn::Act(seat) {
            game.learn(&mut knowledge, seat, &game.view(&state, seat), action);
        }
    }
    knowledge
}

#[test]
fn imagined_cards_are_those_that_could_have_been_put() {
    // Second has no card of colour 0, but has put two cards under this colour. Each of the eight cards that Second was
    // dealt is equally likely to be the last of these two.
    let game = with(&[("cards-per-colour", 4)]).expect("valid rules");
    let (hand, actions) = ([4, 0, 2, 2], [Put(0), Put(1), Put(0), Put(1)]);
    let state = after(&game, hand, &actions);
    let known = knowledge(&game, hand, &actions, Seat::First);
    let view = game.view(&state, Seat::First);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let num_states = 40_000;
    let mut counts = [0u32; NUM_COLOURS];
    for _ in 0..num_states {
        let imagined = game.imagine(&known, Seat::First, &view, &mut rng);
        assert_eq!(num_cards(imagined.put.second), 2);
        assert_eq!(sum(imagined.hands.second, imagined.put.second), [0, 4, 2, 2]);
        assert_eq!(imagined.plies, 4);
        let round = imagined.round.expect("cards are on the table");
        assert!(imagined.put.second[usize::from(round.last)] > 0);
        assert_eq!((round.leader, round.current), (Seat::First, 0));
        counts[usize::from(round.last)] += 1;
    }
    // The probabilities are 0, 1/2, 1/4 and 1/4. A frequency is off by more than 5 standard errors for one seed in a
    // million.
    for (count, p) in counts.into_iter().zip([0.0, 0.5, 0.25, 0.25f64]) {
        let allowed = 5.0 * (p * (1.0 - p) / f64::from(num_states)).sqrt();
        assert!((f64::from(count) / f64::from(num_states) - p).abs() <= allowed, "{counts:?}");
    }
}

/// Leads are public, so an imagined state has the same lead.
#[test]
fn an_imagined_lead_is_the_true_one() {
    let game = with(&[("cards-per-colour", 4)]).expect("valid rules");
    let (hand, actions) = ([2, 0, 3, 3], [Put(0), Put(1), Put(2)]);
    let state = after(&game, hand, &actions);
    let known = knowledge(&game, hand, &actions, Seat::Second);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut last = [0; NUM_COLOURS];
    for _ in 0..1_000 {
        let view = game.view(&state, Seat::Second);
        let imagined = game.imagine(&known, Seat::Second, &view, &mut rng);
        assert!(imagined.put.first[0] >= 1, "{imagined:?}");
        last[usize::from(imagined.round.expect("a lead").last)] += 1;
    }
    // After the lead of a 0, the first player has one more 0, no 1, three 2s and three 3s. Each colour that the first
    // player has is missing from 1000 draws with a probability of at most (6/7)^1000.
    assert!(last[0] > 0 && last[1] == 0 && last[2] > 0 && last[3] > 0, "{last:?}");
}

#[test]
fn actions_against_the_rules_are_refused() {
    let game = with(&[("cards-per-colour", 2)]).expect("valid rules");
    let refused =
        |state: &CheatState, action| game.check(state, &action).expect_err("refused").to_string();
    let state = game.start([2, 2, 0, 0]);
    assert_eq!(refused(&state, Put(4)), "there is no colour 4: colours are 0 to 3");
    assert_eq!(refused(&state, Put(2)), "a card of colour 2 cannot be put, for the hand has none");
    assert_eq!(refused(&state, Claim), "there is no card to claim about: one must be led");
    let state = after(&game, [1, 1, 0, 0], &[Put(0), Put(0), Put(1)]);
    assert_eq!(refused(&state, Put(0)), "the game is over");
}

proptest! {
    /// The number of cards of each colour is constant.
    #[test]
    fn cards_are_conserved(seed in any::<u64>(), cards in 2u64..64, steps in 0usize..400) {
        let game = with(&[("cards-per-colour", cards)]).expect("valid rules");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut state = game.deal(&mut rng);
        for _ in 0..steps {
            let Turn::Act(seat) = game.turn(&state) else { break };
            let hands = sum(state.hands.first, state.hands.second);
            let table = sum(state.put.first, state.put.second);
            prop_assert_eq!(sum(hands, table), [cards as u8; 4]);
            let view = game.view(&state, seat);
            prop_assert_eq!(num_cards(table), view.table());
            prop_assert_eq!(state.round.is_some(), num_cards(table) > 0);
            let mut action = CheatAction::default();
            game.sample_action(&view, &mut rng, &mut action);
            game.apply(&mut state, seat, &action, &mut rng);
        }
    }
}
