//! The power of a comparison: the differences between methods that its runs show, and the runs that show a given
//! difference.

use ruse_base::names::by_key;
use ruse_lab::{RecordError, Records};
use ruse_play::score::{difference_shown, runs_to_show, sample_variance};
use serde::Serialize;
use serde_json::json;

use super::format::{Grid, Table, Tables, counted, score};
use super::repeats::{MIN_RUNS, playing_variance};
use super::scores::runs_of;
use super::words::ENOUGH_RUNS;

/// The power of the runs of two methods in a family.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairPower {
    /// The family.
    pub family: String,
    /// The two methods.
    pub methods: [String; 2],
    /// The smaller number of runs of the two methods.
    pub runs: u64,
    /// The standard deviations of the scores of the methods' runs; `None` for a single run.
    pub deviations: [Option<f64>; 2],
    /// The share of the sum of the squared deviations that comes from the games by which champions are scored, from 0
    /// to 1. More games for each score remove at most this share.
    pub playing_share: Option<f64>,
    /// The smallest difference between the two methods that these runs show with the wanted power.
    pub shown: Option<f64>,
    /// The number of runs of each method that show the wanted difference with the wanted power.
    pub needed: Option<u64>,
    /// The mean number of games that a run of the two methods played in comparisons.
    pub games_of_run: f64,
}

/// The power of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PowerReport {
    /// The wanted difference between the expected scores of two methods.
    pub difference: f64,
    /// The wanted probability that a difference of this size is shown.
    pub power: f64,
    /// The pairs of methods with finished runs, by family.
    pub pairs: Vec<PairPower>,
}

impl PowerReport {
    /// Computes the power of Welch's test of the scores of each two methods, which have spreads of their own.
    /// `difference` is above 0, and `power` is between 0 and 1.
    ///
    /// # Errors
    ///
    /// Returns an error if the records are invalid: see [`Records::check`].
    pub fn new(records: &Records, difference: f64, power: f64) -> Result<PowerReport, RecordError> {
        records.check()?;
        let mut pairs = Vec::new();
        for family in &records.families {
            let methods = records.methods.iter();
            let known = methods.filter_map(|of| Some((of, Runs::of(records, family, of)?)));
            let known: Vec<(&String, Runs)> = known.collect();
            for (index, (a, of_a)) in known.iter().enumerate() {
                for (b, of_b) in &known[index + 1..] {
                    let methods = [(*a).clone(), (*b).clone()];
                    pairs.push(of_a.with(of_b, family, methods, difference, power));
                }
            }
        }
        Ok(PowerReport { difference, power, pairs })
    }

    /// Returns the table of the pairs of methods.
    pub fn tables(&self) -> Tables {
        let PowerReport { difference, power, .. } = *self;
        let wanted = format!("runs to show {}", score(difference, 3));
        let number = |value: f64| score(value, 3);
        let games = |row: &PairPower| {
            let games = row.needed.map(|runs| runs as f64 * row.games_of_run);
            games.filter(|games| *games > 0.0)
        };
        let deviations = |row: &PairPower| {
            row.deviations.map(|value| value.map_or("-".into(), number)).join(", ")
        };
        let grid = Grid::of(&self.pairs)
            .key("family", |row| row.family.clone())
            .text("methods", |row| row.methods.join(", "))
            .data("method", |row| row.methods[0].clone())
            .data("other", |row| row.methods[1].clone())
            .both("runs", |row| row.runs)
            .text("deviations of a run", deviations)
            .data("deviation", |row| row.deviations[0])
            .data("deviation-of-other", |row| row.deviations[1])
            .text("of it by playing", |row| {
                row.playing_share.map(|share| format!("{:.0}%", 100.0 * share))
            })
            .data("playing-share", |row| row.playing_share)
            .text("shows", |row| row.shown.map(number))
            .data("shown", |row| row.shown)
            .text(&wanted, |row| row.needed)
            .data("needed", |row| row.needed)
            .text("their games", |row| games(row).map(|games| games.round() as u64))
            .data("games-of-run", |row| row.games_of_run);
        let percent = 100.0 * power;
        let absent = "No two methods have finished runs of one family.";
        let table = Table {
            caption: format!(
                "A comparison of two methods shows a difference of their expected scores with probability {percent}% if \
                 the difference is at least the one under `shows`; Welch's test of two samples, at 5%. Each method has its \
                 own standard deviation of a run's score, and `of it by playing` is the share of their squares that more \
                 games for each score would remove. The last columns are for each method."
            ),
            short: format!("What these runs can show with probability {percent}%."),
            notes: self.notes(),
            absent: self.pairs.is_empty().then_some(absent),
            ..Table::new("power", "What these runs can show", grid)
        };
        Tables::new(json!({ "difference": difference, "power": power }), vec![table])
    }

