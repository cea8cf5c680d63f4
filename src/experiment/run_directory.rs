//! The files of a run.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ruse_strategies::ParameterSpace;
use serde::Serialize;

use super::spec::Experiment;
use super::strategy_file::StrategyFile;
use crate::optimise::IterationRecord;

/// Why a run directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// There is something in it already.
    #[error("{} is not empty: {holds}", path.display())]
    Occupied {
        /// The directory.
        path: PathBuf,
        /// What it seems to hold.
        holds: &'static str,
    },
    /// There is something else of this name.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// It cannot be written to.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> DirectoryError {
    let path = path.into();
    move |source| DirectoryError::Unwritable { path, source }
}

/// Replaces the file at `path` by one with these contents, so that nobody ever sees half of it.
///
/// # Errors
///
/// When the directory cannot be written to, or the disk is full; the old file is then untouched.
pub fn write_atomically(path: &Path, contents: &str) -> Result<(), DirectoryError> {
    let write = || {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            // The file may be read by others, as far as the user's umask allows.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(directory.unwrap_or(Path::new(".")))?;
        file.write_all(contents.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(unwritable(path))
}

/// A directory that holds one experiment and what came of it.
#[derive(Debug, Clone)]
pub struct RunDirectory {
    path: PathBuf,
    run_name: String,
}

impl RunDirectory {
    const EXPERIMENT: &str = "experiment.yaml";

    /// Makes a new directory for `experiment`, at `path`, or under `runs/` by the name of the run and the
    /// first free number.
    ///
    /// # Errors
    ///
    /// When there is something at `path` already, or nothing can be written there.
    pub fn create(
        path: Option<&Path>,
        experiment: &Experiment,
    ) -> Result<RunDirectory, DirectoryError> {
        let run_name = experiment.run_name();
        let path = match path {
            Some(path) => {
                Self::claim(path)?;
                path.to_path_buf()
            }
            None => Self::claim_default(&run_name)?,
        };
        let directory = RunDirectory { path, run_name };
        let run = directory.path.join(&directory.run_name);
        fs::create_dir(&run).map_err(unwritable(&run))?;
        directory.write_yaml(Self::EXPERIMENT, &experiment.resolved)?;
        Ok(directory)
    }

    /// Makes sure that `path` is a directory with nothing in it.
    fn claim(path: &Path) -> Result<(), DirectoryError> {
        fs::create_dir_all(path).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                DirectoryError::NotADirectory(path.into())
            }
            _ => unwritable(path)(source),
        })?;
        let mut entries = fs::read_dir(path).map_err(unwritable(path))?;
        if entries.next().is_none() {
            return Ok(());
        }
        let holds = match path.join(Self::EXPERIMENT).exists() {
            true => "it holds an experiment",
            false => "it holds something that is not an experiment",
        };
        Err(DirectoryError::Occupied { path: path.into(), holds })
    }

    fn claim_default(run_name: &str) -> Result<PathBuf, DirectoryError> {
        let parent = Path::new("runs");
        fs::create_dir_all(parent).map_err(unwritable(parent))?;
        let mut number = 1;
        loop {
            let name = match number {
                1 => run_name.to_string(),
                _ => format!("{run_name}-{number}"),
            };
            let path = parent.join(name);
            // Whoever makes the directory owns it: two programs never share one.
            match fs::create_dir(&path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(unwritable(&path)(error)),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes who made the results, when and on what.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_provenance(&self, provenance: &Provenance) -> Result<(), DirectoryError> {
        self.write_yaml("provenance.yaml", provenance)
    }

    /// Writes what was learned.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_strategy(&self, strategy: &StrategyFile) -> Result<(), DirectoryError> {
        self.write_yaml(&format!("{}/strategy.yaml", self.run_name), strategy)
    }

    /// Writes a text file, such as a figure.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_text(&self, name: &str, contents: &str) -> Result<(), DirectoryError> {
        write_atomically(&self.path.join(name), contents)
    }

    /// Starts the history of the run, on a family of this parameter space.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn history(&self, space: &ParameterSpace) -> Result<HistoryWriter, DirectoryError> {
        HistoryWriter::create(&self.path.join(&self.run_name), space)
    }

    fn write_yaml(&self, name: &str, value: &impl Serialize) -> Result<(), DirectoryError> {
        let text = serde_yaml::to_string(value).expect("plain data can be written as YAML");
        self.write_text(name, &text)
    }
}

/// Appends to the files that grow while a run goes on: `history.csv`, a row for every iteration, and
/// `population.csv`, a row for every accepted strategy.
#[derive(Debug)]
pub struct HistoryWriter {
    history: Rows,
    population: Rows,
}

impl HistoryWriter {
    const COLUMNS: [&str; 13] = [
        "iteration",
        "sigma",
        "accepted",
        "reason",
        "race-games",
        "score",
        "low",
        "high",
        "games",
        "baseline-score",
        "baseline-low",
        "baseline-high",
        "baseline-pairs",
    ];

    fn create(run: &Path, space: &ParameterSpace) -> Result<HistoryWriter, DirectoryError> {
        let names = space.parameters().iter().map(|parameter| parameter.name.to_string());
        let columns = ["iteration", "games"].map(String::from).into_iter().chain(names);
        Ok(HistoryWriter {
            history: Rows::create(run.join("history.csv"), Self::COLUMNS.map(String::from))?,
            population: Rows::create(run.join("population.csv"), columns)?,
        })
    }

