//! The families of all games behind one interface.

use std::collections::BTreeMap;

use ruse_games::{AdjustableRules, Rule, RulesError};
use ruse_strategies::{
    AnyStrategy, BestResponse, Family, ParameterError, ParameterSpace, ParametricStrategy, Picture,
    Reference,
};

use crate::arena::{
    FirstTwo, Fixed, Given, League, Matchup, Member, Mixed, Redrawn, StopSignal, Stopped,
    TypedLeague,
};
use crate::names::UnknownName;
use crate::rng::StreamKey;
use crate::score::{Divergence, divergence};
use crate::session::{BoardSession, Opponent, Session};

/// A contestant of a family.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContestantSpec {
    /// The parametric strategy of these parameters.
    Parameters(Vec<f64>),
    /// A reference strategy of the family.
    Reference(String),
    /// The baseline, with parameters drawn anew for every pair.
    Redrawn,
    /// One of several strategies, drawn anew for every pair by its weight.
    Mixture(Vec<(f64, PureSpec)>),
}

/// A contestant that plays the same strategy in every pair.
#[derive(Debug, Clone, PartialEq)]
pub enum PureSpec {
    /// The parametric strategy of these parameters.
    Parameters(Vec<f64>),
    /// A reference strategy of the family.
    Reference(String),
}

impl PureSpec {
    /// The parameters, if it has any.
    pub fn parameters(&self) -> Option<&[f64]> {
        match self {
            PureSpec::Parameters(theta) => Some(theta),
            PureSpec::Reference(_) => None,
        }
    }
}

impl From<Vec<f64>> for PureSpec {
    fn from(theta: Vec<f64>) -> PureSpec {
        PureSpec::Parameters(theta)
    }
}

/// Why a contestant is not of a family.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchupError {
    /// The family has no such reference strategy.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The numbers do not fit the family.
    #[error("parameters of family `{family}`: {source}")]
    Parameters {
        /// The family.
        family: String,
        /// What is wrong.
        source: ParameterError,
    },
    /// The weights of a mixture are no weights.
    #[error("{0}")]
    Weights(#[from] WeightError),
}

/// Why numbers are not the weights of a mixture.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightError {
    /// A weight is negative, infinite or NaN.
    #[error("weight {index} of the mixture is {weight}, and must be a finite number, 0 or more")]
    NotAWeight {
        /// The member, from 0.
        index: usize,
        /// What was found.
        weight: f64,
    },
    /// All weights are zero, or there is none.
    #[error("the weights of the mixture are all zero: nobody can be drawn")]
    AllZero,
    /// The sum of the weights is too large for a number.
    #[error("the weights of the mixture are too large to be added")]
    TooLarge,
}

/// Checks that members can be drawn by these weights.
///
/// # Errors
///
/// When one is negative or no finite number, or all are zero.
pub fn check_weights(weights: impl IntoIterator<Item = f64>) -> Result<(), WeightError> {
    let mut sum = 0.0;
    for (index, weight) in weights.into_iter().enumerate() {
        if !weight.is_finite() || weight < 0.0 {
            return Err(WeightError::NotAWeight { index, weight });
        }
        sum += weight;
    }
    match sum {
        0.0 => Err(WeightError::AllZero),
        f64::INFINITY => Err(WeightError::TooLarge),
        _ => Ok(()),
    }
}

