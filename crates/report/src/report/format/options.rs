//! Options of text formats.

/// The content of text formats. CSV and JSON always have everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether the published figure is shown beside ours.
    pub side_by_side: bool,
    /// Whether each cell shows the scores of the worst and the best run.
    pub ranges: bool,
    /// Whether LaTeX captions include all remarks of the other formats, instead of being two lines long.
    pub long_captions: bool,
    /// The width of the terminal, in characters; unlimited if `None`.
    pub width: Option<usize>,
}
