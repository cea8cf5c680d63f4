//! Tables for programs: one row per cell, with all numbers.

use crate::files::guarded;
use crate::report::across::Across;
use crate::report::exploitability::ExploitTable;
use crate::report::head_to_head::HeadToHeadTable;
use crate::report::published::Cell;
use crate::report::ranking::{MeanRank, Ranking};
use crate::report::references::ReferenceTable;
use crate::report::repeats::{MeanScore, Withheld};
use crate::report::scores::ScoreTable;
use crate::report::targets::TargetTable;
use crate::report::yardsticks::YardstickTable;

/// The columns that [`mean_columns`] fills. They come after the columns of the sample, and before the published figure.
const MEAN: [&str; 7] =
    ["score", "low", "high", "covers", "playing-half-width", "pairs", "interval-withheld"];
const PUBLISHED: [&str; 3] = ["published", "published-standard-deviation", "agreement"];

/// Returns a table with this header and these rows. Texts that a spreadsheet would run as formulas are guarded.
pub(super) fn text(header: Vec<&str>, rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let all = std::iter::once(header.into_iter().map(String::from).collect()).chain(rows);
    for row in all {
        writer
            .write_record(row.iter().map(|cell| guarded(cell).into_owned()))
            .expect("rows have as many cells as the header, and memory takes them");
    }
    let bytes = writer.into_inner().expect("memory takes all");
    String::from_utf8(bytes).expect("it was written as text")
}

fn optional<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn mean_columns(mean: Option<&MeanScore>) -> [String; 7] {
    [
        optional(mean.map(|mean| mean.score)),
        optional(mean.map(|mean| mean.interval[0])),
        optional(mean.map(|mean| mean.interval[1])),
        optional(mean.map(|mean| mean.covers.name())),
        optional(mean.map(|mean| mean.playing_half_width)),
        optional(mean.map(|mean| mean.num_pairs)),
        optional(mean.and_then(|mean| mean.withheld).map(Withheld::name)),
    ]
}

fn published_columns<T>(cell: &Cell<T>) -> [String; 3] {
    [
        optional(cell.published.map(|figure| figure.score)),
        optional(cell.published.and_then(|figure| figure.standard_deviation)),
        optional(cell.agreement.map(|agreement| agreement.name())),
    ]
}

pub(super) fn scores(table: &ScoreTable) -> String {
    let header = [
        &["family", "method", "runs"][..],
        &MEAN,
        &["lowest", "highest", "games", "iterations", "best", "not-clearly-worse"],
        &["runs-with-games-left", "share-of-budget"],
        &PUBLISHED,
    ];
    let cells = table.families.iter().zip(&table.cells).flat_map(|(family, row)| {
        table.methods.iter().zip(row).map(move |(method, cell)| (family, method, cell))
    });
    let cells = cells.filter(|(.., cell)| cell.ours.is_some() || cell.published.is_some());
    let rows = cells.map(|(family, method, cell)| {
        let ours = cell.ours.as_ref();
        let mut row =
            vec![family.clone(), method.clone(), optional(ours.map(|cell| cell.num_runs))];
        row.extend(mean_columns(ours.map(|cell| &cell.mean)));
        row.extend([
            optional(ours.map(|cell| cell.lowest)),
            optional(ours.map(|cell| cell.highest)),
            optional(ours.map(|cell| cell.num_games)),
            optional(ours.map(|cell| cell.num_iterations)),
            optional(ours.map(|cell| u8::from(cell.is_best))),
            optional(ours.map(|cell| u8::from(cell.is_not_clearly_worse))),
            optional(ours.map(|cell| cell.num_with_games_left)),
            optional(ours.and_then(|cell| cell.share_of_budget)),
        ]);
        row.extend(published_columns(cell));
        row
    });
    text(header.concat(), rows)
}

