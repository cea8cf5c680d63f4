//! A constraint solver. Propagation reduces the domains, and the domains can be restored.

use super::binary::Binary;
use super::clauses::Clauses;
use super::compact::Compact;
use super::compile::position;
use super::definitions::Definitions;
use super::least::Least;
use super::listed::Listed;
use super::network::{Network, VariableId};
use super::store::{Event, Place, Store, bits};

/// The strength of the propagation by [`Solver::propagate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Consistency {
    /// Revises all constraints until nothing changes. Tables and clauses are then generalised arc consistent: each
    /// remaining value is part of a tuple of remaining values that satisfies the constraint. Definitions reason by unit
    /// propagation in both directions. Least models make unsupported heads false and, once all outer literals are
    /// decided, derived heads true.
    #[default]
    Arc,
    /// Forward checking (Haralick & Elliott 1980): revises a constraint when only one of its variables is open. A
    /// definition counts as its equivalent clauses; a least model is revised once all its outer variables are fixed.
    Forward,
}

/// The work done by a solver since its creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// The number of revisions of constraints. A definition is revised each time one of its literals is decided.
    pub revisions: u64,
    /// The number of values that searches have tried.
    pub nodes: u64,
}

/// A state of a solver that can be restored; see [`Solver::mark`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    trail: usize,
    is_failed: bool,
}

/// The domains of a network's variables, with constraint propagation.
///
/// A solver is created once and used for many states: [`mark`](Solver::mark) a state, [`fix`](Solver::fix) some
/// variables, [`propagate`](Solver::propagate), [`search`](Solver::search), and [`undo`](Solver::undo) the changes.
/// Undoing takes time proportional to the number of changes. After the first states, all lists have their final sizes,
/// and nothing is allocated.
///
/// Values keep their numbers even if others are removed from a domain. Creating a solver takes time linear in the total
/// size of tuples and literals.
#[derive(Debug, Clone)]
pub struct Solver {
    pub(super) store: Store,
    /// The initial values of each variable of the network. Positions are indices into these values.
    pub(super) values: Box<[Box<[u16]>]>,
    /// The number of positions of each variable; auxiliary variables come last.
    pub(super) sizes: Box<[u32]>,
    pub(super) clauses: Clauses,
    pub(super) definitions: Definitions,
    /// The propagators of tables, followed by the propagators of least models.
    pub(super) propagators: Vec<Propagator>,
    /// The constraint of each propagator, by its index in the network.
    pub(super) origins: Vec<u32>,
    /// For each propagator, a bit set of the variables that lost values since its last revision; 0 if it is not queued.
    pub(super) dirty: Vec<u64>,
    /// For each propagator, the index of the cell that counts its variables not known to be fixed, for forward checking
    /// only.
    pub(super) open_cells: Vec<u32>,
    /// The offset of the uses of each variable, and the end of the last variable's uses.
    pub(super) first_uses: Box<[u32]>,
    pub(super) uses: Box<[Use]>,
    pub(super) tables_to_do: Queue,
    /// Expensive propagators, which wait until all others are done.
    pub(super) costly_to_do: Queue,
    pub(super) consistency: Consistency,
    pub(super) is_failed: bool,
    pub(super) counters: Counters,
    /// For each constraint, the number of its failures plus 1.
    pub(super) weights: Box<[u64]>,
    /// The offset of the variables of each constraint, and the end of the last constraint.
    pub(super) first_scopes: Box<[u32]>,
    pub(super) scopes: Box<[u32]>,
    /// The offset of the constraints of each variable, and the end of the last variable.
    pub(super) first_constraints: Box<[u32]>,
    pub(super) constraints_of: Box<[u32]>,
}

/// The propagator of a part of a constraint that is not a clause.
#[derive(Debug, Clone)]
pub(super) enum Propagator {
    Binary(Binary),
    Compact(Compact),
    Least(Least),
    Listed(Listed),
}

/// The occurrence of a variable in a propagator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) propagator: u32,
    /// The bits of `dirty` that are set when the variable loses a value.
    pub(super) dirty: u64,
    /// True if forward checking counts the variable until it is fixed.
    pub(super) is_counted: bool,
}

