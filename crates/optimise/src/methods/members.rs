//! A population with the payoffs between its members, from which double oracle and the hall of fame take their mixtures.

use ruse_base::stop::Result;
use ruse_play::family::{Player, Weighted};
use ruse_play::race::Decision;
use serde::{Deserialize, Serialize};

use super::method::{Against, Iteration, Joined, Lesson, Oracle, Question, Step, draw_by_weight};
use super::training::Trainings;
use super::visitors::{MEETING_PAIRS, Visitors, last_of, lightest, mean, meetings};
use super::wide_responses::WideResponse;

/// The members of a population, with their scores and weights. Members are indices in the population, which has no part in
/// this state.
#[derive(Serialize, Deserialize)]
pub(super) struct Members {
    /// The members, as indices in the population.
    pub(super) members: Vec<usize>,
    /// The mean score of each opponent against every opponent, in [0, 1]. The opponents are the members. If the baseline is an
    /// opponent, too, it comes first.
    pub(super) scores: Vec<Vec<f64>>,
    /// The weights of these opponents in the mixture.
    pub(super) weights: Vec<f64>,
    /// The trainings of responses, if the option `responses` names a method.
    #[serde(default, skip_serializing_if = "Trainings::is_new")]
    pub(super) trainings: Trainings,
    /// The opponents from outside the family, if the run has a source of them.
    #[serde(default, skip_serializing_if = "Visitors::is_new")]
    pub(super) visitors: Visitors,
}

/// The rules by which a method keeps its members.
pub(super) struct Rules {
    /// The maximum number of members, not counting the baseline.
    pub(super) max_members: usize,
    /// Returns the equilibrium of a symmetric game, where `scores[i][j]` is the score of i against j.
    pub(super) equilibrium: fn(scores: &[Vec<f64>]) -> Vec<f64>,
    /// Whether a newcomer that cannot meet the others counts as if it had its score against the mixture against each of them,
    /// or as if it won all games.
    pub(super) keeps_score: bool,
}

impl Members {
    /// Creates the members at the start: strategy 0, and the baseline if it is an opponent. None have played each other yet.
    pub(super) fn new(with_baseline: bool) -> Members {
        let size = 1 + usize::from(with_baseline);
        Members {
            members: vec![0],
            scores: vec![vec![0.5; size]; size],
            weights: last_of(size),
            trainings: Trainings::default(),
            visitors: Visitors::default(),
        }
    }

    /// Returns `true` if a saved state fits the population. The baseline is an opponent if `with_baseline` is set.
    pub(super) fn is_sound(&self, population: &[Vec<f64>], with_baseline: bool) -> bool {
        let num = self.members.len();
        let size = num + usize::from(with_baseline);
        num > 0
            && self.members.iter().all(|&member| member < population.len())
            && self.scores.len() == size
            && self.scores.iter().all(|row| row.len() == size)
            && self.weights.len() == size
            && self.trainings.is_sound(population[0].len())
            && self.visitors.is_sound(num, size)
    }

    /// Returns the index of the first member among the opponents: 1 if the baseline is an opponent, otherwise 0.
    fn first(&self) -> usize {
        self.scores.len() - self.members.len()
    }

    /// Returns the weights of the members, which may sum to less than 1 if the baseline is an opponent.
    pub(super) fn own_weights(&self) -> &[f64] {
        &self.weights[self.first()..]
    }

    /// Returns the index, in the population, of the member with the largest weight; among equal weights, the latest
    /// member.
    pub(super) fn heaviest(&self) -> usize {
        let heaviest =
            self.members.iter().zip(self.own_weights()).max_by(|x, y| x.1.total_cmp(y.1));
        *heaviest.expect("there is always a member").0
    }

    /// Returns the members with positive weight, divided by `total`.
    pub(super) fn support(&self, total: f64, population: &[Vec<f64>]) -> Vec<Weighted<Player>> {
        let weighted = self.members.iter().zip(self.own_weights());
        let positive = weighted.filter(|(_, weight)| **weight > 0.0);
        let member = |(&index, weight): (&usize, &f64)| Weighted {
            weight: weight / total,
            of: population[index].as_slice().into(),
        };
        positive.map(member).collect()
    }

    /// Draws a member by its weight, and returns its index in the population. `total` is the sum of the weights.
    pub(super) fn drawn(&self, total: f64, oracle: &mut dyn Oracle) -> usize {
        let weighted = self.members.iter().zip(self.own_weights());
        let weighted = weighted.map(|(&of, &weight)| Weighted { weight, of });
        draw_by_weight(weighted, total, oracle).unwrap_or_else(|| self.heaviest())
    }

