use super::*;

/// Two values occur a hundred times each. The interval of their mean, one half, equals the interval of two hundred coin
/// tosses: .5 ± 1.97 x .5 / sqrt(200) = .0697 by the normal approximation, and a little less by the likelihood.
#[test]
fn an_interval_is_that_of_the_values() {
    let counts: Counts = [(-1.0f64, 100), (3.0, 100)].map(|(x, n)| (x.to_bits(), n)).into();
    let (mean, [low, high]) = estimate(&counts, [-1.0, 3.0]);
    assert_eq!(mean, 1.0);
    assert!((mean - low - 4.0 * 0.0697).abs() < 0.01, "{low}");
    assert!((high - mean - 4.0 * 0.0697).abs() < 0.01, "{high}");
    assert_eq!(estimate(&Counts::new(), [0.0, 2.0]), (0.0, [0.0; 2]));
}
