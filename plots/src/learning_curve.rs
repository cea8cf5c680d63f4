//! Learning curves: the score of each run's incumbent by the number of games. Optional panels below show step sizes and
//! shares of accepted candidates.

use std::ops::Range;

use plotters::prelude::*;

use crate::axes::{
    BELOW, Dash, LEFT, Panel, Place, RIGHT, Scale, TITLE_ROOM, dashed, log_range, tight_range,
};
use crate::checked::{Drawable, FigureError, count_like, positive, score, share};
use crate::figure::{Area, DrawResult, Outline, Sheet};
use crate::labels::spread;
use crate::style::{
    Frame, INK, MUTED, SMALL, WIDTH, beginning, fitted, line_height, series, widest, write,
    write_note,
};

/// A score with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The number of games played so far, at least 0.
    pub games: f64,
    /// The score, in [0, 1].
    pub score: f64,
    /// The interval of the score, in [0, 1].
    pub interval: [f64; 2],
}

/// The learning curve of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunCurve {
    /// The scores of the incumbents, in order of increasing number of games. Each is valid until the next point.
    pub points: Vec<CurvePoint>,
    /// The number of games of the run, until which the last score is valid.
    pub games: f64,
    /// The step sizes, in order of increasing number of games: a number of games, and the positive step size from then
    /// on. Empty if the method has no step size.
    pub sigma: Vec<(f64, f64)>,
}

/// The share of accepted candidates in a range of games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Acceptance {
    /// The start of the range, at least 0.
    pub from: f64,
    /// The end of the range.
    pub to: f64,
    /// The share of accepted candidates, in [0, 1].
    pub share: f64,
}

/// The runs of one method.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MethodCurves {
    /// The name of the method.
    pub name: String,
    /// The runs of the method.
    pub runs: Vec<RunCurve>,
    /// The mean score over the runs, with a band. Each point is valid until the next point. Empty if there is only one
    /// run.
    pub mean: Vec<CurvePoint>,
    /// The shares of accepted candidates over all runs, in order of increasing number of games.
    pub acceptance: Vec<Acceptance>,
}

/// A figure of learning curves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LearningCurves {
    /// The title.
    pub title: String,
    /// The source of the data: method, seeds, sample size.
    pub caption: String,
    /// The methods, in the order of their colours.
    pub methods: Vec<MethodCurves>,
    /// Whether panels below the scores show step sizes and shares of accepted candidates.
    pub has_all_panels: bool,
}

/// The minimum height of the panel of scores, in pixels.
const SCORES: u32 = 220;
/// The height of each panel below the panel of scores, in pixels.
const BELOW_SCORES: u32 = 66;
/// The maximum x coordinate of the panels' right end, in pixels, with names beside the lines.
const NAMED_RIGHT: i32 = 344;
/// The minimum x coordinate of the panels' right end on a narrow sheet, in pixels.
const MIN_RIGHT: i32 = 175;
/// The horizontal distance between the intervals at the ends of lines, in pixels.
const WHISKER: i32 = 5;
/// The length of the line from the end of a curve to its name, in pixels.
const CONNECTOR: i32 = 18;
/// The length of the last part of a connector, which is as thick as a curve, in pixels.
const STUB: i32 = 7;
/// The maximum width of a name, in pixels; longer names are cut.
const LONGEST_NAME: i32 = 230;
/// The minimum width of names on a narrow sheet, in pixels.
const MIN_NAME: i32 = 60;
/// The opacity of a band.
const FILL: f64 = 0.1;
/// The opacity of the thin lines at the edges of a band.
const OUTLINE: f64 = 0.35;

struct Layout {
    /// The x coordinate of the panels' right end, in pixels.
    right: i32,
    /// The names beside the lines; empty if there is only one method.
    names: Vec<String>,
    width: u32,
}

impl LearningCurves {
    fn runs(&self) -> impl Iterator<Item = &RunCurve> + Clone {
        self.methods.iter().flat_map(|method| &method.runs)
    }

    fn points(&self) -> impl Iterator<Item = &CurvePoint> + Clone {
        let of_methods = |method| {
            let MethodCurves { runs, mean, .. }: &MethodCurves = method;
            runs.iter().flat_map(|run| &run.points).chain(mean)
        };
        self.methods.iter().flat_map(of_methods)
    }

    /// Returns the width of the area for intervals at the ends of lines, in pixels; 0 if there are bands.
    fn whiskers(&self) -> i32 {
        if self.has_bands() { 0 } else { WHISKER * (self.methods.len() as i32 + 1) }
    }

