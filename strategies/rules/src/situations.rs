//! The situations of the roles in games that are small enough to list.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use ruse_games::rule_file::{Position, RoleView, RuleFile, Walk};
use ruse_gdl::{MoveId, PlayError, RoleId};
use ruse_strategies::certificate::{BETWEEN_LOOKS, Work};

/// The largest number of joint moves that are made to list the situations, which takes about ten seconds.
pub const MAX_JOINT_MOVES: u64 = 4_000_000;

/// The largest total number of moves of all situations.
const MAX_MOVES: usize = 100_000;

/// A situation: the knowledge of a role that has two or more legal moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Situation {
    /// The role that decides.
    pub role: RoleId,
    /// The legal moves.
    pub moves: Vec<MoveId>,
    /// The index of the first legal move among the moves of all situations.
    pub first: usize,
    /// The knowledge of the role ([`RoleView::known`]).
    pub known: Vec<String>,
}

/// All situations of a game, in the order in which plays with increasing moves meet them; within a play, the earlier
/// situations of a role come first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Situations {
    all: Vec<Situation>,
    by_key: HashMap<(RoleId, u64), usize>,
    num_moves: usize,
}

/// The reason why the situations of a game are not listed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SituationsError {
    /// There are too many.
    #[error(
        "the game is too large to list what each role may know: it has more than {MAX_MOVES} moves in different \
         situations, or more than {MAX_JOINT_MOVES} sequences of joint moves"
    )]
    TooMany,
    /// The file has a fault.
    #[error(transparent)]
    Fault(#[from] PlayError),
    /// The work was stopped.
    #[error("stopped")]
    Stopped,
}

/// Counts joint moves, up to [`MAX_JOINT_MOVES`].
pub(super) struct Counter<'a> {
    work: &'a Work<'a>,
    num: usize,
}

impl<'a> Counter<'a> {
    pub(super) fn new(work: &'a Work<'a>) -> Counter<'a> {
        Counter { work, num: 0 }
    }

    /// Counts a joint move. Returns an error if there are too many, or if the work is stopped.
    pub(super) fn count(&mut self) -> Result<(), SituationsError> {
        self.num += 1;
        if self.num.is_multiple_of(BETWEEN_LOOKS) {
            (self.work.on_visited)(BETWEEN_LOOKS as u64);
        }
        match self.num as u64 > MAX_JOINT_MOVES {
            true => Err(SituationsError::TooMany),
            false if self.work.stops_at(self.num) => Err(SituationsError::Stopped),
            false => Ok(()),
        }
    }
}

impl Situations {
    /// Returns the situations of a game, which takes up to ten seconds when they are needed first.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many situations, if the file has a fault, or if the work was stopped.
    pub fn of(game: &RuleFile, work: &Work<'_>) -> Result<Arc<Situations>, SituationsError> {
        let known = game.derived(OnceLock::<Result<Arc<Situations>, SituationsError>>::new);
        if let Some(known) = known.get() {
            return known.clone();
        }
        let mut situations = Situations::default();
        let mut walk = Walk::new(game);
        let start = walk.start();
        let added = situations.add(&mut walk, &start, &mut Counter::new(work), &mut |_| ());
        match added {
            Err(SituationsError::Stopped) => Err(SituationsError::Stopped),
            added => known.get_or_init(|| added.map(|()| Arc::new(situations))).clone(),
        }
    }

    /// Calls `visit` with a view of each situation, in order.
    ///
    /// # Errors
    ///
    /// Same as [`of`](Situations::of).
    pub fn visit(
        game: &RuleFile,
        work: &Work<'_>,
        visit: &mut dyn FnMut(&RoleView<'_>),
    ) -> Result<(), SituationsError> {
        let mut walk = Walk::new(game);
        let start = walk.start();
        Situations::default().add(&mut walk, &start, &mut Counter::new(work), visit)
    }

    /// Adds the situations of a position and of all later positions.
    fn add(
        &mut self,
        walk: &mut Walk,
        position: &Position,
        counter: &mut Counter<'_>,
        visit: &mut dyn FnMut(&RoleView<'_>),
    ) -> Result<(), SituationsError> {
        if walk.enter(position)? {
            return Ok(());
        }
        for &role in walk.game().clone().roles() {
            let view = walk.view(position, role);
            if view.legal().len() < 2 || self.find(&view).is_some() {
                continue;
            }
            visit(&view);
            self.by_key.insert((role, view.key()), self.all.len());
            let moves = view.legal().to_vec();
            let first = self.num_moves;
            self.num_moves += moves.len();
            self.all.push(Situation { role, moves, first, known: view.known() });
        }
        if self.num_moves > MAX_MOVES {
            return Err(SituationsError::TooMany);
        }
        for joint in walk.joint_moves() {
            counter.count()?;
            let after = walk.after(position, &joint);
            self.add(walk, &after, counter, visit)?;
        }
        Ok(())
    }

    /// Returns all situations.
    pub fn all(&self) -> &[Situation] {
        &self.all
    }

    /// Returns the number of moves of all situations.
    pub fn num_moves(&self) -> usize {
        self.num_moves
    }

    /// Returns the index of the situation of the role with this view, if it has two or more legal moves.
    pub fn find(&self, view: &RoleView<'_>) -> Option<usize> {
        let index = self.by_key.get(&(view.role(), view.key())).copied();
        debug_assert!(index.is_none_or(|index| self.all[index].moves == view.legal()));
        index
    }
}
