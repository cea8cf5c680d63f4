//! Plain evaluation of all ground rules in order: a slow and simple reference for testing the engine.

use std::collections::BTreeSet;

use crate::evaluator::NoGoal;
use crate::ids::{MoveId, PerceptId, RoleId};
use crate::network::{AtomId, AtomKind};
use crate::rules::Rules;
use crate::state::State;

/// An evaluator like [`crate::Evaluator`] that evaluates all ground rules each time.
#[derive(Debug, Clone)]
pub struct PlainEvaluator {
    rules: Rules,
    truth: Vec<bool>,
}

impl PlainEvaluator {
    /// Creates an evaluator in the initial state.
    pub fn new(rules: &Rules) -> Self {
        let truth = vec![false; rules.ground().num_atoms()];
        let mut evaluator = Self { rules: rules.clone(), truth };
        evaluator.set_state(rules.start());
        evaluator
    }

    /// Enters a state.
    pub fn set_state(&mut self, state: &State) {
        self.truth.fill(false);
        for fluent in state.iter() {
            self.truth[fluent as usize] = true;
        }
        self.derive(true);
    }

    /// Adds a joint move: one move of each role, in the order of the roles.
    pub fn play(&mut self, joint: &[MoveId]) {
        let ground = self.rules.ground();
        for atom in ground.moves() {
            let AtomKind::Does { role, action } = ground.kind(AtomId(atom)) else { continue };
            self.truth[atom as usize] = joint[role as usize] == MoveId(action);
        }
        self.derive(false);
    }

    /// Derives the least model of one phase, component by component.
    fn derive(&mut self, phase_a: bool) {
        let ground = self.rules.ground();
        let phase = if phase_a { ground.phase_a() } else { ground.phase_b() };
        for component in ground.components() {
            if !phase.contains(&component.start) {
                continue;
            }
            component.clone().for_each(|atom| self.truth[atom as usize] = false);
            let mut changed = true;
            while changed {
                changed = false;
                for atom in component.clone() {
                    let is = |atom: &AtomId| self.truth[atom.0 as usize];
                    let holds = ground
                        .rules_of(AtomId(atom))
                        .any(|rule| rule.positive.iter().all(is) && !rule.negated.iter().any(is));
                    changed |= holds != self.truth[atom as usize];
                    self.truth[atom as usize] = holds;
                }
            }
        }
    }

    fn kinds(&self) -> impl Iterator<Item = AtomKind> + '_ {
        let ground = self.rules.ground();
        let holds = (0..ground.num_atoms()).filter(|&atom| self.truth[atom]);
        holds.map(move |atom| ground.kind(AtomId(atom as u32)))
    }

    /// Returns what `of` picks from the atoms that hold, sorted and distinct.
    fn picked<T: Ord>(&self, of: impl Fn(AtomKind) -> Option<T>) -> Vec<T> {
        BTreeSet::from_iter(self.kinds().filter_map(of)).into_iter().collect()
    }

    /// Returns whether an atom holds, given the state and the last joint move.
    pub fn holds(&self, atom: AtomId) -> bool {
        self.truth[atom.0 as usize]
    }

    /// Returns whether the game is over.
    pub fn is_terminal(&self) -> bool {
        self.kinds().any(|kind| kind == AtomKind::Terminal)
    }

    /// Returns the legal moves of a role, in the order of their canonical texts.
    pub fn legal(&self, role: RoleId) -> Vec<MoveId> {
        self.picked(|kind| match kind {
            AtomKind::Legal { role: of, action } if of == role.0 => Some(MoveId(action)),
            _ => None,
        })
    }

    /// Returns the goal value of a role.
    ///
    /// # Errors
    ///
    /// Returns an error if the rules derive no goal value or several goal values.
    pub fn goal(&self, role: RoleId) -> Result<u8, NoGoal> {
        let values = self.picked(|kind| match kind {
            AtomKind::Goal { role: of, value } if of == role.0 => Some(value),
            _ => None,
        });
        match values[..] {
            [] => Err(NoGoal::None),
            [value] => Ok(value),
            [first, second, ..] => Err(NoGoal::Two(first, second)),
        }
    }

    /// Returns the percepts of a role after the last joint move.
    pub fn percepts(&self, role: RoleId) -> Vec<PerceptId> {
        self.picked(|kind| match kind {
            AtomKind::Sees { role: of, percept } if of == role.0 => Some(PerceptId(percept)),
            _ => None,
        })
    }

    /// Returns the state after the last joint move.
    pub fn next(&self) -> State {
        let mut state = State::empty(self.rules.num_fluents());
        for kind in self.kinds() {
            if let AtomKind::Next(fluent) = kind {
                state.set(fluent, true);
            }
        }
        state
    }
}