    fn notes(&self) -> Vec<String> {
        let with = |has: fn(&Option<f64>) -> bool| {
            let sides = self.pairs.iter().flat_map(move |row| {
                let sides = row.methods.iter().zip(&row.deviations);
                sides.filter(move |(_, value)| has(value)).map(move |(of, _)| (of, &row.family))
            });
            let names = sides.map(|(method, family)| (format!("{method} on {family}"), ()));
            let names: Vec<String> = by_key(names).into_iter().map(|(name, _)| name).collect();
            names.join(", ")
        };
        let (few, alike) = (with(Option::is_none), with(|value| *value == Some(0.0)));
        let mut notes = Vec::new();
        if !few.is_empty() {
            notes.push(format!("One run does not show how much runs differ: {few}."));
        }
        if !alike.is_empty() {
            notes.push(format!(
                "All runs have the same exact score, which hides how much other runs may differ: {alike}."
            ));
        }
        let known = self.pairs.iter().filter(|row| row.deviations.iter().all(Option::is_some));
        let runs = known.map(|row| row.runs).min().filter(|&runs| runs < ENOUGH_RUNS as u64);
        notes.extend(runs.map(|runs| {
            let runs = counted(runs, "run");
            format!("With {runs} of a method, the deviation itself is uncertain.")
        }));
        notes
    }
}

/// The runs of a method in a family.
struct Runs {
    count: u64,
    games: f64,
    /// The mean variance of a score by playing.
    of_playing: f64,
    /// The variance of the score of a run; `None` for a single run.
    variance: Option<f64>,
}

impl Runs {
    /// Returns `None` if no run is finished.
    fn of(records: &Records, family: &str, method: &str) -> Option<Runs> {
        let runs = runs_of(records, family, method);
        let count = runs.len() as f64;
        let scores: Vec<f64> = runs.iter().map(|run| run.score.score).collect();
        let of_playing = runs.iter().map(|run| playing_variance(&run.score)).sum::<f64>() / count;
        let is_alike = of_playing == 0.0 && scores.windows(2).all(|two| two[0] == two[1]);
        // Runs that agree by luck differ at least as much as their games.
        let variance = || if is_alike { 0.0 } else { sample_variance(&scores).max(of_playing) };
        (!runs.is_empty()).then(|| Runs {
            count: runs.len() as u64,
            games: runs.iter().map(|run| run.games as f64).sum(),
            of_playing,
            variance: (runs.len() > 1).then(variance),
        })
    }

