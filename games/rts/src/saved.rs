//! The serialized form of a game in progress.

use ruse_games::Turn;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::orders::{Cell, UnitAction};
use super::size::BoardSize;
use super::state::{IDLE, NOBODY, RtsState, mark};
use super::unit::UnitKind;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedState {
    width: u8,
    height: u8,
    walls: Vec<Cell>,
    time: i16,
    turn: Turn,
    stock: [u32; 2],
    bound: [u32; 2],
    next_id: u16,
    next_seq: u32,
    num_conflicts: u32,
    first_chose: bool,
    units: Vec<SavedUnit>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedUnit {
    kind: UnitKind,
    /// The owner: 0 for the first player, 1 for the second player, or 2 for a mine.
    owner: u8,
    cell: Cell,
    id: u16,
    carried: u8,
    hp: u8,
    /// The current action or recorded order, and its number in the order of assignment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    action: Option<(UnitAction, u32)>,
    /// The time at which the action is completed, if the unit is busy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    done_at: Option<i16>,
}

impl<S: BoardSize> From<&RtsState<S>> for SavedState {
    fn from(state: &RtsState<S>) -> SavedState {
        let cells = (0..state.height).flat_map(|y| (0..state.width).map(move |x| Cell::new(x, y)));
        let is_wall = |cell: &Cell| state.marks_at(state.place_of(*cell)) & mark::WALL != 0;
        let units =
            state.units().iter().zip(state.done_at.as_ref()).map(|(unit, &done_at)| SavedUnit {
                kind: unit.kind(),
                owner: unit.owner,
                cell: unit.place(),
                id: unit.id,
                carried: unit.carried,
                hp: unit.hp,
                action: (unit.seq > 0).then(|| (state.action_of(unit.code, unit.target), unit.seq)),
                done_at: (done_at != IDLE).then_some(done_at),
            });
        SavedState {
            width: state.width,
            height: state.height,
            walls: cells.filter(is_wall).collect(),
            time: state.time,
            turn: state.turn,
            stock: state.stock,
            bound: state.bound,
            next_id: state.next_id,
            next_seq: state.next_seq,
            num_conflicts: state.num_conflicts,
            first_chose: state.first_chose,
            units: units.collect(),
        }
    }
}

impl<S: BoardSize> TryFrom<SavedState> for RtsState<S> {
    type Error = String;

    fn try_from(saved: SavedState) -> Result<RtsState<S>, String> {
        let SavedState { width, height, walls, time, turn, stock, bound, units, .. } = saved;
        let most = S::MAX_SIDE;
        let sides = 1..=most as u8;
        if !sides.contains(&width) || !sides.contains(&height) {
            return Err(format!(
                "the board has {width} x {height} cells, but at most {most} x {most} fit"
            ));
        }
        let mut state = RtsState::<S>::empty(width, height, &[], stock);
        for wall in walls {
            if !state.is_on_board(wall) {
                return Err(format!("the wall on {wall} is not on the board"));
            }
            let place = state.place_of(wall);
            state.set_marks(place, mark::WALL | mark::BLOCKED);
        }
        if units.len() > S::MAX_UNITS || time < 0 {
            return Err(format!("{} units at time {time} cannot be", units.len()));
        }
        for (index, unit) in units.into_iter().enumerate() {
            let place = state.place_of(unit.cell);
            let is_free =
                state.is_on_board(unit.cell) && state.marks_at(place) & mark::BLOCKED == 0;
            if !is_free
                || unit.owner > NOBODY
                || (unit.owner == NOBODY) != (unit.kind == UnitKind::Mine)
            {
                return Err(format!(
                    "the unit on {} cannot be there, or be owner {}'s",
                    unit.cell, unit.owner
                ));
            }
            state.add(unit.kind, unit.owner, place, (unit.carried, unit.hp));
            state.units[index].id = unit.id;
            if let Some((action, seq)) = unit.action {
                let coded = state.coded(place as u16, action);
                let (code, target) = coded.ok_or_else(|| {
                    format!("{action} of the unit on {} leaves the board", unit.cell)
                })?;
                let record = &mut state.units[index];
                (record.code, record.target, record.seq) = (code, target, seq);
                if let Some(done_at) =
                    unit.done_at.filter(|&done_at| done_at > time && done_at < IDLE)
                {
                    state.done_at[index] = done_at;
                    state.idle[usize::from(unit.owner & 1)].remove(index);
                    if code.takes_cell() {
                        let target = usize::from(target);
                        state.set_marks(target, state.marks_at(target) | mark::RESERVED);
                    }
                }
            }
        }
        state.time = time;
        state.ordered_at = time;
        state.turn = turn;
        state.bound = bound;
        state.next_id = saved.next_id;
        state.next_seq = saved.next_seq;
        state.num_conflicts = saved.num_conflicts;
        state.first_chose = saved.first_chose;
        Ok(state)
    }
}

impl<S: BoardSize> Serialize for RtsState<S> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        SavedState::from(self).serialize(serializer)
    }
}

impl<'de, S: BoardSize> Deserialize<'de> for RtsState<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RtsState<S>, D::Error> {
        SavedState::deserialize(deserializer)?.try_into().map_err(de::Error::custom)
    }
}
