//! The rules of a game, parsed, checked and grounded.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::check::{self, Dependencies};
use crate::circuit::Circuit;
use crate::clock::{LongWork, Patience};
use crate::deduction::{self, Deduction};
use crate::error::{Error, Oddity, Problem, Warning};
use crate::ground::{self, Grounding};
use crate::hash::key;
use crate::ids::{MoveId, PerceptId, RoleId};
use crate::limits::{LimitName, Limits};
use crate::network::{self, AtomId, AtomKind, GroundProgram, Names};
use crate::parse;
use crate::program::{INIT, Program, RANDOM, SEES};
use crate::state::State;
use crate::terms::{TermId, Terms};
use crate::text::Symbols;

/// The information that roles receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Information {
    /// The file has no rule for `sees`: each role sees all moves, including the moves of `random`.
    Complete,
    /// A role knows only its own moves and the percepts derived by `sees`.
    Percepts,
}

/// The rules of a game. Clones share their data.
#[derive(Debug, Clone)]
pub struct Rules {
    data: Arc<Data>,
}

#[derive(Debug)]
struct Data {
    symbols: Symbols,
    terms: Terms,
    names: Names,
    ground: GroundProgram,
    circuit: Arc<Circuit>,
    /// The possible goals of each role.
    goals: Vec<(RoleId, u8)>,
    /// For rules that are not grounded: true if the text gives all roles the same goals.
    goals_are_common: bool,
    /// The form for deduction of rules that are not grounded.
    deduction: Option<Arc<Deduction>>,
    roles: Vec<Role>,
    random: Option<RoleId>,
    fluent_keys: Vec<u64>,
    information: Information,
    start: State,
    warnings: Vec<Warning>,
    num_rules: usize,
    text_key: u64,
}

/// A role with the texts and keys of its moves and percepts.
#[derive(Debug)]
struct Role {
    name: Box<str>,
    moves: Vec<Move>,
    percepts: Vec<(Box<str>, u64)>,
}

#[derive(Debug)]
struct Move {
    text: Box<str>,
    key: u64,
    /// The key of `(does role move)`.
    does_key: u64,
}

