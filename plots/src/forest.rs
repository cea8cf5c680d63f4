//! A forest plot: each row shows a number with its interval; a vertical line marks "no effect".

use plotters::prelude::*;

use crate::axes::{Panel, Scale};
use crate::checked::{Drawable, FigureError, number};
use crate::figure::{Area, DrawResult, Outline, Sheet};
use crate::style::{
    Frame, GRID, INK, LABEL, MUTED, SERIES, SMALL, WIDTH, below, ending, fitted, line_height,
    widest, without_zero, write, write_note,
};

/// A forest plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Forest {
    /// The title.
    pub title: String,
    /// The source of the data: the strategy, its opponent, the sample.
    pub caption: String,
    /// The quantity on the axis.
    pub quantity: String,
    /// The number that stands for "no effect": 0 for gains and losses, one half for scores. If it is 0, all other
    /// numbers have a sign.
    pub reference: f64,
    /// The rows, from top to bottom.
    pub rows: Vec<ForestRow>,
}

/// A number and its interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForestRow {
    /// The name of the row.
    pub name: String,
    /// The number, in [-1, 1].
    pub value: f64,
    /// The interval of the value; of zero width if the value is exact.
    pub interval: [f64; 2],
}

const ABOVE: i32 = 8;
const ROW: i32 = 20;
/// The width of the number at the right end of a row, in pixels.
const NUMBER: i32 = 48;
/// The maximum width of a name, in pixels; longer names are cut.
const MAX_LEFT: u32 = 150;
/// The radius of the dot for a number, in pixels.
const MARK: i32 = 3;
/// The minimum margin at each end of the axis. Without it, the axis could have zero width.
const MIN_REACH: f64 = 1e-3;

impl Forest {
    fn bottom(&self) -> i32 {
        ABOVE + ROW * self.rows.len().max(1) as i32
    }

    /// Returns the ends of the axis, which shows the reference and all values and intervals, with a margin at both
    /// ends.
    fn reach(&self) -> [f64; 2] {
        let of_row = |row: &ForestRow| [row.value, row.interval[0], row.interval[1]];
        let numbers = self.rows.iter().flat_map(of_row);
        let [low, high] =
            numbers.fold([self.reference; 2], |[low, high], x| [low.min(x), high.max(x)]);
        let margin = (0.04 * (high - low)).max(MIN_REACH);
        [low - margin, high + margin]
    }

    /// Formats a number with three digits, and with a sign if the reference is 0.
    fn number(&self, value: f64) -> String {
        if self.reference != 0.0 {
            return without_zero(&format!("{value:.3}"));
        }
        match format!("{value:+.3}").as_str() {
            "+0.000" | "-0.000" => "0".into(),
            text => {
                let (sign, digits) = text.split_at(1);
                format!("{}{}", if sign == "-" { "−" } else { "+" }, without_zero(digits))
            }
        }
    }
}

impl Drawable for Forest {
    fn check(&self) -> Result<(), FigureError> {
        // A bound found by bisection may lie slightly outside this range.
        let range = -1.0 - 1e-9..=1.0 + 1e-9;
        let check = |what: &dyn Fn() -> String, found: f64| {
            number(found, range.contains(&found), "a number from -1 to 1", what)
        };
        check(&|| "the line of no effect".into(), self.reference)?;
        for row in &self.rows {
            let [low, high] = row.interval;
            let what = || format!("the number of {}", row.name);
            [row.value, low, high].into_iter().try_for_each(|found| check(&what, found))?;
        }
        Ok(())
    }

    fn outline(&self, _: Sheet) -> Outline<'_> {
        let below = 2 * line_height(SMALL) + 8;
        Outline::new(&self.title, &self.caption, self.bottom() as u32 + below)
    }

    fn draw(&self, area: &Area<'_>, _: Sheet) -> DrawResult {
        if self.rows.is_empty() {
            return write_note(area, "nothing was measured", (WIDTH as i32 / 2, ABOVE));
        }
        let names = self.rows.iter().map(|row| &row.name);
        let left = widest(names, LABEL).min(MAX_LEFT) as i32 + 18;
        let right = WIDTH as i32 - Frame::MARGIN as i32 - NUMBER;
        let bottom = self.bottom();
        let [low, high] = self.reach();
        let x = Scale::linear(low..high, left..right);
        let panel = Panel { area, x, y: Scale::linear(0.0..1.0, bottom..ABOVE) };
        for (value, label) in panel.x.fitting_ticks(5, SMALL) {
            let at = panel.x.at(value);
            panel.line(&[(at, ABOVE), (at, bottom)], GRID.stroke_width(1))?;
            write(area, label, (at, bottom + 4), below(SMALL, INK))?;
        }
        let reference = panel.x.at(self.reference);
        panel.line(&[(reference, ABOVE), (reference, bottom)], MUTED.stroke_width(1))?;
        panel.line(&[(left, bottom), (right, bottom)], INK.stroke_width(1))?;
        let place = ((left + right) / 2, bottom + 6 + line_height(SMALL) as i32);
        write(area, &self.quantity, place, below(SMALL, INK))?;
        let names: Vec<&str> = self.rows.iter().map(|row| &*row.name).collect();
        let names = fitted(&names, LABEL, MAX_LEFT).into_iter();
        for ((row, name), index) in self.rows.iter().zip(names).zip(0..) {
            let y = ABOVE + ROW * index + ROW / 2;
            write(area, name, (left - 10, y), ending(LABEL, INK))?;
            let [from, to] = row.interval.map(|end| panel.x.at(end));
            panel.line(&[(from, y), (to, y)], SERIES[0].stroke_width(2))?;
            for end in [from, to] {
                panel.line(&[(end, y - 3), (end, y + 3)], SERIES[0].stroke_width(1))?;
            }
            area.draw(&Circle::new((panel.x.at(row.value), y), MARK, SERIES[0].filled()))?;
            let place = (right + NUMBER - 2, y);
            write(area, self.number(row.value), place, ending(SMALL, INK))?;
        }
        Ok(())
    }
}
