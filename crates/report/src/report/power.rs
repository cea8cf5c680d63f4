//! The power of a comparison: the differences between methods that its runs show, and the runs that show a given
//! difference.

use serde::Serialize;
use serde_json::json;

use super::format::{Grid, Table, Tables, Text, counted, grouped, score};
use super::repeats::playing_variance;
use crate::lab::{RecordError, Records};
use crate::score::{difference_shown, runs_to_show};

/// The power of the runs of a family.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FamilyPower {
    /// The family.
    pub family: String,
    /// The smallest number of runs of a method.
    pub runs: u64,
    /// The standard deviation of the scores of a method's runs, pooled over the methods; `None` if no method has
    /// several runs.
    pub deviation: Option<f64>,
    /// The share of the squared deviation that comes from the games by which champions are scored, from 0 to 1. More
    /// games for each score remove at most this share.
    pub playing_share: Option<f64>,
    /// The smallest difference between two methods that these runs show with the wanted power.
    pub shown: Option<f64>,
    /// The number of runs of each method that show the wanted difference with the wanted power.
    pub needed: Option<u64>,
    /// The mean number of games that a run played in comparisons.
    pub games_of_run: f64,
}

/// The power of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PowerReport {
    /// The wanted difference between the expected scores of two methods.
    pub difference: f64,
    /// The wanted probability that a difference of this size is shown.
    pub power: f64,
    /// The families that have finished runs.
    pub families: Vec<FamilyPower>,
}

impl PowerReport {
    /// Computes the power of Student's test of the scores of two methods. `difference` is above 0, and `power` is
    /// between 0 and 1.
    ///
    /// # Errors
    ///
    /// Returns an error if the records are invalid: see [`Records::check`].
    pub fn new(records: &Records, difference: f64, power: f64) -> Result<PowerReport, RecordError> {
        records.check()?;
        let of_family = |family: &String| FamilyPower::new(records, family, difference, power);
        let families = records.families.iter().filter_map(of_family).collect();
        Ok(PowerReport { difference, power, families })
    }

    /// Returns the table of the families.
    pub fn tables(&self) -> Tables {
        let PowerReport { difference, power, .. } = *self;
        let wanted = format!("runs to show {}", score(difference, 3));
        let number = |value: Option<f64>| value.map(|value| Text::plain(score(value, 3)));
        let games = |row: &FamilyPower| row.needed.map(|runs| runs as f64 * row.games_of_run);
        let grid = Grid::of(&self.families)
            .key("family", |row| row.family.clone())
            .both("runs", |row| row.runs)
            .text("deviation of a run", |row| number(row.deviation))
            .data("deviation", |row| row.deviation)
            .text("of it by playing", |row| {
                row.playing_share.map(|share| Text::plain(format!("{:.0}%", 100.0 * share)))
            })
            .data("playing-share", |row| row.playing_share)
            .text("shows", |row| number(row.shown))
            .data("shown", |row| row.shown)
            .text(&wanted, |row| row.needed.map(|runs| Text::plain(grouped(runs))))
            .data("needed", |row| row.needed)
            .text("their games", |row| {
                games(row).map(|games| Text::plain(grouped(games.round() as u64)))
            })
            .data("games-of-run", |row| row.games_of_run);
        let percent = 100.0 * power;
        let table = Table {
            id: "power",
            title: "What these runs can show".into(),
            caption: format!(
                "A comparison of two methods shows a difference of their expected scores with probability {percent}% if \
                 the difference is at least the one under `shows`; Student's test of two samples, at 5%. The standard \
                 deviation of a run's score is pooled over methods, and `of it by playing` is the share of its square \
                 that more games for each score would remove. The last columns are for each method."
            ),
            short: format!("What these runs can show with probability {percent}%."),
            notes: self.notes(),
            absent: self.families.is_empty().then_some("No run is finished."),
            ..Table::new(grid)
        };
        Tables::new(json!({ "difference": difference, "power": power }), vec![table])
    }

    fn notes(&self) -> Vec<String> {
        let few: Vec<&str> = self
            .families
            .iter()
            .filter(|row| row.deviation.is_none())
            .map(|row| row.family.as_str())
            .collect();
        let alike = self.families.iter().filter(|row| row.deviation == Some(0.0));
        let alike: Vec<&str> = alike.map(|row| row.family.as_str()).collect();
        let mut notes = Vec::new();
        if !few.is_empty() {
            let families = few.join(", ");
            notes.push(format!(
                "One run of each method does not show how much runs differ: {families}."
            ));
        }
        if !alike.is_empty() {
            let families = alike.join(", ");
            notes.push(format!(
                "All runs of each method have the same exact score, which hides how much other runs may differ: {families}."
            ));
        }
        let fewest = self.families.iter().filter(|row| row.deviation.is_some());
        if let Some(runs) = fewest.map(|row| row.runs).min().filter(|&runs| runs < 5) {
            let runs = counted(runs, "run");
            notes.push(format!("With {runs} of a method, the deviation itself is uncertain."));
        }
        notes
    }
}

