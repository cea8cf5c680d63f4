//! Panels with two axes, and their lines, bands and labels. Positions are in pixels from the upper left corner of an
//! area.
//!
//! Figures of measurements use this module instead of the charts of plotters: it computes where every label ends, so
//! that labels do not overlap, and aligns the axes of panels below each other.

use std::ops::Range;

use plotters::prelude::*;
use plotters::style::{RGBColor, ShapeStyle};

use crate::canvas::{Area, DrawResult};
use crate::style::{
    GRID, INK, LABEL, MUTED, SMALL, WIDTH, above, beginning, below, count, ending, fitted,
    line_height, series, text_width, without_zero, write,
};

/// A position in an area, in pixels: x from the left, y from the top.
pub(crate) type Place = (i32, i32);

/// A conversion of numbers to pixels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    pub(crate) values: Range<f64>,
    pub(crate) pixels: Range<i32>,
    kind: ScaleKind,
}

/// The conversion of numbers to pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScaleKind {
    /// Equal differences between values appear as equal distances.
    Linear,
    /// Powers of ten are equally spaced.
    Decades,
    /// Powers of two are equally spaced.
    Doublings,
}

impl Scale {
    pub(crate) fn linear(values: Range<f64>, pixels: Range<i32>) -> Scale {
        debug_assert!(values.start < values.end, "{values:?} is empty");
        Scale { values, pixels, kind: ScaleKind::Linear }
    }

    /// Creates a scale on which powers of ten are equally spaced. All values must be positive.
    pub(crate) fn log(values: Range<f64>, pixels: Range<i32>) -> Scale {
        debug_assert!(0.0 < values.start && values.start < values.end, "{values:?} is not a range");
        Scale { values, pixels, kind: ScaleKind::Decades }
    }

    /// Creates a scale on which powers of two are equally spaced. All values must be positive.
    pub(crate) fn log2(values: Range<f64>, pixels: Range<i32>) -> Scale {
        Scale { kind: ScaleKind::Doublings, ..Scale::log(values, pixels) }
    }

    /// Returns the pixel of a value; outside the scale, the pixel of the nearer end.
    pub(crate) fn at(&self, value: f64) -> i32 {
        let Range { start, end } = self.values;
        let value = value.clamp(start, end);
        let share = match self.kind {
            ScaleKind::Linear => (value - start) / (end - start),
            ScaleKind::Decades | ScaleKind::Doublings => {
                libm::log(value / start) / libm::log(end / start)
            }
        };
        let Range { start, end } = self.pixels;
        start + (share * f64::from(end - start)).round() as i32
    }

