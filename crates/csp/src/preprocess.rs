//! Preprocessing of a network that is then solved many times (Piette, Koriche, Lagrue & Tabary 2016, *General game
//! playing with stochastic CSP*, section 4.1). Preprocessing preserves the set of solutions.

use super::network::{Constraint, Literal, Network, VariableId};
use super::size::NetworkSize;
use super::solver::Solver;
use super::stage::Stage;

/// The steps of the preprocessing, which are carried out in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preprocessing {
    /// True to merge tables with the same variables into a table of their common tuples.
    pub merge: bool,
    /// True to turn tables of one variable into the domain of the variable.
    pub unary: bool,
    /// True to remove a variable from a table if each of its values is allowed with every allowed combination of the
    /// others.
    pub universal: bool,
    /// True to remove each value that makes the network arc inconsistent if its variable is fixed to it, until nothing
    /// changes (singleton arc consistency, Debruyne & Bessière 1997). Afterwards, constraints that clearly hold for all
    /// remaining values are removed, too.
    pub singleton: bool,
    /// The number of revisions (see [`Counters`](super::Counters)) after which no more values are tried. The revisions
    /// for the last value may exceed it.
    pub max_revisions: u64,
}

impl Default for Preprocessing {
    /// Returns all steps, with a maximum of 200,000 revisions.
    fn default() -> Preprocessing {
        Preprocessing {
            merge: true,
            unary: true,
            universal: true,
            singleton: true,
            max_revisions: 200_000,
        }
    }
}

/// The result of preprocessing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreprocessingReport {
    /// The size of the network before preprocessing.
    pub before: NetworkSize,
    /// The size of the network after preprocessing.
    pub after: NetworkSize,
    /// The number of revisions that singleton arc consistency took.
    pub revisions: u64,
    /// True if the maximum number of revisions was reached, so that some values were not tried.
    pub is_capped: bool,
    /// `false` if the network is proven to have no solution.
    pub is_consistent: bool,
}

/// Makes a network smaller. Its variables keep their numbers; the remaining constraints keep their order.
pub fn preprocess(network: &mut Network, steps: &Preprocessing) -> PreprocessingReport {
    let work = Work {
        is_effect: vec![false; network.constraints.len()],
        chance: None,
        is_kept_whole: vec![false; network.num_variables()],
        network: std::mem::take(network),
    };
    let (work, report) = work.run(steps);
    *network = work.network;
    report
}

/// Makes the network of a stage smaller. Tables that are effects are merged only with each other.
///
/// The possible values of chance must not change. The variable of chance therefore keeps values that are incompatible
/// with every decision: a decision that could lead to such a value is infeasible. The other variables that share
/// constraints with chance, except the decisions, keep their values, too. Tables with chance keep their variables
/// unless they are effects.
pub fn preprocess_stage(stage: &mut Stage, steps: &Preprocessing) -> PreprocessingReport {
    let mut is_effect = vec![false; stage.network.constraints.len()];
    stage.effects.iter().for_each(|&index| is_effect[index] = true);
    let network = std::mem::take(&mut stage.network);
    let mut is_kept_whole = vec![false; network.num_variables()];
    if let Some(chance) = stage.chance {
        let constraints = network.constraints.iter().zip(&is_effect);
        let scopes = constraints.filter(|(_, is_effect)| !**is_effect).map(|(c, _)| c.variables());
        let with_chance = scopes.filter(|scope| scope.contains(&chance));
        let variables = with_chance.flatten().filter(|id| !stage.decisions.contains(id));
        variables.chain([chance]).for_each(|id| is_kept_whole[id.0 as usize] = true);
    }
    let work = Work { network, is_effect, chance: stage.chance, is_kept_whole };
    let (work, report) = work.run(steps);
    stage.effects = (0..work.is_effect.len()).filter(|&index| work.is_effect[index]).collect();
    stage.network = work.network;
    report
}

struct Work {
    network: Network,
    /// For each constraint, `true` if it is an effect.
    is_effect: Vec<bool>,
    chance: Option<VariableId>,
    /// For each variable, `true` if singleton arc consistency leaves its domain unchanged.
    is_kept_whole: Vec<bool>,
}

impl Work {
    fn run(mut self, steps: &Preprocessing) -> (Work, PreprocessingReport) {
        let mut report = PreprocessingReport {
            before: NetworkSize::of(&self.network),
            after: NetworkSize::default(),
            revisions: 0,
            is_capped: false,
            is_consistent: true,
        };
        if steps.merge {
            self.merge();
        }
        if steps.unary {
            self.make_domains();
        }
        if steps.universal {
            self.drop_universal();
        }
        if steps.singleton {
            self.make_singleton_consistent(steps.max_revisions, &mut report);
        }
        if self.network.domains.iter().any(|domain| domain.is_empty()) {
            report.is_consistent = false;
        }
        report.after = NetworkSize::of(&self.network);
        (self, report)
    }

