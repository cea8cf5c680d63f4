//! One stage of a game as a constraint network.

use ruse_gdl::{AtomId, MoveId, RoleId, Rules, State};
use thiserror::Error;

use super::super::network::{Network, VariableId};
use super::families::{Families, FamilyLimits};
use super::scheme;

/// How a game is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodeOptions {
    /// How families of fluents are looked for.
    pub families: FamilyLimits,
    /// An atom is replaced by what it says if that takes fewer conjunctions than this. 0: only what always holds, what
    /// never does, and what is the same as a literal.
    pub unfold_below: usize,
    /// A constraint becomes a table if the product of the domains of its variables is no larger. 0: there are no tables.
    pub table_product: u64,
    /// The most variables.
    pub variables: usize,
    /// The most values in all tables.
    pub table_values: usize,
    /// The most literals in all other constraints.
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

/// Why a game is not encoded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// More of something than allowed.
    #[error("the constraint network has more than {limit} {what}: {reached} when it was given up")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The most there may be.
        limit: usize,
        /// How many there were.
        reached: usize,
    },
}

impl EncodeError {
    /// What is wrong, and what comes of it for those who play.
    pub fn with_consequence(&self) -> String {
        format!(
            "{self}; `mac-ucb` and `fc-ucb` solve its stages by the rules themselves, as `forward-ucb` does"
        )
    }
}

/// A state that the variables cannot take.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnfitState {
    /// Two fluents of a group hold. No state of a game is like that.
    #[error("`{first}` and `{second}` hold together, and never do in a game")]
    Several {
        /// The text of a fluent.
        first: String,
        /// The text of another one.
        second: String,
    },
    /// No fluent of a group holds of which one always does. No state of a game is like that.
    #[error("nothing holds of `{group}`, and something always does in a game")]
    None {
        /// The name of the group.
        group: String,
    },
}

/// What a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VariableKind {
    /// Which fluent of a group holds, by the number of the group.
    State(usize),
    /// The move of a seat.
    Move(RoleId),
    /// The move of `random`.
    Chance,
    /// Whether a move of `random` is legal.
    ChanceLegal(MoveId),
    /// Whether the game is over.
    End,
    /// Whether a seat has a goal value, 0 to 100.
    Goal(RoleId, u8),
    /// Which fluent of a group holds after the step.
    Successor(usize),
    /// Whether another atom holds.
    Atom(AtomId),
}

/// What a constraint is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConstraintKind {
    /// The moves of a seat are legal.
    Legal(RoleId),
    /// The move of `random` is legal.
    Chance,
    /// When a move of `random` is legal.
    ChanceLegal,
    /// When the game is over.
    End,
    /// When a seat has a goal value.
    Goal,
    /// When an atom holds that depends on the state alone.
    Atom,
    /// When an atom holds that depends on the moves. It is an effect.
    LateAtom,
    /// What holds of a group after the step. It is an effect.
    Next(usize),
}

impl ConstraintKind {
    /// Whether this only says what moves lead to: their values follow from it, and it keeps no move from being made.
    pub fn is_effect(self) -> bool {
        matches!(self, Self::LateAtom | Self::Next(_))
    }
}

