//! Searches with a combinatorial bandit in each node: `naive-mcts` and its relatives.
//!
//! After Ontañón, *Combinatorial multi-armed bandits for real-time strategy games* (JAIR 58, 2017), sections 4 and 6: a
//! node is a state in which a seat decides, its arms are the joint actions of the seat, and a [combinatorial
//! bandit](crate::bandit::cmab) chooses among them. A playout descends from the root to the first arm without a child
//! or to the largest depth. From there it simulates for a while with a policy for both seats, and evaluates the state.
//! `mc` stays at the root, with depth 1.
//!
//! | name | bandit |
//! |---|---|
//! | `naive-mcts`, `mc-ns` | naive sampling NS(e0, el, eg) |
//! | `mcts-egreedy`, `mc-egreedy` | e-greedy over joint actions |
//! | `mcts-ucb1`, `mc-ucb1` | UCB1 |
//! | `mcts-fpu`, `mc-fpu` | UCB1 with first play urgency |
//! | `mcts-two-phase`, `mc-two-phase` | naive sampling that changes after a share of the playouts |
//! | `mcts-mlps`, `mc-mlps` | MLPS-greedy |
//! | `mc-lsi` | linear side information, by special values and entropy |
//!
//! Choices that the paper leaves open, and deviations:
//!
//! - When both seats decide simultaneously, the searching seat chooses first and the other seat knows this choice, as
//!   in the paper. Here, the second seat may still choose cells that the first choice takes; the rules of the game then
//!   resolve the conflict.
//! - Each turn has the same number of playouts, unless `carry` is set. In the paper, the budget is per cycle of the
//!   game. A waiting player searches ahead: it predicts the next state in which it decides, and keeps the search tree
//!   if no orders are given until then. With `carry=1`, a turn gets all playouts that a waiting player would keep: the
//!   budget of one cycle times the number of cycles since the last orders of either player, including the current
//!   cycle. The game must show when orders were given.
//! - The tree assumes that an action has only one possible consequence. Games with dice or cards to draw need
//!   [`uct`](super::uct).
//! - States of a game with hidden information are sampled from the knowledge of the seat. A search samples `worlds`
//!   states; each state has its own tree below a common root.
//!
//! Memory: at most one node for each playout, with its state and with tables that have an entry for each value and for
//! each pulled arm. At the limit `memory` no more nodes are added, and playouts leave the tree at its leaves; the
//! tables of existing nodes still grow by about 60 bytes for each new arm pulled there. Memory is reused from turn to
//! turn and from game to game.

mod model;

use std::collections::BTreeSet;
use std::marker::PhantomData;

use rand::Rng;
use ruse_base::stop::StopRequest;
use ruse_games::{Game, Imagine, Seat, Slots, Turn};

pub use self::model::{BySlots, Model, OneSlot};

use self::model::Choices;
use super::Budget;
use crate::bandit::cmab::{
    Exploit, Lsi, LsiOptions, LsiOthers, LsiPicks, Naive, Recommendation, Sampler, Scratch,
    Strategy as Bandit, Tables,
};
use crate::budget::SearchSettings;
use crate::whole::whole;
use crate::{Effort, Strategy};

/// The kind of bandit in the nodes, without its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BanditKind {
    /// Naive sampling.
    Naive,
    /// e-greedy over joint actions.
    EGreedy,
    /// UCB1.
    Ucb1,
    /// UCB1 with first play urgency.
    Ucb1Fpu,
    /// Naive sampling in two phases.
    TwoPhase,
    /// MLPS-greedy.
    Mlps,
    /// Linear side information, only for the root.
    Lsi,
}

