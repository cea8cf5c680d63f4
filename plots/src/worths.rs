//! What parts of something are worth, each with its interval: a row for each, the zero as a line.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use crate::axes::{Panel, Scale};
use crate::canvas::{Area, DrawResult};
use crate::checked::{Drawable, FigureError};
use crate::style::{
    Frame, GRID, HEADING, INK, LABEL, MUTED, SERIES, SMALL, WIDTH, centred, ending, line_height,
    shorten, text_width, without_zero,
};

/// The data of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Worths {
    /// What is shown.
    pub title: String,
    /// Where it comes from: the strategy, its opponent, the sample.
    pub caption: String,
    /// What the axis measures.
    pub quantity: String,
    /// The parts, from top to bottom.
    pub parts: Vec<PartWorth>,
}

/// What one part is worth.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartWorth {
    /// The name of the part.
    pub name: String,
    /// Its worth, in [-1, 1].
    pub worth: f64,
    /// The interval around the worth; of no width where the worth is exact.
    pub interval: [f64; 2],
}

const ABOVE: i32 = 8;
const ROW: i32 = 20;
/// Room for the number of a row, to the right of the axis.
const NUMBER: i32 = 48;
/// The most room for names.
const MOST_LEFT: u32 = 150;
/// The radius of the mark of a worth.
const MARK: i32 = 3;
/// The least that the axis reaches to both sides: it would be of no width else.
const LEAST_REACH: f64 = 1e-3;

impl Worths {
    fn frame(&self) -> Frame {
        Frame::new(&self.title, &self.caption)
    }

    fn bottom(&self) -> i32 {
        ABOVE + ROW * self.parts.len().max(1) as i32
    }

    /// From the lowest number to the highest, with 0 and a margin.
    fn reach(&self) -> [f64; 2] {
        let ends = self.parts.iter().flat_map(|part| [part.interval[0], part.interval[1]]);
        let numbers = self.parts.iter().map(|part| part.worth).chain(ends);
        let [low, high] = numbers.fold([0.0_f64; 2], |[low, high], x| [low.min(x), high.max(x)]);
        let margin = (0.04 * (high - low)).max(LEAST_REACH);
        [low - margin, high + margin]
    }
}

impl Drawable for Worths {
    fn check(&self) -> Result<(), FigureError> {
        for part in &self.parts {
            let [low, high] = part.interval;
            // A bound may be a little off where it comes from a bisection.
            let is_sound = |x: f64| (-1.0 - 1e-9..=1.0 + 1e-9).contains(&x);
            for found in [part.worth, low, high] {
                if !is_sound(found) {
                    let what = format!("the worth of {}", part.name);
                    let expected = "a number from -1 to 1";
                    return Err(FigureError::NotANumber { what, found, expected });
                }
            }
        }
        Ok(())
    }

    fn set_title(&mut self, title: String) {
        self.title = title;
    }

    fn size(&self) -> (u32, u32) {
        let below = 2 * line_height(SMALL) + 8;
        (WIDTH, self.frame().height(self.bottom() as u32 + below))
    }

    fn draw(&self, area: &Area<'_>) -> DrawResult {
        let area = self.frame().draw(area)?;
        if self.parts.is_empty() {
            let place = (WIDTH as i32 / 2, ABOVE);
            return area.draw(&Text::new("nothing was measured", place, centred(HEADING, INK)));
        }
        let widest = self.parts.iter().map(|part| text_width(&part.name, LABEL)).max();
        let left = widest.unwrap_or(0).min(MOST_LEFT) as i32 + 18;
        let right = WIDTH as i32 - Frame::MARGIN as i32 - NUMBER;
        let bottom = self.bottom();
        let [low, high] = self.reach();
        let x = Scale::linear(low..high, left..right);
        let panel = Panel { area: &area, x, y: Scale::linear(0.0..1.0, bottom..ABOVE) };
        for (value, label) in panel.x.fitting_ticks(5, SMALL) {
            let at = panel.x.at(value);
            panel.line(&[(at, ABOVE), (at, bottom)], GRID.stroke_width(1))?;
            panel.write(label, (at, bottom + 4), SMALL, INK, (HPos::Center, VPos::Top))?;
        }
        let zero = panel.x.at(0.0);
        panel.line(&[(zero, ABOVE), (zero, bottom)], MUTED.stroke_width(1))?;
        panel.line(&[(left, bottom), (right, bottom)], INK.stroke_width(1))?;
        let place = ((left + right) / 2, bottom + 6 + line_height(SMALL) as i32);
        panel.write(&*self.quantity, place, SMALL, INK, (HPos::Center, VPos::Top))?;
        for (part, row) in self.parts.iter().zip(0..) {
            let y = ABOVE + ROW * row + ROW / 2;
            let name = shorten(&part.name, LABEL, MOST_LEFT);
            area.draw(&Text::new(name, (left - 10, y), ending(LABEL, INK)))?;
            let [from, to] = part.interval.map(|end| panel.x.at(end));
            panel.line(&[(from, y), (to, y)], SERIES[0].stroke_width(2))?;
            for end in [from, to] {
                panel.line(&[(end, y - 3), (end, y + 3)], SERIES[0].stroke_width(1))?;
            }
            area.draw(&Circle::new((panel.x.at(part.worth), y), MARK, SERIES[0].filled()))?;
            let number = signed(part.worth);
            area.draw(&Text::new(number, (right + NUMBER - 2, y), ending(SMALL, INK)))?;
        }
        Ok(())
    }
}

/// A worth as it is written: with its sign, in three digits.
fn signed(worth: f64) -> String {
    match format!("{worth:+.3}").as_str() {
        "+0.000" | "-0.000" => "0".into(),
        text => {
            let (sign, digits) = text.split_at(1);
            format!("{}{}", if sign == "-" { "−" } else { "+" }, without_zero(digits))
        }
    }
}
