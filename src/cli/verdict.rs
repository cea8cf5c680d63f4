//! The result of a comparison of methods on one screen: the scores, the best method, and how certain it is.

use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::brief::{first_rows, fits};
use super::format::{counted, paragraph, score, table};
use crate::report::{MIN_RUNS, Noise, Report, ScoreCell, digits};

/// The maximum number of lines for the scores.
const MAX_LINES: usize = 14;

/// Returns the scores of a comparison, as many as fit the screen.
pub(super) fn scores(report: &Report) -> String {
    let scores = &report.scores;
    let cells = || scores.cells.iter().flatten().filter_map(|cell| cell.ours.as_ref());
    let runs = cells().map(|cell| cell.num_runs as u64);
    let (fewest, most) = runs.fold((u64::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
    let over = match fewest < most {
        true => format!("{fewest} to {most} runs"),
        false => counted(most, "run"),
    };
    let is_reference_known =
        report.yardsticks.rows.iter().any(|row| row.best_reference().is_some());
    let grid = Grid { report, with_reference: is_reference_known };
    let (shown, is_grid) = match (grid.by_method(), grid.by_family()) {
        (table, _) if fits(&table) && scores.methods.len() < MAX_LINES - 1 => {
            (first_rows(MAX_LINES, table.row_iter().count(), |_| table.clone()), true)
        }
        (_, table) if fits(&table) && scores.families.len() < MAX_LINES => {
            (first_rows(MAX_LINES, table.row_iter().count(), |_| table.clone()), true)
        }
        _ => (first_rows(MAX_LINES, scores.families.len(), |num| grid.leaders(num)), false),
    };
    let mut legend = Vec::new();
    if is_grid {
        legend.push("*: the best mean");
        if cells().any(|cell| cell.is_not_clearly_worse) {
            legend.push("~: not clearly worse");
        }
    }
    if cells().any(says_little) {
        legend.push("?: too few runs for an interval, or runs all alike, or in two groups");
    }
    let about = format!("Scores against the baseline: means over {over}, with 95% intervals.");
    let legend = match legend.is_empty() {
        true => String::new(),
        false => paragraph(&format!("{}.", legend.join("; "))),
    };
    format!("{}\n{shown}\n{legend}", paragraph(&about))
}

/// Names the best method, says if it is clearly best, and lists the runs that found nothing. If the champions have met,
/// the best method's head-to-head results come first. `is_finished` is `true` if all runs are finished.
pub(super) fn verdict(report: &Report, is_finished: bool) -> String {
    let Some(leaders) = Leaders::of(report) else { return String::new() };
    let met = report.ranking.standings.iter().find(|standing| {
        leaders.methods == [standing.method.as_str()] && standing.num_wins + standing.num_losses > 0
    });
    let met = met.map_or(String::new(), |standing| {
        let all = standing.num_wins + standing.num_draws + standing.num_losses;
        let significance = match standing.num_sure_wins {
            0 => "none of them significantly".to_string(),
            n if n == standing.num_wins => "significantly".to_string(),
            n => format!("{n} of them significantly"),
        };
        let times = if all == 1 { "the other method" } else { "the others" };
        paragraph(&format!(
            "Head to head, {} beats {times} in {} of {all} cases, {significance}.",
            standing.method, standing.num_wins
        ))
    });
    let at_start = report.scores.starts_in_words(3);
    met + &paragraph(&leaders.in_words(is_finished))
        + &at_start.map_or(String::new(), |text| paragraph(&text))
}

/// Returns `true` if a score says little about further runs: its interval covers only the noise of playing, all scores
/// are equal, or reports hide the interval.
fn says_little(cell: &ScoreCell) -> bool {
    let mean = &cell.mean;
    mean.covers == Noise::Playing || mean.is_all_alike() || mean.withheld.is_some()
}

/// Formats a score with the half-width of its interval. `*` marks the best, and `~` a score that is not clearly worse.
fn cell(cell: &ScoreCell) -> String {
    let mean = &cell.mean;
    let mark = match (cell.is_best, cell.is_not_clearly_worse) {
        (true, _) => "*",
        (_, true) => "~",
        _ => "",
    };
    format!("{}{mark}", mean_in_words(cell, mean.score))
}

fn mean_in_words(cell: &ScoreCell, value: f64) -> String {
    let [low, high] = cell.mean.interval;
    if cell.mean.is_all_alike() || cell.mean.withheld.is_some() {
        return format!("{} ?", score(value, 3));
    }
    if low >= high {
        return score(value, 4);
    }
    let digits = digits([low, high]);
    let half_width = (value - low).max(high - value);
    format!("{} ± {}", score(value, digits), score(half_width, digits))
}

struct Grid<'a> {
    report: &'a Report,
    with_reference: bool,
}

const REFERENCE: &str = "best reference";

impl Grid<'_> {
    fn text(&self, family: usize, method: usize) -> String {
        let found = self.report.scores.cells[family][method].ours.as_ref();
        found.map_or("-".into(), cell)
    }

    /// Returns the score and the name of a family's best reference strategy.
    fn reference(&self, family: usize) -> String {
        let name = &self.report.scores.families[family];
        let row = self.report.yardsticks.rows.iter().find(|row| row.family == *name);
        let best = row.and_then(|row| row.best_reference());
        best.map_or("-".into(), |best| format!("{} {}", score(best.mean.score, 3), best.name))
    }

    fn table(header: Vec<String>) -> Table {
        let mut rows = table::<0>([], &[]);
        // Scores must not wrap. If this table is too wide, another is shown.
        rows.set_content_arrangement(ContentArrangement::Disabled);
        let num_columns = header.len();
        rows.set_header(header);
        for index in 1..num_columns {
            if let Some(column) = rows.column_mut(index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        rows
    }

    /// Returns the table with a row for each method.
    fn by_method(&self) -> Table {
        let scores = &self.report.scores;
        let header = std::iter::once("method".into()).chain(scores.families.iter().cloned());
        let mut rows = Grid::table(header.collect());
        let families = 0..scores.families.len();
        for (index, method) in scores.methods.iter().enumerate() {
            let cells = families.clone().map(|family| self.text(family, index));
            rows.add_row(std::iter::once(method.clone()).chain(cells));
        }
        if self.with_reference {
            let cells = families.map(|family| self.reference(family));
            rows.add_row(std::iter::once(REFERENCE.into()).chain(cells));
        }
        rows
    }

    /// Returns the table with a row for each family.
    fn by_family(&self) -> Table {
        let scores = &self.report.scores;
        let reference = self.with_reference.then(|| REFERENCE.to_string());
        let header = std::iter::once("family".into()).chain(scores.methods.iter().cloned());
        let mut rows = Grid::table(header.chain(reference).collect());
        for (index, family) in scores.families.iter().enumerate() {
            let cells = (0..scores.methods.len()).map(|method| self.text(index, method));
            let reference = self.with_reference.then(|| self.reference(index));
            rows.add_row(std::iter::once(family.clone()).chain(cells).chain(reference));
        }
        rows
    }

    /// Returns the best and the second best method of each of the first `num_families` families.
    fn leaders(&self, num_families: usize) -> Table {
        let scores = &self.report.scores;
        let mut rows = table(["family", "best method", "score", "next", "score"], &[2, 4]);
        for (family, cells) in scores.families.iter().zip(&scores.cells).take(num_families) {
            let mut known: Vec<(&String, &ScoreCell)> = scores
                .methods
                .iter()
                .zip(cells)
                .filter_map(|(method, cell)| Some((method, cell.ours.as_ref()?)))
                .collect();
            known.sort_by(|x, y| y.1.mean.score.total_cmp(&x.1.mean.score));
            let mut row = vec![family.clone()];
            for place in 0..2 {
                let (name, score) = known.get(place).map_or(("-", "-".into()), |(method, cell)| {
                    (method.as_str(), mean_in_words(cell, cell.mean.score))
                });
                row.extend([name.into(), score]);
            }
            rows.add_row(row);
        }
        rows
    }
}

/// The methods that are best in the most families.
struct Leaders<'a> {
    methods: Vec<&'a str>,
    num_best: usize,
    num_families: usize,
    /// The families in which one of `methods` is clearly best: its interval is above all others.
    clear: Vec<&'a str>,
    /// The families in which one of `methods` is best, with the same score as another method.
    tied: Vec<&'a str>,
    /// The other methods that may be equally good; empty for several families.
    rivals: Vec<&'a str>,
    /// The minimum number of runs of a method in a family.
    fewest_runs: usize,
}

impl<'a> Leaders<'a> {
    /// Returns the leaders, or `None` if no family has several methods with scores.
    fn of(report: &'a Report) -> Option<Leaders<'a>> {
        let scores = &report.scores;
        // The methods with a score, for each family.
        let families: Vec<(&str, Vec<(&str, &ScoreCell)>)> = scores
            .families
            .iter()
            .zip(&scores.cells)
            .map(|(family, cells)| {
                let of_methods = scores.methods.iter().zip(cells);
                let known = of_methods
                    .filter_map(|(name, cell)| Some((name.as_str(), cell.ours.as_ref()?)));
                (family.as_str(), known.collect::<Vec<_>>())
            })
            .filter(|(_, cells)| cells.len() > 1)
            .collect();
        let best_in = |method: &str| {
            let is_best = |cells: &[(&str, &ScoreCell)]| {
                cells.iter().any(|(name, cell)| *name == method && cell.is_best)
            };
            families.iter().filter(|(_, cells)| is_best(cells)).count()
        };
        let num_best = scores.methods.iter().map(|method| best_in(method)).max()?;
        if num_best == 0 {
            return None;
        }
        let names = scores.methods.iter().map(String::as_str);
        let methods: Vec<&str> = names.filter(|method| best_in(method) == num_best).collect();
        let rivals = |cells: &[(&'a str, &'a ScoreCell)]| -> Vec<&'a str> {
            let best = cells.iter().find(|(name, cell)| cell.is_best && methods.contains(name));
            let Some((name, _)) = best else { return Vec::new() };
            let others = cells.iter().filter(|(other, _)| other != name);
            let rivals = others.filter(|(_, cell)| cell.is_best || cell.is_not_clearly_worse);
            rivals.map(|(other, _)| *other).collect()
        };
        let is_led = |cells: &[(&str, &ScoreCell)]| {
            cells.iter().any(|(name, cell)| cell.is_best && methods.contains(name))
        };
        let clear = families.iter().filter(|(_, cells)| is_led(cells) && rivals(cells).is_empty());
        let tied = families.iter().filter(|(_, cells)| {
            is_led(cells)
                && cells.iter().any(|(name, cell)| cell.is_best && !methods.contains(name))
        });
        let runs = families.iter().flat_map(|(_, cells)| cells).map(|(_, cell)| cell.num_runs);
        Some(Leaders {
            clear: clear.map(|(family, _)| *family).collect(),
            tied: tied.map(|(family, _)| *family).collect(),
            rivals: match families.as_slice() {
                [(_, cells)] => rivals(cells),
                _ => Vec::new(),
            },
            fewest_runs: runs.min().unwrap_or(0),
            num_best,
            num_families: families.len(),
            methods,
        })
    }

    fn in_words(&self, is_finished: bool) -> String {
        let Leaders { methods, num_best, num_families, clear, tied, rivals, fewest_runs } = self;
        let names = listed(methods);
        let few = match *fewest_runs < MIN_RUNS {
            true if is_finished => format!(
                "; fewer than {MIN_RUNS} runs do not generalise to others: use --repeats {MIN_RUNS} or more"
            ),
            true => "; some runs are not finished".into(),
            false => String::new(),
        };
        if *num_families == 1 {
            return match (methods.as_slice(), rivals.is_empty()) {
                ([_], true) => format!("{names} is best, clearly."),
                ([_], false) => {
                    format!(
                        "{names} is best, but not clearly: {} may be as good{few}.",
                        listed(rivals)
                    )
                }
                _ => format!("{names} are equally good{few}."),
            };
        }
        let clearly = match clear.as_slice() {
            [] => "clearly in none".to_string(),
            clear if clear.len() == *num_best && methods.len() == 1 => "clearly in each".into(),
            clear if clear.len() <= 3 => format!("clearly in {}", listed(clear)),
            clear => format!("clearly in {}", clear.len()),
        };
        let verb = if methods.len() == 1 { "is best" } else { "are each best" };
        let ties = match tied.as_slice() {
            [] => String::new(),
            tied if tied.len() <= 3 => format!(" (tied in {})", listed(tied)),
            tied => format!(" (tied in {})", tied.len()),
        };
        format!("{names} {verb} in {num_best} of {num_families} families{ties}, {clearly}{few}.")
    }
}

/// Lists names, separated by commas, with "and" before the last.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).into(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Records;
    use crate::lab::samples::run;

    /// Returns a report on runs, given as family, method and the method's scores.
    fn report(runs: &[(&str, &str, &[f64])]) -> Report {
        let mut families: Vec<String> = Vec::new();
        let mut methods: Vec<String> = Vec::new();
        let mut records = Vec::new();
        for (family, method, scores) in runs {
            if !families.iter().any(|known| known == family) {
                families.push((*family).into());
            }
            if !methods.iter().any(|known| known == method) {
                methods.push((*method).into());
            }
            let seeds = 1..;
            records
                .extend(seeds.zip(*scores).map(|(seed, score)| run(family, method, seed, *score)));
        }
        let records = Records { families, methods, runs: records, ..Records::default() };
        Report::new(&records, None).expect("records that make sense")
    }

    const HIGH: [f64; 4] = [0.80, 0.81, 0.80, 0.81];
    const LOW: [f64; 4] = [0.60, 0.61, 0.60, 0.61];
    const WIDE: [f64; 4] = [0.55, 0.65, 0.75, 0.85];

    #[test]
    fn the_best_method_is_named_with_how_sure_that_is() {
        for (runs, expected) in [
            (vec![("war", "es", &HIGH[..]), ("war", "naive", &LOW)], "es is best, clearly.\n"),
            (
                vec![("war", "es", &HIGH[..]), ("war", "naive", &WIDE)],
                "es is best, but not clearly: naive may be as good.\n",
            ),
            (
                vec![
                    ("war", "es", &HIGH[..]),
                    ("war", "naive", &LOW),
                    ("pig", "es", &HIGH),
                    ("pig", "naive", &WIDE),
                ],
                "es is best in 2 of 2 families, clearly in war.\n",
            ),
            (
                vec![
                    ("war", "es", &HIGH[..]),
                    ("war", "naive", &LOW),
                    ("pig", "es", &HIGH),
                    ("pig", "naive", &HIGH),
                ],
                "es is best in 2 of 2 families (tied in pig), clearly in war.\n",
            ),
            (
                vec![
                    ("war", "es", &HIGH[..]),
                    ("war", "naive", &LOW),
                    ("pig", "es", &LOW),
                    ("pig", "naive", &HIGH),
                ],
                "es and naive are each best in 1 of 2 families, clearly in war and pig.\n",
            ),
            (
                vec![("war", "es", &HIGH[..1]), ("war", "naive", &LOW[..1])],
                "es is best, but not clearly: naive may be as good; fewer than 3 runs do not generalise to others: use \
                 --repeats 3 or more.\n",
            ),
            (vec![("war", "es", &HIGH[..])], ""),
        ] {
            assert_eq!(verdict(&report(&runs), true), expected);
        }
    }

    #[test]
    fn scores_fit_a_screen() {
        let few = scores(&report(&[("war", "es", &HIGH), ("war", "naive", &LOW)]));
        assert!(few.contains("war") && few.contains('*'), "{few}");
        let methods = ["es", "naive", "seeds", "cma-es", "iterative", "hall-of-fame"];
        let families: Vec<String> = (0..40).map(|number| format!("family{number}")).collect();
        let runs = families.iter().flat_map(|family| {
            methods.iter().map(move |method| (family.as_str(), *method, &HIGH[..]))
        });
        let many = scores(&report(&runs.collect::<Vec<_>>()));
        assert!(many.lines().count() <= 20, "{many}");
        assert!(many.contains("best method") && many.contains("more"), "{many}");
        assert!(many.lines().all(|line| line.chars().count() <= 80), "{many}");
    }
}
