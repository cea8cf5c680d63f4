//! Counts of sequences of joint moves, for comparing engines.

use std::collections::HashMap;

use crate::evaluator::Evaluator;
use crate::ids::MoveId;
use crate::play::PlayError;
use crate::rules::Rules;
use crate::state::State;

/// The number of states kept at each depth; more states are processed in portions.
const PORTION: usize = 1 << 16;

/// Returns the numbers of sequences of 1 to `depth` joint moves from the start, counting moves of `random` like other
/// moves. A sequence ends with the game.
///
/// Sequences to the same state are counted together if they meet in a portion of 65,536 states, so memory grows with
/// `depth` alone.
///
/// # Errors
///
/// Returns an error if a role has no legal move in a state that is not terminal, or if a state takes too long to
/// evaluate.
pub fn perft(rules: &Rules, depth: usize) -> Result<Vec<u128>, PlayError> {
    let mut counter = Counter {
        evaluator: Evaluator::new(rules),
        legal: vec![Vec::new(); rules.num_roles()],
        places: vec![0; rules.num_roles()],
        joint: vec![MoveId::default(); rules.num_roles()],
        state: rules.start().clone(),
        counts: vec![0; depth],
        portions: vec![Portion::default(); depth],
    };
    if depth > 0 {
        counter.portions[0].add(rules.start(), 1);
        counter.expand(0)?;
    }
    Ok(counter.counts)
}

/// States, each with the number of sequences that lead to it.
#[derive(Debug, Clone, Default)]
struct Portion {
    states: Vec<(State, u128)>,
    places: HashMap<State, usize>,
}

impl Portion {
    fn add(&mut self, state: &State, count: u128) {
        match self.places.get(state) {
            Some(&place) => self.states[place].1 += count,
            None => {
                self.places.insert(state.clone(), self.states.len());
                self.states.push((state.clone(), count));
            }
        }
    }

    fn clear(&mut self) {
        self.states.clear();
        self.places.clear();
    }
}

struct Counter {
    evaluator: Evaluator,
    legal: Vec<Vec<MoveId>>,
    places: Vec<usize>,
    joint: Vec<MoveId>,
    state: State,
    counts: Vec<u128>,
    portions: Vec<Portion>,
}

impl Counter {
    /// Counts the successors of the states kept at `depth`, and frees these states.
    fn expand(&mut self, depth: usize) -> Result<(), PlayError> {
        let last = depth + 1 == self.counts.len();
        let portion = std::mem::take(&mut self.portions[depth]);
        for (state, count) in &portion.states {
            self.evaluator.set_state(state);
            if self.evaluator.is_exhausted() {
                return Err(PlayError::TooLong { steps: depth as u32 });
            }
            if self.evaluator.is_terminal() {
                continue;
            }
            let mut num_joint = *count;
            for (role, legal) in self.evaluator.rules().roles().zip(&mut self.legal) {
                legal.clear();
                legal.extend(self.evaluator.legal(role));
                num_joint *= legal.len() as u128;
                if legal.is_empty() {
                    let rules = self.evaluator.rules();
                    return Err(PlayError::no_legal_move(rules, role, depth as u32));
                }
            }
            self.counts[depth] += num_joint;
            if !last {
                self.successors(*count, depth + 1);
                if self.portions[depth + 1].states.len() >= PORTION {
                    self.expand(depth + 1)?;
                }
            }
        }
        let mut portion = portion;
        portion.clear();
        self.portions[depth] = portion;
        if !last && !self.portions[depth + 1].states.is_empty() {
            self.expand(depth + 1)?;
        }
        Ok(())
    }

    /// Adds the successors of the evaluator's state, whose legal moves are in `legal`.
    fn successors(&mut self, count: u128, depth: usize) {
        self.places.fill(0);
        loop {
            for (role, legal) in self.legal.iter().enumerate() {
                self.joint[role] = legal[self.places[role]];
            }
            self.evaluator.play(&self.joint);
            self.evaluator.copy_next(&mut self.state);
            self.portions[depth].add(&self.state, count);
            // Selects the next joint move. The move of the last role changes first.
            let has_more = |&role: &usize| self.places[role] + 1 < self.legal[role].len();
            let Some(role) = (0..self.places.len()).rev().find(has_more) else { return };
            self.places[role] += 1;
            self.places[role + 1..].fill(0);
        }
    }
}
