//! Scores against the baseline, by family and method: table II of the paper.

use ruse_lab::{Opponents, Records, RunRecord};
use ruse_play::score::Estimate;
use serde::Serialize;
use serde_json::json;

use super::format::{Grid, Mark, Options, Table, Text, counted, crossed, score, span};
use super::leader::{Rival, proven_lower};
use super::published::{Cell, Published};
use super::repeats::MeanScore;
use super::words::{
    STUDENT, add_published, how_scored, intervals, not_clearly_worse, note_if, note_on_few,
    note_on_unseen, note_on_withheld, notes_on_published,
};

/// The score of a method in a family.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreCell {
    /// The mean over the runs.
    #[serde(flatten)]
    pub mean: MeanScore,
    /// The scores of the runs, by seed.
    #[serde(skip)]
    pub runs: Vec<f64>,
    /// The number of runs.
    pub num_runs: usize,
    /// The score of the worst run.
    pub lowest: f64,
    /// The score of the best run.
    pub highest: f64,
    /// The number of games in comparisons of all runs together.
    pub num_games: u64,
    /// The number of iterations of all runs together.
    pub num_iterations: u64,
    /// The number of runs that ended before they used their budget of games, because iterations or time were limited.
    pub num_with_games_left: usize,
    /// The games of all runs as a share of the sum of their budgets, in [0, 1]; `None` if games were not limited.
    pub share_of_budget: Option<f64>,
    /// The number of runs that found nothing better than their start.
    pub num_at_start: usize,
    /// The number of runs whose champion is a random start.
    pub num_random_starts: usize,
    /// True if no method has a higher mean in the family.
    pub is_best: bool,
    /// True if another method has the best mean, but none is proven to be better: see [`Leader`](super::Leader). A single
    /// run proves nothing about other runs.
    pub is_not_clearly_worse: bool,
}

/// Scores against the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreTable {
    /// The families, one per row.
    pub families: Vec<String>,
    /// The methods, one per column.
    pub methods: Vec<String>,
    /// The cells, by family and method.
    pub cells: Vec<Vec<Cell<ScoreCell>>>,
    /// The runs that were trained against one opponent and scored against another. All others are scored against the
    /// baseline, their training opponent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<Transfer>,
}

/// The scores of a method's champions in a family against their training opponent and another opponent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Transfer {
    /// The family.
    pub family: String,
    /// The method.
    pub method: String,
    /// The name of the training opponent.
    pub trained_against: String,
    /// The mean score over the runs against the training opponent.
    pub training_score: MeanScore,
    /// The name of the scoring opponent.
    pub scored_against: String,
    /// The mean score over the runs against the scoring opponent.
    pub score: MeanScore,
}

/// Means that differ by less count as equal: they may be sums of the same numbers in different orders.
pub(super) const ROUNDING: f64 = 1e-12;

impl ScoreTable {
    /// Lists up to `max_shown` methods and families with runs that found nothing better than their start. Returns
    /// `None` if every run found something better.
    pub fn starts_in_words(&self, max_shown: usize) -> Option<String> {
        let words = self.named().into_iter().filter_map(|(family, method, cell)| {
            let cell = cell.ours.as_ref().filter(|cell| cell.num_at_start > 0)?;
            Some(format!("{method} on {family} ({} of {})", cell.num_at_start, cell.num_runs))
        });
        let mut words: Vec<String> = words.collect();
        let num_cells = words.len();
        if num_cells == 0 {
            return None;
        }
        if num_cells > max_shown {
            words.truncate(max_shown);
            words.push(format!("and {} more", num_cells - max_shown));
        }
        Some(format!("Runs that found nothing better than their start: {}.", words.join(", ")))
    }

