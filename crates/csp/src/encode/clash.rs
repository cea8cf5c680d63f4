//! Proves that two fluents cannot become true in the same step, because their ground rules cannot apply together.
//!
//! A *literal* is twice the number of its atom, plus one if it is negated.

use ruse_gdl::{AtomId, AtomKind, GroundProgram, Rules};

use super::pairs::Pairs;

/// The largest number of implied literals kept for each literal. Literals of the smallest atoms are kept.
const MAX_IMPLIED: usize = 128;

/// The largest number of ground rules of an atom that a proof splits into cases.
const MAX_SPLIT: usize = 8;

/// The maximal depth of nested splits.
const MAX_DEPTH: u32 = 3;

/// The implications of literals and rule bodies, for steps in which all moves are legal.
#[derive(Debug)]
pub(super) struct Implications<'a> {
    ground: &'a GroundProgram,
    /// For each literal, all literals that it implies, including the literal itself, in increasing order.
    of_literals: Vec<Box<[u32]>>,
    /// For each rule of each derived atom, the literals that the body of the rule implies.
    bodies: Vec<Vec<Box<[u32]>>>,
}

impl<'a> Implications<'a> {
    pub(super) fn new(rules: &'a Rules) -> Self {
        let ground = rules.ground();
        let itself = |literal: u32| Box::from([literal]);
        let mut implications = Self {
            ground,
            of_literals: (0..2 * ground.num_atoms() as u32).map(itself).collect(),
            bodies: vec![Vec::new(); ground.num_atoms()],
        };
        let given = ground.phase_a().start;
        ground.phase_a().for_each(|atom| implications.derive(AtomId(atom)));
        // A move that is made is legal.
        let mut moves = std::collections::HashMap::new();
        for atom in ground.moves() {
            moves.insert(ground.kind(AtomId(atom)), atom);
        }
        for atom in given..ground.num_atoms() as u32 {
            let AtomKind::Legal { role, action } = ground.kind(AtomId(atom)) else { continue };
            let Some(&does) = moves.get(&AtomKind::Does { role, action }) else { continue };
            let common = common(&implications.bodies[atom as usize]);
            implications.of_literals[2 * does as usize] = union(&[&[2 * does], &common]);
        }
        ground.phase_b().for_each(|atom| implications.derive(AtomId(atom)));
        implications
    }

    /// Computes the implications of a derived atom, after the atoms on which it depends (except atoms in a cycle with
    /// it).
    fn derive(&mut self, atom: AtomId) {
        let literals_of = |rule: ruse_gdl::GroundRule<'_>| {
            let positive = rule.positive.iter().map(|atom| 2 * atom.0);
            positive.chain(rule.negated.iter().map(|atom| 2 * atom.0 + 1)).collect::<Vec<u32>>()
        };
        let bodies: Vec<Vec<u32>> = self.ground.rules_of(atom).map(literals_of).collect();
        let of = |&literal: &u32| &*self.of_literals[literal as usize];
        let implied: Vec<Box<[u32]>> =
            bodies.iter().map(|body| union(&body.iter().map(of).collect::<Vec<_>>())).collect();
        let (holds, fails) = (2 * atom.0, 2 * atom.0 + 1);
        let common = common(&implied);
        let single = bodies.iter().filter(|body| body.len() == 1);
        let negated: Vec<&[u32]> =
            single.map(|body| &*self.of_literals[body[0] as usize ^ 1]).collect();
        let if_not = union(&[&[&[fails][..]], &*negated].concat());
        self.of_literals[holds as usize] = union(&[&[holds], &common]);
        self.of_literals[fails as usize] = if_not;
        self.bodies[atom.0 as usize] = implied;
    }
}

/// Returns the union of the sets in increasing order, truncated to the [`MAX_IMPLIED`] smallest literals.
fn union(sets: &[&[u32]]) -> Box<[u32]> {
    let mut all = sets.concat();
    all.sort_unstable();
    all.dedup();
    all.truncate(MAX_IMPLIED);
    all.into()
}

/// Returns the intersection of the sets, or an empty list if there are no sets.
fn common(sets: &[Box<[u32]>]) -> Vec<u32> {
    let Some((first, rest)) = sets.split_first() else { return Vec::new() };
    let in_all = |literal: &&u32| rest.iter().all(|set| set.binary_search(literal).is_ok());
    first.iter().filter(in_all).copied().collect()
}

/// An error: the tests are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UsedUp;

/// Searches for contradictions.
#[derive(Debug)]
pub(super) struct Prover<'a> {
    implications: &'a Implications<'a>,
    /// The literals assumed to hold, in the order of assumption.
    literals: Vec<u32>,
    holds: Vec<bool>,
    /// The assumed literal of each role's move, if any.
    moves: Vec<Option<u32>>,
    /// The number of tests left.
    tests: u64,
}

impl<'a> Prover<'a> {
    pub(super) fn new(implications: &'a Implications<'a>, num_roles: usize, tests: u64) -> Self {
        let holds = vec![false; implications.of_literals.len()];
        Self { implications, literals: Vec::new(), holds, moves: vec![None; num_roles], tests }
    }

    /// Returns `true` if the two atoms cannot both hold after a step of legal moves. In the state before the step, no
    /// pair in `pairs` holds together.
    pub(super) fn exclude(&mut self, a: AtomId, b: AtomId, pairs: &Pairs) -> Result<bool, UsedUp> {
        let implications = self.implications;
        for one in &implications.bodies[a.0 as usize] {
            // Bodies that are contradictory on their own do not count.
            if !self.add(one, pairs)? {
                for other in &implications.bodies[b.0 as usize] {
                    if !self.refutes_with(other, pairs)? {
                        self.undo(0);
                        return Ok(false);
                    }
                }
            }
            self.undo(0);
        }
        Ok(true)
    }

