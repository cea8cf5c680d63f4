//! One game, from the deal to the payoff, and the pair of games that is the sample of all statistics.

use rand::Rng;
use ruse_games::{BySeat, Game, Payoff, Seat, Turn};

use crate::Strategy;

/// The random streams of one game: chance, and one for each seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Streams<R> {
    /// The stream of chance.
    pub chance: R,
    /// The streams of the seats.
    pub seats: BySeat<R>,
}

/// The payoffs of the two games of a pair, to side A: the same deal twice, with the seats swapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairResult {
    /// The game in which A sat first.
    pub as_first: Payoff,
    /// The game in which A sat second.
    pub as_second: Payoff,
}

impl PairResult {
    /// The sum of both payoffs in parts of 1 / `steps`, from 0 to 2 `steps`, for a game of so many
    /// [steps](Game::payoff_steps).
    #[inline]
    pub fn points(self, steps: u16) -> u16 {
        let parts = u32::from(self.as_first.parts()) + u32::from(self.as_second.parts());
        // Nearly all games are won, drawn or lost; dividing by a constant is a multiplication.
        let points = match steps {
            2 => parts / u32::from(Payoff::PARTS / 2),
            _ => parts / u32::from(Payoff::PARTS / steps),
        };
        points as u16
    }

    /// The mean payoff of the pair, in [0, 1].
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

/// A wish to stop that is asked for between two decisions, where pairs are known to take long.
#[derive(Clone, Copy, Default)]
pub struct Halt<'a>(Option<&'a dyn Fn() -> bool>);

impl<'a> Halt<'a> {
    /// The wish that `is_asked` tells; once it is told it stays.
    pub fn new(is_asked: &'a dyn Fn() -> bool) -> Halt<'a> {
        Halt(Some(is_asked))
    }

    /// Whether the game is to be left where it is. Its payoff is then meaningless.
    #[inline(always)]
    pub fn is_asked(self) -> bool {
        self.0.is_some_and(|is_asked| is_asked())
    }
}

/// Plays one game from `state`, decision by decision, and returns the payoff to `first`, which has [`Seat::First`].
///
/// The memories and `action` are buffers: what they hold before does not matter. If `halt` says so, the game is left and the
/// payoff is a draw.
#[inline(always)]
pub fn play_by_turns<G: Game, S: Strategy<G>, T: Strategy<G>, R: Rng>(
    game: &G,
    mut state: G::State,
    (first, first_memory): WithMemory<'_, G, S>,
    (second, second_memory): WithMemory<'_, G, T>,
    action: &mut G::Action,
    streams: &mut Streams<R>,
    halt: Halt<'_>,
) -> Payoff {
    first.begin(first_memory, Seat::First);
    second.begin(second_memory, Seat::Second);
    loop {
        // The two arms do the same: in each of them the compiler knows whose turn it is.
        match game.turn(&state) {
            Turn::Over(payoff) => return payoff,
            Turn::Act(Seat::First) => {
                let seen = game.view(&state, Seat::First);
                first.act(first_memory, seen, &mut streams.seats.first, action);
                game.apply(&mut state, Seat::First, action, &mut streams.chance);
            }
            Turn::Act(Seat::Second) => {
                let seen = game.view(&state, Seat::Second);
                second.act(second_memory, seen, &mut streams.seats.second, action);
                game.apply(&mut state, Seat::Second, action, &mut streams.chance);
            }
        }
        if halt.is_asked() {
            return Payoff::DRAW;
        }
    }
}

/// A player of one game: its strategy, and a buffer for what it remembers.
pub type WithMemory<'a, G, S> = (&'a S, &'a mut <S as Strategy<G>>::Memory);

/// Plays a pair between A and B decision by decision. `streams` are those of both games, from their start; `inspect` sees what is
/// left of the streams of both.
// Inlined: the fastest games take no longer than a copy of their streams.
#[inline(always)]
pub fn play_pair_by_turns<G: Game, A: Strategy<G>, B: Strategy<G>, R: Rng + Clone>(
    game: &G,
    (a, memory_a): WithMemory<'_, G, A>,
    (b, memory_b): WithMemory<'_, G, B>,
    action: &mut G::Action,
    mut streams: Streams<R>,
    halt: Halt<'_>,
    inspect: impl FnOnce([&Streams<R>; 2]),
) -> PairResult {
    let state = game.deal(&mut streams.chance);
    // The second game has the same deal, and goes on from the same streams.
    let (same_state, mut same_streams) = (state.clone(), streams.clone());
    let seats = ((a, &mut *memory_a), (b, &mut *memory_b));
    let as_first = play_by_turns(game, state, seats.0, seats.1, action, &mut streams, halt);
    let seats = ((b, memory_b), (a, memory_a));
    let payoff_of_b =
        play_by_turns(game, same_state, seats.0, seats.1, action, &mut same_streams, halt);
    inspect([&streams, &same_streams]);
    PairResult { as_first, as_second: payoff_of_b.reversed() }
}
