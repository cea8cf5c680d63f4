//! Helpers that many tests share: the program, its files, parameters, and a terminal.

#[cfg(unix)]
pub(crate) mod pseudo_terminal;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rand_distr::Distribution;
use ruse::arena::{PairResult, Source, StopSignal};
use ruse::family::{AnyFamily, Player};
use ruse::rng::{Gaussian, Label, StreamKey};
use tempfile::TempDir;

/// A new temporary directory, which is deleted at the end of its scope.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Home {
        Home(tempfile::tempdir().expect("a temporary directory"))
    }

    /// Returns a directory with this file.
    pub(crate) fn with(name: &str, contents: impl AsRef<[u8]>) -> Home {
        let home = Home::new();
        fs::write(home.join(name), contents).expect("writable");
        home
    }
}

impl Deref for Home {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// Files from which several tests start. The first test makes them, and each test gets a copy.
pub(crate) struct Fixture {
    files: OnceLock<BTreeMap<PathBuf, Vec<u8>>>,
    make: fn(&Path),
}

impl Fixture {
    /// `make` writes the files into an empty directory.
    pub(crate) const fn new(make: fn(&Path)) -> Fixture {
        Fixture { files: OnceLock::new(), make }
    }

    /// Returns a new directory with a copy of the files.
    pub(crate) fn copy(&self) -> Home {
        let files = self.files.get_or_init(|| {
            let home = Home::new();
            (self.make)(&home);
            all_files(&home)
        });
        let home = Home::new();
        write(files, &home);
        home
    }
}

/// Writes files below a directory.
fn write(files: &BTreeMap<PathBuf, Vec<u8>>, directory: &Path) {
    for (name, contents) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("writable");
        fs::write(path, contents).expect("writable");
    }
}

/// Copies all files below a directory into another directory.
pub(crate) fn copy(from: &Path, to: &Path) {
    write(&all_files(from), to);
}

/// The arguments of a command: a list, or a text that is split as a shell would split it.
pub(crate) trait Arguments {
    fn list(&self) -> Vec<String>;
}

impl Arguments for str {
    fn list(&self) -> Vec<String> {
        shlex::split(self).expect("balanced quotes")
    }
}

impl Arguments for String {
    fn list(&self) -> Vec<String> {
        self.as_str().list()
    }
}

impl<S: AsRef<str>> Arguments for [S] {
    fn list(&self) -> Vec<String> {
        self.iter().map(|word| word.as_ref().to_string()).collect()
    }
}

impl<S: AsRef<str>, const N: usize> Arguments for [S; N] {
    fn list(&self) -> Vec<String> {
        self.as_slice().list()
    }
}

impl<S: AsRef<str>> Arguments for Vec<S> {
    fn list(&self) -> Vec<String> {
        self.as_slice().list()
    }
}

/// Returns a command that runs the program in a directory.
pub(crate) fn ruse(arguments: &(impl Arguments + ?Sized), directory: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("ruse"));
    command.args(arguments.list()).current_dir(directory);
    command
}

/// Runs the program, which may fail, and returns its output.
pub(crate) fn output(arguments: &(impl Arguments + ?Sized), directory: &Path) -> Output {
    ruse(arguments, directory).output().expect("it runs")
}

