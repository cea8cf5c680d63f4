//! The places of a game, level by level, and their values with open cards.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::unfold::{Outcome, Successor, Unfold, Work};

/// The largest number of places on one level. These places keep their histories until their successors are known.
const MAX_LEVEL: usize = 1_200_000;

/// An edge from a place to a place of the next level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// The number that stands for the responder's observation.
    pub(super) seen: u32,
    /// The index of the next place.
    pub(super) place: u32,
    pub(super) probability: f64,
}

/// All places that can be reached, ordered by level. Place 0 stands before the start, and has one action.
pub(super) struct Places {
    /// For each place, the index of its first action. One more entry marks the end.
    first_action: Vec<u32>,
    /// For each action, the index of its first edge. One more entry marks the end.
    first_edge: Vec<u32>,
    /// The edges, sorted by action, observation and next place.
    edges: Vec<Edge>,
    /// For each action, its value to a responder that sees everything after the action.
    open: Vec<f64>,
    /// For each place, its value to a responder that sees everything.
    high: Vec<f64>,
    /// For each place, its value to a responder that plays uniformly.
    low: Vec<f64>,
    /// For each place, whether a responder that knows it will know every later place, too.
    is_clear: Vec<bool>,
    /// The index of the first place of each level.
    levels: Vec<u32>,
    is_complete: bool,
}

/// The buffers of a collection.
struct Collection<U: Unfold> {
    /// The successors of one place.
    successors: Vec<Successor<U::Place, U::Seen>>,
    seen: HashMap<U::Seen, u32>,
    /// The numbers of the places with which a new place is compared, counted from 0, by the digests of their keys.
    numbers: HashMap<u128, u32>,
    /// The index of the place with the number 0.
    first: u32,
    /// The places of the next level.
    next: Vec<U::Place>,
}

/// Returns 128 bits that stand for a key. Two of 10^8 keys have the same digest with a probability of 10^-23.
fn digest(key: &impl Hash) -> u128 {
    let [low, high] = [0_u8, 1].map(|half| {
        let mut hasher = DefaultHasher::new();
        half.hash(&mut hasher);
        key.hash(&mut hasher);
        hasher.finish()
    });
    u128::from(high) << 64 | u128::from(low)
}

/// Returns the number that stands for `key`. A new key gets the next number.
fn numbered<K: Eq + Hash>(numbers: &mut HashMap<K, u32>, key: K) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(key).or_insert(next)
}

impl Places {
    /// Collects the places of a game. If there are too many places, or if the computation is stopped, the last level
    /// has the payoff 1 in upper bounds and 0 in lower bounds.
    pub(super) fn collect<U: Unfold>(game: &mut U, work: &Work<'_>) -> Result<Places, U::Fault> {
        let mut places = Places::all(game, work, false)?;
        places.evaluate();
        Ok(places)
    }

    /// Collects the places of a game without their values. If `merges_levels` is set, equal places of all levels are one
    /// place, and edges lead to any level.
    pub(super) fn all<U: Unfold>(
        game: &mut U,
        work: &Work<'_>,
        merges_levels: bool,
    ) -> Result<Places, U::Fault> {
        let mut places = Places {
            first_action: vec![0],
            first_edge: vec![0],
            edges: Vec::new(),
            open: Vec::new(),
            high: Vec::new(),
            low: Vec::new(),
            is_clear: Vec::new(),
            levels: vec![0],
            is_complete: true,
        };
        let mut collection = Collection::<U> {
            successors: Vec::new(),
            seen: HashMap::new(),
            numbers: HashMap::new(),
            first: 1,
            next: Vec::new(),
        };
        game.start(&mut collection.successors);
        places.levels.push(1);
        places.add(game, 1, &mut collection, work);
        while !collection.next.is_empty() {
            let level = std::mem::take(&mut collection.next);
            let next_level = places.high.len() as u32 + level.len() as u32;
            places.levels.push(next_level);
            if !merges_levels {
                (collection.numbers, collection.first) = (HashMap::new(), next_level);
            }
            for place in level {
                let is_full = places.edges.len() > work.edges || collection.next.len() > MAX_LEVEL;
                if places.high.len().is_multiple_of(64) {
                    (work.on_visited)(0);
                }
                if is_full || (work.is_stopped)() {
                    places.is_complete = false;
                }
                if !places.is_complete {
                    places.add_final([1.0, 0.0]);
                    continue;
                }
                match game.expand(&place, &mut collection.successors)? {
                    Outcome::Over(payoff) => places.add_final([payoff; 2]),
                    Outcome::Unknown => {
                        collection.successors.clear();
                        places.is_complete = false;
                        places.add_final([1.0, 0.0]);
                    }
                    Outcome::Actions(num_actions) => {
                        places.add(game, num_actions, &mut collection, work);
                    }
                }
            }
        }
        // The last level is empty.
        places.levels.pop();
        Ok(places)
    }

