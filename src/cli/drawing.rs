//! Figures, rendered as SVG, PNG or PDF.

use std::path::Path;

use clap::ValueEnum;
use ruse_base::files::Replaces;
use ruse_plots::{Figure, OutputWidth, Sheet};
use ruse_report::page::Picture;

use super::failure::Failure;

/// A format of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Vector graphics, for papers and pages
    Svg,
    /// Pixels, two for each unit of the figure
    Png,
    /// Vector graphics for LaTeX and print, in which text stays text
    Pdf,
}

impl Format {
    pub(super) fn extension(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
            Format::Pdf => "pdf",
        }
    }

    pub(super) fn of_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?;
        Format::from_str(extension, true).ok()
    }

    pub(super) fn replaces(self) -> Replaces {
        match self {
            Format::Svg => Replaces::Svg,
            Format::Png => Replaces::Png,
            Format::Pdf => Replaces::Pdf,
        }
    }

    /// Checks that this program can write the format. Call it before the work for a figure.
    pub(super) fn check(self) -> Result<(), Failure> {
        match self {
            Format::Png | Format::Pdf if cfg!(not(feature = "png")) => Err(self.missing()),
            _ => Ok(()),
        }
    }

    /// Returns the error for a format that this build does not support.
    fn missing(self) -> Failure {
        let name = self.extension().to_uppercase();
        Failure::with_advice(
            format!("this program was built without the feature `png`, and writes no {name}"),
            "write SVG, or build the program with the feature",
        )
    }

    pub(super) fn render(self, figure: &impl Figure, sheet: Sheet) -> Result<Vec<u8>, Failure> {
        match self {
            Format::Svg => Ok(ruse_plots::svg(figure, sheet).into_bytes()),
            #[cfg(feature = "png")]
            Format::Png => Ok(ruse_plots::png(figure, sheet)),
            #[cfg(feature = "png")]
            Format::Pdf => Ok(ruse_plots::pdf(figure, sheet)),
            #[cfg(not(feature = "png"))]
            Format::Png | Format::Pdf => Err(self.missing()),
        }
    }
}

/// The selection of figures, and their appearance.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Look {
    pub(super) format: Format,
    pub(super) sheet: Sheet,
    /// True if learning curves have all their panels.
    pub(super) has_all_panels: bool,
    /// True if figures are for a page, which may be read on narrow screens.
    pub(super) is_for_page: bool,
    /// A text that selects figures by name. Figures without it are only listed.
    pub(super) only: Option<String>,
}

impl Look {
    /// Selects all figures, at their usual size.
    pub(super) fn of(format: Format) -> Look {
        Look {
            format,
            sheet: Sheet::default(),
            has_all_panels: false,
            is_for_page: false,
            only: None,
        }
    }

    /// Selects all figures, for a page.
    pub(super) fn of_page() -> Look {
        Look { is_for_page: true, ..Look::of(Format::Svg) }
    }
}

/// A figure in the selected format. Its name has no extension.
pub(super) struct Drawing {
    pub(super) name: String,
    /// The family or run that the figure is about; `None` for all of them.
    pub(super) subject: Option<String>,
    /// The contents of the file, if the figure is selected.
    pub(super) contents: Option<Vec<u8>>,
    /// The SVG document for narrow screens, if `contents` is too wide for them.
    pub(super) narrow: Option<String>,
}

/// The width of a figure on a phone, in pixels.
const NARROW: u32 = 344;
/// The maximum width, in pixels, of a figure without a narrow version.
const WIDEST_FOR_ALL: u32 = 420;

impl Drawing {
    /// Draws a figure if it is selected; otherwise, does not call `figure`.
    pub(super) fn new<F: Figure>(
        name: impl Into<String>,
        look: &Look,
        figure: impl FnOnce() -> Result<F, Failure>,
    ) -> Result<Drawing, Failure> {
        let name = name.into();
        let is_wanted = look.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
        if !is_wanted {
            return Ok(Drawing { name, subject: None, contents: None, narrow: None });
        }
        let figure = figure()?;
        let contents = Some(look.format.render(&figure, look.sheet)?);
        let is_wide = look.is_for_page && figure.size(look.sheet).0 > WIDEST_FOR_ALL;
        let narrow = is_wide.then(|| {
            let width = Some(OutputWidth::Pixels(f64::from(NARROW)));
            ruse_plots::svg(&figure, Sheet { width, ..look.sheet })
        });
        Ok(Drawing { name, subject: None, contents, narrow })
    }

    /// Returns the figure for a page, if it is selected.
    pub(super) fn picture(&self, label: impl Into<String>) -> Option<Picture> {
        let document = String::from_utf8_lossy(self.contents.as_deref()?);
        Some(Picture::new(label, &document).with_narrow(self.narrow.as_deref()))
    }

    pub(super) fn about(self, subject: impl Into<String>) -> Drawing {
        Drawing { subject: Some(subject.into()), ..self }
    }
}

/// The valid widths in millimetres. Letters are then at least a few pixels high, and the image fits into memory.
const MILLIMETRES: std::ops::RangeInclusive<f64> = 10.0..=2000.0;
/// The valid widths in pixels, for the same reasons.
const PIXELS: std::ops::RangeInclusive<f64> = 50.0..=20_000.0;

/// Parses a width with its unit: `85mm`, `17cm`, `800px`.
pub(super) fn parse_width(text: &str) -> Result<OutputWidth, String> {
    let wanted = || "write a number and its unit, such as 85mm, 17cm or 800px".to_string();
    let unit_at = text.find(|letter: char| letter.is_ascii_alphabetic()).ok_or_else(wanted)?;
    let (number, unit) = text.split_at(unit_at);
    let number: f64 = number.trim().parse().map_err(|_| wanted())?;
    let (width, value, range, unit) = match unit {
        "mm" => (OutputWidth::Millimetres(number), number, MILLIMETRES, "mm"),
        "cm" => (OutputWidth::Millimetres(10.0 * number), 10.0 * number, MILLIMETRES, "mm"),
        "px" => (OutputWidth::Pixels(number), number, PIXELS, "px"),
        _ => return Err(wanted()),
    };
    match range.contains(&value) {
        true => Ok(width),
        false => Err(format!("a width is from {}{unit} to {}{unit}", range.start(), range.end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_have_units() {
        assert_eq!(parse_width("85mm"), Ok(OutputWidth::Millimetres(85.0)));
        assert_eq!(parse_width("8.5cm"), Ok(OutputWidth::Millimetres(85.0)));
        assert_eq!(parse_width("800 px"), Ok(OutputWidth::Pixels(800.0)));
        for wrong in ["", "85", "mm", "NaNpx", "85em", "-5mm", "1e9px", "infpx"] {
            assert!(parse_width(wrong).is_err(), "{wrong}");
        }
        let error = parse_width("3mm").expect_err("it is too narrow");
        assert_eq!(error, "a width is from 10mm to 2000mm");
    }
}