    /// Names the runs that ended before they used their budget of games, if any. Also states the used share of all
    /// budgets.
    pub(super) fn games_left_in_words(&self) -> Option<String> {
        let of_method = |(index, method): (usize, &String)| {
            let cells = self.families.iter().zip(&self.cells).filter_map(|(family, row)| {
                let cell = row[index].ours.as_ref().filter(|cell| cell.num_with_games_left > 0)?;
                let ScoreCell { num_runs, num_with_games_left, share_of_budget, .. } = *cell;
                let percent = 100.0 * share_of_budget.unwrap_or(1.0);
                let digits = usize::from(percent < 9.95);
                let some = match num_with_games_left == num_runs {
                    true => String::new(),
                    false => format!(" in {num_with_games_left} of {num_runs} runs"),
                };
                Some(format!("{family} ({percent:.digits$}%{some})"))
            });
            let cells: Vec<String> = cells.collect();
            (!cells.is_empty()).then(|| format!("{method} on {}", cells.join(", ")))
        };
        let methods: Vec<String> = self.methods.iter().enumerate().filter_map(of_method).collect();
        (!methods.is_empty()).then(|| {
            format!(
                "Runs that ended with games of their budget left, and the share of it that was used: {}.",
                methods.join("; ")
            )
        })
    }

    /// Builds the table from checked records.
    pub(super) fn new(records: &Records, published: Option<&Published>) -> ScoreTable {
        let row = |family: &String| {
            let mut cells: Vec<_> =
                records.methods.iter().map(|method| score_cell(records, family, method)).collect();
            mark_best(&mut cells);
            let with_published = |(cell, method): (_, &String)| {
                let published = published.and_then(|tables| tables.score(family, method));
                Cell::new(cell, published, |cell: &ScoreCell| &cell.mean)
            };
            cells.into_iter().zip(&records.methods).map(with_published).collect()
        };
        ScoreTable {
            families: records.families.clone(),
            methods: records.methods.clone(),
            cells: records.families.iter().map(row).collect(),
            transfers: transfers(records),
        }
    }

    /// Returns our cells, without the missing ones.
    pub(super) fn ours(&self) -> impl Iterator<Item = &ScoreCell> + Clone {
        self.cells.iter().flatten().filter_map(|cell| cell.ours.as_ref())
    }

    /// Returns the methods with a score in the family number `family`, each with its cell.
    pub(super) fn of_family(
        &self,
        family: usize,
    ) -> impl DoubleEndedIterator<Item = (&str, &ScoreCell)> + Clone {
        let cells = self.methods.iter().zip(&self.cells[family]);
        cells.filter_map(|(method, cell)| Some((method.as_str(), cell.ours.as_ref()?)))
    }

    /// Returns the cells, each with its family and its method.
    pub(super) fn named(&self) -> Vec<(&String, &String, &Cell<ScoreCell>)> {
        crossed(&self.families, &self.methods, &self.cells)
    }

    /// Counts the published figures outside all runs of their cell. If the published run is one more run of the same
    /// distribution, it is outside n runs with a probability of 2 / (n + 1), whatever the distribution. Returns `None`
    /// without published figures.
    fn outside_in_words(&self) -> Option<String> {
        let (mut num, mut num_outside, mut expected) = (0_usize, 0_usize, 0.0);
        // The probabilities that 0, 1, 2, ... figures are outside.
        let mut probabilities = vec![1.0];
        for cell in self.cells.iter().flatten() {
            let both = cell.ours.as_ref().zip(cell.published);
            let Some((ours, published)) = both.filter(|(ours, _)| ours.num_runs > 1) else {
                continue;
            };
            num += 1;
            num_outside += usize::from(!(ours.lowest..=ours.highest).contains(&published.score));
            let outside = 2.0 / (ours.num_runs + 1) as f64;
            expected += outside;
            probabilities.push(0.0);
            for count in (0..probabilities.len()).rev() {
                let before = if count > 0 { probabilities[count - 1] } else { 0.0 };
                probabilities[count] = probabilities[count] * (1.0 - outside) + before * outside;
            }
        }
        let p = probabilities[num_outside..].iter().sum::<f64>().min(1.0);
        (num > 0).then(|| {
            format!(
                "{num_outside} of {} lie outside all runs of ours, where {expected:.1} are expected of runs of the same \
                 methods (p = {}, as if figures were independent).",
                counted(num as u64, "published figure"),
                score(p, 4)
            )
        })
    }

    /// Returns the table of scores, and a table of the runs whose scoring opponent is not their training opponent, if
    /// any.
    pub(super) fn tables(&self, options: &Options) -> Vec<Table> {
        [self.scores(options)].into_iter().chain(self.transferred()).collect()
    }

