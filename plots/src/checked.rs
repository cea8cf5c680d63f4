//! Data from outside, and why some of them cannot be drawn.

use crate::canvas::{Area, DrawResult, Figure, Sheet};

/// Why there is no figure of some data.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// A number is none, or not one of this kind.
    #[error("cannot draw {what}: {found} where {expected} should be")]
    NotANumber {
        /// Where in the data.
        what: String,
        /// What is there.
        found: f64,
        /// What should be there.
        expected: &'static str,
    },
    /// Two lists do not belong together.
    #[error("cannot draw {what}: {found} entries where {expected} should be")]
    Length {
        /// Where in the data.
        what: String,
        /// Entries there are.
        found: usize,
        /// Entries there should be.
        expected: usize,
    },
}

/// Data that a figure can be made of, if nothing is wrong with them.
pub trait Drawable {
    /// Says what is wrong with the data.
    ///
    /// # Errors
    ///
    /// At the first number that makes no sense.
    fn check(&self) -> Result<(), FigureError>;

    /// As [`Figure::size`], of data that were checked.
    fn size(&self, sheet: Sheet) -> (u32, u32);

    /// As [`Figure::draw`], of data that were checked.
    ///
    /// # Errors
    ///
    /// As [`Figure::draw`].
    fn draw(&self, area: &Area<'_>, sheet: Sheet) -> DrawResult;
}

/// Data that were checked, so that they can be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked<T>(T);

impl<T: Drawable> Checked<T> {
    /// Checks the data.
    ///
    /// # Errors
    ///
    /// When there is a number in them that is NaN, infinite, or out of its range.
    pub fn new(data: T) -> Result<Checked<T>, FigureError> {
        data.check()?;
        Ok(Checked(data))
    }
}

impl<T: Drawable> Figure for Checked<T> {
    fn size(&self, sheet: Sheet) -> (u32, u32) {
        self.0.size(sheet)
    }

    fn draw(&self, area: &Area<'_>, sheet: Sheet) -> DrawResult {
        self.0.draw(area, sheet)
    }
}

/// Checks a number of games, or another number that is finite and at least 0.
pub(crate) fn count_like(found: f64, what: impl FnOnce() -> String) -> Result<(), FigureError> {
    if found.is_finite() && found >= 0.0 {
        return Ok(());
    }
    Err(FigureError::NotANumber { what: what(), found, expected: "a number of at least 0" })
}

/// Checks a number that is finite and above 0.
pub(crate) fn positive(found: f64, what: impl FnOnce() -> String) -> Result<(), FigureError> {
    if found.is_finite() && found > 0.0 {
        return Ok(());
    }
    Err(FigureError::NotANumber { what: what(), found, expected: "a number above 0" })
}

/// Checks a number of any size. An axis has room for what is below 1e12.
pub(crate) fn amount(found: f64, what: impl FnOnce() -> String) -> Result<(), FigureError> {
    if found.abs() < 1e12 {
        return Ok(());
    }
    Err(FigureError::NotANumber {
        what: what(),
        found,
        expected: "a number between -1e12 and 1e12",
    })
}

/// Checks a score, or another share.
pub(crate) fn share(found: f64, what: impl FnOnce() -> String) -> Result<(), FigureError> {
    if (0.0..=1.0).contains(&found) {
        return Ok(());
    }
    Err(FigureError::NotANumber { what: what(), found, expected: "a number from 0 to 1" })
}

/// Checks a score with its interval.
pub(crate) fn score(
    score: f64,
    interval: [f64; 2],
    what: impl Fn() -> String,
) -> Result<(), FigureError> {
    [score, interval[0], interval[1]].into_iter().try_for_each(|number| share(number, &what))
}

/// Checks the length of a list.
pub(crate) fn length(
    found: usize,
    expected: usize,
    what: impl FnOnce() -> String,
) -> Result<(), FigureError> {
    if found == expected {
        return Ok(());
    }
    Err(FigureError::Length { what: what(), found, expected })
}
