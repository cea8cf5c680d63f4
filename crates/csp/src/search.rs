//! Depth-first search for all solutions: tries the values of a variable one after the other, and propagates each value
//! before the next variable is chosen.
//!
//! With [`Consistency::Arc`](super::Consistency), this is MAC (Sabin & Freuder 1994); with
//! [`Consistency::Forward`](super::Consistency), it is forward checking (Haralick & Elliott 1980).

use std::ops::ControlFlow;

use super::network::VariableId;
use super::solver::Solver;

/// The order in which variables are chosen. Ties go to the first variable on the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The variable with the smallest ratio of domain size to weight (Boussemart, Hemery, Lecoutre & Sais 2004). The
    /// weight of a variable is the sum of the weights of its constraints with another open variable. The weight of a
    /// constraint is 1 plus the number of its failures. Weights persist from search to search until
    /// [`Solver::reset_weights`] is called; they affect the order of the solutions, but not the set.
    #[default]
    DomWdeg,
    /// The variable with the smallest domain.
    Dom,
    /// The first variable on the list.
    Lex,
}

impl Solver {
    /// Calls `visit` for each assignment of the variables in `branching` that propagation does not refute. During the
    /// call, the solver's state shows all consequences of the assignment; `visit` may change it if it undoes its
    /// changes. The assignment is a solution if all variables are then fixed. If the variables in `branching` determine
    /// all others, the assignments are exactly the solutions, and each solution is visited once.
    ///
    /// Inputs must be fixed and propagated before the call. A failed solver has no solutions. Afterwards the solver is
    /// in the same state as before. If `visit` breaks, the search stops and returns the break value.
    pub fn search<B>(
        &mut self,
        branching: &[VariableId],
        order: Order,
        mut visit: impl FnMut(&mut Solver) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.is_failed() {
            return ControlFlow::Continue(());
        }
        self.search_from(branching, order, &mut visit)
    }

    fn search_from<B>(
        &mut self,
        branching: &[VariableId],
        order: Order,
        visit: &mut impl FnMut(&mut Solver) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some(variable) = self.choose(branching, order) else { return visit(self) };
        let mark = self.mark();
        let mut last = None;
        while let Some(value) = self.value_after(variable, last) {
            last = Some(value);
            self.counters.nodes += 1;
            let flow = if self.fix(variable, value) && self.propagate() {
                self.search_from(branching, order, visit)
            } else {
                ControlFlow::Continue(())
            };
            self.undo(mark);
            flow?;
        }
        ControlFlow::Continue(())
    }

    fn choose(&self, branching: &[VariableId], order: Order) -> Option<VariableId> {
        let mut open = branching.iter().copied().filter(|&variable| self.domain_size(variable) > 1);
        let mut best = open.next()?;
        if order == Order::Lex {
            return Some(best);
        }
        let Some(second) = open.next() else { return Some(best) };
        let weight =
            |variable| if order == Order::Dom { 1 } else { self.weighted_degree(variable) };
        let mut best_weight = weight(best);
        for variable in std::iter::once(second).chain(open) {
            let weight = weight(variable);
            // Compares size / weight without division; variables without constraints come last.
            let (size, best_size) = (self.domain_size(variable), self.domain_size(best));
            if size as u128 * u128::from(best_weight) < best_size as u128 * u128::from(weight) {
                (best, best_weight) = (variable, weight);
            }
        }
        Some(best)
    }

    fn weighted_degree(&self, variable: VariableId) -> u64 {
        let index = variable.0 as usize;
        let (start, end) = (self.first_constraints[index], self.first_constraints[index + 1]);
        let constraints = &self.constraints_of[start as usize..end as usize];
        let weights = constraints.iter().map(|&constraint| {
            let index = constraint as usize;
            let (start, end) = (self.first_scopes[index], self.first_scopes[index + 1]);
            let mut scope = self.scopes[start as usize..end as usize].iter();
            let is_open = scope.any(|&other| other != variable.0 && !self.store.is_fixed(other));
            if is_open { self.weights[index] } else { 0 }
        });
        weights.sum()
    }
}
