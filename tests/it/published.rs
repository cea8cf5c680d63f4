//! Tests of published experiments. Their few files lead to the same tables and pictures as the directories of all runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ruse::lab::{self, PublishError, RunDirectory};
use ruse::registry::Registry;

use crate::support::{
    Fixture, Home, files, object, output, printed, prints, refused, refuses, ruse, signal,
};

const EXPERIMENT: &str = "\
families:
- {family: guess-who, budget: 4k}
- {family: nim, budget: 4k}
methods: [naive, cma-es, double-oracle]
comparison: betting
repeats: 2
half-width: 0.1
evaluation-pairs: 100
monitor-pairs: 20
outputs: [md]
";

/// The experiment in `full`, and published in `slim`.
static PUBLISHED: Fixture = Fixture::new(|path| {
    fs::write(path.join("e.yaml"), EXPERIMENT).expect("writable");
    printed("run e.yaml --out full --quiet", path);
    assert_eq!(printed("publish full --out slim", path), "slim\n");
});

fn names(directory: &Path) -> Vec<String> {
    files(directory).keys().map(|name| name.display().to_string()).collect()
}

fn text(path: PathBuf) -> String {
    fs::read_to_string(path).expect("there")
}

#[test]
fn tables_and_pictures_are_those_of_the_whole_directory() {
    let path = &*PUBLISHED.copy();
    assert_eq!(
        names(&path.join("slim")).join(" "),
        "curves.csv experiment.yaml finished.yaml measurements.csv runs.csv table-across.md table-effort.md \
         table-exploitability.md table-head-to-head.md table-ranking.md table-references.md table-scores.md \
         table-targets.md table-yardsticks.md"
    );
    assert!(path.join("slim/provenance.yaml").is_file());
    // All files from which tables are made are kept, and derived files are the same.
    let (full, slim) = (files(&path.join("full")), files(&path.join("slim")));
    for (name, contents) in slim.iter().filter(|(name, _)| **name != *Path::new("finished.yaml")) {
        assert!(full.get(name) == Some(contents), "{}", name.display());
    }
    for format in ["md", "csv", "tex", "json"] {
        let table = |of: &str| printed(&["table", of, "--format", format], path);
        assert_eq!(table("full"), table("slim"));
    }
    // The last measurements are about reference players and reference strategies. If these measurements are missing,
    // they are made again, and have the same digits.
    let rows = text(path.join("full/measurements.csv"));
    let yardsticks = rows.find("\nyardstick,").expect("there") + 1;
    fs::write(path.join("full/measurements.csv"), &rows[..yardsticks]).expect("writable");
    prints("table full", path, "ruse table DIR --measure");
    printed("table full --measure --quiet", path);
    printed("resume full --quiet", path);
    assert!(text(path.join("full/measurements.csv")) == rows);
    // In a published experiment, nothing is missing.
    printed("table slim --measure --quiet", path);
    let mut measured = files(&path.join("slim"));
    measured.remove(Path::new(".lock"));
    assert!(measured == slim, "{:?}", measured.keys());
    // A published experiment is published again without a change.
    printed("publish slim --out again", path);
    assert_eq!(files(&path.join("again")), slim);

    for of in ["full", "slim"] {
        printed(&["plot", of, "--out", &format!("{of}-figures")], path);
        printed(&["report", of, "--out", &format!("{of}.html")], path);
    }
    let (full, slim) = (files(&path.join("full-figures")), files(&path.join("slim-figures")));
    assert!(full.keys().eq(slim.keys()), "{:?}", slim.keys());
    let names =
        "scores head-to-head-guess-who head-to-head-nim best-strategy-guess-who best-strategy-nim";
    for name in names.split(' ') {
        let name = PathBuf::from(format!("{name}.svg"));
        assert!(full[&name] == slim[&name], "{}", name.display());
    }
    assert!(text(path.join("slim.html")).contains("All 12 runs are finished."));
}

/// Returns the rows of a table, whose columns must have these names.
fn rows(path: &Path, names: &str) -> Vec<csv::StringRecord> {
    let mut table = csv::Reader::from_path(path).expect("a table");
    assert_eq!(table.headers().expect("a header").iter().collect::<Vec<_>>().join(","), names);
    table.records().collect::<Result<_, _>>().expect("rows")
}

