//! Steps along a noisy gradient. The length of a step depends on a rate, not on the unit of the gradient.
//!
//! Kingma & Ba, *Adam: a method for stochastic optimization*, ICLR 2015, arXiv 1412.6980, algorithm 1, maximising
//! instead of minimising. `beta_1`, `beta_2` and `epsilon` have the values recommended there.

use serde::{Deserialize, Serialize};

use super::state_error::fits;

/// The decay rates of the first and the second moment.
const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
/// A small number that keeps a step finite if the gradient was always 0.
const EPSILON: f64 = 1e-8;

/// The moments of the gradients so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Adam {
    num_steps: u64,
    /// Moving means of the gradient and of its square, each `[dimension]`.
    m: Vec<f64>,
    v: Vec<f64>,
}

impl Adam {
    /// Creates the state before the first step.
    pub(super) fn new(dimension: usize) -> Adam {
        Adam { num_steps: 0, m: vec![0.0; dimension], v: vec![0.0; dimension] }
    }

    /// Returns `true` if the state is valid for parameters of this dimension.
    pub(super) fn is_sound(&self, dimension: usize) -> bool {
        fits(&self.m, dimension) && fits(&self.v, dimension) && self.v.iter().all(|&v| v >= 0.0)
    }

    /// Moves `x` upwards. No parameter moves by much more than `rate`.
    pub(super) fn ascend(&mut self, x: &mut [f64], gradient: &[f64], rate: f64) {
        self.num_steps += 1;
        let t = self.num_steps as f64;
        let bias_1 = 1.0 - libm::pow(BETA_1, t);
        let bias_2 = 1.0 - libm::pow(BETA_2, t);
        let moments = self.m.iter_mut().zip(&mut self.v);
        for ((x, g), (m, v)) in x.iter_mut().zip(gradient).zip(moments) {
            *m = BETA_1 * *m + (1.0 - BETA_1) * g;
            *v = BETA_2 * *v + (1.0 - BETA_2) * g * g;
            *x += rate * (*m / bias_1) / ((*v / bias_2).sqrt() + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calculated by hand: the bias-corrected moments after the gradients 1/2, -1/4 and 0 are (1/2, 1/4), (.02/.19,
    /// .0003122../.001999) and (.018/.271, ..), and each step is a tenth of m / sqrt v. The second parameter has the
    /// opposite gradient.
    #[test]
    fn three_steps() {
        let mut adam = Adam::new(2);
        let mut x = [1.0, 0.0];
        let expected = [1.099_999_998, 1.126_633_701_292_154, 1.147_221_631_012_532];
        for (g, expected) in [0.5, -0.25, 0.0].into_iter().zip(expected) {
            adam.ascend(&mut x, &[g, -g], 0.1);
            assert!((x[0] - expected).abs() < 1e-12, "{x:?} for {expected}");
            assert!((x[1] - (1.0 - expected)).abs() < 1e-12, "{x:?} for {expected}");
        }
    }

    #[test]
    fn the_unit_of_the_gradient_hardly_matters() {
        let reached = |unit: f64| {
            let (mut adam, mut x) = (Adam::new(1), [0.0]);
            for g in [0.5, 0.25, -0.125, 1.0] {
                adam.ascend(&mut x, &[unit * g], 0.1);
            }
            x[0]
        };
        // Epsilon is 1e-5 of the smaller gradient.
        assert!((reached(1e-2) - reached(1e3)).abs() < 1e-5);
    }

    #[test]
    fn a_plateau_moves_nothing() {
        let (mut adam, mut x) = (Adam::new(1), [3.0]);
        (0..10).for_each(|_| adam.ascend(&mut x, &[0.0], 0.1));
        assert_eq!(x, [3.0]);
    }
}
