//! Families that are read from files: their names contain the path of a file, as in `rts-script:crossing.txt`.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ruse_base::files::fingerprint_of;
use ruse_base::files::reading::Foreign;
use ruse_base::names::UnknownName;

use super::AnyFamily;

/// The character between the names of the families of a set.
pub const BETWEEN: char = '+';

/// A family that was read from a file, or what is wrong with the file.
pub type ReadFamily = Result<Arc<dyn AnyFamily>, FamilyFileError>;

/// A reader of families from files of one kind.
pub trait FamilyReader: Send + Sync {
    /// Returns the form of the names of these families, such as `rts-script:MAP.txt`.
    fn form(&self) -> &str;

    /// Describes the contents of the file, in one line.
    fn meaning(&self) -> &str;

    /// Returns `true` if the families have self-play ([`AnyFamily::capabilities`]); by default, returns `false`.
    fn has_self_play(&self) -> bool {
        false
    }

    /// Returns the file of the family with this name, or `None` if the name does not have this form.
    fn path<'a>(&self, name: &'a str) -> Option<&'a Path>;

    /// Returns the name of the family from this file. Returns `None`, the default, if the family cannot have a name.
    fn name(&self, path: &Path) -> Option<String> {
        let _ = path;
        None
    }

    /// Reads the family of this name from the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or has invalid contents.
    fn read(&self, name: &str, path: &Path) -> ReadFamily;

    /// Creates the family with this name from the contents of the file, for platforms without a file system.
    ///
    /// # Errors
    ///
    /// Returns an error if the contents are invalid.
    fn read_from(&self, name: &str, path: &Path, contents: &[u8]) -> ReadFamily;
}

/// The error about a file that does not define a family, or about several that define no set of families.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {problem}", path.display(), place.map_or(String::new(), |(line, column)| format!(":{line}:{column}")))]
pub struct FamilyFileError {
    /// The path of the file, or the name of the set.
    pub path: PathBuf,
    /// The line and the column of the problem, both counted from 1.
    pub place: Option<(u32, u32)>,
    /// The lines around the problem, with hints. They are shown verbatim.
    pub excerpt: Option<String>,
    /// The problem.
    pub problem: String,
    /// The advice to the user, unless `problem` contains the advice.
    pub advice: Option<String>,
}

/// The error about a name that does not refer to a family.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub enum FamilyError {
    /// No family has this name.
    Unknown(#[from] UnknownName),
    /// The file in the name does not define a family.
    File(#[from] FamilyFileError),
}

impl FamilyError {
    /// Returns advice about the error, unless the message of the error contains the advice.
    pub fn advice(&self) -> Option<String> {
        match self {
            FamilyError::Unknown(unknown) => Some(unknown.advice()),
            FamilyError::File(error) => error.advice.clone(),
        }
    }
}

impl FamilyFileError {
    /// Creates an error about the contents of a file. `problem` should say what to do.
    pub fn new(path: &Path, problem: impl ToString) -> FamilyFileError {
        FamilyFileError {
            path: path.into(),
            place: None,
            excerpt: None,
            problem: problem.to_string(),
            advice: None,
        }
    }

    /// Creates an error for a file in a format of other programs.
    pub fn foreign(path: &Path, format: Foreign) -> FamilyFileError {
        let advice = Some(format.advice.into());
        FamilyFileError { advice, ..FamilyFileError::new(path, format!("it is {}", format.name)) }
    }

    /// Creates an error for a file that cannot be read.
    pub fn unreadable(path: &Path, error: &io::Error) -> FamilyFileError {
        let missing = error.kind() == io::ErrorKind::NotFound;
        let advice = match path.is_absolute() || names_a_drive(path) {
            true => "name a file that is there",
            false => "a path that is not absolute is looked for from the current directory",
        };
        let problem = if missing { "there is no such file".into() } else { error.to_string() };
        let advice = missing.then(|| advice.into());
        FamilyFileError { advice, ..FamilyFileError::new(path, problem) }
    }
}

/// Returns `true` if a path begins with a drive, as in `C:\\games`, on any system.
fn names_a_drive(path: &Path) -> bool {
    matches!(path.as_os_str().as_encoded_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

/// The largest number of bytes of a label, since file names have at most 255 bytes.
const MAX_LABEL: usize = 120;

/// Returns the label of a family in file names and tables: its name, with paths reduced to characters that are valid in
/// file names, as in `rts-script-crossing` for `rts-script:maps/crossing.txt`.
pub fn family_label(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.chars().all(is_plain) {
        return name.into();
    }
    let of_part = |part: &str| {
        let stem = Path::new(part).file_stem().unwrap_or_default().to_string_lossy();
        stem.chars().map(|c| if is_plain(c) { c } else { '-' }).collect::<String>()
    };
    let label = name.split([':', BETWEEN]).map(of_part).collect::<Vec<_>>().join("-");
    match label.len() <= MAX_LABEL {
        true => label.into(),
        false => format!("{}-{}", &label[..MAX_LABEL - 9], &fingerprint_of(name)[..8]).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_can_be_parts_of_paths() {
        for (name, label) in [
            ("guess-who", "guess-who"),
            ("rts-script:maps/crossing.txt", "rts-script-crossing"),
            ("rts-script:../my map.v2.txt", "rts-script-my-map-v2"),
            ("rules/pig_20.kif", "pig_20"),
            ("rules/pig_20.kif:linear", "pig_20-linear"),
            ("war+batawaf", "war-batawaf"),
            ("rules/pig_20.kif:uct+rules/nim.kif:uct", "pig_20-uct-nim-uct"),
        ] {
            assert_eq!(family_label(name), label);
        }
    }

    #[test]
    fn long_labels_are_cut_and_differ() {
        let labels = ["a", "b"]
            .map(|end| String::from(family_label(&format!("{}{end}", "nim.kif:uct+".repeat(20)))));
        assert!(labels.iter().all(|label| label.len() == 120), "{labels:?}");
        assert_ne!(labels[0], labels[1]);
    }
}
