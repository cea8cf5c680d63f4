//! Families of all types as trait objects.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ruse_base::names::UnknownName;
use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_games::{BySeat, Rule, RulesError};
use ruse_picture::Picture;
use ruse_programs::{ProgramName, ProgramPlayer};
use ruse_search::{AnyStrategy, ParameterError, ParameterSpace, ParametricStrategy, SearchName};
use ruse_strategies::certificate::{Certificate, Work};
use ruse_strategies::{
    AnyGame, AnyPlayer, BestResponse, Family, FamilyInfo, GameCapabilities, Mixture, Planner,
    Planning, Prepared, RANDOM, Redrawn, Reference, picture_of_parameters,
};

use super::any::AnyFamily;
use super::capabilities::{
    AnyBoard, AnyCapabilities, AnyMeasures, AnyNumbers, AnyPlayers, AnyResponses, AnyRules,
    AnySelfPlay, AnyTeaching,
};
use super::learner::{Decide, learner};
use super::opening::BETWEEN;
use super::player::{
    Guest, Home, MatchError, PlannerOf, Player, PlayerError, Result, check_weights,
};
use super::teaching::{self, Proposals};
use crate::arena::{League, TypedLeague, members_of};
use crate::score::{Divergence, SampleMean, divergence, mean_goals};
use crate::session::{BoardSession, Environment, FamilyEnvironment, Session};

/// Implements [`AnyFamily`] for a [`Family`].
pub struct ErasedFamily<F: Family> {
    pub(super) family: Arc<F>,
    /// The redrawn player, which is created on first use, because creating the names of hundreds of parameters takes
    /// longer than a game.
    redrawn: OnceLock<Arc<Redrawn<F>>>,
}

impl<F: Family> ErasedFamily<F> {
    /// Wraps a family.
    pub fn new(family: F) -> ErasedFamily<F> {
        ErasedFamily { family: Arc::new(family), redrawn: OnceLock::new() }
    }

    /// Returns a strategy of the family as a player, or the reason why its parameters are invalid.
    fn own(&self, made: Result<F::Strategy, ParameterError>) -> Result<Prepared<F>> {
        made.map(Prepared::Own)
            .map_err(|source| PlayerError::Parameters { family: self.info().name.into(), source })
    }

    fn redrawn(&self) -> &Arc<Redrawn<F>> {
        self.redrawn.get_or_init(|| Arc::new(Redrawn::new(&*self.family)))
    }

    fn league_of(
        &self,
        players: &[&Player],
        prepared: impl Fn(&Player) -> Result<Prepared<F>>,
    ) -> Result<Arc<dyn League>> {
        let (met, met_by_reference);
        let players = match players {
            [a, b] if a.is_open() || b.is_open() => {
                met = [a.meeting(b), b.meeting(a)];
                met_by_reference = met.each_ref();
                &met_by_reference[..]
            }
            _ => players,
        };
        // Hundreds of players with parameters would take long to compare with each other. Adding zero turns `-0.0` into the
        // `0.0` that it equals. NaN, which equals nothing, is rejected below.
        let mut known = BTreeMap::new();
        let first = |(index, player): (usize, &&Player)| match player {
            Player::Parameters(theta) if theta.iter().any(|value| value.is_nan()) => index,
            Player::Parameters(theta) => {
                let bits: Vec<u64> = theta.iter().map(|value| (value + 0.0).to_bits()).collect();
                *known.entry(bits).or_insert(index)
            }
            _ => players.iter().position(|other| other == player).unwrap_or(index),
        };
        let same = players.iter().enumerate().map(first).collect();
        let players = players.iter().map(|player| prepared(player));
        let players = players.collect::<Result<_, _>>()?;
        Ok(Arc::new(TypedLeague::new(Arc::clone(&self.family), players, same)))
    }

