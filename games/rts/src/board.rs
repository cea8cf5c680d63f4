//! The text interface of the real-time strategy game.

use ruse_games::{
    Board, BySeat, Drawing, Event, Game, NotAnAction, Page, Seat, Seen, Tint, counted, pattern_of,
};

use super::{BoardSize, Cell, Orders, Rts, RtsState, RtsView, SeenUnit, UnitKind};

/// The maximum width of a board that is drawn with two blanks between its cells, so that marks have two characters.
const WIDE: u8 = 12;

/// The maximum number of listed joint orders.
const MAX_LISTED: usize = 500;

/// The mark of a cell hidden by fog.
const DARK: &str = "~";

/// Returns the mark of a unit, at most two characters: a letter, in lower case for the second player. If `is_wide`, a
/// unit that carries something has a `+`, a wounded unit shows its health, and a mine shows its resources instead.
fn mark_of(unit: &SeenUnit, full: u8, is_wide: bool) -> String {
    let letter = match unit.owner {
        Some(Seat::Second) => unit.kind.letter().to_ascii_lowercase(),
        _ => unit.kind.letter(),
    };
    match unit.kind {
        UnitKind::Mine if is_wide && unit.carried < 100 => unit.carried.to_string(),
        _ if is_wide && unit.carried > 0 && unit.owner.is_some() => format!("+{letter}"),
        _ if is_wide && unit.hp < full && unit.hp < 10 => format!("{}{letter}", unit.hp),
        _ => letter.to_string(),
    }
}

/// Returns the board as text, with the numbers of columns and rows. There are blanks between the cells if the page is
/// wide enough. If it is too narrow even without blanks, parts of the board follow one below the other.
fn draw<S: BoardSize>(view: &RtsView<'_, S>, page: Page, is_dark: impl Fn(Cell) -> bool) -> String {
    let (width, page_width) = (view.width(), page.width.max(Page::MIN_WIDTH));
    let is_wide = width <= WIDE;
    let (margin, cell_width) = match usize::from(width) {
        _ if is_wide => ("", 3),
        cells if 2 + 2 * cells <= page_width => ("", 2),
        _ => (" ", 1),
    };
    let most = u8::try_from((page_width - 2 - margin.len()) / cell_width).unwrap_or(u8::MAX);
    let mut text = String::new();
    for first in (0..width).step_by(usize::from(most)) {
        let columns = first..first.saturating_add(most).min(width);
        text += &format!("  {margin}");
        for x in columns.clone() {
            let number = if is_wide { x } else { x % 10 };
            text += &format!("{number:>cell_width$}");
        }
        text.push('\n');
        for y in 0..view.height() {
            text += &format!("{y:>2}{margin}");
            for cell in columns.clone().map(|x| Cell::new(x, y)) {
                let mark = match view.unit_at(cell) {
                    Some(unit) => mark_of(&unit, view.facts(unit.kind).hp, is_wide),
                    None if view.is_wall(cell) => "##"[..if is_wide { 2 } else { 1 }].into(),
                    None if is_dark(cell) => DARK.into(),
                    None => ".".into(),
                };
                text += &format!("{mark:>cell_width$}");
            }
            text.push('\n');
        }
    }
    text
}

/// Describes each busy unit of a player: its cell, its action, and the number of cycles left.
fn under_way<S: BoardSize>(view: &RtsView<'_, S>, owner: Seat) -> Vec<String> {
    let units = view.units().filter(|unit| unit.owner == Some(owner));
    let busy = units.filter_map(|unit| {
        let (action, left) = unit.doing?;
        Some(format!("{}({left})", format!("{} {action}", unit.cell).replace(' ', ":")))
    });
    let mut busy: Vec<_> = busy.collect();
    let last = busy.len().saturating_sub(1);
    busy.iter_mut().take(last).for_each(|text| text.push(','));
    busy
}

fn listed(title: &str, words: &[String], page: Page) -> String {
    if words.is_empty() { String::new() } else { page.wrapped(title, words) }
}

