//! Tests with faults at every call. Each call with which the program changes a file fails once, in a separate run; the
//! work is then continued, and must lead to the same bytes. A call fails with an error, because the disk is full (from
//! then on), or because the program is killed. After a full disk or a kill, only half of a write is done. A power cut
//! also takes what was written and not synchronised with the disk.
//!
//! Calls that read fail as well. A command that ends with exit code 0 has then printed and written the same as without
//! the fault.
//!
//! A library that is loaded before the C library (`preload.c`) counts the calls and makes one of them fail. The tests
//! therefore cover the calls of all libraries, and the program needs no code for tests. This requires Linux, glibc and
//! a C compiler; elsewhere, the tests print that they cannot run, and pass. Experiments run on one thread, so that the
//! calls have the same order each time.
//!
//! Each test takes some of the calls; the longest of the ignored tests takes all of them, and every eleventh of the
//! experiment of all methods. `EXPERIMENT=NAME` selects one of its experiments.

mod machines;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{Home, copy, files, output, printed, ruse};

/// An experiment of each kind, with few and short games.
const EXPERIMENTS: [(&str, &str); 6] = [
    ("run", "family: nim\nmethod: naive\nbudget: 2k\nevaluation-pairs: 20\nmonitor-pairs: 5\n"),
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
    ("all", "family: nim\nmethod: all\nbudget: 10k\nevaluation-pairs: 20\nmonitor-pairs: 5\n"),
];

const FAULTS: [&str; 3] = ["error", "full", "kill"];
/// Power cuts: files are shorter afterwards, or have zeros in them.
const CUTS: [&str; 2] = ["power", "zeros"];

/// The commands that carry out an experiment on one thread, and continue it.
const RUN: [&str; 7] = ["run", "e.yaml", "--out", "x", "--threads", "1", "-q"];
const RESUME: [&str; 5] = ["resume", "x", "--threads", "1", "-q"];

/// An experiment, with its results and the number of calls of a whole run.
struct Subject {
    home: PathBuf,
    expected: BTreeMap<PathBuf, Vec<u8>>,
    num_calls: usize,
}

