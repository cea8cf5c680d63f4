//! The result of a comparison of methods on one screen: the scores, the best method, and how certain it is.

use comfy_table::{ContentArrangement, Table};

use crate::format::{counted, digits, score};
use crate::leader::{Leader, MIN_FAMILIES};
use crate::repeats::{MIN_RUNS, Noise};
use crate::terminal::Terminal;
use crate::words::{ENOUGH_RUNS, listed};
use crate::{Report, ScoreCell};

/// The maximum number of lines for the scores.
const MAX_LINES: usize = 14;

/// Returns the scores of a comparison, as many as fit the screen.
pub(super) fn scores(report: &Report, terminal: Terminal) -> String {
    let scores = &report.scores;
    let cells = || scores.ours();
    let runs = cells().map(|cell| cell.num_runs as u64);
    let (fewest, most) = runs.fold((u64::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
    let over = match fewest < most {
        true => format!("{fewest} to {most} runs"),
        false => counted(most, "run"),
    };
    let table = |by_family: bool| table_of_scores(report, terminal, by_family);
    let by_method = (scores.methods.len() < MAX_LINES - 1).then(|| table(false));
    let by_family = (scores.families.len() < MAX_LINES).then(|| table(true));
    let leaders = |num_families: usize| table_of_leaders(report, terminal, num_families);
    let all = [by_method, by_family].into_iter().flatten().find(|table| terminal.fits(table));
    let shown = match &all {
        Some(table) => terminal.first_rows(MAX_LINES, table.row_iter().count(), |_| table.clone()),
        None => terminal.first_rows(MAX_LINES, scores.families.len(), leaders),
    };
    let has_near = all.is_some() && cells().any(|cell| cell.is_not_clearly_worse);
    let are_few = (MIN_RUNS as u64..ENOUGH_RUNS as u64).contains(&fewest);
    let little = "?: too few runs for an interval, or runs all alike, or in two groups";
    let legend = [
        (all.is_some(), "*: the best mean"),
        (has_near, "~: not clearly worse"),
        (are_few, "fewer than six runs: rough intervals"),
        (cells().any(says_little), little),
    ];
    let legend = legend.into_iter().filter_map(|(is_needed, text)| is_needed.then_some(text));
    let legend: Vec<&str> = legend.collect();
    let about = format!("Scores against the baseline: means over {over}, with 95% intervals.");
    let legend = match legend.is_empty() {
        true => String::new(),
        false => terminal.paragraph(&format!("{}.", legend.join("; "))),
    };
    format!("{}\n{shown}\n{legend}", terminal.paragraph(&about))
}

/// Names the best method, says if it is clearly best, and lists the runs that found nothing. If the champions have met,
/// the best method's head-to-head results come first. `is_finished` is `true` if all runs are finished.
pub(super) fn verdict(report: &Report, is_finished: bool, terminal: Terminal) -> String {
    let families = leaders(report);
    let leader = match families.as_slice() {
        [] => return String::new(),
        [(_, leader)] => leader.clone(),
        _ => report.ranking.leader(),
    };
    let named = match &leader {
        Leader::Proven(best) | Leader::NotSignificant(best, _) => Some(best),
        _ => None,
    };
    let met = report.ranking.standings.iter().find(|standing| {
        named == Some(&standing.method) && standing.num_wins + standing.num_losses > 0
    });
    let met = met.map_or(String::new(), |standing| {
        let all = standing.num_wins + standing.num_draws + standing.num_losses;
        let significance = match standing.num_sure_wins {
            0 => "none of them significantly".to_string(),
            n if n == standing.num_wins => "significantly".to_string(),
            n => format!("{n} of them significantly"),
        };
        let times = if all == 1 { "the other method" } else { "the others" };
        terminal.paragraph(&format!(
            "Head to head, {} beats {times} in {} of {all} cases, {significance}.",
            standing.method, standing.num_wins
        ))
    });
    let runs = report.scores.ours().map(|cell| cell.num_runs);
    let few = match runs.min().unwrap_or(0) < MIN_RUNS {
        true if is_finished => format!(
            "; fewer than {MIN_RUNS} runs do not generalise to others: use --repeats {MIN_RUNS} or more"
        ),
        true => "; some runs are not finished".into(),
        false => String::new(),
    };
    let lead = match families.as_slice() {
        [(_, leader)] => format!("{}{few}.", in_words(leader)),
        families if families.len() < MIN_FAMILIES => {
            let of_family =
                |(family, leader): &(&str, Leader)| format!("{family}: {}", in_words(leader));
            let of_families: Vec<String> = families.iter().map(of_family).collect();
            format!(
                "{}. {} families are too few to name a best method of all{few}.",
                of_families.join("; "),
                families.len()
            )
        }
        _ => {
            let few = few.trim_start_matches("; ");
            let few = if few.is_empty() { String::new() } else { format!(" ({few}.)") };
            report.headline().unwrap_or_default() + &few
        }
    };
    let at_start = report.scores.starts_in_words(3);
    met + &terminal.paragraph(&lead)
        + &at_start.map_or(String::new(), |text| terminal.paragraph(&text))
}

/// Says what is proven about the best method of a family.
fn in_words(leader: &Leader) -> String {
    match leader {
        Leader::TooFew => "too few methods to compare".into(),
        Leader::Tied(best) => format!("{} share the highest score", listed(best, "and")),
        Leader::Proven(best) => format!("{best} is best, clearly"),
        Leader::NotSignificant(best, rivals) => {
            format!("{best} is best, but not clearly: {} may be as good", listed(rivals, "and"))
        }
    }
}

/// Returns what is proven about the best method of each family in which several methods have scores.
fn leaders(report: &Report) -> Vec<(&str, Leader)> {
    let scores = &report.scores;
    let families = scores.families.iter().enumerate().map(|(index, family)| {
        let places = scores.of_family(index).map(|(method, cell)| (method, cell.place()));
        (family.as_str(), Leader::of(places))
    });
    families.filter(|(_, leader)| *leader != Leader::TooFew).collect()
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

const REFERENCE: &str = "best reference";

/// Returns the score and the name of a family's best reference strategy.
fn reference(report: &Report, family: usize) -> String {
    let name = &report.scores.families[family];
    let row = report.yardsticks.rows.iter().find(|row| row.family == *name);
    let best = row.and_then(|row| row.best_reference());
    best.map_or("-".into(), |best| format!("{} {}", score(best.mean.score, 3), best.name))
}

/// Returns the table of the scores, with a row for each family or for each method.
fn table_of_scores(report: &Report, terminal: Terminal, by_family: bool) -> Table {
    let scores = &report.scores;
    let has_references = report.yardsticks.rows.iter().any(|row| row.best_reference().is_some());
    let references = has_references.then(|| REFERENCE.to_string());
    let methods: Vec<String> = scores.methods.iter().cloned().chain(references).collect();
    let text = |family: usize, method: usize| match scores.cells[family].get(method) {
        Some(found) => found.ours.as_ref().map_or("-".into(), cell),
        None => reference(report, family),
    };
    let (corner, rows, columns) = match by_family {
        true => ("family", &scores.families, &methods),
        false => ("method", &methods, &scores.families),
    };
    let labels = |corner: &str, names: &[String]| [&[corner.to_string()], names].concat();
    let numeric: Vec<usize> = (1..=columns.len()).collect();
    let mut table = terminal.table(labels(corner, columns), &numeric);
    // Scores must not wrap. If this table is too wide, another is shown.
    table.set_content_arrangement(ContentArrangement::Disabled);
    for (row, name) in rows.iter().enumerate() {
        let place = |column| if by_family { (row, column) } else { (column, row) };
        let cells = (0..columns.len()).map(place).map(|(family, method)| text(family, method));
        table.add_row(labels(name, &cells.collect::<Vec<_>>()));
    }
    table
}

/// Returns the best and the second best method of each of the first `num_families` families.
fn table_of_leaders(report: &Report, terminal: Terminal, num_families: usize) -> Table {
    let scores = &report.scores;
    let mut rows = terminal.table(["family", "best method", "score", "next", "score"], &[2, 4]);
    for (index, family) in scores.families.iter().enumerate().take(num_families) {
        let mut known: Vec<(&str, &ScoreCell)> = scores.of_family(index).collect();
        known.sort_by(|x, y| y.1.mean.score.total_cmp(&x.1.mean.score));
        let mut row = vec![family.clone()];
        for place in 0..2 {
            let (name, score) = known.get(place).map_or(("-", "-".into()), |(method, cell)| {
                (*method, mean_in_words(cell, cell.mean.score))
            });
            let is_tied = place == 0 && known.iter().filter(|(_, of)| of.is_best).count() > 1;
            let mark = if is_tied { " (tied)" } else { "" };
            row.extend([format!("{name}{mark}"), score]);
        }
        rows.add_row(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use ruse_lab::Records;
    use ruse_lab::fixtures::run;

    use super::*;

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
        let of = |family, of_es: &'static [f64], of_naive: &'static [f64]| {
            vec![(family, "es", of_es), (family, "naive", of_naive)]
        };
        for (runs, expected) in [
            (of("war", &HIGH, &LOW), "es is best, clearly.\n"),
            (of("war", &HIGH, &WIDE), "es is best, but not clearly: naive may be as good.\n"),
            (
                [of("war", &HIGH, &LOW), of("pig", &HIGH, &WIDE)].concat(),
                "war: es is best, clearly; pig: es is best, but not clearly: naive may be as good. 2 families are too few \
                 to name a best method of all.\n",
            ),
            (
                [of("war", &HIGH, &LOW), of("pig", &HIGH, &HIGH)].concat(),
                "war: es is best, clearly; pig: es and naive share the highest score. 2 families are too few to name a best \
                 method of all.\n",
            ),
            (
                [of("war", &HIGH, &LOW), of("pig", &LOW, &HIGH)].concat(),
                "war: es is best, clearly; pig: naive is best, clearly. 2 families are too few to name a best method of \
                 all.\n",
            ),
            (
                of("war", &HIGH[..1], &LOW[..1]),
                "es is best, but not clearly: naive may be as good; fewer than 3 runs do not generalise to others: use \
                 --repeats 3 or more.\n",
            ),
            (vec![("war", "es", &HIGH[..])], ""),
        ] {
            assert_eq!(verdict(&report(&runs), true, Terminal::default()), expected);
        }
        let many =
            [("war", &LOW), ("pig", &WIDE), ("nim", &HIGH), ("morra", &LOW), ("cheat", &LOW)];
        let many = many.map(|(family, of_naive)| of(family, &HIGH, of_naive)).concat();
        assert_eq!(
            verdict(&report(&many), true, Terminal::default()),
            "es has the best mean rank, 1.10 ± 0.10 over 5 families (1 is the best, ± the standard error). Its lead over \
             naive may be chance.\n"
        );
    }

    #[test]
    fn scores_fit_a_screen() {
        let few =
            scores(&report(&[("war", "es", &HIGH), ("war", "naive", &LOW)]), Terminal::default());
        assert!(few.contains("war") && few.contains('*'), "{few}");
        let methods = ["es", "naive", "seeds", "cma-es", "iterative", "hall-of-fame"];
        let families: Vec<String> = (0..40).map(|number| format!("family{number}")).collect();
        let runs = families.iter().flat_map(|family| {
            methods.iter().map(move |method| (family.as_str(), *method, &HIGH[..]))
        });
        let many = scores(&report(&runs.collect::<Vec<_>>()), Terminal::default());
        assert!(many.lines().count() <= 20, "{many}");
        assert!(many.contains("best method") && many.contains("more"), "{many}");
        assert!(many.lines().all(|line| line.chars().count() <= 80), "{many}");
    }
}
