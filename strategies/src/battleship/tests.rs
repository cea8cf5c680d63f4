use rand_distr::Distribution;
use ruse_base::gaussian::Gaussian;
use ruse_games::battleship::{Cells, Fleet, SunkShips};
use ruse_search::Strategy;

use super::*;
use crate::Family;
use crate::testing::{PanicRng, rng};

mod believing;
mod laying;
mod looking;

fn strategy(sea: Sea, theta: &[f64]) -> FleetPriors {
    FleetPriors::from_parameters(&Battleship::on(sea), theta).expect("valid parameters")
}

fn gaussian(sea: Sea, seed: u64, scale: f64) -> Vec<f64> {
    let mut rng = rng(seed);
    let mut draw = || -> f64 { Gaussian.sample(&mut rng) };
    (0..dimension(sea)).map(|_| scale * draw()).collect()
}

/// Returns the ships of a fleet that `shots` have sunk.
fn sunk_by(sea: Sea, fleet: &Fleet, shots: Cells) -> SunkShips {
    let mut sunk = SunkShips::default();
    for ((sunk, &ship), &length) in sunk.iter_mut().zip(fleet.ships()).zip(sea.ship_lengths()) {
        let cells = ship.cells(sea, length).expect("on the board");
        *sunk = cells.without(shots).is_empty().then_some(ship);
    }
    sunk
}

/// Returns what a seat with this fleet sees before the first shot.
fn unseen(sea: Sea, fleet: &Fleet) -> BattleshipView<'_> {
    BattleshipView {
        sea,
        fleet: Some(fleet),
        shots: Cells::NONE,
        hits: Cells::NONE,
        sunk: None,
        opponent_shots: Cells::NONE,
    }
}

/// Returns the mean number of shots that `strategy` needs for uniformly random fleets, and its standard error. With
/// `tells_sunk`, sunk ships are announced.
fn shots_to_finish<S: Strategy<Battleship>>(
    sea: Sea,
    tells_sunk: bool,
    strategy: &S,
    num_fleets: u32,
) -> (f64, f64) {
    let mut rng = rng(5);
    let mut memory = S::Memory::default();
    let mut action = BattleshipAction::default();
    let (mut sum, mut sum_of_squares) = (0.0, 0.0);
    for _ in 0..num_fleets {
        let own = sample_fleet(sea, &mut rng);
        let ships = sample_fleet(sea, &mut rng);
        let fleet = ships.cells(sea).expect("no ships cross");
        strategy.begin(&mut memory, Seat::First);
        let mut shots = Cells::NONE;
        while !fleet.without(shots).is_empty() {
            let sunk = tells_sunk.then(|| sunk_by(sea, &ships, shots));
            let view = BattleshipView { shots, hits: shots & fleet, sunk, ..unseen(sea, &own) };
            strategy.act(&mut memory, view, &mut rng, &mut action);
            let BattleshipAction::Shoot(cell) = action else { panic!("{action:?} is not a shot") };
            shots |= Cells::of(cell);
        }
        sum += shots.len() as f64;
        sum_of_squares += (shots.len() * shots.len()) as f64;
    }
    let n = f64::from(num_fleets);
    let mean = sum / n;
    (mean, ((sum_of_squares / n - mean * mean) / n).sqrt())
}

#[test]
fn shots_to_finish_a_random_fleet() {
    check_shots(500);
}

#[test]
#[ignore = "long"]
fn shots_to_finish_many_random_fleets() {
    check_shots(4000);
}

/// The allowed standard errors hold for any number of fleets: a false alarm is as rare with few fleets, which find only
/// larger errors.
fn check_shots(num_fleets: u32) {
    // In a random order of 81 cells, the last of the 14 ship cells is at place 14 x 82 / 15 = 76.53 on average.
    let (mean, error) =
        shots_to_finish(Sea::Paper, false, &BattleshipReference::Random, num_fleets);
    assert!((mean - 76.53).abs() < 4.0 * error, "random: {mean} +- {error}");
    // An independent prototype gave this figure without a standard error; .15 allows for a standard error as large as
    // ours.
    let (mean, error) =
        shots_to_finish(Sea::Paper, false, &BattleshipReference::HuntTarget, num_fleets);
    assert!((mean - 51.8).abs() < 4.0 * libm::hypot(error, 0.15), "hunt-target: {mean} +- {error}");
    let uniform = FleetPriors::uniform(Sea::Paper);
    let (mean, error) = shots_to_finish(Sea::Paper, false, &uniform, num_fleets);
    assert!((mean - 37.0).abs() < 4.0 * error, "density: {mean} +- {error}");
    // No independent figure is known. The expected value is a mean over 2,000 fleets, and five standard errors are
    // allowed.
    let (mean, error) = shots_to_finish(Sea::Paper, true, &uniform, num_fleets);
    assert!((mean - 35.1).abs() < 5.0 * error, "density, told of ships sunk: {mean} +- {error}");
}

