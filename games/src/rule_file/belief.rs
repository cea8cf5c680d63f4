//! The beliefs of a role about what it does not see.

use std::cell::RefCell;

use rand::Rng;
use ruse_gdl::{Evaluator, Information, MoveId, RoleId};

use super::course::Course;
use super::walk::Position;
use super::{RoleView, RuleFile, RuleFileState, Shared, below};
use crate::imagine::key_of;
use crate::{Imagine, Seat};

/// The number of possible plays that a role tracks, all equally likely.
const PARTICLES: usize = 256;

/// The maximum number of attempts in a step to find plays that agree with the percepts. If they find too few plays,
/// copies fill the list.
const TRIES: usize = 16 * PARTICLES;

/// The plays that a seat considers possible. They are computed from views and cached.
///
/// A particle filter tracks a number of plays from the start. In each play the role makes its actual moves, and all
/// other roles and `random` move at random. A play with other percepts is dropped.
#[derive(Debug, Default)]
pub struct Beliefs {
    of_roles: RefCell<Vec<Belief>>,
}

/// The beliefs of one role.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    role: RoleId,
    /// The number of steps of each play; `prefix` is the hash of these steps.
    steps: u32,
    prefix: u64,
    pub(super) plays: Vec<Position>,
    /// The number of steps in which no play agreed with the role's percepts.
    pub(super) lost: u64,
}

impl Clone for Beliefs {
    fn clone(&self) -> Beliefs {
        Beliefs { of_roles: self.of_roles.clone() }
    }
}

impl Beliefs {
    /// Returns the number of steps in which no tracked play agreed with the percepts. The beliefs ignore the percepts
    /// of such a step.
    pub fn lost(&self) -> u64 {
        self.of_roles.borrow().iter().map(|belief| belief.lost).sum()
    }

    /// Sets `course` to a random play that the role considers possible.
    fn draw<R: Rng>(&self, view: &RoleView<'_>, course: &mut Course, rng: &mut R) {
        let mut of_roles = self.of_roles.borrow_mut();
        let known = of_roles.iter().position(|belief| belief.role == view.role());
        let index = known.unwrap_or_else(|| {
            of_roles.push(Belief::new(view));
            of_roles.len() - 1
        });
        let belief = &mut of_roles[index];
        belief.follow(view, &mut course.evaluator, rng);
        course.go_to(&belief.plays[below(belief.plays.len(), rng)]);
    }
}

/// Returns a hash of the role's moves and percepts in the first `steps` steps.
fn prefix(view: &RoleView<'_>, steps: u32) -> u64 {
    (0..steps).fold(0, |key, index| {
        let step = view.step(index);
        let percepts = step.percepts.iter().fold(1, |key, percept| key_of([key, percept.0.into()]));
        key_of([key, step.own.0.into(), percepts])
    })
}

impl Belief {
    pub(super) fn new(view: &RoleView<'_>) -> Belief {
        let plays = vec![Position::at_start(view.rules())];
        Belief { role: view.role(), steps: 0, prefix: prefix(view, 0), plays, lost: 0 }
    }

    /// Advances the plays to the step of the view. Restarts if the view does not continue the tracked history. Unless it
    /// is the role's turn in the view, the legal moves after the last step are unknown.
    pub(super) fn follow<R: Rng>(
        &mut self,
        view: &RoleView<'_>,
        evaluator: &mut Evaluator,
        rng: &mut R,
    ) {
        if self.steps > view.num_steps() || self.prefix != prefix(view, self.steps) {
            *self = Belief { lost: self.lost, ..Belief::new(view) };
        }
        if self.steps == view.num_steps() {
            return;
        }
        while self.steps < view.num_steps() {
            let is_now = self.steps + 1 == view.num_steps();
            let legal_then = (is_now && view.is_asked()).then_some(view.legal());
            self.make_step(view, legal_then, evaluator, rng);
            self.steps += 1;
        }
        self.prefix = prefix(view, self.steps);
    }

