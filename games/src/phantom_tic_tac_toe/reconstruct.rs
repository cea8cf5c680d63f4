//! Reconstructs games of phantom tic-tac-toe from what one player saw.

use std::sync::Arc;

use rand::{Rng, RngExt};

use super::board::digits;
use super::{CellOrder, CellSet, NUM_CELLS, PhantomTicTacToe, PhantomTicTacToeState};
use crate::reconstruct::{Item, Result, Retold};
use crate::{Course, Decided, Grammar, Reconstruct, Seat, Turn};

/// A player's description of one of their stones.
#[derive(Clone, Copy)]
struct Tried {
    order: CellOrder,
    /// The cells that the referee said were taken.
    taken: CellSet,
    /// The cell of the stone, if the referee named it.
    mine: Option<u8>,
}

/// A player's description of a game: their stones, and the cells they found taken when trying to put the next one.
struct DescribedStones {
    seat: Seat,
    stones: Vec<Tried>,
    refused: Vec<u8>,
}

const EXPECTED: &str = "type a cell from 1 to 9 that you tried and what the referee said, as in 5=taken or 1=mine; where it said \
                        nothing, all cells that you named, as in 519";

/// Returns an order that starts with these cells, followed by all others.
fn completed(first: &[u8]) -> CellOrder {
    let others = (0..NUM_CELLS as u8).filter(|cell| !first.contains(cell));
    let cells: Vec<u8> = first.iter().copied().chain(others).collect();
    CellOrder::from(std::array::from_fn(|place| cells[place]))
}

fn set_of(cells: &[u8]) -> CellSet {
    cells.iter().fold(CellSet::default(), |set, &cell| set.with(cell))
}

fn has_all(set: CellSet, cells: CellSet) -> bool {
    set.union(cells) == set
}

impl DescribedStones {
    fn hear(&mut self, item: Item<'_>) -> Result {
        let (cells, answer) = match item.text.split_once('=') {
            Some((cells, answer)) => (cells, Some(answer)),
            None => (item.text, None),
        };
        let cell = |c: char| c.to_digit(10)?.checked_sub(1).map(|cell| cell as u8);
        let cells: Option<Vec<u8>> = cells.chars().map(cell).collect();
        let are_different =
            |cells: &Vec<u8>| !cells.is_empty() && set_of(cells).len() as usize == cells.len();
        let cells = cells.filter(are_different).ok_or_else(|| item.misread(EXPECTED))?;
        match (answer, &cells[..]) {
            (Some("taken"), cell @ [_]) => self.refused.extend(cell),
            (Some("mine"), cell @ &[mine]) => {
                let taken = set_of(&self.refused);
                self.refused.extend(cell);
                let order = completed(&std::mem::take(&mut self.refused));
                self.stones.push(Tried { order, taken, mine: Some(mine) });
            }
            (None, cells) if self.refused.is_empty() => {
                let (order, taken) = (completed(cells), CellSet::default());
                self.stones.push(Tried { order, taken, mine: None });
            }
            _ => return Err(item.misread(EXPECTED)),
        }
        Ok(())
    }

    /// Returns whether a state agrees with what the referee said.
    fn agrees(&self, state: &PhantomTicTacToeState) -> bool {
        let own = state.stones[self.seat];
        let all = own.union(state.stones[self.seat.other()]);
        let is_as_said = |tried: &Tried| {
            has_all(all, tried.taken) && tried.mine.is_none_or(|cell| own.contains(cell))
        };
        self.stones.iter().all(is_as_said) && has_all(all, set_of(&self.refused))
    }

    /// Follows each course from `state` to the player's next turn. If it agrees with the description, appends the cells
    /// of its stones to `found`. `cells` holds the cells of the stones so far.
    fn follow(&self, state: &PhantomTicTacToeState, cells: &mut Vec<u8>, found: &mut Vec<Vec<u8>>) {
        let Turn::Act(mover) = state.turn else { return };
        let taken = state.stones.first.union(state.stones.second);
        let mut go_on = |cell: u8| {
            let mut next = state.clone();
            next.put(mover, cell);
            cells.push(cell);
            self.follow(&next, cells, found);
            cells.pop();
        };
        if mover != self.seat {
            (0..NUM_CELLS as u8).filter(|&cell| !taken.contains(cell)).for_each(go_on);
        } else if let Some(tried) = self.stones.get(state.stones[mover].len() as usize) {
            let cell = tried.order.first_free(taken);
            if has_all(taken, tried.taken) && tried.mine.is_none_or(|mine| mine == cell) {
                go_on(cell);
            }
        } else if has_all(taken, set_of(&self.refused)) {
            found.push(cells.clone());
        }
    }

