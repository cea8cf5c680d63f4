//! The effort of runs: their iterations and games.

use super::format::{Grid, Mark, Table, Text, grouped, short};
use super::scores::{ScoreCell, ScoreTable};

pub(super) fn table(scores: &ScoreTable) -> Table {
    let text = |cell: &ScoreCell| {
        let mean = |all: u64| (all as f64 / cell.num_runs as f64).round() as u64;
        let [iterations, games] = [cell.num_iterations, cell.num_games].map(mean);
        let figure = format!("{} in {}", grouped(iterations), short(games));
        Text::plain(figure).marked(Mark::of(false, cell.num_with_games_left > 0))
    };
    let rows = scores.named();
    let grid = Grid::of(&rows)
        .key("family", |row| row.0)
        .across(scores.methods.len(), "method", |row| row.1)
        .figure(|row| row.2.ours.as_ref().map(text))
        .data("runs", |row| Some(row.2.ours.as_ref()?.num_runs))
        .data("games", |row| Some(row.2.ours.as_ref()?.num_games))
        .data("iterations", |row| Some(row.2.ours.as_ref()?.num_iterations))
        .data("runs-with-games-left", |row| Some(row.2.ours.as_ref()?.num_with_games_left))
        .data("share-of-budget", |row| row.2.ours.as_ref()?.share_of_budget)
        .data_if(|row| row.2.ours.is_some());
    let has_games_left = scores.ours().any(|cell| cell.num_with_games_left > 0);
    let left = "some runs ended with games of their budget left, by another limit: budgets in games are not equal";
    Table {
        caption: "The mean over runs of their iterations, in how many games of comparisons; learning curves and final \
                  scores take further ones. An iteration is a candidate, or a generation of the methods that have them."
            .into(),
        short: format!(
            "Iterations and games of a run, means over runs{}.",
            if has_games_left { "; ~: some ended before their budget" } else { "" },
        ),
        legend: [None, has_games_left.then(|| left.into())],
        notes: scores.games_left_in_words().into_iter().collect(),
        absent: scores.ours().next().is_none().then_some("No run was scored."),
        ..Table::new("effort", "Iterations and games of a run", grid)
    }
}
