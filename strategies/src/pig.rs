//! Strategies for Pig: the turn total at which to hold.
//!
//! The only parameter, theta, is as in Cauwet & Teytaud 2018, table III: the strategy holds at a turn total of at least
//! 20 + theta, rounded. If fewer points than this total are enough to reach the goal, the strategy rolls until it
//! reaches the goal.
//!
//! The solution follows Neller & Presser (*Optimal play of the dice game Pig*, The UMAP Journal 25, 2004), from high
//! scores to low ones, with one deviation. For each pair of scores, the starts of the two players' turns lead to each
//! other when a 1 is rolled. Policy iteration finds their values instead of value iteration, and ends after a few steps
//! with exact numbers. Solving takes a few hundredths of a second and is done once for each goal.
//!
//! This module computes exact winning probabilities between any two of its strategies ([`exact_wins`]), and of best
//! responses ([`best_response_wins`]), in time cubic in the goal.

mod family;
mod picture;

use std::sync::{Arc, OnceLock};

use rand::{Rng, RngExt};
use ruse_games::BySeat;
use ruse_games::pig::{Pig, PigAction, PigView};
use ruse_search::{Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy};

pub use self::family::PigFamily;
use crate::check_parameters;

/// The turn total at which the parametric strategy holds if its parameter is zero.
const USUAL_SUM: f64 = 20.0;

/// A strategy that holds at a fixed turn total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoldAt {
    sum: u32,
}

impl HoldAt {
    /// Creates the strategy that holds at a turn total of `sum` or more. With a sum of 0, 1 or 2, the strategy holds
    /// after every roll.
    pub fn new(sum: u32) -> HoldAt {
        HoldAt { sum: sum.max(1) }
    }

    /// Returns the turn total at which the strategy holds, at least 1.
    pub fn sum(&self) -> u32 {
        self.sum
    }
}

/// A strategy whose decisions depend on the scores and the turn total.
pub trait Holds {
    /// Returns the probability that the strategy holds with a score of `own` points against `opponent`, and a
    /// `turn_total` of at least 2.
    fn holds(&self, own: u32, opponent: u32, turn_total: u32) -> f64;
}

/// Returns the probability of something that is certain to be so, or not to be so.
#[inline(always)]
fn certain(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

impl Holds for HoldAt {
    #[inline(always)]
    fn holds(&self, _own: u32, _opponent: u32, turn_total: u32) -> f64 {
        certain(turn_total >= self.sum)
    }
}

impl Strategy<Pig> for HoldAt {
    type Memory = ();

    #[inline(always)]
    fn act<R: Rng>(&self, (): &mut (), view: PigView, _rng: &mut R, action: &mut PigAction) {
        // The sum is at least 1, so every turn begins with a roll.
        *action = if view.turn_total >= self.sum { PigAction::Hold } else { PigAction::Roll };
    }
}

impl ParametricStrategy<Pig> for HoldAt {
    fn space(_game: &Pig) -> ParameterSpace {
        ParameterSpace::new(vec![Parameter::new(
            "patience",
            "sum of the turn at which it holds, less 20; rounded",
        )])
    }

    fn from_parameters(game: &Pig, theta: &[f64]) -> Result<Self, ParameterError> {
        check_parameters(theta, 1, || Self::space(game))?;
        // The cast saturates.
        Ok(HoldAt::new((USUAL_SUM + theta[0]).round() as u32))
    }
}

/// The value of the rest of a turn: the probability `now` of winning in this turn or after holding, and the probability
/// `one` of rolling a 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct TurnValue {
    now: f64,
    one: f64,
}

impl TurnValue {
    /// Returns the probability of winning, if the opponent wins with the probability `other` after a 1.
    fn wins(self, other: f64) -> f64 {
        self.now + self.one * (1.0 - other)
    }
}

/// Winning probabilities at the start of a turn, indexed by the scores of the player and the opponent.
#[derive(Debug, Clone, PartialEq)]
struct StartValues {
    goal: u32,
    values: Vec<f64>,
}

impl StartValues {
    fn new(goal: u32) -> StartValues {
        StartValues { goal, values: vec![0.0; (goal * goal) as usize] }
    }

    fn get(&self, own: u32, opponent: u32) -> f64 {
        self.values[(own * self.goal + opponent) as usize]
    }

    fn set(&mut self, own: u32, opponent: u32, value: f64) {
        self.values[(own * self.goal + opponent) as usize] = value;
    }

