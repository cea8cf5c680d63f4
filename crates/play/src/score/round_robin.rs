//! Round robins: the members of a league play against each other, many duels at once. The numbers of pairs are fixed in
//! advance.
//!
//! This is the only code that plays all against all. Its parameters are the meetings ([`Pairings`]), whether they share
//! their deals ([`Deals`]), and the numbers of pairs to play next ([`RoundRobin::play`]).

use std::ops::Range;

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_strategies::PairResult;

use super::scored::Scored;
use super::tally::{Estimate, Tally};
use crate::arena::{League, in_parallel};

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

/// The maximum number of pairs that one thread plays without interruption.
const TASK_PAIRS: u64 = 64;
/// The minimum number of pairs in a task with several players. Smaller tasks would prepare their opponents too often.
const MIN_TASK_PAIRS: u64 = 16;
/// The number of tasks after which progress is updated and stop requests are checked.
const TASKS_AT_ONCE: usize = 4096;

/// A part of one request, or of consecutive requests against the same opponent on the same deals.
struct RequestPart {
    requests: Range<usize>,
    first_pair: u64,
    num_pairs: u64,
}

/// Splits the requests, in order, into parts of about `task_pairs` pairs; each part is played by one thread.
fn parts(requests: &[Request], task_pairs: u64) -> Vec<RequestPart> {
    let mut parts = Vec::new();
    let mut start = 0;
    let same = |x: &Request, y: &Request| Request { a: y.a, ..*x } == *y;
    for group in requests.chunk_by(same) {
        let requests = start..start + group.len();
        start = requests.end;
        let Request { first_pair, num_pairs, .. } = group[0];
        // All parts have about the same number of games, regardless of the number of players.
        let pairs_of_part = match group.len() as u64 {
            1 => task_pairs,
            several => (task_pairs / several).max(MIN_TASK_PAIRS),
        };
        for offset in (0..num_pairs).step_by(pairs_of_part as usize) {
            let num_pairs = pairs_of_part.min(num_pairs - offset);
            let requests = requests.clone();
            parts.push(RequestPart { requests, first_pair: first_pair + offset, num_pairs });
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
    let count = |results: &[PairResult]| results.iter().copied().collect::<Tally>();
    let add = |request: usize, _: u64, tally: Tally| tallies[request].merge(&tally);
    play_parts(league, requests, TASK_PAIRS, stop, count, add, &mut on_pairs)?;
    Ok(tallies)
}

/// Plays the requests in parts of about `task_pairs` pairs. `of_part` is called on the thread that played a part;
/// `on_part` gets its value in order, with the index of the request and of the first pair.
pub(super) fn play_parts<T: Send>(
    league: &dyn League,
    requests: &[Request],
    task_pairs: u64,
    stop: &StopSignal,
    of_part: impl Fn(&[PairResult]) -> T + Sync,
    mut on_part: impl FnMut(usize, u64, T),
    on_pairs: &mut dyn FnMut(u64),
) -> Result<(), Stopped> {
    for parts in parts(requests, task_pairs).chunks(TASKS_AT_ONCE) {
        let played = in_parallel(parts, stop, |part| {
            let of_requests = &requests[part.requests.clone()];
            let players: Vec<usize> = of_requests.iter().map(|request| request.a).collect();
            let Request { b, key, .. } = of_requests[0];
            let num_pairs = part.num_pairs as usize;
            let mut results = vec![PairResult::default(); players.len() * num_pairs];
            match players[..] {
                [a] => league.play(a, b, key, part.first_pair, &mut results, stop)?,
                _ => league.play_each(&players, b, key, part.first_pair, &mut results, stop)?,
            }
            Ok(results.chunks(num_pairs).map(&of_part).collect::<Vec<_>>())
        })?;
        let mut num_pairs = 0;
        for (part, of_players) in parts.iter().zip(played) {
            num_pairs += part.num_pairs * part.requests.len() as u64;
            for (request, value) in part.requests.clone().zip(of_players) {
                on_part(request, part.first_pair, value);
            }
        }
        on_pairs(num_pairs);
    }
    Ok(())
}

/// The maximum size of a league for which exact scores are computed. An exact score may take seconds, so larger leagues
/// play games instead.
pub const MAX_SOLVED: usize = 24;

/// The maximum number of players in a round robin whose tables show any two players.
pub const MAX_ENTRANTS: usize = 128;

/// The meetings of a group: any two members, and each member with itself on request. They are numbered row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairings {
    /// The number of members.
    pub num_members: usize,
    /// Whether members also meet themselves.
    pub with_self: bool,
}

impl Pairings {
    /// Returns the meetings of any two of `num_members` members.
    pub fn of(num_members: usize) -> Pairings {
        Pairings { num_members, with_self: false }
    }

    /// Returns the members of each meeting, the lower index first, in order.
    pub fn all(self) -> impl Iterator<Item = (usize, usize)> {
        let first = usize::from(!self.with_self);
        let Pairings { num_members, .. } = self;
        (0..num_members).flat_map(move |a| (a + first..num_members).map(move |b| (a, b)))
    }

    /// Returns the number of meetings.
    pub fn len(self) -> usize {
        let n = self.num_members;
        if self.with_self { n * (n + 1) / 2 } else { n * n.saturating_sub(1) / 2 }
    }

    /// Returns `true` if there are no meetings.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the index of the meeting of two members, in either order.
    ///
    /// # Panics
    ///
    /// Panics if these members do not meet.
    pub fn index(self, a: usize, b: usize) -> usize {
        let Pairings { num_members: n, with_self } = self;
        assert!(a < n && b < n && (with_self || a != b), "members {a} and {b} of {n}");
        let (a, b) = (a.min(b), a.max(b));
        // The rows before `a` have n, n - 1, ... entries, or one fewer each.
        match with_self {
            true => a * (2 * n - a + 1) / 2 + (b - a),
            false => a * (2 * n - a - 1) / 2 + (b - a - 1),
        }
    }
}

/// The deals of the meetings of a round robin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Deals {
    /// All meetings play the same deals, so identical members have the same scores.
    Shared(StreamKey),
    /// Each meeting has deals of its own.
    Own(StreamKey),
}

