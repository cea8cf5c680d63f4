//! Named numbers, shown as horizontal bars.

use plotters::prelude::*;
use ruse_picture::Bars;

use super::legend::{Sample, draw_legend, legend_height};
use crate::canvas::{Area, DrawResult};
use crate::style::{
    GRID, INK, LABEL, MUTED, SMALL, centred, ending, fitted, line_height, number, series,
    text_width, widest, without_zero, write,
};

const BAR: u32 = 11;
const LONGEST_NAME: u32 = 150;
/// The smallest visible bar, as a fraction of the longest; a smaller value is shown as about 0.
const NOTHING: f64 = 1e-4;
/// The width of the column of numbers, in pixels.
const NUMBER: u32 = 42;

pub(super) struct BarsDrawing<'a>(pub(super) &'a Bars);

impl BarsDrawing<'_> {
    fn legend(&self) -> Vec<&str> {
        match self.0.series.as_slice() {
            [_] => Vec::new(),
            series => series.iter().map(|(name, _)| name.as_str()).collect(),
        }
    }

    fn group(&self) -> u32 {
        (self.0.series.len() as u32 * BAR + 4).max(line_height(LABEL))
    }

    /// Returns the height of the level's name above the bars, in pixels; 0 without a level.
    fn above(&self) -> u32 {
        if self.level().is_some() { line_height(LABEL) } else { 0 }
    }

    fn below(&self) -> u32 {
        u32::from(!self.0.quantity.is_empty()) * line_height(LABEL) + 4
    }

    fn level(&self) -> Option<&(f64, String)> {
        self.0.level.as_ref().filter(|(level, _)| level.is_finite())
    }

    /// Formats a value. Shares and signed shares all have the same number of digits.
    fn digits(&self, value: f64, largest: f64) -> String {
        let values = self.0.series.iter().flat_map(|(_, values)| values);
        let are_shares = values.filter(|value| value.is_finite()).all(|value| value.abs() <= 1.0);
        match value.abs() / largest {
            share if share > 0.0 && share < NOTHING => "≈ 0".to_string(),
            _ if are_shares && value.abs() >= 0.0005 => without_zero(&format!("{value:.3}")),
            _ => number(value),
        }
    }

    pub(super) fn height(&self, width: u32) -> u32 {
        let bars = self.0.names.len() as u32 * self.group();
        legend_height(&self.legend(), width) + self.above() + bars + self.below()
    }

    pub(super) fn draw(&self, area: &Area<'_>) -> DrawResult {
        let (width, _) = area.dim_in_pixel();
        draw_legend(&self.legend(), |_| Sample::Bar, area)?;
        let top = legend_height(&self.legend(), width) + self.above();
        let left = widest(&self.0.names, LABEL).min(LONGEST_NAME) + 6;
        let shown = |value: &&f64| value.is_finite();
        let level = self.0.level.as_ref().map(|(level, _)| level);
        let all = || self.0.series.iter().flat_map(|(_, values)| values).chain(level).filter(shown);
        let low = all().fold(0.0, |low: f64, &value| low.min(value));
        let high = all().fold(0.0, |high: f64, &value| high.max(value));
        // Divides before subtracting, because the difference of the largest numbers would overflow.
        let largest = high.max(-low).max(f64::MIN_POSITIVE);
        let (low, high) = (low / largest, high / largest);
        let start = left;
        let room = width.saturating_sub(start + NUMBER).max(1);
        let x = |value: f64| {
            let share = (value / largest - low) / (high - low).max(f64::MIN_POSITIVE);
            (f64::from(start) + share * f64::from(room)).round() as i32
        };
        let bottom = top + self.0.names.len() as u32 * self.group();
        let names = fitted(&self.0.names, LABEL, LONGEST_NAME);
        for (index, name) in names.into_iter().enumerate() {
            let upper = (top + index as u32 * self.group()) as i32;
            let middle = upper + self.group() as i32 / 2;
            write(area, name, (left as i32 - 6, middle), ending(LABEL, INK))?;
            for (order, (_, values)) in self.0.series.iter().enumerate() {
                let Some(&value) = values.get(index).filter(shown) else { continue };
                let from = upper
                    + 2
                    + (order as u32 * BAR) as i32
                    + (self.group() - 4 - self.0.series.len() as u32 * BAR) as i32 / 2;
                let bar = [(x(0.0), from), (x(value), from + BAR as i32 - 1)];
                area.draw(&Rectangle::new(bar, series(order).filled()))?;
                // The numbers are to the right of the bars and the level, so that no line crosses a number.
                let place = (width as i32 - 2, from + BAR as i32 / 2);
                write(area, self.digits(value, largest), place, ending(SMALL, INK))?;
            }
        }
        let zero = x(0.0);
        let line = PathElement::new(vec![(zero, top as i32), (zero, bottom as i32)], MUTED);
        area.draw(&line)?;
        if let Some((level, name)) = self.level() {
            let line = vec![(x(*level), top as i32), (x(*level), bottom as i32)];
            area.draw(&PathElement::new(line, INK.stroke_width(1)))?;
            let name = fitted(&[name], LABEL, width).concat();
            let half = text_width(&name, LABEL) as i32 / 2;
            let middle = x(*level).min(width as i32 - half).max(half);
            let place = (middle, top as i32 - line_height(LABEL) as i32 / 2);
            write(area, name, place, centred(LABEL, INK))?;
        } else if self.0.names.is_empty() {
            area.draw(&Rectangle::new([(0, 0), (width as i32, 0)], GRID))?;
        }
        let place = ((start + room / 2) as i32, bottom as i32 + 8);
        write(area, &self.0.quantity, place, centred(LABEL, INK))
    }
}
