//! Compares the constraints with the engine: every legal joint move, together with its successor, satisfies all
//! constraints, and every other combination violates at least one.

use std::collections::HashMap;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_gdl::{AtCap, AtomId, AtomKind, MoveId, PlainEvaluator, Playouts, RoleId, State};

use super::super::super::network::{Network, VariableId};
use super::super::{ConstraintKind, EncodeOptions, Encoding, Families, VariableKind};
use super::satisfies::assert_sound;
use super::{File, SOME, files};
use crate::tests::networks::is_satisfied;

/// Returns five sets of options, in which atoms are replaced or kept, and tables are large, small or absent.
fn variants() -> [EncodeOptions; 5] {
    [(8, 100_000), (8, 1_000), (8, 0), (0, 100_000), (0, 0)].map(|(unfold_below, table_product)| {
        EncodeOptions { unfold_below, table_product, ..EncodeOptions::default() }
    })
}

/// A network, and the engine with which it is compared.
struct Tested<'a> {
    encoding: &'a Encoding,
    /// The number of each atom, by kind.
    atoms: HashMap<AtomKind, AtomId>,
    engine: PlainEvaluator,
    /// For each variable, the indices of its constraints.
    constraints: Vec<Vec<usize>>,
    values: Vec<u16>,
}

impl<'a> Tested<'a> {
    fn new(encoding: &'a Encoding) -> Self {
        let Network { domains, constraints } = encoding.network();
        let mut of_variable = vec![Vec::new(); domains.len()];
        for (at, constraint) in constraints.iter().enumerate() {
            constraint.variables().iter().for_each(|v| of_variable[v.0 as usize].push(at));
        }
        let engine = PlainEvaluator::new(encoding.rules());
        let ground = encoding.rules().ground();
        let atoms =
            (0..ground.num_atoms() as u32).map(|atom| (ground.kind(AtomId(atom)), AtomId(atom)));
        let values = vec![0; domains.len()];
        Self { encoding, atoms: atoms.collect(), engine, constraints: of_variable, values }
    }

    /// Gives all variables except the successors the values that the engine computes for a state and a joint move.
    fn set(&mut self, state: &State, joint: &[MoveId]) {
        self.engine.set_state(state);
        self.engine.play(joint);
        let now = self.encoding.values_of(state).expect("it is a state of a game");
        for (variable, kind) in self.encoding.variable_kinds().iter().enumerate() {
            let atom = |wanted: AtomKind| {
                let atom = self.atoms.get(&wanted);
                u16::from(atom.is_some_and(|&atom| self.engine.holds(atom)))
            };
            self.values[variable] = match *kind {
                VariableKind::State(group) => now[group],
                VariableKind::Move(RoleId(role)) => joint[usize::from(role)].0 as u16,
                VariableKind::Chance => {
                    let random = self.encoding.rules().random().expect("there is chance");
                    joint[usize::from(random.0)].0 as u16
                }
                VariableKind::ChanceLegal(MoveId(action)) => {
                    let random = self.encoding.rules().random().expect("there is chance");
                    atom(AtomKind::Legal { role: random.0, action })
                }
                VariableKind::End => atom(AtomKind::Terminal),
                VariableKind::Goal(role, value) => atom(AtomKind::Goal { role: role.0, value }),
                VariableKind::Atom(atom) => u16::from(self.engine.holds(atom)),
                VariableKind::Successor(_) => continue,
            };
        }
    }

    fn set_successors(&mut self, next: &State) {
        let next = self.encoding.values_of(next).expect("it is a state of a game");
        for (&variable, value) in self.encoding.successors().iter().zip(next) {
            self.values[variable.0 as usize] = value;
        }
    }

    /// Returns the index of the first violated constraint whose kind `is_meant` accepts.
    fn broken(&self, is_meant: impl Fn(ConstraintKind) -> bool) -> Option<usize> {
        let constraints = &self.encoding.network().constraints;
        (0..constraints.len()).find(|&at| {
            is_meant(self.encoding.constraint_kinds()[at])
                && !is_satisfied(&constraints[at], &self.values)
        })
    }

