//! The legends of pictures.

use plotters::prelude::*;

use crate::canvas::{Area, DrawResult};
use crate::style::{INK, LABEL, beginning, line_height, series, text_width, write};

const LEGEND_MARK: u32 = 18;

pub(super) fn legend_height(names: &[&str], width: u32) -> u32 {
    legend_places(names, width).1 * (line_height(LABEL) + 2)
}

/// The sample before a name in a legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sample {
    Bar,
    Line,
    Mark,
}

/// Draws a legend at the top of `area`: the names of series 0, 1, ..., each with a coloured sample.
pub(super) fn draw_legend(
    names: &[&str],
    sample: impl Fn(usize) -> Sample,
    area: &Area<'_>,
) -> DrawResult {
    let (width, _) = area.dim_in_pixel();
    for (index, (name, (line, x))) in names.iter().zip(legend_places(names, width).0).enumerate() {
        let (x, y) = (x as i32, (line * (line_height(LABEL) + 2) + 8) as i32);
        let colour = series(index);
        match sample(index) {
            Sample::Bar => {
                area.draw(&Rectangle::new([(x, y - 3), (x + 12, y + 3)], colour.filled()))?;
            }
            Sample::Line => {
                area.draw(&PathElement::new([(x, y), (x + 14, y)], colour.stroke_width(2)))?;
            }
            Sample::Mark => area.draw(&Circle::new((x + 6, y), 5, colour.filled()))?,
        }
        write(area, name, (x + LEGEND_MARK as i32, y), beginning(LABEL, INK))?;
    }
    Ok(())
}

/// Returns the position of each name in a legend, as (line, x), and the number of lines.
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
