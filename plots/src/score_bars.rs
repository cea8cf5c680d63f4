//! Scores against the baseline, in one panel for each family, side by side. Panels show means with their intervals,
//! runs as small dots, and published values as open marks. There are no bars from zero, because the distance from 1/2
//! matters.

use std::ops::Range;

use plotters::prelude::*;

use crate::axes::{Dash, Panel, RIGHT, Scale, dashed, score_range};
use crate::canvas::{Area, DrawResult, Sheet};
use crate::checked::{Drawable, FigureError, length, score, share};
use crate::style::{
    Frame, GRID, INK, LABEL, MUTED, SERIES, SMALL, WIDTH, beginning, below, ending, fitted,
    line_height, text, text_width, widest, wrap, write, write_lines, write_note,
};

/// The scores of a method on a family.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MethodScore {
    /// The score, in [0, 1], and its interval; `None` if the method was not tried.
    pub score: Option<(f64, [f64; 2])>,
    /// The scores of the runs, in [0, 1]. It may be empty if there is only one run.
    pub runs: Vec<f64>,
    /// The published score, in [0, 1].
    pub published: Option<f64>,
}

/// The scores of a family.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FamilyScores {
    /// The name of the family.
    pub name: String,
    /// The scores, in the order of the methods.
    pub scores: Vec<MethodScore>,
}

/// A figure of scores against the baseline.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScorePanels {
    /// The title.
    pub title: String,
    /// The source of the data: seeds, sample size, confidence.
    pub caption: String,
    /// The names of the methods, the same in all panels.
    pub methods: Vec<String>,
    /// One panel for each family.
    pub families: Vec<FamilyScores>,
}

/// The height of the row of a method, in pixels.
const ROW: i32 = 16;
/// The height, in pixels, of the axis labels below a panel and the gap below them.
const BELOW: i32 = 28;
const MAX_LEFT: u32 = 150;
const MARGIN: i32 = 10;
/// The height of the row that explains the marks, in pixels.
const KEY: i32 = 18;
/// The gap between two panels side by side, in pixels.
const GAP: i32 = 22;
/// The width of a panel, in pixels.
const PANEL: i32 = 140;
/// The minimum width of a panel on a narrow sheet, in pixels.
const MIN_PANEL: i32 = 110;
/// The maximum number of panels side by side.
const MAX_COLUMNS: usize = 5;
/// Half the size of the dot for a run, in pixels.
const RUN: i32 = 2;
/// Half the size of the dot for a mean, in pixels.
const MEAN: i32 = 3;
/// The colour of all rows; their labels distinguish them.
const COLOUR: RGBColor = SERIES[0];

/// Positions in the figure, in pixels.
struct Layout {
    /// The number of panels side by side.
    columns: i32,
    /// The x coordinate of the left end of the first panel.
    left: i32,
    /// The width of a panel.
    panel: i32,
    /// The titles of the panels, in lines; a single family has no title.
    titles: Vec<Vec<String>>,
    /// The height of the titles above the rows of a panel, in pixels.
    above: i32,
    width: u32,
}

impl ScorePanels {
    /// Returns the families that have a score to show.
    fn shown(&self) -> Vec<&FamilyScores> {
        let has_any = |family: &&FamilyScores| {
            family.scores.iter().any(|score| score.score.is_some() || score.published.is_some())
        };
        self.families.iter().filter(has_any).collect()
    }

    fn layout(&self, sheet: Sheet) -> Layout {
        let shown = self.shown();
        let names = fitted(&self.methods, LABEL, MAX_LEFT);
        let left = MARGIN + widest(&names, LABEL) as i32 + 8;
        let around = left + RIGHT as i32;
        let room = i32::try_from(sheet.most_width()).unwrap_or(i32::MAX) - around;
        let columns = shown.len().clamp(1, MAX_COLUMNS) as i32;
        let columns = columns.min(room.saturating_add(GAP) / (MIN_PANEL + GAP)).max(1);
        // If there is only one panel, it is as wide as possible.
        let panel = match columns {
            1 => WIDTH as i32 - around,
            _ => PANEL.min((room - (columns - 1) * GAP) / columns),
        };
        let title = |family: &&FamilyScores| wrap(&family.name, SMALL, (panel + GAP - 4) as u32);
        let titles = match self.families.len() {
            1 => vec![Vec::new()],
            _ => shown.iter().map(title).collect(),
        };
        let lines = titles.iter().map(Vec::len).max().unwrap_or(0);
        Layout {
            columns,
            left,
            panel,
            titles,
            above: 8 + lines as i32 * line_height(SMALL) as i32,
            width: WIDTH.max((around + columns * panel + (columns - 1) * GAP) as u32),
        }
    }

