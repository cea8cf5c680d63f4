//! A league with statically known types: there is no dynamic call inside a block of games.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rand::RngExt;
use ruse_base::rng::{Label, Stream, StreamKey};
use ruse_base::stop::{StopReason, StopRequest, StopSignal, Stopped};
use ruse_games::{BySeat, Game};
use ruse_search::{AnyStrategy, ParametricStrategy, ThinkingCost};
use ruse_strategies::{
    Family, Memories, Mixture, Never, PairResult, PlayerRef, Prepared, Redrawn, Streams,
};

use super::block::{Opened, Opening, Pace};
use super::breadth::{CountedPair, play_counted_pair};
use super::league::{League, num_pairs_each};
use super::side::Side;
use super::sitter::{FIRST_CHOICE, draw_parameters, redrawn_for};

/// Returns the random number streams with which both games of a pair begin: one for chance, and one for each seat.
#[inline(always)]
pub fn streams_of_pair(pair: StreamKey) -> Streams<Stream> {
    Streams {
        chance: pair.child(Label::Chance, 0).stream(),
        seats: BySeat::from_fn(|seat| pair.child(Label::Seat, seat as u64).stream()),
    }
}

type ActionOf<F> = <<F as Family>::Game as Game>::Action;

/// The stop request that is polled between decisions, and within the decisions of players that search. It is `None` if
/// pairs are known to be short.
type Halt<'a> = Option<&'a StopRequest>;

/// Returns buffers for a player. The player polls for stop requests if `halt` is given.
fn memories<F: Family>(halt: Halt<'_>) -> Memories<F> {
    halt.map_or_else(Memories::default, Memories::heeding)
}

/// The strategy of one side of a pair, with its buffers.
type SideOf<'a, F> = (PlayerRef<'a, F>, &'a mut Memories<F>);

#[inline(always)]
fn play_pair<F: Family>(
    family: &F,
    a: SideOf<'_, F>,
    b: SideOf<'_, F>,
    action: &mut ActionOf<F>,
    pair: StreamKey,
    halt: Halt<'_>,
) -> PairResult {
    match halt {
        None => play_short_pair(family, a, b, action, pair),
        Some(request) => play_watched_pair(family, a, b, action, pair, request).0,
    }
}

/// Plays a pair that is known to be short.
// This function is not inlined, so that games are compiled once for each combination of two strategy types, instead of
// at each call. Everything within it is inlined.
#[inline(never)]
fn play_short_pair<F: Family>(
    family: &F,
    a: SideOf<'_, F>,
    b: SideOf<'_, F>,
    action: &mut ActionOf<F>,
    pair: StreamKey,
) -> PairResult {
    family.play_pair(a, b, action, streams_of_pair(pair), Never).0
}

/// Plays a pair that may take a long time. Also returns the remaining streams of the pair.
#[inline(never)]
fn play_watched_pair<F: Family>(
    family: &F,
    a: SideOf<'_, F>,
    b: SideOf<'_, F>,
    action: &mut ActionOf<F>,
    pair: StreamKey,
    request: &StopRequest,
) -> (PairResult, [Streams<Stream>; 2]) {
    family.play_pair(a, b, action, streams_of_pair(pair), request)
}

/// Buffers for the strategy that a player draws for a pair. The buffers are reused from pair to pair.
pub struct Entered<F: Family> {
    theta: Vec<f64>,
    /// The strategy with the last parameters that were drawn; `None` before the first draw.
    redrawn: Option<F::Strategy>,
    /// The strategy that was last drawn for a baseline of another family.
    guest: Option<Arc<dyn AnyStrategy<F::Game>>>,
}

impl<F: Family> Default for Entered<F> {
    fn default() -> Self {
        Entered { theta: Vec::new(), redrawn: None, guest: None }
    }
}

