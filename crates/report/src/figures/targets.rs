//! The share of targets that runs have reached after each number of games.

use ruse_plots::{CurveKind, RateCurves, RateLine, RatePanel, RatePoint};

use crate::TargetTable;

/// Returns a curve for each method, over the families of the table: the share of pairs (run, target) in which the run
/// has reached the target, by the number of games. Targets reached before the first game count at the left end.
/// `caption` names the runs.
pub fn targets(table: &TargetTable, caption: &str) -> RateCurves {
    let games = || table.curves.iter().flat_map(|curve| &curve.steps).map(|&(games, _)| games);
    let first = games().filter(|&games| games > 0).min().unwrap_or(1) as f64;
    // The power of ten at which the axis begins.
    let first = libm::exp10((libm::log10(first) + 1e-9).floor());
    let last = games().max().unwrap_or(1).max(1) as f64;
    let point = |x: f64, rate: f64| RatePoint { x, rate, interval: [rate; 2] };
    let line = |steps: &[(u64, f64)]| {
        let mut points: Vec<RatePoint> = Vec::new();
        let mut share = 0.0;
        for &(games, reached) in steps {
            let x = (games as f64).max(first);
            // The share is constant up to the next step.
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
        kind: CurveKind::Shares,
        names: table.curves.iter().map(|curve| curve.method.clone()).collect(),
        panels: vec![RatePanel {
            title: "share of targets reached".into(),
            lines: table.curves.iter().map(|curve| line(&curve.steps)).collect(),
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TargetCurve;

    /// The first step is at 3000 games, so the axis begins at 1000, where targets reached without a game are shown.
    #[test]
    fn a_share_stays_until_the_next_step() {
        let steps = vec![(0, 0.25), (3000, 0.5), (200_000, 1.0)];
        let curve = TargetCurve { method: "es".into(), num_all: 4, steps };
        let table =
            TargetTable { methods: vec![], rows: vec![], curves: vec![curve], families: vec![] };
        let curves = targets(&table, "");
        let points = curves.panels[0].lines[0].points.iter().map(|point| (point.x, point.rate));
        let expected =
            [(1e3, 0.0), (1e3, 0.25), (3e3, 0.25), (3e3, 0.5), (2e5, 0.5), (2e5, 1.0), (2e5, 1.0)];
        assert_eq!(points.collect::<Vec<_>>(), expected);
    }
}
