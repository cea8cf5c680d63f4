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
//! method ([`Method::mixture`](super::Method::mixture)): a run writes it to `mixture.yaml`.
//!
//! Time: one race for each candidate; for each new member, a linear program and `MEETING_PAIRS` pairs against every
//! other member. Space: `MAX_MEMBERS` members and their scores.

use ruse_base::stop::Result;
use ruse_play::family::{Player, Weighted};
use ruse_play::race::{Decision, Reason};
use ruse_search::matrix::PayoffMatrix;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{MethodInfo, MethodKind, Running, UsualRaces};
use super::members::{Members, Rules};
use super::method::{Against, Iteration, Oracle, Question, Step};
use super::one_plus_one::next_sigma;
use super::state_error::StateError;
use super::training::Responses;
use super::visitors::last_of;
use super::{FIRST_SIGMA, SIGMA_RANGE};

/// The maximum number of members in the payoff matrix.
const MAX_MEMBERS: usize = 64;
/// The number of consecutive refused candidates after which a search is over. If one candidate in five is accepted (the
/// rate at which the step size stays constant), one search in six ends too early.
const PATIENCE: usize = 8;
/// If the step size of a search from a member falls below this value, the next search from a member begins with the
/// initial step size.
const MIN_SIGMA: f64 = 0.01;

/// The state of the method between two iterations, apart from the population.
#[derive(Serialize, Deserialize)]
pub struct DoubleOracle {
    /// The members in the payoff matrix. Their weights are the equilibrium.
    #[serde(flatten)]
    payoffs: Members,
    /// The number of random individuals used so far; individual 0 is the start.
    num_individuals: u64,
    search: Search,
    /// The initial step size of the next search from a member.
    next_sigma: f64,
}

/// The rules of the population.
const RULES: Rules = Rules { max_members: MAX_MEMBERS, equilibrium, keeps_score: true };

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

    /// Moves to an accepted candidate, or keeps the response, and adapts the step size.
    fn update(&mut self, candidate: Vec<f64>, decision: &Decision) {
        self.games += decision.num_games;
        self.sigma = next_sigma(self.sigma, decision);
        if decision.accepted && !decision.verdict.is_exact_tie() {
            self.num_refused = 0;
        } else if decision.accepted || decision.verdict.reason != Reason::Budget {
            // With an accepted tie, the search moves on the plateau, but is no closer to a better response.
            self.num_refused += 1;
        }
        if decision.accepted {
            self.response = candidate;
            self.is_at_origin = false;
        }
    }
}

impl Running<DoubleOracleKind> {
    fn weighted(&self) -> Vec<Weighted<Player>> {
        self.memory.payoffs.support(1.0, &self.population)
    }

    fn hardest(&self, oracle: &dyn Oracle) -> Vec<Weighted<Player>> {
        self.memory.payoffs.hardest(&self.population, oracle)
    }

