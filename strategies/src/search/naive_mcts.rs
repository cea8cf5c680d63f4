//! Searches in which a bandit of many variables sits in each node: `naive-mcts`, and its relatives.
//!
//! After Ontañón, *Combinatorial multi-armed bandits for real-time strategy games* (JAIR 58, 2017), sections 4 and 6: a
//! node is a state in which a seat decides, its arms are the joint actions of that seat, and a
//! [combinatorial bandit](crate::bandit::cmab) chooses among them. A playout goes down from the root to the first arm
//! without a child or to the greatest depth, plays ahead from there for a while with both seats moved by a policy, and
//! judges. `mc` stays at the root: depth 1.
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
//! Where the paper leaves a choice open, or we do otherwise:
//!
//! - When both seats decide at once, the searching seat chooses first and the other knows its choice, as in the paper; but
//!   cells that the first choice takes are not withheld from the second, so that both may want one, and the rule for
//!   conflicts decides.
//! - A turn has the same number of playouts each, unless `carry` is set. In the paper the budget is per cycle of the game, and
//!   a player who has to wait thinks ahead: they predict the next state in which somebody decides and search it, and go on
//!   with that tree if nobody gave orders in between. With `carry=1` a turn has the playouts that are of use then: the
//!   budget for each cycle since anybody gave orders, that of the turn itself included. They are the same playouts
//!   without those that are thrown away. The game must show when orders were given.
//! - The tree takes it that an action has one consequence: games with dice or cards to draw are for [`uct`](super::uct).
//! - A state of a game with hidden information is drawn from what the seat knows: `worlds` times in a search, each with a
//!   tree of its own below a common root.
//!
//! Memory: at most one node for each playout, with its state and with tables that have an entry for each value and
//! for each arm pulled. When all of it is as much as the setting `memory` says, no more nodes are added, and playouts leave the
//! tree where it ends; the tables of its nodes grow on with the arms pulled there, by some 60 bytes for each. Memory is reused
//! from turn to turn and from game to game.

mod model;

use std::marker::PhantomData;

use rand::Rng;
use ruse_games::{Imagine, Seat, Slots, Turn};

pub use self::model::{BySlots, Model, OneSlot};

use self::model::Choices;
use super::Budget;
use crate::bandit::cmab::{
    Exploit, Lsi, LsiOptions, LsiOthers, LsiPicks, Naive, Recommendation, Sampler, Scratch,
    Strategy as Bandit, Tables,
};
use crate::{Effort, StopWish, Strategy};

/// Which bandit sits in the nodes, without its numbers.
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
    /// Linear side information, for the root only.
    Lsi,
}

/// What there is to set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NaiveMctsSettings {
    /// For how long to think at each turn: 1000 playouts by default.
    pub budget: Budget,
    /// The bandit in the nodes.
    pub bandit: BanditKind,
    /// Of naive sampling: the probability of an explore step, in [0, 1]; of e-greedy that of a random arm.
    pub e0: f64,
    /// Of naive sampling: how often an explore step does not take the best value of a variable, in [0, 1].
    pub e_l: f64,
    /// Of naive sampling: how often an exploit step takes any arm, in [0, 1].
    pub e_g: f64,
    /// Of two phases: the share of the playouts that the first has, in [0, 1]. It is NS(1, 1, 0).
    pub first_phase: f64,
    /// The constant of upper bounds, 0 or more.
    pub c: f64,
    /// Of first play urgency: the share of the value of the state in the urgency, in [0, 1]; the rest is 1.
    pub f: f64,
    /// Nodes from the root to a leaf at the most, 1 or more. Two seats that decide at once have a node each.
    pub max_depth: u32,
    /// For how long a game is played ahead, in units of its clock, or in turns if it has none; 0 is to judge at once.
    pub horizon: u32,
    /// What an outcome counts less for each unit of the clock until it is judged: a factor in (0, 1]. 1 is the paper's.
    pub discount: f64,
    /// The number of states that are imagined, 1 or more.
    pub worlds: u32,
    /// Whether the budget is for each unit of the clock since anybody chose, and at least for one.
    pub carry: bool,
    /// The memory from which on no more nodes are added, in MiB, 1 or more.
    pub memory: u32,
}

