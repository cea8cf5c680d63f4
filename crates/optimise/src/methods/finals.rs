//! Finals, the phase after a search: the champion is the best of a few strategies by fresh games.
//!
//! A search that learns from noise may end below its start, and its incumbent is not always the best strategy that it
//! has met. The incumbent and the [`finalists`](super::Method::finalists) of the method play the baseline in a contest by
//! sequential halving (`halving.rs`), by seat if parameters belong to seats. The best of them then plays the baseline on
//! the same deals as the start of the run.
//!
//! The start is the champion only if it leads clearly: by more than the half-widths of the two 95% intervals, added like
//! errors. A search may have seen many small effects that the
//! games of the finals are too few to see again, so a lead of the start within chance says nothing against the search.
//!
//! The finals choose; they prove nothing. Whether the champion is better than the start is measured afterwards, in
//! other games.

use ruse_base::stop::{Result, StopReason, Stopped};
use ruse_play::score::Tally;
use serde::{Deserialize, Serialize};

use super::halving::{Halving, Pool};
use super::method::{Against, Iteration, Joined, Lesson, Oracle, Step, play_against};
use super::selection::Selection;

/// The end of the phase before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ended {
    /// The champion so far: `[dimension]`.
    pub(super) champion: Vec<f64>,
    /// The number of games after which this phase ends, counted from the start of the run.
    pub(super) last_game: u64,
    /// The number of strategies that had joined the population when this phase began, including the start.
    pub(super) num_joined: usize,
    /// The reason why the search ended.
    pub(super) search_end: StopReason,
}

/// Returns the vectors without repetition, in the order of their first occurrences.
pub(super) fn distinct<T: PartialEq>(vectors: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for vector in vectors {
        if !found.contains(&vector) {
            found.push(vector);
        }
    }
    found
}

/// The finals get 1 / `FINALS_PART` of the games of a run.
const FINALS_PART: u64 = 12;
/// The contest gets 1 / `CONTEST_PART` of the games of the finals.
const CONTEST_PART: u64 = 2;
/// The maximum number of pairs of the start. The number is limited because an iteration is lost if the run stops during the
/// iteration.
const MAX_PAIRS: u64 = 1 << 16;

/// The state of the finals between two iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Finals {
    pub(super) ended: Ended,
    start: Vec<f64>,
    /// The results of the search, without repetition.
    finalists: Vec<Vec<f64>>,
    /// The contest of the finalists; `None` before its first games.
    contest: Option<Halving>,
    is_over: bool,
}

/// Returns the number of games of a budget that are reserved for the finals.
pub(super) fn reserve(games: u64) -> u64 {
    games / FINALS_PART
}

/// Returns the number of games of the finals after a search of `searched` games. It is less than the number of `reserved`
/// games if the search ended early.
pub(super) fn games(reserved: u64, searched: u64) -> u64 {
    reserved.min(searched.div_ceil(FINALS_PART - 1))
}

impl Finals {
    /// Begins the finals of these results of the search, which may repeat each other.
    pub(super) fn new(
        ended: Ended,
        start: Vec<f64>,
        results: impl IntoIterator<Item = Vec<f64>>,
    ) -> Finals {
        Finals { ended, start, finalists: distinct(results), contest: None, is_over: false }
    }

    /// Returns `true` if the state fits strategies of this dimension.
    pub(super) fn is_sound(&self, dimension: usize) -> bool {
        let num = self.finalists.len() as u64;
        self.finalists.iter().chain([&self.start]).all(|finalist| finalist.len() == dimension)
            && self.contest.as_ref().is_none_or(|contest| contest.is_sound(num))
    }

    /// Plays a round of the contest, or the games of its winner and the start.
    ///
    /// # Errors
    ///
    /// Returns an error if the finals are over, if the games do not suffice, or if the run must end.
    pub(super) fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let parts = Selection::BySeat.parts(oracle, self.start.len());
        let num = self.finalists.len() as u64;
        let mut contest = match &self.contest {
            Some(contest) => contest.clone(),
            None => Halving::new(num, 1, parts.num(), oracle.games_left() / CONTEST_PART),
        };
        if contest.is_over() {
            return self.try_start(oracle);
        }
        let pool = Pool::Given(&self.finalists);
        let tally = contest.play(oracle, &parts, pool)?;
        let best = contest.joined(0, oracle, &parts, pool);
        let is_new = contest.is_over() && best != self.ended.champion;
        self.contest = Some(contest);
        Ok(self.chosen(best, is_new, &tally))
    }

    /// Plays the games of the champion and of the start. They take the rest of the games.
    fn try_start(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration> {
        if self.is_over || self.start == self.ended.champion {
            return Err(Stopped(StopReason::Finished));
        }
        oracle.need(4)?;
        let num_pairs = (oracle.games_left() / 4).min(MAX_PAIRS);
        let (baseline, both) =
            (oracle.baseline(), [self.start.clone(), self.ended.champion.clone()]);
        let tallies = play_against(oracle, baseline, both, num_pairs)?;
        let estimate = |index: usize| tallies[index].estimate().expect("pairs were played");
        let (of_start, of_champion) = (estimate(0), estimate(1));
        self.is_over = true;
        // Common deals make the error of the difference smaller, not larger.
        let [below, above] =
            [of_start.score - of_start.interval[0], of_champion.interval[1] - of_champion.score];
        let is_better = of_start.score - of_champion.score > libm::hypot(below, above);
        Ok(self.chosen(self.start.clone(), is_better, &tallies[1]))
    }

    /// Returns the iteration that makes `best` the champion if `is_new` is true; `tally` has the results of the champion so far.
    fn chosen(&mut self, best: Vec<f64>, is_new: bool, tally: &Tally) -> Iteration {
        let joined = is_new.then(|| {
            self.ended.champion.clone_from(&best);
            Joined { parameters: best, against: Against::Baseline }
        });
        Iteration { step: Step::learned(Lesson::Finals, tally), joined }
    }
}

#[cfg(test)]
mod tests;
