//! Pairs of games in which the number of possible actions at each decision is recorded.

use ruse_base::rng::Stream;
use ruse_base::stop::StopRequest;
use ruse_games::{BySeat, Game, Seat, Turn};
use ruse_search::{AnyMemory, AnyStrategy, Effort};
use ruse_strategies::{Breadth, PairResult, Streams, after_forfeits};

use super::side::Side;
use super::sitter::{Sitter, play_seen};

/// A decision in a pair of games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountedDecision {
    /// The game of the pair: 0 if A takes the first seat, otherwise 1.
    pub game: u8,
    /// The number of earlier decisions in this game, by either player.
    pub step: u32,
    /// The seat that decides.
    pub seat: Seat,
    /// The player that decides.
    pub side: Side,
    /// The number of actions to choose from.
    pub breadth: Breadth,
    /// The number of different actions that the player tried in its search; 0 for a player that does not search.
    pub tried: u64,
}

/// A pair of games with its decisions, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedPair {
    /// The payoffs of A in both games.
    pub result: PairResult,
    /// The decisions of the first game, followed by the decisions of the second game.
    pub decisions: Vec<CountedDecision>,
}

/// Plays a pair like [`Family::play_pair`](ruse_strategies::Family::play_pair), with the same payoffs, and records its
/// decisions. Each player comes with whether it searches, so that its effort counts. Returns `None` if the pair was
/// abandoned because of a stop request.
pub(super) fn play_counted_pair<G: Game>(
    game: &G,
    count_actions: fn(&G, &G::State, Seat) -> Breadth,
    [a, b]: [(&(dyn AnyStrategy<G> + 'static), bool); 2],
    mut streams: Streams<Stream>,
    request: &StopRequest,
) -> Option<CountedPair> {
    let dealt = game.deal(&mut streams.chance);
    let mut decisions = Vec::new();
    let mut payoff_to_first = |number: u8, first, second| {
        let sitter = |(strategy, searches), seat, stream: &Stream| {
            let mut memory = AnyMemory::heeding(request);
            if searches {
                memory.count_thought();
            }
            Sitter::new(strategy, seat, stream.clone(), memory)
        };
        let mut sitters = BySeat {
            first: sitter(first, Seat::First, &streams.seats.first),
            second: sitter(second, Seat::Second, &streams.seats.second),
        };
        let (mut step, mut chance) = (0, streams.chance.clone());
        let look = |state: &G::State, seat, effort: Effort| {
            let side = if (seat == Seat::First) == (number == 0) { Side::A } else { Side::B };
            let (breadth, tried) = (count_actions(game, state, seat), effort.tried);
            decisions.push(CountedDecision { game: number, step, seat, side, breadth, tried });
            step += 1;
        };
        let end = play_seen(game, dealt.clone(), &mut sitters, &mut chance, request, look)?;
        let Turn::Over(payoff) = game.turn(&end) else { return None };
        let BySeat { first, second } = &mut sitters;
        let is_forfeited = BySeat {
            first: first.end(game.view(&end, Seat::First), payoff),
            second: second.end(game.view(&end, Seat::Second), payoff.reversed()),
        };
        Some(after_forfeits(payoff, is_forfeited))
    };
    let as_first = payoff_to_first(0, a, b)?;
    let as_second = payoff_to_first(1, b, a)?.reversed();
    Some(CountedPair { result: PairResult { as_first, as_second }, decisions })
}
