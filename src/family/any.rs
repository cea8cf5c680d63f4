//! A family behind one pointer.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ruse_games::rule_file::RuleFile;
use ruse_games::{BySeat, Rule, RulesError};
use ruse_strategies::search::{AnyStrategy, SearchName};
use ruse_strategies::{
    BestResponse, Family, Mixture, ParameterError, ParameterSpace, ParametricStrategy, Picture,
    Prepared, RANDOM, Redrawn, Reference, picture_of_parameters,
};

use super::player::{MatchError, Player, PlayerError, check_weights};
use crate::arena::{Duel, League, StopSignal, TypedLeague};
use crate::names::UnknownName;
use crate::rng::StreamKey;
use crate::score::{Divergence, SampleMean, divergence, mean_goals};
use crate::session::{BoardSession, Session};

/// The name of a reference strategy, and how it plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceInfo {
    /// The name a user types.
    pub name: Cow<'static, str>,
    /// How it plays, in one line.
    pub meaning: Cow<'static, str>,
}

/// A [`Family`] behind one pointer: a block of games is one dynamic call, a game none.
pub trait AnyFamily: Send + Sync {
    /// The name a user types, in kebab-case.
    fn name(&self) -> &str;

    /// The name of the game, in kebab-case.
    fn game_name(&self) -> &str;

    /// What the parameters decide, in one line.
    fn summary(&self) -> &str;

    /// The rules that can be changed, with the values in force.
    fn rules(&self) -> Vec<Rule>;

    /// The value of a rule that a text stands for, where values have names.
    fn rule_value(&self, rule: &str, text: &str) -> Option<u64>;

    /// The same family with some rules changed.
    ///
    /// # Errors
    ///
    /// When the game refuses these rules.
    fn with_rules(&self, changes: &BTreeMap<String, u64>)
    -> Result<Arc<dyn AnyFamily>, RulesError>;

    /// The rules of the game as they stand in a file, if they come from one.
    fn rule_file(&self) -> Option<&RuleFile>;

    /// What a game has met that its own rules forbid, if one has: such a game is worth nothing.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Whether the goals of both seats tell more than the payoff.
    fn goals_tell_more(&self) -> bool {
        false
    }

    /// The layout of the parameters.
    fn space(&self) -> ParameterSpace;

    /// Which parameters belong to which seat, where every parameter has an influence in one seat alone: two ranges of indices that
    /// do not overlap and together are all parameters. None where a parameter matters in both seats.
    fn seats(&self) -> Option<BySeat<Range<usize>>>;

    /// The named strategies.
    fn references(&self) -> Vec<ReferenceInfo>;

    /// Whether there is a player named `random` that takes any legal action, among the named strategies or beside them.
    fn has_random_player(&self) -> bool;

    /// Checks that `theta` is in the parameter space.
    ///
    /// # Errors
    ///
    /// Says which family expected what.
    fn check_parameters(&self, theta: &[f64]) -> Result<(), PlayerError> {
        let check = self.space().check(theta);
        check.map_err(|source| PlayerError::Parameters { family: self.name().into(), source })
    }

    /// The names of the methods of searching players that the family has.
    fn search_methods(&self) -> Vec<&'static str>;

    /// Whether `name` is that of a reference strategy, of the random player or of a searching one.
    ///
    /// # Errors
    ///
    /// When it is not.
    fn check_named(&self, name: &str) -> Result<(), PlayerError>;

    /// The parameters that play as the reference strategy of this name, if there are any.
    fn reference_parameters(&self, name: &str) -> Option<Vec<f64>>;

    /// The reference strategy that plays as people do, if there is one.
    fn common_play(&self) -> Option<&str>;

    /// How often `strategy` decides otherwise than the reference strategy of this name, in pairs of games
    /// between the two.
    ///
    /// # Errors
    ///
    /// When one is not of this family, or it was stopped.
    fn divergence(
        &self,
        strategy: &Player,
        reference: &str,
        key: StreamKey,
        pairs: u64,
        stop: &StopSignal,
    ) -> Result<Divergence, MatchError>;

