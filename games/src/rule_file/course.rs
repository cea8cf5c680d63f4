//! One play by the rules of a file: its position and its history.

use rand::Rng;
use ruse_gdl::{AtCap, Evaluator, MoveId, PlayError, RoleId};

use super::record::Record;
use super::walk::Position;
use super::{RoleView, Shared};

/// The next event of a play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// This role chooses one of two or more legal moves.
    Asks(RoleId),
    /// The play is over, and the goals of the roles are known.
    Over,
}

/// A play in progress, between two decisions.
#[derive(Debug, Clone)]
pub(super) struct Course {
    pub(super) evaluator: Evaluator,
    pub(super) next: Next,
    /// The legal moves of the role to act; empty at the end.
    pub(super) legal: Vec<MoveId>,
    /// The moves chosen so far in this step.
    pub(super) joint: Vec<MoveId>,
    /// The index of the role to act in the list of all roles except `random`.
    place: usize,
    pub(super) record: Record,
    /// For each role, the number of steps up to and including the step of its last decision.
    pub(super) decided: Vec<u32>,
    /// For each role, the goal at the end of the play, from 0 to 100.
    pub(super) goals: Vec<u8>,
}

impl Course {
    pub(super) fn new(shared: &Shared) -> Course {
        let rules = &shared.rules;
        let num_roles = rules.num_roles();
        Course {
            evaluator: Evaluator::new(rules),
            next: Next::Over,
            legal: Vec::new(),
            joint: vec![MoveId::default(); num_roles],
            place: 0,
            record: Record::new(rules),
            decided: vec![0; num_roles],
            goals: vec![0; num_roles],
        }
    }

    /// Resets to the start of a play, and advances to the first decision.
    pub(super) fn start<R: Rng>(&mut self, shared: &Shared, rng: &mut R) -> Result<(), PlayError> {
        let rules = &shared.rules;
        self.evaluator.set_state(rules.start());
        self.place = 0;
        self.record.clear(rules);
        self.decided.fill(0);
        self.proceed(shared, rng)
    }

    /// Copies another play, without allocating if the buffers are long enough.
    pub(super) fn copy_from(&mut self, other: &Course) {
        self.evaluator.set_state(other.evaluator.state());
        self.next = other.next;
        self.legal.clone_from(&other.legal);
        self.joint.clone_from(&other.joint);
        self.place = other.place;
        self.record.copy_from(&other.record);
        self.decided.clone_from(&other.decided);
        self.goals.clone_from(&other.goals);
    }

