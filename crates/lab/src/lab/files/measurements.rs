//! `measurements.csv`: the scores that an experiment measures after its runs, one row for each score. The file grows
//! row by row, and keeps its rows if the program is killed.
//!
//! For tables, the rows of a kind are converted to the records in [`crate::lab::records`].

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::checkpoint::{MIXTURE, STRATEGY};
use super::run_directory::RunDirectory;
use crate::files::{DirectoryError, GrowingTable, fingerprint_of, unwritable, write_atomically};
use crate::lab::ablation::groups;
use crate::lab::plan::Plan;
use crate::lab::records::{
    AblationRecord, ExploitRecord, MeetingRecord, Product, ResponseKind, RunId, YardstickKind,
    YardstickRecord,
};
use crate::lab::spec::run::Experiment;
use crate::score::Estimate;

/// The name of the file.
pub(in crate::lab) const MEASUREMENTS: &str = "measurements.csv";

/// The question that a measurement answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasurementKind {
    /// The score of a champion against the champion of another run.
    Meeting,
    /// The score of a champion against a reference strategy.
    Reference,
    /// The score of a champion against its training opponent, if the scoring opponent is another player.
    Training,
    /// The score of a player that was not learned against the scoring opponent. The condition is the
    /// [`YardstickKind`].
    Yardstick,
    /// The score of a response to the result of a run. The condition is the [`Product`].
    Response,
    /// The score that a champion loses if a group of parameters is set to zero. The condition is the name of the group.
    Ablation,
}

/// A row of `measurements.csv`: the score of a player (the subject) against an opponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Measurement {
    /// The question that the measurement answers.
    pub kind: MeasurementKind,
    /// The name of the family in the experiment.
    pub family: String,
    /// A detail of the question, whose meaning depends on the kind; may be empty.
    pub condition: String,
    /// The method of the subject, or its name if it was not learned.
    pub subject: String,
    /// The seed of the run that learned the subject.
    pub subject_seed: Option<u64>,
    /// The method of the opponent, or its name if it was not learned.
    pub opponent: String,
    /// The seed of the run that learned the opponent, or of the runs for which the opponent is the baseline.
    pub opponent_seed: Option<u64>,
    /// The score in [0, 1]; for an ablation, the difference between two scores, in [-1, 1].
    pub score: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The level of confidence of the interval.
    pub confidence: f64,
    /// The number of pairs of games; 0 if the score was computed exactly.
    pub pairs: u64,
    /// The first of the two scores whose difference is the score.
    pub with: Option<f64>,
    /// The second of the two scores whose difference is the score.
    pub without: Option<f64>,
    /// A description of the measurement; may be empty.
    pub how: String,
    /// The fingerprint of the strategy file of the subject; empty if there is no such file.
    pub subject_strategy: String,
    /// The fingerprint of the strategy file of the opponent; empty if there is no such file.
    pub opponent_strategy: String,
}

impl Measurement {
    fn new(kind: MeasurementKind, family: &str, estimate: Estimate) -> Measurement {
        let Estimate { score, interval: [low, high], confidence, pairs } = estimate;
        Measurement {
            kind,
            family: family.into(),
            condition: String::new(),
            subject: String::new(),
            subject_seed: None,
            opponent: String::new(),
            opponent_seed: None,
            score,
            low,
            high,
            confidence,
            pairs,
            with: None,
            without: None,
            how: String::new(),
            subject_strategy: String::new(),
            opponent_strategy: String::new(),
        }
    }

    /// Returns the score with its interval.
    pub fn estimate(&self) -> Estimate {
        let Measurement { score, low, high, confidence, pairs, .. } = *self;
        Estimate { score, interval: [low, high], confidence, pairs }
    }

    /// Returns the row of a meeting.
    pub(in crate::lab) fn of_meeting(record: &MeetingRecord, prints: [&str; 2]) -> Measurement {
        let MeetingRecord { family, a, b, estimate } = record;
        Measurement {
            subject: a.method.clone(),
            subject_seed: Some(a.seed),
            opponent: b.method.clone(),
            opponent_seed: Some(b.seed),
            subject_strategy: prints[0].into(),
            opponent_strategy: prints[1].into(),
            ..Measurement::new(MeasurementKind::Meeting, family, *estimate)
        }
    }