    /// What both players reach in the first pairs of `a` against `b`, where goals are more than payoffs; none where they are not.
    ///
    /// # Errors
    ///
    /// When one is not of this family, or it was stopped.
    fn mean_goals(
        &self,
        a: &Player,
        b: &Player,
        key: StreamKey,
        pairs: u64,
        stop: &StopSignal,
    ) -> Result<Option<[SampleMean; 2]>, MatchError>;

    /// How the strategy of parameters `theta` plays, in words.
    ///
    /// # Errors
    ///
    /// When `theta` is not in the parameter space.
    fn words(&self, theta: &[f64]) -> Result<String, ParameterError>;

    /// What there is to see of the strategy of parameters `theta`: at least the parameters.
    ///
    /// # Errors
    ///
    /// When `theta` is not in the parameter space.
    fn picture(&self, theta: &[f64]) -> Result<Picture, ParameterError>;

    /// The games after which a run is worth reading.
    fn default_budget(&self) -> u64;

    /// The pairs of `a` against `b`.
    ///
    /// # Errors
    ///
    /// When a player is not of this family.
    fn duel(&self, a: &Player, b: &Player) -> Result<Duel, PlayerError> {
        Ok(Duel::new(&self.league(&[a, b])?, 0, 1))
    }

    /// A league of these players, in their order.
    ///
    /// # Errors
    ///
    /// When one is not of this family.
    fn league(&self, players: &[&Player]) -> Result<Arc<dyn League>, PlayerError>;

    /// The same league, made more quickly and slower to play in: for players that meet but for a few games. Results are the same.
    ///
    /// # Errors
    ///
    /// As [`league`](AnyFamily::league).
    fn brief_league(&self, players: &[&Player]) -> Result<Arc<dyn League>, PlayerError>;

    /// What `a` scores in pairs against `b`, in [0, 1], where it can be computed exactly. It may take seconds.
    ///
    /// # Errors
    ///
    /// When a player is not of this family.
    fn exact_score(&self, a: &Player, b: &Player) -> Result<Option<f64>, PlayerError> {
        Ok(self.duel(a, b)?.exact())
    }

    /// What the best strategy that the rules allow takes from `strategy`, where it can be computed exactly. It
    /// may take seconds.
    ///
    /// # Errors
    ///
    /// When `strategy` is not of this family.
    fn best_response(&self, strategy: &Player) -> Result<Option<BestResponse>, PlayerError>;

    /// The reference strategy that a person plays against who names none; none if persons cannot play.
    fn board_opponent(&self) -> Option<Cow<'static, str>>;

    /// A table at which a person plays against `opponent`; none if persons cannot play. All randomness comes from
    /// children of `key`.
    ///
    /// # Errors
    ///
    /// When the opponent is not of this family.
    fn sit_down(
        &self,
        opponent: &Player,
        key: StreamKey,
    ) -> Result<Option<Box<dyn Session>>, PlayerError>;

    /// A table at which `player` sits in the place of the person, against `opponent`; none if persons cannot play. All
    /// randomness comes from children of `key`.
    ///
    /// # Errors
    ///
    /// When a player is not of this family.
    fn sit_down_beside(
        &self,
        player: &Player,
        opponent: &Player,
        key: StreamKey,
    ) -> Result<Option<Box<dyn Session>>, PlayerError>;
}

/// The [`AnyFamily`] of a [`Family`].
pub struct ErasedFamily<F: Family> {
    family: Arc<F>,
    /// Made when it is first asked for: the names of hundreds of parameters take longer than a game.
    redrawn: OnceLock<Arc<Redrawn<F>>>,
}

impl<F: Family> ErasedFamily<F> {
    /// The family behind a pointer.
    pub fn new(family: F) -> ErasedFamily<F> {
        ErasedFamily { family: Arc::new(family), redrawn: OnceLock::new() }
    }

    /// The parametric strategy as it is made for a few games.
    fn briefly_prepared(&self, theta: &[f64]) -> Result<Prepared<F>, PlayerError> {
        let strategy = F::Strategy::for_few_games(self.family.game(), theta);
        strategy
            .map(Prepared::Own)
            .map_err(|source| PlayerError::Parameters { family: self.family.name().into(), source })
    }

