//! The payoff matrix of the members of a pool.
//!
//! Allocation of games: any two members begin with a few pairs; if neither chance nor a player drew a random number,
//! one pair determines the payoff. The remaining pairs go to the meetings that matter to the equilibrium. Each round
//! computes the equilibrium x of the estimates. The estimated score of member i against x has the variance sum_j x_j^2
//! s_ij^2 / n_ij, where s_ij^2 is the variance of a pair between members i and j, and n_ij the number of these pairs.
//! The variances of these scores matter for members in the support, and for members that might belong there because
//! their score is within two standard errors of the value. The next pair goes to the meeting in which it reduces the
//! sum of these variances most (Neyman's allocation, one pair at a time).
//!
//! This allocation is ours; the paper plays all meetings equally often. Time: the pairs, and one equilibrium per round.
//! Space: nine counts for any two members.

use ruse_base::bisection::bisect;
use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_play::arena::League;
use ruse_play::score::{Deals, Pairings, RoundRobin, Scored};
use ruse_search::matrix::{MatrixError, PayoffMatrix};

/// Returns the estimated variance of a pair. An additional pair worth 0 and another worth 1 are counted, because a few
/// equal pairs do not prove that all pairs are equal.
pub(super) fn variance(meeting: &Scored) -> f64 {
    if meeting.exact.is_some() {
        return 0.0;
    }
    let mut values = meeting.tally.values();
    for (value, count) in &mut values {
        *count += u64::from(*value == 0.0 || *value == 1.0);
    }
    let n = values.iter().map(|(_, count)| count).sum::<u64>() as f64;
    let moment = |power: f64| -> f64 {
        values.iter().map(|&(value, n)| n as f64 * libm::pow(value, power)).sum::<f64>() / n
    };
    moment(2.0) - moment(1.0) * moment(1.0)
}

/// The number and the allocation of the games from which the payoffs of a pool are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// The average number of pairs between two members.
    pub pairs_per_meeting: u64,
    /// The number of rounds after the first, in which pairs go to the meetings that matter to the equilibrium. With 0,
    /// all meetings are played equally often.
    pub num_rounds: u32,
    /// Whether members also meet themselves, which measures the value of the first seat.
    pub with_self: bool,
}

/// The scores of the members of a pool against each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Payoffs {
    /// The meetings of members `i <= j`. The meeting of a member with itself is empty if it was not played.
    scores: RoundRobin,
}

/// The maximum number of members for which the matrix can be solved in seconds.
pub const MAX_MEMBERS: usize = 1000;

/// The share of the pairs that is played before the first equilibrium.
const FIRST_SHARE: f64 = 0.25;

impl Payoffs {
    /// Creates the payoffs from meetings `(i, j, meeting)` between members; each meeting is scored from the point of
    /// view of member i.
    ///
    /// # Errors
    ///
    /// Returns an error if two members have not met.
    pub fn new(
        num_members: usize,
        meetings: impl IntoIterator<Item = (usize, usize, Scored)>,
    ) -> Result<Payoffs, PayoffError> {
        let mut payoffs = Payoffs::unplayed(num_members);
        for (i, j, meeting) in meetings {
            let sum = payoffs.scores.meeting_mut(i, j);
            sum.exact = meeting.exact;
            sum.tally.merge(&meeting.tally);
        }
        payoffs.matrix().map(|_| payoffs)
    }

