//! Splitting of rules that bind too many variables at once.
//!
//! A rule whose body joins many atoms has as many instances as there are combinations of its variables. A variable that
//! is not in the head can be eliminated earlier: the literals with this variable become the body of a *part*, a new
//! relation between their other variables, and an atom of the part takes their place. In
//!
//! ```text
//! (<= (next (cell ?x ?y ?s)) (true (cell ?x ?y ?s)) (does ?r (move ?a ?b ?c ?d)) (far ?x ?y ?a ?b))
//! ```
//!
//! the literal with `does` is replaced by a part with the arguments `?a` and `?b`, so that `?c` and `?d` are not
//! combined with the cells. A sequence of eliminations gives a tree decomposition of the body (Dechter 1999, *Bucket
//! elimination: a unifying framework for reasoning*; Bichler, Morak & Woltran 2016, *lpopt: a rule optimization tool
//! for answer set programming*, which also binds variables of negations by projections, as is done here). The order is
//! chosen greedily by the estimated number of matches, as in databases (Selinger et al. 1979, *Access path selection in
//! a relational database management system*).
//!
//! Rules that derive an atom from atoms of the same recursive relation are left alone. The model of the other relations
//! does not change, and an atom depends on its own negation only if it did before.

use std::collections::{BTreeSet, HashMap};

use crate::check::{Dependencies, bound_variables};
use crate::program::{Atom, DOES, Literal, Program, Relation, RelationId, Rule, TRUE, Term};

/// The maximum number of literals, and of variables, of a rule that is split. Finding the order takes time proportional
/// to the square of the product of these two numbers.
const LARGEST: usize = 64;

/// A split must divide the estimated number of matches by at least this factor.
const GAIN: f64 = 2.0;

/// The number of atoms that match a positive literal, and the number of values of each variable in them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Size {
    pub(crate) atoms: f64,
    pub(crate) values: Vec<(u32, f64)>,
}

/// A literal of a body that is being split.
#[derive(Debug, Clone)]
enum Item {
    /// A literal of the rule, by its index.
    Written(usize),
    /// A part, by its index, with its arguments.
    Part(usize, Vec<u32>),
}

#[derive(Debug, Clone)]
struct RulePart {
    body: Vec<Item>,
    args: Vec<u32>,
}

/// The parts into which a rule is split, each after the parts in its body, and the remaining body of the rule.
#[derive(Debug, Clone)]
pub(crate) struct Split {
    parts: Vec<RulePart>,
    body: Vec<Item>,
}

fn variables_of(literal: &Literal) -> BTreeSet<u32> {
    let mut variables = BTreeSet::new();
    let mut visit = |variable| _ = variables.insert(variable);
    literal.terms().iter().for_each(|term| term.variables(&mut visit));
    variables
}

/// The elimination of a variable.
struct Elimination {
    /// The estimated number of matches of the parts.
    inside: f64,
    /// The estimated number of matches of the remaining body.
    left: f64,
    parts: Vec<RulePart>,
    sizes: Vec<Size>,
    body: Vec<Item>,
}

/// A rule that is being split.
struct Splitter<'a> {
    rule: &'a Rule,
    dynamic: &'a [bool],
    /// For each literal of the rule, its variables and, if it is positive, its size.
    variables: Vec<BTreeSet<u32>>,
    sizes: Vec<Option<Size>>,
    parts: Vec<RulePart>,
    /// The size of each part.
    part_sizes: Vec<Size>,
    body: Vec<Item>,
    head: BTreeSet<u32>,
}