    fn panel_height(&self, layout: &Layout) -> i32 {
        layout.above + ROW * self.methods.len().max(1) as i32 + BELOW
    }

    fn scores(&self) -> impl Iterator<Item = &MethodScore> {
        self.families.iter().flat_map(|family| &family.scores)
    }

    fn has_published(&self) -> bool {
        self.scores().any(|score| score.published.is_some())
    }

    fn has_runs(&self) -> bool {
        self.scores().any(|score| score.runs.len() > 1)
    }

    fn frame(&self, sheet: Sheet, width: u32) -> Frame {
        let mut caption = self.caption.clone();
        let (num_shown, num_all) = (self.shown().len(), self.families.len());
        if num_shown > 1 {
            caption += " The axes differ; the dashed line is one half.";
        }
        if self.shown().iter().any(|family| family.goes_on_beyond()) {
            caption += " An arrow says that an interval goes on beyond the panel.";
        }
        if num_shown > 0 && num_shown < num_all {
            let families = if num_all - num_shown == 1 { "family" } else { "families" };
            caption += &format!(
                " {} {families} without a score, of {num_all}, are left out.",
                num_all - num_shown
            );
        }
        Frame::of_width(sheet, width, &self.title, &caption)
    }

    fn draw_key(&self, area: &Area<'_>) -> DrawResult {
        let y = line_height(SMALL) as i32 / 2;
        let x = MARGIN + 9;
        area.draw(&PathElement::new([(x - 9, y), (x + 9, y)], COLOUR.stroke_width(2)))?;
        area.draw(&Circle::new((x, y), MEAN, COLOUR.filled()))?;
        let here = if self.has_runs() { "mean, with interval" } else { "score, with interval" };
        write(area, here, (x + 14, y), beginning(SMALL, INK))?;
        let mut x = x + 14 + text_width(here, SMALL) as i32 + 20;
        if self.has_runs() {
            let name = "a run";
            area.draw(&Circle::new((x, y), RUN, COLOUR.mix(FAINT).filled()))?;
            write(area, name, (x + 9, y), beginning(SMALL, INK))?;
            x += 9 + text_width(name, SMALL) as i32 + 20;
        }
        if self.has_published() {
            draw_published(area, (x, y))?;
            write(area, "published", (x + 9, y), beginning(SMALL, INK))?;
        }
        Ok(())
    }
}

impl FamilyScores {
    /// Returns the range of the axis. It includes all means, runs and published scores. It also includes the intervals,
    /// unless they extend far beyond the scores: an interval over two runs may cover everything.
    fn range(&self) -> Range<f64> {
        let found = self.scores.iter().flat_map(|score| {
            let measured = score.score.map(|(score, _)| score);
            measured.into_iter().chain(score.published).chain(score.runs.iter().copied())
        });
        let all = score_range(found);
        let room = 0.5 * (all.end - all.start);
        let bounds = self.scores.iter().filter_map(|score| score.score).flat_map(|(_, i)| i);
        let bounds = bounds.map(|bound| bound.clamp(all.start - room, all.end + room));
        score_range(bounds.chain([all.start, all.end]))
    }

    fn goes_on_beyond(&self) -> bool {
        let Range { start, end } = self.range();
        let mut intervals = self.scores.iter().filter_map(|score| score.score);
        intervals.any(|(_, [low, high])| low < start || high > end)
    }
}

impl Drawable for ScorePanels {
    fn check(&self) -> Result<(), FigureError> {
        for family in &self.families {
            let what = || format!("the scores of {}", family.name);
            length(family.scores.len(), self.methods.len(), what)?;
            for (method, found) in self.methods.iter().zip(&family.scores) {
                let what = || format!("the score of {method} in {}", family.name);
                if let Some((value, interval)) = found.score {
                    score(value, interval, what)?;
                }
                if let Some(published) = found.published {
                    share(published, || format!("the published {}", &what()[4..]))?;
                }
                found.runs.iter().try_for_each(|&run| {
                    share(run, || format!("the score of a run of {method} in {}", family.name))
                })?;
            }
        }
        Ok(())
    }

