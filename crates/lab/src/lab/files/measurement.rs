//! A row of `measurements.csv`, and the conversion of rows to and from records.

use serde::{Deserialize, Serialize};

use super::checkpoint::{MIXTURE, STRATEGY};
use crate::lab::ablation::groups;
use crate::lab::records::{
    AblationRecord, ExploitRecord, MeetingRecord, Product, ResponseKind, RunId, YardstickKind,
    YardstickRecord,
};
use crate::lab::spec::run::Experiment;
use crate::score::Estimate;

/// The question that a measurement answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasurementKind {
    /// The score of a champion against the champion of another run.
    Meeting,
    /// The score of a champion against a reference strategy.
    Reference,
    /// The score of a champion against its training opponent, if the scoring opponent is another player.
    Training,
    /// The score of a player that was not learned against the scoring opponent. The condition is the
    /// [`YardstickKind`].
    Yardstick,
    /// The score of a response to the result of a run. The condition is the [`Product`].
    Response,
    /// The score that a champion loses if a group of parameters is set to zero. The condition is the name of the group.
    Ablation,
}

/// A row of `measurements.csv`: the score of a player (the subject) against an opponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Measurement {
    /// The question that the measurement answers.
    pub kind: MeasurementKind,
    /// The name of the family in the experiment.
    pub family: String,
    /// A detail of the question, which may be empty. The kind of measurement determines the meaning of the detail.
    pub condition: String,
    /// The method of the subject, or its name if it was not learned.
    pub subject: String,
    /// The seed of the run that learned the subject.
    pub subject_seed: Option<u64>,
    /// The method of the opponent, or its name if it was not learned.
    pub opponent: String,
    /// The seed of the run that learned the opponent, or of the runs for which the opponent is the baseline.
    pub opponent_seed: Option<u64>,
    /// The score in [0, 1]; for an ablation, the difference between two scores, in [-1, 1].
    pub score: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The level of confidence of the interval.
    pub confidence: f64,
    /// The number of pairs of games; 0 if the score was computed exactly.
    pub pairs: u64,
    /// For an ablation, the score of the whole strategy. The ablation's `score` is this score minus `without`.
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
    fn new(kind: MeasurementKind, family: &str, estimate: Estimate) -> Measurement {
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

    /// Returns the row of a meeting.
    pub(in crate::lab) fn of_meeting(record: &MeetingRecord, prints: [&str; 2]) -> Measurement {
        let MeetingRecord { family, a, b, estimate } = record;
        Measurement {
            subject: a.method.clone(),
            subject_seed: Some(a.seed),
            opponent: b.method.clone(),
            opponent_seed: Some(b.seed),
            subject_strategy: prints[0].into(),
            opponent_strategy: prints[1].into(),
            ..Measurement::new(MeasurementKind::Meeting, family, *estimate)
        }
    }

    /// Returns the record of the meeting, if the row is about a meeting.
    pub(in crate::lab) fn meeting(&self) -> Option<MeetingRecord> {
        let is_meeting = self.kind == MeasurementKind::Meeting;
        let run = |method: &String, seed: Option<u64>| {
            Some(RunId { method: method.clone(), seed: seed.filter(|_| is_meeting)? })
        };
        Some(MeetingRecord {
            family: self.family.clone(),
            a: run(&self.subject, self.subject_seed)?,
            b: run(&self.opponent, self.opponent_seed)?,
            estimate: self.estimate(),
        })
    }

    /// Returns the row of a champion's score against an opponent that was not learned.
    pub(in crate::lab) fn of_champion(
        kind: MeasurementKind,
        run: &Experiment,
        opponent: &str,
        estimate: Estimate,
        print: &str,
    ) -> Measurement {
        let [family, method] = &run.labels;
        Measurement {
            subject: method.clone(),
            subject_seed: Some(run.resolved.seed),
            opponent: opponent.into(),
            subject_strategy: print.into(),
            ..Measurement::new(kind, family, estimate)
        }
    }

    /// Returns the row of a yardstick that played against `opponent`.
    pub(in crate::lab) fn of_yardstick(record: &YardstickRecord, opponent: &str) -> Measurement {
        let YardstickRecord { family, seed, kind, name, score } = record;
        let pairs = if score.is_exact() { 0 } else { score.pairs };
        Measurement {
            condition: kind.name().into(),
            subject: name.clone(),
            opponent: opponent.into(),
            opponent_seed: Some(*seed),
            ..Measurement::new(MeasurementKind::Yardstick, family, Estimate { pairs, ..*score })
        }
    }

    /// Returns the record of the yardstick, if the row is about a yardstick.
    pub(in crate::lab) fn yardstick(&self) -> Option<YardstickRecord> {
        let kind = YardstickKind::ALL.into_iter().find(|kind| kind.name() == self.condition)?;
        Some(YardstickRecord {
            family: self.family.clone(),
            seed: self.opponent_seed.filter(|_| self.kind == MeasurementKind::Yardstick)?,
            kind,
            name: self.subject.clone(),
            score: self.estimate(),
        })
    }

    /// Returns the row of a response to the strategy with this fingerprint.
    pub(in crate::lab) fn of_response(record: &ExploitRecord, print: &str) -> Measurement {
        let ExploitRecord { family, method, product, seed, kind, response, how } = record;
        Measurement {
            condition: product.name().into(),
            subject: kind.name().into(),
            opponent: method.clone(),
            opponent_seed: Some(*seed),
            how: how.clone(),
            opponent_strategy: print.into(),
            ..Measurement::new(MeasurementKind::Response, family, *response)
        }
    }

    /// Returns the record of the response, if the row is about a response.
    pub(in crate::lab) fn response(&self) -> Option<ExploitRecord> {
        let product = Product::ALL.into_iter().find(|known| known.name() == self.condition)?;
        let kind = ResponseKind::ALL.into_iter().find(|known| known.name() == self.subject)?;
        Some(ExploitRecord {
            family: self.family.clone(),
            method: self.opponent.clone(),
            product,
            seed: self.opponent_seed.filter(|_| self.kind == MeasurementKind::Response)?,
            kind,
            response: self.estimate(),
            how: self.how.clone(),
        })
    }

    /// Returns a row for each group of parameters of a champion. The worth of the groups was measured against
    /// `opponent`.
    pub(in crate::lab) fn of_ablation(
        records: &[AblationRecord],
        opponent: &str,
        print: &str,
    ) -> Vec<Measurement> {
        let row = |(number, record): (usize, &AblationRecord)| {
            let AblationRecord { worth, interval, confidence, pairs, .. } = *record;
            let estimate = Estimate { score: worth, interval, confidence, pairs };
            Measurement {
                condition: record.group.clone(),
                subject: record.method.clone(),
                subject_seed: Some(record.seed),
                opponent: opponent.into(),
                with: record.score_with,
                without: record.score_without,
                how: format!("{} {} of {}", Self::GROUP, number, records.len()),
                subject_strategy: print.into(),
                ..Measurement::new(MeasurementKind::Ablation, &record.family, estimate)
            }
        };
        (1..).zip(records).map(row).collect()
    }

    /// The beginning of the description of an ablation. The number of the group and the number of groups follow.
    pub(super) const GROUP: &str = "group";

    /// Returns the row as a record about the champion of `run`, if the row is about the worth of a group of parameters.
    pub(super) fn ablation(&self, run: &Experiment) -> Option<AblationRecord> {
        let group = groups(run.family.as_ref(), std::slice::from_ref(&self.condition)).ok()?;
        Some(AblationRecord {
            family: self.family.clone(),
            method: self.subject.clone(),
            seed: self.subject_seed.filter(|_| self.kind == MeasurementKind::Ablation)?,
            group: self.condition.clone(),
            num_parameters: group.first()?.members.len() as u64,
            worth: self.score,
            interval: [self.low, self.high],
            confidence: self.confidence,
            pairs: self.pairs,
            score_with: self.with,
            score_without: self.without,
        })
    }

    /// Returns the runs that the row is about, each with the name of its strategy file and the fingerprint of this
    /// file.
    pub(super) fn runs(&self) -> Vec<((&str, u64), &'static str, &str)> {
        let file = match self.condition == Product::Mixture.name() {
            true if self.kind == MeasurementKind::Response => MIXTURE,
            _ => STRATEGY,
        };
        let subject = self
            .subject_seed
            .map(|seed| ((self.subject.as_str(), seed), STRATEGY, self.subject_strategy.as_str()));
        let is_learned = [MeasurementKind::Meeting, MeasurementKind::Response].contains(&self.kind);
        let opponent = self
            .opponent_seed
            .filter(|_| is_learned)
            .map(|seed| ((self.opponent.as_str(), seed), file, self.opponent_strategy.as_str()));
        subject.into_iter().chain(opponent).collect()
    }
}
