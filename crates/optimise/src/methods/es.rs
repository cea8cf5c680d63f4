//! An evolution strategy that climbs along a gradient estimated from random directions.
//!
//! Salimans, Ho, Chen, Sidor & Sutskever, *Evolution strategies as a scalable alternative to reinforcement learning*,
//! arXiv 1703.03864, 2017, algorithm 1; Wierstra, Schaul, Glasmachers, Sun, Peters & Schmidhuber, *Natural evolution
//! strategies*, Journal of Machine Learning Research 15, 2014. Let theta be the mean of a Gaussian with standard
//! deviation sigma, and F the score against the baseline. A generation draws directions epsilon_i and plays both
//! theta + sigma epsilon_i and theta - sigma epsilon_i. Then
//!
//! g = 1 / (2 n sigma) sum_i (F(theta + sigma epsilon_i) - F(theta - sigma epsilon_i)) epsilon_i
//!
//! is an unbiased estimate of the gradient of the mean score of the candidates. `adam.rs` turns the estimate into a
//! step. The champion is not one lucky candidate but the mean of theta over the last part of the run (`average.rs`).
//! There are no races: a single step is too small to be proven better.
//!
//! Deviations and reasons:
//!
//! - The two candidates of a direction play one pair of games each, on a deal that no other direction uses; Salimans et
//!   al. rank all candidates of a generation. Two directions with one deal each say more about the gradient than one
//!   direction with two deals, and the error from deals shared by a whole generation does not shrink with more
//!   directions. In Nim, two runs of 400 000 games each reached .976 in this way, .928 with shared deals, and .954 with
//!   ranks on shared deals.
//! - Differences of scores are used instead of ranks, because candidates that played different deals cannot be ranked.
//!   Payoffs are within [0, 1], so ranks are not needed to limit outliers. If both candidates score the same, their
//!   direction has no effect.
//! - Parameters that belong to a seat learn only from the games in that seat, since games in the other seat are noise
//!   for these parameters.
//! - While the games of the budget are played, the rate of the steps falls linearly to 0, and sigma falls linearly to a
//!   tenth of its initial value. Without a limit on the games, both stay constant; then only the mean over the last
//!   part reduces the noise.
//! - There is no weight decay: parameters may have any magnitude.
//!
//! If the vector, or each seat's part of it, has at most 10 parameters, these might be seeds: no direction is better
//! than another, and a random vector may be as good as the result of a climb. In that case, and if the number of games
//! is limited, the run has more phases. A quarter of the games is used to choose the best 8 of many random individuals
//! (`halving.rs`), by seat if parameters belong to seats. Another quarter goes to three broods of mutants, which
//! cross the best 8 and perturb some parameters. The climb starts at the best of all these vectors, which stays the
//! incumbent.
//!
//! In all other runs, the incumbent is the mean of theta over the last part of the run so far. Measuring an incumbent
//! takes games, so the incumbent is renewed only after the generations 1, 2, 3, ..., 15, 16, 18, 20, 22, 24, 27, ...
//! (each number is about one eighth larger than the one before), and after the last generation that the budget allows.
//! If a run ends for another reason, up to a ninth of the run may lie between its champion and its end.
//!
//! The finals (`finals.rs`) also try the means of theta after each quarter of the climb.
//!
//! Time: a generation of n directions plays 4 n games. Space: five parameter vectors, and 2 n during a generation.

use std::ops::Range;

use ruse_base::stop::Result;
use ruse_games::BySeat;
use ruse_play::family::Player;
use ruse_play::score::Tally;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::adam::Adam;
use super::average::{Average, renewal_after};
use super::halving::{self, Halving, Pool};
use super::kind::{MethodInfo, MethodKind, Running, UsualStart, within_sigma_range};
use super::method::{Against, Fixture, Iteration, Joined, Lesson, Oracle, Step};
use super::selection::{Parts, Selection};
use super::state_error::{StateError, fits};

