//! The real-time strategy game as numbers. A decision gives orders to all idle units, one after another.

use ruse_games::{Factored, Feature, Numbered, Recall, Slots, Writer};

use super::legal::Usage;
use super::orders::{Cell, Direction, Orders, UnitAction};
use super::size::BoardSize;
use super::unit::UnitKind;
use super::view::RtsView;
use super::{Rts, WAIT};

/// The meanings of the planes of an observation. Each plane has a number for each cell of the map, row by row.
const PLANES: [&str; 21] = [
    "a wall in",
    "own unit in",
    "opponent's unit in",
    "a mine in",
    "a base in",
    "barracks in",
    "a worker in",
    "a light soldier in",
    "a heavy soldier in",
    "a ranged soldier in",
    "health of the unit in",
    "resources of the unit in",
    "moving unit in",
    "harvesting unit in",
    "unit handing over in",
    "producing unit in",
    "attacking unit in",
    "cycles that the unit is still busy in",
    "a cell taken by a move or a production:",
    "the unit that gets the next order in",
    "a unit that has got its order in",
];

/// The first number of each kind of order: waiting is 0, and each kind has a number for each direction.
const MOVE: usize = 1;
const HARVEST: usize = MOVE + 4;
const RETURN: usize = HARVEST + 4;
/// Each kind of unit but mines can be produced.
const PRODUCE: usize = RETURN + 4;
/// An attack has a number for each place of the target, up to three columns and three rows away.
const ATTACK: usize = PRODUCE + 4 * 6;
const REACH: usize = 3;

fn number_of(unit: Cell, action: UnitAction) -> usize {
    let across = |from: u8, to: u8| usize::from(to) + REACH - usize::from(from);
    match action {
        UnitAction::Wait(_) => 0,
        UnitAction::Move(direction) => MOVE + direction as usize,
        UnitAction::Harvest(direction) => HARVEST + direction as usize,
        UnitAction::Return(direction) => RETURN + direction as usize,
        UnitAction::Produce(direction, kind) => {
            PRODUCE + 4 * (kind as usize - 1) + direction as usize
        }
        UnitAction::Attack(target) => {
            ATTACK + (2 * REACH + 1) * across(unit.y, target.y) + across(unit.x, target.x)
        }
    }
}

/// Features: planes over the map, and then both stocks, the reserved part of this seat's stock, and the time. Actions:
/// an order for the next idle unit; a decision has a part for each idle unit.
impl<S: BoardSize> Numbered<Rts<S>> for Rts<S> {
    fn features(&self) -> Vec<Feature> {
        let (width, height) = (self.map().width(), self.map().height());
        let cells = || (0..height).flat_map(|y| (0..width).map(move |x| Cell::new(x, y)));
        let most = |plane: usize| match plane {
            10 | 11 => f32::from(u8::MAX),
            17 => f32::from(u16::MAX),
            _ => 1.0,
        };
        let of_plane = |(plane, meaning): (usize, &'static str)| {
            cells().map(move |cell| Feature::up_to(most(plane), format!("{meaning} {cell}")))
        };
        let mut features: Vec<Feature> =
            PLANES.into_iter().enumerate().flat_map(of_plane).collect();
        let total = f32::from(u16::MAX);
        features.extend([
            Feature::up_to(total, "own stock"),
            Feature::up_to(total, "own stock that is reserved"),
            Feature::up_to(total, "opponent's stock, 0 under fog"),
            Feature::up_to(self.cap().into(), "cycles since the start"),
        ]);
        features
    }

    fn observe(&self, view: &RtsView<'_, S>, recall: Recall<'_>, observation: &mut [f32]) {
        let width = usize::from(view.width());
        let num_cells = width * usize::from(view.height());
        let (planes, rest) = observation.split_at_mut(PLANES.len() * num_cells);
        planes.fill(0.0);
        let mut put = |plane: usize, cell: Cell, number: f32| {
            planes[plane * num_cells + usize::from(cell.y) * width + usize::from(cell.x)] = number;
        };
        for wall in self.map().walls() {
            put(0, *wall, 1.0);
        }
        for unit in view.units() {
            if let Some(owner) = unit.owner {
                put(if owner == view.seat() { 1 } else { 2 }, unit.cell, 1.0);
            }
            put(3 + unit.kind as usize, unit.cell, 1.0);
            put(10, unit.cell, unit.hp.into());
            put(11, unit.cell, unit.carried.into());
            let Some((action, cycles)) = unit.doing else { continue };
            put(17, unit.cell, cycles.into());
            let (verb, taken) = match action {
                UnitAction::Wait(_) => continue,
                UnitAction::Move(direction) => (12, Some(direction)),
                UnitAction::Harvest(_) => (13, None),
                UnitAction::Return(_) => (14, None),
                UnitAction::Produce(direction, _) => (15, Some(direction)),
                UnitAction::Attack(_) => (16, None),
            };
            put(verb, unit.cell, 1.0);
            if let Some(cell) = taken.and_then(|direction| unit.cell.neighbour(direction)) {
                put(18, cell, 1.0);
            }
        }
        for (index, unit) in view.idle_units().enumerate() {
            match index.cmp(&recall.parts.len()) {
                std::cmp::Ordering::Less => put(20, unit.cell, 1.0),
                std::cmp::Ordering::Equal => put(19, unit.cell, 1.0),
                std::cmp::Ordering::Greater => break,
            }
        }
        Writer::new(rest)
            .put_all([view.stock(), view.bound_stock(), view.other_stock().unwrap_or(0)])
            .put(view.time())
            .finish();
    }

