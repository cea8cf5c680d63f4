//! CMA-ES against the baseline: generations of candidates on common deals, confirmed by races.
//!
//! Ours, after Hansen 2016; the distribution and its references are in
//! [`SearchDistribution`](super::SearchDistribution). Every candidate of a generation plays the baseline in
//! the same deals, and only the ranks of the scores are used. Noise is handled as in UH-CMA-ES (Hansen,
//! Niederberger, Guzzella & Koumoutsakos, *A method for handling uncertainty in evolutionary optimization*,
//! IEEE Transactions on Evolutionary Computation 13, 2009): each generation plays two halves of its pairs, and
//! if the two rankings do not agree there are more pairs in the next, if they agree well, fewer. The measure of
//! agreement is Kendall's, smoothed.
//!
//! What was learned becomes the incumbent by a race on fresh deals only, as in the naive method: alternately
//! the mean of the distribution, which is the best guess where the score changes gradually, and the best of
//! the generation, which is where it does not. Races take at most a third of the games, until the budget is
//! nearly used; the last games are all for races.
//!
//! A generation whose best quarter cannot be told apart, as on a plateau, widens the search. When several races in a row were lost, the search starts again
//! from a random individual, with twice the population and twice the step size (after Auger & Hansen, *A
//! restart CMA evolution strategy with increasing population size*, CEC 2005); the incumbent stays.
//!
//! Time: a generation of n parameters takes about 4 + 3 ln n candidates. Space: that of the distribution.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FIRST_SIGMA;
use super::distribution::{Covariance, SearchDistribution};
use super::method::{Against, Fixture, Iteration, Method, Oracle, Player, Question};
use crate::arena::Stopped;
use crate::evaluate::Tally;
use crate::race::{Decision, Reason, Verdict};

/// Pairs of a candidate in each half of a generation.
const PAIRS_RANGE: std::ops::RangeInclusive<u64> = 8..=4096;
/// Their number at the start.
const FIRST_PAIRS: u64 = 16;
/// Weight of the newest agreement in the smoothed one.
const NEWEST: f64 = 0.2;
/// Smoothed agreements below which pairs are doubled, and above which they are halved.
const LEAST_AGREEMENT: f64 = 0.15;
const MOST_AGREEMENT: f64 = 0.5;
/// Where the smoothed agreement begins, and begins again when the number of pairs changes.
const MIDDLE_AGREEMENT: f64 = (LEAST_AGREEMENT + MOST_AGREEMENT) / 2.0;
/// Races get the games of generations over this number.
const GENERATION_GAMES_PER_RACE_GAME: u64 = 2;
/// The smallest population, for noise; the usual one is smaller below dimension 4.
const LEAST_POPULATION: usize = 8;
/// Races lost in a row after which the search starts again.
const MAX_LOST: u32 = 6;
/// Generations that a search is given, at least, and for each population that fits into the dimension.
const PATIENCE: u64 = 30;
/// Restarts after which population and step size are not doubled any more.
const MAX_DOUBLINGS: u32 = 5;
/// The part of all games at the end that is left for races.
const LAST_PART: u64 = 5;

/// The state of the method between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct CmaEs {
    incumbent: Vec<f64>,
    memory: Memory,
}

/// What the method remembers beside its incumbent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    distribution: SearchDistribution,
    /// Pairs of a candidate in each half of a generation.
    num_pairs: u64,
    /// How well the halves agree, from -1 to 1, smoothed.
    agreement: f64,
    /// Games played in generations, and in races.
    generation_games: u64,
    race_games: u64,
    /// The best of the last generation.
    best: Option<Vec<f64>>,
    /// Races held.
    num_races: u64,
    /// Races lost since the last that was won, or since the search started again.
    num_lost: u32,
    /// How often the search started again; it is the number of random individuals used beside the start.
    num_restarts: u32,
}

/// Kendall's rank correlation of two lists of points, in [-1, 1]; equal points agree with nothing.
fn kendall(x: &[u64], y: &[u64]) -> f64 {
    let n = x.len();
    let sign = |points: &[u64], i: usize, j: usize| points[i].cmp(&points[j]) as i64;
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let sum: i64 = pairs.map(|(i, j)| sign(x, i, j) * sign(y, i, j)).sum();
    sum as f64 / (n * (n - 1) / 2) as f64
}