    fn scores(&self, options: &Options) -> Table {
        let cells = || self.ours();
        let (intervals, is_mixed) = intervals(cells().map(|cell| &cell.mean), STUDENT);
        let text = |cell: &ScoreCell| {
            let mut after = String::new();
            if options.ranges && cell.num_runs > 1 {
                after += &format!(" ({}-{})", score(cell.lowest, 3), score(cell.highest, 3));
            }
            if is_mixed && cell.num_runs == 1 {
                after += " (1 run)";
            }
            Text::mean(&cell.mean, &after).marked(Mark::of(cell.is_best, cell.is_not_clearly_worse))
        };
        let rows = self.named();
        let grid = Grid::of(&rows)
            .key("family", |row| row.0)
            .across(self.methods.len(), "method", |row| row.1)
            .figure(|row| row.2.ours.as_ref().map(text))
            .data("runs", |row| Some(row.2.ours.as_ref()?.num_runs))
            .mean("score", |row| Some(row.2.ours.as_ref()?.mean))
            .data("lowest", |row| Some(row.2.ours.as_ref()?.lowest))
            .data("highest", |row| Some(row.2.ours.as_ref()?.highest))
            .data("games", |row| Some(row.2.ours.as_ref()?.num_games))
            .data("iterations", |row| Some(row.2.ours.as_ref()?.num_iterations))
            .data("best", |row| Some(row.2.ours.as_ref()?.is_best))
            .data("not-clearly-worse", |row| Some(row.2.ours.as_ref()?.is_not_clearly_worse))
            .data("runs-with-games-left", |row| Some(row.2.ours.as_ref()?.num_with_games_left))
            .data("share-of-budget", |row| row.2.ours.as_ref()?.share_of_budget)
            .published(|row| row.2)
            .data_if(|row| row.2.ours.is_some() || row.2.published.is_some());
        let runs = span(cells().map(|cell| cell.num_runs as u64));
        let has_best = cells().any(|cell| cell.is_best);
        let has_near = cells().any(|cell| cell.is_not_clearly_worse);
        let (means, of_runs) = match runs.as_deref() {
            None | Some("1") => ("One run".to_string(), "one run".to_string()),
            Some(runs) => (format!("The mean over {runs} runs"), format!("means of {runs} runs")),
        };
        let how = how_scored(cells().map(|cell| (&cell.mean, cell.num_runs)));
        let mut notes = Vec::new();
        let has_ranges = options.ranges && cells().any(|cell| cell.num_runs > 1);
        let ranges = "In brackets: the scores of the worst and of the best run.";
        notes.extend(note_if(has_ranges, ranges));
        notes.extend(note_if(is_mixed, "(1 run): one run: playing noise only."));
        let named = rows.iter().filter_map(|(family, method, cell)| {
            let cell = cell.ours.as_ref()?;
            Some((format!("{method} on {family}"), &cell.mean, &cell.runs[..]))
        });
        notes.extend(note_on_withheld(named));
        notes.extend(note_on_few(cells().map(|cell| cell.num_runs)));
        notes.extend(note_on_unseen(cells().map(|cell| cell.num_runs)));
        notes.extend(self.games_left_in_words());
        // Longer lists are hard to read.
        notes.extend(self.starts_in_words(12));
        notes.extend(notes_on_published(self.cells.iter().flatten(), options));
        notes.extend(self.outside_in_words().filter(|_| options.side_by_side));
        let (title, what) = match self.transfers.is_empty() {
            true => ("Scores against the baseline", "Scores against the baseline"),
            false => ("Scores against the opponents named below", "Scores"),
        };
        let marks = match (has_best, has_near) {
            (true, true) => "; bold: best, ~: not clearly worse",
            (true, false) => "; bold: best",
            _ => "",
        };
        let near = not_clearly_worse(cells().any(|cell| cell.num_runs == 1));
        let mut table = Table {
            caption: match runs {
                None => "No run was scored.".into(),
                Some(_) => format!("{means} per cell, each champion scored {how}, {intervals}."),
            },
            short: format!("{what}: {of_runs}, 95% intervals{marks}."),
            legend: [
                has_best.then(|| "the best mean of the family".into()),
                has_near.then_some(near),
            ],
            notes,
            results: Some(json!(self)),
            ..Table::new("scores", title, grid)
        };
        add_published(&mut table, &self.cells, options);
        table
    }