impl Subject {
    /// Carries out an experiment in a new directory below `parent`, does `then` with its results, and removes them.
    fn new(
        preload: &Preload,
        parent: &Path,
        (name, text): (&str, &str),
        then: impl FnOnce(&Path),
    ) -> Subject {
        let home = parent.join(name);
        fs::create_dir(&home).expect("writable");
        fs::write(home.join("e.yaml"), text).expect("writable");
        let num_calls = preload.count(&RUN, &home);
        assert!(num_calls > 20, "{name}: {num_calls}");
        let expected = results(&home.join("x"));
        then(&home);
        fs::remove_dir_all(home.join("x")).expect("ours");
        Subject { home, expected, num_calls }
    }
}

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
        if CUTS.contains(&fault) {
            let kept = self.log.with_extension("kept");
            let _ = fs::remove_dir_all(&kept);
            fs::create_dir(&kept).expect("writable");
            command.env("FAULT_KEEP", kept);
        }
        command.output().expect("it runs")
    }

    /// Runs a command, and makes its call number `at` that reads fail with `fault`. Call 0 does not fail. Also returns
    /// the number of calls.
    fn fail_to_read(
        &self,
        arguments: &[&str],
        at: usize,
        fault: &str,
        home: &Path,
    ) -> (Output, usize) {
        let mut command = self.command(arguments, home);
        command.env("FAULT_AT", at.to_string()).env("FAULT", fault).env("FAULT_READS", home);
        let output = command.output().expect("it runs");
        let calls = fs::read_to_string(&self.log).expect("the library writes it");
        (output, calls.trim().parse().expect("a number"))
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
        None => {
            assert!(fault == "kill" || CUTS.contains(&fault), "{what}: {:?}: {said}", output.status)
        }
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
    check_end(&preload.fail(&RUN, at, fault, home), fault, &what);
    // If the experiment has not begun in the directory, the same command is repeated.
    let has_begun = home.join("x/experiment.yaml").exists();
    let again = if has_begun { &RESUME[..] } else { &RUN };
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

/// Attacks the experiments with these names, or all, at every `step`-th call with these faults. If `takes_turns` is set, each call fails with only
/// one of them.
fn attack_all(names: &[&str], step: usize, faults: &[&str], takes_turns: bool) {
    let parent = &*Home::new();
    let Some(preload) = Preload::new(parent) else { return };
    let only = std::env::var("EXPERIMENT").ok();
    let is_wanted = |name: &str| {
        (names.is_empty() || names.contains(&name)) && only.as_ref().is_none_or(|only| only == name)
    };
    let mut num_faults = 0;
    for (name, text) in EXPERIMENTS.into_iter().filter(|(name, _)| is_wanted(name)) {
        // The runs of the methods make the same calls.
        let step = if name == "all" { step.max(11) } else { step };
        let publish = |home: &Path| publish(&preload, home, step, faults);
        let Subject { home, expected, num_calls } =
            Subject::new(&preload, parent, (name, text), publish);
        // The power may also be cut after the last call.
        let last = num_calls + usize::from(faults == CUTS);
        for (index, at) in (1..=last).rev().step_by(step).enumerate() {
            let faults = if takes_turns { &faults[index % faults.len()..][..1] } else { faults };
            for fault in faults {
                attack(&preload, &home, (at, fault), &expected);
                num_faults += 1;
            }
        }
        println!("{name}: {num_calls} calls");
    }
    println!("{num_faults} faults");
}

/// Publishes the finished experiment `x` with faults. Afterwards, the new directory must be complete or absent.
fn publish(preload: &Preload, home: &Path, step: usize, faults: &[&str]) {
    let arguments = ["publish", "x", "--out", "public", "-q"];
    let num_calls = preload.count(&arguments, home);
    let expected = files(&home.join("public"));
    fs::remove_dir_all(home.join("public")).expect("ours");
    for at in (1..=num_calls).rev().step_by(step) {
        for fault in faults {
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

/// The commands that read results, from the directory `x` or from its run.
const READERS: &str = "table x --json; table x --format csv; report x --out page.html; report x; plot x; \
    plot RUN --out figure.svg; publish x --out public; resume x --threads 1 --json; merge y x; \
    exploit x --threads 1 --json; power x --difference 0.05 --json; show RUN; explain RUN; \
    match nim RUN random --pairs 2 --threads 1";

/// Copies the finished experiment `from` to the directory `x` of an empty home.
fn begin_with(from: &Path, home: &Path) {
    let _ = fs::remove_dir_all(home);
    copy(from, &home.join("x"));
}

/// Lets each reading call of each command that reads fail, or every `step`-th call of every `part`-th command.
fn attack_readers(step: usize, part: usize, experiments: &[&str]) {
    let parent = &*Home::new();
    let Some(preload) = Preload::new(parent) else { return };
    let (mut num_faults, mut wrong) = (0, Vec::new());
    for (name, text) in EXPERIMENTS.into_iter().filter(|(name, _)| experiments.contains(name)) {
        let done = parent.join(format!("{name}-done"));
        fs::write(parent.join("e.yaml"), text).expect("writable");
        let out = done.to_str().expect("text");
        printed(&["run", "e.yaml", "--out", out, "--threads", "1", "-q"], parent);
        let run = files(&done).into_keys().find(|path| path.ends_with("strategy.yaml"));
        let run = run.map(|path| Path::new("x").join(path.with_file_name("")));
        let home = parent.canonicalize().expect("there").join(name);
        let is_for = |reader: &&str| run.is_some() || !reader.contains("RUN");
        for reader in READERS.split("; ").filter(is_for).step_by(part) {
            let path = run.as_deref().and_then(Path::to_str).unwrap_or_default();
            let reader = reader.replace("RUN", path);
            let arguments: Vec<&str> = reader.split(' ').collect();
            let attempt = |at, fault: &str| {
                begin_with(&done, &home);
                let (output, num_calls) = preload.fail_to_read(&arguments, at, fault, &home);
                check_end(&output, fault, &format!("{name}: {reader}, {fault} at {at}"));
                (output.status.code(), (output.stdout, results(&home)), num_calls)
            };
            let (code, expected, num_calls) = attempt(0, "error");
            if code != Some(0) {
                // The command is not for this kind of experiment.
                continue;
            }
            let mut faults: Vec<(usize, &str)> =
                (1..=num_calls).step_by(step).map(|at| (at, "error")).collect();
            faults.push((1, "interrupt"));
            for (at, fault) in faults {
                num_faults += 1;
                let (code, found, _) = attempt(at, fault);
                if (code == Some(0) || fault == "interrupt") && found != expected {
                    wrong.push(format!("{name}: {reader}, {fault} at {at}"));
                }
            }
        }
    }
    println!("{num_faults} faults, {} wrong", wrong.len());
    assert!(num_faults > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Removes each file of a finished experiment, or every `step`-th file, and continues. The file is then made again.
fn remove_files(step: usize) {
    let parent = &*Home::new();
    for (name, text) in EXPERIMENTS.into_iter().filter(|(name, _)| *name != "all") {
        let [done, home] = ["done", "home"].map(|end| parent.join(format!("{name}-{end}")));
        fs::write(parent.join("e.yaml"), text).expect("writable");
        printed(&["run", "e.yaml", "--out", done.to_str().expect("text"), "-q"], parent);
        let expected = results(&done);
        // The experiment itself cannot be made again, and results without a checkpoint are taken for a copy.
        let is_made = |path: &&PathBuf| {
            !path.ends_with("experiment.yaml") && !path.ends_with("checkpoint.yaml")
        };
        for path in expected.keys().filter(is_made).step_by(step) {
            for is_gone in [true, false] {
                begin_with(&done, &home);
                let removed = home.join("x").join(path);
                if is_gone { fs::remove_file(removed) } else { fs::write(removed, "") }
                    .expect("there");
                let what = format!("{name}: {}, gone: {is_gone}", path.display());
                let resumed = output("resume x -q", &home);
                let said = String::from_utf8_lossy(&resumed.stderr);
                assert!(resumed.status.success(), "{what}: {said}");
                let found = results(&home.join("x"));
                let differs = |path: &&PathBuf| found.get(*path) != expected.get(*path);
                assert_eq!(expected.keys().find(differs), None, "{what}");
            }
        }
    }
}

/// A run with a changed file is left as it is. Another run, which lacks a file, is carried out again.
#[test]
fn a_damaged_run_does_not_stop_the_others() {
    let (_, text) = EXPERIMENTS[1];
    let home = &*Home::with("e.yaml", text);
    printed("run e.yaml --out x -q", home);
    let expected = results(&home.join("x"));
    let [edited, lost] =
        ["nim-naive-seed1/history.csv", "nim-double-oracle-seed1/history.csv"].map(Path::new);
    let mut changed = expected[edited].clone();
    *changed.last_mut().expect("a line end") = b' ';
    fs::write(home.join("x").join(edited), &changed).expect("writable");
    fs::remove_file(home.join("x").join(lost)).expect("there");
    let resumed = output("resume x", home);
    let said = String::from_utf8_lossy(&resumed.stderr);
    assert_eq!(resumed.status.code(), Some(2), "{said}");
    for words in [
        "nim-double-oracle-seed1/history.csv is gone, or lacks a part that was written, as after a power cut; the run \
         begins again",
        "error: x/nim-naive-seed1/history.csv was changed after it was written",
    ] {
        assert!(said.contains(words), "{said}");
    }
    let found = results(&home.join("x"));
    assert_eq!(found[edited], changed);
    assert!(found[lost] == expected[lost]);
    // The advice is right.
    fs::remove_file(home.join("x").join(edited)).expect("there");
    printed("resume x -q", home);
    assert!(results(&home.join("x")) == expected);
}

/// Two shards of a comparison are merged with faults. Afterwards, each result is complete or absent, and another merge
/// adds the results that are absent. Every `step`-th call fails.
fn merge(step: usize) {
    let home = &*Home::new();
    let Some(preload) = Preload::new(home) else { return };
    let (_, text) = EXPERIMENTS[1];
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
    for at in (1..=num_calls).step_by(step) {
        fs::remove_dir_all(home.join("x")).expect("ours");
        let fault = FAULTS[at % 3];
        let what = format!("merge, {fault} at call {at}");
        check_end(&preload.fail(&arguments, at, fault, home), fault, &what);
        printed(&arguments, home);
        let found = results(&home.join("x"));
        assert!(found == expected, "{what}: {:?} and {:?}", found.keys(), expected.keys());
    }
}

tests! {
    fn a_few_power_cuts_lose_nothing() = attack_all(&["run", "comparison"], 199, &CUTS, true);
    fn a_few_errors_of_reading_are_errors() = attack_readers(61, 3, &["run"]);
    fn a_few_removed_files_are_made_again() = remove_files(17);
    fn merges_survive_a_few_faults() = merge(5);
    @long
    fn merges_survive_faults() = merge(1);
    fn removed_files_are_made_again() = remove_files(1);
    fn power_cuts_lose_nothing() = attack_all(&[], 20, &CUTS, false);
    fn errors_of_reading_are_errors_in_all_kinds() =
        attack_readers(13, 1, &EXPERIMENTS.map(|(name, _)| name));
    fn experiments_survive_faults() = attack_all(&[], 61, &FAULTS, true);
    fn experiments_survive_faults_at_every_call() = attack_all(&[], 1, &FAULTS, false);
}
