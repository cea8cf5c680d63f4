//! `mac-ucb`: a player for games from rule files. It solves stages as constraint networks and samples random games by
//! upper confidence bounds.
//!
//! This is the player of Piette, Koriche, Lagrue & Tabary (*General game playing with stochastic CSP*, Constraints
//! 2016, sections 4.2 to 4.4). A game is a sequence of stages. The stage of a state is solved when all its joint
//! decisions and their successors are known. The player spends nine tenths of its time by default on solving stages,
//! and the rest on random games that start where the solved stages end.
//!
//! The paper leaves many details open. This player makes the following choices:
//!
//! - States are nodes of a graph, so a repeated state is the same node (the cache of the paper). Under incomplete
//!   information, which the paper omits, states are sampled. A seat then has the same statistics in all states that it
//!   cannot distinguish, and no state is proven.
//! - The arms of a state are the moves of each choosing seat, with statistics of the seat's own reward (max^n,
//!   Sturtevant 2008). Seats that choose simultaneously choose independently, and each seat tries its moves beginning
//!   with a random move. In a literal reading of the paper, the arms are joint decisions that one seat chooses for all
//!   seats, including its opponents: `joint=1`.
//! - A descent to an unsolved stage counts as a visit of the nodes on its path, but only for other such descents, not
//!   for random games. Without these visits, all descents would follow the same path until a random game changes the
//!   bounds.
//! - A state is proven once all its successors are proven. If one seat chooses, the worth of the state is the worth of
//!   the best arm. If two seats with constant-sum rewards choose, it is the worth of an equilibrium. If all seats have
//!   the same reward, it is the worth of the best joint decision. Moves of chance are averaged. Other states in which
//!   several seats choose are not proven. If one seat chooses, one arm with the largest possible reward suffices to
//!   prove the state.
//! - If chance can lead to proven and to unproven states, the path continues to an unproven one. The reward is averaged
//!   with the proven worths, weighted by probability. The estimate has the same mean and less noise.
//! - Under complete information, roles of the same side share statistics. By default the statistics do not depend on
//!   the role that thinks.
//! - `theta` and `race` are the two pruning rules of the paper. Both are off by default, since both rules can drop the
//!   best arm in some games.
//!
//! Memory: each state takes about 60 bytes plus its own size, each arm 8 bytes, each move 32, and each successor 16. At
//! the limit, 1 GiB by default, the player drops the half of the stages that it has not passed for the longest time.

mod choice;
mod graph;
mod network;
mod proof;
mod solution;
mod stage;
#[cfg(test)]
mod tests;
mod think;

use std::sync::OnceLock;
use std::time::Instant;

use rand::{Rng, RngExt};
use ruse_base::stop::StopRequest;
use ruse_games::rule_file::{RoleMove, RoleView, RuleFile};
use ruse_games::{Imagine, Seat};
use ruse_gdl::MoveId;
use ruse_search::{Effort, MacUcbSettings, SolverKind, Strategy};

use self::graph::NodeKind;
use self::proof::ProofRules;
use self::stage::{Forward, SolveStage};
use self::think::{Spent, Thinker};
use crate::Preprocessing;
use crate::encode::EncodeOptions;

pub use self::network::StageNetwork;
pub use self::solution::{MAX_STATES, NotSolved, Solution, solve};

/// The player `mac-ucb`, or `fc-ucb` or `forward-ucb` with other stage solvers.
#[derive(Clone)]
pub struct MacUcb {
    game: RuleFile,
    settings: MacUcbSettings,
    /// The network, created on first use. The inner value is `None` if the game is too large for a network.
    network: OnceLock<Option<StageNetwork>>,
    /// The limits on the network.
    options: EncodeOptions,
}

impl MacUcb {
    /// Creates the player for a game.
    pub fn new(game: &RuleFile, settings: MacUcbSettings) -> MacUcb {
        let (network, options) = (OnceLock::new(), EncodeOptions::default());
        MacUcb { game: game.clone(), settings, network, options }
    }