    /// Returns the record of the meeting, if the row is about a meeting.
    pub(in crate::lab) fn meeting(&self) -> Option<MeetingRecord> {
        let is_meeting = self.kind == MeasurementKind::Meeting;
        let run = |method: &String, seed: Option<u64>| {
            Some(RunId { method: method.clone(), seed: seed.filter(|_| is_meeting)? })
        };
        Some(MeetingRecord {
            family: self.family.clone(),
            a: run(&self.subject, self.subject_seed)?,
            b: run(&self.opponent, self.opponent_seed)?,
            estimate: self.estimate(),
        })
    }

    /// Returns the row of a champion's score against an opponent that was not learned.
    pub(in crate::lab) fn of_champion(
        kind: MeasurementKind,
        run: &Experiment,
        opponent: &str,
        estimate: Estimate,
        print: &str,
    ) -> Measurement {
        let [family, method] = &run.labels;
        Measurement {
            subject: method.clone(),
            subject_seed: Some(run.resolved.seed),
            opponent: opponent.into(),
            subject_strategy: print.into(),
            ..Measurement::new(kind, family, estimate)
        }
    }

    /// Returns the row of a yardstick, which played against `opponent`.
    pub(in crate::lab) fn of_yardstick(record: &YardstickRecord, opponent: &str) -> Measurement {
        let YardstickRecord { family, seed, kind, name, score } = record;
        let pairs = if score.is_exact() { 0 } else { score.pairs };
        Measurement {
            condition: kind.name().into(),
            subject: name.clone(),
            opponent: opponent.into(),
            opponent_seed: Some(*seed),
            ..Measurement::new(MeasurementKind::Yardstick, family, Estimate { pairs, ..*score })
        }
    }

    /// Returns the record of the yardstick, if the row is about a yardstick.
    pub(in crate::lab) fn yardstick(&self) -> Option<YardstickRecord> {
        let kind = YardstickKind::ALL.into_iter().find(|kind| kind.name() == self.condition)?;
        Some(YardstickRecord {
            family: self.family.clone(),
            seed: self.opponent_seed.filter(|_| self.kind == MeasurementKind::Yardstick)?,
            kind,
            name: self.subject.clone(),
            score: self.estimate(),
        })
    }

    /// Returns the row of a response to the strategy with this fingerprint.
    pub(in crate::lab) fn of_response(record: &ExploitRecord, print: &str) -> Measurement {
        let ExploitRecord { family, method, product, seed, kind, response, how } = record;
        Measurement {
            condition: product.name().into(),
            subject: kind.name().into(),
            opponent: method.clone(),
            opponent_seed: Some(*seed),
            how: how.clone(),
            opponent_strategy: print.into(),
            ..Measurement::new(MeasurementKind::Response, family, *response)
        }
    }

    /// Returns the record of the response, if the row is about a response.
    pub(in crate::lab) fn response(&self) -> Option<ExploitRecord> {
        let product = Product::ALL.into_iter().find(|known| known.name() == self.condition)?;
        let kind = ResponseKind::ALL.into_iter().find(|known| known.name() == self.subject)?;
        Some(ExploitRecord {
            family: self.family.clone(),
            method: self.opponent.clone(),
            product,
            seed: self.opponent_seed.filter(|_| self.kind == MeasurementKind::Response)?,
            kind,
            response: self.estimate(),
            how: self.how.clone(),
        })
    }

    /// Returns the rows for the groups of parameters of a champion, whose worth was measured against `opponent`.
    pub(in crate::lab) fn of_ablation(
        records: &[AblationRecord],
        opponent: &str,
        print: &str,
    ) -> Vec<Measurement> {
        let row = |(number, record): (usize, &AblationRecord)| {
            let AblationRecord { worth, interval, confidence, pairs, .. } = *record;
            let estimate = Estimate { score: worth, interval, confidence, pairs };
            Measurement {
                condition: record.group.clone(),
                subject: record.method.clone(),
                subject_seed: Some(record.seed),
                opponent: opponent.into(),
                with: record.score_with,
                without: record.score_without,
                how: format!("{} {} of {}", Self::GROUP, number, records.len()),
                subject_strategy: print.into(),
                ..Measurement::new(MeasurementKind::Ablation, &record.family, estimate)
            }
        };
        (1..).zip(records).map(row).collect()
    }

