//! A play that happens elsewhere, such as at a match server, as one role follows it.

use rand::Rng;
use ruse_gdl::{Evaluator, Information, MoveId, NoGoal, PerceptId, PlayError, RoleId, State};

use super::belief::Belief;
use super::record::Record;
use super::{RoleView, RuleFile, Shared};
use crate::Seat;

/// A play as one role follows it: by all moves if information is complete, otherwise by its own moves and its percepts.
///
/// Texts are canonical: words in lower case, with one space between words and no other.
///
/// Without complete information, the legal moves of the role are the legal moves in the states that agree with what it
/// was told. The language demands that a role knows its legal moves, so these states have the same legal moves. In some
/// files they differ, for example if a role does not see that the other failed and has another turn; then the legal moves
/// in most of the states found count.
#[derive(Debug)]
pub struct Follower {
    game: RuleFile,
    role: RoleId,
    record: Record,
    /// The true state with complete information; otherwise the initial state.
    state: State,
    evaluator: Evaluator,
    /// The plays that agree with what the role was told; unused with complete information.
    belief: Option<Belief>,
    legal: Vec<MoveId>,
    is_ready: bool,
}

/// The reason why a step cannot be part of a play.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError {
    /// The step has a wrong number of moves.
    #[error("a step has {expected} moves, one for each role, and not {found}")]
    NumMoves {
        /// The number of roles.
        expected: usize,
        /// The number of moves.
        found: usize,
    },
    /// The role never has the move.
    #[error("`{role}` has no move `{found}` in this game")]
    Move {
        /// The name of the role.
        role: String,
        /// The text of the move.
        found: String,
    },
    /// The move is not legal in the state before the step.
    #[error("`{role}` may not do `{found}` in step {step}")]
    Illegal {
        /// The name of the role.
        role: String,
        /// The text of the move.
        found: String,
        /// The number of the step, counted from 1.
        step: u32,
    },
    /// The role never has the percept.
    #[error("`{role}` has no percept `{found}` in this game")]
    Percept {
        /// The name of the role.
        role: String,
        /// The text of the percept.
        found: String,
    },
    /// The rules do not say how the play continues.
    #[error(transparent)]
    Play(#[from] PlayError),
}

impl Follower {
    /// Creates a play at its start, followed by the role with this name. Returns `None` if there is no such role, or
    /// if the role is `random`.
    pub fn new(game: &RuleFile, role: &str) -> Option<Follower> {
        let rules = game.language_rules();
        let role = game.roles().iter().copied().find(|&known| rules.role_name(known) == role)?;
        let mut follower = Follower {
            role,
            record: Record::new(rules),
            state: rules.start().clone(),
            evaluator: Evaluator::new(rules),
            belief: None,
            legal: Vec::new(),
            is_ready: false,
            game: game.clone(),
        };
        if !follower.sees_all() {
            let belief = Belief::new(&follower.view());
            follower.belief = Some(belief);
        }
        Some(follower)
    }

    /// Returns `true` if the game has complete information.
    pub fn sees_all(&self) -> bool {
        self.game.language_rules().information() == Information::Complete
    }

    /// Returns the seat of the role, for players. With three or more roles the role is alone in its seat.
    pub fn seat(&self) -> Seat {
        let is_second = self.game.roles().get(1) == Some(&self.role);
        match is_second && self.game.roles().len() == 2 && !self.game.plays_alone() {
            true => Seat::Second,
            false => Seat::First,
        }
    }

    /// Returns the number of steps so far.
    pub fn num_steps(&self) -> u32 {
        self.record.steps
    }

    /// Returns the number of steps in which no play agreed with the percepts of the role.
    pub fn lost(&self) -> u64 {
        self.belief.as_ref().map_or(0, |belief| belief.lost)
    }

    /// Adds a step in a game with complete information: the moves of all roles, in the order of the file.
    ///
    /// # Errors
    ///
    /// Returns an error, and adds nothing, if the moves are not legal.
    ///
    /// # Panics
    ///
    /// Panics if the game has hidden information.
    pub fn add_moves<T: AsRef<str>>(&mut self, moves: &[T]) -> Result<(), FollowError> {
        assert!(self.sees_all(), "the moves of others are hidden");
        let shared = &self.game.shared;
        let rules = &shared.rules;
        if moves.len() != rules.num_roles() {
            let (expected, found) = (rules.num_roles(), moves.len());
            return Err(FollowError::NumMoves { expected, found });
        }
        self.evaluator.set_state(&self.state);
        let mut joint = Vec::with_capacity(moves.len());
        for (role, text) in rules.roles().zip(moves) {
            let action = find_move(shared, role, text.as_ref())?;
            if !self.evaluator.is_legal(role, action) || self.evaluator.is_terminal() {
                return Err(FollowError::Illegal {
                    role: rules.role_name(role).into(),
                    found: text.as_ref().into(),
                    step: self.record.steps + 1,
                });
            }
            joint.push(action);
        }
        self.evaluator.play(&joint);
        self.record.add(&self.evaluator, &shared.roles, &joint);
        self.evaluator.copy_next(&mut self.state);
        self.is_ready = false;
        Ok(())
    }

