//! Nim, with the heaps of the Marienbad game.
//!
//! # Rules
//!
//! There are heaps of matches, by default of 1, 3, 5 and 7. In turn, a player takes as many matches as they
//! like, at least one, from one heap. With `misere` set, as by default, **the player who takes the last match
//! loses**; otherwise they win. There are no draws.
//!
//! # View
//!
//! | who | sees |
//! |---|---|
//! | both players | the sizes of all heaps |
//!
//! The game has no hidden information and no chance; it serves to test methods on a solved game.
//!
//! # Known values
//!
//! In either variant, a position is lost for the player to move if, at each place of the binary notation, an even
//! number of heaps has the digit 1. If no heap has more than one match, `misere` reverses this (Bouton, *Nim, a game
//! with a complete mathematical theory*, Annals of Mathematics 3, 1901). From 1, 3, 5, 7 there are 384 positions, of
//! which 48 are lost. The first position is lost, so the second player wins.
//!
//! # Versions
//!
//! 1: the rules above.

mod board;
mod drawing;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::imagine::key_of;
use crate::{
    AdjustableRules, Game, Imagine, Legal, Payoff, Rule, RulesError, SampleAction, Seat, Turn,
};

/// The largest number of heaps.
pub const MAX_HEAPS: usize = 6;

/// The largest number of positions. It also limits strategies with one parameter for each position.
pub const MAX_POSITIONS: usize = 20_000;

/// The game of Nim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nim {
    heaps: [u16; MAX_HEAPS],
    misere: bool,
    /// For each heap, the weight of one match in a position's index.
    weights: [u32; MAX_HEAPS],
}

impl Nim {
    /// Returns the game with heaps of 1, 3, 5 and 7, in which the player who takes the last match loses.
    pub fn standard() -> Nim {
        Nim::with_heaps([1, 3, 5, 7, 0, 0], true)
    }

    /// Creates the game. The caller must make sure that there are at most [`MAX_POSITIONS`] positions.
    fn with_heaps(heaps: [u16; MAX_HEAPS], misere: bool) -> Nim {
        let mut weights = [0; MAX_HEAPS];
        let mut weight = 1;
        for (heap, &size) in heaps.iter().enumerate().rev() {
            weights[heap] = weight;
            weight *= u32::from(size) + 1;
        }
        Nim { heaps, misere, weights }
    }

    /// Returns the sizes of the heaps at the start; 0 stands for an absent heap.
    pub fn heaps(&self) -> [u16; MAX_HEAPS] {
        self.heaps
    }

    /// Returns whether the player who takes the last match loses.
    pub fn is_misere(&self) -> bool {
        self.misere
    }

    /// Returns the number of positions, including the position without matches.
    pub fn num_positions(&self) -> usize {
        self.heaps.iter().map(|&size| usize::from(size) + 1).product()
    }

    /// Returns, for each heap, the weight of one match in the index of a position. The indices run through all
    /// positions, from 0 for the position without matches. The last heap has weight 1.
    pub fn weights(&self) -> [u32; MAX_HEAPS] {
        self.weights
    }

    /// Returns the index of the position with these heaps.
    pub fn position(&self, heaps: [u16; MAX_HEAPS]) -> usize {
        let weighted = heaps.iter().zip(self.weights);
        weighted.map(|(&size, weight)| usize::from(size) * weight as usize).sum()
    }

    /// Returns the heaps of the position with this index, which must be below [`num_positions`](Nim::num_positions).
    pub fn heaps_of(&self, position: usize) -> [u16; MAX_HEAPS] {
        let mut rest = position as u32;
        self.weights.map(|weight| {
            let size = rest / weight;
            rest %= weight;
            size as u16
        })
    }
}

/// A game of [`Nim`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NimState {
    heaps: [u16; MAX_HEAPS],
    /// The index of the position; see [`Nim::weights`].
    position: u32,
    /// The seat to move while there are matches. With a [`Turn`] instead, games took 75% longer: a `Turn` is written in
    /// parts and read as a whole, and the processor has to wait for such a read.
    mover: Seat,
}

/// A move: takes matches from a heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Take {
    /// The index of the heap, from 0.
    pub heap: u8,
    /// The number of matches to take, at least 1.
    pub matches: u16,
}

/// The view of both seats in [`Nim`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NimView<'a> {
    /// The number of matches in each heap.
    pub heaps: &'a [u16; MAX_HEAPS],
    /// The index of this position; see [`Nim::weights`].
    pub position: u32,
}

/// The reason why a move was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalTake {
    /// The move takes no match.
    #[error("no match is taken; it must be at least one")]
    Nothing,
    /// The heap has fewer matches.
    #[error("{wanted} matches are taken from heap {}, which has {found}", .heap + 1)]
    TooMany {
        /// The index of the heap, from 0.
        heap: u8,
        /// The number of matches to take.
        wanted: u16,
        /// The number of matches in the heap.
        found: u16,
    },
    /// All matches are gone.
    #[error("the game is over")]
    GameOver,
}

