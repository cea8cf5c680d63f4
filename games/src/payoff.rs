//! The result of a game, and whose turn it is.

use std::cmp::Ordering;
use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Seat;

/// The payoff of a finished game to one side, from 0 to 1. The function or field that provides the payoff says which
/// side.
///
/// A payoff is an exact fraction with the denominator [`PARTS`](Payoff::PARTS). Loss, draw and win are 0, 1/2 and 1.
/// The goals of rule files, from 0 to 100, can be averaged over up to six roles without rounding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Payoff(u16);

impl Payoff {
    /// The denominator of all payoffs: divisible by 200 times any number of roles up to six.
    pub const PARTS: u16 = 12_000;
    /// The side lost: 0.
    pub const LOSS: Payoff = Payoff(0);
    /// Neither side won: 1/2.
    pub const DRAW: Payoff = Payoff(Self::PARTS / 2);
    /// The side won: 1.
    pub const WIN: Payoff = Payoff(Self::PARTS);

    /// Returns the payoff `parts` / [`PARTS`](Payoff::PARTS), or `None` if `parts` is above [`PARTS`](Payoff::PARTS).
    #[inline]
    pub const fn from_parts(parts: u16) -> Option<Payoff> {
        if parts <= Self::PARTS { Some(Payoff(parts)) } else { None }
    }

    /// Returns the numerator, in units of 1 / [`PARTS`](Payoff::PARTS).
    #[inline]
    pub const fn parts(self) -> u16 {
        self.0
    }

    /// Returns the payoff as a number in [0, 1].
    #[inline]
    pub fn score(self) -> f64 {
        f64::from(self.0) / f64::from(Self::PARTS)
    }

    /// Returns the same result from the point of view of the other side.
    #[inline]
    #[must_use]
    pub const fn reversed(self) -> Payoff {
        Payoff(Self::PARTS - self.0)
    }

    /// Returns 2 for a win, 1 for a draw, 0 for a loss, and `None` for any other payoff.
    #[inline]
    pub const fn half_points(self) -> Option<u8> {
        match self {
            Payoff::LOSS => Some(0),
            Payoff::DRAW => Some(1),
            Payoff::WIN => Some(2),
            _ => None,
        }
    }

    /// Returns the payoff to [`Seat::First`] of a game that `seat` has won.
    #[inline]
    pub const fn won_by(seat: Seat) -> Payoff {
        match seat {
            Seat::First => Payoff::WIN,
            Seat::Second => Payoff::LOSS,
        }
    }
}

/// The unit of the payoffs of a game, such as chips.
#[derive(Debug, Clone, PartialEq)]
pub struct Units {
    /// The payoffs of the scores 0 and 1.
    pub range: [f64; 2],
    /// The name of the unit, which may be empty.
    pub name: String,
}

impl Units {
    /// Parses a range and perhaps a name, as in `-2 to 2 chips`.
    pub fn parse(text: &str) -> Option<Units> {
        let (low, rest) = text.split_once(" to ")?;
        let (high, name) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        let range = [low.trim().parse().ok()?, high.parse().ok()?];
        let is_range = range[0] < range[1] && range.iter().all(|end: &f64| end.is_finite());
        is_range.then(|| Units { range, name: name.trim().into() })
    }

    /// Returns the payoff for a score in [0, 1].
    pub fn of(&self, score: f64) -> f64 {
        let [low, high] = self.range;
        low + score * (high - low)
    }

    /// Returns the payoff for a score, with this number of digits after the point, and the unit.
    pub fn text(&self, score: f64, digits: usize) -> String {
        format!("{:.digits$} {}", self.of(score), self.name).trim_end().into()
    }
}

/// Compares a side's points with the opponent's: more points win, and equal points are a draw.
impl From<Ordering> for Payoff {
    #[inline]
    fn from(own_to_other: Ordering) -> Payoff {
        match own_to_other {
            Ordering::Less => Payoff::LOSS,
            Ordering::Equal => Payoff::DRAW,
            Ordering::Greater => Payoff::WIN,
        }
    }
}

/// Writes `Win`, `Draw`, `Loss`, or a fraction.
impl fmt::Debug for Payoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Payoff::LOSS => f.write_str("Loss"),
            Payoff::DRAW => f.write_str("Draw"),
            Payoff::WIN => f.write_str("Win"),
            Payoff(parts) => write!(f, "{parts}/{}", Self::PARTS),
        }
    }
}

/// Serializes the payoff in the format of its [`Debug`] implementation.
impl Serialize for Payoff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{self:?}"))
    }
}

impl<'de> Deserialize<'de> for Payoff {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Payoff, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let graded = || {
            let (parts, whole) = text.split_once('/')?;
            (whole.parse() == Ok(Self::PARTS))
                .then(|| parts.parse().ok().and_then(Self::from_parts))?
        };
        match &*text {
            "Loss" => Ok(Payoff::LOSS),
            "Draw" => Ok(Payoff::DRAW),
            "Win" => Ok(Payoff::WIN),
            _ => graded().ok_or_else(|| D::Error::custom(format!("`{text}` is not a payoff"))),
        }
    }
}

/// The next step of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Turn {
    /// This seat chooses an action.
    Act(Seat),
    /// The game is over, with this payoff to [`Seat::First`].
    Over(Payoff),
}

impl Turn {
    /// Returns the turn after `seat` has moved: the game is over if the move wins, and a draw if it is the last one.
    #[inline(always)]
    pub(crate) fn after(seat: Seat, is_won: bool, is_last: bool) -> Turn {
        match (is_won, is_last) {
            (true, _) => Turn::Over(Payoff::won_by(seat)),
            (false, true) => Turn::Over(Payoff::DRAW),
            (false, false) => Turn::Act(seat.other()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payoffs_are_exact_fractions() {
        // One of six roles has the goal 100, and the other five have 33: (100 - 33 + 100) / 200 = 10 020 / 12 000.
        let graded = Payoff::from_parts(10_020).expect("below the whole");
        assert_eq!((graded.score(), graded.reversed().parts()), (0.835, 1980));
        assert_eq!(graded.half_points(), None);
        assert_eq!(Payoff::from_parts(12_001), None);
        assert_eq!(Payoff::won_by(Seat::Second), Payoff::WIN.reversed());
        assert_eq!(Payoff::DRAW.reversed(), Payoff::DRAW);
        let compared = [2, 1, 0].map(|own: u8| Payoff::from(own.cmp(&1)));
        assert_eq!(compared, [Payoff::WIN, Payoff::DRAW, Payoff::LOSS]);
        for roles in 1..=6 {
            assert_eq!(Payoff::PARTS % (200 * roles), 0, "{roles} roles");
        }
    }

    #[test]
    fn payoffs_are_read_as_they_are_written() {
        for (payoff, text) in [
            (Payoff::LOSS, "\"Loss\""),
            (Payoff::DRAW, "\"Draw\""),
            (Payoff::WIN, "\"Win\""),
            (Payoff(10_020), "\"10020/12000\""),
        ] {
            assert_eq!(serde_json::to_string(&payoff).expect("it can be written"), text);
            assert_eq!(serde_json::from_str::<Payoff>(text).expect("it can be read"), payoff);
        }
        for text in ["\"Victory\"", "\"1/2\"", "\"12001/12000\"", "\"/\""] {
            assert!(serde_json::from_str::<Payoff>(text).is_err(), "{text}");
        }
    }
}
