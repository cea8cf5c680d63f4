//! Observations with a known distribution, for tests of races without games.

use rand::RngExt;
use ruse_base::rng::Stream;

/// The composition of one observation. The games of a pair are opposite with some probability, and otherwise
/// independent. The result of a game follows from a uniform number u; the result of the opposite game follows from 1 -
/// u.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Game,
    Pair {
        opposite: f64,
    },
    /// The difference between a pair that a candidate plays and a pair that an incumbent plays. The mean of their two
    /// winning rates is 1/2.
    TwoPairs {
        opposite: f64,
    },
}

pub(super) const INDEPENDENT: Kind = Kind::Pair { opposite: 0.0 };
/// Pairs whose two games have a correlation of -0.6 if the players are equally strong.
pub(super) const CORRELATED: Kind = Kind::Pair { opposite: 0.6 };
pub(super) const OPPOSITE: Kind = Kind::Pair { opposite: 1.0 };
pub(super) const TWO_PAIRS: Kind = Kind::TwoPairs { opposite: 0.0 };
pub(super) const TWO_OPPOSITE_PAIRS: Kind = Kind::TwoPairs { opposite: 1.0 };
/// The kinds of observations that tests combine with other settings.
pub(super) const KINDS: [Kind; 5] = [Kind::Game, INDEPENDENT, CORRELATED, OPPOSITE, TWO_PAIRS];

/// Observations with a known distribution.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) kind: Kind,
    pub(super) mu: f64,
    pub(super) draw: f64,
    /// The probabilities of the values from 0 to [`scale`](Sample::scale).
    pub(super) probabilities: Vec<f64>,
}

impl Sample {
    pub(super) fn new(kind: Kind, mu: f64, draw: f64) -> Sample {
        let probabilities = match kind {
            Kind::Game => vec![1.0 - mu - draw / 2.0, draw, mu - draw / 2.0],
            Kind::Pair { opposite } => pair(mu, draw, opposite),
            Kind::TwoPairs { opposite } => {
                let candidate = pair(mu, draw, opposite);
                let incumbent = pair(1.0 - mu, draw, opposite);
                let mut probabilities = vec![0.0; 9];
                for (x, p) in candidate.iter().enumerate() {
                    for (y, q) in incumbent.iter().enumerate() {
                        probabilities[4 + x - y] += p * q;
                    }
                }
                probabilities
            }
        };
        Sample { kind, mu, draw, probabilities }
    }

    pub(super) fn scale(&self) -> u16 {
        (self.probabilities.len() - 1) as u16
    }

    /// Returns an endless sequence of random observations.
    pub(super) fn observations(&self, rng: &mut Stream) -> impl Iterator<Item = u16> {
        // P(value > v): the value is the number of tails above a uniform number u in [0, 1).
        let mut tails = [0.0; 8];
        for (tail, first) in tails.iter_mut().zip(1..self.probabilities.len()) {
            *tail = self.probabilities[first..].iter().sum();
        }
        std::iter::repeat_with(move || {
            let u = rng.random::<f64>();
            tails.iter().map(|&tail| u16::from(u < tail)).sum()
        })
    }
}

/// Returns the probabilities of the sum of half points, from 0 to 4, in two games of winning rate `mu`.
fn pair(mu: f64, draw: f64, opposite: f64) -> Vec<f64> {
    let win = mu - draw / 2.0;
    let loss = 1.0 - win - draw;
    let game = [loss, draw, win];
    // Both games follow from one number u in [0, 1]: the first game from u, and the second from 1 - u.
    let borders = [0.0, loss, loss + draw, 1.0];
    let mut probabilities = vec![0.0; 5];
    for first in 0..3 {
        for second in 0..3 {
            let low = f64::max(borders[first], 1.0 - borders[second + 1]);
            let high = f64::min(borders[first + 1], 1.0 - borders[second]);
            probabilities[first + second] +=
                opposite * (high - low).max(0.0) + (1.0 - opposite) * game[first] * game[second];
        }
    }
    probabilities
}
