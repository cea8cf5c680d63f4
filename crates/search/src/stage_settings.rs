//! The settings of the searches that solve stages. The crate `ruse-csp` contains the player.

use crate::Budget;
use crate::budget::SearchSettings;
use crate::whole::whole;

/// The stage solver. All of them find the same decisions, but take different times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolverKind {
    /// A constraint network, solved by maintaining arc consistency: `mac-ucb`.
    Mac,
    /// The same network in one part, solved by forward checking: `fc-ucb`.
    ForwardChecking,
    /// The engine of rule files: `forward-ucb`.
    Engine,
}

/// The settings of the player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MacUcbSettings {
    /// The budget of each turn; 50,000 steps by default.
    pub budget: Budget,
    /// The stage solver.
    pub solver: SolverKind,
    /// The share of all steps that is spent on solving stages, from 0 to .99. The default is .9, as in the paper.
    pub share: f64,
    /// The exploration factor c of the bound, which is at least 0. The default is sqrt 2, as in the paper.
    pub exploration: f64,
    /// True if the arms of a state are joint decisions, valued by the reward of the player's seat (a literal reading of
    /// the paper). By default, every choosing seat has statistics of its own reward.
    pub is_joint: bool,
    /// True if a state that is reached again keeps its node.
    pub has_cache: bool,
    /// True if states are proven once all their successors are proven.
    pub proves: bool,
    /// True to drop a proven arm if it gives some seat less than theta, the smallest worth that any seat gets from the
    /// best proven arm so far. This is a heuristic if seats have different goals.
    pub has_theta: bool,
    /// True to skip arms while their upper bound is below the lower bound of another arm, a heuristic.
    pub has_race: bool,
    /// The number of visits before an arm may be skipped.
    pub race_visits: u32,
    /// True to enumerate all reachable states at the first turn, regardless of the budget, up to
    /// 1,000,000 states.
    pub is_exact: bool,
    /// True to drop all states after each turn.
    pub is_fresh: bool,
    /// The memory limit of the states, in MiB; 1024 by default.
    pub memory: u32,
}

impl MacUcbSettings {
    /// Returns the settings of the paper, with this stage solver.
    pub fn of(solver: SolverKind) -> MacUcbSettings {
        MacUcbSettings {
            budget: Budget::Steps(50_000),
            solver,
            share: 0.9,
            exploration: std::f64::consts::SQRT_2,
            is_joint: false,
            has_cache: true,
            proves: true,
            has_theta: false,
            has_race: false,
            race_visits: 30,
            is_exact: false,
            is_fresh: false,
            memory: 1024,
        }
    }
}

impl SearchSettings for MacUcbSettings {
    const KNOWN: &str = "known are share, c, joint, cache, prove, theta, race, race-visits, \
                         exact, fresh, memory";

    fn set(&mut self, name: &str, value: f64) -> Option<()> {
        let switch = || whole(value, 0, 1).map(|number| number == 1);
        match name {
            "share" if (0.0..=0.99).contains(&value) => self.share = value,
            "c" if value.is_finite() && value >= 0.0 => self.exploration = value,
            "joint" => self.is_joint = switch()?,
            "cache" => self.has_cache = switch()?,
            "prove" => self.proves = switch()?,
            "theta" => self.has_theta = switch()?,
            "race" => self.has_race = switch()?,
            "race-visits" => self.race_visits = whole(value, 2, 1_000_000)?,
            "exact" => self.is_exact = switch()?,
            "fresh" => self.is_fresh = switch()?,
            "memory" => self.memory = whole(value, 1, 1 << 20)?,
            _ => return None,
        }
        Some(())
    }

    fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }
}