    /// Appends one iteration. A row is on its way to the disk when this returns.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&mut self, record: &IterationRecord) -> Result<(), DirectoryError> {
        fn cell<T: ToString>(value: Option<T>) -> String {
            value.map_or(String::new(), |value| value.to_string())
        }
        let decision = record.decision.as_ref();
        let verdict = decision.map(|decision| &decision.verdict);
        let incumbent = record.new_incumbent.as_ref();
        let baseline = incumbent.and_then(|incumbent| incumbent.baseline_score.as_ref());
        self.history.append([
            record.iteration.to_string(),
            record.sigma.to_string(),
            cell(decision.map(|decision| u8::from(decision.accepted))),
            cell(verdict.map(|verdict| verdict.reason)),
            cell(decision.map(|decision| decision.num_games)),
            cell(verdict.map(|verdict| verdict.score)),
            cell(verdict.map(|verdict| verdict.interval[0])),
            cell(verdict.map(|verdict| verdict.interval[1])),
            record.games.to_string(),
            cell(baseline.map(|estimate| estimate.score)),
            cell(baseline.map(|estimate| estimate.interval[0])),
            cell(baseline.map(|estimate| estimate.interval[1])),
            cell(baseline.map(|estimate| estimate.pairs)),
        ])?;
        let Some(incumbent) = incumbent else { return Ok(()) };
        let numbers = incumbent.parameters.iter().map(f64::to_string);
        let place = [record.iteration.to_string(), record.games.to_string()];
        self.population.append(place.into_iter().chain(numbers))
    }
}

/// A table that grows row by row.
#[derive(Debug)]
struct Rows {
    path: PathBuf,
    writer: csv::Writer<File>,
}

impl Rows {
    fn create(
        path: PathBuf,
        columns: impl IntoIterator<Item = String>,
    ) -> Result<Rows, DirectoryError> {
        let file = File::create_new(&path).map_err(unwritable(&path))?;
        let mut rows = Rows { path, writer: csv::Writer::from_writer(file) };
        rows.append(columns)?;
        Ok(rows)
    }

    fn append(&mut self, row: impl IntoIterator<Item = String>) -> Result<(), DirectoryError> {
        self.writer
            .write_record(row)
            .map_err(io::Error::from)
            .and_then(|()| self.writer.flush())
            .map_err(unwritable(&self.path))
    }
}

/// Who made some results, when and on what. Nothing here has an influence on them.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Provenance {
    /// The version of this program.
    pub version: &'static str,
    /// The commit it was built from.
    pub commit: &'static str,
    /// The compiler it was built with.
    pub compiler: &'static str,
    /// Operating system and processor architecture.
    pub machine: String,
    /// Threads that played.
    pub threads: usize,
    /// When the run started, in universal time.
    pub started: String,
    /// When it ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// Wall time, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_s: Option<f64>,
}

impl Provenance {
    /// The provenance of a run that starts now.
    pub fn now() -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION"),
            commit: env!("RUSE_COMMIT"),
            compiler: env!("RUSE_COMPILER"),
            machine: format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH),
            threads: rayon::current_num_threads(),
            started: Self::clock(),
            finished: None,
            elapsed_s: None,
        }
    }

    /// Notes that the run ended now, after so many seconds.
    pub fn finish(&mut self, elapsed_s: f64) {
        self.finished = Some(Self::clock());
        self.elapsed_s = Some((elapsed_s * 1e3).round() / 1e3);
    }

    fn clock() -> String {
        humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::ExperimentSpec;
    use crate::family::Registry;

    fn experiment() -> Experiment {
        let spec = ExperimentSpec::new("war");
        Experiment::new(spec, &Registry::standard()).expect("defaults are valid")
    }

    #[test]
    fn a_directory_with_contents_is_left_alone() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let path = parent.path().join("run");
        let experiment = experiment();
        RunDirectory::create(Some(&path), &experiment).expect("a new directory");
        let again = RunDirectory::create(Some(&path), &experiment);
        assert!(matches!(again, Err(DirectoryError::Occupied { .. })));

        let other = parent.path().join("other");
        fs::create_dir(&other).expect("writable");
        fs::write(other.join("thesis.tex"), "years of work").expect("writable");
        assert!(RunDirectory::create(Some(&other), &experiment).is_err());
        assert_eq!(fs::read_to_string(other.join("thesis.tex")).expect("there"), "years of work");
        assert_eq!(fs::read_dir(&other).expect("there").count(), 1);

        let file = other.join("thesis.tex");
        for path in [file.clone(), file.join("below")] {
            let refused = RunDirectory::create(Some(&path), &experiment);
            assert!(matches!(refused, Err(DirectoryError::NotADirectory(_))), "{refused:?}");
        }
    }

    #[test]
    fn files_are_replaced_whole() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("file");
        write_atomically(&path, "one").expect("writable");
        write_atomically(&path, "two").expect("writable");
        assert_eq!(fs::read_to_string(&path).expect("there"), "two");
        assert_eq!(fs::read_dir(directory.path()).expect("there").count(), 1);
        assert!(write_atomically(&directory.path().join("no/such/file"), "x").is_err());
    }
}