    /// Returns the stage solver. If the game is too large for a network, the engine solves the stages, and a remark
    /// about the file is recorded.
    fn solver(&self) -> Box<dyn SolveStage> {
        if self.settings.solver == SolverKind::Engine {
            return Box::new(Forward);
        }
        let network = self.network.get_or_init(|| {
            let rules = self.game.language_rules();
            match StageNetwork::new(rules, &self.options, &Preprocessing::default()) {
                Ok(network) => Some(network),
                Err(error) => {
                    self.game.remark(error.with_consequence());
                    None
                }
            }
        });
        match network.as_ref().and_then(|network| network.solver(self.settings.solver)) {
            Some(networked) => networked,
            None => Box::new(Forward),
        }
    }

    /// Chooses a move for the view's role, which has more than one legal move.
    fn think<R: Rng>(
        &self,
        desk: &mut Thinker,
        seat: Seat,
        view: &RoleView<'_>,
        request: &StopRequest,
        rng: &mut R,
    ) -> MoveId {
        desk.turn(view.role(), view.num_steps());
        desk.effort.choices += 1;
        let mut spent = Spent::default();
        let mut countdown = self.settings.budget.start(request);
        let is_timed = !self.settings.budget.is_reproducible();
        let mut root = view.state().map(|state| desk.root(state));
        let is_proven = |node| desk.graph.proven(node).is_some();
        if root.is_some_and(|node| desk.kind(node) == NodeKind::Open && is_proven(node)) {
            // The stages that prove the worth were dropped to save memory.
            desk.forget();
            root = view.state().map(|state| desk.root(state));
        }
        if let Some(node) = root.filter(|_| self.settings.is_exact) {
            desk.solve_all(node, MAX_STATES, request);
        }
        let mut has_room = true;
        loop {
            let node = match root {
                Some(node) if desk.is_settled(node) => {
                    desk.effort.proven += 1;
                    break;
                }
                Some(node) => node,
                None => {
                    let imagined = self.game.imagine(&desk.beliefs, seat, view, rng);
                    desk.root(self.game.truth(&imagined, seat))
                }
            };
            let is_open = desk.kind(node) == NodeKind::Open;
            if !is_open && countdown.is_over() {
                break;
            }
            let start = is_timed.then(Instant::now);
            let cost =
                |steps: u64| start.map_or(steps as f64, |start| start.elapsed().as_secs_f64());
            if is_open || has_room && spent.leaves_solving(self.settings.share) {
                let steps = desk.solve_one(node, rng);
                spent.solving += cost(steps);
                desk.effort.steps += steps;
                countdown.spend(steps);
                let (node, room) = desk.make_room(node);
                has_room = room;
                root = root.map(|_| node);
                desk.raise_theta(node);
            } else {
                if !countdown.count_playout() {
                    break;
                }
                let steps = desk.sample(node, rng);
                spent.sampling += cost(steps);
                desk.effort.steps += steps;
                countdown.spend(steps);
            }
        }
        let node = root.unwrap_or(0);
        desk.effort.tried += desk.num_tried(node);
        desk.decide(node, rng)
    }
}

impl Thinker {
    /// Returns the number of the player's moves at a solved node that playouts took.
    fn num_tried(&self, node: u32) -> u64 {
        let own = self.graph.choosers_of(node).iter().find(|chooser| chooser.seat == self.own);
        let moves = self.graph.moves_of(own.expect("the seat that is asked has a choice").block);
        moves.iter().filter(|of_move| of_move.pulls > 0).count() as u64
    }