    fn beats_mixture(&self, candidate: &[f64], oracle: &mut dyn Oracle) -> Result<Decision> {
        let mixture = self.hardest(oracle);
        self.memory.payoffs.compare(candidate, &mixture, &self.population, oracle)
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

    /// Races the response of a finished search against the mixture, and starts another search.
    fn conclude(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let response = self.memory.search.response.clone();
        let decision = self.beats_mixture(&response, oracle)?;
        if decision.accepted {
            let (score, payoffs) = (decision.verdict.score, &mut self.memory.payoffs);
            payoffs.admit(&response, score, &RULES, &self.population, oracle)?;
        }
        self.keep_sigma();
        if self.memory.search.origin == Origin::Member && !decision.accepted {
            self.widen(oracle);
        } else {
            let drawn = self.memory.payoffs.drawn(1.0, oracle);
            // A newcomer is not yet in the population.
            let member = self.population.get(drawn).unwrap_or(&response).clone();
            self.memory.search = Search::new(member, self.memory.next_sigma, Origin::Member);
        }
        Ok(Iteration::compared(decision, response, Against::Mixture))
    }

    /// Carries out one iteration of the training of a response; the last iteration races the response against the
    /// mixture.
    fn train(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let mixture = self.hardest(oracle);
        let DoubleOracle { payoffs, search, .. } = &mut self.memory;
        let by = self.options.responses;
        match payoffs.trainings.iterate(by, &search.response, oracle, &mixture)? {
            Ok(step) => Ok(Iteration { step, joined: None }),
            Err(response) => {
                search.response = response;
                self.conclude(oracle)
            }
        }
    }
}

/// Returns the equilibrium of a symmetric game, where `scores[i][j]` is the score of i against j.
fn equilibrium(scores: &[Vec<f64>]) -> Vec<f64> {
    let matrix = PayoffMatrix::from_rows(scores).expect("scores are a square of finite numbers");
    match matrix.solve() {
        Ok(found) => found.row_mixture,
        // If the rounding errors are too large, which has never been observed with so few members, the newcomer gets
        // all the weight. This is a fair guess.
        Err(_) => last_of(scores.len()),
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
    type Memory = DoubleOracle;

    fn info(&self) -> MethodInfo<'_> {
        MethodInfo {
            usual_races: UsualRaces::OURS,
            takes_visitors: true,
            ..MethodInfo::new(
                "double-oracle",
                "adds best responses to the equilibrium of a population",
            )
        }
    }

    fn begin(&self, start: &[f64]) -> DoubleOracle {
        DoubleOracle {
            payoffs: Members::new(false),
            num_individuals: 1,
            search: Search::new(start.to_vec(), FIRST_SIGMA, Origin::Member),
            next_sigma: FIRST_SIGMA,
        }
    }

    fn check(run: &Running<Self>) -> Result<(), StateError> {
        let DoubleOracle { payoffs, search, next_sigma, .. } = &run.memory;
        StateError::unless(
            payoffs.is_sound(&run.population, false)
                && payoffs.weights.iter().any(|weight| *weight > 0.0)
                && search.response.len() == run.start().len()
                && [search.sigma, *next_sigma].iter().all(|x| SIGMA_RANGE.contains(x)),
        )
    }

    fn incumbent(run: &Running<Self>) -> &[f64] {
        &run.population[run.memory.payoffs.heaviest()]
    }

    fn sigma(run: &Running<Self>) -> Option<f64> {
        Some(run.memory.search.sigma)
    }

    fn mixture(run: &Running<Self>) -> Option<Vec<Weighted<Player>>> {
        Some(run.weighted())
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        if run.memory.payoffs.visitors.is_due(oracle) {
            return run.memory.payoffs.ask(&RULES, &run.population, oracle);
        }
        if run.options.responses != Responses::Races {
            return run.train(oracle);
        }
        let search = &run.memory.search;
        if search.is_over(oracle.games_left()) {
            return run.conclude(oracle);
        }
        let candidate: Vec<f64> =
            search.response.iter().map(|x| x + search.sigma * oracle.gaussian()).collect();
        // A member scores one half, so a candidate that does better beats the mixture.
        let decision = if search.is_member() && run.memory.payoffs.visitors.is_empty() {
            run.beats_mixture(&candidate, oracle)?
        } else {
            let (incumbent, mixture) = (search.response.as_slice(), run.hardest(oracle));
            let question = Question::DoesBetterAgainst { incumbent, mixture: &mixture };
            oracle.compare(&candidate, question)?
        };
        let search = &mut run.memory.search;
        search.update(candidate, &decision);
        if search.is_member() && search.num_refused >= PATIENCE {
            // The response is still the member, so there is nothing to race.
            run.keep_sigma();
            run.widen(oracle);
        }
        Ok(Iteration { step: Step::Raced(decision), joined: None })
    }
}

#[cfg(test)]
mod tests;
