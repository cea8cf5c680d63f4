//! The records from which tables are made.

use std::collections::HashSet;

use ruse_base::stop::StopReason;
use ruse_play::score::{CONFIDENCE, Estimate};
use serde::{Deserialize, Serialize};

use super::measurement::{Measurement, MeasurementKind};

/// The results of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The family.
    pub family: String,
    /// The method.
    pub method: String,
    /// The seed.
    pub seed: u64,
    /// The number of games in comparisons.
    pub games: u64,
    /// The number of iterations.
    pub iterations: u64,
    /// The score of the champion against the scoring opponent: the baseline, unless [`opponents`](RunRecord::opponents)
    /// are given.
    pub score: Estimate,
    /// The training opponent and the scoring opponent, if they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponents: Option<Opponents>,
    /// True if the champion is the random start of the run: the run found nothing better.
    #[serde(default)]
    pub is_random_start: bool,
    /// True if the champion is the start of the run, random or not.
    #[serde(default)]
    pub is_start: bool,
    /// The budget of games of the run; `None` if unlimited.
    pub budget: Option<u64>,
    /// The reason why the run ended, if it is known.
    pub stop_reason: Option<StopReason>,
}

/// The training opponent and the scoring opponent of a run, if they differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opponents {
    /// The name of the training opponent, the baseline.
    pub trained_against: String,
    /// The name of the scoring opponent.
    pub scored_against: String,
    /// The score of the champion against the baseline.
    pub score_against_baseline: Estimate,
}

/// The learning curve of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveRecord {
    /// The family.
    pub family: String,
    /// The method.
    pub method: String,
    /// The seed.
    pub seed: u64,
    /// The points of the curve, by increasing number of games. Each point is the number of games in comparisons up to a
    /// new incumbent, and the incumbent's score against the baseline.
    pub points: Vec<(u64, f64)>,
    /// The number of games at the end of the run.
    pub games: u64,
}

/// All records for tables. Some may be missing, because runs are not finished or meetings were not played.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Records {
    /// The families, in the order of rows.
    pub families: Vec<String>,
    /// The methods, in the order of columns.
    pub methods: Vec<String>,
    /// The runs, in any order.
    pub runs: Vec<RunRecord>,
    /// The measurements of all kinds, in any order, except that the groups of parameters of a champion are consecutive.
    /// Tables leave out meetings of runs of the same method.
    pub measurements: Vec<Measurement>,
    /// The learning curves, in any order: see [`read_curves`](crate::read_curves).
    #[serde(default)]
    pub curves: Vec<CurveRecord>,
}

/// The reason why tables cannot be made from records.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A family or method is listed twice.
    #[error("the {kind} `{name}` is listed twice; list it once")]
    ListedTwice {
        /// "family" or "method".
        kind: &'static str,
        /// The name of the family or method.
        name: String,
    },
    /// A record belongs to a family or method that is not listed.
    #[error("{record} is of the {kind} `{name}`, which is not listed; add it to the list")]
    NotListed {
        /// A description of the record.
        record: String,
        /// "family" or "method".
        kind: &'static str,
        /// The name of the family or method.
        name: String,
    },
    /// A result was recorded twice.
    #[error("there are two records of {record}; keep one of them")]
    RecordedTwice {
        /// A description of the record.
        record: String,
    },
    /// A measurement lacks a seed or a condition that its kind requires.
    #[error("{record}: the measurement lacks a seed or a condition; complete it")]
    Incomplete {
        /// A description of the record.
        record: String,
    },
    /// A run meets itself.
    #[error("{record} is of a champion against itself; leave it out")]
    MeetsItself {
        /// A description of the record.
        record: String,
    },
    /// An estimate is invalid.
    #[error(
        "{record}: {score} with the interval {interval:?} makes no sense; a value lies in its interval, and that in {range:?}"
    )]
    NoEstimate {
        /// A description of the record.
        record: String,
        /// The score found.
        score: f64,
        /// The interval found.
        interval: [f64; 2],
        /// The least and the greatest value.
        range: [f64; 2],
    },
    /// A best response scores less than the strategy itself.
    #[error("{record}: the response scores {score}, and the strategy itself .5; leave it out")]
    NoBestResponse {
        /// A description of the record.
        record: String,
        /// The score found.
        score: f64,
    },
    /// The confidence level of an estimate differs from the level of the tables.
    #[error("{record}: the confidence is {found}, and tables are of {CONFIDENCE}; score it again")]
    OtherConfidence {
        /// A description of the record.
        record: String,
        /// The level found.
        found: f64,
    },
}

