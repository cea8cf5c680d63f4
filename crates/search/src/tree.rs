//! The statistics of a search: the visits and rewards of each action, by situation.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use rand::{Rng, RngExt};
use ruse_base::hashing::AsItIs;
use ruse_games::Payoff;

/// The hash of a situation: the knowledge of one seat.
pub(super) type Key = u64;

/// The index of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node(u32);

/// The index of an arm: an action in a situation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arm(u32);

impl Arm {
    /// Returns a number that is unique within the tree.
    pub(super) fn number(self) -> u64 {
        u64::from(self.0)
    }
}

/// Marks a missing arm.
const NONE: u32 = u32::MAX;

struct NodeRecord {
    key: Key,
    first_arm: u32,
    num_arms: u32,
    pulls: u32,
    /// The number of the last playout that passed the node.
    stamp: u32,
    /// The exact payoff to the seat of the situation, if it is proven.
    worth: Option<Payoff>,
}

struct ArmRecord<A> {
    action: A,
    pulls: u32,
    next: u32,
    /// The sum of the rewards, each in [0, 1].
    points: f64,
    /// The exact payoff of the action, if it is proven.
    worth: Option<Payoff>,
}

/// The rewards of all playouts through a node in which its seat took the action of an arm, then or later.
#[derive(Clone)]
struct RapidRecord {
    /// The hash of the seat and of the action.
    action: u64,
    count: u32,
    /// The sum of the rewards, each in [0, 1].
    points: f64,
}

/// The constants of the bound of an arm.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    /// The factor of the exploration term.
    pub(super) exploration: f64,
    /// The number k of visits up to which rapid rewards have at least half of the weight, or 0.
    pub(super) rave: f64,
}

/// Statistics by situation. In memory, a node takes 24 bytes plus 20 in the index, and an arm takes 16 bytes plus its
/// action, and 24 more with rapid rewards.
pub(super) struct Tree<A> {
    /// The number of playouts so far, including the current one.
    now: u32,
    nodes: Vec<NodeRecord>,
    arms: Vec<ArmRecord<A>>,
    /// One record for each arm, or none at all.
    rapid: Vec<RapidRecord>,
    index: HashMap<Key, u32, BuildHasherDefault<AsItIs>>,
}

impl<A> Default for Tree<A> {
    fn default() -> Self {
        let (nodes, arms, rapid) = Default::default();
        Tree { now: 0, nodes, arms, rapid, index: HashMap::default() }
    }
}

