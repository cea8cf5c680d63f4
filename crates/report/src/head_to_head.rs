//! The scores of methods against each other in a family: table III of the paper.

use ruse_lab::{Measurement, MeasurementKind, Records};
use ruse_play::score::hypothesis::{SIGNIFICANCE, holm};
use ruse_play::score::{Estimate, Pairings};
use serde::Serialize;

use super::cycles::minimal_cycles;
use super::format::{Grid, Mark, Options, Table, Text, crossed, score, span};
use super::published::{Cell, Published};
use super::repeats::{MeanScore, Noise, runs_of_side};
use super::scores::ROUNDING;
use super::single_runs::chances_unbeaten;
use super::words::{add_published, intervals, note_if, note_on_few, notes_on_published, pairs_of};

/// The score of a method against another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeetingCell {
    /// The mean over the meetings between runs of the two methods.
    #[serde(flatten)]
    pub mean: MeanScore,
    /// The number of meetings.
    pub num_meetings: usize,
    /// The number of runs of this method, and of the opponent, in the meetings.
    pub num_runs: [usize; 2],
    /// The p-value of Student's two-sided test: the probability that a mean is at least this far from one half if the
    /// expected score is one half. `None` if there are too few runs for an interval.
    pub p_value: Option<f64>,
    /// The p-value after Holm's correction for all tested cells of all families. At .05 and below, the method is
    /// significantly better or worse than its opponent: all such statements of an experiment are right with a
    /// probability of at least .95.
    pub adjusted_p_value: Option<f64>,
}

/// A method that is best in a family by the paper's rule: it scores at least one half against all others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Best {
    /// The method.
    pub method: String,
    /// The number of opponents.
    pub num_opponents: usize,
    /// The number of opponents against which the whole interval is at least one half.
    pub num_sure: usize,
}

/// Minimal cycles among the methods of a family, as lists of names. Each method beats the next, and the last beats the
/// first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Cycles {
    /// Cycles with every interval above one half. The confidence level holds for each interval, not for all together.
    pub sure: Vec<Vec<String>>,
    /// Cycles in which every mean is above one half, but at least one interval is not.
    pub apparent: Vec<Vec<String>>,
}

/// The scores of methods against each other in a family.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct HeadToHeadTable {
    /// The family.
    pub family: String,
    /// The methods, one per row and column.
    pub methods: Vec<String>,
    /// The cells, indexed by method and opponent; the diagonal is empty.
    pub cells: Vec<Vec<Cell<MeetingCell>>>,
    /// The methods that score at least one half against all others: the best by the paper's rule. There may be none, or
    /// several, which score one half against each other.
    pub best: Vec<Best>,
    /// The cycles of the family.
    pub cycles: Cycles,
    /// The best of the paper's methods, by our figures and by the published ones. `None` without published figures, or
    /// if some of these methods did not meet in our experiment.
    pub published_best: Option<PublishedBest>,
}

/// The methods of the paper's table III that are best in a family by the paper's rule: they score at least one half
/// against all others in the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedBest {
    /// The methods in table III of the paper.
    pub theirs: Vec<String>,
    /// The best methods by our meetings.
    pub ours: Vec<String>,
    /// For each method, the probability of being best with one random run of every method.
    pub chances: Vec<f64>,
    /// The best methods by the figures of the paper.
    pub by_figures: Vec<String>,
    /// The method that the paper prints in bold.
    pub bold: Option<String>,
}

impl HeadToHeadTable {
    /// Builds the tables of the families with meetings, from checked records.
    pub(super) fn all(records: &Records, published: Option<&Published>) -> Vec<HeadToHeadTable> {
        let families = records.families.iter();
        let tables = families.filter_map(|family| HeadToHeadTable::new(records, family, published));
        let mut tables: Vec<HeadToHeadTable> = tables.collect();
        correct(&mut tables);
        tables
    }

