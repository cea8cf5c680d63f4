//! Two contestants, and the pairs of games they play.

use ruse_games::{Game, Payoff};
use ruse_strategies::Strategy;

use super::contestant::{Contestant, Side};
use super::game_loop::{Streams, play_game};
use crate::rng::{Label, StreamKey};

/// The outcomes of the two games of a pair, for side A.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairResult {
    /// The game in which A sat first.
    pub as_first: Payoff,
    /// The game in which A sat second.
    pub as_second: Payoff,
}

impl PairResult {
    /// The largest value of [`quarter_points`](PairResult::quarter_points).
    pub const MAX_QUARTER_POINTS: u8 = 4;

    /// The mean score of the pair in quarters: 0 when A lost both games, 4 when A won both.
    #[inline]
    pub fn quarter_points(self) -> u8 {
        self.as_first.half_points() + self.as_second.half_points()
    }

    /// The mean score of the pair, in [0, 1].
    #[inline]
    pub fn score(self) -> f64 {
        f64::from(self.quarter_points()) / f64::from(Self::MAX_QUARTER_POINTS)
    }
}

impl Default for PairResult {
    fn default() -> PairResult {
        PairResult { as_first: Payoff::DRAW, as_second: Payoff::DRAW }
    }
}

/// Two contestants who can play any of their pairs of games, in any order.
pub trait Matchup: Send + Sync {
    /// Plays the pairs `first_pair..first_pair + results.len()` of the comparison named by `key`. A pair
    /// is a function of its key and index alone.
    fn play(&self, key: StreamKey, first_pair: u64, results: &mut [PairResult]);

    /// Plays the first pair of the comparison named by `key`, and says more if that is known.
    fn play_first(&self, key: StreamKey) -> First<PairResult>;
}

/// What was seen of the first of many plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct First<T> {
    /// What was seen.
    pub seen: T,
    /// The expected score of all of them, in [0, 1], where it is known exactly: for instance because neither
    /// chance nor a player drew a random number, so that all are the same.
    pub exact: Option<f64>,
}

impl First<PairResult> {
    /// The first of a pair of each of two players, and the exact score as it is seen by Z = (1 + X' - X) / 2.
    pub(super) fn of_both(candidate: Self, incumbent: Self) -> First<[PairResult; 2]> {
        let scores = candidate.exact.zip(incumbent.exact);
        First {
            seen: [candidate.seen, incumbent.seen],
            exact: scores.map(|(candidate, incumbent)| (1.0 + candidate - incumbent) / 2.0),
        }
    }
}

/// A matchup of which all types are known: no dynamic call inside a game.
pub struct TypedMatchup<'a, G, A, B> {
    game: &'a G,
    a: A,
    b: B,
}

impl<'a, G, A, B> TypedMatchup<'a, G, A, B> {
    /// Contestant `a` against contestant `b`.
    pub fn new(game: &'a G, a: A, b: B) -> Self {
        TypedMatchup { game, a, b }
    }
}

/// Plays the pair of key `pair` between A, who comes first, and B, and shows `inspect` what is left of the
/// streams of both games. The buffers are reused from pair to pair.
// Inlined: the fastest games take no longer than a copy of their streams.
#[inline(always)]
pub(super) fn play_pair<G: Game, A: Strategy<G>, B: Strategy<G>>(
    game: &G,
    pair: StreamKey,
    (a, memory_a): (&A, &mut A::Memory),
    (b, memory_b): (&B, &mut B::Memory),
    action: &mut G::Action,
    inspect: impl FnOnce([&Streams; 2]),
) -> PairResult {
    let mut streams = Streams::of_pair(pair);
    let state = game.deal(streams.chance());
    // The second game has the same deal, and goes on from the same streams.
    let (same_state, mut same_streams) = (state.clone(), streams.clone());
    let as_first =
        play_game(game, state, (a, &mut *memory_a), (b, &mut *memory_b), action, &mut streams);
    let outcome_of_b =
        play_game(game, same_state, (b, memory_b), (a, memory_a), action, &mut same_streams);
    inspect([&streams, &same_streams]);
    PairResult { as_first, as_second: outcome_of_b.reversed() }
}

impl<G: Game, A: Contestant<G>, B: Contestant<G>> Matchup for TypedMatchup<'_, G, A, B> {
    fn play_first(&self, key: StreamKey) -> First<PairResult> {
        let mut memory_a = <A::Strategy as Strategy<G>>::Memory::default();
        let mut memory_b = <B::Strategy as Strategy<G>>::Memory::default();
        let (mut scratch_a, mut scratch_b) = (A::Scratch::default(), B::Scratch::default());
        let pair = key.child(Label::Pair, 0);
        let a = self.a.enter(self.game, pair, Side::A, &mut scratch_a);
        let b = self.b.enter(self.game, pair, Side::B, &mut scratch_b);
        let mut action = G::Action::default();
        let (a, b) = ((a, &mut memory_a), (b, &mut memory_b));
        let untouched = Streams::of_pair(pair);
        // If nobody draws a number, the players go through the same positions in every pair, and nobody
        // ever will.
        let mut is_certain = A::IS_FIXED && B::IS_FIXED;
        let seen = play_pair(self.game, pair, a, b, &mut action, |left| {
            is_certain &= left.into_iter().all(|left| *left == untouched);
        });
        First { seen, exact: is_certain.then(|| seen.score()) }
    }

    fn play(&self, key: StreamKey, first_pair: u64, results: &mut [PairResult]) {
        let mut memory_a = <A::Strategy as Strategy<G>>::Memory::default();
        let mut memory_b = <B::Strategy as Strategy<G>>::Memory::default();
        let (mut scratch_a, mut scratch_b) = (A::Scratch::default(), B::Scratch::default());
        let mut action = G::Action::default();
        for (index, result) in (first_pair..).zip(results) {
            let pair = key.child(Label::Pair, index);
            let a = self.a.enter(self.game, pair, Side::A, &mut scratch_a);
            let b = self.b.enter(self.game, pair, Side::B, &mut scratch_b);
            let (a, b) = ((a, &mut memory_a), (b, &mut memory_b));
            *result = play_pair(self.game, pair, a, b, &mut action, |_| ());
        }
    }
}