    fn layout(&self, sheet: Sheet) -> Layout {
        // Names are beside the ends of lines. The name of a single method is in the title.
        if self.methods.len() < 2 {
            return Layout { right: (WIDTH - RIGHT) as i32, names: Vec::new(), width: WIDTH };
        }
        let beside = self.whiskers() + CONNECTOR + 4 + Frame::MARGIN as i32;
        let room = i32::try_from(sheet.most_width()).unwrap_or(i32::MAX) - beside;
        let longest = (room - MIN_RIGHT).clamp(MIN_NAME, LONGEST_NAME) as u32;
        let name = |method: &MethodCurves| match self.shown(method).points.last() {
            Some(_) => method.name.clone(),
            None => format!("{}: no score", method.name),
        };
        let names: Vec<String> = self.methods.iter().map(name).collect();
        let names = fitted(&names, SMALL, longest);
        let longest = widest(&names, SMALL) as i32;
        let right = NAMED_RIGHT.min((room - longest).max(LEFT as i32 + MIN_NAME));
        Layout { right, names, width: WIDTH.max((right + beside + longest) as u32) }
    }

    /// Returns the height of the panel of scores, with room for the names of all methods.
    fn scores_height(&self) -> u32 {
        SCORES.max(self.methods.len() as u32 * line_height(SMALL))
    }

    fn sigmas(&self) -> impl Iterator<Item = f64> + Clone {
        self.runs().flat_map(|run| run.sigma.iter().map(|&(_, sigma)| sigma))
    }

    fn has_sigma(&self) -> bool {
        self.has_all_panels && self.sigmas().next().is_some()
    }

    fn has_acceptance(&self) -> bool {
        self.has_all_panels && self.methods.iter().any(|method| !method.acceptance.is_empty())
    }

    fn contents(&self) -> u32 {
        let below = u32::from(self.has_sigma()) + u32::from(self.has_acceptance());
        self.scores_height() + TITLE_ROOM + below * (BELOW_SCORES + TITLE_ROOM) + BELOW
    }

    fn games_range(&self) -> Range<f64> {
        // Points before the start of the axis are drawn at its left end.
        let of_runs = self.runs().flat_map(|run| {
            let points = run.points.iter().map(|point| point.games);
            points.chain(run.sigma.iter().map(|&(games, _)| games)).chain([run.games])
        });
        let binned = self.methods.iter().flat_map(|method| &method.acceptance);
        log_range(of_runs.chain(binned.flat_map(|bin| [bin.from, bin.to])))
    }

    fn has_bands(&self) -> bool {
        self.methods.len() <= MAX_BANDS
    }

