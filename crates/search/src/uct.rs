//! `uct`: upper confidence bounds applied to trees, for games with chance, hidden information and simultaneous moves.
//!
//! At each of its turns the player simulates as many games as its budget allows. Each game starts from a sampled state
//! that is consistent with the knowledge of the player's seat ([`Imagine`]). In situations that are in the tree, the
//! seat to move takes the action with the highest upper confidence bound. The first situation that is not in the tree
//! is added, and random actions follow until the game ends. Both seats record the result in all situations that they
//! passed. Finally the player takes the action with the most visits, unless a proven one is better.
//!
//! A situation is the knowledge of *one seat*, not the state. So the seats of a simulated game do not use hidden
//! information, and choose simultaneous moves independently. This is the search of Kocsis & Szepesvári (*Bandit based
//! Monte-Carlo planning*, ECML 2006) with a tree for each seat: multiple-observer information set search (Cowling,
//! Powley & Whitehouse, *Information set Monte Carlo tree search*, IEEE TCIAIG 4, 2012), or decoupled UCT under
//! complete information.
//!
//! - If a view shows everything that a seat may know ([`Imagine::SHOWS_ALL`]), the situation is the view, and
//!   statistics are kept for the next turn.
//! - Otherwise, a situation is all that the seat saw and did: the searching seat since the search began, the other seat
//!   since its first simulated turn. Earlier knowledge is ignored, except for the part that the view shows. The other
//!   seat therefore chooses by averages over everything that it may have seen earlier.
//! - If actions cannot be listed (a fleet of Battleship, a pile of War), a situation with n visits has at most ceil(2
//!   sqrt n) actions, sampled by [`SampleAction`] (progressive widening, Coulom, *Computing Elo ratings of move
//!   patterns in the game of Go*, 2007; Chaslot et al. 2008).
//!
//! Memory: at most one node for each playout, with an arm for each action. Memory is reused from turn to turn and from
//! game to game. At the limit `memory`, if views show everything, the half of the situations not passed for the longest
//! time is dropped. Otherwise, nothing is kept from turn to turn, and no more situations are added.
//!
//! In games without chance, hidden information and simultaneous moves ([`Imagine::is_determined`]), situations are proven
//! during the search (Winands, Björnsson & Saito, *Monte-Carlo tree search solver*, CG 2008). If the tree reaches the end
//! of a game, the last action is proven. A situation is proven by a won action, or once all its actions are proven. A
//! playout ends at a proven situation or action, with its exact payoff. The search ends when the present situation is
//! proven. Unlike in the original, draws and graded payoffs are proven as well, the search does not look for wins among
//! the actions of a new situation, and the mean rewards from before a proof are kept.
//!
//! With the setting `share`, the first situation that is not in the tree also gets a value from a [`Leaves`]: the result
//! recorded on the path to it is a mean of this value, weighted with the share, and the result of the random game. With
//! a share of 1, no random game is played.
//!
//! With the setting `trees`, the budget is spent on several trees that grow independently of each other, on as many
//! threads as there are (root parallelisation, Chaslot, Winands & van den Herik, *Parallel Monte-Carlo tree search*, CG
//! 2008). A number of playouts or steps is divided among the trees, a time is not. The player then chooses by the sums
//! of visits and rewards over all trees. The number of threads does not change the actions.

use std::marker::PhantomData;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};
use rayon::prelude::*;
use ruse_base::hashing::mix;
use ruse_base::stop::StopRequest;
use ruse_games::{BySeat, Game, Imagine, Legal, Payoff, SampleAction, Seat, Turn};

pub use self::settings::UctSettings;
use super::Budget;
use super::habits::{Habits, hash_of, key_of};
use super::tree::{Arm, Bound, Key, Node, Tree};
use crate::{Effort, Strategy};

/// The source of a situation's actions.
pub trait Actions<G: Game>: Send + Sync + 'static {
    /// True if all actions are listed; otherwise they are sampled one by one.
    const ARE_LISTED: bool;

    /// Adds all legal actions to `actions` if [`ARE_LISTED`](Actions::ARE_LISTED) is `true`; otherwise adds none.
    fn list(game: &G, view: &G::View<'_>, actions: &mut Vec<G::Action>);

    /// Returns a hash of an action if [`ARE_LISTED`](Actions::ARE_LISTED) is `true`, otherwise 0.
    fn key(action: &G::Action) -> u64;
}

