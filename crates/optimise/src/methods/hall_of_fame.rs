//! The hall of fame: a candidate must beat the hardest mixture of all earlier champions.
//!
//! This method is ours. A method that only requires candidates to beat the last champion may return to earlier
//! champions: each champion beats the one before, and the last loses against the first (the red queen effect: Cliff &
//! Miller, *Tracking the red queen*, ECAL 1995; a hall of fame as the cure: Rosin & Belew, *New methods for competitive
//! coevolution*, Evolutionary Computation 5, 1997). Here the opponent is a mixed strategy over all members of the hall.
//! This strategy is the equilibrium of the game in which both players choose a member, computed from the scores between
//! members by fictitious play (Brown 1951). No member scores more than one half against this mixture, so a candidate
//! that scores more is new: going back to an old champion never pays. This is the outer loop of a double oracle
//! (McMahan, Gordon & Blum, ICML 2003; Lanctot et al., *A unified game-theoretic approach to multiagent reinforcement
//! learning*, NIPS 2017) in which a (1+1) evolution strategy finds the best responses.
//!
//! The baseline is a member from the start, so a strategy that loses to weak opponents is not accepted. The parent of a
//! candidate is drawn from the mixture; one candidate in [`FRESH_EVERY`] is a random individual; and a step size that
//! has become very small is reset to one.
//!
//! Other methods can find the candidates instead (`training.rs`, option `responses`). A training is one attempt to
//! learn to play against the mixture, and gets a sixteenth of the budget. It starts from a member of the mixture or
//! from a random individual.
//!
//! The run may have a source of responses among all players of the game, which then gets half of the games
//! (`visitors.rs`).
//!
//! Time: one race per candidate, and `MEETING_PAIRS` pairs against each member per accepted candidate. Space:
//! `MAX_MEMBERS` members and their scores; beyond that, the member with the smallest weight is removed.

use ruse_play::arena::Stopped;
use ruse_play::family::{Player, Weighted};
use ruse_play::race::{Decision, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kind::{MethodKind, UsualRaces};
use super::method::{Against, Fixture, Iteration, Method, Oracle, Question, draw_by_weight};
use super::state_error::StateError;
use super::training::{Responses, Trainings};
use super::visitors::{Host, Visitors};
use super::{FIRST_SIGMA, SIGMA_RANGE};

/// The maximum number of members, not counting the baseline.
const MAX_MEMBERS: usize = 32;
/// The number of pairs that two members play to estimate their score against each other.
const MEETING_PAIRS: u64 = 200;
/// The number of steps of fictitious play.
const NUM_STEPS: u32 = 10_000;
/// One candidate in this many is a random individual, on average.
const FRESH_EVERY: usize = 10;
/// A step size below this value is reset to its initial value.
const MIN_SIGMA: f64 = 0.01;

/// The state of the method between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct HallOfFame {
    options: HallOfFameKind,
    /// The start of the run, and every accepted strategy.
    population: Vec<Vec<f64>>,
    memory: Memory,
    /// The index of the champion in the population.
    champion: usize,
}

/// The state of the method apart from the population.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    sigma: f64,
    /// The number of random individuals used so far; individual 0 is the start.
    num_individuals: u64,
    /// The members, as indices in the population.
    members: Vec<usize>,
    /// The mean score of each member against every member, in [0, 1]. Index 0 is the baseline, index i + 1 is member i.
    scores: Vec<Vec<f64>>,
    /// The mixture: the weights of the baseline and of the members.
    weights: Vec<f64>,
    /// The trainings of candidates, if `responses` names a method.
    #[serde(default, skip_serializing_if = "Trainings::is_new")]
    trainings: Trainings,
    /// The opponents from outside the family, if the run has a source of them.
    #[serde(default, skip_serializing_if = "Visitors::is_new")]
    visitors: Visitors,
}