/// The name of a reference strategy, and how it plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferenceInfo {
    /// The name a user types.
    pub name: &'static str,
    /// How it plays, in one line.
    pub meaning: &'static str,
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

    /// The same family with some rules changed.
    ///
    /// # Errors
    ///
    /// When the game refuses these rules.
    fn with_rules(&self, changes: &BTreeMap<String, u64>)
    -> Result<Box<dyn AnyFamily>, RulesError>;

    /// The layout of the parameters.
    fn space(&self) -> ParameterSpace;

    /// The named strategies.
    fn references(&self) -> Vec<ReferenceInfo>;

    /// Checks that `theta` is in the parameter space.
    ///
    /// # Errors
    ///
    /// Says which family expected what.
    fn check_parameters(&self, theta: &[f64]) -> Result<(), MatchupError> {
        let check = self.space().check(theta);
        check.map_err(|source| MatchupError::Parameters { family: self.name().into(), source })
    }

    /// The reference strategy that plays as people do, if there is one.
    fn common_play(&self) -> Option<&str>;

    /// How often `strategy` decides otherwise than the reference strategy of this name, in pairs of games
    /// between the two.
    ///
    /// # Errors
    ///
    /// When one is not of this family; and inside, when it was stopped.
    fn divergence(
        &self,
        strategy: &ContestantSpec,
        reference: &str,
        key: StreamKey,
        pairs: u64,
        stop: &StopSignal,
    ) -> Result<Result<Divergence, Stopped>, MatchupError>;

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
    /// When a contestant is not of this family.
    fn matchup<'a>(
        &'a self,
        a: &ContestantSpec,
        b: &ContestantSpec,
    ) -> Result<Box<dyn Matchup + 'a>, MatchupError>;

    /// A league of these members, in their order.
    ///
    /// # Errors
    ///
    /// When one is not of this family.
    fn league<'a>(
        &'a self,
        members: &[&ContestantSpec],
    ) -> Result<Box<dyn League + 'a>, MatchupError>;

    /// What `a` scores in pairs against `b`, in [0, 1], where it can be computed exactly. It may take seconds.
    ///
    /// # Errors
    ///
    /// When a contestant is not of this family.
    fn exact_score(
        &self,
        a: &ContestantSpec,
        b: &ContestantSpec,
    ) -> Result<Option<f64>, MatchupError>;

    /// What the best strategy that the rules allow takes from `strategy`, where it can be computed exactly. It
    /// may take seconds.
    ///
    /// # Errors
    ///
    /// When `strategy` is not of this family.
    fn best_response(
        &self,
        strategy: &ContestantSpec,
    ) -> Result<Option<BestResponse>, MatchupError>;

    /// The reference strategy that a person plays against who names none; none if persons cannot play.
    fn table_opponent(&self) -> Option<&'static str>;

    /// A table at which a person plays against `opponent`; none if persons cannot play. All randomness comes from
    /// children of `key`.
    ///
    /// # Errors
    ///
    /// When the opponent is not of this family.
    fn sit_down<'a>(
        &'a self,
        opponent: &ContestantSpec,
        key: StreamKey,
    ) -> Result<Option<Box<dyn Session + 'a>>, MatchupError>;
}

/// The [`AnyFamily`] of a [`Family`].
#[derive(Debug, Clone)]
pub struct ErasedFamily<F>(pub F);

type MemberOf<F> = Member<<F as Family>::Strategy, <F as Family>::Reference>;

/// What a family is asked about a member of its leagues.
fn known<F: Family>(member: &MemberOf<F>) -> AnyStrategy<'_, F> {
    match member {
        Member::Parametric(Fixed(strategy)) => AnyStrategy::Parametric(strategy),
        Member::Reference(Fixed(strategy)) => AnyStrategy::Reference(strategy),
        Member::Redrawn(_) => AnyStrategy::Redrawn,
        Member::Mixed(mixed) => {
            let members = mixed.members().map(|(weight, Fixed(given))| match given {
                Given::Parametric(Fixed(strategy)) => (weight, AnyStrategy::Parametric(strategy)),
                Given::Reference(Fixed(strategy)) => (weight, AnyStrategy::Reference(strategy)),
            });
            AnyStrategy::Mixture(members.collect())
        }
    }
}

