//! The picture of a strategy for War.

use ruse_picture::{Axis, Chart, HeatMap, Panel, Picture, Scale, Triangle};

use super::words::{SELDOM, shuffled};
use super::{OrderProbabilities, Perturbation, PileOrdering};

/// The sizes of piles won without a tie, after one tie, and after two ties.
const SIZES: [u8; 3] = [2, 6, 10];

pub(super) fn picture<P: Perturbation>(strategy: &PileOrdering<P>) -> Picture {
    let OrderProbabilities { random, ascending, descending } = strategy.probabilities();
    let how_often = P::CORNERS.map(|corners| {
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
        Panel::new("How often cards go back in which order", triangle)
            .with_note(format!("At the end: {}.", note.join(", ")))
    });

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
            // The worst card of a pile has a light colour, and the best card has a dark one.
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
    let ranks = "In each cell the rank of the card in the pile, 1 being the worst card.";
    let (title, note) = match how_often {
        Some(_) => ("The order it uses most, random orders apart", ranks.to_string()),
        None => {
            ("The order of the cards", format!("{ranks} Apart from that, {}.", shuffled(random)))
        }
    };
    let final_order = Panel::new(title, Chart::HeatMap(map)).with_note(note);
    Picture::of(how_often.into_iter().chain([final_order]))
}
