//! Creates the variables and constraints of an encoding on demand.

use std::collections::{BTreeSet, HashMap, VecDeque};

use ruse_gdl::{AtomId, AtomKind, MoveId, RoleId, Rules};

use super::super::network::{Constraint, LeastRule, Literal, Network, VariableId};
use super::super::size::num_literals;
use super::encoding::{ConstraintKind, EncodeError, EncodeOptions, Result, VariableKind};
use super::families::Group;
use super::fold::{Folded, Slot};
use super::formula::{Conjunction, variables};
use super::tables::{Compiled, product_of_domains, table};

/// A network under construction.
pub(super) struct Builder<'a> {
    rules: &'a Rules,
    options: &'a EncodeOptions,
    folded: &'a Folded<'a>,
    network: Network,
    variables: Vec<VariableKind>,
    constraints: Vec<ConstraintKind>,
    /// The variable of each slot of a role or an atom (see [`Folded`]). The variable of a group has its slot's number.
    of_slot: HashMap<VariableId, VariableId>,
    /// Atoms that have a variable but not yet a constraint.
    undefined: VecDeque<AtomId>,
    /// The cyclic components that already have a constraint.
    circles: BTreeSet<u32>,
    table_values: usize,
    literals: usize,
}

/// The last variable of a relation, determined by the others.
#[derive(Debug, Clone, Copy)]
struct Head {
    variable: VariableId,
    size: u16,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        rules: &'a Rules,
        options: &'a EncodeOptions,
        folded: &'a Folded<'a>,
    ) -> Self {
        Self {
            rules,
            options,
            folded,
            network: Network::default(),
            variables: Vec::new(),
            constraints: Vec::new(),
            of_slot: HashMap::new(),
            undefined: VecDeque::new(),
            circles: BTreeSet::new(),
            table_values: 0,
            literals: 0,
        }
    }

    /// Returns the network, with the kinds of its variables and constraints.
    pub(super) fn finish(self) -> (Network, Vec<VariableKind>, Vec<ConstraintKind>) {
        (self.network, self.variables, self.constraints)
    }

    fn add_variable(&mut self, size: u16, kind: VariableKind) -> VariableId {
        self.variables.push(kind);
        self.network.add_variable(size)
    }

    /// Adds a variable for a group of fluents.
    pub(super) fn add_group(&mut self, group: &Group, kind: VariableKind) -> VariableId {
        self.add_variable(group.num_values(), kind)
    }

    /// Adds a variable for the move of a role.
    pub(super) fn role(&mut self, role: RoleId, kind: VariableKind) -> VariableId {
        let variable = self.add_variable(self.rules.num_moves(role) as u16, kind);
        self.of_slot.insert(self.folded.role(role), variable);
        variable
    }

    /// Returns the variable of an atom. If the atom is new, creates the variable and schedules its definition.
    pub(super) fn atom(&mut self, atom: AtomId) -> VariableId {
        let slot = self.folded.atom(atom, true).variable;
        if let Some(&variable) = self.of_slot.get(&slot) {
            return variable;
        }
        let kind = match self.rules.ground().kind(atom) {
            AtomKind::Terminal => VariableKind::End,
            AtomKind::Goal { role, value } if Some(RoleId(role)) != self.rules.random() => {
                VariableKind::Goal(RoleId(role), value)
            }
            AtomKind::Legal { role, action } if Some(RoleId(role)) == self.rules.random() => {
                VariableKind::ChanceLegal(MoveId(action))
            }
            _ => VariableKind::Atom(atom),
        };
        let variable = self.add_variable(2, kind);
        self.of_slot.insert(slot, variable);
        self.undefined.push_back(atom);
        variable
    }

    /// Returns the variable "the game is over", which is always false if `atom` is `None`.
    pub(super) fn end(&mut self, atom: Option<AtomId>) -> Result<VariableId> {
        if let Some(atom) = atom {
            return Ok(self.atom(atom));
        }
        let end = self.add_variable(2, VariableKind::End);
        self.clause(vec![is(end, 0)], ConstraintKind::End)?;
        Ok(end)
    }

    /// Returns the variable of a slot.
    fn variable(&mut self, slot: VariableId) -> VariableId {
        match self.folded.slot(slot) {
            Slot::Group(_) => slot,
            Slot::Role => self.of_slot[&slot],
            Slot::Atom(atom) => self.atom(atom),
        }
    }

    fn literal(&mut self, literal: Literal) -> Literal {
        Literal { variable: self.variable(literal.variable), ..literal }
    }

    fn conjunctions(&mut self, all: &[Conjunction]) -> Vec<Box<[Literal]>> {
        let mut one =
            |one: &Conjunction| one.iter().map(|&literal| self.literal(literal)).collect();
        all.iter().map(&mut one).collect()
    }

    fn push(&mut self, constraint: Constraint, kind: ConstraintKind) -> Result {
        if let Constraint::Table { tuples, .. } = &constraint {
            self.table_values += tuples.len();
        }
        self.literals += num_literals(&constraint);
        for (what, limit, reached) in [
            ("variables", self.options.variables, self.network.num_variables()),
            ("values in tables", self.options.table_values, self.table_values),
            ("literals", self.options.literals, self.literals),
        ] {
            if reached > limit {
                return Err(EncodeError::TooLarge { what, limit, reached });
            }
        }
        self.network.constraints.push(constraint);
        self.constraints.push(kind);
        Ok(())
    }

    fn clause(&mut self, literals: Vec<Literal>, kind: ConstraintKind) -> Result {
        self.push(Constraint::Clause(literals.into()), kind)
    }

    /// Builds a table of `head` and all variables of the formulas, if it is small enough. For each combination of
    /// values, `allow` receives the truth of each formula, and adds the values that the head may have.
    fn small_table(
        &mut self,
        formulas: &[impl AsRef<[Conjunction]>],
        head: Head,
        allow: impl Fn(&[bool], &mut Vec<u16>),
    ) -> Option<Constraint> {
        let folded = self.folded;
        let mut inputs: Vec<VariableId> =
            formulas.iter().flat_map(|formula| variables(formula.as_ref())).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let most = self.options.table_product / u64::from(head.size.max(1));
        product_of_domains(folded.domains(), &inputs, most)?;
        let compiled: Vec<Compiled> =
            formulas.iter().map(|formula| Compiled::new(formula.as_ref(), &inputs)).collect();
        let mut holds = Vec::with_capacity(compiled.len());
        let relation = table(folded.domains(), &inputs, head.variable, |values, allowed| {
            holds.clear();
            holds.extend(compiled.iter().map(|formula| formula.holds(values)));
            allow(&holds, allowed);
        });
        let Constraint::Table { scope, tuples } = relation else { return None };
        let (last, slots) = scope.split_last()?;
        let scope = slots.iter().map(|&slot| self.variable(slot)).chain([*last]).collect();
        Some(Constraint::Table { scope, tuples })
    }

    /// Adds the constraint that a seat makes only legal moves.
    pub(super) fn legal(&mut self, seat: RoleId, variable: VariableId, legal: &[AtomId]) -> Result {
        let kind = ConstraintKind::Legal(seat);
        let folded = self.folded;
        // Atoms of a cyclic component are not unfolded, because only the whole component determines them.
        let form = |&atom: &AtomId| match folded.circle(atom) {
            Some(_) => vec![vec![folded.atom(atom, true)]],
            None => folded.bodies(atom),
        };
        let forms: Vec<Vec<Conjunction>> = legal.iter().map(form).collect();
        let size = legal.len() as u16;
        let head = Head { variable, size };
        if let Some(all) = self.small_table(&forms, head, |holds, allowed| {
            let legal = holds.iter().zip(0..).filter(|&(&is_legal, _)| is_legal);
            allowed.extend(legal.map(|(_, action): (_, u16)| action));
        }) {
            return self.push(all, kind);
        }
        for ((form, &atom), action) in forms.iter().zip(legal).zip(0..) {
            let is_other = Literal { variable, value: action, is_equal: false };
            if form.is_empty() {
                self.clause(vec![is_other], kind)?;
                continue;
            }
            if let [all] = &form[..] {
                for &literal in all {
                    let literal = self.literal(literal);
                    self.clause(vec![is_other, literal], kind)?;
                }
                continue;
            }
            let table = self.small_table(std::slice::from_ref(form), head, |holds, allowed| {
                allowed.extend((0..size).filter(|&other| holds[0] || other != action));
            });
            match table {
                Some(table) => self.push(table, kind)?,
                None => {
                    let legal = is(self.atom(atom), 1);
                    self.clause(vec![is_other, legal], kind)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the constraints that `random` makes only legal moves.
    pub(super) fn chance(&mut self, chance: VariableId, legal: &[VariableId]) -> Result {
        for (&legal, value) in legal.iter().zip(0..) {
            let is_other = Literal { variable: chance, value, is_equal: false };
            self.clause(vec![is_other, is(legal, 1)], ConstraintKind::Chance)?;
        }
        Ok(())
    }

    /// Adds the constraints that determine the value of a group after the step.
    pub(super) fn next(
        &mut self,
        number: usize,
        group: &Group,
        successor: VariableId,
        next: &[Option<AtomId>],
    ) -> Result {
        let kind = ConstraintKind::Next(number);
        let when = |&fluent: &u32| match next[fluent as usize] {
            Some(atom) => self.folded.bodies(atom),
            // The fluent holds at the start and never again.
            None => Vec::new(),
        };
        let forms: Vec<Vec<Conjunction>> = group.fluents.iter().map(when).collect();
        let size = group.num_values();
        if let [form] = &forms[..] {
            return self.define_as(is(successor, 1), form, kind);
        }
        let none = group.may_be_none.then_some(group.fluents.len() as u16);
        if let Some(all) =
            self.small_table(&forms, Head { variable: successor, size }, |holds, to| {
                let mut true_ones = holds.iter().zip(0..).filter(|&(&holds, _)| holds);
                match (true_ones.next(), true_ones.next()) {
                    (None, _) => to.extend(none),
                    (Some((_, value)), None) => to.push(value),
                    // In a game, a state never leads to two fluents of the group.
                    (Some(_), Some(_)) => (),
                }
            })
        {
            return self.push(all, kind);
        }
        for (form, value) in forms.iter().zip(0..) {
            self.define_as(is(successor, value), form, kind)?;
        }
        Ok(())
    }

    /// Defines all atoms that have variables, including those that get variables meanwhile.
    pub(super) fn define_all(&mut self) -> Result {
        while let Some(atom) = self.undefined.pop_front() {
            match self.folded.circle(atom) {
                Some(circle) if self.circles.insert(circle) => self.least_model(atom)?,
                Some(_) => (),
                None => {
                    let head = is(self.atom(atom), 1);
                    self.define_as(head, &self.folded.bodies(atom), self.kind_of(atom))?;
                }
            }
        }
        Ok(())
    }

    fn kind_of(&self, atom: AtomId) -> ConstraintKind {
        let ground = self.rules.ground();
        match ground.kind(atom) {
            AtomKind::Terminal => ConstraintKind::End,
            AtomKind::Goal { .. } => ConstraintKind::Goal,
            AtomKind::Legal { role, .. } if Some(RoleId(role)) == self.rules.random() => {
                ConstraintKind::ChanceLegal
            }
            _ if ground.phase_b().contains(&atom.0) => ConstraintKind::LateAtom,
            _ => ConstraintKind::Atom,
        }
    }

    /// Adds a definition: the head holds if and only if one of the bodies holds.
    fn define_as(&mut self, head: Literal, bodies: &[Conjunction], kind: ConstraintKind) -> Result {
        match bodies {
            [] => return self.clause(vec![Literal { is_equal: !head.is_equal, ..head }], kind),
            [always] if always.is_empty() => return self.clause(vec![head], kind),
            _ => (),
        }
        let size = self.network.domains[head.variable.0 as usize].len() as u16;
        let last = Head { variable: head.variable, size };
        let table = self.small_table(&[bodies], last, |holds, allowed| {
            allowed.extend((0..size).filter(|&value| (value == head.value) == holds[0]));
        });
        let constraint = match table {
            Some(table) => table,
            None => Constraint::Definition { head, bodies: self.conjunctions(bodies).into() },
        };
        self.push(constraint, kind)
    }

    /// Adds the constraint that the true atoms of a cyclic component are the least model of the component's rules.
    fn least_model(&mut self, member: AtomId) -> Result {
        let (rules, folded) = (self.rules, self.folded);
        let ground = rules.ground();
        let is_it = |component: &std::ops::Range<u32>| component.contains(&member.0);
        let component = ground.components().find(is_it).unwrap_or(member.0..member.0 + 1);
        let heads: Box<[Literal]> =
            component.clone().map(|atom| is(self.atom(AtomId(atom)), 1)).collect();
        let mut least_rules = Vec::new();
        for atom in component.clone() {
            for rule in ground.rules_of(AtomId(atom)) {
                let (inside, positive): (Vec<_>, Vec<_>) =
                    rule.positive.iter().partition(|atom| component.contains(&atom.0));
                let positive = positive.into_iter().map(|&atom| (atom, true));
                let negated = rule.negated.iter().map(|&atom| (atom, false));
                // Only forms with one conjunction are substituted, so the number of rules does not grow.
                let body =
                    positive.chain(negated).try_fold(Conjunction::new(), |body, (atom, holds)| {
                        let form = folded.literal(atom, holds, 1);
                        folded.domains().conjunction([body, form.into_iter().next()?].concat())
                    });
                let Some(body) = body else { continue };
                let outside = body.iter().map(|&literal| self.literal(literal)).collect();
                let inside = inside.into_iter().map(|atom| atom.0 - component.start).collect();
                least_rules.push(LeastRule { head: atom - component.start, inside, outside });
            }
        }
        let kind = self.kind_of(member);
        self.push(Constraint::LeastModel { heads, rules: least_rules.into() }, kind)
    }
}

fn is(variable: VariableId, value: u16) -> Literal {
    Literal { variable, value, is_equal: true }
}
