//! The walk through the information sets of the responder.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::places::Places;
use super::unfold::{BETWEEN_LOOKS, Work};

/// The error of a walk that was stopped, or that visited too many information sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Aborted;

/// An upper and a lower bound on the value of an information set.
type Value = [f64; 2];

/// The probability of each place that agrees with the observations of the responder, in the order of the places.
type Belief = [(u32, f64)];

/// The walk is cut into tasks after this number of decisions of the responder, or of steps.
const SHARED: Shared = Shared { decisions: 2, steps: 10 };

/// A branch is skipped if it cannot raise the value by more than this share of the belief's weight. The error of the
/// value is at most this number times the number of steps of the game.
const TOLERANCE: f64 = 1e-12;

/// The largest number of values that one task keeps.
const MAX_KNOWN: usize = 1 << 21;

/// The number of edges between two checks of the limits.
const EDGES_BETWEEN_LOOKS: usize = 1 << 20;

/// The part of a game near its start, which all threads walk together.
#[derive(Clone, Copy)]
struct Shared {
    /// The number of decisions left.
    decisions: u32,
    /// The number of steps left, with or without a decision.
    steps: u32,
}

/// A walk in which the responder sees everything from one level on.
pub(super) struct Walk<'a> {
    places: &'a Places,
    /// The first place at which the cards are open.
    open_from: u32,
    work: &'a Work<'a>,
    num_visited: AtomicU64,
}

/// The part of a walk that runs on one thread.
struct WalkTask<'a> {
    walk: &'a Walk<'a>,
    /// The values per unit of weight, by the hash of the belief.
    known: HashMap<u128, KnownValue, BuildHasherDefault<Hashed>>,
    num_visited: u64,
    /// The number of edges passed since the last look.
    num_edges: usize,
    free: Vec<Buffers>,
}

/// A value per unit of weight. It is either final or, if `is_bound` is set, only an upper bound.
#[derive(Clone, Copy)]
struct KnownValue {
    value: Value,
    is_bound: bool,
}

/// A hasher for keys that are hashes themselves.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are numbers");
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

/// The buffers of one information set.
#[derive(Default)]
struct Buffers {
    /// For each action, the upper bound on its value, and the index of the action.
    bounds: Vec<(f64, u32)>,
    /// The successors of the belief after an action: observation, place, weight.
    after: Vec<(u32, u32, f64)>,
    /// The belief after an action, group by group.
    belief: Vec<(u32, f64)>,
    /// For each group, the index at which its part of `belief` ends, and the upper bound on its value.
    groups: Vec<(u32, f64)>,
}

