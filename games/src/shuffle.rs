//! Shuffling.

use rand::Rng;

/// Puts `items` in a uniformly random order.
///
/// This is the shuffle of Fisher & Yates, from the last place down. One 64-bit draw yields as many indices as possible:
/// it is read as a fraction, and multiplying it by a range splits it into an index and a new fraction (Lemire, *Fast
/// random integer generation in an interval*, ACM TOMACS 29, 2019; Brackett-Rozinsky & Lemire, *Batched ranged random
/// integer generation*, Software: Practice and Experience 55, 2025). No draw is rejected: a batch covers at most 2^32
/// combinations, so the probability of each combination is off by less than one part in 2^32.
#[inline]
pub fn shuffle<T, R: Rng>(items: &mut [T], rng: &mut R) {
    const MAX_COMBINATIONS: u64 = 1 << 32;
    let mut fraction = 0u64;
    let mut combinations = MAX_COMBINATIONS;
    for i in (1..items.len()).rev() {
        let range = i as u64 + 1;
        combinations = combinations.saturating_mul(range);
        if combinations > MAX_COMBINATIONS {
            fraction = rng.next_u64();
            combinations = range;
        }
        let product = u128::from(fraction) * u128::from(range);
        fraction = product as u64;
        items.swap(i, (product >> 64) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rng;

    #[test]
    fn every_order_is_equally_likely() {
        let mut rng = rng();
        let num_shuffles = 120_000;
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..num_shuffles {
            let mut items = [0u8, 1, 2, 3, 4];
            shuffle(&mut items, &mut rng);
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 120);
        // The expected count of each order is 1000. Chi-square with 119 degrees of freedom has a standard deviation of
        // 15.4; it exceeds 200 for fewer than one seed in 200 000.
        let chi_square: f64 =
            counts.values().map(|&count| f64::from(count) - 1000.0).map(|d| d * d / 1000.0).sum();
        assert!(chi_square < 200.0, "chi-square {chi_square} of 119");

        let mut places = vec![[0u32; 52]; 52];
        for _ in 0..num_shuffles {
            let mut deck: [usize; 52] = std::array::from_fn(|card| card);
            shuffle(&mut deck, &mut rng);
            deck.iter().enumerate().for_each(|(place, &card)| places[card][place] += 1);
        }
        // Chi-square with 51 x 51 = 2601 degrees of freedom has a standard deviation of 72.
        let expected = f64::from(num_shuffles) / 52.0;
        let chi_square: f64 = places
            .iter()
            .flatten()
            .map(|&count| f64::from(count) - expected)
            .map(|d| d * d / expected)
            .sum();
        assert!((chi_square - 2601.0).abs() < 5.0 * 72.0, "chi-square {chi_square} of 2601");
    }
}
