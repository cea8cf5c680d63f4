//! Cleaning: removes instances of rules without changing the model of the program.
//!
//! Removes atoms that are always true or never true, replaces atoms that are aliases of another atom, and drops
//! instances that can never apply, until nothing changes.

use crate::graph::Graph;
use crate::terms::{IdTable, NONE, TermId, hash_of};

/// A literal: twice the number of the atom, or of its term, plus one if the literal is negated.
pub(crate) type Lit = u32;

/// The role of an atom in cleaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A fluent or a move: given, not derived.
    Given,
    /// An atom of a keyword, derived by rules; such an atom is always kept.
    Keyword,
    /// Any other atom.
    Helper,
}

/// The known truth value of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Open,
    True,
    False,
}

/// Ground rules, with atoms numbered from 0.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clauses {
    pub(crate) heads: Vec<u32>,
    pub(crate) rules: Vec<u32>,
    pub(crate) starts: Vec<u32>,
    pub(crate) lits: Vec<Lit>,
}

impl Clauses {
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(crate) fn body(&self, clause: usize) -> &[Lit] {
        let end = self.starts.get(clause + 1).map_or(self.lits.len(), |&end| end as usize);
        &self.lits[self.starts[clause] as usize..end]
    }

    pub(crate) fn push(&mut self, head: u32, rule: u32, body: impl IntoIterator<Item = Lit>) {
        self.heads.push(head);
        self.rules.push(rule);
        self.starts.push(self.lits.len() as u32);
        self.lits.extend(body);
    }

    /// Returns each head with each atom of its bodies.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        (0..self.len()).flat_map(move |clause| {
            self.body(clause).iter().map(move |lit| (self.heads[clause], lit / 2))
        })
    }

    /// Returns the graph from heads to the atoms of their bodies.
    pub(crate) fn graph(&self, num_atoms: usize) -> Graph {
        Graph::new(num_atoms, self.edges())
    }
}

/// Clauses that are all different.
#[derive(Debug, Clone, Default)]
pub(crate) struct DistinctClauses {
    pub(crate) clauses: Clauses,
    table: IdTable,
}

impl DistinctClauses {
    /// Adds a clause unless it exists; returns whether it is new. All bodies must be sorted in the same way.
    pub(crate) fn add(&mut self, head: u32, rule: u32, body: &[Lit]) -> bool {
        let hash = hash_of(head, body.iter().copied());
        let clauses = &mut self.clauses;
        let same =
            |id: u32| clauses.heads[id as usize] == head && clauses.body(id as usize) == body;
        if self.table.find(hash, same).is_some() {
            return false;
        }
        clauses.push(head, rule, body.iter().copied());
        self.table.insert(hash, clauses.len() as u32 - 1, |id| {
            hash_of(clauses.heads[id as usize], clauses.body(id as usize).iter().copied())
        });
        true
    }

    /// Returns the approximate memory of the clauses, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.clauses.len() as u64 * 16 + self.clauses.lits.len() as u64 * 4 + self.table.bytes()
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Cleaner {
    pub(crate) clauses: Clauses,
    /// The term of each atom.
    pub(crate) terms: Vec<TermId>,
    pub(crate) roles: Vec<Role>,
    pub(crate) status: Vec<Status>,
    /// For each atom, the atom of `true` or `does` that requires it, or `NONE`. `(next f)` has the entry `(true f)`,
    /// unless `f` holds at the start, and `(legal r m)` has the entry `(does r m)`.
    pub(crate) gives: Vec<u32>,
}

impl Cleaner {
    /// Creates the cleaner for these instances, and numbers their atoms. For a term, `role_of` returns its role,
    /// `is_possible` whether the term may hold, and `given_by` the entry in `gives`.
    pub(crate) fn new(
        instances: &Clauses,
        num_terms: usize,
        mut role_of: impl FnMut(TermId) -> Role,
        is_possible: impl Fn(TermId) -> bool,
        given_by: impl Fn(TermId) -> Option<TermId>,
    ) -> Self {
        let mut cleaner = Self::default();
        let mut atom_of = vec![NONE; num_terms];
        for instance in 0..instances.len() {
            let mut atom = |term: TermId| {
                let atom = &mut atom_of[term as usize];
                if *atom == NONE {
                    *atom = cleaner.terms.len() as u32;
                    cleaner.terms.push(term);
                    cleaner.roles.push(role_of(term));
                    let possible = is_possible(term);
                    cleaner.status.push(if possible { Status::Open } else { Status::False });
                }
                *atom
            };
            let head = atom(instances.heads[instance]);
            let body = instances.body(instance).iter();
            let mut lits: Vec<Lit> = body.map(|lit| atom(lit / 2) * 2 + lit % 2).collect();
            lits.sort_unstable();
            cleaner.clauses.push(head, instances.rules[instance], lits);
        }
        cleaner.gives = cleaner
            .terms
            .iter()
            .map(|&term| given_by(term).map_or(NONE, |given| atom_of[given as usize]))
            .collect();
        cleaner
    }