impl HallOfFame {
    /// Creates the state at the start of a run, from the parameters `start`: `[dimension]`.
    pub fn new(start: Vec<f64>, options: HallOfFameKind) -> HallOfFame {
        let memory = Memory {
            sigma: FIRST_SIGMA,
            num_individuals: 1,
            // No members have played each other yet.
            members: vec![0],
            scores: vec![vec![0.5; 2]; 2],
            weights: vec![0.0, 1.0],
            trainings: Trainings::default(),
            visitors: Visitors::default(),
        };
        HallOfFame { options, population: vec![start], memory, champion: 0 }
    }

    /// Restores a saved state. `population` contains the start and every accepted strategy.
    ///
    /// # Errors
    ///
    /// Returns an error if `state` is not a state of this method.
    pub fn restore(
        population: Vec<Vec<f64>>,
        options: HallOfFameKind,
        state: Value,
    ) -> Result<HallOfFame, serde_json::Error> {
        let memory: Memory = serde_json::from_value(state)?;
        let size = memory.members.len() + 1;
        let is_sound = !memory.members.is_empty()
            && memory.members.iter().all(|&member| member < population.len())
            && memory.scores.len() == size
            && memory.scores.iter().all(|row| row.len() == size)
            && memory.weights.len() == size
            && memory.trainings.is_sound(population[0].len())
            && memory.visitors.is_sound(size - 1, size)
            && SIGMA_RANGE.contains(&memory.sigma);
        if !is_sound {
            return Err(serde::de::Error::custom("it does not fit the population"));
        }
        let mut method = HallOfFame { options, population, memory, champion: 0 };
        method.champion = method.heaviest();
        Ok(method)
    }

    /// Returns the index, in the population, of the member with the largest weight; among equal weights, the latest
    /// member.
    fn heaviest(&self) -> usize {
        let Memory { members, weights, .. } = &self.memory;
        let heaviest = members.iter().zip(&weights[1..]).max_by(|x, y| x.1.total_cmp(y.1));
        *heaviest.expect("the hall is never empty").0
    }

    /// Draws a member from the mixture without the baseline.
    fn parent(&self, oracle: &mut dyn Oracle) -> usize {
        let Memory { members, weights, .. } = &self.memory;
        let total: f64 = weights[1..].iter().sum();
        if total <= 0.0 {
            return self.champion;
        }
        let weighted =
            members.iter().zip(&weights[1..]).map(|(&of, &weight)| Weighted { weight, of });
        draw_by_weight(weighted, total, oracle).unwrap_or(self.champion)
    }

    /// Compares a candidate with the hardest mixture.
    fn compare(
        &self,
        candidate: &[f64],
        mixture: &[Weighted<Player>],
        oracle: &mut dyn Oracle,
    ) -> Result<Decision, Stopped> {
        let question = match self.memory.visitors.is_empty() {
            true => Question::BeatsMixture(mixture),
            // The value of the game is not one half. The champion scores it.
            false => Question::DoesBetterAgainst { incumbent: self.incumbent(), mixture },
        };
        oracle.compare(candidate, question)
    }

    /// Computes the weights of the baseline and of the members.
    fn balance(&mut self) {
        let Memory { scores, weights, visitors, .. } = &mut self.memory;
        *weights = match visitors.is_empty() {
            true => equilibrium(scores),
            // The baseline is an opponent only.
            false => std::iter::once(0.0).chain(visitors.solve(&scores[1..])).collect(),
        };
    }

    /// Carries out one iteration of the training of a candidate. After the last iteration, the candidate races against
    /// the mixture.
    fn train(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        let mixture = self.hardest(oracle);
        let start = match self.memory.trainings.is_between() {
            false => Vec::new(),
            // Half of the trainings start at a random individual: it may be near a response that is hard to reach from
            // a member.
            true if oracle.index(2) == 0 => self.population[self.parent(oracle)].clone(),
            true => {
                self.memory.num_individuals += 1;
                oracle.individual(self.memory.num_individuals - 1)
            }
        };
        let by = self.options.responses;
        match self.memory.trainings.iterate(by, &start, oracle, &mixture)? {
            Ok(step) => Ok(Iteration { step, joined: None }),
            Err(candidate) => {
                let decision = self.compare(&candidate, &mixture, oracle)?;
                if decision.accepted {
                    self.admit(candidate.clone(), oracle)?;
                }
                Ok(Iteration::compared(decision, candidate, Against::Mixture))
            }
        }
    }

