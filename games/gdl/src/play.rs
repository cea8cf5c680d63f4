//! Whole games of random moves.

use rand::Rng;
use thiserror::Error;

use crate::evaluator::{Evaluator, GoalRule, NoGoal};
use crate::ids::{MoveId, RoleId};
use crate::rules::Rules;
use crate::state::State;

/// The default limit on the number of steps of a game (limit `steps`).
pub const DEFAULT_STEPS: u32 = 1_000;

/// The reason why a game cannot be played to its end. [`Display`](std::fmt::Display) omits the name of the file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlayError {
    /// A role has no legal move in a state that is not terminal.
    #[error(
        "`{role}` has no legal move, and the game is not over, after {steps} {}",
        if *.steps == 1 { "step" } else { "steps" }
    )]
    NoLegalMove {
        /// The role.
        role: String,
        /// The number of joint moves before that state.
        steps: u32,
    },
    /// A state would take too long to evaluate, because the rules are not grounded.
    #[error("the state after {steps} {} takes too long to evaluate", if *.steps == 1 { "step" } else { "steps" })]
    TooLong {
        /// The number of joint moves before that state.
        steps: u32,
    },
    /// A role has no goal at the end.
    #[error("no goal of `{role}` at the end")]
    NoGoal {
        /// The role.
        role: String,
    },
    /// A role has several goals at the end.
    #[error("two goals of `{role}` at the end: {first} and {second}")]
    TwoGoals {
        /// The role.
        role: String,
        /// The smaller goal.
        first: u8,
        /// The next larger goal.
        second: u8,
    },
    /// The game does not end within the maximum number of steps.
    #[error("not over after {steps} steps (the cap)")]
    Cap {
        /// The maximum number of steps.
        steps: u32,
    },
}

impl PlayError {
    /// Creates the error of a role without a legal move.
    pub fn no_legal_move(rules: &Rules, role: RoleId, steps: u32) -> Self {
        Self::NoLegalMove { role: rules.role_name(role).into(), steps }
    }

    /// Returns the end of a sentence that names the adjustable rules for such games, or an empty text.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoGoal { .. } | Self::TwoGoals { .. } => {
                "; the rule `goals` says what counts then, as in `--rule goals=highest`"
            }
            Self::Cap { .. } => {
                "; the rule `steps` says how long a game may be, and `at-cap` what it is worth then"
            }
            Self::NoLegalMove { .. } | Self::TooLong { .. } => "",
        }
    }

    /// Creates the error of a role without a unique goal at the end.
    pub fn no_goal(rules: &Rules, role: RoleId, why: NoGoal) -> Self {
        let role = rules.role_name(role).into();
        match why {
            NoGoal::None => Self::NoGoal { role },
            NoGoal::Two(first, second) => Self::TwoGoals { role, first, second },
        }
    }
}

/// The result of a game that reaches the maximum number of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AtCap {
    /// The game counts as an error.
    #[default]
    Error,
    /// Every role gets the goal 50.
    Draw,
    /// Every role gets the goal 0.
    Zero,
}

/// Returns all joint moves of roles with these legal moves. The move of the last role changes first.
pub fn joint_moves(legal: Vec<Vec<MoveId>>) -> impl Iterator<Item = Vec<MoveId>> {
    let num_joint = legal.iter().map(|moves| moves.len() as u128).fold(1, u128::saturating_mul);
    (0..num_joint).map(move |mut number| {
        let mut joint = vec![MoveId::default(); legal.len()];
        for (action, moves) in joint.iter_mut().zip(&legal).rev() {
            *action = moves[(number % moves.len() as u128) as usize];
            number /= moves.len() as u128;
        }
        joint
    })
}

/// Draws a number below `n`, uniformly to within `n` / 2^64.
#[inline]
pub(crate) fn below<R: Rng>(n: usize, rng: &mut R) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}

