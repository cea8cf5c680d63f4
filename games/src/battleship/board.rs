//! The text interface of Battleship.

use super::{
    Battleship, BattleshipAction, BattleshipState, BattleshipView, Cell, Cells, Fleet, Sea, Ship,
    SunkShips, check_fleet, sunk_ships,
};
use crate::{
    Belief, BeliefRow, Beliefs, Board, BySeat, Drawing, Event, NotAnAction, Page, Reconstruct,
    Seat, Seen, Tint, pattern_of,
};

/// The marks of a hit and of a miss.
const HIT: &str = "X";
const MISS: &str = "o";

/// The mark of a cell of a ship that is known to be sunk.
const SUNK: &str = "#";

/// Returns the lines of a board, without trailing blanks: a title, the names of the columns, and the rows.
fn board(sea: Sea, title: &str, mark: impl Fn(Cell) -> &'static str) -> Vec<String> {
    let side = sea.side();
    let columns: Vec<_> = ('a'..=sea.last_column()).map(String::from).collect();
    let width = number_width(sea);
    let mut lines = vec![title.to_string(), format!("{:width$} {}", "", columns.join(" "))];
    for row in 0..side {
        let marks: Vec<_> = (0..side).map(|column| mark(Cell::new(row, column))).collect();
        lines.push(format!("{:width$} {}", row + 1, marks.join(" ")));
    }
    lines
}

/// Returns the width of a row number, in columns.
fn number_width(sea: Sea) -> usize {
    if sea.side() < 10 { 1 } else { 2 }
}

/// Places two boards side by side if the page is wide enough (40 columns for the paper's boards, 46 for the commercial
/// game's), otherwise one below the other.
fn both(sea: Sea, page: Page, first: &[String], second: &[String]) -> String {
    let board_width = number_width(sea) + 2 * sea.side();
    let left_width = board_width + 2;
    if page.width.max(Page::MIN_WIDTH) < left_width + board_width {
        return first.iter().chain(second).map(|line| format!("{line}\n")).collect();
    }
    let lines = first.iter().zip(second);
    lines.map(|(first, second)| format!("{first:<left_width$}{second}\n")).collect()
}

/// Returns a board with a fleet, each ship marked by its length, and with the shots at this fleet.
fn fleet_board(sea: Sea, title: &str, fleet: Option<&Fleet>, shots: Cells) -> Vec<String> {
    const LENGTHS: [&str; 6] = ["0", "1", "2", "3", "4", "5"];
    board(sea, title, |cell| {
        let length = fleet.and_then(|fleet| fleet.length_at(sea, cell));
        match (length, shots.contains(cell)) {
            (Some(_), true) => HIT,
            (Some(length), false) => LENGTHS[length],
            (None, true) => MISS,
            (None, false) => ".",
        }
    })
}

/// Returns the mark of a cell of the opponent's board, or `None` if the cell was not shot at.
fn answer(view: &BattleshipView<'_>, sunk: Cells, cell: Cell) -> Option<&'static str> {
    match () {
        () if sunk.contains(cell) => Some(SUNK),
        () if view.hits.contains(cell) => Some(HIT),
        () if view.shots.contains(cell) => Some(MISS),
        () => None,
    }
}

impl BattleshipView<'_> {
    /// Returns the cells of the opponent's ships that are known to be sunk.
    pub(crate) fn sunk_cells(&self) -> Cells {
        let ships = self.sunk.iter().flatten().zip(self.sea.ship_lengths());
        let cells = ships.filter_map(|(ship, &length)| (*ship)?.cells(self.sea, length));
        cells.fold(Cells::NONE, |all, cells| all | cells)
    }

    /// Returns a map of a seat's beliefs about the opponent's board. For each cell not shot at, `probability` returns
    /// the probability that the cell is part of a ship; `meaning` describes this probability.
    pub fn beliefs(&self, meaning: String, probability: impl Fn(Cell) -> f64) -> Beliefs {
        let side = self.sea.side();
        let sunk = self.sunk_cells();
        let belief = |cell: Cell| Belief {
            cell: cell.to_string(),
            probability: match self.shots.contains(cell) {
                true => f64::from(u8::from(self.hits.contains(cell))),
                false => probability(cell),
            },
            known: answer(self, sunk, cell).unwrap_or_default(),
        };
        let row = |row: usize| BeliefRow {
            name: (row + 1).to_string(),
            cells: (0..side).map(|column| belief(Cell::new(row, column))).collect(),
        };
        let columns = ('a'..=self.sea.last_column()).map(String::from).collect();
        Beliefs { meaning, is_aim: true, columns, rows: (0..side).map(row).collect() }
    }
}

