//! Yardsticks: the scores of reference players against the baselines of the runs.

use ruse_base::names::by_key;
use ruse_lab::{Measurement, MeasurementKind, Records, YardstickKind};
use ruse_play::score::SampleMean;
use serde::Serialize;
use serde_json::json;

use super::format::{Grid, Table, Text, Visibility, counted, score, span};
use super::repeats::MeanScore;
use super::scores::{ROUNDING, ScoreTable};

/// A yardstick with its score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Yardstick {
    /// The kind of the yardstick.
    pub kind: YardstickKind,
    /// The name of the yardstick.
    pub name: String,
    /// The score of the yardstick against the baseline, or its mean over the seeds if each has its own baseline.
    #[serde(flatten)]
    pub mean: MeanScore,
}

/// The yardsticks of a family.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct YardstickRow {
    /// The family.
    pub family: String,
    /// All yardsticks, in the order of the records.
    pub yardsticks: Vec<Yardstick>,
    /// The scores of the methods, in their order, on a scale from 0 (the score r of the random player) to 1 (the score
    /// o of the best possible strategy). A score s becomes (s - r) / (o - r); an unknown one is `None`. The list is
    /// empty unless r and o are known and clearly apart.
    pub normalised: Vec<Option<NormalisedScore>>,
    /// The scores of the methods, in their order, on a scale from 0 (the score of all parameters 0, where most methods
    /// start) to 1 (the highest score of a method, a reference strategy or the best possible strategy). The list is empty
    /// unless the ends are known and clearly apart.
    pub gains: Vec<Option<NormalisedScore>>,
    /// The number of methods whose mean is above all yardsticks except the optimum by more than the noise.
    pub num_methods_above: usize,
    /// The number of methods with a mean.
    pub num_methods: usize,
}

/// A score on a scale between two players.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NormalisedScore {
    /// The score: 0 for the weaker player, 1 for the stronger one. May be negative.
    pub score: f64,
    /// The interval of the mean over runs, on this scale; `None` for only one run, or if reports do not show the
    /// interval.
    pub interval: Option<[f64; 2]>,
}

/// The yardsticks of all families.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct YardstickTable {
    /// The methods.
    pub methods: Vec<String>,
    /// The families with scores of yardsticks.
    pub rows: Vec<YardstickRow>,
    /// The families without scores of yardsticks.
    pub unknown_families: Vec<String>,
}

/// The minimum difference between the scores at the ends of a scale.
const MIN_SCALE: f64 = 0.01;

impl YardstickTable {
    /// Builds the table from checked records.
    pub(super) fn new(records: &Records, scores: &ScoreTable) -> YardstickTable {
        let mut rows = Vec::new();
        let mut unknown_families = Vec::new();
        for (family, cells) in records.families.iter().zip(&scores.cells) {
            let yardsticks = yardsticks_of(records, family);
            if yardsticks.is_empty() {
                unknown_families.push(family.clone());
                continue;
            }
            let means: Vec<Option<MeanScore>> =
                cells.iter().map(|cell| Some(cell.ours.as_ref()?.mean)).collect();
            let to_pass = yardsticks.iter().filter(|other| other.kind != YardstickKind::Optimum);
            let to_pass: Vec<&MeanScore> = to_pass.map(|yardstick| &yardstick.mean).collect();
            let above = (means.iter().flatten())
                .filter(|_| !to_pass.is_empty())
                .filter(|mean| to_pass.iter().all(|other| is_above(mean, other)));
            let of = |kind: YardstickKind| {
                let found = yardsticks.iter().find(|yardstick| yardstick.kind == kind);
                found.map(|yardstick| yardstick.mean.score)
            };
            // The random player and the start are known, too, but they are not the best.
            let known = yardsticks.iter().map(|yardstick| yardstick.mean.score);
            let known = known.chain(means.iter().flatten().map(|mean| mean.score));
            let best = known.max_by(f64::total_cmp);
            let ends = of(YardstickKind::Random).zip(of(YardstickKind::Optimum));
            rows.push(YardstickRow {
                family: family.clone(),
                normalised: normalised(ends, &means),
                gains: normalised(of(YardstickKind::Zero).zip(best), &means),
                num_methods_above: above.count(),
                num_methods: means.iter().flatten().count(),
                yardsticks,
            });
        }
        YardstickTable { methods: records.methods.clone(), rows, unknown_families }
    }