    fn action_texts(&self) -> Vec<String> {
        let kinds = UnitKind::ALL.into_iter().skip(1);
        let orders = [UnitAction::Wait(WAIT)]
            .into_iter()
            .chain(Direction::ALL.map(UnitAction::Move))
            .chain(Direction::ALL.map(UnitAction::Harvest))
            .chain(Direction::ALL.map(UnitAction::Return))
            .chain(kinds.flat_map(|kind| {
                Direction::ALL.map(|direction| UnitAction::Produce(direction, kind))
            }));
        let reach = REACH as i32;
        let attacks = (-reach..=reach).flat_map(|y| (-reach..=reach).map(move |x| (x, y)));
        let attacks = attacks.map(|(x, y)| format!("attack {x:+},{y:+}"));
        orders.map(|order| order.to_string()).chain(attacks).collect()
    }

    fn each_numbered(
        &self,
        view: &RtsView<'_, S>,
        recall: Recall<'_>,
        found: &mut dyn FnMut(usize, Option<Orders>),
    ) {
        let (state, seat, chosen) = (view.state, view.seat(), recall.parts);
        let mut slots = Slots::default();
        self.slots(state, seat, &mut slots);
        let mut usage = Usage::default();
        self.begin(state, seat, &mut usage);
        let units: Vec<Cell> = view.idle_units().map(|unit| unit.cell).collect();
        let number = |slot: usize, index: usize| {
            number_of(units[slot], self.unit_action(slots.values(slot)[index]))
        };
        let mut indices: Vec<u16> = Vec::with_capacity(units.len());
        for (slot, &wanted) in chosen.iter().enumerate() {
            let index = (0..slots.values(slot).len()).find(|&index| number(slot, index) == wanted);
            let index = index.expect("earlier parts were legal");
            self.fix(&mut usage, slot, slots.values(slot)[index]);
            indices.push(index as u16);
        }
        let slot = chosen.len();
        if slot >= units.len() {
            return;
        }
        let values = slots.values(slot).iter().enumerate();
        let admitted = values.filter(|&(_, &value)| self.admits(&usage, slot, value));
        let mut numbers: Vec<(usize, usize)> =
            admitted.map(|(index, _)| (number(slot, index), index)).collect();
        numbers.sort_unstable();
        indices.push(0);
        for (number, index) in numbers {
            indices[slot] = index as u16;
            let is_last = slot + 1 == units.len();
            let orders = is_last.then(|| {
                let mut orders = Orders::default();
                self.assemble(state, seat, &slots, &indices, &mut orders);
                orders
            });
            found(number, orders);
        }
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::{Game, Seat};

    use super::*;

    /// Numbers of all orders are different, and there is a text for each.
    #[test]
    fn orders_have_numbers_of_their_own() {
        let game = Rts::standard();
        let texts = game.action_texts();
        assert_eq!(texts.len(), 1 + 3 * 4 + 4 * 6 + 7 * 7);
        assert_eq!(
            [&texts[0], &texts[1], &texts[16], &texts[85]],
            ["n10", "m0", "p3B", "attack +3,+3"]
        );
        let unit = Cell::new(5, 5);
        assert_eq!(number_of(unit, UnitAction::Attack(Cell::new(8, 8))), 85);
        assert_eq!(number_of(unit, UnitAction::Attack(Cell::new(2, 2))), ATTACK);
        assert_eq!(number_of(unit, UnitAction::Produce(Direction::Left, UnitKind::Base)), 16);
    }

    /// On the map 8x8-1 a seat has a base and a worker at the start, with 10 joint orders.
    #[test]
    fn a_decision_has_a_part_for_each_idle_unit() {
        let game = Rts::standard();
        let state = game.start();
        let view = game.view(&state, Seat::First);
        fn recall(parts: &[usize]) -> Recall<'_> {
            Recall { seat: Seat::First, past: &[], parts }
        }
        let numbers = |chosen: &[usize]| {
            let mut found = Vec::new();
            game.each_numbered(&view, recall(chosen), &mut |number, orders| {
                found.push((number, orders))
            });
            found
        };
        let first = numbers(&[]);
        assert!(first.iter().all(|(_, orders)| orders.is_none()));
        let mut num_orders = 0;
        for (number, _) in &first {
            for (_, orders) in numbers(&[*number]) {
                let orders = orders.expect("there are two units");
                assert!(game.check(&state, &orders).is_ok());
                num_orders += 1;
            }
        }
        assert_eq!(num_orders, 10);
        let mut observation = vec![f32::NAN; game.features().len()];
        game.observe(&view, recall(&[first[0].0]), &mut observation);
        assert_eq!(observation.len(), 21 * 64 + 4);
        let plane = |index: usize| observation[64 * index..64 * (index + 1)].iter().sum::<f32>();
        // Each seat has two units, and there are two mines; one unit has its order, and the other one is next.
        assert_eq!([1, 2, 3, 19, 20].map(plane), [2.0, 2.0, 2.0, 1.0, 1.0]);
    }
}