    /// Simplifies the clauses until nothing changes, in a limited number of rounds.
    pub(crate) fn clean(&mut self) {
        const ROUNDS: usize = 50;
        for _ in 0..ROUNDS {
            let before = (self.clauses.len(), self.clauses.lits.len());
            self.propagate();
            let changed = self.aliases();
            self.deduplicate();
            if !changed && before == (self.clauses.len(), self.clauses.lits.len()) {
                return;
            }
        }
        // A body must not contain atoms that are always true or never true.
        self.propagate();
    }

    /// Removes atoms that are always true or never true, and propagates the consequences.
    fn propagate(&mut self) {
        let num_atoms = self.terms.len();
        let clauses = &self.clauses;
        let users = Graph::new(
            num_atoms * 2,
            (0..clauses.len()).flat_map(|clause| {
                clauses.body(clause).iter().map(move |&lit| (lit, clause as u32))
            }),
        );
        let mut open: Vec<u32> =
            (0..clauses.len()).map(|clause| clauses.body(clause).len() as u32).collect();
        let mut alive = vec![true; clauses.len()];
        let mut support = vec![0_u32; num_atoms];
        clauses.heads.iter().for_each(|&head| support[head as usize] += 1);
        // Atoms settled in earlier rounds are queued again; they no longer occur in bodies, except in the first round.
        let mut queue: Vec<u32> =
            (0..num_atoms as u32).filter(|&a| self.status[a as usize] != Status::Open).collect();
        for atom in 0..num_atoms as u32 {
            if self.roles[atom as usize] != Role::Given && support[atom as usize] == 0 {
                settle(&mut self.status, &mut queue, atom, Status::False);
            }
        }
        for clause in 0..clauses.len() {
            let contradiction =
                clauses.body(clause).windows(2).any(|w| w[0] ^ 1 == w[1] && w[0] / 2 == w[1] / 2);
            if contradiction {
                alive[clause] = false;
                let head = clauses.heads[clause] as usize;
                support[head] -= 1;
                if support[head] == 0 {
                    settle(&mut self.status, &mut queue, head as u32, Status::False);
                }
            } else if open[clause] == 0 {
                settle(&mut self.status, &mut queue, clauses.heads[clause], Status::True);
            }
        }
        while let Some(atom) = queue.pop() {
            let truth = self.status[atom as usize] == Status::True;
            let given = self.gives[atom as usize];
            if !truth && given != NONE {
                settle(&mut self.status, &mut queue, given, Status::False);
            }
            let (satisfied, failed) = (atom * 2 + u32::from(!truth), atom * 2 + u32::from(truth));
            for &clause in users.successors(satisfied) {
                open[clause as usize] -= 1;
                if open[clause as usize] == 0 && alive[clause as usize] {
                    let head = clauses.heads[clause as usize];
                    settle(&mut self.status, &mut queue, head, Status::True);
                }
            }
            for &clause in users.successors(failed) {
                if std::mem::replace(&mut alive[clause as usize], false) {
                    let head = clauses.heads[clause as usize];
                    support[head as usize] -= 1;
                    if support[head as usize] == 0 {
                        settle(&mut self.status, &mut queue, head, Status::False);
                    }
                }
            }
        }
        let mut kept = Clauses::default();
        for clause in (0..clauses.len()).filter(|&clause| alive[clause]) {
            let head = clauses.heads[clause];
            match self.status[head as usize] {
                Status::False => {}
                // One clause with an empty body is enough.
                Status::True if open[clause] > 0 => {}
                _ => {
                    let unknown = |lit: &&Lit| self.status[**lit as usize / 2] == Status::Open;
                    let body = clauses.body(clause).iter().filter(unknown).copied();
                    kept.push(head, clauses.rules[clause], body);
                }
            }
        }
        self.clauses = kept;
    }