impl FamilyPower {
    /// Returns `None` if the family has no finished run.
    fn new(records: &Records, family: &str, difference: f64, power: f64) -> Option<FamilyPower> {
        let mut fewest = u64::MAX;
        let (mut squares, mut degrees) = (0.0, 0);
        let (mut of_playing, mut games, mut num_runs) = (0.0, 0.0, 0u64);
        for method in &records.methods {
            let runs =
                records.runs.iter().filter(|run| run.family == family && run.method == *method);
            let mut runs: Vec<_> = runs.collect();
            if runs.is_empty() {
                continue;
            }
            // Makes sums independent of the order of records.
            runs.sort_unstable_by_key(|run| run.seed);
            let count = runs.len() as f64;
            let mean = runs.iter().map(|run| run.score.score).sum::<f64>() / count;
            let distances = runs.iter().map(|run| run.score.score - mean);
            squares += distances.map(|distance| distance * distance).sum::<f64>();
            degrees += runs.len() - 1;
            of_playing += runs.iter().map(|run| playing_variance(&run.score)).sum::<f64>();
            games += runs.iter().map(|run| run.games as f64).sum::<f64>();
            num_runs += runs.len() as u64;
            fewest = fewest.min(runs.len() as u64);
        }
        if num_runs == 0 {
            return None;
        }
        let of_playing = of_playing / num_runs as f64;
        // Runs that agree by luck differ at least as much as their games.
        let variance = (degrees > 0).then(|| (squares / degrees as f64).max(of_playing));
        let deviation = variance.map(f64::sqrt);
        Some(FamilyPower {
            family: family.into(),
            runs: fewest,
            deviation,
            playing_share: variance.filter(|variance| *variance > 0.0).map(|all| of_playing / all),
            shown: deviation.and_then(|deviation| difference_shown(fewest, deviation, power)),
            needed: deviation.and_then(|deviation| runs_to_show(difference, deviation, power)),
            games_of_run: games / num_runs as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::samples::run;
    use crate::report::{Format, Options};

    fn report(scores: &[(&'static str, &[f64])]) -> PowerReport {
        let of = |(method, scores): &(&'static str, &[f64])| {
            let method = *method;
            (1..).zip(scores.to_vec()).map(move |(seed, score)| run("pig", method, seed, score))
        };
        let records = Records {
            families: vec!["pig".into(), "war".into()],
            methods: scores.iter().map(|(method, _)| (*method).into()).collect(),
            runs: scores.iter().flat_map(of).collect(),
            ..Records::default()
        };
        PowerReport::new(&records, 0.1, 0.8).expect("valid")
    }

    /// Squared deviations: .01 + 0 + .01 around .7, and .0004 twice around .52, with 2 + 1 degrees of freedom: variance
    /// .0208 / 3 = .0069333, deviation .0832666. The interval of a run is .01 on either side of 20,000 pairs, so its
    /// variance is (.01 / 1.95996)^2 = .000026. For an effect of 1.2 deviations and a power of .8, Cohen's table 2.4.1
    /// has 12 runs.
    #[test]
    fn deviations_are_pooled_over_methods() {
        let report = report(&[("naive", &[0.6, 0.7, 0.8]), ("seeds", &[0.5, 0.54])]);
        assert_eq!(report.families.len(), 1);
        let found = &report.families[0];
        assert_eq!((found.runs, found.needed), (2, Some(12)));
        let close = |found: Option<f64>, expected: f64| {
            assert!(found.is_some_and(|found| (found - expected).abs() < 1e-5), "{found:?}");
        };
        close(found.deviation, 0.083_266_6);
        close(found.playing_share, 0.000_026_03 / 0.006_933_3);
        for format in Format::ALL {
            let text = report.tables().render(format, &Options::default());
            assert!(text.contains("pig") && text.contains("12"), "{}: {text}", format.name());
        }
    }

    #[test]
    fn single_runs_say_nothing() {
        let report = report(&[("naive", &[0.6]), ("seeds", &[0.5])]);
        let found = &report.families[0];
        assert_eq!((found.runs, found.deviation, found.needed), (1, None, None));
        let text = report.tables().render(Format::Markdown, &Options::default());
        assert!(text.contains("does not show how much runs differ: pig."), "{text}");
    }
}
