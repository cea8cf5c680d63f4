//! From lists of words to rules.

use std::collections::HashMap;

use crate::error::{Error, Oddity, Place, Problem, Warning};
use crate::formula::{self, Formula};
use crate::hash::{Fnv, mix};
use crate::limits::{BODY_LITERALS, Limits, NORMAL_LITERALS, exceeded};
use crate::program::{Atom, KEYWORDS, Literal, Program, Relation, RelationId, Rule, Term};
use crate::text::{Node, Symbol, Symbols};

/// The words after those of the keywords.
const CONNECTIVES: [&str; 5] = ["<=", "not", "or", "and", "distinct"];
const IF: Symbol = 11;
const NOT: Symbol = 12;
const OR: Symbol = 13;
const AND: Symbol = 14;
const DISTINCT: Symbol = 15;

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
    let mut hash = Fnv::default();
    for item in &items {
        reader.item(item)?;
        hash_item(item, &reader.program.symbols, &mut hash);
        hash.write("\n");
    }
    reader.program.text_hash = mix(hash.finish());
    Ok(reader.program)
}

/// Hashes the canonical text of an item: one space between words, no other white space.
fn hash_item(node: &Node, symbols: &Symbols, hash: &mut Fnv) {
    match node {
        Node::Word(word, _) => hash.write(symbols.name(*word)),
        Node::List(nodes, _) => {
            for (index, node) in nodes.iter().enumerate() {
                hash.write(if index == 0 { "(" } else { " " });
                hash_item(node, symbols, hash);
            }
            hash.write(")");
        }
    }
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
