//! Solutions of games that are small enough to enumerate.

use ruse_base::stop::StopRequest;
use ruse_games::rule_file::RuleFile;
use ruse_gdl::Information;
use ruse_search::{MacUcbSettings, SolverKind};

use super::graph::{Graph, NodeKind};
use super::stage::Forward;
use super::think::Thinker;

/// The number of states at which an enumeration is abandoned.
pub const MAX_STATES: usize = 1_000_000;

/// The states of a game, with their worth under best play.
pub struct Solution {
    pub(super) graph: Graph,
}

/// The reason why a game could not be solved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotSolved {
    /// A role has incomplete information.
    #[error("roles do not see everything: states have no worth of their own")]
    Hidden,
    /// There are too many states.
    #[error("there are {MAX_STATES} states or more, or one with more than 100,000 joint moves")]
    Large,
    /// States repeat within a play, or seats choose simultaneously with rewards that do not have a constant sum.
    #[error(
        "the worth of the start does not follow from that of all other states: a state may come up again in one play, or \
         roles choose at once whose goals do not add up to the same"
    )]
    Open,
}

/// Solves a game by enumerating all its states.
///
/// If one role chooses, it takes its best arm; several best arms have the same probability. Two simultaneous choosers
/// with constant-sum goals play an equilibrium. Choosers with the same goal take the best joint decision.
///
/// # Errors
///
/// Returns an error if the game is too large, or if the worth of the game does not follow from these rules.
pub fn solve(game: &RuleFile) -> Result<Solution, NotSolved> {
    let rules = game.language_rules();
    if rules.information() != Information::Complete {
        return Err(NotSolved::Hidden);
    }
    let settings = MacUcbSettings { memory: u32::MAX, ..MacUcbSettings::of(SolverKind::Engine) };
    let mut desk = Thinker::new(game, settings, Box::new(Forward));
    desk.forget();
    let root = desk.root(rules.start());
    if !desk.solve_all(root, MAX_STATES, &StopRequest::default()) {
        return Err(NotSolved::Large);
    }
    let graph = std::mem::take(&mut desk.graph);
    if graph.proven(root).is_none() {
        return Err(NotSolved::Open);
    }
    Ok(Solution { graph })
}

impl Solution {
    /// Returns the number of reachable states, including final ones.
    pub fn num_states(&self) -> usize {
        self.graph.nodes.len()
    }

    /// Returns the number of reachable final states.
    pub fn num_ends(&self) -> usize {
        self.graph.nodes.iter().filter(|node| node.kind == NodeKind::End).count()
    }

    /// Returns the worth of the start to each played role, in the order of the game: its goal divided by 100.
    pub fn start(&self) -> &[f64] {
        self.graph.proven(0).expect("a game that is solved has a worth")
    }
}