    /// Returns the tables of yardsticks and of normalised scores for people, if known, and the table of yardsticks for
    /// programs. People see them in the table of scores, and on request.
    pub(super) fn tables(&self) -> Vec<Table> {
        let rows = self.rows.iter();
        let rows = rows.flat_map(|row| row.yardsticks.iter().map(move |one| (&row.family, one)));
        let rows: Vec<(&String, &Yardstick)> = rows.collect();
        let grid = Grid::of(&rows)
            .data("family", |row| row.0)
            .data("kind", |row| row.1.kind.name())
            .data("name", |row| row.1.name.clone())
            .mean("score", |row| Some(row.1.mean));
        let data = Table { results: Some(json!(self)), ..Table::new(ID, "", grid) };
        let shown: Vec<Table> = match self.rows.is_empty() {
            true => Vec::new(),
            false => [self.players()].into_iter().chain(self.normalised()).collect(),
        };
        let below = shown.iter().cloned().map(|table| Table { id: "scores", ..table });
        let missing = Table { id: ID, absent: Some(UNKNOWN), ..Table::default() };
        let missing = shown.is_empty().then_some(missing);
        let on_request = shown.iter().cloned().chain(missing).chain(self.gains());
        let on_request = on_request.map(|table| Table { shown: Visibility::OnRequest, ..table });
        below.chain([data]).chain(on_request).collect()
    }

    fn players(&self) -> Table {
        let only = |row: &YardstickRow, kind| {
            row.only(kind).map(|yardstick| Text::mean(&yardstick.mean, ""))
        };
        let has_optimum = |row: &YardstickRow| row.only(YardstickKind::Optimum).is_some();
        let has_optima = self.rows.iter().any(has_optimum);
        let mut grid = Grid::of(&self.rows)
            .label("family", |row| row.family.clone())
            .text("random player", |row| only(row, YardstickKind::Random))
            .text("all parameters 0", |row| only(row, YardstickKind::Zero))
            .text("best reference", |row| Some(Text::mean(&row.best_reference()?.mean, "")))
            .text("its name", |row| Some(row.best_reference()?.name.clone()));
        // A column of dashes carries no information.
        if has_optima {
            grid = grid.text("exact optimum", |row| only(row, YardstickKind::Optimum));
        }
        let grid = grid.text("methods better", |row| {
            format!("{} of {}", row.num_methods_above, row.num_methods)
        });
        let all = || self.rows.iter().flat_map(|row| &row.yardsticks);
        let sampled = all().filter(|yardstick| yardstick.mean.playing_half_width > 0.0);
        let pairs = span(sampled.map(|yardstick| yardstick.mean.num_pairs));
        let sample = pairs.map_or(String::new(), |pairs| {
            format!(
                " They play {pairs} pairs of games, the deals of the champion of the first seed, with 95% intervals of playing."
            )
        });
        let mut notes = vec![
            "Methods better: the number of methods whose mean exceeds every score of the row except the optimum, by more \
             than the noise of both intervals. The results of the other methods could be had without learning."
                .into(),
        ];
        if !self.rows.iter().all(has_optimum) {
            let what = match has_optima {
                true => "Where the exact optimum is missing,",
                false => "The exact optimum is left out:",
            };
            notes.push(format!(
                "{what} the best strategy against this opponent cannot be computed. A reference strategy that is called \
                 optimal is so against the strongest opponent."
            ));
        }
        if !self.unknown_families.is_empty() {
            notes.push(format!("Not known of {}: {UNKNOWN}", self.unknown_families.join(", ")));
        }
        Table {
            caption: format!(
                "The player that takes any legal action with the same probability, the strategy whose parameters are all 0, \
                 the reference strategy with the highest score, and the best of all strategies that the rules allow, where \
                 that can be computed.{sample}"
            ),
            short: "Scores of reference players against the baseline, 95% intervals.".into(),
            notes,
            ..Table::new(ID, "Reference players, against the same baseline", grid)
        }
    }

    /// Returns the scores on the scale from random to optimal play, for families in which its ends are known.
    fn normalised(&self) -> Option<Table> {
        let (table, missing) =
            self.scaled("Scores between chance and the optimum", |row| &row.normalised)?;
        let families = counted(missing as u64, "family");
        let note = format!("Left out: {families} without an exact optimum.");
        Some(Table {
            caption: "(s - r) / (o - r), where s is the mean score of a method, r is the score of the random player, and o \
                      is the exact optimum: 0 is no better than chance, 1 is optimal. Intervals cover the noise of s, not \
                      of r."
                .into(),
            short: "Scores between the random player (0) and the exact optimum (1), 95% intervals.".into(),
            notes: (missing > 0).then_some(note).into_iter().collect(),
            ..table
        })
    }

