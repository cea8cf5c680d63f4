//! Battleship: two hidden fleets, one shot each in turn.
//!
//! # Rules
//!
//! Each player has a board of 9 x 9 cells, columns a to i and rows 1 to 9, and four ships of 2, 3, 4 and
//! 5 cells; with `ships` 5, the fleet that is sold in shops, the board has 10 x 10 cells, and there is a second ship
//! of 3 cells. Before anything else each player places their fleet on their own board, unseen by the other: a ship
//! lies in a row or in a column, two ships may touch but not cross. Then the players shoot in turn, one
//! shot each: the shooter names a cell of the other's board where they have not shot before, and is told
//! whether there is a ship or water. Nobody says which ship was hit, nor that a ship is sunk; with `sunk` set, the
//! shooter is told where a ship lies once all its cells are hit, as in the game of the shops. The first
//! to hit all 14 (17) ship cells of the other wins; there are no draws.
//!
//! Two ships of the same length are told apart by their owner only: a ship that is sunk is told by its length and by
//! where it lies.
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
//! On the board of the shops 180 + 160 + 160 + 140 + 120 = 760 places, and 30 093 975 536 fleets, half as many if the
//! two ships of 3 cells are not told apart. If all are equally likely, a corner is part of a ship with probability
//! .079999, the cell beside it with .114921, and a cell in the middle of the board with .213599 (an independent
//! program).
//!
//! # Versions
//!
//! 1: as above, without `ships`, which is 4.
//! 2: as above.

mod board;
mod drawing;
mod retell;
mod sea;

use std::collections::BTreeMap;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::{
    AdjustableRules, BySeat, Game, Imagine, Payoff, Rule, RulesError, SampleAction, Seat, Turn,
};

pub use self::sea::{
    Cell, Cells, Fleet, MAX_SHIPS, MAX_SIDE, NotACell, Placement, Sea, Ship, TooManyShips,
};

/// The game of Battleship. Board and ships are one of two [seas](Sea): those for which the strategies have their
/// tables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Battleship {
    sea: Sea,
    /// Whether it is said that a ship is sunk.
    tells_sunk: bool,
}

impl Battleship {
    /// The game of the paper, in which nobody says that a ship is sunk.
    pub fn standard() -> Battleship {
        Battleship::on(Sea::Paper)
    }

    /// The game on this board and with these ships, in which nobody says that a ship is sunk.
    pub fn on(sea: Sea) -> Battleship {
        Battleship { sea, tells_sunk: false }
    }

    /// The board and the ships.
    #[inline]
    pub fn sea(&self) -> Sea {
        self.sea
    }

    /// Whether it is said that a ship is sunk, and where it lies.
    pub fn tells_sunk(&self) -> bool {
        self.tells_sunk
    }
}

/// The ships of a fleet all of whose cells are hit, by their index in [`Sea::ship_lengths`]; none of those that are
/// not. Of ships of the same length the sunk ones come first, row by row, so that nothing says which of them it is.
pub type SunkShips = [Option<Ship>; MAX_SHIPS];

