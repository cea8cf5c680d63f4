//! Rules as data: terms, atoms, literals, and a separate rule for each disjunct of a body.

use crate::error::{Place, Warning};
use crate::text::{Symbol, Symbols};

/// A relation, by its index in [`Program::relations`].
pub(crate) type RelationId = u32;

/// The relations that the language defines, with their numbers of arguments. The word with number `i` names relation
/// `i`.
pub(crate) const KEYWORDS: [(&str, usize); 11] = [
    ("role", 1),
    ("init", 1),
    ("true", 1),
    ("next", 1),
    ("legal", 2),
    ("does", 2),
    ("goal", 2),
    ("terminal", 0),
    ("sees", 2),
    ("base", 1),
    ("input", 2),
];
pub(crate) const ROLE: RelationId = 0;
pub(crate) const INIT: RelationId = 1;
pub(crate) const TRUE: RelationId = 2;
pub(crate) const NEXT: RelationId = 3;
pub(crate) const LEGAL: RelationId = 4;
pub(crate) const DOES: RelationId = 5;
pub(crate) const GOAL: RelationId = 6;
pub(crate) const TERMINAL: RelationId = 7;
pub(crate) const SEES: RelationId = 8;
pub(crate) const BASE: RelationId = 9;
pub(crate) const INPUT: RelationId = 10;

/// The role that represents chance.
pub(crate) const RANDOM: &str = "random";

/// A term of a rule; variables are numbered from 0 within each rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Variable(u32),
    Word(Symbol),
    Compound(Symbol, Vec<Term>),
}

impl Term {
    /// Calls `visit` for each variable of the term.
    pub(crate) fn variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Word(_) => {}
            Self::Compound(_, args) => args.iter().for_each(|arg| arg.variables(visit)),
        }
    }

    /// Calls `visit` for each variable of the term, which may replace it.
    pub(crate) fn variables_mut(&mut self, visit: &mut impl FnMut(&mut u32)) {
        match self {
            Self::Variable(variable) => visit(variable),
            Self::Word(_) => {}
            Self::Compound(_, args) => args.iter_mut().for_each(|arg| arg.variables_mut(visit)),
        }
    }

    pub(crate) fn is_ground(&self) -> bool {
        let mut ground = true;
        self.variables(&mut |_| ground = false);
        ground
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Atom {
    pub(crate) relation: RelationId,
    pub(crate) args: Vec<Term>,
}

/// A literal of a body in normal form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Literal {
    Positive(Atom),
    Negative(Atom),
    Distinct([Term; 2]),
    Equal([Term; 2]),
}

impl Literal {
    /// Returns the atom of the literal, and whether it is negated.
    pub(crate) fn atom(&self) -> Option<(&Atom, bool)> {
        match self {
            Self::Positive(atom) => Some((atom, false)),
            Self::Negative(atom) => Some((atom, true)),
            Self::Distinct(_) | Self::Equal(_) => None,
        }
    }

    /// Returns the arguments of the atom, or the two terms that are compared.
    pub(crate) fn terms(&self) -> &[Term] {
        match self {
            Self::Positive(atom) | Self::Negative(atom) => &atom.args,
            Self::Distinct(pair) | Self::Equal(pair) => pair,
        }
    }

    pub(crate) fn terms_mut(&mut self) -> &mut [Term] {
        match self {
            Self::Positive(atom) | Self::Negative(atom) => &mut atom.args,
            Self::Distinct(pair) | Self::Equal(pair) => pair,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) head: Atom,
    pub(crate) body: Vec<Literal>,
    /// The names of the rule's variables, by number.
    pub(crate) variables: Vec<Symbol>,
    pub(crate) place: Place,
}

impl Rule {
    /// Returns the atoms of the body, and whether each is negated.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = (&Atom, bool)> + Clone {
        self.body.iter().filter_map(Literal::atom)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Relation {
    pub(crate) name: Symbol,
    pub(crate) arity: usize,
    /// The place of the relation's first occurrence; for keywords, the start of the text.
    pub(crate) place: Place,
    /// Whether the relation occurs in a head.
    pub(crate) defined: bool,
    /// Whether the relation occurs in a body.
    pub(crate) used: bool,
}

/// A word that is used as a role, at its first occurrence with a keyword.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedRole {
    pub(crate) keyword: RelationId,
    pub(crate) word: Symbol,
    pub(crate) place: Place,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    pub(crate) symbols: Symbols,
    pub(crate) relations: Vec<Relation>,
    pub(crate) rules: Vec<Rule>,
    /// The number of rules for `base` and `input`, which are skipped.
    pub(crate) num_skipped: usize,
    pub(crate) named_roles: Vec<NamedRole>,
    pub(crate) warnings: Vec<Warning>,
    /// The lines that are comments in other languages.
    pub(crate) comment_lines: Vec<u32>,
    /// The approximate memory of the program, in bytes.
    pub(crate) bytes: u64,
    /// The hash of the canonical texts of all items.
    pub(crate) text_hash: u64,
}

impl Program {
    pub(crate) fn name(&self, relation: RelationId) -> &str {
        self.symbols.name(self.relations[relation as usize].name)
    }

    pub(crate) fn shown(&self, term: &Term, rule: &Rule) -> String {
        match term {
            Term::Variable(variable) => {
                self.symbols.name(rule.variables[*variable as usize]).into()
            }
            Term::Word(word) => self.symbols.name(*word).into(),
            Term::Compound(name, args) => {
                let args = args.iter().map(|arg| format!(" {}", self.shown(arg, rule)));
                format!("({}{})", self.symbols.name(*name), args.collect::<String>())
            }
        }
    }
}
