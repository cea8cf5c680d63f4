//! Pseudo-random objects derived from one real parameter.
//!
//! A few families of the paper have parameters that only serve as the seed of a permutation (Cauwet & Teytaud 2018,
//! section V-A, step 1). The paper does not say how a parameter becomes a seed. Here the bits of the number pass
//! through the finaliser of SplitMix64 (Steele, Lea & Flood, *Fast splittable pseudorandom number generators*, OOPSLA
//! 2014). Equal numbers give equal objects on every machine, and the smallest change of a number gives an unrelated
//! object.

use std::convert::Infallible;
use std::hash::Hasher;

use rand::TryRng;

/// The increment of SplitMix64: 2^64 divided by the golden ratio, rounded to an odd number.
const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns the output of SplitMix64 for state `z`: a bijection of the 64-bit numbers that mixes all bits.
#[inline]
pub fn mix(z: u64) -> u64 {
    let mut z = z.wrapping_add(GOLDEN_GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A pseudo-random stream determined by a real number and a tag.
#[derive(Debug, Clone)]
pub struct HashStream {
    state: u64,
}

impl HashStream {
    /// Creates the stream of `x` for the use named by `tag`. Negative zero and NaN count as zero.
    #[inline]
    pub fn new(x: f64, tag: u64) -> HashStream {
        let bits = if x == 0.0 || x.is_nan() { 0 } else { x.to_bits() };
        HashStream { state: mix(bits) ^ mix(tag) }
    }

    /// Returns the next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let bits = mix(self.state);
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        bits
    }

    /// Returns the next number below `n`, uniform to within `n` / 2^64.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// Permutes `items` by the algorithm of Fisher and Yates, starting at the last item.
    #[inline]
    pub fn permute<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// Lets probability distributions draw their random numbers from this stream.
impl TryRng for HashStream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((HashStream::next_u64(self) >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(HashStream::next_u64(self))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let draw = HashStream::next_u64(self).to_le_bytes();
            chunk.copy_from_slice(&draw[..chunk.len()]);
        }
        Ok(())
    }
}

/// A hasher for keys that are already hashes.
#[derive(Debug, Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    #[inline]
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected values come from an independent prototype of the same definition.

    #[test]
    fn mix_is_that_of_splitmix64() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(1), 0x910a_2dec_8902_5cc1);
    }

    #[test]
    fn streams_belong_to_the_number() {
        let first_two = |x| {
            let mut stream = HashStream::new(x, 1);
            [stream.next_u64(), stream.next_u64()]
        };
        assert_eq!(first_two(0.0), [0xd300_120a_5ea3_5cac, 0x9f4a_3f87_4fec_fd77]);
        assert_eq!(first_two(1.0), [0x6318_ca47_860d_3c79, 0x7625_5dd8_36bc_5103]);
        assert_eq!(first_two(-1.5), [0x995e_7be5_5462_9e10, 0x164d_1359_140d_a399]);
        assert_eq!(first_two(-0.0), first_two(0.0));
        assert_eq!(first_two(f64::NAN), first_two(0.0));
    }

    #[test]
    fn permutations_follow_the_stream() {
        let first_three = |x, tag| {
            let mut stream = HashStream::new(x, tag);
            [(); 3].map(|()| {
                let mut columns = [0, 1, 2, 3, 4, 5, 6];
                stream.permute(&mut columns);
                columns
            })
        };
        assert_eq!(
            first_three(0.0, 1),
            [[4, 2, 6, 0, 1, 3, 5], [0, 6, 2, 5, 1, 4, 3], [0, 4, 2, 1, 6, 3, 5]]
        );
        assert_eq!(
            first_three(-1.5, 2),
            [[2, 3, 1, 0, 5, 4, 6], [2, 0, 1, 3, 5, 4, 6], [4, 0, 3, 2, 1, 5, 6]]
        );
    }
}