/// A source that lists all legal actions with [`Legal`] when a situation is added.
#[derive(Debug, Clone, Copy)]
pub enum Listed {}

impl<G: Legal> Actions<G> for Listed {
    const ARE_LISTED: bool = true;

    fn list(game: &G, view: &G::View<'_>, actions: &mut Vec<G::Action>) {
        game.legal(view, actions);
    }

    fn key(action: &G::Action) -> u64 {
        hash_of(action)
    }
}

/// A source that samples actions with [`SampleAction`] as a situation gets more visits.
#[derive(Debug, Clone, Copy)]
pub enum Drawn {}

impl<G: Game> Actions<G> for Drawn {
    const ARE_LISTED: bool = false;

    fn list(_game: &G, _view: &G::View<'_>, _actions: &mut Vec<G::Action>) {}

    fn key(_action: &G::Action) -> u64 {
        0
    }
}

/// An evaluation of states, for the leaves of the tree.
pub trait Leaves<G: Game>: Send + Sync + 'static {
    /// Returns the expected payoff to the first seat in a state, from 0 to 1, or `None` if the state has no value.
    fn value(&self, game: &G, state: &G::State) -> Option<f64>;
}

/// Values no state.
impl<G: Game> Leaves<G> for () {
    #[inline]
    fn value(&self, _game: &G, _state: &G::State) -> Option<f64> {
        None
    }
}

/// The player `uct`.
#[derive(Clone)]
pub struct Uct<G, A, L = ()> {
    game: G,
    settings: UctSettings,
    leaves: L,
    actions: PhantomData<A>,
}

impl<G: Game, A: Actions<G>> Uct<G, A> {
    /// Creates the player for a game.
    pub fn new(game: &G, settings: UctSettings) -> Uct<G, A> {
        Uct::with_leaves(game, settings, ())
    }
}

impl<G: Game, A: Actions<G>, L: Leaves<G>> Uct<G, A, L> {
    /// Creates the player for a game, with values of leaves.
    pub fn with_leaves(game: &G, settings: UctSettings, leaves: L) -> Uct<G, A, L> {
        Uct { game: game.clone(), settings, leaves, actions: PhantomData }
    }

    /// Returns the evaluation of leaves.
    pub fn leaves(&self) -> &L {
        &self.leaves
    }
}

/// A turn of a playout within the tree.
struct Passed {
    seat: Seat,
    node: Node,
    arm: Arm,
    /// True if the situation and the arm determine the next state.
    is_determined: bool,
}

/// A search tree of a seat, with the buffers of a playout.
struct Growth<G: Imagine> {
    tree: Tree<G::Action>,
    /// The path of a playout through the tree.
    path: Vec<Passed>,
    actions: Vec<G::Action>,
    action: G::Action,
    habits: Habits,
    /// The knowledge of the seat and the seed of the next search, if there are several trees.
    knowledge: G::Knowledge,
    seed: u64,
    effort: Effort,
}

impl<G: Imagine> Default for Growth<G> {
    fn default() -> Self {
        Growth {
            tree: Tree::default(),
            path: Vec::new(),
            actions: Vec::new(),
            action: G::Action::default(),
            habits: Habits::default(),
            knowledge: G::Knowledge::default(),
            seed: 0,
            effort: Effort::default(),
        }
    }
}

/// The memory of a seat during a game, with its search trees.
pub struct UctMemory<G: Imagine> {
    seat: Seat,
    knowledge: G::Knowledge,
    /// The first tree, and as many more as the settings ask for.
    growth: Growth<G>,
    more: Vec<Growth<G>>,
    /// The sum of the roots of several trees.
    sum: Tree<G::Action>,
    effort: Effort,
    request: StopRequest,
}

impl<G: Imagine> Default for UctMemory<G> {
    fn default() -> Self {
        UctMemory {
            seat: Seat::First,
            knowledge: G::Knowledge::default(),
            growth: Growth::default(),
            more: Vec::new(),
            sum: Tree::default(),
            effort: Effort::default(),
            request: StopRequest::default(),
        }
    }
}

impl<G: Imagine> UctMemory<G> {
    /// Forgets all trees, but keeps the memory for later use.
    fn clear(&mut self) {
        std::iter::once(&mut self.growth).chain(&mut self.more).for_each(|growth| {
            growth.tree.clear();
            growth.habits.clear();
        });
    }