    /// Returns the value of a turn with `own` points against `opponent`, if `self` contains the opponent's winning
    /// probabilities. `holds` receives each turn total, in descending order, with the values of holding and rolling, and
    /// returns the probability of holding.
    fn turn(
        &self,
        own: u32,
        opponent: u32,
        mut holds: impl FnMut(u32, f64, TurnValue) -> f64,
    ) -> TurnValue {
        // The values of the next six turn totals, in ascending order.
        let won = TurnValue { now: 1.0, one: 0.0 };
        let mut next = [won; 6];
        let mut turn_total = self.goal - own;
        while turn_total > 0 {
            turn_total -= 1;
            // Rolling 2 to 6 leads one to five places beyond the next total.
            let [after, a, b, c, d, e] = next;
            let now = a.now + b.now + c.now + d.now + e.now;
            let one = a.one + b.one + c.one + d.one + e.one;
            let roll = TurnValue { now: now / 6.0, one: (1.0 + one) / 6.0 };
            // The first decision comes after the first roll.
            let value = if turn_total == 0 {
                roll
            } else {
                let hold = 1.0 - self.get(opponent, own + turn_total);
                let share = holds(turn_total, hold, roll);
                let now = share * hold + (1.0 - share) * roll.now;
                TurnValue { now, one: (1.0 - share) * roll.one }
            };
            next = [value, after, a, b, c, d];
        }
        next[0]
    }
}

/// Solves the equations for two starts of turns that lead to each other when a 1 is rolled. Returns the winning
/// probability of each player at the start of its turn.
fn settle(a: TurnValue, b: TurnValue) -> (f64, f64) {
    // x = a.now + a.one (1 - y), y = b.now + b.one (1 - x); a.one < 1, as a six may be rolled.
    let x = (a.now + a.one * (1.0 - b.now - b.one)) / (1.0 - a.one * b.one);
    (x, b.wins(x))
}

/// Iterates policies: `turns` returns the turns of both players that are best for the values of both starts so far. The
/// starts are settled and the turns improved until nothing changes.
fn iterate(turns: impl Fn((f64, f64)) -> (TurnValue, TurnValue)) -> (f64, f64) {
    let mut values = (0.5, 0.5);
    loop {
        let (turn, other_turn) = turns(values);
        let better = settle(turn, other_turn);
        let change = (better.0 - values.0).abs().max((better.1 - values.1).abs());
        values = better;
        if change < 1e-14 {
            return values;
        }
    }
}

/// Returns the best decisions of a turn, if the opponent wins with the probability `other` after a 1.
fn best_decisions(other: f64) -> impl Fn(u32, f64, TurnValue) -> f64 {
    move |_, hold, roll| certain(hold > roll.wins(other))
}

/// Iterates over all pairs of scores, the pairs with high sums first.
fn scores(goal: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..=2 * (goal - 1)).rev().flat_map(move |sum| {
        let most = sum.min(goal - 1);
        (sum - most..=most).map(move |own| (own, sum - own))
    })
}

/// Returns the exact probability that `a` wins against `b`, for each seat of `a`.
pub fn exact_wins(game: &Pig, a: &impl Holds, b: &impl Holds) -> BySeat<f64> {
    let goal = game.goal();
    let (mut starts_a, mut starts_b) = (StartValues::new(goal), StartValues::new(goal));
    for (own, opponent) in scores(goal) {
        let turn_a =
            starts_b.turn(own, opponent, |turn_total, _, _| a.holds(own, opponent, turn_total));
        let turn_b =
            starts_a.turn(opponent, own, |turn_total, _, _| b.holds(opponent, own, turn_total));
        let (value_a, value_b) = settle(turn_a, turn_b);
        starts_a.set(own, opponent, value_a);
        starts_b.set(opponent, own, value_b);
    }
    BySeat { first: starts_a.get(0, 0), second: 1.0 - starts_b.get(0, 0) }
}

/// Returns the probability, for each seat, that a best response wins against `opponent`. For each pair of scores,
/// policy iteration finds the best turn against the opponent's fixed turn.
pub fn best_response_wins(game: &Pig, opponent: &impl Holds) -> BySeat<f64> {
    let goal = game.goal();
    let (mut best, mut theirs) = (StartValues::new(goal), StartValues::new(goal));
    for (own, other) in scores(goal) {
        let their_turn =
            best.turn(other, own, |turn_total, _, _| opponent.holds(other, own, turn_total));
        let (value, their_value) = iterate(|(_, their_value)| {
            (theirs.turn(own, other, best_decisions(their_value)), their_turn)
        });
        best.set(own, other, value);
        theirs.set(other, own, their_value);
    }
    BySeat { first: best.get(0, 0), second: 1.0 - theirs.get(0, 0) }
}

/// The solution of the game: optimal play.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    goal: u32,
    /// The number of 64-bit words for each pair of scores.
    num_words: u32,
    /// The decisions: the bit `turn_total` of the words of a pair of scores is set if the player should hold.
    holds: Vec<u64>,
    starts: StartValues,
}

