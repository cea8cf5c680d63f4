//! Families with their types erased.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use ruse_games::rule_file::RuleFile;
use ruse_games::{BySeat, Rule, RulesError};
use ruse_strategies::certificate::{Certificate, Work};
use ruse_strategies::{
    BestResponse, FamilyInfo, ParameterError, ParameterSpace, Picture, Reference,
    picture_of_parameters,
};

use super::learner::Decide;
use super::player::{Guest, Home, MatchError, Player, PlayerError, check_weights};
use super::self_play::AnySelfPlay;
use super::teaching::Proposals;
use crate::arena::{Duel, League, StopSignal, Stopped};
use crate::names::UnknownName;
use crate::rng::StreamKey;
use crate::score::{Divergence, SampleMean};
use crate::session::{Environment, Session};

/// A [`Family`](ruse_strategies::Family) with its type erased. One dynamic call plays a block of games; there are no
/// dynamic calls within the block.
pub trait AnyFamily: Send + Sync {
    /// Returns the names of the family, and its description in a list of families.
    fn info(&self) -> FamilyInfo<'_>;

    /// Returns the name of the family, as users type it, in kebab-case.
    fn name(&self) -> &str {
        self.info().name
    }

    /// Returns the rules that can be changed, with their current values; by default, an empty list.
    fn rules(&self) -> Vec<Rule> {
        Vec::new()
    }

