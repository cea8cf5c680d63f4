//! What figures are drawn on: an SVG document, or a PNG image or a PDF document of it.
//!
//! A figure is drawn once, as SVG. A PNG image is that document rendered (resvg) with the embedded font
//! alone, and a PDF document has its lines and its text, so that all look the same, on every machine.

use std::sync::{Arc, LazyLock};

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use resvg::{tiny_skia, usvg};

use crate::style::{FONT, PAPER};

/// DejaVu Sans; its licence is in the same directory.
pub(crate) static DEJAVU_SANS: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
/// The family that the font file says it is.
const DEJAVU_NAME: &str = "DejaVu Sans";
/// Pixels of an image for each unit of a figure.
const SCALE: f32 = 2.0;

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

/// Pixels of an image to the inch, for paper.
const DOTS_PER_INCH: f64 = 300.0;
const MILLIMETRES_PER_INCH: f64 = 25.4;
/// CSS pixels to the inch.
const PIXELS_PER_INCH: f64 = 96.0;

impl OutputWidth {
    /// Pixels of an image.
    fn in_dots(self) -> f64 {
        match self {
            OutputWidth::Millimetres(width) => width / MILLIMETRES_PER_INCH * DOTS_PER_INCH,
            OutputWidth::Pixels(width) => width,
        }
    }

    /// Points of a PDF document, 72 to the inch.
    fn in_points(self) -> f64 {
        const POINTS_PER_INCH: f64 = 72.0;
        match self {
            OutputWidth::Millimetres(width) => width / MILLIMETRES_PER_INCH * POINTS_PER_INCH,
            OutputWidth::Pixels(width) => width / PIXELS_PER_INCH * POINTS_PER_INCH,
        }
    }
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

/// The figure as a PNG image, of twice its size in pixels.
///
/// # Panics
///
/// As [`svg`].
pub fn png(figure: &impl Figure) -> Vec<u8> {
    image(figure, SCALE)
}

/// The figure as a PNG image of another width, with a height to match.
///
/// # Panics
///
/// As [`svg`], and when there is no memory for so many pixels.
pub fn png_of_width(figure: &impl Figure, wanted: OutputWidth) -> Vec<u8> {
    image(figure, (wanted.in_dots() / f64::from(figure.size().0)) as f32)
}

/// The figure as a PDF document of one page, with the text as text; as wide as asked for, or three quarters of a point
/// for each CSS pixel.
///
/// # Panics
///
/// As [`svg`].
pub fn pdf(figure: &impl Figure, wanted: Option<OutputWidth>) -> Vec<u8> {
    let (width, _) = figure.size();
    let points = wanted.unwrap_or(OutputWidth::Pixels(f64::from(width))).in_points();
    crate::pdf::document(&tree(figure), points as f32)
}

/// The figure with its text laid out.
fn tree(figure: &impl Figure) -> usvg::Tree {
    static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(DEJAVU_SANS.to_vec());
        fonts.set_sans_serif_family(DEJAVU_NAME);
        Arc::new(fonts)
    });
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    usvg::Tree::from_str(&svg(figure), &options).expect("the document is valid SVG")
}

fn image(figure: &impl Figure, scale: f32) -> Vec<u8> {
    let (width, height) = figure.size();
    let pixels = |length: u32| ((length as f32 * scale).round() as u32).max(1);
    let mut image = tiny_skia::Pixmap::new(pixels(width), pixels(height)).expect("a size above 0");
    let transform = tiny_skia::Transform::from_scale(scale, scale);
    resvg::render(&tree(figure), transform, &mut image.as_mut());
    image.encode_png().expect("an image in memory can be encoded")
}
