//! Checks a program before grounding: keywords, variables, recursion, and relations that depend on their own negation.

use std::collections::HashSet;

use crate::error::{Error, Oddity, Place, Problem, Warning};
use crate::graph::{Components, Graph};
use crate::limits::MAX_ROLES;
use crate::program::{
    Atom, BASE, DOES, GOAL, INIT, INPUT, KEYWORDS, LEGAL, Literal, NEXT, Program, RANDOM, ROLE,
    RelationId, Rule, SEES, TERMINAL, TRUE, Term,
};
use crate::terms::{TermId, Terms};
use crate::text::Symbol;

#[derive(Debug, Clone)]
pub(crate) struct Dependencies {
    /// Whether each relation depends on the state or the moves. `true`, `does`, `next`, `legal`, `goal`, `terminal` and
    /// `sees` always count as dependent.
    pub(crate) dynamic: Vec<bool>,
    /// Whether each relation depends on the joint move, or is `next` or `sees`.
    pub(crate) late: Vec<bool>,
    /// The strongly connected components of the relations, each after the components that it depends on.
    pub(crate) components: Components,
}

/// Checks a program and returns its dependencies.
pub(crate) fn check(program: &mut Program) -> Result<Dependencies, Error> {
    missing(program)?;
    program.rules.iter().try_for_each(|rule| keywords(program, rule))?;
    misspelt(program)?;
    roles(program)?;
    let graph = graph(program);
    forbidden(program, &graph)?;
    lenient(program);
    program.rules.iter().try_for_each(|rule| safe(program, rule))?;
    recursion(program)?;

    let dependencies = dependencies(program);
    stratified(program, &graph, &dependencies)?;
    undefined(program);
    unread(program);
    Ok(dependencies)
}

/// Returns the edges of the dependency graph, each from the relation in the head of a rule to a relation in its body.
fn edges(program: &Program) -> impl Iterator<Item = (RelationId, RelationId)> + Clone {
    program.rules.iter().flat_map(|rule| {
        let head = rule.head.relation;
        rule.atoms().map(move |(atom, _)| (head, atom.relation))
    })
}

/// Returns the dependency graph of the relations.
pub(crate) fn graph(program: &Program) -> Graph {
    Graph::new(program.relations.len(), edges(program))
}

/// Returns the dependencies of a checked program.
pub(crate) fn dependencies(program: &Program) -> Dependencies {
    let users = Graph::new(program.relations.len(), edges(program).map(|(from, to)| (to, from)));
    Dependencies {
        dynamic: users.reached([TRUE, DOES, NEXT, LEGAL, GOAL, TERMINAL, SEES]),
        late: users.reached([DOES, NEXT, SEES]),
        components: graph(program).components(),
    }
}

fn missing(program: &mut Program) -> Result<(), Error> {
    for keyword in [ROLE, LEGAL, TERMINAL, GOAL] {
        if program.relations[keyword as usize].defined {
            continue;
        }
        let (name, _) = KEYWORDS[keyword as usize];
        // The keyword may be there, but misspelt.
        for index in KEYWORDS.len() as RelationId..program.relations.len() as RelationId {
            let relation = &program.relations[index as usize];
            if relation.defined && !relation.used && keyword_near(program, index, &[name]).is_some()
            {
                let found = program.name(index).into();
                let nearest = name.into();
                let problem = Problem::Misspelt { what: "keyword", found, nearest };
                return Err(Error::new(relation.place, problem));
            }
        }
        return Err(Error::new(Place::START, Problem::Missing(name)));
    }
    for keyword in [INIT, NEXT] {
        if !program.relations[keyword as usize].defined {
            let what = Oddity::Missing { keyword: KEYWORDS[keyword as usize].0 };
            program.warnings.push(Warning { place: Place::START, what });
        }
    }
    Ok(())
}