/// One stage of a game as a constraint network, the same for all stages: for a state its variables are given values.
///
/// In a state that is not the end, the solutions are the joint moves that are legal, each with its successor. The
/// variables of the state come first, then the moves of the seats and of `random`, then the others; values are
///
/// - of a group of several fluents the place of the one that holds, and after those, if it may be, that none does,
/// - of moves their numbers in the rules,
/// - of all others 1 for true and 0 for false.
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
    /// Encodes a game.
    ///
    /// # Errors
    ///
    /// The network may become too large.
    pub fn new(rules: &Rules, options: &EncodeOptions) -> Result<Self, EncodeError> {
        Self::with_families(rules, Families::new(rules, &options.families), options)
    }

    /// Encodes a game with families that are known.
    ///
    /// # Errors
    ///
    /// The network may become too large.
    ///
    /// # Panics
    ///
    /// Panics if the families are those of a game with another number of fluents.
    pub fn with_families(
        rules: &Rules,
        families: Families,
        options: &EncodeOptions,
    ) -> Result<Self, EncodeError> {
        let num_fluents: usize = families.groups().iter().map(|group| group.fluents.len()).sum();
        assert_eq!(num_fluents, rules.num_fluents(), "the families are those of another game");
        scheme::encode(rules, families, options)
    }

    /// The rules of the game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The fluents in groups: a variable of the state for each.
    pub fn families(&self) -> &Families {
        &self.families
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// What each variable is.
    pub fn variable_kinds(&self) -> &[VariableKind] {
        &self.variables
    }

    /// What each constraint is for.
    pub fn constraint_kinds(&self) -> &[ConstraintKind] {
        &self.constraints
    }

    /// The variables of the state, by group.
    pub fn state(&self) -> impl ExactSizeIterator<Item = VariableId> + use<> {
        (0..self.successors.len() as u32).map(VariableId)
    }

    /// The variables of the state after the step, by group.
    pub fn successors(&self) -> &[VariableId] {
        &self.successors
    }

    /// The decisions: the seats and their moves, in the order of the roles.
    pub fn moves(&self) -> &[(RoleId, VariableId)] {
        &self.moves
    }

    /// The move of `random`, if it is a role.
    pub fn chance(&self) -> Option<VariableId> {
        self.chance
    }

    /// Of each move of `random`, whether it is legal. All that are have the same probability.
    pub fn chance_legal(&self) -> &[VariableId] {
        &self.chance_legal
    }

    /// Whether the game is over.
    pub fn end(&self) -> VariableId {
        self.end
    }

    /// The goal values of the seats that may be derived, 0 to 100, with whether they are.
    pub fn goals(&self) -> &[(RoleId, u8, VariableId)] {
        &self.goals
    }

    /// The values that a state gives to its variables, by group.
    ///
    /// # Errors
    ///
    /// A state that cannot come about in a game may not have values.
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

    /// The state in which groups have these values, as [`Self::values_of`] gives them.
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

    /// A name of a variable for people, as an atom with `?` in the place of the values.
    pub fn variable_name(&self, variable: VariableId) -> String {
        let role = |role: RoleId| self.rules.role_name(role);
        let group = |group: usize| &self.families.groups()[group].name;
        match self.variables[variable.0 as usize] {
            VariableKind::State(number) => format!("(true {})", group(number)),
            VariableKind::Successor(number) => format!("(next {})", group(number)),
            VariableKind::Move(seat) => format!("(does {} ?)", role(seat)),
            VariableKind::Chance => "(does random ?)".into(),
            VariableKind::ChanceLegal(action) => match self.rules.random() {
                Some(random) => format!("(legal random {})", self.rules.move_text(random, action)),
                None => "(legal random ?)".into(),
            },
            VariableKind::End => "terminal".into(),
            VariableKind::Goal(seat, value) => format!("(goal {} {value})", role(seat)),
            VariableKind::Atom(atom) => {
                let text = self.rules.atom_text(atom);
                // A relation of no arguments is shown as a word.
                match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
                    Some(word) if !word.contains(' ') => word.into(),
                    _ => text,
                }
            }
        }
    }

    /// A value of a variable for people.
    pub fn value_name(&self, variable: VariableId, value: u16) -> String {
        let truth = || (if value == 1 { "true" } else { "false" }).to_string();
        match self.variables[variable.0 as usize] {
            VariableKind::State(group) | VariableKind::Successor(group) => {
                let group = &self.families.groups()[group];
                if group.fluents.len() == 1 {
                    return truth();
                }
                group.values.get(usize::from(value)).cloned().unwrap_or_else(|| "none".into())
            }
            VariableKind::Move(role) => self.rules.move_text(role, MoveId(value)).into(),
            VariableKind::Chance => match self.rules.random() {
                Some(random) => self.rules.move_text(random, MoveId(value)).into(),
                None => value.to_string(),
            },
            _ => truth(),
        }
    }
}