/// Finds the parts that reduce the estimated number of a rule's matches the most, or returns `None` if the rule should
/// stay as it is. `sizes` are the sizes of the positive literals, in order.
pub(crate) fn find(
    rule: &Rule,
    dependencies: &Dependencies,
    sizes: impl IntoIterator<Item = Size>,
) -> Option<Split> {
    let component = |relation: RelationId| dependencies.components.of[relation as usize];
    let own = component(rule.head.relation);
    let mut atoms = rule.atoms();
    if rule.body.len() > LARGEST
        || rule.variables.len() > LARGEST
        || atoms.any(|(atom, _)| component(atom.relation) == own)
    {
        return None;
    }
    let mut sizes = sizes.into_iter();
    let mut head = BTreeSet::new();
    rule.head.args.iter().for_each(|arg| arg.variables(&mut |v| _ = head.insert(v)));
    let mut splitter = Splitter {
        rule,
        dynamic: &dependencies.dynamic,
        variables: rule.body.iter().map(variables_of).collect(),
        sizes: rule
            .body
            .iter()
            .map(|literal| match literal {
                Literal::Positive(_) => sizes.next(),
                _ => None,
            })
            .collect(),
        parts: Vec::new(),
        part_sizes: Vec::new(),
        body: (0..rule.body.len()).map(Item::Written).collect(),
        head,
    };
    let whole = splitter.matches(&splitter.body);
    let mut best: Option<(f64, Split)> = None;
    let mut spent = 0.0;
    while let Some((inside, left)) = splitter.eliminate() {
        spent += inside;
        let total = spent + left;
        if total * GAIN <= whole && best.as_ref().is_none_or(|(least, _)| total < *least) {
            let split = Split { parts: splitter.parts.clone(), body: splitter.body.clone() };
            best = Some((total, split));
        }
    }
    best.map(|(_, split)| split)
}

