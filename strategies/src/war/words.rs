//! Probabilities of orders, and shares of piles, in words.

use std::fmt::Write;

/// The probability below which people do not notice events.
pub(super) const SELDOM: f64 = 1e-4;

/// Formats a probability with two digits, and more near 0 and 1.
pub(super) fn in_words(probability: f64) -> String {
    match probability.min(1.0 - probability) {
        rest if rest >= 0.005 => format!("{probability:.2}"),
        rest if rest >= SELDOM => format!("{probability:.4}"),
        _ if probability == 1.0 || probability == 0.0 => format!("{probability}"),
        _ if probability > 0.5 => format!("over {}", 1.0 - SELDOM),
        _ => format!("under {SELDOM}"),
    }
}

/// Describes how often the random, the ascending and the descending order are drawn. `names` are the descending and the
/// ascending order.
pub(super) fn words_of_mixture(
    [random, ascending, descending]: [f64; 3],
    [in_reverse, in_order]: [&str; 2],
) -> String {
    let mut orders = [(descending, in_reverse), (ascending, in_order), (random, "random order")];
    orders.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut words = String::from("puts the cards won back in ");
    for (i, (probability, order)) in orders.into_iter().enumerate() {
        if i > 0 && probability < SELDOM {
            continue;
        }
        let separator = if i == 0 { "" } else { ", in " };
        let _ = write!(words, "{separator}{order} with probability {}", in_words(probability));
    }
    words
}

/// Returns the share of shuffled piles in words, as in "one pile in 2,000 is shuffled".
pub(super) fn shuffled(probability: f64) -> String {
    /// A game rarely has more piles than this number.
    const NEVER: f64 = 1e6;
    let piles = 1.0 / probability;
    match piles {
        piles if piles > NEVER => "no pile is shuffled".into(),
        piles if piles < 1.5 => "nearly every pile is shuffled".into(),
        piles => format!("one pile in {} is shuffled", grouped(piles)),
    }
}

/// Formats a number, at most a million, with two significant digits (three if it begins with 1) and thousands
/// separators.
fn grouped(number: f64) -> String {
    let mut unit = 1.0;
    while number / unit >= 200.0 {
        unit *= 10.0;
    }
    let rounded = ((number / unit).round() * unit) as u64;
    match (rounded / 1_000, rounded % 1_000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) if thousands < 1_000 => format!("{thousands},{rest:03}"),
        _ => "1,000,000".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_rounded() {
        let texts =
            [1.0, 0.5, 0.1, 1.0 / 145.4, 1.0 / 2_000.0, 1.0 / 23_456.0, 1.0 / 999_999.0, 0.0];
        assert_eq!(
            texts.map(shuffled),
            [
                "nearly every pile is shuffled",
                "one pile in 2 is shuffled",
                "one pile in 10 is shuffled",
                "one pile in 145 is shuffled",
                "one pile in 2,000 is shuffled",
                "one pile in 23,000 is shuffled",
                "one pile in 1,000,000 is shuffled",
                "no pile is shuffled",
            ]
        );
    }
}