    /// Adds a step in a game with hidden information: the role's own move and its percepts, in any order.
    ///
    /// # Errors
    ///
    /// Returns an error, and adds nothing, if the role has no such move or percept.
    ///
    /// # Panics
    ///
    /// Panics if the game has complete information.
    pub fn add_percepts<T: AsRef<str>>(&mut self, own: &str, new: &[T]) -> Result<(), FollowError> {
        assert!(!self.sees_all(), "all moves are seen");
        let rules = &self.game.shared.rules;
        let own = find_move(&self.game.shared, self.role, own)?;
        let find = |text: &T| {
            let mut all = (0..rules.num_percepts(self.role) as u32).map(PerceptId);
            let found = all.find(|&known| rules.percept_text(self.role, known) == text.as_ref());
            found.ok_or_else(|| FollowError::Percept {
                role: rules.role_name(self.role).into(),
                found: text.as_ref().into(),
            })
        };
        let mut new = new.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        new.sort_unstable();
        new.dedup();
        // A role that did not ask for its legal moves had no choice.
        let legal = if self.is_ready { &*self.legal } else { &[own] };
        self.record.add_seen(rules, self.role, legal, own, &new);
        self.is_ready = false;
        Ok(())
    }

    /// Determines the legal moves of the role; [`view`](Follower::view) shows them. `rng` draws what is hidden from the
    /// role.
    ///
    /// # Errors
    ///
    /// Returns an error if the role has no legal move.
    pub fn find_legal<R: Rng>(&mut self, rng: &mut R) -> Result<(), FollowError> {
        if self.is_ready {
            return Ok(());
        }
        let Follower { game, role, record, state, evaluator, belief, legal, is_ready } = self;
        let view = view_of(game, *role, record, state, None);
        legal.clear();
        match belief {
            None => {
                evaluator.set_state(state);
                legal.extend(evaluator.legal(*role));
            }
            Some(belief) => {
                belief.follow(&view, evaluator, rng);
                *legal = usual_legal(belief, *role, evaluator);
            }
        }
        Shared::exhausted(evaluator, record.steps)?;
        if legal.is_empty() {
            return Err(PlayError::no_legal_move(&game.shared.rules, *role, record.steps).into());
        }
        *is_ready = true;
        Ok(())
    }

    /// Returns the view of the role. It is the role's turn, even if the role has no choice, if the legal moves
    /// [were found](Follower::find_legal) after the last step.
    pub fn view(&self) -> RoleView<'_> {
        let legal = self.is_ready.then_some(&*self.legal);
        view_of(&self.game, self.role, &self.record, &self.state, legal)
    }

    /// Returns the goal of the role, 0 to 100, if the game has complete information, is over, and gives the role a
    /// goal.
    pub fn goal(&mut self) -> Option<u8> {
        if !self.sees_all() {
            return None;
        }
        self.evaluator.set_state(&self.state);
        let goal: Result<u8, NoGoal> = self.evaluator.goal_by(self.role, self.game.goal_rule());
        goal.ok().filter(|_| self.evaluator.is_terminal())
    }
}

fn find_move(shared: &Shared, role: RoleId, text: &str) -> Result<MoveId, FollowError> {
    let role_name = || shared.rules.role_name(role).to_string();
    let unknown = || FollowError::Move { role: role_name(), found: text.into() };
    shared.rules.find_move(role, text).ok_or_else(unknown)
}

fn view_of<'a>(
    game: &'a RuleFile,
    role: RoleId,
    record: &'a Record,
    state: &'a State,
    legal: Option<&'a [MoveId]>,
) -> RoleView<'a> {
    let shared = &*game.shared;
    let lone_role = if shared.roles.len() > 2 { role } else { shared.roles[0] };
    RoleView {
        shared,
        record,
        state,
        legal: legal.unwrap_or_default(),
        is_asked: legal.is_some(),
        num_known_steps: record.steps,
        role,
        lone_role,
    }
}

