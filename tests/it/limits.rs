//! Tests of options at their limits, of failures of the system, and of text from outside that could control a terminal.

use std::fs::{self, File};

use std::path::Path;
use std::process::{Command, Output};

use ruse::registry::Registry;

use crate::support::{Home, output, printed, prints, refused, ruse, said};

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// At most four threads are started per processor, because more threads would only cost time. Results do not depend on
/// the number of threads.
#[test]
fn no_more_threads_start_than_are_of_use() {
    let directory = &*Home::new();
    let [few, many] = [1, 1024].map(|threads| {
        let command =
            format!("match war descending random --pairs 500 --verbose --threads {threads}");
        output(&command, directory)
    });
    assert_eq!(stdout(&few), stdout(&many));
    assert!(said(&few).contains("playing on 1 thread\n"), "{}", said(&few));
    let message = said(&many);
    let number = message.split_once("playing on ").and_then(|(_, rest)| rest.split(' ').next());
    let number: usize = number.expect("it says so").parse().expect("a number");
    let processors = std::thread::available_parallelism().expect("known").get();
    assert_eq!(number, (4 * processors).min(1024), "{message}");
}

#[test]
fn huge_experiments_need_huge() {
    let path = &*Home::with("pairs.yaml", "family: pig\nevaluation-pairs: 1000G\n");
    fs::write(
        path.join("bandits.yaml"),
        "portfolios: [{family: pig, random: [2], pairs: 1}]\ngames: 1000000G\n",
    )
    .expect("writable");
    let num_methods = Registry::standard().general_methods().count();
    for (command, excess) in [
        ("optimise pig --budget 2000G", "2,000,000,000,000 games to learn (`budget`, `repeats`)"),
        ("compare pig nim --methods all --repeats 1000", &*format!("{},000 runs", 2 * num_methods)),
        // Champions are scored against three reference strategies and the baseline.
        ("run pairs.yaml", "8,000,000,000,000 games to score champions (`evaluation-pairs`)"),
        // There are five bandits with 1000 runs each, and 1e15 games in a run.
        (
            "run bandits.yaml",
            "5,000,000,000,000,000,000 games that bandits learn from (`games`, `runs`)",
        ),
    ] {
        assert_eq!(
            refused(&format!("{command} --out refused"), path),
            format!(
                "error: the experiment comes to {excess} tip: see how long that takes with `--dry-run`; `--huge` \
                 carries it out"
            )
        );
        assert!(!path.join("refused").exists(), "{command}");
        if command.starts_with("compare") {
            continue;
        }
        let sentence = format!("The plan comes to {excess}: it needs `--huge`.");
        prints(&format!("{command} --dry-run"), path, &sentence);
    }
    printed("optimise pig --budget 2000G --iterations 1 --huge --out huge", path);
    printed("resume huge", path);
}

/// A text that sets the title and the colour of a terminal, and overrides the direction of writing.
const HOSTILE: &str = "\u{1b}]0;x\u{7}\u{1b}[31m\u{202e}";
const HOSTILE_SHOWN: &str = "\u{fffd}]0;x\u{fffd}\u{fffd}[31m\u{fffd}";

#[test]
fn text_from_outside_does_not_steer_the_terminal() {
    let path = &*Home::new();
    let in_terminal = |arguments: &[&str]| {
        let mut command = ruse(arguments, path);
        command.env("CLICOLOR_FORCE", "1").output().expect("it runs")
    };
    // The text is the path of a missing file, in an error.
    let missing = in_terminal(&["run", HOSTILE]);
    let message = said(&missing);
    assert_eq!(missing.status.code(), Some(2));
    assert!(message.contains(&format!("there is no file {HOSTILE_SHOWN}")), "{message:?}");
    // The styles that the program itself uses are still there.
    assert!(message.contains("\u{1b}[0m"), "{message:?}");
    // The text is the path of an output, in results and in their JSON.
    let command = ["optimise", "pig", "--budget", "2k", "--out", HOSTILE];
    let written = in_terminal(&command);
    assert!(written.status.success(), "{}", said(&written));
    let page = stdout(&written);
    assert!(page.contains(&format!("Written to {HOSTILE_SHOWN}/")), "{page:?}");
    assert!(!page.contains(['\u{1b}', '\u{202e}']), "{page:?}");
    let resumed = in_terminal(&["resume", HOSTILE, "--json"]);
    let text = stdout(&resumed);
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    let object: serde_json::Value = serde_json::from_str(&text).expect("a JSON object");
    let found = object["out"].as_str().expect("a path");
    assert!(found.starts_with(HOSTILE), "{object}");
    // The text is the name of a member of a mixture.
    let mixture =
        "family: pig\nmixture:\n- {weight: 1, name: \"a\\u202eb\\e[31m\", parameters: [20]}\n";
    fs::write(path.join("mixture.yaml"), mixture).expect("writable");
    let refused = said(&in_terminal(&["show", "mixture.yaml"]));
    assert!(refused.contains("invisible character U+202E"), "{refused:?}");
    // The text is a typed argument, in a message of the argument parser.
    let typed = in_terminal(&["list", "--\u{202e}x\u{9b}2J"]);
    assert_eq!(typed.status.code(), Some(2));
    assert!(said(&typed).contains("--\u{fffd}x\u{fffd}2J"), "{:?}", said(&typed));
}

