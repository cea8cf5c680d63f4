//! Strategies for any rule file, with their move probabilities.

use rand::Rng;
use ruse_base::hashing::mix;
use ruse_games::Seat;
use ruse_games::rule_file::{RoleMove, RoleView, RuleFile, Step};
use ruse_gdl::{
    Information, MoveId, RoleId, items_of_moves, items_of_percepts, items_of_state, linear_choice,
    linear_feature, linear_score, memoryless_history, seed_base, seed_choice,
};
use ruse_search::{
    CopyMemory, Decisions, LogLinear, Parameter, ParameterError, ParameterSpace,
    ParametricStrategy, Strategy, keep_buffers,
};
use ruse_strategies::Reference;

/// A strategy with known move probabilities.
pub trait Policy: Sync {
    /// Returns a hash of everything in the view, except the true state, that may affect the probabilities now or later.
    /// In the same state, views with equal hashes are the same to the strategy; if information is hidden, at the same step.
    fn memory(&self, view: &RoleView<'_>) -> u64;

    /// Sets `probabilities` to the probability of each legal move of the role with this view, in the order of the
    /// moves.
    fn probabilities(&self, view: &RoleView<'_>, probabilities: &mut Vec<f64>);
}

/// Writes 1 for the move `choice` and 0 for the others.
fn certain(legal: &[MoveId], choice: MoveId, probabilities: &mut Vec<f64>) {
    probabilities.clear();
    probabilities.extend(legal.iter().map(|&action| f64::from(u8::from(action == choice))));
}

fn of_role(view: &RoleView<'_>, action: MoveId) -> RoleMove {
    RoleMove { role: view.role(), action }
}

/// Returns the name of a role as a part of parameter names: letters, digits and dashes.
pub(super) fn stem(game: &RuleFile, role: RoleId) -> String {
    let rules = game.language_rules();
    let plain = |role: RoleId| {
        let words = rules.role_name(role).split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
    };
    let name = plain(role);
    let is_only = game.roles().iter().filter(|&&other| plain(other) == name).count() == 1;
    if is_only && !name.is_empty() { name } else { format!("role-{}-{name}", role.0 + 1) }
}

/// Divides weights by their sum. If the sum is not positive and finite, makes all of them equal.
pub(super) fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    let equal = 1.0 / weights.len() as f64;
    let has_sum = sum > 0.0 && sum.is_finite();
    weights.iter_mut().for_each(|weight| *weight = if has_sum { *weight / sum } else { equal });
}

/// Checks the parameters `theta` of a strategy with this dimension. Builds the layout only for an error.
pub(super) fn check<S: ParametricStrategy<RuleFile>>(
    game: &RuleFile,
    theta: &[f64],
    dimension: usize,
) -> Result<(), ParameterError> {
    let is_finite = theta.iter().all(|parameter| parameter.is_finite());
    if theta.len() == dimension && is_finite { Ok(()) } else { S::space(game).check(theta) }
}

/// A pure strategy for each role. It makes the move with the largest hash of the role's parameter, its history and the
/// move.
///
/// Unless hashes collide, every pure strategy is selected by some number, if the history determines the legal moves. If it
/// does not, the order of the moves is the same in all situations with the same history. Without memory, the set of legal
/// moves replaces the history, so situations with the same legal moves look the same.
#[derive(Debug, Clone)]
pub struct Seeded<const REMEMBERS: bool> {
    /// The hash state of each role's parameter.
    bases: Vec<u64>,
}

impl<const REMEMBERS: bool> Seeded<REMEMBERS> {
    #[inline]
    fn choice(&self, view: &RoleView<'_>) -> MoveId {
        let (rules, role, legal) = (view.rules(), view.role(), view.legal().iter().copied());
        let history = match REMEMBERS {
            true => view.history(),
            false => memoryless_history(rules, role, legal.clone()),
        };
        let choice = seed_choice(rules, role, self.bases[role.0 as usize], history, legal);
        choice.expect("a role that is asked has legal moves")
    }
}

impl<const REMEMBERS: bool> Policy for Seeded<REMEMBERS> {
    /// Without memory, the legal moves decide, and they depend only on the state.
    fn memory(&self, view: &RoleView<'_>) -> u64 {
        if REMEMBERS { view.history() } else { 0 }
    }

    fn probabilities(&self, view: &RoleView<'_>, probabilities: &mut Vec<f64>) {
        certain(view.legal(), self.choice(view), probabilities);
    }
}

impl<const REMEMBERS: bool> Strategy<RuleFile> for Seeded<REMEMBERS> {
    type Memory = ();

    #[inline]
    fn begin(&self, (): &mut (), _seat: Seat) {}

    #[inline]
    fn act<R: Rng>(&self, (): &mut (), view: RoleView<'_>, _: &mut R, action: &mut RoleMove) {
        *action = of_role(&view, self.choice(&view));
    }
}

impl<const REMEMBERS: bool> ParametricStrategy<RuleFile> for Seeded<REMEMBERS> {
    fn space(game: &RuleFile) -> ParameterSpace {
        let parameter = |&role: &RoleId| {
            let meaning = format!(
                "the number of a pure strategy of {}: numbers that are close have nothing in common",
                game.language_rules().role_name(role)
            );
            Parameter::new(stem(game, role), meaning)
        };
        ParameterSpace::new(game.roles().iter().map(parameter).collect())
    }

