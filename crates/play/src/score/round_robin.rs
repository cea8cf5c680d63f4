//! Plays many duels of a league at once, with numbers of pairs that are fixed in advance.

use std::ops::Range;

use ruse_strategies::PairResult;

use super::tally::Tally;
use crate::arena::{League, StopSignal, Stopped, in_parallel};
use crate::rng::StreamKey;

/// A request to play pairs between two players of a league.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// The index of the player from whose point of view results are counted.
    pub a: usize,
    /// The index of the opponent of `a`.
    pub b: usize,
    /// The key of the comparison to which the pairs belong.
    pub key: StreamKey,
    /// The index of the first pair.
    pub first_pair: u64,
    /// The number of pairs to play.
    pub num_pairs: u64,
}

/// The largest number of pairs that one thread plays without interruption.
const TASK_PAIRS: u64 = 64;
/// The smallest number of pairs in a task with several players. Smaller tasks would prepare their opponents too often.
const MIN_TASK_PAIRS: u64 = 16;
/// The number of tasks between two updates of the progress and checks for a stop request.
const TASKS_AT_ONCE: usize = 4096;

/// A part of one request, or of several consecutive requests against the same opponent on the same deals.
struct Part {
    requests: Range<usize>,
    first_pair: u64,
    num_pairs: u64,
}

/// Splits the requests, in order, into parts; each part is played by one thread.
fn parts(requests: &[Request]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut start = 0;
    let same = |x: &Request, y: &Request| Request { a: y.a, ..*x } == *y;
    for group in requests.chunk_by(same) {
        let requests = start..start + group.len();
        start = requests.end;
        let Request { first_pair, num_pairs, .. } = group[0];
        // All parts have about the same number of games, regardless of the number of players.
        let pairs_of_part = (TASK_PAIRS / group.len() as u64).max(MIN_TASK_PAIRS);
        for offset in (0..num_pairs).step_by(pairs_of_part as usize) {
            let num_pairs = pairs_of_part.min(num_pairs - offset);
            let requests = requests.clone();
            parts.push(Part { requests, first_pair: first_pair + offset, num_pairs });
        }
    }
    parts
}

/// Plays the requests on the threads of the current pool, and returns the results in the order of the requests.
/// `on_pairs` is called from time to time with the number of pairs played since the last call. Requests against the
/// same opponent on the same deals are played fastest if they are consecutive.
///
/// # Errors
///
/// Returns an error if the games were stopped from outside.
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

/// The largest league for which exact scores are computed. One exact score may take seconds, so in larger leagues it is
/// faster to play games.
pub const MAX_SOLVED: usize = 24;

/// Plays the first pair of each of these duels, in order. Returns the results, and the exact scores that are known. A
/// score is exact if the first pair shows that all pairs are the same. In leagues of up to [`MAX_SOLVED`] players, a
/// score is also exact if it can be computed.
///
/// # Errors
///
/// Returns an error if the games were stopped from outside.
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
