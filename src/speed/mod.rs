//! Measures how fast this machine plays and decides, so that users can compare machines.
//!
//! This is the only module of the library that measures time. The games are fixed, but the clock decides how often they
//! are played. Nothing else may depend on this number.

mod decisions;
mod families;
mod process;

pub use decisions::{Decisions, decisions};
pub use families::{Speed, speed};
pub use process::peak_memory_bytes;
use rand_distr::Distribution;
use ruse_base::rng::{Gaussian, Label, StreamKey};
use ruse_play::arena::Duel;
use ruse_play::family::{AnyFamily, Player};

/// The number of timed duels. There are several, because the time of a game depends on the players' Gaussian
/// parameters.
const NUM_DUELS: u64 = 8;

/// A number of games, and their time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timed {
    /// The number of games.
    pub games: u64,
    /// The wall-clock time, in seconds.
    pub elapsed_s: f64,
    /// The processor time of all threads, in seconds, if the platform reports it.
    pub cpu_s: Option<f64>,
}

impl Timed {
    /// Adds another measurement to this one.
    pub fn add(&mut self, other: Timed) {
        *self = match self.games {
            0 => other,
            _ => Timed {
                games: self.games + other.games,
                elapsed_s: self.elapsed_s + other.elapsed_s,
                cpu_s: self.cpu_s.zip(other.cpu_s).map(|(x, y)| x + y),
            },
        };
    }

    /// Returns the games per second of processor time, or `None` if that time is unknown or too short to measure.
    pub fn games_per_cpu_s(&self) -> Option<f64> {
        self.cpu_s.filter(|&cpu_s| cpu_s > 0.0).map(|cpu_s| self.games as f64 / cpu_s)
    }

    /// Returns the games per second, or `None` before any games were timed.
    pub fn games_per_s(&self) -> Option<f64> {
        (self.games > 0 && self.elapsed_s > 0.0).then(|| self.games as f64 / self.elapsed_s)
    }
}

/// Returns eight duels between strategies with standard Gaussian parameters, the same in every program.
pub fn gaussian_duels(family: &dyn AnyFamily) -> Vec<Duel> {
    let gaussian = |index| {
        let mut stream = StreamKey::root(index).child(Label::Start, 0).stream();
        let draws = (0..family.space().dimension()).map(|_| Gaussian.sample(&mut stream));
        Player::Parameters(draws.collect())
    };
    let duel = |index| family.duel(&gaussian(2 * index), &gaussian(2 * index + 1));
    (0..NUM_DUELS).map(|index| duel(index).expect("Gaussian parameters are valid")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up() {
        let mut sum = Timed::default();
        assert_eq!((sum.games_per_s(), sum.games_per_cpu_s()), (None, None));
        sum.add(Timed { games: 6, elapsed_s: 2.0, cpu_s: Some(1.0) });
        sum.add(Timed { games: 6, elapsed_s: 2.0, cpu_s: Some(0.5) });
        assert_eq!((sum.games_per_s(), sum.games_per_cpu_s()), (Some(3.0), Some(8.0)));
        sum.add(Timed { games: 2, elapsed_s: 3.0, cpu_s: None });
        assert_eq!((sum.games_per_s(), sum.games_per_cpu_s()), (Some(2.0), None));
    }
}
