//! CMA-ES against the baseline: the candidates of a generation play on common deals, and races confirm improvements.
//!
//! This method is ours, after Hansen 2016; [`SearchDistribution`](super::SearchDistribution) describes the distribution
//! and names its references. All candidates of a generation play the baseline on the same deals, and only the ranks of
//! their scores are used. Noise is handled as in UH-CMA-ES (Hansen, Niederberger, Guzzella & Koumoutsakos, *A method
//! for handling uncertainty in evolutionary optimization*, IEEE Transactions on Evolutionary Computation 13, 2009):
//! each generation plays its pairs in two halves. If the two rankings disagree, the next generation plays more pairs;
//! if they agree well, it plays fewer. Agreement is measured by Kendall's rank correlation, smoothed over generations.
//!
//! A learned strategy becomes the incumbent only through a race on fresh deals, as in the naive method. In every
//! generation, the incumbent and the mean of the distribution play as well. The mean, or the best candidate of the
//! generation, races if its lead is large enough for a short race. Until the last fifth of the budget, races take at
//! most a third of the games.
//!
//! If the best quarter of a generation has equal scores, as on a plateau, the search widens. If no race was won for
//! many generations, the search restarts from a random individual, with twice the population and twice the step size
//! (after Auger & Hansen, *A restart CMA evolution strategy with increasing population size*, CEC 2005); the incumbent
//! stays.
//!
//! With selection by seat ([`Selection`]), a family of doubled players has one distribution for the parameters of each
//! seat. A candidate combines one sample of each distribution, and each sample is ranked only by the games in its own
//! seat, which the other sample does not affect. The challenger combines, for each seat, the part with the largest
//! lead, or the part of the incumbent if no part leads; the challenger races as a whole.
//!
//! Unless the user specifies a start, the first search begins with all parameters 0, which is the mean of the Gaussian
//! starts of the paper's methods.
//!
//! Time: a generation for n parameters evaluates about 6 + 3 ln n players. Space: the size of the distribution.

use ruse_base::stop::Result;
use ruse_play::family::Player;
use ruse_play::score::Tally;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FIRST_SIGMA;
use super::distribution::{Covariance, SearchDistribution};
use super::kind::{MethodInfo, MethodKind, Running, UsualRaces, UsualStart};
use super::method::{Against, Fixture, Iteration, Lesson, Oracle, Question, Step};
use super::selection::{Parts, Selection};
use super::state_error::StateError;

/// The range of the number of pairs that a player plays in each half of a generation.
const PAIRS_RANGE: std::ops::RangeInclusive<u64> = 8..=4096;
/// The maximum number of pairs of a generation. The number is limited because a generation is lost if the run stops
/// before its end. Each candidate plays at least the smallest number in [`PAIRS_RANGE`], even above this limit.
const MAX_GENERATION_PAIRS: u64 = 1 << 17;
/// The number of pairs that a player plays in each half of the first generation.
const FIRST_PAIRS: u64 = 16;
/// The weight of the newest agreement in the smoothed agreement.
const NEWEST: f64 = 0.2;
/// Below this smoothed agreement, the number of pairs is doubled; above `MAX_AGREEMENT`, the number is halved.
const MIN_AGREEMENT: f64 = 0.15;
const MAX_AGREEMENT: f64 = 0.5;
/// The value to which the smoothed agreement is set at the start, and when the number of pairs changes.
const MIDDLE_AGREEMENT: f64 = (MIN_AGREEMENT + MAX_AGREEMENT) / 2.0;
/// The smallest population size. It limits the effect of noise; in dimensions below 4, the default size would be
/// smaller.
const MIN_POPULATION: usize = 8;
/// The minimum number of games in generations per game in races.
const GENERATION_GAMES_PER_RACE_GAME: u64 = 2;
/// In the last 1 / `LAST_PART` of all games, races may take as many games as they need.
const LAST_PART: u64 = 5;
/// The search restarts after `PATIENCE` (1 + n / λ) generations without a won race, for n parameters and a population
/// of λ.
const PATIENCE: u64 = 150;
/// The number of restarts after which the population and the step size are no longer doubled.
const MAX_DOUBLINGS: u32 = 5;
/// The largest standard deviation of the candidates along any axis: the initial standard deviation of the widest
/// search. Random individuals have a standard deviation of 1. If the scale of the parameters has no effect, as in War,
/// sigma would otherwise grow without bound.
const MAX_SPREAD: f64 = FIRST_SIGMA * (1 << MAX_DOUBLINGS) as f64;
/// The factor by which each generation reduces the weight of earlier generations in a [`Lead`].
const FORGETTING: f64 = 0.8;

