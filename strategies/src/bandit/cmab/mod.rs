//! Combinatorial bandits: an arm gives every variable a value, and there are far more arms than pulls.
//!
//! After Ontañón, *Combinatorial multi-armed bandits for real-time strategy games*, Journal of Artificial Intelligence
//! Research 58, 2017, doi:10.1613/jair.5398 ("the paper"). There an arm is called a macro-arm; in a game a variable is a
//! unit that waits for an order, and a value an order.
//!
//! - [`Problem`] says which arms are legal, one variable after the other.
//! - [`Tables`] are what was seen: the mean reward of every value of every variable, and of every arm pulled so far (the
//!   *global bandit* of the paper). They are small when empty, and keep their memory when they are reset.
//! - [`Strategy`] chooses by tables. It may sit at a root or in each of the nodes of a tree: a node has its tables, and the
//!   whole search one [`Scratch`].
//! - [`Sampler`] is what is asked for a whole series of pulls: [`AtRoot`] is a strategy with its tables, and [`Lsi`] linear
//!   side information, which has to know the number of pulls beforehand and has no tables: a node cannot hold it.
//!
//! Where the paper leaves a choice open:
//!
//! - A random arm takes the variables in random order, each uniform among the values admissible after those before. That is
//!   not uniform over legal arms, which nobody can draw.
//! - Of equals, the value of the lowest number and the arm pulled first come first.
//! - In the explore step of naive sampling a value that was never pulled comes first (`force`, which can be switched off).
//!   The paper does not speak of them.
//! - UCB1 adds C sqrt(ln t / N). The paper prints no formula. The variant `swapped`, C x + sqrt(ln t / N), is there because
//!   it would explain a result of the paper that the formula above does not.
//! - Linear side information takes the variable of the lowest entropy first. The paper says decreasing entropy, and
//!   explains it by the values that differ most.
//!
//! Rewards are in [0, 1] as far as [`Strategy::Ucb1`], [`Strategy::Ucb1Fpu`], [`Strategy::Mlps`] and the exploit step by
//! UCB1 are concerned: who has rewards in [-1, 1] observes (1 + x) / 2.
//!
//! Time: a choice looks at the values of all variables, and the strategies with an upper bound at all arms pulled so
//! far, too. Memory: an entry for every value, and one for every arm that was pulled.

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

/// Which arms there are: those that give every variable an admissible value, in any order of the variables.
pub trait Problem {
    /// What the values chosen so far use up.
    type Partial: Clone + Default;

    /// The number of values of each variable, at least 1. Variable i has the values 0 to `sizes()[i]` - 1.
    fn sizes(&self) -> &[u16];

    /// Makes `partial` one in which no variable has a value, whatever it was before.
    fn begin(&self, partial: &mut Self::Partial);

    /// Whether `variable`, which has no value yet, may have this one.
    ///
    /// What is admitted can be completed: after [`fix`](Problem::fix) every variable that has no value still admits one.
    fn admits(&self, partial: &Self::Partial, variable: usize, value: u16) -> bool;

    /// Gives `variable` an admissible value.
    fn fix(&self, partial: &mut Self::Partial, variable: usize, value: u16);
}

/// Whether an arm, a value for every variable, is legal.
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

/// Chooses an arm for each of a series of pulls.
pub trait Sampler<P: Problem> {
    /// Forgets all pulls, and gets ready for `problem`; memory is kept.
    fn reset(&mut self, problem: &P);

    /// Writes the arm to pull next to `arm`, which is as long as there are variables.
    ///
    /// # Panics
    ///
    /// When the problem admits no value of a variable, against what it promises.
    fn choose<R: Rng + ?Sized>(&mut self, problem: &P, rng: &mut R, arm: &mut [u16]);

    /// Learns the reward of `arm`, the one chosen last.
    ///
    /// # Panics
    ///
    /// When the reward is not finite.
    fn observe(&mut self, arm: &[u16], reward: f64);

    /// Writes the arm that seems best to `arm`; says whether there is one: before the first pull there is none, and with
    /// [`Lsi`] none before its candidates were pulled.
    fn recommend(&self, arm: &mut [u16]) -> bool;
}

#[cfg(test)]
mod tests;
