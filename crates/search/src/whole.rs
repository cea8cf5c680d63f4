//! Reads integers from the settings of searches.

/// Returns a setting as an integer from `least` to `most`, or `None`.
pub(super) fn whole(value: f64, least: u32, most: u32) -> Option<u32> {
    let is_whole = value.fract() == 0.0 && (f64::from(least)..=f64::from(most)).contains(&value);
    is_whole.then_some(value as u32)
}
