//! Describes the play of a quadratic player in words.

use std::fmt::Write;

use super::{NUM_DISTANCES, NUM_FEATURES, QuadraticPlayer, feature_names};

/// The largest number of [`wishes`] that are mentioned; people could not keep more of them in mind.
const NUM_WISHES: usize = 5;

/// The smallest strength of a wish that is mentioned, as a share of the strongest wish.
const WEAK: f64 = 0.1;

/// Returns the effects of the features on the value of the position after a put, strongest first. An effect is the
/// change of the value, near a typical position, if the feature grows by a typical deviation.
///
/// The five features of a hand and a pile form a group. Each card of the hand counts in exactly one of them, so only
/// differences within the group matter: effects are relative to the mean of the group.
fn wishes(player: &QuadraticPlayer) -> Vec<(f64, usize)> {
    // A typical hand has cards of random ranks, four for the player after the put and five for the opponent; 1, 2, 2, 2
    // and 6 of the 13 ranks are at the five distances.
    let probability = |k: usize| [1.0, 2.0, 2.0, 2.0, 6.0][k] / 13.0;
    let num_cards = |i: usize| if i < 2 * NUM_DISTANCES { 4.0 } else { 5.0 };
    let mean = |i: usize| num_cards(i) * probability(i % NUM_DISTANCES);
    let slope = |i: usize| {
        let products: f64 = (0..NUM_FEATURES)
            .map(|j| {
                let coefficient = player.products[i.min(j)][i.max(j)];
                if i == j { 2.0 * coefficient * mean(i) } else { coefficient * mean(j) }
            })
            .sum();
        player.linear[i] + products
    };
    let mut wishes: Vec<(f64, usize)> = (0..NUM_FEATURES)
        .map(|i| {
            let group = i - i % NUM_DISTANCES;
            let average: f64 = (0..NUM_DISTANCES).map(|k| probability(k) * slope(group + k)).sum();
            let p = probability(i % NUM_DISTANCES);
            ((slope(i) - average) * (num_cards(i) * p * (1.0 - p)).sqrt(), i)
        })
        .collect();
    wishes.sort_by(|x, y| y.0.abs().total_cmp(&x.0.abs()));
    wishes
}

/// Describes how a strategy plays.
pub(super) fn words(player: &QuadraticPlayer) -> String {
    let wishes = wishes(player);
    let strongest = wishes[0].0.abs();
    if !(strongest > 0.0 && strongest.is_finite()) {
        return "has no wishes: makes the first put, by rank and then by pile, that it can".into();
    }
    let mut words = String::from("chooses the put that leaves");
    let told =
        wishes.iter().take_while(|request| request.0.abs() >= WEAK * strongest).take(NUM_WISHES);
    for (index, &(effect, feature)) in told.enumerate() {
        let separator = if index == 0 { " above all" } else { "," };
        let amount = if effect > 0.0 { "many" } else { "few" };
        let cards =
            feature_names(feature).1.replace("the opponent's cards", "of the opponent's cards");
        let weight = effect.abs() / strongest;
        let _ = write!(words, "{separator} {amount} {cards}");
        if index > 0 {
            let _ = write!(words, " (weight {weight:.2})");
        }
    }
    words
}
