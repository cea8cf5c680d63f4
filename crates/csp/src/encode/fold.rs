//! Replaces atoms by their definitions.

use ruse_gdl::{AtomId, AtomKind, GroundProgram, RoleId, Rules};

use super::super::network::{Literal, VariableId};
use super::families::Families;
use super::formula::{Conjunction, Domains, simplify};

/// The largest number of conjunctions in the definition of an atom. Fewer atoms are replaced in a longer definition. An
/// atom with more ground rules than this may have a definition as long as the list of its rules.
const MAX_BODIES: usize = 1_000;

/// The definitions of ground atoms over *slots*. A slot is the number of a potential variable, which may turn out not
/// to be needed. The groups of fluents come first, then the moves of roles, then all atoms.
#[derive(Debug)]
pub(super) struct Folded<'a> {
    ground: &'a GroundProgram,
    sizes: Vec<u16>,
    num_groups: usize,
    /// For each replaced atom, the conditions under which it holds, and the conditions under which it does not.
    forms: Vec<[Option<Vec<Conjunction>>; 2]>,
    /// For each atom, the number of its cyclic component, or `None` if the atom is not in a cycle of several atoms.
    circles: Vec<Option<u32>>,
}

/// The meaning of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// A group of fluents.
    Group(usize),
    /// The move of a role.
    Role,
    /// An atom, which is true or false.
    Atom(AtomId),
}

impl<'a> Folded<'a> {
    /// Creates the definitions. An atom is replaced if this takes fewer than `unfold_below` conjunctions, or if the
    /// atom is always true, always false or equivalent to a literal.
    pub(super) fn new(rules: &'a Rules, families: &Families, unfold_below: usize) -> Self {
        let ground = rules.ground();
        let groups = families.groups().iter().map(super::Group::num_values);
        let roles = rules.roles().map(|role| rules.num_moves(role) as u16);
        let mut folded = Self {
            ground,
            sizes: groups.chain(roles).collect(),
            num_groups: families.groups().len(),
            forms: vec![[None, None]; ground.num_atoms()],
            circles: vec![None; ground.num_atoms()],
        };
        for atom in (0..ground.phase_a().start).map(AtomId) {
            let (slot, value) = match ground.kind(atom) {
                AtomKind::True(fluent) => {
                    let (group, place) = families.place(fluent);
                    let is_single = families.groups()[group].fluents.len() == 1;
                    (group, if is_single { 1 } else { place })
                }
                AtomKind::Does { role, action } => {
                    (folded.num_groups + usize::from(role), action as u16)
                }
                _ => continue,
            };
            folded.forms[atom.0 as usize] = [true, false].map(|is_equal| {
                let literal = Literal { variable: VariableId(slot as u32), value, is_equal };
                Some(folded.domains().conjunction(vec![literal]).into_iter().collect())
            });
        }
        for (number, component) in ground.components().enumerate() {
            if component.len() > 1 {
                component.for_each(|atom| folded.circles[atom as usize] = Some(number as u32));
                continue;
            }
            let atom = AtomId(component.start);
            let bodies = folded.bodies(atom);
            let no_bodies = folded.domains().negation(&bodies, unfold_below.max(1));
            let is_short = |all: &Vec<Conjunction>| {
                let is_literal = all.len() <= 1 && all.iter().all(|one| one.len() <= 1);
                all.len() < unfold_below || is_literal
            };
            let forms = [Some(bodies), no_bodies].map(|form| form.filter(is_short));
            folded.forms[atom.0 as usize] = forms;
        }
        folded
    }

    pub(super) fn domains(&self) -> Domains<'_> {
        Domains { sizes: &self.sizes }
    }

    /// Returns the meaning of a slot.
    pub(super) fn slot(&self, slot: VariableId) -> Slot {
        let number = slot.0 as usize;
        if number < self.num_groups {
            Slot::Group(number)
        } else if number < self.sizes.len() {
            Slot::Role
        } else {
            Slot::Atom(AtomId((number - self.sizes.len()) as u32))
        }
    }

    /// Returns the slot of a role's move.
    pub(super) fn role(&self, role: RoleId) -> VariableId {
        VariableId(self.num_groups as u32 + u32::from(role.0))
    }

    /// Returns the literal that an atom holds or, if `holds` is `false`, that it does not hold.
    pub(super) fn atom(&self, atom: AtomId, holds: bool) -> Literal {
        let variable = VariableId(self.sizes.len() as u32 + atom.0);
        Literal { variable, value: u16::from(holds), is_equal: true }
    }

    /// Returns the number of an atom's cyclic component, or `None` if the atom is not in a cycle of several atoms.
    pub(super) fn circle(&self, atom: AtomId) -> Option<u32> {
        self.circles[atom.0 as usize]
    }

    /// Returns the definition of an atom outside of cycles: one conjunction for each body, with atoms replaced if
    /// possible.
    pub(super) fn bodies(&self, atom: AtomId) -> Vec<Conjunction> {
        let num_rules = self.ground.rules_of(atom).count();
        let replaced = self.expanded(atom, usize::MAX, MAX_BODIES.max(num_rules));
        // Substituting single conjunctions does not increase the number of bodies.
        let replaced = replaced.or_else(|| self.expanded(atom, 1, num_rules));
        replaced.expect("there are no more bodies than rules")
    }

    /// Returns the bodies of an atom, in which all atoms whose forms have at most `longest` conjunctions are replaced.
    /// Returns `None` if there are more than `most` conjunctions.
    fn expanded(&self, atom: AtomId, longest: usize, most: usize) -> Option<Vec<Conjunction>> {
        let mut all = Vec::new();
        for rule in self.ground.rules_of(atom) {
            // A rule that depends on its own head adds nothing.
            if rule.positive.contains(&atom) {
                continue;
            }
            let positive = rule.positive.iter().map(|&atom| (atom, true));
            let negated = rule.negated.iter().map(|&atom| (atom, false));
            let mut body = vec![Conjunction::new()];
            for (atom, holds) in positive.chain(negated) {
                let form = self.literal(atom, holds, longest);
                body = self.domains().product(&body, &form, most)?;
            }
            all.append(&mut body);
            if all.len() > most {
                return None;
            }
        }
        simplify(&mut all);
        Some(all)
    }

    /// Returns the condition under which an atom holds, or does not hold: its form, if that has at most `longest`
    /// conjunctions, or else a literal.
    pub(super) fn literal(&self, atom: AtomId, holds: bool, longest: usize) -> Vec<Conjunction> {
        let form = &self.forms[atom.0 as usize][usize::from(!holds)];
        match form.as_ref().filter(|form| form.len() <= longest) {
            Some(form) => form.clone(),
            None => vec![vec![self.atom(atom, holds)]],
        }
    }
}
