//! Scripts that attack as soon as they can.

use ruse_games::Seat;
use ruse_rts::{BoardSize, Cell, Orders, RtsView, SeenUnit, UnitAction, UnitKind, WAIT};

use super::decision::Decision;
use super::path::{CellSet, PathFinder};
use super::script::is_soldier;
use super::surroundings::{best_side, cell_taken, direction_to, empty, is_free, nearest};

/// A script that attacks with units of one kind, from the first unit on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rush {
    /// Trains workers all the time: one harvests, and all others attack.
    Workers,
    /// Builds barracks and trains soldiers of one kind all the time. The soldiers attack; the workers build and
    /// harvest.
    Soldiers(UnitKind),
}

/// A task of a unit, kept until it is done or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnitTask {
    /// Attack a unit until it is gone.
    Attack(u16),
    /// Carry resources from a mine to a base. Without a mine, the task ends with the delivery.
    Harvest { mine: Option<u16>, base: u16 },
    /// Produce a building on a cell.
    Build(UnitKind, Cell),
    /// Produce one unit beside the building.
    Train { kind: UnitKind, is_done: bool },
}

/// The memory of a script, and its buffers.
#[derive(Debug, Default)]
pub struct RushMemory {
    /// The tasks, each with the number of its unit, in the order in which the units got their first tasks.
    tasks: Vec<(u16, UnitTask)>,
    units: Vec<SeenUnit>,
    /// Workers without a task.
    workers: Vec<SeenUnit>,
    /// Cells where construction begins in this decision.
    sites: Vec<Cell>,
    paths: PathFinder,
}

impl RushMemory {
    /// Forgets the last game, and reserves memory for the largest number of units on a small board. Later calls allocate
    /// only if there are more units.
    pub fn clear(&mut self) {
        empty(&mut self.tasks);
        empty(&mut self.units);
        empty(&mut self.workers);
        empty(&mut self.sites);
        self.paths.reserve();
    }

    /// Assigns a task to a unit; a unit with a task keeps its place in the list.
    fn give(&mut self, unit: u16, task: UnitTask) {
        match self.tasks.iter_mut().find(|(id, _)| *id == unit) {
            Some((_, old)) => *old = task,
            None => self.tasks.push((unit, task)),
        }
    }

    fn task_of(&self, unit: u16) -> Option<UnitTask> {
        self.tasks.iter().find(|(id, _)| *id == unit).map(|(_, task)| *task)
    }

    fn has(&self, seat: Seat, kind: UnitKind) -> bool {
        self.units.iter().any(|unit| unit.owner == Some(seat) && unit.kind == kind)
    }

    fn nearest(&self, from: Cell, fits: impl Fn(&SeenUnit) -> bool) -> Option<SeenUnit> {
        nearest(&self.units, from, fits)
    }

    /// Gives all idle buildings of a kind the task of training a unit, if the stock suffices for one.
    fn train<S: BoardSize>(&mut self, view: &RtsView<'_, S>, building: UnitKind, kind: UnitKind) {
        if view.stock() < u32::from(view.facts(kind).cost) {
            return;
        }
        for index in 0..self.units.len() {
            let unit = self.units[index];
            let is_idle = unit.owner == Some(view.seat()) && unit.doing.is_none();
            if is_idle && unit.kind == building {
                self.give(unit.id, UnitTask::Train { kind, is_done: false });
            }
        }
    }

    fn attack_nearest(&mut self, unit: &SeenUnit, enemy: Seat) {
        if let Some(target) = self.nearest(unit.cell, |other| other.owner == Some(enemy)) {
            self.give(unit.id, UnitTask::Attack(target.id));
        }
    }

    /// Gives a worker the task of harvesting. Returns `false` if the worker cannot harvest.
    fn harvest(&mut self, worker: &SeenUnit) -> bool {
        let is_base = |unit: &SeenUnit| unit.owner == worker.owner && unit.kind == UnitKind::Base;
        let Some(base) = self.nearest(worker.cell, is_base) else { return false };
        let task = self.task_of(worker.id);
        if worker.carried > 0 {
            let goes_there =
                matches!(task, Some(UnitTask::Harvest { base: same, .. }) if same == base.id);
            if !goes_there {
                self.give(worker.id, UnitTask::Harvest { mine: None, base: base.id });
            }
            return true;
        }
        let Some(mine) = self.nearest(worker.cell, |unit| unit.kind == UnitKind::Mine) else {
            return false;
        };
        let task_now = UnitTask::Harvest { mine: Some(mine.id), base: base.id };
        if task != Some(task_now) {
            self.give(worker.id, task_now);
        }
        true
    }

