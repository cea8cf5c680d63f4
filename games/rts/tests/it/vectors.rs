//! The file of vectors, and its representation of states.

use std::collections::BTreeMap;

use ruse_games::{AdjustableRules, Game, Payoff, Seat, Turn};
use ruse_rts::{Evaluation, Map, Rts, RtsState};
use serde_json::Value;

use super::file::unit_text;
pub(super) use super::file::{list, map_named, map_of, number, text, vectors};

/// Returns the game on a map, by the rules of an entry, with a cap that no vector reaches.
pub(super) fn game_of(map: Map, entry: &Value) -> Rts {
    let conflicts = match entry.get("conflict").map(text) {
        None | Some("cancel_both") => 0,
        Some("alternating") => 1,
        Some(other) => panic!("there are no conflicts called {other}"),
    };
    let units = entry.get("unit_table").map_or(1, number);
    let changes = [("cap", 15_000), ("conflicts", conflicts), ("units", units)];
    let changes: BTreeMap<_, _> = changes.map(|(name, value)| (name.to_string(), value)).into();
    Rts::on(map).with_rules(&changes).expect("valid rules")
}

pub(super) fn units_text(game: &Rts, state: &RtsState) -> String {
    let units = game.view(state, Seat::First).units().map(|unit| unit_text(&unit));
    units.collect::<Vec<_>>().join(";")
}

/// Returns the actions of all idle units, by cell.
fn generated(game: &Rts, state: &RtsState) -> BTreeMap<String, String> {
    let mut generated = BTreeMap::new();
    for seat in Seat::BOTH {
        let view = game.view(state, seat);
        for unit in view.idle_units() {
            let actions: Vec<_> = view.actions(unit.cell).iter().map(ToString::to_string).collect();
            generated.insert(unit.cell.to_string(), actions.join(" "));
        }
    }
    generated
}

/// Returns the units that each seat sees under fog, as hexadecimal masks with unit 0 in the lowest bit.
fn seen(game: &Rts, state: &RtsState) -> [String; 2] {
    let fog = game.with_rules(&[("fog".to_string(), 1)].into()).expect("a rule");
    let all: Vec<u16> = game.view(state, Seat::First).units().map(|unit| unit.id).collect();
    Seat::BOTH.map(|seat| {
        let ids: Vec<u16> = fog.view(state, seat).units().map(|unit| unit.id).collect();
        let digit = |four: &[u16]| {
            let bits = four.iter().enumerate().map(|(bit, id)| u32::from(ids.contains(id)) << bit);
            char::from_digit(bits.sum(), 16).expect("four bits")
        };
        let digits: String = all.chunks(4).rev().map(digit).collect();
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() { "0".into() } else { digits.into() }
    })
}

/// Compares a state with the file.
pub(super) fn assert_dump(place: &str, game: &Rts, state: &RtsState, dump: &Value) {
    let place = format!("{place} at {}", dump["t"]);
    assert_eq!(u64::from(state.time()), number(&dump["t"]), "{place}");
    assert_eq!(units_text(game, state), text(&dump["units"]), "{place}");
    let stock: Vec<_> = list(&dump["stock"]).iter().map(number).collect();
    assert_eq!(Seat::BOTH.map(|seat| u64::from(state.stock_of(seat))), stock[..], "{place}: stock");
    let evaluations = [Evaluation::Ratio, Evaluation::Step, Evaluation::Legacy];
    for (evaluation, expected) in evaluations.into_iter().zip(list(&dump["eval"])) {
        let mut found = game.share_of_points(state, evaluation, Seat::First);
        // If neither player has a unit, the program of the paper returns 1/2, but this game returns 0.
        if Seat::BOTH.iter().all(|&seat| state.num_units_of(seat) == 0) {
            assert_eq!(found, 0.0);
            found = 0.5;
        }
        let expected = expected.as_f64().expect("a number");
        // The numbers in the file have nine digits.
        assert!(
            (found - expected).abs() <= 0.6e-9,
            "{place}: {evaluation:?} {found}, not {expected}"
        );
    }
    if let Some(arms) = dump.get("arms") {
        let found = Seat::BOTH.map(|seat| game.num_orders(state, seat).to_string());
        let expected: Vec<_> = list(arms).iter().map(text).collect();
        assert_eq!(found, expected[..], "{place}: joint actions");
    }
    if let Some(masks) = dump.get("seen") {
        let expected: Vec<_> = list(masks).iter().map(text).collect();
        assert_eq!(seen(game, state), expected[..], "{place}: seen");
    }
    if let Some(actions) = dump.get("generated") {
        let parts = text(actions).split(';').filter(|part| !part.is_empty());
        let split = |part: &str| {
            let (cell, actions) = part.split_once(": ").expect("a cell and its actions");
            (cell.to_string(), actions.to_string())
        };
        assert_eq!(generated(game, state), parts.map(split).collect(), "{place}: actions");
    }
}

/// Compares the end of a game with the file: whether it is over, when, and the winner.
pub(super) fn assert_result(place: &str, state: &RtsState, turn: Turn, result: &Value) {
    let winner = match turn {
        Turn::Over(Payoff::WIN) => 0,
        Turn::Over(Payoff::LOSS) => 1,
        _ => -1,
    };
    assert_eq!(result["winner"].as_i64(), Some(winner), "{place}: winner");
    assert_eq!(u64::from(state.time()), number(&result["cycle"]), "{place}: last cycle");
    let over = matches!(turn, Turn::Over(_));
    assert_eq!(result["over"].as_bool(), Some(over), "{place}: over");
}
