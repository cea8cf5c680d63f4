//! The picture of column weights.

use ruse_picture::{Axis, Chart, HeatMap, Panel, Picture, Scale};

use super::FlatMonteCarlo;

pub(super) fn picture(strategy: &FlatMonteCarlo) -> Picture {
    let probabilities = strategy.column_probabilities().concat();
    let map = HeatMap {
        rows: Axis::new("", ["own stones", "opponent's stones"]),
        columns: Axis::new("column of the board", 'a'..='g'),
        texts: probabilities.iter().map(|share| format!("{:.0}", 100.0 * share)).collect(),
        scale: Scale::from_zero(probabilities.iter().copied()),
        values: probabilities.into_iter().map(Some).collect(),
        quantity: "probability; in cells %".into(),
        has_sums: false,
    };
    let title = "Where stones go in the random games";
    let panel = Panel::new(title, Chart::HeatMap(map))
        .with_note("While no column is full. All at 14% is plain flat Monte-Carlo.");
    Picture::of([panel])
}