/// Runs the program, which has to succeed, and returns its standard output.
pub(crate) fn printed(arguments: &(impl Arguments + ?Sized), directory: &Path) -> String {
    let output = output(arguments, directory);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// Runs the program, which has to succeed and to print `text`.
pub(crate) fn prints(arguments: &(impl Arguments + ?Sized), directory: &Path, text: &str) {
    let page = printed(arguments, directory);
    assert!(page.contains(text), "{page}");
}

/// Runs the program, which has to succeed, and returns the JSON object that it prints.
pub(crate) fn object(arguments: &(impl Arguments + ?Sized), directory: &Path) -> serde_json::Value {
    serde_json::from_str(&printed(arguments, directory)).expect("one JSON object")
}

/// Runs the program with these lines of input. It has to succeed; returns its standard output.
pub(crate) fn typed(
    arguments: &(impl Arguments + ?Sized),
    directory: &Path,
    lines: &str,
) -> String {
    let mut command = assert_cmd::Command::from_std(ruse(arguments, directory));
    command.env("COLUMNS", "80").env("LC_ALL", "C");
    let output = command.write_stdin(lines).output().expect("it runs");
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// Runs the program, which has to refuse, and returns its message as one line: lines end where the screen does.
pub(crate) fn refused(arguments: &(impl Arguments + ?Sized), directory: &Path) -> String {
    let output = output(arguments, directory);
    let message = said(&output);
    assert_eq!(output.status.code(), Some(2), "{:?}: {message}", arguments.list());
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs the program, which has to refuse with a message that contains `text`.
pub(crate) fn refuses(arguments: &(impl Arguments + ?Sized), directory: &Path, text: &str) {
    let message = refused(arguments, directory);
    assert!(message.contains(text), "{:?}: {message}", arguments.list());
}

/// Returns what the program wrote to standard error.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs the experiment `e.yaml` into the directory `killed`, and kills the program repeatedly, later each time by `step`,
/// until it finishes.
fn kill_until_finished(directory: &Path, step: Duration) {
    for attempt in 1.. {
        // A program that was killed early has left no directory.
        let has_begun = directory.join("killed/experiment.yaml").exists();
        let command = if has_begun { "resume killed" } else { "run e.yaml --out killed" };
        let mut child =
            ruse(&format!("{command} --threads 3"), directory).spawn().expect("it starts");
        std::thread::sleep(step * attempt);
        if child.try_wait().expect("a child").is_none() {
            child.kill().expect("it runs");
            child.wait().expect("it ran");
            continue;
        }
        return assert!(child.wait().expect("it ran").success());
    }
}

/// Carries out an experiment on one thread in `1`, on three threads with kills in `killed`, and from its resolved file in
/// `again`. Returns the results, which must be the same, as `files` reads them.
pub(crate) fn results_in_all_ways(
    experiment: &str,
    directory: &Path,
    step: Duration,
    files: impl Fn(&Path) -> BTreeMap<PathBuf, Vec<u8>>,
) -> BTreeMap<PathBuf, Vec<u8>> {
    fs::write(directory.join("e.yaml"), experiment).expect("writable");
    printed("run e.yaml --out 1 --threads 1", directory);
    kill_until_finished(directory, step);
    printed("run killed/experiment.yaml --out again", directory);
    let results = files(&directory.join("1"));
    for way in ["killed", "again"] {
        assert_eq!(files(&directory.join(way)), results, "{way}");
    }
    results
}

/// Waits for up to five minutes, which is ample on a busy machine.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(300), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until a program that goes on for long has written a file.
pub(crate) fn wait_for_file(child: &mut Child, path: &Path) {
    wait_until("there is no file", || {
        assert!(
            child.try_wait().expect("ours").is_none(),
            "it ended before its {}",
            path.display()
        );
        path.exists()
    });
}

/// Sends a signal, such as `-INT`, to a program.
#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let kill = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());
}

/// Plays pairs of a family with a fixed seed.
pub(crate) fn play(
    family: &dyn AnyFamily,
    a: &Player,
    b: &Player,
    pairs: usize,
) -> Vec<PairResult> {
    let duel = family.duel(a, b).expect("players of the family");
    let mut results = vec![PairResult::default(); pairs];
    duel.play(StreamKey::root(5), 0, &mut results, &StopSignal::default()).expect("not stopped");
    results
}

/// Returns the contents of all files below a directory, with their paths as keys. Files that record time and place are
/// left out.
pub(crate) fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = all_files(directory);
    files.retain(|path, _| !path.ends_with("provenance.yaml"));
    files
}

fn all_files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let name = |path: &Path| path.strip_prefix(directory).expect("below").to_path_buf();
    let paths = paths_below(directory).into_iter();
    paths.map(|path| (name(&path), fs::read(&path).expect("readable"))).collect()
}

/// Returns the paths of all files below a directory, in order.
pub(crate) fn paths_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("readable").path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Returns the family with rules that keep searches short.
pub(crate) fn quick(family: &dyn AnyFamily) -> Arc<dyn AnyFamily> {
    let has_limit = family.rules().iter().any(|rule| rule.name == "playouts");
    let changes =
        if has_limit { BTreeMap::from([("playouts".into(), 4)]) } else { BTreeMap::new() };
    family.with_rules(&changes).expect("in range")
}

/// Draws parameters from the standard Gaussian distribution, like the baseline.
pub(crate) fn gaussian(family: &dyn AnyFamily, seed: u64) -> Vec<f64> {
    let mut stream = StreamKey::root(seed).child(Label::Start, 0).stream();
    (0..family.space().dimension()).map(|_| Gaussian.sample(&mut stream)).collect()
}
