//! Certificates: an interval that contains the score of the best response to a strategy.
//!
//! The responder has perfect recall: it is any strategy that the rules allow. An [`Unfold`] describes the game between
//! the responder and the fixed strategy, step by step, with all probabilities. [`certify`] computes the bounds:
//!
//! 1. The places of the game are collected, level by level. A *place* is a state together with what the strategy
//!    remembers, and places with the same future are one place. A strategy without memory therefore has few places.
//! 2. *Open cards*: backward induction gives the value of each place to a responder that sees everything. Such a
//!    responder scores at least as much as any responder, so its score is an upper bound. In the same way, backward
//!    induction for uniform play gives a lower bound.
//! 3. *The walk*: depth first, from information set to information set. An information set holds the unnormalised
//!    belief of the responder: for each place that agrees with the observations and actions of the responder, the
//!    probability that chance and the strategy lead there. The responder moves the whole belief, and chooses the action
//!    with the largest value.
//!
//! The walk is exact. It is fast because of four rules, which do not change its value:
//!
//! - The open cards give an upper bound for each action and each information set. A branch is skipped if its bound does
//!   not exceed the value that is already known.
//! - The values of two beliefs that differ only by a factor differ by the same factor, so each value is computed once.
//!   To compare beliefs, their shares are rounded to 2^-40 and hashed to 128 bits.
//! - Children that look the same to the responder are one information set.
//! - Where the responder knows the place and will know every later place, the value with open cards is the value. In a game
//!   with complete information, this is the whole game; then equal places of all steps are one place, and value iteration
//!   replaces the walk.
//!
//! If the walk visits too many information sets, shorter walks reveal the cards from some step on. The value of such a
//! walk is an upper bound, which falls to the exact value as the step grows.
//!
//! References: Timbers et al., *Approximate exploitability: learning a best response*, IJCAI 2022 (a lower bound only);
//! Haugh & Wang, *Information relaxations and dynamic zero-sum games*, 2014 (upper bounds from revealed information);
//! Johanson et al., *Accelerating best response calculation in large extensive games*, IJCAI 2011.
//!
//! The results do not depend on the number of threads: the walk is cut into tasks by its first decisions, and each task
//! has its own thresholds and its own table of values.

mod merged;
mod places;
mod unfold;
mod walk;

use ruse_games::BySeat;

use self::places::Places;
use self::walk::{Aborted, Walk};

pub use self::merged::Merged;
pub use self::unfold::BETWEEN_LOOKS;
pub use self::unfold::{Horizon, INFORMATION_SETS, Outcome, Successor, Unfold, Work};

/// The number of walks, including the exact walk. Each walk hides the cards for one twelfth of the steps longer than
/// the walk before it.
const NUM_STAGES: u32 = 12;

/// The assumption on which an upper bound is based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// The walk has ended, so the bounds are equal.
    Exact,
    /// All roles of the responder share their knowledge.
    Together,
    /// The responder knows which strategy was drawn from a mixture.
    Drawn,
    /// Like `Drawn`, with the upper end of an interval from this number of draws.
    Sampled(u32),
    /// The responder sees everything from this step on; steps are counted from 0. If the step is 0, the cards are open
    /// from the start.
    OpenFrom(u32),
    /// The responder gets the largest payoff from some step on, because there are too many places.
    Payoffs,
}

/// Bounds on the score of the best response in one seat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The score of a known strategy of the responder, from 0 to 1.
    pub low: f64,
    /// The smallest known upper bound, from 0 to 1.
    pub high: f64,
    /// The basis of the upper bound.
    pub basis: Basis,
    /// The number of information sets that the completed walks visited.
    pub information_sets: u64,
    /// The score of a responder that plays uniformly.
    pub uniform: f64,
}

impl Bounds {
    /// Returns the bounds of a score that is known exactly without a walk.
    pub fn exact(score: f64) -> Bounds {
        Bounds { low: score, high: score, basis: Basis::Exact, information_sets: 0, uniform: 0.0 }
    }

    /// Returns the means of several bounds, with the weakest basis and the sum of the numbers of information sets.
    /// `all` must not be empty.
    pub fn mean(all: &[Bounds]) -> Bounds {
        let mean =
            |value: fn(&Bounds) -> f64| all.iter().map(value).sum::<f64>() / all.len() as f64;
        Bounds {
            low: mean(|bounds| bounds.low),
            high: mean(|bounds| bounds.high),
            basis: all.iter().map(|bounds| bounds.basis).max().unwrap_or(Basis::Payoffs),
            information_sets: all.iter().map(|bounds| bounds.information_sets).sum(),
            uniform: mean(|bounds| bounds.uniform),
        }
    }

