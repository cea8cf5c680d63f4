//! The records from which tables are made.

use std::collections::HashSet;

use ruse_optimise::exploit::Bracket;
use ruse_play::arena::StopReason;
use ruse_play::score::{CONFIDENCE, Estimate};
use serde::{Deserialize, Serialize};

use super::ablation::Finding;
use super::measurement::Measurement;

/// The identity of a run within a family.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunId {
    /// The method.
    pub method: String,
    /// The seed.
    pub seed: u64,
}

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
    #[serde(default)]
    pub budget: Option<u64>,
    /// The reason why the run ended, if it is known.
    #[serde(default)]
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

/// The result of a meeting of two champions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeetingRecord {
    /// The family.
    pub family: String,
    /// The run of one champion.
    pub a: RunId,
    /// The run of the other champion.
    pub b: RunId,
    /// The score of `a`.
    pub estimate: Estimate,
}

/// The kind of a strategy that a run produces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Product {
    /// The champion of the run, a single strategy.
    Champion,
    /// The mixed strategy of the method.
    Mixture,
}

impl Product {
    /// All products.
    pub const ALL: [Product; 2] = [Product::Champion, Product::Mixture];

    /// Returns the name of the product, as written in files.
    pub fn name(self) -> &'static str {
        match self {
            Product::Champion => "champion",
            Product::Mixture => "mixture",
        }
    }
}

/// The kind of response: optimal, or possibly not the best one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseKind {
    /// The response was computed, and is optimal.
    Exact,
    /// The response was found by a search. There may be better ones.
    LowerBound,
}

impl ResponseKind {
    /// All kinds.
    pub const ALL: [ResponseKind; 2] = [ResponseKind::Exact, ResponseKind::LowerBound];

    /// Returns the name of the kind, as written in files.
    pub fn name(self) -> &'static str {
        match self {
            ResponseKind::Exact => "exact",
            ResponseKind::LowerBound => "lower-bound",
        }
    }
}

/// The score of a response to a strategy that a run has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExploitRecord {
    /// The family.
    pub family: String,
    /// The method.
    pub method: String,
    /// The kind of strategy.
    pub product: Product,
    /// The seed.
    pub seed: u64,
    /// The kind of response.
    pub kind: ResponseKind,
    /// The score of the response, averaged over both seats.
    pub response: Estimate,
    /// A description of the response and of the search that found it.
    pub how: String,
}

impl ExploitRecord {
    /// Returns `true` if both are responses to the same strategy.
    pub fn is_to(&self, other: &ExploitRecord) -> bool {
        let place = |record: &ExploitRecord| (record.seed, record.product);
        (&self.family, &self.method) == (&other.family, &other.method)
            && place(self) == place(other)
    }
}

/// Bounds on the score of the best response to a strategy that a run has found. They hold for all responses that the
/// rules allow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CertificateRecord {
    /// The family.
    pub family: String,
    /// The method.
    pub method: String,
    /// Whether the strategy is a champion or a mixture.
    pub product: Product,
    /// The seed.
    pub seed: u64,
    /// The interval that contains the score of the best response, averaged over both seats. The score is its upper end.
    pub bounds: Estimate,
    /// The basis of the upper bound.
    pub how: String,
}

/// Returns bounds on the exploitability of a strategy from a response to it and a certificate, if they are known.
pub fn bracket(
    response: Option<&ExploitRecord>,
    certificate: Option<&CertificateRecord>,
) -> Bracket {
    match response {
        Some(ExploitRecord { kind: ResponseKind::Exact, response, .. }) => {
            Bracket::exact(response.score)
        }
        _ => {
            let proven = certificate.map_or_else(Bracket::unknown, |record| {
                Bracket::of_scores(record.bounds.interval, record.how.clone())
            });
            response.into_iter().fold(proven, |known, found| known.with_response(&found.response))
        }
    }
}

/// The kind of a yardstick. A yardstick is a player that was not learned, and whose score is a standard for the scores
/// of learned strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum YardstickKind {
    /// A player that takes every legal action with the same probability.
    Random,
    /// The parametric strategy with all parameters 0.
    Zero,
    /// A reference strategy.
    Reference,
    /// The best possible strategy against the baseline, computed exactly.
    Optimum,
}

impl YardstickKind {
    /// All kinds.
    pub const ALL: [YardstickKind; 4] = [
        YardstickKind::Random,
        YardstickKind::Zero,
        YardstickKind::Reference,
        YardstickKind::Optimum,
    ];

    /// Returns the name of the kind, as written in files.
    pub fn name(self) -> &'static str {
        match self {
            YardstickKind::Random => "random",
            YardstickKind::Zero => "zero",
            YardstickKind::Reference => "reference",
            YardstickKind::Optimum => "optimum",
        }
    }
}

