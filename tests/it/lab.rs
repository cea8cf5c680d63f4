//! Tests that an experiment leaves the same results whether the library or `ruse run` carries it out.

use std::collections::BTreeMap;
use std::fs;

use std::sync::Mutex;

use ruse::arena::StopSignal;
use ruse::lab::{self, Event, LabError, Phase, Watch};
use ruse::lab::{ExperimentSpec, Length, Plan, RunDirectory};
use ruse::registry::Registry;

use crate::own_family::run;
use crate::support::{Home, files, printed};

const EXPERIMENT: &str = "\
families:
- {family: pig, budget: 3k}
- {family: nim, budget: 2k}
methods: [naive, double-oracle]
comparison: betting
repeats: 2
half-width: 0.1
evaluation-pairs: 100
monitor-pairs: 20
outputs: []
";

/// An observer that counts events, and stops at a given number of iterations.
#[derive(Default)]
struct Counter {
    counts: Mutex<BTreeMap<&'static str, u64>>,
    stop: Option<(u64, StopSignal)>,
    phase: Mutex<Option<Phase>>,
}

impl Watch for Counter {
    fn on_event(&self, event: &Event<'_>) {
        let name = match event {
            Event::RunsBegin { .. } => "runs begin",
            Event::RunBegins { .. } => "run begins",
            Event::RunGoesOn { fraction, .. } => {
                assert!((0.0..=1.0).contains(fraction), "{fraction}");
                return;
            }
            Event::IterationDone { .. } => "iteration done",
            Event::RunDone { .. } => "run done",
            Event::RunsDone => "runs done",
            Event::PhaseBegins { phase, .. } => {
                *self.phase.lock().expect("no thread panics") = Some(*phase);
                return;
            }
            Event::PhaseGoesOn { .. } => match *self.phase.lock().expect("no thread panics") {
                Some(Phase::Meetings) => "meeting begins",
                Some(Phase::Responses) => "response done",
                _ => return,
            },
            _ => return,
        };
        let mut counts = self.counts.lock().expect("no thread panics");
        let count = counts.entry(name).or_default();
        *count += 1;
        if let Some((iterations, stop)) = &self.stop
            && name == "iteration done"
            && *count == *iterations
        {
            stop.raise();
        }
    }
}

#[test]
fn the_library_leaves_what_the_program_leaves_stopped_or_not() {
    let path = &*Home::with("e.yaml", EXPERIMENT);
    printed("run e.yaml --out program -q", path);
    let expected = files(&path.join("program"));

    let registry = Registry::standard();
    let plan = Plan::read(&path.join("e.yaml"), &registry).expect("an experiment");
    let library = path.join("library");
    let directory = RunDirectory::create(Some(&library), &plan).expect("a new directory");
    let stop = StopSignal::default();
    let watch = Counter { stop: Some((30, stop.clone())), ..Counter::default() };
    let outcome = lab::carry_out(&plan, &registry, &directory, &watch, &stop).expect("no error");
    assert!(outcome.was_stopped && outcome.was_unfinished);
    drop(directory);

    let (directory, plan) = RunDirectory::reopen(&library, &registry).expect("as it was left");
    let (watch, stop) = (Counter::default(), StopSignal::default());
    let outcome = lab::carry_out(&plan, &registry, &directory, &watch, &stop).expect("no error");
    assert!(!outcome.was_stopped && outcome.was_unfinished);
    assert_eq!(outcome.runs.len(), 8);
    assert_eq!(files(&library).len(), expected.len() + 1, "and the lock, as long as it is held");
    let counts = watch.counts.lock().expect("no thread panics").clone();
    // Every run was carried out once, before or after the stop. Each family has four meetings, a best champion, and
    // mixtures.
    for (name, count) in
        [("runs begin", 1), ("run done", 8), ("runs done", 1), ("meeting begins", 8)]
    {
        assert_eq!(counts.get(name), Some(&count), "{name} of {counts:?}");
    }
    assert!(counts["run begins"] >= 1 && counts["response done"] >= 8, "{counts:?}");

    // Finished work is not repeated.
    let outcome = lab::carry_out(&plan, &registry, &directory, &(), &stop).expect("no error");
    assert!(!outcome.was_unfinished);
    assert!(outcome.runs.iter().all(|run| run.learning.is_none()));
    drop(directory);
    assert_eq!(files(&library), expected);

    // Published runs are not started again.
    fs::remove_file(library.join("pig-naive-seed1/checkpoint.yaml")).expect("there");
    let (directory, plan) = RunDirectory::reopen(&library, &registry).expect("an experiment");
    let refused = lab::carry_out(&plan, &registry, &directory, &(), &stop);
    assert!(matches!(refused, Err(LabError::Directory(_))));
}

#[test]
fn the_example_carries_out_a_plan() {
    let path = &*Home::with("e.yaml", "family: pig\nbudget: 2k\n");
    let printed = run("run_a_plan", path, &["e.yaml", "out"]);
    assert!(printed.starts_with("pig-es-seed1: "), "{printed}");
    assert!(printed.ends_with("1 of 1 runs are done\n"), "{printed}");
    assert!(path.join("out/pig-es-seed1/strategy.yaml").exists());
}

/// The command line can be called repeatedly within another program, and returns its exit code.
#[test]
fn the_program_is_called_with_arguments() {
    let registry = Registry::standard();
    let parent = &*Home::new();
    let out = |name: &str| parent.join(name).into_os_string();
    let run = |name: &str| {
        let words = ["ruse", "optimise", "pig", "--budget", "2k", "--method", "naive", "--out"];
        let words = words.into_iter().map(std::ffi::OsString::from).chain([out(name)]);
        ruse::cli::run_from(&registry, words.chain(["--quiet".into()]))
    };
    assert_eq!([run("one"), run("two")], [0, 0]);
    // The output exists already.
    assert_eq!(run("one"), 2);
    let strategies = ["one", "two"].map(|name| {
        let path = parent.join(name).join("pig-naive-seed1/strategy.yaml");
        std::fs::read_to_string(path).expect("it was written")
    });
    assert_eq!(strategies[0], strategies[1]);
}

/// The library also writes the files that commands write in addition to the results.
#[test]
fn a_plan_is_carried_out_with_all_its_files() {
    let registry = Registry::standard();
    let parent = &*Home::new();
    let spec = ExperimentSpec { length: Length::games(2_000), ..ExperimentSpec::new("pig") };
    let plan = Plan::new(spec, &registry).expect("valid");
    let path = parent.join("pig");
    let directory = RunDirectory::create(Some(&path), &plan).expect("a new directory");
    let stop = StopSignal::default();
    let outcome = ruse::cli::carry_out(&plan, &registry, &directory, &(), &stop);
    assert!(!outcome.expect("nothing is in its way").was_stopped);
    assert!(path.join("learning-curve.svg").is_file());
    let page = parent.join("page.html");
    ruse::cli::write_page(&directory, &plan, &registry, &page, false, None).expect("writable");
    assert!(page.is_file());
}