    /// Returns `true` if the literals are proven to contradict the assumptions. Shallow proofs are tried first.
    fn refutes_with(&mut self, literals: &[u32], pairs: &Pairs) -> Result<bool, UsedUp> {
        let mark = self.literals.len();
        let mut is_refuted = self.add(literals, pairs)?;
        for depth in 1..=MAX_DEPTH {
            is_refuted = is_refuted || self.splits(depth, pairs)?;
        }
        self.undo(mark);
        Ok(is_refuted)
    }

    /// Returns `true` if all rules of some assumed atom contradict the assumptions.
    fn splits(&mut self, depth: u32, pairs: &Pairs) -> Result<bool, UsedUp> {
        let implications = self.implications;
        for at in 0..self.literals.len() {
            let literal = self.literals[at];
            let bodies = &implications.bodies[literal as usize / 2];
            // If an atom has only one rule, its literals are among the implications already.
            if literal % 2 == 1 || bodies.len() < 2 || bodies.len() > MAX_SPLIT {
                continue;
            }
            let mark = self.literals.len();
            let mut is_refuted = true;
            for body in bodies {
                is_refuted =
                    self.add(body, pairs)? || depth > 1 && self.splits(depth - 1, pairs)?;
                self.undo(mark);
                if !is_refuted {
                    break;
                }
            }
            if is_refuted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds assumptions, which stay until they are undone. Returns `true` if they contradict each other or earlier
    /// assumptions.
    fn add(&mut self, literals: &[u32], pairs: &Pairs) -> Result<bool, UsedUp> {
        self.tests = self.tests.checked_sub(1).ok_or(UsedUp)?;
        let ground = self.implications.ground;
        for &literal in literals {
            if self.holds[literal as usize] {
                continue;
            }
            if self.holds[literal as usize ^ 1] {
                return Ok(true);
            }
            self.holds[literal as usize] = true;
            self.literals.push(literal);
            if literal % 2 == 1 {
                continue;
            }
            match ground.kind(AtomId(literal / 2)) {
                AtomKind::True(fluent) => {
                    let fluents = ground.fluents();
                    let clashes = self.literals.iter().any(|&other| {
                        let is_fluent = other % 2 == 0 && fluents.contains(&(other / 2));
                        is_fluent && pairs.contains(fluent, other / 2)
                    });
                    if clashes {
                        return Ok(true);
                    }
                }
                AtomKind::Does { role, .. } => {
                    if self.moves[role as usize].is_some() {
                        return Ok(true);
                    }
                    self.moves[role as usize] = Some(literal);
                }
                _ => (),
            }
        }
        Ok(false)
    }

    /// Undoes all assumptions except the first `mark`.
    fn undo(&mut self, mark: usize) {
        for literal in self.literals.drain(mark..) {
            self.holds[literal as usize] = false;
            for made in &mut self.moves {
                *made = made.filter(|&made| made != literal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ruse_gdl::{AtomId, AtomKind, Limits, Rules};

    use super::{Implications, Prover, UsedUp};
    use crate::encode::pairs::Pairs;

    const TEXT: &str = "(role a) (role b) (init p) (init q) (init w)
        (<= (legal a one) (true p)) (<= (legal a two) (true q)) (legal b one)
        (<= some (does a one) (true w)) (<= some (does a two) (true w))
        (<= (next p) (does a one)) (<= (next q) (does a two)) (<= (next w) some)
        (<= (next p) (true p) (not (does b one)))
        (<= terminal (not (true w))) (goal a 0) (goal b 0)";

    fn rules() -> Rules {
        Rules::from_text(TEXT, &Limits::default()).expect("it is sound")
    }

    fn next(rules: &Rules, text: &str) -> AtomId {
        let ground = rules.ground();
        let is_it = |&atom: &AtomId| match ground.kind(atom) {
            AtomKind::Next(fluent) => rules.fluent(fluent) == text,
            _ => false,
        };
        ground.phase_b().map(AtomId).find(is_it).expect("it is derived")
    }

    /// Two fluents that need different moves of one role cannot become true in the same step. In this game, p needs one
    /// move of role a, and q needs the other move. But p also persists without a move of role b, which the proof cannot
    /// exclude; then role a can make the move that q needs.
    #[test]
    fn one_role_makes_one_move() {
        let rules = rules();
        let implications = Implications::new(&rules);
        let mut prover = Prover::new(&implications, 2, 100);
        let (p, q, w) = (next(&rules, "p"), next(&rules, "q"), next(&rules, "w"));
        let apart = Pairs::all(3);
        assert_eq!(prover.exclude(p, w, &Pairs::none(3)), Ok(false));
        assert_eq!(prover.exclude(p, q, &Pairs::none(3)), Ok(false));
        // Moves are legal: the move that leads to q requires q, and q excludes p.
        assert_eq!(prover.exclude(p, q, &apart), Ok(true));
        // Both rules of w contradict the rules of q or an exclusive pair.
        assert_eq!(prover.exclude(q, w, &apart), Ok(true));
    }

    #[test]
    fn tests_are_counted() {
        let rules = rules();
        let implications = Implications::new(&rules);
        let (p, q) = (next(&rules, "p"), next(&rules, "q"));
        let mut prover = Prover::new(&implications, 2, 1);
        assert_eq!(prover.exclude(p, q, &Pairs::none(3)), Err(UsedUp));
    }
}