pub(super) fn head_to_head(tables: &[HeadToHeadTable]) -> String {
    let header = [
        &["family", "method", "opponent", "meetings", "runs", "opponent-runs"][..],
        &MEAN,
        &["best", "p", "p-after-holm"],
        &PUBLISHED,
    ];
    let cells = tables.iter().flat_map(|table| {
        table.methods.iter().zip(&table.cells).flat_map(move |(method, row)| {
            let cells = table.methods.iter().zip(row);
            cells.map(move |(opponent, cell)| (table, method, opponent, cell))
        })
    });
    let cells = cells.filter(|(.., cell)| cell.ours.is_some() || cell.published.is_some());
    let rows = cells.map(|(table, method, opponent, cell)| {
        let ours = cell.ours.as_ref();
        let mut row = vec![
            table.family.clone(),
            method.clone(),
            opponent.clone(),
            optional(ours.map(|cell| cell.num_meetings)),
            optional(ours.map(|cell| cell.num_runs[0])),
            optional(ours.map(|cell| cell.num_runs[1])),
        ];
        row.extend(mean_columns(ours.map(|cell| &cell.mean)));
        let is_best = table.best.iter().any(|best| best.method == *method);
        row.push(u8::from(is_best).to_string());
        row.push(optional(ours.and_then(|cell| cell.p_value)));
        row.push(optional(ours.and_then(|cell| cell.adjusted_p_value)));
        row.extend(published_columns(cell));
        row
    });
    text(header.concat(), rows)
}

pub(super) fn ranking(ranking: &Ranking) -> String {
    let header = vec![
        "method",
        "rank-by-score",
        "rank-by-score-standard-error",
        "families-by-score",
        "rank-head-to-head",
        "rank-head-to-head-standard-error",
        "families-head-to-head",
        "best-by-score",
        "best-head-to-head",
        "wins",
        "sure-wins",
        "draws",
        "losses",
        "sure-losses",
        "wins-by-interval",
        "losses-by-interval",
    ];
    let rank = |mean: Option<MeanRank>, num_families: usize| {
        [
            optional(mean.map(|mean| mean.rank)),
            optional(mean.and_then(|mean| mean.standard_error)),
            num_families.to_string(),
        ]
    };
    let rows = ranking.standings.iter().map(|standing| {
        let mut row = vec![standing.method.clone()];
        row.extend(rank(standing.rank_by_score, ranking.num_families_by_score));
        row.extend(rank(standing.rank_head_to_head, ranking.num_families_head_to_head));
        let counts = [
            standing.num_best_by_score,
            standing.num_best_head_to_head,
            standing.num_wins,
            standing.num_sure_wins,
            standing.num_draws,
            standing.num_losses,
            standing.num_sure_losses,
            standing.num_wins_by_interval,
            standing.num_losses_by_interval,
        ];
        row.extend(counts.map(|count| count.to_string()));
        row
    });
    text(header, rows)
}

pub(super) fn exploitability(table: &ExploitTable) -> String {
    let header = [
        &["family", "method", "product", "kind", "runs", "runs-finished", "exploitability"][..],
        &MEAN[1..],
        &["lowest", "highest", "best", "not-clearly-worse"],
    ];
    let cells = table.families.iter().zip(&table.cells).flat_map(|(family, row)| {
        table.columns.iter().zip(row).map(move |(column, cell)| (family, column, cell))
    });
    let cells = cells.filter_map(|(family, column, cell)| Some((family, column, cell.as_ref()?)));
    let rows = cells.map(|(family, column, cell)| {
        let mut row = vec![
            family.clone(),
            column.method.clone(),
            column.product.name().into(),
            cell.kind.name().into(),
            cell.num_runs.to_string(),
            cell.num_finished.to_string(),
        ];
        row.extend(mean_columns(Some(&cell.mean)));
        row.extend([
            cell.lowest.to_string(),
            cell.highest.to_string(),
            u8::from(cell.is_best).to_string(),
            u8::from(cell.is_not_clearly_worse).to_string(),
        ]);
        row
    });
    text(header.concat(), rows)
}

