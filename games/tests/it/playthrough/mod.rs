//! Golden playthroughs: one recorded game of each kind, replayed line by line.
//!
//! `PLAYTHROUGHS=overwrite cargo test -p ruse-games` rewrites the recordings; review the changes like code.

use std::fmt::Write;
use std::path::Path;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{BySeat, Seat, Seen, Turn};

use crate::suite::Written;

/// The seed of chance events; the players' actions are in the file.
const SEED: u64 = 2018;
/// The maximum number of recorded actions; more would show nothing new.
const MAX_ACTIONS: usize = 40;
/// The number of actions after which the drawing for the seat to act is recorded. At the end it is recorded again, with
/// the drawing of the whole table.
const EARLY: usize = 2;
/// The maximum number of bytes of a part of a drawing; of larger ones the hash is recorded.
const MAX_DRAWN: usize = 10_000;

pub(crate) fn check<G: Written>(name: &str, game: &G) {
    let path = format!("{}/tests/playthroughs/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("PLAYTHROUGHS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, record(name, game)).expect("the playthrough can be written");
    }
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{path}: {error}; PLAYTHROUGHS=overwrite writes it"));
    replay(Path::new(&path), &text, game);
}

/// Plays random actions, and records the deal, both views, the actions, and some drawings.
fn record<G: Written>(name: &str, game: &G) -> String {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut players = Xoshiro256PlusPlus::seed_from_u64(SEED + 1);
    let mut state = game.deal(&mut chance);
    let mut action = G::Action::default();
    let mut text = format!("# A game of {name} between two players who take random actions.\n");
    let _ = writeln!(text, "deal {}", json(&state));
    let mut own_actions = BySeat::default();
    for _ in 0..MAX_ACTIONS {
        text += &position(game, &state, &own_actions);
        let Turn::Act(seat) = game.turn(&state) else { return text };
        game.sample_action(&game.view(&state, seat), &mut players, &mut action);
        let _ = writeln!(text, "{seat:?} plays {}", json(&action));
        game.apply(&mut state, seat, &action, &mut chance);
        own_actions[seat].push(action.clone());
    }
    text + &position(game, &state, &own_actions) + &format!("state {}\n", json(&state))
}

fn position<G: Written>(
    game: &G,
    state: &G::State,
    own_actions: &BySeat<Vec<G::Action>>,
) -> String {
    let mut text = String::new();
    let turn = game.turn(state);
    for seat in Seat::BOTH {
        let _ = writeln!(text, "{seat:?} sees {:?}", game.view(state, seat));
    }
    if let Turn::Over(outcome) = turn {
        let _ = writeln!(text, "over: {outcome:?} for First");
    }
    let num_actions = own_actions.first.len() + own_actions.second.len();
    let seen = match turn {
        Turn::Act(seat) if [EARLY, MAX_ACTIONS].contains(&num_actions) => {
            let (view, own_actions) = (game.view(state, seat), (&own_actions[seat]).into());
            game.drawing(&Seen { seat, turn, view, own_actions })
        }
        _ => None,
    };
    let is_last = matches!(turn, Turn::Over(_)) || num_actions == MAX_ACTIONS;
    let names = BySeat { first: "First", second: "Second" };
    let whole = is_last.then(|| game.whole_drawing(state, names)).flatten();
    for part in seen.into_iter().chain(whole).flat_map(|drawing| drawing.parts) {
        let mut part = json(&part);
        if part.len() > MAX_DRAWN {
            // FNV-1a.
            let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            let hash = part.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
            part = format!("{} bytes with hash {hash:016x}", part.len());
        }
        let _ = writeln!(text, "drawn: {part}");
    }
    text
}

fn replay<G: Written>(path: &Path, text: &str, game: &G) {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut state = game.deal(&mut chance);
    let mut own_actions = BySeat::default();
    // The lines that must come next.
    let mut expected: Vec<String> = vec![format!("deal {}", json(&state))];
    expected.extend(position(game, &state, &own_actions).lines().map(String::from));
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
            own_actions[seat].push(action);
            expected.extend(position(game, &state, &own_actions).lines().map(String::from));
        }
    }
    assert!(expected.is_empty(), "{}: ends before {expected:?}", path.display());
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}
