//! Temporal-difference learning of the values of states from own play.
//!
//! TD(lambda) of Sutton (*Learning to predict by the methods of temporal differences*, Machine Learning 3, 1988), in
//! the form of lambda-returns: after each game, each state's value is moved towards G(t) = (1 - lambda) V(t + 1) +
//! lambda G(t + 1), where G at the end is the outcome. The step follows the gradient of the cross-entropy, divided by
//! the number of true fluents. Values that occur in G are computed before the steps of the game.
//!
//! Both seats take the best of [`DRAWS`] randomly drawn moves, judged by the values so far. This costs the same number
//! of steps in all games, and explores.

use std::sync::Arc;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use ruse_games::rule_file::{RoleMove, RuleFile, RuleFileState};
use ruse_games::{Game, SampleAction, Seat, Turn};
use ruse_gdl::{LongWork, Patience, RoleId, State};
use ruse_search::uct::Leaves;

/// The weight of later values in a return.
const LAMBDA: f64 = 0.8;

/// The step size at the start.
const STEP: f64 = 1.0;

/// The step size falls with the number of steps played, to 1 / (1 + `FALL`) of the first one.
const FALL: f64 = 30.0;

/// The number of moves drawn at each decision.
const DRAWS: usize = 3;

/// The number of units of the hidden layer.
const UNITS: usize = 16;

/// The seed of own play. The values of a file are the same in all runs.
const SEED: u64 = 1;

/// Values of states: a weight for each fluent and, if the rule `hidden` asks for them, units of a hidden layer.
///
/// The log-odds of an outcome are the sum of the weights of the true fluents, a bias, and each unit's weight times its
/// activation. The activation is the hyperbolic tangent of a sum of weights of the true fluents, and a bias.
#[derive(Debug, Clone, PartialEq)]
pub struct FactValues {
    /// For each predicted outcome, the weight of each fluent in log-odds, and last the bias.
    pub(super) weights: Vec<f64>,
    /// The number of weights of an outcome.
    pub(super) stride: usize,
    /// For each predicted outcome and each fluent, and last for the biases, the weights of the units' sums.
    pub(super) inner: Vec<[f32; UNITS]>,
    /// For each predicted outcome, the weights of the units in log-odds.
    pub(super) outer: Vec<[f32; UNITS]>,
    /// For each role, the index of its outcome, and whether the role gets 1 minus the outcome.
    pub(super) outcomes: Vec<(usize, bool)>,
}

/// Returns the logistic function.
pub(super) fn logistic(odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-odds))
}

impl FactValues {
    /// Returns values whose weights are all 0: all outcomes count as one half.
    pub(super) fn zero(game: &RuleFile) -> FactValues {
        let rules = game.language_rules();
        let is_shared = game.plays_alone();
        let has_two = !is_shared && game.roles().len() == 2;
        let mut outcomes = vec![(0, false); rules.num_roles()];
        for (place, role) in game.roles().iter().enumerate().filter(|_| !is_shared) {
            outcomes[usize::from(role.0)] = if has_two { (0, place == 1) } else { (place, false) };
        }
        let stride = rules.num_fluents() + 1;
        let num_outcomes = if is_shared || has_two { 1 } else { game.roles().len() };
        let num_layers = if game.has_hidden_layer() { num_outcomes } else { 0 };
        FactValues {
            weights: vec![0.0; num_outcomes * stride],
            stride,
            inner: vec![[0.0; UNITS]; num_layers * stride],
            outer: vec![[0.0; UNITS]; num_layers],
            outcomes,
        }
    }

    /// Returns the activations of the units in a state.
    #[inline]
    fn activations(&self, outcome: usize, state: &State) -> [f32; UNITS] {
        let inner = &self.inner[outcome * self.stride..][..self.stride];
        let mut sums = inner[self.stride - 1];
        for fluent in state.iter() {
            let weights = &inner[fluent as usize];
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        }
        sums.map(libm::tanhf)
    }

