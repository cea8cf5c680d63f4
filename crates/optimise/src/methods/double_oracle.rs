//! Double oracle: extends a population with best responses to its own equilibrium.
//!
//! After McMahan, Gordon & Blum, *Planning in the presence of cost functions controlled by an adversary*, ICML 2003,
//! and its variant for games that can only be explored by playing them: Lanctot et al., *A unified game-theoretic
//! approach to multiagent reinforcement learning*, NIPS 2017, algorithm 1 (policy-space response oracles, PSRO).
//!
//! The population has an empirical payoff matrix: the scores of its members against each other, estimated from games
//! that the budget pays for. Its equilibrium is the mixture that no member exploits ([`PayoffMatrix`]). A search with
//! the step sizes of a (1+1) evolution strategy looks for a best response to this mixture: a candidate replaces the
//! response found so far if a race finds that the candidate scores more against the mixture. After [`PATIENCE`]
//! consecutive refusals the search is over. If a further race finds that the response beats the mixture, the response
//! joins the population and plays all members. Otherwise the search is widened: it restarts from a random individual.
//! By default ([`UsualRaces::OURS`]), a race accepts only candidates that are proven better; the user can choose
//! another rule.
//!
//! Other methods can find the best responses instead (`training.rs`, option `responses`). A training is one attempt to
//! learn to play against the mixture, and gets a sixteenth of the budget. It starts from a member or, if the last
//! training failed, from a random individual.
//!
//! The run may have a source of responses among all players of the game, which then gets half of the games
//! (`visitors.rs`).
//!
//! Deviations: a best response is the result of a search. A double oracle ends when no response beats the mixture; a
//! run continues with another search instead. The two seats of a symmetric game share one population. If there are more
//! than [`MAX_MEMBERS`] members, the member with the smallest weight is removed.
//!
//! The incumbent is the member with the largest weight; among equal weights, it is the latest member. The incumbent is
//! a single strategy and may be exploitable even if the mixture is not. The mixture is the more useful result of the
//! method ([`Method::mixture`]): a run writes it to `mixture.yaml`.
//!
//! Time: one race for each candidate; for each new member, a linear program and `MEETING_PAIRS` pairs against every
//! other member. Space: `MAX_MEMBERS` members and their scores.

use ruse_play::arena::Stopped;
use ruse_play::family::{Player, Weighted};
use ruse_play::matrix::PayoffMatrix;
use ruse_play::race::{Decision, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kind::{MethodKind, UsualRaces};
use super::method::{
    Against, Fixture, Iteration, Joined, Method, Oracle, Question, Step, draw_by_weight,
};
use super::state_error::StateError;
use super::training::{Responses, Trainings};
use super::visitors::{Host, Visitors};
use super::{FIRST_SIGMA, SIGMA_RANGE};

/// The maximum number of members in the payoff matrix.
const MAX_MEMBERS: usize = 64;
/// The number of pairs that two members play to estimate their score against each other.
const MEETING_PAIRS: u64 = 200;
/// The number of consecutive refused candidates after which a search is over. If one candidate in five is accepted (the
/// rate at which the step size stays constant), one search in six ends too early.
const PATIENCE: usize = 8;
/// If the step size of a search from a member falls below this value, the next search from a member begins with the
/// initial step size.
const MIN_SIGMA: f64 = 0.01;

/// The state of the method between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct DoubleOracle {
    options: DoubleOracleKind,
    /// The start, and every member that joined later.
    population: Vec<Vec<f64>>,
    memory: Memory,
    /// The index of the champion in the population.
    champion: usize,
}

/// The state of the method apart from the population.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    /// The members in the payoff matrix, as indices in the population.
    members: Vec<usize>,
    /// The mean score of each member against every member, in [0, 1].
    scores: Vec<Vec<f64>>,
    /// The equilibrium: the weights of the members.
    weights: Vec<f64>,
    /// The number of random individuals used so far; individual 0 is the start.
    num_individuals: u64,
    search: Search,
    /// The initial step size of the next search from a member.
    next_sigma: f64,
    /// The trainings of responses, if `responses` names a method.
    #[serde(default, skip_serializing_if = "Trainings::is_new")]
    trainings: Trainings,
    /// The opponents from outside the family, if the run has a source of them.
    #[serde(default, skip_serializing_if = "Visitors::is_new")]
    visitors: Visitors,
}

/// A search for a best response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    /// The best response so far.
    response: Vec<f64>,
    sigma: f64,
    /// The kind of strategy at which the search started; `is_at_origin` is `true` while the response is still this
    /// strategy.
    origin: Origin,
    is_at_origin: bool,
    /// The number of candidates refused in a row.
    num_refused: usize,
    /// The number of games that the search has taken.
    games: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Origin {
    /// A member of the mixture, which scores one half against the mixture.
    Member,
    /// A random individual, whose strength is unknown.
    Individual,
}