/// The state of the method between two iterations, apart from its incumbent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CmaEs {
    /// One distribution for the whole vector, or one for the parameters of each seat. All have the same population
    /// size.
    distributions: Vec<SearchDistribution>,
    /// The number of pairs that a player plays in each half of a generation.
    num_pairs: u64,
    /// The smoothed agreement of the two halves, from -1 to 1.
    agreement: f64,
    /// The number of games played in generations. The number played in races is `race_games`.
    generation_games: u64,
    race_games: u64,
    /// For each distribution, the lead of its mean over the incumbent in the generations since the last race.
    leads_of_means: Vec<Lead>,
    /// The candidate that races against the incumbent next, and its estimated lead.
    challenger: Option<(Vec<f64>, f64)>,
    /// The number of generations since a race was last won, or since the last restart.
    num_barren: u64,
    /// The number of restarts, which is also the number of random individuals used after the start.
    num_restarts: u32,
}

/// The lead of a part of a player over the same part of the incumbent: a weighted sum of score differences, and the sum
/// of the weights. Weights are numbers of pairs; each generation multiplies earlier weights by [`FORGETTING`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lead {
    sum: f64,
    weight: f64,
}

impl Lead {
    fn add(&mut self, difference: f64, num_pairs: u64) {
        self.sum = FORGETTING * self.sum + difference * num_pairs as f64;
        self.weight = FORGETTING * self.weight + num_pairs as f64;
    }

    fn mean(self) -> f64 {
        if self.weight > 0.0 { self.sum / self.weight } else { 0.0 }
    }
}

/// Estimates the number of games of a limited Bernstein race on Z (see
/// [`against_a_third`](ruse_play::race::against_a_third)) between players whose scores differ by `lead`. After n pairs, the
/// interval of the race has a half-width of sqrt(2 v x / n) + 3 x / n, which must reach lead / 2; v is about 1/50 for
/// Z, and x, the logarithm of the number of tests over delta, is about 10. Other races are shorter.
fn expected_race_games(lead: f64) -> f64 {
    const X: f64 = 10.0;
    const V: f64 = 0.02;
    4.0 * (6.0 * X / lead + 8.0 * V * X / (lead * lead))
}

/// Returns an allowance for selection bias: two standard errors of the difference of two scores on common deals. The
/// bias arises because a race is played only when a lead is large. The variance of the difference is about 1/10 for a
/// pair, and therefore 2/10 for a game in one seat.
fn luck(num_pairs: f64, num_parts: usize) -> f64 {
    2.0 * (0.1 * num_parts as f64 / num_pairs).sqrt()
}

/// Returns Kendall's rank correlation of two lists of points, in [-1, 1]; ties count as 0.
fn kendall(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    let sign = |points: &[f64], i: usize, j: usize| points[i].total_cmp(&points[j]) as i64;
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let sum: i64 = pairs.map(|(i, j)| sign(x, i, j) * sign(y, i, j)).sum();
    sum as f64 / (n * (n - 1) / 2) as f64
}

/// Returns one distribution for each of `parts`, centred on `start`, for a search that begins after `num_restarts`
/// restarts.
fn distributions(parts: &Parts, start: &[f64], num_restarts: u32) -> Vec<SearchDistribution> {
    let doublings = 1 << num_restarts.min(MAX_DOUBLINGS);
    let starts = || parts.ranges().iter().map(|range| start[range.clone()].to_vec());
    let usual_size = |start: Vec<f64>| {
        let covariance = Covariance::for_dimension(start.len());
        SearchDistribution::new(start, FIRST_SIGMA, covariance).population_size()
    };
    // A candidate combines one sample of each distribution, so all need the same population size.
    let usual = starts().map(usual_size).max().unwrap_or_default();
    let size = doublings * usual.max(MIN_POPULATION);
    let sigma = FIRST_SIGMA * doublings as f64;
    let distribution = |start: Vec<f64>| {
        let covariance = Covariance::for_dimension(start.len());
        SearchDistribution::with_population_size(start, sigma, covariance, size)
    };
    starts().map(distribution).collect()
}

