//! The method of seeds: many random individuals play each other, and the best becomes the champion.
//!
//! Reference: Cauwet & Teytaud 2018, section II-E; Liu, Teytaud & Cazenave, *Fast seed-learning algorithms for games*,
//! CG 2016. The allocation `halving` is ours, after Karnin, Koren & Somekh, *Almost optimal exploration in multi-armed
//! bandits*, ICML 2013. The selection `whole` of doubled players is also ours.
//!
//! Individual k has standard Gaussian parameters; individual 0 is the start of the run. The number K of individuals
//! grows until the budget is spent, and there is a champion at any time.
//!
//! The choice of the champion ([`Selection`]):
//!
//! - `by-seat`, as in the paper: there are K random individuals for the first seat and K others for the second. These
//!   are the two parts of K vectors in families that define [which parameters belong to which
//!   seat](ruse_strategies::Family::seats). Each part is credited with the games of its own seat only, and the champion
//!   consists of the best part for each seat, so K vectors form K^2 players. In all other families, where both seats
//!   use the same parameters, the two populations are equal ("when the game is symmetric"), and each individual is
//!   credited with all its games.
//! - `whole`, ours: individuals are credited with all their games in every family.
//!
//! The allocation of games ([`Allocation`]):
//!
//! - `round-robin`, as in the paper: all individuals play each other in one pair of games, and newcomers play all
//!   existing individuals. In the pair of individuals i and j, the first part of i meets the second part of j, and the
//!   first part of j meets the second part of i. Deviation: no part meets the other part of its own vector, so K
//!   (K - 1) of the K^2 games are played.
//! - `halving`: a stage has as many pairs as a round robin of its K individuals, K (K - 1) / 2, in ceil(log2 K) rounds
//!   of the same size. After each round the worse half stops playing, so most games are spent on the individuals that
//!   may be best; opponents are always drawn from all K individuals. The next stage has twice as many individuals and
//!   keeps the results of the previous stage. The last stage has the number of individuals whose round robin uses up
//!   the budget. With selection by seat, the better half of the parts of each seat advances, and a pair is played by
//!   two parts of the same rank, one for each seat.
//!
//! All individuals in a round of halving meet the same opponents on the same deals. Space: K sums, and K parameter
//! vectors during an iteration; an iteration plays at most K + 65 536 pairs.

mod contest;
mod schedule;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use ruse_base::stop::{Result, StopReason, Stopped};
use ruse_play::family::Player;
use ruse_play::score::{CONFIDENCE, Estimate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::contest::Contest;
use self::schedule::{Stage, circle, individuals_for, round_robin_pairs};
use super::kind::{MethodInfo, MethodKind, Running};
use super::method::{Against, Fixture, Iteration, Joined, Lesson, Oracle, Step};
use super::selection::{Parts, Selection};
use super::state_error::StateError;

/// The maximum number of pairs played in one iteration, unless there are more individuals than this.
const MAX_ITERATION_PAIRS: usize = 1 << 16;
/// A round robin grows by 1 / `GROWTH` of its individuals in each iteration.
const GROWTH: usize = 8;

/// The distribution of games over the individuals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Allocation {
    /// The better half goes on.
    Halving,
    /// All strategies play each other.
    RoundRobin,
}

/// The [`MethodKind`] of the method of seeds, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SeedsKind {
    /// The distribution of games over the individuals of the method of seeds.
    pub allocation: Allocation,
    /// The initial number of individuals of the method of seeds.
    #[schemars(range(min = 2, max = 100_000))]
    pub individuals: usize,
    /// The games that decide on the parameters of a seat, in families of doubled players.
    pub selection: Selection,
}

impl Default for SeedsKind {
    fn default() -> SeedsKind {
        SeedsKind {
            allocation: Allocation::RoundRobin,
            individuals: 16,
            selection: Selection::BySeat,
        }
    }
}

/// The state of the method between two iterations, apart from its incumbent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seeds {
    /// The results of all individuals, or one list per seat with the results of their parts; empty before the first
    /// iteration.
    contests: Vec<Contest>,
    /// The current stage of halving.
    stage: Option<Stage>,
}

impl Seeds {
    fn num_individuals(&self) -> usize {
        self.contests.iter().map(Contest::num_individuals).max().unwrap_or(0)
    }

    fn resize(&mut self, num_individuals: usize) {
        self.contests.iter_mut().for_each(|contest| contest.resize(num_individuals));
    }