    /// The beginning of the description of an ablation. The number of the group and the number of groups follow.
    const GROUP: &str = "group";

    /// Returns the row as a record about the champion of `run`, if the row is about the worth of a group of parameters.
    fn ablation(&self, run: &Experiment) -> Option<AblationRecord> {
        let group = groups(run.family.as_ref(), std::slice::from_ref(&self.condition)).ok()?;
        Some(AblationRecord {
            family: self.family.clone(),
            method: self.subject.clone(),
            seed: self.subject_seed.filter(|_| self.kind == MeasurementKind::Ablation)?,
            group: self.condition.clone(),
            num_parameters: group.first()?.members.len() as u64,
            worth: self.score,
            interval: [self.low, self.high],
            confidence: self.confidence,
            pairs: self.pairs,
            score_with: self.with,
            score_without: self.without,
        })
    }

    /// Returns the runs that the row is about, each with the name of its strategy file and the fingerprint of this
    /// file.
    fn runs(&self) -> Vec<((&str, u64), &'static str, &str)> {
        let file = match self.condition == Product::Mixture.name() {
            true if self.kind == MeasurementKind::Response => MIXTURE,
            _ => STRATEGY,
        };
        let subject = self
            .subject_seed
            .map(|seed| ((self.subject.as_str(), seed), STRATEGY, self.subject_strategy.as_str()));
        let is_learned = [MeasurementKind::Meeting, MeasurementKind::Response].contains(&self.kind);
        let opponent = self
            .opponent_seed
            .filter(|_| is_learned)
            .map(|seed| ((self.opponent.as_str(), seed), file, self.opponent_strategy.as_str()));
        subject.into_iter().chain(opponent).collect()
    }
}

/// The measurements of an experiment, or of a part of one, in a file that grows.
#[derive(Debug)]
pub struct MeasurementsFile(GrowingTable);

impl MeasurementsFile {
    /// Reads the measurements of an experiment; the result is empty if the file does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or was changed, or if a strategy has changed since it was measured.
    pub fn read(directory: &RunDirectory, plan: &Plan) -> Result<Vec<Measurement>, DirectoryError> {
        Self::read_at(&directory.path().join(MEASUREMENTS), directory, plan)
    }

    /// Reads the file at `path`, which is a `measurements.csv` or a part of one.
    ///
    /// # Errors
    ///
    /// Same as [`read`](MeasurementsFile::read).
    pub(in crate::lab) fn read_at(
        path: &Path,
        directory: &RunDirectory,
        plan: &Plan,
    ) -> Result<Vec<Measurement>, DirectoryError> {
        let rows = GrowingTable::read(path, directory.seal())?;
        check(path, directory, plan, &rows)?;
        Ok(rows)
    }

    /// Opens the file of an experiment, removes an incomplete row at its end, and returns the measurements.
    ///
    /// # Errors
    ///
    /// Same as [`read`](MeasurementsFile::read); also returns an error if the file cannot be written.
    pub fn open(
        directory: &RunDirectory,
        plan: &Plan,
    ) -> Result<(MeasurementsFile, Vec<Measurement>), DirectoryError> {
        Self::open_at(directory.path().join(MEASUREMENTS), directory, plan)
    }

    /// Opens the file at `path`, which is a `measurements.csv` or a part of one.
    ///
    /// # Errors
    ///
    /// Same as [`open`](MeasurementsFile::open).
    pub(in crate::lab) fn open_at(
        path: PathBuf,
        directory: &RunDirectory,
        plan: &Plan,
    ) -> Result<(MeasurementsFile, Vec<Measurement>), DirectoryError> {
        let (table, rows) = GrowingTable::open(path.clone(), directory.seal())?;
        check(&path, directory, plan, &rows)?;
        Ok((MeasurementsFile(table), rows))
    }

    /// Appends measurements in one write.
    ///
    /// # Errors
    ///
    /// Returns an error if the measurements cannot be written.
    pub fn append(&mut self, rows: &[Measurement]) -> Result<(), DirectoryError> {
        match rows {
            [] => Ok(()),
            rows => self.0.append_all(rows),
        }
    }

