//! A small real-time strategy game: both players harvest, build, train and fight at the same time.
//!
//! # Rules
//!
//! The board has up to 64 x 64 cells, some of them walls. Each player has units and a stock of resources. Each cell
//! holds at most one unit. An idle unit receives an order and is busy for a number of cycles; then the order takes
//! effect, and the unit is idle again:
//!
//! | unit | cost | hp | damage | range | built in | moves in | attacks in | harvests in | sight | produces |
//! |---|---|---|---|---|---|---|---|---|---|---|
//! | base | 10 | 10 | | | 250 | | | | 5 | worker |
//! | barracks | 5 | 4 | | | 200 | | | | 3 | light, heavy, ranged |
//! | worker | 1 | 1 | 1 | 1 | 50 | 10 | 5 | 20 | 3 | base, barracks |
//! | light | 2 | 4 | 2 | 1 | 80 | 8 | 5 | | 2 | |
//! | heavy | 2 | 4 | 4 | 1 | 120 | 12 | 5 | | 2 | |
//! | ranged | 2 | 1 | 1 | 3 | 100 | 10 | 5 | | 3 | |
//!
//! Mines have no owner and hold resources. A worker takes one resource from an adjacent mine and hands it to an
//! adjacent base; handing over takes as long as a move. A production is paid for when it is completed, and its cost is
//! reserved until then. An attack hits whatever stands on the target cell when the attack lands; a unit that is moving
//! away stands on its old cell until the move is completed. A unit without hp is removed, together with the resources
//! it carries and its current action. Two more [tables of units](UnitTable) are options; with one, damage is random.
//!
//! Both players order their idle units at the same time. At any time, only one unit can be moving to a cell or
//! producing on it, and a resource can be reserved for only one production. If both players want the same cell in the
//! same cycle, both units [wait](Conflicts) for the shorter of the two times. A player wins when the other has no unit
//! left. If both lose their last units in the same cycle, or at the cap, the game is a draw. The usual cap is 3,000
//! cycles; on maps with more than 16 rows or columns it is 5,000 (up to 24), 6,000 (up to 32) or 8,000 cycles.
//!
//! The game is from S. Ontañón, Combinatorial multi-armed bandits for real-time strategy games, Journal of Artificial
//! Intelligence Research 58 (2017), 665-702, whose experiments use the rules above. The paper does not state the order
//! of events and the order of a unit's actions; there, this game follows the program of the paper. Only the behaviour
//! of that program was studied, not its code: the tests replay games that it played
//! (`games/rts/tests/data/rts_vectors.json`).
//!
//! Two deviations are ours: under fog the opponent's stock is hidden (the paper's program shows it), and the evaluation
//! is 0 if neither player has anything.
//!
//! # Turns
//!
//! A turn is a time at which a seat has idle units; the game jumps from one turn to the next. If both seats have idle
//! units, the first seat decides first, and the second seat does not see this decision. By the rule `ask` = 1, both seats
//! have a turn in every cycle, as in the paper's program.
//!
//! # View
//!
//! | item | both players, without fog | with fog |
//! |---|---|---|
//! | walls, their own units, their own stock | see them | see them |
//! | the opponent's units, mines, and current actions | see them | see them within the sight of their own units |
//! | the opponent's stock | see it | do not see it |
//! | the opponent's orders in this cycle | do not see them | do not see them |
//!
//! Units are numbered in the order in which they appeared, hidden units included.
//!
//! # Known values
//!
//! According to the program of the paper and a second program, each player has 10 joint actions at the start on 8x8-1,
//! 129 on 8x8-2, 1,728 on 8x8-3, and 23,649 on 8x8-4. The numbers are the same on the 12 x 12 maps with equally many
//! bases; on 12x12-6 each player has 4,049,782 joint actions.
//!
//! # Versions
//!
//! 1: the rules above.

#![warn(unnameable_types)]

mod arms;
mod board;
mod cycle;
mod drawing;
mod evaluation;
mod factored;
mod imagine;
mod legal;
mod map;
mod map_xml;
mod numbers;
mod orders;
mod playout;
mod saved;
mod situations;
mod size;
mod state;
#[cfg(test)]
mod tests;
mod unit;
mod view;
mod xml_fault;

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::Rng;
use ruse_games::{AdjustableRules, Game, NumActions, Rule, RulesError, SampleAction, Seat, Turn};

