//! The scores of the members of a population against each other, in the order of joining.
//!
//! If the population makes progress, later members (above) beat earlier members (to the left), so the figure has two
//! halves of different colours. A cycle is an island of the other colour. If all scores against the predecessors are
//! above one half, but the scores against the baseline do not grow, the population improves only relative to itself
//! (the red queen effect: Van Valen, *A new evolutionary law*, 1973).

use plotters::prelude::*;

use crate::axes::short_score;
use crate::canvas::{Area, DrawResult, Sheet};
use crate::checked::{Drawable, FigureError, count_like, length, share};
use crate::style::{
    Frame, INK, LABEL, MISSING, MUTED, WIDTH, above, below, count, diverging, ending, text_width,
    write, write_note,
};

/// A map of the scores of the members of a population against each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CrossScores {
    /// The title.
    pub title: String,
    /// The source of the data: method, seed, pairs per cell, omitted members.
    pub caption: String,
    /// The number of games after which each member joined, counting only games in comparisons; not decreasing.
    pub games: Vec<f64>,
    /// The score of each member (row) against each other member (column), in [0, 1].
    pub scores: Vec<Vec<Option<f64>>>,
}

/// The left edge of the map, in pixels.
const LEFT: i32 = 62;
const SIDE: u32 = 300;
const TOP: i32 = 22;
/// The height of the axis labels and title below the map, in pixels. The colour scale follows below.
const BELOW: u32 = 40;
const KEY: u32 = 44;

impl CrossScores {
    fn cell(&self) -> i32 {
        (SIDE / self.games.len().max(1) as u32).clamp(1, 100) as i32
    }

    fn side(&self) -> i32 {
        self.cell() * self.games.len() as i32
    }

    /// Returns the distance from one half with the strongest colour.
    fn extent(&self) -> f64 {
        let scores = self.scores.iter().flatten().flatten();
        let largest = scores.fold(0.0f64, |most, score| most.max((score - 0.5).abs()));
        // Rounded up to a twentieth, so that the scale ends at round numbers.
        ((largest * 20.0 - 1e-9).ceil() / 20.0).clamp(0.05, 0.5)
    }

    /// Writes the number of games after which each member joined, where it fits.
    fn draw_labels(&self, area: &Area<'_>) -> DrawResult {
        let (cell, bottom) = (self.cell(), TOP + self.side());
        let axis = "opponent: joined after this number of games";
        let (mut next_x, mut next_y) = (i32::MIN, i32::MAX);
        for (index, &games) in (0..).zip(&self.games) {
            let label = rounded_count(games);
            let half = text_width(&label, LABEL) as i32 / 2;
            let (x, y) = (LEFT + index * cell + cell / 2, bottom - index * cell - cell / 2);
            if y <= next_y {
                area.draw(&PathElement::new([(LEFT - 3, y), (LEFT, y)], INK.stroke_width(1)))?;
                write(area, &label, (LEFT - 6, y), ending(LABEL, INK))?;
                next_y = y - 30;
            }
            if x - half >= next_x && x + half < WIDTH as i32 {
                let mark = [(x, bottom), (x, bottom + 3)];
                area.draw(&PathElement::new(mark, INK.stroke_width(1)))?;
                write(area, label, (x, bottom + 5), below(LABEL, INK))?;
                next_x = x + half + 16;
            }
        }
        let title = "member: joined after this number of games";
        write(area, title, (LEFT, TOP - 5), above(LABEL, MUTED))?;
        let middle = (LEFT + LEFT + self.side().max(60)) / 2;
        let middle = middle.max(10 + text_width(axis, LABEL) as i32 / 2);
        write(area, axis, (middle, bottom + 20), below(LABEL, MUTED))
    }
}

impl Drawable for CrossScores {
    fn check(&self) -> Result<(), FigureError> {
        let n = self.games.len();
        let mut games = self.games.iter();
        games.try_for_each(|&games| count_like(games, || "games of a member".into()))?;
        length(self.scores.len(), n, || "scores of members, by rows".into())?;
        for (index, row) in self.scores.iter().enumerate() {
            length(row.len(), n, || format!("scores of member {}", index + 1))?;
            let what = || format!("a score of member {}", index + 1);
            row.iter().flatten().try_for_each(|&score| share(score, what))?;
        }
        Ok(())
    }

    fn size(&self, sheet: Sheet) -> (u32, u32) {
        let map = self.side().max(80) as u32;
        let contents = TOP as u32 + map + BELOW + KEY;
        (WIDTH, Frame::new(sheet, &self.title, &self.caption).height(contents))
    }

    fn draw(&self, area: &Area<'_>, sheet: Sheet) -> DrawResult {
        let area = Frame::new(sheet, &self.title, &self.caption).draw(area)?;
        let n = self.games.len();
        let (cell, extent, side) = (self.cell(), self.extent(), self.side());
        if n == 0 {
            return write_note(&area, "no candidate was accepted", (WIDTH as i32 / 2, TOP + 40));
        }
        let bottom = TOP + side;
        for (row, scores) in (0..).zip(&self.scores) {
            for (column, score) in (0..).zip(scores) {
                let colour = score.map_or(MISSING, |score| diverging((score - 0.5) / extent));
                let (x, y) = (LEFT + column * cell, bottom - (row + 1) * cell);
                area.draw(&Rectangle::new([(x, y), (x + cell, y + cell)], colour.filled()))?;
            }
        }
        let corners = [(LEFT, TOP), (LEFT + side, bottom)];
        area.draw(&Rectangle::new(corners, INK.stroke_width(1)))?;
        self.draw_labels(&area)?;
        draw_key(&area, bottom + BELOW as i32, extent)
    }
}

/// Draws the colour scale for distances from one half up to `extent`.
fn draw_key(area: &Area<'_>, top: i32, extent: f64) -> DrawResult {
    let (width, height, steps) = (200, 9, 50);
    let left = LEFT + (SIDE as i32 - width) / 2;
    let top = top + 8;
    for step in 0..steps {
        let colour = diverging(2.0 * f64::from(step) / f64::from(steps - 1) - 1.0);
        let x = |step: i32| left + step * width / steps;
        let corners = [(x(step), top), (x(step + 1), top + height)];
        area.draw(&Rectangle::new(corners, colour.filled()))?;
    }
    for (share, score) in [(0, 0.5 - extent), (1, 0.5), (2, 0.5 + extent)] {
        let place = (left + share * width / 2, top + height + 3);
        write(area, short_score(score, 2), place, below(LABEL, INK))?;
    }
    write(area, "score", (left - 22, top + height / 2), ending(LABEL, MUTED))
}

/// Formats a number of games with two or three digits.
fn rounded_count(games: f64) -> String {
    if games < 1000.0 {
        return count(games.round());
    }
    let unit = libm::exp10(libm::log10(games).floor() - 1.0);
    let rounded = (games / unit).round() * unit;
    // Removes the rounding error of the product.
    count(rounded.round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_have_few_digits() {
        let shown = [0.0, 7.0, 999.4, 1234.0, 99_999.0, 1_234_567.0].map(rounded_count);
        assert_eq!(shown, ["0", "7", "999", "1.2k", "100k", "1.2M"]);
    }

    #[test]
    fn colours_end_at_round_scores() {
        let of = |score| CrossScores { scores: vec![vec![Some(score)]], ..CrossScores::default() };
        assert_eq!([0.5, 0.51, 0.56, 0.0].map(|score| of(score).extent()), [0.05, 0.05, 0.1, 0.5]);
    }
}