pub(super) fn yardsticks(table: &YardstickTable) -> String {
    let header = [&["family", "kind", "name"][..], &MEAN];
    let rows = table.rows.iter().flat_map(|row| {
        row.yardsticks.iter().map(|yardstick| {
            let kind = yardstick.kind.name().to_string();
            let mut cells = vec![row.family.clone(), kind, yardstick.name.clone()];
            cells.extend(mean_columns(Some(&yardstick.mean)));
            cells
        })
    });
    text(header.concat(), rows)
}

pub(super) fn references(tables: &[ReferenceTable]) -> String {
    let header = [&["family", "method", "reference", "runs"][..], &MEAN];
    let rows = tables.iter().flat_map(|table| {
        table.methods.iter().zip(&table.cells).flat_map(move |(method, row)| {
            row.iter().zip(&table.references).filter_map(move |(cell, reference)| {
                let cell = cell.as_ref()?;
                let names = [&table.family, method, reference];
                let mut cells: Vec<String> = names.map(String::clone).into();
                cells.push(cell.num_runs.to_string());
                cells.extend(mean_columns(Some(&cell.mean)));
                Some(cells)
            })
        })
    });
    text(header.concat(), rows)
}

pub(super) fn across(across: Option<&Across>) -> String {
    let header = vec![
        "method",
        "other",
        "rank",
        "rank-of-other",
        "families",
        "more",
        "equal",
        "less",
        "median-difference",
        "p",
        "exact",
        "p-after-holm",
        "critical-difference",
        "apart-by-rank",
    ];
    let rows = across.into_iter().flat_map(|across| {
        let rank = |name: &String| {
            let of = across.methods.iter().find(|ranked| ranked.method == *name);
            optional(of.map(|ranked| ranked.rank))
        };
        across.pairs.iter().map(move |pair| {
            let [a, b] = &pair.methods;
            let mut row = vec![a.clone(), b.clone(), rank(a), rank(b)];
            row.push(across.families.len().to_string());
            row.extend(pair.num_families.map(|count| count.to_string()));
            row.extend([
                pair.median_difference.to_string(),
                optional(pair.test.map(|test| test.p_value)),
                optional(pair.test.map(|test| u8::from(test.is_exact))),
                pair.adjusted_p_value.to_string(),
                across.critical_difference.to_string(),
                u8::from(pair.is_apart_by_rank).to_string(),
            ]);
            row
        })
    });
    text(header, rows)
}

pub(super) fn targets(table: &TargetTable) -> String {
    let header =
        vec!["family", "target", "score", "method", "runs", "runs-that-reach-it", "expected-games"];
    let rows = table.rows.iter().flat_map(|row| {
        table.methods.iter().zip(&row.cells).filter_map(move |(method, cell)| {
            let cell = cell.as_ref()?;
            Some(vec![
                row.family.clone(),
                row.name.clone(),
                row.target.to_string(),
                method.clone(),
                cell.num_runs.to_string(),
                cell.num_reached.to_string(),
                optional(cell.expected_games),
            ])
        })
    });
    text(header, rows)
}

pub(super) fn effort(table: &ScoreTable) -> String {
    let header = vec![
        "family",
        "method",
        "runs",
        "games",
        "iterations",
        "runs-with-games-left",
        "share-of-budget",
    ];
    let rows = table.families.iter().zip(&table.cells).flat_map(|(family, row)| {
        table.methods.iter().zip(row).filter_map(move |(method, cell)| {
            let cell = cell.ours.as_ref()?;
            Some(vec![
                family.clone(),
                method.clone(),
                cell.num_runs.to_string(),
                cell.num_games.to_string(),
                cell.num_iterations.to_string(),
                cell.num_with_games_left.to_string(),
                optional(cell.share_of_budget),
            ])
        })
    });
    text(header, rows)
}
