//! Strategies for Battleship: where to place the ships, and where to shoot.
//!
//! Cauwet & Teytaud 2018, section III, give the number of parameters, 33, and their role: "the probability distribution
//! for the ships". Section VI-B says that one distribution places the player's own fleet and another simulates the
//! opponent's. The distributions themselves are our choice:
//!
//! - Four log-weights per ship rate its place: for a line at the border, a line next to the border, an end at the
//!   border, and an end next to the border. The line is the row or column in which the ship lies, and its distance is
//!   measured to the nearer parallel border. Each end of the ship points to a border; the end that is nearer to its
//!   border counts. Lines and ends further inside have log-weight 0. The weight of a place is the product of the
//!   weights of its line and of its end.
//! - 16 numbers (20 with five ships) and a contact log-weight place the player's own fleet. The contact log-weight is
//!   added once for each pair of ships that touch along a side; `battleship/placing.rs` describes how a fleet is drawn.
//! - Another 16 numbers (20 with five ships) define the prior distribution of the opponent's fleet. Given hits, misses
//!   and announced sinkings, the strategy shoots at the cell with the highest posterior probability of a ship (at
//!   random among equals); see `battleship/posterior.rs`. The paper simulates fleets ("Monte-Carlo").
//!
//! That is 33 numbers on the board of the paper. The shop board has 41: its two ships of 3 cells, called 3a and 3b,
//! have separate numbers, so that one can be placed or expected at the border and the other elsewhere. The opponent
//! cannot tell them apart.
//!
//! Numbers are clamped to the range from -1e9 to 1e9, so that their sums are finite.

mod counts;
mod family;
mod picture;
mod placing;
mod posterior;
mod prior;
mod priors;
mod tables;

use rand::Rng;
use ruse_games::Seat;
use ruse_games::battleship::{
    Battleship, BattleshipAction, BattleshipView, Cell, Fleet, Sea, sample_fleet,
};
use ruse_search::{
    CopyMemory, Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy,
    clone_memory,
};

pub use self::family::BattleshipFamily;
use self::priors::{PER_SHIP, PaperPosterior, PaperPriors, ShopPosterior, ShopPriors, any_of};
use crate::check_parameters;

/// For each of the four parameters of a ship: a part of its name, and a description of the feature that it rates.
const FAVOURED: [(&str, &str); PER_SHIP] = [
    ("line-border", "along the border"),
    ("line-next", "along the line next to the border"),
    ("end-border", "with an end at the border"),
    ("end-next", "with an end one cell from the border"),
];

const fn dimension(sea: Sea) -> usize {
    2 * sea.num_ships() * PER_SHIP + 1
}

/// Returns two names for each ship: a description, and a part of parameter names (its length, and a letter if several
/// ships have this length).
fn ship_names(sea: Sea) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for same in sea.ship_lengths().chunk_by(|a, b| a == b) {
        for (index, length) in same.iter().enumerate() {
            let (words, letter) = match (same.len(), index) {
                (1, _) => ("ship", ""),
                (_, 0) => ("first ship", "a"),
                (_, _) => ("second ship", "b"),
            };
            names.push((format!("{words} of {length} cells"), format!("{length}{letter}")));
        }
    }
    names
}

/// The parametric strategy: a distribution of the player's own fleet, and a prior distribution of the opponent's fleet.
#[derive(Debug, Clone, PartialEq)]
pub struct FleetPriors {
    priors: OnSea,
}

/// The two distributions of fleets, for one of the two boards.
#[derive(Debug, Clone, PartialEq)]
enum OnSea {
    Paper(Box<PaperPriors>),
    Shop(Box<ShopPriors>),
}

/// Evaluates an expression with the priors of a strategy, for the paper's board or for the shop board.
macro_rules! on_any_sea {
    ($strategy:expr, $priors:ident => $then:expr) => {
        match $strategy.priors {
            OnSea::Paper(ref $priors) => $then,
            OnSea::Shop(ref $priors) => $then,
        }
    };
}
use on_any_sea;

impl FleetPriors {
    /// Returns the strategy with uniformly random fleets and a uniform prior.
    pub fn uniform(sea: Sea) -> FleetPriors {
        let priors = match sea {
            Sea::Paper => OnSea::Paper(Box::new(PaperPriors::uniform())),
            Sea::Shop => OnSea::Shop(Box::new(ShopPriors::uniform())),
        };
        FleetPriors { priors }
    }

    /// Returns the board on which the strategy plays.
    pub fn sea(&self) -> Sea {
        match self.priors {
            OnSea::Paper(_) => Sea::Paper,
            OnSea::Shop(_) => Sea::Shop,
        }
    }

    fn sample_fleet<R: Rng>(&self, rng: &mut R) -> Fleet {
        on_any_sea!(self, priors => priors.placing.sample(rng))
    }

    /// Returns the probability, for each cell by its number, that `ship` lies on it before the first shot.
    fn expected(&self, ship: usize) -> Vec<f64> {
        on_any_sea!(self, priors => priors.prior.cell_probabilities(ship).to_vec())
    }

