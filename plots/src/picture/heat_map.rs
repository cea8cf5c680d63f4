//! Numbers by row and column, shown as colours, or boards with words in their cells.

use plotters::prelude::*;
use ruse_picture::{HeatMap, Scale};

use crate::canvas::{Area, DrawResult};
use crate::style::{
    GRID, INK, LABEL, MISSING, MUTED, SMALL, beginning, below, centred, diverging, ending, fitted,
    line_height, number, sequential, text, text_on, text_width, widest, without_zero, write,
};

/// The maximum side of a cell, in pixels.
const LARGEST_CELL: u32 = 34;
/// The maximum height of a map, in pixels. The cells of higher maps are flat.
const HIGHEST: u32 = 420;
const MAX_ROWS: u32 = 200;
/// The height of a legend, in pixels.
pub(super) const LEGEND: u32 = 26;
/// The minimum side of cells with lines between them, in pixels.
const LINED_CELL: u32 = 9;
const LONGEST_LABEL: u32 = 130;
/// The width of the sums of rows, in pixels.
const SUMS: u32 = 34;
/// The text sizes to try in cells, largest first.
const CELL_TEXT: [u32; 3] = [14, LABEL, SMALL];

struct Layout {
    left: u32,
    cell: (u32, u32),
    is_rotated: bool,
    /// The height of the labels of the columns.
    ticks: u32,
    below: u32,
}

/// Lays out and draws a map. The flag is `true` if the map has its own legend.
pub(super) struct HeatMapDrawing<'a>(pub(super) &'a HeatMap, pub(super) bool);

/// Draws one legend below several maps with the same colours.
pub(super) fn draw_legend_alone(map: &HeatMap, area: &Area<'_>) -> DrawResult {
    HeatMapDrawing(map, true).draw_legend(area, 0, 0)
}