    fn from_parameters(game: &RuleFile, theta: &[f64]) -> Result<Self, ParameterError> {
        let mut strategy = Seeded { bases: vec![0; game.language_rules().num_roles()] };
        strategy.set_parameters(game, theta)?;
        Ok(strategy)
    }

    fn set_parameters(&mut self, game: &RuleFile, theta: &[f64]) -> Result<(), ParameterError> {
        check::<Self>(game, theta, game.roles().len())?;
        for (&role, &parameter) in game.roles().iter().zip(theta) {
            self.bases[role.0 as usize] = seed_base(parameter, role);
        }
        Ok(())
    }
}

/// A strategy that scores a move by a sum of parameters. Each pair of a move and an item of the role's knowledge is
/// hashed to one parameter and a sign. The items are the true facts, or the role's own moves and percepts of the last
/// steps, or its legal moves.
///
/// Makes the move with the largest score or, if `DRAWS`, a move with a probability proportional to the exponential of
/// its score.
#[derive(Debug, Clone)]
pub struct Linear<const DRAWS: bool> {
    num_features: usize,
    num_remembered: usize,
    /// The parameters, role by role.
    theta: Vec<f64>,
    /// The index of each role among the roles that players play.
    places: Vec<usize>,
}

/// The initial capacity of buffers: more than the moves and items of most files.
const USUAL_ITEMS: usize = 128;

/// Buffers of [`Linear`].
#[derive(Debug, Default)]
pub struct LinearMemory {
    items: Vec<u64>,
    scores: Vec<f64>,
}

impl<const DRAWS: bool> Linear<DRAWS> {
    fn items(&self, view: &RoleView<'_>, items: &mut Vec<u64>) {
        let (rules, role) = (view.rules(), view.role());
        match (rules.information(), view.state()) {
            (Information::Complete, Some(state)) => items_of_state(rules, role, state, items),
            _ if self.num_remembered == 0 => items_of_moves(rules, role, view.legal(), items),
            _ => {
                let recent = view.steps().rev().take(self.num_remembered);
                let recent = recent.map(|step| (step.own, step.percepts));
                items_of_percepts(rules, role, recent, items);
            }
        }
    }

    fn theta(&self, role: RoleId) -> &[f64] {
        let start = self.places[role.0 as usize] * self.num_features;
        &self.theta[start..start + self.num_features]
    }

    fn choice(&self, view: &RoleView<'_>, items: &mut Vec<u64>) -> MoveId {
        self.items(view, items);
        let (role, legal) = (view.role(), view.legal().iter().copied());
        let choice = linear_choice(view.rules(), role, items, self.theta(role), legal);
        choice.expect("a role that is asked has legal moves")
    }

    /// Computes the weights of the moves, and returns their sum.
    fn weights(&self, view: &RoleView<'_>, memory: &mut LinearMemory) -> f64 {
        self.items(view, &mut memory.items);
        let (rules, role) = (view.rules(), view.role());
        memory.scores.clear();
        memory.scores.extend(view.legal().iter().map(|&action| {
            linear_score(&memory.items, rules.move_key(role, action), self.theta(role))
        }));
        let most = memory.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for score in &mut memory.scores {
            *score = libm::exp(*score - most);
            sum += *score;
        }
        sum
    }
}

impl<const DRAWS: bool> Policy for Linear<DRAWS> {
    /// With complete information, the state decides, and otherwise the last steps.
    fn memory(&self, view: &RoleView<'_>) -> u64 {
        if view.state().is_some() {
            return 0;
        }
        let recent = view.steps().rev().take(self.num_remembered);
        recent.fold(0, |hash, Step { own, percepts, .. }| {
            let seen = percepts.iter().map(|percept| u64::from(percept.0) + 1);
            seen.fold(mix(hash ^ u64::from(own.0) << 32), |hash, percept| mix(hash ^ percept))
        })
    }

    fn probabilities(&self, view: &RoleView<'_>, probabilities: &mut Vec<f64>) {
        let mut memory = LinearMemory::default();
        if DRAWS {
            let sum = self.weights(view, &mut memory);
            probabilities.clear();
            probabilities.extend(memory.scores.iter().map(|weight| weight / sum));
        } else {
            let choice = self.choice(view, &mut memory.items);
            certain(view.legal(), choice, probabilities);
        }
    }
}

impl<const DRAWS: bool> Strategy<RuleFile> for Linear<DRAWS> {
    type Memory = LinearMemory;

    const COPY: CopyMemory<LinearMemory> = keep_buffers;

    #[inline]
    fn begin(&self, memory: &mut LinearMemory, _: Seat) {
        // Reserves the space that most games need, so that buffers do not grow during a game.
        memory.items.clear();
        memory.items.reserve(USUAL_ITEMS);
        memory.scores.clear();
        memory.scores.reserve(USUAL_ITEMS);
    }

