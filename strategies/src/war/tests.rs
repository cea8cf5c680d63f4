use proptest::prelude::*;
use ruse_search::{Decisions, LogLinear, Strategy};

use super::*;
use crate::Family;
use crate::testing::{PanicRng, assert_gradient, rng};

fn seeing(pile: &[u8], turns: u64) -> WarView<'_> {
    WarView { pile, ties: &[], turned_up: None, own_cards: 20, opponent_cards: 20, turns }
}

/// Returns the frequency of each of the given orders among `num_piles` piles that `strategy` puts back.
fn frequencies<P: Perturbation, const N: usize>(
    strategy: &PileOrdering<P>,
    won: &[u8],
    orders: [&[u8]; N],
    num_piles: u32,
) -> [f64; N] {
    let mut rng = rng(1);
    let mut memory = OrderingMemory::default();
    let mut action = Pile::default();
    let mut counts = [0u32; N];
    strategy.begin(&mut memory, Seat::First);
    for turn in 0..num_piles {
        strategy.act(&mut memory, seeing(won, turn.into()), &mut rng, &mut action);
        if let Some(index) = orders.iter().position(|&order| order == action.cards()) {
            counts[index] += 1;
        }
    }
    counts.map(|count| f64::from(count) / f64::from(num_piles))
}

/// Checks that a frequency is within 5 standard errors of a probability. The seeds are fixed; a new seed would fail in
/// one comparison in a million.
fn assert_close(frequency: f64, probability: f64, num_piles: u32) {
    let standard_error = (probability * (1.0 - probability) / f64::from(num_piles)).sqrt();
    assert!(
        (frequency - probability).abs() <= 5.0 * standard_error + 1e-12,
        "frequency {frequency}, probability {probability} +- {standard_error}"
    );
}

#[test]
fn log_weights_become_probabilities() {
    let p = OrderProbabilities::from_log_weights([0.0, libm::log(2.0), libm::log(5.0)]);
    assert!((p.random - 0.125).abs() < 1e-15);
    assert!((p.ascending - 0.25).abs() < 1e-15);
    assert!((p.descending - 0.625).abs() < 1e-15);
    // The exponentials of these weights overflow a double.
    let p = OrderProbabilities::from_log_weights([-1e300, 0.0, 1e308]);
    assert_eq!((p.random, p.ascending, p.descending), (0.0, 0.0, 1.0));
}

#[test]
fn orders_are_drawn_with_their_probabilities() {
    // Probabilities 1/8, 2/8, 5/8.
    let theta = [0.0, libm::log(2.0), libm::log(5.0)];
    let strategy =
        PileOrdering::<Plain>::from_parameters(&War::standard(), &theta).expect("three numbers");
    let n = 200_000;
    let [low_first, high_first] = frequencies(&strategy, &[2, 9], [&[2, 9], &[9, 2]], n);
    assert_close(high_first, 5.0 / 8.0 + 1.0 / 16.0, n);
    assert_close(low_first, 2.0 / 8.0 + 1.0 / 16.0, n);

    let orders: [&[u8]; 3] = [&[0, 1, 2, 3, 4, 5], &[5, 4, 3, 2, 1, 0], &[1, 0, 2, 3, 4, 5]];
    let [ascending, descending, other] = frequencies(&strategy, orders[0], orders, n);
    // A random order equals each of the 720 orders with probability 1/720.
    assert_close(ascending, 2.0 / 8.0 + 1.0 / (8.0 * 720.0), n);
    assert_close(descending, 5.0 / 8.0 + 1.0 / (8.0 * 720.0), n);
    assert_close(other, 1.0 / (8.0 * 720.0), n);
}

#[test]
fn nearly_pure_strategies_make_their_exceptions() {
    // The random order has probability 3e-4, and the ascending order has probability 6e-4, to within 1e-6.
    let theta = [libm::log(3e-4), libm::log(6e-4), 0.0];
    let strategy =
        PileOrdering::<Plain>::from_parameters(&War::standard(), &theta).expect("three numbers");
    assert!(matches!(strategy.drawing, Drawing::Nearly { order: PureOrder::Descending, .. }));
    let p = strategy.probabilities();
    let n = 20_000_000;
    let [ascending] = frequencies(&strategy, &[2, 9], [&[2, 9]], n);
    assert_close(ascending, p.ascending + p.random / 2.0, n);
}

