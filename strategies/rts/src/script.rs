//! A script with numeric parameters: how many workers, what to train, when to attack.
//!
//! The script makes a new decision whenever one of its units is idle, and remembers only whether it is attacking. The
//! parameters are our own; rushes and slower plans are points of the same space:
//!
//! - The first workers on the list harvest. The other workers and the soldiers are the fighters.
//! - Bases train workers and barracks train soldiers, as far as the stock allows. While barracks are wanted, their cost
//!   is kept in stock, and only the rest is spent on workers. The first few workers are trained without this
//!   restriction.
//! - The script attacks when it has enough fighters, if they are strong enough, and retreats when they become too weak.
//!   Strength is measured in resources.
//! - Fighters that are not attacking fight enemies near home, and otherwise stay near a building.

use rand::Rng;
use ruse_games::Seat;
use ruse_rts::{BoardSize, Orders, Rts, RtsView, SeenUnit, UnitAction, UnitKind};
use ruse_search::{
    CopyMemory, Parameter, ParameterError, ParameterSpace, ParametricStrategy, Strategy,
};
use ruse_strategies::check_parameters;

use super::decision::{Decision, is_building};
use super::path::PathFinder;
use super::surroundings::{empty, nearest};

/// The kinds of soldiers, in the order of their parameters.
pub(super) const SOLDIERS: [UnitKind; 3] = [UnitKind::Light, UnitKind::Heavy, UnitKind::Ranged];

/// The name and the meaning of each parameter.
const PARAMETERS: [(&str, &str); 12] = [
    ("harvesters", "workers that harvest: 2 + 2 theta, rounded, at least 0"),
    ("workers", "workers that are trained, in all: 4 + 3 theta, rounded, at least 1"),
    ("first", "workers that come before barracks: 2 + theta, rounded, at least 1"),
    ("barracks", "barracks that are built: 1 + theta, rounded, at least 0"),
    ("light", "how many light soldiers there are for others: in proportion to e^theta"),
    ("heavy", "how many heavy soldiers there are for others: in proportion to e^theta"),
    ("ranged", "how many ranged soldiers there are for others: in proportion to e^theta"),
    ("army", "fighters with which an attack begins: 3 + 2 theta, rounded, at least 1"),
    ("boldness", "attacks against up to 2 e^theta times its own strength"),
    ("guard", "steps from home within which enemies are fought: 4 + 2 theta, at least 0"),
    ("prey-workers", "steps by which enemy workers seem nearer to an attack: 2 theta"),
    ("prey-buildings", "steps by which enemy buildings seem nearer to an attack: 2 theta"),
];

/// The number of parameters.
pub const NUM_SCRIPT_PARAMETERS: usize = PARAMETERS.len();

/// A script of the real-time strategy game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Script {
    /// The number of workers that harvest, if there are enough workers.
    pub num_harvesters: usize,
    /// The script trains workers up to this number.
    pub num_workers: usize,
    /// The number of workers to train before saving for barracks.
    pub num_first_workers: usize,
    /// The script builds barracks up to this number.
    pub num_barracks: usize,
    /// The proportions of light, heavy and ranged soldiers, all positive.
    pub shares: [f64; 3],
    /// The number of fighters that begins an attack.
    pub army: usize,
    /// The largest strength of the enemies at which the script attacks, relative to its own strength.
    pub boldness: f64,
    /// The script always fights enemies within this number of steps of its buildings and harvesters.
    pub guard: u32,
    /// The number of steps by which enemy workers, and enemy buildings, seem nearer than they are.
    pub preys: [f64; 2],
}

/// Returns `start` + `scale` x `theta`, rounded, but not less than `least`. The cast saturates.
fn rounded(start: f64, scale: f64, theta: f64, least: usize) -> usize {
    ((start + scale * theta).round() as usize).max(least)
}

impl Script {
    fn of(theta: &[f64; NUM_SCRIPT_PARAMETERS]) -> Script {
        // Shares and boldness stay positive and finite for all parameters.
        let power = |theta: f64| libm::exp(theta.clamp(-30.0, 30.0));
        Script {
            num_harvesters: rounded(2.0, 2.0, theta[0], 0),
            num_workers: rounded(4.0, 3.0, theta[1], 1),
            num_first_workers: rounded(2.0, 1.0, theta[2], 1),
            num_barracks: rounded(1.0, 1.0, theta[3], 0),
            shares: [theta[4], theta[5], theta[6]].map(power),
            army: rounded(3.0, 2.0, theta[7], 1),
            boldness: 2.0 * power(theta[8]),
            guard: rounded(4.0, 2.0, theta[9], 0).min(64) as u32,
            preys: [theta[10], theta[11]].map(|theta| 2.0 * theta),
        }
    }
}

/// The memory of a script, and its buffers.
#[derive(Debug, Default)]
pub struct ScriptMemory {
    is_attacking: bool,
    units: Vec<SeenUnit>,
    /// The numbers of the workers that harvest.
    harvesters: Vec<u16>,
    paths: PathFinder,
}

