//! Pairs of games in which the number of possible actions at each decision is recorded.

use rand::Rng;
use ruse_games::{BySeat, Game, Payoff, Seat, Turn};
use ruse_strategies::{
    Breadth, Family, Memories, PairResult, PlayerRef, StopRequest, Strategy, Streams,
    after_forfeits,
};

use super::side::Side;

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

/// Plays a pair like [`Family::play_pair`], with the same payoffs, and records its decisions. Returns `None` if the
/// family cannot count actions, or if the pair was abandoned because of a stop request.
pub(super) fn play_counted_pair<F: Family, R: Rng + Clone>(
    family: &F,
    (a, memories_a): (PlayerRef<'_, F>, &mut Memories<F>),
    (b, memories_b): (PlayerRef<'_, F>, &mut Memories<F>),
    mut streams: Streams<R>,
    request: &StopRequest,
) -> Option<CountedPair> {
    let state = family.game().deal(&mut streams.chance);
    let mut decisions = Vec::new();
    let seats = [[Side::A, Side::B], [Side::B, Side::A]];
    let mut payoffs = [Payoff::DRAW; 2];
    for (game, sides) in seats.into_iter().enumerate() {
        let count = |decision: CountedDecision| {
            let side = sides[usize::from(decision.seat == Seat::Second)];
            decisions.push(CountedDecision { game: game as u8, side, ..decision });
        };
        let mut streams = streams.clone();
        let player_a = (a, &mut *memories_a);
        let player_b = (b, &mut *memories_b);
        let (first, second) = match sides {
            [Side::A, _] => (player_a, player_b),
            [Side::B, _] => (player_b, player_a),
        };
        let state = state.clone();
        payoffs[game] =
            play_counted_game(family, state, first, second, &mut streams, request, count)?;
    }
    let [as_first, payoff_of_b] = payoffs;
    let result = PairResult { as_first, as_second: payoff_of_b.reversed() };
    Some(CountedPair { result, decisions })
}

fn play_counted_game<F: Family, R: Rng>(
    family: &F,
    mut state: <F::Game as Game>::State,
    (first, first_memories): (PlayerRef<'_, F>, &mut Memories<F>),
    (second, second_memories): (PlayerRef<'_, F>, &mut Memories<F>),
    streams: &mut Streams<R>,
    request: &StopRequest,
    mut count: impl FnMut(CountedDecision),
) -> Option<Payoff> {
    let (game, count_actions) = (family.game(), family.capabilities().breadth?);
    let mut action = <F::Game as Game>::Action::default();
    first.begin(first_memories, Seat::First);
    second.begin(second_memories, Seat::Second);
    let Streams { chance, seats: BySeat { first: first_stream, second: second_stream } } = streams;
    for step in 0.. {
        let seat = match game.turn(&state) {
            Turn::Over(payoff) => {
                let views = [Seat::First, Seat::Second].map(|seat| game.view(&state, seat));
                let [of_first, of_second] = views;
                let is_forfeited = BySeat {
                    first: first.end(first_memories, of_first, payoff),
                    second: second.end(second_memories, of_second, payoff.reversed()),
                };
                return Some(after_forfeits(payoff, is_forfeited));
            }
            Turn::Act(seat) => seat,
        };
        let breadth = count_actions(game, &state, seat);
        let view = game.view(&state, seat);
        let (player, memories, stream) = match seat {
            Seat::First => (&first, &mut *first_memories, &mut *first_stream),
            Seat::Second => (&second, &mut *second_memories, &mut *second_stream),
        };
        let before = memories.searching.thought().effort;
        player.act(memories, view, stream, &mut action);
        let tried = (memories.searching.thought().effort - before).tried;
        // The caller fills in the game and the side.
        count(CountedDecision { game: 0, step, seat, side: Side::A, breadth, tried });
        game.apply(&mut state, seat, &action, chance);
        if request.is_set() {
            return None;
        }
    }
    None
}
