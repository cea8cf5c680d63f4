//! Battleship: two hidden fleets, one shot each in turn.
//!
//! # Rules
//!
//! Each player has a board of 9 x 9 cells, columns a to i and rows 1 to 9, and four ships of 2, 3, 4 and
//! 5 cells. Before anything else each player places their fleet on their own board, unseen by the other: a ship
//! lies in a row or in a column, two ships may touch but not cross. Then the players shoot in turn, one
//! shot each: the shooter names a cell of the other's board where they have not shot before, and is told
//! whether there is a ship or water. Nobody says which ship was hit, nor that a ship is sunk; with `sunk` set, the
//! shooter is told where a ship lies once all its cells are hit, as in the game of the shops. The first
//! to hit all 14 ship cells of the other wins; there are no draws.
//!
//! The first seat places first and shoots first. So the boards are two puzzles apart: the player who needs fewer
//! shots wins, and the first seat wins when both need the same number.
//!
//! Cauwet & Teytaud 2018, section III-A, give the board, the ships and the answers; that ships may touch
//! and that sinking is not announced is our reading of their silence.
//!
//! # View
//!
//! | what | its owner | the other |
//! |---|---|---|
//! | a fleet | sees it | sees nothing of it |
//! | a shot and its answer | sees it | sees it |
//! | a ship all of whose cells are hit | sees it | sees it, with the rule `sunk` |
//!
//! # Known values
//!
//! 144 + 126 + 108 + 90 = 468 places of the four ships, and 84 547 392 fleets. If all fleets are equally
//! likely, a corner is part of a ship with probability .083258, the cell beside it with .119516, and the
//! middle of the board with .228920. Shots until the end against such a fleet (independent prototype):
//! 76.5 at random, 51.8 when hits are followed up at their neighbours, 36.5 to 37.5 on the cell that is
//! most likely to be hit.
//!
//! # Versions
//!
//! 1: as above.

mod board;
mod sea;

use std::collections::BTreeMap;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::{
    AdjustableRules, BySeat, Game, Imagine, Payoff, Rule, RulesError, SampleAction, Seat, Turn,
};

pub use self::sea::{
    ALL_PLACEMENTS, Cell, Cells, FIRST_PLACEMENTS, FLEET_CELLS, Fleet, NUM_CELLS, NUM_PLACEMENTS,
    NUM_SHIPS, NotACell, PLACEMENTS, Placement, SHIP_LENGTHS, SIDE, Ship, placements_of,
};

/// The game of Battleship. Board and ships cannot be changed: they are those for which the strategies have their
/// tables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Battleship {
    /// Whether it is said that a ship is sunk.
    tells_sunk: bool,
}

impl Battleship {
    /// The game of the paper, in which nobody says that a ship is sunk.
    pub fn standard() -> Battleship {
        Battleship { tells_sunk: false }
    }

    /// Whether it is said that a ship is sunk, and where it lies.
    pub fn tells_sunk(&self) -> bool {
        self.tells_sunk
    }
}

/// The ships of a fleet all of whose cells are hit, by their index; none of those that are not.
pub type SunkShips = [Option<Ship>; NUM_SHIPS];

fn sunk_ships(fleet: &Fleet, hits: Cells) -> SunkShips {
    let is_sunk =
        |ship: Ship, length| ship.cells(length).is_some_and(|cells| cells.without(hits).is_empty());
    std::array::from_fn(|index| {
        Some(fleet.ships[index]).filter(|&ship| is_sunk(ship, SHIP_LENGTHS[index]))
    })
}

/// A game of [`Battleship`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BattleshipState {
    fleets: BySeat<Option<Fleet>>,
    /// The cells of each fleet, none before it is placed.
    fleet_cells: BySeat<Cells>,
    /// Where each seat has shot.
    shots: BySeat<Cells>,
    turn: Turn,
}

impl BattleshipState {
    /// The number of shots of a seat.
    pub fn num_shots(&self, seat: Seat) -> usize {
        self.shots[seat].len()
    }
}

/// What a player does: first they place their fleet, then they shoot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BattleshipAction {
    /// Places the fleet.
    Place(Fleet),
    /// Shoots at a cell of the other's board.
    Shoot(Cell),
}

impl Default for BattleshipAction {
    fn default() -> BattleshipAction {
        BattleshipAction::Shoot(Cell::default())
    }
}