    fn transferred(&self) -> Option<Table> {
        let grid = Grid::of(&self.transfers)
            .label("family and method", |row| format!("{}, {}", row.family, row.method))
            .text("trained against", |row| row.trained_against.clone())
            .text("score there", |row| Text::mean(&row.training_score, ""))
            .text("scored against", |row| row.scored_against.clone())
            .text("score", |row| Text::mean(&row.score, ""));
        (!self.transfers.is_empty()).then(|| Table {
            caption: "The means over runs of what champions score against the opponent of their training and against the other \
                      one, on the same deals, with 95% intervals as above. Methods saw nothing of the second score."
                .into(),
            short: "Scores against the opponent of training and against another, 95% intervals.".into(),
            notes: vec![
                "The opponents differ in strength, so a lower score alone does not show that a champion has fitted itself to the \
                 opponent of its training: compare methods, or runs that were trained against the other opponent."
                    .into(),
            ],
            ..Table::new("scores", "Trained against one opponent, scored against another", grid)
        })
    }
}

/// Returns the scores of champions whose scoring opponent is not their training opponent.
fn transfers(records: &Records) -> Vec<Transfer> {
    let families = records.families.iter();
    let cells = families.flat_map(|family| records.methods.iter().map(move |of| (family, of)));
    cells.filter_map(|(family, method)| transfer(records, family, method)).collect()
}

fn transfer(records: &Records, family: &str, method: &str) -> Option<Transfer> {
    let runs = runs_of(records, family, method).into_iter();
    let runs = runs.filter_map(|run| Some((run, run.opponents.as_ref()?)));
    let runs: Vec<(&RunRecord, &Opponents)> = runs.collect();
    let mean = |estimate: fn(&(&RunRecord, &Opponents)) -> Estimate| {
        MeanScore::over_runs(&runs.iter().map(estimate).collect::<Vec<_>>())
    };
    let (_, opponents) = runs.first()?;
    Some(Transfer {
        family: family.into(),
        method: method.into(),
        trained_against: opponents.trained_against.clone(),
        training_score: mean(|(_, opponents)| opponents.score_against_baseline)?,
        scored_against: opponents.scored_against.clone(),
        score: mean(|(run, _)| run.score)?,
    })
}

/// Returns the runs of a cell by seed, so that sums do not depend on the order of the records.
pub(super) fn runs_of<'r>(records: &'r Records, family: &str, method: &str) -> Vec<&'r RunRecord> {
    let is_of_cell = |run: &&RunRecord| run.family == family && run.method == method;
    let mut runs: Vec<&RunRecord> = records.runs.iter().filter(is_of_cell).collect();
    runs.sort_unstable_by_key(|run| run.seed);
    runs
}

fn score_cell(records: &Records, family: &str, method: &str) -> Option<ScoreCell> {
    let runs = runs_of(records, family, method);
    let scores: Vec<Estimate> = runs.iter().map(|run| run.score).collect();
    let mean = MeanScore::over_runs(&scores)?;
    let values = || scores.iter().map(|estimate| estimate.score);
    Some(ScoreCell {
        mean,
        runs: values().collect(),
        num_runs: runs.len(),
        lowest: values().fold(f64::INFINITY, f64::min),
        highest: values().fold(f64::NEG_INFINITY, f64::max),
        num_games: runs.iter().map(|run| run.games).sum(),
        num_iterations: runs.iter().map(|run| run.iterations).sum(),
        num_with_games_left: runs.iter().filter(|run| run.has_games_left()).count(),
        share_of_budget: share_of_budget(&runs),
        num_random_starts: runs.iter().filter(|run| run.is_random_start).count(),
        num_at_start: runs.iter().filter(|run| run.is_start || run.is_random_start).count(),
        is_best: false,
        is_not_clearly_worse: true,
    })
}

