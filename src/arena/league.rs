//! Several contestants of one game, of whom any two can meet.

use rand::RngExt;
use ruse_games::Game;
use ruse_strategies::{ParametricStrategy, Strategy};

use super::contestant::{Contestant, Fixed, Given, Mixed, Redrawn, Side};
use super::matchup::{First, Matchup, PairResult, TypedMatchup, play_pair};
use super::parallel::Source;
use crate::rng::{Label, StreamKey};

/// Contestants of one game, by their index. Each is made ready once, however many it meets.
pub trait League: Send + Sync {
    /// Plays pairs of the player of index `a` against the one of index `b`, as [`Matchup::play`].
    ///
    /// # Panics
    ///
    /// When there is no player of such an index.
    fn play(&self, a: usize, b: usize, key: StreamKey, first_pair: u64, results: &mut [PairResult]);

    /// Plays the same pairs of each of `players` against the one of index `b`, as [`play`](League::play)
    /// one after the other, but quicker if that is a baseline: it is drawn once for all. The results are
    /// those of the first player, then those of the second, and so on: `[player][pair]`.
    ///
    /// # Panics
    ///
    /// As [`play`](League::play), and when there is no room for as many results for each player.
    fn play_each(
        &self,
        players: &[usize],
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
    ) {
        let num_pairs = num_pairs_each(players, results);
        for (&a, results) in players.iter().zip(results.chunks_mut(num_pairs.max(1))) {
            self.play(a, b, key, first_pair, results);
        }
    }

    /// Plays the first pair, as [`Matchup::play_first`].
    ///
    /// # Panics
    ///
    /// As [`play`](League::play).
    fn play_first(&self, a: usize, b: usize, key: StreamKey) -> First<PairResult>;
}

/// The pairs of each player, when there is room for so many results.
fn num_pairs_each(players: &[usize], results: &[PairResult]) -> usize {
    let num_pairs = results.len() / players.len().max(1);
    assert_eq!(num_pairs * players.len(), results.len(), "as many results for each player");
    num_pairs
}

/// A member of a league of which all types are known.
#[derive(Debug)]
pub enum Member<S, R> {
    /// A parametric strategy.
    Parametric(Fixed<S>),
    /// A reference strategy.
    Reference(Fixed<R>),
    /// The baseline, drawn anew for every pair.
    Redrawn(Redrawn<S>),
    /// One of several strategies, drawn anew for every pair.
    Mixed(Mixed<Given<S, R>>),
}

/// A league of which all types are known: no dynamic call inside a block of games.
#[derive(Debug)]
pub struct TypedLeague<'a, G, S, R> {
    game: &'a G,
    members: Vec<Member<S, R>>,
    /// What the strategies score against the redrawn baseline, in their order, where that is known.
    exact_scores: Vec<Option<f64>>,
}

impl<'a, G, S, R> TypedLeague<'a, G, S, R> {
    /// The league of these members; `exact_score` says what a parametric strategy scores against the redrawn
    /// baseline, where that is known.
    pub fn new(
        game: &'a G,
        members: Vec<Member<S, R>>,
        exact_score: impl Fn(&S) -> Option<f64>,
    ) -> Self {
        let exact_scores = members.iter().map(|member| match member {
            Member::Parametric(Fixed(strategy)) => exact_score(strategy),
            Member::Mixed(mixed) => mixed
                .members()
                .map(|(weight, Fixed(given))| match given {
                    Given::Parametric(Fixed(strategy)) => Some(weight * exact_score(strategy)?),
                    Given::Reference(_) => None,
                })
                .sum(),
            Member::Reference(_) | Member::Redrawn(_) => None,
        });
        let exact_scores = exact_scores.collect();
        TypedLeague { game, members, exact_scores }
    }
}

