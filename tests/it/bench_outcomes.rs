//! The benches play what they played before: a faster kernel that plays another game is no faster.
//!
//! When results change for a reason, `benches/outcomes.txt` changes with them, and the reference values
//! of `reference_values.rs` still hold.

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
    let mut found = String::new();
    let mut same = true;
    for family in Registry::standard().families() {
        let mut workload = Workload::new(family);
        let outcomes = workload.play();
        assert_eq!(outcomes.iter().sum::<u64>(), workload.num_games());
        same &= expected_outcomes(family.name()) == Some(outcomes);
        let [wins, draws, losses] = outcomes;
        found += &format!("{} {wins} {draws} {losses}\n", family.name());
    }
    assert!(same, "benches/outcomes.txt should have\n{found}");
}

#[test]
fn races_end_as_written_down() {
    let streams = RATES.map(observations);
    let found = |comparison| [0, 1].map(|index| hold_races(comparison, &streams[index]));
    assert_eq!(Operator::ALL.map(found), Operator::ALL.map(expected_verdicts));
}
