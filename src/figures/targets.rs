//! The share of targets that runs reach, by games.

use ruse_plots::{RateCurves, RateLine, RatePanel, RatePoint};

use crate::report::TargetTable;

/// The share of all runs and targets that each method has reached after so many games, over the families of the table;
/// `caption` says whose they are. Targets that are reached before the first game stand at the left end.
pub fn targets(table: &TargetTable, caption: &str) -> RateCurves {
    let games = || table.curves.iter().flat_map(|curve| &curve.steps).map(|&(games, _)| games);
    let first = games().filter(|&games| games > 0).min().unwrap_or(1) as f64;
    let last = games().max().unwrap_or(1).max(1) as f64;
    let point = |x: f64, rate: f64| RatePoint { x, rate, interval: [rate; 2] };
    let line = |steps: &[(u64, f64)]| {
        let mut points: Vec<RatePoint> = Vec::new();
        let mut share = 0.0;
        for &(games, reached) in steps {
            let x = (games as f64).max(first);
            // The share stays until a step.
            points.extend([point(x, share), point(x, reached)]);
            share = reached;
        }
        if points.first().is_none_or(|point| point.x > first) {
            points.insert(0, point(first, 0.0));
        }
        points.push(point(last, share));
        RateLine { points, level: None }
    };
    RateCurves {
        title: "Targets reached by games".into(),
        caption: caption.into(),
        x_title: "games in comparisons".into(),
        names: table.curves.iter().map(|curve| curve.method.clone()).collect(),
        panels: vec![RatePanel {
            title: "share of targets reached".into(),
            lines: table.curves.iter().map(|curve| line(&curve.steps)).collect(),
        }],
    }
}
