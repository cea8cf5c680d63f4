//! Output files, whose names users choose. The name may already belong to an input, or to the result of years of work.
//!
//! One rule protects existing files: an output only replaces a file of its own kind.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use super::atomic::{create_atomically, unwritable, write_atomically};
use super::error::{DirectoryError, Result, UnwritableFile};
use super::reading;
use super::writing::{check_absent, check_kind, refused};

/// The files that an output may replace: files of its own kind, as written by `ruse`, or empty files. Strategies,
/// experiments, transcripts and tables are never replaced, because the existing file may be the only copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaces {
    /// Nothing: the file must be new.
    Nothing,
    /// SVG figures.
    Svg,
    /// PNG figures.
    Png,
    /// PDF figures.
    Pdf,
    /// HTML pages.
    Page,
    /// Manual pages.
    Manual,
    /// A table or the bibliography of a paper.
    Paper,
}

impl Replaces {
    /// Returns the name of the kind, with an article.
    fn name(self) -> &'static str {
        match self {
            Replaces::Nothing => "a new file",
            Replaces::Svg => "a figure in SVG",
            Replaces::Png => "a figure in PNG",
            Replaces::Pdf => "a figure in PDF",
            Replaces::Page => "a page that ruse has written",
            Replaces::Manual => "a manual page of ruse",
            Replaces::Paper => "a table or a bibliography that ruse has written",
        }
    }

    /// Returns `true` if a file that begins with these bytes is of this kind.
    fn is_like(self, beginning: &[u8]) -> bool {
        /// The beginning of the pages of `ruse report` and `ruse page`.
        const PAGE: &[u8] =
            b"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
            <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n";
        const TITLE_OF_MANUAL: &[u8] = b"\n.TH ruse";
        match self {
            Replaces::Nothing => false,
            Replaces::Svg => beginning.starts_with(b"<svg width=\""),
            Replaces::Png => beginning.starts_with(b"\x89PNG\r\n\x1a\n"),
            Replaces::Pdf => beginning.starts_with(b"%PDF-"),
            Replaces::Page => beginning.starts_with(PAGE),
            Replaces::Paper => beginning.starts_with(b"% Written by ruse"),
            Replaces::Manual => {
                let mut parts = beginning.windows(TITLE_OF_MANUAL.len());
                beginning.starts_with(b".") && parts.any(|part| part == TITLE_OF_MANUAL)
            }
        }
    }
}

/// Checks that an output may be written to `path`. Call this function before a long computation, not after it.
///
/// # Errors
///
/// Returns an error if the path must not be replaced, or its directory does not exist.
pub fn check_output(path: &Path, replaces: Replaces) -> Result {
    const BEGINNING: u64 = 512;
    let found = fs::symlink_metadata(path);
    if found.is_err() {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        return match parent.filter(|parent| !parent.is_dir()) {
            Some(parent) => Err(DirectoryError::NoDirectory(parent.into())),
            None => Ok(()),
        };
    }
    if replaces == Replaces::Nothing {
        return Err(refused(path, UnwritableFile::Exists));
    }
    check_kind(path, found)?;
    let mut beginning = Vec::new();
    let read =
        reading::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    read.map_err(unwritable(path))?;
    match beginning.is_empty() || replaces.is_like(&beginning) {
        true => Ok(()),
        false => Err(refused(path, UnwritableFile::Foreign(replaces.name()))),
    }
}

/// Writes an output completely or not at all.
///
/// # Errors
///
/// Same as [`check_output`]; also returns an error if the output cannot be written.
pub fn write_output(path: &Path, replaces: Replaces, contents: impl AsRef<[u8]>) -> Result {
    check_output(path, replaces)?;
    if replaces != Replaces::Nothing {
        return write_atomically(path, contents);
    }
    create_atomically(path, contents.as_ref()).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => refused(path, UnwritableFile::Exists),
        _ => unwritable(path)(error),
    })
}

