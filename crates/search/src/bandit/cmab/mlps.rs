//! MLPS-greedy: chooses an arm with a high upper bound, the sum of the means of its values plus a bonus.
//!
//! After matching learning with polynomial storage (Gai, Krishnamachari & Jain, *Learning multiuser channel allocations
//! in cognitive radio networks: a combinatorial multi-armed bandit formulation*, DySPAN 2010), as used by the paper of
//! the parent module: the arm with the highest bound is not found exactly but searched for greedily, in ten random
//! orders of the variables.
//!
//! The bonus of an arm is the bonus of its value with the fewest pulls, which is the largest. Values that were never
//! pulled have an infinite bonus. Infinite bounds tie, and the lowest of these values is chosen.

use rand::Rng;

use super::draw::Draw;
use super::{Problem, Tables};

/// The number of random variable orders that one choice tries.
const NUM_TRIES: u32 = 10;

pub(super) fn choose<P: Problem, R: Rng + ?Sized>(
    c: f64,
    tables: &Tables,
    draw: &mut Draw<'_, P, R>,
    arm: &mut [u16],
) {
    let most = draw.problem.sizes().iter().copied().max().unwrap_or(1);
    let most = f64::from(most);
    // b_i(v) = C M sqrt((M + 1) ln t / T_i(v)).
    let (factor, log) = (c * most, (most + 1.0) * libm::log(tables.num_pulls().max(1) as f64));
    let bonus = |variable: usize, value: u16| match tables.value_pulls(variable, value) {
        0 => f64::INFINITY,
        pulls => factor * (log / f64::from(pulls)).sqrt(),
    };
    let mut highest = f64::NEG_INFINITY;
    let mut other = std::mem::take(&mut draw.scratch.other);
    for attempt in 0..NUM_TRIES {
        other.clear();
        other.resize(arm.len(), 0);
        let (mut sum, mut largest) = (0.0, f64::NEG_INFINITY);
        draw.fill(None, &mut other, |draw, variable| {
            let mut best = (f64::NEG_INFINITY, draw.scratch.admissible[0]);
            for &value in &draw.scratch.admissible {
                let bound =
                    tables.value_mean(variable, value) + bonus(variable, value).max(largest);
                if bound > best.0 {
                    best = (bound, value);
                }
            }
            let value = best.1;
            sum += tables.value_mean(variable, value);
            largest = largest.max(bonus(variable, value));
            value
        });
        if attempt == 0 || sum + largest > highest {
            highest = sum + largest;
            arm.copy_from_slice(&other);
        }
    }
    draw.scratch.other = other;
}
