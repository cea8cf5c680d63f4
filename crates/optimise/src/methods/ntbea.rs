//! The n-tuple bandit evolutionary algorithm, for settings with few values.
//!
//! Lucas, Liu & Perez-Liebana, *The N-Tuple Bandit Evolutionary Algorithm for Game Agent Optimisation*, IEEE Congress on
//! Evolutionary Computation 2018.
//!
//! A point has a value for each setting. The model has the mean score of every value, of every two values of different
//! settings, and of every point that has played. The estimate of a point is the mean of these means over its tuples. An
//! iteration plays games of a point against the baseline, adds their score to the model, and moves to the one of 50 random
//! neighbours for which the mean over the tuples of
//!
//! X(t) + k sqrt(ln(1 + N) / (n(t) + 1/2))
//!
//! is largest, where X(t) is the mean score of tuple t, n(t) its pairs, and N all pairs. The incumbent is the point with the
//! largest estimate among those that played.
//!
//! A parameter for which the family names no values has five, in steps of 1 around the start. A number within bounds has
//! values over its whole range (`ruse_search::Settings`).
//!
//! Deviations and reasons:
//!
//! - A mean has 50 more pairs with the mean score of all games. Without them, tuples with few games decide too much: with
//!   five settings of five values, where the best value scores .15 more, 2,000 games reached .808 to .863 of .875, and .871 to
//!   .875 with them (100 runs for each of three weights of uncertainty).
//! - An iteration plays more than one pair if the budget has more than a thousand, so that the method takes less time
//!   than the games. If the budget is unlimited, an iteration plays a thousandth of all pairs so far, and at least ten.
//! - With more than 30 settings the tuples of two are left out, since there would be many with few games.
//!
//! Time of an iteration: the games, and the tuples of 50 neighbours and of the points that played. Space: the tuples,
//! and the points that played.

use std::collections::BTreeMap;

use ruse_base::stop::Result;
use ruse_play::family::Player;
use ruse_search::Levels;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{MethodInfo, MethodKind, Running, UsualStart, within_sigma_range};
use super::method::{Against, Fixture, Iteration, Joined, Lesson, Oracle, Step};

/// The number of neighbours from which the next point is chosen.
const NUM_NEIGHBOURS: usize = 50;
/// The number of iterations in which the budget is played, if it has as many pairs.
const NUM_ITERATIONS: u64 = 1000;
/// The least number of pairs of an iteration if the budget is unlimited.
const UNLIMITED_PAIRS: u64 = 10;
/// The values of a parameter for which the family names none, less the start.
const STEPS: [f64; 5] = [0.0, -1.0, 1.0, -2.0, 2.0];
/// The number of pairs with the mean score of all that are added to the pairs of each tuple.
const PRIOR: f64 = 50.0;
/// The largest number of settings with which values are paired.
const MAX_PAIRED: usize = 30;

/// The [`MethodKind`] of the n-tuple bandit evolutionary algorithm, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NtbeaKind {
    /// The weight of uncertainty in the next point that ntbea chooses, from 0.001 to 1000.
    #[serde(deserialize_with = "within_sigma_range")]
    pub exploration: f64,
}

impl Default for NtbeaKind {
    fn default() -> NtbeaKind {
        NtbeaKind { exploration: 0.1 }
    }
}

/// A point: for each setting, the index of its value.
type Point = Vec<usize>;

/// The games of an iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Trial {
    point: Point,
    pairs: u64,
    score: f64,
}

/// The state of the method between two iterations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ntbea {
    /// All games so far, in order, from which the model follows.
    trials: Vec<Trial>,
    /// The model; `None` until the settings are known.
    #[serde(skip)]
    model: Option<Model>,
}

/// Pairs of games, and the sum of their scores.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Mean {
    pairs: u64,
    sum: f64,
}

impl Mean {
    /// Returns the mean if `PRIOR` further pairs have the score `all`.
    fn with_prior(self, all: f64) -> f64 {
        (self.sum + PRIOR * all) / (self.pairs as f64 + PRIOR)
    }
}

