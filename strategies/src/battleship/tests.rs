use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand_distr::Distribution;
use ruse_games::battleship::{
    FLEET_CELLS, Fleet, NUM_CELLS, NUM_PLACEMENTS, Placement, placements_of,
};
use ruse_games::{Game, Turn};

use super::*;
use crate::Strategy;
use crate::gaussian::Gaussian;
use crate::testing::PanicRng;

fn strategy(theta: &[f64]) -> FleetPriors {
    FleetPriors::from_parameters(&Battleship::standard(), theta).expect("valid parameters")
}

fn gaussian(seed: u64, scale: f64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut draw = || -> f64 { Gaussian.sample(&mut rng) };
    (0..NUM_PARAMETERS).map(|_| scale * draw()).collect()
}

fn kind_by_hand(distance: usize, last: usize) -> usize {
    match distance.min(last - distance) {
        0 => 0,
        1 => 1,
        _ => 2,
    }
}

/// The logarithm of the weight of a place, as the parameters of its ship say.
fn log_weight(parameters: &[f64], ship: usize, place: &Placement) -> f64 {
    let (row, column) = (place.ship.end.row(), place.ship.end.column());
    let (line, offset) = if place.ship.vertical { (column, row) } else { (row, column) };
    let [line_border, line_next, end_border, end_next] = parameters else { panic!("four numbers") };
    [*line_border, *line_next, 0.0][kind_by_hand(line, 8)]
        + [*end_border, *end_next, 0.0][kind_by_hand(offset, 9 - SHIP_LENGTHS[ship])]
}

fn cells_of(fleet: &Fleet) -> [Cells; NUM_SHIPS] {
    std::array::from_fn(|ship| fleet.ships[ship].cells(SHIP_LENGTHS[ship]).expect("on the board"))
}

fn num_touching(fleet: &Fleet) -> usize {
    let cells = cells_of(fleet);
    (0..NUM_SHIPS)
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .filter(|&(a, b)| !cells[a].neighbours().is_disjoint(cells[b]))
        .count()
}

/// What is compared between laws of fleets: the cells, and how many pairs touch.
fn features(fleet: &Fleet) -> impl Iterator<Item = usize> {
    let cells = fleet.cells().expect("no ships cross");
    cells.map(Cell::index).chain([NUM_CELLS + num_touching(fleet)])
}

const NUM_FEATURES: usize = NUM_CELLS + placing::MAX_TOUCHING + 1;

/// Fleets are drawn as uniform fleets would be if each counted as much as its weight.
#[test]
fn fleets_have_their_weights() {
    for seed in 1..=3 {
        let theta = gaussian(seed, 0.6);
        let placing = strategy(&theta).placing;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let num_fleets = 200_000;
        let mut drawn = [0.0; NUM_FEATURES];
        for _ in 0..num_fleets {
            features(&placing.sample(&mut rng)).for_each(|feature| drawn[feature] += 1.0);
        }

        let (mut sum, mut sum_of_squares) = (0.0, 0.0);
        let mut weighted = [0.0; NUM_FEATURES];
        let mut weighted_squares = [0.0; NUM_FEATURES];
        for _ in 0..2 * num_fleets {
            let fleet = sample_fleet(&mut rng);
            let mut log = theta[32] * num_touching(&fleet) as f64;
            for ship in 0..NUM_SHIPS {
                let place = placements_of(ship).iter().find(|p| p.ship == fleet.ships[ship]);
                log += log_weight(&theta[4 * ship..][..4], ship, place.expect("it is a place"));
            }
            let weight = libm::exp(log);
            sum += weight;
            sum_of_squares += weight * weight;
            for feature in features(&fleet) {
                weighted[feature] += weight;
                weighted_squares[feature] += weight * weight;
            }
        }
        // 88 features and three seeds at 5 standard errors: a new seed fails once in 6000 runs. The
        // variance of a ratio of sums, and that of a frequency.
        for feature in 0..NUM_FEATURES {
            let frequency = drawn[feature] / num_fleets as f64;
            let expected = weighted[feature] / sum;
            let variance = (weighted_squares[feature] * (1.0 - 2.0 * expected)
                + expected * expected * sum_of_squares)
                / (sum * sum)
                + expected * (1.0 - expected) / num_fleets as f64;
            assert!(
                (frequency - expected).abs() <= 5.0 * variance.sqrt() + 1e-12,
                "seed {seed}, feature {feature}: {frequency}, {expected} expected, {variance}"
            );
        }
    }
}