    fn new(records: &Records, family: &str, known: Option<&Published>) -> Option<HeadToHeadTable> {
        let methods = &records.methods;
        let meetings: Vec<&Measurement> = records.of(MeasurementKind::Meeting, family).collect();
        let mut cells = vec![vec![None; methods.len()]; methods.len()];
        for (a, b) in Pairings::of(methods.len()).all() {
            let cell = meeting_cell(&meetings, &methods[a], &methods[b]);
            // The cell is computed once, so that the two halves of the table agree to the last bit.
            cells[b][a] = cell.clone().map(MeetingCell::reversed);
            cells[a][b] = cell;
        }
        if cells.iter().flatten().all(Option::is_none) {
            return None;
        }
        let mean =
            |a: usize, b: usize| cells[a][b].as_ref().map(|cell: &MeetingCell| cell.mean.score);
        let low = |a: usize, b: usize| {
            cells[a][b].as_ref().map(|cell: &MeetingCell| cell.mean.conclusive_interval()[0])
        };
        let best = best_by_the_papers_rule(methods.len(), mean).into_iter().map(|a| {
            let lows = || (0..methods.len()).filter_map(|b| low(a, b));
            let num_sure = lows().filter(|&low| low >= 0.5 - ROUNDING).count();
            Best { method: methods[a].clone(), num_opponents: lows().count(), num_sure }
        });
        let best = best.collect();
        let cycles = Cycles::new(methods, mean, low);
        let published_best =
            known.and_then(|tables| published_best(tables, family, methods, &meetings, mean));
        let cells = cells.into_iter().zip(methods).map(|(row, a)| {
            let with_published = |(cell, b): (_, &String)| {
                let known = known.and_then(|tables| tables.meeting(family, a, b));
                Cell::new(cell, known, |cell: &MeetingCell| &cell.mean)
            };
            row.into_iter().zip(methods).map(with_published).collect()
        });
        let (cells, family, methods) = (cells.collect(), family.into(), methods.clone());
        Some(HeadToHeadTable { family, methods, cells, best, cycles, published_best })
    }

    /// Returns the cells above the diagonal. The other half mirrors this half.
    pub(super) fn half(&self) -> impl Iterator<Item = &Cell<MeetingCell>> {
        self.cells.iter().enumerate().flat_map(|(index, row)| &row[index..])
    }

