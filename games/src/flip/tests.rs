use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use super::*;

fn with(changes: &[(&str, u64)]) -> Result<Flip, RulesError> {
    crate::tests::with(&Flip::standard(), changes)
}

fn start(tops: [u8; 2], visible: [&[u8]; 2], reserves: [&[u8]; 2]) -> FlipState {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let [visible, reserves] = [visible, reserves].map(|[first, second]| BySeat { first, second });
    Flip::standard().start(tops, visible, reserves, &mut rng)
}

fn put(state: &mut FlipState, card: u8, pile: u8) {
    let game = Flip::standard();
    let action = FlipAction { card, pile };
    let Turn::Act(seat) = state.turn else { panic!("the game is over") };
    game.check(state, &action).expect("a legal action");
    game.apply(state, seat, &action, &mut Xoshiro256PlusPlus::seed_from_u64(0));
}

/// Returns all cards of a game, sorted.
fn all_cards(state: &FlipState) -> Vec<u8> {
    let mut cards: Vec<u8> = state.table.into();
    for seat in Seat::BOTH {
        cards.extend(Vec::from(state.visible[seat]));
        cards.extend(state.reserves[seat].cards());
    }
    cards.sort_unstable();
    cards
}

#[test]
fn each_player_gets_five_visible_cards_and_twenty_in_reserve() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let expected: Vec<u8> = (0..13).flat_map(|rank| [rank; 4]).collect();
    for _ in 0..1000 {
        let state = Flip::standard().deal(&mut rng);
        assert_eq!(all_cards(&state), expected);
        for seat in Seat::BOTH {
            assert_eq!(state.visible[seat].len(), 5);
            // There are two cards on the table, and two more each time that neither player can put a card.
            assert_eq!(20 - state.reserves[seat].len(), (state.table.len() - 2) / 2);
        }
    }
}

#[test]
fn cards_go_next_to_each_other_around_the_ring() {
    let game = Flip::standard();
    let state = start([0, 5], [&[12, 1, 4, 6, 9], &[1]], [&[], &[]]);
    let mut actions = Vec::new();
    game.legal(&game.view(&state, Seat::First), &mut actions);
    let expected = [(1, 0), (4, 1), (6, 1), (12, 0)];
    assert_eq!(actions, expected.map(|(card, pile)| FlipAction { card, pile }));
    // A card that fits on both piles gives two actions.
    let state = start([3, 5], [&[4, 4], &[1]], [&[], &[]]);
    actions.clear();
    game.legal(&game.view(&state, Seat::First), &mut actions);
    assert_eq!(actions, [0, 1].map(|pile| FlipAction { card: 4, pile }));
}

#[test]
fn a_card_is_replaced_by_the_top_of_the_reserve() {
    let mut state = start([0, 5], [&[1, 9], &[2, 8]], [&[11, 7], &[3]]);
    put(&mut state, 1, 0);
    assert_eq!(Vec::from(state.visible.first), [7, 9]);
    assert_eq!(state.reserves.first.cards(), [11]);
    assert_eq!((state.tops, state.turn), ([1, 5], Turn::Act(Seat::Second)));
    put(&mut state, 2, 0);
    assert_eq!(Vec::from(state.table), [0, 1, 2, 5]);
    // First has no card for 2 and 5, so Second plays.
    assert_eq!(state.turn, Turn::Act(Seat::Second));
    put(&mut state, 3, 0);
    // Neither player can put a card on 3 or 5, and Second has no reserve, so top cards are drawn until a player can.
    assert!(state.redraws > 0);
    assert_eq!(Vec::from(state.table), [0, 1, 2, 3, 5]);
    assert_ne!(state.turn, Turn::Over(Payoff::DRAW));
}

#[test]
fn blocked_players_turn_a_card() {
    let mut state = start([0, 0], [&[1, 9], &[5, 6]], [&[2, 8, 3], &[2, 7, 3]]);
    put(&mut state, 1, 1);
    // The tops are 0 and 1; First has 3 and 9, Second has 5 and 6. The top cards of the reserves, 8 and 3, become the
    // tops. It was the turn of Second, who cannot put a card on them; First can put the 9 on the 8.
    assert_eq!((state.tops, state.turn), ([8, 3], Turn::Act(Seat::First)));
    assert_eq!(Vec::from(state.table), [0, 0, 1, 3, 8]);
    assert_eq!(state.redraws, 0);
}

#[test]
fn drawn_tops_are_two_different_cards_of_the_table() {
    // The cards on the table are 3 and 5. In either order they become the top cards, and neither player can put a card
    // on them.
    let game = Flip::standard();
    let counts: Vec<u32> = (0..2000)
        .map(|seed| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let limited = Flip { max_redraws: 1, ..game.clone() };
            let visible = BySeat { first: &[9u8][..], second: &[10, 11][..] };
            let reserves = BySeat { first: &[][..], second: &[][..] };
            let state = limited.start([3, 5], visible, reserves, &mut rng);
            assert!(state.tops == [3, 5] || state.tops == [5, 3]);
            // If the limit on redraws is reached, the player with fewer cards wins.
            assert_eq!(state.turn, Turn::Over(Payoff::WIN));
            u32::from(state.tops == [5, 3])
        })
        .collect();
    // The standard deviation is 22.4, as for a fair coin. One set of seeds in a million is off by more than 5 standard
    // deviations.
    let swapped: u32 = counts.into_iter().sum();
    assert!((888..=1112).contains(&swapped), "{swapped} of 2000");
}

