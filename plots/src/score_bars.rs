//! Scores against the baseline, a panel for each family: dots with intervals, and published values as open
//! marks. A bar from zero would show how far a score is from 0, and what matters is how far it is from 1/2.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use crate::axes::{Dash, Panel, RIGHT, Scale, dashed, score_range};
use crate::canvas::{Area, DrawResult};
use crate::checked::{Drawable, FigureError, score, share};
use crate::style::{
    Frame, GRID, HEADING, INK, LABEL, MUTED, SMALL, WIDTH, beginning, centred, ending, line_height,
    series, shorten, text_width,
};

/// What a method reaches in a family.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MethodScore {
    /// The score, in [0, 1], and its interval; none if the method was not tried.
    pub score: Option<(f64, [f64; 2])>,
    /// The score that was published, in [0, 1].
    pub published: Option<f64>,
}

/// The scores of a family.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FamilyScores {
    /// Its name.
    pub name: String,
    /// The scores, in the order of the methods.
    pub scores: Vec<MethodScore>,
}

/// The data of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreBars {
    /// What is shown.
    pub title: String,
    /// Where it comes from: seeds, sample size, confidence.
    pub caption: String,
    /// The names of the methods, the same in all panels.
    pub methods: Vec<String>,
    /// The panels.
    pub families: Vec<FamilyScores>,
}

/// The height of the line of a method.
const ROW: i32 = 15;
/// The title of a panel, and the labels of its axis.
const ABOVE: i32 = 20;
const BELOW: i32 = 22;
const MOST_LEFT: u32 = 150;
const MARGIN: i32 = 10;
/// The row that says what the marks are.
const KEY: i32 = 18;
/// Between two panels of a row.
const GAP: i32 = 16;

impl ScoreBars {
    fn num_columns(&self) -> usize {
        if self.families.len() > 1 { 2 } else { 1 }
    }

    fn panel_height(&self) -> i32 {
        ABOVE + ROW * self.methods.len().max(1) as i32 + BELOW
    }

    fn has_published(&self) -> bool {
        let mut scores = self.families.iter().flat_map(|family| &family.scores);
        scores.any(|score| score.published.is_some())
    }

    fn frame(&self) -> Frame {
        let caption = match self.families.len() {
            0 | 1 => self.caption.clone(),
            _ => format!("{} The axes differ; the dashed line is one half.", self.caption),
        };
        Frame::new(&self.title, &caption)
    }

    fn left(&self) -> i32 {
        let names = self.methods.iter().map(|name| shorten(name, LABEL, MOST_LEFT));
        MARGIN + names.map(|name| text_width(&name, LABEL)).max().unwrap_or(0) as i32 + 8
    }
}

impl Drawable for ScoreBars {
    fn check(&self) -> Result<(), FigureError> {
        for family in &self.families {
            crate::checked::length(family.scores.len(), self.methods.len(), || {
                format!("the scores of {}", family.name)
            })?;
            for (method, found) in self.methods.iter().zip(&family.scores) {
                let what = || format!("the score of {method} in {}", family.name);
                if let Some((value, interval)) = found.score {
                    score(value, interval, what)?;
                }
                if let Some(published) = found.published {
                    share(published, || format!("the published {}", &what()[4..]))?;
                }
            }
        }
        Ok(())
    }

    fn size(&self) -> (u32, u32) {
        let rows = self.families.len().div_ceil(self.num_columns()).max(1) as i32;
        let contents = KEY + rows * self.panel_height();
        (WIDTH, self.frame().height(contents as u32))
    }

    fn draw(&self, area: &Area<'_>) -> DrawResult {
        let area = self.frame().draw(area)?;
        if self.families.is_empty() || self.methods.is_empty() {
            let place = (WIDTH as i32 / 2, 30);
            return area.draw(&Text::new("nothing was measured", place, centred(HEADING, INK)));
        }
        self.draw_key(&area)?;
        let (columns, left) = (self.num_columns() as i32, self.left());
        let width = (WIDTH as i32 - RIGHT as i32 - left - (columns - 1) * GAP) / columns;
        for (index, family) in (0..).zip(&self.families) {
            let (row, column) = (index / columns, index % columns);
            let x = left + column * (width + GAP);
            let top = KEY + row * self.panel_height() + ABOVE;
            if column == 0 {
                for (line, name) in (0..).zip(&self.methods) {
                    let place = (left - 8, top + line * ROW + ROW / 2);
                    let name = shorten(name, LABEL, MOST_LEFT);
                    area.draw(&Text::new(name, place, ending(LABEL, INK)))?;
                }
            }
            self.draw_panel(&area, family, (x, top), width)?;
        }
        Ok(())
    }
}