impl Search {
    fn new(response: Vec<f64>, sigma: f64, origin: Origin) -> Search {
        Search { response, sigma, origin, is_at_origin: true, num_refused: 0, games: 0 }
    }

    /// Returns `true` if the response is still a member, and therefore known not to beat the mixture.
    fn is_member(&self) -> bool {
        self.is_at_origin && self.origin == Origin::Member
    }

    /// Returns `true` if the response should race against the mixture: the search has stalled, or has used half of the
    /// games that were left when the search began. The second rule keeps the result from being lost at the end of the
    /// budget.
    fn is_over(&self, games_left: u64) -> bool {
        let has_had_its_share = !self.is_member() && self.games > games_left;
        self.num_refused >= PATIENCE || has_had_its_share
    }

    /// Moves to an accepted candidate and doubles the step size, or keeps the response and reduces the step size. An
    /// exact tie and a race that the budget cut short leave the step size unchanged.
    fn update(&mut self, candidate: Vec<f64>, decision: &Decision) {
        self.games += decision.num_games;
        if decision.accepted && decision.verdict.is_exact_tie() {
            // The search moves on the plateau, but is no closer to a better response.
            self.response = candidate;
            self.is_at_origin = false;
            self.num_refused += 1;
        } else if decision.accepted {
            self.response = candidate;
            self.is_at_origin = false;
            self.num_refused = 0;
            self.sigma *= 2.0;
        } else if decision.verdict.reason != Reason::Budget {
            self.num_refused += 1;
            self.sigma *= 0.84;
        }
        self.sigma = self.sigma.clamp(*SIGMA_RANGE.start(), *SIGMA_RANGE.end());
    }
}

impl DoubleOracle {
    /// Creates the state at the start of a run, from the parameters `start`: `[dimension]`.
    pub fn new(start: Vec<f64>, options: DoubleOracleKind) -> DoubleOracle {
        let memory = Memory {
            members: vec![0],
            scores: vec![vec![0.5]],
            weights: vec![1.0],
            num_individuals: 1,
            search: Search::new(start.clone(), FIRST_SIGMA, Origin::Member),
            next_sigma: FIRST_SIGMA,
            trainings: Trainings::default(),
            visitors: Visitors::default(),
        };
        DoubleOracle { options, population: vec![start], memory, champion: 0 }
    }

    /// Restores a saved state. `population` contains the start and every member that joined.
    ///
    /// # Errors
    ///
    /// Returns an error if `state` is not a state of this method.
    pub fn restore(
        population: Vec<Vec<f64>>,
        options: DoubleOracleKind,
        state: Value,
    ) -> Result<DoubleOracle, serde_json::Error> {
        let memory: Memory = serde_json::from_value(state)?;
        let size = memory.members.len();
        let is_sound = size > 0
            && memory.members.iter().all(|&member| member < population.len())
            && memory.scores.len() == size
            && memory.scores.iter().all(|row| row.len() == size)
            && memory.weights.len() == size
            && memory.weights.iter().any(|weight| *weight > 0.0)
            && memory.search.response.len() == population[0].len()
            && memory.trainings.is_sound(population[0].len())
            && memory.visitors.is_sound(size, size)
            && [memory.search.sigma, memory.next_sigma].iter().all(|x| SIGMA_RANGE.contains(x));
        if !is_sound {
            return Err(serde::de::Error::custom("it does not fit the population"));
        }
        let mut method = DoubleOracle { options, population, memory, champion: 0 };
        method.champion = method.heaviest();
        Ok(method)
    }

    /// Returns the index, in the population, of the member with the largest weight; among equal weights, the latest
    /// member.
    fn heaviest(&self) -> usize {
        let Memory { members, weights, .. } = &self.memory;
        let heaviest = members.iter().zip(weights).max_by(|x, y| x.1.total_cmp(y.1));
        *heaviest.expect("there is always a member").0
    }

    /// Iterates over the members with positive weight, together with their weights.
    fn support(&self) -> impl Iterator<Item = Weighted<&[f64]>> {
        let Memory { members, weights, .. } = &self.memory;
        let weighted = members.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        weighted.map(|(&index, &weight)| Weighted { weight, of: self.population[index].as_slice() })
    }

    fn weighted(&self) -> Vec<Weighted<Player>> {
        self.support().map(|Weighted { weight, of }| Weighted { weight, of: of.into() }).collect()
    }

