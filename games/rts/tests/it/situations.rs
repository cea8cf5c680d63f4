//! Tests that compare maps and small situations with the file of vectors.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{BySeat, Game, Seat, Turn};
use ruse_rts::{Cell, Map, Orders, Rts, StartUnit, UnitKind, situation};
use serde_json::Value;

use super::vectors::{
    assert_dump, assert_result, game_of, list, map_named, map_of, number, text, vectors,
};

#[test]
fn maps_start_as_in_the_file() {
    check_maps(6);
}

#[test]
#[ignore = "long"]
fn maps_start_with_as_many_orders_as_in_the_file() {
    check_maps(usize::MAX);
}

/// Compares the starts of maps, and their numbers of joint actions if these have at most `most` digits.
fn check_maps(most: usize) {
    let vectors = vectors();
    let maps = vectors["maps"].as_object().expect("maps");
    let states = vectors["cmab_states"].as_object().expect("states");
    let with_rows = states.iter().filter(|(_, entry)| entry.get("rows").is_some());
    let mut num_maps = 0;
    for (name, entry) in maps.iter().chain(with_rows) {
        let map = map_of(name, entry);
        let built_in = Map::named(name).or_else(|| situation(name));
        if let Some(built_in) = built_in.filter(|_| std::env::var("RTS_VECTORS").is_err()) {
            assert_eq!(built_in.units(), map.units(), "{name}");
            assert_eq!((built_in.walls(), built_in.stock()), (map.walls(), map.stock()), "{name}");
        }
        let game = Rts::on(map);
        let state = game.deal(&mut Xoshiro256PlusPlus::seed_from_u64(0));
        if let Some(arms) = entry.get("start_arms") {
            for (seat, expected) in Seat::BOTH.into_iter().zip(list(arms)) {
                let expected = expected.as_str().map_or(expected.to_string(), str::to_string);
                if expected.len() > most {
                    continue;
                }
                assert_eq!(game.num_orders(&state, seat).to_string(), expected, "{name}");
            }
        }
        let view = game.view(&state, Seat::First);
        for (expected, unit) in list(&entry["start_actions_player0"]).iter().zip(view.idle_units())
        {
            let actions: Vec<_> = view.actions(unit.cell).iter().map(ToString::to_string).collect();
            let found = format!("{} {}: {}", unit.kind.letter(), unit.cell, actions.join(" "));
            assert_eq!(found, text(expected), "{name}");
        }
        num_maps += 1;
    }
    assert!(num_maps > 0, "no map in the file");
}

/// The states for comparing bandits have as many idle units, actions of each unit, and joint actions as the file says.
#[test]
fn states_for_bandits_have_as_many_arms() {
    let vectors = vectors();
    for (name, entry) in vectors["cmab_states"].as_object().expect("states") {
        let map = map_named(&vectors, entry.get("map").map_or(name, text));
        let game = Rts::on(map);
        let state = game.deal(&mut Xoshiro256PlusPlus::seed_from_u64(0));
        let seat = Seat::BOTH[number(&entry["player"]) as usize];
        let view = game.view(&state, seat);
        assert_eq!(view.idle_units().count() as u64, number(&entry["variables"]), "{name}");
        let sizes: Vec<_> =
            view.idle_units().map(|unit| view.actions(unit.cell).len() as u64).collect();
        if let Some(values) = entry.get("values") {
            assert_eq!(sizes, list(values).iter().map(number).collect::<Vec<_>>(), "{name}");
        }
        if let Some(arms) = entry.get("arms") {
            let expected = arms.as_str().map_or(arms.to_string(), str::to_string);
            assert_eq!(game.num_orders(&state, seat).to_string(), expected, "{name}");
        }
    }
}

/// Returns a map with the units of an entry's first recorded state, all idle.
fn map_of_dump(name: &str, entry: &Value) -> Map {
    let dump = &entry["dumps"][0];
    let unit = |unit: &str| {
        let words: Vec<_> = unit.split(' ').collect();
        let [what, cell, carried, hp] = words[..] else { panic!("{name}: {unit}") };
        let owner = match &what[1..] {
            "0" => Some(Seat::First),
            "1" => Some(Seat::Second),
            _ => None,
        };
        let number = |word: &str| word.parse::<u8>().expect("a number");
        StartUnit {
            kind: UnitKind::of_letter(what.chars().next().expect("a letter")).expect("a kind"),
            owner,
            cell: cell.parse::<Cell>().expect("a cell"),
            carried: number(carried),
            hp: Some(number(hp)),
        }
    };
    let units = text(&dump["units"]).split(';').map(unit).collect();
    let stock = list(&dump["stock"]);
    let stock = BySeat { first: number(&stock[0]) as u32, second: number(&stock[1]) as u32 };
    let sides = (number(&entry["width"]) as u8, number(&entry["height"]) as u8);
    Map::new(name, sides, Vec::new(), units, stock)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn small_situations_go_as_in_the_file() {
    let vectors = vectors();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    for entry in list(&vectors["micro"]) {
        let name = text(&entry["name"]);
        let game = game_of(map_of_dump(name, entry), entry);
        let mut state = game.deal(&mut rng);
        let end = number(&entry["result"]["cycle"]);
        let mut dumps = list(&entry["dumps"]).iter().peekable();
        let mut turn = game.turn(&state);
        loop {
            let now = u64::from(state.time());
            if let Some(dump) = dumps.next_if(|dump| number(&dump["t"]) == now) {
                assert_dump(name, &game, &state, dump);
            }
            if now >= end || matches!(turn, Turn::Over(_)) {
                break;
            }
            for action in list(&entry["actions"]).iter().filter(|action| number(&action[0]) == now)
            {
                let orders: Orders = text(&action[2]).parse().expect("orders");
                let seat = Seat::BOTH[number(&action[1]) as usize];
                game.issue(&mut state, seat, &orders, &mut rng);
            }
            turn = game.play_cycle(&mut state, &mut rng);
        }
        assert!(dumps.next().is_none(), "{name}: the game ends too early");
        assert_result(name, &state, turn, &entry["result"]);
    }
}
