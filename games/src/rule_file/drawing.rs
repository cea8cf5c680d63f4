//! Drawings of games from rule files that have a board.
//!
//! Rule files do not describe the appearance of a game. Many games have fluents of the form `(cell ROW COLUMN WHAT)`;
//! these fluents are drawn as a grid. A move that names exactly a row and a column can be chosen at the cell in this
//! row and column.

use std::collections::{BTreeMap, BTreeSet};

use ruse_gdl::State;

use super::board::natural;
use super::{RoleView, RuleFile};
use crate::Seat;
use crate::drawing::{Drawing, GridRow, Item, Mark, Part};

/// The maximum number of rows, and of columns, that are drawn.
const MOST: usize = 26;

/// Returns the words of a flat term, such as `cell`, `1`, `2` and `x` of `(cell 1 2 x)`; `None` if the term is not
/// flat.
fn words(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    (!inner.contains('(')).then(|| inner.split(' ').collect())
}

/// Returns whether a name stands for an empty cell.
fn is_nothing(what: &str) -> bool {
    matches!(what, "b" | "blank" | "empty" | "nothing" | "free")
}

/// Sorts names, with numbers in the order of their values.
fn sorted(names: BTreeSet<&str>) -> Vec<&str> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_cached_key(|name| natural(name));
    names
}

impl RuleFile {
    /// Draws the board that the true fluents describe. `seat_of` returns the owner of a piece, given its name; `moves`
    /// contains the moves that can be chosen.
    fn grid(
        &self,
        state: &State,
        seat_of: impl Fn(&str) -> Option<Seat>,
        moves: &[String],
    ) -> Option<Drawing> {
        let fluents: Vec<String> =
            state.iter().map(|fluent| self.shared.rules.fluent(fluent)).collect();
        let mut cells = BTreeMap::new();
        for text in &fluents {
            if let Some(["cell", row, column, what]) = words(text).as_deref() {
                cells.insert((*row, *column), *what);
            }
        }
        let rows = sorted(cells.keys().map(|(row, _)| *row).collect());
        let columns = sorted(cells.keys().map(|(_, column)| *column).collect());
        let is_board = (2..=MOST).contains(&rows.len()) && (2..=MOST).contains(&columns.len());
        if !is_board {
            return None;
        }
        let mut typed: BTreeMap<(&str, &str), &String> = BTreeMap::new();
        for text in moves {
            if let Some([_, row, column]) = words(text).as_deref()
                && typed.insert((*row, *column), text).is_some()
            {
                // If two moves name the same cell, only the list of moves can tell them apart.
                typed.clear();
                break;
            }
        }
        let item = |row: &str, column: &str| {
            let item = match cells.get(&(row, column)) {
                None => Item::new(Mark::Wall, format!("{row} {column}: no cell")),
                Some(what) if is_nothing(what) => {
                    Item::new(Mark::Empty, format!("{row} {column}: {what}"))
                }
                Some(what) => {
                    let mark = match seat_of(what) {
                        Some(Seat::First) => Mark::FirstUnit,
                        Some(Seat::Second) => Mark::SecondUnit,
                        None => Mark::Word,
                    };
                    let short: String = what.chars().take(3).collect();
                    Item::new(mark, format!("{row} {column}: {what}")).with_text(short)
                }
            };
            if let Some(text) = typed.get(&(row, column)) { item.typing(*text) } else { item }
        };
        let rows = rows.iter().map(|row| GridRow {
            name: (*row).into(),
            cells: columns.iter().map(|column| item(row, column)).collect(),
        });
        let rows = rows.collect();
        let columns = columns.iter().map(|column| (*column).into()).collect();
        let grid = Part::Grid { title: "The board".into(), columns, rows };
        Some(Drawing { parts: vec![grid], ..Drawing::default() })
    }

    /// Returns the owner of a piece named like a role: the first seat for the first role, otherwise the second. Returns
    /// `None` for other pieces.
    fn seat_of(&self, what: &str) -> Option<Seat> {
        let mut names = self.shared.roles.iter().map(|&role| self.shared.rules.role_name(role));
        let index = names.position(|name| name == what)?;
        Some(if index == 0 { Seat::First } else { Seat::Second })
    }

    /// Draws what a role sees, given complete information; if `is_open`, its moves can be chosen.
    pub(super) fn drawing(&self, view: &RoleView<'_>, is_open: bool) -> Option<Drawing> {
        let text = |&action: &_| self.shared.rules.move_text(view.role(), action).to_string();
        let moves = if is_open { view.legal().iter().map(text).collect() } else { Vec::new() };
        self.grid(view.state()?, |what| self.seat_of(what), &moves)
    }

    /// Draws the true fluents.
    pub(super) fn whole_drawing(&self, state: &State) -> Option<Drawing> {
        self.grid(state, |what| self.seat_of(what), &[])
    }
}
