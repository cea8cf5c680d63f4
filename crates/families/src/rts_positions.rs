//! Positions of the real-time strategy game.

use std::path::Path;

use ruse_base::names::UnknownName;
use ruse_games::{AdjustableRules, Rule, Seat};
use ruse_play::bandits::{Opened, PositionReader, PositionSpec};
use ruse_rts::{
    AnyRts, BoardSize, MAP_NAMES, Map, PLAYOUTS, Policy, Rts, SITUATION_NAMES, situation,
};

use crate::read_map;

/// Opens positions of the game in which it is the first player's turn. `rts:MAP` is the start on a built-in map,
/// `rts:MAP.txt` or `rts:MAP.xml` is the start on a map in a file, and `rts` is the start on the usual map. `rts:cmab-a`, `rts:cmab-b`
/// and `rts:cmab-c` are three more positions.
pub struct RtsPositions {}

impl PositionReader for RtsPositions {
    fn game(&self) -> &str {
        "rts"
    }

    fn policies(&self) -> &[&str] {
        &["random-biased", "random"]
    }

    fn open(&self, spec: &PositionSpec, name: Option<&str>, urgency: Option<f64>) -> Opened {
        let name = name.unwrap_or(MAP_NAMES[0]);
        let known = || SITUATION_NAMES.into_iter().chain(MAP_NAMES);
        let map = match situation(name).or_else(|| Map::named(name)) {
            Some(map) => map,
            None if name.ends_with(".txt") || name.ends_with(".xml") => read_map(Path::new(name))?,
            None => return Err(UnknownName::new("position of rts", name, known()).into()),
        };
        match AnyRts::on(map) {
            AnyRts::Small(game) => open_start(&game, spec, urgency),
            AnyRts::Large(game) => open_start(&game, spec, urgency),
        }
    }
}

/// Opens the start of a game.
fn open_start<S: BoardSize>(game: &Rts<S>, spec: &PositionSpec, urgency: Option<f64>) -> Opened {
    let policy = match spec.policy.as_str() {
        "random" => Policy::Random,
        _ => Policy::default(),
    };
    // The map is part of the name, and the other two rules do not affect a position.
    let mut rules = game.rules();
    rules.retain(|rule| !["map", "ask", PLAYOUTS].contains(&&*rule.name));
    Rule::change(&mut rules, &spec.rules)?;
    let game = game.with_rules(&spec.rules)?;
    let state = game.start();
    spec.position((game, state, Seat::First), policy, urgency)
}