/// The settings of the player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NaiveMctsSettings {
    /// The budget of each turn; 1000 playouts by default.
    pub budget: Budget,
    /// The bandit in the nodes.
    pub bandit: BanditKind,
    /// For naive sampling, the probability of an explore step, in [0, 1]; for e-greedy, the probability of a random
    /// arm.
    pub e0: f64,
    /// For naive sampling, the probability, in [0, 1], that an explore step draws a random value for a variable instead
    /// of the best value.
    pub e_l: f64,
    /// For naive sampling, the probability that an exploit step draws a random arm, in [0, 1].
    pub e_g: f64,
    /// For two phases, the share of the playouts in the first phase, in [0, 1]. The first phase is NS(1, 1, 0).
    pub first_phase: f64,
    /// The constant C of upper bounds, at least 0.
    pub c: f64,
    /// For first play urgency, the weight of the state's value in the urgency, in [0, 1]; the rest is on the value 1.
    pub f: f64,
    /// The largest depth of the tree in nodes, at least 1. Each of two simultaneous decisions takes one node.
    pub max_depth: u32,
    /// The length of simulations, in units of the game's clock or, without a clock, in turns. With 0, the leaf itself
    /// is evaluated.
    pub horizon: u32,
    /// The factor, in (0, 1], by which an evaluation shrinks for each unit of the clock between the current and the
    /// evaluated state. The paper uses 1.
    pub discount: f64,
    /// The number of sampled states, at least 1.
    pub worlds: u32,
    /// True if the budget is multiplied by the time since the last choice of either player, in units of the clock, at
    /// least 1.
    pub carry: bool,
    /// The memory limit, in MiB, at least 1. Above it, no nodes are added.
    pub memory: u32,
    /// The number of slots that may take all of their values, if the others take only what the scripts of the game
    /// would; by default, all slots are free.
    pub num_free: Option<u32>,
    /// True if a game may replace all settings but the budget by its own, which play better. The paper's are the default.
    pub is_tuned: bool,
}

impl NaiveMctsSettings {
    /// Returns the paper's settings for this bandit: NS(.4, .33, 0), e-greedy(.25), C = .05 (.005 for MLPS), f = .95, a
    /// quarter of the playouts for the first phase, depth 10, and horizon 100.
    pub fn of(bandit: BanditKind, is_tree: bool) -> NaiveMctsSettings {
        NaiveMctsSettings {
            budget: Budget::Playouts(1000),
            bandit,
            e0: if bandit == BanditKind::EGreedy { 0.25 } else { 0.4 },
            e_l: 0.33,
            e_g: 0.0,
            first_phase: 0.25,
            c: if bandit == BanditKind::Mlps { 0.005 } else { 0.05 },
            f: 0.95,
            max_depth: if is_tree { 10 } else { 1 },
            horizon: 100,
            discount: 1.0,
            worlds: 1,
            carry: false,
            memory: 1024,
            num_free: None,
            is_tuned: false,
        }
    }

    /// Returns the bandit for a node with the value `value`, in [0, 1], for the seat that decides there.
    fn bandit(&self, value: f64, playouts: u64) -> Bandit {
        let naive = Naive::greedy(self.e0, self.e_l, self.e_g);
        match self.bandit {
            BanditKind::Naive => Bandit::Naive(naive),
            BanditKind::EGreedy => Bandit::Naive(Naive::e_greedy(self.e0)),
            BanditKind::Ucb1 => Bandit::Ucb1 { c: self.c },
            BanditKind::Ucb1Fpu => {
                Bandit::Ucb1Fpu { c: self.c, threshold: self.f * value + 1.0 - self.f }
            }
            BanditKind::TwoPhase => Bandit::TwoPhase {
                first: Naive::greedy(1.0, 1.0, 0.0),
                second: Naive { exploit: Exploit::Greedy { e_g: self.e_g }, ..naive },
                switch: (self.first_phase * playouts as f64) as u64,
            },
            BanditKind::Mlps => Bandit::Mlps { c: self.c },
            BanditKind::Lsi => Bandit::Random,
        }
    }
}

impl SearchSettings for NaiveMctsSettings {
    const KNOWN: &str = "known are e0, el, eg, phase, c, f (0 to 1), depth (1 to 1000), horizon (0 to \
        1000000), discount (above 0, to 1), worlds (1 to 100000), carry (0 or 1), free (units, 0 to 1000) and \
        memory (MiB, 1 to 1048576)";

