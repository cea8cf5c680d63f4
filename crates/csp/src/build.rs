//! Construction of a solver: each part of each constraint gets a propagator.

use super::binary::Binary;
use super::clauses::Clauses;
use super::compact::Compact;
use super::compile::{Parts, TablePart};
use super::definitions::Definitions;
use super::least::Least;
use super::listed::Listed;
use super::network::{Network, VariableId};
use super::solver::{Consistency, Counters, Propagator, Queue, Solver, Use};
use super::store::{Store, flatten};

/// The size in bits up to which rows are always built. Larger rows are built only if the tuples of the table have at
/// least as many values as the rows have words.
const MANY_BITS: u64 = 1 << 20;

impl Solver {
    /// Builds a solver. `listed` is the scope of one more constraint whose tuples [`Solver::give_tuples`]
    /// supplies later, or empty.
    pub(super) fn build(network: &Network, level: Consistency, listed: &[VariableId]) -> Solver {
        let parts = Parts::new(network);
        let is_forward = level == Consistency::Forward;
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
        let mut store = Store::new(&parts.sizes);
        let definitions =
            Definitions::new(&mut store, &parts.sizes, &parts.definitions, is_forward);
        let mut solver = Solver {
            store,
            definitions,
            values: network.domains.clone().into(),
            clauses,
            propagators: Vec::new(),
            origins: Vec::new(),
            dirty: Vec::new(),
            open_cells: Vec::new(),
            first_uses: Box::default(),
            uses: Box::default(),
            tables_to_do: Queue::default(),
            costly_to_do: Queue::default(),
            consistency: level,
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
        (solver.first_uses, solver.uses) = flatten(&uses);
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
        let propagator = match (&table.scope[..], &sizes[..]) {
            (&[x, y], &[of_x, of_y]) if has_rows([of_x, of_y], table.tuples.len()) => {
                Propagator::Binary(Binary::new([x, y], [of_x, of_y], &table.tuples))
            }
            (scope, sizes) => {
                let compact = Compact::new(&mut self.store, scope, sizes, &table.tuples);
                Propagator::Compact(compact)
            }
        };
        self.add_propagator(propagator, table.origin, &table.scope);
    }

    fn add_listed(&mut self, scope: &[u32], origin: u32, uses: &mut [Vec<Use>]) {
        let index = self.propagators.len() as u32;
        for &variable in scope {
            uses[variable as usize].push(Use { propagator: index, dirty: 1, is_counted: true });
        }
        let listed = Listed::new(&mut self.store, scope);
        self.add_propagator(Propagator::Listed(listed), origin, scope);
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
        self.add_propagator(Propagator::Least(least), origin, &outside);
    }

    /// Adds a propagator. Forward checking counts the variables of `counted` that are not fixed.
    fn add_propagator(&mut self, propagator: Propagator, origin: u32, counted: &[u32]) {
        self.propagators.push(propagator);
        self.origins.push(origin);
        let num_open = counted.iter().filter(|&&id| self.sizes[id as usize] != 1).count() as u64;
        self.open_cells.push(self.store.add_cells(1, num_open));
        self.dirty.push(0);
        let index = self.propagators.len() - 1;
        if self.consistency == Consistency::Arc || num_open <= self.max_open(index) {
            self.enqueue(index as u32, u64::MAX);
        }
    }
}

/// Returns `true` if a table of two variables with `num_values` values in its tuples should be stored as rows of bits.
fn has_rows(sizes: [u32; 2], num_values: usize) -> bool {
    let num_bits = Binary::num_bits(sizes) + Binary::num_bits([sizes[1], sizes[0]]);
    num_bits <= MANY_BITS || num_bits / 64 <= num_values as u64
}
