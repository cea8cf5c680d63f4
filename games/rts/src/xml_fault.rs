//! What can be wrong with a map in XML.

use super::orders::Cell;

/// The name of the outermost element.
pub(super) const ROOT: &str = "rts.PhysicalGameState";

/// A fault in a map in XML.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum XmlFault {
    /// The text is not well-formed XML.
    #[error("this is not XML: {problem}")]
    NotXml {
        /// The problem.
        problem: String,
    },
    /// The outermost element has another name.
    #[error("the outermost element is `<{found}>`; a map is a `<{ROOT}>`")]
    OtherRoot {
        /// The name of the outermost element.
        found: String,
    },
    /// An element lacks another one.
    #[error("`<{parent}>` contains no `<{child}>`; add one")]
    NoElement {
        /// The name of the element.
        parent: String,
        /// The name of the missing element.
        child: &'static str,
    },
    /// An element lacks an attribute.
    #[error("`<{element}>` has no `{attribute}`; add it")]
    NoAttribute {
        /// The name of the element.
        element: String,
        /// The name of the missing attribute.
        attribute: &'static str,
    },
    /// An attribute is not a number in its range.
    #[error("`{attribute}` is `{found}`; write a whole number from {least} to {most}")]
    WrongNumber {
        /// The name of the attribute.
        attribute: String,
        /// The value that was found.
        found: String,
        /// The smallest possible number.
        least: i64,
        /// The largest possible number.
        most: i64,
    },
    /// The terrain does not have one digit for each cell.
    #[error(
        "the terrain has {found} digits, but a board of {width} x {height} cells needs {}; correct the terrain or the size",
        usize::from(*.width) * usize::from(*.height)
    )]
    TerrainLength {
        /// The number of digits.
        found: usize,
        /// The number of columns of the board.
        width: u8,
        /// The number of rows of the board.
        height: u8,
    },
    /// The terrain contains something else than digits of cells.
    #[error("the terrain contains `{found}`; write 0 for a free cell and 1 for a wall")]
    TerrainLetter {
        /// The character that was found.
        found: char,
    },
    /// No player has this number.
    #[error("there is no player `{found}`; the players are 0 and 1, and -1 stands for no player")]
    UnknownPlayer {
        /// The number that was found.
        found: String,
    },
    /// Two elements describe the same player, or a player has no element.
    #[error(
        "`<players>` describes player {player} {times} times; describe each of players 0 and 1 once"
    )]
    Players {
        /// The number of the player.
        player: u8,
        /// The number of elements with this player.
        times: usize,
    },
    /// No unit has this type.
    #[error(
        "there is no unit type `{found}`; the types are Resource, Base, Barracks, Worker, Light, Heavy and Ranged"
    )]
    UnknownType {
        /// The type that was found.
        found: String,
    },
    /// A resource belongs to a player, or another unit does not.
    #[error(
        "a {unit} of player {player}; the player of a Resource is -1, and the player of any other unit is 0 or 1"
    )]
    WrongOwner {
        /// The type of the unit.
        unit: &'static str,
        /// The number of the player.
        player: i64,
    },
    /// A unit stands outside the board.
    #[error(
        "the unit on {cell} is outside the board of {width} x {height} cells; x and y are counted from 0"
    )]
    Outside {
        /// The cell of the unit.
        cell: Cell,
        /// The number of columns of the board.
        width: u8,
        /// The number of rows of the board.
        height: u8,
    },
    /// A unit stands on a wall.
    #[error("the unit on {cell} stands on a wall; move it, or make the digit of this cell 0")]
    OnWall {
        /// The cell of the unit.
        cell: Cell,
    },
    /// Two units stand on the same cell.
    #[error("the unit on {cell} stands on the same cell as the unit in line {line}; move one")]
    SameCell {
        /// The cell of both units.
        cell: Cell,
        /// The line of the earlier unit, from 1.
        line: usize,
    },
    /// A player has no unit.
    #[error("player {player} has no unit in `<units>`; add one")]
    NoUnits {
        /// The number of the player.
        player: u8,
    },
}