    /// Returns about `most` round numbers on the axis, or fewer, each with its label.
    pub(crate) fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        match self.kind {
            ScaleKind::Linear => self.linear_ticks(most),
            ScaleKind::Decades => self.log_ticks(most),
            ScaleKind::Doublings => self.doubling_ticks(most),
        }
    }

    /// Returns about `most` round numbers on a horizontal axis with their labels, or fewer, so that labels do not
    /// overlap at this text size.
    pub(crate) fn fitting_ticks(&self, most: usize, size: u32) -> Vec<(f64, String)> {
        const GAP: i32 = 6;
        let fit = |ticks: &[(f64, String)]| {
            let half = |label: &str| text_width(label, size) as i32 / 2;
            ticks.windows(2).all(|two| {
                let [a, b] = [&two[0], &two[1]];
                self.at(a.0) + half(&a.1) + GAP <= self.at(b.0) - half(&b.1)
            })
        };
        let all = (1..=most).rev().map(|most| self.ticks(most));
        all.into_iter().find(|ticks| fit(ticks)).unwrap_or_default()
    }

    fn linear_ticks(&self, most: usize) -> Vec<(f64, String)> {
        let Range { start, end } = self.values;
        let least = (end - start) / most.max(1) as f64;
        let power = libm::exp10(libm::log10(least).floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&s| s >= least);
        let step = step.unwrap_or(10.0 * power);
        let decimals = (-libm::log10(step).floor()).max(0.0) as usize;
        let first = (start / step - 1e-9).ceil() as i64;
        let last = (end / step + 1e-9).floor() as i64;
        // Zero has no significant digits; it is written "0", not ".00".
        let label = |value: f64| match value.abs() < 1e-9 * step {
            true => "0".to_string(),
            false => without_zero(&format!("{value:.decimals$}")),
        };
        (first..=last).map(|k| k as f64 * step).map(|value| (value, label(value))).collect()
    }

    fn log_ticks(&self, most: usize) -> Vec<(f64, String)> {
        let Range { start, end } = self.values;
        let powers =
            (libm::log10(start) - 1e-9).floor() as i32..=(libm::log10(end) + 1e-9).floor() as i32;
        let within = |factors: &[f64], every: usize| -> Vec<f64> {
            let ticks = powers.clone().step_by(every).flat_map(|power| {
                factors.iter().map(move |factor| factor * libm::exp10(f64::from(power)))
            });
            ticks.filter(|&t| t >= start * (1.0 - 1e-9) && t <= end * (1.0 + 1e-9)).collect()
        };
        let mut ticks = within(&[1.0], 1);
        for factors in [&[1.0, 3.0][..], &[1.0, 2.0, 5.0], &[1.0, 2.0, 3.0, 4.0, 5.0, 7.0]] {
            let more = within(factors, 1);
            if ticks.len() < 3 && more.len() <= most {
                ticks = more;
            }
        }
        let mut every = 1;
        while ticks.len() > most.max(1) {
            every += 1;
            ticks = within(&[1.0], every);
        }
        ticks.into_iter().map(|tick| (tick, count(rounded(tick)))).collect()
    }

    /// Returns at most `most` powers of two, evenly spaced on a logarithmic axis, with their labels. Labels have all
    /// digits, because 1k means 1000, not 1024.
    fn doubling_ticks(&self, most: usize) -> Vec<(f64, String)> {
        let Range { start, end } = self.values;
        let first = (libm::log2(start) - 1e-9).ceil() as i32;
        let last = (libm::log2(end) + 1e-9).floor() as i32;
        let num_powers = (last - first + 1).max(0) as usize;
        let every = num_powers.div_ceil(most.max(1)).max(1);
        let powers = (first..=last).step_by(every).map(|power| libm::ldexp(1.0, power));
        powers.map(|tick| (tick, tick.to_string())).collect()
    }
}

/// Rounds off the error of a computed power of ten.
fn rounded(number: f64) -> f64 {
    if number >= 1.0 { number.round() } else { (number * 1e9).round() / 1e9 }
}

/// An area with two scales.
pub(crate) struct Panel<'a, 'b> {
    pub(crate) area: &'b Area<'a>,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
}

/// The width of the labels of an axis on the left, in pixels.
pub(crate) const LEFT: u32 = 48;
/// The height of the labels and the title below an axis, in pixels.
pub(crate) const BELOW: u32 = 34;
/// The space to the right of a panel for half of the last label, in pixels.
pub(crate) const RIGHT: u32 = 18;
/// The height of the title of a panel, in pixels.
pub(crate) const TITLE_ROOM: u32 = 22;

impl Panel<'_, '_> {
    /// Draws the grid, the frame, the labels of the vertical axis, and a title at the upper left.
    pub(crate) fn draw_frame(&self, title: &str, most_ticks: usize) -> DrawResult {
        let (left, right) = (self.x.pixels.start, self.x.pixels.end);
        let (bottom, top) = (self.y.pixels.start, self.y.pixels.end);
        for (value, _) in self.x.fitting_ticks(MAX_TICKS, LABEL) {
            let x = self.x.at(value);
            self.line(&[(x, bottom), (x, top)], GRID.stroke_width(1))?;
        }
        for (value, label) in self.y.ticks(most_ticks) {
            let y = self.y.at(value);
            self.line(&[(left, y), (right, y)], GRID.stroke_width(1))?;
            write(self.area, label, (left - 5, y), ending(LABEL, INK))?;
        }
        self.line(&[(left, top), (left, bottom), (right, bottom)], INK.stroke_width(1))?;
        write(self.area, title, (left, top - 5), above(LABEL, MUTED))
    }

