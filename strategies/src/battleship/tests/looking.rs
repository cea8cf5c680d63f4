//! Tests that answers to shots result in the right probabilities.

use ruse_games::battleship::{Cells, MAX_SHIPS, SunkShips};
use ruse_games::shuffle;

use super::super::counts::Counts;
use super::super::posterior::{self, Posterior};
use super::super::prior::{ByCell, Prior};
use super::super::priors::Priors;
use super::super::tables::{Once, Tables};
use super::super::*;
use super::laying::log_weight;
use super::{gaussian, sunk_by};
use crate::testing::rng;

/// The cells of each ship that is found, and `None` for the other ships.
type Ships = [Option<Cells>; MAX_SHIPS];

/// A position: hits, misses and announcements.
struct Position {
    shots: Cells,
    hits: Cells,
    /// The fleet, if sinkings are announced; otherwise `None`.
    told: Option<Fleet>,
}

impl Position {
    /// Returns the ships that `shots` have sunk, if sunk ships are announced.
    fn sunk(&self, sea: Sea, shots: Cells) -> Option<SunkShips> {
        Some(sunk_by(sea, self.told.as_ref()?, shots))
    }
}

/// Returns a position after `num_shots` shots, of which `num_hits` hit the fleet. With `tells_sunk`, hits follow each
/// other along ships, so that some ships are sunk.
fn position<R: Rng>(
    sea: Sea,
    tells_sunk: bool,
    num_hits: usize,
    num_shots: usize,
    rng: &mut R,
) -> Position {
    let ships = sample_fleet(sea, rng);
    let fleet = ships.cells(sea).expect("no ships cross");
    let mut shots = Cells::NONE;
    if tells_sunk {
        // The ships are hit one after the other, in a random order.
        let mut order = [0, 1, 2, 3, 4];
        shuffle(&mut order[..sea.num_ships()], rng);
        for &ship in &order[..sea.num_ships()] {
            let cells = ships.ships()[ship].cells(sea, sea.ship_lengths()[ship]);
            let mut left = cells.expect("on the board");
            while shots.len() < num_hits && !left.is_empty() {
                let cell = any_of(left, rng);
                shots |= Cells::of(cell);
                left = left.without(shots);
            }
        }
    }
    while shots.len() < num_hits {
        shots |= Cells::of(any_of(fleet.without(shots), rng));
    }
    while shots.len() < num_shots {
        shots |= Cells::of(any_of(sea.cells().without(shots | fleet), rng));
    }
    Position { shots, hits: shots & fleet, told: tells_sunk.then_some(ships) }
}

/// A search over all combinations of places, without incremental data.
struct Search<'a> {
    sea: Sea,
    /// For each ship, its places without a miss and the weights of these places.
    places: Vec<Vec<(Cells, f64)>>,
    position: &'a Position,
    /// The cells of the sunk ships, if they are announced.
    sunk: Option<Vec<Cells>>,
    /// True if ships without a hit may cross each other, as in the model of the posterior.
    unseen_may_cross: bool,
    /// The mass of each cell, indexed by the number of the cell.
    mass: Vec<f64>,
    total: f64,
}

