//! States: sets of true fluents.

/// A set of true fluents: bit `n` is set if the fluent with number `n` ([`crate::Rules::fluent`]) is true.
///
/// A state is small and does not refer to its rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct State {
    words: Box<[u64]>,
}

impl State {
    /// Returns a state of `num_fluents` fluents, all false.
    pub fn empty(num_fluents: usize) -> Self {
        Self::of_words(num_fluents.div_ceil(64))
    }

    pub(crate) fn of_words(num_words: usize) -> Self {
        Self { words: vec![0; num_words].into() }
    }

    /// Returns whether a fluent is true.
    ///
    /// # Panics
    ///
    /// Panics if the fluent does not exist; so does [`State::set`].
    #[inline]
    pub fn contains(&self, fluent: u32) -> bool {
        self.words[fluent as usize / 64] >> (fluent % 64) & 1 == 1
    }

    /// Sets a fluent to true or false.
    #[inline]
    pub fn set(&mut self, fluent: u32, value: bool) {
        let bit = 1 << (fluent % 64);
        let word = &mut self.words[fluent as usize / 64];
        *word = if value { *word | bit } else { *word & !bit };
    }

    /// Returns the numbers of the true fluents, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        ones(&self.words)
    }

    /// Returns the bits; fluent 0 is the lowest bit of the first word.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Replaces all bits.
    ///
    /// # Panics
    ///
    /// Panics if `words` and the state differ in their number of words.
    #[inline]
    pub fn copy_from_words(&mut self, words: &[u64]) {
        self.words.copy_from_slice(words);
    }

    #[inline]
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}

/// Returns the indices of the set bits, in increasing order.
pub(crate) fn ones(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(index as u32 * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_numbered_from_the_lowest() {
        let mut state = State::empty(130);
        for fluent in [0, 63, 64, 129] {
            state.set(fluent, true);
        }
        assert_eq!(state.words(), [1 | 1 << 63, 1, 2]);
        assert_eq!(state.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        state.set(63, false);
        assert!(!state.contains(63) && state.contains(129));
    }
}
