//! One-stage stochastic problems: decisions, then chance, and what comes of them.
//!
//! A decision is feasible if it satisfies the constraints whatever chance brings. All feasible decisions are listed in one of two
//! ways (Piette, Koriche, Lagrue & Tabary 2016, *General game playing with stochastic CSP*, section 4.2):
//!
//! - [`StageMethod::Mac`] splits the stage. Of the constraints on chance the feasible decisions are enumerated by forward checking
//!   for one-stage problems (Balafoutis & Stergiou 2006, *Algorithms for stochastic CSPs*): after each value, all values of chance
//!   must keep a support, and a value of a later variable that one of them refuses goes. They are a table for MAC, which solves
//!   the other constraints.
//! - [`StageMethod::Fc`] solves the whole stage by forward checking. Chance is a variable, the last one, and a decision is
//!   feasible if each of its values leads to a solution.
//!
//! What chance may bring is what forward checking of the constraints without decisions leaves of its variable once the inputs
//! are fixed. These are its law; what constraints with decisions do not allow it, decisions must not lead to.

use std::ops::ControlFlow;

use super::network::{Network, VariableId};
use super::search::Order;
use super::solver::{Consistency, Counters, Mark, Solver};

/// A problem of one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// All variables and constraints. Those that are neither decided nor chance nor fixed as inputs must follow from these by
    /// propagation, or matter to effects only.
    pub network: Network,
    /// The variables to decide, in the order in which decisions are listed.
    pub decisions: Vec<VariableId>,
    /// The variable of chance.
    pub chance: Option<VariableId>,
    /// Constraints, by their places in the network, that say what comes of decisions and chance. No solution breaks them, and
    /// they are looked at after it was found.
    pub effects: Vec<usize>,
}

/// How a stage is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageMethod {
    /// Split, by forward checking for chance and MAC for the rest.
    Mac,
    /// Not split, by forward checking.
    Fc,
}

/// Solves a stage again and again, each time with other inputs.
#[derive(Debug, Clone)]
pub struct StageSolver {
    decisions: Box<[VariableId]>,
    chance: Option<VariableId>,
    order: Order,
    keeps_weights: bool,
    /// Without effects, and when split without the constraints on chance.
    choices: Entered,
    /// The constraints on chance if they are split off.
    chances: Option<Chances>,
    /// Everything.
    outcomes: Entered,
    /// The constraints without effects and decisions, if there is chance.
    laws: Option<Entered>,
    /// What chance may bring, in increasing order.
    law: Vec<u16>,
    is_consistent: bool,
    /// A decision that is shown.
    shown: Vec<u16>,
}

/// A solver with its state before inputs were fixed.
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

/// The constraints on chance.
#[derive(Debug, Clone)]
struct Chances {
    entered: Entered,
    chance: VariableId,
    /// The variables of the constraints other than chance.
    scope: Box<[VariableId]>,
    /// Decisions among them.
    decisions: Box<[VariableId]>,
    /// The feasible values of these decisions, one tuple after the other.
    tuples: Vec<u16>,
    num_tuples: usize,
    /// Of each decision the values that no value of chance refuses.
    kept: Box<[Vec<u16>]>,
    /// Whether the other constraints and the inputs leave nothing open but decisions and chance.
    is_closed: bool,
}

/// The variables of a network with some of its constraints.
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
    /// A solver of a stage.
    ///
    /// # Panics
    ///
    /// As [`Solver::new`].
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
                (Solver::with_listed(&rest, &chances.decisions), Some(chances))
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
            keeps_weights: false,
            choices: Entered::new(choices),
            chances,
            outcomes: Entered::new(Solver::new(network)),
            laws,
            law: Vec::new(),
            is_consistent: false,
            shown: Vec::new(),
        }
    }

    /// Whether weights are kept from one state to the next, for [`Order::DomWdeg`]. They are not at the start: then the
    /// decisions of a state come in the same order whatever was solved before.
    pub fn keep_weights(&mut self, keeps_weights: bool) {
        self.keeps_weights = keeps_weights;
    }

    /// Fixes inputs in place of those before, and returns whether nothing contradicts them.
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

    /// What chance may bring with these inputs, in increasing order. There is nothing if the stage is without chance.
    pub fn chance_values(&self) -> &[u16] {
        &self.law
    }

    /// What follows from the inputs alone.
    pub fn state(&self) -> &Solver {
        &self.outcomes.solver
    }

    /// Calls `visit` with each feasible decision, a value for each of the decision variables of the stage, each once. Stops early
    /// if `visit` breaks, and returns what it breaks with. There is none if [`StageSolver::enter`] returned false.
    pub fn solve<B>(&mut self, mut visit: impl FnMut(&[u16]) -> ControlFlow<B>) -> ControlFlow<B> {
        let StageSolver { decisions, chances, law, shown, .. } = self;
        if !self.is_consistent {
            return ControlFlow::Continue(());
        }
        let solver = &mut self.choices.solver;
        if !self.keeps_weights {
            solver.reset_weights();
        }
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

    /// Calls `visit` with each value of chance, or once if there is no chance, and with what follows if it comes after a
    /// decision. Returns false if something is contradicted, which is not so after a feasible decision.
    pub fn outcomes(
        &mut self,
        decision: &[u16],
        mut visit: impl FnMut(Option<u16>, &Solver),
    ) -> bool {
        let solver = &mut self.outcomes.solver;
        let mark = solver.mark();
        let mut pairs = self.decisions.iter().zip(decision);
        let mut is_consistent =
            pairs.all(|(&id, &value)| solver.fix(id, value)) && solver.propagate();
        match self.chance {
            None if is_consistent => visit(None, solver),
            None => {}
            Some(chance) => {
                let after = solver.mark();
                for &value in &self.law {
                    is_consistent =
                        is_consistent && solver.fix(chance, value) && solver.propagate();
                    if is_consistent {
                        visit(Some(value), solver);
                    }
                    solver.undo(after);
                }
            }
        }
        solver.undo(mark);
        is_consistent
    }

    /// What the searches for decisions have done so far, both if the stage is split.
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

/// Branches on chance, and returns whether each value it may have leads to a solution.
fn all_chances_lead_on(solver: &mut Solver, chance: VariableId, law: &[u16]) -> bool {
    let mark = solver.mark();
    law.iter().all(|&value| {
        solver.counters.nodes += 1;
        let is_left = solver.fix(chance, value) && solver.propagate();
        solver.undo(mark);
        is_left
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

    /// Takes what the other constraints leave of the variables with these inputs.
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

    /// Lists the tuples of values of the decisions that no value of chance refuses.
    fn enumerate(&mut self, law: &[u16]) {
        self.tuples.clear();
        self.num_tuples = 0;
        if self.decisions.is_empty() {
            // If all else was fixed, forward checking has looked at all that is left of chance.
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

    /// Whether each value of chance keeps supports after the first decisions were fixed. From the domains of the others goes what
    /// one of the values of chance refuses.
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

    /// Whether no value of chance is refused after a solution of the other constraints.
    fn agrees(&mut self, choices: &Solver, law: &[u16]) -> bool {
        let solver = &mut self.entered.solver;
        let mark = solver.mark();
        let mut known = self.scope.iter().filter_map(|&id| Some((id, choices.value(id)?)));
        let is_left = known.all(|(id, value)| solver.fix(id, value)) && solver.propagate();
        let is_feasible = is_left && {
            let after = solver.mark();
            law.iter().all(|&value| {
                let is_left = solver.fix(self.chance, value) && solver.propagate();
                solver.undo(after);
                is_left
            })
        };
        solver.undo(mark);
        is_feasible
    }
}