    fn prepared(&self, player: &Player) -> Result<Prepared<F>> {
        Ok(match player {
            Player::Parameters(theta) => {
                self.own(F::Strategy::from_parameters(self.family.game(), theta))?
            }
            Player::Named(name) if let Some(program) = ProgramName::parse(name) => {
                let player = program.and_then(|name| ProgramPlayer::new(self.any_game(), &name));
                Prepared::Searching(Arc::new(player.map_err(PlayerError::Program)?))
            }
            Player::Named(name) => match SearchName::parse(name) {
                Some(search) => Prepared::Searching(self.searching(&search?)?.into()),
                None => Prepared::Reference(self.reference(name)?),
            },
            Player::Redrawn => Prepared::Redrawn(Arc::clone(self.redrawn())),
            Player::Mixture(members) => {
                check_weights(members.iter().map(|member| member.weight))?;
                let members = members
                    .iter()
                    .map(|member| Ok((member.weight, self.prepared(&member.of)?)))
                    .collect::<Result<Vec<_>>>()?;
                let mixture = Mixture::new(members).expect("a weight is positive");
                // A mixture with one member is replaced by that member.
                mixture.into_only().unwrap_or_else(Prepared::Mixture)
            }
            Player::Guest(guest) => Prepared::from_any(self.welcomed(guest)?),
            Player::Planner(planner) => Prepared::Searching(Arc::new(self.planner(planner)?)),
        })
    }

    /// Returns the game, and the player, without the types of the family.
    fn any_game(&self) -> Arc<dyn AnyGame<F::Game>> {
        self.family.clone()
    }

    fn any_player(&self, player: &Player) -> Result<AnyPlayer<F::Game>> {
        self.prepared(player).map(Prepared::into_any)
    }

    fn planner(&self, of: &PlannerOf) -> Result<Planner<F::Game>> {
        let GameCapabilities { imagining, actions, .. } = self.family.capabilities().game;
        let against = of.against.as_ref().ok_or(PlayerError::NoOpponent)?;
        let planning = imagining.zip(actions).filter(|_| against.programs().is_empty());
        let Some((imagining, actions)) = planning else {
            return Err(PlayerError::NoPlanner { family: self.name().into() });
        };
        let game = self.family.game();
        let base = of.base.as_ref().unwrap_or(against);
        let [opponent, base] = [against, base].map(|player| self.any_player(player));
        let (opponent, base) = (members_of(game, &opponent?), members_of(game, &base?));
        Ok(Planner::new(game, Planning { imagining, actions }, opponent, base, of.settings))
    }

    /// Returns a player of another family, if that family plays the same game.
    fn welcomed(&self, guest: &Guest) -> Result<AnyPlayer<F::Game>> {
        let home = &guest.home;
        let other =
            || PlayerError::OtherGame { family: self.name().into(), guest: home.family.clone() };
        if home.game != self.info().game || !have_equal_values(&home.rules, &self.rules()) {
            return Err(other());
        }
        let player = (home.lend)(&guest.player)?;
        player.downcast().map(|player| *player).map_err(|_| other())
    }

    fn search(&self, name: &SearchName) -> Option<Box<dyn AnyStrategy<F::Game>>> {
        self.family.capabilities().searching?(self.family.game(), name)
    }

    fn searching(&self, name: &SearchName) -> Result<Box<dyn AnyStrategy<F::Game>>> {
        let no_search = || PlayerError::NoSearch {
            solves_stages: name.needs_rule_file(),
            family: self.info().name.into(),
            known: self.search_methods(),
        };
        self.search(name).ok_or_else(|| match name.special_setting() {
            Some((setting, lack)) => {
                PlayerError::NoSetting { family: self.info().name.into(), setting, lack }
            }
            None => no_search(),
        })
    }

    fn reference(&self, name: &str) -> Result<F::Reference> {
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
    fn info(&self) -> FamilyInfo<'_> {
        self.family.info()
    }

    fn accepts(&self, family: &str) -> bool {
        let kind = self.family.capabilities().kind;
        let of_kind = |part: &str| kind.is_some_and(|kind| is_of_kind(part, kind));
        let mut parts = family.split(BETWEEN);
        family == self.info().name
            || parts.clone().all(of_kind)
            || parts.any(|part| part == self.info().name)
    }

    fn with_rules(&self, rules: &BTreeMap<String, u64>) -> Result<Arc<dyn AnyFamily>, RulesError> {
        Ok(Arc::new(ErasedFamily::new(self.family.capabilities().with_rules(rules)?)))
    }

    fn fault(&self) -> Option<String> {
        self.family.capabilities().fault.and_then(|fault| fault(self.family.game()))
    }

