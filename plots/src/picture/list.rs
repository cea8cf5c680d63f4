//! Lists of items, each with a label and a text.

use ruse_picture::List;

use crate::canvas::{Area, DrawResult};
use crate::style::{INK, LABEL, MUTED, line_height, text, widest, wrap, write_lines};

const LONGEST_LABEL: u32 = 130;

pub(super) struct ListDrawing<'a>(pub(super) &'a List);

impl ListDrawing<'_> {
    fn left(&self) -> u32 {
        let labels = self.0.items.iter().map(|(label, _)| label);
        match widest(labels, LABEL).min(LONGEST_LABEL) {
            0 => 0,
            width => width + 8,
        }
    }

    /// Returns the wrapped lines of each item's label and text.
    fn lines(&self, width: u32) -> impl Iterator<Item = (Vec<String>, Vec<String>)> {
        let left = self.left();
        let words = width.saturating_sub(left).max(40);
        let lines = move |(label, item): &(String, String)| {
            (wrap(label, LABEL, LONGEST_LABEL), wrap(item, LABEL, words))
        };
        self.0.items.iter().map(lines)
    }

    pub(super) fn height(&self, width: u32) -> u32 {
        let lines = self.lines(width).map(|(label, item)| label.len().max(item.len()) as u32);
        lines.map(|num_lines| num_lines * line_height(LABEL) + 2).sum()
    }

    pub(super) fn draw(&self, area: &Area<'_>) -> DrawResult {
        let (width, _) = area.dim_in_pixel();
        let left = self.left() as i32;
        let mut top = 0;
        for (label, item) in self.lines(width) {
            write_lines(area, &label, &text(LABEL, MUTED), (0, top), LABEL)?;
            write_lines(area, &item, &text(LABEL, INK), (left, top), LABEL)?;
            top += (label.len().max(item.len()) as u32 * line_height(LABEL)) as i32 + 2;
        }
        Ok(())
    }
}
