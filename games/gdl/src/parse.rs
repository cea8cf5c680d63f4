//! Parsing of rules from nested lists of words.

use std::collections::{HashMap, HashSet};

use crate::error::{Error, Oddity, Place, Problem, Warning};
use crate::formula::{self, Formula};
use crate::hash::{Fnv, mix};
use crate::limits::{LimitName, Limits};
use crate::meter::Meter;
use crate::program::{
    Atom, BASE, DOES, GOAL, INPUT, KEYWORDS, LEGAL, Literal, NamedRole, Program, Relation,
    RelationId, Rule, SEES, Term,
};
use crate::text::{Items, Node, Symbol, Symbols};

/// The connectives, numbered after the keywords.
const CONNECTIVES: [&str; 5] = ["<=", "not", "or", "and", "distinct"];
const IF: Symbol = 11;
const NOT: Symbol = 12;
const OR: Symbol = 13;
const AND: Symbol = 14;
const DISTINCT: Symbol = 15;

pub(crate) fn parse(text: &[u8], limits: &Limits) -> Result<Program, Error> {
    let mut program = Program::default();
    for name in KEYWORDS.into_iter().map(|(name, _)| name).chain(CONNECTIVES) {
        program.symbols.intern(name);
    }
    let mut items = Items::new(text, limits)?;
    let mut reader = Reader {
        relation_of: HashMap::new(),
        functions: HashMap::new(),
        named: HashSet::new(),
        variables: Vec::new(),
        num_literals: 0,
        limits,
        meter: Meter::new(limits),
        is_in_comment: false,
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
    while let Some(item) = items.next(&mut reader.program.symbols, &mut reader.meter)? {
        reader.item(&item)?;
        hash_item(&item, &reader.program.symbols, &mut hash);
        hash.write("\n");
    }
    reader.program.text_hash = mix(hash.finish());
    reader.program.bytes = reader.meter.bytes();
    Ok(reader.program)
}

/// Returns the bytes to count for a rule. The list of rules may have twice the needed capacity, and grounding keeps its
/// own form of each rule, which is about as large.
fn rule_bytes(rule: &Rule) -> u64 {
    fn inside(term: &Term) -> u64 {
        match term {
            Term::Variable(_) | Term::Word(_) => 0,
            Term::Compound(_, args) => list(args),
        }
    }
    fn list(terms: &[Term]) -> u64 {
        let inside: u64 = terms.iter().map(inside).sum();
        ALLOCATION_BYTES + size_of_val(terms) as u64 + inside
    }
    let literals = rule.body.iter().map(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => list(&atom.args),
        Literal::Distinct(pair) | Literal::Equal(pair) => pair.iter().map(inside).sum(),
    });
    let inside =
        list(&rule.head.args) + literals.sum::<u64>() + 2 * size_of_val(&*rule.body) as u64;
    2 * (2 * size_of::<Rule>() as u64 + inside + size_of_val(&*rule.variables) as u64)
}

/// The allocator's overhead for each allocation.
const ALLOCATION_BYTES: u64 = 16;

/// The bytes of a relation in all lists of relations, from parsing to the ground rules.
const RELATION_BYTES: u64 = 400;

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

/// Returns the keyword of a rule for `base` or `input`. Such rules only list what may become true or legal, which
/// grounding finds out.
fn skipped(item: &Node) -> Option<RelationId> {
    let head = match item {
        Node::List(nodes, _) if matches!(nodes[0], Node::Word(IF, _)) => nodes.get(1)?,
        fact => fact,
    };
    let name = match head {
        Node::List(nodes, _) => &nodes[0],
        word => word,
    };
    if let Node::Word(word @ (BASE | INPUT), _) = name { Some(*word) } else { None }
}

/// Calls `visit` for each word of a node.
fn words(node: &Node, visit: &mut dyn FnMut(Symbol)) {
    match node {
        Node::Word(word, _) => visit(*word),
        Node::List(nodes, _) => nodes.iter().for_each(|node| words(node, visit)),
    }
}

struct Reader<'a> {
    program: Program,
    relation_of: HashMap<Symbol, RelationId>,
    /// For each function, its first number of arguments, its first place, and whether another number was found.
    functions: HashMap<Symbol, (usize, Place, bool)>,
    /// The words used as roles, each with the keyword of its atom.
    named: HashSet<(RelationId, Symbol)>,
    variables: Vec<Symbol>,
    num_literals: u64,
    limits: &'a Limits,
    meter: Meter,
    /// Whether a comment of several lines in another language is open.
    is_in_comment: bool,
}

