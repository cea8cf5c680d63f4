//! What figures are drawn on: an SVG document, or a PNG image of it.
//!
//! A figure is drawn once, as SVG. A PNG image is that document rendered (resvg) with the embedded font
//! alone, so that both look the same, on every machine.

use std::sync::{Arc, LazyLock};

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use resvg::{tiny_skia, usvg};

use crate::style::{FONT, PAPER};

/// DejaVu Sans; its licence is in the same directory.
static DEJAVU_SANS: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
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

/// The figure as a PNG image, of twice its size in pixels.
///
/// # Panics
///
/// As [`svg`].
pub fn png(figure: &impl Figure) -> Vec<u8> {
    static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(DEJAVU_SANS.to_vec());
        fonts.set_sans_serif_family(DEJAVU_NAME);
        Arc::new(fonts)
    });
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(&svg(figure), &options).expect("the document is valid SVG");
    let (width, height) = figure.size();
    let pixels = |length: u32| (length as f32 * SCALE) as u32;
    let mut image = tiny_skia::Pixmap::new(pixels(width), pixels(height)).expect("a size above 0");
    let transform = tiny_skia::Transform::from_scale(SCALE, SCALE);
    resvg::render(&tree, transform, &mut image.as_mut());
    image.encode_png().expect("an image in memory can be encoded")
}
