//! Solves phantom tic-tac-toe for players that try the cells in a fixed order. Then computes the score of a best
//! response against each side of this equilibrium, if the response may change its order after each stone.

use std::time::Instant;

use ruse::matrix::{MatrixError, double_oracle};
use ruse_games::Seat;
use ruse_games::phantom_tic_tac_toe::CellOrder;
use ruse_strategies::phantom_tic_tac_toe::{Orbits, best_response, with_images};

fn main() -> Result<(), MatrixError> {
    let started = Instant::now();
    let order = CellOrder::default();
    let solved = double_oracle(&Orbits, (order, order), Orbits::TOLERANCE)?;
    println!(
        "value {:.6} for the first seat, gap {:.1e}: {} steps, {:.1?}",
        solved.value(),
        solved.gap(),
        solved.num_steps,
        started.elapsed()
    );
    for (seat, mixture) in [(Seat::First, &solved.rows), (Seat::Second, &solved.columns)] {
        println!("{seat:?}: {} orbits", mixture.len());
        for (weight, order) in mixture {
            println!("  {weight:.6}  {order:?}");
        }
    }
    for (seat, mixture) in [(Seat::First, &solved.columns), (Seat::Second, &solved.rows)] {
        let started = Instant::now();
        let response = best_response(seat, &with_images(mixture));
        println!(
            "lists of orders as {seat:?} score {:.6}: {:.1?}",
            response.score,
            started.elapsed()
        );
    }
    Ok(())
}
