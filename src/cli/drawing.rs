//! Figures, drawn.

use std::path::Path;

use clap::ValueEnum;
use ruse_plots::Figure;

/// A format of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Vector graphics, for papers and pages
    Svg,
    /// Pixels, twice as many as the figure has units
    Png,
}

impl Format {
    pub(super) fn extension(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
        }
    }

    pub(super) fn of_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?;
        Format::from_str(extension, true).ok()
    }

    pub(super) fn render(self, figure: &impl Figure) -> Vec<u8> {
        match self {
            Format::Svg => ruse_plots::svg(figure).into_bytes(),
            Format::Png => ruse_plots::png(figure),
        }
    }
}

/// A figure in the format asked for, and its name without extension.
pub(super) struct Drawing {
    pub(super) name: String,
    /// The family or the run that it shows, if it is not about all of them.
    pub(super) subject: Option<String>,
    pub(super) contents: Vec<u8>,
}
