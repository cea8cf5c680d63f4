use super::*;
use crate::PlanSpec;
use crate::Study;
use crate::fixtures::plan;
use crate::language::written::PlayerSpec;

/// A comparison with options at every level.
const RICH: &str = "\
families:
  - war
  - {family: guess-who, name: small, rules: {characters: 16}, baseline: dichotomy, budget: 5k}
methods:
  - iterative
  - {method: iterative, name: betting, comparison: betting, delta: 0.1}
  - {method: seeds, individuals: 4}
precision: 0.02
budget: 1M
iterations: 100
repeats: 2
seed: 7
half-width: 0.01
";

#[test]
fn shared_options_hold_unless_overridden() {
    let plan = plan(RICH).expect("valid");
    let names: Vec<_> = plan.runs.iter().map(Experiment::run_name).collect();
    let methods = ["iterative", "betting", "seeds"];
    let runs = methods.map(|method| [7, 8].map(|seed| format!("{method}-seed{seed}"))).concat();
    let of_family = |family: &'static str| runs.iter().map(move |run| format!("{family}-{run}"));
    assert!(names.into_iter().eq(["war", "small"].into_iter().flat_map(of_family)));
    let resolved = |index: usize| &plan.runs[index].resolved;
    assert_eq!(resolved(0).races.comparison.as_deref(), Some("bernstein"));
    assert_eq!((resolved(0).races.delta, resolved(0).races.precision), (Some(0.05), Some(0.02)));
    assert_eq!(resolved(2).races.comparison.as_deref(), Some("betting"));
    assert_eq!((resolved(2).races.delta, resolved(2).races.precision), (Some(0.1), Some(0.02)));
    // The method `seeds` does not make comparisons.
    assert_eq!(resolved(4).races, RaceOptions::default());
    assert_eq!(resolved(4).options["individuals"], 4);
    assert_eq!(resolved(4).options["allocation"], "round-robin");
    assert_eq!(resolved(4).options["selection"], "by-seat");
    let length = |budget, iterations| Length { budget, iterations, ..Length::default() };
    assert_eq!(resolved(0).length, length(Some(1_000_000), Some(100)));
    // A family with its own length does not inherit the other limits.
    assert_eq!(resolved(6).length, length(Some(5_000), None));
    assert_eq!(resolved(6).against.baseline, Some(PlayerSpec::Name("dichotomy".into())));
    assert_eq!(plan.runs[6].rules()["characters"], 16);
    let Study::Meetings(meetings) = &plan.study else { panic!("a comparison") };
    assert_eq!(meetings.families, [("war".into(), 0.01), ("small".into(), 0.01)]);
    assert_eq!(meetings.methods, ["iterative", "betting", "seeds"]);
    // There are three pairs of methods, with two runs each.
    assert_eq!((meetings.num_repeats, meetings.num_meetings_each()), (2, 12));
    assert_eq!(plan.name(), "comparison-war-guess-who");
}

