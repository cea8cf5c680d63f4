//! Helpers that many tests share: the program, its files, parameters, and a terminal.

#[cfg(unix)]
pub(crate) mod pseudo_terminal;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use rand_distr::Distribution;
use ruse::family::AnyFamily;
use ruse::rng::{Gaussian, Label, StreamKey};
use tempfile::TempDir;

/// A new temporary directory, which is deleted at the end of its scope.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Home {
        Home(tempfile::tempdir().expect("a temporary directory"))
    }
}

impl Deref for Home {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
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
pub(crate) fn kill_until_finished(directory: &Path, step: Duration) {
    for attempt in 1.. {
        // A program that was killed early has left no directory.
        let has_begun = directory.join("killed/experiment.yaml").exists();
        let command = if has_begun { "resume killed" } else { "run e.yaml --out killed" };
        let mut child = ruse(command, directory).spawn().expect("it starts");
        std::thread::sleep(step * attempt);
        if child.try_wait().expect("a child").is_none() {
            child.kill().expect("it runs");
            child.wait().expect("it ran");
            continue;
        }
        return assert!(child.wait().expect("it ran").success());
    }
}

/// Returns the contents of all files below a directory, with their paths as keys. Files that record time and place are
/// left out.
pub(crate) fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = paths_below(directory).into_iter();
    let results = paths.filter(|path| !path.ends_with("provenance.yaml"));
    let name = |path: &Path| path.strip_prefix(directory).expect("below").to_path_buf();
    results.map(|path| (name(&path), fs::read(&path).expect("readable"))).collect()
}

/// Returns the paths of all files below a directory, in order.
pub(crate) fn paths_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("readable").path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path),
            }
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
