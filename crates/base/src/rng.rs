//! The source of all randomness.
//!
//! A [`StreamKey`] names a stream of random numbers by its purpose: the run, the iteration, the pair of games, the
//! seat. Streams with the same purpose are the same stream, regardless of the caller, the time and the thread. This
//! makes results independent of the number of threads, and gives the two games of a pair the same deal.
//!
//! Keys have 128 bits, and are derived along a path of labels by the finaliser of SplitMix64. The generator is
//! xoshiro256++ (Blackman & Vigna, *Scrambled linear pseudorandom number generators*, ACM TOMS 2021), whose definition
//! will not change between versions of a library. The same holds for [`Gaussian`], [`Gamma`] and [`Beta`] numbers,
//! which are computed without functions of the platform.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

pub use crate::gamma::{Beta, Gamma, ShapeError};
pub use crate::gaussian::Gaussian;

use crate::hashing::mix;

/// The generator of every stream.
pub type Stream = Xoshiro256PlusPlus;

/// The purpose of a stream. A path of labels and indices from the root names every stream of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum Label {
    /// The parameters of a random individual. Number 0 is the start of an optimiser and also the parameters of a fixed
    /// baseline.
    Start = 1,
    /// One iteration of an optimiser.
    Iteration = 2,
    /// The mutation of an iteration.
    Mutation = 3,
    /// The comparison of an iteration.
    Race = 4,
    /// The score of a new incumbent, for the learning curve.
    Monitor = 5,
    /// The score of the result against the baseline (index 0), or against reference strategy number index - 1.
    Evaluation = 6,
    /// A match that a user has requested.
    Match = 7,
    /// One pair of games.
    Pair = 8,
    /// The chance events of both games of a pair, which are the deal.
    Chance = 9,
    /// The randomness of the seat with this index, in both games of a pair.
    Seat = 10,
    /// The parameters of a baseline that is redrawn for every pair; the index is the side.
    Baseline = 11,
    /// One of several opponents in the comparison of an iteration.
    Opponent = 12,
    /// The choice of a member of a population, for an iteration or for a pair.
    Choice = 13,
    /// One of several requests for games in an iteration.
    Request = 14,
    /// The deals with a given index, which several contestants share.
    Deals = 15,
    /// A race between two members of a championship, or a meeting of two members of a portfolio.
    Championship = 16,
    /// A meeting of the champions of two runs of a comparison.
    Meeting = 17,
    /// The games between all players of a figure; the index is 0 for a population, 1 for champions.
    CrossPlay = 20,
    /// The search for a best response.
    BestResponse = 21,
    /// Games against common play, for an explanation of a strategy.
    CommonPlay = 22,
    /// Interactive games.
    Play = 24,
    /// Games with and without some of the parameters.
    Ablation = 25,
    /// One of several pools of the same size. Index k belongs to the pool numbered k + 1; pool 1 uses the root key
    /// instead.
    Pool = 28,
    /// One game of a strategy against itself.
    SelfPlay = 29,
    /// The choice of the game of a pair, if the family is a set of families.
    Game = 30,
    /// One run of a bandit on a problem.
    Bandit = 40,
}

/// The name of a stream of random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamKey {
    lanes: [u64; 2],
}

impl StreamKey {
    /// Returns the key from which all keys of a program with this seed descend.
    #[inline]
    pub fn root(seed: u64) -> StreamKey {
        StreamKey { lanes: [mix(seed), mix(!seed)] }
    }

    /// Returns the key of a part of this key's purpose; `index` is below 2^56.
    #[inline]
    pub fn child(self, label: Label, index: u64) -> StreamKey {
        debug_assert!(index < 1 << 56, "index {index} does not fit into a stream key");
        let step = mix(((label as u64) << 56) | index);
        let [a, b] = self.lanes;
        StreamKey { lanes: [mix(a ^ step), mix(b.wrapping_add(step))] }
    }

    /// Returns the stream of this key, from its start.
    #[inline]
    pub fn stream(self) -> Stream {
        let [a, b] = self.lanes;
        // This may be any odd number except the increment of SplitMix64, so that no word is the successor of another.
        const STEP: u64 = 0xD1B5_4A32_D192_ED03;
        let words = [mix(a), mix(b), mix(a.wrapping_add(STEP)), mix(b.wrapping_add(STEP))];
        let mut seed = [0; 32];
        for (bytes, word) in seed.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Stream::from_seed(seed)
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn streams_depend_on_every_step_of_the_path() {
        let root = StreamKey::root(1);
        let mut firsts: Vec<u64> = vec![
            root.stream().next_u64(),
            StreamKey::root(2).stream().next_u64(),
            root.child(Label::Pair, 0).stream().next_u64(),
            root.child(Label::Pair, 1).stream().next_u64(),
            root.child(Label::Race, 0).stream().next_u64(),
            root.child(Label::Pair, 0).child(Label::Race, 1).stream().next_u64(),
            root.child(Label::Race, 1).child(Label::Pair, 0).stream().next_u64(),
        ];
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 7);
        assert_eq!(
            root.child(Label::Pair, 5).stream().next_u64(),
            root.child(Label::Pair, 5).stream().next_u64()
        );
    }

    /// The draws of neighbouring streams must look independent, because games are short and take only a few numbers
    /// each. Every statistic is compared with its expectation at 5 standard deviations: a sound generator fails one of
    /// these 20 checks for fewer than one root seed in 80 000.
    #[test]
    fn neighbouring_streams_are_independent() {
        let key = StreamKey::root(7).child(Label::Race, 3);
        let num_streams = 1 << 16;
        let draws: Vec<[u64; 2]> = (0..num_streams)
            .map(|pair| {
                let mut stream = key.child(Label::Pair, pair).child(Label::Seat, 0).stream();
                [stream.next_u64(), stream.next_u64()]
            })
            .collect();
        let n = num_streams as f64;

        for place in 0..2 {
            // The bytes of the first draws are tested by chi-square with 255 degrees of freedom.
            for shift in [0, 8, 48, 56] {
                let mut counts = [0f64; 256];
                for draw in &draws {
                    counts[(draw[place] >> shift) as usize & 255] += 1.0;
                }
                let expected = n / 256.0;
                let chi_square: f64 =
                    counts.iter().map(|c| (c - expected) * (c - expected) / expected).sum();
                assert!((chi_square - 255.0).abs() < 5.0 * (2.0 * 255f64).sqrt(), "{chi_square}");
            }
            // The bits of a stream are compared with the bits of the next stream.
            for bit in [0, 1, 31, 62, 63] {
                let equal = draws
                    .windows(2)
                    .filter(|pair| (pair[0][place] ^ pair[1][place]) >> bit & 1 == 0)
                    .count() as f64;
                assert!((equal - n / 2.0).abs() < 5.0 * (n / 4.0).sqrt(), "bit {bit}: {equal}");
            }
        }
        // The draws of a stream are compared with each other, and with the draws of the sibling stream of the other
        // seat.
        let flips: u32 = draws.iter().map(|draw| (draw[0] ^ draw[1]).count_ones()).sum();
        assert!((f64::from(flips) - 32.0 * n).abs() < 5.0 * (16.0 * n).sqrt());
        let flips: u32 = (0..num_streams)
            .map(|pair| {
                let key = key.child(Label::Pair, pair);
                let other = key.child(Label::Seat, 1).stream().next_u64();
                (key.child(Label::Seat, 0).stream().next_u64() ^ other).count_ones()
            })
            .sum();
        assert!((f64::from(flips) - 32.0 * n).abs() < 5.0 * (16.0 * n).sqrt());
    }
}
