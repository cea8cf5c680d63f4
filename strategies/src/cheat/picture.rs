//! The picture of a value player.

use ruse_games::cheat::{Cheat, CheatView, NUM_COLOURS};
use ruse_picture::{Axis, Chart, HeatMap, List, Panel, Picture, Scale};

use super::words::{following, spread};
use super::{NOISE, ValuePlayer};

/// The largest number of cards on the table in the picture.
const MAX_ON_TABLE: u8 = 24;

/// Returns the distribution function of the standard Gaussian, accurate to 1e-7 (Abramowitz & Stegun 1964, 26.2.17).
fn gaussian_below(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let coefficients =
        [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let polynomial = coefficients.iter().rev().fold(0.0, |sum, c| (sum + c) * t);
    let above = gaussian_density(x) * polynomial;
    if x < 0.0 { above } else { 1.0 - above }
}

fn gaussian_density(x: f64) -> f64 {
    libm::exp(-x * x / 2.0) / (2.0 * std::f64::consts::PI).sqrt()
}

/// Returns the probability of each action if independent Gaussian noise is added to each value.
fn probabilities(values: &[f64; NUM_COLOURS + 1]) -> [f64; NUM_COLOURS + 1] {
    // Integrates over the noise of the action, by the trapezoidal rule.
    const STEP: f64 = 0.1;
    let points = (-50..=50).map(|index| STEP * f64::from(index));
    let mut wins = values.map(|_| 0.0);
    for noise in points {
        for (action, win) in wins.iter_mut().enumerate() {
            if values[action] == f64::NEG_INFINITY {
                continue;
            }
            let others = values.iter().enumerate().filter(|&(other, _)| other != action);
            let below = others.map(|(_, &other)| {
                // Huge parameters lead to infinite values, which are neither above nor below each other.
                let lead = (values[action] - other) / NOISE + noise;
                if lead.is_nan() { 0.5 } else { gaussian_below(lead) }
            });
            *win += STEP * gaussian_density(noise) * below.product::<f64>();
        }
    }
    let sum: f64 = wins.iter().sum();
    wins.map(|win| win / sum)
}

/// Returns the probabilities of a claim and of a lie.
fn claim_and_lie<const HASHED: bool>(strategy: &ValuePlayer<HASHED>, view: &CheatView) -> [f64; 2] {
    let probabilities = probabilities(&strategy.values(view));
    // Colour 0 is the current colour.
    let lie = probabilities[1..NUM_COLOURS].iter().sum();
    [probabilities[NUM_COLOURS], lie]
}

pub(super) fn picture<const HASHED: bool>(game: &Cheat, strategy: &ValuePlayer<HASHED>) -> Picture {
    let per_colour = game.cards_per_colour();
    let deck = 4 * u16::from(per_colour);
    let hands: Vec<u8> = (1..deck.div_ceil(2)).map(|half| (2 * half) as u8).collect();
    let tables: Vec<u8> = (1..=MAX_ON_TABLE.min(deck as u8 / 2)).collect();
    let mut maps: [Vec<Option<f64>>; 4] = [const { Vec::new() }; 4];
    for &table in tables.iter().rev() {
        for &own in &hands {
            for (index, of_colour) in [own.div_ceil(4), 0].into_iter().enumerate() {
                let hand = spread(per_colour, of_colour, own - of_colour);
                let view = hand.and_then(|hand| following(per_colour, hand, table));
                let shares = view.map(|view| claim_and_lie(strategy, &view));
                maps[index].push(shares.map(|[claim, _]| claim));
                maps[2 + index].push(shares.map(|[_, lie]| lie));
            }
        }
    }
    let titles = [
        "Claims, holding the colour",
        "Claims, lacking the colour",
        "Lies, holding the colour",
        "Lies, lacking the colour",
    ];
    let panels = titles.into_iter().zip(maps).map(|(title, values)| {
        let map = HeatMap {
            rows: Axis::new("cards on the table", tables.iter().rev()),
            columns: Axis::new("own cards", &hands),
            values,
            texts: Vec::new(),
            scale: Scale::Sequential { low: 0.0, high: 1.0 },
            quantity: "probability".into(),
            has_sums: false,
        };
        Panel::new(title, Chart::HeatMap(map)).half()
    });
    let note = format!(
        "Situations: the opponent led and has the {deck} − own − table cards that are left. The player has \
         put the truth so far; a quarter of their cards, or none, is of the current colour, and the others \
         are spread over the other colours. Grey: there are fewer cards. Where the player neither \
         claims nor lies, they put a card of the colour."
    );
    let list = Panel::new("", Chart::List(List { items: vec![(String::new(), note)] }));
    Picture::of(panels.chain([list]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The function agrees with values from the tables of Abramowitz & Stegun 1964.
    #[test]
    fn the_distribution_function_is_that_of_the_tables() {
        for (x, expected) in [(0.0, 0.5), (1.0, 0.841_344_746), (-1.96, 0.024_997_895)] {
            assert!((gaussian_below(x) - expected).abs() < 2e-7, "{x}");
        }
    }

    #[test]
    fn probabilities_are_those_of_noisy_maxima() {
        let none = f64::NEG_INFINITY;
        // The difference of two noises has a standard deviation of 0.1 sqrt 2, and Phi(0.2 / (0.1 sqrt 2)) = .9214.
        let two = probabilities(&[0.2, none, none, none, 0.0]);
        assert!((two[0] - 0.921_350).abs() < 1e-5, "{two:?}");
        assert_eq!(two[1], 0.0);
        let even = probabilities(&[3.0; 5]);
        assert!(even.iter().all(|p| (p - 0.2).abs() < 1e-9), "{even:?}");
        let huge = probabilities(&[f64::INFINITY, 1.0, none, none, f64::INFINITY]);
        assert!(huge.iter().all(|p| p.is_finite()) && huge[1] < 1e-9, "{huge:?}");
    }
}
