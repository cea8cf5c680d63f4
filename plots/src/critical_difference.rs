//! Mean ranks and their critical difference. The diagram follows J. Demšar, *Statistical comparisons of classifiers
//! over multiple data sets*, Journal of Machine Learning Research 7, 2006, section 3.2.4, but has a row for each
//! method, so that long names fit. A bar on the right joins rows that do not differ significantly.

use plotters::prelude::*;

use crate::axes::{Panel, Scale};
use crate::checked::{Drawable, FigureError, length, positive};
use crate::figure::{Area, DrawResult, Outline, Sheet};
use crate::style::{
    GRID, INK, LABEL, MUTED, SERIES, SMALL, WIDTH, above, beginning, below, ending, fitted,
    line_height, text_width, widest, write, write_note,
};

/// A diagram of mean ranks and their critical difference.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CriticalDifference {
    /// The title.
    pub title: String,
    /// The source of the data: families, test, level.
    pub caption: String,
    /// The names with their mean ranks. Ranks begin at 1; the lowest mean rank comes first.
    pub ranks: Vec<(String, f64)>,
    /// The smallest significant difference between two ranks; must be positive.
    pub critical_difference: f64,
    /// The first and last index of each group of two or more ranks that do not differ significantly.
    pub groups: Vec<[usize; 2]>,
}

const MARGIN: i32 = 12;
/// The height, in pixels, of the part that shows the critical difference above the rows.
const ABOVE: i32 = 30;
const ROW: i32 = 24;
/// The maximum width of a name, in pixels. Longer names are cut.
const MAX_LEFT: u32 = 170;
/// The distance between two bars, in pixels.
const BAR: i32 = 11;
/// The radius of the dot for a mean rank, in pixels.
const MEAN: i32 = 4;

impl CriticalDifference {
    fn bottom(&self) -> i32 {
        ABOVE + ROW * self.ranks.len().max(1) as i32
    }
}

impl Drawable for CriticalDifference {
    fn check(&self) -> Result<(), FigureError> {
        for (name, rank) in &self.ranks {
            positive(*rank, || format!("the rank of {name}"))?;
        }
        if !self.ranks.is_empty() {
            positive(self.critical_difference, || "the critical difference".into())?;
        }
        for &[first, last] in &self.groups {
            // The number of valid indices in the group.
            let found = (first..=last).filter(|&index| index < self.ranks.len()).count();
            length(found, (last + 1).saturating_sub(first).max(2), || "a group of ranks".into())?;
        }
        Ok(())
    }

    fn outline(&self, _: Sheet) -> Outline<'_> {
        let below = 2 * line_height(SMALL) + 8;
        Outline::new(&self.title, &self.caption, self.bottom() as u32 + below)
    }

    fn draw(&self, area: &Area<'_>, _: Sheet) -> DrawResult {
        if self.ranks.len() < 2 {
            return write_note(area, "nothing was compared", (WIDTH as i32 / 2, ABOVE));
        }
        let names = self.ranks.iter().map(|(name, _)| name);
        let left = widest(names, LABEL).min(MAX_LEFT) as i32 + 18;
        let bottom = self.bottom();
        let right = WIDTH as i32 - 2 * MARGIN - BAR * self.groups.len() as i32;
        let most = self.ranks.len() as f64;
        let x = Scale::linear(1.0..most, left..right);
        let panel = Panel { area, x, y: Scale::linear(0.0..1.0, bottom..ABOVE) };
        // The axis has as many numbers as fit.
        let step = (30 * self.ranks.len() as i32 / (right - left).max(1)).max(1) as usize;
        for rank in (1..=self.ranks.len()).step_by(step) {
            let at = panel.x.at(rank as f64);
            panel.line(&[(at, ABOVE), (at, bottom)], GRID.stroke_width(1))?;
            write(area, rank.to_string(), (at, bottom + 4), below(SMALL, INK))?;
        }
        panel.line(&[(left, bottom), (right, bottom)], INK.stroke_width(1))?;
        let place = ((left + right) / 2, bottom + 6 + line_height(SMALL) as i32);
        write(area, "mean rank", place, below(SMALL, INK))?;
        // A line as long as the critical difference starts at the first rank, and is cut at the end of the axis.
        let end = panel.x.at((1.0 + self.critical_difference).min(most));
        let y = ABOVE - 10;
        panel.line(&[(left, y), (end, y)], MUTED.stroke_width(2))?;
        for at in [left, end] {
            panel.line(&[(at, y - 4), (at, y + 4)], MUTED.stroke_width(2))?;
        }
        let words = format!("critical difference {:.2}", self.critical_difference);
        let words_width = text_width(&words, SMALL) as i32;
        let place = (left.min(WIDTH as i32 - 2 * MARGIN - words_width), y - 6);
        write(area, words, place, above(SMALL, MUTED))?;
        let row = |index: usize| ABOVE + ROW * index as i32 + ROW / 2;
        let names: Vec<&str> = self.ranks.iter().map(|(name, _)| &**name).collect();
        let names = fitted(&names, LABEL, MAX_LEFT).into_iter();
        for (index, ((_, rank), name)) in self.ranks.iter().zip(names).enumerate() {
            let (at, y) = (panel.x.at(*rank), row(index));
            write(area, name, (left - 10, y), ending(LABEL, INK))?;
            area.draw(&Circle::new((at, y), MEAN, SERIES[0].filled()))?;
            // The number is on the side of the mark with more room.
            let number = format!("{rank:.2}");
            let is_right = at + MEAN + 6 + text_width(&number, SMALL) as i32 > right;
            match is_right {
                true => write(area, number, (at - MEAN - 4, y), ending(SMALL, INK))?,
                false => write(area, number, (at + MEAN + 4, y), beginning(SMALL, INK))?,
            }
        }
        for (place, &[first, last]) in (1..).zip(&self.groups) {
            let at = right + BAR * place;
            let ends = [(at, row(first) - 6), (at, row(last) + 6)];
            panel.line(&ends, SERIES[1].stroke_width(4))?;
        }
        Ok(())
    }
}
