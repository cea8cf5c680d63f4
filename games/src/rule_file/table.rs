//! The states of games from rule files: tables, which are reused from game to game.

use std::sync::{Arc, PoisonError};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use ruse_gdl::{Information, MoveId, RoleId, State};

use super::course::{Course, Next};
use super::{RoleView, RuleFile, Shared, below};
use crate::{BySeat, Payoff, Seat, Turn};

/// The contents of a state: one play of both sides, or a separate play for each side.
#[derive(Debug)]
pub(super) struct Table {
    /// The play of both sides or, if each side plays alone, of the first seat.
    pub(super) course: Course,
    /// The second seat's play and the generators of both plays, if each side plays alone.
    alone: Option<Alone>,
    /// The only role of the first seat, if both sides share a play. The second seat has the other roles.
    lone_role: RoleId,
    /// Whether a player imagined this state; its faults are not reported.
    is_thought: bool,
}

/// The second play, and the generators that give both plays the same chance events.
#[derive(Debug)]
struct Alone {
    course: Course,
    chance: BySeat<Xoshiro256PlusPlus>,
}

impl Alone {
    fn draw_chance<R: Rng>(&mut self, rng: &mut R) {
        let chance = Xoshiro256PlusPlus::seed_from_u64(rng.next_u64());
        self.chance = BySeat { first: chance.clone(), second: chance };
    }
}

/// The state of a game of a [`RuleFile`] in progress.
///
/// When a state is dropped, the rule file reuses its table, so only the first games allocate memory.
pub struct RuleFileState {
    shared: Arc<Shared>,
    /// `Some` until the state is dropped.
    table: Option<Box<Table>>,
}

impl Table {
    fn new(shared: &Shared) -> Table {
        let alone = || Alone {
            course: Course::new(shared),
            chance: BySeat::from_fn(|_| Xoshiro256PlusPlus::seed_from_u64(0)),
        };
        Table {
            course: Course::new(shared),
            alone: shared.plays_alone.then(alone),
            lone_role: shared.roles[0],
            is_thought: false,
        }
    }

    fn copy_from(&mut self, other: &Table) {
        self.course.copy_from(&other.course);
        if let (Some(alone), Some(other)) = (&mut self.alone, &other.alone) {
            alone.course.copy_from(&other.course);
            alone.chance.clone_from(&other.chance);
        }
        self.lone_role = other.lone_role;
        self.is_thought = other.is_thought;
    }

    /// Returns the play of a seat.
    #[inline]
    pub(super) fn course_of(&self, seat: Seat) -> &Course {
        match (&self.alone, seat) {
            (Some(alone), Seat::Second) => &alone.course,
            _ => &self.course,
        }
    }

    /// Returns the number of joint moves made, summed over both plays if there are two.
    pub(super) fn num_steps(&self) -> u64 {
        let other = self.alone.as_ref().map_or(0, |alone| alone.course.record.steps);
        u64::from(self.course.record.steps) + u64::from(other)
    }

    #[inline]
    pub(super) fn turn(&self) -> Turn {
        match (self.course.next, &self.alone) {
            (Next::Asks(_), Some(_)) => Turn::Act(Seat::First),
            (Next::Asks(role), None) if role == self.lone_role => Turn::Act(Seat::First),
            (Next::Asks(_), None) => Turn::Act(Seat::Second),
            (Next::Over, Some(alone)) if alone.course.next != Next::Over => Turn::Act(Seat::Second),
            (Next::Over, _) => Turn::Over(self.payoff()),
        }
    }

    /// Returns whether the fluents and the choice of the role to act determine the next state or, at the end, whether the
    /// fluents determine the payoff.
    pub(super) fn is_determined(&self, shared: &Shared) -> bool {
        let Course { evaluator, next, .. } = &self.course;
        let rules = &shared.rules;
        if self.alone.is_some()
            || rules.random().is_some()
            || rules.information() != Information::Complete
        {
            return false;
        }
        match *next {
            Next::Asks(asked) => {
                let mut others = shared.roles.iter().filter(|&&role| role != asked);
                others.all(|&role| evaluator.num_legal(role) < 2)
            }
            Next::Over => evaluator.is_terminal(),
        }
    }