    /// Returns the first `num_shots` cells that the strategy shoots at if all shots miss. Ties go to the first cell.
    fn first_shots(&self, num_shots: usize) -> Vec<Cell> {
        on_any_sea!(self, priors => priors.first_shots(num_shots))
    }
}

/// The memory of a player during a game: the posterior distribution of the opponent's fleet, for the board of the game.
#[derive(Debug, Clone, Default)]
pub struct ShooterMemory {
    paper: Option<Box<PaperPosterior>>,
    shop: Option<Box<ShopPosterior>>,
}

impl Strategy<Battleship> for FleetPriors {
    type Memory = ShooterMemory;

    const COPY: CopyMemory<ShooterMemory> = clone_memory;

    #[inline]
    fn begin(&self, memory: &mut ShooterMemory, _seat: Seat) {
        match &self.priors {
            OnSea::Paper(priors) => memory.paper.get_or_insert_default().begin(&priors.prior),
            OnSea::Shop(priors) => memory.shop.get_or_insert_default().begin(&priors.prior),
        }
    }

    #[inline]
    fn act<R: Rng>(
        &self,
        memory: &mut ShooterMemory,
        view: BattleshipView<'_>,
        rng: &mut R,
        action: &mut BattleshipAction,
    ) {
        debug_assert_eq!(view.sea, self.sea(), "a strategy sits at another board");
        let begun = "a game begins on its board before it goes on";
        *action = match &self.priors {
            OnSea::Paper(priors) => priors.act(memory.paper.as_mut().expect(begun), view, rng),
            OnSea::Shop(priors) => priors.act(memory.shop.as_mut().expect(begun), view, rng),
        };
    }
}

impl ParametricStrategy<Battleship> for FleetPriors {
    fn space(game: &Battleship) -> ParameterSpace {
        let mut parameters = Vec::with_capacity(dimension(game.sea()));
        for (part, what) in [("own", "places its"), ("prior", "expects the opponent's")] {
            for (ship, short) in ship_names(game.sea()) {
                for (name, favoured) in FAVOURED {
                    let meaning = format!("log-weight: {what} {ship} {favoured}");
                    parameters.push(Parameter::new(format!("{part}-{short}-{name}"), meaning));
                }
            }
        }
        let meaning = "log-weight of each pair of its own ships that touch along a side";
        parameters.push(Parameter::new("own-contact", meaning));
        ParameterSpace::new(parameters)
    }

    fn from_parameters(game: &Battleship, theta: &[f64]) -> Result<FleetPriors, ParameterError> {
        let mut strategy = FleetPriors::uniform(game.sea());
        strategy.set_parameters(game, theta)?;
        Ok(strategy)
    }

    fn set_parameters(&mut self, game: &Battleship, theta: &[f64]) -> Result<(), ParameterError> {
        check_parameters(theta, dimension(game.sea()), || Self::space(game))?;
        if self.sea() != game.sea() {
            *self = FleetPriors::uniform(game.sea());
        }
        match &mut self.priors {
            OnSea::Paper(priors) => priors.set(theta),
            OnSea::Shop(priors) => priors.set(theta),
        }
        Ok(())
    }
}

/// The reference strategies.
#[derive(Debug, Clone)]
pub enum BattleshipReference {
    /// Places a random fleet, and shoots at random cells, but at no cell twice.
    Random,
    /// Places a random fleet. Shoots at a cell next to a hit if one is left, and otherwise at a random cell.
    HuntTarget,
    /// Places a random fleet, and shoots at the cell with the highest probability of a ship if all fleets are equally
    /// likely.
    Density(FleetPriors),
}

impl Strategy<Battleship> for BattleshipReference {
    type Memory = ShooterMemory;

    const COPY: CopyMemory<ShooterMemory> = clone_memory;

    #[inline]
    fn begin(&self, memory: &mut ShooterMemory, seat: Seat) {
        if let BattleshipReference::Density(strategy) = self {
            strategy.begin(memory, seat);
        }
    }

    #[inline]
    fn act<R: Rng>(
        &self,
        memory: &mut ShooterMemory,
        view: BattleshipView<'_>,
        rng: &mut R,
        action: &mut BattleshipAction,
    ) {
        let BattleshipView { sea, fleet, shots, hits, .. } = view;
        let free = sea.cells().without(shots);
        *action = match self {
            BattleshipReference::Density(strategy) => {
                return strategy.act(memory, view, rng, action);
            }
            _ if fleet.is_none() => BattleshipAction::Place(sample_fleet(sea, rng)),
            BattleshipReference::Random => BattleshipAction::Shoot(any_of(free, rng)),
            BattleshipReference::HuntTarget => {
                let targets = hits.neighbours(sea).without(shots);
                let targets = if targets.is_empty() { free } else { targets };
                BattleshipAction::Shoot(any_of(targets, rng))
            }
        };
    }
}

#[cfg(test)]
mod tests;