fn keywords(program: &Program, rule: &Rule) -> Result<(), Error> {
    let name = |relation: RelationId| KEYWORDS[relation as usize].0;
    let error = |problem| Err(Error::new(rule.place, problem));
    match rule.head.relation {
        head @ (TRUE | DOES) => return error(Problem::InHead(name(head))),
        ROLE if !rule.body.is_empty() || !rule.head.args[0].is_ground() => {
            return error(Problem::RoleRule);
        }
        _ => {}
    }
    for (atom, _) in rule.atoms() {
        match atom.relation {
            NEXT if rule.head.relation == SEES => {}
            relation @ (INIT | NEXT | SEES | BASE | INPUT) => {
                return error(Problem::InBody(name(relation)));
            }
            _ => {}
        }
    }
    let player = |rule: &Rule| {
        let random =
            |term: &Term| matches!(term, Term::Word(w) if program.symbols.name(*w) == RANDOM);
        rule.head.relation == ROLE && !random(&rule.head.args[0])
    };
    if rule.head.relation == ROLE && !program.rules.iter().any(player) {
        return error(Problem::OnlyRandom);
    }
    Ok(())
}

/// Returns the known word that `word` probably misspells: the nearest within two edits, or within one edit for words of
/// three or four letters. Shorter words are too similar to each other to be compared.
fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// The maximum length of words that are compared. Longer words are slow to compare, and are rarely typed by hand.
    const LONGEST: usize = 40;
    let distance = |known: &'a str| {
        let most = match word.len().min(known.len()) {
            0..=2 => 0,
            3..=4 => 1,
            _ => 2,
        };
        let is_as_long = word.len().abs_diff(known.len()) <= most && word.len() <= LONGEST;
        let distance = is_as_long.then(|| strsim::osa_distance(word, known))?;
        (distance <= most).then_some((distance, known))
    };
    let found = known.into_iter().filter_map(distance).min_by_key(|&(distance, _)| distance);
    found.map(|(_, known)| known)
}

