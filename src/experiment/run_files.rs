//! The files of a run that grow: written so that a run that dies goes on where it was.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek};
use std::num::{ParseFloatError, ParseIntError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::plan::{fingerprint, fingerprint_of};
use super::run_directory::{CHECKPOINT, DirectoryError, RunDirectory, UNFINISHED, unwritable};
use super::spec::Experiment;
use crate::evaluate::{CONFIDENCE, Estimate};
use crate::family::AnyFamily;
use crate::optimise::{IterationRecord, Resumption, SearchState};
use crate::race::Reason;

const HISTORY: &str = "history.csv";
pub(super) const POPULATION: &str = "population.csv";
/// Iterations may take a hundredth of what it takes to write them: several are then written together, and
/// whoever kills the program loses so much of its work at most, beside the iteration in progress.
const WRITE_EVERY: Duration = Duration::from_millis(20);
/// Another version may draw other numbers.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How far a run is, and how much of its growing files counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Checkpoint {
    /// The version of the program.
    pub version: String,
    /// A fingerprint of the resolved experiment.
    pub experiment: String,
    /// The state after the last iteration.
    pub state: SearchState,
    /// Bytes of the history up to the last iteration.
    pub history_bytes: u64,
    /// Bytes of the population up to the last iteration.
    pub population_bytes: u64,
    /// Seconds used so far, in runs with a limit on their time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_s: Option<f64>,
    /// A fingerprint of `strategy.yaml`, once the run has come to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// A fingerprint of `mixture.yaml`, of methods that mix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixture: Option<String>,
}

impl Checkpoint {
    /// The checkpoint of a run, if it was begun.
    ///
    /// # Errors
    ///
    /// When it is of another version or experiment, or no checkpoint at all.
    pub fn read(
        directory: &RunDirectory,
        experiment: &Experiment,
    ) -> Result<Option<Checkpoint>, DirectoryError> {
        let path = directory.run_path(experiment).join(CHECKPOINT);
        let corrupt = |problem: String| DirectoryError::Corrupt { path: path.clone(), problem };
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| corrupt(error.to_string()))?,
        };
        let checkpoint: Checkpoint =
            serde_yaml::from_str(&text).map_err(|error| corrupt(error.to_string()))?;
        if checkpoint.version != VERSION {
            let found = &checkpoint.version;
            let problem = format!("it is of version {found}, and this is version {VERSION}");
            return Err(corrupt(problem));
        }
        if checkpoint.experiment != fingerprint(&experiment.resolved) {
            let problem = "experiment.yaml is no longer what the run was begun with";
            return Err(corrupt(problem.into()));
        }
        Ok(Some(checkpoint))
    }
}

/// The columns of a population before the parameters: when a strategy joined it, measured against whom, and
/// why the comparison stopped. A number in `against` is a row of the same file, from 0.
const PLACE_COLUMNS: [&str; 4] = ["iteration", "games", "against", "reason"];

fn population_columns(experiment: &Experiment) -> Vec<String> {
    let space = experiment.family.space();
    let names = space.parameters().iter().map(|parameter| parameter.name.to_string());
    PLACE_COLUMNS.map(String::from).into_iter().chain(names).collect()
}

/// Reads all strategies that were accepted, which are of `family`.
pub(super) fn read_population(
    path: &Path,
    family: &dyn AnyFamily,
) -> Result<Vec<Vec<f64>>, DirectoryError> {
    let corrupt = |problem: String| DirectoryError::Corrupt { path: path.into(), problem };
    let file = File::open(path).map_err(|error| corrupt(error.to_string()))?;
    let members = parse_members(file, family).map_err(corrupt)?;
    if members.is_empty() {
        return Err(corrupt("it has no strategy".into()));
    }
    Ok(members.into_iter().map(|member| member.parameters).collect())
}

fn parse_members(
    table: impl Read,
    family: &dyn AnyFamily,
) -> Result<Vec<PopulationMember>, String> {
    let mut reader = csv::Reader::from_reader(table);
    let mut members = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        let line = row.position().map_or(0, csv::Position::line);
        let member = parse_member(&row, family);
        members.push(member.map_err(|problem| format!("line {line}: {problem}"))?);
    }
    Ok(members)
}

