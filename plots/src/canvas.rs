//! The canvas of figures: an SVG document.

use std::sync::LazyLock;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

/// The width of most figures, in CSS pixels. This is the width of a text column of 8.5 cm, in which the size [`SMALL`]
/// is 6 points.
pub const WIDTH: u32 = 388;

/// The font of all text, with fallbacks for viewers that lack it.
pub const FONT: &str = "DejaVu Sans, Verdana, sans-serif";

/// The number of text size units in a CSS pixel. Plotters measures text sizes in these units.
pub(crate) const UNITS_PER_PIXEL: f64 = 1.24;

/// The size of the caption, and of numbers in small spaces. No letter is smaller.
pub const SMALL: u32 = 12;

/// The colour of the background.
pub const PAPER: RGBColor = RGBColor(255, 255, 255);

/// The font file of DejaVu Sans; its licence is in the same directory.
pub(crate) static DEJAVU_SANS: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

/// The area in which a figure, or a part of it, is drawn.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The result of drawing. Drawing fails only if the area is too small for the figure, which is a bug in the figure's
/// code.
pub type DrawResult<T = ()> = Result<T, DrawingAreaErrorKind<std::io::Error>>;

/// The width of a document, and whether it shows the title and the caption.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sheet {
    /// The width of the document, or `None` for the natural width of the figure.
    pub width: Option<OutputWidth>,
    /// Whether the title and the caption are drawn.
    pub has_words: bool,
}

impl Default for Sheet {
    fn default() -> Sheet {
        Sheet { width: None, has_words: true }
    }
}

/// The minimum font size on a sheet as wide as a column of text, in points.
const MIN_LETTERS: f64 = 6.0;

impl Sheet {
    /// Returns the maximum width of a figure's layout, in CSS pixels, at least [`WIDTH`]. In a wider figure, letters
    /// would be too small once the document is scaled to its width. Parts that do not fit next to each other at this
    /// width are placed below each other.
    pub(crate) fn most_width(self) -> u32 {
        let Some(width) = self.width else { return u32::MAX };
        let smallest = f64::from(SMALL) / UNITS_PER_PIXEL;
        ((width.in_points() * smallest / MIN_LETTERS) as u32).max(WIDTH)
    }
}

/// The width of a document. The height and the text size follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OutputWidth {
    /// A positive width on paper, where an image has 300 pixels per inch.
    Millimetres(f64),
    /// A positive width on a screen, in image pixels for an image, otherwise in CSS pixels.
    Pixels(f64),
}

pub(crate) const MILLIMETRES_PER_INCH: f64 = 25.4;
/// The number of CSS pixels per inch.
const PIXELS_PER_INCH: f64 = 96.0;
const POINTS_PER_INCH: f64 = 72.0;

impl OutputWidth {
    /// Returns the width in points, 72 to an inch.
    pub(crate) fn in_points(self) -> f64 {
        match self {
            OutputWidth::Millimetres(width) => width / MILLIMETRES_PER_INCH * POINTS_PER_INCH,
            OutputWidth::Pixels(width) => width / PIXELS_PER_INCH * POINTS_PER_INCH,
        }
    }
}

/// Registers the font with plotters, which needs it to measure text.
pub(crate) fn ensure_font() {
    static REGISTERED: LazyLock<()> = LazyLock::new(|| {
        let registered = register_font(FONT, FontStyle::Normal, DEJAVU_SANS);
        assert!(registered.is_ok(), "the embedded font is a font");
    });
    LazyLock::force(&REGISTERED);
}
