//! Rates as functions of a quantity, such as a number of games, on a logarithmic axis, in panels below each other.

use std::ops::Range;

use plotters::prelude::*;

use crate::axes::{
    BELOW, Dash, Entry, FAINT_BAND, LEFT, Legend, Panel, Place, RIGHT, Scale, TITLE_ROOM,
    log_range, score_range,
};
use crate::checked::{Drawable, FigureError, Result, amount, length, positive, share};
use crate::figure::{Area, DrawResult, Outline, Sheet};
use crate::style::{SERIES, WIDTH, series, write_note};

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatePoint {
    /// The positive argument of the rate, such as a number of games.
    pub x: f64,
    /// The rate, in [0, 1].
    pub rate: f64,
    /// The interval of the rate, in [0, 1].
    pub interval: [f64; 2],
}

/// A line with its band.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RateLine {
    /// The points, in order of increasing x.
    pub points: Vec<RatePoint>,
    /// A reference level in [0, 1], such as the limit of the rate.
    pub level: Option<f64>,
}

/// A panel of lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RatePanel {
    /// The title, which names the rates.
    pub title: String,
    /// One line for each name.
    pub lines: Vec<RateLine>,
}

/// The axes of [`RateCurves`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CurveKind {
    /// Rates on a logarithmic axis.
    #[default]
    Rates,
    /// Rates on a linear axis that begins at 0.
    LinearRates,
    /// Shares of a whole: the vertical axis goes from 0 to 1, and the horizontal one begins at a power of ten, as in
    /// learning curves.
    Shares,
    /// Amounts of any size on a logarithmic axis, such as regrets by the number of pulls: `rate`, `interval` and `level` may
    /// be any finite numbers.
    Amounts,
    /// Amounts by time, on a linear axis that begins at 0.
    Times,
}

/// A figure of rates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RateCurves {
    /// The title.
    pub title: String,
    /// The source of the data.
    pub caption: String,
    /// The title of the horizontal axis. Its ticks are powers of two if all arguments are, otherwise powers of ten.
    pub x_title: String,
    /// The axes.
    pub kind: CurveKind,
    /// The names of the lines, in the order of their colours.
    pub names: Vec<String>,
    /// The panels, from the top.
    pub panels: Vec<RatePanel>,
}

impl RateCurves {
    /// Returns the height of a panel, in pixels. Fewer panels are taller.
    fn panel_height(&self) -> u32 {
        match self.panels.len() {
            0..=2 => 150,
            3..=4 => 110,
            _ => 80,
        }
    }

    fn legend(&self) -> Legend {
        let names = self.names.iter().enumerate();
        Legend::new(names.map(|(index, name)| Entry::of_series(index, name)))
    }

    fn contents(&self) -> u32 {
        let panels = self.panels.len().max(1) as u32;
        self.legend().height + panels * (self.panel_height() + TITLE_ROOM) + BELOW
    }

    fn points(&self) -> impl Iterator<Item = &RatePoint> + Clone {
        self.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points)
    }

    fn x_range(&self) -> Range<f64> {
        let xs = self.points().map(|point| point.x);
        let (low, high) = xs.fold((f64::INFINITY, 0.0f64), |(l, h), x| (l.min(x), h.max(x)));
        let low = if low.is_finite() { low } else { 1.0 };
        low..high.max(2.0 * low)
    }

    fn scale(&self, pixels: Range<i32>) -> Scale {
        let xs = || self.points().map(|point| point.x);
        let range = self.x_range();
        match self.kind {
            CurveKind::Rates if xs().all(|x| libm::frexp(x).0 == 0.5) => Scale::log2(range, pixels),
            CurveKind::Rates | CurveKind::Amounts => Scale::log(range, pixels),
            CurveKind::LinearRates => Scale::linear(0.0..1.05 * range.end, pixels),
            CurveKind::Times => Scale::linear(0.0..range.end.max(1.0), pixels),
            CurveKind::Shares => Scale::log(log_range(xs()), pixels),
        }
    }

    /// Returns a vertical range that includes the given numbers.
    fn y_range(&self, ys: impl Iterator<Item = f64> + Clone) -> Range<f64> {
        match self.kind {
            CurveKind::Rates | CurveKind::LinearRates => score_range(ys),
            CurveKind::Shares => 0.0..1.0,
            CurveKind::Amounts | CurveKind::Times => amount_range(ys),
        }
    }
}