impl HeatMapDrawing<'_> {
    fn size_in_cells(&self) -> (u32, u32) {
        (self.0.columns.ticks.len() as u32, self.0.rows.ticks.len() as u32)
    }

    fn layout(&self, width: u32) -> Layout {
        let (num_columns, num_rows) = self.size_in_cells();
        let [widest_row, widest_column] = [&self.0.rows, &self.0.columns]
            .map(|axis| widest(&axis.ticks, LABEL).min(LONGEST_LABEL));
        let mut left = widest_row + if widest_row > 0 { 6 } else { 0 };
        left += if self.0.rows.name.is_empty() { 0 } else { line_height(LABEL) + 2 };
        let sums = if self.0.has_sums { SUMS } else { 0 };
        let room = width.saturating_sub(left + sums + 1);
        let side = (room / num_columns.max(1)).min(LARGEST_CELL);
        // Cells are square, except in maps with many rows.
        let height = side.min((HIGHEST / num_rows.max(1)).max(4));
        let is_rotated = widest_column > side
            && self.0.columns.ticks.iter().any(|tick| tick.chars().count() > 3);
        let ticks = match (widest_column, is_rotated) {
            (0, _) => 2,
            (_, true) => widest_column + 8,
            (_, false) => line_height(LABEL) + 3,
        };
        let name = if self.0.columns.name.is_empty() { 0 } else { line_height(LABEL) };
        let sums = if self.0.has_sums { 18 } else { 0 };
        let legend = if self.has_legend() { LEGEND } else { 0 };
        let below = sums + ticks + name + legend + 4;
        Layout { left, cell: (side, height), is_rotated, ticks, below }
    }

    fn has_legend(&self) -> bool {
        self.1 && !self.0.quantity.is_empty()
    }

    /// Returns the text that replaces a map that cannot be drawn.
    fn refusal(&self, width: u32) -> Option<String> {
        let (num_columns, num_rows) = self.size_in_cells();
        if num_columns == 0 || num_rows == 0 {
            return Some("nothing to show".into());
        }
        let is_too_large = self.layout(width).cell.0 == 0 || num_rows > MAX_ROWS;
        is_too_large.then(|| format!("{num_rows} x {num_columns} cells are too many to show"))
    }

    pub(super) fn height(&self, width: u32) -> u32 {
        if self.refusal(width).is_some() {
            return line_height(LABEL);
        }
        let layout = self.layout(width);
        self.size_in_cells().1 * layout.cell.1 + layout.below
    }

    fn value(&self, row: u32, column: u32) -> Option<f64> {
        let index = (row * self.size_in_cells().0 + column) as usize;
        self.0.values.get(index).copied().flatten().filter(|value| value.is_finite())
    }

    pub(super) fn draw(&self, area: &Area<'_>) -> DrawResult {
        let (width, _) = area.dim_in_pixel();
        let (num_columns, num_rows) = self.size_in_cells();
        if let Some(refusal) = self.refusal(width) {
            return write(area, refusal, (0, 0), text(LABEL, MUTED));
        }
        let layout = self.layout(width);
        let (cell_width, cell_height) = layout.cell;
        let x = |column: u32| (layout.left + column * cell_width) as i32;
        let y = |row: u32| (row * cell_height) as i32;
        let size = self.text_size(layout.cell);
        let gap = i32::from(cell_width >= LINED_CELL && cell_height >= LINED_CELL);
        for row in 0..num_rows {
            for column in 0..num_columns {
                let colour =
                    self.value(row, column).map_or(MISSING, |value| colour(self.0.scale, value));
                let corners = [(x(column), y(row)), (x(column + 1) - gap, y(row + 1) - gap)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
                let index = (row * num_columns + column) as usize;
                if let (Some(size), Some(label)) = (size, self.0.texts.get(index)) {
                    let middle =
                        ((corners[0].0 + corners[1].0) / 2, (corners[0].1 + corners[1].1) / 2);
                    write(area, label, middle, centred(size, text_on(colour)))?;
                }
            }
        }
        let corners = [(x(0) - 1, -1), (x(num_columns), y(num_rows))];
        area.draw(&Rectangle::new(corners, GRID))?;
        self.draw_rows(area, &layout)?;
        let top = self.draw_sums(area, &layout)?;
        let top = self.draw_columns(area, &layout, top)?;
        if self.has_legend() { self.draw_legend(area, layout.left, top) } else { Ok(()) }
    }

    /// Returns the largest size at which all texts fit into their cells, if any.
    fn text_size(&self, (width, height): (u32, u32)) -> Option<u32> {
        CELL_TEXT.into_iter().find(|&size| {
            let fits = |label: &String| text_width(label, size) < width;
            height + 1 >= size && self.0.texts.iter().all(fits)
        })
    }

    fn draw_rows(&self, area: &Area<'_>, layout: &Layout) -> DrawResult {
        let (_, num_rows) = self.size_in_cells();
        let step = (line_height(SMALL) - 1).div_ceil(layout.cell.1).max(1);
        let labels = fitted(&self.0.rows.ticks, LABEL, LONGEST_LABEL);
        for row in (0..num_rows).step_by(step as usize) {
            let middle = (row * layout.cell.1 + layout.cell.1 / 2) as i32;
            let place = (layout.left as i32 - 5, middle);
            write(area, &labels[row as usize], place, ending(LABEL, INK))?;
        }
        let middle = (num_rows * layout.cell.1 / 2) as i32;
        let style = below(LABEL, INK).transform(FontTransform::Rotate270);
        write(area, &self.0.rows.name, (0, middle), style)
    }

    /// Writes the sums, and returns the y coordinate of the top of the column labels.
    fn draw_sums(&self, area: &Area<'_>, layout: &Layout) -> DrawResult<u32> {
        let (num_columns, num_rows) = self.size_in_cells();
        let bottom = num_rows * layout.cell.1;
        if !self.0.has_sums {
            return Ok(bottom);
        }
        let value = |row, column| self.value(row, column).unwrap_or(0.0);
        let end = layout.left + num_columns * layout.cell.0;
        for row in 0..num_rows {
            let sum: f64 = (0..num_columns).map(|column| value(row, column)).sum();
            let place = ((end + 5) as i32, (row * layout.cell.1 + layout.cell.1 / 2) as i32);
            write(area, share(sum), place, beginning(SMALL, MUTED))?;
        }
        for column in 0..num_columns {
            let sum: f64 = (0..num_rows).map(|row| value(row, column)).sum();
            let middle = layout.left + column * layout.cell.0 + layout.cell.0 / 2;
            let place = (middle as i32, bottom as i32 + 8);
            write(area, share(sum), place, centred(SMALL, MUTED))?;
        }
        write(area, "sum", ((end + 5) as i32, bottom as i32 + 8), beginning(SMALL, MUTED))?;
        Ok(bottom + 18)
    }

    /// Writes the labels of the columns, and returns the y coordinate of their lower end.
    fn draw_columns(&self, area: &Area<'_>, layout: &Layout, top: u32) -> DrawResult<u32> {
        let (num_columns, _) = self.size_in_cells();
        let side = layout.cell.0;
        let ticks = &self.0.columns.ticks;
        let widest = widest(ticks, LABEL);
        let room = if layout.is_rotated { line_height(SMALL) - 1 } else { widest + 3 };
        let step = if widest < side { 1 } else { room.div_ceil(side).max(1) };
        let labels = fitted(ticks, LABEL, LONGEST_LABEL);
        // The last column always has a label.
        for column in ((num_columns - 1) % step..num_columns).step_by(step as usize) {
            let middle = (layout.left + column * side + side / 2) as i32;
            let (down, style) = match layout.is_rotated {
                true => (4, ending(LABEL, INK).transform(FontTransform::Rotate270)),
                false => (9, centred(LABEL, INK)),
            };
            write(area, &labels[column as usize], (middle, top as i32 + down), style)?;
        }
        let end = top + layout.ticks;
        if self.0.columns.name.is_empty() {
            return Ok(end);
        }
        let middle = (layout.left + num_columns * side / 2) as i32;
        write(area, &self.0.columns.name, (middle, end as i32 + 5), centred(LABEL, INK))?;
        Ok(end + line_height(LABEL))
    }

    fn draw_legend(&self, area: &Area<'_>, left: u32, top: u32) -> DrawResult {
        const NUM_STEPS: i32 = 40;
        let (width, _) = area.dim_in_pixel();
        let (low, high) = match self.0.scale {
            Scale::Sequential { low, high } => (low, high),
            Scale::Diverging { centre, reach } => (centre - reach, centre + reach),
        };
        let ends = [number(low), number(high)];
        let middle = top as i32 + LEGEND as i32 / 2;
        let left = left.min(width / 8) as i32;
        let start = left + text_width(&ends[0], SMALL) as i32 + 5;
        let bar = (width as i32 / 4).max(NUM_STEPS);
        for step in 0..NUM_STEPS {
            let share = (f64::from(step) + 0.5) / f64::from(NUM_STEPS);
            let colour = match self.0.scale {
                Scale::Sequential { .. } => sequential(share),
                Scale::Diverging { .. } => diverging(2.0 * share - 1.0),
            };
            let x = |step: i32| start + step * bar / NUM_STEPS;
            let corners = [(x(step), middle - 5), (x(step + 1), middle + 5)];
            area.draw(&Rectangle::new(corners, colour.filled()))?;
        }
        let [first, last] = ends;
        write(area, first, (start - 5, middle), ending(SMALL, INK))?;
        let after = start + bar + 5;
        let name = after + text_width(&last, SMALL) as i32 + 8;
        write(area, last, (after, middle), beginning(SMALL, INK))?;
        let room = (width as i32 - name).max(0) as u32;
        let quantity = fitted(&[&self.0.quantity], SMALL, room).concat();
        write(area, quantity, (name, middle), beginning(SMALL, INK))
    }
}

/// Formats a sum in a few characters.
fn share(sum: f64) -> String {
    if (0.0..=1.0 + 1e-9).contains(&sum) { without_zero(&format!("{sum:.2}")) } else { number(sum) }
}

/// Returns the colour of a value.
fn colour(scale: Scale, value: f64) -> RGBColor {
    match scale {
        // All values are equal.
        Scale::Sequential { low, high } if low >= high => sequential(0.0),
        Scale::Sequential { low, high } => sequential((value - low) / (high - low)),
        Scale::Diverging { centre, reach } if reach > 0.0 => diverging((value - centre) / reach),
        Scale::Diverging { .. } => diverging(0.0),
    }
}