/// A first-in-first-out queue.
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
    /// Creates a solver that keeps a network arc consistent. Consequences of the constraints alone are permanent.
    ///
    /// # Panics
    ///
    /// Panics if a constraint has a variable that does not exist, or if a rule has a head that does not exist.
    pub fn new(network: &Network) -> Solver {
        Solver::with(network, Consistency::Arc)
    }

    /// Like [`Solver::new`], with the given consistency.
    pub fn with(network: &Network, consistency: Consistency) -> Solver {
        Solver::build(network, consistency, &[])
    }

    /// Returns the largest number of open variables at which forward checking revises a propagator.
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

    /// Makes the current domains the initial domains, and invalidates all earlier marks.
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

    /// Marks the current domains, for [`Solver::undo`].
    ///
    /// All changes must have been propagated, or the solver must have failed; otherwise consequences might be lost.
    pub fn mark(&mut self) -> Mark {
        debug_assert!(
            self.is_failed || !self.store.has_events(),
            "a mark is set after what was fixed was propagated"
        );
        Mark { trail: self.store.mark(), is_failed: self.is_failed }
    }

    /// Allows only these tuples for the additional constraint of [`Solver::build`], until the change is undone.
    /// `tuples` contains the tuples, one after the other. Tuples with values that a variable never had are dropped.
    ///
    /// Does not propagate; see [`Solver::propagate`].
    pub(super) fn give_tuples(&mut self, tuples: &[u16]) {
        let last = self.propagators.len() - 1;
        let Propagator::Listed(listed) = &mut self.propagators[last] else {
            panic!("tuples are given to a solver that was made for them");
        };
        listed.give(&mut self.store, &self.values, tuples);
        self.enqueue(last as u32, 1);
    }

    /// Restores the domains to their state at a mark. The mark can be used again.
    ///
    /// A mark becomes invalid once an older mark is used.
    pub fn undo(&mut self, mark: Mark) {
        self.store.undo(mark.trail);
        self.forget_work();
        self.is_failed = mark.is_failed;
    }

    /// Fixes a variable to a value. Returns `false` if the value is not in its domain; [`Solver::undo`] must then
    /// restore the state.
    ///
    /// Does not propagate; see [`Solver::propagate`].
    pub fn fix(&mut self, variable: VariableId, value: u16) -> bool {
        self.hold(variable, value, true)
    }

    /// Removes a value from the domain of a variable, if the domain contains it. Returns `false` if there is no other
    /// value; [`Solver::undo`] must then restore the state.
    ///
    /// Does not propagate; see [`Solver::propagate`].
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

    /// Returns `true` if propagation does not refute a value of a variable. Leaves the solver in the same state as before.
    pub(super) fn admits(&mut self, variable: VariableId, value: u16) -> bool {
        let mark = self.mark();
        let is_left = self.fix(variable, value) && self.propagate();
        self.undo(mark);
        is_left
    }

    /// Removes impossible values until all constraints are consistent in the sense of the solver's [`Consistency`].
    /// Returns `false` if there is no solution; [`Solver::undo`] must then restore the state.
    pub fn propagate(&mut self) -> bool {
        if !self.is_failed
            && let Err(constraint) = self.run()
        {
            self.weights[constraint as usize] += 1;
            self.is_failed = true;
        }
        !self.is_failed
    }

    /// Runs all queued propagators.
    ///
    /// # Errors
    ///
    /// Returns the constraint that cannot be satisfied.
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

    /// Tells clauses and definitions that a variable has a value, or that it does not have it.
    fn tell_value(&mut self, variable: u32, position: u16, has_it: bool) -> Result<(), u32> {
        let (store, revisions) = (&mut self.store, &mut self.counters.revisions);
        let holds = Place { variable, position, is_equal: has_it };
        self.clauses.falsified(holds.negated(), store, revisions)?;
        self.definitions.decided(holds, true, store, revisions)?;
        self.definitions.decided(holds.negated(), false, store, revisions)
    }

    /// Returns the value of a variable, if it is fixed.
    #[inline]
    pub fn value(&self, variable: VariableId) -> Option<u16> {
        if !self.store.is_fixed(variable.0) {
            return None;
        }
        let position = self.store.position_from(variable.0, 0)?;
        Some(self.values[variable.0 as usize][usize::from(position)])
    }

    /// Returns `true` if a value is in the domain of a variable.
    pub fn contains(&self, variable: VariableId, value: u16) -> bool {
        position(&self.values[variable.0 as usize], value)
            .is_some_and(|position| self.store.contains(variable.0, position))
    }

    /// Returns the number of values in the domain of a variable.
    #[inline]
    pub fn domain_size(&self, variable: VariableId) -> usize {
        self.store.size(variable.0) as usize
    }

    /// Iterates over the domain of a variable in increasing order.
    pub fn domain(&self, variable: VariableId) -> impl Iterator<Item = u16> {
        let values = &self.values[variable.0 as usize];
        self.store.words(variable.0).iter().zip(0..).flat_map(move |(&word, index)| {
            bits(word).map(move |bit| values[64 * index + bit as usize])
        })
    }

    /// Returns the smallest value in the domain of a variable that exceeds `value`, or the smallest of all if `value`
    /// is `None`.
    pub(super) fn value_after(&self, variable: VariableId, value: Option<u16>) -> Option<u16> {
        let values = &self.values[variable.0 as usize];
        let from = match value {
            Some(value) => u32::from(position(values, value)?) + 1,
            None => 0,
        };
        let position = self.store.position_from(variable.0, from)?;
        Some(values[usize::from(position)])
    }

    /// Returns `true` if the current state is known to have no solution.
    pub fn is_failed(&self) -> bool {
        self.is_failed
    }

    /// Returns the work done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Resets the weights of all constraints; see [`Order::DomWdeg`](super::Order::DomWdeg).
    pub fn reset_weights(&mut self) {
        self.weights.fill(1);
    }
}
