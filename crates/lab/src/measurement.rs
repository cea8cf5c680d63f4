//! Measurements: the rows of `measurements.csv`.

use ruse_optimise::exploit::Bracket;
use ruse_play::score::Estimate;
use serde::de::IntoDeserializer;
use serde::de::value::Error;
use serde::{Deserialize, Serialize};

use super::ablation::{Finding, groups};
use super::language::run::Experiment;

/// The question that a measurement answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasurementKind {
    /// The score of a champion against the champion of another run.
    #[default]
    Meeting,
    /// The score of a champion against a reference strategy.
    Reference,
    /// The score of a champion against its training opponent, if that is not the scoring opponent.
    Training,
    /// The score of a player that was not learned against the scoring opponent. The condition is the
    /// [`YardstickKind`].
    Yardstick,
    /// The score of a response to the result of a run. The condition is the [`Product`].
    Response,
    /// Bounds on the score of the best response to the result of a run, from the rules of the game. The condition is the
    /// [`Product`].
    Certificate,
    /// The score of a champion against the scoring opponent in the games in which the champion takes a given seat. The
    /// condition is one of [`Measurement::SEATS`].
    Seat,
    /// The score that a champion loses without a group of parameters. The condition is the name of the group.
    Ablation,
}

/// A row of `measurements.csv`: the score of a player, the subject, against an opponent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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

impl MeasurementKind {
    /// Returns the least and the greatest value of a measurement.
    pub(crate) fn range(self) -> [f64; 2] {
        if self == MeasurementKind::Ablation { [-1.0, 1.0] } else { [0.0, 1.0] }
    }
}

impl Measurement {
    /// The conditions of [seat](MeasurementKind::Seat) measurements.
    pub const SEATS: [&str; 2] = ["first", "second"];

    pub(crate) fn new(kind: MeasurementKind, family: &str, estimate: Estimate) -> Measurement {
        Measurement { kind, family: family.into(), ..Measurement::default() }.scored(estimate)
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

    /// Returns the row of a response to the strategy of a run with this fingerprint.
    pub(crate) fn of_response(
        run: &Experiment,
        product: Product,
        kind: ResponseKind,
        response: Estimate,
        how: &str,
        print: &str,
    ) -> Measurement {
        let [family, method] = &run.labels;
        Measurement {
            condition: product.name().into(),
            subject: kind.name().into(),
            opponent: method.clone(),
            opponent_seed: Some(run.resolved.seed),
            how: how.into(),
            opponent_strategy: print.into(),
            ..Measurement::new(MeasurementKind::Response, family, response)
        }
    }

    /// Returns the score with its interval.
    pub fn estimate(&self) -> Estimate {
        let Measurement { score, low, high, confidence, pairs, .. } = *self;
        Estimate { score, interval: [low, high], confidence, pairs }
    }

    /// Returns the measurement of the opponent against the subject.
    #[must_use]
    pub fn reversed(&self) -> Measurement {
        let row = self.clone();
        Measurement {
            subject: row.opponent,
            subject_seed: row.opponent_seed,
            opponent: row.subject,
            opponent_seed: row.subject_seed,
            subject_strategy: row.opponent_strategy,
            opponent_strategy: row.subject_strategy,
            ..row
        }
        .scored(self.estimate().reversed())
    }

    /// Returns the measurement with another score.
    #[must_use]
    pub fn scored(self, estimate: Estimate) -> Measurement {
        let Estimate { score, interval: [low, high], confidence, pairs } = estimate;
        Measurement { score, low, high, confidence, pairs, ..self }
    }

    /// Describes the measurement in messages.
    pub(crate) fn description(&self) -> String {
        let Measurement { family, condition, subject, opponent, .. } = self;
        let seeds = [self.subject_seed, self.opponent_seed];
        let seed = seeds.iter().flatten().next();
        let seed = seed.map_or(String::new(), |seed| format!(" with seed {seed}"));
        match self.kind {
            MeasurementKind::Meeting => {
                let [a, b] = seeds.map(Option::unwrap_or_default);
                format!("the meeting of {subject} (seed {a}) and {opponent} (seed {b}) on {family}")
            }
            MeasurementKind::Response => {
                format!("the exploitability of the {condition} of {opponent} on {family}{seed}")
            }
            MeasurementKind::Certificate => {
                format!("the certificate of the {condition} of {opponent} on {family}{seed}")
            }
            MeasurementKind::Yardstick => format!("the yardstick {subject} on {family}{seed}"),
            MeasurementKind::Ablation => {
                format!("the worth of {condition} to {subject} on {family}{seed}")
            }
            MeasurementKind::Seat => {
                format!("{subject} on {family}{seed} against {opponent} ({condition})")
            }
            _ => format!("{subject} on {family}{seed} against {opponent}"),
        }
    }

    /// Returns `true` if the subject is the champion of this run.
    pub(crate) fn is_of(&self, run: &Experiment) -> bool {
        (&self.family, &self.subject, self.subject_seed)
            == (&run.labels[0], &run.labels[1], Some(run.resolved.seed))
    }

    /// Returns the strategy whose exploitability a response or a certificate states, and `None` for other kinds.
    pub fn exploited(&self) -> Option<Exploited<'_>> {
        let (Measurement { family, opponent, .. }, seed) = (self, self.opponent_seed);
        let product = self.condition_of(&[MeasurementKind::Response, MeasurementKind::Certificate]);
        Some(Exploited { family, method: opponent, seed: seed?, product: product? })
    }