impl NaiveMctsSettings {
    /// The paper's for this bandit: NS(.4, .33, 0), e-greedy(.25), C = .05 (.005 of MLPS), f = .95, the first phase a quarter,
    /// depth 10, horizon 100.
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
        }
    }

    /// What can be set, for messages.
    pub(super) const KNOWN: &str = "known are e0, el, eg, phase, c, f (0 to 1), depth (1 to 1000), horizon (0 to \
        1000000), discount (above 0, to 1), worlds (1 to 100000), carry (0 or 1) and memory (MiB, 1 to 1048576)";

    /// Sets what has this name; none if nothing has, or it cannot be set to this.
    pub(super) fn set(&mut self, name: &str, value: f64) -> Option<()> {
        let whole = |least: f64, most: f64| {
            (value.fract() == 0.0 && (least..=most).contains(&value)).then_some(value as u32)
        };
        let is_share = (0.0..=1.0).contains(&value);
        match name {
            "depth" if self.bandit == BanditKind::Lsi => {
                whole(1.0, 1.0)?;
            }
            "depth" => self.max_depth = whole(1.0, 1000.0)?,
            "horizon" => self.horizon = whole(0.0, 1e6)?,
            "worlds" => self.worlds = whole(1.0, 1e5)?,
            "memory" => self.memory = whole(1.0, f64::from(1 << 20))?,
            "carry" => self.carry = whole(0.0, 1.0)? == 1,
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

    /// The bandit of a node whose state is worth `value` to the seat that decides there, in [0, 1].
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

/// The player.
#[derive(Clone)]
pub struct NaiveMcts<G: Imagine, M: Model<G>> {
    game: G,
    settings: NaiveMctsSettings,
    policy: M::Policy,
    model: PhantomData<M>,
}

impl<G: Imagine, M: Model<G>> NaiveMcts<G, M> {
    /// The player of this game, with this policy in games played ahead.
    pub fn new(game: &G, settings: NaiveMctsSettings, policy: M::Policy) -> NaiveMcts<G, M> {
        NaiveMcts { game: game.clone(), settings, policy, model: PhantomData }
    }
}

/// No node.
const NONE: u32 = u32::MAX;

/// A state in which a seat decides.
struct Node<G: Imagine, M: Model<G>> {
    /// The state; if both seats decide, that before either has.
    state: G::State,
    mover: Seat,
    /// What the other seat does in the same moment, if it has chosen before.
    known: Option<G::Action>,
    slots: Slots<M::Value>,
    sizes: Vec<u16>,
    tables: Tables,
    bandit: Bandit,
    /// By arm in the order of first pulls; shorter than the number of arms if the last have none.
    children: Vec<u32>,
    /// Bytes that were counted of it.
    bytes: usize,
}

impl<G: Imagine, M: Model<G>> Node<G, M> {
    /// Bytes that it takes, but for what an action owns: about 1 kB more in the real-time strategy game. States are flat.
    fn bytes(&self) -> usize {
        size_of::<Node<G, M>>()
            + self.slots.bytes()
            + self.tables.bytes()
            + size_of::<u16>() * self.sizes.capacity()
            + size_of::<u32>() * self.children.capacity()
    }
}

/// What a seat remembers of a game, and what it has learned in thought.
pub struct NaiveMctsMemory<G: Imagine, M: Model<G>> {
    seat: Seat,
    knowledge: G::Knowledge,
    nodes: Vec<Node<G, M>>,
    /// How many of the nodes are in use.
    num_nodes: usize,
    /// Bytes of all nodes, in use or not.
    bytes: usize,
    scratch: Scratch<M::Partial>,
    /// The nodes of a playout, and their arms one after the other.
    path: Vec<u32>,
    arms: Vec<u16>,
    arm: Vec<u16>,
    action: G::Action,
    effort: Effort,
    wish: StopWish,
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
            wish: StopWish::default(),
        }
    }
}