impl<S: BoardSize> Strategy<Rts<S>> for Script {
    type Memory = ScriptMemory;

    const COPY: CopyMemory<ScriptMemory> = |from, to| {
        to.is_attacking = from.is_attacking;
        to.harvesters.clone_from(&from.harvesters);
        true
    };

    #[inline]
    fn begin(&self, memory: &mut ScriptMemory, _seat: Seat) {
        memory.is_attacking = false;
        // Reserves the largest size on a small board, so that nothing is allocated there after the first game.
        empty(&mut memory.units);
        empty(&mut memory.harvesters);
        memory.paths.reserve();
    }

    fn act<R: Rng>(
        &self,
        memory: &mut ScriptMemory,
        view: RtsView<'_, S>,
        _rng: &mut R,
        orders: &mut Orders,
    ) {
        orders.clear();
        memory.units.clear();
        memory.units.extend(view.units());
        self.split_workers(memory, &view);
        self.choose_stance(memory, &view);
        let ScriptMemory { is_attacking, units, harvesters, paths } = memory;
        let mut plan = Plan {
            script: self,
            harvesters,
            is_attacking: *is_attacking,
            decision: Decision::new(&view, units, paths, orders),
        };
        plan.make();
    }
}

pub(super) fn is_soldier(unit: &SeenUnit) -> bool {
    SOLDIERS.contains(&unit.kind)
}

impl Script {
    fn split_workers<S: BoardSize>(&self, memory: &mut ScriptMemory, view: &RtsView<'_, S>) {
        let own = Some(view.seat());
        let has_base = memory.units.iter().any(|u| u.owner == own && u.kind == UnitKind::Base);
        let has_mine = memory.units.iter().any(|unit| unit.kind == UnitKind::Mine);
        let workers = memory.units.iter().filter(|u| u.owner == own && u.kind == UnitKind::Worker);
        memory.harvesters.clear();
        // Without a mine there is nothing to harvest; without a base some worker may have to build one.
        if has_mine || !has_base {
            memory.harvesters.extend(workers.take(self.num_harvesters).map(|worker| worker.id));
        }
    }

    fn choose_stance<S: BoardSize>(&self, memory: &mut ScriptMemory, view: &RtsView<'_, S>) {
        let own = view.seat();
        let fights = |unit: &&SeenUnit| view.facts(unit.kind).damage > 0;
        let is_fighter =
            |unit: &&SeenUnit| unit.owner == Some(own) && !memory.harvesters.contains(&unit.id);
        let strength = |units: &mut dyn Iterator<Item = &SeenUnit>| -> f64 {
            units.map(|unit| f64::from(view.facts(unit.kind).cost)).sum()
        };
        let fighters = || memory.units.iter().filter(fights).filter(is_fighter);
        let is_enemy = |unit: &&SeenUnit| unit.owner == Some(own.other());
        let enemies = strength(&mut memory.units.iter().filter(fights).filter(is_enemy));
        let is_bold = enemies <= self.boldness * strength(&mut fighters());
        let is_ready = memory.is_attacking || fighters().count() >= self.army;
        memory.is_attacking = is_bold && is_ready;
    }
}

/// The script with its stance in one decision.
struct Plan<'a, 'b, S: BoardSize> {
    script: &'a Script,
    harvesters: &'a [u16],
    is_attacking: bool,
    decision: Decision<'a, 'b, S>,
}

impl<S: BoardSize> Plan<'_, '_, S> {
    fn make(&mut self) {
        let units = self.decision.units;
        let own = Some(self.decision.view.seat());
        let idle = move |unit: &&SeenUnit| unit.owner == own && unit.doing.is_none();
        let of = move |kind: UnitKind| units.iter().filter(idle).filter(move |u| u.kind == kind);
        let builder = self.builder();
        if let Some((worker, action)) = builder {
            self.decision.tell(&worker, action);
        }
        for barracks in of(UnitKind::Barracks) {
            self.train_soldier(barracks);
        }
        for base in of(UnitKind::Base) {
            self.train_worker(base);
        }
        for unit in units.iter().filter(idle).filter(|unit| !is_building(unit)) {
            if builder.is_some_and(|(worker, _)| worker.id == unit.id) {
                continue;
            }
            let action = self.decision.at_once(unit).or_else(|| {
                let harvests = self.harvesters.contains(&unit.id) || unit.carried > 0;
                let action = if harvests { self.decision.harvest(unit) } else { None };
                action.or_else(|| self.fight(unit))
            });
            if let Some(action) = action {
                self.decision.tell(unit, action);
            }
        }
    }

