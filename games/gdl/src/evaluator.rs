//! The engine: one game in progress, evaluated differentially.
//!
//! A step evaluates only what changes, as in the propositional networks of general game players (Schkufza, Love &
//! Genesereth 2008, *Propositional automata and cell automata*; Cox et al. 2009, *Factoring general games using
//! propositional automata*).

use crate::circuit::{Circuit, Queued, link};
use crate::deduction::Deducer;
use crate::ids::{MoveId, PerceptId, RoleId};
use crate::rules::Rules;
use crate::state::{State, ones};
use crate::terms::NONE;

/// The reason why a role has no unique goal value at the end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoGoal {
    /// The rules derive no goal value.
    None,
    /// The rules derive several goal values; these are the two smallest.
    Two(u8, u8),
}

/// The goal of a role without a unique goal at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GoalRule {
    /// The game has no result: the file has a fault.
    #[default]
    Error,
    /// The highest of the derived goals counts. If no goal is derived, 0 counts.
    Highest,
    /// The lowest of the derived goals counts. If no goal is derived, 0 counts.
    Lowest,
}

/// A state of a game, with everything derived from it.
///
/// An evaluator is fast if successive states are similar, as they are within a game. It takes a few bytes for each
/// ground rule, so programs keep one evaluator for each thread or game, and store other positions as [`State`]s. After
/// [`Evaluator::new`], no method allocates memory, unless the rules are not grounded.
///
/// [`set_state`](Self::set_state) enters a state, in which the legal moves, the goals and the end of the game can be
/// queried. [`play`](Self::play) adds a joint move; then the percepts and the next state can be queried, too.
/// [`advance`](Self::advance) enters the next state.
#[derive(Debug, Clone)]
pub struct Evaluator {
    rules: Rules,
    live: Live,
    state: State,
    /// For each role, its last move as an index into the fans of the circuit; `NONE` before the first move.
    moves: Vec<u32>,
    scratch: Vec<u64>,
    /// The evaluation of rules that are not grounded.
    deducer: Option<Box<Deducer>>,
}

/// The part of an evaluator that changes during a game.
#[derive(Debug, Clone)]
struct Live {
    nodes: Vec<crate::circuit::Node>,
    bits: Vec<u64>,
    /// Whether each gate of each cycle is true.
    circles: Vec<Vec<bool>>,
    counts: Vec<i32>,
    stack: Vec<u32>,
    changed: Vec<bool>,
}

impl Live {
    fn new(circuit: &Circuit) -> Self {
        let longest = circuit.circles.iter().map(|circle| circle.gates.len()).max().unwrap_or(0);
        let mut live = Self {
            nodes: circuit.nodes.clone(),
            bits: circuit.bits.clone(),
            circles: circuit.circles.iter().map(|circle| vec![false; circle.gates.len()]).collect(),
            counts: Vec::with_capacity(longest),
            stack: Vec::with_capacity(longest),
            changed: Vec::with_capacity(longest),
        };
        // The initial counters take all gates to be false, so each true gate announces itself.
        for (index, node) in circuit.nodes.iter().enumerate() {
            if node.counter > 0 {
                live.announce(index as u32, true);
            }
        }
        for &place in &circuit.circle_places {
            live.bits[place as usize / 64] |= 1 << (place % 64);
        }
        live.settle(circuit, 0, circuit.words_b);
        live
    }

