//! Tests that the benches play the same games as before. If they played other games after a change, this could look
//! like a change in speed.
//!
//! An intended change of results also changes `benches/outcomes/`, but the reference values in `reference_values.rs`
//! stay valid.

#[path = "../../benches/workload/observations.rs"]
mod observations;
#[path = "../../benches/workload/mod.rs"]
mod workload;

use observations::{RATES, expected_verdicts, hold_races, observations};
use ruse::race::Operator;
use ruse::registry::Registry;
use workload::{Workload, expected_outcomes};

#[test]
fn outcomes_are_those_written_down() {
    let mut wrong = String::new();
    for family in Registry::standard().families() {
        let mut workload = Workload::new(family);
        let outcomes = workload.play();
        assert_eq!(outcomes.iter().sum::<u64>(), workload.num_games());
        if expected_outcomes(family.name()) != Some(outcomes) {
            let [wins, draws, losses] = outcomes;
            wrong += &format!("{}.txt: {wins} {draws} {losses}\n", family.name());
        }
    }
    assert!(
        wrong.is_empty(),
        "these should be the contents of files in benches/outcomes/families/:\n{wrong}"
    );
}

#[test]
fn races_end_as_written_down() {
    let streams = RATES.map(observations);
    let mut wrong = String::new();
    for operator in Operator::ALL {
        let found = [0, 1].map(|index| hold_races(operator, &streams[index]));
        if expected_verdicts(operator) != Some(found) {
            let [[a, b], [c, d]] = found;
            wrong += &format!("{}.txt:\n{a} {b}\n{c} {d}\n", operator.name());
        }
    }
    assert!(
        wrong.is_empty(),
        "these should be the contents of files in benches/outcomes/races/:\n{wrong}"
    );
}
