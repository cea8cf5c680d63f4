//! Series of games between a user and a strategy.

use ruse_games::Seat;
use serde::Deserialize;

use super::transcript::Ending;

/// The seat of the user in the games of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum SeatChoice {
    /// The seat that moves first.
    First,
    /// The other seat.
    Second,
    /// First in the first game, second in the next, and so on.
    #[default]
    Alternate,
}

impl SeatChoice {
    /// Returns the seat of the user in a game. Games are numbered from 0.
    pub fn of_game(self, game: u64) -> Seat {
        match self {
            SeatChoice::First => Seat::First,
            SeatChoice::Second => Seat::Second,
            SeatChoice::Alternate if game.is_multiple_of(2) => Seat::First,
            SeatChoice::Alternate => Seat::Second,
        }
    }
}

/// The numbers of games that the user won, drew and lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeriesScore {
    /// The number of games that the user won.
    pub wins: u64,
    /// The number of games without a winner.
    pub draws: u64,
    /// The number of games that the user lost or gave up.
    pub losses: u64,
}

impl SeriesScore {
    /// Counts a game. Games that the user left do not count.
    pub fn add(&mut self, ending: Ending) {
        match ending {
            Ending::Win => self.wins += 1,
            Ending::Draw => self.draws += 1,
            Ending::Loss | Ending::GivenUp => self.losses += 1,
            Ending::Unfinished => (),
        }
    }
}