impl Solution {
    /// Solves the game.
    pub fn of(game: &Pig) -> Solution {
        let goal = game.goal();
        let num_words = goal.div_ceil(64);
        let holds = vec![0; (goal * goal * num_words) as usize];
        let mut solution = Solution { goal, num_words, holds, starts: StartValues::new(goal) };
        let mut starts = StartValues::new(goal);
        for (own, opponent) in scores(goal).filter(|&(own, opponent)| own >= opponent) {
            let (value, other_value) = iterate(|(value, other_value)| {
                let turn = starts.turn(own, opponent, best_decisions(other_value));
                (turn, starts.turn(opponent, own, best_decisions(value)))
            });
            starts.set(own, opponent, value);
            starts.set(opponent, own, other_value);
            for (own, opponent, other) in [(own, opponent, other_value), (opponent, own, value)] {
                starts.turn(own, opponent, |turn_total, hold, roll| {
                    let holds = hold > roll.wins(other);
                    let (word, bit) = solution.place(own, opponent, turn_total);
                    solution.holds[word] |= u64::from(holds) << bit;
                    certain(holds)
                });
            }
        }
        solution.starts = starts;
        solution
    }

    /// Returns the probability that the player in the first seat wins under optimal play.
    pub fn first_wins(&self) -> f64 {
        self.starts.get(0, 0)
    }

    /// Returns the probabilities that the player to move wins by rolling and by holding, under optimal play from then
    /// on. The player has `own` points and `turn_total` in this turn; neither the opponent's score nor the player's
    /// score plus the turn total has reached the goal.
    pub fn wins_by_rolling_and_holding(&self, view: PigView) -> (f64, f64) {
        let PigView { own, opponent, turn_total } = view;
        // The opponent's winning probability after a 1.
        let other = self.starts.get(opponent, own);
        let (mut rolling, mut holding) = (0.0, 1.0 - other);
        let start = self.starts.turn(own, opponent, |sum, hold, roll| {
            let roll = roll.wins(other);
            if sum == turn_total {
                (rolling, holding) = (roll, hold);
            }
            certain(hold > roll)
        });
        if turn_total == 0 {
            rolling = start.wins(other);
        }
        (rolling, holding)
    }

    #[inline(always)]
    fn place(&self, own: u32, opponent: u32, turn_total: u32) -> (usize, u32) {
        let scores = own * self.goal + opponent;
        ((scores * self.num_words + turn_total / 64) as usize, turn_total % 64)
    }
}

impl Holds for Solution {
    #[inline(always)]
    fn holds(&self, own: u32, opponent: u32, turn_total: u32) -> f64 {
        let (word, bit) = self.place(own, opponent, turn_total);
        certain(self.holds[word] >> bit & 1 == 1)
    }
}

/// A named strategy for Pig.
#[derive(Debug, Clone)]
pub enum PigReference {
    /// Holds at a fixed turn total.
    HoldAt(HoldAt),
    /// Plays optimally.
    Optimal(SharedSolution),
}

/// Optimal play, computed on first use and shared by all clones.
#[derive(Debug, Clone)]
pub struct SharedSolution {
    game: Pig,
    solution: Arc<OnceLock<Solution>>,
}

impl SharedSolution {
    fn of(game: Pig) -> SharedSolution {
        SharedSolution { game, solution: Arc::default() }
    }

    /// Returns the solution; the first call takes a few hundredths of a second.
    #[inline]
    pub fn get(&self) -> &Solution {
        self.solution.get_or_init(|| Solution::of(&self.game))
    }
}

impl Holds for PigReference {
    #[inline(always)]
    fn holds(&self, own: u32, opponent: u32, turn_total: u32) -> f64 {
        match self {
            PigReference::HoldAt(hold_at) => hold_at.holds(own, opponent, turn_total),
            PigReference::Optimal(solution) => solution.get().holds(own, opponent, turn_total),
        }
    }
}

impl Strategy<Pig> for PigReference {
    type Memory = ();

    #[inline(always)]
    fn act<R: Rng>(&self, (): &mut (), view: PigView, _rng: &mut R, action: &mut PigAction) {
        let PigView { own, opponent, turn_total } = view;
        // The solution never holds before the first roll.
        *action = if self.holds(own, opponent, turn_total) > 0.5 {
            PigAction::Hold
        } else {
            PigAction::Roll
        };
    }
}

/// The reference players of Pig.
#[derive(Debug, Clone)]
pub enum PigPlayer {
    /// A named strategy.
    Named(PigReference),
    /// Rolls or holds with the same probability; rolls if holding is not allowed.
    Random,
}

impl Holds for PigPlayer {
    #[inline(always)]
    fn holds(&self, own: u32, opponent: u32, turn_total: u32) -> f64 {
        match self {
            PigPlayer::Named(reference) => reference.holds(own, opponent, turn_total),
            PigPlayer::Random => 0.5,
        }
    }
}

impl Strategy<Pig> for PigPlayer {
    type Memory = ();

    #[inline(always)]
    fn act<R: Rng>(&self, (): &mut (), view: PigView, rng: &mut R, action: &mut PigAction) {
        match self {
            PigPlayer::Named(reference) => reference.act(&mut (), view, rng, action),
            // Before the first roll, holding is illegal.
            PigPlayer::Random => {
                let holds = view.turn_total > 0 && rng.random::<bool>();
                *action = if holds { PigAction::Hold } else { PigAction::Roll };
            }
        }
    }
}

#[cfg(test)]
mod tests;
