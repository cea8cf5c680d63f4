//! The picture of a quadratic player.

use ruse_picture::{Axis, Bars, Chart, HeatMap, Panel, Picture, Scale};

use super::{NUM_FEATURES, QuadraticPlayer, UNIT, feature_names};

pub(super) fn picture(player: &QuadraticPlayer) -> Picture {
    let names: Vec<String> = (0..NUM_FEATURES).map(|index| feature_names(index).0).collect();
    // The sums off the diagonal are split in halves, so that both triangles together give the form.
    let coefficient = |i: usize, j: usize| {
        let sum = player.products[i.min(j)][i.max(j)] * UNIT * UNIT;
        if i == j { sum } else { sum / 2.0 }
    };
    let places = (0..NUM_FEATURES).flat_map(|i| (0..NUM_FEATURES).map(move |j| (i, j)));
    let square: Vec<f64> = places.map(|(i, j)| coefficient(i, j)).collect();
    let matrix = HeatMap {
        rows: Axis::new("", &names),
        columns: Axis::new("", &names),
        texts: Vec::new(),
        scale: Scale::around_zero(square.iter().copied()),
        values: square.into_iter().map(Some).collect(),
        quantity: "(A + Aᵀ)/2".into(),
        has_sums: false,
    };
    let linear = Bars {
        quantity: "b".into(),
        names,
        series: vec![("b".into(), player.linear.iter().map(|b| b * UNIT).collect())],
        level: None,
    };
    let panels = vec![
        Panel::new("Values of products of two features, A", Chart::HeatMap(matrix)).with_note(
            "Features: numbers of own or of the opponent's visible cards, in units of five, at distances 0 to \
             4 or more from the card just put or from the other top card. Only sums A_ij + A_ji matter.",
        ),
        Panel::new("Values of features, b", Chart::Bars(linear)),
    ];
    Picture::of(panels)
}
