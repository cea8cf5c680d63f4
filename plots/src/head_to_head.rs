//! A coloured table of the scores of methods against each other.

use plotters::prelude::*;
use plotters::style::FontTransform;

use crate::axes::short_score;
use crate::checked::{Drawable, FigureError, length, score};
use crate::figure::{Area, DrawResult, Outline, Sheet};
use crate::style::{
    GRID, INK, LABEL, MISSING, PAPER, SMALL, WIDTH, beginning, centred, diverging, ending, fitted,
    line_height, text_on, text_width, widest, write, write_note,
};

/// A score with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellScore {
    /// The score of the row against the column, in [0, 1].
    pub score: f64,
    /// The interval of the score, in [0, 1].
    pub interval: [f64; 2],
}

/// A table of the scores of methods against each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeadToHead {
    /// The title.
    pub title: String,
    /// The source of the data: seeds, sample size, confidence.
    pub caption: String,
    /// The names of the methods, for rows and columns.
    pub names: Vec<String>,
    /// The score of each row against each column; `None` on the diagonal, and where no games were played.
    pub cells: Vec<Vec<Option<CellScore>>>,
}

/// The distance from one half with the strongest colour, unless a score is farther away.
const MIN_EXTENT: f64 = 0.1;
/// The maximum width of a name, in pixels; longer names are split or cut.
const MAX_LEFT: u32 = 112;
const MARGIN: u32 = 8;
/// The maximum height of a cell, in pixels.
const HIGHEST: u32 = 38;

type IntervalStyle = fn([f64; 2], Digits) -> String;

struct Layout {
    /// The names, in one or two lines.
    names: Vec<Vec<String>>,
    left: i32,
    top: i32,
    cell: (i32, i32),
    /// Whether the names of columns are written vertically, from bottom to top.
    upwards: bool,
    digits: Digits,
}

/// The format of scores, which depends on the width of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digits {
    Three,
    Two,
    PerCent,
}

impl Digits {
    fn number(self, score: f64) -> String {
        match self {
            Digits::Three => short_score(score, 3),
            Digits::Two => short_score(score, 2),
            Digits::PerCent => format!("{:.0}", 100.0 * score),
        }
    }
}

/// Splits a name wider than `most` pixels at a hyphen into two lines that are not wider, if there is such a hyphen.
fn in_two_lines(name: &str, most: u32) -> Option<Vec<String>> {
    let fits = |line: &str| text_width(line, LABEL) <= most;
    let breaks = name.match_indices('-').map(|(at, _)| name.split_at(at + 1));
    let mut good = breaks.filter(|(first, second)| fits(first) && fits(second));
    let (first, second) = good.next_back().filter(|_| !fits(name))?;
    Some(vec![first.into(), second.into()])
}

impl HeadToHead {
    fn layout(&self) -> Layout {
        let n = self.names.len().max(1) as u32;
        // With at most eight names, cells are high enough for two lines.
        let may_break = n <= 8;
        let labels = self.names.iter().zip(fitted(&self.names, LABEL, MAX_LEFT));
        let lines = labels.map(|(name, label)| {
            may_break.then(|| in_two_lines(name, MAX_LEFT)).flatten().unwrap_or_else(|| vec![label])
        });
        let names: Vec<Vec<String>> = lines.collect();
        let longest = widest(names.iter().flatten(), LABEL);
        let left = MARGIN + longest + 6;
        let width = (WIDTH - MARGIN - left) / n;
        let upwards = longest + 4 > width || names.iter().any(|lines| lines.len() > 1);
        let top = 4 + if upwards { longest + 6 } else { 20 };
        let fits = |number: &str, size| text_width(number, size) + 2 <= width;
        let digits = match () {
            () if fits(".555", LABEL) => Digits::Three,
            () if fits(".55", SMALL) => Digits::Two,
            () => Digits::PerCent,
        };
        let cell = (width as i32, width.clamp(14, HIGHEST) as i32);
        Layout { names, left: left as i32, top: top as i32, cell, upwards, digits }
    }

    fn extent(&self) -> f64 {
        let cells = self.cells.iter().flatten().flatten();
        cells.fold(MIN_EXTENT, |most, cell| most.max((cell.score - 0.5).abs()))
    }

    /// Returns the most informative format in which all intervals fit.
    fn interval_style(&self, layout: &Layout) -> Option<IntervalStyle> {
        fn bounds([low, high]: [f64; 2], digits: Digits) -> String {
            match low == high {
                true => "no noise".into(),
                false => format!("{}–{}", digits.number(low), digits.number(high)),
            }
        }
        fn half_width([low, high]: [f64; 2], digits: Digits) -> String {
            match low == high {
                true => "no noise".into(),
                false => format!("±{}", digits.number((high - low) / 2.0)),
            }
        }
        if layout.cell.1 < 26 {
            return None;
        }
        let styles: [IntervalStyle; 2] = [bounds, half_width];
        let fits = |style: &IntervalStyle| {
            let cells = self.cells.iter().flatten().flatten();
            let intervals = cells.map(|cell| style(cell.interval, layout.digits));
            widest(intervals, SMALL) + 2 <= layout.cell.0 as u32
        };
        styles.into_iter().find(fits)
    }

