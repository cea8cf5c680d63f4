//! Exports tables as streams of the Arrow C data interface, which pyarrow, polars, pandas and DuckDB read.
//!
//! A table is one batch. A missing number is NaN in numpy and null here.

mod c_stream;

use std::ffi::CString;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use self::c_stream::{ArrowArrayStream, Column, Table};
use crate::refused;

/// A column as provided by Python.
#[derive(FromPyObject)]
pub(crate) enum ColumnInput<'py> {
    Integers(PyReadonlyArray1<'py, i64>),
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<String>),
}

fn words(bytes: impl IntoIterator<Item = u8>) -> Vec<u64> {
    let bytes: Vec<u8> = bytes.into_iter().collect();
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    };
    // A buffer needs an address even if it is empty.
    let mut words: Vec<u64> = bytes.chunks(8).map(word).collect();
    if words.is_empty() {
        words.push(0);
    }
    words
}

impl Column {
    fn new(name: String, values: &ColumnInput<'_>) -> PyResult<(Column, usize)> {
        let name = CString::new(name).map_err(|_| refused("a column has a NUL in its name"))?;
        let column = |format, null_count, buffers| Column { name, format, null_count, buffers };
        Ok(match values {
            ColumnInput::Integers(values) => {
                let values = values.as_array();
                let data = words(values.iter().flat_map(|value| value.to_ne_bytes()));
                (column(c"l", 0, vec![None, Some(data)]), values.len())
            }
            ColumnInput::Numbers(values) => {
                let values = values.as_array();
                let is_there: Vec<bool> = values.iter().map(|value| !value.is_nan()).collect();
                let bits = |some: &[bool]| {
                    (0..).zip(some).fold(0, |byte, (bit, &is)| byte | (u8::from(is) << bit))
                };
                let null_count = is_there.iter().filter(|is| !**is).count();
                let validity = (null_count > 0).then(|| words(is_there.chunks(8).map(bits)));
                let data = words(values.iter().flat_map(|value| value.to_ne_bytes()));
                (column(c"g", null_count as i64, vec![validity, Some(data)]), values.len())
            }
            ColumnInput::Texts(texts) => {
                let mut offsets = vec![0i64];
                offsets.extend(texts.iter().scan(0, |end, text| {
                    *end += text.len() as i64;
                    Some(*end)
                }));
                let offsets = words(offsets.iter().flat_map(|offset| offset.to_ne_bytes()));
                let data = words(texts.iter().flat_map(|text| text.bytes()));
                (column(c"U", 0, vec![None, Some(offsets), Some(data)]), texts.len())
            }
        })
    }
}

/// Returns a capsule with the stream of a table. All columns must have the same length.
#[pyfunction]
pub(crate) fn stream<'py>(
    py: Python<'py>,
    columns: Vec<(String, ColumnInput<'py>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut table = Table::default();
    for (name, values) in columns {
        let (column, num_rows) = Column::new(name, &values)?;
        if !table.columns.is_empty() && num_rows != table.num_rows {
            return Err(refused("the columns of a table are equally long"));
        }
        table.num_rows = num_rows;
        table.columns.push(column);
    }
    PyCapsule::new_with_value(py, ArrowArrayStream::new(table), c"arrow_array_stream")
}
