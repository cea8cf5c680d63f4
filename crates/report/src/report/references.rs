//! The scores of champions against the reference strategies of their families, by method.

use serde::Serialize;

use super::repeats::MeanScore;
use crate::lab::{Records, ReferenceRecord};
use crate::score::Estimate;

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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReferenceTable {
    /// The family.
    pub family: String,
    /// The methods, one for each row.
    pub methods: Vec<String>,
    /// The reference strategies, one for each column.
    pub references: Vec<String>,
    /// The cells, by method and reference strategy.
    pub cells: Vec<Vec<Option<ReferenceCell>>>,
}

impl ReferenceTable {
    /// Builds the tables of the families with known scores, from records that were checked.
    pub(super) fn all(records: &Records) -> Vec<ReferenceTable> {
        records.families.iter().filter_map(|family| ReferenceTable::new(records, family)).collect()
    }

    fn new(records: &Records, family: &str) -> Option<ReferenceTable> {
        let of_family: Vec<&ReferenceRecord> =
            records.references.iter().filter(|record| record.family == family).collect();
        let mut references: Vec<String> = Vec::new();
        for record in &of_family {
            if !references.contains(&record.reference) {
                references.push(record.reference.clone());
            }
        }
        if references.is_empty() {
            return None;
        }
        let cell = |method: &String, reference: &String| {
            let is_of_cell = |record: &&&ReferenceRecord| {
                (&record.method, &record.reference) == (method, reference)
            };
            let mut known: Vec<&ReferenceRecord> =
                of_family.iter().filter(is_of_cell).copied().collect();
            // Makes sums independent of the order of records.
            known.sort_unstable_by_key(|record| record.seed);
            let scores: Vec<Estimate> = known.iter().map(|record| record.score).collect();
            let runs = scores.iter().map(|estimate| estimate.score).collect();
            let mean = MeanScore::over_runs(&scores)?;
            Some(ReferenceCell { mean, runs, num_runs: scores.len() })
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::samples::estimate;

    #[test]
    fn champions_meet_references_by_method_and_seed() {
        let record = |method: &str, seed, reference: &str, score| ReferenceRecord {
            family: "war".into(),
            method: method.into(),
            seed,
            reference: reference.into(),
            score: estimate(score),
        };
        let records = Records {
            families: vec!["pig".into(), "war".into()],
            methods: vec!["naive".into(), "seeds".into()],
            references: vec![
                record("naive", 2, "random", 0.7),
                record("naive", 1, "random", 0.6),
                record("naive", 1, "descending", 0.5),
            ],
            ..Records::default()
        };
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
