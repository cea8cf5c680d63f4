//! The methods of the paper: (1+1) evolution strategies that differ in the opponent of a candidate.
//!
//! Reference: Cauwet & Teytaud 2018, algorithms 1 to 4 and sections II-B to II-D. In coevolution, players are doubled:
//! each has a part for each seat, so one population is enough.
//!
//! Interpretation of algorithm 1: with a fixed baseline, the search starts from the parameters of the baseline, x <- x0.
//! A redrawn baseline has no parameters of its own; the search then starts from a random draw from the same
//! distribution. Candidate and incumbent play the same deals against the same draws of the baseline.

use ruse_base::stop::Result;
use ruse_play::race::{Decision, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{MethodInfo, MethodKind, Running};
use super::method::{Against, Iteration, Oracle, Question};
use super::state_error::StateError;
use super::{FIRST_SIGMA, SIGMA_RANGE};

/// The method, which determines how a candidate is made, and when it is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnePlusOneKind {
    /// Algorithm 1: the candidate must do better than the incumbent against the baseline.
    Naive,
    /// Algorithm 2: the candidate must beat the incumbent.
    Iterative,
    /// Algorithm 3: the candidate must beat all strategies accepted so far.
    RealCoevolution,
    /// Algorithm 4: the candidate must beat one of the strategies accepted so far, drawn at random.
    ApproximateCoevolution,
}

/// The state of one of the methods between two iterations, apart from the population.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnePlusOne {
    sigma: f64,
}

/// Returns the step size of a (1+1) evolution strategy (Rechenberg 1973) after a candidate with step size `sigma`, with the
/// constants of Cauwet & Teytaud 2018, algorithms 1 to 4. An exact tie and a race that the budget cut short say nothing about
/// the step size.
///
/// Deviation: sigma is kept within [`SIGMA_RANGE`].
pub(super) fn next_sigma(sigma: f64, decision: &Decision) -> f64 {
    let factor = match decision.accepted {
        true if decision.verdict.is_exact_tie() => 1.0,
        true => 2.0,
        false if decision.verdict.reason == Reason::Budget => 1.0,
        false => 0.84,
    };
    (factor * sigma).clamp(*SIGMA_RANGE.start(), *SIGMA_RANGE.end())
}

/// The methods have no options.
impl MethodKind for OnePlusOneKind {
    type Memory = OnePlusOne;

    fn info(&self) -> MethodInfo<'_> {
        let (name, meaning) = match self {
            OnePlusOneKind::Naive => (
                "naive",
                "accepts a candidate that does better than the incumbent against the baseline",
            ),
            OnePlusOneKind::Iterative => {
                ("iterative", "accepts a candidate that beats the incumbent")
            }
            OnePlusOneKind::RealCoevolution => (
                "real-coevolution",
                "accepts a candidate that beats all strategies accepted so far",
            ),
            OnePlusOneKind::ApproximateCoevolution => (
                "approximate-coevolution",
                "accepts a candidate that beats one, drawn at random, of those accepted so far",
            ),
        };
        MethodInfo::new(name, meaning)
    }

    fn begin(&self, _: &[f64]) -> OnePlusOne {
        OnePlusOne { sigma: FIRST_SIGMA }
    }

    fn check(run: &Running<Self>) -> Result<(), StateError> {
        let OnePlusOne { sigma } = run.memory;
        match SIGMA_RANGE.contains(&sigma) {
            true => Ok(()),
            false => Err(StateError::new(format!("sigma is {sigma}"))),
        }
    }

    fn sigma(run: &Running<Self>) -> Option<f64> {
        Some(run.memory.sigma)
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let Running { options, population, memory } = run;
        let x = population.last().expect("a population has its start, at least");
        // x'_i <- x_i + sigma N(0, 1)
        let candidate: Vec<f64> = x.iter().map(|x| x + memory.sigma * oracle.gaussian()).collect();
        let (question, against) = match options {
            // play a game between x and x0, between x' and x0
            OnePlusOneKind::Naive => (Question::DoesBetterThan(x), Against::Baseline),
            // play games between x' and x
            OnePlusOneKind::Iterative => {
                (Question::Beats(x), Against::Member(population.len() - 1))
            }
            // play a game between x' and every point of P
            OnePlusOneKind::RealCoevolution => {
                (Question::BeatsAll(population), Against::AllMembers)
            }
            // draw at random an integer rand between 1 and the size of P,
            // play a game between x' and the rand-th individual of P
            OnePlusOneKind::ApproximateCoevolution => {
                let rand = oracle.index(population.len());
                (Question::Beats(&population[rand]), Against::Member(rand))
            }
        };
        let decision = oracle.compare(&candidate, question)?;
        memory.sigma = next_sigma(memory.sigma, &decision);
        // if x' performed better: x <- x', P <- {P, x'}
        Ok(Iteration::compared(decision, candidate, against))
    }
}

#[cfg(test)]
mod tests {
    use ruse_play::race::Verdict;

    use super::*;
    use crate::methods::method::tests::{Asked, Scripted, decision};
    use crate::methods::method::{Joined, Method};