    fn retain(&mut self, is_kept: &[bool]) {
        let mut at = is_kept.iter();
        self.network.constraints.retain(|_| *at.next().expect("one for each constraint"));
        let mut at = is_kept.iter();
        self.is_effect.retain(|_| *at.next().expect("one for each constraint"));
    }

    fn merge(&mut self) {
        // Groups tables by their sorted variables, since scopes may be in any order.
        let constraints = &mut self.network.constraints;
        let mut groups: Vec<(bool, Vec<VariableId>, usize)> = Vec::new();
        for (index, constraint) in constraints.iter_mut().enumerate() {
            if let Constraint::Table { scope, tuples } = constraint {
                sort_scope(scope, tuples);
                groups.push((self.is_effect[index], scope.to_vec(), index));
            }
        }
        groups.sort_unstable();
        let mut is_kept = vec![true; constraints.len()];
        for group in groups.chunk_by(|a, b| (a.0, &a.1) == (b.0, &b.1)) {
            let first = group[0].2;
            for &(.., index) in &group[1..] {
                let other = constraints[index].clone();
                if let (
                    Constraint::Table { tuples: others, .. },
                    Constraint::Table { scope, tuples },
                ) = (&other, &mut constraints[first])
                {
                    *tuples = intersection(scope.len(), tuples, others);
                }
                is_kept[index] = false;
            }
        }
        self.retain(&is_kept);
    }

    fn make_domains(&mut self) {
        let Network { domains, constraints } = &mut self.network;
        let mut is_kept = vec![true; constraints.len()];
        for (index, constraint) in constraints.iter().enumerate() {
            if let Constraint::Table { scope, tuples } = constraint
                && let [variable] = scope[..]
            {
                let domain = &mut domains[variable.0 as usize];
                *domain = domain.iter().copied().filter(|value| tuples.contains(value)).collect();
                is_kept[index] = false;
            }
        }
        self.retain(&is_kept);
        self.drop_tuples();
    }

    /// Drops tuples with values outside of the domains.
    fn drop_tuples(&mut self) {
        let Network { domains, constraints } = &mut self.network;
        for constraint in constraints {
            if let Constraint::Table { scope, tuples } = constraint
                && !scope.is_empty()
            {
                let is_left = |tuple: &&[u16]| {
                    let mut pairs = scope.iter().zip(*tuple);
                    pairs.all(|(id, value)| domains[id.0 as usize].binary_search(value).is_ok())
                };
                let left = tuples.chunks_exact(scope.len()).filter(is_left);
                *tuples = left.flatten().copied().collect();
            }
        }
    }

    fn drop_universal(&mut self) {
        self.drop_tuples();
        let mut is_kept = vec![true; self.network.constraints.len()];
        for (index, constraint) in self.network.constraints.iter_mut().enumerate() {
            let Constraint::Table { scope, tuples } = constraint else { continue };
            if !self.is_effect[index] && self.chance.is_some_and(|id| scope.contains(&id)) {
                continue;
            }
            let mut column = 0;
            while column < scope.len() && !tuples.is_empty() {
                let size = self.network.domains[scope[column].0 as usize].len();
                let num_tuples = tuples.len() / scope.len();
                if scope.len() == 1 {
                    is_kept[index] = num_tuples < size;
                    break;
                }
                let rest = projection(scope.len(), tuples, column);
                if num_tuples == size * (rest.len() / (scope.len() - 1)) {
                    *scope = without(scope, column);
                    *tuples = rest;
                } else {
                    column += 1;
                }
            }
        }
        self.retain(&is_kept);
    }

    fn make_singleton_consistent(&mut self, max_revisions: u64, report: &mut PreprocessingReport) {
        let mut solver = Solver::new(&self.network);
        let flow = singletons(&mut solver, self.network.num_variables(), max_revisions);
        report.revisions = solver.counters().revisions;
        report.is_capped = flow == Singletons::Capped;
        report.is_consistent = flow != Singletons::Failed;
        if flow == Singletons::Failed {
            return;
        }
        for (index, domain) in self.network.domains.iter_mut().enumerate() {
            if !self.is_kept_whole[index] {
                *domain = solver.domain(VariableId(index as u32)).collect();
            }
        }
        self.drop_tuples();
        let domains = &self.network.domains;
        let is_kept = self.network.constraints.iter().map(|c| !is_always_true(c, domains));
        let is_kept: Vec<bool> = is_kept.collect();
        self.retain(&is_kept);
    }
}

