//! Gates laid out for differential evaluation.
//!
//! A gate is a counter, and is true while the counter is positive. A disjunction counts its true inputs. A conjunction
//! counts its true inputs, minus the number of all its inputs, plus one. When an input changes, one addition updates
//! the counter. A gate that feeds only one other gate propagates its changes at once. A gate with several users waits
//! in a queue until all earlier changes are done, so it changes at most once. The outputs of the circuit (legal moves,
//! `next` and so on) are bits that are flipped in place.

use crate::gates::{Gates, Op, Signal, Worth};
use crate::graph::Graph;
use crate::network::{AtomKind, GroundProgram, Names};
use crate::terms::NONE;

/// The effect of a gate's change, in the two highest bits of a number; the other bits are an index.
pub(crate) mod link {
    pub(crate) const SHIFT: u32 = 30;
    pub(crate) const INDEX: u32 = (1 << SHIFT) - 1;
    /// Flips a bit of the queue or of the outputs.
    pub(crate) const FLIP: u32 = 0;
    /// The gate is a positive input of the gate with this index, and has no other user.
    pub(crate) const RAISES: u32 = 1;
    /// The gate is a negated input of the gate with this index, and has no other user.
    pub(crate) const LOWERS: u32 = 2;
    /// The gate belongs to the cycle with this index, which is evaluated as a whole.
    pub(crate) const CIRCLE: u32 = 3;
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// The value of the counter while all inputs are false.
    pub(crate) counter: i32,
    pub(crate) link: u32,
}

/// The gates that a source feeds. `edges[start..flips]` contains the gates that flip a bit: each entry is twice the
/// number of the gate, plus one if the source is a negated input. The other gates are in `edges[flips..middle]` if the
/// source is a positive input, and in `edges[middle..end]` if it is negated. Flipping needs no branch, so gates that
/// flip a bit are listed separately: a processor can hardly predict whether they change.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fan {
    pub(crate) start: u32,
    pub(crate) flips: u32,
    pub(crate) middle: u32,
    pub(crate) end: u32,
}

/// A set of output bits, which starts at a word boundary.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Area {
    pub(crate) word: u32,
    pub(crate) num_words: u32,
}

impl Area {
    #[inline]
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.word as usize..(self.word + self.num_words) as usize
    }
}