    fn notes(&self) -> Vec<String> {
        let Some(file) = self.family.capabilities().rule_file else { return Vec::new() };
        let warnings = file.language_rules().warnings().iter();
        warnings.map(|warning| format!("warning: {}:{warning}", file.title())).collect()
    }

    fn space(&self) -> ParameterSpace {
        F::Strategy::space(self.family.game())
    }

    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        self.family.seats()
    }

    fn references(&self) -> Vec<Reference<()>> {
        self.family.references().into_iter().map(Reference::without_strategy).collect()
    }

    fn plays_alike(&self, a: &[f64], b: &[f64]) -> bool {
        F::Strategy::plays_alike(self.family.game(), a, b)
    }

    fn words(&self, theta: &[f64]) -> Result<String, ParameterError> {
        let strategy = F::Strategy::from_parameters(self.family.game(), theta)?;
        Ok(self.family.words(&strategy))
    }

    fn parameters_of_text(&self, text: &str) -> Option<Result<Vec<f64>, String>> {
        Some(self.family.capabilities().text?(self.family.game(), text))
    }

    fn picture(&self, theta: &[f64]) -> Result<Picture, ParameterError> {
        let strategy = F::Strategy::from_parameters(self.family.game(), theta)?;
        let picture = self.family.picture(&strategy);
        Ok(picture.unwrap_or_else(|| picture_of_parameters(&self.space(), theta)))
    }

    fn league(&self, players: &[&Player]) -> Result<Arc<dyn League>> {
        self.league_of(players, |player| self.prepared(player))
    }

    fn brief_league(&self, players: &[&Player]) -> Result<Arc<dyn League>> {
        self.league_of(players, |player| match player {
            Player::Parameters(theta) => {
                self.own(F::Strategy::for_few_games(self.family.game(), theta))
            }
            _ => self.prepared(player),
        })
    }

    /// Starts no programs.
    fn check(&self, player: &Player) -> Result {
        match player {
            Player::Named(name) if let Some(program) = ProgramName::parse(name) => program
                .and_then(|name| ProgramPlayer::check(&*self.family, &name))
                .map_err(PlayerError::Program),
            Player::Mixture(members) => {
                check_weights(members.iter().map(|member| member.weight))?;
                members.iter().try_for_each(|member| self.check(&member.of))
            }
            // For the check, any opponent will do.
            _ => self.prepared(&player.meeting(&Player::Redrawn)).map(drop),
        }
    }

    fn capabilities(&self) -> AnyCapabilities<'_> {
        let known = self.family.capabilities();
        let has_board = known.game.board.is_some();
        let has_numbers = has_board && known.game.numbered.is_some();
        AnyCapabilities {
            rules: Some(self),
            rule_file: known.rule_file,
            players: Some(self),
            responses: Some(self),
            measures: Some(self),
            board: has_board.then_some(self as &dyn AnyBoard),
            numbers: has_numbers.then_some(self as &dyn AnyNumbers),
            self_play: known.self_play.map(|_| self as &dyn AnySelfPlay),
            teaching: known.teaching.map(|_| self as &dyn AnyTeaching),
            ..AnyCapabilities::default()
        }
    }
}

impl<F: Family> AnyRules for ErasedFamily<F> {
    fn rules(&self) -> Vec<Rule> {
        self.family.capabilities().rules()
    }

    fn implied(&self) -> &'static [(&'static str, u64)] {
        self.family.capabilities().implied_rules()
    }

    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        self.family.capabilities().rule_value(rule, text)
    }

    fn is_portable(&self, rule: &str) -> bool {
        self.family.capabilities().is_portable(rule)
    }
}

impl<F: Family> AnyPlayers for ErasedFamily<F> {
    fn search_methods(&self) -> Vec<&'static str> {
        let is_searched = |method: &&str| {
            let name = SearchName::parse(method).and_then(Result::ok);
            name.is_some_and(|name| self.search(&name).is_some())
        };
        SearchName::methods().filter(is_searched).collect()
    }

    fn home(&self) -> Option<Home> {
        let info = self.info();
        let lender = ErasedFamily { family: Arc::clone(&self.family), redrawn: OnceLock::new() };
        Some(Home {
            family: info.name.into(),
            game: info.game.into(),
            rules: self.rules(),
            thinks_by_the_clock: false,
            lend: Arc::new(move |player| Ok(Box::new(lender.any_player(player)?))),
        })
    }
}