fn parse_member(
    row: &csv::StringRecord,
    family: &dyn AnyFamily,
) -> Result<PopulationMember, String> {
    let count = |column: usize| {
        row.get(column).unwrap_or_default().parse().map_err(|e: ParseIntError| e.to_string())
    };
    let theta = row.iter().skip(PLACE_COLUMNS.len()).map(str::parse);
    let parameters: Vec<f64> =
        theta.collect::<Result<_, _>>().map_err(|e: ParseFloatError| e.to_string())?;
    family.check_parameters(&parameters).map_err(|error| error.to_string())?;
    Ok(PopulationMember { iteration: count(0)?, games: count(1)?, parameters })
}

/// Checks that the rows of a history that count are whole, and end where the state says.
fn check_history(path: &Path, num_bytes: u64, state: &SearchState) -> Result<(), DirectoryError> {
    #[derive(Deserialize)]
    struct Row {
        iteration: u64,
        games: u64,
    }
    let corrupt = |problem: String| DirectoryError::Corrupt { path: path.into(), problem };
    let unreadable = |error: io::Error| corrupt(error.to_string());
    let mut file = File::open(path).map_err(unreadable)?;
    let mut end = Vec::new();
    let position = io::SeekFrom::Start(num_bytes.saturating_sub(1));
    file.seek(position)
        .and_then(|_| file.by_ref().take(1).read_to_end(&mut end))
        .and_then(|_| file.rewind())
        .map_err(unreadable)?;
    if end != b"\n" {
        return Err(corrupt(format!(
            "no row ends after {num_bytes} bytes, as the checkpoint says"
        )));
    }
    let mut reader = csv::Reader::from_reader(file.take(num_bytes));
    let mut last = None;
    for (expected, row) in (0..).zip(reader.deserialize()) {
        let row: Row = row.map_err(|error| corrupt(error.to_string()))?;
        if row.iteration != expected {
            let found = row.iteration;
            return Err(corrupt(format!("iteration {found} is where {expected} should be")));
        }
        last = Some(row);
    }
    match last {
        Some(Row { iteration, games }) if (iteration, games) == (state.iteration, state.games) => {
            Ok(())
        }
        Some(Row { iteration, games }) => Err(corrupt(format!(
            "it ends with iteration {iteration} after {games} games, and the checkpoint knows of iteration \
             {} after {}",
            state.iteration, state.games
        ))),
        None => Err(corrupt("it has no row".into())),
    }
}

/// Removes files that were being written when the program was killed.
pub(super) fn remove_leftovers(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // It is in nobody's way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A point of a learning curve: the score of an incumbent against the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Games in comparisons until then.
    pub games: u64,
    /// The score.
    pub estimate: Estimate,
}