pub use self::cycle::Conflicts;
pub use self::evaluation::Evaluation;
pub use self::factored::UnitChoice;
pub use self::imagine::RtsKnowledge;
pub use self::legal::Usage;
pub use self::map::{MAP_NAMES, Map, MapError, StartUnit};
pub use self::orders::{Cell, Direction, MAX_SIDE, NotAnOrder, Order, Orders, UnitAction, WAIT};
pub use self::playout::{Policy, Weights};
pub use self::situations::{SITUATION_NAMES, situation};
pub use self::size::{Array, BoardSize, Entry, LargeBoard, Narrow, SmallBoard};
pub use self::state::RtsState;
pub use self::unit::{Facts, UnitKind, UnitTable};
pub use self::view::{RtsView, SeenUnit};
pub use self::xml_fault::XmlFault;

use self::state::{Code, index_of};

/// Returns the usual cap for a map with this number of rows or columns, in cycles. Up to 16, it is the cap in the
/// experiments of the paper; above, it is the cap in the competitions that are held with the program of the paper.
fn standard_cap(side: u8) -> u16 {
    match side {
        ..=16 => 3_000,
        17..=24 => 5_000,
        25..=32 => 6_000,
        _ => 8_000,
    }
}

/// The name of the rule that limits the number of playouts of parametric searching strategies.
pub const PLAYOUTS: &str = "playouts";

/// The largest cap, in cycles.
const MAX_CAP: u16 = 15_000;

/// The real-time strategy game on a map. `S` is the class of the board.
#[derive(Debug, Clone)]
pub struct Rts<S: BoardSize = SmallBoard> {
    /// The map, with the original resources of its mines.
    map: Arc<Map>,
    /// The index of a built-in map, or the [number](Map::number) of another map.
    map_number: u64,
    start: Arc<RtsState<S>>,
    /// The number of the table of unit data: 1, 2 or 3.
    table_number: u8,
    conflicts: Conflicts,
    evaluation: Evaluation,
    cap: u16,
    /// The resources of each mine at the start; 0 if the map determines them.
    mines: u8,
    has_fog: bool,
    /// Whether both seats have a turn in every cycle, even without idle units.
    asks_every_cycle: bool,
    /// The maximum number of playouts at each decision, for parametric searching strategies. Like a clock, it limits
    /// thinking.
    playouts: u32,
}

impl Rts {
    /// Returns the game on the map 8x8-1, by the rules of the paper.
    pub fn standard() -> Rts {
        Rts::on(Map::built_in(0).expect("the first map"))
    }

    /// Returns the game on a small map, by the rules of the paper.
    ///
    /// # Panics
    ///
    /// Panics if the map has more than 16 rows or columns; [`AnyRts`] is the game on any map.
    pub fn on(map: Map) -> Rts {
        Rts::sized(map)
    }
}

impl<S: BoardSize> Rts<S> {
    /// Returns the game on a map of this class, by the rules of the paper. If the map has more than 16 rows or columns,
    /// the cap grows with the map.
    ///
    /// # Panics
    ///
    /// Panics if the map has more rows or columns than [`MAX_SIDE`](BoardSize::MAX_SIDE).
    pub fn sized(map: Map) -> Rts<S> {
        let side = map.width().max(map.height());
        assert!(usize::from(side) <= S::MAX_SIDE, "{} is too large", map.name());
        let same = |index: &usize| Map::built_in(*index).is_some_and(|built_in| built_in == map);
        let built_in = (0..MAP_NAMES.len()).find(same);
        let map_number = built_in.map_or_else(|| map.number(), |index| index as u64);
        let start = RtsState::start(&map, UnitTable::FIRST);
        Rts {
            map: Arc::new(map),
            map_number,
            start: Arc::new(start),
            table_number: 1,
            conflicts: Conflicts::default(),
            evaluation: Evaluation::default(),
            cap: standard_cap(side),
            mines: 0,
            has_fog: false,
            asks_every_cycle: false,
            playouts: 100,
        }
    }

    /// Returns the maximum number of playouts of 100 cycles at each decision, for parametric searching strategies.
    /// Scripts ignore it.
    pub fn playouts(&self) -> u32 {
        self.playouts
    }

    /// Returns the game in which a seat has a turn only if it has idle units. The courses of games are the same, but their
    /// turns without a choice are left out, so that a search sees farther.
    pub fn when_idle(&self) -> Rts<S> {
        Rts { asks_every_cycle: false, ..self.clone() }
    }

    fn has_own_map(&self) -> bool {
        self.map_number >= MAP_NAMES.len() as u64
    }

    /// Returns the state at the start. The start does not involve chance.
    pub fn start(&self) -> RtsState<S> {
        RtsState::clone(&self.start)
    }

