//! Options of text formats.

/// Options for the content of text formats. CSV and JSON always contain everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether the published figure is shown beside ours.
    pub side_by_side: bool,
    /// Whether each cell shows the scores of the worst and the best run.
    pub ranges: bool,
    /// Whether LaTeX captions include all remarks that the other formats show. Otherwise, captions are at most two
    /// lines long.
    pub long_captions: bool,
    /// The width of the terminal, in characters; unlimited if `None`.
    pub width: Option<usize>,
}
