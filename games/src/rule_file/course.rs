//! One play by the rules of a file: where it stands, and all that happened.

use rand::Rng;
use ruse_gdl::{AtCap, Evaluator, MoveId, PlayError, RoleId};

use super::record::Record;
use super::walk::Position;
use super::{RoleView, Shared};

/// What has to happen next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// This role, with two legal moves or more, chooses one.
    Asks(RoleId),
    /// The play is over, and goals are known.
    Over,
}

/// A play in progress, between two decisions.
#[derive(Debug, Clone)]
pub(super) struct Course {
    pub(super) evaluator: Evaluator,
    pub(super) next: Next,
    /// What the role that is asked may do; empty at the end.
    pub(super) legal: Vec<MoveId>,
    /// The joint move of this step, as far as it is known.
    pub(super) joint: Vec<MoveId>,
    /// The place of the role that is asked among those that are played.
    place: usize,
    pub(super) record: Record,
    /// By role, the steps before the step of its last decision, that step included.
    pub(super) decided: Vec<u32>,
    /// By role, at the end.
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

    /// Becomes the play at its start, up to the first decision.
    pub(super) fn start<R: Rng>(&mut self, shared: &Shared, rng: &mut R) -> Result<(), PlayError> {
        let rules = &shared.rules;
        self.evaluator.set_state(rules.start());
        self.place = 0;
        self.record.clear(rules);
        self.decided.fill(0);
        self.proceed(shared, rng)
    }

    /// Becomes the same play as another, without allocating where buffers are long enough.
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

    /// Becomes the play of a role that is asked, as far as its view tells. Where not all is seen, the position is yet to be
    /// made up.
    pub(super) fn become_seen(&mut self, view: &RoleView<'_>) {
        let place = view.shared.roles.iter().position(|&role| role == view.role());
        self.place = place.expect("views are those of roles that are played");
        self.evaluator.set_state(view.state().unwrap_or(view.rules().start()));
        self.next = Next::Asks(view.role());
        self.legal.clear();
        self.legal.extend_from_slice(view.legal());
        self.record.copy_from(view.record);
        // What other roles know is theirs: it is not used, as they were not asked since.
        self.decided.fill(view.num_steps());
        self.decided[view.role().0 as usize] = view.num_known_steps();
    }

    /// Becomes a play that is over, and of which nothing but the goals is known.
    pub(super) fn end_with(&mut self, shared: &Shared, goal: u8) {
        self.next = Next::Over;
        self.legal.clear();
        self.set_goals(shared, goal);
    }

    /// Gives all roles that are played the same goal. That of `random` stays 0, as it would count in sums.
    fn set_goals(&mut self, shared: &Shared, goal: u8) {
        for &role in &shared.roles {
            self.goals[role.0 as usize] = goal;
        }
    }

    /// Goes to a position in which the same role is asked.
    pub(super) fn go_to(&mut self, position: &Position) {
        self.evaluator.set_state(&position.state);
        self.record.copy_from(&position.record);
    }

    /// Draws what the roles chose that were asked before in this step, each uniformly among its legal moves.
    pub(super) fn draw_hidden<R: Rng>(&mut self, shared: &Shared, rng: &mut R) {
        for &role in &shared.roles[..self.place] {
            if let Some(drawn) = self.evaluator.random_legal(role, rng) {
                self.joint[role.0 as usize] = drawn;
            }
        }
    }

    /// The role that is asked does this. Goes on to the next decision or to the end.
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

    /// Goes on to the next decision or to the end. An error leaves a play that is over with 50 for all.
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

    /// The first legal move of a role.
    fn only_move(&self, shared: &Shared, role: RoleId) -> Result<MoveId, PlayError> {
        let none = || PlayError::no_legal_move(&shared.rules, role, self.record.steps);
        self.evaluator.nth_legal(role, 0).ok_or_else(none)
    }

    /// Whether the play is over; if so, the goals are set.
    fn is_over(&mut self, shared: &Shared) -> Result<bool, PlayError> {
        if !self.evaluator.is_terminal() {
            if self.record.steps < shared.cap {
                return Ok(false);
            }
            match shared.at_cap {
                AtCap::Error => return Err(PlayError::Cap { steps: self.record.steps }),
                AtCap::Draw => self.set_goals(shared, 50),
                AtCap::Zero => self.set_goals(shared, 0),
            }
            return Ok(true);
        }
        for &role in &shared.roles {
            let goal = self.evaluator.goal(role);
            self.goals[role.0 as usize] =
                goal.map_err(|why| PlayError::no_goal(&shared.rules, role, why))?;
        }
        Ok(true)
    }

    /// Makes the joint move, to which `random` adds its own.
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

    /// Whether it is the same play, with the same choices that wait.
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
    use std::collections::BTreeMap;

    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    use ruse_gdl::{Limits, rule_file};

    use crate::rule_file::{Beliefs, RoleMove, RuleFile};
    use crate::{AdjustableRules, Game, Imagine, Payoff, SampleAction, Seat, Turn};

    fn file(name: &str) -> RuleFile {
        let text = rule_file(name).expect("a file of the engine").text.as_bytes();
        RuleFile::from_text(name, text, &Limits::default()).expect("a game")
    }

    /// The payoff of a game of random moves.
    fn payoff(game: &RuleFile, seed: u64) -> Payoff {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut state = game.deal(&mut rng);
        let mut action = RoleMove::default();
        loop {
            match game.turn(&state) {
                Turn::Over(payoff) => return payoff,
                Turn::Act(seat) => {
                    game.sample_action(&game.view(&state, seat), &mut rng, &mut action);
                    game.apply(&mut state, seat, &action, &mut rng);
                }
            }
        }
    }

    /// Tables are used again: what was thought at one must not count in the next game.
    #[test]
    fn games_after_a_thought_have_the_payoffs_of_games_before() {
        let game = file("matching_pennies");
        let before: Vec<_> = (0..50).map(|seed| payoff(&game, seed)).collect();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let state = game.deal(&mut rng);
        let view = game.view(&state, Seat::First);
        drop(game.imagine(&Beliefs::default(), Seat::First, &view, &mut rng));
        let after: Vec<_> = (0..50).map(|seed| payoff(&game, seed)).collect();
        assert_eq!(before, after);
        // Goals are 0 and 100, of both sides.
        let possible = [0.0, 0.5, 1.0];
        assert!(after.iter().all(|payoff| possible.contains(&payoff.score())), "{after:?}");
    }

    /// Nobody has won after 3 steps: Pig to 20 takes 4 rolls or more, each followed by a step of the die.
    #[test]
    fn games_that_are_broken_off_are_drawn_beside_chance() {
        let rules = [("steps", 3), ("at-cap", 1)];
        let changes: BTreeMap<String, u64> =
            rules.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let game = file("pig_20").with_rules(&changes).expect("rules");
        assert!((0..20).all(|seed| payoff(&game, seed).score() == 0.5));
        assert_eq!(game.fault(), None);
    }
}