#[test]
fn a_small_stack_is_enough() {
    let directory = &*Home::new();
    for arguments in ["list", "optimise pig --method all --budget 10k", "explain --help"] {
        let output = shell(&format!("ulimit -s 64; \"$RUSE\" {arguments}"), directory);
        assert!(output.status.success(), "{arguments}: {}", said(&output));
    }
}

/// Runs a script of the shell, in which `RUSE` is the program.
fn shell(script: &str, directory: &Path) -> Output {
    let program = assert_cmd::cargo::cargo_bin!("ruse");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .env("RUSE", program)
        .current_dir(directory)
        .output()
        .expect("it runs")
}

/// If the help cannot be written, this is an error, except if the reader has closed the pipe early.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_and_a_closed_pipe() {
    let here = Path::new(".");
    for arguments in [&["--help"][..], &["--version"], &["optimise", "--help"], &["list"]] {
        let full = File::options().write(true).open("/dev/full").expect("there on Linux");
        let output = ruse(arguments, here).stdout(full).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(
            said(&output),
            "error: cannot write the results: No space left on device (os error 28)\n",
            "{arguments:?}"
        );
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = ruse(arguments, here).stdout(writer).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(said(&output), "", "{arguments:?}");
    }
}

#[test]
fn requests_that_cannot_be_read_are_bad_input() {
    let directory = &*Home::new();
    // A directory can be opened, but not read.
    let input = File::open(directory).expect("a directory");
    let mut command = ruse("evaluate pig --stdin", directory);
    let output = command.stdin(input).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("cannot read the requests"), "{}", said(&output));
}

/// Under any limit on memory, the program does its work or says what it lacks. A limit at which it cannot even be loaded
/// is out of its hands.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn limits_on_memory_end_in_a_sentence() {
    let directory = &*Home::new();
    let limited = |kilobytes: u64, command: &str| {
        let limits = format!("ulimit -c 0; ulimit -v {kilobytes}");
        shell(&format!("{limits}; exec \"$RUSE\" {command}"), directory)
    };
    let is_loaded =
        |&kilobytes: &u64| matches!(limited(kilobytes, "--version").status.code(), Some(0 | 1));
    let least = (20_000..).step_by(2_000).find(is_loaded).expect("a limit");
    let mut num_refused = 0;
    for kilobytes in (least..least + 40_000).step_by(10_000).chain([150_000, 200_000, 300_000]) {
        let output = limited(kilobytes, "tournament war --pairs 8 --threads 4");
        let message = said(&output);
        match output.status.code() {
            Some(0) => {}
            Some(1) => {
                assert!(message.starts_with("error: cannot "), "{kilobytes}: {message}");
                num_refused += 1;
            }
            code => panic!("{kilobytes}: {code:?}: {message}"),
        }
    }
    assert!(num_refused > 0);
}

/// A limit on the size of files is like a full disk.
#[test]
#[cfg(unix)]
fn limits_on_files_end_in_a_sentence() {
    let directory = &*Home::new();
    for command in ["optimise pig --budget 2k --out run", "init pig", "show pig > shown"] {
        let output = shell(&format!("ulimit -f 0; exec \"$RUSE\" {command}"), directory);
        let message = said(&output);
        assert_eq!(output.status.code(), Some(1), "{command}: {message}");
        assert!(message.contains("File too large"), "{command}: {message}");
    }
}