impl Battleship {
    /// Returns the length of the ship that a shot has sunk, if sinking is announced.
    fn newly_sunk(&self, event: &Event<'_, Battleship>) -> Option<usize> {
        let sunk = |view: &BattleshipView<'_>| match (event.is_own(), view.fleet) {
            (true, _) => view.sunk.unwrap_or_default(),
            (false, Some(fleet)) => sunk_ships(self.sea, fleet, view.opponent_shots),
            (false, None) => SunkShips::default(),
        };
        let (before, after) = (sunk(&event.before), sunk(&event.after));
        // If two ships have the same length, the index may belong to the other ship, but the length is right.
        let lengths = self.sea.ship_lengths();
        let index = (0..lengths.len()).find(|&index| before[index] != after[index])?;
        self.tells_sunk().then_some(lengths[index])
    }

    /// Returns the lengths of the ships as text: `2, 3, 4 and 5`.
    pub(super) fn lengths_in_words(&self) -> String {
        let lengths: Vec<_> = self.sea.ship_lengths().iter().map(ToString::to_string).collect();
        let (last, others) = lengths.split_last().expect("there are ships");
        format!("{} and {last}", others.join(", "))
    }

    /// Returns an example of a fleet, written as a player types it.
    pub(super) fn example(&self) -> &'static str {
        match self.sea {
            Sea::Paper => "a1-b1 c3-c5 e2-h2 a9-e9",
            Sea::Shop => "a1-b1 c3-c5 j4-j6 e2-h2 a10-e10",
        }
    }
}

/// Parses a ship, given as its two ends, into its length and position.
pub(super) fn parse_ship(text: &str) -> Option<(usize, Ship)> {
    let (from, to) = text.split_once('-')?;
    let [from, to]: [Cell; 2] = [from.parse().ok()?, to.parse().ok()?];
    let (from, to) = if from <= to { (from, to) } else { (to, from) };
    let vertical = from.column() == to.column();
    let length = match vertical {
        true => to.row() - from.row() + 1,
        false if from.row() == to.row() => to.column() - from.column() + 1,
        false => return None,
    };
    Some((length, Ship { end: from, vertical }))
}

fn parse_fleet(sea: Sea, text: &str) -> Option<Fleet> {
    let ships: Option<Vec<_>> = text.split_whitespace().map(parse_ship).collect();
    let mut ships = ships?;
    ships.sort_by_key(|(length, _)| *length);
    let is_fleet = ships.iter().map(|(length, _)| length).eq(sea.ship_lengths());
    let on_board = |&(length, ship): &(usize, Ship)| ship.cells(sea, length).is_some();
    (is_fleet && ships.iter().all(on_board))
        .then(|| Fleet::new(&ships.iter().map(|(_, ship)| *ship).collect::<Vec<_>>()))
}

pub(super) fn write_ship(sea: Sea, ship: Ship, length: usize) -> String {
    let Ship { end, vertical } = ship;
    let (row, column) = if vertical {
        (end.row() + length - 1, end.column())
    } else {
        (end.row(), end.column() + length - 1)
    };
    // Moves the end to the board if it is outside. A ship that leaves the board is never written, so this changes no
    // text.
    let last = sea.side() - 1;
    format!("{end}-{}", Cell::new(row.min(last), column.min(last)))
}

