//! Output and exit codes of commands, as they are in `tests/cli/`.
//!
//! `TRYCMD=overwrite cargo test --test it command_line` writes what they print now; review it like code.

#[test]
fn commands_print_what_they_should() {
    trycmd::TestCases::new().case("tests/cli/*.trycmd").env("COLUMNS", "100");
}

/// `ruse init` writes a file that `ruse run` takes as it is, and never over another.
#[test]
fn an_experiment_file_is_written_once() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = |args: &[&str]| {
        let program = assert_cmd::cargo::cargo_bin!("ruse");
        let mut command = std::process::Command::new(program);
        let output = command.args(args).current_dir(directory.path()).output();
        let output = output.expect("it starts");
        let text = [&output.stdout[..], &output.stderr].concat();
        (output.status.code(), String::from_utf8(text).expect("text"))
    };
    let (code, text) = run(&["init", "nim"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("Written to experiment.yaml.\n"), "{text}");
    let (code, text) = run(&["run", "experiment.yaml", "--dry-run"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("\n nim "), "{text}");
    let path = directory.path().join("experiment.yaml");
    std::fs::write(&path, "mine").expect("writable");
    let (code, text) = run(&["init", "nim"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("experiment.yaml is there already"), "{text}");
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), "mine");
    let (code, _) = run(&["init", "nim", "pig", "--out", "two.yaml"]);
    let (dry, text) = run(&["run", "two.yaml", "--dry-run"]);
    assert_eq!((code, dry), (Some(0), Some(0)), "{text}");
}
