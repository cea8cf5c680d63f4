//! Orders to units, as values and as text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::size::{BoardSize, LargeBoard, SmallBoard};
use super::unit::UnitKind;

/// The maximum number of columns, and of rows, of a map.
pub const MAX_SIDE: usize = LargeBoard::MAX_SIDE;

/// A cell of the board: x grows to the right and y downwards, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Cell {
    /// The column.
    pub x: u8,
    /// The row.
    pub y: u8,
}

impl Cell {
    /// Creates the cell in this column and row.
    pub const fn new(x: u8, y: u8) -> Cell {
        Cell { x, y }
    }

    /// Returns the neighbour in a direction; `None` if its column or row would be below 0 or above 255.
    pub fn neighbour(self, direction: Direction) -> Option<Cell> {
        let Cell { x, y } = self;
        Some(match direction {
            Direction::Up => Cell { x, y: y.checked_sub(1)? },
            Direction::Right => Cell { x: x.checked_add(1)?, y },
            Direction::Down => Cell { x, y: y.checked_add(1)? },
            Direction::Left => Cell { x: x.checked_sub(1)?, y },
        })
    }

    /// Returns the square of the Euclidean distance to another cell.
    pub fn distance_squared(self, other: Cell) -> u32 {
        let [dx, dy] = [self.x.abs_diff(other.x), self.y.abs_diff(other.y)].map(u32::from);
        dx * dx + dy * dy
    }

    /// Returns the Manhattan distance to another cell: the number of steps on an empty board.
    pub fn steps_to(self, other: Cell) -> u32 {
        u32::from(self.x.abs_diff(other.x)) + u32::from(self.y.abs_diff(other.y))
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// A direction. In texts, directions are the digits 0 to 3 in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// Towards smaller y.
    Up,
    /// Towards larger x.
    Right,
    /// Towards larger y.
    Down,
    /// Towards smaller x.
    Left,
}

impl Direction {
    /// All directions, in the order in which actions are listed.
    pub const ALL: [Direction; 4] =
        [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    #[inline]
    pub(super) const fn of_index(index: u8) -> Direction {
        Direction::ALL[(index & 3) as usize]
    }

    fn of_digit(text: &str) -> Option<Direction> {
        Direction::ALL.into_iter().find(|&direction| text == (direction as u8).to_string())
    }
}

/// The number of cycles for which a unit waits when ordered to wait.
pub const WAIT: u16 = 10;

/// An action of one unit.
///
/// In text: `n10` waits, `m1` moves, `h0` harvests, `r2` hands over, `p1W` produces, and `a3,2` attacks a cell. The
/// digit after `m`, `h`, `r` and `p` is the direction, from 0 (up) clockwise to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnitAction {
    /// Does nothing for this number of cycles. Players order [`WAIT`]; other numbers arise from conflicts.
    Wait(u16),
    /// Moves to the adjacent cell.
    Move(Direction),
    /// Takes a resource from the adjacent mine.
    Harvest(Direction),
    /// Hands the carried resource to the adjacent base.
    Return(Direction),
    /// Builds or trains a unit on the adjacent cell.
    Produce(Direction, UnitKind),
    /// Hits whatever stands on the cell when the attack lands.
    Attack(Cell),
}

impl fmt::Display for UnitAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            UnitAction::Wait(cycles) => write!(f, "n{cycles}"),
            UnitAction::Move(direction) => write!(f, "m{}", direction as u8),
            UnitAction::Harvest(direction) => write!(f, "h{}", direction as u8),
            UnitAction::Return(direction) => write!(f, "r{}", direction as u8),
            UnitAction::Produce(direction, kind) => {
                write!(f, "p{}{}", direction as u8, kind.letter())
            }
            UnitAction::Attack(cell) => write!(f, "a{cell}"),
        }
    }
}

/// An order to one unit, which is identified by its cell. In text: `0,1 h0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Order {
    /// The cell the unit stands on.
    pub unit: Cell,
    /// The action to take.
    pub action: UnitAction,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.unit, self.action)
    }
}

/// The orders of a player to their idle units, in the order of execution. After all orders, idle units without an order
/// start to wait. In text: `0,2 p1W;0,1 h0`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Orders {
    /// The orders, at most one for each unit.
    pub orders: Vec<Order>,
}

impl Orders {
    /// Removes all orders, and reserves memory for the largest number of units on a small board, so that later calls
    /// allocate only if more units have orders.
    #[inline]
    pub fn clear(&mut self) {
        self.orders.clear();
        self.orders.reserve(SmallBoard::MAX_UNITS);
    }

