//! One-stage stochastic problems: decisions, then chance, then their effects.
//!
//! A decision is feasible if it satisfies the constraints for every possible value of chance. There are two ways to
//! list all feasible decisions (Piette, Koriche, Lagrue & Tabary 2016, *General game playing with stochastic CSP*,
//! section 4.2):
//!
//! - [`StageMethod::Mac`] splits the stage. Forward checking for one-stage problems (Balafoutis & Stergiou 2006,
//!   *Algorithms for stochastic CSPs*) enumerates the feasible decisions for the constraints on chance. After each
//!   decision, every value of chance must keep a support, and values of later variables that are incompatible with some
//!   value of chance are removed. The result is a table for MAC, which solves the other constraints.
//! - [`StageMethod::Fc`] solves the whole stage by forward checking. Chance is the last variable, and a decision is
//!   feasible if each value of chance leads to a solution.
//!
//! To find the possible values of chance (its law), forward checking is applied to the constraints without decisions,
//! after the inputs are fixed. The remaining values are the law. If constraints with decisions exclude some of these
//! values, the decisions are infeasible.

use std::ops::ControlFlow;

use super::network::{Network, VariableId};
use super::search::Order;
use super::solver::{Consistency, Counters, Mark, Solver};

/// A one-stage problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// All variables and constraints. Decisions, chance and fixed inputs are free variables. Once these have values,
    /// propagation must determine all other variables, except variables that occur only in effects.
    pub network: Network,
    /// The decision variables, in the order in which decisions are listed.
    pub decisions: Vec<VariableId>,
    /// The variable of chance, or `None` if chance makes no move.
    pub chance: Option<VariableId>,
    /// The indices of the constraints that only describe the effects of decisions and chance. They never exclude a
    /// decision, and are evaluated after a decision is found.
    pub effects: Vec<usize>,
}

/// The method for solving a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageMethod {
    /// Splits the stage: forward checking for chance, MAC for the rest.
    Mac,
    /// Solves the whole stage by forward checking.
    Fc,
}

/// Solves one stage repeatedly, with different inputs.
#[derive(Debug, Clone)]
pub struct StageSolver {
    decisions: Box<[VariableId]>,
    chance: Option<VariableId>,
    order: Order,
    /// The solver of the network without effects and, if the stage is split, without the constraints on chance.
    choices: Entered,
    /// The constraints on chance, if the stage is split.
    chances: Option<Chances>,
    /// The solver of the whole network.
    outcomes: Entered,
    /// The solver of the constraints without decisions that are not effects; `None` if the stage has no chance.
    laws: Option<Entered>,
    /// The possible values of chance, in increasing order.
    law: Vec<u16>,
    is_consistent: bool,
    /// A buffer for the decision that `visit` receives.
    shown: Vec<u16>,
}

/// A solver, and a mark of its state before the inputs are fixed.
#[derive(Debug, Clone)]
struct Entered {
    solver: Solver,
    root: Mark,
}

impl Entered {
    fn new(mut solver: Solver) -> Entered {
        let root = solver.mark();
        Entered { solver, root }
    }

    fn enter(&mut self, inputs: &[(VariableId, u16)]) -> bool {
        self.solver.undo(self.root);
        inputs.iter().all(|&(variable, value)| self.solver.fix(variable, value))
            && self.solver.propagate()
    }
}

/// The constraints on chance, with the decisions that they allow.
#[derive(Debug, Clone)]
struct Chances {
    entered: Entered,
    chance: VariableId,
    scope: Box<[VariableId]>,
    /// The variables of the scope that are decisions.
    decisions: Box<[VariableId]>,
    /// The feasible combinations of values of these decisions, one after the other.
    tuples: Vec<u16>,
    num_tuples: usize,
    /// For each decision, the values that are compatible with every value of chance.
    kept: Box<[Vec<u16>]>,
    /// True if the inputs and the other constraints fix all variables of the scope except the decisions.
    is_closed: bool,
}

/// Returns the network with the constraints for whose index `is_in` returns `true`.
fn part(network: &Network, mut is_in: impl FnMut(usize) -> bool) -> Network {
    let constraints = network.constraints.iter().enumerate();
    Network {
        domains: network.domains.clone(),
        constraints: constraints
            .filter(|(index, _)| is_in(*index))
            .map(|(_, c)| c.clone())
            .collect(),
    }
}