    /// Returns the player's move at a solved node. If several seats choose and all arms are proven, the move is part of
    /// the best joint decision for equal rewards, and otherwise drawn from an equilibrium.
    ///
    /// In all other cases, it is the move with the highest worth, which is the mean reward if the move is not proven. Ties
    /// go to proven moves, then to the most visits, then to the first move.
    fn decide<R: Rng>(&self, node: u32, rng: &mut R) -> MoveId {
        let choosers = self.graph.choosers_of(node);
        let place = choosers.iter().position(|chooser| chooser.seat == self.own);
        let place = place.expect("the seat that is asked has a choice");
        let block = choosers[place].block;
        let moves = self.graph.moves_of(block);
        let own = usize::from(self.own);
        if choosers.len() > 1 && self.is_settled(node) {
            if self.judge.is_cooperative {
                let arms = 0..self.graph.nodes[node as usize].num_arms;
                let worth =
                    |arm: u32| self.graph.arm_value(node, arm).map_or(-1.0, |value| value[own]);
                let best =
                    arms.fold(0, |best, arm| if worth(arm) > worth(best) { arm } else { best });
                let mut choices = self.graph.choices_of(node, best);
                let choice = choices.find(|(chooser, _)| chooser.seat == self.own);
                return moves[choice.expect("the seat chooses").1 as usize].action;
            }
            if let Some((_, mixtures)) = ProofRules::equilibrium(&self.graph, node) {
                let mut left: f64 = rng.random();
                let chosen = mixtures[place].iter().position(|&weight| {
                    left -= weight;
                    left < 0.0
                });
                return moves[chosen.unwrap_or(0)].action;
            }
        }
        let exact = |choice: u32| {
            let is_alone =
                choosers.len() == 1 && self.kind(node) == NodeKind::Solved && self.settings.proves;
            let value = is_alone.then(|| self.graph.arm_value(node, choice)).flatten();
            value.map(|value| value[own])
        };
        // A proven worth is preferred to an equally high mean, which may come from a few lucky playouts.
        let rank = |choice: u32| {
            let of_move = &moves[choice as usize];
            let unseen = if of_move.pulls == 0 { -1.0 } else { of_move.mean() };
            let exact = exact(choice);
            (exact.unwrap_or(unseen), exact.is_some(), of_move.pulls)
        };
        let best = (0..moves.len() as u32)
            .reduce(|best, choice| if rank(choice) > rank(best) { choice } else { best });
        moves[best.expect("a seat has moves") as usize].action
    }
}

/// The memory of a player during a game.
#[derive(Default)]
pub struct MacUcbMemory {
    desk: Option<Box<Thinker>>,
    seat: Option<Seat>,
    request: StopRequest,
}

impl MacUcbMemory {
    /// Returns the largest number of bytes that states have taken in any game.
    pub fn peak_bytes(&self) -> u64 {
        self.desk.as_ref().map_or(0, |desk| desk.peak_bytes)
    }
}

impl Strategy<RuleFile> for MacUcb {
    type Memory = MacUcbMemory;

    fn begin(&self, memory: &mut MacUcbMemory, seat: Seat) {
        memory.seat = Some(seat);
        match &mut memory.desk {
            Some(desk) if desk.is_for(&self.game, &self.settings) => {
                desk.forget();
                desk.beliefs = ruse_games::rule_file::Beliefs::default();
            }
            desk => {
                let mut new = Box::new(Thinker::new(&self.game, self.settings, self.solver()));
                new.forget();
                *desk = Some(new);
            }
        }
    }

    fn act<R: Rng>(
        &self,
        memory: &mut MacUcbMemory,
        view: RoleView<'_>,
        rng: &mut R,
        action: &mut RoleMove,
    ) {
        let role = view.role();
        let chosen = match (view.legal(), &mut memory.desk, memory.seat) {
            (&[only], ..) => only,
            (_, Some(desk), Some(seat)) => self.think(desk, seat, &view, &memory.request, rng),
            _ => unreachable!("a game is begun before the first turn"),
        };
        *action = RoleMove { role, action: chosen };
    }

    fn heed(memory: &mut MacUcbMemory, request: &StopRequest) {
        memory.request = request.clone();
    }

    fn effort(memory: &MacUcbMemory) -> Effort {
        memory.desk.as_ref().map_or_else(Effort::default, |desk| desk.effort)
    }
}