    /// Adds an order.
    pub fn push(&mut self, unit: Cell, action: UnitAction) {
        self.orders.push(Order { unit, action });
    }
}

impl fmt::Display for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, order) in self.orders.iter().enumerate() {
            write!(f, "{}{order}", if index == 0 { "" } else { ";" })?;
        }
        Ok(())
    }
}

/// A text that is not a valid order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not a valid {expected}")]
#[non_exhaustive]
pub struct NotAnOrder {
    /// The part that was not understood.
    pub found: String,
    /// The expected form, with an example.
    pub expected: &'static str,
}

fn mistake(found: &str, expected: &'static str) -> NotAnOrder {
    NotAnOrder { found: found.into(), expected }
}

/// Parses a number: digits only, without leading zeros.
fn number<T: FromStr>(text: &str) -> Option<T> {
    let plain =
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok())?
}

impl FromStr for Cell {
    type Err = NotAnOrder;

    fn from_str(text: &str) -> Result<Cell, NotAnOrder> {
        let cell = || {
            let (x, y) = text.split_once(',')?;
            Some(Cell { x: number(x)?, y: number(y)? })
        };
        cell().ok_or_else(|| mistake(text, "cell: column and row from 0, such as 3,2"))
    }
}

impl FromStr for UnitAction {
    type Err = NotAnOrder;

    fn from_str(text: &str) -> Result<UnitAction, NotAnOrder> {
        let action = || {
            let rest = text.get(1..)?;
            Some(match text.as_bytes()[0] {
                b'n' => UnitAction::Wait(number(rest)?),
                b'm' => UnitAction::Move(Direction::of_digit(rest)?),
                b'h' => UnitAction::Harvest(Direction::of_digit(rest)?),
                b'r' => UnitAction::Return(Direction::of_digit(rest)?),
                b'a' => UnitAction::Attack(rest.parse().ok()?),
                b'p' => {
                    let direction = Direction::of_digit(rest.get(..1)?)?;
                    let mut letters = rest.get(1..)?.chars();
                    let kind = UnitKind::of_letter(letters.next()?)?;
                    if letters.next().is_some() || kind == UnitKind::Mine {
                        return None;
                    }
                    UnitAction::Produce(direction, kind)
                }
                _ => return None,
            })
        };
        let expected =
            "action: one of m1, h1, r1, p1W, a3,2 and n10 (0 is up, 1 right, 2 down, 3 left)";
        action().ok_or_else(|| mistake(text, expected))
    }
}

impl FromStr for Order {
    type Err = NotAnOrder;

    fn from_str(text: &str) -> Result<Order, NotAnOrder> {
        let (unit, action) = text
            .trim()
            .split_once(' ')
            .ok_or_else(|| mistake(text, "order: a cell and an action, such as 0,1 h0"))?;
        Ok(Order { unit: unit.parse()?, action: action.trim().parse()? })
    }
}

impl FromStr for Orders {
    type Err = NotAnOrder;

    fn from_str(text: &str) -> Result<Orders, NotAnOrder> {
        let orders = text.split(';').filter(|order| !order.trim().is_empty());
        Ok(Orders { orders: orders.map(str::parse).collect::<Result<_, _>>()? })
    }
}

/// Serializes values as the text that people type.
macro_rules! written_as_text {
    ($($type:ty)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }
    )*};
}

written_as_text! { Cell UnitAction Orders }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_written() {
        for text in ["", "0,2 p1W", "0,1 h0;10,15 a3,2;4,4 n10;1,1 m3;2,2 r2;3,3 p0K"] {
            let orders: Orders = text.parse().expect("orders");
            assert_eq!(orders.to_string(), text);
        }
        let order: Order = "0,1 p2R".parse().expect("an order");
        let action = UnitAction::Produce(Direction::Down, UnitKind::Ranged);
        assert_eq!(order, Order { unit: Cell::new(0, 1), action });
        for text in [
            "0,1", "h0", "0,1 h4", "0,1 p1", "0,1 p1*", "0,1 p1WW", "0,1 a3", "0,-1 h0", "0,1 m01",
            "300,0 m1",
        ] {
            assert!(text.parse::<Order>().is_err(), "{text}");
        }
        let error = "0,1 x".parse::<Orders>().expect_err("no action").to_string();
        assert!(error.starts_with("`x` is not a valid action: one of m1"), "{error}");
    }
}