impl Splitter<'_> {
    fn variables(&self, item: &Item) -> BTreeSet<u32> {
        match item {
            Item::Written(index) => self.variables[*index].clone(),
            Item::Part(_, args) => args.iter().copied().collect(),
        }
    }

    fn all_variables<'a>(&self, items: impl IntoIterator<Item = &'a Item>) -> BTreeSet<u32> {
        items.into_iter().flat_map(|item| self.variables(item)).collect()
    }

    fn size(&self, item: &Item) -> Option<&Size> {
        match item {
            Item::Written(index) => self.sizes[*index].as_ref(),
            Item::Part(part, _) => Some(&self.part_sizes[*part]),
        }
    }

    /// Returns, for each variable, the smallest number of its values in an atom of `items`.
    fn values(&self, items: &[Item]) -> HashMap<u32, f64> {
        let mut values = HashMap::new();
        for &(variable, number) in
            items.iter().filter_map(|item| self.size(item)).flat_map(|size| &size.values)
        {
            let least = values.entry(variable).or_insert(number);
            *least = number.min(*least);
        }
        values
    }

    /// Returns the estimated number of matches of a body: the product of its sizes, divided for each variable by all
    /// its numbers of values except the smallest.
    fn matches(&self, items: &[Item]) -> f64 {
        let values = self.values(items);
        let mut matches = 1.0;
        for size in items.iter().filter_map(|item| self.size(item)) {
            matches *= size.atoms.max(1.0);
            matches /= size.values.iter().map(|(_, number)| number.max(1.0)).product::<f64>();
        }
        let least: f64 = values.values().map(|number| number.max(1.0)).product();
        (matches * least).clamp(1.0, least.max(1.0))
    }

    /// Eliminates the variable that leaves the fewest matches. Returns the estimated numbers of matches of the new
    /// parts and of the remaining body, or `None` if no variable can be eliminated.
    fn eliminate(&mut self) -> Option<(f64, f64)> {
        let candidates = &self.all_variables(&self.body) - &self.head;
        let matches = |found: &Elimination| found.inside + found.left;
        let found = candidates.into_iter().filter_map(|variable| self.without(variable));
        let best =
            found.reduce(|best, next| if matches(&next) < matches(&best) { next } else { best });
        let best = best?;
        self.parts.extend(best.parts);
        self.part_sizes.extend(best.sizes);
        self.body = best.body;
        Some((best.inside, best.left))
    }

    fn without(&mut self, variable: u32) -> Option<Elimination> {
        let (mut inside, mut body): (Vec<Item>, Vec<Item>) =
            self.body.iter().cloned().partition(|item| self.variables(item).contains(&variable));
        let needed = &self.all_variables(&body) | &self.head;
        let args: Vec<u32> = self.all_variables(&inside).intersection(&needed).copied().collect();
        let first = self.parts.len();
        let (mut parts, mut sizes) = (Vec::new(), Vec::new());
        let mut matches = 0.0;
        for free in self.unbound(&inside)? {
            let (literal, number) = self.binder(free)?;
            inside.push(Item::Part(first + parts.len(), vec![free]));
            parts.push(RulePart { body: vec![Item::Written(literal)], args: vec![free] });
            sizes.push(Size { atoms: number, values: vec![(free, number)] });
            matches += self.sizes[literal].as_ref()?.atoms;
        }
        self.part_sizes.extend(sizes.iter().cloned());
        let own = self.matches(&inside);
        let values = self.values(&inside);
        let number = |variable: &u32| values.get(variable).copied().unwrap_or(1.0);
        let atoms = own.min(args.iter().map(number).product());
        let values = args.iter().map(|arg| (*arg, number(arg).min(atoms))).collect();
        let size = Size { atoms, values };
        body.push(Item::Part(first + parts.len(), args.clone()));
        parts.push(RulePart { body: inside, args });
        sizes.push(size.clone());
        self.part_sizes.push(size);
        let left = self.matches(&body);
        self.part_sizes.truncate(first);
        Some(Elimination { inside: matches + own, left, parts, sizes, body })
    }

    /// Returns the variables that a body does not bind, or `None` if an equation contains one, since it may bind
    /// variables, too.
    fn unbound(&self, items: &[Item]) -> Option<Vec<u32>> {
        let written: Vec<&Literal> = items
            .iter()
            .filter_map(|item| match item {
                Item::Written(index) => Some(&self.rule.body[*index]),
                Item::Part(..) => None,
            })
            .collect();
        let mut bound = bound_variables(written.iter().copied(), self.rule.variables.len());
        for item in items {
            if let Item::Part(_, args) = item {
                args.iter().for_each(|&arg| bound[arg as usize] = true);
            }
        }
        let is_free = |v: &u32| !bound[*v as usize];
        let free: Vec<u32> = self.all_variables(items).into_iter().filter(is_free).collect();
        let has_equation = written.iter().any(|literal| {
            matches!(literal, Literal::Equal(..)) && variables_of(literal).iter().any(is_free)
        });
        (!has_equation).then_some(free)
    }

    /// Returns the positive literal that leaves the fewest values to a variable, and the number of these values. Only static literals,
    /// `true` and `does` are considered: a projection of any other atom could close a cycle through a negation.
    fn binder(&self, variable: u32) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for (index, literal) in self.rule.body.iter().enumerate() {
            let Literal::Positive(atom) = literal else { continue };
            let is_given = matches!(atom.relation, TRUE | DOES);
            if self.dynamic[atom.relation as usize] && !is_given {
                continue;
            }
            let values = &self.sizes[index].as_ref()?.values;
            let Some(&(_, number)) = values.iter().find(|(v, _)| *v == variable) else { continue };
            if best.is_none_or(|(_, least)| number < least) {
                best = Some((index, number));
            }
        }
        best
    }
}

/// The relations of all parts so far. The key is the number of arguments of a part and its body, whose variables are
/// numbered, arguments first.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartRelations(HashMap<(usize, Vec<Literal>), RelationId>);

