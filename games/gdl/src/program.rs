//! Rules: from lists of words to heads and bodies, one rule for each disjunct of a body.

use std::collections::HashMap;

use crate::error::{Error, Oddity, Place, Problem, Warning};
use crate::formula::{self, Formula};
use crate::limits::{BODY_LITERALS, Limits, NORMAL_LITERALS, exceeded};
use crate::text::{Node, Symbol, Symbols};

/// A relation, by its number in [`Program::relations`].
pub(crate) type RelationId = u32;

/// The relations that the language fixes, and their numbers of arguments. The relation with number
/// `i` is that of the word with number `i`, too.
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

/// The words after those of the keywords.
const CONNECTIVES: [&str; 5] = ["<=", "not", "or", "and", "distinct"];
const IF: Symbol = 11;
const NOT: Symbol = 12;
const OR: Symbol = 13;
const AND: Symbol = 14;
const DISTINCT: Symbol = 15;

/// The role that is chance.
pub(crate) const RANDOM: &str = "random";

/// A term of a rule; variables are numbered from 0 in each rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Variable(u32),
    Word(Symbol),
    Compound(Symbol, Vec<Term>),
}

impl Term {
    /// Calls `visit` for every variable of the term.
    pub(crate) fn variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Word(_) => {}
            Self::Compound(_, args) => args.iter().for_each(|arg| arg.variables(visit)),
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
    Distinct(Term, Term),
    Equal(Term, Term),
}

#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) head: Atom,
    pub(crate) body: Vec<Literal>,
    /// The names of the variables.
    pub(crate) variables: Vec<Symbol>,
    pub(crate) place: Place,
}

#[derive(Debug, Clone)]
pub(crate) struct Relation {
    pub(crate) name: Symbol,
    pub(crate) arity: usize,
    /// Where it appears first; of keywords, the start of the text.
    pub(crate) place: Place,
    /// Whether it stands in a head.
    pub(crate) defined: bool,
    /// Whether it stands in a body.
    pub(crate) used: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    pub(crate) symbols: Symbols,
    pub(crate) relations: Vec<Relation>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) warnings: Vec<Warning>,
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
                let mut out = format!("({}", self.symbols.name(*name));
                for arg in args {
                    out.push(' ');
                    out.push_str(&self.shown(arg, rule));
                }
                out + ")"
            }
        }
    }
}

/// Reads the rules of a text.
pub(crate) fn parse(text: &[u8], limits: &Limits) -> Result<Program, Error> {
    let mut program = Program::default();
    for (name, _) in KEYWORDS {
        program.symbols.intern(name);
    }
    for name in CONNECTIVES {
        program.symbols.intern(name);
    }
    let items = crate::text::read(text, limits, &mut program.symbols)?;
    let mut reader = Reader {
        relation_of: HashMap::new(),
        functions: HashMap::new(),
        variables: Vec::new(),
        num_literals: 0,
        limits,
        program,
    };
    for (index, (name, arity)) in KEYWORDS.into_iter().enumerate() {
        debug_assert_eq!(reader.program.symbols.name(index as u32), name);
        let relation = Relation {
            name: index as u32,
            arity,
            place: Place::START,
            defined: false,
            used: false,
        };
        reader.program.relations.push(relation);
        reader.relation_of.insert(index as u32, index as u32);
    }
    for item in &items {
        reader.item(item)?;
    }
    Ok(reader.program)
}

struct Reader<'a> {
    program: Program,
    relation_of: HashMap<Symbol, RelationId>,
    /// The first number of arguments of each function, and whether another was met.
    functions: HashMap<Symbol, (usize, Place, bool)>,
    /// Of the rule that is read.
    variables: Vec<Symbol>,
    num_literals: u64,
    limits: &'a Limits,
}

