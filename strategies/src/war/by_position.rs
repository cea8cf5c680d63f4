//! Orders of piles that follow from weights of positions, for `war-orders` and `batawaf-orders`.

use std::cmp::Ordering;

use ruse_games::war::MAX_CARDS;

use super::words::shuffled;
use super::{OrderProbabilities, Perturbation, PileOrdering};
use crate::Reference;

/// The number of weights: the size of a pile after one tie, the most frequent size above two.
const NUM_WEIGHTS: usize = 6;

/// By default, one in this number of piles is shuffled. Two orders without randomness may repeat a cycle for ever; at
/// this rate, nearly all games end, and nearly all piles keep their order.
const USUAL_PILES: f64 = 2_000.0;

/// The weights of the order worst, best, second worst, second best, third worst, third best. Cards at the same distance
/// from the ends have nearly equal weights, so that larger piles are zigzags, too.
const LOW_HIGH: [f64; NUM_WEIGHTS] = [5.0, 3.0, 1.0, 0.9, 2.9, 4.9];

/// The weights of the order best, worst, second best, second worst, third best, third worst.
const HIGH_LOW: [f64; NUM_WEIGHTS] = [4.9, 2.9, 0.9, 1.0, 3.0, 5.0];

/// An order for every size of pile. A flag decides the order of two cards. In larger piles, the card with the largest
/// weight goes back first; of equal weights, the worse card goes first.
///
/// The six weights belong to six cards in ascending order. For other sizes of pile, the weights are interpolated, so
/// that the orders are similar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ByPosition {
    swaps_two: bool,
    weights: [f64; NUM_WEIGHTS],
    /// The order in which six cards go back. The worst card has number 0.
    six: [u8; NUM_WEIGHTS],
}

impl ByPosition {
    fn new(best_of_two: f64, weights: [f64; NUM_WEIGHTS]) -> ByPosition {
        let mut six = [0, 1, 2, 3, 4, 5];
        sort_by_weights(&mut six, weights);
        ByPosition { swaps_two: best_of_two > 0.0, weights, six }
    }

    /// Returns the weight of card `index` of a pile of `size` cards in ascending order; `size` is at least 2.
    fn weight(&self, index: usize, size: usize) -> f64 {
        let position = (index * (NUM_WEIGHTS - 1)) as f64 / (size - 1) as f64;
        let before = (position as usize).min(NUM_WEIGHTS - 2);
        let share = position - before as f64;
        (1.0 - share) * self.weights[before] + share * self.weights[before + 1]
    }
}

/// Sorts cards by their weights, the largest first; equal weights keep their order. Does not allocate.
fn sort_by_weights<const N: usize>(cards: &mut [u8], mut weights: [f64; N]) {
    for end in 1..cards.len() {
        let mut place = end;
        while place > 0 && weights[place - 1].total_cmp(&weights[place]) == Ordering::Less {
            weights.swap(place - 1, place);
            cards.swap(place - 1, place);
            place -= 1;
        }
    }
}

/// By default, cards go back in ascending order.
impl Default for ByPosition {
    fn default() -> ByPosition {
        ByPosition::new(0.0, [0.0; NUM_WEIGHTS])
    }
}