#[test]
fn extreme_weights_have_the_fleets_they_ask_for() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut fleets = |theta: &[f64]| -> Vec<Fleet> {
        let placing = strategy(theta).placing;
        (0..50).map(|_| placing.sample(&mut rng)).collect()
    };
    let with_contact = |per_ship: [f64; 4], contact: f64| -> Vec<f64> {
        let mut theta = per_ship.repeat(8);
        theta.push(contact);
        theta
    };
    for extreme in [1e3, 1e6, 1e300, f64::MAX] {
        for fleet in fleets(&with_contact([0.0; 4], extreme)) {
            assert_eq!(num_touching(&fleet), 5, "{fleet:?}");
        }
        for fleet in fleets(&with_contact([0.0; 4], -extreme)) {
            assert_eq!(num_touching(&fleet), 0, "{fleet:?}");
        }
        // In the corners, which four ships can share without touching.
        for fleet in fleets(&with_contact([extreme, 0.0, extreme, 0.0], -extreme)) {
            assert_eq!(num_touching(&fleet), 0, "{fleet:?}");
            for (ship, cells) in cells_of(&fleet).into_iter().enumerate() {
                let corners = [(0, 0), (0, 8), (8, 0), (8, 8)]
                    .into_iter()
                    .filter(|&(row, column)| cells.contains(Cell::new(row, column)));
                assert_eq!(corners.count(), 1, "ship {ship} of {fleet:?}");
            }
        }
        // A pair that touches is worth more than four corners: what the weights would like best on their
        // own has no five pairs.
        for fleet in fleets(&with_contact([extreme / 100.0, 0.0, extreme / 100.0, 0.0], extreme)) {
            assert!(extreme > LARGEST || num_touching(&fleet) == 5, "{fleet:?}");
        }
    }
}

/// Hits, misses and what is under them.
struct Position {
    shots: Cells,
    hits: Cells,
}

/// A position after `num_shots` shots, some of which know where the fleet is.
fn position<R: Rng>(num_hits: usize, num_shots: usize, rng: &mut R) -> Position {
    let fleet = sample_fleet(rng).cells().expect("no ships cross");
    let mut shots = Cells::NONE;
    while shots.len() < num_hits {
        shots |= Cells::of(any_of(fleet.without(shots), rng));
    }
    while shots.len() < num_shots {
        shots |= Cells::of(any_of(!(shots | fleet), rng));
    }
    Position { shots, hits: shots & fleet }
}

/// A search over all combinations of places without any bookkeeping.
struct Search<'a> {
    /// The places without a miss of each ship, and their weights.
    places: [Vec<(Cells, f64)>; NUM_SHIPS],
    position: &'a Position,
    /// Whether ships without a hit may cross each other, as in the model of the posterior.
    unseen_may_cross: bool,
    mass: [f64; NUM_CELLS],
    total: f64,
}

