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
//! Nothing is hidden, and there is no chance: the game serves to test methods on a game that is solved.
//!
//! # Known values
//!
//! In either variant a position is lost for the player to move when the sizes of the heaps, in binary, have
//! no digit an odd number of times; when no heap has more than one match, `misere` turns this round (Bouton,
//! *Nim, a game with a complete mathematical theory*, Annals of Mathematics 3, 1901). From 1, 3, 5, 7 there
//! are 384 positions, of which 48 are lost; the first is one of them, so that the second player wins.
//!
//! # Versions
//!
//! 1: as above.

mod board;
mod drawing;

use std::collections::BTreeMap;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::imagine::key_of;
use crate::{
    AdjustableRules, Game, Imagine, Legal, Payoff, Rule, RulesError, SampleAction, Seat, Turn,
};

/// The most heaps there can be.
pub const MAX_HEAPS: usize = 6;

/// The most positions there can be: a strategy of the family has a number for each of them.
pub const MAX_POSITIONS: usize = 20_000;

/// The game of Nim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nim {
    heaps: [u16; MAX_HEAPS],
    misere: bool,
    /// What a match of each heap adds to the index of a position.
    weights: [u32; MAX_HEAPS],
}

impl Nim {
    /// Heaps of 1, 3, 5 and 7; who takes the last match loses.
    pub fn standard() -> Nim {
        Nim::with_heaps([1, 3, 5, 7, 0, 0], true)
    }

    /// The caller has made sure that there are few enough positions.
    fn with_heaps(heaps: [u16; MAX_HEAPS], misere: bool) -> Nim {
        let mut weights = [0; MAX_HEAPS];
        let mut weight = 1;
        for (heap, &size) in heaps.iter().enumerate().rev() {
            weights[heap] = weight;
            weight *= u32::from(size) + 1;
        }
        Nim { heaps, misere, weights }
    }

    /// The sizes of the heaps at the start; 0 is no heap.
    pub fn heaps(&self) -> [u16; MAX_HEAPS] {
        self.heaps
    }

    /// Whether who takes the last match loses.
    pub fn is_misere(&self) -> bool {
        self.misere
    }

    /// The number of positions, the empty one included.
    pub fn num_positions(&self) -> usize {
        self.heaps.iter().map(|&size| usize::from(size) + 1).product()
    }

    /// What a match of each heap adds to the index of a position. The index counts all positions through,
    /// from 0 for the empty one, the last heap changing fastest.
    pub fn weights(&self) -> [u32; MAX_HEAPS] {
        self.weights
    }

    /// The index of the position of these heaps.
    pub fn position(&self, heaps: [u16; MAX_HEAPS]) -> usize {
        let weighted = heaps.iter().zip(self.weights);
        weighted.map(|(&size, weight)| usize::from(size) * weight as usize).sum()
    }

    /// The heaps of the position of this index, which is below [`num_positions`](Nim::num_positions).
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
    /// The index of the position, see [`Nim::weights`].
    position: u32,
    /// The seat that is to move, while there are matches. It is not a whole `Turn`: that would be written in parts and read at once, for
    /// which a processor waits, and games took three quarters longer.
    mover: Seat,
}

/// Taking matches from a heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Take {
    /// The index of the heap, from 0.
    pub heap: u8,
    /// The matches that are taken, at least 1.
    pub matches: u16,
}

/// What both seats see of [`Nim`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NimView<'a> {
    /// The sizes of the heaps.
    pub heaps: &'a [u16; MAX_HEAPS],
    /// The index of this position, see [`Nim::weights`].
    pub position: u32,
}

/// Why a move was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalTake {
    /// A move takes at least one match.
    #[error("no match is taken; it must be at least one")]
    Nothing,
    /// The heap has fewer matches.
    #[error("{wanted} matches are taken from heap {}, which has {found}", .heap + 1)]
    TooMany {
        /// The index of the heap, from 0.
        heap: u8,
        /// The matches to be taken.
        wanted: u16,
        /// The matches there are.
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
    /// A legal move, each equally likely, to within 2^-32; a position without any gives no legal move.
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
    /// Nothing is hidden.
    type Knowledge = ();

    fn imagine<R: Rng>(&self, (): &(), seat: Seat, view: &NimView<'_>, _rng: &mut R) -> NimState {
        NimState { heaps: *view.heaps, position: view.position, mover: seat }
    }

    fn view_key(&self, view: &NimView<'_>) -> u64 {
        key_of([view.position.into()])
    }
}

impl AdjustableRules for Nim {
    fn rules(&self) -> Vec<Rule> {
        let names = ["heap-1", "heap-2", "heap-3", "heap-4", "heap-5", "heap-6"];
        let heaps = names.into_iter().zip(self.heaps).map(|(name, size)| Rule {
            name: name.into(),
            meaning: "matches in this heap, 0 for no heap".into(),
            value: u64::from(size),
            range: 0..=1000,
        });
        let misere = Rule {
            name: "misere".into(),
            meaning: "1: the player who takes the last match loses; 0: wins".into(),
            value: u64::from(self.misere),
            range: 0..=1,
        };
        heaps.chain([misere]).collect()
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Nim, RulesError> {
        let mut rules = self.rules();
        Rule::change(&mut rules, changes)?;
        let sizes: [u64; MAX_HEAPS] = std::array::from_fn(|heap| rules[heap].value);
        // At most 1001^6, which fits.
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
        Ok(Nim::with_heaps(sizes.map(|size| size as u16), rules[MAX_HEAPS].value == 1))
    }
}

#[cfg(test)]
mod tests;
