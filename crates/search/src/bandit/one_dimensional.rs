//! Bandits: rules that choose the next arm, such as a member of a portfolio, from the results of the played arms.
//!
//! - [`Ucbt`]: the rule of Saint-Pierre & Teytaud, *Nash and the bandit approach for adversarial portfolios*, CIG 2014,
//!   section III-B, <https://doi.org/10.1109/CIG.2014.6932897>. UCBT explores much less than the other rules. The paper
//!   does not define how ties are broken, nor whether arms without plays come first; the formula would cap the index of
//!   such arms at 1, too. Here, arms without plays come first.
//! - [`Ucb1`] and [`UcbTuned`]: Auer, Cesa-Bianchi & Fischer, *Finite-time analysis of the multiarmed bandit
//!   problem*, Machine Learning 47, 2002, figure 1 and section 4.
//! - [`Thompson`]: Thompson, *On the likelihood that one unknown probability exceeds another*, Biometrika 25, 1933,
//!   with uniform Beta priors. A score between 0 and 1 counts as a win with the score as its probability: Agrawal &
//!   Goyal, *Analysis of Thompson sampling for the multi-armed bandit problem*, COLT 2012, algorithm 2. This keeps the
//!   guarantee for all scores in [0, 1].
//! - [`Exp3`]: Auer, Cesa-Bianchi, Freund & Schapire, *The nonstochastic multiarmed bandit problem*, SIAM Journal on
//!   Computing 32, 2002, figure 1, with rewards and without a fixed horizon. The parameter gamma follows corollary 3.2,
//!   where the horizon is the smallest power of two above the number of games so far; whenever gamma changes, the
//!   weights are reset (section 4 of the same paper).
//!
//! Scores are in [0, 1]; a draw is one half. Time per choice and memory are linear in the number of arms.

use rand::{Rng, RngExt};
use rand_distr::Distribution;
use ruse_base::gamma::Beta;

/// A bandit algorithm, which repeatedly chooses one of several arms with random scores.
pub trait Bandit: Send {
    /// Returns the arm to play next.
    fn choose(&mut self, rng: &mut dyn Rng) -> usize;

    /// Records the score, in [0, 1], of `arm`, the last arm chosen.
    fn observe(&mut self, arm: usize, score: f64);

    /// Returns the arm that seems best: the arm to play if no more results can be observed.
    fn recommend(&self) -> usize;
}

ruse_base::named! {
    /// The name of a bandit. The default is first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum BanditName {
        /// [`Ucbt`].
        Ucbt = "ucbt",
        /// [`Ucb1`].
        Ucb1 = "ucb1",
        /// [`UcbTuned`].
        UcbTuned = "ucb-tuned",
        /// [`Thompson`].
        Thompson = "thompson",
        /// [`Exp3`].
        Exp3 = "exp3",
    }
}

impl BanditName {
    /// Creates the bandit for `num_arms` arms.
    ///
    /// # Panics
    ///
    /// Panics if `num_arms` is 0.
    pub fn begin(self, num_arms: usize) -> Box<dyn Bandit> {
        match self {
            BanditName::Ucbt => Box::new(Ucbt::new(num_arms)),
            BanditName::Ucb1 => Box::new(Ucb1::new(num_arms)),
            BanditName::UcbTuned => Box::new(UcbTuned::new(num_arms)),
            BanditName::Thompson => Box::new(Thompson::new(num_arms)),
            BanditName::Exp3 => Box::new(Exp3::new(num_arms)),
        }
    }
}

/// The plays and scores of all arms.
#[derive(Debug, Clone)]
struct Arms {
    arms: Vec<Arm>,
    num_plays: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Arm {
    plays: u64,
    sum: f64,
    sum_of_squares: f64,
}

impl Arm {
    fn mean(self) -> f64 {
        self.sum / self.plays as f64
    }
}

impl Arms {
    fn new(num_arms: usize) -> Arms {
        assert!(num_arms > 0, "a bandit has an arm");
        Arms { arms: vec![Arm::default(); num_arms], num_plays: 0 }
    }

    fn observe(&mut self, arm: usize, score: f64) {
        debug_assert!((0.0..=1.0).contains(&score), "a score is in [0, 1]");
        let arm = &mut self.arms[arm];
        arm.plays += 1;
        arm.sum += score;
        arm.sum_of_squares += score * score;
        self.num_plays += 1;
    }