    /// Returns the mixture that is hardest to beat. Beside the baseline, it lists members without weight, too.
    pub(super) fn hardest(&self, all: &[Vec<f64>], oracle: &dyn Oracle) -> Vec<Weighted<Player>> {
        let baseline = (self.first() > 0).then(|| oracle.baseline());
        let own = self.members.iter().map(|&index| Player::from(all[index].as_slice()));
        let players = baseline.into_iter().chain(own);
        if !self.visitors.is_empty() {
            return self.visitors.hardest(players, oracle);
        }
        let all = players.zip(&self.weights).map(|(of, &weight)| Weighted { weight, of });
        all.filter(|member| self.first() > 0 || member.weight > 0.0).collect()
    }

    /// Compares a candidate with the hardest mixture.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end.
    pub(super) fn compare(
        &self,
        candidate: &[f64],
        mixture: &[Weighted<Player>],
        population: &[Vec<f64>],
        oracle: &mut dyn Oracle,
    ) -> Result<Decision> {
        let question = match self.visitors.is_empty() {
            true => Question::BeatsMixture(mixture),
            // The value of the game is not one half. The champion scores it.
            false => {
                Question::DoesBetterAgainst { incumbent: &population[self.heaviest()], mixture }
            }
        };
        oracle.compare(candidate, question)
    }

    /// Computes the weights of the opponents.
    fn balance(&mut self, rules: &Rules) {
        let first = self.first();
        self.weights = match self.visitors.is_empty() {
            true => (rules.equilibrium)(&self.scores),
            // The baseline is an opponent only.
            false => [vec![0.0; first], self.visitors.solve(&self.scores[first..])].concat(),
        };
    }

    /// Adds `newcomer`, which joins the population after the iteration: it plays all opponents, and the mixture is computed
    /// again. `score` is its score against the mixture, which is all that is known of it near the end of the budget.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end; the members are then unchanged.
    pub(super) fn admit(
        &mut self,
        newcomer: &[f64],
        score: f64,
        rules: &Rules,
        population: &[Vec<f64>],
        oracle: &mut dyn Oracle,
    ) -> Result {
        let first = self.first();
        let mut players: Vec<Player> = (0..first).map(|_| oracle.baseline()).collect();
        let own = self.members.iter().map(|&index| population[index].as_slice());
        players.extend(own.chain([newcomer]).map(Player::from));
        let a = players.len() - 1;
        let mut fixtures = meetings((0..a).map(|b| (a, b)));
        if first == 1 && a == 2 {
            // The first meeting of the baseline and the start is played here, too.
            fixtures.extend(meetings([(1, 0)].into_iter()));
        }
        let games = 2 * MEETING_PAIRS * fixtures.len() as u64;
        let mut scores: Vec<f64> = match oracle.games_left() < games {
            true => vec![if rules.keeps_score { score } else { 1.0 }; a],
            false => oracle.play(&players, &fixtures)?.iter().map(mean).collect(),
        };
        let mut visitors = self.visitors.clone();
        visitors.meet(newcomer, oracle)?;

        self.visitors = visitors;
        if let Some(&score) = scores.get(a) {
            self.scores[1][0] = score;
            self.scores[0][1] = 1.0 - score;
            scores.truncate(a);
        }
        for (row, score) in self.scores.iter_mut().zip(&scores) {
            row.push(1.0 - score);
        }
        self.scores.push(scores.into_iter().chain([0.5]).collect());
        self.members.push(population.len());
        self.balance(rules);
        if self.members.len() > rules.max_members {
            // The newcomer stays: it has just beaten the mixture of the others.
            let lightest = lightest(&self.own_weights()[..self.members.len() - 1]);
            self.members.remove(lightest);
            self.scores.remove(first + lightest);
            self.scores.iter_mut().for_each(|row| {
                row.remove(first + lightest);
            });
            self.visitors.forget(lightest);
            self.balance(rules);
        }
        Ok(())
    }

    /// Asks for a response among all players of the game to the mixture that is hardest to beat. A strategy of the family joins
    /// the population; another player becomes a visitor.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end; the iteration then has no effect.
    pub(super) fn ask(
        &mut self,
        rules: &Rules,
        population: &[Vec<f64>],
        oracle: &mut dyn Oracle,
    ) -> Result<Iteration> {
        let mixture = self.hardest(population, oracle);
        let mut visitors = self.visitors.clone();
        let (response, estimate) = visitors.ask(&mixture, oracle)?;
        let step = Step::Learned { lesson: Lesson::Response, estimate };
        let mut done = Iteration { step, joined: None };
        match response {
            None => self.visitors = visitors,
            Some(WideResponse::Own(parameters)) => {
                let before = std::mem::replace(&mut self.visitors, visitors);
                self.admit(&parameters, estimate.score, rules, population, oracle)
                    .inspect_err(|_| self.visitors = before)?;
                done.joined = Some(Joined { parameters, against: Against::Mixture });
            }
            Some(WideResponse::Visitor(visitor)) => {
                let members: Vec<&[f64]> =
                    self.members.iter().map(|&index| population[index].as_slice()).collect();
                let is_new = visitors.welcome(visitor, &members, oracle)?;
                self.visitors = visitors;
                if is_new {
                    self.balance(rules);
                }
            }
        }
        Ok(done)
    }
}