    fn set(&mut self, name: &str, value: f64) -> Option<()> {
        let is_share = (0.0..=1.0).contains(&value);
        match name {
            // The bandit has no tree.
            "depth" if self.bandit == BanditKind::Lsi => _ = whole(value, 1, 1)?,
            "depth" => self.max_depth = whole(value, 1, 1_000)?,
            "horizon" => self.horizon = whole(value, 0, 1_000_000)?,
            "worlds" => self.worlds = whole(value, 1, 100_000)?,
            "memory" => self.memory = whole(value, 1, 1 << 20)?,
            "carry" => self.carry = whole(value, 0, 1)? == 1,
            "free" => self.num_free = Some(whole(value, 0, 1_000)?),
            _ if !is_share => return None,
            "e0" => self.e0 = value,
            "el" => self.e_l = value,
            "eg" => self.e_g = value,
            "phase" => self.first_phase = value,
            "c" => self.c = value,
            "f" => self.f = value,
            "discount" if value > 0.0 => self.discount = value,
            _ => return None,
        }
        Some(())
    }

    fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

/// Removes values from the slots of a state for a seat, given the [number of slots](NaiveMctsSettings::num_free) that keep
/// all of theirs.
pub type Narrow<G, M> = fn(&G, &<G as Game>::State, Seat, u32, &mut Slots<<M as Model<G>>::Value>);

/// A player that searches with combinatorial bandits.
#[derive(Clone)]
pub struct NaiveMcts<G: Imagine, M: Model<G>> {
    game: G,
    settings: NaiveMctsSettings,
    policy: M::Policy,
    narrow: Option<Narrow<G, M>>,
    model: PhantomData<M>,
}

impl<G: Imagine, M: Model<G>> NaiveMcts<G, M> {
    /// Creates the player for a game, with the policy of its simulations.
    pub fn new(game: &G, settings: NaiveMctsSettings, policy: M::Policy) -> NaiveMcts<G, M> {
        NaiveMcts { game: game.clone(), settings, policy, narrow: None, model: PhantomData }
    }

    /// Lets `narrow` remove values from slots if the settings say how many slots are free.
    pub fn narrowed_by(self, narrow: Narrow<G, M>) -> NaiveMcts<G, M> {
        NaiveMcts { narrow: Some(narrow), ..self }
    }
}

/// Marks a missing node.
const NONE: u32 = u32::MAX;

/// A state in which a seat decides.
struct Node<G: Imagine, M: Model<G>> {
    /// The state. If both seats decide, it is the state before either decision.
    state: G::State,
    mover: Seat,
    /// The simultaneous action of the other seat, if it has already chosen.
    known: Option<G::Action>,
    slots: Slots<M::Value>,
    sizes: Vec<u16>,
    tables: Tables,
    bandit: Bandit,
    /// The children by arm, in the order of first pulls. This list may be shorter than the list of arms.
    children: Vec<u32>,
    /// The size of the node in bytes when it was last measured.
    bytes: usize,
}

impl<G: Imagine, M: Model<G>> Node<G, M> {
    /// Returns the size of the node in bytes, if its state owns no further memory. The memory of the action `known`,
    /// about 1 kB in the real-time strategy game, is not counted.
    fn bytes(&self) -> usize {
        size_of::<Node<G, M>>()
            + self.slots.bytes()
            + self.tables.bytes()
            + size_of::<u16>() * self.sizes.capacity()
            + size_of::<u32>() * self.children.capacity()
    }
}

/// The memory of a seat during a game, with its search tree.
pub struct NaiveMctsMemory<G: Imagine, M: Model<G>> {
    seat: Seat,
    knowledge: G::Knowledge,
    nodes: Vec<Node<G, M>>,
    /// The number of nodes in use.
    num_nodes: usize,
    /// The number of bytes of all nodes, in use or not.
    bytes: usize,
    scratch: Scratch<M::Partial>,
    /// The nodes of a playout, from the root on.
    path: Vec<u32>,
    /// The arms chosen at the nodes of `path`, joined into one list.
    arms: Vec<u16>,
    arm: Vec<u16>,
    action: G::Action,
    effort: Effort,
    request: StopRequest,
}

impl<G: Imagine, M: Model<G>> Default for NaiveMctsMemory<G, M> {
    fn default() -> Self {
        NaiveMctsMemory {
            seat: Seat::First,
            knowledge: G::Knowledge::default(),
            nodes: Vec::new(),
            num_nodes: 0,
            bytes: 0,
            scratch: Scratch::default(),
            path: Vec::new(),
            arms: Vec::new(),
            arm: Vec::new(),
            action: G::Action::default(),
            effort: Effort::default(),
            request: StopRequest::default(),
        }
    }
}

impl<G: Imagine, M: Model<G>> NaiveMctsMemory<G, M> {
    /// Adds a node for this state with empty tables, reusing memory.
    fn add_node(
        &mut self,
        player: &NaiveMcts<G, M>,
        state: &G::State,
        mover: Seat,
        known: Option<G::Action>,
        playouts: u64,
    ) -> u32 {
        let number = self.num_nodes;
        if number == self.nodes.len() {
            self.nodes.push(Node {
                state: state.clone(),
                mover,
                known: None,
                slots: Slots::default(),
                sizes: Vec::new(),
                tables: Tables::default(),
                bandit: Bandit::Random,
                children: Vec::new(),
                bytes: 0,
            });
        }
        self.num_nodes += 1;
        let node = &mut self.nodes[number];
        node.state.clone_from(state);
        (node.mover, node.known) = (mover, known);
        M::slots(&player.game, state, mover, &mut node.slots);
        if let (Some(narrow), Some(num_free)) = (player.narrow, player.settings.num_free) {
            narrow(&player.game, state, mover, num_free, &mut node.slots);
        }
        node.sizes.clear();
        node.sizes.extend(node.slots.iter().map(|values| values.len() as u16));
        node.tables.reset(&node.sizes);
        node.children.clear();
        let value = (1.0 + M::judge(&player.game, state, mover)) / 2.0;
        node.bandit = player.settings.bandit(value, playouts);
        self.count(number);
        number as u32
    }

