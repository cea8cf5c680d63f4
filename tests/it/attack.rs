//! Attacks on the directories of experiments: kills, two programs at once, and changes of files: single bytes, rows that
//! are repeated, moved or deleted, and rows and files of a sibling experiment.
//!
//! A few attacks of each kind run with the tests. The ignored tests make more attacks, on all kinds of stored data;
//! `ATTACKS=N` sets their number for each kind. `RUSE_PROGRAM=FILE` attacks another build. docs/reproducibility.md has
//! the results of many attacks. The times of kills and the positions of changed bytes are random with a fixed seed, but
//! the state in which a program is killed also depends on the machine. A test that fails keeps the attacked directory,
//! and prints its path.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rand::{Rng, RngExt};
use ruse::rng::{Stream, StreamKey};

use crate::support::{Home, copy, files};

const OUTPUTS: &str = "outputs: [md, csv, tex, json, svg, html]";

/// A command of a user, which takes about a second.
struct Job {
    name: &'static str,
    arguments: Vec<String>,
}

/// Returns these jobs: a run of each method on a family with cheap iterations, a run of all methods together, a
/// comparison, portfolios, a curve of budgets, and a round robin.
fn jobs(home: &Path) -> Vec<Job> {
    let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
    let run = |name: &'static str, text: &str| Job { name, arguments: words(text) };
    let comparison = format!(
        "families:\n- {{family: batawaf4, budget: 30k}}\n- {{family: nim, budget: 10k}}\n\
         methods: [naive, cma-es, seeds, double-oracle]\ncomparison: betting\nrepeats: 2\nhalf-width: 0.05\n\
         evaluation-pairs: 500\nmonitor-pairs: 50\n{OUTPUTS}\n"
    );
    fs::write(home.join("comparison.yaml"), comparison).expect("writable");
    let portfolios = format!(
        "portfolios:\n- {{family: phantom-four, random: [4, 8]}}\n- {{family: pig, name: dice, random: [3], \
         held-out: 2, pairs: 20}}\nbandits: [ucbt, exp3]\ngames: 32\nruns: 20\n{OUTPUTS}\n"
    );
    fs::write(home.join("portfolios.yaml"), portfolios).expect("writable");
    let budgets = format!(
        "family: batawaf4\nmethod: naive\ncomparison: betting\nbudgets: [20k, 50k, 100k]\nrepeats: 2\n\
         evaluation-pairs: 500\nmonitor-pairs: 50\n{OUTPUTS}\n"
    );
    fs::write(home.join("budgets.yaml"), budgets).expect("writable");
    let players = format!(
        "family: nim\nplayers: [uct@T, optimal, random, zero]\nbudgets: [20, 50]\npairs: 10\n{OUTPUTS}\n"
    );
    fs::write(home.join("players.yaml"), players).expect("writable");
    let betting = "--comparison betting --budget 400k --seed 9";
    vec![
        run("naive", &format!("optimise batawaf4 --method naive {betting}")),
        run("iterative", &format!("optimise morra --method iterative {betting}")),
        run("real-coevolution", &format!("optimise batawaf --method real-coevolution {betting}")),
        run("approximate", &format!("optimise pig --method approximate-coevolution {betting}")),
        run("seeds", "optimise batawaf4 --method seeds --budget 400k --seed 9"),
        run("cma-es", &format!("optimise pig --method cma-es {betting}")),
        run("es", "optimise batawaf4 --method es --directions 4 --budget 100k --seed 9"),
        run("hall-of-fame", &format!("optimise batawaf4 --method hall-of-fame {betting}")),
        run("double-oracle", &format!("optimise batawaf4 --method double-oracle {betting}")),
        run("all", "optimise pig --method all --comparison betting --budget 300k --seed 5"),
        run("comparison", "run comparison.yaml"),
        run("portfolios", "run portfolios.yaml"),
        run("budgets", "run budgets.yaml"),
        run("players", "run players.yaml"),
    ]
}

