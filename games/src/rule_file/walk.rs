//! Plays in which the caller chooses all moves, including the moves of `random`, for exhaustive computations.

use ruse_gdl::{AtCap, Evaluator, MoveId, PlayError, RoleId, Rules, State, joint_moves};

use super::record::Record;
use super::{RoleView, RuleFile, Shared};

/// A position of a play, with its history.
#[derive(Debug, Clone)]
pub struct Position {
    pub(super) record: Record,
    pub(super) state: State,
}

impl Position {
    /// Returns the true fluents.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the number of joint moves made.
    pub fn num_steps(&self) -> u32 {
        self.record.steps
    }

    pub(super) fn at_start(rules: &Rules) -> Position {
        Position { record: Record::new(rules), state: rules.start().clone() }
    }

    /// Returns the position after the joint move that `using` has just played from this position.
    pub(super) fn after(&self, using: &Evaluator, roles: &[RoleId], joint: &[MoveId]) -> Position {
        let mut after = self.clone();
        after.record.add(using, roles, joint);
        using.copy_next(&mut after.state);
        after
    }
}

/// A cursor that moves from position to position.
#[derive(Debug, Clone)]
pub struct Walk {
    game: RuleFile,
    evaluator: Evaluator,
    /// The legal moves of each role.
    legal: Vec<Vec<MoveId>>,
}

impl Walk {
    /// Creates a walk through plays of this game.
    pub fn new(game: &RuleFile) -> Walk {
        let rules = game.language_rules();
        let legal = vec![Vec::new(); rules.num_roles()];
        Walk { game: game.clone(), evaluator: Evaluator::new(rules), legal }
    }

    /// Returns the game whose positions the walk visits.
    pub fn game(&self) -> &RuleFile {
        &self.game
    }

    /// Returns the position at the start.
    pub fn start(&self) -> Position {
        Position::at_start(self.game.language_rules())
    }

    /// Enters a position, and returns whether the play is over there.
    ///
    /// # Errors
    ///
    /// Returns an error if the play is not over and a role has no legal move.
    pub fn enter(&mut self, position: &Position) -> Result<bool, PlayError> {
        self.evaluator.set_state(&position.state);
        self.legal.iter_mut().for_each(Vec::clear);
        let shared = &self.game.shared;
        Shared::exhausted(&self.evaluator, position.record.steps)?;
        if self.evaluator.is_terminal() || position.record.steps >= shared.settings.cap {
            return Ok(true);
        }
        for (role, legal) in shared.rules.roles().zip(&mut self.legal) {
            legal.extend(self.evaluator.legal(role));
            if legal.is_empty() {
                let steps = position.record.steps;
                return Err(PlayError::no_legal_move(&shared.rules, role, steps));
            }
        }
        Ok(false)
    }

    /// Returns the legal moves of a role in the position entered last; empty if it is final.
    pub fn legal(&self, role: RoleId) -> &[MoveId] {
        &self.legal[role.0 as usize]
    }

    /// Returns all joint moves in the position entered last, which must not be final. The move of the last role changes
    /// first.
    pub fn joint_moves(&self) -> impl Iterator<Item = Vec<MoveId>> + use<> {
        joint_moves(self.legal.clone())
    }

    /// Returns the view of a role in the position entered last. In the view it is the role's turn, even if the role has no
    /// choice.
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

    /// Returns the goal of a role, 0 to 100, in the position entered last, which must be final.
    ///
    /// # Errors
    ///
    /// Returns an error if the file gives the role no goal or two goals, or if the play reached the cap and the rules
    /// make this an error.
    pub fn goal(&self, role: RoleId) -> Result<u8, PlayError> {
        let shared = &self.game.shared;
        match (self.evaluator.is_terminal(), shared.settings.at_cap) {
            (true, _) => shared.goal(&self.evaluator, role),
            (false, AtCap::Error) => Err(PlayError::Cap { steps: shared.settings.cap }),
            (false, AtCap::Draw) => Ok(50),
            (false, AtCap::Zero) => Ok(0),
        }
    }

    /// Returns the position after a joint move, with one move for each role. `position` must be the position entered
    /// last.
    pub fn after(&mut self, position: &Position, joint: &[MoveId]) -> Position {
        self.evaluator.set_state(&position.state);
        self.evaluator.play(joint);
        position.after(&self.evaluator, &self.game.shared.roles, joint)
    }
}
