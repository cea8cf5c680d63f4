//! The oracle of a run: draws the numbers, holds the comparisons and plays the games of one iteration.

use rand::RngExt;
use rand_distr::Distribution;
use rayon::prelude::*;

use super::driver::{Task, individual};
use super::method::{Fixture, Oracle, Player, Question};
use crate::arena::{
    AgainstMixture, AgainstTheSame, League, Matchup, PairResult, StopReason, StopSignal, Stopped,
};
use crate::family::ContestantSpec;
use crate::race::{self, Decision, Verdict};
use crate::rng::{Gaussian, Label, Stream, StreamKey};
use crate::score::Tally;

/// The most pairs of a fixture that one thread plays at a stretch.
const TASK_PAIRS: u64 = 64;
/// The fewest, since players are made ready for each.
const LEAST_TASK_PAIRS: u64 = 16;
/// Tasks between two looks at the progress and the wish to stop.
const TASKS_AT_ONCE: usize = 4096;

/// Whoever does for a method what it must not do itself, within one iteration.
pub(super) struct Referee<'a> {
    task: &'a Task<'a>,
    key: StreamKey,
    stop: &'a StopSignal,
    mutation: Stream,
    choice: Stream,
    games_left: u64,
    pub(super) games: u64,
    num_comparisons: u64,
    num_requests: u64,
    on_games: &'a mut dyn FnMut(u64),
}

impl<'a> Referee<'a> {
    /// The referee of the iteration named by `key`, in which at most `games_left` games may be played;
    /// `on_games` learns now and then how many were.
    pub(super) fn new(
        task: &'a Task<'a>,
        key: StreamKey,
        games_left: u64,
        stop: &'a StopSignal,
        on_games: &'a mut dyn FnMut(u64),
    ) -> Referee<'a> {
        Referee {
            task,
            key,
            stop,
            mutation: key.child(Label::Mutation, 0).stream(),
            choice: key.child(Label::Choice, 0).stream(),
            games_left,
            games: 0,
            num_comparisons: 0,
            num_requests: 0,
            on_games,
        }
    }

    fn spec(&self, player: &Player<'_>) -> ContestantSpec {
        match player {
            Player::Baseline => self.task.baseline.clone(),
            Player::Parameters(theta) => ContestantSpec::Parameters(theta.to_vec()),
        }
    }

    fn league(&self, players: &[Player<'_>]) -> Box<dyn League + 'a> {
        let specs: Vec<_> = players.iter().map(|player| self.spec(player)).collect();
        let specs: Vec<_> = specs.iter().collect();
        self.task.family.league(&specs).expect("a run only meets contestants that were checked")
    }

    fn matchup(&self, a: Player<'_>, b: Player<'_>) -> Box<dyn Matchup + 'a> {
        let matchup = self.task.family.matchup(&self.spec(&a), &self.spec(&b));
        matchup.expect("a run only meets contestants that were checked")
    }

    /// Whoever draws one of these for every pair.
    fn mixed(mixture: &[(&[f64], f64)]) -> ContestantSpec {
        match mixture {
            // Whom one can know exactly, where a mixture would be drawn.
            [(theta, _)] => ContestantSpec::Parameters(theta.to_vec()),
            _ => ContestantSpec::Mixture(
                mixture.iter().map(|&(theta, weight)| (weight, theta.to_vec().into())).collect(),
            ),
        }
    }

    fn decide(
        &mut self,
        max_games: u64,
        candidate: &[f64],
        question: Question<'_>,
    ) -> Result<Decision, Stopped> {
        let key = self.key.child(Label::Race, self.num_comparisons);
        let Task { comparison, limits, .. } = *self.task;
        let rules = race::Rules { comparison, limits, max_games };
        let player = Player::Parameters(candidate);
        let games_before = self.games;
        match question {
            Question::Beats(opponent) => {
                let matchup = self.matchup(player, Player::Parameters(opponent));
                race::head_to_head(rules, matchup.as_ref(), key, self.stop, |games| {
                    (self.on_games)(games_before + games);
                })
            }
            Question::DoesBetterThan(incumbent) => {
                let league =
                    self.league(&[player, Player::Parameters(incumbent), Player::Baseline]);
                let deals =
                    AgainstTheSame { league: league.as_ref(), players: [0, 1], opponent: 2 };
                race::against_a_third(rules, &deals, key, self.stop, |games| {
                    (self.on_games)(games_before + games);
                })
            }
            Question::DoesBetterAgainst { incumbent, mixture } => {
                let specs = [
                    self.spec(&player),
                    self.spec(&Player::Parameters(incumbent)),
                    Referee::mixed(mixture),
                ];
                let league = self.task.family.league(&specs.each_ref());
                let league = league.expect("a run only meets contestants that were checked");
                let deals =
                    AgainstTheSame { league: league.as_ref(), players: [0, 1], opponent: 2 };
                race::against_a_third(rules, &deals, key, self.stop, |games| {
                    (self.on_games)(games_before + games);
                })
            }
            Question::BeatsAll(opponents) => {
                let against = |theta: &Vec<f64>| self.matchup(player, Player::Parameters(theta));
                let matchups: Vec<_> = opponents.iter().map(against).collect();
                race::against_all(rules, &matchups, key, self.stop, |games| {
                    (self.on_games)(games_before + games);
                })
            }
            Question::BeatsMixture(opponents) => {
                let others = opponents.iter().map(|&(player, _)| player);
                let players: Vec<_> = std::iter::once(player).chain(others).collect();
                let league = self.league(&players);
                let weights = (1..).zip(opponents).map(|(index, &(_, weight))| (index, weight));
                let matchup = AgainstMixture::new(league.as_ref(), 0, weights);
                race::head_to_head(rules, &matchup, key, self.stop, |games| {
                    (self.on_games)(games_before + games);
                })
            }
        }
    }
}

