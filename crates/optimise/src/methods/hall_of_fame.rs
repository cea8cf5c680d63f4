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

use ruse_base::stop::Result;
use ruse_play::family::{Player, Weighted};
use ruse_play::race::{Decision, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{MethodInfo, MethodKind, Running, UsualRaces};
use super::members::{Members, Rules};
use super::method::{Against, Iteration, Method, Oracle};
use super::state_error::StateError;
use super::training::Responses;
use super::{FIRST_SIGMA, SIGMA_RANGE};

/// The maximum number of members, not counting the baseline.
const MAX_MEMBERS: usize = 32;
/// The number of steps of fictitious play.
const NUM_STEPS: u32 = 10_000;
/// One candidate in this many is a random individual, on average.
const FRESH_EVERY: usize = 10;
/// A step size below this value is reset to its initial value.
const MIN_SIGMA: f64 = 0.01;

/// The state of the method between two iterations, apart from the population.
#[derive(Serialize, Deserialize)]
pub struct HallOfFame {
    sigma: f64,
    /// The number of random individuals used so far; individual 0 is the start.
    num_individuals: u64,
    /// The baseline and the members of the hall.
    #[serde(flatten)]
    hall: Members,
}

/// The rules of the hall.
const RULES: Rules = Rules { max_members: MAX_MEMBERS, equilibrium, keeps_score: false };

impl Running<HallOfFameKind> {
    /// Returns the total weight of the members, without the baseline.
    fn total(&self) -> f64 {
        self.memory.hall.own_weights().iter().sum()
    }

    /// Draws a member from the mixture without the baseline.
    fn parent(&self, oracle: &mut dyn Oracle) -> &[f64] {
        let (hall, total) = (&self.memory.hall, self.total());
        let drawn = if total > 0.0 { hall.drawn(total, oracle) } else { hall.heaviest() };
        &self.population[drawn]
    }

    /// Compares a candidate with the hardest mixture, which the candidate joins if it is accepted.
    fn race(
        &mut self,
        candidate: Vec<f64>,
        mixture: &[Weighted<Player>],
        oracle: &mut dyn Oracle,
    ) -> Result<(Decision, Iteration)> {
        let (hall, population) = (&mut self.memory.hall, &self.population);
        let decision = hall.compare(&candidate, mixture, population, oracle)?;
        if decision.accepted {
            hall.admit(&candidate, decision.verdict.score, &RULES, population, oracle)?;
        }
        Ok((decision, Iteration::compared(decision, candidate, Against::Mixture)))
    }

    /// Carries out one iteration of the training of a candidate. After the last iteration, the candidate races against
    /// the mixture.
    fn train(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let mixture = self.memory.hall.hardest(&self.population, oracle);
        let start = match self.memory.hall.trainings.is_between() {
            false => Vec::new(),
            // Half of the trainings start at a random individual: it may be near a response that is hard to reach from
            // a member.
            true if oracle.index(2) == 0 => self.parent(oracle).to_vec(),
            true => {
                self.memory.num_individuals += 1;
                oracle.individual(self.memory.num_individuals - 1)
            }
        };
        let by = self.options.responses;
        match self.memory.hall.trainings.iterate(by, &start, oracle, &mixture)? {
            Ok(step) => Ok(Iteration { step, joined: None }),
            Err(candidate) => self.race(candidate, &mixture, oracle).map(|(_, done)| done),
        }
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

/// The [`MethodKind`] of the hall of fame, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HallOfFameKind {
    /// The source of best responses in double-oracle and hall-of-fame: races of single mutants, or a method that trains
    /// them.
    pub responses: Responses,
}

impl MethodKind for HallOfFameKind {
    type Memory = HallOfFame;

    fn info(&self) -> MethodInfo<'_> {
        let meaning = "accepts a candidate that beats the hardest mixture of all strategies accepted so far and the baseline";
        MethodInfo {
            usual_races: UsualRaces::OURS,
            takes_visitors: true,
            ..MethodInfo::new("hall-of-fame", meaning)
        }
    }

    fn begin(&self, _: &[f64]) -> HallOfFame {
        HallOfFame { sigma: FIRST_SIGMA, num_individuals: 1, hall: Members::new(true) }
    }

    fn check(run: &Running<Self>) -> Result<(), StateError> {
        let HallOfFame { sigma, hall, .. } = &run.memory;
        StateError::unless(hall.is_sound(&run.population, true) && SIGMA_RANGE.contains(sigma))
    }

    fn incumbent(run: &Running<Self>) -> &[f64] {
        &run.population[run.memory.hall.heaviest()]
    }

    fn sigma(run: &Running<Self>) -> Option<f64> {
        Some(run.memory.sigma)
    }

    /// Returns the mixture without the baseline, because the baseline has no parameters and rarely has any weight.
    fn mixture(run: &Running<Self>) -> Option<Vec<Weighted<Player>>> {
        let total = run.total();
        if total <= 0.0 {
            return Some(vec![Weighted { weight: 1.0, of: run.incumbent().into() }]);
        }
        Some(run.memory.hall.support(total, &run.population))
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        if run.memory.hall.visitors.is_due(oracle) {
            return run.memory.hall.ask(&RULES, &run.population, oracle);
        }
        if run.options.responses != Responses::Races {
            return run.train(oracle);
        }
        let is_fresh = oracle.index(FRESH_EVERY) == 0;
        let candidate: Vec<f64> = if is_fresh {
            oracle.individual(run.memory.num_individuals)
        } else {
            let sigma = run.memory.sigma;
            run.parent(oracle).iter().map(|x| x + sigma * oracle.gaussian()).collect()
        };
        let mixture = run.memory.hall.hardest(&run.population, oracle);
        let (decision, done) = run.race(candidate, &mixture, oracle)?;
        run.memory.num_individuals += u64::from(is_fresh);
        // The success of a random individual says nothing about the step size.
        if !is_fresh && decision.verdict.reason != Reason::Budget {
            let sigma = &mut run.memory.sigma;
            *sigma *= if decision.accepted { 2.0 } else { 0.84 };
            if *sigma < MIN_SIGMA {
                *sigma = FIRST_SIGMA;
            }
            *sigma = sigma.min(*SIGMA_RANGE.end());
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::method::Question;
    use crate::methods::method::tests::{Asked, Scripted, assert_restorable};

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
        let mut method = Running::new(vec![-1.0], HallOfFameKind::default());
        let mut last = method.incumbent()[0];
        for _ in 0..300 {
            method.iterate(&mut oracle).expect("not stopped");
            assert!(method.incumbent()[0] >= last);
            last = method.incumbent()[0];
            assert_restorable(&method);
            assert!(method.memory.hall.members.len() <= MAX_MEMBERS);
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
        let method = Running::new(vec![1.0], HallOfFameKind::default());
        for damage in ["members", "scores", "weights", "sigma"] {
            let mut state = method.state();
            state[damage] = serde_json::json!([]);
            let restored = Running::restore(vec![vec![1.0]], HallOfFameKind::default(), state);
            assert!(restored.is_err(), "{damage}");
        }
    }
}
