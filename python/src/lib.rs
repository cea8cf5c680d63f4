//! x
use pyo3::prelude::*;
#[pymodule]
fn _ruse(_m: &Bound<'_, PyModule>) -> PyResult<()> { Ok(()) }