impl<A: Clone + PartialEq> Tree<A> {
    /// Removes everything, but keeps the memory for later use.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.arms.clear();
        self.rapid.clear();
        self.index.clear();
    }

    /// Returns the bytes in use: the contents of lists, without their spare capacity and without memory owned by
    /// actions.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..])
            + size_of_val(&self.arms[..])
            + size_of_val(&self.rapid[..])
            // A slot has a key, a node number and a control byte; at most seven of eight slots are taken.
            + self.index.len() * 20
    }

    /// Starts a new playout.
    pub(super) fn next_playout(&mut self) {
        self.now = self.now.wrapping_add(1);
    }

    /// Drops the half of the nodes not passed for the longest time, and renumbers the others.
    pub(super) fn forget_half(&mut self) {
        // Ages are relative to the current playout, since the counter may wrap around.
        let age = |now: u32, node: &NodeRecord| now.wrapping_sub(node.stamp);
        let mut ages: Vec<u32> = self.nodes.iter().map(|node| age(self.now, node)).collect();
        ages.sort_unstable();
        let middle = ages.get(ages.len() / 2).copied().unwrap_or(0);
        let old = std::mem::replace(self, Tree { now: self.now, ..Tree::default() });
        for node in old.nodes.iter().filter(|node| age(old.now, node) < middle) {
            let number = self.nodes.len() as u32;
            let first_arm = self.arms.len() as u32;
            let mut at = node.first_arm;
            while at != NONE {
                let arm = &old.arms[at as usize];
                let next = self.arms.len() as u32 + 1;
                self.arms.push(ArmRecord { action: arm.action.clone(), next, ..*arm });
                self.rapid.extend(old.rapid.get(at as usize).cloned());
                at = arm.next;
            }
            if let Some(last) = self.arms.last_mut().filter(|_| node.num_arms > 0) {
                last.next = NONE;
            }
            let first_arm = if node.num_arms > 0 { first_arm } else { NONE };
            self.nodes.push(NodeRecord { first_arm, ..*node });
            self.index.insert(node.key, number);
        }
    }

    /// Returns the node of a situation, or `None` if the situation is not in the tree.
    pub(super) fn find(&self, key: Key) -> Option<Node> {
        self.index.get(&key).map(|&node| Node(node))
    }

    /// Adds a node without arms for a new situation.
    pub(super) fn add(&mut self, key: Key) -> Node {
        let node = self.nodes.len() as u32;
        let stamp = self.now;
        let new = NodeRecord { key, first_arm: NONE, num_arms: 0, pulls: 0, stamp, worth: None };
        self.nodes.push(new);
        self.index.insert(key, node);
        Node(node)
    }

    /// Adds an arm to a node, unless it has an arm with this action.
    pub(super) fn add_arm(&mut self, node: Node, action: A) {
        let record = &mut self.nodes[node.0 as usize];
        let mut at = record.first_arm;
        let mut last = NONE;
        while at != NONE {
            let arm = &self.arms[at as usize];
            if arm.action == action {
                return;
            }
            (last, at) = (at, arm.next);
        }
        let new = self.arms.len() as u32;
        match last {
            NONE => record.first_arm = new,
            last => self.arms[last as usize].next = new,
        }
        record.num_arms += 1;
        self.arms.push(ArmRecord { action, pulls: 0, next: NONE, points: 0.0, worth: None });
    }

    /// Adds arms for these distinct actions to a node without arms.
    pub(super) fn add_arms(&mut self, node: Node, actions: impl IntoIterator<Item = A>) {
        let record = &mut self.nodes[node.0 as usize];
        let first = self.arms.len() as u32;
        for action in actions {
            let next = self.arms.len() as u32 + 1;
            self.arms.push(ArmRecord { action, pulls: 0, next, points: 0.0, worth: None });
        }
        if let Some(last) = self.arms[first as usize..].last_mut() {
            last.next = NONE;
            record.first_arm = first;
            record.num_arms = self.arms.len() as u32 - first;
        }
    }

    /// Prepares the arms that were added last for rapid rewards; `key` returns the hash of an action and of the seat.
    pub(super) fn add_rapid(&mut self, key: impl Fn(&A) -> u64) {
        let new = &self.arms[self.rapid.len()..];
        let record =
            |arm: &ArmRecord<A>| RapidRecord { action: key(&arm.action), count: 0, points: 0.0 };
        self.rapid.extend(new.iter().map(record));
    }

    /// Records the reward of a playout for all arms of a node whose actions satisfy `is_taken`.
    pub(super) fn learn_rapid(&mut self, node: Node, reward: f64, is_taken: impl Fn(u64) -> bool) {
        let mut at = self.nodes[node.0 as usize].first_arm;
        while at != NONE {
            let record = &mut self.rapid[at as usize];
            if is_taken(record.action) {
                record.count += 1;
                record.points += reward;
            }
            at = self.arms[at as usize].next;
        }
    }

    /// Adds the pulls and rewards of a node of another tree to a node of this one, for each action. An action that is
    /// proven in one of them is proven in the sum.
    pub(super) fn add_counts(&mut self, node: Node, other: &Tree<A>, from: Node) {
        for (_, record) in other.arms_of(from) {
            self.add_arm(node, record.action.clone());
            let arm = self.arms_of(node).find(|(_, arm)| arm.action == record.action);
            let (Arm(arm), _) = arm.expect("the arm was added if it was missing");
            let sum = &mut self.arms[arm as usize];
            sum.pulls += record.pulls;
            sum.points += record.points;
            sum.worth = sum.worth.or(record.worth);
        }
        self.nodes[node.0 as usize].pulls += other.pulls(from);
    }

    /// Returns the arm of a node with an action.
    #[cfg(test)]
    pub(super) fn arm_with(&self, node: Node, action: A) -> Arm {
        self.arms_of(node).find(|(_, arm)| arm.action == action).expect("such an arm").0
    }

    #[cfg(test)]
    pub(super) fn num_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the mean reward of each arm of a node.
    #[cfg(test)]
    pub(super) fn means(&self, node: Node) -> Vec<f64> {
        self.arms_of(node).map(|(_, arm)| arm.points / f64::from(arm.pulls)).collect()
    }

    pub(super) fn num_arms(&self, node: Node) -> u32 {
        self.nodes[node.0 as usize].num_arms
    }

    /// Returns the number of actions of a node that playouts took.
    pub(super) fn num_tried(&self, node: Node) -> u64 {
        self.arms_of(node).filter(|(_, arm)| arm.pulls > 0).count() as u64
    }

    pub(super) fn pulls(&self, node: Node) -> u32 {
        self.nodes[node.0 as usize].pulls
    }

    pub(super) fn action(&self, arm: Arm) -> &A {
        &self.arms[arm.0 as usize].action
    }

    fn arms_of(&self, node: Node) -> impl Iterator<Item = (Arm, &ArmRecord<A>)> {
        let mut at = self.nodes[node.0 as usize].first_arm;
        std::iter::from_fn(move || {
            let arm = (at != NONE).then(|| (Arm(at), &self.arms[at as usize]))?;
            at = arm.1.next;
            Some(arm)
        })
    }

    /// Returns the exact payoff to the seat of a situation, or `None` if it is not proven.
    pub(super) fn worth(&self, node: Node) -> Option<Payoff> {
        self.nodes[node.0 as usize].worth
    }

    /// Records the exact payoff of one of a node's arms, unless the node is proven. The node is proven by a won arm, or
    /// once all its arms are proven. Returns the node's exact payoff if it is proven.
    pub(super) fn prove(&mut self, node: Node, arm: Arm, worth: Payoff) -> Option<Payoff> {
        let known = self.worth(node);
        if known.is_some() {
            // Each arm that determines a worth was proven before its node. So play along such arms comes to an end.
            return known;
        }
        self.arms[arm.0 as usize].worth = Some(worth);
        let proven = if worth == Payoff::WIN {
            Some(worth)
        } else {
            let worths = self.arms_of(node).map(|(_, arm)| arm.worth);
            worths.reduce(|best, worth| Some(best?.max(worth?))).flatten()
        };
        self.nodes[node.0 as usize].worth = proven;
        proven
    }

    /// Returns an untried arm of a node or, if all arms were tried, the arm with the highest upper confidence bound:
    /// mean + `exploration` sqrt(ln N / n) (UCB1, Auer, Cesa-Bianchi & Fischer 2002, with a free factor). N is the
    /// number of pulls of the node, n of the arm. The bound of a proven arm is its exact payoff; if `is_root` is true
    /// and other arms are left, proven arms are skipped. Ties are broken uniformly at random.
    ///
    /// With a constant k = `rave` above 0, the mean of the rapid rewards has the weight sqrt(k / (3 N + k)) in the mean
    /// (Gelly & Silver, *Combining online and offline knowledge in UCT*, ICML 2007), and the whole weight for an untried
    /// arm, whose bound is that of an arm with one pull.
    ///
    /// # Panics
    ///
    /// Panics if the node has no arms.
    pub(super) fn select<R: Rng>(
        &self,
        node: Node,
        Bound { exploration, rave }: Bound,
        is_root: bool,
        rng: &mut R,
    ) -> Arm {
        let pulls = f64::from(self.pulls(node));
        let log = libm::log(pulls.max(1.0));
        let weight = if rave > 0.0 { (rave / (3.0 * pulls + rave)).sqrt() } else { 0.0 };
        let mut best = None;
        let mut num_best = 0u32;
        for (arm, record) in self.arms_of(node) {
            let bound = if let Some(worth) = record.worth {
                if is_root { -1.0 } else { worth.score() }
            } else if weight > 0.0
                && let Some(rapid) = self.rapid.get(arm.0 as usize).filter(|rapid| rapid.count > 0)
            {
                let quick = rapid.points / f64::from(rapid.count);
                let pulls = f64::from(record.pulls.max(1));
                let mean = if record.pulls == 0 { quick } else { record.points / pulls };
                mean + weight * (quick - mean) + exploration * (log / pulls).sqrt()
            } else if record.pulls == 0 {
                f64::INFINITY
            } else {
                let pulls = f64::from(record.pulls);
                record.points / pulls + exploration * (log / pulls).sqrt()
            };
            match best {
                Some((_, highest)) if bound < highest => {}
                Some((_, highest)) if bound == highest => {
                    num_best += 1;
                    if rng.random_range(0..num_best) == 0 {
                        best = Some((arm, bound));
                    }
                }
                _ => (best, num_best) = (Some((arm, bound)), 1),
            }
        }
        best.expect("a node that is selected from has an arm").0
    }

    /// Returns the arm that a player takes: the unproven arm of the node with the most pulls, unless the best proven arm
    /// is at least as good as its mean, and not lost. Ties go to the highest mean, then to the first arm; among proven
    /// arms, to the most pulls.
    pub(super) fn best(&self, node: Node) -> Option<Arm> {
        let open = self.arms_of(node).filter(|(_, arm)| arm.worth.is_none());
        let open = open.map(|(arm, record)| ((record.pulls, record.points), arm));
        let open = open.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let proven = self.arms_of(node);
        let proven = proven.filter_map(|(arm, record)| Some(((record.worth?, record.pulls), arm)));
        let proven = proven.reduce(|best, next| if next.0 > best.0 { next } else { best });
        match (open, proven) {
            (Some(((pulls, points), arm)), Some(((worth, _), _)))
                if worth == Payoff::LOSS || worth.score() * f64::from(pulls) < points =>
            {
                Some(arm)
            }
            (_, Some((_, arm))) | (Some((_, arm)), None) => Some(arm),
            (None, None) => None,
        }
    }

    /// Records a pull of one of a node's arms.
    pub(super) fn learn(&mut self, node: Node, arm: Arm, reward: f64) {
        let record = &mut self.nodes[node.0 as usize];
        record.pulls += 1;
        record.stamp = self.now;
        let arm = &mut self.arms[arm.0 as usize];
        arm.pulls += 1;
        arm.points += reward;
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;

    use super::*;

    fn bound(exploration: f64) -> Bound {
        Bound { exploration, rave: 0.0 }
    }

    /// Six nodes have two arms each. The three nodes of a later playout are kept, with their statistics.
    #[test]
    fn the_least_recently_visited_nodes_are_dropped() {
        let mut tree = Tree::default();
        for key in 0..6 {
            tree.next_playout();
            let node = tree.add(key);
            tree.add_arms(node, ['a', 'b']);
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for key in [1, 3, 5] {
            tree.next_playout();
            let node = tree.find(key).expect("it was added");
            let arm = tree.select(node, bound(1.0), true, &mut rng);
            tree.learn(node, arm, 1.0);
        }
        let before = tree.bytes();
        tree.forget_half();
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|key| tree.find(key).is_some()),
            [false, true, false, true, false, true]
        );
        assert_eq!(2 * tree.bytes(), before);
        for key in [1, 3, 5] {
            let node = tree.find(key).expect("it stays");
            assert_eq!((tree.num_arms(node), tree.pulls(node)), (2, 1));
            let actions: Vec<char> = tree.arms_of(node).map(|(_, arm)| arm.action).collect();
            assert_eq!(actions, ['a', 'b']);
            let best = tree.best(node).expect("it has arms");
            assert_eq!(tree.arms[best.0 as usize].pulls, 1);
            tree.add_arm(node, 'c');
            assert_eq!(tree.num_arms(node), 3);
        }
    }

    #[test]
    fn arms_are_tried_once_and_then_by_their_bounds() {
        let mut tree = Tree::default();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let node = tree.add(7);
        assert_eq!(tree.find(7), Some(node));
        assert_eq!(tree.find(8), None);
        assert_eq!(tree.best(node), None);
        tree.add_arms(node, ['a', 'b']);
        tree.add_arm(node, 'c');
        tree.add_arm(node, 'b');
        assert_eq!(tree.num_arms(node), 3);
        // Each arm is pulled once. `b` wins, and the other arms lose.
        for _ in 0..3 {
            let arm = tree.select(node, bound(0.5), true, &mut rng);
            assert_eq!(tree.arms[arm.0 as usize].pulls, 0);
            let reward = f64::from(u8::from(*tree.action(arm) == 'b'));
            tree.learn(node, arm, reward);
        }
        // With N = 3 and n = 1, the bounds are 1 + .5 sqrt(ln 3) and .5 sqrt(ln 3) = .524. After k more wins of `b`,
        // its bound is 1 + .5 sqrt(ln(3 + k) / (1 + k)), which is always above 1. The bound of the other arms exceeds 1
        // when ln N > 4, i.e. from N = 55 on.
        for _ in 3..55 {
            let arm = tree.select(node, bound(0.5), true, &mut rng);
            assert_eq!(*tree.action(arm), 'b');
            tree.learn(node, arm, 1.0);
        }
        let highest = |pulls: f64, n: f64, mean: f64| mean + 0.5 * (libm::log(pulls) / n).sqrt();
        let mut pulls = 55.0;
        while highest(pulls, 1.0, 0.0) < highest(pulls, pulls - 2.0, 1.0) {
            let arm = tree.select(node, bound(0.5), true, &mut rng);
            assert_eq!(*tree.action(arm), 'b');
            tree.learn(node, arm, 1.0);
            pulls += 1.0;
        }
        assert_ne!(*tree.action(tree.select(node, bound(0.5), true, &mut rng)), 'b');
        assert_eq!(*tree.action(tree.best(node).expect("an arm")), 'b');
        tree.clear();
        assert_eq!(tree.find(7), None);
    }

    /// Two playouts through a node of the first seat: one starts with `a`, is won, and contains `b` later; the other starts
    /// with `b` and is lost. With k = 3 and N = 2, rapid rewards have the weight sqrt(3 / 9) = .57735. The means of `a`
    /// are 1 and 1, those of `b` 0 and 1/2, so that the bound of `b` is .28868 without exploration. `c` was not seen.
    #[test]
    fn rapid_rewards_count_what_came_later() {
        let mut tree = Tree::default();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let node = tree.add(7);
        tree.add_arms(node, ['a', 'b', 'c', 'd']);
        tree.add_rapid(|&action| u64::from(action));
        let [a, b, c, d] = [0, 1, 2, 3].map(Arm);
        for (arm, reward, taken) in [(a, 1.0, "ab"), (b, 0.0, "b")] {
            tree.learn(node, arm, reward);
            tree.learn_rapid(node, reward, |key| {
                taken.chars().any(|action| u64::from(action) == key)
            });
        }
        let counts = tree.rapid.iter().map(|rapid| (rapid.count, rapid.points)).collect::<Vec<_>>();
        assert_eq!(counts, [(1, 1.0), (2, 1.0), (0, 0.0), (0, 0.0)]);
        let rave = Bound { exploration: 0.0, rave: 3.0 };
        // Arms without any reward come first.
        assert!([c, d].contains(&tree.select(node, rave, true, &mut rng)));
        tree.prove(node, c, Payoff::LOSS);
        // An untried arm has its rapid mean, here .28 and .29 around the bound of `b`, when `a` is proven as lost.
        tree.prove(node, a, Payoff::LOSS);
        for (mean, expected) in [(0.28, b), (0.29, d)] {
            tree.rapid[3].count = 1;
            tree.rapid[3].points = mean;
            assert_eq!(tree.select(node, rave, true, &mut rng), expected, "{mean}");
        }
        let others = tree.bytes();
        tree.next_playout();
        let kept = tree.add(8);
        tree.add_arms(kept, ['e']);
        tree.add_rapid(|&action| u64::from(action));
        assert_eq!(
            tree.bytes() - others,
            size_of::<NodeRecord>() + size_of::<ArmRecord<char>>() + 24 + 20
        );
        tree.nodes[0].stamp = u32::MAX;
        tree.forget_half();
        assert_eq!((tree.rapid.len(), tree.rapid[0].action), (1, u64::from('e')));
        tree.clear();
        assert!(tree.rapid.is_empty());
    }

    /// A won arm proves its node, and so do three proven arms, with the best payoff. The player takes a proven arm that is
    /// at least as good as the mean of the arm with the most pulls, but no lost arm while another is left.
    #[test]
    fn nodes_are_proven_by_their_arms() {
        let mut tree = Tree::default();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let [one, other] = [1, 2].map(|key| tree.add(key));
        for node in [one, other] {
            tree.add_arms(node, ['a', 'b', 'c']);
        }
        let [a, b, c] = [0, 1, 2].map(Arm);
        let taken = |tree: &Tree<char>| *tree.action(tree.best(one).expect("an arm"));
        tree.learn(one, a, 0.0);
        assert_eq!(tree.prove(one, a, Payoff::LOSS), None);
        assert_eq!(taken(&tree), 'b');
        // The means of `b` and `c` are 3/4 and 0.
        for (arm, reward) in [(b, 1.0), (b, 0.5), (c, 0.0)] {
            tree.learn(one, arm, reward);
        }
        assert_eq!(tree.prove(one, c, Payoff::DRAW), None);
        assert_eq!(taken(&tree), 'b');
        tree.learn(one, b, 0.0);
        assert_eq!(taken(&tree), 'c');
        // At the root, only `b` is left. Elsewhere, the proven draw competes: without exploration, with the mean 1/2.
        assert_eq!(*tree.action(tree.select(one, bound(0.0), true, &mut rng)), 'b');
        tree.learn(one, b, 0.0);
        assert_eq!(*tree.action(tree.select(one, bound(0.0), false, &mut rng)), 'c');
        assert_eq!(tree.prove(one, b, Payoff::LOSS), Some(Payoff::DRAW));
        assert_eq!((tree.worth(one), taken(&tree)), (Some(Payoff::DRAW), 'c'));
        // A proven node does not change.
        assert_eq!(tree.prove(one, b, Payoff::WIN), Some(Payoff::DRAW));
        let [_, second, _] = [3, 4, 5].map(Arm);
        assert_eq!(tree.prove(other, second, Payoff::WIN), Some(Payoff::WIN));
        assert_eq!(tree.best(other), Some(second));
    }
}
