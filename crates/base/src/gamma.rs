//! Gamma and beta numbers that are the same on every machine.
//!
//! The method of Marsaglia & Tsang, *A simple method for generating gamma variables*, ACM Transactions on Mathematical
//! Software 26, 2000, doi:10.1145/358407.358414. Shapes below 1 are boosted as in section 6 of that paper, and a beta
//! number is the share of one gamma number in the sum of two. `rand_distr` implements the same method with the
//! logarithms and powers of the platform, whose last bits differ. Two more deviations: a shape of 1 is not drawn from
//! an exponential table, and beta numbers of small shapes are computed from logarithms, since both gamma numbers may
//! underflow to 0. A draw takes a Gaussian and a uniform number, and another uniform number for shapes below 1; at most
//! 1 draw in 20 is rejected.

use rand::Rng;
use rand_distr::{Distribution, Open01};

use crate::gaussian::Gaussian;

/// An invalid shape of a gamma or beta distribution.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the shape {shape} is not a number of at least {:e}: give a positive number",
    Gamma::MIN_SHAPE
)]
#[non_exhaustive]
pub struct ShapeError {
    /// The invalid shape.
    pub shape: f64,
}

/// The gamma distribution with a given shape and scale 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    /// 1 / shape, if the shape is below 1: a uniform number raised to this power times a draw of shape + 1 is a draw of
    /// the shape.
    boost: Option<f64>,
    d: f64,
    c: f64,
}

/// A gamma number: `value` times exp(`log_factor`).
#[derive(Debug, Clone, Copy)]
struct GammaVariate {
    value: f64,
    log_factor: f64,
}

impl Gamma {
    /// The smallest shape; below it, logarithms of the draws are not finite.
    pub const MIN_SHAPE: f64 = 1e-300;

    /// Creates the distribution with this shape. Draws below 1e-308 are returned as 0; if the shape is below 0.001,
    /// most draws are.
    ///
    /// # Errors
    ///
    /// Returns an error if the shape is infinite, NaN, or less than [`Gamma::MIN_SHAPE`].
    pub fn new(shape: f64) -> Result<Gamma, ShapeError> {
        if !(Gamma::MIN_SHAPE..=f64::MAX).contains(&shape) {
            return Err(ShapeError { shape });
        }
        let boost = (shape < 1.0).then(|| 1.0 / shape);
        let d = if boost.is_some() { shape + 1.0 } else { shape } - 1.0 / 3.0;
        Ok(Gamma { boost, d, c: 1.0 / (9.0 * d).sqrt() })
    }

    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> GammaVariate {
        let log_factor = self.boost.map_or(0.0, |boost| {
            let u: f64 = Open01.sample(rng);
            boost * libm::log(u)
        });
        GammaVariate { value: self.unboosted(rng), log_factor }
    }

    fn unboosted<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        loop {
            let x = Gaussian.sample(rng);
            let root = 1.0 + self.c * x;
            if root <= 0.0 {
                continue;
            }
            let v = root * root * root;
            let u: f64 = Open01.sample(rng);
            let square = x * x;
            // The first condition implies the second, and costs no logarithm.
            if u < 1.0 - 0.0331 * square * square
                || libm::log(u) < 0.5 * square + self.d * (1.0 - v + libm::log(v))
            {
                return self.d * v;
            }
        }
    }
}

impl Distribution<f64> for Gamma {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let GammaVariate { value, log_factor } = self.draw(rng);
        if self.boost.is_some() { value * libm::exp(log_factor) } else { value }
    }
}

/// A beta distribution, given by its two shape parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beta([Gamma; 2]);

impl Beta {
    /// Creates the distribution with mean `a` / (`a` + `b`).
    ///
    /// # Errors
    ///
    /// Returns an error if `a` or `b` is not a valid shape of a [`Gamma`] distribution.
    pub fn new(a: f64, b: f64) -> Result<Beta, ShapeError> {
        Ok(Beta([Gamma::new(a)?, Gamma::new(b)?]))
    }
}