    /// Advances all plays by one step. `legal_then` contains the legal moves of the role after this step, if they are
    /// known.
    fn make_step<R: Rng>(
        &mut self,
        view: &RoleView<'_>,
        legal_then: Option<&[MoveId]>,
        evaluator: &mut Evaluator,
        rng: &mut R,
    ) {
        let (step, roles) = (view.step(self.steps), &view.shared.roles);
        let mut survivors = Vec::with_capacity(PARTICLES);
        let mut joint = vec![MoveId::default(); view.rules().num_roles()];
        for attempt in 0..TRIES {
            let from = match attempt {
                first if first < self.plays.len() => first,
                _ => below(self.plays.len(), rng),
            };
            let before = &self.plays[from];
            evaluator.set_state(&before.state);
            let own = evaluator.is_legal(self.role, step.own).then_some(step.own);
            if own.is_none() || !play_at_random(evaluator, self.role, own, &mut joint, rng) {
                continue;
            }
            if !evaluator.percepts(self.role).eq(step.percepts.iter().copied()) {
                continue;
            }
            let after = before.after(evaluator, roles, &joint);
            evaluator.advance();
            if agrees(evaluator, self.role, legal_then) {
                survivors.push(after);
                if survivors.len() == PARTICLES {
                    break;
                }
            }
        }
        if survivors.is_empty() {
            let (view, num_steps, left) = (*view, self.steps + 1, SEARCHED);
            survivors = Search { view, num_steps, legal_then, evaluator, left }.plays(rng);
        }
        if survivors.is_empty() {
            self.lost += 1;
            for play in &mut self.plays {
                evaluator.set_state(&play.state);
                let own = evaluator.is_legal(self.role, step.own).then_some(step.own);
                if play_at_random(evaluator, self.role, own, &mut joint, rng) {
                    *play = play.after(evaluator, roles, &joint);
                }
            }
            return;
        }
        // Copies of survivors fill the list up to the full number of plays.
        let found = survivors.len();
        for _ in found..PARTICLES {
            survivors.push(survivors[below(found, rng)].clone());
        }
        self.plays = survivors;
    }
}

/// The maximum number of joint moves made while searching for plays.
const SEARCHED: u64 = 100_000;

/// The number of plays to search for.
const WANTED: usize = 32;

/// The maximum number of joint moves tried in one position.
const BRANCHES: usize = 1_000;

/// A search from the start, in random order, for plays that agree with the role's moves and percepts. The particle
/// filter uses it after losing all plays, for example because none of them contains the fleet that the opponent placed
/// long ago.
struct Search<'a> {
    view: RoleView<'a>,
    num_steps: u32,
    legal_then: Option<&'a [MoveId]>,
    evaluator: &'a mut Evaluator,
    left: u64,
}

impl Search<'_> {
    /// Returns up to [`WANTED`] plays, each found by a separate search.
    fn plays<R: Rng>(mut self, rng: &mut R) -> Vec<Position> {
        let start = Position::at_start(self.view.rules());
        std::iter::from_fn(|| self.play_from(&start, rng)).take(WANTED).collect()
    }

    /// Continues a play from `position` in agreement with the role's moves and percepts. Returns `None` if there is no
    /// such play, or if the budget of joint moves is used up.
    fn play_from<R: Rng>(&mut self, position: &Position, rng: &mut R) -> Option<Position> {
        let (role, index) = (self.view.role(), position.num_steps());
        self.evaluator.set_state(&position.state);
        if index == self.num_steps {
            return agrees(self.evaluator, role, self.legal_then).then(|| position.clone());
        }
        let step = self.view.step(index);
        if self.evaluator.is_terminal() || !self.evaluator.is_legal(role, step.own) {
            return None;
        }
        let choices: Vec<Vec<MoveId>> = self
            .view
            .rules()
            .roles()
            .map(|other| match other == role {
                true => vec![step.own],
                false => self.evaluator.legal(other).collect(),
            })
            .collect();
        let num_joint = choices.iter().map(Vec::len).fold(1_usize, usize::saturating_mul);
        // Lists all joint moves in random order, or a sample if there are too many.
        let mut numbers: Vec<usize> = match num_joint {
            0..=BRANCHES => (0..num_joint).collect(),
            _ => (0..BRANCHES).map(|_| below(num_joint, rng)).collect(),
        };
        crate::shuffle(&mut numbers, rng);
        for mut number in numbers {
            self.left = self.left.checked_sub(1)?;
            let joint: Vec<MoveId> = choices
                .iter()
                .map(|moves| {
                    let chosen = moves[number % moves.len()];
                    number /= moves.len();
                    chosen
                })
                .collect();
            self.evaluator.set_state(&position.state);
            self.evaluator.play(&joint);
            if self.evaluator.percepts(role).eq(step.percepts.iter().copied()) {
                let after = position.after(self.evaluator, &self.view.shared.roles, &joint);
                if let Some(play) = self.play_from(&after, rng) {
                    return Some(play);
                }
            }
        }
        None
    }
}