/// What a seat sees of [`Battleship`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BattleshipView<'a> {
    /// Its own fleet; none before it is placed, which it must do now or soon.
    pub fleet: Option<&'a Fleet>,
    /// Where it has shot.
    pub shots: Cells,
    /// Which of these shots have hit.
    pub hits: Cells,
    /// Which of the opponent's ships it has sunk; `None` where that is not said.
    pub sunk: Option<SunkShips>,
    /// Where the opponent has shot.
    pub opponent_shots: Cells,
}

/// Why an action was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalBattleshipAction {
    /// No shot comes before the fleets are placed.
    #[error("{cell} cannot be shot at: the fleet must be placed first")]
    FleetFirst {
        /// The cell.
        cell: Cell,
    },
    /// Fleets do not move.
    #[error("the fleet lies where it was placed")]
    FleetIsPlaced,
    /// A part of a ship is not on the board.
    #[error("the ship of {length} cells that starts at {} leaves the board", .ship.end)]
    OffBoard {
        /// The number of its cells.
        length: usize,
        /// Where it starts.
        ship: Ship,
    },
    /// Two ships share a cell.
    #[error("two ships lie on {cells}")]
    Crossing {
        /// The cells of the first ship, in the order of lengths, that another one covers too.
        cells: Cells,
    },
    /// One shot at a cell is enough.
    #[error("{cell} was shot at before")]
    ShotBefore {
        /// The cell.
        cell: Cell,
    },
    /// No seat has anything to do.
    #[error("the game is over")]
    GameOver,
}

fn check_fleet(fleet: &Fleet) -> Result<(), IllegalBattleshipAction> {
    let mut all = Cells::NONE;
    for (&ship, length) in fleet.ships.iter().zip(SHIP_LENGTHS) {
        let cells = ship.cells(length).ok_or(IllegalBattleshipAction::OffBoard { length, ship })?;
        if !all.is_disjoint(cells) {
            return Err(IllegalBattleshipAction::Crossing { cells: all & cells });
        }
        all |= cells;
    }
    Ok(())
}

impl Game for Battleship {
    type State = BattleshipState;
    type Action = BattleshipAction;
    type View<'a> = BattleshipView<'a>;
    type Illegal = IllegalBattleshipAction;

    #[inline]
    fn deal<R: Rng>(&self, _rng: &mut R) -> BattleshipState {
        BattleshipState {
            fleets: BySeat::default(),
            fleet_cells: BySeat::default(),
            shots: BySeat::default(),
            turn: Turn::Act(Seat::First),
        }
    }

    #[inline]
    fn turn(&self, state: &BattleshipState) -> Turn {
        state.turn
    }

    #[inline]
    fn view<'a>(&self, state: &'a BattleshipState, seat: Seat) -> BattleshipView<'a> {
        let shots = state.shots[seat];
        let hits = shots & state.fleet_cells[seat.other()];
        let sunk = || match &state.fleets[seat.other()] {
            Some(fleet) => sunk_ships(fleet, hits),
            None => SunkShips::default(),
        };
        BattleshipView {
            fleet: state.fleets[seat].as_ref(),
            shots,
            hits,
            sunk: self.tells_sunk.then(sunk),
            opponent_shots: state.shots[seat.other()],
        }
    }

    fn check(
        &self,
        state: &BattleshipState,
        action: &BattleshipAction,
    ) -> Result<(), IllegalBattleshipAction> {
        let Turn::Act(seat) = state.turn else {
            return Err(IllegalBattleshipAction::GameOver);
        };
        match (*action, state.fleets[seat]) {
            (BattleshipAction::Place(fleet), None) => check_fleet(&fleet),
            (BattleshipAction::Place(_), Some(_)) => Err(IllegalBattleshipAction::FleetIsPlaced),
            (BattleshipAction::Shoot(cell), None) => {
                Err(IllegalBattleshipAction::FleetFirst { cell })
            }
            (BattleshipAction::Shoot(cell), Some(_)) if state.shots[seat].contains(cell) => {
                Err(IllegalBattleshipAction::ShotBefore { cell })
            }
            (BattleshipAction::Shoot(_), Some(_)) => Ok(()),
        }
    }

    #[inline]
    fn apply<R: Rng>(
        &self,
        state: &mut BattleshipState,
        seat: Seat,
        action: &BattleshipAction,
        _rng: &mut R,
    ) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules");
        state.turn = Turn::Act(seat.other());
        match action {
            BattleshipAction::Place(fleet) => {
                state.fleets[seat] = Some(*fleet);
                state.fleet_cells[seat] = fleet.cells().expect("the fleet was checked");
            }
            BattleshipAction::Shoot(cell) => {
                state.shots[seat] |= Cells::of(*cell);
                if state.fleet_cells[seat.other()].without(state.shots[seat]).is_empty() {
                    state.turn = Turn::Over(Payoff::won_by(seat));
                }
            }
        }
    }
}

