//! The files of a study of random seeds: three tables, and a list of them with their fingerprints.

use std::fs;
use std::path::PathBuf;

use ruse_base::files::{DirectoryError, Result, reading, remove_leftovers, unwritable};
use ruse_games::BySeat;
use ruse_optimise::portfolio::LearningPoint;
use ruse_search::bandit::BanditName;
use serde::{Deserialize, Serialize};

use super::lessons::{CHOICES, Generalisation, Mean, OPPONENTS, SEATS, SeedLesson};
use super::study::{SeedFigure, SeedStudy};
use crate::files::finished::{Finished, write_finished};
use crate::files::tables::{csv_of, rows_in};

const GAME: &str = "game.csv";
const GENERALISATION: &str = "generalisation.csv";
const LEARNING: &str = "learning.csv";
pub(crate) const TABLES: [&str; 3] = [GAME, GENERALISATION, LEARNING];
/// The maximum size of a table that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The directory of one study.
#[derive(Debug, Clone)]
pub struct StudyFiles {
    path: PathBuf,
    /// The seal of the study; `None` outside the directory of an experiment.
    seal: Option<String>,
}

impl StudyFiles {
    /// Returns the files in the directory at `path`, which may be missing, and need not belong to an experiment.
    pub fn at(path: impl Into<PathBuf>) -> StudyFiles {
        StudyFiles { path: path.into(), seal: None }
    }

    pub(crate) fn of_experiment(path: PathBuf, seal: String) -> StudyFiles {
        StudyFiles { path, seal: Some(seal) }
    }

    fn finished(&self) -> Result<Option<Finished>> {
        match &self.seal {
            Some(seal) => Finished::read_of(&self.path, seal),
            None => Finished::read(&self.path),
        }
    }

    /// Writes the results of a study, and then the list of its tables.
    ///
    /// # Errors
    ///
    /// Returns an error if the results cannot be written.
    pub fn write(&self, study: &SeedStudy) -> Result {
        fs::create_dir_all(&self.path).map_err(unwritable(&self.path))?;
        remove_leftovers(&self.path);
        let files = [
            (GAME, csv_of(game_rows(study))),
            (GENERALISATION, csv_of(generalisation_rows(study))),
            (LEARNING, csv_of(learning_rows(study))),
        ];
        write_finished(&self.path, self.seal.as_deref().unwrap_or_default(), &files)
    }

    /// Reads the results of a study, or returns `None` if the study is not finished.
    ///
    /// # Errors
    ///
    /// Returns an error if a table cannot be read, or was changed after the program wrote it.
    pub fn read(&self) -> Result<Option<SeedStudy>> {
        let Some(finished) = self.finished()?.filter(Finished::is_complete) else {
            return Ok(None);
        };
        let table = |name: &str| {
            let path = self.path.join(name);
            match reading::text_if_there(&path, MAX_BYTES)? {
                None => Err(DirectoryError::Lost(path)),
                Some(text) if !finished.knows(name, &text) => Err(DirectoryError::Changed(path)),
                Some(text) => Ok((path, text)),
            }
        };
        let [game, generalisation, learning] = TABLES.map(table);
        let ((path, text), generalisation, learning) = (game?, generalisation?, learning?);
        Ok(Some(SeedStudy {
            figures: rows_in(&path, &text)?.into_iter().map(figure).collect(),
            generalisation: generalisations(&generalisation)?,
            lessons: lessons(&learning)?,
        }))
    }

    /// Returns `true` if the study is finished, and a list vouches for its tables.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, if a file was changed after the program wrote it, or if the study is
    /// published. A study with a file that is gone is not finished.
    pub fn is_finished(&self) -> Result<bool> {
        if self.is_published()? {
            return Err(DirectoryError::Published(self.path.clone()));
        }
        let is_whole = self.finished()?.map(|finished| finished.has_all(&self.path)).transpose()?;
        Ok(is_whole == Some(true) && self.read()?.is_some())
    }

