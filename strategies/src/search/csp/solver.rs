//! A solver: domains that propagation makes smaller, and that go back.

use super::binary::Binary;
use super::clauses::Clauses;
use super::compact::Compact;
use super::compile::{Parts, TablePart, position};
use super::least::Least;
use super::listed::Listed;
use super::network::{Network, VariableId};
use super::store::{Event, Place, Store, bits};

/// How much [`Solver::propagate`] looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Consistency {
    /// All constraints are looked at until nothing changes. Tables and clauses are then generalised arc consistent: each value
    /// left of each variable is in a tuple of values that are left. Definitions are consistent as the clauses that say them, and
    /// least models make false what has no support, and true what follows once all literals outside are decided.
    #[default]
    Arc,
    /// Forward checking (Haralick & Elliott 1980): a constraint is looked at when one of its variables is left that is not
    /// fixed, no matter by what the others were. So is each of the clauses that say a definition; a least model when all
    /// variables outside are fixed.
    Forward,
}

/// What a solver has done since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Constraints looked at; a clause, or one of those that say a definition, counts as one.
    pub revisions: u64,
    /// Values that searches have tried.
    pub nodes: u64,
}

/// A state of a solver; see [`Solver::mark`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    trail: usize,
    is_failed: bool,
}

/// The domains of the variables of a network, and what follows for them.
///
/// A solver is made once and used for many states: [`mark`](Solver::mark), [`fix`](Solver::fix) some variables,
/// [`propagate`](Solver::propagate), [`search`](Solver::search), [`undo`](Solver::undo). Undoing costs what has changed. After
/// the first states nothing is allocated, since all lists have their size by then.
///
/// Values are those of the network, whatever was removed from a domain before. Time of making one: all tuples and literals.
#[derive(Debug, Clone)]
pub struct Solver {
    pub(super) store: Store,
    /// Of each variable of the network the values at the start; the position of a value is its place there.
    values: Box<[Box<[u16]>]>,
    /// Of each variable the number of positions; auxiliary variables follow those of the network.
    sizes: Box<[u32]>,
    clauses: Clauses,
    /// Tables, then least models.
    propagators: Vec<Propagator>,
    /// Of each propagator the constraint of the network.
    origins: Vec<u32>,
    /// Of each propagator what has changed; 0 if it is not in a queue.
    dirty: Vec<u64>,
    /// Of each propagator the cell with the number of variables that were not seen fixed; used by forward checking only.
    open_cells: Vec<u32>,
    /// Of each variable where its uses begin, and the end.
    first_uses: Vec<u32>,
    uses: Vec<Use>,
    tables_to_do: Queue,
    /// They cost more, and wait until nothing else is to be done.
    costly_to_do: Queue,
    consistency: Consistency,
    is_failed: bool,
    pub(super) counters: Counters,
    /// Of each constraint the number of times that it could not be satisfied, plus 1.
    pub(super) weights: Box<[u64]>,
    /// Of each constraint where its variables begin, and the end.
    pub(super) first_scopes: Box<[u32]>,
    pub(super) scopes: Box<[u32]>,
    /// Of each variable where its constraints begin, and the end.
    pub(super) first_constraints: Box<[u32]>,
    pub(super) constraints_of: Box<[u32]>,
}

#[derive(Debug, Clone)]
enum Propagator {
    Binary(Binary),
    Compact(Compact),
    Least(Least),
    Listed(Listed),
}

/// A variable is in a propagator.
#[derive(Debug, Clone, Copy)]
struct Use {
    propagator: u32,
    /// What becomes dirty when the variable loses a value.
    dirty: u64,
    /// Whether it is one of those that are counted until they are fixed.
    is_counted: bool,
}

/// First in, first out.
#[derive(Debug, Clone, Default)]
struct Queue {
    items: Vec<u32>,
    next: usize,
}

