//! Combinatorial bandits: an arm gives every variable a value, and there are far more arms than pulls.
//!
//! After Ontañón, *Combinatorial multi-armed bandits for real-time strategy games*, Journal of Artificial Intelligence
//! Research 58, 2017, doi:10.1613/jair.5398 ("the paper"). There an arm is called a macro-arm; in a game, a variable is
//! a unit that waits for an order, and a value is an order.
//!
//! - [`Problem`] defines which arms are legal, one variable after the other.
//! - [`Tables`] hold the observations: the mean rewards of values and of the arms pulled so far (the *global bandit* of
//!   the paper). Empty tables are small; reset tables keep their memory.
//! - [`Strategy`] chooses arms by the tables, at a root or in each node of a tree: every node has its own tables, and
//!   the whole search shares one [`Scratch`].
//! - [`Sampler`] chooses arms for a whole series of pulls. [`AtRoot`] is a strategy with its tables. [`Lsi`] is linear
//!   side information. It must know the number of pulls and has no tables, so it does not fit into nodes.
//!
//! Choices that the paper leaves open:
//!
//! - A random arm gives the variables their values in random order; each value is drawn uniformly from the values that
//!   are still admissible. This is not uniform over the legal arms, which would be infeasible.
//! - Ties go to the value with the lowest number and to the arm pulled first.
//! - In the explore step of naive sampling, values that were never pulled come first (`force`, which can be switched
//!   off). The paper does not mention such values.
//! - UCB1 adds C sqrt(ln t / N); the paper prints no formula. The variant `swapped`, C x + sqrt(ln t / N), is included
//!   because it would explain a result of the paper, unlike the first formula.
//! - Linear side information takes the variable with the lowest entropy first. The paper says "decreasing entropy", but
//!   its reason (the values of the first variables differ most) requires increasing entropy.
//!
//! Rewards must be in [0, 1] for [`Strategy::Ucb1`], [`Strategy::Ucb1Fpu`], [`Strategy::Mlps`] and the UCB1 exploit
//! step: map a reward x in [-1, 1] to (1 + x) / 2.
//!
//! Time: a choice visits the values of all variables and, in strategies with an upper bound, all arms pulled so far.
//! Memory: one entry for each value and for each arm pulled.

mod arms;
mod draw;
mod lsi;
mod mlps;
mod root;
mod strategy;
mod synthetic;
mod tables;

use rand::Rng;

pub use draw::{Scratch, random_arm};
pub use lsi::{Lsi, LsiOptions, LsiOthers, LsiPicks};
pub use root::AtRoot;
pub use strategy::{Exploit, Naive, OutOfRange, Strategy, UcbForm};
pub use synthetic::{Optimum, Synthetic, SyntheticError, SyntheticSpec, Table, Used};
pub use tables::{Recommendation, Tables};

/// The legal arms of a combinatorial bandit. An arm is legal if its values are admissible one after the other, in any
/// order.
pub trait Problem {
    /// The resources that the values chosen so far use.
    type Partial: Clone + Default;

    /// Returns the number of values of each variable; every number is at least 1. Variable i has the values 0 to
    /// `sizes()[i]` - 1.
    fn sizes(&self) -> &[u16];

    /// Resets `partial`, whatever its state, so that no variable has a value.
    fn begin(&self, partial: &mut Self::Partial);

    /// Returns `true` if `value` is admissible for `variable`, which has no value yet.
    ///
    /// Admissible values can be completed: after [`fix`](Problem::fix) every open variable still admits a value.
    fn admits(&self, partial: &Self::Partial, variable: usize, value: u16) -> bool;

    /// Gives `variable` an admissible value.
    fn fix(&self, partial: &mut Self::Partial, variable: usize, value: u16);
}

/// Returns `true` if `arm`, with one value for each variable, is legal.
pub fn is_legal<P: Problem>(problem: &P, arm: &[u16]) -> bool {
    let sizes = problem.sizes();
    let mut partial = P::Partial::default();
    problem.begin(&mut partial);
    arm.len() == sizes.len()
        && arm.iter().zip(sizes).enumerate().all(|(variable, (&value, &size))| {
            let admits = value < size && problem.admits(&partial, variable, value);
            if admits {
                problem.fix(&mut partial, variable, value);
            }
            admits
        })
}

/// Chooses the arms of a series of pulls.
pub trait Sampler<P: Problem> {
    /// Forgets all pulls and prepares for `problem`. The allocated memory is kept.
    fn reset(&mut self, problem: &P);

    /// Sets `arm` to the arm of the next pull. The length of `arm` is the number of variables.
    ///
    /// # Panics
    ///
    /// Panics if the problem admits no value for some variable, which violates its contract.
    fn choose<R: Rng + ?Sized>(&mut self, problem: &P, rng: &mut R, arm: &mut [u16]);

    /// Records the reward of `arm`, the last arm chosen.
    ///
    /// # Panics
    ///
    /// Panics if the reward is not finite.
    fn observe(&mut self, arm: &[u16], reward: f64);

    /// Sets `arm` to the arm that seems best, and returns `true`. Returns `false` while no arm can be recommended:
    /// before the first pull, and with [`Lsi`] before the first pull of a candidate.
    fn recommend(&self, arm: &mut [u16]) -> bool;
}

#[cfg(test)]
mod tests;
