//! The picture of the probabilities of announcements.

use ruse_games::morra::{MAX_FINGERS, MAX_SUM};
use ruse_picture::{Axis, Bars, Chart, HeatMap, Panel, Picture, Scale};

use super::{MixedStrategy, NUM_FINGERS, Probabilities, best_response, marginals};

pub(super) fn picture(strategy: &MixedStrategy) -> Picture {
    let optimal = MixedStrategy::optimal();
    // Both maps share a scale, so the same colour means the same probability.
    let both = strategy.probabilities().iter().chain(optimal.probabilities());
    let scale = Scale::from_zero(both.copied());
    let map = |probabilities: &Probabilities| {
        let percent = |probability: &f64| match 100.0 * probability {
            percent if percent < 0.5 => String::new(),
            percent => format!("{percent:.0}"),
        };
        Chart::HeatMap(HeatMap {
            rows: Axis::new("fingers shown", 0..=MAX_FINGERS),
            columns: Axis::new("sum called", 0..=MAX_SUM),
            values: probabilities.iter().copied().map(Some).collect(),
            texts: probabilities.iter().map(percent).collect(),
            scale,
            quantity: "probability; in cells %".into(),
            has_sums: true,
        })
    };
    let (shown, believed) = marginals(strategy.probabilities());
    let even = 1.0 / NUM_FINGERS as f64;
    let bars = Bars {
        quantity: "probability".into(),
        names: (0..NUM_FINGERS).map(|fingers| fingers.to_string()).collect(),
        series: vec![
            ("number of fingers shown".into(), shown.to_vec()),
            ("number expected of the opponent".into(), believed.to_vec()),
        ],
        level: Some((even, "1/6: equilibrium".into())),
    };
    let (answer, payoff) = best_response(strategy.probabilities());
    let score = format!("{:.3}", (1.0 + payoff) / 2.0);
    let note = format!(
        "The best response always shows {} and calls {}: it scores {} against this strategy, exactly.",
        answer.fingers,
        answer.guess,
        score.trim_start_matches('0')
    );
    let panels = vec![
        Panel::new("Announcements", map(strategy.probabilities())),
        Panel::new("The same at an equilibrium", map(optimal.probabilities())),
        Panel::new("Fingers shown and expected", Chart::Bars(bars)).with_note(note),
    ];
    Picture::of(panels)
}