#[test]
fn the_fourth_parameter_scrambles_every_order() {
    let game = War::standard();
    let strategy = |d: f64, weights: [f64; 3]| {
        let theta = [weights[0], weights[1], weights[2], d];
        PileOrdering::<Hashed>::from_parameters(&game, &theta).expect("four numbers")
    };
    let ascending_only = [-1e3, 1e3, -1e3];
    let descending_only = [-1e3, -1e3, 1e3];
    let mut swaps = 0;
    for d in 0..100 {
        let d = f64::from(d) / 7.0;
        let ascending = strategy(d, ascending_only);
        let pi = ascending.permutation(6);
        // The worst card has rank 10 here, so the pile is the permutation itself, shifted by 10.
        let won = [10, 11, 12, 13, 14, 15];
        let mut action = Pile::default();
        let mut memory = OrderingMemory::default();
        ascending.act(&mut memory, seeing(&won, 3), &mut PanicRng, &mut action);
        let expected: Vec<u8> = pi.iter().map(|&card| card + 10).collect();
        assert_eq!(action.cards(), expected);
        strategy(d, descending_only).act(&mut memory, seeing(&won, 3), &mut PanicRng, &mut action);
        assert_eq!(action.cards(), expected.iter().rev().copied().collect::<Vec<_>>());

        ascending.act(&mut memory, seeing(&[3, 7], 3), &mut PanicRng, &mut action);
        let swapped = ascending.permutation(2) == [1, 0];
        assert_eq!(action.cards(), if swapped { [7, 3] } else { [3, 7] });
        swaps += u32::from(swapped);
    }
    // If each seed swaps with probability 1/2, one in 10^4 sets of seeds is outside 30..=70.
    assert!((30..=70).contains(&swaps), "{swaps} of 100 seeds swap a pile of two");
    // Most piles have two cards, so their distribution is checked for a swapping mixture too.
    let d = (0..).map(f64::from).find(|&d| strategy(d, ascending_only).perturbation.swaps_two);
    let mixture =
        strategy(d.expect("half of all seeds swap"), [0.0, libm::log(2.0), libm::log(5.0)]);
    let [high_first] = frequencies(&mixture, &[2, 9], [&[9, 2]], 200_000);
    assert_close(high_first, 2.0 / 8.0 + 1.0 / 16.0, 200_000);
}

#[test]
fn an_order_by_weights_shuffles_its_share_of_piles() {
    let family = WarFamily::war_orders();
    let references = family.references();
    assert_eq!(
        references.iter().map(|reference| &*reference.name).collect::<Vec<_>>(),
        ["random", "ascending", "descending", "low-high", "high-low"]
    );
    let six = [3, 4, 5, 6, 7, 8];
    let orders: [&[u8]; 3] = [&[3, 8, 4, 7, 5, 6], &[8, 3, 7, 4, 6, 5], &six];
    let n = 4_000_000;
    // One pile in 2,000 goes back in one of 720 orders.
    let usual = 1.0 - 719.0 / 720.0 / 2_000.0;
    let [low_high, _, _] = frequencies(&references[3].strategy, &six, orders, n);
    assert_close(low_high, usual, n);
    let [_, high_low, _] = frequencies(&references[4].strategy, &six, orders, n);
    assert_close(high_low, usual, n);
    let [worse_first] = frequencies(&references[3].strategy, &[2, 9], [&[2, 9]], n);
    assert_close(worse_first, 1.0 - 0.5 / 2_000.0, n);
    // If half of the piles are shuffled, the drawing of orders differs.
    let theta = [libm::log(1_999.0), 1.0, 5.0, 3.0, 1.0, 2.0, 4.0, 6.0];
    let strategy =
        PileOrdering::<ByPosition>::from_parameters(family.game(), &theta).expect("finite");
    let [best_first] = frequencies(&strategy, &[2, 9], [&[9, 2]], n);
    assert_close(best_first, 0.75, n);
    let [_, high_low, _] = frequencies(&strategy, &six, orders, n);
    assert_close(high_low, 0.5 + 0.5 / 720.0, n);
}

#[test]
fn references_have_the_parameters_of_their_play() {
    let family = WarFamily::batawaf_orders();
    for reference in family.references() {
        let Some(theta) = reference.parameters else { continue };
        let strategy = PileOrdering::<ByPosition>::from_parameters(family.game(), &theta);
        assert_eq!(strategy.as_ref(), Ok(&reference.strategy));
    }
    let theta = [0.0, -1.0, 5.0, 3.0, 1.0, 0.9, 2.9, 4.9];
    let strategy = PileOrdering::from_parameters(family.game(), &theta).expect("finite");
    assert_eq!(
        family.words(&strategy),
        "puts six cards back in the order worst, best, second worst, second best, third worst, third best (other \
         numbers of cards alike), and the worse of two cards first; one pile in 2,000 is shuffled"
    );
}

#[test]
fn pure_strategies_draw_nothing() {
    let family = WarFamily::war();
    for reference in family.references() {
        let mut memory = OrderingMemory::default();
        let steady = reference.strategy.steady_actions(&memory);
        assert_eq!(steady, if reference.name == "random" { 0 } else { u64::MAX });
        if steady > 0 {
            let mut action = Pile::default();
            reference.strategy.act(&mut memory, seeing(&[1, 4, 4], 3), &mut PanicRng, &mut action);
            let expected = if reference.name == "ascending" { [1, 4, 4] } else { [4, 4, 1] };
            assert_eq!(action.cards(), expected);
        }
    }
}

