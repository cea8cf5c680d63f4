//! Sample records for tests.

#[cfg(test)]
use ruse_base::files::YamlSource;
use ruse_base::stop::StopReason;
use ruse_play::score::{CONFIDENCE, Estimate};
#[cfg(test)]
use ruse_registry::Registry;

use super::measurement::{Measurement, MeasurementKind, Product, ResponseKind, YardstickKind};
#[cfg(test)]
use super::plan::Plan;
use super::records::RunRecord;

/// Returns the plan of an experiment as it is written.
#[cfg(test)]
pub(crate) fn plan(text: &str) -> Result<Plan, String> {
    let source = YamlSource { path: "x.yaml".into(), text: text.into() };
    Plan::parse(&source, &Registry::standard()).map_err(|error| error.to_string())
}

/// Returns a score from 20 000 pairs, with the interval ± .01.
pub fn estimate(score: f64) -> Estimate {
    let interval = [score - 0.01, score + 0.01];
    Estimate { score, interval, confidence: CONFIDENCE, pairs: 20_000 }
}

/// Returns an exactly known score.
pub fn exact(score: f64) -> Estimate {
    Estimate { score, interval: [score, score], confidence: CONFIDENCE, pairs: 1 }
}

/// Returns a run of 1000 games in 10 iterations.
pub fn run(family: &str, method: &str, seed: u64, score: f64) -> RunRecord {
    RunRecord {
        family: family.into(),
        method: method.into(),
        seed,
        games: 1000,
        iterations: 10,
        score: estimate(score),
        opponents: None,
        is_random_start: false,
        is_start: false,
        budget: Some(1000),
        stop_reason: Some(StopReason::Games),
    }
}

/// Returns a meeting with the score of the first champion.
pub fn meeting(family: &str, a: (&str, u64), b: (&str, u64), score: f64) -> Measurement {
    Measurement {
        subject: a.0.into(),
        subject_seed: Some(a.1),
        opponent: b.0.into(),
        opponent_seed: Some(b.1),
        ..Measurement::new(MeasurementKind::Meeting, family, estimate(score))
    }
}

/// Returns the score of a champion in a seat, against redrawn opponents.
pub fn seat(family: &str, method: &str, seed: u64, seat: &str, score: f64) -> Measurement {
    Measurement {
        condition: seat.into(),
        kind: MeasurementKind::Seat,
        ..reference(family, method, seed, "redrawn", score)
    }
}

/// Returns the score of a champion against a reference strategy.
pub fn reference(family: &str, method: &str, seed: u64, name: &str, score: f64) -> Measurement {
    Measurement {
        subject: method.into(),
        subject_seed: Some(seed),
        opponent: name.into(),
        ..Measurement::new(MeasurementKind::Reference, family, estimate(score))
    }
}

/// Returns the score of a yardstick against the baseline of the runs with this seed.
pub fn yardstick(
    family: &str,
    kind: YardstickKind,
    name: &str,
    seed: u64,
    score: Estimate,
) -> Measurement {
    Measurement {
        condition: kind.name().into(),
        subject: name.into(),
        opponent: "redrawn".into(),
        opponent_seed: Some(seed),
        ..Measurement::new(MeasurementKind::Yardstick, family, score)
    }
}

/// Returns the response to a champion whose best response has this exact score.
pub fn exploited(family: &str, method: &str, seed: u64, score: f64) -> Measurement {
    Measurement {
        condition: Product::Champion.name().into(),
        subject: ResponseKind::Exact.name().into(),
        opponent: method.into(),
        opponent_seed: Some(seed),
        how: "computed best response".into(),
        ..Measurement::new(MeasurementKind::Response, family, Estimate::computed(score, 0))
    }
}

/// Returns a response to a champion that a search found.
pub fn lower_bound(family: &str, method: &str, seed: u64, score: f64) -> Measurement {
    Measurement {
        subject: ResponseKind::LowerBound.name().into(),
        ..exploited(family, method, seed, score).scored(estimate(score))
    }
}

/// Returns the certificate of a champion whose best response scores between these bounds.
pub fn certified(family: &str, method: &str, seed: u64, [low, high]: [f64; 2]) -> Measurement {
    Measurement {
        kind: MeasurementKind::Certificate,
        subject: "best-response".into(),
        low,
        how: "a response that sees everything takes the upper bound".into(),
        ..exploited(family, method, seed, high)
    }
}

/// Returns the worth of a group of parameters, from 20 000 pairs. The worth is in the middle of its interval, and is
/// exact if the interval has no width.
pub fn worth(
    family: &str,
    method: &str,
    seed: u64,
    group: &str,
    [low, high]: [f64; 2],
) -> Measurement {
    let score = 0.5 * (low + high);
    let is_exact = low == high;
    Measurement {
        kind: MeasurementKind::Ablation,
        condition: group.into(),
        low,
        high,
        pairs: if is_exact { 0 } else { 20_000 },
        with: (!is_exact).then_some(0.7),
        without: (!is_exact).then_some(0.7 - score),
        ..reference(family, method, seed, "redrawn", score)
    }
}