    fn redrawn(&self) -> &Arc<Redrawn<F>> {
        self.redrawn.get_or_init(|| Arc::new(Redrawn::new(&*self.family)))
    }

    fn league_of(
        &self,
        players: &[&Player],
        prepared: impl Fn(&Player) -> Result<Prepared<F>, PlayerError>,
    ) -> Result<Arc<dyn League>, PlayerError> {
        // Numbers that are none are refused below, and are not even equal to themselves.
        let first =
            |(index, player)| players.iter().position(|other| other == player).unwrap_or(index);
        let same = players.iter().enumerate().map(first).collect();
        let players = players.iter().map(|player| prepared(player));
        let players = players.collect::<Result<_, _>>()?;
        Ok(Arc::new(TypedLeague::new(Arc::clone(&self.family), players, same)))
    }

    fn prepared(&self, player: &Player) -> Result<Prepared<F>, PlayerError> {
        Ok(match player {
            Player::Parameters(theta) => {
                Prepared::Own(F::Strategy::from_parameters(self.family.game(), theta).map_err(
                    |source| PlayerError::Parameters { family: self.family.name().into(), source },
                )?)
            }
            Player::Named(name) => match SearchName::parse(name) {
                Some(search) => Prepared::Searching(self.searching(&search?)?),
                None => Prepared::Reference(self.reference(name)?),
            },
            Player::Redrawn => Prepared::Redrawn(Arc::clone(self.redrawn())),
            Player::Mixture(members) => {
                check_weights(members.iter().map(|member| member.weight))?;
                let members = members
                    .iter()
                    .map(|member| Ok((member.weight, self.prepared(&member.of)?)))
                    .collect::<Result<Vec<_>, PlayerError>>()?;
                let mixture = Mixture::new(members).expect("a weight is positive");
                // A mixture of one is that player.
                mixture.into_only().unwrap_or_else(Prepared::Mixture)
            }
        })
    }

    fn searching(&self, name: &SearchName) -> Result<Box<dyn AnyStrategy<F::Game>>, PlayerError> {
        let no_search = || PlayerError::NoSearch {
            solves_stages: name.needs_rule_file(),
            family: self.family.name().into(),
            known: self.search_methods(),
        };
        let no_carry = || PlayerError::NoCarry { family: self.family.name().into() };
        self.family.searching(name).ok_or_else(|| match name.carries() {
            true => no_carry(),
            false => no_search(),
        })
    }

    fn reference(&self, name: &str) -> Result<F::Reference, PlayerError> {
        let mut references = self.family.references();
        match references.iter().position(|reference| reference.name == name) {
            Some(index) => Ok(references.swap_remove(index).strategy),
            None => match self.family.random_player() {
                Some(random) if name == RANDOM => Ok(random),
                _ => {
                    let known = references.iter().map(|reference| &*reference.name);
                    Err(UnknownName::new("reference strategy", name, known).into())
                }
            },
        }
    }
}

impl<F: Family> AnyFamily for ErasedFamily<F> {
    fn name(&self) -> &str {
        self.family.name()
    }

    fn game_name(&self) -> &str {
        self.family.game_name()
    }

    fn summary(&self) -> &str {
        self.family.summary()
    }

