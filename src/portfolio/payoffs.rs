//! What the members of a pool score against each other.
//!
//! How much is played: every two members begin with a few pairs; if neither chance nor a player drew a number,
//! one pair is all there is to know. The rest of the pairs goes where it matters to the equilibrium. After
//! each round the equilibrium x of the estimates is computed. What is said of member i against it has the
//! variance sum_j x_j^2 s_ij^2 / n_ij, and is looked at for members in the support and those who might belong
//! there, because within two standard errors they do as well. The next pair goes to the meeting in which it
//! makes the largest difference to the sum of these variances (Neyman's allocation, one pair at a time).
//!
//! Ours; the paper plays all meetings equally often. Time: the pairs, and an equilibrium per round. Space: nine
//! counts for every two members.

use crate::arena::{League, StopSignal, Stopped};
use crate::matrix::{MatrixError, PayoffMatrix};
use crate::rng::{Label, StreamKey};
use crate::score::{Request, Scored, open_all, play_all};

/// The variance of a pair: estimated as if one more had been 0 and one more 1, since a few pairs that are
/// alike do not prove that all are.
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
        let terms = values.iter().map(|&(value, n)| n as f64 * libm::pow(value, power));
        terms.sum::<f64>() / n
    };
    moment(2.0) - moment(1.0) * moment(1.0)
}

/// How much is played to estimate the payoffs of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Pairs for every two members, on average.
    pub pairs_per_meeting: u64,
    /// Rounds after the first, in which pairs go where they matter; 0 plays all meetings equally often.
    pub num_rounds: u32,
    /// Whether members meet themselves, too: that says what the first seat is worth.
    pub with_self: bool,
}

/// What the members of a pool score against each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Payoffs {
    num_members: usize,
    /// Of members `i <= j`, row by row.
    meetings: Vec<Scored>,
}

/// The largest pool: its matrix is solved in seconds.
pub const MAX_MEMBERS: usize = 1000;

/// The share of the pairs that is played before anything is known.
const FIRST_SHARE: f64 = 0.25;

impl Payoffs {
    /// The payoffs that are known from these meetings of members `(i, j, meeting)`, each for side i.
    ///
    /// # Errors
    ///
    /// When two members have not met.
    pub fn new(
        num_members: usize,
        meetings: impl IntoIterator<Item = (usize, usize, Scored)>,
    ) -> Result<Payoffs, PayoffError> {
        let mut payoffs = Payoffs::unplayed(num_members);
        for (i, j, meeting) in meetings {
            let index = payoffs.index(i, j);
            payoffs.meetings[index].exact = meeting.exact;
            payoffs.meetings[index].tally.merge(&meeting.tally);
        }
        payoffs.matrix().map(|_| payoffs)
    }