impl<F: Family> Entered<F> {
    /// Returns the strategy with which `player` plays both games of the pair with key `pair`. A redrawn player has
    /// standard Gaussian parameters, drawn again for every pair; it is the naive opponent (Cauwet & Teytaud 2018,
    /// section II-B) as a mixed strategy.
    #[inline(always)]
    pub fn enter<'a>(
        &'a mut self,
        family: &F,
        player: &'a Prepared<F>,
        pair: StreamKey,
        side: Side,
    ) -> PlayerRef<'a, F> {
        match player {
            Prepared::Own(strategy) => PlayerRef::Own(strategy),
            Prepared::Reference(strategy) => PlayerRef::Reference(strategy),
            Prepared::Searching(strategy) => PlayerRef::Searching(&**strategy),
            Prepared::Redrawn(redrawn) => {
                PlayerRef::Own(self.redraw(family.game(), redrawn, pair, side))
            }
            Prepared::RedrawnGuest(redrawn) => {
                let strategy = redrawn_for(family.game(), &**redrawn, pair, side);
                PlayerRef::Searching(&**self.guest.insert(strategy))
            }
            Prepared::Mixture(mixture) => self.enter_one_of(family, mixture, pair, side),
        }
    }

    /// Draws a member of the mixture, and again while the member is a mixture itself.
    fn enter_one_of<'a>(
        &'a mut self,
        family: &F,
        mixture: &'a Mixture<Prepared<F>>,
        pair: StreamKey,
        side: Side,
    ) -> PlayerRef<'a, F> {
        let mut stream = pair.child(Label::Choice, FIRST_CHOICE + side as u64).stream();
        let mut drawn = mixture.drawn(stream.random());
        while let Prepared::Mixture(inner) = drawn {
            drawn = inner.drawn(stream.random());
        }
        self.enter(family, drawn, pair, side)
    }

    #[inline]
    fn redraw(
        &mut self,
        game: &F::Game,
        Redrawn { template, dimension }: &Redrawn<F>,
        pair: StreamKey,
        side: Side,
    ) -> &F::Strategy {
        let Entered { theta, redrawn, .. } = self;
        let strategy = redrawn.get_or_insert_with(|| template.clone());
        draw_parameters(theta, *dimension, pair, side);
        strategy
            .set_parameters(game, theta)
            .expect("Gaussian numbers of the right dimension are in every parameter space");
        strategy
    }
}

/// A league with statically known types.
pub struct TypedLeague<F: Family> {
    family: Arc<F>,
    players: Vec<Prepared<F>>,
    /// For each player, the index of the first player that is identical to this player.
    same: Vec<usize>,
    /// The exact score of each player against the redrawn baseline, if it is known. Scores are computed on first use,
    /// because the computation takes longer than playing games, and most leagues do not need them.
    exact_scores: Vec<OnceLock<Option<f64>>>,
    pace: Pace,
}

impl<F: Family> TypedLeague<F> {
    /// Creates the league of these players. `same[i]` is the index of the first player that is identical to player i.
    pub fn new(family: Arc<F>, players: Vec<Prepared<F>>, same: Vec<usize>) -> Self {
        let exact_scores = players.iter().map(|_| OnceLock::new()).collect();
        TypedLeague { family, players, same, exact_scores, pace: Pace::default() }
    }

    fn exact_baseline_score(&self, index: usize) -> Option<f64> {
        let compute = || exact_baseline_score(&*self.family, &self.players[index]);
        *self.exact_scores[index].get_or_init(compute)
    }

    /// Returns the exact expected score of `a` against `b`, if it is known. One of them must be a mixture, and any two
    /// strategies that may be drawn must play the same games in every pair.
    fn exact_of_mixtures(&self, a: usize, b: usize, key: StreamKey) -> Option<f64> {
        // With more meetings, computing the score would take longer than estimating it.
        const MAX_MEETINGS: usize = 4096;
        let [a, b] = [&self.players[a], &self.players[b]].map(drawable);
        let (a, b) = (a?, b?);
        if a.len() + b.len() == 2 || a.len() * b.len() > MAX_MEETINGS {
            return None;
        }
        let mut sum = 0.0;
        for (weight_a, a) in &a {
            for (weight_b, b) in &b {
                sum += weight_a * weight_b * self.open_between(a, b, key, None).exact?;
            }
        }
        Some(sum)
    }

