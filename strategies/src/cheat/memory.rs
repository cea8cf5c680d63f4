//! A cache of situations that a strategy for Cheat has evaluated.
//!
//! Careful players lead and claim in turn and meet the same few situations again and again: between Gaussian
//! strategies, four out of five situations are among the last 512.

use ruse_games::cheat::{CheatView, NUM_COLOURS};

/// The number of situations that the cache can hold. Each situation can be stored in only one place.
const NUM_PLACES: usize = 512;

/// The actions that take part in the draw in one situation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contest {
    view: CheatView,
    num_actions: u8,
    /// The indices of the actions and, in the next field, their values; only the first `num_actions` entries count.
    actions: [u8; NUM_COLOURS + 1],
    values: [f64; NUM_COLOURS + 1],
}

impl Contest {
    /// Creates the contest of the actions whose values are at least `threshold`.
    #[inline]
    pub(super) fn new(view: CheatView, values: &[f64; NUM_COLOURS + 1], threshold: f64) -> Contest {
        let mut contest = Contest { view, ..Contest::NOWHERE };
        for (action, &value) in (0..).zip(values) {
            if value >= threshold {
                let place = usize::from(contest.num_actions);
                contest.actions[place] = action;
                contest.values[place] = value;
                contest.num_actions += 1;
            }
        }
        contest
    }

    /// An empty place: a view without cards, which never occurs in a game.
    const NOWHERE: Contest = Contest {
        view: CheatView {
            own: [0; NUM_COLOURS],
            own_put: [0; NUM_COLOURS],
            opponent_cards: 0,
            opponent_put: 0,
            opponent_at_start: [0; NUM_COLOURS],
            current: None,
        },
        num_actions: 0,
        actions: [0; NUM_COLOURS + 1],
        values: [0.0; NUM_COLOURS + 1],
    };

    /// Returns the actions and their values.
    #[inline]
    pub(super) fn actions(&self) -> impl ExactSizeIterator<Item = (usize, f64)> {
        let both = self.actions.iter().zip(&self.values).take(usize::from(self.num_actions));
        both.map(|(&action, &value)| (usize::from(action), value))
    }
}

/// A cache of the situations that a strategy of type `S` has met most recently.
#[derive(Debug, Clone)]
pub struct Situations<S> {
    strategy: Option<S>,
    contests: Box<[Contest; NUM_PLACES]>,
}

impl<S> Default for Situations<S> {
    fn default() -> Self {
        Situations { strategy: None, contests: Box::new([Contest::NOWHERE; NUM_PLACES]) }
    }
}

impl<S: Clone + PartialEq> Situations<S> {
    /// Clears the cache if it belonged to another strategy.
    #[inline]
    pub(super) fn belong_to(&mut self, strategy: &S) {
        if self.strategy.as_ref() != Some(strategy) {
            // A new cache is empty already.
            if self.strategy.replace(strategy.clone()).is_some() {
                self.contests.fill(Contest::NOWHERE);
            }
        }
    }

    /// Returns the contest of a situation. If the contest is not cached, computes it with `make`.
    #[inline]
    pub(super) fn contest(&mut self, view: &CheatView, make: impl FnOnce() -> Contest) -> &Contest {
        let found = &mut self.contests[place(view)];
        if found.view != *view {
            *found = make();
        }
        found
    }
}

/// Returns the place of a situation in the cache, from a hash of the independent fields of its view. The other fields
/// follow from these.
#[inline]
fn place(view: &CheatView) -> usize {
    let CheatView { own, own_put, opponent_put, current, .. } = *view;
    let cards = u64::from(u32::from_le_bytes(own)) << 32 | u64::from(u32::from_le_bytes(own_put));
    let others = u64::from(opponent_put) << 13 | u64::from(current.map_or(0, |c| c + 1)) << 29;
    // 2^64 divided by the golden ratio, rounded to an odd number; its high bits depend on all other bits.
    let hash = (cards ^ others).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (hash >> 40) as usize % NUM_PLACES
}