    /// Writes the labels and the title of the horizontal axis.
    pub(crate) fn label_x(&self, title: &str) -> DrawResult {
        let bottom = self.y.pixels.start;
        for (value, label) in self.x.fitting_ticks(MAX_TICKS, LABEL) {
            let x = self.x.at(value);
            self.line(&[(x, bottom), (x, bottom + 3)], INK.stroke_width(1))?;
            write(self.area, label, (x, bottom + 5), below(LABEL, INK))?;
        }
        let middle = (self.x.pixels.start + self.x.pixels.end) / 2;
        write(self.area, title, (middle, bottom + 19), below(LABEL, MUTED))
    }

    pub(crate) fn point(&self, x: f64, y: f64) -> Place {
        (self.x.at(x), self.y.at(y))
    }

    pub(crate) fn line(&self, points: &[Place], style: ShapeStyle) -> DrawResult {
        self.area.draw(&PathElement::new(points.to_vec(), style))
    }

    pub(crate) fn dashed(&self, path: &[Place], style: ShapeStyle, dash: Dash) -> DrawResult {
        dashed(self.area, path, style, dash)
    }

    /// Fills the area between two lines, which go from left to right.
    pub(crate) fn band(
        &self,
        low: &[Place],
        high: &[Place],
        colour: RGBColor,
        strength: f64,
    ) -> DrawResult {
        let outline: Vec<Place> = low.iter().chain(high.iter().rev()).copied().collect();
        self.area.draw(&Polygon::new(outline, colour.mix(strength)))
    }
}

/// The maximum number of labels on a horizontal axis.
const MAX_TICKS: usize = 7;

/// The opacity of a band.
pub(crate) const BAND: f64 = 0.18;
/// The opacity of a band among many.
pub(crate) const FAINT_BAND: f64 = 0.1;

/// The dash pattern of a line, which distinguishes series of the same colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dash {
    Solid,
    Long,
    Short,
}

impl Dash {
    /// Returns the pattern of series number `index`; it changes after eight series, when colours repeat.
    pub(crate) fn of_series(index: usize) -> Dash {
        [Dash::Solid, Dash::Long, Dash::Short][index / crate::style::SERIES.len() % 3]
    }
}

pub(crate) fn dashed(area: &Area<'_>, path: &[Place], style: ShapeStyle, dash: Dash) -> DrawResult {
    let lengths = match dash {
        Dash::Solid => return area.draw(&PathElement::new(path.to_vec(), style)),
        Dash::Long => [6.0, 3.0],
        Dash::Short => [2.0, 3.0],
    };
    dashes(path, lengths).into_iter().try_for_each(|dash| area.draw(&PathElement::new(dash, style)))
}

/// Splits a line into dashes, given the lengths of dashes and gaps in pixels. The dashes of plotters depend on a
/// function of the platform, so they are not used.
fn dashes(points: &[Place], lengths: [f64; 2]) -> Vec<Vec<Place>> {
    let mut dashes = Vec::new();
    let mut dash = points.first().map_or(Vec::new(), |&start| vec![start]);
    let (mut is_gap, mut left) = (false, lengths[0]);
    for (from, to) in points.iter().zip(points.iter().skip(1)) {
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = (dx * dx + dy * dy).sqrt();
        let mut done = 0.0;
        while done + left < length {
            done += left;
            let share = done / length;
            dash.push((from.0 + (share * dx).round() as i32, from.1 + (share * dy).round() as i32));
            if !is_gap {
                dashes.push(std::mem::take(&mut dash));
            }
            is_gap = !is_gap;
            left = lengths[usize::from(is_gap)];
        }
        left -= length - done;
        if !is_gap {
            dash.push(*to);
        }
    }
    if dash.len() > 1 {
        dashes.push(dash);
    }
    dashes
}