    /// Returns the scores on the scale from all parameters 0 to the best known score, and their means over families, if
    /// there are several methods.
    fn gains(&self) -> Option<Table> {
        if self.methods.len() < 2 {
            return None;
        }
        let (table, missing) = self.scaled("Gain over the start", |row| &row.gains)?;
        let mean = |(index, method): (usize, &String)| {
            let gains = self.rows.iter().filter_map(|row| Some((*row.gains.get(index)?)?.score));
            let gains: Vec<f64> = gains.collect();
            let SampleMean { mean, standard_error, .. } = SampleMean::of(&gains)?;
            Some(format!("{method} {} ± {}", signed(mean), signed(standard_error?)))
        };
        let means: Vec<String> = self.methods.iter().enumerate().filter_map(mean).collect();
        let over = format!("Means over families, ± the standard error: {}.", means.join(", "));
        let families = counted(missing as u64, "family");
        let note = format!("Left out: {families} in which nothing is clearly better than 0.");
        Some(Table {
            caption: "(s - z) / (b - z), where s is the mean score of a method, z is the score of all parameters 0, and b is \
                      the highest mean of a method, a reference strategy or the exact optimum: 0 is no better than the \
                      usual start, below 0 is worse. Intervals cover the noise of s, not of z and b."
                .into(),
            short: "Scores between all parameters 0 (0) and the best that is known (1), 95% intervals.".into(),
            notes: (!means.is_empty()).then_some(over).into_iter().chain((missing > 0).then_some(note)).collect(),
            ..table
        })
    }

    /// Returns a table of scores on a scale, without families that have none, and the number of these families; `None` if
    /// no family has them.
    fn scaled(
        &self,
        title: &str,
        of: impl Fn(&YardstickRow) -> &[Option<NormalisedScore>],
    ) -> Option<(Table, usize)> {
        let text = |NormalisedScore { score, interval }: NormalisedScore| match interval {
            None => signed(score),
            Some([low, high]) => {
                format!("{} [{}, {}]", signed(score), signed(low), signed(high))
            }
        };
        let known = self.rows.iter().filter(|row| !of(row).is_empty());
        let missing = self.rows.len() - known.clone().count();
        let rows = known.flat_map(|row| {
            self.methods.iter().zip(of(row)).map(move |(method, score)| (row, method, *score))
        });
        let rows: Vec<_> = rows.collect();
        let grid = Grid::of(&rows)
            .label("family", |row| row.0.family.clone())
            .across(self.methods.len(), None, |row| row.1)
            .figure(|row| row.2.map(text));
        (!rows.is_empty()).then(|| (Table::new(ID, title, grid), missing))
    }
}

/// Returns `true` if a method's mean is above a yardstick by more than the noise of the two. The noise comes from the
/// lower side of the method's interval and the upper side of the yardstick's, as if independent. The real noise is
/// smaller, because they play the same deals.
pub(super) fn is_above(method: &MeanScore, yardstick: &MeanScore) -> bool {
    let [low, _] = method.conclusive_interval();
    let [_, high] = yardstick.interval;
    let noise = libm::hypot(method.score - low, high - yardstick.score);
    method.score - yardstick.score > noise + ROUNDING
}

impl YardstickRow {
    /// Returns the yardstick of this kind, if any. `kind` must occur at most once in a family.
    pub fn only(&self, kind: YardstickKind) -> Option<&Yardstick> {
        self.yardsticks.iter().find(|yardstick| yardstick.kind == kind)
    }

    /// Returns the reference strategy with the highest score.
    pub fn best_reference(&self) -> Option<&Yardstick> {
        let references = self.yardsticks.iter();
        let references = references.filter(|yardstick| yardstick.kind == YardstickKind::Reference);
        // Among equals, the first reference is returned.
        references.rev().max_by(|x, y| x.mean.score.total_cmp(&y.mean.score))
    }
}

fn yardsticks_of(records: &Records, family: &str) -> Vec<Yardstick> {
    let rows = records.of(MeasurementKind::Yardstick, family);
    let known = rows.filter_map(|row| Some(((row.yardstick()?, &row.subject), row)));
    let yardstick = |((kind, name), rows): ((YardstickKind, &String), Vec<&Measurement>)| {
        let (mean, _) = MeanScore::of_rows(rows.into_iter())?;
        Some(Yardstick { kind, name: name.clone(), mean })
    };
    by_key(known).into_iter().filter_map(yardstick).collect()
}

/// Returns the means on the scale between these scores.
fn normalised(
    ends: Option<(f64, f64)>,
    means: &[Option<MeanScore>],
) -> Vec<Option<NormalisedScore>> {
    let Some((weak, strong)) = ends.filter(|(weak, strong)| strong - weak >= MIN_SCALE) else {
        return Vec::new();
    };
    let scaled = |score: f64| (score - weak) / (strong - weak);
    let of_mean = |mean: &Option<MeanScore>| {
        let mean = mean.as_ref()?;
        let is_shown = mean.spread.is_some() && mean.withheld.is_none();
        let interval = is_shown.then(|| mean.interval.map(scaled));
        Some(NormalisedScore { score: scaled(mean.score), interval })
    };
    means.iter().map(of_mean).collect()
}

