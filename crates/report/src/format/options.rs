//! Options of tables.

/// Options of tables and of text formats. CSV and JSON always contain everything.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// True if published figures are shown beside ours.
    pub side_by_side: bool,
    /// True if each cell shows the scores of the worst and the best run.
    pub ranges: bool,
    /// True if LaTeX captions include all remarks. Otherwise, captions have at most two lines.
    pub long_captions: bool,
    /// The width of the terminal in characters; `None` if unlimited.
    pub width: Option<usize>,
    /// The score to reach in the table of targets; `None` for the score of the best reference player.
    pub target: Option<f64>,
}
