//! Tests of output files. Links are not followed, only files of the same kind are replaced, and names from outside are
//! not executed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Arguments, Home, output, paths_below, printed, refuses, said};

const WORK: &str = "years of work\n";

/// Runs a command that must be refused, and must not change any file or link below `home`. Returns its message.
fn refused(arguments: &(impl Arguments + ?Sized), home: &Path) -> String {
    let before = snapshot(home);
    let output = output(arguments, home);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{:?}: {said}", arguments.list());
    assert!(snapshot(home) == before, "{:?} has changed files", arguments.list());
    said
}

/// Returns the contents of all files below a directory, and the targets of links.
fn snapshot(home: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let of = |path: PathBuf| {
        let contents = match fs::read_link(&path) {
            Ok(target) => target.into_os_string().into_encoded_bytes(),
            Err(_) => fs::read(&path).expect("readable"),
        };
        (path, contents)
    };
    paths_below(home).into_iter().map(of).collect()
}

/// Returns a directory with a run in `run`, a strategy in `mine.yaml`, and other work in `notes`.
fn home() -> Home {
    let home = Home::new();
    printed("optimise morra --method cma-es --budget 1k --comparison majority --out run -q", &home);
    fs::write(home.join("mine.yaml"), "family: morra\nparameters: {others: 0}\n")
        .expect("writable");
    fs::write(home.join("notes"), WORK).expect("writable");
    home
}

#[test]
fn a_lock_that_is_a_link_empties_nothing() {
    let home = &*home();
    let lock = home.join("run/.lock");
    let commands = ["report run", "plot run", "resume run", "exploit run", "table run --measure"];
    for target in ["notes", "nowhere"] {
        symlink(home.join(target), &lock).expect("writable");
        for command in commands {
            let said = refused(command, home);
            assert!(said.contains("run/.lock is a link"), "{command}: {said}");
        }
        fs::remove_file(&lock).expect("there");
    }
    // A file that has the name of a lock but is not a lock is refused, too.
    fs::write(&lock, WORK).expect("writable");
    for command in commands {
        let said = refused(command, home);
        assert!(said.contains("run/.lock is there already, and is not a lock"), "{said}");
    }
    fs::remove_file(&lock).expect("there");
    printed("report run", home);
}

#[test]
fn tables_and_runs_are_not_written_elsewhere() {
    let comparison = "families: [{family: nim, budget: 2k}]\nmethods: [naive, cma-es]\nrepeats: 1\n\
        comparison: majority\nevaluation-pairs: 50\nmonitor-pairs: 10\nhalf-width: 0.2\n";
    let home = &*Home::with("c.yaml", comparison);
    printed("run c.yaml --out c -q", home);

    // The last row of this table, which grows, has to be written again.
    let (table, elsewhere) = (home.join("c/measurements.csv"), home.join("measurements.csv"));
    let text = fs::read_to_string(&table).expect("there");
    let end = text.trim_end().rfind('\n').expect("it has rows") + 1;
    fs::write(&elsewhere, &text[..end]).expect("writable");
    fs::remove_file(&table).expect("there");
    symlink(&elsewhere, &table).expect("writable");
    refuses("resume c", home, "c/measurements.csv is a link");
    assert_eq!(fs::read_to_string(&elsewhere).expect("there"), &text[..end]);

    // In this directory, no run has started.
    printed("run c.yaml --out s --shard 0/2 -q", home);
    let precious = home.join("precious");
    fs::create_dir(&precious).expect("writable");
    for name in ["history.csv", "population.csv", ".unfinished-x"] {
        fs::write(precious.join(name), WORK).expect("writable");
    }
    let runs = ["nim-naive-seed1", "nim-cma-es-seed1"].map(|run| home.join("s").join(run));
    let missing: Vec<&PathBuf> = runs.iter().filter(|run| !run.exists()).collect();
    assert_eq!(missing.len(), 1, "a shard does one of two runs");
    symlink(&precious, missing[0]).expect("writable");
    refuses("run c.yaml --out s --shard 1/2", home, "seed1 is a link");
    assert!(snapshot(&precious).values().all(|contents| contents == WORK.as_bytes()));
    assert_eq!(snapshot(&precious).len(), 3);
}