    /// Counts a choice among `tried` actions, with the work of all trees. The choice is proven if one of the trees has proven it.
    fn count_effort(&mut self, tried: u64) {
        let growths = std::iter::once(&mut self.growth).chain(&mut self.more);
        let spent = growths.map(|growth| std::mem::take(&mut growth.effort));
        let spent = spent.fold(Effort::default(), |sum, effort| sum + effort);
        self.effort =
            self.effort + Effort { choices: 1, proven: spent.proven.min(1), tried, ..spent };
    }
}

/// Returns a payoff to `seat` as a payoff to the first seat, and the other way round.
fn to_first(seat: Seat, payoff: Payoff) -> Payoff {
    if seat == Seat::First { payoff } else { payoff.reversed() }
}

/// The number of turns after which a playout counts as a draw. No game of this workspace takes as long.
const MAX_TURNS: u32 = 100_000;

impl<G: Imagine + SampleAction, A: Actions<G>, L: Leaves<G>> Uct<G, A, L> {
    /// True if views show everything that the seats may know.
    const IS_OPEN: bool = G::SHOWS_ALL;

    /// True if situations may be proven.
    fn proves(&self) -> bool {
        self.settings.has_solver && Self::IS_OPEN && A::ARE_LISTED
    }

    /// Returns the situation of `seat`, which sees `view` and was in the situation `before` at its previous turn.
    fn situation(&self, before: Key, seat: Seat, view: &G::View<'_>) -> Key {
        let before = if Self::IS_OPEN { 0 } else { before };
        mix(before ^ mix(self.game.situation_key(view) ^ (seat as u64) << 63))
    }

    /// If the situations take more memory than the limit and views show everything, drops those not passed for the
    /// longest time. Returns `true` if more situations may be added.
    fn make_room(&self, tree: &mut Tree<G::Action>) -> bool {
        let most =
            (self.settings.memory as usize * (1 << 20)) / self.settings.trees.max(1) as usize;
        if tree.bytes() < most {
            return true;
        }
        // If views do not show everything, a situation is reached only through earlier ones, so none can be dropped.
        if !Self::IS_OPEN {
            return false;
        }
        tree.forget_half();
        if tree.bytes() >= most - most / 8 {
            tree.clear();
        }
        true
    }

    /// Returns `true` if nodes keep the rewards of later actions.
    fn is_rapid(&self) -> bool {
        self.settings.rave > 0.0 && A::ARE_LISTED
    }

