//! Programs: ordered lists of rules, which people can read and write.
//!
//! A line names the units that it is for, up to two conditions, and an order. The lines are tried in order. Each idle
//! unit to which a line applies, whose conditions hold and for which the order is possible gets this order; the other
//! units go on to the next line. So a line takes cells and resources before the lines below it. Below the last line
//! are the lines of [`LIGHT_RUSH`].
//!
//! These are the decision lists of Rivest (*Learning decision lists*, Machine Learning 2, 1987). Each number of a
//! strategy's parameters is a [gene](ruse_strategies::programs), and 0 is the gene of a line that is left out, so the program whose
//! parameters are all 0 is the light rush.

mod line;
mod text;

use std::sync::LazyLock;

use rand::Rng;
use ruse_games::Seat;
use ruse_rts::{BoardSize, Direction, Orders, Rts, RtsView, SeenUnit, UnitAction, UnitKind};
use ruse_search::{
    CopyMemory, Parameter, ParameterError, ParameterGroup, ParameterSpace, ParametricStrategy,
    Strategy, keep_buffers,
};
use ruse_strategies::check_parameters;

use self::line::{
    Command, GENES_PER_LINE, Group, Instruction, Landmark, NUM_LINES, Quantity, parts_of_line,
};
use super::decision::Decision;
use super::path::PathFinder;
use super::surroundings::{empty, nearest};

/// The number of parameters.
pub const NUM_PROGRAM_PARAMETERS: usize = NUM_LINES * GENES_PER_LINE;

/// The program that units follow for which no line fits.
pub(super) const LIGHT_RUSH: &str = "base: if workers < 1 train worker
barracks: train light
worker: if bases < 1 build base
worker: if barracks < 1 build barracks
worker: if bases >= 1 harvest
any: attack the nearest enemy";

/// The lines of [`LIGHT_RUSH`].
static LAST_LINES: LazyLock<Vec<Instruction>> =
    LazyLock::new(|| text::parse(LIGHT_RUSH).expect("a program"));

/// A program of the real-time strategy game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RtsProgram {
    /// The lines; those left out come last.
    lines: [Option<Instruction>; NUM_LINES],
}

/// Buffers of an [`RtsProgram`].
#[derive(Debug, Default)]
pub struct RtsProgramMemory {
    units: Vec<SeenUnit>,
    /// The units that no line has fitted so far.
    idle: Vec<SeenUnit>,
    paths: PathFinder,
}

impl RtsProgramMemory {
    /// Forgets the last game, and reserves memory for the largest number of units on a small board, so that nothing is
    /// allocated there after the first game.
    pub(super) fn clear(&mut self) {
        empty(&mut self.units);
        empty(&mut self.idle);
        self.paths.reserve();
    }
}

/// The numbers of the units of a seat, by kind, with units in production.
#[derive(Debug, Clone, Copy, Default)]
struct Census([u32; UnitKind::ALL.len()]);

impl Census {
    fn of<'a>(units: impl Iterator<Item = &'a SeenUnit>) -> Census {
        let mut census = Census::default();
        for unit in units {
            census.0[unit.kind as usize] += 1;
            if let Some((UnitAction::Produce(_, kind), _)) = unit.doing {
                census.0[kind as usize] += 1;
            }
        }
        census
    }

    fn count(&self, group: Group) -> u32 {
        let kinds = UnitKind::ALL.into_iter().filter(|&kind| group.contains(kind));
        kinds.map(|kind| self.0[kind as usize]).sum()
    }
}

/// A decision with the numbers that conditions compare.
struct Situation<'a, 'b, S: BoardSize> {
    decision: Decision<'a, 'b, S>,
    own: Census,
    enemies: Census,
    /// The share of the cap that has passed, in percent.
    time: u32,
}

impl<S: BoardSize> Situation<'_, '_, S> {
    /// Returns the nearest other unit of a kind.
    fn nearest(&self, unit: &SeenUnit, landmark: Landmark) -> Option<SeenUnit> {
        let decision = &self.decision;
        nearest(decision.units, unit.cell, |other| match landmark {
            Landmark::Mine => other.kind == UnitKind::Mine,
            Landmark::Own(group) => {
                decision.is_own(other) && group.contains(other.kind) && other.id != unit.id
            }
            Landmark::Enemy(group) => decision.is_enemy(other) && group.contains(other.kind),
        })
    }

