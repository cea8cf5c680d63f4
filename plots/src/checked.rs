//! Validation of data from outside.

use crate::figure::{Area, DrawResult, Figure, Outline, Sheet};

/// The reason why data cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// A number is not finite, or it is out of range.
    #[error("cannot draw {what}: {found} where {expected} should be")]
    NotANumber {
        /// The number's place in the data.
        what: String,
        /// The invalid number.
        found: f64,
        /// The valid numbers, in words.
        expected: &'static str,
    },
    /// The lengths of two lists do not match.
    #[error("cannot draw {what}: {found} entries where {expected} should be")]
    Length {
        /// The list's place in the data.
        what: String,
        /// The number of entries.
        found: usize,
        /// The expected number of entries.
        expected: usize,
    },
}

/// Data that can be drawn once checked.
pub trait Drawable {
    /// Checks the data.
    ///
    /// # Errors
    ///
    /// Returns an error for the first invalid number.
    fn check(&self) -> Result<(), FigureError>;

    /// Same as [`Figure::outline`], for checked data.
    fn outline(&self, sheet: Sheet) -> Outline<'_>;

    /// Same as [`Figure::draw`], for checked data.
    ///
    /// # Errors
    ///
    /// Same as [`Figure::draw`].
    fn draw(&self, area: &Area<'_>, sheet: Sheet) -> DrawResult;
}

/// Data that have been checked, ready to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked<T>(T);

impl<T: Drawable> Checked<T> {
    /// Checks the data.
    ///
    /// # Errors
    ///
    /// Returns an error if a number is NaN, infinite, or out of its range.
    pub fn new(data: T) -> Result<Checked<T>, FigureError> {
        data.check()?;
        Ok(Checked(data))
    }
}

impl<T: Drawable> Figure for Checked<T> {
    fn outline(&self, sheet: Sheet) -> Outline<'_> {
        self.0.outline(sheet)
    }

    fn draw(&self, area: &Area<'_>, sheet: Sheet) -> DrawResult {
        self.0.draw(area, sheet)
    }
}

/// The result of a check.
pub(crate) type Result<T = (), E = FigureError> = std::result::Result<T, E>;

/// Returns an error about a number unless it is sound.
pub(crate) fn number(
    found: f64,
    is_sound: bool,
    expected: &'static str,
    what: impl FnOnce() -> String,
) -> Result {
    if is_sound { Ok(()) } else { Err(FigureError::NotANumber { what: what(), found, expected }) }
}

/// Checks a number that must be finite and at least 0, such as a number of games.
pub(crate) fn count_like(found: f64, what: impl FnOnce() -> String) -> Result {
    number(found, found.is_finite() && found >= 0.0, "a number of at least 0", what)
}

/// Checks a number that must be finite and above 0.
pub(crate) fn positive(found: f64, what: impl FnOnce() -> String) -> Result {
    number(found, found.is_finite() && found > 0.0, "a number above 0", what)
}

/// Checks a number that must be between -1e12 and 1e12: labels of larger numbers would not fit on an axis.
pub(crate) fn amount(found: f64, what: impl FnOnce() -> String) -> Result {
    number(found, found.abs() < 1e12, "a number between -1e12 and 1e12", what)
}

/// Checks a score or another share, which must be in [0, 1].
pub(crate) fn share(found: f64, what: impl FnOnce() -> String) -> Result {
    number(found, (0.0..=1.0).contains(&found), "a number from 0 to 1", what)
}

/// Checks a score and its interval, which must be in [0, 1].
pub(crate) fn score(score: f64, interval: [f64; 2], what: impl Fn() -> String) -> Result {
    [score, interval[0], interval[1]].into_iter().try_for_each(|number| share(number, &what))
}

pub(crate) fn length(found: usize, expected: usize, what: impl FnOnce() -> String) -> Result {
    match found == expected {
        true => Ok(()),
        false => Err(FigureError::Length { what: what(), found, expected }),
    }
}
