//! Files for figures. The file extension selects SVG, PNG or PDF.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ruse_base::files::{check_output, write_output};
use ruse_plots::{Checked, Drawable, OutputWidth, Sheet};
use ruse_report::shown::FigureFormat;

use super::failure::{Failure, Result};

/// The path and the format of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FigureFile {
    path: PathBuf,
    format: FigureFormat,
}

impl FromStr for FigureFile {
    type Err = String;

    fn from_str(text: &str) -> Result<FigureFile, String> {
        let path = PathBuf::from(text);
        let format = FigureFormat::of_path(&path)
            .ok_or("the name of a figure ends in .svg, .png or .pdf")?;
        format.check().map_err(|error| Failure::from(error).text())?;
        check_output(&path, format.replaces()).map_err(|error| Failure::from(error).text())?;
        Ok(FigureFile { path, format })
    }
}

impl FigureFile {
    /// Draws the data, and writes the file. Replaces a figure in the same format, but no other file.
    pub(super) fn write<T: Drawable>(&self, data: T) -> Result {
        let figure = Checked::new(data)?;
        let figure = self.format.render(&figure, Sheet::default())?;
        Ok(write_output(&self.path, self.format.replaces(), figure)?)
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.path
    }
}

/// Returns the parser of `--format`.
pub(super) fn figure_formats() -> impl TypedValueParser<Value = FigureFormat> {
    let value = |format: FigureFormat| {
        let help = match format {
            FigureFormat::Svg => "Vector graphics, for papers and pages",
            FigureFormat::Png => "Pixels, two for each unit of the figure",
            FigureFormat::Pdf => "Vector graphics for LaTeX and print, in which text stays text",
        };
        PossibleValue::new(format.extension()).help(help)
    };
    let format = |name: String| {
        let mut formats = FigureFormat::ALL.into_iter();
        formats.find(|format| format.extension() == name).expect("the parser knows all formats")
    };
    PossibleValuesParser::new(FigureFormat::ALL.map(value)).map(format)
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