    /// Returns the expected outcome in a state.
    #[inline]
    pub(super) fn of_outcome(&self, outcome: usize, state: &State) -> f64 {
        let weights = &self.weights[outcome * self.stride..][..self.stride];
        let sum: f64 = state.iter().map(|fluent| weights[fluent as usize]).sum();
        let linear = sum + weights[self.stride - 1];
        match self.outer.get(outcome) {
            None => logistic(linear),
            Some(outer) => {
                let units = self.activations(outcome, state);
                let sum: f32 = outer.iter().zip(units).map(|(weight, unit)| weight * unit).sum();
                logistic(linear + f64::from(sum))
            }
        }
    }

    /// Returns the expected goal of a role, from 0 to 1. In games of two roles, the two goals add up to 1.
    #[inline]
    pub(super) fn goal(&self, role: RoleId, state: &State) -> f64 {
        let (outcome, is_rest) = self.outcomes[usize::from(role.0)];
        let value = self.of_outcome(outcome, state);
        if is_rest { 1.0 - value } else { value }
    }

    /// Returns the role that each outcome is predicted for.
    pub(super) fn roles<'a>(&'a self, game: &'a RuleFile) -> impl Iterator<Item = RoleId> + 'a {
        game.roles().iter().copied().take(self.weights.len() / self.stride)
    }

    /// Returns the indices of an outcome's fluents with the largest weights, at most `most`.
    pub(super) fn largest(&self, outcome: usize, most: usize) -> Vec<(u32, f64)> {
        let weights = &self.weights[outcome * self.stride..][..self.stride - 1];
        let mut all: Vec<(u32, f64)> = (0..).zip(weights.iter().copied()).collect();
        all.retain(|&(_, weight)| weight != 0.0);
        all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        all.truncate(most);
        all
    }
}

impl Leaves<RuleFile> for FactValues {
    #[inline]
    fn value(&self, game: &RuleFile, state: &RuleFileState) -> Option<f64> {
        game.estimate(state, |role, state| self.goal(role, state))
    }
}

/// Returns the values learned for a game. They are learned on first use.
pub(super) fn learned(game: &RuleFile) -> Arc<FactValues> {
    game.derived(|| learn(game))
}

/// Learns from as many simulated steps as the rule `lessons` allows.
fn learn(game: &RuleFile) -> FactValues {
    let mut values = FactValues::zero(game);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
    // Units that begin alike would stay alike.
    values
        .inner
        .as_flattened_mut()
        .iter_mut()
        .for_each(|weight| *weight = rng.random_range(-0.5..0.5));
    let num_steps = 1_000 * u64::from(game.lessons());
    let mut spent = 0;
    let mut states = BothStates::default();
    let mut tell = |work| game.tell(work);
    let mut patience = Patience::start(&mut tell);
    while spent < num_steps {
        patience.look(|| LongWork::Lessons { done: spent, steps: num_steps });
        let step = STEP / (1.0 + FALL * spent as f64 / num_steps as f64);
        let (end, steps) = play(game, &values, &mut states, &mut rng);
        spent += steps.max(1);
        values.learn_from(game, &states, &end, step);
    }
    values
}

/// The states of a game, in order, for each seat. Both seats have the same states unless each plays alone.
#[derive(Debug, Default)]
struct BothStates {
    of_seats: [Vec<State>; 2],
}