    fn act<R: Rng>(
        &self,
        memory: &mut LinearMemory,
        view: RoleView<'_>,
        rng: &mut R,
        action: &mut RoleMove,
    ) {
        let choice = if DRAWS {
            let mut left = uniform(rng) * self.weights(&view, memory);
            let passed = memory.scores.iter().position(|weight| {
                left -= weight;
                left < 0.0
            });
            view.legal()[passed.unwrap_or(memory.scores.len() - 1)]
        } else {
            self.choice(&view, &mut memory.items)
        };
        *action = of_role(&view, choice);
    }
}

/// Returns a number in [0, 1), a multiple of 2^-53.
pub(super) fn uniform<R: Rng>(rng: &mut R) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

impl<const DRAWS: bool> ParametricStrategy<RuleFile> for Linear<DRAWS> {
    fn space(game: &RuleFile) -> ParameterSpace {
        let parameter = |role: RoleId, index: u32| {
            let meaning = format!(
                "weight {index} of {}: of pairs of a move and what is known that have this hash",
                game.language_rules().role_name(role)
            );
            Parameter::new(format!("{}-{index}", stem(game, role)), meaning)
        };
        let of_role =
            |&role: &RoleId| (0..game.num_features()).map(move |index| parameter(role, index));
        ParameterSpace::new(game.roles().iter().flat_map(of_role).collect())
    }

    fn from_parameters(game: &RuleFile, theta: &[f64]) -> Result<Self, ParameterError> {
        let num_features = game.num_features() as usize;
        let mut places = vec![0; game.language_rules().num_roles()];
        for (place, role) in game.roles().iter().enumerate() {
            places[role.0 as usize] = place;
        }
        let num_remembered = game.num_remembered();
        let mut strategy = Linear { num_features, num_remembered, theta: Vec::new(), places };
        strategy.set_parameters(game, theta)?;
        Ok(strategy)
    }

    fn set_parameters(&mut self, game: &RuleFile, theta: &[f64]) -> Result<(), ParameterError> {
        check::<Self>(game, theta, game.roles().len() * game.num_features() as usize)?;
        self.theta.clear();
        self.theta.extend_from_slice(theta);
        Ok(())
    }
}

impl LogLinear<RuleFile> for Linear<true> {
    fn act_recorded<R: Rng>(
        &self,
        memory: &mut LinearMemory,
        view: RoleView<'_>,
        rng: &mut R,
        action: &mut RoleMove,
        decisions: &mut Decisions,
    ) {
        self.act(memory, view, rng, action);
        let (rules, role) = (view.rules(), view.role());
        let first = self.places[role.0 as usize] * self.num_features;
        let factor = 1.0 / (memory.items.len() as f64).sqrt();
        for &legal in view.legal() {
            let move_key = rules.move_key(role, legal);
            for &item in &memory.items {
                let (index, is_added) = linear_feature(item, move_key, self.num_features);
                decisions.add_feature(first + index, if is_added { factor } else { -factor });
            }
            decisions.end_action();
        }
        decisions.end_decision(index_of(&view, action));
    }
}

/// Returns the index of an action among the legal moves.
pub(super) fn index_of(view: &RoleView<'_>, action: &RoleMove) -> usize {
    let index = view.legal().binary_search(&action.action);
    index.expect("an action is one of the legal moves, which increase")
}

/// A named strategy for rule files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleFileReference {
    /// Makes a legal move, drawn uniformly.
    Random,
    /// Makes the legal move with the smallest text.
    FirstLegal,
}

/// Returns the reference players of any file.
pub(super) fn references() -> Vec<Reference<RuleFileReference>> {
    vec![
        Reference::new("random", "makes any legal move", RuleFileReference::Random),
        Reference::named("first-legal", RuleFileReference::FirstLegal)
            .meaning("makes the legal move that comes first by its text"),
    ]
}

impl Policy for RuleFileReference {
    fn memory(&self, _: &RoleView<'_>) -> u64 {
        0
    }

    fn probabilities(&self, view: &RoleView<'_>, probabilities: &mut Vec<f64>) {
        let legal = view.legal();
        match self {
            RuleFileReference::Random => {
                probabilities.clear();
                probabilities.resize(legal.len(), 1.0 / legal.len() as f64);
            }
            RuleFileReference::FirstLegal => certain(legal, legal[0], probabilities),
        }
    }
}

impl Strategy<RuleFile> for RuleFileReference {
    type Memory = ();

    #[inline]
    fn begin(&self, (): &mut (), _seat: Seat) {}

    #[inline]
    fn act<R: Rng>(&self, (): &mut (), view: RoleView<'_>, rng: &mut R, action: &mut RoleMove) {
        let legal = view.legal();
        let index = match self {
            RuleFileReference::Random => {
                ((u128::from(rng.next_u64()) * legal.len() as u128) >> 64) as usize
            }
            RuleFileReference::FirstLegal => 0,
        };
        *action = of_role(&view, legal[index]);
    }
}
