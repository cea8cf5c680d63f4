//! The C structures of the Arrow data interface, and the functions that a consumer calls.
//!
//! The structures are the C declarations in <https://arrow.apache.org/docs/format/CStreamInterface.html>, so the
//! package needs no Arrow library. This file has all unsafe code of the package, and uses only the standard library, so
//! that `.ci/night` can test it in Miri.

#![allow(unsafe_code, reason = "the interface is one of C")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

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
pub(super) struct ArrowArrayStream {
    get_schema: unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int,
    get_next: unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int,
    get_last_error: unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

// SAFETY: a stream owns what it points to, and only the thread with the capsule can access it.
unsafe impl Send for ArrowArrayStream {}

impl ArrowArrayStream {
    pub(super) fn new(table: Table) -> ArrowArrayStream {
        ArrowArrayStream {
            get_schema,
            get_next,
            get_last_error,
            release: Some(release_stream),
            private_data: Box::into_raw(Box::new(table)).cast(),
        }
    }
}

impl Drop for ArrowArrayStream {
    /// Releases the stream, as the interface requires of a capsule's destructor. A consumer that has taken the stream
    /// has set `release` to null.
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the stream has not been released yet.
            unsafe { release(self) };
        }
    }
}

/// A column in the Arrow format. Its buffers are whole words, for alignment.
pub(super) struct Column {
    pub(super) name: CString,
    pub(super) format: &'static CStr,
    pub(super) null_count: i64,
    pub(super) buffers: Vec<Option<Vec<u64>>>,
}

#[derive(Default)]
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
    /// The length of each column.
    pub(super) num_rows: usize,
    /// True if the consumer has received the table.
    is_given: bool,
}

/// The data of a schema, without its children.
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
    format: &'static CStr,
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

/// The data of an array, without its children.
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

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;

    fn two_columns() -> ArrowArrayStream {
        let column = |name: &str, format, null_count, buffers| Column {
            name: CString::new(name).unwrap(),
            format,
            null_count,
            buffers,
        };
        let columns = vec![
            column("seed", c"l", 0, vec![None, Some(vec![1, 2])]),
            column("score", c"g", 1, vec![Some(vec![0b01]), Some(vec![0.5f64.to_bits(), 0])]),
        ];
        ArrowArrayStream::new(Table { columns, num_rows: 2, is_given: false })
    }

    fn schema(stream: &mut ArrowArrayStream) -> ArrowSchema {
        let mut out = MaybeUninit::uninit();
        assert_eq!(unsafe { (stream.get_schema)(stream, out.as_mut_ptr()) }, 0);
        unsafe { out.assume_init() }
    }

    /// Returns the next array, as seen by a consumer that passes zeroed memory.
    fn next(stream: &mut ArrowArrayStream) -> ArrowArray {
        let mut out = MaybeUninit::zeroed();
        assert_eq!(unsafe { (stream.get_next)(stream, out.as_mut_ptr()) }, 0);
        unsafe { out.assume_init() }
    }

    fn release_all(mut schema: ArrowSchema, mut array: ArrowArray) {
        unsafe {
            (schema.release.unwrap())(&mut schema);
            (array.release.unwrap())(&mut array);
        }
        assert!(schema.release.is_none() && array.release.is_none());
    }

    #[test]
    fn a_consumer_reads_names_formats_and_values() {
        let mut stream = two_columns();
        let (schema, array) = (schema(&mut stream), next(&mut stream));
        assert_eq!((schema.n_children, array.n_children, array.length), (2, 2, 2));
        let text = |text| unsafe { CStr::from_ptr(text) };
        assert_eq!(text(schema.format), c"+s");
        unsafe {
            let score = &**schema.children.add(1);
            assert_eq!((text(score.name), text(score.format)), (c"score", c"g"));
            let score = &**array.children.add(1);
            assert_eq!((score.null_count, score.n_buffers), (1, 2));
            assert_eq!(*(*score.buffers).cast::<u8>(), 0b01);
            assert_eq!(*(*score.buffers.add(1)).cast::<f64>(), 0.5);
            let seed = &**array.children;
            assert!((*seed.buffers).is_null());
            assert_eq!(*(*seed.buffers.add(1)).cast::<i64>().add(1), 2);
        }
        release_all(schema, array);
    }

    #[test]
    fn the_stream_ends_after_one_array() {
        let mut stream = two_columns();
        let (schema, array) = (schema(&mut stream), next(&mut stream));
        assert!(next(&mut stream).release.is_none());
        assert!(unsafe { (stream.get_last_error)(&mut stream) }.is_null());
        release_all(schema, array);
    }

    /// A consumer may move a child away, and then marks the original as released.
    #[test]
    fn a_child_can_outlive_its_parent_and_the_stream() {
        let mut stream = two_columns();
        let mut parent = next(&mut stream);
        let mut child = unsafe {
            let slot = *parent.children.add(1);
            let child = slot.read();
            (*slot).release = None;
            (parent.release.unwrap())(&mut parent);
            child
        };
        drop(stream);
        unsafe {
            assert_eq!(*(*child.buffers.add(1)).cast::<f64>(), 0.5);
            (child.release.unwrap())(&mut child);
        }
    }

    #[test]
    fn a_stream_that_was_not_read_is_released_once() {
        let mut stream = two_columns();
        let release = stream.release.unwrap();
        unsafe { release(&mut stream) };
        assert!(stream.release.is_none());
        drop(two_columns());
    }
}
