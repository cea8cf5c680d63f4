//! Scores as dots: a row for each family, with a dot and its interval for each method, on one axis. Runs are small dots,
//! published values open marks, and the scores of other players upright lines.

use std::ops::Range;

use plotters::prelude::*;

use crate::axes::{Dash, Entry, Legend, Panel, RIGHT, Scale, dashed};
use crate::checked::{Drawable, FigureError, amount, length};
use crate::figure::{Area, DrawResult, Outline, Sheet};
use crate::style::{
    Frame, GRID, INK, LABEL, MUTED, SMALL, WIDTH, beginning, below, ending, fitted, line_height,
    series, text_width, widest, write, write_note,
};

/// The scores of a method on a family.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MethodScore {
    /// The score and its interval; `None` if the method was not tried.
    pub score: Option<(f64, [f64; 2])>,
    /// The scores of the runs. It may be empty if there is only one run.
    pub runs: Vec<f64>,
    /// The published score.
    pub published: Option<f64>,
}

/// The scores of a family.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FamilyScores {
    /// The name of the family.
    pub name: String,
    /// The scores, in the order of the methods.
    pub scores: Vec<MethodScore>,
    /// The scores of the best reference strategy and of the optimum, if they are known.
    pub yardsticks: [Option<f64>; 2],
}

/// A figure of scores.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreDots {
    /// The title.
    pub title: String,
    /// The source of the data: seeds, sample size, confidence.
    pub caption: String,
    /// A score that the axis marks, such as one half.
    pub middle: Option<f64>,
    /// The names of the methods.
    pub methods: Vec<String>,
    /// The families, from top to bottom.
    pub families: Vec<FamilyScores>,
}

/// The maximum width of a name, in pixels.
const MAX_LEFT: u32 = 130;
/// The space between the families, in pixels.
const GAP: i32 = 8;
/// The space above the first family, in pixels.
const ABOVE: i32 = 8;
/// Half the size of the dot for a run, in pixels.
const RUN: i32 = 2;
/// Half the size of the dot for a mean, in pixels.
const MEAN: i32 = 3;
/// The opacity of the dots of runs.
const FAINT: f64 = 0.4;
/// The names and colours of the scores of other players.
const YARDSTICKS: [(&str, RGBColor); 2] = [("best reference", MUTED), ("optimum", INK)];

impl ScoreDots {
    /// Returns the families that have a score to show.
    fn shown(&self) -> Vec<&FamilyScores> {
        let has_any = |family: &&FamilyScores| {
            family.scores.iter().any(|score| score.score.is_some() || score.published.is_some())
        };
        self.families.iter().filter(has_any).collect()
    }

    /// Whether rows are named after methods, because there is only one family.
    fn is_single(&self) -> bool {
        self.families.len() == 1
    }

    /// The height of the row of a method, in pixels.
    fn step(&self) -> i32 {
        if self.is_single() { 16 } else { 9 }
    }

    /// The height of a family, in pixels.
    fn block(&self) -> i32 {
        (self.step() * self.methods.len() as i32).max(16)
    }

    fn legend(&self) -> Legend {
        let names = self.methods.iter().enumerate().filter(|_| !self.is_single());
        Legend::new(names.map(|(index, name)| Entry::of_series(index, name)))
    }

    fn scores(&self) -> impl Iterator<Item = &MethodScore> {
        self.families.iter().flat_map(|family| &family.scores)
    }

    /// Returns the kinds of marks in the figure: published values, runs, and the two yardsticks.
    fn marks(&self) -> [bool; 4] {
        let has = |index: usize| self.families.iter().any(|of| of.yardsticks[index].is_some());
        let has_published = self.scores().any(|score| score.published.is_some());
        [has_published, self.scores().any(|score| score.runs.len() > 1), has(0), has(1)]
    }

    /// Returns the y coordinate of the first row.
    fn top(&self) -> i32 {
        let key = if self.marks().contains(&true) { line_height(SMALL) as i32 + 4 } else { 0 };
        self.legend().height as i32 + key + ABOVE
    }