    /// Computes the weights of the members.
    fn balance(&mut self) {
        let Memory { scores, weights, visitors, .. } = &mut self.memory;
        *weights = match visitors.is_empty() {
            true => equilibrium(scores),
            false => visitors.solve(scores),
        };
    }

    /// Draws a member from the mixture.
    fn drawn(&self, oracle: &mut dyn Oracle) -> Vec<f64> {
        let drawn = draw_by_weight(self.support(), 1.0, oracle);
        drawn.unwrap_or(&self.population[self.champion]).to_vec()
    }

    fn beats_mixture(
        &self,
        candidate: &[f64],
        oracle: &mut dyn Oracle,
    ) -> Result<Decision, Stopped> {
        let mixture = self.hardest(oracle);
        let question = match self.memory.visitors.is_empty() {
            true => Question::BeatsMixture(&mixture),
            // The value of the game is not one half. The champion scores it.
            false => Question::DoesBetterAgainst { incumbent: self.incumbent(), mixture: &mixture },
        };
        oracle.compare(candidate, question)
    }

    /// Starts a search from a random individual.
    fn widen(&mut self, oracle: &dyn Oracle) {
        let individual = oracle.individual(self.memory.num_individuals);
        self.memory.num_individuals += 1;
        self.memory.search = Search::new(individual, FIRST_SIGMA, Origin::Individual);
    }

    /// Keeps the step size of a search from a member for the next such search.
    fn keep_sigma(&mut self) {
        let Search { sigma, origin, .. } = self.memory.search;
        if origin == Origin::Member {
            self.memory.next_sigma = if sigma < MIN_SIGMA { FIRST_SIGMA } else { sigma };
        }
    }

    /// Starts a search from a member.
    fn search_from_member(&mut self, oracle: &mut dyn Oracle) {
        let member = self.drawn(oracle);
        self.memory.search = Search::new(member, self.memory.next_sigma, Origin::Member);
    }

    /// Races the response of a finished search against the mixture, and starts another search.
    fn conclude(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        let response = self.memory.search.response.clone();
        let decision = self.beats_mixture(&response, oracle)?;
        let mut joined = None;
        if decision.accepted {
            self.admit(response.clone(), decision.verdict.score, oracle)?;
            joined = Some(Joined { parameters: response, against: Against::Mixture });
        }
        self.keep_sigma();
        let failed_from_member = self.memory.search.origin == Origin::Member && joined.is_none();
        if failed_from_member {
            self.widen(oracle);
        } else {
            self.search_from_member(oracle);
        }
        Ok(Iteration { step: Step::Raced(decision), joined })
    }

    /// Carries out one iteration of the training of a response; the last iteration races the response against the
    /// mixture.
    fn train(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        let mixture = self.hardest(oracle);
        let Memory { trainings, search, .. } = &mut self.memory;
        match trainings.iterate(self.options.responses, &search.response, oracle, &mixture)? {
            Ok(step) => Ok(Iteration { step, joined: None }),
            Err(response) => {
                self.memory.search.response = response;
                self.conclude(oracle)
            }
        }
    }

    /// Adds `newcomer`, which scores `score` against the mixture, to the population: the newcomer plays all members,
    /// and the equilibrium is computed again.
    fn admit(
        &mut self,
        newcomer: Vec<f64>,
        score: f64,
        oracle: &mut dyn Oracle,
    ) -> Result<(), Stopped> {
        let Memory { members, .. } = &self.memory;
        let others = members.iter().map(|&index| &self.population[index]).chain([&newcomer]);
        let players: Vec<Player> = others.map(|theta| theta.as_slice().into()).collect();
        let a = members.len();
        let fixtures: Vec<_> =
            (0..a).map(|b| Fixture { a, b, deals: b as u64, num_pairs: MEETING_PAIRS }).collect();
        let scores: Vec<f64> = if oracle.games_left() < 2 * MEETING_PAIRS * a as u64 {
            // Near the end of the budget only the mean over the mixture is known.
            vec![score; a]
        } else {
            let tallies = oracle.play(&players, &fixtures)?;
            let score = |tally: &ruse_play::score::Tally| tally.score().expect("pairs were played");
            tallies.iter().map(score).collect()
        };

        let mut visitors = self.memory.visitors.clone();
        visitors.meet(&newcomer, oracle)?;

        let memory = &mut self.memory;
        memory.visitors = visitors;
        for (row, score) in memory.scores.iter_mut().zip(&scores) {
            row.push(1.0 - score);
        }
        memory.scores.push(scores.into_iter().chain([0.5]).collect());
        memory.members.push(self.population.len());
        self.population.push(newcomer);
        self.balance();
        let memory = &mut self.memory;
        if memory.members.len() > MAX_MEMBERS {
            // The newcomer stays: it has just beaten the mixture of the others.
            let others = 0..memory.members.len() - 1;
            let lightest = others.min_by(|&x, &y| memory.weights[x].total_cmp(&memory.weights[y]));
            let lightest = lightest.expect("there are members");
            memory.members.remove(lightest);
            memory.scores.remove(lightest);
            memory.scores.iter_mut().for_each(|row| {
                row.remove(lightest);
            });
            memory.visitors.forget(lightest);
            self.balance();
        }
        self.champion = self.heaviest();
        Ok(())
    }
}