impl Queue {
    fn pop(&mut self) -> Option<u32> {
        let item = self.items.get(self.next).copied();
        self.next += 1;
        if item.is_none() {
            self.items.clear();
            self.next = 0;
        }
        item
    }
}

/// Rows of more bits than this are made only for tables that have as many pairs as rows have words.
const MANY_BITS: u64 = 1 << 20;

/// Lists one after the other: where each begins, and the items.
fn flatten(lists: &[Vec<u32>]) -> (Box<[u32]>, Box<[u32]>) {
    let mut starts = vec![0];
    for list in lists {
        starts.push(starts[starts.len() - 1] + list.len() as u32);
    }
    (starts.into(), lists.iter().flatten().copied().collect())
}

impl Solver {
    /// A solver that keeps a network arc consistent. What follows without any decision is propagated, for good.
    ///
    /// # Panics
    ///
    /// If a constraint has a variable, or a rule a head, that is not there.
    pub fn new(network: &Network) -> Solver {
        Solver::with(network, Consistency::Arc)
    }

    /// As [`Solver::new`], with as much propagation as this.
    pub fn with(network: &Network, consistency: Consistency) -> Solver {
        Solver::build(network, consistency, &[])
    }

    /// A solver that keeps a network arc consistent, with one more constraint on at least one variable, of which the tuples are
    /// given later, by [`Solver::give_tuples`].
    pub(super) fn with_listed(network: &Network, scope: &[VariableId]) -> Solver {
        Solver::build(network, Consistency::Arc, scope)
    }

    /// `listed`: the scope of the constraint whose tuples are given later; empty for none.
    fn build(network: &Network, consistency: Consistency, listed: &[VariableId]) -> Solver {
        let parts = Parts::new(network);
        let is_forward = consistency == Consistency::Forward;
        let mut clauses = Clauses::new(&parts.sizes, is_forward);
        parts.clauses.iter().for_each(|(clause, origin)| clauses.add(clause, *origin));
        let mut constraints_of = vec![Vec::new(); network.num_variables()];
        let mut scopes = Vec::with_capacity(network.constraints.len());
        let own = network.constraints.iter().map(|constraint| constraint.variables());
        let later = (!listed.is_empty()).then(|| listed.to_vec());
        for (index, scope) in own.chain(later).enumerate() {
            let scope: Vec<u32> = scope.iter().map(|id| id.0).collect();
            scope.iter().for_each(|&id| constraints_of[id as usize].push(index as u32));
            scopes.push(scope);
        }
        let (first_scopes, scopes) = flatten(&scopes);
        let (first_constraints, constraints_of) = flatten(&constraints_of);
        let mut solver = Solver {
            store: Store::new(&parts.sizes),
            values: network.domains.clone().into(),
            clauses,
            propagators: Vec::new(),
            origins: Vec::new(),
            dirty: Vec::new(),
            open_cells: Vec::new(),
            first_uses: Vec::new(),
            uses: Vec::new(),
            tables_to_do: Queue::default(),
            costly_to_do: Queue::default(),
            consistency,
            is_failed: false,
            counters: Counters::default(),
            weights: vec![1; first_scopes.len() - 1].into(),
            first_scopes,
            scopes,
            first_constraints,
            constraints_of,
            sizes: parts.sizes.into(),
        };
        let mut uses = vec![Vec::new(); solver.sizes.len()];
        for table in parts.tables {
            solver.add_table(&table, &mut uses);
        }
        for (least, origin) in parts.least_models {
            solver.add_least(least, origin, &mut uses);
        }
        if !listed.is_empty() {
            let listed: Vec<u32> = listed.iter().map(|id| id.0).collect();
            solver.add_listed(&listed, network.constraints.len() as u32, &mut uses);
        }
        solver.first_uses.push(0);
        for list in uses {
            solver.uses.extend(list);
            solver.first_uses.push(solver.uses.len() as u32);
        }
        let is_empty = solver.sizes.contains(&0) || parts.hopeless.is_some();
        let is_held = parts.units.iter().all(|&(unit, _)| solver.store.hold(unit));
        solver.is_failed = is_empty || !is_held;
        solver.propagate();
        solver.settle();
        solver
    }

