//! The settings of a game from a rule file, and the adjustable rules that set them.

use ruse_gdl::{AtCap, DEFAULT_STEPS, GoalRule, REMEMBERED_STEPS};

use crate::Rule;

/// The maximum of the rule `steps`.
const MAX_STEPS: u64 = 1_000_000;

/// The name of the rule that sets the number of parameters of linear strategies for each role.
pub const FEATURES: &str = "features";

/// The name of the rule for the number of steps that linear strategies remember if information is hidden.
pub const MEMORY: &str = "memory";

/// The name of the rule for the number of steps that parametric searches may simulate at each turn.
pub const THOUGHT: &str = "thought";

/// The name of the rule for the number of steps of own play from which values of states are learned.
pub const LESSONS: &str = "lessons";

/// The name of the rule for the number of playouts at each turn of players that value states.
pub const PLAYOUTS: &str = "playouts";

/// The name of the rule that adds a hidden layer to learned values.
pub const HIDDEN: &str = "hidden";

/// The names of the values of `at-cap`, and of `goals`.
const AT_CAP: [&str; 3] = ["error", "draw", "zero"];
const GOALS: [&str; 3] = ["error", "highest", "lowest"];

/// The settings of a game, apart from the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) cap: u32,
    pub(super) at_cap: AtCap,
    pub(super) goal_rule: GoalRule,
    /// The number of parameters per role, for strategies that allow any number.
    pub(super) num_features: u32,
    /// The number of steps that linear strategies remember if information is hidden.
    pub(super) num_remembered: u32,
    /// The number of steps, in thousands, that parametric searches may simulate at each turn.
    pub(super) thought: u32,
    /// The number of steps of own play, in thousands, from which values of states are learned.
    pub(super) lessons: u32,
    /// The number of playouts at each turn of players that value states.
    pub(super) num_playouts: u32,
    /// True if learned values have a hidden layer.
    pub(super) has_hidden_layer: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            cap: DEFAULT_STEPS,
            at_cap: AtCap::Error,
            goal_rule: GoalRule::Error,
            num_features: 64,
            num_remembered: REMEMBERED_STEPS as u32,
            thought: 1,
            lessons: 1_000,
            num_playouts: 0,
            has_hidden_layer: false,
        }
    }
}

impl Settings {
    /// Returns the rules that set the values.
    pub(super) fn rules(&self) -> Vec<Rule> {
        vec![
            Rule::number("steps", self.cap, 1..=MAX_STEPS)
                .meaning("joint moves after which a game is broken off"),
            Rule::number("at-cap", self.at_cap as u64, 0..=2).meaning(
                "a game that is broken off: 0 (error) is a fault of the file, 1 (draw) \
                 gives all roles 50, 2 (zero) gives all 0",
            ),
            Rule::number(FEATURES, self.num_features, 1..=65_536)
                .meaning("parameters of each role in the families `linear`"),
            Rule::number(THOUGHT, self.thought, 1..=1_000_000)
                .meaning("thousand steps in thought at a turn in the families `mac-ucb` and `uct`"),
            Rule::number("goals", self.goal_rule as u64, 0..=2).meaning(
                "a role with two goals, or none: 0 (error) is a fault of the file, 1 \
                 (highest) and 2 (lowest) choose one, or 0",
            ),
            Rule::number(LESSONS, self.lessons, 0..=1_000_000)
                .meaning("thousand steps of own play from which the family `value` learns"),
            Rule::number(PLAYOUTS, self.num_playouts, 0..=1_000_000).meaning(
                "playouts in thought at a turn in the family `value`; 0: each move is \
                 tried once",
            ),
            Rule::number(HIDDEN, self.has_hidden_layer, 0..=1)
                .meaning("1 adds a hidden layer of 16 units to the values of the family `value`"),
            Rule::number(MEMORY, self.num_remembered, 0..=1000).meaning(
                "steps that the families `linear` remember if information is hidden; 0: \
                 they know their legal moves",
            ),
        ]
    }

    /// Returns the value of a rule that is given by a name.
    pub(super) fn rule_value(rule: &str, text: &str) -> Option<u64> {
        let names = match rule {
            "at-cap" => AT_CAP,
            "goals" => GOALS,
            _ => return None,
        };
        names.iter().position(|&name| name == text).map(|index| index as u64)
    }

    /// Returns the settings that [`rules`](Settings::rules) gives, in the same order.
    pub(super) fn of(values: &[u64]) -> Settings {
        Settings {
            cap: values[0] as u32,
            at_cap: [AtCap::Error, AtCap::Draw, AtCap::Zero][values[1] as usize],
            num_features: values[2] as u32,
            thought: values[3] as u32,
            goal_rule: [GoalRule::Error, GoalRule::Highest, GoalRule::Lowest][values[4] as usize],
            lessons: values[5] as u32,
            num_playouts: values[6] as u32,
            has_hidden_layer: values[7] == 1,
            num_remembered: values[8] as u32,
        }
    }
}