/// Reads the learning curve from the history of a run.
///
/// # Errors
///
/// When the history cannot be read.
pub fn read_curve(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<CurvePoint>, DirectoryError> {
    Ok(read_history(directory, experiment)?.iter().filter_map(HistoryRow::curve_point).collect())
}

/// Reads the strategies that a run has accepted, the oldest first; none if the file is not there, as in
/// results that were published.
///
/// # Errors
///
/// When they cannot be read.
pub fn read_accepted(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<Vec<f64>>, DirectoryError> {
    let path = directory.run_path(experiment).join(POPULATION);
    if !path.exists() {
        return Ok(Vec::new());
    }
    read_population(&path, experiment.family.as_ref())
}

/// A row of the history of a run: one iteration. Row 0 is the start.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HistoryRow {
    /// The iteration, 0 for the start.
    pub iteration: u64,
    /// The step size after it, of methods that have one.
    pub sigma: Option<f64>,
    /// 1 if the candidate was accepted, 0 if not; none if nothing was compared.
    pub accepted: Option<u8>,
    /// Why the comparison stopped.
    pub reason: Option<Reason>,
    /// Games in comparisons until then.
    pub games: u64,
    baseline_score: Option<f64>,
    baseline_low: Option<f64>,
    baseline_high: Option<f64>,
    baseline_pairs: Option<u64>,
}

impl HistoryRow {
    /// The score of the incumbent against the baseline, if this iteration has a new one.
    pub fn curve_point(&self) -> Option<CurvePoint> {
        let interval = [self.baseline_low?, self.baseline_high?];
        let (score, pairs) = (self.baseline_score?, self.baseline_pairs?);
        let estimate = Estimate { score, interval, confidence: CONFIDENCE, pairs };
        Some(CurvePoint { games: self.games, estimate })
    }

    /// Whether the candidate was accepted; none if no candidate was put to the question, as in a
    /// generation that is played to learn from it.
    pub fn decision(&self) -> Option<bool> {
        let asked = self.reason.is_some_and(|reason| reason != Reason::Generation);
        self.accepted.filter(|_| asked).map(|accepted| accepted != 0)
    }
}

/// Reads the history of a run.
///
/// # Errors
///
/// When it cannot be read; half a row at the end, of a run that was killed, is left out.
pub fn read_history(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<HistoryRow>, DirectoryError> {
    let path = directory.run_path(experiment).join(HISTORY);
    let (text, corrupt) = whole_rows(&path)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize().collect::<Result<_, _>>();
    rows.map_err(|error| corrupt(error.to_string()))
}

/// A strategy that was accepted, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationMember {
    /// The iteration in which it was accepted, 0 for the start.
    pub iteration: u64,
    /// Games in comparisons until then.
    pub games: u64,
    /// Its parameters.
    pub parameters: Vec<f64>,
}

/// Reads who joined the population of a run, and when.
///
/// # Errors
///
/// When it cannot be read, or has parameters that are not of the family; half a row at the end is left out.
pub fn read_members(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<PopulationMember>, DirectoryError> {
    let path = directory.run_path(experiment).join(POPULATION);
    let (text, corrupt) = whole_rows(&path)?;
    parse_members(text.as_bytes(), experiment.family.as_ref()).map_err(corrupt)
}

/// The text of a table up to the end of its last whole row, and what to say if there is something wrong
/// with it.
fn whole_rows(path: &Path) -> Result<(String, impl Fn(String) -> DirectoryError), DirectoryError> {
    let owned = path.to_path_buf();
    let unreadable =
        move |problem: String| DirectoryError::Unreadable { path: owned.clone(), problem };
    let mut text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
    Ok((text, unreadable))
}

/// The files of a run that grow while it goes on: `history.csv`, a row for every iteration,
/// `population.csv`, a row for every accepted strategy, and `checkpoint.yaml`, which says how much of both
/// counts and where to go on.
#[derive(Debug)]
pub struct RunFiles {
    history: Rows,
    population: Rows,
    checkpoint_path: PathBuf,
    experiment: String,
    /// The checkpoint on the disk.
    written: Option<Checkpoint>,
    /// The newest state, if it is not on the disk yet.
    unwritten: Option<(SearchState, Option<f64>)>,
    last_write: Instant,
    /// What went wrong when nobody could be told.
    error: Option<DirectoryError>,
}

impl RunFiles {
    const COLUMNS: [&str; 13] = [
        "iteration",
        "sigma",
        "accepted",
        "reason",
        "iteration-games",
        "score",
        "low",
        "high",
        "games",
        "baseline-score",
        "baseline-low",
        "baseline-high",
        "baseline-pairs",
    ];

    /// Begins the files of a run on a family of this parameter space.
    ///
    /// # Errors
    ///
    /// When they cannot be written, or are there already.
    pub fn create(
        directory: &RunDirectory,
        experiment: &Experiment,
    ) -> Result<RunFiles, DirectoryError> {
        let run = directory.run_path(experiment);
        fs::create_dir_all(&run).map_err(unwritable(&run))?;
        let history = Rows::create(run.join(HISTORY), Self::COLUMNS.map(String::from))?;
        let population = Rows::create(run.join(POPULATION), population_columns(experiment))?;
        Ok(RunFiles {
            history,
            population,
            checkpoint_path: run.join(CHECKPOINT),
            experiment: fingerprint(&experiment.resolved),
            written: None,
            unwritten: None,
            last_write: Instant::now(),
            error: None,
        })
    }

    /// Opens the files of a run, forgets what the checkpoint does not vouch for, such as half a row, and
    /// says where to go on. Without a checkpoint the run begins.
    ///
    /// # Errors
    ///
    /// When the files are of another version or experiment, or were changed.
    pub fn open(
        directory: &RunDirectory,
        experiment: &Experiment,
    ) -> Result<(RunFiles, Option<Checkpoint>, Option<Resumption>), DirectoryError> {
        let run = directory.run_path(experiment);
        let Some(checkpoint) = Checkpoint::read(directory, experiment)? else {
            for name in [HISTORY, POPULATION] {
                match fs::remove_file(run.join(name)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(unwritable(&run.join(name))(error));
                    }
                    _ => {}
                }
            }
            return Ok((RunFiles::create(directory, experiment)?, None, None));
        };
        let path = run.join(CHECKPOINT);
        let corrupt = |problem: String| DirectoryError::Corrupt { path: path.clone(), problem };
        check_history(&run.join(HISTORY), checkpoint.history_bytes, &checkpoint.state)?;
        remove_leftovers(&run);
        let files = RunFiles {
            history: Rows::reopen(run.join(HISTORY), checkpoint.history_bytes)?,
            population: Rows::reopen(run.join(POPULATION), checkpoint.population_bytes)?,
            checkpoint_path: path.clone(),
            experiment: checkpoint.experiment.clone(),
            written: Some(checkpoint.clone()),
            unwritten: None,
            last_write: Instant::now(),
            error: None,
        };
        let population = read_population(&run.join(POPULATION), experiment.family.as_ref())?;
        let restored =
            experiment.method.restore(population.clone(), checkpoint.state.method.clone());
        restored.map_err(|error| corrupt(error.to_string()))?;
        let resumption = Resumption { state: checkpoint.state.clone(), population };
        Ok((files, Some(checkpoint), Some(resumption)))
    }

    /// Appends one iteration, and vouches for it by a new checkpoint. Both survive the end of the program,
    /// whatever it dies of. Iterations of less than 20 ms are written several at a time.
    /// `elapsed_s` is noted for runs with a limit on their time.
    ///
    /// # Errors
    ///
    /// When it, or something before, could not be written.
    pub fn write(
        &mut self,
        record: &IterationRecord,
        state: &SearchState,
        elapsed_s: Option<f64>,
    ) -> Result<(), DirectoryError> {
        self.append(record)?;
        self.unwritten = Some((state.clone(), elapsed_s));
        self.flush_if_due();
        self.error.take().map_or(Ok(()), Err)
    }

    /// Writes what waits for 20 ms; to be called now and then. Errors are told by the next call of
    /// something that can.
    pub fn flush_if_due(&mut self) {
        if self.unwritten.is_some() && self.last_write.elapsed() >= WRITE_EVERY {
            let written = self.flush();
            self.error = self.error.take().or(written.err());
        }
    }

    /// Writes what waits.
    ///
    /// # Errors
    ///
    /// When it, or something before, could not be written.
    pub fn flush(&mut self) -> Result<(), DirectoryError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let Some((state, elapsed_s)) = self.unwritten.take() else { return Ok(()) };
        let checkpoint = Checkpoint {
            version: VERSION.into(),
            experiment: self.experiment.clone(),
            state,
            history_bytes: self.history.flush()?,
            population_bytes: self.population.flush()?,
            elapsed_s,
            result: None,
            mixture: None,
        };
        self.write_checkpoint(checkpoint)
    }

    /// Notes that the run has come to its end with this `strategy.yaml`, and with this `mixture.yaml` if its
    /// method mixes.
    ///
    /// # Errors
    ///
    /// When it, or something before, could not be written.
    pub fn vouch_for(
        mut self,
        strategy: &str,
        mixture: Option<&str>,
    ) -> Result<(), DirectoryError> {
        self.flush()?;
        let Some(checkpoint) = self.written.take() else { return Ok(()) };
        self.write_checkpoint(Checkpoint {
            result: Some(fingerprint_of(strategy)),
            mixture: mixture.map(fingerprint_of),
            ..checkpoint
        })
    }

    fn write_checkpoint(&mut self, checkpoint: Checkpoint) -> Result<(), DirectoryError> {
        // JSON is YAML, too, and faster to write.
        let text = serde_json::to_string(&checkpoint).expect("plain data can be written as JSON");
        // No wait for the disk: that is for a loss of power.
        let next = self.checkpoint_path.with_extension("yaml.next");
        let written = fs::write(&next, text)
            .and_then(|()| fs::rename(&next, &self.checkpoint_path))
            .map_err(unwritable(&self.checkpoint_path));
        self.last_write = Instant::now();
        self.written = Some(checkpoint);
        written
    }

    fn append(&mut self, record: &IterationRecord) -> Result<(), DirectoryError> {
        fn cell<T: ToString>(value: Option<T>) -> String {
            value.map_or(String::new(), |value| value.to_string())
        }
        let decision = record.decision.as_ref();
        let verdict = decision.map(|decision| &decision.verdict);
        let baseline = record.baseline_score.as_ref();
        self.history.append([
            record.iteration.to_string(),
            cell(record.sigma),
            cell(decision.map(|decision| u8::from(decision.accepted))),
            cell(verdict.map(|verdict| verdict.reason)),
            cell(decision.map(|_| record.iteration_games)),
            cell(verdict.map(|verdict| verdict.score)),
            cell(verdict.map(|verdict| verdict.interval[0])),
            cell(verdict.map(|verdict| verdict.interval[1])),
            record.games.to_string(),
            cell(baseline.map(|estimate| estimate.score)),
            cell(baseline.map(|estimate| estimate.interval[0])),
            cell(baseline.map(|estimate| estimate.interval[1])),
            cell(baseline.map(|estimate| estimate.pairs)),
        ])?;
        let Some(joined) = &record.joined else { return Ok(()) };
        let numbers = joined.iter().map(f64::to_string);
        let place = [
            record.iteration.to_string(),
            record.games.to_string(),
            cell(record.against),
            cell(verdict.map(|verdict| verdict.reason)),
        ];
        self.population.append(place.into_iter().chain(numbers))
    }
}