/// A name in a legend, with the style of its line.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) colour: RGBColor,
    pub(crate) dash: Dash,
}

impl Entry {
    pub(crate) fn of_series(index: usize, name: &str) -> Entry {
        Entry { name: name.into(), colour: series(index), dash: Dash::of_series(index) }
    }
}

/// A legend: rows of names, each with a sample of its line.
pub(crate) struct Legend {
    /// The entries with their positions from the upper left corner.
    entries: Vec<(Place, Entry)>,
    pub(crate) height: u32,
}

impl Legend {
    const SAMPLE: i32 = 18;
    const MARGIN: i32 = 10;

    pub(crate) fn new(names: impl Iterator<Item = Entry>) -> Legend {
        let right = WIDTH as i32 - Self::MARGIN;
        let longest = right - Self::MARGIN - Self::SAMPLE - 5;
        let row = line_height(SMALL) as i32 + 2;
        let (mut x, mut y) = (Self::MARGIN, row / 2);
        let mut entries = Vec::new();
        let all: Vec<Entry> = names.collect();
        let names: Vec<&str> = all.iter().map(|entry| &*entry.name).collect();
        for (name, entry) in fitted(&names, SMALL, longest as u32).into_iter().zip(&all) {
            let width = Self::SAMPLE + 5 + text_width(&name, SMALL) as i32;
            if x > Self::MARGIN && x + width > right {
                (x, y) = (Self::MARGIN, y + row);
            }
            entries.push(((x, y), Entry { name, ..*entry }));
            x += width + 12;
        }
        let height = if entries.is_empty() { 0 } else { (y + row / 2) as u32 };
        Legend { entries, height }
    }

    pub(crate) fn draw(&self, area: &Area<'_>) -> DrawResult {
        for ((x, y), entry) in &self.entries {
            let sample = [(*x, *y), (x + Self::SAMPLE, *y)];
            dashed(area, &sample, entry.colour.stroke_width(2), entry.dash)?;
            write(area, &entry.name, (x + Self::SAMPLE + 5, *y), beginning(SMALL, INK))?;
        }
        Ok(())
    }
}

/// Formats a score as in the literature: .53, 1.00.
pub(crate) fn short_score(score: f64, decimals: usize) -> String {
    without_zero(&format!("{score:.decimals$}"))
}

/// Returns the range of an axis that shows all scores and one half, with a margin at both ends.
pub(crate) fn score_range(scores: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = scores.fold((0.5f64, 0.5f64), |(l, h), score| (l.min(score), h.max(score)));
    let margin = 0.06 * (high - low).max(0.05);
    (low - margin).max(0.0)..(high + margin).min(1.0)
}

/// Returns the range of an axis that shows all scores, with a small margin at both ends. It includes one half if the
/// distance to the scores is at most half of their span.
pub(crate) fn tight_range(scores: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) =
        scores.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s), h.max(s)));
    if low > high {
        return score_range([].into_iter());
    }
    let near = 0.5 * (high - low).max(MIN_RANGE);
    let with_half = (low - near..=high + near).contains(&0.5);
    let (low, high) = if with_half { (low.min(0.5), high.max(0.5)) } else { (low, high) };
    let margin = 0.04 * (high - low).max(MIN_RANGE);
    (low - margin).max(0.0)..(high + margin).min(1.0)
}

/// The minimum span of scores on an axis.
const MIN_RANGE: f64 = 0.05;