    /// Adds `candidate` to the hall: the candidate plays all members, and the mixture is computed again.
    fn admit(&mut self, candidate: Vec<f64>, oracle: &mut dyn Oracle) -> Result<(), Stopped> {
        let Memory { members, .. } = &self.memory;
        let others = members.iter().map(|&index| &self.population[index]).chain([&candidate]);
        let mut players = vec![oracle.baseline()];
        players.extend(others.map(|theta| Player::from(theta.as_slice())));
        let newcomer = players.len() - 1;
        let meeting =
            |a: usize, b: usize| Fixture { a, b, deals: b as u64, num_pairs: MEETING_PAIRS };
        let mut fixtures: Vec<Fixture> = (0..newcomer).map(|b| meeting(newcomer, b)).collect();
        if newcomer == 2 {
            // The first meeting of the baseline and the start is played here, too.
            fixtures.push(meeting(1, 0));
        }
        let games = 2 * MEETING_PAIRS * fixtures.len() as u64;
        // Near the end of the budget, all that is known about the newcomer is that it beats the mixture.
        let mut scores: Vec<f64> = if oracle.games_left() < games {
            vec![1.0; newcomer]
        } else {
            let tallies = oracle.play(&players, &fixtures)?;
            let score = |tally: &ruse_play::score::Tally| tally.score().expect("pairs were played");
            tallies.iter().map(score).collect()
        };

        let mut visitors = self.memory.visitors.clone();
        visitors.meet(&candidate, oracle)?;

        let memory = &mut self.memory;
        memory.visitors = visitors;
        if let Some(&score) = scores.get(newcomer) {
            memory.scores[1][0] = score;
            memory.scores[0][1] = 1.0 - score;
            scores.truncate(newcomer);
        }
        for (row, &score) in memory.scores.iter_mut().zip(&scores) {
            row.push(1.0 - score);
        }
        memory.scores.push(scores.into_iter().chain([0.5]).collect());
        memory.members.push(self.population.len());
        self.population.push(candidate);
        self.balance();
        let memory = &mut self.memory;
        if memory.members.len() > MAX_MEMBERS {
            // The newcomer stays: it has just beaten the best mixture of the others.
            let candidates = 1..memory.members.len();
            let lightest =
                candidates.min_by(|&x, &y| memory.weights[x].total_cmp(&memory.weights[y]));
            let lightest = lightest.expect("there are members");
            memory.members.remove(lightest - 1);
            memory.scores.remove(lightest);
            memory.scores.iter_mut().for_each(|row| {
                row.remove(lightest);
            });
            memory.visitors.forget(lightest - 1);
            self.balance();
        }
        self.champion = self.heaviest();
        Ok(())
    }
}

/// Returns the equilibrium of a symmetric game by fictitious play: the frequencies of the responses, each the best
/// response to all responses before. `scores[i][j]` is the score of i against j.
fn equilibrium(scores: &[Vec<f64>]) -> Vec<f64> {
    let n = scores.len();
    let mut played = vec![0u32; n];
    // The total score of each member against all responses so far.
    let mut sums = vec![0.0; n];
    // The last member is the first response, because if all members are equal, the latest member is the best guess.
    let mut response = n - 1;
    for _ in 0..NUM_STEPS {
        played[response] += 1;
        for (sum, row) in sums.iter_mut().zip(scores) {
            *sum += row[response];
        }
        response = (0..n).rev().fold(n - 1, |best, i| if sums[i] > sums[best] { i } else { best });
    }
    played.into_iter().map(|times| f64::from(times) / f64::from(NUM_STEPS)).collect()
}

