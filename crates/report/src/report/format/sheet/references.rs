//! Champions against reference strategies, as text.

use super::{Mark, Row, Sheet, Text, cell_of, intervals, note_on_withheld, pairs_of};
use crate::report::format::numbers::{span, with_interval};
use crate::report::references::{ReferenceCell, ReferenceTable};

pub(in crate::report::format) fn references(table: &ReferenceTable) -> Sheet {
    let cells = || table.cells.iter().flatten().flatten();
    let (intervals, is_mixed) = intervals(cells().map(|cell| &cell.mean), "Student's t over runs");
    let text = |cell: &ReferenceCell| {
        let note = if is_mixed && cell.num_runs == 1 { " (1 run)" } else { "" };
        // Marks a method that loses to a reference strategy with its whole interval.
        let mark = if cell.mean.conclusive_interval()[1] < 0.5 { Mark::Near } else { Mark::Plain };
        Text { mean: Some(cell.mean), ..Text::marked(with_interval(&cell.mean) + note, mark) }
    };
    let rows = table.methods.iter().zip(&table.cells).map(|(method, row)| Row {
        label: method.clone(),
        is_best: false,
        cells: row.iter().map(|cell| cell_of(cell.as_ref(), text)).collect(),
    });
    let runs = span(cells().map(|cell| cell.num_runs as u64)).unwrap_or_default();
    let pairs = pairs_of(cells().map(|cell| (&cell.mean, cell.num_runs))).unwrap_or_default();
    let is_exact = |cell: &ReferenceCell| cell.mean.playing_half_width == 0.0;
    let how = match (cells().all(is_exact), cells().any(is_exact)) {
        (true, _) => "exactly".into(),
        (_, true) => format!("on {pairs} pairs of games, or exactly where it can be computed"),
        _ => format!("on {pairs} pairs of games"),
    };
    let loses = cells().any(|cell| cell.mean.conclusive_interval()[1] < 0.5);
    let named = table.methods.iter().zip(&table.cells).flat_map(|(method, row)| {
        row.iter().zip(&table.references).filter_map(move |(cell, reference)| {
            let cell = cell.as_ref()?;
            Some((format!("{method} against {reference}"), &cell.mean, &cell.runs[..]))
        })
    });
    Sheet {
        title: format!("{}: champions against reference strategies", table.family),
        caption: format!(
            "Score of the champions of the method of the row against the reference strategy of the column: the mean over \
             {runs} runs per cell, each scored {how}, {intervals}."
        ),
        short: format!(
            "{}: champions of methods against reference strategies, 95% intervals{}.",
            table.family,
            if loses { "; ~: below .5" } else { "" },
        ),
        corner: "method".into(),
        columns: table.references.clone(),
        rows: rows.collect(),
        legend: [None, loses.then(|| "the whole interval is below .5".into())],
        notes: note_on_withheld(named).into_iter().collect(),
    }
}
