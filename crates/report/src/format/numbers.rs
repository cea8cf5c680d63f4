//! Numbers formatted for people.

use ruse_play::score::Estimate;

use crate::repeats::MeanScore;

/// Formats a count with thousands separators: 12,345,678.
pub fn grouped(count: u64) -> String {
    match count / 1000 {
        0 => count.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), count % 1000),
    }
}

/// Formats a count with its noun: 1 game, 1,000 games.
pub fn counted(count: u64, what: &str) -> String {
    let what = match (count, what.strip_suffix('y')) {
        (1, _) => what.to_string(),
        (_, Some(stem)) => format!("{stem}ies"),
        _ => format!("{what}s"),
    };
    format!("{} {what}", grouped(count))
}

/// Formats a score without the leading zero, as in the literature: .697.
pub fn score(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    text.strip_prefix('0').map_or(text.clone(), String::from)
}

/// Returns the number of significant digits of a score with this interval.
pub fn digits([low, high]: [f64; 2]) -> usize {
    if high - low < 0.01 { 4 } else { 3 }
}

/// Formats a difference with its sign: +.012. A difference that rounds to zero has no sign.
pub fn signed(value: f64, digits: usize) -> String {
    let text = score(value.abs(), digits);
    let sign = match text.contains(|digit: char| digit.is_ascii_digit() && digit != '0') {
        true if value < 0.0 => "-",
        true => "+",
        false => "",
    };
    format!("{sign}{text}")
}

/// Formats a score with its interval: `.673 ± .012`, or `.980 [.930, 1.000]` if the interval is not symmetric. The
/// interval is omitted if the runs do not support one.
pub(super) fn with_interval(mean: &MeanScore) -> String {
    with_interval_to(mean, digits_of(mean))
}

/// Returns the number of digits of a score with its interval.
fn digits_of(mean: &MeanScore) -> usize {
    let has_interval = mean.withheld.is_none() && !mean.is_all_alike();
    if has_interval || mean.is_exact() { digits(mean.interval) } else { 3 }
}

/// Returns the number of digits for several scores, as the least certain one requires.
pub(super) fn common_digits<'a>(means: impl Iterator<Item = &'a MeanScore>) -> usize {
    means.filter(|mean| !mean.is_exact()).map(digits_of).min().unwrap_or(4)
}

/// Formats a score with its interval, like [`with_interval`], to `digits` digits. An interval with a width is never
/// shown without one.
pub(super) fn with_interval_to(mean: &MeanScore, digits: usize) -> String {
    let [low, high] = mean.interval;
    let number = |value| score(value, digits);
    let instead = match () {
        () if mean.is_exact() => "exact",
        () if mean.is_all_alike() => "(alike)",
        () if mean.withheld.is_some() => "?",
        () => "",
    };
    if !instead.is_empty() {
        return format!("{} {instead}", number(mean.score));
    }
    // If all digits are shown, every interval has a width anyway.
    let least = if digits < digits_of(mean) { libm::pow(0.1, digits as f64) } else { 0.0 };
    let (below, above) = (mean.score - low, high - mean.score);
    // If the two sides differ only by rounding, the larger is shown.
    if (below - above).abs() < 2.0 * libm::pow(0.1, digits as f64) {
        format!("{} ± {}", number(mean.score), number(below.max(above).max(least)))
    } else {
        format!("{} [{}, {}]", number(mean.score), number(low), number(high))
    }
}

/// Formats an estimate with its bounds, `.673 [.661, .685]`, or with `exact`.
pub(crate) fn with_bounds(estimate: &Estimate) -> String {
    let digits = digits(estimate.interval);
    let number = |value: f64| score(value, digits);
    let [low, high] = estimate.interval.map(number);
    match estimate.is_exact() {
        true => format!("{} exact", number(estimate.score)),
        false => format!("{} [{low}, {high}]", number(estimate.score)),
    }
}

/// Formats a count with three digits: 60.0k, 2.00M. Counts below ten thousand are in full.
pub(crate) fn short(count: u64) -> String {
    let (unit, name) = match count {
        0..10_000 => return grouped(count),
        10_000..1_000_000 => (1e3, "k"),
        1_000_000..1_000_000_000 => (1e6, "M"),
        _ => (1e9, "G"),
    };
    let value = count as f64 / unit;
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$}{name}")
}

/// Formats the smallest and the largest count: `3`, or `1 to 3`; `None` without counts.
pub(crate) fn span(counts: impl Iterator<Item = u64> + Clone) -> Option<String> {
    let (least, greatest) = (counts.clone().min()?, counts.max()?);
    Some(match least == greatest {
        true => grouped(least),
        false => format!("{} to {}", grouped(least), grouped(greatest)),
    })
}

#[cfg(test)]
mod tests {
    use ruse_lab::fixtures::{estimate, exact};

    use super::*;
    use crate::repeats::Noise;

    #[test]
    fn counts_are_short() {
        let counts = [9_999, 60_000, 274_208, 1_999_990, 2_000_000, 12_345_678, 3_000_000_000];
        let expected = ["9,999", "60.0k", "274k", "2.00M", "2.00M", "12.3M", "3.00G"];
        assert_eq!(counts.map(short), expected);
    }

    #[test]
    fn scores_have_a_half_width_or_two_bounds() {
        let text = |score, interval| {
            let known = MeanScore::over_runs(&[estimate(0.5)]).expect("a run");
            with_interval(&MeanScore { score, interval, covers: Noise::Playing, ..known })
        };
        assert_eq!(text(0.67, [0.66, 0.68]), ".670 ± .010");
        assert_eq!(text(0.67, [0.6688, 0.6711]), ".6700 ± .0012");
        assert_eq!(text(0.98, [0.93, 1.0]), ".980 [.930, 1.000]");
        assert_eq!(text(1.0, [0.9999, 1.0]), "1.0000 ± .0001");
        assert_eq!(text(0.5, [0.5, 0.5]), ".5000 exact");
        assert_eq!(text(0.5, [0.0, 1.0]), ".500 ± .500");
        let alike = MeanScore::over_runs(&[exact(0.75), exact(0.75)]).expect("runs");
        assert_eq!(with_interval(&alike), ".750 (alike)");
        let two = MeanScore::over_runs(&[exact(0.75), exact(0.8)]).expect("runs");
        assert_eq!(with_interval(&two), ".775 ?");
        let known = MeanScore::over_runs(&[estimate(0.5)]).expect("a run");
        let mean = |interval| MeanScore { interval, covers: Noise::Playing, ..known };
        let digits = |means: &[MeanScore]| common_digits(means.iter());
        assert_eq!(digits(&[mean([0.49, 0.51]), mean([0.498, 0.502])]), 3);
        assert_eq!(digits(&[mean([0.498, 0.502]), mean([0.5, 0.5])]), 4);
        assert_eq!(with_interval_to(&mean([0.498, 0.502]), 3), ".500 ± .002");
        assert_eq!(with_interval_to(&mean([0.4998, 0.5002]), 3), ".500 ± .001");
        assert_eq!(with_interval_to(&mean([0.4998, 0.5002]), 4), ".5000 ± .0002");
        assert_eq!(span([3, 1, 2000].into_iter()).as_deref(), Some("1 to 2,000"));
        assert_eq!(span([3, 3].into_iter()).as_deref(), Some("3"));
        assert_eq!(span([].into_iter()), None);
    }
}
