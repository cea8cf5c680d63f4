//! Tests that combinatorial bandits agree with the measurements of another program that uses the same definitions.

use std::path::{Path, PathBuf};

use ruse::arena::StopSignal;
use ruse::bandits::{
    Choice, Given, GivenProblem, OpenError, OpenPosition, PositionReader, PositionSpec, Positions,
    ProblemFile, Reference, Row, Study,
};
use ruse::games::Seat;
use ruse::games::rts::{Map, Policy, Rts};
use ruse::notation::Notation;
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::score::SampleMean;

use crate::support::Home;

/// Returns the path of the file with the measurements. The environment variable `CMAB_SYNTHETIC` replaces the file of
/// this project with another file in the same format.
fn path() -> PathBuf {
    let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/bandits/synthetic.yaml");
    std::env::var_os("CMAB_SYNTHETIC").map_or_else(ours, PathBuf::from)
}

/// Converts the name of a strategy in the file to the notation of this program.
fn notation(name: &str) -> &str {
    match name {
        "ns-low" => "ns:e0=.4,el=.33",
        "two-phase-random" => "two-phase:share=.25,e0=1,el=1,eg=0,then-e0=.4,then-el=.33,then-eg=0",
        "egreedy-0.25" => "egreedy:e=.25",
        "egreedy-0.5" => "egreedy:e=.5",
        "lsi-v-e" => "lsi:others=v,draw=e",
        "lsi-f-e" => "lsi:others=f,draw=e",
        "lsi-v-u" => "lsi:others=v,draw=u",
        "lsi-f-u" => "lsi:others=f,draw=u",
        other => other,
    }
}

fn rows(problem: &GivenProblem, name: &str, budget: u64, num_runs: u64) -> Vec<Row> {
    let list = Notation::parse_list(notation(name)).expect("well formed");
    let strategies = [Choice::read(&list[0]).unwrap_or_else(|error| panic!("{name}: {error}"))];
    let study = Study { strategies: &strategies, budgets: &[budget], num_runs, num_judging: 1 };
    let best = problem.optimum.as_ref().map(|best| best.mean);
    let playground = Given { problem: &problem.problem, best, urgency: problem.urgency };
    let (key, stop) = (StreamKey::root(1), StopSignal::default());
    study.run(&playground, key, &stop, || ()).expect("not stopped")
}

/// The largest allowed distance between two means, in standard errors. There are 252 comparisons; if the means are
/// normal, one test in 600 fails by chance.
const MOST: f64 = 4.5;

/// Returns the distance between two means, in standard errors. If all runs agree, their spread is unknown, and the
/// standard error is assumed to be one over the number of runs, as stated in the file.
fn distance(ours: SampleMean, [mean, error]: [f64; 2], runs: u64) -> f64 {
    let or_part = |error: f64, runs: u64| if error > 0.0 { error } else { 1.0 / runs as f64 };
    let ours_error = or_part(ours.standard_error.expect("several runs"), ours.count);
    let error = or_part(error, runs);
    (ours.mean - mean).abs() / (ours_error * ours_error + error * error).sqrt()
}

/// Compares the simple and the cumulative regret with the file, for all budgets up to `max_budget`. `runs_of` returns
/// the number of runs to carry out, which is at most the number in the file. Returns the number of comparisons, and a
/// message for each mean that is too far from the mean in the file.
fn compare(max_budget: u64, runs_of: impl Fn(&Reference) -> u64) -> (usize, Vec<String>) {
    let file = ProblemFile::read(&path(), &Positions::default()).expect("it can be read");
    let (mut num, mut beyond, mut sum_of_squares, mut most) = (0, Vec::new(), 0.0, 0.0f64);
    for problem in &file.problems {
        for (name, by_budget) in &file.results[&problem.name] {
            for (&budget, reference) in by_budget.range(..=max_budget) {
                let row = &rows(problem, name, budget, runs_of(reference))[0];
                let regret = row.regret.expect("the best arm is known");
                for (what, ours, theirs) in [
                    ("simple", regret.simple, reference.simple),
                    ("cumulative", regret.cumulative, reference.cumulative),
                ] {
                    let distance = distance(ours, theirs, reference.runs);
                    num += 1;
                    sum_of_squares += distance * distance;
                    most = most.max(distance);
                    if distance > MOST {
                        let error = ours.standard_error.expect("several runs");
                        beyond.push(format!(
                            "{} {name} {budget}: {what} regret {:.6} +- {error:.6}, {theirs:?} in the file, {distance:.1} \
                             errors apart",
                            problem.name, ours.mean
                        ));
                    }
                }
            }
        }
    }
    println!(
        "{num} comparisons, {} beyond {MOST} errors, the most {most:.2}, root mean square {:.2}",
        beyond.len(),
        (sum_of_squares / num as f64).sqrt()
    );
    (num, beyond)
}