impl Drawable for RateCurves {
    fn check(&self) -> Result<(), FigureError> {
        let check_x: Check = match self.kind {
            CurveKind::LinearRates | CurveKind::Times => {
                |x, what| if x == 0.0 { Ok(()) } else { positive(x, what) }
            }
            _ => |x, what| positive(x, what),
        };
        let check_y: Check = match self.kind {
            CurveKind::Amounts | CurveKind::Times => |y, what| amount(y, what),
            _ => |rate, what| share(rate, what),
        };
        for panel in &self.panels {
            length(panel.lines.len(), self.names.len(), || {
                format!("the lines of {}", panel.title)
            })?;
            for (line, name) in panel.lines.iter().zip(&self.names) {
                let what = || format!("{name} in {}", panel.title);
                for point in &line.points {
                    check_x(point.x, &what)?;
                    let [low, high] = point.interval;
                    [point.rate, low, high].into_iter().try_for_each(|y| check_y(y, &what))?;
                }
                line.level.map_or(Ok(()), |level| check_y(level, &what))?;
            }
        }
        Ok(())
    }

    fn outline(&self, _: Sheet) -> Outline<'_> {
        Outline::new(&self.title, &self.caption, self.contents())
    }

    fn draw(&self, area: &Area<'_>, _: Sheet) -> DrawResult {
        let legend = self.legend();
        legend.draw(area)?;
        let x = self.scale(LEFT as i32..(WIDTH - RIGHT) as i32);
        let mut top = (legend.height + TITLE_ROOM) as i32;
        let height = self.panel_height() as i32;
        if self.points().next().is_none() {
            let place = (WIDTH as i32 / 2, top + height / 2);
            return write_note(area, "nothing was measured", place);
        }
        for (index, panel) in self.panels.iter().enumerate() {
            let points = || panel.lines.iter().flat_map(|line| &line.points);
            let levels = panel.lines.iter().filter_map(|line| line.level);
            let rates = points().flat_map(|p| [p.rate, p.interval[0], p.interval[1]]);
            let y = Scale::linear(self.y_range(rates.chain(levels)), top + height..top);
            let on = Panel { area, x: x.clone(), y };
            on.draw_frame(&panel.title, 4)?;
            draw_lines(&on, &panel.lines)?;
            if index + 1 == self.panels.len() {
                on.label_x(&self.x_title)?;
            }
            top += height + TITLE_ROOM as i32;
        }
        Ok(())
    }
}

/// Checks a number; the function describes it.
type Check = fn(f64, &dyn Fn() -> String) -> Result;

/// Returns the range of an axis that shows 0 and all amounts, with a margin above.
fn amount_range(amounts: impl Iterator<Item = f64> + Clone) -> Range<f64> {
    let (low, high) = (amounts.clone().fold(0.0, f64::min), amounts.fold(0.0, f64::max));
    // If all amounts are about 0, the margin keeps the range from being empty.
    let margin = 0.06 * (high - low).max(1e-6);
    let start = if low < 0.0 { low - margin } else { 0.0 };
    start..high + margin
}

fn draw_lines(on: &Panel<'_, '_>, lines: &[RateLine]) -> DrawResult {
    for (index, line) in lines.iter().enumerate() {
        let bound = |side: usize| -> Vec<Place> {
            line.points.iter().map(|point| on.point(point.x, point.interval[side])).collect()
        };
        if line.points.len() > 1 {
            on.band(&bound(0), &bound(1), series(index), FAINT_BAND)?;
        }
    }
    let Range { start, end } = on.x.values;
    for (index, line) in lines.iter().enumerate() {
        let colour = series(index);
        if let Some(level) = line.level {
            let ends = [on.point(start, level), on.point(end, level)];
            on.dashed(&ends, colour.stroke_width(1), Dash::Short)?;
        }
        let places: Vec<Place> =
            line.points.iter().map(|point| on.point(point.x, point.rate)).collect();
        match places.as_slice() {
            [] => {}
            // A dashed line that is only a point is a circle.
            [alone] if index < SERIES.len() => {
                on.area.draw(&Circle::new(*alone, 2, colour.filled()))?;
            }
            [alone] => on.area.draw(&Circle::new(*alone, 2, colour.stroke_width(1)))?,
            _ => on.dashed(&places, colour.stroke_width(2), Dash::of_series(index))?,
        }
    }
    Ok(())
}