/// Returns whether `legal` are the legal moves of `role` in the state of the evaluator, or are not known. If they are known,
/// the role has another turn, so the game must not be over.
fn agrees(evaluator: &Evaluator, role: RoleId, legal: Option<&[MoveId]>) -> bool {
    legal.is_none_or(|legal| {
        !evaluator.is_terminal() && evaluator.legal(role).eq(legal.iter().copied())
    })
}

/// Plays a joint move in which `role` makes the move `own`, if given, and all other roles move at random. Returns
/// whether there is such a joint move.
fn play_at_random<R: Rng>(
    evaluator: &mut Evaluator,
    role: RoleId,
    own: Option<MoveId>,
    joint: &mut [MoveId],
    rng: &mut R,
) -> bool {
    if evaluator.is_terminal() {
        return false;
    }
    for (index, action) in joint.iter_mut().enumerate() {
        let other = RoleId(index as u8);
        let drawn = match own {
            Some(own) if other == role => Some(own),
            _ => evaluator.random_legal(other, rng),
        };
        match drawn {
            Some(drawn) => *action = drawn,
            None => return false,
        }
    }
    evaluator.play(joint);
    true
}

impl Imagine for RuleFile {
    type Knowledge = Beliefs;

    /// A role sees its whole history, which determines its beliefs.
    const SHOWS_ALL: bool = true;

    /// With complete information, draws only the choices of other roles in the current step. Otherwise also draws the
    /// state, by a particle filter with 256 particles in which other roles move at random. If no particle agrees with
    /// the role's percepts, searches from the start for plays that agree. If the search finds no play within 100,000
    /// joint moves, keeps particles that do not agree ([`Beliefs::lost`]).
    fn imagine<R: Rng>(
        &self,
        beliefs: &Beliefs,
        seat: Seat,
        view: &RoleView<'_>,
        rng: &mut R,
    ) -> RuleFileState {
        let imagine = |shared: &Shared, course: &mut Course, rng: &mut R| {
            if shared.rules.information() == Information::Percepts {
                beliefs.draw(view, course, rng);
            }
            course.draw_hidden(shared, rng);
        };
        RuleFileState::imagined(view, &self.shared, seat, rng, imagine)
    }

    /// Returns the number of joint moves, summed over both plays if each side plays alone.
    fn num_steps(&self, state: &RuleFileState) -> Option<u64> {
        Some(state.table().num_steps())
    }

    fn view_key(&self, view: &RoleView<'_>) -> u64 {
        let role = u64::from(view.role().0) << 8 | u64::from(view.lone_role().0);
        key_of([view.key(), role])
    }

    /// With complete information, hashes only the true fluents and the role to act.
    fn situation_key(&self, view: &RoleView<'_>) -> u64 {
        let Some(state) = view.state() else { return self.view_key(view) };
        let role = u64::from(view.role().0) << 8 | u64::from(view.lone_role().0);
        state.words().iter().fold(role, |key, &word| key_of([key, word]))
    }

    /// True with complete information, if only one role has a choice, and for ends by the rules of the file. The limit
    /// on steps is ignored.
    fn is_determined(&self, state: &RuleFileState) -> bool {
        state.table().is_determined(&self.shared)
    }
}
