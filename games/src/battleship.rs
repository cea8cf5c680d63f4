//! Battleship: two hidden fleets, and one shot at a time.
//!
//! # Rules
//!
//! Each player has a board of 9 x 9 cells, columns a to i and rows 1 to 9, and four ships of 2, 3, 4 and 5 cells. With
//! `ships` 5, as in the commercial game, the board has 10 x 10 cells, and there is a second ship of 3 cells. First,
//! each player secretly places their fleet on their own board: a ship lies in a row or in a column; ships may touch but
//! not cross. Then the players shoot in turn, one shot each: the shooter names a cell of the opponent's board at which
//! they have not shot before, and is told whether the cell is part of a ship or water. Neither the ship that was hit
//! nor the sinking of a ship is announced. With `sunk` set, as in the commercial game, the shooter is told where a ship
//! lies once all its cells are hit. The first player to hit all 14 ship cells of the opponent (17 with `ships` 5) wins;
//! there are no draws.
//!
//! Only the owner can distinguish ships of the same length: the announcement of a sunk ship states its length and its
//! position.
//!
//! The first seat places first and shoots first. Shots at one board do not affect the other, so the player who needs
//! fewer shots wins, and the first seat if both need the same number.
//!
//! Cauwet & Teytaud 2018, section III-A, define the board, the ships and the answers. The paper does not say whether
//! ships may touch and whether sinking is announced; the choices above are our reading.
//!
//! # View
//!
//! | item | its owner | the opponent |
//! |---|---|---|
//! | a fleet | sees it | sees nothing of it |
//! | a shot and its answer | sees it | sees it |
//! | a ship with all cells hit | sees it | sees it if `sunk` is set |
//!
//! # Known values
//!
//! The four ships have 144 + 126 + 108 + 90 = 468 placements, and there are 84 547 392 fleets. If all fleets are
//! equally likely, a corner is part of a ship with probability .083258, the cell beside it with .119516, and the middle
//! of the board with .228920. According to an independent prototype, sinking such a fleet takes on average 76.5 random
//! shots, 51.8 shots if hits are followed up on the neighbouring cells, and 36.5 to 37.5 shots if each shot is at the
//! cell that is most likely to be hit.
//!
//! On the board of the commercial game there are 180 + 160 + 160 + 140 + 120 = 760 placements, and 30 093 975 536
//! fleets, or half as many if the two ships of 3 cells are not told apart. If all are equally likely, a corner is part
//! of a ship with probability .079999, the cell beside it with .114921, and a cell in the middle of the board with
//! .213599 (according to an independent program).
//!
//! # Versions
//!
//! 1: the rules above without `ships`; there are always 4 ships.
//! 2: the rules above.

mod board;
mod drawing;
mod reconstruct;
mod sea;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::{
    AdjustableRules, BySeat, Game, Imagine, Payoff, Rule, RulesError, SampleAction, Seat, Turn,
};

pub use self::sea::{
    Cell, Cells, Fleet, MAX_SHIPS, MAX_SIDE, NotACell, Placement, Sea, Ship, TooManyShips,
};

/// The game of Battleship on one of the two [seas](Sea). Strategies have tables for each sea.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Battleship {
    sea: Sea,
    /// Whether sunk ships are announced.
    tells_sunk: bool,
}

impl Battleship {
    /// Returns the game with the sea of the paper, in which sunk ships are not announced.
    pub fn standard() -> Battleship {
        Battleship::on(Sea::Paper)
    }

    /// Returns the game on this sea; sunk ships are not announced.
    pub fn on(sea: Sea) -> Battleship {
        Battleship { sea, tells_sunk: false }
    }

    /// Returns the board and the ships.
    #[inline]
    pub fn sea(&self) -> Sea {
        self.sea
    }

    /// Returns whether sunk ships and their positions are announced.
    pub fn tells_sunk(&self) -> bool {
        self.tells_sunk
    }
}

/// The sunk ships of a fleet, indexed like [`Sea::ship_lengths`]; `None` for ships that are afloat. Among ships of the
/// same length, sunk ships come first, row by row, so that the index does not reveal which of them sank.
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
    /// The cells of each fleet; empty until the fleet is placed.
    fleet_cells: BySeat<Cells>,
    /// The cells each seat has shot at.
    shots: BySeat<Cells>,
    turn: Turn,
}

impl BattleshipState {
    /// Returns the number of shots of a seat.
    pub fn num_shots(&self, seat: Seat) -> usize {
        self.shots[seat].len()
    }
}