    fn open_between(
        &self,
        a: &Prepared<F>,
        b: &Prepared<F>,
        key: StreamKey,
        halt: Halt<'_>,
    ) -> Opening<PairResult> {
        let (mut memory_a, mut memory_b) = (memories(halt), memories(halt));
        let (mut drawn_a, mut drawn_b) = (Entered::default(), Entered::default());
        let mut action = ActionOf::<F>::default();
        let pair = key.child(Label::Pair, 0);
        let family = &*self.family;
        let untouched = streams_of_pair(pair);
        let (seen, left) = play_watched_pair(
            family,
            (drawn_a.enter(family, a, pair, Side::A), &mut memory_a),
            (drawn_b.enter(family, b, pair, Side::B), &mut memory_b),
            &mut action,
            pair,
            halt.unwrap_or(&StopRequest::default()),
        );
        // If neither chance nor a player has drawn a number, the players go through the same positions in every pair.
        let is_certain = is_fixed(a) && is_fixed(b) && left.iter().all(|left| *left == untouched);
        Opening { seen, exact: is_certain.then(|| seen.score()) }
    }

    /// Measures the duration of `num_pairs` pairs, and passes the stop request on to the pairs if they may take long.
    fn timed<T>(
        &self,
        num_pairs: usize,
        stop: &StopSignal,
        play: impl FnOnce(Halt<'_>) -> T,
    ) -> Result<T, Stopped> {
        /// The minimum number of pairs whose duration is measured. For fewer pairs, reading the clock twice would take
        /// too much of the time.
        const FEW: usize = 8;
        if !self.pace.may_be_slow() {
            if num_pairs < FEW {
                let played = play(None);
                return faultless(&*self.family, stop).map(|()| played);
            }
            let start = Instant::now();
            let played = play(None);
            self.pace.learn(num_pairs, start.elapsed());
            return faultless(&*self.family, stop).map(|()| played);
        }
        let start = Instant::now();
        let played = play(Some(stop.request()));
        // Stop requests are sticky, so games that were abandoned because of a request are detected here.
        stop.check()?;
        self.pace.learn(num_pairs, start.elapsed());
        faultless(&*self.family, stop).map(|()| played)
    }
}

/// Returns an error if a game has detected a fault in its rules. The game has no valid result, so all work is stopped, and
/// the family reports the fault.
pub(crate) fn faultless<F: Family>(family: &F, stop: &StopSignal) -> Result<(), Stopped> {
    let fault = family.capabilities().fault;
    if fault.is_none_or(|fault| fault(family.game()).is_none()) {
        return Ok(());
    }
    stop.raise();
    Err(Stopped(StopReason::Interrupted))
}

/// Returns the exact score of a player against the redrawn baseline, if it is known.
fn exact_baseline_score<F: Family>(family: &F, player: &Prepared<F>) -> Option<f64> {
    match player {
        Prepared::Own(strategy) => family.exact_baseline_score(strategy),
        Prepared::Mixture(mixture) => mixture
            .members()
            .map(|(weight, member)| Some(weight * exact_baseline_score(family, member)?))
            .sum(),
        _ => None,
    }
}

/// Returns the strategies that may be drawn, with their probabilities. Returns `None` unless each of them has fixed
/// parameters or is a reference strategy.
fn drawable<F: Family>(player: &Prepared<F>) -> Option<Vec<(f64, &Prepared<F>)>> {
    let members: Vec<_> = match player {
        Prepared::Mixture(mixture) => mixture.members().collect(),
        _ => vec![(1.0, player)],
    };
    members.iter().all(|(_, member)| is_fixed(member)).then_some(members)
}

/// Returns `true` if the player has fixed parameters or is a reference strategy.
fn is_fixed<F: Family>(player: &Prepared<F>) -> bool {
    matches!(player, Prepared::Own(_) | Prepared::Reference(_))
}

/// Returns memories that count the thinking cost.
fn thinking_memories<F: Family>(request: &StopRequest) -> Memories<F> {
    let mut memories = Memories::heeding(request);
    memories.searching.count_thought();
    memories
}

/// Returns the exact score of `a` against `b`, if it is known. If the family cannot compute it, the score of a mixture
/// is the mean over the strategies that may be drawn.
fn exact_score<F: Family>(family: &F, a: &Prepared<F>, b: &Prepared<F>) -> Option<f64> {
    /// The maximum number of meetings for an exact score; with more meetings, an estimate from games would be faster.
    const MAX_MEETINGS: usize = 128;
    let size = |player: &Prepared<F>| match player {
        Prepared::Mixture(members) => members.len(),
        _ => 1,
    };
    let known = family.exact_score(a, b);
    if known.is_some() || size(a) * size(b) > MAX_MEETINGS {
        return known;
    }
    let mean = |mixture: &Mixture<Prepared<F>>, score: &dyn Fn(&Prepared<F>) -> Option<f64>| {
        mixture.members().map(|(weight, member)| score(member).map(|score| weight * score)).sum()
    };
    match (a, b) {
        (Prepared::Mixture(members), _) => mean(members, &|a| exact_score(family, a, b)),
        (_, Prepared::Mixture(members)) => mean(members, &|b| exact_score(family, a, b)),
        _ => None,
    }
}

impl<F: Family> League for TypedLeague<F> {
    fn payoff_steps(&self) -> u16 {
        self.family.game().payoff_steps()
    }

    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped> {
        let (a, b) = (&self.players[a], &self.players[b]);
        let family = &*self.family;
        let mut action = ActionOf::<F>::default();
        self.timed(results.len(), stop, |halt| {
            let (mut memory_a, mut memory_b) = (memories(halt), memories(halt));
            if let (None, Prepared::Own(a), Prepared::Own(b)) = (halt, a, b) {
                // This is the most common case in races. Phantom tic-tac-toe takes a third less time if the types are
                // known outside the loop.
                for (index, result) in (first_pair..).zip(results) {
                    let streams = streams_of_pair(key.child(Label::Pair, index));
                    let a = (PlayerRef::Own(a), &mut memory_a);
                    let b = (PlayerRef::Own(b), &mut memory_b);
                    (*result, _) = family.play_pair(a, b, &mut action, streams, Never);
                }
                return;
            }
            let (mut drawn_a, mut drawn_b) = (Entered::default(), Entered::default());
            for (index, result) in (first_pair..).zip(results) {
                let pair = key.child(Label::Pair, index);
                *result = play_pair(
                    family,
                    (drawn_a.enter(family, a, pair, Side::A), &mut memory_a),
                    (drawn_b.enter(family, b, pair, Side::B), &mut memory_b),
                    &mut action,
                    pair,
                    halt,
                );
            }
        })
    }

