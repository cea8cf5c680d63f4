//! The sides of a pair.

/// One of the two sides of a pair, independent of the seat it takes in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The side whose score is reported.
    A,
    /// The opponent of A.
    B,
}
