//! What there is to set.

use crate::search::Budget;
use crate::search::uct::UctSettings;
use crate::search::whole::whole;

/// How a stage is solved. All solvers find the same decisions; they take different times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StageSolver {
    /// A constraint network, by maintaining arc consistency: `mac-ucb`.
    Mac,
    /// The same network, undivided, by forward checking: `fc-ucb`.
    ForwardChecking,
    /// The engine of rule files: it lists legal moves, and makes a step with each: `forward-ucb`.
    Engine,
}

/// How thought is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schedule {
    /// A share of it solves stages, and the rest plays random games.
    Shares,
    /// Each playout solves the stage at the end of its way, and goes on from there at random: `uct` with `solver=1`.
    Playouts,
}

/// The constants of the player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MacUcbSettings {
    /// For how long to think at each turn: 50,000 steps by default.
    pub budget: Budget,
    /// How stages are solved.
    pub solver: StageSolver,
    /// How thought is divided.
    pub schedule: Schedule,
    /// The share of all steps that are spent on solving stages, 0 to .99; .9 by default, as in the paper.
    pub share: f64,
    /// The factor of the bound, 0 or more; sqrt 2 by default, as in the paper.
    pub exploration: f64,
    /// Whether the arms of a state are joint decisions, valued for the own seat, as the text of the paper has it. By default every
    /// seat that chooses has statistics of its own, by its own reward.
    pub is_joint: bool,
    /// Whether a state that comes up again is the same node.
    pub has_cache: bool,
    /// Whether what a state is worth counts as proven, once all that can follow is known.
    pub proves: bool,
    /// Whether proven arms go that give some seat less than all seats have from the best so far. A heuristic where seats have
    /// different goals.
    pub has_theta: bool,
    /// Whether arms are skipped while their upper bound lies below the lower bound of another. A heuristic.
    pub has_race: bool,
    /// Visits of an arm before it may be skipped.
    pub race_visits: u32,
    /// Whether all states that can follow are gone through at the first turn, if they are fewer than
    /// [`MOST_STATES`](super::MOST_STATES); the budget does not count then.
    pub is_exact: bool,
    /// Whether everything is forgotten after each turn.
    pub is_fresh: bool,
    /// The most memory that states may take, in MiB.
    pub memory: u32,
}

impl MacUcbSettings {
    /// What can be set, for messages.
    pub(in crate::search) const KNOWN: &str = "known are share, c, joint, cache, prove, theta, race, race-visits, \
                                               exact, fresh, memory";

    /// Those of the paper, with this way to solve stages.
    pub fn of(solver: StageSolver) -> MacUcbSettings {
        MacUcbSettings {
            budget: Budget::Steps(50_000),
            solver,
            schedule: Schedule::Shares,
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

    /// Those of `uct` on a rule file, with states that are proven.
    pub fn of_uct(settings: &UctSettings) -> MacUcbSettings {
        MacUcbSettings {
            budget: settings.budget,
            schedule: Schedule::Playouts,
            exploration: settings.exploration,
            memory: settings.memory,
            ..MacUcbSettings::of(StageSolver::Engine)
        }
    }

    /// Sets what has this name; none if nothing has, or it cannot be set to this.
    pub(in crate::search) fn set(&mut self, name: &str, value: f64) -> Option<()> {
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
}
