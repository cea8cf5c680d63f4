//! Figures, rendered as SVG, PNG or PDF.

use ruse_plots::{Checked, Drawable, Figure, OutputWidth, Sheet};

use crate::ReportError;
use crate::error::Result;
use crate::figure_format::FigureFormat;
use crate::page::Picture;

impl FigureFormat {
    /// Checks that this program can write the format. Call it before the work for a figure.
    ///
    /// # Errors
    ///
    /// Returns an error if the program was built without the format.
    pub fn check(self) -> Result<()> {
        match self {
            FigureFormat::Svg => Ok(()),
            _ if cfg!(feature = "png") => Ok(()),
            _ => Err(ReportError::NoFormat(self)),
        }
    }

    /// Returns the contents of a file with the figure.
    ///
    /// # Errors
    ///
    /// Same as [`check`](FigureFormat::check).
    pub fn render(self, figure: &impl Figure, sheet: Sheet) -> Result<Vec<u8>> {
        match self {
            FigureFormat::Svg => Ok(ruse_plots::svg(figure, sheet).into_bytes()),
            #[cfg(feature = "png")]
            FigureFormat::Png => Ok(ruse_plots::png(figure, sheet)),
            #[cfg(feature = "png")]
            FigureFormat::Pdf => Ok(ruse_plots::pdf(figure, sheet)),
            #[cfg(not(feature = "png"))]
            FigureFormat::Png | FigureFormat::Pdf => Err(ReportError::NoFormat(self)),
        }
    }
}

/// The selection of figures, and their appearance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// The format.
    pub format: FigureFormat,
    /// The width, and whether figures have titles.
    pub sheet: Sheet,
    /// True if learning curves have all their panels.
    pub has_all_panels: bool,
    /// True if figures are for a page, which may be read on narrow screens.
    pub is_for_page: bool,
    /// A text that selects figures by name. Figures without it are only listed.
    pub only: Option<String>,
}

impl Look {
    /// Selects all figures, at their usual size.
    pub fn of(format: FigureFormat) -> Look {
        Look { format, ..Look::default() }
    }

    /// Selects all figures, for a page.
    pub fn of_page() -> Look {
        Look { is_for_page: true, ..Look::default() }
    }
}

/// A figure in the selected format. Its name has no extension.
pub struct Drawing {
    /// The name of the file.
    pub name: String,
    /// The family or run that the figure is about; `None` for all of them.
    pub subject: Option<String>,
    /// The contents of the file, if the figure is selected.
    pub contents: Option<Vec<u8>>,
    /// The SVG document for narrow screens, if `contents` is too wide for them.
    pub narrow: Option<String>,
}

/// The figures of a part of an experiment.
pub(super) type Drawings = Result<Vec<Drawing>>;

/// The width of a figure on a phone, in pixels.
const NARROW: u32 = 344;
/// The maximum width, in pixels, of a figure without a narrow version.
const WIDEST_FOR_ALL: u32 = 420;

impl Drawing {
    /// Draws these data if the figure is selected.
    ///
    /// # Errors
    ///
    /// Returns an error if the data are invalid, or the program was built without the format.
    pub fn of_data<T: Drawable>(name: impl Into<String>, look: &Look, data: T) -> Result<Drawing> {
        Drawing::new(name, look, || Ok(Checked::new(data)?))
    }

    /// Draws a figure if it is selected; otherwise, does not call `figure`.
    pub(super) fn new<F: Figure>(
        name: impl Into<String>,
        look: &Look,
        figure: impl FnOnce() -> Result<F>,
    ) -> Result<Drawing> {
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