    /// Returns the payoff to the first seat of a game that is over.
    fn payoff(&self) -> Payoff {
        const PART: i32 = Payoff::PARTS as i32 / 200;
        let rules = self.course.evaluator.rules();
        // The goal of `random` does not count, although a game that is broken off may give it one.
        let goal = |course: &Course, role: RoleId| i32::from(course.goals[usize::from(role.0)]);
        let sum = |course: &Course| rules.seats().map(|role| goal(course, role)).sum::<i32>();
        let num_roles = rules.seats().count() as i32;
        let (own, theirs, num_theirs) = match &self.alone {
            Some(alone) => {
                // All roles have the same goal. Only in a file with a fault can their goals differ slightly.
                let own = PART * sum(&self.course) / num_roles;
                (own, PART * sum(&alone.course), num_roles)
            }
            None => {
                let own = goal(&self.course, self.lone_role);
                (PART * own, PART * (sum(&self.course) - own), num_roles - 1)
            }
        };
        // Rounds to the nearest part.
        let theirs = (2 * theirs + num_theirs) / (2 * num_theirs);
        let parts = own - theirs + 100 * PART;
        Payoff::from_parts(parts as u16).expect("goals lie between 0 and 100")
    }

    /// Ends the game with the same result for both sides.
    fn end_with_draw(&mut self, shared: &Shared) {
        self.course.end_with(shared, 50);
        if let Some(alone) = &mut self.alone {
            alone.course.end_with(shared, 50);
        }
    }

    /// Returns the mean goals of the sides, 0 to 100, or `None` before the end of the game.
    pub(super) fn mean_goals(&self, shared: &Shared) -> Option<BySeat<f64>> {
        let Turn::Over(_) = self.turn() else { return None };
        let mean = |seat: Seat| {
            let course = self.course_of(seat);
            let roles = shared.roles.iter().filter(|&&role| self.plays(seat, role));
            let goals: Vec<f64> =
                roles.map(|role| f64::from(course.goals[role.0 as usize])).collect();
            goals.iter().sum::<f64>() / goals.len() as f64
        };
        Some(BySeat::from_fn(mean))
    }

    /// Returns the payoff to the first seat if the roles of plays that are not over had the goals that `goal` returns,
    /// from 0 to 1. Returns `None` if some role has already chosen in the current step.
    fn estimate(&self, shared: &Shared, goal: impl Fn(RoleId, &State) -> f64) -> Option<f64> {
        let has_choices = |course: &Course| course.next != Next::Over && course.has_choices(shared);
        let alone = self.alone.as_ref().map(|alone| &alone.course);
        if has_choices(&self.course) || alone.is_some_and(has_choices) {
            return None;
        }
        let of = |course: &Course, role: RoleId| match course.next {
            Next::Over => f64::from(course.goals[usize::from(role.0)]) / 100.0,
            Next::Asks(_) => goal(role, course.evaluator.state()),
        };
        let (own, theirs) = match alone {
            Some(alone) => (of(&self.course, shared.roles[0]), of(alone, shared.roles[0])),
            None => {
                let others = shared.roles.iter().filter(|&&role| role != self.lone_role);
                let sum: f64 = others.map(|&role| of(&self.course, role)).sum();
                (of(&self.course, self.lone_role), sum / (shared.roles.len() - 1) as f64)
            }
        };
        Some((1.0 + own - theirs) / 2.0)
    }

    /// Returns whether a seat plays a role.
    pub(super) fn plays(&self, seat: Seat, role: RoleId) -> bool {
        self.alone.is_some() || (role == self.lone_role) == (seat == Seat::First)
    }

    /// Returns the view of the seat's role whose turn it is or, without such a role, of the seat's first role.
    #[inline]
    pub(super) fn view<'a>(&'a self, shared: &'a Shared, seat: Seat) -> RoleView<'a> {
        let course = self.course_of(seat);
        let role = match course.next {
            Next::Asks(role) if self.plays(seat, role) => role,
            _ => shared.roles.iter().copied().find(|&role| self.plays(seat, role)).expect("one"),
        };
        course.view(shared, role, self.lone_role)
    }
}

impl RuleFile {
    /// Returns the payoff to the first seat, from 0 to 1, if each role had the goal that `goal` returns for a role and
    /// the true fluents, from 0 to 1. Goals that are known count as they are. Returns `None` if some role has already
    /// chosen in the current step.
    #[inline]
    pub fn estimate(
        &self,
        state: &RuleFileState,
        goal: impl Fn(RoleId, &State) -> f64,
    ) -> Option<f64> {
        state.table().estimate(&self.shared, goal)
    }

    /// Returns the goal of a role at the end of a play that both sides share, from 0 to 100.
    pub fn goal_of(&self, state: &RuleFileState, role: RoleId) -> u8 {
        state.table().course.goals[usize::from(role.0)]
    }
}

impl RuleFileState {
    /// Returns a state with an unused table, which has arbitrary contents.
    fn empty(shared: &Arc<Shared>) -> RuleFileState {
        let free = shared.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let table = free.unwrap_or_else(|| Box::new(Table::new(shared)));
        RuleFileState { shared: Arc::clone(shared), table: Some(table) }
    }

