//! The scores of champions against reference strategies, by method.

use ruse_base::names::by_key;
use ruse_lab::{Measurement, MeasurementKind, Records};
use serde::Serialize;

use super::format::{Grid, Mark, Table, Text, crossed, span};
use super::repeats::MeanScore;
use super::words::{STUDENT, how_scored, intervals, note_on_withheld};

/// The score of the champions of a method against a reference strategy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReferenceCell {
    /// The mean over the runs.
    #[serde(flatten)]
    pub mean: MeanScore,
    /// The scores of the runs, by seed.
    #[serde(skip)]
    pub runs: Vec<f64>,
    /// The number of runs.
    pub num_runs: usize,
}

/// Scores of methods against the reference strategies of a family.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct ReferenceTable {
    /// The family.
    pub family: String,
    /// The methods, one per row.
    pub methods: Vec<String>,
    /// The reference strategies, one per column.
    pub references: Vec<String>,
    /// The cells, by method and reference strategy.
    pub cells: Vec<Vec<Option<ReferenceCell>>>,
}

impl ReferenceTable {
    /// Builds the tables of the families with known scores, from checked records.
    pub(super) fn all(records: &Records) -> Vec<ReferenceTable> {
        records.families.iter().filter_map(|family| ReferenceTable::new(records, family)).collect()
    }

    fn new(records: &Records, family: &str) -> Option<ReferenceTable> {
        let of_family = || records.of(MeasurementKind::Reference, family);
        let references = by_key(of_family().map(|row| (row.opponent.clone(), ())));
        let references: Vec<String> = references.into_iter().map(|(name, _)| name).collect();
        if references.is_empty() {
            return None;
        }
        let cell = |method: &String, reference: &String| {
            let is_of_cell =
                |row: &&Measurement| (&row.subject, &row.opponent) == (method, reference);
            let (mean, runs) = MeanScore::of_rows(of_family().filter(is_of_cell))?;
            Some(ReferenceCell { mean, num_runs: runs.len(), runs })
        };
        let row =
            |method: &String| references.iter().map(|reference| cell(method, reference)).collect();
        Some(ReferenceTable {
            family: family.into(),
            cells: records.methods.iter().map(row).collect(),
            methods: records.methods.clone(),
            references,
        })
    }

    pub(super) fn tables(all: &[ReferenceTable]) -> Vec<Table> {
        let absent = "No champion was scored against the reference strategies: `ruse table DIR --measure` plays the games.";
        Table::each(all, absent, ReferenceTable::table)
    }

    fn table(&self) -> Table {
        let cells = || self.cells.iter().flatten().flatten();
        let (intervals, is_mixed) = intervals(cells().map(|cell| &cell.mean), STUDENT);
        // A method is marked if its whole interval is below one half.
        let is_below = |cell: &ReferenceCell| cell.mean.conclusive_interval()[1] < 0.5;
        let text = |cell: &ReferenceCell| {
            let after = if is_mixed && cell.num_runs == 1 { " (1 run)" } else { "" };
            Text::mean(&cell.mean, after).marked(Mark::of(false, is_below(cell)))
        };
        let rows = crossed(&self.methods, &self.references, &self.cells);
        let grid = Grid::of(&rows)
            .data("family", |_| &self.family)
            .key("method", |row| row.0)
            .across(self.references.len(), "reference", |row| row.1)
            .figure(|row| row.2.as_ref().map(text))
            .data("runs", |row| Some(row.2.as_ref()?.num_runs))
            .mean("score", |row| Some(row.2.as_ref()?.mean))
            .data_if(|row| row.2.is_some());
        let runs = span(cells().map(|cell| cell.num_runs as u64)).unwrap_or_default();
        let how = how_scored(cells().map(|cell| (&cell.mean, cell.num_runs)));
        let loses = cells().any(is_below);
        let named = rows.iter().filter_map(|(method, reference, cell)| {
            let cell = cell.as_ref()?;
            Some((format!("{method} against {reference}"), &cell.mean, &cell.runs[..]))
        });
        let title = format!("{}: champions against reference strategies", self.family);
        Table {
            family: Some(self.family.clone()),
            caption: format!(
                "Score of the champions of the method of the row against the reference strategy of the column: the mean over \
                 {runs} runs per cell, each scored {how}, {intervals}."
            ),
            short: format!(
                "{}: champions of methods against reference strategies, 95% intervals{}.",
                self.family,
                if loses { "; ~: below .5" } else { "" },
            ),
            legend: [None, loses.then(|| "the whole interval is below .5".into())],
            notes: note_on_withheld(named),
            ..Table::new("references", title, grid)
        }
    }
}

#[cfg(test)]
mod tests {
    use ruse_lab::fixtures::reference;

    use super::*;
    use crate::tests::records_of;

    #[test]
    fn champions_meet_references_by_method_and_seed() {
        let mut records = records_of(&["pig", "war"], &["naive", "seeds"]);
        records.measurements.extend([
            reference("war", "naive", 2, "random", 0.7),
            reference("war", "naive", 1, "random", 0.6),
            reference("war", "naive", 1, "descending", 0.5),
        ]);
        let tables = ReferenceTable::all(&records);
        let [table] = &tables[..] else { panic!("one family") };
        assert_eq!(
            (table.family.as_str(), &table.references[..]),
            ("war", &["random".to_string(), "descending".into()][..])
        );
        let cell = table.cells[0][0].as_ref().expect("two runs");
        assert_eq!((&cell.runs[..], cell.num_runs), (&[0.6, 0.7][..], 2));
        assert!((cell.mean.score - 0.65).abs() < 1e-12);
        assert!(table.cells[1].iter().all(Option::is_none));
    }
}
