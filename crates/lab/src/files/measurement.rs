//! Converts records to rows of `measurements.csv`, and back.

use ruse_play::score::Estimate;

use super::checkpoint::{MIXTURE, STRATEGY};
use crate::ablation::groups;
use crate::language::run::Experiment;
use crate::measurement::{Measurement, MeasurementKind};
use crate::records::{
    AblationRecord, CertificateRecord, ExploitRecord, MeetingRecord, Product, ResponseKind, RunId,
    YardstickKind, YardstickRecord,
};

impl Measurement {
    pub(crate) fn of_meeting(record: &MeetingRecord, prints: [&str; 2]) -> Measurement {
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

    pub(crate) fn meeting(&self) -> Option<MeetingRecord> {
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
    pub(crate) fn of_champion(
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

    pub(crate) fn of_yardstick(record: &YardstickRecord, opponent: &str) -> Measurement {
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

    pub(crate) fn yardstick(&self) -> Option<YardstickRecord> {
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
    pub(crate) fn of_response(record: &ExploitRecord, print: &str) -> Measurement {
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

    pub(crate) fn response(&self) -> Option<ExploitRecord> {
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

    /// The subject of a certificate.
    const BEST_RESPONSE: &str = "best-response";

    /// Returns the row of a certificate of the strategy with this fingerprint.
    pub(crate) fn of_certificate(record: &CertificateRecord, print: &str) -> Measurement {
        let CertificateRecord { family, method, product, seed, bounds, how } = record;
        Measurement {
            condition: product.name().into(),
            subject: Self::BEST_RESPONSE.into(),
            opponent: method.clone(),
            opponent_seed: Some(*seed),
            how: how.clone(),
            opponent_strategy: print.into(),
            ..Measurement::new(MeasurementKind::Certificate, family, *bounds)
        }
    }

    /// Returns the row as the record of a certificate, if it is about a certificate.
    pub(crate) fn certificate(&self) -> Option<CertificateRecord> {
        let product = Product::ALL.into_iter().find(|known| known.name() == self.condition)?;
        Some(CertificateRecord {
            family: self.family.clone(),
            method: self.opponent.clone(),
            product,
            seed: self.opponent_seed.filter(|_| self.kind == MeasurementKind::Certificate)?,
            bounds: self.estimate(),
            how: self.how.clone(),
        })
    }

    /// Returns a row for each group of parameters of a champion. The worth of the groups was measured against
    /// `opponent`.
    pub(crate) fn of_ablation(
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

    /// The first word of an ablation's description. The group's number and the number of groups follow.
    pub(super) const GROUP: &str = "group";

    /// Returns the row as a record of the champion of `run`, if it states a group's worth.
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

    /// Returns `true` if the row has all values that its kind requires.
    pub(super) fn is_whole(&self) -> bool {
        match self.kind {
            MeasurementKind::Meeting => self.meeting().is_some(),
            MeasurementKind::Yardstick => self.yardstick().is_some(),
            MeasurementKind::Response => self.response().is_some(),
            MeasurementKind::Certificate => self.certificate().is_some(),
            _ => self.subject_seed.is_some(),
        }
    }

    /// The kinds whose opponent is the champion or the mixture of a run.
    const OF_PRODUCTS: [MeasurementKind; 2] =
        [MeasurementKind::Response, MeasurementKind::Certificate];

    /// Returns the runs that the row is about, each with the name of its strategy file and the fingerprint of this
    /// file.
    pub(super) fn runs(&self) -> Vec<((&str, u64), &'static str, &str)> {
        let file = match self.condition == Product::Mixture.name() {
            true if Self::OF_PRODUCTS.contains(&self.kind) => MIXTURE,
            _ => STRATEGY,
        };
        let subject = self
            .subject_seed
            .map(|seed| ((self.subject.as_str(), seed), STRATEGY, self.subject_strategy.as_str()));
        let is_learned =
            self.kind == MeasurementKind::Meeting || Self::OF_PRODUCTS.contains(&self.kind);
        let opponent = self
            .opponent_seed
            .filter(|_| is_learned)
            .map(|seed| ((self.opponent.as_str(), seed), file, self.opponent_strategy.as_str()));
        subject.into_iter().chain(opponent).collect()
    }
}