/// The exact score of `a` against `b`: of mixtures the mean over those who may be drawn, unless the family knows
/// better.
fn exact_score<F: Family>(
    family: &F,
    a: &AnyStrategy<'_, F>,
    b: &AnyStrategy<'_, F>,
) -> Option<f64> {
    /// More would take longer than an estimate.
    const MAX_MEETINGS: usize = 128;
    let size = |strategy: &AnyStrategy<'_, F>| match strategy {
        AnyStrategy::Mixture(members) => members.len(),
        _ => 1,
    };
    let known = family.exact_score(a, b);
    if known.is_some() || size(a) * size(b) > MAX_MEETINGS {
        return known;
    }
    let mean = |members: &[(f64, AnyStrategy<'_, F>)],
                score: &dyn Fn(&AnyStrategy<'_, F>) -> Option<f64>| {
        let scores =
            members.iter().map(|(weight, member)| score(member).map(|score| weight * score));
        scores.sum()
    };
    match (a, b) {
        (AnyStrategy::Mixture(members), _) => mean(members, &|a| exact_score(family, a, b)),
        (_, AnyStrategy::Mixture(members)) => mean(members, &|b| exact_score(family, a, b)),
        _ => None,
    }
}

type LeagueOf<'a, F> =
    TypedLeague<'a, <F as Family>::Game, <F as Family>::Strategy, <F as Family>::Reference>;

impl<F: Family> ErasedFamily<F> {
    fn strategy(&self, theta: &[f64]) -> Result<F::Strategy, MatchupError> {
        F::Strategy::from_parameters(self.0.game(), theta)
            .map_err(|source| MatchupError::Parameters { family: self.0.name().into(), source })
    }

    fn member(
        &self,
        spec: &ContestantSpec,
    ) -> Result<Member<F::Strategy, F::Reference>, MatchupError> {
        Ok(match spec {
            ContestantSpec::Parameters(theta) => Member::Parametric(Fixed(self.strategy(theta)?)),
            ContestantSpec::Reference(name) => Member::Reference(Fixed(self.reference(name)?)),
            ContestantSpec::Redrawn => Member::Redrawn(Redrawn::new(self.0.game())),
            ContestantSpec::Mixture(members) => {
                check_weights(members.iter().map(|(weight, _)| *weight))?;
                let member = |(weight, spec): &(f64, PureSpec)| {
                    let given = match spec {
                        PureSpec::Parameters(theta) => {
                            Given::Parametric(Fixed(self.strategy(theta)?))
                        }
                        PureSpec::Reference(name) => Given::Reference(Fixed(self.reference(name)?)),
                    };
                    Ok((*weight, given))
                };
                let members = members.iter().map(member);
                let mut members = members.collect::<Result<Vec<_>, MatchupError>>()?;
                members.retain(|(weight, _)| *weight > 0.0);
                // Who is always drawn plays like anybody else.
                match members.len() {
                    1 => match members.remove(0).1 {
                        Given::Parametric(one) => Member::Parametric(one),
                        Given::Reference(one) => Member::Reference(one),
                    },
                    _ => Member::Mixed(Mixed::new(members)),
                }
            }
        })
    }

    fn typed_league(&self, members: &[&ContestantSpec]) -> Result<LeagueOf<'_, F>, MatchupError> {
        let members = members.iter().map(|spec| self.member(spec)).collect::<Result<_, _>>()?;
        Ok(TypedLeague::new(self.0.game(), members, |strategy| {
            self.0.exact_baseline_score(strategy)
        }))
    }

    fn reference(&self, name: &str) -> Result<F::Reference, MatchupError> {
        let mut references = self.0.references();
        match references.iter().position(|reference| reference.name == name) {
            Some(index) => Ok(references.swap_remove(index).strategy),
            None => {
                let known = references.iter().map(|reference| reference.name);
                Err(UnknownName::new("reference strategy", name, known).into())
            }
        }
    }
}

