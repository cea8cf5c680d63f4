//! Strategies for Nim: a value for every position.
//!
//! In Cauwet & Teytaud 2018, table I, a strategy is a complete value function, with one parameter for each of the 383
//! positions before the end. The player moves to the position with the largest value; ties go to the lowest index
//! ([`Nim::weights`]). A move that ends the game is taken if it wins; if it loses, it is taken only if there is no
//! other move.
//!
//! The game is solved backwards from its end ([`Solution`]). This module computes exact winning probabilities between
//! any two of its strategies ([`exact_wins`]), and of best responses ([`best_response_wins`]).

mod family;
mod picture;

use rand::Rng;
use ruse_games::BySeat;
use ruse_games::nim::{MAX_HEAPS, Nim, NimView, Take};
use ruse_search::{Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy};

pub use self::family::NimFamily;
use crate::check_parameters;

/// Iterates over all moves in a position, with the indices of the resulting positions in ascending order.
#[inline(always)]
fn moves<'a>(
    heaps: &'a [u16; MAX_HEAPS],
    weights: &'a [u32; MAX_HEAPS],
    position: u32,
) -> impl Iterator<Item = (Take, u32)> + 'a {
    // A match of a heap weighs more than all matches of the following heaps together.
    let heaps = (0u8..).zip(heaps).zip(weights);
    heaps.flat_map(move |((heap, &size), &weight)| {
        let takes = (1..=size).rev();
        takes.map(move |matches| (Take { heap, matches }, position - u32::from(matches) * weight))
    })
}

/// Returns the positions after all moves in a position, in ascending order.
fn all_left(game: &Nim, position: usize) -> Vec<usize> {
    let (heaps, weights) = (game.heaps_of(position), game.weights());
    moves(&heaps, &weights, position as u32).map(|(_, left)| left as usize).collect()
}

/// The winner of every position under perfect play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// True if the player to move wins, indexed by position.
    wins: Vec<bool>,
    weights: [u32; MAX_HEAPS],
}

impl Solution {
    /// Solves the game, in time proportional to the number of positions times the number of moves.
    pub fn of(game: &Nim) -> Solution {
        let weights = game.weights();
        let mut wins = Vec::with_capacity(game.num_positions());
        // In the misère game, the player who finds no match has won.
        wins.push(game.is_misere());
        for position in 1..game.num_positions() {
            let heaps = game.heaps_of(position);
            let win =
                moves(&heaps, &weights, position as u32).any(|(_, left)| !wins[left as usize]);
            wins.push(win);
        }
        Solution { wins, weights }
    }

    /// Returns `true` if the player to move loses `position`, so that moving to it wins: a P-position in the
    /// literature, as the previous player wins.
    pub fn is_lost(&self, position: usize) -> bool {
        !self.wins[position]
    }
}

/// A strategy that moves to the position with the largest value.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueFunction {
    /// The values, indexed by the resulting position. The end has the value infinity if the player who reaches it wins,
    /// and minus infinity if this player loses.
    values: Vec<f64>,
    weights: [u32; MAX_HEAPS],
    /// The move in every position, if precomputed; empty for the baseline, whose values change after every second game.
    plan: Vec<Take>,
}

impl ValueFunction {
    #[inline(always)]
    fn best_move(&self, heaps: &[u16; MAX_HEAPS], position: u32) -> Take {
        // No value is NaN. Among equal values the first move is taken, which leads to the lowest index.
        let mut moves = moves(heaps, &self.weights, position);
        let Some((mut best, left)) = moves.next() else { return Take::default() };
        let mut highest = self.values[left as usize];
        moves.for_each(|(take, left)| {
            let value = self.values[left as usize];
            if value > highest {
                (best, highest) = (take, value);
            }
        });
        best
    }
}

impl Strategy<Nim> for ValueFunction {
    type Memory = ();

    #[inline]
    fn act<R: Rng>(&self, (): &mut (), view: NimView<'_>, _rng: &mut R, action: &mut Take) {
        *action = match self.plan.get(view.position as usize) {
            Some(&take) => take,
            None => self.best_move(view.heaps, view.position),
        };
    }
}

/// Formats the sizes of the heaps, without unused heaps, such as `1-3-5-7`.
fn heap_sizes(game: &Nim, heaps: [u16; MAX_HEAPS]) -> String {
    let present = game.heaps().into_iter().zip(heaps).filter(|&(start, _)| start > 0);
    let sizes: Vec<String> = present.map(|(_, size)| size.to_string()).collect();
    sizes.join("-")
}

impl ParametricStrategy<Nim> for ValueFunction {
    fn space(game: &Nim) -> ParameterSpace {
        let parameter = |position| {
            let sizes = heap_sizes(game, game.heaps_of(position));
            let meaning = format!("value of leaving heaps of {sizes} to the opponent");
            Parameter::new(sizes, meaning)
        };
        ParameterSpace::new((1..game.num_positions()).map(parameter).collect())
    }