/// The score of a yardstick against the baseline of a family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct YardstickRecord {
    /// The family.
    pub family: String,
    /// The seed of the runs with this baseline, or of the first run if the baseline does not depend on the seed.
    pub seed: u64,
    /// The kind of yardstick.
    pub kind: YardstickKind,
    /// The name of the yardstick.
    pub name: String,
    /// The score of the yardstick: computed, or measured on the deals of the champion of the first run with this seed.
    pub score: Estimate,
}

/// The score of the champion of a run against a reference strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceRecord {
    /// The family.
    pub family: String,
    /// The method.
    pub method: String,
    /// The seed.
    pub seed: u64,
    /// The name of the reference strategy.
    pub reference: String,
    /// The score of the champion against the reference strategy.
    pub score: Estimate,
}

/// The worth of a group of parameters for the champion of a run: the champion's score minus its score with the group
/// set to 0. The two scores are against the scoring opponent, on the same deals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AblationRecord {
    /// The family.
    pub family: String,
    /// The method.
    pub method: String,
    /// The seed.
    pub seed: u64,
    /// The name of the group.
    pub group: String,
    /// The number of parameters in the group.
    pub num_parameters: u64,
    /// The worth, in [-1, 1]; positive if the group helps.
    pub worth: f64,
    /// The interval of the worth; its width is 0 if the worth is exact.
    pub interval: [f64; 2],
    /// The confidence level of the interval. The intervals of a champion hold simultaneously with probability
    /// [`CONFIDENCE`].
    pub confidence: f64,
    /// The number of deals; 0 if the worth is exact. Each of the two strategies plays a deal as a pair of games.
    pub pairs: u64,
    /// The score of the whole strategy on these deals; `None` if the worth is exact.
    pub score_with: Option<f64>,
    /// The score without the group on these deals; `None` if the worth is exact.
    pub score_without: Option<f64>,
}

