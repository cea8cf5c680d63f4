//! Fingerprints: numbers that identify the contents of a file.
//!
//! A fingerprint shows whether a file was edited after the program wrote it. Fingerprints do not protect against
//! deliberate forgery, since anyone can compute them.

use std::fmt;

use serde::Serialize;

use crate::hashing::mix;

/// The number of bytes that are mixed into a fingerprint at a time.
const WORD: usize = size_of::<u64>();

/// The fingerprint of bytes that arrive in parts; the division into parts does not matter.
///
/// The finaliser of SplitMix64 mixes the bytes into the fingerprint, eight at a time, and finally the number of bytes.
/// Since the finaliser is a bijection, two texts of the same length that differ only within one group of eight bytes
/// have different fingerprints, so every change of a single byte is detected. Other changes go undetected with
/// probability 2^-64.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fingerprint {
    hash: u64,
    /// The bytes of an incomplete word; the first byte is the least significant.
    word: u64,
    num_bytes: u64,
}

impl Fingerprint {
    /// Adds more bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        // First, single bytes complete the current word; then, whole words are mixed in.
        while !bytes.is_empty() && !self.num_bytes.is_multiple_of(WORD as u64) {
            self.push(bytes[0]);
            bytes = &bytes[1..];
        }
        let (words, rest) = bytes.as_chunks::<WORD>();
        for word in words {
            self.hash = mix(self.hash ^ u64::from_le_bytes(*word));
        }
        self.num_bytes += (words.len() * WORD) as u64;
        for &byte in rest {
            self.push(byte);
        }
    }

    fn push(&mut self, byte: u8) {
        let place = self.num_bytes % WORD as u64;
        self.word |= u64::from(byte) << (8 * place);
        self.num_bytes += 1;
        if place == WORD as u64 - 1 {
            self.hash = mix(self.hash ^ std::mem::take(&mut self.word));
        }
    }

    /// Returns the number of bytes added so far.
    pub fn num_bytes(&self) -> u64 {
        self.num_bytes
    }
}

/// Writes the fingerprint in the form used in files: 16 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", mix(mix(self.hash ^ self.word) ^ self.num_bytes))
    }
}

/// Returns the fingerprint of a text, as written in files.
pub fn fingerprint_of(text: impl AsRef<[u8]>) -> String {
    let mut fingerprint = Fingerprint::default();
    fingerprint.update(text.as_ref());
    fingerprint.to_string()
}

/// Returns the fingerprint of data, computed from their YAML.
pub fn fingerprint(data: &impl Serialize) -> String {
    fingerprint_of(serde_yaml::to_string(data).expect("plain data can be written as YAML"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_do_not_depend_on_parts() {
        let bytes: Vec<u8> = (0..100).map(|i| (i * 37 % 256) as u8).collect();
        let whole = fingerprint_of(&bytes);
        for length in 1..30 {
            let mut fingerprint = Fingerprint::default();
            bytes.chunks(length).for_each(|part| fingerprint.update(part));
            assert_eq!(fingerprint.to_string(), whole, "parts of {length}");
            assert_eq!(fingerprint.num_bytes(), 100);
        }
    }

    /// Compares fingerprints with values from an independent program that follows the same definition.
    #[test]
    fn fingerprints_are_those_of_the_definition() {
        for (text, expected) in [
            ("", "a706dd2f4d197e6f"),
            ("a", "121842d00719760b"),
            ("12345678", "1dedabd94fcc27a9"),
            ("family: war\nmethod: cma-es\n", "125af9228903f302"),
        ] {
            assert_eq!(fingerprint_of(text), expected, "{text:?}");
        }
    }

    #[test]
    fn every_change_of_a_byte_is_noticed() {
        let text = b"iteration,games\n0,0\n1,250\n".to_vec();
        let whole = fingerprint_of(&text);
        for place in 0..text.len() {
            for byte in 0..=u8::MAX {
                let mut changed = text.clone();
                changed[place] = byte;
                assert_eq!(fingerprint_of(&changed) == whole, byte == text[place]);
            }
        }
        // Zero bytes at the end also count.
        assert_ne!(fingerprint_of([0; 3]), fingerprint_of([0; 4]));
    }
}
