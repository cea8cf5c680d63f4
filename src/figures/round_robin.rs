//! The figure of a round robin: scores by budgets, as figures 7 to 9 of Ontañón (JAIR 58, 2017).

use ruse_plots::{RateCurves, RateLine, RatePanel, RatePoint};

use crate::report::RoundRobinReport;
use crate::score::Estimate;

/// More panels than these would be too small to read: then there is one, of all rules together.
const MAX_PANELS: usize = 9;

/// The scores of all players by the playouts of a turn, over all rules and under each; none with fewer than two budgets, which
/// make no line.
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
            "Mean scores over all others, draws one half, with 95% bands; {} pairs of games of every two at each budget \
             under each set of rules.",
            report.pairs
        ),
        x_title: format!("{} of a turn", report.unit),
        names: report.players.clone(),
        panels,
    })
}