    fn size(&self, sheet: Sheet) -> (u32, u32) {
        let layout = self.layout(sheet);
        let rows = (self.shown().len() as i32 + layout.columns - 1) / layout.columns;
        let contents = KEY + rows.max(1) * self.panel_height(&layout);
        self.frame(sheet, layout.width).size(contents as u32)
    }

    fn draw(&self, area: &Area<'_>, sheet: Sheet) -> DrawResult {
        let layout = self.layout(sheet);
        let area = self.frame(sheet, layout.width).draw(area)?;
        if self.shown().is_empty() || self.methods.is_empty() {
            return write_note(&area, "nothing was measured", (layout.width as i32 / 2, 30));
        }
        self.draw_key(&area)?;
        let Layout { columns, left, panel: width, ref titles, above, .. } = layout;
        for (index, (family, title)) in (0..).zip(self.shown().into_iter().zip(titles)) {
            let (row, column) = (index / columns, index % columns);
            let x = left + column * (width + GAP);
            let top = KEY + row * self.panel_height(&layout) + above;
            if column == 0 {
                for (line, name) in (0..).zip(fitted(&self.methods, LABEL, MAX_LEFT)) {
                    let y = top + line * ROW + ROW / 2;
                    write(&area, name, (left - 8, y), ending(LABEL, INK))?;
                }
            }
            let high = title.len() as i32 * line_height(SMALL) as i32;
            write_lines(&area, title, &text(SMALL, INK), (x, top - 4 - high), SMALL)?;
            draw_panel(&area, family, (x, top), width)?;
        }
        Ok(())
    }
}

/// The opacity of the dots of runs.
const FAINT: f64 = 0.45;

fn draw_panel(
    area: &Area<'_>,
    family: &FamilyScores,
    (left, top): (i32, i32),
    width: i32,
) -> DrawResult {
    let bottom = top + ROW * family.scores.len() as i32;
    let x = Scale::linear(family.range(), left..left + width);
    let panel = Panel { area, x, y: Scale::linear(0.0..1.0, bottom..top) };
    for (value, label) in panel.x.fitting_ticks(if width > 200 { 7 } else { 5 }, SMALL) {
        let at = panel.x.at(value);
        panel.line(&[(at, bottom), (at, top)], GRID.stroke_width(1))?;
        write(area, label, (at, bottom + 4), below(SMALL, INK))?;
    }
    let half = panel.x.at(0.5);
    dashed(area, &[(half, bottom), (half, top)], MUTED.stroke_width(1), Dash::Long)?;
    panel.line(&[(left, bottom), (left + width, bottom)], INK.stroke_width(1))?;
    for (line, score) in family.scores.iter().enumerate() {
        let y = top + line as i32 * ROW + ROW / 2;
        if let Some((mean, [low, high])) = score.score {
            let ends = [(panel.x.at(low), y), (panel.x.at(high), y)];
            panel.line(&ends, COLOUR.stroke_width(2))?;
            // An interval that continues beyond the panel ends in an arrow.
            let shown = &panel.x.values;
            for (x, is_beyond, side) in
                [(ends[0].0, low < shown.start, -1), (ends[1].0, high > shown.end, 1)]
            {
                if is_beyond {
                    let head = [(x - 4 * side, y - 4), (x, y), (x - 4 * side, y + 4)];
                    panel.line(&head, COLOUR.stroke_width(2))?;
                }
            }
            if score.runs.len() > 1 {
                // The dots are below the line, so that the interval stays visible.
                for &run in &score.runs {
                    let place = (panel.x.at(run), y + RUN + 3);
                    area.draw(&Circle::new(place, RUN, COLOUR.mix(FAINT).filled()))?;
                }
            }
            area.draw(&Circle::new((panel.x.at(mean), y), MEAN, COLOUR.filled()))?;
        }
        if let Some(published) = score.published {
            draw_published(area, (panel.x.at(published), y))?;
        }
    }
    Ok(())
}

/// Draws the mark of a published value. The mark is open, so that it hides nothing.
fn draw_published(area: &Area<'_>, (x, y): (i32, i32)) -> DrawResult {
    let corners = [(x, y - 4), (x + 4, y), (x, y + 4), (x - 4, y), (x, y - 4)];
    area.draw(&PathElement::new(corners, INK.stroke_width(1)))
}
