//! Tests of Ctrl-C: the results so far are printed and written, and the exit code reports the interruption.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt;

fn interrupt(signal: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut child = Command::cargo_bin("ruse")
        .expect("the program is built")
        .args(["optimise", "war", "--budget", "100G", "--out", "run", "--json"])
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // The first line on standard error shows that the run has started.
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    stderr.read_line(&mut String::new()).expect("readable");
    let history = directory.path().join("run/war-cma-es-seed1/history.csv");
    let deadline = Instant::now() + Duration::from_secs(60);
    while std::fs::read_to_string(&history).map_or(0, |text| text.lines().count()) < 4 {
        assert!(Instant::now() < deadline, "no iteration was done within a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());

    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(found["stop_reason"], "interrupted");
    assert!(found["score_against_baseline"]["pairs"].as_u64() >= Some(1));
    let rows = std::fs::read_to_string(&history).expect("a history").lines().count() as u64;
    // The file has a row with the names of the columns, a row for the start, and one row for each iteration.
    assert_eq!(found["iterations"].as_u64(), Some(rows - 2));
    let strategy = directory.path().join("run/war-cma-es-seed1/strategy.yaml");
    assert!(std::fs::read_to_string(strategy).expect("there").contains("stop-reason: interrupted"));
}

#[test]
fn interrupted_from_the_keyboard() {
    interrupt("-INT");
}

#[test]
fn asked_to_terminate() {
    interrupt("-TERM");
}

/// If no work polls for stop requests yet, there is nothing to save, so the first signal ends the program.
#[test]
#[cfg(target_os = "linux")]
fn interrupted_before_there_is_work() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // 128,000 runs take a second to plan, and are then refused.
    let mut child = Command::cargo_bin("ruse")
        .expect("the program is built")
        .args(["compare", "all", "--repeats", "1000"])
        .current_dir(directory.path())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !std::fs::read_to_string(format!("/proc/{}/status", child.id()))
        .is_ok_and(listens_to_interrupts)
    {
        assert!(Instant::now() < deadline, "it does not listen to signals");
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

/// Scoring the start of this run takes hours. The run is interrupted before its first iteration, and can be resumed.
#[test]
fn interrupted_before_the_first_iteration() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    let experiment = "family: battleship\nmonitor-pairs: 1G\nbudget: 1k\n";
    std::fs::write(path.join("e.yaml"), experiment).expect("writable");
    for arguments in [&["run", "e.yaml", "--out", "run", "--huge"][..], &["resume", "run"]] {
        let mut child = Command::cargo_bin("ruse")
            .expect("the program is built")
            .args(arguments)
            .current_dir(path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while !line.contains("cma-es method") {
            line.clear();
            assert!(stderr.read_line(&mut line).expect("readable") > 0, "{arguments:?}");
        }
        std::thread::sleep(Duration::from_millis(300));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.expect("kill is there").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(!path.join("run/battleship-cma-es-seed1/strategy.yaml").exists());
    }
}

/// Waits until a program handles signals, and then a moment longer, so that the program can begin its work.
#[cfg(target_os = "linux")]
fn wait_for_work(child: &std::process::Child) {
    let path = format!("/proc/{}/status", child.id());
    let deadline = Instant::now() + Duration::from_secs(60);
    while !std::fs::read_to_string(&path).is_ok_and(listens_to_interrupts) {
        assert!(Instant::now() < deadline, "it does not listen to signals");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(1500));
}

/// Returns `true` if the status of a process shows that SIGINT has a handler, which is bit 1 of the mask of caught
/// signals.
#[cfg(target_os = "linux")]
fn listens_to_interrupts(status: String) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 0b10 != 0)
}

/// The first decision of each of these players takes minutes or hours. After a signal, the decision is abandoned, and
/// the command prints the same text as for other players.
#[test]
#[cfg(target_os = "linux")]
fn a_decision_in_thought_is_broken_off() {
    break_off(5);
}

#[test]
#[ignore = "long"]
#[cfg(target_os = "linux")]
fn any_decision_in_thought_is_broken_off() {
    break_off(1);
}

/// Interrupts every `step`-th of the commands while a player thinks.
#[cfg(target_os = "linux")]
fn break_off(step: usize) {
    /// A timeout that is ample on a busy machine. A signal takes effect within milliseconds.
    const PATIENCE: Duration = Duration::from_secs(10);
    const NO_SCORE: &str = "stopped before the first pair of games was over: there is no score\n";
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    let round_robin =
        "family: connect_four.kif\nplayers: [mac-ucb@1000000ks, uct@10000k]\npairs: 2\n";
    std::fs::write(path.join("round-robin.yaml"), round_robin).expect("writable");
    for (command, said) in [
        ("match connect_four.kif mac-ucb@1000000ks uct@1000000ks", NO_SCORE),
        ("match connect_four.kif random fc-ucb@600s", NO_SCORE),
        ("match connect_four.kif forward-ucb@10000k:exact=1 random", NO_SCORE),
        ("match battleship_4x4.kif mac-ucb@1000000ks random", NO_SCORE),
        ("match connect_four.kif uct@10000k random --decisions decisions.csv", NO_SCORE),
        ("match four-in-a-row naive-mcts@10000k mc-lsi@10000k", NO_SCORE),
        ("match rts-script mcts-mlps@10000k mc-lsi@10000k", NO_SCORE),
        ("tournament nim uct@10000k:solver=0 random", ""),
        ("exploit connect_four.kif uct@10000k --budget 1k", ""),
        ("optimise connect_four.kif:uct --rule thought=100000 --out run", ""),
        (
            "compare connect_four.kif:uct --rule thought=100000 --methods naive --budget 10 --out comparison",
            "`ruse resume comparison` goes on from here\n",
        ),
        ("run round-robin.yaml --out round-robin", "`ruse resume round-robin` goes on from here\n"),
        ("resume round-robin", "`ruse resume round-robin` goes on from here\n"),
    ]
    .into_iter()
    .step_by(step)
    {
        let mut child = Command::cargo_bin("ruse")
            .expect("the program is built")
            .args(command.split(' '))
            .current_dir(path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        wait_for_work(&child);
        assert!(child.try_wait().expect("a child").is_none(), "{command} is over");
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.expect("kill is there").success());
        let start = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            assert!(start.elapsed() < PATIENCE, "{command} goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().expect("it has ended");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{command}: {stderr}");
        assert!(!stderr.contains("panicked"), "{command}: {stderr}");
        assert!(stderr.ends_with(said), "{command}: {stderr}");
        // No pair of games was finished, so no score is printed.
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(!stdout.contains("interval"), "{command}: {stdout}");
    }
}

/// A search for a response prints the best response so far, and says that the search was interrupted.
#[test]
#[cfg(target_os = "linux")]
fn a_search_for_a_response_is_broken_off() {
    let child = Command::cargo_bin("ruse")
        .expect("the program is built")
        .args(["exploit", "war", "descending", "--budget", "1G", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    wait_for_work(&child);
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(found["interrupted"], true);
    assert!(found["games"].as_u64() < found["budget"].as_u64());
}

/// The results of a round robin that is interrupted repeatedly equal the results of an uninterrupted round robin,
/// because abandoned decisions are not recorded.
#[test]
#[cfg(target_os = "linux")]
fn a_game_that_is_broken_off_counts_for_nothing() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    let experiment =
        "family: tic_tac_toe.kif\nplayers: [mac-ucb@2ks, 'uct@2ks', random]\npairs: 4\n";
    std::fs::write(path.join("e.yaml"), experiment).expect("writable");
    let ruse = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("ruse").expect("the program is built");
        command.args(arguments).current_dir(path).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("it starts")
    };
    assert!(ruse(&["run", "e.yaml", "--out", "whole"]).wait().expect("it ends").success());
    let mut child = ruse(&["run", "e.yaml", "--out", "stopped"]);
    for attempt in 1.. {
        std::thread::sleep(Duration::from_millis(40 * attempt));
        let mut kill = Command::new("kill");
        kill.args(["-INT", &child.id().to_string()]).stderr(Stdio::null());
        let _it_may_be_over = kill.status();
        if child.wait().expect("it ends").success() {
            break;
        }
        child = match path.join("stopped/experiment.yaml").exists() {
            true => ruse(&["resume", "stopped"]),
            false => ruse(&["run", "e.yaml", "--out", "stopped"]),
        };
    }
    for name in ["results.csv", "meetings.csv", "film.json"] {
        let read = |of: &str| std::fs::read_to_string(path.join(of).join(name)).expect("a file");
        assert_eq!(read("stopped"), read("whole"), "{name}");
    }
}