    /// Returns the arm with the largest index; ties go to the largest mean, then to chance. Arms without plays come
    /// first.
    ///
    /// The index of the paper is at most 1, which many arms reach early. If several indices are 1, an arm that has
    /// always won keeps being played, because its mean is the largest.
    fn choose(&self, rng: &mut dyn Rng, index: impl Fn(Arm) -> f64) -> usize {
        let mut best = ([f64::NEG_INFINITY; 2], 0);
        let mut num_best = 0u32;
        for (number, &arm) in self.arms.iter().enumerate() {
            let rank = if arm.plays == 0 { [f64::INFINITY; 2] } else { [index(arm), arm.mean()] };
            if rank > best.0 {
                best = (rank, number);
                num_best = 1;
            } else if rank == best.0 {
                num_best += 1;
                if rng.random_range(0..num_best) == 0 {
                    best.1 = number;
                }
            }
        }
        best.1
    }

    fn recommend(&self) -> usize {
        let mean = |number: usize| {
            let arm = self.arms[number];
            if arm.plays == 0 { -1.0 } else { arm.mean() }
        };
        (1..self.arms.len()).fold(0, |best, arm| if mean(arm) > mean(best) { arm } else { best })
    }
}

/// UCBT, the rule of Saint-Pierre & Teytaud.
#[derive(Debug, Clone)]
pub struct Ucbt(Arms);

impl Ucbt {
    /// The exponent p of the paper's formula.
    const POWER: f64 = 2.1;
    /// The constant C of the paper's formula.
    const C: f64 = 2.0;

    /// Creates the rule for `num_arms` arms.
    ///
    /// # Panics
    ///
    /// Panics if `num_arms` is 0.
    pub fn new(num_arms: usize) -> Ucbt {
        Ucbt(Arms::new(num_arms))
    }
}

/// Returns log(4 t^p), where iterations t count from 1. The result is the same for all arms.
fn ucbt_log(t: f64) -> f64 {
    libm::log(4.0) + Ucbt::POWER * libm::log(t)
}

/// Returns the index of an arm with n plays and mean score r / n: min(1, r / n + (1 / 100) sqrt(C log(4 t^p) / n) + (16
/// / 100) log(4 t^p) / n). `log` is log(4 t^p).
fn ucbt_index(mean: f64, plays: f64, log: f64) -> f64 {
    (mean + (Ucbt::C * log / plays).sqrt() / 100.0 + 16.0 / 100.0 * log / plays).min(1.0)
}

impl Bandit for Ucbt {
    fn choose(&mut self, rng: &mut dyn Rng) -> usize {
        // Iterations count from 1.
        let log = ucbt_log((self.0.num_plays + 1) as f64);
        self.0.choose(rng, |arm| ucbt_index(arm.mean(), arm.plays as f64, log))
    }

    fn observe(&mut self, arm: usize, score: f64) {
        self.0.observe(arm, score);
    }

    fn recommend(&self) -> usize {
        self.0.recommend()
    }
}

/// UCB1.
#[derive(Debug, Clone)]
pub struct Ucb1(Arms);

impl Ucb1 {
    /// Creates the rule for `num_arms` arms.
    ///
    /// # Panics
    ///
    /// Panics if `num_arms` is 0.
    pub fn new(num_arms: usize) -> Ucb1 {
        Ucb1(Arms::new(num_arms))
    }
}

impl Bandit for Ucb1 {
    fn choose(&mut self, rng: &mut dyn Rng) -> usize {
        let log = libm::log(self.0.num_plays as f64);
        self.0.choose(rng, |arm| arm.mean() + (2.0 * log / arm.plays as f64).sqrt())
    }

    fn observe(&mut self, arm: usize, score: f64) {
        self.0.observe(arm, score);
    }

    fn recommend(&self) -> usize {
        self.0.recommend()
    }
}

/// UCB1-tuned: like UCB1, but the bonus depends on an upper bound on the variance of the arm.
#[derive(Debug, Clone)]
pub struct UcbTuned(Arms);

impl UcbTuned {
    /// Creates the rule for `num_arms` arms.
    ///
    /// # Panics
    ///
    /// Panics if `num_arms` is 0.
    pub fn new(num_arms: usize) -> UcbTuned {
        UcbTuned(Arms::new(num_arms))
    }
}

impl Bandit for UcbTuned {
    fn choose(&mut self, rng: &mut dyn Rng) -> usize {
        let log = libm::log(self.0.num_plays as f64);
        self.0.choose(rng, |arm| {
            let (mean, plays) = (arm.mean(), arm.plays as f64);
            // V_j(s), an upper bound on the variance; scores in [0, 1] have a variance of at most 1/4.
            let variance = arm.sum_of_squares / plays - mean * mean + (2.0 * log / plays).sqrt();
            mean + (log / plays * variance.min(0.25)).sqrt()
        })
    }