/// A fleet, each of the 84 547 392 with the same probability: all ships are placed until none cross,
/// which takes 2.1 attempts on average.
pub fn sample_fleet<R: Rng>(rng: &mut R) -> Fleet {
    loop {
        let places = std::array::from_fn(|ship_index| {
            &placements_of(ship_index)[rng.random_range(0..NUM_PLACEMENTS[ship_index])]
        });
        if let Some(fleet) = disjoint_fleet(places) {
            return fleet;
        }
    }
}

/// The fleet of these places, unless two ships cross.
fn disjoint_fleet(places: [&Placement; NUM_SHIPS]) -> Option<Fleet> {
    let all = places.iter().fold(Cells::NONE, |all, place| all | place.cells);
    (all.len() == FLEET_CELLS).then(|| Fleet { ships: places.map(|place| place.ship) })
}

impl SampleAction for Battleship {
    fn sample_action<R: Rng>(
        &self,
        view: &BattleshipView<'_>,
        rng: &mut R,
        action: &mut BattleshipAction,
    ) {
        *action = if view.fleet.is_none() {
            BattleshipAction::Place(sample_fleet(rng))
        } else {
            let targets = !view.shots;
            BattleshipAction::Shoot(targets.nth(rng.random_range(0..targets.len())))
        };
    }
}

/// Some ships that explain all hits.
#[derive(Debug, Clone, Copy)]
struct Cover {
    places: [Option<&'static Placement>; NUM_SHIPS],
    cells: Cells,
    /// In how many ways the other ships can lie, if they were allowed to cross each other.
    num_completions: u64,
}

/// Draws in a row in which ships cross, after which all fleets are listed.
const MAX_ATTEMPTS: u32 = 10_000;

/// What shots say about a fleet.
#[derive(Debug, Clone, Copy)]
struct Answers {
    hits: Cells,
    misses: Cells,
    /// The ships that are sunk; `None` where that is not said.
    sunk: Option<SunkShips>,
}

impl Answers {
    /// Where a ship can lie without any hit, and without crossing `cells`.
    fn unseen(
        self,
        ship_index: usize,
        cells: Cells,
    ) -> impl Iterator<Item = &'static Placement> + Clone {
        let taken = self.hits | self.misses | cells;
        placements_of(ship_index).iter().filter(move |place| place.cells.is_disjoint(taken))
    }

    /// Appends all ways to explain the hits by ships each of which has a hit, beginning with `cover`.
    fn list_covers(self, cover: Cover, covers: &mut Vec<Cover>) {
        let is_unused = |&ship_index: &usize| cover.places[ship_index].is_none();
        let Some(hit) = self.hits.without(cover.cells).first() else {
            let num_completions = (0..NUM_SHIPS)
                .filter(is_unused)
                .map(|ship_index| self.unseen(ship_index, cover.cells).count() as u64)
                .product();
            covers.push(Cover { num_completions, ..cover });
            return;
        };
        for ship_index in (0..NUM_SHIPS).filter(is_unused) {
            for place in placements_of(ship_index) {
                // A ship all of whose cells are hit would have been told.
                let is_told = self.sunk.is_some() && place.cells.without(self.hits).is_empty();
                let fits = place.cells.is_disjoint(self.misses | cover.cells) && !is_told;
                if fits && place.cells.contains(hit) {
                    let mut next = cover;
                    next.places[ship_index] = Some(place);
                    next.cells |= place.cells;
                    self.list_covers(next, covers);
                }
            }
        }
    }

    /// All ways to explain the hits by ships each of which has a hit, with the sunk ones where they lie.
    fn covers(self) -> Vec<Cover> {
        let mut known = Cover { places: [None; NUM_SHIPS], cells: Cells::NONE, num_completions: 0 };
        for (index, &sunk) in self.sunk.iter().flatten().enumerate() {
            let place =
                sunk.and_then(|ship| placements_of(index).iter().find(|place| place.ship == ship));
            known.places[index] = place;
            known.cells |= place.map_or(Cells::NONE, |place| place.cells);
        }
        let mut covers = Vec::new();
        self.list_covers(known, &mut covers);
        covers
    }