    /// Returns `true` if the list of the study says that it is published.
    ///
    /// # Errors
    ///
    /// Returns an error if the list was changed.
    pub(crate) fn is_published(&self) -> Result<bool> {
        Ok(self.finished()?.is_some_and(|finished| finished.is_published()))
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct GameRow {
    quantity: String,
    first: f64,
    first_low: f64,
    first_high: f64,
    second: f64,
    second_low: f64,
    second_high: f64,
}

#[derive(Debug, Serialize, Deserialize)]
struct GeneralisationRow {
    seeds: usize,
    choice: String,
    score: f64,
    score_error: f64,
    loss_inside: f64,
    loss_inside_error: f64,
    loss_held_out: f64,
    loss_held_out_error: f64,
}

#[derive(Debug, Serialize, Deserialize)]
struct LearningRow {
    bandit: String,
    seat: String,
    against: String,
    games: u64,
    losing_rate: f64,
    standard_error: Option<f64>,
    recommended: f64,
    recommended_error: Option<f64>,
    best_possible: f64,
}

/// Rounds a mean over runs to the written digits; further digits are noise.
fn short(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

fn game_rows(study: &SeedStudy) -> impl Iterator<Item = GameRow> {
    study.figures.iter().map(|SeedFigure { name, figure, low, high }| GameRow {
        quantity: name.clone(),
        first: figure.first,
        first_low: low.first,
        first_high: high.first,
        second: figure.second,
        second_low: low.second,
        second_high: high.second,
    })
}

fn figure(row: GameRow) -> SeedFigure {
    SeedFigure {
        name: row.quantity,
        figure: BySeat { first: row.first, second: row.second },
        low: BySeat { first: row.first_low, second: row.second_low },
        high: BySeat { first: row.first_high, second: row.second_high },
    }
}

fn generalisation_rows(study: &SeedStudy) -> impl Iterator<Item = GeneralisationRow> {
    let all = study.generalisation.iter();
    let all = all.flat_map(|(seeds, found)| found.iter().map(move |found| (*seeds, found)));
    all.map(|(seeds, found)| GeneralisationRow {
        seeds,
        choice: found.choice.into(),
        score: short(found.score.mean),
        score_error: short(found.score.standard_error),
        loss_inside: short(found.loss_inside.mean),
        loss_inside_error: short(found.loss_inside.standard_error),
        loss_held_out: short(found.loss_held_out.mean),
        loss_held_out_error: short(found.loss_held_out.standard_error),
    })
}

fn learning_rows(study: &SeedStudy) -> impl Iterator<Item = LearningRow> {
    let all = study.lessons.iter();
    let all = all.flat_map(|lesson| lesson.curve.iter().map(move |point| (lesson, point)));
    all.map(|(lesson, point)| LearningRow {
        bandit: lesson.bandit.into(),
        seat: lesson.seat.into(),
        against: lesson.opponent.into(),
        games: point.num_rounds,
        losing_rate: short(point.losing_rate),
        standard_error: point.standard_error.map(short),
        recommended: short(point.recommended),
        recommended_error: point.recommended_error.map(short),
        best_possible: short(lesson.best_possible),
    })
}

fn generalisations((path, text): &(PathBuf, String)) -> Result<Vec<(usize, [Generalisation; 3])>> {
    let rows: Vec<GeneralisationRow> = rows_in(path, text)?;
    let mut all = Vec::new();
    for three in rows.chunks(CHOICES.len()) {
        let is_whole = three.len() == CHOICES.len()
            && three.iter().zip(CHOICES).all(|(row, choice)| row.choice == choice)
            && three.iter().all(|row| row.seeds == three[0].seeds);
        if !is_whole {
            let problem = format!("{} seeds do not have the three choices", three[0].seeds);
            return Err(DirectoryError::unreadable(path, problem));
        }
        let mean = |mean, standard_error| Mean { mean, standard_error };
        let found = [0, 1, 2].map(|index| {
            let row = &three[index];
            Generalisation {
                choice: CHOICES[index],
                score: mean(row.score, row.score_error),
                loss_inside: mean(row.loss_inside, row.loss_inside_error),
                loss_held_out: mean(row.loss_held_out, row.loss_held_out_error),
            }
        });
        all.push((three[0].seeds, found));
    }
    Ok(all)
}

fn lessons((path, text): &(PathBuf, String)) -> Result<Vec<SeedLesson>> {
    let one_of = |names: &[&'static str], name: &str| {
        let found = names.iter().copied().find(|known| *known == name);
        found.ok_or_else(|| {
            DirectoryError::unreadable(path, format!("`{name}` is none of {}", names.join(", ")))
        })
    };
    let mut all: Vec<SeedLesson> = Vec::new();
    for row in rows_in::<LearningRow>(path, text)? {
        let bandit = one_of(&BanditName::ALL.map(BanditName::name), &row.bandit)?;
        let (seat, opponent) = (one_of(&SEATS, &row.seat)?, one_of(&OPPONENTS, &row.against)?);
        let is_same = |lesson: &&mut SeedLesson| {
            (lesson.bandit, lesson.seat, lesson.opponent) == (bandit, seat, opponent)
        };
        let point = LearningPoint {
            num_rounds: row.games,
            losing_rate: row.losing_rate,
            standard_error: row.standard_error,
            recommended: row.recommended,
            recommended_error: row.recommended_error,
        };
        match all.last_mut().filter(is_same) {
            Some(lesson) => lesson.curve.push(point),
            None => {
                let best_possible = row.best_possible;
                all.push(SeedLesson { bandit, seat, opponent, curve: vec![point], best_possible });
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study() -> SeedStudy {
        let by_seat = |first, second| BySeat { first, second };
        let mean = |mean| Mean { mean, standard_error: 0.01 };
        let point = |num_rounds, standard_error| LearningPoint {
            num_rounds,
            losing_rate: 0.5,
            standard_error,
            recommended: 0.25,
            recommended_error: standard_error,
        };
        SeedStudy {
            figures: vec![SeedFigure {
                name: "value".into(),
                figure: by_seat(0.6, 0.4),
                low: by_seat(0.5, 0.3),
                high: by_seat(1.0 / 1.5, 0.5),
            }],
            generalisation: vec![(
                2,
                CHOICES.map(|choice| Generalisation {
                    choice,
                    score: mean(0.5),
                    loss_inside: mean(0.75),
                    loss_held_out: mean(1.0),
                }),
            )],
            lessons: vec![SeedLesson {
                bandit: "exp3",
                seat: "second",
                opponent: "pure",
                curve: vec![point(1, None), point(2, Some(0.125))],
                best_possible: 0.1,
            }],
        }
    }

    #[test]
    fn written_files_are_read() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let files = StudyFiles::at(parent.path().join("pool"));
        assert_eq!(files.read().expect("nothing there"), None);
        files.write(&study()).expect("writable");
        assert_eq!(files.read().expect("readable"), Some(study()));
        assert!(files.is_finished().expect("readable"));

        // A study whose program was killed while it wrote the tables is repeated.
        let finished_file = parent.path().join("pool/finished.yaml");
        let vouched = fs::read_to_string(&finished_file).expect("there");
        write_finished(&parent.path().join("pool"), "", &[]).expect("writable");
        assert_eq!(files.read().expect("readable"), None);
        assert!(!files.is_finished().expect("readable"));
        fs::remove_file(&finished_file).expect("there");
        assert_eq!(files.read().expect("readable"), None);
        fs::write(&finished_file, vouched).expect("writable");

        // A study of another pool or experiment is recognised.
        let of =
            |seal: &str| StudyFiles::of_experiment(parent.path().join("pool"), seal.into()).read();
        of("0123456789abcdef").expect_err("without an experiment");
        StudyFiles::of_experiment(parent.path().join("pool"), "0123456789abcdef".into())
            .write(&study())
            .expect("writable");
        assert_eq!(of("0123456789abcdef").expect("readable"), Some(study()));
        of("0123456789abcdee").expect_err("another");
        assert_eq!(files.read().expect("for figures"), Some(study()));

        fs::write(parent.path().join("pool/game.csv"), "quantity\n").expect("writable");
        let error = files.read().expect_err("changed").to_string();
        assert!(error.ends_with("game.csv was changed after it was written"), "{error}");
    }

    #[test]
    fn unknown_names_are_refused() {
        let file = |text: &str| (PathBuf::from("learning.csv"), text.to_string());
        let header = "bandit,seat,against,games,losing_rate,standard_error,recommended,\
                      recommended_error,best_possible\n";
        let error = lessons(&file(&format!("{header}exp4,first,nash,1,0,,0,,0\n")));
        let error = error.expect_err("no such bandit").to_string();
        assert!(error.contains("`exp4` is none of ucbt, ucb1"), "{error}");
        assert!(lessons(&file(&format!("{header}exp3,first,nash,1,x,,0,,0\n"))).is_err());
    }
}