fn sunk_ships(sea: Sea, fleet: &Fleet, hits: Cells) -> SunkShips {
    let mut sunk = SunkShips::default();
    let lengths = sea.ship_lengths();
    for ((sunk, &ship), &length) in sunk.iter_mut().zip(fleet.ships()).zip(lengths) {
        let is_sunk = ship.cells(sea, length).is_some_and(|cells| cells.without(hits).is_empty());
        *sunk = is_sunk.then_some(ship);
    }
    let mut rest = &mut sunk[..];
    for same in lengths.chunk_by(|a, b| a == b) {
        let (ships, others) = rest.split_at_mut(same.len());
        ships.sort_unstable_by_key(|ship| (ship.is_none(), ship.map(|ship| ship.end)));
        rest = others;
    }
    sunk
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
    /// The board and the ships.
    pub sea: Sea,
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
    /// The board has no such cell.
    #[error("{cell} is not on the board, whose last cell is {last}")]
    NoSuchCell {
        /// The cell.
        cell: Cell,
        /// The last cell of the board.
        last: Cell,
    },
    /// A fleet of another game.
    #[error("the fleet has {found} ships, but {expected} must be placed")]
    OtherFleet {
        /// How many ships it has.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
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

fn check_fleet(sea: Sea, fleet: &Fleet) -> Result<(), IllegalBattleshipAction> {
    let (found, expected) = (fleet.ships().len(), sea.num_ships());
    if found != expected {
        return Err(IllegalBattleshipAction::OtherFleet { found, expected });
    }
    let mut all = Cells::NONE;
    for (&ship, &length) in fleet.ships().iter().zip(sea.ship_lengths()) {
        let cells =
            ship.cells(sea, length).ok_or(IllegalBattleshipAction::OffBoard { length, ship })?;
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
            Some(fleet) => sunk_ships(self.sea, fleet, hits),
            None => SunkShips::default(),
        };
        BattleshipView {
            sea: self.sea,
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
            (BattleshipAction::Place(fleet), None) => check_fleet(self.sea, &fleet),
            (BattleshipAction::Place(_), Some(_)) => Err(IllegalBattleshipAction::FleetIsPlaced),
            (BattleshipAction::Shoot(cell), None) => {
                Err(IllegalBattleshipAction::FleetFirst { cell })
            }
            (BattleshipAction::Shoot(cell), Some(_)) if !self.sea.cells().contains(cell) => {
                let last = self.sea.cell(self.sea.num_cells() - 1);
                Err(IllegalBattleshipAction::NoSuchCell { cell, last })
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
                state.fleet_cells[seat] = fleet.cells(self.sea).expect("the fleet was checked");
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

/// A fleet, each with the same probability: all ships are placed until none cross, which takes 2.1 attempts on average
/// on the board of the paper, and 2.6 on that of the shops.
pub fn sample_fleet<R: Rng>(sea: Sea, rng: &mut R) -> Fleet {
    let anywhere = &sea.placements_of(0)[0];
    let mut places = [anywhere; MAX_SHIPS];
    let places = &mut places[..sea.num_ships()];
    loop {
        for (ship_index, place) in places.iter_mut().enumerate() {
            let all = sea.placements_of(ship_index);
            *place = &all[rng.random_range(0..all.len())];
        }
        if let Some(fleet) = disjoint_fleet(sea, places) {
            return fleet;
        }
    }
}

/// The fleet of these places, unless two ships cross.
fn disjoint_fleet(sea: Sea, places: &[&Placement]) -> Option<Fleet> {
    let all = places.iter().fold(Cells::NONE, |all, place| all | place.cells);
    (all.len() == sea.fleet_cells()).then(|| {
        let mut ships = [Ship::default(); MAX_SHIPS];
        ships.iter_mut().zip(places).for_each(|(ship, place)| *ship = place.ship);
        Fleet::new(&ships[..places.len()])
    })
}

impl SampleAction for Battleship {
    fn sample_action<R: Rng>(
        &self,
        view: &BattleshipView<'_>,
        rng: &mut R,
        action: &mut BattleshipAction,
    ) {
        *action = if view.fleet.is_none() {
            BattleshipAction::Place(sample_fleet(self.sea, rng))
        } else {
            let targets = self.sea.cells().without(view.shots);
            BattleshipAction::Shoot(targets.nth(rng.random_range(0..targets.len())))
        };
    }
}

/// Some ships that explain all hits.
#[derive(Debug, Clone, Copy)]
struct Cover {
    /// By ship, none of those after the last one.
    places: [Option<&'static Placement>; MAX_SHIPS],
    cells: Cells,
    /// In how many ways the other ships can lie, if they were allowed to cross each other.
    num_completions: u64,
}

/// Draws in a row in which ships cross, after which all fleets are listed.
const MAX_ATTEMPTS: u32 = 10_000;

/// What shots say about a fleet.
#[derive(Debug, Clone, Copy)]
struct Answers {
    sea: Sea,
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
        self.sea
            .placements_of(ship_index)
            .iter()
            .filter(move |place| place.cells.is_disjoint(taken))
    }

    /// Appends all ways to explain the hits by ships each of which has a hit, beginning with `cover`.
    fn list_covers(self, cover: Cover, covers: &mut Vec<Cover>) {
        let is_unused = |&ship_index: &usize| cover.places[ship_index].is_none();
        let Some(hit) = self.hits.without(cover.cells).first() else {
            let num_completions = (0..self.sea.num_ships())
                .filter(is_unused)
                .map(|ship_index| self.unseen(ship_index, cover.cells).count() as u64)
                .product();
            covers.push(Cover { num_completions, ..cover });
            return;
        };
        for ship_index in (0..self.sea.num_ships()).filter(is_unused) {
            for place in self.sea.placements_of(ship_index) {
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
        let mut known = Cover { places: [None; MAX_SHIPS], cells: Cells::NONE, num_completions: 0 };
        for (index, &sunk) in self.sunk.iter().flatten().enumerate() {
            let place = sunk.and_then(|ship| {
                self.sea.placements_of(index).iter().find(|place| place.ship == ship)
            });
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
            let anywhere = &self.sea.placements_of(0)[0];
            let mut places = [anywhere; MAX_SHIPS];
            let places = &mut places[..self.sea.num_ships()];
            for (ship_index, place) in places.iter_mut().enumerate() {
                *place = cover.places[ship_index].unwrap_or_else(|| {
                    let mut unseen = self.unseen(ship_index, cover.cells);
                    let chosen = rng.random_range(0..unseen.clone().count());
                    unseen.nth(chosen).expect("the index is below the count")
                });
            }
            if let Some(fleet) = disjoint_fleet(self.sea, places) {
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
        let places = &cover.places[..self.sea.num_ships()];
        let Some(ship_index) = places.iter().position(Option::is_none) else {
            let places: Vec<_> = places.iter().copied().flatten().collect();
            fleets.extend(disjoint_fleet(self.sea, &places));
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
        let &BattleshipView { sea, fleet: own, shots, hits, sunk, opponent_shots } = view;
        // The first seat is the first to place its fleet.
        let is_placed = own.is_some() || seat == Seat::Second;
        let answers = Answers { sea, hits, misses: shots.without(hits), sunk };
        let other = is_placed.then(|| answers.sample_fleet(rng));
        let own_or_other = |of, own, other| if of == seat { own } else { other };
        let fleets = BySeat::from_fn(|of| own_or_other(of, own.copied(), other));
        BattleshipState {
            fleet_cells: BySeat::from_fn(|of| {
                fleets[of].map_or(Cells::NONE, |fleet| fleet.cells(sea).expect("no ships cross"))
            }),
            fleets,
            shots: BySeat::from_fn(|of| if of == seat { shots } else { opponent_shots }),
            turn: Turn::Act(seat),
        }
    }
}

impl AdjustableRules for Battleship {
    fn rules(&self) -> Vec<Rule> {
        let [fewest, most] = Sea::ALL.map(|sea| sea.num_ships() as u64);
        let ships = Rule {
            name: "ships".into(),
            meaning: "4: of 5, 4, 3 and 2 cells on a board of 9 x 9, as in the paper; 5: of 5, 4, 3, 3 and 2 on 10 x 10, \
                      as in shops"
                .into(),
            value: self.sea.num_ships() as u64,
            range: fewest..=most,
        };
        let sunk = Rule {
            name: "sunk".into(),
            meaning: "1: the shooter is told of a ship that is sunk, and where it lies; 0: not"
                .into(),
            value: self.tells_sunk.into(),
            range: 0..=1,
        };
        vec![ships, sunk]
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Battleship, RulesError> {
        let mut rules = self.rules();
        Rule::change(&mut rules, changes)?;
        let is_sea = |sea: &Sea| sea.num_ships() as u64 == rules[0].value;
        let sea = Sea::ALL.into_iter().find(is_sea).expect("other numbers are out of range");
        Ok(Battleship { sea, tells_sunk: rules[1].value == 1 })
    }
}

#[cfg(test)]
mod tests;
