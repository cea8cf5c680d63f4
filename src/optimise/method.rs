//! What it takes to be a method, and what the four evolution strategies of the paper share.

use super::SIGMA_RANGE;

/// Random numbers for a method, which holds no generator of its own.
pub trait Draws {
    /// A standard Gaussian number.
    fn gaussian(&mut self) -> f64;

    /// A number below `n`, uniform.
    fn index(&mut self, n: usize) -> usize;
}

/// What has to be found out about a candidate, to accept it or not.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Does it beat this opponent?
    Beats(Vec<f64>),
    /// Does it do better than this incumbent against the baseline?
    DoesBetterThan(Vec<f64>),
    /// Does it beat each of these opponents?
    BeatsAll(Vec<Vec<f64>>),
}

/// A candidate, and the question that decides about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The parameters of the candidate: `[dimension]`.
    pub candidate: Vec<f64>,
    /// What has to be found out.
    pub question: Question,
}

/// An optimiser, as a dialogue: it proposes, and learns whether the proposal was accepted.
pub trait Method {
    /// The parameters of the best strategy so far: `[dimension]`.
    fn incumbent(&self) -> &[f64];

    /// The present step size.
    fn sigma(&self) -> f64;

    /// The next candidate.
    fn propose(&mut self, draws: &mut dyn Draws) -> Proposal;

    /// Learns whether the candidate of the last proposal was accepted.
    fn learn(&mut self, candidate: &[f64], accepted: bool);
}

/// The search point and step size of a (1+1) evolution strategy (Rechenberg 1973), with the constants of
/// Cauwet & Teytaud 2018, algorithms 1 to 4.
///
/// Deviation: sigma is kept within [`SIGMA_RANGE`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SearchPoint {
    pub(super) x: Vec<f64>,
    pub(super) sigma: f64,
}

impl SearchPoint {
    pub(super) fn new(x: Vec<f64>, sigma: f64) -> SearchPoint {
        SearchPoint { x, sigma }
    }

    /// The search point after the last of these was accepted.
    pub(super) fn last_of(population: &[Vec<f64>], sigma: f64) -> SearchPoint {
        let x = population.last().expect("a population has its start, at least").clone();
        SearchPoint::new(x, sigma)
    }

    /// The mutation x' of x.
    pub(super) fn mutate(&self, draws: &mut dyn Draws) -> Vec<f64> {
        // x'_i <- x_i + sigma N(0, 1)
        self.x.iter().map(|x| x + self.sigma * draws.gaussian()).collect()
    }

    /// Moves to x' and widens the search, or stays and narrows it.
    pub(super) fn update(&mut self, candidate: &[f64], accepted: bool) {
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
pub(super) mod tests {
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::rng::{Stream, StreamKey};

    /// Draws for tests: those of a list, or of a stream.
    pub(crate) struct FromList(pub(crate) Vec<f64>);

    impl Draws for FromList {
        fn gaussian(&mut self) -> f64 {
            self.0.remove(0)
        }

        fn index(&mut self, n: usize) -> usize {
            (self.0.remove(0) as usize).min(n - 1)
        }
    }

    pub(crate) struct FromStream(pub(crate) Stream);

    impl Draws for FromStream {
        fn gaussian(&mut self) -> f64 {
            StandardNormal.sample(&mut self.0)
        }

        fn index(&mut self, n: usize) -> usize {
            self.0.random_range(0..n)
        }
    }

    #[test]
    fn one_iteration_follows_the_algorithm() {
        let mut point = SearchPoint::new(vec![1.0, -2.0], 1.0);
        let candidate = point.mutate(&mut FromList(vec![0.5, 3.0]));
        assert_eq!(candidate, [1.5, 1.0]);
        point.update(&candidate, true);
        assert_eq!(point, SearchPoint { x: vec![1.5, 1.0], sigma: 2.0 });
        let candidate = point.mutate(&mut FromList(vec![1.0, -1.0]));
        assert_eq!(candidate, [3.5, -1.0]);
        point.update(&candidate, false);
        assert_eq!(point, SearchPoint { x: vec![1.5, 1.0], sigma: 2.0 * 0.84 });
    }

    #[test]
    fn sigma_stays_within_its_range() {
        let mut point = SearchPoint::new(vec![0.0], 1.0);
        (0..100).for_each(|_| point.update(&[0.0], true));
        assert_eq!(point.sigma, 1e3);
        (0..100).for_each(|_| point.update(&[0.0], false));
        assert_eq!(point.sigma, 1e-3);
    }

    /// With exact comparisons, a (1+1)-ES with this success rule divides its distance to the optimum of a
    /// sphere by a constant factor every so many iterations; 1000 are ample for 1e-3 in dimension 5.
    #[test]
    fn the_sphere_is_solved() {
        let mut draws = FromStream(StreamKey::root(1).stream());
        let mut point = SearchPoint::new(vec![3.0; 5], 1.0);
        let distance = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        for _ in 0..1000 {
            let candidate = point.mutate(&mut draws);
            let better = distance(&candidate) < distance(&point.x);
            point.update(&candidate, better);
        }
        assert!(distance(&point.x) < 1e-3, "{point:?}");
    }
}
