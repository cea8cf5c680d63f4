//! A solver: domains that propagation makes smaller, and that go back.

use super::binary::Binary;
use super::clauses::Clauses;
use super::compact::Compact;
use super::compile::position;
use super::definitions::Definitions;
use super::least::Least;
use super::listed::Listed;
use super::network::{Network, VariableId};
use super::store::{Event, Place, Store, bits};

/// How much [`Solver::propagate`] looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Consistency {
    /// All constraints are looked at until nothing changes. Tables and clauses are then generalised arc consistent: each value
    /// left of each variable is in a tuple of values that are left. Definitions reason from units, both ways, and
    /// least models make false what has no support, and true what follows once all literals outside are decided.
    #[default]
    Arc,
    /// Forward checking (Haralick & Elliott 1980): a constraint is looked at when one of its variables is left that is not
    /// fixed, no matter by what the others were. So is each of the clauses that would say a definition; a least model when all
    /// variables outside are fixed.
    Forward,
}

/// What a solver has done since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Tables, clauses and least models looked at, and literals of definitions told that they are decided.
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
    pub(super) values: Box<[Box<[u16]>]>,
    /// Of each variable the number of positions; auxiliary variables follow those of the network.
    pub(super) sizes: Box<[u32]>,
    pub(super) clauses: Clauses,
    pub(super) definitions: Definitions,
    /// Tables, then least models.
    pub(super) propagators: Vec<Propagator>,
    /// Of each propagator the constraint of the network.
    pub(super) origins: Vec<u32>,
    /// Of each propagator what has changed; 0 if it is not in a queue.
    pub(super) dirty: Vec<u64>,
    /// Of each propagator the cell with the number of variables that were not seen fixed; used by forward checking only.
    pub(super) open_cells: Vec<u32>,
    /// Of each variable where its uses begin, and the end.
    pub(super) first_uses: Vec<u32>,
    pub(super) uses: Vec<Use>,
    pub(super) tables_to_do: Queue,
    /// They cost more, and wait until nothing else is to be done.
    pub(super) costly_to_do: Queue,
    pub(super) consistency: Consistency,
    pub(super) is_failed: bool,
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

/// What looks at a part of a constraint that is no clause.
#[derive(Debug, Clone)]
pub(super) enum Propagator {
    Binary(Binary),
    Compact(Compact),
    Least(Least),
    Listed(Listed),
}

/// A variable is in a propagator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) propagator: u32,
    /// What becomes dirty when the variable loses a value.
    pub(super) dirty: u64,
    /// Whether it is one of those that are counted until they are fixed.
    pub(super) is_counted: bool,
}

/// First in, first out.
#[derive(Debug, Clone, Default)]
pub(super) struct Queue {
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

    /// With how many open variables forward checking looks at a propagator.
    pub(super) fn max_open(&self, propagator: usize) -> u64 {
        u64::from(!matches!(self.propagators[propagator], Propagator::Least(_)))
    }

    pub(super) fn enqueue(&mut self, propagator: u32, dirty: u64) {
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
            self.tell_value(variable, (64 * word + bit) as u16, false)?;
        }
        match self.store.position_from(variable, 0) {
            Some(position) if is_fixed => self.tell_value(variable, position, true),
            _ => Ok(()),
        }
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
        for position in 0..self.sizes[variable as usize] {
            let position = position as u16;
            self.tell_value(variable, position, position == fixed)?;
        }
        Ok(())
    }

    fn uses_of(&self, variable: u32) -> std::ops::Range<usize> {
        let index = variable as usize;
        self.first_uses[index] as usize..self.first_uses[index + 1] as usize
    }

    /// Tells clauses and definitions that a variable has a value, or that it has not.
    fn tell_value(&mut self, variable: u32, position: u16, has_it: bool) -> Result<(), u32> {
        let (store, revisions) = (&mut self.store, &mut self.counters.revisions);
        let holds = Place { variable, position, is_equal: has_it };
        self.clauses.falsified(holds.negated(), store, revisions)?;
        self.definitions.decided(holds, true, store, revisions)?;
        self.definitions.decided(holds.negated(), false, store, revisions)
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
