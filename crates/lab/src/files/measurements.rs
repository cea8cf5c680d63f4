//! `measurements.csv`: the scores that an experiment measures after its runs, one row for each score. The file grows
//! row by row, so a killed program loses no complete row.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use super::finished::MEASUREMENTS;
use ruse_base::files::{
    DirectoryError, GrowingTable, Result, YamlSource, fingerprint_of, reading, unwritable,
    write_atomically,
};

use super::checkpoint::{MIXTURE, STRATEGY};
use super::run_directory::RunDirectory;
use crate::language::run::Experiment;
use crate::measurement::{Exploited, Measurement, MeasurementKind, Product};
use crate::plan::Plan;

/// A file that is open, and the measurements that it had.
type Opened = (MeasurementsFile, Vec<Measurement>);

/// A growing file with the measurements of an experiment, or of a part of it.
#[derive(Debug)]
pub struct MeasurementsFile(GrowingTable);

impl MeasurementsFile {
    /// Reads the measurements of an experiment; the result is empty if the file does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or was changed, or if a strategy has changed since it was measured.
    pub fn read(directory: &RunDirectory, plan: &Plan) -> Result<Vec<Measurement>> {
        Self::read_at(&directory.path().join(MEASUREMENTS), directory, plan)
    }

    /// Reads a `measurements.csv`, or a part of one, at `path`.
    ///
    /// # Errors
    ///
    /// Same as [`read`](MeasurementsFile::read).
    pub(crate) fn read_at(
        path: &Path,
        directory: &RunDirectory,
        plan: &Plan,
    ) -> Result<Vec<Measurement>> {
        let rows = GrowingTable::read(path, directory.seal())?;
        check(path, directory, plan, &rows)?;
        Ok(rows)
    }

    /// Opens the file of an experiment, removes an incomplete row at its end, and returns the measurements.
    ///
    /// # Errors
    ///
    /// Same as [`read`](MeasurementsFile::read); also returns an error if the file cannot be written.
    pub fn open(directory: &RunDirectory, plan: &Plan) -> Result<Opened> {
        Self::open_at(directory.path().join(MEASUREMENTS), directory, plan)
    }

    /// Opens a `measurements.csv`, or a part of one, at `path`.
    ///
    /// # Errors
    ///
    /// Same as [`open`](MeasurementsFile::open).
    pub(crate) fn open_at(path: PathBuf, directory: &RunDirectory, plan: &Plan) -> Result<Opened> {
        let (table, rows) = GrowingTable::open(path.clone(), directory.seal())?;
        check(&path, directory, plan, &rows)?;
        Ok((MeasurementsFile(table), rows))
    }

    /// Appends measurements in one write.
    ///
    /// # Errors
    ///
    /// Returns an error if the measurements cannot be written.
    pub fn append(&mut self, rows: &[Measurement]) -> Result {
        match rows {
            [] => Ok(()),
            rows => self.0.append_all(rows),
        }
    }

    /// Writes a part of `measurements.csv` at `path`.
    ///
    /// # Errors
    ///
    /// Returns an error if the part cannot be written.
    pub(crate) fn write_part(path: &Path, directory: &RunDirectory, all: &[Measurement]) -> Result {
        let text = GrowingTable::text(directory.seal(), all).map_err(unwritable(path))?;
        write_atomically(path, text)
    }
}

/// The first word of an ablation's description. The group's number and the number of groups follow.
pub(crate) const GROUP: &str = "group";

/// Returns the last measured ablation of each champion, in the order of the plan. Groups that a family no longer has are
/// left out.
pub(crate) fn ablations(plan: &Plan, rows: &[Measurement]) -> Vec<Measurement> {
    let all = rows.iter().filter(|row| row.kind == MeasurementKind::Ablation);
    let all: Vec<&Measurement> = all.collect();
    let of_run = |run: &Experiment| {
        let rows: Vec<&Measurement> = all.iter().filter(|row| row.is_of(run)).copied().collect();
        let first = format!("{GROUP} 1 of ");
        let begin = rows.iter().rposition(|row| row.how.starts_with(&first)).unwrap_or(0);
        let known = rows[begin..].iter().filter(|row| row.num_parameters(run).is_some());
        known.copied().cloned().collect::<Vec<_>>()
    };
    plan.runs.iter().flat_map(of_run).collect()
}

/// Returns the current fingerprint of a run's strategy file, if it exists.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub(crate) fn print_of(
    directory: &RunDirectory,
    run: &Experiment,
    name: &str,
) -> Result<Option<String>> {
    let path = directory.run_path(run).join(name);
    match reading::read_bytes(&path, YamlSource::MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => Ok(Some(fingerprint_of(bytes.map_err(|e| DirectoryError::unreadable(&path, e))?))),
    }
}

/// Checks that the rows of the file at `path` are about this experiment, and about the current strategies of its runs.
/// A missing strategy is allowed: a run would learn it again, and published strategies have no files.
fn check(path: &Path, directory: &RunDirectory, plan: &Plan, rows: &[Measurement]) -> Result {
    let runs = plan.runs_by_place();
    let mut prints: HashMap<(&str, &str, u64, &str), Option<String>> = HashMap::new();
    // The header is the first line.
    for (row, line) in rows.iter().zip(2..) {
        let unreadable =
            |problem: String| DirectoryError::unreadable(path, format!("line {line}: {problem}"));
        if plan.runs.iter().all(|run| run.labels[0] != row.family) {
            return Err(unreadable(format!("the experiment has no family {}", row.family)));
        }
        for ((method, seed), name, print) in runs_of(row) {
            let Some(run) = runs.get(&(row.family.as_str(), method, seed)) else {
                let run = format!("{}-{method}-seed{seed}", row.family);
                return Err(unreadable(format!("the experiment has no run {run}")));
            };
            let now = match prints.entry((row.family.as_str(), method, seed, name)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(print_of(directory, run, name)?),
            };
            if now.as_ref().is_some_and(|now| !print.is_empty() && now != print) {
                return Err(unreadable(format!(
                    "the {name} of {} has changed since it was measured; put the old one back, or remove this file, and \
                     `ruse run` and `ruse exploit` measure again",
                    run.run_name()
                )));
            }
        }
        if !row.is_whole() {
            return Err(unreadable(format!("invalid measurement of {}", row.subject)));
        }
    }
    Ok(())
}