/// Replaces rules by their splits. Each split comes with the index of its rule, in increasing order. Parts with equal
/// definitions become one relation.
pub(crate) fn apply(program: &mut Program, splits: Vec<(usize, Split)>, known: &mut PartRelations) {
    let mut splits = splits.into_iter().peekable();
    let rules = std::mem::take(&mut program.rules);
    for (index, rule) in rules.into_iter().enumerate() {
        let Some((_, split)) = splits.next_if(|(at, _)| *at == index) else {
            program.rules.push(rule);
            continue;
        };
        let mut relations = Vec::new();
        for part in &split.parts {
            let body = literals(&part.body, &rule, &relations);
            let relation = relation_of(program, known, &rule, body, &part.args);
            relations.push(relation);
        }
        let body = literals(&split.body, &rule, &relations);
        program.rules.push(Rule { body, ..rule });
    }
}

fn literals(items: &[Item], rule: &Rule, relations: &[RelationId]) -> Vec<Literal> {
    let literal = |item: &Item| match item {
        Item::Written(index) => rule.body[*index].clone(),
        Item::Part(part, args) => Literal::Positive(Atom {
            relation: relations[*part],
            args: args.iter().map(|&arg| Term::Variable(arg)).collect(),
        }),
    };
    items.iter().map(literal).collect()
}

