//! A game, from the deal to the payoff, and a pair of games, which is the unit of all statistics.

use rand::Rng;
use ruse_base::stop::StopRequest;
use ruse_games::{BySeat, Game, Payoff, Seat, Turn};
use ruse_search::Strategy;

/// The random streams of one game: one for chance, and one for each seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Streams<R> {
    /// The stream of chance.
    pub chance: R,
    /// The streams of the seats.
    pub seats: BySeat<R>,
}

/// The payoffs to side A in the two games of a pair: the same deal twice, with the seats swapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairResult {
    /// The payoff to A in the game in which A has the first seat.
    pub as_first: Payoff,
    /// The payoff to A in the game in which A has the second seat.
    pub as_second: Payoff,
}

impl PairResult {
    /// Returns the sum of both payoffs in units of 1 / `steps`, from 0 to 2 `steps`, for a game with this number of
    /// [steps](Game::payoff_steps).
    #[inline]
    pub fn points(self, steps: u16) -> u16 {
        let parts = u32::from(self.as_first.parts()) + u32::from(self.as_second.parts());
        // Nearly all games are won, drawn or lost; division by a constant compiles to a multiplication.
        let points = match steps {
            2 => parts / u32::from(Payoff::PARTS / 2),
            _ => parts / u32::from(Payoff::PARTS / steps),
        };
        points as u16
    }

    /// Returns the mean payoff of the pair, in [0, 1].
    #[inline]
    pub fn score(self) -> f64 {
        let parts = u32::from(self.as_first.parts()) + u32::from(self.as_second.parts());
        f64::from(parts) / f64::from(2 * u32::from(Payoff::PARTS))
    }
}

impl Default for PairResult {
    fn default() -> PairResult {
        PairResult { as_first: Payoff::DRAW, as_second: Payoff::DRAW }
    }
}

/// A stop signal, polled between decisions. Once given, it is not withdrawn.
pub trait Halt: Copy {
    /// True if the final state of a game's streams is needed.
    const KEEPS_STREAMS: bool;

    /// Returns `true` if the game must be abandoned. The payoff of the game is then meaningless.
    fn is_asked(self) -> bool;
}

/// A stop signal that is never given, for large numbers of short games. It does not need the final streams: copying
/// them would take a tenth of the time of the shortest games.
#[derive(Debug, Clone, Copy)]
pub struct Never;

impl Halt for Never {
    const KEEPS_STREAMS: bool = false;

    #[inline(always)]
    fn is_asked(self) -> bool {
        false
    }
}

impl Halt for &StopRequest {
    const KEEPS_STREAMS: bool = true;

    fn is_asked(self) -> bool {
        self.is_set()
    }
}

/// Plays one game from `state`, decision by decision, and returns the payoff to `first`, which has the first seat.
///
/// The memories and `action` are buffers: their old contents do not matter. If `halt` asks to stop, the game is
/// abandoned and the payoff is a draw. If `halt` keeps the streams, `streams` contains their final states afterwards.
#[inline(always)]
pub fn play_by_turns<G: Game, S: Strategy<G>, T: Strategy<G>, R: Rng + Clone, H: Halt>(
    game: &G,
    mut state: G::State,
    (first, first_memory): WithMemory<'_, G, S>,
    (second, second_memory): WithMemory<'_, G, T>,
    action: &mut G::Action,
    streams: &mut Streams<R>,
    halt: H,
) -> Payoff {
    first.begin(first_memory, Seat::First);
    second.begin(second_memory, Seat::Second);
    // Copies of the generators can stay in registers; behind a pointer, they make Pig a tenth slower.
    let Streams {
        mut chance,
        seats: BySeat { first: mut first_stream, second: mut second_stream },
    } = streams.clone();
    let payoff = loop {
        // Both arms run the same code, but in each arm the compiler knows whose turn it is.
        match game.turn(&state) {
            Turn::Over(payoff) => {
                let is_forfeited = BySeat {
                    first: first.end(first_memory, game.view(&state, Seat::First), payoff),
                    second: second.end(
                        second_memory,
                        game.view(&state, Seat::Second),
                        payoff.reversed(),
                    ),
                };
                break after_forfeits(payoff, is_forfeited);
            }
            Turn::Act(Seat::First) => {
                if T::WATCHES && game.is_watched() {
                    let seen = game.view(&state, Seat::Second);
                    second.watch(second_memory, seen, &mut second_stream);
                }
                let seen = game.view(&state, Seat::First);
                first.act(first_memory, seen, &mut first_stream, action);
                game.apply(&mut state, Seat::First, action, &mut chance);
            }
            Turn::Act(Seat::Second) => {
                if S::WATCHES && game.is_watched() {
                    let seen = game.view(&state, Seat::First);
                    first.watch(first_memory, seen, &mut first_stream);
                }
                let seen = game.view(&state, Seat::Second);
                second.act(second_memory, seen, &mut second_stream, action);
                game.apply(&mut state, Seat::Second, action, &mut chance);
            }
        }
        if halt.is_asked() {
            break Payoff::DRAW;
        }
    };
    if H::KEEPS_STREAMS {
        *streams = Streams { chance, seats: BySeat { first: first_stream, second: second_stream } };
    }
    payoff
}

/// Returns the payoff to the first seat of a game that players have forfeited. If both have, the payoff does not change.
#[inline]
pub fn after_forfeits(payoff: Payoff, is_forfeited: BySeat<bool>) -> Payoff {
    match (is_forfeited.first, is_forfeited.second) {
        (true, false) => Payoff::LOSS,
        (false, true) => Payoff::WIN,
        _ => payoff,
    }
}

/// A player of one game: its strategy, and a buffer for its memory.
pub type WithMemory<'a, G, S> = (&'a S, &'a mut <S as Strategy<G>>::Memory);
