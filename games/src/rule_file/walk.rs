//! Plays of which every step is chosen from outside, chance included: for computations that go through all of them.

use ruse_gdl::{AtCap, Evaluator, MoveId, PlayError, RoleId, Rules, State};

use super::record::Record;
use super::{RoleView, RuleFile};

/// Where a play stands, and how it came there.
#[derive(Debug, Clone)]
pub struct Position {
    pub(super) record: Record,
    pub(super) state: State,
}

impl Position {
    /// What is true.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Joint moves made.
    pub fn num_steps(&self) -> u32 {
        self.record.steps
    }

    pub(super) fn at_start(rules: &Rules) -> Position {
        Position { record: Record::new(rules), state: rules.start().clone() }
    }

    /// The position after the joint move that an evaluator was given here.
    pub(super) fn after(
        &self,
        evaluator: &Evaluator,
        roles: &[RoleId],
        joint: &[MoveId],
    ) -> Position {
        let mut after = self.clone();
        after.record.add(evaluator, roles, joint);
        evaluator.copy_next(&mut after.state);
        after
    }
}

/// Goes from position to position.
#[derive(Debug, Clone)]
pub struct Walk {
    game: RuleFile,
    evaluator: Evaluator,
    /// Of each role.
    legal: Vec<Vec<MoveId>>,
}

impl Walk {
    /// Through plays of this game.
    pub fn new(game: &RuleFile) -> Walk {
        let rules = game.language_rules();
        let legal = vec![Vec::new(); rules.num_roles()];
        Walk { game: game.clone(), evaluator: Evaluator::new(rules), legal }
    }

    /// The game.
    pub fn game(&self) -> &RuleFile {
        &self.game
    }

    /// The position at the start.
    pub fn start(&self) -> Position {
        Position::at_start(self.game.language_rules())
    }

    /// Goes to a position. Tells whether the play is over there.
    ///
    /// # Errors
    ///
    /// When it is not, and a role has no legal move.
    pub fn enter(&mut self, position: &Position) -> Result<bool, PlayError> {
        self.evaluator.set_state(&position.state);
        let shared = &self.game.shared;
        if self.evaluator.is_terminal() || position.record.steps >= shared.cap {
            return Ok(true);
        }
        for (role, legal) in shared.rules.roles().zip(&mut self.legal) {
            legal.clear();
            legal.extend(self.evaluator.legal(role));
            if legal.is_empty() {
                let steps = position.record.steps;
                return Err(PlayError::no_legal_move(&shared.rules, role, steps));
            }
        }
        Ok(false)
    }

    /// What a role may do in the position entered last, which is not the end.
    pub fn legal(&self, role: RoleId) -> &[MoveId] {
        &self.legal[role.0 as usize]
    }

    /// What a role knows in the position entered last, which is not the end. It is asked, whether or not it has a choice.
    pub fn view<'a>(&'a self, position: &'a Position, role: RoleId) -> RoleView<'a> {
        let lone_role = self.game.shared.roles[0];
        RoleView {
            shared: &self.game.shared,
            record: &position.record,
            state: &position.state,
            legal: &self.legal[role.0 as usize],
            is_asked: true,
            num_known_steps: position.record.steps,
            role,
            lone_role,
        }
    }

    /// The goal of a role in the position entered last, which is the end, 0 to 100.
    ///
    /// # Errors
    ///
    /// When the file gives it none or two, or does not end.
    pub fn goal(&self, role: RoleId) -> Result<u8, PlayError> {
        let shared = &self.game.shared;
        match (self.evaluator.is_terminal(), shared.at_cap) {
            (true, _) => {
                let goal = self.evaluator.goal(role);
                goal.map_err(|why| PlayError::no_goal(&shared.rules, role, why))
            }
            (false, AtCap::Error) => Err(PlayError::Cap { steps: shared.cap }),
            (false, AtCap::Draw) => Ok(50),
            (false, AtCap::Zero) => Ok(0),
        }
    }

    /// The position after a joint move, one move of each role, from the position entered last, which this is.
    pub fn after(&mut self, position: &Position, joint: &[MoveId]) -> Position {
        self.evaluator.set_state(&position.state);
        self.evaluator.play(joint);
        position.after(&self.evaluator, &self.game.shared.roles, joint)
    }
}