impl Game for Nim {
    type State = NimState;
    type Action = Take;
    type View<'a> = NimView<'a>;
    type Illegal = IllegalTake;

    #[inline]
    fn deal<R: Rng>(&self, _rng: &mut R) -> NimState {
        let position = self.num_positions() as u32 - 1;
        NimState { heaps: self.heaps, position, mover: Seat::First }
    }

    #[inline(always)]
    fn turn(&self, state: &NimState) -> Turn {
        if state.position > 0 {
            Turn::Act(state.mover)
        } else {
            let last = state.mover.other();
            Turn::Over(Payoff::won_by(if self.misere { last.other() } else { last }))
        }
    }

    #[inline(always)]
    fn view<'a>(&self, state: &'a NimState, _seat: Seat) -> NimView<'a> {
        NimView { heaps: &state.heaps, position: state.position }
    }

    #[inline]
    fn check(&self, state: &NimState, take: &Take) -> Result<(), IllegalTake> {
        if state.position == 0 {
            return Err(IllegalTake::GameOver);
        }
        let &Take { heap, matches: wanted } = take;
        let found = state.heaps.get(usize::from(heap)).copied().unwrap_or(0);
        match wanted {
            0 => Err(IllegalTake::Nothing),
            _ if wanted > found => Err(IllegalTake::TooMany { heap, wanted, found }),
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn apply<R: Rng>(&self, state: &mut NimState, seat: Seat, take: &Take, _rng: &mut R) {
        debug_assert_eq!(self.turn(state), Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, take), Ok(()), "a strategy broke the rules of Nim");
        let heap = usize::from(take.heap);
        state.heaps[heap] -= take.matches;
        state.position -= u32::from(take.matches) * self.weights[heap];
        state.mover = seat.other();
    }
}

impl SampleAction for Nim {
    #[inline]
    fn sample_action<R: Rng>(&self, view: &NimView<'_>, rng: &mut R, action: &mut Take) {
        *action = view.random_take(rng);
    }
}

impl NimView<'_> {
    /// Draws a legal move uniformly, to within 2^-32. In the empty position, returns an illegal move.
    #[inline]
    pub fn random_take<R: Rng>(&self, rng: &mut R) -> Take {
        // There are as many moves as matches.
        let num_matches: u64 = self.heaps.iter().map(|&size| u64::from(size)).sum();
        let mut rest = ((u128::from(rng.next_u64()) * u128::from(num_matches)) >> 64) as u16;
        for (heap, &size) in (0u8..).zip(self.heaps) {
            if rest < size {
                return Take { heap, matches: rest + 1 };
            }
            rest -= size;
        }
        Take::default()
    }
}

impl Legal for Nim {
    fn legal(&self, view: &NimView<'_>, actions: &mut Vec<Take>) {
        for (heap, &size) in (0u8..).zip(view.heaps) {
            actions.extend((1..=size).map(|matches| Take { heap, matches }));
        }
    }
}

impl Imagine for Nim {
    /// Empty, because nothing is hidden.
    type Knowledge = ();

    fn imagine<R: Rng>(&self, (): &(), seat: Seat, view: &NimView<'_>, _rng: &mut R) -> NimState {
        NimState { heaps: *view.heaps, position: view.position, mover: seat }
    }

    fn view_key(&self, view: &NimView<'_>) -> u64 {
        key_of([view.position.into()])
    }

    fn is_determined(&self, _state: &NimState) -> bool {
        true
    }
}

impl AdjustableRules for Nim {
    fn rules(&self) -> Vec<Rule> {
        let names = ["heap-1", "heap-2", "heap-3", "heap-4", "heap-5", "heap-6"];
        let heaps = names.into_iter().zip(self.heaps).map(|(name, size)| {
            Rule::new(name, "matches in this heap, 0 for no heap", size, 0..=1000)
        });
        let misere = Rule::number("misere", self.misere, 0..=1)
            .meaning("1: the player who takes the last match loses; 0: wins");
        heaps.chain([misere]).collect()
    }

    fn with_values(&self, values: &[u64]) -> Result<Nim, RulesError> {
        let sizes: [u64; MAX_HEAPS] = std::array::from_fn(|heap| values[heap]);
        // The product is at most 1001^6, which fits into 64 bits.
        let num_positions: u64 = sizes.iter().map(|size| size + 1).product();
        if num_positions == 1 {
            return Err(RulesError::Inconsistent { reason: "there is no match to take".into() });
        }
        if num_positions > MAX_POSITIONS as u64 {
            let reason = format!(
                "these heaps have {num_positions} positions, and at most {MAX_POSITIONS} can be played"
            );
            return Err(RulesError::Inconsistent { reason });
        }
        Ok(Nim::with_heaps(sizes.map(|size| size as u16), values[MAX_HEAPS] == 1))
    }
}

#[cfg(test)]
mod tests;
