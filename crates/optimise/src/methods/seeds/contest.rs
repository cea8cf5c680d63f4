//! The results of the individuals in the method of seeds, or of their parts for one seat.

use ruse_play::score::CONFIDENCE;
use serde::{Deserialize, Serialize, Serializer};

use crate::methods::selection::PartResult;

/// The results of an individual so far: its quarter points, and its number of observations (pairs, or games in one
/// seat).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Record(#[serde(serialize_with = "whole_if_it_is")] f64, u64);

/// Serialises quarter points as an integer, unless payoffs are graded.
fn whole_if_it_is<S: Serializer>(points: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match points.fract() == 0.0 {
        true => serializer.serialize_u64(*points as u64),
        false => serializer.serialize_f64(*points),
    }
}

impl Record {
    fn score(self) -> f64 {
        let Record(quarter_points, num) = self;
        quarter_points / (4 * num.max(1)) as f64
    }
}

/// The results by which the best individual, or the best part for one seat, is chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Contest {
    records: Vec<Record>,
    /// The individual whose part is in the incumbent.
    pub(super) best: usize,
}

impl Contest {
    pub(super) fn num_individuals(&self) -> usize {
        self.records.len()
    }

    /// Changes the number of individuals. Newcomers have no results; results of individuals beyond this number are
    /// dropped.
    pub(super) fn resize(&mut self, num_individuals: usize) {
        self.records.resize(num_individuals, Record::default());
    }

    pub(super) fn credit(&mut self, index: usize, result: PartResult) {
        let Record(sum, num) = &mut self.records[index];
        (*sum, *num) = (*sum + result.quarter_points, *num + result.num);
    }

    /// Returns the individuals of `alive` in order of score, best first; equal scores are ordered by index.
    pub(super) fn ranked(&self, alive: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut ranked: Vec<usize> = alive.into_iter().collect();
        ranked.sort_by(|&a, &b| self.score(b).total_cmp(&self.score(a)).then(a.cmp(&b)));
        ranked
    }

    /// Returns the mean score of an individual, in [0, 1].
    pub(super) fn score(&self, index: usize) -> f64 {
        self.records[index].score()
    }

    pub(super) fn num_observations(&self, index: usize) -> u64 {
        self.records[index].1
    }

    /// Returns bounds on the expected score of an individual. With probability .95 the bounds hold simultaneously for
    /// all individuals of `num_contests` contests, however individuals are chosen, and however many games each has
    /// played. The bounds use Hoeffding's inequality. The error probability is divided equally among all individuals of
    /// all contests, and each share is divided among the numbers n of observations in proportion to 1 / (n (n + 1)).
    pub(super) fn interval(&self, index: usize, num_contests: usize) -> [f64; 2] {
        let Record(_, num) = self.records[index];
        if num == 0 {
            return [0.0, 1.0];
        }
        let (n, shares) = (num as f64, (num_contests * self.records.len()) as f64);
        let error = (1.0 - CONFIDENCE) / (shares * n * (n + 1.0));
        let half_width = (libm::log(2.0 / error) / (2.0 * n)).sqrt();
        let score = self.score(index);
        [(score - half_width).max(0.0), (score + half_width).min(1.0)]
    }
}
