//! The arms pulled so far, numbered in the order of their first pulls.

use ruse_base::hashing::mix;

/// A set of arms, all with the same number of variables.
#[derive(Debug, Clone, Default)]
pub(super) struct Arms {
    num_variables: usize,
    /// The values of all arms, one arm after the other.
    values: Vec<u16>,
    num_arms: usize,
    /// An open-addressing hash table of the numbers of the arms. [`EMPTY`] marks a free place. The search for an arm
    /// starts at its hash. The length is a power of two, or 0 before the first arm.
    places: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;
/// The initial number of places. A node of a tree rarely pulls more than a few arms.
const FEW_PLACES: usize = 8;

impl Arms {
    /// Removes all arms, but keeps the memory. Arms added later have `num_variables` values.
    pub(super) fn reset(&mut self, num_variables: usize) {
        self.num_variables = num_variables;
        self.num_arms = 0;
        self.values.clear();
        self.places.fill(EMPTY);
    }

    /// Returns the number of bytes allocated.
    pub(super) fn bytes(&self) -> usize {
        size_of::<u16>() * self.values.capacity() + size_of::<u32>() * self.places.capacity()
    }

    pub(super) fn len(&self) -> usize {
        self.num_arms
    }

    pub(super) fn get(&self, arm: usize) -> &[u16] {
        &self.values[arm * self.num_variables..][..self.num_variables]
    }

    pub(super) fn find(&self, arm: &[u16]) -> Option<usize> {
        if self.places.is_empty() { None } else { self.search(arm).ok() }
    }

    /// Adds an arm if it is missing. Returns the number of the arm, and `true` if it was added.
    pub(super) fn find_or_add(&mut self, arm: &[u16]) -> (usize, bool) {
        debug_assert_eq!(arm.len(), self.num_variables, "an arm has a value for every variable");
        // At most three quarters of the places are taken, which keeps searches short.
        if 4 * (self.num_arms + 1) > 3 * self.places.len() {
            self.grow();
        }
        match self.search(arm) {
            Ok(found) => (found, false),
            Err(place) => {
                let number = self.num_arms;
                assert!(number < EMPTY as usize, "there are too many arms");
                self.places[place] = number as u32;
                self.values.extend_from_slice(arm);
                self.num_arms += 1;
                (number, true)
            }
        }
    }

    /// Returns the number of an arm, or `Err` with the free place to which the arm belongs.
    fn search(&self, arm: &[u16]) -> Result<usize, usize> {
        let mask = self.places.len() - 1;
        let mut place = hash(arm) as usize & mask;
        loop {
            match self.places[place] {
                EMPTY => return Err(place),
                number if self.get(number as usize) == arm => return Ok(number as usize),
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let num_places = (2 * self.places.len()).max(FEW_PLACES);
        self.places.clear();
        self.places.resize(num_places, EMPTY);
        for number in 0..self.num_arms {
            let mut place = hash(self.get(number)) as usize & (num_places - 1);
            while self.places[place] != EMPTY {
                place = (place + 1) & (num_places - 1);
            }
            self.places[place] = number as u32;
        }
    }
}

/// Hashes four values at a time; every bit of each value influences every bit of the hash.
fn hash(arm: &[u16]) -> u64 {
    arm.chunks(4).fold(0, |hash, four| {
        let bits = four.iter().fold(0, |bits, &value| bits << 16 | u64::from(value));
        mix(hash ^ bits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_are_found_by_their_values() {
        let mut arms = Arms::default();
        for num_variables in [3, 5] {
            arms.reset(num_variables);
            let arm = |k: u16| -> Vec<u16> {
                (0..num_variables as u16).map(|i| k / 7u16.pow(i.into()) % 7).collect()
            };
            assert_eq!(arms.find(&arm(5)), None);
            for k in 0..300 {
                assert_eq!(arms.find_or_add(&arm(k)), (k.into(), true));
                assert_eq!(arms.find_or_add(&arm(k / 2)), (usize::from(k / 2), false));
            }
            assert_eq!(arms.len(), 300);
            assert!((0..300).all(|k| arms.get(k.into()) == arm(k)));
            assert!((0..343).all(|k| arms.find(&arm(k)).is_some() == (k < 300)));
        }
    }

    /// Arms that differ by one in one value, like the arms of neighbouring pulls, are hashed to as many places as by a
    /// random function. A random function that hashes 2^16 arms to 2^16 places fills a share of 1 - 1/e = .632 of them
    /// on average, with a standard deviation of .0012. The test allows 5 standard deviations; one random function in a
    /// million deviates more.
    #[test]
    fn hashes_are_spread() {
        let mut taken = vec![false; 1 << 16];
        for k in 0..1u32 << 16 {
            let arm = [k >> 12, k >> 8 & 15, k >> 4 & 15, k & 15, 3].map(|value| value as u16);
            taken[hash(&arm) as usize & 0xFFFF] = true;
        }
        let share = taken.iter().filter(|&&taken| taken).count() as f64 / 65_536.0;
        assert!((share - 0.6321).abs() < 0.006, "{share}");
    }
}
