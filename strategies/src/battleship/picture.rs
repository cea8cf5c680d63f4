//! Pictures of a strategy's own fleet and of its prior distribution of the opponent's fleet.

use ruse_base::hashing::HashStream;
use ruse_games::battleship::Sea;
use ruse_picture::{Axis, Chart, HeatMap, Panel, Picture, Scale};

use super::{FleetPriors, ship_names};

/// The number of random fleets drawn for the picture; the standard error of a probability is then .0035 at most.
const NUM_FLEETS: u32 = 20_000;
/// The number of shots, from the beginning of a game, that are numbered in the picture.
const NUM_SHOTS: usize = 20;

/// A number for each cell, indexed by the number of the cell.
type Board = Vec<f64>;

/// Returns the frequency with which each ship covers each cell.
fn own_fleets(strategy: &FleetPriors) -> Vec<Board> {
    let sea = strategy.sea();
    let mut boards = vec![vec![0.0; sea.num_cells()]; sea.num_ships()];
    // The random numbers come from a separate stream, which is the same for all strategies.
    let mut rng = HashStream::new(0.0, u64::from(NUM_FLEETS));
    for _ in 0..NUM_FLEETS {
        let fleet = strategy.sample_fleet(&mut rng);
        for ((ship, &length), board) in
            fleet.ships().iter().zip(sea.ship_lengths()).zip(&mut boards)
        {
            for cell in ship.cells(sea, length).into_iter().flatten() {
                board[sea.number(cell)] += 1.0 / f64::from(NUM_FLEETS);
            }
        }
    }
    boards
}

fn map(sea: Sea, values: Vec<Option<f64>>, texts: Vec<String>, scale: Scale, what: &str) -> Chart {
    Chart::HeatMap(HeatMap {
        rows: Axis::new("", 1..=sea.side()),
        columns: Axis::new("", 'a'..=sea.last_column()),
        values,
        texts,
        scale,
        quantity: what.into(),
        has_sums: false,
    })
}

pub(super) fn picture(strategy: &FleetPriors) -> Picture {
    let own = own_fleets(strategy);
    let sea = strategy.sea();
    let mut any = vec![0.0; sea.num_cells()];
    for board in &own {
        any.iter_mut().zip(board).for_each(|(sum, share)| *sum += share);
    }
    let some = |board: &Board| board.iter().copied().map(Some).collect::<Vec<_>>();
    let mut shots = vec![None; sea.num_cells()];
    let mut numbers = vec![String::new(); sea.num_cells()];
    for (index, cell) in strategy.first_shots(NUM_SHOTS).into_iter().enumerate() {
        shots[sea.number(cell)] = Some((NUM_SHOTS - index) as f64);
        numbers[sea.number(cell)] = (index + 1).to_string();
    }
    let shades = Scale::Sequential { low: -2.0, high: 1.2 * NUM_SHOTS as f64 };
    let priors: Vec<Board> = (0..sea.num_ships()).map(|ship| strategy.expected(ship)).collect();
    let names = ship_names(sea);
    // All maps share one scale, so that colours can be compared.
    let scale = Scale::from_zero(any.iter().chain(priors.iter().flatten()).copied());
    let board = |title: String, chart| Panel::new(title, chart).half();
    let ship = |title: &str, boards: &[Board], ship: usize| {
        let chart = map(sea, some(&boards[ship]), Vec::new(), scale, "probability");
        board(format!("{title} {}", names[ship].0), chart)
    };
    // The first row shows where the strategy places its ships; the second shows where it shoots, and why.
    let fleet = map(sea, some(&any), Vec::new(), scale, "probability");
    let fleet = board("Own fleet: any ship".into(), fleet)
        .with_note(format!("{} thousand fleets drawn, as for each ship.", NUM_FLEETS / 1000));
    let shots =
        board("Its shots while it hits nothing".into(), map(sea, shots, numbers, shades, ""))
            .with_note("The first of equally good cells is shown.");
    let largest_first = || (0..sea.num_ships()).rev();
    let own = largest_first().map(|index| ship("Own", &own, index));
    let expected = largest_first().map(|index| ship("Expected", &priors, index));
    let panels = [fleet].into_iter().chain(own).chain([shots]).chain(expected);
    Picture::of(panels)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probabilities of a ship of n cells add up to n.
    #[test]
    fn probabilities_of_cells_sum_to_the_length_of_the_ship() {
        for sea in Sea::ALL {
            let uniform = FleetPriors::uniform(sea);
            for (ship, own) in own_fleets(&uniform).iter().enumerate() {
                let length = sea.ship_lengths()[ship] as f64;
                assert!((own.iter().sum::<f64>() - length).abs() < 1e-9);
                assert!((uniform.expected(ship).iter().sum::<f64>() - length).abs() < 1e-9);
            }
            // Two of the 90 places of the ship of five cells (120 on the shop board) have an end in a given corner.
            let num_places = [90.0, 120.0][sea.num_ships() - 4];
            let corner = uniform.expected(sea.num_ships() - 1)[0];
            assert!((corner - 2.0 / num_places).abs() < 1e-12);
        }
    }
}
