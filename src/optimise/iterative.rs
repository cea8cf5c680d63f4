//! The iterative method: a (1+1) evolution strategy whose fitness is a comparison with the incumbent.
//!
//! Reference: Cauwet & Teytaud 2018, algorithm 2 and section II-C; Rechenberg 1973 for the (1+1)-ES.
//! Names follow the algorithm: `x` is the incumbent, x' the candidate, `sigma` the step size.
//!
//! Deviation: sigma is kept within [`SIGMA_RANGE`].

use super::SIGMA_RANGE;

/// The state of algorithm 2 between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Iterative {
    x: Vec<f64>,
    sigma: f64,
}

impl Iterative {
    /// Starts from `x`: `[dimension]`, in parameter space; standard Gaussian in the paper.
    pub fn new(x: Vec<f64>) -> Iterative {
        Iterative { x, sigma: 1.0 }
    }

    /// The strategy that no candidate has replaced yet.
    pub fn incumbent(&self) -> &[f64] {
        &self.x
    }

    /// The present step size.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Writes to `candidate` the mutation x' of x by `noise`: `[dimension]`, standard Gaussian.
    pub fn propose(&self, noise: impl IntoIterator<Item = f64>, candidate: &mut Vec<f64>) {
        candidate.clear();
        // x'_i <- x_i + sigma N(0, 1)
        candidate.extend(self.x.iter().zip(noise).map(|(x, noise)| x + self.sigma * noise));
    }

    /// Learns whether x' was found better than x.
    pub fn learn(&mut self, candidate: &[f64], accepted: bool) {
        if accepted {
            self.x.copy_from_slice(candidate);
            self.sigma *= 2.0;
        } else {
            self.sigma *= 0.84;
        }
        self.sigma = self.sigma.clamp(*SIGMA_RANGE.start(), *SIGMA_RANGE.end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_iteration_follows_the_algorithm() {
        let mut method = Iterative::new(vec![1.0, -2.0]);
        let mut candidate = Vec::new();
        method.propose([0.5, 3.0], &mut candidate);
        assert_eq!(candidate, [1.5, 1.0]);
        method.learn(&candidate, true);
        assert_eq!((method.incumbent(), method.sigma()), (&[1.5, 1.0][..], 2.0));
        method.propose([1.0, -1.0], &mut candidate);
        assert_eq!(candidate, [3.5, -1.0]);
        method.learn(&candidate, false);
        assert_eq!((method.incumbent(), method.sigma()), (&[1.5, 1.0][..], 2.0 * 0.84));
    }

    #[test]
    fn sigma_stays_within_its_range() {
        let mut method = Iterative::new(vec![0.0]);
        for _ in 0..100 {
            method.learn(&[0.0], true);
        }
        assert_eq!(method.sigma(), 1e3);
        for _ in 0..100 {
            method.learn(&[0.0], false);
        }
        assert_eq!(method.sigma(), 1e-3);
    }

    /// On a sphere of dimension 5 with exact comparisons, a (1+1)-ES with this success rule divides the
    /// distance to the optimum by a constant factor every so many iterations; 1000 are ample for 1e-3,
    /// which is below what the clamp of sigma would allow to reach by large steps alone.
    #[test]
    fn the_sphere_is_solved() {
        use rand_distr::{Distribution, StandardNormal};
        let mut rng = crate::rng::StreamKey::root(1).stream();
        let mut method = Iterative::new(vec![3.0; 5]);
        let distance = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut candidate = Vec::new();
        for _ in 0..1000 {
            let noise: [f64; 5] = std::array::from_fn(|_| StandardNormal.sample(&mut rng));
            method.propose(noise, &mut candidate);
            let better = distance(&candidate) < distance(method.incumbent());
            method.learn(&candidate, better);
        }
        assert!(distance(method.incumbent()) < 1e-3, "{:?}", method);
    }
}
