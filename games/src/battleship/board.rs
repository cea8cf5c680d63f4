//! Battleship, played by a person.

use rand::Rng;

use super::{
    Battleship, BattleshipAction, BattleshipState, BattleshipView, Cell, Cells, FLEET_CELLS, Fleet,
    NUM_SHIPS, SHIP_LENGTHS, SIDE, Ship, SunkShips, sunk_ships,
};
use crate::{Board, BySeat, Event, NotAnAction, Page, SampleAction, Seat, Seen, Tint};

/// The marks of a hit and of a miss.
const HIT: &str = "X";
const MISS: &str = "o";

/// The mark of a cell of a ship that is known to be sunk.
const SUNK: &str = "#";

/// The lines of a board, without blanks at their ends: a title, the names of the columns, and the rows.
fn board(title: &str, mark: impl Fn(Cell) -> &'static str) -> Vec<String> {
    let columns: Vec<_> =
        (0..SIDE).map(|column| String::from((b'a' + column as u8) as char)).collect();
    let mut lines = vec![title.to_string(), format!("  {}", columns.join(" "))];
    for row in 0..SIDE {
        let marks: Vec<_> = (0..SIDE).map(|column| mark(Cell::new(row, column))).collect();
        lines.push(format!("{} {}", row + 1, marks.join(" ")));
    }
    lines
}

/// Two boards beside each other, which takes forty columns.
fn beside(left: &[String], right: &[String]) -> String {
    /// A board has 19 columns.
    const WIDTH: usize = 21;
    left.iter().zip(right).map(|(left, right)| format!("{left:<WIDTH$}{right}\n")).collect()
}

/// A fleet under fire; ships are marked by their lengths.
fn fleet_board(title: &str, fleet: Option<&Fleet>, shots: Cells) -> Vec<String> {
    const LENGTHS: [&str; NUM_SHIPS] = ["2", "3", "4", "5"];
    board(title, |cell| {
        let ships = fleet.map_or(&[][..], |fleet| &fleet.ships[..]);
        let mut placed = ships.iter().zip(SHIP_LENGTHS).zip(LENGTHS);
        let ship = placed.find(|((ship, length), _)| {
            ship.cells(*length).is_some_and(|cells| cells.contains(cell))
        });
        match (ship, shots.contains(cell)) {
            (Some(_), true) => HIT,
            (Some((_, length)), false) => length,
            (None, true) => MISS,
            (None, false) => ".",
        }
    })
}

/// The cells of ships that are sunk.
fn sunk_cells(sunk: SunkShips) -> Cells {
    let ships = sunk.into_iter().zip(SHIP_LENGTHS);
    let cells = ships.filter_map(|(ship, length)| ship?.cells(length));
    cells.fold(Cells::NONE, |all, cells| all | cells)
}

impl Battleship {
    /// The length of the ship that a shot has sunk, if that is told; the owner of the ship sees it anyway.
    fn newly_sunk(&self, event: &Event<'_, Battleship>) -> Option<usize> {
        let sunk = |view: &BattleshipView<'_>| match (event.is_own(), view.fleet) {
            (true, _) => view.sunk.unwrap_or_default(),
            (false, Some(fleet)) => sunk_ships(fleet, view.opponent_shots),
            (false, None) => SunkShips::default(),
        };
        let (before, after) = (sunk(&event.before), sunk(&event.after));
        let index = (0..NUM_SHIPS).find(|&index| before[index] != after[index])?;
        self.tells_sunk().then_some(SHIP_LENGTHS[index])
    }
}

/// A ship from one end to the other.
fn parse_ship(text: &str) -> Option<(usize, Ship)> {
    let (from, to) = text.split_once('-')?;
    let [from, to]: [Cell; 2] = [from.parse().ok()?, to.parse().ok()?];
    let (from, to) = if from.index() <= to.index() { (from, to) } else { (to, from) };
    let vertical = from.column() == to.column();
    let length = match vertical {
        true => to.row() - from.row() + 1,
        false if from.row() == to.row() => to.column() - from.column() + 1,
        false => return None,
    };
    Some((length, Ship { end: from, vertical }))
}

