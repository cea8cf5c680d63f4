//! The graph of the states found so far, with their statistics and proven worths.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use ruse_base::hashing::{AsItIs, mix};
use ruse_gdl::{MoveId, State};

/// Marks a missing node, value or link.
pub(super) const NONE: u32 = u32::MAX;

/// The status of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// The stage of the state is not solved yet.
    Open,
    /// All joint decisions in the state, and their successors, are known.
    Solved,
    /// The state has too many joint moves to be solved; each seat chooses by its own statistics.
    Wide,
    /// The game is over.
    End,
}

/// A state. Its variable-length data are in lists of the graph.
#[derive(Debug, Clone)]
pub(super) struct NodeRecord {
    /// The index of the next node whose state has the same hash, or [`NONE`].
    next_same: u32,
    pub(super) kind: NodeKind,
    /// The index of the state's worth to each seat, or [`NONE`] if it is not proven.
    pub(super) value: u32,
    /// The number of the last path that led through the state.
    pub(super) stamp: u32,
    pub(super) first_chooser: u32,
    pub(super) num_choosers: u8,
    /// The index of the state's first arm; the arms of a state are its joint decisions.
    pub(super) first_arm: u32,
    pub(super) num_arms: u32,
    /// The number of arms with an unproven successor.
    pub(super) num_open_arms: u32,
    /// The index of the state's first successor; successors are sorted by arm and then by move of chance.
    pub(super) first_successor: u32,
    /// The number of possible moves of chance, or 1 if chance makes no move.
    pub(super) num_chance: u32,
    /// The index of the first link to an arm that leads to the state.
    first_link: u32,
}

/// A seat that chooses at a node, with its statistics.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chooser {
    /// The index of the seat among the roles that are played.
    pub(super) seat: u8,
    pub(super) block: u32,
}

/// Statistics of the moves of a seat, for all states in which it knows the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) first_move: u32,
    pub(super) num_moves: u32,
    pub(super) pulls: u32,
    /// The number of choices on the way to unsolved stages, without random games.
    pub(super) looks: u32,
}

/// A move of a seat, with the statistics of its rewards.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MoveRecord {
    pub(super) action: MoveId,
    pub(super) pulls: u32,
    pub(super) looks: u32,
    /// The sum of the seat's own rewards, each in [0, 1].
    pub(super) points: f64,
    /// The sum of the squares of the seat's own rewards.
    pub(super) squares: f64,
}

impl MoveRecord {
    pub(super) fn mean(&self) -> f64 {
        self.points / f64::from(self.pulls.max(1))
    }
}

/// An arm: a joint decision of the choosing seats.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArmRecord {
    /// The number of unproven successors.
    pub(super) num_open: u32,
    /// The index of the arm's worth to each seat, or [`NONE`] if some successor is not proven.
    pub(super) value: u32,
}

/// An arm that leads to a node.
#[derive(Debug, Clone, Copy)]
struct Link {
    parent: u32,
    arm: u32,
    next: u32,
}

/// The graph of the states found so far, with the stages solved so far.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The number of 64-bit words that represent a state.
    width: usize,
    num_seats: usize,
    states: Vec<u64>,
    pub(super) nodes: Vec<NodeRecord>,
    pub(super) choosers: Vec<Chooser>,
    pub(super) blocks: Vec<Block>,
    pub(super) moves: Vec<MoveRecord>,
    pub(super) arms: Vec<ArmRecord>,
    pub(super) successors: Vec<u32>,
    links: Vec<Link>,
    values: Vec<f64>,
    index: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
    /// In games of incomplete information, the block of statistics for each hash of a seat's knowledge.
    by_knowledge: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
}

fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, &word| mix(hash ^ word))
}

impl Graph {
    /// Removes everything, but keeps the memory. From now on, a state has `width` words.
    pub(super) fn clear(&mut self, width: usize, num_seats: usize) {
        (self.width, self.num_seats) = (width, num_seats);
        self.states.clear();
        self.nodes.clear();
        self.choosers.clear();
        self.blocks.clear();
        self.moves.clear();
        self.arms.clear();
        self.successors.clear();
        self.links.clear();
        self.values.clear();
        self.index.clear();
        self.by_knowledge.clear();
    }