    /// Plays the members of a league against each other. `on_pairs` is called from time to time with the number of
    /// pairs played. If the games are stopped from outside, the payoffs so far are returned.
    ///
    /// # Errors
    ///
    /// Returns an error if the games were stopped from outside before all had met, or the pool has too few or too many
    /// members.
    pub fn estimate(
        league: &dyn League,
        num_members: usize,
        effort: Effort,
        key: StreamKey,
        stop: &StopSignal,
        mut on_pairs: impl FnMut(u64),
    ) -> Result<Payoffs, PayoffError> {
        let (mut payoffs, open) =
            Payoffs::opened(league, num_members, effort.with_self, key, stop)?;
        let mut num_played = payoffs.num_pairs();
        on_pairs(num_played);
        // Meetings that are known exactly do not need their pairs, but these pairs are not given to other meetings: the
        // effort is a number of pairs for each meeting that is not known exactly.
        let pairs_left = open.len() as u64 * (effort.pairs_per_meeting.max(1) - 1);
        let share = if effort.num_rounds == 0 { 1.0 } else { FIRST_SHARE };
        let first_pairs = ((effort.pairs_per_meeting as f64 * share).ceil() as u64).max(1) - 1;
        let adaptive = pairs_left - first_pairs * open.len() as u64;
        // A part that a stop request interrupts is lost, so the first parts are small.
        let mut num_done = 0;
        while num_done < first_pairs {
            let num_pairs = num_done.max(1).min(first_pairs - num_done);
            let requests: Vec<_> = open.iter().map(|&(i, j)| (i, j, num_pairs)).collect();
            let Ok(played) = payoffs.play(league, &requests, key, stop) else { return Ok(payoffs) };
            num_done += num_pairs;
            num_played += played;
            on_pairs(num_played);
        }
        let rounds = u64::from(effort.num_rounds);
        for round in 0..rounds {
            let budget = adaptive * (round + 1) / rounds - adaptive * round / rounds;
            let requests = payoffs.allocate(&open, budget)?;
            let Ok(played) = payoffs.play(league, &requests, key, stop) else { return Ok(payoffs) };
            num_played += played;
            on_pairs(num_played);
        }
        Ok(payoffs)
    }

