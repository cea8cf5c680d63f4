//! The histories of roles, and two families of strategies for any rule file. Both are defined on canonical texts, so
//! that parameters have the same meaning in every implementation.

use crate::evaluator::Evaluator;
use crate::hash::{Fnv, key, mix, parameter_bits};
use crate::ids::{MoveId, PerceptId, RoleId};
use crate::rules::{Information, Rules};
use crate::state::State;

/// A hash of the moves and percepts of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct History(pub u64);

impl History {
    /// Returns the initial history of a role: the key of its name.
    pub fn new(rules: &Rules, role: RoleId) -> Self {
        Self(key(rules.role_name(role)))
    }

    /// Adds a step: the key of the role's own move, and the sum of the keys of its percepts.
    #[inline]
    pub fn add(&mut self, own_move: u64, percepts: u64) {
        self.0 = mix(mix(self.0 ^ own_move) ^ percepts);
    }

    /// Adds the last joint move of an evaluator, as the role perceives it. With complete information, each role
    /// perceives `(does role move)` of every role.
    #[inline]
    pub fn observe(&mut self, evaluator: &Evaluator, role: RoleId, joint: &[MoveId]) {
        let rules = evaluator.rules();
        let percepts = match rules.information() {
            Information::Complete => rules
                .roles()
                .zip(joint)
                .fold(0_u64, |sum, (role, &action)| sum.wrapping_add(rules.does_key(role, action))),
            Information::Percepts => evaluator
                .percepts(role)
                .fold(0_u64, |sum, p| sum.wrapping_add(rules.percept_key(role, p))),
        };
        self.add(rules.move_key(role, joint[role.0 as usize]), percepts);
    }
}

/// Returns the base of a role in the policy `seed`: a hash of the role's parameter and index.
pub fn seed_base(parameter: f64, role: RoleId) -> u64 {
    mix(parameter_bits(parameter)) ^ mix(u64::from(role.0) + 1)
}

/// Returns the choice of the policy `seed`: the legal move with the largest hash, given the history. Unless hashes
/// collide, each deterministic strategy is the policy for some parameter.
///
/// `legal` must be in increasing order, as returned by [`Evaluator::legal`]. Returns `None` if `legal` is empty.
pub fn seed_choice(
    rules: &Rules,
    role: RoleId,
    base: u64,
    history: u64,
    legal: impl Iterator<Item = MoveId>,
) -> Option<MoveId> {
    let hashes = legal.map(|action| (mix(base ^ history ^ rules.move_key(role, action)), action));
    first_largest(hashes)
}

/// Returns the move with the largest score, and in case of a tie the first, which has the smallest text.
fn first_largest<T: PartialOrd>(scores: impl Iterator<Item = (T, MoveId)>) -> Option<MoveId> {
    scores.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, action)| action)
}

/// Returns the hash that replaces the history in the policy `seed-memoryless`: the key of the texts of the legal moves,
/// joined with spaces.
pub fn memoryless_history(rules: &Rules, role: RoleId, legal: impl Iterator<Item = MoveId>) -> u64 {
    let mut fnv = Fnv::default();
    for (index, action) in legal.enumerate() {
        if index > 0 {
            fnv.write(" ");
        }
        fnv.write(rules.move_text(role, action));
    }
    mix(fnv.finish())
}

/// The number of latest steps that the policy `linear` looks at in GDL-II, unless another number is chosen.
pub const REMEMBERED_STEPS: usize = 8;

/// Collects the items of the policy `linear` for a game with complete information: the keys of the role and of the true
/// fluents. `items` is cleared, and filled in increasing order without duplicates.
pub fn items_of_state(rules: &Rules, role: RoleId, state: &State, items: &mut Vec<u64>) {
    items.clear();
    items.push(role_item(rules, role));
    items.extend(state.iter().map(|fluent| rules.fluent_key(fluent)));
    items.sort_unstable();
    items.dedup();
}

/// Collects the items of the policy `linear` for a game in GDL-II: the key of the role and, for each recent step,
/// hashes of the role's own move and of its percepts, which include the age of the step. `recent` starts with the
/// latest step. `items` is cleared, and filled in increasing order without duplicates.
pub fn items_of_percepts<'a>(
    rules: &Rules,
    role: RoleId,
    recent: impl Iterator<Item = (MoveId, &'a [PerceptId])>,
    items: &mut Vec<u64>,
) {
    items.clear();
    items.push(role_item(rules, role));
    for (age, (action, percepts)) in recent.enumerate() {
        let mut add = |word: &str, text: &str| {
            items.push(mix(item_key(word, text).wrapping_add(age as u64)));
        };
        add("did", rules.move_text(role, action));
        percepts.iter().for_each(|&percept| add("saw", rules.percept_text(role, percept)));
    }
    items.sort_unstable();
    items.dedup();
}

/// Collects the items of the policy `linear` without memory for a game in GDL-II: the key of the role, and hashes of its
/// legal moves. `items` is cleared, and filled in increasing order without duplicates.
pub fn items_of_moves(rules: &Rules, role: RoleId, legal: &[MoveId], items: &mut Vec<u64>) {
    items.clear();
    items.push(role_item(rules, role));
    items.extend(legal.iter().map(|&action| mix(item_key("legal", rules.move_text(role, action)))));
    items.sort_unstable();
    items.dedup();
}

/// Returns the key of a word and a text in parentheses.
fn item_key(word: &str, text: &str) -> u64 {
    mix(Fnv::default().and("(").and(word).and(" ").and(text).and(")").finish())
}

fn role_item(rules: &Rules, role: RoleId) -> u64 {
    item_key("role", rules.role_name(role))
}

/// Returns the score of a move in the policy `linear`. A hash of each item and the move selects a parameter and a sign.
/// The score is the sum of these signed parameters, divided by the square root of the number of items.
///
/// `items` must come from [`items_of_state`], [`items_of_percepts`] or [`items_of_moves`]. `theta` contains the role's parameters, at least
/// one.
///
/// # Panics
///
/// Panics if there are no parameters.
pub fn linear_score(items: &[u64], move_key: u64, theta: &[f64]) -> f64 {
    assert!(!theta.is_empty(), "the policy `linear` has one parameter or more");
    let mut sum = 0.0;
    for &item in items {
        let (index, is_added) = linear_feature(item, move_key, theta.len());
        sum += if is_added { theta[index] } else { -theta[index] };
    }
    sum / (items.len() as f64).sqrt()
}

/// Returns the index of the parameter that the policy `linear` selects for an item and a move, among `num_parameters`
/// parameters of a role, and `true` if the score is the sum with this parameter rather than the difference.
#[inline]
pub fn linear_feature(item: u64, move_key: u64, num_parameters: usize) -> (usize, bool) {
    let feature = mix(item ^ move_key.rotate_left(32));
    let index = ((u128::from(feature) * num_parameters as u128) >> 64) as usize;
    (index, feature.is_multiple_of(2))
}

/// Returns the choice of the policy `linear`: the legal move with the largest score, and in case of a tie with the
/// smallest text.
pub fn linear_choice(
    rules: &Rules,
    role: RoleId,
    items: &[u64],
    theta: &[f64],
    legal: impl Iterator<Item = MoveId>,
) -> Option<MoveId> {
    let score = |action| linear_score(items, rules.move_key(role, action), theta);
    first_largest(legal.map(|action| (score(action), action)))
}
