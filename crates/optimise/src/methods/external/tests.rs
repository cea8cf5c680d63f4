#![cfg(unix)]

use std::convert::Infallible;
use std::time::{Duration, Instant};

use ruse_base::stop::StopSignal;
use ruse_registry::Registry;

use super::*;
use crate::methods::tests::{Recorder, assert_resumable, resumption_after, task, war};
use crate::methods::{
    Budget, IterationRecord, Observer, Resumption, RunError, RunResult, SearchState, Task, run,
};

/// A search in a few lines of shell, which makes three requests and names the better candidate of each as champion.
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

/// Returns the method that runs a shell script. A program that ends has plenty of time for it, on a busy machine too.
fn shell(script: &str) -> External {
    ruse_programs::allow_programs();
    let words = ["sh".to_string(), "-c".into(), script.into()];
    External {
        command: "sh search.sh".into(),
        words: words.into(),
        patience: Patience {
            parting: Duration::from_secs(30),
            silence: Duration::from_millis(300),
        },
    }
}

fn with_task<T>(external: External, budget: Budget, then: impl FnOnce(&Task<'_>) -> T) -> T {
    let (family, method) = (war(), Arc::new(external));
    then(&Task { budget, monitor_pairs: 10, ..task(&*family, method, 0, 7) })
}

fn run_of(
    external: External,
    budget: Budget,
    resumption: Option<Resumption>,
    stop: &StopSignal,
) -> (Result<RunResult, RunError<Infallible>>, Recorder) {
    let mut recorder = Recorder::default();
    let result = with_task(external, budget, |task| run(task, resumption, stop, &mut recorder));
    (result, recorder)
}

fn games(games: u64) -> Budget {
    Budget { games: Some(games), ..Budget::default() }
}

#[test]
fn scores_by_seat_are_answered() {
    let script = r#"
        read -r task
        case $task in *'"seats":[[0,1],[1,2]]'*) ;; *) exit 1 ;; esac
        echo '{"evaluate":[[0.25,0.75],[3,-1]],"pairs":20,"by_seat":true}'
        read -r answer
        echo "$answer" | grep -Eq '"scores":\[\[[0-9.]+,[0-9.]+\],\[[0-9.]+,[0-9.]+\]\]' || exit 1
        echo '{"evaluate":[[0.25,0.75],[3,-1]],"pairs":20}'
        read -r answer
    "#;
    let family = Registry::standard().family("phantom-four").expect("known");
    let task = Task {
        budget: games(1000),
        monitor_pairs: 10,
        ..task(&*family, Arc::new(shell(script)), 0, 7)
    };
    let mut recorder = Recorder::default();
    run(&task, None, &StopSignal::default(), &mut recorder).expect("it runs");
    let answers: Vec<_> = recorder.seen.iter().flat_map(|(record, _)| &record.answers).collect();
    let Some(Step::Learned { estimate, .. }) = recorder.seen[1].0.step else {
        panic!("{:?}", recorder.seen)
    };
    let means = answers[0].scores.chunks(2).map(|seats| f64::midpoint(seats[0], seats[1]));
    assert_eq!(means.fold(0.0, f64::max), estimate.score);
    assert_eq!([answers[0].scores.len(), answers[1].scores.len()], [4, 2]);
    // The two requests differ in nothing but what is asked.
    assert_ne!(answers[0].request, answers[1].request);
}

fn failure_of(script: &str, budget: u64) -> String {
    failure(shell(script), budget)
}

