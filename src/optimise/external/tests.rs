#![cfg(unix)]

use std::convert::Infallible;
use std::time::{Duration, Instant};

use super::*;
use crate::arena::StopSignal;
use crate::optimise::{
    Budget, IterationRecord, Observer, Progress, Resumption, RunError, RunResult, SearchState,
    Task, run,
};
use crate::race::{Acceptance, Limits, Operator};
use crate::registry::Registry;
use crate::rng::StreamKey;

/// A search in a few lines of a shell: three requests, of which each names the better one of the last as champion.
const SEARCH: &str = r#"
read -r task
seed=$(printf '%s' "$task" | sed 's/.*"seed":\([0-9]*\).*/\1/')
for i in 1 2 3; do
    printf '{"evaluate":[[0,0,0],[0,-%s,%s]],"pairs":20}\n' "$i" "$((seed % 5 + i))"
    read -r answer
    case $answer in
        *stop*) break ;;
    esac
    printf '{"champion":[0,-%s,%s]}\n' "$i" "$((seed % 5 + i))"
done
"#;

/// The words of a script.
fn shell(script: &str) -> External {
    let words = ["sh".to_string(), "-c".into(), script.into()];
    External {
        command: "sh search.sh".into(),
        words: words.into(),
        patience: Patience { parting: Duration::from_secs(2), silence: Duration::from_millis(300) },
    }
}

#[derive(Default)]
struct Recorder(Vec<(IterationRecord, SearchState)>);

impl Observer for Recorder {
    type Error = Infallible;

    fn on_progress(&mut self, _: Progress) {}

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        state: &SearchState,
    ) -> Result<(), Infallible> {
        self.0.push((record.clone(), state.clone()));
        Ok(())
    }
}

fn run_of(
    external: External,
    budget: Budget,
    resumption: Option<Resumption>,
    stop: &StopSignal,
) -> (Result<RunResult, RunError<Infallible>>, Recorder) {
    let registry = Registry::standard();
    let war = registry.family("war").expect("known");
    let task = Task {
        family: war.as_ref(),
        comparison: Operator::Betting,
        limits: Limits::default(),
        acceptance: Acceptance::default(),
        start: Some(vec![0.0; 3]),
        method: Arc::new(external),
        budget,
        baseline: Player::Redrawn,
        scored_against: None,
        monitor_pairs: 10,
        key: StreamKey::root(7),
    };
    let mut recorder = Recorder::default();
    let result = run(&task, resumption, stop, &mut recorder);
    (result, recorder)
}

fn games(games: u64) -> Budget {
    Budget { games: Some(games), ..Budget::default() }
}

