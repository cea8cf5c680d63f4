//! The figures of a round robin: scores by budget, like figures 7 to 9 of Ontañón (JAIR 58, 2017), by the value of a
//! rule, like figure 1 of Cauwet & Teytaud (CEC 2018), or by player.

use ruse_play::score::Estimate;
use ruse_plots::{CurveKind, Forest, ForestRow, RateCurves, RateLine, RatePanel, RatePoint};

use crate::{RoundRobinReport, counted, grouped};

/// The maximum number of panels that are readable. With more sets of rules, one panel shows all rules together.
const MAX_PANELS: usize = 9;

/// Returns the scores of all players by the budget of a turn, over all rules and under each set of rules. Returns
/// `None` for fewer than two budgets, because a line needs two points.
pub fn scores_by_budget(report: &RoundRobinReport) -> Option<RateCurves> {
    let budgets: Vec<f64> =
        report.budgets.iter().map(|budget| budget.map(|b| b as f64)).collect::<Option<_>>()?;
    if budgets.len() < 2 {
        return None;
    }
    let line = |row: &Vec<Option<Estimate>>| {
        let points = budgets.iter().zip(row).filter_map(|(&x, cell)| {
            let estimate = cell.as_ref()?;
            Some(RatePoint { x, rate: estimate.score, interval: estimate.interval })
        });
        RateLine { points: points.collect(), level: None }
    };
    let panel = |title: String, cells: &[Vec<Option<Estimate>>]| RatePanel {
        title,
        lines: cells.iter().map(line).collect(),
    };
    let mut panels = Vec::new();
    match report.settings.as_slice() {
        [only] => panels.push(panel(only.clone(), &report.scores)),
        all => {
            panels.push(panel("all rules".into(), &report.scores));
            if all.len() < MAX_PANELS {
                let each = all.iter().zip(&report.by_rules);
                panels.extend(each.map(|(rules, cells)| panel(rules.clone(), cells)));
            }
        }
    }
    Some(RateCurves {
        title: format!("{}: scores by budget", report.family),
        caption: format!(
            "Mean scores over {}; draws one half, with 95% bands; {} pairs of games of every two at each budget \
             under each set of rules.",
            report.opponents(),
            report.pairs
        ),
        x_title: format!("{} of a turn", report.unit),
        kind: CurveKind::Rates,
        names: report.players.clone(),
        panels,
    })
}

/// Returns the scores of all players by the value of the only rule that differs between the sets of rules, with a panel
/// for each player that all others meet. Returns `None` if the sets differ in more than one number, or if there are
/// several budgets.
pub fn scores_by_rule(report: &RoundRobinReport) -> Option<RateCurves> {
    let (rule, values) = report.varied_rule()?;
    if report.against_each.is_empty() {
        return None;
    }
    let shown: Vec<usize> = (0..report.players.len())
        .filter(|&player| is_compared(report, &report.players[player]))
        .collect();
    // A logarithmic axis has no 0.
    let kind = if values.contains(&0.0) { CurveKind::LinearRates } else { CurveKind::Rates };
    let panel = |(opponent, cells): (&String, &Vec<Vec<Option<Estimate>>>)| {
        let line = |player: usize| {
            let mut points: Vec<RatePoint> = Vec::new();
            for (&x, row) in values.iter().zip(cells) {
                if let Some(Estimate { score, interval, .. }) = row[player] {
                    points.push(RatePoint { x, rate: score, interval });
                }
            }
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            RateLine { points, level: None }
        };
        let lines = shown.iter().map(|&player| line(player)).collect();
        RatePanel { title: format!("against {opponent}"), lines }
    };
    let opponents = report.opponents_of_each();
    Some(RateCurves {
        title: format!("{}: scores by {rule}", report.family),
        caption: format!(
            "Draws one half; 95% bands, except for exact scores; at most {} of games of every two at each value.",
            counted(report.pairs, "pair"),
        ),
        x_title: rule.into(),
        kind,
        names: shown.iter().map(|&player| report.players[player].clone()).collect(),
        panels: opponents.iter().zip(&report.against_each).map(panel).collect(),
    })
}

/// Returns whether a player is compared with others. If all players meet only one opponent, this opponent is not.
fn is_compared(report: &RoundRobinReport, player: &String) -> bool {
    report.against.len() != 1 || !report.against.contains(player)
}

/// Returns a figure with each player's score over all rules, one row per player. Returns `None` if there are several
/// budgets.
pub fn scores_by_player(report: &RoundRobinReport) -> Option<Forest> {
    if report.budgets.len() > 1 {
        return None;
    }
    let row = |(name, cells): (&String, &Vec<Option<Estimate>>)| {
        let estimate = cells[0].as_ref()?;
        Some(ForestRow { name: name.clone(), value: estimate.score, interval: estimate.interval })
    };
    let players = report.players.iter().zip(&report.scores);
    let rows = players.filter(|(player, _)| is_compared(report, player)).filter_map(row);
    let rules = match report.settings.as_slice() {
        [_] => String::new(),
        all => format!(" under each of {} sets of rules", all.len()),
    };
    let budget = match report.budgets.as_slice() {
        [Some(budget)] => format!(" {} {} a turn.", grouped(*budget), report.unit),
        _ => String::new(),
    };
    Some(Forest {
        title: format!("{}: scores by player", report.family),
        caption: format!(
            "Mean scores over {}; {} of games{rules}, 95% intervals.{budget}",
            report.opponents(),
            counted(report.pairs, "pair"),
        ),
        quantity: "score, draws one half".into(),
        reference: 0.5,
        rows: rows.collect(),
    })
}
