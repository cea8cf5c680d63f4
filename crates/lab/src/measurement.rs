//! Measurements: the rows of `measurements.csv`.

use ruse_play::score::Estimate;
use serde::{Deserialize, Serialize};

/// The question that a measurement answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasurementKind {
    /// The score of a champion against the champion of another run.
    Meeting,
    /// The score of a champion against a reference strategy.
    Reference,
    /// The score of a champion against its training opponent, if that is not the scoring opponent.
    Training,
    /// The score of a player that was not learned against the scoring opponent. The condition is the
    /// [`YardstickKind`](super::records::YardstickKind).
    Yardstick,
    /// The score of a response to the result of a run. The condition is the [`Product`](super::records::Product).
    Response,
    /// Bounds on the score of the best response to the result of a run, from the rules of the game. The condition is the
    /// [`Product`](super::records::Product).
    Certificate,
    /// The score of a champion against the scoring opponent in the games in which the champion takes a given seat. The
    /// condition is one of [`Measurement::SEATS`].
    Seat,
    /// The score that a champion loses without a group of parameters. The condition is the name of the group.
    Ablation,
}

/// A row of `measurements.csv`: the score of a player, the subject, against an opponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Measurement {
    /// The question that the measurement answers.
    pub kind: MeasurementKind,
    /// The name of the family in the experiment.
    pub family: String,
    /// A detail of the question, whose meaning depends on the kind; may be empty.
    pub condition: String,
    /// The method of the subject, or its name if it was not learned.
    pub subject: String,
    /// The seed of the run that learned the subject.
    pub subject_seed: Option<u64>,
    /// The method of the opponent, or its name if it was not learned.
    pub opponent: String,
    /// The seed of the run that learned the opponent, or of the runs whose baseline the opponent is.
    pub opponent_seed: Option<u64>,
    /// The score in [0, 1]; for an ablation, the difference between two scores, in [-1, 1].
    pub score: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The confidence level of the interval.
    pub confidence: f64,
    /// The number of pairs of games; 0 if the score was computed exactly.
    pub pairs: u64,
    /// For an ablation, the score with the group of parameters.
    pub with: Option<f64>,
    /// For an ablation, the score without the group of parameters.
    pub without: Option<f64>,
    /// A description of the measurement; may be empty.
    pub how: String,
    /// The fingerprint of the strategy file of the subject; empty if there is no such file.
    pub subject_strategy: String,
    /// The fingerprint of the strategy file of the opponent; empty if there is no such file.
    pub opponent_strategy: String,
}

impl Measurement {
    /// The conditions of [seat](MeasurementKind::Seat) measurements.
    pub const SEATS: [&str; 2] = ["first", "second"];

    pub(crate) fn new(kind: MeasurementKind, family: &str, estimate: Estimate) -> Measurement {
        let Estimate { score, interval: [low, high], confidence, pairs } = estimate;
        Measurement {
            kind,
            family: family.into(),
            condition: String::new(),
            subject: String::new(),
            subject_seed: None,
            opponent: String::new(),
            opponent_seed: None,
            score,
            low,
            high,
            confidence,
            pairs,
            with: None,
            without: None,
            how: String::new(),
            subject_strategy: String::new(),
            opponent_strategy: String::new(),
        }
    }

    /// Returns the score with its interval.
    pub fn estimate(&self) -> Estimate {
        let Measurement { score, low, high, confidence, pairs, .. } = *self;
        Estimate { score, interval: [low, high], confidence, pairs }
    }

    /// Returns `true` if tables use the row itself, and no record is made from it.
    pub(crate) fn is_for_tables(&self) -> bool {
        self.kind == MeasurementKind::Seat
    }
}