    #[test]
    fn the_opponent_is_drawn_from_the_population() {
        let kind = OnePlusOneKind::ApproximateCoevolution;
        let mut method = Running::new(vec![1.0], kind);
        let mut accept = [true, false, false].into_iter();
        let draws = vec![0.5, 0.0, 1.0, 0.0, 1.0, 1.0];
        let mut oracle =
            Scripted::new(draws, |_: &[f64], _: &Question<'_>| accept.next() == Some(true));
        let joined = method.iterate(&mut oracle).expect("not stopped").joined;
        assert_eq!(joined.map(|joined| joined.against), Some(Against::Member(0)));
        method.iterate(&mut oracle).expect("not stopped");
        method.iterate(&mut oracle).expect("not stopped");
        // Each candidate is a mutation of the last accepted candidate, not of the opponent; sigma is 1, then 2, then 2
        // x .84.
        let asked = [
            (vec![1.5], Asked::Beats(vec![1.0])),
            (vec![3.5], Asked::Beats(vec![1.0])),
            (vec![1.5 + 1.68], Asked::Beats(vec![1.5])),
        ];
        assert_eq!(oracle.asked, asked);
        assert_eq!((method.incumbent(), method.population.len()), (&[1.5][..], 2));
    }

    #[test]
    fn accepted_candidates_join_the_population() {
        let kind = OnePlusOneKind::RealCoevolution;
        let mut method = Running::new(vec![1.0], kind);
        let mut accept = [true, false].into_iter();
        let mut oracle = Scripted::new(vec![0.5, 1.0], |_: &[f64], _: &Question<'_>| {
            accept.next() == Some(true)
        });
        let joined = method.iterate(&mut oracle).expect("not stopped").joined;
        let expected = Joined { parameters: vec![1.5], against: Against::AllMembers };
        assert_eq!(joined, Some(expected));
        assert_eq!(method.iterate(&mut oracle).expect("not stopped").joined, None);
        let asked = [
            (vec![1.5], Asked::BeatsAll(vec![vec![1.0]])),
            (vec![3.5], Asked::BeatsAll(vec![vec![1.0], vec![1.5]])),
        ];
        assert_eq!(oracle.asked, asked);
        assert_eq!((method.incumbent(), method.population.len()), (&[1.5][..], 2));
    }

    #[test]
    fn one_iteration_follows_the_algorithm() {
        let mut method = Running::new(vec![1.0, -2.0], OnePlusOneKind::Iterative);
        let mut accept = [true, false].into_iter();
        let mut oracle = Scripted::new(vec![0.5, 3.0, 1.0, -1.0], |_: &[f64], _: &Question<'_>| {
            accept.next() == Some(true)
        });
        method.iterate(&mut oracle).expect("not stopped");
        assert_eq!((method.incumbent(), method.sigma()), (&[1.5, 1.0][..], Some(2.0)));
        method.iterate(&mut oracle).expect("not stopped");
        assert_eq!((method.incumbent(), method.sigma()), (&[1.5, 1.0][..], Some(2.0 * 0.84)));
        assert_eq!(oracle.asked[1].0, [3.5, -1.0]);
    }

    #[test]
    fn sigma_stays_within_its_range() {
        let after =
            |accepted, sigma| (0..100).fold(sigma, |x, _| next_sigma(x, &decision(accepted)));
        assert_eq!(after(true, 1.0), 1e3);
        assert_eq!(after(false, 1e3), 1e-3);
    }

    #[test]
    fn a_race_without_an_answer_leaves_the_step_size_alone() {
        let mut unanswered = decision(false);
        unanswered.verdict.reason = Reason::Budget;
        assert_eq!(next_sigma(1.0, &unanswered), 1.0);
    }

    /// With exact comparisons, a (1+1)-ES with this success rule divides its distance to the optimum of a sphere by a
    /// constant factor in a fixed number of iterations; in dimension 5, 1000 iterations are more than enough for a distance
    /// of 1e-3.
    #[test]
    fn the_sphere_is_solved() {
        let distance = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut oracle = Scripted::new(Vec::new(), |candidate: &[f64], question: &Question<'_>| {
            let Question::Beats(incumbent) = question else { panic!("{question:?}") };
            distance(candidate) < distance(incumbent)
        });
        let mut method = Running::new(vec![3.0; 5], OnePlusOneKind::Iterative);
        for _ in 0..1000 {
            method.iterate(&mut oracle).expect("no stop is requested");
        }
        assert!(distance(method.incumbent()) < 1e-3, "{method:?}");
    }

    #[test]
    fn a_tie_says_nothing_about_the_step_size() {
        let tie = Decision { accepted: true, verdict: Verdict::exact(0.5), num_games: 2 };
        assert_eq!(next_sigma(0.5, &tie), 0.5);
        assert_eq!(next_sigma(0.5, &Decision { accepted: false, ..tie }), 0.42);
        assert_eq!(next_sigma(0.42, &decision(true)), 0.84);
    }

    #[test]
    fn a_state_of_something_else_is_refused() {
        let restored = |sigma: f64| {
            let state = serde_json::json!({ "sigma": sigma });
            Running::restore(vec![vec![0.0]], OnePlusOneKind::Naive, state)
        };
        assert_eq!(restored(2.0).map(|run| run.memory.sigma), Ok(2.0));
        let error = restored(0.0).expect_err("out of range");
        assert_eq!(error.to_string(), "the state of the method: sigma is 0");
    }
}