#[derive(PartialEq, Eq)]
enum Singletons {
    Done,
    Capped,
    Failed,
}

/// Fixes each variable to each of its values in turn. Removes the value permanently if arc consistency fails.
fn singletons(solver: &mut Solver, num_variables: usize, max_revisions: u64) -> Singletons {
    if solver.is_failed() {
        return Singletons::Failed;
    }
    loop {
        let mut is_changed = false;
        for variable in (0..num_variables as u32).map(VariableId) {
            let mut last = None;
            while let Some(value) = solver.value_after(variable, last) {
                last = Some(value);
                // A domain with only one value is arc consistent already.
                if solver.domain_size(variable) == 1 {
                    break;
                }
                if solver.counters().revisions >= max_revisions {
                    return Singletons::Capped;
                }
                if !solver.admits(variable, value) {
                    is_changed = true;
                    if !(solver.remove(variable, value) && solver.propagate()) {
                        return Singletons::Failed;
                    }
                    solver.settle();
                }
            }
        }
        if !is_changed {
            return Singletons::Done;
        }
    }
}

/// Sorts the scope of a table, and reorders the tuples accordingly.
fn sort_scope(scope: &mut Box<[VariableId]>, tuples: &mut Box<[u16]>) {
    if scope.is_sorted() {
        return;
    }
    let mut columns: Vec<usize> = (0..scope.len()).collect();
    columns.sort_unstable_by_key(|&column| scope[column]);
    let reordered = tuples.chunks_exact(scope.len());
    let reordered = reordered.map(|tuple| columns.iter().map(|&column| tuple[column]).collect());
    let mut reordered: Vec<Vec<u16>> = reordered.collect();
    reordered.sort_unstable();
    *tuples = reordered.concat().into();
    *scope = columns.iter().map(|&column| scope[column]).collect();
}

/// Returns the common tuples of two tables with the same scope. Both lists of tuples are sorted; `arity` is the length
/// of a tuple.
fn intersection(arity: usize, tuples: &[u16], others: &[u16]) -> Box<[u16]> {
    let mut others = others.chunks_exact(arity.max(1)).peekable();
    let mut both = Vec::new();
    for tuple in tuples.chunks_exact(arity.max(1)) {
        while others.next_if(|other| *other < tuple).is_some() {}
        if others.peek() == Some(&tuple) {
            both.extend_from_slice(tuple);
        }
    }
    both.into()
}

fn without<T: Copy>(items: &[T], column: usize) -> Box<[T]> {
    items[..column].iter().chain(&items[column + 1..]).copied().collect()
}

/// Removes a column from the tuples. The result is sorted and has no duplicates.
fn projection(arity: usize, tuples: &[u16], column: usize) -> Box<[u16]> {
    let shorter = tuples.chunks_exact(arity).map(|tuple| without(tuple, column));
    let mut shorter: Vec<Box<[u16]>> = shorter.collect();
    shorter.sort_unstable();
    shorter.dedup();
    shorter.iter().flatten().copied().collect()
}

/// Returns `true` if a constraint is easily seen to hold for all values of the domains. A least model is recognised
/// only if all its variables are fixed.
fn is_always_true(constraint: &Constraint, domains: &[Box<[u16]>]) -> bool {
    let domain = |id: VariableId| &domains[id.0 as usize];
    let is_true = |literal: &Literal| match literal.is_equal {
        true => **domain(literal.variable) == [literal.value],
        false => !domain(literal.variable).contains(&literal.value),
    };
    let is_false =
        |literal: &Literal| is_true(&Literal { is_equal: !literal.is_equal, ..*literal });
    match constraint {
        Constraint::Table { scope, tuples } => {
            let mut sizes = scope.iter().map(|&id| domain(id).len() as u64);
            let num_all = sizes.try_fold(1, u64::checked_mul);
            num_all == Some(tuples.len() as u64 / scope.len().max(1) as u64) || scope.is_empty()
        }
        Constraint::Clause(literals) => literals.iter().any(|literal| {
            // The literals of one variable may together cover all its values.
            let own = literals.iter().filter(|other| other.variable == literal.variable);
            domain(literal.variable).iter().all(|&value| {
                own.clone().any(|literal| (literal.value == value) == literal.is_equal)
            })
        }),
        Constraint::Definition { head, bodies } => {
            is_true(head) && bodies.iter().any(|body| body.iter().all(is_true))
                || is_false(head) && bodies.iter().all(|body| body.iter().any(is_false))
        }
        Constraint::LeastModel { .. } => {
            constraint.variables().iter().all(|&id| domain(id).len() == 1)
                && !Solver::new(&Network {
                    domains: domains.to_vec(),
                    constraints: vec![constraint.clone()],
                })
                .is_failed()
        }
    }
}