    fn value(&self, unit: &SeenUnit, quantity: Quantity) -> u32 {
        let decision = &self.decision;
        let count = |fits: &dyn Fn(&SeenUnit) -> bool| {
            decision.units.iter().filter(|other| fits(other)).count() as u32
        };
        match quantity {
            Quantity::Own(group) => self.own.count(group),
            Quantity::Enemy(group) => self.enemies.count(group),
            Quantity::Mines => count(&|other| other.kind == UnitKind::Mine),
            Quantity::Resources => decision.left(),
            Quantity::EnemyResources => decision.view.other_stock().unwrap_or(0),
            Quantity::Distance(landmark) => {
                let found = self.nearest(unit, landmark);
                found.map_or(u32::MAX, |other| other.cell.steps_to(unit.cell))
            }
            Quantity::Health => unit.hp.into(),
            Quantity::Load => unit.carried.into(),
            Quantity::Older => count(&|other| {
                other.owner == unit.owner && other.kind == unit.kind && other.id < unit.id
            }),
            Quantity::FreeSides => {
                let cells = Direction::ALL.into_iter().filter_map(|side| unit.cell.neighbour(side));
                cells.filter(|&cell| decision.is_open(cell)).count() as u32
            }
            Quantity::Time => self.time,
        }
    }

    /// Gives a unit the order of a line, if the line fits. Returns whether it does.
    fn follow(&mut self, line: &Instruction, unit: &SeenUnit) -> bool {
        line.group.contains(unit.kind)
            && line
                .conditions
                .iter()
                .flatten()
                .all(|condition| condition.holds(self.value(unit, condition.quantity)))
            && self.carry_out(line.command, unit)
    }

    /// Gives a unit an order, if it is possible. Returns whether it is. A unit that has a goal and cannot move towards
    /// it now waits.
    fn carry_out(&mut self, command: Command, unit: &SeenUnit) -> bool {
        let (view, is_worker) = (self.decision.view, unit.kind == UnitKind::Worker);
        let facts = view.facts(unit.kind);
        let towards = |decision: &mut Decision<'_, '_, S>, goal: &SeenUnit, range: u32| {
            if let Some(step) = decision.step(unit, goal.cell, range) {
                decision.tell(unit, UnitAction::Move(step));
            }
            true
        };
        match command {
            Command::Harvest | Command::Return => {
                let is_possible = is_worker && (command == Command::Harvest || unit.carried > 0);
                if !is_possible || self.decision.harvest_goal(unit).is_none() {
                    return false;
                }
                if let Some(action) = self.decision.harvest(unit) {
                    self.decision.tell(unit, action);
                }
                true
            }
            Command::Build(kind) => {
                if !is_worker || self.decision.left() < self.decision.cost(kind) {
                    return false;
                }
                let site = self.decision.site(unit, kind);
                let is_told = site.is_some_and(|(_, side)| {
                    self.decision.tell(unit, UnitAction::Produce(side, kind))
                });
                self.own.0[kind as usize] += u32::from(is_told);
                is_told
            }
            Command::Train(kind) => {
                let is_told = facts.produces.contains(&kind) && self.decision.train(unit, kind);
                self.own.0[kind as usize] += u32::from(is_told);
                is_told
            }
            Command::Strike => {
                let attack = self.decision.at_once(unit);
                attack.is_some_and(|attack| self.decision.tell(unit, attack))
            }
            Command::Attack(group) => {
                let target = self.nearest(unit, Landmark::Enemy(group));
                let Some(target) = target.filter(|_| facts.damage > 0) else { return false };
                let range = u32::from(facts.range);
                if unit.cell.distance_squared(target.cell) <= range * range {
                    return self.decision.tell(unit, UnitAction::Attack(target.cell));
                }
                towards(&mut self.decision, &target, range)
            }
            Command::MoveTo(landmark) => {
                let goal = self.nearest(unit, landmark).filter(|_| facts.move_time > 0);
                let goal = goal.filter(|goal| unit.cell.distance_squared(goal.cell) > 4);
                goal.is_some_and(|goal| towards(&mut self.decision, &goal, 2))
            }
            Command::MoveFrom(group) => {
                let enemy = self.nearest(unit, Landmark::Enemy(group));
                let Some(enemy) = enemy.filter(|_| facts.move_time > 0) else { return false };
                let steps = unit.cell.steps_to(enemy.cell);
                let away = Direction::ALL.into_iter().find(|&direction| {
                    unit.cell.neighbour(direction).is_some_and(|cell| {
                        cell.steps_to(enemy.cell) > steps && self.decision.is_open(cell)
                    })
                });
                away.is_some_and(|away| self.decision.tell(unit, UnitAction::Move(away)))
            }
            Command::Wait => true,
        }
    }
}

impl<S: BoardSize> Strategy<Rts<S>> for RtsProgram {
    type Memory = RtsProgramMemory;