    /// Returns the map, with the original resources of its mines.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Returns the table of costs and abilities of the units.
    #[inline]
    pub fn table(&self) -> &'static UnitTable {
        UnitTable::numbered(self.table_number)
    }

    /// Returns the number of cycles after which the game is a draw.
    #[inline]
    pub fn cap(&self) -> u16 {
        self.cap
    }

    /// Returns the rule by which positions are evaluated.
    #[inline]
    pub fn evaluation(&self) -> Evaluation {
        self.evaluation
    }

    /// Evaluates a position for a seat: the seat's points minus the opponent's points, divided by the sum of both. The
    /// result is from -1 (the opponent has all points) to 1 (the seat has all points).
    pub fn share_of_points(&self, state: &RtsState<S>, evaluation: Evaluation, seat: Seat) -> f64 {
        state.evaluate(self.table(), evaluation, seat)
    }

    /// Returns the number of legal joint actions of a seat. The number is exact if it fits into a `u128`; it is 1 if
    /// none of the seat's units is idle.
    pub fn num_orders(&self, state: &RtsState<S>, seat: Seat) -> NumActions {
        arms::count(state, self.table(), seat)
    }

    /// Gives orders to units of a seat, without checking the turn or the orders. A unit with an impossible order waits
    /// for the duration of the ordered action; orders to units that are not idle are ignored. This method is for
    /// programs that play cycle by cycle, like the program of the paper. They must ask the first seat first, and must
    /// ask both seats about the same state.
    pub fn issue<R: Rng>(&self, state: &mut RtsState<S>, seat: Seat, orders: &Orders, rng: &mut R) {
        for order in &orders.orders {
            let view = self.view_without_fog(state, seat);
            let Some(unit) = view.own_idle(order.unit) else { continue };
            let (table, record) = (self.table(), state.units[unit]);
            let coded = state.coded(record.cell, order.action).unwrap_or((Code(Code::WAIT), WAIT));
            let (code, target) = coded;
            let action = if code.verb() == Code::WAIT || state.is_generated(table, unit, coded) {
                coded
            } else {
                (Code(Code::WAIT), table.duration(record.kind(), code, target))
            };
            state.issue(table, self.conflicts, unit, action, rng);
        }
    }

    /// Plays one cycle, even if units are idle. Returns whose turn it is, or the result of the game. `rng` decides
    /// about the damage of attacks by [table 3](UnitTable::THIRD).
    pub fn play_cycle<R: Rng>(&self, state: &mut RtsState<S>, rng: &mut R) -> Turn {
        let next = state.time + 1;
        state.next_completion(self.table(), next, rng);
        state.conclude(self.cap as i16, self.asks_every_cycle);
        state.turn
    }

    fn view_without_fog<'a>(&self, state: &'a RtsState<S>, seat: Seat) -> RtsView<'a, S> {
        RtsView { state, table: self.table(), seat, cap: self.cap, seen: None }
    }

    /// Carries out the legal orders of a seat. Units without an order wait.
    fn give<R: Rng>(&self, state: &mut RtsState<S>, seat: Seat, orders: &Orders, rng: &mut R) {
        let table = self.table();
        for order in &orders.orders {
            let view = self.view_without_fog(state, seat);
            let Some(unit) = view.own_idle(order.unit) else { continue };
            let coded = state.coded(state.units[unit].cell, order.action);
            if let Some(coded) = coded {
                state.issue(table, self.conflicts, unit, coded, rng);
            }
        }
        for unit in state.idle_units(seat).iter() {
            state.assign(table, unit, Code(Code::WAIT), WAIT);
        }
    }
}

/// The game on a map of any size: the class of the board fits the map.
#[derive(Debug, Clone)]
pub enum AnyRts {
    /// On a map of up to 16 x 16 cells.
    Small(Rts),
    /// On a larger map.
    Large(Rts<LargeBoard>),
}

impl AnyRts {
    /// Returns the game on a map, by the rules of the paper.
    pub fn on(map: Map) -> AnyRts {
        match usize::from(map.width().max(map.height())) <= SmallBoard::MAX_SIDE {
            true => AnyRts::Small(Rts::sized(map)),
            false => AnyRts::Large(Rts::sized(map)),
        }
    }
}

