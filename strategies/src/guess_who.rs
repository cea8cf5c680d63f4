//! Strategies for Guess Who: how many of the remaining characters to ask about.
//!
//! Cauwet & Teytaud 2018, section V-B. With `n` characters left for the player and `m` for the opponent, the player is
//! behind by D = max(n - m, 0) characters, and asks about
//!
//! h = (n - alpha D + gamma D^2 / n + zeta D^3 / n^2 + iota (n - m)) / 2
//!
//! characters, rounded down and clamped to the range from 1 to n - 1 (eq. 3). The stochastic family draws r uniformly
//! from \[0, 1\] for each question, and asks about beta r (n - 1) / 2 + (1 - beta) h characters (eqs. 1 and 2).
//!
//! Deviation: as printed, the equations halve D twice and contain n delta^2 / n^2 with delta = D / 2. Only the formula
//! above gives the play that the paper describes for its named parameters: for example, alpha = 1 asks about m / 2 when
//! behind.
//!
//! There are several optimal strategies; the one in this module is by Nica (arXiv 1509.03327).
//!
//! Questions are computed in fixed point, with 16 fractional bits. If beta is 0, they are the same as by the formula;
//! otherwise they are off by one with a probability of about 2^-15. A strategy that has played many games computes the
//! questions of all positions once (`lookup`); a strategy that is redrawn for every pair does not.
//!
//! This module computes exact scores between any two of its strategies ([`exact_score`]), and of best responses
//! ([`best_response_scores`]).

mod exact;
mod family;
mod lookup;
mod picture;

use std::hint::black_box;

use rand::{Rng, RngExt};
use ruse_games::Seat;
use ruse_games::guess_who::{GuessWho, GuessWhoView, MAX_CHARACTERS};
use ruse_search::{Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy};

pub use self::exact::{KnownQuestions, best_response_scores, exact_score};
pub use self::family::GuessWhoFamily;
use self::lookup::Lookup;
use crate::check_parameters;

/// Returns the optimal number of characters to ask about (Nica's optimum). The player has `own` characters left, and
/// the other player has `opponent`; both numbers are at least 2.
#[inline]
pub fn optimal_question(own: u32, opponent: u32) -> u32 {
    // A power of two: `power` < `opponent` <= 2 `power`.
    let power = opponent.next_power_of_two() / 2;
    if own > 2 * power { power } else { own / 2 }
}

/// Returns the probability that the player whose turn it is wins, if both play optimally (Nica, arXiv 1509.03327).
/// `own` and `opponent` are at least 2.
pub fn optimal_win_probability(own: u32, opponent: u32) -> f64 {
    let (n, m) = (f64::from(own), f64::from(opponent));
    let power_of = |x: u32| f64::from(x.next_power_of_two() / 2);
    if own > opponent.next_power_of_two() {
        let p = power_of(opponent);
        2.0 * p / n - (4.0 * p * p + 2.0) / (3.0 * n * m)
    } else {
        let p = power_of(own);
        1.0 - p / m + (2.0 * p * p + 4.0) / (3.0 * n * m)
    }
}

/// Returns the probability that the player wins after asking about `asked` characters, if both sides then play
/// perfectly.
fn worth(own: u32, opponent: u32, asked: u32) -> f64 {
    let win = |left: u32| match left {
        1 => 1.0,
        left => 1.0 - optimal_win_probability(opponent, left),
    };
    let yes = f64::from(asked) / f64::from(own);
    yes * win(asked) + (1.0 - yes) * win(own - asked)
}

/// The number of fractional bits of a question in fixed point, before the question is rounded down.
const FRACTION_BITS: u32 = 16;
/// The bound on the absolute value of a question in fixed point. Values beyond the bound are clamped, so that sums do
/// not overflow.
const MAX_LEVEL: i64 = 1 << 46;
/// The number of fractional bits of beta / 2 in fixed point.
const BETA_BITS: u32 = 32;
/// The bound on the absolute value of beta / 2 in fixed point: its product with a number of characters is at most
/// [`MAX_LEVEL`].
const MAX_HALF_BETA: i64 = (MAX_LEVEL / MAX_CHARACTERS as i64) << (BETA_BITS - FRACTION_BITS);

/// The parameters alpha, gamma, zeta and iota of the strategies named in the paper, all with beta 0.
const OL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
const ONL: [f64; 4] = [-0.25, -1.5, 0.0, 0.0];
const BEST: [f64; 4] = [-0.56, -1.58, -0.06, -0.022];

