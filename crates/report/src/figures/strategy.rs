//! Converts strategies, and records of their runs, to pictures: plain data for [`ruse_plots`].

use std::fmt::Write;

use ruse_base::names::capitalised;
use ruse_lab::StrategyFile;
use ruse_play::family::AnyFamily;
use ruse_plots::{Chart, Panel, Picture};
use ruse_search::ParameterError;

use crate::{counted, digits, grouped, score};

/// The maximum number of points on a path. More could not be told apart.
const MAX_POINTS: usize = 200;

/// Returns the picture of the strategy in a file. `family` is the family with the rules of the file, and `usual` the same
/// family with its default rules.
///
/// `earlier` lists the strategies that the run had accepted before this one, oldest first. Only pictures that show
/// strategies as points use them.
///
/// # Errors
///
/// Returns an error if parameters are not in the space of the family.
pub fn strategy(
    family: &dyn AnyFamily,
    usual: &dyn AnyFamily,
    file: &StrategyFile,
    earlier: &[Vec<f64>],
) -> Result<Picture, ParameterError> {
    let mut picture = family.picture(&file.parameters)?;
    let is_path = |panel: &Panel| matches!(panel.chart, Chart::Triangle(_));
    if picture.panels.iter().any(is_path) {
        let step = earlier.len().div_ceil(MAX_POINTS).max(1);
        let pictures: Vec<Picture> = earlier
            .iter()
            .step_by(step)
            .map(|theta| family.picture(theta))
            .collect::<Result<_, _>>()?;
        for (index, panel) in picture.panels.iter_mut().enumerate() {
            let Chart::Triangle(triangle) = &mut panel.chart else { continue };
            let before =
                pictures.iter().filter_map(|picture| match &picture.panels.get(index)?.chart {
                    Chart::Triangle(triangle) => triangle.path.last().copied(),
                    _ => None,
                });
            triangle.path.splice(0..0, before);
        }
    }
    Ok(Picture { title: title(file), caption: caption(file, usual), ..picture })
}

fn title(file: &StrategyFile) -> String {
    match &file.found {
        Some(_) if file.is_random_start() => format!("{}: a random strategy", file.family),
        Some(_) if file.is_start() => format!("{}: the start of a search", file.family),
        Some(found) => format!("{}: the strategy found by {}", file.family, found.method),
        None => format!("{}: a strategy", file.family),
    }
}

/// Describes the origin and the score of a strategy.
fn caption(file: &StrategyFile, usual: &dyn AnyFamily) -> String {
    let mut caption = String::new();
    if let Some(start) = file.start_in_words() {
        let _ = write!(caption, "{} of a run that found nothing better. ", capitalised(&start));
    }
    if let Some(found) = &file.found {
        let races =
            found.comparison.as_ref().map_or(String::new(), |name| format!(", {name} races"));
        let _ = write!(
            caption,
            "{} method{races}, seed {}, {} games in comparisons. ",
            found.method,
            found.seed,
            grouped(found.games)
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
        let digits = digits(estimate.interval);
        let number = |value| score(value, digits);
        let _ = write!(caption, "Score against the baseline {}", number(estimate.score));
        let _ = match estimate.is_exact() {
            true => write!(caption, ", exact."),
            false => write!(
                caption,
                ", {:.0}% interval {} to {}, {}.",
                100.0 * estimate.confidence,
                number(estimate.interval[0]),
                number(estimate.interval[1]),
                counted(estimate.pairs, "pair")
            ),
        };
    }
    caption.trim_end().into()
}