impl Search<'_> {
    /// Returns the mean number of ships on each cell without a shot, which is the probability of a hit if ships cannot
    /// cross; 0 for other cells.
    fn run(sea: Sea, theta: &[f64], position: &Position, unseen_may_cross: bool) -> Vec<f64> {
        let misses = position.shots.without(position.hits);
        let places = (0..sea.num_ships())
            .map(|ship| {
                let parameters = &theta[4 * (sea.num_ships() + ship)..][..4];
                let places = sea.placements_of(ship).iter();
                let fitting = places.filter(|place| place.cells.is_disjoint(misses));
                let weight = |place| libm::exp(log_weight(sea, parameters, ship, place));
                fitting.map(|place| (place.cells, weight(place))).collect()
            })
            .collect();
        let (mass, total) = (vec![0.0; sea.num_cells()], 0.0);
        let sunk = position.sunk(sea, position.shots).map(|sunk| {
            let ships = sunk.into_iter().zip(sea.ship_lengths());
            ships.filter_map(|(ship, &length)| ship?.cells(sea, length)).collect()
        });
        let mut search = Search { sea, places, position, sunk, unseen_may_cross, mass, total };
        search.place_found(0, [None; MAX_SHIPS], Cells::NONE, 1.0);
        for cell in position.shots {
            search.mass[sea.number(cell)] = 0.0;
        }
        search.mass.iter().map(|mass| mass / search.total).collect()
    }

    /// Chooses which of the ships from index `ship` on have a hit, and where these ships lie.
    fn place_found(&mut self, ship: usize, ships: Ships, taken: Cells, weight: f64) {
        if ship == self.places.len() {
            if self.position.hits.without(taken).is_empty() && self.agrees_with_what_is_told(ships)
            {
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

    /// True if the ships with hits on all cells are the ships announced as sunk, or if nothing is announced.
    fn agrees_with_what_is_told(&self, ships: Ships) -> bool {
        let Some(sunk) = &self.sunk else { return true };
        let complete = |cells: &Cells| cells.without(self.position.hits).is_empty();
        let mut complete: Vec<u128> =
            ships.into_iter().flatten().filter(complete).map(Cells::bits).collect();
        let mut sunk: Vec<u128> = sunk.iter().map(|cells| cells.bits()).collect();
        complete.sort_unstable();
        sunk.sort_unstable();
        complete == sunk
    }

    /// Places the ships without a hit so that they do not cross any ship.
    fn place_unseen(&mut self, ship: usize, ships: Ships, taken: Cells, weight: f64) {
        match ships[..self.places.len()].get(ship) {
            None => {
                self.total += weight;
                taken.for_each(|cell| self.mass[self.sea.number(cell)] += weight);
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
    fn sum_unseen(&mut self, ships: Ships, taken: Cells, weight: f64) {
        let taken = taken | self.position.hits;
        let free = |ship: usize| {
            self.places[ship].iter().filter(move |(cells, _)| cells.is_disjoint(taken))
        };
        let sum = |ship: usize| match ships[ship] {
            Some(_) => 1.0,
            None => free(ship).map(|&(_, factor)| factor).sum::<f64>(),
        };
        let sums: Vec<f64> = (0..self.places.len()).map(sum).collect();
        let weight = weight * sums.iter().product::<f64>();
        if weight == 0.0 {
            return;
        }
        self.total += weight;
        let mut mass = self.mass.clone();
        for ship in 0..self.places.len() {
            match ships[ship] {
                Some(cells) => cells.for_each(|cell| mass[self.sea.number(cell)] += weight),
                None => {
                    for &(cells, factor) in free(ship) {
                        let share = weight * factor / sums[ship];
                        cells.for_each(|cell| mass[self.sea.number(cell)] += share);
                    }
                }
            }
        }
        self.mass = mass;
    }
}

fn posterior_after<const S: usize, const C: usize, const W: usize>(
    prior: &Prior<S, C, W>,
    position: &Position,
) -> Posterior<S, C, W>
where
    Tables<S, C, W>: Once,
{
    let mut posterior = Posterior::default();
    posterior.begin(prior);
    let sunk = position.sunk(Tables::<S, C, W>::SEA, position.shots);
    posterior.learn(prior, position.shots, position.hits, sunk.as_ref());
    posterior
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Returns the prior of the opponent's fleet for the parameters `theta`, whose first half is for the player's own
/// fleet.
fn prior_of<const S: usize, const C: usize, const W: usize>(theta: &[f64]) -> Prior<S, C, W>
where
    Tables<S, C, W>: Once,
    Counts<S>: Once,
{
    let mut priors = Priors::<S, C, W>::uniform();
    priors.set(theta);
    priors.prior
}

fn compare_with_search<const S: usize, const C: usize, const W: usize>(
    tells_sunk: bool,
    num_rounds: u64,
    most_hits: usize,
    misses: [usize; 5],
) where
    Tables<S, C, W>: Once,
    Counts<S>: Once,
{
    let sea = Tables::<S, C, W>::SEA;
    let mut rng = rng(1);
    for round in 0..num_rounds {
        let num_hits = round as usize % (most_hits + 1);
        let num_shots = num_hits + misses[round as usize % 5];
        let scale = [0.0, 1.0, 3.0, 10.0][round as usize % 4];
        let theta = gaussian(sea, round, scale);
        let prior = prior_of::<S, C, W>(&theta);
        let position = position(sea, tells_sunk, num_hits, num_shots, &mut rng);
        let mut posterior = posterior_after(&prior, &position);
        let expected = Search::run(sea, &theta, &position, true);
        let probabilities = posterior.probabilities(&prior);
        let capped: Vec<f64> = expected.iter().map(|mean: &f64| mean.min(1.0)).collect();
        let difference = largest_difference(&probabilities, &capped);
        assert!(difference < 1e-9, "round {round}: {difference}");
        // The sum over the cells is the number of ship cells that are not hit.
        if capped == expected {
            let sum: f64 = probabilities.iter().sum();
            let left = (sea.fleet_cells() - num_hits) as f64;
            assert!((sum - left).abs() < 1e-9, "round {round}: {sum} of {left}");
        }
        // All equally good cells must be found.
        let largest = expected.iter().copied().fold(0.0, f64::max);
        let best = posterior.best_cells(&prior);
        for cell in sea.cells().without(position.shots) {
            let share = expected[sea.number(cell)] / largest;
            // Cells within 1e-9 of the best count as equally good; this test allows for rounding at that threshold.
            let allowed =
                if best.contains(cell) { share > 1.0 - 1e-8 } else { share < 1.0 - 1e-10 };
            assert!(allowed, "round {round}, {cell}: {share}");
        }
    }
}

#[test]
fn the_posterior_is_that_of_a_search() {
    compare_with_search::<4, 81, 9>(false, 240, 11, [1, 5, 20, 40, 55]);
}

/// Compares the posterior with a search in positions with five ships and up to 16 hits; the ships have 17 cells.
#[test]
#[ignore = "long"]
fn the_posterior_of_five_ships_is_that_of_a_search() {
    compare_with_search::<5, 100, 14>(false, 160, 16, [20, 30, 45, 60, 70]);
    compare_with_search::<5, 100, 14>(true, 136, 16, [20, 30, 45, 60, 70]);
}

/// Compares the posterior with a search under the rule `sunk`. In some positions, all ship cells except one are hit.
#[test]
fn the_posterior_with_announcements_is_that_of_a_search() {
    compare_with_search::<4, 81, 9>(true, 224, 13, [1, 5, 20, 40, 55]);
}

/// Compares exact probabilities with a list of all fleets that agree with the answers. There are at least `num_misses`
/// misses, so that the list is short.
fn check_exactness<const S: usize, const C: usize, const W: usize>(
    tells_sunk: bool,
    num_rounds: u64,
    most_hits: usize,
    num_misses: usize,
) where
    Tables<S, C, W>: Once,
    Counts<S>: Once,
{
    let sea = Tables::<S, C, W>::SEA;
    let mut rng = rng(2);
    // Counts positions by the largest number of ships without a hit.
    let mut num_exact = [0; MAX_SHIPS + 1];
    for round in 0..num_rounds {
        let num_hits = round as usize % (most_hits + 1);
        // The fewer hits there are, the more fleets agree with them, so more misses are needed for a short list.
        let num_misses = num_misses + (10 - 2 * num_hits.min(5));
        let scale = [0.0, 1.0, 3.0][round as usize % 3];
        let theta = gaussian(sea, round, scale);
        let prior = prior_of::<S, C, W>(&theta);
        let position = position(sea, tells_sunk, num_hits, num_misses + num_hits, &mut rng);
        let mut posterior = posterior_after(&prior, &position);
        let expected = Search::run(sea, &theta, &position, false);
        let exact = posterior.exact_probabilities(&prior).expect("moderate weights");
        let difference = largest_difference(&exact, &expected);
        assert!(difference < 1e-9, "round {round}, {num_hits} hits: {difference}");
        let max_unfound = posterior.max_unfound() as usize;
        num_exact[max_unfound] += 1;
        // If at most one ship has no hit, the model by which shots are chosen is exact, too.
        if max_unfound <= 1 {
            let difference = largest_difference(&posterior.probabilities(&prior), &expected);
            assert!(difference < 1e-9, "round {round}: {difference}");
        }
    }
    assert!(num_exact[..=S].iter().all(|&num| num > 0), "by ships without a hit: {num_exact:?}");
}

#[test]
fn exact_probabilities_are_those_of_a_list_of_fleets() {
    check_exactness::<4, 81, 9>(false, 140, 13, 42);
    check_exactness::<5, 100, 14>(false, 119, 16, 56);
}

/// Compares exact probabilities with a list of all fleets that agree with the hits, the misses and the announcements.
#[test]
fn exact_probabilities_with_announcements_are_those_of_a_list_of_fleets() {
    check_exactness::<4, 81, 9>(true, 84, 13, 42);
    check_exactness::<5, 100, 14>(true, 85, 16, 56);
}

/// Returns the probability of each cell before the first shot, if all fleets are equally likely.
fn before_the_first_shot<const S: usize, const C: usize, const W: usize>() -> ByCell<C>
where
    Tables<S, C, W>: Once,
    Counts<S>: Once,
{
    let prior = Priors::<S, C, W>::uniform().prior;
    let nothing = Position { shots: Cells::NONE, hits: Cells::NONE, told: None };
    posterior_after(&prior, &nothing).exact_probabilities(&prior).expect("uniform weights")
}

/// Compares exact probabilities with independent programs that list all fleets; see the known values of the game.
#[test]
fn exact_probabilities_before_the_first_shot() {
    let paper = before_the_first_shot::<4, 81, 9>();
    let shop = before_the_first_shot::<5, 100, 14>();
    let known = [
        (paper[0], 0.083258),
        (paper[1], 0.119516),
        (paper[40], 0.228920),
        (shop[0], 0.079999),
        (shop[1], 0.114921),
        (shop[44], 0.213599),
    ];
    for (probability, expected) in known {
        assert!((probability - expected).abs() < 5e-7, "{probability} instead of {expected}");
    }
    for (probabilities, num_cells) in [(&paper[..], 14.0), (&shop[..], 17.0)] {
        let sum: f64 = probabilities.iter().sum();
        assert!((sum - num_cells).abs() < 1e-9, "{sum} cells of ships");
    }
}

/// No exact probabilities are returned if fleets without crossing ships have so little weight that rounding errors
/// would dominate.
#[test]
fn probabilities_that_rounding_would_spoil_are_not_exact() {
    // A ship is e^50 times as likely to lie along the border as elsewhere, and all border cells except one corner have
    // misses.
    let sea = Sea::Paper;
    let mut theta = vec![0.0; dimension(sea)];
    (16..32).step_by(PER_SHIP).for_each(|line_border| theta[line_border] = 50.0);
    let prior = prior_of::<4, 81, 9>(&theta);
    let border =
        |cell: &Cell| [0, sea.side() - 1].iter().any(|&at| cell.row() == at || cell.column() == at);
    let is_left = |cell: &Cell| cell.row() == 0 && cell.column() < 5;
    let misses = sea.cells().filter(|cell| border(cell) && !is_left(cell));
    let shots = misses.fold(Cells::NONE, |shots, cell| shots | Cells::of(cell));
    let posterior = posterior_after(&prior, &Position { shots, hits: Cells::NONE, told: None });
    assert_eq!(posterior.exact_probabilities(&prior), None);
}

fn learn_in_portions<const S: usize, const C: usize, const W: usize>(
    tells_sunk: bool,
    num_shots: usize,
) where
    Tables<S, C, W>: Once,
    Counts<S>: Once,
{
    let sea = Tables::<S, C, W>::SEA;
    let mut rng = rng(3);
    for round in 0..50 {
        let prior = prior_of::<S, C, W>(&gaussian(sea, round, 2.0));
        let position = position(sea, tells_sunk, 6, num_shots, &mut rng);
        let expected = posterior_after(&prior, &position).probabilities(&prior);
        let mut posterior = Posterior::default();
        posterior.begin(&prior);
        let mut shots = Cells::NONE;
        while shots != position.shots {
            shots |= Cells::of(any_of(position.shots.without(shots), &mut rng));
            let sunk = position.sunk(sea, shots);
            posterior.learn(&prior, shots, position.hits & shots, sunk.as_ref());
            posterior.best_cells(&prior);
        }
        let difference = largest_difference(&posterior.probabilities(&prior), &expected);
        assert!(difference < 1e-9, "round {round}: {difference}");
    }
}

#[test]
fn answers_can_be_learnt_in_any_portions() {
    for tells_sunk in [false, true] {
        learn_in_portions::<4, 81, 9>(tells_sunk, 30);
        learn_in_portions::<5, 100, 14>(tells_sunk, 50);
    }
}

fn count_covers<const S: usize, const C: usize, const W: usize>(hits: &str, expected: usize)
where
    Tables<S, C, W>: Once,
    Counts<S>: Once,
{
    let prior = Priors::<S, C, W>::uniform().prior;
    let hits = Cells::try_from(hits.to_string()).expect("cells");
    let posterior = posterior_after(&prior, &Position { shots: hits, hits, told: None });
    assert_eq!(posterior.num_covers(), expected, "{hits}");
    assert_eq!(posterior.capacity(), posterior::max_covers(S), "{hits}");
}

/// A local search found the positions with the most covers: hits far apart, without misses. In these positions, the
/// list of covers does not grow beyond its initial capacity.
#[test]
fn the_list_of_covers_is_long_enough() {
    for (hits, expected) in [
        ("e3 g5 c6", 4_564),
        ("e2 b4 g5 d7", 20_376),
        ("c3 f4 g4 g5 d8", 10_942),
        ("g3 f4 g4 d6 d7 e7", 5_881),
    ] {
        count_covers::<4, 81, 9>(hits, expected);
    }
    for (hits, expected) in [("d2 f4 c6 g7 e9", 580_024), ("e3 c5 h5 c6 d6 f9", 333_302)] {
        count_covers::<5, 100, 14>(hits, expected);
    }
}
