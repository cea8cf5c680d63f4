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
mod refusal;
mod search;
mod shares;
mod table;
mod work;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use ruse::lab::{GAMES_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, StrategyFile, parse_count};
use ruse::programs::PROGRAM;
use ruse::serde_json::json;

use self::refusal::{RuseError, check_programs, error, refused, registry};

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
    module.add_function(wrap_pyfunction!(refusal::allow_programs, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(count, module)?)?;
    module.add_function(wrap_pyfunction!(family::estimate, module)?)?;
    module.add_function(wrap_pyfunction!(strategy_file, module)?)?;
    module.add_class::<family::Cross>()?;
    module.add_function(wrap_pyfunction!(experiment::resume, module)?)?;
    module.add_function(wrap_pyfunction!(shares::do_job, module)?)?;
    module.add_function(wrap_pyfunction!(shares::merge, module)?)
}