fn share_of_budget(runs: &[&RunRecord]) -> Option<f64> {
    let budgets: Option<u64> = runs.iter().map(|run| run.budget).sum();
    let games: u64 = runs.iter().map(|run| run.games).sum();
    // The last race may exceed the budget by a few games.
    budgets.filter(|&budget| budget > 0).map(|budget| (games as f64 / budget as f64).min(1.0))
}

fn mark_best(cells: &mut [Option<ScoreCell>]) {
    let means = cells.iter().flatten().map(|cell| cell.mean.score);
    let best = means.fold(f64::NEG_INFINITY, f64::max);
    let mean = |cell: &ScoreCell| Some((cell.mean.score, cell.mean.telling_spread()?));
    let means: Vec<_> = cells.iter().map(|cell| mean(cell.as_ref()?)).collect();
    for (cell, is_worse) in cells.iter_mut().zip(proven_lower(&means)) {
        if let Some(cell) = cell {
            cell.is_best = cell.mean.score >= best - ROUNDING;
            cell.is_not_clearly_worse = !cell.is_best && !is_worse;
        }
    }
}

impl ScoreCell {
    /// Returns the place of the method among the methods of the family.
    pub fn place(&self) -> Rival {
        Rival::new(self.is_best, !self.is_not_clearly_worse)
    }
}

#[cfg(test)]
mod tests {
    use ruse_base::stop::StopReason;
    use ruse_lab::fixtures::{estimate, run};

    use super::*;
    use crate::tests::records_of;

    fn records(runs: Vec<RunRecord>) -> Records {
        Records { runs, ..records_of(&["war", "pig"], &["naive", "seeds", "cma-es"]) }
    }

    #[test]
    fn cells_have_the_mean_and_the_extremes_of_their_runs() {
        let runs = [(3, 0.7), (1, 0.6), (2, 0.62)].map(|(seed, s)| run("war", "seeds", seed, s));
        let table = ScoreTable::new(&records(runs.into()), None);
        let cell = table.cells[0][1].ours.as_ref().expect("there are runs");
        assert_eq!((cell.num_runs, cell.lowest, cell.highest), (3, 0.6, 0.7));
        assert_eq!(cell.runs, [0.6, 0.62, 0.7]);
        assert!((cell.mean.score - 0.64).abs() < 1e-12);
        // There are three runs, each with 1000 games and 10 iterations.
        assert_eq!((cell.num_games, cell.num_iterations, cell.mean.num_pairs), (3000, 30, 60_000));
        assert!(table.cells[0][0].ours.is_none() && table.cells[1][1].ours.is_none());
        assert_eq!(table.cells[0][1].published, None);
    }

    #[test]
    fn published_figures_outside_all_runs_are_counted() {
        // Table II has .632 for both methods. One more run is outside three with a probability of 1/2, outside two of 2/3:
        // 1/2 + 2/3 = 1.17, and 1 - 1/2 x 1/3 = .8333.
        let seeds = [(1, 0.6), (2, 0.62), (3, 0.7)].map(|(seed, s)| run("war", "seeds", seed, s));
        let naive = [(1, 0.5), (2, 0.55)].map(|(seed, s)| run("war", "naive", seed, s));
        let runs = seeds.into_iter().chain(naive).collect();
        let table = ScoreTable::new(&records(runs), Some(&Published::cauwet_teytaud_2018()));
        let words = table.outside_in_words().expect("published figures");
        assert!(words.starts_with("1 of 2 published figures lie outside"), "{words}");
        assert!(words.contains("where 1.2 are expected"), "{words}");
        assert!(words.contains("(p = .8333,"), "{words}");
        assert_eq!(ScoreTable::new(&records(Vec::new()), None).outside_in_words(), None);
    }

    #[test]
    fn unused_budget_is_counted() {
        let mut runs: Vec<RunRecord> = (1..=4).map(|seed| run("war", "seeds", seed, 0.6)).collect();
        // Two of four runs ended at the limit on iterations, after 60 of 1000 games: (2 x 60 + 2 x 1000) / 4000.
        for run in &mut runs[..2] {
            (run.games, run.stop_reason) = (60, Some(StopReason::Iterations));
        }
        let cell = |runs| {
            let table = ScoreTable::new(&records(runs), None);
            table.cells[0][1].ours.clone().expect("there are runs")
        };
        let found = cell(runs.clone());
        assert_eq!((found.num_with_games_left, found.share_of_budget), (2, Some(0.53)));
        // Without a budget of games, no share is computed.
        runs.iter_mut().for_each(|run| run.budget = None);
        let found = cell(runs);
        assert_eq!((found.num_with_games_left, found.share_of_budget), (0, None));
    }