/// Returns the runs that a row is about, each with the name of its strategy file and the fingerprint of this file.
fn runs_of(row: &Measurement) -> Vec<((&str, u64), &'static str, &str)> {
    let file = match row.exploited() {
        Some(Exploited { product: Product::Mixture, .. }) => MIXTURE,
        _ => STRATEGY,
    };
    let is_learned = row.kind == MeasurementKind::Meeting || row.exploited().is_some();
    let subject = (row.subject_seed, &row.subject, STRATEGY, &row.subject_strategy);
    let opponent_seed = row.opponent_seed.filter(|_| is_learned);
    let opponent = (opponent_seed, &row.opponent, file, &row.opponent_strategy);
    let sides = [subject, opponent].into_iter();
    sides.filter_map(|(seed, name, file, print)| Some(((&**name, seed?), file, &**print))).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fixtures::{
        certified, estimate, exploited, meeting, plan, reference, worth, yardstick,
    };
    use crate::measurement::YardstickKind;

    fn directory() -> (tempfile::TempDir, RunDirectory, Plan) {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let plan = plan("family: war").expect("valid");
        let path = parent.path().join("run");
        let directory = RunDirectory::create(Some(&path), &plan).expect("a new directory");
        (parent, directory, plan)
    }

    /// Rows of all kinds survive the file, and can be converted back to their records.
    #[test]
    fn records_come_back() {
        let (_parent, directory, plan) = directory();
        assert_eq!(MeasurementsFile::read(&directory, &plan).expect("nothing is fine"), []);
        let [family, method] = plan.runs[0].labels.clone();
        let of = (method.as_str(), 1);
        // War has three parameters, each in its own group.
        let ablation = |how: &str, group| Measurement {
            how: how.into(),
            ..worth(&family, &method, 1, group, [-0.25, 0.5])
        };
        let groups = [ablation("group 1 of 2", "A"), ablation("group 2 of 2", "B")];
        let again = [ablation("group 1 of 1", "C")];
        let mut rows = vec![
            meeting(&family, of, of, 0.1 + 0.2),
            exploited(&family, &method, 1, 0.75),
            yardstick(&family, YardstickKind::Zero, "all parameters 0", 1, estimate(1.0 / 3.0)),
            reference(&family, &method, 1, "descending", 0.5),
            certified(&family, &method, 1, [0.5, 0.875]),
        ];
        rows.extend(groups.clone());
        for end in 0..rows.len() {
            let (mut file, held) = MeasurementsFile::open(&directory, &plan).expect("writable");
            assert_eq!(held, rows[..end]);
            file.append(&rows[end..=end]).expect("writable");
        }
        let read = MeasurementsFile::read(&directory, &plan).expect("readable");
        assert_eq!(read, rows);
        assert_eq!(ablations(&plan, &read), groups);
        // Only the latest ablation is returned.
        rows.extend(again.clone());
        assert_eq!(ablations(&plan, &rows), again);
        for (index, row) in read.iter().enumerate() {
            let found = [row.exploited().map(|of| of.seed), row.response().map(|_| 2)];
            let expected = [[None, None], [Some(1), Some(2)], [Some(1), None]];
            assert_eq!(found, expected[[0, 1, 0, 0, 2, 0, 0][index]], "{row:?}");
            assert_eq!(row.yardstick().is_some(), index == 2, "{row:?}");
        }
    }

    /// Rows about other runs or changed strategies are refused; the error states the line.
    #[test]
    fn rows_are_about_the_strategies_that_are_there() {
        let (_parent, directory, plan) = directory();
        let [family, method] = plan.runs[0].labels.clone();
        let refused = |row: Measurement| {
            let path = directory.path().join("part.csv");
            MeasurementsFile::write_part(&path, &directory, &[row]).expect("writable");
            match MeasurementsFile::read_at(&path, &directory, &plan) {
                Ok(_) => String::new(),
                Err(error) => error.to_string(),
            }
        };
        let response = |seed, print: &str| Measurement {
            opponent_strategy: print.into(),
            ..exploited(&family, &method, seed, 0.75)
        };
        assert_eq!(refused(response(1, "0123")), "");
        for (row, message) in [
            (certified(&family, &method, 2, [0.5, 0.875]), "the experiment has no run war-"),
            (response(2, "0123"), "the experiment has no run war-"),
            (Measurement { family: "pig".into(), ..response(1, "") }, "has no family pig"),
            (Measurement { opponent_seed: None, ..response(1, "") }, "invalid measurement"),
        ] {
            let found = refused(row);
            assert!(found.contains("line 2: ") && found.contains(message), "{found}");
        }

        let run = directory.run_path(&plan.runs[0]);
        fs::create_dir_all(&run).expect("writable");
        fs::write(run.join(STRATEGY), "family: war\n").expect("writable");
        let now = print_of(&directory, &plan.runs[0], STRATEGY).expect("readable").expect("there");
        assert_eq!(refused(response(1, &now)), "");
        let changed = refused(response(1, "0123"));
        assert!(changed.contains("line 2: the strategy.yaml of war-"), "{changed}");
        assert!(changed.contains("has changed since it was measured"), "{changed}");
    }
}
