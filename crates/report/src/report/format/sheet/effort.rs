//! The effort of runs, as text.

use super::{Mark, Row, Sheet, Text, cell_text};
use crate::report::format::numbers::grouped;
use crate::report::scores::{ScoreCell, ScoreTable};

/// Returns the table of iterations and games of a run; `None` without runs.
pub(in crate::report::format) fn effort(table: &ScoreTable) -> Option<Sheet> {
    let cells = || table.cells.iter().flatten().filter_map(|cell| cell.ours.as_ref());
    cells().next()?;
    let text = |cell: &ScoreCell| {
        let mean = |all: u64| (all as f64 / cell.num_runs as f64).round() as u64;
        let mark = if cell.num_with_games_left > 0 { Mark::Near } else { Mark::Plain };
        let [iterations, games] = [cell.num_iterations, cell.num_games].map(mean);
        Text::marked(format!("{} in {}", grouped(iterations), short(games)), mark)
    };
    let rows = table.families.iter().zip(&table.cells).map(|(family, row)| Row {
        label: family.clone(),
        is_best: false,
        cells: row.iter().map(|cell| cell_text(cell, text)).collect::<Vec<Text>>(),
    });
    let has_games_left = cells().any(|cell| cell.num_with_games_left > 0);
    Some(Sheet {
        title: "Iterations and games of a run".into(),
        caption: "The mean over runs of their iterations, in how many games of comparisons; learning curves and final \
                  scores take further ones. An iteration is a candidate, or a generation of the methods that have them."
            .into(),
        short: format!(
            "Iterations and games of a run, means over runs{}.",
            if has_games_left { "; ~: some ended before their budget" } else { "" },
        ),
        corner: "family".into(),
        columns: table.methods.clone(),
        rows: rows.collect(),
        legend: [
            None,
            has_games_left.then(|| {
                "some runs ended with games of their budget left, by another limit: budgets in games are not equal".into()
            }),
        ],
        notes: games_left_in_words(table).into_iter().collect(),
    })
}

/// Formats a count in three digits: 60.0k, 2.00M; in full below ten thousand.
pub(super) fn short(count: u64) -> String {
    let (unit, name) = match count {
        0..10_000 => return grouped(count),
        10_000..1_000_000 => (1e3, "k"),
        1_000_000..1_000_000_000 => (1e6, "M"),
        _ => (1e9, "G"),
    };
    let value = count as f64 / unit;
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$}{name}")
}

/// Names the runs that ended before they used all games of their budget, if any, and the share of the budgets that all
/// runs used.
pub(in crate::report::format) fn games_left_in_words(table: &ScoreTable) -> Option<String> {
    let of_method = |(index, method): (usize, &String)| {
        let families = table.families.iter().zip(&table.cells);
        let cells: Vec<String> = families
            .filter_map(|(family, row)| {
                let cell = row[index].ours.as_ref().filter(|cell| cell.num_with_games_left > 0)?;
                let share = cell.share_of_budget.unwrap_or(1.0);
                let percent = 100.0 * share;
                let digits = usize::from(percent < 9.95);
                let some = match cell.num_with_games_left == cell.num_runs {
                    true => String::new(),
                    false => format!(" in {} of {} runs", cell.num_with_games_left, cell.num_runs),
                };
                Some(format!("{family} ({percent:.digits$}%{some})"))
            })
            .collect();
        (!cells.is_empty()).then(|| format!("{method} on {}", cells.join(", ")))
    };
    let methods: Vec<String> = table.methods.iter().enumerate().filter_map(of_method).collect();
    (!methods.is_empty()).then(|| {
        format!(
            "Runs that ended with games of their budget left, and the share of it that was used: {}.",
            methods.join("; ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        let counts = [9_999, 60_000, 274_208, 1_999_990, 2_000_000, 12_345_678, 3_000_000_000];
        let expected = ["9,999", "60.0k", "274k", "2.00M", "2.00M", "12.3M", "3.00G"];
        assert_eq!(counts.map(short), expected);
    }
}
