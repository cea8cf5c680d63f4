//! Tests that the output and the exit codes of commands are as recorded in `tests/cli/`.
//!
//! `TRYCMD=overwrite cargo test --test it command_line` writes the current output; review it like code.

use crate::support::{Home, printed, prints, refuses, ruse};

tests! {
    fn commands_print_what_they_should() = check_commands("tests/cli/*.trycmd");
    @long
    fn commands_of_longer_work_print_what_they_should() = check_commands("tests/cli/long/*.trycmd");
}

fn check_commands(files: &str) {
    // Wherever Cargo puts it.
    let program = assert_cmd::cargo::cargo_bin!("ruse").to_string_lossy().into_owned();
    let cases = trycmd::TestCases::new();
    cases.insert_var("[PROGRAM]", program).expect("a name of a variable");
    // On a busy machine, long work would print its progress.
    cases.case(files).env("COLUMNS", "100").env("RUSE_PROGRESS", "off");
}

/// `ruse init` writes a file that `ruse run` accepts unchanged, and never overwrites an existing file.
#[test]
fn an_experiment_file_is_written_once() {
    let path = &*Home::new();
    let text = printed("init nim", path);
    assert!(text.starts_with("Written to experiment.yaml.\n"), "{text}");
    prints("run experiment.yaml --dry-run", path, "\n nim ");
    let file = path.join("experiment.yaml");
    std::fs::write(&file, "mine").expect("writable");
    refuses("init nim", path, "experiment.yaml is there already");
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "mine");
    printed("init nim pig --out two.yaml", path);
    printed("run two.yaml --dry-run", path);
}

/// All commands refuse a name that is not valid UTF-8, and do nothing else. They print the same message, which states
/// which argument contains the name.
#[cfg(unix)]
#[test]
fn names_that_are_not_text_are_refused_alike() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let path = &*Home::new();
    let name = |text: &'static [u8]| OsStr::from_bytes(text);
    std::fs::write(path.join(name(b"bad\xff.yaml")), "family: pig\nparameters: [1]\n")
        .expect("writable");
    for (before, bad, after) in [
        (&["tournament", "pig"][..], &b"bad\xff.yaml"[..], &["optimal"][..]),
        (&["match", "pig"], b"bad\xff.yaml", &["optimal"]),
        (&["show"], b"bad\xff.yaml", &[]),
        (&["slurm"], b"bad\xff.yaml", &["--out", "o"]),
        (&["run"], b"bad\xff.yaml", &[]),
        (&["plot"], b"bad\xff.yaml", &["--out", "x.svg"]),
        (&["portfolio", "pig", "optimal"], b"bad\xff.yaml", &[]),
        (&["explain"], b"bad\xff.yaml", &[]),
        (&["optimise", "pig", "--budget", "2k"], b"--out=bad\xff", &[]),
        (&["bad-command"], b"\xff", &[]),
    ] {
        let output = ruse(before, path).arg(name(bad)).args(after).output().expect("it starts");
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{before:?}: {said}");
        let shown = format!("{:?}", name(bad));
        let expected = format!("argument {} is not valid UTF-8: {shown}", before.len() + 1);
        assert!(said.contains(&expected), "{before:?}: {said}");
        assert!(said.contains("rename the file") && !said.contains('\u{fffd}'), "{said}");
        assert!(output.stdout.is_empty(), "{before:?}");
    }
    assert_eq!(std::fs::read_dir(path).expect("there").count(), 1);
}

/// A script is not written if a path is not valid UTF-8, because a script could not contain the path.
#[cfg(target_os = "linux")]
#[test]
fn a_script_is_not_written_where_paths_are_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let directory = &*Home::new();
    let path = directory.join(std::ffi::OsStr::from_bytes(b"bad\xff"));
    std::fs::create_dir(&path).expect("writable");
    std::fs::write(path.join("e.yaml"), "family: pig\nbudget: 2k\n").expect("writable");
    refuses("slurm e.yaml --out o", &path, "is not allowed in a script");
}

/// If a strategy is in a directory whose name is not valid UTF-8, the message gives this reason, instead of reporting
/// that the strategy is missing.
#[cfg(target_os = "linux")]
#[test]
fn a_strategy_below_a_name_that_is_not_text_is_not_missing() {
    use std::os::unix::ffi::OsStrExt;
    let directory = &*Home::new();
    let run = directory.join("runs").join(std::ffi::OsStr::from_bytes(b"bad\xff"));
    std::fs::create_dir_all(&run).expect("writable");
    std::fs::write(run.join("strategy.yaml"), "family: pig\nparameters: [1]\n").expect("writable");
    let words = "its name is not valid UTF-8; rename it";
    refuses("tournament pig runs optimal", directory, words);
}
