//! Holm's adjustment for several tests.
//!
//! S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal of Statistics 6, 1979.

/// Adjusts the p-values of several tests for the number of tests. If every hypothesis with an adjusted p-value of at
/// most .05 is rejected, a true hypothesis is rejected with a probability of at most .05, even if the tests depend on
/// each other. `p_values` are in [0, 1], in any order; the result has the same order.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&x, &y| p_values[x].total_cmp(&p_values[y]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (place, index) in order.into_iter().enumerate() {
        // A hypothesis is rejected only if all hypotheses with a smaller p-value are rejected.
        largest = largest.max((p_values.len() - place) as f64 * p_values[index]).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In Demšar, section 3.2.2, the p-values against one method are .016, .019 and .607; the first two hypotheses are
    /// rejected, at .017 and .025. The adjusted p-values are 3 x .016 = .048, 2 x .019 = .038, which is raised to .048,
    /// and .607.
    #[test]
    fn the_example_of_demsar_comes_out() {
        let adjusted = holm(&[0.607, 0.016, 0.019]);
        for (found, expected) in adjusted.iter().zip([0.607, 0.048, 0.048]) {
            assert!((found - expected).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(holm(&[0.4, 0.6, 0.9]), [1.0; 3]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }
}