    /// Returns the curve of the only run, or the mean of several runs.
    fn shown<'a>(&self, method: &'a MethodCurves) -> Shown<'a> {
        let games = method.runs.iter().fold(0.0, |most: f64, run| most.max(run.games));
        match method.runs.as_slice() {
            [run] => Shown { points: &run.points, games },
            _ => Shown { points: &method.mean, games },
        }
    }

    /// Returns `true` if the runs have lines. The runs of several methods would hide each other.
    fn has_runs(&self) -> bool {
        matches!(self.methods.as_slice(), [only] if only.runs.len() > 1)
    }

    /// Returns a range that includes all lines, with their bands or final intervals. Cutting these off would mislead
    /// readers.
    fn score_range(&self) -> Range<f64> {
        let shown = || self.methods.iter().flat_map(|method| self.shown(method).points);
        let runs = self.runs().filter(|_| self.has_runs()).flat_map(|run| &run.points);
        let lines = shown().chain(runs).map(|point| point.score);
        let ends = self.methods.iter().filter_map(|method| self.shown(method).points.last());
        let of_bands: Vec<&CurvePoint> =
            if self.has_bands() { shown().collect() } else { ends.collect() };
        tight_range(lines.chain(of_bands.iter().flat_map(|point| point.interval)))
    }

    fn draw_scores(&self, panel: &Panel<'_, '_>) -> DrawResult {
        let Range { start, end } = panel.x.values;
        if panel.y.values.contains(&0.5) {
            let half = [panel.point(start, 0.5), panel.point(end, 0.5)];
            dashed(panel.area, &half, MUTED.stroke_width(1), Dash::Long)?;
        }
        if self.points().next().is_none() {
            let middle = (panel.y.values.start + panel.y.values.end) / 2.0;
            let place = ((panel.x.at(start) + panel.x.at(end)) / 2, panel.y.at(middle) - 14);
            return write_note(panel.area, "nothing was measured", place);
        }
        let line = |shown: Shown<'_>, value: &dyn Fn(&CurvePoint) -> f64| {
            let points = shown.points.iter().map(|point| (point.games, value(point)));
            columns(&steps(panel, points, shown.games))
        };
        if self.has_bands() {
            for (index, method) in self.methods.iter().enumerate() {
                let bounds = [0, 1].map(|side| line(self.shown(method), &|p| p.interval[side]));
                panel.band(&bounds[0], &bounds[1], series(index), FILL)?;
                for bound in bounds.iter().filter(|bound| bound.len() > 1) {
                    panel.line(bound, series(index).mix(OUTLINE).stroke_width(1))?;
                }
            }
        }
        if self.has_runs() {
            for run in self.runs() {
                let shown = Shown { points: &run.points, games: run.games };
                let style = series(0).mix(0.55).stroke_width(1);
                panel.line(&line(shown, &|point| point.score), style)?;
            }
        }
        let width = if self.has_bands() { 2 } else { 1 };
        for (index, method) in self.methods.iter().enumerate() {
            let line = line(self.shown(method), &|point| point.score);
            let style = series(index).stroke_width(width);
            panel.dashed(&line, style, Dash::of_series(index))?;
        }
        Ok(())
    }

    /// Writes the names beside the ends of the lines, with the intervals if there are no bands.
    fn draw_names(&self, panel: &Panel<'_, '_>, layout: Layout) -> DrawResult {
        let Layout { right, names, .. } = layout;
        let Range { start: bottom, end: top } = panel.y.pixels;
        let ends: Vec<Option<&CurvePoint>> =
            self.methods.iter().map(|method| self.shown(method).points.last()).collect();
        let wanted = ends.iter().map(|end| end.map_or(bottom, |end| panel.y.at(end.score)));
        let wanted: Vec<i32> = wanted.collect();
        let row = line_height(SMALL) as i32;
        let places = spread(&wanted, row, top + row / 2, bottom - row / 2);
        let from = right + self.whiskers();
        for (index, (name, y)) in names.into_iter().zip(places).enumerate() {
            write(panel.area, name, (from + CONNECTOR + 4, y), beginning(SMALL, INK))?;
            let Some(end) = ends[index] else { continue };
            let (at, colour) = (wanted[index], series(index));
            // A run that ended early keeps its score.
            let own_end = panel.x.at(self.shown(&self.methods[index]).games);
            let rest = [(own_end, at), (right, at)];
            if own_end < right {
                dashed(panel.area, &rest, colour.stroke_width(1), Dash::Short)?;
            }
            let connector = [(right, at), (from, at), (from + CONNECTOR - STUB, y)];
            panel.line(&connector, colour.mix(0.6).stroke_width(1))?;
            // The connectors of lines with the same end overlap, except for their last parts.
            let stub = [(from + CONNECTOR - STUB, y), (from + CONNECTOR, y)];
            panel.line(&stub, colour.stroke_width(2))?;
            if !self.has_bands() {
                let x = right + WHISKER * (index as i32 + 1);
                let interval = end.interval.map(|bound| (x, panel.y.at(bound)));
                panel.line(&interval, colour.stroke_width(1))?;
                panel.area.draw(&Circle::new((x, at), 2, colour.filled()))?;
            }
        }
        Ok(())
    }

    fn draw_sigma(&self, panel: &Panel<'_, '_>) -> DrawResult {
        for (index, method) in self.methods.iter().enumerate() {
            let strength = if method.runs.len() == 1 { 1.0 } else { 0.7 };
            for run in &method.runs {
                let line = columns(&steps(panel, run.sigma.iter().copied(), run.games));
                let style = series(index).mix(strength).stroke_width(1);
                panel.dashed(&line, style, Dash::of_series(index))?;
            }
        }
        Ok(())
    }

    fn draw_acceptance(&self, panel: &Panel<'_, '_>) -> DrawResult {
        for (index, method) in self.methods.iter().enumerate() {
            let colour = series(index);
            let mut line = Vec::new();
            for bin in &method.acceptance {
                let [from, to] = [bin.from, bin.to].map(|games| panel.point(games, bin.share));
                if to.0 - from.0 < 4 {
                    panel.area.draw(&Circle::new(from, 2, colour.filled()))?;
                }
                line.extend([from, to]);
            }
            if line.len() > 1 {
                panel.dashed(&line, colour.stroke_width(1), Dash::of_series(index))?;
            }
        }
        Ok(())
    }
}

