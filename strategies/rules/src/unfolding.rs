//! Games from rule files, as the [belief walk](ruse_strategies::certificate) sees them.

use ruse_games::BySeat;
use ruse_games::rule_file::{Position, RuleFile, Walk};
use ruse_gdl::{AtCap, Information, MoveId, PlayError, RoleId, State, mix};
use ruse_strategies::certificate::{
    Bounds, Certificate, Horizon, Outcome, Successor, Unfold, Work, certify,
};

use super::policy::Policy;

/// A position, and the strategy drawn from the mixture.
#[derive(Debug, Clone)]
pub(super) struct Place {
    position: Position,
    member: u32,
}

/// The observation of the responder in a step: a hash of the [news](ruse_games::rule_file::RoleView::news) of its roles.
pub(super) type Seen = u64;

/// The largest number of joint moves in one position. Each becomes a successor with its position, which takes some hundred
/// bytes.
const MAX_SUCCESSORS: usize = 4_000_000;

/// A game between a responder and a mixture of strategies; each plays some roles.
pub(super) struct Unfolding<'a> {
    walk: Walk,
    own: Vec<RoleId>,
    others: Vec<RoleId>,
    mixture: &'a [(f64, &'a dyn Policy)],
    work: &'a Work<'a>,
}

/// A list of moves of several roles, with the probability of the moves.
pub(super) type Joint = (Vec<(RoleId, MoveId)>, f64);

/// Returns all lists of one move of each role, with the products of the probabilities. The move of the last role changes
/// first.
pub(super) fn product(choices: &[(RoleId, Vec<(MoveId, f64)>)]) -> Vec<Joint> {
    choices.iter().fold(vec![(Vec::new(), 1.0)], |joints: Vec<Joint>, (role, moves)| {
        let extended = |(joint, probability): &Joint, (action, share): &(MoveId, f64)| {
            ([&joint[..], &[(*role, *action)]].concat(), probability * share)
        };
        joints
            .iter()
            .flat_map(|joint| moves.iter().map(move |next| extended(joint, next)))
            .collect()
    })
}

impl<'a> Unfolding<'a> {
    /// Creates the game in which the responder plays the roles `own`.
    pub(super) fn new(
        game: &RuleFile,
        own: &[RoleId],
        mixture: &'a [(f64, &'a dyn Policy)],
        work: &'a Work<'a>,
    ) -> Unfolding<'a> {
        let others = game.roles().iter().copied().filter(|role| !own.contains(role)).collect();
        Unfolding { walk: Walk::new(game), own: own.to_vec(), others, mixture, work }
    }

    /// Returns the cursor, at the position that was expanded last.
    pub(super) fn walk(&self) -> &Walk {
        &self.walk
    }

    fn is_complete(&self) -> bool {
        self.walk.game().language_rules().information() == Information::Complete
    }

    /// Returns the payoff to the responder, 0 to 1, at the final position entered last. If one side plays no role, this
    /// is the mean goal of the other side.
    fn payoff(&self) -> Result<f64, PlayError> {
        let mean = |roles: &[RoleId]| {
            let goals = roles.iter().map(|&role| self.walk.goal(role).map(f64::from));
            let sum = goals.sum::<Result<f64, PlayError>>();
            sum.map(|sum| sum / roles.len().max(1) as f64)
        };
        Ok(self.payoff_of(mean(&self.own)?, mean(&self.others)?))
    }

    /// Returns the payoff to the responder for the mean goals of both sides, 0 to 100.
    fn payoff_of(&self, own: f64, others: f64) -> f64 {
        match (&self.own[..], &self.others[..]) {
            (_, []) => own / 100.0,
            ([], _) => others / 100.0,
            _ => (own - others + 100.0) / 200.0,
        }
    }

    /// Returns what the responder sees at the position after a joint move.
    fn seen(&mut self, position: &Position) -> Result<Seen, PlayError> {
        if self.is_complete() {
            // All roles see the same.
            return Ok(self.walk.view(position, self.walk.game().roles()[0]).news());
        }
        self.walk.enter(position)?;
        Ok(self.own.iter().fold(0, |seen, &role| mix(seen ^ self.walk.view(position, role).news())))
    }
}

