//! The knowledge of a seat about hidden things, and random states that agree with it.

use rand::{Rng, RngExt};
use ruse_games::{Imagine, Seat};

use super::orders::{Cell, Orders};
use super::size::{Array, BoardSize, SmallBoard};
use super::state::{Code, RtsState, Unit, UnitSet, index_of, mark, packed};
use super::view::RtsView;
use super::{Rts, UnitKind};

/// The opponent's units and the mines that a seat has seen under fog; empty without fog.
#[derive(Debug, Clone, Default)]
pub struct RtsKnowledge<S: BoardSize = SmallBoard> {
    /// The last sighting of each thing.
    sightings: Vec<Sighting<S>>,
}

#[derive(Debug, Clone, Copy)]
struct Sighting<S: BoardSize> {
    time: i16,
    unit: Unit<S>,
    /// Whether the seat has seen that an immobile thing is no longer in its place.
    is_gone: bool,
}

/// The maximum imagined stock of the opponent under fog, beyond the costs of productions in progress.
const MAX_HIDDEN_STOCK: u32 = 10;

/// Returns whether a cell is within the sight of a unit of the seat.
fn is_lit<S: BoardSize>(state: &RtsState<S>, game: &Rts<S>, seat: Seat, cell: Cell) -> bool {
    let owner = index_of(seat) as u8;
    state.units().iter().any(|own| {
        let sight = u32::from(game.table().facts(own.kind()).sight);
        own.owner == owner && own.place().distance_squared(cell) <= sight * sight
    })
}

impl<S: BoardSize> Rts<S> {
    /// Removes all units except the units in `seen`.
    fn without_hidden(&self, state: &mut RtsState<S>, seen: UnitSet<S>) {
        for unit in (0..state.num_units()).rev() {
            if !seen.contains(unit) {
                state.remove(self.table(), unit);
            }
        }
    }

    /// Puts an unseen thing on its old cell if it cannot move, otherwise on a random hidden cell that it can have
    /// reached. If there is no such cell, leaves the thing out.
    fn put<R: Rng>(&self, state: &mut RtsState<S>, seat: Seat, last: Sighting<S>, rng: &mut R) {
        let (kind, from) = (last.unit.kind(), last.unit.place());
        let speed = u32::from(self.table().facts(kind).move_time);
        let elapsed = state.time.saturating_sub(last.time).max(0) as u32;
        // One step is added, because a move may have been under way.
        let steps = elapsed.checked_div(speed).map_or(0, |steps| steps + 1);
        let mut cells = S::PerUnit::<Cell>::filled(Cell::default());
        let mut num_cells = 0;
        for y in 0..state.height {
            for x in 0..state.width {
                let cell = Cell::new(x, y);
                let marks = state.marks_at(state.place_of(cell));
                if from.steps_to(cell) <= steps
                    && marks & (mark::BLOCKED | mark::RESERVED) == 0
                    && !is_lit(state, self, seat, cell)
                {
                    cells[num_cells] = cell;
                    num_cells += 1;
                }
            }
        }
        if num_cells > 0 {
            let place = state.place_of(cells[rng.random_range(0..num_cells)]);
            let unit = state.num_units();
            state.add(kind, last.unit.owner, place, (last.unit.carried, last.unit.hp));
            state.units[unit].id = last.unit.id;
        }
    }