    /// Returns the mean score of a method over `opponents`, or `None` if the method did not meet all of them.
    pub(super) fn mean_score(&self, method: usize, opponents: &[usize]) -> Option<f64> {
        let others = opponents.iter().filter(|&&opponent| opponent != method);
        let score = |&other: &usize| Some(self.cells[method][other].ours.as_ref()?.mean.score);
        let scores: Vec<f64> = others.map(score).collect::<Option<_>>()?;
        (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
    }

    pub(super) fn tables(all: &[HeadToHeadTable], options: &Options) -> Vec<Table> {
        Table::each(all, "No two methods met.", |one| one.table(options))
    }

    fn table(&self, options: &Options) -> Table {
        let cells = || self.cells.iter().flatten().filter_map(|cell| cell.ours.as_ref());
        let (intervals, is_mixed) = intervals(
            cells().map(|cell| &cell.mean),
            "Student's t over the runs of either side, after Hoeffding 1948",
        );
        let text = |cell: &MeetingCell| {
            let is_one = is_mixed && cell.mean.covers == Noise::Playing;
            Text::mean(&cell.mean, if is_one { " (1 run)" } else { "" })
        };
        let is_best = |method: &String| self.best.iter().any(|best| best.method == *method);
        let rows = crossed(&self.methods, &self.methods, &self.cells);
        let grid = Grid::of(&rows)
            .data("family", |_| &self.family)
            .key("method", |row| Text::plain(row.0).marked(Mark::of(is_best(row.0), false)))
            .across(self.methods.len(), "opponent", |row| row.1)
            .figure(|row| match row.0 == row.1 {
                true => Some(Text::plain("")),
                false => row.2.ours.as_ref().map(text),
            })
            .data("meetings", |row| Some(row.2.ours.as_ref()?.num_meetings))
            .data("runs", |row| Some(row.2.ours.as_ref()?.num_runs[0]))
            .data("opponent-runs", |row| Some(row.2.ours.as_ref()?.num_runs[1]))
            .mean("score", |row| Some(row.2.ours.as_ref()?.mean))
            .data("best", |row| is_best(row.0))
            .data("p", |row| row.2.ours.as_ref()?.p_value)
            .data("p-after-holm", |row| row.2.ours.as_ref()?.adjusted_p_value)
            .published(|row| row.2)
            .data_if(|row| row.2.ours.is_some() || row.2.published.is_some());
        let meetings = span(cells().map(|cell| cell.num_meetings as u64)).unwrap_or_default();
        let pairs = pairs_of(cells().map(|cell| (&cell.mean, cell.num_meetings)));
        let playing = cells().map(|cell| cell.mean.playing_half_width).fold(0.0, f64::max);
        let (each, playing) = match playing > 0.0 {
            true => (
                format!("{} pairs of games each", pairs.unwrap_or_default()),
                format!(" The playing alone: at most ± {}.", score(playing, 4)),
            ),
            false => ("computed exactly".into(), String::new()),
        };
        let bold = if self.best.is_empty() { "" } else { "; bold: at least .5 against all" };
        let mut table = Table {
            family: Some(self.family.clone()),
            caption: format!(
                "Score of the row's method against the column's: the mean over the meetings of their \
                 champions ({meetings} per cell, {each}), {intervals}.{playing}"
            ),
            short: format!("{}: scores of rows against columns, 95% intervals{bold}.", self.family),
            legend: [(!bold.is_empty()).then(|| UNBEATEN.into()), None],
            notes: self.notes(is_mixed, options),
            ..Table::new("head-to-head", format!("{}: head to head", self.family), grid)
        };
        add_published(&mut table, &self.cells, options);
        table
    }

    fn notes(&self, is_mixed: bool, options: &Options) -> Vec<String> {
        let cells = || self.cells.iter().flatten().filter_map(|cell| cell.ours.as_ref());
        let has_one_run = cells().any(|cell| cell.mean.covers == Noise::Playing);
        let mut notes = vec![best_in_words(&self.best, has_one_run)];
        notes.extend(note_if(
            cells().any(|cell| cell.mean.is_all_alike()),
            "(alike): all runs had exactly this score, which says little of other runs.",
        ));
        if cells().any(|cell| cell.mean.withheld.is_some() && !cell.mean.is_all_alike()) {
            notes.push("?: no interval, as a side has fewer than three runs.".into());
        }
        notes.extend(note_on_few(cells().map(|cell| cell.num_runs[0].min(cell.num_runs[1]))));
        notes.extend(self.cycles.in_words());
        if let Some(best) = self.published_best.as_ref().filter(|_| options.side_by_side) {
            let names =
                |of: &[String]| if of.is_empty() { "none".to_string() } else { of.join(", ") };
            notes.push(format!(
                "Best among the methods of the paper alone: {} by our meetings, {} by the figures of the paper, {} in bold there.",
                names(&best.ours),
                names(&best.by_figures),
                names(best.bold.as_slice()),
            ));
        }
        notes.extend(note_if(is_mixed, "(1 run): one run of a side: playing noise only."));
        notes.extend(notes_on_published(self.half(), options));
        notes
    }
}

/// Corrects the p-values of all cells for their number. Only one half of each table counts, because the halves mirror
/// each other.
fn correct(tables: &mut [HeadToHeadTable]) {
    let num_methods = tables.first().map_or(0, |table| table.methods.len());
    let half = || Pairings::of(num_methods).all();
    let places = (0..tables.len()).flat_map(|table| half().map(move |cell| (table, cell)));
    let known = places.filter_map(|(table, (a, b))| {
        Some(((table, a, b), tables[table].cells[a][b].ours.as_ref()?.p_value?))
    });
    let (places, p_values): (Vec<_>, Vec<f64>) = known.unzip();
    for ((table, a, b), adjusted) in places.into_iter().zip(holm(&p_values)) {
        for (a, b) in [(a, b), (b, a)] {
            if let Some(cell) = &mut tables[table].cells[a][b].ours {
                cell.adjusted_p_value = Some(adjusted);
            }
        }
    }
}

impl MeetingCell {
    /// Returns `true` if the method scores more or less than one half, with a familywise error rate of .05 over all
    /// cells of all families.
    pub fn is_sure(&self) -> bool {
        self.adjusted_p_value.is_some_and(|p_value| p_value <= SIGNIFICANCE)
    }