impl Search<'_> {
    /// For each cell the mean number of ships, which is the chance of a hit if no ships cross; zero
    /// where there was a shot.
    fn run(theta: &[f64], position: &Position, unseen_may_cross: bool) -> [f64; NUM_CELLS] {
        let misses = position.shots.without(position.hits);
        let places = std::array::from_fn(|ship| {
            let parameters = &theta[16 + 4 * ship..][..4];
            let fitting =
                placements_of(ship).iter().filter(|place| place.cells.is_disjoint(misses));
            fitting
                .map(|place| (place.cells, libm::exp(log_weight(parameters, ship, place))))
                .collect()
        });
        let (mass, total) = ([0.0; NUM_CELLS], 0.0);
        let mut search = Search { places, position, unseen_may_cross, mass, total };
        search.place_found(0, [None; NUM_SHIPS], Cells::NONE, 1.0);
        for cell in position.shots {
            search.mass[cell.index()] = 0.0;
        }
        search.mass.map(|mass| mass / search.total)
    }

    /// Chooses which of the ships from `ship` on have a hit, and where these lie.
    fn place_found(&mut self, ship: usize, ships: [Option<Cells>; 4], taken: Cells, weight: f64) {
        if ship == NUM_SHIPS {
            if self.position.hits.without(taken).is_empty() {
                if self.unseen_may_cross {
                    self.sum_unseen(ships, taken, weight);
                } else {
                    self.place_unseen(0, ships, taken, weight);
                }
            }
            return;
        }
        self.place_found(ship + 1, ships, taken, weight);
        for index in 0..self.places[ship].len() {
            let (cells, factor) = self.places[ship][index];
            if cells.is_disjoint(taken) && !cells.is_disjoint(self.position.hits) {
                let mut ships = ships;
                ships[ship] = Some(cells);
                self.place_found(ship + 1, ships, taken | cells, weight * factor);
            }
        }
    }

    /// Places the ships without a hit so that they cross nothing.
    fn place_unseen(&mut self, ship: usize, ships: [Option<Cells>; 4], taken: Cells, weight: f64) {
        match ships.get(ship) {
            None => {
                self.total += weight;
                taken.for_each(|cell| self.mass[cell.index()] += weight);
            }
            Some(Some(_)) => self.place_unseen(ship + 1, ships, taken, weight),
            Some(None) => {
                for index in 0..self.places[ship].len() {
                    let (cells, factor) = self.places[ship][index];
                    if cells.is_disjoint(taken | self.position.hits) {
                        self.place_unseen(ship + 1, ships, taken | cells, weight * factor);
                    }
                }
            }
        }
    }

    /// Places the ships without a hit independently of each other.
    fn sum_unseen(&mut self, ships: [Option<Cells>; 4], taken: Cells, weight: f64) {
        let taken = taken | self.position.hits;
        let free = |ship: usize| {
            self.places[ship].iter().filter(move |(cells, _)| cells.is_disjoint(taken))
        };
        let sums: [f64; 4] = std::array::from_fn(|ship| match ships[ship] {
            Some(_) => 1.0,
            None => free(ship).map(|&(_, factor)| factor).sum(),
        });
        let weight = weight * sums.iter().product::<f64>();
        if weight == 0.0 {
            return;
        }
        self.total += weight;
        let mut mass = self.mass;
        for ship in 0..NUM_SHIPS {
            match ships[ship] {
                Some(cells) => cells.for_each(|cell| mass[cell.index()] += weight),
                None => {
                    for &(cells, factor) in free(ship) {
                        let share = weight * factor / sums[ship];
                        cells.for_each(|cell| mass[cell.index()] += share);
                    }
                }
            }
        }
        self.mass = mass;
    }
}

fn posterior_after(prior: &Prior, position: &Position) -> Posterior {
    let mut posterior = Posterior::default();
    posterior.begin(prior);
    posterior.learn(prior, position.shots, position.hits);
    posterior
}

