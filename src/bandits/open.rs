//! Positions of games by their names: `rts:cmab-a`.

use std::collections::BTreeMap;
use std::path::Path;

use ruse_games::rts::{MAP_NAMES, Map, PLAYOUTS, Policy, Rts, SITUATION_NAMES, situation};
use ruse_games::{AdjustableRules, NumActions, Rule, RulesError, Seat};

use super::{Playground, Position, PositionError, Row, Study, StudyError, USUAL_HORIZON};
use crate::arena::StopSignal;
use crate::family::{FamilyFileError, read_map};
use crate::names::UnknownName;
use crate::rng::StreamKey;

/// The games whose positions have names: those whose actions are joint, and in which games can be judged before they end.
pub const GAMES: [&str; 1] = ["rts"];

/// A position by its name, and how arms are judged in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionSpec {
    /// `rts:MAP` is the start on a map, where the first player decides, and `rts:MAP.txt` that on a map in a file; `rts:cmab-a`,
    /// `-b` and `-c` are three more positions, and `rts` is the start on the usual map.
    pub start: String,
    /// Rules of the game that are not the usual ones, by their names.
    pub rules: BTreeMap<String, u64>,
    /// Cycles after which a position is judged, from 1 to 10,000.
    pub horizon: u32,
    /// What moves until then: `random-biased` or `random`.
    pub policy: String,
}

/// What moves if nothing else is said.
const USUAL_POLICY: &str = "random-biased";

/// The cycles after which a position may be judged.
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
    /// A file is no map.
    #[error(transparent)]
    Map(#[from] FamilyFileError),
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
    /// A position with usual rules and judgement.
    pub fn of(start: &str) -> PositionSpec {
        let (start, policy) = (start.into(), USUAL_POLICY.into());
        PositionSpec { start, rules: BTreeMap::new(), horizon: USUAL_HORIZON, policy }
    }

    /// Whether a text looks like the name of a position: the name of a game that has some, alone or before a colon.
    pub fn is_meant(text: &str) -> bool {
        GAMES.contains(&text.split(':').next().unwrap_or(text))
    }

    /// The position. `urgency` is what first play urgency promises itself of a new arm, in [0, 1].
    ///
    /// # Errors
    ///
    /// When there is no such game, map, policy or rule, a file cannot be read or is no map, or nothing can be chosen in the position.
    pub fn open(&self, urgency: Option<f64>) -> Result<OpenPosition, OpenError> {
        if !HORIZON.contains(&self.horizon) {
            return Err(OpenError::Horizon { found: self.horizon });
        }
        let (game, position) = match self.start.split_once(':') {
            Some((game, position)) => (game, Some(position)),
            None => (self.start.as_str(), None),
        };
        match game {
            "rts" => Ok(OpenPosition::Rts(Box::new(self.open_rts(position, urgency)?))),
            unknown => {
                Err(UnknownName::new("game with positions for bandits", unknown, GAMES).into())
            }
        }
    }

    fn open_rts(
        &self,
        position: Option<&str>,
        urgency: Option<f64>,
    ) -> Result<Position<Rts>, OpenError> {
        let name = position.unwrap_or(MAP_NAMES[0]);
        let known = || SITUATION_NAMES.into_iter().chain(MAP_NAMES);
        let map = match situation(name).or_else(|| Map::named(name)) {
            Some(map) => map,
            None if name.ends_with(".txt") => read_map(Path::new(name))?,
            None => return Err(UnknownName::new("position of rts", name, known()).into()),
        };
        let policy = match self.policy.as_str() {
            "random-biased" => Policy::default(),
            "random" => Policy::Random,
            unknown => {
                return Err(UnknownName::new(POLICY, unknown, [USUAL_POLICY, "random"]).into());
            }
        };
        let game = Rts::on(map);
        // The name says the map, and nobody here thinks for as long as a rule says.
        let mut rules = game.rules();
        rules.retain(|rule| rule.name != "map" && rule.name != PLAYOUTS);
        Rule::change(&mut rules, &self.rules)?;
        let game = game.with_rules(&self.rules)?;
        let state = game.start();
        let position = Position::new(game, state, Seat::First)
            .map_err(|source| OpenError::Position { start: self.start.clone(), source })?
            .with_policy(policy)
            .with_horizon(self.horizon);
        Ok(match urgency {
            Some(urgency) => position.with_urgency(urgency),
            None => position,
        })
    }
}

