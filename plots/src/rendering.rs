//! A PNG image or a PDF document of a figure.
//!
//! A figure is drawn once, as SVG. A PNG image is that document rendered (resvg) with the embedded font
//! alone, and a PDF document has its lines and its text, so that all look the same, on every machine.

use std::sync::{Arc, LazyLock};

use resvg::{tiny_skia, usvg};

use crate::canvas::{DEJAVU_SANS, Figure, OutputWidth, svg};

/// The family that the font file says it is.
const DEJAVU_NAME: &str = "DejaVu Sans";
/// Pixels of an image for each unit of a figure.
const SCALE: f32 = 2.0;
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
