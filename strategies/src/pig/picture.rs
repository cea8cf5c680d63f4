//! The picture of a strategy that holds at a fixed sum.

use ruse_games::pig::Pig;
use ruse_picture::{Chart, Line, Lines, Mark, Panel, Picture};

use super::{HoldAt, SharedSolution, exact_wins};

/// The largest threshold that is shown, unless the learned threshold is larger.
const LARGEST: u32 = 40;
/// The largest number of points on a line; readers could not tell more points apart.
const MAX_POINTS: u32 = 45;
/// The largest number of points on a line if the goal is above [`LONG`]. Each point then takes a tenth of a second.
const FEW_POINTS: u32 = 15;
const LONG: u32 = 100;

pub(super) fn picture(game: &Pig, solution: &SharedSolution, strategy: &HoldAt) -> Picture {
    let goal = game.goal();
    // All thresholds from the goal on are equivalent.
    let learned = strategy.sum().min(goal);
    let last = LARGEST.max(learned + 2).min(goal);
    let most = if goal > LONG { FEW_POINTS } else { MAX_POINTS };
    let step = last.div_ceil(most).max(1) as usize;
    let mut sums: Vec<u32> = (2..=last).step_by(step).chain([learned, 20.min(goal)]).collect();
    sums.sort_unstable();
    sums.dedup();
    let rate = |sum: u32, opponent: &dyn Fn(&HoldAt) -> f64| opponent(&HoldAt::new(sum));
    let against = |opponent: &dyn Fn(&HoldAt) -> f64| -> Vec<(f64, f64)> {
        sums.iter().map(|&sum| (f64::from(sum), rate(sum, opponent))).collect()
    };
    let hold_20 = HoldAt::new(20);
    let usual = |player: &HoldAt| exact_wins(game, player, &hold_20).mean();
    let optimal = |player: &HoldAt| exact_wins(game, player, solution.get()).mean();
    let mark = |opponent: &dyn Fn(&HoldAt) -> f64| (f64::from(learned), rate(learned, opponent));
    let learned_name = format!("this strategy: holds at {learned}");
    let lines = Lines {
        x: "holds at a sum of the turn of (points)".into(),
        y: "winning rate".into(),
        lines: vec![
            Line { name: "against holding at 20".into(), points: against(&usual) },
            Line { name: "against perfect play".into(), points: against(&optimal) },
        ],
        marks: vec![
            Mark { name: learned_name.clone(), place: mark(&usual) },
            Mark { name: learned_name, place: mark(&optimal) },
        ],
        level: Some(0.5),
    };
    let title = "Winning rate by the sum at which one holds";
    let panel = Panel::new(title, Chart::Lines(lines))
        .with_note("Winning rates are exact, and means over both seats.");
    Picture::of([panel])
}