/// Returns the keyword in `among` that a relation's name probably misspells, among keywords with the same number of
/// arguments.
fn keyword_near(program: &Program, of: RelationId, among: &[&'static str]) -> Option<&'static str> {
    let arity = program.relations[of as usize].arity;
    let of_arity = KEYWORDS.into_iter().chain([("distinct", 2)]).filter(|&(_, n)| n == arity);
    let names = of_arity.map(|(name, _)| name).filter(|name| among.contains(name));
    nearest(program.name(of), names)
}

/// Rejects relations whose names nearly match a keyword if they are used but not defined, and warns about relations that
/// are defined but not used.
fn misspelt(program: &mut Program) -> Result<(), Error> {
    const IN_BODIES: [&str; 7] = ["role", "true", "does", "legal", "goal", "terminal", "distinct"];
    const IN_HEADS: [&str; 9] =
        ["role", "init", "next", "legal", "goal", "terminal", "sees", "base", "input"];
    for index in KEYWORDS.len() as RelationId..program.relations.len() as RelationId {
        let relation = &program.relations[index as usize];
        let place = relation.place;
        if relation.used && !relation.defined {
            if let Some(nearest) = keyword_near(program, index, &IN_BODIES) {
                let (found, nearest) = (program.name(index).into(), nearest.into());
                let problem = Problem::Misspelt { what: "relation", found, nearest };
                return Err(Error::new(place, problem));
            }
        } else if !relation.used && !program.comment_lines.contains(&place.line) {
            let nearest = keyword_near(program, index, &IN_HEADS);
            let what = Oddity::Unused { name: program.name(index).into(), nearest };
            program.warnings.push(Warning { place, what });
        }
    }
    Ok(())
}

/// Returns a warning for each condition on a move that is never legal. `moves` holds the moves of each of the `roles`.
pub(crate) fn never_legal(
    program: &Program,
    terms: &Terms,
    roles: &[TermId],
    moves: &[Vec<TermId>],
) -> Vec<Warning> {
    /// The maximum number of comparisons with moves.
    const MAX_COMPARED: usize = 10_000_000;
    let mut num_compared = 0;
    let mut warnings: Vec<Warning> = Vec::new();
    for rule in &program.rules {
        for (atom, _) in rule.atoms().filter(|(atom, _)| atom.relation == DOES) {
            let [of, action] = &atom.args[..] else { continue };
            let fitting = || roles.iter().zip(moves).filter(|(role, _)| terms.fits(**role, of));
            let all = || fitting().flat_map(|(_, moves)| moves.iter().copied());
            let is_legal = all().any(|term| {
                num_compared += 1;
                terms.fits(term, action) || num_compared > MAX_COMPARED
            });
            // A word that is not a role is another mistake.
            if is_legal || fitting().next().is_none() {
                continue;
            }
            let name = match action {
                Term::Word(name) | Term::Compound(name, _) => program.symbols.name(*name),
                Term::Variable(_) => continue,
            };
            let known = all().map(|term| program.symbols.name(terms.name(term)));
            let nearest = nearest(name, known.filter(|known| *known != name)).map(Into::into);
            let role = if of.is_ground() { program.shown(of, rule) } else { "any role".into() };
            let what = Oddity::NeverLegal { role, action: program.shown(action, rule), nearest };
            if warnings.iter().all(|warning| warning.what != what) {
                warnings.push(Warning { place: rule.place, what });
            }
        }
    }
    warnings
}

/// Rejects words in the place of a role that nearly match a role, and warns about other words that are not roles.
fn roles(program: &mut Program) -> Result<(), Error> {
    /// The maximum number of words that are compared with the roles: comparing a million words would take too long.
    const MAX_COMPARED: usize = 1_000;
    let facts = program.rules.iter().filter(|rule| rule.head.relation == ROLE);
    let word = |rule: &Rule| match rule.head.args[0] {
        Term::Word(word) => Some(word),
        _ => None,
    };
    let declared: Vec<Symbol> = facts.filter_map(word).collect();
    let is_declared: HashSet<Symbol> = declared.iter().copied().collect();
    // Programs with more roles are rejected later.
    let known = &declared[..declared.len().min(MAX_ROLES as usize + 1)];
    let others = program.named_roles.iter().filter(|named| !is_declared.contains(&named.word));
    let mut warnings = Vec::new();
    for (number, named) in others.enumerate() {
        let name = |&word| program.symbols.name(word);
        let found = name(&named.word);
        if number < MAX_COMPARED
            && let Some(nearest) = nearest(found, known.iter().map(name))
        {
            let (found, nearest) = (found.into(), nearest.into());
            let problem = Problem::Misspelt { what: "role", found, nearest };
            return Err(Error::new(named.place, problem));
        }
        let relation = KEYWORDS[named.keyword as usize].0;
        let what = Oddity::NoRole { relation, name: found.into() };
        warnings.push(Warning { place: named.place, what });
    }
    program.warnings.append(&mut warnings);
    Ok(())
}

/// Rejects keywords that depend on a keyword evaluated later in a step.
fn forbidden(program: &Program, graph: &Graph) -> Result<(), Error> {
    let later = [TRUE, DOES, NEXT, LEGAL, GOAL, TERMINAL];
    let from_start = later.map(|on| (INIT, on));
    let from_state = [LEGAL, TERMINAL, GOAL].map(|keyword| (keyword, DOES));
    for (keyword, on) in from_start.into_iter().chain(from_state) {
        let Some(path) = graph.path(keyword, on) else { continue };
        let first_step = |rule: &&Rule| {
            rule.head.relation == keyword && rule.atoms().any(|(atom, _)| atom.relation == path[1])
        };
        let place = program.rules.iter().find(first_step).map_or(Place::START, |rule| rule.place);
        let through = &path[1..path.len() - 1];
        let problem = Problem::Depends {
            name: program.name(keyword).into(),
            on: program.name(on).into(),
            through: through.iter().map(|&relation| program.name(relation).into()).collect(),
        };
        return Err(Error::new(place, problem));
    }
    Ok(())
}

/// Accepts two habits of published files, with a warning for each rule: `next` in the body of a rule for `sees`, and an
/// unbound variable for the role in the head of `legal`, `goal` or `sees`, which stands for each role.
fn lenient(program: &mut Program) {
    let Program { symbols, rules, warnings, .. } = program;
    for rule in rules {
        let keyword @ (LEGAL | GOAL | SEES) = rule.head.relation else { continue };
        let is_next = |(atom, _): (&Atom, bool)| atom.relation == NEXT;
        let mut warn = |what| {
            let warning = Warning { place: rule.place, what };
            // A rule with several disjuncts is reported once.
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        };
        if rule.atoms().any(is_next) {
            warn(Oddity::NextSeen);
        }
        if let Term::Variable(variable) = rule.head.args[0]
            && !bound_variables(&rule.body, rule.variables.len())[variable as usize]
        {
            let name = symbols.name(rule.variables[variable as usize]).into();
            let keyword = KEYWORDS[keyword as usize].0;
            warn(Oddity::AnyRole { variable: name, keyword });
            let role = Atom { relation: ROLE, args: vec![Term::Variable(variable)] };
            rule.body.push(Literal::Positive(role));
        }
    }
}

/// Returns the first variable of a term that is not bound.
fn first_free(term: &Term, bound: &[bool]) -> Option<u32> {
    let mut free = None;
    term.variables(&mut |variable| {
        if !bound[variable as usize] {
            free = free.or(Some(variable));
        }
    });
    free
}

/// Returns whether each variable is bound by a positive atom, or by an equation with bound variables.
pub(crate) fn bound_variables<'a>(
    body: impl IntoIterator<Item = &'a Literal> + Clone,
    num_variables: usize,
) -> Vec<bool> {
    let mut bound = vec![false; num_variables];
    let bind = |term: &Term, bound: &mut Vec<bool>| {
        term.variables(&mut |variable| bound[variable as usize] = true);
    };
    for literal in body.clone() {
        if let Literal::Positive(atom) = literal {
            atom.args.iter().for_each(|arg| bind(arg, &mut bound));
        }
    }
    loop {
        let before = bound.clone();
        for literal in body.clone() {
            if let Literal::Equal([t, u]) = literal {
                if first_free(t, &bound).is_none() {
                    bind(u, &mut bound);
                }
                if first_free(u, &bound).is_none() {
                    bind(t, &mut bound);
                }
            }
        }
        if before == bound {
            return bound;
        }
    }
}

fn safe(program: &Program, rule: &Rule) -> Result<(), Error> {
    let bound = bound_variables(&rule.body, rule.variables.len());
    let demand = |terms: &[Term], part| {
        let Some(free) = terms.iter().find_map(|term| first_free(term, &bound)) else {
            return Ok(());
        };
        let variable = program.symbols.name(rule.variables[free as usize]).into();
        Err(Error::new(rule.place, Problem::Unbound { variable, part }))
    };
    demand(&rule.head.args, "the head")?;
    rule.body.iter().try_for_each(|literal| {
        let part = match literal {
            Literal::Positive(_) => return Ok(()),
            Literal::Negative(_) => "a negation",
            Literal::Distinct(_) => "`distinct`",
            Literal::Equal(_) => "a negated `distinct`",
        };
        demand(literal.terms(), part)
    })
}

/// Checks the recursion restriction of the language's definition (Love, Hinrichs, Haley, Schkufza & Genesereth 2008,
/// *General Game Playing: Game Description Language Specification*).
fn recursion(program: &Program) -> Result<(), Error> {
    fn positive(rule: &Rule) -> impl Iterator<Item = &Atom> {
        rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) => Some(atom),
            _ => None,
        })
    }
    let edges: Vec<_> = program
        .rules
        .iter()
        .flat_map(|rule| positive(rule).map(|atom| (rule.head.relation, atom.relation)))
        .collect();
    let components = Graph::new(program.relations.len(), edges.iter().copied()).components();
    let component = |atom: &Atom| components.of[atom.relation as usize];
    for rule in &program.rules {
        let own = component(&rule.head);
        if !positive(rule).any(|atom| component(atom) == own) {
            continue;
        }
        let outside = positive(rule).filter(|atom| component(atom) != own);
        let bounded: HashSet<&Term> =
            outside.chain([&rule.head]).flat_map(|atom| &atom.args).collect();
        for atom in positive(rule).filter(|atom| component(atom) == own) {
            for argument in &atom.args {
                if !argument.is_ground() && !bounded.contains(argument) {
                    let argument = program.shown(argument, rule);
                    let relation = program.name(atom.relation).into();
                    return Err(Error::new(rule.place, Problem::Grows { argument, relation }));
                }
            }
        }
    }
    Ok(())
}

