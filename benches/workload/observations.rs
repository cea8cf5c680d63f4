//! Synthetic observations for the benches of races: pairs of two independent games.

use rand::RngExt;
use ruse::race::{Limits, Operator, Race};
use ruse::rng::StreamKey;

/// The winning rates at which races are timed: one for equal players, and one for a slightly better candidate.
pub(crate) const RATES: [f64; 2] = [0.5, 0.55];

/// The number of observations in a stream: enough for several Bernstein races between equal players.
const NUM_OBSERVATIONS: usize = 150_000;

/// Returns the quarter points of pairs of games that are won with probability `rate`, without draws.
pub(crate) fn observations(rate: f64) -> Vec<u16> {
    let mut rng = StreamKey::root(1).stream();
    let mut half_points = move || 2 * u16::from(rng.random::<f64>() < rate);
    (0..NUM_OBSERVATIONS).map(|_| half_points() + half_points()).collect()
}

/// Runs one race after another until the observations are used up, so the last race may stay undecided. Returns the
/// number of races that accepted the candidate and the number of races that refused it.
pub(crate) fn hold_races(comparison: Operator, observations: &[u16]) -> [u64; 2] {
    let new_race = || comparison.race(Limits::default(), 4);
    let mut race = new_race();
    let mut verdicts = [0; 2];
    for &observation in observations {
        if let Some(verdict) = race.push(observation).break_value() {
            verdicts[usize::from(!verdict.accepts())] += 1;
            race = new_race();
        }
    }
    verdicts
}

/// Returns the reviewed verdicts of [`hold_races`] at each of [`RATES`], from `benches/outcomes/races/OPERATOR.txt`:
/// one line for each rate.
pub(crate) fn expected_verdicts(comparison: Operator) -> Option<[[u64; 2]; 2]> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/outcomes/races");
    let text = std::fs::read_to_string(format!("{path}/{}.txt", comparison.name())).ok()?;
    let counts: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
    let [a, b, c, d] = counts.ok()?.try_into().ok()?;
    Some([[a, b], [c, d]])
}