impl Running<CmaEsKind> {
    /// Starts a new search around the incumbent if the distributions of the current search do not fit `parts`. At the
    /// start of a run, for instance, the seats are not yet known.
    fn settle(&mut self, parts: &Parts) {
        let memory = &mut self.memory;
        let dimensions = memory.distributions.iter().map(|distribution| distribution.mean().len());
        if !dimensions.eq(parts.ranges().iter().map(ExactSizeIterator::len)) {
            memory.distributions = distributions(
                parts,
                self.population.last().expect("it has a start"),
                memory.num_restarts,
            );
            memory.leads_of_means = vec![Lead::default(); parts.num()];
        }
    }

    /// Returns `true` if less than 1 / [`LAST_PART`] of the budget is left.
    fn is_near_the_end(&self, games_left: u64) -> bool {
        let used = self.memory.generation_games + self.memory.race_games;
        games_left < used.saturating_add(games_left) / LAST_PART
    }

    /// Returns `true` if the challenger, with an estimated lead of `lead`, should race now.
    fn is_time_for_a_race(&self, games_left: u64, lead: f64) -> bool {
        let share = self.memory.generation_games / GENERATION_GAMES_PER_RACE_GAME;
        let expected = self.memory.race_games as f64 + expected_race_games(lead);
        lead > 0.0 && (self.is_near_the_end(games_left) || expected <= share as f64)
    }

    /// Returns the largest number of games that the next race may take.
    fn max_race_games(&self, games_left: u64, lead: f64) -> u64 {
        match self.is_near_the_end(games_left) {
            true => games_left,
            // If a race takes much longer than expected, the lead is smaller than expected.
            false => (2.0 * expected_race_games(lead)) as u64,
        }
    }

    fn challenge(
        &mut self,
        challenger: Vec<f64>,
        lead: f64,
        oracle: &mut dyn Oracle,
    ) -> Result<Iteration> {
        let max_games = self.max_race_games(oracle.games_left(), lead);
        let question = Question::DoesBetterThan(self.last());
        let decision = oracle.compare_within(max_games, &challenger, question)?;
        let memory = &mut self.memory;
        memory.race_games += decision.num_games;
        memory.leads_of_means.fill(Lead::default());
        memory.challenger = None;
        if decision.accepted {
            memory.num_barren = 0;
        }
        Ok(Iteration::compared(decision, challenger, Against::Baseline))
    }

