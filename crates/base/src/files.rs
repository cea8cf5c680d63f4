//! Files of any kind: YAML from users, tables that grow row by row, and locks. This module does not depend on games or
//! experiments.
//!
//! Files that a run needs after an interruption are written atomically, or in rows with a fingerprint that shows how
//! many rows are valid.

mod atomic;
mod cells;
mod error;
mod fingerprint;
mod growing_table;
mod holder;
mod lock;
mod outputs;
mod pace;
pub mod reading;
mod rows;
mod unfinished;
mod writing;
mod yaml;

pub use atomic::{UNFINISHED, create_atomically, sync_directory, unwritable, write_atomically};
pub use cells::{csv_of, guarded, rows_of};
pub use error::{DirectoryError, Result, UnwritableFile};
pub use fingerprint::{Fingerprint, fingerprint, fingerprint_of};
pub use growing_table::GrowingTable;
pub use holder::Holder;
pub use lock::{LOCK, Lock};
pub use outputs::{Replaces, check_new_directory, check_output, write_output};
pub use pace::Pace;
pub use rows::{Rows, Vouched, read_rows};
pub use unfinished::{NewDirectory, remove_leftovers};
pub use writing::{check_absent, create, make_directory};
pub use yaml::{ReadError, Step, YamlError, YamlSource, in_plain_words, with_short_quotes};
