//! The view of a role.

use std::fmt;

use ruse_gdl::{Information, MoveId, PerceptId, RoleId, Rules, State, mix};

use super::Shared;
use super::record::{Record, sum_of};

/// The knowledge that a role of a [`RuleFile`](super::RuleFile) has when it decides: its moves and percepts so far, and
/// its legal moves.
#[derive(Clone, Copy)]
pub struct RoleView<'a> {
    pub(super) shared: &'a Shared,
    pub(super) record: &'a Record,
    pub(super) state: &'a State,
    pub(super) legal: &'a [MoveId],
    pub(super) is_asked: bool,
    pub(super) num_known_steps: u32,
    pub(super) role: RoleId,
    pub(super) lone_role: RoleId,
}

/// A step as a role remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    /// The role's own move.
    pub own: MoveId,
    /// The role's percepts; empty with complete information.
    pub percepts: &'a [PerceptId],
    /// The moves of all roles; `None` without complete information.
    pub joint: Option<&'a [MoveId]>,
}

impl<'a> RoleView<'a> {
    /// Returns the rules of the game.
    #[inline]
    pub fn rules(&self) -> &'a Rules {
        &self.shared.rules
    }

    /// Returns the role that has this view.
    #[inline]
    pub fn role(&self) -> RoleId {
        self.role
    }

    /// With three or more roles, returns the role of the first seat, which all players know. With two roles, returns
    /// the first role.
    pub fn lone_role(&self) -> RoleId {
        self.lone_role
    }

    /// Returns whether it is the role's turn.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// Returns the legal moves, in increasing order; empty if it is not the role's turn.
    #[inline]
    pub fn legal(&self) -> &'a [MoveId] {
        self.legal
    }

    /// Returns the number of joint moves made so far.
    #[inline]
    pub fn num_steps(&self) -> u32 {
        self.record.steps
    }

    /// Returns the number of joint moves up to and including the step of the role's last decision. The later joint
    /// moves are new to the role.
    pub fn num_known_steps(&self) -> u32 {
        self.num_known_steps
    }

    /// Returns a step, counted from 0.
    ///
    /// # Panics
    ///
    /// Panics if there was no such step.
    #[inline]
    pub fn step(&self, index: u32) -> Step<'a> {
        let (own, percepts) = self.record.at_step(self.role, index);
        let is_open = self.rules().information() == Information::Complete;
        Step { own, percepts, joint: is_open.then(|| self.record.joint_move(index)) }
    }

    /// Returns all steps, in order.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = Step<'a>> + ExactSizeIterator {
        let view = *self;
        (0..self.num_steps()).map(move |index| view.step(index))
    }

    /// Returns the knowledge of the role in the notation of the file, step by step. With complete information, a step
    /// shows the moves of all roles that have more than one move in the game; otherwise, the role's own move and its
    /// percepts. Moves named `noop` are left out.
    pub fn known(&self) -> Vec<String> {
        let (rules, role) = (self.rules(), self.role);
        let step_text = |step: Step<'_>| {
            let texts: Vec<&str> = match (rules.information(), step.joint) {
                (Information::Complete, Some(joint)) => rules
                    .roles()
                    .zip(joint)
                    .filter(|&(other, _)| rules.num_moves(other) > 1)
                    .map(|(other, &action)| rules.move_text(other, action))
                    .filter(|&text| text != "noop")
                    .collect(),
                _ => {
                    let percepts = step.percepts.iter().map(|&p| rules.percept_text(role, p));
                    std::iter::once(rules.move_text(role, step.own))
                        .filter(|&text| text != "noop")
                        .chain(percepts)
                        .collect()
                }
            };
            texts.join(" ")
        };
        self.steps().map(step_text).collect()
    }

    /// Returns a hash of the moves and percepts of the role (`ruse_gdl::History`), without its legal moves.
    #[inline]
    pub fn history(&self) -> u64 {
        self.record.histories[self.role.0 as usize].0
    }

    /// Returns a hash of everything that the role knows: its moves, its percepts and its legal moves, step by step. Two
    /// situations are the same if and only if they have the same key. With complete information, the key is the
    /// [history](RoleView::history), which determines the legal moves.
    #[inline]
    pub fn key(&self) -> u64 {
        self.record.key(self.rules(), self.role, self.legal)
    }

    /// Returns a hash of what the role knew at its latest move and of the percepts since then: its key without the
    /// present legal moves, which depend on the state alone.
    pub fn memory(&self) -> u64 {
        self.record.key(self.rules(), self.role, &[])
    }

    /// Returns a hash of what the latest step showed to the role: its percepts or the moves of all roles, and its legal
    /// moves now. The key before the step, the role's move and the news determine the key after the step.
    pub fn news(&self) -> u64 {
        let (rules, role) = (self.rules(), self.role);
        let Step { percepts, joint, .. } = self.step(self.num_steps() - 1);
        if let Some(joint) = joint {
            return rules
                .roles()
                .zip(joint)
                .fold(0, |news, (role, &action)| mix(news ^ rules.does_key(role, action)));
        }
        let percepts = percepts.iter().map(|&percept| rules.percept_key(role, percept));
        mix(percepts.fold(0, u64::wrapping_add)) ^ sum_of(rules, role, self.legal.iter().copied())
    }

    /// Returns the true fluents; `None` without complete information.
    #[inline]
    pub fn state(&self) -> Option<&'a State> {
        let is_open = self.rules().information() == Information::Complete;
        is_open.then_some(self.state)
    }
}

/// Writes the knowledge of the role in words.
impl fmt::Debug for RoleView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rules, role) = (self.rules(), self.role);
        let steps = self.steps().map(|step| {
            let mut words = vec![rules.move_text(role, step.own)];
            words.extend(step.percepts.iter().map(|&percept| rules.percept_text(role, percept)));
            let joint = step.joint.into_iter().flat_map(|joint| rules.roles().zip(joint));
            words.extend(joint.map(|(role, &action)| rules.move_text(role, action)));
            words.join(" ")
        });
        let legal = self.legal().iter().map(|&action| rules.move_text(role, action));
        f.debug_struct("RoleView")
            .field("role", &rules.role_name(role))
            .field("alone", &rules.role_name(self.lone_role))
            .field("steps", &steps.collect::<Vec<_>>())
            .field("legal", &legal.collect::<Vec<_>>())
            .finish()
    }
}

/// Compares the knowledge: equal views are indistinguishable to the role.
impl PartialEq for RoleView<'_> {
    fn eq(&self, other: &RoleView<'_>) -> bool {
        self.role == other.role
            && self.lone_role == other.lone_role
            && self.num_steps() == other.num_steps()
            && self.key() == other.key()
    }
}