/// Checks that a directory for new files is empty or does not exist.
///
/// # Errors
///
/// Returns an error if the directory is not empty or cannot be read, or if the path is not a directory.
pub fn check_new_directory(path: &Path) -> Result {
    match fs::read_dir(path) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => {
                let holds = "nothing is written beside other files";
                Err(DirectoryError::Occupied { path: path.into(), holds })
            }
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => check_absent(path),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(DirectoryError::NotADirectory(path.into()))
        }
        Err(error) => Err(unwritable(path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(result: Result) -> UnwritableFile {
        match result {
            Err(DirectoryError::Refused { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_output_is_not_a_link() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let [figure, link, dangling, nowhere] =
            ["figure", "link", "dangling", "nowhere"].map(|name| parent.path().join(name));
        let svg = "<svg width=\"1\"/>";
        fs::write(&figure, svg).expect("writable");
        std::os::unix::fs::symlink(&figure, &link).expect("writable");
        std::os::unix::fs::symlink(&nowhere, &dangling).expect("writable");
        for path in [&link, &dangling] {
            assert_eq!(reason(write_output(path, Replaces::Nothing, "x")), UnwritableFile::Exists);
            assert_eq!(reason(write_output(path, Replaces::Svg, svg)), UnwritableFile::Link);
        }
        assert_eq!(reason(check_new_directory(&dangling)), UnwritableFile::Exists);
        assert!(!nowhere.exists() && link.is_symlink());
    }

    #[test]
    fn an_output_replaces_its_own_kind_only() {
        let kinds = [
            (Replaces::Svg, &b"<svg width=\"400\" height=\"3\""[..]),
            (Replaces::Png, b"\x89PNG\r\n\x1a\n\0\0"),
            (Replaces::Pdf, b"%PDF-1.7\n"),
            (
                Replaces::Page,
                b"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
                <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n<title>",
            ),
            (Replaces::Paper, b"% Written by ruse, table scores.\n"),
            (Replaces::Manual, b".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n.TH ruse-run 1"),
        ];
        let foreign: [&[u8]; 5] = [
            b"family: war\n",
            b"<?xml version=\"1.0\"?>\n<svg width=\"1\"/>",
            b"<!DOCTYPE html>\n<html>my own page",
            b".TH ls 1\n",
            b"a,b\n1,2\n",
        ];
        let parent = tempfile::tempdir().expect("a temporary directory");
        let path = parent.path().join("output");
        for (kind, own) in kinds {
            for (other, contents) in kinds {
                fs::write(&path, contents).expect("writable");
                let written = write_output(&path, kind, own);
                assert_eq!(written.is_ok(), kind == other, "{kind:?} over {other:?}");
            }
            for contents in foreign {
                fs::write(&path, contents).expect("writable");
                let refused = reason(write_output(&path, kind, own));
                assert_eq!(refused, UnwritableFile::Foreign(kind.name()));
                assert_eq!(fs::read(&path).expect("there"), contents);
            }
            fs::write(&path, "").expect("writable");
            write_output(&path, kind, own).expect("nothing is lost");
            assert_eq!(reason(check_output(&path, Replaces::Nothing)), UnwritableFile::Exists);
            fs::remove_file(&path).expect("there");
            write_output(&path, kind, own).expect("a new file");
        }
        let homeless = parent.path().join("no/such/file");
        for replaces in [Replaces::Nothing, Replaces::Svg] {
            let error = check_output(&homeless, replaces).expect_err("there is no directory");
            assert!(matches!(error, DirectoryError::NoDirectory(_)), "{error:?}");
        }
        let directory = reason(check_output(parent.path(), Replaces::Page));
        assert_eq!(directory, UnwritableFile::NotAFile("a directory"));
    }

    #[test]
    fn directories_of_outputs_are_new() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let path = parent.path();
        check_new_directory(path).expect("it is empty");
        check_new_directory(&path.join("new")).expect("it is not there");
        fs::write(path.join("file"), "").expect("writable");
        let error = check_new_directory(path).expect_err("not empty");
        assert!(matches!(error, DirectoryError::Occupied { .. }), "{error:?}");
        let error = check_new_directory(&path.join("file")).expect_err("a file");
        assert!(matches!(error, DirectoryError::NotADirectory(_)), "{error:?}");
    }
}
