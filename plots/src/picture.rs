//! Draws pictures with several panels: maps, bars, lines, triangles and lists.

mod bars;
mod heat_map;
mod legend;
mod lines;
mod list;
mod triangle;

pub use ruse_picture::{
    Axis, Bars, Chart, HeatMap, Line, Lines, List, Mark, Panel, Picture, Scale, Triangle,
};

use crate::figure::{Area, DrawResult, Figure, Outline, Sheet};
use crate::style::{
    Frame, HEADING, INK, LABEL, MUTED, SMALL, WIDE, WIDTH, centred, line_height, text, wrap, write,
    write_lines,
};

/// The distance between two panels, in pixels.
const GAP: u32 = 10;

/// The minimum number of half-width panels in a picture of two columns, if the sheet is wide enough.
const MANY: usize = 7;
/// The possible numbers of half-width panels in a row of a wide picture. The first that fills all rows is used.
const IN_WIDE_ROW: [usize; 2] = [4, 5];

#[derive(Clone, Copy)]
struct Form<'a> {
    width: u32,
    /// The number of half-width panels in a row.
    in_row: usize,
    /// The first map, if all maps have the same colours and share one legend.
    common: Option<&'a HeatMap>,
}

impl<'a> Form<'a> {
    fn of(picture: &'a Picture, sheet: Sheet) -> Form<'a> {
        let num_halves = picture.panels.iter().filter(|panel| panel.is_half).count();
        let is_wide =
            num_halves >= MANY && num_halves == picture.panels.len() && sheet.most_width() >= WIDE;
        let mut maps = picture.panels.iter().filter_map(map_with_legend);
        let first = maps.next();
        let are_alike = |first: &HeatMap, others: &[&HeatMap]| {
            others.iter().all(|map| map.scale == first.scale && map.quantity == first.quantity)
        };
        let others: Vec<&HeatMap> = maps.collect();
        let common = first.filter(|first| !others.is_empty() && are_alike(first, &others));
        let full = IN_WIDE_ROW.into_iter().find(|in_row| num_halves.is_multiple_of(*in_row));
        match is_wide {
            true => Form { width: WIDE, in_row: full.unwrap_or(IN_WIDE_ROW[0]), common },
            false => Form { width: WIDTH, in_row: 2, common },
        }
    }

    fn inner_width(&self) -> u32 {
        self.width - 2 * Frame::MARGIN
    }

    fn panel_width(&self, panel: &Panel) -> u32 {
        let in_row = self.in_row as u32;
        if panel.is_half {
            (self.inner_width() - (in_row - 1) * GAP) / in_row
        } else {
            self.inner_width()
        }
    }
}

/// Returns the map of a panel, if its colours have a legend.
fn map_with_legend(panel: &Panel) -> Option<&HeatMap> {
    match &panel.chart {
        Chart::HeatMap(map) if !map.quantity.is_empty() => Some(map),
        _ => None,
    }
}

fn chart_height(chart: &Chart, width: u32, form: Form<'_>) -> u32 {
    match chart {
        Chart::HeatMap(chart) => {
            heat_map::HeatMapDrawing(chart, form.common.is_none()).height(width)
        }
        Chart::Bars(chart) => bars::BarsDrawing(chart).height(width),
        Chart::Lines(chart) => lines::LinesDrawing(chart).height(width),
        Chart::Triangle(chart) => triangle::TriangleDrawing(chart).height(width),
        Chart::List(chart) => list::ListDrawing(chart).height(width),
    }
}

fn draw_chart(chart: &Chart, area: &Area<'_>, form: Form<'_>) -> DrawResult {
    match chart {
        Chart::HeatMap(chart) => heat_map::HeatMapDrawing(chart, form.common.is_none()).draw(area),
        Chart::Bars(chart) => bars::BarsDrawing(chart).draw(area),
        Chart::Lines(chart) => lines::LinesDrawing(chart).draw(area),
        Chart::Triangle(chart) => triangle::TriangleDrawing(chart).draw(area),
        Chart::List(chart) => list::ListDrawing(chart).draw(area),
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

fn panel_height(panel: &Panel, heading: u32, form: Form<'_>) -> u32 {
    let width = form.panel_width(panel);
    let note = wrap(&panel.note, SMALL, width).len() as u32 * line_height(SMALL);
    heading + chart_height(&panel.chart, width, form) + note
}

/// Draws a panel. The chart begins `heading_height` pixels below the top.
fn draw_panel(panel: &Panel, area: &Area<'_>, heading_height: u32, form: Form<'_>) -> DrawResult {
    let (width, _) = area.dim_in_pixel();
    write_lines(area, &heading(panel, width), &text(HEADING, INK), (0, 0), HEADING)?;
    let (_, lower) = area.split_vertically(heading_height);
    let height = chart_height(&panel.chart, width, form);
    let (chart, rest) = lower.split_vertically(height);
    draw_chart(&panel.chart, &chart, form)?;
    let note = wrap(&panel.note, SMALL, width);
    write_lines(&rest, &note, &text(SMALL, MUTED), (0, 0), SMALL)
}

fn rows<'a>(picture: &'a Picture, form: Form<'_>) -> Vec<&'a [Panel]> {
    let mut rows = Vec::new();
    let mut rest = picture.panels.as_slice();
    while let [first, ..] = rest {
        let num_halves = rest.iter().take(form.in_row).take_while(|panel| panel.is_half).count();
        let (row, below) = rest.split_at(if first.is_half { num_halves } else { 1 });
        rows.push(row);
        rest = below;
    }
    rows
}

/// Returns the heights of a row's headings and of the row. All charts of the row begin below the headings.
fn row_height(row: &[Panel], form: Form<'_>) -> (u32, u32) {
    let headings = row.iter().map(|panel| heading_height(panel, form.panel_width(panel)));
    let heading = headings.max().unwrap_or(0);
    let heights = row.iter().map(|panel| panel_height(panel, heading, form));
    (heading, heights.max().unwrap_or(0))
}

impl Figure for Picture {
    fn outline(&self, sheet: Sheet) -> Outline<'_> {
        let form = Form::of(self, sheet);
        let heights: u32 = rows(self, form).iter().map(|row| row_height(row, form).1 + GAP).sum();
        let legend = if form.common.is_some() { heat_map::LEGEND } else { 0 };
        let height = heights.max(2 * GAP) + legend;
        Outline { width: form.width, ..Outline::new(&self.title, &self.caption, height) }
    }

    fn draw(&self, contents: &Area<'_>, sheet: Sheet) -> DrawResult {
        let form = Form::of(self, sheet);
        if self.panels.is_empty() {
            let place = (WIDTH as i32 / 2, GAP as i32);
            return write(contents, "nothing to show", place, centred(LABEL, INK));
        }
        let rows = rows(self, form);
        let has_map = |row: &&[Panel]| row.iter().any(|panel| map_with_legend(panel).is_some());
        let last_map = rows.iter().rposition(has_map);
        let mut top = 0;
        for (index, row) in rows.into_iter().enumerate() {
            let (heading, height) = row_height(row, form);
            let mut left = Frame::MARGIN;
            for panel in row {
                let width = form.panel_width(panel);
                let part = contents.clone().shrink((left, top), (width, height));
                draw_panel(panel, &part, heading, form)?;
                left += width + GAP;
            }
            top += height + GAP;
            if let Some(map) = form.common.filter(|_| Some(index) == last_map) {
                let size = (form.inner_width().min(WIDTH), heat_map::LEGEND);
                let part = contents.clone().shrink((Frame::MARGIN, top - GAP), size);
                heat_map::draw_legend_alone(map, &part)?;
                top += heat_map::LEGEND;
            }
        }
        Ok(())
    }
}