impl Rules {
    /// Parses, checks and grounds a text.
    ///
    /// The result is a function of the text, with two exceptions: a limit may cause the text to be rejected, or its
    /// rules to be [played without grounding](Self::is_grounded).
    ///
    /// # Errors
    ///
    /// Returns an error that says what is wrong with the text, and where.
    pub fn from_text(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Self, Error> {
        Self::from_text_observed(text, limits, &mut |_| {})
    }

    /// Like [`from_text`](Self::from_text), but notifies `observer` once if grounding takes more than two seconds of
    /// processor time.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`from_text`](Self::from_text).
    pub fn from_text_observed(
        text: impl AsRef<[u8]>,
        limits: &Limits,
        observer: &mut dyn FnMut(LongWork),
    ) -> Result<Self, Error> {
        // Some editors write a byte-order mark before UTF-8 text.
        const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
        let text = text.as_ref();
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        Self::read(text, limits, observer).map_err(|error| error.with_text(text))
    }

    fn read(text: &[u8], limits: &Limits, report: &mut dyn FnMut(LongWork)) -> Result<Self, Error> {
        let mut program = parse::parse(text, limits)?;
        let mut dependencies = check::check(&mut program)?;
        let num_rules = program.rules.len() + program.num_skipped;
        let mut patience = Patience::start(report);
        let engine = match ground::ground(&mut program, &mut dependencies, limits, &mut patience) {
            Ok(grounding) => Engine::grounded(&program, grounding)?,
            Err(error) if is_of_size(&error) => {
                patience.restart();
                // If deduction fails, too, returns the first error, which says more.
                Engine::deducing(&program, &dependencies, limits, &mut patience, &error)
                    .map_err(|_| error)?
            }
            Err(error) => return Err(error),
        };
        let Engine { terms, roles, names, ground, circuit, deduction, init, warnings: found } =
            engine;
        let mut warnings = std::mem::take(&mut program.warnings);
        warnings.extend(found);
        warnings.extend(check::never_legal(&program, &terms, &roles, &names.moves));
        warnings.sort_by_key(|warning| warning.place);
        let sees = program.relations[SEES as usize].defined;

        let text = |term| terms.text(term, &program.symbols);
        let roles: Vec<Role> = roles
            .iter()
            .enumerate()
            .map(|(index, &role)| {
                let name: Box<str> = text(role).into();
                let moves = names.moves[index].iter().map(|&term| {
                    let text: Box<str> = text(term).into();
                    let does_key = key(&format!("(does {name} {text})"));
                    Move { key: key(&text), does_key, text }
                });
                let moves = moves.collect();
                let percepts = names.percepts[index].iter().map(|&term| {
                    let text: Box<str> = text(term).into();
                    let key = key(&text);
                    (text, key)
                });
                Role { moves, percepts: percepts.collect(), name }
            })
            .collect();
        let random = roles.iter().position(|role| &*role.name == RANDOM);
        let fluent_keys = names.fluents.iter().map(|&term| key(&text(term))).collect();
        let mut start = State::empty(names.fluents.len());
        for (index, fluent) in names.fluents.iter().enumerate() {
            start.set(index as u32, init.contains(fluent));
        }
        let mut goals: Vec<(RoleId, u8)> = match &deduction {
            None => goals_of(&ground).map(|(role, value, _)| (role, value)).collect(),
            Some(deduction) => {
                let terms = deduction.goal_terms.iter();
                terms.map(|&(role, _, value)| (RoleId(role as u8), value)).collect()
            }
        };
        goals.sort_unstable();
        goals.dedup();
        let goals_are_common = deduction.is_some() && deduction::goals_are_common(&program);
        let data = Data {
            num_rules,
            text_key: program.text_hash,
            symbols: program.symbols,
            terms,
            names,
            ground,
            circuit,
            goals,
            goals_are_common,
            deduction,
            roles,
            random: random.map(|role| RoleId(role as u8)),
            fluent_keys,
            information: if sees { Information::Percepts } else { Information::Complete },
            start,
            warnings,
        };
        Ok(Self { data: Arc::new(data) })
    }

    /// Returns the warnings about the text, sorted by place.
    pub fn warnings(&self) -> &[Warning] {
        &self.data.warnings
    }

    /// Returns the number of rules and facts. Each disjunct counts as a rule.
    pub fn num_rules(&self) -> usize {
        self.data.num_rules
    }

    /// Returns the key of the text: a hash of the canonical texts of its items, in order, each followed by a line
    /// break. Comments, white space and letter case do not matter.
    pub fn text_key(&self) -> u64 {
        self.data.text_key
    }

    /// Returns the number of roles, including `random`.
    pub fn num_roles(&self) -> usize {
        self.data.roles.len()
    }

    /// Returns the roles, in the order of their facts.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = RoleId> + use<> {
        (0..self.data.roles.len() as u8).map(RoleId)
    }

    /// Returns the role that represents chance, if there is one.
    pub fn random(&self) -> Option<RoleId> {
        self.data.random
    }

    /// Returns the roles except `random`, in the order of their facts.
    pub fn seats(&self) -> impl Iterator<Item = RoleId> + use<> {
        let random = self.data.random;
        self.roles().filter(move |&role| Some(role) != random)
    }

    /// Returns the name of a role: its canonical text.
    ///
    /// # Panics
    ///
    /// Panics if the role does not exist. All methods that take an index panic if the index is invalid.
    pub fn role_name(&self, role: RoleId) -> &str {
        &self.data.roles[role.0 as usize].name
    }

    /// Returns the information that roles receive.
    pub fn information(&self) -> Information {
        self.data.information
    }

