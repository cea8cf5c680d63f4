//! Tables and sentences about the worth of champions' parameters: the difference between a champion's scores with and
//! without them.

use ruse_lab::{Finding, Measurement, MeasurementKind, Records};
use ruse_play::score::CONFIDENCE;
use serde::Serialize;

use super::format::{counted, grouped, score, signed};

/// The worth of each group of parameters for one champion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AblationTable {
    /// The family.
    pub family: String,
    /// The method of the champion.
    pub method: String,
    /// The seed of the champion's run.
    pub seed: u64,
    /// The groups, by decreasing worth.
    pub groups: Vec<Measurement>,
}

/// The number of digits of a worth after the point. One win in ten thousand games is .0001.
const DIGITS: usize = 4;

impl AblationTable {
    /// Returns a table for each measured champion, in the order of the records.
    pub fn all(records: &Records) -> Vec<AblationTable> {
        let of_champion = |row: &Measurement| {
            (row.family.clone(), row.subject.clone(), row.subject_seed.unwrap_or_default())
        };
        let rows = records.measurements.iter().filter(|row| row.kind == MeasurementKind::Ablation);
        let rows: Vec<Measurement> = rows.cloned().collect();
        let tables = rows.chunk_by(|a, b| of_champion(a) == of_champion(b)).map(|groups| {
            let mut groups = groups.to_vec();
            // The sort is stable, so equal groups keep the order of the family.
            groups.sort_by(|a, b| b.score.total_cmp(&a.score));
            let (family, method, seed) = of_champion(&groups[0]);
            AblationTable { family, method, seed, groups }
        });
        tables.collect()
    }

    /// The names of the columns of [`rows`](AblationTable::rows).
    pub const COLUMNS: [&str; 6] =
        ["parameters", "number", "score without", "worth", "interval", "finding"];

    /// Returns the cells of the table. `num_parameters` returns the number of parameters of a group.
    pub fn rows(&self, num_parameters: impl Fn(&Measurement) -> u64) -> Vec<[String; 6]> {
        let row = |group: &Measurement| {
            [
                group.condition.clone(),
                grouped(num_parameters(group)),
                group.without.map_or("–".into(), |without| score(without, DIGITS)),
                signed(group.score, DIGITS),
                match group.pairs {
                    0 => "exact".into(),
                    _ => format!("[{}, {}]", signed(group.low, DIGITS), signed(group.high, DIGITS)),
                },
                in_words(group.finding()).into(),
            ]
        };
        self.groups.iter().map(row).collect()
    }

    /// Returns sentences about the measurements and their conclusions.
    pub fn sentences(&self) -> Vec<String> {
        let said = |finding, words: fn(&str, &str) -> String| {
            let of_it = self.groups.iter().filter(|group| group.finding() == finding);
            let names: Vec<&str> = of_it.map(|group| group.condition.as_str()).collect();
            let them = if names.len() == 1 { "it" } else { "any of them" };
            (!names.is_empty()).then(|| words(&names.join(", "), them))
        };
        let pairs = self.groups.iter().map(|group| group.pairs).max().unwrap_or(0);
        let sample = match pairs {
            0 => "the scores are computed".to_string(),
            pairs => format!("{} with the same deals for both", counted(pairs, "pair")),
        };
        let Self { family, method, seed, .. } = self;
        let level = 100.0 * CONFIDENCE;
        let held = match self.groups.len() {
            1 => format!("The interval holds with {level:.0}%."),
            _ => format!("All intervals hold together with {level:.0}%."),
        };
        let mut sentences = vec![format!(
            "{family}, the champion of {method} with seed {seed}: the worth of a group of parameters is the score of the \
             champion less its score with these parameters at 0, against the same opponent ({sample}). {held}"
        )];
        sentences.extend(said(Finding::Helps, |names, them| {
            format!("Worth something: {names}. The champion scores less without {them}.")
        }));
        sentences.extend(said(Finding::Harms, |names, them| {
            format!(
                "Harmful: {names}. The champion scores more without {them}, so what these parameters say was not learned."
            )
        }));
        sentences.extend(said(Finding::Unclear, |names, _| {
            format!(
                "No effect seen: {names}. That does not show that there is none; the intervals say how large it may be."
            )
        }));
        sentences.extend(said(Finding::Nothing, |names, _| {
            format!("Without any effect, exactly: {names}.")
        }));
        if self.groups.len() > 1 {
            sentences.push(
                "Groups can stand in for each other, so their worths need not add up. All of this is of this one champion, \
                 and not of others of its method."
                    .into(),
            );
        }
        sentences
    }
}

/// Describes the finding about a group in one or two words.
fn in_words(finding: Finding) -> &'static str {
    match finding {
        Finding::Helps => "worth something",
        Finding::Harms => "harmful",
        Finding::Nothing => "no effect",
        _ => "no effect seen",
    }
}

#[cfg(test)]
mod tests {
    use ruse_lab::fixtures::worth;

    use super::*;

    fn table(groups: &[(&str, [f64; 2])]) -> AblationTable {
        let measurements =
            groups.iter().map(|(name, interval)| worth("war", "naive", 1, name, *interval));
        let records = Records { measurements: measurements.collect(), ..Records::default() };
        let mut tables = AblationTable::all(&records);
        assert_eq!(tables.len(), 1);
        tables.remove(0)
    }

    /// Only an interval on one side of 0 supports a conclusion.
    #[test]
    fn conclusions_need_an_interval_beside_zero() {
        let table = table(&[
            ("harm", [-0.06, -0.02]),
            ("none", [-0.01, 0.03]),
            ("help", [0.1, 0.2]),
            ("idle", [0.0, 0.0]),
        ]);
        let names: Vec<&str> = table.groups.iter().map(|group| group.condition.as_str()).collect();
        assert_eq!(names, ["help", "none", "idle", "harm"]);
        let cells = table.rows(|_| 2);
        assert_eq!(
            cells[0],
            ["help", "2", ".5500", "+.1500", "[+.1000, +.2000]", "worth something"]
        );
        assert_eq!(cells[2], ["idle", "2", "–", ".0000", "exact", "no effect"]);
        assert_eq!(cells[3][5], "harmful");
        let said = table.sentences().join(" ");
        assert!(said.contains("20,000 pairs with the same deals"), "{said}");
        assert!(said.contains("Worth something: help. The champion scores less without it."));
        assert!(said.contains("Harmful: harm. ") && said.contains("No effect seen: none. "));
        assert!(said.contains("Without any effect, exactly: idle."));
    }

    #[test]
    fn unseen_effects_are_not_mentioned() {
        let said = table(&[("all", [-0.01, 0.01])]).sentences().join(" ");
        assert!(!said.contains("Worth something") && !said.contains("Harmful"), "{said}");
    }

    #[test]
    fn champions_have_separate_tables() {
        let of = |family, seed| worth(family, "naive", seed, "C", [0.1, 0.2]);
        let records = Records {
            measurements: vec![of("war", 1), of("war", 2), of("pig", 2)],
            ..Records::default()
        };
        let tables = AblationTable::all(&records);
        let ids: Vec<(&str, u64)> =
            tables.iter().map(|table| (table.family.as_str(), table.seed)).collect();
        assert_eq!(ids, [("war", 1), ("war", 2), ("pig", 2)]);
    }
}