    /// Measures the size of a node, and updates the total number of bytes.
    fn count(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        let bytes = node.bytes();
        self.bytes += bytes - node.bytes;
        node.bytes = bytes;
    }

    /// Returns `true` if the tree may grow: the memory limit is not reached, or an unused node is left.
    fn has_room(&self, settings: &NaiveMctsSettings) -> bool {
        let most = settings.memory as usize * (1 << 20);
        self.bytes < most || self.num_nodes < self.nodes.len()
    }
}

impl<G: Imagine, M: Model<G>> NaiveMcts<G, M> {
    /// Returns the state after the seat that decides at `node` takes `action`. If the other seat also decides and has
    /// not chosen yet, returns the unchanged state and `action`.
    fn step<R: Rng>(
        &self,
        memory: &NaiveMctsMemory<G, M>,
        node: u32,
        action: &G::Action,
        rng: &mut R,
    ) -> (G::State, Option<G::Action>) {
        let Node { state, mover, known, .. } = &memory.nodes[node as usize];
        let mut next = state.clone();
        match known {
            // The other seat has chosen already, so both actions are carried out, the first seat's action first.
            Some(other) => {
                let (first, second) =
                    if *mover == Seat::First { (action, other) } else { (other, action) };
                self.game.apply(&mut next, Seat::First, first, rng);
                self.game.apply(&mut next, Seat::Second, second, rng);
                (next, None)
            }
            None if M::both_decide(&self.game, state) => (next, Some(action.clone())),
            None => {
                self.game.apply(&mut next, *mover, action, rng);
                (next, None)
            }
        }
    }

    /// Descends from the root, simulates from the leaf, and records the result.
    fn play_on<R: Rng>(
        &self,
        memory: &mut NaiveMctsMemory<G, M>,
        playouts: u64,
        num_before: u64,
        start: u32,
        rng: &mut R,
    ) {
        memory.path.clear();
        memory.arms.clear();
        let mut at = 0;
        let mut end = loop {
            let node = &mut memory.nodes[at as usize];
            memory.arm.clear();
            memory.arm.resize(node.sizes.len(), 0);
            let Node { state, mover, slots, sizes, tables, bandit, .. } = node;
            let choices: Choices<'_, G, M> =
                Choices { game: &self.game, state, seat: *mover, slots, sizes };
            let (scratch, arm) = (&mut memory.scratch, &mut memory.arm);
            bandit.choose(tables, num_before, &choices, scratch, rng, arm);
            let number = node.tables.find(&memory.arm).unwrap_or(node.tables.num_arms());
            memory.path.push(at);
            memory.arms.extend_from_slice(&memory.arm);
            match node.children.get(number) {
                Some(&child)
                    if child != NONE && memory.path.len() < self.settings.max_depth as usize =>
                {
                    at = child;
                }
                _ => break self.expand(memory, at, number, playouts, rng),
            }
        };
        let seat = memory.seat;
        M::play_ahead(&self.game, &mut end, &self.policy, self.settings.horizon, rng);
        let mut value = M::judge(&self.game, &end, seat);
        if self.settings.discount < 1.0 {
            let elapsed = M::clock(&self.game, &end).saturating_sub(start);
            value *= libm::pow(self.settings.discount, f64::from(elapsed));
        }
        let reward = (1.0 + value) / 2.0;
        let mut arms = &memory.arms[..];
        for &number in &memory.path {
            let node = &mut memory.nodes[number as usize];
            let (arm, rest) = arms.split_at(node.sizes.len());
            node.tables.observe(arm, if node.mover == seat { reward } else { 1.0 - reward });
            arms = rest;
        }
        // Memory grows with new arms, which are added at the end of the path and rarely elsewhere; it never shrinks.
        for index in 0..memory.path.len() {
            memory.count(memory.path[index] as usize);
        }
    }

