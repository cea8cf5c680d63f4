//! The score of the incumbents of runs as games go by, and below it their step sizes and how often they
//! accepted a candidate.

use std::ops::Range;

use plotters::prelude::*;

use crate::axes::{
    BAND, BELOW, Dash, Entry, FAINT_BAND, LEFT, Legend, Panel, Place, RIGHT, Scale, dashed,
    log_range, score_range,
};
use crate::canvas::{Area, DrawResult};
use crate::checked::{Drawable, FigureError, count_like, positive, score, share};
use crate::style::{Frame, HEADING, INK, MUTED, WIDTH, centred, series};

/// A score with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Games played until then, at least 0.
    pub games: f64,
    /// The score, in [0, 1].
    pub score: f64,
    /// Its interval, in [0, 1].
    pub interval: [f64; 2],
}

/// One run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunCurve {
    /// The scores of its incumbents, by increasing games; each holds until the next.
    pub points: Vec<CurvePoint>,
    /// Games of the whole run, up to which the last point holds.
    pub games: f64,
    /// Games, and the step size from then on, above 0; by increasing games. Empty without step sizes.
    pub sigma: Vec<(f64, f64)>,
}

/// How many candidates were accepted while games went by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Acceptance {
    /// Games at the beginning, at least 0.
    pub from: f64,
    /// Games at the end.
    pub to: f64,
    /// The share of candidates that were accepted, in [0, 1].
    pub share: f64,
}

/// The runs of one method.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MethodCurves {
    /// The name of the method.
    pub name: String,
    /// Its runs.
    pub runs: Vec<RunCurve>,
    /// The mean score over the runs with its interval, each until the next; empty if there is one run.
    pub mean: Vec<CurvePoint>,
    /// How often all runs together accepted a candidate, by increasing games.
    pub acceptance: Vec<Acceptance>,
}

/// The data of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LearningCurves {
    /// What is shown.
    pub title: String,
    /// Where it comes from: method, seeds, sample size.
    pub caption: String,
    /// The methods, in the order of their colours.
    pub methods: Vec<MethodCurves>,
}