/// Checks that no static relation depends on its own negation; dynamic relations are checked after grounding.
fn stratified(
    program: &Program,
    graph: &Graph,
    Dependencies { dynamic, components, .. }: &Dependencies,
) -> Result<(), Error> {
    for rule in &program.rules {
        let head = rule.head.relation;
        for (atom, negated) in rule.atoms() {
            let same = components.of[head as usize] == components.of[atom.relation as usize];
            if !(negated && same) || dynamic[head as usize] {
                continue;
            }
            let through = graph.way(atom.relation, head);
            let problem = Problem::OwnNegation {
                name: program.name(head).into(),
                through: through.iter().map(|&relation| program.name(relation).into()).collect(),
            };
            return Err(Error::new(rule.place, problem));
        }
    }
    Ok(())
}

/// Warns about relations that occur only in bodies.
fn undefined(program: &mut Program) {
    for index in KEYWORDS.len()..program.relations.len() {
        let relation = &program.relations[index];
        if relation.used && !relation.defined {
            let place = relation.place;
            let what = Oddity::Undefined(program.name(index as RelationId).into());
            program.warnings.push(Warning { place, what });
        }
    }
}

/// Warns about facts of the state that no rule reads. A variable in the place of a whole fact reads all of them.
fn unread(program: &mut Program) {
    let name = |term: &Term| match term {
        Term::Word(name) | Term::Compound(name, _) => Some(*name),
        Term::Variable(_) => None,
    };
    let bodies = program.rules.iter().flat_map(Rule::atoms);
    let reads = bodies.filter(|(atom, _)| matches!(atom.relation, TRUE | NEXT));
    let Some(read) = reads.map(|(atom, _)| name(&atom.args[0])).collect::<Option<Vec<_>>>() else {
        return;
    };
    let mut known: HashSet<Symbol> = read.iter().copied().collect();
    let mut warnings = Vec::new();
    for rule in &program.rules {
        let fact = matches!(rule.head.relation, INIT | NEXT).then(|| name(&rule.head.args[0]));
        let Some(fact) = fact.flatten().filter(|fact| known.insert(*fact)) else { continue };
        let words = read.iter().map(|word| program.symbols.name(*word));
        let name = program.symbols.name(fact);
        let what =
            Oddity::Unread { name: name.into(), nearest: nearest(name, words).map(Into::into) };
        warnings.push(Warning { place: rule.place, what });
    }
    program.warnings.extend(warnings);
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::parse::parse;

    const BASE: &str = "(role a) (init p) (legal a m) (next p) (terminal) (goal a 50)\n";

    fn verdict(rules: &str) -> Result<(), String> {
        let text = format!("{BASE}{rules}");
        let mut program = parse(text.as_bytes(), &Limits::default()).expect("the text is right");
        super::check(&mut program).map(|_| ()).map_err(|error| error.to_string())
    }

    #[test]
    fn equations_bind_in_both_directions() {
        assert_eq!(verdict("(n 1) (<= (q ?x ?y) (n ?x) (not (distinct (f ?y) ?x)))"), Ok(()));
        assert_eq!(verdict("(n 1) (<= (q ?y) (n ?x) (not (distinct (f ?x) ?y)))"), Ok(()));
        let error = verdict("(<= (q ?x) (not (distinct ?x ?y)))").expect_err("the text is refused");
        assert_eq!(error, "2:1: unsafe: variable `?x` of the head is bound by no positive literal");
        let error = verdict("(q ?x)").expect_err("the text is refused");
        assert!(error.starts_with("2:1: unsafe: variable `?x`"), "{error}");
    }

    #[test]
    fn recursion_is_restricted_to_what_is_bounded() {
        let plus = "(succ 0 1) (plus 0 0 0)
            (<= (plus ?a ?b ?c) (plus ?a ?m ?k) (succ ?m ?b) (succ ?k ?c))";
        assert_eq!(verdict(plus), Ok(()));
        assert_eq!(verdict("(e 1 2) (<= (r ?x ?z) (r ?x ?y) (e ?y ?z)) (r 1 1)"), Ok(()));
        let error = verdict("(<= (r (f ?x)) (s ?x)) (<= (s ?x) (r ?x)) (r 1)")
            .expect_err("the text is refused");
        assert_eq!(error, "2:1: recursion: argument `?x` of `s` may grow without end");
    }

    #[test]
    fn chains_between_keywords_are_named() {
        let error = verdict("(<= (init ?x) (q ?x)) (<= (q ?x) (r ?x)) (<= (r ?x) (true ?x))");
        assert_eq!(
            error.expect_err("the text is refused"),
            "2:1: keyword: `init` depends on `true` (through `q`, `r`)"
        );
        let error =
            verdict("(n 1) (<= (q ?x) (n ?x) (not (q ?x)))").expect_err("the text is refused");
        assert_eq!(error, "2:7: unstratified: `q` depends on its own negation");
    }

    #[test]
    fn random_alone_plays_no_game() {
        let text = "(role random) (legal random m) (terminal) (goal random 0)";
        let mut program = parse(text.as_bytes(), &Limits::default()).expect("the text is right");
        let error = super::check(&mut program).expect_err("the text is refused").to_string();
        assert_eq!(error, "1:1: missing: no role other than `random`");
    }
}