    /// Returns the first measurement of a kind about the exploitability of a strategy.
    pub fn find<'r>(
        rows: &'r [Measurement],
        kind: MeasurementKind,
        of: Exploited<'_>,
    ) -> Option<&'r Measurement> {
        rows.iter().find(|row| {
            let strategy = (row.opponent_seed, &*row.condition, &*row.opponent, &*row.family);
            row.kind == kind
                && strategy == (Some(of.seed), of.product.name(), of.method, of.family)
                && row.exploited() == Some(of)
        })
    }

    /// Returns the kind of a response, and `None` for other kinds of measurements.
    pub fn response(&self) -> Option<ResponseKind> {
        (self.kind == MeasurementKind::Response).then(|| parsed(&self.subject))?
    }

    /// Returns the kind of a yardstick, and `None` for other kinds of measurements.
    pub fn yardstick(&self) -> Option<YardstickKind> {
        self.condition_of(&[MeasurementKind::Yardstick])
    }

    /// Returns the number of parameters in the group of an ablation; `None` if the family of `run` has no such group.
    pub(crate) fn num_parameters(&self, run: &Experiment) -> Option<u64> {
        let group = groups(run.family.as_ref(), std::slice::from_ref(&self.condition)).ok()?;
        Some(group.first()?.members.len() as u64)
    }

    /// Returns the finding about the group of an ablation.
    pub fn finding(&self) -> Finding {
        Finding::of([self.low, self.high], self.pairs == 0)
    }

    fn condition_of<T: for<'de> Deserialize<'de>>(&self, kinds: &[MeasurementKind]) -> Option<T> {
        kinds.contains(&self.kind).then(|| parsed(&self.condition))?
    }

    /// Returns `true` if the row has all values that its kind requires.
    pub(crate) fn is_whole(&self) -> bool {
        match self.kind {
            MeasurementKind::Meeting => self.subject_seed.is_some() && self.opponent_seed.is_some(),
            MeasurementKind::Yardstick => {
                self.opponent_seed.is_some() && self.yardstick().is_some()
            }
            MeasurementKind::Response => self.exploited().is_some() && self.response().is_some(),
            MeasurementKind::Certificate => self.exploited().is_some(),
            _ => self.subject_seed.is_some(),
        }
    }
}

/// Returns the value with this name, as written in files.
fn parsed<T: for<'de> Deserialize<'de>>(name: &str) -> Option<T> {
    let deserializer: serde::de::value::StrDeserializer<'_, Error> = name.into_deserializer();
    T::deserialize(deserializer).ok()
}

/// A strategy of a run, whose exploitability is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Exploited<'a> {
    /// The family.
    pub family: &'a str,
    /// The method.
    pub method: &'a str,
    /// The kind of strategy.
    pub product: Product,
    /// The seed.
    pub seed: u64,
}

/// Returns bounds on the exploitability of a strategy from a response to it and a certificate, if they are known.
pub fn bracket(response: Option<&Measurement>, certificate: Option<&Measurement>) -> Bracket {
    match response {
        Some(row) if row.response() == Some(ResponseKind::Exact) => Bracket::exact(row.score),
        _ => {
            let proven = certificate.map_or_else(Bracket::unknown, |row| {
                Bracket::of_scores([row.low, row.high], row.how.clone())
            });
            let found = response.map(Measurement::estimate);
            found.iter().fold(proven, |known, found| known.with_response(found))
        }
    }
}

ruse_base::named! {
    /// The kind of a strategy that a run produces.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Product {
        /// The champion of the run, a single strategy.
        Champion = "champion",
        /// The mixed strategy of the method.
        Mixture = "mixture",
    }
}

ruse_base::named! {
    /// The kind of response: optimal, or possibly not the best one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ResponseKind {
        /// The response was computed, and is optimal.
        Exact = "exact",
        /// The response was found by a search. There may be better ones.
        LowerBound = "lower-bound",
    }
}

ruse_base::named! {
    /// The kind of a yardstick. A yardstick is a player that was not learned, and whose score is a standard for the scores
    /// of learned strategies.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum YardstickKind {
        /// A player that takes every legal action with the same probability.
        Random = "random",
        /// The parametric strategy with all parameters 0.
        Zero = "zero",
        /// A reference strategy.
        Reference = "reference",
        /// The best possible strategy against the baseline, computed exactly.
        Optimum = "optimum",
    }
}