    fn reversed(self) -> MeetingCell {
        let [a, b] = self.num_runs;
        MeetingCell { mean: self.mean.reversed(), num_runs: [b, a], ..self }
    }
}

fn meeting_cell(meetings: &[&Measurement], a: &str, b: &str) -> Option<MeetingCell> {
    let scores = meetings.iter().filter_map(|row| {
        let [first, second] = [row.subject_seed?, row.opponent_seed?];
        match (&*row.subject, &*row.opponent) {
            sides if sides == (a, b) => Some(([first, second], row.estimate())),
            sides if sides == (b, a) => Some(([second, first], row.estimate().reversed())),
            _ => None,
        }
    });
    let mut scores: Vec<([u64; 2], Estimate)> = scores.collect();
    // Sums must not depend on the order of the records.
    scores.sort_unstable_by_key(|&(seeds, _)| seeds);
    let mean = MeanScore::over_meetings(&scores)?;
    let num_runs = [0, 1].map(|side| runs_of_side(&scores, side).len());
    let (num_meetings, p_value) = (scores.len(), mean.p_value());
    Some(MeetingCell { mean, num_meetings, num_runs, p_value, adjusted_p_value: None })
}

/// Returns the best methods by the paper's rule: "the best method (if any) is the one which wins with probability at
/// least 50% against all others" (caption of table III). Methods without meetings do not count as opponents. A method
/// that did not meet all opponents cannot be the best.
fn best_by_the_papers_rule(num: usize, score: impl Fn(usize, usize) -> Option<f64>) -> Vec<usize> {
    let met = |&a: &usize| (0..num).any(|b| a != b && score(a, b).is_some());
    let present: Vec<usize> = (0..num).filter(met).collect();
    let is_best = |&&a: &&usize| {
        let mut opponents = present.iter().filter(|&&b| b != a);
        opponents.all(|&b| score(a, b).is_some_and(|score| score >= 0.5 - ROUNDING))
    };
    present.iter().filter(is_best).copied().collect()
}

/// Finds the best of the methods of table III by the paper's rule. Returns `None` if the table does not have the
/// family, or if some of these methods did not meet. `score` returns our score of one method against another, by their
/// indices in `methods`.
fn published_best(
    published: &Published,
    family: &str,
    methods: &[String],
    meetings: &[&Measurement],
    score: impl Fn(usize, usize) -> Option<f64>,
) -> Option<PublishedBest> {
    let (_, of_family) = published.head_to_head().find(|(name, _)| *name == family)?;
    let place = |name: &String| methods.iter().position(|method| method == name);
    // Sorted, so that our order of the methods is kept.
    let mut theirs: Vec<usize> = of_family.scores.keys().map(place).collect::<Option<_>>()?;
    theirs.sort_unstable();
    let have_met = theirs.iter().all(|&a| theirs.iter().all(|&b| a == b || score(a, b).is_some()));
    if !have_met {
        return None;
    }
    let names = |best: Vec<usize>| best.into_iter().map(|a| methods[theirs[a]].clone()).collect();
    let by_figures = |a: usize, b: usize| {
        let figure = published.meeting(family, &methods[theirs[a]], &methods[theirs[b]]);
        figure.map(|figure| figure.score)
    };
    let by_ours = |a: usize, b: usize| score(theirs[a], theirs[b]);
    let their_names: Vec<&str> = theirs.iter().map(|&a| methods[a].as_str()).collect();
    let chances = chances_unbeaten(meetings, &their_names)?;
    Some(PublishedBest {
        theirs: their_names.into_iter().map(String::from).collect(),
        ours: names(best_by_the_papers_rule(theirs.len(), by_ours)),
        chances,
        by_figures: names(best_by_the_papers_rule(theirs.len(), by_figures)),
        bold: of_family.bold.clone(),
    })
}

impl Cycles {
    pub(super) fn new(
        methods: &[String],
        mean: impl Fn(usize, usize) -> Option<f64>,
        low: impl Fn(usize, usize) -> Option<f64>,
    ) -> Cycles {
        let is_above = |bound: Option<f64>| bound.is_some_and(|bound| bound > 0.5 + ROUNDING);
        let sure = minimal_cycles(methods.len(), |a, b| is_above(low(a, b)));
        let mut apparent = minimal_cycles(methods.len(), |a, b| is_above(mean(a, b)));
        apparent.retain(|cycle| !sure.contains(cycle));
        let names = |cycles: Vec<Vec<usize>>| {
            let name = |cycle: Vec<usize>| cycle.into_iter().map(|a| methods[a].clone()).collect();
            cycles.into_iter().map(name).collect()
        };
        Cycles { sure: names(sure), apparent: names(apparent) }
    }