impl ScoreBars {
    fn draw_key(&self, area: &Area<'_>) -> DrawResult {
        let y = line_height(SMALL) as i32 / 2;
        let x = MARGIN + 9;
        area.draw(&PathElement::new([(x - 9, y), (x + 9, y)], INK.stroke_width(2)))?;
        area.draw(&Circle::new((x, y), 3, INK.filled()))?;
        let here = "measured, with interval";
        area.draw(&Text::new(here, (x + 14, y), beginning(SMALL, INK)))?;
        if self.has_published() {
            let x = x + 14 + text_width(here, SMALL) as i32 + 20;
            draw_published(area, (x, y))?;
            area.draw(&Text::new("published", (x + 9, y), beginning(SMALL, INK)))?;
        }
        Ok(())
    }

    fn draw_panel(
        &self,
        area: &Area<'_>,
        family: &FamilyScores,
        (left, top): (i32, i32),
        width: i32,
    ) -> DrawResult {
        let found = family.scores.iter().flat_map(|score| {
            let measured = score.score.map(|(score, _)| score);
            measured.into_iter().chain(score.published)
        });
        let all = score_range(found);
        let room = 0.5 * (all.end - all.start);
        // An interval over two runs may say nothing at all.
        let bounds = family.scores.iter().filter_map(|score| score.score).flat_map(|(_, i)| i);
        let bounds = bounds.map(|bound| bound.clamp(all.start - room, all.end + room));
        let bottom = top + ROW * self.methods.len() as i32;
        let values = score_range(bounds.chain([all.start, all.end]));
        let x = Scale::linear(values, left..left + width);
        let panel = Panel { area, x, y: Scale::linear(0.0..1.0, bottom..top) };
        if self.families.len() > 1 {
            let name = shorten(&family.name, SMALL, width as u32 + RIGHT - 4);
            panel.write(name, (left, top - 4), SMALL, INK, (HPos::Left, VPos::Bottom))?;
        }
        for (value, label) in panel.x.fitting_ticks(if width > 200 { 7 } else { 5 }, SMALL) {
            let at = panel.x.at(value);
            panel.line(&[(at, bottom), (at, top)], GRID.stroke_width(1))?;
            panel.write(label, (at, bottom + 4), SMALL, INK, (HPos::Center, VPos::Top))?;
        }
        let half = panel.x.at(0.5);
        dashed(area, &[(half, bottom), (half, top)], MUTED.stroke_width(1), Dash::Long)?;
        panel.line(&[(left, bottom), (left + width, bottom)], INK.stroke_width(1))?;
        for (line, score) in family.scores.iter().enumerate() {
            let y = top + line as i32 * ROW + ROW / 2;
            if let Some((score, [low, high])) = score.score {
                let ends = [(panel.x.at(low), y), (panel.x.at(high), y)];
                panel.line(&ends, series(line).stroke_width(2))?;
                // An interval that goes on beyond the panel ends in an arrow.
                let shown = panel.x.values();
                for (x, is_beyond, side) in
                    [(ends[0].0, low < shown.start, -1), (ends[1].0, high > shown.end, 1)]
                {
                    if is_beyond {
                        let head = [(x - 4 * side, y - 4), (x, y), (x - 4 * side, y + 4)];
                        panel.line(&head, series(line).stroke_width(2))?;
                    }
                }
                area.draw(&Circle::new((panel.x.at(score), y), 3, series(line).filled()))?;
            }
            if let Some(published) = score.published {
                draw_published(area, (panel.x.at(published), y))?;
            }
        }
        Ok(())
    }
}

/// The mark of a published value: open, so that what is below can be seen.
fn draw_published(area: &Area<'_>, (x, y): (i32, i32)) -> DrawResult {
    let corners = [(x, y - 4), (x + 4, y), (x, y + 4), (x - 4, y), (x, y - 4)];
    area.draw(&PathElement::new(corners, INK.stroke_width(1)))
}