    /// Adds units and resources that fog hides, as documented at the implementation of [`Imagine`].
    fn fill_in<R: Rng>(
        &self,
        knowledge: &RtsKnowledge<S>,
        state: &mut RtsState<S>,
        seat: Seat,
        seen: UnitSet<S>,
        rng: &mut R,
    ) {
        let other = index_of(seat.other());
        self.without_hidden(state, seen);
        let num_seen = state.num_units();
        let at_start =
            self.start.units().iter().map(|&unit| Sighting { time: 0, unit, is_gone: false });
        let is_known = |id: u16| knowledge.sightings.iter().any(|sighting| sighting.unit.id == id);
        let at_start = at_start.filter(|last| !is_known(last.unit.id));
        let lasts = knowledge.sightings.iter().copied().chain(at_start);
        for last in lasts.filter(|last| last.unit.seat() != Some(seat) && !last.is_gone) {
            let is_seen = state.units[..num_seen].iter().any(|unit| unit.id == last.unit.id);
            if !is_seen {
                self.put(state, seat, last, rng);
            }
        }
        if state.num_own[other] == 0 {
            // The opponent must have at least one unit, otherwise the game would be over.
            let id = state.units().iter().map(|unit| unit.id).max().unwrap_or(0) + 1;
            let (owner, hp) = (other as u8, self.table().facts(UnitKind::Worker).hp);
            let cell = state.units[0].cell;
            let unit = Unit {
                cell,
                id,
                kind: UnitKind::Worker as u8,
                owner,
                hp,
                xy: packed(state.cell_at(cell)),
                ..Unit::default()
            };
            // The worker was never seen, so it may be anywhere.
            self.put(state, seat, Sighting { time: i16::MIN / 2, unit, is_gone: false }, rng);
        }
        state.next_id = state.units().iter().map(|unit| unit.id).max().unwrap_or(0) + 1;
        state.stock[other] = state.bound[other] + rng.random_range(0..=MAX_HIDDEN_STOCK);
    }
}

/// Without fog, only the first player's orders of the same cycle are hidden. For the second player, they are drawn unit
/// by unit, uniformly from the allowed actions.
///
/// With fog, immobile things out of sight are where they were last seen or, if never seen, where they were at the
/// start. A mobile thing out of sight is on a hidden cell that it can have reached, drawn uniformly, and is left out if
/// there is no such cell. All hidden units are idle. Besides its units at the start, the opponent has only units that
/// the seat has seen; if none is left, it has one worker on a random hidden cell. Its stock exceeds the costs of its
/// productions in progress by 0 to 10 resources, drawn uniformly. Such a state agrees with what is seen now, but the
/// rules may not lead to it.
impl<S: BoardSize> Imagine for Rts<S> {
    type Knowledge = RtsKnowledge<S>;

    fn learn(&self, knowledge: &mut RtsKnowledge<S>, _: Seat, view: &RtsView<'_, S>, _: &Orders) {
        let Some(seen) = view.seen else { return };
        let (state, seat) = (view.state, view.seat);
        for unit in seen.iter() {
            let record = &state.units[unit];
            if record.seat() == Some(seat) {
                continue;
            }
            let sighting = Sighting { time: state.time, unit: *record, is_gone: false };
            let known = &mut knowledge.sightings;
            match known.iter_mut().find(|known| known.unit.id == record.id) {
                Some(known) => *known = sighting,
                None => known.push(sighting),
            }
        }
        // An immobile thing that is no longer in its place is gone for ever.
        for known in &mut knowledge.sightings {
            let speed = self.table().facts(known.unit.kind()).move_time;
            let is_seen = seen.iter().any(|unit| state.units[unit].id == known.unit.id);
            known.is_gone |=
                speed == 0 && !is_seen && is_lit(state, self, seat, known.unit.place());
        }
    }

    fn imagine<R: Rng>(
        &self,
        knowledge: &RtsKnowledge<S>,
        seat: Seat,
        view: &RtsView<'_, S>,
        rng: &mut R,
    ) -> RtsState<S> {
        let mut state = view.state.clone();
        state.forget_first();
        if let Some(seen) = view.seen {
            self.fill_in(knowledge, &mut state, seat, seen, rng);
        }
        if seat == Seat::Second && (self.asks_every_cycle || !state.idle[0].is_empty()) {
            let mut noted = S::PerUnit::filled((0u16, (Code::default(), 0u16)));
            let mut num_noted = 0;
            state.draw_orders(self.table(), Seat::First, rng, |unit, action| {
                noted[num_noted] = (unit as u16, action);
                num_noted += 1;
            });
            for &(unit, action) in &noted[..num_noted] {
                state.note(usize::from(unit), action);
            }
            state.first_chose = true;
        }
        state.set_turn(self.asks_every_cycle);
        state
    }
}
