//! The budget of a search.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use ruse_base::stop::StopRequest;

/// The common operations on the settings of all methods.
pub(crate) trait SearchSettings: Copy {
    /// The known settings, for messages.
    const KNOWN: &str;

    /// Sets the setting `name`. Returns `None` if the name or the value is invalid.
    fn set(&mut self, name: &str, value: f64) -> Option<()>;

    fn budget(&mut self) -> &mut Budget;
}

/// The amount that a search may spend in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// A number of random games, from 1 to [`MAX_PLAYOUTS`](Budget::MAX_PLAYOUTS).
    Playouts(u64),
    /// A number of simulated steps, from 1 to [`MAX_STEPS`](Budget::MAX_STEPS). A step is a joint move in a game from a
    /// rule file, and a turn in any other game.
    Steps(u64),
    /// A wall time in milliseconds, from 1 to [`MAX_MILLISECONDS`](Budget::MAX_MILLISECONDS). The moves then depend on
    /// the machine, and are not reproducible.
    Milliseconds(u64),
}

impl Budget {
    /// The largest number of playouts. More would probably be a mistake, and exhaust the memory of most machines.
    pub const MAX_PLAYOUTS: u64 = 10_000_000;
    /// The largest number of steps. More would probably be a mistake.
    pub const MAX_STEPS: u64 = 1_000_000_000;
    /// The longest time: ten minutes.
    pub const MAX_MILLISECONDS: u64 = 600_000;

    /// Returns `true` if a search with this budget makes the same moves whenever it is repeated.
    pub fn is_reproducible(self) -> bool {
        matches!(self, Budget::Playouts(_) | Budget::Steps(_))
    }

    /// Returns the budget times `factor`, but at most the largest budget of its kind. A factor of 0 counts as 1.
    #[must_use]
    pub fn times(self, factor: u32) -> Budget {
        let times = |number: u64, most: u64| number.saturating_mul(factor.max(1).into()).min(most);
        match self {
            Budget::Playouts(number) => Budget::Playouts(times(number, Self::MAX_PLAYOUTS)),
            Budget::Steps(number) => Budget::Steps(times(number, Self::MAX_STEPS)),
            Budget::Milliseconds(number) => {
                Budget::Milliseconds(times(number, Self::MAX_MILLISECONDS))
            }
        }
    }

    /// Returns the part of the budget for one of `parts` searches that run at the same time: the time as it is, any other
    /// budget divided by `parts`, rounded up.
    #[must_use]
    pub(super) fn divided_by(self, parts: u32) -> Budget {
        match self {
            Budget::Playouts(playouts) => Budget::Playouts(playouts.div_ceil(parts.into())),
            Budget::Steps(steps) => Budget::Steps(steps.div_ceil(parts.into())),
            Budget::Milliseconds(_) => self,
        }
    }

    /// Starts a countdown. The countdown ends early if `request` signals a stop.
    pub fn start(self, request: &StopRequest) -> Countdown {
        let (left, counts_steps, until) = match self {
            Budget::Playouts(playouts) => (playouts, false, None),
            Budget::Steps(steps) => (steps, true, None),
            Budget::Milliseconds(milliseconds) => {
                let until = Instant::now() + Duration::from_millis(milliseconds);
                (Self::MAX_PLAYOUTS, false, Some(until))
            }
        };
        Countdown { left, counts_steps, until, request: request.clone(), num_asked: 0 }
    }
}

/// The stop signal is polled once in this number of budget checks, because a playout may be faster than a poll.
const REQUESTS_PER_POLL: u32 = 32;

/// The part of a budget that a search has not used yet.
#[derive(Debug)]
pub struct Countdown {
    /// The number of playouts or steps left.
    left: u64,
    counts_steps: bool,
    until: Option<Instant>,
    request: StopRequest,
    num_asked: u32,
}

impl Countdown {
    /// Returns `true` if the budget allows another playout, and counts it. The first playout is always allowed.
    #[inline]
    pub fn count_playout(&mut self) -> bool {
        let is_first = self.until.is_some() && self.left == Budget::MAX_PLAYOUTS;
        self.heed();
        if self.left == 0 || !is_first && self.until.is_some_and(|until| Instant::now() >= until) {
            return false;
        }
        if !self.counts_steps {
            self.left -= 1;
        }
        true
    }

    /// Empties the budget if the stop signal is set. Polls the signal in one of [`REQUESTS_PER_POLL`] calls, but not in
    /// the first, so that there is at least one playout.
    #[inline]
    fn heed(&mut self) {
        self.num_asked = self.num_asked.wrapping_add(1);
        if self.num_asked.is_multiple_of(REQUESTS_PER_POLL) && self.request.is_set() {
            self.left = 0;
        }
    }