fn failure_of(script: &str, budget: u64) -> String {
    match run_of(shell(script), games(budget), None, &StopSignal::default()).0 {
        Err(RunError::Method(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn commands_are_known_by_a_blank_or_a_slash() {
    for name in ["naive", "cma-es", "my_optimiser", ""] {
        assert!(External::parse(name).is_none(), "{name}");
    }
    let words = |name: &str| External::parse(name).expect("a command").words.to_vec();
    assert_eq!(words("python 'my optimiser.py' -v"), ["python", "my optimiser.py", "-v"]);
    assert_eq!(words("./search"), ["./search"]);
    assert!(External::parse("python 'no end").is_none());
    assert!(External::parse("  ").is_none());
}

#[test]
fn labels_can_be_parts_of_paths() {
    for (name, label) in [
        ("naive", "naive"),
        ("python my_optimiser.py", "my_optimiser"),
        ("python my_optimiser.py --pairs=50", "my_optimiser"),
        ("python -m ruse.external nevergrad TBPSA", "ruse-nevergrad-TBPSA"),
        ("./search", "search"),
        ("../../search.d/run.v2.sh 3", "3"),
        ("/ /", "program"),
    ] {
        assert_eq!(method_label(name), label, "{name}");
    }
    let long = format!("python {}", "x".repeat(300));
    assert_eq!(method_label(&long).len(), LONGEST_LABEL);
}

#[test]
fn a_program_searches() {
    let (result, recorder) = run_of(shell(SEARCH), games(1000), None, &StopSignal::default());
    let result = result.expect("it runs");
    assert_eq!((result.iterations, result.games), (3, 3 * 2 * 2 * 20));
    assert_eq!(result.stop_reason, StopReason::Finished);
    assert_eq!(result.champion[..2], [0.0, -3.0]);
    let joined = recorder.0.iter().map(|(record, _)| record.joined.as_ref().map(|x| x[1]));
    assert_eq!(joined.collect::<Vec<_>>(), [Some(0.0), Some(-1.0), Some(-2.0), Some(-3.0)]);
    let again = run_of(shell(SEARCH), games(1000), None, &StopSignal::default());
    assert_eq!(again.0.expect("it runs"), result);
    assert_eq!(again.1.0, recorder.0);
}

#[test]
fn what_it_is_told_are_the_scores_of_its_requests() {
    let (_, recorder) = run_of(shell(SEARCH), games(1000), None, &StopSignal::default());
    let (record, state) = &recorder.0[1];
    let answers = &state.method["answers"];
    let scores: Vec<f64> = serde_json::from_value(answers[0]["scores"].clone()).expect("numbers");
    let Some(Step::Learned { estimate, .. }) = record.step else { panic!("{record:?}") };
    assert_eq!(estimate.score, scores[0].max(scores[1]));
    assert_eq!(answers[0]["games_left"], 1000 - 80);
    // To put cards back high card first beats random parameters, as 0 does not.
    assert!(scores[1] > scores[0], "{scores:?}");
}

#[test]
fn it_is_told_when_the_budget_is_used_and_may_name_a_champion_then() {
    let script = format!("{SEARCH}\nprintf '{{\"champion\":[5,5,5]}}\\n'");
    // Two requests take 80 games each.
    for (budget, iterations) in [(239, 2), (160, 2), (159, 1)] {
        let (result, _) = run_of(shell(&script), games(budget), None, &StopSignal::default());
        let result = result.expect("it runs");
        assert_eq!((result.iterations, result.stop_reason), (iterations, StopReason::Games));
        assert_eq!(result.champion, [5.0; 3], "{budget}");
    }
    let (result, _) = run_of(shell(&script), games(79), None, &StopSignal::default());
    let result = result.expect("it runs");
    assert_eq!((result.games, result.stop_reason), (0, StopReason::Games));
}

#[test]
fn a_run_goes_on_from_each_iteration() {
    let whole = run_of(shell(SEARCH), games(1000), None, &StopSignal::default());
    let result = whole.0.expect("it runs");
    for place in 0..whole.1.0.len() {
        let seen = &whole.1.0[..=place];
        let population = seen.iter().filter_map(|(record, _)| record.joined.clone()).collect();
        // As a file keeps it.
        let text = serde_json::to_string(&seen[place].1).expect("plain data");
        let state = serde_json::from_str(&text).expect("it was written so");
        let resumption = Some(Resumption { state, population });
        let rest = run_of(shell(SEARCH), games(1000), resumption, &StopSignal::default());
        assert_eq!(rest.0.expect("it runs"), result, "{place}");
        assert_eq!(rest.1.0, whole.1.0[place + 1..]);
    }
}

#[test]
fn a_program_that_asks_something_else_than_before_cannot_go_on() {
    let whole = run_of(shell(SEARCH), games(1000), None, &StopSignal::default());
    let (_, state) = whole.1.0[2].clone();
    let resumption = Resumption { state, population: vec![vec![0.0; 3]] };
    let other = SEARCH.replace("seed % 5 + i", "seed % 5 + i * i");
    let result = run_of(shell(&other), games(1000), Some(resumption), &StopSignal::default()).0;
    let reason = result.expect_err("it asks otherwise").to_string();
    assert!(reason.contains("does not ask what it asked before (request 2)"), "{reason}");
}

#[test]
fn programs_that_fail_are_named_with_what_they_say() {
    let reason = failure_of("read x; echo 'no such module' >&2; exit 3", 1000);
    assert!(reason.contains("exit status: 3"), "{reason}");
    assert!(reason.ends_with("it says:\n  no such module"), "{reason}");
    for (script, problem) in [
        ("read x; echo '{\"evaluate\":[[1,2]],\"pairs\":5}'", "candidate 1 has 2 parameters"),
        ("read x; echo '{\"evaluate\":[],\"pairs\":5}'", "has 0 candidates"),
        ("read x; echo '{\"evaluate\":[[1,2,3]],\"pairs\":0}'", "`pairs` is 0"),
        ("read x; echo '{\"evaluate\":[[1,2,3]]}'", "a line has `evaluate` and `pairs`"),
        ("read x; echo '{\"evaluate\":[[1,2,NaN]],\"pairs\":5}'", "its line is {\"evaluate\""),
        ("read x; echo '{\"evaluate\":[[1,2,1e999]],\"pairs\":5}'", "number out of range"),
        ("read x; echo '{\"champion\":[1]}'", "the champion has 1 parameters"),
        ("read x; echo '{\"champoin\":[1,2,3]}'", "unknown field `champoin`"),
        ("read x; echo hello", "its line is hello"),
        ("read x", "the program asked for nothing"),
        ("exit 0", "the program asked for nothing"),
        (
            "read x; while :; do echo '{\"evaluate\":[[1,2,3]],\"pairs\":5}'; read x; done",
            "asks on after it was told to stop",
        ),
    ] {
        let reason = failure_of(script, 25);
        assert!(reason.contains(problem), "{script}: {reason}");
    }
    let nobody = External::parse("./no/such/program").expect("a command");
    let result = run_of(nobody, games(100), None, &StopSignal::default()).0;
    let reason = result.expect_err("there is none").to_string();
    assert!(reason.starts_with("cannot start `./no/such/program`"), "{reason}");
}

#[test]
fn a_program_that_thinks_does_not_keep_anybody_waiting() {
    let stop = StopSignal::default();
    let raiser = stop.clone();
    let began = Instant::now();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        raiser.raise();
    });
    let (result, _) = run_of(shell("read x; exec sleep 600"), games(100), None, &stop);
    thread.join().expect("it only waits");
    let result = result.expect("to stop is no failure");
    assert_eq!((result.stop_reason, result.games), (StopReason::Interrupted, 0));
    assert!(began.elapsed() < Duration::from_secs(60));
    let late = Budget { time: Some(Duration::from_millis(100)), ..games(100) };
    let (result, _) = run_of(shell("read x; exec sleep 600"), late, None, &StopSignal::default());
    assert_eq!(result.expect("it is late").stop_reason, StopReason::Time);
}

#[test]
fn a_program_that_does_not_end_is_not_waited_for_for_ever() {
    // The second request does not fit.
    let ask = r#"echo '{"evaluate":[[1,2,3]],"pairs":5}'; read x"#;
    let asks = format!("read x; {ask}; {ask}");
    for (script, since) in [
        (format!("{asks}; exec sleep 600"), "2 seconds after it was told to stop"),
        (format!("{asks}; exec >&-; exec sleep 600"), "2 seconds after it closed its output"),
    ] {
        let reason = failure_of(&script, 10);
        assert!(reason.contains(&format!("has not ended {since}")), "{reason}");
    }
    let babbles = format!(r#"{asks}; while :; do echo '{{"champion":[1,2,3]}}'; done"#);
    assert!(failure_of(&babbles, 10).contains("has not ended"));
    // What it says in time is heard, however often.
    let slow = r#"for i in 1 2 3; do sleep 0.1; echo "{\"champion\":[$i,0,0]}"; done"#;
    let script = format!("{asks}; {slow}");
    let (result, _) = run_of(shell(&script), games(10), None, &StopSignal::default());
    assert_eq!(result.expect("it ends").champion, [3.0, 0.0, 0.0]);
}
