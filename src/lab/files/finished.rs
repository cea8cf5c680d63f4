//! Files that vouch for those beside them: once they are there, the others are finished, and what was changed since
//! then is noticed.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::checkpoint::{CHECKPOINT, Checkpoint, MIXTURE, ResultPrints, STRATEGY};
use crate::files::{DirectoryError, YamlSource, fingerprint_of, write_atomically};

/// The fingerprints of files, by their names: written last.
pub(in crate::lab) const FINISHED: &str = "finished.yaml";

/// The files of a directory that are finished, with their fingerprints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::lab) struct Finished(BTreeMap<String, String>);

impl Finished {
    /// What is finished in a directory; nothing if nobody vouches for it. The list is empty while files are written.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is not what the program has written.
    pub(in crate::lab) fn read(directory: &Path) -> Result<Option<Finished>, DirectoryError> {
        let path = directory.join(FINISHED);
        let unreadable =
            |problem: String| DirectoryError::Unreadable { path: path.clone(), problem };
        match YamlSource::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unreadable(error.to_string())),
            Ok(source) => match source.parse() {
                Ok(prints) => Ok(Some(Finished(prints))),
                Err(error) => Err(unreadable(error.message)),
            },
        }
    }

    /// Whether the files are all written; if not, the program was killed, or is still at it.
    pub(in crate::lab) fn is_complete(&self) -> bool {
        !self.0.is_empty()
    }

    /// The names of the files.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether this is the text of the file of this name.
    pub(in crate::lab) fn knows(&self, name: &str, text: &str) -> bool {
        self.0.get(name).is_some_and(|expected| *expected == fingerprint_of(text))
    }
}

/// Writes files into a directory, and at last what vouches for them.
///
/// # Errors
///
/// When one of them cannot be written.
pub(in crate::lab) fn write_finished(
    directory: &Path,
    files: &[(&str, String)],
) -> Result<(), DirectoryError> {
    let finished = directory.join(FINISHED);
    let vouch = |prints: &BTreeMap<&str, String>| {
        let text = serde_yaml::to_string(prints).expect("plain data can be written as YAML");
        write_atomically(&finished, &text)
    };
    // A kill in between leaves neither a new file beside the fingerprint of an old one, nor files that look as if they
    // were published without fingerprints.
    vouch(&BTreeMap::new())?;
    let mut prints = BTreeMap::new();
    for (name, text) in files {
        write_atomically(&directory.join(name), text)?;
        prints.insert(*name, fingerprint_of(text));
    }
    vouch(&prints)
}

/// Checks the text of a file against what vouches for it in its directory: a checkpoint for what a run has found, or
/// a list of what is finished. A file for which nobody vouches is anybody's own.
///
/// # Errors
///
/// When it was changed after it was written, or what vouches for it was.
pub(in crate::lab) fn check_vouched(path: &Path, text: &str) -> Result<(), DirectoryError> {
    let directory = path.parent().unwrap_or(Path::new(""));
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
    let changed = || Err(DirectoryError::Changed(path.into()));
    if name == STRATEGY || name == MIXTURE {
        match Checkpoint::read_at(&directory.join(CHECKPOINT)) {
            Ok(Some(Checkpoint { result, interrupted, .. })) => {
                let expected = |prints: ResultPrints| match name {
                    STRATEGY => Some(prints.strategy),
                    _ => prints.mixture,
                };
                // While a run goes on there may be no result yet.
                if let Some(prints) = result.or(interrupted)
                    && expected(prints) != Some(fingerprint_of(text))
                {
                    return changed();
                }
            }
            // Another version has written it: this one cannot tell.
            Ok(None) | Err(DirectoryError::Corrupt { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    match Finished::read(directory)? {
        Some(finished) if finished.0.contains_key(name) && !finished.knows(name, text) => changed(),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_changed_is_noticed() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path();
        assert_eq!(Finished::read(path).expect("nothing there"), None);
        let files = [("a.csv", "x\n1\n".to_string()), (STRATEGY, "family: war\n".into())];
        write_finished(path, &files).expect("writable");
        for (name, text) in &files {
            assert!(check_vouched(&path.join(name), text).is_ok());
            let refused = check_vouched(&path.join(name), &text.replace(['1', 'w'], "2"));
            assert!(matches!(refused, Err(DirectoryError::Changed(_))), "{refused:?}");
        }
        // Other files, and files elsewhere, have nothing that vouches for them.
        assert!(check_vouched(&path.join("own.yaml"), "family: pig\n").is_ok());
        assert!(check_vouched(Path::new(STRATEGY), "family: pig\n").is_ok());
        fs::write(path.join(FINISHED), "- 1\n").expect("writable");
        assert!(Finished::read(path).is_err());
    }
}
