//! Bodies of rules in disjunctive normal form, with negation pushed inwards to the atoms.

use crate::program::Literal;

/// The body of a rule, as written.
#[derive(Debug, Clone)]
pub(crate) enum Formula {
    /// An atom or a `distinct`, as it stands in the text.
    Literal(Literal),
    Not(Box<Formula>),
    Or(Vec<Formula>),
    And(Vec<Formula>),
}

/// The size of the normal form of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) disjuncts: u64,
    /// The total number of literals of all disjuncts.
    pub(crate) literals: u64,
}

/// Returns the size of the normal form of the formula or, if `positive` is false, of its negation, without building it.
pub(crate) fn size(formula: &Formula, positive: bool) -> Size {
    let (parts, any) = match formula {
        Formula::Literal(_) => return Size { disjuncts: 1, literals: 1 },
        Formula::Not(inner) => return size(inner, !positive),
        Formula::Or(parts) => (parts, positive),
        Formula::And(parts) => (parts, !positive),
    };
    let sizes = parts.iter().map(|part| size(part, positive));
    if any {
        sizes.fold(Size { disjuncts: 0, literals: 0 }, |a, b| Size {
            disjuncts: a.disjuncts.saturating_add(b.disjuncts),
            literals: a.literals.saturating_add(b.literals),
        })
    } else {
        // Each disjunct of one side is combined with each disjunct of the other.
        sizes.fold(Size { disjuncts: 1, literals: 0 }, |a, b| Size {
            disjuncts: a.disjuncts.saturating_mul(b.disjuncts),
            literals: a
                .literals
                .saturating_mul(b.disjuncts)
                .saturating_add(b.literals.saturating_mul(a.disjuncts)),
        })
    }
}

/// Returns the disjuncts, each a conjunction of distinct literals, in the order of the text.
pub(crate) fn normal(formula: Formula) -> Vec<Vec<Literal>> {
    let mut disjuncts = disjuncts(formula, true);
    for literals in &mut disjuncts {
        let mut seen = std::collections::HashSet::new();
        literals.retain(|literal| seen.insert(literal.clone()));
    }
    disjuncts
}

fn negated(literal: Literal) -> Literal {
    match literal {
        Literal::Positive(atom) => Literal::Negative(atom),
        Literal::Negative(atom) => Literal::Positive(atom),
        Literal::Distinct(pair) => Literal::Equal(pair),
        Literal::Equal(pair) => Literal::Distinct(pair),
    }
}

fn disjuncts(formula: Formula, positive: bool) -> Vec<Vec<Literal>> {
    let (parts, any) = match formula {
        Formula::Literal(literal) if positive => return vec![vec![literal]],
        Formula::Literal(literal) => return vec![vec![negated(literal)]],
        Formula::Not(inner) => return disjuncts(*inner, !positive),
        Formula::Or(parts) => (parts, positive),
        Formula::And(parts) => (parts, !positive),
    };
    if any {
        return parts.into_iter().flat_map(|part| disjuncts(part, positive)).collect();
    }
    let mut all = vec![Vec::new()];
    for part in parts {
        let mut choices = disjuncts(part, positive);
        if choices.len() == 1 {
            // The usual case needs no copies.
            let literals = choices.pop().unwrap_or_default();
            all.iter_mut().for_each(|left| left.extend(literals.iter().cloned()));
            continue;
        }
        all = all
            .iter()
            .flat_map(|left| choices.iter().map(|right| [left.as_slice(), right].concat()))
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::parse::parse;
    use crate::program::{Literal, Rule};

    /// Returns the bodies of the rules of a text. Each body is a list of relation names, with `-` before negated atoms,
    /// `#` for `distinct` and `=` for an equation.
    fn bodies(text: &str) -> Vec<String> {
        let program = parse(text.as_bytes(), &Limits::default()).expect("the text is right");
        let shown = |rule: &Rule| {
            let literals = rule.body.iter().map(|literal| match literal {
                Literal::Positive(atom) => program.name(atom.relation).to_string(),
                Literal::Negative(atom) => format!("-{}", program.name(atom.relation)),
                Literal::Distinct(..) => "#".into(),
                Literal::Equal(..) => "=".into(),
            });
            literals.collect::<Vec<_>>().join(" ")
        };
        program.rules.iter().map(shown).collect()
    }

    #[test]
    fn bodies_fall_apart_in_the_order_of_the_text() {
        // Worked out by hand with De Morgan's laws.
        assert_eq!(bodies("(<= h (or a b) c (or d e))"), ["a c d", "a c e", "b c d", "b c e"]);
        assert_eq!(bodies("(<= h (not (or a (not b) (distinct 1 2))))"), ["-a b ="]);
        assert_eq!(bodies("(<= h (not (and a (or b c))))"), ["-a", "-b -c"]);
        assert_eq!(bodies("(<= h a (and a b) (not (not a)))"), ["a b"]);
    }

    #[test]
    fn sizes_are_known_before_the_normal_form_is_made() {
        // Two choices in each of fourteen disjunctions: 16,384 rules.
        let text = format!("(<= h {})", "(or a b)".repeat(14));
        let error = parse(text.as_bytes(), &Limits::default()).expect_err("the text is refused");
        let expected = "1:1: limit: more than 10000 disjuncts in one rule (limit disjuncts)";
        assert_eq!(error.to_string(), expected);
        // A hundred doublings overflow 64 bits.
        let text = format!("(<= h {})", "(or a b)".repeat(100));
        assert!(parse(text.as_bytes(), &Limits::default()).is_err());
    }
}
