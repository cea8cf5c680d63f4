//! The history of a play.

use ruse_gdl::{Evaluator, History, Information, MoveId, PerceptId, RoleId, Rules, mix};

/// The joint moves of a play so far, and the percepts of the roles.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    /// The number of joint moves made.
    pub(super) steps: u32,
    /// All joint moves, one after the other.
    moves: Vec<MoveId>,
    /// All percepts of all roles; empty with complete information.
    percepts: Vec<PerceptId>,
    /// For each step and role, the end of the role's percepts in `percepts`.
    percept_ends: Vec<u32>,
    pub(super) histories: Vec<History>,
    /// For each role, a hash of its legal moves in the steps so far; 0 with complete information.
    lists: Vec<u64>,
}

/// Returns the sum of the keys of moves.
pub(super) fn sum_of(rules: &Rules, role: RoleId, moves: impl Iterator<Item = MoveId>) -> u64 {
    moves.fold(0, |sum, action| sum.wrapping_add(rules.move_key(role, action)))
}

impl Record {
    pub(super) fn new(rules: &Rules) -> Record {
        Record {
            steps: 0,
            moves: Vec::new(),
            percepts: Vec::new(),
            percept_ends: Vec::new(),
            histories: rules.roles().map(|role| History::new(rules, role)).collect(),
            lists: vec![0; rules.num_roles()],
        }
    }

    pub(super) fn clear(&mut self, rules: &Rules) {
        self.steps = 0;
        self.moves.clear();
        self.percepts.clear();
        self.percept_ends.clear();
        for (history, role) in self.histories.iter_mut().zip(rules.roles()) {
            *history = History::new(rules, role);
        }
        self.lists.fill(0);
    }

    /// Copies another record, without allocating if the buffers are long enough.
    pub(super) fn copy_from(&mut self, other: &Record) {
        self.steps = other.steps;
        self.moves.clone_from(&other.moves);
        self.percepts.clone_from(&other.percepts);
        self.percept_ends.clone_from(&other.percept_ends);
        self.histories.clone_from(&other.histories);
        self.lists.clone_from(&other.lists);
    }

    /// Adds the joint move that was just played. The evaluator still has the legal moves before this move.
    #[inline]
    pub(super) fn add(&mut self, evaluator: &Evaluator, roles: &[RoleId], joint: &[MoveId]) {
        let rules = evaluator.rules();
        self.moves.extend_from_slice(joint);
        for &role in roles {
            self.histories[role.0 as usize].observe(evaluator, role, joint);
        }
        if rules.information() == Information::Percepts {
            for role in rules.roles() {
                if Some(role) != rules.random() {
                    self.percepts.extend(evaluator.percepts(role));
                    self.lists[role.0 as usize] =
                        self.lists_with(rules, role, evaluator.legal(role));
                }
                self.percept_ends.push(self.percepts.len() as u32);
            }
        }
        self.steps += 1;
    }

    /// Returns the hash of the legal moves of a role in the steps so far and in the present step.
    fn lists_with(&self, rules: &Rules, role: RoleId, legal: impl Iterator<Item = MoveId>) -> u64 {
        mix(self.lists[role.0 as usize] ^ sum_of(rules, role, legal))
    }

    /// Returns a hash of what a role knows if these moves are legal now ([`RoleView::key`](super::RoleView::key)).
    pub(super) fn key(&self, rules: &Rules, role: RoleId, legal: &[MoveId]) -> u64 {
        let history = self.histories[role.0 as usize].0;
        match rules.information() {
            Information::Complete => history,
            Information::Percepts => {
                mix(history ^ self.lists_with(rules, role, legal.iter().copied()))
            }
        }
    }

    /// Adds a step as one role knows it: its legal moves, its own move and its percepts, in increasing order. The moves
    /// and percepts of the other roles are unknown, and so are their histories.
    pub(super) fn add_seen(
        &mut self,
        rules: &Rules,
        role: RoleId,
        legal: &[MoveId],
        own: MoveId,
        percepts: &[PerceptId],
    ) {
        self.lists[role.0 as usize] = self.lists_with(rules, role, legal.iter().copied());
        for other in rules.roles() {
            let is_own = other == role;
            self.moves.push(if is_own { own } else { MoveId::default() });
            self.percepts.extend_from_slice(if is_own { percepts } else { &[] });
            self.percept_ends.push(self.percepts.len() as u32);
        }
        let keys = percepts.iter().map(|&percept| rules.percept_key(role, percept));
        let sum = keys.fold(0_u64, u64::wrapping_add);
        self.histories[role.0 as usize].add(rules.move_key(role, own), sum);
        self.steps += 1;
    }

    /// Returns the move and the percepts of a role at a step, counted from 0.
    #[inline]
    pub(super) fn at_step(&self, role: RoleId, step: u32) -> (MoveId, &[PerceptId]) {
        let index = step as usize * self.histories.len() + role.0 as usize;
        let percepts = match self.percept_ends.get(index) {
            None => &[][..],
            Some(&end) => {
                let start = index.checked_sub(1).map_or(0, |before| self.percept_ends[before]);
                &self.percepts[start as usize..end as usize]
            }
        };
        (self.moves[index], percepts)
    }

    /// Returns the joint move of a step, counted from 0.
    pub(super) fn joint_move(&self, step: u32) -> &[MoveId] {
        let num_roles = self.histories.len();
        let start = step as usize * num_roles;
        &self.moves[start..start + num_roles]
    }
}
