//! Rules in the form that joins use: terms without variables are interned.

use crate::facts::{Facts, Pattern};
use crate::join::{Condition, JoinRule};
use crate::program::{Atom, Literal, Program, RelationId, Rule, Term};
use crate::terms::{TermId, Terms};

/// Returns a rule in the form that joins use. If `is_open` returns `true` for its relation, a negated atom is recorded,
/// not checked.
pub(crate) fn join_rule(
    program: &Program,
    rule: &Rule,
    is_open: impl Fn(RelationId) -> bool,
    terms: &mut Terms,
    facts: &mut Facts,
) -> JoinRule {
    let mut times = vec![0_u32; rule.variables.len()];
    let mut count = |term: &Term| term.variables(&mut |v| times[v as usize] += 1);
    rule.head.args.iter().chain(rule.body.iter().flat_map(Literal::terms)).for_each(&mut count);
    let often = |variable: u32| times[variable as usize] > 1;
    let mut join = JoinRule {
        head: atom_pattern(program, &rule.head, terms),
        atoms: Vec::new(),
        conditions: Vec::new(),
        open: Vec::new(),
        num_variables: rule.variables.len(),
    };
    for literal in &rule.body {
        match literal {
            Literal::Positive(atom) => {
                let pattern = atom_pattern(program, atom, terms);
                join.atoms.push(facts.body_atom(atom.relation, pattern, &often));
            }
            Literal::Negative(atom) => {
                let pattern = atom_pattern(program, atom, terms);
                if is_open(atom.relation) {
                    join.open.push(pattern);
                } else {
                    join.conditions.push(Condition::Absent(pattern));
                }
            }
            Literal::Distinct([t, u]) => {
                join.conditions.push(Condition::Distinct(pattern(t, terms), pattern(u, terms)));
            }
            Literal::Equal([t, u]) => {
                join.conditions.push(Condition::Equal(pattern(t, terms), pattern(u, terms)));
            }
        }
    }
    join
}

/// Returns an atom as a compound pattern even without variables, because its functor is needed.
fn atom_pattern(program: &Program, atom: &Atom, terms: &mut Terms) -> Pattern {
    let name = program.relations[atom.relation as usize].name;
    let functor = terms.functor(name, Some(atom.args.len()));
    Pattern::Compound(functor, atom.args.iter().map(|arg| pattern(arg, terms)).collect())
}

fn pattern(term: &Term, terms: &mut Terms) -> Pattern {
    match term {
        Term::Variable(variable) => Pattern::Variable(*variable),
        Term::Word(word) => {
            let functor = terms.functor(*word, None);
            Pattern::Ground(terms.intern(functor, &[]))
        }
        Term::Compound(name, args) => {
            let functor = terms.functor(*name, Some(args.len()));
            let args: Box<[Pattern]> = args.iter().map(|arg| pattern(arg, terms)).collect();
            let ground: Option<Vec<TermId>> = args
                .iter()
                .map(|arg| if let Pattern::Ground(term) = arg { Some(*term) } else { None })
                .collect();
            match ground {
                Some(args) => Pattern::Ground(terms.intern(functor, &args)),
                None => Pattern::Compound(functor, args),
            }
        }
    }
}
