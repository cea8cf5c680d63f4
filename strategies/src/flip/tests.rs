use rand_distr::Distribution;
use ruse_base::gaussian::Gaussian;
use ruse_search::Strategy;

use super::*;
use crate::Family;
use crate::testing::{PanicRng, rng};

fn cards(ranks: &[u8]) -> RankCounts {
    ranks.to_vec().try_into().expect("cards of a deck")
}

fn seeing(own: &[u8], opponent: &[u8], tops: [u8; 2]) -> FlipView {
    FlipView {
        own: cards(own),
        opponent: cards(opponent),
        tops,
        table: cards(&tops),
        own_reserve: 20,
        opponent_reserve: 20,
        redraws: 0,
    }
}

fn put(strategy: &impl Strategy<Flip, Memory = ()>, view: FlipView) -> (u8, u8) {
    let mut action = FlipAction::default();
    strategy.act(&mut (), view, &mut PanicRng, &mut action);
    (action.card, action.pile)
}

fn player(theta: &[f64]) -> QuadraticPlayer {
    QuadraticPlayer::from_parameters(&Flip::standard(), theta).expect("420 finite numbers")
}

/// Returns the player whose parameters are zero except for the given ones.
fn player_of(parameters: &[(usize, f64)]) -> QuadraticPlayer {
    let mut theta = [0.0; NUM_PARAMETERS];
    for &(index, value) in parameters {
        theta[index] = value;
    }
    player(&theta)
}

#[test]
fn features_count_cards_around_the_piles() {
    // Card 1 goes on pile 0. The cards 1, 3, 7 and 12 are left; the tops are 1 and 5. The opponent has 0, 0, 4, 6 and
    // 11.
    let view = seeing(&[1, 1, 3, 7, 12], &[0, 0, 4, 6, 11], [2, 5]);
    let action = FlipAction { card: 1, pile: 0 };
    let expected: [[u8; 5]; 4] = [
        // Distances from 1: 1 -> 0, 3 -> 2, 7 -> 6, 12 -> 2. From 5: 4, 2, 2, 6.
        [1, 0, 2, 0, 1],
        [0, 0, 2, 0, 2],
        // From 1: 0 -> 1 twice, 4 -> 3, 6 -> 5, 11 -> 3. From 5: 5, 5, 1, 1, 6.
        [0, 2, 0, 2, 1],
        [0, 2, 0, 0, 3],
    ];
    let expected: Vec<f64> = expected.as_flattened().iter().map(|&count| count.into()).collect();
    assert_eq!(features(&Flip::standard(), &view, action), *expected);
}

#[test]
fn parameters_are_the_coefficients_of_the_form() {
    let mut rng = rng(1);
    let space = QuadraticPlayer::space(&Flip::standard());
    assert_eq!(space.dimension(), 420);
    let name = |k: usize| &*space.parameters()[k].name;
    // The parameters are named after features 0 and 3, features 14 and 5, and feature 19.
    assert_eq!(name(3), "A[own put 0, own put 3]");
    assert_eq!(name(20 * 14 + 5), "A[opp put 4+, own other 0]");
    assert_eq!(name(419), "b[opp other 4+]");
    assert_eq!(
        space.parameters()[11].meaning,
        "value of own cards of the rank of the card just put, times the opponent's cards one rank from \
         the card just put"
    );
    for _ in 0..100 {
        let theta: [f64; NUM_PARAMETERS] = array::from_fn(|_| Gaussian.sample(&mut rng));
        let x: [f64; NUM_FEATURES] = array::from_fn(|_| rng.next_u64() as f64 / 4e18);
        let expected: f64 = (0..20)
            .map(|i| {
                let row: f64 = (0..20).map(|j| theta[20 * i + j] * x[j] / 5.0).sum();
                x[i] / 5.0 * (theta[400 + i] + row)
            })
            .sum();
        // The 420 terms, each about 1 in size, are summed in a different order.
        assert!((player(&theta).value(&x) - expected).abs() < 1e-11);
    }
}

#[test]
fn the_put_of_the_largest_value_is_made() {
    // The legal puts are 1 on 0 or 2, and 3 on 2.
    let view = seeing(&[1, 3, 7], &[4, 4, 2], [0, 2]);
    // If all values are zero, the first put is made, in the order of ranks, then of piles.
    assert_eq!(put(&player_of(&[]), view), (1, 0));
    // This player prefers a card next to many of the opponent's cards: a 3 is next to all three, a 1 only to the 2.
    assert_eq!(put(&player_of(&[(411, 1.0)]), view), (3, 1));
    // This player prefers few of the opponent's cards next to the top card of the other pile. No card of the opponent
    // is next to a 2 or next to a 0, so the first put is made.
    assert_eq!(put(&player_of(&[(416, -1.0)]), view), (1, 0));
    // This player avoids own cards at distance 2 from the card put: from a 1, on either pile, only the 3 has this
    // distance, so the first put is made.
    assert_eq!(put(&player_of(&[(20 * 2 + 2, -1.0)]), seeing(&[1, 3, 5], &[4], [2, 6])), (1, 0));
    // The only put is made, whatever its value.
    assert_eq!(put(&player_of(&[(411, -1.0)]), seeing(&[3, 8], &[4], [2, 5])), (3, 0));
}

#[test]
fn named_players_follow_their_names() {
    let reference = |name: &str| {
        let references = FlipFamily::flip().references();
        references.into_iter().find(|r| r.name == name).expect("a reference").strategy
    };
    // Puts: 1 on 0 (leaving tops 1, 5), 4 on 5 (0, 4), 6 on 5 (0, 6), 12 on 0 (12, 5).
    let view = seeing(&[1, 4, 6, 7, 12], &[0, 1, 3, 5, 12], [0, 5]);
    // The opponent's cards that fit afterwards: 0; 1, 3, 5, 12; 1, 5, 12; 0.
    assert_eq!(put(&reference("blocking"), view), (1, 0));
    // Own cards that fit afterwards: 4, 6; 1, 12; 1, 7, 12; 4, 6.
    assert_eq!(put(&reference("mobility"), view), (6, 1));

    // The four puts are equally likely: each is made 10 000 times, with a standard error of 87. Five standard errors
    // are allowed, so one seed in 500 000 fails.
    let random = reference("random");
    let mut rng = rng(1);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..40_000 {
        let mut action = FlipAction::default();
        random.act(&mut (), view, &mut rng, &mut action);
        *counts.entry((action.card, action.pile)).or_insert(0) += 1;
    }
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [(1, 0), (4, 1), (6, 1), (12, 0)]);
    assert!(counts.values().all(|count| (9_560..=10_440).contains(count)), "{counts:?}");
}

#[test]
fn words_say_what_is_wished_for() {
    let words = |parameters: &[(usize, f64)]| FlipFamily::flip().words(&player_of(parameters));
    assert!(words(&[]).starts_with("has no wishes"));
    let blocking = words(&[(411, -2.0), (401, 1.0)]);
    assert!(
        blocking.starts_with(
            "chooses the put that leaves above all few of the opponent's cards one rank from the card \
             just put"
        ),
        "{blocking}"
    );
    assert!(
        blocking.contains("many own cards one rank from the card just put (weight 0."),
        "{blocking}"
    );
    // The parameter of a product is mentioned for both features.
    let both = words(&[(20 * 11 + 16, -2.0)]);
    assert!(
        both.contains("few of the opponent's cards one rank from the other top card"),
        "{both}"
    );
}