    #[test]
    fn the_best_are_marked_and_those_that_may_be_as_good() {
        // The standard errors are .0058, .0173 and .0029 (the last from the noise of playing). Intervals are 4.30
        // standard errors to each side: .580 + .075 reaches .600, but .550 + .013 does not.
        let mut runs = Vec::new();
        for (seed, scores) in
            (1..).zip([[0.59, 0.55, 0.549], [0.6, 0.58, 0.55], [0.61, 0.61, 0.551]])
        {
            for (method, score) in ["naive", "seeds", "cma-es"].into_iter().zip(scores) {
                runs.push(run("war", method, seed, score));
            }
            runs.push(run("pig", "naive", seed, 0.5));
            runs.push(run("pig", "seeds", seed, 0.5));
        }
        let table = ScoreTable::new(&records(runs), None);
        let marks = |family: usize| -> Vec<(bool, bool)> {
            let cells = table.cells[family].iter().filter_map(|cell| cell.ours.as_ref());
            cells.map(|cell| (cell.is_best, cell.is_not_clearly_worse)).collect()
        };
        assert_eq!(marks(0), [(true, false), (false, true), (false, false)]);
        // One run of each method says nothing about other runs.
        let runs = vec![run("war", "naive", 1, 0.9), run("war", "seeds", 1, 0.1)];
        let table_of_one = ScoreTable::new(&records(runs), None);
        let cell = table_of_one.cells[0][1].ours.as_ref().expect("it was run");
        assert!(cell.is_not_clearly_worse && !cell.is_best);
        // Equal methods are both best.
        assert_eq!(marks(1), [(true, false), (true, false)]);
    }

    #[test]
    fn the_published_figure_stands_beside_ours_and_without_it() {
        let published = Published::cauwet_teytaud_2018();
        let runs = (1..=3).map(|seed| run("war", "naive", seed, 0.7)).collect();
        let table = ScoreTable::new(&records(runs), Some(&published));
        let names = |cell: &Cell<ScoreCell>| {
            (cell.published.map(|figure| figure.score), cell.agreement.map(|how| how.name()))
        };
        // The noise of playing has a standard deviation of .0051 for one run and .0029 for the mean of three; in the
        // paper, it is .018. The difference of .068 is less than 4.303 sqrt(.0051^2 + .0029^2 + .018^2) = .081.
        assert_eq!(names(&table.cells[0][0]), (Some(0.632), Some("agrees")));
        assert_eq!(names(&table.cells[0][1]), (Some(0.632), None));
        assert_eq!(names(&table.cells[0][2]), (None, None));
    }

    /// If the training opponent is not the scoring opponent, the two scores are kept, and the table shows the score
    /// against the scoring opponent.
    #[test]
    fn scores_against_both_opponents_are_kept() {
        let trained = |seed, training, score| {
            let opponents = Opponents {
                trained_against: "random".into(),
                scored_against: "descending".into(),
                score_against_baseline: estimate(training),
            };
            RunRecord { opponents: Some(opponents), ..run("war", "naive", seed, score) }
        };
        let runs = vec![trained(2, 0.8, 0.5), trained(1, 0.6, 0.4), run("war", "seeds", 1, 0.7)];
        let table = ScoreTable::new(&records(runs), None);
        let cell = table.cells[0][0].ours.as_ref().expect("two runs");
        assert!((cell.mean.score - 0.45).abs() < 1e-12);
        assert_eq!(table.transfers.len(), 1);
        let transfer = &table.transfers[0];
        assert_eq!(
            (transfer.method.as_str(), transfer.trained_against.as_str()),
            ("naive", "random")
        );
        assert!((transfer.training_score.score - 0.7).abs() < 1e-12);
        assert!((transfer.score.score - 0.45).abs() < 1e-12);
    }
}