/// The number of games of a direction: a pair for each of its two candidates.
const GAMES_PER_DIRECTION: u64 = 4;
/// The number of generations for which the budget should suffice; with a small budget, generations have fewer
/// directions.
const MIN_GENERATIONS: u64 = 1000;
/// Sigma at the end of the budget, as a fraction of its initial value. This fraction is not 0, because differences
/// between close candidates are too small to be distinguished from chance.
const LAST_SIGMA: f64 = 0.1;
/// Random individuals are tried first if no part has more parameters than this number. With more parameters, the best
/// of a few thousand individuals is far worse than the result of a climb.
const FEW_PARAMETERS: usize = 10;
/// Random individuals (scouts) get 1 / `SCOUTS_PART` of the games.
const SCOUTS_PART: u64 = 4;
/// The number of broods of mutants; each gets 1 / `BROOD_PART` of the games.
const NUM_BROODS: u32 = 3;
const BROOD_PART: u64 = 12;
/// The number of parents of a brood.
const NUM_PARENTS: usize = 8;
/// The maximum number of mutants in a brood. The number is limited because mutants are part of the state.
const MAX_BROOD: u64 = 512;
/// The number of equal parts of the climb. The mean of theta after each part is a finalist.
const NUM_MEANS: u64 = 4;

/// The [`MethodKind`] of the evolution strategy, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct EsKind {
    /// The number of directions that a generation of es tries, each with both signs, if the budget is enough for 1000
    /// generations.
    #[schemars(range(min = 1, max = 10_000))]
    pub directions: u64,
    /// The standard deviation of the candidates of es, from 0.001 to 1000.
    #[serde(deserialize_with = "within_sigma_range")]
    pub sigma: f64,
    /// The largest step of a parameter in the first generations of es, in units of sigma, from 0.001 to 1000.
    #[serde(deserialize_with = "within_sigma_range")]
    pub rate: f64,
    /// The largest number of random individuals that es tries first, if at most 10 parameters belong together; 0 for
    /// none.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub scouts: u64,
}

impl Default for EsKind {
    fn default() -> EsKind {
        EsKind { directions: 64, sigma: 2.0, rate: 0.1, scouts: 16_384 }
    }
}

/// The state of the method between two iterations, apart from its incumbent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Es {
    /// The centre of the candidates: `[dimension]`.
    theta: Vec<f64>,
    adam: Adam,
    /// The average of theta over the generations.
    average: Average,
    num_generations: u64,
    /// The number of games played in generations.
    games: u64,
    /// The number of games played by scouts and broods.
    other_games: u64,
    /// The standard deviation of the candidates of the next generation.
    sigma: f64,
    /// The generation after which the incumbent is next replaced.
    next_renewal: u64,
    phase: Phase,
    /// The means of theta after parts of the climb.
    means: Vec<Vec<f64>>,
}

/// The phase of the run to which the next iteration belongs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Phase {
    /// The first iteration of the run.
    Start,
    /// Random individuals play.
    Scouts(Halving),
    /// The parents and mutants in `pool` play.
    Brood { number: u32, pool: Vec<Vec<f64>>, halving: Halving },
    /// The candidates of a generation play, and theta moves.
    Climb,
}

/// The games that the budget allows for generations, and the number of directions of the next generation.
struct Horizon {
    /// The number of games that the budget allows for generations; `u64::MAX` if it is unlimited.
    total: u64,
    num_directions: u64,
    /// Whether the budget allows only one more generation.
    is_last: bool,
}

impl MethodKind for EsKind {
    type Memory = Es;

