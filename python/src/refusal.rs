//! Exceptions of the package, and the check of programs that files name.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use ruse::cli::Failure;
use ruse::family::ProgramGames;
use ruse::registry::Registry;

create_exception!(
    ruse,
    RuseError,
    PyValueError,
    "An invalid request. The message is the same as on the command line, and states what to do."
);

/// Converts an error of the library to a Python exception.
pub(crate) fn error(failure: impl Into<Failure>) -> PyErr {
    match failure.into() {
        Failure::Interrupted | Failure::StoppedShare => PyKeyboardInterrupt::new_err(()),
        failure => RuseError::new_err(failure.text()),
    }
}

/// Returns the exception for an error that this crate, not the library, detects.
pub(crate) fn refused(message: impl Into<String>) -> PyErr {
    RuseError::new_err(message.into())
}

/// Returns the registry of this package: the standard one, with families whose games a program plays.
pub(crate) fn registry() -> Registry {
    Registry::standard().with_reader(ProgramGames)
}

/// True if files may name programs.
static ALLOWS_PROGRAMS: AtomicBool = AtomicBool::new(false);

/// Lets experiments, directories of results and strategy files name programs, which are then started.
#[pyfunction]
pub(crate) fn allow_programs() {
    ALLOWS_PROGRAMS.store(true, Ordering::Relaxed);
}

/// Returns a registry for reading files. It starts no programs unless files may name them.
pub(crate) fn reading_registry() -> Registry {
    let registry = registry();
    if !ALLOWS_PROGRAMS.load(Ordering::Relaxed) {
        registry.start_no_programs();
    }
    registry
}

/// Checks that the file at `path` may name these programs.
pub(crate) fn check_programs(path: &Path, names: impl IntoIterator<Item = String>) -> PyResult<()> {
    let first = names.into_iter().next().filter(|_| !ALLOWS_PROGRAMS.load(Ordering::Relaxed));
    match first {
        Some(name) => Err(refused(format!(
            "{} names the program `{name}`; call ruse.allow_programs() first if it may be started",
            path.display()
        ))),
        None => Ok(()),
    }
}