/// Returns the relation of a part. If no known part has the same definition, creates it with its rule.
fn relation_of(
    program: &mut Program,
    known: &mut PartRelations,
    rule: &Rule,
    mut body: Vec<Literal>,
    args: &[u32],
) -> RelationId {
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut variables = Vec::new();
    let mut renamed = |variable: u32| {
        *numbers.entry(variable).or_insert_with(|| {
            variables.push(rule.variables[variable as usize]);
            variables.len() as u32 - 1
        })
    };
    let head: Vec<Term> = args.iter().map(|&arg| Term::Variable(renamed(arg))).collect();
    body.iter_mut()
        .flat_map(Literal::terms_mut)
        .for_each(|term| term.variables_mut(&mut |variable| *variable = renamed(*variable)));
    let next = program.relations.len() as RelationId;
    let relation = *known.0.entry((args.len(), body.clone())).or_insert(next);
    if relation == next {
        // No word of a text contains this character.
        let name = program.symbols.intern(&format!("|{}", known.0.len()));
        program.relations.push(Relation {
            name,
            arity: args.len(),
            place: rule.place,
            defined: true,
            used: true,
        });
        let head = Atom { relation, args: head };
        program.rules.push(Rule { head, body, variables, place: rule.place });
    }
    relation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::limits::Limits;
    use crate::parse::parse;

    const BASE: &str = "(role a) (init p) (legal a m) (next p) (terminal) (goal a 50)
        (edge 1 2) (colour 1 red) (<= (dyn ?x) (true ?x))\n";

    /// Splits the rules from the third line on, and returns the resulting rules. All positive literals have `atoms`
    /// atoms, and each of their variables has `values` values.
    fn split(rules: &str, atoms: f64, values: f64) -> Vec<String> {
        let text = format!("{BASE}{rules}");
        let mut program = parse(text.as_bytes(), &Limits::default()).expect("the text is right");
        let dependencies = check::check(&mut program).expect("the text is right");
        let mut splits = Vec::new();
        for (index, rule) in program.rules.iter().enumerate().filter(|(_, r)| r.place.line > 2) {
            let sizes = rule.body.iter().filter(|l| matches!(l, Literal::Positive(_))).map(|l| {
                let values = variables_of(l).into_iter().map(|v| (v, values)).collect();
                Size { atoms, values }
            });
            let found = find(rule, &dependencies, sizes.collect::<Vec<_>>());
            splits.extend(found.map(|split| (index, split)));
        }
        apply(&mut program, splits, &mut PartRelations::default());
        let shown = |rule: &Rule| {
            let atom = |atom: &Atom| {
                let args = atom.args.iter().map(|arg| format!(" {}", program.shown(arg, rule)));
                format!("{}{}", program.name(atom.relation), args.collect::<String>())
            };
            let term = |term: &Term| program.shown(term, rule);
            let literals = rule.body.iter().map(|literal| match literal {
                Literal::Positive(a) => atom(a),
                Literal::Negative(a) => format!("-{}", atom(a)),
                Literal::Distinct([t, u]) => format!("{}#{}", term(t), term(u)),
                Literal::Equal([t, u]) => format!("{}={}", term(t), term(u)),
            });
            format!("{} <- {}", atom(&rule.head), literals.collect::<Vec<_>>().join(", "))
        };
        program.rules.iter().filter(|rule| rule.place.line > 2).map(shown).collect()
    }

    #[test]
    fn variables_of_one_literal_are_projected_away() {
        assert_eq!(
            split(
                "(<= (next (at ?x)) (true (at ?x)) (does ?r (go ?a ?b ?c)) (edge ?a ?x))",
                100.0,
                10.0
            ),
            ["|1 ?a <- does ?r (go ?a ?b ?c)", "next (at ?x) <- true (at ?x), edge ?a ?x, |1 ?a"]
        );
    }

    #[test]
    fn chains_are_cut_link_by_link() {
        let parts = split(
            "(<= (next (f ?a ?e)) (edge ?a ?b) (edge ?b ?c) (edge ?c ?d) (edge ?d ?e) (true q))",
            100.0,
            10.0,
        );
        // Each body has at most three of the five variables. There is a part for ?b, a part for ?c, and the rule.
        assert_eq!(parts.len(), 3, "{parts:?}");
        for part in &parts {
            let body = part.split(" <- ").nth(1).expect("a body");
            let variables: BTreeSet<&str> =
                body.split([' ', ',']).filter(|word| word.starts_with('?')).collect();
            assert!(variables.len() <= 3, "{part}");
        }
    }

    #[test]
    fn parts_of_the_same_form_are_shared() {
        let rules = "(<= (next (f ?x)) (true (f ?x)) (does ?r (go ?a ?b ?c)) (edge ?a ?x))
            (<= (next (g ?y)) (true (g ?y)) (does ?s (go ?k ?l ?m)) (edge ?k ?y))";
        let parts = split(rules, 100.0, 10.0);
        assert_eq!(parts.len(), 3, "{parts:?}");
        assert_eq!(parts[2], "next (g ?y) <- true (g ?y), edge ?k ?y, |1 ?k");
    }

    #[test]
    fn variables_of_negations_are_bound_by_projections_of_static_atoms() {
        // Once ?b is eliminated, its part does not bind ?x. Another part, with the edges of ?x, does.
        let rule = "(<= (next (f ?x ?y)) (edge ?x ?y) (true (h ?b)) (not (dyn (l ?b ?x))))";
        assert_eq!(
            split(rule, 2_500.0, 50.0),
            [
                "|1 ?x <- edge ?x ?y",
                "|2 ?x <- true (h ?b), -dyn (l ?b ?x), |1 ?x",
                "next (f ?x ?y) <- edge ?x ?y, |2 ?x"
            ]
        );
        // The literal that binds ?x must not be dynamic.
        let rule = "(<= (next (f ?x ?y)) (dyn (c ?x ?y)) (true (h ?b)) (not (dyn (l ?b ?x))))";
        assert_eq!(split(rule, 2_500.0, 50.0).len(), 1);
    }

    #[test]
    fn useless_splits_are_not_made() {
        // A recursive rule, a rule with all its variables in the head, and a rule whose variables form a clique.
        for rule in [
            "(<= (path ?x ?z) (path ?x ?y) (edge ?y ?z) (edge ?w ?z))",
            "(<= (next (f ?x ?y ?z)) (edge ?x ?y) (edge ?y ?z) (true q))",
            "(<= (next q) (true (f ?x)) (true (g ?y)) (true (h ?z)) (distinct ?x ?y) (distinct ?y ?z)
                (distinct ?x ?z))",
        ] {
            assert_eq!(split(rule, 100.0, 10.0).len(), 1, "{rule}");
        }
    }
}
