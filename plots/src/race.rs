//! A match as it went on: the estimate and its interval after more and more games, and where a race with the
//! same pairs would have stopped.

use std::ops::Range;

use plotters::prelude::*;

use crate::axes::{
    BAND, BELOW, Dash, Entry, LEFT, Legend, Panel, Place, RIGHT, Scale, dashed, score_range,
};
use crate::canvas::{Area, DrawResult};
use crate::checked::{Drawable, FigureError, positive, score};
use crate::style::{Frame, HEADING, INK, MUTED, WIDTH, centred, series};

/// What was known after some games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RacePoint {
    /// Games until then, above 0.
    pub games: f64,
    /// The score so far, in [0, 1].
    pub score: f64,
    /// Its interval, if it had been decided beforehand to stop here.
    pub interval: [f64; 2],
}

/// A race that was run with the same pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct RaceEnd {
    /// The comparison operator, and what it said.
    pub verdict: String,
    /// Games until then; none if it was still going on.
    pub games: Option<f64>,
}

/// The data of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RaceTrace {
    /// What is shown.
    pub title: String,
    /// Where it comes from: seed, sample size, confidence.
    pub caption: String,
    /// The estimates, by increasing games.
    pub points: Vec<RacePoint>,
    /// Games, and bounds that hold at all times, by increasing games.
    pub bounds: Vec<(f64, [f64; 2])>,
    /// The races, in the order of their colours.
    pub ends: Vec<RaceEnd>,
}

const HEIGHT: u32 = 220;
const TITLE_ROOM: u32 = 22;

impl RaceTrace {
    fn legend(&self) -> Legend {
        let mut entries = vec![Entry::of_series(0, "score, and interval for so many games")];
        if !self.bounds.is_empty() {
            let dash = Dash::Solid;
            entries.push(Entry { name: "bounds at all times".into(), colour: BOUNDS, dash });
        }
        let ends = self.ends.iter().enumerate().map(|(index, end)| Entry {
            name: end.verdict.clone(),
            colour: series(index + 1),
            dash: Dash::Short,
        });
        Legend::new(entries.into_iter().chain(ends))
    }

    fn frame(&self) -> Frame {
        Frame::new(&self.title, &self.caption)
    }

    fn games(&self) -> Range<f64> {
        let games = || self.points.iter().map(|point| point.games);
        let start = games().fold(f64::INFINITY, f64::min);
        let start = if start.is_finite() { start } else { 10.0 };
        start..games().fold(2.0 * start, f64::max)
    }

    /// The scores that matter: at the beginning everything is possible, and who wants to see that?
    fn scores(&self) -> Range<f64> {
        let Range { start, end } = self.games();
        let from = start * libm::pow(end / start, 0.4);
        let late = self.points.iter().filter(|point| point.games >= from);
        score_range(late.chain(self.points.last()).flat_map(|point| point.interval))
    }
}

const BOUNDS: RGBColor = MUTED;

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

    fn size(&self) -> (u32, u32) {
        let contents = self.legend().height() + TITLE_ROOM + HEIGHT + BELOW;
        (WIDTH, self.frame().height(contents))
    }

    fn draw(&self, area: &Area<'_>) -> DrawResult {
        let area = self.frame().draw(area)?;
        let legend = self.legend();
        legend.draw(&area)?;
        let games = self.games();
        let top = (legend.height() + TITLE_ROOM) as i32;
        let x = Scale::log(games.clone(), LEFT as i32..(WIDTH - RIGHT) as i32);
        let y = Scale::linear(self.scores(), top + HEIGHT as i32..top);
        let panel = Panel { area: &area, x, y };
        panel.draw_frame("score of the first", 6)?;
        panel.label_x("games")?;
        let half = [panel.point(games.start, 0.5), panel.point(games.end, 0.5)];
        dashed(&area, &half, INK.stroke_width(1), Dash::Long)?;
        if self.points.is_empty() {
            let place = (WIDTH as i32 / 2, top + HEIGHT as i32 / 2 - 16);
            return area.draw(&Text::new("nothing was played", place, centred(HEADING, INK)));
        }
        let line = |value: &dyn Fn(&RacePoint) -> f64| -> Vec<Place> {
            self.points.iter().map(|point| panel.point(point.games, value(point))).collect()
        };
        panel.band(&line(&|p| p.interval[0]), &line(&|p| p.interval[1]), series(0), BAND)?;
        for side in 0..2 {
            // From where it is worth something on.
            let shown = panel.y.values();
            let seen = self.bounds.iter().filter(|(_, bounds)| shown.contains(&bounds[side]));
            let bound: Vec<Place> =
                seen.map(|&(games, bounds)| panel.point(games, bounds[side])).collect();
            if bound.len() > 1 {
                panel.line(&bound, BOUNDS.stroke_width(1))?;
            }
        }
        for (index, end) in self.ends.iter().enumerate() {
            let Some(games) = end.games else { continue };
            let x = panel.x.at(games);
            let from_top = [(x, top), (x, top + HEIGHT as i32)];
            dashed(&area, &from_top, series(index + 1).stroke_width(2), Dash::Short)?;
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
