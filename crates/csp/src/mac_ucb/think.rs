//! The search of the player: solves stages and samples random games.

use rand::{Rng, RngExt};
use ruse_base::hashing::mix;
use ruse_base::stop::StopRequest;
use ruse_games::rule_file::{Beliefs, RuleFile};
use ruse_gdl::{AtCap, Evaluator, History, Information, MoveId, RoleId, State};
use ruse_search::{Effort, MacUcbSettings};

use super::choice::{ArmChooser, Purpose};
use super::graph::{ArmRecord, Chooser, Graph, NONE, NodeKind, NodeRecord};
use super::proof::ProofRules;
use super::stage::{SolveStage, Stage};

/// The largest number of joint moves of a stage that is solved. In larger stages, seats choose by playouts.
pub(super) const MAX_JOINT_MOVES: u64 = 100_000;

/// A node on the current path.
#[derive(Debug, Clone, Copy)]
struct Passed {
    node: u32,
    arm: u32,
    /// The index in `choices` of the first choice made at the node.
    first_choice: u32,
}

/// The engine steps of one turn.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    pub(super) solving: f64,
    pub(super) sampling: f64,
}

impl Spent {
    /// Returns `true` if solving has not used more than `share` of all steps.
    pub(super) fn leaves_solving(self, share: f64) -> bool {
        self.solving * (1.0 - share) <= share * self.sampling
    }
}

/// The state of a player's search in one game.
pub(super) struct Thinker {
    game: RuleFile,
    /// The settings as given.
    given: MacUcbSettings,
    /// The settings in use. Unlike `given`, they never prove sampled states under incomplete information.
    pub(super) settings: MacUcbSettings,
    evaluator: Evaluator,
    solver: Box<dyn SolveStage>,
    stage: Stage,
    state: State,
    /// A buffer for the words of a state and, under incomplete information, a hash of each seat's knowledge.
    words: Vec<u64>,
    joint: Vec<MoveId>,
    pub(super) roles: Vec<RoleId>,
    pub(super) graph: Graph,
    pub(super) judge: ProofRules,
    path: Vec<Passed>,
    choices: Vec<u32>,
    reward: Vec<f64>,
    /// The number of the current path, with which its nodes are stamped.
    now: u32,
    /// The index in `roles` of the role that thinks. The next field is the number of joint moves before its turn.
    pub(super) own: u8,
    num_steps: u32,
    pub(super) beliefs: Beliefs,
    pub(super) effort: Effort,
    pub(super) peak_bytes: u64,
}

impl Thinker {
    pub(super) fn new(
        game: &RuleFile,
        settings: MacUcbSettings,
        solver: Box<dyn SolveStage>,
    ) -> Thinker {
        let rules = game.language_rules();
        let most = |&role: &RoleId| f64::from(rules.most_goal(role)) / 100.0;
        let most = game.roles().iter().map(most).collect();
        let judge = ProofRules { most, is_cooperative: game.plays_alone(), theta: 0.0 };
        Thinker {
            evaluator: Evaluator::new(rules),
            solver,
            stage: Stage::default(),
            state: rules.start().clone(),
            words: Vec::new(),
            joint: vec![MoveId::default(); rules.num_roles()],
            roles: game.roles().to_vec(),
            graph: Graph::default(),
            judge,
            path: Vec::new(),
            choices: Vec::new(),
            reward: vec![0.0; game.roles().len()],
            now: 0,
            own: 0,
            num_steps: 0,
            beliefs: Beliefs::default(),
            effort: Effort::default(),
            peak_bytes: 0,
            settings: MacUcbSettings {
                proves: settings.proves && rules.information() == Information::Complete,
                ..settings
            },
            given: settings,
            game: game.clone(),
        }
    }

    /// Returns `true` if this working state belongs to this game and these settings.
    pub(super) fn is_for(&self, game: &RuleFile, settings: &MacUcbSettings) -> bool {
        self.game.is_same(game) && self.given == *settings
    }

    fn sees_all(&self) -> bool {
        self.game.language_rules().information() == Information::Complete
    }