#[test]
fn words_say_what_a_person_would_do() {
    let family = WarFamily::war();
    let words = |weights: [f64; 3]| {
        let theta = weights.map(libm::log);
        family.words(&PileOrdering::from_parameters(family.game(), &theta).expect("valid"))
    };
    assert_eq!(
        words([1e-9, 1.0, 0.001]),
        "puts the cards won back in ascending order (worst card first) with probability 0.9990, in \
         reverse order (best card first) with probability 0.0010"
    );
}

proptest! {
    /// A strategy that answers for a stretch in advance takes the same actions when it is asked.
    #[test]
    fn answers_are_what_is_done(
        theta in prop::array::uniform4(-9.0..9.0f64), seed in any::<u64>(), stretch in 0u64..5,
    ) {
        let strategy =
            PileOrdering::<Hashed>::from_parameters(&War::standard(), &theta).expect("finite");
        let mut rng = rng(seed);
        let mut asked_rng = rng.clone();
        let (mut memory, mut asked_memory) = Default::default();
        let answers = strategy.answers(&mut memory, stretch, &mut rng);
        let mut action = Pile::default();
        for turn in 0..Answers::NUM_TURNS {
            let seen = seeing(&[2, 9], stretch * Answers::NUM_TURNS + turn);
            strategy.act(&mut asked_memory, seen, &mut asked_rng, &mut action);
            if let Some(Answers(best_first)) = answers {
                prop_assert_eq!(action.cards()[0] == 9, best_first >> turn & 1 != 0);
            }
        }
        if answers.is_some() {
            prop_assert_eq!(rng, asked_rng);
        }
    }

    /// Each number of cards is put back in an order by weights.
    #[test]
    fn orders_by_weights_are_permutations(weights in prop::array::uniform8(-30.0..30.0f64)) {
        let strategy = PileOrdering::<ByPosition>::from_parameters(&War::batawaf(), &weights);
        for size in 2..=128 {
            let mut order = strategy.as_ref().expect("finite").permutation(size);
            order.sort_unstable();
            prop_assert_eq!(order, (0..size).collect::<Vec<_>>());
        }
    }

    /// The actions that a nearly pure strategy calls steady take no randomness.
    #[test]
    fn steady_actions_are_steady(exponent in -12.0..-8.0f64, seed in any::<u64>()) {
        let theta = [exponent, exponent, 0.0];
        let strategy = PileOrdering::<Plain>::from_parameters(&War::standard(), &theta).expect("finite");
        let mut rng = rng(seed);
        let mut memory = OrderingMemory::default();
        let mut action = Pile::default();
        let steady = (0..10).find_map(|_| {
            strategy.act(&mut memory, seeing(&[1, 2], 3), &mut rng, &mut action);
            Some(strategy.steady_actions(&memory)).filter(|&steady| steady > 3)
        });
        let steady = steady.expect("exceptions are rare");
        strategy.skip_actions(&mut memory, steady - 3);
        for left in (0..3).rev() {
            strategy.act(&mut memory, seeing(&[1, 2], 3), &mut PanicRng, &mut action);
            prop_assert_eq!(action.cards(), [2, 1]);
            prop_assert_eq!(strategy.steady_actions(&memory), left);
        }
    }
}

/// The recorded orders are drawn with the probabilities of the orders, and their gradients agree with finite
/// differences.
#[test]
fn recorded_orders_have_the_probabilities_and_gradients() {
    const NUM_PILES: u32 = 40_000;
    let theta = [0.3, -0.4, 0.9];
    let at = |theta: &[f64]| {
        PileOrdering::<Plain>::from_parameters(&War::standard(), theta).expect("finite")
    };
    let (strategy, mut rng) = (at(&theta), rng(7));
    let (mut memory, mut action) = (OrderingMemory::default(), Pile::default());
    let mut decisions = Decisions::default();
    let mut num_ascending = 0;
    for turn in 0..NUM_PILES {
        let view = seeing(&[2, 9], turn.into());
        strategy.act_recorded(&mut memory, view, &mut rng, &mut action, &mut decisions);
        num_ascending += u32::from(action.cards() == [2, 9]);
    }
    let expected = strategy.probabilities();
    let counts = decisions.iter().fold([0; 3], |mut counts, decision| {
        counts[decision.taken] += 1;
        counts
    });
    let frequency = |count: u32| f64::from(count) / f64::from(NUM_PILES);
    for (count, probability) in counts.into_iter().zip(expected.in_order()) {
        assert_close(frequency(count), probability, NUM_PILES);
    }
    assert_close(frequency(num_ascending), expected.ascending + expected.random / 2.0, NUM_PILES);
    for decision in decisions.iter().take(10) {
        assert_gradient(decision, &theta, |theta| {
            libm::log(at(theta).probabilities().in_order()[decision.taken])
        });
    }
}
