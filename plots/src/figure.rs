//! Figures, and their SVG documents.

use std::borrow::Cow;

use plotters::prelude::*;

pub(crate) use crate::canvas::{Area, DrawResult, Sheet};
use crate::canvas::{OutputWidth, PAPER, WIDTH, ensure_font};
use crate::style::Frame;

/// Plain data that can be drawn.
pub trait Figure {
    /// Returns the words and the size on a sheet.
    fn outline(&self, sheet: Sheet) -> Outline<'_>;

    /// Draws the figure on a white area of this size, between the title and the caption.
    ///
    /// # Errors
    ///
    /// Returns an error if the area is too small for an axis.
    fn draw(&self, area: &Area<'_>, sheet: Sheet) -> DrawResult;

    /// Returns the width and the height on a sheet, in CSS pixels.
    fn size(&self, sheet: Sheet) -> (u32, u32) {
        self.outline(sheet).frame(sheet).1
    }
}

/// The words of a figure, and its size.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline<'a> {
    /// The title.
    pub title: &'a str,
    /// The caption, with the source of the data.
    pub caption: Cow<'a, str>,
    /// The width, in CSS pixels.
    pub width: u32,
    /// The height between the title and the caption, in CSS pixels.
    pub height: u32,
}

impl<'a> Outline<'a> {
    /// Creates the outline of a figure of width [`WIDTH`].
    pub fn new(title: &'a str, caption: impl Into<Cow<'a, str>>, height: u32) -> Outline<'a> {
        Outline { title, caption: caption.into(), width: WIDTH, height }
    }

    /// Returns the frame, and the size of the whole figure.
    fn frame(&self, sheet: Sheet) -> (Frame, (u32, u32)) {
        let frame = Frame::new(sheet, self.width, self.title, &self.caption);
        let size = (self.width, frame.height(self.height));
        (frame, size)
    }
}

/// Renders the figure as an SVG document.
///
/// # Panics
///
/// Panics if the figure is too small for its parts.
pub fn svg(figure: &(impl Figure + ?Sized), sheet: Sheet) -> String {
    let document = document(figure, sheet);
    let Some(wanted) = sheet.width else { return document };
    let (width, height) = figure.size(sheet);
    let (value, unit) = match wanted {
        OutputWidth::Millimetres(value) => (value, "mm"),
        OutputWidth::Pixels(value) => (value, ""),
    };
    let own = format!("<svg width=\"{width}\" height=\"{height}\"");
    let high = value * f64::from(height) / f64::from(width);
    let scaled = format!("<svg width=\"{value}{unit}\" height=\"{high:.3}{unit}\"");
    assert!(document.starts_with(&own), "a document begins with its size");
    document.replacen(&own, &scaled, 1)
}

/// Renders the figure as an SVG document of its natural width. Screen readers and search engines find its words in the
/// elements `title` and `desc`.
pub(crate) fn document(figure: &(impl Figure + ?Sized), sheet: Sheet) -> String {
    ensure_font();
    let outline = figure.outline(sheet);
    let (frame, size) = outline.frame(sheet);
    let mut drawn = String::new();
    {
        let area = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
        area.fill(&PAPER)
            .and_then(|()| frame.draw(&area))
            .and_then(|contents| figure.draw(&contents, sheet))
            .and_then(|()| area.present())
            .expect("a figure has room for its parts, and a string can be written to");
    }
    let (root, parts) = drawn.split_once('>').expect("a document has a root");
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let [title, caption] = [outline.title, &outline.caption].map(escaped);
    format!("{root} role=\"img\">\n<title>{title}</title>\n<desc>{caption}</desc>{parts}")
}