/// The height of the panel of scores, and of each panel below it.
const SCORES: u32 = 190;
const BELOW_SCORES: u32 = 66;
/// The title of a panel.
const TITLE_ROOM: u32 = 22;

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

    /// Who needs a legend: one method alone is named by the title.
    fn legend(&self) -> Legend {
        let entries = self.methods.iter().enumerate();
        let entries = entries.map(|(index, method)| Entry::of_series(index, &method.name));
        Legend::new(entries.filter(|_| self.methods.len() > 1))
    }

    fn sigmas(&self) -> impl Iterator<Item = f64> + Clone {
        self.runs().flat_map(|run| run.sigma.iter().map(|&(_, sigma)| sigma))
    }

    fn has_sigma(&self) -> bool {
        self.sigmas().next().is_some()
    }

    fn has_acceptance(&self) -> bool {
        self.methods.iter().any(|method| !method.acceptance.is_empty())
    }

    fn contents(&self) -> u32 {
        let below = u32::from(self.has_sigma()) + u32::from(self.has_acceptance());
        let panels = SCORES + TITLE_ROOM + below * (BELOW_SCORES + TITLE_ROOM);
        self.legend().height() + panels + BELOW
    }

    fn games_range(&self) -> Range<f64> {
        // What happened at the start is at the left end of the axis.
        let of_runs = self.runs().flat_map(|run| {
            let points = run.points.iter().map(|point| point.games);
            points.chain(run.sigma.iter().map(|&(games, _)| games)).chain([run.games])
        });
        let binned = self.methods.iter().flat_map(|method| &method.acceptance);
        log_range(of_runs.chain(binned.flat_map(|bin| [bin.from, bin.to])))
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

    fn size(&self) -> (u32, u32) {
        (WIDTH, Frame::new(&self.title, &self.caption).height(self.contents()))
    }

    fn draw(&self, area: &Area<'_>) -> DrawResult {
        let area = Frame::new(&self.title, &self.caption).draw(area)?;
        let legend = self.legend();
        legend.draw(&area)?;
        let x = Scale::log(self.games_range(), LEFT as i32..(WIDTH - RIGHT) as i32);
        let mut top = (legend.height() + TITLE_ROOM) as i32;
        let panel = |y: Scale| Panel { area: &area, x: x.clone(), y };

        let scores = panel(Scale::linear(self.score_range(), top + SCORES as i32..top));
        scores.draw_frame("score", 6)?;
        self.draw_scores(&scores)?;
        let mut last = scores;
        top += (SCORES + TITLE_ROOM) as i32;
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

/// Of more methods than these, bands and single runs hide each other: only the means are drawn.
pub const MOST_BANDS: usize = 4;

impl LearningCurves {
    /// Whether only the means are drawn of methods with several runs.
    fn has_means_only(&self) -> bool {
        self.methods.len() > MOST_BANDS
    }

    /// All curves, and as much of the bands as is not far beyond them: two runs have an interval that says
    /// nothing.
    fn score_range(&self) -> Range<f64> {
        let curves = score_range(self.points().map(|point| point.score));
        let room = (curves.end - curves.start).max(0.05);
        let (low, high) = (curves.start - 0.15 * room, curves.end + 0.15 * room);
        let bands = self.points().flat_map(|point| point.interval);
        score_range(bands.map(|bound| bound.clamp(low, high)))
    }

    fn draw_scores(&self, panel: &Panel<'_, '_>) -> DrawResult {
        let Range { start, end } = panel.x.values();
        let half = [panel.point(start, 0.5), panel.point(end, 0.5)];
        dashed(panel.area, &half, MUTED.stroke_width(1), Dash::Long)?;
        if self.points().next().is_none() {
            let place = ((panel.x.at(start) + panel.x.at(end)) / 2, panel.y.at(0.5) - 14);
            let note = Text::new("nothing was measured", place, centred(HEADING, INK));
            return panel.area.draw(&note);
        }
        let last = |method: &MethodCurves| method.runs.iter().fold(0.0, |a: f64, r| a.max(r.games));
        let strength = if self.methods.len() > 2 { FAINT_BAND } else { BAND };
        for (index, method) in self.methods.iter().enumerate() {
            let with_band = match method.runs.as_slice() {
                [run] => Some((&run.points, run.games)),
                _ if self.has_means_only() => None,
                _ if method.mean.is_empty() => None,
                _ => Some((&method.mean, last(method))),
            };
            let Some((points, games)) = with_band else { continue };
            let bound = |side: usize| {
                let bounds = points.iter().map(|point| (point.games, point.interval[side]));
                columns(&steps(panel, bounds, games))
            };
            panel.band(&bound(0), &bound(1), series(index), strength)?;
        }
        for (index, method) in self.methods.iter().enumerate() {
            let is_alone = method.runs.len() == 1;
            if !is_alone && self.has_means_only() {
                continue;
            }
            let thin = series(index).mix(if is_alone { 1.0 } else { 0.55 });
            for run in &method.runs {
                let points = run.points.iter().map(|point| (point.games, point.score));
                let line = columns(&steps(panel, points, run.games));
                let width = if is_alone { 2 } else { 1 };
                panel.dashed(&line, thin.stroke_width(width), Dash::of_series(index))?;
            }
        }
        for (index, method) in self.methods.iter().enumerate().filter(|(_, m)| m.runs.len() > 1) {
            let points = method.mean.iter().map(|point| (point.games, point.score));
            let line = columns(&steps(panel, points, last(method)));
            panel.dashed(&line, series(index).stroke_width(3), Dash::of_series(index))?;
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

/// An incumbent keeps its score until the next one: steps, not slopes. The last value holds until `games`.
fn steps(
    panel: &Panel<'_, '_>,
    values: impl Iterator<Item = (f64, f64)>,
    games: f64,
) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (games, value) in values {
        let place = panel.point(games, value);
        if let Some(&(_, y)) = places.last() {
            places.push((place.0, y));
        }
        places.push(place);
    }
    if let Some(&(x, y)) = places.last() {
        places.push((panel.x.at(games).max(x), y));
    }
    places
}

/// The same line with four points at most for each column of pixels: a run may have a million iterations.
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
    // A step size may become so small that only its logarithm is worth a picture.
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