    /// Returns the caption, with remarks: whether scores are in per cent, and the largest half-width if the intervals
    /// do not fit into the table.
    fn full_caption(&self) -> String {
        let layout = self.layout();
        let cells = self.cells.iter().flatten().flatten();
        let widest = cells.map(|c| (c.interval[1] - c.interval[0]) / 2.0).fold(0.0, f64::max);
        let mut caption = self.caption.clone();
        if layout.digits == Digits::PerCent {
            caption += " Scores in per cent.";
        }
        if widest > 0.0 && self.interval_style(&layout).is_none() {
            let most = short_score(widest, 3);
            caption += &format!(" Half-widths of the intervals: at most {most}.");
        }
        caption
    }

    fn draw_cell(
        &self,
        area: &Area<'_>,
        layout: &Layout,
        (x, y): (i32, i32),
        cell: Option<CellScore>,
        is_diagonal: bool,
        interval: Option<IntervalStyle>,
    ) -> DrawResult {
        let (width, height) = layout.cell;
        let corners = [(x, y), (x + width, y + height)];
        let colour = match cell {
            Some(cell) => diverging((cell.score - 0.5) / self.extent()),
            None if is_diagonal => PAPER,
            None => MISSING,
        };
        area.draw(&Rectangle::new(corners, colour.filled()))?;
        area.draw(&Rectangle::new(corners, GRID.stroke_width(1)))?;
        let (middle, centre) = (x + width / 2, y + height / 2);
        let Some(cell) = cell else {
            let sign = if is_diagonal { "" } else { "?" };
            return write(area, sign, (middle, centre), centred(LABEL, INK));
        };
        let ink = text_on(colour);
        let number = layout.digits.number(cell.score);
        let Some(interval) = interval else {
            return write(area, number, (middle, centre), centred(SMALL, ink));
        };
        write(area, number, (middle, centre - 6), centred(LABEL, ink))?;
        let words = interval(cell.interval, layout.digits);
        write(area, words, (middle, centre + 8), centred(SMALL, ink))
    }
}

impl Drawable for HeadToHead {
    fn check(&self) -> Result<(), FigureError> {
        let n = self.names.len();
        length(self.cells.len(), n, || "a table of scores, by rows".into())?;
        for (name, row) in self.names.iter().zip(&self.cells) {
            length(row.len(), n, || format!("the scores of {name}"))?;
            for (other, cell) in self.names.iter().zip(row) {
                if let Some(cell) = cell {
                    let what = || format!("the score of {name} against {other}");
                    score(cell.score, cell.interval, what)?;
                }
            }
        }
        Ok(())
    }

    fn outline(&self, _: Sheet) -> Outline<'_> {
        let layout = self.layout();
        let contents = match self.names.len() {
            0 => 60,
            n => layout.top + n as i32 * layout.cell.1 + 8,
        };
        Outline::new(&self.title, self.full_caption(), contents as u32)
    }

    fn draw(&self, area: &Area<'_>, _: Sheet) -> DrawResult {
        if self.names.is_empty() {
            return write_note(area, "no games were played", (WIDTH as i32 / 2, 30));
        }
        let layout = self.layout();
        let (width, height) = layout.cell;
        let upwards = beginning(LABEL, INK).transform(FontTransform::Rotate270);
        let line = line_height(LABEL) as i32;
        for (index, lines) in (0..).zip(&layout.names) {
            // The lines are centred vertically on the row, or horizontally on the column.
            let first = -line * (lines.len() as i32 - 1) / 2;
            let y = layout.top + index * height + height / 2 + first;
            let x = layout.left + index * width + width / 2 + first;
            for (number, name) in (0..).zip(lines) {
                let below = number * line;
                write(area, name, (layout.left - 5, y + below), ending(LABEL, INK))?;
                match layout.upwards {
                    true => write(area, name, (x + below, layout.top - 5), upwards.clone())?,
                    false => write(area, name, (x, layout.top - 11), centred(LABEL, INK))?,
                }
            }
        }
        let interval = self.interval_style(&layout);
        for (row, cells) in (0..).zip(&self.cells) {
            for (column, cell) in (0..).zip(cells) {
                let corner = (layout.left + column * width, layout.top + row * height);
                self.draw_cell(area, &layout, corner, *cell, row == column, interval)?;
            }
        }
        Ok(())
    }
}