/// A position of whatever game it is.
#[non_exhaustive]
pub enum OpenPosition {
    /// Of the real-time strategy game.
    Rts(Box<Position<Rts>>),
}

impl OpenPosition {
    /// The variables of an arm.
    pub fn num_variables(&self) -> usize {
        match self {
            OpenPosition::Rts(position) => position.special().len(),
        }
    }

    /// The legal arms.
    pub fn num_arms(&self) -> NumActions {
        match self {
            OpenPosition::Rts(position) => position.num_actions(),
        }
    }

    /// As [`Study::run`].
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Panics
    ///
    /// As there.
    pub fn study(
        &self,
        study: &Study<'_>,
        key: StreamKey,
        stop: &StopSignal,
        on_run: impl Fn() + Sync,
    ) -> Result<Vec<Row>, StudyError> {
        match self {
            OpenPosition::Rts(position) => study.run(&**position, key, stop, on_run),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(spec: PositionSpec) -> String {
        spec.open(None).map(drop).expect_err("refused").to_string()
    }

    #[test]
    fn positions_have_names() {
        for name in SITUATION_NAMES.into_iter().chain(MAP_NAMES) {
            assert!(PositionSpec::of(&format!("rts:{name}")).open(None).is_ok(), "{name}");
        }
        let start = PositionSpec::of("rts").open(None).expect("the usual map");
        assert_eq!((start.num_variables(), start.num_arms()), (2, NumActions::Exactly(10)));
        assert!(PositionSpec::is_meant("rts") && PositionSpec::is_meant("rts:xyz"));
        assert!(!PositionSpec::is_meant("rts.yaml") && !PositionSpec::is_meant("./rts"));
    }

    #[test]
    fn maps_are_read_from_files() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/maps/crossing.txt");
        let position = PositionSpec::of(&format!("rts:{path}")).open(None).expect("a map");
        // The worker waits, moves to 3 cells or builds a barracks (5) on one, and the base waits or trains a worker (1) on one
        // of 2 cells: 7 x 3, without the 3 x 2 for which 5 resources are not enough.
        let found = (position.num_variables(), position.num_arms());
        assert_eq!(found, (2, NumActions::Exactly(15)));
        let missing = error(PositionSpec::of("rts:no/such.txt"));
        assert_eq!(missing, "no/such.txt: there is no such file");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("ragged.txt");
        std::fs::write(&path, "b..\n..\n").expect("writable");
        let ragged = error(PositionSpec::of(&format!("rts:{}", path.display())));
        assert!(ragged.contains("ragged.txt"), "{ragged}");
    }

    #[test]
    fn mistakes_are_named() {
        let spec = PositionSpec::of("rts:cmab-a");
        assert_eq!(error(PositionSpec::of("rts:9x9")), "there is no position of rts `9x9`");
        let unknown = error(PositionSpec::of("pig:start"));
        assert_eq!(unknown, "there is no game with positions for bandits `pig`");
        let policy = error(PositionSpec { policy: "greedy".into(), ..spec.clone() });
        assert_eq!(policy, "there is no policy `greedy`");
        let horizon = error(PositionSpec { horizon: 0, ..spec.clone() });
        assert_eq!(horizon, "the horizon is 0 cycles, but must lie between 1 and 10000");
        let rules = BTreeMap::from([("map".to_string(), 1)]);
        let map = error(PositionSpec { rules, ..spec });
        assert!(map.starts_with("there is no rule `map`; this game has cap,"), "{map}");
    }
}