    /// Returns `true` if the state is complete and consistent.
    fn is_sound(&self) -> bool {
        let n = self.num_individuals();
        let of_contest =
            |contest: &Contest| contest.num_individuals() == n && contest.best < n.max(1);
        let of_stage = |stage: &Stage| {
            let is_list = |alive: &Vec<usize>| {
                alive.len() == stage.num_alive() && alive.iter().all(|&index| index < n)
            };
            n >= 2
                && stage.alive.len() == self.contests.len()
                && stage.num_alive() > 0
                && stage.alive.iter().all(is_list)
                && stage.next_opponent < n
        };
        self.contests.iter().all(of_contest) && self.stage.iter().all(of_stage)
    }
}

/// A pair of games to play.
#[derive(Debug, Clone, Copy)]
struct Meeting {
    /// The individuals that provide the two parts of A; both are the same if A is a whole individual.
    a: [usize; 2],
    /// The individual that plays as B.
    b: usize,
    /// The number that identifies the deals; pairs with the same number share their deals.
    deals: u64,
}

impl Running<SeedsKind> {
    /// Plays one pair of games for each of these meetings between individuals below `num_individuals`, and credits the
    /// results to A, and also to B if `both` is set.
    fn play(
        &mut self,
        oracle: &mut dyn Oracle,
        parts: &Parts,
        num_individuals: usize,
        meetings: &[Meeting],
        both: bool,
    ) -> Result {
        let numbers = 0..num_individuals as u64;
        let individuals: Vec<Vec<f64>> = numbers.map(|k| oracle.individual(k)).collect();
        let mut players: Vec<Player> =
            individuals.iter().map(|theta| theta.as_slice().into()).collect();
        let mut joined = BTreeMap::new();
        let mut player_of = |owners: [usize; 2]| match owners {
            [first, second] if first == second => first,
            _ => *joined.entry(owners).or_insert_with(|| {
                let theta = parts.join(&owners.map(|owner| individuals[owner].as_slice()));
                players.push(theta.into());
                players.len() - 1
            }),
        };
        let fixture =
            |&Meeting { a, b, deals }| Fixture { a: player_of(a), b, deals, num_pairs: 1 };
        let fixtures: Vec<Fixture> = meetings.iter().map(fixture).collect();
        let tallies = oracle.play(&players, &fixtures)?;
        self.memory.resize(num_individuals);
        for (&Meeting { a, b, .. }, tally) in meetings.iter().zip(&tallies) {
            let contests = &mut self.memory.contests;
            for ((contest, owner), result) in contests.iter_mut().zip(a).zip(parts.results(tally)) {
                contest.credit(owner, result);
            }
            if both {
                for (contest, result) in contests.iter_mut().zip(parts.results_of_b(tally)) {
                    contest.credit(b, result);
                }
            }
        }
        Ok(())
    }

    /// Returns the result of an iteration in which `leaders` are the best individuals, one in each contest. The leaders
    /// become the incumbent if `is_champion` is set.
    fn iteration(
        &mut self,
        oracle: &dyn Oracle,
        parts: &Parts,
        leaders: &[usize],
        is_champion: bool,
    ) -> Iteration {
        let contests = &self.memory.contests;
        let num = contests.len();
        // The players are doubled: a score is the mean of the scores of both parts, and so are its bounds.
        let mean = |of: &dyn Fn(&Contest, usize) -> f64| {
            let sum: f64 = contests.iter().zip(leaders).map(|(c, &leader)| of(c, leader)).sum();
            sum / num as f64
        };
        let score = mean(&Contest::score);
        let interval = [0, 1].map(|bound| mean(&|c, leader| c.interval(leader, num)[bound]));
        let observations =
            contests.iter().zip(leaders).map(|(c, &leader)| c.num_observations(leader));
        // Each pair contains one game for the part of each seat.
        let pairs = observations.min().unwrap_or(0);
        let estimate = Estimate { score, interval, confidence: CONFIDENCE, pairs };
        // At the start the incumbent is individual 0.
        let is_new = contests.iter().zip(leaders).any(|(c, &leader)| c.best != leader);
        let joined = (is_champion && is_new).then(|| {
            let owners: Vec<_> = leaders.iter().map(|&k| oracle.individual(k as u64)).collect();
            let owners: Vec<&[f64]> = owners.iter().map(Vec::as_slice).collect();
            for (contest, &leader) in self.memory.contests.iter_mut().zip(leaders) {
                contest.best = leader;
            }
            let parameters = parts.join(&owners);
            Joined { parameters, against: Against::RandomIndividuals }
        });
        Iteration { step: Step::Learned { lesson: Lesson::BestAverage, estimate }, joined }
    }