impl<F: Family> AnyResponses for ErasedFamily<F> {
    fn best_response(&self, strategy: &Player) -> Result<Option<BestResponse>> {
        Ok(self.family.best_response(&self.prepared(strategy)?))
    }

    fn certificate(&self, strategy: &Player, work: &Work<'_>) -> Result<Option<Certificate>> {
        Ok(self.family.certificate(&self.prepared(strategy)?, work))
    }
}

impl<F: Family> AnyMeasures for ErasedFamily<F> {
    fn divergence(
        &self,
        strategy: &Player,
        reference: &str,
        key: StreamKey,
        pairs: u64,
        stop: &StopSignal,
    ) -> Result<Divergence, MatchError> {
        let other = Prepared::<F>::Reference(self.reference(reference)?).into_any();
        let strategy = self.any_player(strategy)?;
        Ok(divergence(&*self.any_game(), &strategy, &other, key, pairs, stop)?)
    }

    fn mean_goals(
        &self,
        a: &Player,
        b: &Player,
        key: StreamKey,
        pairs: u64,
        stop: &StopSignal,
    ) -> Result<Option<[SampleMean; 2]>, MatchError> {
        let Some(goals) = self.family.capabilities().game.goals else { return Ok(None) };
        let (a, b) = (self.prepared(&a.meeting(b))?, self.prepared(&b.meeting(a))?);
        if pairs == 0 {
            return Ok(self.family.exact_goals(&a, &b).map(|goals| goals.map(SampleMean::exact)));
        }
        let players = [a, b].map(Prepared::into_any);
        Ok(mean_goals(self.family.game(), goals, players.each_ref(), key, pairs, stop)?)
    }
}

impl<F: Family> AnyBoard for ErasedFamily<F> {
    fn opponent(&self) -> &'static str {
        self.family.capabilities().game.board.expect("the game has a board").opponent
    }

    fn sit_down(
        &self,
        player: &Player,
        opponent: &Player,
        key: StreamKey,
    ) -> Result<Box<dyn Session>> {
        let adviser = (player != opponent).then(|| self.any_player(&player.meeting(opponent)));
        let (adviser, opponent) =
            (adviser.transpose()?, self.any_player(&opponent.meeting(player))?);
        Ok(Box::new(BoardSession::new(self.any_game(), opponent, adviser, key)))
    }
}

impl<F: Family> AnyNumbers for ErasedFamily<F> {
    fn environment(
        &self,
        opponent: &Player,
        key: StreamKey,
        num_tables: usize,
    ) -> Result<Box<dyn Environment>> {
        let opponent = self.any_player(opponent)?;
        Ok(Box::new(FamilyEnvironment::new(self.any_game(), opponent, key, num_tables)))
    }

    fn learner(&self, decide: Arc<dyn Decide>) -> Player {
        learner(&self.any_game(), decide)
    }
}

impl<F: Family> AnyTeaching for ErasedFamily<F> {
    fn proposals(
        &self,
        (theta, opponent): (&[f64], &Player),
        numbers: (u64, usize),
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<Proposals, Stopped> {
        let teaching = self.family.capabilities().teaching.expect("strategies that learn");
        let opponent = self.any_player(opponent).expect("the opponent was checked");
        let sides = (theta, &opponent);
        teaching::proposals(&*self.family, &teaching, sides, numbers, key, stop)
    }
}

/// Returns whether the family with this name has the kind, as `rts-script:MAP.txt` has the kind `rts-script`, and
/// `FILE.kif:uct` the kind `uct`.
fn is_of_kind(family: &str, kind: &str) -> bool {
    let is_end = |rest: &str, colon: fn(&str) -> bool| rest.is_empty() || colon(rest);
    family.strip_prefix(kind).is_some_and(|rest| is_end(rest, |rest| rest.starts_with(':')))
        || family.strip_suffix(kind).is_some_and(|rest| is_end(rest, |rest| rest.ends_with(':')))
}

/// Returns `true` if every rule in both lists has the same value in both. A family hides the rules that do not concern
/// it.
fn have_equal_values(a: &[Rule], b: &[Rule]) -> bool {
    a.iter().all(|a| b.iter().all(|b| a.name != b.name || a.value == b.value))
}
