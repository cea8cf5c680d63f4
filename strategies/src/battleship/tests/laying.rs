//! Tests that fleets are drawn according to the parameters.

use ruse_games::battleship::{Cells, Placement};

use super::super::priors::LARGEST;
use super::super::*;
use super::{gaussian, strategy};
use crate::testing::rng;

fn kind_by_hand(distance: usize, last: usize) -> usize {
    match distance.min(last - distance) {
        0 => 0,
        1 => 1,
        _ => 2,
    }
}

/// Returns the logarithm of the weight of a place, according to the parameters of its ship.
pub(super) fn log_weight(sea: Sea, parameters: &[f64], ship: usize, place: &Placement) -> f64 {
    let (side, length) = (sea.side(), sea.ship_lengths()[ship]);
    let (row, column) = (place.ship.end.row(), place.ship.end.column());
    let (line, offset) = if place.ship.vertical { (column, row) } else { (row, column) };
    let [line_border, line_next, end_border, end_next] = parameters else { panic!("four numbers") };
    [*line_border, *line_next, 0.0][kind_by_hand(line, side - 1)]
        + [*end_border, *end_next, 0.0][kind_by_hand(offset, side - length)]
}

fn cells_of(sea: Sea, fleet: &Fleet) -> Vec<Cells> {
    let ships = fleet.ships().iter().zip(sea.ship_lengths());
    ships.map(|(ship, &length)| ship.cells(sea, length).expect("on the board")).collect()
}

fn num_touching(sea: Sea, fleet: &Fleet) -> usize {
    let cells = cells_of(sea, fleet);
    (0..sea.num_ships())
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .filter(|&(a, b)| !cells[a].neighbours(sea).is_disjoint(cells[b]))
        .count()
}

/// Returns the features by which distributions of fleets are compared: occupied cells, and the number of touching
/// pairs.
fn features(sea: Sea, fleet: &Fleet) -> impl Iterator<Item = usize> {
    let cells = fleet.cells(sea).expect("no ships cross");
    let touching = sea.num_cells() + num_touching(sea, fleet);
    cells.map(move |cell| sea.number(cell)).chain([touching])
}

/// Checks that drawn fleets have the same distribution as uniformly random fleets that are weighted by the parameters.
fn check_weights(sea: Sea, num_fleets: u32) {
    let num_features = sea.num_cells() + counts::num_touching(sea.num_ships());
    for seed in 1..=3 {
        let theta = gaussian(sea, seed, 0.6);
        let drawing = strategy(sea, &theta);
        let mut rng = rng(seed);
        let mut drawn = vec![0.0; num_features];
        for _ in 0..num_fleets {
            features(sea, &drawing.sample_fleet(&mut rng))
                .for_each(|feature| drawn[feature] += 1.0);
        }

        let (mut sum, mut sum_of_squares) = (0.0, 0.0);
        let mut weighted = vec![0.0; num_features];
        let mut weighted_squares = vec![0.0; num_features];
        for _ in 0..2 * num_fleets {
            let fleet = sample_fleet(sea, &mut rng);
            let contact = theta[theta.len() - 1];
            let mut log = contact * num_touching(sea, &fleet) as f64;
            for ship in 0..sea.num_ships() {
                let mut places = sea.placements_of(ship).iter();
                let place = places.find(|p| p.ship == fleet.ships()[ship]);
                log +=
                    log_weight(sea, &theta[4 * ship..][..4], ship, place.expect("it is a place"));
            }
            let weight = libm::exp(log);
            sum += weight;
            sum_of_squares += weight * weight;
            for feature in features(sea, &fleet) {
                weighted[feature] += weight;
                weighted_squares[feature] += weight * weight;
            }
        }
        // There are 87 features (100 and more on the shop board) and three seeds, and 5 standard errors are allowed:
        // new seeds fail once in 5000 runs. The variances of a ratio of sums and of a frequency add up.
        for feature in 0..num_features {
            let frequency = drawn[feature] / f64::from(num_fleets);
            let expected = weighted[feature] / sum;
            let variance = (weighted_squares[feature] * (1.0 - 2.0 * expected)
                + expected * expected * sum_of_squares)
                / (sum * sum)
                + expected * (1.0 - expected) / f64::from(num_fleets);
            assert!(
                (frequency - expected).abs() <= 5.0 * variance.sqrt() + 1e-12,
                "seed {seed}, feature {feature}: {frequency}, {expected} expected, {variance}"
            );
        }
    }
}

