//! Numbers as people read them.

use crate::report::repeats::{MeanScore, Noise};

/// A count with its thousands apart: 12,345,678.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many of something that is counted: 1 game, 1,000 games.
pub(crate) fn counted(count: u64, what: &str) -> String {
    let what = match (count, what.strip_suffix('y')) {
        (1, _) => what.to_string(),
        (_, Some(stem)) => format!("{stem}ies"),
        _ => format!("{what}s"),
    };
    format!("{} {what}", grouped(count))
}

/// A score as the literature writes it, without the zero: .697.
pub(crate) fn score(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    text.strip_prefix('0').map_or(text.clone(), String::from)
}

/// The digits worth showing of a score with this interval.
pub(crate) fn digits([low, high]: [f64; 2]) -> usize {
    if high - low < 0.01 { 4 } else { 3 }
}

/// A difference with its sign, +.012; without one if it is rounded to nothing.
pub(crate) fn signed(value: f64, digits: usize) -> String {
    let text = score(value.abs(), digits);
    let sign = match text.contains(|digit: char| digit.is_ascii_digit() && digit != '0') {
        true if value < 0.0 => "-",
        true => "+",
        false => "",
    };
    format!("{sign}{text}")
}

/// A score with its interval: `.673 ± .012`, or `.980 [.930, 1.000]` where the sides differ; without one where runs
/// cannot carry it.
pub(super) fn with_interval(mean: &MeanScore) -> String {
    let [low, high] = mean.interval;
    let digits = digits(mean.interval);
    let number = |value| score(value, digits);
    if high - low <= 0.0 && mean.covers == Noise::Playing {
        return format!("{} exact", number(mean.score));
    }
    if mean.is_all_alike() {
        return format!("{} (alike)", score(mean.score, 3));
    }
    if mean.withheld.is_some() {
        return format!("{} ?", score(mean.score, 3));
    }
    let (below, above) = (mean.score - low, high - mean.score);
    // Sides that differ by the rounding are told by the larger one.
    if (below - above).abs() < 2.0 * libm::pow(0.1, digits as f64) {
        format!("{} ± {}", number(mean.score), number(below.max(above)))
    } else {
        format!("{} [{}, {}]", number(mean.score), number(low), number(high))
    }
}

/// The least and the greatest of some counts: `3`, or `1 to 3`; none without any.
pub(super) fn span(counts: impl Iterator<Item = u64> + Clone) -> Option<String> {
    let (least, greatest) = (counts.clone().min()?, counts.max()?);
    Some(match least == greatest {
        true => grouped(least),
        false => format!("{} to {}", grouped(least), grouped(greatest)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::samples::{estimate, exact};

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
        assert_eq!(span([3, 1, 2000].into_iter()).as_deref(), Some("1 to 2,000"));
        assert_eq!(span([3, 3].into_iter()).as_deref(), Some("3"));
        assert_eq!(span([].into_iter()), None);
    }
}