    /// Returns the node of a situation of `seat`, and `true` if the node is new.
    fn node(
        &self,
        growth: &mut Growth<G>,
        key: Key,
        (seat, view): (Seat, &G::View<'_>),
    ) -> (Node, bool) {
        if let Some(node) = growth.tree.find(key) {
            return (node, false);
        }
        let node = growth.tree.add(key);
        growth.actions.clear();
        A::list(&self.game, view, &mut growth.actions);
        growth.tree.add_arms(node, growth.actions.drain(..));
        if self.is_rapid() {
            growth.tree.add_rapid(|action| key_of(seat, A::key(action)));
        }
        (node, true)
    }

    /// Adds an arm with a sampled action, if actions are sampled and the node has enough visits.
    fn widen<R: Rng>(&self, growth: &mut Growth<G>, node: Node, view: &G::View<'_>, rng: &mut R) {
        let num_arms = f64::from(growth.tree.num_arms(node));
        let pulls = f64::from(growth.tree.pulls(node) + 1);
        if !A::ARE_LISTED && num_arms < 2.0 * pulls.sqrt() {
            self.game.sample_action(view, rng, &mut growth.action);
            growth.tree.add_arm(node, growth.action.clone());
        }
    }

    /// Chooses an action outside the tree.
    fn play_out<R: Rng>(
        &self,
        growth: &mut Growth<G>,
        mover: Seat,
        view: &G::View<'_>,
        rng: &mut R,
    ) {
        let Growth { actions, action, habits, .. } = growth;
        if self.settings.mast > 0.0 && A::ARE_LISTED && rng.random_bool(self.settings.mast) {
            actions.clear();
            A::list(&self.game, view, actions);
            if let Some(best) = habits.best(mover, actions.iter().map(A::key), rng) {
                action.clone_from(&actions[best]);
                return;
            }
        }
        self.game.sample_action(view, rng, action);
    }

    /// Simulates one game from `state`. Returns the number of steps, at least 1.
    fn play_on<R: Rng>(&self, growth: &mut Growth<G>, mut state: G::State, rng: &mut R) -> u64 {
        let has_room = self.make_room(&mut growth.tree);
        growth.tree.next_playout();
        let start = self.game.num_steps(&state);
        growth.path.clear();
        let mut before = BySeat { first: 0, second: 0 };
        let mut is_known = true;
        let UctSettings { share, exploration, mast, rave, .. } = self.settings;
        // The value of the leaf, and the length of the path to it.
        let mut leaf = None;
        let mut turns = 0;
        // The payoff to the first seat if the path leads to the end or to a proven situation.
        let mut proven = None;
        let score = loop {
            let mover = match self.game.turn(&state) {
                Turn::Over(payoff) => {
                    let is_proven = self.proves()
                        && growth.path.len() == turns as usize
                        && self.game.is_determined(&state);
                    proven = is_proven.then_some(payoff);
                    break payoff.score();
                }
                Turn::Act(_) if turns == MAX_TURNS => break 0.5,
                Turn::Act(mover) => mover,
            };
            turns += 1;
            {
                let view = self.game.view(&state, mover);
                let node = match is_known {
                    true => {
                        let key = self.situation(before[mover], mover, &view);
                        let found = growth.tree.find(key).map(|node| (node, false));
                        let met = found
                            .or_else(|| has_room.then(|| self.node(growth, key, (mover, &view))));
                        met.map(|(node, is_new)| (key, node, is_new))
                    }
                    false => None,
                };
                let is_leaf = node.is_none_or(|(_, _, is_new)| is_new);
                if is_leaf && share > 0.0 && leaf.is_none() {
                    let value = self.leaves.value(&self.game, &state);
                    leaf = value.map(|value| (value, growth.path.len()));
                    if let Some((value, _)) = leaf.filter(|_| share >= 1.0) {
                        // The turn is not played.
                        turns -= 1;
                        break value;
                    }
                }
                if let Some((key, node, is_new)) = node {
                    if let Some(worth) = growth.tree.worth(node) {
                        let payoff = to_first(mover, worth);
                        proven = Some(payoff);
                        break payoff.score();
                    }
                    if has_room || growth.tree.num_arms(node) == 0 {
                        self.widen(growth, node, &view, rng);
                    }
                    // The worth of a proven action is of no use at the root.
                    let is_root = growth.path.is_empty();
                    let bound = Bound { exploration, rave };
                    let arm = growth.tree.select(node, bound, is_root, rng);
                    let is_determined = self.proves() && self.game.is_determined(&state);
                    growth.path.push(Passed { seat: mover, node, arm, is_determined });
                    before[mover] = mix(key ^ arm.number());
                    is_known = !is_new;
                    growth.action.clone_from(growth.tree.action(arm));
                } else {
                    is_known = false;
                    self.play_out(growth, mover, &view, rng);
                }
            }
            if mast > 0.0 || rave > 0.0 {
                growth.habits.take(mover, A::key(&growth.action));
            }
            self.game.apply(&mut state, mover, &growth.action, rng);
        };
        if mast > 0.0 {
            growth.habits.learn(score);
        }
        for (index, &Passed { seat, node, arm, is_determined }) in
            growth.path.iter().enumerate().rev()
        {
            let score = match leaf {
                Some((value, length)) if index < length => score + share * (value - score),
                _ => score,
            };
            let reward = if seat == Seat::First { score } else { 1.0 - score };
            growth.tree.learn(node, arm, reward);
            if self.is_rapid() {
                growth.habits.recall_from(index);
                growth.tree.learn_rapid(node, reward, |key| growth.habits.was_taken(key));
            }
            proven = proven.filter(|_| is_determined).and_then(|payoff| {
                let worth = growth.tree.prove(node, arm, to_first(seat, payoff))?;
                Some(to_first(seat, worth))
            });
        }
        growth.habits.end();
        let steps = match (start, self.game.num_steps(&state)) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => u64::from(turns),
        };
        steps.max(1)
    }

