//! Strategies that choose by tables.

use rand::{Rng, RngExt};

use super::draw::{Scratch, explore, happens, random_arm};
use super::mlps;
use super::{Problem, Tables};

/// A parameter of a strategy is out of its range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{name} is {found}, where {expected} should be")]
#[non_exhaustive]
pub struct OutOfRange {
    /// The name of the parameter.
    pub name: &'static str,
    /// Its value.
    pub found: f64,
    /// What it should be.
    pub expected: &'static str,
}

/// Where the constant of an upper bound is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UcbForm {
    /// x + C sqrt(ln t / N).
    #[default]
    Plain,
    /// C x + sqrt(ln t / N).
    Swapped,
}

/// How naive sampling chooses one of the arms pulled so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exploit {
    /// With probability `e_g` any of them, else the one of the highest mean.
    Greedy {
        /// In [0, 1].
        e_g: f64,
    },
    /// The one of the highest upper bound.
    Ucb1 {
        /// The constant of the bound, at least 0.
        c: f64,
        /// Where the constant is.
        form: UcbForm,
    },
}

/// Naive sampling: with probability `e0`, and at first, an explore step, which chooses each variable on its own, and else
/// an exploit step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Naive {
    /// The probability of an explore step, in [0, 1].
    pub e0: f64,
    /// The probability with which an explore step does not simply take the best value of a variable, in [0, 1].
    pub e_l: f64,
    /// The exploit step.
    pub exploit: Exploit,
    /// Whether values that were never pulled come first in an explore step.
    pub force: bool,
}

impl Naive {
    /// NS(e0, e_l, e_g) of the paper.
    pub fn greedy(e0: f64, e_l: f64, e_g: f64) -> Naive {
        Naive { e0, e_l, exploit: Exploit::Greedy { e_g }, force: true }
    }

    /// e-greedy over whole arms: with probability `e` a random arm, else the one of the highest mean.
    pub fn e_greedy(e: f64) -> Naive {
        Naive { force: false, ..Naive::greedy(e, 1.0, 0.0) }
    }

    fn choose<P: Problem, R: Rng + ?Sized>(
        &self,
        tables: &mut Tables,
        problem: &P,
        scratch: &mut Scratch<P::Partial>,
        rng: &mut R,
        arm: &mut [u16],
    ) {
        if tables.num_arms() == 0 || happens(self.e0, rng) {
            return explore(self.e_l, self.force, tables, problem, scratch, rng, arm);
        }
        let chosen = match self.exploit {
            Exploit::Greedy { e_g } if happens(e_g, rng) => {
                Some(rng.random_range(0..tables.num_arms()))
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

/// A way to choose arms by what tables hold, at a root or in a node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strategy {
    /// Naive sampling; [`Naive::e_greedy`] is one of its kind.
    Naive(Naive),
    /// Naive sampling with other parameters after some pulls; tables are kept.
    TwoPhase {
        /// What the first pulls are chosen by.
        first: Naive,
        /// What the others are chosen by.
        second: Naive,
        /// The number of first pulls, of the whole search.
        switch: u64,
    },
    /// A random arm that was not pulled yet, as long as one turns up in 200 draws; from then on the arm of the highest
    /// x + C sqrt(ln t / N).
    Ucb1 {
        /// C, at least 0.
        c: f64,
    },
    /// UCB1 with first play urgency: the arm of the highest bound if that is above `threshold`, else a random arm that was
    /// not pulled yet, or the former after all if none turns up in 50 draws.
    Ucb1Fpu {
        /// C, at least 0.
        c: f64,
        /// F, finite: what an arm promises that was not pulled yet.
        threshold: f64,
    },
    /// Matching learning with polynomial storage, searched greedily: each variable takes the value of the highest mean and
    /// bonus, where the bonuses of variables that have their values count as well.
    Mlps {
        /// C, at least 0.
        c: f64,
    },
    /// A random arm every time.
    Random,
}

/// Draws after which UCB1 takes it that all arms were pulled.
const UCB1_DRAWS: u32 = 200;
/// Draws after which first play urgency is content with an arm that was pulled.
const FPU_DRAWS: u32 = 50;

impl Strategy {
    /// The same strategy, if all its parameters are in their ranges.
    ///
    /// # Errors
    ///
    /// At the first one that is not.
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

    /// Writes the arm to pull next to `arm`. `num_search_pulls` are the pulls so far of the whole search, which are those
    /// of the tables at a root, and more in a node below it: phases are counted in them.
    ///
    /// # Panics
    ///
    /// When the problem admits no value of a variable, against what it promises; when the tables were not
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
        match *self {
            Strategy::Naive(naive) => naive.choose(tables, problem, scratch, rng, arm),
            Strategy::TwoPhase { first, second, switch } => {
                let phase = if num_search_pulls < switch { first } else { second };
                phase.choose(tables, problem, scratch, rng, arm);
            }
            Strategy::Ucb1 { c } => {
                if !tables.is_exhausted {
                    if new_arm(UCB1_DRAWS, tables, problem, scratch, rng, arm) {
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
                if urgent && new_arm(FPU_DRAWS, tables, problem, scratch, rng, arm) {
                    return;
                }
                let (best, _) = best.expect("an arm was pulled");
                arm.copy_from_slice(tables.arm(best));
            }
            Strategy::Mlps { c } => mlps::choose(c, tables, problem, scratch, rng, arm),
            Strategy::Random => random_arm(problem, scratch, rng, arm),
        }
    }
}

/// Writes a random arm that was not pulled yet to `arm`; says whether one turned up.
fn new_arm<P: Problem, R: Rng + ?Sized>(
    num_draws: u32,
    tables: &Tables,
    problem: &P,
    scratch: &mut Scratch<P::Partial>,
    rng: &mut R,
    arm: &mut [u16],
) -> bool {
    (0..num_draws).any(|_| {
        random_arm(problem, scratch, rng, arm);
        tables.find(arm).is_none()
    })
}
