//! Formulas in disjunctive normal form, with literals over variables of finite domains.

use super::super::network::{Literal, VariableId};

/// A conjunction of literals in increasing order. No literal implies another.
pub(super) type Conjunction = Vec<Literal>;

/// The number of values of each variable, in the order of the variables' numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Domains<'a> {
    /// The domain sizes of the variables with the lowest numbers.
    pub(super) sizes: &'a [u16],
}

impl Domains<'_> {
    /// Returns the size of a variable's domain. Unlisted variables are Boolean.
    pub(super) fn size(self, variable: VariableId) -> u16 {
        self.sizes.get(variable.0 as usize).copied().unwrap_or(2)
    }

    /// Returns the shortest form of the conjunction, or `None` if the literals are contradictory.
    pub(super) fn conjunction(self, mut literals: Vec<Literal>) -> Option<Conjunction> {
        literals.sort_unstable_by_key(|l| (l.variable, !l.is_equal, l.value));
        literals.dedup();
        let mut shortest = Vec::with_capacity(literals.len());
        for same in literals.chunk_by(|a, b| a.variable == b.variable) {
            let (first, size) = (same[0], usize::from(self.size(same[0].variable)));
            if first.is_equal {
                let agrees = |other: &Literal| (other.value == first.value) == other.is_equal;
                if !same.iter().all(agrees) {
                    return None;
                }
                if size > 1 {
                    shortest.push(first);
                }
            } else if same.len() == size {
                return None;
            } else if same.len() + 1 == size {
                let is_left = |value: &u16| same.iter().all(|other| other.value != *value);
                let value = (0..size as u16).find(is_left)?;
                shortest.push(Literal { variable: first.variable, value, is_equal: true });
            } else {
                shortest.extend(same);
            }
        }
        Some(shortest)
    }

    /// Returns the conjunction of two disjunctions, or `None` if the result has more than `most` parts.
    pub(super) fn product(
        self,
        some: &[Conjunction],
        others: &[Conjunction],
        most: usize,
    ) -> Option<Vec<Conjunction>> {
        let mut all = Vec::new();
        for one in some {
            for other in others {
                all.extend(self.conjunction([&**one, other].concat()));
            }
            if all.len() > 4 * most + 64 {
                simplify(&mut all);
            }
            if all.len() > 4 * most + 64 {
                return None;
            }
        }
        simplify(&mut all);
        (all.len() <= most).then_some(all)
    }

    /// Returns the negation of a disjunction, or `None` if it or an intermediate result has more than `most`
    /// conjunctions.
    pub(super) fn negation(self, some: &[Conjunction], most: usize) -> Option<Vec<Conjunction>> {
        let mut all = vec![Conjunction::new()];
        for conjunction in some {
            let opposites = conjunction.iter().map(|&literal| {
                let opposite = Literal { is_equal: !literal.is_equal, ..literal };
                self.conjunction(vec![opposite]).unwrap_or_default()
            });
            all = self.product(&all, &opposites.collect::<Vec<_>>(), most)?;
        }
        Some(all)
    }
}

/// The size of the largest disjunction in which all pairs of conjunctions are compared. In larger disjunctions, only
/// duplicates are dropped.
const MAX_COMPARED: usize = 256;

/// Sorts a disjunction and drops conjunctions that imply another conjunction.
pub(super) fn simplify(all: &mut Vec<Conjunction>) {
    all.sort_unstable();
    all.dedup();
    if all.len() > MAX_COMPARED {
        return;
    }
    let implies = |strong: &Conjunction, weak: &Conjunction| {
        weak.len() < strong.len() && weak.iter().all(|literal| strong.contains(literal))
    };
    let kept: Vec<bool> =
        all.iter().map(|one| !all.iter().any(|other| implies(one, other))).collect();
    let mut kept = kept.into_iter();
    all.retain(|_| kept.next().unwrap_or(true));
}

/// Returns the variables of a disjunction, in increasing order and without duplicates.
pub(super) fn variables(all: &[Conjunction]) -> Vec<VariableId> {
    let mut variables: Vec<VariableId> = all.iter().flatten().map(|l| l.variable).collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}

#[cfg(test)]
mod tests {
    use super::{Conjunction, Domains, Literal, VariableId, simplify};

    /// Variable 0 has one value, variable 1 has two, and variable 2 has three.
    const DOMAINS: Domains<'static> = Domains { sizes: &[1, 2, 3] };

    fn is(variable: u32, value: u16) -> Literal {
        Literal { variable: VariableId(variable), value, is_equal: true }
    }

    fn not(variable: u32, value: u16) -> Literal {
        Literal { is_equal: false, ..is(variable, value) }
    }

    #[test]
    fn conjunctions_take_their_shortest_form() {
        let short = |literals: &[Literal]| DOMAINS.conjunction(literals.to_vec());
        assert_eq!(short(&[is(0, 0), not(1, 0)]), Some(vec![is(1, 1)]));
        assert_eq!(short(&[not(0, 0)]), None);
        assert_eq!(short(&[not(2, 0), is(2, 1), not(2, 2)]), Some(vec![is(2, 1)]));
        assert_eq!(short(&[not(2, 0), not(2, 2)]), Some(vec![is(2, 1)]));
        assert_eq!(short(&[not(2, 0)]), Some(vec![not(2, 0)]));
        assert_eq!(short(&[not(2, 1), is(2, 1)]), None);
        assert_eq!(short(&[is(2, 0), is(2, 1)]), None);
        assert_eq!(short(&[not(2, 0), not(2, 1), not(2, 2)]), None);
        // Unlisted variables are Boolean.
        assert_eq!(short(&[not(9, 1)]), Some(vec![is(9, 0)]));
    }

    #[test]
    fn negations_follow_the_laws_of_de_morgan() {
        let some = [vec![is(1, 1), is(2, 0)], vec![is(1, 0), is(2, 1)]];
        // The product of (1=0 or 2!=0) and (1=1 or 2!=1), without its contradictory parts.
        let mut expected: Vec<Conjunction> =
            vec![vec![is(1, 0), not(2, 1)], vec![is(1, 1), not(2, 0)], vec![is(2, 2)]];
        expected.sort_unstable();
        assert_eq!(DOMAINS.negation(&some, 3), Some(expected));
        assert_eq!(DOMAINS.negation(&some, 2), None);
        assert_eq!(DOMAINS.negation(&[], 1), Some(vec![vec![]]));
        assert_eq!(DOMAINS.negation(&[vec![]], 1), Some(vec![]));
    }

    #[test]
    fn implied_formulas_are_dropped() {
        let mut all =
            vec![vec![is(1, 1), is(2, 0)], vec![is(2, 0)], vec![is(2, 0)], vec![is(2, 1)]];
        simplify(&mut all);
        assert_eq!(all, [vec![is(2, 0)], vec![is(2, 1)]]);
    }
}
