//! Families with their types erased.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use ruse_base::rng::StreamKey;
use ruse_games::rule_file::RuleFile;
use ruse_games::{BySeat, Rule, RulesError};
use ruse_picture::Picture;
use ruse_search::{ParameterError, ParameterSpace};
use ruse_strategies::certificate::{Certificate, Work};
use ruse_strategies::{BestResponse, FamilyInfo, Reference, picture_of_parameters};

use super::capabilities::{AnyBoard, AnyCapabilities, AnyPlayers, AnyRules, AnySelfPlay};
use super::player::{Guest, Player, PlayerError, Result};
use crate::arena::{Duel, League};
use crate::session::Session;

/// A [`Family`](ruse_strategies::Family) with its type erased. One dynamic call plays a block of games; there are no
/// dynamic calls within the block.
pub trait AnyFamily: Send + Sync {
    /// Returns the names of the family, and its description in a list of families.
    fn info(&self) -> FamilyInfo<'_>;

    /// Returns the name of the family, as users type it, in kebab-case.
    fn name(&self) -> &str {
        self.info().name
    }

    /// Returns whether strategies of the family with the name `family` may play in this family, because their parameters
    /// mean the same. By default, only strategies of this family may.
    fn accepts(&self, family: &str) -> bool {
        family == self.name()
    }

    /// Returns the same family with some rules changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the game does not support these rules.
    fn with_rules(&self, changes: &BTreeMap<String, u64>)
    -> Result<Arc<dyn AnyFamily>, RulesError>;

    /// Describes the violation of the rules, if the game has detected one. A game with a violation has no valid result.
    fn fault(&self) -> Option<String> {
        None
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

    /// Checks that a player belongs to this family. Starts no programs.
    ///
    /// # Errors
    ///
    /// Returns an error if the player does not belong to this family.
    fn check(&self, player: &Player) -> Result {
        self.league(&[player]).map(drop)
    }

    /// Returns whether the strategies with the parameters `a` and `b` are known to play alike: by default, if the parameters
    /// are equal.
    fn plays_alike(&self, a: &[f64], b: &[f64]) -> bool {
        a == b
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

    /// Creates a league of these players, in the given order.
    ///
    /// # Errors
    ///
    /// Returns an error if a player does not belong to this family.
    fn league(&self, players: &[&Player]) -> Result<Arc<dyn League>>;

    /// Like [`league`](AnyFamily::league), but the league is faster to create and slower to play. Use this method for a
    /// few games; the results are the same.
    ///
    /// # Errors
    ///
    /// Same as [`league`](AnyFamily::league).
    fn brief_league(&self, players: &[&Player]) -> Result<Arc<dyn League>> {
        self.league(players)
    }

    /// Returns the optional capabilities of the family, by default none.
    fn capabilities(&self) -> AnyCapabilities<'_> {
        AnyCapabilities::default()
    }
}

impl dyn AnyFamily + '_ {
    /// Returns the rules that can be changed, with their current values.
    pub fn rules(&self) -> Vec<Rule> {
        self.capabilities().rules.map(AnyRules::rules).unwrap_or_default()
    }

    /// Returns the values of the rules, by name, as files list them.
    pub fn rule_values(&self) -> BTreeMap<String, u64> {
        let implied = self.capabilities().rules.map_or(&[][..], |rules| rules.implied());
        let rules = self.rules().into_iter().map(|rule| (rule.name.into_owned(), rule.value));
        rules.filter(|(name, value)| !implied.contains(&(name, *value))).collect()
    }

