//! Remarks on how to read tables. A remark shared by several tables is shown below only one of them.

/// The legend of an interval that is not shown.
pub(crate) const NO_INTERVAL: &str = "?: no interval, as there are fewer than three runs, or they are in two groups far apart, \
                           between which the mean lies.";

/// The note on intervals over few runs.
pub(crate) const FEW: &str =
    "Intervals over fewer than six runs are rough, as few runs do not show how much runs differ.";

/// The beginning of the note on failures that may exist, although no run shows one.
pub(crate) const UNSEEN: &str =
    "Intervals take the scores of runs as about normal, and do not cover what no run shows:";

/// The legend of published figures.
pub(crate) const PUBLISHED_LEGEND: &str = "Rows of Cauwet & Teytaud: their published figure (CEC 2018), which is of one run. It \
                                agrees if it is where one further run of ours would be with probability .95, by \
                                the spread of our runs and their standard deviation (runs that differ much agree \
                                with much); else it is higher or lower than ours. One run of ours is not compared.";

/// Returns `true` if a note explains how to read tables, and not the content of one table.
pub(super) fn is_general(note: &str) -> bool {
    let general = [NO_INTERVAL, PUBLISHED_LEGEND, FEW, UNSEEN, "(alike)", "(1 run)"];
    general.iter().any(|beginning| note.starts_with(beginning))
}
