//! Tests that read arbitrary bytes as files. Every read must return a result or an error.
//!
//! The fuzzer in `fuzz/` generates such bytes. These tests use the inputs with which the fuzzer found problems, and the
//! files of this repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Home, paths_below};

#[path = "../../fuzz/targets.rs"]
mod targets;

/// Returns the files below a directory of the repository with one of these extensions, in order of their names.
fn files(directory: &str, ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let paths = if root.exists() { paths_below(&root) } else { Vec::new() };
    paths.into_iter().filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

fn contents(path: &Path) -> Vec<u8> {
    fs::read(path).expect("a readable file")
}

/// Returns the bytes, the bytes twice in a row, and copies damaged at about `num_places` places. A copy is cut off at
/// its place, or has a different byte there.
fn damaged(bytes: &[u8], num_places: usize) -> Vec<Vec<u8>> {
    let mut all = vec![bytes.to_vec(), bytes.repeat(2)];
    let step = (bytes.len() / num_places).max(1);
    for at in (0..bytes.len()).step_by(step) {
        all.push(bytes[..at].to_vec());
        for byte in [b'\0', b':', b'-', b'9', 0xff] {
            let mut other = bytes.to_vec();
            other[at] = byte;
            all.push(other);
        }
    }
    all
}

#[test]
fn inputs_that_once_failed_are_accepted_or_refused() {
    for (directory, target) in [
        ("fuzz/regressions/experiment", targets::experiment as fn(&[u8])),
        ("fuzz/regressions/strategy", targets::strategy),
        ("fuzz/regressions/run_files", |bytes| _ = targets::run_files(bytes)),
        ("fuzz/regressions/result_files", |bytes| _ = targets::result_files(bytes)),
        ("fuzz/regressions/contestant", targets::contestant),
        ("fuzz/regressions/json_line", targets::json_line),
        ("fuzz/regressions/transcript", |bytes| _ = targets::transcript(bytes)),
        ("fuzz/regressions/rule_file", targets::rule_file),
        ("fuzz/regressions/map", targets::map),
        ("fuzz/regressions/bandit_problems", targets::bandit_problems),
        ("fuzz/regressions/program_line", targets::program_line),
    ] {
        for path in files(directory, "") {
            target(&contents(&path));
        }
    }
}

fn damage_experiments(most: usize) {
    let paths =
        files("experiments", "experiment.yaml").into_iter().chain(files("experiments", ".yaml"));
    let small = paths.filter(|path| contents(path).len() < 4000);
    let mut num_files = 0;
    for path in small.take(most) {
        damaged(&contents(&path), 8).iter().for_each(|bytes| targets::experiment(bytes));
        num_files += 1;
    }
    assert!(num_files >= 5, "{num_files}");
}

#[test]
fn strategies_survive_damage() {
    let paths = files("tests/cli", ".yaml");
    assert!(paths.len() >= 5);
    for path in paths {
        damaged(&contents(&path), 3).iter().for_each(|bytes| targets::strategy(bytes));
    }
}

/// Old transcripts stay readable. The transcripts in this test, one for each family, were written by earlier versions.
#[test]
fn transcripts_survive_damage() {
    let paths = files("tests/play/transcripts", ".yaml");
    let mut names: Vec<_> = paths.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
    names.sort_unstable();
    let registry = ruse::registry::Registry::standard();
    let mut families: Vec<_> = registry.families().map(|family| family.name()).collect();
    families.sort_unstable();
    assert_eq!(names, families);
    for path in &paths {
        assert!(targets::transcript(&contents(path)), "{} is refused", path.display());
        damaged(&contents(path), 8).iter().for_each(|bytes| _ = targets::transcript(bytes));
    }
}

tests! {
    fn files_of_runs_survive_damage() = damage_runs(3);
    fn files_of_results_survive_damage() = damage_results(10);
    fn experiments_survive_damage() = damage_experiments(6);
    @long
    fn more_experiments_survive_damage() = damage_experiments(12);
    fn files_of_results_survive_more_damage() = damage_results(40);
    fn files_of_runs_survive_more_damage() = damage_runs(8);
}

fn damage_runs(num_places: usize) {
    let parent = &*Home::new();
    for (number, method) in (0..).zip(targets::METHODS) {
        let experiment = parent.join(format!("{method}.yaml"));
        fs::write(&experiment, targets::experiment_of_run(method)).expect("writable");
        let directory = parent.join(method);
        assert_cmd::Command::cargo_bin("ruse")
            .expect("the program is built")
            .arg("run")
            .args([experiment.as_os_str(), "--out".as_ref(), directory.as_os_str()])
            .assert()
            .success();
        let run = directory.join(format!("pig-{method}-seed1"));
        let [checkpoint, history, population] =
            ["checkpoint.yaml", "history.csv", "population.csv"]
                .map(|name| contents(&run.join(name)));
        let whole = [checkpoint, history, population].join(targets::DIVIDER);
        let whole = [&[number], &*whole].concat();
        assert!(targets::run_files(&whole), "{method}");
        damaged(&whole, num_places).iter().for_each(|bytes| _ = targets::run_files(bytes));
    }
}

fn damage_results(num_places: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/results");
    let first_lines = |path: &str, num_lines: usize| {
        let text = contents(&root.join(path));
        text.split_inclusive(|byte| *byte == b'\n').take(num_lines).flatten().copied().collect()
    };
    let study =
        |name: &str| first_lines(&format!("portfolio/phantom-four-64/{name}.csv"), usize::MAX);
    let parts: [Vec<u8>; 5] = [
        first_lines("paper/measurements.csv", 1),
        b"iteration,games,against,reason,hold\n0,0,,,1\n3,9,0,difference,7\n".to_vec(),
        study("game"),
        study("generalisation"),
        study("learning"),
    ];
    let whole = parts.join(targets::DIVIDER);
    assert_eq!(targets::result_files(&whole), [true; 3]);
    damaged(&whole, num_places).iter().for_each(|bytes| _ = targets::result_files(bytes));
}

#[test]
fn published_files_survive_damage() {
    let whole = [
        &b"family,method,seed,iterations,games,stop-reason,score,low,high,level,pairs,exact,exploitability,response,\
          parameters\npig,naive,1,3,4000,games,0.5,0.4,0.6,0.95,100,false,,,\"{\"\"patience\"\":20.5}\"\n"[..],
        b"family,method,seed,iteration,games,score,low,high,pairs,sigma,decisions,accepted\n\
          pig,naive,1,0,0,0.5,0.4,0.6,10,,0,0\npig,naive,1,3,4000,,,,,1e-3,3,0\n",
    ]
    .join(targets::DIVIDER);
    assert!(targets::published_files(&whole));
    damaged(&whole, 40).iter().for_each(|bytes| _ = targets::published_files(bytes));
}

#[test]
fn contestants_survive_damage() {
    for family in 0..16_u8 {
        for text in
            ["[1,2,3]", "[]", "[1e308,-1e308,nan]", "baseline", "random", "[1,2", "\u{feff}"]
        {
            let bytes = [&[family], text.as_bytes()].concat();
            damaged(&bytes, 8).iter().for_each(|bytes| targets::contestant(bytes));
        }
    }
}

#[test]
fn requests_survive_damage() {
    for family in 0..16_u8 {
        for line in [
            r#"{"id": 1, "a": [1, 2, 3], "pairs": 10, "seed": 7}"#,
            r#"{"id": {"x": [null]}, "a": "random", "b": "baseline"}"#,
            r#"{"a": [1e308, -1e308, 1e-320]}"#,
        ] {
            let bytes = [&[family], line.as_bytes()].concat();
            damaged(&bytes, 16).iter().for_each(|bytes| targets::json_line(bytes));
        }
    }
}

#[test]
fn rule_files_survive_damage() {
    let paths = files("games/gdl/rules", ".kif").into_iter().chain(files("experiments", ".kif"));
    let small: Vec<PathBuf> = paths.filter(|path| contents(path).len() < 3000).collect();
    assert!(small.len() >= 5, "{small:?}");
    for path in small {
        damaged(&contents(&path), 10).iter().for_each(|bytes| targets::rule_file(bytes));
    }
}

#[test]
fn maps_survive_damage() {
    let [drawn, xml] = [".txt", ".xml"].map(|ending| files("experiments/maps", ending));
    assert!(!drawn.is_empty() && !xml.is_empty());
    for path in drawn.into_iter().chain(xml) {
        damaged(&contents(&path), 40).iter().for_each(|bytes| targets::map(bytes));
    }
}

#[test]
fn problems_of_bandits_survive_damage() {
    for name in ["crooked-problem", "no-legal-arm", "positions", "two-problems"] {
        let bytes =
            contents(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cli/{name}.yaml")));
        damaged(&bytes, 20).iter().for_each(|bytes| targets::bandit_problems(bytes));
    }
}

#[test]
fn lines_of_programs_survive_damage() {
    for line in [
        r#"{"evaluate": [[0, 1.5]], "pairs": 10, "against": [1, 2]}"#,
        r#"{"evaluate": [], "pairs": 18446744073709551616}"#,
        r#"{"champion": [1e308, -1e999]}"#,
        "(START m x ((role x) (legal x (Mark 1 ?y))) ; z\n 10 5)",
        "(PLAY m 3 (mark 1 2) ((saw NIL) noop))",
    ] {
        let bytes = [&[2], line.as_bytes()].concat();
        damaged(&bytes, 30).iter().for_each(|bytes| targets::program_line(bytes));
    }
}
