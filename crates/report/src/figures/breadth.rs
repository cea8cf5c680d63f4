//! The number of legal actions over the course of games.

use ruse_plots::{AmountCurves, RateCurves, RateLine, RatePanel, RatePoint, TimeCurves};

use crate::lab::DecisionRow;
use crate::report::counted;

/// The number of equal parts of the time of the longest game. Each part has one point, its median.
const NUM_PARTS: u32 = 40;

/// Returns the curves of the number of legal actions at each player's decisions. The axis is the time of the game, or
/// the number of the decision if the game has no clock. It is divided into equal parts. A player's line connects the
/// medians of the parts, and its band contains the middle half of the decisions in each part. Parts without decisions
/// of the player are omitted.
pub fn breadth(title: &str, rows: &[DecisionRow]) -> TimeCurves {
    let has_clock = rows.iter().all(|row| row.clock.is_some());
    let time = |row: &DecisionRow| row.clock.filter(|_| has_clock).unwrap_or(row.step);
    let last = rows.iter().map(time).max().unwrap_or(0);
    let width = (last / NUM_PARTS + 1).max(1);
    let line = |player: char| {
        let points = (0..=last / width).filter_map(|part| {
            let of_part = |row: &&DecisionRow| row.player == player && time(row) / width == part;
            let mut logs: Vec<f64> =
                rows.iter().filter(of_part).map(|row| row.log10_actions).collect();
            logs.sort_by(f64::total_cmp);
            let at = |quarters: usize| logs[(quarters * (logs.len() - 1) + 2) / 4];
            (!logs.is_empty()).then(|| RatePoint {
                x: f64::from(part * width) + f64::from(width - 1) / 2.0,
                rate: at(2),
                interval: [at(1), at(3)],
            })
        });
        RateLine { points: points.collect(), level: None }
    };
    let panel = RatePanel {
        title: "legal actions at a decision, decimal logarithm".into(),
        lines: vec![line('a'), line('b')],
    };
    TimeCurves(AmountCurves(RateCurves {
        title: title.into(),
        caption: format!(
            "{}; medians of equal parts of the time, bands: the middle half of the decisions.",
            counted(rows.len() as u64, "decision")
        ),
        x_title: if has_clock { "time of the game" } else { "decisions of the game" }.into(),
        names: vec!["the player named first".into(), "the other".into()],
        panels: vec![panel],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by hand: the last time is 79, so each part is 2 units of time wide.
    #[test]
    fn a_point_is_the_median_of_its_part() {
        let row = |clock, player, log10_actions| DecisionRow {
            step: 1,
            clock: Some(clock),
            player,
            log10_actions,
        };
        let rows = [
            row(0, 'a', 1.0),
            row(1, 'a', 5.0),
            row(1, 'a', 2.0),
            row(2, 'b', 3.0),
            row(79, 'a', 4.0),
        ];
        let TimeCurves(AmountCurves(curves)) = breadth("t", &rows);
        let point = |x, rate, low, high| RatePoint { x, rate, interval: [low, high] };
        let [of_a, of_b] = &curves.panels[0].lines[..] else { panic!("two lines") };
        assert_eq!(of_a.points, [point(0.5, 2.0, 2.0, 5.0), point(78.5, 4.0, 4.0, 4.0)]);
        assert_eq!(of_b.points, [point(2.5, 3.0, 3.0, 3.0)]);
        assert_eq!(curves.x_title, "time of the game");
        let TimeCurves(AmountCurves(empty)) = breadth("t", &[]);
        assert!(empty.panels[0].lines.iter().all(|line| line.points.is_empty()));
    }
}
