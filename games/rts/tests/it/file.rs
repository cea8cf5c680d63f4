//! The file of test vectors, for the tests of the game and of its strategies.

use ruse_games::{BySeat, Seat};
use ruse_rts::{Map, SeenUnit, StartUnit, UnitKind};
use serde_json::Value;

/// Returns the project's test vectors, or the vectors in the file that `RTS_VECTORS` names.
pub(super) fn vectors() -> Value {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/rts/tests/data/rts_vectors.json");
    let path = std::env::var("RTS_VECTORS").unwrap_or_else(|_| own.into());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

pub(super) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a number"))
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the map of an entry: rows, resources of mines, stocks, and the order of the units.
pub(super) fn map_of(name: &str, entry: &Value) -> Map {
    let rows: Vec<_> = list(&entry["rows"]).iter().map(text).collect();
    let drawn =
        Map::from_text(name, &rows.join("\n")).unwrap_or_else(|error| panic!("{name}: {error}"));
    let order: Vec<_> = text(&entry["order"]).split(' ').collect();
    let mut units = drawn.units().to_vec();
    let place = |unit: &StartUnit| {
        let place = format!("{:x}{:x}", unit.cell.x, unit.cell.y);
        order
            .iter()
            .position(|&listed| listed == place)
            .unwrap_or_else(|| panic!("{name}: {place} is not listed"))
    };
    units.sort_by_key(place);
    let mines = units.iter_mut().filter(|unit| unit.kind == UnitKind::Mine);
    mines.for_each(|mine| mine.carried = number(&entry["mine"]) as u8);
    let stock = list(&entry["stock"]);
    let stock = BySeat { first: number(&stock[0]) as u32, second: number(&stock[1]) as u32 };
    let sides = (drawn.width(), drawn.height());
    Map::new(name, sides, drawn.walls().to_vec(), units, stock)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the map with this name, either from the file or built in.
pub(super) fn map_named(vectors: &Value, name: &str) -> Map {
    let entry = vectors["maps"].get(name).or_else(|| vectors["cmab_states"].get(name));
    match entry.filter(|entry| entry.get("rows").is_some()) {
        Some(entry) => map_of(name, entry),
        None => Map::named(name).unwrap_or_else(|| panic!("there is no map {name}")),
    }
}

/// Returns a unit in the form of the file.
pub(super) fn unit_text(unit: &SeenUnit) -> String {
    let owner = match unit.owner {
        Some(Seat::First) => '0',
        Some(Seat::Second) => '1',
        None => '-',
    };
    let SeenUnit { kind, cell, carried, hp, .. } = unit;
    let text = format!("{}{owner} {cell} {carried} {hp}", kind.letter());
    unit.doing.map_or(text.clone(), |(action, left)| format!("{text} {action} {left}"))
}