#[test]
#[ignore = "long"]
fn shots_to_finish_a_random_fleet_of_the_shops() {
    // In a random order of 100 cells, the last of the 17 ship cells is at place 17 x 101 / 18 = 95.39 on average.
    let (mean, error) = shots_to_finish(Sea::Shop, false, &BattleshipReference::Random, 4000);
    assert!((mean - 95.39).abs() < 4.0 * error, "random: {mean} +- {error}");
    // An independent program gave 66.195, with a standard error of .029.
    let (mean, error) = shots_to_finish(Sea::Shop, false, &BattleshipReference::HuntTarget, 4000);
    let allowed = 4.0 * libm::hypot(error, 0.029);
    assert!((mean - 66.195).abs() < allowed, "hunt-target: {mean} +- {error}");
    // No independent figure is known. The expected value is a mean over 1,000 fleets, and five standard errors are
    // allowed.
    let uniform = FleetPriors::uniform(Sea::Shop);
    let (mean, error) = shots_to_finish(Sea::Shop, false, &uniform, 1000);
    assert!((mean - 47.5).abs() < 5.0 * error, "density: {mean} +- {error}");
    // As above, but the expected value is a mean over 2,000 fleets.
    let (mean, error) = shots_to_finish(Sea::Shop, true, &uniform, 1000);
    assert!((mean - 44.8).abs() < 5.0 * error, "density, told of ships sunk: {mean} +- {error}");
}

/// A memory from one board can be used on the other board.
#[test]
fn a_memory_goes_from_board_to_board() {
    let mut memory = ShooterMemory::default();
    let mut rng = rng(1);
    for sea in [Sea::Paper, Sea::Shop, Sea::Paper] {
        let strategy = FleetPriors::uniform(sea);
        let fleet = sample_fleet(sea, &mut rng);
        let mut action = BattleshipAction::default();
        strategy.begin(&mut memory, Seat::First);
        strategy.act(&mut memory, unseen(sea, &fleet), &mut rng, &mut action);
        let BattleshipAction::Shoot(cell) = action else { panic!("{action:?} is not a shot") };
        // A row or column in the middle.
        let middle = |at: usize| at == 4 || at + 5 == sea.side();
        assert!(middle(cell.row()) && middle(cell.column()), "{sea:?}: {cell}");
    }
}

#[test]
fn a_single_best_cell_needs_no_randomness() {
    // The middle of the board is its own mirror image.
    let strategy = FleetPriors::uniform(Sea::Paper);
    let fleet = Fleet::default();
    let mut memory = ShooterMemory::default();
    strategy.begin(&mut memory, Seat::First);
    let mut action = BattleshipAction::default();
    strategy.act(&mut memory, unseen(Sea::Paper, &fleet), &mut PanicRng, &mut action);
    assert_eq!(action, BattleshipAction::Shoot(Cell::new(4, 4)));
}

#[test]
fn parameters_have_names() {
    let space = FleetPriors::space(&Battleship::standard());
    assert_eq!(space.dimension(), 33);
    let names: Vec<&str> = space.parameters().iter().map(|p| &*p.name).collect();
    assert_eq!(names[0], "own-2-line-border");
    assert_eq!(names[15], "own-5-end-next");
    assert_eq!(names[16], "prior-2-line-border");
    assert_eq!(names[32], "own-contact");

    let shop = Battleship::on(Sea::Shop);
    let space = FleetPriors::space(&shop);
    assert_eq!(space.dimension(), 41);
    let names: Vec<&str> = space.parameters().iter().map(|p| &*p.name).collect();
    assert_eq!(names[4], "own-3a-line-border");
    assert_eq!(names[11], "own-3b-end-next");
    assert_eq!(names[20], "prior-2-line-border");
    assert_eq!(names[40], "own-contact");
    let meaning = &space.parameters()[8].meaning;
    assert_eq!(meaning, "log-weight: places its second ship of 3 cells along the border");
}

#[test]
fn words_say_where_ships_are() {
    let words = |theta: &[f64]| BattleshipFamily::default().words(&strategy(Sea::Paper, theta));
    let mut theta = vec![0.0; dimension(Sea::Paper)];
    assert!(words(&theta).contains("looks first at e5, then "));
    theta[32] = -50.0;
    for ship in 0..4 {
        theta[4 * ship] = 50.0;
        theta[4 * ship + 2] = 50.0;
        theta[16 + 4 * ship] = 5.0;
    }
    let words = words(&theta);
    assert!(words.contains("along the border in 100, 100, 100 and 100% of its games"), "{words}");
    assert!(words.contains("two of them touch in 0%"), "{words}");
    assert!(words.contains("looks first at e1, then a5"), "{words}");
}
