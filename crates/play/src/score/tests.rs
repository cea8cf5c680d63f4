//! Leagues for tests: one whose results are listed, so that scores can be calculated by hand, and one of strengths.

use std::sync::Mutex;
use std::time::Duration;

use rand::RngExt;
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_games::Payoff;
use ruse_strategies::PairResult;

use crate::arena::{League, Opened, Opening};

/// Returns a pair with these half points of side A.
pub(super) fn pair(as_first: u8, as_second: u8) -> PairResult {
    let payoff = |half_points| match half_points {
        0 => Payoff::LOSS,
        1 => Payoff::DRAW,
        _ => Payoff::WIN,
    };
    PairResult { as_first: payoff(as_first), as_second: payoff(as_second) }
}

/// The pairs that were played at once: both players, the key, the index of the first pair, and the number of pairs.
pub(super) type Played = (usize, usize, StreamKey, u64, usize);

/// A league whose results are listed.
#[derive(Default)]
pub(super) struct Listed {
    /// The results of a player against another. The list is repeated; a single result is known to be exact.
    pub(super) results: Vec<(usize, usize, Vec<PairResult>)>,
    /// The scores that can be computed.
    pub(super) computed: Vec<(usize, usize, f64)>,
    /// The duration of a pair.
    pub(super) pace: Option<Duration>,
    /// The steps in which payoffs are counted, if not the usual ones.
    pub(super) steps: Option<u16>,
    /// The pairs played so far, in order.
    pub(super) played: Mutex<Vec<Played>>,
}

impl Listed {
    fn of(&self, a: usize, b: usize) -> &[PairResult] {
        let found = self.results.iter().find(|(x, y, _)| (*x, *y) == (a, b));
        &found.unwrap_or_else(|| panic!("no results of {a} against {b}")).2
    }
}

impl League for Listed {
    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        _: &StopSignal,
    ) -> Result<(), Stopped> {
        let listed = self.of(a, b);
        let len = results.len();
        for (index, result) in (first_pair as usize..).zip(results) {
            *result = listed[index % listed.len()];
        }
        self.played.lock().expect("no panic").push((a, b, key, first_pair, len));
        Ok(())
    }

    fn open(&self, a: usize, b: usize, _: StreamKey, _: &StopSignal) -> Opened {
        let listed = self.of(a, b);
        let exact = (listed.len() == 1).then(|| listed[0].score());
        Ok(Opening { seen: listed[0], exact })
    }

    fn exact(&self, a: usize, b: usize) -> Option<f64> {
        self.computed.iter().find(|(x, y, _)| (*x, *y) == (a, b)).map(|known| known.2)
    }

    fn pace(&self) -> Option<Duration> {
        self.pace
    }

    fn payoff_steps(&self) -> u16 {
        self.steps.unwrap_or(2)
    }
}

/// Members with strengths: both games of a pair are won with the probability one half plus the difference of strengths.
pub(crate) struct Strengths(pub(crate) Vec<f64>);

impl League for Strengths {
    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        _: &StopSignal,
    ) -> Result<(), Stopped> {
        for (pair, result) in (first_pair..).zip(results) {
            let key = key.child(Label::Pair, pair).child(Label::Choice, (a * 100 + b) as u64);
            let mut rng = key.stream();
            let mut game = || match rng.random_bool(0.5 + self.0[a] - self.0[b]) {
                true => Payoff::WIN,
                false => Payoff::LOSS,
            };
            *result = PairResult { as_first: game(), as_second: game() };
        }
        Ok(())
    }
}