fn largest_difference(a: &[f64; NUM_CELLS], b: &[f64; NUM_CELLS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn the_posterior_is_that_of_a_search() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for round in 0..240 {
        let num_hits = round % 12;
        let num_shots = num_hits + [1, 5, 20, 40, 55][round % 5];
        let scale = [0.0, 1.0, 3.0, 10.0][round % 4];
        let theta = gaussian(round as u64, scale);
        let prior = strategy(&theta).prior;
        let position = position(num_hits, num_shots, &mut rng);
        let mut posterior = posterior_after(&prior, &position);
        let expected = Search::run(&theta, &position, true);
        let difference = largest_difference(&posterior.probabilities(&prior), &expected);
        assert!(difference < 1e-9, "round {round}: {difference}");
        // Of equally good cells all are found.
        let largest = expected.iter().copied().fold(0.0, f64::max);
        let best = posterior.best_cells(&prior);
        for cell in !position.shots {
            let share = expected[cell.index()] / largest;
            // The threshold is 1e-9.
            let allowed =
                if best.contains(cell) { share > 1.0 - 1e-8 } else { share < 1.0 - 1e-10 };
            assert!(allowed, "round {round}, {cell}: {share}");
        }
    }
}

/// With at most one ship without a hit there is nothing that the model leaves out.
#[test]
fn the_posterior_is_exact_when_three_ships_are_hit() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut num_exact = 0;
    for round in 0..200 {
        let num_hits = 5 + round % 9;
        let theta = gaussian(round as u64, 1.0);
        let prior = strategy(&theta).prior;
        let position = position(num_hits, 40 + num_hits, &mut rng);
        let mut posterior = posterior_after(&prior, &position);
        if posterior.max_unfound() <= 1 {
            let exact = Search::run(&theta, &position, false);
            let difference = largest_difference(&posterior.probabilities(&prior), &exact);
            assert!(difference < 1e-9, "round {round}: {difference}");
            num_exact += 1;
        }
    }
    assert!(num_exact > 100, "{num_exact} positions are exact");
}

#[test]
fn answers_can_be_learnt_in_any_portions() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for round in 0..50 {
        let prior = strategy(&gaussian(round, 2.0)).prior;
        let position = position(6, 30, &mut rng);
        let expected = posterior_after(&prior, &position).probabilities(&prior);
        let mut posterior = Posterior::default();
        posterior.begin(&prior);
        let mut shots = Cells::NONE;
        while shots != position.shots {
            shots |= Cells::of(any_of(position.shots.without(shots), &mut rng));
            posterior.learn(&prior, shots, position.hits & shots);
            posterior.best_cells(&prior);
        }
        let difference = largest_difference(&posterior.probabilities(&prior), &expected);
        assert!(difference < 1e-9, "round {round}: {difference}");
    }
}

/// The covers are listed without allocating: there is room for the largest numbers that a climb over sets
/// of cells found, without misses and far apart.
#[test]
fn the_list_of_covers_is_long_enough() {
    let prior = FleetPriors::uniform().prior;
    for (hits, expected) in [
        ("e3 g5 c6", 4_564),
        ("e2 b4 g5 d7", 20_376),
        ("c3 f4 g4 g5 d8", 10_942),
        ("g3 f4 g4 d6 d7 e7", 5_881),
    ] {
        let hits = Cells::try_from(hits.to_string()).expect("cells");
        let posterior = posterior_after(&prior, &Position { shots: hits, hits });
        assert_eq!(posterior.num_covers(), expected);
        assert_eq!(posterior.capacity(), posterior::MAX_COVERS);
    }
}

