//! Drawings of the real-time strategy game.

use ruse_games::drawing::{Bar, Drawing, Entry, GridRow, Item, Mark, Part};
use ruse_games::{BySeat, Seat};

use super::{BoardSize, Cell, Direction, Rts, RtsState, RtsView, SeenUnit, UnitAction, UnitKind};

fn direction(direction: Direction) -> &'static str {
    ["up", "right", "down", "left"][direction as usize]
}

fn in_words(action: UnitAction) -> String {
    match action {
        UnitAction::Wait(cycles) => format!("wait {cycles} cycles"),
        UnitAction::Move(to) => format!("move {}", direction(to)),
        UnitAction::Harvest(at) => format!("harvest {}", direction(at)),
        UnitAction::Return(to) => format!("hand over {}", direction(to)),
        UnitAction::Produce(at, kind) => format!("produce {} {}", kind.name(), direction(at)),
        UnitAction::Attack(cell) => format!("attack {cell}"),
    }
}

/// Draws a unit; `owner` is the name of its owner.
fn unit_item(unit: &SeenUnit, owner: &str, full: u8) -> Item {
    let mark = match unit.owner {
        Some(Seat::First) => Mark::FirstUnit,
        Some(Seat::Second) => Mark::SecondUnit,
        None => Mark::Mine,
    };
    let (kind, cell) = (unit.kind.name(), unit.cell);
    let mut words = match unit.owner {
        Some(_) => format!("{cell}: {owner}, {kind}"),
        None => format!("{cell}: mine with {}", unit.carried),
    };
    let mut text = match unit.owner {
        Some(Seat::Second) => unit.kind.letter().to_ascii_lowercase().to_string(),
        Some(Seat::First) => unit.kind.letter().to_string(),
        None => unit.carried.to_string(),
    };
    if unit.owner.is_some() {
        if unit.hp < full {
            words += &format!(", health {} of {full}", unit.hp);
        }
        if unit.carried > 0 {
            words += &format!(", carries {}", unit.carried);
            text.insert(0, '+');
        }
        if let Some((action, left)) = unit.doing {
            words += &format!(", {} for {left} more cycles", in_words(action));
        }
    }
    Item::new(mark, words).with_text(text)
}

/// Draws the map. If `is_open`, idle units open the menus of their orders.
fn board<S: BoardSize>(
    view: &RtsView<'_, S>,
    names: BySeat<&str>,
    is_dark: impl Fn(Cell) -> bool,
    is_open: bool,
) -> Part {
    let item = |cell: Cell| match view.unit_at(cell) {
        Some(unit) => {
            let owner = unit.owner.map_or("", |seat| names[seat]);
            let idle = unit.owner == Some(view.seat()) && unit.doing.is_none();
            let is_idle = idle && unit.kind != UnitKind::Mine;
            let item = unit_item(&unit, owner, view.facts(unit.kind).hp).strong(is_idle);
            if is_idle && is_open { item.opening(cell.to_string()) } else { item }
        }
        None if view.is_wall(cell) => Item::new(Mark::Wall, format!("{cell}: wall")),
        None if is_dark(cell) => Item::new(Mark::Dark, format!("{cell}: dark")),
        None => Item::new(Mark::Empty, format!("{cell}: empty")),
    };
    let row = |y: u8| GridRow {
        name: y.to_string(),
        cells: (0..view.width()).map(|x| item(Cell::new(x, y))).collect(),
    };
    Part::Grid {
        title: "The map".into(),
        columns: (0..view.width()).map(|x| x.to_string()).collect(),
        rows: (0..view.height()).map(row).collect(),
    }
}

fn stocks(stocks: impl IntoIterator<Item = (String, u64)>) -> Part {
    // The number of resources for which a bar is full: the cost of a base.
    const MOST: u64 = 10;
    let bars = stocks.into_iter().map(|(name, value)| Bar { name, value, most: MOST.max(value) });
    Part::Bars { title: "Resources in stock".into(), bars: bars.collect() }
}

impl<S: BoardSize> Rts<S> {
    fn clock(&self, view: &RtsView<'_, S>) -> Part {
        let bar = Bar {
            name: "cycle".into(),
            value: u64::from(view.time()),
            most: u64::from(self.cap()).max(1),
        };
        Part::Bars { title: "Time".into(), bars: vec![bar] }
    }

    /// Draws what a seat sees. If `is_open`, orders can be given to the seat's units.
    pub(super) fn drawing(&self, view: &RtsView<'_, S>, is_open: bool) -> Drawing {
        let own = view.seat();
        let names = BySeat::seen_by(own, "you", "opponent");
        let is_dark = |cell| view.has_fog() && !self.is_lit(view, cell);
        let mut known = vec![("you".to_string(), u64::from(view.stock()))];
        known.extend(view.other_stock().map(|stock| ("opponent".into(), u64::from(stock))));
        let mut parts = vec![board(view, names, is_dark, is_open), stocks(known), self.clock(view)];
        if is_open {
            for unit in view.idle_units() {
                let actions = view.actions(unit.cell).into_iter();
                let allowed = actions.filter(|&action| view.allows(unit.cell, action));
                let items = allowed.map(|action| {
                    Item::new(Mark::Word, in_words(action))
                        .typing(format!("{} {action}", unit.cell))
                });
                let (name, items) = (unit.cell.to_string(), items.collect());
                let title = format!("{} at {name}", unit.kind.name());
                parts.push(Part::Menu { name, title, items });
            }
        }
        Drawing { parts, entry: Entry::Orders }
    }

    /// Draws the map without fog.
    pub(super) fn whole_drawing(&self, state: &RtsState<S>, names: BySeat<&str>) -> Drawing {
        let view = self.view_without_fog(state, Seat::First);
        let known =
            Seat::BOTH.map(|seat| (names[seat].to_string(), u64::from(state.stock_of(seat))));
        let parts = vec![board(&view, names, |_| false, false), stocks(known), self.clock(&view)];
        Drawing { parts, ..Drawing::default() }
    }
}