impl<G: Game, S: ParametricStrategy<G>, R: Strategy<G>> TypedLeague<'_, G, S, R> {
    /// Hands the matchup of two members to `then`.
    fn with_matchup<T>(&self, a: usize, b: usize, then: impl FnOnce(&dyn Matchup) -> T) -> T {
        macro_rules! against {
            ($a:expr) => {
                match &self.members[b] {
                    Member::Parametric(b) => then(&TypedMatchup::new(self.game, $a, b)),
                    Member::Reference(b) => then(&TypedMatchup::new(self.game, $a, b)),
                    Member::Redrawn(b) => then(&TypedMatchup::new(self.game, $a, b)),
                    Member::Mixed(b) => then(&TypedMatchup::new(self.game, $a, b)),
                }
            };
        }
        match &self.members[a] {
            Member::Parametric(a) => against!(a),
            Member::Reference(a) => against!(a),
            Member::Redrawn(a) => against!(a),
            Member::Mixed(a) => against!(a),
        }
    }

    /// The expected score when at least one of two members is a mixture, and those who may be drawn play the
    /// same in every pair.
    fn exact_of_mixtures(&self, a: usize, b: usize, key: StreamKey) -> Option<f64> {
        // More take longer than an estimate.
        const MAX_MEETINGS: usize = 4096;
        let [a, b] = [&self.members[a], &self.members[b]].map(Member::drawn);
        let (a, b) = (a?, b?);
        if a.len() + b.len() == 2 || a.len() * b.len() > MAX_MEETINGS {
            return None;
        }
        let mut sum = 0.0;
        for (weight_a, a) in &a {
            for (weight_b, b) in &b {
                let first = match (a, b) {
                    (One::Own(a), One::Own(b)) => self.first_of(*a, *b, key),
                    (One::Own(a), One::Reference(b)) => self.first_of(*a, *b, key),
                    (One::Reference(a), One::Own(b)) => self.first_of(*a, *b, key),
                    (One::Reference(a), One::Reference(b)) => self.first_of(*a, *b, key),
                };
                sum += weight_a * weight_b * first.exact?;
            }
        }
        Some(sum)
    }

    fn first_of<A, B>(&self, a: A, b: B, key: StreamKey) -> First<PairResult>
    where
        A: Contestant<G>,
        B: Contestant<G>,
    {
        TypedMatchup::new(self.game, a, b).play_first(key)
    }
}

/// One of those who may be drawn to play for a member.
enum One<'a, S, R> {
    Own(&'a Fixed<S>),
    Reference(&'a Fixed<R>),
}

impl<S, R> Member<S, R> {
    /// Those who may be drawn, with their probabilities; none if they are not a few given ones.
    fn drawn(&self) -> Option<Vec<(f64, One<'_, S, R>)>> {
        match self {
            Member::Parametric(one) => Some(vec![(1.0, One::Own(one))]),
            Member::Reference(one) => Some(vec![(1.0, One::Reference(one))]),
            Member::Mixed(mixed) => {
                let one = mixed.members().map(|(weight, Fixed(given))| match given {
                    Given::Parametric(one) => (weight, One::Own(one)),
                    Given::Reference(one) => (weight, One::Reference(one)),
                });
                Some(one.collect())
            }
            Member::Redrawn(_) => None,
        }
    }
}

impl<G: Game, S: ParametricStrategy<G>, R: Strategy<G>> League for TypedLeague<'_, G, S, R> {
    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
    ) {
        self.with_matchup(a, b, |matchup| matchup.play(key, first_pair, results));
    }

    fn play_each(
        &self,
        players: &[usize],
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
    ) {
        let num_pairs = num_pairs_each(players, results);
        let Member::Redrawn(baseline) = &self.members[b] else {
            for (&a, results) in players.iter().zip(results.chunks_mut(num_pairs.max(1))) {
                self.play(a, b, key, first_pair, results);
            }
            return;
        };
        let mut scratch = Default::default();
        let mut memory = S::Memory::default();
        let mut action = G::Action::default();
        // Of each player his own: memories may hold what was found out about a strategy.
        let mut memories: Vec<_> =
            players.iter().map(|_| (S::Memory::default(), R::Memory::default())).collect();
        for (index, pair) in (first_pair..).take(num_pairs).enumerate() {
            let pair = key.child(Label::Pair, pair);
            let drawn = baseline.enter(self.game, pair, Side::B, &mut scratch);
            for (number, (&player, own)) in players.iter().zip(&mut memories).enumerate() {
                let mut other_scratch = Default::default();
                let b = (drawn, &mut memory);
                let result = match &self.members[player] {
                    Member::Parametric(Fixed(a)) => {
                        play_pair(self.game, pair, (a, &mut own.0), b, &mut action, |_| ())
                    }
                    Member::Reference(Fixed(a)) => {
                        play_pair(self.game, pair, (a, &mut own.1), b, &mut action, |_| ())
                    }
                    Member::Redrawn(a) => {
                        let a = a.enter(self.game, pair, Side::A, &mut other_scratch);
                        play_pair(self.game, pair, (a, &mut own.0), b, &mut action, |_| ())
                    }
                    Member::Mixed(a) => {
                        let mut nothing = ();
                        let a = a.enter(self.game, pair, Side::A, &mut nothing);
                        play_pair(self.game, pair, (a, own), b, &mut action, |_| ())
                    }
                };
                results[number * num_pairs + index] = result;
            }
        }
    }

    fn play_first(&self, a: usize, b: usize, key: StreamKey) -> First<PairResult> {
        let first = self.with_matchup(a, b, |matchup| matchup.play_first(key));
        let known = match (&self.members[a], &self.members[b]) {
            (_, Member::Redrawn(_)) => self.exact_scores[a],
            (Member::Redrawn(_), _) => self.exact_scores[b].map(|score| 1.0 - score),
            (Member::Mixed(_), _) | (_, Member::Mixed(_)) => self.exact_of_mixtures(a, b, key),
            _ => None,
        };
        First { exact: first.exact.or(known), ..first }
    }
}