#[test]
fn fleets_have_their_weights() {
    check_weights(Sea::Paper, 40_000);
}

#[test]
#[ignore = "long"]
fn many_fleets_have_their_weights() {
    for sea in Sea::ALL {
        check_weights(sea, 200_000);
    }
}

/// Returns the largest number of touching pairs in a fleet.
fn most_touching(sea: Sea) -> usize {
    counts::num_touching(sea.num_ships()) - 1
}

#[test]
fn extreme_weights_have_the_fleets_they_ask_for() {
    let mut rng = rng(1);
    let mut fleets = |sea: Sea, theta: &[f64]| -> Vec<Fleet> {
        let drawing = strategy(sea, theta);
        (0..50).map(|_| drawing.sample_fleet(&mut rng)).collect()
    };
    let with_contact = |sea: Sea, per_ship: [f64; 4], contact: f64| -> Vec<f64> {
        let mut theta = per_ship.repeat(2 * sea.num_ships());
        theta.push(contact);
        theta
    };
    for (sea, extreme) in Sea::ALL
        .map(|sea| [1e3, 1e6, 1e300, f64::MAX].map(|extreme| (sea, extreme)))
        .into_iter()
        .flatten()
    {
        for fleet in fleets(sea, &with_contact(sea, [0.0; 4], extreme)) {
            assert_eq!(num_touching(sea, &fleet), most_touching(sea), "{fleet:?}");
        }
        for fleet in fleets(sea, &with_contact(sea, [0.0; 4], -extreme)) {
            assert_eq!(num_touching(sea, &fleet), 0, "{fleet:?}");
        }
        // All ships go to the corners: four ships can occupy them without touching, and the fifth lies along the border
        // or has an end at the border.
        for fleet in fleets(sea, &with_contact(sea, [extreme, 0.0, extreme, 0.0], -extreme)) {
            assert_eq!(num_touching(sea, &fleet), 0, "{fleet:?}");
            let last = sea.side() - 1;
            let corners = [(0, 0), (0, last), (last, 0), (last, last)];
            let is_corner = |cell: Cell| corners.contains(&(cell.row(), cell.column()));
            let cells = cells_of(sea, &fleet);
            let num_corners: Vec<usize> =
                cells.iter().map(|cells| cells.filter(|&cell| is_corner(cell)).count()).collect();
            let without = num_corners.iter().position(|&corners| corners == 0);
            assert_eq!(num_corners.iter().sum::<usize>(), 4, "{fleet:?}");
            assert_eq!(without.is_some(), sea == Sea::Shop, "{fleet:?}");
            let is_border =
                |cell: Cell| [cell.row(), cell.column()].iter().any(|at| [0, last].contains(at));
            for cells in cells {
                assert!(cells.into_iter().any(is_border), "{fleet:?}");
            }
        }
        // A touching pair is worth more than four corners; without this weight, the best fleet has fewer touching
        // pairs.
        let theta = with_contact(sea, [extreme / 100.0, 0.0, extreme / 100.0, 0.0], extreme);
        for fleet in fleets(sea, &theta) {
            let is_most = num_touching(sea, &fleet) == most_touching(sea);
            assert!(extreme > LARGEST || is_most, "{fleet:?}");
        }
    }
}

/// The two ships of the same length can be placed differently.
#[test]
fn twins_have_weights_of_their_own() {
    let mut theta = vec![0.0; dimension(Sea::Shop)];
    // The first ship lies along the border; the second ship keeps its side and its ends away from the border.
    theta[4] = 50.0;
    theta[8] = -50.0;
    theta[10] = -50.0;
    let drawing = strategy(Sea::Shop, &theta);
    let mut rng = rng(1);
    for _ in 0..200 {
        let fleet = drawing.sample_fleet(&mut rng);
        let cells = cells_of(Sea::Shop, &fleet);
        let at_border = |ship: usize| {
            let is_border = |at: usize| at == 0 || at == 9;
            cells[ship].filter(|&cell| is_border(cell.row()) || is_border(cell.column())).count()
        };
        assert_eq!((at_border(1), at_border(2)), (3, 0), "{fleet:?}");
    }
}
