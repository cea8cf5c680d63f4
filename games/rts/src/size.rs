//! Classes of boards. The arrays of a state have a fixed size, which depends on the class. The class is chosen once for
//! each map, so that small boards do not pay for large ones.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Index, IndexMut, RangeTo};

/// A value in an array of a state.
pub trait Entry: Copy + Debug + Send + Sync + 'static {}

impl<T: Copy + Debug + Send + Sync + 'static> Entry for T {}

/// An array of fixed length.
pub trait Array<T>:
    Entry
    + AsRef<[T]>
    + AsMut<[T]>
    + IndexMut<usize, Output = T>
    + Index<usize, Output = T>
    + IndexMut<RangeTo<usize>, Output = [T]>
    + Index<RangeTo<usize>, Output = [T]>
{
    /// Creates an array in which all entries are `value`.
    fn filled(value: T) -> Self;
}

impl<T: Entry, const N: usize> Array<T> for [T; N] {
    #[inline]
    fn filled(value: T) -> [T; N] {
        [value; N]
    }
}

/// An integer just wide enough for the index of a unit, and for the coordinates of a cell.
pub trait Narrow: Entry + Eq + Default {
    /// The number of bits of each coordinate.
    const SIDE_BITS: u32;

    /// Returns the lowest bits of a number.
    fn of(number: usize) -> Self;

    /// Returns the number.
    fn get(self) -> usize;
}

macro_rules! narrow {
    ($($type:ty: $bits:literal)*) => {$(
        impl Narrow for $type {
            const SIDE_BITS: u32 = $bits;

            #[inline]
            fn of(number: usize) -> $type {
                number as $type
            }

            #[inline]
            fn get(self) -> usize {
                usize::from(self)
            }
        }
    )*};
}

narrow! { u8: 4 u16: 8 }

/// A class of boards, by the length of their longer side: [`SmallBoard`] or [`LargeBoard`].
pub trait BoardSize: Entry + Ord + Hash + Default {
    /// The maximum number of columns, and of rows.
    const MAX_SIDE: usize;

    /// The maximum number of units: one on each cell.
    const MAX_UNITS: usize = Self::MAX_SIDE * Self::MAX_SIDE;

    /// The size of arrays with an entry for each place. It is at least the number of places of the largest board with
    /// its border. A power of two makes bounds checks cheap.
    const NUM_PLACES: usize;

    /// An integer for the index of a unit, and for the coordinates of a cell.
    type Narrow: Narrow;
    /// A bit for each cell, or for each unit.
    type CellBits: Array<u64> + Ord;
    /// A bit for each place of the largest board with its border.
    type PlaceBits: Array<u64> + Ord;
    /// An array with an entry for each unit.
    type PerUnit<T: Entry>: Array<T>;
    /// An array with an entry for each place.
    type PerPlace<T: Entry>: Array<T>;
}

/// Boards of up to 16 x 16 cells. A state takes about 6 kB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SmallBoard;

/// Boards of up to 64 x 64 cells. A state takes about 110 kB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LargeBoard;

macro_rules! board_size {
    ($class:ty: $side:literal, $places:literal, $narrow:ty) => {
        impl BoardSize for $class {
            const MAX_SIDE: usize = $side;
            const NUM_PLACES: usize = $places;

            type Narrow = $narrow;
            type CellBits = [u64; $side * $side / 64];
            type PlaceBits = [u64; (($side + 2) * ($side + 1) as usize).div_ceil(64)];
            type PerUnit<T: Entry> = [T; $side * $side];
            type PerPlace<T: Entry> = [T; $places];
        }
    };
}

// With its border, the largest small board has 18 rows of 17 places, or 306, and the largest large board has 66 rows of
// 65 places, or 4,290.
board_size! { SmallBoard: 16, 512, u8 }
board_size! { LargeBoard: 64, 8192, u16 }
