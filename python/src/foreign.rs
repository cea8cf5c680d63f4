//! A family whose pairs of games are replaced by comparisons in Python.
//!
//! With this family, searches use the methods, the driver and the referee of the library unchanged, so their random
//! numbers are the same as in `optimise`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use ruse::UnknownName;
use ruse::arena::{League, Opening, PairResult, StopReason, StopSignal, Stopped};
use ruse::family::{AnyFamily, MatchError, Player, PlayerError, ReferenceInfo};
use ruse::games::rule_file::RuleFile;
use ruse::games::{BySeat, Payoff, Rule, RulesError};
use ruse::rand::RngExt;
use ruse::rng::{Label, StreamKey};
use ruse::score::{Divergence, SampleMean};
use ruse::session::Session;
use ruse::strategies::{
    BestResponse, Mixture, Parameter, ParameterError, ParameterSpace, Picture,
    picture_of_parameters,
};

/// A request to compare two strategies.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The parameters of the candidate.
    pub(crate) a: Vec<f64>,
    /// The parameters of the candidate's opponent; `None` stands for the baseline.
    pub(crate) b: Option<Vec<f64>>,
    /// The key of the comparison. In games of `ruse`, the key and the number of the pair determine the deal.
    pub(crate) key: StreamKey,
    pub(crate) pair: u64,
}

/// Compares two strategies. Returns the score of the candidate as a level (see [`ForeignFamily::levels`]), or `None`
/// once the Python side has stopped answering.
pub(crate) type Answers = Arc<dyn Fn(Question) -> Option<u16> + Send + Sync>;

/// A family whose strategies are compared by the Python side.
pub(crate) struct ForeignFamily {
    pub(crate) dimension: usize,
    /// The highest level of an answer. Levels begin at 0, and each step of a payoff is two levels.
    pub(crate) levels: u16,
    pub(crate) answers: Answers,
}

impl ForeignFamily {
    /// Returns `true` if this number of levels is valid.
    pub(crate) fn is_allowed(levels: u16) -> bool {
        levels > 0 && levels.is_multiple_of(2) && Payoff::PARTS.is_multiple_of(levels / 2)
    }

    fn unknown(name: &str) -> PlayerError {
        UnknownName::new("reference strategy", name, std::iter::empty::<&str>()).into()
    }
}

/// The players that questions compare.
struct ForeignLeague {
    players: Vec<Player>,
    levels: u16,
    answers: Answers,
}

/// Returns the parameters of a player, or `None` for the baseline. If the player is a mixture, `key` draws the member.
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
            // A candidate has parameters; no method compares a baseline with another player.
            let (a, b) = (of(a).unwrap_or_default(), of(b));
            let answer = (self.answers)(Question { a, b, key, pair });
            let level = answer.ok_or(Stopped(StopReason::Interrupted))?;
            let first = level / 2;
            let payoff = |steps: u16| Payoff::from_parts(steps * step).unwrap_or(Payoff::WIN);
            *result = PairResult { as_first: payoff(first), as_second: payoff(level - first) };
        }
        Ok(())
    }

    fn open(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<Opening<PairResult>, Stopped> {
        let mut seen = PairResult::default();
        self.play(a, b, key, 0, std::slice::from_mut(&mut seen), stop)?;
        Ok(Opening { seen, exact: None })
    }

    /// Returns the pace of slow games, so that the driver requests no comparison before it is certain to need the
    /// result.
    fn pace(&self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }
}

impl AnyFamily for ForeignFamily {
    fn name(&self) -> &str {
        "function"
    }

    fn game_name(&self) -> &str {
        "function"
    }

    fn summary(&self) -> &str {
        "whatever a function compares"
    }

    fn rules(&self) -> Vec<Rule> {
        Vec::new()
    }

    fn rule_value(&self, _: &str, _: &str) -> Option<u64> {
        None
    }

    fn with_rules(
        &self,
        changes: &BTreeMap<String, u64>,
    ) -> Result<Arc<dyn AnyFamily>, RulesError> {
        let ForeignFamily { dimension, levels, .. } = *self;
        match changes.keys().next() {
            Some(name) => Err(RulesError::Unknown { name: name.clone(), known: Vec::new() }),
            None => {
                let answers = Arc::clone(&self.answers);
                Ok(Arc::new(ForeignFamily { dimension, levels, answers }))
            }
        }
    }

    fn rule_file(&self) -> Option<&RuleFile> {
        None
    }

    fn space(&self) -> ParameterSpace {
        let parameter = |index| Parameter {
            name: Cow::Owned(format!("x{index}")),
            meaning: Cow::Borrowed("known to the function"),
        };
        ParameterSpace::new((0..self.dimension).map(parameter).collect())
    }

    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        None
    }

    fn references(&self) -> Vec<ReferenceInfo> {
        Vec::new()
    }

    fn has_random_player(&self) -> bool {
        false
    }

    fn search_methods(&self) -> Vec<&'static str> {
        Vec::new()
    }

    fn check_named(&self, name: &str) -> Result<(), PlayerError> {
        Err(ForeignFamily::unknown(name))
    }

    fn reference_parameters(&self, _: &str) -> Option<Vec<f64>> {
        None
    }

    fn common_play(&self) -> Option<&str> {
        None
    }

    fn divergence(
        &self,
        _: &Player,
        reference: &str,
        _: StreamKey,
        _: u64,
        _: &StopSignal,
    ) -> Result<Divergence, MatchError> {
        Err(ForeignFamily::unknown(reference).into())
    }

    fn mean_goals(
        &self,
        _: &Player,
        _: &Player,
        _: StreamKey,
        _: u64,
        _: &StopSignal,
    ) -> Result<Option<[SampleMean; 2]>, MatchError> {
        Ok(None)
    }

    fn words(&self, theta: &[f64]) -> Result<String, ParameterError> {
        self.space().check(theta)?;
        Ok("plays as the function says".into())
    }

    fn picture(&self, theta: &[f64]) -> Result<Picture, ParameterError> {
        let space = self.space();
        space.check(theta)?;
        Ok(picture_of_parameters(&space, theta))
    }

    fn default_budget(&self) -> u64 {
        20_000
    }

    fn league(&self, players: &[&Player]) -> Result<Arc<dyn League>, PlayerError> {
        for player in players {
            match player {
                Player::Parameters(theta) => self.check_parameters(theta)?,
                Player::Named(name) => return Err(ForeignFamily::unknown(name)),
                _ => {}
            }
        }
        let players = players.iter().map(|player| (*player).clone()).collect();
        let answers = Arc::clone(&self.answers);
        Ok(Arc::new(ForeignLeague { players, levels: self.levels, answers }))
    }

    fn brief_league(&self, players: &[&Player]) -> Result<Arc<dyn League>, PlayerError> {
        self.league(players)
    }

    fn best_response(&self, _: &Player) -> Result<Option<BestResponse>, PlayerError> {
        Ok(None)
    }

    fn board_opponent(&self) -> Option<Cow<'static, str>> {
        None
    }

    fn sit_down(&self, _: &Player, _: StreamKey) -> Result<Option<Box<dyn Session>>, PlayerError> {
        Ok(None)
    }

    fn sit_down_beside(
        &self,
        _: &Player,
        _: &Player,
        _: StreamKey,
    ) -> Result<Option<Box<dyn Session>>, PlayerError> {
        Ok(None)
    }
}
