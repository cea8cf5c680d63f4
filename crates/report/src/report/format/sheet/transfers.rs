//! Champions against the opponent of their training and against another opponent, as text.

use super::{Row, Sheet, Text};
use crate::report::format::numbers::with_interval;
use crate::report::repeats::MeanScore;
use crate::report::scores::{ScoreTable, Transfer};

/// Returns the table of runs that are scored against an opponent other than the opponent of their training; `None`
/// without such runs.
pub(in crate::report::format) fn transfers(table: &ScoreTable) -> Option<Sheet> {
    if table.transfers.is_empty() {
        return None;
    }
    let of_mean = |mean: &MeanScore| Text::plain(with_interval(mean)).of(mean);
    let row = |transfer: &Transfer| Row {
        label: format!("{}, {}", transfer.family, transfer.method),
        is_best: false,
        cells: vec![
            Text::plain(transfer.trained_against.clone()),
            of_mean(&transfer.training_score),
            Text::plain(transfer.scored_against.clone()),
            of_mean(&transfer.score),
        ],
    };
    let columns = ["trained against", "score there", "scored against", "score"];
    Some(Sheet {
        title: "Trained against one opponent, scored against another".into(),
        caption: "The means over runs of what champions score against the opponent of their training and against the other \
                  one, on the same deals, with 95% intervals as above. Methods saw nothing of the second score."
            .into(),
        short: "Scores against the opponent of training and against another, 95% intervals.".into(),
        corner: "family and method".into(),
        columns: columns.map(String::from).into(),
        rows: table.transfers.iter().map(row).collect(),
        legend: [None, None],
        notes: vec![
            "The opponents differ in strength, so a lower score alone does not show that a champion has fitted itself to the \
             opponent of its training: compare methods, or runs that were trained against the other opponent."
                .into(),
        ],
    })
}
