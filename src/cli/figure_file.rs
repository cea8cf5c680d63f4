//! Files for figures: the name says whether it is an SVG document, a PNG image or a PDF document.

use std::path::PathBuf;
use std::str::FromStr;

use ruse_plots::{Checked, Drawable};

use super::drawing::Format;
use super::failure::Failure;
use crate::files::write_atomically;

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
        let format =
            Format::of_path(&path).ok_or("the name of a figure ends in .svg, .png or .pdf")?;
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
        Ok(write_atomically(&self.path, self.format.render(&figure, None))?)
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.path
    }
}