impl Records {
    /// Iterates over the measurements of this kind in a family.
    pub fn of<'a>(
        &'a self,
        kind: MeasurementKind,
        family: &'a str,
    ) -> impl Iterator<Item = &'a Measurement> + Clone {
        self.measurements.iter().filter(move |row| row.kind == kind && row.family == family)
    }

    /// Checks that tables can be made from the records.
    ///
    /// # Errors
    ///
    /// Returns an error for the first invalid record: NaN, a score outside its interval, an unlisted name, or a
    /// duplicate.
    pub fn check(&self) -> Result<(), RecordError> {
        for (kind, names) in [("family", &self.families), ("method", &self.methods)] {
            let mut known = HashSet::new();
            if let Some(name) = names.iter().find(|&name| !known.insert(name)) {
                return Err(RecordError::ListedTwice { kind, name: name.clone() });
            }
        }
        let mut known = HashSet::new();
        for RunRecord { family, method, seed, score, opponents, .. } in &self.runs {
            let record = format!("the run of {method} on {family} with seed {seed}");
            self.check_names(&record, family, [method])?;
            let of_baseline = opponents.as_ref().map(|known| &known.score_against_baseline);
            [Some(score), of_baseline].into_iter().flatten().try_for_each(|score| {
                check_estimate(&record, score, [0.0, 1.0])?;
                check_confidence(&record, score.confidence)
            })?;
            if !known.insert((family, method, seed)) {
                return Err(RecordError::RecordedTwice { record });
            }
        }
        let mut known = HashSet::new();
        for row in &self.measurements {
            self.check_measurement(row)?;
            // A meeting may be described from either side.
            let is_in_order = (&row.subject, row.subject_seed) < (&row.opponent, row.opponent_seed);
            let described = match row.kind {
                MeasurementKind::Meeting if !is_in_order => row.reversed().description(),
                _ => row.description(),
            };
            if !known.insert((row.kind, &row.condition, described)) {
                return Err(RecordError::RecordedTwice { record: row.description() });
            }
        }
        Ok(())
    }

    fn check_measurement(&self, row: &Measurement) -> Result<(), RecordError> {
        let Measurement { family, subject, opponent, .. } = row;
        let record = row.description();
        if !row.is_whole() {
            return Err(RecordError::Incomplete { record });
        }
        match row.kind {
            MeasurementKind::Meeting => self.check_names(&record, family, [subject, opponent])?,
            MeasurementKind::Response | MeasurementKind::Certificate => {
                self.check_names(&record, family, [opponent])?;
            }
            MeasurementKind::Yardstick => self.check_names(&record, family, [])?,
            _ => self.check_names(&record, family, [subject])?,
        }
        check_estimate(&record, &row.estimate(), row.kind.range())?;
        // The intervals of the groups of a strategy hold together.
        if row.kind != MeasurementKind::Ablation {
            check_confidence(&record, row.confidence)?;
        }
        if row.kind == MeasurementKind::Meeting
            && (subject, row.subject_seed) == (opponent, row.opponent_seed)
        {
            return Err(RecordError::MeetsItself { record });
        }
        if row.kind == MeasurementKind::Response && row.score < 0.5 - SLACK {
            return Err(RecordError::NoBestResponse { record, score: row.score });
        }
        Ok(())
    }

    fn check_names<'a>(
        &self,
        record: &str,
        family: &'a String,
        methods: impl IntoIterator<Item = &'a String>,
    ) -> Result<(), RecordError> {
        let methods = methods.into_iter().map(|method| ("method", &self.methods, method));
        let names = std::iter::once(("family", &self.families, family)).chain(methods);
        for (kind, known, name) in names {
            if !known.contains(name) {
                let (record, name) = (record.to_string(), name.clone());
                return Err(RecordError::NotListed { record, kind, name });
            }
        }
        Ok(())
    }
}

impl RunRecord {
    /// Returns `true` if the run ended before its budget of games was used: by another limit, or because the user
    /// stopped it.
    pub fn has_games_left(&self) -> bool {
        let ended_otherwise = self.stop_reason.is_some_and(|reason| reason != StopReason::Games);
        ended_otherwise && self.budget.is_some_and(|budget| self.games < budget)
    }
}

/// The tolerance for bounds, which are computed by bisection.
const SLACK: f64 = 1e-9;

/// Checks that the score is in its interval, and the interval in `range`.
fn check_estimate(record: &str, estimate: &Estimate, range: [f64; 2]) -> Result<(), RecordError> {
    let &Estimate { score, interval, .. } = estimate;
    let ([low, high], [least, most]) = (interval, range);
    // NaN fails every comparison.
    let is_sound = low >= least - SLACK
        && low <= score + SLACK
        && score <= high + SLACK
        && high <= most + SLACK;
    match is_sound {
        true => Ok(()),
        false => Err(RecordError::NoEstimate { record: record.into(), score, interval, range }),
    }
}

fn check_confidence(record: &str, found: f64) -> Result<(), RecordError> {
    match (found - CONFIDENCE).abs() < SLACK {
        true => Ok(()),
        false => Err(RecordError::OtherConfidence { record: record.into(), found }),
    }
}

#[cfg(test)]
mod tests;