impl Perturbation for ByPosition {
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("R", "logarithm of the odds that a pile is shuffled, relative to one pile in 2,000"),
        ("T", "of two cards, the better one goes back first if this number is above 0"),
        ("W1", "weight of the worst of six cards; the largest weight goes back first"),
        ("W2", "weight of the second worst of six cards"),
        ("W3", "weight of the third worst of six cards"),
        ("W4", "weight of the third best of six cards"),
        ("W5", "weight of the second best of six cards"),
        ("W6", "weight of the best of six cards"),
    ];
    const CORNERS: Option<[&'static str; 3]> = None;

    type Named = ByPosition;

    fn from_parameters(theta: &[f64]) -> (OrderProbabilities, ByPosition) {
        let (rate, best_of_two) = (theta[0], theta[1]);
        let weights = std::array::from_fn(|index| theta[2 + index]);
        // If the rate is 0, one of 2,000 piles is shuffled. The exponential may overflow; the probability is then 0.
        let random = 1.0 / (1.0 + (USUAL_PILES - 1.0) * libm::exp(-rate));
        let probabilities = OrderProbabilities { random, ascending: 1.0 - random, descending: 0.0 };
        (probabilities, ByPosition::new(best_of_two, weights))
    }

    fn perturb(&self, ascending: &mut [u8]) {
        let size = ascending.len();
        if let Ok(cards) = <&mut [u8; NUM_WEIGHTS]>::try_from(&mut *ascending) {
            *cards = self.six.map(|card| cards[usize::from(card)]);
        } else if size == 2 {
            if self.swaps_two {
                ascending.reverse();
            }
        } else if size > 2 {
            let mut weights = [0.0; MAX_CARDS];
            for (index, weight) in weights[..size].iter_mut().enumerate() {
                *weight = self.weight(index, size);
            }
            sort_by_weights(ascending, weights);
        }
    }

    fn swaps_two(&self) -> bool {
        self.swaps_two
    }

    fn words(strategy: &PileOrdering<ByPosition>) -> String {
        let names = ["worst", "second worst", "third worst", "third best", "second best", "best"];
        let order = strategy.perturbation.six.map(|card| names[usize::from(card)]).join(", ");
        let first_of_two = if strategy.perturbation.swaps_two { "better" } else { "worse" };
        format!(
            "puts six cards back in the order {order} (other numbers of cards alike), and the {first_of_two} of two \
             cards first; {}",
            shuffled(strategy.probabilities().random)
        )
    }

    fn further_references() -> Vec<Reference<PileOrdering<ByPosition>>> {
        let reference = |name, meaning, best_of_two, weights: [f64; NUM_WEIGHTS]| {
            let theta: Vec<f64> = [0.0, best_of_two].into_iter().chain(weights).collect();
            let (probabilities, order) = ByPosition::from_parameters(&theta);
            let strategy = PileOrdering::with(probabilities, order);
            Reference::new(name, meaning, strategy).with_parameters(theta)
        };
        vec![
            reference(
                "low-high",
                "puts cards back worst, best, second worst, second best, ...; one pile in 2,000 shuffled",
                -1.0,
                LOW_HIGH,
            ),
            reference(
                "high-low",
                "puts cards back best, worst, second best, second worst, ...; one pile in 2,000 shuffled",
                1.0,
                HIGH_LOW,
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(size: u8, best_of_two: f64, weights: [f64; NUM_WEIGHTS]) -> Vec<u8> {
        let mut cards: Vec<u8> = (1..=size).collect();
        ByPosition::new(best_of_two, weights).perturb(&mut cards);
        cards
    }

    #[test]
    fn cards_go_back_by_their_weights() {
        assert_eq!(order_of(2, -1.0, LOW_HIGH), [1, 2]);
        assert_eq!(order_of(2, 1.0, HIGH_LOW), [2, 1]);
        assert_eq!(order_of(6, -1.0, LOW_HIGH), [1, 6, 2, 5, 3, 4]);
        assert_eq!(order_of(6, 1.0, HIGH_LOW), [6, 1, 5, 2, 4, 3]);
        assert_eq!(order_of(6, 1.0, [-3.0, 8.0, 0.5, 0.25, 9.0, -2.0]), [5, 2, 3, 4, 6, 1]);
    }

    /// A pile has ten cards after two ties, and fourteen cards after three.
    #[test]
    fn a_zigzag_of_six_is_a_zigzag_of_more() {
        assert_eq!(order_of(10, -1.0, LOW_HIGH), [1, 10, 2, 9, 3, 8, 4, 7, 5, 6]);
        assert_eq!(order_of(10, 1.0, HIGH_LOW), [10, 1, 9, 2, 8, 3, 7, 4, 6, 5]);
        let fourteen = [1, 14, 2, 13, 3, 12, 4, 11, 5, 10, 6, 9, 7, 8];
        assert_eq!(order_of(14, -1.0, LOW_HIGH), fourteen);
    }

    #[test]
    fn equal_weights_keep_the_ascending_order() {
        for size in [2, 3, 6, 10, 127, 128] {
            let ascending: Vec<u8> = (1..=size).collect();
            assert_eq!(order_of(size, 0.0, [0.0; 6]), ascending);
            // Infinite sums, and zeros of both signs, sort like any other numbers.
            assert_eq!(order_of(size, 0.0, [f64::MAX, 1e300, 3.0, 0.0, -0.0, f64::MIN]), ascending);
        }
    }

    #[test]
    fn one_pile_in_two_thousand_is_shuffled_at_zero() {
        let random =
            |rate: f64| ByPosition::from_parameters(&[rate, 0., 0., 0., 0., 0., 0., 0.]).0.random;
        assert!((random(0.0) - 1.0 / 2_000.0).abs() < 1e-18);
        // The odds are 1 : 1 and 1 : 1,999,000.
        assert!((random(libm::log(1_999.0)) - 0.5).abs() < 1e-12);
        assert!((random(-libm::log(1_000.0)) * 1_999_001.0 - 1.0).abs() < 1e-12);
        assert_eq!((random(-1e308), random(1e308)), (0.0, 1.0));
    }
}