/// An action of [`Battleship`]: first each player places their fleet, then they shoot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BattleshipAction {
    /// Places the fleet.
    Place(Fleet),
    /// Shoots at a cell of the opponent's board.
    Shoot(Cell),
}

impl Default for BattleshipAction {
    fn default() -> BattleshipAction {
        BattleshipAction::Shoot(Cell::default())
    }
}

/// The view of a seat in [`Battleship`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BattleshipView<'a> {
    /// The board and the ships.
    pub sea: Sea,
    /// The seat's own fleet; `None` before it is placed.
    pub fleet: Option<&'a Fleet>,
    /// The cells the seat has shot at.
    pub shots: Cells,
    /// The cells of the opponent's ships that the seat has hit.
    pub hits: Cells,
    /// The opponent's ships that the seat has sunk; `None` if sinking is not announced.
    pub sunk: Option<SunkShips>,
    /// The cells the opponent has shot at.
    pub opponent_shots: Cells,
}

/// The reason why an action was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalBattleshipAction {
    /// Shots are not allowed before the fleets are placed.
    #[error("{cell} cannot be shot at: the fleet must be placed first")]
    FleetFirst {
        /// The cell of the shot.
        cell: Cell,
    },
    /// The fleet has already been placed, and cannot move.
    #[error("the fleet lies where it was placed")]
    FleetIsPlaced,
    /// The cell is not on the board.
    #[error("{cell} is not on the board, whose last cell is {last}")]
    NoSuchCell {
        /// The cell of the shot.
        cell: Cell,
        /// The last cell of the board.
        last: Cell,
    },
    /// The fleet has the wrong number of ships for this game.
    #[error("the fleet has {found} ships, but {expected} must be placed")]
    OtherFleet {
        /// The number of ships of the fleet.
        found: usize,
        /// The number of ships required.
        expected: usize,
    },
    /// A ship leaves the board.
    #[error("the ship of {length} cells that starts at {} leaves the board", .ship.end)]
    OffBoard {
        /// The length of the ship, in cells.
        length: usize,
        /// The position of the ship.
        ship: Ship,
    },
    /// Two ships share a cell.
    #[error("two ships lie on {cells}")]
    Crossing {
        /// The cells that a ship shares with earlier ships, in the order of [`Sea::ship_lengths`]. If several ships do
        /// so, the cells of the first of them.
        cells: Cells,
    },
    /// The cell was shot at already.
    #[error("{cell} was shot at before")]
    ShotBefore {
        /// The cell of the shot.
        cell: Cell,
    },
    /// The game is over.
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

    fn check(&self, state: &Self::State, action: &Self::Action) -> Result<(), Self::Illegal> {
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
    fn apply<R: Rng>(&self, state: &mut Self::State, seat: Seat, action: &Self::Action, _: &mut R) {
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

/// Draws a fleet uniformly from all fleets of the sea. All ships are placed at random until none cross; this takes on
/// average 2.1 attempts on the board of the paper, and 2.6 on the board of the commercial game.
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

/// Returns the fleet with these placements, or `None` if two ships cross.
fn disjoint_fleet(sea: Sea, places: &[&Placement]) -> Option<Fleet> {
    let all = places.iter().fold(Cells::NONE, |all, place| all | place.cells);
    (all.len() == sea.fleet_cells()).then(|| {
        let mut ships = [Ship::default(); MAX_SHIPS];
        ships.iter_mut().zip(places).for_each(|(ship, place)| *ship = place.ship);
        Fleet::new(&ships[..places.len()])
    })
}

impl SampleAction for Battleship {
    fn sample_action<R: Rng>(&self, view: &Self::View<'_>, rng: &mut R, action: &mut Self::Action) {
        *action = if view.fleet.is_none() {
            BattleshipAction::Place(sample_fleet(self.sea, rng))
        } else {
            let targets = self.sea.cells().without(view.shots);
            BattleshipAction::Shoot(targets.nth(rng.random_range(0..targets.len())))
        };
    }
}

/// Placements of some of the ships. Together, these ships cover all hits.
#[derive(Debug, Clone, Copy)]
struct Cover {
    /// The placement of each ship; `None` for ships without a placement yet, and for unused indices.
    places: [Option<&'static Placement>; MAX_SHIPS],
    cells: Cells,
    /// The number of ways to place the remaining ships on cells that were not shot at and are not in `cells`. These
    /// ships may cross each other.
    num_completions: u64,
}

/// The number of consecutive draws with crossing ships after which all fleets are listed instead.
const MAX_ATTEMPTS: u32 = 10_000;

/// The hits, misses and sunk ships of a player's fleet, as the opponent knows them.
#[derive(Debug, Clone, Copy)]
struct Answers {
    sea: Sea,
    hits: Cells,
    misses: Cells,
    /// The ships that are sunk; `None` if sinking is not announced.
    sunk: Option<SunkShips>,
}

impl Answers {
    /// Returns the placements of a ship on cells that were not shot at and are not in `cells`.
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

    /// Appends to `covers` all extensions of `cover` that cover all hits. Ships are added only at hits, so a ship
    /// without hits remains without a placement.
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
                // If all cells of this ship had been hit, its sinking would have been announced.
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

    /// Returns all covers of the hits. In each cover, the sunk ships are in their announced positions.
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

    /// Draws a fleet uniformly from the fleets that agree with the answers.
    ///
    /// Such a fleet is a cover of the hits, completed so that no ships cross. Draws a cover in proportion to its number
    /// of completions, then one of its completions uniformly, and repeats both draws while ships cross. If nearly all
    /// draws have crossing ships, few fleets are possible; the fleet is then drawn from the list of all possible
    /// fleets.
    ///
    /// # Panics
    ///
    /// Panics if no fleet agrees with the answers.
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
        let fleets = self.fleets(usize::MAX);
        fleets[rng.random_range(0..fleets.len())]
    }

    /// Returns the fleets that agree with the answers. Stops looking when `most` are found.
    fn fleets(self, most: usize) -> Vec<Fleet> {
        let mut fleets = Vec::new();
        for cover in self.covers() {
            self.list_completions(cover, most, &mut fleets);
        }
        fleets
    }

    /// Appends to `fleets` the fleets that complete a cover with placements of the remaining ships, until there are
    /// `most`.
    fn list_completions(self, cover: Cover, most: usize, fleets: &mut Vec<Fleet>) {
        if fleets.len() >= most {
            return;
        }
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
            self.list_completions(next, most, fleets);
        }
    }
}

impl Imagine for Battleship {
    /// Empty, because the view always shows all shots and answers.
    type Knowledge = ();

    /// Draws the opponent's fleet uniformly from the fleets that agree with the answers. Ignores the evidence in the
    /// opponent's shots.
    fn imagine<R: Rng>(
        &self,
        (): &(),
        seat: Seat,
        view: &BattleshipView<'_>,
        rng: &mut R,
    ) -> BattleshipState {
        let &BattleshipView { sea, fleet: own, shots, hits, sunk, opponent_shots } = view;
        // The first seat places its fleet first, so at each turn of the second seat, the opponent's fleet has been
        // placed.
        let is_placed = own.is_some() || seat == Seat::Second;
        let answers = Answers { sea, hits, misses: shots.without(hits), sunk };
        let other = is_placed.then(|| answers.sample_fleet(rng));
        let fleets = BySeat::seen_by(seat, own.copied(), other);
        BattleshipState {
            fleet_cells: BySeat::from_fn(|of| {
                fleets[of].map_or(Cells::NONE, |fleet| fleet.cells(sea).expect("no ships cross"))
            }),
            fleets,
            shots: BySeat::seen_by(seat, shots, opponent_shots),
            turn: Turn::Act(seat),
        }
    }
}

impl AdjustableRules for Battleship {
    fn rules(&self) -> Vec<Rule> {
        let [fewest, most] = Sea::ALL.map(|sea| sea.num_ships() as u64);
        let ships = Rule::number("ships", self.sea.num_ships() as u64, fewest..=most).meaning(
            "4: of 5, 4, 3 and 2 cells on a board of 9 x 9, as in the paper; 5: of 5, 4, 3, 3 and 2 on \
             10 x 10, as in shops",
        );
        let sunk = Rule::number("sunk", self.tells_sunk, 0..=1)
            .meaning("1: the shooter is told of a ship that is sunk, and where it lies; 0: not");
        vec![ships, sunk]
    }

    fn with_values(&self, values: &[u64]) -> Result<Battleship, RulesError> {
        let is_sea = |sea: &Sea| sea.num_ships() as u64 == values[0];
        let sea = Sea::ALL.into_iter().find(is_sea).expect("other numbers are out of range");
        Ok(Battleship { sea, tells_sunk: values[1] == 1 })
    }
}

#[cfg(test)]
mod tests;
