//! Maps of the real-time strategy game from files.

use std::path::Path;

use ruse_games::rts::Map;

use super::opening::{FamilyFileError, read_family_text};

/// More than enough for a map: it has at most 16 rows of 16 cells.
const MAX_MAP_BYTES: u64 = 10_000;

/// The map in a file, named after it.
///
/// # Errors
///
/// When the file cannot be read, or does not hold a map.
pub fn read_map(path: &Path) -> Result<Map, FamilyFileError> {
    let text = read_family_text(path, MAX_MAP_BYTES)?;
    let title = path.file_stem().unwrap_or_default().to_string_lossy();
    Map::from_text(title, &text).map_err(|error| FamilyFileError::new(path, error))
}