impl Host for HallOfFame {
    fn visitors(&mut self) -> &mut Visitors {
        &mut self.memory.visitors
    }

    fn members(&self) -> Vec<&[f64]> {
        self.memory.members.iter().map(|&index| self.population[index].as_slice()).collect()
    }

    /// Returns the mixture that is hardest to beat, including the baseline.
    fn hardest(&self, oracle: &dyn Oracle) -> Vec<Weighted<Player>> {
        let Memory { members, weights, visitors, .. } = &self.memory;
        let hall = members.iter().map(|&index| Player::from(self.population[index].as_slice()));
        let players = std::iter::once(oracle.baseline()).chain(hall);
        if !visitors.is_empty() {
            return visitors.hardest(players, oracle);
        }
        players.zip(weights).map(|(of, &weight)| Weighted { weight, of }).collect()
    }

    fn admit_response(
        &mut self,
        response: Vec<f64>,
        _: f64,
        oracle: &mut dyn Oracle,
    ) -> Result<(), Stopped> {
        self.admit(response, oracle)
    }

    fn rebalance(&mut self) {
        self.balance();
        self.champion = self.heaviest();
    }
}

impl Method for HallOfFame {
    fn incumbent(&self) -> &[f64] {
        &self.population[self.champion]
    }

    fn sigma(&self) -> Option<f64> {
        Some(self.memory.sigma)
    }

    /// Returns the mixture without the baseline, because the baseline has no parameters and rarely has any weight.
    fn mixture(&self) -> Option<Vec<Weighted<Player>>> {
        let Memory { members, weights, .. } = &self.memory;
        let total: f64 = weights[1..].iter().sum();
        if total <= 0.0 {
            let of = self.population[self.champion].clone().into();
            return Some(vec![Weighted { weight: 1.0, of }]);
        }
        let weighted = members.iter().zip(&weights[1..]).filter(|(_, weight)| **weight > 0.0);
        let member = |(&index, weight): (&usize, &f64)| Weighted {
            weight: weight / total,
            of: self.population[index].clone().into(),
        };
        Some(weighted.map(member).collect())
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        if self.memory.visitors.is_due(oracle) {
            return self.ask(oracle);
        }
        if self.options.responses != Responses::Races {
            return self.train(oracle);
        }
        let is_fresh = oracle.index(FRESH_EVERY) == 0;
        let candidate: Vec<f64> = if is_fresh {
            oracle.individual(self.memory.num_individuals)
        } else {
            let parent = self.parent(oracle);
            let sigma = self.memory.sigma;
            self.population[parent].iter().map(|x| x + sigma * oracle.gaussian()).collect()
        };
        let mixture = self.hardest(oracle);
        let decision = self.compare(&candidate, &mixture, oracle)?;
        if decision.accepted {
            self.admit(candidate.clone(), oracle)?;
        }
        self.memory.num_individuals += u64::from(is_fresh);
        // The success of a random individual says nothing about the step size.
        if !is_fresh && decision.verdict.reason != Reason::Budget {
            let sigma = &mut self.memory.sigma;
            *sigma *= if decision.accepted { 2.0 } else { 0.84 };
            if *sigma < MIN_SIGMA {
                *sigma = FIRST_SIGMA;
            }
            *sigma = sigma.min(*SIGMA_RANGE.end());
        }
        Ok(Iteration::compared(decision, candidate, Against::Mixture))
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.memory).expect("plain data")
    }
}

/// The [`MethodKind`] of the hall of fame, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HallOfFameKind {
    /// The source of best responses in double-oracle and hall-of-fame: races of single mutants, or a method that trains
    /// them.
    pub responses: Responses,
}

impl MethodKind for HallOfFameKind {
    fn name(&self) -> &str {
        "hall-of-fame"
    }

    fn meaning(&self) -> &str {
        "accepts a candidate that beats the hardest mixture of all strategies accepted so far and the baseline"
    }