    pub(super) fn in_words(&self) -> Vec<String> {
        let kinds = [
            ("Cycles, each interval above .5", &self.sure),
            ("Apparent cycles, by the means alone", &self.apparent),
        ];
        let kinds = kinds.into_iter().filter(|(_, cycles)| !cycles.is_empty());
        let words = kinds.map(|(kind, cycles)| {
            let shown = cycles.iter().take(MAX_CYCLES_SHOWN);
            let mut shown: Vec<String> =
                shown.map(|cycle| format!("{} > {}", cycle.join(" > "), cycle[0])).collect();
            if cycles.len() > MAX_CYCLES_SHOWN {
                shown.push(format!("and {} more", cycles.len() - MAX_CYCLES_SHOWN));
            }
            format!("{kind}: {}.", shown.join("; "))
        });
        words.collect()
    }
}

/// The meaning of the mark.
const UNBEATEN: &str = "unbeaten: scores at least .5 against all others";

/// Names the best methods by the paper's rule (a score of at least one half against all others), and counts the
/// intervals that support it. With one run of each method, no interval does.
fn best_in_words(best: &[Best], has_one_run: bool) -> String {
    if best.is_empty() {
        return "No method is unbeaten head to head.".into();
    }
    let words = best.iter().map(|Best { method, num_opponents, num_sure }| {
        let support = match (num_sure, num_opponents) {
            (0, _) if has_one_run => {
                "one run: a statement about these champions, not about methods".into()
            }
            (sure, all) if sure == all => "all intervals support it".into(),
            (0, _) => "no interval supports it".into(),
            (sure, all) => format!("{sure} of {all} intervals support it"),
        };
        format!("{method} ({support})")
    });
    format!("Unbeaten head to head: {}.", words.collect::<Vec<_>>().join(", "))
}

/// The maximum number of cycles in a list. Longer lists are not readable.
const MAX_CYCLES_SHOWN: usize = 5;

#[cfg(test)]
mod tests {
    use ruse_lab::fixtures::meeting;

    use super::*;
    use crate::tests::records_of;

    fn table(measurements: Vec<Measurement>) -> HeadToHeadTable {
        let records = Records { measurements, ..records_of(&["pig", "war"], &["a", "b", "c"]) };
        let mut tables = HeadToHeadTable::all(&records, None);
        assert_eq!(tables.len(), 1, "no methods met in pig");
        tables.remove(0)
    }

    #[test]
    fn both_halves_are_of_the_same_meetings() {
        let table = table(vec![
            meeting("war", ("a", 1), ("b", 1), 0.6),
            meeting("war", ("b", 2), ("a", 1), 0.3),
            meeting("war", ("a", 2), ("b", 1), 0.8),
            meeting("war", ("a", 2), ("a", 1), 0.9),
        ]);
        // The scores are .6, 1 - .3 and .8.
        let cell = table.cells[0][1].ours.as_ref().expect("they met");
        assert!((cell.mean.score - 0.7).abs() < 1e-12);
        assert_eq!((cell.num_meetings, cell.num_runs), (3, [2, 2]));
        let other = table.cells[1][0].ours.as_ref().expect("they met");
        assert_eq!(other.mean.score, 1.0 - cell.mean.score);
        assert_eq!(other.mean.interval, [1.0 - cell.mean.interval[1], 1.0 - cell.mean.interval[0]]);
        assert!(table.cells[0][0].ours.is_none() && table.cells[0][2].ours.is_none());
        // No method met c, so it does not count as an opponent.
        let best = Best { method: "a".into(), num_opponents: 1, num_sure: 0 };
        assert_eq!(table.best, [best]);
    }

