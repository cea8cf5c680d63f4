//! The indices of roles, moves and percepts.

/// A role, by its index among the `role` facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RoleId(pub u8);

/// A move of a role, by its index among all moves of that role in the order of their canonical texts. For another role,
/// the same index is a different move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MoveId(pub u32);

/// A percept of a role, by its index among all percepts of that role in the order of their canonical texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PerceptId(pub u32);
