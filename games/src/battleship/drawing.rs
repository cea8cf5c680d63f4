//! Drawings of Battleship.

use super::{Battleship, BattleshipState, BattleshipView, Cell, Cells, Fleet, Sea};
use crate::drawing::{Drawing, Entry, Item, Mark, Part};
use crate::{BySeat, Seat};

fn grid(sea: Sea, title: &str, item: impl Fn(Cell) -> Item) -> Part {
    let item = |row, column| item(Cell::new(row, column));
    Part::grid(title, 'a'..=sea.last_column(), 0..sea.side(), item)
}

/// Draws a fleet and the shots at it; cells can be chosen if `is_open`.
fn fleet_grid(sea: Sea, title: &str, fleet: Option<&Fleet>, shots: Cells, is_open: bool) -> Part {
    grid(sea, title, |cell| {
        let length = fleet.and_then(|fleet| fleet.length_at(sea, cell));
        let item = match (length, shots.contains(cell)) {
            (Some(length), true) => Item::new(Mark::Hit, format!("{cell}: ship of {length}, hit"))
                .with_text(length.to_string()),
            (Some(length), false) => Item::new(Mark::Ship, format!("{cell}: ship of {length}"))
                .with_text(length.to_string()),
            (None, true) => Item::new(Mark::Miss, format!("{cell}: shot, water")),
            (None, false) => Item::new(Mark::Empty, format!("{cell}: water")),
        };
        if is_open { item.typing(cell.to_string()) } else { item }
    })
}

impl Battleship {
    /// Draws what a seat sees. `is_open` is true at the seat's turn.
    pub(super) fn drawing(&self, view: &BattleshipView<'_>, is_open: bool) -> Drawing {
        let BattleshipView { sea, fleet, shots, hits, opponent_shots, .. } = *view;
        let sunk = view.sunk_cells();
        let can_shoot = is_open && fleet.is_some();
        let enemy = grid(sea, "Your shots", |cell| match () {
            () if sunk.contains(cell) => Item::new(Mark::Sunk, format!("{cell}: hit, sunk")),
            () if hits.contains(cell) => Item::new(Mark::Hit, format!("{cell}: hit")),
            () if shots.contains(cell) => Item::new(Mark::Miss, format!("{cell}: water")),
            () => {
                let item = Item::new(Mark::Empty, format!("{cell}: not shot at"));
                if can_shoot { item.typing(cell.to_string()) } else { item }
            }
        });
        let can_place = is_open && fleet.is_none();
        let own = fleet_grid(sea, "Your fleet", fleet, opponent_shots, can_place);
        match can_place {
            true => Drawing { parts: vec![own], entry: Entry::Pairs },
            false => Drawing { parts: vec![enemy, own], entry: Entry::Plays },
        }
    }

    /// Draws both fleets.
    pub(super) fn whole_drawing(&self, state: &BattleshipState, names: BySeat<&str>) -> Drawing {
        let fleet = |seat: Seat| {
            let shots = state.shots[seat.other()];
            fleet_grid(self.sea, names[seat], state.fleets[seat].as_ref(), shots, false)
        };
        Drawing { parts: Seat::BOTH.map(fleet).into(), ..Drawing::default() }
    }
}
