//! Many duels of a league at once, for numbers of pairs that are fixed in advance.

use std::ops::Range;

use ruse_strategies::PairResult;

use super::tally::Tally;
use crate::arena::{League, StopSignal, Stopped, in_parallel};
use crate::rng::StreamKey;

/// Pairs of one player of a league against another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// The index of the player whose side the results are on.
    pub a: usize,
    /// The index of its opponent.
    pub b: usize,
    /// The comparison that the pairs are of.
    pub key: StreamKey,
    /// The first pair.
    pub first_pair: u64,
    /// Pairs to play.
    pub num_pairs: u64,
}

/// The most pairs that one thread plays at a stretch.
const TASK_PAIRS: u64 = 64;
/// The fewest for each of several players, since opponents are made ready for each task.
const LEAST_TASK_PAIRS: u64 = 16;
/// Tasks between two looks at the progress and the wish to stop.
const TASKS_AT_ONCE: usize = 4096;

/// A part of one request, or of several in a row against the same opponent in the same deals.
struct Part {
    requests: Range<usize>,
    first_pair: u64,
    num_pairs: u64,
}

/// The requests in parts for one thread each, in their order.
fn parts(requests: &[Request]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut start = 0;
    let same = |x: &Request, y: &Request| Request { a: y.a, ..*x } == *y;
    for group in requests.chunk_by(same) {
        let requests = start..start + group.len();
        start = requests.end;
        let Request { first_pair, num_pairs, .. } = group[0];
        // All parts have about as many games, however many players there are.
        let pairs_of_part = (TASK_PAIRS / group.len() as u64).max(LEAST_TASK_PAIRS);
        for offset in (0..num_pairs).step_by(pairs_of_part as usize) {
            let num_pairs = pairs_of_part.min(num_pairs - offset);
            let requests = requests.clone();
            parts.push(Part { requests, first_pair: first_pair + offset, num_pairs });
        }
    }
    parts
}

/// Plays what is asked for, on the threads of the current pool, and returns the results in the same order. `on_pairs` learns now
/// and then how many pairs more were played. Several requests in a row against the same opponent in the same deals are quicker than
/// the same in another order.
///
/// # Errors
///
/// When it was stopped from outside.
pub fn play_all(
    league: &dyn League,
    requests: &[Request],
    stop: &StopSignal,
    mut on_pairs: impl FnMut(u64),
) -> Result<Vec<Tally>, Stopped> {
    let mut tallies = vec![Tally::default(); requests.len()];
    for parts in parts(requests).chunks(TASKS_AT_ONCE) {
        let played = in_parallel(parts, stop, |part| {
            let of_part = &requests[part.requests.clone()];
            let players: Vec<usize> = of_part.iter().map(|request| request.a).collect();
            let Request { b, key, .. } = of_part[0];
            let num_pairs = part.num_pairs as usize;
            let mut results = vec![PairResult::default(); players.len() * num_pairs];
            match players[..] {
                [a] => league.play(a, b, key, part.first_pair, &mut results, stop)?,
                _ => league.play_each(&players, b, key, part.first_pair, &mut results, stop)?,
            }
            let of_players = results.chunks(num_pairs);
            let count = |results: &[PairResult]| results.iter().copied().collect::<Tally>();
            Ok(of_players.map(count).collect::<Vec<_>>())
        })?;
        let mut num_pairs = 0;
        for (part, of_players) in parts.iter().zip(&played) {
            for (tally, of_player) in tallies[part.requests.clone()].iter_mut().zip(of_players) {
                tally.merge(of_player);
            }
            num_pairs += part.num_pairs * part.requests.len() as u64;
        }
        on_pairs(num_pairs);
    }
    Ok(tallies)
}

/// The largest league of which exact scores are asked for: a score may take seconds, and those of more players take longer than
/// games.
pub const MAX_SOLVED: usize = 24;

/// What is known exactly of these duels, one after the other: because the first pair, which is played of all, shows that all are the
/// same, or, in leagues of up to [`MAX_SOLVED`] players, because it can be computed.
///
/// # Errors
///
/// When it was stopped from outside.
pub fn open_all(
    league: &dyn League,
    num_players: usize,
    duels: &[(usize, usize, StreamKey)],
    stop: &StopSignal,
) -> Result<Vec<super::Scored>, Stopped> {
    in_parallel(duels, stop, |&(a, b, key)| {
        let opening = league.open(a, b, key, stop)?;
        let exact = match opening.exact {
            None if num_players <= MAX_SOLVED && a != b => league.exact(a, b),
            exact => exact,
        };
        Ok(super::Scored { tally: [opening.seen].into_iter().collect(), exact })
    })
}