/// The mean scores of values, alone and in twos, and of points.
#[derive(Debug, Clone, PartialEq)]
struct Model {
    settings: Vec<Levels>,
    /// The number of settings for which the family names values. They come first.
    num_named: usize,
    all: Mean,
    /// `[setting][value]`.
    ones: Vec<Vec<Mean>>,
    /// For each two settings, in order: `[value of the first * number of values of the second + value of the second]`.
    twos: Vec<Vec<Mean>>,
    points: BTreeMap<Point, Mean>,
}

impl Model {
    fn new(origin: &[f64], named: Vec<Levels>) -> Model {
        let num_named = named.len();
        let settings = with_unnamed(origin, named);
        let num_values = |setting: &Levels| setting.values.len();
        let ones = settings.iter().map(|setting| vec![Mean::default(); num_values(setting)]);
        let twos = twos(settings.len()).map(|[i, j]| {
            vec![Mean::default(); num_values(&settings[i]) * num_values(&settings[j])]
        });
        let (ones, twos) = (ones.collect(), twos.collect());
        Model { settings, num_named, all: Mean::default(), ones, twos, points: BTreeMap::new() }
    }

    /// Calls `visit` for all tuples of a point.
    fn visit(&self, point: &[usize], mut visit: impl FnMut(Mean)) {
        self.ones.iter().zip(point).for_each(|(means, &value)| visit(means[value]));
        for (means, [i, j]) in self.twos.iter().zip(twos(point.len())) {
            visit(means[point[i] * self.settings[j].values.len() + point[j]]);
        }
        visit(self.points.get(point).copied().unwrap_or_default());
    }

    fn learn(&mut self, Trial { point, pairs, score }: &Trial) {
        let learn = |mean: &mut Mean| {
            mean.pairs += pairs;
            mean.sum += score * *pairs as f64;
        };
        learn(&mut self.all);
        self.ones.iter_mut().zip(point).for_each(|(means, &value)| learn(&mut means[value]));
        for (means, [i, j]) in self.twos.iter_mut().zip(twos(point.len())) {
            learn(&mut means[point[i] * self.settings[j].values.len() + point[j]]);
        }
        learn(self.points.entry(point.clone()).or_default());
    }

    /// Returns the estimate of a point, plus `exploration` times its uncertainty.
    fn estimate(&self, point: &[usize], exploration: f64) -> f64 {
        let all = self.all.with_prior(0.5);
        let logarithm = libm::log1p(self.all.pairs as f64);
        let (mut sum, mut num) = (0.0, 0);
        self.visit(point, |mean| {
            let uncertainty = (logarithm / (mean.pairs as f64 + 0.5)).sqrt();
            sum += mean.with_prior(all) + exploration * uncertainty;
            num += 1;
        });
        sum / f64::from(num)
    }

    /// Returns a copy of a point in which one setting has another value, and each other setting with a probability of one
    /// in the number of settings.
    fn neighbour(&self, point: &[usize], oracle: &mut dyn Oracle) -> Point {
        let num = self.settings.len();
        let chosen = oracle.index(num);
        let mut neighbour = point.to_vec();
        for (index, value) in neighbour.iter_mut().enumerate() {
            let others = self.settings[index].values.len() - 1;
            if others > 0 && (index == chosen || oracle.index(num) == 0) {
                let other = oracle.index(others);
                *value = other + usize::from(other >= *value);
            }
        }
        neighbour
    }

    /// Returns the parameters of a point.
    fn parameters(&self, origin: &[f64], point: &[usize]) -> Vec<f64> {
        let mut theta = origin.to_vec();
        for (setting, &value) in self.settings.iter().zip(point) {
            for (&member, x) in setting.members.iter().zip(&setting.values[value]) {
                theta[member] = *x;
            }
        }
        theta
    }

    /// Returns the numbers, from 1, of the parameters without named values that are as far from the start as any value that
    /// is tried.
    fn at_an_edge(&self, point: &[usize]) -> Vec<String> {
        let farthest = STEPS.len() - 2;
        let settings = self.settings.iter().zip(point).skip(self.num_named);
        let at_edge = settings.filter(|(_, value)| **value >= farthest);
        at_edge.map(|(setting, _)| (setting.members[0] + 1).to_string()).collect()
    }

