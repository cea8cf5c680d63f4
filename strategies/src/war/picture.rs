//! The picture of a strategy for War.

use super::{OrderProbabilities, Perturbation, PileOrdering};
use crate::picture::{Axis, Chart, HeatMap, Panel, Picture, Scale, Triangle};

/// The probability below which events go unnoticed.
pub(super) const SELDOM: f64 = 1e-4;

/// The sizes of piles won without a tie, after one tie, and after two ties.
const SIZES: [u8; 3] = [2, 6, 10];

pub(super) fn picture<P: Perturbation>(strategy: &PileOrdering<P>) -> Picture {
    let OrderProbabilities { random, ascending, descending } = strategy.probabilities();
    let is_scrambled = !P::PARAMETERS.is_empty();
    let corners = match is_scrambled {
        true => ["random order", "scrambled order", "its reverse"],
        false => ["random order", "worst card first", "best card first"],
    };
    let triangle = Chart::Triangle(Triangle {
        corners: corners.map(String::from),
        path: vec![[random, ascending, descending]],
    });
    let percent = |share: f64| match share {
        share if share > 0.0 && share < SELDOM => format!("under {}%", 100.0 * SELDOM),
        share if share < 1.0 && share > 1.0 - SELDOM => {
            format!("over {}%", 100.0 * (1.0 - SELDOM))
        }
        share => format!("{:.2}%", 100.0 * share),
    };
    let mut shares = [(random, corners[0]), (ascending, corners[1]), (descending, corners[2])];
    shares.sort_by(|x, y| y.0.total_cmp(&x.0));
    let note: Vec<String> =
        shares.iter().map(|&(share, order)| format!("{order} {}", percent(share))).collect();
    let orders = Panel::new("How often cards go back in which order", triangle)
        .with_note(format!("At the end: {}.", note.join(", ")));

    let largest = SIZES[SIZES.len() - 1];
    let mut values = Vec::new();
    let mut texts = Vec::new();
    for size in SIZES {
        let mut cards = strategy.permutation(size);
        if descending > ascending {
            cards.reverse();
        }
        for place in 0..usize::from(largest) {
            let card = cards.get(place).copied();
            // The worst card of a pile is light, the best one dark.
            values.push(card.map(|card| f64::from(card) / f64::from(size - 1)));
            texts.push(card.map_or(String::new(), |card| (card + 1).to_string()));
        }
    }
    let map = HeatMap {
        rows: Axis::new("pile of", SIZES),
        columns: Axis::new("place, 1 goes back first", 1..=largest),
        values,
        texts,
        scale: Scale::Sequential { low: -0.1, high: 1.3 },
        quantity: String::new(),
        has_sums: false,
    };
    let final_order =
        Panel::new("The order it uses most, random orders apart", Chart::HeatMap(map))
            .with_note("In each cell the rank of the card in the pile, 1 being the worst card.");
    Picture::of([orders, final_order])
}
