//! Publishes an experiment: a few small files replace the directories of the runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ruse_base::files::{
    DirectoryError, GrowingTable, NewDirectory, check_absent, create, reading, sync_directory,
    unwritable,
};

use super::finished::{FINISHED, Finished, PROGRAMS};
use super::measurements::{MEASUREMENTS, MeasurementsFile};
use super::provenance::PROVENANCE;
use super::records::finished;
use super::run_directory::RunDirectory;
use super::summaries::{missing_scores, summaries};
use crate::plan::Plan;

/// The reason why an experiment could not be published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The output path already exists.
    #[error("{} is there already", .0.display())]
    Occupied(PathBuf),
    /// The experiment is not finished.
    #[error("{num_finished} of {num_all} parts of the experiment are finished")]
    Unfinished {
        /// The number of finished runs, pools or meetings.
        num_finished: usize,
        /// The total number of runs, pools or meetings.
        num_all: usize,
    },
    /// The files of the experiment cannot be read, or the new files cannot be written.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

/// Publishes a finished experiment in a new directory at `out`, completely or not at all. `add` may add derived files:
/// it receives the path of a temporary directory, which is then moved to `out`.
///
/// # Errors
///
/// Returns an error if `out` exists, if a run is not finished, if a file was changed, or if `out` cannot be written.
pub fn publish<E: From<PublishError>>(
    directory: &RunDirectory,
    plan: &Plan,
    out: &Path,
    add: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    if check_absent(out).is_err() {
        return Err(PublishError::Occupied(out.into()).into());
    }
    let failed = |error: DirectoryError| E::from(PublishError::from(error));
    let io_failed = |error: io::Error| failed(unwritable(out)(error));
    let files = files(directory, plan, out)?;
    let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(io_failed)?;
    let new = NewDirectory::begin(parent).map_err(failed)?;
    for (name, contents) in &files {
        let path = new.path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io_failed)?;
        }
        create(&path, contents).map_err(failed)?;
    }
    add(&new.path())?;
    for (name, contents) in &files {
        let path = new.path().join(name);
        let is_as_read = reading::read_bytes(&path, contents.len() as u64)
            .is_ok_and(|written| written == *contents);
        if !is_as_read {
            return Err(io_failed(io::Error::other(format!(
                "the copy of {name} is not as it should be"
            ))));
        }
        path.parent().map_or(Ok(()), sync_directory).map_err(failed)?;
    }
    new.finish(out).map_err(io_failed)?;
    sync_directory(parent).map_err(failed)
}

fn files(
    directory: &RunDirectory,
    plan: &Plan,
    out: &Path,
) -> Result<Vec<(String, Vec<u8>)>, PublishError> {
    /// The files outside the list of fingerprints. The experiment and the descriptions of programs contain their own
    /// fingerprints, and the provenance does not influence results.
    const UNLISTED: [&str; 3] = [RunDirectory::EXPERIMENT, PROVENANCE, PROGRAMS];
    /// The maximum size of a file that is published, in bytes.
    const MAX_BYTES: u64 = 1 << 30;
    let mut names: Vec<String> = UNLISTED.map(String::from).into();
    let study = plan.study.kind();
    let [num_finished, num_all] = match study.num_finished(directory)? {
        Some(counts) => counts,
        None => [finished(directory, plan)?.len(), plan.runs.len()],
    };
    if num_finished < num_all {
        return Err(PublishError::Unfinished { num_finished, num_all });
    }
    names.extend(study.published(directory)?);
    let mut files = Vec::new();
    let mut rows = MeasurementsFile::read(directory, plan)?;
    rows.extend(missing_scores(directory, plan, &rows)?);
    if !rows.is_empty() {
        let text = GrowingTable::text(directory.seal(), rows).map_err(unwritable(out))?;
        files.push((MEASUREMENTS.to_string(), text.into_bytes()));
    }
    for name in names {
        let path = directory.path().join(&name);
        let list = path.parent().filter(|_| path.ends_with(FINISHED)).map(Finished::read);
        let contents = match list.transpose()?.flatten() {
            Some(finished) => finished.published().text().into_bytes(),
            None => match reading::read_bytes(&path, MAX_BYTES) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                bytes => bytes.map_err(|error| DirectoryError::unreadable(&path, error))?,
            },
        };
        files.push((name, contents));
    }
    let summaries = summaries(directory, plan)?.into_iter();
    files.extend(summaries.map(|(name, text)| (name.to_string(), text.into_bytes())));
    if !plan.runs.is_empty() {
        let others = files.iter().filter(|(name, _)| !UNLISTED.contains(&name.as_str()));
        let others = others.map(|(name, contents)| (name.as_str(), contents.as_slice()));
        let list = Finished::of(directory.seal(), others).published().text();
        files.push((FINISHED.into(), list.into_bytes()));
    }
    Ok(files)
}