    /// Takes arm number `number` of a node, with its values in `memory.arm`. Adds a child for the arm if possible, and
    /// returns the state to simulate from.
    fn expand<R: Rng>(
        &self,
        memory: &mut NaiveMctsMemory<G, M>,
        at: u32,
        number: usize,
        playouts: u64,
        rng: &mut R,
    ) -> G::State {
        let node = &memory.nodes[at as usize];
        let mover = node.mover;
        let mut action = std::mem::take(&mut memory.action);
        M::assemble(&self.game, &node.state, mover, &node.slots, &memory.arm, &mut action);
        let (mut state, known) = self.step(memory, at, &action, rng);
        memory.action = action;
        let depth = memory.path.len();
        if depth < self.settings.max_depth as usize && memory.has_room(&self.settings) {
            let next = match (&known, self.game.turn(&state)) {
                (Some(_), _) => Some(mover.other()),
                // If both seats decide, the searching seat chooses first.
                (None, Turn::Act(_)) if M::both_decide(&self.game, &state) => Some(memory.seat),
                (None, Turn::Act(next)) => Some(next),
                (None, Turn::Over(_)) => None,
            };
            if let Some(next) = next {
                let child = memory.add_node(self, &state, next, known.clone(), playouts);
                let children = &mut memory.nodes[at as usize].children;
                if children.len() <= number {
                    children.resize(number + 1, NONE);
                }
                children[number] = child;
            }
        }
        if let Some(known) = known {
            // The other seat has not chosen yet, so the policy chooses for it.
            let other = mover.other();
            let mut answer = std::mem::take(&mut memory.action);
            M::draw(&self.game, &state, other, &self.policy, rng, &mut answer);
            let (first, second) =
                if mover == Seat::First { (&known, &answer) } else { (&answer, &known) };
            self.game.apply(&mut state, Seat::First, first, rng);
            self.game.apply(&mut state, Seat::Second, second, rng);
            memory.action = answer;
        }
        state
    }

    /// Samples a state in which the seat decides, and takes back the other seat's orders that it has not seen.
    fn imagine<R: Rng>(
        &self,
        memory: &NaiveMctsMemory<G, M>,
        view: &G::View<'_>,
        rng: &mut R,
    ) -> G::State {
        let mut state = self.game.imagine(&memory.knowledge, memory.seat, view, rng);
        M::withdraw(&self.game, &mut state);
        state
    }