impl Unfold for Unfolding<'_> {
    type Place = Place;
    type Key = (u32, State, Vec<u64>);
    type Seen = Seen;
    type Fault = PlayError;

    /// With complete information, strategies choose by the state and by what they remember, at any step.
    fn horizon(&self) -> Option<Horizon> {
        let (steps, at_cap) = self.walk.game().cap();
        let goal = match at_cap {
            AtCap::Error => None,
            AtCap::Draw => Some(50.0),
            AtCap::Zero => Some(0.0),
        };
        let payoff = goal.map(|goal| self.payoff_of(goal, goal));
        (self.is_complete() && self.mixture.len() == 1).then_some(Horizon { steps, payoff })
    }

    fn start(&mut self, successors: &mut Vec<Successor<Place, Seen>>) {
        for (member, &(probability, _)) in (0..).zip(self.mixture) {
            let place = Place { position: self.walk.start(), member };
            successors.push(Successor { action: 0, seen: Seen::default(), place, probability });
        }
    }

    fn key(&self, Place { position, member }: &Place) -> Self::Key {
        let policy = self.mixture[*member as usize].1;
        let memory = |&role: &RoleId| policy.memory(&self.walk.view(position, role));
        (*member, position.state().clone(), self.others.iter().map(memory).collect())
    }

    fn expand(
        &mut self,
        Place { position, member }: &Place,
        successors: &mut Vec<Successor<Place, Seen>>,
    ) -> Result<Outcome, PlayError> {
        if self.walk.enter(position)? {
            return Ok(Outcome::Over(self.payoff()?));
        }
        let policy = self.mixture[*member as usize].1;
        let rules = self.walk.game().language_rules().clone();
        // The moves of all other roles with a positive probability, and the moves of the responder.
        let mut others: Vec<(RoleId, Vec<(MoveId, f64)>)> = Vec::new();
        let mut probabilities = Vec::new();
        for &role in &self.others {
            policy.probabilities(&self.walk.view(position, role), &mut probabilities);
            let moves = self.walk.legal(role).iter().copied().zip(probabilities.iter().copied());
            others.push((role, moves.filter(|&(_, probability)| probability > 0.0).collect()));
        }
        let with_share = |role, share: f64| {
            (role, self.walk.legal(role).iter().map(|&action| (action, share)).collect::<Vec<_>>())
        };
        let share = |role| 1.0 / self.walk.legal(role).len() as f64;
        others.extend(rules.random().map(|random| with_share(random, share(random))));
        let own: Vec<_> = self.own.iter().map(|&role| with_share(role, 1.0)).collect();
        let num = others.iter().chain(&own).map(|(_, moves)| moves.len());
        if num.fold(1, usize::saturating_mul) > MAX_SUCCESSORS {
            return Ok(Outcome::Unknown);
        }
        let [theirs, actions] = [product(&others), product(&own)];
        let mut joint = vec![MoveId::default(); rules.num_roles()];
        for (action, (own, _)) in (0..).zip(&actions) {
            for &(role, chosen) in own {
                joint[role.0 as usize] = chosen;
            }
            for (others, probability) in &theirs {
                for &(role, chosen) in others {
                    joint[role.0 as usize] = chosen;
                }
                let after = self.walk.after(position, &joint);
                let seen = self.seen(&after)?;
                let place = Place { position: after, member: *member };
                let probability = *probability;
                successors.push(Successor { action, seen, place, probability });
                if self.work.stops_at(successors.len()) {
                    return Ok(Outcome::Unknown);
                }
            }
        }
        Ok(Outcome::Actions(actions.len() as u32))
    }
}

/// Returns bounds on the score of the best response to a mixture of strategies, or `None` if the file is at fault.
///
/// The roles of a side do not share knowledge. If a side has several roles that do not see everything, the responder of
/// the walk knows more than they do, so its value is only an upper bound.
pub fn certificate(
    game: &RuleFile,
    mixture: &[(f64, &dyn Policy)],
    work: &Work<'_>,
) -> Option<Certificate> {
    let respond = |own: &[RoleId]| {
        let bounds = certify(&mut Unfolding::new(game, own, mixture, work), work).ok()?;
        let shares = own.len() < 2 || game.language_rules().information() == Information::Complete;
        Some(if shares { bounds } else { bounds.of_separate_roles() })
    };
    let roles = game.roles();
    if game.plays_alone() {
        // The opponent plays the same roles in a separate game.
        let (own, theirs) = rayon::join(|| respond(roles), || respond(&[]));
        let [own, theirs] = [own?, theirs?];
        let score = |own: f64, theirs: f64| (1.0 + own - theirs) / 2.0;
        let bounds = Bounds {
            low: score(own.low, theirs.high),
            high: score(own.high, theirs.low),
            basis: own.basis.max(theirs.basis),
            ..own
        };
        return Some(Certificate { seats: BySeat { first: bounds, second: bounds } });
    }
    // With three or more roles, the role of the first seat is drawn. With two, the first seat has the first role.
    let lone_roles = if roles.len() == 2 { &roles[..1] } else { roles };
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for &lone in lone_roles {
        let rest: Vec<RoleId> = roles.iter().copied().filter(|&role| role != lone).collect();
        let (lone, rest) = rayon::join(|| respond(&[lone]), || respond(&rest));
        first.push(lone?);
        second.push(rest?);
    }
    Some(Certificate {
        seats: BySeat { first: Bounds::mean(&first), second: Bounds::mean(&second) },
    })
}
