//! A family whose pairs of games are replaced by comparisons in Python.
//!
//! Searches with this family use the library's methods, driver and referee unchanged, so their random numbers are as in
//! `optimise`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ruse::UnknownName;
use ruse::arena::{League, PairResult, StopReason, StopSignal, Stopped};
use ruse::family::{AnyFamily, Player, PlayerError};
use ruse::games::{Payoff, Rule, RulesError};
use ruse::rand::RngExt;
use ruse::rng::{Label, StreamKey};
use ruse::strategies::{FamilyInfo, Mixture, Parameter, ParameterError, ParameterSpace};

/// A request to compare two strategies.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The parameters of the candidate.
    pub(crate) a: Vec<f64>,
    /// The parameters of the opponent; `None` for the baseline.
    pub(crate) b: Option<Vec<f64>>,
    /// The key of the comparison. If `ruse` plays the game, the key and the pair's number determine the deal.
    pub(crate) key: StreamKey,
    pub(crate) pair: u64,
}

/// Compares two strategies. Returns the candidate's score as a level (see [`ForeignFamily::levels`]), or `None` once
/// Python has stopped answering.
pub(crate) type Answers = Arc<dyn Fn(Question) -> Option<u16> + Send + Sync>;

/// A family whose strategies Python compares.
#[derive(Clone)]
pub(crate) struct ForeignFamily {
    pub(crate) dimension: usize,
    /// The highest level of an answer; the lowest is 0. Levels are twice as fine as payoffs, because an answer is the
    /// mean of two payoffs.
    pub(crate) levels: u16,
    pub(crate) answers: Answers,
}

impl ForeignFamily {
    /// Returns `true` if this number of levels is valid.
    pub(crate) fn is_allowed(levels: u16) -> bool {
        levels > 0 && levels.is_multiple_of(2) && Payoff::PARTS.is_multiple_of(levels / 2)
    }
}

struct ForeignLeague {
    players: Vec<Player>,
    levels: u16,
    answers: Answers,
}

/// Returns the parameters of a player, or `None` for the baseline. The member of a mixture is drawn with `key`.
fn parameters(player: &Player, key: StreamKey) -> Option<Vec<f64>> {
    match player {
        Player::Parameters(theta) => Some(theta.clone()),
        Player::Mixture(members) => {
            let members = members.iter().map(|member| (member.weight, &member.of));
            let mixture = Mixture::new(members).expect("a member has a positive weight");
            let drawn = mixture.drawn(key.child(Label::Choice, 0).stream().random());
            parameters(drawn, key.child(Label::Choice, 1))
        }
        _ => None,
    }
}

impl League for ForeignLeague {
    fn payoff_steps(&self) -> u16 {
        self.levels / 2
    }

    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped> {
        let step = Payoff::PARTS / self.payoff_steps();
        for (pair, result) in (first_pair..).zip(results) {
            stop.check()?;
            let of_pair = key.child(Label::Pair, pair);
            let of = |index: usize| parameters(&self.players[index], of_pair);
            // A candidate has parameters; no method compares the baseline with another player.
            let (a, b) = (of(a).unwrap_or_default(), of(b));
            let answer = (self.answers)(Question { a, b, key, pair });
            let level = answer.ok_or(Stopped(StopReason::Interrupted))?;
            let first = level / 2;
            let payoff = |steps: u16| Payoff::from_parts(steps * step).unwrap_or(Payoff::WIN);
            *result = PairResult { as_first: payoff(first), as_second: payoff(level - first) };
        }
        Ok(())
    }

    /// Returns the pace of slow games, so that the driver requests only necessary comparisons.
    fn pace(&self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }
}

impl AnyFamily for ForeignFamily {
    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            default_budget: 20_000,
            ..FamilyInfo::new("function", "whatever a function compares")
        }
    }

    fn with_rules(
        &self,
        changes: &BTreeMap<String, u64>,
    ) -> Result<Arc<dyn AnyFamily>, RulesError> {
        Rule::change(&mut [], changes)?;
        Ok(Arc::new(self.clone()))
    }

    fn space(&self) -> ParameterSpace {
        let parameter = |index| Parameter {
            name: Cow::Owned(format!("x{index}")),
            meaning: Cow::Borrowed("known to the function"),
        };
        ParameterSpace::new((0..self.dimension).map(parameter).collect())
    }

    fn words(&self, theta: &[f64]) -> Result<String, ParameterError> {
        self.space().check(theta)?;
        Ok("plays as the function says".into())
    }

    fn league(&self, players: &[&Player]) -> Result<Arc<dyn League>, PlayerError> {
        for player in players {
            match player {
                Player::Parameters(theta) => (self as &dyn AnyFamily).check_parameters(theta)?,
                Player::Named(name) => {
                    let none = std::iter::empty::<&str>();
                    return Err(UnknownName::new("reference strategy", name, none).into());
                }
                _ => {}
            }
        }
        let players = players.iter().map(|player| (*player).clone()).collect();
        let answers = Arc::clone(&self.answers);
        Ok(Arc::new(ForeignLeague { players, levels: self.levels, answers }))
    }
}
