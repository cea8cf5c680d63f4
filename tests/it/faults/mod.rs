//! Tests with faults at every call. Each call with which the program changes a file fails once, in a separate run; the
//! work is then continued, and must lead to the same bytes. A call fails with an error, because the disk is full (from
//! then on), or because the program is killed. After a full disk or a kill, only half of a write is done.
//!
//! A library that is loaded before the C library (`preload.c`) counts the calls and makes one of them fail. The tests
//! therefore cover the calls of all libraries, and the program needs no code for tests. This requires Linux, glibc and
//! a C compiler; elsewhere, the tests print that they cannot run, and pass. Experiments run on one thread, so that the
//! calls have the same order each time.
//!
//! Each test takes some of the calls; the ignored test takes all of them. `EXPERIMENT=NAME` selects one of its experiments.

mod machines;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{files, output, printed, ruse};

/// An experiment of each kind, with few and short games.
const EXPERIMENTS: [(&str, &str); 6] = [
    ("run", "family: nim\nmethod: naive\nbudget: 2k\nevaluation-pairs: 20\nmonitor-pairs: 5\n"),
    ("all", "family: nim\nmethod: all\nbudget: 10k\nevaluation-pairs: 20\nmonitor-pairs: 5\n"),
    (
        "comparison",
        "families: [{family: nim, budget: 1k}]\nmethods: [naive, double-oracle]\ncomparison: betting\nrepeats: 1\n\
         half-width: 0.2\nevaluation-pairs: 20\nmonitor-pairs: 5\noutputs: [csv, svg, html]\n",
    ),
    (
        "budgets",
        "family: nim\nmethod: naive\nbudgets: [500, 1k]\nrepeats: 1\nevaluation-pairs: 20\nmonitor-pairs: 5\n\
         outputs: [csv, svg]\n",
    ),
    ("players", "family: nim\nplayers: [optimal, random, zero]\npairs: 4\noutputs: [csv]\n"),
    (
        "portfolios",
        "portfolios:\n- {family: nim, random: [3], held-out: 2, pairs: 4}\nbandits: [ucbt]\ngames: 16\nruns: 4\n",
    ),
];

const FAULTS: [&str; 3] = ["error", "full", "kill"];

/// The library that makes calls fail.
struct Preload {
    library: PathBuf,
    log: PathBuf,
}

impl Preload {
    /// Compiles the library. If this is impossible here, prints the reason and returns `None`.
    fn new(directory: &Path) -> Option<Preload> {
        if !cfg!(all(target_os = "linux", target_env = "gnu")) {
            println!("skipped: this needs Linux with glibc");
            return None;
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults/preload.c");
        let library = directory.join("faults.so");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl");
        match compiler.status() {
            Ok(status) => assert!(status.success(), "the library does not compile"),
            Err(error) => {
                println!("skipped: this needs the C compiler `cc`: {error}");
                return None;
            }
        }
        Some(Preload { library, log: directory.join("calls") })
    }

    fn command(&self, arguments: &[&str], home: &Path) -> Command {
        let mut command = ruse(arguments, home);
        command.env("LD_PRELOAD", &self.library).env("FAULT_LOG", &self.log);
        command
    }

    /// Runs a command, which must succeed, and returns the number of calls that it makes.
    fn count(&self, arguments: &[&str], home: &Path) -> usize {
        let output = self.command(arguments, home).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let calls = fs::read_to_string(&self.log).expect("the library writes it");
        calls.trim().parse().expect("a number")
    }

    /// Runs a command, and makes its call number `at` fail with `fault`.
    fn fail(&self, arguments: &[&str], at: usize, fault: &str, home: &Path) -> Output {
        let mut command = self.command(arguments, home);
        command.env("FAULT_AT", at.to_string()).env("FAULT", fault);
        command.output().expect("it runs")
    }
}

/// Returns the files of results. Thinking times, which differ between runs, and locks, which may be left behind, are
/// left out.
fn results(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = files(directory);
    found.retain(|path, _| !path.ends_with("times.csv") && !path.ends_with(".lock"));
    found
}

/// Checks that a fault has not crashed the program: the program must have ended with one of its own exit codes, or the
/// fault must have killed it.
fn check_end(output: &Output, fault: &str, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{what}: {said}");
    match output.status.code() {
        Some(code) => assert!([0, 1, 2, 130].contains(&code), "{what}: {code}: {said}"),
        None => assert_eq!(fault, "kill", "{what}: {:?}: {said}", output.status),
    }
}

/// Carries out an experiment with a fault at call number `at`, and then continues it. Compares the results with
/// `expected`.
fn attack(
    preload: &Preload,
    home: &Path,
    (at, fault): (usize, &str),
    expected: &BTreeMap<PathBuf, Vec<u8>>,
) {
    let what = format!("{fault} at call {at} in {}", home.display());
    let run = ["run", "e.yaml", "--out", "x", "--threads", "1", "-q"];
    check_end(&preload.fail(&run, at, fault, home), fault, &what);
    // If the experiment has not begun in the directory, the same command is repeated.
    let again: &[&str] = match home.join("x/experiment.yaml").exists() {
        true => &["resume", "x", "--threads", "1", "-q"],
        false => &run,
    };
    let done = output(again, home);
    assert!(done.status.success(), "{what}: {}", String::from_utf8_lossy(&done.stderr));
    let found = results(&home.join("x"));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(expected), "{what}");
    for (name, contents) in expected {
        assert!(found[name] == *contents, "{what}: {} differs", name.display());
    }
    fs::remove_dir_all(home.join("x")).expect("ours");
}