    /// The start is [`UsualStart::Zero`], because unlearning a random start takes long if there are hundreds of parameters.
    fn info(&self) -> MethodInfo<'_> {
        MethodInfo {
            compares: false,
            has_finals: true,
            usual_start: UsualStart::Zero,
            ..MethodInfo::new("es", "climbs along an estimate of the gradient")
        }
    }

    fn begin(&self, start: &[f64]) -> Es {
        Es {
            theta: start.to_vec(),
            adam: Adam::new(start.len()),
            average: Average::new(start.to_vec()),
            num_generations: 0,
            games: 0,
            other_games: 0,
            sigma: self.sigma,
            next_renewal: 1,
            phase: Phase::Start,
            means: Vec::new(),
        }
    }

    fn check(run: &Running<Self>) -> Result<(), StateError> {
        let (memory, dimension) = (&run.memory, run.last().len());
        let all_fit = |vectors: &[Vec<f64>]| vectors.iter().all(|x| fits(x, dimension));
        let is_sound = fits(&memory.theta, dimension)
            && fits(memory.average.mean(), dimension)
            && memory.adam.is_sound(dimension)
            && memory.sigma.is_finite()
            && memory.sigma > 0.0
            && memory.next_renewal > memory.num_generations
            && all_fit(&memory.means)
            && match &memory.phase {
                Phase::Scouts(scouts) => scouts.is_sound(u64::MAX),
                Phase::Brood { pool, halving, .. } => {
                    all_fit(pool) && halving.is_sound(pool.len() as u64)
                }
                Phase::Start | Phase::Climb => true,
            };
        StateError::unless(is_sound)
    }

    fn sigma(run: &Running<Self>) -> Option<f64> {
        Some(run.memory.sigma)
    }

    fn finalists(run: &Running<Self>) -> Vec<Vec<f64>> {
        let Es { means, average, .. } = &run.memory;
        means.iter().chain([&average.mean().to_vec()]).cloned().collect()
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        match run.memory.phase.clone() {
            Phase::Start => {
                run.memory.phase = run.first_phase(oracle);
                EsKind::iterate(run, oracle)
            }
            Phase::Scouts(scouts) => run.scout(scouts, None, oracle),
            Phase::Brood { number, pool, halving } => {
                run.scout(halving, Some((number, pool)), oracle)
            }
            Phase::Climb => run.climb(oracle),
        }
    }
}

impl Running<EsKind> {
    /// Returns the number of games of the whole budget, or `None` if it is unlimited.
    fn total(&self, games_left: u64) -> Option<u64> {
        let Es { games, other_games, .. } = self.memory;
        (games_left < u64::MAX).then(|| games_left.saturating_add(games + other_games))
    }

    /// Returns `true` if random individuals may be as good as the result of a climb.
    fn has_scouts(&self, oracle: &dyn Oracle) -> bool {
        let largest = self.parts(oracle).ranges().iter().map(ExactSizeIterator::len).max();
        self.options.scouts > 0 && largest.is_some_and(|num| num <= FEW_PARAMETERS)
    }

    /// Allocates the remaining games to generations.
    ///
    /// # Errors
    ///
    /// Returns an error if the remaining games do not suffice for a generation.
    fn horizon(&self, oracle: &dyn Oracle) -> Result<Horizon> {
        let games_left = oracle.games_left();
        let total = self.memory.games.saturating_add(games_left);
        let affordable = total / (GAMES_PER_DIRECTION * MIN_GENERATIONS);
        let num_directions = affordable.clamp(1, self.options.directions.max(1));
        let games = GAMES_PER_DIRECTION * num_directions;
        oracle.need(games)?;
        Ok(Horizon { total, num_directions, is_last: games_left - games < games })
    }

    /// Returns the parts of a vector that are chosen separately.
    fn parts(&self, oracle: &dyn Oracle) -> Parts {
        Selection::BySeat.parts(oracle, self.last().len())
    }

    /// Returns the phase that follows [`Phase::Start`]: the scouts, if there are enough games for them, or the climb.
    fn first_phase(&self, oracle: &dyn Oracle) -> Phase {
        let total = self.total(oracle.games_left()).filter(|_| self.has_scouts(oracle));
        let games = total.unwrap_or(0) / SCOUTS_PART;
        match halving::affordable(games, self.options.scouts) {
            Some(num) => {
                Phase::Scouts(Halving::new(num, NUM_PARENTS, self.parts(oracle).num(), games))
            }
            None => Phase::Climb,
        }
    }