/// Returns the equilibrium of a symmetric game, where `scores[i][j]` is the score of i against j.
fn equilibrium(scores: &[Vec<f64>]) -> Vec<f64> {
    let matrix = PayoffMatrix::from_rows(scores).expect("scores are a square of finite numbers");
    match matrix.solve() {
        Ok(found) => found.row_mixture,
        // If the rounding errors are too large, which has never been observed with so few members, the newcomer gets
        // all the weight. This is a fair guess.
        Err(_) => (1..=scores.len()).map(|n| f64::from(u8::from(n == scores.len()))).collect(),
    }
}

impl Host for DoubleOracle {
    fn visitors(&mut self) -> &mut Visitors {
        &mut self.memory.visitors
    }

    fn members(&self) -> Vec<&[f64]> {
        self.memory.members.iter().map(|&index| self.population[index].as_slice()).collect()
    }

    /// Returns the hardest opponent: the equilibrium, or the mixture of columns if there are visitors.
    fn hardest(&self, oracle: &dyn Oracle) -> Vec<Weighted<Player>> {
        let Memory { members, visitors, .. } = &self.memory;
        if visitors.is_empty() {
            return self.weighted();
        }
        let own = members.iter().map(|&index| Player::from(self.population[index].as_slice()));
        visitors.hardest(own, oracle)
    }

    fn admit_response(
        &mut self,
        response: Vec<f64>,
        score: f64,
        oracle: &mut dyn Oracle,
    ) -> Result<(), Stopped> {
        self.admit(response, score, oracle)
    }

    fn rebalance(&mut self) {
        self.balance();
        self.champion = self.heaviest();
    }
}

impl Method for DoubleOracle {
    fn incumbent(&self) -> &[f64] {
        &self.population[self.champion]
    }

    fn sigma(&self) -> Option<f64> {
        Some(self.memory.search.sigma)
    }

    fn mixture(&self) -> Option<Vec<Weighted<Player>>> {
        Some(self.weighted())
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        if self.memory.visitors.is_due(oracle) {
            return self.ask(oracle);
        }
        if self.options.responses != Responses::Races {
            return self.train(oracle);
        }
        let search = &self.memory.search;
        if search.is_over(oracle.games_left()) {
            return self.conclude(oracle);
        }
        let candidate: Vec<f64> =
            search.response.iter().map(|x| x + search.sigma * oracle.gaussian()).collect();
        // A member scores one half, so a candidate that does better beats the mixture.
        let decision = if search.is_member() && self.memory.visitors.is_empty() {
            self.beats_mixture(&candidate, oracle)?
        } else {
            let (incumbent, mixture) = (search.response.as_slice(), self.hardest(oracle));
            let question = Question::DoesBetterAgainst { incumbent, mixture: &mixture };
            oracle.compare(&candidate, question)?
        };
        let search = &mut self.memory.search;
        search.update(candidate, &decision);
        if search.is_member() && search.num_refused >= PATIENCE {
            // The response is still the member, so there is nothing to race.
            self.keep_sigma();
            self.widen(oracle);
        }
        Ok(Iteration { step: Step::Raced(decision), joined: None })
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.memory).expect("plain data")
    }
}

/// The [`MethodKind`] of the double oracle, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DoubleOracleKind {
    /// The source of best responses in double-oracle and hall-of-fame: races of single mutants, or a method that trains
    /// them.
    pub responses: Responses,
}

impl MethodKind for DoubleOracleKind {
    fn name(&self) -> &str {
        "double-oracle"
    }

    fn meaning(&self) -> &str {
        "adds best responses to the equilibrium of a population"
    }

    fn usual_races(&self) -> UsualRaces {
        UsualRaces::OURS
    }

    fn takes_visitors(&self) -> bool {
        true
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(DoubleOracle::new(start, *self))
    }

    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        Ok(Box::new(DoubleOracle::restore(population, *self, state)?))
    }
}

#[cfg(test)]
mod tests;
