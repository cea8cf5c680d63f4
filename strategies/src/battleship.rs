//! Strategies for Battleship: where to hide the ships, and where to look for those of the other.
//!
//! Cauwet & Teytaud 2018, section III, give the number of parameters, 33, and that they describe "the
//! probability distribution for the ships"; section VI-B says that one distribution places the own fleet
//! and one simulates the opponent's. Which distributions these are is our choice:
//!
//! - For each ship four numbers say how it likes its place: log-weights of a line at the border, of a
//!   line next to the border, of an end at the border, and of an end next to the border. A line is a row
//!   or a column, and its distance is the one to the nearer parallel border; the ends are those of the
//!   ship, at the distance of the nearer one to the border that it points to. Places further inside
//!   have log-weight 0. The weight of a place is the product of the weights of its line and of its end.
//! - 16 numbers place the own fleet, together with a log-weight for each pair of ships that touch along a
//!   side; `battleship/placing.rs` says how it is drawn.
//! - 16 numbers are the prior by which the opponent's fleet is guessed: the strategy shoots at the cell
//!   that is part of a ship with the highest posterior probability, at random among equals;
//!   `battleship/posterior.rs` says what is computed. The paper simulates fleets ("Monte-Carlo").
//!
//! Numbers beyond 1e9 count as 1e9, so that sums of them are finite.

mod picture;
mod placing;
mod posterior;
mod tables;

use std::collections::BTreeMap;
use std::fmt::Write;

use rand::{Rng, RngExt};
use ruse_games::battleship::{
    Battleship, BattleshipAction, BattleshipView, Cell, Cells, NUM_SHIPS, SHIP_LENGTHS,
    sample_fleet,
};
use ruse_games::{AdjustableRules, Rule, RulesError, Seat};

use self::placing::{Placing, PlacingProfile};
use self::posterior::{Posterior, Prior};
use self::tables::{NUM_CLASSES, NUM_KINDS};
use crate::{
    Family, Imagining, OpenBoard, Parameter, ParameterError, ParameterSpace, ParametricStrategy,
    Picture, Reference, Strategy, imagining,
};

/// Parameters of each ship, for the own fleet and for the opponent's.
const PER_SHIP: usize = 4;
const NUM_PARAMETERS: usize = 2 * NUM_SHIPS * PER_SHIP + 1;
/// A probability of e^-1e9 is zero by all standards.
const LARGEST: f64 = 1e9;

/// What the four parameters of a ship favour.
const FAVOURED: [(&str, &str); PER_SHIP] = [
    ("line-border", "along the border"),
    ("line-next", "along the line next to the border"),
    ("end-border", "with an end at the border"),
    ("end-next", "with an end one cell from the border"),
];

/// The log-weights of the classes of each ship.
fn class_log_weights(theta: &[f64]) -> [[f64; NUM_CLASSES]; NUM_SHIPS] {
    std::array::from_fn(|ship| {
        let parameter = |index: usize| theta[PER_SHIP * ship + index].clamp(-LARGEST, LARGEST);
        let lines = [parameter(0), parameter(1), 0.0];
        let ends = [parameter(2), parameter(3), 0.0];
        std::array::from_fn(|class| lines[class / NUM_KINDS] + ends[class % NUM_KINDS])
    })
}

/// The parametric strategy: a law of the own fleet, and a prior of the opponent's.
#[derive(Debug, Clone, PartialEq)]
pub struct FleetPriors {
    placing: Placing,
    prior: Prior,
}

impl FleetPriors {
    /// A uniformly random fleet against a uniformly random fleet.
    pub fn uniform() -> FleetPriors {
        let even = [[0.0; NUM_CLASSES]; NUM_SHIPS];
        FleetPriors { placing: Placing::new(&even, 0.0), prior: Prior::new(&even) }
    }