    const COPY: CopyMemory<RtsProgramMemory> = keep_buffers;

    #[inline]
    fn begin(&self, memory: &mut RtsProgramMemory, _seat: Seat) {
        memory.clear();
    }

    fn act<R: Rng>(
        &self,
        memory: &mut RtsProgramMemory,
        view: RtsView<'_, S>,
        _rng: &mut R,
        orders: &mut Orders,
    ) {
        orders.clear();
        let RtsProgramMemory { units, idle, paths } = memory;
        units.clear();
        units.extend(view.units());
        let seat = view.seat();
        let of = |seat| units.iter().filter(move |unit| unit.owner == Some(seat));
        let (own, enemies) = (Census::of(of(seat)), Census::of(of(seat.other())));
        idle.clear();
        idle.extend(of(seat).filter(|unit| unit.doing.is_none()));
        let time = 100 * view.time() / u32::from(view.cap());
        let decision = Decision::new(&view, units, paths, orders);
        let mut situation = Situation { decision, own, enemies, time };
        for line in self.lines.iter().flatten().chain(LAST_LINES.iter()) {
            if idle.is_empty() {
                break;
            }
            idle.retain(|unit| !situation.follow(line, unit));
        }
    }
}

impl RtsProgram {
    /// Returns the parameters of the program with this text, or a description of the first mistake with its place.
    ///
    /// ```
    /// use ruse_strategies_rts::RtsProgram;
    ///
    /// let theta = RtsProgram::parse("barracks: train heavy").expect("a program");
    /// assert_eq!(theta.len(), ruse_strategies_rts::NUM_PROGRAM_PARAMETERS);
    /// let mistake = RtsProgram::parse("knight: wait").unwrap_err();
    /// assert!(mistake.starts_with("line 1: there is no unit `knight`; the units are any, base"));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the first line that is not valid.
    pub fn parse(text: &str) -> Result<Vec<f64>, String> {
        text::parse(text).map(|lines| RtsProgram::genes(&lines))
    }

    fn genes<'a>(lines: impl IntoIterator<Item = &'a Instruction>) -> Vec<f64> {
        let mut theta: Vec<f64> = lines.into_iter().flat_map(Instruction::genes).collect();
        theta.resize(NUM_PROGRAM_PARAMETERS, 0.0);
        theta
    }

    /// Returns parameters of the program: `[NUM_PROGRAM_PARAMETERS]`.
    pub fn parameters(&self) -> Vec<f64> {
        RtsProgram::genes(self.lines.iter().flatten())
    }

    /// Returns the text of the program.
    pub fn words(&self) -> String {
        text::program(self.lines.iter().flatten())
    }

    /// Returns the program with this text.
    ///
    /// # Panics
    ///
    /// Panics if the text is not a program.
    pub(super) fn of(text: &str) -> RtsProgram {
        let theta = RtsProgram::parse(text).unwrap_or_else(|mistake| panic!("{mistake}"));
        RtsProgram { lines: RtsProgram::lines(&theta) }
    }

    fn lines(theta: &[f64]) -> [Option<Instruction>; NUM_LINES] {
        let mut found = theta.chunks_exact(GENES_PER_LINE).filter_map(Instruction::from_genes);
        std::array::from_fn(|_| found.next())
    }
}

impl<S: BoardSize> ParametricStrategy<Rts<S>> for RtsProgram {
    fn space(_: &Rts<S>) -> ParameterSpace {
        let (mut parameters, mut groups) = (Vec::new(), Vec::new());
        for line in 1..=NUM_LINES {
            let first = parameters.len();
            parameters.extend(parts_of_line().into_iter().map(|(part, meaning)| {
                Parameter::new(format!("line-{line}-{part}"), format!("line {line}: {meaning}"))
            }));
            let members = (first..parameters.len()).collect();
            groups.push(ParameterGroup { name: format!("line-{line}").into(), members });
        }
        ParameterSpace::new(parameters).with_groups(groups)
    }

    /// Compares the lines: genes of lines and conditions that are left out have no effect.
    fn plays_alike(_: &Rts<S>, a: &[f64], b: &[f64]) -> bool {
        a == b || (a.len() == b.len() && RtsProgram::lines(a) == RtsProgram::lines(b))
    }

    fn from_parameters(game: &Rts<S>, theta: &[f64]) -> Result<RtsProgram, ParameterError> {
        let space = || <Self as ParametricStrategy<Rts<S>>>::space(game);
        check_parameters(theta, NUM_PROGRAM_PARAMETERS, space)?;
        Ok(RtsProgram { lines: RtsProgram::lines(theta) })
    }
}

#[cfg(test)]
mod tests;