    fn play_each(
        &self,
        players: &[usize],
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped> {
        let num_pairs = num_pairs_each(players, results);
        if !matches!(self.players[b], Prepared::Redrawn(_)) {
            for (&a, results) in players.iter().zip(results.chunks_mut(num_pairs.max(1))) {
                self.play(a, b, key, first_pair, results, stop)?;
            }
            return Ok(());
        }
        let family = &*self.family;
        let mut drawn_b = Entered::default();
        let mut action = ActionOf::<F>::default();
        self.timed(results.len(), stop, |halt| {
            let mut memory = memories(halt);
            // Each player has its own set of buffers, because memories may contain information about a strategy.
            let mut own: Vec<_> =
                players.iter().map(|_| (Entered::default(), memories(halt))).collect();
            for (index, pair) in (first_pair..).take(num_pairs).enumerate() {
                let pair = key.child(Label::Pair, pair);
                let b = drawn_b.enter(family, &self.players[b], pair, Side::B);
                for (number, (&player, (drawn, own))) in players.iter().zip(&mut own).enumerate() {
                    let a = drawn.enter(family, &self.players[player], pair, Side::A);
                    results[number * num_pairs + index] =
                        play_pair(family, (a, own), (b, &mut memory), &mut action, pair, halt);
                }
            }
        })
    }

    fn play_thinking(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        pair: u64,
        stop: &StopSignal,
    ) -> Result<(PairResult, [ThinkingCost; 2]), Stopped> {
        let (a, b) = (&self.players[a], &self.players[b]);
        // A caller that plays a single pair expects the pair to take a long time, regardless of the measured pace.
        let request = stop.request();
        let [mut memory_a, mut memory_b] = [request; 2].map(thinking_memories);
        let (mut drawn_a, mut drawn_b) = (Entered::default(), Entered::default());
        let mut action = ActionOf::<F>::default();
        let family = &*self.family;
        let pair = key.child(Label::Pair, pair);
        let (result, _) = play_watched_pair(
            family,
            (drawn_a.enter(family, a, pair, Side::A), &mut memory_a),
            (drawn_b.enter(family, b, pair, Side::B), &mut memory_b),
            &mut action,
            pair,
            request,
        );
        // Stop requests are sticky, so a game that was abandoned because of a request is detected here.
        stop.check()?;
        Ok((result, [memory_a, memory_b].map(|memory| memory.searching.thought())))
    }

    fn open(&self, a: usize, b: usize, key: StreamKey, stop: &StopSignal) -> Opened {
        let opening = self.timed(1, stop, |halt| {
            self.open_between(&self.players[a], &self.players[b], key, halt)
        })?;
        let known = match (&self.players[a], &self.players[b]) {
            (_, Prepared::Redrawn(_)) => self.exact_baseline_score(a),
            (Prepared::Redrawn(_), _) => self.exact_baseline_score(b).map(|score| 1.0 - score),
            (Prepared::Mixture(_), _) | (_, Prepared::Mixture(_)) => {
                self.exact_of_mixtures(a, b, key)
            }
            _ => None,
        };
        Ok(Opening { exact: opening.exact.or(known), ..opening })
    }

    fn counts(&self) -> bool {
        self.family.capabilities().game.breadth.is_some()
    }

    fn play_counted(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        pair: u64,
        stop: &StopSignal,
    ) -> Result<Option<CountedPair>, Stopped> {
        let Some(breadth) = self.family.capabilities().game.breadth else { return Ok(None) };
        let pair = key.child(Label::Pair, pair);
        let (mut drawn_a, mut drawn_b) = (Entered::default(), Entered::default());
        let family = &*self.family;
        let start = Instant::now();
        let players = [
            drawn_a.enter(family, &self.players[a], pair, Side::A),
            drawn_b.enter(family, &self.players[b], pair, Side::B),
        ];
        let players =
            players.map(|player| (player.into_any(), matches!(player, PlayerRef::Searching(_))));
        let counted = play_counted_pair(
            family.game(),
            breadth,
            players,
            streams_of_pair(pair),
            stop.request(),
        );
        stop.check()?;
        self.pace.learn(1, start.elapsed());
        Ok(counted)
    }

    fn exact(&self, a: usize, b: usize) -> Option<f64> {
        // If the players are identical, the two games of a pair are the same, or have the same distribution.
        if self.same[a] == self.same[b] {
            return Some(0.5);
        }
        exact_score(&*self.family, &self.players[a], &self.players[b])
    }

    fn pace(&self) -> Option<Duration> {
        self.pace.of_play()
    }
}