    fn observe(&mut self, arm: usize, score: f64) {
        self.0.observe(arm, score);
    }

    fn recommend(&self) -> usize {
        self.0.recommend()
    }
}

/// Thompson sampling.
#[derive(Debug, Clone)]
pub struct Thompson {
    arms: Arms,
    /// The wins and losses of each arm, plus one of each from the prior. A random toss turns a score into a win or a
    /// loss.
    counts: Vec<[f64; 2]>,
    /// A uniform random number, drawn with the last choice. A score above it counts as a win.
    toss: f64,
}

impl Thompson {
    /// Creates the rule for `num_arms` arms.
    ///
    /// # Panics
    ///
    /// Panics if `num_arms` is 0.
    pub fn new(num_arms: usize) -> Thompson {
        Thompson { arms: Arms::new(num_arms), counts: vec![[1.0; 2]; num_arms], toss: 0.5 }
    }
}

impl Bandit for Thompson {
    fn choose(&mut self, rng: &mut dyn Rng) -> usize {
        let drawn = self.counts.iter().map(|&[wins, losses]| {
            let beta = Beta::new(wins, losses).expect("counts are positive");
            beta.sample(rng)
        });
        let (best, _) = drawn
            .enumerate()
            .fold((0, -1.0), |best, (arm, drawn)| if drawn > best.1 { (arm, drawn) } else { best });
        self.toss = rng.random();
        best
    }

    fn observe(&mut self, arm: usize, score: f64) {
        self.arms.observe(arm, score);
        self.counts[arm][usize::from(self.toss >= score)] += 1.0;
    }

    fn recommend(&self) -> usize {
        self.arms.recommend()
    }
}

/// Exp3, which is robust against adaptive opponents but never stops exploring.
#[derive(Debug, Clone)]
pub struct Exp3 {
    arms: Arms,
    /// The logarithm of the weight of each arm.
    log_weights: Vec<f64>,
    gamma: f64,
    /// The number of games after which gamma changes.
    horizon: u64,
    probabilities: Vec<f64>,
}

impl Exp3 {
    /// Creates the rule for `num_arms` arms.
    ///
    /// # Panics
    ///
    /// Panics if `num_arms` is 0.
    pub fn new(num_arms: usize) -> Exp3 {
        let mut exp3 = Exp3 {
            arms: Arms::new(num_arms),
            log_weights: Vec::new(),
            gamma: 1.0,
            horizon: 1,
            probabilities: vec![1.0 / num_arms as f64; num_arms],
        };
        exp3.begin_again();
        exp3
    }

    fn begin_again(&mut self) {
        let num_arms = self.probabilities.len() as f64;
        self.log_weights = vec![0.0; self.probabilities.len()];
        // This is corollary 3.2; the horizon serves as the bound g on the best sum of rewards.
        let bound = (std::f64::consts::E - 1.0) * self.horizon as f64;
        self.gamma = (num_arms * libm::log(num_arms) / bound).sqrt().min(1.0);
    }
}

impl Bandit for Exp3 {
    fn choose(&mut self, rng: &mut dyn Rng) -> usize {
        let num_arms = self.probabilities.len() as f64;
        let most = self.log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.log_weights.iter().map(|log| libm::exp(log - most)).sum();
        for (probability, log) in self.probabilities.iter_mut().zip(&self.log_weights) {
            *probability = (1.0 - self.gamma) * libm::exp(log - most) / sum + self.gamma / num_arms;
        }
        let mut drawn: f64 = rng.random();
        let found = self.probabilities.iter().position(|probability| {
            drawn -= probability;
            drawn < 0.0
        });
        found.unwrap_or(self.probabilities.len() - 1)
    }

    fn observe(&mut self, arm: usize, score: f64) {
        self.arms.observe(arm, score);
        let num_arms = self.probabilities.len() as f64;
        self.log_weights[arm] += self.gamma * score / (self.probabilities[arm] * num_arms);
        if self.arms.num_plays >= self.horizon {
            self.horizon *= 2;
            self.begin_again();
        }
    }

    fn recommend(&self) -> usize {
        self.arms.recommend()
    }
}

#[cfg(test)]
mod tests;