fn ruse(arguments: &[impl AsRef<str>], directory: &Path) -> Command {
    let other = std::env::var_os("RUSE_PROGRAM").map(PathBuf::from);
    let own = || assert_cmd::cargo::cargo_bin!("ruse").to_path_buf();
    let mut command = Command::new(other.unwrap_or_else(own));
    command.args(arguments.iter().map(AsRef::as_ref)).current_dir(directory);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn output(arguments: &[&str], directory: &Path) -> Output {
    let mut command = ruse(arguments, directory);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("it runs")
}

impl Job {
    fn begin(&self, out: &str, threads: u32, directory: &Path) -> Command {
        let mut arguments = self.arguments.clone();
        arguments.extend(["--out".into(), out.into(), "--threads".into(), threads.to_string()]);
        ruse(&arguments, directory)
    }
}

/// Returns the files that differ between two directories.
fn differences(
    found: &BTreeMap<PathBuf, Vec<u8>>,
    expected: &BTreeMap<PathBuf, Vec<u8>>,
) -> Vec<PathBuf> {
    let names = found.keys().chain(expected.keys());
    // Thinking times differ from run to run.
    let names = names.filter(|name| !name.ends_with("times.csv"));
    let mut different: Vec<_> =
        names.filter(|name| found.get(*name) != expected.get(*name)).cloned().collect();
    different.sort();
    different.dedup();
    different
}

fn num_attacks(usual: u32) -> u32 {
    let asked = std::env::var("ATTACKS").ok();
    asked.map_or(usual, |number| number.parse().expect("ATTACKS is a number"))
}

fn kill(mut child: Child) -> bool {
    let is_running = child.try_wait().expect("it is ours").is_none();
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    is_running
}

/// Continues a killed job, as its user would.
fn go_on(job: &Job, moments: &mut Stream, home: &Path) -> Child {
    let threads = moments.random_range(1..4u32);
    let has_begun = home.join("killed/experiment.yaml").exists();
    let mut command = match has_begun {
        true => ruse(&["resume", "killed", "--threads", &threads.to_string()], home),
        // A job that was killed before it began has left no files that matter.
        false => job.begin("killed", threads, home),
    };
    command.spawn().expect("it starts")
}

#[test]
fn killed_a_few_times() {
    let num_together = kill_again_and_again(&["portfolios", "players"], 2);
    println!("{num_together} times two programs at once");
}

tests! {
    @long
    fn killed_again_and_again_with_two_programs_at_once() =
        assert!(kill_again_and_again(&[], num_attacks(22)) > 0);
    fn no_change_of_a_few_is_accepted_in_silence() =
        change_files(&["cma-es", "comparison", "portfolios", "budgets", "players"], 50);
    fn no_change_is_accepted_in_silence() = change_files(&KINDS, num_attacks(2000));
}

/// Kills the jobs with these names, or all jobs, at least `wanted` times. Returns the number of times that two programs
/// ran at once.
fn kill_again_and_again(names: &[&str], wanted: u32) -> u32 {
    let parent = tempfile::tempdir().expect("a temporary directory");
    let home = parent.path();
    let mut moments = StreamKey::root(15).stream();
    let mut jobs = jobs(home);
    jobs.retain(|job| names.is_empty() || names.contains(&job.name));
    let whole: Vec<_> = jobs
        .iter()
        .map(|job| {
            let started = Instant::now();
            let status = job.begin(job.name, 2, home).status().expect("it runs");
            assert!(status.success(), "{}", job.name);
            (files(&home.join(job.name)), started.elapsed())
        })
        .collect();
    let (mut num_kills, mut num_together, mut num_refused) = (0, 0, 0);
    // The jobs take turns, and each is killed up to seven times in its turn.
    for (job, (whole, duration)) in jobs.iter().zip(&whole).cycle() {
        if num_kills >= wanted {
            break;
        }
        let max_kills = moments.random_range(1..8u32);
        let span_ms = 2 * duration.as_millis() as u64 / u64::from(max_kills);
        for _ in 0..max_kills {
            let child = go_on(job, &mut moments, home);
            let other = moments.next_u64().is_multiple_of(3).then(|| {
                num_together += 1;
                std::thread::sleep(Duration::from_millis(moments.next_u64() % 50));
                go_on(job, &mut moments, home)
            });
            std::thread::sleep(Duration::from_millis(moments.next_u64() % (span_ms + 5)));
            let was_running = kill(child);
            if let Some(mut other) = other {
                // The second program is refused, unless the first program has finished.
                match other.try_wait().expect("it is ours").map(|status| status.code()) {
                    Some(Some(2)) => num_refused += 1,
                    Some(code) => assert_eq!(code, Some(0), "{}: the second program", job.name),
                    None => num_kills += u32::from(kill(other)),
                }
            }
            num_kills += u32::from(was_running);
        }
        let mut last = go_on(job, &mut moments, home);
        let status = last.wait().expect("it runs");
        let found = files(&home.join("killed"));
        if !status.success() || !differences(&found, whole).is_empty() {
            let kept = parent.keep();
            panic!(
                "{}: {status}, after {num_kills} kills these differ in {}: {:?}",
                job.name,
                kept.display(),
                differences(&found, whole)
            );
        }
        fs::remove_dir_all(home.join("killed")).expect("there");
    }
    println!(
        "{num_kills} kills, {num_together} times two programs at once, of which one was refused \
         {num_refused} times: every byte as it should be"
    );
    assert!(num_kills >= wanted);
    num_together
}

/// If several programs work on the same directory, one program gets the directory, and the others report an error.
#[test]
fn one_of_several_programs_gets_the_directory() {
    let home = &*Home::new();
    for round in 0..num_attacks(3).min(150) {
        let out = format!("out{round}");
        let begin = |seed: u32| {
            let seed = seed.to_string();
            let what = ["optimise", "pig", "--method", "naive", "--iterations", "3", "--seed"];
            ruse(&[&what[..], &[&seed, "--out", &out]].concat(), home).spawn().expect("it starts")
        };
        let children: Vec<Child> = (1..=6).map(begin).collect();
        let codes: Vec<Option<i32>> =
            children.into_iter().map(|mut child| child.wait().expect("it runs").code()).collect();
        assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
        assert_eq!(codes.iter().filter(|code| **code == Some(2)).count(), 5, "{codes:?}");
        let runs = fs::read_dir(home.join(&out)).expect("there");
        let is_run = |entry: &std::io::Result<fs::DirEntry>| {
            entry.as_ref().is_ok_and(|entry| entry.path().is_dir())
        };
        assert_eq!(runs.filter(is_run).count(), 1);
        assert!(output(&["resume", &out], home).status.success());
    }
}

/// Returns `true` for a file that only people read; `ruse resume` writes it again.
fn is_for_people(name: &Path) -> bool {
    let name = name.file_name().expect("a name").to_string_lossy();
    name.starts_with("table-") || name.ends_with(".svg") || name == "report.html"
}

/// Jobs of all kinds of experiments.
const KINDS: [&str; 7] =
    ["cma-es", "hall-of-fame", "all", "comparison", "portfolios", "budgets", "players"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Byte,
    RowRepeated,
    RowDeleted,
    RowsSwapped,
    RowOfSibling,
    FileOfSibling,
    LineEnds,
}

impl Change {
    const ALL: [Change; 7] = [
        Change::Byte,
        Change::RowRepeated,
        Change::RowDeleted,
        Change::RowsSwapped,
        Change::RowOfSibling,
        Change::FileOfSibling,
        Change::LineEnds,
    ];

    /// Returns the changed contents of a file and a description; `None` if this file cannot be changed in this way.
    /// `sibling` contains the same file of an experiment that differs in its seed.
    fn apply(
        self,
        bytes: &[u8],
        sibling: Option<&Vec<u8>>,
        draws: &mut Stream,
    ) -> Option<(Vec<u8>, String)> {
        let mut bytes = bytes.to_vec();
        if self == Change::Byte {
            let place = draws.random_range(0..bytes.len());
            let before = bytes[place];
            // Replaces either a digit with a digit, or any byte with any other byte.
            bytes[place] = match before.is_ascii_digit() && draws.random() {
                true => b'0' + (before - b'0' + draws.random_range(1..10u8)) % 10,
                false => before.wrapping_add(draws.random_range(1..=255u8)),
            };
            let what = format!("byte {place} was {before} and is {}", bytes[place]);
            return Some((bytes, what));
        }
        let text = String::from_utf8(bytes.clone()).ok()?;
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        match self {
            Change::FileOfSibling => return Some((sibling?.clone(), "file of a sibling".into())),
            Change::LineEnds => {
                return Some((text.replace('\n', "\r\n").into_bytes(), "line ends".into()));
            }
            // The first line is a header or a comment.
            _ if lines.len() < 3 => return None,
            _ => {}
        }
        let (from, to) = (draws.random_range(1..lines.len()), draws.random_range(1..lines.len()));
        let what = format!("{self:?} {} {}", from + 1, to + 1);
        match self {
            Change::RowRepeated => lines.insert(to, lines[from]),
            // Without its last rows, a file is as it was earlier.
            Change::RowDeleted if from + 1 < lines.len() => drop(lines.remove(from)),
            Change::RowsSwapped => lines.swap(from, to),
            Change::RowOfSibling => {
                let others = std::str::from_utf8(sibling?).ok()?;
                lines[from] = others.split_inclusive('\n').nth(from)?;
            }
            _ => return None,
        }
        Some((lines.concat().into_bytes(), what))
    }
}

impl Job {
    /// Returns the same job with another seed.
    fn sibling(&self, home: &Path) -> Job {
        let mut arguments = self.arguments.clone();
        match arguments.iter().position(|word| word == "--seed") {
            Some(place) => arguments[place + 1] = "77".into(),
            None => {
                let text = fs::read_to_string(home.join(&arguments[1])).expect("there");
                arguments[1] = format!("sibling-{}", arguments[1]);
                fs::write(home.join(&arguments[1]), format!("seed: 77\n{text}")).expect("writable");
            }
        }
        Job { name: self.name, arguments }
    }
}

/// Changes files of experiments, and checks that each command that reads the files either reports the change or has the
/// same results as before.
fn change_files(names: &[&str], num_changes: u32) {
    let home = &*Home::new();
    let mut draws = StreamKey::root(16).stream();
    let mut subjects = Vec::new();
    for job in jobs(home) {
        if !names.contains(&job.name) {
            continue;
        }
        let started = Instant::now();
        assert!(job.begin(job.name, 2, home).status().expect("it runs").success());
        let (whole, duration) = (files(&home.join(job.name)), started.elapsed());
        let sibling = format!("{}-sibling", job.name);
        assert!(job.sibling(home).begin(&sibling, 2, home).status().expect("it runs").success());
        let sibling = files(&home.join(sibling));
        subjects.push((job.name.to_string(), whole.clone(), sibling.clone()));
        // The same job is killed in the middle.
        let unfinished = format!("{}-unfinished", job.name);
        let child = job.begin(&unfinished, 2, home).spawn().expect("it starts");
        std::thread::sleep(duration / 2);
        kill(child);
        if home.join(&unfinished).join("experiment.yaml").exists() {
            subjects.push((unfinished, whole, sibling));
        }
    }
    let page = |directory: &str| {
        let report = output(&["report", directory, "--out", "page.html"], home);
        (report.status.code(), fs::read(home.join("page.html")).unwrap_or_default())
    };
    let pages: Vec<_> = subjects.iter().map(|(name, ..)| page(name)).collect();
    let (mut num_refused, mut num_repaired, mut num_unread) = (0, 0, 0);
    let (mut num_made, mut by_change) = (0, BTreeMap::new());
    for number in 0.. {
        if num_made == num_changes {
            break;
        }
        let index = number as usize % subjects.len();
        let (name, whole, sibling) = &subjects[index];
        let change = Change::ALL[draws.random_range(0..Change::ALL.len())];
        let victim = home.join("victim");
        copy(&home.join(name), &victim);
        let all: Vec<PathBuf> = files(&victim)
            .into_iter()
            .filter(|(_, bytes)| !bytes.is_empty())
            .map(|(name, _)| name)
            .collect();
        // Files that programs read are changed more often.
        let is_read = |name: &&PathBuf| !is_for_people(name) && !name.ends_with("times.csv");
        let read: Vec<&PathBuf> = all.iter().filter(is_read).collect();
        let file = match draws.next_u64() % 8 {
            0 => &all[draws.random_range(0..all.len())],
            _ => read[draws.random_range(0..read.len())],
        };
        let bytes = fs::read(victim.join(file)).expect("there");
        let other = sibling.get(file);
        let changed = change.apply(&bytes, other, &mut draws).filter(|(new, _)| *new != bytes);
        let Some((changed, what)) = changed else {
            fs::remove_dir_all(&victim).expect("there");
            continue;
        };
        num_made += 1;
        *by_change.entry(change).or_insert(0) += 1;
        fs::write(victim.join(file), &changed).expect("writable");
        let what = format!("{name}: {}: {what}", file.display());
        let (code, html) = page("victim");
        let is_same_page = (code, &html) == (pages[index].0, &pages[index].1);
        assert!(code == Some(2) || is_same_page, "{what}: report ends with {code:?}");
        let resumed = output(&["resume", "victim"], home);
        let said = String::from_utf8_lossy(&resumed.stderr).into_owned();
        assert!(!said.contains("panicked"), "{what}: {said}");
        match resumed.status.code() {
            Some(2) => num_refused += 1,
            Some(0) => {
                let different = differences(&files(&victim), whole);
                assert!(different.is_empty(), "{what}: resumed, and these differ: {different:?}");
                if is_for_people(file) { num_repaired += 1 } else { num_unread += 1 }
            }
            code => panic!("{what}: resume ends with {code:?}: {said}"),
        }
        fs::remove_dir_all(&victim).expect("there");
    }
    println!(
        "{num_changes} changes {by_change:?}: {num_refused} refused, {num_repaired} in figures, tables and pages that are \
         written again, {num_unread} in files that are not read or are written again: none accepted"
    );
    assert!(num_refused > 0);
}
