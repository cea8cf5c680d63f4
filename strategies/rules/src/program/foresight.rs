//! What a move leads to: whether it wins at once, and whether the opponent can then win at once.

use ruse_games::rule_file::RuleFile;
use ruse_gdl::{Evaluator, MoveId, RoleId, State};

use super::lexicon::FactKind;

/// The answers about the moves of one decision, and the engine that finds them.
#[derive(Debug)]
pub(super) struct Foresight {
    now: Evaluator,
    next: Evaluator,
    joint: Vec<MoveId>,
    answers: Vec<MoveId>,
    /// The moves known so far, and what is true of them: for each kind of question, a list in no order.
    known: [Vec<(MoveId, bool)>; 2],
}

impl Foresight {
    pub(super) fn new(game: &RuleFile) -> Foresight {
        let rules = game.language_rules();
        Foresight {
            now: Evaluator::new(rules),
            next: Evaluator::new(rules),
            joint: vec![MoveId::default(); rules.num_roles()],
            answers: Vec::new(),
            known: [Vec::new(), Vec::new()],
        }
    }

    /// Forgets the answers.
    pub(super) fn begin(&mut self) {
        self.known.iter_mut().for_each(Vec::clear);
    }

    /// Returns the answer to a question about a move of a role in a state of a game with complete information.
    ///
    /// If several roles choose, or chance does, what a move leads to is open: it does not win, and is safe.
    pub(super) fn answer(
        &mut self,
        game: &RuleFile,
        (state, role, action): (&State, RoleId, MoveId),
        kind: FactKind,
    ) -> bool {
        let place = usize::from(kind == FactKind::Safe);
        if let Some(&(_, known)) = self.known[place].iter().find(|known| known.0 == action) {
            return known;
        }
        self.now.set_state(state);
        let is_true = if !complete(&self.now, role, action, &mut self.joint) {
            kind == FactKind::Safe
        } else {
            self.now.play(&self.joint);
            self.now.advance();
            match kind {
                FactKind::Safe => self.is_safe(game, role),
                _ => has_won(game, &self.now, role),
            }
        };
        self.known[place].push((action, is_true));
        is_true
    }

    /// Returns whether no other role has won in the state that was reached, or wins by its next move.
    fn is_safe(&mut self, game: &RuleFile, role: RoleId) -> bool {
        if game.plays_alone() {
            return true;
        }
        let others = || game.roles().iter().copied().filter(move |&other| other != role);
        if self.now.is_terminal() {
            return !others().any(|other| has_won(game, &self.now, other));
        }
        for other in others() {
            self.answers.clear();
            self.answers.extend(self.now.legal(other));
            if self.answers.len() < 2 && others().count() > 1 {
                continue;
            }
            for index in 0..self.answers.len() {
                if !complete(&self.now, other, self.answers[index], &mut self.joint) {
                    break;
                }
                self.next.set_state(self.now.state());
                self.next.play(&self.joint);
                self.next.advance();
                if has_won(game, &self.next, other) {
                    return false;
                }
            }
        }
        true
    }
}

/// Completes a move of a role to a joint move. Returns `false` if another role has a choice.
fn complete(evaluator: &Evaluator, role: RoleId, action: MoveId, joint: &mut [MoveId]) -> bool {
    let rules = evaluator.rules();
    rules.roles().all(|other| {
        if other == role {
            joint[other.0 as usize] = action;
            return true;
        }
        let mut legal = evaluator.legal(other);
        let only = legal.next();
        joint[other.0 as usize] = only.unwrap_or_default();
        only.is_some() && legal.next().is_none()
    })
}

/// Returns whether the game is over, and the role has the highest goal that the file gives it.
fn has_won(game: &RuleFile, evaluator: &Evaluator, role: RoleId) -> bool {
    let most = game.language_rules().most_goal(role);
    evaluator.is_terminal() && evaluator.goal_by(role, game.goal_rule()) == Ok(most)
}
