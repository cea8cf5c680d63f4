//! What a role knows.

use std::fmt;

use ruse_gdl::{Information, MoveId, PerceptId, RoleId, Rules, State};

use super::Shared;
use super::course::{Course, Next};
use super::record::Record;

/// What a role of a [`RuleFile`](super::RuleFile) knows when it decides: all that it did and perceived, and what it may do.
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

/// A step as a role has it in mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    /// What it did.
    pub own: MoveId,
    /// What it perceived then; nothing where all moves are seen.
    pub percepts: &'a [PerceptId],
    /// What all roles did, if that is seen.
    pub joint: Option<&'a [MoveId]>,
}

impl<'a> RoleView<'a> {
    #[inline]
    pub(super) fn new(
        shared: &'a Shared,
        course: &'a Course,
        role: RoleId,
        lone_role: RoleId,
    ) -> RoleView<'a> {
        let is_asked = course.next == Next::Asks(role);
        RoleView {
            shared,
            record: &course.record,
            state: course.evaluator.state(),
            legal: if is_asked { &course.legal } else { &[] },
            is_asked,
            // A choice that waits for those of others is no step yet.
            num_known_steps: course.decided[role.0 as usize].min(course.record.steps),
            role,
            lone_role,
        }
    }

    /// The rules of the game.
    #[inline]
    pub fn rules(&self) -> &'a Rules {
        &self.shared.rules
    }

    /// The role.
    #[inline]
    pub fn role(&self) -> RoleId {
        self.role
    }

    /// Of three roles or more the one that a side plays alone: everybody knows. Where there are two it is the first.
    pub fn lone_role(&self) -> RoleId {
        self.lone_role
    }

    /// Whether the role is asked for a move.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// The legal moves, in increasing order; none if it is not the role's turn.
    #[inline]
    pub fn legal(&self) -> &'a [MoveId] {
        self.legal
    }

    /// Joint moves made so far.
    #[inline]
    pub fn num_steps(&self) -> u32 {
        self.record.steps
    }

    /// Joint moves made before the step in which the role decided last, that step included: what came later is new to it.
    pub fn num_known_steps(&self) -> u32 {
        self.num_known_steps
    }

    /// A step, from 0.
    ///
    /// # Panics
    ///
    /// If there was none.
    #[inline]
    pub fn step(&self, index: u32) -> Step<'a> {
        let (own, percepts) = self.record.at_step(self.role, index);
        let is_open = self.rules().information() == Information::Complete;
        Step { own, percepts, joint: is_open.then(|| self.record.joint_move(index)) }
    }

    /// All steps, in order.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = Step<'a>> + ExactSizeIterator {
        let view = *self;
        (0..self.num_steps()).map(move |index| view.step(index))
    }

    /// A number that stands for all that the role did and perceived: its history (`ruse_gdl::History`).
    #[inline]
    pub fn history(&self) -> u64 {
        self.record.histories[self.role.0 as usize].0
    }

    /// What is true now, where all is seen.
    #[inline]
    pub fn state(&self) -> Option<&'a State> {
        let is_open = self.rules().information() == Information::Complete;
        is_open.then_some(self.state)
    }
}

/// What the role knows, in words.
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

/// Whether the role could not tell the situations apart.
impl PartialEq for RoleView<'_> {
    fn eq(&self, other: &RoleView<'_>) -> bool {
        self.role == other.role
            && self.lone_role == other.lone_role
            && self.num_steps() == other.num_steps()
            && self.legal() == other.legal()
            && self.steps().eq(other.steps())
    }
}
