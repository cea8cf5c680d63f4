//! The core of the Python package `ruse`: the parts that must be fast or need the types of the library. The rest,
//! including the interface for users, is in the Python files beside this crate.
//!
//! The package computes the same numbers as the command line. A match uses the key of `ruse match`, a plan is made from
//! the text of an experiment file, and results are read from a directory.

mod environment;
mod experiment;
mod family;
mod foreign;
mod function;
mod race;
mod search;
mod shares;
mod table;
mod work;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use ruse::cli::Failure;
use ruse::family::ProgramGames;
use ruse::lab::{GAMES_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, StrategyFile, parse_count};
use ruse::programs::PROGRAM;
use ruse::registry::Registry;
use ruse::serde_json::json;

create_exception!(
    ruse,
    RuseError,
    PyValueError,
    "An invalid request. The message is the same as on the command line, and states what to do."
);

/// Converts an error of the library to a Python exception.
fn error(failure: impl Into<Failure>) -> PyErr {
    match failure.into() {
        Failure::Interrupted | Failure::StoppedShare => PyKeyboardInterrupt::new_err(()),
        failure => RuseError::new_err(failure.text()),
    }
}

/// Returns the exception for an error that this crate, not the library, detects.
fn refused(message: impl Into<String>) -> PyErr {
    RuseError::new_err(message.into())
}

/// Returns the registry of this package: the standard one, with families whose games a program plays.
fn registry() -> Registry {
    Registry::standard().with_reader(ProgramGames)
}

/// True if files may name programs.
static ALLOWS_PROGRAMS: AtomicBool = AtomicBool::new(false);

/// Lets experiments, directories of results and strategy files name programs, which are then started.
#[pyfunction]
fn allow_programs() {
    ALLOWS_PROGRAMS.store(true, Ordering::Relaxed);
}

/// Returns a registry for reading files. It starts no programs unless files may name them.
fn reading_registry() -> Registry {
    let registry = registry();
    if !ALLOWS_PROGRAMS.load(Ordering::Relaxed) {
        registry.start_no_programs();
    }
    registry
}

/// Checks that the file at `path` may name these programs.
fn check_programs(path: &Path, names: impl IntoIterator<Item = String>) -> PyResult<()> {
    let first = names.into_iter().next().filter(|_| !ALLOWS_PROGRAMS.load(Ordering::Relaxed));
    match first {
        Some(name) => Err(refused(format!(
            "{} names the program `{name}`; call ruse.allow_programs() first if it may be started",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Runs the command line with these arguments, beginning with the name of the program, and returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
    let code = py.detach(|| ruse::cli::run_from(&registry(), args));
    // The command line has guarded the start of programs.
    ruse::programs::allow_programs();
    code
}

/// Returns, as JSON, the families without files, the forms of names with files, and the methods.
#[pyfunction]
fn catalogue() -> String {
    let registry = registry();
    let families = registry.families().map(|family| {
        json!({
            "name": family.name(),
            "game": family.info().game,
            "dimension": family.space().dimension(),
            "budget": family.info().default_budget,
            "summary": family.info().summary,
        })
    });
    let forms = registry
        .readers()
        .map(|reader| json!({"form": reader.form(), "meaning": reader.meaning()}));
    json!({
        "families": families.collect::<Vec<_>>(),
        "forms": forms.collect::<Vec<_>>(),
        "methods": registry.methods().map(|method| method.name()).collect::<Vec<_>>(),
    })
    .to_string()
}

/// Parses a number as users type it. It must be valid for `key`.
#[pyfunction]
fn count(key: &str, text: &str) -> PyResult<u64> {
    let range = match key {
        "pairs" => PAIRS_RANGE,
        "iterations" => ITERATIONS_RANGE,
        _ => GAMES_RANGE,
    };
    parse_count(text, range).map_err(|error| refused(format!("{key}: {error}")))
}

/// Reads a strategy file as JSON. Does not check that it fits its family.
#[pyfunction]
fn strategy_file(path: PathBuf) -> PyResult<String> {
    let file = StrategyFile::read(&path).map_err(error)?;
    check_programs(&path, Some(file.family.clone()).filter(|name| name.contains(PROGRAM)))?;
    Ok(ruse::serde_json::to_string(&file).expect("plain data"))
}

#[pymodule]
fn _ruse(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ruse::programs::allow_programs();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("RuseError", module.py().get_type::<RuseError>())?;
    module.add_class::<family::Family>()?;
    module.add_class::<family::Player>()?;
    module.add_class::<experiment::Plan>()?;
    module.add_class::<experiment::Directory>()?;
    module.add_class::<race::Race>()?;
    module.add_class::<search::Searcher>()?;
    module.add_class::<search::Pair>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<environment::Environments>()?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(allow_programs, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(count, module)?)?;
    module.add_function(wrap_pyfunction!(strategy_file, module)?)?;
    module.add_class::<family::Cross>()?;
    module.add_function(wrap_pyfunction!(experiment::resume, module)?)?;
    module.add_function(wrap_pyfunction!(shares::do_job, module)?)?;
    module.add_function(wrap_pyfunction!(shares::merge, module)?)
}