    /// Returns the number of moves that a role may ever have.
    pub fn num_moves(&self, role: RoleId) -> usize {
        self.data.roles[role.0 as usize].moves.len()
    }

    /// Returns the canonical text of a move of a role.
    pub fn move_text(&self, role: RoleId, action: MoveId) -> &str {
        &self.action(role, action).text
    }

    /// Returns the key of a move's text ([`key`]).
    #[inline]
    pub fn move_key(&self, role: RoleId, action: MoveId) -> u64 {
        self.action(role, action).key
    }

    /// Returns the key of `(does role move)`, which all roles perceive in games with complete information.
    #[inline]
    pub fn does_key(&self, role: RoleId, action: MoveId) -> u64 {
        self.action(role, action).does_key
    }

    #[inline]
    fn action(&self, role: RoleId, action: MoveId) -> &Move {
        &self.data.roles[role.0 as usize].moves[action.0 as usize]
    }

    /// Returns the move with a canonical text, if the role may ever have it.
    pub fn find_move(&self, role: RoleId, text: &str) -> Option<MoveId> {
        let moves = &self.data.roles[role.0 as usize].moves;
        moves.binary_search_by(|other| (*other.text).cmp(text)).ok().map(|at| MoveId(at as u32))
    }

    /// Returns the first of the moves whose texts differ from `text` in the fewest letters.
    pub fn nearest_move(&self, role: RoleId, moves: &[MoveId], text: &str) -> Option<MoveId> {
        let distance = |&action: &MoveId| strsim::osa_distance(self.move_text(role, action), text);
        moves.iter().copied().min_by_key(distance)
    }

    /// Returns the number of different percepts of a role.
    pub fn num_percepts(&self, role: RoleId) -> usize {
        self.data.roles[role.0 as usize].percepts.len()
    }

    /// Returns the canonical text of a percept.
    pub fn percept_text(&self, role: RoleId, percept: PerceptId) -> &str {
        &self.data.roles[role.0 as usize].percepts[percept.0 as usize].0
    }

    /// Returns the key of a percept's text ([`key`]).
    #[inline]
    pub fn percept_key(&self, role: RoleId, percept: PerceptId) -> u64 {
        self.data.roles[role.0 as usize].percepts[percept.0 as usize].1
    }

    /// Returns the number of fluents, which is the number of bits of a [`State`].
    pub fn num_fluents(&self) -> usize {
        self.data.names.fluents.len()
    }

    /// Returns the canonical text of a fluent.
    pub fn fluent(&self, fluent: u32) -> String {
        self.term_text(self.data.names.fluents[fluent as usize])
    }

    /// Returns the key of a fluent's text ([`key`]).
    #[inline]
    pub fn fluent_key(&self, fluent: u32) -> u64 {
        self.data.fluent_keys[fluent as usize]
    }

    /// Returns the initial state.
    pub fn start(&self) -> &State {
        &self.data.start
    }