    /// Plays the members of a league against each other; `on_pairs` learns now and then how many pairs were
    /// played.
    ///
    /// # Errors
    ///
    /// When it was stopped from outside, or the pool has too few or too many members.
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
        // The pairs of a meeting that is known exactly are not given to others: the effort is for what is not known.
        let pairs_left = open.len() as u64 * (effort.pairs_per_meeting.max(1) - 1);
        let share = if effort.num_rounds == 0 { 1.0 } else { FIRST_SHARE };
        let first_pairs = ((effort.pairs_per_meeting as f64 * share).ceil() as u64).max(1) - 1;
        let mut requests: Vec<_> = open.iter().map(|&(i, j)| (i, j, first_pairs)).collect();
        let adaptive = pairs_left - first_pairs * open.len() as u64;
        for round in 0..=u64::from(effort.num_rounds) {
            num_played += payoffs.play(league, &requests, key, stop)?;
            on_pairs(num_played);
            let rounds = u64::from(effort.num_rounds);
            if round < rounds {
                let budget = adaptive * (round + 1) / rounds - adaptive * round / rounds;
                requests = payoffs.allocate(&open, budget)?;
            }
        }
        Ok(payoffs)
    }

    /// The payoffs after one pair of every two members, which may be all there is, and the members `i <= j` of the
    /// meetings that are not known by it. Where members meet themselves, scores of pairs that can be computed are
    /// not asked for: they do not say what is scored in either seat.
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
        let pairs: Vec<(usize, usize)> = (0..num_members)
            .flat_map(|i| (i..num_members).map(move |j| (i, j)))
            .filter(|(i, j)| with_self || i != j)
            .collect();
        let duels: Vec<_> = pairs.iter().map(|&(i, j)| (i, j, payoffs.key_of(i, j, key))).collect();
        let num_players = if with_self { usize::MAX } else { num_members };
        let opened = open_all(league, num_players, &duels, stop)?;
        for (&(i, j), opened) in pairs.iter().zip(opened) {
            let index = payoffs.index(i, j);
            payoffs.meetings[index] = opened;
        }
        let open =
            pairs.into_iter().filter(|&(i, j)| payoffs.meeting(i, j).exact.is_none()).collect();
        Ok((payoffs, open))
    }

    /// No two members have met.
    fn unplayed(num_members: usize) -> Payoffs {
        let size = num_members * (num_members + 1) / 2;
        Payoffs { num_members, meetings: vec![Scored::default(); size] }
    }

    /// The same members with what is known exactly, and nothing else.
    pub(super) fn known(&self) -> Payoffs {
        let known = |meeting: &Scored| match meeting.exact {
            Some(_) => meeting.clone(),
            None => Scored::default(),
        };
        Payoffs {
            num_members: self.num_members,
            meetings: self.meetings.iter().map(known).collect(),
        }
    }

    /// Adds the pairs of other payoffs of the same members, where nothing is known exactly.
    pub(super) fn merge(&mut self, other: &Payoffs) {
        for (meeting, other) in self.meetings.iter_mut().zip(&other.meetings) {
            if meeting.exact.is_none() {
                meeting.tally.merge(&other.tally);
            }
        }
    }

    /// The stream of a meeting.
    fn key_of(&self, i: usize, j: usize, key: StreamKey) -> StreamKey {
        key.child(Label::Championship, self.index(i, j) as u64)
    }

    /// Plays so many further pairs of each two members.
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

    /// Plays pairs of each two members `(i, j, first_pair, num_pairs)`, `i <= j`; the number of pairs played.
    pub(super) fn play_from(
        &mut self,
        league: &dyn League,
        requests: &[(usize, usize, u64, u64)],
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<u64, Stopped> {
        let duels: Vec<_> = requests
            .iter()
            .map(|&(a, b, first_pair, num_pairs)| {
                let key = self.key_of(a, b, key);
                Request { a, b, key, first_pair, num_pairs }
            })
            .collect();
        let played = play_all(league, &duels, stop, |_| ())?;
        for (&(i, j, ..), tally) in requests.iter().zip(&played) {
            let index = self.index(i, j);
            self.meetings[index].tally.merge(tally);
        }
        Ok(requests.iter().map(|request| request.3).sum())
    }

    /// The meetings that should play the next `budget` pairs.
    fn allocate(
        &self,
        open: &[(usize, usize)],
        budget: u64,
    ) -> Result<Vec<(usize, usize, u64)>, PayoffError> {
        let matrix = self.matrix()?;
        let Ok(equilibrium) = matrix.solve() else {
            // Without an equilibrium all matter alike.
            let each = budget / (open.len() as u64).max(1);
            return Ok(open.iter().map(|&(i, j)| (i, j, each)).collect());
        };
        let x = &equilibrium.row_mixture;
        let scores = matrix.of_rows(x);
        let matters: Vec<bool> = (0..self.num_members)
            .map(|i| {
                let terms = (0..self.num_members).filter(|j| *j != i).map(|j| {
                    let meeting = self.meeting(i, j);
                    x[j] * x[j] * variance(meeting) / meeting.tally.num_pairs().max(1) as f64
                });
                let standard_error = terms.sum::<f64>().sqrt();
                x[i] > 0.0 || scores[i] + 2.0 * standard_error >= equilibrium.value()
            })
            .collect();
        // What a meeting contributes to the variances, times its number of pairs.
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

    /// The number of members.
    pub fn num_members(&self) -> usize {
        self.num_members
    }

    /// The number of pairs played in all.
    pub fn num_pairs(&self) -> u64 {
        self.meetings.iter().map(|meeting| meeting.tally.num_pairs()).sum()
    }

    /// How members `i` and `j` met, for the one of the lower index.
    ///
    /// # Panics
    ///
    /// When there is no such member.
    pub fn meeting(&self, i: usize, j: usize) -> &Scored {
        &self.meetings[self.index(i, j)]
    }

    /// The bounds of the score of `i` against `j` at the level of confidence, each for itself.
    pub fn interval(&self, i: usize, j: usize) -> [f64; 2] {
        let [low, high] = self.meeting(i, j).interval();
        match i.cmp(&j) {
            std::cmp::Ordering::Less => [low, high],
            std::cmp::Ordering::Equal => [0.5, 0.5],
            std::cmp::Ordering::Greater => [1.0 - high, 1.0 - low],
        }
    }

    fn index(&self, i: usize, j: usize) -> usize {
        assert!(i < self.num_members && j < self.num_members, "there is such a member");
        let (i, j) = (i.min(j), i.max(j));
        i * (2 * self.num_members - i + 1) / 2 + (j - i)
    }

    /// The scores of pairs, in which both sit in both seats: `matrix[i][j]` is what i scores against j. The
    /// game is symmetric and its value one half.
    ///
    /// # Errors
    ///
    /// When two members have not met.
    pub fn matrix(&self) -> Result<PayoffMatrix, PayoffError> {
        self.matrix_of(|meeting| meeting.score())
    }

    /// The same from scores that `score` gives for the meetings, each for the member of the lower index.
    ///
    /// # Errors
    ///
    /// When two members have no score.
    pub(super) fn matrix_of(
        &self,
        mut score: impl FnMut(&Scored) -> Option<f64>,
    ) -> Result<PayoffMatrix, PayoffError> {
        let n = self.num_members;
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

    /// The scores of games: `matrix[i][j]` is what i scores in the first seat against j in the second.
    ///
    /// # Errors
    ///
    /// When two members have not met, or one has not met itself.
    pub fn matrix_by_seat(&self) -> Result<PayoffMatrix, PayoffError> {
        self.matrix_by_seat_of(self.num_members, |meeting| meeting.tally.score_by_seat())
    }

    /// The same of the first `n` members, from scores in either seat that `scores` gives for the meetings, each
    /// for the member of the lower index.
    ///
    /// # Errors
    ///
    /// When two members have no scores.
    pub(crate) fn matrix_by_seat_of(
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

/// Shares `budget` pairs so that the sum of importance / pairs is the least, given the pairs there are:
/// candidates are `(.., importance, pairs)`. The numbers of pairs to add.
///
/// At the optimum all that get something have the same importance / pairs^2, at least that of those who
/// get nothing: pairs = max(pairs so far, sqrt(importance) * level), with the level found by bisection.
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
    let (mut low, mut high) = (0.0, (most + budget as f64) / least);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if wanted(middle).sum::<f64>() > budget as f64 { high = middle } else { low = middle }
    }
    // Rounded down, with what is left over carried to the next.
    let mut carried = 0.0;
    wanted(low)
        .map(|pairs| {
            carried += pairs;
            let whole = (carried + 1e-6).floor();
            carried -= whole;
            whole as u64
        })
        .collect()
}

/// Why there are no payoffs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PayoffError {
    /// Two members have not met.
    #[error("the payoff of member {i} against member {j} is missing; let them play a pair")]
    Missing {
        /// A member, from 0.
        i: usize,
        /// The other.
        j: usize,
    },
    /// No member to choose from, or too many.
    #[error("a portfolio is chosen from 2 to {MAX_MEMBERS} different members, {found} found")]
    NumMembers {
        /// The number of members.
        found: usize,
    },
    /// The scores are not those of a game.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// It was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

#[cfg(test)]
pub(super) mod tests;
