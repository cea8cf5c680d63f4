//! Reference players, as text.

use super::{MISSING, Row, Sheet, Text, cell_of};
use crate::lab::YardstickKind;
use crate::report::format::numbers::{counted, score, span, with_interval};
use crate::report::repeats::MeanScore;
use crate::report::yardsticks::{NormalisedScore, YardstickRow, YardstickTable};

/// The message if no yardstick is known.
pub(in crate::report::format) const UNKNOWN: &str = "The scores of the reference players (random, all parameters 0, reference strategies) are missing: \
     `ruse table DIR --measure` plays them.";

/// Returns the tables of yardsticks and of normalised scores, as far as they are known.
pub(in crate::report::format) fn yardsticks(table: &YardstickTable) -> Vec<Sheet> {
    if table.rows.is_empty() {
        return Vec::new();
    }
    let mut sheets = vec![of_players(table)];
    sheets.extend(of_normalised(table));
    sheets
}

/// The name of a column that is left out if it would be empty.
const OPTIMUM: &str = "exact optimum";

fn of_players(table: &YardstickTable) -> Sheet {
    let text =
        |mean: Option<&MeanScore>| cell_of(mean, |mean| Text::plain(with_interval(mean)).of(mean));
    let has_optimum = |row: &YardstickRow| row.only(YardstickKind::Optimum).is_some();
    let has_optima = table.rows.iter().any(has_optimum);
    let row = |row: &YardstickRow| {
        let only = |kind| text(row.only(kind).map(|yardstick| &yardstick.mean));
        let best = row.best_reference();
        let name = best.map_or(MISSING, |best| best.name.as_str());
        Row {
            label: row.family.clone(),
            is_best: false,
            cells: [
                only(YardstickKind::Random),
                only(YardstickKind::Zero),
                text(best.map(|best| &best.mean)),
                Text::plain(name),
            ]
            .into_iter()
            // A column of dashes carries no information.
            .chain(has_optima.then(|| only(YardstickKind::Optimum)))
            .chain([Text::plain(format!("{} of {}", row.num_methods_above, row.num_methods))])
            .collect(),
        }
    };
    let all = || table.rows.iter().flat_map(|row| &row.yardsticks);
    let sampled = all().filter(|yardstick| yardstick.mean.playing_half_width > 0.0);
    let pairs = span(sampled.map(|yardstick| yardstick.mean.num_pairs));
    let sample = pairs.map_or(String::new(), |pairs| {
        format!(
            " They play {pairs} pairs of games, the deals of the champion of the first seed, with 95% intervals of playing."
        )
    });
    let mut notes = vec![
        "Methods better: the number of methods whose mean exceeds every score of the row except the optimum, by more \
         than the noise of both intervals. The results of the other methods could be had without learning."
            .into(),
    ];
    if !table.rows.iter().all(has_optimum) {
        let what = match has_optima {
            true => "Where the exact optimum is missing,",
            false => "The exact optimum is left out:",
        };
        notes.push(format!(
            "{what} the best strategy against this opponent cannot be computed. A reference strategy that is called \
             optimal is so against the strongest opponent."
        ));
    }
    if !table.unknown_families.is_empty() {
        notes.push(format!("Not known of {}: {UNKNOWN}", table.unknown_families.join(", ")));
    }
    let columns = [
        "random player",
        "all parameters 0",
        "best reference",
        "its name",
        OPTIMUM,
        "methods better",
    ];
    Sheet {
        title: "Reference players, against the same baseline".into(),
        caption: format!(
            "The player that takes any legal action with the same probability, the strategy whose parameters are all 0, \
             the reference strategy with the highest score, and the best of all strategies that the rules allow, where \
             that can be computed.{sample}"
        ),
        short: "Scores of reference players against the baseline, 95% intervals.".into(),
        corner: "family".into(),
        columns: columns
            .into_iter()
            .filter(|name| has_optima || *name != OPTIMUM)
            .map(String::from)
            .collect(),
        rows: table.rows.iter().map(row).collect(),
        legend: [None, None],
        notes,
    }
}

/// Returns scores on the scale from random to optimal play, for the families in which the scores of random and of
/// optimal play are known.
fn of_normalised(table: &YardstickTable) -> Option<Sheet> {
    let text = |normalised: &Option<NormalisedScore>| match normalised {
        None => Text::plain(MISSING),
        Some(NormalisedScore { score: value, interval }) => {
            let figure = match interval {
                None => signed(*value),
                Some([low, high]) => {
                    format!("{} [{}, {}]", signed(*value), signed(*low), signed(*high))
                }
            };
            Text::plain(figure)
        }
    };
    let rows: Vec<Row> = table
        .rows
        .iter()
        .filter(|row| !row.normalised.is_empty())
        .map(|row| Row {
            label: row.family.clone(),
            is_best: false,
            cells: row.normalised.iter().map(text).collect(),
        })
        .collect();
    let missing = table.rows.len() - rows.len();
    if rows.is_empty() {
        return None;
    }
    let mut notes = Vec::new();
    if missing > 0 {
        let families = counted(missing as u64, "family");
        notes.push(format!("Left out: {families} without an exact optimum."));
    }
    Some(Sheet {
        title: "Scores between chance and the optimum".into(),
        caption: "(s - r) / (o - r), where s is the mean score of a method, r is the score of the random player, and o \
                  is the exact optimum: 0 is no better than chance, 1 is optimal. Intervals cover the noise of s, not \
                  of r."
            .into(),
        short: "Scores between the random player (0) and the exact optimum (1), 95% intervals.".into(),
        corner: "family".into(),
        columns: table.methods.clone(),
        rows,
        legend: [None, None],
        notes,
    })
}

/// Formats a number, which may be negative, with two digits.
fn signed(value: f64) -> String {
    let text = score(value.abs(), 2);
    if value < 0.0 && text != ".00" { format!("-{text}") } else { text }
}
