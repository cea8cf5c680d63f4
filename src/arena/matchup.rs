//! Two contestants, and the pairs of games they play.

use ruse_games::{Game, Outcome};
use ruse_strategies::Strategy;

use super::contestant::{Contestant, Side};
use super::game_loop::{Streams, play_game};
use crate::rng::{Label, StreamKey};

/// The outcomes of the two games of a pair, for side A.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairResult {
    /// The game in which A sat first.
    pub as_first: Outcome,
    /// The game in which A sat second.
    pub as_second: Outcome,
}

impl PairResult {
    /// The largest value of [`quarter_points`](PairResult::quarter_points).
    pub const MAX_QUARTER_POINTS: u8 = 4;

    /// The mean score of the pair in quarters: 0 when A lost both games, 4 when A won both.
    #[inline]
    pub fn quarter_points(self) -> u8 {
        self.as_first.half_points() + self.as_second.half_points()
    }
}

impl Default for PairResult {
    fn default() -> PairResult {
        PairResult { as_first: Outcome::Draw, as_second: Outcome::Draw }
    }
}

/// Two contestants who can play any of their pairs of games, in any order.
pub trait Matchup: Send + Sync {
    /// Plays the pairs `first_pair..first_pair + results.len()` of the comparison named by `key`. A pair
    /// is a function of its key and index alone.
    fn play(&self, key: StreamKey, first_pair: u64, results: &mut [PairResult]);

    /// Plays the first pair of the comparison named by `key`, and says whether all others are the same.
    fn play_first(&self, key: StreamKey) -> First<PairResult>;
}

/// What was seen of the first of many plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct First<T> {
    /// What was seen.
    pub seen: T,
    /// Whether all others are the same: neither chance nor a player drew a random number.
    pub is_certain: bool,
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

    /// Whether anybody draws a random number in the first pair. If nobody does, the players go through
    /// the same positions in every pair, and nobody ever will.
    fn draws_anything(&self, key: StreamKey) -> bool
    where
        G: Game,
        A: Contestant<G>,
        B: Contestant<G>,
    {
        let pair = key.child(Label::Pair, 0);
        let untouched = Streams::of_pair(pair);
        let mut streams = untouched.clone();
        let state = self.game.deal(streams.chance());
        if streams != untouched {
            return true;
        }
        let mut memory_a = <A::Strategy as Strategy<G>>::Memory::default();
        let mut memory_b = <B::Strategy as Strategy<G>>::Memory::default();
        let (mut scratch_a, mut scratch_b) = (A::Scratch::default(), B::Scratch::default());
        let a = self.a.enter(self.game, pair, Side::A, &mut scratch_a);
        let b = self.b.enter(self.game, pair, Side::B, &mut scratch_b);
        let mut action = G::Action::default();
        let seats = ((a, &mut memory_a), (b, &mut memory_b));
        play_game(self.game, state.clone(), seats.0, seats.1, &mut action, &mut streams);
        let seats = ((b, &mut memory_b), (a, &mut memory_a));
        play_game(self.game, state, seats.0, seats.1, &mut action, &mut streams);
        streams != untouched
    }
}

impl<G: Game, A: Contestant<G>, B: Contestant<G>> Matchup for TypedMatchup<'_, G, A, B> {
    fn play_first(&self, key: StreamKey) -> First<PairResult> {
        let mut result = [PairResult::default()];
        self.play(key, 0, &mut result);
        let is_certain = A::IS_FIXED && B::IS_FIXED && !self.draws_anything(key);
        First { seen: result[0], is_certain }
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
            let mut streams = Streams::of_pair(pair);
            let state = self.game.deal(streams.chance());
            // The second game has the same deal, and goes on from the same streams.
            let (same_state, mut same_streams) = (state.clone(), streams.clone());
            let seats = ((a, &mut memory_a), (b, &mut memory_b));
            let as_first = play_game(self.game, state, seats.0, seats.1, &mut action, &mut streams);
            let seats = ((b, &mut memory_b), (a, &mut memory_a));
            let outcome_of_b =
                play_game(self.game, same_state, seats.0, seats.1, &mut action, &mut same_streams);
            *result = PairResult { as_first, as_second: outcome_of_b.reversed() };
        }
    }
}