#[test]
fn the_last_card_wins() {
    let mut state = start([0, 5], [&[1], &[2, 8]], [&[], &[3]]);
    put(&mut state, 1, 0);
    assert_eq!(state.turn, Turn::Over(Payoff::WIN));
    let mut state = start([0, 5], [&[8], &[6]], [&[], &[]]);
    put(&mut state, 6, 1);
    assert_eq!(state.turn, Turn::Over(Payoff::LOSS));
    let refused = Flip::standard().check(&state, &FlipAction { card: 8, pile: 0 });
    assert_eq!(refused, Err(IllegalPut::GameOver));
}

#[test]
fn actions_against_the_rules_are_refused() {
    let state = start([0, 5], [&[1, 9], &[2, 8]], [&[], &[3]]);
    let refused = |card, pile| {
        let check = Flip::standard().check(&state, &FlipAction { card, pile });
        check.expect_err("refused").to_string()
    };
    assert_eq!(refused(1, 2), "there is no pile 2: piles are 0 and 1");
    assert_eq!(refused(4, 1), "a card of rank 4 cannot be put, for none is visible");
    assert_eq!(refused(200, 1), "a card of rank 200 cannot be put, for none is visible");
    assert_eq!(refused(1, 1), "a card of rank 1 does not fit on one of rank 5");
}

#[test]
fn impossible_rules_are_refused() {
    let message = |changes: &[(&str, u64)]| with(changes).expect_err("refused").to_string();
    assert_eq!(
        message(&[("suits", 3)]),
        "these rules do not go together: 13 ranks x 3 suits are 39 cards, which two players cannot halve"
    );
    assert_eq!(
        message(&[("suits", 10)]),
        "these rules do not go together: 130 cards with 5 visible leave 59 in each reserve, and at most \
         32 can be played"
    );
    assert_eq!(with(&[("suits", 4)]), Ok(Flip::standard()));
}

#[test]
fn impossible_cards_in_a_file_are_refused() {
    let read = |text: &str| serde_json::from_str::<RankCounts>(text).map_err(|e| e.to_string());
    assert_eq!(read("[3,3,14]").map(Vec::from), Ok(vec![3, 3, 14]));
    assert_eq!(read("[15]"), Err("there is no rank 15: ranks are below 15".into()));
    assert!(read(&format!("{:?}", [2; 16])).is_err());
    assert!(serde_json::from_str::<Reserve>(&format!("{:?}", [2; 33])).is_err());
    assert!(serde_json::from_str::<Reserve>("[99]").is_err());
}

proptest! {
    /// No card is lost, the listed actions are exactly the legal ones, and an imagined state has all cards of the deck.
    #[test]
    fn cards_are_conserved(
        seed in any::<u64>(), ranks in 7u64..=15, half_suits in 1u64..=2, visible in 1u64..=15,
    ) {
        let suits = 2 * half_suits;
        let game = with(&[("ranks", ranks), ("suits", suits), ("visible", visible)]).expect("valid");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut state = game.deal(&mut rng);
        let mut action = FlipAction::default();
        let expected: Vec<u8> = (0..ranks as u8).flat_map(|rank| vec![rank; suits as usize]).collect();
        while let Turn::Act(seat) = game.turn(&state) {
            prop_assert_eq!(all_cards(&state), &expected[..]);
            prop_assert!(state.tops.iter().all(|&top| state.table.count(top) > 0));
            let mut actions = Vec::new();
            let view = game.view(&state, seat);
            game.legal(&view, &mut actions);
            for card in 0..ranks as u8 {
                for pile in 0..2 {
                    let action = FlipAction { card, pile };
                    let fits = (card + 1) % ranks as u8 == state.tops[usize::from(pile)]
                        || (state.tops[usize::from(pile)] + 1) % ranks as u8 == card;
                    let legal = fits && state.visible[seat].count(card) > 0;
                    prop_assert_eq!(actions.contains(&action), legal);
                    prop_assert_eq!(game.check(&state, &action).is_ok(), legal);
                }
            }
            prop_assert_eq!(all_cards(&game.imagine(&(), seat, &view, &mut rng)), &expected[..]);
            game.sample_action(&view, &mut rng, &mut action);
            prop_assert!(actions.contains(&action));
            game.apply(&mut state, seat, &action, &mut rng);
        }
    }

    /// Renumbering from `from` around the ring of 13 ranks keeps the count of each rank.
    #[test]
    fn ranks_are_counted_around_the_ring(
        cards in prop::collection::vec(0u8..13, 0..15), from in 0u8..13,
    ) {
        let counts = RankCounts::try_from(cards.clone()).expect("15 cards at most");
        prop_assert_eq!(usize::from(counts.len()), cards.len());
        let rotated = counts.counted_from(from, 13);
        for rank in 0..13 {
            prop_assert_eq!(rotated.count(rank), counts.count((rank + from) % 13));
        }
    }
}