impl Deals {
    fn key(self, meeting: usize) -> StreamKey {
        match self {
            Deals::Shared(key) => key,
            Deals::Own(key) => key.child(Label::Championship, meeting as u64),
        }
    }
}

/// The scores of the members of a league against each other.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundRobin {
    pairings: Pairings,
    /// The meetings, each from the point of view of the member with the lower index.
    meetings: Vec<Scored>,
}

impl RoundRobin {
    /// Creates a round robin in which no members have met.
    pub fn unplayed(pairings: Pairings) -> RoundRobin {
        RoundRobin { pairings, meetings: vec![Scored::default(); pairings.len()] }
    }

    /// Plays `num_pairs` pairs, but at least two, between each two of the first `num_members` members of a league. If
    /// the score of two members is known exactly, plays only one pair. All meetings share the same deals. `on_row` is
    /// called with the number of members that have met all others.
    ///
    /// # Errors
    ///
    /// Returns an error if the games were stopped from outside.
    pub fn hold(
        league: &dyn League,
        num_members: usize,
        num_pairs: u64,
        key: StreamKey,
        stop: &StopSignal,
        mut on_row: impl FnMut(usize),
    ) -> Result<RoundRobin, Stopped> {
        let (deals, num_pairs) = (Deals::Shared(key), num_pairs.max(2));
        let mut scores = RoundRobin::unplayed(Pairings::of(num_members));
        for a in 0..num_members {
            let row: Vec<_> = (a + 1..num_members).map(|b| (a, b)).collect();
            let open = scores.open(league, &row, deals, num_members, stop)?;
            let requests: Vec<_> = open.iter().map(|&(a, b)| (a, b, 1, num_pairs - 1)).collect();
            scores.play(league, &requests, deals, stop)?;
            on_row(a + 1);
        }
        Ok(scores)
    }

