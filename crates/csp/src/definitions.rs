//! Definitions, propagated by counting the undecided literals of each body and the possible bodies of each head.
//!
//! Counting propagates as much, in both directions, as the equivalent clauses with an auxiliary variable for each body
//! (for the most important direction, see Dowling & Gallier 1984, *Linear-time algorithms for testing the
//! satisfiability of propositional Horn formulae*). If nearly all literals are decided, each literal costs one step
//! through a list. Watched clauses take several times as long, since each clause is loaded from a different place in
//! memory.

use super::store::{LiteralNumbers, Place, Store, flatten};

/// The value of a body's cell (see `missing_cell`) if the body is false.
const DEAD: u64 = u64::MAX;

/// A definition with at least one body. No body is empty. At the start, at most the head is decided.
pub(super) struct DefinitionPart {
    pub(super) head: Place,
    pub(super) bodies: Vec<Vec<Place>>,
    pub(super) origin: u32,
}

/// All definitions of a network.
#[derive(Debug, Clone)]
pub(super) struct Definitions {
    heads: Vec<Place>,
    /// The constraint of each definition.
    origins: Vec<u32>,
    /// The offset of the bodies of each definition, and the end of the last definition.
    first_bodies: Vec<u32>,
    /// The definition of each body.
    definitions: Vec<u32>,
    /// The offset of the literals of each body, and the end of the last body.
    first_literals: Vec<u32>,
    literals: Vec<Place>,
    /// The index of the first body's cell; the cells of the other bodies follow. A cell counts the body's literals that
    /// are not known to hold, or contains [`DEAD`] if the body is false.
    missing_cell: u32,
    /// The index of the first definition's cell; the cells of the other definitions follow. A cell counts the
    /// definition's bodies that may still hold.
    alive_cell: u32,
    numbers: LiteralNumbers,
    /// The offset of the uses of each literal, by number, and the end of the last literal.
    first_uses: Box<[u32]>,
    /// For each use of a literal: twice the number of its body, or twice the number of the definition plus 1 for a
    /// head.
    uses: Box<[u32]>,
    /// True if a literal counts as decided only once its variable is fixed (forward checking).
    is_forward: bool,
}

impl Definitions {
    /// Creates the definitions of `parts`. `sizes` contains the number of positions of each variable.
    pub(super) fn new(
        store: &mut Store,
        sizes: &[u32],
        parts: &[DefinitionPart],
        is_forward: bool,
    ) -> Definitions {
        let mut all = Definitions {
            heads: parts.iter().map(|part| part.head).collect(),
            origins: parts.iter().map(|part| part.origin).collect(),
            first_bodies: vec![0],
            definitions: Vec::new(),
            first_literals: vec![0],
            literals: Vec::new(),
            missing_cell: store.add_cells(parts.iter().map(|part| part.bodies.len()).sum(), 0),
            alive_cell: store.add_cells(parts.len(), 0),
            numbers: LiteralNumbers::new(sizes),
            first_uses: Box::default(),
            uses: Box::default(),
            is_forward,
        };
        let mut uses = vec![Vec::new(); all.numbers.len()];
        for (definition, part) in (0..).zip(parts) {
            uses[all.numbers.of(part.head)].push(2 * definition + 1);
            store.set(all.alive_cell + definition, part.bodies.len() as u64);
            for body in &part.bodies {
                let index = all.definitions.len() as u32;
                body.iter().for_each(|&literal| uses[all.numbers.of(literal)].push(2 * index));
                store.set(all.missing_cell + index, body.len() as u64);
                all.definitions.push(definition);
                all.literals.extend_from_slice(body);
                all.first_literals.push(all.literals.len() as u32);
            }
            all.first_bodies.push(all.definitions.len() as u32);
        }
        (all.first_uses, all.uses) = flatten(&uses);
        all
    }

    /// Propagates the truth of a literal to all definitions that use it. Adds the number of these uses to `revisions`.
    /// Must be called once for each decided literal.
    ///
    /// # Errors
    ///
    /// Returns the constraint that cannot be satisfied.
    pub(super) fn decided(
        &self,
        literal: Place,
        holds: bool,
        store: &mut Store,
        revisions: &mut u64,
    ) -> Result<(), u32> {
        let index = self.numbers.of(literal);
        let uses = self.first_uses[index] as usize..self.first_uses[index + 1] as usize;
        for &at in &self.uses[uses] {
            *revisions += 1;
            let is_left = match (at % 2 == 1, holds) {
                (true, true) => self.support_head(at / 2, store),
                (true, false) => self.refute_bodies(at / 2, store),
                (false, true) => self.count_literal(at / 2, store),
                (false, false) => self.drop_body(at / 2, store),
            };
            if !is_left {
                let definition =
                    if at % 2 == 1 { at / 2 } else { self.definitions[at as usize / 2] };
                return Err(self.origins[definition as usize]);
            }
        }
        Ok(())
    }

    fn is_known(&self, store: &Store, literal: Place) -> bool {
        store.is_true(literal) && (!self.is_forward || store.is_fixed(literal.variable))
    }

    fn bodies(&self, definition: u32) -> std::ops::Range<u32> {
        let index = definition as usize;
        self.first_bodies[index]..self.first_bodies[index + 1]
    }

    fn literals(&self, body: u32) -> &[Place] {
        let index = body as usize;
        &self.literals[self.first_literals[index] as usize..self.first_literals[index + 1] as usize]
    }

    fn count_literal(&self, body: u32, store: &mut Store) -> bool {
        let cell = self.missing_cell + body;
        let missing = store.get(cell);
        if missing == DEAD {
            return true;
        }
        store.set(cell, missing - 1);
        let head = self.heads[self.definitions[body as usize] as usize];
        match missing - 1 {
            0 => store.hold(head),
            1 if self.is_known(store, head.negated()) => self.refute(body, store),
            _ => true,
        }
    }

    fn drop_body(&self, body: u32, store: &mut Store) -> bool {
        let cell = self.missing_cell + body;
        if store.get(cell) == DEAD {
            return true;
        }
        store.set(cell, DEAD);
        let definition = self.definitions[body as usize];
        let alive = store.get(self.alive_cell + definition) - 1;
        store.set(self.alive_cell + definition, alive);
        let head = self.heads[definition as usize];
        match alive {
            0 => store.hold(head.negated()),
            1 if self.is_known(store, head) => self.support_head(definition, store),
            _ => true,
        }
    }

    /// Propagates a true head: if only one body may hold, makes this body true.
    fn support_head(&self, definition: u32, store: &mut Store) -> bool {
        if store.get(self.alive_cell + definition) != 1 {
            return true;
        }
        let alive =
            self.bodies(definition).find(|body| store.get(self.missing_cell + body) != DEAD);
        alive.is_none_or(|body| self.literals(body).iter().all(|&literal| store.hold(literal)))
    }

    /// Propagates a false head: makes every body false.
    fn refute_bodies(&self, definition: u32, store: &mut Store) -> bool {
        self.bodies(definition)
            .all(|body| store.get(self.missing_cell + body) != 1 || self.refute(body, store))
    }

    /// Propagates a false body: if one literal is undecided, makes it false. A body that has become true meanwhile is
    /// detected when its last literal is counted.
    fn refute(&self, body: u32, store: &mut Store) -> bool {
        let open = self.literals(body).iter().find(|&&literal| !self.is_known(store, literal));
        open.is_none_or(|literal| store.hold(literal.negated()))
    }
}