    /// Plays one pair between any two members. Returns the payoffs, and the members `i <= j` of each meeting whose
    /// score this pair does not determine. If `with_self` is set, computed scores of pairs are not used, because they
    /// do not contain the scores by seat.
    pub(super) fn opened(
        league: &dyn League,
        num_members: usize,
        with_self: bool,
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<(Payoffs, Vec<(usize, usize)>), PayoffError> {
        if !(2..=MAX_MEMBERS).contains(&num_members) {
            return Err(PayoffError::NumMembers { found: num_members });
        }
        let mut payoffs = Payoffs::unplayed(num_members);
        let pairs: Vec<_> = Pairings { num_members, with_self }.all().collect();
        let num_players = if with_self { usize::MAX } else { num_members };
        let open = payoffs.scores.open(league, &pairs, Deals::Own(key), num_players, stop)?;
        Ok((payoffs, open))
    }

    /// Creates payoffs in which no two members have met.
    fn unplayed(num_members: usize) -> Payoffs {
        Payoffs { scores: RoundRobin::unplayed(Pairings { num_members, with_self: true }) }
    }

    /// Returns payoffs of the same members that contain only the exactly known meetings.
    pub(super) fn known(&self) -> Payoffs {
        let mut known = self.clone();
        for meeting in known.scores.meetings_mut() {
            if meeting.exact.is_none() {
                *meeting = Scored::default();
            }
        }
        known
    }

    /// Adds the pairs of `other`, which has the same members. Exactly known meetings stay unchanged.
    pub(super) fn merge(&mut self, other: &Payoffs) {
        for (meeting, other) in self.scores.meetings_mut().iter_mut().zip(other.scores.meetings()) {
            if meeting.exact.is_none() {
                meeting.tally.merge(&other.tally);
            }
        }
    }

    /// Plays `num_pairs` further pairs for each `(i, j, num_pairs)`, and returns the number of pairs played.
    fn play(
        &mut self,
        league: &dyn League,
        requests: &[(usize, usize, u64)],
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<u64, Stopped> {
        let next = |&(i, j, num_pairs): &(usize, usize, u64)| {
            (i, j, self.meeting(i, j).tally.num_pairs(), num_pairs)
        };
        let requests: Vec<_> = requests.iter().map(next).collect();
        self.play_from(league, &requests, key, stop)
    }

    /// Plays `num_pairs` pairs of members, from pair `first_pair` on, for each `(i, j, first_pair, num_pairs)` with
    /// `i <= j`, and returns the number of pairs played.
    pub(super) fn play_from(
        &mut self,
        league: &dyn League,
        requests: &[(usize, usize, u64, u64)],
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<u64, Stopped> {
        self.scores.play(league, requests, Deals::Own(key), stop)
    }

    /// Returns the meetings that should play the next `budget` pairs, each with its number of pairs.
    fn allocate(
        &self,
        open: &[(usize, usize)],
        budget: u64,
    ) -> Result<Vec<(usize, usize, u64)>, PayoffError> {
        let matrix = self.matrix()?;
        let Ok(equilibrium) = matrix.solve() else {
            // Without an equilibrium, all meetings are equally important.
            let each = budget / (open.len() as u64).max(1);
            return Ok(open.iter().map(|&(i, j)| (i, j, each)).collect());
        };
        let x = &equilibrium.row_mixture;
        let scores = matrix.of_rows(x);
        let matters: Vec<bool> = (0..self.num_members())
            .map(|i| {
                let terms = (0..self.num_members()).filter(|j| *j != i).map(|j| {
                    let meeting = self.meeting(i, j);
                    x[j] * x[j] * variance(meeting) / meeting.tally.num_pairs().max(1) as f64
                });
                let standard_error = terms.sum::<f64>().sqrt();
                x[i] > 0.0 || scores[i] + 2.0 * standard_error >= equilibrium.value()
            })
            .collect();
        // The contribution of a meeting to the variances, multiplied by its number of pairs.
        let candidates: Vec<_> = open
            .iter()
            .filter(|(i, j)| i != j)
            .map(|&(i, j)| {
                let weight = |i: usize, j: usize| if matters[i] { x[j] * x[j] } else { 0.0 };
                let meeting = self.meeting(i, j);
                let importance = (weight(i, j) + weight(j, i)) * variance(meeting);
                (i, j, importance, meeting.tally.num_pairs() as f64)
            })
            .filter(|candidate| candidate.2 > 0.0)
            .collect();
        let pairs = neyman(&candidates, budget);
        Ok(candidates.iter().zip(pairs).map(|(&(i, j, ..), pairs)| (i, j, pairs)).collect())
    }

    /// Returns the number of members.
    pub fn num_members(&self) -> usize {
        self.scores.num_members()
    }

    /// Returns the total number of pairs played.
    pub fn num_pairs(&self) -> u64 {
        self.scores.meetings().iter().map(|meeting| meeting.tally.num_pairs()).sum()
    }

    /// Returns the meeting of members `i` and `j`, from the point of view of the member with the lower index.
    ///
    /// # Panics
    ///
    /// Panics if a member does not exist.
    pub fn meeting(&self, i: usize, j: usize) -> &Scored {
        self.scores.meeting(i, j)
    }

    /// Returns the confidence interval of the score of `i` against `j`, without a correction for the number of scores.
    pub fn interval(&self, i: usize, j: usize) -> [f64; 2] {
        let [low, high] = self.meeting(i, j).interval();
        match i.cmp(&j) {
            std::cmp::Ordering::Less => [low, high],
            std::cmp::Ordering::Equal => [0.5, 0.5],
            std::cmp::Ordering::Greater => [1.0 - high, 1.0 - low],
        }
    }

    /// Returns the scores of pairs, in which each member plays once in each seat: `matrix[i][j]` is the score of i
    /// against j. The game is symmetric and its value is one half.
    ///
    /// # Errors
    ///
    /// Returns an error if two members have not met.
    pub fn matrix(&self) -> Result<PayoffMatrix, PayoffError> {
        self.matrix_of(|meeting| meeting.score())
    }

    /// Like `matrix`, but with the scores that `score` returns for the meetings, from the point of view of the member
    /// with the lower index.
    ///
    /// # Errors
    ///
    /// Returns an error if `score` returns no score for a meeting.
    pub(super) fn matrix_of(
        &self,
        mut score: impl FnMut(&Scored) -> Option<f64>,
    ) -> Result<PayoffMatrix, PayoffError> {
        let n = self.num_members();
        let mut cells = vec![0.5; n * n];
        for i in 0..n {
            for j in i + 1..n {
                let known = score(self.meeting(i, j)).ok_or(PayoffError::Missing { i, j })?;
                cells[i * n + j] = known;
                cells[j * n + i] = 1.0 - known;
            }
        }
        Ok(PayoffMatrix::from_fn(n, n, |i, j| cells[i * n + j])?)
    }

    /// Returns the scores of single games: `matrix[i][j]` is the score of i in the first seat against j in the second.
    ///
    /// # Errors
    ///
    /// Returns an error if two members have not met, or a member has not met itself.
    pub fn matrix_by_seat(&self) -> Result<PayoffMatrix, PayoffError> {
        self.matrix_by_seat_of(self.num_members(), |meeting| meeting.tally.score_by_seat())
    }

    /// Like `matrix_by_seat`, for the first `n` members only. `scores` returns the scores by seat of a meeting, from
    /// the point of view of the member with the lower index.
    ///
    /// # Errors
    ///
    /// Returns an error if `scores` returns no scores for a meeting.
    pub fn matrix_by_seat_of(
        &self,
        n: usize,
        mut scores: impl FnMut(&Scored) -> Option<[f64; 2]>,
    ) -> Result<PayoffMatrix, PayoffError> {
        let mut cells = vec![0.0; n * n];
        for i in 0..n {
            for j in i..n {
                let known = scores(self.meeting(i, j));
                let [first, second] = known.ok_or(PayoffError::Missing { i, j })?;
                cells[j * n + i] = 1.0 - second;
                cells[i * n + j] = first;
            }
        }
        Ok(PayoffMatrix::from_fn(n, n, |i, j| cells[i * n + j])?)
    }
}

/// Shares `budget` pairs among the candidates so that the sum of importance / pairs is minimal. A candidate is
/// `(.., importance, pairs)`, where `pairs` is its present number of pairs. Returns the number of pairs to add to each
/// candidate.
///
/// At the optimum, all candidates that get pairs have the same importance / pairs^2, and no other candidate has a
/// larger quotient: pairs = max(present pairs, sqrt(importance) * level), with the level found by bisection.
pub(super) fn neyman(candidates: &[(usize, usize, f64, f64)], budget: u64) -> Vec<u64> {
    let wanted = |level: f64| {
        candidates
            .iter()
            .map(move |&(.., importance, pairs)| (importance.sqrt() * level - pairs).max(0.0))
    };
    let least = candidates.iter().map(|c| c.2.sqrt()).fold(f64::INFINITY, f64::min);
    let most = candidates.iter().map(|c| c.3).fold(0.0, f64::max);
    if candidates.is_empty() {
        return Vec::new();
    }
    let ends = [0.0, (most + budget as f64) / least];
    let [level, _] = bisect(ends, 100, |level| wanted(level).sum::<f64>() <= budget as f64);
    // Each number is rounded down, and the remainder is carried over to the next.
    let mut carried = 0.0;
    wanted(level)
        .map(|pairs| {
            carried += pairs;
            let whole = (carried + 1e-6).floor();
            carried -= whole;
            whole as u64
        })
        .collect()
}

/// The reason why payoffs could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
pub enum PayoffError {
    /// Two members have not met.
    #[error("the payoff of member {i} against member {j} is missing; let them play a pair")]
    Missing {
        /// The index of a member, from 0.
        i: usize,
        /// The index of the other member.
        j: usize,
    },
    /// There are fewer than two members, or too many.
    #[error("a portfolio is chosen from 2 to {MAX_MEMBERS} different members, {found} found")]
    NumMembers {
        /// The number of members.
        found: usize,
    },
    /// The scores are not a valid payoff matrix.
    Matrix(#[from] MatrixError),
    /// The computation was stopped from outside.
    Stopped(#[from] Stopped),
}

#[cfg(test)]
pub(super) mod tests;