fn failure(external: External, budget: u64) -> String {
    match run_of(external, games(budget), None, &StopSignal::default()).0 {
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
    // In the finals, with an eleventh of these games, the champion and the start play 5 pairs each.
    assert_eq!((result.iterations, result.games), (4, 3 * 2 * 2 * 20 + 2 * 2 * 5));
    assert_eq!(result.stop_reason, StopReason::Finished);
    assert_eq!(result.champion[..2], [0.0, -3.0]);
    let joined = recorder.seen.iter().map(|(record, _)| record.joined.as_ref().map(|x| x[1]));
    assert_eq!(joined.collect::<Vec<_>>(), [Some(0.0), Some(-1.0), Some(-2.0), Some(-3.0), None]);
    let again = run_of(shell(SEARCH), games(1000), None, &StopSignal::default());
    assert_eq!(again.0.expect("it runs"), result);
    assert_eq!(again.1.seen, recorder.seen);
}

#[test]
fn answers_are_the_scores_of_the_requests() {
    let (_, recorder) = run_of(shell(SEARCH), games(1000), None, &StopSignal::default());
    let (record, _) = &recorder.seen[1];
    let [Answered { scores, games_left, .. }] = record.answers.as_slice() else {
        panic!("{record:?}")
    };
    let Some(Step::Learned { estimate, .. }) = record.step else { panic!("{record:?}") };
    assert_eq!(estimate.score, scores[0].max(scores[1]));
    assert_eq!(*games_left, Some(1000 - 83 - 80));
    // The strategy that puts back the highest card first beats random parameters; the parameters 0 do not.
    assert!(scores[1] > scores[0], "{scores:?}");
}

#[test]
fn a_champion_may_be_named_after_the_budget() {
    let script = format!("{SEARCH}\nprintf '{{\"champion\":[5,5,5]}}\\n'");
    // Two requests take 80 games each. Of 174 games, 14 are for the finals, which are the last iteration.
    for (budget, iterations) in [(260, 3), (174, 3), (173, 2)] {
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
    let num_iterations = with_task(shell(SEARCH), games(1000), assert_resumable);
    assert_eq!(num_iterations, 5);
}

#[test]
fn a_program_that_asks_something_else_than_before_cannot_go_on() {
    let whole = run_of(shell(SEARCH), games(1000), None, &StopSignal::default());
    let resumption =
        Resumption { population: vec![vec![0.0; 3]], ..resumption_after(&whole.1.seen[..=2]) };
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
fn a_slow_program_can_be_stopped() {
    let stop = StopSignal::default();
    let raiser = stop.clone();
    let began = Instant::now();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        raiser.raise();
    });
    let (result, _) = run_of(shell("read x; exec sleep 600"), games(100), None, &stop);
    thread.join().expect("it only waits");
    let result = result.expect("a stop is not a failure");
    assert_eq!((result.stop_reason, result.games), (StopReason::Interrupted, 0));
    assert!(began.elapsed() < Duration::from_secs(60));
    let late = Budget { time: Some(Duration::from_millis(100)), ..games(100) };
    let (result, _) = run_of(shell("read x; exec sleep 600"), late, None, &StopSignal::default());
    assert_eq!(result.expect("it is late").stop_reason, StopReason::Time);
}

#[test]
fn a_program_that_does_not_end_is_not_waited_for_for_ever() {
    // The second request exceeds the budget.
    let ask = r#"echo '{"evaluate":[[1,2,3]],"pairs":5}'; read x"#;
    let asks = format!("read x; {ask}; {ask}");
    let hasty = |script: &str| {
        let mut external = shell(script);
        external.patience.parting = Duration::from_millis(200);
        external
    };
    for (script, since) in [
        (format!("{asks}; exec sleep 600"), "0.2 seconds after it was told to stop"),
        (format!("{asks}; exec >&-; exec sleep 600"), "0.2 seconds after it closed its output"),
    ] {
        let reason = failure(hasty(&script), 10);
        assert!(reason.contains(&format!("has not ended {since}")), "{reason}");
    }
    let babbles = format!(r#"{asks}; while :; do echo '{{"champion":[1,2,3]}}'; done"#);
    assert!(failure(hasty(&babbles), 10).contains("has not ended"));
    // The output of a program that was told to stop is read until the time limit, however many lines it has.
    let slow = r#"for i in 1 2 3; do sleep 0.1; echo "{\"champion\":[$i,0,0]}"; done"#;
    let script = format!("{asks}; {slow}");
    let (result, _) = run_of(shell(&script), games(10), None, &StopSignal::default());
    assert_eq!(result.expect("it ends").champion, [3.0, 0.0, 0.0]);
}

/// Raises a stop signal at the first remark.
struct Impatient(Recorder, StopSignal);

impl Observer for Impatient {
    type Error = Infallible;

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        state: &dyn Fn() -> SearchState,
    ) -> Result<(), Infallible> {
        self.0.on_iteration(record, state)
    }

    fn on_remark(&mut self, remark: &str) {
        self.1.raise();
        self.0.remarks.push(remark.into());
    }
}

/// Runs a script and stops the run at the first remark, which is made after `silence` without output. Returns the
/// number of iterations and the remarks.
fn remarks_of(script: &str, silence: Duration) -> (u64, Vec<String>) {
    let mut external = shell(script);
    external.patience.silence = silence;
    let stop = StopSignal::default();
    let mut impatient = Impatient(Recorder::default(), stop.clone());
    let result =
        with_task(external, Budget { games: Some(1 << 40), ..Budget::default() }, |task| {
            run(task, None, &stop, &mut impatient)
        });
    let result = result.expect("a stop is not a failure");
    assert_eq!(result.stop_reason, StopReason::Interrupted);
    (result.iterations, impatient.0.remarks)
}

#[test]
fn silence_is_reported_once() {
    let short = Duration::from_millis(300);
    let (_, remarks) = remarks_of("read x; exec sleep 600", short);
    let [remark] = remarks.as_slice() else { panic!("{remarks:?}") };
    assert!(remark.starts_with("sh -c read x; exec sleep 600: "), "{remark}");
    // Each request follows a pause.
    let ask = r#"sleep 0.2; echo '{"evaluate":[[1,2,3]],"pairs":1}'; read x"#;
    let mut external = shell(&format!("read x; {ask}; {ask}; {ask}"));
    external.patience.silence = Duration::from_millis(20);
    let (result, recorder) = run_of(external, games(100), None, &StopSignal::default());
    assert_eq!(result.expect("it runs").iterations, 3);
    assert_eq!(recorder.remarks.len(), 1, "{:?}", recorder.remarks);
}

#[test]
fn a_line_without_an_end_is_reported() {
    let ask = r#"echo '{"evaluate":[[1,2,3]],"pairs":1}'; read x"#;
    let script = format!(r#"read x; {ask}; printf '{{"champion":[1,2'; exec sleep 600"#);
    let (iterations, remarks) = remarks_of(&script, Duration::from_secs(3));
    assert_eq!(iterations, 0, "its answer is not followed by anything");
    assert!(remarks[0].contains(r#"{"champion":[1,2"#), "{remarks:?}");
}

/// A program that sends requests without reading the answers can be stopped even when unread answers have filled its
/// pipe.
#[test]
fn a_program_that_does_not_read_can_be_stopped() {
    let script = r#"while :; do echo '{"evaluate":[[1,2,3]],"pairs":1}'; done"#;
    let (iterations, remarks) = remarks_of(script, Duration::from_millis(300));
    assert!(iterations > 0);
    assert_eq!(remarks.len(), 1, "{remarks:?}");
}

#[test]
fn a_program_that_closes_its_input_may_go_on() {
    let ask = r#"echo '{"evaluate":[[1,2,3]],"pairs":1}'"#;
    let script = format!("read x; exec <&-; {ask}; {ask}");
    let (result, _) = run_of(shell(&script), games(100), None, &StopSignal::default());
    assert_eq!(result.expect("it ends well").iterations, 2);
}

#[test]
fn bytes_outside_utf_8_are_refused_or_skipped() {
    let reason = failure_of(r"read x; printf '\377\376\001\n'", 100);
    assert!(reason.contains("utf-8"), "{reason}");
    let reason = failure_of(r"read x; printf '{\000}\n'", 100);
    assert!(reason.contains("its line is {"), "{reason}");
    // The output is larger than a pipe holds, first in one line and then in many; if it were not read, the program
    // would wait forever.
    let noise = r"head -c 300000 /dev/zero | tr '\000' '\377' >&2; yes 2>&- | head -c 300000 >&2";
    let ask = r#"echo '{"evaluate":[[1,2,3]],"pairs":1}'; read x"#;
    let script = format!("read x; {noise}; {ask}");
    let (result, _) = run_of(shell(&script), games(100), None, &StopSignal::default());
    assert_eq!(result.expect("it ends well").iterations, 1);
    let reason = failure_of(&format!("read x; {noise}; echo >&2; exit 3"), 100);
    assert!(reason.len() < 20_000, "{} bytes", reason.len());
}

/// Returns `true` if a process is running. A zombie, which has ended but is still listed, does not count.
#[cfg(target_os = "linux")]
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

#[cfg(target_os = "linux")]
fn wait_for_the_end_of(pid: &str) {
    let began = Instant::now();
    while is_alive(pid) {
        assert!(began.elapsed() < Duration::from_secs(60), "process {pid} goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// However a run ends, a child of its program ends with it, even if the child keeps the output open.
#[test]
#[cfg(target_os = "linux")]
fn children_end_with_their_program() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("pid");
    let fork = format!("sleep 600 & echo $! > '{}'", file.display());
    let ask = r#"echo '{"evaluate":[[1,2,3]],"pairs":1}'; read x"#;
    for (end, is_good) in [("", true), ("; exit 3", false), ("; echo hello; sleep 600", false)] {
        let script = format!("read x; {fork}; {ask}{end}");
        let (result, _) = run_of(shell(&script), games(100), None, &StopSignal::default());
        assert_eq!(result.is_ok(), is_good, "{end}: {result:?}");
        let pid = std::fs::read_to_string(&file).expect("it has begun");
        wait_for_the_end_of(pid.trim());
    }
    let script = format!("read x; {fork}; {ask}; wait");
    remarks_of(&script, Duration::from_secs(1));
    wait_for_the_end_of(std::fs::read_to_string(&file).expect("it has begun").trim());
}

/// A child that has left the process group cannot be killed. The run does not wait for its end.
#[test]
#[cfg(target_os = "linux")]
fn an_unreachable_child_does_not_block() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("pid");
    let script = format!(
        r#"read x; setsid sleep 600 & echo $! > '{}'; echo '{{"evaluate":[[1,2,3]],"pairs":1}}'; read x; sleep 0.2"#,
        file.display()
    );
    let (result, _) = run_of(shell(&script), games(100), None, &StopSignal::default());
    let pid = std::fs::read_to_string(&file).expect("it has begun");
    let was_alive = is_alive(pid.trim());
    let killed = std::process::Command::new("kill").arg(pid.trim()).status();
    assert_eq!(result.expect("it ends well").iterations, 1);
    assert!(was_alive && killed.expect("kill is there").success());
}

/// The state does not grow with the number of requests, so the duration of a run is proportional to this number.
#[test]
fn requests_are_stored_independently() {
    let script = r#"read x; i=0; while [ $i -lt 300 ]; do i=$((i + 1)); echo '{"evaluate":[[1,2,3]],"pairs":1}'; read x; done"#;
    let (result, recorder) = run_of(shell(script), games(1000), None, &StopSignal::default());
    assert_eq!(result.expect("it runs").iterations, 300);
    let size = |state: &SearchState| state.method.to_string().len();
    assert!(recorder.seen[0].0.answers.is_empty());
    for (record, state) in &recorder.seen[1..] {
        assert_eq!(record.answers.len(), 1, "{}", record.iteration);
        assert_eq!(size(state), size(&recorder.seen[1].1), "{}", record.iteration);
    }
}