impl AblationRecord {
    /// Returns the finding about the group.
    pub fn finding(&self) -> Finding {
        Finding::of(self.interval, self.pairs == 0)
    }
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
    /// The meetings, in any order. Tables leave out meetings of runs of the same method.
    pub meetings: Vec<MeetingRecord>,
    /// The exploitability of champions and mixtures, in any order.
    #[serde(default)]
    pub exploitability: Vec<ExploitRecord>,
    /// Bounds on the exploitability of champions and mixtures, in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<CertificateRecord>,
    /// The scores of yardsticks, in any order.
    #[serde(default)]
    pub yardsticks: Vec<YardstickRecord>,
    /// The scores of champions against reference strategies, in any order.
    #[serde(default)]
    pub references: Vec<ReferenceRecord>,
    /// The worth of each group of parameters; the groups of a champion are consecutive.
    #[serde(default)]
    pub ablation: Vec<AblationRecord>,
    /// The measurements of other kinds, in any order.
    #[serde(default)]
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
    /// A run meets itself.
    #[error("{record} is of a champion against itself; leave it out")]
    MeetsItself {
        /// A description of the record.
        record: String,
    },
    /// An estimate is invalid.
    #[error(
        "{record}: score {score} with the interval {interval:?} makes no sense; a score lies in its interval, \
         and that in [0, 1]"
    )]
    NoEstimate {
        /// A description of the record.
        record: String,
        /// The score found.
        score: f64,
        /// The interval found.
        interval: [f64; 2],
    },
    /// A best response scores less than the strategy itself.
    #[error("{record}: the response scores {score}, and the strategy itself .5; leave it out")]
    NoBestResponse {
        /// A description of the record.
        record: String,
        /// The score found.
        score: f64,
    },
    /// A worth is invalid.
    #[error(
        "{record}: {worth} with the interval {interval:?} makes no sense; a worth lies in its interval, and that in \
         [-1, 1]"
    )]
    NoWorth {
        /// A description of the record.
        record: String,
        /// The worth found.
        worth: f64,
        /// The interval found.
        interval: [f64; 2],
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
        for run in &self.runs {
            let id = run.id();
            let record =
                format!("the run of {} on {} with seed {}", id.method, run.family, id.seed);
            self.check_names(&record, &run.family, [&id.method])?;
            check_estimate(&record, &run.score)?;
            if let Some(opponents) = &run.opponents {
                check_estimate(&record, &opponents.score_against_baseline)?;
            }
            if !known.insert((&run.family, id)) {
                return Err(RecordError::RecordedTwice { record });
            }
        }
        let mut known = HashSet::new();
        for MeetingRecord { family, a, b, estimate } in &self.meetings {
            let record = format!(
                "the meeting of {} (seed {}) and {} (seed {}) on {family}",
                a.method, a.seed, b.method, b.seed
            );
            self.check_names(&record, family, [&a.method, &b.method])?;
            check_estimate(&record, estimate)?;
            if a == b {
                return Err(RecordError::MeetsItself { record });
            }
            // A meeting may be described from either side.
            let is_in_order = (&a.method, a.seed) < (&b.method, b.seed);
            let sides = if is_in_order { (a, b) } else { (b, a) };
            if !known.insert((family, sides)) {
                return Err(RecordError::RecordedTwice { record });
            }
        }
        let mut known = HashSet::new();
        for ExploitRecord { family, method, product, seed, response, .. } in &self.exploitability {
            let what = product.name();
            let record = format!(
                "the exploitability of the {what} of {method} on {family} with seed {seed}"
            );
            self.check_names(&record, family, [method])?;
            check_estimate(&record, response)?;
            if response.score < 0.5 - SLACK {
                return Err(RecordError::NoBestResponse { record, score: response.score });
            }
            if !known.insert((family, method, product, seed)) {
                return Err(RecordError::RecordedTwice { record });
            }
        }
        let mut known = HashSet::new();
        for CertificateRecord { family, method, product, seed, bounds, .. } in &self.certificates {
            let what = product.name();
            let record =
                format!("the certificate of the {what} of {method} on {family} with seed {seed}");
            self.check_names(&record, family, [method])?;
            check_estimate(&record, bounds)?;
            if !known.insert((family, method, product, seed)) {
                return Err(RecordError::RecordedTwice { record });
            }
        }
        let mut known = HashSet::new();
        for YardstickRecord { family, seed, kind, name, score } in &self.yardsticks {
            let record = format!("the yardstick {name} on {family} with seed {seed}");
            self.check_names(&record, family, [])?;
            check_estimate(&record, score)?;
            if !known.insert((family, seed, kind, name)) {
                return Err(RecordError::RecordedTwice { record });
            }
        }
        let mut known = HashSet::new();
        for ReferenceRecord { family, method, seed, reference, score } in &self.references {
            let record = format!("{method} on {family} with seed {seed} against {reference}");
            self.check_names(&record, family, [method])?;
            check_estimate(&record, score)?;
            if !known.insert((family, method, seed, reference)) {
                return Err(RecordError::RecordedTwice { record });
            }
        }
        let mut known = HashSet::new();
        for AblationRecord { family, method, seed, group, worth, interval, .. } in &self.ablation {
            let record = format!("the worth of {group} to {method} on {family} with seed {seed}");
            self.check_names(&record, family, [method])?;
            let [low, high] = *interval;
            // NaN fails every comparison.
            let is_sound = low >= -1.0 - SLACK
                && low <= worth + SLACK
                && *worth <= high + SLACK
                && high <= 1.0 + SLACK;
            if !is_sound {
                let (worth, interval) = (*worth, *interval);
                return Err(RecordError::NoWorth { record, worth, interval });
            }
            if !known.insert((family, method, seed, group)) {
                return Err(RecordError::RecordedTwice { record });
            }
        }
        let mut known = HashSet::new();
        for row in &self.measurements {
            let Measurement { family, condition, subject, subject_seed, opponent, .. } = row;
            let seed = subject_seed.map_or(String::new(), |seed| format!(" with seed {seed}"));
            let record = format!("{subject} on {family}{seed} against {opponent} ({condition})");
            self.check_names(&record, family, [subject])?;
            check_estimate(&record, &row.estimate())?;
            if !known.insert((row.kind, family, condition, subject, seed, opponent)) {
                return Err(RecordError::RecordedTwice { record });
            }
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

    /// Returns the identity of the run within its family.
    pub fn id(&self) -> RunId {
        RunId { method: self.method.clone(), seed: self.seed }
    }
}

/// The tolerance for bounds, which are computed by bisection.
const SLACK: f64 = 1e-9;

fn check_estimate(record: &str, estimate: &Estimate) -> Result<(), RecordError> {
    let &Estimate { score, interval: interval @ [low, high], confidence, .. } = estimate;
    // NaN fails every comparison.
    let is_sound =
        low >= -SLACK && low <= score + SLACK && score <= high + SLACK && high <= 1.0 + SLACK;
    if !is_sound {
        return Err(RecordError::NoEstimate { record: record.into(), score, interval });
    }
    let is_usual = (confidence - CONFIDENCE).abs() < SLACK;
    if !is_usual {
        return Err(RecordError::OtherConfidence { record: record.into(), found: confidence });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
