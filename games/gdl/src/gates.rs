//! Translation of ground rules to gates: conjunctions and disjunctions with shared parts.

use std::collections::HashMap;
use std::ops::Range;

use crate::network::{AtomId, AtomKind, GroundProgram};
use crate::terms::NONE;

/// A wire or its negation: twice the number of the wire, plus one if negated. Wires are the given atoms, followed by
/// the gates.
pub(crate) type Signal = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    And,
    Or,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gate {
    pub(crate) op: Op,
    /// The inputs, sorted and distinct.
    pub(crate) inputs: Vec<Signal>,
    /// The cycle of mutually dependent gates that contains the gate, or `NONE`.
    pub(crate) circle: u32,
}

/// The truth value of a keyword atom: always true, or the value of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Worth {
    Always,
    Signal(Signal),
}

/// All gates, each after the gates it depends on, except in cycles.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gates {
    pub(crate) num_given: u32,
    pub(crate) gates: Vec<Gate>,
    pub(crate) outputs: Vec<(AtomKind, Worth)>,
    pub(crate) num_circles: u32,
    known: HashMap<(Op, Vec<Signal>), u32>,
    /// The number of literals that factoring may still examine, which bounds its time.
    patience: u64,
}

impl Gates {
    pub(crate) fn new(ground: &GroundProgram) -> Self {
        const PATIENCE: u64 = 100_000_000;
        let num_given = ground.moves().end;
        let mut gates = Self { num_given, patience: PATIENCE, ..Self::default() };
        let mut signals: Vec<Signal> = (0..num_given).map(|atom| atom * 2).collect();
        signals.resize(ground.num_atoms(), NONE);
        for component in ground.components() {
            let first = AtomId(component.start);
            let circular = component.len() > 1
                || ground.rules_of(first).any(|rule| rule.positive.contains(&first));
            if circular {
                gates.circle(ground, component.clone(), &mut signals);
            } else {
                let products = products(ground, first, &signals);
                // An atom with an empty body is always true, so it does not occur in the bodies of a cleaned program.
                if !products.iter().any(Vec::is_empty) {
                    signals[component.start as usize] = gates.sum(products, 0);
                }
            }
            for atom in component {
                let signal = signals[atom as usize];
                let worth = if signal == NONE { Worth::Always } else { Worth::Signal(signal) };
                match ground.kind(AtomId(atom)) {
                    AtomKind::Helper => {}
                    kind => gates.outputs.push((kind, worth)),
                }
            }
        }
        gates
    }

    fn push(&mut self, op: Op, inputs: Vec<Signal>, circle: u32) -> Signal {
        let wire = self.num_given + self.gates.len() as u32;
        self.gates.push(Gate { op, inputs, circle });
        wire * 2
    }

    /// Returns the signal of the gate with these inputs, creating the gate if needed. A single input is returned
    /// itself.
    fn gate(&mut self, op: Op, mut inputs: Vec<Signal>) -> Signal {
        inputs.sort_unstable();
        inputs.dedup();
        if let [input] = inputs[..] {
            return input;
        }
        let key = (op, inputs);
        if let Some(&wire) = self.known.get(&key) {
            return wire * 2;
        }
        let signal = self.push(op, key.1.clone(), NONE);
        self.known.insert(key, signal / 2);
        signal
    }

