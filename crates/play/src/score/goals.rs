//! The goals of both players, which are results from 0 to 100, in games whose goals do not add up to a constant.
//!
//! In these games a payoff is a difference of goals. Payoffs therefore do not distinguish two bad players from two good
//! players: in both cases, each player scores one half.

use ruse_games::{BySeat, Game, Seat, Turn};
use ruse_strategies::{Family, Memories, PlayerRef, Prepared, StopRequest, Strategy, Streams};

use super::SampleMean;
use crate::arena::{Entered, Side, StopSignal, Stopped, in_parallel, streams_of_pair};
use crate::rng::{Label, Stream, StreamKey};

/// Plays the first `pairs` pairs of `a` against `b`, and returns the mean goal of each player, from 0 to 100. Each pair
/// is one measurement. Returns `None` if the goals of the family carry no more information than its payoffs.
///
/// # Errors
///
/// Returns an error if the games were stopped.
pub fn mean_goals<F: Family>(
    family: &F,
    (a, b): (&Prepared<F>, &Prepared<F>),
    key: StreamKey,
    pairs: u64,
    stop: &StopSignal,
) -> Result<Option<[SampleMean; 2]>, Stopped> {
    if family.capabilities().goals.is_none() {
        return Ok(None);
    }
    let indices: Vec<u64> = (0..pairs).collect();
    let request = stop.request();
    let goals = in_parallel(&indices, stop, |&index| {
        let pair = key.child(Label::Pair, index);
        let (mut drawn_a, mut drawn_b) = (Entered::default(), Entered::default());
        let a = drawn_a.enter(family, a, pair, Side::A);
        let b = drawn_b.enter(family, b, pair, Side::B);
        let as_first = goals_of_game(family, a, b, streams_of_pair(pair), request);
        let as_second = goals_of_game(family, b, a, streams_of_pair(pair), request);
        stop.check()?;
        Ok(as_first.zip(as_second).map(|(first, second)| {
            [(first.first + second.second) / 2.0, (first.second + second.first) / 2.0]
        }))
    })?;
    let Some(goals) = goals.into_iter().collect::<Option<Vec<[f64; 2]>>>() else { return Ok(None) };
    let of_side = |side: usize| {
        SampleMean::of(&goals.iter().map(|of_pair| of_pair[side]).collect::<Vec<_>>())
    };
    Ok(of_side(0).zip(of_side(1)).map(|(a, b)| [a, b]))
}

/// Plays a game and returns the goals of both seats. Returns `None` if the game has no goals or a stop is requested.
fn goals_of_game<F: Family>(
    family: &F,
    first: PlayerRef<'_, F>,
    second: PlayerRef<'_, F>,
    mut streams: Streams<Stream>,
    request: &StopRequest,
) -> Option<BySeat<f64>> {
    let game = family.game();
    let mut memories = BySeat::from_fn(|_| Memories::heeding(request));
    first.begin(&mut memories.first, Seat::First);
    second.begin(&mut memories.second, Seat::Second);
    let mut state = game.deal(&mut streams.chance);
    let mut action = <F::Game as Game>::Action::default();
    while let Turn::Act(seat) = game.turn(&state) {
        let sitting = if seat == Seat::First { &first } else { &second };
        let view = game.view(&state, seat);
        sitting.act(&mut memories[seat], view, &mut streams.seats[seat], &mut action);
        game.apply(&mut state, seat, &action, &mut streams.chance);
        if request.is_set() {
            return None;
        }
    }
    family.capabilities().goals?(game, &state)
}