    /// Returns the view of a role.
    #[inline]
    pub(super) fn view<'a>(
        &'a self,
        shared: &'a Shared,
        role: RoleId,
        lone_role: RoleId,
    ) -> RoleView<'a> {
        let is_asked = self.next == Next::Asks(role);
        RoleView {
            shared,
            record: &self.record,
            state: self.evaluator.state(),
            legal: if is_asked { &self.legal } else { &[] },
            is_asked,
            // The current step does not count until all its choices are made.
            num_known_steps: self.decided[role.0 as usize].min(self.record.steps),
            role,
            lone_role,
        }
    }

    /// Reconstructs the play from the view of the role to act. With incomplete information, the caller must still
    /// choose a position.
    pub(super) fn become_seen(&mut self, view: &RoleView<'_>) {
        let place = view.shared.roles.iter().position(|&role| role == view.role());
        self.place = place.expect("views are those of roles that are played");
        self.evaluator.set_state(view.state().unwrap_or(view.rules().start()));
        self.next = Next::Asks(view.role());
        self.legal.clear();
        self.legal.extend_from_slice(view.legal());
        self.record.copy_from(view.record);
        // The view does not show how many steps the other roles know, so they count as knowing all.
        self.decided.fill(view.num_steps());
        self.decided[view.role().0 as usize] = view.num_known_steps();
    }

    /// Returns whether a role has already chosen one of several moves in the current step.
    pub(super) fn has_choices(&self, shared: &Shared) -> bool {
        shared.roles[..self.place].iter().any(|&role| self.evaluator.num_legal(role) > 1)
    }

    /// Ends the play with the same goal for all roles.
    pub(super) fn end_with(&mut self, shared: &Shared, goal: u8) {
        self.next = Next::Over;
        self.legal.clear();
        self.set_goals(shared, goal);
    }

    /// Gives all played roles the same goal. The goal of `random` stays 0, since any other goal would count in sums.
    fn set_goals(&mut self, shared: &Shared, goal: u8) {
        for &role in &shared.roles {
            self.goals[role.0 as usize] = goal;
        }
    }

    /// Moves to a position, in which the role to act must be the same as now.
    pub(super) fn go_to(&mut self, position: &Position) {
        self.evaluator.set_state(&position.state);
        self.record.copy_from(&position.record);
    }

    /// Draws the choices already made in this step, each uniformly from the legal moves of the role.
    pub(super) fn draw_hidden<R: Rng>(&mut self, shared: &Shared, rng: &mut R) {
        for &role in &shared.roles[..self.place] {
            if let Some(drawn) = self.evaluator.random_legal(role, rng) {
                self.joint[role.0 as usize] = drawn;
            }
        }
    }

    /// Makes the move of the role to act, and advances to the next decision or the end.
    #[inline]
    pub(super) fn choose<R: Rng>(
        &mut self,
        shared: &Shared,
        action: MoveId,
        rng: &mut R,
    ) -> Result<(), PlayError> {
        let Next::Asks(role) = self.next else { return Ok(()) };
        self.joint[role.0 as usize] = action;
        self.decided[role.0 as usize] = self.record.steps + 1;
        self.place += 1;
        self.proceed(shared, rng)
    }

    /// Advances to the next decision or the end. If there is an error, ends the play with the goal 50 for all roles.
    fn proceed<R: Rng>(&mut self, shared: &Shared, rng: &mut R) -> Result<(), PlayError> {
        let proceeded = self.try_proceed(shared, rng);
        if proceeded.is_err() {
            self.end_with(shared, 50);
        }
        proceeded
    }

    #[inline]
    fn try_proceed<R: Rng>(&mut self, shared: &Shared, rng: &mut R) -> Result<(), PlayError> {
        loop {
            if self.place == 0 && self.is_over(shared)? {
                self.next = Next::Over;
                self.legal.clear();
                return Ok(());
            }
            while let Some(&role) = shared.roles.get(self.place) {
                let num_legal = self.evaluator.num_legal(role);
                if num_legal > 1 {
                    self.next = Next::Asks(role);
                    self.legal.clear();
                    self.legal.extend(self.evaluator.legal(role));
                    return Ok(());
                }
                self.joint[role.0 as usize] = self.only_move(shared, role)?;
                self.place += 1;
            }
            self.step(shared, rng)?;
        }
    }

    /// Returns the first legal move of a role.
    fn only_move(&self, shared: &Shared, role: RoleId) -> Result<MoveId, PlayError> {
        let none = || PlayError::no_legal_move(&shared.rules, role, self.record.steps);
        self.evaluator.nth_legal(role, 0).ok_or_else(none)
    }

    /// Returns whether the play is over, and sets the goals if it is.
    fn is_over(&mut self, shared: &Shared) -> Result<bool, PlayError> {
        Shared::exhausted(&self.evaluator, self.record.steps)?;
        if !self.evaluator.is_terminal() {
            if self.record.steps < shared.settings.cap {
                return Ok(false);
            }
            match shared.settings.at_cap {
                AtCap::Error => return Err(PlayError::Cap { steps: self.record.steps }),
                AtCap::Draw => self.set_goals(shared, 50),
                AtCap::Zero => self.set_goals(shared, 0),
            }
            return Ok(true);
        }
        for &role in &shared.roles {
            self.goals[role.0 as usize] = shared.goal(&self.evaluator, role)?;
        }
        Ok(true)
    }

    /// Adds a legal move of `random` to the joint move, and makes the joint move.
    #[inline]
    fn step<R: Rng>(&mut self, shared: &Shared, rng: &mut R) -> Result<(), PlayError> {
        let rules = &shared.rules;
        if let Some(random) = rules.random() {
            let drawn = self.evaluator.random_legal(random, rng);
            let none = || PlayError::no_legal_move(rules, random, self.record.steps);
            self.joint[random.0 as usize] = drawn.ok_or_else(none)?;
        }
        self.evaluator.play(&self.joint);
        self.record.add(&self.evaluator, &shared.roles, &self.joint);
        self.evaluator.advance();
        self.place = 0;
        Ok(())
    }

    /// Returns whether both plays are equal, including the pending choices.
    pub(super) fn is_same(&self, other: &Course, roles: &[RoleId]) -> bool {
        let waiting = |course: &Course| {
            let chosen = roles[..course.place].iter();
            chosen.map(|role| course.joint[role.0 as usize]).collect::<Vec<_>>()
        };
        self.next == other.next
            && self.record == other.record
            && (self.next != Next::Over || self.goals == other.goals)
            && self.evaluator.state() == other.evaluator.state()
            && waiting(self) == waiting(other)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{file, generator, play_random};
    use crate::rule_file::{Beliefs, RuleFile};
    use crate::tests::with;
    use crate::{Game, Imagine, Payoff, Seat};

    fn payoff(game: &RuleFile, seed: u64) -> Payoff {
        play_random(game, &mut generator(seed)).1
    }

    /// A game has the same payoff before and after a player imagines states, although states reuse tables.
    #[test]
    fn games_after_a_thought_have_the_payoffs_of_games_before() {
        let game = file("matching_pennies");
        let before: Vec<_> = (0..50).map(|seed| payoff(&game, seed)).collect();
        let mut rng = generator(1);
        let state = game.deal(&mut rng);
        let view = game.view(&state, Seat::First);
        drop(game.imagine(&Beliefs::default(), Seat::First, &view, &mut rng));
        let after: Vec<_> = (0..50).map(|seed| payoff(&game, seed)).collect();
        assert_eq!(before, after);
        // Both sides have goals of 0 or 100.
        let possible = [0.0, 0.5, 1.0];
        assert!(after.iter().all(|payoff| possible.contains(&payoff.score())), "{after:?}");
    }

    /// A game of Pig to 20 takes at least 4 rolls, each followed by a step for the die, so it is not over after 3
    /// steps. With `at-cap` 1, such a game counts as a draw, and no fault of the file is reported.
    #[test]
    fn games_that_are_broken_off_are_drawn_beside_chance() {
        let game = with(&file("pig_20"), &[("steps", 3), ("at-cap", 1)]).expect("rules");
        assert!((0..20).all(|seed| payoff(&game, seed).score() == 0.5));
        assert_eq!(game.fault(), None);
    }
}