    /// Writes the whole file at `path`, which is a part of `measurements.csv`.
    ///
    /// # Errors
    ///
    /// Returns an error if the part cannot be written.
    pub(in crate::lab) fn write_part(
        path: &Path,
        directory: &RunDirectory,
        rows: &[Measurement],
    ) -> Result<(), DirectoryError> {
        let text = GrowingTable::text(directory.seal(), rows).map_err(unwritable(path))?;
        write_atomically(path, text)
    }
}

/// Returns the records of the groups of parameters that were measured last for each champion. The champions are in the
/// order of the plan.
pub(in crate::lab) fn ablations(plan: &Plan, rows: &[Measurement]) -> Vec<AblationRecord> {
    let of_run = |run: &Experiment| {
        let ([family, method], seed) = (&run.labels, run.resolved.seed);
        let is_of = |row: &&Measurement| {
            row.kind == MeasurementKind::Ablation
                && (&row.family, &row.subject, row.subject_seed) == (family, method, Some(seed))
        };
        let rows: Vec<&Measurement> = rows.iter().filter(is_of).collect();
        let first = format!("{} 1 of ", Measurement::GROUP);
        let begin = rows.iter().rposition(|row| row.how.starts_with(&first)).unwrap_or(0);
        rows[begin..].iter().filter_map(|row| row.ablation(run)).collect::<Vec<_>>()
    };
    plan.runs.iter().flat_map(of_run).collect()
}

/// Returns the current fingerprint of a strategy file of a run; `None` if there is no such file.
pub(in crate::lab) fn print_of(
    directory: &RunDirectory,
    run: &Experiment,
    name: &str,
) -> Option<String> {
    fs::read(directory.run_path(run).join(name)).ok().map(fingerprint_of)
}