    /// Replaces helpers that are aliases of another atom; returns whether there were any.
    fn aliases(&mut self) -> bool {
        let num_atoms = self.terms.len();
        let mut count = vec![0_u32; num_atoms];
        self.clauses.heads.iter().for_each(|&head| count[head as usize] += 1);
        let mut stands_for: Vec<u32> = (0..num_atoms as u32).collect();
        let mut any = false;
        for clause in 0..self.clauses.len() {
            let head = self.clauses.heads[clause] as usize;
            if let &[lit] = self.clauses.body(clause)
                && lit % 2 == 0
                && count[head] == 1
                && self.roles[head] == Role::Helper
            {
                stands_for[head] = lit / 2;
                any = true;
            }
        }
        if !any {
            return false;
        }
        // Each atom stands for at most one other atom. An atom whose aliases lead back to itself is never derived.
        let mut resolved: Vec<Option<u32>> = vec![None; num_atoms];
        for atom in 0..num_atoms as u32 {
            let mut path = Vec::new();
            let mut at = atom;
            let end = loop {
                if let Some(end) = resolved[at as usize] {
                    break end;
                }
                let next = stands_for[at as usize];
                if next == at {
                    break at;
                }
                // Marks the atom as never derived, in case the path leads back to it.
                resolved[at as usize] = Some(NONE);
                path.push(at);
                at = next;
            };
            resolved[at as usize].get_or_insert(end);
            path.into_iter().for_each(|atom| resolved[atom as usize] = Some(end));
        }
        let end_of = |atom: u32| resolved[atom as usize].unwrap_or(atom);
        let mut kept = Clauses::default();
        for clause in 0..self.clauses.len() {
            let head = self.clauses.heads[clause];
            if stands_for[head as usize] != head {
                continue;
            }
            let mut impossible = false;
            let mut body = Vec::with_capacity(self.clauses.body(clause).len());
            for &lit in self.clauses.body(clause) {
                match (end_of(lit / 2), lit % 2) {
                    (NONE, 0) => impossible = true,
                    (NONE, _) => {}
                    (end, sign) => body.push(end * 2 + sign),
                }
            }
            if !impossible {
                body.sort_unstable();
                body.dedup();
                kept.push(head, self.clauses.rules[clause], body);
            }
        }
        self.clauses = kept;
        true
    }

    /// Drops duplicate instances.
    fn deduplicate(&mut self) {
        let mut kept = DistinctClauses::default();
        for (clause, &head) in self.clauses.heads.iter().enumerate() {
            kept.add(head, self.clauses.rules[clause], self.clauses.body(clause));
        }
        self.clauses = kept.clauses;
    }

    /// Drops the clauses of helpers that no keyword needs.
    pub(crate) fn drop_unneeded(&mut self) {
        let is_keyword = |&atom: &u32| self.roles[atom as usize] == Role::Keyword;
        let keywords = (0..self.terms.len() as u32).filter(is_keyword);
        let needed = self.clauses.graph(self.terms.len()).reached(keywords);
        let mut kept = Clauses::default();
        for (clause, &head) in self.clauses.heads.iter().enumerate() {
            if needed[head as usize] {
                let body = self.clauses.body(clause).iter().copied();
                kept.push(head, self.clauses.rules[clause], body);
            }
        }
        self.clauses = kept;
    }
}

/// Sets the status of an atom, unless it has been set before.
fn settle(status: &mut [Status], queue: &mut Vec<u32>, atom: u32, value: Status) {
    if status[atom as usize] == Status::Open {
        status[atom as usize] = value;
        queue.push(atom);
    }
}