impl<S: BoardSize> Board<Rts<S>> for Rts<S> {
    fn rules(&self) -> String {
        let fog = match self.has_fog {
            true => " You see what is near your units; what is dark is shown as ~.",
            false => "",
        };
        format!(
            "You and the opponent tell your units what to do at the same time; each is then busy for some cycles. A player who loses all \
             units loses the game; at {} cycles it is a draw. B is a base, K barracks, W a worker, L, H and R are light, \
             heavy and ranged soldiers; the second player has small letters, a number is a mine and counts its resources, and ## is a \
             wall.{fog}\n\
             Workers harvest (h) next to a mine and return (r) what they carry (+) to a base next to them. Bases produce (p) workers, \
             workers produce bases and barracks, and barracks produce soldiers; it is paid in the end. Units move (m), attack (a) \
             or wait (n10).\n\
             Type a unit's cell, column and row, and an action: 0,1 h0 harvests up, 0,2 p1W trains a worker on the right, 3,4 a3,5 \
             attacks; directions are 0 up, 1 right, 2 down, 3 left. Put several orders on one line with ; between them. \
             Units without an order wait; an empty order is -.\n",
            self.cap()
        )
    }

    fn show(&self, seen: &Seen<'_, Rts<S>>, page: Page) -> String {
        let view = &seen.view;
        let (own, other) = (seen.seat, seen.seat.other());
        let side = match own {
            Seat::First => "BKWLHR",
            Seat::Second => "bkwlhr",
        };
        let bound = match view.bound_stock() {
            0 => String::new(),
            bound => format!(" ({bound} bound)"),
        };
        let theirs = view.other_stock().map_or("?".into(), |stock| stock.to_string());
        let mut text = format!(
            "cycle {} of {}, you are {side}\nstock {}{bound}, theirs {theirs}\n",
            view.time(),
            self.cap(),
            view.stock()
        );
        text += &draw(view, page, |cell| view.has_fog() && !self.is_lit(view, cell));
        text += &listed("busy: ", &under_way(view, own), page);
        text += &listed("theirs: ", &under_way(view, other), page);
        for unit in view.idle_units() {
            let actions = view
                .actions(unit.cell)
                .into_iter()
                .filter(|&action| view.allows(unit.cell, action));
            let actions: Vec<_> = actions.map(|action| action.to_string()).collect();
            text += &listed(&format!("{} {}: ", unit.kind.letter(), unit.cell), &actions, page);
        }
        text
    }

    fn all_actions(&self, seen: &Seen<'_, Rts<S>>) -> Option<Vec<Orders>> {
        seen.view.all_orders(MAX_LISTED)
    }

    /// Returns an empty list: each comparison would need its own search.
    fn alternatives(&self, _: &Seen<'_, Rts<S>>) -> Vec<Orders> {
        Vec::new()
    }

    /// Returns a pattern for at most one order to each idle unit; the rules decide which orders are compatible.
    fn grammar(&self, seen: &Seen<'_, Rts<S>>) -> String {
        let view = &seen.view;
        let orders = view.idle_units().map(|unit| {
            let actions = view.actions(unit.cell).into_iter();
            let actions = actions.filter(|&action| view.allows(unit.cell, action));
            format!("{} (?:{})", unit.cell, pattern_of(actions.map(|action| action.to_string())))
        });
        let orders: Vec<String> = orders.collect();
        let Some(others) = orders.len().checked_sub(1) else { return "-".into() };
        let order = orders.join("|");
        format!("-|(?:{order})(?:;(?:{order})){{0,{others}}}")
    }

    fn prompt(&self, seen: &Seen<'_, Rts<S>>) -> String {
        let idle = seen.view.idle_units().count();
        format!("orders, {}", counted(idle as u64, "unit", "units"))
    }

