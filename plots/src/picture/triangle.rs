//! Three shares of a whole as a point in a triangle; several points form a path.

use plotters::prelude::*;
use ruse_picture::Triangle;

use crate::canvas::{Area, DrawResult};
use crate::style::{
    GRID, INK, LABEL, MUTED, PAPER, SMALL, beginning, centred, ending, line_height, series,
    without_zero, write,
};

/// The side of the triangle, in pixels.
const SIDE: f64 = 220.0;

pub(super) struct TriangleDrawing<'a>(pub(super) &'a Triangle);

impl TriangleDrawing<'_> {
    fn rise(&self) -> f64 {
        SIDE * 3f64.sqrt() / 2.0
    }

    pub(super) fn height(&self, _width: u32) -> u32 {
        self.rise() as u32 + 4 * line_height(LABEL) + 16
    }

    pub(super) fn draw(&self, area: &Area<'_>) -> DrawResult {
        let (width, _) = area.dim_in_pixel();
        let top = f64::from(line_height(LABEL)) + 4.0;
        let centre = f64::from(width) / 2.0;
        let place = |[a, _, c]: [f64; 3]| -> (i32, i32) {
            let x = centre + SIDE * (c + a / 2.0 - 0.5);
            (x.round() as i32, (top + self.rise() * (1.0 - a)).round() as i32)
        };
        let line = |from, to, style: ShapeStyle| {
            area.draw(&PathElement::new(vec![place(from), place(to)], style))
        };
        for step in 1..5 {
            let (near, far) = (f64::from(step) / 5.0, 1.0 - f64::from(step) / 5.0);
            line([near, far, 0.0], [near, 0.0, far], GRID.into())?;
            line([far, near, 0.0], [0.0, near, far], GRID.into())?;
            line([far, 0.0, near], [0.0, far, near], GRID.into())?;
            // The labels on each side show the share of the corner at its end, anticlockwise.
            let label = without_zero(&format!("{near:.1}"));
            let (x, y) = place([near, 0.0, far]);
            write(area, &label, (x + 5, y), beginning(SMALL, MUTED))?;
            let (x, y) = place([far, near, 0.0]);
            write(area, &label, (x - 5, y), ending(SMALL, MUTED))?;
            let (x, y) = place([0.0, far, near]);
            write(area, label, (x, y + 9), centred(SMALL, MUTED))?;
        }
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let outline: Vec<_> = [0, 1, 2, 0].map(|corner| place(corners[corner])).into();
        area.draw(&PathElement::new(outline, INK.stroke_width(1)))?;
        for (index, (name, corner)) in self.0.corners.iter().zip(corners).enumerate() {
            let (x, y) = place(corner);
            let y = if index == 0 { y - line_height(LABEL) as i32 / 2 - 2 } else { y + 24 };
            write(area, name, (x, y), centred(LABEL, INK))?;
        }

        let is_share = |shares: &&[f64; 3]| shares.iter().all(|share| (0.0..=1.0).contains(share));
        let path: Vec<_> =
            self.0.path.iter().filter(is_share).map(|&shares| place(shares)).collect();
        let Some((&last, earlier)) = path.split_last() else { return Ok(()) };
        area.draw(&PathElement::new(path.clone(), series(5).stroke_width(2)))?;
        for &point in earlier {
            area.draw(&Circle::new(point, 2, series(0).filled()))?;
        }
        let mut marks = vec![(last, 6, series(1), "learned")];
        if let Some(&first) = earlier.first() {
            marks.push((first, 5, series(0), "first"));
        }
        for &(point, radius, colour, _) in marks.iter().rev() {
            area.draw(&Circle::new(point, radius + 1, PAPER.filled()))?;
            area.draw(&Circle::new(point, radius, colour.filled()))?;
        }
        let y = (top + self.rise()) as i32 + 2 * line_height(LABEL) as i32 + 14;
        let mut x = 10;
        for (_, radius, colour, name) in marks.into_iter().rev() {
            area.draw(&Circle::new((x, y), radius, colour.filled()))?;
            write(area, name, (x + 10, y), beginning(LABEL, INK))?;
            x += 70;
        }
        Ok(())
    }
}
