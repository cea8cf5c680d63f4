//! Rule files as constraint networks.

mod clash;
mod families;
mod pairs;
mod states;
mod terms;
#[cfg(test)]
mod tests;

pub use families::{Families, Family, FamilyLimits, Group};