    fn rules(&self) -> Vec<Rule> {
        self.family.rules()
    }

    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        self.family.rule_value(rule, text)
    }

    fn with_rules(
        &self,
        changes: &BTreeMap<String, u64>,
    ) -> Result<Arc<dyn AnyFamily>, RulesError> {
        Ok(Arc::new(ErasedFamily::new(self.family.with_rules(changes)?)))
    }

    fn rule_file(&self) -> Option<&RuleFile> {
        self.family.rule_file()
    }

    fn fault(&self) -> Option<String> {
        self.family.fault()
    }

    fn goals_tell_more(&self) -> bool {
        self.family.goals_tell_more()
    }

    fn space(&self) -> ParameterSpace {
        F::Strategy::space(self.family.game())
    }

    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        self.family.seats()
    }

    fn references(&self) -> Vec<ReferenceInfo> {
        let references = self.family.references().into_iter();
        references.map(|Reference { name, meaning, .. }| ReferenceInfo { name, meaning }).collect()
    }

    fn reference_parameters(&self, name: &str) -> Option<Vec<f64>> {
        self.family.reference_parameters(name)
    }

    fn search_methods(&self) -> Vec<&'static str> {
        let is_searched = |method: &&str| {
            let name = SearchName::parse(method).and_then(Result::ok);
            name.is_some_and(|name| self.family.searching(&name).is_some())
        };
        SearchName::methods().filter(is_searched).collect()
    }

    fn check_named(&self, name: &str) -> Result<(), PlayerError> {
        match SearchName::parse(name) {
            Some(search) => self.searching(&search?).map(drop),
            None => self.reference(name).map(drop),
        }
    }

    fn has_random_player(&self) -> bool {
        self.family.random_player().is_some()
    }

    fn common_play(&self) -> Option<&str> {
        self.family.common_play()
    }

    fn divergence(
        &self,
        strategy: &Player,
        reference: &str,
        key: StreamKey,
        pairs: u64,
        stop: &StopSignal,
    ) -> Result<Divergence, MatchError> {
        let other = self.reference(reference)?;
        let strategy = self.prepared(strategy)?;
        Ok(divergence(&*self.family, &strategy, &other, key, pairs, stop)?)
    }

    fn mean_goals(
        &self,
        a: &Player,
        b: &Player,
        key: StreamKey,
        pairs: u64,
        stop: &StopSignal,
    ) -> Result<Option<[SampleMean; 2]>, MatchError> {
        let (a, b) = (self.prepared(a)?, self.prepared(b)?);
        Ok(mean_goals(&*self.family, (&a, &b), key, pairs, stop)?)
    }

    fn words(&self, theta: &[f64]) -> Result<String, ParameterError> {
        let strategy = F::Strategy::from_parameters(self.family.game(), theta)?;
        Ok(self.family.words(&strategy))
    }

    fn picture(&self, theta: &[f64]) -> Result<Picture, ParameterError> {
        let strategy = F::Strategy::from_parameters(self.family.game(), theta)?;
        let picture = self.family.picture(&strategy);
        Ok(picture.unwrap_or_else(|| picture_of_parameters(&self.space(), theta)))
    }

    fn default_budget(&self) -> u64 {
        self.family.default_budget()
    }

    fn league(&self, players: &[&Player]) -> Result<Arc<dyn League>, PlayerError> {
        self.league_of(players, |player| self.prepared(player))
    }

    fn brief_league(&self, players: &[&Player]) -> Result<Arc<dyn League>, PlayerError> {
        self.league_of(players, |player| match player {
            Player::Parameters(theta) => self.briefly_prepared(theta),
            _ => self.prepared(player),
        })
    }

    fn best_response(&self, strategy: &Player) -> Result<Option<BestResponse>, PlayerError> {
        Ok(self.family.best_response(&self.prepared(strategy)?))
    }

    fn board_opponent(&self) -> Option<Cow<'static, str>> {
        self.family.board().map(|open| open.opponent)
    }

    fn sit_down(
        &self,
        opponent: &Player,
        key: StreamKey,
    ) -> Result<Option<Box<dyn Session>>, PlayerError> {
        let opponent = self.prepared(opponent)?;
        Ok(BoardSession::new(Arc::clone(&self.family), opponent, None, key)
            .map(|session| -> Box<dyn Session> { Box::new(session) }))
    }

    fn sit_down_beside(
        &self,
        player: &Player,
        opponent: &Player,
        key: StreamKey,
    ) -> Result<Option<Box<dyn Session>>, PlayerError> {
        let (player, opponent) = (self.prepared(player)?, self.prepared(opponent)?);
        Ok(BoardSession::new(Arc::clone(&self.family), opponent, Some(player), key)
            .map(|session| -> Box<dyn Session> { Box::new(session) }))
    }
}
