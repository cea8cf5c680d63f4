//! The course of a match: the estimate and its interval by the number of games, and the points at which races on the
//! same pairs would have stopped.

use std::ops::Range;

use plotters::prelude::*;

use crate::axes::{
    BAND, BELOW, Dash, Entry, LEFT, Legend, Panel, Place, RIGHT, Scale, TITLE_ROOM, dashed,
    score_range,
};
use crate::checked::{Drawable, FigureError, positive, score};
use crate::figure::{Area, DrawResult, Outline, Sheet};
use crate::style::{INK, SERIES, WIDTH, series, write_note};

/// The estimate after a number of games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RacePoint {
    /// The number of games so far, positive.
    pub games: f64,
    /// The score so far, in [0, 1].
    pub score: f64,
    /// The interval of a match planned to stop here.
    pub interval: [f64; 2],
}

/// The end of a race on the pairs of the match.
#[derive(Debug, Clone, PartialEq)]
pub struct RaceEnd {
    /// The comparison operator and its verdict.
    pub verdict: String,
    /// The number of games until the race stopped; `None` if it did not stop.
    pub games: Option<f64>,
}

/// A figure of the course of a match.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RaceTrace {
    /// The title.
    pub title: String,
    /// The source of the data: seed, sample size, confidence.
    pub caption: String,
    /// The estimates, in order of increasing number of games.
    pub points: Vec<RacePoint>,
    /// The simultaneous bounds of the first race until it stops, in order of increasing number of games: a number of
    /// games, and the two bounds.
    pub bounds: Vec<(f64, [f64; 2])>,
    /// The name of the bounds, for the legend.
    pub bounds_name: String,
    /// The races, in the order of their colours.
    pub ends: Vec<RaceEnd>,
}

const HEIGHT: u32 = 220;

impl RaceTrace {
    fn legend(&self) -> Legend {
        let mut entries = vec![Entry::of_series(0, "score so far, and its interval as a band")];
        let ends = self.ends.iter().enumerate().map(|(index, end)| Entry {
            name: end.verdict.clone(),
            colour: series(index + 1),
            dash: Dash::Short,
        });
        entries.extend(ends);
        if !self.bounds.is_empty() {
            let name = self.bounds_name.clone();
            entries.insert(1, Entry { name, colour: BOUNDS, dash: Dash::Solid });
        }
        Legend::new(entries.into_iter())
    }

    fn games(&self) -> Range<f64> {
        let games = || self.points.iter().map(|point| point.games);
        let start = games().fold(f64::INFINITY, f64::min);
        let start = if start.is_finite() { start } else { 10.0 };
        start..games().fold(2.0 * start, f64::max)
    }

    /// Returns the range of scores to show, without the first intervals, which cover almost everything. The bounds of a
    /// race count only after the fraction [`BOUNDS_FROM`] of the race, when they have nearly converged.
    fn scores(&self) -> Range<f64> {
        let Range { start, end } = self.games();
        let from = start * libm::pow(end / start, 0.4);
        let late = self.points.iter().filter(|point| point.games >= from);
        let late = late.chain(self.points.last()).flat_map(|point| point.interval);
        let stop = self.bounds.last().map_or(0.0, |&(games, _)| games);
        let closing = self.bounds.iter().filter(|(games, _)| *games >= BOUNDS_FROM * stop);
        let closing =
            closing.flat_map(|&(_, bounds)| bounds).filter(|&bound| says_something(bound));
        score_range(late.chain(closing))
    }
}

/// The colour of the first race and its bounds.
const BOUNDS: RGBColor = SERIES[1];
/// The fraction of a race after which all of its bounds are shown.
const BOUNDS_FROM: f64 = 0.8;

/// Returns `true` if a bound excludes some of the scores from 0 to 1.
fn says_something(bound: f64) -> bool {
    0.0 < bound && bound < 1.0
}

/// Returns the part of a line after its last entry into the range `shown`. `points` are sorted by x.
fn seen(points: &[(f64, f64)], shown: &Range<f64>) -> Vec<(f64, f64)> {
    let is_seen = |value: f64| says_something(value) && (shown.start..=shown.end).contains(&value);
    let hidden = points.iter().rposition(|&(_, value)| !is_seen(value));
    let mut line = points[hidden.map_or(0, |hidden| hidden + 1)..].to_vec();
    if let (Some(hidden), Some(&first)) = (hidden, line.first()) {
        let (x, value) = points[hidden];
        let edge = value.clamp(shown.start, shown.end);
        // The axis is logarithmic.
        let share = (edge - value) / (first.1 - value);
        line.insert(0, (x * libm::pow(first.0 / x, share), edge));
    }
    line
}