/// Returns the range of a logarithmic axis for these numbers. It starts at a power of ten, at most the smallest
/// positive number. It ends at the largest number, but at least at twice the start.
pub(crate) fn log_range(numbers: impl Iterator<Item = f64> + Clone) -> Range<f64> {
    let first = numbers.clone().filter(|&number| number > 0.0).fold(f64::INFINITY, f64::min);
    let start =
        if first.is_finite() { libm::exp10((libm::log10(first) + 1e-9).floor()) } else { 1e3 };
    start..numbers.fold(2.0 * start, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, most: usize) -> Vec<String> {
        scale.ticks(most).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        let linear = |start, end| labels(Scale::linear(start..end, 0..100), 6);
        assert_eq!(linear(0.47, 0.69), [".50", ".55", ".60", ".65"]);
        assert_eq!(linear(-1.0, 1.0), ["−1.0", "−.5", "0", ".5", "1.0"]);
        assert_eq!(linear(0.4999, 0.5001), [".49990", ".49995", ".50000", ".50005", ".50010"]);
        let log = |start, end| labels(Scale::log(start..end, 0..100), 6);
        assert_eq!(log(1e3, 2e6), ["1k", "10k", "100k", "1M"]);
        assert_eq!(log(100.0, 2500.0), ["100", "300", "1k"]);
        assert_eq!(log(1.0, 1e12), ["10", "1k", "100k", "10M", "1G", "100G"]);
        assert_eq!(log(0.02, 2.0), [".03", ".1", ".3", "1"]);
        let doubling = |start, end| labels(Scale::log2(start..end, 0..100), 6);
        assert_eq!(doubling(1.0, 1024.0), ["1", "4", "16", "64", "256", "1024"]);
        assert_eq!(doubling(3.0, 20.0), ["4", "8", "16"]);
    }

    #[test]
    fn dashes_go_around_corners() {
        assert_eq!(
            dashes(&[(0, 0), (10, 0), (10, 10)], [6.0, 3.0]),
            [vec![(0, 0), (6, 0)], vec![(9, 0), (10, 0), (10, 5)], vec![(10, 8), (10, 10)]]
        );
        // The line has length 50.
        assert_eq!(
            dashes(&[(0, 0), (-30, 40)], [10.0, 5.0]),
            [
                [(0, 0), (-6, 8)],
                [(-9, 12), (-15, 20)],
                [(-18, 24), (-24, 32)],
                [(-27, 36), (-30, 40)]
            ]
        );
        // If the first dash is longer than the line, it is the whole line; one point has no dashes.
        assert_eq!(dashes(&[(0, 0), (2, 0)], [6.0, 3.0]), [[(0, 0), (2, 0)]]);
        assert_eq!(dashes(&[(0, 0)], [6.0, 3.0]), Vec::<Vec<Place>>::new());
        assert_eq!(dashes(&[], [6.0, 3.0]), Vec::<Vec<Place>>::new());
    }

    #[test]
    fn values_outside_are_at_the_ends() {
        let scale = Scale::log(1.0..100.0, 10..30);
        assert_eq!([0.0, 1.0, 10.0, 100.0, 1e9].map(|v| scale.at(v)), [10, 10, 20, 30, 30]);
        // The axis points upwards on the page, because pixels are counted downwards.
        let upwards = Scale::linear(0.0..1.0, std::ops::Range { start: 100, end: 0 });
        assert_eq!(upwards.at(0.25), 75);
    }

    #[test]
    fn legends_break_their_rows() {
        let legend = |names: &[&str]| {
            Legend::new(names.iter().enumerate().map(|(index, name)| Entry::of_series(index, name)))
        };
        assert_eq!(legend(&["a", "b"]).height, 16);
        let long = "a very long name of a method".repeat(9);
        assert_eq!(legend(&[long.as_str(); 20]).height, 20 * 16);
        assert_eq!(legend(&[]).height, 0);
    }

    #[test]
    fn ranges_hold_whatever_there_is() {
        assert_eq!(log_range([0.0, 640.0, 2e5].into_iter()), 100.0..2e5);
        assert_eq!(log_range([0.0].into_iter()), 1e3..2e3);
        assert_eq!(tight_range([0.7, 0.9].into_iter()), 0.692..0.908);
        assert_eq!(tight_range([0.55, 0.75].into_iter()), 0.49..0.76);
        assert_eq!(tight_range([1.0, 1.0].into_iter()), 0.998..1.0);
        let range = score_range([].into_iter());
        assert_eq!(tight_range([].into_iter()), range);
        assert!(range.start < 0.5 && range.end > 0.5);
        assert_eq!(score_range([0.0, 1.0].into_iter()), 0.0..1.0);
    }
}