    /// Carries out one iteration in which the scouts, or a brood, play.
    fn scout(
        &mut self,
        mut halving: Halving,
        brood: Option<(u32, Vec<Vec<f64>>)>,
        oracle: &mut dyn Oracle,
    ) -> Result<Iteration> {
        let parts = self.parts(oracle);
        let games = halving.next_games();
        let pool = brood.as_ref().map_or(Pool::Individuals, |(_, mutants)| Pool::Given(mutants));
        let tally = halving.play(oracle, &parts, pool)?;
        let best = halving.joined(0, oracle, &parts, pool);
        self.memory.other_games += games;
        self.memory.phase = if halving.is_over() {
            let number = brood.as_ref().map_or(0, |(number, _)| *number);
            let place = |place| halving.joined(place, oracle, &parts, pool);
            let parents: Vec<Vec<f64>> = (0..halving.num_alive()).map(place).collect();
            self.next_brood(number + 1, parents, oracle)
        } else {
            match brood {
                None => Phase::Scouts(halving),
                Some((number, pool)) => Phase::Brood { number, pool, halving },
            }
        };
        Ok(self.chosen(best, &tally))
    }

    /// Creates a brood from `parents`, which are sorted best first; `number` is the number of the brood, from 1. After
    /// the last brood, returns the climb.
    fn next_brood(
        &mut self,
        number: u32,
        parents: Vec<Vec<f64>>,
        oracle: &mut dyn Oracle,
    ) -> Phase {
        let total = self.total(oracle.games_left()).unwrap_or(0);
        let games = total / BROOD_PART;
        let size = halving::affordable(games, MAX_BROOD).filter(|_| number <= NUM_BROODS);
        let Some(size) = size.filter(|size| *size as usize > parents.len()) else {
            let memory = &mut self.memory;
            memory.theta.clone_from(&parents[0]);
            memory.average = Average::new(parents[0].clone());
            return Phase::Climb;
        };
        let num_parents = parents.len();
        let mut pool = parents;
        while pool.len() < size as usize {
            let [mother, father] = [0, 1].map(|_| oracle.index(num_parents));
            // The perturbation has the standard deviation sigma divided by 1, 2, 4 or 8.
            let sigma = self.options.sigma / (1_u32 << oracle.index(4)) as f64;
            let mut mutant = pool[mother].clone();
            for (parameter, of_father) in mutant.iter_mut().zip(&pool[father]) {
                if oracle.index(2) == 0 {
                    *parameter = *of_father;
                }
                if oracle.index(2) == 0 {
                    *parameter += sigma * oracle.gaussian();
                }
            }
            pool.push(mutant);
        }
        let num_left = if number < NUM_BROODS { NUM_PARENTS } else { 1 };
        let halving = Halving::new(size, num_left, self.parts(oracle).num(), games);
        Phase::Brood { number, pool, halving }
    }

    /// Returns the iteration that makes `best` the incumbent; `tally` contains the results of the previous incumbent.
    fn chosen(&self, best: Vec<f64>, tally: &Tally) -> Iteration {
        let joined = (best != self.last())
            .then_some(Joined { parameters: best, against: Against::Baseline });
        Iteration { step: Step::learned(Lesson::Generation, tally), joined }
    }
}

/// Returns the difference between the scores of theta + sigma epsilon and theta - sigma epsilon, in [-1, 1], for each
/// direction and seat.
fn differences(tallies: &[Tally]) -> impl Iterator<Item = BySeat<f64>> {
    let scores = |tally: &Tally| tally.score_by_seat().expect("a pair was played");
    tallies.chunks_exact(2).map(move |both| {
        let [up, down] = [scores(&both[0]), scores(&both[1])];
        BySeat { first: up[0] - down[0], second: up[1] - down[1] }
    })
}