impl Drawable for RaceTrace {
    fn check(&self) -> Result<(), FigureError> {
        for point in &self.points {
            positive(point.games, || "games of a match".into())?;
            score(point.score, point.interval, || "the score of a match".into())?;
        }
        for &(games, interval) in &self.bounds {
            positive(games, || "games of a race".into())?;
            score(0.5, interval, || "the bounds of a race".into())?;
        }
        let mut ends = self.ends.iter().filter_map(|end| end.games);
        ends.try_for_each(|games| positive(games, || "games of a race".into()))
    }

    fn outline(&self, _: Sheet) -> Outline<'_> {
        let contents = self.legend().height + TITLE_ROOM + HEIGHT + BELOW;
        Outline::new(&self.title, &self.caption, contents)
    }

    fn draw(&self, area: &Area<'_>, _: Sheet) -> DrawResult {
        let legend = self.legend();
        legend.draw(area)?;
        let games = self.games();
        let top = (legend.height + TITLE_ROOM) as i32;
        let x = Scale::log(games.clone(), LEFT as i32..(WIDTH - RIGHT) as i32);
        let y = Scale::linear(self.scores(), top + HEIGHT as i32..top);
        let panel = Panel { area, x, y };
        panel.draw_frame("score of the first", 6)?;
        panel.label_x("games")?;
        let half = [panel.point(games.start, 0.5), panel.point(games.end, 0.5)];
        dashed(area, &half, INK.stroke_width(1), Dash::Long)?;
        if self.points.is_empty() {
            let place = (WIDTH as i32 / 2, top + HEIGHT as i32 / 2 - 16);
            return write_note(area, "nothing was played", place);
        }
        let line = |value: &dyn Fn(&RacePoint) -> f64| -> Vec<Place> {
            self.points.iter().map(|point| panel.point(point.games, value(point))).collect()
        };
        panel.band(&line(&|p| p.interval[0]), &line(&|p| p.interval[1]), series(0), BAND)?;
        for side in 0..2 {
            let bound: Vec<(f64, f64)> =
                self.bounds.iter().map(|&(games, bounds)| (games, bounds[side])).collect();
            let bound = seen(&bound, &panel.y.values);
            let bound: Vec<Place> = bound.into_iter().map(|(x, y)| panel.point(x, y)).collect();
            if bound.len() > 1 {
                panel.line(&bound, BOUNDS.stroke_width(1))?;
            }
        }
        for (index, end) in self.ends.iter().enumerate() {
            let Some(games) = end.games else { continue };
            let x = panel.x.at(games);
            let from_top = [(x, top), (x, top + HEIGHT as i32)];
            dashed(area, &from_top, series(index + 1).stroke_width(2), Dash::Short)?;
        }
        let scores = line(&|point| point.score);
        panel.line(&scores, series(0).stroke_width(2))?;
        if let ([only], [point]) = (&scores[..], &self.points[..]) {
            let ends = point.interval.map(|bound| panel.point(point.games, bound));
            panel.line(&ends, series(0).stroke_width(2))?;
            area.draw(&Circle::new(*only, 3, series(0).filled()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_begin_where_they_enter_the_panel() {
        let points = [(1.0, 0.9), (100.0, 0.7), (200.0, 0.6)];
        // The line enters halfway from .9 to .7, which is halfway from 1 to 100 on a logarithmic axis.
        let line = seen(&points, &(0.4..0.8));
        assert_eq!(line.len(), 3, "{line:?}");
        assert!((line[0].0 - 10.0).abs() < 1e-9 && line[0].1 == 0.8, "{line:?}");
        assert_eq!(seen(&points, &(0.5..1.0)), points);
        assert!(seen(&points, &(0.1..0.2)).is_empty());
        // There is no line as long as a bound excludes nothing.
        assert_eq!(
            seen(&[(1.0, 1.0), (2.0, 1.0), (4.0, 0.8)], &(0.4..1.0)),
            [(2.0, 1.0), (4.0, 0.8)]
        );
    }
}
