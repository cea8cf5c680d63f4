//! The program `ruse`; see the library for its documentation.

use std::process::ExitCode;

fn main() -> ExitCode {
    ruse::cli::run(ruse::registry::Registry::standard().with_reader(ruse::family::ProgramGames))
}
