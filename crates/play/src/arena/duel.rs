//! Duels: two players of a league play each other, or the same opponent on common deals.

use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_strategies::{Mixture, PairResult};

use super::block::{Opening, Source};
use super::breadth::CountedPair;
use super::league::League;

/// Player A of a league and its opponent: another player, or a player drawn from a mixture for each pair. Results are
/// from A's point of view.
#[derive(Clone)]
pub struct Duel {
    league: Arc<dyn League>,
    a: usize,
    b: Opponent,
}

#[derive(Clone)]
enum Opponent {
    One(usize),
    Drawn(Mixture<usize>),
}

impl Duel {
    /// Creates the duel of player `a` against player `b`.
    pub fn new(league: &Arc<dyn League>, a: usize, b: usize) -> Duel {
        Duel { league: Arc::clone(league), a, b: Opponent::One(b) }
    }

    /// Creates the duel of player `a` against a mixture: one opponent is drawn for every pair. `weights` contains the
    /// index and the weight of each opponent.
    ///
    /// # Panics
    ///
    /// Panics if no weight is positive.
    pub fn against_mixture(
        league: &Arc<dyn League>,
        a: usize,
        weights: impl IntoIterator<Item = (usize, f64)>,
    ) -> Duel {
        let weights = weights.into_iter().map(|(index, weight)| (weight, index));
        let opponents = Mixture::new(weights).expect("an opponent has a positive weight");
        let b = opponents.into_only().map_or_else(Opponent::Drawn, Opponent::One);
        Duel { league: Arc::clone(league), a, b }
    }

    /// Returns A's score, in [0, 1], if it can be computed. The computation may take seconds.
    pub fn exact(&self) -> Option<f64> {
        match self.b {
            Opponent::One(b) => self.league.exact(self.a, b),
            Opponent::Drawn(_) => None,
        }
    }

    /// Returns `true` if the number of possible actions at each decision is known, so that decisions can be recorded.
    pub(super) fn counts(&self) -> bool {
        self.league.counts()
    }

    /// Plays a pair and records its decisions. The league must be able to [count actions](Duel::counts).
    pub(super) fn play_counted(
        &self,
        key: StreamKey,
        pair: u64,
        stop: &StopSignal,
    ) -> Result<CountedPair, Stopped> {
        let b = self.opponent(key, pair);
        let counted = self.league.play_counted(self.a, b, key, pair, stop)?;
        Ok(counted.expect("a league that counts in one state counts in all"))
    }

    fn opponent(&self, key: StreamKey, pair: u64) -> usize {
        match &self.b {
            Opponent::One(b) => *b,
            Opponent::Drawn(opponents) => {
                let choice = key.child(Label::Pair, pair).child(Label::Choice, 0);
                *opponents.drawn(choice.stream().random())
            }
        }
    }
}

impl Source for Duel {
    type Item = PairResult;
    const NUM_GAMES: u64 = 2;

    fn payoff_steps(&self) -> u16 {
        self.league.payoff_steps()
    }

    fn play(
        &self,
        key: StreamKey,
        first: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped> {
        if let Opponent::One(b) = self.b {
            return self.league.play(self.a, b, key, first, results, stop);
        }
        for (pair, result) in (first..).zip(results) {
            let b = self.opponent(key, pair);
            self.league.play(self.a, b, key, pair, std::slice::from_mut(result), stop)?;
        }
        Ok(())
    }

    fn open(&self, key: StreamKey, stop: &StopSignal) -> Result<Opening<PairResult>, Stopped> {
        let opening = self.league.open(self.a, self.opponent(key, 0), key, stop)?;
        Ok(match &self.b {
            Opponent::One(_) => opening,
            Opponent::Drawn(_) => Opening { exact: None, ..opening },
        })
    }

    fn pace(&self) -> Option<Duration> {
        self.league.pace()
    }
}

/// Two players of a league that play the same opponent on the same deals. Chance, the randomness of the seats and a
/// redrawn opponent are the same for both players.
#[derive(Clone)]
pub struct SameDeals {
    /// The league to which the players belong.
    pub league: Arc<dyn League>,
    /// The indices of the candidate and the incumbent in the league.
    pub players: [usize; 2],
    /// The index of the opponent in the league.
    pub opponent: usize,
}

impl Source for SameDeals {
    type Item = [PairResult; 2];
    const NUM_GAMES: u64 = 4;

    fn payoff_steps(&self) -> u16 {
        self.league.payoff_steps()
    }

    fn play(
        &self,
        key: StreamKey,
        first: u64,
        results: &mut [[PairResult; 2]],
        stop: &StopSignal,
    ) -> Result<(), Stopped> {
        // The results of a block fit on the stack.
        const BLOCK: usize = 64;
        let mut of_both = [PairResult::default(); 2 * BLOCK];
        for (block, results) in (0..).zip(results.chunks_mut(BLOCK)) {
            let n = results.len();
            let of_both = &mut of_both[..2 * n];
            let first = first + block * BLOCK as u64;
            self.league.play_each(&self.players, self.opponent, key, first, of_both, stop)?;
            for (index, result) in results.iter_mut().enumerate() {
                *result = [of_both[index], of_both[n + index]];
            }
        }
        Ok(())
    }

    fn open(&self, key: StreamKey, stop: &StopSignal) -> Result<Opening<[PairResult; 2]>, Stopped> {
        let open = |player| self.league.open(player, self.opponent, key, stop);
        let (candidate, incumbent) = (open(self.players[0])?, open(self.players[1])?);
        let scores = candidate.exact.zip(incumbent.exact);
        Ok(Opening {
            seen: [candidate.seen, incumbent.seen],
            // The exact mean of the observation Z = (1 + X' - X) / 2.
            exact: scores.map(|(candidate, incumbent)| (1.0 + candidate - incumbent) / 2.0),
        })
    }

    fn pace(&self) -> Option<Duration> {
        self.league.pace().map(|time| 2 * time)
    }
}