/// The strategy of eqs. 1 to 3 of the paper, without (`Asking<false>`) or with (`Asking<true>`) randomness.
///
/// Parameters are stored as the factors that the formula needs, so a question takes little time.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking<const STOCHASTIC: bool> {
    /// (1 - beta) / 2, the factor of all terms of h.
    half: f64,
    /// `half` times alpha; the next three fields are `half` times gamma, zeta and iota.
    alpha: f64,
    gamma: f64,
    zeta: f64,
    iota: f64,
    /// beta / 2 in fixed point; zero without randomness.
    half_beta: i64,
    /// A table of (1 - beta) h for each position, filled once the table pays off.
    lookup: Lookup,
}

impl<const STOCHASTIC: bool> Asking<STOCHASTIC> {
    fn with([alpha, beta, gamma, zeta, iota]: [f64; 5]) -> Self {
        let half = (1.0 - beta) / 2.0;
        Asking {
            half,
            alpha: half * alpha,
            gamma: half * gamma,
            zeta: half * zeta,
            iota: half * iota,
            half_beta: ((beta / 2.0 * (1u64 << BETA_BITS) as f64) as i64)
                .clamp(-MAX_HALF_BETA, MAX_HALF_BETA),
            lookup: Lookup::default(),
        }
    }

    /// Returns (1 - beta) h, with h as in the module documentation.
    #[inline(always)]
    fn expression(&self, n: f64, m: f64) -> f64 {
        let gap = n - m;
        let behind = gap.max(0.0);
        let square = behind * behind;
        let linear = self.half * n - self.alpha * behind + self.iota * gap;
        // Dividing last keeps integral questions exact.
        linear + (self.gamma * square / n + self.zeta * (square * behind) / (n * n))
    }

    /// Returns (1 - beta) h in fixed point. NaN, which results if terms of opposite sign overflow, counts as 0.
    #[inline(never)]
    fn level(&self, own: u32, opponent: u32) -> i64 {
        let h = self.expression(f64::from(own), f64::from(opponent));
        ((h * f64::from(1 << FRACTION_BITS)) as i64).clamp(-MAX_LEVEL, MAX_LEVEL)
    }

    /// Returns `true` if questions depend on a random number.
    fn is_random(&self) -> bool {
        STOCHASTIC && self.half_beta != 0
    }

    /// Returns the question for r = `bits` / 2^64, rounded down and clamped to the range from 1 to `own` - 1.
    #[inline(always)]
    fn question_at(&self, own: u32, opponent: u32, bits: u64) -> u32 {
        let mut question =
            self.lookup.get(own, opponent).unwrap_or_else(|| self.level(own, opponent));
        if STOCHASTIC {
            let range = i128::from(self.half_beta * i64::from(own - 1));
            let shift = 63 + BETA_BITS - FRACTION_BITS;
            question += ((range * i128::from(bits >> 1)) >> shift) as i64;
        }
        // Random parameters nearly always ask about too many or too few characters. With a branch, which the processor
        // predicts well, the next turn does not wait for the divisions of this turn.
        match question >> FRACTION_BITS {
            ..=1 => black_box(1),
            asked if asked >= i64::from(own) - 1 => black_box(own - 1),
            asked => asked as u32,
        }
    }

    /// Returns the smallest and the largest number of characters that the strategy asks about, with `own` characters
    /// left and `opponent` left for the other player.
    pub fn question_range(&self, own: u32, opponent: u32) -> (u32, u32) {
        let ends = [0, u64::MAX].map(|bits| self.question_at(own, opponent, bits));
        (ends[0].min(ends[1]), ends[0].max(ends[1]))
    }
}

impl Asking<false> {
    fn of([alpha, gamma, zeta, iota]: [f64; 4]) -> Asking<false> {
        Self::with([alpha, 0.0, gamma, zeta, iota])
    }

    /// Returns OL, the optimal linear strategy of the paper. It asks about half as many characters as the leader has
    /// left.
    pub fn optimal_linear() -> Asking<false> {
        Self::of(OL)
    }

    /// Returns ONL, the optimal non-linear strategy of the paper, tuned against OL.
    pub fn optimal_nonlinear() -> Asking<false> {
        Self::of(ONL)
    }

    /// Returns the strategy "best" of the paper, tuned against ONL.
    pub fn best() -> Asking<false> {
        Self::of(BEST)
    }

