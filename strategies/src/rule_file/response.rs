//! Exact best responses in games from rule files that are small enough to enumerate.

use std::collections::{BTreeMap, HashMap};

use ruse_games::BySeat;
use ruse_games::rule_file::{Position, RuleFile, Walk};
use ruse_gdl::{Information, MoveId, PerceptId, PlayError, RoleId, State};

use super::expected::expected_goals;
use super::policy::Policy;

/// The largest number of joint moves that are enumerated, which takes a few seconds.
const MAX_MOVES: u64 = 2_000_000;

/// A position that the responder considers possible, with its weights.
struct Possible {
    position: Position,
    /// For each strategy of the opponent, the probability of the strategy times the probability that its moves and the
    /// moves of chance lead to the position.
    weights: Vec<f64>,
}

/// The reason why there is no best response.
enum Stopped {
    /// The enumeration takes too long.
    TooLarge,
    /// The file has an error.
    Fault,
}

impl From<PlayError> for Stopped {
    fn from(_: PlayError) -> Stopped {
        Stopped::Fault
    }
}

/// The information of a role after a step: its percepts, the joint move if the role sees it, and its legal moves, which
/// are empty at the end.
type Seen = (Vec<PerceptId>, Vec<MoveId>, Vec<MoveId>);

/// Enumerates the game from the point of view of one role, which plays optimally.
struct Responder<'a> {
    walk: Walk,
    role: RoleId,
    policies: Vec<&'a dyn Policy>,
    /// The number of joint moves that may still be enumerated.
    left: u64,
    /// The values of positions, by state and number of steps. `None` if these two do not determine the value.
    known: Option<HashMap<(State, u32), f64>>,
}

/// Returns the payoff of the best response to a mixture of strategies, for each seat of the responder. Returns `None`
/// if the enumeration takes too long, or if a side has several roles that would have to coordinate without having the
/// same information.
///
/// The opponent plays the other role by one of the strategies, which is drawn according to their probabilities. The
/// enumeration follows the knowledge of the role from the start: at each decision, the positions that the role
/// considers possible, and their weights, do not depend on the role's later moves.
pub(super) fn best_response(
    game: &RuleFile,
    mixture: &[(f64, &dyn Policy)],
) -> Option<BySeat<f64>> {
    let respond = |role: RoleId| {
        let policies = mixture.iter().map(|&(_, policy)| policy).collect();
        let mut responder = Responder::new(game, role, policies);
        let weights = mixture.iter().map(|&(probability, _)| probability).collect();
        let start = Possible { position: responder.walk.start(), weights };
        responder.value(vec![start]).ok()
    };
    match (game.plays_alone(), game.roles()) {
        (false, &[first, second]) => {
            Some(BySeat { first: respond(first)?, second: respond(second)? })
        }
        (true, &[only]) => {
            // The opponent plays the same role in a separate game.
            let own = respond(only)?;
            let theirs = mean_goal(game, only, mixture)?;
            Some(BySeat::from_fn(|_| (1.0 + own - theirs) / 2.0))
        }
        _ => None,
    }
}

/// Returns the mean goal, 0 to 1, of a mixture that plays the only role.
fn mean_goal(game: &RuleFile, role: RoleId, mixture: &[(f64, &dyn Policy)]) -> Option<f64> {
    let mut value = 0.0;
    for &(probability, policy) in mixture {
        value += probability * expected_goals(game, &|_| policy, MAX_MOVES)?[role.0 as usize];
    }
    Some(value / 100.0)
}