/// Attacks each experiment at every `step`-th call.
fn attack_all(step: usize) {
    let parent = tempfile::tempdir().expect("a temporary directory");
    let Some(preload) = Preload::new(parent.path()) else { return };
    let only = std::env::var("EXPERIMENT").ok();
    let is_wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
    for (name, text) in EXPERIMENTS.into_iter().filter(|(name, _)| is_wanted(name)) {
        let home = parent.path().join(name);
        fs::create_dir(&home).expect("writable");
        fs::write(home.join("e.yaml"), text).expect("writable");
        let run = ["run", "e.yaml", "--out", "x", "--threads", "1", "-q"];
        let num_calls = preload.count(&run, &home);
        assert!(num_calls > 20, "{name}: {num_calls}");
        let expected = results(&home.join("x"));
        publish(&preload, &home, step);
        fs::remove_dir_all(home.join("x")).expect("ours");
        for (index, at) in (1..=num_calls).enumerate().filter(|(_, at)| at % step == 1 % step) {
            // In a short test, each call fails with only one kind of fault.
            let faults = if step == 1 { &FAULTS[..] } else { &FAULTS[index / step % 3..][..1] };
            for fault in faults {
                attack(&preload, &home, (at, fault), &expected);
            }
        }
        println!("{name}: {num_calls} calls");
    }
}

/// Publishes the finished experiment `x` with faults. Afterwards, the new directory must be complete or absent.
fn publish(preload: &Preload, home: &Path, step: usize) {
    let arguments = ["publish", "x", "--out", "public", "-q"];
    let num_calls = preload.count(&arguments, home);
    let expected = files(&home.join("public"));
    fs::remove_dir_all(home.join("public")).expect("ours");
    for at in (1..=num_calls).step_by(step) {
        for fault in FAULTS {
            let what = format!("publish, {fault} at call {at} in {}", home.display());
            check_end(&preload.fail(&arguments, at, fault, home), fault, &what);
            if !home.join("public").exists() {
                printed(&arguments, home);
            }
            assert!(files(&home.join("public")) == expected, "{what}");
            fs::remove_dir_all(home.join("public")).expect("ours");
        }
    }
}

/// Two shards of a comparison are merged with faults. Afterwards, each result is complete or absent, and another merge
/// adds the results that are absent.
#[test]
fn merges_survive_faults() {
    let parent = tempfile::tempdir().expect("a temporary directory");
    let Some(preload) = Preload::new(parent.path()) else { return };
    let home = parent.path();
    let (_, text) = EXPERIMENTS[2];
    fs::write(home.join("e.yaml"), text).expect("writable");
    for shard in ["0/2", "1/2"] {
        let out = format!("from{}", &shard[..1]);
        printed(&["run", "e.yaml", "--out", &out, "--shard", shard, "-q"], home);
    }
    let arguments = ["merge", "x", "from0", "from1", "-q"];
    let num_calls = preload.count(&arguments, home);
    // A killed program may leave an incomplete file behind. The file is in the hidden directory of shares, which is
    // removed when the experiment is finished.
    let results = |directory: &Path| {
        let mut found = results(directory);
        found.retain(|path, _| !path.to_string_lossy().contains(".unfinished-"));
        found
    };
    let expected = results(&home.join("x"));
    for at in 1..=num_calls {
        fs::remove_dir_all(home.join("x")).expect("ours");
        let fault = FAULTS[at % 3];
        let what = format!("merge, {fault} at call {at}");
        check_end(&preload.fail(&arguments, at, fault, home), fault, &what);
        printed(&arguments, home);
        let found = results(&home.join("x"));
        assert!(found == expected, "{what}: {:?} and {:?}", found.keys(), expected.keys());
    }
}

#[test]
#[ignore = "long"]
fn experiments_survive_faults() {
    attack_all(61);
}

#[test]
#[ignore = "long"]
fn experiments_survive_faults_at_every_call() {
    attack_all(1);
}
