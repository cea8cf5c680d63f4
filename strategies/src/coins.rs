//! Coin tosses, 64 at a time.

use rand::Rng;

/// 2^64, the number of values of 64 random bits. A probability times this number is the argument of [`toss_64`].
pub(crate) const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// Tosses 64 independent coins, one per bit: each bit is 1 with probability `below` / 2^64.
///
/// Every coin compares a random number of 64 bits with `below`, bit by bit from the highest. One draw gives the next
/// bit of all 64 numbers and decides half of the undecided coins, so about eight draws are needed; a fair coin needs
/// one.
#[inline(never)]
pub fn toss_64<R: Rng>(below: u64, rng: &mut R) -> u64 {
    let (mut heads, mut undecided) = (0, u64::MAX);
    let mut bits = below;
    // If all remaining bits of `below` are zeros, a number that has been equal so far is not below it.
    while undecided != 0 && bits != 0 {
        let draw = rng.next_u64();
        if bits >> 63 == 1 {
            heads |= undecided & !draw;
            undecided &= draw;
        } else {
            undecided &= !draw;
        }
        bits <<= 1;
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rng;

    #[test]
    fn coins_fall_with_their_probability() {
        let mut rng = rng(1);
        let num_tosses = 20_000;
        for p in [0.0, 1e-3, 0.25, 1.0 / 3.0, 0.5, 0.9, 1.0f64] {
            let below = (p * TWO_TO_64) as u64;
            let mut counts = [0u32; 64];
            let mut equal = 0;
            for _ in 0..num_tosses {
                let coins = toss_64(below, &mut rng);
                (0..64).for_each(|i| counts[i] += (coins >> i & 1) as u32);
                equal += (!(coins ^ coins.rotate_left(1))).count_ones();
            }
            // With 5 standard errors allowed, 7 x 65 comparisons fail for one seed in 4000.
            let n = f64::from(num_tosses);
            for count in counts {
                let deviation = f64::from(count) - n * p;
                assert!(deviation.abs() <= 5.0 * (n * p * (1.0 - p)).sqrt(), "{p}: {count}");
            }
            // Neighbouring coins are equal as often as two independent coins; pairs of neighbours overlap, which
            // multiplies the variance by at most 3.
            let q = p * p + (1.0 - p) * (1.0 - p);
            let deviation = f64::from(equal) - 64.0 * n * q;
            assert!(
                deviation.abs() <= 5.0 * (3.0 * 64.0 * n * q * (1.0 - q)).sqrt(),
                "{p}: {equal}"
            );
        }
    }

    #[test]
    fn a_fair_coin_takes_one_draw() {
        let mut rng = rng(1);
        let mut same = rng.clone();
        assert_eq!(toss_64(1 << 63, &mut rng), !same.next_u64());
        assert_eq!(rng, same);
    }
}
