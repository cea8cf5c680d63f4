//! Quantities as users write them: `2M` games, `60s`, probabilities.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use schemars::{Schema, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};

/// The reason why a quantity was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// The text is not an integer.
    #[error("`{0}` is not a whole number; write it as 500000, 500k, 2M or 1G")]
    NotACount(String),
    /// A count is out of range.
    #[error("{found} is out of range: {} to {} are allowed", .range.start(), .range.end())]
    CountOutOfRange {
        /// The number as it was written.
        found: String,
        /// The allowed range.
        range: RangeInclusive<u64>,
    },
    /// The text is not a duration.
    #[error("`{0}` is not a duration; write it as 60s, 5m or 2h 30m")]
    NotADuration(String),
    /// A duration is out of range.
    #[error("{0} is not between a millisecond and a year")]
    DurationOutOfRange(String),
    /// The number is not between 0 and 1, both excluded.
    #[error("{0} is not between 0 and 1 (both excluded)")]
    NotBetweenZeroAndOne(String),
    /// The number is not between 0 and 1, both included.
    #[error("{0} is not a share: 0 to 1 is allowed, as in 0.1 for a tenth")]
    NotAShare(String),
}

/// The allowed numbers of games of a run: from one pair to centuries of games.
pub const GAMES_RANGE: RangeInclusive<u64> = 2..=1_000_000_000_000_000;
/// The allowed numbers of iterations of a run.
pub const ITERATIONS_RANGE: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// The allowed numbers of runs of each method on each family in a comparison.
pub const REPEATS_RANGE: RangeInclusive<u64> = 1..=1000;
/// The allowed numbers of pairs of games from which a score is estimated.
pub const PAIRS_RANGE: RangeInclusive<u64> = 1..=1_000_000_000_000;

/// Parses a count: an integer, optionally with a suffix k, M or G.
///
/// # Errors
///
/// Returns an error if the text is not an integer within `range`.
pub fn parse_count(text: &str, range: RangeInclusive<u64>) -> Result<u64, QuantityError> {
    let not_a_count = || QuantityError::NotACount(text.into());
    let out_of_range =
        || QuantityError::CountOutOfRange { found: text.into(), range: range.clone() };
    let digits = text.trim();
    let (digits, factor) = match digits.char_indices().last() {
        Some((end, 'k' | 'K')) => (&digits[..end], 1_000u64),
        Some((end, 'm' | 'M')) => (&digits[..end], 1_000_000),
        Some((end, 'g' | 'G')) => (&digits[..end], 1_000_000_000),
        _ => (digits, 1),
    };
    if let Ok(count) = digits.parse::<u64>() {
        let count = count.checked_mul(factor).ok_or_else(out_of_range)?;
        return if range.contains(&count) { Ok(count) } else { Err(out_of_range()) };
    }
    // The text may be a number such as 2.5M or 1e6, or negative.
    let number = digits.parse::<f64>().map_err(|_| not_a_count())? * factor as f64;
    if number.is_nan() || number.fract() != 0.0 {
        Err(not_a_count())
    } else if number < *range.start() as f64 || number > *range.end() as f64 {
        Err(out_of_range())
    } else {
        Ok(number as u64)
    }
}

/// Parses a count, with or without a suffix. Its range is checked later.
pub(crate) fn count<'de, T: From<u64>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    struct CountVisitor;

    impl Visitor<'_> for CountVisitor {
        type Value = u64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number such as 500000, 500k or 2M")
        }

        fn visit_u64<E: de::Error>(self, number: u64) -> Result<u64, E> {
            Ok(number)
        }

        fn visit_f64<E: de::Error>(self, number: f64) -> Result<u64, E> {
            /// Larger numbers have hundreds of digits, and are too large.
            const LARGEST: f64 = 1e20;
            let is_long = number.abs() > LARGEST;
            self.visit_str(&if is_long { format!("{number:e}") } else { number.to_string() })
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<u64, E> {
            parse_count(text, 0..=u64::MAX).map_err(E::custom)
        }
    }

    from.deserialize_any(CountVisitor).map(T::from)
}

