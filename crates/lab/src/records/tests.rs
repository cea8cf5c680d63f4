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
    let of_run = "the run of naive on war with seed 1";
    let of_response = "the exploitability of the champion of seeds on war";
    type Change<'a> = (&'a dyn Fn(&mut Records), String);
    let changes: [Change<'_>; 13] = [
        (&|r| r.runs[0].score.score = f64::NAN, format!("{of_run}: NaN with the interval ")),
        (&|r| r.measurements[met].low = f64::NAN, "makes no sense".into()),
        (&|r| r.runs[1].score.interval[1] = 1.1, "makes no sense".into()),
        (&|r| r.runs[0].score.confidence = 0.9, format!("{of_run}: the confidence is 0.9")),
        (&|r| r.methods.truncate(1), "on war with seed 1 is of the method `seeds`, which ".into()),
        (&|r| r.families.push("war".into()), "the family `war` is listed twice".into()),
        (&|r| r.runs[1] = run("war", "naive", 1, 0.7), format!("two records of {of_run}")),
        (
            &|r| r.measurements[response] = exploited("war", "seeds", 1, 0.4),
            format!("{of_response} with seed 1: the response scores 0.4"),
        ),
        (&|r| r.measurements[response].score = f64::NAN, "NaN".into()),
        (
            &|r| r.measurements[response].opponent_seed = None,
            format!("{of_response}: the measurement lacks a seed"),
        ),
        (
            &|r| r.measurements[yardstick].family = "chess".into(),
            "the yardstick all parameters 0 on chess with seed 1 is of the family `chess`".into(),
        ),
        (
            &|r| r.measurements[worth].score = f64::NAN,
            "the worth of C to naive on war with seed 1: NaN with the interval [0.1, 0.2]".into(),
        ),
        (
            &|r| r.measurements.push(meeting("war", ("seeds", 1), ("seeds", 1), 0.5)),
            "against itself".into(),
        ),
    ];
    for (change, message) in &changes {
        let found = refused(*change);
        assert!(found.contains(message), "{message}: {found}");
    }
    for (again, description) in [
        (
            meeting("war", ("seeds", 1), ("naive", 1), 0.6),
            "the meeting of seeds (seed 1) and naive",
        ),
        (lower_bound("war", "seeds", 1, 0.6), of_response),
        (certified("war", "naive", 1, [0.5, 0.9]), "the certificate of the champion of naive"),
        (records().measurements.remove(4), "naive on war with seed 1 against random"),
        (records().measurements.remove(5), "the worth of C to naive on war with seed 1"),
        (records().measurements.remove(6), "naive on war with seed 1 against redrawn (first)"),
    ] {
        let found = refused(&|r| r.measurements.push(again.clone()));
        assert!(found.contains(&format!("two records of {description}")), "{found}");
    }
    assert_eq!(estimate(0.5).interval, [0.49, 0.51]);
}
