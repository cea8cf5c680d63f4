//! Least models: the true heads are exactly those that follow from the rules, so heads cannot support each other in a
//! circle.

use super::store::{Place, Store};

/// The constraint that the true heads are the least model of the rules.
#[derive(Debug, Clone)]
pub(super) struct Least {
    heads: Box<[Place]>,
    rules: Box<[Rule]>,
    /// For each head, the indices of the rules that have it in `inside`, once for each occurrence.
    uses: Box<[Box<[u32]>]>,
    /// For each rule, the number of its inner heads that are not derived yet.
    missing: Box<[u32]>,
    is_derived: Box<[bool]>,
    /// Derived heads whose uses are still to be processed.
    open: Vec<u32>,
}

#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) head: u32,
    pub(super) inside: Box<[u32]>,
    pub(super) outside: Box<[Place]>,
}

/// The value in `missing` of a rule that cannot fire. It is larger than any number of heads.
const NEVER: u32 = u32::MAX;

impl Least {
    pub(super) fn new(heads: Vec<Place>, rules: Vec<Rule>) -> Least {
        let mut uses = vec![Vec::new(); heads.len()];
        for (index, rule) in rules.iter().enumerate() {
            rule.inside.iter().for_each(|&head| uses[head as usize].push(index as u32));
        }
        Least {
            uses: uses.into_iter().map(Vec::into_boxed_slice).collect(),
            missing: vec![0; rules.len()].into(),
            is_derived: vec![false; heads.len()].into(),
            open: Vec::with_capacity(heads.len()),
            heads: heads.into(),
            rules: rules.into(),
        }
    }

    /// Returns the variables of the outer literals, in increasing order and without duplicates.
    pub(super) fn outside(&self) -> Vec<u32> {
        let literals = self.rules.iter().flat_map(|rule| &rule.outside);
        let mut variables: Vec<u32> = literals.map(|literal| literal.variable).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// Iterates over the variables of the heads.
    pub(super) fn inside(&self) -> impl Iterator<Item = u32> {
        self.heads.iter().map(|head| head.variable)
    }

    /// First makes every head false that would not follow from the rules even if all open outer literals held. Then, if
    /// all outer literals are decided (except in rules that cannot fire), makes all other heads true. Returns `false`
    /// if the domains do not allow this.
    ///
    /// A head that is already false supports no other head. Time: linear in the number of literals of all rules.
    pub(super) fn revise(&mut self, store: &mut Store) -> bool {
        self.is_derived.fill(false);
        self.open.clear();
        let mut is_decided = true;
        for (rule, missing) in self.rules.iter().zip(&mut self.missing) {
            if rule.outside.iter().any(|&literal| store.is_false(literal)) {
                *missing = NEVER;
                continue;
            }
            is_decided &= rule.outside.iter().all(|&literal| store.is_true(literal));
            *missing = rule.inside.len() as u32;
            if *missing == 0 {
                self.open.push(rule.head);
            }
        }
        while let Some(head) = self.open.pop() {
            let index = head as usize;
            if self.is_derived[index] {
                continue;
            }
            if store.is_false(self.heads[index]) {
                // The head follows from the rules, but is false.
                if is_decided {
                    return false;
                }
                continue;
            }
            self.is_derived[index] = true;
            for &rule in &self.uses[index] {
                let missing = &mut self.missing[rule as usize];
                if *missing != NEVER {
                    *missing -= 1;
                    if *missing == 0 {
                        self.open.push(self.rules[rule as usize].head);
                    }
                }
            }
        }
        for (&head, &is_derived) in self.heads.iter().zip(&self.is_derived) {
            let is_held = match (is_derived, is_decided) {
                (false, _) => store.hold(head.negated()),
                (true, true) => store.hold(head),
                (true, false) => true,
            };
            if !is_held {
                return false;
            }
        }
        true
    }
}