impl<G: Imagine, M: Model<G>> NaiveMctsMemory<G, M> {
    /// A node of this state, with empty tables; memory of earlier searches is used again.
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
        node.sizes.clear();
        node.sizes.extend(node.slots.iter().map(|values| values.len() as u16));
        node.tables.reset(&node.sizes);
        node.children.clear();
        let value = (1.0 + M::judge(&player.game, state, mover)) / 2.0;
        node.bandit = player.settings.bandit(value, playouts);
        self.count(number);
        number as u32
    }

    /// Counts the bytes of a node anew.
    fn count(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        let bytes = node.bytes();
        self.bytes += bytes - node.bytes;
        node.bytes = bytes;
    }

    /// Whether the tree may grow: there is memory left, or a node of an earlier search that is not in use.
    fn has_room(&self, settings: &NaiveMctsSettings) -> bool {
        let most = settings.memory as usize * (1 << 20);
        self.bytes < most || self.num_nodes < self.nodes.len()
    }
}

impl<G: Imagine, M: Model<G>> NaiveMcts<G, M> {
    /// What happens when `mover`, who is at `node`, takes `action`: another decision in the same moment, or a new state.
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
            // The other has chosen: now both happen, that of the first seat first.
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

    /// Goes down from the root, plays on, and learns what came of it.
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
        // Memory grows with arms, which are new at the end of the path and rarely elsewhere; nothing shrinks.
        for index in 0..memory.path.len() {
            memory.count(memory.path[index] as usize);
        }
    }

    /// Takes arm number `number` of a node, which is in `memory.arm`: makes a child for it if the tree may grow there, and
    /// returns the state to play on from.
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
                // Where both decide, the searching seat is the first to choose.
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
            // The other seat has not chosen yet, and is moved by the policy.
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

    /// The state in which the seat decides, and whatever the other has done unseen is taken back.
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

    /// Linear side information at the root.
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
        // The last value of a unit is to wait.
        let special: Vec<u16> = sizes.iter().map(|size| size - 1).collect();
        let mut sampler = Lsi::new(options, playouts, &special, &choices);
        let mut arm = vec![0; sizes.len()];
        let start = M::clock(&self.game, &root);
        let mut countdown = Budget::Playouts(playouts).start(&memory.wish);
        for _ in 0..playouts {
            if !countdown.next() {
                // Broken off: any arm will do, and this one is legal.
                memory.arm = arm;
                return;
            }
            sampler.choose(&choices, rng, &mut arm);
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
        // By the clock two phases are those of a thousand playouts: nobody knows how many there will be.
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
            let mut countdown = budget.start(&memory.wish);
            let (mut num_done, mut world) = (0, 0);
            while countdown.next() {
                // Worlds have equal shares of the playouts, one after the other.
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
            let num_slots = memory.nodes[0].sizes.len();
            memory.arm.clear();
            memory.arm.resize(num_slots, 0);
            memory.nodes[0].tables.recommend(Recommendation::MostPulled, &mut memory.arm);
        }
        let Node { state, slots, .. } = &memory.nodes[0];
        M::assemble(&self.game, state, seat, slots, &memory.arm, action);
        self.game.learn(&mut memory.knowledge, seat, &view, action);
    }

    fn heed(memory: &mut NaiveMctsMemory<G, M>, wish: &StopWish) {
        memory.wish = wish.clone();
    }

    fn effort(memory: &NaiveMctsMemory<G, M>) -> Effort {
        memory.effort
    }
}

#[cfg(test)]
mod tests;
