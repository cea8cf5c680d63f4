//! Named positions of games, such as `rts:cmab-a`.

use std::collections::BTreeMap;
use std::sync::Arc;

use ruse_base::names::UnknownName;
use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_games::{Factored, NumActions, RulesError, Seat, Simulate};

use super::{Playground, Position, PositionError, Row, Study, StudyError, USUAL_HORIZON};
use crate::family::FamilyFileError;

/// The name of a position, and the way in which its arms are evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionSpec {
    /// The name of the position: `GAME:NAME`, or only `GAME` for the usual start of that game.
    pub start: String,
    /// The new values of the changed rules, by the name of the rule.
    pub rules: BTreeMap<String, u64>,
    /// The time after which a position is evaluated, from 1 to 10,000 units of the clock of the game.
    pub horizon: u32,
    /// The name of the policy that moves both seats until the position is evaluated.
    pub policy: String,
}

/// The range of horizons, in units of the clock.
const HORIZON: std::ops::RangeInclusive<u32> = 1..=10_000;

pub(super) const POLICY: &str = "policy";

/// The reason why a position cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
pub enum OpenError {
    /// There is no such game, position or policy.
    Unknown(#[from] UnknownName),
    /// A file does not contain a position.
    File(#[from] FamilyFileError),
    /// The rules are invalid.
    Rules(#[from] RulesError),
    /// The horizon is out of range.
    #[error("the horizon is {found} cycles, but must lie between {} and {}", HORIZON.start(), HORIZON.end())]
    Horizon {
        /// The horizon that was found, in cycles.
        found: u32,
    },
    /// Nothing can be chosen in the position.
    #[error("{start}: {source}")]
    Position {
        /// The name of the position.
        start: String,
        /// The reason why nothing can be chosen.
        source: PositionError,
    },
}

impl PositionSpec {
    /// Opens the position of `seat` in `state`, evaluated according to this specification. `urgency` is the expected
    /// reward of a new arm for first play urgency, in [0, 1].
    ///
    /// # Errors
    ///
    /// Returns an error if there is nothing to choose in the position.
    pub fn position<G>(
        &self,
        (game, state, seat): (G, G::State, Seat),
        policy: G::Policy,
        urgency: Option<f64>,
    ) -> Opened
    where
        G: Factored + Simulate + 'static,
        G::State: Sync,
    {
        let mut position = Position::new(game, state, seat)
            .map_err(|source| OpenError::Position { start: self.start.clone(), source })?;
        position.policy = policy;
        position.horizon = self.horizon;
        position.urgency = urgency;
        Ok(Box::new(position))
    }
}

/// A position of a game, with the type of the game erased.
pub trait OpenPosition {
    /// Returns the number of variables of an arm.
    fn num_variables(&self) -> usize;

    /// Returns the number of legal arms.
    fn num_arms(&self) -> NumActions;

    /// Runs a study of this position; see [`Study::run`].
    ///
    /// # Errors
    ///
    /// Same as [`Study::run`].
    ///
    /// # Panics
    ///
    /// Same as [`Study::run`].
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

/// A position that was opened, or the reason why it cannot be.
pub type Opened = Result<Box<dyn OpenPosition>, OpenError>;

/// Opens named positions of a game. The game has joint actions, and a position can be evaluated before the game ends.
pub trait PositionReader: Send + Sync {
    /// Returns the name of the game, in kebab-case.
    fn game(&self) -> &str;

    /// Returns the names of the policies, the usual one first.
    fn policies(&self) -> &[&str];

    /// Opens the position that `spec` describes, usually with [`PositionSpec::position`]. The policy in `spec` is one
    /// of [`policies`](PositionReader::policies). `name` is the part of the start after the name of the game, if there
    /// is such a part.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such position or rule, or if nothing can be chosen in the position.
    fn open(&self, spec: &PositionSpec, name: Option<&str>, urgency: Option<f64>) -> Opened;
}

/// All games with named positions.
#[derive(Clone, Default)]
pub struct Positions {
    readers: Vec<Arc<dyn PositionReader>>,
}

/// Splits a start into the name of a game and the name of a position, if there is one.
fn parts(start: &str) -> (&str, Option<&str>) {
    start.split_once(':').map_or((start, None), |(game, name)| (game, Some(name)))
}

impl Positions {
    /// Adds a game.
    ///
    /// # Panics
    ///
    /// Panics if there already is a game with the same name.
    pub fn add(&mut self, reader: impl PositionReader + 'static) {
        let is_known = self.games().any(|game| game == reader.game());
        assert!(!is_known, "there are two games of the name `{}`", reader.game());
        self.readers.push(Arc::new(reader));
    }

    /// Returns the names of the games.
    pub fn games(&self) -> impl Iterator<Item = &str> {
        self.readers.iter().map(|reader| reader.game())
    }

    /// Returns `true` if a text looks like the name of a position: the name of a game with positions, either alone or
    /// followed by a colon.
    pub fn is_meant(&self, text: &str) -> bool {
        self.games().any(|game| game == parts(text).0)
    }

    fn reader(&self, game: &str) -> Result<&dyn PositionReader, UnknownName> {
        let found = self.readers.iter().find(|reader| reader.game() == game);
        let unknown = || UnknownName::new("game with positions for bandits", game, self.games());
        found.map(Arc::as_ref).ok_or_else(unknown)
    }

    /// Returns the specification of a position with the usual rules, horizon and policy.
    ///
    /// # Errors
    ///
    /// Returns an error if the game has no named positions.
    pub fn usual(&self, start: &str) -> Result<PositionSpec, OpenError> {
        let usual = self.reader(parts(start).0)?.policies().first();
        let (start, policy) = (start.into(), usual.copied().unwrap_or_default().into());
        Ok(PositionSpec { start, rules: BTreeMap::new(), horizon: USUAL_HORIZON, policy })
    }

    /// Opens a position. `urgency` is the expected reward of a new arm for first play urgency, in [0, 1].
    ///
    /// # Errors
    ///
    /// Returns an error if the game, position, policy or rule does not exist, if the file of a position is unreadable
    /// or invalid, or if nothing can be chosen.
    pub fn open(&self, spec: &PositionSpec, urgency: Option<f64>) -> Opened {
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
