use super::*;
use crate::fixtures::{certified, estimate, exploited, meeting, run, worth};

fn records() -> Records {
    Records {
        families: vec!["war".into()],
        methods: vec!["naive".into(), "seeds".into()],
        runs: vec![run("war", "naive", 1, 0.5), run("war", "seeds", 1, 0.6)],
        meetings: vec![meeting("war", ("naive", 1), ("seeds", 1), 0.4)],
        exploitability: vec![exploited("war", "seeds", 1, 0.7)],
        certificates: vec![certified("war", "naive", 1, [0.5, 0.75])],
        yardsticks: vec![YardstickRecord {
            family: "war".into(),
            seed: 1,
            kind: YardstickKind::Zero,
            name: "all parameters 0".into(),
            score: estimate(0.5),
        }],
        references: vec![ReferenceRecord {
            family: "war".into(),
            method: "naive".into(),
            seed: 1,
            reference: "random".into(),
            score: estimate(0.6),
        }],
        ablation: vec![worth("war", "naive", 1, "C", [0.1, 0.2])],
        measurements: Vec::new(),
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
    let nan_bound = [f64::NAN, 0.5];
    assert!(refused(&|r| r.meetings[0].estimate.interval = nan_bound).contains("makes no sense"));
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
        refused(&|records| records.meetings.push(other_side.clone())),
        "there are two records of the meeting of seeds (seed 1) and naive (seed 1) on war; keep one of them"
    );
    let itself = meeting("war", ("seeds", 1), ("seeds", 1), 0.5);
    assert!(refused(&|r| r.meetings.push(itself.clone())).contains("against itself"));
    assert_eq!(
        refused(&|r| r.exploitability[0].response = estimate(0.4)),
        "the exploitability of the champion of seeds on war with seed 1: the response scores 0.4, and the \
         strategy itself .5; leave it out"
    );
    let twice = exploited("war", "seeds", 1, 0.6);
    assert!(refused(&|r| r.exploitability.push(twice.clone())).contains("two records"));
    let twice = certified("war", "naive", 1, [0.5, 0.9]);
    assert!(refused(&|r| r.certificates.push(twice.clone())).contains("two records"));
    assert!(refused(&|r| r.exploitability[0].response.score = f64::NAN).contains("NaN"));
    assert_eq!(
        refused(&|r| r.yardsticks[0].family = "chess".into()),
        "the yardstick all parameters 0 on chess with seed 1 is of the family `chess`, which is not listed; add \
         it to the list"
    );
    let again = records().references[0].clone();
    assert_eq!(
        refused(&|r| r.references.push(again.clone())),
        "there are two records of naive on war with seed 1 against random; keep one of them"
    );
    assert_eq!(
        refused(&|r| r.ablation[0].worth = f64::NAN),
        "the worth of C to naive on war with seed 1: NaN with the interval [0.1, 0.2] makes no sense; a worth lies in \
         its interval, and that in [-1, 1]"
    );
    let again = records().ablation[0].clone();
    assert_eq!(
        refused(&|r| r.ablation.push(again.clone())),
        "there are two records of the worth of C to naive on war with seed 1; keep one of them"
    );
    assert_eq!(estimate(0.5).interval, [0.49, 0.51]);
}
