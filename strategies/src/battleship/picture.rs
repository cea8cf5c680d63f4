//! What a picture of a fleet and of the prior of the other shows.

use ruse_games::battleship::{Fleet, NUM_CELLS, NUM_SHIPS, SHIP_LENGTHS, SIDE};

use super::FleetPriors;
use crate::hashing::HashStream;
use crate::picture::{Axis, Chart, HeatMap, Panel, Picture, Scale};

/// Fleets that are drawn: the standard error of a probability is .0035 at most.
const NUM_FLEETS: u32 = 20_000;
/// First shots that are numbered.
const NUM_SHOTS: usize = 20;

type Board = [f64; NUM_CELLS];

/// How often each ship covers each cell.
fn own_fleets(strategy: &FleetPriors) -> [Board; NUM_SHIPS] {
    let mut boards = [[0.0; NUM_CELLS]; NUM_SHIPS];
    // A stream of its own, the same for all strategies.
    let mut rng = HashStream::new(0.0, u64::from(NUM_FLEETS));
    for _ in 0..NUM_FLEETS {
        let Fleet { ships } = strategy.placing.sample(&mut rng);
        for ((ship, length), board) in ships.into_iter().zip(SHIP_LENGTHS).zip(&mut boards) {
            for cell in ship.cells(length).into_iter().flatten() {
                board[cell.index()] += 1.0 / f64::from(NUM_FLEETS);
            }
        }
    }
    boards
}

fn map(values: Vec<Option<f64>>, texts: Vec<String>, scale: Scale, quantity: &str) -> Chart {
    Chart::HeatMap(HeatMap {
        rows: Axis::new("", 1..=SIDE),
        columns: Axis::new("", 'a'..='i'),
        values,
        texts,
        scale,
        quantity: quantity.into(),
        has_sums: false,
    })
}

pub(super) fn picture(strategy: &FleetPriors) -> Picture {
    let own = own_fleets(strategy);
    let mut any = [0.0; NUM_CELLS];
    for board in &own {
        any.iter_mut().zip(board).for_each(|(sum, share)| *sum += share);
    }
    let some = |board: &Board| board.iter().copied().map(Some).collect::<Vec<_>>();
    let mut shots = vec![None; NUM_CELLS];
    let mut numbers = vec![String::new(); NUM_CELLS];
    for (index, cell) in strategy.first_shots(NUM_SHOTS).into_iter().enumerate() {
        shots[cell.index()] = Some((NUM_SHOTS - index) as f64);
        numbers[cell.index()] = (index + 1).to_string();
    }
    let shades = Scale::Sequential { low: -2.0, high: 1.2 * NUM_SHOTS as f64 };
    let priors: Vec<Board> =
        (0..NUM_SHIPS).map(|ship| strategy.prior.cell_probabilities(ship)).collect();
    // One scale for all, so that colours can be compared.
    let scale = Scale::from_zero(any.iter().chain(priors.iter().flatten()).copied());
    let board = |title: String, chart| Panel::new(title, chart).half();
    let ship = |title: &str, boards: &[Board], ship: usize| {
        let chart = map(some(&boards[ship]), Vec::new(), scale, "probability");
        board(format!("{title} of {} cells", SHIP_LENGTHS[ship]), chart)
    };
    // A row of where it lays its ships, and one of where it shoots, and why.
    let fleet = map(some(&any), Vec::new(), scale, "probability");
    let fleet = board("Own fleet: any ship".into(), fleet)
        .with_note(format!("{} thousand fleets drawn, as for each ship.", NUM_FLEETS / 1000));
    let shots = board("Its shots while it hits nothing".into(), map(shots, numbers, shades, ""))
        .with_note("Of equally good cells the first is shown.");
    let largest_first = || (0..NUM_SHIPS).rev();
    let own = largest_first().map(|index| ship("Own ship", &own, index));
    let expected = largest_first().map(|index| ship("Expected ship", &priors, index));
    let panels = [fleet].into_iter().chain(own).chain([shots]).chain(expected);
    Picture::of(panels)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ship of n cells covers n of them.
    #[test]
    fn probabilities_of_cells_sum_to_the_length_of_the_ship() {
        let uniform = FleetPriors::uniform();
        for (ship, own) in own_fleets(&uniform).iter().enumerate() {
            let length = SHIP_LENGTHS[ship] as f64;
            assert!((own.iter().sum::<f64>() - length).abs() < 1e-9);
            let prior = uniform.prior.cell_probabilities(ship);
            assert!((prior.iter().sum::<f64>() - length).abs() < 1e-9);
        }
        // Of 90 places of the ship of five cells two have an end in a given corner.
        assert!((uniform.prior.cell_probabilities(3)[0] - 2.0 / 90.0).abs() < 1e-12);
    }
}