#[test]
fn outputs_replace_no_input_and_nothing_of_another_kind() {
    let home = &*home();
    fs::write(home.join("mine.svg"), "<?xml version=\"1.0\"?>\n<svg/>\n").expect("writable");
    fs::write(home.join("mine.html"), "<!DOCTYPE html>\n<p>mine</p>\n").expect("writable");
    fs::create_dir(home.join("manuals")).expect("writable");
    fs::write(home.join("manuals/ruse-run.1"), ".TH other 1\n").expect("writable");
    symlink("nowhere", home.join("dangling")).expect("writable");
    symlink("nowhere", home.join("dangling.svg")).expect("writable");
    symlink("notes", home.join("link.svg")).expect("writable");
    let problems =
        "problems:\n  one:\n    means: [[0.1, 0.3], [0.2, 0.4]]\n    sigma: 0.1\n    fpu: 0.6\n";
    fs::write(home.join("problems.yaml"), problems).expect("writable");
    for (command, problem) in [
        ("plot mine.yaml --out mine.yaml", "invalid name of a figure mine.yaml"),
        ("plot mine.yaml --out new.gif", "invalid name of a figure new.gif"),
        ("plot mine.yaml --out figure.html", "invalid name of a figure figure.html"),
        ("plot mine.yaml", "mine.svg is there already, and is not a figure in SVG"),
        ("plot mine.yaml --out mine.svg", "mine.svg is there already, and is not a figure"),
        ("plot mine.yaml --out dangling.svg", "dangling.svg is a link"),
        ("plot mine.yaml --out link.svg", "link.svg is a link"),
        ("plot run --only strategy --out mine.svg", "mine.svg is there already"),
        ("match pig hold-20 random --plot mine.svg", "mine.svg is there already"),
        ("match pig hold-20 random --plot link.svg", "link.svg is a link"),
        ("match pig hold-20 random --decisions mine.yaml", "mine.yaml is there already"),
        ("match pig hold-20 random --decisions dangling", "dangling is there already"),
        ("report run --out run/experiment.yaml", "run/experiment.yaml is there already"),
        ("report run --out run/morra-cma-es-seed1/history.csv", "history.csv is there already"),
        ("report run --out mine.html", "mine.html is there already, and is not a page"),
        ("report run --out dangling", "dangling is a link"),
        ("page mine.yaml --out mine.yaml", "mine.yaml is there already, and is not a page"),
        ("page mine.yaml --out dangling", "dangling is a link"),
        ("portfolio mine.yaml uniform --out mine.yaml", "mine.yaml is there already"),
        ("portfolio pig --random 3 --out run/experiment.yaml", "experiment.yaml is there already"),
        ("portfolio pig --random 4 --held-out 2 --out run", "run is not empty"),
        ("portfolio pig --random 4 --held-out 2 --out notes", "notes is not a directory"),
        ("bandit problems.yaml --out run", "run is not empty"),
        ("man --out manuals", "manuals/ruse-run.1 is there already, and is not a manual page"),
        ("init pig --out run/experiment.yaml", "run/experiment.yaml is there already"),
        ("init pig --out dangling", "dangling is there already"),
        ("watch pig random random --save mine.yaml", "mine.yaml is there already"),
        ("watch pig random random --save dangling", "dangling is there already"),
        ("publish run --out dangling", "dangling is there already"),
        ("new game dangling", "dangling is there already"),
    ] {
        let said = refused(command, home);
        assert!(said.contains(problem), "{command}: {said}");
    }
    // Files of the same kind are replaced.
    for (figure, start) in
        [("a.svg", "<svg width=\"1\""), ("a.png", "\u{89}PNG\r\n\u{1a}\n"), ("a.pdf", "%PDF-1.7\n")]
    {
        let latin: Vec<u8> = start.chars().map(|character| character as u8).collect();
        fs::write(home.join(figure), latin).expect("writable");
        printed(&["plot", "mine.yaml", "--out", figure], home);
    }
    for _ in 0..2 {
        printed("report run", home);
        printed("man --out pages", home);
    }
    assert!(home.join("pages/ruse-run.1").is_file() && !home.join("nowhere").exists());
}

