//! Queries about the surroundings of a unit, for scripts.

use ruse_rts::{BoardSize, Cell, Direction, RtsView, SeenUnit, SmallBoard, UnitAction, UnitKind};

/// Empties a buffer, and reserves memory for the largest number of units on a small board.
pub(super) fn empty<T>(buffer: &mut Vec<T>) {
    // `reserve` adds to the current length, so the buffer is cleared first.
    buffer.clear();
    buffer.reserve(SmallBoard::MAX_UNITS);
}

/// Returns the fitting unit with the smallest Manhattan distance. Ties go to the first unit on the list.
pub(super) fn nearest(
    units: &[SeenUnit],
    from: Cell,
    fits: impl Fn(&SeenUnit) -> bool,
) -> Option<SeenUnit> {
    units.iter().filter(|unit| fits(unit)).min_by_key(|unit| unit.cell.steps_to(from)).copied()
}

/// Returns the cell that an action occupies, or `None` if it does not occupy a cell.
pub(super) fn cell_taken(unit: Cell, action: UnitAction) -> Option<Cell> {
    match action {
        UnitAction::Move(direction) | UnitAction::Produce(direction, _) => {
            unit.neighbour(direction)
        }
        _ => None,
    }
}

pub(super) fn direction_to(from: Cell, to: Cell) -> Option<Direction> {
    Direction::ALL.into_iter().find(|&direction| from.neighbour(direction) == Some(to))
}

/// Returns `true` if a cell is empty, and no visible unit is moving to it or producing a unit on it.
pub(super) fn is_free<S: BoardSize>(view: &RtsView<'_, S>, cell: Cell) -> bool {
    view.is_empty(cell) && !view.is_reserved(cell)
}

/// Returns the free side of a building that is nearest to the destination of the new unit: a mine for workers, an enemy
/// for soldiers.
pub(super) fn best_side<S: BoardSize>(
    units: &[SeenUnit],
    view: &RtsView<'_, S>,
    building: Cell,
    kind: UnitKind,
) -> Option<Direction> {
    let enemy = Some(view.seat().other());
    let goes_to = |unit: &SeenUnit| match kind {
        UnitKind::Worker => unit.kind == UnitKind::Mine,
        _ => unit.owner == enemy,
    };
    let mut best: Option<(u32, Direction)> = None;
    for direction in Direction::ALL {
        let cell = building.neighbour(direction);
        let Some(cell) = cell.filter(|&cell| is_free(view, cell)) else { continue };
        let distance = nearest(units, cell, goes_to).map_or(0, |unit| unit.cell.steps_to(cell));
        if best.is_none_or(|(shortest, _)| distance < shortest) {
            best = Some((distance, direction));
        }
    }
    best.map(|(_, direction)| direction)
}