    fn add_table(&mut self, table: &TablePart, uses: &mut [Vec<Use>]) {
        let index = self.propagators.len() as u32;
        let sizes: Vec<u32> = table.scope.iter().map(|&id| self.sizes[id as usize]).collect();
        for (column, &variable) in table.scope.iter().enumerate() {
            let dirty = 1 << column.min(63);
            uses[variable as usize].push(Use { propagator: index, dirty, is_counted: true });
        }
        self.propagators.push(match (&table.scope[..], &sizes[..]) {
            (&[x, y], &[of_x, of_y]) if has_rows([of_x, of_y], table.tuples.len()) => {
                Propagator::Binary(Binary::new([x, y], [of_x, of_y], &table.tuples))
            }
            (scope, sizes) => {
                let compact = Compact::new(&mut self.store, scope, sizes, &table.tuples);
                Propagator::Compact(compact)
            }
        });
        self.end_propagator(table.origin, &table.scope);
    }

    fn add_listed(&mut self, scope: &[u32], origin: u32, uses: &mut [Vec<Use>]) {
        let index = self.propagators.len() as u32;
        for &variable in scope {
            uses[variable as usize].push(Use { propagator: index, dirty: 1, is_counted: true });
        }
        self.propagators.push(Propagator::Listed(Listed::new(&mut self.store, scope)));
        self.end_propagator(origin, scope);
    }

    fn add_least(&mut self, least: Least, origin: u32, uses: &mut [Vec<Use>]) {
        let index = self.propagators.len() as u32;
        let outside = least.outside();
        for (variables, is_counted) in [(outside.clone(), true), (least.inside().collect(), false)]
        {
            for variable in variables {
                uses[variable as usize].push(Use { propagator: index, dirty: 1, is_counted });
            }
        }
        self.propagators.push(Propagator::Least(least));
        self.end_propagator(origin, &outside);
    }

    /// Ends what begins with a new propagator; `counted`: variables that forward checking waits for.
    fn end_propagator(&mut self, origin: u32, counted: &[u32]) {
        self.origins.push(origin);
        let num_open = counted.iter().filter(|&&id| self.sizes[id as usize] != 1).count() as u64;
        self.open_cells.push(self.store.add_cells(1, num_open));
        self.dirty.push(0);
        let index = self.propagators.len() - 1;
        if self.consistency == Consistency::Arc || num_open <= self.max_open(index) {
            self.enqueue(index as u32, u64::MAX);
        }
    }

    /// With how many open variables forward checking looks at a propagator.
    fn max_open(&self, propagator: usize) -> u64 {
        u64::from(!matches!(self.propagators[propagator], Propagator::Least(_)))
    }

    fn enqueue(&mut self, propagator: u32, dirty: u64) {
        let index = propagator as usize;
        if self.dirty[index] == 0 {
            match self.propagators[index] {
                Propagator::Least(_) | Propagator::Listed(_) => {
                    self.costly_to_do.items.push(propagator);
                }
                _ => self.tables_to_do.items.push(propagator),
            }
        }
        self.dirty[index] |= dirty;
    }

    /// Makes the domains as they are now those of the start. Marks from before must not be used any more.
    pub(super) fn settle(&mut self) {
        self.store.settle();
        self.forget_work();
    }

    fn forget_work(&mut self) {
        self.store.forget_events();
        for queue in [&mut self.tables_to_do, &mut self.costly_to_do] {
            queue.items.iter().for_each(|&propagator| self.dirty[propagator as usize] = 0);
            queue.items.clear();
            queue.next = 0;
        }
    }