    /// Grows a tree from a situation, its root, until the budget is spent or the situation is proven. Returns the
    /// root.
    fn grow<R: Rng>(
        &self,
        growth: &mut Growth<G>,
        knowledge: &G::Knowledge,
        (seat, view): (Seat, &G::View<'_>),
        budget: Budget,
        request: &StopRequest,
        rng: &mut R,
    ) -> Node {
        let key = self.situation(0, seat, view);
        let mut root = self.node(growth, key, (seat, view)).0;
        let mut countdown = budget.start(request);
        let least = match budget {
            Budget::Playouts(0) => growth.tree.num_arms(root).max(1),
            _ => 0,
        };
        let mut num_playouts = 0;
        loop {
            if growth.tree.worth(root).is_some() {
                growth.effort.proven += 1;
                break;
            }
            if !countdown.count_playout() && num_playouts >= least {
                break;
            }
            num_playouts += 1;
            let state = self.game.imagine(knowledge, seat, view, rng);
            let steps = self.play_on(growth, state, rng);
            countdown.spend(steps);
            growth.effort.playouts += 1;
            growth.effort.steps += steps;
            // If room was made, the node has a new number.
            root = self.node(growth, key, (seat, view)).0;
        }
        root
    }

    /// Grows several trees, each on any thread, and adds up their roots. Returns the sum.
    fn grow_several<R: Rng>(
        &self,
        memory: &mut UctMemory<G>,
        view: &G::View<'_>,
        key: Key,
        rng: &mut R,
    ) -> Node {
        let UctMemory { seat, knowledge, growth, more, sum, request, .. } = memory;
        let seat = *seat;
        let budget = self.settings.budget.divided_by(self.settings.trees);
        let mut growths: Vec<&mut Growth<G>> = std::iter::once(growth).chain(more).collect();
        for growth in &mut growths {
            growth.knowledge.clone_from(knowledge);
            growth.seed = rng.random();
        }
        growths.par_iter_mut().for_each(|growth| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(growth.seed);
            let knowledge = std::mem::take(&mut growth.knowledge);
            self.grow(growth, &knowledge, (seat, view), budget, request, &mut rng);
            growth.knowledge = knowledge;
        });
        sum.clear();
        let root = sum.add(key);
        for growth in growths {
            let node = growth.tree.find(key).expect("a tree has its root");
            sum.add_counts(root, &growth.tree, node);
        }
        root
    }
}

impl<G: Imagine + SampleAction, A: Actions<G>, L: Leaves<G>> Strategy<G> for Uct<G, A, L> {
    type Memory = UctMemory<G>;

    fn begin(&self, memory: &mut UctMemory<G>, seat: Seat) {
        memory.seat = seat;
        memory.knowledge = G::Knowledge::default();
        memory.more.resize_with((self.settings.trees as usize).saturating_sub(1), Growth::default);
        memory.clear();
    }

    fn act<R: Rng>(
        &self,
        memory: &mut UctMemory<G>,
        view: G::View<'_>,
        rng: &mut R,
        action: &mut G::Action,
    ) {
        let seat = memory.seat;
        if !Self::IS_OPEN {
            memory.clear();
        }
        let key = self.situation(0, seat, &view);
        let (root, _) = self.node(&mut memory.growth, key, (seat, &view));
        let is_forced = A::ARE_LISTED && memory.growth.tree.num_arms(root) == 1;
        let (tree, root) = if is_forced {
            (&memory.growth.tree, root)
        } else if memory.more.is_empty() {
            let UctMemory { knowledge, growth, request, .. } = &mut *memory;
            let budget = self.settings.budget;
            let root = self.grow(growth, knowledge, (seat, &view), budget, request, rng);
            (&memory.growth.tree, root)
        } else {
            let root = self.grow_several(memory, &view, key, rng);
            (&memory.sum, root)
        };
        let best = tree.best(root).expect("a seat has an action at its turn");
        action.clone_from(tree.action(best));
        if !is_forced {
            let tried = tree.num_tried(root);
            memory.count_effort(tried);
        }
        self.game.learn(&mut memory.knowledge, seat, &view, action);
    }

    fn heed(memory: &mut UctMemory<G>, request: &StopRequest) {
        memory.request = request.clone();
    }

    fn effort(memory: &UctMemory<G>) -> Effort {
        memory.effort
    }
}

mod settings;
#[cfg(test)]
mod tests;