impl StageSolver {
    /// Creates a solver for a stage.
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`Solver::new`].
    pub fn new(stage: &Stage, method: StageMethod, order: Order) -> StageSolver {
        let network = &stage.network;
        let mut is_effect = vec![false; network.constraints.len()];
        stage.effects.iter().for_each(|&index| is_effect[index] = true);
        let has_chance = |index: usize| {
            let variables = network.constraints[index].variables();
            stage.chance.is_some_and(|chance| variables.contains(&chance))
        };
        let (choices, chances) = match (method, stage.chance) {
            (StageMethod::Mac, Some(chance)) => {
                let split = part(network, |index| !is_effect[index] && has_chance(index));
                let chances = Chances::new(&split, chance, &stage.decisions);
                let rest = part(network, |index| !is_effect[index] && !has_chance(index));
                (Solver::build(&rest, Consistency::Arc, &chances.decisions), Some(chances))
            }
            (method, _) => {
                let whole = part(network, |index| !is_effect[index]);
                let consistency = match method {
                    StageMethod::Mac => Consistency::Arc,
                    StageMethod::Fc => Consistency::Forward,
                };
                (Solver::with(&whole, consistency), None)
            }
        };
        let laws = stage.chance.map(|_| {
            let has_decision = |index: usize| {
                let variables = network.constraints[index].variables();
                variables.iter().any(|variable| stage.decisions.contains(variable))
            };
            let laws = part(network, |index| !is_effect[index] && !has_decision(index));
            Entered::new(Solver::with(&laws, Consistency::Forward))
        });
        StageSolver {
            decisions: stage.decisions.clone().into(),
            chance: stage.chance,
            order,
            choices: Entered::new(choices),
            chances,
            outcomes: Entered::new(Solver::new(network)),
            laws,
            law: Vec::new(),
            is_consistent: false,
            shown: Vec::new(),
        }
    }

    /// Replaces the inputs. Returns `true` if no constraint contradicts them.
    pub fn enter(&mut self, inputs: &[(VariableId, u16)]) -> bool {
        self.law.clear();
        self.is_consistent = self.choices.enter(inputs) && self.outcomes.enter(inputs);
        if let (Some(laws), Some(chance)) = (&mut self.laws, self.chance) {
            self.is_consistent = self.is_consistent && laws.enter(inputs);
            self.law.extend(laws.solver.domain(chance));
        }
        if let Some(chances) = &mut self.chances {
            self.is_consistent = self.is_consistent && chances.enter(&self.choices.solver);
        }
        self.is_consistent
    }

    /// Returns the solver in the state that follows from the inputs alone.
    pub fn state(&self) -> &Solver {
        &self.outcomes.solver
    }

    /// Calls `visit` once with each feasible decision, which contains a value for each decision variable. If `visit`
    /// breaks, stops and returns the break value. There are no decisions if [`StageSolver::enter`] returned `false`.
    pub fn solve<B>(&mut self, mut visit: impl FnMut(&[u16]) -> ControlFlow<B>) -> ControlFlow<B> {
        let StageSolver { decisions, chances, law, shown, .. } = self;
        if !self.is_consistent {
            return ControlFlow::Continue(());
        }
        let solver = &mut self.choices.solver;
        // The order of a state's decisions must not depend on the states solved before.
        solver.reset_weights();
        let mark = solver.mark();
        if let Some(chances) = chances {
            chances.enumerate(law);
            if chances.num_tuples == 0 {
                return ControlFlow::Continue(());
            }
            if !chances.decisions.is_empty() {
                solver.give_tuples(&chances.tuples);
            }
        }
        let chance = self.chance;
        let flow = if solver.propagate() {
            solver.search(decisions, self.order, |solver| {
                let is_feasible = match (&mut *chances, chance) {
                    (Some(chances), _) => chances.is_closed || chances.agrees(solver, law),
                    (None, Some(chance)) => all_chances_lead_on(solver, chance, law),
                    (None, None) => true,
                };
                if !is_feasible {
                    return ControlFlow::Continue(());
                }
                shown.clear();
                shown.extend(decisions.iter().filter_map(|&decision| solver.value(decision)));
                visit(shown)
            })
        } else {
            ControlFlow::Continue(())
        };
        solver.undo(mark);
        flow
    }

    /// For each possible value of chance after the decision `chosen`, calls `see` with the value and with the solver in
    /// the resulting state. For a stage without chance, calls `see` once, with `None`. Returns `false` on a
    /// contradiction, which a feasible decision excludes.
    pub fn outcomes(&mut self, chosen: &[u16], mut see: impl FnMut(Option<u16>, &Solver)) -> bool {
        let solver = &mut self.outcomes.solver;
        let mark = solver.mark();
        let mut pairs = self.decisions.iter().zip(chosen);
        let mut is_consistent =
            pairs.all(|(&id, &value)| solver.fix(id, value)) && solver.propagate();
        match self.chance {
            None if is_consistent => see(None, solver),
            None => {}
            Some(chance) => {
                let after = solver.mark();
                for &value in &self.law {
                    is_consistent =
                        is_consistent && solver.fix(chance, value) && solver.propagate();
                    if is_consistent {
                        see(Some(value), solver);
                    }
                    solver.undo(after);
                }
            }
        }
        solver.undo(mark);
        is_consistent
    }

    /// Returns the work of the searches for decisions so far. If the stage is split, this is the work of both solvers.
    pub fn counters(&self) -> Counters {
        let mut sum = self.choices.solver.counters();
        if let Some(chances) = &self.chances {
            let more = chances.entered.solver.counters();
            sum.revisions += more.revisions;
            sum.nodes += more.nodes;
        }
        sum
    }
}

