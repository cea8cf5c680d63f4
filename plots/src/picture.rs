//! A picture of one thing in several parts: maps, bars, lines, a triangle, lists.

mod bars;
mod heat_map;
mod lines;
mod list;
mod triangle;

use plotters::prelude::*;

pub use self::bars::Bars;
pub use self::heat_map::{Axis, HeatMap, Scale};
pub use self::lines::{Line, Lines, Mark};
pub use self::list::List;
pub use self::triangle::Triangle;
use crate::canvas::{Area, DrawResult, Figure};
use crate::style::{
    Frame, HEADING, INK, LABEL, MUTED, SMALL, WIDTH, beginning, centred, line_height, series, text,
    text_width, wrap, write_lines,
};

/// The data of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// What is shown.
    pub title: String,
    /// Where it comes from: method, seed, sample size.
    pub caption: String,
    /// The parts, in reading order.
    pub panels: Vec<Panel>,
}

/// A part of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What this part shows.
    pub title: String,
    /// What a reader has to know, in a line or two below; may be empty.
    pub note: String,
    /// Whether it takes half of the width; two such parts in a row are next to each other.
    pub is_half: bool,
    /// The part itself.
    pub chart: Chart,
}

/// A way to show numbers and words.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    /// Numbers by row and column, as colours.
    HeatMap(HeatMap),
    /// Numbers by name, as lengths.
    Bars(Bars),
    /// Functions.
    Lines(Lines),
    /// Three shares of a whole.
    Triangle(Triangle),
    /// Words.
    List(List),
}

/// The distance between two parts.
const GAP: u32 = 10;

impl Chart {
    fn height(&self, width: u32) -> u32 {
        match self {
            Chart::HeatMap(chart) => chart.height(width),
            Chart::Bars(chart) => chart.height(width),
            Chart::Lines(chart) => chart.height(width),
            Chart::Triangle(chart) => chart.height(width),
            Chart::List(chart) => chart.height(width),
        }
    }

    fn draw(&self, area: &Area<'_>) -> DrawResult {
        match self {
            Chart::HeatMap(chart) => chart.draw(area),
            Chart::Bars(chart) => chart.draw(area),
            Chart::Lines(chart) => chart.draw(area),
            Chart::Triangle(chart) => chart.draw(area),
            Chart::List(chart) => chart.draw(area),
        }
    }
}

impl Panel {
    fn heading(&self, width: u32) -> Vec<String> {
        wrap(&self.title, HEADING, width)
    }

    fn heading_height(&self, width: u32) -> u32 {
        match self.heading(width).len() as u32 {
            0 => 0,
            num_lines => num_lines * line_height(HEADING) + 3,
        }
    }

    fn note_height(&self, width: u32) -> u32 {
        wrap(&self.note, SMALL, width).len() as u32 * line_height(SMALL)
    }

    fn height(&self, width: u32, heading: u32) -> u32 {
        heading + self.chart.height(width) + self.note_height(width)
    }

    /// Draws the part with its chart `heading` pixels below the top.
    fn draw(&self, area: &Area<'_>, heading: u32) -> DrawResult {
        let (width, _) = area.dim_in_pixel();
        write_lines(area, &self.heading(width), &text(HEADING, INK), (0, 0), HEADING)?;
        let (_, lower) = area.split_vertically(heading);
        let height = self.chart.height(width);
        let (chart, rest) = lower.split_vertically(height);
        self.chart.draw(&chart)?;
        let note = wrap(&self.note, SMALL, width);
        write_lines(&rest, &note, &text(SMALL, MUTED), (0, 0), SMALL)
    }
}

impl Picture {
    /// The parts that are next to each other, from top to bottom.
    fn rows(&self) -> Vec<&[Panel]> {
        let mut rows = Vec::new();
        let mut rest = self.panels.as_slice();
        while let [first, more @ ..] = rest {
            let is_pair = first.is_half && more.first().is_some_and(|second| second.is_half);
            let (row, below) = rest.split_at(1 + usize::from(is_pair));
            rows.push(row);
            rest = below;
        }
        rows
    }
}

const INNER_WIDTH: u32 = WIDTH - 2 * Frame::MARGIN;

fn panel_width(panel: &Panel) -> u32 {
    if panel.is_half { (INNER_WIDTH - GAP) / 2 } else { INNER_WIDTH }
}

/// The height of the headings of a row, so that its charts begin at the same height, and of the row.
fn row_height(row: &[Panel]) -> (u32, u32) {
    let headings = row.iter().map(|panel| panel.heading_height(panel_width(panel)));
    let heading = headings.max().unwrap_or(0);
    let heights = row.iter().map(|panel| panel.height(panel_width(panel), heading));
    (heading, heights.max().unwrap_or(0))
}

impl Figure for Picture {
    fn size(&self) -> (u32, u32) {
        let rows = self.rows();
        let heights: u32 = rows.iter().map(|row| row_height(row).1 + GAP).sum();
        (WIDTH, Frame::new(&self.title, &self.caption).height(heights.max(2 * GAP)))
    }

    fn draw(&self, area: &Area<'_>) -> DrawResult {
        let contents = Frame::new(&self.title, &self.caption).draw(area)?;
        if self.panels.is_empty() {
            let place = (WIDTH as i32 / 2, GAP as i32);
            return contents.draw(&Text::new("nothing to show", place, centred(LABEL, INK)));
        }
        let mut top = 0;
        for row in self.rows() {
            let (heading, height) = row_height(row);
            let mut left = Frame::MARGIN;
            for panel in row {
                let width = panel_width(panel);
                let part = contents.clone().shrink((left, top), (width, height));
                panel.draw(&part, heading)?;
                left += width + GAP;
            }
            top += height + GAP;
        }
        Ok(())
    }
}

/// The places of the names of a legend, as (line, x), and the number of lines.
fn legend_places(names: &[&str], width: u32) -> (Vec<(u32, u32)>, u32) {
    let (mut line, mut x) = (0, 0);
    let mut places = Vec::new();
    for name in names {
        let entry = text_width(name, LABEL) + LEGEND_MARK + 14;
        if x > 0 && x + entry > width {
            (line, x) = (line + 1, 0);
        }
        places.push((line, x));
        x += entry;
    }
    (places, if names.is_empty() { 0 } else { line + 1 })
}

const LEGEND_MARK: u32 = 18;

/// The height of a legend with these names.
fn legend_height(names: &[&str], width: u32) -> u32 {
    legend_places(names, width).1 * (line_height(LABEL) + 2)
}

/// Draws a legend at the top of `area`: the colours of series 0, 1, ... and their names.
fn draw_legend(names: &[&str], area: &Area<'_>) -> DrawResult {
    let (width, _) = area.dim_in_pixel();
    for (index, (name, (line, x))) in names.iter().zip(legend_places(names, width).0).enumerate() {
        let (x, y) = (x as i32, (line * (line_height(LABEL) + 2) + 8) as i32);
        area.draw(&Rectangle::new([(x, y - 3), (x + 12, y + 3)], series(index).filled()))?;
        let place = (x + LEGEND_MARK as i32, y);
        area.draw(&Text::new((*name).to_string(), place, beginning(LABEL, INK)))?;
    }
    Ok(())
}