    /// Plays a generation and updates the distributions.
    fn generation(&mut self, oracle: &mut dyn Oracle, parts: &Parts) -> Result<Iteration> {
        let incumbent = self.last().to_vec();
        let memory = &mut self.memory;
        let means: Vec<&[f64]> =
            memory.distributions.iter().map(SearchDistribution::mean).collect();
        let mean = parts.assemble(&means);
        let samples: Vec<Vec<Vec<f64>>> =
            memory.distributions.iter().map(|d| d.ask(&mut || oracle.gaussian())).collect();
        let num_candidates = samples[0].len();
        let candidate = |index: usize| {
            let of_parts: Vec<&[f64]> =
                samples.iter().map(|samples| samples[index].as_slice()).collect();
            parts.assemble(&of_parts)
        };
        let candidates: Vec<Vec<f64>> = (0..num_candidates).map(candidate).collect();
        let mut players = vec![oracle.baseline()];
        let thetas = [&incumbent, &mean].into_iter().chain(&candidates);
        players.extend(thetas.map(|theta| Player::from(theta.as_slice())));
        let num_pairs = memory.num_pairs;
        let num_players = players.len() - 1;
        let halves =
            [0, 1].into_iter().flat_map(|deals| (1..=num_players).map(move |a| (a, deals)));
        let fixtures: Vec<Fixture> =
            halves.map(|(a, deals)| Fixture { a, b: 0, deals, num_pairs }).collect();
        let tallies = oracle.play(&players, &fixtures)?;
        memory.generation_games += fixtures.len() as u64 * 2 * num_pairs;

        let (first_half, second_half) = tallies.split_at(num_players);
        let mut agreement = 0.0;
        let (mut challenger, mut lead) = (incumbent, 0.0);
        for (part, range) in parts.ranges().iter().enumerate() {
            let points = |half: &[Tally]| -> Vec<f64> {
                let of_part = |tally: &Tally| parts.results(tally).nth(part);
                half.iter().filter_map(of_part).map(|result| result.quarter_points).collect()
            };
            let (first, second) = (points(first_half), points(second_half));
            // The scores of the incumbent, the mean, and the candidates, in this order.
            let scores: Vec<f64> =
                first.iter().zip(&second).map(|(x, y)| (x + y) / (8 * num_pairs) as f64).collect();
            let of_candidates = &scores[2..];
            // The sort is stable, so candidates with equal scores stay in the order in which they were drawn, which is
            // random.
            let mut order: Vec<usize> = (0..num_candidates).collect();
            order.sort_by(|&i, &j| of_candidates[j].total_cmp(&of_candidates[i]));
            let is_flat = of_candidates[order[0]] == of_candidates[order[order.len() / 4]];
            let samples = &samples[part];
            let distribution = &mut memory.distributions[part];
            if is_flat {
                distribution.tell_flat();
            } else {
                let ranked: Vec<_> = order.iter().map(|&i| samples[i].clone()).collect();
                distribution.tell(&ranked);
            }
            distribution.limit_spread(MAX_SPREAD);

            let of_mean = &mut memory.leads_of_means[part];
            of_mean.add(scores[1] - scores[0], 2 * num_pairs);
            let lead_of_mean = of_mean.mean() - luck(of_mean.weight, parts.num());
            let lead_of_best =
                of_candidates[order[0]] - scores[0] - luck(2.0 * num_pairs as f64, parts.num());
            let (ahead, lead_of_part) = if lead_of_best > lead_of_mean {
                (samples[order[0]].as_slice(), lead_of_best)
            } else {
                (distribution.mean(), lead_of_mean)
            };
            if lead_of_part > 0.0 {
                challenger[range.clone()].copy_from_slice(ahead);
                lead += lead_of_part / parts.num() as f64;
            }
            agreement += kendall(&first[2..], &second[2..]) / parts.num() as f64;
        }
        memory.challenger = (lead > 0.0).then_some((challenger, lead));
        self.adapt_pairs(agreement);
        self.count_barren(oracle, parts);

        // The score of the mean before the update.
        let mut tally = first_half[1].clone();
        tally.merge(&second_half[1]);
        Ok(Iteration { step: Step::learned(Lesson::Generation, &tally), joined: None })
    }

    fn population_size(&self) -> usize {
        self.memory.distributions[0].population_size()
    }

    /// Adapts the number of pairs to the agreement of the two halves of a generation.
    fn adapt_pairs(&mut self, agreement: f64) {
        let size = self.population_size() as u64;
        let memory = &mut self.memory;
        memory.agreement += NEWEST * (agreement - memory.agreement);
        let wanted = if memory.agreement < MIN_AGREEMENT {
            2 * memory.num_pairs
        } else if memory.agreement > MAX_AGREEMENT {
            memory.num_pairs / 2
        } else {
            return;
        };
        let most = MAX_GENERATION_PAIRS / (2 * size);
        let wanted = wanted.min(most).clamp(*PAIRS_RANGE.start(), *PAIRS_RANGE.end());
        if wanted != memory.num_pairs {
            memory.num_pairs = wanted;
            memory.agreement = MIDDLE_AGREEMENT;
        }
    }

