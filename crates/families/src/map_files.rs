//! Families of the real-time strategy game, each on a map that is read from a file.

use std::path::Path;
use std::sync::Arc;

use ruse_base::files::reading::{self, UnreadableFile};
use ruse_play::family::{AnyFamily, FamilyFileError, FamilyReader, ReadFamily};
use ruse_rts::{AnyRts, BoardSize, Map, Rts};
use ruse_strategies_rts::{RtsNaiveMctsFamily, RtsProgramFamily, RtsScriptFamily};

use crate::erased::erased;

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

/// The form of the names of all families, after the name of their kind.
const FILE: &str = "MAP.txt";

/// A reader of families whose map comes from a file, such as `rts-script:MAP.txt`
/// or `rts-script:MAP.xml`.
pub struct MapFiles {
    form: &'static str,
    kind: RtsFamilyKind,
}

#[derive(Clone, Copy)]
enum RtsFamilyKind {
    Script,
    Program,
    NaiveMcts,
}

impl RtsFamilyKind {
    fn family<S: BoardSize>(self, name: String, game: Rts<S>) -> Arc<dyn AnyFamily> {
        match self {
            RtsFamilyKind::Script => erased(RtsScriptFamily::named(name, game)),
            RtsFamilyKind::Program => erased(RtsProgramFamily::named(name, game)),
            RtsFamilyKind::NaiveMcts => erased(RtsNaiveMctsFamily::named(name, game)),
        }
    }
}

impl MapFiles {
    /// One reader for each family of the game.
    pub const ALL: [MapFiles; 3] = [
        MapFiles { form: "rts-script:MAP.txt", kind: RtsFamilyKind::Script },
        MapFiles { form: "rts-program:MAP.txt", kind: RtsFamilyKind::Program },
        MapFiles { form: "rts-naive-mcts:MAP.txt", kind: RtsFamilyKind::NaiveMcts },
    ];

    /// Returns the part of the family's name before the path.
    fn prefix(&self) -> &'static str {
        self.form.trim_end_matches(FILE)
    }

    fn family(&self, name: &str, map: Map) -> Arc<dyn AnyFamily> {
        match AnyRts::on(map) {
            AnyRts::Small(game) => self.kind.family(name.into(), game),
            AnyRts::Large(game) => self.kind.family(name.into(), game),
        }
    }
}

impl FamilyReader for MapFiles {
    fn form(&self) -> &str {
        self.form
    }

    fn meaning(&self) -> &str {
        "on a map of your own, .txt or .xml"
    }

    fn path<'a>(&self, name: &'a str) -> Option<&'a Path> {
        name.strip_prefix(self.prefix()).filter(|path| !path.is_empty()).map(Path::new)
    }

    fn name(&self, path: &Path) -> Option<String> {
        Some(format!("{}{}", self.prefix(), path.to_str()?))
    }

    fn read(&self, name: &str, path: &Path) -> ReadFamily {
        let built_in = path.to_str().and_then(Map::named).filter(|_| !path.exists());
        Ok(self.family(name, built_in.map_or_else(|| read_map(path), Ok)?))
    }

    fn read_from(&self, name: &str, path: &Path, contents: &[u8]) -> ReadFamily {
        Ok(self.family(name, map_from(path, contents)?))
    }
}