    fn usual_races(&self) -> UsualRaces {
        UsualRaces::OURS
    }

    fn takes_visitors(&self) -> bool {
        true
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(HallOfFame::new(start, *self))
    }

    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        Ok(Box::new(HallOfFame::restore(population, *self, state)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::method::tests::{Asked, Scripted};

    #[test]
    fn equilibria_of_small_games() {
        // In rock, paper, scissors, each member has a third of the weight (von Neumann 1928). Fictitious play errs by
        // about 1 / sqrt(steps).
        let rps = vec![vec![0.5, 0.0, 1.0], vec![1.0, 0.5, 0.0], vec![0.0, 1.0, 0.5]];
        for weight in equilibrium(&rps) {
            assert!((weight - 1.0 / 3.0).abs() < 0.02, "{weight}");
        }
        // A win of paper against rock counts twice. If rock beats scissors by a, paper beats rock by b, and scissors
        // beat paper by c, the weights of rock, paper and scissors have the ratio c : a : b, which is 1 : 1 : 2.
        let biased = vec![vec![0.5, 0.1, 0.7], vec![0.9, 0.5, 0.3], vec![0.3, 0.7, 0.5]];
        for (weight, expected) in equilibrium(&biased).into_iter().zip([0.25, 0.25, 0.5]) {
            assert!((weight - expected).abs() < 0.02, "{weight}, {expected} expected");
        }
        // A member that beats all others is always chosen, except in the first steps.
        let dominated = vec![vec![0.5, 0.4, 0.2], vec![0.6, 0.5, 0.3], vec![0.8, 0.7, 0.5]];
        assert_eq!(equilibrium(&dominated), [0.0, 0.0, 1.0]);
        let equal = vec![vec![0.5; 2]; 2];
        assert_eq!(equilibrium(&equal), [0.0, 1.0]);
    }

    #[test]
    fn a_stronger_candidate_becomes_the_champion() {
        // The candidate with the larger first parameter wins, so only the best member is in the mixture.
        let decide = |candidate: &[f64], question: &Question<'_>| {
            let Question::BeatsMixture(mixture) = question else { panic!("{question:?}") };
            mixture.iter().all(|Weighted { weight, of }| {
                let strength = of.parameters().map_or(0.0, |theta| theta[0]);
                *weight == 0.0 || candidate[0] > strength
            })
        };
        let mut oracle = Scripted::new(Vec::new(), decide);
        let mut method = HallOfFame::new(vec![-1.0], HallOfFameKind::default());
        let mut last = method.incumbent()[0];
        for _ in 0..300 {
            method.iterate(&mut oracle).expect("not stopped");
            assert!(method.incumbent()[0] >= last);
            last = method.incumbent()[0];
            let again = HallOfFame::restore(
                method.population.clone(),
                HallOfFameKind::default(),
                method.state(),
            );
            assert_eq!(again.expect("its own state"), method);
            assert!(method.memory.members.len() <= MAX_MEMBERS);
        }
        assert!(last > 10.0, "{last}");
        assert!(method.population.len() > MAX_MEMBERS + 1);
        // The baseline was beaten long ago, so only the champion is in the mixture.
        let (_, Asked::BeatsMixture(mixture)) = oracle.asked.last().expect("many") else {
            panic!("only mixtures are played")
        };
        assert_eq!(mixture[0], Weighted { weight: 0.0, of: Player::Redrawn });
        assert_eq!(mixture.iter().filter(|member| member.weight > 0.0).count(), 1);
    }

    #[test]
    fn a_state_of_something_else_is_refused() {
        let method = HallOfFame::new(vec![1.0], HallOfFameKind::default());
        for damage in ["members", "scores", "weights", "sigma"] {
            let mut state = method.state();
            state[damage] = serde_json::json!([]);
            let restored = HallOfFame::restore(vec![vec![1.0]], HallOfFameKind::default(), state);
            assert!(restored.is_err(), "{damage}");
        }
    }
}