impl Distribution<f64> for Beta {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let [a, b] = &self.0;
        let [x, y] = [a.draw(rng), b.draw(rng)];
        if a.boost.is_none() && b.boost.is_none() {
            return x.value / (x.value + y.value);
        }
        // The products with the factors may both underflow to 0; the logarithm of their ratio is finite.
        let log_ratio = (y.log_factor - x.log_factor) + libm::log(y.value / x.value);
        1.0 / (1.0 + libm::exp(log_ratio))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    use statrs::distribution::{self, ContinuousCDF};

    use super::*;

    const NUM_DRAWS: usize = 100_000;

    /// Runs the Kolmogorov-Smirnov test with the limit 2.2 / sqrt(n), which is exceeded with probability 2 exp(-2 x
    /// 2.2^2) = 1.3e-4. The 20 tests of this module raise a false alarm for one seed in 400.
    fn assert_is_drawn_from(
        name: &str,
        drawn: impl Distribution<f64>,
        expected: &impl ContinuousCDF<f64, f64>,
    ) {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(8);
        let mut draws: Vec<f64> = (0..NUM_DRAWS).map(|_| drawn.sample(&mut stream)).collect();
        draws.sort_by(f64::total_cmp);
        let n = NUM_DRAWS as f64;
        let distance = draws.iter().enumerate().fold(0f64, |distance, (below, &x)| {
            let cdf = expected.cdf(x);
            distance.max(cdf - below as f64 / n).max((below + 1) as f64 / n - cdf)
        });
        assert!(distance * n.sqrt() < 2.2, "{name}: distance {distance}");
    }

    #[test]
    fn gaussian_numbers_are_gaussian() {
        assert_is_drawn_from("Gaussian", Gaussian, &distribution::Normal::standard());
    }

    #[test]
    fn gamma_numbers_have_their_distribution() {
        for shape in [0.01, 1.0 / 9.0, 0.2, 0.5, 0.999, 1.0, 1.5, 3.5, 20.2, 1000.2, 1e6] {
            let expected = distribution::Gamma::new(shape, 1.0).expect("the shape is positive");
            let drawn = Gamma::new(shape).expect("the shape is positive");
            assert_is_drawn_from(&format!("gamma {shape}"), drawn, &expected);
        }
    }

    #[test]
    fn beta_numbers_have_their_distribution() {
        let shapes = [
            [1.0, 1.0],
            [2.0, 5.0],
            [0.5, 0.5],
            [0.1, 3.0],
            [30.0, 0.7],
            [0.03, 0.2],
            [500.0, 300.0],
        ];
        for [a, b] in shapes {
            let expected = distribution::Beta::new(a, b).expect("the shapes are positive");
            let drawn = Beta::new(a, b).expect("the shapes are positive");
            assert_is_drawn_from(&format!("beta {a}, {b}"), drawn, &expected);
        }
    }

    /// Two tiny shapes give 0 or 1, with probabilities b / (a + b) and a / (a + b); one draw in a hundred thousand lies
    /// in between.
    #[test]
    fn beta_numbers_of_tiny_shapes_are_numbers() {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(9);
        for scale in [1e-9, 1e-290] {
            let beta = Beta::new(3.0 * scale, scale).expect("the shapes are positive");
            let draws: Vec<f64> = (0..10_000).map(|_| beta.sample(&mut stream)).collect();
            assert!(draws.iter().all(|&x| x == 0.0 || x > 1.0 - 1e-9), "no numbers");
            let ones = draws.iter().filter(|&&x| x > 0.5).count();
            // The expected number is 7500, with a standard deviation of 43.
            assert!((7270..7730).contains(&ones), "{ones}");
        }
    }

    #[test]
    fn invalid_shapes_are_refused() {
        for shape in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-301] {
            assert!(Gamma::new(shape).is_err() && Beta::new(1.0, shape).is_err(), "{shape}");
        }
        let error = Beta::new(-1.0, 1.0).expect_err("it is negative");
        assert_eq!(
            error.to_string(),
            "the shape -1 is not a number of at least 1e-300: give a positive number"
        );
        // The largest finite number is a valid shape; its distribution is a point.
        let huge = Gamma::new(f64::MAX).expect("it is finite");
        assert!(huge.sample(&mut Xoshiro256PlusPlus::seed_from_u64(1)) > 1e308);
    }
}