    /// Gives a worker the task of constructing a building. The site is the first suitable cell around the worker.
    fn build<S: BoardSize>(&mut self, view: &RtsView<'_, S>, worker: &SeenUnit, kind: UnitKind) {
        if matches!(self.task_of(worker.id), Some(UnitTask::Build(same, _)) if same == kind) {
            return;
        }
        let site = rings(view, worker.cell)
            .find(|&cell| view.is_empty(cell) && !self.sites.contains(&cell));
        if let Some(cell) = site {
            self.sites.push(cell);
            self.give(worker.id, UnitTask::Build(kind, cell));
        }
    }
}

/// Iterates over the cells around a cell, ring by ring: in each ring the upper, the right, the lower and the left side,
/// each in order of ascending coordinates.
fn rings<S: BoardSize>(view: &RtsView<'_, S>, around: Cell) -> impl Iterator<Item = Cell> + use<S> {
    let (width, height) = (i16::from(view.width()), i16::from(view.height()));
    let (x, y) = (i16::from(around.x), i16::from(around.y));
    let cells = (1..width.max(height)).flat_map(move |ring| {
        let along = -ring..=ring;
        let top = along.clone().map(move |step| (x + step, y - ring));
        let right = along.clone().map(move |step| (x + ring, y + step));
        let bottom = along.clone().map(move |step| (x + step, y + ring));
        let left = along.map(move |step| (x - ring, y + step));
        top.chain(right).chain(bottom).chain(left)
    });
    let inside = move |&(x, y): &(i16, i16)| (0..width).contains(&x) && (0..height).contains(&y);
    cells.filter(inside).map(|(x, y)| Cell::new(x as u8, y as u8))
}

impl Rush {
    /// Writes the orders of the seat's idle units to `orders`. May be called in every cycle, or only in cycles with an
    /// idle unit.
    pub fn decide<S: BoardSize>(
        &self,
        memory: &mut RushMemory,
        view: &RtsView<'_, S>,
        orders: &mut Orders,
    ) {
        memory.units.clear();
        memory.units.extend(view.units());
        self.give_tasks(memory, view);
        carry_out(memory, view, orders);
    }

    fn give_tasks<S: BoardSize>(&self, memory: &mut RushMemory, view: &RtsView<'_, S>) {
        let seat = view.seat();
        memory.workers.clear();
        if *self == Rush::Workers || !memory.has(seat, UnitKind::Worker) {
            memory.train(view, UnitKind::Base, UnitKind::Worker);
        }
        if let Rush::Soldiers(kind) = *self {
            memory.train(view, UnitKind::Barracks, kind);
        }
        for index in 0..memory.units.len() {
            let unit = memory.units[index];
            if unit.owner != Some(seat) {
                continue;
            }
            if is_soldier(&unit) && unit.doing.is_none() {
                memory.attack_nearest(&unit, seat.other());
            }
            if unit.kind == UnitKind::Worker {
                memory.workers.push(unit);
            }
        }
        self.give_workers_tasks(memory, view);
    }

    fn give_workers_tasks<S: BoardSize>(&self, memory: &mut RushMemory, view: &RtsView<'_, S>) {
        let (seat, stock) = (view.seat(), view.stock());
        let cost = |kind| u32::from(view.facts(kind).cost);
        memory.sites.clear();
        let mut used = 0;
        if memory.workers.is_empty() {
            return;
        }
        if !memory.has(seat, UnitKind::Base) && stock >= cost(UnitKind::Base) {
            let builder = memory.workers.remove(0);
            memory.build(view, &builder, UnitKind::Base);
            used += cost(UnitKind::Base);
        }
        if *self == Rush::Workers {
            if !memory.workers.is_empty() {
                let harvester = memory.workers.remove(0);
                if !memory.harvest(&harvester) {
                    memory.workers.push(harvester);
                }
            }
            for index in 0..memory.workers.len() {
                let worker = memory.workers[index];
                memory.attack_nearest(&worker, seat.other());
            }
            return;
        }
        let barracks = UnitKind::Barracks;
        if !memory.has(seat, barracks)
            && !memory.workers.is_empty()
            && stock >= cost(barracks) + used
        {
            let builder = memory.workers.remove(0);
            memory.build(view, &builder, barracks);
        }
        for index in 0..memory.workers.len() {
            let worker = memory.workers[index];
            if !memory.harvest(&worker) {
                memory.attack_nearest(&worker, seat.other());
            }
        }
    }
}

