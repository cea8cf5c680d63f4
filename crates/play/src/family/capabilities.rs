//! What some families can do and others cannot, with the types of the families erased.

use std::sync::Arc;

use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_games::Rule;
use ruse_games::rule_file::RuleFile;
use ruse_strategies::certificate::{Certificate, Work};
use ruse_strategies::{BestResponse, Episode};

use super::learner::Decide;
use super::player::{Home, MatchError, Player, Result};
use super::set::FamilySet;
use super::teaching::Proposals;
use crate::score::{Divergence, SampleMean};
use crate::session::{Environment, Session};

/// The capabilities of a family. A missing capability is `None`.
#[derive(Clone, Copy, Default)]
pub struct AnyCapabilities<'a> {
    /// The rules that can be changed.
    pub rules: Option<&'a dyn AnyRules>,
    /// The rule file of the game.
    pub rule_file: Option<&'a RuleFile>,
    /// The families of a set.
    pub set: Option<&'a FamilySet>,
    /// Players that search, or that belong to several families.
    pub players: Option<&'a dyn AnyPlayers>,
    /// Best responses among all strategies.
    pub responses: Option<&'a dyn AnyResponses>,
    /// Measurements besides the score.
    pub measures: Option<&'a dyn AnyMeasures>,
    /// Interactive games.
    pub board: Option<&'a dyn AnyBoard>,
    /// Games by numbers.
    pub numbers: Option<&'a dyn AnyNumbers>,
    /// Games of strategies against themselves, if the action probabilities of the strategies can be differentiated.
    pub self_play: Option<&'a dyn AnySelfPlay>,
    /// Learning from games in which other actions are tried.
    pub teaching: Option<&'a dyn AnyTeaching>,
    /// Whether the family is that of a program that was not asked: any parameters and any name of a player are valid.
    pub takes_anything: bool,
    /// Whether the same seed may give other results.
    pub may_differ: bool,
}

/// The rules of a family that can be changed.
pub trait AnyRules {
    /// Returns the rules with their current values.
    fn rules(&self) -> Vec<Rule>;

    /// Returns the rules that files [leave out](ruse_games::AdjustableRules::IMPLIED), each with the value at which they do.
    fn implied(&self) -> &'static [(&'static str, u64)];

    /// Returns the value that `text` stands for, if values of this rule have names.
    fn rule_value(&self, rule: &str, text: &str) -> Option<u64>;

    /// Returns whether parameters mean the same with every value of the rule, so that a strategy that was tuned with
    /// another value may play.
    fn is_portable(&self, rule: &str) -> bool;
}

/// The players of a family besides its strategies.
pub trait AnyPlayers {
    /// Returns the names of the methods of searching players that the family supports.
    fn search_methods(&self) -> Vec<&'static str>;

    /// Returns the family as a [`Home`], whose players can play in other families of the same game. Returns `None`, the
    /// default, if players of this family can play only in this family.
    fn home(&self) -> Option<Home> {
        None
    }
}

/// Best responses to the strategies of a family, among all strategies that the rules allow.
pub trait AnyResponses {
    /// Returns the best response to `strategy`, if it can be computed exactly. The computation may take seconds.
    ///
    /// # Errors
    ///
    /// Returns an error if `strategy` does not belong to this family.
    fn best_response(&self, strategy: &Player) -> Result<Option<BestResponse>>;

    /// Returns bounds on the score of the best response to `strategy`, if bounds are known. The computation takes up to a
    /// few minutes.
    ///
    /// # Errors
    ///
    /// Returns an error if `strategy` is not of this family.
    fn certificate(&self, strategy: &Player, work: &Work<'_>) -> Result<Option<Certificate>>;
}

/// Measurements besides the score, in the games of a family.
pub trait AnyMeasures {
    /// Measures how often `strategy` decides differently from the reference strategy named `reference`, in pairs of
    /// games between the two.
    ///
    /// # Errors
    ///
    /// Returns an error if a player does not belong to this family, or if the games were stopped.
    fn divergence(
        &self,
        strategy: &Player,
        reference: &str,
        key: StreamKey,
        pairs: u64,
        stop: &StopSignal,
    ) -> Result<Divergence, MatchError>;

    /// Returns the mean goals of both players in the first pairs of `a` against `b`; computes them if `pairs` is 0.
    /// Returns `None` if they cannot be computed, or carry no more information than the payoffs.
    ///
    /// # Errors
    ///
    /// Returns an error if a player does not belong to this family, or if the games were stopped.
    fn mean_goals(
        &self,
        a: &Player,
        b: &Player,
        key: StreamKey,
        pairs: u64,
        stop: &StopSignal,
    ) -> Result<Option<[SampleMean; 2]>, MatchError>;
}

/// The interactive games of a family.
pub trait AnyBoard {
    /// Returns the name of the default opponent.
    fn opponent(&self) -> &'static str;

    /// Starts a session against `opponent` in which `player` takes the place of the user, or advises the user. All
    /// randomness comes from children of `key`.
    ///
    /// # Errors
    ///
    /// Returns an error if a player does not belong to this family.
    fn sit_down(
        &self,
        player: &Player,
        opponent: &Player,
        key: StreamKey,
    ) -> Result<Box<dyn Session>>;
}

/// The games of a family for learners, to which observations and actions are numbers.
pub trait AnyNumbers {
    /// Opens `num_tables` tables at which a learner plays against `opponent`. All randomness comes from children of `key`;
    /// the deals are the same as in a [session](AnyBoard::sit_down) with this key.
    ///
    /// # Errors
    ///
    /// Returns an error if `opponent` does not belong to this family.
    fn environment(
        &self,
        opponent: &Player,
        key: StreamKey,
        num_tables: usize,
    ) -> Result<Box<dyn Environment>>;

    /// Returns the player of the game that decides by a function of numbers.
    fn learner(&self, decide: Arc<dyn Decide>) -> Player;
}

/// The learning of a family's strategies from games in which other actions are tried.
pub trait AnyTeaching {
    /// Plays games of the strategy with the parameters in `sides` against the opponent, each of them several times with
    /// other actions at one decision, and returns strategies that would have done better. `numbers` are the largest number
    /// of games and of these strategies. All randomness comes from children of `key`.
    ///
    /// # Errors
    ///
    /// Returns an error if the work was stopped.
    ///
    /// # Panics
    ///
    /// Panics if a side does not belong to this family.
    fn proposals(
        &self,
        sides: (&[f64], &Player),
        numbers: (u64, usize),
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<Proposals, Stopped>;
}

/// The self-play of a family whose strategies are [log-linear](ruse_search::LogLinear).
pub trait AnySelfPlay: Send + Sync {
    /// Returns the coordinates of the strategy with parameters `theta`: `[dimension]`.
    fn coordinates(&self, theta: &[f64]) -> Vec<f64>;

    /// Returns the parameters of the strategy with these coordinates: `[dimension]`.
    fn parameters(&self, coordinates: &[f64]) -> Vec<f64>;

    /// Plays games of the strategy with parameters `theta` against itself, on the threads of the current pool. Each game
    /// depends only on `key` and on its index.
    ///
    /// # Errors
    ///
    /// Returns an error if the work was stopped.
    ///
    /// # Panics
    ///
    /// Panics if `theta` is not in the parameter space.
    fn play(
        &self,
        theta: &[f64],
        key: StreamKey,
        num_games: u64,
        stop: &StopSignal,
    ) -> Result<Vec<Episode>, Stopped>;
}