impl<F: Family> AnyFamily for ErasedFamily<F> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn game_name(&self) -> &str {
        self.0.game_name()
    }

    fn summary(&self) -> &str {
        self.0.summary()
    }

    fn rules(&self) -> Vec<Rule> {
        self.0.game().rules()
    }

    fn with_rules(
        &self,
        changes: &BTreeMap<String, u64>,
    ) -> Result<Box<dyn AnyFamily>, RulesError> {
        let game = self.0.game().with_rules(changes)?;
        Ok(Box::new(ErasedFamily(self.0.with_game(game))))
    }

    fn space(&self) -> ParameterSpace {
        F::Strategy::space(self.0.game())
    }

    fn references(&self) -> Vec<ReferenceInfo> {
        let references = self.0.references().into_iter();
        references.map(|Reference { name, meaning, .. }| ReferenceInfo { name, meaning }).collect()
    }

    fn common_play(&self) -> Option<&str> {
        self.0.common_play()
    }

    fn divergence(
        &self,
        strategy: &ContestantSpec,
        reference: &str,
        key: StreamKey,
        pairs: u64,
        stop: &StopSignal,
    ) -> Result<Result<Divergence, Stopped>, MatchupError> {
        let other = self.reference(reference)?;
        let game = (self.0.game(), self.0.board().map(|open| open.board));
        Ok(match &self.member(strategy)? {
            Member::Parametric(one) => divergence(game, one, &other, key, pairs, stop),
            Member::Reference(one) => divergence(game, one, &other, key, pairs, stop),
            Member::Redrawn(one) => divergence(game, one, &other, key, pairs, stop),
            Member::Mixed(one) => divergence(game, one, &other, key, pairs, stop),
        })
    }

    fn words(&self, theta: &[f64]) -> Result<String, ParameterError> {
        let strategy = F::Strategy::from_parameters(self.0.game(), theta)?;
        Ok(self.0.words(&strategy))
    }

    fn picture(&self, theta: &[f64]) -> Result<Picture, ParameterError> {
        let strategy = F::Strategy::from_parameters(self.0.game(), theta)?;
        let picture = self.0.picture(&strategy);
        Ok(picture.unwrap_or_else(|| Picture::of_parameters(&self.space(), theta)))
    }

    fn default_budget(&self) -> u64 {
        self.0.default_budget()
    }

    fn matchup<'a>(
        &'a self,
        a: &ContestantSpec,
        b: &ContestantSpec,
    ) -> Result<Box<dyn Matchup + 'a>, MatchupError> {
        Ok(Box::new(FirstTwo(self.typed_league(&[a, b])?)))
    }

    fn league<'a>(
        &'a self,
        members: &[&ContestantSpec],
    ) -> Result<Box<dyn League + 'a>, MatchupError> {
        Ok(Box::new(self.typed_league(members)?))
    }

    fn exact_score(
        &self,
        a: &ContestantSpec,
        b: &ContestantSpec,
    ) -> Result<Option<f64>, MatchupError> {
        let members = (self.member(a)?, self.member(b)?);
        // The two games of a pair are then the same, or have the same law.
        if a == b {
            return Ok(Some(0.5));
        }
        Ok(exact_score(&self.0, &known(&members.0), &known(&members.1)))
    }

    fn best_response(
        &self,
        strategy: &ContestantSpec,
    ) -> Result<Option<BestResponse>, MatchupError> {
        Ok(self.0.best_response(&known(&self.member(strategy)?)))
    }

    fn table_opponent(&self) -> Option<&'static str> {
        self.0.board().map(|open| open.opponent)
    }

    fn sit_down<'a>(
        &'a self,
        opponent: &ContestantSpec,
        key: StreamKey,
    ) -> Result<Option<Box<dyn Session + 'a>>, MatchupError> {
        let opponent = Opponent::from(self.member(opponent)?);
        Ok(self.0.board().map(|open| -> Box<dyn Session + 'a> {
            Box::new(BoardSession::new(&self.0, open.board, opponent, key))
        }))
    }
}