/// The distribution around `start` with which a search begins, after so many restarts.
fn distribution(start: Vec<f64>, num_restarts: u32) -> SearchDistribution {
    let covariance = Covariance::for_dimension(start.len());
    let doublings = 1 << num_restarts.min(MAX_DOUBLINGS);
    let usual = SearchDistribution::new(start.clone(), FIRST_SIGMA, covariance).population_size();
    let size = doublings * usual.max(LEAST_POPULATION);
    let sigma = FIRST_SIGMA * doublings as f64;
    SearchDistribution::with_population_size(start, sigma, covariance, size)
}

impl CmaEs {
    /// The state at the start of a run, from the parameters `start`: `[dimension]`.
    pub fn new(start: Vec<f64>) -> CmaEs {
        let memory = Memory {
            distribution: distribution(start.clone(), 0),
            num_pairs: FIRST_PAIRS,
            agreement: MIDDLE_AGREEMENT,
            generation_games: 0,
            race_games: 0,
            best: None,
            num_races: 0,
            num_lost: 0,
            num_restarts: 0,
        };
        CmaEs { incumbent: start, memory }
    }

    /// The method in a state in which it was; the last of `population` is the incumbent.
    ///
    /// # Errors
    ///
    /// When it is not a state of this method.
    pub fn restore(
        mut population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<CmaEs, serde_json::Error> {
        let memory: Memory = serde_json::from_value(state)?;
        let incumbent = population.pop().unwrap_or_default();
        let dimension = incumbent.len();
        let is_sound = memory.distribution.mean().len() == dimension
            && memory.best.iter().all(|best| best.len() == dimension)
            && PAIRS_RANGE.contains(&memory.num_pairs);
        if !is_sound {
            return Err(serde::de::Error::custom("it does not fit the population"));
        }
        Ok(CmaEs { incumbent, memory })
    }

    /// Games of the next generation: every candidate and the mean, each in two halves.
    fn next_generation_games(&self) -> u64 {
        let players = self.memory.distribution.population_size() as u64 + 1;
        players * 2 * 2 * self.memory.num_pairs
    }

    /// The challenger of the next race, if it is time for one.
    fn challenger(&self, games_left: u64) -> Option<Vec<f64>> {
        let memory = &self.memory;
        let best = memory.best.as_ref()?;
        let used = memory.generation_games + memory.race_games;
        let is_near_the_end = games_left < self.next_generation_games()
            || games_left < (used.saturating_add(games_left)) / LAST_PART;
        let has_share = memory.race_games
            <= memory.generation_games / GENERATION_GAMES_PER_RACE_GAME
            && memory.generation_games >= GENERATION_GAMES_PER_RACE_GAME * memory.num_pairs;
        if !is_near_the_end && !has_share {
            return None;
        }
        let mean = memory.distribution.mean();
        Some(if memory.num_races.is_multiple_of(2) { mean.to_vec() } else { best.clone() })
    }

    /// A race of the challenger against the incumbent.
    fn challenge(
        &mut self,
        challenger: Vec<f64>,
        oracle: &mut dyn Oracle,
    ) -> Result<Iteration, Stopped> {
        let decision = oracle.compare(&challenger, Question::DoesBetterThan(&self.incumbent))?;
        self.memory.num_races += 1;
        self.memory.race_games += decision.num_games;
        if decision.accepted {
            self.incumbent.clone_from(&challenger);
            self.memory.num_lost = 0;
        } else {
            self.memory.num_lost += 1;
        }
        let Memory { distribution: search, num_lost, .. } = &self.memory;
        let (n, size) = (self.incumbent.len() as u64, search.population_size() as u64);
        let has_had_its_time = search.generation() >= PATIENCE * (1 + n / size);
        if *num_lost >= MAX_LOST && has_had_its_time {
            let memory = &mut self.memory;
            memory.num_lost = 0;
            memory.num_restarts += 1;
            let start = oracle.individual(u64::from(memory.num_restarts));
            memory.distribution = self::distribution(start, memory.num_restarts);
            memory.num_pairs = FIRST_PAIRS;
            memory.agreement = MIDDLE_AGREEMENT;
            memory.best = None;
        }
        Ok(Iteration::compared(decision, challenger, Against::Baseline))
    }

    /// A generation, and what it teaches the distribution.
    fn generation(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        let memory = &mut self.memory;
        let candidates = memory.distribution.ask(&mut || oracle.gaussian());
        let mut players = vec![Player::Baseline, Player::Parameters(memory.distribution.mean())];
        players.extend(candidates.iter().map(|theta| Player::Parameters(theta)));
        let num_pairs = memory.num_pairs;
        let halves = (1..players.len()).flat_map(|a| [(a, 0), (a, 1)]);
        let fixtures: Vec<Fixture> =
            halves.map(|(a, deals)| Fixture { a, b: 0, deals, num_pairs }).collect();
        let tallies = oracle.play(&players, &fixtures)?;

        let (of_mean, of_candidates) = tallies.split_at(2);
        let points = |half: usize| -> Vec<u64> {
            of_candidates.chunks(2).map(|halves| halves[half].quarter_points()).collect()
        };
        let (first, second) = (points(0), points(1));
        let agreement = kendall(&first, &second);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        // Stable: candidates are exchangeable, so the order of equal ones is a random one.
        order.sort_by_key(|&i| std::cmp::Reverse(first[i] + second[i]));
        let ranked: Vec<Vec<f64>> = order.iter().map(|&i| candidates[i].clone()).collect();
        let points_of = |rank: usize| (first[order[rank]], second[order[rank]]);
        if points_of(0) == points_of(ranked.len() / 4) {
            memory.distribution.tell_flat();
        } else {
            memory.distribution.tell(&ranked);
        }
        memory.best = ranked.into_iter().next();
        memory.generation_games += fixtures.len() as u64 * 2 * num_pairs;

        memory.agreement += NEWEST * (agreement - memory.agreement);
        let changed = if memory.agreement < LEAST_AGREEMENT {
            2 * num_pairs
        } else if memory.agreement > MOST_AGREEMENT {
            num_pairs / 2
        } else {
            num_pairs
        };
        let changed = changed.clamp(*PAIRS_RANGE.start(), *PAIRS_RANGE.end());
        if changed != num_pairs {
            memory.num_pairs = changed;
            memory.agreement = MIDDLE_AGREEMENT;
        }

        // What the mean scored, before it moved.
        let mut tally = Tally::default();
        of_mean.iter().for_each(|half| tally.merge(half));
        let estimate = tally.estimate().expect("the mean has played");
        let verdict = Verdict {
            candidate_leads: false,
            reason: Reason::Generation,
            num_observations: estimate.pairs,
            score: estimate.score,
            interval: estimate.interval,
        };
        Ok(Iteration {
            decision: Decision { accepted: false, verdict, num_games: 0 },
            joined: None,
        })
    }
}

impl Method for CmaEs {
    fn incumbent(&self) -> &[f64] {
        &self.incumbent
    }

