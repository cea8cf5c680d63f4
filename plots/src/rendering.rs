//! Renders a figure as a PNG image or a PDF document.
//!
//! A figure is drawn once, as SVG. A PNG image is this document, rendered by resvg with only the embedded font; a PDF
//! document contains its lines and its text. All formats therefore look the same on every machine.

use std::sync::{Arc, LazyLock};

use resvg::{tiny_skia, usvg};

use crate::canvas::{DEJAVU_SANS, MILLIMETRES_PER_INCH, OutputWidth, Sheet};
use crate::figure::{Figure, document};

/// The family name in the font file.
const DEJAVU_NAME: &str = "DejaVu Sans";
/// The number of image pixels per CSS pixel, at natural width.
const SCALE: f64 = 2.0;
/// The number of image pixels per inch of paper.
const DOTS_PER_INCH: f64 = 300.0;

impl OutputWidth {
    /// Returns the width in image pixels.
    fn in_dots(self) -> f64 {
        match self {
            OutputWidth::Millimetres(width) => width / MILLIMETRES_PER_INCH * DOTS_PER_INCH,
            OutputWidth::Pixels(width) => width,
        }
    }
}

/// Renders the figure as a PNG image. A sheet without a width gives two image pixels for each CSS pixel.
///
/// # Panics
///
/// Same as [`svg`](crate::svg); also panics if there is not enough memory for the pixels.
pub fn png(figure: &(impl Figure + ?Sized), sheet: Sheet) -> Vec<u8> {
    let (width, height) = figure.size(sheet);
    let own = f64::from(width);
    let scale = sheet.width.map_or(SCALE, |wanted| wanted.in_dots() / own) as f32;
    let pixels = |length: u32| ((length as f32 * scale).round() as u32).max(1);
    let mut image = tiny_skia::Pixmap::new(pixels(width), pixels(height)).expect("a size above 0");
    let transform = tiny_skia::Transform::from_scale(scale, scale);
    resvg::render(&tree(figure, sheet), transform, &mut image.as_mut());
    image.encode_png().expect("an image in memory can be encoded")
}

/// Renders the figure as a PDF document of one page, in which text remains text. On a sheet without a width, a CSS
/// pixel is three quarters of a point.
///
/// # Panics
///
/// Same as [`svg`](crate::svg).
pub fn pdf(figure: &(impl Figure + ?Sized), sheet: Sheet) -> Vec<u8> {
    let own = OutputWidth::Pixels(f64::from(figure.size(sheet).0));
    let points = sheet.width.unwrap_or(own).in_points();
    crate::pdf::document(&tree(figure, sheet), points as f32)
}

/// Returns the figure with its text laid out.
fn tree(figure: &(impl Figure + ?Sized), sheet: Sheet) -> usvg::Tree {
    static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(DEJAVU_SANS.to_vec());
        fonts.set_sans_serif_family(DEJAVU_NAME);
        Arc::new(fonts)
    });
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    usvg::Tree::from_str(&document(figure, sheet), &options).expect("the document is valid SVG")
}
