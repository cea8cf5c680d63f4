//! A table of questions for strategies that play many games.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The largest number of characters in the table.
const MAX_CHARACTERS: u32 = 128;
/// The number of rows of the table. Places for 0 and 1 characters save a subtraction before the look-up, which is on
/// the critical path of a game.
const SIDE: usize = MAX_CHARACTERS as usize + 1;
const SIZE: usize = SIDE * SIDE;

/// After this number of games, computing single questions has taken as long as filling the table.
const WORTH_A_TABLE: u32 = 256;

/// A number for each position of two players with 2 to 128 characters, computed when this begins to pay off.
///
/// The table is a function of the strategy that owns it, so all tables compare equal, and a clone starts empty.
#[derive(Default)]
pub(super) struct Lookup {
    num_games: AtomicU32,
    /// The number for each position, once the table is filled. The inner value is `None` if some number does not fit
    /// into 32 bits.
    values: OnceLock<Option<Box<[i32; SIZE]>>>,
}

#[inline(always)]
fn index(own: u32, opponent: u32) -> usize {
    own as usize * SIDE + opponent as usize
}

impl Lookup {
    /// Returns the number for a position, if the table is filled and contains the position.
    #[inline(always)]
    pub(super) fn get(&self, own: u32, opponent: u32) -> Option<i64> {
        let values = self.values.get()?.as_ref()?;
        let is_known = own <= MAX_CHARACTERS && opponent <= MAX_CHARACTERS;
        is_known.then(|| i64::from(values[index(own, opponent)]))
    }

    /// Counts a game that starts, and fills the table if this pays off. `value` computes the numbers; its arguments are
    /// at least 2.
    #[inline]
    pub(super) fn count_game(&self, value: impl Fn(u32, u32) -> i64) {
        if self.values.get().is_none() {
            // Two threads may count the same game; the count only has to be approximate.
            let num_games = self.num_games.load(Ordering::Relaxed) + 1;
            self.num_games.store(num_games, Ordering::Relaxed);
            if num_games >= WORTH_A_TABLE {
                self.values.get_or_init(|| fill(value));
            }
        }
    }
}

#[cold]
fn fill(value: impl Fn(u32, u32) -> i64) -> Option<Box<[i32; SIZE]>> {
    let mut values = vec![0; SIZE].into_boxed_slice();
    for own in 2..=MAX_CHARACTERS {
        for opponent in 2..=MAX_CHARACTERS {
            values[index(own, opponent)] = i32::try_from(value(own, opponent)).ok()?;
        }
    }
    values.try_into().ok()
}

impl Clone for Lookup {
    fn clone(&self) -> Lookup {
        Lookup::default()
    }
}

impl PartialEq for Lookup {
    fn eq(&self, _: &Lookup) -> bool {
        true
    }
}

impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lookup")
    }
}