/// Compares all strategies at budgets of at most 100, with at most 50 runs each. There are about 80 comparisons, so one
/// test in 1,800 fails by chance.
#[test]
fn regrets_of_short_runs_are_those_of_another_program() {
    let (num, beyond) = compare(100, |reference| reference.runs.min(50));
    assert!(num >= 80, "{num} comparisons");
    assert!(beyond.is_empty(), "{beyond:#?}");
}

#[test]
#[ignore = "long"]
fn regrets_are_those_of_another_program() {
    let (num, beyond) = compare(u64::MAX, |reference| reference.runs);
    assert!(num >= 250, "{num} comparisons");
    assert!(beyond.is_empty(), "{beyond:#?}");
}

/// The results do not depend on the number of threads: threads share the runs, but their rows are added up in order.
#[test]
fn the_number_of_threads_changes_nothing() {
    let file = ProblemFile::read(&path(), &Positions::default()).expect("it can be read");
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let all = ["ns", "ucb1-fpu", "lsi-f-u"];
        pool.install(|| all.map(|name| rows(&file.problems[1], name, 200, 30)))
    };
    assert_eq!(on(1), on(3));
}

/// A game that is not part of this project, with one position.
struct Skirmish {}

impl PositionReader for Skirmish {
    fn game(&self) -> &str {
        "skirmish"
    }

    fn policies(&self) -> &[&str] {
        &["random"]
    }

    fn open(
        &self,
        spec: &PositionSpec,
        name: Option<&str>,
        urgency: Option<f64>,
    ) -> Result<Box<dyn OpenPosition>, OpenError> {
        assert_eq!((name, spec.policy.as_str()), (Some("hill"), "random"));
        let game = Rts::on(Map::from_text("hill", "b..\n..w\nW.B").expect("a map"));
        let state = game.start();
        spec.position((game, state, Seat::First), Policy::Random, urgency)
    }
}

#[test]
fn a_game_of_another_program_has_positions() {
    let registry = Registry::standard().with_positions(Skirmish {});
    let positions = registry.positions();
    assert_eq!(positions.games().collect::<Vec<_>>(), ["rts", "skirmish"]);
    let spec = positions.usual("skirmish:hill").expect("the game is there");
    let position = positions.open(&spec, None).expect("a position with a choice");
    assert!(position.num_variables() > 0);
    let greedy = PositionSpec { policy: "greedy".into(), ..spec };
    assert!(matches!(positions.open(&greedy, None), Err(OpenError::Unknown(_))));

    // Positions work in files and in commands.
    let directory = &*Home::new();
    let path = directory.join("problems.yaml");
    std::fs::write(&path, "positions:\n  a: { start: skirmish:hill, horizon: 10 }\n")
        .expect("writable");
    let file = ProblemFile::read(&path, positions).expect("a position");
    assert_eq!(file.positions[0].spec.policy, "random");
    for problems in ["skirmish:hill", path.to_str().expect("text")] {
        let few = ["--strategies", "random", "--budget", "2", "--repeats", "2", "--judge", "2"];
        let arguments = [&["ruse", "bandit", problems, "--threads", "1"][..], &few].concat();
        assert_eq!(ruse::cli::run_from(&registry, arguments), 0, "{problems}");
    }
}