/// Returns the legal moves of a role in most of the plays that are not over.
fn usual_legal(belief: &Belief, role: RoleId, evaluator: &mut Evaluator) -> Vec<MoveId> {
    let mut counts: Vec<(Vec<MoveId>, usize)> = Vec::new();
    for play in &belief.plays {
        evaluator.set_state(&play.state);
        if evaluator.is_terminal() {
            continue;
        }
        let legal: Vec<MoveId> = evaluator.legal(role).collect();
        match counts.iter_mut().find(|(known, _)| *known == legal) {
            Some((_, count)) => *count += 1,
            None => counts.push((legal, 1)),
        }
    }
    // The first of the most frequent: the result does not depend on the order of a map.
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or_default();
    counts.into_iter().find(|(_, count)| *count == most).map(|(legal, _)| legal).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    use ruse_gdl::RULE_FILES;

    use super::*;
    use crate::rule_file::{RoleMove, tests};
    use crate::{Game, SampleAction, Turn};

    /// Tells the follower of the steps that it does not know yet.
    fn tell(follower: &mut Follower, view: &RoleView<'_>) {
        let (rules, role) = (view.rules(), view.role());
        while follower.num_steps() < view.num_steps() {
            let step = view.step(follower.num_steps());
            let added = match step.joint {
                Some(joint) => {
                    let moves = rules.roles().zip(joint);
                    let moves = moves.map(|(role, &action)| rules.move_text(role, action));
                    follower.add_moves(&moves.collect::<Vec<_>>())
                }
                None => {
                    // The order does not matter.
                    let percepts = step.percepts.iter().rev();
                    let percepts = percepts.map(|&percept| rules.percept_text(role, percept));
                    let own = rules.move_text(role, step.own);
                    follower.add_percepts(own, &percepts.collect::<Vec<_>>())
                }
            };
            added.expect("a step of a play");
        }
    }

    /// A file in which a role does not see whether the other has failed, so that it does not know whose turn it is.
    const HIDES_TURNS: &str = "phantom_tic_tac_toe_try_again";

    /// Roles that are told the moves, or their percepts, have the same views as in the game itself: the same history,
    /// steps and legal moves.
    #[test]
    fn views_are_those_of_the_game() {
        let mut num_views = 0;
        for file in RULE_FILES {
            let game = tests::file(file.name);
            for seed in 0..3 {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                let mut own_rng = rng.clone();
                let mut state = game.deal(&mut rng);
                let mut followers: Vec<(Seat, Follower)> = Vec::new();
                let mut action = RoleMove::default();
                while let Turn::Act(seat) = game.turn(&state) {
                    let view = game.view(&state, seat);
                    let role = game.language_rules().role_name(view.role());
                    let is_known =
                        |known: &(Seat, Follower)| known.0 == seat && known.1.role == view.role();
                    let index = followers.iter().position(is_known).unwrap_or_else(|| {
                        let follower = Follower::new(&game, role).expect("a role");
                        followers.push((seat, follower));
                        followers.len() - 1
                    });
                    let follower = &mut followers[index].1;
                    tell(follower, &view);
                    follower.find_legal(&mut own_rng).expect("legal moves");
                    let followed = follower.view();
                    assert_eq!(followed.history(), view.history(), "{}", file.name);
                    assert!(followed.steps().eq(view.steps()), "{}", file.name);
                    assert_eq!(followed.state(), view.state(), "{}", file.name);
                    // Where no play was found that agrees with the percepts, the legal moves are a guess.
                    if follower.lost() == 0 && file.name != HIDES_TURNS {
                        assert_eq!(follower.view().legal(), view.legal(), "{}", file.name);
                        assert_eq!(follower.view().key(), view.key(), "{}", file.name);
                        num_views += 1;
                    }
                    game.sample_action(&view, &mut rng, &mut action);
                    game.apply(&mut state, seat, &action, &mut rng);
                }
            }
        }
        assert!(num_views > 500, "{num_views}");
    }

    #[test]
    fn steps_that_cannot_be_are_refused() {
        let game = tests::file("tic_tac_toe");
        assert!(Follower::new(&game, "z").is_none());
        let mut follower = Follower::new(&game, "o").expect("a role");
        assert_eq!(follower.seat(), Seat::Second);
        for (moves, message) in [
            (&["(mark 1 1)"][..], "a step has 2 moves, one for each role, and not 1"),
            (&["(mark 4 1)", "noop"][..], "`x` has no move `(mark 4 1)` in this game"),
            (&["noop", "noop"][..], "`x` may not do `noop` in step 1"),
        ] {
            assert_eq!(follower.add_moves(moves).expect_err(message).to_string(), message);
        }
        // x marks the first row.
        for (index, moves) in [
            ["(mark 1 1)", "noop"],
            ["noop", "(mark 2 1)"],
            ["(mark 1 2)", "noop"],
            ["noop", "(mark 2 2)"],
            ["(mark 1 3)", "noop"],
        ]
        .iter()
        .enumerate()
        {
            assert_eq!(follower.goal(), None);
            follower.add_moves(moves).unwrap_or_else(|error| panic!("{index}: {error}"));
        }
        assert_eq!(follower.goal(), Some(0));
        let error = follower.add_moves(&["noop", "(mark 3 3)"]).expect_err("the game is over");
        assert_eq!(error.to_string(), "`x` may not do `noop` in step 6");
    }
}