    /// Remembers the domains as they are now, to which [`Solver::undo`] goes back.
    ///
    /// All that was fixed or removed must have been propagated, or it must have failed; else what follows from it might be lost.
    pub fn mark(&mut self) -> Mark {
        debug_assert!(
            self.is_failed || !self.store.has_events(),
            "a mark is set after what was fixed was propagated"
        );
        Mark { trail: self.store.mark(), is_failed: self.is_failed }
    }

    /// Allows only these tuples of values, one after the other, of the scope of the constraint that was left open, until this is
    /// undone. A tuple with a value that a variable never had is left out.
    ///
    /// What follows is left to [`Solver::propagate`].
    pub(super) fn give_tuples(&mut self, tuples: &[u16]) {
        let last = self.propagators.len() - 1;
        let Propagator::Listed(listed) = &mut self.propagators[last] else {
            panic!("tuples are given to a solver that was made for them");
        };
        listed.give(&mut self.store, &self.values, tuples);
        self.enqueue(last as u32, 1);
    }

    /// Gives the domains back what they have lost since a mark, which may be used again.
    ///
    /// A mark must not be used after one was that is older.
    pub fn undo(&mut self, mark: Mark) {
        self.store.undo(mark.trail);
        self.forget_work();
        self.is_failed = mark.is_failed;
    }

    /// Leaves a variable one value. Returns false if it does not have it: then nothing helps but [`Solver::undo`].
    ///
    /// What follows is left to [`Solver::propagate`].
    pub fn fix(&mut self, variable: VariableId, value: u16) -> bool {
        self.hold(variable, value, true)
    }

    /// Takes a value from a variable, if it has it. Returns false if it has no other: then nothing helps but [`Solver::undo`].
    ///
    /// What follows is left to [`Solver::propagate`].
    pub fn remove(&mut self, variable: VariableId, value: u16) -> bool {
        self.hold(variable, value, false)
    }

    fn hold(&mut self, variable: VariableId, value: u16, is_equal: bool) -> bool {
        let held = match position(&self.values[variable.0 as usize], value) {
            Some(position) => {
                let literal = Place { variable: variable.0, position, is_equal };
                self.store.hold(literal)
            }
            None => !is_equal,
        };
        self.is_failed |= !held;
        !self.is_failed
    }

    /// Removes values that cannot be, until all constraints that its [`Consistency`] has to look at were looked at. Returns false if
    /// there is no solution: then nothing helps but [`Solver::undo`].
    pub fn propagate(&mut self) -> bool {
        if !self.is_failed
            && let Err(constraint) = self.run()
        {
            self.weights[constraint as usize] += 1;
            self.is_failed = true;
        }
        !self.is_failed
    }

    /// Runs all that waits.
    ///
    /// # Errors
    ///
    /// The constraint that cannot be satisfied.
    fn run(&mut self) -> Result<(), u32> {
        loop {
            while let Some(event) = self.store.next_event() {
                match self.consistency {
                    Consistency::Arc => self.tell(event)?,
                    Consistency::Forward if event.is_fixed => self.tell_fixed(event.variable)?,
                    Consistency::Forward => {}
                }
            }
            let next = self.tables_to_do.pop().or_else(|| self.costly_to_do.pop());
            let Some(propagator) = next else { return Ok(()) };
            let index = propagator as usize;
            let dirty = std::mem::take(&mut self.dirty[index]);
            self.counters.revisions += 1;
            let store = &mut self.store;
            let is_left = match &mut self.propagators[index] {
                Propagator::Binary(binary) => binary.revise(store, dirty, propagator),
                Propagator::Compact(compact) => compact.revise(store, dirty, propagator),
                Propagator::Least(least) => least.revise(store),
                Propagator::Listed(listed) => listed.revise(store, propagator),
            };
            if !is_left {
                return Err(self.origins[index]);
            }
        }
    }