    #[test]
    fn the_best_scores_at_least_one_half_against_all() {
        // Each method has `num_runs` runs, all with the same score.
        let repeated = |num_runs: u64, scores: [f64; 3]| {
            let [ab, ac, bc] = scores;
            let of_seed = |seed| {
                [
                    meeting("war", ("a", seed), ("b", seed), ab),
                    meeting("war", ("a", seed), ("c", seed), ac),
                    meeting("war", ("b", seed), ("c", seed), bc),
                ]
            };
            table((1..=num_runs).flat_map(of_seed).collect())
        };
        let meetings = |scores| repeated(8, scores);
        let best = |scores| -> Vec<(String, usize)> {
            meetings(scores).best.into_iter().map(|best| (best.method, best.num_sure)).collect()
        };
        // The interval is ± .01 for one meeting, and ± .01 / sqrt(8) * 2.36 / 1.96 = .0043 for eight meetings.
        assert_eq!(best([0.502, 0.6, 0.5]), [("a".into(), 1)]);
        assert_eq!(best([0.5, 0.6, 0.7]), [("a".into(), 1), ("b".into(), 1)]);
        assert_eq!(best([0.6, 0.4, 0.6]), []);
        let cycle = ["a", "b", "c"].map(String::from).to_vec();
        let cycles = meetings([0.6, 0.4, 0.6]).cycles;
        assert_eq!(cycles, Cycles { sure: vec![cycle.clone()], apparent: vec![] });
        let cycles = meetings([0.6, 0.498, 0.6]).cycles;
        assert_eq!(cycles, Cycles { sure: vec![], apparent: vec![cycle.clone()] });
        // One run of each method says nothing about the methods, however clear it is.
        let one_run = repeated(1, [0.9, 0.8, 0.5]);
        assert_eq!((one_run.best[0].num_opponents, one_run.best[0].num_sure), (2, 0));
        let cycles = repeated(1, [0.6, 0.4, 0.6]).cycles;
        assert_eq!(cycles, Cycles { sure: vec![], apparent: vec![cycle] });
    }

    #[test]
    fn a_method_with_missing_meetings_is_not_best() {
        let table = table(vec![
            meeting("war", ("a", 1), ("b", 1), 0.6),
            meeting("war", ("b", 1), ("c", 1), 0.6),
        ]);
        assert_eq!(table.best, []);
    }

    /// The methods of table III, in the order of the paper.
    const PAPER: [&str; 4] = ["naive", "iterative", "approximate-coevolution", "real-coevolution"];

    #[test]
    fn the_rule_gives_the_bold_methods_of_the_paper_except_flip_and_ties() {
        let published = Published::cauwet_teytaud_2018();
        let mut different = Vec::new();
        for (family, meetings) in published.head_to_head() {
            let score = |a: usize, b: usize| {
                published.meeting(family, PAPER[a], PAPER[b]).map(|figure| figure.score)
            };
            let best = best_by_the_papers_rule(PAPER.len(), score).into_iter().map(|a| PAPER[a]);
            let best: Vec<&str> = best.collect();
            if best != Vec::from_iter(meetings.bold.as_deref()) {
                different.push((family, meetings.bold.as_deref(), best));
            }
        }
        let (iterative, approximate, real) = (PAPER[1], PAPER[2], PAPER[3]);
        assert_eq!(
            different,
            [
                // Iterative and approximate coevolution score .5 against each other.
                ("cheat", Some(approximate), vec![iterative, approximate]),
                // All methods score .5 against real coevolution.
                ("cheat-special", Some(iterative), vec![iterative, real]),
                // Approximate coevolution scores .437 against real coevolution, so the paper has the wrong row in bold.
                ("flip", Some(approximate), vec![real]),
                // The scores are .5, .75 and 1, but no method is in bold.
                ("phantom-four", None, vec!["naive"]),
                // The caption of the table names these two methods, and prefers naive. No method is in bold.
                ("phantom-tic-tac-toe", None, vec!["naive", real]),
            ]
        );
    }

    #[test]
    fn the_paper_has_cycles_in_batawaf_pig_and_war() {
        let published = Published::cauwet_teytaud_2018();
        let methods = PAPER.map(String::from);
        let mut found = Vec::new();
        for (family, _) in published.head_to_head() {
            let figure = |a: usize, b: usize| published.meeting(family, PAPER[a], PAPER[b]);
            let mean = |a: usize, b: usize| figure(a, b).map(|figure| figure.score);
            let low = |a: usize, b: usize| {
                let figure = figure(a, b)?;
                Some(figure.score - 1.96 * figure.standard_deviation?)
            };
            let cycles = Cycles::new(&methods, mean, low);
            assert_eq!(cycles.sure, Vec::<Vec<String>>::new(), "{family}");
            found.extend(cycles.apparent.into_iter().map(|cycle| (family, cycle.join(" > "))));
        }
        let expected = [
            // .501, .503, .51
            ("batawaf", "naive > approximate-coevolution > iterative"),
            // .505, .502, .504
            ("pig", "naive > real-coevolution > iterative"),
            // .506, .502, .502
            ("pig", "iterative > approximate-coevolution > real-coevolution"),
            // .508, .508, .505
            ("war", "naive > real-coevolution > approximate-coevolution"),
        ];
        assert_eq!(found, expected.map(|(family, cycle)| (family, cycle.to_string())));
    }
}