/// Makes sure that no other program writes to a file as long as it is open here.
pub(super) fn lock(file: &File, path: &Path) -> Result<(), DirectoryError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(DirectoryError::InUse(path.into())),
        // Some file systems have no locks; they must do without.
        Err(TryLockError::Error(_)) | Ok(()) => Ok(()),
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
        lock(&file, &path)?;
        let mut rows = Rows { path, writer: csv::Writer::from_writer(file) };
        rows.append(columns)?;
        rows.flush()?;
        Ok(rows)
    }

    /// Opens a table of which the first `num_bytes` count.
    fn reopen(path: PathBuf, num_bytes: u64) -> Result<Rows, DirectoryError> {
        let file = File::options().read(true).write(true).open(&path);
        let mut file = file.map_err(unwritable(&path))?;
        lock(&file, &path)?;
        let mut cut = || {
            let found = file.metadata()?.len();
            if found >= num_bytes {
                file.set_len(num_bytes)?;
                file.seek(io::SeekFrom::End(0))?;
            }
            Ok(found)
        };
        let found = cut().map_err(unwritable(&path))?;
        if found < num_bytes {
            let problem = format!("it has {found} bytes, and the checkpoint knows of {num_bytes}");
            return Err(DirectoryError::Corrupt { path, problem });
        }
        Ok(Rows { path, writer: csv::Writer::from_writer(file) })
    }

    /// Writes all rows to the file, and returns its size.
    fn flush(&mut self) -> Result<u64, DirectoryError> {
        let flushed = self.writer.flush().and_then(|()| self.writer.get_ref().metadata());
        flushed.map(|metadata| metadata.len()).map_err(unwritable(&self.path))
    }

    fn append(&mut self, row: impl IntoIterator<Item = String>) -> Result<(), DirectoryError> {
        let written = self.writer.write_record(row);
        written.map_err(io::Error::from).map_err(unwritable(&self.path))
    }
}
