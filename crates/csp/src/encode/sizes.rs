//! Counts of variables and constraints, by kind.

use super::encoding::{ConstraintKind, Encoding, VariableKind};

impl VariableKind {
    /// Returns a short title for people, the same for all variables of this kind.
    pub fn title(self) -> &'static str {
        match self {
            Self::State(_) => "state",
            Self::Move(_) => "moves",
            Self::Chance => "chance",
            Self::ChanceLegal(_) => "legal chance",
            Self::End => "end",
            Self::Goal(..) => "goals",
            Self::Successor(_) => "next state",
            Self::Atom(_) => "atoms",
        }
    }
}

impl ConstraintKind {
    /// Returns a short title for people, the same for all constraints of this kind.
    pub fn title(self) -> &'static str {
        match self {
            Self::Legal(_) => "legal moves",
            Self::Chance | Self::ChanceLegal => "chance",
            Self::End => "end",
            Self::Goal => "goals",
            Self::Atom | Self::LateAtom => "atoms",
            Self::Next(_) => "next state",
        }
    }
}

/// Counts the occurrences of each title, in the order of first occurrence.
fn count(titles: impl Iterator<Item = &'static str>) -> Vec<(&'static str, usize)> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for title in titles {
        match counts.iter_mut().find(|(known, _)| *known == title) {
            Some((_, count)) => *count += 1,
            None => counts.push((title, 1)),
        }
    }
    counts
}

impl Encoding {
    /// Returns the number of variables of each kind, by [`VariableKind::title`].
    pub fn variables_by_kind(&self) -> Vec<(&'static str, usize)> {
        count(self.variable_kinds().iter().map(|kind| kind.title()))
    }

    /// Returns the number of constraints of each kind, by [`ConstraintKind::title`].
    pub fn constraints_by_kind(&self) -> Vec<(&'static str, usize)> {
        count(self.constraint_kinds().iter().map(|kind| kind.title()))
    }
}