impl Drawable for LearningCurves {
    fn check(&self) -> Result<(), FigureError> {
        for method in &self.methods {
            let name = &method.name;
            let points = method.runs.iter().flat_map(|run| &run.points).chain(&method.mean);
            for point in points {
                count_like(point.games, || format!("games of {name}"))?;
                score(point.score, point.interval, || format!("the learning curve of {name}"))?;
            }
            for run in &method.runs {
                count_like(run.games, || format!("games of {name}"))?;
                for &(games, sigma) in &run.sigma {
                    count_like(games, || format!("games of {name}"))?;
                    positive(sigma, || format!("a step size of {name}"))?;
                }
            }
            for bin in &method.acceptance {
                count_like(bin.from, || format!("games of {name}"))?;
                count_like(bin.to, || format!("games of {name}"))?;
                share(bin.share, || format!("the rate of acceptance of {name}"))?;
            }
        }
        Ok(())
    }

    fn outline(&self, sheet: Sheet) -> Outline<'_> {
        let width = self.layout(sheet).width;
        Outline { width, ..Outline::new(&self.title, &self.caption, self.contents()) }
    }

    fn draw(&self, area: &Area<'_>, sheet: Sheet) -> DrawResult {
        let layout = self.layout(sheet);
        let x = Scale::log(self.games_range(), LEFT as i32..layout.right);
        let mut top = TITLE_ROOM as i32;
        let panel = |y: Scale| Panel { area, x: x.clone(), y };

        let height = self.scores_height() as i32;
        let scores = panel(Scale::linear(self.score_range(), top + height..top));
        scores.draw_frame("score", 6)?;
        self.draw_scores(&scores)?;
        self.draw_names(&scores, layout)?;
        let mut last = scores;
        top += height + TITLE_ROOM as i32;
        let pixels = |top: i32| top + BELOW_SCORES as i32..top;
        if self.has_sigma() {
            last = panel(Scale::log(sigma_range(self.sigmas()), pixels(top)));
            last.draw_frame("step size sigma", 4)?;
            self.draw_sigma(&last)?;
            top += (BELOW_SCORES + TITLE_ROOM) as i32;
        }
        if self.has_acceptance() {
            last = panel(Scale::linear(0.0..1.0, pixels(top)));
            last.draw_frame("share of candidates accepted", 2)?;
            self.draw_acceptance(&last)?;
        }
        last.label_x("games in comparisons")
    }
}

/// The maximum number of methods with bands. More bands would hide each other, so an interval at the end of each line
/// replaces them.
pub const MAX_BANDS: usize = 4;

/// The line of a method, and the number of games until which its last score is valid.
#[derive(Clone, Copy)]
struct Shown<'a> {
    points: &'a [CurvePoint],
    games: f64,
}

/// Returns the steps of a line: each score is valid until the next one, and the last until `end`.
fn steps(panel: &Panel<'_, '_>, values: impl Iterator<Item = (f64, f64)>, end: f64) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (games, value) in values {
        let place = panel.point(games, value);
        if let Some(&(_, y)) = places.last() {
            places.push((place.0, y));
        }
        places.push(place);
    }
    if let Some(&(x, y)) = places.last() {
        places.push((panel.x.at(end).max(x), y));
    }
    places
}

/// Reduces a line to at most four points per column of pixels: a run may have a million iterations.
fn columns(line: &[Place]) -> Vec<Place> {
    let mut shown: Vec<Place> = Vec::new();
    for column in line.chunk_by(|a, b| a.0 == b.0) {
        let ys = column.iter().map(|place| place.1);
        let (x, first, last) = (column[0].0, column[0].1, column[column.len() - 1].1);
        for y in [Some(first), ys.clone().min(), ys.max(), Some(last)].into_iter().flatten() {
            if shown.last() != Some(&(x, y)) {
                shown.push((x, y));
            }
        }
    }
    shown
}

fn sigma_range(sigmas: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = sigmas.fold((1.0f64, 1.0f64), |(l, h), s| (l.min(s), h.max(s)));
    // A step size may be so small that only its logarithm can be shown.
    (low / 1.5).max(1e-30)..(high * 1.5).min(1e30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_pixels_has_four_points_at_most() {
        let line: Vec<Place> = (0..1000).map(|i| (i / 500, (i * 7919) % 100)).collect();
        let shown = columns(&line);
        assert!(shown.len() <= 8, "{shown:?}");
        assert_eq!((shown[0], shown[shown.len() - 1]), (line[0], line[999]));
        for x in [0, 1] {
            let ys: Vec<i32> = shown.iter().filter(|place| place.0 == x).map(|p| p.1).collect();
            assert!(ys.contains(&0) && ys.contains(&99));
        }
    }
}