    /// Returns the signal of a disjunction of conjunctions. Factors out common literals, the most frequent first, so
    /// that a change of such a literal is one change instead of many.
    fn sum(&mut self, mut products: Vec<Vec<Signal>>, depth: usize) -> Signal {
        // Bounds the depth of the call stack; hand-written files stay far below.
        const DEPTH: usize = 100;
        for product in &mut products {
            product.sort_unstable();
            product.dedup();
        }
        let mut done = Vec::new();
        loop {
            products.sort_unstable();
            products.dedup();
            let num_literals: u64 = products.iter().map(|product| product.len() as u64).sum();
            let frequent = self.most_frequent(&products, num_literals);
            let Some(frequent) = frequent.filter(|_| depth < DEPTH) else { break };
            let (with, without): (Vec<_>, Vec<_>) =
                products.into_iter().partition(|product| product.binary_search(&frequent).is_ok());
            products = without;
            // All literals that these products have in common, including the frequent literal.
            let mut common = with[0].clone();
            for product in &with {
                common.retain(|signal| product.binary_search(signal).is_ok());
            }
            let rest = with.into_iter().map(|mut product| {
                product.retain(|signal| common.binary_search(signal).is_err());
                product
            });
            let rest: Vec<Vec<Signal>> = rest.collect();
            // If one product consists of the common part alone, it absorbs the others.
            if !rest.iter().any(Vec::is_empty) {
                common.push(self.sum(rest, depth + 1));
            }
            done.push(self.gate(Op::And, common));
        }
        done.extend(products.into_iter().map(|product| self.gate(Op::And, product)));
        self.gate(Op::Or, done)
    }

    /// Returns the first of the literals that occur in the most products. Returns `None` if no literal occurs in two
    /// products, or if `patience` is used up.
    fn most_frequent(&mut self, products: &[Vec<Signal>], num_literals: u64) -> Option<Signal> {
        if products.len() < 2 || self.patience < num_literals {
            return None;
        }
        self.patience -= num_literals;
        let mut all: Vec<Signal> = products.iter().flatten().copied().collect();
        all.sort_unstable();
        // In case of a tie, this is the first literal.
        let most = all.chunk_by(|a, b| a == b).rev().max_by_key(|run| run.len());
        most.filter(|run| run.len() > 1).map(|run| run[0])
    }

    /// Creates the gates of mutually dependent atoms: a disjunction for each atom, and a conjunction for each rule
    /// whose body has an atom of the cycle.
    fn circle(&mut self, ground: &GroundProgram, component: Range<u32>, signals: &mut [Signal]) {
        let circle = self.num_circles;
        self.num_circles += 1;
        let atoms = || component.clone();
        let is_inside = |atom: &AtomId| component.contains(&atom.0);
        // Inputs from outside come first, because their gates come before the cycle.
        let mut inputs: Vec<Vec<Signal>> = Vec::new();
        for atom in atoms() {
            let mut outside = Vec::new();
            for rule in ground.rules_of(AtomId(atom)) {
                if !rule.positive.iter().any(is_inside) {
                    let literals = literals(rule.positive, rule.negated, signals);
                    outside.push(self.gate(Op::And, literals));
                }
            }
            inputs.push(outside);
        }
        let first = self.gates.len();
        for atom in atoms() {
            signals[atom as usize] = self.push(Op::Or, Vec::new(), circle);
        }
        for (index, atom) in atoms().enumerate() {
            for rule in ground.rules_of(AtomId(atom)) {
                if rule.positive.iter().any(is_inside) {
                    let mut literals = literals(rule.positive, rule.negated, signals);
                    literals.sort_unstable();
                    let input = match literals[..] {
                        [single] => single,
                        _ => self.push(Op::And, literals, circle),
                    };
                    inputs[index].push(input);
                }
            }
        }
        for (index, mut inputs) in inputs.into_iter().enumerate() {
            inputs.sort_unstable();
            inputs.dedup();
            self.gates[first + index].inputs = inputs;
        }
    }
}

fn literals(positive: &[AtomId], negated: &[AtomId], signals: &[Signal]) -> Vec<Signal> {
    let positive = positive.iter().map(|atom| signals[atom.0 as usize]);
    let negated = negated.iter().map(|atom| signals[atom.0 as usize] ^ 1);
    positive.chain(negated).collect()
}

fn products(ground: &GroundProgram, atom: AtomId, signals: &[Signal]) -> Vec<Vec<Signal>> {
    ground.rules_of(atom).map(|rule| literals(rule.positive, rule.negated, signals)).collect()
}
