//! What figures are drawn on: an SVG document.

use std::sync::LazyLock;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use crate::style::{FONT, PAPER, SMALL, UNITS_PER_PIXEL, WIDTH};

/// DejaVu Sans; its licence is in the same directory.
pub(crate) static DEJAVU_SANS: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

/// Where a figure, or a part of one, is drawn.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// What drawing returns. It fails on figures without room only, which is a mistake of the figure.
pub type DrawResult = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Something to look at: plain data that knows how to be drawn.
pub trait Figure {
    /// Width and height on a sheet, in CSS pixels.
    fn size(&self, sheet: Sheet) -> (u32, u32);

    /// Draws itself on an area of its size, which is white.
    ///
    /// # Errors
    ///
    /// When there is no room for an axis.
    fn draw(&self, area: &Area<'_>, sheet: Sheet) -> DrawResult;
}

/// What a figure is made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sheet {
    /// How wide the document is made; as wide as the figure is by itself, if there is no width.
    pub width: Option<OutputWidth>,
    /// Whether the figure has its title and its caption.
    pub has_words: bool,
}

impl Default for Sheet {
    fn default() -> Sheet {
        Sheet { width: None, has_words: true }
    }
}

/// The least size of letters on a sheet that is as wide as a column, in points.
const LEAST_LETTERS: f64 = 6.0;

impl Sheet {
    /// The largest width in CSS pixels in which a figure is laid out, so that no letter becomes too small when the
    /// document has its own width: parts for which there is no room beside each other go below each other. It is
    /// never less than [`WIDTH`].
    pub(crate) fn most_width(self) -> u32 {
        let Some(width) = self.width else { return u32::MAX };
        let smallest = f64::from(SMALL) / UNITS_PER_PIXEL;
        ((width.in_points() * smallest / LEAST_LETTERS) as u32).max(WIDTH)
    }
}

/// How wide a document is made; its height follows, and so does the size of its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OutputWidth {
    /// On paper, above 0. An image has 300 pixels to the inch.
    Millimetres(f64),
    /// On a screen, above 0: pixels of an image, CSS pixels of a document.
    Pixels(f64),
}

pub(crate) const MILLIMETRES_PER_INCH: f64 = 25.4;
/// CSS pixels to the inch.
const PIXELS_PER_INCH: f64 = 96.0;
const POINTS_PER_INCH: f64 = 72.0;

impl OutputWidth {
    /// Points, 72 to the inch.
    pub(crate) fn in_points(self) -> f64 {
        match self {
            OutputWidth::Millimetres(width) => width / MILLIMETRES_PER_INCH * POINTS_PER_INCH,
            OutputWidth::Pixels(width) => width / PIXELS_PER_INCH * POINTS_PER_INCH,
        }
    }
}

/// Lets plotters measure text; to be called before it does.
pub(crate) fn ensure_font() {
    static REGISTERED: LazyLock<()> = LazyLock::new(|| {
        let registered = register_font(FONT, FontStyle::Normal, DEJAVU_SANS);
        assert!(registered.is_ok(), "the embedded font is a font");
    });
    LazyLock::force(&REGISTERED);
}

/// The figure as an SVG document.
///
/// # Panics
///
/// When the figure leaves no room for its own parts.
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

/// The figure as an SVG document as wide as it is laid out.
pub(crate) fn document(figure: &(impl Figure + ?Sized), sheet: Sheet) -> String {
    ensure_font();
    let mut document = String::new();
    {
        let size = figure.size(sheet);
        let area = SVGBackend::with_string(&mut document, size).into_drawing_area();
        area.fill(&PAPER)
            .and_then(|()| figure.draw(&area, sheet))
            .and_then(|()| area.present())
            .expect("a figure has room for its parts, and a string can be written to");
    }
    document
}