impl Board<Battleship> for Battleship {
    fn rules(&self) -> String {
        let sunk = match self.tells_sunk() {
            true => format!(", and when a ship is sunk ({SUNK})"),
            false => ", but not what".into(),
        };
        format!(
            "You each have a board of {side} x {side} cells, columns a to {column} and rows 1 to {side}, and ships of \
             {lengths} cells. Place your fleet, in rows or columns; ships may touch, but not cross. Then shoot in turn: you are told \
             whether you hit ({HIT}) or not ({MISS}){sunk}. The first to hit all {num_cells} cells wins.\n\
             Place your fleet by the ends of all ships, such as {example}, or by random. Shoot by a \
             cell, such as b7.\n",
            side = self.sea.side(),
            column = self.sea.last_column(),
            lengths = self.lengths_in_words(),
            num_cells = self.sea.fleet_cells(),
            example = self.example(),
        )
    }

    fn show(&self, seen: &Seen<'_, Self>, page: Page) -> String {
        let BattleshipView { sea, fleet, opponent_shots, .. } = seen.view;
        let sunk = seen.view.sunk_cells();
        let enemy = board(sea, "Your shots", |cell| answer(&seen.view, sunk, cell).unwrap_or("."));
        both(sea, page, &enemy, &fleet_board(sea, "Your fleet", fleet, opponent_shots))
    }

    fn all_actions(&self, seen: &Seen<'_, Self>) -> Option<Vec<BattleshipAction>> {
        let BattleshipView { sea, fleet, shots, .. } = seen.view;
        fleet?;
        Some(sea.cells().without(shots).map(BattleshipAction::Shoot).collect())
    }

    /// Returns a pattern for a shot or, before the fleet is placed, for a fleet. A fleet lists its ships, the shortest
    /// first, each from one end to the other.
    fn grammar(&self, seen: &Seen<'_, Self>) -> String {
        if let Some(shots) = self.all_actions(seen) {
            return pattern_of(shots.iter().map(|shot| self.write(shot)));
        }
        let last = self.sea.last_column();
        let rows = if self.sea.side() < 10 { "[1-9]" } else { "(?:[1-9]|10)" };
        let ship = format!("[a-{last}]{rows}-[a-{last}]{rows}");
        vec![ship; self.sea.ship_lengths().len()].join(" ")
    }

    fn prompt(&self, seen: &Seen<'_, Self>) -> String {
        match seen.view.fleet {
            None => "your fleet, or random".into(),
            Some(_) => "cell to shoot at".into(),
        }
    }

    fn parse(&self, seen: &Seen<'_, Self>, text: &str) -> Result<BattleshipAction, NotAnAction> {
        let typed = text.trim().to_lowercase();
        if seen.view.fleet.is_none() {
            let fleet = parse_fleet(self.sea, &typed).ok_or_else(|| {
                let (lengths, example) = (self.lengths_in_words(), self.example());
                let expected =
                    format!("place ships of {lengths} cells, as in {example}, or type random");
                NotAnAction::new(text, expected)
            })?;
            return Ok(BattleshipAction::Place(fleet));
        }
        let cells = self.sea.cells();
        let cell = typed.parse().ok().filter(|&cell| cells.contains(cell));
        let cell = cell.ok_or_else(|| {
            let (column, side) = (self.sea.last_column(), self.sea.side());
            NotAnAction::new(text, format!("type a cell, a1 to {column}{side}"))
        })?;
        Ok(BattleshipAction::Shoot(cell))
    }

    fn permits(&self, seen: &Seen<'_, Self>, action: &BattleshipAction) -> bool {
        let BattleshipView { sea, fleet, shots, .. } = seen.view;
        match (action, fleet) {
            (BattleshipAction::Place(fleet), None) => check_fleet(sea, fleet).is_ok(),
            (BattleshipAction::Shoot(cell), Some(_)) => sea.cells().without(shots).contains(*cell),
            _ => false,
        }
    }