    /// The first cells it shoots at as long as all answers are water; of equally good cells the first.
    fn first_shots(&self, num_shots: usize) -> Vec<Cell> {
        let mut posterior = Posterior::default();
        posterior.begin(&self.prior);
        let mut shots = Cells::NONE;
        let mut cells = Vec::new();
        for _ in 0..num_shots {
            posterior.learn(&self.prior, shots, Cells::NONE);
            let Some(cell) = posterior.best_cells(&self.prior).first() else { break };
            shots |= Cells::of(cell);
            cells.push(cell);
        }
        cells
    }
}

/// What a player remembers during a game.
#[derive(Debug, Default)]
pub struct ShooterMemory {
    posterior: Posterior,
}

/// One of `cells`, of which there is at least one; no randomness when there is but one.
#[inline]
fn any_of<R: Rng>(cells: Cells, rng: &mut R) -> Cell {
    match cells.len() {
        1 => cells.nth(0),
        len => cells.nth(rng.random_range(0..len)),
    }
}

impl Strategy<Battleship> for FleetPriors {
    type Memory = ShooterMemory;

    #[inline]
    fn begin(&self, memory: &mut ShooterMemory, _seat: Seat) {
        memory.posterior.begin(&self.prior);
    }

    #[inline]
    fn act<R: Rng>(
        &self,
        memory: &mut ShooterMemory,
        view: BattleshipView<'_>,
        rng: &mut R,
        action: &mut BattleshipAction,
    ) {
        *action = if view.fleet.is_none() {
            BattleshipAction::Place(self.placing.sample(rng))
        } else {
            memory.posterior.learn(&self.prior, view.shots, view.hits);
            BattleshipAction::Shoot(any_of(memory.posterior.best_cells(&self.prior), rng))
        };
    }
}

impl ParametricStrategy<Battleship> for FleetPriors {
    fn space(_game: &Battleship) -> ParameterSpace {
        let mut parameters = Vec::with_capacity(NUM_PARAMETERS);
        for (part, what) in [("own", "places its ship"), ("prior", "expects the opponent's ship")] {
            for length in SHIP_LENGTHS {
                for (name, favoured) in FAVOURED {
                    let name = format!("{part}-{length}-{name}").into();
                    let meaning = format!("log-weight: {what} of {length} cells {favoured}").into();
                    parameters.push(Parameter { name, meaning });
                }
            }
        }
        parameters.push(Parameter {
            name: "own-contact".into(),
            meaning: "log-weight of each pair of its own ships that touch along a side".into(),
        });
        ParameterSpace::new(parameters)
    }

    fn from_parameters(game: &Battleship, theta: &[f64]) -> Result<FleetPriors, ParameterError> {
        let mut strategy = FleetPriors::uniform();
        strategy.set_parameters(game, theta)?;
        Ok(strategy)
    }

    fn set_parameters(&mut self, game: &Battleship, theta: &[f64]) -> Result<(), ParameterError> {
        if theta.len() != NUM_PARAMETERS || theta.iter().any(|value| !value.is_finite()) {
            // The space allocates, so it is made only to say what is wrong.
            return Self::space(game).check(theta);
        }
        let (own, rest) = theta.split_at(NUM_SHIPS * PER_SHIP);
        let contact = rest[NUM_SHIPS * PER_SHIP].clamp(-LARGEST, LARGEST);
        self.placing.set(&class_log_weights(own), contact);
        self.prior.set(&class_log_weights(rest));
        Ok(())
    }
}

/// The reference strategies.
#[derive(Debug, Clone)]
pub enum BattleshipReference {
    /// Any fleet, and any cell where it has not shot.
    Random,
    /// Any fleet; a neighbour of a hit if there is one left, and any cell otherwise.
    HuntTarget,
    /// Any fleet, and the most probable cell when all fleets are equally likely.
    Density(Box<FleetPriors>),
}

impl Strategy<Battleship> for BattleshipReference {
    type Memory = ShooterMemory;

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
        let BattleshipView { fleet, shots, hits, .. } = view;
        *action = match self {
            BattleshipReference::Density(strategy) => {
                return strategy.act(memory, view, rng, action);
            }
            _ if fleet.is_none() => BattleshipAction::Place(sample_fleet(rng)),
            BattleshipReference::Random => BattleshipAction::Shoot(any_of(!shots, rng)),
            BattleshipReference::HuntTarget => {
                let targets = hits.neighbours().without(shots);
                let targets = if targets.is_empty() { !shots } else { targets };
                BattleshipAction::Shoot(any_of(targets, rng))
            }
        };
    }
}