    /// Checks that the constraints determine the value of the variable: every other value violates a constraint.
    fn assert_follows(&mut self, variable: VariableId, what: &str) {
        let at = variable.0 as usize;
        let value = self.values[at];
        for &other in self.encoding.network().domains[at].iter().filter(|&&other| other != value) {
            self.values[at] = other;
            let constraints = &self.encoding.network().constraints;
            let is_broken =
                self.constraints[at].iter().any(|&c| !is_satisfied(&constraints[c], &self.values));
            assert!(is_broken, "{what}: {variable:?} may be {other}");
        }
        self.values[at] = value;
    }

    /// Checks that a step satisfies all constraints, that the constraints determine all variables except the state and
    /// the moves, and that exactly the legal moves satisfy the constraints on moves.
    fn check_step(&mut self, state: &State, joint: &[MoveId], next: &State, what: &str) {
        self.set(state, joint);
        self.set_successors(next);
        let broken = self.broken(|_| true);
        assert_eq!(broken, None, "{what}: a legal step is kept from being made");
        for (at, kind) in self.encoding.variable_kinds().iter().enumerate() {
            let is_given = matches!(
                kind,
                VariableKind::State(_) | VariableKind::Move(_) | VariableKind::Chance
            );
            if !is_given {
                self.assert_follows(VariableId(at as u32), what);
            }
        }
        for role in self.encoding.rules().clone().roles() {
            let legal = self.engine.legal(role);
            let is_chance = Some(role) == self.encoding.rules().random();
            let mut other = joint.to_vec();
            for action in 0..self.encoding.rules().num_moves(role) as u16 {
                other[usize::from(role.0)] = MoveId(action.into());
                self.set(state, &other);
                let broken = self.broken(|kind| match kind {
                    ConstraintKind::Legal(of) => of == role,
                    ConstraintKind::Chance => is_chance,
                    _ => false,
                });
                let is_legal = legal.contains(&MoveId(action.into()));
                assert_eq!(broken.is_none(), is_legal, "{what}: move {action} of {role:?}");
            }
        }
    }

    /// Checks a final state, in which the values of the moves do not matter.
    fn check_end(&mut self, state: &State, what: &str) {
        let num_roles = self.encoding.rules().num_roles();
        self.set(state, &vec![MoveId(0); num_roles]);
        let is_meant = |kind| {
            use ConstraintKind as K;
            matches!(kind, K::Atom | K::ChanceLegal | K::End | K::Goal)
        };
        assert_eq!(self.broken(is_meant), None, "{what}: an end is kept from coming about");
        assert_eq!(self.values[self.encoding.end().0 as usize], 1);
        self.assert_follows(self.encoding.end(), what);
        for &(_, _, goal) in self.encoding.goals() {
            self.assert_follows(goal, what);
        }
    }
}

/// Checks the steps and the final states of random games.
fn check(name: &str, encoding: &Encoding, games: u64) {
    assert_sound(encoding.network());
    let rules = encoding.rules();
    let mut tested = Tested::new(encoding);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut playouts = Playouts::new(rules, 1_000, AtCap::Error);
    let mut next = rules.start().clone();
    for _ in 0..games {
        let mut steps = Vec::new();
        let played = playouts.play_watched(rules.start(), &mut rng, |evaluator, joint| {
            evaluator.copy_next(&mut next);
            steps.push((evaluator.state().clone(), joint.to_vec(), next.clone()));
        });
        assert_eq!(played, Ok(steps.len() as u32));
        for (state, joint, next) in &steps {
            tested.check_step(state, joint, next, name);
        }
        tested.check_end(&next, name);
    }
}

/// Checks files with all options.
fn check_all(files: &[File], games: u64) {
    for (name, rules, families) in files {
        for options in variants() {
            let encoding = Encoding::with_families(rules, families.clone(), &options);
            check(name, &encoding.expect("it is small"), games);
        }
        let single = Encoding::with_families(rules, Families::single(rules), &variants()[1]);
        check(name, &single.expect("it is small"), games);
    }
}

#[test]
fn legal_steps_satisfy_the_network_and_nothing_else_does() {
    check_all(&SOME, 1);
}

#[test]
#[ignore = "long"]
fn legal_steps_of_many_games_satisfy_the_network_and_nothing_else_does() {
    check_all(&files().collect::<Vec<_>>(), 60);
}