    /// Adds a place without successors, with its upper and its lower bound.
    fn add_final(&mut self, [high, low]: [f64; 2]) {
        self.first_action.push(self.first_edge.len() as u32 - 1);
        self.high.push(high);
        self.low.push(low);
        // A place whose successors are unknown has different bounds.
        self.is_clear.push(high == low);
    }

    /// Adds a place with its successors, which are consumed; new successors are added to the next level. If the work is
    /// stopped, adds the place as one whose successors are unknown.
    fn add<U: Unfold>(
        &mut self,
        game: &U,
        num_actions: u32,
        collection: &mut Collection<U>,
        work: &Work<'_>,
    ) {
        let Collection { successors, seen, numbers, first, next } = collection;
        let mut edges: Vec<(u32, Edge)> = Vec::with_capacity(successors.len());
        for Successor { action, seen: observation, place, probability } in successors.drain(..) {
            let num_known = numbers.len();
            let number = numbered(numbers, digest(&game.key(&place)));
            if numbers.len() > num_known {
                next.push(place);
            }
            let seen = numbered(seen, observation);
            edges.push((action, Edge { seen, place: *first + number, probability }));
            if work.stops_at(edges.len()) {
                self.is_complete = false;
                return self.add_final([1.0, 0.0]);
            }
        }
        edges.sort_by_key(|(action, edge)| (*action, edge.seen, edge.place));
        edges.dedup_by(|(later_action, later), (action, kept)| {
            let is_same =
                (*later_action, later.seen, later.place) == (*action, kept.seen, kept.place);
            if is_same {
                kept.probability += later.probability;
            }
            is_same
        });
        let mut rest = &edges[..];
        for action in 0..num_actions {
            let of_action = rest.partition_point(|(other, _)| *other == action);
            self.edges.extend(rest[..of_action].iter().map(|(_, edge)| *edge));
            self.first_edge.push(self.edges.len() as u32);
            self.open.push(0.0);
            rest = &rest[of_action..];
        }
        self.first_action.push(self.first_edge.len() as u32 - 1);
        self.high.push(0.0);
        self.low.push(0.0);
        self.is_clear.push(false);
    }

    /// Computes the values of all places that are not final, from the last level to the first.
    fn evaluate(&mut self) {
        for place in (0..self.high.len()).rev() {
            let actions = self.actions(place as u32);
            if actions.is_empty() {
                continue;
            }
            let num_actions = actions.len() as f64;
            let (mut high, mut low, mut is_clear) = (f64::NEG_INFINITY, 0.0, true);
            for action in actions {
                let [mut open, mut uniform] = [0.0; 2];
                for edge in self.edges(action) {
                    open += edge.probability * self.high(edge.place);
                    uniform += edge.probability * self.low(edge.place);
                }
                is_clear &= self.is_told(action)
                    && self.edges(action).iter().all(|edge| self.is_clear(edge.place));
                self.open[action as usize] = open;
                high = high.max(open);
                low += uniform / num_actions;
            }
            self.high[place] = high;
            self.low[place] = low;
            self.is_clear[place] = is_clear;
        }
    }

    /// Returns the indices of the actions in a place; empty if the place is final.
    #[inline]
    pub(super) fn actions(&self, place: u32) -> std::ops::Range<u32> {
        self.first_action[place as usize]..self.first_action[place as usize + 1]
    }

    #[inline]
    pub(super) fn edges(&self, action: u32) -> &[Edge] {
        let [start, end] = [action, action + 1].map(|index| self.first_edge[index as usize]);
        &self.edges[start as usize..end as usize]
    }

    /// Returns whether a responder that knows a place will know the next place after an action.
    pub(super) fn is_told(&self, action: u32) -> bool {
        self.edges(action).windows(2).all(|two| two[0].seen != two[1].seen)
    }

    /// Returns the value of an action to a responder that sees everything after the action.
    #[inline]
    pub(super) fn open(&self, action: u32) -> f64 {
        self.open[action as usize]
    }

    /// Returns the value of a place to a responder that sees everything.
    #[inline]
    pub(super) fn high(&self, place: u32) -> f64 {
        self.high[place as usize]
    }

    /// Returns the value of a place to a responder that plays uniformly.
    #[inline]
    pub(super) fn low(&self, place: u32) -> f64 {
        self.low[place as usize]
    }

    /// Returns whether a responder that knows the place will know every later place, too. Then the value with open cards is
    /// the value.
    #[inline]
    pub(super) fn is_clear(&self, place: u32) -> bool {
        self.is_clear[place as usize]
    }

    /// Returns the number of actions in all places.
    pub(super) fn num_actions(&self) -> u32 {
        self.first_edge.len() as u32 - 1
    }

    /// Returns the number of places.
    pub(super) fn len(&self) -> u32 {
        self.high.len() as u32
    }

    /// Returns the number of levels, including the place before the start.
    pub(super) fn num_levels(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Returns the index of the first place of a level, or the number of places if there is no such level.
    pub(super) fn level(&self, level: u32) -> u32 {
        self.levels.get(level as usize).copied().unwrap_or(self.high.len() as u32)
    }

    /// Returns whether the successors of all places were found.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }
}