    fn write(&self, action: &BattleshipAction) -> String {
        match action {
            BattleshipAction::Shoot(cell) => cell.to_string(),
            BattleshipAction::Place(fleet) => {
                let ships = fleet.ships().iter().zip(self.sea.ship_lengths());
                let ships = ships.map(|(&ship, &length)| write_ship(self.sea, ship, length));
                ships.collect::<Vec<_>>().join(" ")
            }
        }
    }

    fn is_public(&self, _: &BattleshipView<'_>, action: &BattleshipAction) -> bool {
        matches!(action, BattleshipAction::Shoot(_))
    }

    fn told(&self, event: &Event<'_, Battleship>) -> Option<String> {
        let Some(&BattleshipAction::Shoot(cell)) = event.action else {
            let whose = if event.is_own() { "your" } else { "their" };
            return Some(event.sentence("place", "places", &format!("{whose} fleet")));
        };
        let (is_hit, num_hits) = if event.is_own() {
            (event.after.hits.contains(cell), event.after.hits.len())
        } else {
            let fleet =
                event.after.fleet.and_then(|fleet| fleet.cells(self.sea)).unwrap_or_default();
            (fleet.contains(cell), (fleet & event.after.opponent_shots).len())
        };
        let result = match is_hit {
            true => {
                let num_cells = self.sea.fleet_cells();
                let sunk =
                    self.newly_sunk(event).map(|length| format!("; the ship of {length} is sunk"));
                format!("{cell}: hit, {num_hits} of {num_cells}{}", sunk.unwrap_or_default())
            }
            false => format!("{cell}: water"),
        };
        Some(event.sentence("shoot at", "shoots at", &result))
    }

    fn everything(&self, state: &BattleshipState, names: BySeat<&str>, page: Page) -> String {
        let [first, second] = Seat::BOTH.map(|seat| {
            let shots = state.shots[seat.other()];
            fleet_board(self.sea, names[seat], state.fleets[seat].as_ref(), shots)
        });
        both(self.sea, page, &first, &second)
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        match word {
            HIT | "hit" => Some(Tint::Hit),
            SUNK | "sunk" => Some(Tint::Bad),
            MISS | "water" => Some(Tint::Miss),
            _ => None,
        }
    }

    fn drawing(&self, seen: &Seen<'_, Self>) -> Option<Drawing> {
        Some(self.drawing(&seen.view, seen.is_to_act()))
    }

    fn whole_drawing(&self, state: &BattleshipState, names: BySeat<&str>) -> Option<Drawing> {
        Some(self.whole_drawing(state, names))
    }

    fn reconstruction(&self) -> Option<&dyn Reconstruct<Battleship>> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use crate::tests::{rng, seen};

