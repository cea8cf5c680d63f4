//! Strategies that choose arms by tables.

use rand::{Rng, RngExt};

use super::draw::{Draw, Scratch, happens};
use super::{Problem, Tables, mlps};

/// An error: a parameter is out of range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{name} is {found}, where {expected} should be")]
#[non_exhaustive]
pub struct OutOfRange {
    /// The name of the parameter.
    pub name: &'static str,
    /// The value of the parameter.
    pub found: f64,
    /// The expected range, in words.
    pub expected: &'static str,
}

/// The position of the constant C in the upper bound of an arm, with mean reward x, after N pulls of the arm and t
/// pulls of all arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UcbForm {
    /// x + C sqrt(ln t / N).
    #[default]
    Plain,
    /// C x + sqrt(ln t / N).
    Swapped,
}

/// The rule by which the exploit step of naive sampling chooses among the arms pulled so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exploit {
    /// A uniformly drawn arm with probability `e_g`, otherwise the arm with the highest mean.
    Greedy {
        /// The probability of a uniform draw, in [0, 1].
        e_g: f64,
    },
    /// The arm with the highest upper bound.
    Ucb1 {
        /// The constant of the bound, at least 0.
        c: f64,
        /// The position of the constant in the formula of the bound.
        form: UcbForm,
    },
}

/// Naive sampling: with probability `e0`, and for the first pull, an explore step chooses the value of each variable
/// independently; otherwise an exploit step chooses among the arms pulled so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Naive {
    /// The probability of an explore step, in [0, 1].
    pub e0: f64,
    /// The probability, in [0, 1], that an explore step draws a random value for a variable instead of the best value.
    pub e_l: f64,
    /// The rule by which an exploit step chooses an arm.
    pub exploit: Exploit,
    /// True if values that were never pulled come first in an explore step.
    pub force: bool,
}

impl Naive {
    /// Returns NS(e0, e_l, e_g) of the paper.
    pub fn greedy(e0: f64, e_l: f64, e_g: f64) -> Naive {
        Naive { e0, e_l, exploit: Exploit::Greedy { e_g }, force: true }
    }

    /// Returns e-greedy over whole arms: a random arm with probability `e`, otherwise the arm with the highest mean.
    pub fn e_greedy(e: f64) -> Naive {
        Naive { force: false, ..Naive::greedy(e, 1.0, 0.0) }
    }

    fn choose<P: Problem, R: Rng + ?Sized>(
        &self,
        tables: &mut Tables,
        draw: &mut Draw<'_, P, R>,
        arm: &mut [u16],
    ) {
        if tables.num_arms() == 0 || happens(self.e0, draw.rng) {
            return draw.explore(self.e_l, self.force, tables, arm);
        }
        let chosen = match self.exploit {
            Exploit::Greedy { e_g } if happens(e_g, draw.rng) => {
                Some(draw.rng.random_range(0..tables.num_arms()))
            }
            Exploit::Greedy { .. } => tables.best_mean(),
            Exploit::Ucb1 { c, form } => {
                let [weight, c] = match form {
                    UcbForm::Plain => [1.0, c],
                    UcbForm::Swapped => [c, 1.0],
                };
                tables.best_bound(weight, c).map(|(arm, _)| arm)
            }
        };
        arm.copy_from_slice(tables.arm(chosen.expect("arms were pulled")));
    }

    fn check(&self) -> Result<(), OutOfRange> {
        probability("e0", self.e0)?;
        probability("el", self.e_l)?;
        match self.exploit {
            Exploit::Greedy { e_g } => probability("eg", e_g),
            Exploit::Ucb1 { c, .. } => constant("c", c),
        }
    }
}

fn probability(name: &'static str, found: f64) -> Result<(), OutOfRange> {
    match (0.0..=1.0).contains(&found) {
        true => Ok(()),
        false => Err(OutOfRange { name, found, expected: "a number from 0 to 1" }),
    }
}

fn constant(name: &'static str, found: f64) -> Result<(), OutOfRange> {
    match (0.0..=f64::MAX).contains(&found) {
        true => Ok(()),
        false => Err(OutOfRange { name, found, expected: "a number of at least 0" }),
    }
}