    /// Propagates the change of a gate to true (`up`) or false.
    #[inline]
    fn announce(&mut self, gate: u32, mut up: bool) {
        let mut link = self.nodes[gate as usize].link;
        loop {
            let index = link & link::INDEX;
            match link >> link::SHIFT {
                link::FLIP => {
                    self.bits[index as usize / 64] ^= 1 << (index % 64);
                    return;
                }
                link::CIRCLE => return,
                kind => {
                    up ^= kind == link::LOWERS;
                    let node = &mut self.nodes[index as usize];
                    link = node.link;
                    if up {
                        node.counter += 1;
                        if node.counter != 1 {
                            return;
                        }
                    } else {
                        node.counter -= 1;
                        if node.counter != 0 {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Propagates the change of a source to all gates that it feeds.
    #[inline]
    fn change(&mut self, circuit: &Circuit, source: u32, up: bool) {
        let fan = circuit.fans[source as usize];
        for &edge in &circuit.edges[fan.start as usize..fan.flips as usize] {
            let up = up ^ (edge % 2 == 1);
            let node = &mut self.nodes[edge as usize / 2];
            node.counter += if up { 1 } else { -1 };
            let changed = node.counter == i32::from(up);
            let index = node.link & link::INDEX;
            self.bits[index as usize / 64] ^= u64::from(changed) << (index % 64);
        }
        let positive = &circuit.edges[fan.flips as usize..fan.middle as usize];
        let negated = &circuit.edges[fan.middle as usize..fan.end as usize];
        let (raised, lowered) = if up { (positive, negated) } else { (negated, positive) };
        for &gate in raised {
            let node = &mut self.nodes[gate as usize];
            node.counter += 1;
            if node.counter == 1 {
                self.announce(gate, true);
            }
        }
        for &gate in lowered {
            let node = &mut self.nodes[gate as usize];
            node.counter -= 1;
            if node.counter == 0 {
                self.announce(gate, false);
            }
        }
        if !circuit.circles.is_empty() {
            self.change_circles(circuit, source, up);
        }
    }

    /// Changes the fluents to those of `words`, and evaluates phase A.
    #[inline]
    fn enter(&mut self, circuit: &Circuit, fluents: &mut [u64], words: &[u64]) {
        for (index, (fluents, &word)) in fluents.iter_mut().zip(words).enumerate() {
            let mut changed = *fluents ^ word;
            *fluents = word;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                self.change(circuit, index as u32 * 64 + bit, word >> bit & 1 == 1);
            }
        }
        self.settle(circuit, 0, circuit.words_a);
    }

    fn change_circles(&mut self, circuit: &Circuit, source: u32, up: bool) {
        let fan = circuit.circle_fans[source as usize];
        for &edge in &circuit.circle_edges[fan.start as usize..fan.end as usize] {
            let up = up ^ (edge % 2 == 1);
            let node = &mut self.nodes[edge as usize / 2];
            node.counter += if up { 1 } else { -1 };
            let place = circuit.circle_places[(node.link & link::INDEX) as usize];
            self.bits[place as usize / 64] |= 1 << (place % 64);
        }
    }

    /// Processes the words of the queue from `first_word` to before `end_word`.
    #[inline]
    fn settle(&mut self, circuit: &Circuit, first_word: usize, end_word: usize) {
        for word in first_word..end_word {
            while self.bits[word] != 0 {
                let place = word as u32 * 64 + self.bits[word].trailing_zeros();
                self.bits[word] &= self.bits[word] - 1;
                match circuit.queued[place as usize] {
                    Queued::Gate(gate) => {
                        let up = self.nodes[gate as usize].counter > 0;
                        self.change(circuit, circuit.first_queued + place, up);
                    }
                    Queued::Cycle(circle) => self.settle_circle(circuit, circle),
                }
            }
        }
    }

    /// Evaluates a cycle from scratch: with incremental updates, gates that support only each other could stay true.
    fn settle_circle(&mut self, circuit: &Circuit, index: u32) {
        let circle = &circuit.circles[index as usize];
        self.counts.clear();
        self.counts.extend(circle.gates.iter().map(|&gate| self.nodes[gate as usize].counter));
        self.stack.clear();
        self.stack.extend((0..self.counts.len() as u32).filter(|&at| self.counts[at as usize] > 0));
        while let Some(at) = self.stack.pop() {
            for &user in &circle.users[at as usize] {
                let count = &mut self.counts[user as usize];
                *count += 1;
                if *count == 1 {
                    self.stack.push(user);
                }
            }
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.clear();
        for (truth, &count) in self.circles[index as usize].iter_mut().zip(&self.counts) {
            changed.push(*truth != (count > 0));
            *truth = count > 0;
        }
        for (at, &changed) in changed.iter().enumerate() {
            if changed && circle.sources[at] != NONE {
                let up = self.circles[index as usize][at];
                self.change(circuit, circle.sources[at], up);
            }
        }
        self.changed = changed;
    }
}

impl Evaluator {
    /// Creates an evaluator in the initial state.
    pub fn new(rules: &Rules) -> Self {
        let circuit = rules.circuit();
        let mut evaluator = Self {
            live: Live::new(circuit),
            state: State::of_words(circuit.next.num_words as usize),
            scratch: vec![0; circuit.next.num_words as usize],
            moves: vec![NONE; rules.num_roles()],
            deducer: rules.deduction().map(|shared| Box::new(Deducer::new(shared))),
            rules: rules.clone(),
        };
        evaluator.set_state(rules.start());
        evaluator
    }

    /// Returns the rules of the game.
    #[inline]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Enters a state.
    ///
    /// # Panics
    ///
    /// Panics if the state has a different number of fluents than the rules.
    #[inline]
    pub fn set_state(&mut self, state: &State) {
        assert_eq!(
            state.words().len(),
            self.state.words().len(),
            "the state is one of other rules"
        );
        if let Some(deducer) = &mut self.deducer {
            let is_same = self.state == *state;
            self.state.copy_from_words(state.words());
            deducer.enter(&self.state, is_same, &mut self.live.bits);
            return;
        }
        self.live.enter(self.rules.circuit(), self.state.words_mut(), state.words());
    }

    /// Copies the current state to `state`.
    #[inline]
    pub fn copy_state(&self, state: &mut State) {
        state.words_mut().copy_from_slice(self.state.words());
    }

    /// Returns the current state.
    #[inline]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns whether the current state, or the joint move before it, takes too long to evaluate, because the rules
    /// are not grounded. Legal moves may then be missing.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.deducer.as_ref().is_some_and(|deducer| deducer.is_exhausted)
    }

    /// Returns whether the game is over.
    #[inline]
    pub fn is_terminal(&self) -> bool {
        self.live.bits[self.rules.circuit().terminal.word as usize] & 1 == 1
    }

    #[inline]
    fn legal_words(&self, role: RoleId) -> &[u64] {
        &self.live.bits[self.rules.circuit().legal[role.0 as usize].range()]
    }

    /// Returns the number of legal moves of a role.
    #[inline]
    pub fn num_legal(&self, role: RoleId) -> usize {
        self.legal_words(role).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the legal moves of a role, in the order of their canonical texts.
    #[inline]
    pub fn legal(&self, role: RoleId) -> impl Iterator<Item = MoveId> + '_ {
        ones(self.legal_words(role)).map(MoveId)
    }

    /// Returns the `n`th legal move of a role, counted from 0; `None` if the role has at most `n` legal moves.
    #[inline]
    pub fn nth_legal(&self, role: RoleId, mut n: usize) -> Option<MoveId> {
        for (index, &word) in self.legal_words(role).iter().enumerate() {
            let count = word.count_ones() as usize;
            if n < count {
                let mut left = word;
                for _ in 0..n {
                    left &= left - 1;
                }
                return Some(MoveId(index as u32 * 64 + left.trailing_zeros()));
            }
            n -= count;
        }
        None
    }

    /// Returns whether a move is legal.
    #[inline]
    pub fn is_legal(&self, role: RoleId, action: MoveId) -> bool {
        let word = self.legal_words(role).get(action.0 as usize / 64);
        word.is_some_and(|word| word >> (action.0 % 64) & 1 == 1)
    }

    /// Returns the goal value of a role, 0 to 100.
    ///
    /// # Errors
    ///
    /// Returns an error if the rules derive no goal or several goals. A unique goal is required only at the end.
    #[inline]
    pub fn goal(&self, role: RoleId) -> Result<u8, NoGoal> {
        let mut values = ones(&self.live.bits[self.rules.circuit().goal[role.0 as usize].range()]);
        match (values.next(), values.next()) {
            (None, _) => Err(NoGoal::None),
            (Some(value), None) => Ok(value as u8),
            (Some(first), Some(second)) => Err(NoGoal::Two(first as u8, second as u8)),
        }
    }

    /// Returns the goal value of a role, 0 to 100. If the role does not have a unique goal, `rule` determines the
    /// value.
    ///
    /// # Errors
    ///
    /// Returns an error only if the rule is [`GoalRule::Error`].
    #[inline]
    pub fn goal_by(&self, role: RoleId, rule: GoalRule) -> Result<u8, NoGoal> {
        if rule == GoalRule::Error {
            return self.goal(role);
        }
        let values = ones(&self.live.bits[self.rules.circuit().goal[role.0 as usize].range()]);
        let value = if rule == GoalRule::Highest { values.max() } else { values.min() };
        Ok(value.unwrap_or(0) as u8)
    }

    /// Adds a joint move: one move of each role, in the order of the roles. Does not check that the moves are legal.
    ///
    /// # Panics
    ///
    /// Panics if the number of moves is not the number of roles, or if a move does not exist.
    #[inline]
    pub fn play(&mut self, joint: &[MoveId]) {
        let circuit = self.rules.circuit();
        assert_eq!(joint.len(), self.moves.len(), "one move for each role");
        for (role, (&action, last)) in joint.iter().zip(&mut self.moves).enumerate() {
            let num_moves = self.rules.num_moves(RoleId(role as u8));
            assert!((action.0 as usize) < num_moves, "no such move");
            if self.deducer.is_some() {
                continue;
            }
            let source = circuit.first_moves[role] + action.0;
            if *last == source {
                continue;
            }
            // The new move is added before the old move is removed, so that gates supported by both do not change in
            // between.
            self.live.change(circuit, source, true);
            if *last != NONE {
                self.live.change(circuit, *last, false);
            }
            *last = source;
        }
        if let Some(deducer) = &mut self.deducer {
            deducer.play(joint, &mut self.live.bits);
            return;
        }
        self.live.settle(circuit, circuit.words_a, circuit.words_b);
    }

    /// Returns the percepts of a role after the last joint move, in the order of their canonical texts. With complete
    /// information there are none, because all roles see the joint move itself ([`crate::Information`]).
    #[inline]
    pub fn percepts(&self, role: RoleId) -> impl Iterator<Item = PerceptId> + '_ {
        let area = self.rules.circuit().sees[role.0 as usize];
        ones(&self.live.bits[area.range()]).map(PerceptId)
    }

    /// Copies the state after the last joint move to `state`.
    #[inline]
    pub fn copy_next(&self, state: &mut State) {
        let next = self.rules.circuit().next;
        state.words_mut().copy_from_slice(&self.live.bits[next.range()]);
    }

    /// Enters the state after the last joint move.
    #[inline]
    pub fn advance(&mut self) {
        let circuit = self.rules.circuit();
        // Changing fluents changes the bits of `next`, so they are copied first.
        self.scratch.copy_from_slice(&self.live.bits[circuit.next.range()]);
        if let Some(deducer) = &mut self.deducer {
            let is_same = self.state.words() == &*self.scratch;
            self.state.copy_from_words(&self.scratch);
            let was_exhausted = deducer.is_exhausted;
            deducer.enter(&self.state, is_same, &mut self.live.bits);
            deducer.is_exhausted |= was_exhausted;
            return;
        }
        self.live.enter(circuit, self.state.words_mut(), &self.scratch);
    }
}