    /// Converts bounds for a responder that knows what all its roles know to bounds for a responder whose roles do not
    /// share their knowledge.
    pub fn of_separate_roles(self) -> Bounds {
        let basis = self.basis.max(Basis::Together);
        Bounds { low: self.uniform, basis, ..self }
    }
}

/// Bounds on the score of the best response to a strategy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// The bounds for the responder in each seat.
    pub seats: BySeat<Bounds>,
}

impl Certificate {
    /// Returns the bounds on the score of the best response, averaged over both seats. The lower bound is at least one
    /// half, since the strategy scores one half against itself.
    pub fn score(&self) -> [f64; 2] {
        let BySeat { first, second } = self.seats;
        let low = ((first.low + second.low) / 2.0).max(0.5);
        [low, ((first.high + second.high) / 2.0).max(low)]
    }

    /// Returns whether the bounds of both seats are exact.
    pub fn is_exact(&self) -> bool {
        self.basis() == Basis::Exact
    }

    /// Returns the weaker of the two seats' bases.
    pub fn basis(&self) -> Basis {
        self.seats.first.basis.max(self.seats.second.basis)
    }

    /// Returns the number of information sets that the walks visited in both seats.
    pub fn information_sets(&self) -> u64 {
        self.seats.first.information_sets + self.seats.second.information_sets
    }
}

/// Computes bounds on the value of a game to the responder.
///
/// # Errors
///
/// Returns an error if the rules of the game are at fault.
pub fn certify<U: Unfold>(game: &mut U, work: &Work<'_>) -> Result<Bounds, U::Fault> {
    if let Some(horizon) = game.horizon()
        && let Some(bounds) = merged_bounds(game, horizon, work)?
    {
        return Ok(bounds);
    }
    let places = Places::collect(game, work)?;
    let start = [(0, 1.0)];
    let mut bounds = Bounds {
        low: places.low(0),
        high: places.high(0),
        basis: if places.is_complete() { Basis::OpenFrom(0) } else { Basis::Payoffs },
        information_sets: 0,
        uniform: places.low(0),
    };
    if work.exact_only && !places.is_complete() {
        return Ok(bounds);
    }
    let num_levels = places.num_levels();
    let stages = (1..NUM_STAGES).map(|stage| num_levels * stage / NUM_STAGES);
    let mut last = 0;
    for level in stages.chain([num_levels]) {
        if level <= last || (work.exact_only && level < num_levels) {
            continue;
        }
        last = level;
        let walk = Walk::new(&places, level, work);
        match walk.value(&start) {
            Ok([high, low]) => {
                // An aborted walk is not counted, because its number of information sets depends on the threads.
                bounds.information_sets += walk.num_visited();
                bounds.high = bounds.high.min(high).min(1.0);
                bounds.low = bounds.low.max(low).min(bounds.high);
                bounds.basis = match (places.is_complete(), level == num_levels) {
                    (true, true) => Basis::Exact,
                    // The first level of places lies before the first step.
                    (true, false) => Basis::OpenFrom(level - 1),
                    (false, _) => Basis::Payoffs,
                };
            }
            Err(Aborted) => break,
        }
        if bounds.basis == Basis::Exact {
            bounds.low = bounds.high;
        }
    }
    Ok(bounds)
}

/// Returns bounds on the value of a game to the responder. Returns `None` if something is hidden from the responder, or if
/// games often reach the horizon and this is a fault.
///
/// # Errors
///
/// Returns an error if the rules of the game are at fault.
fn merged_bounds<U: Unfold>(
    game: &mut U,
    horizon: Horizon,
    work: &Work<'_>,
) -> Result<Option<Bounds>, U::Fault> {
    let Some(merged) = Merged::collect(game, horizon, work)? else { return Ok(None) };
    // The third number is the value to a responder that plays uniformly.
    let choose = |_, actions: &[[f64; 3]]| {
        let num_actions = actions.len() as f64;
        actions.iter().fold([f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0], |best, value| {
            [best[0].max(value[0]), best[1].max(value[1]), best[2] + value[2] / num_actions]
        })
    };
    Ok(merged.values(choose, work).map(|values| {
        let [high, low, uniform] = values;
        let is_exact = merged.is_complete() && Merged::is_exact(values);
        Bounds {
            low: if is_exact { high } else { low },
            high,
            basis: if is_exact { Basis::Exact } else { Basis::Payoffs },
            information_sets: 0,
            uniform,
        }
    }))
}
