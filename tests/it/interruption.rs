//! Ctrl-C: what was found so far is printed and written, and the exit code says so.

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
    // The first line on standard error says that the run is under way.
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
    // The names of the columns, the start, and one row for each iteration.
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

/// Before any work asks whether to stop there is nothing to save, so the first signal ends the program.
#[test]
#[cfg(target_os = "linux")]
fn interrupted_before_there_is_work() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // 128,000 runs take a second to plan, and are refused then.
    let mut child = Command::cargo_bin("ruse")
        .expect("the program is built")
        .args(["compare", "all", "--repeats", "1000"])
        .current_dir(directory.path())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    // The mask of signals that the program has handlers for; that of SIGINT is bit 1.
    let listens = |status: String| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask & 0b10 != 0)
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while !std::fs::read_to_string(format!("/proc/{}/status", child.id())).is_ok_and(listens) {
        assert!(Instant::now() < deadline, "it does not listen to signals");
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

/// The score of the start of this run takes hours: the run is interrupted before it has begun, and can be resumed.
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