    fn from_parameters(game: &Nim, theta: &[f64]) -> Result<Self, ParameterError> {
        let mut strategy = ValueFunction::for_few_games(game, theta)?;
        let take = |position| strategy.best_move(&game.heaps_of(position), position as u32);
        strategy.plan = (0..game.num_positions()).map(take).collect();
        Ok(strategy)
    }

    /// Creates the strategy without precomputing its moves.
    fn for_few_games(game: &Nim, theta: &[f64]) -> Result<Self, ParameterError> {
        let mut strategy =
            ValueFunction { values: Vec::new(), weights: game.weights(), plan: Vec::new() };
        strategy.set_parameters(game, theta)?;
        Ok(strategy)
    }

    fn set_parameters(&mut self, game: &Nim, theta: &[f64]) -> Result<(), ParameterError> {
        check_parameters(theta, game.num_positions() - 1, || Self::space(game))?;
        self.weights = game.weights();
        self.plan.clear();
        self.values.clear();
        self.values.push(if game.is_misere() { f64::NEG_INFINITY } else { f64::INFINITY });
        self.values.extend_from_slice(theta);
        Ok(())
    }
}

/// A named strategy for Nim.
#[derive(Debug, Clone, PartialEq)]
pub enum NimReference {
    /// Makes a random legal move.
    Random,
    /// Makes a random winning move, or a random move if no move wins.
    Optimal(Solution),
}

impl Strategy<Nim> for NimReference {
    type Memory = ();

    #[inline]
    fn act<R: Rng>(&self, (): &mut (), view: NimView<'_>, rng: &mut R, action: &mut Take) {
        if let NimReference::Optimal(solution) = self {
            let NimView { heaps, position } = view;
            let winning = || {
                let moves = moves(heaps, &solution.weights, position);
                moves.filter(|&(_, left)| solution.is_lost(left as usize))
            };
            let num_winning = winning().count() as u64;
            if num_winning > 0 {
                let index = (u128::from(rng.next_u64()) * u128::from(num_winning)) >> 64;
                if let Some((take, _)) = winning().nth(index as usize) {
                    *action = take;
                    return;
                }
            }
        }
        *action = view.random_take(rng);
    }
}

/// A strategy whose moves have known probabilities.
pub trait KnownMoves {
    /// Returns the positions to which the strategy may move from `position`, each with its probability. `position` must
    /// not be the end.
    fn left(&self, game: &Nim, position: usize) -> Vec<(usize, f64)>;
}

impl KnownMoves for ValueFunction {
    fn left(&self, game: &Nim, position: usize) -> Vec<(usize, f64)> {
        let Take { heap, matches } = self.best_move(&game.heaps_of(position), position as u32);
        let taken = u32::from(matches) * game.weights()[usize::from(heap)];
        vec![(position - taken as usize, 1.0)]
    }
}

impl KnownMoves for NimReference {
    fn left(&self, game: &Nim, position: usize) -> Vec<(usize, f64)> {
        let all = all_left(game, position);
        let chosen = match self {
            NimReference::Random => all,
            NimReference::Optimal(solution) => {
                let winning: Vec<usize> =
                    all.iter().copied().filter(|&left| solution.is_lost(left)).collect();
                if winning.is_empty() { all } else { winning }
            }
        };
        let probability = 1.0 / chosen.len() as f64;
        chosen.into_iter().map(|left| (left, probability)).collect()
    }
}

/// Returns the exact probability that `a` wins against `b`, for each seat of `a`.
pub fn exact_wins(
    game: &Nim,
    a: &(impl KnownMoves + ?Sized),
    b: &(impl KnownMoves + ?Sized),
) -> BySeat<f64> {
    wins(game, b, |position, then| mean(a.left(game, position), then))
}

/// Returns the probability, for each seat, that a best response wins against `opponent`.
pub fn best_response_wins(game: &Nim, opponent: &(impl KnownMoves + ?Sized)) -> BySeat<f64> {
    wins(game, opponent, |position, then| {
        all_left(game, position).into_iter().map(|left| then[left]).fold(0.0, f64::max)
    })
}

/// Returns the mean of the values `then` over the positions in `left`, weighted by the probabilities in `left`.
fn mean(left: Vec<(usize, f64)>, then: &[f64]) -> f64 {
    left.into_iter().map(|(position, probability)| probability * then[position]).sum()
}

/// Returns the probability that a player wins against `opponent`, for each seat of the player. The computation goes
/// from the end of the game to its start. `value` returns the value of a position with the player to move; its
/// arguments are the position, and the values of all positions of lower index with the opponent to move.
fn wins(
    game: &Nim,
    opponent: &(impl KnownMoves + ?Sized),
    value: impl Fn(usize, &[f64]) -> f64,
) -> BySeat<f64> {
    // The probabilities that the player wins, if the player is to move and if the opponent is to move.
    let end = f64::from(u8::from(game.is_misere()));
    let (mut own, mut theirs) = (vec![end], vec![1.0 - end]);
    for position in 1..game.num_positions() {
        let to_move = value(position, &theirs);
        theirs.push(mean(opponent.left(game, position), &own));
        own.push(to_move);
    }
    let start = game.num_positions() - 1;
    BySeat { first: own[start], second: theirs[start] }
}

#[cfg(test)]
mod tests;