    fn courses(&self) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        self.follow(&PhantomTicTacToe.start(), &mut Vec::new(), &mut found);
        found
    }
}

impl Reconstruct<PhantomTicTacToe> for PhantomTicTacToe {
    fn grammar(&self) -> Grammar {
        Grammar {
            how: "Tell each cell that you tried, with what the referee said: 5=taken, and 1=mine where your stone lies then. If the \
                  referee said nothing, as in the game of this program, tell all cells that you named for a stone: 519. The strategies \
                  know how many stones there are, and not what was taken."
                .into(),
            example: "5=mine 1=taken 9=mine".into(),
            prompt: "the cell you tried and the answer, such as 5=taken or 1=mine".into(),
        }
    }

    fn reconstruct(&self, text: &str, seat: Option<Seat>, mut rng: &mut dyn Rng) -> Retold<Self> {
        let text = text.to_lowercase();
        let seat = seat.unwrap_or(Seat::First);
        let mut told = DescribedStones { seat, stones: Vec::new(), refused: Vec::new() };
        let mut courses = told.courses();
        for item in Item::all(&text) {
            told.hear(item)?;
            courses = told.courses();
            if courses.is_empty() {
                let problem = "no game goes on that was so; is your seat right?";
                return Err(item.impossible(problem));
            }
        }
        let cells = &courses[(&mut rng).random_range(0..courses.len())];
        let mut course = Course::<PhantomTicTacToe>::new(seat, self.start());
        for &cell in cells {
            let Turn::Act(mover) = course.now.turn else { break };
            let own = course.now.stones[mover].len() as usize;
            let order = match told.stones.get(own) {
                Some(tried) if mover == seat => tried.order,
                _ => completed(&[cell]),
            };
            let mut next = course.now.clone();
            next.put(mover, cell);
            course.push(mover, order, next);
        }
        let is_said = |tried: &Tried| tried.mine.is_some() || !tried.taken.is_empty();
        if told.stones.iter().any(is_said) || !told.refused.is_empty() {
            course.agrees = Some(Arc::new(move |state| told.agrees(state)));
        }
        Ok(course)
    }

    fn tell(
        &self,
        seat: Seat,
        past: &[Decided<PhantomTicTacToe>],
        _now: &PhantomTicTacToeState,
    ) -> String {
        let own = past.iter().filter(|decided| decided.seat == seat);
        own.map(|decided| digits(&decided.action).replace(' ', "")).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;

    use super::*;
    use crate::tests::wrong_item;

    #[test]
    fn answers_of_the_referee_hold() {
        let game = PhantomTicTacToe;
        for seed in 0..20 {
            let told = |text, seat| {
                game.reconstruct(text, seat, &mut Xoshiro256PlusPlus::seed_from_u64(seed))
            };
            let course = told("5=taken 1=mine 9=taken", Some(Seat::Second)).expect("it can be");
            let stones = course.now.stones();
            assert_eq!(stones.second.iter().collect::<Vec<_>>(), [0]);
            assert_eq!(stones.first.iter().collect::<Vec<_>>(), [4, 8]);
            assert!(course.agrees.is_some_and(|agrees| agrees(&course.now)));
            for (text, wrong) in [
                ("5=taken", 1),
                ("5=mine 5=mine", 2),
                ("5=mine 1=taken 2=taken", 3),
                ("0=mine", 1),
                ("55", 1),
                ("5=mine 1=taken 9", 3),
                ("5=gone", 1),
            ] {
                assert_eq!(wrong_item(told(text, None)), wrong, "{text}");
            }
        }
    }
}
