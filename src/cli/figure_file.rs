//! Files for figures. The file extension selects SVG, PNG or PDF.

use std::path::PathBuf;
use std::str::FromStr;

use ruse_base::files::{check_output, write_output};
use ruse_plots::{Checked, Drawable, Sheet};

use super::drawing::Format;
use super::failure::Failure;

/// The path and the format of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FigureFile {
    path: PathBuf,
    format: Format,
}

impl FromStr for FigureFile {
    type Err = String;

    fn from_str(text: &str) -> Result<FigureFile, String> {
        let path = PathBuf::from(text);
        let format =
            Format::of_path(&path).ok_or("the name of a figure ends in .svg, .png or .pdf")?;
        format.check().map_err(|error| error.text())?;
        check_output(&path, format.replaces()).map_err(|error| Failure::from(error).text())?;
        Ok(FigureFile { path, format })
    }
}

impl FigureFile {
    /// Draws the data, and writes the file. Replaces a figure in the same format, but no other file.
    pub(super) fn write<T: Drawable>(&self, data: T) -> Result<(), Failure> {
        let figure = Checked::new(data)?;
        let figure = self.format.render(&figure, Sheet::default())?;
        Ok(write_output(&self.path, self.format.replaces(), figure)?)
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.path
    }
}