/// A set of gates that depend on each other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cycle {
    pub(crate) gates: Vec<u32>,
    /// The source of each gate, or `NONE` if only the cycle uses the gate.
    pub(crate) sources: Vec<u32>,
    /// For each gate, the indices in `gates` of its users within the cycle.
    pub(crate) users: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Circuit {
    pub(crate) nodes: Vec<Node>,
    /// The fans of all sources: first the fluents, then the moves, then the gates in the order of the queue, and last
    /// the gates of cycles.
    pub(crate) fans: Vec<Fan>,
    pub(crate) edges: Vec<u32>,
    /// For each source of `fans`, the gates in cycles that it feeds, as `circle_edges[start..end]`; empty without
    /// cycles.
    pub(crate) circle_fans: Vec<Fan>,
    pub(crate) circle_edges: Vec<u32>,
    pub(crate) num_fluents: u32,
    /// The index of each role's first move among the sources.
    pub(crate) first_moves: Vec<u32>,
    pub(crate) first_queued: u32,
    /// The gate or the cycle at each place of the queue.
    pub(crate) queued: Vec<Queued>,
    /// The number of words of phase A in the queue; `words_b` counts the words of both phases.
    pub(crate) words_a: usize,
    pub(crate) words_b: usize,
    /// The output bits of the legal moves of each role; `sees` contains the output bits of the percepts.
    pub(crate) legal: Vec<Area>,
    pub(crate) sees: Vec<Area>,
    /// The output bits for the goals of each role. Bit `v` stands for the goal value `v`.
    pub(crate) goal: Vec<Area>,
    pub(crate) next: Area,
    pub(crate) terminal: Area,
    /// The initial bits of the queue and the outputs.
    pub(crate) bits: Vec<u64>,
    pub(crate) circles: Vec<Cycle>,
    /// The place of each cycle in the queue.
    pub(crate) circle_places: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Queued {
    Gate(u32),
    Cycle(u32),
}

/// A use of a wire: as an input of a gate, or as an output.
#[derive(Debug, Clone, Copy)]
enum Use {
    Gate(u32, bool),
    Output(u32),
}

impl Circuit {
    pub(crate) fn new(ground: &GroundProgram, names: &Names) -> Self {
        let mut gates = Gates::new(ground);
        let mut circuit = Self {
            num_fluents: names.fluents.len() as u32,
            first_queued: gates.num_given,
            ..Self::default()
        };
        let mut first = circuit.num_fluents;
        for moves in &names.moves {
            circuit.first_moves.push(first);
            first += moves.len() as u32;
        }
        let outputs = circuit.areas(names, &gates);
        let leaves = leaves(&mut gates, &outputs);
        circuit.lay_out(&gates, &leaves);
        circuit
    }

    /// Assigns a bit to each output, and sets the bits of outputs that are always true. Returns the bit and the signal
    /// of each other output. Bits are counted from the first word after the queue.
    fn areas(&mut self, names: &Names, gates: &Gates) -> Vec<(u32, Signal)> {
        let mut words = 0;
        let mut area = |num_bits: usize| {
            let area = Area { word: words, num_words: num_bits.div_ceil(64) as u32 };
            words += area.num_words;
            area
        };
        self.legal = names.moves.iter().map(|moves| area(moves.len())).collect();
        self.terminal = area(1);
        self.next = area(names.fluents.len());
        self.goal = names.moves.iter().map(|_| area(101)).collect();
        self.sees = names.percepts.iter().map(|percepts| area(percepts.len())).collect();
        self.bits = vec![0; words as usize];
        let mut outputs = Vec::new();
        for &(kind, worth) in &gates.outputs {
            let (area, bit) = match kind {
                AtomKind::Legal { role, action } => (self.legal[role as usize], action),
                AtomKind::Next(fluent) => (self.next, fluent),
                AtomKind::Goal { role, value } => (self.goal[role as usize], u32::from(value)),
                AtomKind::Terminal => (self.terminal, 0),
                AtomKind::Sees { role, percept } => (self.sees[role as usize], percept),
                AtomKind::True(_) | AtomKind::Does { .. } | AtomKind::Helper => continue,
            };
            let position = area.word * 64 + bit;
            match worth {
                Worth::Always => self.bits[position as usize / 64] |= 1 << (position % 64),
                Worth::Signal(signal) => outputs.push((position, signal)),
            }
        }
        outputs
    }

    fn lay_out(&mut self, gates: &Gates, leaves: &[(u32, u32)]) {
        let num_given = gates.num_given;
        let num_gates = gates.gates.len();
        let mut uses: Vec<Vec<Use>> = vec![Vec::new(); num_given as usize + num_gates];
        for (index, gate) in gates.gates.iter().enumerate() {
            for &input in &gate.inputs {
                uses[input as usize / 2].push(Use::Gate(index as u32, input % 2 == 1));
            }
        }
        for &(gate, position) in leaves {
            uses[(num_given + gate) as usize].push(Use::Output(position));
        }
        let late = late(gates, self.num_fluents);
        self.circles = vec![Cycle::default(); gates.num_circles as usize];
        for (index, gate) in gates.gates.iter().enumerate() {
            if gate.circle != NONE {
                self.circles[gate.circle as usize].gates.push(index as u32);
            }
        }
        self.circle_places = vec![NONE; self.circles.len()];

        // The links of the gates, and the order of the queue.
        let mut links = vec![link::CIRCLE << link::SHIFT; num_gates];
        for phase in [false, true] {
            for index in 0..num_gates as u32 {
                let circle = gates.gates[index as usize].circle;
                if late[index as usize] != phase {
                    continue;
                }
                let place = self.queued.len() as u32;
                if circle != NONE {
                    links[index as usize] |= circle;
                    // A cycle takes the place of its last gate in the queue.
                    if self.circles[circle as usize].gates.last() == Some(&index) {
                        self.circle_places[circle as usize] = place;
                        self.queued.push(Queued::Cycle(circle));
                    }
                    continue;
                }
                let inside = |gate: u32| gates.gates[gate as usize].circle != NONE;
                links[index as usize] = match uses[(num_given + index) as usize][..] {
                    // Bit 29 marks a position among the outputs. The outputs come after the queue, whose length is
                    // added once it is known.
                    [Use::Output(position)] => position | 1 << 29,
                    [Use::Gate(user, negated)] if !inside(user) => {
                        user | (if negated { link::LOWERS } else { link::RAISES }) << link::SHIFT
                    }
                    _ => {
                        self.queued.push(Queued::Gate(index));
                        place
                    }
                };
            }
            // A phase starts at a word boundary.
            let words = self.queued.len().div_ceil(64);
            if !phase {
                self.words_a = words;
                self.queued.resize(words * 64, Queued::Gate(NONE));
            }
            self.words_b = words;
        }
        for link in &mut links {
            if *link >> link::SHIFT == link::FLIP && *link >> 29 & 1 == 1 {
                *link = (*link ^ 1 << 29) + self.words_b as u32 * 64;
            }
        }
        let queue = vec![0; self.words_b];
        self.bits.splice(0..0, queue);
        let areas = self.legal.iter_mut().chain(&mut self.sees).chain(&mut self.goal);
        for area in areas.chain([&mut self.next, &mut self.terminal]) {
            area.word += self.words_b as u32;
        }

        self.nodes = gates
            .gates
            .iter()
            .zip(links)
            .map(|(gate, link)| Node { counter: at_rest(gate), link })
            .collect();

        for wire in 0..num_given {
            self.fan(gates, &uses[wire as usize], NONE);
        }
        for place in 0..self.queued.len() {
            match self.queued[place] {
                Queued::Gate(gate) if gate != NONE => {
                    self.fan(gates, &uses[(num_given + gate) as usize], NONE);
                }
                _ => self.fan(gates, &[], NONE),
            }
        }
        for circle in 0..self.circles.len() {
            let members = self.circles[circle].gates.clone();
            let place_of: std::collections::HashMap<u32, u32> =
                members.iter().enumerate().map(|(place, &gate)| (gate, place as u32)).collect();
            for &gate in &members {
                let uses = &uses[(num_given + gate) as usize];
                let inside = uses.iter().filter_map(|user| match user {
                    Use::Gate(user, _) => place_of.get(user).copied(),
                    Use::Output(_) => None,
                });
                let inside: Vec<u32> = inside.collect();
                let source = if inside.len() < uses.len() { self.fans.len() as u32 } else { NONE };
                if source != NONE {
                    self.fan(gates, uses, circle as u32);
                }
                self.circles[circle].sources.push(source);
                self.circles[circle].users.push(inside);
            }
        }
        if self.circles.is_empty() {
            self.circle_fans.clear();
        }
    }

    /// Adds the fan of a source that has these uses; leaves out the gates of the cycle `own`.
    fn fan(&mut self, gates: &Gates, uses: &[Use], own: u32) {
        // Gates with many inputs seldom change, so a processor predicts them well.
        const MAX_INPUTS: usize = 3;
        let nodes = &self.nodes;
        let edges = |wanted: fn(u32, bool) -> bool| {
            uses.iter().filter_map(move |user| {
                let Use::Gate(gate, negated) = *user else { return None };
                let inside = own != NONE && gates.gates[gate as usize].circle == own;
                let few = gates.gates[gate as usize].inputs.len() <= MAX_INPUTS;
                let taken = wanted(nodes[gate as usize].link >> link::SHIFT, few) && !inside;
                taken.then_some(gate * 2 + u32::from(negated))
            })
        };
        let flips: Vec<u32> = edges(|kind, few| few && kind == link::FLIP).collect();
        let circles: Vec<u32> = edges(|kind, _| kind == link::CIRCLE).collect();
        let others = edges(|kind, few| kind != link::CIRCLE && !(few && kind == link::FLIP));
        let others: Vec<u32> = others.collect();
        let mut fan = Fan { start: self.edges.len() as u32, ..Fan::default() };
        self.edges.extend(flips);
        fan.flips = self.edges.len() as u32;
        self.edges.extend(others.iter().filter(|&edge| edge % 2 == 0).map(|edge| edge / 2));
        fan.middle = self.edges.len() as u32;
        self.edges.extend(others.iter().filter(|&edge| edge % 2 == 1).map(|edge| edge / 2));
        fan.end = self.edges.len() as u32;
        self.fans.push(fan);
        let mut fan = Fan { start: self.circle_edges.len() as u32, ..Fan::default() };
        self.circle_edges.extend(circles);
        fan.end = self.circle_edges.len() as u32;
        self.circle_fans.push(fan);
    }
}

/// Returns a gate's counter while all its inputs are false.
fn at_rest(gate: &crate::gates::Gate) -> i32 {
    let negated = gate.inputs.iter().filter(|&input| input % 2 == 1).count() as i32;
    match gate.op {
        Op::Or => negated,
        Op::And => negated - (gate.inputs.len() as i32 - 1),
    }
}

/// Makes sure that each output comes from a gate without other users. Returns each such gate with its output bit.
fn leaves(gates: &mut Gates, outputs: &[(u32, Signal)]) -> Vec<(u32, u32)> {
    let num_given = gates.num_given;
    let mut num_uses = vec![0_u32; num_given as usize + gates.gates.len()];
    let inputs = gates.gates.iter().flat_map(|gate| &gate.inputs);
    inputs.for_each(|&input| num_uses[input as usize / 2] += 1);
    outputs.iter().for_each(|&(_, signal)| num_uses[signal as usize / 2] += 1);
    let mut leaves = Vec::with_capacity(outputs.len());
    for &(position, signal) in outputs {
        let alone = num_uses[signal as usize / 2] == 1;
        let own = (signal / 2)
            .checked_sub(num_given)
            .filter(|&gate| alone && gates.gates[gate as usize].circle == NONE);
        let gate = match own {
            Some(gate) if signal % 2 == 0 => gate,
            Some(gate) => {
                // De Morgan: the negation of a conjunction is the disjunction of the negations.
                let inside = &mut gates.gates[gate as usize];
                inside.op = if inside.op == Op::And { Op::Or } else { Op::And };
                inside.inputs.iter_mut().for_each(|input| *input ^= 1);
                gate
            }
            None => {
                let gate = crate::gates::Gate { op: Op::Or, inputs: vec![signal], circle: NONE };
                gates.gates.push(gate);
                gates.gates.len() as u32 - 1
            }
        };
        leaves.push((gate, position));
    }
    leaves
}

/// Returns whether each gate depends on a move.
fn late(gates: &Gates, num_fluents: u32) -> Vec<bool> {
    let uses = (gates.num_given..)
        .zip(&gates.gates)
        .flat_map(|(wire, gate)| gate.inputs.iter().map(move |&input| (input / 2, wire)));
    let num_given = gates.num_given as usize;
    let graph = Graph::new(num_given + gates.gates.len(), uses);
    graph.reached(num_fluents..gates.num_given).split_off(num_given)
}
