//! Sample records for tests.

use ruse_play::arena::StopReason;
use ruse_play::score::{CONFIDENCE, Estimate};

use super::measurement::{Measurement, MeasurementKind};
use super::records::{
    AblationRecord, CertificateRecord, ExploitRecord, MeetingRecord, Product, ResponseKind, RunId,
    RunRecord,
};

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
pub fn meeting(family: &str, a: (&str, u64), b: (&str, u64), score: f64) -> MeetingRecord {
    let [a, b] = [a, b].map(|(method, seed)| RunId { method: method.into(), seed });
    MeetingRecord { family: family.into(), a, b, estimate: estimate(score) }
}

/// Returns the score of a champion in a seat, against redrawn opponents.
pub fn seat(family: &str, method: &str, seed: u64, seat: &str, score: f64) -> Measurement {
    Measurement {
        condition: seat.into(),
        subject: method.into(),
        subject_seed: Some(seed),
        opponent: "redrawn".into(),
        ..Measurement::new(MeasurementKind::Seat, family, estimate(score))
    }
}

/// Returns the record of a champion whose best response has this exact score.
pub fn exploited(family: &str, method: &str, seed: u64, score: f64) -> ExploitRecord {
    ExploitRecord {
        family: family.into(),
        method: method.into(),
        product: Product::Champion,
        seed,
        kind: ResponseKind::Exact,
        response: Estimate { pairs: 0, ..exact(score) },
        how: "computed best response".into(),
    }
}

/// Returns the record of a champion whose best response scores between these bounds.
pub fn certified(
    family: &str,
    method: &str,
    seed: u64,
    [low, high]: [f64; 2],
) -> CertificateRecord {
    CertificateRecord {
        family: family.into(),
        method: method.into(),
        product: Product::Champion,
        seed,
        bounds: Estimate { score: high, interval: [low, high], pairs: 0, ..exact(high) },
        how: "a response that sees everything takes the upper bound".into(),
    }
}

/// Returns the worth of a group of two parameters, from 20 000 pairs. The worth is in the middle of its interval, and
/// is exact if the interval has no width.
pub fn worth(
    family: &str,
    method: &str,
    seed: u64,
    group: &str,
    interval: [f64; 2],
) -> AblationRecord {
    let worth = 0.5 * (interval[0] + interval[1]);
    let is_exact = interval[0] == interval[1];
    AblationRecord {
        family: family.into(),
        method: method.into(),
        seed,
        group: group.into(),
        num_parameters: 2,
        worth,
        interval,
        confidence: CONFIDENCE,
        pairs: if is_exact { 0 } else { 20_000 },
        score_with: (!is_exact).then_some(0.7),
        score_without: (!is_exact).then_some(0.7 - worth),
    }
}
