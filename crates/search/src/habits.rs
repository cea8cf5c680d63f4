//! Actions that have done well in the playouts of a search, whatever the situation.
//!
//! The move-average sampling technique (MAST; Finnsson & Björnsson, *Simulation-based approach to general game playing*,
//! AAAI 2008) with the epsilon-greedy choice of Tak, Winands & Björnsson, *N-grams and the last-good-reply policy applied
//! in general game playing*, IEEE TCIAIG 4, 2012. The actions of the current playout also serve rapid rewards.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use rand::{Rng, RngExt};
use ruse_base::hashing::{AsItIs, mix};
use ruse_games::Seat;

/// The mean rewards of the actions of both seats.
#[derive(Default)]
pub(super) struct Habits {
    rewards: HashMap<u64, Reward, BuildHasherDefault<AsItIs>>,
    /// The actions of the current playout.
    taken: Vec<(Seat, u64)>,
    /// The last actions of the current playout, as far as they were recalled.
    recalled: HashSet<u64, BuildHasherDefault<AsItIs>>,
    num_recalled: usize,
}

#[derive(Default)]
struct Reward {
    count: u32,
    /// The sum of the rewards to the seat that acts, each in [0, 1].
    sum: f64,
}

impl Habits {
    /// Forgets all rewards, but keeps the memory for later use.
    pub(super) fn clear(&mut self) {
        self.rewards.clear();
        self.taken.clear();
        self.recalled.clear();
        self.num_recalled = 0;
    }

    /// Notes that `seat` takes an action, given by its hash, in the current playout.
    pub(super) fn take(&mut self, seat: Seat, action: u64) {
        self.taken.push((seat, key_of(seat, action)));
    }

    /// Recalls the actions of the current playout from turn `first` to the end. `first` decreases from call to call.
    pub(super) fn recall_from(&mut self, first: usize) {
        let end = self.taken.len() - self.num_recalled;
        self.recalled.extend(self.taken[first..end].iter().map(|&(_, key)| key));
        self.num_recalled = self.taken.len() - first;
    }

    /// Returns whether an action was recalled, given by the [key](key_of) of its seat.
    pub(super) fn was_taken(&self, key: u64) -> bool {
        self.recalled.contains(&key)
    }

    /// Ends the current playout.
    pub(super) fn end(&mut self) {
        self.taken.clear();
        self.recalled.clear();
        self.num_recalled = 0;
    }

    /// Records a score of the first seat in the current playout.
    pub(super) fn learn(&mut self, score: f64) {
        for &(seat, key) in &self.taken {
            let reward = self.rewards.entry(key).or_default();
            reward.count += 1;
            reward.sum += if seat == Seat::First { score } else { 1.0 - score };
        }
    }

    /// Returns the index of the action with the highest mean reward, a random one of several. Actions without a reward
    /// come first. Returns `None` if there are no actions.
    pub(super) fn best<R: Rng>(
        &self,
        seat: Seat,
        actions: impl Iterator<Item = u64>,
        rng: &mut R,
    ) -> Option<usize> {
        let mut best = None;
        let mut best_mean = f64::NEG_INFINITY;
        let mut num_equal = 0;
        for (index, action) in actions.enumerate() {
            let reward = self.rewards.get(&key_of(seat, action));
            let mean = reward.map_or(f64::INFINITY, |reward| reward.sum / f64::from(reward.count));
            if mean > best_mean {
                (best, best_mean, num_equal) = (Some(index), mean, 1);
            } else if mean == best_mean {
                num_equal += 1;
                if rng.random_range(0..num_equal) == 0 {
                    best = Some(index);
                }
            }
        }
        best
    }
}

/// Returns the key of an action of a seat.
pub(super) fn key_of(seat: Seat, action: u64) -> u64 {
    mix(action ^ seat as u64)
}

/// Returns the hash of an action.
pub(super) fn hash_of(action: &impl Hash) -> u64 {
    let mut hasher = Mixed(0);
    action.hash(&mut hasher);
    hasher.0
}

/// A hasher without a key, so that it gives the same values in every process.
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;

    use super::*;

    fn best(
        habits: &Habits,
        seat: Seat,
        actions: &[char],
        rng: &mut Xoshiro256PlusPlus,
    ) -> Option<usize> {
        habits.best(seat, actions.iter().map(hash_of), rng)
    }

    #[test]
    fn the_action_with_the_highest_mean_is_best() {
        let mut habits = Habits::default();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        // `a` wins one of two playouts of the first seat, `b` both, and `c` none.
        for (action, score) in [('a', 1.0), ('a', 0.0), ('b', 1.0), ('b', 1.0), ('c', 0.0)] {
            habits.take(Seat::First, hash_of(&action));
            habits.take(Seat::Second, hash_of(&action));
            habits.learn(score);
            habits.end();
        }
        assert_eq!(best(&habits, Seat::First, &['a', 'b', 'c'], &mut rng), Some(1));
        assert_eq!(best(&habits, Seat::First, &['c', 'a'], &mut rng), Some(1));
        // What the first seat wins, the second loses.
        assert_eq!(best(&habits, Seat::Second, &['a', 'b', 'c'], &mut rng), Some(2));
        // An action that was never taken comes first.
        assert_eq!(best(&habits, Seat::First, &['a', 'd', 'b'], &mut rng), Some(1));
        assert_eq!(best(&habits, Seat::First, &[' '; 0], &mut rng), None);
    }

    #[test]
    fn actions_are_recalled_from_the_end() {
        let mut habits = Habits::default();
        for (seat, action) in [(Seat::First, 'a'), (Seat::Second, 'b'), (Seat::First, 'c')] {
            habits.take(seat, hash_of(&action));
        }
        let taken = |habits: &Habits| {
            let all =
                [(Seat::First, 'a'), (Seat::First, 'b'), (Seat::Second, 'b'), (Seat::First, 'c')];
            all.map(|(seat, action)| habits.was_taken(key_of(seat, hash_of(&action))))
        };
        habits.recall_from(2);
        assert_eq!(taken(&habits), [false, false, false, true]);
        habits.recall_from(0);
        assert_eq!(taken(&habits), [true, false, true, true]);
        habits.end();
        assert_eq!(taken(&habits), [false; 4]);
        habits.take(Seat::First, hash_of(&'b'));
        habits.recall_from(0);
        assert_eq!(taken(&habits), [false, true, false, false]);
    }

    /// In 3,000 choices among three equal actions, each action comes in 1,000 ± 26 (one standard deviation). False
    /// alarms: 1 in 10,000 for the three counts together.
    #[test]
    fn equal_actions_come_equally_often() {
        let habits = Habits::default();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut counts = [0; 3];
        for _ in 0..3_000 {
            counts[best(&habits, Seat::First, &['a', 'b', 'c'], &mut rng)
                .expect("there are some")] += 1;
        }
        assert!(counts.iter().all(|&count: &u32| count.abs_diff(1_000) < 107), "{counts:?}");
    }
}
