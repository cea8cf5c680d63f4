//! Output and exit codes of commands, as they are in `tests/cli/`.
//!
//! `TRYCMD=overwrite cargo test --test it command_line` writes what they print now; review it like code.

#[test]
fn commands_print_what_they_should() {
    trycmd::TestCases::new().case("tests/cli/*.trycmd").env("COLUMNS", "100");
}