/// A part of one fixture, or of several in a row against the same opponent in the same deals.
struct Part {
    fixtures: std::ops::Range<usize>,
    first_pair: u64,
    num_pairs: u64,
}

/// The fixtures in parts for one thread each, in their order.
fn tasks(fixtures: &[Fixture]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut start = 0;
    let same =
        |x: &Fixture, y: &Fixture| (x.b, x.deals, x.num_pairs) == (y.b, y.deals, y.num_pairs);
    for group in fixtures.chunk_by(same) {
        let fixtures = start..start + group.len();
        start = fixtures.end;
        let num_pairs = group[0].num_pairs;
        // All parts have about as many games, however many players there are.
        let pairs_of_part = (TASK_PAIRS / group.len() as u64).max(LEAST_TASK_PAIRS);
        for first_pair in (0..num_pairs).step_by(pairs_of_part as usize) {
            let num_pairs = pairs_of_part.min(num_pairs - first_pair);
            parts.push(Part { fixtures: fixtures.clone(), first_pair, num_pairs });
        }
    }
    parts
}

/// Whether the question can be answered without a game: nobody beats himself, or does better.
fn is_answered(candidate: &[f64], question: &Question<'_>) -> bool {
    let same = |theta: &[f64]| candidate.iter().zip(theta).all(|(x, y)| x.to_bits() == y.to_bits());
    match question {
        Question::Beats(theta)
        | Question::DoesBetterThan(theta)
        | Question::DoesBetterAgainst { incumbent: theta, .. } => same(theta),
        Question::BeatsAll(thetas) => thetas.iter().any(|theta| same(theta)),
        Question::BeatsMixture(_) => false,
    }
}

