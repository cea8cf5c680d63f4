//! Random arms.

use rand::{Rng, RngExt};

use super::{Problem, Tables};

/// Buffers for drawing arms. A search needs only one `Scratch`, even if each node has a different problem.
#[derive(Debug, Clone, Default)]
pub struct Scratch<Q> {
    pub(super) partial: Q,
    /// The variables, in the order in which they get their values.
    pub(super) order: Vec<usize>,
    /// The admissible values of the current variable.
    pub(super) admissible: Vec<u16>,
    /// A buffer for comparing an arm with the best arm so far.
    pub(super) other: Vec<u16>,
}

impl<Q> Scratch<Q> {
    /// Fills `order` with the variables in random order (Fisher-Yates).
    pub(super) fn shuffle<R: Rng + ?Sized>(&mut self, num_variables: usize, rng: &mut R) {
        self.order.clear();
        self.order.extend(0..num_variables);
        for last in (1..num_variables).rev() {
            self.order.swap(last, rng.random_range(0..=last));
        }
    }

    /// Lists the admissible values of a variable in ascending order.
    ///
    /// # Panics
    ///
    /// Panics if no value is admissible, which violates the contract of [`Problem`].
    pub(super) fn list_admissible<P: Problem<Partial = Q>>(&mut self, problem: &P, variable: usize)
    where
        Q: Clone + Default,
    {
        let (partial, size) = (&self.partial, problem.sizes()[variable]);
        self.admissible.clear();
        self.admissible.extend((0..size).filter(|&v| problem.admits(partial, variable, v)));
        assert!(
            !self.admissible.is_empty(),
            "variable {variable} admits no value after admissible ones"
        );
    }

    /// Draws one of the admissible values uniformly. A single value takes no random number.
    pub(super) fn uniform_value<R: Rng + ?Sized>(&self, rng: &mut R) -> u16 {
        match self.admissible.as_slice() {
            [only] => *only,
            values => values[rng.random_range(0..values.len())],
        }
    }
}

/// Returns `true` with the given probability. A probability outside (0, 1) takes no random number.
pub(super) fn happens<R: Rng + ?Sized>(probability: f64, rng: &mut R) -> bool {
    probability > 0.0 && (probability >= 1.0 || rng.random::<f64>() < probability)
}

/// Sets `arm` to a random arm. The variables get their values in random order. Each value is drawn uniformly from the
/// values that are still admissible.
///
/// # Panics
///
/// Panics if the problem admits no value for some variable, which violates the contract of [`Problem`].
pub fn random_arm<P: Problem, R: Rng + ?Sized>(
    problem: &P,
    scratch: &mut Scratch<P::Partial>,
    rng: &mut R,
    arm: &mut [u16],
) {
    Draw { problem, scratch, rng }.random(None, arm);
}

/// A problem whose arms are drawn, with the buffers and the source of randomness.
pub(super) struct Draw<'a, P: Problem, R: ?Sized> {
    pub(super) problem: &'a P,
    pub(super) scratch: &'a mut Scratch<P::Partial>,
    pub(super) rng: &'a mut R,
}

impl<P: Problem, R: Rng + ?Sized> Draw<'_, P, R> {
    /// Like [`random_arm`], but first gives one variable a value that is admissible while no other variable has a value.
    pub(super) fn random(&mut self, given: Option<(usize, u16)>, arm: &mut [u16]) {
        self.fill(given, arm, |draw, _| draw.uniform_value());
    }

    /// Draws random arms until one was not pulled yet. Returns `false` if `num_draws` draws find no such arm.
    pub(super) fn new_arm(&mut self, num_draws: u32, tables: &Tables, arm: &mut [u16]) -> bool {
        (0..num_draws).any(|_| {
            self.random(None, arm);
            tables.find(arm).is_none()
        })
    }

    /// Gives the variables of `arm` their values in random order, but first the one with a given value. `choose` returns
    /// one of the admissible values of a variable, which are listed in the buffers.
    pub(super) fn fill(
        &mut self,
        given: Option<(usize, u16)>,
        arm: &mut [u16],
        mut choose: impl FnMut(&mut Self, usize) -> u16,
    ) {
        self.problem.begin(&mut self.scratch.partial);
        if let Some((variable, value)) = given {
            arm[variable] = value;
            self.problem.fix(&mut self.scratch.partial, variable, value);
        }
        self.scratch.shuffle(arm.len(), self.rng);
        for place in 0..arm.len() {
            let variable = self.scratch.order[place];
            if given.is_some_and(|(given, _)| given == variable) {
                continue;
            }
            self.scratch.list_admissible(self.problem, variable);
            arm[variable] = choose(self, variable);
            self.problem.fix(&mut self.scratch.partial, variable, arm[variable]);
        }
    }

    /// Draws an arm by the explore step of naive sampling: like [`random_arm`], but with probability 1 - `e_l` each
    /// variable takes its value with the highest mean, if admissible. With `force`, values that were never pulled come
    /// first.
    pub(super) fn explore(&mut self, e_l: f64, force: bool, tables: &Tables, arm: &mut [u16]) {
        self.fill(None, arm, |draw, variable| {
            if let Some(best) = tables.best_value(variable) {
                return draw.greedy_value(e_l, variable, best);
            }
            let admissible = &mut draw.scratch.admissible;
            let is_new = |value: &u16| tables.value_pulls(variable, *value) == 0;
            if force && admissible.iter().any(is_new) {
                admissible.retain(is_new);
            }
            draw.uniform_value()
        });
    }

    /// Draws an admissible value. Each of the K values has the weight e_l / K, and `best` has an additional weight of
    /// 1 - e_l; without positive weights, the draw is uniform. A first draw decides if the additional weight selects
    /// `best`; otherwise a value is drawn uniformly.
    fn greedy_value(&mut self, e_l: f64, variable: usize, best: u16) -> u16 {
        let admissible = &self.scratch.admissible;
        if admissible.contains(&best) {
            let size = f64::from(self.problem.sizes()[variable]);
            let (more, others) = (1.0 - e_l, e_l * admissible.len() as f64 / size);
            if happens(more / (more + others), self.rng) {
                return best;
            }
        }
        self.uniform_value()
    }

    fn uniform_value(&mut self) -> u16 {
        self.scratch.uniform_value(self.rng)
    }
}
