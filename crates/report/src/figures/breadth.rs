//! The number of legal actions over the course of games, and the number of those that searches tried.

use ruse_lab::DecisionRow;
use ruse_plots::{CurveKind, RateCurves, RateLine, RatePanel, RatePoint};

use crate::counted;

/// The number of equal parts of the time of the longest game. Each part has one point, its median.
const NUM_PARTS: u32 = 40;

/// Returns the curves of the number of legal actions at each player's decisions. The axis is the time of the game, or
/// the number of the decision if the game has no clock. It is divided into equal parts. A player's line connects the
/// medians of the parts, and its band contains the middle half of the decisions in each part. Parts without decisions
/// of the player are omitted.
pub fn breadth(title: &str, rows: &[DecisionRow]) -> RateCurves {
    let has_clock = rows.iter().all(|row| row.clock.is_some());
    let time = |row: &DecisionRow| row.clock.filter(|_| has_clock).unwrap_or(row.step);
    let last = rows.iter().map(time).max().unwrap_or(0);
    let width = (last / NUM_PARTS + 1).max(1);
    let line = |player: char| {
        let points = (0..=last / width).filter_map(|part| {
            let of_part = |row: &&DecisionRow| row.player == player && time(row) / width == part;
            let logs = rows.iter().filter(of_part).map(|row| row.log10_actions);
            quartiles(f64::from(part * width) + f64::from(width - 1) / 2.0, logs.collect())
        });
        RateLine { points: points.collect(), level: None }
    };
    let panel = RatePanel {
        title: "legal actions at a decision, decimal logarithm".into(),
        lines: vec![line('a'), line('b')],
    };
    RateCurves {
        title: title.into(),
        caption: format!(
            "{}; medians of equal parts of the time, bands: the middle half of the decisions.",
            counted(rows.len() as u64, "decision")
        ),
        x_title: if has_clock { "time of the game" } else { "decisions of the game" }.into(),
        kind: CurveKind::Times,
        names: vec!["the player named first".into(), "the other".into()],
        panels: vec![panel],
    }
}

/// Returns the median and the middle half of some numbers, or `None` if there are none.
fn quartiles(x: f64, mut numbers: Vec<f64>) -> Option<RatePoint> {
    numbers.sort_by(f64::total_cmp);
    let at = |quarters: usize| numbers[(quarters * (numbers.len() - 1) + 2) / 4];
    (!numbers.is_empty()).then(|| RatePoint { x, rate: at(2), interval: [at(1), at(3)] })
}

/// Returns the curves of the number of different actions that searches tried, by the number of legal actions: a point for
/// every half of a power of ten, with the median and the middle half. Returns `None` if no search has played.
pub fn tried(title: &str, rows: &[DecisionRow]) -> Option<RateCurves> {
    const BINS_PER_DECADE: f64 = 2.0;
    let searched =
        |player: char| rows.iter().filter(move |row| row.player == player && row.tried.is_some());
    let line = |player: char| {
        let bin = |row: &DecisionRow| (row.log10_actions * BINS_PER_DECADE) as i32;
        let last = searched(player).map(bin).max().unwrap_or(-1);
        let points = (0..=last).filter_map(|number| {
            let x = libm::exp10((f64::from(number) + 0.5) / BINS_PER_DECADE);
            let in_bin = searched(player).filter(|row| bin(row) == number);
            quartiles(x, in_bin.filter_map(|row| row.tried).map(f64::from).collect())
        });
        RateLine { points: points.collect(), level: None }
    };
    let num_decisions = ['a', 'b'].map(|player| searched(player).count()).iter().sum::<usize>();
    let panel = RatePanel {
        title: "different actions tried at a decision".into(),
        lines: vec![line('a'), line('b')],
    };
    (num_decisions > 0).then(|| {
        RateCurves {
            title: title.into(),
            caption: format!(
                "{} of players that search; medians of halves of a power of ten, bands: the middle half of the decisions.",
                counted(num_decisions as u64, "decision")
            ),
            x_title: "legal actions at the decision".into(),
            kind: CurveKind::Amounts,
            names: vec!["the player named first".into(), "the other".into()],
            panels: vec![panel],
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(
        clock: Option<u32>,
        player: char,
        log10_actions: f64,
        tried: Option<u32>,
    ) -> DecisionRow {
        DecisionRow { step: 1, clock, player, log10_actions, tried }
    }

    /// Computed by hand: 2 and 3 actions are in the first half of the first power of ten, and 10 in the second power.
    #[test]
    fn tried_actions_are_counted_by_legal_actions() {
        let row = |player, log10_actions, tried| row(None, player, log10_actions, tried);
        let rows = [
            row('a', 0.301, Some(2)),
            row('a', 0.477, Some(4)),
            row('a', 0.477, Some(3)),
            row('a', 1.0, Some(7)),
            row('b', 1.0, None),
        ];
        let curves = tried("t", &rows).expect("a search has played");
        let [of_a, of_b] = &curves.panels[0].lines[..] else { panic!("two lines") };
        let points: Vec<_> = of_a.points.iter().map(|point| (point.rate, point.interval)).collect();
        assert_eq!(points, [(3.0, [3.0, 4.0]), (7.0, [7.0, 7.0])]);
        // 10^(1/4) and 10^(5/4).
        assert!(
            (of_a.points[0].x - 1.7783).abs() < 1e-4 && (of_a.points[1].x - 17.783).abs() < 1e-3
        );
        assert!(of_b.points.is_empty());
        assert_eq!(tried("t", &rows[4..]), None);
    }

    /// Computed by hand: the last time is 79, so each part is 2 units of time wide.
    #[test]
    fn a_point_is_the_median_of_its_part() {
        let row = |clock, player, log10_actions| row(Some(clock), player, log10_actions, None);
        let rows = [
            row(0, 'a', 1.0),
            row(1, 'a', 5.0),
            row(1, 'a', 2.0),
            row(2, 'b', 3.0),
            row(79, 'a', 4.0),
        ];
        let curves = breadth("t", &rows);
        let point = |x, rate, low, high| RatePoint { x, rate, interval: [low, high] };
        let [of_a, of_b] = &curves.panels[0].lines[..] else { panic!("two lines") };
        assert_eq!(of_a.points, [point(0.5, 2.0, 2.0, 5.0), point(78.5, 4.0, 4.0, 4.0)]);
        assert_eq!(of_b.points, [point(2.5, 3.0, 3.0, 3.0)]);
        assert_eq!(curves.x_title, "time of the game");
        let empty = breadth("t", &[]);
        assert!(empty.panels[0].lines.iter().all(|line| line.points.is_empty()));
    }
}
