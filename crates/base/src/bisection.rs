//! Bisection.

/// Halves an interval a number of times, and returns the last ends. `is_below` tells whether a number is at or below the
/// place that is looked for.
///
/// ```
/// let [low, high] = ruse_base::bisection::bisect([0.0, 2.0], 40, |x| x * x < 2.0);
/// assert!(low * low < 2.0 && high * high >= 2.0 && high - low < 1e-11);
/// ```
pub fn bisect(
    [mut low, mut high]: [f64; 2],
    num_halvings: u32,
    mut is_below: impl FnMut(f64) -> bool,
) -> [f64; 2] {
    for _ in 0..num_halvings {
        let middle = (low + high) / 2.0;
        if is_below(middle) { low = middle } else { high = middle }
    }
    [low, high]
}