/// Estimates the gradient: `[dimension]`. Parameters that belong to a seat learn only from the games in that seat.
fn gradient(
    dimension: usize,
    directions: &[Vec<f64>],
    tallies: &[Tally],
    seats: Option<BySeat<Range<usize>>>,
    sigma: f64,
) -> Vec<f64> {
    let mut gradient = vec![0.0; dimension];
    let mut add = |range: Range<usize>, difference: f64, epsilon: &[f64]| {
        if difference != 0.0 {
            let moved = gradient[range.clone()].iter_mut().zip(&epsilon[range]);
            moved.for_each(|(g, e)| *g += difference * e);
        }
    };
    for (difference, epsilon) in differences(tallies).zip(directions) {
        match &seats {
            None => add(0..dimension, f64::midpoint(difference.first, difference.second), epsilon),
            Some(ranges) => {
                add(ranges.first.clone(), difference.first, epsilon);
                add(ranges.second.clone(), difference.second, epsilon);
            }
        }
    }
    let unit = 1.0 / (2.0 * directions.len() as f64 * sigma);
    gradient.iter_mut().for_each(|g| *g *= unit);
    gradient
}

impl Running<EsKind> {
    /// Plays a generation and moves theta.
    fn climb(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let Horizon { total, num_directions, is_last } = self.horizon(oracle)?;
        let EsKind { sigma: first_sigma, rate, .. } = self.options;
        let sigma = self.memory.sigma;
        let games_before = self.memory.games;
        let progress = |games: u64| match total {
            u64::MAX => 0.0,
            total => games as f64 / total as f64,
        };
        let theta = &self.memory.theta;
        let directions: Vec<Vec<f64>> = (0..num_directions)
            .map(|_| theta.iter().map(|_| oracle.gaussian()).collect())
            .collect();
        let mut players = vec![oracle.baseline()];
        let mut fixtures = Vec::new();
        for (deals, epsilon) in (0..).zip(&directions) {
            for sigma in [sigma, -sigma] {
                let candidate = theta.iter().zip(epsilon).map(|(x, e)| x + sigma * e);
                fixtures.push(Fixture { a: players.len(), b: 0, deals, num_pairs: 1 });
                players.push(Player::from(candidate.collect::<Vec<_>>()));
            }
        }
        let tallies = oracle.play(&players, &fixtures)?;

        let gradient = gradient(theta.len(), &directions, &tallies, oracle.seats(), sigma);
        let memory = &mut self.memory;
        let rate = rate * first_sigma * (1.0 - progress(memory.games));
        memory.adam.ascend(&mut memory.theta, &gradient, rate);
        memory.average.add(&memory.theta);
        memory.num_generations += 1;
        memory.games += 2 * fixtures.len() as u64;
        memory.sigma = first_sigma * (1.0 - (1.0 - LAST_SIGMA) * progress(memory.games));

        let mean_number = |games: u64| (progress(games) * NUM_MEANS as f64) as u64;
        if mean_number(memory.games) > mean_number(games_before) {
            memory.means.push(memory.average.mean().to_vec());
        }

        // The two candidates of a direction share their deal, so only one of them belongs to a sample of independent
        // pairs.
        let mut tally = Tally::default();
        tallies.iter().step_by(2).for_each(|candidate| tally.merge(candidate));
        let step = Step::learned(Lesson::Generation, &tally);
        let is_due = memory.num_generations >= memory.next_renewal || is_last;
        if is_due {
            memory.next_renewal = renewal_after(memory.num_generations);
        }
        // The best scout or mutant stays the incumbent until the finals, because it may be better than the mean.
        let joined = (is_due && memory.other_games == 0).then(|| {
            let parameters = memory.average.mean().to_vec();
            Joined { parameters, against: Against::Baseline }
        });
        Ok(Iteration { step, joined })
    }
}

#[cfg(test)]
mod tests;
