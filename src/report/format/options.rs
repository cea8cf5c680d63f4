//! What is shown.

/// What text shows. CSV and JSON have everything anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The published figure before ours in each cell.
    pub side_by_side: bool,
    /// The scores of the worst and of the best run in each cell.
    pub ranges: bool,
    /// Captions of LaTeX with all that the other formats say, and not of two lines.
    pub long_captions: bool,
    /// The width of the terminal, in characters; as wide as it gets if none.
    pub width: Option<usize>,
}
