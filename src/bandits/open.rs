//! Positions of games by their names, such as `rts:cmab-a`.

use std::collections::BTreeMap;
use std::sync::Arc;

use ruse_games::{Factored, NumActions, RulesError, Seat, Simulate};

use super::{Playground, Position, PositionError, Row, Study, StudyError, USUAL_HORIZON};
use crate::arena::StopSignal;
use crate::family::FamilyFileError;
use crate::names::UnknownName;
use crate::rng::StreamKey;

/// A position by its name, and how arms are judged in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionSpec {
    /// The name of a game, which stands for its usual start, or `GAME:NAME`.
    pub start: String,
    /// Rules of the game that are not the usual ones, by their names.
    pub rules: BTreeMap<String, u64>,
    /// Units of the clock of the game after which a position is judged, from 1 to 10,000.
    pub horizon: u32,
    /// The name of what moves until then.
    pub policy: String,
}

/// The units of the clock after which a position may be judged.
const HORIZON: std::ops::RangeInclusive<u32> = 1..=10_000;

/// What a policy is called in messages.
pub(super) const POLICY: &str = "policy";

/// Why a position cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such game, position or policy.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A file holds no position.
    #[error(transparent)]
    File(#[from] FamilyFileError),
    /// The rules are wrong.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// Judgement comes too early or too late.
    #[error("the horizon is {found} cycles, but must lie between {} and {}", HORIZON.start(), HORIZON.end())]
    Horizon {
        /// The cycles.
        found: u32,
    },
    /// Nothing can be chosen there.
    #[error("{start}: {source}")]
    Position {
        /// The name of the position.
        start: String,
        /// What is wrong with it.
        source: PositionError,
    },
}

impl PositionSpec {
    /// The position of `seat` in `state`, judged as this says. `urgency` is what first play urgency promises itself of a new arm,
    /// in [0, 1].
    ///
    /// # Errors
    ///
    /// When nothing can be chosen there.
    pub fn position<G>(
        &self,
        (game, state, seat): (G, G::State, Seat),
        policy: G::Policy,
        urgency: Option<f64>,
    ) -> Result<Box<dyn OpenPosition>, OpenError>
    where
        G: Factored + Simulate + 'static,
        G::State: Sync,
    {
        let position = Position::new(game, state, seat)
            .map_err(|source| OpenError::Position { start: self.start.clone(), source })?
            .with_policy(policy)
            .with_horizon(self.horizon);
        Ok(Box::new(match urgency {
            Some(urgency) => position.with_urgency(urgency),
            None => position,
        }))
    }
}

/// A position of whatever game it is.
pub trait OpenPosition {
    /// The variables of an arm.
    fn num_variables(&self) -> usize;

    /// The legal arms.
    fn num_arms(&self) -> NumActions;

    /// As [`Study::run`].
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Panics
    ///
    /// As there.
    fn study(
        &self,
        study: &Study<'_>,
        key: StreamKey,
        stop: &StopSignal,
        on_run: &(dyn Fn() + Sync),
    ) -> Result<Vec<Row>, StudyError>;
}

impl<G> OpenPosition for Position<G>
where
    G: Factored + Simulate,
    G::State: Sync,
{
    fn num_variables(&self) -> usize {
        self.special().len()
    }

    fn num_arms(&self) -> NumActions {
        self.num_actions()
    }

    fn study(
        &self,
        study: &Study<'_>,
        key: StreamKey,
        stop: &StopSignal,
        on_run: &(dyn Fn() + Sync),
    ) -> Result<Vec<Row>, StudyError> {
        study.run(self, key, stop, on_run)
    }
}

/// A game whose positions have names: one whose actions are joint, and in which games can be judged before they end.
pub trait PositionReader: Send + Sync {
    /// The name of the game, in kebab-case.
    fn game(&self) -> &str;

    /// The names of the policies, the usual one first.
    fn policies(&self) -> &[&str];

    /// The position that `spec` asks for, mostly by [`PositionSpec::position`]. Its policy is one of the game, and `name` is what
    /// stands behind the name of the game, if anything does.
    ///
    /// # Errors
    ///
    /// When there is no such position or rule, or nothing can be chosen in it.
    fn open(
        &self,
        spec: &PositionSpec,
        name: Option<&str>,
        urgency: Option<f64>,
    ) -> Result<Box<dyn OpenPosition>, OpenError>;
}

/// All games whose positions have names.
#[derive(Clone, Default)]
pub struct Positions {
    readers: Vec<Arc<dyn PositionReader>>,
}

/// The name of a game, and that of a position of it, if there is one.
fn parts(start: &str) -> (&str, Option<&str>) {
    start.split_once(':').map_or((start, None), |(game, name)| (game, Some(name)))
}

impl Positions {
    /// Adds a game.
    ///
    /// # Panics
    ///
    /// When there is a game of the same name already.
    pub fn add(&mut self, reader: impl PositionReader + 'static) {
        let is_known = self.games().any(|game| game == reader.game());
        assert!(!is_known, "there are two games of the name `{}`", reader.game());
        self.readers.push(Arc::new(reader));
    }

    /// The names of the games.
    pub fn games(&self) -> impl Iterator<Item = &str> {
        self.readers.iter().map(|reader| reader.game())
    }

    /// Whether a text looks like the name of a position: the name of a game that has some, alone or before a colon.
    pub fn is_meant(&self, text: &str) -> bool {
        self.games().any(|game| game == parts(text).0)
    }

    fn reader(&self, game: &str) -> Result<&dyn PositionReader, UnknownName> {
        let found = self.readers.iter().find(|reader| reader.game() == game);
        let unknown = || UnknownName::new("game with positions for bandits", game, self.games());
        found.map(Arc::as_ref).ok_or_else(unknown)
    }

    /// A position with the usual rules and judgement, if there are positions of its game.
    ///
    /// # Errors
    ///
    /// When there are none.
    pub fn usual(&self, start: &str) -> Result<PositionSpec, OpenError> {
        let usual = self.reader(parts(start).0)?.policies().first();
        let (start, policy) = (start.into(), usual.copied().unwrap_or_default().into());
        Ok(PositionSpec { start, rules: BTreeMap::new(), horizon: USUAL_HORIZON, policy })
    }

    /// The position. `urgency` is what first play urgency promises itself of a new arm, in [0, 1].
    ///
    /// # Errors
    ///
    /// When there is no such game, position, policy or rule, a file cannot be read or holds no position, or nothing can be chosen in the
    /// position.
    pub fn open(
        &self,
        spec: &PositionSpec,
        urgency: Option<f64>,
    ) -> Result<Box<dyn OpenPosition>, OpenError> {
        if !HORIZON.contains(&spec.horizon) {
            return Err(OpenError::Horizon { found: spec.horizon });
        }
        let (game, name) = parts(&spec.start);
        let reader = self.reader(game)?;
        let policies = reader.policies();
        if !policies.contains(&&*spec.policy) {
            return Err(UnknownName::new(POLICY, &spec.policy, policies.iter().copied()).into());
        }
        reader.open(spec, name, urgency)
    }
}