#[test]
fn with_many_seeds_each_champion_meets_ten_of_every_other_method() {
    let meetings = |text: &str| {
        let plan = plan(&format!("families: [pig]\nmethods: [naive, iterative, seeds]\n{text}"));
        let plan = plan.unwrap_or_else(|error| panic!("{text}: {error}"));
        let Study::Meetings(meetings) = plan.study else { panic!("a comparison") };
        let PlanSpec::Comparison(resolved) = plan.resolved else { panic!("a comparison") };
        (meetings, resolved.opponents)
    };
    // There are three pairs of methods. As before, the default number of opponents is not written.
    for (text, num_meetings, written) in [
        ("repeats: 10", 3 * 10 * 10, None),
        ("repeats: 10\nopponents: 10", 3 * 10 * 10, None),
        ("repeats: 10\nopponents: 500", 3 * 10 * 10, None),
        ("repeats: 10\nopponents: 4", 3 * 10 * 4, Some(4)),
        ("repeats: 11", 3 * 11 * 10, Some(10)),
        ("repeats: 11\nopponents: 1000", 3 * 11 * 11, Some(11)),
        ("repeats: 100", 3 * 100 * 10, Some(10)),
    ] {
        let (meetings, found) = meetings(text);
        assert_eq!((meetings.num_meetings_each(), found), (num_meetings, written), "{text}");
        let pairings = meetings.pairings();
        assert_eq!(pairings.len() as u64, num_meetings, "{text}");
        assert!(pairings.is_sorted(), "{text}");
        // Every run has equally many opponents from each other method.
        let repeats = meetings.num_repeats;
        for run in 0..3 * repeats {
            for method in (0..3).filter(|&method| method != run / repeats) {
                let with = |pair: &&[usize; 2]| {
                    let other = if pair[0] == run { pair[1] } else { pair[0] };
                    pair.contains(&run) && other / repeats == method
                };
                let num_opponents = pairings.iter().filter(with).count();
                assert_eq!(num_opponents, meetings.num_opponents, "{text}: {run}, {method}");
            }
        }
    }
    // The mean over 1000 meetings has a half-width of .005: .005 * sqrt(1000) = .158114.
    let (of_many, _) = meetings("repeats: 100");
    assert!((of_many.half_width_of_meeting(0) - 0.158_114).abs() < 1e-6);
    let (of_three, _) = meetings("repeats: 3");
    assert_eq!(of_three.half_width_of_meeting(0), 0.005 * 3.0);
    // In experiments from older versions, all runs meet.
    let text = "# The results beside this file are of exactly this experiment: 0\nfamilies: [pig]\nrepeats: 12";
    let Study::Meetings(before) = plan(text).expect("valid").study else { panic!("meetings") };
    assert_eq!(before.num_opponents, 12);
}

/// A method's own options override the options for all methods, which override its defaults.
#[test]
fn races_and_starts_are_those_of_the_method_of_all_or_usual() {
    use ruse_play::race::{Accept, Operator};

    use crate::language::start::Start;

    let found = |text: &str| -> Vec<(Operator, Accept, Start)> {
        let plan = plan(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let runs = plan.runs.iter();
        runs.map(|run| (run.races.comparison, run.races.acceptance.accept, run.start.clone()))
            .collect()
    };
    let usual = |name: &str| {
        let registry = Registry::standard();
        Start::usual(registry.method(name).expect("known").info().usual_start)
    };
    let (bernstein, betting) = (Operator::Bernstein, Operator::Betting);
    let (leading, proven) = (Accept::Leading, Accept::Proven);
    let methods = "families: [pig]\nrepeats: 1\nmethods: [naive, cma-es]";
    let expected = [(bernstein, leading, Start::Gaussian), (betting, proven, usual("cma-es"))];
    assert_eq!(found(methods), expected);
    // An operator and a start for all methods are used exactly as given.
    for operator in [bernstein, betting] {
        let text = format!("{methods}\ncomparison: {}\nstart: zero", operator.name());
        assert_eq!(
            found(&text),
            [(operator, leading, Start::Zero), (operator, leading, Start::Zero)]
        );
    }
    let expected = [(bernstein, proven, Start::Gaussian), (betting, proven, usual("cma-es"))];
    assert_eq!(found(&format!("{methods}\naccept: proven")), expected);
    // A method's own options override the options for all methods.
    let text = "families: [pig]\nrepeats: 1\ncomparison: bernstein\nstart: zero\nmethods:\n\
        - {method: naive, start: hold-25}\n- {method: cma-es, accept: proven, start: usual}\n\
        - {method: cma-es, name: b, comparison: betting, start: gaussian}\n";
    let hold_25 = Start::Reference { name: "hold-25".into(), parameters: vec![5.0] };
    let expected = [
        (bernstein, leading, hold_25),
        (bernstein, proven, usual("cma-es")),
        (betting, leading, Start::Gaussian),
    ];
    assert_eq!(found(text), expected);
}

#[test]
fn nothing_but_families_is_needed() {
    let plan = plan("families: all").expect("valid");
    let num_families = Registry::standard().families().count();
    assert_eq!(plan.runs.len(), num_families * Registry::standard().general_methods().count() * 3);
    assert_eq!(plan.name(), "comparison");
}
