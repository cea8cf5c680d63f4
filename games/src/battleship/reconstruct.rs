//! Reconstructs games of Battleship from one player's description.

use rand::Rng;

use super::board::{parse_ship, write_ship};
use super::{
    Answers, Battleship, BattleshipAction, BattleshipState, Cell, Cells, Fleet,
    IllegalBattleshipAction, Sea, Ship, SunkShips, check_fleet, sample_fleet, sunk_ships,
};
use crate::reconstruct::{Item, Result, Retold, with_answers, with_next};
use crate::{Course, Decided, Game, Grammar, Reconstruct, ReconstructError, Seat, Turn, Untold};

/// The word for a fleet that is placed, but whose position is not described.
const PLACED: &str = "placed";

/// The facts that a player's description of a game states.
#[derive(Default)]
struct DescribedBattle<'a> {
    sea: Sea,
    tells_sunk: bool,
    /// The player's own ships, with their lengths.
    ships: Vec<(usize, Ship)>,
    /// Whether the player's own fleet is placed.
    is_placed: bool,
    shots: Vec<(Item<'a>, Cell)>,
    opponent_shots: Vec<(Item<'a>, Cell)>,
    hits: Cells,
    misses: Cells,
    /// The opponent's sunk ships, with their lengths.
    sunk: Vec<(usize, Ship)>,
}

/// Returns the sunk ships as a view shows them.
fn sunk_in_order(sea: Sea, sunk: &[(usize, Ship)]) -> SunkShips {
    let mut ordered = SunkShips::default();
    let mut sunk = sunk.to_vec();
    sunk.sort_by_key(|&(length, ship)| (length, ship.end));
    for (length, ship) in sunk {
        let mut places = sea.ship_lengths().iter().zip(&mut ordered);
        if let Some((_, place)) = places.find(|(of, place)| **of == length && place.is_none()) {
            *place = Some(ship);
        }
    }
    ordered
}

impl Answers {
    /// Returns `true` if any fleet agrees with the answers.
    fn have_a_fleet(self) -> bool {
        !self.fleets(1).is_empty()
    }
}

impl<'a> DescribedBattle<'a> {
    fn cell(&self, item: Item<'a>, text: &str) -> Result<Cell> {
        let cell = text.parse().ok().filter(|&cell| self.sea.cells().contains(cell));
        let (column, side) = (self.sea.last_column(), self.sea.side());
        cell.ok_or_else(|| item.misread(format!("`{text}` is not a cell, a1 to {column}{side}")))
    }

    fn answers(&self, sunk: &[(usize, Ship)]) -> Answers {
        let sunk = self.tells_sunk.then(|| sunk_in_order(self.sea, sunk));
        Answers { sea: self.sea, hits: self.hits, misses: self.misses, sunk }
    }

    fn hear(&mut self, item: Item<'a>, lengths: &str) -> Result {
        if item.text == PLACED {
            self.is_placed = true;
            return Ok(());
        }
        if let Some(cell) = item.theirs() {
            let cell = self.cell(item, cell)?;
            self.opponent_shots.push((item, cell));
            return Ok(());
        }
        if let Some((cell, answer)) = item.text.split_once('=') {
            let cell = self.cell(item, cell)?;
            return self.hear_answer(item, cell, answer);
        }
        let Some((length, ship)) = parse_ship(item.text) else {
            let expected = "type a shot and its answer, as in e5=miss or d4=hit, a shot of the opponent, as in they:b2, or a \
                            ship of your own, as in c3-c5";
            return Err(item.misread(expected));
        };
        let num = |ships: &[(usize, Ship)]| ships.iter().filter(|(of, _)| *of == length).count();
        let most = self.sea.ship_lengths().iter().filter(|&&of| of == length).count();
        let cells = ship.cells(self.sea, length);
        if num(&self.ships) == most || cells.is_none() {
            let problem = match cells {
                None => "it leaves the board".into(),
                Some(_) => format!("a fleet has ships of {lengths} cells"),
            };
            return Err(item.impossible(problem));
        }
        let mut others = self.ships.iter().filter_map(|&(of, ship)| ship.cells(self.sea, of));
        if others.any(|other| cells.is_some_and(|cells| !cells.is_disjoint(other))) {
            return Err(item.impossible("it crosses another ship of yours"));
        }
        self.ships.push((length, ship));
        Ok(())
    }

    /// Records the player's own shot, and its answer.
    fn hear_answer(&mut self, item: Item<'a>, cell: Cell, answer: &str) -> Result {
        if (self.hits | self.misses).contains(cell) {
            return Err(item.impossible(IllegalBattleshipAction::ShotBefore { cell }));
        }
        self.shots.push((item, cell));
        let (answer, sunk) = match answer.strip_prefix("hit:").unwrap_or(answer) {
            sunk if sunk.starts_with("sunk") => ("hit", Some(&sunk["sunk".len()..])),
            _ => (answer, None),
        };
        match answer {
            "miss" | "water" => self.misses |= Cells::of(cell),
            "hit" => self.hits |= Cells::of(cell),
            _ => {
                let sunk = if self.tells_sunk { ", or sunk3 for a ship of 3 cells" } else { "" };
                return Err(item.misread(format!("the answer to a shot is miss or hit{sunk}")));
            }
        }
        if let Some(sunk) = sunk {
            if !self.tells_sunk {
                let problem =
                    "these rules do not tell of a sunk ship; the rule `sunk` set to 1 does";
                return Err(item.impossible(problem));
            }
            let ship = self.sunk_ship(item, cell, sunk)?;
            self.sunk.push(ship);
        } else if !self.answers(&self.sunk).have_a_fleet() {
            let others = if self.shots.len() == 1 { "" } else { " and the answers before" };
            let what = match self.tells_sunk && answer == "hit" {
                true => format!("no fleet fits it{others}, unless a ship is sunk"),
                false => format!("no fleet of the opponent fits it{others}"),
            };
            return Err(item.impossible(what));
        }
        Ok(())
    }

    /// Returns the ship that the shot at `cell` has sunk. `text` states the ship's length or, after a colon, its
    /// position.
    fn sunk_ship(&self, item: Item<'a>, cell: Cell, text: &str) -> Result<(usize, Ship)> {
        let said = text.strip_prefix(':').map(parse_ship);
        let length = said.map_or_else(|| text.parse().ok(), |ship| ship.map(|(length, _)| length));
        let Some(length) = length else {
            let expected = "type the length of the ship that is sunk, as in sunk3, or where it lies, as in sunk:c3-c5";
            return Err(item.misread(expected));
        };
        let lengths = self.sea.ship_lengths();
        let num_sunk = self.sunk.iter().filter(|(of, _)| *of == length).count();
        let mut indices = (0..lengths.len()).filter(|&index| lengths[index] == length);
        let Some(index) = indices.nth(num_sunk) else {
            return Err(item.impossible(format!("no ship of {length} cells is left to be sunk")));
        };
        let is_said = |ship: Ship| said.flatten().is_none_or(|(_, said)| said == ship);
        let fits = |ship: Ship| {
            let all: Vec<_> = self.sunk.iter().copied().chain([(length, ship)]).collect();
            self.answers(&all).have_a_fleet()
        };
        let taken = self.sunk.iter().filter_map(|&(of, ship)| ship.cells(self.sea, of));
        let taken = taken.fold(Cells::NONE, |all, cells| all | cells);
        let places = self.sea.placements_of(index).iter().filter(|place| {
            let is_hit = place.cells.without(self.hits.without(taken)).is_empty();
            is_hit && place.cells.contains(cell) && is_said(place.ship)
        });
        let places: Vec<Ship> = places.map(|place| place.ship).filter(|&ship| fits(ship)).collect();
        match places[..] {
            [ship] => Ok((length, ship)),
            [] => {
                let hits = "cells that were hit and belong to no other sunk ship";
                Err(item.impossible(format!(
                    "no ship of {length} lies there on {hits}, with the others beside it"
                )))
            }
            [first, second, ..] => {
                let [first, second] =
                    [first, second].map(|ship| write_ship(self.sea, ship, length));
                Err(item.misread(format!(
                    "it may be {first} or {second}: say which, as in {cell}=sunk:{first}"
                )))
            }
        }
    }

    /// Returns the player's own fleet, or `None` if the description contains none of its ships. An incomplete fleet is
    /// an error.
    fn fleet(&self, lengths: &str) -> Result<Option<Fleet>> {
        match self.ships.len() {
            0 => Ok(None),
            number if number == self.sea.num_ships() => {
                let mut ships = self.ships.clone();
                ships.sort_by_key(|&(length, _)| length);
                Ok(Some(Fleet::new(&ships.iter().map(|&(_, ship)| ship).collect::<Vec<_>>())))
            }
            number => {
                let missing = format!(
                    "{number} of your ships are told; tell all, of {lengths} cells, or none"
                );
                Err(ReconstructError::Incomplete { missing })
            }
        }
    }

    /// Returns the seat of the player who describes the game. If the description contains the player's fleet, the
    /// numbers of both players' shots determine the seat.
    fn seat(&self, seat: Option<Seat>, has_fleet: bool) -> Result<Seat> {
        let (own, theirs) = (self.shots.len(), self.opponent_shots.len());
        let told = match theirs.checked_sub(own) {
            Some(0) => Some(Seat::First),
            Some(1) => Some(Seat::Second),
            _ => None,
        };
        match (has_fleet, told) {
            (false, _) if theirs == 0 => Ok(seat.unwrap_or(Seat::First)),
            (false, _) => {
                let missing = "your fleet: without it the shots of the opponent say nothing";
                Err(ReconstructError::Incomplete { missing: missing.into() })
            }
            (true, Some(told)) if seat.is_none_or(|seat| seat == told) => Ok(told),
            (true, _) => {
                let expected = match seat {
                    Some(Seat::First) => "as many before a shot of the first player",
                    Some(Seat::Second) => "one more before a shot of the second player",
                    None => "as many, or one more if they shoot first",
                };
                let missing = format!(
                    "you tell of {own} shots of yours and {theirs} of the opponent, who has {expected}; without your fleet \
                     their shots may be left out"
                );
                Err(ReconstructError::Incomplete { missing })
            }
        }
    }
}

/// Returns an arbitrary fleet for a board that the description does not mention, and `num_shots` shots at this board.
/// The first shots are at water, so that part of the fleet remains afloat.
fn untold_side(game: &Battleship, num_shots: usize) -> (Fleet, Vec<Cell>) {
    let ships = game.example().split(' ').filter_map(parse_ship).map(|(_, ship)| ship);
    let fleet = Fleet::new(&ships.collect::<Vec<_>>());
    let cells = fleet.cells(game.sea).unwrap_or_default();
    let water = game.sea.cells().without(cells);
    (fleet, water.chain(cells).take(num_shots).collect())
}

impl Reconstruct<Battleship> for Battleship {
    fn grammar(&self) -> Grammar {
        let (sunk, example) = match self.tells_sunk {
            true => (
                " A hit that sinks a ship of 3 is d5=sunk3; where it could lie in two places, d5=sunk:d3-d5.",
                "e5=miss d4=hit d5=hit d6=sunk3",
            ),
            false => ("", "e5=miss d4=hit d5=hit"),
        };
        Grammar {
            how: format!(
                "Tell each of your shots with its answer, as in e5=miss or d4=hit.{sunk} What concerns your own board may be left out: \
                 your fleet by the ends of its ships, as in {}, and the shots of the opponent, as in they:b2. Before the first shot, \
                 {PLACED} says that your fleet lies; with nothing told, the advice is where to place it.",
                self.example()
            ),
            example: example.into(),
            prompt: "your shot and the answer, such as e5=hit".into(),
        }
    }

    fn reconstruct(&self, text: &str, seat: Option<Seat>, mut rng: &mut dyn Rng) -> Retold<Self> {
        let is_answer =
            |word: &str| ["miss", "water", "hit"].contains(&word) || word.starts_with("sunk");
        let text = with_answers(text, is_answer);
        let lengths = self.lengths_in_words();
        let mut told = DescribedBattle {
            sea: self.sea,
            tells_sunk: self.tells_sunk,
            ..DescribedBattle::default()
        };
        for item in Item::all(&text) {
            told.hear(item, &lengths)?;
        }
        let sea = self.sea;
        let own = told.fleet(&lengths)?;
        let is_placed = own.is_some() || told.is_placed || !told.shots.is_empty();
        let teller = match is_placed || !told.opponent_shots.is_empty() {
            true => told.seat(seat, own.is_some())?,
            false => seat.unwrap_or(Seat::First),
        };
        if told.hits.len() == sea.fleet_cells() {
            return Err(ReconstructError::GameOver);
        }
        let (fleet, opponent_shots) = match own {
            Some(fleet) => (fleet, told.opponent_shots.iter().map(|&(_, cell)| cell).collect()),
            None => untold_side(self, told.shots.len() + usize::from(teller == Seat::Second)),
        };
        check_fleet(sea, &fleet)
            .map_err(|error| ReconstructError::Incomplete { missing: error.to_string() })?;
        let opponent = match told.shots.is_empty() {
            true => sample_fleet(sea, &mut rng),
            false => told.answers(&told.sunk).sample_fleet(&mut rng),
        };
        let mut course = Course::new(teller, self.deal(&mut rng));
        for placing in Seat::BOTH {
            if placing == teller && !is_placed {
                return Ok(course);
            }
            let fleet = if placing == teller { fleet } else { opponent };
            let placed = course.act(self, placing, BattleshipAction::Place(fleet), &mut rng);
            placed.map_err(|error| ReconstructError::Incomplete { missing: error.to_string() })?;
        }
        let own_shots: Vec<Cell> = told.shots.iter().map(|&(_, cell)| cell).collect();
        for turn in 0..own_shots.len().max(opponent_shots.len()) {
            for shooter in Seat::BOTH {
                let shots = if shooter == teller { &own_shots } else { &opponent_shots };
                let Some(&cell) = shots.get(turn) else { continue };
                let shot = course.act(self, shooter, BattleshipAction::Shoot(cell), &mut rng);
                let items = if shooter == teller { &told.shots } else { &told.opponent_shots };
                shot.map_err(|error| match items.get(turn) {
                    Some((item, _)) => item.impossible(error),
                    None => ReconstructError::Incomplete { missing: error.to_string() },
                })?;
            }
        }
        if own.is_none() {
            let mut shown = course.now.clone();
            shown.fleets[teller] = None;
            shown.fleet_cells[teller] = Cells::NONE;
            shown.shots[teller.other()] = Cells::NONE;
            // The board is drawn as if it were the opponent's turn, so that it does not ask for a fleet.
            shown.turn = Turn::Act(teller.other());
            let missing = "your fleet and the shots of the opponent".into();
            course.untold = Some(Untold { shown, missing });
        }
        Ok(course)
    }

    fn tell(&self, seat: Seat, past: &[Decided<Battleship>], now: &BattleshipState) -> String {
        let told = with_next(past, now).filter_map(|(decided, next)| {
            let is_own = decided.seat == seat;
            let BattleshipAction::Shoot(cell) = decided.action else {
                return is_own.then(|| crate::Board::write(self, &decided.action));
            };
            if !is_own {
                return Some(format!("they:{cell}"));
            }
            let hits =
                |state: &BattleshipState| state.shots[seat] & state.fleet_cells[seat.other()];
            let answer = match hits(next).contains(cell) {
                true => self.newly_sunk_ship(next, seat, cell).unwrap_or_else(|| "hit".into()),
                false => "miss".into(),
            };
            Some(format!("{cell}={answer}"))
        });
        told.collect::<Vec<_>>().join(" ")
    }
}

impl Battleship {
    /// Returns the position of the ship that the shot of `seat` at `cell` has sunk, if sinking is announced.
    fn newly_sunk_ship(&self, after: &BattleshipState, seat: Seat, cell: Cell) -> Option<String> {
        let fleet = after.fleets[seat.other()].as_ref().filter(|_| self.tells_sunk)?;
        let sunk = sunk_ships(self.sea, fleet, after.shots[seat] & after.fleet_cells[seat.other()]);
        let mut ships = sunk.into_iter().zip(self.sea.ship_lengths());
        ships.find_map(|(ship, &length)| {
            let ship = ship?;
            let is_this = ship.cells(self.sea, length).is_some_and(|cells| cells.contains(cell));
            is_this.then(|| format!("sunk:{}", write_ship(self.sea, ship, length)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{rng, wrong_item};

    fn told(game: &Battleship, text: &str, seat: Option<Seat>) -> Retold<Battleship> {
        game.reconstruct(text, seat, &mut rng())
    }

    fn shops() -> Battleship {
        Battleship { sea: Sea::Shop, tells_sunk: true }
    }

    #[test]
    fn a_wrong_item_is_named() {
        let standard = Battleship::standard();
        for (game, text, wrong) in [
            (&standard, "e5=miss e5=hit", 2),
            (&standard, "e5=miss k1=hit", 2),
            (&standard, "e5=maybe", 1),
            (&standard, "e5", 1),
            (&standard, "a1-b1 a1-a3", 2),
            (&standard, "a1-b1 c1-d1", 2),
            (&standard, "a8-a12", 1),
            (&standard, "e5=sunk3", 1),
            // The cells beside an isolated hit are water.
            (&standard, "e5=hit d5=miss f5=miss e4=miss e6=miss", 5),
            (&shops(), "e5=sunk2", 1),
            (&shops(), "d4=hit d5=sunk2 e4=hit e5=sunk2", 4),
            (&shops(), "d4=hit d5=hit d6=sunk4", 3),
            (&shops(), "d4=hit d6=sunk2", 2),
            // The ship at a1 must lie in row 1, so all its cells are hit, and its sinking would have been announced.
            (&shops(), "e4=miss a1=hit b1=hit c1=hit d1=hit e1=hit f1=miss a2=miss", 8),
            // The sunk ship has three possible positions.
            (&shops(), "b5=hit c5=hit e5=hit f5=hit d5=sunk3", 5),
            (&standard, "a1-b1 c3-c5 e2-h2 a9-e9 e5=miss they:b2 e6=miss they:b2", 8),
        ] {
            assert_eq!(wrong_item(told(game, text, None)), wrong, "{text}");
        }
    }

    #[test]
    fn shots_of_both_players_fit_one_seat() {
        let game = Battleship::standard();
        let fleet = "a1-b1 c3-c5 e2-h2 a9-e9";
        for (text, seat, expected) in [
            ("", None, Some(Seat::First)),
            ("", Some(Seat::Second), Some(Seat::Second)),
            ("placed", Some(Seat::Second), Some(Seat::Second)),
            ("E5 miss, they:b2", None, None),
            ("{} e5=miss they:b2", None, Some(Seat::First)),
            ("{} e5=miss they:b2 they:b3", None, Some(Seat::Second)),
            ("{} e5=miss they:b2", Some(Seat::Second), None),
            ("{} e5=miss", None, None),
            ("a1-b1 e5=miss", None, None),
        ] {
            let text = text.replace("{}", fleet);
            let course = told(&game, &text, seat).ok();
            assert_eq!(course.as_ref().map(|course| course.teller), expected, "{text}");
            if let Some(course) = course {
                assert_eq!(game.turn(&course.now), Turn::Act(course.teller), "{text}");
            }
        }
    }

    #[test]
    fn a_sunk_ship_is_found_by_its_length() {
        let game = shops();
        let course = told(&game, "d4=hit d5=hit d6=sunk3 e5=miss", None).expect("it can be");
        let view = game.view(&course.now, course.teller);
        let sunk: Vec<_> = view.sunk.into_iter().flatten().flatten().collect();
        assert_eq!(sunk, [Ship { end: Cell::new(3, 3), vertical: true }]);
        assert_eq!(told(&game, "d4=hit d5=sunk:d4-d5", None).map(|_| ()), Ok(()));
    }

    /// The fleet that stands in for an undescribed fleet survives shots at all cells except one.
    #[test]
    fn the_untold_side_lasts() {
        for game in Sea::ALL.map(Battleship::on) {
            let (fleet, shots) = untold_side(&game, game.sea.num_cells() - 1);
            assert_eq!(check_fleet(game.sea, &fleet), Ok(()));
            let shots = shots.into_iter().fold(Cells::NONE, |all, cell| all | Cells::of(cell));
            assert_eq!(shots.len(), game.sea.num_cells() - 1);
            assert!(!fleet.cells(game.sea).expect("a fleet").without(shots).is_empty());
        }
    }
}
