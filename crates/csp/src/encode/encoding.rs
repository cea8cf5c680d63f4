//! The encoding of one stage of a game as a constraint network.

use ruse_gdl::{AtomId, MoveId, RoleId, Rules, State};
use thiserror::Error;

use super::super::network::{Network, VariableId};
use super::families::{Families, FamilyLimits};

/// Options of the encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodeOptions {
    /// The limits of the search for families of fluents.
    pub families: FamilyLimits,
    /// Atoms with fewer conjunctions are replaced by their definitions. With 0, only atoms that are always true, always
    /// false, or equivalent to a literal are replaced.
    pub unfold_below: usize,
    /// A constraint becomes a table if the product of its variables' domain sizes is at most this number. With 0, there
    /// are no tables.
    pub table_product: u64,
    /// The largest number of variables.
    pub variables: usize,
    /// The largest number of values in all tables.
    pub table_values: usize,
    /// The largest number of literals in all other constraints.
    pub literals: usize,
}

impl Default for EncodeOptions {
    fn default() -> Self {
        Self {
            families: FamilyLimits::default(),
            unfold_below: 8,
            table_product: 100_000,
            variables: 500_000,
            table_values: 50_000_000,
            literals: 50_000_000,
        }
    }
}

/// The result of a part of an encoding.
pub(super) type Result<T = (), E = EncodeError> = std::result::Result<T, E>;

/// The reason why a game is not encoded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A size exceeds its limit.
    #[error("the constraint network has more than {limit} {what}: {reached} when it was given up")]
    TooLarge {
        /// The kind of items that the limit counts.
        what: &'static str,
        /// The limit.
        limit: usize,
        /// The number reached when the encoding was abandoned.
        reached: usize,
    },
    /// The rules have no ground rules, because these would exceed a limit.
    #[error("the rules are not grounded, so there is no constraint network")]
    NotGrounded,
}

impl EncodeError {
    /// Returns the message, with a note on how players solve the game.
    pub fn with_consequence(&self) -> String {
        format!(
            "{self}; `mac-ucb` and `fc-ucb` solve its stages by the rules themselves, as `forward-ucb` does"
        )
    }
}

/// An error: a state that no values of the variables represent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnfitState {
    /// Two fluents of a group hold, which never happens in a game.
    #[error("`{first}` and `{second}` hold together, and never do in a game")]
    Several {
        /// The text of one fluent.
        first: String,
        /// The text of the other fluent.
        second: String,
    },
    /// No fluent of a group holds, although in a game one always holds.
    #[error("nothing holds of `{group}`, and something always does in a game")]
    None {
        /// The name of the group.
        group: String,
    },
}

/// The meaning of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VariableKind {
    /// The fluent that holds in the group with this number.
    State(usize),
    /// The move of the seat.
    Move(RoleId),
    /// The move of `random`.
    Chance,
    /// The truth of "a move of `random` is legal".
    ChanceLegal(MoveId),
    /// The truth of "the game is over".
    End,
    /// The truth of "a role has this goal value", 0 to 100.
    Goal(RoleId, u8),
    /// The fluent that holds, after the step, in the group with this number.
    Successor(usize),
    /// The truth of another atom.
    Atom(AtomId),
}

/// The purpose of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConstraintKind {
    /// A seat makes only legal moves.
    Legal(RoleId),
    /// `random` makes only legal moves.
    Chance,
    /// Defines whether a move of `random` is legal.
    ChanceLegal,
    /// Defines whether the game is over.
    End,
    /// Defines whether a seat has a goal value.
    Goal,
    /// Defines an atom that depends only on the state.
    Atom,
    /// Defines an atom that depends on the moves (an effect).
    LateAtom,
    /// Determines the value of a group after the step (an effect).
    Next(usize),
}

impl ConstraintKind {
    /// Returns `true` if the constraint only describes the result of moves, and excludes no moves.
    pub fn is_effect(self) -> bool {
        matches!(self, Self::LateAtom | Self::Next(_))
    }
}

