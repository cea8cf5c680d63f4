//! Functions of one argument, with marked points.

use std::ops::Range;

use plotters::prelude::*;
use ruse_picture::Lines;

use super::legend::{Sample, draw_legend, legend_height};
use crate::canvas::{Area, DrawResult};
use crate::style::{GRID, INK, LABEL, PAPER, number, series, text, write_note};

const HEIGHT: u32 = 220;
/// The largest number with readable labels on an axis.
const LARGEST: f64 = 1e12;

pub(super) struct LinesDrawing<'a>(pub(super) &'a Lines);

impl LinesDrawing<'_> {
    /// Returns all names that need a colour, each once: first lines, then marks.
    fn legend(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.lines.iter().map(|line| line.name.as_str()).collect();
        for mark in &self.0.marks {
            if !names[self.0.lines.len()..].contains(&mark.name.as_str()) {
                names.push(&mark.name);
            }
        }
        names
    }

    pub(super) fn height(&self, width: u32) -> u32 {
        legend_height(&self.legend(), width) + HEIGHT + 6
    }

    pub(super) fn draw(&self, area: &Area<'_>) -> DrawResult {
        let (width, _) = area.dim_in_pixel();
        let num_lines = self.0.lines.len();
        let sample = |index| if index < num_lines { Sample::Line } else { Sample::Mark };
        draw_legend(&self.legend(), sample, area)?;
        let (_, figure) = area.split_vertically(legend_height(&self.legend(), width));
        let shown = |&(x, y): &(f64, f64)| x.abs() <= LARGEST && y.abs() <= LARGEST;
        let points = || {
            let lines = self.0.lines.iter().flat_map(|line| line.points.iter().copied());
            lines.chain(self.0.marks.iter().map(|mark| mark.place)).filter(shown)
        };
        if points().next().is_none() {
            let place = (width as i32 / 2, HEIGHT as i32 / 2);
            return write_note(&figure, "there is no number that can be shown", place);
        }
        let level = self.0.level.filter(|level| level.abs() <= LARGEST);
        let across = range(points().map(|point| point.0), 0.0);
        let up = range(points().map(|point| point.1).chain(level), 0.05);
        let mut chart = ChartBuilder::on(&figure)
            .margin_top(6)
            .margin_right(16)
            .margin_bottom(6)
            .x_label_area_size(38)
            .y_label_area_size(56)
            .build_cartesian_2d(across.clone(), up)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(text(LABEL, INK))
            .x_labels(6)
            .y_labels(6)
            .x_desc(self.0.x.as_str())
            .y_desc(self.0.y.as_str())
            .x_label_formatter(&|x| number(*x))
            .y_label_formatter(&|y| number(*y))
            .draw()?;
        if let Some(level) = level {
            let line = [(across.start, level), (across.end, level)];
            chart.draw_series(LineSeries::new(line, INK.stroke_width(1)))?;
        }
        for (index, line) in self.0.lines.iter().enumerate() {
            let points = line.points.iter().copied().filter(shown);
            chart.draw_series(LineSeries::new(points, series(index).stroke_width(2)))?;
        }
        let legend = self.legend();
        for mark in &self.0.marks {
            let names = &legend[self.0.lines.len()..];
            let index = names.iter().position(|&name| name == mark.name).unwrap_or(0);
            let index = self.0.lines.len() + index;
            if shown(&mark.place) {
                chart.draw_series([
                    Circle::new(mark.place, 6, PAPER.filled()),
                    Circle::new(mark.place, 5, series(index).filled()),
                ])?;
            }
        }
        Ok(())
    }
}

/// Returns the range of the values, with a margin at both ends. It is never empty.
fn range(values: impl Iterator<Item = f64>, margin: f64) -> Range<f64> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let width = high - low;
    if width > 1e-9 * low.abs().max(high.abs()) {
        low - margin * width..high + margin * width
    } else {
        low - 0.1 * low.abs().max(1.0)..high + 0.1 * high.abs().max(1.0)
    }
}