    /// Returns the number of characters that the strategy asks about if it has `own` characters left and the other
    /// player has `opponent`.
    #[inline(always)]
    pub fn question(&self, own: u32, opponent: u32) -> u32 {
        self.question_at(own, opponent, 0)
    }
}

impl<const STOCHASTIC: bool> Strategy<GuessWho> for Asking<STOCHASTIC> {
    type Memory = ();

    #[inline]
    fn begin(&self, (): &mut (), _seat: Seat) {
        self.lookup.count_game(|own, opponent| self.level(own, opponent));
    }

    #[inline(always)]
    fn act<R: Rng>(
        &self,
        (): &mut (),
        GuessWhoView { own, opponent }: GuessWhoView,
        rng: &mut R,
        action: &mut u32,
    ) {
        let bits = if STOCHASTIC { rng.next_u64() } else { 0 };
        *action = self.question_at(own, opponent, bits);
    }
}

impl<const STOCHASTIC: bool> ParametricStrategy<GuessWho> for Asking<STOCHASTIC> {
    fn space(_game: &GuessWho) -> ParameterSpace {
        let mut parameters = vec![
            Parameter::new("alpha", "asks about fewer characters when behind, by half of the gap"),
            Parameter::new(
                "gamma",
                "asks about more when behind, by half of gap^2 / own characters",
            ),
            Parameter::new(
                "zeta",
                "asks about more when behind, by half of gap^3 / own characters^2",
            ),
            Parameter::new(
                "iota",
                "more when behind and fewer when ahead, by half of the difference",
            ),
        ];
        if STOCHASTIC {
            let meaning = "share of a random number of characters, up to half of them";
            parameters.insert(1, Parameter::new("beta", meaning));
        }
        ParameterSpace::new(parameters)
    }

    fn from_parameters(game: &GuessWho, theta: &[f64]) -> Result<Self, ParameterError> {
        check_parameters(theta, 4 + usize::from(STOCHASTIC), || Self::space(game))?;
        let beta = if STOCHASTIC { theta[1] } else { 0.0 };
        let [gamma, zeta, iota] = *theta.last_chunk().expect("the length was checked");
        Ok(Self::with([theta[0], beta, gamma, zeta, iota]))
    }
}

/// A named strategy for Guess Who that draws no random numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum GuessWhoReference {
    /// Asks about half of the characters, rounded down.
    Dichotomy,
    /// A strategy of the deterministic family.
    Asking(Asking<false>),
    /// Nica's optimum.
    Optimal,
}

impl GuessWhoReference {
    /// Returns the number of characters that the strategy asks about if it has `own` characters left and the other
    /// player has `opponent`.
    #[inline(always)]
    pub fn question(&self, own: u32, opponent: u32) -> u32 {
        match self {
            GuessWhoReference::Dichotomy => own / 2,
            GuessWhoReference::Asking(asking) => asking.question(own, opponent),
            GuessWhoReference::Optimal => optimal_question(own, opponent),
        }
    }
}

impl Strategy<GuessWho> for GuessWhoReference {
    type Memory = ();

    #[inline]
    fn begin(&self, (): &mut (), seat: Seat) {
        if let GuessWhoReference::Asking(asking) = self {
            asking.begin(&mut (), seat);
        }
    }

    #[inline(always)]
    fn act<R: Rng>(&self, (): &mut (), view: GuessWhoView, _rng: &mut R, action: &mut u32) {
        *action = self.question(view.own, view.opponent);
    }
}

/// The reference players of Guess Who.
#[derive(Debug, Clone, PartialEq)]
pub enum GuessWhoPlayer {
    /// A named strategy.
    Named(GuessWhoReference),
    /// Asks about a uniformly drawn number of characters, from one to all except one.
    Random,
}

impl Strategy<GuessWho> for GuessWhoPlayer {
    type Memory = ();

    #[inline]
    fn begin(&self, (): &mut (), seat: Seat) {
        if let GuessWhoPlayer::Named(reference) = self {
            reference.begin(&mut (), seat);
        }
    }

    #[inline(always)]
    fn act<R: Rng>(&self, (): &mut (), view: GuessWhoView, rng: &mut R, action: &mut u32) {
        match self {
            GuessWhoPlayer::Named(reference) => reference.act(&mut (), view, rng, action),
            GuessWhoPlayer::Random => *action = rng.random_range(1..view.own),
        }
    }
}

#[cfg(test)]
mod tests;