    /// Counts a generation without a won race. After too many generations without a won race, restarts the search.
    fn count_barren(&mut self, oracle: &dyn Oracle, parts: &Parts) {
        let size = self.population_size() as u64;
        let n = parts.ranges().iter().map(ExactSizeIterator::len).max().unwrap_or_default() as u64;
        let memory = &mut self.memory;
        memory.num_barren += 1;
        if memory.num_barren < PATIENCE * (1 + n / size) {
            return;
        }
        memory.num_barren = 0;
        memory.num_restarts += 1;
        let start = oracle.individual(u64::from(memory.num_restarts));
        memory.distributions = distributions(parts, &start, memory.num_restarts);
        memory.num_pairs = FIRST_PAIRS;
        memory.agreement = MIDDLE_AGREEMENT;
        memory.leads_of_means.fill(Lead::default());
        memory.challenger = None;
    }
}

/// The [`MethodKind`] of CMA-ES, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CmaEsKind {
    /// The games that decide on the parameters of a seat, in families of doubled players.
    pub selection: Selection,
}

impl MethodKind for CmaEsKind {
    type Memory = CmaEs;

    /// The start is [`UsualStart::Zero`], because many parameters should be about 0, and a short run cannot unlearn a random
    /// start.
    fn info(&self) -> MethodInfo<'_> {
        MethodInfo {
            usual_races: UsualRaces::OURS,
            usual_start: UsualStart::Zero,
            ..MethodInfo::new("cma-es", "as naive, and the mutations learn a covariance")
        }
    }

    fn begin(&self, start: &[f64]) -> CmaEs {
        CmaEs {
            // The seats are not known before the first iteration, so there is only one part until then.
            distributions: distributions(&Parts::whole(start.len()), start, 0),
            num_pairs: FIRST_PAIRS,
            agreement: MIDDLE_AGREEMENT,
            generation_games: 0,
            race_games: 0,
            leads_of_means: vec![Lead::default()],
            challenger: None,
            num_barren: 0,
            num_restarts: 0,
        }
    }

    fn check(run: &Running<Self>) -> Result<(), StateError> {
        let (memory, dimension) = (&run.memory, run.last().len());
        let sizes = memory.distributions.iter().map(|d| (d.mean().len(), d.population_size()));
        let (dimensions, sizes): (Vec<usize>, Vec<usize>) = sizes.unzip();
        let is_sound = dimensions.iter().sum::<usize>() == dimension
            && sizes.windows(2).all(|pair| pair[0] == pair[1])
            && memory.leads_of_means.len() == dimensions.len()
            && memory.challenger.iter().all(|(theta, _)| theta.len() == dimension)
            && PAIRS_RANGE.contains(&memory.num_pairs);
        StateError::unless(is_sound && dimension > 0)
    }

    fn sigma(run: &Running<Self>) -> Option<f64> {
        // If there are two distributions, this is the geometric mean of their step sizes.
        let product: f64 = run.memory.distributions.iter().map(SearchDistribution::sigma).product();
        Some(if run.memory.distributions.len() == 1 { product } else { product.sqrt() })
    }

    /// The mean of the distribution, unless there is one for each seat.
    fn finalists(run: &Running<Self>) -> Vec<Vec<f64>> {
        match run.memory.distributions.as_slice() {
            [distribution] => vec![distribution.mean().to_vec()],
            _ => Vec::new(),
        }
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let parts = run.options.selection.parts(oracle, run.last().len());
        run.settle(&parts);
        match &run.memory.challenger {
            Some((challenger, lead)) if run.is_time_for_a_race(oracle.games_left(), *lead) => {
                run.challenge(challenger.clone(), *lead, oracle)
            }
            _ => run.generation(oracle, &parts),
        }
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::BySeat;

    use super::*;
    use crate::methods::method::Method;
    use crate::methods::method::tests::{Scripted, assert_restorable};

    #[test]
    fn agreement_is_kendalls() {
        assert_eq!(kendall(&[1.0, 2.0, 3.0, 4.0], &[10.0, 20.0, 30.0, 40.0]), 1.0);
        assert_eq!(kendall(&[1.0, 2.0, 3.0, 4.0], &[4.0, 3.0, 2.0, 1.0]), -1.0);
        // One of six pairs is reversed.
        assert_eq!(kendall(&[1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 4.0, 3.0]), 4.0 / 6.0);
        assert_eq!(kendall(&[1.0, 2.0], &[3.0, 3.0]), 0.0);
    }

    /// The player with the larger first parameter wins; the first parameter of the baseline counts as 0. A candidate
    /// therefore either always or never beats the baseline, and the search must learn a positive parameter.
    #[test]
    fn the_mean_moves_to_the_winners() {
        let mut oracle = Scripted::new(Vec::new(), |candidate: &[f64], question: &Question<'_>| {
            let Question::DoesBetterThan(incumbent) = question else { panic!("{question:?}") };
            candidate[0] > 0.0 && incumbent[0] <= 0.0
        });
        oracle.games_left = 100_000;
        oracle.dimension = 2;
        let mut method = Running::new(vec![-1.0, 0.0], CmaEsKind::default());
        let mut num_iterations = 0;
        while method.iterate(&mut oracle).is_ok() && num_iterations < 400 {
            num_iterations += 1;
            assert_restorable(&method);
        }
        assert!(method.incumbent()[0] > 0.0, "{:?}", method.incumbent());
        assert!(!oracle.asked.is_empty());
    }

    /// The game of the previous test, with one parameter for each seat. From the games in each seat, the search must
    /// learn that the parameter of this seat has to be positive. Each distribution has one parameter.
    #[test]
    fn each_seat_learns_from_its_own_games() {
        let seats = BySeat { first: 0..1, second: 1..2 };
        let points = |theta: &[f64]| theta.iter().filter(|&&x| x > 0.0).count();
        let mut oracle = Scripted::new(Vec::new(), |candidate: &[f64], question: &Question<'_>| {
            let Question::DoesBetterThan(incumbent) = question else { panic!("{question:?}") };
            points(candidate) > points(incumbent)
        });
        oracle.games_left = 100_000;
        oracle.dimension = 2;
        oracle.seats = Some(seats);
        let mut method = Running::new(vec![-1.0, -1.0], CmaEsKind::default());
        for _ in 0..400 {
            if method.iterate(&mut oracle).is_err() {
                break;
            }
            assert_eq!(method.memory.distributions.len(), 2);
            assert_restorable(&method);
        }
        assert_eq!(points(method.incumbent()), 2, "{:?}", method.incumbent());
        // The incumbent already wins in the first seat, so no other part leads in this seat, and no challenger changes
        // the incumbent's part.
        let mut method = Running::new(vec![5.0, -1.0], CmaEsKind::default());
        oracle.games_left = 100_000;
        oracle.asked.clear();
        for _ in 0..100 {
            method.iterate(&mut oracle).expect("there is a budget");
        }
        assert!(method.incumbent()[1] > 0.0, "{:?}", method.incumbent());
        assert!(oracle.asked.iter().all(|(candidate, _)| candidate[0] == 5.0));
        // With the selection `whole`, one distribution covers both parameters.
        let whole = CmaEsKind { selection: Selection::Whole };
        let mut method = Running::new(vec![-1.0, -1.0], whole);
        oracle.games_left = 100_000;
        method.iterate(&mut oracle).expect("there is a budget");
        assert_eq!(method.memory.distributions.len(), 1);
    }

    #[test]
    fn a_state_of_something_else_is_refused() {
        let options = CmaEsKind::default();
        let method = Running::new(vec![1.0, 2.0], options);
        let restore =
            |population: &[Vec<f64>], state| Running::restore(population.to_vec(), options, state);
        assert!(restore(&[vec![1.0, 2.0]], method.state()).is_ok());
        assert!(restore(&[vec![1.0]], method.state()).is_err());
        assert!(restore(&[], method.state()).is_err());
        let mut state = method.state();
        state["num_pairs"] = serde_json::json!(0);
        assert!(restore(&[vec![1.0, 2.0]], state).is_err());
        // Two distributions with two parameters each do not fit a player with two parameters.
        let mut state = method.state();
        let twice = [state["distributions"][0].clone(), state["distributions"][0].clone()];
        state["distributions"] = serde_json::json!(twice);
        assert!(restore(&[vec![1.0, 2.0]], state).is_err());
    }
}