/// Two members of a league who each play the same opponent, with common deals: chance, the randomness of the
/// seats and a redrawn opponent are the same for both.
#[derive(Clone, Copy)]
pub struct AgainstTheSame<'a> {
    /// The league.
    pub league: &'a dyn League,
    /// The indices of the candidate and the incumbent.
    pub players: [usize; 2],
    /// The index of their opponent.
    pub opponent: usize,
}

impl Source for AgainstTheSame<'_> {
    type Item = [PairResult; 2];
    const NUM_GAMES: u64 = 4;

    fn play(&self, key: StreamKey, first: u64, results: &mut [[PairResult; 2]]) {
        // As many at a time as fit on the stack.
        const BLOCK: usize = 64;
        let mut of_both = [PairResult::default(); 2 * BLOCK];
        for (block, results) in (0..).zip(results.chunks_mut(BLOCK)) {
            let n = results.len();
            let of_both = &mut of_both[..2 * n];
            let first = first + block * BLOCK as u64;
            self.league.play_each(&self.players, self.opponent, key, first, of_both);
            for (index, result) in results.iter_mut().enumerate() {
                *result = [of_both[index], of_both[n + index]];
            }
        }
    }

    fn play_first(&self, key: StreamKey) -> First<[PairResult; 2]> {
        let [candidate, incumbent] =
            self.players.map(|player| self.league.play_first(player, self.opponent, key));
        First::of_both(candidate, incumbent)
    }
}

/// The first two members of a league, against each other.
pub struct FirstTwo<L>(pub L);

impl<L: League> Matchup for FirstTwo<L> {
    fn play(&self, key: StreamKey, first_pair: u64, results: &mut [PairResult]) {
        self.0.play(0, 1, key, first_pair, results);
    }

    fn play_first(&self, key: StreamKey) -> First<PairResult> {
        self.0.play_first(0, 1, key)
    }
}

/// Two members of a league, by their index.
#[derive(Clone, Copy)]
pub struct Between<'a> {
    /// The league.
    pub league: &'a dyn League,
    /// Side A.
    pub a: usize,
    /// Side B.
    pub b: usize,
}

impl Matchup for Between<'_> {
    fn play(&self, key: StreamKey, first_pair: u64, results: &mut [PairResult]) {
        self.league.play(self.a, self.b, key, first_pair, results);
    }

    fn play_first(&self, key: StreamKey) -> First<PairResult> {
        self.league.play_first(self.a, self.b, key)
    }
}

/// A member of a league against a mixed strategy over the others: for every pair one of them is drawn.
pub struct AgainstMixture<'a> {
    league: &'a dyn League,
    player: usize,
    /// The members that are drawn, and the sum of the weights up to each.
    opponents: Vec<(usize, f64)>,
}

impl<'a> AgainstMixture<'a> {
    /// The member of index `player` against those that have a positive weight.
    ///
    /// # Panics
    ///
    /// When nobody has.
    pub fn new(
        league: &'a dyn League,
        player: usize,
        weights: impl IntoIterator<Item = (usize, f64)>,
    ) -> AgainstMixture<'a> {
        let mut sum = 0.0;
        let positive = weights.into_iter().filter(|&(_, weight)| weight > 0.0);
        let opponents: Vec<_> = positive
            .map(|(index, weight)| {
                sum += weight;
                (index, sum)
            })
            .collect();
        assert!(!opponents.is_empty(), "there is nobody to play against");
        AgainstMixture { league, player, opponents }
    }

    fn opponent(&self, key: StreamKey, pair: u64) -> usize {
        let [.., (last, total)] = self.opponents[..] else { unreachable!("checked by `new`") };
        if self.opponents.len() == 1 {
            return last;
        }
        let mut stream = key.child(Label::Pair, pair).child(Label::Choice, 0).stream();
        let drawn = stream.random::<f64>() * total;
        let found = self.opponents.iter().find(|(_, sum)| drawn < *sum);
        found.map_or(last, |&(index, _)| index)
    }
}

impl Matchup for AgainstMixture<'_> {
    fn play(&self, key: StreamKey, first_pair: u64, results: &mut [PairResult]) {
        if let [(opponent, _)] = self.opponents[..] {
            return self.league.play(self.player, opponent, key, first_pair, results);
        }
        for (pair, result) in (first_pair..).zip(results) {
            let opponent = self.opponent(key, pair);
            self.league.play(self.player, opponent, key, pair, std::slice::from_mut(result));
        }
    }

    fn play_first(&self, key: StreamKey) -> First<PairResult> {
        let first = self.league.play_first(self.player, self.opponent(key, 0), key);
        First { exact: first.exact.filter(|_| self.opponents.len() == 1), ..first }
    }
}
