//! The settings of `uct`.

#[cfg(doc)]
use ruse_games::Imagine;

use crate::Budget;
use crate::budget::SearchSettings;
use crate::whole::whole;

/// The settings of the player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UctSettings {
    /// The budget of each turn; 1000 playouts by default. With 0 playouts, each listed action is tried once.
    pub budget: Budget,
    /// The exploration factor c of the bound, at least 0. The default is .5: with 300 playouts it beats or equals sqrt 2,
    /// the value in the analysis of UCB1 for payoffs in [0, 1], in each of ten rule files.
    pub exploration: f64,
    /// True to prove situations, where [`Imagine::is_determined`] allows it.
    pub has_solver: bool,
    /// The weight of the value of a leaf, from 0 to 1; the result of the random game has the rest. 0 by default, and in
    /// games without values.
    pub share: f64,
    /// The probability that a random action of a playout is replaced by the one that has done best in earlier playouts, from
    /// 0 to 1.
    pub mast: f64,
    /// The number of visits up to which the rewards of an action later in a playout have at least half of the weight, or 0,
    /// the default, for none.
    pub rave: f64,
    /// The number of trees that share the budget, from 1 to [`MAX_TREES`](UctSettings::MAX_TREES); 1 by default.
    pub trees: u32,
    /// The memory limit of the situations in all trees, in MiB: 1024 by default.
    pub memory: u32,
}

impl Default for UctSettings {
    fn default() -> UctSettings {
        UctSettings {
            budget: Budget::Playouts(1000),
            exploration: 0.5,
            has_solver: true,
            share: 0.0,
            mast: 0.0,
            rave: 0.0,
            trees: 1,
            memory: 1024,
        }
    }
}

impl UctSettings {
    /// The largest number of trees.
    pub const MAX_TREES: u32 = 256;
}

impl SearchSettings for UctSettings {
    const KNOWN: &str = "known are c=NUMBER, the factor of the confidence bound, 0 or more; solver=0, to prove \
                         nothing; share=NUMBER, the weight of learned values, 0 to 1, on rule files; \
                         mast=NUMBER, the share of actions in playouts that follow earlier playouts, 0 to 1; \
                         rave=NUMBER, the visits up to which an action's results later in a playout count, 0 or more; \
                         trees=N, the number of trees that share the budget, on several threads; \
                         memory=MIB";

    fn set(&mut self, name: &str, value: f64) -> Option<()> {
        match name {
            "c" if value.is_finite() && value >= 0.0 => self.exploration = value,
            "solver" => self.has_solver = whole(value, 0, 1)? == 1,
            "share" if (0.0..=1.0).contains(&value) => self.share = value,
            "mast" if (0.0..=1.0).contains(&value) => self.mast = value,
            "rave" if value.is_finite() && value >= 0.0 => self.rave = value,
            "trees" => self.trees = whole(value, 1, Self::MAX_TREES)?,
            "memory" => self.memory = whole(value, 1, 1 << 20)?,
            _ => return None,
        }
        Some(())
    }

    fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }
}