/// Shots that `strategy` needs for uniformly random fleets: mean and standard error.
fn shots_to_finish<S: Strategy<Battleship>>(strategy: &S, num_fleets: u32) -> (f64, f64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut memory = S::Memory::default();
    let mut action = BattleshipAction::default();
    let (mut sum, mut sum_of_squares) = (0.0, 0.0);
    for _ in 0..num_fleets {
        let own = sample_fleet(&mut rng);
        let fleet = sample_fleet(&mut rng).cells().expect("no ships cross");
        strategy.begin(&mut memory, Seat::First);
        let mut shots = Cells::NONE;
        while !fleet.without(shots).is_empty() {
            let view = BattleshipView {
                fleet: Some(&own),
                shots,
                hits: shots & fleet,
                sunk: None,
                opponent_shots: Cells::NONE,
            };
            strategy.act(&mut memory, view, &mut rng, &mut action);
            let BattleshipAction::Shoot(cell) = action else { panic!("{action:?} is no shot") };
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
    // The last of 14 cells in a random order of 81 is at place 14 x 82 / 15 = 76.53 on average.
    let (mean, error) = shots_to_finish(&BattleshipReference::Random, 4000);
    assert!((mean - 76.53).abs() < 4.0 * error, "random: {mean} +- {error}");
    // From an independent prototype, without its standard error; .15 allows for one like ours.
    let (mean, error) = shots_to_finish(&BattleshipReference::HuntTarget, 4000);
    assert!((mean - 51.8).abs() < 4.0 * libm::hypot(error, 0.15), "hunt-target: {mean} +- {error}");
    let (mean, error) = shots_to_finish(&FleetPriors::uniform(), 4000);
    assert!((36.5..37.5).contains(&mean), "density: {mean} +- {error}");
}

#[test]
fn a_single_best_cell_needs_no_randomness() {
    // The middle of the board is its own mirror image.
    let strategy = FleetPriors::uniform();
    let fleet = Fleet::default();
    let mut memory = ShooterMemory::default();
    strategy.begin(&mut memory, Seat::First);
    let mut action = BattleshipAction::default();
    let nothing = BattleshipView {
        fleet: Some(&fleet),
        shots: Cells::NONE,
        hits: Cells::NONE,
        sunk: None,
        opponent_shots: Cells::NONE,
    };
    strategy.act(&mut memory, nothing, &mut PanicRng, &mut action);
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
    assert_eq!(NUM_PLACEMENTS[3], 90);
    let error =
        FleetPriors::from_parameters(&Battleship::standard(), &[0.0; 32]).expect_err("refused");
    assert_eq!(error.to_string(), "32 parameters given, 33 expected");
}

#[test]
fn words_say_where_ships_are() {
    let words = |theta: &[f64]| BattleshipFamily::default().words(&strategy(theta));
    let mut theta = vec![0.0; NUM_PARAMETERS];
    assert!(words(&theta).contains("looks first at e5, then "));
    theta[32] = -50.0;
    for ship in 0..NUM_SHIPS {
        theta[4 * ship] = 50.0;
        theta[4 * ship + 2] = 50.0;
        theta[16 + 4 * ship] = 5.0;
    }
    let words = words(&theta);
    assert!(words.contains("along the border in 100, 100, 100 and 100% of its games"), "{words}");
    assert!(words.contains("two of them touch in 0%"), "{words}");
    assert!(words.contains("looks first at e1, then a5"), "{words}");
}

proptest! {
    /// Whatever the parameters, the moves are legal and the game ends.
    #[test]
    fn every_strategy_keeps_to_the_rules(seed in any::<u64>(), exponent in -1..10i32) {
        let game = Battleship::standard();
        let scale = libm::pow(10.0, f64::from(exponent));
        let strategies = [strategy(&gaussian(seed, scale)), strategy(&gaussian(!seed, scale))];
        let mut memories = [ShooterMemory::default(), ShooterMemory::default()];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut state = game.deal(&mut rng);
        let mut action = BattleshipAction::default();
        for seat in Seat::BOTH {
            strategies[seat as usize].begin(&mut memories[seat as usize], seat);
        }
        while let Turn::Act(seat) = game.turn(&state) {
            let index = seat as usize;
            let view = game.view(&state, seat);
            strategies[index].act(&mut memories[index], view, &mut rng, &mut action);
            prop_assert_eq!(game.check(&state, &action), Ok(()));
            game.apply(&mut state, seat, &action, &mut rng);
        }
        let num_hits = Seat::BOTH.map(|seat| game.view(&state, seat).hits.len());
        prop_assert!(num_hits.contains(&FLEET_CELLS));
    }
}