fn parse_fleet(text: &str) -> Option<Fleet> {
    let ships: Option<Vec<_>> = text.split_whitespace().map(parse_ship).collect();
    let mut ships = ships?;
    ships.sort_by_key(|(length, _)| *length);
    let is_fleet = ships.iter().map(|(length, _)| *length).eq(SHIP_LENGTHS);
    is_fleet.then(|| Fleet { ships: std::array::from_fn(|index| ships[index].1) })
}

fn write_ship(ship: Ship, length: usize) -> String {
    let Ship { end, vertical } = ship;
    let (row, column) = if vertical {
        (end.row() + length - 1, end.column())
    } else {
        (end.row(), end.column() + length - 1)
    };
    // Only ships on the board are written.
    format!("{end}-{}", Cell::new(row.min(SIDE - 1), column.min(SIDE - 1)))
}

impl Board<Battleship> for Battleship {
    fn rules(&self) -> String {
        let sunk = match self.tells_sunk() {
            true => format!(", and when a ship is sunk ({SUNK})"),
            false => ", but not what".into(),
        };
        format!(
            "You each have a board of 9 x 9 cells, columns a to i and rows 1 to 9, and ships of 2, 3, 4 and 5 cells. \
             Place your fleet, in rows or columns; ships may touch, but not cross. Then shoot in turn: you are told \
             whether you hit ({HIT}) or not ({MISS}){sunk}. The first to hit all {FLEET_CELLS} cells wins.\n\
             Place your fleet by the ends of all ships, such as a1-b1 c3-c5 e2-h2 a9-e9, or by random. Shoot by a \
             cell, such as b7.\n"
        )
    }

    fn show(&self, seen: &Seen<'_, Battleship>, _page: Page) -> String {
        let BattleshipView { fleet, shots, hits, sunk, opponent_shots } = seen.view;
        let sunk = sunk_cells(sunk.unwrap_or_default());
        let sea = board("Your shots", |cell| match () {
            () if sunk.contains(cell) => SUNK,
            () if hits.contains(cell) => HIT,
            () if shots.contains(cell) => MISS,
            () => ".",
        });
        beside(&sea, &fleet_board("Your fleet", fleet, opponent_shots))
    }

    fn alternatives(&self, seen: &Seen<'_, Battleship>) -> Vec<BattleshipAction> {
        let BattleshipView { fleet, shots, .. } = seen.view;
        match fleet {
            None => Vec::new(),
            Some(_) => (!shots).into_iter().map(BattleshipAction::Shoot).collect(),
        }
    }

    fn prompt(&self, seen: &Seen<'_, Battleship>) -> String {
        match seen.view.fleet {
            None => "your fleet, or random".into(),
            Some(_) => "cell to shoot at".into(),
        }
    }

    fn parse(
        &self,
        seen: &Seen<'_, Battleship>,
        text: &str,
    ) -> Result<BattleshipAction, NotAnAction> {
        let typed = text.trim().to_lowercase();
        if seen.view.fleet.is_none() {
            let expected =
                "place ships of 2, 3, 4 and 5 cells, as in a1-b1 c3-c5 e2-h2 a9-e9, or type random";
            let fleet = parse_fleet(&typed).ok_or_else(|| NotAnAction::new(text, expected))?;
            return Ok(BattleshipAction::Place(fleet));
        }
        let cell = typed.parse().map_err(|_| NotAnAction::new(text, "type a cell, a1 to i9"))?;
        Ok(BattleshipAction::Shoot(cell))
    }