    /// Plays the first pair of each of these meetings `(a, b)` with `a <= b`, and returns the meetings whose score is
    /// not known exactly. A score is exact if the first pair shows that all pairs are the same. In leagues of up to
    /// [`MAX_SOLVED`] players, a score is also exact if it can be computed.
    ///
    /// # Errors
    ///
    /// Returns an error if the games were stopped from outside.
    pub fn open(
        &mut self,
        league: &dyn League,
        meetings: &[(usize, usize)],
        deals: Deals,
        num_players: usize,
        stop: &StopSignal,
    ) -> Result<Vec<(usize, usize)>, Stopped> {
        let pairings = self.pairings;
        let opened = in_parallel(meetings, stop, |&(a, b)| {
            let opening = league.open(a, b, deals.key(pairings.index(a, b)), stop)?;
            let exact = match opening.exact {
                None if num_players <= MAX_SOLVED && a != b => league.exact(a, b),
                exact => exact,
            };
            Ok(Scored { tally: [opening.seen].into_iter().collect(), exact })
        })?;
        for (&(a, b), opened) in meetings.iter().zip(opened) {
            self.meetings[pairings.index(a, b)] = opened;
        }
        let is_open = |&(a, b): &(usize, usize)| self.meeting(a, b).exact.is_none();
        Ok(meetings.iter().copied().filter(is_open).collect())
    }

    /// Plays `num_pairs` pairs, from pair `first_pair` on, for each `(a, b, first_pair, num_pairs)` with `a <= b`, adds
    /// their results, and returns the number of pairs played.
    ///
    /// # Errors
    ///
    /// Returns an error if the games were stopped from outside.
    pub fn play(
        &mut self,
        league: &dyn League,
        requests: &[(usize, usize, u64, u64)],
        deals: Deals,
        stop: &StopSignal,
    ) -> Result<u64, Stopped> {
        let duels = self.requests(requests, deals);
        let played = play_all(league, &duels, stop, |_| ())?;
        for (request, tally) in duels.iter().zip(&played) {
            self.meeting_mut(request.a, request.b).tally.merge(tally);
        }
        Ok(requests.iter().map(|request| request.3).sum())
    }

    pub(super) fn requests(&self, all: &[(usize, usize, u64, u64)], deals: Deals) -> Vec<Request> {
        let request = |&(a, b, first_pair, num_pairs): &(usize, usize, u64, u64)| {
            let key = deals.key(self.pairings.index(a, b));
            Request { a, b, key, first_pair, num_pairs }
        };
        all.iter().map(request).collect()
    }

    /// Returns the members that meet.
    pub fn pairings(&self) -> Pairings {
        self.pairings
    }

    /// Returns the number of members.
    pub fn num_members(&self) -> usize {
        self.pairings.num_members
    }

    /// Returns the meetings in order, each from the point of view of the member with the lower index.
    pub fn meetings(&self) -> &[Scored] {
        &self.meetings
    }

    /// Returns the meetings in order, for changes.
    pub fn meetings_mut(&mut self) -> &mut [Scored] {
        &mut self.meetings
    }

    /// Returns the meeting of two members, from the point of view of the member with the lower index.
    ///
    /// # Panics
    ///
    /// Panics if these members do not meet.
    pub fn meeting(&self, a: usize, b: usize) -> &Scored {
        &self.meetings[self.pairings.index(a, b)]
    }

    /// Returns the meeting of two members, for changes.
    ///
    /// # Panics
    ///
    /// Panics if these members do not meet.
    pub fn meeting_mut(&mut self, a: usize, b: usize) -> &mut Scored {
        &mut self.meetings[self.pairings.index(a, b)]
    }