    /// Chooses the arm of the root by linear side information.
    fn side_information<R: Rng>(
        &self,
        memory: &mut NaiveMctsMemory<G, M>,
        view: &G::View<'_>,
        playouts: u64,
        rng: &mut R,
    ) {
        let options = LsiOptions { others: LsiOthers::Special, picks: LsiPicks::ByEntropy };
        let Node { state, mover, slots, sizes, .. } = &memory.nodes[0];
        let (root, sizes, slots) = (state.clone(), sizes.clone(), slots.clone());
        let choices: Choices<'_, G, M> =
            Choices { game: &self.game, state: &root, seat: *mover, slots: &slots, sizes: &sizes };
        // The last value of each unit means that the unit waits.
        let special: Vec<u16> = sizes.iter().map(|size| size - 1).collect();
        let mut sampler = Lsi::new(options, playouts, &special, &choices);
        let mut arm = vec![0; sizes.len()];
        let start = M::clock(&self.game, &root);
        let mut countdown = Budget::Playouts(playouts).start(&memory.request);
        let mut tried = BTreeSet::new();
        memory.effort.choices += 1;
        for _ in 0..playouts {
            if !countdown.count_playout() {
                // The search was stopped: any arm will do, and this one is legal.
                memory.arm = arm;
                return;
            }
            sampler.choose(&choices, rng, &mut arm);
            if !tried.contains(&arm) {
                tried.insert(arm.clone());
                memory.effort.tried += 1;
            }
            memory.effort.playouts += 1;
            if self.settings.worlds > 1 {
                memory.nodes[0].state = self.imagine(memory, view, rng);
            }
            memory.path.clear();
            memory.path.push(0);
            memory.arm.clone_from(&arm);
            let mut end = self.expand(memory, 0, 0, playouts, rng);
            M::play_ahead(&self.game, &mut end, &self.policy, self.settings.horizon, rng);
            let elapsed = M::clock(&self.game, &end).saturating_sub(start);
            let discount = libm::pow(self.settings.discount, f64::from(elapsed));
            let value = discount * M::judge(&self.game, &end, memory.seat);
            sampler.observe(&arm, (1.0 + value) / 2.0);
        }
        sampler.recommend(&mut arm);
        memory.arm = arm;
    }
}

impl<G: Imagine, M: Model<G>> Strategy<G> for NaiveMcts<G, M> {
    type Memory = NaiveMctsMemory<G, M>;

    fn begin(&self, memory: &mut NaiveMctsMemory<G, M>, seat: Seat) {
        memory.seat = seat;
        memory.knowledge = G::Knowledge::default();
    }

    fn act<R: Rng>(
        &self,
        memory: &mut NaiveMctsMemory<G, M>,
        view: G::View<'_>,
        rng: &mut R,
        action: &mut G::Action,
    ) {
        let seat = memory.seat;
        memory.num_nodes = 0;
        let state = self.imagine(memory, &view, rng);
        let budget = match self.settings.carry {
            true => self.settings.budget.times(M::waited(&self.game, &state)),
            false => self.settings.budget,
        };
        // If the number of playouts is unknown, the two phases are scheduled as if there were a thousand.
        let playouts = match budget {
            Budget::Playouts(playouts) => playouts,
            Budget::Steps(_) | Budget::Milliseconds(_) => 1000,
        };
        memory.add_node(self, &state, seat, None, playouts);
        let is_forced = memory.nodes[0].sizes.iter().all(|&size| size == 1);
        if is_forced {
            let num_slots = memory.nodes[0].sizes.len();
            memory.arm.clear();
            memory.arm.resize(num_slots, 0);
        } else if self.settings.bandit == BanditKind::Lsi {
            self.side_information(memory, &view, playouts, rng);
        } else {
            let start = M::clock(&self.game, &state);
            let worlds = u64::from(self.settings.worlds).min(playouts);
            let mut countdown = budget.start(&memory.request);
            let (mut num_done, mut world) = (0, 0);
            while countdown.count_playout() {
                // The sampled states have equal shares of the playouts, and are searched one after the other.
                if worlds > 1 && num_done * worlds >= (world + 1) * playouts {
                    world += 1;
                    memory.num_nodes = 1;
                    memory.nodes[0].children.clear();
                    memory.nodes[0].state = self.imagine(memory, &view, rng);
                }
                self.play_on(memory, playouts, num_done, start, rng);
                num_done += 1;
            }
            memory.effort.choices += 1;
            memory.effort.playouts += num_done;
            memory.effort.tried += memory.nodes[0].tables.num_arms() as u64;
            let num_slots = memory.nodes[0].sizes.len();
            memory.arm.clear();
            memory.arm.resize(num_slots, 0);
            memory.nodes[0].tables.recommend(Recommendation::MostPulled, &mut memory.arm);
        }
        let Node { state, slots, .. } = &memory.nodes[0];
        M::assemble(&self.game, state, seat, slots, &memory.arm, action);
        self.game.learn(&mut memory.knowledge, seat, &view, action);
    }

    fn heed(memory: &mut NaiveMctsMemory<G, M>, request: &StopRequest) {
        memory.request = request.clone();
    }

    fn effort(memory: &NaiveMctsMemory<G, M>) -> Effort {
        memory.effort
    }
}

#[cfg(test)]
mod tests;