#[test]
fn shell_code_in_names_is_refused_or_quoted() {
    let home = &*Home::new();
    let experiment = "family: pig\nmethod: cma-es\nbudget: 1k\ncomparison: majority\n";
    let names =
        ["x\ntouch PWNED #.yaml", "x\nEND\ntouch PWNED\n.yaml", "a\tb.yaml", "a\u{1b}[2J.yaml"];
    for name in names {
        fs::write(home.join(name), experiment).expect("writable");
        let said = refused(&["slurm", name, "--out", "o"], home);
        assert!(said.contains("invisible character U+"), "{said}");
    }
    fs::write(home.join("good.yaml"), experiment).expect("writable");
    for out in ["o\nEND\ntouch PWNED", "o\r"] {
        refused(&["slurm", "good.yaml", "--out", out], home);
    }
    refused(&["slurm", "good.yaml", "--out", "o", "--sbatch=--comment=a\ntouch PWNED"], home);
    // A name that contains shell code is quoted wherever a person may copy it.
    let name = "it's $(touch PWNED) `touch PWNED`; touch PWNED.yaml";
    fs::write(home.join(name), experiment).expect("writable");
    let script = printed(&["slurm", name, "--out", "o"], home);
    fs::write(home.join("sbatch"), "#!/bin/sh\ncat >/dev/null\necho 7\n").expect("writable");
    let path = std::env::var("PATH").expect("there is one");
    let status = Command::new("bash")
        .args(["-c", "chmod +x sbatch && bash -c \"$0\"", &script])
        .env("PATH", format!("{}:{path}", home.display()))
        .current_dir(home)
        .status();
    assert!(status.expect("it runs").success());
    assert!(!home.join("PWNED").exists());
}

#[test]
fn names_do_not_become_formulas_and_are_read_as_they_were() {
    let home = &*Home::new();
    for (name, patience) in [("=HYPERLINK(1).yaml", 2), ("@mine.yaml", 3), ("-20.yaml", 4)] {
        let strategy = format!("family: pig\nparameters: [{patience}]\n");
        fs::write(home.join(name), strategy).expect("writable");
    }
    let round_robin = "players:\n- {player: hold-20, name: \"=1+1\"}\n- {player: random, name: \"'@x\"}\n\
        - {player: hold-25, name: \"-5\"}\nfamily: pig\npairs: 5\noutputs: [csv]\n";
    fs::write(home.join("robin.yaml"), round_robin).expect("writable");
    printed("run robin.yaml --out robin -q", home);
    printed("resume robin", home);
    printed("publish robin --out published", home);
    for directory in ["robin", "published"] {
        let tables = printed(&["table", directory, "--format", "csv"], home);
        assert!(tables.contains("'=1+1") && tables.contains("''@x"), "{tables}");
        let read = printed(&["table", directory, "--format", "json"], home);
        assert!(read.contains("\"=1+1\"") && read.contains("\"'@x\""), "{read}");
    }
    for path in paths_below(home) {
        if path.extension().is_some_and(|extension| extension == "csv") {
            let text = fs::read_to_string(&path).expect("text");
            let cells = text.lines().flat_map(|line| line.split(','));
            let mut formulas = cells.filter(|cell| {
                cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err()
            });
            assert_eq!(formulas.next(), None, "{}", path.display());
        }
    }
    let files = ["=HYPERLINK(1).yaml", "@mine.yaml", "./-20.yaml", "hold-20"];
    let tournament = [&["tournament", "pig"], &files[..], &["--pairs", "5", "--format", "csv"]];
    let table = printed(&tournament.concat(), home);
    assert!(table.contains("'=HYPERLINK(1)") && table.contains("'@mine"), "{table}");
    assert!(!table.contains("\n=") && !table.contains(",="), "{table}");
}