    pub(super) fn dealt<R: Rng>(game: &RuleFile, rng: &mut R) -> RuleFileState {
        let mut state = RuleFileState::empty(&game.shared);
        let (shared, table) = state.parts();
        table.is_thought = false;
        let started = match &mut table.alone {
            Some(alone) => {
                alone.draw_chance(rng);
                let [chance, other_chance] = [&mut alone.chance.first, &mut alone.chance.second];
                table.course.start(shared, chance).and(alone.course.start(shared, other_chance))
            }
            None => {
                if shared.roles.len() > 2 {
                    table.lone_role = shared.roles[below(shared.roles.len(), rng)];
                }
                table.course.start(shared, rng)
            }
        };
        if let Err(fault) = started {
            table.end_with_draw(shared);
            let _ = shared.fault.set(fault);
        }
        state
    }

    /// Creates a state that a seat imagines: `view` contains what the seat knows, and `imagine` draws what is hidden
    /// from it.
    pub(super) fn imagined<R: Rng>(
        view: &RoleView<'_>,
        shared: &Arc<Shared>,
        seat: Seat,
        rng: &mut R,
        imagine: impl FnOnce(&Shared, &mut Course, &mut R),
    ) -> RuleFileState {
        let mut state = RuleFileState::empty(shared);
        let (shared, table) = state.parts();
        table.is_thought = true;
        let own = match &mut table.alone {
            Some(alone) => {
                // The other side's result does not depend on this play.
                alone.draw_chance(rng);
                let (own, other) = match seat {
                    Seat::First => (&mut table.course, &mut alone.course),
                    Seat::Second => (&mut alone.course, &mut table.course),
                };
                other.end_with(shared, 50);
                own
            }
            None => {
                // With three or more roles, the other seat may be the seat with a single role.
                table.lone_role = match seat {
                    Seat::First => view.role(),
                    Seat::Second => view.lone_role(),
                };
                &mut table.course
            }
        };
        own.become_seen(view);
        imagine(shared, own, rng);
        state
    }

    fn parts(&mut self) -> (&Shared, &mut Table) {
        (&self.shared, self.table.as_mut().expect("it is there until it is dropped"))
    }

    #[inline]
    pub(super) fn table(&self) -> &Table {
        self.table.as_ref().expect("it is there until it is dropped")
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    #[inline]
    pub(super) fn apply<R: Rng>(&mut self, seat: Seat, action: MoveId, rng: &mut R) {
        let (shared, table) = self.parts();
        let chosen = match (&mut table.alone, seat) {
            (None, _) => table.course.choose(shared, action, rng),
            (Some(alone), Seat::First) => {
                table.course.choose(shared, action, &mut alone.chance.first)
            }
            (Some(alone), Seat::Second) => {
                alone.course.choose(shared, action, &mut alone.chance.second)
            }
        };
        if let Err(fault) = chosen {
            table.end_with_draw(shared);
            if !table.is_thought {
                // Only the first fault is kept.
                let _ = shared.fault.set(fault);
            }
        }
    }
}

impl Clone for RuleFileState {
    fn clone(&self) -> RuleFileState {
        let mut state = RuleFileState::empty(&self.shared);
        state.clone_from(self);
        state
    }

    fn clone_from(&mut self, other: &RuleFileState) {
        let table = self.table.as_mut().expect("it is there until it is dropped");
        table.copy_from(other.table());
    }
}

impl Drop for RuleFileState {
    fn drop(&mut self) {
        if let Some(table) = self.table.take() {
            self.shared.free.lock().unwrap_or_else(PoisonError::into_inner).push(table);
        }
    }
}

/// Writes the true fluents and all moves so far, in the notation of the file.
impl std::fmt::Debug for RuleFileState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let views = Seat::BOTH.map(|seat| self.table().view(&self.shared, seat));
        let rules = &self.shared.rules;
        let fluents = Seat::BOTH.map(|seat| {
            let state = self.table().course_of(seat).evaluator.state();
            state.iter().map(|fluent| rules.fluent(fluent)).collect::<Vec<_>>()
        });
        f.debug_struct("RuleFileState")
            .field("true", &fluents)
            .field("turn", &self.table().turn())
            .field("views", &views)
            .finish()
    }
}

/// Returns whether both states have the same rules and history.
impl PartialEq for RuleFileState {
    fn eq(&self, other: &RuleFileState) -> bool {
        let (own, theirs) = (self.table(), other.table());
        let same =
            |&seat: &Seat| own.course_of(seat).is_same(theirs.course_of(seat), &self.shared.roles);
        Arc::ptr_eq(&self.shared, &other.shared)
            && own.lone_role == theirs.lone_role
            && Seat::BOTH.iter().all(same)
    }
}
