//! Figures of what a run was about: from its records to the plain data that [`ruse_plots`] draws.

use std::fmt::Write;

use ruse_plots as plots;
use ruse_strategies::{ParameterError, picture};

use crate::family::AnyFamily;
use crate::lab::StrategyFile;

/// More points than these of a path cannot be told apart.
const MOST_POINTS: usize = 200;

/// The picture of the strategy in a file. `family` has the rules of the file, `usual` those it has unless
/// somebody changes them.
///
/// `earlier`: the strategies that the run accepted before, oldest first. They are only used where a strategy
/// is shown as a point among others.
///
/// # Errors
///
/// When parameters are not in the space of the family.
pub fn strategy(
    family: &dyn AnyFamily,
    usual: &dyn AnyFamily,
    file: &StrategyFile,
    earlier: &[Vec<f64>],
) -> Result<plots::Picture, ParameterError> {
    let last = family.picture(&file.parameters)?;
    let is_path =
        last.panels.iter().any(|panel| matches!(panel.chart, picture::Chart::Triangle { .. }));
    let mut pictures = Vec::new();
    if is_path {
        let step = earlier.len().div_ceil(MOST_POINTS).max(1);
        for theta in earlier.iter().step_by(step) {
            pictures.push(family.picture(theta)?);
        }
    }
    let panels = last.panels.into_iter().enumerate().map(|(index, panel)| {
        let before =
            pictures.iter().filter_map(|picture| match &picture.panels.get(index)?.chart {
                picture::Chart::Triangle { shares, .. } => Some(*shares),
                _ => None,
            });
        draw_panel(panel, before.collect())
    });
    Ok(plots::Picture {
        title: title(file),
        caption: caption(file, usual),
        panels: panels.collect(),
    })
}

fn title(file: &StrategyFile) -> String {
    match &file.found {
        Some(found) => format!("{}: the strategy found by {}", file.family, found.method),
        None => format!("{}: a strategy", file.family),
    }
}

/// Where a strategy comes from, and how good it is.
fn caption(file: &StrategyFile, usual: &dyn AnyFamily) -> String {
    let mut caption = String::new();
    if let Some(found) = &file.found {
        let races =
            found.comparison.as_ref().map_or(String::new(), |name| format!(", {name} races"));
        let _ = write!(
            caption,
            "{} method{races}, seed {}, {} games in comparisons. ",
            found.method,
            found.seed,
            crate::report::grouped(found.games)
        );
    }
    let usual = usual.rules();
    let is_usual =
        |name: &str, value: u64| usual.iter().any(|rule| rule.name == name && rule.value == value);
    let changed = file.rules.iter().filter(|&(name, &value)| !is_usual(name, value));
    let changed: Vec<String> = changed.map(|(name, value)| format!("{name}={value}")).collect();
    if !changed.is_empty() {
        let _ = write!(caption, "Other rules: {}. ", changed.join(", "));
    }
    if let Some(estimate) = &file.score_against_baseline {
        let [low, high] = estimate.interval;
        let _ = write!(
            caption,
            "Score against the baseline {:.3}, {:.0} % interval {low:.3} to {high:.3}, {} pairs.",
            estimate.score,
            100.0 * estimate.confidence,
            crate::report::grouped(estimate.pairs)
        );
    }
    caption.trim_end().into()
}

/// A part as it is drawn; `before` are the points of a path that this one ends.
fn draw_panel(panel: picture::Panel, before: Vec<[f64; 3]>) -> plots::Panel {
    let picture::Panel { title, note, is_half, chart } = panel;
    let axis = |picture::Axis { name, ticks }| plots::Axis { name, ticks };
    let chart = match chart {
        picture::Chart::HeatMap(map) => plots::Chart::HeatMap(plots::HeatMap {
            rows: axis(map.rows),
            columns: axis(map.columns),
            values: map.values,
            texts: map.texts,
            scale: match map.scale {
                picture::Scale::Sequential { low, high } => plots::Scale::Sequential { low, high },
                picture::Scale::Diverging { centre, reach } => {
                    plots::Scale::Diverging { centre, reach }
                }
            },
            quantity: map.quantity,
            has_sums: map.has_sums,
        }),
        picture::Chart::Bars(picture::Bars { quantity, names, series, level }) => {
            plots::Chart::Bars(plots::Bars { quantity, names, series, level })
        }
        picture::Chart::Lines(picture::Lines { x, y, lines, marks, level }) => {
            let lines = lines.into_iter().map(|(name, points)| plots::Line { name, points });
            let marks = marks.into_iter().map(|(name, place)| plots::Mark { name, place });
            let (lines, marks) = (lines.collect(), marks.collect());
            plots::Chart::Lines(plots::Lines { x, y, lines, marks, level })
        }
        picture::Chart::Triangle { corners, shares } => {
            let path = before.into_iter().chain([shares]).collect();
            plots::Chart::Triangle(plots::Triangle { corners, path })
        }
        picture::Chart::List(items) => plots::Chart::List(plots::List { items }),
    };
    plots::Panel { title, note, is_half, chart }
}