    fn parse(&self, _: &Seen<'_, Rts<S>>, text: &str) -> Result<Orders, NotAnAction> {
        let typed = text.trim();
        if typed == "-" {
            return Ok(Orders::default());
        }
        let orders: Orders = typed
            .parse()
            .map_err(|error: super::NotAnOrder| NotAnAction::new(text, error.to_string()))?;
        if orders.orders.is_empty() {
            let expected = "type orders such as 0,1 h0;0,2 p1W, or - to let all units wait";
            return Err(NotAnAction::new(text, expected));
        }
        Ok(orders)
    }

    fn permits(&self, seen: &Seen<'_, Rts<S>>, orders: &Orders) -> bool {
        self.check(seen.view.state, orders).is_ok()
    }

    fn write(&self, orders: &Orders) -> String {
        if orders.orders.is_empty() { "-".into() } else { orders.to_string() }
    }

    fn told(&self, event: &Event<'_, Rts<S>>) -> Option<String> {
        let gone = |owner: Seat| {
            let after: Vec<u16> = event.after.units().map(|unit| unit.id).collect();
            let before = event.before.units().filter(|unit| unit.owner == Some(owner));
            before.filter(|unit| !after.contains(&unit.id)).count() as u64
        };
        if event.is_own() {
            let orders = event.action.map_or(0, |orders| orders.orders.len() as u64);
            return Some(format!("You give {}.", counted(orders, "order", "orders")));
        }
        // Under fog, an opponent's unit that is out of sight may just have moved away.
        let theirs = if event.after.has_fog() { 0 } else { gone(event.actor) };
        let lost = match (gone(event.seat), theirs) {
            (0, 0) => return None,
            (own, 0) => format!("You lose {}", counted(own, "unit", "units")),
            (0, theirs) => format!("The opponent loses {}", counted(theirs, "unit", "units")),
            (own, theirs) => {
                format!("You lose {}, the opponent {}", counted(own, "unit", "units"), theirs)
            }
        };
        Some(format!("{lost}."))
    }

    fn everything(&self, state: &RtsState<S>, names: BySeat<&str>, page: Page) -> String {
        let view = self.view_without_fog(state, Seat::First);
        let mut text = format!("cycle {} of {}\n", view.time(), self.cap());
        for seat in Seat::BOTH {
            let letters = if seat == Seat::First { "BKWLHR" } else { "bkwlhr" };
            let name: String = names[seat].chars().take(16).collect();
            text += &format!("{letters} {name}: stock {}\n", state.stock_of(seat));
        }
        text += &draw(&view, page, |_| false);
        for seat in Seat::BOTH {
            let title = if seat == Seat::First { "B..R: " } else { "b..r: " };
            text += &listed(title, &under_way(&view, seat), page);
        }
        text
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        let unmarked =
            word.strip_prefix(['+', '1', '2', '3', '4', '5', '6', '7', '8', '9']).unwrap_or(word);
        match unmarked {
            "BKWLHR" => Some(Tint::First),
            "bkwlhr" => Some(Tint::Second),
            "B" | "K" | "W" | "L" | "H" | "R" => Some(Tint::First),
            "b" | "k" | "w" | "l" | "h" | "r" => Some(Tint::Second),
            _ => None,
        }
    }

    fn drawing(&self, seen: &Seen<'_, Rts<S>>) -> Option<Drawing> {
        Some(self.drawing(&seen.view, seen.is_to_act()))
    }

    fn whole_drawing(&self, state: &RtsState<S>, names: BySeat<&str>) -> Option<Drawing> {
        Some(self.whole_drawing(state, names))
    }
}

impl<S: BoardSize> Rts<S> {
    /// Returns whether a cell is within the sight of one of the seat's own units.
    pub(super) fn is_lit(&self, view: &RtsView<'_, S>, cell: Cell) -> bool {
        view.units().filter(|unit| unit.owner == Some(view.seat())).any(|own| {
            let sight = u32::from(view.facts(own.kind).sight);
            own.cell.distance_squared(cell) <= sight * sight
        })
    }
}