#[test]
fn a_row_says_what_a_run_has_found() {
    let path = &*PUBLISHED.copy();
    let rows = rows(
        &path.join("slim/runs.csv"),
        "family,method,seed,iterations,games,stop-reason,score,low,high,level,pairs,exact,exploitability,response,\
         parameters",
    );
    // There are 2 families, 3 methods and 2 seeds.
    assert_eq!(rows.len(), 12);
    for row in &rows {
        let name = format!("{}-{}-seed{}", &row[0], &row[1], &row[2]);
        // The JSON in the last column is valid in a strategy file.
        fs::write(
            path.join("own.yaml"),
            format!("family: {}\nparameters: {}\n", &row[0], &row[14]),
        )
        .expect("writable");
        let strategy = format!("full/{name}/strategy.yaml");
        let score = |file: &str| {
            let args = ["match", &row[0], file, "baseline", "--pairs", "20", "--json"];
            object(&args, path)["score"].clone()
        };
        assert_eq!(score("own.yaml"), score(&strategy), "{name}");
        let score: f64 = row[6].parse().expect("a number");
        assert!(text(path.join(&strategy)).contains(&format!("score: {score:?}\n")), "{name}");
        assert_eq!((&row[9], &row[11], &row[13]), ("0.95", "false", "exact"), "{name}");
        let exploitability: f64 = row[12].parse().expect("a number");
        assert!((0.0..=0.5).contains(&exploitability), "{name}: {exploitability}");
    }

    let rows = self::rows(
        &path.join("slim/curves.csv"),
        "family,method,seed,iteration,games,score,low,high,pairs,sigma,decisions,accepted",
    );
    let started: BTreeSet<[&str; 3]> =
        rows.iter().filter(|row| &row[3] == "0").map(|row| [&row[0], &row[1], &row[2]]).collect();
    assert_eq!(started.len(), 12);
}

#[test]
fn nothing_goes_on_there_and_nothing_is_overwritten() {
    let path = &*PUBLISHED.copy();
    let before = files(&path.join("slim"));
    refuses("resume slim", path, "slim is published: it has results, and nothing to go on from");
    refuses("plot slim --population", path, "without the populations");
    refuses("publish full --out slim", path, "slim is there already");
    prints("exploit slim", path, "double-oracle (mixture)");
    // The list of published files names the missing file.
    let table = path.join("slim/measurements.csv");
    fs::remove_file(&table).expect("there");
    refuses("exploit slim", path, "measurements.csv");
    // The table is also refused if its last row is missing.
    let whole = &before[Path::new("measurements.csv")];
    let end = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("rows") + 1;
    fs::write(&table, &whole[..end]).expect("writable");
    refuses("exploit slim", path, "measurements.csv");
    fs::write(&table, whole).expect("writable");
    let mut after = files(&path.join("slim"));
    after.remove(Path::new(".lock"));
    assert_eq!(after, before);

    // An unfinished experiment is not published.
    fs::remove_dir_all(path.join("full/nim-naive-seed2")).expect("there");
    let unfinished = "11 of 12 parts of the experiment are finished";
    refuses("publish full --out half", path, unfinished);
    assert!(!path.join("half").exists());
    // An error that occurs while files are added does not leave anything behind, either.
    let registry = Registry::standard();
    let (slim, plan) = RunDirectory::open(&path.join("slim"), &registry).expect("published");
    let out = path.join("not");
    let failed = lab::publish(&slim, &plan, &out, |_| Err(PublishError::Occupied("disk".into())));
    assert!(failed.is_err() && !out.exists());
    let leftovers = fs::read_dir(path).expect("readable").flatten();
    let is_leftover = |name: String| name.starts_with(".unfinished-");
    assert!(
        !leftovers.into_iter().any(|entry| is_leftover(entry.file_name().to_string_lossy().into()))
    );
}

#[test]
fn rows_that_are_not_of_the_experiment_are_refused() {
    let path = &*PUBLISHED.copy();
    for (file, from, to, problem) in [
        ("runs.csv", "nim,naive,1,", "nim,naive,7,", "the experiment has no run nim-naive-seed7"),
        ("runs.csv", "nim,naive,1,", "nim,naive,2,", "nim-naive-seed2: there are two rows of it"),
        ("runs.csv", "{\"\"", "{\"\"x", "guess-who-naive-seed1: the family has no parameter"),
        ("runs.csv", ",exact,", ",perhaps,", "`perhaps`"),
        ("runs.csv", "family,", "house,", "unknown field `house`"),
        ("curves.csv", "nim,naive,1,0,", "nim,naive,1,-1,", "curves.csv"),
        (
            "curves.csv",
            "nim,naive,1,0,",
            "nim,luck,1,0,",
            "the experiment has no run nim-luck-seed1",
        ),
    ] {
        let whole = text(path.join("slim").join(file));
        assert!(whole.contains(from), "{file} has no {from}");
        fs::write(path.join("slim").join(file), whole.replacen(from, to, 1)).expect("writable");
        let message = refused("table slim", path);
        assert!(message.contains(file) && message.contains(problem), "{message}");
        fs::write(path.join("slim").join(file), whole).expect("writable");
    }
}