/// Applies a bijection of 64-bit numbers in which each output bit depends on all input bits (SplitMix64).
fn mix(number: u64) -> u64 {
    let z = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns the hash of a belief, after rounding the shares of its places to 2^-40.
fn key_of(belief: &Belief, weight: f64) -> u128 {
    let scale = (1_u64 << 40) as f64 / weight;
    let [mut first, mut second] = [0x9E37_79B9_7F4A_7C15_u64, 0xD1B5_4A32_D192_ED03];
    for &(place, share) in belief {
        let entry = u64::from(place) << 41 ^ (share * scale).round() as u64;
        first = mix(first ^ entry);
        second = mix(second.wrapping_add(entry).rotate_left(29));
    }
    u128::from(second) << 64 | u128::from(first)
}

impl<'a> Walk<'a> {
    /// Creates a walk in which the responder sees everything in the places of `level` and of later levels.
    pub(super) fn new(places: &'a Places, level: u32, work: &'a Work<'a>) -> Walk<'a> {
        Walk { places, open_from: places.level(level), work, num_visited: AtomicU64::new(0) }
    }

    /// Returns the number of information sets visited.
    pub(super) fn num_visited(&self) -> u64 {
        self.num_visited.load(Ordering::Relaxed)
    }

    /// Returns an upper and a lower bound on the value of a belief.
    ///
    /// # Errors
    ///
    /// Returns an error if the walk was stopped or reached the limit. Whether it reached the limit does not depend on
    /// the threads.
    pub(super) fn value(&self, belief: &Belief) -> Result<Value, Aborted> {
        let value = self.shared_value(belief, f64::NEG_INFINITY, SHARED)?;
        self.look(0)?;
        Ok(value)
    }

    /// Adds visited information sets to the total, and checks the limits.
    fn look(&self, num_visited: u64) -> Result<(), Aborted> {
        let total = self.num_visited.fetch_add(num_visited, Ordering::Relaxed) + num_visited;
        (self.work.on_visited)(num_visited);
        match total > self.work.information_sets || (self.work.is_stopped)() {
            true => Err(Aborted),
            false => Ok(()),
        }
    }

    /// Returns the bounds on the value of a belief near the start. The most promising action is walked first; then all
    /// other actions are walked in parallel, with the value of the first action as their threshold.
    fn shared_value(&self, belief: &Belief, need: f64, shared: Shared) -> Result<Value, Aborted> {
        if let Some(value) = self.clear_value(belief) {
            return Ok(value);
        }
        let mut task = WalkTask::new(self);
        if shared.decisions == 0 || shared.steps == 0 {
            let value = task.value(belief, need);
            self.look(task.num_visited)?;
            return value;
        }
        let Some((ended, rest)) = self.opened(belief) else {
            return task.value(belief, need);
        };
        self.look(1)?;
        let need = need - ended[0];
        let mut bounds = Vec::new();
        self.bounds(&rest, &mut bounds);
        let decisions = shared.decisions - u32::from(bounds.len() > 1);
        let shared = Shared { decisions, steps: shared.steps - 1 };
        let act = |&(bound, action): &(f64, u32), beat: f64| {
            if bound <= beat {
                return Ok(([bound, f64::NEG_INFINITY], false));
            }
            self.look(0)?;
            let mut buffers = Buffers::default();
            self.advance(&rest, action, &mut buffers);
            let total: f64 = buffers.groups.iter().map(|group| group.1).sum();
            let starts = std::iter::once(0).chain(buffers.groups.iter().map(|group| group.0));
            let groups: Vec<_> = starts.zip(&buffers.groups).collect();
            let values: Vec<Value> = groups
                .par_iter()
                .map(|&(start, &(end, bound))| {
                    let group = &buffers.belief[start as usize..end as usize];
                    self.shared_value(group, beat - (total - bound), shared)
                })
                .collect::<Result<_, _>>()?;
            let [high, low] =
                values.iter().fold([0.0; 2], |sum, value| [sum[0] + value[0], sum[1] + value[1]]);
            Ok(([high, low], high > beat))
        };
        let tolerance = TOLERANCE * rest.iter().map(|entry| entry.1).sum::<f64>();
        let (first, others) = bounds.split_first().expect("a place that is not final has actions");
        let (mut best, is_value) = act(first, need + tolerance)?;
        let beat = if is_value { best[0] } else { need } + tolerance;
        let others: Vec<(Value, bool)> =
            others.par_iter().map(|other| act(other, beat)).collect::<Result<_, _>>()?;
        let has_value = is_value || others.iter().any(|other| other.1);
        for (value, _) in others {
            best = [best[0].max(value[0]), best[1].max(value[1])];
        }
        if !has_value {
            best = [best[0].min(need), f64::NEG_INFINITY];
        }
        Ok([best[0] + ended[0], best[1] + ended[1]])
    }

    /// Returns the value of a belief that is certain now and later, or `None`.
    #[inline]
    fn clear_value(&self, belief: &Belief) -> Option<Value> {
        let &[(place, weight)] = belief else { return None };
        self.places.is_clear(place).then(|| [weight * self.places.high(place); 2])
    }

    /// Splits a belief. Returns the bounds on the value of its final and open places, and the rest of the belief.
    /// Returns `None` if there is no rest.
    fn opened(&self, belief: &Belief) -> Option<(Value, Vec<(u32, f64)>)> {
        let mut ended = [0.0; 2];
        let mut rest = Vec::with_capacity(belief.len());
        for &(place, weight) in belief {
            if place >= self.open_from || self.places.actions(place).is_empty() {
                ended[0] += weight * self.places.high(place);
                ended[1] += weight * self.places.low(place);
            } else {
                rest.push((place, weight));
            }
        }
        (!rest.is_empty()).then_some((ended, rest))
    }

    /// Lists the actions of a belief with their upper bounds, in descending order of the bounds.
    fn bounds(&self, belief: &Belief, bounds: &mut Vec<(f64, u32)>) {
        let actions = self.places.actions(belief[0].0);
        bounds.clear();
        bounds.extend((0..actions.len() as u32).map(|action| (0.0, action)));
        for &(place, weight) in belief {
            let actions = self.places.actions(place);
            debug_assert_eq!(actions.len(), bounds.len(), "the actions differ within a belief");
            for (bound, action) in bounds.iter_mut().zip(actions) {
                bound.0 += weight * self.places.open(action);
            }
        }
        bounds.sort_by(|x, y| y.0.total_cmp(&x.0));
    }

    /// Moves a belief by an action, and groups the resulting places by the responder's observations.
    fn advance(&self, belief: &Belief, action: u32, buffers: &mut Buffers) {
        let Buffers { after, belief: moved, groups, .. } = buffers;
        after.clear();
        for &(place, weight) in belief {
            let edges = self.places.edges(self.places.actions(place).start + action);
            after.extend(edges.iter().map(|e| (e.seen, e.place, weight * e.probability)));
        }
        if belief.len() > 1 {
            // A stable sort, so that sums do not depend on the library.
            after.sort_by_key(|&(seen, place, _)| u64::from(seen) << 32 | u64::from(place));
        }
        moved.clear();
        groups.clear();
        let mut last = None;
        for &(seen, place, weight) in after.iter() {
            if let Some((last_seen, last_place)) = last
                && last_seen == seen
            {
                if last_place == place {
                    moved.last_mut().expect("a place came before").1 += weight;
                } else {
                    moved.push((place, weight));
                }
            } else {
                groups.push((0, 0.0));
                moved.push((place, weight));
            }
            last = Some((seen, place));
            let group = groups.last_mut().expect("a group has begun");
            group.0 = moved.len() as u32;
            group.1 += weight * self.places.high(place);
        }
    }
}

impl<'a> WalkTask<'a> {
    fn new(walk: &'a Walk<'a>) -> WalkTask<'a> {
        WalkTask { walk, known: HashMap::default(), num_visited: 0, num_edges: 0, free: Vec::new() }
    }

    /// Adds what was visited since the last look to the total, and checks the limits.
    fn look(&mut self) -> Result<(), Aborted> {
        self.num_edges = 0;
        self.walk.look(std::mem::take(&mut self.num_visited))
    }

    /// Returns an upper and a lower bound on the value of a belief. If the upper bound is at most `need`, it may exceed
    /// the value, and the lower bound has no meaning.
    fn value(&mut self, belief: &Belief, need: f64) -> Result<Value, Aborted> {
        if let Some(value) = self.walk.clear_value(belief) {
            return Ok(value);
        }
        let places = self.walk.places;
        let is_over = |&(place, _): &(u32, f64)| {
            place >= self.walk.open_from || places.actions(place).is_empty()
        };
        // Usually, the responder knows whether the game is over.
        if !belief.iter().any(is_over) {
            return self.value_of_rest(belief, need);
        }
        match self.walk.opened(belief) {
            Some((ended, rest)) => {
                let value = self.value_of_rest(&rest, need - ended[0])?;
                Ok([value[0] + ended[0], value[1] + ended[1]])
            }
            None => Ok(belief.iter().fold([0.0; 2], |sum, &(place, weight)| {
                [sum[0] + weight * places.high(place), sum[1] + weight * places.low(place)]
            })),
        }
    }

    /// Like [`value`](WalkTask::value), for a belief in which no place is final or open.
    fn value_of_rest(&mut self, belief: &Belief, need: f64) -> Result<Value, Aborted> {
        let weight: f64 = belief.iter().map(|entry| entry.1).sum();
        if weight <= 0.0 {
            return Ok([0.0; 2]);
        }
        let key = key_of(belief, weight);
        if let Some(known) = self.known.get(&key) {
            let value = known.value.map(|value| value * weight);
            if !known.is_bound || value[0] <= need {
                return Ok(value);
            }
        }
        self.num_visited += 1;
        if self.num_visited == BETWEEN_LOOKS as u64 {
            self.look()?;
        }
        let mut buffers = self.free.pop().unwrap_or_default();
        let value = self.best_action(belief, weight, need, &mut buffers)?;
        self.free.push(buffers);
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        let is_bound = value[0] <= need;
        self.known.insert(key, KnownValue { value: value.map(|value| value / weight), is_bound });
        Ok(value)
    }

    fn best_action(
        &mut self,
        belief: &Belief,
        weight: f64,
        need: f64,
        buffers: &mut Buffers,
    ) -> Result<Value, Aborted> {
        let tolerance = TOLERANCE * weight;
        let mut bounds = std::mem::take(&mut buffers.bounds);
        self.walk.bounds(belief, &mut bounds);
        let mut best: Option<Value> = None;
        // The largest upper bound among the actions that were skipped.
        let mut left_out = f64::NEG_INFINITY;
        for &(bound, action) in &bounds {
            let beat = best.map_or(need, |best| best[0]) + tolerance;
            if bound <= beat {
                // The upper bounds of the remaining actions are not larger.
                left_out = left_out.max(bound);
                break;
            }
            let [high, low] = self.action_value(belief, action, beat, buffers)?;
            if high > beat {
                best = Some([high, best.map_or(low, |best| best[1].max(low))]);
            } else {
                left_out = left_out.max(high);
            }
        }
        buffers.bounds = bounds;
        Ok(best.unwrap_or([left_out.min(need), f64::NEG_INFINITY]))
    }

    /// Returns the bounds on the value of an action. Once the upper bound is at most `beat`, the remaining groups are
    /// skipped.
    fn action_value(
        &mut self,
        belief: &Belief,
        action: u32,
        beat: f64,
        buffers: &mut Buffers,
    ) -> Result<Value, Aborted> {
        self.walk.advance(belief, action, buffers);
        // A single information set may have millions of edges.
        self.num_edges += buffers.after.len();
        if self.num_edges >= EDGES_BETWEEN_LOOKS {
            self.look()?;
        }
        // The sum of the bounds of the groups ahead, and the sums of the values of the visited groups.
        let mut ahead: f64 = buffers.groups.iter().map(|group| group.1).sum();
        let mut sum = [0.0; 2];
        let mut start = 0;
        for &(end, bound) in &buffers.groups {
            ahead -= bound;
            let group = &buffers.belief[start as usize..end as usize];
            let value = self.value(group, beat - sum[0] - ahead)?;
            sum = [sum[0] + value[0], sum[1] + value[1]];
            if sum[0] + ahead <= beat {
                return Ok([sum[0] + ahead, f64::NEG_INFINITY]);
            }
            start = end;
        }
        Ok(sum)
    }
}
