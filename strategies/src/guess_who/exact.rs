//! Exact scores and best responses in Guess Who.
//!
//! A position is a pair of numbers of characters. Every question makes one of them smaller, so dynamic programming
//! starts from the ends of the game. A strategy is given by the distribution of its question in each position; for a
//! strategy that draws r, this distribution has a closed form ([`KnownQuestions`]). Time is quadratic in the number of
//! characters for two deterministic strategies, and cubic if all questions of a position are enumerated; memory is
//! quadratic.

use ruse_games::BySeat;

use super::{Asking, BETA_BITS, FRACTION_BITS, GuessWhoPlayer, GuessWhoReference};

/// A strategy whose questions have a known distribution.
pub trait KnownQuestions {
    /// Returns the mean of `value` over the questions of the strategy, with `own` characters left (at least 2) and
    /// `opponent` left for the other player.
    fn mean(&self, own: u32, opponent: u32, value: &dyn Fn(u32) -> f64) -> f64;
}

/// A function that maps the numbers of characters left for the player and for the opponent to the number of characters
/// to ask about.
impl<Q: Fn(u32, u32) -> u32> KnownQuestions for Q {
    fn mean(&self, own: u32, opponent: u32, value: &dyn Fn(u32) -> f64) -> f64 {
        value(self(own, opponent))
    }
}

impl KnownQuestions for GuessWhoReference {
    fn mean(&self, own: u32, opponent: u32, value: &dyn Fn(u32) -> f64) -> f64 {
        value(self.question(own, opponent))
    }
}

impl KnownQuestions for GuessWhoPlayer {
    fn mean(&self, own: u32, opponent: u32, value: &dyn Fn(u32) -> f64) -> f64 {
        match self {
            GuessWhoPlayer::Named(reference) => reference.mean(own, opponent, value),
            GuessWhoPlayer::Random => (1..own).map(value).sum::<f64>() / f64::from(own - 1),
        }
    }
}

impl<const STOCHASTIC: bool> KnownQuestions for Asking<STOCHASTIC> {
    fn mean(&self, own: u32, opponent: u32, value: &dyn Fn(u32) -> f64) -> f64 {
        let (low, high) = self.question_range(own, opponent);
        if low == high {
            return value(low);
        }
        // Before rounding down, a question is `level` + r `range` in fixed point. It is below c + 1 if r range < (c +
        // 1) 2^16 - level.
        let level = self.level(own, opponent) as f64;
        let range = self.half_beta as f64 * f64::from(own - 1)
            / f64::from(1 << (BETA_BITS - FRACTION_BITS));
        let at_most = |question: u32| {
            let border = f64::from(question + 1) * f64::from(1 << FRACTION_BITS) - level;
            let share = (border / range).clamp(0.0, 1.0);
            if range > 0.0 { share } else { 1.0 - share }
        };
        let mut mean = 0.0;
        let mut before = 0.0;
        for question in low..=high {
            // Questions above the largest one are clamped to it.
            let up_to = if question == high { 1.0 } else { at_most(question) };
            mean += (up_to - before) * value(question);
            before = up_to;
        }
        mean
    }
}

/// The probability that the player whose turn it is wins, indexed by the numbers of characters left for this player and
/// for the opponent. Both numbers are at least 2.
pub(super) struct WinProbabilities {
    num_characters: u32,
    values: Vec<f64>,
}

impl WinProbabilities {
    pub(super) fn new(num_characters: u32) -> WinProbabilities {
        let side = num_characters as usize + 1;
        WinProbabilities { num_characters, values: vec![0.0; side * side] }
    }

    pub(super) fn get(&self, own: u32, opponent: u32) -> f64 {
        self.values[(own * (self.num_characters + 1) + opponent) as usize]
    }

    pub(super) fn set(&mut self, own: u32, opponent: u32, value: f64) {
        self.values[(own * (self.num_characters + 1) + opponent) as usize] = value;
    }

    /// Returns the winning probability of a player that asks about `asked` of its `own` characters, if `self` contains
    /// the opponent's winning probabilities.
    pub(super) fn after(&self, own: u32, opponent: u32, asked: u32) -> f64 {
        assert!((1..own).contains(&asked), "a question about {asked} of {own} characters");
        let win = |left| if left == 1 { 1.0 } else { 1.0 - self.get(opponent, left) };
        let yes = f64::from(asked) / f64::from(own);
        yes * win(asked) + (1.0 - yes) * win(own - asked)
    }

    /// Returns the score of a strategy with these winning probabilities against a strategy with the winning
    /// probabilities `other`, averaged over the seats.
    fn score_against(&self, other: &WinProbabilities) -> f64 {
        let n = self.num_characters;
        (self.get(n, n) + 1.0 - other.get(n, n)) / 2.0
    }
}

/// Iterates over the positions with 2 to `num_characters` characters for each player, the ends of the game first.
pub(super) fn positions(num_characters: u32) -> impl Iterator<Item = (u32, u32)> {
    (4..=2 * num_characters).flat_map(move |sum| {
        let most = (sum - 2).min(num_characters);
        (sum - most..=most).map(move |own| (own, sum - own))
    })
}

/// Returns the exact score of strategy `a` against `b`, averaged over the seats.
///
/// # Panics
///
/// Panics if a question is about none or about all of the characters that are left.
pub fn exact_score(
    num_characters: u32,
    a: &(impl KnownQuestions + ?Sized),
    b: &(impl KnownQuestions + ?Sized),
) -> f64 {
    let [mut wins_a, mut wins_b] = [(); 2].map(|()| WinProbabilities::new(num_characters));
    for (own, opponent) in positions(num_characters) {
        let value = a.mean(own, opponent, &|asked| wins_b.after(own, opponent, asked));
        let other_value = b.mean(own, opponent, &|asked| wins_a.after(own, opponent, asked));
        wins_a.set(own, opponent, value);
        wins_b.set(own, opponent, other_value);
    }
    wins_a.score_against(&wins_b)
}

/// Returns the score of a best response to `opponent` in each seat. Unlike [`exact_score`], this function always takes
/// time cubic in the number of characters.
///
/// # Panics
///
/// Panics if a question of the opponent is about none or about all of the characters that are left.
pub fn best_response_scores(
    num_characters: u32,
    opponent: &(impl KnownQuestions + ?Sized),
) -> BySeat<f64> {
    let [mut best, mut wins] = [(); 2].map(|()| WinProbabilities::new(num_characters));
    for (n, m) in positions(num_characters) {
        // A question and its negation are equivalent.
        let value = (1..=n / 2).map(|asked| wins.after(n, m, asked)).fold(0.0, f64::max);
        let other_value = opponent.mean(n, m, &|asked| best.after(n, m, asked));
        best.set(n, m, value);
        wins.set(n, m, other_value);
    }
    let n = num_characters;
    BySeat { first: best.get(n, n), second: 1.0 - wins.get(n, n) }
}
