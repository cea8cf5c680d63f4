//! The mean over the last part of a run of unknown length.
//!
//! Shamir & Zhang, *Stochastic gradient descent for non-smooth optimization: convergence results and optimal averaging
//! schemes*, ICML 2013, section 4 (polynomial-decay averaging). This averaging stores only one vector.

use serde::{Deserialize, Serialize};

/// The concentration of the weight on the newest vectors: if there are many vectors, the last fraction p of them has
/// the weight 1 - (1 - p)^(ETA + 1). The last tenth has the weight .89, and the last fifth .99.
const ETA: f64 = 20.0;

/// A weighted mean of vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Average {
    num_vectors: u64,
    mean: Vec<f64>,
}

impl Average {
    /// Creates an empty average. Its mean is `start` until the first vector is added.
    pub(super) fn new(start: Vec<f64>) -> Average {
        Average { num_vectors: 0, mean: start }
    }

    /// Returns the mean: `[dimension]`.
    pub(super) fn mean(&self) -> &[f64] {
        &self.mean
    }

    pub(super) fn add(&mut self, x: &[f64]) {
        self.num_vectors += 1;
        let weight = (ETA + 1.0) / (self.num_vectors as f64 + ETA);
        for (mean, x) in self.mean.iter_mut().zip(x) {
            *mean += weight * (x - *mean);
        }
    }
}

/// Returns the number of steps after which an incumbent that is renewed after `num_steps` steps is renewed again: the number
/// has then grown by the fraction 1 / `RENEWAL`.
pub(super) fn renewal_after(num_steps: u64) -> u64 {
    const RENEWAL: u64 = 8;
    num_steps + (num_steps / RENEWAL).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of the first vector is the vector itself. The second and the third vector get the weights 21/22 and
    /// 21/23, so the means of 1, of 1 and 2, and of 1, 2 and 3 are 1, 43/22 and 32/11.
    #[test]
    fn three_vectors() {
        let mut average = Average::new(vec![7.0, 7.0]);
        let expected = [1.0, 1.954_545_454_545_454_6, 2.909_090_909_090_909];
        for (x, expected) in [1.0, 2.0, 3.0].into_iter().zip(expected) {
            average.add(&[x, -x]);
            for (found, expected) in average.mean().iter().zip([expected, -expected]) {
                assert!((found - expected).abs() < 1e-14, "{found} for {expected}");
            }
        }
    }

    /// The last fifth of the vectors has the weight 1 - .8^21 = .9908, and the last tenth has the weight 1 - .9^21 =
    /// .8906. If zeros are followed by ones, the mean is the weight of the ones.
    #[test]
    fn the_last_part_has_the_weight() {
        for (num_zeros, expected) in [(8_000, 0.9908), (9_000, 0.8906)] {
            let mut average = Average::new(vec![0.0]);
            for index in 0..10_000 {
                average.add(&[f64::from(u8::from(index >= num_zeros))]);
            }
            assert!((average.mean()[0] - expected).abs() < 1e-3, "{average:?} for {expected}");
        }
    }
}
