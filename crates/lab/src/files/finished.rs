//! Lists of finished files. The files in a list are complete, and later changes to them are detected.
//!
//! The list itself can be checked, too: its first line has the fingerprint of the other lines. Lists from earlier
//! versions have neither this line nor comments.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ruse_base::files::{
    DirectoryError, Result, YamlSource, fingerprint_of, reading, sync_directory, write_atomically,
};
use ruse_play::family::UNASKED;

use super::checkpoint::{
    CHECKPOINT, Checkpoint, MIXTURE, STRATEGY, is_lost, with_print, without_print,
};

/// The name of the file with the names and fingerprints of finished files. It is written last.
pub(crate) const FINISHED: &str = "finished.yaml";
/// The name of the list of descriptions of families whose games programs play. It needs no program to be read.
pub(crate) const PROGRAMS: &str = "programs.yaml";
/// The name of the table of measurements. It may grow after a list has vouched for its rows.
pub(crate) const MEASUREMENTS: &str = "measurements.csv";
/// The second line of the list in the directory of an experiment.
const HERE: &str = "# The files that are finished:\n";
/// The second line of the list in a published directory.
const PUBLISHED: &str = "# The files that are published:\n";
/// The second line of the list of descriptions.
const DESCRIBED: &str = "# The descriptions with which programs answered:\n";
/// The text before the seal in the third line of the list in the directory of an experiment.
const SEALED: &str = "# The experiment is: ";

/// The finished files of a directory, with their fingerprints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Finished {
    prints: BTreeMap<String, String>,
    /// The second line of the list.
    title: &'static str,
    /// The fingerprint of the experiment; empty outside the directory of an experiment.
    seal: String,
}

impl Finished {
    /// Reads the list of finished files in a directory, if there is one. While files are being written, the list is
    /// empty.
    ///
    /// # Errors
    ///
    /// Returns an error if the list cannot be read, or was changed.
    pub(crate) fn read(directory: &Path) -> Result<Option<Finished>> {
        Finished::read_at(directory.join(FINISHED))
    }

    fn read_at(path: PathBuf) -> Result<Option<Finished>> {
        let text = reading::text_if_there(&path, YamlSource::MAX_BYTES)?;
        let Some(text) = text.filter(|text| !is_lost(text)) else { return Ok(None) };
        let source = YamlSource { path: path.clone(), text };
        if without_print(&source.text).is_none() {
            return Err(DirectoryError::Changed(path));
        }
        let title = source.text.lines().nth(1);
        let title =
            [PUBLISHED, DESCRIBED].into_iter().find(|known| title == Some(known.trim_end()));
        let seal = source.text.lines().nth(2).and_then(|line| line.strip_prefix(SEALED));
        let seal = seal.unwrap_or_default().to_string();
        match source.parse() {
            Ok(prints) => Ok(Some(Finished { prints, title: title.unwrap_or(HERE), seal })),
            Err(error) => Err(DirectoryError::unreadable(&path, error.message)),
        }
    }

    /// Like [`read`](Finished::read), for a directory of the experiment with this seal.
    ///
    /// # Errors
    ///
    /// Same as [`read`](Finished::read); also returns an error if the list belongs to another experiment.
    pub(crate) fn read_of(directory: &Path, seal: &str) -> Result<Option<Finished>> {
        Finished::sealed_at(directory.join(FINISHED), seal)
    }

    fn sealed_at(path: PathBuf, seal: &str) -> Result<Option<Finished>> {
        match Finished::read_at(path.clone())? {
            Some(finished) if finished.seal != seal => {
                let problem = "it and the files that it lists are of another experiment, or of version 0.3 or earlier";
                Err(DirectoryError::Unreadable { path, problem: problem.into() })
            }
            finished => Ok(finished),
        }
    }