    /// Returns the building that is missing most urgently: a base, or barracks once there are enough workers.
    fn missing(&self) -> Option<UnitKind> {
        let decision = &self.decision;
        let has_mine = decision.units.iter().any(|unit| unit.kind == UnitKind::Mine);
        if decision.count(UnitKind::Base) == 0 && has_mine {
            Some(UnitKind::Base)
        } else if decision.count(UnitKind::Barracks) < self.script.num_barracks
            && decision.count(UnitKind::Worker) >= self.script.num_first_workers
        {
            Some(UnitKind::Barracks)
        } else {
            None
        }
    }

    /// Returns an idle worker that carries nothing, and its order to build the missing building.
    fn builder(&self) -> Option<(SeenUnit, UnitAction)> {
        let kind = self.missing()?;
        let decision = &self.decision;
        if decision.left() < decision.cost(kind) {
            return None;
        }
        let can_build = |unit: &&SeenUnit| {
            decision.is_own(unit)
                && unit.kind == UnitKind::Worker
                && unit.doing.is_none()
                && unit.carried == 0
        };
        let sites = decision.units.iter().filter(can_build).filter_map(|worker| {
            let (worth, direction) = decision.site(worker, kind)?;
            Some((worth, *worker, direction))
        });
        // Among equally good workers, the last on the list builds, because the first workers on the list harvest.
        let best = sites.max_by_key(|(worth, ..)| *worth);
        best.map(|(_, worker, direction)| (worker, UnitAction::Produce(direction, kind)))
    }

    fn train_worker(&mut self, base: &SeenUnit) {
        let decision = &self.decision;
        let num_workers = decision.count(UnitKind::Worker) + decision.num_ordered(UnitKind::Worker);
        let saved = match self.missing() {
            Some(kind) if num_workers >= self.script.num_first_workers => decision.cost(kind),
            _ => 0,
        };
        if num_workers < self.script.num_workers
            && decision.left() >= decision.cost(UnitKind::Worker) + saved
        {
            self.decision.train(base, UnitKind::Worker);
        }
    }

    /// Trains the kind of soldier that is rarest in proportion to its share.
    fn train_soldier(&mut self, barracks: &SeenUnit) {
        let lacking = |index: usize| {
            let kind = SOLDIERS[index];
            let number = self.decision.count(kind) + self.decision.num_ordered(kind);
            (number as f64 + 1.0) / self.script.shares[index]
        };
        let kinds = [lacking(0), lacking(1), lacking(2)];
        let index = (0..3).min_by(|&a, &b| kinds[a].total_cmp(&kinds[b])).unwrap_or(0);
        self.decision.train(barracks, SOLDIERS[index]);
    }

    /// Returns the step of a fighter: in an attack, towards the enemy that seems nearest; otherwise towards an enemy
    /// near home, or towards home.
    fn fight(&mut self, unit: &SeenUnit) -> Option<UnitAction> {
        let guard = self.script.guard;
        let decision = &mut self.decision;
        let units = decision.units;
        let is_home = |other: &SeenUnit| {
            decision.is_own(other) && (is_building(other) || self.harvesters.contains(&other.id))
        };
        let is_near_home = |enemy: &SeenUnit| {
            let home = nearest(units, enemy.cell, is_home);
            home.is_none_or(|home| home.cell.steps_to(enemy.cell) <= guard)
        };
        let seems = |enemy: &SeenUnit| {
            let nearer = match enemy.kind {
                _ if !self.is_attacking || is_soldier(enemy) => 0.0,
                UnitKind::Worker => self.script.preys[0],
                _ => self.script.preys[1],
            };
            f64::from(enemy.cell.steps_to(unit.cell)) - nearer
        };
        let enemies = units.iter().filter(|other| decision.is_enemy(other));
        let worth = enemies.filter(|enemy| self.is_attacking || is_near_home(enemy));
        let goal = worth.min_by(|a, b| seems(a).total_cmp(&seems(b)));
        if let Some(goal) = goal.copied() {
            let range = u32::from(decision.view.facts(unit.kind).range);
            return decision.step(unit, goal.cell, range).map(UnitAction::Move);
        }
        let home = nearest(units, unit.cell, is_home)?;
        // Keeps out of the way of the workers at home.
        if home.cell.steps_to(unit.cell) <= guard.max(2) {
            return None;
        }
        decision.step(unit, home.cell, 2).map(UnitAction::Move)
    }
}

impl<S: BoardSize> ParametricStrategy<Rts<S>> for Script {
    fn space(_: &Rts<S>) -> ParameterSpace {
        let parameters = PARAMETERS.map(|(name, meaning)| Parameter::new(name, meaning));
        ParameterSpace::new(parameters.to_vec())
    }

    fn from_parameters(game: &Rts<S>, theta: &[f64]) -> Result<Script, ParameterError> {
        let space = || <Self as ParametricStrategy<Rts<S>>>::space(game);
        check_parameters(theta, NUM_SCRIPT_PARAMETERS, space)?;
        Ok(Script::of(theta.try_into().expect("the length was checked")))
    }
}

#[cfg(test)]
mod tests;