impl<'a> Responder<'a> {
    fn new(game: &RuleFile, role: RoleId, policies: Vec<&'a dyn Policy>) -> Responder<'a> {
        let is_open = game.language_rules().information() == Information::Complete;
        let by_state = is_open && policies.len() == 1 && policies[0].goes_by_state();
        let known = by_state.then(HashMap::new);
        Responder { walk: Walk::new(game), role, policies, left: MAX_MOVES, known }
    }

    /// Returns the value of optimal play from positions that the role cannot distinguish: the sum over the positions of
    /// the payoff, 0 to 1, times the weight.
    fn value(&mut self, possible: Vec<Possible>) -> Result<f64, Stopped> {
        if let (Some(known), [Possible { position, weights }]) = (&self.known, &possible[..]) {
            let weight = weights[0];
            let place = (position.state().clone(), position.num_steps());
            if let Some(value) = known.get(&place) {
                return Ok(value * weight);
            }
            let position = position.clone();
            let value = self.value_of_choices(vec![Possible { position, weights: vec![1.0] }])?;
            self.known.get_or_insert_default().insert(place, value);
            return Ok(value * weight);
        }
        self.value_of_choices(possible)
    }

    /// Like [`value`](Responder::value), but without the cache.
    fn value_of_choices(&mut self, possible: Vec<Possible>) -> Result<f64, Stopped> {
        let Some(first) = possible.first() else { return Ok(0.0) };
        if self.walk.enter(&first.position)? {
            let mut value = 0.0;
            for Possible { position, weights } in &possible {
                self.walk.enter(position)?;
                value += self.payoff()? * weights.iter().sum::<f64>();
            }
            return Ok(value);
        }
        let legal = self.walk.legal(self.role).to_vec();
        let mut best = f64::NEG_INFINITY;
        for action in legal {
            let mut groups: BTreeMap<Seen, Vec<Possible>> = BTreeMap::new();
            for before in &possible {
                self.add_successors(before, action, &mut groups)?;
            }
            let mut value = 0.0;
            for (_, group) in groups {
                value += self.value(group)?;
            }
            best = best.max(value);
        }
        Ok(best)
    }

    /// Returns the payoff to the role, 0 to 1, at the position that was entered last, which is final.
    fn payoff(&self) -> Result<f64, Stopped> {
        let goal = |role: RoleId| self.walk.goal(role).map(f64::from);
        let own = goal(self.role)?;
        let other = self.walk.game().roles().iter().find(|&&role| role != self.role);
        Ok(match other {
            Some(&other) => (own - goal(other)? + 100.0) / 200.0,
            None => own / 100.0,
        })
    }

    /// Adds the successors of a position after the role has taken `action`, grouped by what the role sees.
    fn add_successors(
        &mut self,
        before: &Possible,
        action: MoveId,
        groups: &mut BTreeMap<Seen, Vec<Possible>>,
    ) -> Result<(), Stopped> {
        self.walk.enter(&before.position)?;
        let other = self.walk.game().roles().iter().copied().find(|&role| role != self.role);
        // For each strategy, the probabilities of the other role's moves.
        let moves = other.map_or(Vec::new(), |role| self.walk.legal(role).to_vec());
        let mut chosen = Vec::new();
        if let Some(other) = other {
            let view = self.walk.view(&before.position, other);
            for policy in &self.policies {
                let mut probabilities = Vec::new();
                policy.probabilities(&view, &mut probabilities);
                chosen.push(probabilities);
            }
        }
        let their_moves: Vec<Option<(RoleId, MoveId)>> = match other {
            Some(role) => moves.iter().map(|&action| Some((role, action))).collect(),
            None => vec![None],
        };
        for (index, their_move) in their_moves.into_iter().enumerate() {
            let weights: Vec<f64> = match their_move {
                Some(_) => {
                    let each = before.weights.iter().zip(&chosen);
                    each.map(|(weight, chosen)| weight * chosen[index]).collect()
                }
                None => before.weights.clone(),
            };
            if weights.iter().all(|&weight| weight == 0.0) {
                continue;
            }
            for (position, chance) in self.successors(&before.position, action, their_move)? {
                let weights = weights.iter().map(|weight| weight * chance).collect();
                let seen = self.seen(&position)?;
                groups.entry(seen).or_default().push(Possible { position, weights });
            }
        }
        Ok(())
    }

    /// Returns the successors of a position with their probabilities, one for each move of `random`.
    fn successors(
        &mut self,
        position: &Position,
        action: MoveId,
        their_move: Option<(RoleId, MoveId)>,
    ) -> Result<Vec<(Position, f64)>, Stopped> {
        self.walk.enter(position)?;
        let rules = self.walk.game().language_rules().clone();
        let mut joint = vec![MoveId::default(); rules.num_roles()];
        joint[self.role.0 as usize] = action;
        if let Some((role, action)) = their_move {
            joint[role.0 as usize] = action;
        }
        let random = rules.random();
        let chances = random.map_or(vec![None], |role| {
            self.walk.legal(role).iter().map(|&action| Some((role, action))).collect()
        });
        self.left = self.left.checked_sub(chances.len() as u64).ok_or(Stopped::TooLarge)?;
        let chance = 1.0 / chances.len() as f64;
        let mut successors = Vec::with_capacity(chances.len());
        for drawn in chances {
            if let Some((role, action)) = drawn {
                joint[role.0 as usize] = action;
            }
            successors.push((self.walk.after(position, &joint), chance));
        }
        Ok(successors)
    }

    /// Returns the information of the role at a position: the percepts and moves that it saw in the step before, and
    /// its legal moves.
    fn seen(&mut self, position: &Position) -> Result<Seen, Stopped> {
        let is_over = self.walk.enter(position)?;
        let view = self.walk.view(position, self.role);
        let step = view.step(view.num_steps() - 1);
        let joint = step.joint.map_or(Vec::new(), <[MoveId]>::to_vec);
        let legal = if is_over { Vec::new() } else { self.walk.legal(self.role).to_vec() };
        Ok((step.percepts.to_vec(), joint, legal))
    }
}