/// A rule that chooses arms by tables, at a root or in a node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strategy {
    /// Naive sampling, with [`Naive::e_greedy`] as a special case.
    Naive(Naive),
    /// Naive sampling that uses other parameters after `switch` pulls, but keeps its tables.
    TwoPhase {
        /// The parameters in the first phase.
        first: Naive,
        /// The parameters in the second phase.
        second: Naive,
        /// The number of pulls in the first phase, counted over the whole search.
        switch: u64,
    },
    /// UCB1: pulls random arms that were not pulled yet, until 200 draws in a row find no new arm. From then on, pulls
    /// the arm with the highest bound x + C sqrt(ln t / N), with x, t and N as in [`UcbForm`].
    Ucb1 {
        /// The constant C of the bound, at least 0.
        c: f64,
    },
    /// UCB1 with first play urgency: pulls the arm with the highest bound if the bound exceeds `threshold`. Otherwise
    /// pulls a random arm that was not pulled yet. If 50 draws find no new arm, pulls the arm with the highest bound
    /// after all.
    Ucb1Fpu {
        /// The constant C of the bound, at least 0.
        c: f64,
        /// The bound F assumed for arms that were not pulled yet; finite.
        threshold: f64,
    },
    /// Matching learning with polynomial storage, searched greedily: each variable takes the value with the highest sum
    /// of mean and bonus. The bonus is at least the highest bonus among the values of earlier variables.
    Mlps {
        /// The constant C of the bonuses, at least 0.
        c: f64,
    },
    /// A random arm for each pull.
    Random,
}

/// The number of draws after which UCB1 assumes that all arms were pulled.
const UCB1_DRAWS: u32 = 200;
/// The number of draws after which first play urgency accepts an arm that was pulled before.
const FPU_DRAWS: u32 = 50;

impl Strategy {
    /// Returns the strategy unchanged if all its parameters are in range.
    ///
    /// # Errors
    ///
    /// Returns an error that names the first parameter that is out of range.
    pub fn checked(self) -> Result<Strategy, OutOfRange> {
        match self {
            Strategy::Naive(naive) => naive.check()?,
            Strategy::TwoPhase { first, second, .. } => {
                first.check()?;
                second.check()?;
            }
            Strategy::Ucb1 { c } | Strategy::Mlps { c } => constant("c", c)?,
            Strategy::Ucb1Fpu { c, threshold } => {
                constant("c", c)?;
                if !threshold.is_finite() {
                    let expected = "a number";
                    return Err(OutOfRange { name: "f", found: threshold, expected });
                }
            }
            Strategy::Random => {}
        }
        Ok(self)
    }

    /// Sets `arm` to the arm of the next pull. `num_search_pulls` is the number of pulls of the whole search so far,
    /// which determines the phase. It equals `tables.num_pulls()` at a root, and is larger in the nodes below.
    ///
    /// # Panics
    ///
    /// Panics if the problem admits no value for some variable, which violates its contract, or if the tables were not
    /// [reset](Tables::reset) for its sizes.
    pub fn choose<P: Problem, R: Rng + ?Sized>(
        &self,
        tables: &mut Tables,
        num_search_pulls: u64,
        problem: &P,
        scratch: &mut Scratch<P::Partial>,
        rng: &mut R,
        arm: &mut [u16],
    ) {
        let mut draw = Draw { problem, scratch, rng };
        match *self {
            Strategy::Naive(naive) => naive.choose(tables, &mut draw, arm),
            Strategy::TwoPhase { first, second, switch } => {
                let phase = if num_search_pulls < switch { first } else { second };
                phase.choose(tables, &mut draw, arm);
            }
            Strategy::Ucb1 { c } => {
                if !tables.is_exhausted {
                    if draw.new_arm(UCB1_DRAWS, tables, arm) {
                        return;
                    }
                    tables.is_exhausted = true;
                }
                let (best, _) = tables.best_bound(1.0, c).expect("all arms were pulled");
                arm.copy_from_slice(tables.arm(best));
            }
            Strategy::Ucb1Fpu { c, threshold } => {
                let best = tables.best_bound(1.0, c);
                let urgent = best.is_none_or(|(_, bound)| bound <= threshold);
                if urgent && draw.new_arm(FPU_DRAWS, tables, arm) {
                    return;
                }
                let (best, _) = best.expect("an arm was pulled");
                arm.copy_from_slice(tables.arm(best));
            }
            Strategy::Mlps { c } => mlps::choose(c, tables, &mut draw, arm),
            Strategy::Random => draw.random(None, arm),
        }
    }
}