    /// Returns the score of member `a` against member `b`, or exactly one half if they are the same member.
    ///
    /// # Panics
    ///
    /// Panics if `a` and `b` are different, and have not met.
    pub fn estimate(&self, a: usize, b: usize) -> Estimate {
        if a == b {
            return Estimate::computed(0.5, 0);
        }
        let known = self.meeting(a, b).estimate().expect("they met");
        if a < b { known } else { known.reversed() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::tests::{Listed, pair};

    #[test]
    fn meetings_are_numbered_row_by_row() {
        for with_self in [false, true] {
            for num_members in 0..6 {
                let pairings = Pairings { num_members, with_self };
                let all: Vec<_> = pairings.all().collect();
                assert_eq!(all.len(), pairings.len());
                for (index, &(a, b)) in all.iter().enumerate() {
                    assert_eq!([pairings.index(a, b), pairings.index(b, a)], [index; 2]);
                }
            }
        }
        let all: Vec<_> = Pairings::of(4).all().collect();
        assert_eq!(all, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        assert_eq!(Pairings { num_members: 2, with_self: true }.all().count(), 3);
    }

    #[test]
    fn pairings_know_their_size() {
        assert!(Pairings::of(1).is_empty() && !Pairings::of(2).is_empty());
        assert!(!Pairings { num_members: 1, with_self: true }.is_empty());
        let deals = StreamKey::root(1);
        assert_eq!(Deals::Shared(deals).key(3), deals);
        assert_eq!(Deals::Own(deals).key(3), deals.child(Label::Championship, 3));
    }

    fn request(a: usize, b: usize, first_pair: u64, num_pairs: u64) -> Request {
        Request { a, b, key: StreamKey::root(1), first_pair, num_pairs }
    }

    /// Consecutive requests against the same opponent on the same deals form one group. A part of a group of one has
    /// 64 pairs, of a group of three 64 / 3 = 21 pairs, and of a group of eight at least 16 pairs.
    #[test]
    fn requests_are_split_into_parts() {
        let other_deals = Request { key: StreamKey::root(2), ..request(0, 9, 0, 10) };
        let mut requests = vec![request(0, 8, 3, 150), other_deals];
        requests.extend((0..3).map(|a| request(a, 9, 0, 50)));
        requests.extend((0..8).map(|a| request(a, 9, 5, 20)));
        let parts: Vec<_> = parts(&requests, TASK_PAIRS)
            .into_iter()
            .map(|part| (part.requests, part.first_pair, part.num_pairs))
            .collect();
        let expected = [
            (0..1, 3, 64),
            (0..1, 67, 64),
            (0..1, 131, 22),
            (1..2, 0, 10),
            (2..5, 0, 21),
            (2..5, 21, 21),
            (2..5, 42, 8),
            (5..13, 5, 16),
            (5..13, 21, 4),
        ];
        assert_eq!(parts, expected);
    }

    /// Player 0 wins the even pairs and player 1 the odd pairs; player 2 draws all games.
    #[test]
    fn results_of_parts_are_counted_for_their_requests() {
        let (won, lost) = (pair(2, 2), pair(0, 0));
        let results = vec![
            (0, 3, vec![won, lost]),
            (1, 3, vec![lost, won]),
            (2, 3, vec![pair(1, 1)]),
            (0, 2, vec![won]),
        ];
        let league = Listed { results, ..Listed::default() };
        let requests =
            [request(0, 3, 0, 31), request(1, 3, 0, 31), request(2, 3, 0, 31), request(0, 2, 7, 5)];
        let mut reported = 0;
        let stop = StopSignal::default();
        let tallies = play_all(&league, &requests, &stop, |pairs| reported += pairs);
        let tallies = tallies.expect("not stopped");
        let counts: Vec<_> =
            tallies.iter().map(|tally| (tally.wins(), tally.draws(), tally.losses())).collect();
        assert_eq!(counts, [(32, 0, 30), (30, 0, 32), (0, 62, 0), (10, 0, 0)]);
        assert_eq!(reported, 98);
    }

    /// Member 0 draws with member 1 for certain, its score against member 2 can be computed, and the games of members 1
    /// and 2 are sampled: a pair is won, and two are lost.
    fn three_members() -> Listed {
        let results = vec![
            (0, 0, vec![pair(1, 1), pair(2, 0)]),
            (0, 1, vec![pair(1, 1)]),
            (0, 2, vec![pair(2, 2), pair(0, 0)]),
            (1, 2, vec![pair(2, 2), pair(0, 0), pair(0, 0)]),
        ];
        Listed { results, computed: vec![(0, 0, 0.5), (0, 2, 0.875)], ..Listed::default() }
    }

    #[test]
    fn members_play_what_is_not_known() {
        let (league, key, stop) = (three_members(), StreamKey::root(1), StopSignal::default());
        let mut rows = Vec::new();
        let held = RoundRobin::hold(&league, 3, 9, key, &stop, |row| rows.push(row));
        let held = held.expect("not stopped");
        assert_eq!((rows, held.num_members()), (vec![1, 2, 3], 3));
        assert_eq!(held.pairings(), Pairings::of(3));
        let found = [(0, 1), (0, 2), (1, 2)].map(|(a, b)| {
            let meeting = held.meeting(a, b);
            (meeting.exact, meeting.tally.num_pairs(), meeting.tally.wins())
        });
        assert_eq!(found, [(Some(0.5), 1, 0), (Some(0.875), 1, 2), (None, 9, 6)]);
        assert_eq!(held.meetings()[2], *held.meeting(2, 1));
        // The first pair opens the meeting; eight pairs follow on the same deals.
        assert_eq!(*league.played.lock().expect("no panic"), [(1, 2, key, 1, 8)]);
        let [own, of_other] = [held.estimate(1, 2), held.estimate(2, 1)];
        assert!((own.score - 1.0 / 3.0).abs() < 1e-15 && own.pairs == 9, "{own:?}");
        assert_eq!(of_other, own.reversed());
        assert_eq!(held.estimate(2, 0).score, 0.125);
        assert_eq!((held.estimate(1, 1).score, held.estimate(1, 1).pairs), (0.5, 0));
        // At least two pairs are played.
        let held = RoundRobin::hold(&league, 3, 0, key, &stop, |_| ()).expect("not stopped");
        assert_eq!(held.meeting(1, 2).tally.num_pairs(), 2);
    }

    /// Computed scores are used in leagues of up to 24 players, but not for a member against itself. Meetings with
    /// deals of their own have the key of their number.
    #[test]
    fn scores_are_computed_in_small_leagues() {
        let (league, key, stop) = (three_members(), StreamKey::root(1), StopSignal::default());
        let pairings = Pairings { num_members: 3, with_self: true };
        let meetings = [(0, 0), (0, 1), (0, 2), (1, 2)];
        for (num_players, expected) in
            [(24, vec![(0, 0), (1, 2)]), (25, vec![(0, 0), (0, 2), (1, 2)])]
        {
            let mut scores = RoundRobin::unplayed(pairings);
            let open = scores.open(&league, &meetings, Deals::Own(key), num_players, &stop);
            assert_eq!(open, Ok(expected));
            let requests = [(0, 0, 1, 3), (1, 2, 1, 2)];
            assert_eq!(scores.play(&league, &requests, Deals::Own(key), &stop), Ok(5));
            assert_eq!(scores.meeting(0, 0).tally.num_pairs(), 4);
            assert_eq!(scores.meeting(1, 2).tally.losses(), 4);
            scores.meetings_mut()[0] = Scored::default();
            assert_eq!(*scores.meeting(0, 0), Scored::default());
        }
        let mut played = league.played.lock().expect("no panic").clone();
        played.sort_by_key(|&(a, b, ..)| (a, b));
        // The meetings are (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2).
        let of = |meeting| key.child(Label::Championship, meeting);
        assert_eq!(played[1..3], [(0, 0, of(0), 1, 3), (1, 2, of(4), 1, 2)]);
    }
}