    /// Returns the range of the axis. It includes all means, runs and marks. It also includes the intervals, unless they
    /// extend far beyond the scores: an interval over two runs may cover everything.
    fn range(&self) -> Range<f64> {
        let of_score = |of: &MethodScore| {
            let mean = of.score.map(|(score, _)| score);
            mean.into_iter().chain(of.published).chain(of.runs.clone()).collect::<Vec<_>>()
        };
        let yardsticks = self.families.iter().flat_map(|of| of.yardsticks).flatten();
        let found = self.scores().flat_map(of_score).chain(yardsticks).chain(self.middle);
        let span = |[low, high]: [f64; 2], x: f64| [low.min(x), high.max(x)];
        let [low, high] = found.fold([f64::INFINITY, f64::NEG_INFINITY], span);
        let room = 0.5 * (high - low);
        let bounds = self.scores().filter_map(|of| of.score).flat_map(|(_, interval)| interval);
        let bounds = bounds.map(|bound| bound.clamp(low - room, high + room));
        let [low, high] = bounds.fold([low, high], span);
        let margin = 0.03 * (high - low).max(1e-9 + 0.02 * high.abs());
        low - margin..high + margin
    }

    fn full_caption(&self) -> String {
        let mut caption = self.caption.clone();
        let (num_shown, num_all) = (self.shown().len(), self.families.len());
        let Range { start, end } = self.range();
        if self.scores().filter_map(|of| of.score).any(|(_, [low, high])| low < start || high > end)
        {
            caption += " An arrow says that an interval goes on beyond the figure.";
        }
        if num_shown > 0 && num_shown < num_all {
            let families = if num_all - num_shown == 1 { "family" } else { "families" };
            caption += &format!(
                " {} {families} without a score, of {num_all}, are left out.",
                num_all - num_shown
            );
        }
        caption
    }

    /// Explains the marks that are not in the legend.
    fn draw_key(&self, area: &Area<'_>, y: i32) -> DrawResult {
        let mut x = 19;
        let names = ["published", "a run", YARDSTICKS[0].0, YARDSTICKS[1].0];
        for (index, name) in names.into_iter().enumerate().filter(|(index, _)| self.marks()[*index])
        {
            match index {
                0 => draw_published(area, (x, y))?,
                1 => area.draw(&Circle::new((x, y), RUN, INK.mix(FAINT).filled()))?,
                _ => {
                    let colour = YARDSTICKS[index - 2].1;
                    area.draw(&PathElement::new([(x, y - 5), (x, y + 5)], colour.stroke_width(2)))?;
                }
            }
            write(area, name, (x + 9, y), beginning(SMALL, INK))?;
            x += 9 + text_width(name, SMALL) as i32 + 20;
        }
        Ok(())
    }
}

impl Drawable for ScoreDots {
    fn check(&self) -> Result<(), FigureError> {
        for family in &self.families {
            let what = || format!("the scores of {}", family.name);
            length(family.scores.len(), self.methods.len(), what)?;
            let yardsticks = family.yardsticks.into_iter().flatten();
            yardsticks.chain(self.middle).try_for_each(|found| amount(found, what))?;
            for (method, of) in self.methods.iter().zip(&family.scores) {
                let what = || format!("the score of {method} in {}", family.name);
                let measured = of.score.map(|(score, [low, high])| [score, low, high]);
                let found = measured.into_iter().flatten().chain(of.published);
                found.chain(of.runs.clone()).try_for_each(|found| amount(found, what))?;
            }
        }
        Ok(())
    }