impl Oracle for Referee<'_> {
    fn gaussian(&mut self) -> f64 {
        Gaussian.sample(&mut self.mutation)
    }

    fn index(&mut self, n: usize) -> usize {
        self.choice.random_range(0..n)
    }

    fn individual(&self, number: u64) -> Vec<f64> {
        individual(self.task.family.space().dimension(), self.task.key, number)
    }

    fn games_left(&self) -> u64 {
        self.games_left - self.games
    }

    fn compare_within(
        &mut self,
        max_games: u64,
        candidate: &[f64],
        question: Question<'_>,
    ) -> Result<Decision, Stopped> {
        self.stop.check()?;
        if is_answered(candidate, &question) {
            let verdict = Verdict::identical();
            return Ok(Decision { accepted: false, verdict, num_games: 0 });
        }
        // The smallest observation: a pair, or a pair for each of two.
        let least_games = match question {
            Question::DoesBetterThan(_) | Question::DoesBetterAgainst { .. } => 4,
            Question::Beats(_) | Question::BeatsAll(_) | Question::BeatsMixture(_) => 2,
        };
        if self.games_left() < least_games {
            return Err(Stopped(StopReason::Games));
        }
        let max_games = max_games.max(least_games).min(self.games_left());
        let decision = self.decide(max_games, candidate, question)?;
        self.num_comparisons += 1;
        self.games += decision.num_games;
        (self.on_games)(self.games);
        Ok(decision)
    }

    fn play(
        &mut self,
        players: &[Player<'_>],
        fixtures: &[Fixture],
    ) -> Result<Vec<Tally>, Stopped> {
        let games: u64 = fixtures.iter().map(|fixture| 2 * fixture.num_pairs).sum();
        if games > self.games_left() {
            return Err(Stopped(StopReason::Games));
        }
        let league = self.league(players);
        let key = self.key.child(Label::Request, self.num_requests);
        self.num_requests += 1;
        let tasks = tasks(fixtures);
        let mut tallies = vec![Tally::default(); fixtures.len()];
        for tasks in tasks.chunks(TASKS_AT_ONCE) {
            self.stop.check()?;
            let played: Vec<Vec<Tally>> = tasks
                .par_iter()
                .map(|task| {
                    let of_task = &fixtures[task.fixtures.clone()];
                    let players: Vec<usize> = of_task.iter().map(|fixture| fixture.a).collect();
                    let Fixture { b, deals, .. } = of_task[0];
                    let key = key.child(Label::Deals, deals);
                    let num_pairs = task.num_pairs as usize;
                    let mut results = vec![PairResult::default(); players.len() * num_pairs];
                    league.play_each(&players, b, key, task.first_pair, &mut results);
                    let of_players = results.chunks(num_pairs);
                    of_players.map(|results| results.iter().copied().collect()).collect()
                })
                .collect();
            for (task, of_players) in tasks.iter().zip(&played) {
                for (tally, of_player) in tallies[task.fixtures.clone()].iter_mut().zip(of_players)
                {
                    tally.merge(of_player);
                }
                self.games += 2 * task.num_pairs * task.fixtures.len() as u64;
            }
            (self.on_games)(self.games);
        }
        Ok(tallies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::AnyFamily;
    use crate::optimise::{Budget, MethodName, MethodSpec};
    use crate::race::{Comparison, Limits, Reason};
    use crate::registry::Registry;

    fn with_referee<T>(
        family: &str,
        games_left: u64,
        then: impl FnOnce(&mut Referee<'_>) -> T,
    ) -> T {
        let registry = Registry::standard();
        let family: &dyn AnyFamily = registry.family(family).expect("known");
        let task = Task {
            family,
            comparison: Comparison::Bernstein,
            limits: Limits::default(),
            method: MethodSpec::of(MethodName::Iterative),
            budget: Budget::default(),
            baseline: ContestantSpec::Redrawn,
            monitor_pairs: 1,
            key: StreamKey::root(5),
        };
        let stop = StopSignal::default();
        let mut on_games = |_| ();
        let key = task.key.child(Label::Iteration, 1);
        then(&mut Referee::new(&task, key, games_left, &stop, &mut on_games))
    }

    #[test]
    fn nobody_races_himself() {
        with_referee("war", 1000, |referee| {
            let (x, y) = (referee.individual(0), referee.individual(1));
            for question in [
                Question::Beats(&x),
                Question::DoesBetterThan(&x),
                Question::BeatsAll(&[y.clone(), x.clone()]),
            ] {
                let decision = referee.compare(&x, question).expect("not stopped");
                assert_eq!((decision.accepted, decision.num_games), (false, 0));
                assert_eq!(decision.verdict.reason, Reason::Identical);
            }
            assert_eq!(referee.games, 0);
            let decision = referee.compare(&y, Question::Beats(&x)).expect("not stopped");
            assert!(decision.num_games > 0);
        });
    }

    /// Two orders of the cells are two deterministic players, and the baseline is not.
    #[test]
    fn what_is_certain_is_decided_by_one_pair() {
        with_referee("phantom-tic-tac-toe", 100_000, |referee| {
            let (x, y) = (referee.individual(0), referee.individual(1));
            let decision = referee.compare(&x, Question::Beats(&y)).expect("not stopped");
            assert_eq!((decision.verdict.reason, decision.num_games), (Reason::Exact, 2));
            let fixture = Fixture { a: 0, b: 1, deals: 7, num_pairs: 300 };
            let players = [Player::Parameters(&x), Player::Parameters(&y)];
            let tally = referee.play(&players, &[fixture]).expect("not stopped")[0];
            assert_eq!(tally.estimate().map(|e| e.score), Some(decision.verdict.score));
            assert_eq!(tally.pairs_by_points.iter().max(), Some(&300));

            let alone = [(Player::Parameters(&y[..]), 0.5), (Player::Baseline, 0.0)];
            let decision = referee.compare(&x, Question::BeatsMixture(&alone));
            assert_eq!(decision.expect("not stopped").verdict.reason, Reason::Exact);
            // Against the baseline both scores are known, though games are not certain.
            let decision = referee.compare(&x, Question::DoesBetterThan(&y)).expect("not stopped");
            assert_eq!((decision.verdict.reason, decision.num_games), (Reason::Exact, 4));
            let players = [Player::Parameters(&x), Player::Parameters(&y), Player::Baseline];
            let fixtures = [0, 1].map(|a| Fixture { a, b: 2, deals: 0, num_pairs: 5000 });
            let tallies = referee.play(&players, &fixtures).expect("not stopped");
            let points = |tally: &Tally| tally.quarter_points() as f64 / 20_000.0;
            let z = (1.0 + points(&tallies[0]) - points(&tallies[1])) / 2.0;
            // The standard error of Z is about 1 / 300.
            assert!((z - decision.verdict.score).abs() < 0.015, "{z}, {:?}", decision.verdict);
        });
    }

    #[test]
    fn fixtures_of_the_same_deals_have_the_same_deals() {
        let play = |order: [usize; 3]| {
            with_referee("batawaf", 100_000, |referee| {
                let (x, y) = (referee.individual(0), referee.individual(1));
                let players = [Player::Baseline, Player::Parameters(&x), Player::Parameters(&y)];
                let fixtures = [
                    Fixture { a: 1, b: 0, deals: 0, num_pairs: 150 },
                    Fixture { a: 1, b: 0, deals: 0, num_pairs: 150 },
                    Fixture { a: 2, b: 0, deals: 1, num_pairs: 150 },
                ];
                let tallies = referee.play(&players, &order.map(|i| fixtures[i]));
                assert_eq!(referee.games, 900);
                tallies.expect("not stopped")
            })
        };
        let tallies = play([0, 1, 2]);
        assert_eq!(tallies[0], tallies[1]);
        assert_ne!(tallies[0], tallies[2]);
        // Whatever the order, and whatever else is played.
        assert_eq!(play([2, 0, 1]), [tallies[2], tallies[0], tallies[1]]);
    }

    #[test]
    fn the_budget_is_kept() {
        with_referee("morra", 10, |referee| {
            let (x, y) = (referee.individual(0), referee.individual(1));
            let players = [Player::Parameters(&x), Player::Parameters(&y)];
            let fixture = |num_pairs| Fixture { a: 0, b: 1, deals: 0, num_pairs };
            let too_much = referee.play(&players, &[fixture(6)]);
            assert_eq!(too_much, Err(Stopped(StopReason::Games)));
            assert!(referee.play(&players, &[fixture(4)]).is_ok());
            assert_eq!((referee.games, referee.games_left()), (8, 2));
            // A pair for each of two is more than what is left.
            let decision = referee.compare(&x, Question::DoesBetterThan(&y));
            assert_eq!(decision, Err(Stopped(StopReason::Games)));
            let decision = referee.compare(&x, Question::Beats(&y)).expect("one pair is left");
            assert_eq!(decision.verdict.reason, Reason::Budget);
        });
    }
}
