//! Converts strategies, and records of their runs, to pictures: plain data for [`ruse_plots`].

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
        let pictures = earlier.iter().step_by(step).map(|theta| family.picture(theta));
        let pictures = pictures.collect::<Result<Vec<Picture>, _>>()?;
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
    let start = file.start_in_words();
    let start =
        start.map(|start| format!("{} of a run that found nothing better.", capitalised(&start)));
    let found = file.found.as_ref().map(|found| {
        let races =
            found.comparison.as_ref().map_or(String::new(), |name| format!(", {name} races"));
        let games = grouped(found.games);
        format!(
            "{} method{races}, seed {}, {games} games in comparisons.",
            found.method, found.seed
        )
    });
    let usual = usual.rules();
    let is_usual =
        |name: &str, value: u64| usual.iter().any(|rule| rule.name == name && rule.value == value);
    let changed = file.rules.iter().filter(|&(name, &value)| !is_usual(name, value));
    let changed: Vec<String> = changed.map(|(name, value)| format!("{name}={value}")).collect();
    let rules = (!changed.is_empty()).then(|| format!("Other rules: {}.", changed.join(", ")));
    let score = file.score_against_baseline.as_ref().map(|estimate| {
        let number = |value| score(value, digits(estimate.interval));
        let [low, high] = estimate.interval.map(number);
        let (level, pairs) = (100.0 * estimate.confidence, counted(estimate.pairs, "pair"));
        let certainty = match estimate.is_exact() {
            true => "exact".into(),
            false => format!("{level:.0}% interval {low} to {high}, {pairs}"),
        };
        format!("Score against the baseline {}, {certainty}.", number(estimate.score))
    });
    [start, found, rules, score].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
