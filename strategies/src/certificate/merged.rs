//! The value of a game in which the responder sees everything, with equal places of all steps as one place.
//!
//! Games with chance often return to an earlier state, so the places form cycles. The values for `n` steps follow
//! from the values for `n - 1` steps (value iteration). Iterated from the payoffs 1 and 0, they enclose the value of
//! the game (Haddad & Monmege, *Reachability in MDPs: refining convergence of value iteration*, RP 2014).

use rayon::prelude::*;

use super::places::Places;
use super::unfold::{Horizon, Unfold, Work};

/// The values are exact if their bounds differ by at most this number.
const TOLERANCE: f64 = 1e-12;

/// The largest change of a value that is not worth another step if some places are unknown.
const INCOMPLETE: f64 = 1e-6;

/// The places of a game in which nothing is hidden from the one who chooses the actions.
pub struct Merged {
    places: Places,
    horizon: Horizon,
}

impl Merged {
    /// Collects the places of a game. Returns `None` if something is hidden, or if a game may reach the horizon before the
    /// places repeat.
    ///
    /// # Errors
    ///
    /// Returns an error if the rules of the game are at fault.
    pub fn collect<U: Unfold>(
        game: &mut U,
        horizon: Horizon,
        work: &Work<'_>,
    ) -> Result<Option<Merged>, U::Fault> {
        let places = Places::all(game, work, true)?;
        let is_open = (0..places.num_actions()).all(|action| places.is_told(action));
        // The first and last levels are not reached by a step.
        let fits = places.num_levels() <= horizon.steps;
        Ok((is_open && fits).then_some(Merged { places, horizon }))
    }

    /// Returns whether the successors of all places were found.
    pub fn is_complete(&self) -> bool {
        self.places.is_complete()
    }

    /// Returns whether the first two bounds agree.
    pub fn is_exact<const N: usize>(values: [f64; N]) -> bool {
        values[0] - values[1] <= TOLERANCE
    }

    /// Returns the value of the place before the start. `choose` returns the value of a place from the values of its
    /// actions; its first number must be an upper bound, and the others lower bounds. Returns `None` if games often reach
    /// the horizon, and this is a fault. If the work is stopped, the bounds are further apart.
    pub fn values<const N: usize>(
        &self,
        choose: impl Fn(u32, &[[f64; N]]) -> [f64; N] + Sync,
        work: &Work<'_>,
    ) -> Option<[f64; N]> {
        let mut after = [0.0; N];
        after[0] = 1.0;
        let values = self.iterate(after, &choose, work);
        if !self.is_complete() || Self::is_exact(values) || (work.is_stopped)() {
            return Some(values);
        }
        let with_payoff = self.iterate([self.horizon.payoff?; N], &choose, work);
        Some(if (work.is_stopped)() { values } else { with_payoff })
    }

    /// Returns the values of the place before the start if longer games have the payoffs `after`. Ends early if the work is
    /// stopped, or if more steps would change nothing.
    fn iterate<const N: usize>(
        &self,
        after: [f64; N],
        choose: &(impl Fn(u32, &[[f64; N]]) -> [f64; N] + Sync),
        work: &Work<'_>,
    ) -> [f64; N] {
        let places = &self.places;
        // Then the bounds are right after any number of steps.
        let encloses = after[0] > after[1];
        let small = if self.is_complete() { 0.0 } else { INCOMPLETE };
        let all = || (0..places.len()).into_par_iter().with_min_len(1024);
        let at_first = |place| match places.actions(place).is_empty() {
            true => {
                let mut bounds = [places.low(place); N];
                bounds[0] = places.high(place);
                bounds
            }
            false => after,
        };
        let mut values: Vec<[f64; N]> = all().map(at_first).collect();
        // The place before the start takes a step, too.
        for _ in 0..=self.horizon.steps {
            let next = |actions: &mut Vec<[f64; N]>, place: u32| {
                if places.actions(place).is_empty() {
                    return values[place as usize];
                }
                actions.clear();
                actions.extend(places.actions(place).map(|action| {
                    let mut sum = [0.0; N];
                    for edge in places.edges(action) {
                        for (sum, value) in sum.iter_mut().zip(values[edge.place as usize]) {
                            *sum += edge.probability * value;
                        }
                    }
                    sum
                }));
                choose(place, actions)
            };
            let better: Vec<[f64; N]> = all().map_init(Vec::new, next).collect();
            let is_steady = (&better, &values)
                .into_par_iter()
                .with_min_len(1024)
                .all(|(new, old)| new.iter().zip(old).all(|(new, old)| (new - old).abs() <= small));
            values = better;
            (work.on_visited)(0);
            if is_steady || (encloses && Self::is_exact(values[0])) || (work.is_stopped)() {
                break;
            }
        }
        values[0]
    }
}
