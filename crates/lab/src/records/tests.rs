use super::*;
use crate::fixtures::{
    certified, estimate, exploited, lower_bound, meeting, reference, run, seat, worth, yardstick,
};
use crate::measurement::YardstickKind;

fn records() -> Records {
    Records {
        families: vec!["war".into()],
        methods: vec!["naive".into(), "seeds".into()],
        runs: vec![run("war", "naive", 1, 0.5), run("war", "seeds", 1, 0.6)],
        measurements: vec![
            meeting("war", ("naive", 1), ("seeds", 1), 0.4),
            exploited("war", "seeds", 1, 0.7),
            certified("war", "naive", 1, [0.5, 0.75]),
            yardstick("war", YardstickKind::Zero, "all parameters 0", 1, estimate(0.5)),
            reference("war", "naive", 1, "random", 0.6),
            worth("war", "naive", 1, "C", [0.1, 0.2]),
            seat("war", "naive", 1, "first", 0.6),
        ],
        curves: Vec::new(),
    }
}

#[test]
fn sound_records_pass_and_come_back_from_json() {
    let records = records();
    assert_eq!(records.check(), Ok(()));
    assert_eq!(Records::default().check(), Ok(()));
    let text = serde_json::to_string(&records).expect("plain data");
    assert_eq!(serde_json::from_str::<Records>(&text).expect("its own text"), records);
}

#[test]
fn inconsistent_records_are_refused() {
    let [met, response, yardstick, worth] = [0, 1, 3, 5];
    let refused = |change: &dyn Fn(&mut Records)| {
        let mut records = records();
        change(&mut records);
        records.check().expect_err("there is a mistake").to_string()
    };
    assert_eq!(
        refused(&|records| records.runs[0].score.score = f64::NAN),
        "the run of naive on war with seed 1: score NaN with the interval [0.49, 0.51] makes no sense; \
         a score lies in its interval, and that in [0, 1]"
    );
    assert!(refused(&|r| r.measurements[met].low = f64::NAN).contains("makes no sense"));
    assert!(refused(&|r| r.runs[1].score.interval[1] = 1.1).contains("makes no sense"));
    assert_eq!(
        refused(&|records| records.runs[0].score.confidence = 0.9),
        "the run of naive on war with seed 1: the confidence is 0.9, and tables are of 0.95; score it again"
    );
    assert_eq!(
        refused(&|records| records.methods.truncate(1)),
        "the run of seeds on war with seed 1 is of the method `seeds`, which is not listed; add it to the \
         list"
    );
    assert_eq!(
        refused(&|records| records.families.push("war".into())),
        "the family `war` is listed twice; list it once"
    );
    assert_eq!(
        refused(&|records| records.runs[1] = run("war", "naive", 1, 0.7)),
        "there are two records of the run of naive on war with seed 1; keep one of them"
    );
    let other_side = meeting("war", ("seeds", 1), ("naive", 1), 0.6);
    assert_eq!(
        refused(&|records| records.measurements.push(other_side.clone())),
        "there are two records of the meeting of seeds (seed 1) and naive (seed 1) on war; keep one of them"
    );
    let itself = meeting("war", ("seeds", 1), ("seeds", 1), 0.5);
    assert!(refused(&|r| r.measurements.push(itself.clone())).contains("against itself"));
    assert_eq!(
        refused(&|r| r.measurements[response] = exploited("war", "seeds", 1, 0.4)),
        "the exploitability of the champion of seeds on war with seed 1: the response scores 0.4, and the \
         strategy itself .5; leave it out"
    );
    for twice in [lower_bound("war", "seeds", 1, 0.6), certified("war", "naive", 1, [0.5, 0.9])] {
        assert!(refused(&|r| r.measurements.push(twice.clone())).contains("two records"));
    }
    assert!(refused(&|r| r.measurements[response].score = f64::NAN).contains("NaN"));
    assert_eq!(
        refused(&|r| r.measurements[response].opponent_seed = None),
        "the exploitability of the champion of seeds on war: the measurement lacks a seed or a condition; complete it"
    );
    assert_eq!(
        refused(&|r| r.measurements[yardstick].family = "chess".into()),
        "the yardstick all parameters 0 on chess with seed 1 is of the family `chess`, which is not listed; add \
         it to the list"
    );
    assert_eq!(
        refused(&|r| r.measurements[worth].score = f64::NAN),
        "the worth of C to naive on war with seed 1: NaN with the interval [0.1, 0.2] makes no sense; a worth lies in \
         its interval, and that in [-1, 1]"
    );
    for (index, description) in [
        (4, "naive on war with seed 1 against random"),
        (5, "the worth of C to naive on war with seed 1"),
        (6, "naive on war with seed 1 against redrawn (first)"),
    ] {
        let again = records().measurements[index].clone();
        assert_eq!(
            refused(&|r| r.measurements.push(again.clone())),
            format!("there are two records of {description}; keep one of them")
        );
    }
    assert_eq!(estimate(0.5).interval, [0.49, 0.51]);
}
