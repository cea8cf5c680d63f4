//! Files for figures: the name says whether it is an SVG document or a PNG image.

use std::path::PathBuf;
use std::str::FromStr;

use ruse_plots::{Checked, Drawable, png, svg};

use super::failure::Failure;
use crate::files::write_atomically;

/// The formats of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Svg,
    Png,
}

/// Where a figure goes, and in which format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FigureFile {
    path: PathBuf,
    format: Format,
}

impl FromStr for FigureFile {
    type Err = String;

    fn from_str(text: &str) -> Result<FigureFile, String> {
        let path = PathBuf::from(text);
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let format = match extension.as_ref().and_then(|extension| extension.to_str()) {
            Some("svg") => Format::Svg,
            Some("png") => Format::Png,
            _ => return Err("the name of a figure ends in .svg or .png".into()),
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
            return Err(format!("there is no directory {}; make it first", parent.display()));
        }
        if path.is_dir() {
            return Err("this is a directory; name a file in it".into());
        }
        Ok(FigureFile { path, format })
    }
}

impl FigureFile {
    /// Checks the data, draws them and writes the file, in place of what was there.
    pub(super) fn write<T: Drawable>(&self, data: T) -> Result<(), Failure> {
        let figure = Checked::new(data)?;
        let contents = match self.format {
            Format::Svg => svg(&figure).into_bytes(),
            Format::Png => png(&figure),
        };
        Ok(write_atomically(&self.path, contents)?)
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.path
    }
}
