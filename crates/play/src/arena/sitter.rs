//! A strategy in a seat of one game, regardless of the type of the strategy: for games that are not played by the million.

use std::ops::Deref;
use std::sync::Arc;

use rand::RngExt;
use rand_distr::Distribution;
use ruse_base::rng::{Gaussian, Label, Stream, StreamKey};
use ruse_base::stop::StopRequest;
use ruse_games::{BySeat, Game, Payoff, Seat, Turn};
use ruse_search::{AnyMemory, AnyStrategy, Effort};
use ruse_strategies::{AnyPlayer, AnyRedrawn, Mixture};

use super::side::Side;

/// The index of the stream from which side A draws a member of its own mixture; side B has the next index. Lower indices
/// belong to duels against a mixture of players.
pub(crate) const FIRST_CHOICE: u64 = 2;

/// Replaces `theta` by the parameters of a baseline for a pair.
#[inline]
pub(crate) fn draw_parameters(theta: &mut Vec<f64>, dimension: usize, pair: StreamKey, side: Side) {
    let mut stream = pair.child(Label::Baseline, side as u64).stream();
    theta.clear();
    theta.extend((0..dimension).map(|_| -> f64 { Gaussian.sample(&mut stream) }));
}

/// Returns the strategy with which `player` plays both games of the pair with key `pair`; see
/// [`Entered::enter`](super::Entered::enter).
pub(crate) fn entered<G: Game>(
    game: &G,
    player: &AnyPlayer<G>,
    pair: StreamKey,
    side: Side,
) -> Arc<dyn AnyStrategy<G>> {
    let mut choices = pair.child(Label::Choice, FIRST_CHOICE + side as u64).stream();
    let mut drawn = player;
    loop {
        match drawn {
            AnyPlayer::Fixed(strategy) => return Arc::clone(strategy),
            AnyPlayer::Redrawn(redrawn) => return redrawn_for(game, &**redrawn, pair, side),
            AnyPlayer::Mixture(mixture) => drawn = mixture.drawn(choices.random()),
        }
    }
}

/// Returns the strategy with which a baseline plays a pair.
pub(super) fn redrawn_for<G: Game>(
    game: &G,
    redrawn: &dyn AnyRedrawn<G>,
    pair: StreamKey,
    side: Side,
) -> Arc<dyn AnyStrategy<G>> {
    let mut theta = Vec::new();
    draw_parameters(&mut theta, redrawn.num_parameters(), pair, side);
    redrawn.strategy(game, &theta)
}

/// Returns the strategies with which `player` may play a pair. A redrawn baseline has some members,
/// drawn once.
pub(crate) fn members_of<G: Game>(
    game: &G,
    player: &AnyPlayer<G>,
) -> Mixture<Arc<dyn AnyStrategy<G>>> {
    /// The number of strategies that stand for a baseline.
    const NUM_DRAWN: u64 = 64;
    fn collect<G: Game>(
        game: &G,
        player: &AnyPlayer<G>,
        weight: f64,
        found: &mut Vec<(f64, Arc<dyn AnyStrategy<G>>)>,
    ) {
        match player {
            AnyPlayer::Fixed(strategy) => found.push((weight, Arc::clone(strategy))),
            AnyPlayer::Redrawn(redrawn) => found.extend((0..NUM_DRAWN).map(|number| {
                let pair = StreamKey::root(0).child(Label::Pair, number);
                (weight / NUM_DRAWN as f64, redrawn_for(game, &**redrawn, pair, Side::B))
            })),
            AnyPlayer::Mixture(mixture) => {
                for (share, member) in mixture.members() {
                    collect(game, member, weight * share, found);
                }
            }
        }
    }
    let mut found = Vec::new();
    collect(game, player, 1.0, &mut found);
    Mixture::new(found).expect("a player has a strategy")
}

/// A strategy that plays one game from one seat.
pub(crate) struct Sitter<G: Game, S = Arc<dyn AnyStrategy<G>>> {
    strategy: S,
    memory: AnyMemory,
    stream: Stream,
    action: G::Action,
}

impl<G: Game> Sitter<G> {
    /// Prepares `player`, on side B, to play the game with key `pair` from `seat`.
    pub(crate) fn enter(
        game: &G,
        player: &AnyPlayer<G>,
        pair: StreamKey,
        seat: Seat,
        request: &StopRequest,
    ) -> Sitter<G> {
        let strategy = entered(game, player, pair, Side::B);
        Sitter::new(strategy, seat, stream_of_seat(pair, seat), AnyMemory::heeding(request))
    }

    /// Starts another game, with this player, key and seat.
    pub(crate) fn restart(&mut self, game: &G, player: &AnyPlayer<G>, pair: StreamKey, seat: Seat) {
        self.strategy = entered(game, player, pair, Side::B);
        self.stream = stream_of_seat(pair, seat);
        self.strategy.begin_any(&mut self.memory, seat);
    }
}

fn stream_of_seat(pair: StreamKey, seat: Seat) -> Stream {
    pair.child(Label::Seat, seat as u64).stream()
}

impl<G: Game, S: Deref<Target = dyn AnyStrategy<G>>> Sitter<G, S> {
    /// Prepares a strategy to play a game from `seat` with this stream. After a stop request that the memory heeds, the
    /// actions of the strategy are unspecified.
    pub(crate) fn new(strategy: S, seat: Seat, stream: Stream, mut memory: AnyMemory) -> Self {
        strategy.begin_any(&mut memory, seat);
        Sitter { strategy, memory, stream, action: G::Action::default() }
    }

    /// Returns the action of the strategy.
    pub(crate) fn act(&mut self, view: G::View<'_>) -> &G::Action {
        let Sitter { strategy, memory, stream, action } = self;
        strategy.act_any(memory, view, stream, action);
        action
    }

    /// Shows the strategy what its seat sees at a turn of the other seat of `game`.
    pub(crate) fn watch(&mut self, game: &G, view: G::View<'_>) {
        if game.is_watched() {
            self.strategy.watch_any(&mut self.memory, view, &mut self.stream);
        }
    }

    /// Ends the game; see [`Strategy::end`](ruse_search::Strategy::end).
    pub(super) fn end(&mut self, view: G::View<'_>, payoff: Payoff) -> bool {
        self.strategy.end_any(&mut self.memory, view, payoff)
    }

    fn effort(&self) -> Effort {
        self.memory.thought().effort
    }
}

/// Plays a game from `state`, and shows each decision to `look`: the state, the seat to act and the effort of its player.
/// Returns the state at the end, or `None` if a stop is requested.
pub(crate) fn play_seen<G: Game, S: Deref<Target = dyn AnyStrategy<G>>>(
    game: &G,
    mut state: G::State,
    sitters: &mut BySeat<Sitter<G, S>>,
    chance: &mut Stream,
    request: &StopRequest,
    mut look: impl FnMut(&G::State, Seat, Effort),
) -> Option<G::State> {
    while let Turn::Act(seat) = game.turn(&state) {
        sitters[seat.other()].watch(game, game.view(&state, seat.other()));
        let sitter = &mut sitters[seat];
        let before = sitter.effort();
        sitter.act(game.view(&state, seat));
        look(&state, seat, sitter.effort() - before);
        game.apply(&mut state, seat, &sitter.action, chance);
        if request.is_set() {
            return None;
        }
    }
    Some(state)
}