/// A count, with or without a suffix.
#[derive(Deserialize)]
pub(crate) struct Count(#[serde(deserialize_with = "count")] pub(crate) u64);

/// Returns the schema of a count with or without a suffix.
pub(crate) fn count_schema(range: RangeInclusive<u64>) -> Schema {
    let (minimum, maximum) = (range.start(), range.end());
    json_schema!({ "anyOf": [
        { "type": "number", "multipleOf": 1, "minimum": minimum, "maximum": maximum },
        { "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?[kKmMgG]?$" },
    ] })
}

/// Parses a duration between a millisecond and a year.
///
/// # Errors
///
/// Returns an error if the text is not such a duration.
pub fn parse_duration(text: &str) -> Result<Duration, QuantityError> {
    let year = Duration::from_secs(365 * 24 * 3600);
    match humantime::parse_duration(text.trim()) {
        Err(_) => Err(QuantityError::NotADuration(text.into())),
        Ok(time) if time < Duration::from_millis(1) || time > year => {
            Err(QuantityError::DurationOutOfRange(text.into()))
        }
        Ok(time) => Ok(time),
    }
}

/// Checks that a number lies between 0 and 1, both excluded.
///
/// # Errors
///
/// Returns an error if the number does not lie between 0 and 1.
pub fn check_fraction(number: f64) -> Result<f64, QuantityError> {
    if number > 0.0 && number < 1.0 {
        Ok(number)
    } else {
        Err(QuantityError::NotBetweenZeroAndOne(number.to_string()))
    }
}

/// Checks that a number lies between 0 and 1, both included.
///
/// # Errors
///
/// Returns an error if the number does not lie between 0 and 1.
pub fn check_share(number: f64) -> Result<f64, QuantityError> {
    match (0.0..=1.0).contains(&number) {
        true => Ok(number),
        false => Err(QuantityError::NotAShare(number.to_string())),
    }
}

/// The default number of repeats, the minimum that shows how much a method's results vary by chance.
pub(crate) const DEFAULT_REPEATS: u64 = 3;

/// Parses a number between 0 and 1, both excluded.
///
/// # Errors
///
/// Returns an error if the text is not such a number.
pub fn parse_fraction(text: &str) -> Result<f64, QuantityError> {
    // Text that is not a number gets the error for numbers out of range.
    let refused = || QuantityError::NotBetweenZeroAndOne(format!("`{text}`"));
    check_fraction(text.parse().map_err(|_| refused())?)
}

/// Parses a number between 0 and 1, both included.
///
/// # Errors
///
/// Returns an error if the text is not such a number.
pub fn parse_share(text: &str) -> Result<f64, QuantityError> {
    let refused = || QuantityError::NotAShare(format!("`{text}`"));
    check_share(text.parse().map_err(|_| refused())?)
}

/// Parses a number of games.
///
/// # Errors
///
/// Returns an error if the text is not such a number.
pub fn parse_games(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, GAMES_RANGE)
}

/// Parses a number of iterations.
///
/// # Errors
///
/// Returns an error if the text is not such a number.
pub fn parse_iterations(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, ITERATIONS_RANGE)
}

/// Formats a number of games as users type it: 500k, 5M.
pub fn as_typed(games: u64) -> String {
    match games {
        games if games % 1_000_000 == 0 => format!("{}M", games / 1_000_000),
        games if games % 1000 == 0 => format!("{}k", games / 1000),
        games => games.to_string(),
    }
}

/// Parses a number of pairs of games.
///
/// # Errors
///
/// Returns an error if the text is not such a number.
pub fn parse_pairs(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, PAIRS_RANGE)
}

/// Parses a list of counts, each with or without a suffix.
pub(crate) fn counts<'de, T: From<Vec<u64>>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let all = Vec::<Count>::deserialize(from)?;
    Ok(T::from(all.into_iter().map(|Count(count)| count).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_written_as_they_are_typed() {
        assert_eq!([1, 1500, 60_000, 5_000_000].map(as_typed), ["1", "1500", "60k", "5M"]);
    }

    #[test]
    fn counts_are_read_with_their_suffix() {
        let parse = |text| parse_count(text, GAMES_RANGE).map_err(|error| error.to_string());
        for (text, count) in [
            ("2", 2),
            ("500k", 500_000),
            ("2M", 2_000_000),
            ("2.5M", 2_500_000),
            ("1e6", 1_000_000),
        ] {
            assert_eq!(parse(text), Ok(count), "{text}");
        }
        for text in ["", "k", "many", "nan", "1.5", "0.0001k"] {
            let expected =
                format!("`{text}` is not a whole number; write it as 500000, 500k, 2M or 1G");
            assert_eq!(parse(text), Err(expected), "{text}");
        }
        for text in ["-5", "-2M", "0", "1", "1e30", "99999999999999999999", "18446744073709551615G"]
        {
            let expected = format!("{text} is out of range: 2 to 1000000000000000 are allowed");
            assert_eq!(parse(text), Err(expected), "{text}");
        }
    }

    #[test]
    fn durations_are_read_with_their_unit() {
        assert_eq!(parse_duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("2h 30m"), Ok(Duration::from_secs(9000)));
        for text in ["0s", "100years"] {
            assert_eq!(parse_duration(text), Err(QuantityError::DurationOutOfRange(text.into())));
        }
    }

    #[test]
    fn fractions_exclude_their_ends() {
        assert_eq!(check_fraction(0.05), Ok(0.05));
        for number in [0.0, 1.0, -0.1, 2.0, f64::NAN, f64::INFINITY] {
            assert!(check_fraction(number).is_err(), "{number}");
        }
    }
}
