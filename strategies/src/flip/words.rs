//! How a quadratic player plays, in words.

use std::fmt::Write;

use super::{NUM_DISTANCES, NUM_FEATURES, QuadraticPlayer, feature_names};

/// The number of wishes that are told: a person will not keep more in mind.
const NUM_WISHES: usize = 5;

/// Wishes weaker than this part of the strongest are not told.
const WEAK: f64 = 0.1;

/// What a strategy wishes to see after its put: the effects of the features on the value next to a
/// typical position, strongest first, a typical deviation of each feature being the unit.
///
/// The cards of a hand are all at some distance from a pile, so it is the differences within such a group
/// of five features that matter: effects are relative to their mean.
fn wishes(player: &QuadraticPlayer) -> Vec<(f64, usize)> {
    // A typical hand has cards of random ranks: four of the player after the put, five of the
    // opponent, and of 13 ranks 1, 2, 2, 2 and 6 are at the distances.
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

/// How a strategy plays.
pub(super) fn words(player: &QuadraticPlayer) -> String {
    let wishes = wishes(player);
    let strongest = wishes[0].0.abs();
    if !(strongest > 0.0 && strongest.is_finite()) {
        return "has no wishes: makes the first put, by rank and then by pile, that it can".into();
    }
    let mut words = String::from("chooses the put that leaves");
    let told = wishes.iter().take_while(|wish| wish.0.abs() >= WEAK * strongest).take(NUM_WISHES);
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
