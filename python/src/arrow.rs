//! Exports tables as streams of the Arrow C data interface, which pyarrow, polars, pandas and DuckDB read.
//!
//! The structures below correspond to the C declarations in
//! <https://arrow.apache.org/docs/format/CStreamInterface.html>. A table is one batch. A missing number is NaN in numpy
//! and null here. The interface is implemented here from that page, so the package needs no Arrow library.

#![allow(unsafe_code, reason = "the interface is one of C")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::refused;

#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArrayStream {
    get_schema: unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int,
    get_next: unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int,
    get_last_error: unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

// SAFETY: a stream owns what it points to, and only the thread with the capsule can access it.
unsafe impl Send for ArrowArrayStream {}

impl Drop for ArrowArrayStream {
    /// Releases the stream, as the interface requires of the destructor of a capsule. A consumer that has taken the
    /// stream has set `release` to null.
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the stream has not been released yet.
            unsafe { release(self) };
        }
    }
}

/// A column as provided by Python.
#[derive(FromPyObject)]
pub(crate) enum ColumnInput<'py> {
    Integers(PyReadonlyArray1<'py, i64>),
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<String>),
}

/// A column in the Arrow format. Its buffers consist of whole words, so that they are aligned.
struct Column {
    name: CString,
    format: &'static std::ffi::CStr,
    null_count: i64,
    buffers: Vec<Option<Vec<u64>>>,
}

/// Packs bytes into whole words.
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

/// The contents of a stream.
struct Table {
    columns: Vec<Column>,
    num_rows: usize,
    is_given: bool,
}

/// The data that a schema owns in addition to its children.
struct SchemaOwned {
    _name: CString,
    children: Vec<*mut ArrowSchema>,
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: a consumer releases a schema once. The schema and its children were created by `new_schema`.
    unsafe {
        let owned = Box::from_raw((*schema).private_data.cast::<SchemaOwned>());
        for &child in &owned.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*schema).release = None;
    }
}

fn new_schema(
    name: CString,
    format: &'static std::ffi::CStr,
    children: Vec<*mut ArrowSchema>,
) -> ArrowSchema {
    const NULLABLE: i64 = 2;
    let mut owned = Box::new(SchemaOwned { _name: name, children });
    ArrowSchema {
        format: format.as_ptr(),
        name: owned._name.as_ptr(),
        metadata: null(),
        flags: NULLABLE,
        n_children: owned.children.len() as i64,
        children: owned.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(owned).cast(),
    }
}

/// The data that an array owns in addition to its children.
struct ArrayOwned {
    _data: Vec<Option<Vec<u64>>>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: a consumer releases an array once. The array and its children were created by `new_array`. An array that
    // was moved away is marked as released.
    unsafe {
        let owned = Box::from_raw((*array).private_data.cast::<ArrayOwned>());
        for &child in &owned.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*array).release = None;
    }
}

fn new_array(
    num_rows: usize,
    null_count: i64,
    data: Vec<Option<Vec<u64>>>,
    children: Vec<*mut ArrowArray>,
) -> ArrowArray {
    let address =
        |buffer: &Option<Vec<u64>>| buffer.as_ref().map_or(null(), |of| of.as_ptr().cast());
    let buffers = data.iter().map(address).collect();
    let mut owned = Box::new(ArrayOwned { _data: data, buffers, children });
    ArrowArray {
        length: num_rows as i64,
        null_count,
        offset: 0,
        n_buffers: owned.buffers.len() as i64,
        n_children: owned.children.len() as i64,
        buffers: owned.buffers.as_mut_ptr(),
        children: owned.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(owned).cast(),
    }
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the stream has not been released, and `out` has room for a schema.
    unsafe {
        let table = &*(*stream).private_data.cast::<Table>();
        let child = |of: &Column| {
            Box::into_raw(Box::new(new_schema(of.name.clone(), of.format, Vec::new())))
        };
        let children = table.columns.iter().map(child).collect();
        out.write(new_schema(CString::default(), c"+s", children));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the stream has not been released, and `out` has room for an array.
    unsafe {
        let table = &mut *(*stream).private_data.cast::<Table>();
        if std::mem::replace(&mut table.is_given, true) {
            // A released array marks the end of the stream.
            (*out).release = None;
            return 0;
        }
        let num_rows = table.num_rows;
        let child = |of: &mut Column| {
            let buffers = std::mem::take(&mut of.buffers);
            Box::into_raw(Box::new(new_array(num_rows, of.null_count, buffers, Vec::new())))
        };
        let children = table.columns.iter_mut().map(child).collect();
        out.write(new_array(num_rows, 0, vec![None], children));
    }
    0
}

unsafe extern "C" fn get_last_error(_: *mut ArrowArrayStream) -> *const c_char {
    // A stream never has an error to describe.
    null()
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: a stream is released once.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Table>()));
        (*stream).release = None;
    }
}

/// Returns a capsule that contains the stream of a table. All columns of the table must have the same length.
#[pyfunction]
pub(crate) fn stream<'py>(
    py: Python<'py>,
    columns: Vec<(String, ColumnInput<'py>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut table = Table { columns: Vec::new(), num_rows: 0, is_given: false };
    for (name, values) in columns {
        let (column, num_rows) = Column::new(name, &values)?;
        if !table.columns.is_empty() && num_rows != table.num_rows {
            return Err(refused("the columns of a table are equally long"));
        }
        table.num_rows = num_rows;
        table.columns.push(column);
    }
    let stream = ArrowArrayStream {
        get_schema,
        get_next,
        get_last_error,
        release: Some(release_stream),
        private_data: Box::into_raw(Box::new(table)).cast(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}