/// Plays random games, in which all roles draw uniformly from their legal moves. Buffers are reused from game to game.
///
/// Each role with two or more legal moves, including `random`, draws one number, in the order of the roles.
#[derive(Debug, Clone)]
pub struct Playouts {
    evaluator: Evaluator,
    joint: Vec<MoveId>,
    goals: Vec<u8>,
    cap: u32,
    at_cap: AtCap,
    goal_rule: GoalRule,
}

impl Playouts {
    /// Creates playouts of a game with at most `cap` steps.
    pub fn new(rules: &Rules, cap: u32, at_cap: AtCap) -> Self {
        Self {
            evaluator: Evaluator::new(rules),
            joint: vec![MoveId::default(); rules.num_roles()],
            goals: vec![0; rules.num_roles()],
            cap,
            at_cap,
            goal_rule: GoalRule::Error,
        }
    }

    /// Sets the rule for roles without a unique goal.
    #[must_use]
    pub fn with_goals(self, goal_rule: GoalRule) -> Self {
        Self { goal_rule, ..self }
    }

    /// Returns the evaluator, in the state in which the last game ended.
    pub fn evaluator(&mut self) -> &mut Evaluator {
        &mut self.evaluator
    }

    /// Returns the goals of the roles at the end of the last game, 0 to 100; 0 for `random`.
    pub fn goals(&self) -> &[u8] {
        &self.goals
    }

    /// Plays from a state to the end, and returns the number of steps.
    ///
    /// # Errors
    ///
    /// Returns an error if the game cannot be played to its end.
    pub fn play<R: Rng>(&mut self, from: &State, rng: &mut R) -> Result<u32, PlayError> {
        self.play_watched(from, rng, |_, _| ())
    }

    /// Like [`Playouts::play`], but calls `watch` with each joint move, once the evaluator has received it and before
    /// the game goes on.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Playouts::play`].
    pub fn play_watched<R: Rng>(
        &mut self,
        from: &State,
        rng: &mut R,
        mut watch: impl FnMut(&Evaluator, &[MoveId]),
    ) -> Result<u32, PlayError> {
        let evaluator = &mut self.evaluator;
        evaluator.set_state(from);
        let mut steps = 0;
        while !evaluator.is_terminal() {
            if evaluator.is_exhausted() {
                return Err(PlayError::TooLong { steps });
            }
            if steps == self.cap {
                let worth = match self.at_cap {
                    AtCap::Error => return Err(PlayError::Cap { steps }),
                    AtCap::Draw => 50,
                    AtCap::Zero => 0,
                };
                self.goals.fill(worth);
                return Ok(steps);
            }
            for (role, action) in self.joint.iter_mut().enumerate() {
                let role = RoleId(role as u8);
                *action = match evaluator.random_legal(role, rng) {
                    Some(action) => action,
                    None => return Err(PlayError::no_legal_move(evaluator.rules(), role, steps)),
                };
            }
            evaluator.play(&self.joint);
            watch(evaluator, &self.joint);
            evaluator.advance();
            steps += 1;
        }
        let random = evaluator.rules().random();
        for (role, goal) in self.goals.iter_mut().enumerate() {
            let role = RoleId(role as u8);
            *goal = match evaluator.goal_by(role, self.goal_rule) {
                _ if random == Some(role) => 0,
                Ok(goal) => goal,
                Err(why) => return Err(PlayError::no_goal(evaluator.rules(), role, why)),
            };
        }
        Ok(steps)
    }
}

impl Evaluator {
    /// Draws a legal move of a role uniformly; a single legal move takes no random number. Returns `None` if no move is
    /// legal.
    #[inline]
    pub fn random_legal<R: Rng>(&self, role: RoleId, rng: &mut R) -> Option<MoveId> {
        match self.num_legal(role) {
            0 => None,
            1 => self.nth_legal(role, 0),
            n => self.nth_legal(role, below(n, rng)),
        }
    }
}