/// A constraint network that describes one stage of a game. All stages share the network: fixing the variables of the
/// state selects a stage.
///
/// In a state that is not final, the solutions are the legal joint moves, each with its successor. The variables of the
/// state come first, then the moves of the seats and of `random`, then all other variables. The values have these
/// meanings:
///
/// - For a group of several fluents, a value is the place of the fluent that holds. There is one more value if possibly
///   no fluent of the group holds.
/// - For a move, a value is the number of the move in the rules.
/// - For any other variable, 1 means true and 0 means false.
#[derive(Debug, Clone)]
pub struct Encoding {
    pub(super) rules: Rules,
    pub(super) families: Families,
    pub(super) network: Network,
    pub(super) variables: Vec<VariableKind>,
    pub(super) constraints: Vec<ConstraintKind>,
    pub(super) moves: Vec<(RoleId, VariableId)>,
    pub(super) chance: Option<VariableId>,
    pub(super) chance_legal: Vec<VariableId>,
    pub(super) end: VariableId,
    pub(super) goals: Vec<(RoleId, u8, VariableId)>,
    pub(super) successors: Vec<VariableId>,
}

impl Encoding {
    /// Returns the rules of the game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the groups of fluents; each group has a variable of the state.
    pub fn families(&self) -> &Families {
        &self.families
    }

    /// Returns the network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the meaning of each variable.
    pub fn variable_kinds(&self) -> &[VariableKind] {
        &self.variables
    }

    /// Returns the purpose of each constraint.
    pub fn constraint_kinds(&self) -> &[ConstraintKind] {
        &self.constraints
    }

    /// Iterates over the variables of the state, in the order of the groups.
    pub fn state(&self) -> impl ExactSizeIterator<Item = VariableId> + use<> {
        (0..self.successors.len() as u32).map(VariableId)
    }

    /// Returns the variables of the state after the step, in the order of the groups.
    pub fn successors(&self) -> &[VariableId] {
        &self.successors
    }

    /// Returns the decisions: the seats and the variables of their moves, in the order of the roles.
    pub fn moves(&self) -> &[(RoleId, VariableId)] {
        &self.moves
    }

    /// Returns the variable of the move of `random`, if the game has this role.
    pub fn chance(&self) -> Option<VariableId> {
        self.chance
    }

    /// Returns, for each move of `random`, the variable "the move is legal". All legal moves have the same probability.
    pub fn chance_legal(&self) -> &[VariableId] {
        &self.chance_legal
    }

    /// Returns the variable "the game is over".
    pub fn end(&self) -> VariableId {
        self.end
    }

    /// Returns the possible goal values of the seats, 0 to 100, each with its variable "the seat has this value".
    pub fn goals(&self) -> &[(RoleId, u8, VariableId)] {
        &self.goals
    }

    /// Returns the values of the state's variables, in the order of the groups.
    ///
    /// # Errors
    ///
    /// Returns an error if the state is impossible in the game and does not fit the groups.
    pub fn values_of(&self, state: &State) -> Result<Vec<u16>, UnfitState> {
        let groups = self.families.groups();
        let mut held: Vec<Option<u32>> = vec![None; groups.len()];
        for fluent in state.iter() {
            let held = &mut held[self.families.place(fluent).0];
            if let Some(first) = *held {
                let [first, second] = [first, fluent].map(|fluent| self.rules.fluent(fluent));
                return Err(UnfitState::Several { first, second });
            }
            *held = Some(fluent);
        }
        let value = |(group, held): (&super::Group, &Option<u32>)| match *held {
            _ if group.fluents.len() == 1 => Ok(u16::from(held.is_some())),
            Some(fluent) => Ok(self.families.place(fluent).1),
            None if group.may_be_none => Ok(group.fluents.len() as u16),
            None => Err(UnfitState::None { group: group.name.clone() }),
        };
        groups.iter().zip(&held).map(value).collect()
    }

    /// Returns the state in which the groups have these values. This is the inverse of [`Self::values_of`].
    ///
    /// # Panics
    ///
    /// Panics if there are fewer values than groups.
    pub fn state_of(&self, values: &[u16]) -> State {
        let mut state = State::empty(self.rules.num_fluents());
        for (at, group) in self.families.groups().iter().enumerate() {
            let value = values[at];
            match *group.fluents {
                [fluent] => state.set(fluent, value == 1),
                ref fluents => {
                    let fluent = fluents.get(usize::from(value));
                    fluent.into_iter().for_each(|&fluent| state.set(fluent, true));
                }
            }
        }
        state
    }
}