    fn chooses(&self) -> ArmChooser<'_> {
        ArmChooser { settings: &self.settings, theta: self.judge.theta }
    }

    /// Drops all states.
    pub(super) fn forget(&mut self) {
        let num_seats = self.roles.len();
        let knowledge = if self.sees_all() { 0 } else { num_seats };
        self.graph.clear(self.state.words().len() + knowledge, num_seats);
    }

    /// Prepares for a turn of `role` after `num_steps` joint moves. Drops the states unless the settings and rules
    /// allow their reuse.
    pub(super) fn turn(&mut self, role: RoleId, num_steps: u32) {
        let own = self.roles.iter().position(|&other| other == role);
        let own = own.expect("a role that is asked is played") as u8;
        if self.settings.is_fresh || !self.sees_all() || self.settings.is_joint && self.own != own {
            self.forget();
        }
        (self.own, self.num_steps) = (own, num_steps);
        self.judge.theta = 0.0;
    }

    /// Returns the node of a state that may be the current state of the game. Under incomplete information, the seats
    /// know nothing at this node.
    pub(super) fn root(&mut self, state: &State) -> u32 {
        self.words.clear();
        self.words.extend_from_slice(state.words());
        if !self.sees_all() {
            self.words.resize(self.words.len() + self.roles.len(), 0);
        }
        self.graph.find(&self.words).unwrap_or_else(|| self.graph.add(&self.words, true))
    }

    /// Returns `true` if the node is solved and proven, so that more search cannot improve the choice.
    pub(super) fn is_settled(&self, root: u32) -> bool {
        let record = &self.graph.nodes[root as usize];
        self.settings.proves && record.kind == NodeKind::Solved && record.value != NONE
    }

    pub(super) fn kind(&self, node: u32) -> NodeKind {
        self.graph.nodes[node as usize].kind
    }

    /// Solves one more stage below a node. Returns the number of steps taken, which is at least 1.
    pub(super) fn solve_one<R: Rng>(&mut self, root: u32, rng: &mut R) -> u64 {
        self.begin_way();
        let mut node = root;
        let steps = loop {
            self.graph.nodes[node as usize].stamp = self.now;
            match self.kind(node) {
                NodeKind::Open => break self.solve(node),
                NodeKind::End | NodeKind::Wide => break 1,
                NodeKind::Solved => {}
            }
            let first_choice = self.choices.len() as u32;
            let chooses = ArmChooser { settings: &self.settings, theta: self.judge.theta };
            let arm = chooses.arm(&self.graph, node, Purpose::Solve, &mut self.choices, rng);
            let Some(arm) = arm else { break 1 };
            self.path.push(Passed { node, arm, first_choice });
            node = self.successor(node, arm, rng);
            if self.depth_is_cap() {
                break 1;
            }
        };
        for passed in &self.path {
            let record = &self.graph.nodes[passed.node as usize];
            let (first, num) = (record.first_chooser as usize, record.num_choosers as usize);
            for (place, chooser) in self.graph.choosers[first..first + num].iter().enumerate() {
                let block = &mut self.graph.blocks[chooser.block as usize];
                block.looks += 1;
                let choice = self.choices[passed.first_choice as usize + place];
                self.graph.moves[(block.first_move + choice) as usize].looks += 1;
            }
        }
        steps
    }

    /// Solves all stages reachable from a node. Returns `false` if there are `most` states or more, if a state
    /// has too many joint moves, or if a stop is signalled.
    pub(super) fn solve_all(&mut self, root: u32, most: usize, request: &StopRequest) -> bool {
        /// The number of stages between two polls of the stop signal.
        const STAGES_PER_POLL: usize = 64;
        let mut next = 0;
        if self.kind(root) == NodeKind::Open {
            self.effort.steps += self.solve(root);
        }
        while next < self.graph.nodes.len() {
            let is_asked = next % STAGES_PER_POLL == 0 && request.is_set();
            if is_asked || self.graph.nodes.len() >= most {
                return false;
            }
            if self.kind(next as u32) == NodeKind::Open {
                self.effort.steps += self.solve(next as u32);
            }
            if self.kind(next as u32) == NodeKind::Wide {
                return false;
            }
            next += 1;
        }
        true
    }

    fn depth_is_cap(&self) -> bool {
        self.num_steps + self.path.len() as u32 >= self.game.cap().0
    }

    /// Draws a successor of an arm, uniformly among the unproven successors if there are any.
    fn successor<R: Rng>(&self, node: u32, arm: u32, rng: &mut R) -> u32 {
        let successors = self.graph.successors_of(node, arm);
        if let [only] = *successors {
            return only;
        }
        let num_open = self.graph.arm(node, arm).num_open as usize;
        if !self.settings.proves || num_open == successors.len() || num_open == 0 {
            return successors[rng.random_range(0..successors.len())];
        }
        let number = rng.random_range(0..num_open);
        let mut open = successors.iter().filter(|&&child| self.graph.proven(child).is_none());
        *open.nth(number).expect("the number is below the count")
    }

    /// Solves the stage of a node. Returns the number of its successors, at least 1.
    fn solve(&mut self, node: u32) -> u64 {
        self.graph.copy_state(node, &mut self.state);
        self.evaluator.set_state(&self.state);
        self.effort.expansions += 1;
        let num_joint = Stage::num_joint_moves(&self.evaluator);
        if num_joint == 0 {
            // An error in the rule file counts as a draw.
            self.end(node, |_| 0.5);
            return 1;
        }
        if num_joint > MAX_JOINT_MOVES {
            self.stage.begin_wide(&self.evaluator);
            self.add_choosers(node, false);
            self.graph.nodes[node as usize].kind = NodeKind::Wide;
            return 1;
        }
        self.solver.solve(&self.state, &mut self.evaluator, &mut self.stage);
        self.add_choosers(node, self.settings.is_joint);
        self.add_arms(node);
        if self.settings.proves && self.judge.prove(&mut self.graph, node) {
            self.judge.learn(&mut self.graph, node);
        }
        self.stage.joint.len() as u64 / self.joint.len() as u64
    }

    /// Marks a node as final with these rewards.
    fn end(&mut self, node: u32, reward: impl Fn(usize) -> f64) {
        for seat in 0..self.reward.len() {
            self.reward[seat] = reward(seat);
        }
        let value = self.graph.add_value(&self.reward);
        let record = &mut self.graph.nodes[node as usize];
        (record.kind, record.value) = (NodeKind::End, value);
        if self.settings.proves {
            self.judge.learn(&mut self.graph, node);
        }
    }

    /// Adds the choosers of a node from its stage.
    fn add_choosers(&mut self, node: u32, is_joint: bool) {
        let first_chooser = self.graph.choosers.len() as u32;
        if is_joint {
            let num_chance = self.stage.num_chance as usize;
            let (num_roles, own) = (self.joint.len(), self.roles[self.own as usize]);
            if self.stage.num_arms > 1 {
                let own_moves = self.stage.joint.chunks_exact(num_roles).step_by(num_chance);
                let own_moves = own_moves.map(|joint| joint[own.0 as usize]);
                let block = self.graph.add_block(own_moves);
                self.graph.choosers.push(Chooser { seat: self.own, block });
            }
        } else {
            let sees_all = self.sees_all();
            for (seat, role) in self.roles.iter().enumerate() {
                let legal = &self.stage.legal[role.0 as usize];
                if legal.len() < 2 {
                    continue;
                }
                let block = if sees_all {
                    self.graph.add_block(legal.iter().copied())
                } else {
                    let known = self.graph.words(node)[self.state.words().len() + seat];
                    let key = legal.iter().fold(mix(known ^ (seat as u64 + 1)), |key, action| {
                        mix(key ^ u64::from(action.0))
                    });
                    self.graph.block_of_knowledge(key, legal.iter().copied())
                };
                self.graph.choosers.push(Chooser { seat: seat as u8, block });
            }
        }
        let record = &mut self.graph.nodes[node as usize];
        record.first_chooser = first_chooser;
        record.num_choosers = (self.graph.choosers.len() as u32 - first_chooser) as u8;
    }

    /// Adds the arms of a node, and their successors, from its stage.
    fn add_arms(&mut self, node: u32) {
        let (num_arms, num_chance) = (self.stage.num_arms, self.stage.num_chance);
        let num_words = self.state.words().len();
        let first_successor = self.graph.successors.len() as u32;
        let first_arm = self.graph.arms.len() as u32;
        let open = ArmRecord { num_open: num_chance, value: NONE };
        self.graph.arms.resize(self.graph.arms.len() + num_arms as usize, open);
        let sees_all = self.sees_all();
        let mut before = std::mem::take(&mut self.words);
        before.clear();
        before.extend_from_slice(self.graph.words(node));
        let mut words = Vec::with_capacity(before.len());
        let mut new_nodes = Vec::new();
        if !sees_all {
            self.evaluator.set_state(&self.state);
        }
        for place in 0..(num_arms * num_chance) as usize {
            words.clear();
            words.extend_from_slice(&self.stage.successors[place * num_words..][..num_words]);
            if !sees_all {
                let joint = &self.stage.joint[place * self.joint.len()..][..self.joint.len()];
                self.evaluator.play(joint);
                for (seat, &role) in self.roles.iter().enumerate() {
                    let mut history = History(before[num_words + seat]);
                    history.observe(&self.evaluator, role, joint);
                    words.push(history.0);
                }
            }
            let known = if self.settings.has_cache { self.graph.find(&words) } else { None };
            let child = known.unwrap_or_else(|| {
                let child = self.graph.add(&words, self.settings.has_cache);
                new_nodes.push(child);
                child
            });
            self.graph.successors.push(child);
            self.graph.link(node, place as u32 / num_chance, child);
        }
        self.words = before;
        let record = &mut self.graph.nodes[node as usize];
        record.kind = NodeKind::Solved;
        (record.first_arm, record.first_successor) = (first_arm, first_successor);
        (record.num_arms, record.num_chance, record.num_open_arms) =
            (num_arms, num_chance, num_arms);
        if self.settings.proves {
            for place in 0..num_arms * num_chance {
                let child = self.graph.successors[(first_successor + place) as usize];
                if self.graph.proven(child).is_some() {
                    self.judge.close(&mut self.graph, node, place / num_chance);
                }
            }
        }
        for child in new_nodes {
            self.graph.copy_state(child, &mut self.state);
            self.evaluator.set_state(&self.state);
            if self.evaluator.is_terminal() {
                self.read_goals();
                let reward = std::mem::take(&mut self.reward);
                self.reward.resize(reward.len(), 0.0);
                self.end(child, |seat| reward[seat]);
            }
        }
    }

    /// Sets the reward to the goals of the evaluator's final state.
    fn read_goals(&mut self) {
        for (reward, &role) in self.reward.iter_mut().zip(&self.roles) {
            // An error of the file counts as a draw, as in games.
            let goal = self.evaluator.goal_by(role, self.game.goal_rule());
            *reward = goal.map_or(0.5, |goal| f64::from(goal) / 100.0);
        }
    }

    fn begin_way(&mut self) {
        self.path.clear();
        self.choices.clear();
        self.now = self.now.wrapping_add(1);
    }

    /// Descends from a node, plays at random from the first unsolved node on, and records the result. Returns the number
    /// of steps, at least 1.
    pub(super) fn sample<R: Rng>(&mut self, root: u32, rng: &mut R) -> u64 {
        self.begin_way();
        self.effort.playouts += 1;
        let mut node = root;
        let mut steps = 0;
        loop {
            self.graph.nodes[node as usize].stamp = self.now;
            let first_choice = self.choices.len() as u32;
            match self.kind(node) {
                NodeKind::End => {
                    let value = self.graph.proven(node).expect("an end has goals");
                    self.reward.copy_from_slice(value);
                    break;
                }
                NodeKind::Open => {
                    self.graph.copy_state(node, &mut self.state);
                    self.evaluator.set_state(&self.state);
                    steps += self.play_on(rng);
                    break;
                }
                NodeKind::Wide => {
                    self.choose_apart(node, rng);
                    self.path.push(Passed { node, arm: NONE, first_choice });
                    steps += 1 + self.play_on(rng);
                    break;
                }
                NodeKind::Solved => {}
            }
            if let Some(value) = self.graph.proven(node).filter(|_| node != root) {
                self.reward.copy_from_slice(value);
                break;
            }
            let chooses = ArmChooser { settings: &self.settings, theta: self.judge.theta };
            let arm = chooses.arm(&self.graph, node, Purpose::Sample, &mut self.choices, rng);
            let arm = arm.expect("a solved node has an arm");
            self.path.push(Passed { node, arm, first_choice });
            if let Some(value) = self.graph.arm_value(node, arm) {
                self.reward.copy_from_slice(value);
                break;
            }
            if self.depth_is_cap() {
                self.reward.fill(worth_at_cap(self.game.cap().1));
                break;
            }
            node = self.successor(node, arm, rng);
        }
        self.back_up();
        steps.max(1)
    }

    /// Makes a joint move at a node that is too wide to be solved. Each seat chooses by its own statistics.
    fn choose_apart<R: Rng>(&mut self, node: u32, rng: &mut R) {
        self.graph.copy_state(node, &mut self.state);
        self.evaluator.set_state(&self.state);
        let rules = self.evaluator.rules();
        for role in rules.roles() {
            let drawn = self.evaluator.random_legal(role, rng);
            self.joint[role.0 as usize] = drawn.expect("each role has a legal move");
        }
        for &Chooser { seat, block } in self.graph.choosers_of(node) {
            let choice = self.chooses().best_apart(&self.graph, block, Purpose::Sample, rng);
            let choice = choice.expect("a chooser has moves");
            self.choices.push(choice);
            let role = self.roles[seat as usize];
            self.joint[role.0 as usize] = self.graph.moves_of(block)[choice as usize].action;
        }
        self.evaluator.play(&self.joint);
        self.evaluator.advance();
    }

    /// Plays at random from the evaluator's state to the end, and sets the reward. Returns the number of steps.
    fn play_on<R: Rng>(&mut self, rng: &mut R) -> u64 {
        let (cap, at_cap) = self.game.cap();
        let mut left = cap.saturating_sub(self.num_steps + self.path.len() as u32);
        let mut steps = 0;
        while !self.evaluator.is_terminal() {
            if left == 0 {
                self.reward.fill(worth_at_cap(at_cap));
                return steps;
            }
            for (role, action) in self.joint.iter_mut().enumerate() {
                let Some(drawn) = self.evaluator.random_legal(RoleId(role as u8), rng) else {
                    // An error in the rule file counts as a draw.
                    self.reward.fill(0.5);
                    return steps;
                };
                *action = drawn;
            }
            self.evaluator.play(&self.joint);
            self.evaluator.advance();
            left -= 1;
            steps += 1;
        }
        self.read_goals();
        steps
    }

    /// Adds the reward to the statistics along the path. If only some successors of an arm are proven, averages the
    /// reward with the proven worths, weighted by probability.
    fn back_up(&mut self) {
        while let Some(Passed { node, arm, first_choice }) = self.path.pop() {
            let is_mixed = arm != NONE
                && self.settings.proves
                && (1..self.graph.nodes[node as usize].num_chance)
                    .contains(&self.graph.arm(node, arm).num_open);
            if is_mixed {
                let num_open = f64::from(self.graph.arm(node, arm).num_open);
                self.reward.iter_mut().for_each(|reward| *reward *= num_open);
                let successors = self.graph.successors_of(node, arm);
                for value in successors.iter().filter_map(|&child| self.graph.proven(child)) {
                    self.reward.iter_mut().zip(value).for_each(|(reward, worth)| *reward += worth);
                }
                let num_chance = successors.len() as f64;
                self.reward.iter_mut().for_each(|reward| *reward /= num_chance);
            }
            let record = &self.graph.nodes[node as usize];
            let (first, num) = (record.first_chooser as usize, record.num_choosers as usize);
            for place in 0..num {
                let Chooser { seat, block } = self.graph.choosers[first + place];
                let block = &mut self.graph.blocks[block as usize];
                block.pulls += 1;
                let choice = self.choices[first_choice as usize + place];
                let of_move = &mut self.graph.moves[(block.first_move + choice) as usize];
                let reward = self.reward[seat as usize];
                of_move.pulls += 1;
                of_move.points += reward;
                of_move.squares += reward * reward;
            }
        }
    }

    /// Raises theta to the smallest worth that any seat gets from the best proven arm of a node.
    pub(super) fn raise_theta(&mut self, root: u32) {
        let record = &self.graph.nodes[root as usize];
        if !self.settings.has_theta || record.kind != NodeKind::Solved {
            return;
        }
        let own = usize::from(self.own);
        let values = (0..record.num_arms).filter_map(|arm| self.graph.arm_value(root, arm));
        let best = values.max_by(|a, b| a[own].total_cmp(&b[own]));
        let least = best.map_or(0.0, |value| value.iter().copied().fold(f64::INFINITY, f64::min));
        self.judge.theta = self.judge.theta.max(least);
    }

    /// Drops the states not passed for the longest time, if they take more memory than the limit. Returns the new
    /// number of `root`, and `true` if there is memory for more states.
    pub(super) fn make_room(&mut self, root: u32) -> (u32, bool) {
        let most = self.settings.memory as usize * (1 << 20);
        self.peak_bytes = self.peak_bytes.max(self.graph.bytes() as u64);
        if self.graph.bytes() < most {
            return (root, true);
        }
        if !self.sees_all() {
            return (root, false);
        }
        let solved = self.graph.nodes.iter().filter(|node| node.kind == NodeKind::Solved);
        // Ages are relative to the current path, since the counter may wrap around.
        let now = self.now;
        let age = |stamp: u32| now.wrapping_sub(stamp);
        let mut ages: Vec<u32> = solved.map(|node| age(node.stamp)).collect();
        ages.sort_unstable();
        let middle = ages.get(ages.len() / 2).copied().unwrap_or(0);
        let is_kept = |node: &NodeRecord| age(node.stamp) < middle;
        let root = self.graph.rebuild(root, self.settings.has_cache, is_kept);
        (root, self.graph.bytes() < most - most / 8)
    }
}

fn worth_at_cap(at_cap: AtCap) -> f64 {
    match at_cap {
        // A game that is cut off counts as a draw, even if the rule file forbids cutting off.
        AtCap::Error | AtCap::Draw => 0.5,
        AtCap::Zero => 0.0,
    }
}