/// The reason why orders were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalOrders {
    /// The cell does not hold an idle unit of the player.
    #[error("no unit of yours that waits for orders stands on {cell}")]
    NoSuchUnit {
        /// The cell in the order.
        cell: Cell,
    },
    /// A unit has two orders.
    #[error("the unit on {cell} has two orders; give it one")]
    Twice {
        /// The cell of the unit.
        cell: Cell,
    },
    /// The unit cannot take this action now.
    #[error("the unit on {cell} cannot do {action} now; it can do {}", listed(.possible))]
    NotPossible {
        /// The cell of the unit.
        cell: Cell,
        /// The action that was ordered.
        action: UnitAction,
        /// The possible actions.
        possible: Vec<UnitAction>,
    },
    /// The cell or the resources are taken by a busy unit or by another order.
    #[error(
        "{action} of the unit on {cell} is not possible: the cell or the {left} free resources are taken"
    )]
    Taken {
        /// The cell of the unit.
        cell: Cell,
        /// The action that was ordered.
        action: UnitAction,
        /// The resources that neither productions in progress nor earlier orders need.
        left: u32,
    },
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

fn listed(actions: &[UnitAction]) -> String {
    actions.iter().map(UnitAction::to_string).collect::<Vec<_>>().join(" ")
}

impl<S: BoardSize> Game for Rts<S> {
    type State = RtsState<S>;
    type Action = Orders;
    type View<'a> = RtsView<'a, S>;
    type Illegal = IllegalOrders;

    #[inline]
    fn deal<R: Rng>(&self, _rng: &mut R) -> RtsState<S> {
        RtsState::clone(&self.start)
    }

    #[inline]
    fn turn(&self, state: &RtsState<S>) -> Turn {
        state.turn
    }

    #[inline]
    fn view<'a>(&self, state: &'a RtsState<S>, seat: Seat) -> RtsView<'a, S> {
        let seen = self.has_fog.then(|| view::seen_by(state, self.table(), seat));
        RtsView { seen, ..self.view_without_fog(state, seat) }
    }

    fn check(&self, state: &RtsState<S>, orders: &Orders) -> Result<(), IllegalOrders> {
        let Turn::Act(seat) = state.turn else { return Err(IllegalOrders::GameOver) };
        let view = self.view_without_fog(state, seat);
        let mut usage = Usage::default();
        usage.begin(state, seat);
        for (index, order) in orders.orders.iter().enumerate() {
            let (cell, action) = (order.unit, order.action);
            let unit = view.own_idle(cell).ok_or(IllegalOrders::NoSuchUnit { cell })?;
            if orders.orders[..index].iter().any(|other| other.unit == cell) {
                return Err(IllegalOrders::Twice { cell });
            }
            let coded = state.coded(state.units[unit].cell, action);
            let coded = coded.filter(|&coded| state.is_generated(self.table(), unit, coded));
            let not_possible =
                || IllegalOrders::NotPossible { cell, action, possible: view.actions(cell) };
            let coded = coded.ok_or_else(not_possible)?;
            if !usage.admits(self.table(), coded) {
                let left = usage.stock_left();
                return Err(IllegalOrders::Taken { cell, action, left });
            }
            usage.fix(self.table(), coded);
        }
        Ok(())
    }

    #[inline]
    fn apply<R: Rng>(&self, state: &mut RtsState<S>, seat: Seat, orders: &Orders, rng: &mut R) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, orders), Ok(()), "a strategy broke the rules");
        let asks_second = self.asks_every_cycle || !state.idle_units(Seat::Second).is_empty();
        if seat == Seat::First && asks_second {
            for order in &orders.orders {
                let unit = self.view_without_fog(state, seat).own_idle(order.unit);
                let coded = unit.and_then(|unit| state.coded(state.units[unit].cell, order.action));
                if let (Some(unit), Some(coded)) = (unit, coded) {
                    state.note(unit, coded);
                }
            }
            state.first_chose = true;
            state.turn = Turn::Act(Seat::Second);
            return;
        }
        if !self.asks_every_cycle || state.is_anybody_idle() {
            state.ordered_at = state.time;
        }
        state.commit_first(self.table());
        self.give(state, seat, orders, rng);
        if self.asks_every_cycle {
            self.play_cycle(state, rng);
        } else {
            state.advance(self.table(), self.cap as i16, rng);
        }
    }
}

/// The policy Random of the paper: the idle units draw in turn, uniformly from the actions still allowed.
impl<S: BoardSize> SampleAction for Rts<S> {
    fn sample_action<R: Rng>(&self, view: &RtsView<'_, S>, rng: &mut R, orders: &mut Orders) {
        view.random_orders(rng, orders);
    }
}

