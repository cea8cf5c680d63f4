//! Numbers and times as terminals show them.

use ruse_base::names::capitalised;
use ruse_play::score::Estimate;

use crate::format::{counted, digits as usual_digits, score};

/// Formats a number to three digits: 312k, 1.25M.
pub fn rounded(number: f64) -> String {
    let (scaled, suffix) = match number {
        n if n >= 999.5e6 => (n / 1e9, "G"),
        n if n >= 999.5e3 => (n / 1e6, "M"),
        n if n >= 999.5 => (n / 1e3, "k"),
        n => (n, ""),
    };
    let decimals = match scaled {
        s if suffix.is_empty() || s >= 99.95 => 0,
        s if s >= 9.995 => 1,
        _ => 2,
    };
    format!("{scaled:.decimals$}{suffix}")
}

/// Returns the number of decimals of an estimate: enough to distinguish the bounds of its interval, so that it does not
/// look exact.
pub fn digits(estimate: &Estimate) -> usize {
    /// The maximum number of decimals. Narrower intervals come from rounding.
    const MOST: usize = 6;
    let [low, high] = estimate.interval;
    let usual = usual_digits(estimate.interval);
    let tells = |&digits: &usize| score(low, digits) != score(high, digits);
    (usual..=MOST).find(tells).unwrap_or(usual)
}

/// Formats the bounds of an interval: [.694, .700].
pub fn interval(estimate: &Estimate) -> String {
    let [low, high] = estimate.interval.map(|bound| score(bound, digits(estimate)));
    format!("[{low}, {high}]")
}

/// Formats an exact score to four decimals. A score that rounds to zero has no sign.
pub fn four(value: f64) -> String {
    score(if value.abs() < 5e-5 { 0.0 } else { value }, 4)
}

/// Formats a share in percent, without the sign: with one decimal below 10, otherwise with none.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent < 10.0 => format!("{percent:.1}"),
        percent => format!("{percent:.0}"),
    }
}

/// Formats a time in words, rounded to its largest unit, as in `3 minutes`. Below two of a unit, the next smaller unit
/// is more exact. Negative numbers, which may come from rounding, and NaN are zero.
pub fn in_words(seconds: f64) -> String {
    /// The units, each with its length in seconds.
    const UNITS: [(&str, f64); 6] = [
        ("year", 365.0 * 86_400.0),
        ("week", 7.0 * 86_400.0),
        ("day", 86_400.0),
        ("hour", 3600.0),
        ("minute", 60.0),
        ("second", 1.0),
    ];
    const MOST_YEARS: f64 = 1e6;
    let seconds = seconds.max(0.0);
    if seconds >= MOST_YEARS * UNITS[0].1 {
        return "more than a million years".into();
    }
    let fits = |units: &[(&str, f64)]| seconds + units[1].1 / 2.0 >= 1.5 * units[0].1;
    let place = UNITS.windows(2).position(fits);
    let (unit, length) = UNITS[place.unwrap_or(UNITS.len() - 1)];
    let least = if place.is_some() { 2 } else { 0 };
    counted(((seconds / length).round() as u64).max(least), unit)
}

/// Adds a capital letter and a full stop.
pub fn sentence(text: &str) -> String {
    let stop = if text.ends_with('.') { "" } else { "." };
    format!("{}{stop}", capitalised(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grouped;

    #[test]
    fn digits_show_that_an_interval_has_a_width() {
        for (interval, expected) in [
            ([0.45, 0.55], 3),
            ([0.4990, 0.5010], 4),
            // This is the interval of 20,000 pairs that were all drawn.
            ([0.49998, 0.50002], 5),
            ([0.5, 0.5], 4),
            ([0.5, 0.5 + 1e-12], 4),
        ] {
            let score = f64::midpoint(interval[0], interval[1]);
            let estimate = Estimate { score, interval, confidence: 0.95, pairs: 20_000 };
            assert_eq!(digits(&estimate), expected, "{interval:?}");
        }
    }

    #[test]
    fn numbers_are_short_and_readable() {
        assert_eq!([0, 999, 1000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
        assert_eq!(
            [0.4, 12.3, 999.4, 999.6, 31_250.0, 312_500.0, 999_700.0, 1.254e6, 3e10].map(rounded),
            ["0", "12", "999", "1.00k", "31.2k", "312k", "1.00M", "1.25M", "30.0G"]
        );
        let times = [-1e-300, f64::NAN, 0.4, 89.0, 3e7, 1e20, f64::INFINITY];
        assert_eq!(
            times.map(in_words),
            [
                "0 seconds",
                "0 seconds",
                "0 seconds",
                "89 seconds",
                "50 weeks",
                "more than a million years",
                "more than a million years"
            ]
        );
        assert_eq!([score(0.6969, 3), score(1.0, 3), score(0.0, 2)], [".697", "1.000", ".00"]);
    }
}