/// Checks that the rows of the file at `path` are about this experiment, and about the current strategies of its runs.
/// A missing strategy is not an error: it will be learned again, with the same result; and published strategies have no
/// files.
fn check(
    path: &Path,
    directory: &RunDirectory,
    plan: &Plan,
    rows: &[Measurement],
) -> Result<(), DirectoryError> {
    let runs = plan.runs.iter().map(|run| {
        let [family, method] = &run.labels;
        ((family.as_str(), method.as_str(), run.resolved.seed), run)
    });
    let runs: HashMap<_, _> = runs.collect();
    let mut prints: HashMap<(&str, &str, u64, &str), Option<String>> = HashMap::new();
    // The header is the first line.
    for (row, line) in rows.iter().zip(2..) {
        let unreadable = |problem: String| DirectoryError::Unreadable {
            path: path.into(),
            problem: format!("line {line}: {problem}"),
        };
        if plan.runs.iter().all(|run| run.labels[0] != row.family) {
            return Err(unreadable(format!("the experiment has no family {}", row.family)));
        }
        for ((method, seed), name, print) in row.runs() {
            let Some(run) = runs.get(&(row.family.as_str(), method, seed)) else {
                let run = format!("{}-{method}-seed{seed}", row.family);
                return Err(unreadable(format!("the experiment has no run {run}")));
            };
            let now = prints
                .entry((row.family.as_str(), method, seed, name))
                .or_insert_with(|| print_of(directory, run, name));
            if now.as_ref().is_some_and(|now| !print.is_empty() && now != print) {
                return Err(unreadable(format!(
                    "the {name} of {} has changed since it was measured; put the old one back, or remove this file, and \
                     `ruse run` and `ruse exploit` measure again",
                    run.run_name()
                )));
            }
        }
        let is_whole = match row.kind {
            MeasurementKind::Meeting => row.meeting().is_some(),
            MeasurementKind::Reference | MeasurementKind::Training => row.subject_seed.is_some(),
            MeasurementKind::Yardstick => row.yardstick().is_some(),
            MeasurementKind::Response => row.response().is_some(),
            MeasurementKind::Ablation => row.subject_seed.is_some(),
        };
        if !is_whole {
            return Err(unreadable(format!("invalid measurement of {}", row.subject)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::samples::{estimate, exploited, meeting, worth};
    use crate::lab::spec::run::ExperimentSpec;
    use crate::registry::Registry;

    fn directory() -> (tempfile::TempDir, RunDirectory, Plan) {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let plan = Plan::new(ExperimentSpec::new("war"), &Registry::standard()).expect("valid");
        let path = parent.path().join("run");
        let directory = RunDirectory::create(Some(&path), &plan).expect("a new directory");
        (parent, directory, plan)
    }

    /// Rows of all kinds are read as they were written, and can be converted back to the records from which they were
    /// made.
    #[test]
    fn records_come_back() {
        let (_parent, directory, plan) = directory();
        assert_eq!(MeasurementsFile::read(&directory, &plan).expect("nothing is fine"), []);
        let [family, method] = plan.runs[0].labels.clone();
        let of = (method.as_str(), 1);
        let met = meeting(&family, of, of, 0.1 + 0.2);
        let response = exploited(&family, &method, 1, 0.75);
        let yardstick = YardstickRecord {
            family: family.clone(),
            seed: 1,
            kind: YardstickKind::Zero,
            name: "all parameters 0".into(),
            score: estimate(1.0 / 3.0),
        };
        // War has three parameters, each a group of its own.
        let ablation = |group| AblationRecord {
            num_parameters: 1,
            ..worth(&family, &method, 1, group, [-0.25, 0.5])
        };
        let groups = [ablation("A"), ablation("B")];
        let again = [ablation("C")];
        let champion = Measurement::of_champion(
            MeasurementKind::Reference,
            &plan.runs[0],
            "descending",
            estimate(0.5),
            "",
        );
        let mut rows = vec![
            Measurement::of_meeting(&met, ["", ""]),
            Measurement::of_response(&response, ""),
            Measurement::of_yardstick(&yardstick, "random"),
            champion,
        ];
        rows.extend(Measurement::of_ablation(&groups, "random", ""));
        for end in 0..rows.len() {
            let (mut file, held) = MeasurementsFile::open(&directory, &plan).expect("writable");
            assert_eq!(held, rows[..end]);
            file.append(&rows[end..=end]).expect("writable");
        }
        let read = MeasurementsFile::read(&directory, &plan).expect("readable");
        assert_eq!(read, rows);
        assert_eq!(read[0].meeting(), Some(met));
        assert_eq!(read[1].response(), Some(response));
        assert_eq!(read[2].yardstick(), Some(yardstick));
        assert_eq!(ablations(&plan, &read), groups);
        // Only the groups that were measured last are returned.
        rows.extend(Measurement::of_ablation(&again, "random", ""));
        assert_eq!(ablations(&plan, &rows), again);
        for (index, row) in read.iter().enumerate() {
            let found =
                [row.meeting().is_some(), row.response().is_some(), row.yardstick().is_some()];
            assert_eq!(found, [index == 0, index == 1, index == 2], "{row:?}");
        }
    }

    /// Rows about other runs, or about strategies that have changed, are refused with an error that contains the line.
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
        let response = |seed| exploited(&family, &method, seed, 0.75);
        assert_eq!(refused(Measurement::of_response(&response(1), "0123")), "");
        let other = refused(Measurement::of_response(&response(2), "0123"));
        assert!(other.contains("line 2: the experiment has no run war-"), "{other}");
        let foreign =
            Measurement { family: "pig".into(), ..Measurement::of_response(&response(1), "") };
        assert!(refused(foreign).contains("has no family pig"));
        let no_seed =
            Measurement { opponent_seed: None, ..Measurement::of_response(&response(1), "") };
        assert!(refused(no_seed).contains("line 2: invalid measurement"));

        let run = directory.run_path(&plan.runs[0]);
        fs::create_dir_all(&run).expect("writable");
        fs::write(run.join(STRATEGY), "family: war\n").expect("writable");
        let now = print_of(&directory, &plan.runs[0], STRATEGY).expect("there");
        assert_eq!(refused(Measurement::of_response(&response(1), &now)), "");
        let changed = refused(Measurement::of_response(&response(1), "0123"));
        assert!(changed.contains("line 2: the strategy.yaml of war-"), "{changed}");
        assert!(changed.contains("has changed since it was measured"), "{changed}");
    }
}
