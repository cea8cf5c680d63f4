//! The regret of bandits after each number of pulls.

use ruse_base::names::by_key;
use ruse_play::bandits::Row;
use ruse_play::score::SampleMean;
use ruse_plots::{CurveKind, RateCurves, RateLine, RatePanel, RatePoint};

use crate::counted;

/// Returns the regret of strategies on a problem by budget: the regret of the recommended arm, and the mean regret of a
/// pull. If the best arm is unknown, returns rewards instead of regrets. `rows` are the rows of a study.
pub fn regret(problem: &str, rows: &[Row]) -> RateCurves {
    type Amount = fn(&Row) -> (SampleMean, f64);
    let is_regret = rows.iter().all(|row| row.regret.is_some());
    let panels: [(&str, Amount); 2] = match is_regret {
        true => [
            ("regret of the recommended arm", |row| (expect(row).simple, 1.0)),
            ("regret of a pull", |row| (expect(row).cumulative, row.budget as f64)),
        ],
        false => [
            ("reward of the recommended arm", |row| (row.recommended, 1.0)),
            ("reward of a pull", |row| (row.reward, 1.0)),
        ],
    };
    let strategies = by_key(rows.iter().map(|row| (&row.strategy, row)));
    let line = |of_strategy: &[&Row], amount: Amount| {
        let mut of_strategy = of_strategy.to_vec();
        of_strategy.sort_by_key(|row| row.budget);
        let points = of_strategy.into_iter().map(|row| {
            let (mean, parts) = amount(row);
            let interval = mean.interval().unwrap_or([mean.mean; 2]).map(|bound| bound / parts);
            RatePoint { x: row.budget as f64, rate: mean.mean / parts, interval }
        });
        RateLine { points: points.collect(), level: None }
    };
    let panels = panels.map(|(title, amount)| RatePanel {
        title: title.into(),
        lines: strategies.iter().map(|(_, rows)| line(rows, amount)).collect(),
    });
    let runs = rows.first().map_or(0, |row| row.recommended.count);
    RateCurves {
        title: format!("{problem}: what bandits {}", if is_regret { "regret" } else { "reach" }),
        caption: format!(
            "Means over {} of each strategy and number of pulls; bands: 95% intervals of the mean (Student).",
            counted(runs, "run")
        ),
        x_title: "pulls".into(),
        kind: CurveKind::Amounts,
        names: strategies.iter().map(|(name, _)| (*name).clone()).collect(),
        panels: panels.into(),
    }
}

fn expect(row: &Row) -> &ruse_play::bandits::Regret {
    row.regret.as_ref().expect("a best arm is known")
}