    /// Returns the possible goal values of all roles except `random`, distinct and in increasing order.
    pub fn goal_values(&self) -> Vec<u8> {
        let values = self.data.goals.iter().filter(|&&(role, _)| Some(role) != self.data.random);
        values.map(|&(_, value)| value).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns the highest possible goal value of a role; 0 if the rules give it no goal.
    pub fn most_goal(&self, role: RoleId) -> u8 {
        let of_role = self.data.goals.iter().filter(|&&(other, _)| other == role);
        of_role.map(|&(_, value)| value).max().unwrap_or(0)
    }

    /// Returns whether all roles except `random` have the same ground rules for each goal value, and so the same goals.
    /// Goals that are equal for other reasons are not detected.
    pub fn goals_are_common(&self) -> bool {
        if !self.is_grounded() {
            return self.data.goals_are_common;
        }
        let ground = &self.data.ground;
        let bodies_of = |seat: RoleId| {
            let mut bodies: Vec<_> = goals_of(ground)
                .filter(|&(role, _, _)| role == seat)
                .flat_map(|(_, value, atom)| ground.rules_of(atom).map(move |rule| (value, rule)))
                .map(|(value, rule)| (value, rule.positive, rule.negated))
                .collect();
            bodies.sort_unstable();
            bodies.dedup();
            bodies
        };
        let mut all = self.seats().map(bodies_of);
        let first = all.next();
        all.all(|other| Some(other) == first)
    }

    /// Returns whether the rules are grounded. Rules that exceed a limit of grounding can be played, too, but slowly;
    /// for them, [`ground`](Self::ground) returns a program without rules.
    pub fn is_grounded(&self) -> bool {
        self.data.deduction.is_none()
    }

    pub(crate) fn deduction(&self) -> Option<&Arc<Deduction>> {
        self.data.deduction.as_ref()
    }

    /// Returns the ground rules.
    pub fn ground(&self) -> &GroundProgram {
        &self.data.ground
    }

    /// Returns the canonical text of a ground atom.
    pub fn atom_text(&self, atom: AtomId) -> String {
        self.term_text(self.data.ground.term(atom))
    }

    fn term_text(&self, term: TermId) -> String {
        self.data.terms.text(term, &self.data.symbols)
    }

    pub(crate) fn circuit(&self) -> &Circuit {
        &self.data.circuit
    }
}

fn goals_of(ground: &GroundProgram) -> impl Iterator<Item = (RoleId, u8, AtomId)> {
    ground.phase_a().map(AtomId).filter_map(|atom| match ground.kind(atom) {
        AtomKind::Goal { role, value } => Some((RoleId(role), value, atom)),
        _ => None,
    })
}

/// Returns whether the rules are valid, but take too much memory or time to ground.
fn is_of_size(error: &Error) -> bool {
    use LimitName::{GroundAtoms, GroundRules, GroundSeconds, Memory};
    let Problem::Limit { name, .. } = error.problem() else { return false };
    matches!(name, GroundRules | GroundAtoms | GroundSeconds | Memory)
}

/// The results that both ways of evaluating rules share.
struct Engine {
    terms: Terms,
    roles: Vec<TermId>,
    names: Names,
    ground: GroundProgram,
    circuit: Arc<Circuit>,
    deduction: Option<Arc<Deduction>>,
    /// The fluents that hold at the start.
    init: HashSet<TermId>,
    warnings: Vec<Warning>,
}

impl Engine {
    fn grounded(program: &Program, mut grounding: Grounding) -> Result<Self, Error> {
        let (ground, names) = network::build(program, &mut grounding)?;
        let init = grounding.facts.first_arguments(INIT, &grounding.terms).collect();
        Ok(Self {
            circuit: Arc::new(Circuit::new(&ground, &names)),
            ground,
            names,
            init,
            terms: grounding.terms,
            roles: grounding.roles,
            deduction: None,
            warnings: grounding.warnings,
        })
    }

    /// Creates the engine for rules that could not be grounded because of `error`.
    fn deducing(
        program: &Program,
        dependencies: &Dependencies,
        limits: &Limits,
        patience: &mut Patience<'_>,
        error: &Error,
    ) -> Result<Self, Error> {
        let (mut deduction, names) = Deduction::new(program, dependencies, limits, patience)?;
        let (roles, functors) = (deduction.roles.clone(), deduction.functors);
        let ground = GroundProgram::without_rules(&names, &roles, functors, &mut deduction.terms);
        let circuit = Arc::new(Circuit::new(&ground, &names));
        deduction.connect(&circuit, &names);
        let what = Oddity::NotGrounded { why: error.problem().to_string() };
        Ok(Self {
            terms: deduction.terms.clone(),
            roles,
            names,
            ground,
            circuit,
            init: deduction.facts.first_arguments(INIT, &deduction.terms).collect(),
            deduction: Some(Arc::new(deduction)),
            warnings: vec![Warning { place: error.place(), what }],
        })
    }
}