impl Reader<'_> {
    fn item(&mut self, item: &Node) -> Result<(), Error> {
        self.variables.clear();
        let place = item.place();
        if let Some(keyword) = skipped(item) {
            return self.skip(keyword, item);
        }
        if let Node::Word(word, _) = *item {
            self.foreign_comment(word, place)?;
        }
        let nodes = match item {
            Node::Word(IF, _) => return Err(Error::new(place, Problem::NoHead)),
            Node::List(nodes, _) if matches!(nodes[0], Node::Word(IF, _)) => &nodes[1..],
            _ => {
                let head = self.head(item)?;
                return self.rule(head, Vec::new(), place);
            }
        };
        let Some((head, body)) = nodes.split_first() else {
            return Err(Error::new(place, Problem::NoHead));
        };
        let head = self.head(head)?;
        if body.is_empty() {
            self.warn(place, Oddity::EmptyBody)?;
        }
        let literals =
            body.iter().map(|node| self.formula(node)).collect::<Result<Vec<_>, Error>>()?;
        let limit = |name, what, limit| Err(Error::exceeded(place, name, what, limit));
        let body = Formula::And(literals);
        let size = formula::size(&body, true);
        let Limits { disjuncts, literals, body_literals, .. } = *self.limits;
        if size.disjuncts > disjuncts {
            return limit(LimitName::Disjuncts, "disjuncts in one rule", disjuncts);
        }
        self.num_literals = self.num_literals.saturating_add(size.literals);
        if self.num_literals > literals {
            return limit(LimitName::Literals, "literals after `or` is taken apart", literals);
        }
        // Checks that all disjuncts fit before building them.
        let normal_bytes = size.literals.saturating_mul(2 * size_of::<Literal>() as u64);
        self.meter.take(normal_bytes, place)?;
        for body in formula::normal(body) {
            if body.len() as u64 > body_literals {
                return limit(LimitName::BodyLiterals, "literals in one body", body_literals);
            }
            self.rule(head.clone(), body, place)?;
        }
        self.meter.give_back(normal_bytes);
        Ok(())
    }

    /// Warns about the first word that begins a comment in another language, and remembers its line.
    fn foreign_comment(&mut self, word: Symbol, place: Place) -> Result<(), Error> {
        let name = self.program.symbols.name(word).to_string();
        let lines = &mut self.program.comment_lines;
        let is_inside = self.is_in_comment || lines.last() == Some(&place.line);
        self.is_in_comment |= name.starts_with("/*");
        let begins = ["#", "//", "--", "/*"].iter().any(|sign| name.starts_with(sign));
        if begins || is_inside {
            lines.push(place.line);
        }
        self.is_in_comment &= !name.ends_with("*/");
        match begins && self.program.comment_lines.len() == 1 {
            true => self.warn(place, Oddity::ForeignComment(name)),
            false => Ok(()),
        }
    }

    /// Skips a rule for `base` or `input`, and warns about the first invalid one.
    fn skip(&mut self, keyword: RelationId, item: &Node) -> Result<(), Error> {
        let (name, arity) = KEYWORDS[keyword as usize];
        self.program.num_skipped += 1;
        let (head, body) = match item {
            Node::List(nodes, _) if matches!(nodes[0], Node::Word(IF, _)) => {
                (&nodes[1], &nodes[2..])
            }
            fact => (fact, &[][..]),
        };
        let num_arguments = if let Node::List(nodes, _) = head { nodes.len() - 1 } else { 0 };
        let mut bound = HashSet::new();
        body.iter().for_each(|node| words(node, &mut |word| _ = bound.insert(word)));
        let mut is_bound = true;
        words(head, &mut |word| {
            is_bound &= !self.program.symbols.is_variable(word) || bound.contains(&word);
        });
        let what = match (num_arguments == arity, is_bound) {
            (true, true) => return Ok(()),
            (false, _) => "a wrong number of arguments",
            (true, false) => "an unbound variable",
        };
        let is_same =
            |w: &Warning| matches!(w.what, Oddity::Skipped { keyword, .. } if keyword == name);
        if self.program.warnings.iter().any(is_same) {
            return Ok(());
        }
        self.warn(item.place(), Oddity::Skipped { keyword: name, what })
    }

    fn rule(&mut self, head: Atom, body: Vec<Literal>, place: Place) -> Result<(), Error> {
        let rule = Rule { head, body, variables: self.variables.clone(), place };
        self.meter.take(rule_bytes(&rule), place)?;
        self.program.rules.push(rule);
        Ok(())
    }

    fn warn(&mut self, place: Place, what: Oddity) -> Result<(), Error> {
        self.meter.take(2 * size_of::<Warning>() as u64, place)?;
        self.program.warnings.push(Warning { place, what });
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
                    let parts = operands.iter().map(|node| self.formula(node));
                    let parts = parts.collect::<Result<Vec<_>, Error>>()?;
                    return Ok(if word == OR { Formula::Or(parts) } else { Formula::And(parts) });
                }
                DISTINCT if count != 2 => {
                    let problem =
                        Problem::KeywordArity { name: "distinct", expected: 2, found: count };
                    return Err(Error::new(*place, problem));
                }
                DISTINCT => {
                    let pair = [self.term(&operands[0])?, self.term(&operands[1])?];
                    return Ok(Formula::Literal(Literal::Distinct(pair)));
                }
                _ => {}
            }
        }
        let atom = self.atom(node, "a literal")?;
        self.program.relations[atom.relation as usize].used = true;
        Ok(Formula::Literal(Literal::Positive(atom)))
    }

    /// Returns the word of a node, or an error if the node is a connective, a variable or a list.
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
        if let (LEGAL | DOES | GOAL | SEES, Some(&Node::Word(word, place))) =
            (relation, args.first())
            && !self.program.symbols.is_variable(word)
            && self.named.insert((relation, word))
        {
            self.program.named_roles.push(NamedRole { keyword: relation, word, place });
        }
        let args = args.iter().map(|node| self.term(node)).collect::<Result<Vec<_>, Error>>()?;
        Ok(Atom { relation, args })
    }

    fn relation(&mut self, name: Symbol, arity: usize, place: Place) -> Result<RelationId, Error> {
        let relations = &mut self.program.relations;
        let next = relations.len() as RelationId;
        let number = *self.relation_of.entry(name).or_insert(next);
        if number == next {
            self.meter.take(RELATION_BYTES, place)?;
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
            self.warn(place, what)?;
        }
        Ok(Term::Compound(name, args))
    }
}