impl<S: BoardSize> AdjustableRules for Rts<S> {
    const IMPLIED: &'static [(&'static str, u64)] = &[("ask", 0)];

    fn rules(&self) -> Vec<Rule> {
        let (maps, range) = if self.has_own_map() {
            (
                format!("stands for what is on the map {}", self.map.name()),
                self.map_number..=self.map_number,
            )
        } else {
            let maps = MAP_NAMES.iter().enumerate().map(|(index, name)| format!("{index} {name}"));
            (
                format!("map: {}", maps.collect::<Vec<_>>().join(", ")),
                0..=MAP_NAMES.len() as u64 - 1,
            )
        };
        vec![
            Rule::new("map", maps, self.map_number, range),
            Rule::number("cap", self.cap, 10..=MAX_CAP.into())
                .meaning("cycles after which the game is a draw"),
            Rule::number("mines", self.mines, 0..=200)
                .meaning("resources in each mine; 0 for those of the map"),
            Rule::number("units", self.table_number, 1..=3)
                .meaning("table of units, 1 or 2; 3 is 2 with random damage"),
            Rule::number("conflicts", self.conflicts as u64, 0..=2).meaning(
                "when both want a cell: 0 both wait, 1 one waits, in turn, 2 one waits, \
                 by chance",
            ),
            Rule::number("evaluation", self.evaluation as u64, 0..=2).meaning(
                "a wounded unit counts by the root of its health (0), not at all (1), or \
                 by the root of its hp (2)",
            ),
            Rule::new("fog", "1 if a player sees only what is near its units", self.has_fog, 0..=1),
            Rule::number("ask", self.asks_every_cycle, 0..=1).meaning(
                "0 when a player has idle units, 1 in every cycle, like the paper's \
                 program",
            ),
            Rule::number(PLAYOUTS, self.playouts, 1..=1_000_000)
                .meaning("playouts of 100 cycles that a tuned search makes for a decision"),
        ]
    }

    /// Returns the number of a map that is given by name, such as `12x12-1`.
    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        let names: &[&str] = match rule {
            "map" if !self.has_own_map() => &MAP_NAMES,
            "conflicts" => &["cancel-both", "alternate", "random"],
            "evaluation" => &["ratio", "step", "legacy"],
            "ask" => &["when-idle", "every-cycle"],
            _ => return None,
        };
        names.iter().position(|&name| name == text).map(|index| index as u64)
    }

    fn check_changes(&self, changes: &BTreeMap<String, u64>) -> Result<(), RulesError> {
        if let Some(number) = changes.get("map").filter(|&&number| number != self.map_number)
            && self.has_own_map()
        {
            let reason = format!(
                "the rule `map` is {number}, and stands for another map than {}, which is {}; leave the rule out, or take the map that it was",
                self.map.name(),
                self.map_number
            );
            return Err(RulesError::Inconsistent { reason });
        }
        Ok(())
    }

    fn with_values(&self, values: &[u64]) -> Result<Rts<S>, RulesError> {
        let &[map_number, cap, mines, units, conflicts, evaluation, fog, ask, playouts] = values
        else {
            unreachable!("as many as in the list above");
        };
        let built_in =
            (map_number != self.map_number).then(|| Map::built_in(map_number as usize)).flatten();
        let map = built_in.map_or_else(|| self.map.clone(), Arc::new);
        let table_number = units as u8;
        let table = UnitTable::numbered(table_number);
        let mut start = match mines {
            0 => RtsState::start(&map, table),
            _ => RtsState::start(&map.with_mines(mines as u8), table),
        };
        start.set_turn(ask == 1);
        Ok(Rts {
            map,
            map_number,
            start: Arc::new(start),
            table_number,
            conflicts: match conflicts {
                0 => Conflicts::CancelBoth,
                1 => Conflicts::Alternate,
                _ => Conflicts::Random,
            },
            evaluation: match evaluation {
                0 => Evaluation::Ratio,
                1 => Evaluation::Step,
                _ => Evaluation::Legacy,
            },
            cap: cap as u16,
            mines: mines as u8,
            has_fog: fog == 1,
            asks_every_cycle: ask == 1,
            playouts: playouts as u32,
        })
    }
}

impl<S: BoardSize> RtsState<S> {
    /// Returns the number of cycles since the start.
    pub fn time(&self) -> u32 {
        self.time as u32
    }

    /// Returns the resources of a seat, including the costs of productions in progress.
    pub fn stock_of(&self, seat: Seat) -> u32 {
        self.stock[index_of(seat)]
    }

    /// Returns the number of units of a seat.
    pub fn num_units_of(&self, seat: Seat) -> usize {
        usize::from(self.num_own[index_of(seat)])
    }
}