/// The family of Battleship: 33 parameters.
#[derive(Debug, Clone, Default)]
pub struct BattleshipFamily {
    game: Battleship,
}

/// Probabilities of the ships in percent, the longest ship first.
fn in_percent(probabilities: [f64; NUM_SHIPS]) -> String {
    let [two, three, four, five] = probabilities.map(|p| 100.0 * p);
    format!("{five:.0}, {four:.0}, {three:.0} and {two:.0}%")
}

impl Family for BattleshipFamily {
    type Game = Battleship;
    type Strategy = FleetPriors;
    type Reference = BattleshipReference;

    fn name(&self) -> &str {
        "battleship"
    }

    fn game_name(&self) -> &str {
        "battleship"
    }

    fn summary(&self) -> &str {
        "where the own ships like to lie, and where those of the opponent are expected"
    }

    fn game(&self) -> &Battleship {
        &self.game
    }

    fn rules(&self) -> Vec<Rule> {
        self.game.rules()
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Self, RulesError> {
        Ok(BattleshipFamily { game: self.game.with_rules(changes)? })
    }

    fn references(&self) -> Vec<Reference<BattleshipReference>> {
        vec![
            Reference {
                name: "random".into(),
                meaning: "hides its fleet at random, and shoots at random".into(),
                strategy: BattleshipReference::Random,
            },
            Reference {
                name: "hunt-target".into(),
                meaning: "shoots at neighbours of its hits, and at random when there are none"
                    .into(),
                strategy: BattleshipReference::HuntTarget,
            },
            Reference {
                name: "density".into(),
                meaning: "shoots where most fleets that fit the answers have a ship".into(),
                strategy: BattleshipReference::Density(Box::new(FleetPriors::uniform())),
            },
        ]
    }

    /// Where all parameters are 0, all fleets are equally likely.
    fn reference_parameters(&self, name: &str) -> Option<Vec<f64>> {
        (name == "density").then(|| vec![0.0; NUM_PARAMETERS])
    }

    fn common_play(&self) -> Option<&str> {
        Some("hunt-target")
    }

    fn words(&self, strategy: &FleetPriors) -> String {
        let PlacingProfile { along_border, in_corner, inside, touching } =
            strategy.placing.profile();
        let at_random = FleetPriors::uniform().placing.profile();
        let mut words = format!(
            "lays its ships of 5, 4, 3 and 2 cells along the border in {} of its games ({} for a \
             random fleet), there with an end in a corner in {}, and away from all borders in {}; ",
            in_percent(along_border),
            in_percent(at_random.along_border),
            in_percent(in_corner),
            in_percent(inside),
        );
        let _ = write!(
            words,
            "two of them touch in {:.0}% ({:.0}%); ",
            100.0 * touching,
            100.0 * at_random.touching
        );
        words += "looks first at";
        for (index, cell) in strategy.first_shots(6).into_iter().enumerate() {
            let separator = if index == 0 { " " } else { ", then " };
            let _ = write!(words, "{separator}{cell}");
        }
        words
            + " (or their mirror images) as long as it finds water, then where most of the fleets that \
                 fit its hits and misses have a ship"
    }

    fn picture(&self, strategy: &FleetPriors) -> Option<Picture> {
        Some(picture::picture(strategy))
    }

    fn board(&self) -> Option<OpenBoard<'_, Self::Game>> {
        Some(OpenBoard { board: &self.game, opponent: "density".into() })
    }

    fn imagining(&self, seat: Seat) -> Option<Box<dyn Imagining<Self::Game>>> {
        imagining(&self.game, seat)
    }

    fn default_budget(&self) -> u64 {
        // Thirty-three numbers move slowly, and a game takes a quarter of a millisecond.
        200_000
    }
}

#[cfg(test)]
mod tests;
