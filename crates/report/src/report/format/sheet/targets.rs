//! Targets reached by number of games, as text.

use super::effort::short;
use super::{Mark, Row, Sheet, Text, cell_of};
use crate::report::format::numbers::score;
use crate::report::targets::{TargetCell, TargetTable};

/// Returns the table of the numbers of games that runs need to reach a score; `None` if no target is known.
pub(in crate::report::format) fn targets(table: &TargetTable) -> Option<Sheet> {
    if table.rows.is_empty() {
        return None;
    }
    let rows = table.rows.iter().map(|row| {
        let games =
            |cell: &TargetCell| cell.expected_games.filter(|_| cell.num_reached == cell.num_runs);
        let fastest = row.cells.iter().flatten().filter_map(games).fold(f64::INFINITY, f64::min);
        let text = |cell: &TargetCell| {
            let of = match cell.num_reached == cell.num_runs {
                true => String::new(),
                false => format!(" ({} of {})", cell.num_reached, cell.num_runs),
            };
            let figure = match cell.expected_games {
                None => "not reached".into(),
                Some(games) => format!("{}{of}", short(games.round() as u64)),
            };
            let is_fastest = games(cell).is_some_and(|games| games <= fastest);
            Text::marked(figure, if is_fastest { Mark::Best } else { Mark::Plain })
        };
        let target = Text::plain(format!("{} {}", score(row.target, 3), row.name));
        let cells = row.cells.iter().map(|cell| cell_of(cell.as_ref(), text));
        Row {
            label: row.family.clone(),
            is_best: false,
            cells: std::iter::once(target).chain(cells).collect(),
        }
    });
    let columns = std::iter::once("score to reach".to_string()).chain(table.methods.clone());
    Some(Sheet {
        title: "Games to reach a score".into(),
        caption: "Expected games until a run is first seen to score as much against the baseline as the best \
                  reference player, or the score given: the games of all runs until they reached it or ended, divided by \
                  the number of runs that reached it (in brackets, if not all did)."
            .into(),
        short: "Expected games until a run reaches a score (runs that reach it); bold: fewest.".into(),
        corner: "family".into(),
        columns: columns.collect(),
        rows: rows.collect(),
        legend: [Some("the fewest of the methods all of whose runs reach it".into()), None],
        notes: vec![
            "By the points of learning curves, which are measured on few games, so that a target may seem to be reached too \
             early; a run may also fall below it again. Few runs tell methods apart only if they differ much."
                .into(),
        ],
    })
}