    fn outline(&self, _: Sheet) -> Outline<'_> {
        let rows = self.shown().len().max(1) as i32 * (self.block() + GAP);
        let contents = self.top() + rows + line_height(SMALL) as i32 + 8;
        Outline::new(&self.title, self.full_caption(), contents as u32)
    }

    fn draw(&self, area: &Area<'_>, _: Sheet) -> DrawResult {
        let shown = self.shown();
        if shown.is_empty() || self.methods.is_empty() {
            return write_note(area, "nothing was measured", (WIDTH as i32 / 2, ABOVE));
        }
        let legend = self.legend();
        legend.draw(area)?;
        let first = self.top();
        self.draw_key(area, legend.height as i32 + line_height(SMALL) as i32 / 2)?;
        let families: Vec<String> = shown.iter().map(|family| family.name.clone()).collect();
        let names = if self.is_single() { &self.methods } else { &families };
        let names = fitted(names, LABEL, MAX_LEFT);
        let left = Frame::MARGIN as i32 + widest(&names, LABEL) as i32 + 10;
        let bottom = first + shown.len() as i32 * (self.block() + GAP);
        let x = Scale::linear(self.range(), left..WIDTH as i32 - RIGHT as i32);
        let right = x.pixels.end;
        let panel = Panel { area, x, y: Scale::linear(0.0..1.0, bottom..first) };
        for (value, label) in panel.x.fitting_ticks(7, SMALL) {
            let at = panel.x.at(value);
            panel.line(&[(at, bottom), (at, first)], GRID.stroke_width(1))?;
            write(area, label, (at, bottom + 4), below(SMALL, INK))?;
        }
        if let Some(middle) = self.middle.map(|middle| panel.x.at(middle)) {
            panel.dashed(
                &[(middle, bottom), (middle, first)],
                MUTED.stroke_width(1),
                Dash::Long,
            )?;
        }
        panel.line(&[(left, bottom), (right, bottom)], INK.stroke_width(1))?;
        let rows = if self.is_single() { self.step() } else { self.block() + GAP };
        for (index, name) in (0..).zip(names) {
            let y = first + index * rows + (rows - if self.is_single() { 0 } else { GAP }) / 2;
            write(area, name, (left - 8, y), ending(LABEL, INK))?;
        }
        for (index, family) in (0..).zip(shown) {
            let top = first + index * (self.block() + GAP);
            if index > 0 {
                let y = top - GAP / 2;
                panel.line(&[(left, y), (right, y)], GRID.stroke_width(1))?;
            }
            for (found, (_, colour)) in family.yardsticks.into_iter().zip(YARDSTICKS) {
                let Some(at) = found.map(|found| panel.x.at(found)) else { continue };
                panel.line(&[(at, top), (at, top + self.block())], colour.stroke_width(2))?;
            }
            for (method, score) in family.scores.iter().enumerate() {
                let y = top + method as i32 * self.step() + self.step() / 2;
                draw_score(&panel, score, y, method)?;
            }
        }
        Ok(())
    }
}

fn draw_score(panel: &Panel<'_, '_>, score: &MethodScore, y: i32, method: usize) -> DrawResult {
    let (area, colour) = (panel.area, series(method));
    if score.runs.len() > 1 {
        for &run in &score.runs {
            area.draw(&Circle::new((panel.x.at(run), y), RUN, colour.mix(FAINT).filled()))?;
        }
    }
    if let Some((mean, [low, high])) = score.score {
        let ends = [low, high].map(|end| panel.x.at(end));
        let line = [(ends[0], y), (ends[1], y)];
        dashed(area, &line, colour.stroke_width(2), Dash::of_series(method))?;
        // An interval that continues beyond the axis ends in an arrow.
        let Range { start, end } = panel.x.values;
        for (x, is_beyond, side) in [(ends[0], low < start, -1), (ends[1], high > end, 1)] {
            if is_beyond {
                let head = [(x - 4 * side, y - 4), (x, y), (x - 4 * side, y + 4)];
                panel.line(&head, colour.stroke_width(2))?;
            }
        }
        area.draw(&Circle::new((panel.x.at(mean), y), MEAN, colour.filled()))?;
    }
    score.published.map_or(Ok(()), |published| draw_published(area, (panel.x.at(published), y)))
}

/// Draws the mark of a published value. The mark is open, so that it hides nothing.
fn draw_published(area: &Area<'_>, (x, y): (i32, i32)) -> DrawResult {
    let corners = [(x, y - 4), (x + 4, y), (x, y + 4), (x - 4, y), (x, y - 4)];
    area.draw(&PathElement::new(corners, INK.stroke_width(1)))
}