    /// See [`AnyRules::rule_value`].
    pub fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        self.capabilities().rules?.rule_value(rule, text)
    }

    /// See [`AnyRules::is_portable`].
    pub fn is_portable(&self, rule: &str) -> bool {
        self.capabilities().rules.is_some_and(|rules| rules.is_portable(rule))
    }

    /// Returns the rule file of the game, if its rules come from a file.
    pub fn rule_file(&self) -> Option<&RuleFile> {
        self.capabilities().rule_file
    }

    /// Checks that `theta` is in the parameter space.
    ///
    /// # Errors
    ///
    /// Returns an error that contains the name of the family and the mismatch.
    pub fn check_parameters(&self, theta: &[f64]) -> Result {
        let is_valid = self.capabilities().takes_anything;
        let check = if is_valid { Ok(()) } else { self.space().check(theta) };
        check.map_err(|source| PlayerError::Parameters { family: self.name().into(), source })
    }

    /// Checks that `name` is the name of a reference strategy, of the random player or of a searching player.
    ///
    /// # Errors
    ///
    /// Returns an error if the family has no player with this name.
    pub fn check_named(&self, name: &str) -> Result {
        self.check(&Player::Named(name.into()))
    }

    /// Returns parameters whose strategy plays like the reference strategy `name`, if such parameters exist.
    pub fn reference_parameters(&self, name: &str) -> Option<Vec<f64>> {
        if self.capabilities().takes_anything {
            return Some(vec![0.0; self.space().dimension()]);
        }
        self.references().into_iter().find(|reference| reference.name == name)?.parameters
    }

    /// Returns the names of the methods of searching players that the family supports.
    pub fn search_methods(&self) -> Vec<&'static str> {
        self.capabilities().players.map(AnyPlayers::search_methods).unwrap_or_default()
    }

    /// Returns a player of this family for use in another family of the same game, or `None` if that is impossible.
    pub fn guest(&self, player: &Player) -> Option<Player> {
        let (home, player) = (self.capabilities().players?.home()?, Box::new(player.clone()));
        Some(Player::Guest(Guest { home, player }))
    }

    /// Returns `true` if the same seed always gives the same results.
    pub fn is_reproducible(&self) -> bool {
        !self.capabilities().may_differ
    }

    /// Returns the duel of `a` against `b`.
    ///
    /// # Errors
    ///
    /// Returns an error if a player does not belong to this family.
    pub fn duel(&self, a: &Player, b: &Player) -> Result<Duel> {
        Ok(Duel::new(&self.league(&[a, b])?, 0, 1))
    }

    /// See [`AnyResponses::best_response`](super::AnyResponses::best_response).
    ///
    /// # Errors
    ///
    /// Returns an error if `strategy` does not belong to this family.
    pub fn best_response(&self, strategy: &Player) -> Result<Option<BestResponse>> {
        let responses = self.capabilities().responses;
        responses.map_or(Ok(None), |responses| responses.best_response(strategy))
    }

    /// See [`AnyResponses::certificate`](super::AnyResponses::certificate).
    ///
    /// # Errors
    ///
    /// Returns an error if `strategy` does not belong to this family.
    pub fn certificate(&self, strategy: &Player, work: &Work<'_>) -> Result<Option<Certificate>> {
        let responses = self.capabilities().responses;
        responses.map_or(Ok(None), |responses| responses.certificate(strategy, work))
    }

    /// Returns the name of the default opponent in interactive play, or `None` if the game cannot be played
    /// interactively.
    pub fn board_opponent(&self) -> Option<&'static str> {
        self.capabilities().board.map(AnyBoard::opponent)
    }

    /// Starts an interactive session against `opponent`, which also advises the user. Returns `None` if the game cannot be
    /// played interactively. All randomness comes from children of `key`.
    ///
    /// # Errors
    ///
    /// Returns an error if the opponent does not belong to this family.
    pub fn sit_down(&self, opponent: &Player, key: StreamKey) -> Result<Option<Box<dyn Session>>> {
        self.sit_down_beside(opponent, opponent, key)
    }

    /// Starts a session against `opponent` in which `player` takes the place of the user. Returns `None` if the game cannot
    /// be played interactively. All randomness comes from children of `key`.
    ///
    /// # Errors
    ///
    /// Returns an error if a player does not belong to this family.
    pub fn sit_down_beside(
        &self,
        player: &Player,
        opponent: &Player,
        key: StreamKey,
    ) -> Result<Option<Box<dyn Session>>> {
        match self.capabilities().board {
            Some(board) => board.sit_down(player, opponent, key).map(Some),
            None => self.check(player).and_then(|()| self.check(opponent)).map(|()| None),
        }
    }

    /// Returns the games of strategies against themselves, if the action probabilities of the strategies can be
    /// differentiated.
    pub fn self_play(&self) -> Option<&dyn AnySelfPlay> {
        self.capabilities().self_play
    }
}