    fn sigma(&self) -> Option<f64> {
        Some(self.memory.distribution.sigma())
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        match self.challenger(oracle.games_left()) {
            Some(challenger) => self.challenge(challenger, oracle),
            None => self.generation(oracle),
        }
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.memory).expect("plain data")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::method::tests::Scripted;

    #[test]
    fn agreement_is_kendalls() {
        assert_eq!(kendall(&[1, 2, 3, 4], &[10, 20, 30, 40]), 1.0);
        assert_eq!(kendall(&[1, 2, 3, 4], &[4, 3, 2, 1]), -1.0);
        // Of six pairs one is reversed.
        assert_eq!(kendall(&[1, 2, 3, 4], &[1, 2, 4, 3]), 4.0 / 6.0);
        assert_eq!(kendall(&[1, 2], &[3, 3]), 0.0);
    }

    /// The larger first parameter wins: a candidate either beats the baseline always or never, so what is
    /// learned is to have a positive one.
    #[test]
    fn the_mean_moves_to_the_winners() {
        let mut oracle = Scripted::new(Vec::new(), |candidate: &[f64], question: &Question<'_>| {
            let Question::DoesBetterThan(incumbent) = question else { panic!("{question:?}") };
            candidate[0] > 0.0 && incumbent[0] <= 0.0
        });
        oracle.games_left = 100_000;
        let mut method = CmaEs::new(vec![-1.0, 0.0]);
        let mut num_iterations = 0;
        while method.iterate(&mut oracle).is_ok() && num_iterations < 400 {
            num_iterations += 1;
            let population = vec![method.incumbent.clone()];
            let again = CmaEs::restore(population, method.state()).expect("its own state");
            assert_eq!(again, method);
        }
        assert!(method.incumbent()[0] > 0.0, "{:?}", method.incumbent());
        assert!(method.memory.num_races > 1);
    }

    #[test]
    fn a_state_of_something_else_is_refused() {
        let method = CmaEs::new(vec![1.0, 2.0]);
        assert!(CmaEs::restore(vec![vec![1.0, 2.0]], method.state()).is_ok());
        assert!(CmaEs::restore(vec![vec![1.0]], method.state()).is_err());
        assert!(CmaEs::restore(Vec::new(), method.state()).is_err());
        let mut state = method.state();
        state["num_pairs"] = serde_json::json!(0);
        assert!(CmaEs::restore(vec![vec![1.0, 2.0]], state).is_err());
    }
}