    fn tell(&mut self, event: Event) -> Result<(), u32> {
        let Event { variable, word, removed, is_fixed, cause } = event;
        for at in self.uses_of(variable) {
            let Use { propagator, dirty, .. } = self.uses[at];
            if propagator != cause {
                self.enqueue(propagator, dirty);
            }
        }
        for bit in bits(removed) {
            let position = (64 * word + bit) as u16;
            self.falsified(Place { variable, position, is_equal: true })?;
        }
        if is_fixed && let Some(position) = self.store.position_from(variable, 0) {
            self.falsified(Place { variable, position, is_equal: false })?;
        }
        Ok(())
    }

    fn tell_fixed(&mut self, variable: u32) -> Result<(), u32> {
        for at in self.uses_of(variable) {
            let Use { propagator, is_counted, .. } = self.uses[at];
            if is_counted {
                let cell = self.open_cells[propagator as usize];
                let num_open = self.store.get(cell) - 1;
                self.store.set(cell, num_open);
                if num_open == self.max_open(propagator as usize) {
                    self.enqueue(propagator, u64::MAX);
                }
            }
        }
        let Some(fixed) = self.store.position_from(variable, 0) else { return Ok(()) };
        for position in 0..self.sizes[variable as usize] as u16 {
            self.falsified(Place { variable, position, is_equal: position != fixed })?;
        }
        Ok(())
    }

    fn uses_of(&self, variable: u32) -> std::ops::Range<usize> {
        let index = variable as usize;
        self.first_uses[index] as usize..self.first_uses[index + 1] as usize
    }

    fn falsified(&mut self, literal: Place) -> Result<(), u32> {
        self.clauses.falsified(literal, &mut self.store, &mut self.counters.revisions)
    }

    /// The value of a variable, if one is left.
    #[inline]
    pub fn value(&self, variable: VariableId) -> Option<u16> {
        if !self.store.is_fixed(variable.0) {
            return None;
        }
        let position = self.store.position_from(variable.0, 0)?;
        Some(self.values[variable.0 as usize][usize::from(position)])
    }

    /// Whether a variable may still have a value.
    pub fn contains(&self, variable: VariableId, value: u16) -> bool {
        position(&self.values[variable.0 as usize], value)
            .is_some_and(|position| self.store.contains(variable.0, position))
    }

    /// How many values a variable may still have.
    #[inline]
    pub fn domain_size(&self, variable: VariableId) -> usize {
        self.store.size(variable.0) as usize
    }

    /// The values that a variable may still have, in increasing order.
    pub fn domain(&self, variable: VariableId) -> impl Iterator<Item = u16> {
        let values = &self.values[variable.0 as usize];
        self.store.words(variable.0).iter().zip(0..).flat_map(move |(&word, index)| {
            bits(word).map(move |bit| values[64 * index + bit as usize])
        })
    }

    /// The first value of a variable that is larger than this one, or its first.
    pub(super) fn value_after(&self, variable: VariableId, value: Option<u16>) -> Option<u16> {
        let values = &self.values[variable.0 as usize];
        let from = match value {
            Some(value) => u32::from(position(values, value)?) + 1,
            None => 0,
        };
        let position = self.store.position_from(variable.0, from)?;
        Some(values[usize::from(position)])
    }

    /// Whether it was found that there is no solution with what was fixed.
    pub fn is_failed(&self) -> bool {
        self.is_failed
    }

    /// What it has done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Makes all constraints weigh the same again; see [`Order::DomWdeg`](super::Order::DomWdeg).
    pub fn reset_weights(&mut self) {
        self.weights.fill(1);
    }
}

/// Whether rows of bits are small enough for a table of two variables with that many values in its tuples.
fn has_rows(sizes: [u32; 2], num_values: usize) -> bool {
    let num_bits = Binary::num_bits(sizes) + Binary::num_bits([sizes[1], sizes[0]]);
    num_bits <= MANY_BITS || num_bits / 64 <= num_values as u64
}
