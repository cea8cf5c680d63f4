//! Hashes of canonical texts, which are the same in every implementation of the language.

/// The 64-bit FNV-1a hash (Fowler, Noll & Vo) of a text that arrives in parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn write(&mut self, text: &str) {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(crate) fn and(mut self, text: &str) -> Self {
        self.write(text);
        self
    }

    pub(crate) fn finish(self) -> u64 {
        self.0
    }
}

/// Returns the 64-bit FNV-1a hash of the bytes of a text.
pub fn fnv(text: &str) -> u64 {
    Fnv::default().and(text).finish()
}

/// Applies a step and the finaliser of SplitMix64 (Steele, Lea & Flood 2014, *Fast splittable pseudorandom number
/// generators*), a permutation of 64-bit numbers.
#[inline]
pub const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the key of a text: `mix(fnv(text))`.
pub fn key(text: &str) -> u64 {
    mix(fnv(text))
}

/// Returns the bits of a strategy's parameter; negative zero and NaN count as zero.
pub fn parameter_bits(value: f64) -> u64 {
    if value == 0.0 || value.is_nan() { 0 } else { value.to_bits() }
}
