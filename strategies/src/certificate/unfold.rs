//! Games between a responder and a fixed strategy, and the limits of computations.

use std::hash::Hash;

/// The default limit on information sets.
pub const INFORMATION_SETS: u64 = 100_000_000;

/// The largest number of edges between places. The computations of two seats at once then take about 2 GB.
const MAX_EDGES: usize = 12_000_000;

/// The number of information sets that take as long as a new edge.
const SETS_PER_EDGE: u64 = 25;

/// A game between a responder and a fixed strategy, with all probabilities.
///
/// # Examples
///
/// The opponent shows rock in half of the rounds, and paper and scissors in a quarter each. The responder answers in the next
/// step, and sees whether the opponent hesitated, as it does before every second rock. A best response plays paper after a
/// hesitation and scores 1, and paper otherwise and scores 1/2 (a win in 1 of 3 games, a draw in 1 of 3).
///
/// ```
/// use ruse_strategies::certificate::{Outcome, Successor, Unfold, Work, certify};
///
/// struct Rounds;
///
/// impl Unfold for Rounds {
///     /// The hand of the opponent, and then the payoff of the answer in halves.
///     type Place = (u8, Option<u8>);
///     type Key = (u8, Option<u8>);
///     /// Whether the opponent hesitated.
///     type Seen = bool;
///     type Fault = ();
///
///     fn start(&mut self, successors: &mut Vec<Successor<(u8, Option<u8>), bool>>) {
///         for (hand, seen) in [(0, true), (0, false), (1, false), (2, false)] {
///             let place = (hand, None);
///             successors.push(Successor { action: 0, seen, place, probability: 0.25 });
///         }
///     }
///
///     fn key(&self, place: &(u8, Option<u8>)) -> (u8, Option<u8>) {
///         *place
///     }
///
///     fn expand(
///         &mut self,
///         &(hand, payoff): &(u8, Option<u8>),
///         successors: &mut Vec<Successor<(u8, Option<u8>), bool>>,
///     ) -> Result<Outcome, ()> {
///         if let Some(halves) = payoff {
///             return Ok(Outcome::Over(f64::from(halves) / 2.0));
///         }
///         for answer in 0..3 {
///             // Paper (1) beats rock (0), scissors beat paper, and rock beats scissors.
///             let halves = [1, 2, 0][usize::from((3 + answer - hand) % 3)];
///             let place = (hand, Some(halves));
///             successors.push(Successor { action: answer.into(), seen: false, place, probability: 1.0 });
///         }
///         Ok(Outcome::Actions(3))
///     }
/// }
///
/// let bounds = certify(&mut Rounds, &Work::default()).unwrap();
/// assert_eq!([bounds.low, bounds.high], [0.25 + 0.75 * 0.5; 2]);
/// ```
pub trait Unfold {
    /// A state of the game, together with what the strategy remembers.
    type Place;
    /// The part of a place that determines its future, given the number of steps before it (see [`horizon`](Unfold::horizon)).
    type Key: Hash;
    /// The observation of the responder in one step.
    type Seen: Eq + Hash;
    /// The error that a game returns if its rules are at fault.
    type Fault;

    /// Returns the largest number of steps if the future of a place depends on its key alone, up to that number.
    /// Then equal places of different steps can be one place. By default `None`.
    fn horizon(&self) -> Option<Horizon> {
        None
    }

    /// Lists the places at the start, as successors with the action 0.
    fn start(&mut self, successors: &mut Vec<Successor<Self::Place, Self::Seen>>);

    /// Returns the key of a place.
    fn key(&self, place: &Self::Place) -> Self::Key;

    /// Lists the successors of a place after each action of the responder, in the order of the actions. Places that the
    /// responder cannot distinguish have the same number of actions.
    ///
    /// # Errors
    ///
    /// Returns an error if the rules of the game are at fault.
    fn expand(
        &mut self,
        place: &Self::Place,
        successors: &mut Vec<Successor<Self::Place, Self::Seen>>,
    ) -> Result<Outcome, Self::Fault>;
}

/// A successor of a place.
#[derive(Debug, Clone)]
pub struct Successor<P, S> {
    /// The index of the action of the responder.
    pub action: u32,
    /// The observation of the responder.
    pub seen: S,
    /// The next place.
    pub place: P,
    /// The probability that chance and the strategy lead from the place to this successor after the action.
    pub probability: f64,
}

/// The end of games that take too long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Horizon {
    /// The largest number of steps.
    pub steps: u32,
    /// The payoff to the responder after these steps, from 0 to 1, or `None` if a game that takes longer is a fault.
    pub payoff: Option<f64>,
}

/// The state of a game at a place: over, or in progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The game is over. The number is the payoff to the responder, from 0 to 1.
    Over(f64),
    /// The game continues, and the responder has this number of actions.
    Actions(u32),
    /// The game continues, but not all successors were listed, because they are too many or the work was stopped.
    Unknown,
}

/// The number of successors, joint moves or edges between two checks of the limits.
pub const BETWEEN_LOOKS: usize = 4096;

/// The limits and callbacks of a computation.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// The largest number of information sets that one walk may visit.
    pub information_sets: u64,
    /// The largest number of edges between places, which take 16 bytes each.
    pub edges: usize,
    /// True if only exact bounds are useful.
    pub exact_only: bool,
    /// Returns `true` to end the computation with the bounds proven so far.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
    /// Called from time to time, also before the first walk, with the number of information sets visited since the last
    /// call.
    pub on_visited: &'a (dyn Fn(u64) + Sync),
}

impl<'a> Work<'a> {
    /// Creates work with a limit on information sets. The limit on edges is one for each 25 information sets.
    pub fn new(
        information_sets: u64,
        is_stopped: &'a (dyn Fn() -> bool + Sync),
        on_visited: &'a (dyn Fn(u64) + Sync),
    ) -> Work<'a> {
        let edges = (information_sets / SETS_PER_EDGE).min(MAX_EDGES as u64) as usize;
        Work { information_sets, edges, exact_only: false, is_stopped, on_visited }
    }

    /// Returns the limits for computing an exact value within seconds, or not at all.
    pub fn brief() -> Work<'static> {
        Work { exact_only: true, ..Work::brief_bounds() }
    }

    /// Returns the limits for computing bounds within seconds.
    pub fn brief_bounds() -> Work<'static> {
        Work { information_sets: 2_000_000, edges: 2_000_000, ..Work::default() }
    }
}

impl Work<'_> {
    /// Reports work that continues, and returns whether it must stop, if `number` is a multiple of [`BETWEEN_LOOKS`].
    #[inline]
    pub fn stops_at(&self, number: usize) -> bool {
        number.is_multiple_of(BETWEEN_LOOKS) && {
            (self.on_visited)(0);
            (self.is_stopped)()
        }
    }
}

impl Default for Work<'_> {
    fn default() -> Self {
        Work::new(INFORMATION_SETS, &|| false, &|_| ())
    }
}