    fn with(
        &self,
        other: &Runs,
        family: &str,
        methods: [String; 2],
        difference: f64,
        power: f64,
    ) -> PairPower {
        let variances = self.variance.zip(other.variance);
        // Tables draw no conclusion from runs without a spread, and from fewer than three.
        let telling = variances.filter(|(a, b)| *a > 0.0 && *b > 0.0);
        let telling = telling.map(|(a, b)| [a, b].map(f64::sqrt));
        let runs = self.count.min(other.count);
        let min_runs = MIN_RUNS as u64;
        PairPower {
            family: family.into(),
            methods,
            runs,
            deviations: [self, other].map(|of| of.variance.map(f64::sqrt)),
            playing_share: variances
                .filter(|(a, b)| a + b > 0.0)
                .map(|(a, b)| (self.of_playing + other.of_playing) / (a + b)),
            shown: telling
                .filter(|_| runs >= min_runs)
                .and_then(|deviations| difference_shown(runs, deviations, power)),
            needed: telling
                .and_then(|deviations| runs_to_show(difference, deviations, power))
                .map(|runs| runs.max(min_runs)),
            games_of_run: (self.games + other.games) / (self.count + other.count) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use ruse_lab::RunRecord;
    use ruse_lab::fixtures::run;

    use super::*;
    use crate::tests::records_of;
    use crate::{Format, Options};

    fn report(scores: &[(&'static str, &[f64])]) -> PowerReport {
        let of = |(method, scores): &(&'static str, &[f64])| {
            let method = *method;
            (1..).zip(scores.to_vec()).map(move |(seed, score)| run("pig", method, seed, score))
        };
        let methods: Vec<&str> = scores.iter().map(|(method, _)| *method).collect();
        let runs = scores.iter().flat_map(of).collect();
        let records = Records { runs, ..records_of(&["pig", "war"], &methods) };
        PowerReport::new(&records, 0.1, 0.8).expect("valid")
    }

    /// Squared deviations: .01 + 0 + .01 around .7, so the variance is .01; and .0004 twice around .52: .0008. The
    /// interval of a run is .01 on either side of 20,000 pairs, so its variance is (.01 / 1.95996)^2 = .000026. The
    /// third method has a run less than the others, and a spread of its own. At equal deviations .1, an effect of 1 and
    /// a power of .8, Cohen's table 2.4.1 has 17 runs; an effect of .1 / sqrt(.0108 / 2) = 1.36 has 10 or 11, and
    /// Welch's test has fewer degrees of freedom.
    #[test]
    fn each_pair_of_methods_has_its_own_spread() {
        let scores: [(&str, &[f64]); 3] =
            [("naive", &[0.6, 0.7, 0.8]), ("seeds", &[0.5, 0.54]), ("es", &[0.6, 0.7, 0.8])];
        let report = report(&scores);
        let [narrow, wide, _] = &report.pairs[..] else { panic!("three pairs") };
        assert_eq!((narrow.runs, &narrow.methods[1][..]), (2, "seeds"));
        assert!(narrow.needed.is_some_and(|runs| (10..=13).contains(&runs)), "{narrow:?}");
        assert_eq!((wide.needed, narrow.shown), (Some(17), None));
        let close = |found: Option<f64>, expected: f64| {
            assert!(found.is_some_and(|found| (found - expected).abs() < 1e-5), "{found:?}");
        };
        close(narrow.deviations[0], 0.1);
        close(narrow.deviations[1], 0.028_284_3);
        close(narrow.playing_share, 2.0 * 0.000_026_03 / 0.010_8);
        let text = report.tables().render(Format::Markdown, &Options::default());
        assert!(text.contains("pig") && text.contains("17"), "{text}");
    }

    /// Exact scores that agree hide how much other runs differ, and prove nothing about the runs that a difference takes.
    #[test]
    fn equal_exact_scores_say_nothing() {
        let exact = |method, seed| {
            let run = run("pig", method, seed, 0.5);
            RunRecord { score: ruse_play::score::Estimate::exact(0.5), ..run }
        };
        let methods = ["naive", "seeds"];
        let runs = (1..=4).flat_map(|seed| methods.map(|of| exact(of, seed))).collect();
        let records = Records { runs, ..records_of(&["pig"], &methods) };
        let report = PowerReport::new(&records, 0.1, 0.8).expect("valid");
        let found = &report.pairs[0];
        assert_eq!((found.deviations, found.shown, found.needed), ([Some(0.0); 2], None, None));
        assert!(report.notes()[0].starts_with("All runs have the same exact score"));
    }

    #[test]
    fn single_runs_say_nothing() {
        let report = report(&[("naive", &[0.6]), ("seeds", &[0.5])]);
        let found = &report.pairs[0];
        assert_eq!((found.runs, found.deviations, found.needed), (1, [None; 2], None));
        let text = report.tables().render(Format::Markdown, &Options::default());
        assert!(
            text.contains("does not show how much runs differ: naive on pig, seeds on pig."),
            "{text}"
        );
    }
}