    /// A fleet, each of those that fit the answers with the same probability.
    ///
    /// The fleets are the covers of the hits, each with those completions in which no ships cross. A cover
    /// is drawn by its number of completions and one of these uniformly, both anew as long as ships
    /// cross: what is accepted is uniform. Where ships hardly ever lie apart, few fleets are left, and one is drawn
    /// from the list of all.
    ///
    /// # Panics
    ///
    /// When no fleet fits.
    fn sample_fleet<R: Rng>(self, rng: &mut R) -> Fleet {
        let covers = self.covers();
        let total: u64 = covers.iter().map(|cover| cover.num_completions).sum();
        assert!(total > 0, "no fleet fits the answers {self:?}");
        for _ in 0..MAX_ATTEMPTS {
            let mut index = rng.random_range(0..total);
            let cover = covers
                .iter()
                .find(|cover| match index.checked_sub(cover.num_completions) {
                    Some(rest) => {
                        index = rest;
                        false
                    }
                    None => true,
                })
                .expect("the index is below the total");
            let places = std::array::from_fn(|ship_index| {
                cover.places[ship_index].unwrap_or_else(|| {
                    let mut unseen = self.unseen(ship_index, cover.cells);
                    let chosen = rng.random_range(0..unseen.clone().count());
                    unseen.nth(chosen).expect("the index is below the count")
                })
            });
            if let Some(fleet) = disjoint_fleet(places) {
                return fleet;
            }
        }
        let fleets = self.all_fleets();
        fleets[rng.random_range(0..fleets.len())]
    }

    /// All fleets that fit the answers.
    fn all_fleets(self) -> Vec<Fleet> {
        let mut fleets = Vec::new();
        for cover in self.covers() {
            self.list_completions(cover, &mut fleets);
        }
        fleets
    }

    /// Appends the fleets of a cover.
    fn list_completions(self, cover: Cover, fleets: &mut Vec<Fleet>) {
        let Some(ship_index) = cover.places.iter().position(Option::is_none) else {
            fleets.extend(disjoint_fleet(cover.places.map(|place| place.expect("all lie"))));
            return;
        };
        for place in self.unseen(ship_index, cover.cells) {
            let mut next = cover;
            next.places[ship_index] = Some(place);
            next.cells |= place.cells;
            self.list_completions(next, fleets);
        }
    }
}

impl Imagine for Battleship {
    /// All shots and answers are seen at any time.
    type Knowledge = ();

    /// All of the opponent's fleets that fit the answers are equally likely. What the opponent's shots may tell of
    /// how it thinks is left out.
    fn imagine<R: Rng>(
        &self,
        (): &(),
        seat: Seat,
        view: &BattleshipView<'_>,
        rng: &mut R,
    ) -> BattleshipState {
        let &BattleshipView { fleet: own, shots, hits, sunk, opponent_shots } = view;
        // The first seat is the first to place its fleet.
        let is_placed = own.is_some() || seat == Seat::Second;
        let answers = Answers { hits, misses: shots.without(hits), sunk };
        let other = is_placed.then(|| answers.sample_fleet(rng));
        let own_or_other = |of, own, other| if of == seat { own } else { other };
        let fleets = BySeat::from_fn(|of| own_or_other(of, own.copied(), other));
        BattleshipState {
            fleet_cells: BySeat::from_fn(|of| {
                fleets[of].map_or(Cells::NONE, |fleet| fleet.cells().expect("no ships cross"))
            }),
            fleets,
            shots: BySeat::from_fn(|of| if of == seat { shots } else { opponent_shots }),
            turn: Turn::Act(seat),
        }
    }
}

impl AdjustableRules for Battleship {
    fn rules(&self) -> Vec<Rule> {
        vec![Rule {
            name: "sunk".into(),
            meaning: "1: the shooter is told of a ship that is sunk, and where it lies; 0: not"
                .into(),
            value: self.tells_sunk.into(),
            range: 0..=1,
        }]
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Battleship, RulesError> {
        let mut rules = self.rules();
        Rule::change(&mut rules, changes)?;
        Ok(Battleship { tells_sunk: rules[0].value == 1 })
    }
}

#[cfg(test)]
mod tests;
