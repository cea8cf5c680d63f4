//! Stages: all joint decisions of a state, with their successors.

use ruse_gdl::{Evaluator, MoveId, RoleId, State};

/// Finds all joint decisions of a state with their successors.
pub(super) trait SolveStage: Send {
    /// Fills an empty stage. On entry, the evaluator is in `state`, which is not final and gives each role a legal
    /// move. On exit it may be in another state.
    fn solve(&mut self, state: &State, evaluator: &mut Evaluator, stage: &mut Stage);
}

/// The joint moves of a state and their successors.
#[derive(Debug, Default)]
pub(super) struct Stage {
    /// The legal moves of each role, in increasing order.
    pub(super) legal: Vec<Vec<MoveId>>,
    /// The joint moves, one after the other, each with a move of every role. They are sorted by joint decision, where
    /// the move of the last role changes first, and then by move of chance.
    pub(super) joint: Vec<MoveId>,
    /// The successors: the words of the state after each joint move.
    pub(super) successors: Vec<u64>,
    pub(super) num_arms: u32,
    pub(super) num_chance: u32,
}

impl Stage {
    /// Resets the stage to the legal moves and the joint moves, without successors.
    pub(super) fn begin(&mut self, evaluator: &Evaluator) {
        self.begin_wide(evaluator);
        self.list_joint_moves(evaluator.rules().random());
    }

    /// Resets the stage to the legal moves, for a state with too many joint moves to list.
    pub(super) fn begin_wide(&mut self, evaluator: &Evaluator) {
        let rules = evaluator.rules();
        self.legal.resize_with(rules.num_roles(), Vec::new);
        for (role, legal) in rules.roles().zip(&mut self.legal) {
            legal.clear();
            legal.extend(evaluator.legal(role));
        }
        self.joint.clear();
        self.successors.clear();
        (self.num_arms, self.num_chance) = (0, 0);
    }

    /// Fills the list of joint moves from the legal moves.
    fn list_joint_moves(&mut self, random: Option<RoleId>) {
        let Stage { legal, joint, .. } = self;
        joint.clear();
        let of_chance: &[MoveId] = random.map_or(&[], |random| &legal[random.0 as usize]);
        self.num_chance = of_chance.len().max(1) as u32;
        let is_chance = |role: usize| random.is_some_and(|random| random.0 as usize == role);
        let sizes = legal.iter().enumerate();
        let sizes = sizes.map(|(role, moves)| if is_chance(role) { 1 } else { moves.len() });
        self.num_arms = sizes.product::<usize>() as u32;
        for arm in 0..self.num_arms {
            for chance in 0..self.num_chance {
                let start = joint.len();
                joint.resize(start + legal.len(), MoveId::default());
                let mut left = arm as usize;
                for (role, moves) in legal.iter().enumerate().rev() {
                    joint[start + role] = if is_chance(role) {
                        of_chance[chance as usize]
                    } else {
                        let choice = moves[left % moves.len()];
                        left /= moves.len();
                        choice
                    };
                }
            }
        }
    }

    /// Returns the number of joint moves without listing them.
    pub(super) fn num_joint_moves(evaluator: &Evaluator) -> u64 {
        let roles = evaluator.rules().roles();
        roles.map(|role| evaluator.num_legal(role) as u64).fold(1, u64::saturating_mul)
    }
}

/// Solves stages with the engine: lists the legal moves, and makes a step with each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forward;

impl SolveStage for Forward {
    fn solve(&mut self, state: &State, evaluator: &mut Evaluator, stage: &mut Stage) {
        stage.begin(evaluator);
        let mut next = state.clone();
        for joint in stage.joint.chunks_exact(stage.legal.len()) {
            evaluator.play(joint);
            evaluator.copy_next(&mut next);
            stage.successors.extend_from_slice(next.words());
        }
    }
}