/// Gives the orders that units want for their tasks, in the same order, except those incompatible with earlier orders. All
/// other idle units wait.
fn carry_out<S: BoardSize>(memory: &mut RushMemory, view: &RtsView<'_, S>, orders: &mut Orders) {
    orders.clear();
    let RushMemory { tasks, units, paths, .. } = memory;
    let mut wanted = CellSet::<S>::default();
    let mut decision = Decision::new(view, units, paths, orders);
    tasks.retain_mut(|(id, task)| {
        let Some(unit) = unit_of(units, *id) else { return false };
        if is_finished(&decision, unit, *task) {
            return false;
        }
        if unit.doing.is_some() {
            return true;
        }
        if let Some(action) = action_of(&mut decision, unit, task, &wanted) {
            decision.tell(unit, action);
            if let Some(cell) = cell_taken(unit.cell, action) {
                wanted.insert(cell);
            }
        }
        true
    });
    for unit in view.idle_units() {
        if !orders.orders.iter().any(|order| order.unit == unit.cell) {
            orders.push(unit.cell, UnitAction::Wait(WAIT));
        }
    }
}

fn unit_of(units: &[SeenUnit], id: u16) -> Option<&SeenUnit> {
    units.iter().find(|unit| unit.id == id)
}

fn is_finished<S: BoardSize>(turn: &Decision<'_, '_, S>, unit: &SeenUnit, task: UnitTask) -> bool {
    let is_gone = |id: u16| unit_of(turn.units, id).is_none();
    match task {
        UnitTask::Attack(target) => is_gone(target),
        UnitTask::Harvest { base, .. } if unit.carried > 0 => is_gone(base),
        UnitTask::Harvest { mine, .. } => mine.is_none_or(is_gone),
        UnitTask::Build(_, cell) => turn.view.unit_at(cell).is_some(),
        UnitTask::Train { is_done, .. } => is_done,
    }
}

/// Returns the action that an idle unit wants to take for its task, or `None` if no allowed action serves it.
fn action_of<S: BoardSize>(
    decision: &mut Decision<'_, '_, S>,
    unit: &SeenUnit,
    task: &mut UnitTask,
    wanted: &CellSet<S>,
) -> Option<UnitAction> {
    let (view, units) = (decision.view, decision.units);
    let is_permitted = |action: &UnitAction| view.allows(unit.cell, *action);
    let mut step_to = |goal: Cell, range: u32| {
        let is_open = |cell| is_free(view, cell) && !wanted.contains(cell);
        decision.paths.first_step::<S>(unit.cell, goal, range, is_open).map(UnitAction::Move)
    };
    match *task {
        UnitTask::Attack(target) => {
            let goal = unit_of(units, target)?.cell;
            let range = u32::from(view.facts(unit.kind).range);
            if unit.cell.distance_squared(goal) <= range * range {
                return Some(UnitAction::Attack(goal));
            }
            step_to(goal, range).filter(is_permitted)
        }
        UnitTask::Train { kind, ref mut is_done } => {
            *is_done = true;
            let direction = best_side(units, view, unit.cell, kind)?;
            Some(UnitAction::Produce(direction, kind)).filter(is_permitted)
        }
        UnitTask::Build(kind, goal) => match step_to(goal, 1) {
            Some(step) => Some(step).filter(is_permitted),
            None => {
                let direction = direction_to(unit.cell, goal)?;
                Some(UnitAction::Produce(direction, kind)).filter(is_permitted)
            }
        },
        UnitTask::Harvest { mine, base } => {
            let to = if unit.carried > 0 { base } else { mine? };
            let goal = unit_of(units, to)?.cell;
            match step_to(goal, 1) {
                Some(step) => Some(step).filter(is_permitted),
                None if unit.carried > 0 => direction_to(unit.cell, goal).map(UnitAction::Return),
                None => direction_to(unit.cell, goal).map(UnitAction::Harvest),
            }
        }
    }
}
