//! The formats of figures.

use std::path::Path;

use ruse_base::files::Replaces;

ruse_base::named! {
    /// A format of figures.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum FigureFormat {
        /// Vector graphics, for papers and pages.
        #[default]
        Svg = "svg",
        /// Pixels, two for each unit of the figure.
        Png = "png",
        /// Vector graphics for LaTeX and print, in which text stays text.
        Pdf = "pdf",
    }
}

impl FigureFormat {
    /// Returns the extension of files in the format.
    pub fn extension(self) -> &'static str {
        self.name()
    }

    /// Returns the format of files with the extension of `path`, if there is one.
    pub fn of_path(path: &Path) -> Option<FigureFormat> {
        let extension = path.extension()?.to_str()?;
        let is_of = |format: &FigureFormat| format.extension().eq_ignore_ascii_case(extension);
        FigureFormat::ALL.into_iter().find(is_of)
    }

    /// Returns the files that a figure in the format may replace.
    pub fn replaces(self) -> Replaces {
        match self {
            FigureFormat::Svg => Replaces::Svg,
            FigureFormat::Png => Replaces::Png,
            FigureFormat::Pdf => Replaces::Pdf,
        }
    }
}