    /// Returns the number of bytes in use. The spare capacity of lists is not counted.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.states[..])
            + size_of_val(&self.nodes[..])
            + size_of_val(&self.choosers[..])
            + size_of_val(&self.blocks[..])
            + size_of_val(&self.moves[..])
            + size_of_val(&self.arms[..])
            + size_of_val(&self.successors[..])
            + size_of_val(&self.links[..])
            + size_of_val(&self.values[..])
            // A slot has a key, the number of a node or block, and a control byte; at most seven of eight are taken.
            + (self.index.len() + self.by_knowledge.len()) * 20
    }

    pub(super) fn num_seats(&self) -> usize {
        self.num_seats
    }

    /// Returns the words that represent the state of a node.
    pub(super) fn words(&self, node: u32) -> &[u64] {
        &self.states[node as usize * self.width..][..self.width]
    }

    /// Copies the state of a node, without the words of knowledge (one per seat) that may follow it.
    pub(super) fn copy_state(&self, node: u32, state: &mut State) {
        let num_words = state.words().len();
        state.copy_from_words(&self.words(node)[..num_words]);
    }

    /// Returns the node listed for a state, if there is one.
    pub(super) fn find(&self, words: &[u64]) -> Option<u32> {
        let mut node = self.index.get(&hash(words)).copied().unwrap_or(NONE);
        while node != NONE {
            if self.words(node) == words {
                return Some(node);
            }
            node = self.nodes[node as usize].next_same;
        }
        None
    }

    /// Adds a node for a state. If `is_listed` is `true`, [`find`](Graph::find) can return the node.
    pub(super) fn add(&mut self, words: &[u64], is_listed: bool) -> u32 {
        debug_assert_eq!(words.len(), self.width, "a state of other rules");
        let node = self.nodes.len() as u32;
        self.states.extend_from_slice(words);
        let mut next_same = NONE;
        if is_listed {
            next_same = self.index.insert(hash(words), node).unwrap_or(NONE);
        }
        self.nodes.push(NodeRecord {
            next_same,
            kind: NodeKind::Open,
            value: NONE,
            stamp: 0,
            first_chooser: 0,
            num_choosers: 0,
            first_arm: 0,
            num_arms: 0,
            num_open_arms: 0,
            first_successor: 0,
            num_chance: 1,
            first_link: NONE,
        });
        node
    }

    /// Stores one worth for each seat, and returns the index for [`value`](Graph::value).
    pub(super) fn add_value(&mut self, value: &[f64]) -> u32 {
        let index = (self.values.len() / self.num_seats) as u32;
        self.values.extend_from_slice(value);
        index
    }

    pub(super) fn value(&self, index: u32) -> &[f64] {
        &self.values[index as usize * self.num_seats..][..self.num_seats]
    }

    /// Returns the worth of a node to each seat, if proven.
    pub(super) fn proven(&self, node: u32) -> Option<&[f64]> {
        let value = self.nodes[node as usize].value;
        (value != NONE).then(|| self.value(value))
    }

    /// Returns the worth of an arm to each seat, if proven. `arm` is 0 for the first arm of the node.
    pub(super) fn arm_value(&self, node: u32, arm: u32) -> Option<&[f64]> {
        let value = self.arm(node, arm).value;
        (value != NONE).then(|| self.value(value))
    }

    pub(super) fn arm(&self, node: u32, arm: u32) -> &ArmRecord {
        &self.arms[(self.nodes[node as usize].first_arm + arm) as usize]
    }

    /// Returns the successors of an arm, one for each move of chance.
    pub(super) fn successors_of(&self, node: u32, arm: u32) -> &[u32] {
        let record = &self.nodes[node as usize];
        let first = record.first_successor as usize + arm as usize * record.num_chance as usize;
        &self.successors[first..first + record.num_chance as usize]
    }

    pub(super) fn choosers_of(&self, node: u32) -> &[Chooser] {
        let record = &self.nodes[node as usize];
        &self.choosers[record.first_chooser as usize..][..record.num_choosers as usize]
    }

    pub(super) fn moves_of(&self, block: u32) -> &[MoveRecord] {
        let block = &self.blocks[block as usize];
        &self.moves[block.first_move as usize..][..block.num_moves as usize]
    }

    pub(super) fn add_block(&mut self, moves: impl Iterator<Item = MoveId>) -> u32 {
        let first_move = self.moves.len() as u32;
        self.moves.extend(moves.map(|action| MoveRecord { action, ..MoveRecord::default() }));
        let num_moves = self.moves.len() as u32 - first_move;
        self.blocks.push(Block { first_move, num_moves, pulls: 0, looks: 0 });
        self.blocks.len() as u32 - 1
    }

    /// Returns the block of statistics for a seat with this knowledge. If there is none, adds it with these moves.
    pub(super) fn block_of_knowledge(
        &mut self,
        knowledge: u64,
        moves: impl Iterator<Item = MoveId>,
    ) -> u32 {
        if let Some(&block) = self.by_knowledge.get(&knowledge) {
            return block;
        }
        let block = self.add_block(moves);
        self.by_knowledge.insert(knowledge, block);
        block
    }

    /// Records that an arm of a node leads to another node.
    pub(super) fn link(&mut self, parent: u32, arm: u32, child: u32) {
        let child = &mut self.nodes[child as usize];
        self.links.push(Link { parent, arm, next: child.first_link });
        child.first_link = self.links.len() as u32 - 1;
    }

    /// Iterates over the arms that lead to a node, as pairs (node, arm).
    pub(super) fn links_to(&self, node: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mut at = self.nodes[node as usize].first_link;
        std::iter::from_fn(move || {
            let link = self.links.get(at as usize)?;
            at = link.next;
            Some((link.parent, link.arm))
        })
    }

    /// Returns the number of the arm with these choices, one for each chooser of a node. From one arm to the next, the
    /// choice of the last chooser changes first.
    pub(super) fn arm_of(&self, node: u32, choices: impl Iterator<Item = u32>) -> u32 {
        let choosers = self.choosers_of(node).iter();
        choosers.zip(choices).fold(0, |arm, (chooser, choice)| {
            arm * self.blocks[chooser.block as usize].num_moves + choice
        })
    }

    /// Iterates over the choices of an arm of a node, from the last chooser to the first.
    pub(super) fn choices_of(&self, node: u32, arm: u32) -> impl Iterator<Item = (Chooser, u32)> {
        let mut left = arm;
        self.choosers_of(node).iter().rev().map(move |&chooser| {
            let num_moves = self.blocks[chooser.block as usize].num_moves;
            let choice = left % num_moves;
            left /= num_moves;
            (chooser, choice)
        })
    }

    /// Drops the stages that `keep` rejects, and all states that `root` then no longer reaches. Returns the new number
    /// of `root`. Keeps all proven worths, but their proofs only at the root.
    pub(super) fn rebuild(
        &mut self,
        root: u32,
        is_listed: bool,
        keep: impl Fn(&NodeRecord) -> bool,
    ) -> u32 {
        let old = std::mem::take(self);
        self.clear(old.width, old.num_seats);
        let mut numbers = vec![NONE; old.nodes.len()];
        let mut queue = Vec::new();
        let mut number_of = |graph: &mut Graph, queue: &mut Vec<u32>, node: u32| {
            if numbers[node as usize] == NONE {
                numbers[node as usize] = graph.add(old.words(node), is_listed);
                queue.push(node);
                let record = &old.nodes[node as usize];
                let new = graph.nodes.len() - 1;
                graph.nodes[new].stamp = record.stamp;
                if record.kind == NodeKind::End {
                    graph.nodes[new].kind = NodeKind::End;
                }
                if let Some(value) = old.proven(node) {
                    let value = graph.add_value(value);
                    graph.nodes[new].value = value;
                }
            }
            numbers[node as usize]
        };
        let new_root = number_of(self, &mut queue, root);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            let record = &old.nodes[node as usize];
            let is_kept = node == root || record.value == NONE && keep(record);
            if record.kind != NodeKind::Solved || !is_kept {
                continue;
            }
            let new = number_of(self, &mut queue, node);
            let first_chooser = self.choosers.len() as u32;
            for &Chooser { seat, block } in old.choosers_of(node) {
                let first_move = self.moves.len() as u32;
                self.moves.extend_from_slice(old.moves_of(block));
                self.blocks.push(Block { first_move, ..old.blocks[block as usize] });
                self.choosers.push(Chooser { seat, block: self.blocks.len() as u32 - 1 });
            }
            let first_arm = self.arms.len() as u32;
            let first_successor = self.successors.len() as u32;
            for arm in 0..record.num_arms {
                let value = old.arm_value(node, arm).map_or(NONE, |value| self.add_value(value));
                self.arms.push(ArmRecord { value, ..*old.arm(node, arm) });
                for &successor in old.successors_of(node, arm) {
                    let child = number_of(self, &mut queue, successor);
                    self.successors.push(child);
                    self.link(new, arm, child);
                }
            }
            let place = &mut self.nodes[new as usize];
            *place = NodeRecord {
                next_same: place.next_same,
                value: place.value,
                first_link: place.first_link,
                first_chooser,
                first_arm,
                first_successor,
                ..record.clone()
            };
        }
        new_root
    }
}