    /// Returns the value that `text` stands for, if values of this rule have names.
    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        let _ = (rule, text);
        None
    }

    /// Returns whether parameters mean the same with every value of the rule, so that a strategy that was tuned with
    /// another value may play. By default, returns `false`.
    fn is_portable(&self, rule: &str) -> bool {
        let _ = rule;
        false
    }

    /// Returns whether strategies of the family with the name `family` may play in this family, because their parameters
    /// mean the same. By default, only strategies of this family may.
    fn accepts(&self, family: &str) -> bool {
        family == self.name()
    }

    /// Returns the family of a set in which a pair of the comparison named by `key` is played. Returns `None`, the
    /// default, if the family is not a set.
    fn drawn(&self, key: StreamKey, pair: u64) -> Option<&dyn AnyFamily> {
        let _ = (key, pair);
        None
    }

    /// Returns the same family with some rules changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the game does not support these rules.
    fn with_rules(&self, changes: &BTreeMap<String, u64>)
    -> Result<Arc<dyn AnyFamily>, RulesError>;

    /// Returns the rule file of the game, if its rules come from a file.
    fn rule_file(&self) -> Option<&RuleFile> {
        None
    }

    /// Describes the violation of the rules, if the game has detected one. A game with a violation has no valid result.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Returns `true`, the default, if the same seed always gives the same results.
    fn is_reproducible(&self) -> bool {
        true
    }

    /// Returns remarks for the user who opens this family, such as warnings about its rule file; by default, an empty
    /// list.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the descriptions of families whose games programs play, by name: of this family, or of those in a set.
    /// [`FamilyReader::read_from`](super::FamilyReader::read_from) creates such a family without starting the program.
    /// By default, there are none.
    fn descriptions(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Returns the layout of the parameters.
    fn space(&self) -> ParameterSpace;

    /// Returns the range of parameters that belongs to each seat, if every parameter affects one seat only. The two
    /// ranges are disjoint and cover all parameters. Returns `None`, the default, if a parameter matters in both seats.
    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        None
    }

    /// Returns the named reference strategies; by default, an empty list.
    fn references(&self) -> Vec<Reference<()>> {
        Vec::new()
    }

    /// Checks that `theta` is in the parameter space.
    ///
    /// # Errors
    ///
    /// Returns an error that contains the name of the family and the mismatch.
    fn check_parameters(&self, theta: &[f64]) -> Result<(), PlayerError> {
        let check = self.space().check(theta);
        check.map_err(|source| PlayerError::Parameters { family: self.name().into(), source })
    }

    /// Returns the names of the methods of searching players that the family supports; by default, an empty list.
    fn search_methods(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Checks that `name` is the name of a reference strategy, of the random player or of a searching player.
    ///
    /// # Errors
    ///
    /// Returns an error if the family has no player with this name.
    fn check_named(&self, name: &str) -> Result<(), PlayerError> {
        self.league(&[&Player::Named(name.into())]).map(drop)
    }

    /// Checks that a player belongs to this family. Starts no programs.
    ///
    /// # Errors
    ///
    /// Returns an error if the player does not belong to this family.
    fn check(&self, player: &Player) -> Result<(), PlayerError> {
        match player {
            Player::Named(name) => self.check_named(name),
            Player::Mixture(members) => {
                check_weights(members.iter().map(|member| member.weight))?;
                members.iter().try_for_each(|member| self.check(&member.of))
            }
            _ => self.league(&[player]).map(drop),
        }
    }

    /// Returns whether the strategies with the parameters `a` and `b` are known to play alike: by default, if the parameters
    /// are equal.
    fn plays_alike(&self, a: &[f64], b: &[f64]) -> bool {
        a == b
    }

    /// Returns parameters whose strategy plays like the reference strategy `name`, if such parameters exist.
    fn reference_parameters(&self, name: &str) -> Option<Vec<f64>> {
        self.references().into_iter().find(|reference| reference.name == name)?.parameters
    }

    /// Measures how often `strategy` decides differently from the reference strategy named `reference`, in pairs of
    /// games between the two. By default there are no reference strategies.
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
    ) -> Result<Divergence, MatchError> {
        let _ = (strategy, key, pairs, stop);
        let none = std::iter::empty::<&str>();
        Err(PlayerError::from(UnknownName::new("reference strategy", reference, none)).into())
    }

    /// Returns the mean goals of both players in the first pairs of `a` against `b`; computes them if `pairs` is 0.
    /// Returns `None`, the default, if they cannot be computed, or carry no more information than the payoffs.
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
    ) -> Result<Option<[SampleMean; 2]>, MatchError> {
        let _ = (a, b, key, pairs, stop);
        Ok(None)
    }

    /// Describes in words how the strategy with parameters `theta` plays.
    ///
    /// # Errors
    ///
    /// Returns an error if `theta` is not in the parameter space.
    fn words(&self, theta: &[f64]) -> Result<String, ParameterError>;

    /// Returns the parameters of the strategy that `text` describes, or the first mistake in the text. The text has the form
    /// of [`words`](AnyFamily::words). The default is `None`, for families whose strategies are not texts.
    fn parameters_of_text(&self, text: &str) -> Option<Result<Vec<f64>, String>> {
        let _ = text;
        None
    }

    /// Returns a picture of the strategy with parameters `theta`; by default a picture of the parameters.
    ///
    /// # Errors
    ///
    /// Returns an error if `theta` is not in the parameter space.
    fn picture(&self, theta: &[f64]) -> Result<Picture, ParameterError> {
        let space = self.space();
        space.check(theta)?;
        Ok(picture_of_parameters(&space, theta))
    }

    /// Returns the games of strategies against themselves, if the action probabilities of the strategies can be
    /// differentiated. Returns `None`, the default, for other families.
    fn self_play(&self) -> Option<Box<dyn AnySelfPlay>> {
        None
    }

    /// Plays at most `max_games` games of the strategy with parameters `theta` against `opponent`, each of them several
    /// times with other actions at one decision, and returns up to `num` strategies that would have done better. All
    /// randomness comes from children of `key`. Returns `None`, the default, if the strategies do not learn from such games.
    ///
    /// # Errors
    ///
    /// Returns an error if the work was stopped.
    ///
    /// # Panics
    ///
    /// Panics if `theta` or `opponent` does not belong to this family.
    fn proposals(
        &self,
        (theta, opponent): (&[f64], &Player),
        (max_games, num): (u64, usize),
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<Option<Proposals>, Stopped> {
        let _ = (theta, opponent, max_games, num, key, stop);
        Ok(None)
    }

    /// Returns this family as a [`Home`], whose players can play in other families of the same game. Returns `None`,
    /// the default, if players of this family can play only in this family.
    fn home(&self) -> Option<Arc<dyn Home>> {
        None
    }

    /// Returns a player of this family for use in another family of the same game, or `None` if that is impossible.
    fn guest(&self, player: &Player) -> Option<Player> {
        let (home, player) = (self.home()?, Box::new(player.clone()));
        Some(Player::Guest(Guest { home, player }))
    }

    /// Returns the duel of `a` against `b`.
    ///
    /// # Errors
    ///
    /// Returns an error if a player does not belong to this family.
    fn duel(&self, a: &Player, b: &Player) -> Result<Duel, PlayerError> {
        Ok(Duel::new(&self.league(&[a, b])?, 0, 1))
    }

    /// Creates a league of these players, in the given order.
    ///
    /// # Errors
    ///
    /// Returns an error if a player does not belong to this family.
    fn league(&self, players: &[&Player]) -> Result<Arc<dyn League>, PlayerError>;

    /// Like [`league`](AnyFamily::league), but the league is faster to create and slower to play. Use this method for a
    /// few games; the results are the same.
    ///
    /// # Errors
    ///
    /// Same as [`league`](AnyFamily::league).
    fn brief_league(&self, players: &[&Player]) -> Result<Arc<dyn League>, PlayerError> {
        self.league(players)
    }

    /// Returns the best response to `strategy` among all strategies that the rules allow, if it can be computed
    /// exactly. The computation may take seconds.
    ///
    /// # Errors
    ///
    /// Returns an error if `strategy` does not belong to this family.
    fn best_response(&self, strategy: &Player) -> Result<Option<BestResponse>, PlayerError> {
        let _ = strategy;
        Ok(None)
    }

    /// Returns bounds on the score of the best response to `strategy` among all strategies that the rules allow. Returns
    /// `None`, the default, if no bounds are known. The computation takes up to a few minutes.
    ///
    /// # Errors
    ///
    /// Returns an error if `strategy` is not of this family.
    fn certificate(
        &self,
        strategy: &Player,
        work: &Work<'_>,
    ) -> Result<Option<Certificate>, PlayerError> {
        let _ = (strategy, work);
        Ok(None)
    }

    /// Returns the name of the default opponent in interactive play. Returns `None`, the default, if the game cannot be
    /// played interactively.
    fn board_opponent(&self) -> Option<&'static str> {
        None
    }

    /// Starts an interactive session against `opponent`; the session also advises the user. Returns `None` if the game
    /// cannot be played interactively. All randomness comes from children of `key`.
    ///
    /// # Errors
    ///
    /// Returns an error if the opponent does not belong to this family.
    fn sit_down(
        &self,
        opponent: &Player,
        key: StreamKey,
    ) -> Result<Option<Box<dyn Session>>, PlayerError> {
        self.sit_down_beside(opponent, opponent, key)
    }

    /// Starts a session against `opponent` in which `player` takes the place of the user. Returns `None`, the default,
    /// if the game cannot be played interactively. All randomness comes from children of `key`.
    ///
    /// # Errors
    ///
    /// Returns an error if a player does not belong to this family.
    fn sit_down_beside(
        &self,
        player: &Player,
        opponent: &Player,
        key: StreamKey,
    ) -> Result<Option<Box<dyn Session>>, PlayerError> {
        let _ = (player, opponent, key);
        Ok(None)
    }

    /// Opens `num_tables` tables at which a learner plays against `opponent` by numbers. Returns `None`, the default, if
    /// the actions of the game have no numbers. All randomness comes from children of `key`; the deals are those of a
    /// [session](AnyFamily::sit_down) with this key.
    ///
    /// # Errors
    ///
    /// Returns an error if `opponent` does not belong to this family.
    fn environment(
        &self,
        opponent: &Player,
        key: StreamKey,
        num_tables: usize,
    ) -> Result<Option<Box<dyn Environment>>, PlayerError> {
        let _ = (opponent, key, num_tables);
        Ok(None)
    }

    /// Returns the player of the game that decides by a function of numbers. Returns `None`, the default, if the actions of
    /// the game have no numbers.
    fn learner(&self, decide: Arc<dyn Decide>) -> Option<Player> {
        let _ = decide;
        None
    }
}
