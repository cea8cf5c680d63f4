//! What figures are drawn on: an SVG document.

use std::sync::LazyLock;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use crate::style::{FONT, PAPER};

/// DejaVu Sans; its licence is in the same directory.
pub(crate) static DEJAVU_SANS: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

/// Where a figure, or a part of one, is drawn.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// What drawing returns. It fails on figures without room only, which is a mistake of the figure.
pub type DrawResult = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Something to look at: plain data that knows how to be drawn.
pub trait Figure {
    /// Gives it another title; without one, no room is left for it.
    fn set_title(&mut self, title: String);

    /// Width and height, in CSS pixels.
    fn size(&self) -> (u32, u32);

    /// Draws itself on an area of its size, which is white.
    ///
    /// # Errors
    ///
    /// When there is no room for an axis.
    fn draw(&self, area: &Area<'_>) -> DrawResult;
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
pub fn svg(figure: &impl Figure) -> String {
    ensure_font();
    let mut document = String::new();
    {
        let area = SVGBackend::with_string(&mut document, figure.size()).into_drawing_area();
        area.fill(&PAPER)
            .and_then(|()| figure.draw(&area))
            .and_then(|()| area.present())
            .expect("a figure has room for its parts, and a string can be written to");
    }
    document
}

/// How wide a figure is made; its height follows, and so does the size of its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OutputWidth {
    /// On paper, above 0. An image has 300 pixels to the inch.
    Millimetres(f64),
    /// On a screen, above 0: pixels of an image, CSS pixels of a document.
    Pixels(f64),
}

/// The figure as an SVG document of another width, with a height to match.
///
/// # Panics
///
/// As [`svg`].
pub fn svg_of_width(figure: &impl Figure, wanted: OutputWidth) -> String {
    let (width, height) = figure.size();
    let (value, unit) = match wanted {
        OutputWidth::Millimetres(value) => (value, "mm"),
        OutputWidth::Pixels(value) => (value, ""),
    };
    let own = format!("<svg width=\"{width}\" height=\"{height}\"");
    let high = value * f64::from(height) / f64::from(width);
    let scaled = format!("<svg width=\"{value}{unit}\" height=\"{high:.3}{unit}\"");
    let document = svg(figure);
    assert!(document.starts_with(&own), "a document begins with its size");
    document.replacen(&own, &scaled, 1)
}