    #[test]
    fn fleets_are_read_in_any_order() {
        let fleet = parse_fleet(Sea::Paper, "a9-e9 b1-a1 c3-c5 e2-h2").expect("a fleet");
        let ships = ["a1", "c3", "e2", "a9"].map(|end| end.parse().expect("a cell"));
        let lie = |fleet: &Fleet| -> Vec<_> {
            fleet.ships().iter().map(|ship| (ship.end, ship.vertical)).collect()
        };
        assert_eq!(
            lie(&fleet),
            ships.into_iter().zip([false, true, false, false]).collect::<Vec<_>>()
        );
        let written = Battleship::standard().write(&BattleshipAction::Place(fleet));
        assert_eq!(written, "a1-b1 c3-c5 e2-h2 a9-e9");
        for text in [
            "",
            "a1-b1",
            "a1-b1 c3-c5 e2-h2 a9-d9",
            "a1-b2 c3-c5 e2-h2 a9-e9",
            "a1-b1 c3-c5 e2-h2 a9-j9",
            "a1-b1 c3-c5 e2-h2 a9-e9 i1-i2",
            "a1 b1 c3-c5 e2-h2 a9-e9",
        ] {
            assert_eq!(parse_fleet(Sea::Paper, text), None, "{text}");
        }
        // On the board of the commercial game, two ships of the same length keep the order in which they are typed.
        let typed = "e10-a10 j10-j8 b1-a1 c3-c5 e2-h2";
        let fleet = parse_fleet(Sea::Shop, typed).expect("a fleet");
        let written = Battleship::on(Sea::Shop).write(&BattleshipAction::Place(fleet));
        assert_eq!(written, "a1-b1 j8-j10 c3-c5 e2-h2 a10-e10");
        for text in ["a1-b1 c3-c5 e2-h2 a9-e9", "a1-b1 c3-c5 j9-j11 e2-h2 a9-e9"] {
            assert_eq!(parse_fleet(Sea::Shop, text), None, "{text}");
        }
    }

    #[test]
    fn examples_are_fleets() {
        for game in Sea::ALL.map(Battleship::on) {
            let fleet = parse_fleet(game.sea(), game.example()).expect("a fleet");
            let state = game.deal(&mut rng());
            assert_eq!(game.check(&state, &BattleshipAction::Place(fleet)), Ok(()));
        }
    }

    fn shoot(cell: &str) -> BattleshipAction {
        BattleshipAction::Shoot(cell.parse().expect("a cell"))
    }

    /// Returns the game after these alternating shots; both seats have the same fleet.
    fn after(game: &Battleship, shots: &[&str]) -> BattleshipState {
        let mut rng = rng();
        let mut state = game.deal(&mut rng);
        let fleet = parse_fleet(game.sea(), game.example()).expect("a fleet");
        let placed = [BattleshipAction::Place(fleet); 2].into_iter();
        let actions = placed.chain(shots.iter().map(|cell| shoot(cell)));
        for (action, seat) in actions.zip(Seat::BOTH.into_iter().cycle()) {
            game.apply(&mut state, seat, &action, &mut rng);
        }
        state
    }

    /// The larger boards are side by side on a page of 46 columns, and one below the other on a narrower page.
    #[test]
    fn boards_of_ten_rows_fit_the_page() {
        let game = Battleship::on(Sea::Shop);
        let state = after(&game, &["j10", "a1", "c4"]);
        let num_lines = |width| {
            let shown =
                game.show(&seen(&game, &state, Seat::First), Page { width, unicode: false });
            shown.lines().count()
        };
        assert_eq!([46, 45].map(num_lines), [12, 24]);
    }

    #[test]
    fn a_sunk_ship_is_announced_if_the_rules_say_so() {
        let standard = Battleship::standard();
        let game = Battleship { tells_sunk: true, ..Battleship::standard() };
        let mut state = after(&game, &["a1", "i9"]);
        let (before, last) = (state.clone(), shoot("b1"));
        let mut rng = rng();
        game.apply(&mut state, Seat::First, &last, &mut rng);
        let told = |game: &Battleship, seat| {
            game.told(&Event {
                seat,
                actor: Seat::First,
                action: Some(&last),
                before: game.view(&before, seat),
                after: game.view(&state, seat),
                turn: game.turn(&state),
            })
        };
        for (game, seat, expected) in [
            (&game, Seat::First, "You shoot at b1: hit, 2 of 14; the ship of 2 is sunk."),
            (
                &game,
                Seat::Second,
                "The opponent shoots at b1: hit, 2 of 14; the ship of 2 is sunk.",
            ),
            (&standard, Seat::First, "You shoot at b1: hit, 2 of 14."),
            (&standard, Seat::Second, "The opponent shoots at b1: hit, 2 of 14."),
        ] {
            assert_eq!(told(game, seat), Some(expected.into()));
        }
    }
}
