//! Maps of the real-time strategy game from files.

use std::path::Path;

use ruse_base::files::reading::{self, UnreadableFile};
use ruse_games::rts::Map;

use super::opening::FamilyFileError;

/// The largest size of a map file, in bytes. This is ample: a map has at most 64 rows of 64 cells, and a unit in XML
/// takes about 120 bytes.
const MAX_MAP_BYTES: u64 = 1_000_000;

/// Reads a map from a file and names it after the file. A file whose name ends in `.xml` contains XML
/// ([`Map::from_xml`]); any other file contains a drawing ([`Map::from_text`]).
///
/// # Errors
///
/// Returns an error if the file cannot be read, or does not contain a map.
pub fn read_map(path: &Path) -> Result<Map, FamilyFileError> {
    let contents = reading::read_bytes(path, MAX_MAP_BYTES);
    map_from(path, &contents.map_err(|error| FamilyFileError::unreadable(path, &error))?)
}

/// Parses a map from the contents of a file and names it after the file, as [`read_map`] does.
///
/// # Errors
///
/// Returns an error if the contents are not a map.
pub fn map_from(path: &Path, contents: &[u8]) -> Result<Map, FamilyFileError> {
    if contents.len() as u64 > MAX_MAP_BYTES {
        let problem = UnreadableFile::TooLarge { max_bytes: MAX_MAP_BYTES };
        return Err(FamilyFileError::new(path, problem));
    }
    let text = reading::text_of(contents.into()).map_err(|why| FamilyFileError::new(path, why))?;
    if let Some(format) = reading::foreign(path, text.as_bytes(), &[".xml"]) {
        return Err(FamilyFileError::foreign(path, format));
    }
    let text = &reading::with_plain_lines(text);
    let title = path.file_stem().unwrap_or_default().to_string_lossy();
    let map = match path.extension().is_some_and(|extension| extension == "xml") {
        true => Map::from_xml(title, text),
        false => Map::from_text(title, text),
    };
    map.map_err(|error| FamilyFileError::new(path, error))
}
