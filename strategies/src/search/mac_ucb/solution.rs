//! Games that are small enough to be gone through.

use ruse_games::rule_file::RuleFile;
use ruse_gdl::{Information, MoveId, RoleId, State};

use super::graph::{Graph, Kind};
use super::proof::Judge;
use super::stage::Forward;
use super::think::Desk;
use super::{MacUcbSettings, StageSolver};
use crate::StopWish;

/// Fewer states than these are gone through.
pub const MOST_STATES: usize = 1_000_000;

/// What all states of a game are worth with best play.
pub struct Solution {
    pub(super) graph: Graph,
    judge: Judge,
    roles: Vec<RoleId>,
}

/// Why a game is not solved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotSolved {
    /// Roles do not see everything.
    #[error("roles do not see everything: states have no worth of their own")]
    Hidden,
    /// There are too many states.
    #[error("there are {MOST_STATES} states or more, or one with more than 100,000 joint moves")]
    Large,
    /// States come up again in one play, or seats choose at once with rewards that do not add up to the same.
    #[error(
        "the worth of the start does not follow from that of all other states: a state may come up again in one play, or \
         roles choose at once whose goals do not add up to the same"
    )]
    Open,
}

/// Goes through all states of a game.
///
/// Where one role chooses, it takes the best for itself, any of several that are equal with the same probability; where two
/// choose at once whose goals add up to the same, they play an equilibrium; where all have the same goal, the best together.
///
/// # Errors
///
/// When the game is too large, or its worth does not follow so.
pub fn solve(game: &RuleFile) -> Result<Solution, NotSolved> {
    let rules = game.language_rules();
    if rules.information() != Information::Complete {
        return Err(NotSolved::Hidden);
    }
    let settings = MacUcbSettings { memory: u32::MAX, ..MacUcbSettings::of(StageSolver::Engine) };
    let mut desk = Desk::new(game, settings, Box::new(Forward));
    desk.forget();
    let root = desk.root(rules.start());
    if !desk.solve_all(root, MOST_STATES, &StopWish::default()) {
        return Err(NotSolved::Large);
    }
    let graph = std::mem::take(&mut desk.graph);
    if graph.proven(root).is_none() {
        return Err(NotSolved::Open);
    }
    Ok(Solution { graph, judge: desk.judge, roles: desk.roles })
}

impl Solution {
    /// States that can come up, ends among them.
    pub fn num_states(&self) -> usize {
        self.graph.nodes.len()
    }

    /// States in which the game is over.
    pub fn num_ends(&self) -> usize {
        self.graph.nodes.iter().filter(|node| node.kind == Kind::End).count()
    }

    /// What the start is worth to each role that is played, in the order of the game: its goal over 100.
    pub fn start(&self) -> &[f64] {
        self.graph.proven(0).expect("a game that is solved has a worth")
    }

    /// What a state is worth to each role; none if it cannot come up, or its worth does not follow.
    pub fn worth(&self, state: &State) -> Option<&[f64]> {
        self.graph.proven(self.graph.find(state.words())?)
    }

    /// What each move of a role is worth to it in a state in which no other role chooses; none if others do, or it has no choice.
    pub fn worth_of_moves(&self, state: &State, role: RoleId) -> Option<Vec<(MoveId, f64)>> {
        let node = self.graph.find(state.words())?;
        let seat = self.roles.iter().position(|&other| other == role)?;
        let &[chooser] = self.graph.choosers_of(node) else { return None };
        let moves = self.graph.moves_of(chooser.block).iter().enumerate();
        let worth = moves.map(|(arm, of_move)| {
            let value = self.graph.arm_value(node, arm as u32)?;
            Some((of_move.action, value[seat]))
        });
        (usize::from(chooser.seat) == seat).then(|| worth.collect()).flatten()
    }

    /// How two roles choose at the start in an equilibrium, by move; none unless two choose there at once.
    pub fn mixtures_at_start(&self) -> Option<[Vec<f64>; 2]> {
        Some(self.judge.equilibrium(&self.graph, 0)?.1)
    }
}
