//! The cost of decisions: the number of games until a race stops, by the candidate's true winning rate, with lower
//! bounds on this number.

use std::ops::Range;

use plotters::prelude::*;

use crate::axes::{
    BELOW, Dash, Entry, LEFT, Legend, Panel, Place, RIGHT, Scale, TITLE_ROOM, dashed,
};
use crate::checked::{Drawable, FigureError, positive, share};
use crate::figure::{Area, DrawResult, Outline, Sheet};
use crate::style::{INK, MUTED, WIDTH, series, write_note};

/// The numbers of games that races take at a winning rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostPoint {
    /// The winning rate of the candidate, in [0, 1].
    pub rate: f64,
    /// The mean number of games; must be positive.
    pub games: f64,
    /// The tenth and the ninetieth percentile of the number of games; both must be positive.
    pub range: [f64; 2],
}

/// The costs of races with one comparison operator.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OperatorCosts {
    /// The name of the operator.
    pub name: String,
    /// The costs, in order of increasing rate.
    pub points: Vec<CostPoint>,
}

/// A lower bound on the number of games of a decision, for a given probability of error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LeastGames {
    /// The name of the bound, with its decision.
    pub name: String,
    /// The points of the bound, in order of increasing winning rate: a winning rate in [0, 1], and a positive number of
    /// games.
    pub points: Vec<(f64, f64)>,
}

/// A figure of the costs of decisions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DecisionCosts {
    /// The title.
    pub title: String,
    /// The source of the data: seed, sample size, error probability.
    pub caption: String,
    /// The operators, in the order of their colours.
    pub operators: Vec<OperatorCosts>,
    /// The lower bounds.
    pub limits: Vec<LeastGames>,
}

const HEIGHT: u32 = 240;

impl DecisionCosts {
    fn legend(&self) -> Legend {
        let operators = self.operators.iter().enumerate();
        let operators = operators.map(|(index, one)| Entry::of_series(index, &one.name));
        let limits = self.limits.iter().enumerate().map(|(index, limit)| Entry {
            name: limit.name.clone(),
            colour: limit_style(index).0,
            dash: limit_style(index).1,
        });
        Legend::new(operators.chain(limits))
    }

    fn ranges(&self) -> (Range<f64>, Range<f64>) {
        let costs = || self.operators.iter().flat_map(|one| &one.points);
        let limits = || self.limits.iter().flat_map(|limit| &limit.points);
        let rates = costs().map(|point| point.rate).chain(limits().map(|point| point.0));
        let (low, high) =
            rates.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), r| (l.min(r), h.max(r)));
        let rates = match low < high {
            true => low..high,
            false if low.is_finite() => low - 0.01..high + 0.01,
            false => 0.5..0.6,
        };
        let games = costs().flat_map(|point| [point.games, point.range[0], point.range[1]]);
        let games = games.chain(limits().map(|point| point.1));
        let (low, high) = games.fold((1e3f64, 1e3f64), |(l, h), g| (l.min(g), h.max(g)));
        (rates, low / 1.3..high * 1.3)
    }
}

fn limit_style(index: usize) -> (RGBColor, Dash) {
    let colour = if index < 2 { INK } else { MUTED };
    (colour, [Dash::Long, Dash::Short][index % 2])
}

impl Drawable for DecisionCosts {
    fn check(&self) -> Result<(), FigureError> {
        for operator in &self.operators {
            for point in &operator.points {
                share(point.rate, || format!("a winning rate of {}", operator.name))?;
                let games = [point.games, point.range[0], point.range[1]];
                games.into_iter().try_for_each(|games| {
                    positive(games, || format!("the games of {}", operator.name))
                })?;
            }
        }
        for limit in &self.limits {
            for &(rate, games) in &limit.points {
                share(rate, || format!("a winning rate of {}", limit.name))?;
                positive(games, || format!("the games of {}", limit.name))?;
            }
        }
        Ok(())
    }

    fn outline(&self, _: Sheet) -> Outline<'_> {
        let contents = self.legend().height + TITLE_ROOM + HEIGHT + BELOW;
        Outline::new(&self.title, &self.caption, contents)
    }

    fn draw(&self, area: &Area<'_>, _: Sheet) -> DrawResult {
        let legend = self.legend();
        legend.draw(area)?;
        let (rates, games) = self.ranges();
        let top = (legend.height + TITLE_ROOM) as i32;
        // The bars of operators are side by side.
        let x = Scale::linear(rates, LEFT as i32 + 6..(WIDTH - RIGHT) as i32 - 6);
        let y = Scale::log(games, top + HEIGHT as i32..top);
        let panel = Panel { area, x, y };
        panel.draw_frame("games until the decision", 7)?;
        panel.label_x("true winning rate of the candidate")?;
        if self.operators.iter().all(|operator| operator.points.is_empty()) {
            let place = (WIDTH as i32 / 2, top + HEIGHT as i32 / 2);
            return write_note(area, "nothing was decided", place);
        }
        for (index, limit) in self.limits.iter().enumerate() {
            let line: Vec<Place> = limit.points.iter().map(|&(r, g)| panel.point(r, g)).collect();
            let (colour, dash) = limit_style(index);
            dashed(area, &line, colour.stroke_width(1), dash)?;
        }
        let middle = (self.operators.len() as i32 - 1).min(4);
        for (index, operator) in self.operators.iter().enumerate() {
            let aside = (index as i32 % 5 * 2 - middle).clamp(-4, 4);
            let mut line = Vec::new();
            for point in &operator.points {
                let (x, y) = panel.point(point.rate, point.games);
                let [low, high] = point.range.map(|games| (x + aside, panel.y.at(games)));
                panel.line(&[low, high], series(index).mix(0.5).stroke_width(1))?;
                area.draw(&Circle::new((x, y), 2, series(index).filled()))?;
                line.push((x, y));
            }
            panel.dashed(&line, series(index).stroke_width(2), Dash::of_series(index))?;
        }
        Ok(())
    }
}