#[test]
fn runs_of_all_methods_and_pools_are_published_too() {
    let path = &*Home::new();
    printed("optimise morra --method all --budget 3k --comparison betting --quiet --out all", path);
    printed("publish all --out all-slim", path);
    let slim = names(&path.join("all-slim"));
    for name in ["runs.csv", "curves.csv", "strategy.yaml", "championship.csv", "portfolio.yaml"] {
        assert!(slim.iter().any(|found| found == name), "{name} in {slim:?}");
    }
    printed("plot all --out figures", path);
    printed("plot all-slim --out slim-figures", path);
    let (full, slim) = (files(&path.join("figures")), files(&path.join("slim-figures")));
    assert!(full.keys().eq(slim.keys()), "{:?}", slim.keys());
    assert!(full[Path::new("head-to-head.svg")] == slim[Path::new("head-to-head.svg")]);
    printed("report all-slim --out all.html", path);

    let pools = "portfolios:\n- {family: phantom-four, random: [4], pairs: 4}\nbandits: [ucbt]\ngames: 8\nruns: 5\n\
                 outputs: []\n";
    fs::write(path.join("p.yaml"), pools).expect("writable");
    printed("run p.yaml --out pools --quiet", path);
    printed("publish pools --out pools-slim", path);
    let table = |of: &str| printed(&["table", of, "--format", "md"], path);
    assert_eq!(table("pools"), table("pools-slim"));
}

/// Carries out and publishes an experiment, and checks that the published experiment cannot be continued.
fn nothing_goes_on(experiment: &str) {
    let path = &*Home::with("e.yaml", experiment);
    printed("run e.yaml --out full --quiet", path);
    printed("publish full --out slim", path);
    let before = files(&path.join("slim"));
    for arguments in
        [&["resume", "slim"][..], &["run", "e.yaml", "--out", "slim", "--shard", "0/2"]]
    {
        let message = refused(arguments, path);
        assert!(message.starts_with("error: slim is published: it has results"), "{message}");
    }
    assert_eq!(files(&path.join("slim")), before);
    // All other commands work: the tables equal the tables of the full directory, and the published directory can be
    // published again.
    assert_eq!(printed("table slim", path), printed("table full", path));
    printed("publish slim --out again", path);
    assert_eq!(files(&path.join("again")), before);
    assert!(output("resume full", path).status.success());
}

tests! {
    fn a_published_run_is_not_resumed() =
        nothing_goes_on("family: pig\nmethod: naive\nbudget: 4k\n");
    fn a_published_championship_is_not_resumed() = nothing_goes_on(
        "family: morra\nmethod: all\nbudget: 10k\nmonitor-pairs: 20\nevaluation-pairs: 100\n"
    );
    fn published_portfolios_are_not_resumed() = nothing_goes_on(
        "portfolios:\n- {family: pig, name: dice, random: [3], held-out: 2, pairs: 20}\nbandits: [ucbt]\ngames: 32\n\
         runs: 20\n"
    );
    fn a_published_round_robin_is_not_resumed() =
        nothing_goes_on("family: nim\nplayers: [optimal, random]\npairs: 20\n");
}

/// Returns the unfinished directory that a command is writing, if it exists.
#[cfg(unix)]
fn being_written(path: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(path).expect("there").flatten();
    let is_new =
        |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(".unfinished-");
    entries.filter(is_new).map(|entry| entry.path()).find(|path| path.join("new").is_dir())
}

/// Interrupts `ruse publish full --out slim` while the command is writing.
#[cfg(unix)]
fn caught(path: &Path) -> std::process::Child {
    for _ in 0..50 {
        let mut child = ruse("publish full --out slim", path).spawn().expect("it starts");
        loop {
            if being_written(path).is_some() {
                signal(&child, "-STOP");
                // The command may be almost done, and takes a moment to stop.
                std::thread::sleep(std::time::Duration::from_millis(20));
                if being_written(path).is_some() {
                    return child;
                }
                signal(&child, "-CONT");
            }
            if child.try_wait().expect("ours").is_some() {
                break;
            }
        }
        fs::remove_dir_all(path.join("slim")).expect("published");
    }
    panic!("it is always faster than the test");
}

#[cfg(unix)]
#[test]
fn files_of_a_killed_program_are_removed_by_the_next() {
    let path = &*PUBLISHED.copy();
    let whole = files(&path.join("slim"));
    fs::remove_dir_all(path.join("slim")).expect("published");
    let mut child = caught(path);
    child.kill().expect("ours");
    child.wait().expect("it ends");
    assert!(being_written(path).is_some());
    assert!(!path.join("slim").exists());
    printed("publish full --out other", path);
    assert_eq!(being_written(path), None);
    assert_eq!(files(&path.join("other")), whole);
}

#[cfg(unix)]
#[test]
fn files_of_a_running_program_are_left_alone() {
    let path = &*PUBLISHED.copy();
    let whole = files(&path.join("slim"));
    fs::remove_dir_all(path.join("slim")).expect("published");
    let mut child = caught(path);
    printed("publish full --out other", path);
    assert!(being_written(path).is_some(), "it was taken for a leftover");
    signal(&child, "-CONT");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(being_written(path), None);
    assert_eq!(files(&path.join("slim")), whole);
    assert_eq!(files(&path.join("other")), whole);
}
