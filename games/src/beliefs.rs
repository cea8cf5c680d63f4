//! A player's beliefs about the cells of a board, as a map of probabilities.
//!
//! A map is computed from what a seat saw and did, never from a state, like the text of
//! [`Board::show`](crate::Board::show).

/// Probabilities of the contents of the cells of a board.
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
    /// The meaning and the basis of the probabilities, as the beginning of a sentence: "Probability that a cell is part
    /// of a ship, all fleets being equally likely".
    pub meaning: String,
    /// Whether the player must choose a cell and does best to choose the most probable one.
    pub is_aim: bool,
    /// The names of the columns, from the left.
    pub columns: Vec<String>,
    /// The rows, from the top.
    pub rows: Vec<BeliefRow>,
}

/// A row of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefRow {
    /// The name of the row.
    pub name: String,
    /// The cells, from the left.
    pub cells: Vec<Belief>,
}

/// The belief about one cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Belief {
    /// The cell, as it is typed.
    pub cell: String,
    /// The probability, in [0, 1].
    pub probability: f64,
    /// The text that the board shows in the cell if the player knows its contents; otherwise empty.
    pub known: &'static str,
}

impl Beliefs {
    /// Smaller relative differences count as ties, because rounding alone may cause them.
    const TIE: f64 = 1e-9;

    /// Returns all cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = &Belief> {
        self.rows.iter().flat_map(|row| &row.cells)
    }

    /// Returns the largest probability of a cell that the player does not know; 0 if all are known.
    pub fn largest(&self) -> f64 {
        let unknown = self.cells().filter(|belief| belief.known.is_empty());
        unknown.map(|belief| belief.probability).fold(0.0, f64::max)
    }

    /// Returns `true` if the player [must choose a cell](Beliefs::is_aim) and this cell is among the best. `largest` is
    /// the [largest probability](Beliefs::largest).
    pub fn is_best(&self, belief: &Belief, largest: f64) -> bool {
        self.is_aim
            && belief.known.is_empty()
            && belief.probability >= largest * (1.0 - Beliefs::TIE)
    }
}