    /// Returns the point whose values are closest to `theta`.
    fn closest(&self, theta: &[f64]) -> Point {
        let closest = |setting: &Levels| {
            let distance = |value: &Vec<f64>| -> f64 {
                let members = setting.members.iter().zip(value);
                members.map(|(&member, x)| (theta[member] - x) * (theta[member] - x)).sum()
            };
            let distances = setting.values.iter().map(distance).enumerate();
            distances.min_by(|(_, x), (_, y)| x.total_cmp(y)).map_or(0, |(index, _)| index)
        };
        self.settings.iter().map(closest).collect()
    }
}

/// Iterates over every two of `num` settings, if they are not too many.
fn twos(num: usize) -> impl Iterator<Item = [usize; 2]> {
    let most = if num > MAX_PAIRED { 0 } else { num };
    (0..most).flat_map(move |i| (i + 1..most).map(move |j| [i, j]))
}

/// Returns the settings, and one for each parameter that belongs to none.
fn with_unnamed(origin: &[f64], named: Vec<Levels>) -> Vec<Levels> {
    let mut settings = named;
    for (index, start) in origin.iter().enumerate() {
        if !settings.iter().any(|setting| setting.members.contains(&index)) {
            let values = STEPS.map(|step| vec![start + step]).to_vec();
            settings.push(Levels { members: vec![index], values });
        }
    }
    settings
}

impl MethodKind for NtbeaKind {
    type Memory = Ntbea;

    /// The start is [`UsualStart::Zero`], the middle of the values.
    fn info(&self) -> MethodInfo<'_> {
        let meaning = "learns which values of settings score well, alone and in twos; for settings with few values";
        MethodInfo {
            compares: false,
            usual_start: UsualStart::Zero,
            has_finals: true,
            is_general: false,
            ..MethodInfo::new("ntbea", meaning)
        }
    }

    fn begin(&self, _: &[f64]) -> Ntbea {
        Ntbea::default()
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        oracle.need(2)?;
        let pairs_left = oracle.games_left() / 2;
        let mut model = match run.memory.model.take() {
            Some(model) => model,
            None => {
                let mut model = Model::new(run.start(), oracle.levels());
                run.memory.trials.iter().for_each(|trial| model.learn(trial));
                model
            }
        };
        let point = match run.memory.trials.last() {
            None => model.closest(run.start()),
            Some(Trial { point, .. }) => {
                let (mut best, mut most) = (point.clone(), f64::NEG_INFINITY);
                for _ in 0..NUM_NEIGHBOURS {
                    let neighbour = model.neighbour(point, oracle);
                    let bound = model.estimate(&neighbour, run.options.exploration);
                    if bound > most {
                        (best, most) = (neighbour, bound);
                    }
                }
                best
            }
        };
        let pairs = match oracle.games_left() {
            u64::MAX => (model.all.pairs / NUM_ITERATIONS).max(UNLIMITED_PAIRS),
            _ => ((model.all.pairs + pairs_left) / NUM_ITERATIONS).max(1),
        };
        let players = [Player::from(model.parameters(run.start(), &point)), oracle.baseline()];
        let fixture = Fixture { a: 0, b: 1, deals: 0, num_pairs: pairs.min(pairs_left) };
        let tally = &oracle.play(&players, &[fixture])?[0];
        let step = Step::learned(Lesson::Generation, tally);
        let score = tally.score().expect("pairs were played");
        let trial = Trial { point, pairs: fixture.num_pairs, score };
        model.learn(&trial);
        run.memory.trials.push(trial);

        let estimates = model.points.keys().map(|point| (model.estimate(point, 0.0), point));
        let best = estimates.max_by(|(x, _), (y, _)| x.total_cmp(y)).map(|(_, point)| point);
        let parameters = best.map(|point| model.parameters(run.start(), point));
        if let Some(point) = best.filter(|_| fixture.num_pairs == pairs_left) {
            let edges = model.at_an_edge(point);
            if !edges.is_empty() {
                oracle.remark(&format!(
                    "the best value of parameter {} is the last of {} that were tried: with `--start`, another run can go on \
                     from there",
                    edges.join(", "),
                    STEPS.len()
                ));
            }
        }
        let joined = parameters
            .filter(|parameters| parameters != run.last())
            .map(|parameters| Joined { parameters, against: Against::Baseline });
        run.memory.model = Some(model);
        Ok(Iteration { step, joined })
    }
}

#[cfg(test)]
mod tests;