/// Plays a game. Returns its end, and the number of simulated steps.
fn play(
    game: &RuleFile,
    values: &FactValues,
    states: &mut BothStates,
    rng: &mut Xoshiro256PlusPlus,
) -> (RuleFileState, u64) {
    let mut state = game.deal(rng);
    let mut trial = state.clone();
    let (mut action, mut chosen) = (RoleMove::default(), RoleMove::default());
    let mut spent = 0;
    states.of_seats.iter_mut().for_each(Vec::clear);
    let num_seats = if game.plays_alone() { 2 } else { 1 };
    while let Turn::Act(seat) = game.turn(&state) {
        let own = if num_seats == 2 { seat } else { Seat::First };
        let list = &mut states.of_seats[own as usize];
        let truth = game.truth(&state, own);
        if list.last() != Some(truth) {
            list.push(truth.clone());
        }
        let mut highest = f64::NEG_INFINITY;
        for _ in 0..DRAWS {
            game.sample_action(&game.view(&state, seat), rng, &mut action);
            trial.clone_from(&state);
            game.apply(&mut trial, seat, &action, rng);
            let value = after(game, values, &mut trial, rng);
            spent += 1;
            let value = if seat == Seat::First { value } else { 1.0 - value };
            if value > highest {
                (highest, chosen) = (value, action);
            }
        }
        // Chance is drawn again, because the best of several events is not what happens.
        game.apply(&mut state, seat, &chosen, rng);
    }
    (state, spent)
}

/// Returns the value of a state for the first seat. If some roles have already chosen in this step, the others choose
/// at random first.
fn after(
    game: &RuleFile,
    values: &FactValues,
    state: &mut RuleFileState,
    rng: &mut Xoshiro256PlusPlus,
) -> f64 {
    let mut action = RoleMove::default();
    loop {
        let seat = match game.turn(state) {
            Turn::Over(payoff) => return payoff.score(),
            Turn::Act(seat) => seat,
        };
        if let Some(value) = values.value(game, state) {
            return value;
        }
        game.sample_action(&game.view(state, seat), rng, &mut action);
        game.apply(state, seat, &action, rng);
    }
}

impl FactValues {
    /// Learns from the states of a game and its end.
    fn learn_from(&mut self, game: &RuleFile, states: &BothStates, end: &RuleFileState, step: f64) {
        if game.plays_alone() {
            let goals = game.goals(end).expect("the game is over");
            for seat in Seat::BOTH {
                self.learn(0, &states.of_seats[seat as usize], goals[seat] / 100.0, step);
            }
        } else if game.roles().len() == 2 {
            let Turn::Over(payoff) = game.turn(end) else { return };
            self.learn(0, &states.of_seats[0], payoff.score(), step);
        } else {
            for (outcome, &role) in game.roles().iter().enumerate() {
                let goal = f64::from(game.goal_of(end, role)) / 100.0;
                self.learn(outcome, &states.of_seats[0], goal, step);
            }
        }
    }

    /// Moves the values of the states of a game towards their returns.
    pub(super) fn learn(&mut self, outcome: usize, states: &[State], result: f64, step: f64) {
        let mut returns = vec![result; states.len()];
        for index in (1..states.len()).rev() {
            let next = self.of_outcome(outcome, &states[index]);
            returns[index - 1] = (1.0 - LAMBDA) * next + LAMBDA * returns[index];
        }
        for (state, wanted) in states.iter().zip(returns) {
            let error = wanted - self.of_outcome(outcome, state);
            let num_true = state.iter().count() as f64;
            let change = step * error / (num_true + 1.0);
            let weights = &mut self.weights[outcome * self.stride..][..self.stride];
            state.iter().for_each(|fluent| weights[fluent as usize] += change);
            weights[self.stride - 1] += change;
            if let Some(outer) = self.outer.get(outcome) {
                let units = self.activations(outcome, state);
                let inner_change: [f32; UNITS] = std::array::from_fn(|unit| {
                    change as f32 * outer[unit] * (1.0 - units[unit] * units[unit])
                });
                let outer_change = (step * error) as f32 / UNITS as f32;
                let outer = &mut self.outer[outcome];
                outer
                    .iter_mut()
                    .zip(units)
                    .for_each(|(weight, unit)| *weight += outer_change * unit);
                let inner = &mut self.inner[outcome * self.stride..][..self.stride];
                let biases = self.stride as u32 - 1;
                for fluent in state.iter().chain([biases]) {
                    let weights = &mut inner[fluent as usize];
                    weights
                        .iter_mut()
                        .zip(inner_change)
                        .for_each(|(weight, change)| *weight += change);
                }
            }
        }
    }
}
