//! Exact scores in games from rule files that are small enough to enumerate.

use ruse_games::rule_file::{Position, RuleFile, Walk};
use ruse_gdl::{MoveId, RoleId};

use super::policy::Policy;
use super::unfolding::product;

/// Returns the expected goal of each role, 0 to 100, if each role plays by its policy. The entry of `random` is 0.
/// Returns `None` if more than `most_moves` joint moves have a positive probability, or if the file has an error.
pub(super) fn expected_goals<'a>(
    game: &RuleFile,
    policy_of: &dyn Fn(RoleId) -> &'a dyn Policy,
    most_moves: u64,
) -> Option<Vec<f64>> {
    let walk = Walk::new(game);
    let goals = vec![0.0; game.language_rules().num_roles()];
    let start = walk.start();
    let mut sum = Sum { walk, policy_of, left: most_moves, goals };
    sum.add(&start, 1.0)?;
    Some(sum.goals)
}

struct Sum<'a, 'f> {
    walk: Walk,
    policy_of: &'f dyn Fn(RoleId) -> &'a dyn Policy,
    left: u64,
    goals: Vec<f64>,
}

impl Sum<'_, '_> {
    /// Adds the expected goals from a position, times the probability of the position.
    fn add(&mut self, position: &Position, probability: f64) -> Option<()> {
        let game = self.walk.game().clone();
        if self.walk.enter(position).ok()? {
            for &role in game.roles() {
                let goal = self.walk.goal(role).ok()?;
                self.goals[role.0 as usize] += probability * f64::from(goal);
            }
            return Some(());
        }
        let roles = game.language_rules().roles();
        let choices: Vec<_> = roles.map(|role| (role, self.choices(position, role))).collect();
        let num_joint = choices.iter().map(|(_, moves)| moves.len() as u64);
        self.left = self.left.checked_sub(num_joint.fold(1, u64::saturating_mul))?;
        for (joint, together) in product(&choices) {
            let joint: Vec<MoveId> = joint.into_iter().map(|(_, action)| action).collect();
            let after = self.walk.after(position, &joint);
            self.add(&after, probability * together)?;
        }
        Some(())
    }

    /// Returns the moves with positive probability of a role in the position entered last, with their probabilities.
    fn choices(&self, position: &Position, role: RoleId) -> Vec<(MoveId, f64)> {
        let legal = self.walk.legal(role);
        let mut probabilities = Vec::new();
        if Some(role) == self.walk.game().language_rules().random() {
            probabilities.resize(legal.len(), 1.0 / legal.len() as f64);
        } else {
            let view = self.walk.view(position, role);
            (self.policy_of)(role).probabilities(&view, &mut probabilities);
        }
        let all = legal.iter().copied().zip(probabilities);
        all.filter(|&(_, probability)| probability > 0.0).collect()
    }
}

/// The expected results of two players in pairs of games.
pub(super) struct Results {
    /// The score of the first player, 0 to 1.
    pub(super) score: f64,
    /// The mean goal of each player, 0 to 100.
    pub(super) goals: [f64; 2],
}

/// Returns the results of the mixture `a` in pairs against the mixture `b`, or `None` if the game is too large.
pub(super) fn exact_results(
    game: &RuleFile,
    a: &[(f64, &dyn Policy)],
    b: &[(f64, &dyn Policy)],
    most_moves: u64,
) -> Option<Results> {
    if game.plays_alone() {
        let goals = [mean_of_roles(game, a, most_moves)?, mean_of_roles(game, b, most_moves)?];
        let score = (1.0 + goals[0] - goals[1]) / 2.0;
        return Some(Results { score, goals: goals.map(|goal| 100.0 * goal) });
    }
    let mut sum = Results { score: 0.0, goals: [0.0; 2] };
    for &(share, policy) in a {
        for &(other_share, other) in b {
            let of_two = results_of_two(game, policy, other, most_moves)?;
            sum.score += share * other_share * of_two.score;
            for (sum, goal) in sum.goals.iter_mut().zip(of_two.goals) {
                *sum += share * other_share * goal;
            }
        }
    }
    Some(sum)
}

/// Returns the mean goal, 0 to 1, of the roles if a mixture plays all of them.
fn mean_of_roles(game: &RuleFile, mixture: &[(f64, &dyn Policy)], most_moves: u64) -> Option<f64> {
    let mut mean = 0.0;
    for &(share, policy) in mixture {
        let goals = expected_goals(game, &|_| policy, most_moves)?;
        mean += share * goals.iter().sum::<f64>() / (100.0 * game.roles().len() as f64);
    }
    Some(mean)
}

/// Returns the mean results of `a` and `b` over all ways to deal the roles.
fn results_of_two(game: &RuleFile, a: &dyn Policy, b: &dyn Policy, most: u64) -> Option<Results> {
    let roles = game.roles();
    // If there are two roles, the first seat has the first role, and each player plays once in each seat.
    let lone_roles = if roles.len() == 2 { &roles[..1] } else { roles };
    let mut sum = Results { score: 0.0, goals: [0.0; 2] };
    for &lone in lone_roles {
        // The goal of the lone role, and the mean of the others, from 0 to 100.
        let goals = |alone: &dyn Policy, others: &dyn Policy| {
            let goals =
                expected_goals(game, &|role| if role == lone { alone } else { others }, most)?;
            let own = goals[lone.0 as usize];
            Some([own, (goals.iter().sum::<f64>() - own) / (roles.len() - 1) as f64])
        };
        let [[a_alone, b_beside], [b_alone, a_beside]] = [goals(a, b)?, goals(b, a)?];
        let pair = ((a_alone - b_beside) - (b_alone - a_beside)) / 2.0;
        sum.score += (pair + 100.0) / 200.0;
        sum.goals[0] += (a_alone + a_beside) / 2.0;
        sum.goals[1] += (b_alone + b_beside) / 2.0;
    }
    let num_ways = lone_roles.len() as f64;
    Some(Results { score: sum.score / num_ways, goals: sum.goals.map(|goal| goal / num_ways) })
}