/// Returns `true` if each possible value of chance leads to a solution.
fn all_chances_lead_on(solver: &mut Solver, chance: VariableId, law: &[u16]) -> bool {
    law.iter().all(|&value| {
        solver.counters.nodes += 1;
        solver.admits(chance, value)
    })
}

impl Chances {
    fn new(split: &Network, chance: VariableId, decisions: &[VariableId]) -> Chances {
        let mut scope: Vec<VariableId> =
            split.constraints.iter().flat_map(|constraint| constraint.variables()).collect();
        scope.sort_unstable();
        scope.dedup();
        scope.retain(|&variable| variable != chance);
        let own = decisions.iter().copied().filter(|decision| scope.contains(decision));
        let decisions: Box<[VariableId]> = own.collect();
        Chances {
            entered: Entered::new(Solver::with(split, Consistency::Forward)),
            chance,
            kept: vec![Vec::new(); decisions.len()].into(),
            scope: scope.into(),
            decisions,
            tuples: Vec::new(),
            num_tuples: 0,
            is_closed: false,
        }
    }

    /// Reduces the domains to those in `choices`, which are the values that the other constraints allow for the current
    /// inputs. Returns `false` on a contradiction.
    fn enter(&mut self, choices: &Solver) -> bool {
        let Entered { solver, root } = &mut self.entered;
        solver.undo(*root);
        let mut scope = self.scope.iter();
        self.is_closed =
            scope.all(|&id| choices.domain_size(id) == 1 || self.decisions.contains(&id));
        for &variable in &self.scope {
            let mut last = None;
            while let Some(value) = solver.value_after(variable, last) {
                last = Some(value);
                if !choices.contains(variable, value) && !solver.remove(variable, value) {
                    return false;
                }
            }
        }
        solver.propagate()
    }

    /// Lists the values of the decisions in the scope that are compatible with every value of chance.
    fn enumerate(&mut self, law: &[u16]) {
        self.tuples.clear();
        self.num_tuples = 0;
        if self.decisions.is_empty() {
            // If all other variables are fixed, forward checking has already checked the other values of chance.
            let is_seen =
                self.is_closed && self.entered.solver.domain_size(self.chance) == law.len();
            let is_feasible = is_seen || self.keeps_supports(0, law);
            self.num_tuples = usize::from(is_feasible);
        } else {
            self.enumerate_from(0, law);
        }
    }

    fn enumerate_from(&mut self, depth: usize, law: &[u16]) {
        let Some(&variable) = self.decisions.get(depth) else {
            let solver = &self.entered.solver;
            self.tuples.extend(self.decisions.iter().filter_map(|&id| solver.value(id)));
            self.num_tuples += 1;
            return;
        };
        let mark = self.entered.solver.mark();
        let mut last = None;
        while let Some(value) = self.entered.solver.value_after(variable, last) {
            last = Some(value);
            let solver = &mut self.entered.solver;
            solver.counters.nodes += 1;
            if solver.fix(variable, value)
                && solver.propagate()
                && self.keeps_supports(depth + 1, law)
            {
                self.enumerate_from(depth + 1, law);
            }
            self.entered.solver.undo(mark);
        }
    }

    /// Returns `true` if every value of chance is still possible after the first `num_fixed` decisions. Removes values
    /// of the other decisions that are incompatible with some value of chance.
    fn keeps_supports(&mut self, num_fixed: usize, law: &[u16]) -> bool {
        let solver = &mut self.entered.solver;
        let mark = solver.mark();
        let later = &self.decisions[num_fixed..];
        let kept = &mut self.kept[num_fixed..];
        for (&variable, kept) in later.iter().zip(&mut *kept) {
            kept.clear();
            kept.extend(solver.domain(variable));
        }
        for &value in law {
            let is_left = solver.fix(self.chance, value) && solver.propagate();
            if is_left {
                for (&variable, kept) in later.iter().zip(&mut *kept) {
                    kept.retain(|&value| solver.contains(variable, value));
                }
            }
            solver.undo(mark);
            if !is_left {
                return false;
            }
        }
        for (&variable, kept) in later.iter().zip(&*kept) {
            let mut last = None;
            while let Some(value) = solver.value_after(variable, last) {
                last = Some(value);
                if kept.binary_search(&value).is_err() && !solver.remove(variable, value) {
                    return false;
                }
            }
        }
        solver.propagate()
    }

    /// Returns `true` if every value of chance is compatible with the fixed variables of `choices`.
    fn agrees(&mut self, choices: &Solver, law: &[u16]) -> bool {
        let solver = &mut self.entered.solver;
        let mark = solver.mark();
        let mut known = self.scope.iter().filter_map(|&id| Some((id, choices.value(id)?)));
        let is_left = known.all(|(id, value)| solver.fix(id, value)) && solver.propagate();
        let is_feasible = is_left && law.iter().all(|&value| solver.admits(self.chance, value));
        solver.undo(mark);
        is_feasible
    }
}
