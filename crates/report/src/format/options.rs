//! Options of text formats.

/// Options of text formats. CSV and JSON always contain everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// True if published figures are shown beside ours.
    pub side_by_side: bool,
    /// True if each cell shows the scores of the worst and the best run.
    pub ranges: bool,
    /// True if LaTeX captions include all remarks. Otherwise, captions have at most two lines.
    pub long_captions: bool,
    /// The width of the terminal in characters; `None` if unlimited.
    pub width: Option<usize>,
}
