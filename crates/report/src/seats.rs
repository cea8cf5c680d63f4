//! The scores of champions as first and as second player, by method.

use ruse_lab::{Measurement, MeasurementKind, Records};
use serde::Serialize;

use super::format::{Grid, Table, Text, Visibility, span};
use super::repeats::MeanScore;
use super::words::{STUDENT, how_scored, intervals, note_on_withheld};

/// The score of the champions of a method in one seat.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeatCell {
    /// The method.
    pub method: String,
    /// The seat: "first" or "second".
    pub seat: String,
    /// The opponent of the champions.
    pub opponent: String,
    /// The mean over the runs.
    #[serde(flatten)]
    pub mean: MeanScore,
    /// The scores of the runs, by seed.
    #[serde(skip)]
    pub runs: Vec<f64>,
    /// The number of runs.
    pub num_runs: usize,
}

/// The scores of champions as first and as second player in a family.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct SeatTable {
    /// The family.
    pub family: String,
    /// The scores, by method and seat.
    pub cells: Vec<SeatCell>,
}

impl SeatTable {
    /// Builds the tables of the families with known scores, from checked records.
    pub(super) fn all(records: &Records) -> Vec<SeatTable> {
        let table = |family: &String| {
            let of_method = |method: &String| {
                let of_seat = |seat: &&str| cell(records, family, method, seat);
                Measurement::SEATS.iter().map(of_seat).collect::<Option<Vec<_>>>()
            };
            let cells = records.methods.iter().filter_map(of_method).flatten().collect();
            SeatTable { family: family.clone(), cells }
        };
        records.families.iter().map(table).filter(|table| !table.cells.is_empty()).collect()
    }

    pub(super) fn tables(all: &[SeatTable]) -> Vec<Table> {
        let absent = "The scores as first and as second player are missing: `ruse table DIR --only seats --measure` plays \
                      the games.";
        let shown = if all.is_empty() { Visibility::OnRequest } else { Visibility::Always };
        let tables = Table::each(all, absent, SeatTable::table).into_iter();
        tables.map(|table| Table { shown, ..table }).collect()
    }

    fn table(&self) -> Table {
        let means = || self.cells.iter().map(|cell| &cell.mean);
        let grid = Grid::of(&self.cells)
            .data("family", |_| &self.family)
            .key("method", |cell| cell.method.clone())
            .across(Measurement::SEATS.len(), "seat", |cell| cell.seat.clone())
            .figure(|cell| Text::mean(&cell.mean, ""))
            .data("opponent", |cell| cell.opponent.clone())
            .data("runs", |cell| cell.num_runs)
            .mean("score", |cell| Some(cell.mean));
        let (intervals, _) = intervals(means(), STUDENT);
        let runs = span(self.cells.iter().map(|cell| cell.num_runs as u64)).unwrap_or_default();
        let how = how_scored(self.cells.iter().map(|cell| (&cell.mean, cell.num_runs)));
        let mut opponents: Vec<&str> = self.cells.iter().map(|cell| &*cell.opponent).collect();
        opponents.dedup();
        let named = self.cells.iter().map(|cell| {
            (format!("{} as {} player", cell.method, cell.seat), &cell.mean, &cell.runs[..])
        });
        let title = format!("{}: champions as first and as second player", self.family);
        Table {
            family: Some(self.family.clone()),
            caption: format!(
                "Score of the champions of the method of the row against their opponent ({}) in the games in which they are the \
                 first or the second player: the mean over {runs} runs, each scored {how}, {intervals}. Half the sum of the two is the \
                 score of the method.",
                opponents.join(" or "),
            ),
            short: format!(
                "{}: scores as first and as second player, means over runs, 95% intervals.",
                self.family
            ),
            notes: note_on_withheld(named),
            ..Table::new("seats", title, grid)
        }
    }
}

/// Returns the mean score of a method's champions in a seat, if known.
fn cell(records: &Records, family: &str, method: &str, seat: &str) -> Option<SeatCell> {
    let known = records.of(MeasurementKind::Seat, family);
    let known = known.filter(|row| (&*row.subject, &*row.condition) == (method, seat));
    let opponent = known.clone().next()?.opponent.clone();
    let (mean, runs) = MeanScore::of_rows(known)?;
    let (num_runs, method, seat) = (runs.len(), method.into(), seat.into());
    Some(SeatCell { method, seat, opponent, mean, runs, num_runs })
}

#[cfg(test)]
mod tests {
    use ruse_lab::fixtures::seat;

    use super::*;
    use crate::tests::records_of;
    use crate::{Format, Options, Tables};

    fn tables(rows: Vec<Measurement>) -> Tables {
        let records = Records { measurements: rows, ..records_of(&["pig"], &["naive"]) };
        records.check().expect("valid");
        let all = SeatTable::all(&records);
        Tables::new(serde_json::json!({}), SeatTable::tables(&all))
    }

    /// By hand: the mean of .6, .7 and .8 is .7, with a standard error of .1 / sqrt(3) = .0577. Student's quantile with
    /// two degrees of freedom is 4.303, so the half-width is .248.
    #[test]
    fn seats_are_columns() {
        let scores = [(1, 0.6), (2, 0.7), (3, 0.8)];
        let first = scores.map(|(seed, score)| seat("pig", "naive", seed, "first", score));
        let second = scores.map(|(seed, _)| seat("pig", "naive", seed, "second", 0.25));
        let found = tables(first.into_iter().chain(second).collect());
        let options = Options::default();
        let text = found.render(Format::Markdown, &options);
        assert!(text.contains("| method | first | second |"), "{text}");
        assert!(text.contains("| naive | .700 ± .248 | .250 ± .013 |"), "{text}");
        let csv = found.render(Format::Csv, &options);
        assert!(csv.starts_with("family,method,seat,opponent,runs,score,low,high,"), "{csv}");
        assert!(csv.contains("\npig,naive,first,redrawn,3,0.6999"), "{csv}");
    }

    #[test]
    fn nothing_is_shown_unless_it_is_asked_for() {
        let found = tables(Vec::new());
        assert_eq!(found.render(Format::Markdown, &Options::default()), "");
        let asked = found.only(&["seats"]).render(Format::Terminal, &Options::default());
        assert!(asked.contains("--only seats --measure` plays"), "{asked}");
    }
}