    /// Deducts simulated steps if the budget is a number of steps.
    #[inline]
    pub fn spend(&mut self, steps: u64) {
        if self.counts_steps {
            self.left = self.left.saturating_sub(steps);
        }
    }

    /// Returns `true` if the budget is used up.
    #[inline]
    pub fn is_over(&mut self) -> bool {
        self.heed();
        self.left == 0 || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// Formats the budget as users type it: `500`, `2k`, `50ms`, `3s`.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, large, small, unit) = match *self {
            Budget::Playouts(playouts) => (playouts, "k", "", 1000),
            Budget::Steps(steps) => (steps, "ks", "steps", 1000),
            Budget::Milliseconds(milliseconds) => (milliseconds, "s", "ms", 1000),
        };
        if number.is_multiple_of(unit) {
            write!(f, "{}{large}", number / unit)
        } else {
            write!(f, "{number}{small}")
        }
    }
}

/// An invalid budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a search thinks for 1 to 10000k playouts (`500`, `2k`), for up to 1000000ks steps (`50ks`: 50,000), or for up to 600 \
     seconds (`50ms`, `3s`) a turn, and not for `{0}`"
)]
pub struct BudgetError(pub String);

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Budget, BudgetError> {
        let error = || BudgetError(text.into());
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| error())?;
        let (scale, make, most): (u64, fn(u64) -> Budget, u64) = match unit {
            "" => (1, Budget::Playouts, Self::MAX_PLAYOUTS),
            "k" => (1000, Budget::Playouts, Self::MAX_PLAYOUTS),
            "steps" => (1, Budget::Steps, Self::MAX_STEPS),
            "ks" => (1000, Budget::Steps, Self::MAX_STEPS),
            "ms" => (1, Budget::Milliseconds, Self::MAX_MILLISECONDS),
            "s" => (1000, Budget::Milliseconds, Self::MAX_MILLISECONDS),
            _ => return Err(error()),
        };
        let number = number.checked_mul(scale).filter(|number| *number > 0).ok_or_else(error)?;
        if number <= most { Ok(make(number)) } else { Err(error()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_and_written() {
        for (text, budget) in [
            ("1", Budget::Playouts(1)),
            ("1500", Budget::Playouts(1500)),
            ("2k", Budget::Playouts(2000)),
            ("50steps", Budget::Steps(50)),
            ("50ks", Budget::Steps(50_000)),
            ("50ms", Budget::Milliseconds(50)),
            ("3s", Budget::Milliseconds(3000)),
        ] {
            assert_eq!(text.parse(), Ok(budget));
            assert_eq!(budget.to_string(), text);
        }
        for text in [
            "",
            "0",
            "-1",
            "k",
            "1.5k",
            "5m",
            "10001k",
            "601s",
            "1000001ks",
            "0ks",
            "99999999999999999999",
            "1 k",
        ] {
            assert_eq!(text.parse::<Budget>(), Err(BudgetError(text.into())));
        }
    }

    #[test]
    fn a_budget_is_multiplied_within_its_limits() {
        assert_eq!(Budget::Playouts(500).times(0), Budget::Playouts(500));
        assert_eq!(Budget::Playouts(500).times(10), Budget::Playouts(5000));
        assert_eq!(Budget::Playouts(9_000_000).times(2), Budget::Playouts(Budget::MAX_PLAYOUTS));
        assert_eq!(Budget::Milliseconds(20).times(3), Budget::Milliseconds(60));
    }

    #[test]
    fn there_is_at_least_one_playout_in_a_time_that_is_over() {
        let mut countdown = Countdown {
            until: Some(Instant::now()),
            ..Budget::Milliseconds(1).start(&StopRequest::default())
        };
        assert!(countdown.count_playout());
        assert!(!countdown.count_playout());
    }

    /// If the stop signal is set, a search with any kind of budget ends after a few playouts.
    #[test]
    fn a_wish_to_stop_ends_thought() {
        for budget in ["1000k", "1000000ks", "600s"] {
            let budget: Budget = budget.parse().expect("a budget");
            let mut told = budget.start(&StopRequest::new(|| true));
            let num_playouts =
                std::iter::repeat_with(|| told.count_playout()).take_while(|&next| next);
            assert_eq!(num_playouts.count() as u32, REQUESTS_PER_POLL - 1, "{budget}");
            assert!(told.is_over() && !told.count_playout());
            let mut untold = budget.start(&StopRequest::new(|| false));
            assert!(
                (0..10 * REQUESTS_PER_POLL).all(|_| untold.count_playout()) && !untold.is_over()
            );
        }
    }
}