    /// Returns the list for these files, given as names and contents, in the experiment with this seal.
    pub(super) fn of<'f>(
        seal: &str,
        files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    ) -> Finished {
        let print = |(name, contents): (&'f str, &'f [u8])| {
            let print = match name {
                MEASUREMENTS => chained_prints(contents).last().unwrap_or_default().into(),
                _ => fingerprint_of(contents),
            };
            (name.into(), print)
        };
        let prints = files.into_iter().map(print);
        Finished { prints: prints.collect(), title: HERE, seal: seal.into() }
    }

    /// Checks that all listed files exist and were not changed after they were finished.
    ///
    /// # Errors
    ///
    /// Returns an error if a file is missing or was changed.
    pub(crate) fn check_all(&self, directory: &Path) -> Result {
        const MAX_BYTES: u64 = 1 << 30;
        for (name, expected) in &self.prints {
            let path = directory.join(name);
            let contents = reading::read_bytes(&path, MAX_BYTES)
                .map_err(|error| DirectoryError::unreadable(&path, error))?;
            let is_as_listed = match name.as_str() {
                MEASUREMENTS => chained_prints(&contents).any(|print| print == expected),
                _ => fingerprint_of(&contents) == *expected,
            };
            if !is_as_listed {
                return Err(DirectoryError::Changed(path));
            }
        }
        Ok(())
    }

    /// Returns `false` if a listed file is gone or has lost its contents, as after a power cut. It is then made again.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not say.
    pub(crate) fn has_all(&self, directory: &Path) -> Result<bool> {
        for name in self.prints.keys() {
            let path = directory.join(name);
            match fs::metadata(&path) {
                Ok(found) if found.len() > 0 => {}
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(DirectoryError::unreadable(&path, error));
                }
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Returns `false` if the program was killed before it wrote all files, or is still writing.
    pub(crate) fn is_complete(&self) -> bool {
        !self.prints.is_empty()
    }

    /// Returns `true` if the directory is published; it cannot be continued.
    pub(crate) fn is_published(&self) -> bool {
        self.title == PUBLISHED
    }

    /// Converts this list to the list of a published directory.
    pub(super) fn published(self) -> Finished {
        Finished { title: PUBLISHED, ..self }
    }

    /// Returns `true` if the list contains this file with this text.
    pub(crate) fn knows(&self, name: &str, text: &str) -> bool {
        self.prints.get(name).is_some_and(|expected| *expected == fingerprint_of(text))
    }

    pub(super) fn text(&self) -> String {
        let prints =
            serde_yaml::to_string(&self.prints).expect("plain data can be written as YAML");
        let sealed = match self.seal.as_str() {
            "" => String::new(),
            seal => format!("{SEALED}{seal}\n"),
        };
        with_print(&format!("{}{sealed}{prints}", self.title))
    }
}

/// Reads the descriptions of families whose games programs play, by name; empty if there is no list of them.
///
/// # Errors
///
/// Returns an error if the list cannot be read, was changed, or belongs to another experiment.
pub(crate) fn read_descriptions(directory: &Path, seal: &str) -> Result<BTreeMap<String, String>> {
    Ok(Finished::sealed_at(directory.join(PROGRAMS), seal)?.unwrap_or_default().prints)
}

/// Writes the descriptions of families whose games programs play, by name, unless there are none or the list exists.
///
/// # Errors
///
/// Returns an error if the list cannot be written.
pub(crate) fn write_descriptions(
    directory: &Path,
    seal: &str,
    mut descriptions: BTreeMap<String, String>,
) -> Result {
    descriptions.retain(|_, description| description != UNASKED);
    let path = directory.join(PROGRAMS);
    if descriptions.is_empty() || path.exists() {
        return Ok(());
    }
    let list = Finished { prints: descriptions, title: DESCRIBED, seal: seal.into() };
    write_atomically(&path, list.text())
}

/// Iterates over the fingerprints in a growing table. The fingerprint in each row vouches for all rows up to this row.
/// A list of finished files has the fingerprint of the last row at that time; more rows may follow later.
fn chained_prints(contents: &[u8]) -> impl Iterator<Item = &str> {
    let text = std::str::from_utf8(contents).unwrap_or_default();
    text.lines().skip(1).filter_map(|line| Some(line.rsplit_once(',')?.1))
}

/// Writes files into a directory, and then the list of these files. `seal` is the fingerprint of the experiment, or
/// empty outside an experiment's directory.
///
/// # Errors
///
/// Returns an error if a file cannot be written.
pub(crate) fn write_finished(directory: &Path, seal: &str, files: &[(&str, String)]) -> Result {
    let empty = Finished::of(seal, []);
    let vouch = |finished: &Finished| write_atomically(&directory.join(FINISHED), finished.text());
    // The list is emptied first. If the program is killed then, the list has no fingerprint of a replaced file.
    vouch(&empty)?;
    for (name, text) in files {
        write_atomically(&directory.join(name), text)?;
    }
    vouch(&Finished::of(seal, files.iter().map(|(name, text)| (*name, text.as_bytes()))))?;
    sync_directory(directory)
}

/// Checks the text of a file against its fingerprint. For results of runs, the fingerprint is in the checkpoint; for
/// other files, it is in the list of finished files. A file without a fingerprint may be edited, and is not checked.
///
/// # Errors
///
/// Returns an error if the file, or the file that contains its fingerprint, was changed after it was written.
pub(crate) fn check_vouched(path: &Path, text: &str) -> Result {
    let directory = path.parent().unwrap_or(Path::new(""));
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
    let changed = || Err(DirectoryError::Changed(path.into()));
    if name == STRATEGY || name == MIXTURE {
        match Checkpoint::read_at(&directory.join(CHECKPOINT)) {
            Ok(Some(Checkpoint { result, interrupted, .. })) => {
                // A run in progress may not have a result yet.
                if let Some(prints) = result.or(interrupted)
                    && prints.of_file(name) != Some(fingerprint_of(text).as_str())
                {
                    return changed();
                }
            }
            // Without a checkpoint of this version, the expected fingerprint is not known.
            Ok(None) | Err(DirectoryError::Corrupt { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    match Finished::read(directory)? {
        Some(finished) if finished.prints.contains_key(name) && !finished.knows(name, text) => {
            changed()
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEAL: &str = "0123456789abcdef";

    #[test]
    fn changed_files_are_noticed() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path();
        assert_eq!(Finished::read(path).expect("nothing there"), None);
        let files = [("a.csv", "x\n1\n".to_string()), (STRATEGY, "family: war\n".into())];
        write_finished(path, SEAL, &files).expect("writable");
        for (name, text) in &files {
            assert!(check_vouched(&path.join(name), text).is_ok());
            let refused = check_vouched(&path.join(name), &text.replace(['1', 'w'], "2"));
            assert!(matches!(refused, Err(DirectoryError::Changed(_))), "{refused:?}");
        }
        // A file with another name, or outside a run directory, has no expected fingerprint.
        assert!(check_vouched(&path.join("own.yaml"), "family: pig\n").is_ok());
        assert!(check_vouched(Path::new(STRATEGY), "family: pig\n").is_ok());
        fs::write(path.join(FINISHED), "- 1\n").expect("writable");
        assert!(Finished::read(path).is_err());
    }

    #[test]
    fn the_list_vouches_for_itself() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path();
        let files = ["a.csv", "b.csv", "c.csv"].map(|name| (name, format!("{name}\n")));
        write_finished(path, SEAL, &files).expect("writable");
        let read = |text: &str| {
            fs::write(path.join(FINISHED), text).expect("writable");
            Finished::read(path)
        };
        let here = Finished::read(path).expect("as written").expect("there");
        for finished in [here.clone().published(), here, Finished::of("", [])] {
            let text = finished.text();
            assert_eq!(read(&text).expect("as written"), Some(finished));
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let mut attacks = vec![text.replace('\n', "\r\n"), format!("\u{feff}{text}")];
            for at in 0..lines.len() {
                let mut fewer = lines.clone();
                let line = fewer.remove(at);
                attacks.push(fewer.concat());
                for to in (0..lines.len()).filter(|to| *to != at) {
                    let mut moved = fewer.clone();
                    moved.insert(to, line);
                    attacks.push(moved.concat());
                }
                let mut twice = lines.clone();
                twice.insert(at, line);
                attacks.push(twice.concat());
            }
            for at in 0..text.len() {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1;
                attacks.extend(String::from_utf8(bytes));
            }
            for attack in attacks {
                let found = read(&attack);
                assert!(matches!(found, Err(DirectoryError::Changed(_))), "{attack}: {found:?}");
            }
        }
    }

    #[test]
    fn lists_of_other_experiments_are_refused() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path();
        write_finished(path, SEAL, &[("a.csv", "a".into())]).expect("writable");
        let finished = Finished::read_of(path, SEAL).expect("readable").expect("there");
        assert!(finished.is_complete() && !finished.is_published());
        assert!(finished.knows("a.csv", "a") && !finished.knows("a.csv", "b"));
        assert!(Finished::read_of(path, "0123456789abcdee").is_err());
        finished.check_all(path).expect("as written");
        fs::write(path.join("a.csv"), "b").expect("writable");
        assert!(matches!(finished.check_all(path), Err(DirectoryError::Changed(_))));
        fs::remove_file(path.join("a.csv")).expect("there");
        assert!(finished.check_all(path).is_err());
        // A table that grows may have more rows than the list vouches for, but not fewer.
        let rows = ["x,fingerprint\n1,aa\n", "x,fingerprint\n1,aa\n2,bb\n"];
        let finished = Finished::of(SEAL, [(MEASUREMENTS, rows[0].as_bytes())]);
        for (text, is_listed) in [(rows[0], true), (rows[1], true), ("x,fingerprint\n", false)] {
            fs::write(path.join(MEASUREMENTS), text).expect("writable");
            assert_eq!(finished.check_all(path).is_ok(), is_listed, "{text}");
        }
        // Versions before 0.4 wrote lists that do not name the experiment; the first versions wrote no fingerprint,
        // either.
        write_finished(path, "", &[("a.csv", "a".into())]).expect("writable");
        assert!(Finished::read_of(path, SEAL).is_err());
        fs::write(path.join(FINISHED), "a.csv: 121842d00719760b\n").expect("writable");
        assert!(matches!(Finished::read(path), Err(DirectoryError::Changed(_))));
    }
}
