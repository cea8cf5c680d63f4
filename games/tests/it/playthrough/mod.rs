//! Golden playthroughs: one recorded game of each kind, replayed line by line.
//!
//! `PLAYTHROUGHS=overwrite cargo test -p ruse-games` rewrites the recordings; review the changes like code.

use std::fmt::Write;
use std::path::Path;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{Game, Seat, Turn};

use crate::suite::Written;

/// The seed of chance events; the players' actions are in the file.
const SEED: u64 = 2018;
/// The maximum number of recorded actions; more would show nothing new.
const MAX_ACTIONS: usize = 40;

pub(crate) fn check<G: Written>(name: &str, game: &G) {
    let path = format!("{}/tests/playthroughs/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("PLAYTHROUGHS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, record(name, game)).expect("the playthrough can be written");
    }
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{path}: {error}; PLAYTHROUGHS=overwrite writes it"));
    replay(Path::new(&path), &text, game);
}

/// Plays random actions, and records the deal, both views, and the actions.
fn record<G: Written>(name: &str, game: &G) -> String {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut players = Xoshiro256PlusPlus::seed_from_u64(SEED + 1);
    let mut state = game.deal(&mut chance);
    let mut action = G::Action::default();
    let mut text = format!("# A game of {name} between two players who take random actions.\n");
    let _ = writeln!(text, "deal {}", json(&state));
    for _ in 0..MAX_ACTIONS {
        text += &position(game, &state);
        let Turn::Act(seat) = game.turn(&state) else { return text };
        game.sample_action(&game.view(&state, seat), &mut players, &mut action);
        let _ = writeln!(text, "{seat:?} plays {}", json(&action));
        game.apply(&mut state, seat, &action, &mut chance);
    }
    text + &position(game, &state) + &format!("state {}\n", json(&state))
}

fn position<G: Game>(game: &G, state: &G::State) -> String {
    let mut text = String::new();
    for seat in Seat::BOTH {
        let _ = writeln!(text, "{seat:?} sees {:?}", game.view(state, seat));
    }
    if let Turn::Over(outcome) = game.turn(state) {
        let _ = writeln!(text, "over: {outcome:?} for First");
    }
    text
}

fn replay<G: Written>(path: &Path, text: &str, game: &G) {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut state = game.deal(&mut chance);
    // The lines that must come next.
    let mut expected: Vec<String> = vec![format!("deal {}", json(&state))];
    expected.extend(position(game, &state).lines().map(String::from));
    for (index, line) in text.lines().enumerate() {
        let place = format!("{}:{}", path.display(), index + 1);
        if line.starts_with('#') {
            continue;
        }
        if !expected.is_empty() {
            assert_eq!(line, expected.remove(0), "{place}");
        } else if let Some(written) = line.strip_prefix("state ") {
            assert_eq!(written, json(&state), "{place}");
        } else {
            let Turn::Act(seat) = game.turn(&state) else { panic!("{place}: the game is over") };
            let played = line.strip_prefix(&format!("{seat:?} plays "));
            let played = played.unwrap_or_else(|| panic!("{place}: it is the turn of {seat:?}"));
            let action = serde_json::from_str(played).unwrap_or_else(|e| panic!("{place}: {e}"));
            game.check(&state, &action).unwrap_or_else(|error| panic!("{place}: {error}"));
            game.apply(&mut state, seat, &action, &mut chance);
            expected.extend(position(game, &state).lines().map(String::from));
        }
    }
    assert!(expected.is_empty(), "{}: ends before {expected:?}", path.display());
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}
