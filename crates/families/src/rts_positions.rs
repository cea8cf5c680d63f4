//! Positions of the real-time strategy game.

use std::path::Path;

use ruse_games::rts::{MAP_NAMES, Map, PLAYOUTS, Policy, Rts, SITUATION_NAMES, situation};
use ruse_games::{AdjustableRules, Rule, Seat};

use ruse_play::bandits::{OpenError, OpenPosition, PositionReader, PositionSpec};
use ruse_play::family::read_map;
use ruse_play::names::UnknownName;

/// Opens positions of the game. `rts:MAP` is the start on a map, where the first player decides, and `rts:MAP.txt` the
/// start on a map in a file; `rts:cmab-a`, `-b` and `-c` are three more positions, and `rts` is the start on the usual
/// map.
pub struct RtsPositions {}

impl PositionReader for RtsPositions {
    fn game(&self) -> &str {
        "rts"
    }

    fn policies(&self) -> &[&str] {
        &["random-biased", "random"]
    }

    fn open(
        &self,
        spec: &PositionSpec,
        name: Option<&str>,
        urgency: Option<f64>,
    ) -> Result<Box<dyn OpenPosition>, OpenError> {
        let name = name.unwrap_or(MAP_NAMES[0]);
        let known = || SITUATION_NAMES.into_iter().chain(MAP_NAMES);
        let map = match situation(name).or_else(|| Map::named(name)) {
            Some(map) => map,
            None if name.ends_with(".txt") => read_map(Path::new(name))?,
            None => return Err(UnknownName::new("position of rts", name, known()).into()),
        };
        let policy = match spec.policy.as_str() {
            "random" => Policy::Random,
            _ => Policy::default(),
        };
        let game = Rts::on(map);
        // The name contains the map, and the rule for the number of playouts does not apply here.
        let mut rules = game.rules();
        rules.retain(|rule| rule.name != "map" && rule.name != PLAYOUTS);
        Rule::change(&mut rules, &spec.rules)?;
        let game = game.with_rules(&spec.rules)?;
        let state = game.start();
        spec.position((game, state, Seat::First), policy, urgency)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ruse_games::NumActions;

    use super::*;
    use ruse_play::bandits::Positions;

    fn positions() -> Positions {
        let mut positions = Positions::default();
        positions.add(RtsPositions {});
        positions
    }

    fn usual(start: &str) -> PositionSpec {
        positions().usual(start).expect("the game is there")
    }

    fn error(spec: PositionSpec) -> String {
        positions().open(&spec, None).map(drop).expect_err("refused").to_string()
    }

    #[test]
    fn positions_have_names() {
        for name in SITUATION_NAMES.into_iter().chain(MAP_NAMES) {
            assert!(positions().open(&usual(&format!("rts:{name}")), None).is_ok(), "{name}");
        }
        let start = positions().open(&usual("rts"), None).expect("the usual map");
        assert_eq!((start.num_variables(), start.num_arms()), (2, NumActions::Exactly(10)));
        assert!(positions().is_meant("rts") && positions().is_meant("rts:xyz"));
        assert!(!positions().is_meant("rts.yaml") && !positions().is_meant("./rts"));
    }

    #[test]
    fn maps_are_read_from_files() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/maps/crossing.txt");
        let position = positions().open(&usual(&format!("rts:{path}")), None).expect("a map");
        // The worker waits, moves to 3 cells or builds a barracks (5) on one, and the base waits or trains a worker (1)
        // on one of 2 cells: 7 x 3 arms, without the 3 x 2 for which 5 resources are not enough.
        let found = (position.num_variables(), position.num_arms());
        assert_eq!(found, (2, NumActions::Exactly(15)));
        let missing = error(usual("rts:no/such.txt"));
        assert_eq!(missing, "no/such.txt: there is no such file");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("ragged.txt");
        std::fs::write(&path, "b..\n..\n").expect("writable");
        let ragged = error(usual(&format!("rts:{}", path.display())));
        assert!(ragged.contains("ragged.txt"), "{ragged}");
    }

    #[test]
    fn mistakes_are_named() {
        let spec = usual("rts:cmab-a");
        assert_eq!(error(usual("rts:9x9")), "there is no position of rts `9x9`");
        let unknown = positions().usual("pig:start").expect_err("no positions");
        assert_eq!(unknown.to_string(), "there is no game with positions for bandits `pig`");
        let policy = error(PositionSpec { policy: "greedy".into(), ..spec.clone() });
        assert_eq!(policy, "there is no policy `greedy`");
        let horizon = error(PositionSpec { horizon: 0, ..spec.clone() });
        assert_eq!(horizon, "the horizon is 0 cycles, but must lie between 1 and 10000");
        let rules = BTreeMap::from([("map".to_string(), 1)]);
        let map = error(PositionSpec { rules, ..spec });
        assert!(map.starts_with("there is no rule `map`; this game has cap,"), "{map}");
    }
}