impl Reader<'_> {
    fn item(&mut self, item: &Node) -> Result<(), Error> {
        self.variables.clear();
        let place = item.place();
        let nodes = match item {
            Node::Word(IF, _) => return Err(Error::new(place, Problem::NoHead)),
            Node::List(nodes, _) if matches!(nodes[0], Node::Word(IF, _)) => &nodes[1..],
            _ => {
                let head = self.head(item)?;
                self.program.rules.push(Rule {
                    head,
                    body: Vec::new(),
                    variables: self.variables.clone(),
                    place,
                });
                return Ok(());
            }
        };
        let Some((head, body)) = nodes.split_first() else {
            return Err(Error::new(place, Problem::NoHead));
        };
        let head = self.head(head)?;
        if body.is_empty() {
            self.program.warnings.push(Warning { place, what: Oddity::EmptyBody });
        }
        let literals =
            body.iter().map(|node| self.formula(node)).collect::<Result<Vec<_>, Error>>()?;
        let limit = |name, what, limit| Err(Error::new(place, exceeded(name, what, limit)));
        let body = Formula::And(literals);
        let size = formula::size(&body, true);
        if size.disjuncts > self.limits.disjuncts {
            return limit("disjuncts", "disjuncts in one rule", self.limits.disjuncts);
        }
        self.num_literals = self.num_literals.saturating_add(size.literals);
        if self.num_literals > NORMAL_LITERALS {
            return limit("literals", "literals after `or` is taken apart", NORMAL_LITERALS);
        }
        for body in formula::normal(body) {
            if body.len() as u64 > BODY_LITERALS {
                return limit("body-literals", "literals in one body", BODY_LITERALS);
            }
            self.program.rules.push(Rule {
                head: head.clone(),
                body,
                variables: self.variables.clone(),
                place,
            });
        }
        Ok(())
    }

    fn head(&mut self, node: &Node) -> Result<Atom, Error> {
        let atom = self.atom(node, "an atom")?;
        self.program.relations[atom.relation as usize].defined = true;
        Ok(atom)
    }

    fn formula(&mut self, node: &Node) -> Result<Formula, Error> {
        if let Node::List(nodes, place) = node
            && let Node::Word(word, _) = nodes[0]
        {
            let operands = &nodes[1..];
            let count = operands.len();
            let operands_error = |name, expected| {
                Err(Error::new(*place, Problem::Operands { name, expected, found: count }))
            };
            match word {
                IF => return Err(Error::new(*place, Problem::NestedRule)),
                NOT if count != 1 => return operands_error("not", "1 argument"),
                NOT => return Ok(Formula::Not(Box::new(self.formula(&operands[0])?))),
                OR if count == 0 => return operands_error("or", "1 or more arguments"),
                AND if count == 0 => return operands_error("and", "1 or more arguments"),
                OR | AND => {
                    let parts = operands.iter().map(|node| self.formula(node)).collect::<Result<
                        Vec<_>,
                        Error,
                    >>(
                    )?;
                    return Ok(if word == OR { Formula::Or(parts) } else { Formula::And(parts) });
                }
                DISTINCT if count != 2 => {
                    let problem =
                        Problem::KeywordArity { name: "distinct", expected: 2, found: count };
                    return Err(Error::new(*place, problem));
                }
                DISTINCT => {
                    let (t, u) = (self.term(&operands[0])?, self.term(&operands[1])?);
                    return Ok(Formula::Literal(Literal::Distinct(t, u)));
                }
                _ => {}
            }
        }
        let atom = self.atom(node, "a literal")?;
        self.program.relations[atom.relation as usize].used = true;
        Ok(Formula::Literal(Literal::Positive(atom)))
    }

    /// The name that a list begins with, or the word itself.
    fn name(
        &self,
        node: &Node,
        place: Place,
        what: &'static str,
        expected: &'static str,
    ) -> Result<Symbol, Error> {
        let symbols = &self.program.symbols;
        match node {
            Node::Word(word, _) if (IF..=DISTINCT).contains(word) => {
                let name = CONNECTIVES[(word - IF) as usize];
                Err(Error::new(place, Problem::Connective { name, expected }))
            }
            Node::Word(word, _) if !symbols.is_variable(*word) => Ok(*word),
            _ => {
                let found = node.shown(symbols);
                Err(Error::new(place, Problem::NotAName { found, expected: what }))
            }
        }
    }

    fn atom(&mut self, node: &Node, expected: &'static str) -> Result<Atom, Error> {
        let place = node.place();
        let (name, args) = match node {
            Node::Word(..) => (node, &[][..]),
            Node::List(nodes, _) => (&nodes[0], &nodes[1..]),
        };
        let name = self.name(name, place, "a relation name", expected)?;
        let relation = self.relation(name, args.len(), place)?;
        let args = args.iter().map(|node| self.term(node)).collect::<Result<Vec<_>, Error>>()?;
        Ok(Atom { relation, args })
    }

    fn relation(&mut self, name: Symbol, arity: usize, place: Place) -> Result<RelationId, Error> {
        let relations = &mut self.program.relations;
        let next = relations.len() as RelationId;
        let number = *self.relation_of.entry(name).or_insert(next);
        if number == next {
            relations.push(Relation { name, arity, place, defined: false, used: false });
        }
        let relation = &relations[number as usize];
        if relation.arity == arity {
            return Ok(number);
        }
        let problem = match KEYWORDS.get(number as usize) {
            Some(&(name, expected)) => Problem::KeywordArity { name, expected, found: arity },
            None => Problem::RelationArity {
                name: self.program.symbols.name(name).into(),
                first: relation.arity,
                first_place: relation.place,
                found: arity,
            },
        };
        Err(Error::new(place, problem))
    }

    fn term(&mut self, node: &Node) -> Result<Term, Error> {
        let place = node.place();
        let nodes = match node {
            Node::Word(word, _) if self.program.symbols.is_variable(*word) => {
                let known = self.variables.iter().position(|variable| variable == word);
                let index = known.unwrap_or_else(|| {
                    self.variables.push(*word);
                    self.variables.len() - 1
                });
                return Ok(Term::Variable(index as u32));
            }
            Node::Word(..) => {
                return self.name(node, place, "a word", "a term").map(Term::Word);
            }
            Node::List(nodes, _) => nodes,
        };
        let name = self.name(&nodes[0], place, "a function name", "a term")?;
        let args =
            nodes[1..].iter().map(|node| self.term(node)).collect::<Result<Vec<_>, Error>>()?;
        let arity = args.len();
        let &mut (first, first_place, ref mut warned) =
            self.functions.entry(name).or_insert((arity, place, false));
        if first != arity && !*warned {
            *warned = true;
            let name = self.program.symbols.name(name).into();
            let what = Oddity::FunctionArity { name, first, first_place, found: arity };
            self.program.warnings.push(Warning { place, what });
        }
        Ok(Term::Compound(name, args))
    }
}