    fn write(&self, action: &BattleshipAction) -> String {
        match action {
            BattleshipAction::Shoot(cell) => cell.to_string(),
            BattleshipAction::Place(fleet) => {
                let ships = fleet.ships.into_iter().zip(SHIP_LENGTHS);
                ships.map(|(ship, length)| write_ship(ship, length)).collect::<Vec<_>>().join(" ")
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
            let fleet = event.after.fleet.and_then(Fleet::cells).unwrap_or_default();
            (fleet.contains(cell), (fleet & event.after.opponent_shots).len())
        };
        let result = match is_hit {
            true => {
                let sunk =
                    self.newly_sunk(event).map(|length| format!("; the ship of {length} is sunk"));
                format!("{cell}: hit, {num_hits} of {FLEET_CELLS}{}", sunk.unwrap_or_default())
            }
            false => format!("{cell}: water"),
        };
        Some(event.sentence("shoot at", "shoots at", &result))
    }

    fn everything(&self, state: &BattleshipState, names: BySeat<&str>, _: Page) -> String {
        let [first, second] = Seat::BOTH.map(|seat| {
            fleet_board(names[seat], state.fleets[seat].as_ref(), state.shots[seat.other()])
        });
        beside(&first, &second)
    }

    fn tint(&self, word: &str) -> Option<Tint> {
        match word {
            HIT | "hit" => Some(Tint::Hit),
            SUNK | "sunk" => Some(Tint::Bad),
            MISS | "water" => Some(Tint::Miss),
            _ => None,
        }
    }

    fn any_action(&self, view: &BattleshipView<'_>, mut rng: &mut dyn Rng) -> BattleshipAction {
        let mut action = BattleshipAction::default();
        self.sample_action(view, &mut rng, &mut action);
        action
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;

    use super::*;
    use crate::Game;

    #[test]
    fn fleets_are_read_in_any_order() {
        let fleet = parse_fleet("a9-e9 b1-a1 c3-c5 e2-h2").expect("a fleet");
        let ships = ["a1", "c3", "e2", "a9"].map(|end| end.parse().expect("a cell"));
        assert_eq!(fleet.ships.map(|ship| ship.end), ships);
        assert_eq!(fleet.ships.map(|ship| ship.vertical), [false, true, false, false]);
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
            assert_eq!(parse_fleet(text), None, "{text}");
        }
    }

    fn shoot(cell: &str) -> BattleshipAction {
        BattleshipAction::Shoot(cell.parse().expect("a cell"))
    }

    /// The game after these shots in turn at fleets that are the same for both.
    fn after(game: &Battleship, shots: &[&str]) -> BattleshipState {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut state = game.deal(&mut rng);
        let fleet = parse_fleet("a1-b1 c3-c5 e2-h2 a9-e9").expect("a fleet");
        let placed = [BattleshipAction::Place(fleet); 2].into_iter();
        let actions = placed.chain(shots.iter().map(|cell| shoot(cell)));
        for (action, seat) in actions.zip(Seat::BOTH.into_iter().cycle()) {
            game.apply(&mut state, seat, &action, &mut rng);
        }
        state
    }

    #[test]
    fn both_boards_are_shown() {
        let game = Battleship::standard();
        let state = after(&game, &["i1", "a1", "c4"]);
        let seen = Seen {
            seat: Seat::First,
            turn: game.turn(&state),
            view: game.view(&state, Seat::First),
            own_actions: &[],
        };
        assert_eq!(
            game.show(&seen, Page { width: 40, unicode: false }),
            "Your shots           Your fleet\n\
             \u{20} a b c d e f g h i    a b c d e f g h i\n\
             1 . . . . . . . . o  1 X 2 . . . . . . .\n\
             2 . . . . . . . . .  2 . . . . 4 4 4 4 .\n\
             3 . . . . . . . . .  3 . . 3 . . . . . .\n\
             4 . . X . . . . . .  4 . . 3 . . . . . .\n\
             5 . . . . . . . . .  5 . . 3 . . . . . .\n\
             6 . . . . . . . . .  6 . . . . . . . . .\n\
             7 . . . . . . . . .  7 . . . . . . . . .\n\
             8 . . . . . . . . .  8 . . . . . . . . .\n\
             9 . . . . . . . . .  9 5 5 5 5 5 . . . .\n"
        );
    }

    #[test]
    fn a_sunk_ship_is_told_where_the_rules_say_so() {
        let standard = Battleship::standard();
        let game = Battleship { tells_sunk: true };
        let mut state = after(&game, &["a1", "i9"]);
        let (before, last) = (state.clone(), shoot("b1"));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
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
        let row = |game: &Battleship| {
            let view = game.view(&state, Seat::First);
            let seen = Seen { seat: Seat::First, turn: game.turn(&state), view, own_actions: &[] };
            let shown = game.show(&seen, Page { width: 40, unicode: false });
            shown.lines().nth(2).expect("a row").to_string()
        };
        assert_eq!(row(&game), "1 # # . . . . . . .  1 2 2 . . . . . . .");
        assert_eq!(row(&standard), "1 X X . . . . . . .  1 2 2 . . . . . . .");
    }
}
