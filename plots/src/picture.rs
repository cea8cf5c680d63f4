//! A picture of one thing in several parts: maps, bars, lines, a triangle, lists.

mod bars;
mod heat_map;
mod lines;
mod list;
mod triangle;

use plotters::prelude::*;

pub use ruse_picture::{
    Axis, Bars, Chart, HeatMap, Line, Lines, List, Mark, Panel, Picture, Scale, Triangle,
};

use crate::canvas::{Area, DrawResult, Figure};
use crate::style::{
    Frame, HEADING, INK, LABEL, MUTED, SMALL, WIDTH, beginning, centred, line_height, series, text,
    text_width, wrap, write_lines,
};

/// The distance between two parts.
const GAP: u32 = 10;

fn chart_height(chart: &Chart, width: u32) -> u32 {
    match chart {
        Chart::HeatMap(chart) => heat_map::Drawn(chart).height(width),
        Chart::Bars(chart) => bars::Drawn(chart).height(width),
        Chart::Lines(chart) => lines::Drawn(chart).height(width),
        Chart::Triangle(chart) => triangle::Drawn(chart).height(width),
        Chart::List(chart) => list::Drawn(chart).height(width),
    }
}

fn draw_chart(chart: &Chart, area: &Area<'_>) -> DrawResult {
    match chart {
        Chart::HeatMap(chart) => heat_map::Drawn(chart).draw(area),
        Chart::Bars(chart) => bars::Drawn(chart).draw(area),
        Chart::Lines(chart) => lines::Drawn(chart).draw(area),
        Chart::Triangle(chart) => triangle::Drawn(chart).draw(area),
        Chart::List(chart) => list::Drawn(chart).draw(area),
    }
}

fn heading(panel: &Panel, width: u32) -> Vec<String> {
    wrap(&panel.title, HEADING, width)
}

fn heading_height(panel: &Panel, width: u32) -> u32 {
    match heading(panel, width).len() as u32 {
        0 => 0,
        num_lines => num_lines * line_height(HEADING) + 3,
    }
}

fn panel_height(panel: &Panel, width: u32, heading: u32) -> u32 {
    let note = wrap(&panel.note, SMALL, width).len() as u32 * line_height(SMALL);
    heading + chart_height(&panel.chart, width) + note
}

/// Draws the part with its chart `heading_height` pixels below the top.
fn draw_panel(panel: &Panel, area: &Area<'_>, heading_height: u32) -> DrawResult {
    let (width, _) = area.dim_in_pixel();
    write_lines(area, &heading(panel, width), &text(HEADING, INK), (0, 0), HEADING)?;
    let (_, lower) = area.split_vertically(heading_height);
    let height = chart_height(&panel.chart, width);
    let (chart, rest) = lower.split_vertically(height);
    draw_chart(&panel.chart, &chart)?;
    let note = wrap(&panel.note, SMALL, width);
    write_lines(&rest, &note, &text(SMALL, MUTED), (0, 0), SMALL)
}

/// The parts that are next to each other, from top to bottom.
fn rows(picture: &Picture) -> Vec<&[Panel]> {
    let mut rows = Vec::new();
    let mut rest = picture.panels.as_slice();
    while let [first, more @ ..] = rest {
        let is_pair = first.is_half && more.first().is_some_and(|second| second.is_half);
        let (row, below) = rest.split_at(1 + usize::from(is_pair));
        rows.push(row);
        rest = below;
    }
    rows
}

const INNER_WIDTH: u32 = WIDTH - 2 * Frame::MARGIN;

fn panel_width(panel: &Panel) -> u32 {
    if panel.is_half { (INNER_WIDTH - GAP) / 2 } else { INNER_WIDTH }
}

/// The height of the headings of a row, so that its charts begin at the same height, and of the row.
fn row_height(row: &[Panel]) -> (u32, u32) {
    let headings = row.iter().map(|panel| heading_height(panel, panel_width(panel)));
    let heading = headings.max().unwrap_or(0);
    let heights = row.iter().map(|panel| panel_height(panel, panel_width(panel), heading));
    (heading, heights.max().unwrap_or(0))
}

impl Figure for Picture {
    fn size(&self) -> (u32, u32) {
        let rows = rows(self);
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
        for row in rows(self) {
            let (heading, height) = row_height(row);
            let mut left = Frame::MARGIN;
            for panel in row {
                let width = panel_width(panel);
                let part = contents.clone().shrink((left, top), (width, height));
                draw_panel(panel, &part, heading)?;
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
