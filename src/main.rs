//! The program `ruse`; see the library for what it does.

use std::process::ExitCode;

fn main() -> ExitCode {
    ruse::cli::run(ruse::registry::Registry::standard())
}
