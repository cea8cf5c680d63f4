//! What a player believes about the cells of a board, as a map of probabilities.
//!
//! A map is made from what a seat sees and did, as the text of [`Board::show`](crate::Board::show) is, and never from a state.

/// Probabilities of what lies on the cells of a board.
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
    /// What the probabilities are of and what they rest on, as the beginning of a sentence: "Probability that a cell is part of a
    /// ship, all fleets being equally likely".
    pub meaning: String,
    /// Whether a player chooses one of the cells, and does best with the most probable: the map then says what the choices are
    /// worth.
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

/// What is believed about one cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Belief {
    /// The cell, as it is typed.
    pub cell: String,
    /// The probability, in [0, 1].
    pub probability: f64,
    /// What the board shows there, where the player knows it; empty elsewhere.
    pub known: &'static str,
}

impl Beliefs {
    /// Probabilities that differ by less than this share are equal: what is larger depends on the order of additions.
    const TIE: f64 = 1e-9;

    /// All cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = &Belief> {
        self.rows.iter().flat_map(|row| &row.cells)
    }

    /// The largest probability of a cell that the player does not know; 0 if they know all.
    pub fn largest(&self) -> f64 {
        let unknown = self.cells().filter(|belief| belief.known.is_empty());
        unknown.map(|belief| belief.probability).fold(0.0, f64::max)
    }

    /// Whether a cell is one of those that a player who aims chooses from, where `largest` is the
    /// [largest probability](Beliefs::largest).
    pub fn is_best(&self, belief: &Belief, largest: f64) -> bool {
        self.is_aim
            && belief.known.is_empty()
            && belief.probability >= largest * (1.0 - Beliefs::TIE)
    }
}