    /// Adds newcomers, which play all individuals.
    fn grow(&mut self, oracle: &mut dyn Oracle, parts: &Parts) -> Result<Iteration> {
        let pairs_left = oracle.games_left() / 2;
        let present = self.memory.num_individuals();
        let mut newcomers = match present {
            0 => self.options.individuals.min(individuals_for(pairs_left)),
            // Adds as many newcomers as the budget and the size of an iteration allow; each must play all individuals.
            _ => (present / GROWTH).min(MAX_ITERATION_PAIRS / present).max(1),
        };
        let pairs_of =
            |newcomers| round_robin_pairs(present + newcomers) - round_robin_pairs(present.max(1));
        while newcomers > 0 && pairs_of(newcomers) > pairs_left {
            newcomers -= 1;
        }
        if newcomers == 0 || present + newcomers < 2 {
            return Err(Stopped(StopReason::Games));
        }
        let all = present + newcomers;
        let meetings: Vec<Meeting> = (present..all)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .zip(0..)
            .map(|((a, b), deals)| Meeting { a: [a; 2], b, deals })
            .collect();
        self.play(oracle, parts, all, &meetings, true)?;
        let leaders: Vec<usize> =
            self.memory.contests.iter().map(|contest| contest.ranked(0..all)[0]).collect();
        Ok(self.iteration(oracle, parts, &leaders, true))
    }

    /// Plays a part of a round of halving.
    fn halve(&mut self, oracle: &mut dyn Oracle, parts: &Parts) -> Result<Iteration> {
        let present = self.memory.num_individuals();
        let (individuals, mut stage) = match self.memory.stage.clone() {
            Some(stage) => (present, stage),
            None => {
                let first = self.options.individuals;
                Stage::next(oracle.games_left(), first, present, parts.num())?
            }
        };
        let step_pairs = if stage.round == 0 { individuals / 2 } else { stage.num_alive() };
        let most_steps = (MAX_ITERATION_PAIRS / step_pairs).max(1) as u64;
        let steps = stage.steps_done..stage.num_steps.min(stage.steps_done + most_steps);
        let mut meetings = Vec::new();
        for step in steps.clone() {
            if stage.round == 0 {
                let deals = |i: usize| step * individuals as u64 + i as u64;
                let meeting = |(i, (a, b))| Meeting { a: [a; 2], b, deals: deals(i) };
                meetings.extend(circle(individuals, step).enumerate().map(meeting));
            } else {
                let b = stage.next_opponent;
                stage.next_opponent = (b + 1) % individuals;
                // For whole individuals both lists are the same.
                let (first, last) = (&stage.alive[0], &stage.alive[stage.alive.len() - 1]);
                let owners = first.iter().zip(last).map(|(&first, &last)| [first, last]);
                let others = owners.filter(|owners| !owners.contains(&b));
                meetings.extend(others.map(|a| Meeting { a, b, deals: step }));
            }
        }
        self.play(oracle, parts, individuals, &meetings, stage.round == 0)?;
        stage.pairs_left = stage.pairs_left.saturating_sub(meetings.len() as u64);
        stage.steps_done = steps.end;

        let contests = self.memory.contests.iter().zip(&stage.alive);
        let ranked: Vec<Vec<usize>> =
            contests.map(|(contest, alive)| contest.ranked(alive.iter().copied())).collect();
        let leaders: Vec<usize> = ranked.iter().map(|ranked| ranked[0]).collect();
        let is_over = if stage.steps_done < stage.num_steps {
            self.memory.stage = Some(stage);
            false
        } else {
            self.memory.stage = stage.next_round(&ranked, individuals);
            self.memory.stage.is_none()
        };
        Ok(self.iteration(oracle, parts, &leaders, is_over))
    }
}

impl MethodKind for SeedsKind {
    type Memory = Seeds;

    fn info(&self) -> MethodInfo<'_> {
        let info = MethodInfo::new("seeds", "takes the best of many random individuals");
        MethodInfo { compares: false, ..info }
    }

    fn begin(&self, _: &[f64]) -> Seeds {
        Seeds::default()
    }

    fn check(run: &Running<Self>) -> Result<(), StateError> {
        match run.memory.is_sound() {
            true => Ok(()),
            false => Err(StateError::new("it speaks of individuals that are not there")),
        }
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let parts = run.options.selection.parts(oracle, run.last().len());
        run.memory.contests.resize(parts.num(), Contest::default());
        match run.options.allocation {
            Allocation::RoundRobin => run.grow(oracle, &parts),
            Allocation::Halving => run.halve(oracle, &parts),
        }
    }
}
