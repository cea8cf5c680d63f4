//! Tests of the examples of external optimisers. An example is skipped if its interpreter is not installed.

use std::process::Command;

use crate::support::{Home, printed};

/// Returns the output of a program, or `None` if the program is not installed.
fn run(program: &str, args: &[&str]) -> Option<String> {
    let output = match Command::new(program)
        .args(args)
        .env("RUSE", env!("CARGO_BIN_EXE_ruse"))
        .env("LC_ALL", "C")
        .output()
    {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        output => output.expect("it starts"),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {errors}");
    Some(String::from_utf8(output.stdout).expect("text"))
}

/// Returns the number that follows `before` in a text.
fn number(text: &str, before: &str) -> f64 {
    let rest = text.split(before).nth(1).unwrap_or_else(|| panic!("no {before} in {text}"));
    let end = rest.find([',', ' ', ']', '\n']).expect("something follows");
    rest[..end].parse().expect("a number")
}

/// A third of the random strategies of War mostly put back the best card first, which scores .67 against the baseline.
/// The probability that none of 20 strategies does so is .0003, and a given `awk` always draws the same numbers.
#[test]
fn random_search_in_a_shell_finds_something() {
    let printed = run("sh", &["examples/random_search.sh", "war", "3", "20"]).expect("a shell");
    assert!(number(&printed, "\"score\":") > 0.55, "{printed}");
    assert_eq!(number(&printed, "\"pairs\":"), 20_000.0);
}

/// The Python example finds a better strategy, without the package `cma`.
#[test]
fn a_python_program_finds_something() {
    let args =
        ["examples/external_optimiser.py", "--simple", "--generations", "3", "--pairs", "200"];
    let args = [&args[..], &["--ruse", env!("CARGO_BIN_EXE_ruse")]].concat();
    match run("python3", &args) {
        Some(printed) => assert!(number(&printed, "score ") > 0.55, "{printed}"),
        None => eprintln!("there is no python3: not tested"),
    }
}

/// An external method behaves like other methods: its runs are the same on one thread and on two, and after an
/// interruption.
#[test]
fn a_program_in_a_shell_is_a_method() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/external_method.sh");
    let experiment = format!(
        "families: [war]\nmethods: [naive, 'sh {script}']\nbudget: 3k\nrepeats: 2\nhalf-width: 0.1\n\
         evaluation-pairs: 1k\nmonitor-pairs: 100\nworst-case: 0\n"
    );
    let path = &*Home::with("e.yaml", experiment);
    let compare = |threads: &str, out: &str| {
        let run = ["run", "e.yaml", "--allow-programs", "--threads", threads, "--out", out];
        printed(&run, path);
        path.join(out)
    };
    let [one, two] = [compare("1", "one"), compare("2", "two")];
    for file in ["measurements.csv", "runs.csv", "curves.csv"] {
        let read = |out: &std::path::Path| std::fs::read_to_string(out.join(file));
        let text = read(&one).expect("it is written");
        assert!(file == "measurements.csv" || text.contains("external_method"), "{text}");
        assert_eq!(text, read(&two).expect("as in the other"), "{file}");
    }
    let strategy = |out: &std::path::Path, seed: u32| {
        let path = out.join(format!("war-external_method-seed{seed}/strategy.yaml"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    for seed in [1, 2] {
        let found = strategy(&one, seed);
        assert_eq!(found, strategy(&two, seed));
        assert!(number(&found, "score: ") > 0.6, "{found}");
    }
}