/// The name of the table.
const ID: &str = "yardsticks";

/// The message if no yardstick is known.
pub(super) const UNKNOWN: &str = "The scores of the reference players (random, all parameters 0, reference strategies) are missing: \
     `ruse table DIR --measure` plays them.";

/// Formats a number, which may be negative, with two digits after the point.
fn signed(value: f64) -> String {
    let text = score(value.abs(), 2);
    if value < 0.0 && text != ".00" { format!("-{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use ruse_lab::fixtures::{self, estimate, exact, run};
    use ruse_play::score::Estimate;

    use super::*;
    use crate::tests::records_of;

    fn yardstick(kind: YardstickKind, name: &str, seed: u64, score: Estimate) -> Measurement {
        fixtures::yardstick("war", kind, name, seed, score)
    }

    #[test]
    fn scores_are_put_between_chance_and_the_best_there_is() {
        let mut records = records_of(&["war", "pig"], &["naive", "seeds", "cma-es"]);
        records.measurements.extend([
            yardstick(YardstickKind::Random, "random", 1, estimate(0.4)),
            yardstick(YardstickKind::Zero, "all parameters 0", 1, estimate(0.5)),
            yardstick(YardstickKind::Reference, "plain", 1, estimate(0.6)),
            yardstick(YardstickKind::Reference, "clever", 1, estimate(0.62)),
            yardstick(YardstickKind::Optimum, "exact optimum", 1, exact(0.8)),
        ]);
        for (method, score) in [("naive", 0.7), ("seeds", 0.3)] {
            // s^2 = 2 (.000036 + .000004) / 3, its root over 2 = .002582, times 3.18245: .008217.
            for (seed, deviation) in (1..).zip([-0.006, -0.002, 0.002, 0.006]) {
                records.runs.push(run("war", method, seed, score + deviation));
            }
        }
        let table =
            |records: &Records| YardstickTable::new(records, &ScoreTable::new(records, None));
        let found = table(&records);
        assert_eq!(found.unknown_families, ["pig"]);
        let [row] = &found.rows[..] else { panic!("one family") };
        assert_eq!(row.best_reference().map(|best| best.name.as_str()), Some("clever"));
        assert_eq!((row.num_methods_above, row.num_methods), (1, 2));
        // .632 ± .0082 is not clearly above .62 ± .01: .012 < .0129. One run is never clearly above a yardstick.
        let above = |scores: &[f64]| {
            let mut records = records.clone();
            records.runs =
                (1..).zip(scores).map(|(s, &score)| run("war", "naive", s, score)).collect();
            table(&records).rows[0].num_methods_above
        };
        assert_eq!(above(&[0.626, 0.630, 0.634, 0.638]), 0);
        assert_eq!(above(&[0.628, 0.632, 0.636, 0.640]), 1);
        assert_eq!(above(&[0.9]), 0);
        // (.7 - .4) / .4 = .75, and (.3 - .4) / .4 = -.25; .008217 / .4 = .020543.
        let [naive, seeds, cma_es] = row.normalised[..] else { panic!("three methods") };
        let naive = naive.expect("it has runs");
        assert!((naive.score - 0.75).abs() < 1e-12);
        let [low, high] = naive.interval.expect("four runs");
        assert!((low - 0.729_457).abs() < 1e-5 && (high - 0.770_543).abs() < 1e-5);
        assert!((seeds.expect("it has runs").score + 0.25).abs() < 1e-12);
        assert_eq!(cma_es, None);
        // The best known is the optimum, .8: (.7 - .5) / .3 and (.3 - .5) / .3. Without it, it is the mean of naive.
        let gains = |row: &YardstickRow| -> Vec<_> {
            row.gains.iter().flatten().map(|gain| (gain.score * 1e3).round()).collect()
        };
        assert_eq!(gains(row), [667.0, -667.0]);
        let text = found.gains().expect("three methods").notes.join("\n");
        assert!(text.is_empty(), "{text}");
        let mut unknown = records.clone();
        unknown.measurements.truncate(4);
        assert_eq!(gains(&table(&unknown).rows[0]), [1000.0, -1000.0]);
        // There is no scale without an optimum, or if it is not above chance.
        records.measurements[4] =
            yardstick(YardstickKind::Optimum, "exact optimum", 1, exact(0.405));
        assert_eq!(table(&records).rows[0].normalised, []);
        records.measurements.pop();
        assert_eq!(table(&records).rows[0].normalised, []);
        // If two seeds have different baselines, their mean score is used.
        records.measurements.push(yardstick(
            YardstickKind::Zero,
            "all parameters 0",
            2,
            estimate(0.7),
        ));
        let zero = table(&records).rows[0].only(YardstickKind::Zero).expect("it is there").mean;
        assert!((zero.score - 0.6).abs() < 1e-12);
    }
}
